"""Bar charts: upright, lying, grouped, stacked, with values printed and without."""

# ruff: noqa: E501 - rows of tables and styles stand on lines of their own length

from collections.abc import Sequence
from dataclasses import dataclass, field

from markup import bar, box, label, lines, marked, stroke, svg, text, whole
from page import Page


@dataclass
class Look:
    """Sizes and colours of a chart; ``room`` is kept at the left, top, right and bottom."""

    width: float
    height: float
    colours: Sequence[str]
    ink: str = "#333"
    grid: str = "#ddd"
    size: float = 16
    room: tuple[float, float, float, float] = (70, 30, 20, 50)
    turn: float = 0
    key: str = ""
    fill: float = 0.72
    marks: dict[int, str] = field(default_factory=dict)


def number(words: str) -> float:
    """Read a number as printed in English or German."""
    plain = words.replace("−", "-").strip("%€$ ")
    if "," in plain and "." not in plain and len(plain.split(",")[-1]) != 3:
        plain = plain.replace(",", ".")
    return float(plain.replace(",", "").replace(" ", ""))


def axis(look: Look, ticks: Sequence[str], lying: bool) -> str:
    """Return the grid with the names of its lines, evenly spaced from the first to the last."""
    left, top, right, low = look.room
    wide, tall = look.width - left - right, look.height - top - low
    done = ""
    for i, words in enumerate(ticks):
        part = i / (len(ticks) - 1)
        if lying:
            x = left + wide * part
            done += stroke(x, top, x, top + tall, look.grid)
            done += label(
                f"{look.key}y{i}",
                x,
                top + tall + look.size * 1.5,
                words,
                look.size,
                "middle",
                look.ink,
            )
        else:
            y = top + tall * (1 - part)
            done += stroke(left, y, left + wide, y, look.grid)
            done += label(
                f"{look.key}y{i}", left - 10, y + look.size / 3, words, look.size, "end", look.ink
            )
    return done


def upright(
    look: Look,
    block: str,
    ticks: Sequence[str],
    span: tuple[float, float],
    printed: bool,
    stack: bool = False,
) -> str:
    """Return upright bars; a line of the block is a name and a value for each series."""
    left, top, right, low = look.room
    wide, tall = look.width - left - right, look.height - top - low
    rows = lines(block)
    step = wide / len(rows)
    done = axis(look, ticks, lying=False)

    def place(value: float) -> float:
        return top + tall * (1 - (value - span[0]) / (span[1] - span[0]))

    for i, (name, *values) in enumerate(rows):
        across = step * look.fill / (1 if stack else len(values))
        floor = 0.0
        for s, words in enumerate(values):
            value = number(words)
            x = left + step * i + step * (1 - look.fill) / 2 + (0 if stack else across * s)
            ends = sorted((place(floor), place(floor + value)))
            colour = look.marks.get(i, look.colours[s])
            done += bar(x, ends[0], across - (0 if stack else 2), ends[1] - ends[0], colour)
            if printed:
                y = (ends[0] + ends[1]) / 2 + look.size / 3 if stack else ends[0] - 6
                if value < 0:
                    y = ends[1] + look.size
                done += label(
                    f"{look.key}x{i}-{s}",
                    x + across / 2,
                    y,
                    words,
                    look.size * 0.9,
                    "middle",
                    "#fff" if stack else look.ink,
                )
            floor += value if stack else 0
        x, y = left + step * (i + 0.5), top + tall + look.size * 1.5
        side = "end" if look.turn else "middle"
        done += label(f"{look.key}x{i}", x, y, name, look.size, side, look.ink, look.turn)
    return done


def lying(look: Look, block: str, ticks: Sequence[str], top_value: float, printed: bool) -> str:
    """Return lying bars with one value each; names have ids x0, values x0-0."""
    left, top, right, low = look.room
    wide, tall = look.width - left - right, look.height - top - low
    rows = lines(block)
    step = tall / len(rows)
    done = axis(look, ticks, lying=True) if ticks else ""
    for i, (name, words) in enumerate(rows):
        y, long = top + step * i, wide * number(words) / top_value
        done += bar(
            left,
            y + step * (1 - look.fill) / 2,
            long,
            step * look.fill,
            look.marks.get(i, look.colours[0]),
        )
        done += label(
            f"{look.key}x{i}",
            left - 10,
            y + step / 2 + look.size / 3,
            name,
            look.size,
            "end",
            look.ink,
        )
        if printed:
            done += label(
                f"{look.key}x{i}-0",
                left + long + 8,
                y + step / 2 + look.size / 3,
                words,
                look.size,
                "start",
                look.ink,
            )
    return done


def legend(look: Look, names: Sequence[str], x: float, y: float, gap: float) -> str:
    """Return coloured squares with the names of series in a row."""
    done = ""
    for s, name in enumerate(names):
        done += bar(x + gap * s, y - look.size * 0.8, look.size, look.size, look.colours[s])
        done += label(
            f"{look.key}s{s}", x + gap * s + look.size + 8, y, name, look.size, "start", look.ink
        )
    return done


def rain() -> Page:
    """Return rain by month, values printed."""
    css = "body{font-family:'Open Sans',sans-serif;background:#fff;color:#223;padding:30px 50px}h1{font-size:30px;margin:0}.sub{font-size:19px;color:#667;margin:4px 0 12px}.foot{font-size:17px;color:#667;line-height:1.6}"
    look = Look(
        1300, 560, ["#4a90c2"], size=19, room=(80, 30, 10, 50), marks={10: "#1f4e79", 5: "#9cc7e6"}
    )
    chart = upright(
        look,
        "January | 118\nFebruary | 84\nMarch | 91\nApril | 62\nMay | 55\nJune | 38\nJuly | 47\nAugust | 70\nSeptember | 96\nOctober | 131\nNovember | 149\nDecember | 127",
        ["0", "40", "80", "120", "160"],
        (0, 160),
        printed=True,
    )
    body = (
        text("title", "Rain in Port Ellery by month, 2024", "h1")
        + text("sub", "millimetres, measured at the harbour station", "div", look="sub")
        + svg(1300, 560, chart)
        + box(
            marked(
                "‹year-label:Whole year:› ‹year:1,068 mm› · ‹avg-label:long-term average:› ‹avg:1,004 mm› · ‹wet-label:wettest day:› ‹wet:9 November, 41 mm› · ‹dry-label:longest dry spell:› ‹dry:17 days in June›<br>‹snow-label:Days with snow:› ‹snow:6› · ‹src:Source: Ellery Met Office, yearbook, table 12›"
            ),
            "foot",
        )
    )
    return Page("barchart-0", whole(css, body), 1400, 800)


def countries() -> Page:
    """Return a ranking of towns by bicycle paths, lying bars, values printed."""
    css = "body{font-family:Roboto,sans-serif;background:#fafaf7;color:#222;padding:30px 44px}h1{font-size:30px;margin:0}.sub{font-size:19px;color:#666;margin:4px 0}.foot{font-size:16px;color:#777;margin-top:4px}"
    look = Look(
        1110, 1220, ["#6c8e5d"], size=20, room=(220, 20, 110, 20), marks={7: "#d1495b"}, fill=0.68
    )
    chart = lying(
        look,
        """Aldermoor | 612.4
        Bexholm | 588.0
        Castelnau | 571.3
        Dornfeld | 534.9
        Eskerton | 502.7
        Fairwater | 467.1
        Grunau | 455.5
        Hollowbrook | 431.8
        Istvale | 402.2
        Juniper Bay | 388.6
        Kaltenbach | 371.0
        Lissadell | 344.3
        Marchwood | 318.9
        Nettlestead | 297.4
        Osterby | 268.8
        Pennard | 241.5
        Quillan | 209.7
        Redcliff | 176.2
        Sandvik | 149.9
        Thornaby | 118.3
        Upper Vale | 87.6
        Westerlund | 53.1""",
        [],
        640,
        printed=True,
    )
    body = (
        text("title", "Kilometres of bicycle path per 100,000 people", "h1")
        + text("sub", "22 towns of the Northern League, end of 2024", "div", look="sub")
        + svg(1110, 1220, chart)
        + text(
            "foot",
            "Red: our town. Shared footpaths are not counted. Source: Cycle Union, survey of March 2025.",
            "div",
            look="foot",
        )
    )
    return Page("barchart-1", whole(css, body), 1200, 1400, jpeg=66)


def schools() -> Page:
    """Return German grouped bars, values printed."""
    css = "body{font-family:Lato,sans-serif;background:#fff;color:#1f2933;padding:32px 50px}h1{font-size:31px;margin:0}.sub{font-size:20px;color:#66727f;margin:4px 0 8px}.foot{font-size:17px;color:#66727f;line-height:1.55}"
    look = Look(
        1480, 620, ["#f0a202", "#2e86ab", "#7a306c"], size=20, room=(80, 70, 10, 60), fill=0.8
    )
    chart = upright(
        look,
        "Zu Fuß | 31 | 24 | 12\nFahrrad | 22 | 29 | 35\nBus | 14 | 27 | 38\nElterntaxi | 28 | 13 | 6\nBahn | 3 | 5 | 8\nRoller | 2 | 2 | 1",
        ["0 %", "10 %", "20 %", "30 %", "40 %"],
        (0, 40),
        printed=True,
    ) + legend(look, ["Grundschule", "Mittelstufe", "Oberstufe"], 500, 34, 200)
    body = (
        text("title", "Wie Kinder in Wiesenbruck zur Schule kommen", "h1")
        + text("sub", "Anteil der Befragten nach Schulstufe, in Prozent", "div", look="sub")
        + svg(1480, 620, chart)
        + box(
            marked(
                "‹n-label:Befragt wurden› ‹n:2.146 Schülerinnen und Schüler› an ‹orte:neun Schulen› im ‹wann:März 2025›. ‹weg-label:Mittlerer Schulweg:› ‹weg:2,7 km›. Rundungsfehler möglich.<br>‹src:Quelle: Stadt Wiesenbruck, Amt für Mobilität; Grafik: L. Sommer›"
            ),
            "foot",
        )
    )
    return Page("barchart-2", whole(css, body, "de"), 1580, 860, language="de")


def energy() -> Page:
    """Return stacked bars of energy, values in the parts."""
    css = "body{font-family:'Noto Sans',sans-serif;background:#14181d;color:#e8ecf1;padding:32px 50px}h1{font-size:29px;margin:0}.sub{font-size:19px;color:#9aa6b3;margin:4px 0 6px}.foot{font-size:17px;color:#9aa6b3;line-height:1.5}"
    look = Look(
        1340,
        640,
        ["#3d7ea6", "#4f9d69", "#b98b2f", "#8a4f7d", "#7d5a50"],
        "#cfd6dd",
        "#333c46",
        18,
        (80, 60, 10, 50),
    )
    chart = upright(
        look,
        """2017 | 14 | 21 | 9 | 32 | 40
        2018 | 17 | 22 | 11 | 31 | 37
        2019 | 21 | 22 | 14 | 30 | 31
        2020 | 24 | 25 | 17 | 27 | 24
        2021 | 26 | 20 | 20 | 28 | 27
        2022 | 31 | 19 | 26 | 24 | 20
        2023 | 36 | 24 | 31 | 19 | 14
        2024 | 42 | 23 | 37 | 16 | 9""",
        ["0", "30", "60", "90", "120", "150"],
        (0, 150),
        printed=True,
        stack=True,
    ) + legend(look, ["Wind", "Hydro", "Solar", "Gas", "Coal"], 280, 30, 170)
    body = (
        text("title", "Electricity made in the Tarvel region by source", "h1")
        + text("sub", "terawatt hours", "div", look="sub")
        + svg(1340, 640, chart)
        + box(
            marked(
                "‹last-label:Last coal unit closes:› ‹last:31 March 2027 (Brackwater 3)› · ‹imp-label:Net imports 2024:› ‹imp:4.2 TWh› · ‹drought:2022: drought in the reservoirs›<br>‹src:Tarvel Grid Office, annual statement, p. 31. Own use of plants not included.›"
            ),
            "foot",
        )
    )
    return Page("barchart-3", whole(css, body), 1440, 850)


def complaints() -> Page:
    """Return lying bars without values beside a page of a report, scanned."""
    css = (
        "body{font:22px/1.5 'Liberation Serif',serif;background:#fff;color:#111;padding:80px 100px}h1{font-size:34px;margin:0 0 10px}p{margin:10px 0;text-align:justify}"
        ".fig{font:20px 'Liberation Sans'}.cap{font-size:20px;font-style:italic;margin-top:6px}.top{font-size:18px;color:#555;display:flex;justify-content:space-between;margin-bottom:30px}"
    )
    look = Look(1040, 620, ["#777"], "#111", "#ccc", 19, (300, 10, 40, 70), fill=0.62)
    chart = lying(
        look,
        "Late delivery | 412\nDamaged parcel | 288\nWrong address | 247\nRude on the phone | 101\nMissing item | 196\nOpening hours | 64\nWaiting at the counter | 333\nLost registered mail | 39\nCustoms fees | 158\nStamp machine broken | 83",
        ["0", "100", "200", "300", "400", "500"],
        500,
        printed=False,
    ) + label("axis", 650, 612, "number of complaints", 19, "middle", "#111")
    body = (
        box(text("run", "Postal Ombudsman · Annual Report 2024") + text("pno", "27"), "top")
        + text("title", "4.1 What people complain about", "h1")
        + "<p>"
        + marked(
            "In 2024 the office received ‹all:1,921 complaints›, ‹rise:eleven per cent› more than in the year before. ‹solved:Seven out of ten› were settled within a month. Figure 9 shows the reasons that were given; where a letter named several, the first was counted. The growth comes almost entirely from the new sorting centre at ‹centre:Hexley›, which opened in ‹opened:September› with half of its machines."
        )
        + "</p>"
        + "<p>"
        + marked(
            "Complaints can be sent on paper, by telephone or, since ‹since:1 February›, through the web form, which is now the most common way (‹web:58 per cent›). ‹days-label:The law gives the post› ‹days:twenty-one days› to reply. If the reply does not satisfy, the office can order ‹pay-label:a payment of up to› ‹pay:£300›."
        )
        + "</p>"
        + box(svg(1040, 620, chart), "fig")
        + text("cap", "Figure 9: Complaints by reason, 2024", "div", look="cap")
        + "<p>"
        + marked(
            "Complaints about counters come above all from small towns in which branches were merged. The office has recommended that no counter be more than ‹km:six kilometres› away from any village with over ‹folk:800 inhabitants›. The post accepted this in ‹accept:November›, with an exception for the ‹isles:Outer Skerries›."
        )
        + "</p>"
    )
    return Page("barchart-4", whole(css, body), 1240, 1620, skew=0.9, noise=3.0, jpeg=60)


def phones() -> Page:
    """Return upright bars, many of them, names turned, no values."""
    css = "body{font-family:'DejaVu Sans',sans-serif;background:#fff;color:#222;padding:28px 46px}h1{font-size:28px;margin:0}.sub{font-size:18px;color:#666;margin:4px 0}.foot{font-size:16px;color:#666}"
    look = Look(
        1500, 700, ["#e76f51", "#264653"], size=17, room=(80, 60, 10, 150), turn=-38, fill=0.76
    )
    chart = upright(
        look,
        """Arbutus 5 | 14.2 | 9.8
        Basalt X | 16.9 | 11.5
        Cinder Mini | 9.1 | 6.2
        Dune 12 | 12.7 | 8.9
        Ember Pro | 15.5 | 12.9
        Fjord S | 11.0 | 7.4
        Granite Max | 19.4 | 13.1
        Heath Lite | 10.3 | 7.9
        Inlet 3 | 13.6 | 10.2
        Juno Fold | 8.4 | 5.1
        Kelp 9 | 17.8 | 10.9
        Lichen SE | 12.1 | 9.3""",
        ["0 h", "5 h", "10 h", "15 h", "20 h"],
        (0, 20),
        printed=False,
    ) + legend(look, ["Video at home", "Video on the move (5G)"], 480, 30, 230)
    body = (
        text("title", "How long do they last? Battery test of twelve phones", "h1")
        + text("sub", "hours until switched off, screen at 200 cd/m²", "div", look="sub")
        + svg(1500, 700, chart)
        + box(
            marked(
                "‹test-label:Tested in:› climate room, ‹warm:22 °C› · ‹win-label:Our pick:› ‹win:Ember Pro› · ‹val-label:Best value:› ‹val:Lichen SE (£249)› · ‹fast-label:Fastest charger:› ‹fast:Kelp 9, 80 % in 21 minutes›<br>‹src:Gadget Weekly 18/2025, page 44. Juno Fold: closed, outer screen.›"
            ),
            "foot",
            "line-height:1.6",
        )
    )
    return Page("barchart-5", whole(css, body), 1600, 880)


def people() -> Page:
    """Return bars above and below zero, French."""
    css = "body{font-family:'Liberation Sans',sans-serif;background:#fffdf7;color:#222;padding:34px 50px}h1{font-size:31px;margin:0}.sub{font-size:20px;color:#665;margin:4px 0}.foot{font-size:18px;color:#665;line-height:1.55}"
    look = Look(
        1400,
        620,
        ["#2a9d8f"],
        size=19,
        room=(90, 40, 10, 60),
        fill=0.66,
        marks={2: "#c1443c", 4: "#c1443c", 7: "#c1443c", 8: "#c1443c"},
    )
    chart = upright(
        look,
        """Arbois-Neuf | 412
        Belrive | 187
        Castelmer | −256
        Doncourt | 95
        Estrelles | −118
        Fontvive | 633
        Grandlac | 274
        Hautepierre | −342
        Ivermont | −61
        Joncherolles | 508""",
        ["−400", "−200", "0", "200", "400", "600", "800"],
        (-400, 800),
        printed=True,
    )
    body = (
        text("title", "Les communes qui gagnent et celles qui perdent des habitants", "h1")
        + text(
            "sub",
            "Solde entre le 1er janvier 2020 et le 1er janvier 2025, canton de Valombre",
            "div",
            look="sub",
        )
        + svg(1400, 620, chart)
        + box(
            marked(
                "‹tot-label:Solde du canton :› ‹tot:+1 332 habitants› · ‹age-label:Âge moyen :› ‹age:43,8 ans› · ‹gare:À Fontvive, la gare a rouvert en 2021› · ‹usine:Hautepierre : fermeture de la tuilerie en 2022›<br>‹src:Source : Office cantonal de la statistique, recensement 2025›"
            ),
            "foot",
        )
    )
    return Page("barchart-6", whole(css, body, "fr"), 1500, 850, language="fr")


def museums() -> Page:
    """Return four small charts side by side, photographed."""
    css = (
        "body{font-family:'Roboto Condensed',sans-serif;background:#f3efe6;color:#2b2b2b;padding:30px 40px}h1{font-size:36px;margin:0 0 10px}.frame{display:grid;grid-template-columns:1fr 1fr;gap:18px}"
        ".cell{background:#fff;padding:14px 20px}h2{font-size:25px;margin:0 0 4px}.foot{font-size:21px;margin-top:14px;line-height:1.5}"
    )
    charts = [
        (
            "Visitors by day",
            "a",
            "#bc4b51",
            "Mon | 0\nTue | 310\nWed | 425\nThu | 390\nFri | 515\nSat | 1,120\nSun | 1,284",
            (0, 1400),
        ),
        (
            "Visitors by hour, Sunday",
            "b",
            "#5b8e7d",
            "10 | 96\n11 | 188\n12 | 143\n13 | 121\n14 | 254\n15 | 287\n16 | 195",
            (0, 320),
        ),
        (
            "Where they live (%)",
            "c",
            "#8cb369",
            "Town | 38\nCounty | 24\nCountry | 21\nEurope | 12\nOther | 5",
            (0, 44),
        ),
        (
            "What they came for (%)",
            "d",
            "#f4a259",
            "Whales | 44\nMaps | 17\nShells | 9\nCafé | 11\nSchool | 19",
            (0, 50),
        ),
    ]
    cells = ""
    for name, key, colour, block, span in charts:
        look = Look(720, 330, [colour], size=21, room=(10, 30, 10, 44), grid="#fff0", key=key)
        cells += box(
            text(f"{key}-title", name, "h2")
            + svg(
                720,
                330,
                upright(look, block, ["", ""], span, printed=True).replace(
                    f'id="{key}y', f'data-y="{key}'
                ),
            ),
            "cell",
        )
    body = (
        text("title", "Harbour Museum in figures: July", "h1")
        + box(cells, "frame")
        + box(
            marked(
                "‹tix-label:Tickets sold:› ‹tix:17,206› · ‹free-label:of which free:› ‹free:2,940› · ‹shop-label:Shop takings:› ‹shop:£41,377› · ‹vol-label:Volunteers on the rota:› ‹vol:63› · ‹audio-label:Audio guides lent:› ‹audio:1,108› · ‹lost-label:Lost umbrellas:› ‹lost:29›<br>‹next:Next report: 5 September. Compiled by Imogen Farr.›"
            ),
            "foot",
        )
    )
    return Page("barchart-7", whole(css, body), 1600, 1020, skew=-1.6, blur=0.6, noise=2.0, jpeg=64)


def survey() -> Page:
    """Return answers to a survey as lying, stacked bars, with the share printed in each part."""
    css = (
        "body{font-family:Carlito,sans-serif;background:#fff;color:#2d3142;padding:26px "
        "40px}h1{font-size:"
        "28px;margin:0}.sub{font-size:18px;color:#70758a;margin:2px 0 "
        "8px}.foot{font-size:17px;color:"
        "#4f5d75;line-height:1.6;border-top:1px solid #ccc;padding-top:8px}"
    )
    look = Look(1120, 0, ["#2a6f97", "#89c2d9", "#d9d9d9", "#f4a261", "#c8553d"], "#2d3142")
    look.size = 17
    asked = lines(
        """My work is interesting | 41 | 38 | 11 | 7 | 3
        I know what is expected of me | 36 | 42 | 12 | 8 | 2
        My boss listens to me | 29 | 33 | 18 | 13 | 7
        I have the tools that I need | 22 | 35 | 15 | 19 | 9
        I can work from home enough | 18 | 24 | 21 | 23 | 14
        My pay is fair | 11 | 26 | 24 | 25 | 14
        Meetings are worth the time | 6 | 19 | 27 | 31 | 17
        The canteen is good | 9 | 22 | 16 | 24 | 29
        I could be promoted here | 8 | 20 | 33 | 25 | 14
        My team is fun | 47 | 31 | 13 | 6 | 3
        I feel safe on the shop floor | 52 | 29 | 9 | 7 | 3
        I shall be here in two years | 33 | 27 | 22 | 11 | 7"""
    )
    answers = ["agree fully", "agree", "neither", "disagree", "disagree fully"]
    parts = legend(look, answers, 310, 22, 160)
    for i, (name, *shares) in enumerate(asked):
        y, x = 42 + i * 41, 310.0
        parts += label(f"q{i}", 296, y + 21, name, 18, "end", look.ink)
        for s, share in enumerate(shares):
            wide = float(share) * 7.9
            parts += bar(x, y, wide - 1, 31, look.colours[s])
            ink = "#fff" if s in (0, 4) else "#222"
            parts += label(f"q{i}-{s}", x + wide / 2, y + 21, share, 15, "middle", ink)
            x += wide
    body = (
        text("title", "What our people think, in per cent", "h1")
        + text("sub", "Fennimore Lifts, staff survey of October 2025", "div", look="sub")
        + svg(1120, 545, parts)
        + box(marked(
            "‹n-label:Answered:› ‹n:1,372 of 1,840 employees› · ‹rate-label:Response rate:› "
            "‹rate:75 %› "
            "· ‹by-label:Carried out by:› ‹by:Plumb Research› · ‹open-label:Open for› ‹open:16 "
            "days›<br>"
            "‹best-label:Most praised site:› ‹best:Tarn Works› · ‹worst-label:Most critical site:› "
            "‹worst:Head office› · ‹pr-label:Prize drawn among all who replied:› ‹pr:a weekend in "
            "Larkhaven›<br>‹next-label:Results are discussed in teams until› ‹next:19 December› · "
            "‹q-label:Questions to› ‹q:Ffion Maddock, ext. 2290›"), "foot")
    )  # fmt: skip
    return Page("barchart-8", whole(css, body), 1200, 760)


def puertos() -> Page:
    """Return a Spanish page of a report with two bar charts, copied badly."""
    css = (
        "body{font:19px/1.42 Caladea,serif;background:#fff;color:#1a1a1a;padding:64px "
        "84px}h1{font-size:30px;"
        "margin:0 0 8px}h2{font-size:21px;margin:14px 0 2px}p{margin:0 0 "
        "8px;text-align:justify}.src{"
        "font-size:16px;font-style:italic}.num{display:flex;justify-content:space-between;"
        "font-size:15px;"
        "border-bottom:1px solid #000;margin-bottom:12px}"
    )
    look = Look(1070, 430, ["#222", "#777", "#bbb"], "#1a1a1a", "#ccc", 16, (64, 40, 10, 40))
    ports = upright(
        look,
        """Almadraba | 312 | 338 | 361
        Cala Honda | 148 | 131 | 127
        Portomar | 274 | 290 | 244
        Ribadulla | 96 | 118 | 143
        San Telmo | 205 | 199 | 231
        Vejar | 61 | 58 | 72
        Zumárraga | 183 | 176 | 169""",
        ["0", "100", "200", "300", "400"],
        (0, 400),
        printed=True,
    ) + legend(look, ["2023", "2024", "2025"], 380, 22, 120)
    other = Look(1070, 350, ["#555"], "#1a1a1a", "#ddd", 17, (230, 6, 90, 30), key="b")
    fish = lying(
        other,
        """Sardina | 1,12
        Merluza | 4,85
        Atún rojo | 13,40
        Pulpo | 9,65
        Caballa | 1,78
        Gamba blanca | 17,20
        Lenguado | 11,05
        Jurel | 1,34""",
        ["0", "5", "10", "15", "20"],
        20,
        printed=True,
    )
    body = (
        box(text("pno", "48") + text("run", "Anuario de la pesca 2025"), "num")
        + text("title", "4.3 Desembarcos y precios en lonja", "h1")
        + "<p>" + marked(
            "En 2025 se desembarcaron en los siete puertos ‹tot:1.347 toneladas› semanales de "
            "media, un "
            "‹mas:2,8 %› más que el año anterior. La flota bajó a ‹flota:906 barcos›, con una "
            "edad media "
            "de ‹edad:31 años›; la mayoría faena a menos de ‹mil:doce millas›.") + "</p>"
        + text("g1", "Gráfico 12. Desembarcos por puerto (toneladas por semana)", "h2")
        + svg(1070, 430, ports)
        + text("g2", "Gráfico 13. Precio medio en 2025 (euros por kilo)", "h2")
        + svg(1070, 350, fish)
        + "<p>" + marked(
            "‹veda-label:La veda del pulpo dura› ‹veda:del 15 de mayo al 30 de junio›. "
            "‹ayu-label:Las ayudas al gasóleo sumaron› ‹ayu:3,1 millones de euros›.") + "</p><p>"
        + marked("‹lic-label:Las licencias nuevas se tramitan en› ‹lic:la Casa del Mar de "
                 "Portomar›. "
                 "‹multa-label:La multa por talla ilegal empieza en› ‹multa:600 euros›.") + "</p>"
        + text("src", "Fuente: Consejería de Pesca, lonjas; datos provisionales de diciembre.",
               "div", look="src")
    )  # fmt: skip
    page = whole(css, body, "es")
    return Page("barchart-9", page, 1240, 1270, "es", skew=1.3, noise=3.2, blur=0.5, jpeg=52)


def library() -> Page:
    """Return four small bar charts about a library, dark, some with values and some without."""
    css = (
        "body{font-family:Quicksand,sans-serif;background:#20232a;color:#e8e6e3;padding:24px "
        "36px}h1{"
        "font-size:27px;margin:0 0 12px}.grid{display:grid;grid-template-columns:1fr "
        "1fr;gap:18px}.panel{"
        "background:#292d36;padding:14px 18px}h2{font-size:18px;margin:0;font-weight:600}"
        ".foot{font-size:"
        "17px;line-height:1.65;margin-top:14px;color:#b9b6b0}"
    )
    ink, grid = "#e8e6e3", "#444a56"
    loans = upright(
        Look(700, 280, ["#7fc8a9"], ink, grid, 14, (50, 24, 6, 34)),
        "Jan | 8,410\nFeb | 7,905\nMar | 8,722\nApr | 7,380\nMay | 6,914\nJun | 6,102\n"
        "Jul | 9,251\nAug | 9,038\nSep | 7,466\nOct | 8,190\nNov | 8,877\nDec | 6,540",
        ["0", "5k", "10k"],
        (0, 10000),
        printed=True,
    )
    branches = lying(
        Look(700, 280, ["#f2a65a"], ink, grid, 16, (190, 4, 80, 26), key="b"),
        """Central | 51,207
        Weavers’ Yard | 16,930
        St Brannoc | 12,418
        Mobile van | 9,764
        Hospital | 3,155
        Prison | 1,321""",
        [],
        58000,
        printed=True,
    )
    age = Look(700, 270, ["#8ea6ff", "#ff8fa3"], ink, grid, 15, (50, 40, 6, 32), key="c")
    ages = upright(
        age,
        "0–6 | 1,180 | 1,214\n7–12 | 2,365 | 2,140\n13–18 | 1,402 | 988\n19–35 | 3,017 | 2,256\n"
        "36–60 | 4,118 | 2,904\n61+ | 3,660 | 2,471",
        ["0", "1k", "2k", "3k", "4k", "5k"],
        (0, 5000),
        printed=True,
    ) + legend(age, ["women and girls", "men and boys"], 130, 18, 220)
    costs = lying(
        Look(700, 270, ["#c9a0dc"], ink, grid, 16, (190, 4, 80, 26), key="d"),
        """Staff | 612
        New books | 148
        E-books | 97
        Building | 176
        Computers | 64
        Events | 29""",
        ["0", "200", "400", "600", "800"],
        800,
        printed=True,
    )
    panels = [
        ("a-title", "Loans per month", 700, 280, loans),
        ("b-title", "Loans by place", 700, 280, branches),
        ("c-title", "Members by age", 700, 270, ages),
        ("d-title", "Spending, thousand pounds", 700, 270, costs),
    ]
    body = (
        text("title", "Merrow Public Library – the year 2025 in bars", "h1")
        + box("".join(box(text(key, name, "h2") + svg(wide, tall, part), "panel")
                      for key, name, wide, tall, part in panels), "grid")
        + box(marked(
            "‹m0-label:Most borrowed book:› ‹m0:“The Salt Ledger” by Ama Delacroix› (‹m0n:418 "
            "loans›) · "
            "‹m1-label:Longest overdue:› ‹m1:“Knots for Anglers”, 11 years›<br>‹m2-label:Reading "
            "groups:› "
            "‹m2:27› · ‹m3-label:Fines collected:› ‹m3:£2,086› · ‹m4-label:Volunteers:› ‹m4:84› · "
            "‹m5-label:Seats:› ‹m5:236› · ‹m6-label:Open per week:› ‹m6:52 hours› · "
            "‹m7-label:Membership for adults:› ‹m7:free› · ‹m8-label:Lost card:› ‹m8:£2.50›"),
            "foot")
    )  # fmt: skip
    return Page("barchart-10", whole(css, body), 1560, 850)


def pages() -> list[Page]:
    """Return the eleven pictures."""
    return [
        rain(),
        countries(),
        schools(),
        energy(),
        complaints(),
        phones(),
        people(),
        museums(),
        survey(),
        puertos(),
        library(),
    ]
