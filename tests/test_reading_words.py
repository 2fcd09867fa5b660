"""What the reading scout knows of words: which are near in meaning, which ask for what, and what
printed ones look like and are worth."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from homunculus.scouts.reading import features, query
from homunculus.scouts.reading import related as module
from homunculus.scouts.reading.kinds import LONGEST, LOOKS, MATCHED, kinds_of, value_of
from homunculus.scouts.reading.match import RELATED, Vocabulary, likeness, matches, spelled
from homunculus.scouts.reading.query import HINTS, ask
from homunculus.scouts.reading.related import FILE, groups, related

LINES = [line for line in FILE.read_text("utf-8").splitlines() if not line.startswith("#")]
ASKING = tomllib.loads(Path(query.__file__).with_name("asking.toml").read_text("utf-8"))

# ---- words that are near in meaning --------------------------------------------------------------


def test_related_words_are_spelled_as_words_are_compared() -> None:
    for line in LINES:
        words = line.replace(" > ", " ").split()
        assert [spelled(word) for word in words] == words, line
        assert line == " ".join(line.split()), "single spaces"
        assert line.count(">") == line.count(" > ") <= 1, line


def test_no_related_word_is_alone_or_named_twice() -> None:
    for line in LINES:
        asked, _, printed = line.partition(" > ")
        words = [*asked.split(), *printed.split()]
        assert asked.split(), line
        assert len(words) > 1, line
        assert len(set(words)) == len(words), line
    assert all(groups().values())
    assert all(word not in others for word, others in groups().items())


@pytest.fixture
def own(tmp_path, monkeypatch) -> Iterator[None]:
    """Other groups than the shipped ones."""
    (tmp_path / "related.txt").write_text("# a note\nring dial > phone tel\nphone hotline\n")
    monkeypatch.setattr(module, "FILE", tmp_path / "related.txt")
    groups.cache_clear()
    yield
    groups.cache_clear()


@pytest.mark.usefixtures("own")
def test_words_of_a_group_lead_to_each_other_and_to_what_is_only_printed() -> None:
    assert related("ring") == ("dial", "phone", "tel")
    assert related("dial") == ("ring", "phone", "tel")
    assert related("phone") == ("hotline",)  # not to who asks to ring
    assert related("tel") == related("#") == related("note") == ()


@settings(deadline=None)
@given(some.sampled_from(sorted(groups())))
def test_a_related_word_counts_less_than_the_word(word: str) -> None:
    others = [*related(word), "zzzz"]
    found = matches([word], Vocabulary.of([word, *others]))[0]
    assert found[0] == 1
    assert found[-1] == 0
    for other, share in zip(others[:-1], found[1:], strict=False):
        assert share == pytest.approx(max(RELATED, likeness(word, other)))


@pytest.mark.parametrize(
    ("asked", "printed"),
    [
        ("ring", "Telephone:"), ("loo", "WC"), ("anrufen", "Tél."), ("payer", "MONTANT"),
        ("teléfono", "Tel"), ("günstig", "Rabatt"), ("cuándo", "Fecha"), ("geöffnet", "Open"),
    ],
)  # fmt: skip
def test_words_are_related_however_they_are_printed(asked: str, printed: str) -> None:
    found = matches([spelled(asked)], Vocabulary.of([printed, "zebra"]))[0]
    assert found.tolist() == [pytest.approx(RELATED), 0]


# ---- ways of asking ------------------------------------------------------------------------------


def asked(question: str) -> tuple[set[str], set[str]]:
    """The hints of a question, and the kinds that its words ask for."""
    found = ask(question)
    kinds = {kind for kind, pattern in zip(MATCHED, query._KINDS, strict=True)
             if pattern.search(question)}  # fmt: skip
    assert kinds <= {kind for kind, share in zip(MATCHED, found.kinds, strict=True) if share}
    return {hint for hint, there in zip(HINTS, found.hints, strict=True) if there}, kinds


def test_every_pattern_is_one_and_finds_itself() -> None:
    assert set(ASKING) == {"hints", "kinds"}
    for table in ASKING.values():
        for name, patterns in table.items():
            assert len(set(patterns)) == len(patterns), name
            for pattern in patterns:
                assert re.compile(pattern).match("") is None, pattern
                assert not re.search(r"(?<!\\)[A-Z]", pattern), pattern
                if not re.search(r"[][?*+^\\|()]", pattern):
                    assert query._pattern([pattern]).search(f"So, {pattern.capitalize()}!"), pattern


def test_all_kinds_are_asked_for_and_all_hints_are_known() -> None:
    assert set(ASKING["kinds"]) == set(MATCHED)
    assert len(query._KINDS) == len(MATCHED)
    assert tuple(ASKING["hints"]) == HINTS
    for hint, fact in features._PAIRS:
        assert hint in HINTS
        assert fact in features.NAMES
    assert len(set(features.NAMES)) == len(features.NAMES)


@pytest.mark.parametrize(
    ("hint", "questions"),
    {
        "who": ("Who signed?", "Wer leitet das?", "Qui a signé ?", "¿Quién firma?"),
        "where": ("Where is it?", "Wo ist das?", "Où est-ce ?", "¿Dónde está?"),
        "when": ("When is it?", "Wann ist das?", "C'est quand ?", "¿Cuándo es?"),
        "why": ("Why is it late?", "Warum so spät?", "Pourquoi ce retard ?", "¿Por qué?"),
        "long": ("How long does it take?", "Wie lange dauert es?", "Combien de temps ?",
                 "¿Cuánto tiempo tengo?"),
        "first": ("The first one?", "Der erste?", "La première ?", "¿El primero?"),
        "last": ("The last one?", "Der letzte?", "Le dernier ?", "¿El último?"),
        "name": ("What's his name?", "Wie heißt er?", "Quel est son nom ?", "¿Cómo se llama?"),
        "firm": ("Which company?", "Welche Firma?", "Quelle entreprise ?", "¿Qué empresa?"),
        "from": ("Who is the sender?", "Absender?", "L'expéditeur ?", "¿El remitente?"),
        "most": ("The highest price?", "Der höchste Preis?", "Le plus cher ?", "¿El más caro?"),
        "least": ("The lowest price?", "Der niedrigste Preis?", "Le moins cher ?",
                  "¿El más barato?"),
        "total": ("What's the total?", "Was macht das insgesamt?", "Ça fait combien en tout ?",
                  "¿Cuánto es en total?"),
        "count": ("How many are there?", "Wie viele sind es?", "Combien de pages ?",
                  "¿Cuántos hay?"),
        "which": ("Which one?", "Welches ist es?", "Quel train ?", "¿Cuál es?"),
    }.items(),
)  # fmt: skip
def test_ways_of_asking_are_known_in_four_languages(hint: str, questions: tuple[str, ...]) -> None:
    for question in questions:
        assert hint in asked(question)[0], question
        assert hint not in asked("Zebra, zèbre, cebra?")[0]


@pytest.mark.parametrize(
    ("kind", "questions"),
    {
        "phone": ("Whom do I ring?", "Wen rufe ich an?", "J'appelle où ?", "¿A quién llamo?"),
        "money": ("How much is it?", "Was kostet das?", "Combien ça coûte ?", "¿Cuánto vale?"),
        "date": ("When is it due?", "Wann ist es fällig?", "C'est pour quand ?", "¿Para cuándo?"),
        "time": ("What time is it?", "Um wie viel Uhr?", "À quelle heure ?", "¿A qué hora?"),
        "number": ("How many?", "Wie viele?", "Combien ?", "¿Cuántos?"),
        "measure": ("How heavy is it?", "Wie schwer ist es?", "Combien pèse-t-il ?",
                    "¿Cuánto pesa?"),
        "span": ("How long does it take?", "Wie lange dauert das?", "Combien de jours ?",
                 "¿Cuánto tiempo?"),
        "percent": ("What per cent?", "Wie viel Prozent?", "Quel pourcentage ?",
                    "¿Qué descuento hay?"),
        "code": ("What's the password?", "Wie ist das Passwort?", "Le mot de passe ?",
                 "¿La contraseña?"),
        "word": ("Who is it?", "Wer ist das?", "Qui est-ce ?", "¿Quién es?"),
        "site": ("Which website?", "Welche Webseite?", "Quelle adresse ?", "¿Qué correo?"),
    }.items(),
)  # fmt: skip
def test_kinds_are_asked_for_in_four_languages(kind: str, questions: tuple[str, ...]) -> None:
    assert {*MATCHED} == {*ASKING["kinds"]}
    for question in questions:
        assert kind in asked(question)[1], question
        assert kind not in asked("Zebra, zèbre, cebra?")[1]


@settings(deadline=None)
@given(some.text(max_size=80))
def test_what_is_asked_for_is_at_most_a_whole(question: str) -> None:
    kinds = ask(question).kinds
    assert kinds.shape == (len(MATCHED),)
    assert (kinds >= 0).all()
    assert kinds.sum() <= 1 + 1e-5


def test_words_inside_other_words_ask_for_nothing() -> None:
    for question in ("The spring recall of topaz", "Worte, wandern", "Whenever endings paint"):
        assert asked(question) == (set(), set()), question
    # what is smallest in another language is not the largest
    for question in ("le plus petit", "las más pequeñas", "la plus froide", "el más barato"):
        hints = asked(question)[0]
        assert "least" in hints, question
        assert "most" not in hints, question


# ---- what printed words look like ----------------------------------------------------------------


def looks(text: str) -> dict[str, set[str]]:
    words = text.split()
    table = kinds_of(words, np.array([0]))
    return {
        word: {look for look, there in zip(LOOKS, row, strict=True) if there}
        for word, row in zip(words, table, strict=True)
    }


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("span", "within 14 days of", "14 days"),
        ("span", "takes three weeks now", "three weeks"),
        ("span", "after 10 working days", "10 working days"),
        ("span", "binnen 14 Tagen nach", "14 Tagen"),
        ("span", "etwa zwei Wochen", "zwei Wochen"),
        ("span", "sous 15 jours ouvrés", "15 jours"),
        ("span", "en dos semanas", "dos semanas"),
        ("span", "a 1,5 hours walk", "1,5 hours"),
        ("measure", "weighs 12 kg net", "12 kg"),
        ("measure", "at 180 °C then", "180 °C"),
        ("measure", "disk 7,4 GB free", "7,4 GB"),
        ("measure", "rated 4.5 / 5 today", "4.5 / 5"),
        ("measure", "drives 130 km/h here", "130 km/h"),
        ("site", "write ann@mill.example today", "ann@mill.example"),
        ("site", "see www.mill.org/hours please", "www.mill.org/hours"),
        ("site", "on shop.mill.de now", "shop.mill.de"),
        ("site", "at https://a.b/c there", "https://a.b/c"),
        ("date", "am 3. März fällig", "3. März"),
        ("date", "le 14 juillet 2024 au", "14 juillet 2024"),
        ("date", "el 5 de mayo no", "5 de mayo"),
        ("date", "open Mittwoch only", "Mittwoch"),
        ("date", "le vendredi matin", "vendredi"),
        ("date", "los sábados cerrado", "sábados"),
    ],
)
def test_words_look_like_spans_measures_sites_and_dates(kind: str, text: str, words: str) -> None:
    told = looks(text)
    assert [word for word in told if kind in told[word]] == words.split()


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("span", "14 boxes"), ("span", "day one"), ("span", "ten"), ("span", "A14 days"),
        ("measure", "12 kgs2"), ("measure", "kg"), ("measure", "12 men"), ("measure", "5"),
        ("site", "Mr. Deng"), ("site", "3.50"), ("site", "node"), ("site", "e.g. this"),
        ("date", "marching"), ("date", "maybe"), ("date", "sund"),
    ],
)  # fmt: skip
def test_words_that_do_not(kind: str, text: str) -> None:
    assert not any(kind in found for found in looks(text).values())


def test_looks_are_in_order_and_long_words_are_cut() -> None:
    assert LOOKS[: len(MATCHED)] == MATCHED
    assert MATCHED[-3:] == ("span", "measure", "site")
    long = "x" * LONGEST
    assert "site" in looks(f"ann@{long}")[f"ann@{long}"]
    assert "site" not in looks(f"{long}@ann")[f"{long}@ann"]


# ---- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("00:00", 0), ("7:05", 425), ("07:30", 450), ("23:59", 1439), ("14h05", 845),
        ("7 h 30", 450), ("9:00 Uhr", 540), ("18:15 h", 1095),
        ("1,204.50", 1204.5), ("$ 1,204.50", 1204.5), ("1,204", 1204), ("1,204,000", 1204000),
        ("2.535,00 €", 2535), ("2.535.000", 2535000), ("7,4 GB", 7.4), ("0,99 €", 0.99),
        ("12,5 %", 12.5), ("€ 1.299,90", 1299.9), ("-3,5 °C", -3.5), ("-12", -12), ("+4", 4),
        ("(120)", 120), ("EUR 45,00", 45), ("12.5", 12.5), (".5", 5), ("1.250,5", 1250.5),
        ("1 204,50 €", 1204.5), ("12 900 km", 12900), ("1 204 000", 1204000), ("-2 500", -2500),
    ],
)  # fmt: skip
def test_values_are_read_as_several_languages_write_them(text: str, value: float) -> None:
    assert value_of(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        "24:00",
        "12:60",
        "12 34",
        "030 123 456",
        "1 2345",
        "1 204.50",
        "1:2",
        "07:30-09:00",
        "1-2",
        "12 / 30",
        "a12b3",
        "",
        "—",
        "x" * 50,
    ],
)
def test_what_is_no_value_is_not_a_number(text: str) -> None:
    assert np.isnan(value_of(text))


@settings(deadline=None)
@given(some.integers(0, 23), some.integers(0, 59))
def test_times_are_in_the_order_of_the_day(hour: int, minute: int) -> None:
    for text in (f"{hour:02d}:{minute:02d}", f"{hour}h{minute:02d}", f"{hour}:{minute:02d} Uhr"):
        assert value_of(text) == 60 * hour + minute


@settings(deadline=None)
@given(some.decimals(0, 999_999, places=2))
def test_numbers_are_read_back_in_english_german_and_french(number) -> None:
    english = f"{number:,.2f}"
    german, french = (english.translate({ord(","): mark, ord("."): ","}) for mark in ". ")
    for text in (english, german, french):
        for form in ("{}", "{} €", "€ {}", "{} kg"):
            assert value_of(form.format(text)) == pytest.approx(float(number)), text


@settings(deadline=None)
@given(some.text("0123456789.,:h -+()€%a", max_size=30))
def test_any_text_has_a_value_or_none(text: str) -> None:
    assert value_of(text) == value_of(text) or np.isnan(value_of(text))
    assert not np.isinf(value_of(text))
