"""Slides: a quarter, a plan, a team, a lecture, a budget, prices, tourism, risks."""

# ruff: noqa: E501 - rows of tables and styles stand on lines of their own length

from markup import bar, box, label, lines, marked, stroke, svg, table, text, whole
from page import Page


def points(block: str, key: str = "b") -> str:
    """Return a list of points; marks of ids are kept."""
    rows = [line.strip() for line in block.strip().splitlines()]
    return (
        "<ul>"
        + "".join(f"<li>{text(f'{key}{i}', marked(line))}</li>" for i, line in enumerate(rows))
        + "</ul>"
    )


def quarter() -> Page:
    """Return a slide with the figures of a quarter."""
    css = (
        "body{font:25px Lato,sans-serif;color:#1e2a3a;background:#fff;padding:50px 70px}h1{font-size:46px;margin:0 0 6px;color:#0d3b66}"
        ".sub{font-size:25px;color:#64748b;margin-bottom:24px}.frame{display:flex;gap:60px}td,th{padding:9px 18px;font-size:24px;border-bottom:1px solid #d7dee8}"
        "th{background:#0d3b66;color:#fff}li{margin-bottom:12px;line-height:1.3}.foot{position:absolute;bottom:24px;left:70px;right:70px;display:flex;justify-content:space-between;font-size:18px;color:#64748b}"
    )
    figures = table(
        [("name", "€ million"), ("q", ">Q3 2025"), ("p", ">Q3 2024"), ("c", ">Change")],
        lines(
            """Net sales | 214.6 | 198.3 | +8.2 %
            Pumps | 96.1 | 92.8 | +3.6 %
            Valves | 61.7 | 63.0 | −2.1 %
            Service | 56.8 | 42.5 | +33.6 %
            Gross margin | 38.4 % | 36.9 % | +1.5 pt
            EBIT | 27.9 | 22.4 | +24.6 %
            Order intake | 231.2 | 205.7 | +12.4 %
            Free cash flow | 18.5 | 20.1 | −8.0 %
            Employees | 1,846 | 1,790 | +3.1 %"""
        ),
    )
    side = points(
        """Service grew fastest: ‹plant:four new contracts› in water treatment
        Valves held back by a strike in ‹strike:Tarnow›
        Cash flow lower because stocks rose by ‹stock:€6.3 million›
        New foundry opens in ‹foundry:February 2026›
        Outlook raised: sales of ‹outlook:€850–870 million› this year
        Dividend proposal: ‹div:€1.15› per share"""
    )
    body = (
        text("title", "Third quarter: service drives growth", "h1")
        + text("sub", "Orbel Pumps – results to 30 September", "div", look="sub")
        + box(box(figures) + box(side, "", "flex:1;font-size:27px"), "frame")
        + box(
            text("f0", "Investor call, 6 November 2025")
            + text("f1", "unaudited")
            + text("f2", "7"),
            "foot",
        )
    )
    return Page("slide-0", whole(css, body), 1600, 900)


def plan() -> Page:
    """Return a slide with the plan of a project as bars over months."""
    css = "body{font:22px 'Open Sans',sans-serif;background:#22303c;color:#f3f6f8;padding:40px 60px}h1{font-size:42px;margin:0 0 16px}"
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    tasks = lines(
        """Ground survey | 0 | 1.5 | Tomasi | #58b09c
        Permits | 0.5 | 3.5 | Yildiz | #e4b363
        Foundation | 3.5 | 2 | Kerr & Sons | #58b09c
        Steel frame | 5 | 2.5 | Halden Steel | #ef6461
        Roof and façade | 7 | 2.5 | Brooke | #ef6461
        Heating, water, power | 6.5 | 3.5 | Nordlicht | #e4b363
        Interior | 8.5 | 2.5 | Studio Ark | #58b09c
        Garden | 9.5 | 1.5 | Fern & Moss | #8ab17d
        Inspection | 11 | 0.6 | Town | #e4b363"""
    )
    left, top, step, row = 330, 60, 118, 62
    parts = ""
    for i, month in enumerate(months):
        parts += stroke(left + i * step, top - 20, left + i * step, top + row * 9, "#ffffff30")
        parts += label(f"m{i}", left + i * step + step / 2, 30, month, 22, "middle", "#c8d3da")
    for i, (name, start, long, who, colour) in enumerate(tasks):
        x, y = left + float(start) * step, top + i * row
        parts += label(f"t{i}", 0, y + 30, name.replace("&", "&amp;"), 24, "start", "#fff")
        parts += bar(x, y, float(long) * step, 42, colour, 6)
        inside = float(long) >= 1.5
        parts += label(
            f"t{i}-who",
            x + 12 if inside else x - 10,
            y + 28,
            who.replace("&", "&amp;"),
            20,
            "start" if inside else "end",
            "#111" if inside else "#fff",
        )
    x = left + 4.6 * step
    parts += stroke(x, top - 20, x, top + row * 9, "#fff", 3, "8 6") + label(
        "now", x, top + row * 9 + 26, "today, 19 May", 20, "middle", "#fff"
    )
    body = (
        text("title", "Eelbrook library: building schedule 2026", "h1")
        + svg(1780, 660, parts)
        + box(
            marked(
                "◆ ‹k0-label:Topping-out:› ‹k0:4 August› &nbsp; ◆ ‹k1-label:Books move in:› ‹k1:23 November› &nbsp; ◆ ‹k2-label:Opening day:› ‹k2:12 December›"
            ),
            "",
            "font-size:26px;margin-top:14px",
        )
        + box(
            marked(
                "‹r0:Buffer left: 9 working days› · ‹r1:Permit for the cellar still missing› · ‹r2-label:Site manager:› ‹r2:Dana Whitlock, 0770 555 0181›"
            ),
            "",
            "font-size:22px;margin-top:12px;color:#c8d3da",
        )
    )
    return Page("slide-1", whole(css, body), 1920, 960)


def team() -> Page:
    """Return a slide with the people of a firm."""
    css = (
        "body{font:21px Roboto,sans-serif;background:#f6f1ea;color:#2d2a26;padding:40px 50px}h1{font-size:42px;margin:0 0 22px}.row{display:flex;gap:22px;justify-content:center;margin-bottom:26px}"
        ".p{background:#fff;border-top:6px solid #c8553d;padding:13px 16px;width:270px;line-height:1.4}.p b{font-size:23px}.p small{font-size:18px;color:#6b645b}"
    )
    groups = [
        [("Ottilie Bremner", "Managing director", "since 2014 · ext. 100")],
        [
            ("Samir Haddad", "Finance", "11 people · ext. 210"),
            ("Jo Castellan", "Product", "26 people · ext. 300"),
            ("Ulf Magnusson", "Production", "84 people · ext. 400"),
            ("Ife Balogun", "Sales", "19 people · ext. 500"),
            ("Clara Weiss", "People &amp; culture", "6 people · ext. 600"),
        ],
        [
            ("Petr Novotny", "Bookkeeping", "Building A"),
            ("Hana Ito", "Design", "Building C"),
            ("Rosa Benitez", "Assembly", "Hall 2"),
            ("Colm Dwyer", "Export", "Building B"),
            ("vacant", "Training", "from 1 May"),
        ],
        [
            ("Zoe Lambert", "Payroll", "Building A"),
            ("Victor Ahn", "Software", "remote"),
            ("Bram Kuipers", "Paint shop", "Hall 4"),
            ("Nia Prosser", "Key accounts", "Building B"),
            ("Tarek Aziz", "Apprentices", "Hall 1"),
        ],
    ]
    body, number = text("title", "Who does what at Larkspur Cycles", "h1"), 0
    for people in groups:
        cards = ""
        for name, job, more in people:
            cards += box(
                "<b>"
                + text(f"p{number}", name)
                + "</b><br>"
                + text(f"p{number}-job", job)
                + "<br><small>"
                + text(f"p{number}-more", more)
                + "</small>",
                "p",
            )
            number += 1
        body += box(cards, "row")
    body += box(
        marked(
            "‹hire-label:Open positions:› ‹hire:3› · ‹safe-label:Safety officer:› ‹safe:Bram Kuipers› · ‹council-label:Chair of the works council:› ‹council:Edda Rasch›, ext. 777 · ‹as:as of 15 April›"
        ),
        "",
        "text-align:center;font-size:22px",
    )
    return Page("slide-2", whole(css, body), 1600, 900, jpeg=68)


def lecture() -> Page:
    """Return a slide of a lecture, photographed from a seat."""
    css = (
        "body{font:27px 'Liberation Serif',serif;background:#fffef8;color:#111;padding:46px 70px}h1{font-size:46px;margin:0 0 18px;color:#7a1f1f}"
        ".frame{display:flex;gap:60px}li{margin-bottom:11px;line-height:1.32}td,th{padding:8px 18px;font-size:25px;border-bottom:1px solid #bbb}.box{border:3px solid #7a1f1f;padding:14px 22px;margin:14px 0;font-size:28px;line-height:1.35}.foot{font-size:20px;color:#666;margin-top:16px}"
    )
    rates = table(
        [
            ("name", "Tree"),
            ("life", ">Life span"),
            ("grow", ">Growth / year"),
            ("co", ">CO2 / year"),
            ("root", "Roots"),
        ],
        lines(
            """Oak | 600 years | 35 cm | 13 kg | tap root
            Beech | 300 years | 40 cm | 12.5 kg | heart-shaped
            Birch | 120 years | 60 cm | 9 kg | shallow
            Larch | 400 years | 50 cm | 11 kg | heart-shaped
            Spruce | 250 years | 45 cm | 10 kg | plate
            Alder | 100 years | 70 cm | 8.5 kg | deep
            Yew | 1,500 years | 10 cm | 4 kg | dense"""
        ),
    )
    body = (
        text("title", "4.2 How trees store carbon", "h1")
        + box(
            box(
                points(
                    """Leaves take in CO2 through ‹stoma:stomata›, mostly on the underside
                Half of the dry mass of wood is ‹dry:carbon›
                Storage peaks at an age of ‹peak:40 to 80 years›
                Soil holds ‹soil:twice as much› as the trunks above it
                Drought of ‹drought:three weeks› halves the uptake
                Dead wood gives it back within ‹dead:about 25 years›"""
                )
                + box(
                    marked(
                        "‹def-label:Definition.› The <i>net uptake</i> is gross photosynthesis minus ‹def:respiration›."
                    ),
                    "box",
                ),
                "",
                "flex:1",
            )
            + box(
                rates
                + box(
                    marked("‹src:Source: Hollis &amp; Tamm, Forest Tables, 3rd ed., p. 118›"),
                    "foot",
                )
            ),
            "frame",
        )
        + box(
            marked(
                "‹hw-label:Homework:› ‹hw:exercises 7 and 9›, ‹due-label:hand in by› ‹due:Tuesday noon› · ‹next-label:Next week:› ‹next:peat bogs› · ‹prof:Dr. M. Sundqvist, room H 207›"
            ),
            "foot",
            "font-size:24px",
        )
    )
    return Page("slide-3", whole(css, body), 1600, 900, skew=2.6, blur=0.8, noise=2.5, jpeg=62)


def budget() -> Page:
    """Return a German slide with the budget of a town."""
    css = (
        "body{font:24px 'Noto Sans',sans-serif;background:#fff;color:#1c2b25;padding:44px 64px}h1{font-size:42px;margin:0;color:#00664f}.sub{color:#66756f;margin:4px 0 20px}"
        ".frame{display:flex;gap:54px}td,th{padding:8px 16px;font-size:23px;border-bottom:1px solid #cfdad5}th{color:#00664f}li{margin-bottom:10px;line-height:1.35}.key{background:#e5f2ee;padding:14px 22px;margin-top:14px;line-height:1.5}.foot{position:absolute;bottom:22px;font-size:18px;color:#66756f}"
    )
    plan_table = table(
        [("name", "Bereich"), ("a", ">2025"), ("b", ">2026"), ("c", ">Veränderung")],
        lines(
            """Kitas und Schulen | 18,4 Mio. € | 19,9 Mio. € | +8,2 %
            Straßen und Brücken | 9,7 Mio. € | 7,1 Mio. € | −26,8 %
            Soziales | 12,2 Mio. € | 12,9 Mio. € | +5,7 %
            Feuerwehr | 2,3 Mio. € | 3,8 Mio. € | +65,2 %
            Kultur und Sport | 4,1 Mio. € | 3,9 Mio. € | −4,9 %
            Grünflächen | 1,9 Mio. € | 2,0 Mio. € | +5,3 %
            Verwaltung | 8,6 Mio. € | 8,8 Mio. € | +2,3 %
            Summe | 57,2 Mio. € | 58,4 Mio. € | +2,1 %"""
        ),
    )
    body = (
        text("title", "Haushalt 2026: Wo wir sparen, wo wir investieren", "h1")
        + text(
            "sub",
            "Stadt Wiesenbruck, Kämmerei – Sitzung des Stadtrats am 11. Dezember",
            "div",
            look="sub",
        )
        + box(
            box(plan_table)
            + box(
                points(
                    """Neues Löschfahrzeug für ‹fahrzeug:720.000 €›
                  Sanierung der Lindenschule beginnt im ‹schule:April›
                  Brücke am Wehr wird auf ‹wehr:2028› verschoben
                  Freibad öffnet nur noch ‹bad:an fünf Tagen› pro Woche
                  Grundsteuer B: Hebesatz ‹hebesatz:480 %› (bisher 450 %)
                  ‹baum:300 neue Bäume› bis Jahresende"""
                )
                + box(
                    marked(
                        "‹kredit-label:Neue Kredite:› ‹kredit:4,5 Mio. €›<br>‹ruecklage-label:Rücklage zum Jahresende:› ‹ruecklage:2,9 Mio. €›<br>‹pro-label:Schulden je Einwohner:› ‹pro:1.034 €›"
                    ),
                    "key",
                ),
                "",
                "flex:1",
            ),
            "frame",
        )
        + box(
            marked(
                "‹frage:Fragen an: Ruth Ammerland, Zimmer 214› · ‹frist:Einwendungen bis 9. Januar› · Folie 12"
            ),
            "foot",
        )
    )
    return Page("slide-4", whole(css, body, "de"), 1600, 900, language="de")


def prices() -> Page:
    """Return a slide that compares plans of a software."""
    css = (
        "body{font:24px Lato,sans-serif;background:#fbfbff;color:#24243e;padding:44px 70px}h1{font-size:46px;margin:0 0 20px;text-align:center}table{width:100%}"
        "td,th{padding:12px 20px;font-size:25px;border-bottom:1px solid #dcdcf0}th{font-size:29px;color:#5b3cc4}td:first-child{font-weight:700}.foot{margin-top:18px;font-size:21px;color:#66668a;line-height:1.5;text-align:center}"
    )
    plans = table(
        [
            ("name", "Per month"),
            ("solo", "Solo"),
            ("team", "Team"),
            ("firm", "Business"),
            ("all", "Enterprise"),
        ],
        lines(
            """Price per user | $0 | $9 | $17 | on request
            Users | 1 | up to 15 | up to 200 | unlimited
            Storage | 2 GB | 100 GB | 1 TB | 10 TB
            Projects | 3 | 40 | unlimited | unlimited
            History | 7 days | 90 days | 2 years | 10 years
            Guests | – | 5 | 50 | unlimited
            Single sign-on | – | – | included | included
            Support | forum | e-mail, 2 days | chat, 4 hours | phone, 30 minutes
            Uptime promise | – | 99.5 % | 99.9 % | 99.99 %
            Data location | EU | EU | EU or US | your choice
            Notice period | none | 1 month | 3 months | 12 months"""
        ),
    )
    body = (
        text("title", "Which plan fits you?", "h1")
        + plans
        + box(
            marked(
                "‹y-label:Paid yearly:› ‹y:two months free›. ‹edu-label:Schools and charities:› ‹edu:60 % off Team›. ‹trial-label:Try Business free for› ‹trial:21 days›, no card needed.<br>‹vat:Prices without VAT, valid until 31 August› · ‹mail:sales@tidewheel.test›"
            ),
            "foot",
        )
    )
    return Page("slide-5", whole(css, body), 1600, 900)


def tourism() -> Page:
    """Return a Spanish slide about visitors of an island."""
    css = (
        "body{font:25px 'Open Sans',sans-serif;background:#fff;color:#1f3340;padding:44px 70px}h1{font-size:44px;margin:0 0 18px;color:#00708c}.frame{display:flex;gap:60px}li{margin-bottom:12px;line-height:1.35}"
        "td,th{padding:8px 16px;font-size:23px;border-bottom:1px solid #d2e2e8}h2{font-size:25px;margin:0 0 8px}.foot{position:absolute;bottom:24px;font-size:19px;color:#63808c}"
    )
    rows = lines(
        "Alemania | 412\nReino Unido | 388\nFrancia | 251\nPaíses Bajos | 164\nItalia | 139\nPortugal | 97\nSuecia | 58"
    )
    parts = ""
    for i, (name, value) in enumerate(rows):
        y = i * 52
        parts += label(f"o{i}", 180, y + 30, name, 23, "end", "#1f3340") + bar(
            196, y + 6, int(value) * 1.1, 34, "#2aa6b8"
        )
        parts += label(f"o{i}-value", 206 + int(value) * 1.1, y + 31, value, 22, "start", "#1f3340")
    stay = table(
        [
            ("name", "Isla"),
            ("stay", ">Estancia media"),
            ("spend", ">Gasto por día"),
            ("beds", ">Ocupación"),
        ],
        lines(
            "Santa Brea | 7,2 noches | 148 € | 83 %\nEl Farol | 4,1 noches | 121 € | 67 %\nLa Tortuga | 9,5 noches | 96 € | 58 %\nIsla Menuda | 2,8 noches | 187 € | 91 %"
        ),
    )
    body = (
        text("title", "Temporada 2025: menos visitantes, más gasto", "h1")
        + box(
            box(
                text("h0", "Visitantes por país de origen (miles)", "h2")
                + svg(740, 370, parts)
                + "<br>"
                + text("h1t", "Por isla", "h2")
                + stay
            )
            + box(
                points(
                    """Total: ‹total:1,62 millones› de visitantes (−3,4 %)
                El gasto subió a ‹gasto:231 millones de euros›
                ‹tasa-label:La tasa turística será de› ‹tasa:2,50 €› por noche desde enero
                ‹ferri-label:Nueva línea de ferri desde› ‹ferri:Puerto Llano›, dos veces al día
                Las playas de El Farol perdieron la ‹bandera:bandera azul›
                Mes más fuerte: ‹mes:agosto›; más flojo: ‹flojo:febrero›
                Objetivo 2026: alargar la temporada hasta ‹hasta:mediados de noviembre›"""
                ),
                "",
                "flex:1;font-size:27px",
            ),
            "frame",
        )
        + box(
            marked(
                "‹fuente:Fuente: Consejería de Turismo, encuesta a 5.400 viajeros› · ‹autor:Presenta: Nuria Escobedo› · 4 / 18"
            ),
            "foot",
        )
    )
    return Page("slide-6", whole(css, body, "es"), 1600, 900, language="es")


def risks() -> Page:
    """Return a slide with the risks of a festival, photographed."""
    css = (
        "body{font:23px 'DejaVu Sans',sans-serif;background:#1b1b2f;color:#eeeef6;padding:44px 60px}h1{font-size:40px;margin:0 0 18px}table{width:100%}td,th{padding:12px 16px;font-size:22px;border-bottom:1px solid #3a3a5a}"
        "th{color:#ffb86b;font-weight:400}.foot{margin-top:22px;font-size:22px;color:#b7b7d4;line-height:1.6}"
    )
    items = table(
        [
            ("no", "No."),
            ("name", "Risk"),
            ("odds", "Likelihood"),
            ("harm", ">Damage"),
            ("what", "What we do"),
            ("who", "Owner"),
            ("by", "By"),
        ],
        lines(
            """R1 | Thunderstorm on main day | medium | $140,000 | tents for 6,000, stop plan | Grier | 1 June
            R2 | Headliner cancels | low | $310,000 | insurance, stand-by act | Osei | signed
            R3 | Too few stewards | high | $25,000 | agency hired for 40 more | Lindahl | 15 May
            R4 | Power failure, stage B | medium | $60,000 | second generator | Petrov | 20 May
            R5 | Noise complaints | high | $12,000 | end at 23:00, hotline | Moreau | done
            R6 | Fake tickets | medium | $45,000 | codes that change hourly | Chandra | 10 May
            R7 | Water shortage | low | $18,000 | two tankers on site | Lindahl | 25 May
            R8 | Ground too wet to park | high | $33,000 | shuttle from Dunley station | Grier | 28 May"""
        ),
    )
    body = (
        text("title", "Meadowlight Festival: top risks", "h1")
        + items
        + box(
            marked(
                "‹sum-label:Reserve in the budget:› ‹sum:$175,000› · ‹meet-label:Next risk meeting:› ‹meet:Wednesday 7 May, 16:00, site office›<br>‹em-label:Crisis line during the event:› ‹em:555 0199› · ‹doc-label:First-aid posts:› ‹doc:5, staffed until 02:00›"
            ),
            "foot",
        )
    )
    return Page("slide-7", whole(css, body), 1600, 900, skew=-1.5, blur=0.5, noise=2.0, jpeg=65)


def securite() -> Page:
    """Return a French slide for new people on a building site: rules, numbers, equipment."""
    css = (
        "body{font:23px Cabin,sans-serif;background:#fff;color:#1c1c1c}.band{background:#f2b705;"
        "padding:"
        "20px 60px;display:flex;justify-content:space-between;align-items:center}h1{font-size:40px;"
        "margin:0}.frame{display:grid;grid-template-columns:1.15fr 1fr;gap:20px 54px;padding:22px "
        "60px}"
        "h2{font-size:26px;margin:0 0 6px;color:#9a6b00}ol,ul{margin:0;padding-left:30px}"
        "li{margin-bottom:7px}"
        "td,th{padding:9px 14px;border:1px solid #d9c88f;font-size:22px}th{background:#fbeeb8}"
        "table{width:"
        "100%}.urg{background:#c62828;color:#fff;padding:14px "
        "24px;border-radius:8px;line-height:1.5}"
        ".urg h2{color:#fff}.foot{position:absolute;bottom:16px;left:60px;right:60px;display:flex;"
        "justify-content:space-between;font-size:18px;color:#666}"
    )
    rules = points(
        """‹r0-label:Badge au portillon, fermeture du chantier à› ‹r0:19 h 15›
        ‹r1-label:Vitesse des engins limitée à› ‹r1:10 km/h›
        ‹r2-label:Vent supérieur à› ‹r2:72 km/h› : arrêt de la grue
        Casque valable ‹casque:quatre ans›, date gravée sous la visière
        Travail en hauteur : ‹deux:toujours à deux›, harnais dès ‹haut:3 m›
        ‹feu-label:Permis de feu à demander› ‹feu:la veille avant 16 h›
        Fumer seulement près du ‹fumer:conteneur bleu›"""
    )
    gear = table(
        [("zone", "Zone"), ("must", "Obligatoire"), ("noise", ">Bruit"), ("chef", "Chef de zone")],
        lines(
            """Gros œuvre | casque, gants, lunettes | 94 dB | Karim Belloy
            Toiture | harnais, longe double | 81 dB | Solange Petitjean
            Ferraillage | gants anticoupure | 98 dB | Duc Tran
            Peinture | masque A2P3 | 66 dB | Noémie Vasseur
            Sous-sol | détecteur de gaz | 72 dB | Karim Belloy
            Atelier bois | protège-oreilles | 103 dB | Yann Le Goff"""
        ),
    )
    stats = table(
        [("name", "Accidents"), ("a", ">2023"), ("b", ">2024"), ("c", ">2025")],
        lines(
            """Chutes | 9 | 6 | 4
            Coupures | 14 | 15 | 11
            Dos, manutention | 12 | 7 | 8
            Électricité | 2 | 0 | 1
            Jours perdus | 311 | 187 | 164"""
        ),
        "s",
        "hs-",
    )
    alarm = box(
        text("urg", "En cas d’accident", "h2")
        + box(marked("‹u0-label:Infirmerie :› ‹u0:poste 4415›, bungalow 7"))
        + box(marked("‹u1-label:Secouriste de l’équipe de nuit :› ‹u1:Abel Morvan›"))
        + box(marked("‹u2-label:Point de rassemblement :› ‹u2:parking de la mairie›"))
        + box(marked("‹u3-label:Déclarer tout choc sous› ‹u3:24 heures›"))
        + box(marked("‹u4-label:Défibrillateur :› ‹u4:base de vie, entrée B›"))
        + box(marked("‹u5-label:Pompiers depuis un portable :› ‹u5:112›")),
        "urg",
    )
    body = (
        box(text("title", "Accueil sécurité – chantier des Halles de Brévannes", "h1")
            + text("days", "212 jours sans accident grave"), "band")
        + box(
            box(text("rules", "Règles de base", "h2") + rules)
            + alarm
            + box(text("gear", "Équipement par zone", "h2") + gear)
            + box(text("stat", "Nos trois dernières années", "h2") + stats),
            "frame",
        )
        + box(text("f0", "Quiz à la fin : 8 bonnes réponses sur 10 pour obtenir le badge")
              + text("f1", "Version 12, mars 2026") + text("f2", "3 / 18"), "foot")
    )  # fmt: skip
    return Page("slide-8", whole(css, body, "fr"), 1600, 900, language="fr")


def agenda() -> Page:
    """Return the programme of a meeting, photographed in a lecture hall."""
    css = (
        "body{font:29px 'EB Garamond',serif;background:#123524;color:#f4efe0;padding:60px 110px}"
        "h1{font:400 54px 'Bebas Neue',sans-serif;letter-spacing:2px;margin:0;color:#e9c46a}"
        ".sub{font-size:"
        "29px;margin-bottom:12px}td,th{padding:6px 16px;font-size:29px;border-bottom:1px solid "
        "#f4efe033;"
        "white-space:nowrap}th{color:#e9c46a;font-weight:400}table{width:100%}.low{display:flex;"
        "gap:60px;"
        "margin-top:16px;font-size:26px;line-height:1.45}"
    )
    talks = table(
        [
            ("time", "Time"),
            ("what", "Talk"),
            ("who", "Speaker"),
            ("room", "Room"),
            ("seats", ">Seats"),
        ],
        lines(
            """09:00 | Welcome, and why seeds sleep | Odile Farran | Great Hall | 420
            09:40 | Vaults under permafrost | Sigrun Vatnsdal | Great Hall | 420
            10:30 | Coffee, posters 1 to 24 | | Foyer |
            11:00 | Drying rice at forty degrees | Budi Santoso | Aula B | 150
            11:00 | Old wheats, new bread | Clementine Roux | Aula C | 90
            11:50 | Law: who owns a landrace? | Tadhg Moriarty | Aula B | 150
            12:40 | Lunch (tokens at the desk) | | Orangery | 260
            14:00 | Counting pollen by machine | Yuki Hanamura | Aula C | 90
            14:45 | A gene bank in a suitcase | Esi Quartey | Lab 3 | 35
            15:30 | Panel: money for the next decade | chair: R. Dombrow | Great Hall | 420
            16:45 | Walk to the herbarium | Prof. Lindqvist | Gate 2 | 40
            19:00 | Dinner on the river boat | | Pier 6 | 180"""
        ),
    )
    body = (
        text("title", "Seedkeepers’ Forum – day two", "h1")
        + text("sub", "Thursday 21 May · all talks 30 minutes and 10 for questions", "div",
               look="sub")
        + talks
        + box(
            box(marked("‹a0-label:Wifi:› ‹a0:forum-guest›, ‹a1-label:password› ‹a1:emmer1753›<br>"
                       "‹a2-label:Posters down by› ‹a2:17:30›<br>‹a3-label:Lost and found:› "
                       "‹a3:cloakroom, ground floor›"))
            + box(marked("‹b0-label:Boat leaves at› ‹b0:18:40 sharp›, ‹b1-label:tickets left:› "
                         "‹b1:23›"
                         "<br>‹b2-label:Slides to› ‹b2:talks@seedforum.test›<br>‹b3-label:Vote "
                         "for the "
                         "best poster until› ‹b3:15:00›"))
            + box(marked("‹c0-label:Interpreting:› ‹c0:channel 2 French, 5 Spanish›<br>"
                         "‹c1-label:Quiet room:› ‹c1:114›<br>‹c2-label:Tomorrow starts at› "
                         "‹c2:08:30›")),
            "low",
        )
    )  # fmt: skip
    return Page("slide-9", whole(css, body), 1680, 980, skew=-3.4, blur=0.9, noise=2.6, jpeg=58)


def rollout() -> Page:
    """Return a slide that compares machines before one is bought, with a chart of cost."""
    css = (
        "body{font:20px 'Noto Serif',serif;background:#faf8f4;color:#2b2b2b;padding:34px "
        "56px}h1{font-size:"
        "36px;margin:0;font-weight:600}.sub{color:#7a7266;margin:2px 0 8px}td,th{padding:4px 12px;"
        "font-size:19px;border-bottom:1px solid #d8d0c2;white-space:nowrap}th{border-bottom:3px "
        "solid "
        "#2b2b2b}table{width:100%}td:nth-child(4),th:nth-child(4){background:#e3eedd}"
        ".low{display:flex;"
        "gap:26px;margin-top:20px}.box{border-left:5px solid #6a994e;padding:2px "
        "18px;line-height:1.5;font-size:17px}"
        "h2{font-size:21px;margin:0 0 4px}.foot{position:absolute;bottom:14px;left:56px;"
        "right:56px;display:"
        "flex;justify-content:space-between;font-size:15px;color:#7a7266}"
    )
    figures = table(
        [("name", "Criterion"), ("a", ">Heliox 40"), ("b", ">Borea PX"), ("c", ">Tandem S"),
         ("d", ">Vulpes 9"), ("w", ">Weight")],
        lines(
            """Price, net | €164,000 | €149,500 | €171,200 | €138,900 | 25 %
            Bottles per hour | 4,200 | 3,600 | 4,800 | 3,100 | 20 %
            Change of format | 38 min | 55 min | 12 min | 44 min | 15 %
            Power | 11 kW | 14 kW | 9.5 kW | 16 kW | 5 %
            Water per shift | 610 l | 740 l | 480 l | 905 l | 5 %
            Noise | 78 dB | 81 dB | 74 dB | 83 dB | 5 %
            Floor space | 6.1 × 2.4 m | 5.2 × 2.2 m | 7.0 × 2.6 m | 4.9 × 2.1 m | 5 %
            Warranty | 24 months | 36 months | 24 months | 12 months | 10 %
            Delivery | 20 weeks | 11 weeks | 26 weeks | 8 weeks | 10 %
            Score out of 100 | 71 | 64 | 83 | 52 | 100 %"""
        ),
    )  # fmt: skip
    running = lines("Heliox | 21.4\nBorea | 26.9\nTandem | 17.8\nVulpes | 31.2")
    chart = label("ctitle", 0, 20, "Running cost, thousand € a year", 19, weight=600)
    for i, (name, value) in enumerate(running):
        y, long = 36 + i * 34, float(value) * 8
        chart += label(f"c{i}", 0, y + 20, name, 18)
        chart += bar(100, y, long, 26, "#6a994e" if i == 2 else "#bfb8aa")
        chart += label(f"c{i}-value", 108 + long, y + 20, value, 18)
    body = (
        text("title", "Which filling line should we buy?", "h1")
        + text("sub", "Quillan Cider Works – board paper 4b, offers valid until 30 June", "div",
               look="sub")
        + figures
        + box(
            svg(420, 180, chart)
            + box(text("prop", "Proposal", "h2") + marked(
                "‹p0-label:Buy the› ‹p0:Tandem S›, second-hand pasteuriser from ‹p1:Aubel›<br>"
                "‹p2-label:Pays back in› ‹p2:3.4 years›<br>‹p3-label:Loan:› ‹p3:€120,000 at 3.9 %› "
                "from ‹p4:Ostrand Bank›<br>‹p5-label:Grant applied for:› ‹p5:€18,500›"), "box")
            + box(text("open", "Still open", "h2") + marked(
                "‹o0-label:Floor must carry› ‹o0:1.9 t/m²› – survey on ‹o1:14 May›<br>"
                "‹o2-label:Training:› ‹o2:five days, four people›<br>"
                "‹o3-label:Old line goes to› ‹o3:Castle Orchard› for ‹o4:€9,000›<br>"
                "‹o5-label:Decision by› ‹o5:6 June›"), "box"),
            "low",
        )
        + box(text("f0", "Reference visits: Heliox at Mossgill, Tandem at Brewhouse Lune")
              + text("f1", "Prepared by Annika Stroud") + text("f2", "slide 11 of 16"), "foot")
    )  # fmt: skip
    return Page("slide-10", whole(css, body), 1440, 810)


def pages() -> list[Page]:
    """Return the eleven pictures."""
    return [
        quarter(),
        plan(),
        team(),
        lecture(),
        budget(),
        prices(),
        tourism(),
        risks(),
        securite(),
        agenda(),
        rollout(),
    ]
