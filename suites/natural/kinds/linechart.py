"""Line charts: one line or several, with values or events printed, several panels, a log scale."""

# ruff: noqa: E501 - rows of tables and styles stand on lines of their own length

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from markup import bar, box, curve, dot, label, lines, marked, stroke, svg, table, text, whole
from page import Page


@dataclass
class Field:
    """A field to draw in: its corner, its size, the values at its ends, and how print looks."""

    x: float
    y: float
    width: float
    height: float
    span: tuple[float, float]
    steps: float
    ink: str = "#333"
    grid: str = "#ddd"
    size: float = 17
    key: str = ""
    log: bool = False
    pad: float = 0

    def across(self, step: float) -> float:
        """Return where a step stands; ``pad`` keeps values off the names at the sides."""
        return self.x + self.pad + (self.width - 2 * self.pad) * step / self.steps

    def spot(self, step: float, value: float) -> tuple[float, float]:
        """Return where a value stands in the drawing."""
        low, high = self.span
        if self.log:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        part = (value - low) / (high - low)
        return self.across(step), self.y + self.height * (1 - part)

    def levels(self, ticks: Sequence[tuple[float, str]], right: bool = False) -> str:
        """Return lines across with their names, ids y0, y1 and so on (z0 at the right)."""
        done = ""
        for i, (value, words) in enumerate(ticks):
            x, y = self.x, self.spot(0, value)[1]
            if right:
                done += label(
                    f"{self.key}z{i}",
                    x + self.width + 10,
                    y + self.size / 3,
                    words,
                    self.size,
                    "start",
                    self.ink,
                )
                continue
            done += stroke(x, y, x + self.width, y, self.grid)
            done += label(
                f"{self.key}y{i}", x - 10, y + self.size / 3, words, self.size, "end", self.ink
            )
        return done

    def names(self, words: Sequence[str], every: float = 1) -> str:
        """Return the names below, ids x0, x1 and so on."""
        low = self.y + self.height + self.size * 1.6
        return "".join(
            label(
                f"{self.key}x{i}", self.across(i * every), low, name, self.size, "middle", self.ink
            )
            for i, name in enumerate(words)
        )

    def line(self, values: Sequence[float], colour: str, width: float = 3, dash: str = "") -> str:
        """Return a line through values, a step apart."""
        return curve([self.spot(i, value) for i, value in enumerate(values)], colour, width, dash)

    def event(
        self, key: str, step: float, value: float, words: str, lift: float, side: str = "middle"
    ) -> str:
        """Return a point with words above (or below, if ``lift`` is negative)."""
        x, y = self.spot(step, value)
        far = y - lift
        return (
            stroke(x, y, x, far + (6 if lift > 0 else -self.size), self.ink)
            + dot(x, y, 5, self.ink)
            + label(key, x, far, words, self.size, side, self.ink)
        )


def walk(seed: int, start: float, steps: int, drift: float, swing: float) -> list[float]:
    """Return a random walk, the same for the same seed."""
    moves = np.random.default_rng(seed).normal(drift, swing, steps)
    return [start, *(start + np.cumsum(moves)).tolist()]


def wandering(
    knots: Sequence[tuple[float, float]], steps: int, seed: int, swing: float
) -> list[float]:
    """Return values that follow knots (step, value) with some noise, exact at the knots."""
    grid = np.arange(steps + 1)
    smooth = np.interp(grid, [step for step, _ in knots], [value for _, value in knots])
    noise = np.random.default_rng(seed).normal(0, swing, steps + 1)
    noise[[int(step) for step, _ in knots]] = 0
    return (smooth + noise).tolist()


def climates() -> Page:
    """Return the temperatures of four towns by month, names at the ends of lines."""
    css = "body{font-family:'Open Sans',sans-serif;background:#fff;color:#222;padding:30px 44px}h1{font-size:29px;margin:0}.sub{font-size:18px;color:#666;margin:4px 0}.foot{font-size:17px;color:#666;line-height:1.6}"
    field = Field(80, 30, 1120, 520, (-10, 35), 11)
    towns = [
        ("Karsk", "#1d5f8a", [-8, -7, -2, 5, 12, 17, 20, 18, 12, 5, -1, -6]),
        ("Port Ellery", "#3a9679", [5, 5, 7, 9, 12, 15, 17, 17, 14, 11, 8, 6]),
        ("Marisola", "#e07a1f", [12, 13, 15, 17, 21, 25, 28, 29, 25, 21, 16, 13]),
        ("Quebrada Alta", "#a33b6b", [22, 21, 20, 18, 15, 13, 12, 14, 16, 18, 20, 21]),
    ]
    parts = field.levels([(v, f"{v} °C".replace("-", "−")) for v in (-10, 0, 10, 20, 30)])
    parts += field.names(
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    )
    for i, (name, colour, values) in enumerate(towns):
        parts += field.line(values, colour)
        x, y = field.spot(11, values[-1])
        parts += label(
            f"s{i}", x + 12, y + (6 if i != 3 else 0), name, 18, "start", colour, weight=700
        )
    parts += field.event("e0", 7, 29, "29.4 °C in Marisola", 30) + field.event(
        "e1", 0, -8, "−8.1 °C in Karsk", -34, "start"
    )
    body = (
        text("title", "A year in four towns", "h1")
        + text("sub", "mean temperature by month, 1991–2020", "div", look="sub")
        + svg(1400, 610, parts)
        + box(
            marked(
                "‹h0-label:Hours of sun per year:› ‹h0-name:Karsk› ‹h0:1,610›, Port Ellery ‹h1:1,385›, ‹h2-name:Marisola› ‹h2:2,940›, Quebrada Alta ‹h3:2,205›<br>‹alt-label:Height above the sea:› ‹a0-name:Karsk› ‹a0:212 m›, Port Ellery ‹a1:9 m›, Marisola ‹a2:34 m›, Quebrada Alta ‹a3:2,870 m›<br>‹src:Source: World Climate Almanac, 14th edition›"
            ),
            "foot",
        )
    )
    return Page("linechart-0", whole(css, body), 1500, 860)


def share() -> Page:
    """Return the price of a share with events, dark."""
    css = "body{font-family:Roboto,sans-serif;background:#10151c;color:#e6ebf2;padding:26px 40px}h1{font-size:27px;margin:0;font-weight:500}.sub{font-size:18px;color:#8fa0b5;margin:4px 0 10px}.keys{display:flex;gap:40px;font-size:18px;flex-wrap:wrap;margin-top:8px}.keys span{margin-right:8px}.label{color:#8fa0b5}"
    field = Field(70, 40, 1390, 500, (20, 70), 250, "#aebccd", "#243040", 17)
    values = wandering(
        [
            (0, 31),
            (40, 36.4),
            (74, 27.2),
            (120, 41),
            (158, 58.9),
            (190, 47.5),
            (228, 63.7),
            (250, 61.1),
        ],
        250,
        7,
        0.7,
    )
    parts = field.levels([(v, f"{v}") for v in (20, 30, 40, 50, 60, 70)])
    parts += field.names(
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 22
    ) + field.line(values, "#49c5a0", 2.5)
    for i, (step, value, words, lift, side) in enumerate(
        [
            (40, 36.4, "Half-year figures", 70, "middle"),
            (74, 27.2, "Recall of model K2", -60, "middle"),
            (120, 41, "New CEO: <tspan id='ceo'>Anneke Vos</tspan>", 90, "middle"),
            (158, 58.9, "Takeover rumour", 60, "middle"),
            (190, 47.5, "Bid withdrawn", -60, "middle"),
            (228, 63.7, "Order from Castelnau metro", 50, "end"),
        ]
    ):
        parts += field.event(f"e{i}", step, value, words, lift, side)
    keys = "".join(
        box(f"{text(f'{key}-label', name, look='label')} {text(key, value)}")
        for key, name, value in [
            ("last", "Last", "61.10"),
            ("open", "Open", "60.72"),
            ("high", "Year high", "63.70"),
            ("low", "Year low", "27.20"),
            ("vol", "Volume", "1.84 M"),
            ("cap", "Market cap", "€2.31 bn"),
            ("pe", "P/E", "17.8"),
            ("div", "Dividend", "€0.92"),
            ("yield", "Yield", "1.5 %"),
            ("isin", "ISIN", "XX0004417709"),
            ("beta", "Beta", "1.12"),
            ("next", "Next report", "12 February"),
        ]
    )
    body = (
        text("title", "Volta Lifts AG · VLA", "h1")
        + text("sub", "1 year, daily close in euro", "div", look="sub")
        + svg(1500, 590, parts)
        + box(keys, "keys")
    )
    return Page("linechart-1", whole(css, body), 1580, 820)


def power() -> Page:
    """Return the price of electricity in Germany, with events, German."""
    css = "body{font-family:Lato,sans-serif;background:#fff;color:#222;padding:30px 46px}svg text{paint-order:stroke;stroke:#fff;stroke-width:5px;stroke-linejoin:round}h1{font-size:31px;margin:0}.sub{font-size:20px;color:#666;margin:4px 0}.foot{font-size:18px;color:#666;line-height:1.55}"
    field = Field(90, 50, 1250, 500, (20, 50), 15, size=19, pad=40)
    years = list(range(2010, 2026))
    values = [
        23.7,
        25.2,
        25.9,
        28.8,
        29.1,
        28.7,
        28.8,
        29.3,
        29.5,
        30.5,
        31.8,
        32.2,
        38.6,
        45.7,
        40.2,
        39.3,
    ]
    parts = (
        field.levels([(v, f"{v} ct") for v in (20, 25, 30, 35, 40, 45, 50)])
        + field.names([str(year) for year in years])
        + field.line(values, "#b3391f", 4)
    )
    for i, value in enumerate(values):
        x, y = field.spot(i, value)
        parts += dot(x, y, 6, "#b3391f") + label(
            f"v{i}", x, y - 14, f"{value}".replace(".", ","), 18, "middle", "#222"
        )
    parts += field.event("e0", 3, 28.8, "Höhere Umlage", -90) + field.event(
        "e1", 12, 38.6, "Wegfall der Umlage", -130, "start"
    )
    parts += label(
        "e2", field.spot(13, 45.7)[0], field.spot(13, 45.7)[1] - 44, "Preisbremse", 19, "middle"
    )
    body = (
        text("title", "Was eine Kilowattstunde in Auental kostet", "h1")
        + text(
            "sub", "Arbeitspreis für Haushalte, Cent je kWh, jeweils 1. Januar", "div", look="sub"
        )
        + svg(1400, 610, parts)
        + box(
            marked(
                "‹grund-label:Grundpreis 2025:› ‹grund:11,90 € im Monat› · ‹mix-label:Anteil Ökostrom:› ‹mix:64 %› · ‹steuer-label:davon Steuern und Abgaben:› ‹steuer:29 %› · ‹frist-label:Kündigungsfrist:› ‹frist:zwei Wochen›<br>‹src:Quelle: Stadtwerke Auental, Tarif „Heimstrom Basis“. Angaben brutto.›"
            ),
            "foot",
        )
    )
    return Page("linechart-2", whole(css, body, "de"), 1500, 850, language="de", jpeg=70)


def clinic() -> Page:
    """Return the chart of a patient, temperature and pulse, scanned."""
    css = (
        "body{font:21px 'Liberation Sans',sans-serif;background:#fff;color:#111;padding:50px 60px}svg text{paint-order:stroke;stroke:#fff;stroke-width:5px;stroke-linejoin:round}h1{font-size:31px;margin:0 0 12px}.top{display:grid;grid-template-columns:1fr 1fr 1fr;gap:6px 30px;border:2px solid #333;padding:12px 18px;margin-bottom:14px;font-size:20px}"
        "table{width:100%;margin-top:12px}td,th{border:1px solid #555;padding:7px 10px;font-size:19px;text-align:center}.foot{margin-top:16px;line-height:1.55}"
    )
    days = [
        "Mon am",
        "pm",
        "Tue am",
        "pm",
        "Wed am",
        "pm",
        "Thu am",
        "pm",
        "Fri am",
        "pm",
        "Sat am",
        "pm",
    ]
    temps = [38.9, 39.6, 39.1, 39.8, 38.7, 39.0, 38.1, 38.4, 37.5, 37.9, 37.0, 37.2]
    beats = [104, 112, 108, 116, 101, 103, 94, 96, 86, 88, 78, 80]
    field = Field(90, 30, 940, 460, (36, 41), 11, "#111", "#bbb", 19, pad=44)
    second = Field(90, 30, 940, 460, (50, 150), 11, "#888", "#bbb", 19, pad=44)
    parts = field.levels([(v, f"{v} °C") for v in (36, 37, 38, 39, 40, 41)]) + second.levels(
        [(v, f"{v}") for v in (50, 70, 90, 110, 130, 150)], right=True
    )
    parts += field.names(days) + field.line(temps, "#111", 3) + second.line(beats, "#888", 3, "9 6")
    for i, value in enumerate(temps):
        x, y = field.spot(i, value)
        parts += dot(x, y, 5, "#111") + label(f"t{i}", x, y - 12, f"{value}", 18, "middle", "#111")
    parts += label("k0", 480, 20, "— temperature", 19) + label(
        "k1", 680, 20, "- - pulse per minute", 19, fill="#666"
    )
    rows = [
        ("Fluids in (ml)", "1,900", "2,150", "2,400", "2,300", "2,000", "1,850"),
        ("Fluids out (ml)", "1,200", "1,380", "1,750", "1,900", "1,820", "1,700"),
        ("Weight (kg)", "71.4", "71.0", "70.8", "70.9", "71.1", "71.3"),
        ("Blood pressure", "128/82", "131/84", "126/80", "122/78", "120/79", "118/76"),
        ("Pain (0–10)", "7", "7", "5", "4", "2", "1"),
    ]
    head = (
        "<tr><th></th>"
        + "".join(
            f"<th>{text(f'd{i}', day)}</th>"
            for i, day in enumerate(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"])
        )
        + "</tr>"
    )
    lines = "".join(
        f"<tr><td style='text-align:left'>{text(f'r{n}', row[0])}</td>"
        + "".join(f"<td>{text(f'r{n}-{i}', cell)}</td>" for i, cell in enumerate(row[1:]))
        + "</tr>"
        for n, row in enumerate(rows)
    )
    body = (
        text("title", "Observation chart – Ward 4 East", "h1")
        + box(
            marked(
                "<div>‹name-label:Patient:› ‹name:Arthur Pellow›</div><div>‹born-label:Born:› ‹born:17.08.1951›</div><div>‹bed-label:Bed:› ‹bed:412 B›</div><div>‹doc-label:Consultant:› ‹doc:Dr. S. Iyer›</div><div>‹all-label:Allergies:› ‹all:penicillin, latex›</div><div>‹num-label:Hospital no.› ‹num:RD 44-20917›</div>"
            ),
            "top",
        )
        + svg(1110, 550, parts)
        + f"<table>{head}{lines}</table>"
        + box(
            marked(
                "‹ab-label:Antibiotic:› ‹ab:doxycycline 100 mg, twice daily›, started ‹start:Tue 18:00›. ‹par-label:Paracetamol› ‹par:1 g up to four times a day›. ‹diet-label:Diet:› ‹diet:soft, low salt›. ‹mob-label:Mobility:› ‹mob:up with one helper›.<br>‹next-label:Next blood test:› ‹next:Sunday 07:00›. ‹home-label:Going home:› ‹home:Monday if free of fever›. ‹sig:Signed: M. Aubrey, RN›"
            ),
            "foot",
        )
    )
    return Page("linechart-3", whole(css, body), 1240, 1270, skew=-1.2, noise=3.0, jpeg=60)


def panels() -> Page:
    """Return six small charts about a lake."""
    css = "body{font-family:'Noto Sans',sans-serif;background:#f7fafb;color:#1f2d33;padding:26px 36px}h1{font-size:28px;margin:0 0 12px}.frame{display:grid;grid-template-columns:1fr 1fr 1fr;gap:14px}.cell{background:#fff;border:1px solid #d6e0e4;padding:12px 16px}h2{font-size:19px;margin:0}.now{font-size:17px;color:#56707c}.foot{font-size:17px;color:#56707c;margin-top:12px;line-height:1.5}"
    measures = [
        ("a", "Water temperature (°C)", (0, 25), (0, 5, 10, 15, 20, 25), "20.3 °C", "25 Jul", 29),
        (
            "b",
            "Level above datum (m)",
            (386, 390),
            (386, 387, 388, 389, 390),
            "389.24 m",
            "3 Apr",
            13,
        ),
        ("c", "Oxygen at 20 m (mg/l)", (4, 12), (4, 6, 8, 10, 12), "10.6 mg/l", "14 Mar", 10),
        ("d", "Visibility (m)", (2, 10), (2, 4, 6, 8, 10), "8.7 m", "2 Feb", 5),
        ("e", "Phosphorus (µg/l)", (0, 20), (0, 5, 10, 15, 20), "16.2 µg/l", "30 Sep", 39),
        ("f", "Chlorophyll (µg/l)", (0, 12), (0, 3, 6, 9, 12), "9.8 µg/l", "19 May", 20),
    ]
    cells = ""
    for key, name, span, ticks, most, day, week in measures:
        field = Field(50, 14, 430, 210, span, 51, "#41545d", "#e1e9ec", 15, key)
        middle, reach = sum(span) / 2, (span[1] - span[0]) / 2
        wave = np.cos((np.arange(52) - week) / 52 * 2 * np.pi) * reach * 0.6 + middle
        noise = np.random.default_rng(week).normal(0, reach * 0.04, 52)
        parts = field.levels([(v, f"{v}") for v in ticks]) + field.line(
            (wave + noise).tolist(), "#1f7a8c", 2.5
        )
        parts += field.names(["Jan", "Apr", "Jul", "Oct"], 13)
        cells += box(
            text(f"{key}-title", name, "h2")
            + box(
                f"{text(f'{key}-most-label', 'highest:')} {text(f'{key}-most', most)} on {text(f'{key}-day', day)}",
                "now",
            )
            + svg(500, 262, parts),
            "cell",
        )
    body = (
        text("title", "Lake Merrin: readings of 2024, buoy 3 (off Anstow)", "h1")
        + box(cells, "frame")
        + box(
            marked(
                "‹every-label:Readings every› ‹every:10 minutes›, weekly means shown. ‹gap-label:Gap in week 31:› ‹gap:buoy struck by a boat›. ‹serv-label:Serviced by:› ‹serv:Kettlemere Hydrology, Jude Farrow›, last on ‹servday:6 November›. ‹lim-label:Bathing is closed when chlorophyll exceeds› ‹lim:10 µg/l›. ‹data-label:Raw data:› ‹data:merrin-buoys.test/3›"
            ),
            "foot",
        )
    )
    return Page("linechart-4", whole(css, body), 1680, 850)


def vines() -> Page:
    """Return the harvest dates of a vineyard, French."""
    css = "body{font-family:'EB Garamond',serif;background:#fdfaf2;color:#3b2a2a;padding:34px 54px}svg text{paint-order:stroke;stroke:#fdfaf2;stroke-width:5px;stroke-linejoin:round}h1{font-size:40px;margin:0}.sub{font-size:24px;color:#7a6262;margin:2px 0 6px}.foot{font-size:22px;color:#6a5252;line-height:1.5}svg text{font-family:Lato,sans-serif}"
    field = Field(130, 30, 1180, 520, (0, 60), 12, "#3b2a2a", "#e6dccb", 20, pad=20)
    years = [str(year) for year in range(2012, 2025)]
    red = [45, 52, 40, 31, 38, 22, 19, 27, 14, 36, 9, 17, 24]
    white = [33, 41, 30, 20, 27, 12, 8, 18, 4, 25, 1, 7, 13]
    ticks = [(0, "20 août"), (12, "1er sept."), (31, "20 sept."), (42, "1er oct."), (60, "19 oct.")]
    dates_red = [
        "4/10",
        "11/10",
        "29/9",
        "20/9",
        "27/9",
        "11/9",
        "8/9",
        "16/9",
        "3/9",
        "25/9",
        "29/8",
        "6/9",
        "13/9",
    ]
    parts = (
        field.levels(ticks)
        + field.names(years)
        + field.line(red, "#8b1e3f", 4)
        + field.line(white, "#c9a227", 4)
    )
    for i, value in enumerate(red):
        x, y = field.spot(i, value)
        parts += dot(x, y, 6, "#8b1e3f") + label(
            f"v{i}", x, y - 15, dates_red[i], 19, "middle", "#8b1e3f"
        )
    for i, value in enumerate(white):
        x, y = field.spot(i, value)
        parts += dot(x, y, 6, "#c9a227")
    parts += label(
        "s0", 1330, field.spot(12, 24)[1] + 6, "rouges", 21, fill="#8b1e3f", weight=700
    ) + label("s1", 1330, field.spot(12, 13)[1] + 6, "blancs", 21, fill="#a3821a", weight=700)
    body = (
        text("title", "On vendange de plus en plus tôt", "h1")
        + text("sub", "Premier jour de récolte au Domaine des Trois Chênes", "div", look="sub")
        + svg(1420, 610, parts)
        + box(
            marked(
                "‹gel-label:Gel d’avril 2021 :› récolte réduite de ‹gel:42 %›. ‹alt-label:Altitude des parcelles :› ‹alt:310 à 395 m›. ‹ha-label:Surface :› ‹ha:18,6 hectares›, dont ‹bio:11 en bio›. ‹cep-label:Cépage principal :› ‹cep:mondeuse›. ‹deg-label:Degré moyen en 2024 :› ‹deg:12,8 % vol.›<br>‹src:D’après les carnets de cave tenus par Odile Marchenoir›"
            ),
            "foot",
        )
    )
    return Page("linechart-5", whole(css, body, "fr"), 1530, 880, language="fr")


def chips() -> Page:
    """Return numbers on a logarithmic scale with names of machines, a page of a slide."""
    css = "body{font-family:'DejaVu Sans',sans-serif;background:#fff;color:#1a1a1a;padding:30px 44px}h1{font-size:28px;margin:0}.sub{font-size:18px;color:#666;margin:4px 0}.foot{font-size:17px;color:#555;line-height:1.6}"
    field = Field(110, 30, 1240, 600, (1e6, 1e12), 36, size=17, log=True)
    ticks = [
        (1e6, "1 million"),
        (1e7, "10 m"),
        (1e8, "100 m"),
        (1e9, "1 billion"),
        (1e10, "10 bn"),
        (1e11, "100 bn"),
        (1e12, "1 trillion"),
    ]
    parts = field.levels(ticks) + field.names([str(year) for year in range(1988, 2025, 4)], 4)
    machines = [
        (1, 2.6e6, "Tessel 40", 44),
        (5, 6.1e6, "Borealis", -50),
        (8, 1.9e7, "Quartz II", 50),
        (12, 7.4e7, "Onyx 9", -50),
        (15, 1.6e8, "Heron", 60),
        (18, 6.9e8, "Cobalt Duo", -56),
        (21, 1.8e9, "Lumen 3", 56),
        (24, 5.2e9, "Kestrel", -60),
        (27, 1.3e10, "Argent M", 60),
        (30, 4.7e10, "Vesper", -66),
        (33, 1.2e11, "Solace Ultra", 62),
        (36, 3.4e11, "Titan Wafer", -70),
    ]
    parts += curve([field.spot(step, value) for step, value, _, _ in machines], "#6a4c93", 3)
    for i, (step, value, name, lift) in enumerate(machines):
        parts += field.event(f"e{i}", step, value, name, lift, "end" if i == 11 else "middle")
    body = (
        text("title", "Switches on a chip, 1988–2024", "h1")
        + text(
            "sub",
            "number of transistors of notable processors, logarithmic scale",
            "div",
            look="sub",
        )
        + svg(1420, 680, parts)
        + box(
            marked(
                "‹dbl-label:Doubling time:› ‹dbl:25 months on average› · ‹node-label:Smallest structure today:› ‹node:3 nm› · ‹cost-label:A new factory costs:› ‹cost:about $21 billion› · ‹water-label:Water used per wafer:› ‹water:8,300 litres›<br>‹who:Slide 9, Museum of Computing, guided tour for schools (age 14+)›"
            ),
            "foot",
        )
    )
    return Page("linechart-6", whole(css, body), 1520, 880, blur=0.5)


def runners() -> Page:
    """Return the heart rate and height of a run in Spanish, from a watch's app."""
    css = "body{font-family:Roboto,sans-serif;background:#fff;color:#1d1d1d;padding:36px 40px}h1{font-size:40px;margin:0}.sub{font-size:26px;color:#666;margin:4px 0 16px}.keys{display:grid;grid-template-columns:1fr 1fr 1fr;gap:16px;margin:10px 0 18px}.keys .label{display:block;font-size:23px;color:#777}.keys .value{font-size:36px;font-weight:500}h2{font-size:28px;margin:14px 0 0}table{width:100%}td,th{padding:9px 12px;font-size:25px;border-bottom:1px solid #e2e2e2}th{font-weight:400;color:#777}"
    beat = Field(90, 20, 880, 300, (90, 190), 60, size=22)
    beats = wandering([(0, 98), (8, 138), (24, 152), (37, 181), (44, 160), (60, 171)], 60, 3, 2.0)
    first = beat.levels([(v, f"{v}") for v in (90, 115, 140, 165, 190)]) + beat.names(
        ["0", "10", "20", "30", "40", "50", "60 min"], 10
    )
    first += bar(
        90, beat.spot(0, 190)[1], 880, beat.spot(0, 165)[1] - beat.spot(0, 190)[1], "#f7d6d0"
    ) + beat.line(beats, "#d62828", 3)
    first += beat.event("e0", 37, 181, "181 · Cuesta del Molino", -150)
    hill = Field(90, 20, 880, 240, (600, 900), 60, size=22, key="h")
    heights = wandering([(0, 640), (15, 700), (37, 868), (50, 705), (60, 640)], 60, 5, 3.0)
    second = (
        hill.levels([(v, f"{v} m") for v in (600, 700, 800, 900)])
        + hill.names(["0", "2", "4", "6", "8", "10 km"], 12)
        + hill.line(heights, "#386641", 3)
    )
    second += hill.event("e1", 37, 868, "Mirador, 868 m", 14)
    keys = "".join(
        box(text(f"{key}-label", name, look="label") + text(key, value, look="value"))
        for key, name, value in [
            ("dist", "Distancia", "10,2 km"),
            ("time", "Tiempo", "58:41"),
            ("pace", "Ritmo medio", "5:45 /km"),
            ("kcal", "Calorías", "712 kcal"),
            ("up", "Desnivel", "+264 m"),
            ("cad", "Cadencia", "168 ppm"),
            ("temp", "Temperatura", "14 °C"),
            ("shoe", "Zapatillas", "Liebre 4 (512 km)"),
            ("rest", "Recuperación", "31 horas"),
        ]
    )
    rows = [
        ("1", "6:02", "128"),
        ("2", "5:38", "144"),
        ("3", "5:31", "149"),
        ("4", "5:35", "153"),
        ("5", "5:52", "162"),
        ("6", "6:48", "177"),
        ("7", "5:12", "168"),
        ("8", "5:20", "161"),
        ("9", "5:36", "165"),
        ("10", "5:26", "170"),
    ]
    table = (
        "<table><tr>"
        + "".join(
            f"<th>{text(f'h-{key}', name)}</th>"
            for key, name in [("km", "Km"), ("pace", "Ritmo"), ("beat", "Pulso")]
        )
        + "</tr>"
    )
    table += (
        "".join(
            "<tr>"
            + "".join(
                f"<td style='text-align:center'>{text(f'r{n}-{key}', cell)}</td>"
                for key, cell in zip(("km", "pace", "beat"), row, strict=True)
            )
            + "</tr>"
            for n, row in enumerate(rows)
        )
        + "</table>"
    )
    body = (
        text("title", "Carrera del domingo", "h1")
        + text("sub", "Sierra de Almarza · 9 de marzo, 08:12 · con Itziar", "div", look="sub")
        + box(keys, "keys")
        + text("t0", "Pulso (latidos por minuto)", "h2")
        + svg(1010, 380, first)
        + text("t1", "Altura", "h2")
        + svg(1010, 320, second)
        + table
    )
    return Page("linechart-7", whole(css, body, "es"), 1090, 1760, language="es", jpeg=68)


def rates() -> Page:
    """Return the rate of a central bank as steps, with decisions named, and a table of votes."""
    css = (
        "body{font-family:'Liberation Sans Narrow',sans-serif;background:#fff1e5;color:#33302e;"
        "padding:"
        "26px 40px}h1{font-size:29px;margin:0}.sub{font-size:18px;color:#66605c;margin:2px 0 "
        "6px}.foot{"
        "font-size:17px;line-height:1.6;color:#4d4845}table{width:100%;margin:6px 0 "
        "8px}td,th{padding:4px "
        "12px;font-size:17px;border-bottom:1px solid #ccc1b7}"
    )
    field = Field(60, 30, 1120, 400, (0, 6), 36, ink="#33302e", grid="#e3d5c8", size=16)
    steps = [(0, 0.5), (4, 0.75), (7, 1.25), (10, 2.0), (13, 3.0), (16, 3.75), (19, 4.5),
             (24, 5.25), (29, 4.75), (32, 4.25), (33.7, 3.75), (36, 3.75)]  # fmt: skip
    spots = []
    for (start, value), (end, _) in pairwise(steps):
        spots += [field.spot(start, value), field.spot(end, value)]
    other = wandering([(0, 1.1), (9, 3.2), (17, 5.4), (24, 3.6), (36, 2.2)], 36, 5, 0.16)
    parts = field.levels([(v, f"{v} %") for v in range(7)])
    parts += field.names(
        ["Jan 23", "Jul 23", "Jan 24", "Jul 24", "Jan 25", "Jul 25", "Jan 26"], every=6
    )
    parts += curve(spots, "#990f3d", 3.5) + field.line(other, "#0d7680", 2, "7 5")
    events = [
        (4, 0.75, "first rise, +0.25", -40, "start"),
        (13, 3.0, "\u00a0\u00a0+1.00, largest step", -40, "start"),
        (19, 4.5, "banking scare at Morrel", 90, "middle"),
        (24, 5.25, "peak: 5.25 %", 38, "start"),
        (32, 4.25, "new governor: Ilse Rand", 66, "middle"),
    ]
    for i, (step, value, words, lift, side) in enumerate(events):
        parts += field.event(f"e{i}", step, value, words, lift, side)
    parts += label("s0", 1096, 204, "policy rate", 17, fill="#990f3d", weight=700)
    parts += label("s1", 1096, 312, "inflation", 17, fill="#0d7680", weight=700)
    votes = table(
        [("date", "Meeting"), ("move", "Decision"), ("rate", ">Rate"), ("vote", ">Votes"),
         ("against", "Against"), ("infl", ">Forecast, inflation 2026")],
        lines(
            """4 Dec 2025 | no change | 3.75 % | 6–3 | Adair, Munk, Sorel | 2.3 %
            23 Oct 2025 | cut by 0.50 | 3.75 % | 5–4 | Brandt, Adair, Okoro, Munk | 2.4 %
            4 Sep 2025 | cut by 0.50 | 4.25 % | 7–2 | Brandt, Okoro | 2.6 %
            12 Jun 2025 | cut by 0.50 | 4.75 % | 9–0 | – | 2.9 %
            17 Apr 2025 | no change | 5.25 % | 8–1 | Sorel | 3.1 %"""
        ),
    )  # fmt: skip
    body = (
        text("title", "From nearly nothing to five and halfway back", "h1")
        + text("sub", "Policy rate of the Bank of Vestmark and inflation, per cent", "div",
               look="sub")
        + svg(1230, 470, parts)
        + votes
        + box(marked(
            "‹n0-label:Next meeting:› ‹n0:22 January 2026, 13:00› · ‹n1-label:Target for "
            "inflation:› "
            "‹n1:2 %› · ‹n2-label:Mortgage, ten years fixed:› ‹n2:4.61 %› · ‹n3-label:Crown per "
            "euro:› "
            "‹n3:7.84›<br>‹n4-label:Minutes are published after› ‹n4:three weeks› · "
            "‹src-label:Sources:› "
            "‹src:Bank of Vestmark, Statvest› · ‹gr-label:Chart:› ‹gr:Leonie Quist›"), "foot")
    )  # fmt: skip
    return Page("linechart-8", whole(css, body), 1300, 820)


def river() -> Page:
    """Return a sheet with the level of a river over a fortnight, copied and crooked."""
    css = (
        "body{font:18px 'Courier Prime',monospace;background:#fff;color:#111;padding:60px "
        "80px}h1{font-size:"
        "27px;margin:0 0 6px}.top{display:grid;grid-template-columns:1fr 1fr;gap:2px "
        "40px;margin-bottom:"
        "10px}.row{display:flex;justify-content:space-between;border-bottom:1px dotted "
        "#444}td,th{padding:"
        "3px 12px;border:1px solid #444;font-size:17px}table{width:100%}.foot{margin-top:10px;"
        "line-height:1.5}"
    )
    field = Field(60, 20, 980, 420, (0, 700), 14, ink="#111", grid="#bbb", size=16)
    days = [str(day) for day in range(12, 27)]
    level = [212, 218, 241, 305, 398, 512, 604, 637, 583, 491, 402, 341, 296, 262, 240]
    above = [165, 180, 230, 318, 420, 498, 541, 522, 450, 371, 305, 262, 231, 208, 192]
    parts = field.levels([(v, str(v)) for v in range(0, 701, 100)]) + field.names(days)
    for i, (value, words) in enumerate([(350, "report level 350"), (500, "flood level 500"),
                                        (620, "dyke crown, Osier Lane 620")]):  # fmt: skip
        y = field.spot(0, value)[1]
        parts += stroke(60, y, 1040, y, "#111", 2, "10 6")
        parts += label(f"g{i}", 72, y - 7, words, 16, fill="#111")
    parts += field.line(level, "#000", 4) + field.line(above, "#666", 2.5, "4 4")
    for i, value in enumerate(level):
        x, y = field.spot(i, value)
        parts += dot(x, y, 5, "#000")
        parts += label(f"v{i}", x, y - 14, str(value), 16, ["end", "start"][i > 6], "#111")
    parts += label("s0", 420, 414, "— Tolley Bridge", 17)
    parts += label("s1", 640, 414, "··· Upper Wharfe", 17)
    facts = "".join(
        box(text(f"f{i}-name", name) + text(f"f{i}", value), "row")
        for i, (name, value) in enumerate(
            lines(
                """Gauge | Tolley Bridge, no. 2271
                River | Wharfe, km 88.4
                Zero of gauge | 31.07 m above sea
                Observer | J. Hesketh
                Highest ever | 691 cm, 5 Feb 1953
                Mean of January | 264 cm
                Peak this time | 637 cm, 19 Jan, 04:20
                Flow at peak | 1,180 m³/s"""
            )
        )
    )
    rain = table(
        [("st", "Rain gauge (mm)"), *[(f"d{day}", f">{day}") for day in days[:8]], ("sum", ">Sum")],
        lines(
            """Cold Fell | 4 | 11 | 38 | 52 | 47 | 21 | 9 | 2 | 184
            Hag Moss | 2 | 9 | 31 | 60 | 39 | 18 | 5 | 0 | 164
            Skell Weir | 1 | 6 | 22 | 41 | 36 | 14 | 3 | 1 | 124
            Tolley | 0 | 5 | 17 | 29 | 33 | 12 | 4 | 0 | 100"""
        ),
    )
    body = (
        text("title", "FLOOD REPORT No. 3 – JANUARY 2025, LEVELS IN CM", "h1")
        + box(facts, "top") + svg(1090, 480, parts) + rain
        + box(marked(
            "‹n0-label:Closed roads:› ‹n0:B 417 at Netherby, Osier Lane›<br>‹n1-label:Sandbags:› "
            "‹n1:fire "
            "station, Mill Street, day and night›<br>‹n2-label:People moved out:› ‹n2:46› · "
            "‹n3-label:Shelter:› ‹n3:St Cedd’s school hall›<br>‹n4-label:Flood desk:› ‹n4:0555 "
            "0112› · "
            "‹n5-label:Next report:› ‹n5:27 Jan, 12:00› · ‹n6-label:Pump hire:› ‹n6:Garside, £35 "
            "a day›"),
            "foot")
    )  # fmt: skip
    return Page("linechart-9", whole(css, body), 1240, 1050, skew=2.3, noise=3.0, blur=0.5, jpeg=54)


def battery() -> Page:
    """Return a page from a test of electric scooters: range over age, with a table below."""
    css = (
        "body{font-family:Lato,sans-serif;background:#0f1720;color:#e6edf3;padding:28px "
        "44px}h1{font-size:"
        "30px;margin:0;font-weight:900}.sub{font-size:18px;color:#8b9bab;margin:2px 0 "
        "8px}td,th{padding:6px "
        "13px;font-size:17px;border-bottom:1px solid #263341}th{color:#8b9bab;font-weight:400}"
        "table{width:"
        "100%;margin-top:4px}.foot{font-size:17px;line-height:1.6;color:#a9b7c4;margin-top:12px}"
    )
    field = Field(70, 24, 1010, 430, (20, 80), 36, ink="#8b9bab", grid="#263341", size=16)
    models = [
        ("Piko One", "#4cc9f0", [(0, 68), (12, 64), (24, 59), (36, 52)]),
        ("Gazelle E", "#f9c74f", [(0, 74), (12, 66), (24, 54), (36, 41)]),
        ("Zuum 2", "#f94144", [(0, 55), (12, 51), (24, 40), (30, 33.5), (36, 27)]),
        ("Hopper Max", "#90be6d", [(0, 61), (12, 60), (24, 58), (36, 56)]),
        ("Lido City", "#c77dff", [(0, 48), (12, 46), (24, 44), (36, 39)]),
    ]
    parts = field.levels([(v, f"{v} km") for v in range(20, 81, 10)])
    parts += field.names(["new", "6", "12", "18", "24", "30", "36 months"], every=6)
    for i, (name, colour, knots) in enumerate(models):
        parts += field.line(wandering(knots, 36, 40 + i, 0.5), colour)
        x, y = field.spot(36, knots[-1][1])
        shift = {"Gazelle E": 0, "Lido City": 16}.get(name, 6)
        parts += label(f"s{i}", x + 12, y + shift, f"{name}, {knots[-1][1]} km", 17, fill=colour)
    parts += field.event("e0", 24, 54, "Gazelle: update slows charging", 96)
    parts += field.event("e1", 30, 33.5, "two Zuum packs replaced", -40)
    rows = table(
        [("name", "Model"), ("price", ">Price"), ("cap", ">Battery"), ("kg", ">Weight"),
         ("load", ">Full charge"), ("new", ">New pack"), ("war", "Warranty on battery"),
         ("mark", ">Mark")],
        lines(
            """Piko One | €879 | 512 Wh | 17.2 kg | 5.5 h | €310 | 24 months or 300 cycles | 2.1
            Gazelle E | €1,049 | 640 Wh | 19.8 kg | 7.0 h | €395 | 24 months | 2.9
            Zuum 2 | €549 | 410 Wh | 15.1 kg | 6.0 h | €280 | 12 months | 4.3
            Hopper Max | €1,190 | 576 Wh | 18.4 kg | 4.0 h | €345 | 48 months or 80 % | 1.6
            Lido City | €699 | 390 Wh | 13.9 kg | 4.5 h | glued in | 24 months | 2.7"""
        ),
    )  # fmt: skip
    body = (
        text("title", "How scooters age: range after three years", "h1")
        + text("sub", "km on one charge, rider of 75 kg, 20 °C; 8 scooters of each model", "div",
               look="sub")
        + svg(1290, 500, parts) + rows
        + box(marked(
            "‹t0-label:Best stored at› ‹t0:40 to 60 % charge› · ‹t1-label:Range in frost:› "
            "‹t1:about a "
            "third less› · ‹t2-label:Test track:› ‹t2:Almhof, 9.4 km› · ‹t3-label:Power for 100 "
            "km:› "
            "‹t3:1.3 kWh, about 40 cents›<br>‹t4-label:Recalled:› ‹t4:Zuum 2, serial numbers up "
            "to ZK "
            "40911 (brake lever)› · ‹t5-label:Testers:› ‹t5:M. Abara, C. Lindholm›"), "foot")
    )  # fmt: skip
    return Page("linechart-10", whole(css, body), 1380, 880)


def pages() -> list[Page]:
    """Return the eleven pictures."""
    return [
        climates(),
        share(),
        power(),
        clinic(),
        panels(),
        vines(),
        chips(),
        runners(),
        rates(),
        river(),
        battery(),
    ]
