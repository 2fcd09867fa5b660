"""Web pages: a shop, flights, a forum, a flat, an encyclopedia, a recipe, hotels, a town hall."""

# ruff: noqa: E501 - rows of tables and styles stand on lines of their own length

from markup import box, lines, marked, table, text, whole
from page import Page


def links(block: str, look: str = "links") -> str:
    """Return a row of links with ids nav0, nav1 and so on."""
    names = [name.strip() for name in block.split("|")]
    return box("".join(text(f"nav{i}", name) for i, name in enumerate(names)), look)


def address(words: str) -> str:
    """Return the bar of a browser."""
    return box(
        text("url", words),
        "",
        "background:#e3e5e8;color:#333;padding:9px 140px;font:16px Roboto,sans-serif",
    )


def shop() -> Page:
    """Return a page of a shop for tents."""
    css = (
        "body{font:17px 'Open Sans',sans-serif;color:#222;background:#fff}.links{display:flex;gap:34px;padding:16px 60px;"
        "border-bottom:1px solid #ddd}.frame{display:flex;padding:24px 60px;gap:44px}.photo{width:520px;height:430px;"
        "background:linear-gradient(160deg,#b9d6c0,#4d7a5a)}h1{font-size:31px;margin:0 0 8px}.price{font-size:34px;font-weight:700}"
        ".old{text-decoration:line-through;color:#888;margin-left:12px}.box{border:1px solid #ddd;border-radius:6px;padding:16px 20px;line-height:1.7}"
        "td,th{padding:7px 14px;border-bottom:1px solid #eee;font-size:16px}td:first-child{color:#666}.grey{color:#666}"
        ".review{border-top:1px solid #eee;padding:9px 0;line-height:1.45;font-size:16px}h2{font-size:20px;margin:0 0 8px}"
    )
    facts = table(
        [("name", "Specification"), ("value", "")],
        lines(
            """Sleeps | 3 people
            Weight | 3.9 kg
            Packed size | 48 × 19 cm
            Inner height | 128 cm
            Flysheet | polyester 75D, 4,000 mm
            Floor | polyethylene 120 g/m²
            Poles | fibreglass, 9.5 mm
            Pitching time | about 7 minutes
            Doors | 2
            Colour | moss / sand
            Article no. | 70-2245-3"""
        ),
    ).replace('<span id="h-value"></span>', "")
    reviews = "".join(
        box(marked(words), "review")
        for words in [
            "★★★★★ <b>‹v0:Hedda P.›</b> ‹v0-day:2 May› – ‹v0-text:Stayed dry through a whole night of storm on the Fells.›",
            "★★★☆☆ <b>‹v1:Gareth›</b> ‹v1-day:27 April› – ‹v1-text:Good tent, but the zip of the left door stuck after a week.›",
            "★★★★☆ <b>‹v2:Min-Jun L.›</b> ‹v2-day:11 April› – ‹v2-text:A bit snug for three grown-ups. Perfect for two and a dog.›",
            "★★★★★ <b>‹v3:Petra K.›</b> ‹v3-day:30 March› – ‹v3-text:Up in six minutes on my own.›",
        ]
    )
    side = (
        text("name", "Wren Trail 3 dome tent", "h1")
        + box(
            marked("★★★★☆ ‹stars:4.3› (‹count:218 ratings›) · by ‹brand:Farlane Outdoor›"), "grey"
        )
        + box(
            text("price", "€189.00", look="price") + text("old", "€239.00", look="old"),
            "",
            "margin:10px 0",
        )
        + box(
            marked(
                "‹tax:incl. VAT, plus shipping €5.95›<br>‹ship-label:Delivery:› ‹ship:Thu 22 – Sat 24 May›<br>‹stock:Only 4 left› · ‹pick-label:Pick up in store:› ‹pick:Rosehill, from Monday›<br>‹ret-label:Free returns within› ‹ret:60 days›<br>‹war-label:Manufacturer's guarantee:› ‹war:5 years›"
            ),
            "box",
        )
        + box(
            text("extra", "Often bought together", "h2")
            + table(
                [("name", "Item"), ("price", ">Price")],
                lines(
                    "Footprint groundsheet 3P | €27.90\nAlloy pegs, 12 pieces | €14.50\nRepair kit | €8.20\nLED tent lamp | €19.95"
                ),
                "b",
                "hb-",
            ),
            "",
            "margin-top:18px",
        )
    )
    body = (
        address("www.ridgewalk.test/tents/wren-trail-3")
        + links("RIDGEWALK | Tents | Sleeping bags | Packs | Stoves | Sale | Basket (2)")
        + box(
            box(
                box("", "photo")
                + box(text("reviews", "Reviews", "h2") + reviews, "", "width:520px;margin-top:20px")
            )
            + box(side, "", "width:430px")
            + box(facts, "", "flex:1"),
            "frame",
        )
    )
    return Page("web-0", whole(css, body), 1600, 900, colours=64)


def flights() -> Page:
    """Return flights found for a day."""
    css = (
        "body{font:17px Roboto,sans-serif;color:#1a2433;background:#f4f6fa}.links{background:#0b3a6f;color:#fff;display:flex;gap:36px;padding:16px 50px}"
        ".frame{display:flex;gap:26px;padding:20px 50px}.side{width:270px;line-height:1.75;font-size:16px}.side b{display:block;margin-top:12px}"
        ".f{background:#fff;border:1px solid #dfe4ec;border-radius:8px;padding:15px 24px;margin-bottom:12px;display:flex;align-items:center}"
        ".c0{width:230px}.c1{width:260px}.c2{width:250px}.c3{width:200px}.c4{flex:1;text-align:right}.small{font-size:15px;color:#68758a}.big{font-size:21px;font-weight:500}"
    )
    found = lines(
        """Aerolind | AL 482 | 06:25 – 09:10 | 2 h 45 | direct | cabin bag only | €142
        Norska Air | NO 1170 | 07:05 – 12:40 | 5 h 35 | 1 stop, Brenholm 1 h 50 | 1 × 23 kg | €118
        Sunbird | SB 903 | 09:50 – 12:30 | 2 h 40 | direct | 1 × 20 kg | €171
        Aerolind | AL 486 | 12:15 – 15:05 | 2 h 50 | direct | cabin bag only | €129
        Costa Jet | CJ 55 | 13:40 – 21:15 | 7 h 35 | 1 stop, Valmora 4 h 05 | none | €89
        Norska Air | NO 1174 | 15:20 – 18:00 | 2 h 40 | direct | 1 × 23 kg | €204
        Sunbird | SB 907 | 18:10 – 20:55 | 2 h 45 | direct | 1 × 20 kg | €158
        Aerolind | AL 490 | 21:30 – 00:20 +1 | 2 h 50 | direct | cabin bag only | €97"""
    )
    cards = "".join(
        box(
            box(text(f"r{i}-firm", firm) + "<br>" + text(f"r{i}-code", code, look="small"), "c0")
            + box(text(f"r{i}-time", time, look="big"), "c1")
            + box(
                text(f"r{i}-long", length) + "<br>" + text(f"r{i}-stop", stop, look="small"), "c2"
            )
            + box("<span class='small'>Baggage</span><br>" + text(f"r{i}-bag", bag), "c3")
            + box(
                text(f"r{i}-price", price, look="big") + "<br><span class='small'>per adult</span>",
                "c4",
            ),
            "f",
        )
        for i, (firm, code, time, length, stop, bag, price) in enumerate(found)
    )
    side = marked(
        "<b>Stops</b>‹o0:Direct (6)›<br>‹o1:1 stop (2)›<b>Departure airport</b>‹o2:Hallby Central (HBC)›<br>‹o3:Hallby West (HBW)›"
        "<b>Price alert</b>‹o4:Fares usually rise 21 days before departure›<b>Emissions</b>‹co-label:Typical for this route:› ‹co:138 kg CO2›"
        "<b>Good to know</b>‹visa:No visa needed for stays under 90 days›<br>‹zone-label:Time difference:› ‹zone:+1 hour›<br>‹bus-label:Airport bus to the centre:› ‹bus:€6.50›, 35 min"
        "<b>Questions?</b>‹tel:+353 1 555 0136› (8–20 h)"
    )
    body = (
        address("farefinch.test/search?from=HBC&to=MRA&day=2025-09-12")
        + links("Farefinch | Flights | Trains | Hotels | Cars | My trips | EN · EUR")
        + box(
            marked(
                "<b>‹route:Hallby (HBC) → Marisola (MRA)›</b> · ‹day:Fri 12 September› · ‹pax:1 adult› · ‹class:Economy› · ‹sum:8 flights, sorted by departure›"
            ),
            "",
            "padding:16px 50px 0;font-size:19px",
        )
        + box(box(side, "side") + box(cards, "", "flex:1"), "frame")
    )
    return Page("web-1", whole(css, body), 1680, 860)


def forum() -> Page:
    """Return a thread of a forum about bicycles."""
    css = (
        "body{font:17px 'DejaVu Sans',sans-serif;color:#20242a;background:#e9ecef}.bar{background:#3d4b3f;color:#fff;padding:14px 60px;font-size:19px}"
        ".p{background:#fff;display:flex;margin:0 60px 12px;border:1px solid #cfd5d9}.u{width:210px;background:#f4f6f4;padding:14px 18px;font-size:15px;line-height:1.6}"
        ".t{flex:1;padding:14px 22px;line-height:1.5}.s{color:#7a838b;font-size:14px;margin-bottom:6px}.q{border-left:4px solid #b8c2b9;padding-left:12px;color:#555;margin-bottom:6px}"
        "h1{font-size:25px;margin:18px 60px 12px}"
    )
    posts = [
        (
            "gearhead_bo",
            "Posts: 2,310",
            "Oulton",
            "14 Feb, 19:03",
            "Creaking from the bottom bracket of my 2018 tourer, only under load. I have already greased the seat post and swapped the pedals. Chainline measures ‹chain:47.5 mm›. Any ideas before I buy a new one?",
        ),
        (
            "Tilda Ritter",
            "Posts: 88",
            "Grenmark",
            "14 Feb, 19:40",
            "Had the same. In my case it was the ‹cause:chainring bolts›. Take them out, clean, grease, and ‹torque-label:tighten crosswise to› ‹torque:9 Nm›. Took me half an hour.",
        ),
        (
            "old_spoke",
            "Posts: 11,047",
            "Moderator",
            "14 Feb, 20:15",
            "Before anything else check for a crack behind the derailleur hanger. If that is fine, measure the shell: 68 mm or 73 mm? The ‹part-label:replacement for the 68 is part› ‹part:BB-4417›, around ‹cost:€26› at the usual places. You need tool ‹tool:TL-32›.",
        ),
        (
            "gearhead_bo",
            "Posts: 2,310",
            "Oulton",
            "15 Feb, 08:22",
            "No cracks. Shell is ‹shell:68 mm›. Will try the bolts tonight, thanks Tilda.",
        ),
        (
            "Marek77",
            "Posts: 512",
            "Lobnica",
            "15 Feb, 12:51",
            "If it turns out to be the bearing: left side is ‹thread:reverse threaded› on mine, don't force it. And never use the hammer, I ruined a frame worth ‹frame:€900› that way.",
        ),
        (
            "gearhead_bo",
            "Posts: 2,310",
            "Oulton",
            "17 Feb, 21:37",
            "Update: it was the bolts after all! Silent since ‹km:60 km›. Drinks on me at the spring ride on ‹ride:30 March›.",
        ),
    ]
    done = "".join(
        box(
            box(
                text(f"p{i}-name", f"<b>{name}</b>")
                + "<br>"
                + text(f"p{i}-count", count)
                + "<br>"
                + text(f"p{i}-from", place),
                "u",
            )
            + box(
                box(text(f"p{i}-when", when) + " · " + text(f"p{i}-num", f"#{i + 1}"), "s")
                + text(f"p{i}", marked(words)),
                "t",
            ),
            "p",
        )
        for i, (name, count, place, when, words) in enumerate(posts)
    )
    body = (
        box(marked("<b>spokes &amp; sprockets</b> › ‹room:Workshop› › ‹sub:Drivetrain›"), "bar")
        + text("title", "[SOLVED] Creak from bottom bracket", "h1")
        + done
        + box(
            marked(
                "‹views:3,918 views› · ‹follow:14 people follow this thread› · ‹similar-label:Similar:› ‹similar:Noise when freewheeling (22 replies)› · ‹rules:Threads close after 60 days without a reply›"
            ),
            "",
            "padding:4px 60px;font-size:15px;color:#555",
        )
    )
    return Page("web-2", whole(css, body), 1440, 880, colours=16)


def flat() -> Page:
    """Return a German page that offers a flat."""
    css = (
        "body{font:18px Lato,sans-serif;color:#2a2a2a;background:#fff}.links{display:flex;gap:34px;padding:16px 56px;background:#f7c948}"
        ".frame{display:flex;gap:40px;padding:22px 56px}.photo{height:300px;background:linear-gradient(130deg,#dcd3c5,#a99c88)}"
        "h1{font-size:29px;margin:0 0 6px}.keys{display:flex;gap:36px;margin:16px 0}.keys .label{display:block;font-size:16px;color:#777}.keys .value{font-size:25px;font-weight:700}"
        "td,th{padding:6px 12px;border-bottom:1px solid #eee;font-size:17px}p{line-height:1.5;margin:8px 0}h2{font-size:20px;margin:14px 0 6px}.card{border:1px solid #ddd;border-radius:8px;padding:16px 22px;line-height:1.65}"
    )
    keys = "".join(
        box(text(f"{key}-label", name, look="label") + text(key, value, look="value"))
        for key, name, value in lines(
            "kalt | Kaltmiete | 845 €\nzi | Zimmer | 3\nflae | Wohnfläche | 78 m²\nfrei | Bezugsfrei | 01.11.2025"
        )
    )
    costs = table(
        [("name", "Kosten"), ("value", ">monatlich")],
        lines(
            "Nebenkosten | 165 €\nHeizkosten | 92 €\nStellplatz | 55 €\nGesamtmiete | 1.157 €\nKaution | 2.535 €"
        ),
        "k",
        "hk-",
    )
    facts = table(
        [("name", "Merkmal"), ("value", "Angabe")],
        lines(
            """Etage | 2 von 4
            Baujahr | 1968, saniert 2019
            Heizung | Fernwärme
            Energieklasse | C
            Bad | Wanne, Fenster
            Keller | 6 m²
            Balkon | Westseite, 5 m²
            Haustiere | nach Absprache
            Internet | bis 250 Mbit/s
            Objektnummer | RK-20931"""
        ),
        "m",
        "hm-",
    )
    body = (
        address("www.nestblick.test/wohnung/rk-20931")
        + links("nestblick | Mieten | Kaufen | Bauen | Umzug | Merkliste | Anmelden")
        + box(
            box(
                box("", "photo")
                + text("title", "Helle Wohnung am Mühlbach", "h1")
                + text("ort", "Gerberstraße 12, 99817 Rabenfels")
                + box(keys, "keys")
                + "<p>"
                + marked(
                    "Die Wohnung liegt ruhig zum Innenhof. Das Wohnzimmer hat einen Boden aus ‹boden:geöltem Eichenparkett›, die Küche wurde ‹kueche:2023› erneuert und kann für ‹abloese:1.800 €› übernommen werden. Im Haus wohnen acht Parteien."
                )
                + "</p>"
                + "<p>"
                + marked(
                    "Zur Straßenbahn Linie ‹bahn:4› sind es ‹weg:drei Minuten›, zur Grundschule fünf. Eingekauft wird im ‹markt:Markt am Gerbertor›, der bis 21 Uhr geöffnet ist. Im Treppenhaus bitte keine Fahrräder abstellen, dafür gibt es den Schuppen im Hof."
                )
                + "</p>"
                + "<p>"
                + marked(
                    "‹termin-label:Besichtigung:› ‹termin:Samstag, 27. September, 11 Uhr›. Bitte ‹papier:Schufa-Auskunft› und Gehaltsnachweise mitbringen."
                )
                + "</p>",
                "",
                "flex:1.2",
            )
            + box(costs + "<br>" + facts, "", "flex:1")
            + box(
                marked(
                    "<b>‹firma:Hausverwaltung Zeidler›</b><br>‹person-label:Ihre Ansprechpartnerin:›<br>‹person:Frau Katrin Wunsch›<br>‹tel-label:Tel.› ‹tel:03691 555 0 47›<br>‹sprech-label:Sprechzeit:› ‹sprech:Di und Do 14–17 Uhr›<br>‹online:Online seit 4 Tagen›<br>‹klick:1.206 Aufrufe›"
                ),
                "card",
                "width:310px;height:fit-content",
            ),
            "frame",
        )
    )
    return Page("web-3", whole(css, body, "de"), 1600, 870, language="de", colours=64)


def wiki() -> Page:
    """Return an article of an encyclopedia about a lake."""
    css = (
        "body{font:17px 'Liberation Serif',serif;color:#202122;background:#fff}.side{width:180px;font:15px 'Liberation Sans';line-height:2;padding:30px 20px;color:#3366bb}"
        ".main{flex:1;padding:24px 30px;border-left:1px solid #a7d7f9}h1{font-weight:400;font-size:33px;border-bottom:1px solid #a2a9b1;margin:0 0 10px}"
        "h2{font-weight:400;font-size:25px;border-bottom:1px solid #a2a9b1;margin:14px 0 6px}p{line-height:1.55;margin:8px 0;font:20px/1.6 'Liberation Sans'}"
        ".info{float:right;width:370px;border:1px solid #a2a9b1;background:#f8f9fa;padding:10px 14px;margin:0 0 10px 24px;font:15px 'Liberation Sans'}"
        ".info td{padding:4px 6px;vertical-align:top}.info td:first-child{font-weight:700;width:150px}.info th{display:none}.pic{height:150px;background:linear-gradient(#9ec3da,#3f6f8f);margin:6px 0}"
    )
    facts = table(
        [("name", "Name"), ("value", "Value")],
        lines(
            """Location | Tarvel Highlands
            Type | glacial
            Primary inflows | Ouse Beck, River Dray
            Primary outflow | River Merrin
            Surface area | 31.4 km²
            Max. length | 14.2 km
            Max. depth | 117 m
            Average depth | 46 m
            Water volume | 1.44 km³
            Shore length | 52 km
            Surface elevation | 388 m
            Frozen | rarely (last in 1987)
            Islands | 5 (largest: Hob Isle)
            Settlements | Kettlemere, Anstow"""
        ),
        "i",
    )
    body = (
        "<div style='display:flex'><div class='side'>"
        + "<br>".join(
            text(f"nav{i}", name)
            for i, name in enumerate(
                [
                    "Main page",
                    "Contents",
                    "Random article",
                    "Recent changes",
                    "Help",
                    "Donate",
                    "Printable version",
                    "Cite this page",
                    "12 languages",
                ]
            )
        )
        + "</div><div class='main'>"
        + text("title", "Lake Merrin", "h1")
        + box(text("info", "Lake Merrin", "b") + box("", "pic") + facts, "info")
        + "<p>"
        + marked(
            "<b>Lake Merrin</b> is a freshwater lake in the Tarvel Highlands. It is the ‹rank:third largest› lake of the region by area and supplies drinking water to about ‹people:260,000 people›. The lake lies in a valley that was deepened by ice during the last glaciation."
        )
        + "</p>"
        + text("s0", "Geography", "h2")
        + "<p>"
        + marked(
            "The basin runs from north-east to south-west. Two ridges, the Harrow and the Long Saddle, rise to more than 900 metres on either side; the highest point of the shore is the cliff of ‹cliff:Gannet Scar›. The northern arm is shallow and reedy, and the deepest sounding was taken off Anstow in ‹sounding:1931›. Water stays in the lake for ‹stay:3.8 years› on average."
        )
        + "</p>"
        + text("s1", "History", "h2")
        + "<p>"
        + marked(
            "Remains of pile dwellings near Kettlemere have been dated to ‹piles:2900 BC›. In the Middle Ages the abbey of St Orrin held the right to fish. A railway reached the shore in ‹rail:1874›, and with it came the first hotels. The paddle steamer <i>‹ship:Lady Isobel›</i> ‹sank:sank in a storm› on ‹sankday:9 November 1902›; all ‹crew:41› on board were saved. A dam at the outflow, finished in 1938, raised the surface by ‹dam:2.6 metres›."
        )
        + "</p>"
        + text("s2", "Plants and animals", "h2")
        + "<p>"
        + marked(
            "The lake is known for its ‹fish:Merrin charr›, a fish found nowhere else. Ospreys returned in ‹osprey:1996› after an absence of eighty years. The invasive ‹mussel:quagga mussel› was first reported in 2016, and boats must be washed before they are launched. Otters, great crested grebes and goosanders breed in the northern arm."
        )
        + "</p>"
        + text("s3", "Leisure", "h2")
        + "<p>"
        + marked(
            "‹walk-label:A footpath of 58 kilometres runs round the lake; most walkers take› ‹walk:three days›. Motor boats are limited to ‹speed:10 km/h›. The Merrin Swim, a race over ‹swim:5.4 km› from Anstow to Hob Isle and back, is held on the ‹race:second Sunday in August›. Camping is allowed at ‹camps:four sites›, of which only the one at Dray Mouth is open in winter."
        )
        + "</p>"
        + "<p style='font-size:15px;color:#666'>"
        + marked("This page was last edited on ‹edit:23 March 2025, at 11:48›.")
        + "</p></div></div>"
    )
    return Page("web-4", whole(css, body), 1440, 1040)


def recipe() -> Page:
    """Return a Spanish page with a recipe."""
    css = (
        "body{font:19px 'EB Garamond',serif;color:#3a2a20;background:#fdf8ef}.links{font:16px Lato;display:flex;gap:34px;padding:14px 60px;background:#a4402f;color:#fff}"
        ".frame{display:flex;gap:44px;padding:20px 60px}h1{font-size:42px;margin:0}.keys{display:flex;gap:34px;margin:12px 0;font:17px Lato}.keys .label{display:block;color:#9a7b66;font-size:15px}"
        "li{line-height:1.45;margin-bottom:9px;font-size:25px}h2{font-size:26px;margin:6px 0}td,th{padding:5px 12px;border-bottom:1px dotted #c9b39c;font-size:23px}.photo{height:220px;background:linear-gradient(150deg,#e0a458,#8c3b1b);margin-bottom:12px}"
        ".tip{background:#f5e6cc;padding:14px 20px;margin-top:12px;line-height:1.4;font-size:22px}"
    )
    keys = "".join(
        box(text(f"{key}-label", name, look="label") + text(key, value))
        for key, name, value in lines(
            "time | Preparación | 25 min\nbake | Horno | 50 min a 180 °C\nserv | Raciones | 6\ndif | Dificultad | media\ncost | Coste | 8,70 €"
        )
    )
    goods = table(
        [("name", "Ingrediente"), ("much", ">Cantidad")],
        lines(
            """Calabaza asada | 600 g
            Harina de trigo | 280 g
            Mantequilla fría | 140 g
            Queso de cabra | 150 g
            Huevos | 3
            Nata líquida | 200 ml
            Cebolla morada | 2
            Miel de romero | 1 cda.
            Piñones | 40 g
            Tomillo fresco | 4 ramas
            Nuez moscada | una pizca"""
        ),
    )
    steps = "".join(
        "<li>" + text(f"s{i}", marked(words)) + "</li>"
        for i, words in enumerate(
            [
                "Mezcla la harina con la mantequilla y una cucharada de agua. Deja reposar la masa ‹rest:30 minutos› en la nevera.",
                "Pocha la cebolla a fuego lento con la miel durante ‹onion:un cuarto de hora›.",
                "Extiende la masa en un molde de ‹mould:26 cm› y pínchala con un tenedor. Hornea en blanco ‹blind:12 minutos›.",
                "Bate los huevos con la nata, la nuez moscada y la mitad del queso.",
                "Reparte la calabaza y la cebolla, vierte la mezcla y termina con los piñones y el tomillo.",
                "Hornea hasta que el centro ‹done:apenas tiemble›. Sirve templada, con ‹side:ensalada de berros›.",
            ]
        )
    )
    body = links("La cuchara lenta | Recetas | De temporada | Pan | Vídeos | Boletín") + box(
        box(
            text("title", "Tarta salada de calabaza y queso de cabra", "h1")
            + box(
                marked(
                    "por ‹author:Remedios Aranda› · ‹date:18 de octubre› · ★ ‹stars:4,7› (‹votes:312 votos›)"
                ),
                "",
                "font:16px Lato;margin-top:6px",
            )
            + box(keys, "keys")
            + box("", "photo")
            + text("how", "Elaboración", "h2")
            + f"<ol>{steps}</ol>",
            "",
            "flex:1.5",
        )
        + box(
            text("what", "Ingredientes", "h2")
            + goods
            + box(
                marked(
                    "<b>Consejos.</b> Se conserva ‹keep:tres días› en la nevera y se puede congelar ya cortada. ‹free-label:Sin gluten: sustituye la harina por› ‹free:harina de garbanzo›. Maridaje: ‹wine:un verdejo joven›."
                ),
                "tip",
            )
            + box(
                marked(
                    "<b>Por ración:</b> ‹kcal:462 kcal› · ‹fat:29 g grasas› · ‹carb:38 g hidratos› · ‹prot:13 g proteínas›"
                ),
                "tip",
            ),
            "",
            "flex:1",
        ),
        "frame",
    )
    return Page("web-5", whole(css, body, "es"), 1440, 1020, language="es", colours=64)


def hotels() -> Page:
    """Return hotels found in a town, dark."""
    css = (
        "body{font:18px 'Noto Sans',sans-serif;color:#e7e9ee;background:#16191f}.links{display:flex;gap:34px;padding:16px 50px;background:#0e1014}"
        ".h{display:flex;gap:26px;background:#1f242d;border-radius:10px;margin:0 50px 14px;padding:14px}.photo{width:190px;height:128px;border-radius:6px}"
        ".m{flex:1;line-height:1.55}.r{text-align:right;width:270px;line-height:1.55}.name{font-size:22px;font-weight:700}.small{font-size:16px;color:#a9b1c0}.price{font-size:26px;font-weight:700}.ok{color:#6fcf97}"
    )
    found = lines(
        """Hotel Almond Court | Old town, 0.3 km from the cathedral | breakfast included | free cancellation until 2 June | 8.9 | 1,204 | €134 | #b5835a
        The Weir House | Riverside, 1.1 km | sauna, bicycles to borrow | pay at the hotel | 9.3 | 388 | €161 | #5a86b5
        Budget Inn Station | Central station, 1.4 km | shared bathroom | no refund | 7.1 | 2,950 | €62 | #77808d
        Casa Verbena | Market quarter, 0.8 km | kitchenette, no lift | free cancellation until 5 June | 8.5 | 671 | €98 | #6a9a5b
        Grand Pavilion | Opera, 0.6 km | pool, spa, two restaurants | deposit of 30 % | 9.0 | 1,877 | €249 | #9a5b8d
        Hostel Blue Door | University, 2.2 km | dormitory, 8 beds | free cancellation until 6 June | 8.2 | 4,012 | €29 | #3f6fa0"""
    )
    cards = "".join(
        box(
            box("", "photo", f"background:linear-gradient(140deg,{colour},#222)")
            + box(
                text(f"r{i}-name", name, look="name")
                + "<br>"
                + text(f"r{i}-place", place, look="small")
                + "<br>"
                + text(f"r{i}-extra", extra)
                + "<br>"
                + text(f"r{i}-rule", rule, look="ok"),
                "m",
            )
            + box(
                "<span class='small'>Score</span> "
                + text(f"r{i}-score", score)
                + " · "
                + text(f"r{i}-count", f"{count} reviews", look="small")
                + "<br>"
                + text(f"r{i}-price", price, look="price")
                + "<br>"
                + text(f"r{i}-tax", "per night, 2 adults", look="small"),
                "r",
            ),
            "h",
        )
        for i, (name, place, extra, rule, score, count, price, colour) in enumerate(found)
    )
    body = (
        address("stayloft.test/montreval?in=2025-06-07&out=2025-06-10")
        + links("stayloft | Stays | Experiences | Offers | Help | Sign in")
        + box(
            marked(
                "<b style='font-size:26px'>‹title:Montreval: 6 places for 7 – 10 June›</b><br><span class='small'>‹tax-label:City tax, paid on arrival:› ‹tax:€2.80 per person and night› · ‹map:Show on map› · ‹event:Street festival on 8 June: expect noise in the old town›</span>"
            ),
            "",
            "padding:18px 50px;line-height:1.6",
        )
        + cards
        + box(
            marked(
                "‹best-label:Member price:› ‹best:10 % off with a free account› · ‹hot-label:Service line› ‹hot:0800 555 0119›"
            ),
            "small",
            "padding:6px 50px",
        )
    )
    return Page("web-6", whole(css, body), 1440, 1260, jpeg=70)


def townhall() -> Page:
    """Return the page of a town hall, printed and scanned."""
    css = (
        "body{font:21px 'Liberation Sans',sans-serif;color:#111;background:#fff;padding:44px 60px}h1{font-size:34px;margin:0 0 4px}"
        "h2{font-size:25px;margin:22px 0 8px;border-bottom:3px solid #1d5c63;padding-bottom:4px}td,th{padding:7px 14px;border-bottom:1px solid #bbb;font-size:20px}"
        "table{width:100%}.two{display:flex;gap:44px}p{line-height:1.5;margin:6px 0}.grey{color:#555;font-size:18px}"
    )
    offices = table(
        [
            ("name", "Office"),
            ("room", "Room"),
            ("mon", "Mon – Wed"),
            ("thu", "Thu"),
            ("fri", "Fri"),
            ("tel", "Phone"),
        ],
        lines(
            """Residents' registration | 0.04 | 8–16 | 8–18 | 8–12 | 555 0120
            Passports | 0.07 | 8–15 | 10–18 | 8–12 | 555 0123
            Vehicle licences | 1.12 | 8–13 | 8–13 | closed | 555 0131
            Parking permits | 1.15 | 9–14 | 9–17 | 9–12 | 555 0134
            Registry (births, marriages) | 2.01 | 9–12 | 14–18 | 9–12 | 555 0148
            Building permits | 3.20 | closed | 13–18 | 8–12 | 555 0166
            Waste and recycling | 0.11 | 8–16 | 8–16 | 8–13 | 555 0172
            Lost property | Annex B | 10–12 | 15–17 | 10–12 | 555 0180"""
        ),
    )
    fees = table(
        [("name", "Service"), ("fee", ">Fee"), ("time", "Takes"), ("bring", "Bring with you")],
        lines(
            """Passport, adult | £82.50 | 4 weeks | photo, old passport
            Passport, child | £53.50 | 4 weeks | photo, birth certificate
            Passport, express | £142.00 | 5 working days | photo, proof of journey
            Change of address | free | at once | ID, landlord's form
            Resident parking, one year | £64.00 | 3 days | vehicle papers
            Copy of a birth certificate | £12.00 | 1 week | ID
            Bulky waste, collection | £25.00 | on appointment | list of items
            Dog licence | £38.00 | at once | chip number"""
        ),
        "f",
        "hf-",
    )
    body = (
        text("title", "Town of Eastwold – Services and opening hours", "h1")
        + text(
            "url",
            "www.eastwold-council.test/services · printed 7 May 2025, 09:31 · page 1 of 2",
            "div",
            look="grey",
        )
        + text("s0", "Opening hours", "h2")
        + offices
        + text("s1", "Fees", "h2")
        + fees
        + box(
            box(
                text("s2", "Appointments", "h2")
                + "<p>"
                + marked(
                    "Appointments can be made online or by phone. Passports and the registry see visitors ‹only:by appointment only›. If you are more than ‹late:ten minutes› late, your appointment lapses."
                )
                + "</p><p>"
                + marked(
                    "On ‹closed:Friday 30 May› the whole building stays closed for a staff meeting."
                )
                + "</p>"
            )
            + box(
                text("s3", "Getting here", "h2")
                + "<p>"
                + marked(
                    "‹addr:3 Corn Market, Eastwold›. Trams 2 and 9 stop at ‹tram:Guildhall›. ‹ramp-label:The entrance without steps is in› ‹ramp:Tanner's Lane›. Bicycles can be left in the yard; cars in the ‹cars:Riverside garage› (first hour free)."
                )
                + "</p>"
            ),
            "two",
        )
        + text("s4", "Complaints and ideas", "h2")
        + "<p>"
        + marked(
            "Write to the ombudsman, ‹omb:Ms Leonie Harcastle›, at ‹mail:ideas@eastwold-council.test›, or use the yellow box in the hall. You get an answer within ‹answer:fourteen days›."
        )
        + "</p>"
    )
    return Page("web-7", whole(css, body), 1240, 1540, skew=1.1, noise=1.8, jpeg=60)


def vacancy() -> Page:
    """Return a German page with the advertisement of a job."""
    css = (
        "body{font:17px/1.5 Carlito,sans-serif;color:#1f2a33;background:#eef2f4}"
        ".links{display:flex;"
        "gap:30px;background:#143642;color:#fff;padding:14px 70px}.frame{display:grid;gap:28px;"
        "grid-template-columns:1fr 370px;padding:24px 70px}.card{background:#fff;padding:22px 28px;"
        "border-top:4px solid #ec9a29}h1{font-size:30px;margin:0 0 "
        "2px;line-height:1.2}h2{font-size:19px;"
        "margin:16px 0 4px}.meta{color:#5b6b74}ul{margin:0;padding-left:20px}td{padding:5px 0;"
        "border-bottom:1px solid #e2e8eb}td:first-child{color:#5b6b74;padding-right:14px}"
        "table{width:100%}"
        "th{display:none}.knopf{background:#ec9a29;padding:11px;text-align:center;margin:14px 0;"
        "font-weight:700}.job{border-bottom:1px solid #e2e8eb;padding:6px 0}.job "
        "small{color:#5b6b74}"
    )

    def points(key: str, block: str) -> str:
        rows = block.strip().splitlines()
        return "<ul>" + "".join(
            f"<li>{text(f'{key}{i}', marked(row.strip()))}</li>" for i, row in enumerate(rows)
        ) + "</ul>"  # fmt: skip

    duty = """Planung und Abnahme von Trafostationen bis ‹kv:20 kV›
        Einsatzleitung bei Störungen, ‹ruf:jede fünfte Woche› Rufbereitschaft
        Betreuung von ‹azubi:zwei Auszubildenden› im dritten Lehrjahr
        Pflege der Netzpläne im System ‹gis:TopoNet 6›"""
    need = """Meisterbrief oder Technikerabschluss in Elektrotechnik
        Mindestens ‹erf:drei Jahre› Praxis in der Mittelspannung
        Führerschein ‹fs:Klasse BE›, sicheres Arbeiten in der Höhe
        Deutsch auf Niveau ‹sprache:C1›, Niederländisch von Vorteil"""
    give = """‹urlaub:30 Tage Urlaub›, dazu der ‹frei:24. und 31. Dezember›
        Dienstwagen, auch privat bis ‹privat:8.000 km im Jahr›
        Zuschuss zur Kita von ‹kita:120 €› je Kind und Monat
        Betriebsrente: ‹rente:5,2 % vom Brutto›, ganz vom Arbeitgeber
        Prämie von ‹praemie:1.500 €›, wenn Sie jemanden werben"""
    facts = table(
        [("name", "Feld"), ("value", "Wert")],
        lines(
            """Einsatzort | Emsbrück, Werk Süd
            Beginn | 1. April 2026
            Umfang | 37 Stunden, Gleitzeit
            Vertrag | unbefristet
            Probezeit | sechs Monate
            Gehalt | 4.380–5.120 € im Monat
            Tarif | EVU-West, Gruppe 9
            Reisen | bis zu 20 %
            Homeoffice | ein Tag je Woche
            Kennziffer | NT-2025-118"""
        ),
    )
    others = "".join(
        box(text(f"j{i}", name) + "<br><small>" + text(f"j{i}-ort", place) + " · "
            + text(f"j{i}-geld", pay) + "</small>", "job")
        for i, (name, place, pay) in enumerate(
            lines(
                """Zählermonteur (m/w/d) | Lohne-Nord | ab 3.050 €
                Disponentin Fernwärme | Emsbrück | ab 3.400 €
                Kundenberater, Teilzeit | Haselau | ab 2.210 €
                Ingenieurin Windkraft | Borkhorn | ab 5.300 €"""
            )
        )
    )  # fmt: skip
    body = (
        address("karriere.netzwerke-emsland.test/stellen/nt-2025-118")
        + links("Stellen|Ausbildung|Über uns|Standorte|Anmelden")
        + box(
            box(
                text("titel", "Netzmeister/in Mittelspannung (m/w/d)", "h1")
                + box(marked("‹firma:Netzwerke Emsland AG› · ‹seit:online seit 4. Dezember› · "
                             "‹klicks:1.906 Aufrufe›"), "meta")
                + text("h-auf", "Ihre Aufgaben", "h2") + points("a", duty)
                + text("h-prof", "Ihr Profil", "h2") + points("p", need)
                + text("h-biet", "Wir bieten", "h2") + points("b", give)
                + text("h-weg", "So geht es weiter", "h2")
                + box(marked(
                    "‹w0-label:Bewerbungsschluss:› ‹w0:18. Januar 2026›<br>‹w1-label:Gespräche:› "
                    "‹w1:vom 26. bis 30. Januar›, ‹w1b:im Haus am "
                    "Kanal›<br>‹w2-label:Probearbeiten:› "
                    "‹w2:ein halber Tag, wird mit 90 € vergütet›<br>‹w3-label:Fragen zum Fach:› "
                    "‹w3:Eike Terhorst, 0555 80 17 33›<br>‹w4-label:Fragen zum Ablauf:› "
                    "‹w4:Samira Wendt, 0555 80 17 02›")),
                "card",
            )
            + box(
                box(facts + text("knopf", "Jetzt bewerben", "div", look="knopf")
                    + box(marked("‹d-label:Unterlagen:› ‹d:Lebenslauf und Zeugnisse als PDF›"
                                 "<br>‹mb:höchstens 12 MB›"), "meta"), "card")
                + "<br>" + box(text("mehr", "Ähnliche Stellen", "h2") + others, "card")
            ),
            "frame",
        )
    )  # fmt: skip
    return Page("web-8", whole(css, body, "de"), 1320, 1020, language="de")


def manual() -> Page:
    """Return a page of documentation for a program, with options in a table."""
    css = (
        "body{font:15px/1.5 'Noto Sans',sans-serif;color:#1b1f24;background:#fff;display:flex}"
        ".side{width:236px;background:#f6f8fa;border-right:1px solid #d8dee4;padding:20px 22px;"
        "height:1220px}.nav{padding:3px 0}.sub{padding-left:16px;color:#57606a}.main{padding:22px "
        "40px;"
        "width:920px}h1{font-size:27px;margin:0 0 6px}h2{font-size:19px;margin:18px 0 "
        "6px;border-bottom:"
        "1px solid #d8dee4}table{width:100%}td,th{padding:5px 9px;border:1px solid "
        "#d8dee4;font-size:14px}"
        "th{background:#f6f8fa}td:first-child,pre{font-family:'Fira Code',monospace;font-size:13px}"
        "pre{background:#f6f8fa;padding:12px 16px;margin:6px "
        "0;line-height:1.5}.warn{border-left:4px solid "
        "#bf8700;background:#fff8c5;padding:8px 14px;margin:8px 0}.toc{width:240px;padding:26px "
        "10px;"
        "font-size:14px;color:#57606a;line-height:1.9}"
    )
    options = table(
        [("name", "Option"), ("type", "Type"), ("std", "Default"), ("max", "Limit"),
         ("what", "Meaning")],
        lines(
            """--chunk | size | 4 MiB | 64 MiB | how large a piece of a file is
            --threads | integer | 3 | 32 | uploads at the same time
            --retry | integer | 5 | 50 | attempts before a piece is given up
            --wait | seconds | 20 | 3600 | pause between two attempts
            --keep | days | 90 | 3650 | age at which old versions go
            --zip | 0 to 9 | 6 | 9 | how hard to compress
            --bandwidth | size/s | none | – | brake for slow lines
            --cipher | name | aegis-256 | – | cipher for the archive
            --skip | pattern | *.tmp | 200 | files to leave out, may be repeated
            --log | path | ~/.pail/log | – | where to write what happened
            --notify | address | none | 5 | mail when a run fails
            --dry | switch | off | – | only say what would be done"""
        ),
    )  # fmt: skip
    codes = table(
        [("code", "Code"), ("means", "Means"), ("do", "What to do")],
        lines(
            """0 | all files stored | nothing
            2 | some files could not be read | look into the log
            7 | archive locked by another run | wait, or run pail unlock
            11 | password wrong | try again; after 8 failures wait an hour
            19 | no room left | delete versions or buy space
            23 | clock differs by more than 5 min | set the clock"""
        ),
        "c",
        "hc-",
    )
    side = "".join(
        box(text(f"n{i}", name.strip()), "nav sub" if name.startswith(" ") else "nav")
        for i, name in enumerate(
            [
                "Getting started",
                " Install",
                " First backup",
                "Commands",
                " pail init",
                " pail push",
                " pail pull",
                " pail list",
                " pail unlock",
                "Guides",
                " Moving to a new disk",
                " Sharing with a team",
                " Servers",
                "Reference",
                " Settings file",
                " Exit codes",
                " File format",
                "Releases",
                "Licence",
            ]
        )
    )
    toc = ["On this page", "Synopsis", "Options", "Example", "Exit codes", "Limits", "See also"]
    body = (
        box(text("brand", "pail docs", "b") + " " + text("ver", "v2.8") + "<br><br>" + side, "side")
        + box(
            text("title", "pail push", "h1")
            + box(marked("Sends what has changed to the archive. ‹since-label:Available since› "
                         "‹since:version 0.9›; ‹repl:replaces› ‹old:pail sync›, which goes in "
                         "‹gone:version 3.0›."))
            + text("h-syn", "Synopsis", "h2") + "<pre>" + text("syn", "pail push [OPTION]... "
                                                                      "ARCHIVE "
                                                               "FOLDER...") + "</pre>"
            + text("h-opt", "Options", "h2") + options
            + box(marked("<b>Careful:</b> ‹w0:with --keep 0 every old version is deleted at once›, "
                         "and ‹w1:support cannot bring it back›."), "warn")
            + text("h-ex", "Example", "h2")
            + "<pre>" + marked("$ pail push --threads 8 --skip '*.iso' attic ~/photos\n"
                               "‹o0:scanned› 41,207 files in ‹o1:1 min 52 s›\n"
                               "‹o2:sent› ‹o3:318 new, 26 changed (4.7 GiB)›\n"
                               "‹o4:archive attic now› ‹o5:611 GiB of 1 TiB›") + "</pre>"
            + text("h-code", "Exit codes", "h2") + codes
            + text("h-lim", "Limits", "h2")
            + box(marked("‹l0-label:Longest path:› ‹l0:1,024 bytes› · ‹l1-label:Largest file:› "
                         "‹l1:16 TiB› · ‹l2-label:Archives per account:› ‹l2:25› · "
                         "‹l3-label:Requests per minute:› ‹l3:600›")),
            "main",
        )
        + box("".join(box(text(f"t{i}", name)) for i, name in enumerate(toc))
              + "<br>" + text("edit", "Edited 3 weeks ago by") + "<br>" + text("who", "Tove Aalto")
              + "<br>" + text("help", "Was this helpful? 87 % say yes"), "toc")
    )  # fmt: skip
    return Page("web-9", whole(css, body), 1420, 1220)


def car() -> Page:
    """Return the advertisement of a used van, printed out and scanned."""
    css = (
        "body{font:19px/1.4 'DejaVu Serif',serif;color:#222;background:#fff;padding:54px 70px}"
        "h1{font-size:32px;margin:6px 0 4px;line-height:1.2}.url{font-size:14px;color:#555;"
        "display:flex;"
        "justify-content:space-between}.price{font-size:36px;font-weight:700}.frame{display:flex;"
        "gap:34px;"
        "margin-top:14px}.photo{width:520px;height:290px;"
        "background:linear-gradient(170deg,#dcdcdc 55%,"
        "#8d8d8d 56%,#b5b5b5)}.small{display:flex;gap:8px;margin-top:8px}.small "
        "div{width:124px;height:70px;"
        "background:#b9b9b9}h2{font-size:22px;margin:18px 0 6px;border-bottom:2px solid "
        "#222}.facts{"
        "display:grid;grid-template-columns:1fr 1fr;gap:0 44px}.row{display:flex;justify-content:"
        "space-between;border-bottom:1px dotted #888;padding:4px 0}td,th{padding:4px "
        "10px;font-size:18px;"
        "border-bottom:1px solid #bbb}table{width:100%}p{margin:8px 0}"
    )
    facts = "".join(
        box(text(f"f{i}-name", name) + text(f"f{i}", value), "row")
        for i, (name, value) in enumerate(
            lines(
                """First registered | May 2017
                Mileage | 118,460 miles
                Engine | 2.0 l diesel, 102 bhp
                Gearbox | 6-speed manual
                Payload | 1,043 kg
                Load length | 2.75 m
                Roof height | 1.99 m outside
                Seats | 3
                MOT until | 9 November 2026
                Road tax | £345 a year
                Insurance group | 32E
                Previous keepers | 2
                Keys | 2, one with remote
                Emissions | Euro 6
                Towing weight | 1,850 kg braked
                Colour | pigeon grey"""
            )
        )
    )
    service = table(
        [("date", "Date"), ("mile", ">Miles"), ("what", "Work done"), ("where", "Garage"),
         ("cost", ">Cost")],
        lines(
            """Oct 2025 | 117,902 | front brakes, wipers | Dray & Son | £286
            Nov 2024 | 104,350 | MOT, exhaust clamp | Dray & Son | £91
            Mar 2024 | 96,118 | timing belt, water pump | Quayside Motors | £740
            Jun 2023 | 83,004 | two tyres, alignment | Tyre Barn | £214
            Sep 2022 | 70,561 | clutch and flywheel | Quayside Motors | £1,165
            Aug 2021 | 55,870 | oil, all filters | main dealer | £248""".replace("&", "&amp;")
        ),
    )  # fmt: skip
    body = (
        box(text("url", "https://www.secondspin.test/vans/4471902") + text("page", "1/1")
            + text("printed", "printed 06/12/2025, 21:14"), "url")
        + text("title", "Tarrant Courier 2.0 D medium van, well kept", "h1")
        + box(
            box(box("", "photo") + box("<div></div>" * 4, "small"))
            + box(marked(
                "<span class='price'>‹price:£8,750›</span> ‹vat:no VAT›<br>‹was-label:was› "
                "‹was:£9,400› "
                "until 28 November<br><br>‹s0-label:Seller:› ‹s0:Gwen Ashdown› (private)<br>"
                "‹s1-label:Where:› ‹s1:Pennard, 14 miles away›<br>‹s2-label:Viewing:› ‹s2:after 5 "
                "pm or "
                "Sundays›<br>‹s3-label:Phone:› ‹s3:07700 900 418›<br>‹s4-label:Ad no.:› "
                "‹s4:4471902›<br>"
                "‹s5-label:Seen by:› ‹s5:612 people›, ‹s6:saved 23 times›<br>‹s7-label:Swap:› "
                "‹s7:only for a small estate car›"), "", "line-height:1.55"),
            "frame",
        )
        + text("h0", "Details", "h2") + box(facts, "facts")
        + text("h1", "Service history", "h2") + service
        + text("h2", "What the seller says", "h2")
        + box(marked(
            "<p>Used for my flower shop, so it was never loaded heavily. ‹e0-label:Extras:› "
            "‹e0:roof bars, "
            "ply lining, reversing camera›. ‹e1-label:Heater:› ‹e1:parking heater with timer, "
            "fitted "
            "2021›.</p><p>‹d0-label:Known faults:› ‹d0:dent in the left rear door, aerial "
            "missing›. "
            "‹d1:The radio wants a code after the battery was changed:› ‹d2:I have it on a "
            "card›.</p>"
            "<p>‹t0-label:Test drives› ‹t0:only with your licence and proof of insurance›. "
            "‹t1-label:A deposit of› ‹t1:£200› ‹t2:holds it for a week›. No agents, no messages at "
            "night, please.</p>"))
    )  # fmt: skip
    return Page("web-10", whole(css, body), 1240, 1400, skew=-0.9, noise=2.2, blur=0.4, jpeg=55)


def pages() -> list[Page]:
    """Return the eleven pictures."""
    return [
        shop(),
        flights(),
        forum(),
        flat(),
        wiki(),
        recipe(),
        hotels(),
        townhall(),
        vacancy(),
        manual(),
        car(),
    ]
