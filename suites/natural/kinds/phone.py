"""Screens of phones: a chat, settings, a bank, the weather, a journey, steps, a calendar, an order."""

# ruff: noqa: E501 - rows of tables and styles stand on lines of their own length

from markup import bar, box, dot, lines, marked, stroke, svg, text, whole
from page import Page


def head(clock: str, battery: str) -> str:
    """Return the line at the top of a phone's screen."""
    return box(text("clock", clock) + text("battery", battery), "status")


def rows(block: str, key: str = "r", look: str = "row") -> str:
    """Return lines with a name at the left and a value at the right, and a note below if given."""
    done = []
    for number, (name, value, *note) in enumerate(lines(block)):
        below = text(f"{key}{number}-note", note[0], "div", look="note") if note and note[0] else ""
        left = box(text(f"{key}{number}", name) + below)
        done.append(box(left + text(f"{key}{number}-value", value, look="value"), look))
    return "".join(done)


def chat() -> Page:
    """Return a chat of a group that plans a weekend."""
    css = (
        "body{background:#ece5dd;font:29px Roboto,sans-serif;color:#1c1c1c}"
        ".status{background:#155e54;color:#fff;display:flex;justify-content:space-between;padding:14px 34px;font-size:25px}"
        ".top{background:#1b7a6d;color:#fff;padding:20px 34px}.top small{font-size:23px;opacity:.85}"
        ".m{background:#fff;border-radius:16px;padding:14px 20px;margin:14px 120px 0 24px;width:fit-content;line-height:37px}"
        ".me{background:#d9fdd3;margin:14px 24px 0 auto;max-width:600px}.who{color:#b3541e;font-size:25px;display:block}"
        ".t{font-size:20px;color:#777;margin-left:14px}.day{text-align:center;color:#555;font-size:23px;margin-top:18px}"
        ".type{position:absolute;bottom:0;width:100%;background:#f4f4f4;padding:26px 34px;color:#888}"
    )
    talk = [
        (
            "Jonas",
            "Who's in for the hut? I booked it from ‹from:Friday 14th› to ‹to:Sunday 16th›.",
            "18:02",
        ),
        ("Meera", "Me! Is it the one with the stove?", "18:04"),
        (
            "Jonas",
            "Yes. It's ‹price:€38› per person, and ‹deposit:€50› deposit for all of us.",
            "18:05",
        ),
        ("", "Count me in. I can take ‹seats:three people› in my car.", "18:11"),
        (
            "Lotte",
            "I'm coming too but only on Saturday, my train gets in at ‹train:10:47›.",
            "18:20",
        ),
        (
            "Meera",
            "I'll bring the ‹food:lentil curry› for Friday night. Remember ‹allergic:Tom is allergic to› ‹allergy:walnuts›!",
            "18:22",
        ),
        ("Tom", "Thanks 1000 times! Door code?", "18:30"),
        ("Jonas", "‹code:4096#›, key for the shed is under the ‹key:blue flowerpot›.", "18:31"),
        ("", "Where do we park?", "18:33"),
        (
            "Jonas",
            "At the ‹park:sawmill›, then twenty minutes on foot. Please no cars at the hut.",
            "18:34",
        ),
    ]
    parts = []
    for number, (who, words, when) in enumerate(talk):
        front = text(f"m{number}-who", who, look="who") if who else ""
        said = text(f"m{number}", marked(words))
        parts.append(
            box(front + said + text(f"m{number}-time", when, look="t"), "m" if who else "m me")
        )
    body = (
        head("18:45", "63 %")
        + box(
            text("group", "Hut weekend")
            + "<br><small>"
            + text("people", "Jonas, Lotte, Meera, Tom, You")
            + "</small>",
            "top",
        )
        + box(text("day", "Today"), "day")
        + "".join(parts)
        + box(text("type", "Message"), "type")
    )
    return Page("phone-0", whole(css, body), 780, 1688)


def settings() -> Page:
    """Return the settings of a phone."""
    css = (
        "body{background:#f2f2f7;font:44px 'Open Sans',sans-serif;color:#111}"
        ".status{display:flex;justify-content:space-between;padding:36px 70px 10px;font-size:40px}"
        "h1{font-size:80px;margin:24px 60px 10px}.group{background:#fff;border-radius:28px;margin:30px 48px}"
        ".row{display:flex;justify-content:space-between;align-items:center;padding:27px 44px;border-bottom:2px solid #e5e5ea}"
        ".value{color:#8a8a8e;text-align:right}.note{font-size:34px;color:#8a8a8e}.hint{font-size:34px;color:#6d6d72;margin:0 92px}"
    )
    body = (
        head("9:12", "81 %")
        + text("title", "Settings", "h1")
        + box(
            rows("Robin Ashcombe | › | robin@ashcombe.test\nFamily sharing | 4 people", "a"),
            "group",
        )
        + box(
            rows(
                """Airplane mode | Off
                Wi-Fi | Kestrel-5G
                Bluetooth | Not connected
                Mobile data | On
                Personal hotspot | Off
                VPN | Paused""",
                "b",
            ),
            "group",
        )
        + box(
            text(
                "hint",
                marked(
                    "‹data-label:Data used this month:› ‹data:7.4 GB› of 12 GB. ‹reset-label:Resets on› ‹reset:21 June›."
                ),
            ),
            "hint",
        )
        + box(
            rows(
                """Notifications | 17 apps
                Sounds | Marimba | <span id='quiet'>Silent from</span> <span id='night'>22:30</span> to 06:45
                Screen time | 3 h 51 min | daily average, down 9 %
                Display | Dark from sunset
                Storage | 93.2 GB used | 128 GB in total
                Battery health | 87 %
                Language | English (UK)
                Software | 17.5.1 | update available""",
                "c",
            ),
            "group",
        )
        + box(rows("Emergency contact | Dora Ashcombe\nSerial number | F7KQ20XN4P", "d"), "group")
    )
    return Page("phone-1", whole(css, body), 1170, 2532)


def bank() -> Page:
    """Return a German banking app, dark."""
    css = (
        "body{background:#10141a;color:#eef1f5;font:27px Lato,sans-serif}"
        ".status{display:flex;justify-content:space-between;padding:18px 40px;font-size:25px}"
        ".card{background:linear-gradient(120deg,#174a7c,#2b7a78);border-radius:26px;margin:16px 34px;padding:28px 34px}"
        ".sum{font-size:58px;font-weight:700;display:block;margin:6px 0}.small{font-size:23px;opacity:.85}"
        ".row{display:flex;justify-content:space-between;padding:15px 40px;border-bottom:1px solid #232a33}"
        ".note{font-size:22px;color:#93a0af;margin-top:2px}.value{white-space:nowrap}.day{padding:18px 40px 6px;font-size:23px;color:#93a0af}"
        ".nav{position:absolute;bottom:0;width:100%;background:#181e26;display:flex;justify-content:space-around;padding:26px;font-size:22px}"
    )
    body = (
        head("07:36", "44 %")
        + box(
            text("name", "Girokonto Luise Hennig", look="small")
            + text("sum", "2.318,47 €", look="sum")
            + box(marked("‹free-label:Verfügbar mit Dispo:› ‹free:3.818,47 €›"), "small")
            + box(marked("‹iban-label:IBAN› ‹iban:DE00 1234 0000 0098 7654 32›"), "small"),
            "card",
        )
        + box(text("day0", "Vorgemerkt"), "day")
        + rows(
            "Stadtwerke Auental | −86,00 € | Abschlag Strom, 15.08.\nKartenumsatz Tankhof | −61,35 € | noch nicht gebucht",
            "p",
        )
        + box(text("day1", "Dienstag, 12. August"), "day")
        + rows(
            """Bäckerei Knust | −7,80 € | Kartenzahlung
            Praxis Dr. Velten | −42,00 € | Rechnung 25-0613
            Jonathan Reiff | +35,00 € | Kinokarten und Pizza""",
            "a",
        )
        + box(text("day2", "Montag, 11. August"), "day")
        + rows(
            """Supermarkt Lindner | −54,19 € | Kartenzahlung
            Radwerk Osthafen | −129,90 € | Inspektion Lastenrad
            Streamhaus | −12,99 € | Abo, monatlich""",
            "b",
        )
        + box(text("day3", "Freitag, 8. August"), "day")
        + rows(
            """Hausverwaltung Brehme | −940,00 € | Miete August, Whg. 14
            Kita Sonnenblick | −185,00 € | Beitrag und Essen
            Krankenkasse Nordwest | +68,20 € | Erstattung Brille
            Bargeld Automat Markt | −100,00 € | Entgelt 0,00 €""",
            "c",
        )
        + box(
            text("nav0", "Konten")
            + text("nav1", "Überweisen")
            + text("nav2", "Karten")
            + text("nav3", "Postfach (2)"),
            "nav",
        )
    )
    return Page("phone-2", whole(css, body, "de"), 780, 1688, language="de")


def weather() -> Page:
    """Return the weather of a town."""
    css = (
        "body{background:linear-gradient(#3b6fb0,#8fb7de);color:#fff;font:44px 'Noto Sans',sans-serif;text-align:center}"
        ".status{display:flex;justify-content:space-between;padding:36px 70px 0;font-size:38px}"
        "h1{font-size:66px;margin:40px 0 0;font-weight:400}.now{font-size:190px;line-height:210px;font-weight:300}"
        ".panel{background:#ffffff2e;border-radius:30px;margin:34px 48px;padding:26px 34px;text-align:left}"
        ".row{display:flex;justify-content:space-between;padding:15px 0;border-top:2px solid #ffffff40}.note{font-size:32px}"
        ".hours{display:flex;justify-content:space-between;text-align:center;font-size:36px}.hours div{line-height:60px}"
        ".grid{display:grid;grid-template-columns:1fr 1fr;gap:26px;margin:0 48px}.cell{background:#ffffff2e;border-radius:30px;"
        "padding:24px 32px;text-align:left}.cell .label{font-size:32px;display:block}.cell .value{font-size:54px}"
    )
    hours = "".join(
        box(
            text(f"t{i}", hour)
            + "<br>"
            + text(f"t{i}-sky", sky)
            + "<br>"
            + text(f"t{i}-deg", degrees)
        )
        for i, (hour, sky, degrees) in enumerate(
            lines(
                "Now | 20 % | 17°\n15 | 35 % | 17°\n16 | 70 % | 15°\n17 | 85 % | 14°\n18 | 60 % | 14°\n19 | 25 % | 13°\n20 | 10 % | 12°"
            )
        )
    )
    cells = "".join(
        box(text(f"{key}-label", name, look="label") + text(key, value, look="value"), "cell")
        for key, name, value in lines(
            """wind | Wind | 31 km/h W
            uv | UV index | 3, moderate
            rise | Sunrise | 05:52
            set | Sunset | 20:41
            hum | Humidity | 74 %
            pol | Grass pollen | High"""
        )
    )
    body = (
        head("14:07", "58 %")
        + text("town", "Port Ellery", "h1")
        + box(text("now", "17°"), "now")
        + box(
            marked(
                "‹sky:Showers› · feels like ‹feel:14°›<br>‹warn:Gale warning for the coast until 21:00›"
            ),
            "",
            "font-size:42px",
        )
        + box(hours, "panel hours")
        + box(
            rows(
                """Today | 11° – 18° | rain 8 mm
                Thu | 9° – 16° | rain 3 mm
                Fri | 8° – 19° | dry
                Sat | 10° – 23° | dry
                Sun | 13° – 24° | thunder late
                Mon | 12° – 18° | rain 11 mm
                Tue | 9° – 15° | rain 2 mm""",
                "d",
            ),
            "panel",
        )
        + box(cells, "grid")
        + box(
            text("tide", "High tide 16:25 (4.1 m) · Low tide 22:38"),
            "",
            "margin-top:34px;font-size:38px",
        )
        + box(
            text("source", "Ellery Met Office, updated 13:55"), "", "margin-top:18px;font-size:32px"
        )
    )
    return Page("phone-3", whole(css, body), 1170, 2532, colours=64)


def journey() -> Page:
    """Return a journey by train and bus."""
    css = (
        "body{background:#fff;color:#16202c;font:42px 'Liberation Sans',sans-serif}"
        ".status{display:flex;justify-content:space-between;padding:34px 70px 14px;font-size:38px;background:#c8102e;color:#fff}"
        ".top{background:#c8102e;color:#fff;padding:14px 60px 34px}.top b{font-size:56px}"
        ".leg{display:flex;padding:22px 60px;gap:36px}.time{width:150px;font-weight:700}.late{color:#c8102e;font-size:36px;display:block;font-weight:400}"
        ".what{border-left:8px solid #c8102e;padding-left:34px;flex:1;line-height:56px}.small{font-size:35px;color:#5a6572}"
        ".walk{padding:12px 0 12px 246px;color:#5a6572;font-size:36px}.foot{background:#f0f2f5;margin:34px 48px;border-radius:24px;padding:30px 40px;line-height:62px}"
        ".foot div{display:flex;justify-content:space-between}"
    )

    def stop(key: str, time: str, late: str, where: str, track: str) -> str:
        delay = text(f"{key}-late", late, look="late") if late else ""
        return box(
            box(text(f"{key}-time", time) + delay, "time")
            + box(
                text(f"{key}-name", where) + "<br>" + text(f"{key}-track", track, look="small"),
                "what",
            ),
            "leg",
        )

    def ride(key: str, name: str, more: str) -> str:
        return box(
            box("", "time")
            + box(text(key, name) + "<br>" + text(f"{key}-more", more, look="small"), "what"),
            "leg",
        )

    body = (
        head("16:21", "29 %")
        + box(
            "<b>"
            + text("title", "Marlow Bridge → Skerry Bay")
            + "</b><br>"
            + text("date", "Sat 21 June")
            + " · "
            + text("length", "3 h 04 min")
            + " · "
            + text("changes", "2 changes"),
            "top",
        )
        + stop("s0", "16:38", "", "Marlow Bridge", "Platform 4b")
        + ride("x0", "IC 617 to Carrow", "4 stops · coach 7, seats 41, 42 · bistro car")
        + stop("s1", "17:45", "+6 min", "Tarn Junction", "Platform 11")
        + box(text("walk0", marked("Change: ‹change:12 minutes›, lift out of order")), "walk")
        + stop("s2", "17:57", "", "Tarn Junction", "Platform 2")
        + ride("x1", "Regional 33 to Oldhaven", "9 stops · bicycles allowed")
        + stop("s3", "19:04", "", "Oldhaven", "Platform 1")
        + box(text("walk1", "Walk 350 m to the bus stop Harbour Road"), "walk")
        + stop("s4", "19:20", "", "Harbour Road", "Stop C")
        + ride("x2", "Bus 208 to Lighthouse", "5 stops · last bus of the day")
        + stop("s5", "19:42", "", "Skerry Bay", "").replace(
            '<span id="s5-track" class="small"></span>', ""
        )
        + box(
            box(text("fare-label", "Saver fare, 2 adults") + text("fare", "£58.40"))
            + box(text("seat-label", "Seat reservation") + text("seat", "£6.00"))
            + box(text("rail-label", "Railcard discount") + text("rail", "−£14.60"))
            + box(text("pay-label", "To pay") + text("pay", "£49.80")),
            "foot",
        )
        + box(
            text("rule", marked("‹exchange:Exchange until› ‹until:20 June, 23:59›. No refund.")),
            "walk",
            "padding-left:60px",
        )
        + box(text("ref", "Booking reference TQ4-88L"), "walk", "padding-left:60px")
    )
    return Page("phone-4", whole(css, body), 1170, 2532)


def steps() -> Page:
    """Return a French app about health."""
    css = (
        "body{background:#fffaf3;color:#33261d;font:28px 'Open Sans',sans-serif}"
        ".status{display:flex;justify-content:space-between;padding:18px 40px;font-size:25px}"
        "h1{font-size:46px;margin:8px 40px}.tile{background:#fff;border:2px solid #f0e2cf;border-radius:24px;margin:18px 30px;padding:20px 28px}"
        ".big{font-size:54px;font-weight:700}.row{display:flex;justify-content:space-between;padding:11px 0;border-top:1px solid #f0e2cf}"
        ".note{font-size:22px;color:#8d7a68}.label{color:#8d7a68;font-size:25px}h2{font-size:30px;margin:0 0 6px}"
    )
    days = lines(
        "lun | 7 204\nmar | 9 881\nmer | 4 350\njeu | 11 027\nven | 8 640\nsam | 13 512\ndim | 6 118"
    )
    drawn = ""
    for i, (day, count) in enumerate(days):
        tall = int(count.replace(" ", "")) / 13512 * 150
        x = 50 + i * 92
        drawn += stroke(x, 200, x, 200 - tall, "#e07a3f", 34)
        drawn += f'<text id="k{i}-value" x="{x}" y="{190 - tall}" font-size="21" text-anchor="middle">{count}</text>'
        drawn += f'<text id="k{i}" x="{x}" y="232" font-size="23" text-anchor="middle" fill="#8d7a68">{day}</text>'
    body = (
        head("20:18", "72 %")
        + text("title", "Ma semaine", "h1")
        + box(
            text("steps-label", "Pas", "h2")
            + svg(660, 245, drawn + dot(0, 0, 0, "none"))
            + box(marked("‹goal-label:Objectif quotidien :› ‹goal:9 000 pas›"), "label"),
            "tile",
        )
        + box(
            text("heart", "Cœur", "h2")
            + rows(
                "Au repos | 58 bpm\nMaximum aujourd’hui | 164 bpm | 18:47, course à pied\nVariabilité | 41 ms",
                "h",
            ),
            "tile",
        )
        + box(
            text("sleep", "Sommeil", "h2")
            + rows(
                "Nuit dernière | 6 h 52 | de 23:40 à 06:55\nSommeil profond | 1 h 14\nMoyenne du mois | 7 h 05",
                "s",
            ),
            "tile",
        )
        + box(
            text("sport", "Séances", "h2")
            + rows(
                """Course, bord du canal | 8,3 km | mardi, 46 min
                  Natation | 1 200 m | jeudi, 31 min
                  Randonnée du Puy Vert | 17,6 km | samedi, 4 h 25
                  Yoga avec Maëlle | 50 min | dimanche, 9 h 30""",
                "w",
            ),
            "tile",
        )
        + box(
            text("more", "Autres", "h2")
            + rows(
                "Poids | 67,4 kg | −0,8 kg en un mois\nEau bue | 1,25 l | sur 2 l\nMédicament | pris à 08:05 | fer, 80 mg",
                "o",
            ),
            "tile",
        )
    )
    return Page("phone-5", whole(css, body, "fr"), 780, 1688, language="fr")


def agenda() -> Page:
    """Return a calendar, a photograph of a phone."""
    css = (
        "body{background:#17171c;color:#f2f2f2;font:27px Roboto,sans-serif}"
        ".status{display:flex;justify-content:space-between;padding:18px 40px;font-size:24px}"
        "h1{font-size:44px;margin:6px 40px 0;font-weight:500}.day{font-size:25px;color:#9ad;margin:22px 40px 4px}"
        ".e{margin:9px 30px;padding:12px 24px;border-radius:14px;background:#262b38;border-left:8px solid #6b8cff;line-height:36px}"
        ".e b{font-weight:500}.small{font-size:23px;color:#b9bfcc}"
    )
    days = [
        (
            "Monday 2",
            [
                ("Dentist, Dr Quayle", "08:15 – 08:45", "14 Elm Court, bring X-ray"),
                ("Budget meeting", "10:00 – 11:30", "Room Heron, 2nd floor"),
                ("Pick up Nora from violin", "17:10", "Music school, side door"),
            ],
        ),
        (
            "Tuesday 3",
            [
                ("Boiler inspection", "07:30 – 12:00", "call 0131 496 0712 if late"),
                ("Call with Lisbon office", "14:00 – 14:30", "video, PIN 55 20 81"),
            ],
        ),
        (
            "Wednesday 4",
            [
                ("Gym: spinning", "06:30 – 07:15", "bike 12"),
                ("Workshop prototypes", "09:00 – 16:00", "Harbour Lab, lunch included"),
                ("Parents' evening", "19:00 – 20:30", "classroom 3C"),
            ],
        ),
        (
            "Thursday 5",
            [
                ("Train to Aberford", "06:52", "seat 64, coach C"),
                (
                    "Site visit wind park",
                    "10:30 – 15:00",
                    "safety boots! contact: <span id='guide'>Iain Mowat</span>",
                ),
                ("Dinner with Aunt Peg", "19:30", "The Copper Ladle"),
            ],
        ),
        (
            "Friday 6",
            [
                ("Return bottle crates", "all day", ""),
                ("Book club", "20:00 – 22:00", "at Farah's, chapters 9 to 14"),
            ],
        ),
    ]
    body, number = "", 0
    for place, (day, events) in enumerate(days):
        body += box(text(f"d{place}", day), "day")
        for name, when, note in events:
            more = " · " + text(f"e{number}-note", note) if note else ""
            body += box(
                "<b>"
                + text(f"e{number}", name)
                + "</b><br><span class='small'>"
                + text(f"e{number}-time", when)
                + more
                + "</span>",
                "e",
            )
            number += 1
    body = head("22:03", "35 %") + text("month", "December", "h1") + body
    return Page("phone-6", whole(css, body), 780, 1720, skew=-2.4, noise=2.5, blur=0.5, jpeg=64)


def order() -> Page:
    """Return an order of food, in Spanish."""
    css = (
        "body{background:#fff;color:#222;font:43px Lato,sans-serif}"
        ".status{display:flex;justify-content:space-between;padding:34px 70px 10px;font-size:38px}"
        ".top{background:#ffe9d6;padding:34px 60px;line-height:64px}.top b{font-size:60px}"
        "h2{font-size:48px;margin:34px 60px 6px}.row{display:flex;justify-content:space-between;padding:16px 60px}"
        ".note{font-size:34px;color:#777}.total{font-weight:700;border-top:3px solid #ddd;margin-top:10px}"
        ".info{background:#f6f6f6;margin:30px 48px;border-radius:26px;padding:28px 40px;line-height:62px;font-size:40px}"
    )
    body = (
        head("21:26", "17 %")
        + box(
            "<b>"
            + marked("Llega a las ‹eta:21:50›")
            + "</b><br>"
            + marked(
                "‹rider-label:Tu repartidora:› ‹rider:Yolanda›, ‹bike:moto roja›<br>‹state:Cocina terminando tu pedido›"
            ),
            "top",
        )
        + text("place", "Taquería La Golondrina", "h2")
        + rows(
            """2 × Tacos de setas | 11,80 € | sin cilantro
            1 × Quesadilla de flor de calabaza | 8,40 €
            1 × Pozole verde, grande | 12,50 € | extra rábano
            3 × Agua de jamaica | 7,50 €
            1 × Guacamole con totopos | 6,90 € | picante medio
            2 × Flan de cajeta | 9,00 €""",
            "i",
        )
        + text("sums", "Resumen", "h2")
        + rows(
            """Subtotal | 56,10 €
            Envío | 2,49 €
            Servicio | 1,20 €
            Propina | 3,00 €
            Cupón VERANO | −8,00 €""",
            "s",
        )
        + rows("Total | 54,79 €", "t", "row total")
        + box(
            marked(
                "‹addr-label:Entrega en› ‹addr:Calle del Olmo 27, 4.º izda.›<br>‹bell:Timbre estropeado, llamar al llegar›<br>‹pay-label:Pago:› ‹pay:tarjeta •••• 6120›<br>‹num-label:Pedido n.º› ‹num:G-30718›"
            ),
            "info",
        )
        + box(
            marked(
                "¿Falta algo? Tienes ‹claim:48 horas› ‹claim-label:para reclamar›.<br>‹points:Con este pedido ganas 54 puntos›<br>‹tel-label:Restaurante:› ‹tel:910 555 284›"
            ),
            "info",
        )
    )
    return Page("phone-7", whole(css, body, "es"), 1170, 2532, language="es")


def boarding() -> Page:
    """Return the pass for a flight in the app of an airline."""
    css = (
        "body{background:#2b1a4a;color:#fff;font:34px Carlito,sans-serif}.status{display:flex;"
        "justify-content:space-between;padding:22px 60px;font-size:32px}.top{padding:16px 60px "
        "30px}"
        "h1{font-size:50px;margin:0}.top small{font-size:33px;color:#c7b8e6}.card{background:#fff;"
        "color:#241636;margin:0 44px 28px;border-radius:34px;padding:40px 50px}.big{display:flex;"
        "justify-content:space-between;font-size:92px;font-weight:700;line-height:1}.small{display:"
        "flex;justify-content:space-between;font-size:34px;color:#6b5d80;margin:6px 0 26px}"
        ".grid{display:grid;grid-template-columns:repeat(3,1fr);gap:26px 20px;border-top:3px "
        "dashed "
        "#cbbfdd;padding-top:28px}.label{display:block;font-size:29px;color:#6b5d80}"
        ".value{font-size:"
        "44px;font-weight:700;white-space:nowrap}svg{display:block;margin:34px auto "
        "10px}.note{font-size:30px;"
        "color:#6b5d80}.row{display:flex;justify-content:space-between;padding:10px "
        "0;border-bottom:"
        "2px solid #e6dff0;align-items:center}.row .value{font-size:36px}h2{font-size:36px;"
        "margin:0 0 8px}"
        ".tabs{position:absolute;bottom:0;width:100%;background:#1d1133;display:flex;"
        "font-size:30px;"
        "justify-content:space-around;padding:40px 0 60px;color:#c7b8e6}"
    )
    facts = """pax | Passenger | M. Okafor-Lind
        flt | Flight | QV 2186
        cls | Class | Economy+
        gate | Gate | C37
        grp | Group | 3
        seat | Seat | 21F
        brd | Boarding | 09:55
        cls2 | Gate closes | 10:20
        seq | Sequence | 084"""
    grid = "".join(
        box(text(f"{key}-label", name, look="label") + text(key, value, look="value"))
        for key, name, value in lines(facts)
    )
    dots = "".join(
        bar(x * 10, y * 10, 10, 10, "#000")
        for x in range(29)
        for y in range(29)
        if (x * x * 7 + y * y * 13 + x * y * 5 + x + 3 * y) % 11 < 5
    )
    more = rows(
        """Cabin bag | 1 × 8 kg | 55 × 40 × 23 cm
        Checked bag | 1 × 23 kg | tag 0417 882 315
        Extra bag | £42 | up to 2 hours before
        Meal | vegetarian | ordered 3 July
        Lounge | not included | £29 at the door
        Miles for this trip | 1,340 | balance 18,905
        Booking code | T7XKPD | booked by Lind Travel"""
    )
    body = (
        head("08:12", "64 %")
        + box(text("title", "Your boarding pass", "h1")
              + text("sub", "Saturday 19 July · delayed by 15 min", "small"), "top")
        + box(
            box(text("from", "KSK") + "✈" + text("to", "MSL"), "big")
            + box(text("from-name", "Karsk, Terminal 2") + text("to-name", "Marisola"), "small")
            + box(text("dep", "10:40") + text("arr", "14:05"), "big", "font-size:60px")
            + box(text("dep-note", "was 10:25, local time") + text("long", "2 h 25 min"), "small")
            + box(grid, "grid") + svg(290, 290, dots)
            + text("scan", "Ticket 618-2204417390 · bright screen helps", "div",
                   "text-align:center", "note"),
            "card",
        )
        + box(text("extras", "Bags and extras", "h2") + more, "card")
        + box(marked("‹walk-label:Walk from security to the gate:› ‹walk:about 14 minutes›<br>"
                     "‹bus-label:Bus into Marisola:› ‹bus:line A9, every 20 min›, ‹fare:€3.80›"),
              "", "padding:0 60px;line-height:1.5")
        + box("".join(text(f"b{i}", word) for i, word in enumerate(
            ["Trips", "Book", "Status", "Profile"])), "tabs")
    )  # fmt: skip
    return Page("phone-8", whole(css, body), 1170, 2532)


def courriel() -> Page:
    """Return a French mail from the manager of a house, in a mail app."""
    css = (
        "body{background:#fff;color:#20252b;font:26px/37px 'Noto "
        "Sans',sans-serif}.status{display:flex;"
        "justify-content:space-between;padding:12px 30px;font-size:22px}.bar{display:flex;gap:40px;"
        "padding:14px 30px;color:#0b63c5;font-size:25px;border-bottom:1px solid "
        "#ddd}.pad{padding:16px 30px}"
        "h1{font-size:33px;margin:0 0 12px;line-height:1.2}.from{display:flex;gap:18px;"
        "margin-bottom:10px}"
        ".face{width:70px;height:70px;border-radius:50%;background:#b0573c;color:#fff;"
        "text-align:center;"
        "line-height:70px;font-size:30px}.grey{color:#6a7480;font-size:22px;line-height:30px}"
        "p{margin:0 0 "
        "20px}.row{display:flex;justify-content:space-between;border-bottom:1px solid "
        "#e4e7ea;padding:"
        "7px 0;font-size:24px}.note{font-size:20px;color:#6a7480;line-height:26px}"
        ".file{border:1px solid "
        "#ccd2d8;border-radius:12px;padding:10px 18px;margin-top:9px;font-size:23px;"
        "line-height:30px}"
        ".low{position:absolute;bottom:0;width:100%;display:flex;justify-content:space-around;"
        "padding:"
        "20px;background:#f5f6f8;color:#0b63c5}"
    )
    dates = rows(
        """Lundi 3 novembre | escalier A | sous-sol, puis du 1er au 3e
        Mardi 4 novembre | escalier A | du 4e au 7e
        Mercredi 5 novembre | escalier B | tous les étages
        Jeudi 6 novembre | escalier C | sauf l’appartement 12
        Vendredi 7 novembre | caves et local à vélos"""
    )
    parts = [
        "Bonjour à toutes et à tous,",
        "L’entreprise ‹firme:Thermex Vallier› remplace les colonnes d’eau chaude. "
        "‹coup-label:L’eau sera coupée› ‹coup:de 8 h 30 à 16 h›, le jour de votre escalier :",
        dates,
        "Merci de dégager l’accès aux tuyaux sur ‹dega:80 cm› et de laisser un double des clés à "
        "la "
        "gardienne, ‹gard:Mme Lopes-Aubin›, ‹clef:avant le 31 octobre›.",
        "‹part-label:Votre quote-part s’élève à› ‹part:614,20 €›, payable ‹fois:en trois fois›. "
        "‹prem-label:Le premier appel partira le› ‹prem:15 décembre›.",
        "‹urg-label:En cas de fuite, le soir :› ‹urg:05 55 01 47 90›",
        "Bien à vous,<br>‹sign:Hélène Castagnier›<br>Cabinet Rivoire, ‹bureau:bureau ouvert le "
        "mardi›",
    ]
    body = (
        head("18:47", "41 %")
        + box(text("back", "‹ Boîte de réception (23)") + text("arch", "Archiver")
              + text("del", "Supprimer"), "bar")
        + box(
            text("subject", "Travaux de novembre – 8, rue des Tanneurs", "h1")
            + box(box("HC", "face") + box(
                text("from", "Hélène Castagnier") + "<br>"
                + text("mail", "syndic@cabinet-rivoire.test", look="grey") + "<br>"
                + text("when", "à copropriétaires, mar. 14 oct., 17:32", look="grey")), "from")
            + "".join(part if "<div" in part else f"<p>{marked(part)}</p>" for part in parts)
            + "".join(box(marked(words), "file") for words in [
                "‹p0:Devis_Thermex.pdf› · ‹p0-size:1,2 Mo›",
                "‹p1:PV_assemblee_juin.pdf› · ‹p1-size:860 Ko›",
                "‹p2:Plan_colonnes.jpg› · ‹p2-size:3,4 Mo›"]),
            "pad",
        )
        + box(text("rep", "Répondre") + text("all", "À tous") + text("fwd", "Transférer"), "low")
    )  # fmt: skip
    return Page("phone-9", whole(css, body, "fr"), 750, 1624, language="fr")


def pills() -> Page:
    """Return an app for medicines, photographed with another phone."""
    css = (
        "body{background:#e9f3ee;color:#15302a;font:27px "
        "Lato,sans-serif}.status{display:flex;padding:"
        "16px 60px;justify-content:space-between;font-size:23px}.top{background:#1f6f5c;color:#fff;"
        "padding:22px 50px}h1{font-size:40px;margin:0}h2{font-size:27px;margin:16px 0 "
        "5px;color:#1f6f5c}"
        ".pad{padding:4px 44px}.row{background:#fff;border-radius:14px;padding:10px "
        "22px;margin-bottom:7px;"
        "display:flex;justify-content:space-between;align-items:center}.note{font-size:22px;"
        "color:#5d766f}"
        ".value{font-weight:700;white-space:nowrap;padding-left:16px}.days{display:flex;"
        "justify-content:"
        "space-between;padding:18px 44px;background:#d5e8df}.warn{background:#ffe7cf;"
        "border-radius:14px;"
        "padding:14px 22px;line-height:36px;margin-top:14px;font-size:25px}"
    )
    morning = rows(
        """Levotane 75 µg | 06:30 | 1 tablet, empty stomach
        Amlosin 5 mg | 08:00 | 1 tablet · taken 08:04
        Ferrovit drops | 08:00 | 20 drops in juice · skipped"""
    )
    noon = rows("Calcid D3 | 12:30 | 1 chewable, with food\nAmoxal 500 mg | 14:00 | 1 capsule", "n")
    night = rows(
        """Statorin 20 mg | 21:00 | 1 tablet, no grapefruit
        Amoxal 500 mg | 22:00 | 1 capsule, day 4 of 7
        Eye drops Lumex | 22:15 | 1 drop each eye, keep in fridge""",
        "e",
    )
    stock = rows(
        """Levotane | 41 left | lasts until 24 Oct
        Amlosin | 6 left | refill now
        Statorin | 19 left | lasts until 2 Oct
        Lumex | 3 weeks | throw away 4 Oct""",
        "s",
    )
    days = "".join(
        box(text(f"d{i}", day) + "<br>" + text(f"d{i}-share", share), "", "text-align:center")
        for i, (day, share) in enumerate(
            lines("Mon | 8/8\nTue | 7/8\nWed | 8/8\nThu | 5/8\nFri | 8/8\nSat | 2/8\nSun | –")
        )
    )
    body = (
        head("12:19", "33 %")
        + box(text("title", "Today, Sat 13 September", "h1")
              + text("who", "Plan of Edwina Harte · by Dr Paul Nkemelu"), "top")
        + box(days, "days")
        + box(
            text("h0", "Morning", "h2") + morning + text("h1", "Midday", "h2") + noon
            + text("h2", "Evening", "h2") + night + text("h3", "In the cupboard", "h2") + stock
            + box(marked(
                "‹w0-label:If you forget Levotane:› ‹w0:skip it, never take two›<br>"
                "‹w1-label:Pharmacy:› ‹w1:Old Bell, 0555 0172›, ‹w2-label:Sat until› ‹w2:13:00›<br>"
                "‹w3-label:Next blood test:› ‹w3:29 September, 07:45›"), "warn"),
            "pad",
        )
    )  # fmt: skip
    return Page("phone-10", whole(css, body), 800, 1740, skew=1.6, blur=0.5, noise=2.4, jpeg=55)


def pages() -> list[Page]:
    """Return the eleven pictures."""
    return [
        chat(),
        settings(),
        bank(),
        weather(),
        journey(),
        steps(),
        agenda(),
        order(),
        boarding(),
        courriel(),
        pills(),
    ]
