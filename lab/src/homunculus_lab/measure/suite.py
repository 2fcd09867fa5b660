# pyright: basic
"""Suites: a folder with `images/`, `qa.jsonl` and, if it is not of documents, `suite.toml`."""

import json
import random
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from hashlib import blake2b
from itertools import zip_longest
from os.path import expandvars
from pathlib import Path
from typing import Any

from homunculus_lab.measure.vendors import alike

Box = tuple[float, float, float, float]
"""x0 y0 x1 y1 in pixels of the stored image; of a page of a PDF, at 200 dots per inch."""

LEAST_SIDE = 4
"""Pixels; a thinner box holds no text."""
NEEDED = ("image", "question", "answers")
"""Keys that every row has."""
KINDS = {
    "document": "documents",
    "scene": "scenes",
    "chart": "charts",
    "photo": "photos",
    "screen": "screens",
}
"""Kinds of images as `suite.toml` names them, and as results do."""
METRICS = {"scene": "vqa", "chart": "relaxed"}
"""The official metric of a kind; ANLS elsewhere."""


# ---- suite.toml ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class SuiteConfig:
    """What a suite says about itself: the keys of `suite.toml`, all of them optional."""

    kind: str | None = None
    """One of `KINDS`. Default: `document`, or `chart` if no question has a box."""
    boxes: str | None = None
    """What a box surrounds: the answer's `text`, the whole `line` that holds it, or a `thing`.
    Default: `thing` for photos, `text` elsewhere."""
    metric: str | None = None
    """Scored besides ANLS: `vqa` or `relaxed`; `anls` for nothing else. Default: by kind."""
    split: str | None = None
    """How the parts `pilot` and `fresh` are drawn: by `question`, `image` or `vendor`, which also
    gives `dev` and `train`. Default: the suite has only the part `all`."""
    fields: tuple[str, ...] = ()
    """Use only questions with one of these values of `field`. Default: all."""
    least_aspect: float | int = 0.0
    """Use only questions whose first box is at least this many times as wide as high."""
    least_letters: int = 0
    """Use only questions whose first answer has at least this many letters."""
    testing: bool = False
    """Whether it is for testing alone, so that nothing may be trained on it."""
    images: str = "images"
    """Folder of the images, beside the questions or elsewhere; $NAME is the variable NAME."""

    @property
    def things(self) -> bool:
        """Whether boxes hold things rather than text."""
        return self.boxes == "thing" if self.boxes else self.kind == "photo"

    def metrics(self, kind: str) -> tuple[Any, ...]:
        """Metrics of a reading, ANLS first."""
        return tuple(dict.fromkeys(("anls", self.metric or METRICS.get(kind, "anls"))))


CHOICES = {
    "kind": tuple(KINDS),
    "boxes": ("text", "line", "thing"),
    "metric": ("anls", "vqa", "relaxed"),
    "split": ("question", "image", "vendor"),
}
"""Values of the keys that have a fixed set."""
DEFAULTS = {
    "docvqa_gaze": SuiteConfig(kind="document", split="question"),
    "sroie": SuiteConfig(
        kind="document", boxes="line", split="vendor", fields=("date", "total", "company")
    ),
    "chartqa_owid": SuiteConfig(kind="chart"),
    "icdar2015": SuiteConfig(kind="scene", split="image", least_aspect=1.3, least_letters=3),
    "coco_open": SuiteConfig(kind="photo"),
    "vqa2_search": SuiteConfig(kind="photo"),
}  # fmt: skip
"""Settings of public suites by folder name, used if the folder has no `suite.toml`."""


def read_config(folder: Path) -> SuiteConfig:
    """What `suite.toml` says, checked; without the file, the defaults of that folder name."""
    path = folder / "suite.toml"
    if not path.is_file():
        return DEFAULTS.get(folder.name, SuiteConfig())
    where = f"{folder.name}/suite.toml"
    keys = {key.name: key.default for key in fields(SuiteConfig)}
    values = read_toml(path, where)
    for key, value in values.items():
        check_name(f"{where}: no key {key!r}", key, keys)
        if key in CHOICES:
            check_name(f"{where}: {key} = {value!r} is not known", value, CHOICES[key])
        elif key == "fields":
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise ValueError(f"{where}: {key} is a list of strings, got {value!r}.")
        elif isinstance(keys[key], str):
            if not isinstance(value, str):
                raise ValueError(f"{where}: {key} is a text, got {value!r}.")
        elif type(value) not in (int, type(keys[key])) or value < 0:
            kind = "a number" if isinstance(keys[key], float) else "a whole number"
            raise ValueError(f"{where}: {key} is {kind} from 0, got {value!r}.")
    values["fields"] = tuple(values.get("fields", ()))
    return SuiteConfig(**values)


def read_toml(path: Path, where: str) -> dict[str, Any]:
    """A TOML file; ``where`` names it in the message if it cannot be parsed."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{where} is not valid TOML: {error}.") from None


def check_name(fact: str, name: Any, known: Iterable[str]) -> None:
    """Refuse a name that is not known, with all that are and the nearest one."""
    if name in (known := list(known)):
        return
    near = get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"{fact}. There are {', '.join(known)}.{hint}")


def digest(folder: Path) -> str:
    """Hash of a suite's questions and of what it says about itself."""
    files = [folder / "qa.jsonl", folder / "suite.toml"]
    content = b"".join(path.read_bytes() for path in files if path.is_file())
    return blake2b(content, digest_size=8).hexdigest()


# ---- questions -----------------------------------------------------------------------------------


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
    config: SuiteConfig = SuiteConfig()
    page: int = 1
    """Which page of the file it is about, if `path` is a PDF."""


def read(folder: str | Path) -> list[Question]:
    """Every question of a suite, in the order of its file."""
    folder = Path(folder)
    listing = folder / "qa.jsonl"
    config = read_config(folder) if listing.is_file() else SuiteConfig()
    if not listing.is_file() or not images_of(folder, config).is_dir():
        raise ValueError(
            f"suite {folder}: expected a folder with qa.jsonl and {config.images}/. "
            "Name such a folder."
        )
    questions = [
        question(
            folder, number, row, _boxes(row, f"{folder.name}/qa.jsonl, line {number + 1}"), config
        )
        for number, row in rows(listing)
    ]
    return _with_vendors(questions) if config.split == "vendor" else questions


def images_of(folder: Path, config: SuiteConfig) -> Path:
    """Where the images of a suite are."""
    return folder / expandvars(config.images)


def rows(listing: Path, needed: Sequence[str] = NEEDED) -> list[tuple[int, dict]]:
    """Lines of a suite's file by number, from 0; what cannot be used is named by its line."""
    numbered = []
    for number, line in enumerate(listing.read_text("utf-8").split("\n")):
        if not line.strip():
            continue
        where = f"{listing.parent.name}/{listing.name}, line {number + 1}"
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            fault = f"not valid JSON ({error.msg}, column {error.colno})"
            raise ValueError(f"{where}: {fault}.") from None
        gone = [name for name in needed if not isinstance(row, dict) or name not in row]
        if gone:
            raise ValueError(f"{where}: no {gone[0]!r}. A row has {', '.join(needed)}.")
        numbered.append((number, row))
    return numbered


def question(
    folder: Path, number: int, row: dict, boxes: Iterable[Box], config: SuiteConfig
) -> Question:
    """A row of `qa.jsonl` with its boxes, each box once."""
    return Question(
        suite=folder.name,
        row=number,
        image=row["image"],
        path=images_of(folder, config) / row["image"],
        text=row["question"] or "",
        answers=_answers(row["answers"], f"{folder.name}/qa.jsonl, line {number + 1}"),
        boxes=tuple(dict.fromkeys(boxes)),
        field=row.get("field"),
        config=config,
        page=_page(row.get("page", 1), f"{folder.name}/qa.jsonl, line {number + 1}"),
    )


def _answers(given: Any, where: str) -> tuple[str, ...]:
    """All that count as right; one alone need not be a list."""
    answers = [given] if isinstance(given, str | int | float) else given or []
    if not isinstance(answers, list) or isinstance(given, bool):
        raise ValueError(f'{where}: answers must be a list of texts, got {given!r}. Write ["41"].')
    return tuple(map(str, answers))


def _page(given: Any, where: str) -> int:
    """Which page of a file, counted from 1."""
    if type(given) is not int or given < 1:
        raise ValueError(f"{where}: page is a whole number from 1, got {given!r}. Write 1.")
    return given


def _boxes(row: dict, where: str) -> list[Box]:
    """In whole pixels, without those too thin for text; one alone need not be a list."""
    given = row.get("boxes") or []
    alone = isinstance(given, list) and given and isinstance(given[0], int | float)
    lists = [given] if alone else given
    try:
        boxes = [as_box(box, round) for box in lists]
    except (TypeError, ValueError):
        raise ValueError(
            f"{where}: a box is x0 y0 x1 y1 in pixels, got {given!r:.80}. Write [[x0, y0, x1, y1]]."
        ) from None
    return [box for box in boxes if min(box[2] - box[0], box[3] - box[1]) >= LEAST_SIDE]


def _with_vendors(questions: Sequence[Question]) -> list[Question]:
    """The vendor of an image is the answer of its question whose field is `company`."""
    company = {entry.image: entry.answers[0] for entry in questions if entry.field == "company"}
    name = alike(company.values())
    return [replace(entry, vendor=name[company.get(entry.image, "")]) for entry in questions]


def as_box(sides: Sequence[float | int], number: Callable[[Any], Any] = float) -> Box:
    """Four numbers of a JSON list as a box."""
    left, top, right, bottom = (float(number(side)) for side in sides)
    return left, top, right, bottom


def kind(questions: Sequence[Question]) -> str:
    """What sort of images a suite holds: a key of `KINDS`.

    A suite without any box that does not say is read as charts are: wherever the answer stands.
    """
    bare = not any(entry.boxes for entry in questions)
    return questions[0].config.kind or ("chart" if bare else "document")


def draw(questions: Sequence[Question], limit: int | None, seed: int = 0) -> list[Question]:
    """At most so many, from as many images as can be, in the order of the file.

    The draw is deterministic, and a larger limit adds questions to those of a smaller one.
    """
    lot = random.Random(seed)
    by_image: dict[str, list[Question]] = {}
    for entry in questions:
        by_image.setdefault(entry.image, []).append(entry)
    images = sorted(by_image)
    lot.shuffle(images)
    for image in images:
        lot.shuffle(by_image[image])
    turns = zip_longest(*(by_image[image] for image in images))
    drawn = [entry for turn in turns for entry in turn if entry is not None]
    return sorted(drawn[:limit], key=lambda entry: entry.row)


def hashed(suite: str, name: str) -> str:
    """A name that tells nothing, the same in every run."""
    return blake2b(f"{suite}/{name}".encode(), digest_size=6).hexdigest()
