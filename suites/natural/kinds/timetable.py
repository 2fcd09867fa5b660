"""Timetables: buses, trains, a ferry, lessons, a cinema, a gym and a congress."""

from page import Page, cells, fill, table, text


def clock(minutes: int) -> str:
    """Minutes after midnight as 07:05."""
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def journeys(
    stops: list[tuple[str, int]], starts: list[int], skipped: dict[int, set[int]]
) -> list[list[object]]:
    """Rows of a stop and its times; `skipped` says which trips leave out which stops."""
    rows = []
    for number, (stop, after) in enumerate(stops):
        times = [
            "–" if number in skipped.get(trip, set()) else clock(start + after)
            for trip, start in enumerate(starts)
        ]
        rows.append([stop, *times])
    return rows


def bus() -> Page:
    """A British bus route, weekdays, eleven journeys."""
    stops = [
        ("Aldport, bus station", 0),
        ("Corn Market", 4),
        ("Royal Infirmary", 9),
        ("Weir Terrace", 13),
        ("Mill Road", 17),
        ("Tannery Lane", 20),
        ("Orchard Rise", 24),
        ("Neverton, church", 31),
        ("Neverton, school", 33),
        ("Gorse Lane", 38),
        ("Hexley Cross", 44),
        ("Hexley, garden centre", 47),
        ("Upper Hexley", 52),
        ("Moorside Hospital", 58),
        ("Brackendale, green", 66),
    ]
    starts = [360, 395, 430, 470, 540, 630, 720, 810, 905, 965, 1030, 1090, 1165, 1265]
    skipped = {0: {8, 11}, 1: {11}, 12: {8, 11, 13}, 13: {8, 11, 12, 13}, 4: {8}, 6: {8}}
    rows = journeys(stops, starts, skipped)
    keys = [f"t{number}" for number in range(len(starts))]
    notes = ["", "", "S", "S", "", "", "", "", "S", "", "", "", "", "F"]
    columns = [("stop", "Service 47"), *zip(keys, notes, strict=True)]
    html = """
    <style>.s{width:1600px;height:1000px;box-sizing:border-box;padding:40px 50px;background:#fff;
    font:18px/1.3 'Open Sans'} table{border-collapse:collapse;width:100%;margin:14px 0}
    td,th{padding:7px 6px;text-align:center} .c-stop{text-align:left;font-weight:600}
    tr:nth-child(even) td{background:#e3f1e6} thead th{background:#1b6b3a;color:#fff}
    .r{display:flex;justify-content:space-between;align-items:baseline}
    #lost{white-space:nowrap}</style><div class="s">
    <div class="r"><span style="font:800 64px 'Open Sans';color:#1b6b3a">[[line|47]]</span><span
    style="font-size:30px">[[route|Aldport – Neverton – Hexley – Brackendale]]</span><span>
    [[firm|Fenway Buses]]<br>[[valid|from 1 September 2025]]</span></div><b>[[days|Mondays to
    Fridays, not on bank holidays]]</b>@grid@<div class="r" style="gap:60px;align-items:start"><div>
    <b>[[s-label|S]]</b> [[s|school days only]]<br><b>[[f-label|F]]</b> [[f|Fridays only]]<br>
    [[dash|A dash: the bus does not stop.]]</div><div>[[single-label|Adult single]]
    [[single|£2.80]]<br>[[day-label|Day ticket]] [[day|£5.60]]<br>[[week-label|Weekly
    ticket]] [[week|£21.00]]<br>[[child-label|Under 16]] [[child|half fare]]</div><div
    style="width:560px">[[bike|Bicycles cannot be carried, folding ones can.]] [[lost-label|Lost
    property:]] [[lost|01555 664 210]] ([[lost-hours|weekdays 10–15]]). [[sat|On Saturdays the
    [[sat-line|47A]] runs every [[sat-every|40 minutes]].]] [[works|Corn Market is closed from
    [[works-days|6 to 17 October]]; use the stop in [[works-stop|Guild Street]].]]</div></div>
    </div>"""
    grid = table(columns, rows)
    return Page("timetable-0", fill(html, grid=grid), 1600, 1000)


def board() -> Page:
    """Departures in a station's hall."""
    rows = cells(
        """
        14:02 | Seabright | Elmore, Dalton Junction, Marlowe | 7 | IC 2208 | on time
        14:05 | Kirchau | Tannhagen, Auental | 2 | RE 4417 | 5 min late
        14:11 | Airport | non-stop | 1 | AX 90 | on time
        14:14 | Port Ellery | Quarry Park, Dock Road, Harbor | 11 | S 3 | on time
        14:18 | Wexcombe | Millbridge, Potterton, Aldport | 5 | RE 1180 | cancelled
        14:22 | Lanvézec | Saint-Aubry, Meurcy, Vernay | 9 | EC 57 | 20 min late
        14:26 | Brackendale | Neverton, Hexley | 4 | RB 316 | on time
        14:31 | Torrealba | Valdoro, Puente Nuevo | 10 | EC 121 | on time
        14:34 | Dalton Junction | Elmore | 3 | S 5 | on time
        14:37 | Granite Peak | Boister, Sagebrush | 8 | IC 771 | platform changed
        14:41 | Airport | non-stop | 1 | AX 92 | on time
        14:45 | Ballycarrow | Ferry Lane, Carrow Bridge | 6 | RE 2093 | 10 min late
        14:52 | Seabright | Marlowe | 7 | IC 2210 | on time
        14:58 | Tolvean | St Brannoc, Gunnet Head | 12 | RB 88 | bus replacement
        """
    )
    columns = [
        ("time", "Time"),
        ("to", "Destination"),
        ("via", "Calling at"),
        ("track", "Track"),
        ("train", "Train"),
        ("state", "Remarks"),
    ]
    html = """
    <style>.s{width:1920px;height:1080px;background:#06163a;color:#fff;font:30px 'Roboto Condensed';
    box-sizing:border-box;padding:30px 50px} table{width:100%;border-collapse:collapse} th{
    text-align:left;color:#8fb2ff;font-weight:400;font-size:24px;padding:6px 0} td{padding:9px 0;
    border-top:1px solid #1b3473} .c-time,.c-state{color:#ffd34d} .c-via{font-size:23px;
    color:#c8d5f5} .r{display:flex;justify-content:space-between}</style><div class="s"><div
    class="r" style="font-size:44px"><b>[[title|Departures]]</b><span>[[place|Central
    Station]]</span><b>[[now|13:57]]</b></div>@grid@<div style="background:#ffd34d;color:#06163a;
    padding:12px 20px;margin-top:22px;font-size:27px">[[news|RE 1180 is cancelled because of a
    fallen tree. [[news-for|Passengers for Potterton]] please take the [[news-bus|bus from stop
    F]] at
    [[news-time|14:25]]. IC 771 now leaves from [[news-track|track 8, sections A–C]].]]</div><div
    class="r" style="font-size:23px;margin-top:16px"><span>[[lug-label|Left luggage]] [[lug|level
    −1, 06:00–23:00]]</span><span>[[info-label|Travel centre]] [[info|hall B, until
    20:30]]</span><span>[[wc-label|Toilets]] [[wc|€1.00, beside track 3]]</span></div></div>"""
    return Page("timetable-1", fill(html, grid=table(columns, rows)), 1920, 1080)


def lessons() -> Page:
    """A German school's week, printed."""
    hours = ["7:50–8:35", "8:40–9:25", "9:45–10:30", "10:35–11:20", "11:40–12:25", "12:30–13:15"]
    hours += ["14:00–14:45", "14:50–15:35"]
    week = cells(
        """
        Mathe (Hr) R 204 | Deutsch (Vo) R 117 | Englisch (Kb) R 117 | Mathe (Hr) R 204 | \
        Sport (Sz) Halle 2
        Mathe (Hr) R 204 | Deutsch (Vo) R 117 | Biologie (Ed) Bio 1 | Geschichte (Lo) R 117 | \
        Sport (Sz) Halle 2
        Englisch (Kb) R 117 | Physik (Wn) Ph 3 | Deutsch (Vo) R 117 | Latein (Ot) R 012 | \
        Mathe (Hr) R 204
        Erdkunde (Ja) R 117 | Physik (Wn) Ph 3 | Musik (Fl) Mu 1 | Latein (Ot) R 012 | \
        Englisch (Kb) R 117
        Religion (Pf) R 009 | Latein (Ot) R 012 | Kunst (Gr) Atelier | Biologie (Ed) Bio 1 | \
        Deutsch (Vo) R 117
        Klassenrat (Vo) R 117 | Geschichte (Lo) R 117 | Kunst (Gr) Atelier | Erdkunde (Ja) R 117 | –
        Chor (Fl) Aula | – | Informatik (Wn) PC 2 | – | –
        – | – | Informatik (Wn) PC 2 | Schach-AG (Hr) R 204 | –
        """
    )
    rows = [[str(n + 1), hours[n], *row] for n, row in enumerate(week)]
    columns = [
        ("no", "Std."),
        ("time", "Zeit"),
        ("mo", "Montag"),
        ("di", "Dienstag"),
        ("mi", "Mittwoch"),
        ("do", "Donnerstag"),
        ("fr", "Freitag"),
    ]
    html = """
    <style>.s{width:1500px;height:820px;box-sizing:border-box;padding:60px 70px;background:#fff;
    font:19px/1.3 'Noto Sans'} table{border-collapse:collapse;width:100%;margin:18px 0} td,th{
    border:1.5px solid #333;padding:9px 8px} th{background:#cfe0f5} .c-no{text-align:center}
    .r{display:flex;justify-content:space-between;gap:16px} #head{white-space:nowrap}</style><div
    class="s"><div class="r"><b
    style="font-size:30px">[[title|Stundenplan 7b]]</b><span>[[school|Gymnasium am Lindenhof,
    Kirchau]]</span><span>[[valid|gültig ab 15.09.2025]]</span></div>@grid@<div class="r"><div>
    [[head-label|Klassenlehrerin:]] [[head|Frau Vollrath]]<br>[[office-label|Sekretariat:]]
    [[office|0555 7710-0]]<br>[[lunch-label|Mittagspause]] [[lunch|13:15–14:00]]</div><div>
    [[codes|Hr Herold · Vo Vollrath · Kb Kubitz · Ed Edelmann · Sz Schulz · Lo Lorenz]]<br>
    [[codes2|Wn Wendt · Ot Otterbein · Ja Jansen · Fl Flöter · Pf Pfarrer Kühn · Gr
    Gruber]]</div><div>[[free|Unterrichtsfrei: [[free-day|Montag, 3. November]]]]<br>
    [[trip|Wandertag: [[trip-day|2. Oktober]], Treffpunkt [[trip-where|Bahnhof, 8:10]]]]</div>
    </div></div>"""
    html = fill(html, grid=table(columns, rows))
    return Page("timetable-2", html, 1500, 820, "de", skew=1.2, colours=24)


def ferry() -> Page:
    """A ferry's poster on the quay, photographed at a slant."""
    summer = cells(
        """
        1 | 06:45 | 07:40 | 07:55 | 08:50 | daily
        2 | 08:30 | 09:25 | 09:45 | 10:40 | daily
        3 | 10:15 | 11:10 | 11:30 | 12:25 | daily
        4 | 12:00 | 12:55 | 13:20 | 14:15 | not Tue
        5 | 14:10 | 15:05 | 15:25 | 16:20 | daily
        6 | 16:00 | 16:55 | 17:15 | 18:10 | daily
        7 | 18:30 | 19:25 | 19:45 | 20:40 | Fri–Sun
        8 | 21:00 | 21:55 | 22:10 | 23:05 | Sat only
        """
    )
    winter = cells(
        """
        1 | 07:30 | 08:25 | 08:45 | 09:40 | Mon–Sat
        2 | 11:00 | 11:55 | 12:20 | 13:15 | daily
        3 | 15:30 | 16:25 | 16:45 | 17:40 | daily
        4 | 18:15 | 19:10 | 19:25 | 20:20 | Fri, Sun
        """
    )
    fares = cells(
        """
        Adult | 14.50 | 24.00
        Child 4–15 | 7.00 | 11.50
        Bicycle | 3.00 | 5.00
        Dog | 2.00 | 2.00
        Motorcycle with rider | 28.00 | 49.00
        Car up to 5 m with driver | 46.00 | 82.00
        Camper van up to 7 m | 71.00 | 128.00
        """
    )
    columns = [
        ("no", "No."),
        ("a", "Tolvean dep."),
        ("b", "Gunnet arr."),
        ("c", "Gunnet dep."),
        ("d", "Tolvean arr."),
        ("days", "Runs"),
    ]
    html = """
    <style>.s{width:1240px;height:1754px;box-sizing:border-box;padding:110px 110px;
    background:#f6fbff;font:23px/1.35 Cabin;color:#08304b} table{width:100%;border-collapse:
    collapse;margin:8px 0 22px} th{text-align:left;background:#08304b;color:#fff;padding:6px 10px}
    td{padding:6px 10px;border-bottom:1px solid #9bb8cc} h1{margin:0;font:700 58px Cabin}</style>
    <div class="s"><h1>[[title|Gunnet Island Ferry]]</h1>[[ship|MV Storm Petrel · 55 minutes ·
    220 passengers, 24 cars]]<h3 style="margin:22px 0 0">[[h-summer|Summer, 29 March to 25
    October]]</h3>@summer@<h3 style="margin:0">[[h-winter|Winter, 26 October to 28 March]]</h3>
    @winter@<h3 style="margin:0">[[h-fares|Fares in £]]</h3>@fares@[[checkin|[[checkin-car|Cars
    must check in]]
    [[checkin-time|30 minutes]] before sailing, foot passengers [[checkin-foot|10 minutes]].]]
    [[storm|In gales ring [[storm-no|01555 909 300]] or look for the
    [[storm-flag|red flag]] on the pier.]] [[xmas|No sailings on [[xmas-days|25 December and 1
    January]].]] [[islander|Islanders with a [[islander-card|blue card]] travel at half
    price.]]</div>"""
    parts = {
        "summer": table(columns, summer, "s", head="hs"),
        "winter": table(columns, winter, "w", head="hw"),
        "fares": table(
            [("who", "Ticket"), ("one", "Single"), ("two", "Return")], fares, "f", head="hf"
        ),
    }
    html = fill(html, **parts)
    return Page("timetable-3", html, 1240, 1754, skew=3.4, blur=0.7, noise=2, jpeg=60)


def cinema() -> Page:
    """A cinema's week on a phone-like narrow leaflet, dark."""
    films = cells(
        """
        The Salt Road | 12A | 118 min | 17:30 | 17:30 | 20:15 | 17:30 | 14:00 20:15 | \
        14:00 17:30 | 20:15
        Nine Lanterns | 15 | 131 min | 20:15 | 20:15 | 17:00 | 20:30 | 17:15 22:40 | 20:15 | 17:00
        Pip and the Tin Whale | U | 84 min | 15:30 | – | 15:30 | – | 10:30 12:30 | 10:30 12:30 | –
        Harvest of Glass | 15 | 104 min | – | 18:10 | – | 18:10 | 19:50 | 19:50 | 18:10
        Quiet Engines (subtitled) | 12A | 97 min | 18:00 | – | – | 16:00 | – | 16:45 | 20:40
        Dust & Diamonds | 18 | 142 min | 21:00 | 21:00 | 21:00 | 21:15 | 21:50 | 21:00 | –
        A Winter's Ledger | PG | 109 min | 13:45 | 13:45 | 13:45 | – | – | 12:15 | 13:45
        Live opera: The Weaver | – | 195 min | – | – | – | – | 18:55 | – | –
        Silver Screen matinee: Larkrise | PG | 92 min | – | – | 11:00 | – | – | – | –
        """
    )
    columns = [
        ("film", "Film"),
        ("age", "Cert."),
        ("long", "Length"),
        ("mo", "Mon 3"),
        ("tu", "Tue 4"),
        ("we", "Wed 5"),
        ("th", "Thu 6"),
        ("fr", "Fri 7"),
        ("sa", "Sat 8"),
        ("su", "Sun 9"),
    ]
    html = """
    <style>.s{width:1500px;height:900px;box-sizing:border-box;padding:50px 60px;background:#1c1014;
    color:#f6e7d8;font:21px/1.35 Lato} table{border-collapse:collapse;width:100%;margin:24px 0}
    th{text-align:left;color:#e2b04a;border-bottom:2px solid #e2b04a;padding:8px 6px}
    td{border-bottom:1px solid #4a3238;padding:13px 6px;white-space:nowrap} .c-film{font-weight:700}
    .r{display:flex;justify-content:space-between;gap:50px}</style><div class="s"><div class="r">
    <span style="font:900 52px Lato;color:#e2b04a">[[firm|THE ORPHEUM]]</span><span
    style="text-align:right">[[week|3–9 November]]<br>[[street|22 Guild Street, Aldport]]</span>
    </div>@grid@<div class="r"><div>[[adult-label|Adults]] [[adult|£9.80]]<br>[[conc-label|Students,
    over 60]] [[conc|£7.90]]<br>[[kids-label|Under 14]] [[kids|£6.20]]<br>[[mon-label|All seats on
    Mondays]] [[mon|£5.50]]</div><div>[[box-label|Box office opens]] [[box|30 minutes before the
    first film]]<br>[[phone-label|Bookings]] [[phone|01555 212 080]]<br>[[bar-label|Balcony bar]]
    [[bar|from 17:00]]<br>[[park-label|Parking]] [[park|Guild Street, free after 18:30]]</div><div
    style="width:470px">[[baby|Parents with babies: [[baby-when|Thursday 16:00]] show, lights half
    up.]] [[wheel|Screen 2 has no lift; please ask for [[wheel-screen|Screen 1]].]] [[opera|Opera
    tickets cost [[opera-sum|£22]], interval drink included.]]</div></div></div>"""
    return Page("timetable-4", fill(html, grid=table(columns, rows=films)), 1500, 900)


def gym() -> Page:
    """Classes of a gym, coloured boxes in a week."""
    slots = ["06:30", "07:30", "09:15", "10:30", "12:10", "16:45", "17:45", "18:50", "20:00"]
    week = cells(
        """
        Spin · Kasia | Yoga flow · Mei | Spin · Kasia | Bootcamp · Dre | Yoga flow · Mei | – | –
        Circuit · Dre | – | Circuit · Dre | – | Kettlebells · Dre | – | –
        Pilates · Ute | Aqua fit · Bram | Pilates · Ute | Aqua fit · Bram | Pilates · Ute | \
        Spin · Joss | Yin yoga · Mei
        Over-60s · Bram | Baby & me · Ute | Over-60s · Bram | Baby & me · Ute | \
        Chair yoga · Mei | Zumba · Lupe | Family swim
        Core express · Joss | Boxing · Dre | Core express · Joss | HIIT · Kasia | \
        Stretch · Mei | – | –
        Kids karate · Sato | Kids dance · Lupe | Kids karate · Sato | Teen gym · Joss | \
        Kids dance · Lupe | – | –
        Zumba · Lupe | Spin · Joss | Boxing · Dre | Zumba · Lupe | HIIT · Kasia | – | Spin · Kasia
        Body pump · Kasia | Pilates · Ute | Climbing intro · Sato | Body pump · Kasia | \
        Salsa · Lupe | – | –
        Yoga calm · Mei | Climbing club · Sato | Meditation · Mei | Swim technique · Bram | – | \
        – | Breathwork · Mei
        """
    )
    rows = [[slots[n], *row] for n, row in enumerate(week)]
    names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    columns = [("time", "Start"), *((day.lower(), day) for day in names)]
    html = """
    <style>.s{width:1600px;height:820px;box-sizing:border-box;padding:36px 44px;background:#fbf7ff;
    font:18px/1.3 Quicksand;font-weight:600} table{border-spacing:6px;width:100%} th{padding:8px;
    background:#6a3fb5;color:#fff;border-radius:8px} td{background:#eadffb;border-radius:8px;
    padding:13px 8px;text-align:center;white-space:nowrap} #pool,#guest{white-space:nowrap}
    td.c-time{background:none;font-weight:700}
    .r{display:flex;justify-content:space-between;gap:40px}</style><div class="s"><div class="r"><b
    style="font-size:40px;color:#6a3fb5">[[firm|Glasshouse Gym]]</b><span>[[valid|Classes,
    winter 2025/26]]</span><span>[[open-label|Doors open]] [[open|06:00–22:30]]</span></div>@grid@
    <div class="r" style="margin-top:14px"><span>[[book|Book in the app from
    [[book-when|72 hours]] before. Cancel at least [[cancel|4 hours]] before or lose
    [[lose|one credit]].]]</span><span>[[long-label|Classes last]] [[long|50 minutes]],
    [[express|express
    ones [[express-long|30]]]]</span><span>[[pool-label|Pool temperature]] [[pool|28.5 °C]]</span>
    <span>[[guest-label|Guest pass]] [[guest|€12]]</span></div></div>"""
    return Page("timetable-5", fill(html, grid=table(columns, rows)), 1600, 820, colours=24)


def rail() -> Page:
    """A French railway line: stations and trains, scanned."""
    stops = [
        ("Vernay-Ville", 0),
        ("Vernay-Nord", 6),
        ("Les Tilleuls", 13),
        ("Meurcy", 21),
        ("Saint-Aubry", 30),
        ("Pont-des-Loges", 38),
        ("Castelvieux", 47),
        ("La Roche-Brune", 55),
        ("Verdaine-les-Bains", 66),
        ("Col de l'Ourse", 84),
        ("Lanvézec-Plage", 102),
    ]
    starts = [342, 401, 447, 522, 603, 738, 821, 955, 1022, 1081, 1146, 1270]
    skipped = {1: {1, 2, 5, 7}, 3: {9, 10}, 5: {1, 2, 7}, 7: {9, 10}, 8: {1, 2, 5}, 11: {9, 10}}
    rows = journeys(stops, starts, skipped)
    numbers = [str(88400 + 2 * n) for n in range(len(starts))]
    keys = [f"t{n}" for n in range(len(starts))]
    columns = [("stop", "Train n°"), *zip(keys, numbers, strict=True)]
    days = ["lun–ven", "tlj", "lun–sam", "tlj", "sam, dim", "tlj", "lun–ven", "tlj", "ven"]
    days += ["lun–ven", "tlj", "dim"]
    rows = [["Circule", *days], *rows]
    html = """
    <style>.s{width:1500px;height:860px;box-sizing:border-box;padding:70px 70px;background:#fff;
    font:19px/1.35 'Liberation Sans'} table{border-collapse:collapse;width:100%;margin:16px 0}
    td,th{border:1px solid #99a;padding:7px 5px;text-align:center} .c-stop{text-align:left}
    tr:first-child td{font-size:15px;font-style:italic} .r{display:flex;gap:50px;
    justify-content:space-between}</style><div class="s"><div class="r"><b style="font-size:34px">
    [[title|Ligne 14 : Vernay – Lanvézec-Plage]]</b><span>[[valid|Horaires du 14 décembre 2025 au 4
    juillet 2026]]</span></div>@grid@<div class="r"><div style="width:560px">[[bike|Vélos :
    gratuits,
    [[bike-count|six places]] par train.]] [[step|Gare de [[step-where|La Roche-Brune]] : accès
    fauteuil roulant sur demande [[step-when|48 h]] à l'avance.]]</div><div style="width:640px">
    [[works|Travaux du [[works-days|9 au 20 mars]] : autocars entre Castelvieux et
    Verdaine.]] [[fare-label|Billet de bout en bout :]] [[fare|23,40 €]], [[young-label|moins de
    26 ans]] [[young|15,20 €]]. [[desk-label|Guichet de Vernay-Ville :]] [[desk|6 h 15 à
    19 h 45]].</div></div></div>"""
    html = fill(html, grid=table(columns, rows))
    return Page("timetable-6", html, 1500, 860, "fr", skew=-1.3, blur=0.5, colours=16)


def congress() -> Page:
    """A day of a congress: rooms and hours."""
    slots = ["09:00", "09:50", "11:00", "11:50", "14:00", "14:50", "16:00"]
    talks = cells(
        """
        Opening: cities that sponge (A. Fiorucci) | – | – | Poster set-up
        Rain gardens in practice (L. Brandvold) | Sensors in sewers (P. Okonjo) | \
        Tender law, basics (M. Reyes) | Posters 1–24
        Green roofs and fire (H. Takeda) | Leaks found by sound (D. Varga) | \
        Fees for sealed ground (S. Adler) | Posters 1–24
        Street trees in drought (C. Nwosu) | Open data on floods (J. Lindgren) | \
        Who owns the ditch? (T. Mbeki) | Workshop: pumps
        Copenhagen ten years on (E. Holm) | Forecasts for two hours (R. Silva) | \
        Insurance panel (4 guests) | Workshop: pumps
        Cisterns under schools (F. Amari) | Cheap gauges, big maps (N. Petrov) | \
        Funding from the region (K. Baum) | Posters 25–50
        Debate: pipes or ponds? (all speakers) | – | – | Poster prize
        """
    )
    rows = [[slots[n], *row] for n, row in enumerate(talks)]
    columns = [
        ("time", "Time"),
        ("hall", "Great Hall"),
        ("glass", "Glass Room"),
        ("attic", "Attic"),
        ("foyer", "Foyer"),
    ]
    html = """
    <style>.s{width:1400px;height:880px;box-sizing:border-box;padding:50px 60px;background:#fff;
    font:20px/1.35 Vollkorn;color:#123} table{width:100%;border-collapse:collapse;margin:16px 0}
    th{background:#0d6e8a;color:#fff;text-align:left;padding:10px} td{border:1px solid #8bb;
    padding:12px 10px;vertical-align:top} .c-time{font-weight:700;width:70px} .r{display:flex;
    justify-content:space-between;gap:50px}</style><div class="s"><div class="r"><b
    style="font-size:38px">[[title|Rain &amp; City 2025]]</b><span>[[day|Thursday 12 June]] ·
    [[place|Old Brewery, Millbridge]]</span></div>@grid@<div class="r"><div>[[coffee-label|Coffee]]
    [[coffee|10:35 and 15:35]]<br>[[lunch-label|Lunch]] [[lunch|12:40–14:00, courtyard]]<br>
    [[reg-label|Registration]] [[reg|from 08:15,
    gatehouse]]</div><div>[[dinner|[[dinner-word|Dinner]] on the boat
    [[dinner-boat|Lady Isolde]] at [[dinner-time|19:30]], [[dinner-pier|pier 4]], ticket
    [[dinner-sum|€48]].]]</div><div>[[wifi-label|Wifi]] [[wifi|raincity]] /
    [[wifi-pass|puddle2025]]<br>
    [[coat-label|Cloakroom]] [[coat|€2, behind the Attic stairs]]<br>[[trip-label|Friday
    excursion leaves]] [[trip|08:40 at the gatehouse]]</div></div></div>"""
    return Page("timetable-7", fill(html, grid=table(columns, rows)), 1400, 880)


def stop() -> Page:
    """A German tram stop's sheet: hours down the side, minutes behind them, three kinds of days."""
    plans = {
        "w": (4, {4: "38 58", 5: "13 28 43 58", 20: "04 19 34 49", 21: "04 24 44", 22: "04 24 44"}),
        "s": (5, {5: "18 48", 6: "08 28 48", 7: "08 23 38 53", 21: "01 21 41", 22: "01 21 41"}),
        "u": (6, {6: "38", 7: "08 38", 8: "08 38", 9: "02 22 42", 21: "07 37", 22: "07 37"}),
    }
    usual = {"w": "01 08 16 23 31 38 46 53", "s": "05 15 25 35 45 55", "u": "06 21 36 51"}
    late = {"w": "09 39n", "s": "09 29n 49n", "u": "12n"}
    lines = ""
    for hour in [*range(4, 24), 0]:
        row = text(f"h{hour}", hour, "th")
        for key, (first, special) in plans.items():
            words = usual[key] if hour >= first else ""
            words = late[key] if hour == 23 else special.get(hour, words)
            words = {"w": "04n", "s": "19n 49n", "u": ""}[key] if hour == 0 else words
            row += text(f"{key}{hour}", words, "td")
        lines += f"<tr>{row}</tr>"
    stops = cells(
        """
        Gerberwall | 0
        Neumarkt, Rathaus | 2
        Hauptbahnhof | 5
        Stadtwerke | 8
        Klinikum Süd | 11
        Obstwiesen | 13
        Messe | 16
        Alte Ziegelei | 19
        Freibad | 22
        Forstkolonie | 26
        """
    )
    way = "".join(
        f"<div class='w'>{text(f'z{n}', minutes, 'b')} {text(f'z{n}-label', name)}</div>"
        for n, (name, minutes) in enumerate(stops)
    )
    html = """
    <style>.s{width:1150px;height:1210px;box-sizing:border-box;background:#fff;padding:44px 54px;
    font:20px/1.35 'Liberation Sans Narrow'} table{border-collapse:collapse;width:100%}
    th{width:44px;background:#00549f;color:#fff;padding:4px} td{padding:5px 12px;word-spacing:9px;
    border-bottom:1px solid #b9cbe0} thead th{width:auto;text-align:left;padding:6px 12px}
    .c{display:grid;grid-template-columns:1fr 270px;column-gap:40px} .w{border-left:5px solid
    #00549f;padding:3px 14px} .w b{display:inline-block;width:36px} p span{white-space:nowrap}
    </style><div class="s"><div
    style="display:flex;justify-content:space-between;background:#00549f;
    color:#fff;padding:12px 22px;align-items:center"><b style="font-size:60px">[[line|6]]</b><b
    style="font-size:34px">[[dir|Forstkolonie über Hauptbahnhof]]</b><span style="font-size:26px">
    [[here|Gerberwall]]<br>[[pole|Steig B]]</span></div><p>[[valid|Gültig ab 14. Dezember 2025]] ·
    [[firm|Kirchauer Verkehrsbetriebe]] · [[zone-label|Tarifzone]] [[zone|110]]</p><div class="c">
    <div><table><thead><tr><th>Uhr</th><th id="dw">Montag–Freitag</th><th id="ds">Samstag</th><th
    id="du">Sonn- und Feiertag</th></tr></thead>@lines@</table></div><div><b>[[way-label|Fahrzeit in
    Minuten]]</b><div style="margin:10px 0 24px">@way@</div><b>[[fare-label|Fahrpreise]]</b><br>
    [[f1-label|Kurzstrecke]] [[f1|2,10 €]]<br>[[f2-label|Einzelfahrt]] [[f2|3,40 €]]<br>[[f3-label|
    Kind 6–14 Jahre]] [[f3|1,70 €]]<br>[[f4-label|Tageskarte]] [[f4|8,20 €]]<br>[[f5-label|Gruppe
    bis 5]] [[f5|15,60 €]]<br>[[f6-label|Fahrrad]] [[f6|2,50 €]]<p>[[n-label|n]] = fährt nur bis
    <span id="n">Klinikum Süd</span></p></div></div><p>Am [[eve-word|24. und 31. Dezember]] gilt der
    Plan für [[eve|Samstag]]. [[kirmes-word|Während der Kirmes]] (3. bis 7. September) hält die
    Linie nicht am Neumarkt, sondern in der [[kirmes|Propsteistraße]]. [[found-label|Fundbüro:]]
    [[found|Stadtwerke, Mo–Do 9–15 Uhr]]. [[fine-word|Fahren ohne Fahrschein]] kostet [[fine|60
    €]]. [[info-label|Auskunft]] [[info|0555 19 44 9]]. Nächster Fahrscheinverkauf:
    [[shop|Kiosk Demir, Gerberwall 4]].</p></div>"""
    return Page("timetable-8", fill(html, lines=lines, way=way), 1150, 1210, "de", colours=24)


def tides() -> Page:
    """A month of tides on a harbour's notice, photographed."""
    days = ["Sat", "Sun", "Mon", "Tue", "Wed", "Thu", "Fri"]
    rows: list[list[object]] = []
    for day in range(30):
        high = (95 + round(day * 49.6)) % 745
        swing = 1.2 * abs((day % 15) - 7.5) / 7.5
        row: list[object] = [day + 1, days[day % 7]]
        low = (high + 373) % 745
        for number, minutes in enumerate((high, high + 745, low, low + 745)):
            metres = 4.4 + swing if number < 2 else 1.7 - swing
            metres += (day * 7 + number * 3) % 5 / 10
            row += [clock(minutes), f"{metres:.1f}"] if minutes < 1440 else ["", ""]
        rows.append([*row, clock(432 + day * 2), clock(985 - day)])
    keys = ["day", "wd", "h1", "m1", "h2", "m2", "l1", "n1", "l2", "n2", "up", "down"]
    titles = ["Nov", "", "HW", "m", "HW", "m", "LW", "m", "LW", "m", "Sunrise", "Sunset"]
    html = """
    <style>.s{width:1180px;height:1500px;box-sizing:border-box;background:#fdf8e4;padding:100px;
    font:20px/1.35 'EB Garamond';color:#112} table{border-collapse:collapse;width:100%;
    margin:16px 0;font-variant-numeric:lining-nums tabular-nums} td,th{text-align:right;
    padding:2px 8px} tbody tr:nth-child(7n) td{border-bottom:1.5px solid #446} thead th{background:
    #234e70;color:#fff} td.c-m1,td.c-n1,td.c-m2,td.c-n2{color:#7a3b12} .c-h1,.c-h2{font-weight:700}
    .r{display:flex;justify-content:space-between;gap:36px} p{margin:8px 0} p span{white-space:
    nowrap}</style><div class="s"><div class="r" style="align-items:end"><span
    style="font-size:50px">[[place|Tolvean Harbour]]</span><span>[[title|Tide tables, November
    2025]]</span></div><div>[[zone|All times UTC, heights in metres above chart datum]]</div>@grid@
    <div class="r"><div>[[vhf-label|Harbour office, VHF channel]] [[vhf|14]]<br>[[tel-label|
    Telephone]] [[tel|01555 914 220]]<br>[[hm-label|Harbour master]] [[hm|Capt. Morwenna
    Teague]]<br>[[night-label|Berth for a night, per metre]] [[night|£2.60]]<br>[[water-label|
    Water hose]] [[water|at the fish quay, £1 coin]]</div><div>[[sill-label|Depth over the sill at
    half tide]] [[sill|1.9 m]]<br>[[gate-label|Lock gate opens]] [[gate|2 h before to 2 h after
    HW]]<br>[[fuel-label|Diesel]] [[fuel|08:00–12:00, not on Sundays]]<br>[[ice-label|Ice]] [[ice|
    £6 a box]]<br>[[life-label|Lifeboat practice]] [[life|Tuesday 18, 18:30]]</div></div><p>Add
    [[gunnet|35 minutes]] for [[gunnet-word|Gunnet Head]], take off [[bran|20 minutes]] for St
    Brannoc. The [[cause-word|causeway to Seal Island]] can be walked for [[cause|90 minutes either
    side of LW]], never in fog. Strong winds from the [[wind|south-west]] raise the water by as much
    as half a metre. The [[buoy-word|green buoy at Carrick Rock]] is [[buoy|unlit until
    further notice]].</p></div>"""
    html = fill(html, grid=table(list(zip(keys, titles, strict=True)), rows))
    return Page("timetable-9", html, 1180, 1500, skew=-2.6, blur=0.7, noise=3, jpeg=58)


def exams() -> Page:
    """A college's examinations on a web page."""
    rows = cells(
        """
        Mon 19 | 09:00 | MAT-101 | Calculus I | Great Hall | 214 | 180 | Okonjo | formulas
        Mon 19 | 14:00 | HIS-220 | Cities of the Hanse | B 1.07 | 31 | 120 | Reinholt | none
        Tue 20 | 09:00 | CHE-110 | Chemistry I | Great Hall | 188 | 150 | Sandoval | calculator
        Tue 20 | 09:30 | MUS-140 | Harmony and Ear | Annex 3 | 17 | 60 | Lindgren | pencil
        Tue 20 | 14:00 | ECO-205 | Game Theory | Hall 2 | 96 | 120 | Petrakis | calculator
        Wed 21 | 09:00 | BIO-130 | Cell Biology | Hall 2 | 143 | 120 | Nakata | none
        Wed 21 | 13:30 | LAW-310 | Tenancy Law | C 0.12 | 58 | 240 | Fairbairn | statutes
        Wed 21 | 16:00 | PHI-101 | Logic | B 1.07 | 72 | 90 | Achebe-Ross | none
        Thu 22 | 09:00 | PHY-150 | Mechanics | Great Hall | 167 | 180 | Vandermeer | formulas
        Thu 22 | 14:00 | GEO-233 | Soils and Water | Lab 4 | 26 | 150 | Thorsen | hand lens
        Thu 22 | 14:00 | SPA-202 | Spanish B2, written | Lang. Lab | 40 | 120 | Ibarra | dictionary
        Fri 23 | 09:00 | CSC-115 | Programming I | PC Rooms 1–5 | 201 | 120 | Kowalczuk | one page
        Fri 23 | 09:00 | ART-260 | Baroque Painting | B 2.20 | 22 | 120 | Delacourt | none
        Fri 23 | 13:00 | STA-210 | Biostatistics | Hall 2 | 118 | 120 | Nakata | calculator
        Mon 26 | 09:00 | MAT-202 | Linear Algebra | Great Hall | 132 | 180 | Okonjo | none
        Mon 26 | 14:00 | NUR-301 | Pharmacology | C 0.12 | 64 | 100 | Brightwater | none
        Tue 27 | 09:00 | ENG-245 | The Gothic Novel | B 1.07 | 45 | 180 | Marchbanks | set texts
        Tue 27 | 14:00 | ARC-320 | Timber Structures | Studio 6 | 29 | 210 | Halvorsen | any books
        Wed 28 | 09:30 | SPA-202 | Spanish B2, oral | Lang. Lab | 40 | 15 | Ibarra | none
        Wed 28 | 14:00 | ECO-101 | Microeconomics | Great Hall | 230 | 120 | Petrakis | calculator
        """
    )
    keys = ["day", "time", "code", "name", "room", "seats", "long", "who", "aid"]
    titles = [
        "January",
        "Start",
        "Code",
        "Course",
        "Room",
        "Candidates",
        "Minutes",
        "Examiner",
        "Allowed",
    ]
    html = """
    <style>.s{width:1560px;height:900px;box-sizing:border-box;background:#f4f5f7;padding:0;
    font:17px/1.35 Quicksand;color:#2b2d42;font-weight:500} .h{background:#6a040f;color:#fff;
    padding:14px 36px;display:flex;justify-content:space-between;font-size:22px} .b{padding:14px
    36px} table{border-collapse:collapse;width:100%;background:#fff} td,th{padding:5px 10px;
    text-align:left;border-bottom:1px solid #dde} th{color:#6a040f} .c-seats,.c-long{
    text-align:right} .c-code{font:15px 'JetBrains Mono'} .n{display:grid;gap:6px 40px;margin-top:
    14px;grid-template-columns:1fr 1fr 1fr} b{font-weight:700}</style><div class="s"><div class="h">
    <b>[[firm|Ravensmoor College]]</b><span>[[title|Winter examinations, 19 to 28 January
    2026]]</span><span>[[stand|as of 12 December]]</span></div><div class="b">@grid@<div class="n">
    <div>[[doors-label|Doors open]] <b>[[doors|20 minutes before the start]]</b><br>[[late-label|
    Latest admission]] <b>[[late|30 minutes after the start]]</b><br>[[bag-label|Bags and coats]]
    <b>[[bag|lockers in the east lobby]]</b></div><div>[[ill-label|If you are ill, call before 8
    a.m.]] <b>[[ill|01555 210 077]]</b><br>[[note-label|Doctor's note within]] <b>[[note|three
    working days]]</b><br>[[extra-label|Extra time, quiet room]] <b>[[extra|apply by 5
    January]]</b></div><div>[[marks-label|Results online]] <b>[[marks|16 February, noon]]</b><br>
    [[resit-label|Resits]] <b>[[resit|30 March to 2 April]]</b><br>[[fee-label|Resit fee]]
    <b>[[fee|£35 per paper]]</b></div></div></div></div>"""
    html = fill(html, grid=table(list(zip(keys, titles, strict=True)), rows))
    return Page("timetable-10", html, 1560, 900, colours=24)


def pages() -> list[Page]:
    """All timetables."""
    return [
        bus(),
        board(),
        lessons(),
        ferry(),
        cinema(),
        gym(),
        rail(),
        congress(),
        stop(),
        tides(),
        exams(),
    ]
