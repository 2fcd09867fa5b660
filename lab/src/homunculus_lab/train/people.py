"""Names of people, firms, roles, places and topics."""

import string
from random import Random

from homunculus_lab.train import language
from homunculus_lab.train.language import CODE, NUMBER, WORD, Phrase

FIRST = tuple(
    """
    James John Robert Michael William David Richard Joseph Thomas Charles Mary Patricia Jennifer
    Linda Elizabeth Barbara Susan Jessica Sarah Karen Nancy Lisa Margaret Donald George Kenneth
    Steven Edward Brian Ronald Anthony Kevin Jason Gary Helen Ruth Carol Alan Peter Frank Raj Anil
    Priya Wei Ming Ahmad Siti Hans Pierre Maria Jose Olga Ivan
    """.split()  # noqa: SIM905 (read as prose)
)
LAST = tuple(
    """
    Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Moore Jackson Martin Lee
    Thompson White Harris Clark Lewis Robinson Walker Young Allen King Wright Scott Hill Green Adams
    Baker Nelson Carter Mitchell Roberts Turner Phillips Campbell Parker Evans Edwards Collins
    Stewart Sharma Gupta Tan Lim Wong Mueller Schmidt Garcia Lopez Novak
    """.split()  # noqa: SIM905 (read as prose)
)
ROLES = (
    "President", "Vice President", "Director", "Executive Director", "Manager", "Chairman",
    "Secretary", "Treasurer", "Senior Scientist", "Chief Executive Officer", "Professor",
    "Research Director", "Marketing Manager", "Project Leader", "Associate Professor", "Dean",
    "Sales Representative", "Administrative Assistant", "General Counsel", "Editor", "Coordinator",
    "Managing Director", "Company Secretary", "Head of Department", "Chief Financial Officer",
)  # fmt: skip
BODIES = (
    "University", "Institute", "Foundation", "Association", "Corporation", "Company", "Inc.",
    "Laboratories", "Industries", "Council", "Limited", "Society", "Department", "Center",
    "Committee", "Group", "& Co.", "Hospital", "Bureau", "Agency",
)  # fmt: skip
TOWNS = (
    "New York", "Chicago", "Boston", "Washington", "Richmond", "Winston-Salem", "Louisville",
    "San Francisco", "Los Angeles", "Houston", "Atlanta", "Denver", "Philadelphia", "Bethesda",
    "Durham", "Greensboro", "Mumbai", "London", "Kuala Lumpur", "Omaha", "Portland", "Springfield",
)  # fmt: skip
STATES = (
    "NY", "IL", "MA", "D.C.", "VA", "N.C.", "KY", "Calif.", "TX", "GA", "PA", "MD", "Ohio",
    "Florida", "Illinois",
)  # fmt: skip
ROADS = (
    "Street", "Avenue", "Road", "Drive", "Boulevard", "Lane", "St.", "Ave.", "Blvd.", "Place",
)  # fmt: skip


def phrase_of(text: str, kind: int = WORD) -> Phrase:
    """A text as a phrase of one kind."""
    return [(part, kind) for part in text.split()]


def person(rng: Random) -> Phrase:
    """A person's name, with or without initials and titles."""
    first, last = rng.choice(FIRST), rng.choice(LAST)
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
    return phrase_of(rng.choice(ROLES))


def body(rng: Random) -> Phrase:
    """A firm or an office."""
    if rng.random() < 0.25:
        return language.name(rng)
    words = [rng.choice(language.dictionary()).capitalize() for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.3:
        words = [rng.choice(LAST)]
    return phrase_of(" ".join([*words, rng.choice(BODIES)]))


def road(rng: Random) -> Phrase:
    """A street with its number, or a post-office box."""
    number = str(rng.randint(1, 9999))
    if rng.random() < 0.2:
        return [*phrase_of(rng.choice(("P.O. Box", "P. O. Box", "PO Box"))), (number, NUMBER)]
    words = [rng.choice(language.dictionary()).capitalize() for _ in range(rng.choice([1, 1, 2]))]
    return [(number, NUMBER), *phrase_of(" ".join([*words, rng.choice(ROADS)]))]


def town(rng: Random) -> tuple[Phrase, Phrase, Phrase]:
    """A town, its state and its zip code."""
    zip_code = f"{rng.randint(1000, 99999):05d}"
    if rng.random() < 0.15:
        zip_code += f"-{rng.randint(0, 9999):04d}"
    return phrase_of(rng.choice(TOWNS) + ","), phrase_of(rng.choice(STATES)), [(zip_code, CODE)]


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
