"""Dashboards: sales, servers, solar plant, helpdesk, hospital, store, adverts, factory."""

# ruff: noqa: E501 - rows of tables and styles stand on lines of their own length

from markup import bar, box, curve, label, lines, marked, pair, stroke, svg, table, text, whole
from page import Page

CARDS = (
    ".cards{display:flex;gap:16px}.pair{flex:1;border-radius:8px;padding:14px 18px}"
    ".pair .label{display:block}.pair .value{display:block;font-weight:700}"
)


def heads(items: str) -> str:
    """Return a navigation list; its entries have ids nav0, nav1 and so on."""
    names = [name.strip() for name in items.split("|")]
    return "".join(box(text(f"nav{i}", name), "nav") for i, name in enumerate(names))


def cards(block: str) -> str:
    """Return a row of cards: id, label, value and a remark in each line."""
    content = "".join(
        f'<div class="pair">{text(f"{key}-label", name, look="label")}'
        f"{text(key, value, look='value')}{text(f'{key}-note', note, look='note')}</div>"
        for key, name, value, note in lines(block)
    )
    return box(content, "cards")


def trend(
    values: list[float], names: list[str], size: tuple[int, int], colour: str, ink: str
) -> str:
    """Return a small line chart with names below; names have the ids t0, t1 and so on."""
    width, height = size
    top, low = max(values) * 1.1, 0
    step = (width - 60) / (len(values) - 1)
    spots = [
        (40 + step * i, height - 30 - (height - 50) * (value - low) / (top - low))
        for i, value in enumerate(values)
    ]
    grid = "".join(
        stroke(40, 20 + (height - 50) * k / 4, width - 20, 20 + (height - 50) * k / 4, "#8884")
        for k in range(5)
    )
    words = "".join(
        label(f"t{i}", x, height - 8, name, 13, "middle", ink)
        for i, ((x, _), name) in enumerate(zip(spots, names, strict=True))
    )
    return svg(width, height, grid + curve(spots, colour, 3) + words)


def columns(
    block: str, size: tuple[int, int], colour: str, ink: str, key: str = "m", print_size: int = 13
) -> str:
    """Return a small bar chart, values printed above (ids m0-value) and names below (m0-name)."""
    width, height = size
    rows = lines(block)
    numbers = [float(value.replace(" ", "").replace(",", ".")) for _, value in rows]
    step = (width - 20) / len(rows)
    parts = []
    for i, ((name, value), number) in enumerate(zip(rows, numbers, strict=True)):
        tall = (height - 60) * number / max(numbers)
        x = 10 + step * i
        parts.append(bar(x + step * 0.18, height - 30 - tall, step * 0.64, tall, colour, 3))
        middle = x + step / 2
        parts.append(
            label(f"{key}{i}-value", middle, height - 36 - tall, value, print_size, "middle", ink)
        )
        parts.append(label(f"{key}{i}-name", middle, height - 10, name, print_size, "middle", ink))
    return svg(width, height, "".join(parts))


def sales() -> Page:
    """Return a dark dashboard of an online shop for tea."""
    css = CARDS + (
        "body{background:#12161f;color:#dfe5f0;font:15px 'Open Sans',sans-serif;display:flex}"
        ".side{width:200px;background:#0c0f16;height:1066px;padding:24px 18px}"
        ".nav{padding:11px 8px;color:#8d99b0}.main{flex:1;padding:22px 28px}"
        "h1{font-size:24px;margin:0 0 4px}.sub{color:#8d99b0;font-size:14px;margin-bottom:18px}"
        ".pair{background:#1b2230}.pair .label{color:#8d99b0;font-size:14px}"
        ".pair .value{font-size:26px;margin:4px 0}.note{font-size:13px;color:#5fd08a}"
        ".panel{background:#1b2230;border-radius:8px;padding:16px 20px}"
        ".panel h2{font-size:16px;margin:0 0 10px}.two{display:flex;gap:16px;margin-top:16px}"
        "td,th{padding:7px 10px;font-size:14px;border-bottom:1px solid #2a3344}"
        "th{color:#8d99b0;font-weight:400}table{width:100%}"
    )
    top = cards(
        """rev | Net revenue | $184,220 | +8.4 % vs. last week
        ord | Orders | 3,917 | +5.1 % vs. last week
        aov | Avg. order value | $47.03 | +3.1 % vs. last week
        cvr | Conversion rate | 2.86 % | -0.2 pt vs. last week
        ret | Refund rate | 1.9 % | +0.3 pt vs. last week
        cart | Abandoned carts | 1,204 | -2.7 % vs. last week"""
    )
    days = ["Mon 6", "Tue 7", "Wed 8", "Thu 9", "Fri 10", "Sat 11", "Sun 12"]
    chart = trend([22, 24, 21.5, 26, 29, 34, 28], days, (620, 260), "#5aa7ff", "#8d99b0")
    goods = table(
        [("name", "Product"), ("units", ">Units"), ("sum", ">Revenue"), ("stock", ">In stock")],
        lines(
            """Morning Mist Oolong 100 g | 412 | $9,064 | 1,130
            Harbour Breakfast 250 g | 388 | $6,596 | 842
            Smoked Pine Lapsang | 301 | $6,923 | 97
            Copper Kettle 1.2 l | 148 | $11,692 | 36
            Lemon Verbena Loose | 290 | $3,770 | 655
            Travel Infuser Steel | 266 | $5,054 | 418
            Advent Box 24 Teas | 251 | $9,789 | 1,920
            Jasmine Pearls 50 g | 233 | $5,359 | 204
            Rooibos Vanilla 500 g | 197 | $4,137 | 311"""
        ),
    )
    channels = table(
        [("name", "Channel"), ("visits", ">Visits"), ("share", ">Share of sales")],
        lines(
            """Organic search | 48,310 | 34 %
            Newsletter | 17,905 | 27 %
            Paid social | 39,442 | 16 %
            Direct | 21,076 | 14 %
            Affiliates | 10,254 | 9 %"""
        ),
        "c",
        "hc-",
    )
    places = table(
        [("name", "Warehouse"), ("open", ">Open orders"), ("late", ">Delayed")],
        lines("Dunmore | 214 | 6\nEast Quay | 178 | 19\nOld Mill | 95 | 2"),
        "w",
        "hw-",
    )
    body = (
        box(
            text("brand", "LEAF &amp; LADLE", style="font-weight:700;font-size:18px")
            + "<br><br>"
            + heads("Overview|Orders|Products|Customers|Campaigns|Stock|Settings"),
            "side",
        )
        + '<div class="main">'
        + text("title", "Shop overview", "h1")
        + box(
            text("period", "6 &ndash; 12 October 2025")
            + " &middot; "
            + text("sync", "last sync 07:42")
            + " &middot; "
            + text("tz", "times in UTC+1"),
            "sub",
        )
        + top
        + box(
            box(text("chart", "Revenue per day (thousand $)", "h2") + chart, "panel")
            + box(
                text("channels", "Where sales come from", "h2") + channels + "<br>" + places,
                "panel",
                "flex:1",
            ),
            "two",
        )
        + box(box(text("goods", "Best sellers", "h2") + goods, "panel", "flex:1"), "two")
        + "</div>"
    )
    return Page("dashboard-0", whole(css, body), 1600, 1066)


def servers() -> Page:
    """Return a light dashboard of servers."""
    css = CARDS + (
        "body{background:#f3f5f7;color:#24292f;font:15px Roboto,sans-serif;padding:0}"
        ".bar{background:#fff;border-bottom:1px solid #d5dae0;padding:14px 28px;display:flex;"
        "gap:34px;align-items:center}.main{padding:20px 28px}"
        ".pair{background:#fff;border:1px solid #d5dae0}.pair .value{font-size:30px}"
        ".label,.note{color:#616a75;font-size:14px}.two{display:flex;gap:18px;margin-top:18px}"
        ".panel{background:#fff;border:1px solid #d5dae0;border-radius:8px;padding:14px 20px}"
        "h2{font-size:17px;margin:0 0 10px}table{width:100%}td,th{padding:12px 12px;border-bottom:1px solid #e6eaee;"
        "font-size:15px}th{color:#616a75;font-weight:500}td{font-variant-numeric:tabular-nums}"
        ".alert{padding:13px 0;border-bottom:1px solid #e6eaee;line-height:1.45}"
        ".when{color:#616a75;font-size:13px}"
    )
    hosts = table(
        [
            ("host", "Host"),
            ("zone", "Zone"),
            ("cpu", ">CPU"),
            ("mem", ">Memory"),
            ("disk", ">Disk"),
            ("lat", ">Latency p95"),
            ("req", ">Req/s"),
            ("up", ">Uptime"),
            ("state", "State"),
        ],
        lines(
            """web-01 | north-a | 41 % | 58 % | 33 % | 84 ms | 1,204 | 112 d | healthy
            web-02 | north-a | 39 % | 61 % | 35 % | 81 ms | 1,187 | 112 d | healthy
            web-03 | north-b | 77 % | 83 % | 34 % | 214 ms | 1,233 | 9 d | warning
            web-04 | south-a | 36 % | 55 % | 31 % | 79 ms | 1,102 | 64 d | healthy
            api-01 | north-a | 52 % | 47 % | 28 % | 46 ms | 2,871 | 31 d | healthy
            api-02 | north-b | 55 % | 49 % | 27 % | 49 ms | 2,902 | 31 d | healthy
            api-03 | south-a | 48 % | 44 % | 29 % | 44 ms | 2,650 | 31 d | healthy
            db-main | north-a | 63 % | 91 % | 72 % | 12 ms | 5,410 | 203 d | warning
            db-copy | south-a | 22 % | 74 % | 72 % | 15 ms | 1,920 | 203 d | healthy
            cache-01 | north-a | 12 % | 88 % | 9 % | 2 ms | 9,345 | 58 d | healthy
            cache-02 | north-b | 11 % | 86 % | 9 % | 2 ms | 9,120 | 58 d | healthy
            queue-01 | north-b | 19 % | 35 % | 41 % | 7 ms | 688 | 140 d | healthy
            mail-01 | south-a | 6 % | 28 % | 57 % | 31 ms | 44 | 325 d | healthy
            backup-01 | south-b | 3 % | 17 % | 94 % | &ndash; | &ndash; | 325 d | critical
            build-01 | south-b | 88 % | 62 % | 66 % | &ndash; | &ndash; | 4 d | healthy
            build-02 | south-b | 0 % | 5 % | 64 % | &ndash; | &ndash; | &ndash; | offline"""
        ),
    )
    alerts = "".join(
        box(text(f"a{i}", words) + "<br>" + text(f"a{i}-when", when, look="when"), "alert")
        for i, (words, when) in enumerate(
            lines(
                """backup-01: disk above 90 % | 08:17, unassigned
                web-03: latency above 200 ms | 08:02, assigned to Priya Nolan
                build-02: no heartbeat since 06:40 | 06:45, assigned to Tomasz Wirth
                db-main: memory above 90 % | 05:31, muted until Friday
                Certificate of static.brindle.test ends in 11 days | yesterday, 19:00
                mail-01: 312 messages in the queue | yesterday, 16:24, resolved"""
            )
        )
    )
    top = cards(
        """req | Requests (24 h) | 318.4 M | peak 5,290/s
        err | Error rate | 0.07 % | target below 0.10 %
        p95 | Latency p95 | 92 ms | target below 120 ms
        hosts | Hosts online | 15 / 16 | 1 offline
        cost | Cloud cost this month | &euro;7,318 | budget &euro;9,000
        inc | Open incidents | 4 | oldest 3 h"""
    )
    duty = box(
        text("duty", "On call", "h2")
        + pair("first", "Primary: ", "Priya Nolan", "")
        + pair("second", "Backup: ", "Luca Ferrant", "")
        + pair("turn", "Next change: ", "Thu 09:00", "")
        + pair("line", "Phone bridge: ", "+44 20 7946 0188", ""),
        "panel",
        "margin-top:18px;line-height:1.6",
    )
    body = box(
        text("brand", "Brindle Ops", style="font-weight:700;font-size:20px")
        + text("nav0", "Fleet")
        + text("nav1", "Services")
        + text("nav2", "Traces")
        + text("nav3", "Logs")
        + text("nav4", "Deploys")
        + text("clock", "Wed 19 Nov, 08:24", style="margin-left:auto"),
        "bar",
    ) + box(
        top
        + box(
            box(text("fleet", "Fleet", "h2") + hosts, "panel", "flex:1")
            + box(box(text("alerts", "Alerts", "h2") + alerts, "panel") + duty, "", "width:440px"),
            "two",
        ),
        "main",
    )
    return Page("dashboard-1", whole(css, body), 1920, 1080)


def solar() -> Page:
    """Return a German dashboard of a solar plant."""
    css = CARDS + (
        "body{background:#fbfaf5;color:#2c3a2f;font:16px Lato,sans-serif;padding:24px 32px}"
        "h1{font-size:27px;margin:0}.pair{background:#e7efd9}.pair .value{font-size:28px}"
        ".label,.note{font-size:15px;color:#5b6b55}.two{display:flex;gap:18px;margin-top:18px}"
        ".panel{border:1px solid #cdd8bb;border-radius:8px;padding:14px 20px;background:#fff}"
        "table{width:100%}h2{font-size:18px;margin:0 0 8px}td,th{padding:7px 11px;font-size:15px;"
        "border-bottom:1px solid #e3e8d8}th{color:#5b6b55}.row{padding:5px 0}"
    )
    top = cards(
        """now | Aktuelle Leistung | 6,42 kW | 71 % der Nennleistung
        day | Ertrag heute | 31,8 kWh | Stand 14:05 Uhr
        own | Eigenverbrauch | 58 % | 18,4 kWh
        feed | Einspeisung | 13,4 kWh | 8,11 ct/kWh
        bat | Batterieladung | 83 % | voll gegen <span id=\"full\">15:20</span> Uhr
        co | CO2 vermieden | 12,7 t | seit Inbetriebnahme"""
    )
    months = columns(
        """Jan | 212
        Feb | 318
        M&auml;r | 604
        Apr | 835
        Mai | 1012
        Jun | 1087
        Jul | 1054
        Aug | 931
        Sep | 702
        Okt | 421""",
        (640, 270),
        "#9bbf4c",
        "#2c3a2f",
    )
    parts = table(
        [
            ("name", "Wechselrichter"),
            ("roof", "Dachfl&auml;che"),
            ("kw", ">Leistung"),
            ("temp", ">Temperatur"),
            ("volt", ">Spannung"),
            ("state", "Status"),
        ],
        lines(
            """WR 1 | S&uuml;d, oben | 2,31 kW | 48 &deg;C | 612 V | in Betrieb
            WR 2 | S&uuml;d, unten | 2,08 kW | 46 &deg;C | 598 V | in Betrieb
            WR 3 | West | 1,57 kW | 51 &deg;C | 577 V | in Betrieb
            WR 4 | Garage | 0,46 kW | 63 &deg;C | 401 V | gedrosselt
            WR 5 | Ost | 0,00 kW | 22 &deg;C | 0 V | St&ouml;rung"""
        ),
    )
    users = table(
        [("name", "Verbraucher"), ("now", ">jetzt"), ("day", ">heute")],
        lines(
            """W&auml;rmepumpe | 1.240 W | 7,9 kWh
            Wallbox | 0 W | 6,2 kWh
            K&uuml;che | 310 W | 1,8 kWh
            Waschk&uuml;che | 475 W | 1,1 kWh
            B&uuml;ro | 96 W | 0,7 kWh
            Sonstiges | 142 W | 0,7 kWh"""
        ),
        "v",
        "hv-",
    )
    notes = "".join(
        box(text(f"n{i}-when", when, style="color:#5b6b55") + " " + text(f"n{i}", words), "row")
        for i, (when, words) in enumerate(
            lines(
                """12:51 | WR 4: Leistung wegen Hitze reduziert
                09:30 | WR 5: Isolationsfehler, Techniker bestellt f&uuml;r Donnerstag
                06:48 | Erste Einspeisung des Tages
                gestern | Batterie: Softwarestand 4.18 installiert
                28.10. | Z&auml;hlerstand an den Netzbetreiber gemeldet"""
            )
        )
    )
    body = (
        text("title", "Solaranlage Hof Birkenau", "h1")
        + box(
            text("plant", "Anlage 9,05 kWp")
            + " &middot; "
            + text("start", "in Betrieb seit 3. Mai 2022")
            + " &middot; "
            + text("number", "Anlagennr. 70-4418-B"),
            "",
            "margin:4px 0 16px;color:#5b6b55",
        )
        + top
        + box(
            box(text("months", "Ertrag 2025 nach Monaten (kWh)", "h2") + months, "panel")
            + box(text("users", "Verbrauch im Haus", "h2") + users, "panel", "flex:1"),
            "two",
        )
        + box(
            box(text("parts", "Wechselrichter", "h2") + parts, "panel")
            + box(text("notes", "Meldungen", "h2") + notes, "panel", "flex:1"),
            "two",
        )
    )
    return Page("dashboard-2", whole(css, body, "de"), 1440, 900, language="de")


def helpdesk() -> Page:
    """Return a light dashboard of a helpdesk."""
    css = CARDS + (
        "body{background:#fff;color:#2b2640;font:16px 'Noto Sans',sans-serif;display:flex}"
        ".side{width:230px;background:#392f5a;color:#d9d3ee;height:1000px;padding:24px 20px}"
        ".nav{padding:10px 0;font-size:16px}.main{flex:1;padding:22px 30px}h1{font-size:26px;margin:0}"
        ".pair{border-left:5px solid #ff8811;background:#faf7f2}.pair .value{font-size:28px}"
        ".label,.note{font-size:14px;color:#6f688a}.two{display:flex;gap:26px;margin-top:22px}"
        "h2{font-size:18px;margin:0 0 8px;border-bottom:2px solid #392f5a;padding-bottom:6px}"
        "table{width:100%}td,th{padding:7px 10px;font-size:15px}tr:nth-child(even) td{background:#f6f4fa}"
        "th{color:#6f688a;font-size:14px}"
    )
    top = cards(
        """open | Unresolved | 146 | 23 new today
        wait | Median first reply | 1 h 12 min | goal 2 h
        sat | Satisfaction | 4.6 / 5 | 388 ratings
        back | Reopened | 5.2 % | 30 days
        late | Past deadline | 11 | 3 urgent"""
    )
    team = table(
        [
            ("name", "Agent"),
            ("open", ">Open"),
            ("done", ">Solved"),
            ("reply", ">First reply"),
            ("stars", ">Rating"),
            ("shift", "Shift"),
        ],
        lines(
            """Amara Okello | 17 | 94 | 38 min | 4.9 | 07&ndash;15
            Ben Hartwell | 22 | 71 | 1 h 20 | 4.4 | 09&ndash;17
            Chiara Donati | 14 | 102 | 29 min | 4.8 | 07&ndash;15
            Dmitri Volsky | 31 | 55 | 2 h 05 | 4.1 | 12&ndash;20
            Esme Caldwell | 19 | 83 | 55 min | 4.7 | 09&ndash;17
            Farid Nasser | 12 | 67 | 1 h 02 | 4.6 | 12&ndash;20
            Greta Lindqvist | 20 | 78 | 47 min | 4.5 | 09&ndash;17
            Hugo Park | 11 | 49 | 1 h 31 | 4.3 | part time"""
        ),
    )
    topics = table(
        [("name", "Topic"), ("count", ">Tickets"), ("change", ">Change")],
        lines(
            """Delivery | 61 | +12 %
            Login &amp; password | 44 | -8 %
            Billing | 39 | +3 %
            Returns | 33 | +1 %
            Mobile app | 28 | +40 %
            Gift cards | 9 | -25 %
            Other | 17 | 0 %"""
        ),
        "t",
        "ht-",
    )
    urgent = table(
        [
            ("id", "Ticket"),
            ("subject", "Subject"),
            ("who", "Customer"),
            ("prio", "Priority"),
            ("due", "Due"),
            ("agent", "Owner"),
        ],
        lines(
            """#20418 | Double charge on annual plan | R. Moncrieff | Urgent | today 11:30 | Ben Hartwell
            #20431 | App closes when scanning | Tilbury Clinic | Urgent | today 12:15 | Chiara Donati
            #20397 | Parcel marked delivered, not here | J. Aldous | High | today 14:00 | Dmitri Volsky
            #20440 | Cannot change e-mail address | S. Ravel | Normal | today 16:45 | Esme Caldwell
            #20402 | Invoice without VAT number | Osprey Prints | High | tomorrow 09:00 | Farid Nasser
            #20385 | Broken zip, wants exchange | L. Penhale | Normal | tomorrow 10:30 | unassigned
            #20444 | Export to CSV is empty | Quill &amp; Co | High | tomorrow 12:00 | Greta Lindqvist"""
        ),
        "q",
        "hq-",
    )
    body = (
        box(
            text("brand", "halo desk", style="font-size:22px;font-weight:700")
            + "<br><br>"
            + heads("Home|Inbox|Views|Reports|Knowledge base|People|Admin")
            + box(
                text("plan", "Plan: Team, 12 seats") + "<br>" + text("renew", "renews 4 March"),
                "",
                "margin-top:480px;font-size:14px",
            ),
            "side",
        )
        + '<div class="main">'
        + text("title", "Support today", "h1")
        + box(
            text("date", "Tuesday, 14 January")
            + " &middot; "
            + text("week", "figures: last 30 days"),
            "",
            "color:#6f688a;margin:4px 0 16px",
        )
        + top
        + box(
            box(text("team", "Team", "h2") + team, "", "flex:1.5")
            + box(text("topics", "What people write about", "h2") + topics, "", "flex:1"),
            "two",
        )
        + box(box(text("urgent", "Due next", "h2") + urgent, "", "flex:1"), "two")
        + "</div>"
    )
    return Page("dashboard-3", whole(css, body), 1440, 1000, jpeg=62)


def hospital() -> Page:
    """Return a screen that shows the beds of a hospital, photographed."""
    css = CARDS + (
        "body{background:#0b2530;color:#e4f1f4;font:19px 'Liberation Sans',sans-serif;padding:26px 34px}"
        "h1{font-size:32px;margin:0}.top{display:flex;justify-content:space-between;margin-bottom:18px}"
        ".pair{background:#12394a}.pair .value{font-size:38px}.label,.note{font-size:17px;color:#9cc3cf}"
        "td,th{padding:14px 14px;border-bottom:1px solid #1e4c5f}th{color:#9cc3cf;font-size:17px}"
        "table{width:100%}.two{display:flex;gap:30px;margin-top:22px}h2{font-size:21px;margin:0 0 8px}"
        ".item{padding:12px 0;border-bottom:1px solid #1e4c5f}"
    )
    top = cards(
        """beds | Staffed beds | 412 | 9 closed for cleaning
        used | Occupied | 378 | 91.7 %
        in | Admissions today | 46 | 31 through emergency
        out | Discharges planned | 39 | 14 done by 11:00
        wait | Emergency wait | 2 h 35 min | 27 people
        icu | ICU beds free | 3 | of 28"""
    )
    wards = table(
        [
            ("name", "Ward"),
            ("floor", "Floor"),
            ("beds", ">Beds"),
            ("used", ">Occupied"),
            ("free", ">Free"),
            ("iso", ">Isolation"),
            ("out", ">Leaving today"),
            ("lead", "Nurse in charge"),
        ],
        lines(
            """Cardiology | 4 East | 36 | 35 | 1 | 2 | 5 | M. Aubrey
            Orthopaedics | 3 West | 42 | 37 | 5 | 0 | 8 | T. Okafor
            General surgery | 3 East | 40 | 38 | 2 | 1 | 6 | L. Benedek
            Maternity | 2 West | 30 | 24 | 6 | 0 | 7 | S. Whitcombe
            Children | 2 East | 28 | 21 | 7 | 3 | 4 | A. Rosales
            Neurology | 5 West | 34 | 33 | 1 | 1 | 2 | P. Ingram
            Oncology | 5 East | 32 | 32 | 0 | 4 | 1 | H. Castell
            Respiratory | 4 West | 38 | 37 | 1 | 9 | 3 | D. Mwangi
            Geriatrics | 6 East | 44 | 43 | 1 | 5 | 2 | R. Soames
            Stroke unit | 5 West | 16 | 14 | 2 | 0 | 1 | K. Yoshida
            Intensive care | 1 East | 28 | 25 | 3 | 6 | 0 | N. Brandt
            Day clinic | 1 West | 44 | 39 | 5 | 0 | 0 | F. Delacour"""
        ),
    )
    news = "".join(
        box(text(f"n{i}", words), "item")
        for i, words in enumerate(
            [
                "Lift 2 out of service until " + text("lift", "15:30"),
                "MRI: next free slot " + text("mri", "13:10"),
                "Norovirus on Respiratory: " + text("noro", "no visitors"),
                "Blood bank: low on " + text("blood", "O negative"),
                "Fire drill " + text("drill", "Thursday 10:00"),
                "Bed manager: bleep " + text("bleep", "4471"),
                "Pharmacy closes at " + text("pharm", "19:00"),
            ]
        )
    )
    wait = columns(
        """08 | 14
        09 | 19
        10 | 23
        11 | 27""",
        (420, 240),
        "#e0a030",
        "#e4f1f4",
        print_size=17,
    )
    body = (
        box(
            text("title", "St Bride&rsquo;s Hospital: beds", "h1")
            + text("clock", "Mon 3 Feb, 11:20"),
            "top",
        )
        + top
        + box(
            box(wards, "", "flex:1")
            + box(
                text("news", "Notices", "h2")
                + news
                + "<br>"
                + text("wait-head", "Waiting in emergency, by hour", "h2")
                + wait,
                "",
                "width:440px",
            ),
            "two",
        )
    )
    return Page("dashboard-4", whole(css, body), 1920, 1080, skew=1.4, noise=2.5, jpeg=64)


def store() -> Page:
    """Return a French dashboard of a warehouse."""
    css = CARDS + (
        "body{background:#eef1f6;color:#1d2b45;font:16px 'Liberation Sans',sans-serif}"
        ".bar{background:#14315f;color:#fff;padding:16px 30px;display:flex;gap:36px;font-size:17px}"
        ".main{padding:20px 30px}.pair{background:#fff}.pair .value{font-size:27px}"
        ".label,.note{color:#5d6a82;font-size:15px}.two{display:flex;gap:18px;margin-top:18px}"
        ".panel{background:#fff;border-radius:8px;padding:14px 20px}h2{font-size:18px;margin:0 0 8px}"
        "td,th{padding:7px 11px;font-size:15px;border-bottom:1px solid #e0e5ee}th{color:#5d6a82}"
        "table{width:100%}"
    )
    top = cards(
        """prep | Commandes pr&eacute;par&eacute;es | 1 842 | objectif 2 100
        exp | Colis exp&eacute;di&eacute;s | 1 655 | dont 212 express
        err | Erreurs de picking | 0,34 % | seuil 0,50 %
        ret | Retours re&ccedil;us | 97 | 41 &agrave; contr&ocirc;ler
        quai | Quais occup&eacute;s | 7 / 10 | prochain d&eacute;part 15:45"""
    )
    trucks = table(
        [
            ("truck", "Camion"),
            ("firm", "Transporteur"),
            ("quay", "Quai"),
            ("to", "Destination"),
            ("pal", ">Palettes"),
            ("time", ">D&eacute;part"),
            ("state", "&Eacute;tat"),
        ],
        lines(
            """FR-318-KD | Translor | Q2 | Nantes | 26 | 14:10 | parti
            GH-902-BA | Voltane | Q5 | Lille | 33 | 14:30 | parti
            CX-144-PL | Rapidoc | Q1 | Bordeaux | 18 | 15:45 | chargement
            EN-571-RT | Translor | Q7 | Grenoble | 29 | 16:00 | chargement
            AB-660-MV | Serfret | Q3 | Rennes | 31 | 16:20 | en attente
            DZ-027-HQ | Voltane | Q8 | Dijon | 12 | 16:40 | retard 35 min
            KL-485-NS | Rapidoc | Q4 | Toulouse | 33 | 17:15 | en attente
            PM-733-FG | Serfret | Q6 | Metz | 22 | 18:00 | annonc&eacute;"""
        ),
    )
    zones = table(
        [("zone", "Zone"), ("fill", ">Remplissage"), ("lead", "Responsable")],
        lines(
            """A &ndash; &Eacute;picerie | 87 % | Nadia Berthelot
            B &ndash; Boissons | 94 % | Julien Lacombe
            C &ndash; Surgel&eacute;s | 71 % | Awa Traor&eacute;
            D &ndash; Hygi&egrave;ne | 63 % | Paul Estrade
            E &ndash; Jouets | 98 % | In&egrave;s Corbin
            F &ndash; Jardin | 42 % | Marc Oliveira"""
        ),
        "z",
        "hz-",
    )
    hours = columns(
        """6 h | 118
        7 h | 164
        8 h | 201
        9 h | 226
        10 h | 232
        11 h | 219
        12 h | 97
        13 h | 185
        14 h | 208""",
        (700, 230),
        "#3f7ad6",
        "#1d2b45",
    )
    low = table(
        [
            ("ref", "R&eacute;f."),
            ("name", "Article"),
            ("left", ">Reste"),
            ("next", "R&eacute;appro"),
        ],
        lines(
            """80417 | Eau gazeuse 6 x 1 l | 38 | 21/05
            11902 | Riz long 5 kg | 12 | 20/05
            66350 | Lessive 3 l | 9 | 23/05
            24078 | Terreau 40 l | 4 | non pr&eacute;vu
            57113 | Caf&eacute; moulu 250 g | 55 | 22/05"""
        ),
        "s",
        "hs-",
    )
    body = box(
        text("brand", "Entrep&ocirc;t de Villeneuve", style="font-weight:700")
        + text("nav0", "Vue du jour")
        + text("nav1", "Stocks")
        + text("nav2", "&Eacute;quipes")
        + text("clock", "mardi 19 mai, 15:05", style="margin-left:auto"),
        "bar",
    ) + box(
        top
        + box(
            box(
                text("trucks", "D&eacute;parts de l&rsquo;apr&egrave;s-midi", "h2") + trucks,
                "panel",
                "flex:1.5",
            )
            + box(text("zones", "Zones de stockage", "h2") + zones, "panel", "flex:1"),
            "two",
        )
        + box(
            box(text("hours", "Lignes pr&eacute;par&eacute;es par heure", "h2") + hours, "panel")
            + box(text("low", "Ruptures proches", "h2") + low, "panel", "flex:1"),
            "two",
        ),
        "main",
    )
    return Page("dashboard-5", whole(css, body, "fr"), 1600, 900, language="fr")


def adverts() -> Page:
    """Return a dark dashboard of advertising campaigns."""
    css = CARDS + (
        "body{background:#1d1d1f;color:#ededf0;font:15px 'DejaVu Sans',sans-serif;padding:22px 30px}"
        "h1{font-size:23px;margin:0 0 14px;font-weight:400}.pair{border:1px solid #3a3a3f}"
        ".pair .value{font-size:23px;margin:3px 0}.label,.note{font-size:13px;color:#a5a5ad}"
        "td,th{padding:9px 12px;border-bottom:1px solid #333338;font-size:14px;white-space:nowrap}"
        "th{color:#a5a5ad;font-weight:400}table{width:100%;margin-top:18px}"
        ".tabs{display:flex;gap:28px;margin-top:20px;color:#a5a5ad}.foot{margin-top:16px;"
        "font-size:13px;color:#a5a5ad;display:flex;justify-content:space-between}"
        ".two{display:flex;gap:40px;margin-top:20px}h2{font-size:16px;font-weight:400;margin:0 0 6px}"
    )
    top = cards(
        """spend | Amount spent | &pound;12,480.16 | of &pound;18,000 budget
        impr | Impressions | 2.31 M | reach 604 K
        click | Link clicks | 38,902 | CTR 1.68 %
        conv | Purchases | 1,107 | &pound;11.27 each
        roas | Return on ad spend | 3.4x | target 3.0x"""
    )
    ads = table(
        [
            ("name", "Campaign"),
            ("state", "Delivery"),
            ("day", ">Daily budget"),
            ("spent", ">Spent"),
            ("impr", ">Impressions"),
            ("ctr", ">CTR"),
            ("cpc", ">CPC"),
            ("buy", ">Purchases"),
            ("roas", ">ROAS"),
            ("end", "Ends"),
        ],
        lines(
            """Spring raincoats &ndash; video | Active | &pound;120 | &pound;2,904.10 | 512,340 | 1.9 % | &pound;0.30 | 291 | 4.1x | 30 Apr
            Spring raincoats &ndash; carousel | Active | &pound;80 | &pound;1,877.55 | 340,118 | 1.4 % | &pound;0.39 | 152 | 3.3x | 30 Apr
            Retarget: basket left | Active | &pound;60 | &pound;1,402.00 | 98,771 | 3.7 % | &pound;0.38 | 263 | 7.2x | ongoing
            Kids wellies | Learning | &pound;45 | &pound;310.22 | 77,204 | 1.1 % | &pound;0.37 | 14 | 1.6x | 12 May
            Umbrella bundle | Paused | &pound;50 | &pound;988.90 | 201,556 | 0.9 % | &pound;0.55 | 48 | 1.9x | 15 Apr
            Store opening, Leith | Active | &pound;35 | &pound;640.75 | 143,092 | 2.2 % | &pound;0.20 | 0 | &ndash; | 18 Apr
            Lookalike 1 % UK | Active | &pound;90 | &pound;2,100.43 | 455,870 | 1.5 % | &pound;0.31 | 171 | 3.0x | ongoing
            Search: brand terms | Active | &pound;25 | &pound;566.38 | 41,905 | 9.8 % | &pound;0.14 | 122 | 8.9x | ongoing
            Search: waterproof jacket | Limited | &pound;70 | &pound;1,420.60 | 188,341 | 2.4 % | &pound;0.31 | 39 | 2.0x | ongoing
            Newsletter sign-up | Rejected | &pound;20 | &pound;0.00 | 0 | &ndash; | &ndash; | 0 | &ndash; | 31 May
            Autumn leftovers | Completed | &pound;0 | &pound;269.23 | 251,480 | 0.7 % | &pound;0.15 | 7 | 0.8x | 2 Apr"""
        ),
    )
    ages = columns(
        "18-24 | 11\n25-34 | 29\n35-44 | 31\n45-54 | 17\n55-64 | 8\n65+ | 4",
        (560, 210),
        "#c26bd6",
        "#ededf0",
    )
    spots = table(
        [("name", "Placement"), ("share", ">Share of spend"), ("cpa", ">Cost per purchase")],
        lines(
            "Feed | 44 % | &pound;10.90\nStories | 21 % | &pound;12.75\nSearch | 16 % | &pound;8.02\n"
            "Partner sites | 12 % | &pound;19.61\nMarketplace | 7 % | &pound;9.44"
        ),
        "p",
        "hp-",
    )
    body = (
        text("title", "Ads manager &ndash; Puddle &amp; Pine Outerwear", "h1")
        + top
        + box(
            text("tab0", "Campaigns")
            + text("tab1", "Ad sets")
            + text("tab2", "Ads")
            + text("range", "1 &ndash; 14 April 2025", style="margin-left:auto;color:#ededf0"),
            "tabs",
        )
        + ads
        + box(
            box(text("ages", "Purchases by age group (%)", "h2") + ages)
            + box(text("spots", "Placements", "h2") + spots, "", "flex:1"),
            "two",
        )
        + box(
            text("account", "Account 5540-1182-07")
            + text("pay-label", "Next payment: " + text("pay", "16 April") + ", card ending 3391")
            + text("attr", "Attribution: 7-day click, 1-day view"),
            "foot",
        )
    )
    return Page("dashboard-6", whole(css, body), 1680, 1050)


def factory() -> Page:
    """Return a screen on the wall of a bakery's factory, photographed a little askew."""
    css = CARDS + (
        "body{background:#2a2a2a;color:#f5f1e6;font:22px 'Roboto Condensed',sans-serif;padding:24px 30px}"
        "h1{font-size:36px;margin:0 0 14px}.pair{background:#3b3833}.pair .value{font-size:44px}"
        ".label,.note{font-size:20px;color:#cbbf9f}td,th{padding:9px 14px;font-size:22px;"
        "border-bottom:1px solid #4b463d}th{color:#cbbf9f;font-weight:400}table{width:100%}"
        ".two{display:flex;gap:34px;margin-top:22px}h2{font-size:25px;margin:0 0 8px}.item{padding:6px 0}"
    )
    top = cards(
        """oee | OEE | 78 % | target 82 %
        good | Good pieces | 41,260 | 640 rejects
        speed | Line speed | 112 / min | max. 130
        safe | Days without accident | 214 | record 301"""
    )
    rows = table(
        [
            ("line", "Line"),
            ("what", "Product"),
            ("plan", ">Planned"),
            ("made", ">Made"),
            ("bad", ">Rejects"),
            ("oee", ">OEE"),
            ("stop", "Last stop"),
        ],
        lines(
            """L1 | Rye crispbread | 9,000 | 8,410 | 95 | 84 % | 09:12 jam at cutter
            L2 | Oat biscuits | 12,500 | 11,020 | 210 | 77 % | 10:48 oven door
            L3 | Seed crackers | 7,200 | 7,155 | 41 | 91 % | 06:05 start-up
            L4 | Almond bars | 6,000 | 3,930 | 187 | 58 % | 11:31 no film
            L5 | Rice cakes | 8,800 | 8,125 | 73 | 82 % | 08:20 sensor
            L6 | Breadsticks | 5,400 | 2,620 | 34 | 63 % | 11:02 cleaning"""
        ),
    )
    crew = (
        box(text("lead-label", "Shift leader: ") + text("lead", "Oksana Reyes"), "item")
        + box(text("tech-label", "Electrician: ") + text("tech", "Will Tandy, ext. 228"), "item")
        + box(text("aid-label", "First aider: ") + text("aid", "Moses Adeyemi"), "item")
        + box(text("hand-label", "Handover: ") + text("hand", "13:45 in room B2"), "item")
        + box(text("oven-label", "Oven temperature L2: ") + text("oven", "236 &deg;C"), "item")
        + box(text("hum-label", "Humidity, hall: ") + text("hum", "46 %"), "item")
    )
    stops = columns(
        "Film | 52\nJam | 31\nClean | 27\nSensor | 14\nDoor | 9",
        (620, 260),
        "#d98e32",
        "#f5f1e6",
        "stop",
        20,
    )
    body = (
        text("title", "Hearthfield Bakery &ndash; early shift, 12:00", "h1")
        + top
        + box(box(rows, "", "flex:1"), "two")
        + box(
            box(text("stops", "Downtime by cause (minutes)", "h2") + stops)
            + box(text("crew", "Today", "h2") + crew, "", "flex:1"),
            "two",
        )
    )
    return Page("dashboard-7", whole(css, body), 1600, 980, skew=-2.1, blur=0.7, noise=2.0, jpeg=60)


def buses() -> Page:
    """Return the control room of a bus company, dark and narrow."""
    css = CARDS + (
        "body{background:#0b1d26;color:#d8ecf0;font:14px Cabin,sans-serif;padding:16px 22px}"
        ".bar{display:flex;gap:26px;align-items:baseline;margin-bottom:14px}h1{font-size:21px;"
        "margin:0}.cards{gap:10px}.pair{background:#12303c;border-radius:3px;padding:9px 12px}"
        ".pair .value{font-size:22px}.label,.note{font-size:12.5px;color:#86aab4}h2{font-size:14px;"
        "margin:0 0 6px;color:#ffcf5c;letter-spacing:1px}.grid{display:grid;gap:12px;"
        "grid-template-columns:1.75fr 1fr;margin-top:12px}.panel{background:#102833;padding:11px "
        "14px}"
        "td,th{padding:5px 8px;font-size:13.5px;border-bottom:1px solid #1e4250;white-space:nowrap}"
        "th{color:#86aab4;font-weight:400}table{width:100%}.row{padding:4px 0;line-height:1.35}"
        ".row>span:first-child{color:#ffcf5c;margin-right:8px}"
    )
    top = cards(
        """out | Buses out | 187 / 203 | 9 in workshop, 7 spare
        punc | On time | 91.3 % | within 3 minutes
        canc | Trips cancelled | 14 | of 2,960 today
        pax | Passengers so far | 61,408 | +2.2 % on last Tuesday
        soc | Lowest battery | 17 % | bus 4127 on 58
        gap | Longest gap | 31 min | line 12, Tollcross
        staff | Drivers off sick | 11 | 4 reserves left"""
    )
    runs = table(
        [("line", "Line"), ("route", "Route"), ("bus", ">Buses"), ("head", ">Every"),
         ("late", ">Mean delay"), ("load", ">Load"), ("ctrl", "Controller"), ("note", "Remark")],
        lines(
            """3 | Harbour – Kingsmead | 14 | 8 min | 1.2 min | 64 % | Abena Osei |
            7 | Station – Upper Fold | 9 | 12 min | 0.4 min | 41 % | Abena Osei |
            11 | Ring, clockwise | 16 | 6 min | 3.8 min | 83 % | Dov Lentz | extra bus from 15:30
            12 | Tollcross – Glen Park | 11 | 10 min | 9.6 min | 92 % | Dov Lentz | burst main
            19 | Hospital – Lakeside | 8 | 15 min | 0.9 min | 38 % | Kit Marlowe |
            22 | Airport express | 10 | 10 min | 2.1 min | 57 % | Kit Marlowe | coach on 2 trips
            26 | Docks – University | 13 | 7 min | 4.4 min | 88 % | Abena Osei |
            31 | Station – Quarry Hill | 6 | 20 min | 0.2 min | 22 % | Sunniva Bakke |
            34 | Millbank – Stadium | 7 | 15 min | 1.7 min | 49 % | Sunniva Bakke | match at 19:45
            40 | Northgate – Harbour | 12 | 9 min | 2.9 min | 71 % | Dov Lentz |
            45 | Village loop | 3 | 40 min | 5.3 min | 19 % | Kit Marlowe | small bus only
            47 | Hospital – Quarry Hill | 5 | 25 min | 0.6 min | 27 % | Kit Marlowe |
            51 | Upper Fold – Docks | 9 | 12 min | 3.3 min | 66 % | Abena Osei | no wheelchairs
            58 | Kingsmead – Airport | 10 | 12 min | 1.1 min | 46 % | Sunniva Bakke | electric
            N1 | Night: Centre – West | 0 | 30 min | – | – | Joris Haan | from 23:50
            N4 | Night: Centre – Docks | 0 | 45 min | – | – | Joris Haan | from 00:10
            N6 | Night: Airport | 0 | 60 min | – | – | Joris Haan | Fri and Sat only"""
        ),
    )  # fmt: skip
    works = table(
        [("bus", "Bus"), ("what", "Fault"), ("bay", "Bay"), ("back", "Back")],
        lines(
            """4103 | air suspension | 2 | today 18:00
            4127 | charger cable | yard | 20 Mar
            3988 | rear door | 5 | today 16:30
            3940 | gearbox | 1 | 2 Apr
            4051 | windscreen | 4 | 19 Mar
            4066 | ticket machine | yard | today 15:15"""
        ),
        "w",
        "hw-",
    )
    calls = "".join(
        box(text(f"c{i}-when", when) + text(f"c{i}", marked(words)), "row")
        for i, (when, words) in enumerate(
            lines(
                """14:41 | Line 12 diverted by Fleet Street until 17:00
                14:33 | Lost property: ‹cello-label:black cello case›, bus 4009, ‹cello:depot East›
                14:20 | Stop Corn Exchange closed, use Guild Lane
                13:58 | Inspector Ruane boards line 26 at the Docks
                13:12 | Passenger fell on 40, ambulance called, report 0771
                12:47 | Low bridge alarm, bus 3951, no damage"""
            )
        )
    )
    depots = table(
        [("name", "Depot"), ("bays", ">Bays free"), ("fuel", ">Diesel left"), ("tel", "Desk")],
        lines(
            "East | 6 | 18,200 l | 5510\nMill Road | 2 | 9,450 l | 5524\nAirport | 11 | – | 5537"
        ),
        "d",
        "hd-",
    )
    body = (
        box(text("title", "Brackwater Transit – control room", "h1")
            + text("clock", "Tue 18 March 14:43") + text("duty-label", "Duty manager")
            + text("duty", "Hollis Grange, ext. 5501"), "bar")
        + top
        + box(
            box(text("runs", "LINES", "h2") + runs, "panel")
            + box(text("works", "WORKSHOP", "h2") + works + "<br>" + text("dep", "DEPOTS", "h2")
                  + depots + "<br>" + text("calls", "RADIO LOG", "h2") + calls, "panel"),
            "grid",
        )
    )  # fmt: skip
    return Page("dashboard-8", whole(css, body), 1366, 768)


def hotel() -> Page:
    """Return the Spanish front desk of a hotel, light, in large print."""
    css = CARDS + (
        "body{background:#f7f1e8;color:#3a2a20;font:17px Quicksand,sans-serif;font-weight:500;"
        "display:flex}.side{width:230px;background:#7a3e2b;color:#f9e9dc;height:1180px;"
        "padding:26px}"
        ".nav{padding:10px 0}.main{flex:1;padding:24px 30px}h1{font-size:28px;margin:0 0 4px}"
        ".sub{color:#8a7464;margin-bottom:16px}.cards{flex-wrap:wrap}.pair{background:#fff;flex:0 "
        "0 23%;"
        "border-left:6px solid #c9803f}.pair .value{font-size:27px}.label,.note{font-size:15px;"
        "color:#8a7464}h2{font-size:19px;margin:20px 0 6px;color:#7a3e2b}table{width:100%;"
        "background:#fff}td,th{padding:7px 11px;font-size:15.5px;border-bottom:1px solid #eadfd2}"
        "th{color:#8a7464}.two{display:flex;gap:26px}.row{padding:5px 0}.row b{font-weight:600}"
    )
    top = cards(
        """ocup | Ocupaci&oacute;n | 84 % | 101 de 120 habitaciones
        adr | Tarifa media | 118,40 &euro; | +6,20 &euro; que en 2024
        in | Llegadas hoy | 37 | 21 ya registradas
        out | Salidas hoy | 29 | 3 con salida tard&iacute;a
        desa | Desayunos ma&ntilde;ana | 164 | 12 sin gluten
        noshow | No presentados | 2 | cargo de una noche
        opin | Nota de hu&eacute;spedes | 8,7 | 412 opiniones
        agua | Temperatura piscina | 26 &deg;C | abierta hasta las 21:00"""
    )
    guests = table(
        [("room", "Hab."), ("name", "Hu&eacute;sped"), ("type", "Tipo"), ("nights", ">Noches"),
         ("eta", "Llegada"), ("pay", ">Pendiente"), ("note", "Petici&oacute;n")],
        lines(
            """104 | Irene Casta&ntilde;eda | Doble | 3 | 15:00 | 0,00 &euro; | cuna
            112 | Bruno Zabala | Individual | 1 | 22:45 | 89,00 &euro; | llegada con taxi
            207 | Familia Oyarz&aacute;bal | Familiar | 5 | 16:30 | 412,50 &euro; | camas juntas
            215 | Noor El Haddad | Doble | 2 | 14:00 | 0,00 &euro; | almohada dura
            301 | Gonzalo Prats | Suite | 2 | 18:15 | 260,00 &euro; | cava y flores
            309 | Marie Delcourt | Doble | 4 | 19:00 | 356,00 &euro; | vista al mar
            318 | Pilar Echenique | Individual | 6 | 13:30 | 0,00 &euro; | planta tranquila
            402 | Equipo Remo Sur | 4 dobles | 2 | 17:00 | 1.120,00 &euro; | cena a las 20:00
            411 | Aurelio Benet | Suite | 1 | 20:30 | 195,00 &euro; | plaza de garaje"""
        ),
    )  # fmt: skip
    clean = table(
        [("floor", "Planta"), ("who", "Camarera"), ("done", ">Listas"), ("left", ">Faltan")],
        lines(
            """1 | Rosal&iacute;a Mena | 22 | 4
            2 | Fatou Diop | 25 | 5
            3 | Ana B. Lucas | 19 | 11
            4 | Mihaela Popa | 27 | 2"""
        ),
        "l",
        "hl-",
    )
    tasks = "".join(
        box(f"<b>{text(f'a{i}', name)}</b> " + text(f"a{i}-more", more), "row")
        for i, (name, more) in enumerate(
            lines(
                """Ascensor 2 parado: | t&eacute;cnico a las 16:00
                Aire de la 309: | ruido, revisado por Ximo
                Sal&oacute;n Levante: | boda Ferrer, 90 personas, s&aacute;bado
                Caja fuerte 215: | c&oacute;digo olvidado, resuelto
                Minibar 4.&ordf; planta: | reponer agua con gas"""
            )
        )
    )
    sources = columns(
        "Directa | 41\nAgencia | 23\nPortal | 28\nGrupos | 8", (430, 200), "#c9803f", "#3a2a20"
    )
    body = (
        box(text("brand", "Hotel Mirador de Alcora", style="font-size:22px") + "<br><br>"
            + heads("Recepci&oacute;n|Reservas|Limpieza|Tarifas|Facturas|Informes|Ajustes"), "side")
        + '<div class="main">' + text("title", "Recepci&oacute;n", "h1")
        + box(text("date", "jueves, 12 de junio de 2025") + " &middot; "
              + text("shift", "turno de tarde: Leandro Soto") + " &middot; "
              + text("wifi-label", "Clave wifi de hoy:") + " " + text("wifi", "nispero-58"), "sub")
        + top + text("guests", "Llegadas", "h2") + guests
        + box(box(text("clean", "Limpieza", "h2") + clean, "", "flex:1")
              + box(text("src", "Reservas por canal (%)", "h2") + sources), "two")
        + box(box(text("tasks", "Avisos", "h2") + tasks, "", "flex:1"), "two")
        + "</div>"
    )  # fmt: skip
    return Page("dashboard-9", whole(css, body, "es"), 1500, 1180, language="es", colours=48)


def waterworks() -> Page:
    """Return the panel of a waterworks, photographed from the side."""
    css = CARDS + (
        "body{background:#d9dde0;color:#10202c;font:19px 'DejaVu Sans Condensed',sans-serif;"
        "padding:46px 64px}h1{font-size:25px;margin:0 0 12px}.tiles{display:grid;gap:14px;"
        "grid-template-columns:repeat(3,1fr)}.tile{background:#eef1f2;border:2px solid #8b979e;"
        "padding:10px 16px}.tile h2{font-size:19px;margin:0 0 6px;background:#34566b;color:#fff;"
        "padding:4px 10px}.pair{display:flex;justify-content:space-between;padding:3px 4px;"
        "border-bottom:1px dotted #8b979e;border-radius:0}.pair .label,.pair .value{display:inline}"
        ".alarm{background:#fff3c4;border:2px solid #b58a00;margin-top:14px;padding:8px 16px}"
        "td,th{padding:4px 14px;font-size:18px}table{width:100%}.foot{margin-top:12px;"
        "font-size:16px}"
    )
    units = [
        ("Intake, River Olden", "lvl~River level~2.84 m|flow~Inflow~412 l/s|tur~Turbidity~6.1 NTU|"
         "tmp~Water temp.~11.3 °C|scr~Screen~cleaned 04:10"),
        ("Settling tanks", "ta~Tank A~3.62 m|tb~Tank B~3.58 m|tc~Tank C~drained|"
         "slu~Sludge pump~running|alu~Alum dose~24 mg/l"),
        ("Sand filters", "f1~Filter 1~41 h since wash|f2~Filter 2~17 h since wash|"
         "f3~Filter 3~washing|f4~Filter 4~63 h since wash|hl~Head loss~1.1 m"),
        ("Disinfection", "uv~UV dose~402 J/m²|lam~Lamp hours~6,880|cl~Chlorine~0.31 mg/l|"
         "ph~pH~7.8|bot~Gas bottle~62 %"),
        ("Clear water", "res~Reservoir East~4.9 m|rw~Reservoir West~3.3 m|out~Outflow~388 l/s|"
         "prs~Mains pressure~5.6 bar|age~Water age~19 h"),
        ("Power", "kw~Load~318 kW|gen~Generator~standby|die~Diesel tank~1,940 l|"
         "pf~Power factor~0.93|bat~UPS battery~28 min"),
    ]  # fmt: skip
    tiles = "".join(
        box(text(f"u{i}", name, "h2") + "".join(pair(*part.split("~")) for part in rows.split("|")),
            "tile")
        for i, (name, rows) in enumerate(units)
    )  # fmt: skip
    alarms = table(
        [
            ("time", "Time"),
            ("what", "Alarm"),
            ("lim", "Limit"),
            ("is", "Reading"),
            ("by", "Taken by"),
        ],
        lines(
            """06:52 | Filter 4 needs washing | 60 h | 63 h | –
            05:37 | Pump P3 bearing hot | 80 °C | 84 °C | Maddox
            03:15 | Reservoir West low | 3.5 m | 3.3 m | Maddox
            01:48 | Gate G2 slow to close | 45 s | 71 s | Ferreira
            Mon 22:09 | Chlorine room door open | 2 min | 6 min | Ferreira"""
        ),
    )
    body = (
        text("title", "Olden Valley Waterworks · Plant 2 · Tue 07:04", "h1")
        + box(tiles, "tiles")
        + box(text("al", "Alarms, last 12 hours", "b") + alarms, "alarm")
        + box(text("n0-label", "Next sample for the lab:") + " " + text("n0", "09:30, tap 14")
              + " · " + text("n1-label", "Tanker with alum:") + " " + text("n1", "Wed 11:00")
              + " · "
              + text("n2-label", "Standby engineer:") + " " + text("n2", "Yusuf Carrow, 0555 0149"),
              "foot")
    )  # fmt: skip
    return Page("dashboard-10", whole(css, body), 1400, 860, skew=3.1, blur=0.6, noise=2.2, jpeg=58)


def pages() -> list[Page]:
    """Return the eleven pictures."""
    return [
        sales(),
        servers(),
        solar(),
        helpdesk(),
        hospital(),
        store(),
        adverts(),
        factory(),
        buses(),
        hotel(),
        waterworks(),
    ]
