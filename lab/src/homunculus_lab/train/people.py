"""Names of people, firms, roles, places and topics."""

import string
from random import Random

from homunculus_lab.train import language, wordings
from homunculus_lab.train.language import CODE, NUMBER, WORD, Phrase

TEXTS = wordings.read()["people"]


def phrase_of(text: str, kind: int = WORD) -> Phrase:
    """A text as a phrase of one kind."""
    return [(part, kind) for part in text.split()]


def person(rng: Random) -> Phrase:
    """A person's name, with or without initials and titles."""
    first, last = rng.choice(TEXTS["first"]), rng.choice(TEXTS["last"])
    if rng.random() < 0.2:
        last = rng.choice(language.dictionary()).capitalize()
    initials = [f"{rng.choice(string.ascii_uppercase)}." for _ in range(2)]
    forms = (
        f"{first} {last}",
        f"{first} {initials[0]} {last}",
        f"{initials[0]} {initials[1]} {last}",
        f"{initials[0]} {last}",
        f"Dr. {first} {last}",
        f"Mr. {initials[0]} {last}",
        f"Ms. {first} {last}",
        f"{first} {last}, Ph.D.",
    )
    return phrase_of(rng.choice(forms))


def role(rng: Random) -> Phrase:
    """A role or title."""
    if rng.random() < 0.25:
        return [
            *phrase_of(rng.choice(("Director,", "Manager,", "Chairman,"))),
            *language.label(rng),
        ]
    return phrase_of(rng.choice(TEXTS["roles"]))


def body(rng: Random) -> Phrase:
    """A firm or an office."""
    if rng.random() < 0.25:
        return language.name(rng)
    words = [rng.choice(language.dictionary()).capitalize() for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.3:
        words = [rng.choice(TEXTS["last"])]
    return phrase_of(" ".join([*words, rng.choice(TEXTS["organisations"])]))


def road(rng: Random) -> Phrase:
    """A street with its number, or a post-office box."""
    number = str(rng.randint(1, 9999))
    if rng.random() < 0.2:
        return [*phrase_of(rng.choice(("P.O. Box", "P. O. Box", "PO Box"))), (number, NUMBER)]
    words = [rng.choice(language.dictionary()).capitalize() for _ in range(rng.choice([1, 1, 2]))]
    return [(number, NUMBER), *phrase_of(" ".join([*words, rng.choice(TEXTS["roads"])]))]


def town(rng: Random) -> tuple[Phrase, Phrase, Phrase]:
    """A town, its state and its zip code."""
    digits = f"{rng.randint(1000, 99999):05d}"
    if rng.random() < 0.15:
        digits += f"-{rng.randint(0, 9999):04d}"
    name, state = rng.choice(TEXTS["towns"]), rng.choice(TEXTS["states"])
    return phrase_of(f"{name},"), phrase_of(state), [(digits, CODE)]


def topic(rng: Random, most: int = 7) -> Phrase:
    """A subject line: nouns with small words between them."""
    words = [text for text, _ in language.label(rng)]
    while rng.random() < 0.7 and len(words) < most - 2:
        words.append(rng.choice(("of", "for", "and", "in", "the", "on", "-", "to")))
        words += [text for text, _ in language.label(rng)]
    return phrase_of(" ".join(words[:most]))


def bates(rng: Random) -> Phrase:
    """A code stamped on every page of an archive."""
    digits = "".join(rng.choice(string.digits) for _ in range(rng.randint(7, 10)))
    head = "".join(rng.choice(string.ascii_uppercase) for _ in range(rng.choice([0, 0, 2, 3, 4])))
    return (
        [(head + digits, CODE)] if rng.random() < 0.7 else [(digits[:5], CODE), (digits[5:], CODE)]
    )


def website(rng: Random) -> Phrase:
    """A web address."""
    site = rng.choice(language.dictionary()).lower() + rng.choice((".com", ".org", ".edu", ".gov"))
    return phrase_of(rng.choice(("www.", "http://www.", "https://")) + site)


def zip_code(rng: Random) -> Phrase:
    """The zip code of a town."""
    return town(rng)[2]


def city(rng: Random) -> Phrase:
    """The first word of a town's name, as a field of a form has it."""
    return phrase_of(town(rng)[0][0][0].rstrip(","))


def terms(rng: Random) -> Phrase:
    """When an invoice has to be paid."""
    return phrase_of(rng.choice(TEXTS["terms"]))
