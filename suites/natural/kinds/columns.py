"""Print in columns: newspapers, scientific papers, brochures, a newsletter, a magazine."""

# ruff: noqa: E501 - prose and styles stand on lines of their own length

import re

from markup import bar, box, curve, label, lines, marked, svg, table, text, whole
from page import Page

# An answer that goes over two lines would have a box as wide as the column: these stay together.
ANSWERS = "cost lastferry species fund ersatz rebate pocket age course fork cost-label boat"
KEEP = ",".join(f"#{key}" for key in ANSWERS.split()) + "{white-space:nowrap}p{margin:0 0 8px}"


def prose(block: str, key: str) -> str:
    """Return paragraphs with ids such as a0, a1; marks of ids are kept."""
    parts = [part.strip().replace("\n", " ") for part in block.strip().split("\n\n")]
    return "".join(
        f"<p>{text(f'{key}{i}', marked(part), 'b', look='x')}</p>" for i, part in enumerate(parts)
    )


def story(key: str, title: str, by: str, block: str, level: str = "h2") -> str:
    """Return an article: ids KEY-title, KEY-by, and its paragraphs."""
    return (
        text(f"{key}-title", title, level)
        + (text(f"{key}-by", by, "div", look="by") if by else "")
        + prose(block, key)
    )


CSS = KEEP + ".x{font-weight:inherit;white-space:normal}"


def courier() -> Page:
    """Return the front page of a local newspaper, scanned."""
    css = CSS + (
        "body{font:20px/1.36 'Liberation Serif',serif;background:#fbf9f2;color:#151515;padding:40px 50px}.head{text-align:center;font:700 84px/1 'EB Garamond',serif;border-bottom:4px double #111;padding-bottom:8px}"
        ".line{display:flex;justify-content:space-between;border-bottom:1px solid #111;padding:5px 0;font-size:18px;margin-bottom:14px}h1{font:700 50px/1.08 'EB Garamond';margin:0 0 8px}h2{font:700 29px/1.12 'EB Garamond';margin:0 0 6px}"
        ".by{font-size:17px;font-style:italic;margin-bottom:6px}p{text-align:justify;hyphens:auto}.grid{display:grid;grid-template-columns:2.05fr 1fr;gap:26px}.two{column-count:2;column-gap:24px}.cols{column-count:3;column-gap:24px;border-top:2px solid #111;margin-top:12px;padding-top:12px}.photo{height:250px;background:linear-gradient(#c9c5b9,#6f6b60);margin-bottom:4px}.cap{font-size:16px;font-style:italic;margin-bottom:8px}.boxed{border:2px solid #111;padding:10px 14px;margin-bottom:14px}.art{break-inside:avoid;margin-bottom:14px}"
    )
    lead = """EASTWOLD – The swing bridge over the Merrin will close to all traffic on ‹close:Monday 3 March› and will stay shut for ‹weeks:fourteen weeks›, the council said last night. Engineers found cracks in two of the bearings on which the bridge turns. The repair ‹cost-label:will cost› ‹cost:£2.4 million›, of which the county pays two thirds.

        “We looked at every way of keeping one lane open,” said the head of roads, ‹roads:Callum Treadgold›. “There is none that is safe.” Cars are sent over the bypass, which adds about ‹detour:eleven minutes› to the way from the Quay to the station. People on foot may use a ‹boat:small ferry›, which runs ‹ferry:every ten minutes› from six in the morning until ‹lastferry:half past ten› at night and is free of charge.

        Traders on the Quay fear for their spring. “Half of my customers come over that bridge,” said ‹baker:Ottoline Marsh›, who has run the bakery at its foot for ‹years:nineteen years›. The council has promised to waive ‹waive:market fees› as long as the works go on. A fund of £80,000 is meant to help those who can show that they lost more than a ‹third:third of their takings›.

        The bridge was built in ‹built:1911› by the firm of Hollis and Crane. It was last repaired in ‹repair:1978›, when the steam engine was replaced by an electric one. The old engine can be seen in the Harbour Museum, which will open on Sundays free of charge during the works."""
    side = [
        (
            "b",
            "School wins solar prize",
            "",
            "Pupils of ‹school:Larch Lane School› have won the county’s prize for young inventors with an oven that bakes bread by sunlight. The ‹pupils:five girls› of class 8B built it out of an old satellite dish. They will spend the prize of ‹prize:£1,500› on a trip to the wind park at Aberford.",
        ),
        (
            "c",
            "Lost parrot comes home",
            "",
            "A grey parrot that had been missing since ‹missing:New Year’s Eve› flew into the post office on Tuesday and asked for ‹asked:a second-class stamp›. Its owner, the retired teacher Mr ‹owner:Basil Crewe›, had it back within the hour.",
        ),
    ]
    more = [
        (
            "d",
            "Weather keeps fishing fleet in port",
            "By Mhairi Dunnet",
            "For the ‹nth:ninth day› running no boat left the harbour yesterday. The price of cod at the auction rose to ‹cod:£6.80 a kilo›. The skipper of the Guiding Light said that crews had begun to look for work ashore. The harbour master expects calmer seas from ‹calm:Saturday›.",
        ),
        (
            "e",
            "Choir looks for tenors",
            "",
            "The Eastwold Choral Society will sing the Winter Oratorio on ‹concert:12 April› and is short of tenors. Rehearsals are on ‹rehearse:Wednesdays at 7.30 pm› in the Methodist Hall. No one has to audition, says the conductor, ‹conductor:Piers Lamb›; “being able to count to four is enough”.",
        ),
        (
            "f",
            "Council in brief",
            "",
            "The bins in the Old Town will be emptied on ‹bins:Thursdays› from now on. – The fee for a beach hut rises to ‹hut:£410 a year›. – The library lends seeds as well as books from March. – A motion to ban drones over the park was lost by ‹votes:nine votes to six›.",
        ),
        (
            "g",
            "Football",
            "",
            "Eastwold Rovers 2, Thornaby 2. Two late goals by ‹scorer:Deng Akol› saved a point for the Rovers in front of ‹crowd:1,143 spectators›. They stay ‹rank:seventh› and travel to Pennard next week, without the goalkeeper Finch, who broke a ‹broke:thumb› in training.",
        ),
    ]
    body = (
        text("paper", "The Eastwold Courier", "div", look="head")
        + box(
            text("issue", "No. 14,882")
            + text("date", "Thursday, 20 February 2025")
            + text("price", "£1.60"),
            "line",
        )
        + box(
            box(
                text("a-title", "Swing bridge to shut for the spring", "h1")
                + text("a-by", "By Rowena Stagg", "div", look="by")
                + box("", "photo")
                + text(
                    "cap",
                    "The bridge on Wednesday morning. Photo: Idris Penhallow",
                    "div",
                    look="cap",
                )
                + box(prose(lead, "a"), "two")
            )
            + box(
                "".join(box(story(*part), "boxed") for part in side)
                + box(
                    text("in", "Inside", "h2")
                    + "".join(
                        box(marked(line))
                        for line in [
                            "‹i0:Letters› ........ ‹i0-page:4›",
                            "‹i1:Births and deaths› ........ ‹i1-page:6›",
                            "‹i2:What’s on› ........ ‹i2-page:7›",
                            "‹i3:Property› ........ ‹i3-page:9›",
                            "‹i4:Crossword› ........ ‹i4-page:12›",
                            "‹i5:Sport› ........ ‹i5-page:15›",
                        ]
                    ),
                    "boxed",
                )
                + box(
                    text("tide", "Tides today", "h2")
                    + box(marked("‹hi-label:High water› ‹hi:05.12 and 17.38›"))
                    + box(marked("‹lo-label:Low water› ‹lo:11.24 and 23.50›")),
                    "boxed",
                )
            ),
            "grid",
        )
        + box("".join(box(story(*part), "art") for part in more), "cols")
    )
    return Page("columns-0", whole(css, body), 1400, 1490, skew=0.7, noise=1.8, jpeg=60)


def paper() -> Page:
    """Return the first page of a scientific paper in two columns."""
    css = CSS + (
        "body{font:24px/1.38 'Liberation Serif',serif;background:#fff;color:#000;padding:80px 90px}h1{font-size:33px;text-align:center;margin:0 0 12px;line-height:1.2}.who{text-align:center;line-height:1.5;margin-bottom:16px}.two{column-count:2;column-gap:36px}h2{font-size:24px;margin:12px 0 6px}td,th{padding:4px 8px;font-size:20px}table{width:100%;border-top:2px solid #000;border-bottom:2px solid #000;margin:4px 0 10px}.tab{break-inside:avoid;font-size:20px}p{text-align:justify;hyphens:auto}.abs{font-size:22px}.foot{position:absolute;bottom:50px;left:90px;right:90px;font-size:16px;display:flex;justify-content:space-between;color:#333}.note{font-size:16px;border-top:1px solid #000;margin-top:10px;padding-top:6px}"
    )
    catches = table(
        [
            ("name", "Light"),
            ("june", ">June"),
            ("july", ">July"),
            ("aug", ">August"),
            ("dim", ">Dimmed"),
        ],
        lines(
            "White | 61.2 | 88.4 | 70.9 | 64.7\nAmber | 24.8 | 35.1 | 28.3 | 26.0\nRed | 12.9 | 18.8 | 15.2 | 14.6\nDark | 13.1 | 18.5 | 15.4 | –"
        ),
    )
    body = (
        text("title", "Night Lighting and the Flight of Moths: A Field Study along a Canal", "h1")
        + box(
            marked(
                "‹au0:Ingrid Solberg›¹, ‹au1:Tomás Aguirre›², ‹au2:Wen Xiu›¹*<br><i>¹ ‹af0:Institute of Ecology, University of Karsk›  ² ‹af1:School of Optics, Quebrada Alta›</i>"
            ),
            "who",
        )
        + "<div class='two'>"
        + text("h0", "Abstract", "h2")
        + box(
            prose(
                """Artificial light at night changes how insects move. We counted moths at ‹sites:36 lamps› along a canal during ‹nights:84 nights› and compared white, amber and red light. White lamps drew ‹times:4.7 times› as many moths as dark controls; amber lamps drew 1.9 times as many, and red lamps had ‹red:no measurable effect›. Dimming by half lowered the number caught by ‹dim:only 12 %›. We conclude that colour matters more than brightness.""",
                "a",
            ),
            "abs",
        )
        + box(
            marked("<b>‹kw-label:Keywords:›</b> ‹kw:light pollution, Lepidoptera, waterways›"),
            "abs",
        )
        + text("h1t", "1  Introduction", "h2")
        + prose(
            """Streets, paths and harbours are lit more brightly every year. The area of the earth that is lit at night grows by about ‹grow:2 per cent› a year [4], and many insects that fly at night are drawn to lamps, where they circle until they are exhausted or eaten. Moths pollinate plants that open after dusk, and they feed bats and birds; their decline, which in our region has reached ‹decline:a third since 1990› [7, 9], is therefore of wide concern.

        Most experiments have been made in gardens or laboratories. Much less is known about waterways, although the dark water with its lit banks may act as a trap. Here we use a canal of ‹canal:21 km› in the town of Karsk whose lamps were being replaced. This allowed us to choose the colour of every lamp for one summer.""",
            "b",
        )
        + text("h2t", "2  Methods", "h2")
        + prose(
            """The lamps stand on poles of ‹pole:4.5 m› at distances of 60 m. Twelve each were fitted with white (4,000 K), amber (1,800 K) and red (peak at ‹peak:660 nm›) modules, in random order; ‹controls:nine poles› were left dark. All lamps gave 1,500 lumen; in every second week they were dimmed to one half between ‹dimmed:23:00 and 05:00›.

        Moths were caught with funnel traps that were emptied at dawn, identified and set free. We used traps of the type ‹trap:Heath 6 W› without their own lamps. Catches on nights with rain of more than ‹rain:2 mm› or wind above 6 m/s were left out. The weather was recorded by a station on the roof of the ‹station:lock keeper’s house›.

        Counts were modelled with a negative binomial mixed model; site and night were random effects. The analysis was done in R, version ‹rver:4.3.2›, and the code is available from the authors. The work was approved by the nature agency under permit ‹permit:NA-2023-118›.""",
            "c",
        )
        + text("h3t", "3  Results", "h2")
        + prose(
            """We caught ‹total:18,406 moths› of ‹species:231 species›. The most common was the ‹common:setaceous hebrew character› with 2,112 animals. Three species had not been recorded in the county before. Table 1 gives the mean catch by colour. The largest catch of one night, ‹largest:417 moths›, was made at lamp 17 on a warm night in ‹largestmonth:late July›.

        The effect of white light was stronger over water than over land: on poles within ‹near:five metres› of the bank the ratio to dark controls rose to 6.2.""",
            "d",
        )
        + box(text("t1", "Table 1. Moths per lamp and night", "b") + catches, "tab")
        + box(
            marked(
                "* ‹corr-label:Corresponding author:› ‹corr:wen.xiu@ecology-karsk.test›. ‹fund-label:Funded by› ‹fund:the Lumen Foundation›, grant 77-031."
            ),
            "note",
        )
        + "</div>"
        + box(
            text("jour", "J. Nocturnal Ecol. 12 (2025) 201–214")
            + text("recv", "Received 9 October 2024, accepted 17 February 2025"),
            "foot",
        )
    )
    return Page("columns-1", whole(css, body), 1240, 1754, colours=16)


def anzeiger() -> Page:
    """Return a page of a German newspaper."""
    css = CSS + (
        "body{font:20px/1.36 'Noto Serif',serif;background:#fff;color:#111;padding:36px 46px}.top{display:flex;justify-content:space-between;border-bottom:3px solid #8c1c13;font:700 24px Lato;padding-bottom:6px;margin-bottom:16px}h1{font-size:42px;line-height:1.12;margin:0 0 8px}h2{font-size:25px;line-height:1.2;margin:0 0 4px}.by{font:16px Lato;color:#555;margin-bottom:6px}p{text-align:justify;hyphens:auto}"
        ".cols{column-count:4;column-gap:26px}.art{break-inside:avoid;margin-bottom:16px}.wide{column-count:3;column-gap:26px;border-bottom:1px solid #999;padding-bottom:8px;margin-bottom:14px}.boxed{background:#f3ece0;padding:12px 14px;break-inside:avoid;font:18px/1.45 Lato}"
    )
    lead = """AUENTAL. Nach drei Jahren Bauzeit öffnet das Hallenbad an der Walkmühle am ‹auf:Samstag, 8. November›, um ‹uhr:10 Uhr› wieder seine Türen. Die Sanierung hat ‹kosten:6,8 Millionen Euro› gekostet, rund 900.000 Euro mehr als geplant. Schuld daran war vor allem das ‹schuld:undichte Dach›, das komplett erneuert werden musste.

        Neu sind ein Becken für Kinder mit einer ‹rutsche:14 Meter langen› Rutsche, eine Sauna und ein Aufzug. Geheizt wird künftig mit der Abwärme der ‹waerme:Molkerei› nebenan. „Damit sparen wir ‹spar:210 Tonnen› Kohlendioxid im Jahr“, sagte Bürgermeisterin ‹bm:Gesine Althoff› bei der Begehung.

        Der Eintritt kostet für Erwachsene ‹eintritt:5,50 Euro›, für Kinder 2,80 Euro. Am ersten Wochenende ist er frei. Frühschwimmer dürfen dienstags und donnerstags ab ‹frueh:6 Uhr› ins Wasser. Der Schwimmverein, der in der Bauzeit nach ‹ausweich:Oberstetten› ausweichen musste, hat für seine Kurse schon ‹kurse:130 Anmeldungen›."""
    small = [
        (
            "b",
            "Storch brütet auf Baukran",
            "Von Henrik Lüders",
            "Ein Storchenpaar hat sich am Lindenplatz ausgerechnet einen Baukran als Nistplatz gesucht. Die Firma ‹firma:Brandl & Sohn› lässt ihn nun bis ‹kran:Mitte Juli› stehen. Der Vogelschutzbund zahlt einen Teil der Miete von ‹miete:1.150 Euro› in der Woche.",
        ),
        (
            "c",
            "Bus hält nicht am Markt",
            "",
            "Wegen des Stadtlaufs fahren die Linien 3 und 8 am Sonntag von 9 bis 14 Uhr eine Umleitung. Die Haltestelle Markt entfällt, ‹ersatz-label:Ersatz› ist in der ‹ersatz:Färbergasse›. Die Linie 5 fährt nur bis zum ‹linie5:Krankenhaus›.",
        ),
        (
            "d",
            "Apfelernte so gut wie nie",
            "",
            "Die Obstbauern im Auental haben ‹ernte:4.300 Tonnen› Äpfel gepflückt, so viel wie seit ‹seit:2009› nicht mehr. Für den Doppelzentner Mostobst gibt es derzeit ‹most:9 Euro›, im Vorjahr waren es 17. Der Lehrgarten verschenkt am Freitag ‹sorte:alte Sorten›.",
        ),
        (
            "e",
            "Einbruch im Sportheim",
            "",
            "Unbekannte sind in der Nacht zum Dienstag in das Heim des SV Auental eingestiegen. Sie nahmen ‹beute:zwei Beamer› und die Kaffeekasse mit. Der Schaden liegt bei ‹schaden:3.200 Euro›. Hinweise nimmt die Polizei unter ‹polizei:07300 555 110› entgegen.",
        ),
        (
            "f",
            "Chor feiert Jubiläum",
            "",
            "Die Liedertafel wird ‹jahre:125 Jahre› alt. Beim Festkonzert am 22. November in der Stadthalle singt auch der Kinderchor unter ‹leitung:Mareike Böhm›. Karten gibt es bei ‹karten:Buch Kessler› für 12 Euro.",
        ),
        (
            "g",
            "Glasfaser kommt später",
            "",
            "Der Ausbau in Niederauental verschiebt sich auf ‹glas:Frühjahr 2026›. Der Betreiber nennt fehlende Tiefbauer als Grund. ‹haus:Rund 640› Haushalte sind betroffen.",
        ),
    ]
    body = (
        box(
            text("paper", "Auentaler Anzeiger")
            + text("section", "Lokales")
            + text("date", "Mittwoch, 29. Oktober 2025 · Seite 9"),
            "top",
        )
        + text("a-title", "Das Bad ist fertig – und teurer als gedacht", "h1")
        + text("a-by", "Von Sabine Orth und Kilian Renz", "div", look="by")
        + box(prose(lead, "a"), "wide")
        + box(
            "".join(box(story(*part), "art") for part in small)
            + box(
                "<b>"
                + text("not", "Notdienste")
                + "</b><br>"
                + marked(
                    "‹ap-label:Apotheke:› ‹ap:Linden-Apotheke, Marktstr. 5›<br>‹za-label:Zahnarzt:› ‹za:Dr. Pohl, Tel. 555 204›<br>‹ti-label:Tierarzt:› ‹ti:Praxis am Wehr, Tel. 555 377›<br>‹st-label:Strom, Störung:› ‹st:0800 555 0700›"
                ),
                "boxed",
            )
            + box(
                "<b>"
                + text("mt", "Müllabfuhr")
                + "</b><br>"
                + marked(
                    "‹m0-label:Restmüll:› ‹m0:Montag›<br>‹m1-label:Papier:› ‹m1:5. November›<br>‹m2-label:Gelber Sack:› ‹m2:Freitag›<br>‹m3-label:Grüngut:› ‹m3:letztmals 14. November›"
                ),
                "boxed",
                "margin-top:12px",
            ),
            "cols",
        )
    )
    return Page("columns-2", whole(css, body, "de"), 1500, 990, language="de", colours=16)


def outdoor() -> Page:
    """Return a folded brochure of an outdoor centre, three columns across."""
    css = CSS + (
        "body{font:23px/1.4 Lato,sans-serif;background:#fff;color:#1d2b22;display:grid;grid-template-columns:1fr 1fr 1fr}.c{padding:44px 40px;height:1240px;border-right:1px dashed #bbb}h1{font-size:44px;line-height:1.1;margin:0 0 10px;color:#fff}.cover{background:linear-gradient(#2f6b4f,#173a2b);color:#fff}h2{font-size:29px;margin:14px 0 6px;color:#2f6b4f}td,th{padding:7px 8px;font-size:22px;border-bottom:1px solid #cfdcd4}table{width:100%}.big{font-size:27px}"
    )
    tours = table(
        [("name", "Course"), ("days", "Length"), ("age", "From age"), ("cost", ">Price")],
        lines(
            """Kayak taster | 3 h | 8 | £38
            River guide | 2 days | 16 | £164
            Climbing, indoor | 2 h | 6 | £22
            Climbing, crag | 1 day | 12 | £85
            Caving | 5 h | 10 | £59
            Raft building | 4 h | 8 | £31
            Night hike | 3 h | 7 | £15
            Survival camp | 3 days | 14 | £210
            Archery | 90 min | 8 | £19
            Canyoning | 6 h | 15 | £96"""
        ),
    )
    left = (
        text("h0", "Before you come", "h2")
        + prose(
            """You need no experience. We lend helmets, ropes and wetsuits (up to size ‹size:XXL›) at no charge. Please bring ‹bring:old trainers›, a towel and dry clothes. Glasses should be tied on; lockers take a ‹coin:£1 coin›.

        Groups of more than ‹group:twelve people› get their own guide and ‹rebate:15 % off›. School classes should book ‹ahead:six weeks ahead›.""",
            "a",
        )
        + text("h1t", "If the weather turns", "h2")
        + prose(
            """We go out in rain, but not in ‹storm:thunder or gales›. If we have to call a course off, you choose between another date and ‹refund:your money back›. If you cancel yourself, we keep ‹keep:20 per cent› up to a week before and the full price after that.""",
            "b",
        )
        + text("h2t", "Sleep and eat", "h2")
        + prose(
            """The bunkhouse has ‹beds:44 beds› in rooms of four and six. A night costs ‹night:£24.50› with sheets. Breakfast is served from ‹breakfast:7.30 to 9.30›. The café closes on ‹cafe:Mondays› in winter. Dogs are welcome in the ‹dogs:camping field› only.""",
            "c",
        )
    )
    middle = (
        text("h3t", "Courses and prices 2025", "h2")
        + tours
        + box(
            marked(
                "Family card: two adults and their children for ‹family:£69› on any half-day course. Gift vouchers are valid for ‹voucher:three years›."
            ),
            "",
            "margin-top:10px",
        )
        + text("h4t", "Season", "h2")
        + box(
            marked(
                "‹se0-label:Water:› ‹se0:1 April – 26 October›<br>‹se1-label:Caves:› ‹se1:all year, not in the bat weeks›<br>‹se2-label:Crag:› ‹se2:March – November›<br>‹se3-label:Office:› ‹se3:daily 8.30 am – 5 pm›"
            ),
            "",
            "line-height:1.6",
        )
        + text("h5t", "Safety", "h2")
        + prose(
            """All guides hold a first-aid certificate that is renewed ‹aid:every two years›. Our ropes are replaced after ‹rope:300 climbs›. We are inspected by the ‹inspect:Adventure Board›, licence ‹lic:R 2081›.""",
            "s",
        )
    )
    cover = (
        text("title", "Ravenscleugh Outdoor Centre", "h1")
        + box(text("claim", "Rock, river and rain since 1986"), "big")
        + "<br>"
        + box(
            marked(
                "<b>Find us</b><br>Old Quarry Road, Ravenscleugh<br>‹bus-label:Bus:› ‹bus:line 61 to Quarry Gate›<br>‹train-label:Train:› ‹train:Anstow, then 25 minutes on foot›<br>‹car-label:Car:› leave the A77 at ‹exit:exit 12›; parking ‹park:£4 a day›"
            ),
            "",
            "line-height:1.6",
        )
        + "<br>"
        + box(
            marked(
                "<b>Book</b><br>‹tel-label:Phone› ‹tel:01835 555 062›<br>‹mail:hello@ravenscleugh.test›<br>‹deposit-label:Deposit:› ‹deposit:£10 per person›"
            ),
            "",
            "line-height:1.6",
        )
        + "<br>"
        + box(
            marked(
                "<b>Special days</b><br>‹d0:Sun 4 May›: ‹d0-what:open day, free climbing›<br>‹d1:Sat 21 June›: ‹d1-what:midsummer paddle›<br>‹d2:Sat 30 August›: ‹d2-what:raft race›<br>‹d3:Fri 31 October›: ‹d3-what:cave of ghosts›"
            ),
            "",
            "line-height:1.6",
        )
        + "<br>"
        + box(
            marked(
                "Wheelchair users: the jetty, the archery range and the ‹wheel:indoor wall› can be reached without steps. Please tell us in advance."
            )
        )
    )
    body = box(left, "c") + box(middle, "c") + box(cover, "c cover")
    return Page("columns-3", whole(css, body), 1754, 1240, colours=48)


def newsletter() -> Page:
    """Return the newsletter of a school, a sidebar beside two columns."""
    css = CSS + (
        "body{font:22px/1.42 'Open Sans',sans-serif;background:#fff;color:#222;padding:50px 60px}.top{background:#274c77;color:#fff;padding:22px 30px;display:flex;justify-content:space-between;align-items:end}.top b{font-size:42px}.frame{display:grid;grid-template-columns:2.3fr 1fr;gap:34px;margin-top:22px}.two{column-count:2;column-gap:30px}h2{font-size:25px;line-height:1.2;margin:0 0 6px;color:#274c77}.side{background:#e7ecef;padding:20px 22px;font-size:20px;line-height:1.5}.art{break-inside:avoid;margin-bottom:18px}.by{font-size:17px;color:#666}h3{font-size:21px;margin:14px 0 4px;color:#274c77}"
    )
    items = [
        (
            "a",
            "A word from the head",
            "Ms Abena Frimpong",
            "Spring is here, and with it the noise of builders: the new ‹hall:dining hall› is on schedule and will open after the ‹after:Whitsun holidays›. Until then lunch is eaten in two sittings, at 11.50 and ‹second:12.40›. Please remind your children to bring a ‹bottle:water bottle›, as the fountain by the gym is switched off.",
        ),
        (
            "b",
            "Trip of year 6",
            "",
            "Year 6 travels to ‹trip:Skerry Bay› from 12 to 16 May. The price is ‹tripcost:£186›, to be paid in two parts by ‹pay1:4 April› and 2 May. Families who find this hard can write in confidence to the office; the parents’ fund has ‹fund:£2,300› to give. Pupils may bring no more than ‹pocket:£20› of ‹pocket-label:pocket money›, and no telephones.",
        ),
        (
            "c",
            "Head lice again",
            "",
            "There are cases in classes ‹lice:2A and 4C›. Please check hair tonight and once more after ‹lice2:nine days›. Children may come back to school as soon as they have been treated; we need no note from the doctor.",
        ),
        (
            "d",
            "Library",
            "",
            "We have ‹books:312 new books› thanks to the spring fair, which raised ‹raised:£1,874›. Books that are overdue cost nothing, but please bring them back. Mr ‹lib:Oakeshott› looks for helpers on Tuesday mornings.",
        ),
        (
            "e",
            "Crossing Mill Road",
            "",
            "Our crossing guard Mrs Pell retires after ‹pell:twenty-two years›. From 1 April ‹guard:Desmond Achebe› takes over. Please do not stop on the yellow lines; the council now fines drivers ‹fine:£70›.",
        ),
        (
            "f",
            "Music",
            "",
            "Places are free for ‹music:cello and trombone›. Lessons of half an hour cost ‹lesson:£16.50›, instruments are lent for £8 a month. The summer concert is on ‹concert:26 June› in St Orrin’s.",
        ),
        (
            "g",
            "Sports day moved",
            "",
            "Because the field is still soft, sports day moves from 2 May to ‹sports:Friday 6 June›. Parents are asked to help at the ‹stall:cake stall› and with stopwatches. The fathers’ tug of war lost last year; training is on Sundays.",
        ),
    ]
    dates = lines(
        "17 Mar | Class photographs\n21 Mar | Red nose day\n28 Mar | Term ends at 1.30 pm\n14 Apr | Term begins\n22 Apr | Eye tests, year 1\n29 Apr | Parents’ evening 6–8 pm\n5 May | Bank holiday\n23 May | Inset day, no school"
    )
    side = (
        text("dates", "Dates", "h3")
        + "".join(
            box(text(f"day{i}", day, style="font-weight:700") + " " + text(f"day{i}-what", what))
            for i, (day, what) in enumerate(dates)
        )
        + text("lunch", "Lunch this week", "h3")
        + "".join(
            box(text(f"l{i}", day) + ": " + text(f"l{i}-what", what))
            for i, (day, what) in enumerate(
                lines(
                    "Mon | pasta with peas\nTue | fish pie\nWed | lentil soup, pancakes\nThu | chicken curry\nFri | jacket potatoes"
                )
            )
        )
        + text("office", "Office", "h3")
        + box(
            marked(
                "‹off-label:Open› ‹off:8.15 am – 3.45 pm›<br>‹sick-label:Report illness by› ‹sick:8.45 am›<br>‹tel:01835 555 090›<br>‹nurse-label:School nurse:› ‹nurse:Thursdays, Jo Whitlam›<br>‹club-label:After-school club:› ‹club:until 6 pm, £7.20›"
            )
        )
        + text("found", "Found", "h3")
        + box(marked("a red scarf, one roller skate, ‹found0:a recorder›, three lunch boxes"))
    )
    body = box(
        "<b>" + text("title", "Larch Lane News") + "</b>" + text("issue", "No. 23 · 14 March 2025"),
        "top",
    ) + box(
        box("".join(box(story(*part), "art") for part in items), "two") + box(side, "side"), "frame"
    )
    return Page("columns-4", whole(css, body), 1240, 1250, skew=-1.3, noise=1.8, jpeg=60)


def musee() -> Page:
    """Return the leaflet of a museum, French."""
    css = CSS + (
        "body{font:25px/1.42 'EB Garamond',serif;background:#fbf7ef;color:#2a2018;display:grid;grid-template-columns:1fr 1fr 1fr;gap:0}.c{padding:46px 38px;height:1180px}.c+.c{border-left:1px solid #cdbfa8}h1{font-size:50px;line-height:1.05;margin:0 0 8px;color:#7b2d26}h2{font-size:33px;margin:16px 0 6px;color:#7b2d26}td,th{padding:6px 8px;font-size:25px;border-bottom:1px dotted #b7a68c}table{width:100%}.photo{height:220px;background:linear-gradient(140deg,#d8c3a0,#8a6d4b);margin:8px 0}"
    )
    fees = table(
        [("name", "Billet"), ("full", ">Plein"), ("less", ">Réduit")],
        lines(
            "Collections permanentes | 9 € | 6 €\nExposition temporaire | 12 € | 8 €\nBillet jumelé | 16 € | 11 €\nVisite guidée | 5 € | 3 €\nAtelier enfants | 7 € | 5 €\nCarte annuelle | 38 € | 24 €"
        ),
    )
    left = (
        text("title", "Musée de la Batellerie", "h1")
        + text("town", "Port-Valombre", "div")
        + box("", "photo")
        + prose(
            """Installé dans une ancienne ‹ancien:minoterie› de 1864, le musée raconte la vie des mariniers du canal. Il conserve ‹objets:3 700 objets›, dont la péniche ‹peniche:Bonne Espérance›, amarrée devant l’entrée et restaurée en ‹restaure:2016›.

        Ne manquez pas la maquette de l’écluse double, longue de ‹maquette:huit mètres›, que l’on peut faire fonctionner soi-même, ni le carnet de bord de la batelière ‹bateliere:Eugénie Labat›, prêté par sa famille.""",
            "a",
        )
        + text("h0", "Exposition de l’été", "h2")
        + prose(
            """« Chevaux de halage », du ‹expo:14 juin au 2 novembre›. Cent vingt photographies de ‹photographe:Lucien Ferrand› montrent les derniers attelages du canal. Le catalogue (‹catalogue:29 €›) est en vente à la boutique.""",
            "b",
        )
    )
    middle = (
        text("h1t", "Tarifs", "h2")
        + fees
        + "<p style='margin-top:10px'>"
        + marked(
            "Gratuit pour les moins de ‹gratuit:douze ans› et pour tous le ‹dimanche:premier dimanche› du mois. Tarif réduit : étudiants, demandeurs d’emploi, groupes de plus de ‹groupe:dix personnes›."
        )
        + "</p>"
        + text("h2t", "Horaires", "h2")
        + box(
            marked(
                "‹ho0-label:Avril à septembre :› ‹ho0:10 h – 19 h›<br>‹ho1-label:Octobre à mars :› ‹ho1:10 h – 17 h 30›<br>‹ho2-label:Nocturne :› ‹ho2:jeudi jusqu’à 21 h›<br>‹ho3-label:Fermé :› ‹clos:mardi›, 1er mai, 25 décembre"
            ),
            "",
            "line-height:1.6",
        )
        + "<p style='margin-top:8px'>"
        + marked("Dernière entrée ‹derniere:45 minutes› avant la fermeture.")
        + "</p>"
        + text("h3t", "Avec les enfants", "h2")
        + prose(
            """Un livret-jeu est remis à l’accueil. Les poussettes peuvent être laissées au ‹poussette:vestiaire›. L’atelier « nœuds marins » a lieu le mercredi à ‹noeuds:14 h 30›, à partir de ‹age:sept ans›. Goûter d’anniversaire sur réservation.""",
            "c",
        )
    )
    right = (
        text("h4t", "Venir au musée", "h2")
        + box(
            marked(
                "12, quai des Tanneurs<br>‹tram-label:Tramway :› ‹tram:ligne B, arrêt Vieux-Port›<br>‹velo-label:Vélo :› ‹velo:station n° 47›<br>‹park-label:Parking :› ‹park:place de la Grue, gratuit le soir›<br>‹bateau-label:Bateau-bus :› ‹bateau:toutes les 40 minutes›"
            ),
            "",
            "line-height:1.6",
        )
        + text("h5t", "Accessibilité", "h2")
        + prose(
            """Le rez-de-chaussée et le premier étage sont accessibles en fauteuil. La cale de la péniche ‹cale:ne l’est pas›. Des boucles auditives et des maquettes tactiles sont prêtées contre une pièce d’identité. Les chiens guides sont bienvenus.""",
            "d",
        )
        + text("h6t", "Le café des Éclusiers", "h2")
        + prose(
            """Au bord de l’eau, plat du jour à ‹plat:13,50 €›. Spécialité : la ‹specialite:matelote d’anguille›. Terrasse de mai à septembre. Réservation : ‹cafe:04 99 55 01 38›.""",
            "e",
        )
        + text("h7t", "Rendez-vous", "h2")
        + box(
            marked(
                "‹r0:17 mai› : ‹r0-quoi:Nuit des musées, concert sur l’eau›<br>‹r1:5 juillet› : ‹r1-quoi:joutes nautiques›<br>‹r2:20 septembre› : ‹r2-quoi:visite des réserves›<br>‹r3:11 octobre› : ‹r3-quoi:bourse aux maquettes›"
            ),
            "",
            "line-height:1.55",
        )
        + box(
            marked(
                "‹contact-label:Renseignements :› ‹contact:04 99 55 01 22›<br>‹mail:accueil@batellerie-valombre.test›"
            ),
            "",
            "margin-top:14px",
        )
    )
    body = box(left, "c") + box(middle, "c") + box(right, "c")
    return Page("columns-5", whole(css, body, "fr"), 1680, 1180, language="fr", colours=64)


def results() -> Page:
    """Return a page of results of a scientific paper, with a table and a figure."""
    css = CSS + (
        "body{font:21px/1.4 'Noto Serif',serif;background:#fff;color:#000;padding:64px 80px}.run{display:flex;justify-content:space-between;font-size:16px;border-bottom:1px solid #000;padding-bottom:4px;margin-bottom:14px}.two{column-count:2;column-gap:36px}h2{font:700 22px 'Liberation Sans';margin:12px 0 6px}p{text-align:justify;hyphens:auto}.tab{break-inside:avoid;font:17px/1.3 'Liberation Sans';margin-bottom:12px}svg{display:block}td,th{padding:5px 7px;font-size:19px}table{width:100%;border-top:2px solid #000;border-bottom:2px solid #000;margin-top:4px}thead{border-bottom:1px solid #000}.fig{break-inside:avoid;font:17px/1.3 'Liberation Sans';margin-bottom:10px}.refs{font-size:16px;line-height:1.35}"
    )
    outcome = table(
        [
            ("name", "Group"),
            ("n", ">n"),
            ("start", ">Week 0"),
            ("six", ">Week 6"),
            ("end", ">Week 12"),
            ("p", ">p"),
        ],
        lines(
            """Placebo | 58 | 41.2 | 39.8 | 38.9 | –
            Exercise | 61 | 40.7 | 35.1 | 30.4 | .012
            Drug, 10 mg | 57 | 42.0 | 36.6 | 33.7 | .048
            Drug, 20 mg | 60 | 41.5 | 33.9 | 29.8 | .006
            Both | 59 | 41.9 | 31.2 | 24.6 | &lt;.001"""
        ),
    )
    harm = table(
        [("name", "Side effect"), ("plac", ">Placebo"), ("low", ">10 mg"), ("high", ">20 mg")],
        lines(
            "Headache | 9 % | 11 % | 14 %\nNausea | 3 % | 8 % | 17 %\nDry mouth | 2 % | 12 % | 21 %\nDizziness | 4 % | 5 % | 9 %\nRash | 1 % | 1 % | 2 %"
        ),
        "s",
        "hs-",
    )
    tops = {
        "Placebo": (41.2, 39.8, 38.9),
        "Both": (41.9, 31.2, 24.6),
        "Exercise": (40.7, 35.1, 30.4),
    }
    parts = bar(50, 10, 420, 200, "#f4f4f4")
    for i, (name, values) in enumerate(tops.items()):
        spots = [(60 + k * 170, 200 - (value - 20) * 8) for k, value in enumerate(values)]
        parts += curve(spots, ["#999", "#000", "#555"][i], 3, ["6 5", "", "2 4"][i]) + label(
            f"g{i}", 408, spots[-1][1] + 5, name, 15
        )
    parts += "".join(
        label(f"w{k}", 60 + k * 170, 230, f"week {k * 6}", 15, "middle") for k in range(3)
    )
    body = (
        box(text("run", "Okonjo et al.: Back pain in bus drivers") + text("page", "417"), "run")
        + "<div class='two'>"
        + text("h0", "3.1 Participants", "h2")
        + prose(
            """Of 402 drivers who were asked, ‹joined:295› took part; ‹drop:eleven› dropped out, most of them because they changed their shift. The ‹age-label:median age was› ‹age:47 years› and 23 % were women. The depots in ‹depots:Grunau and Sandvik› sent the most participants. On average they had driven for ‹driven:16.4 years›, and half of them sat on seats without ‹springs:air springs›.""",
            "a",
        )
        + text("h1t", "3.2 Pain", "h2")
        + prose(
            """Table 2 gives the score of pain (0 to 100) by group. The drop was largest in those who had both treatments, in whom it came to ‹dropped:17.3 points›. The difference between the two doses was not significant (p = ‹dose:.21›). Drivers on ‹night:night shifts› gained least. After the end of the study the effect of exercise lasted for at least ‹lasted:nine months›, whereas that of the drug was gone after ‹gone:five weeks›.""",
            "b",
        )
        + box(text("t2", "Table 2. Mean pain score by group and week", "b") + outcome, "tab")
        + text("h2t", "3.3 Side effects", "h2")
        + prose(
            """Side effects are listed in Table 3. Two persons stopped the drug because of ‹stopped:palpitations›. There was one serious event, a ‹serious:fall from a ladder›, which the board judged to be unrelated. Blood pressure rose by ‹bp:2.1 mmHg› on the high dose.""",
            "c",
        )
        + box(text("t3", "Table 3. Side effects", "b") + harm, "tab")
        + text("h3t", "3.4 Days off work", "h2")
        + prose(
            """In the year before the study the drivers had been off work for a mean of ‹off:13.6 days›; in the year after it this fell to ‹offafter:8.1 days› with exercise. The firm saved ‹saved:€1,140› per driver, while a course ‹course-label:of exercise costs› ‹course:€260›. It runs twice a week in the ‹canteen:canteen of the depot› and takes 40 minutes.""",
            "d",
        )
        + box(
            svg(480, 240, parts) + text("f2", "Fig. 2. Pain over time in three of the groups", "b"),
            "fig",
        )
        + text("h4t", "4 Discussion", "h2")
        + prose(
            """Exercise at work is cheap and works about as well as the higher dose. Our study has limits: participants knew whether they exercised, and all worked for ‹firm:one company›. Seats were not changed. A trial with ‹next:truck drivers› has begun and will report in ‹report:2027›.

        The authors thank ‹thanks:Hilde Moser› for the statistics and the drivers for their patience. The data are stored at ‹data:openspine.test/d/5512›. L. O. has received lecture fees from ‹fees:Medora Pharma›; the other authors declare no conflict of interest.""",
            "e",
        )
        + text("h5t", "References", "h2")
        + box(
            marked(
                "[1] Abt, K.: Seats and spines. ‹ref0:Ergon. Rev. 31 (2018) 7›.<br>[2] Dray, P., Ilves, M.: Vibration in city buses. ‹ref1:J. Transp. Health 9 (2021) 88›.<br>[3] Nkemelu, C.: Training at the depot. ‹ref2:Work 55 (2016) 301›."
            ),
            "refs",
        )
        + "</div>"
    )
    return Page("columns-6", whole(css, body), 1240, 1560, skew=0.6, noise=1.8, blur=0.4, jpeg=60)


def magazine() -> Page:
    """Return a page of a garden magazine."""
    css = CSS + (
        "body{font:22px/1.42 Lato,sans-serif;background:#fff;color:#222;padding:50px 56px}h1{font:700 60px/1.02 'EB Garamond';margin:0 0 8px;color:#3c5a2a}.sub{font-size:26px;line-height:1.3;color:#555;margin-bottom:16px}.frame{display:grid;grid-template-columns:2fr 1fr;gap:36px}.two{column-count:2;column-gap:30px}.side{background:#eef3e6;padding:20px 24px;font-size:20px;line-height:1.48}h2{font-size:25px;margin:0 0 6px;color:#3c5a2a}h3{font-size:22px;margin:12px 0 2px;color:#3c5a2a}.photo{height:280px;background:linear-gradient(120deg,#a7c08a,#4d6b35);margin-bottom:14px}.q{font:italic 33px/1.2 'EB Garamond';color:#3c5a2a;margin:8px 0;break-inside:avoid}.foot{margin-top:14px;font-size:17px;color:#777;display:flex;justify-content:space-between}"
    )
    talk = """You can smell it before you see it: the garden of Philippa Thorne lies behind a hedge of ‹hedge:sweet briar› at the end of Tanner’s Lane. She bought the plot ‹bought:eleven years ago›, when it was a car park. “Under the asphalt there was nothing but ‹under:brick and clinker›,” she says. It took ‹loads:sixty loads› of compost until the first potato grew.

    Today ‹kinds:140 kinds› of vegetables stand on barely 900 square metres. She digs ‹dig:never›, waters seldom and mulches with wool, which she gets from a farmer in exchange for ‹exchange:rhubarb jam›. Her best friend against slugs is a ‹slugs:toad called Gerald›, who lives beneath the water butt.

    Her great love is beans. She grows ‹beans:38 varieties›, most of them gifts. The oldest, a purple runner bean, came from her grandmother, who carried the seeds out of ‹bean:Karsk› sewn into the hem of a coat. “You can only keep a bean by ‹keepbean:giving it away›,” is her motto. In March she opens the gate and swaps seeds with anybody who comes.

    Not everything works. Aubergines have failed ‹fail:four times›, and last summer badgers ate the whole of the ‹badger:sweetcorn› in one night. She took it calmly and wrote a poem. A book of these poems, ‹book:Clods and Clouds›, comes out in ‹bookwhen:September›.

    What would she tell a beginner? “Start with ‹start:a single bed›, one metre by two. Sow radishes, because they are quick, and ‹sow:chard›, because it forgives. And sit down in it. A garden without a ‹bench:bench› is only work.” She herself sits there every morning from five, with tea and the dog, and listens."""
    side = (
        text("jobs", "Jobs for May", "h2")
        + "".join(
            box(marked(line), "", "margin-bottom:7px")
            for line in [
                "‹j0:Tomatoes:› plant out after the ‹j0-when:15th›, 60 cm apart",
                "‹j1:Beans:› sow ‹j1-when:5 cm› deep, five to a pole",
                "‹j2:Courgettes:› two plants feed ‹j2-when:four people›",
                "‹j3:Box hedge:› clip on a ‹j3-when:dull day›",
                "‹j4:Lawn:› first feed, ‹j4-when:30 g per m²›",
                "‹j5:Strawberries:› lay ‹j5-when:straw› under the fruit",
            ]
        )
        + text("tip", "Nettle feed", "h3")
        + box(
            marked(
                "Soak ‹nettle:1 kg› of nettles in ‹litres:ten litres› of water for ‹soak:two weeks›. Stir daily. Thin it ‹thin:one to ten› before use."
            )
        )
        + text("visit", "Visit", "h3")
        + box(
            marked(
                "‹visit0-label:Garden open:› ‹visit0:first Sunday of the month, 2–5 pm›<br>‹visit1-label:Entry:› ‹visit1:£3 or a packet of seeds›<br>‹visit2-label:Seed swap:› ‹visit2:22 March›"
            )
        )
        + text("moon", "Readers ask", "h3")
        + box(
            marked(
                "<i>‹fork-label:Why do my carrots fork?›</i> ‹fork:Stones or fresh manure› in the soil. Sow them where you grew ‹where:leeks› last year.<br><i>White dust on the sage?</i> Mildew. Cut back hard and spray with ‹spray:milk and water›."
            )
        )
    )
    body = (
        text("title", "The bean keeper of Tanner’s Lane", "h1")
        + text(
            "sub",
            "How a bookbinder turned a car park into the richest garden of Eastwold. Text: Jory Pascoe, pictures: Lin Aveling",
            "div",
            look="sub",
        )
        + box(box(box("", "photo") + box(prose(talk, "a"), "two")) + box(side, "side"), "frame")
        + box(
            text("mag", "Spade & Sparrow".replace("&", "&amp;"))
            + text("num", "May 2025")
            + text("pno", "31"),
            "foot",
        )
    )
    return Page("columns-7", whole(css, body), 1300, 1330, skew=2.2, blur=0.5, noise=1.8, jpeg=60)


def adverts() -> Page:
    """Return a page of small advertisements in four columns, scanned."""
    css = CSS + (
        "body{font:23px/1.28 'Liberation Sans Narrow',sans-serif;background:#f8f5ec;color:#111;"
        "padding:50px "
        "60px}.head{display:flex;justify-content:space-between;align-items:baseline;"
        "border-bottom:5px "
        "solid #111;margin-bottom:12px}h1{font:400 56px 'Bebas Neue';margin:0}.cols{column-count:4;"
        "column-gap:22px;column-rule:1px solid #777}h2{background:#111;color:#f8f5ec;"
        "font-size:24px;margin:"
        "2px 0 7px;padding:3px 9px;break-after:avoid}p{margin:0 0 "
        "8px;break-inside:avoid;border-bottom:1px "
        "dotted #777;padding-bottom:5px}span[id$=tel],.n{white-space:nowrap}.foot{border-top:2px "
        "solid "
        "#111;margin-top:10px;padding-top:6px;font-size:20px}"
    )
    groups = [
        ("Lost and found", """
            LOST near Swan Lock, tabby cat, white socks, answers to ‹cat:Biscuit›. Reward \
            ‹cat-pay:£60›. ‹cat-tel:0555 0131›
            FOUND on the 14 bus: ‹ring:a silver ring›, engraved “M. to T. 1988”. Ask at the \
            ‹ring-at:bus depot, Ropewalk›.
            LOST, ‹drone:grey drone›, Gallows Hill, Sunday. Contains holiday film. \
            ‹drone-tel:0555 0187›"""),
        ("Pets and animals", """
            PUPPIES, ‹pup:border terriers›, four left, chipped, ready ‹pup-when:9 August›. \
            ‹pup-pay:£850 each›. Bramble Farm, ‹pup-tel:0555 0166›
            HENS, point of lay, Light Sussex, ‹hen-pay:£18›, six for £100. Saturdays only. \
            ‹hen-tel:0555 0119›
            WANTED: good home for two ‹goat:elderly goats›, free. ‹goat-tel:0555 0142›"""),
        ("For sale", """
            UPRIGHT PIANO, ‹pia:Harmsen, 1926›, tuned in May. Buyer collects. \
            ‹pia-pay:£240 o.n.o.› ‹pia-tel:0555 0155›
            LAWN TRACTOR, 92 cm cut, new belt, ‹trac-pay:£1,150›. ‹trac-tel:0555 0173›
            COT, beech, with mattress, ‹cot-pay:£45›. Smoke-free home. ‹cot-tel:0555 0108›
            400 ROOF TILES, clay, red, ‹tile-pay:70p each›. Quarry Cottage, evenings. \
            ‹tile-tel:0555 0121›
            CANOE, two seats, 4.9 m, paddles, one patch, ‹can-pay:£320›. ‹can-tel:0555 0190›
            RECORDS, about 600, mostly jazz, ‹rec-pay:£500 the lot›, will not split. \
            ‹rec-tel:0555 0137›"""),
        ("Rooms and flats", """
            BEDSIT over the chandler’s, own door, ‹bed-pay:£410 a month›, bills extra. No \
            smokers. ‹bed-tel:0555 0114›
            ROOM for a student, garden, piano allowed, ‹stu-pay:£95 a week› with breakfast. Mrs \
            Ives, ‹stu-tel:0555 0160›
            TWO-BED FLAT, Harbour Court, lift, sea view, ‹flat-pay:£875›, from \
            ‹flat-when:1 September›. ‹flat-tel:0555 0148›
            GARAGE to let, Mill Row, dry, ‹gar-pay:£55 a month›. ‹gar-tel:0555 0129›"""),
        ("Work", """
            BAKER’S HAND, 4 am to 11 am, five days, ‹bak-pay:£13.60 an hour›. Crust & Co., \
            ‹bak-tel:0555 0102›
            DRIVER, school minibus, D1 licence, term time, ‹dri-pay:£74 a day›. ‹dri-tel:0555 0183›
            CLEANER, surgery, ‹cle-when:Mon, Wed, Fri from 6 pm›, ‹cle-pay:£12.90 an hour›. \
            ‹cle-tel:0555 0151›
            FRUIT PICKERS, July to September, tent pitch free. ‹fru-by:Apply by 30 June›: Lowick \
            Orchards."""),
        ("Services", """
            SWEEP, vacuum and brush, certificate, ‹swe-pay:£58 a flue›. J. Tarr, ‹swe-tel:0555 0177›
            MATHS LESSONS, all ages, retired teacher, ‹mat-pay:£24 an hour›, first one free. \
            ‹mat-tel:0555 0133›
            TREE SURGEON, insured, logs for sale at ‹log-pay:£90 a load›. ‹log-tel:0555 0195›
            CLOCKS repaired, collected and brought back. ‹clo:Twelve months’ guarantee›. \
            ‹clo-tel:0555 0110›
            ACCORDION for weddings, ‹acc-pay:£180 an evening›, own amplifier. \
            ‹acc-tel:0555 0169›"""),
        ("Meetings", """
            WALKERS’ CLUB, ‹walk:Sunday 9.15 am›, Market Cross. Six miles, dogs on leads. \
            ‹walk-by:Bring a packed lunch›.
            CHESS for all, ‹chess:Tuesdays at 7 pm›, back room of the Dolphin. Boards provided.
            BLOOD DONORS, Corn Hall, ‹blood:Friday 18 July›, 1 pm to 7 pm. Book on \
            ‹blood-tel:0555 0100›.
            REPAIR CAFÉ, first Saturday, 10 to 1, ‹rep:Methodist schoolroom›. Toasters welcome."""),
    ]  # fmt: skip
    words = ""
    for i, (name, block) in enumerate(groups):
        words += text(f"g{i}", name, "h2")
        for j, row in enumerate(block.strip().splitlines()):
            first, rest = re.match(r"([^,.:]*?[A-Z’]{2,}[^a-z,.:]*)\b(.*)", row.strip()).groups()
            key = f"{first.strip().lower().replace(' ', '-').replace('’', '')}-{i}{j}-label"
            words += f"<p>{text(key, first, 'b')}{marked(rest.replace('&', '&amp;'))}</p>"
    body = (
        box(text("title", "Small ads", "h1") + text("paper", "Wendle Valley Gazette")
            + text("date", "Friday, 27 June 2025") + text("pno", "page 22"), "head")
        + box(words, "cols")
        + box(marked(
            "‹h0-label:Your advertisement:› ‹h0:£6 for 20 words›, ‹h1:25p for each further word› · "
            "‹h2-label:with a frame› ‹h2:£4 more› · ‹h3-label:Closes› ‹h3:Tuesdays at noon› · "
            "‹h4-label:Counter:› ‹h4:3 Fish Street, 9 to 4.30› · ‹h5-label:Lost and found:› "
            "‹h5:free›"),
            "foot")
    )  # fmt: skip
    return Page("columns-8", whole(css, body), 1400, 1170, skew=-0.6, noise=2.4, blur=0.4, jpeg=58)


def terms() -> Page:
    """Return the terms of a gym in small print, two columns of numbered clauses."""
    css = CSS + (
        "body{font:18.5px/1.36 'Noto Sans',sans-serif;background:#fff;color:#222;padding:46px "
        "60px}h1{"
        "font-size:26px;margin:0 0 2px}.sub{color:#666;margin-bottom:12px}.two{column-count:2;"
        "column-gap:"
        "40px}h2{font-size:17px;margin:8px 0 3px;color:#00587a}p{margin:0 0 5px;padding-left:44px;"
        "text-indent:-44px}p b{display:inline-block;width:44px;text-indent:0;font-weight:400}"
        "table{width:"
        "100%;margin:4px 0 8px}td,th{padding:4px 8px;border:1px solid "
        "#aaa;font-size:16.5px}.n{white-space:"
        "nowrap}#ill{white-space:nowrap}.foot{position:absolute;bottom:26px;left:60px;right:60px;"
        "display:flex;font-size:14px;"
        "color:#666;justify-content:space-between}"
    )
    fees = table(
        [("name", "Membership"), ("month", ">Monthly"), ("join", ">Joining fee"),
         ("min", ">Minimum"), ("guest", ">Guests")],
        lines(
            """Off-peak | £24.00 | £15 | 3 months | none
            Standard | £37.50 | £25 | 6 months | 2 a month
            Couple | £63.00 | £25 | 12 months | 4 a month
            Student | £21.00 | none | 1 month | none
            Corporate | £32.00 | none | 12 months | 1 a month
            Pool only | £18.50 | £10 | 3 months | none"""
        ),
    )  # fmt: skip
    parts = [
        ("Joining", """Members must be at least ‹age:sixteen years old›; those under eighteen \
            need the signature of a parent.
            You may change your mind within ‹cool:fourteen days› and get back \
            ‹back:everything but the joining fee›.
            A card is personal. ‹card-label:Replacing it costs› ‹card:£7›. Lending it ends the \
            membership.
            Before your first visit there is an induction of ‹ind:forty minutes›, which is \
            free."""),
        ("Paying", """Fees are taken on ‹day:the 3rd of each month›. If a debit fails we add \
            ‹fail:£12.50›.
            ‹rise-label:Fees may rise once a year by› ‹rise:no more than 4 %›; we write six weeks \
            before.
            After ‹arr:two missed payments› we may close the account and pass the debt on."""),
        ("Pausing and leaving", """You may freeze your membership for ‹frz:up to five months› a \
            year. ‹frzp-label:A frozen month costs› ‹frzp:£5›.
            ‹not-label:Notice to leave is› ‹not:thirty days›, in writing or in the app, after the \
            minimum term.
            ‹ill-label:With a doctor’s letter you may leave› ‹ill:at the end of the month›. The \
            same goes if you move more than ‹mov:fifteen miles› away.
            Unused guest visits are not carried over or paid out."""),
        ("In the club", """Towels are required on all machines. ‹tow-label:Hire:› ‹tow:£1.50›.
            Lockers are emptied every night at ‹lock:22:45›. \
            ‹kept-label:What is found is kept for› ‹kept:three weeks›.
            Children under eight may swim only with an adult, and ‹kid:before 17:30›.
            Photographs are not allowed in the ‹pho:changing rooms and the pool›.
            Personal training may only be given by ‹pt:our own coaches›. Parking is free for \
            ‹park:two and a half hours›; after that the firm ParkRight charges £60."""),
        ("Classes", """Classes open for booking ‹book:eight days ahead› at 7:00. \
            ‹late-label:Cancel at least› ‹late:four hours before›, or pay £3.
            Who misses three classes without word cannot book for ‹ban:ten days›.
            If fewer than ‹few:five people› have booked, a class may be dropped."""),
        ("Liability", """We are liable for injury caused by our neglect. For valuables we pay at \
            most ‹val:£150›, and only if the locker was forced.
            Tell the desk about any accident ‹acc:on the same day›.
            The pool is closed for cleaning ‹pool:in the first week of August›; no fees are \
            refunded for this."""),
        ("Data and complaints", """Entry times are stored for ‹ent:ninety days›, pictures of the \
            cameras for ‹cam:72 hours›.
            Complaints go to ‹com:Rhoda Linfield, club manager›; we answer within \
            ‹ans:ten working days›.
            If we cannot agree, you may turn to the ‹omb:Leisure Ombudsman in Carrow›. The law of \
            the land applies."""),
    ]  # fmt: skip
    words = ""
    for i, (name, block) in enumerate(parts, 1):
        words += text(f"c{i}", f"{i} {name}", "h2") + (fees if i == 2 else "")
        for j, row in enumerate(block.strip().splitlines(), 1):
            words += f"<p>{text(f'c{i}-{j}', f'{i}.{j}', 'b')}{marked(row.strip())}</p>"
    body = (
        text("title", "Terms of membership", "h1")
        + text("sub", "Tidewell Sports Club Ltd, in force from 1 October 2025", "div", look="sub")
        + box(words, "two")
        + box(text("f0", "Tidewell Sports Club, 40 Quay Parade, Tidewell")
              + text("f1", "Version 7.2") + text("f2", "Company no. 05550318")
              + text("f3", "page 1 of 1"), "foot")
    )  # fmt: skip
    return Page("columns-9", whole(css, body), 1240, 1240, colours=16)


def programme() -> Page:
    """Return a folded leaflet of a theatre, three columns of different kinds."""
    css = CSS + (
        "body{font:19px/1.38 Vollkorn,serif;background:#fdf3e7;color:#2a1215;padding:40px "
        "50px}.grid{"
        "display:grid;grid-template-columns:1fr 1fr 1fr;gap:44px}h1{font:400 62px/1 'Bebas "
        "Neue';margin:0;"
        "color:#8c1c13}h2{font-size:24px;margin:14px 0 "
        "4px;color:#8c1c13}.row{display:flex;justify-content:"
        "space-between;border-bottom:1px dotted #b08968;padding:2px 0;gap:12px}.row "
        "span:last-child{"
        "text-align:right}td,th{padding:4px 7px;font-size:17.5px;border-bottom:1px solid "
        "#dcc3a5}table{"
        "width:100%}p{margin:0 0 8px}.pic{height:250px;background:radial-gradient(circle at 50% "
        "35%,"
        "#e3b23c 0 22%,#8c1c13 23% 60%,#54100b 61%);margin:12px 0}.n{white-space:nowrap}"
    )

    def pairs(key: str, block: str) -> str:
        return "".join(
            box(text(f"{key}{i}-name", name) + text(f"{key}{i}", value), "row")
            for i, (name, value) in enumerate(lines(block))
        )

    cast = pairs(
        "k",
        """Captain Aldous Fenn | Marcus Ilesanmi
        Tamsin, his daughter | Freya Holt
        The Lighthouse Keeper | Gerald Pym
        Widow Sarkis | Nadine Corbeau
        Jem, a smuggler | Tom Aziz
        Two gulls | Lin Mei, Oona Daly
        The Voice of the Sea | Constance Abara""",
    )
    crew = pairs(
        "w",
        """Written by | Hester Vane
        Directed by | Ravi Sundaram
        Music | Bo Nyström
        Stage design | Lucia Ferrante
        Costumes | Workshop of the Pavilion
        Lights | Dex Ormond
        Fight director | Kaya Brandt
        Prompter | Wilfred Stokes""",
    )
    seats = table(
        [("name", "Seats"), ("eve", ">Evening"), ("mat", ">Matinée"), ("stu", ">Student")],
        lines(
            """Stalls A–F | £34 | £26 | £15
            Stalls G–P | £27 | £20 | £12
            Circle | £31 | £24 | £14
            Balcony | £16 | £12 | £8
            Box for four | £150 | £115 | –
            Standing | £7 | £5 | £5"""
        ),
    )
    nights = table(
        [("day", "Date"), ("at", "Starts"), ("more", "Remark")],
        lines(
            """Fri 7 Nov | 19:30 | opening night
            Sat 8 Nov | 14:30 | with sign language
            Sat 8 Nov | 19:30 | few seats left
            Wed 12 Nov | 19:00 | talk afterwards
            Fri 14 Nov | 19:30 |
            Sun 16 Nov | 15:00 | relaxed, lights up
            Thu 20 Nov | 19:30 | sold out
            Sat 22 Nov | 18:00 | last night"""
        ),
        "d",
        "hd-",
    )
    body = box(
        box(
            text("title", "The Salt Bell", "h1")
            + text("sub", "a play with songs, in three acts", "i") + box("", "pic")
            + "<p>" + marked("When the bell of a drowned church rings again, a captain must "
                             "choose between his ship and the promise that he gave on ‹isle:the "
                             "island of Orrin›. Hester Vane wrote the play in ‹wrote:eleven "
                             "nights› in 1934; it was banned after ‹bann:its third performance›, "
                             "and lost until a copy turned up ‹found-label:in the lining of› "
                             "‹found:a cello case›.") + "</p>"
            + text("hp", "How long", "h2")
            + pairs("t", """Act one | 48 minutes
                Interval | 20 minutes
                Act two | 37 minutes
                Act three | 31 minutes
                The end, about | 21:50""")
            + text("hx", "Please note", "h2")
            + "<p>" + marked("Gunshots and ‹fog:sea fog› in act two. Latecomers are let in "
                             "‹late:after the first song›. ‹age-label:Suitable from› ‹age:nine "
                             "years›.") + "</p>"
        )
        + box(text("hc", "Cast", "h2") + cast + text("hw", "Behind the scenes", "h2") + crew
              + text("hs", "Understudies", "h2")
              + "<p>" + marked("Captain: ‹und0:Piet Vos›. Tamsin: ‹und1:Lin Mei›. The part of Jem "
                               "is played by ‹und2:Rory Keane› on 12 and 14 November.") + "</p>"
              + text("hb", "In the bar", "h2")
              + pairs("b", """Elderflower fizz | £4.20
                  Glass of house red | £5.80
                  Crisps, sea salt | £1.90
                  Ice cream tub | £3.50"""))
        + box(text("hn", "Performances", "h2") + nights + text("hq", "Prices", "h2") + seats
              + text("hk", "Tickets", "h2")
              + pairs("x", """Box office | 0555 0126
                  Open | Tue–Sat, 11:00–18:00
                  Groups of ten | one seat free
                  Wheelchair places | row G, ring us
                  Coats | £1, cash only
                  Last bus 31 | 22:35, Pavilion Road""")),
        "grid",
    )  # fmt: skip
    return Page("columns-10", whole(css, body), 1560, 960, colours=48)


def pages() -> list[Page]:
    """Return the eleven pictures."""
    return [
        courier(),
        paper(),
        anzeiger(),
        outdoor(),
        newsletter(),
        musee(),
        results(),
        magazine(),
        adverts(),
        terms(),
        programme(),
    ]
