# pyright: basic
"""Is the answer's box shown? Ways to find it compared, without a reader.

An answer is shown if one view holds nine tenths of one of its boxes, at a scale at which the box is
as high as the reader needs, or as high as it is in the picture, if that is less. Nothing is read,
so nothing is pointed at the answer. There are two settings: a page of 1,024 px whose reader needs
5 px, and a page at its own size whose reader needs 12 px.

Ways: `resize`, the whole picture; `words`, the shipped scout, which is given no lines; `reading`,
the scout that reads lines, alone; `both`, the shipped scout with the picture's lines; `told`, the
planner that is given the answer's box.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from homunculus.eyes.provenance import provenance
from homunculus.eyes.readers import Readings
from homunculus.pages import Picture, open_picture
from homunculus.scouts.registry import list_scouts
from homunculus.views import MAX_EDGE
from homunculus_lab.measure import natural, views, ways
from homunculus_lab.measure.code_digest import planning_code
from homunculus_lab.measure.parts import part
from homunculus_lab.measure.place import another
from homunculus_lab.measure.suite import Question, digest, hashed, read
from homunculus_lab.measure.ways import CONTEXT, MODEL, READS, SETTINGS, WAYS, Setting, ask_way
from homunculus_lab.measure.where_report import summary
from homunculus_lab.page_lines import LineSource, resized

MEASURED_BY = (ways.__file__, natural.__file__, views.__file__)
"""Files of the laboratory that results depend on."""


@dataclass(frozen=True)
class Search:
    """How answers are looked for."""

    ways: Sequence[str]
    lines: LineSource
    kept: Readings | None = None
    """Where results of ways without lines are kept, if anywhere: until their code changes."""
    settings: Sequence[Setting] = SETTINGS


def possible_ways(ways: Sequence[str] = WAYS) -> tuple[str, ...]:
    """Those ways whose scouts there are: none that reads without the scout `reading`."""
    return tuple(way for way in ways if way not in READS or "reading" in list_scouts())


def measure_where(
    folders: Sequence[Path],
    search: Search,
    named_part: str = "all",
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """All ways on every question that has boxes; the result for `results/`."""
    origin = provenance()
    suites = {folder: part(_boxed(folder), named_part)[:limit] for folder in folders}
    total, done = sum(map(len, suites.values())), 0
    rows = list[dict[str, Any]]()
    for folder, questions in suites.items():
        for row in where_rows(questions, search):
            rows.append({"suite": folder.name} | row)
            done += 1
            if progress:
                progress(done, total)
    settings = {
        setting.name: {
            "side": setting.side, "grow": setting.grow, "acuity": setting.acuity,
            "height": setting.height, "tokens": list(setting.tokens),
        }
        for setting in search.settings
    }  # fmt: skip
    return origin | {
        "task": "where", "part": named_part, "model": MODEL, "context": CONTEXT,
        "suites": {folder.name: digest(folder) for folder in folders},
        "ways": list(search.ways), "settings": settings, "rows": rows,
        **summary(rows, settings, search.ways),
    }  # fmt: skip


def _boxed(folder: Path) -> list[Question]:
    questions = [question for question in read(folder) if question.boxes]
    if not questions:
        raise ValueError(f"{folder.name} has no boxes: they are what is measured.")
    return questions


def where_rows(questions: Sequence[Question], search: Search) -> Iterator[dict[str, Any]]:
    """A row for each question; a page is opened and read once for all that ask about it."""
    key, page, scaled = None, None, dict[str, Picture]()
    for question in sorted(questions, key=lambda entry: (entry.image, entry.page, entry.row)):
        if page is None or key != (question.path, question.page):
            key, page = (question.path, question.page), open_picture(
                question.path, question.page, longest=MAX_EDGE
            )  # fmt: skip
            page = replace(page, lines=_lines(question, page, search))
            scaled = {
                setting.name: resized(page, setting.side, setting.grow)
                for setting in search.settings
            }
        other = another(question, questions, 0)
        row = {
            "row": question.row, "image": hashed(question.suite, question.image),
            "page": question.page, "words_read": len(page.lines or ()),
        }  # fmt: skip
        yield row | {
            setting.name: _ways(question, other, page, scaled[setting.name], search, setting)
            for setting in search.settings
        }


def _lines(question: Question, page: Picture, search: Search) -> Any:
    if not any(way in READS for way in search.ways):
        return None
    return search.lines(question.path, page)


def _ways(
    question: Question,
    other: Question | None,
    page: Picture,
    picture: Picture,
    search: Search,
    setting: Setting,
) -> dict[str, Any]:
    """One question in one setting, every way."""
    across, down = picture.size[1] / page.original[1], picture.size[0] / page.original[0]
    boxes = [(x0 * across, y0 * down, x1 * across, y1 * down) for x0, y0, x1, y1 in question.boxes]
    strange = other.text if other else None
    bare = replace(picture, lines=None)
    results = dict[str, Any]()
    for way in search.ways:
        seen = picture if way in READS else bare
        make = partial(ask_way, way, question.text, strange, seen, boxes, setting)
        if search.kept and way not in READS:
            what = f"{way} {setting} {question.text} {strange} {boxes}"
            results[way] = search.kept.recall(planning_code(*MEASURED_BY), what, seen.pixels, make)
        else:
            results[way] = make()
    return results
