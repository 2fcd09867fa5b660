# pyright: basic
"""Parts of a suite, drawn by deterministic rules.

`pilot` is the 60 questions a set that the first figures were made with; `fresh` is what those
figures never saw; `train` and `dev` share no image and no vendor with either. Only suites that are
split by vendor have `train` and `dev`: all others are for testing alone.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from zlib import crc32

from homunculus_lab.measure.suite import Question

PARTS = ("pilot", "fresh", "dev", "train", "all")
PILOT = 60
"""Questions of the pilot."""
MOST_BOXES = 7
"""An answer that stands in more places than this is found anywhere: it tests nothing."""


def part(questions: Sequence[Question], name: str = "all") -> list[Question]:
    """The questions of a named part, those that a reader of lines can answer."""
    if name not in PARTS:
        raise ValueError(f"no part {name!r}. A suite has {', '.join(PARTS)}.")
    bare = not any(question.boxes for question in questions)
    fit = [
        question for question in questions if (_findable(question) if bare else _readable(question))
    ]
    if name == "all" or not fit:
        return fit
    suite, split = fit[0].suite, fit[0].config.split
    if split is None:
        raise ValueError(f"{suite} has no part {name!r}: use `all`.")
    parts = _SPLITS[split](fit)
    if name not in parts:
        raise ValueError(f"{suite} is for testing: it has no part {name!r}, only {list(parts)}.")
    return parts[name]


def training_part(questions: Sequence[Question]) -> list[Question]:
    """What may be trained on: the part `train`, or all of a suite that is not split."""
    if questions and questions[0].config.testing:
        raise ValueError(f"{questions[0].suite} is for testing: nothing is trained on it.")
    return part(questions, "train" if questions and questions[0].config.split else "all")


def fair(questions: Sequence[Question]) -> tuple[str, list[Question]]:
    """The part that no figure was tuned on and its name: `fresh` where there is one, or `all`."""
    name = "fresh" if questions and questions[0].config.split else "all"
    return name, part(questions, name)


def _findable(question: Question) -> bool:
    """Whether an answer without a box would not be met by chance, as a lone digit is."""
    return any(len(answer.strip()) >= 3 for answer in question.answers)


def _readable(question: Question) -> bool:
    """Whether a reader of single lines could answer it at all."""
    if not question.answers or not 1 <= len(question.boxes) <= MOST_BOXES:
        return False
    if question.config.fields and question.field not in question.config.fields:
        return False
    left, top, right, bottom = question.boxes[0]
    wide = right - left >= question.config.least_aspect * (bottom - top)
    return wide and len(question.answers[0]) >= question.config.least_letters


# ---- rules ---------------------------------------------------------------------------------------


def _images(fit: Sequence[Question], lot: random.Random) -> list[str]:
    images = sorted({question.image for question in fit})
    lot.shuffle(images)
    return images


def _by_question(fit: Sequence[Question]) -> dict[str, list[Question]]:
    lot = random.Random(0)
    _images(fit, lot)  # the pilot shuffled images first: the same lot gives the same questions
    drawn = list(fit)
    lot.shuffle(drawn)
    return {"pilot": drawn[:PILOT], "fresh": drawn[PILOT:]}


def _by_image(fit: Sequence[Question]) -> dict[str, list[Question]]:
    """One question of each of the first images; `fresh` is all other images."""
    lot = random.Random(0)
    images = set(_images(fit, lot)[:PILOT])
    drawn = [question for question in fit if question.image in images]
    lot.shuffle(drawn)
    first = {question.image: question for question in reversed(drawn)}  # drawn first of its image
    pilot = [question for question in drawn if first[question.image] is question]
    return {
        "pilot": pilot[:PILOT],
        "fresh": [question for question in fit if question.image not in images],
    }


def _by_vendor(fit: Sequence[Question]) -> dict[str, list[Question]]:
    """Whole vendors: all that the pilot met are for testing; of the others a sixth each for `dev`
    and `fresh`, or a handful of shops would make up all of `fresh`.
    """
    lot = random.Random(0)
    held = set(_images(fit, lot)[150:])
    drawn = [question for question in fit if question.image in held]
    lot.shuffle(drawn)
    fields = fit[0].config.fields or tuple(dict.fromkeys(question.field for question in drawn))
    some = PILOT // max(1, len(fields))
    pilot = [
        question for name in fields for question in [x for x in drawn if x.field == name][:some]
    ]
    images, vendors = (
        {question.image for question in pilot},
        {question.vendor for question in pilot},
    )
    rest = [question for question in fit if question.vendor not in vendors]
    lots = {question.vendor: crc32(str(question.vendor).encode()) % 6 for question in rest}
    dev = {vendor for vendor, share in lots.items() if share == 0}
    spare = {vendor for vendor, share in lots.items() if share == 1}
    train = lots.keys() - dev - spare
    parts = {
        "pilot": pilot,
        "fresh": [
            question
            for question in fit
            if question.vendor in vendors | spare and question.image not in images
        ],
        "dev": [question for question in rest if question.vendor in dev],
        "train": [question for question in rest if question.vendor in train],
    }
    return {
        name: [replace(question, seen=question.vendor in train) for question in rows]
        for name, rows in parts.items()
    }


_SPLITS: dict[str, Callable[[Sequence[Question]], dict[str, list[Question]]]] = {
    "question": _by_question,
    "image": _by_image,
    "vendor": _by_vendor,
}
