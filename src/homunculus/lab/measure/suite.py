# pyright: basic
"""Suites: a folder with `images/` and `qa.jsonl`, and its named parts by deterministic rules.

`pilot` is the 60 questions a set that the first figures were made with; `fresh` is what those
figures never saw; `train` and `dev` share no image and no vendor with either. Only receipts have
`train` and `dev`: documents and street words are for testing alone.
"""

import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from zlib import crc32

from homunculus.lab.measure.metric import distance

Box = tuple[float, float, float, float]
"""x0 y0 x1 y1 in pixels of the stored image."""

MOST_BOXES = 7
"""An answer that stands in more places than this is found anywhere: it tests nothing."""
LEAST_SIDE = 4
"""Pixels; a thinner box holds no text."""
NEEDED = ("image", "question", "answers")
"""Keys that every row has."""
PARTS = ("pilot", "fresh", "dev", "train", "all")
KINDS = {
    "docvqa_gaze": "documents",
    "sroie": "documents",
    "chartqa_owid": "charts",
    "icdar2015": "scenes",
    "coco_open": "photos",
    "vqa2_search": "photos",
}
"""What a suite stands in for; one that is not named holds documents."""


@dataclass(frozen=True)
class Question:
    """One row of a suite."""

    suite: str
    row: int
    """Line of `qa.jsonl`, from 0: with the suite it names the question."""
    image: str
    path: Path
    text: str
    answers: tuple[str, ...]
    boxes: tuple[Box, ...]
    """Where the answer stands: any of them counts. Empty if the suite does not say."""
    field: str | None = None
    vendor: str | None = None
    """Who issued the receipt, one name for all spellings; None elsewhere."""
    seen: bool | None = None
    """Whether `train` has the same vendor; None where there are no vendors."""


def read(folder: str | Path) -> list[Question]:
    """Every question of a suite, in the order of its file."""
    folder = Path(folder)
    listing = folder / "qa.jsonl"
    if not listing.is_file() or not (folder / "images").is_dir():
        raise ValueError(
            f"suite {folder}: expected a folder with qa.jsonl and images/. Name such a folder."
        )
    found = [_question(folder, at, row) for at, row in rows(listing)]
    return _with_vendors(found) if folder.name == "sroie" else found


def rows(listing: Path) -> list[tuple[int, dict]]:
    """Lines of a suite's file by number, from 0; what cannot be used is named by its line."""
    found = []
    for at, line in enumerate(listing.read_text("utf-8").split("\n")):
        if not line.strip():
            continue
        where = f"{listing.parent.name}/{listing.name}, line {at + 1}"
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{where}: no JSON ({error.msg}, column {error.colno}).") from None
        gone = [name for name in NEEDED if not isinstance(row, dict) or name not in row]
        if gone:
            raise ValueError(f"{where}: no {gone[0]!r}. A row has {', '.join(NEEDED)}.")
        found.append((at, row))
    return found


def _question(folder: Path, at: int, row: dict) -> Question:
    return Question(
        suite=folder.name,
        row=at,
        image=row["image"],
        path=folder / "images" / row["image"],
        text=row["question"] or "",
        answers=tuple(row["answers"]),
        boxes=tuple(dict.fromkeys(filter(_stout, map(_whole, row.get("boxes") or ())))),
        field=row.get("field"),
    )


def _whole(box: Sequence[float | int]) -> Box:
    left, top, right, bottom = (float(round(side)) for side in box)
    return left, top, right, bottom


def _stout(box: Box) -> bool:
    return min(box[2] - box[0], box[3] - box[1]) >= LEAST_SIDE


def part(questions: Sequence[Question], name: str = "all") -> list[Question]:
    """The questions of a named part, those that a reader of lines can answer."""
    if name not in PARTS:
        raise ValueError(f"no part {name!r}. A suite has {', '.join(PARTS)}.")
    bare = not any(one.boxes for one in questions)
    fit = [one for one in questions if (_findable(one) if bare else _readable(one))]
    suite = fit[0].suite if fit else "an empty suite"
    if name == "all" or not fit:
        return fit
    if suite not in _RULES:
        raise ValueError(f"{suite} has no part {name!r}: use `all`.")
    parts = _RULES[suite](fit)
    if name not in parts:
        raise ValueError(f"{suite} is for testing: it has no part {name!r}, only {list(parts)}.")
    return parts[name]


def kind(questions: Sequence[Question]) -> str:
    """What sort of pictures a suite holds: documents, charts, scenes or photos.

    One without any box is read as charts are: wherever the answer stands on the page.
    """
    if not any(one.boxes for one in questions):
        return "charts"
    return KINDS.get(questions[0].suite, "documents")


def fair(questions: Sequence[Question]) -> tuple[str, list[Question]]:
    """The part that no figure was tuned on and its name: `fresh` where there is one, or `all`."""
    named = "fresh" if questions and questions[0].suite in _RULES else "all"
    return named, part(questions, named)


def draw(questions: Sequence[Question], limit: int | None, seed: int = 0) -> list[Question]:
    """At most so many, from as many images as can be, in the order of the file.

    The same ones every time; a larger limit draws the same and more.
    """
    lot = random.Random(seed)
    asked: dict[str, list[Question]] = {}
    for one in questions:
        asked.setdefault(one.image, []).append(one)
    pages = sorted(asked)
    lot.shuffle(pages)
    for page in pages:
        lot.shuffle(asked[page])
    turns = zip_longest(*(asked[page] for page in pages))
    drawn = [one for turn in turns for one in turn if one is not None]
    return sorted(drawn[:limit], key=lambda one: one.row)


def _findable(one: Question) -> bool:
    """Whether an answer without a box would not be met by chance, as a lone digit is."""
    return any(len(answer.strip()) >= 3 for answer in one.answers)


def _readable(one: Question) -> bool:
    """Whether a reader of single lines could answer it at all."""
    if not one.answers or not 1 <= len(one.boxes) <= MOST_BOXES:
        return False
    if one.suite == "sroie":  # an address runs over several lines
        return one.field in ("date", "total", "company")
    if one.suite == "icdar2015":  # upright or tiny words
        left, top, right, bottom = one.boxes[0]
        return right - left >= 1.3 * (bottom - top) and len(one.answers[0]) >= 3
    return True


def _pages(fit: Sequence[Question], lot: random.Random) -> list[str]:
    pages = sorted({one.image for one in fit})
    lot.shuffle(pages)
    return pages


def _documents(fit: Sequence[Question]) -> dict[str, list[Question]]:
    lot = random.Random(0)
    _pages(fit, lot)  # the pilot shuffled pages first: the same lot gives the same questions
    drawn = list(fit)
    lot.shuffle(drawn)
    return {"pilot": drawn[:60], "fresh": drawn[60:]}


def _street(fit: Sequence[Question]) -> dict[str, list[Question]]:
    lot = random.Random(0)
    chosen = set(_pages(fit, lot)[:60])
    drawn = [one for one in fit if one.image in chosen]
    lot.shuffle(drawn)
    first = {one.image: one for one in reversed(drawn)}  # the first drawn of each image
    pilot = [one for one in drawn if first[one.image] is one]
    return {"pilot": pilot[:60], "fresh": [one for one in fit if one.image not in chosen]}


def _receipts(fit: Sequence[Question]) -> dict[str, list[Question]]:
    """Whole vendors: all that the pilot met are for testing; of the others a sixth each for `dev`
    and `fresh`, or a handful of shops would make up all of `fresh`.
    """
    lot = random.Random(0)
    held = set(_pages(fit, lot)[150:])
    drawn = [one for one in fit if one.image in held]
    lot.shuffle(drawn)
    fields = ("date", "total", "company")
    pilot = [one for name in fields for one in [x for x in drawn if x.field == name][:20]]
    pages, vendors = {one.image for one in pilot}, {one.vendor for one in pilot}
    rest = [one for one in fit if one.vendor not in vendors]
    lots = {one.vendor: crc32(str(one.vendor).encode()) % 6 for one in rest}
    dev = {vendor for vendor, share in lots.items() if share == 0}
    spare = {vendor for vendor, share in lots.items() if share == 1}
    train = lots.keys() - dev - spare
    parts = {
        "pilot": pilot,
        "fresh": [one for one in fit if one.vendor in vendors | spare and one.image not in pages],
        "dev": [one for one in rest if one.vendor in dev],
        "train": [one for one in rest if one.vendor in train],
    }
    return {
        name: [replace(one, seen=one.vendor in train) for one in rows]
        for name, rows in parts.items()
    }


_RULES: dict[str, Callable[[Sequence[Question]], dict[str, list[Question]]]] = {
    "docvqa_gaze": _documents,
    "icdar2015": _street,
    "sroie": _receipts,
}


def _with_vendors(questions: Sequence[Question]) -> list[Question]:
    company = {one.image: one.answers[0] for one in questions if one.field == "company"}
    name = alike(company.values())
    return [replace(one, vendor=name[company.get(one.image, "")]) for one in questions]


def alike(names: Iterable[str]) -> dict[str, str]:
    """Each spelling of a company to one name for all its spellings.

    >>> name = alike(["MR. D.I.Y. SDN BHD", "MR DIY (KUCHAI) SDN. BHD.", "99 SPEED MART S/B"])
    >>> list(name.values())
    ['mrdiy', 'mrdiy', '99speedmart', '']
    """
    groups: list[list[str]] = []
    for plain in sorted({_plain(name) for name in names}):
        near = [group for group in groups if any(_same(plain, other) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([*(name for group in near for name in group), plain])
    head = {plain: min(group) for group in groups for plain in group}
    return {name: head[_plain(name)] for name in names} | {"": ""}


def _plain(name: str) -> str:
    """Letters and digits, without the legal tail."""
    letters = re.sub(r"[^a-z0-9]", "", name.lower())
    return re.sub(r"(sdnbhd|sdnbd|bhd|sb)$", "", letters)


@cache
def _same(one: str, other: str) -> bool:
    """Nearly the same letters, or one begins with the other as branches of a chain do."""
    short, long = sorted((one, other), key=len)
    if len(short) >= 5 and long.startswith(short):
        return True
    return distance(one, other) <= 0.25 * max(len(one), len(other), 1)


def hashed(suite: str, name: str) -> str:
    """A name that tells nothing, the same in every run."""
    return blake2b(f"{suite}/{name}".encode(), digest_size=6).hexdigest()
