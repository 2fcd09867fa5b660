# pyright: basic
"""Values of fields and cells in the ways that four languages write them."""

import string
from collections.abc import Callable, Mapping, Sequence
from math import isnan
from random import Random

from homunculus.scouts.reading.kinds import value_of
from homunculus_lab.train import language, wordings

NAMES = wordings.read()["people"]
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
}
DAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
}
SPANS = {
    "en": ("days", "weeks", "months", "years", "hours", "minutes", "working days"),
    "de": ("Tage", "Wochen", "Monate", "Jahre", "Stunden", "Minuten", "Werktage"),
    "fr": ("jours", "semaines", "mois", "ans", "heures", "minutes", "jours ouvrés"),
    "es": ("días", "semanas", "meses", "años", "horas", "minutos", "días laborables"),
}
STREETS = {
    "en": "{1} {0} Street|{1} {0} Road|{1} {0} Lane", "de": "{0}straße {1}|{0}weg {1}|Am {0} {1}",
    "fr": "{1} rue {0}|{1}, avenue {0}|{1} place {0}", "es": "Calle {0} {1}|Avenida {0} {1}",
}  # fmt: skip
FIRMS = {"en": "Ltd Inc LLC plc", "de": "GmbH AG KG", "fr": "SARL SA", "es": "S.A. S.L."}
ROOMS = {"en": "Room", "de": "Raum", "fr": "Salle", "es": "Aula"}

Value = tuple[str, float | None]
"""A text, and the number that it is if values of its kind are compared."""
Maker = Callable[[], Value]


def maker(kind: str | Mapping[str, Sequence[str]], tongue: str, rng: Random) -> Maker:
    """A maker of values of one kind, all written alike, as in a column."""
    if not isinstance(kind, str):
        texts = kind.get(tongue) or next(iter(kind.values()))
        return lambda: _valued(rng.choice(texts))
    return _MAKERS[kind](tongue, rng)


def _valued(text: str) -> Value:
    value = value_of(text)
    return text, None if isnan(value) else value


# ---- numbers -------------------------------------------------------------------------------------


def written(value: float, decimals: int, tongue: str, grouped: bool = True) -> str:
    """A number as a language writes it."""
    text = f"{value:,.{decimals}f}" if grouped else f"{value:.{decimals}f}"
    if tongue == "en":
        return text
    mark = " " if tongue == "fr" else "."
    return text.translate({ord(","): mark, ord("."): ","})


def _numbers(
    low: int, high: int, decimals: int, forms: Sequence[str]
) -> Callable[[str, Random], Maker]:
    """Numbers between two, spread over their magnitudes as a column is."""

    def make(tongue: str, rng: Random) -> Maker:
        form, grouped = rng.choice(forms), rng.random() < 0.8
        top = low + (high - low) * rng.random() ** 3
        places = decimals if rng.random() < 0.7 else 0

        def value() -> Value:
            number = round(rng.uniform(low, max(top, low + 5)), places)
            return form.format(written(number, places, tongue, grouped)), number

        return value

    return make


def _money(tongue: str, rng: Random) -> Maker:
    forms = {"en": ("${}", "£{}", "€{}", "{}", "{}")}.get(tongue, ("{} €", "{} €", "{}€", "{}"))
    return _numbers(1, 9000, 2, forms)(tongue, rng)


# ---- times ---------------------------------------------------------------------------------------


def _month(tongue: str, rng: Random) -> Maker:
    months = MONTHS[tongue].split()
    return lambda: (rng.choice(months), None)


def _day_month(tongue: str, rng: Random) -> Maker:
    months, form = MONTHS[tongue].split(), rng.choice((0, 1))

    def value() -> Value:
        day, month = rng.randint(1, 28), rng.choice(months)
        forms = {
            "en": (f"{day} {month}", f"{month} {day}"),
            "de": (f"{day}. {month}", f"{day}. {month}"),
            "fr": (f"{day} {month}", f"le {day} {month}"),
            "es": (f"{day} de {month}", f"el {day} de {month}"),
        }
        return forms[tongue][form], None

    return value


def _date(tongue: str, rng: Random) -> Maker:
    chance, days = rng.random(), _day_month(tongue, rng)

    def value() -> Value:
        day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(2009, 2029)
        if chance < 0.4:
            mark = {"de": ".", "fr": "/", "es": "/"}.get(tongue, "/")
            return f"{day:02d}{mark}{month:02d}{mark}{year}", None
        if chance < 0.5:
            return f"{year}-{month:02d}-{day:02d}", None
        return f"{days()[0]} {'de ' if tongue == 'es' else ''}{year}", None

    return value


def _time(tongue: str, rng: Random) -> Maker:
    mark = rng.choice((":", ":", ":", "." if tongue == "en" else " h " if tongue == "fr" else ":"))
    late = {"en": ("", "", " am", " pm"), "de": ("", " Uhr"), "fr": ("",), "es": ("", " h")}
    ending = rng.choice(late[tongue])

    def value() -> Value:
        hour = rng.randint(1, 12) if ending in (" am", " pm") else rng.randint(0, 23)
        minute = rng.choice((0, 15, 30, 45, rng.randint(0, 59)))
        return _valued(f"{hour:02d}{mark}{minute:02d}{ending}")

    return value


def _pair(kind: str) -> Callable[[str, Random], Maker]:
    def make(tongue: str, rng: Random) -> Maker:
        value, joint = maker(kind, tongue, rng), rng.choice(("–", " – ", " - ", "-"))
        return lambda: (f"{value()[0]}{joint}{value()[0]}", None)

    return make


def _duration(tongue: str, rng: Random) -> Maker:
    unit = rng.choice(SPANS[tongue])

    def value() -> Value:
        count = rng.choice((2, 3, 5, 7, 10, 14, 20, 21, 28, 30, 45, 60, rng.randint(2, 90)))
        return f"{count} {unit}", float(count)

    return value


# ---- names ---------------------------------------------------------------------------------------


def _person(tongue: str, rng: Random) -> Maker:
    titles = {"en": ("Mr ", "Ms ", "Dr "), "de": ("Frau ", "Herr ", "Dr. "), "fr": ("Mme ", "M. ")}
    title = rng.choice(("", "", "", *titles.get(tongue, ("Sra. ", "Sr. "))))

    def value() -> Value:
        last = rng.choice(NAMES["last"])
        first = "" if title and rng.random() < 0.6 else f"{rng.choice(NAMES['first'])} "
        return f"{title}{first}{last}", None

    return value


def _word(rng: Random) -> str:
    return rng.choice(language.dictionary()).strip("'").capitalize()


def _firm(tongue: str, rng: Random) -> Maker:
    endings = FIRMS[tongue].split()
    return lambda: (
        f"{rng.choice((_word(rng), rng.choice(NAMES['last'])))} "
        f"{rng.choice((rng.choice(endings), _word(rng)))}",
        None,
    )


def _street(tongue: str, rng: Random) -> Maker:
    form = rng.choice(STREETS[tongue].split("|"))
    return lambda: (form.format(_word(rng), rng.randint(1, 180)), None)


def _city(_tongue: str, rng: Random) -> Maker:
    endings = ("", "ton", "ville", "burg", "stadt", "field", "haven", "mouth")
    return lambda: (_word(rng) + rng.choice(endings), None)


def _address(tongue: str, rng: Random) -> Maker:
    street, city = _street(tongue, rng), _city(tongue, rng)
    return lambda: (f"{street()[0]}, {rng.randint(10000, 99999)} {city()[0]}", None)


# ---- codes ---------------------------------------------------------------------------------------


def _formed(*forms: str) -> Callable[[str, Random], Maker]:
    """Codes by a form: # is a digit, A a letter, % a word."""

    def make(_tongue: str, rng: Random) -> Maker:
        form = rng.choice(forms)

        def letter(mark: str) -> str:
            if mark in "#A":
                return rng.choice(string.digits if mark == "#" else string.ascii_uppercase)
            return rng.choice(language.dictionary()).lower().strip("'") if mark == "%" else mark

        return lambda: ("".join(map(letter, form)), None)

    return make


def _room(tongue: str, rng: Random) -> Maker:
    form = rng.choice(("{1}", "{0} {1}"))
    return lambda: (form.format(ROOMS[tongue], f"{rng.choice('ABCDE')}{rng.randint(1, 40)}"), None)


_MAKERS: Mapping[str, Callable[[str, Random], Maker]] = {
    "money": _money, "month": _month, "day_month": _day_month, "date": _date, "time": _time,
    "weekday": lambda tongue, rng: lambda: (rng.choice(DAYS[tongue].split()), None),
    "year": lambda _, rng: lambda: _valued(str(rng.randint(1970, 2030))),
    "time_span": _pair("time"), "date_span": _pair("day_month"), "duration": _duration,
    "number": _numbers(1, 50_000, 0, ("{}",)), "small_number": _numbers(1, 60, 0, ("{}",)),
    "percent": _numbers(1, 100, 1, ("{} %", "{}%", "{}%")),
    "distance": _numbers(1, 900, 1, ("{} km", "{} m", "{} km")),
    "weight": _numbers(1, 900, 1, ("{} kg", "{} g", "{} g")),
    "temperature": _numbers(1, 220, 0, ("{} °C", "{}°", "{} °C")),
    "data_size": _numbers(1, 512, 1, ("{} GB", "{} MB", "{} GB")),
    "rating": _numbers(1, 10, 1, ("{}", "{} / 5", "{} / 10", "{}/10")),
    "person": _person, "firm": _firm, "street": _street, "city": _city, "address": _address,
    "phone": _formed(
        "0#### ### ###", "0## ### ## ##", "+## ### ### ###", "(###) ###-####", "0###/######"
    ),
    "email": _formed("%@%.com", "%.%@%.org"),
    "website": _formed("www.%.com", "%.example/%", "www.%-%.org"),
    "code": _formed(
        "AA-####", "####-####", "A#####", "########", "AA ## ##", "AAA-##-###", "#####"
    ),
    "iban": _formed(
        "DE## #### #### #### #### ##", "FR## #### #### #### ####", "GB## AAAA #### #### ####"
    ),
    "plate": _formed("AA ### AA", "A-AA ####", "AA## AAA"),
    "version": _formed("#.#.#", "v#.##", "#.##"), "ip": _formed("10.#.##.##", "192.168.#.##"),
    "file": _formed("%.py", "%_%.java", "/srv/%/%.log", "%.ts", "%-%.yaml"), "room": _room,
}  # fmt: skip
