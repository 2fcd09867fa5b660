"""Which things a question names, and how they stand to each other.

English, by small lists, like the words of the word scout; nothing is learned here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from homunculus.scouts.words.question import QUOTED, parse, plurals
from homunculus.scouts.words.stopwords import word_set

_ALSO = {
    "person": "people man men woman women boy boys girl girls child children kid kids baby babies "
    "player players lady ladies guy guys someone somebody anyone everyone pedestrian pedestrians "
    "driver rider skier surfer skateboarder snowboarder batter pitcher catcher umpire chef he she "
    "him pilot officer policeman worker tourist crowd human",
    "bicycle": "bike bikes bicyclist cyclist",
    "motorcycle": "motorbike motorcyclist moped scooter",
    "airplane": "plane planes aeroplane jet jets aircraft airliner",
    "car": "cars automobile taxi cab sedan suv vehicle vehicles",
    "truck": "lorry pickup van vehicle vehicles",
    "bus": "buses busses vehicle vehicles",
    "train": "locomotive tram subway",
    "boat": "ship ships canoe kayak sailboat ferry yacht",
    "traffic light": "stoplight signal signals",
    "fire hydrant": "hydrant hydrants",
    "bird": "duck ducks seagull seagulls pigeon pigeons parrot goose geese owl chicken animal "
    "animals",
    "cat": "kitten kittens animal animals",
    "dog": "puppy puppies dogs animal animals",
    "horse": "pony ponies animal animals",
    "sheep": "lamb lambs goat animal animals",
    "cow": "cattle bull calf ox animal animals",
    "elephant": "animal animals",
    "bear": "animal animals",
    "zebra": "animal animals",
    "giraffe": "animal animals",
    "backpack": "rucksack bag bags",
    "handbag": "purse bag bags",
    "suitcase": "luggage suitcases bag bags",
    "tie": "necktie",
    "skis": "ski",
    "sports ball": "ball balls",
    "baseball bat": "bat bats",
    "baseball glove": "glove gloves mitt",
    "tennis racket": "racket rackets racquet",
    "wine glass": "glass glasses",
    "cup": "mug mugs",
    "knife": "knives",
    "donut": "doughnut doughnuts",
    "couch": "sofa sofas settee",
    "potted plant": "plant plants flowerpot houseplant",
    "dining table": "table tables desk",
    "tv": "television televisions monitor monitors screen",
    "laptop": "computer computers notebook",
    "cell phone": "phone phones smartphone cellphone telephone",
    "refrigerator": "fridge freezer",
    "oven": "stove",
    "clock": "what_time the_time o'clock clocktower",
    "teddy bear": "teddy plush",
    "hair drier": "hairdryer dryer",
}
"""Other words for the names of COCO; _ stands for a space."""

RELATIONS = {
    "left": (-1, 0), "right": (1, 0),
    "above": (0, -1), "over": (0, -1), "below": (0, 1), "under": (0, 1), "beneath": (0, 1),
    "underneath": (0, 1),
}  # fmt: skip
"""Words that say where one thing stands to another, as steps across and down."""
_BETWEEN = re.compile(
    r"\b(?:(?:to|on|at) the )?(?P<side>left|right)(?:[ -]?hand)?(?: side)? of\b"
    r"|\b(?P<top>on top of)\b|\b(?P<word>above|over|below|under|beneath|underneath)\b"
    r"|\b(?P<near>next to|beside|near|behind|in front of|against|by)\b"
)


@dataclass(frozen=True)
class Naming:
    """A thing that a question names."""

    name: str
    """What the detector calls it."""
    word: str
    """What the question calls it."""
    start: int
    """Where, in characters."""


@dataclass(frozen=True)
class Relation:
    """How what is asked for stands to a thing: `the man left of the bus`."""

    step: tuple[int, int]
    """Across and down; 0, 0 for near it."""
    start: int
    """Where the question says so; the thing is named behind it."""


def names_in(question: str, names: Sequence[str]) -> list[Naming]:
    """The things of a list that a question names, in order; one word may stand for several.

    >>> [n.name for n in names_in("Is the man left of the buses?", ["bus", "person", "dog"])]
    ['person', 'bus']
    """
    table, pattern = _table(tuple(names))
    return [
        Naming(name, match.group(), match.start())
        for match in pattern.finditer(QUOTED.sub(_blank, question.lower()))
        for name in table[match.group()]
    ]


def _blank(quoted: re.Match[str]) -> str:
    """What is quoted is printed, and no thing; what follows keeps its place."""
    return " " * len(quoted.group())


@lru_cache(maxsize=8)
def _table(names: tuple[str, ...]) -> tuple[dict[str, list[str]], re.Pattern[str]]:
    """The names that each word may mean, and a pattern of all words: a hot dog is no dog."""
    table = dict[str, list[str]]()
    for name in names:
        for word in dict.fromkeys(_words(name)):
            table.setdefault(word, []).append(name)
    longest = sorted(table, key=lambda word: (-len(word), word))
    return table, re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])")


def _words(name: str) -> Iterator[str]:
    """A name and other words for it, each in the singular and the plural."""
    for word in (name, *_ALSO.get(name, "").split()):
        yield word.replace("_", " ")
        *before, last = word.split(" ")
        for other in plurals(last, least=2):  # of a phrase with _ there is none
            yield " ".join([*before, other])


def relation_in(question: str) -> Relation | None:
    """How what is asked for stands to something, if the question says so.

    >>> [relation_in(f"What is {where} the bed?").step for where in ("on top of", "left of")]
    [(0, -1), (-1, 0)]
    """
    match = _BETWEEN.search(question.lower())
    if match is None:
        return None
    word = match["side"] or match["word"] or ("above" if match["top"] else "")
    return Relation(RELATIONS.get(word, (0, 0)), match.start())


def nouns(question: str) -> list[str]:
    """Words of a question that may be things, for a detector that looks for any.

    >>> nouns("What colour is the umbrella of the woman?")
    ['umbrella', 'woman']
    """
    parsed = parse(question)
    own = parsed.words[: parsed.own]
    return [word for word in own if word.isalpha() and word not in _NO_THING]


_NO_THING = word_set("""
    color colour colors colours red green blue yellow black white brown orange grey gray pink
    purple kind type sort shape size many much long tall old big small large wearing holding
    standing sitting doing going made say says said read reads written seen see visible there
    left right top bottom front behind next near under above below side middle background
    foreground picture photo image number name word text
""")
"""What questions about pictures speak of, and no box could be drawn around."""
