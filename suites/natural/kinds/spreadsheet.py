"""Spreadsheets: windows of office programs, light and dark, and a printed sheet."""

from random import Random
from string import ascii_uppercase

from page import Page, cells, fill, text

LIGHT = {"back": "#fff", "ink": "#222", "line": "#d9d9d9", "bar": "#f3f3f3", "mark": "#217346"}
DARK = {"back": "#1e1f22", "ink": "#dfe1e5", "line": "#393b40", "bar": "#2b2d30", "mark": "#6aab73"}


def listed(words: str) -> list[str]:
    """Names from words with commas between them."""
    return [name.strip() for name in words.split(",")]


def grid(
    keys: list[str], titles: list[str], rows: list[list[object]], start: int, bold: tuple[int, ...]
) -> str:
    """The cells with letters above and numbers at the left; titles stand in row `start`."""
    letters = "".join(f"<th>{letter}</th>" for letter in ascii_uppercase[: len(keys)])
    lines = [f"<tr class='l'><th></th>{letters}</tr>"]
    heads = "".join(
        text(f"h-{key}", title, "td", f'class="t c-{key}"')
        for key, title in zip(keys, titles, strict=True)
    )
    lines.append(f"<tr><th>{start}</th>{heads}</tr>")
    for number, row in enumerate(rows):
        look = " b" if number in bold else ""
        line = "".join(
            text(f"r{number}-{key}", cell, "td", f'class="c-{key}{look}"')
            for key, cell in zip(keys, row, strict=True)
        )
        lines.append(f"<tr><th>{start + 1 + number}</th>{line}</tr>")
    return f"<table>{''.join(lines)}</table>"


def window(
    body: str, colours: dict[str, str], font: str, size: tuple[int, int], parts: dict[str, str]
) -> str:
    """A program's window around the cells."""
    html = """
    <style>.s{width:@w@px;height:@h@px;background:@back@;color:@ink@;font:@font@;overflow:hidden;
    position:relative} .top{background:@bar@;padding:10px 16px;border-bottom:1px solid @line@}
    .top b{color:@mark@} .menu span{margin-right:22px;font-size:15px} table{border-collapse:
    collapse} td{border:1px solid @line@;padding:4px 9px;white-space:nowrap} th{background:@bar@;
    border:1px solid @line@;font-weight:400;padding:4px 10px;font-size:14px;color:#888} .t,.b{
    font-weight:700} .bar{display:flex;gap:14px;padding:6px 16px;border-bottom:1px solid @line@}
    .tabs{position:absolute;bottom:0;left:0;right:0;background:@bar@;padding:8px 16px;
    font-size:15px} .tabs span{margin-right:26px} @css@</style><div class="s"><div class="top">
    <b>[[file|@file@]]</b> <span style="font-size:14px;color:#888;margin-left:20px">
    [[saved|@saved@]]</span><div class="menu" style="margin-top:8px">@menu@</div></div><div
    class="bar">[[cell|@cell@]] <i style="color:#888">fx</i> [[formula|@formula@]]</div>@body@
    @after@<div class="tabs">@tabs@</div></div>"""
    menu = parts.pop("menu", "File Edit View Insert Format Data Help").split()
    names = parts.pop("tabs").split(",")
    width, height = size
    made = {
        "menu": "".join(f"<span>{name}</span>" for name in menu),
        "tabs": "".join(f'<span id="tab{n}">{name.strip()}</span>' for n, name in enumerate(names)),
        "w": str(width),
        "h": str(height),
        "font": font,
        "body": body,
        "after": parts.pop("after", ""),
        "css": parts.pop("css", ""),
    }
    return fill(html, **made, **colours, **parts)


def sales() -> Page:
    """Units sold of sixteen products in twelve months."""
    names = listed("""Oak stool,Pine bench,Beech table,Walnut shelf,Ash ladder,Cherry tray,Birch
    lamp,
    Cork board,Rattan chair,Wicker basket,Bamboo screen,Teak planter,Larch crate,Elm clock,
    Maple frame,Poplar box""")
    random = Random(11)
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    rows: list[list[object]] = []
    for name in names:
        base = random.randint(40, 900)
        units = [round(base * random.uniform(0.6, 1.4)) for _ in months]
        rows.append([name, *units, sum(units)])
    rows.append(["All products", *(sum(row[n] for row in rows) for n in range(1, 14))])
    rows = [[row[0], *(f"{number:,}" for number in row[1:])] for row in rows]
    keys = ["item", *(month.lower() for month in months), "year"]
    body = grid(keys, ["Units sold 2024", *months, "Year"], rows, 3, (16,))
    parts = {
        "file": "Furniture_units_2024.xlsx",
        "saved": "Saved 09:12 by Perpetua",
        "cell": "F14",
        "formula": "=SUM(Orders!F2:F9000)",
        "tabs": "Units, Revenue, Returns, Stock, Notes",
        "css": "table{width:100%} td{text-align:right} .c-item{text-align:left}"
        " .c-year{background:#eaf4ee}",
        "after": '<p style="padding:0 16px">[[note|Rattan chair: supplier changed in'
        " [[note-when|August]]. Elm clock is being [[note-what|discontinued]].]]</p>",
    }
    html = window(body, LIGHT, "20px Carlito", (1600, 820), parts)
    return Page("spreadsheet-0", html, 1600, 820)


def budget() -> Page:
    """A household's year, dark."""
    rows = cells(
        """
        Rent | 1,240 | 1,240 | 1,240 | 1,265 | 1,265 | 1,265 | 7,515 | 7,500
        Electricity | 96 | 91 | 84 | 71 | 63 | 58 | 463 | 520
        Gas | 142 | 138 | 104 | 77 | 41 | 22 | 524 | 600
        Water | 34 | 34 | 34 | 36 | 36 | 36 | 210 | 205
        Internet | 39 | 39 | 39 | 39 | 45 | 45 | 246 | 240
        Phones | 52 | 48 | 61 | 50 | 49 | 57 | 317 | 300
        Groceries | 512 | 488 | 549 | 530 | 561 | 574 | 3,214 | 3,100
        Eating out | 88 | 143 | 97 | 160 | 121 | 185 | 794 | 600
        Nursery | 680 | 680 | 680 | 680 | 710 | 710 | 4,140 | 4,140
        Clothes | 120 | 35 | 210 | 64 | 90 | 148 | 667 | 480
        Petrol | 95 | 102 | 88 | 117 | 109 | 131 | 642 | 660
        Car repairs | 0 | 386 | 0 | 0 | 54 | 0 | 440 | 500
        Bus and train | 47 | 52 | 66 | 40 | 38 | 44 | 287 | 300
        Doctor, chemist | 23 | 61 | 12 | 80 | 19 | 27 | 222 | 240
        Swimming club | 30 | 30 | 30 | 30 | 30 | 30 | 180 | 180
        Presents | 25 | 70 | 45 | 20 | 110 | 36 | 306 | 300
        Holiday pot | 200 | 200 | 200 | 150 | 200 | 200 | 1,150 | 1,200
        Vet | 0 | 0 | 118 | 0 | 0 | 76 | 194 | 150
        Other | 64 | 39 | 71 | 58 | 92 | 47 | 371 | 400
        """
    )
    keys = ["item", "jan", "feb", "mar", "apr", "may", "jun", "half", "plan"]
    titles = ["Category", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Half-year", "Budget"]
    body = grid(keys, titles, rows, 1, ())
    side = """<div style="position:absolute;right:40px;top:150px;width:420px;line-height:1.7">
    <b>[[side-label|Summary]]</b><br>[[in-label|Income Jan–Jun]] [[in|25,860]]<br>[[out-label|Spent
    Jan–Jun]] [[out|21,882]]<br>[[left-label|Left over]] [[left|3,978]]<br>[[worst-label|Most over
    budget]] [[worst|Eating out]]<br><br><b>[[todo-label|To
    do]]</b><br>[[todo1|[[todo1-what|Cancel second
    phone contract]] by [[todo1-day|15 August]]]]<br>[[todo2|Ask landlord about the rent rise
    ([[todo2-why|+25 since April]])]]<br>[[todo3|Nursery: sibling discount from
    [[todo3-when|September]]]]<br>[[todo4|Move [[todo4-sum|500]] to savings]]</div>"""
    parts = {
        "file": "Home budget",
        "saved": "All changes saved",
        "cell": "H9",
        "formula": "=SUM(B9:G9)",
        "tabs": "2025, 2024, Loans, Shopping list",
        "after": side,
        "css": "td{text-align:right} .c-item{text-align:left} .c-plan{color:#9aa7ff}",
    }
    html = window(body, DARK, "18px 'Open Sans'", (1440, 900), parts)
    return Page("spreadsheet-1", html, 1440, 900)


def stock() -> Page:
    """The stock of a German bicycle workshop."""
    rows = cells(
        """
        BR-014 | Bremsbeläge Scheibe, organisch | A1-03 | 46 | 20 | Velotec Nord | 7,90 | 12.06.
        BR-022 | Bremszug Edelstahl | A1-05 | 112 | 50 | Velotec Nord | 2,15 | 12.06.
        BR-031 | Bremsflüssigkeit 250 ml | A1-07 | 9 | 12 | Ölkontor | 8,40 | 03.05.
        KT-101 | Kette 9-fach, 116 Glieder | A2-01 | 38 | 25 | Kettenwerk Suhl | 14,70 | 28.05.
        KT-102 | Kette 11-fach, 118 Glieder | A2-01 | 17 | 20 | Kettenwerk Suhl | 26,90 | 28.05.
        KT-140 | Kettenöl trocken 100 ml | A2-04 | 54 | 30 | Ölkontor | 4,25 | 03.05.
        RF-201 | Reifen 28 x 1,75 Pannenschutz | B1-02 | 33 | 24 | Gummi Albers | 19,80 | 17.06.
        RF-204 | Reifen 20 x 2,00 Lastenrad | B1-03 | 6 | 10 | Gummi Albers | 24,50 | 17.06.
        RF-230 | Schlauch 28 Zoll, Autoventil | B1-06 | 140 | 80 | Gummi Albers | 3,05 | 17.06.
        RF-233 | Schlauch 26 Zoll, Blitzventil | B1-06 | 71 | 40 | Gummi Albers | 2,95 | 09.04.
        LI-305 | Rücklicht LED mit Bremslicht | B2-01 | 22 | 15 | Lichthaus Kamp | 16,60 | 21.05.
        LI-309 | Frontlicht 80 Lux, Dynamo | B2-02 | 11 | 12 | Lichthaus Kamp | 38,20 | 21.05.
        LI-320 | Dynamokabel 2 m | B2-05 | 65 | 20 | Lichthaus Kamp | 1,80 | 21.05.
        SA-402 | Sattel Tour, Gel, Damen | C1-01 | 8 | 6 | Sitzgut | 27,30 | 30.04.
        SA-405 | Sattelstütze 27,2 mm | C1-03 | 14 | 8 | Sitzgut | 13,90 | 30.04.
        PE-501 | Pedale Alu, rutschfest (Paar) | C1-06 | 29 | 16 | Velotec Nord | 18,75 | 12.06.
        SC-610 | Rahmenschloss mit Kette | C2-01 | 12 | 10 | Sicher & Sohn | 42,00 | 06.06.
        SC-612 | Faltschloss 90 cm | C2-02 | 4 | 8 | Sicher & Sohn | 49,90 | 06.06.
        WZ-700 | Kettennieter | D1-01 | 5 | 3 | Werkbank Lott | 21,40 | 14.02.
        WZ-704 | Speichenschlüssel, Satz | D1-02 | 7 | 3 | Werkbank Lott | 15,10 | 14.02.
        WZ-711 | Montageständer | D2-01 | 2 | 1 | Werkbank Lott | 139,00 | 14.02.
        """
    )
    keys = ["no", "item", "place", "have", "min", "from", "price", "last"]
    titles = [
        "Artikel-Nr.",
        "Bezeichnung",
        "Lagerplatz",
        "Bestand",
        "Mindestbestand",
        "Lieferant",
        "EK netto €",
        "Letzter Eingang",
    ]
    body = grid(keys, titles, rows, 2, ())
    parts = {
        "file": "Lagerliste_Werkstatt.ods",
        "saved": "Stand: 20.06.2025, gezählt von Ruven",
        "menu": "Datei Bearbeiten Ansicht Einfügen Format Tabelle Daten Extras Hilfe",
        "cell": "D9",
        "formula": "6",
        "tabs": "Lager, Bestellungen, Lieferanten, Inventur 2024",
        "css": "table{width:100%} .c-have,.c-min,.c-price{text-align:right}"
        " .c-item{background:#fffbe6}",
        "after": '<p style="padding:0 16px">[[note|Bestellt wird jeden [[note-day|Donnerstag]] bis'
        " [[note-time|14 Uhr]]; Freigabe ab 500 € durch [[note-who|Frau Dinslaken]].]]</p>",
    }
    html = window(body, LIGHT | {"mark": "#18558c"}, "19px 'Liberation Sans'", (1500, 960), parts)
    return Page("spreadsheet-2", html, 1500, 960, "de")


def marks() -> Page:
    """A class and its tests, printed and scanned."""
    names = listed("""Abara Joy,Bellweather Tom,Castellan Ana,Dray Oscar,Eversholt Mia,Fenn Jonah,
    Gallagher Orla,Hsu Wei-Lin,Ibrahim Sami,Jessop Ruby,Kowal Antek,Larkin Beth,Mbeki Thandi,
    Norling Axel,Okoro Chidi,Pruett Lacey,Quist Emil,Rahman Nadia,Sorrel Finn,Tanaka Yui,
    Umber Kit,Vance Odette,Whitlow Sam,Yardley Jude""")
    random = Random(5)
    rows = []
    for name in names:
        level = random.uniform(9, 18)
        points = [min(20, max(3, round(random.gauss(level, 2.4)))) for _ in range(7)]
        away = random.choice([0, 0, 1, 2, 3, 5, 7])
        rows.append([name, *points, f"{sum(points) / 7:.1f}", away])
    rows[13][4] = "ill"
    rows[21][2] = "ill"
    keys = [
        "name",
        "algebra",
        "angles",
        "data",
        "primes",
        "ratio",
        "graphs",
        "oral",
        "mean",
        "away",
    ]
    titles = [
        "Pupil",
        "Algebra",
        "Angles",
        "Data",
        "Primes",
        "Ratio",
        "Graphs",
        "Oral",
        "Mean",
        "Days absent",
    ]
    body = grid(keys, titles, rows, 4, ())
    html = """<style>.s{width:1240px;height:1240px;box-sizing:border-box;padding:70px 80px;
    background:#fff;font:20px/1.25 Carlito} table{border-collapse:collapse;width:100%}
    td{border:1px solid #777;padding:4px 8px;text-align:center} .c-name{text-align:left}
    .t{font-weight:700;background:#e6e6e6} th{display:none} .l{display:none}</style><div class="s">
    <div style="display:flex;justify-content:space-between;margin-bottom:14px"><b
    style="font-size:28px">[[title|Mathematics, class 8C, autumn term]]</b><span>
    [[teacher-label|Teacher]] [[teacher|Ms Calloway]] · [[max-label|out of]] [[max|20]] each</span>
    </div>@body@<p>[[resit|[[resit-what|Resits for missed tests:]] [[resit-day|Tuesday 9
    December]], room
    [[resit-room|B14]].]] [[parents|Parents' evening: [[parents-day|27 November]],
    [[parents-time|17:30–20:00]].]]</p></div>"""
    html = fill(html, body=body)
    return Page("spreadsheet-3", html, 1240, 1240, skew=1.9, blur=0.6, colours=16)


def project() -> Page:
    """A plan of works with owners, dates and hours."""
    rows = cells(
        """
        1.1 | Survey of the roof | Imke | 03 Mar | 05 Mar | Done | 24 | 22
        1.2 | Structural report | Rafferty | 06 Mar | 14 Mar | Done | 40 | 51
        1.3 | Planning permission | Imke | 10 Mar | 25 Apr | Done | 30 | 34
        1.4 | Tender for scaffolding | Solène | 17 Mar | 28 Mar | Done | 16 | 12
        2.1 | Scaffolding up | Hoistco | 05 May | 07 May | Done | 60 | 58
        2.2 | Strip old tiles | Rafferty | 08 May | 16 May | Done | 120 | 144
        2.3 | Replace rotten rafters | Rafferty | 19 May | 30 May | Running | 160 | 95
        2.4 | Insulation between rafters | Deniz | 26 May | 06 Jun | Running | 90 | 20
        2.5 | Vapour barrier | Deniz | 09 Jun | 11 Jun | Open | 30 | 0
        2.6 | Roof windows, 6 pieces | Glassworks Ltd | 12 Jun | 18 Jun | Open | 72 | 0
        3.1 | Battens | Rafferty | 16 Jun | 20 Jun | Open | 64 | 0
        3.2 | New tiles, 340 m² | Rafferty | 23 Jun | 04 Jul | Open | 200 | 0
        3.3 | Lead flashing, chimney | Solène | 07 Jul | 09 Jul | Open | 28 | 0
        3.4 | Gutters and downpipes | Deniz | 07 Jul | 11 Jul | Open | 44 | 0
        3.5 | Lightning conductor | Voltline | 14 Jul | 15 Jul | Blocked | 12 | 0
        4.1 | Solar panels, 28 pieces | Voltline | 16 Jul | 25 Jul | Blocked | 110 | 0
        4.2 | Inverter and meter | Voltline | 28 Jul | 29 Jul | Open | 18 | 0
        4.3 | Scaffolding down | Hoistco | 30 Jul | 31 Jul | Open | 40 | 0
        4.4 | Inspection by the insurer | Imke | 04 Aug | 04 Aug | Open | 4 | 0
        4.5 | Garden clean-up | Deniz | 05 Aug | 07 Aug | Open | 20 | 0
        """
    )
    keys = ["no", "task", "who", "start", "end", "state", "plan", "used"]
    titles = ["No", "Task", "Owner", "Start", "End", "Status", "Hours planned", "Hours used"]
    body = grid(keys, titles, rows, 5, ())
    side = """<div style="position:absolute;right:30px;top:140px;width:380px;line-height:1.6;
    background:#f0f6ff;padding:18px"><b>[[side-label|Roof, St Brannoc's hall]]</b><br>
    [[client-label|Client]] [[client|Parish of Tolvean]]<br>[[lead-label|Lead]] [[lead|Imke
    Dahlgaard]]<br>[[money-label|Budget]] [[money|£184,000]]<br>[[spent-label|Spent to 23 May]]
    [[spent|£71,350]]<br>[[risk-label|Main risk]] [[risk|bats in the north gable]]<br>
    [[meet-label|Site meeting]] [[meet|Wednesdays 08:00]]<br>[[block|Voltline waits for
    [[block-what|the grid operator's letter]].]]</div>"""
    parts = {
        "file": "roof-plan v7",
        "saved": "Last edit 23 May 2025, Solène",
        "cell": "F11",
        "formula": "Running",
        "tabs": "Plan, Costs, Contacts, Photos",
        "after": side,
        "css": ".c-plan,.c-used{text-align:right} .t{background:#dbe9ff}",
    }
    html = window(body, LIGHT | {"mark": "#1a5fb4"}, "18px Roboto", (1560, 920), parts)
    return Page("spreadsheet-4", html, 1560, 920)


def runs() -> Page:
    """A runner's diary, dark green."""
    rows = cells(
        """
        Mon 1 Sep | Canal loop | 8.2 | 44:10 | 5:23 | 141 | 36 | Larks | dull legs
        Wed 3 Sep | Track, 6 × 800 m | 9.6 | 47:02 | 4:54 | 158 | 18 | Swifts |
        Fri 5 Sep | Easy, park | 6.0 | 35:48 | 5:58 | 128 | 22 | Larks | with Bo
        Sun 7 Sep | Reservoir long | 19.4 | 1:52:31 | 5:48 | 139 | 210 | Larks |
        Tue 9 Sep | Hill repeats, Gorse Lane | 7.8 | 45:20 | 5:49 | 153 | 320 | Larks | windy
        Thu 11 Sep | Canal loop | 8.2 | 42:37 | 5:12 | 144 | 36 | Swifts |
        Sat 13 Sep | Parkside 5 km race | 5.0 | 21:44 | 4:21 | 172 | 31 | Swifts | 14th of 212
        Sun 14 Sep | Recovery | 5.1 | 32:10 | 6:18 | 121 | 12 | Larks |
        Tue 16 Sep | Tempo, towpath | 10.3 | 50:55 | 4:57 | 160 | 20 | Swifts |
        Thu 18 Sep | Easy, park | 6.3 | 37:40 | 5:59 | 127 | 22 | Larks | sore calf
        Sun 21 Sep | Moor long run | 22.7 | 2:19:04 | 6:08 | 142 | 486 | Goats | fog
        Tue 23 Sep | Rest week jog | 4.0 | 25:16 | 6:19 | 119 | 8 | Larks |
        Thu 25 Sep | Track, 10 × 400 m | 8.8 | 42:54 | 4:53 | 161 | 15 | Swifts |
        Sat 27 Sep | Beach, soft sand | 7.1 | 46:30 | 6:33 | 148 | 10 | Larks | with Bo
        Sun 28 Sep | Reservoir long | 24.1 | 2:17:22 | 5:42 | 143 | 260 | Larks | new gels
        Tue 30 Sep | Tempo, towpath | 10.3 | 49:58 | 4:51 | 162 | 20 | Swifts |
        """
    )
    keys = ["day", "route", "km", "time", "pace", "heart", "climb", "shoes", "note"]
    titles = ["Date", "Run", "km", "Time", "min/km", "Heart", "Climb m", "Shoes", "Note"]
    body = grid(keys, titles, rows, 1, ())
    side = """<div style="padding:14px 18px;display:grid;grid-template-columns:repeat(4,auto)">
    <span>[[sum-label|September total]] [[sum|162.9 km]]</span><span>[[aug-label|August total]]
    [[aug|148.0 km]]</span><span>[[goal-label|Goal]] [[goal|Wexcombe Half, 19 October]]</span>
    <span>[[target-label|Target time]] [[target|1:41:00]]</span><span>[[l-label|Larks so far]]
    [[l|612 km]]</span><span>[[s-label|Swifts so far]] [[s|238 km]]</span><span>[[g-label|Goats so
    far]] [[g|97 km]]</span><span>[[rest-label|Resting pulse]] [[rest|49]]</span></div>"""
    parts = {
        "file": "running 2025",
        "saved": "Offline copy",
        "cell": "C17",
        "formula": "10.3",
        "tabs": "Aug, Sep, Oct, Races, Shoes",
        "after": side,
        "css": "table{width:100%} .c-km,.c-time,.c-pace,.c-heart,.c-climb{text-align:right}",
    }
    dark = DARK | {"back": "#14201a", "bar": "#1d2e25", "line": "#2f463a", "mark": "#7fd1a0"}
    html = window(body, dark, "19px Cabin", (1366, 780), parts)
    return Page("spreadsheet-5", html, 1366, 780)


def wedding() -> Page:
    """A Spanish list of wedding guests."""
    rows = cells(
        """
        Abril Montenegro | 2 | Novia | Sí | Pescado | | Hotel Olivar | 2 noches
        Aitor Zubiri | 1 | Novio | Sí | Carne | | Casa propia |
        Bruno Salcedo | 3 | Novia | Sí | Vegano | Frutos secos | Hostal Luna | 1 noche
        Candela Ruiz-Pons | 2 | Novia | No | | | |
        Damián Otero | 4 | Novio | Sí | Carne | | Hotel Olivar | 1 noche
        Elvira Sanmartín | 2 | Novia | Pendiente | | Marisco | |
        Fermín Arrieta | 5 | Novio | Sí | Carne | | Hotel Olivar | 3 noches
        Gala Iturbe | 2 | Novio | Sí | Pescado | | Hostal Luna | 2 noches
        Hugo Peñalver | 1 | Trabajo | Sí | Carne | Lactosa | Casa propia |
        Inés Cabrales | 3 | Novia | Sí | Infantil | | Hotel Olivar | 2 noches
        Jacobo Leiva | 2 | Trabajo | Pendiente | | | |
        Lola Barrientos | 1 | Novia | Sí | Vegano | | Casa propia |
        Mateo Quiroga | 4 | Novio | Sí | Pescado | Gluten | Hotel Olivar | 1 noche
        Nerea Valdivia | 2 | Novia | Sí | Carne | | Hostal Luna | 1 noche
        Olmo Segura | 1 | Novio | No | | | |
        Pilar Echegaray | 2 | Novio | Sí | Pescado | | Hotel Olivar | 2 noches
        Rocío Talavera | 3 | Novia | Sí | Carne | Huevo | Casa propia |
        Simón Ferrán | 2 | Trabajo | Sí | Vegano | | Hostal Luna | 1 noche
        Úrsula Beltrán | 1 | Novia | Sí | Pescado | | Casa propia |
        """
    )
    keys = ["name", "count", "side", "comes", "menu", "allergy", "hotel", "nights"]
    titles = [
        "Invitado",
        "Personas",
        "De parte de",
        "Confirma",
        "Menú",
        "Alergias",
        "Alojamiento",
        "Estancia",
    ]
    tables = [3, 1, 5, "", 4, "", 1, 2, 7, 5, "", 6, 4, 5, "", 2, 3, 7, 6]
    rows = [[*row, table] for row, table in zip(rows, tables, strict=True)]
    body = grid([*keys, "table"], [*titles, "Mesa"], rows, 1, ())
    side = """<div style="padding:12px 18px;line-height:1.5">[[yes-label|Confirmados]] [[yes|36
    personas]] · [[wait-label|Pendientes]] [[wait|4 personas]] · [[price-label|Precio por cubierto]]
    [[price|92 €]] · [[kid-label|Menú infantil]] [[kid|38 €]]<br>[[bus|El autobús sale de la plaza
    a las [[bus-time|17:15]].]] [[last|Fecha límite para confirmar: [[last-day|10 de
    mayo]].]]</div>"""
    parts = {
        "file": "Boda Marina y Joan – invitados",
        "saved": "Guardado a las 22:41",
        "menu": "Archivo Editar Ver Insertar Formato Datos Ayuda",
        "cell": "E4",
        "formula": "Vegano",
        "tabs": "Invitados, Mesas, Gastos, Música",
        "after": side,
        "css": "table{width:100%} .t{background:#fde8ef} .c-count,.c-table{text-align:center}",
    }
    html = window(body, LIGHT | {"mark": "#b83b6b"}, "19px Lato", (1440, 900), parts)
    return Page("spreadsheet-6", html, 1440, 900, "es")


def fleet() -> Page:
    """Vans of a bakery: a printed sheet, photographed."""
    rows = cells(
        """
        1 | QX 204 BL | Box van | 2016 | Rosalind | 188,420 | 9.8 | 03/26 | 14,310 | North
        2 | QX 771 BL | Box van | 2019 | Ferdy | 121,077 | 9.1 | 07/26 | 12,904 | North
        3 | RD 018 KK | Panel van | 2021 | Nkiru | 84,660 | 7.4 | 11/25 | 9,871 | East
        4 | RD 019 KK | Panel van | 2021 | Tobias | 90,215 | 7.6 | 11/25 | 10,442 | East
        5 | RD 430 KL | Electric van | 2023 | Marguerite | 31,904 | – | 02/27 | 5,118 | Centre
        6 | RD 431 KL | Electric van | 2023 | Osman | 28,377 | – | 02/27 | 4,760 | Centre
        7 | PA 902 TT | Lorry 7.5 t | 2014 | Big Len | 302,118 | 16.9 | 12/25 | 27,655 | Depot
        8 | PA 955 TT | Lorry 7.5 t | 2018 | Wanda | 176,540 | 15.7 | 05/26 | 22,080 | Depot
        9 | SG 113 CC | Estate car | 2020 | Sales (pool) | 66,901 | 5.9 | 09/26 | 6,233 | Office
        10 | SG 114 CC | Small car | 2022 | Sales (pool) | 40,358 | 5.2 | 10/26 | 5,020 | Office
        11 | TB 660 WW | Panel van | 2017 | spare | 149,733 | 8.3 | 01/26 | 8,414 | West
        12 | TB 661 WW | Panel van | 2017 | Ludmila | 160,284 | 8.5 | 01/26 | 11,597 | West
        13 | TB 902 WX | Cargo bike | 2024 | Ash | 2,940 | – | – | 610 | Centre
        14 | UV 337 HH | Box van | 2015 | Grigor | 211,006 | 10.4 | 08/25 | 15,862 | South
        15 | UV 338 HH | Box van | 2015 | Siobhan | 204,450 | 10.2 | 08/25 | 15,177 | South
        16 | UV 512 HJ | Freezer van | 2022 | Amadou | 73,812 | 9.5 | 06/26 | 13,349 | South
        """
    )
    keys = ["no", "plate", "type", "year", "driver", "km", "use", "test", "cost", "tour"]
    titles = [
        "#",
        "Plate",
        "Type",
        "Built",
        "Driver",
        "Odometer km",
        "l/100 km",
        "Next test",
        "Cost 2024 €",
        "Tour",
    ]
    body = grid(keys, titles, rows, 3, ())
    html = """<style>.s{width:1500px;height:1060px;box-sizing:border-box;padding:80px 90px;
    background:#f4f2ec;font:20px/1.3 'Noto Sans'} table{border-collapse:collapse;width:100%}
    td{border:1px solid #888;padding:6px 8px} .t{font-weight:700;background:#dcd6c8} th,.l{
    display:none} .c-km,.c-use,.c-cost,.c-year{text-align:right}</style><div class="s"><b
    style="font-size:30px">[[title|Cobble Lane Bakery: vehicles, July 2025]]</b>@body@<p>
    [[fuel-label|Fuel card PIN is with]] [[fuel|Hester in the office]]. [[wash|Washing bay:
    [[wash-day|Saturdays after 13:00]].]] [[tyre|Winter tyres on by [[tyre-day|15 October]].]]
    <br>[[crash-label|After an accident call]] [[crash|0555 404 118]].</p></div>"""
    html = fill(html, body=body)
    return Page("spreadsheet-7", html, 1500, 1060, skew=-1.8, blur=0.7, noise=2, jpeg=62)


def rota() -> Page:
    """The shifts of a nursing home's ward in a week."""
    names = listed("""Abiola Grant,Bashir Noor,Carys Pugh,Dunstan Voss,Eithne Roche,Farid Haddad,
    Greta Lindqvist,Hamish Orr,Ivana Kolar,Jerome Dacosta,Kirsty Vale,Lamar Okoye,Mireille Bost,
    Nils Aaby,Odile Fabre,Prakash Iyer,Queenie Marsh,Rasmus Holt,Soraya Diaz,Tobias Wren""")
    roles = ["Nurse", "Carer", "Carer", "Nurse", "Senior carer"]
    random = Random(41)
    hours = {"E": 7.5, "L": 7.5, "N": 10, "D": 12, "off": 0, "hol": 7.5, "sick": 7.5, "trg": 6}
    rows: list[list[object]] = []
    for number, name in enumerate(names):
        week = [
            random.choice(["E", "E", "E", "L", "L", "L", "N", "N", "D", "off", "off"])
            for _ in range(7)
        ]
        if number in (4, 11, 16):
            week[2 : 2 + number % 3 + 1] = [{4: "hol", 11: "sick", 16: "trg"}[number]] * (
                number % 3 + 1
            )
        done, due = sum(hours[shift] for shift in week), random.choice([24, 30, 37.5, 40])
        last = f"07555 010 {random.randint(100, 999)}"
        extra = ["yes" if random.random() < 0.4 else "no", last]
        rows.append([name, roles[number % 5], *week, done, due, f"{done - due:+g}", *extra])
    keys = ["name", "role", "mo", "tu", "we", "th", "fr", "sa", "su"]
    titles = ["Name", "Role", "Mon 10", "Tue 11", "Wed 12", "Thu 13", "Fri 14", "Sat 15", "Sun 16"]
    keys += ["sum", "due", "diff", "drugs", "tel"]
    titles += ["Hours", "Contract", "+/−", "Medicines", "Phone"]
    after = """<div style="display:grid;grid-template-columns:1fr 1fr 1.3fr;padding:14px 18px;
    font-size:16px;line-height:1.5"><div>[[e-label|E early]] [[e|07:00–14:45]]<br>[[l-label|L late]]
    [[l|14:15–22:00]]<br>[[n-label|N night]] [[n|21:45–07:45]]<br>[[d-label|D long day]]
    [[d|07:00–19:30]]</div><div>[[swap-label|Swaps agreed with]] [[swap|Eithne, by Wednesday
    noon]]<br>[[agency-label|Agency]] [[agency|BrightHands, 01555 303 030]]<br>[[cost-label|Agency
    hours left this month]] [[cost|46]]<br>[[key-label|Drug cabinet key]] [[key|with the nurse in
    charge]]</div><div>[[fire-label|Fire drill]] [[fire|Thursday 13 November, 10:30]]<br>
    [[meet-label|Ward meeting]] [[meet|Tuesday 14:20, day room]]<br>[[jab-label|Flu jabs for staff]]
    [[jab|Friday, 12:00–15:00, room 9]]<br>[[new-label|New starter]] [[new|Wilhelmina Stout, shadows
    Carys]]</div></div>"""
    parts = {
        "file": "Rota Larchfield ward B.ods",
        "saved": "Last change: Eithne, 6 Nov 16:40",
        "cell": "J12",
        "formula": "=SUMPRODUCT(COUNTIF(C12:I12;codes);hours)",
        "tabs": "Week 45, Week 46, Week 47, Leave, Codes",
        "css": "td{text-align:center;padding:2px 8px} .c-name,.c-role{text-align:left}"
        " .c-sa,.c-su{background:#f6efe2} .t{background:#e8ddf3} table{width:100%}",
        "after": after,
    }
    colours = {"back": "#fff", "ink": "#1b1b1b", "line": "#c4c4c4", "bar": "#ece9f2"}
    html = window(
        grid(keys, titles, rows, 1, ()),
        {**colours, "mark": "#5b2d90"},
        "16px 'Noto Sans'",
        (1680, 880),
        parts,
    )
    return Page("spreadsheet-8", html, 1680, 880, colours=24)


def association() -> Page:
    """The accounts of a French village's festival, dark."""
    rows = cells(
        """
        RECETTES | | | | |
        Subvention de la commune | 4 000,00 | 4 000,00 | 0,00 | 12/03 | Colette
        Subvention du département | 2 500,00 | 1 800,00 | -700,00 | 02/05 | Colette
        Billetterie vendredi | 3 200,00 | 2 945,00 | -255,00 | 18/07 | Yannick
        Billetterie samedi | 5 400,00 | 6 310,00 | 910,00 | 19/07 | Yannick
        Buvette | 7 000,00 | 8 127,60 | 1 127,60 | 20/07 | Solène
        Crêpes et galettes | 2 200,00 | 2 486,30 | 286,30 | 20/07 | Maryvonne
        Tombola | 900,00 | 1 014,00 | 114,00 | 20/07 | Gaël
        Mécénat des commerçants | 1 500,00 | 1 250,00 | -250,00 | 30/06 | Colette
        Vente de tee-shirts | 600,00 | 384,00 | -216,00 | 20/07 | Gaël
        Total recettes | 27 300,00 | 28 316,90 | 1 016,90 | |
        DÉPENSES | | | | |
        Cachets des musiciens | 9 800,00 | 9 800,00 | 0,00 | 20/07 | Colette
        Scène et éclairage | 4 300,00 | 4 652,00 | 352,00 | 21/07 | Anatole
        Sonorisation | 2 900,00 | 2 900,00 | 0,00 | 21/07 | Anatole
        Boissons, brasserie Ar Menez | 3 100,00 | 3 418,75 | 318,75 | 25/07 | Solène
        Farine, beurre, œufs | 650,00 | 702,18 | 52,18 | 17/07 | Maryvonne
        Toilettes sèches | 880,00 | 880,00 | 0,00 | 22/07 | Anatole
        Secours et gardiennage | 1 700,00 | 1 945,50 | 245,50 | 28/07 | Yannick
        Assurance | 420,00 | 418,20 | -1,80 | 04/06 | Colette
        Droits d'auteur | 1 150,00 | 1 093,41 | -56,59 | 19/08 | Colette
        Affiches et tracts | 540,00 | 497,00 | -43,00 | 11/06 | Gaël
        Hébergement des artistes | 760,00 | 615,00 | -145,00 | 20/07 | Maryvonne
        Location de tables | 300,00 | 270,00 | -30,00 | 21/07 | Gaël
        Total dépenses | 26 500,00 | 27 192,04 | 692,04 | |
        Résultat | 800,00 | 1 124,86 | 324,86 | |
        """
    )
    keys = ["item", "plan", "real", "diff", "day", "who"]
    titles = ["Fest-noz de Kerlouzec 2025", "Prévu", "Réalisé", "Écart", "Réglé le", "Responsable"]
    side = """<div style="position:absolute;right:34px;top:128px;width:420px;line-height:1.75;
    background:#263238;padding:14px 20px"><b>[[n-label|Notes du bureau]]</b><br>[[cash-label|En
    caisse au 31/08]] [[cash|2 307,15 €]]<br>[[book-label|Livret d'épargne]] [[book|6 480,00
    €]]<br>[[vol-label|Bénévoles]] [[vol|84 (record)]]<br>[[vis-label|Entrées payantes]] [[vis|1
    212]]<br>[[cup-label|Gobelets perdus]] [[cup|137 à 1 € de consigne]]<br>[[ag-label|Assemblée
    générale]] [[ag|vendredi 10 octobre, 20 h]]<br>[[place-label|Lieu]] [[place|salle du
    Moulin-Neuf]]<br>[[next-label|Prochaine édition]] [[next|17 et 18 juillet
    2026]]<br>[[rain-label|
    Repli en cas de pluie]] [[rain|hangar Le Goff]]<br>[[bill-label|Facture en attente]] [[bill|
    groupe électrogène]]<br>[[tres-label|Trésorière]] [[tres|Colette Jaouen]]<br>[[aud-label|
    Vérificateur]] [[aud|Fañch Riou]]</div>"""
    parts = {
        "file": "comptes_festnoz_2025.ods",
        "saved": "Enregistré à 21:07",
        "menu": "Fichier Édition Affichage Insertion Format Données Outils Aide",
        "cell": "D7",
        "formula": "=C7-B7",
        "tabs": "Comptes, Bénévoles, Buvette, Matériel, 2024",
        "after": side,
        "css": "td{text-align:right;padding:3px 14px} .c-item,.c-who{text-align:left}"
        " .t{background:#37474f}",
    }
    colours = {"back": "#1c2226", "ink": "#e6e1d3", "line": "#3b464c", "bar": "#262e33"}
    body = grid(keys, titles, rows, 1, (0, 10, 11, 24, 25))
    html = window(body, {**colours, "mark": "#80cbc4"}, "18px Cabin", (1400, 960), parts)
    return Page("spreadsheet-9", html, 1400, 960, "fr")


def hives() -> Page:
    """A beekeeper's honey harvest, a printed sheet with stripes, scanned askew."""
    places = listed("Lime Avenue,Quarry Edge,School Garden,Heather Moor,Railway Bank")
    queens = listed("Buckle,Carni,Local,Buckle,Local")
    random = Random(7)
    rows: list[list[object]] = []
    for number in range(24):
        spring, summer = random.uniform(2, 19), random.uniform(0, 24)
        late = random.uniform(3, 12) if number % 5 == 3 else 0
        kilos = [round(value, 1) for value in (spring, summer, late)]
        mites = random.randint(0, 28)
        act = "acid strips" if mites > 20 else "watch" if mites > 10 else "none"
        front = [f"H{number + 1:02d}", places[number % 5], queens[(number * 3) % 5]]
        born = random.choice([2022, 2023, 2024, 2025])
        shown = [f"{value:.1f}" if value else "–" for value in kilos]
        temper = random.choice(["calm", "calm", "lively", "stings"])
        feed = random.choice([10, 12, 14, 15])
        rows.append([*front, born, temper, *shown, f"{sum(kilos):.1f}", mites, act, feed])
    keys = ["hive", "place", "race", "born", "mood", "may", "july", "sept"]
    keys += ["sum", "mites", "act", "feed"]
    titles = ["Hive", "Stand", "Strain", "Queen of", "Temper", "May kg", "July kg", "Sept kg"]
    titles += ["Year kg", "Mites/day", "Treatment", "Sugar kg"]
    heads = "".join(text(f"h-{key}", name, "th") for key, name in zip(keys, titles, strict=True))
    lines = "".join(
        "<tr>"
        + "".join(
            text(f"r{n}-{key}", cell, "td", f'class="c-{key}"')
            for key, cell in zip(keys, row, strict=True)
        )
        + "</tr>"
        for n, row in enumerate(rows)
    )
    whole = sum(float(row[8]) for row in rows)
    html = """
    <style>.s{width:1400px;height:1080px;box-sizing:border-box;background:#fff;padding:90px 96px;
    font:18px/1.4 'Roboto Condensed'} table{border-collapse:collapse;width:100%;margin:14px 0}
    th{border-bottom:2px solid #000;text-align:right;font-weight:500;padding:3px 8px} td{
    text-align:right;padding:2px 8px} tr:nth-child(odd) td{background:#f2ead0} td:nth-child(2),
    td:nth-child(3),td:nth-child(5),th:nth-child(2),th:nth-child(3),th:nth-child(5){text-align:left}
    .r{display:flex;justify-content:space-between;gap:40px}</style><div class="s"><div class="r"><b
    style="font-size:30px">[[title|Honey book 2025, Thistledown Apiary]]</b><span>[[print|printed 4
    October 2025]]</span></div><table><tr>@heads@</tr>@lines@</table><div class="r"><div>
    [[sum-label|Whole harvest, kg]] <b>[[sum|@whole@]]</b><br>[[jars-label|Jars of 500 g filled]]
    [[jars|388]]<br>[[price-label|Price at the door]] [[price|£7.80]]<br>[[shop-label|Price to
    shops]] [[shop|£6.10]]</div><div>[[water-label|Water content, July]] [[water|17.2 %]]<br>
    [[moor-label|Heather honey goes to]] [[moor|Oaken Ladle, all of it]]<br>[[swarm-label|Swarms
    caught]] [[swarm|3 (10, 14 May, 2 June)]]<br>[[loss-label|Colonies lost last winter]] [[loss|4
    of 26]]</div><div>[[vet-label|Bee inspector]] [[vet|Mr Ahlgren, 01555 730 118]]<br>[[wax-label|
    Wax to melt]] [[wax|11 kg]]<br>[[order-label|To order]] [[order|60 frames, 2 veils]]<br>
    [[oxal-label|Winter treatment]] [[oxal|after first frost, by 20 December]]</div></div></div>"""
    html = fill(html, heads=heads, lines=lines, whole=f"{whole:.1f}")
    return Page("spreadsheet-10", html, 1400, 1080, skew=-3.0, blur=0.6, noise=2, jpeg=58)


def pages() -> list[Page]:
    """All spreadsheets."""
    return [
        sales(),
        budget(),
        stock(),
        marks(),
        project(),
        runs(),
        wedding(),
        fleet(),
        rota(),
        association(),
        hives(),
    ]
