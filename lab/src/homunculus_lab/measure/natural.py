# pyright: basic
"""Is the answer shown together with what tells that it is the answer?

A suite of natural questions knows where each answer stands and what has to be seen with it: the
label of its row, the header of its column. An answer counts as shown to a reader of so many pixels
if a single view holds it and its print is that high there; with its label, if the same view holds
the label as well, as high. No reader takes part, so nothing is pointed at anything. Pictures are
planned as `homunculus.views` plans them, at their own size.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from homunculus.eyes.provenance import provenance
from homunculus.pages import Picture, open_picture
from homunculus.planner.acuity import Acuity
from homunculus.planner.bill import resize
from homunculus.planner.counting import CountingRule
from homunculus.planner.plan import Plan
from homunculus.scouts.registry import Scout
from homunculus.views import MAX_EDGE, Planner, Views
from homunculus_lab.measure.suite import images_of, read_config, rows
from homunculus_lab.page_lines import LineSource
from homunculus_lab.stats import Bootstrap, Estimate, bounds, holm, np

READERS = (6, 8, 10, 12)
"""Heights of print, in pixels, that readers need."""
TOKENS = (64, 128, 256)
MODEL = "claude"
"""The default model, whose tokens are 28 px along a side."""
COVERED = 0.9
"""The share of a box that a view has to hold."""
PRINT = 0.95
"""Height of a line, from the top of `d` to the bottom of `p`, in sizes of its font."""
ABSENT, LOW = "absent", 0.3
"""Questions whose answer is not in the picture; what their value may be."""
WORST, MARGIN, BETTER = -0.02, -0.03, 0.25
"""N1: what a cell may lose as measured, and all cells surely. N2: the gain at 128 tokens, 8 px."""

Box = Sequence[float | int]


@dataclass(frozen=True)
class Spot:
    """A piece of print: its box in pixels of the stored picture, and its font's size."""

    box: Box
    em: float | int


@dataclass(frozen=True)
class Place:
    """Where an answer stands, and what tells that it is the answer: one of each group."""

    answer: Spot
    tells: tuple[tuple[Spot, ...], ...]


@dataclass(frozen=True)
class NaturalQuestion:
    """A question of the suite."""

    row: int
    image: str
    path: Path
    question: str
    kind: str
    sort: str
    language: str
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Part:
    """What a view shows: a box of the stored picture, and its scale."""

    box: Box
    scale: float | int

    def shows(self, spot: Spot, height: float | int) -> bool:
        """Whether it holds a piece of print, at least so high."""
        return covered(spot.box, self.box) >= COVERED and spot.em * PRINT * self.scale >= height


def covered(box: Box, part: Box) -> float:
    """The share of a box that lies within another.

    >>> covered((0, 0, 10, 10), (5, 0, 20, 20))
    0.5
    """
    wide = min(box[2], part[2]) - max(box[0], part[0])
    high = min(box[3], part[3]) - max(box[1], part[1])
    area = (box[2] - box[0]) * (box[3] - box[1])
    return max(0.0, wide) * max(0.0, high) / max(area, 1e-9)


def shown(places: Sequence[Place], parts: Sequence[Part], height: float | int) -> tuple[bool, bool]:
    """Whether one of the views shows the answer at one of its places; and with its label."""
    here = [(place, part) for place in places for part in parts if part.shows(place.answer, height)]
    labelled = any(
        all(any(part.shows(spot, height) for spot in group) for group in place.tells)
        for place, part in here
    )
    return bool(here), labelled


def read_questions(folder: Path) -> list[NaturalQuestion]:
    """Every question of a suite of natural questions."""
    images = images_of(folder, read_config(folder))
    needed = ("image", "question", "kind", "sort", "places")
    return [
        NaturalQuestion(
            number, row["image"], images / row["image"], row["question"], row["kind"], row["sort"],
            row.get("language", "en"), tuple(map(_place, row["places"])),
        )
        for number, row in rows(folder / "qa.jsonl", needed)
    ]  # fmt: skip


def _place(row: Mapping[str, Any]) -> Place:
    groups = (tuple(Spot(spot["box"], spot["em"]) for spot in group) for group in row["tells"])
    return Place(Spot(row["answer"], row["em"]), tuple(groups))


# ---- measuring -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """What is planned for, and by whom."""

    rule: CountingRule
    acuity: Acuity
    scout: Scout
    tokens: Sequence[int] = TOKENS
    lines: LineSource | None = None
    """Who reads the words of pictures; None to give the scout none."""


def measure_shown(
    folders: Sequence[Path],
    settings: Settings,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Views and the resized picture on every question; the result for `results/`."""
    origin, questions = (
        provenance(),
        [question for folder in folders for question in read_questions(folder)][:limit],
    )
    results = list[dict[str, Any]]()
    for number, row in enumerate(_rows(questions, settings), 1):
        results.append(row)
        if progress:
            progress(number, len(questions))
    eyes = settings.acuity
    return origin | {
        "task": "shown", "suites": [f"{folder.parent.name}/{folder.name}" for folder in folders],
        "model": settings.rule.name, "token_px": settings.rule.token_px,
        "acuity": eyes.to_json(), "readers": list(READERS), "tokens": list(settings.tokens),
        "rows": results, **summary(results, settings.tokens),
    }  # fmt: skip


def _rows(questions: Sequence[NaturalQuestion], settings: Settings) -> Iterator[dict[str, Any]]:
    """Question by question; a picture is opened once for those that stand together."""
    path, picture, lot = None, None, Random(0)
    for question in questions:
        if picture is None or question.path != path:
            path, picture = question.path, open_picture(question.path, longest=MAX_EDGE)
            picture = replace(picture, lines=settings.lines and settings.lines(path, picture))
        others = [other for other in questions if other.image != question.image]
        yield _row(question, picture, settings, lot.choice(others) if others else None)


def _row(
    question: NaturalQuestion, picture: Picture, settings: Settings, other: NaturalQuestion | None
) -> dict[str, Any]:
    rule, eyes, scout = settings.rule, settings.acuity, settings.scout
    planner = Planner(picture, question.question, model=rule, acuity=eyes, scout=scout)
    row = {
        "image": question.image, "row": question.row, "kind": question.kind, "sort": question.sort,
        "language": question.language, "sure": round(planner.sight.sure, 4),
    }  # fmt: skip
    if other:
        strange = Planner(picture, other.question, model=rule, acuity=eyes, scout=scout)
        row["sure_of_other"] = round(strange.sight.sure, 4)
    cells = dict[str, Any]()
    for tokens in settings.tokens:
        seen = planner.views(tokens)
        whole = resize(picture.size, rule, tokens).plan
        cells[str(tokens)] = {
            "value": None if seen.value is None else round(seen.value, 4),
            "resize_value": None if seen.resize_value is None else round(seen.resize_value, 4),
            "windows": len(seen) - 1,
            "views": _cell(question.places, parts_of(seen)),
            "resize": _cell(question.places, [_whole(picture, whole)]),
        }
    return row | {"budgets": cells}


def parts_of(seen: Views) -> list[Part]:
    """What views show, in pixels of the stored picture."""
    return [Part(view.box, view.scale) for view in seen]


def _whole(picture: Picture, plan: Plan) -> Part:
    high, wide = picture.original
    return Part((0, 0, wide, high), plan.whole[0] / high if plan.whole else 0.0)


def _cell(places: Sequence[Place], parts: Sequence[Part]) -> dict[str, list[int]]:
    both = [shown(places, parts, height) for height in READERS]
    return {
        "shown": [int(seen) for seen, _ in both],
        "labelled": [int(labelled) for _, labelled in both],
    }


# ---- what follows --------------------------------------------------------------------------------


def summary(results: Sequence[Mapping[str, Any]], tokens: Sequence[int]) -> dict[str, Any]:
    """Shares by budget and reader, the verdicts N1 and N2, and how good the estimate is."""
    there = [row for row in results if row["sort"] != ABSENT]
    table = {
        str(budget): {
            way: {what: _means(_of(there, budget, way, what)) for what in ("shown", "labelled")}
            for way in ("views", "resize")
        }
        for budget in tokens
    }
    groups = {
        name: {value: _group(there, name, value) for value in sorted({row[name] for row in there})}
        for name in ("kind", "sort", "language")
    }
    return {
        "n": len(there), "absent": len(results) - len(there),
        "images": len({row["image"] for row in results}), "table": table, "groups": groups,
        "verdict": verdict(there, tokens), "estimate": estimate(results, tokens),
    }  # fmt: skip


def _means(flags: Sequence[Sequence[int]]) -> list[float]:
    return [round(fmean(column), 4) for column in zip(*flags, strict=True)]


def _of(results: Sequence[Mapping[str, Any]], budget: int, way: str, what: str) -> list[list[int]]:
    return [row["budgets"][str(budget)][way][what] for row in results]


def _group(results: Sequence[Mapping[str, Any]], name: str, value: str) -> dict[str, Any]:
    """Shown with its label at the middle budget, for a reader of 8 px, in one group."""
    some = [row for row in results if row[name] == value]
    budgets = list(some[0]["budgets"])
    middle, eyes = budgets[len(budgets) // 2], READERS.index(8)
    share = {
        way: round(fmean(row["budgets"][middle][way]["labelled"][eyes] for row in some), 3)
        for way in ("views", "resize")
    }
    return {"n": len(some), "tokens": int(middle), **share}


def verdict(results: Sequence[Mapping[str, Any]], tokens: Sequence[int]) -> dict[str, Any]:
    """N1, never worse, and N2, better: shown with its label, views less `resize`."""
    image = [row["image"] for row in results]
    less = [
        np.asarray(_of(results, budget, "views", "labelled"), float)
        - np.asarray(_of(results, budget, "resize", "labelled"), float)
        for budget in tokens
    ]
    every = np.concatenate(less, 1)
    resampled = Bootstrap(image)
    each = resampled.estimates(every, *bounds(every, signed=True))
    together = every.mean(1, keepdims=True)
    (pooled,) = resampled.estimates(together, *bounds(together, signed=True))
    adjusted = holm([result.p() for result in each])
    names = [(budget, reader) for budget in tokens for reader in READERS]
    cells = [
        {"tokens": budget, "reader": reader, **_facts(result), "p_holm": round(p, 5)}
        for (budget, reader), result, p in zip(names, each, adjusted, strict=True)
    ]
    below = [cell for cell in cells if cell["mean"] < 0 and cell["p_holm"] < 0.05]
    low = pooled.interval()[0]
    goal = next(
        (cell["mean"] for cell in cells if (cell["tokens"], cell["reader"]) == (128, 8)), None
    )
    never_worse = not below and min(cell["mean"] for cell in cells) >= WORST and low > MARGIN
    better = low > 0 and goal is not None and goal >= BETTER
    return {
        "cells": cells, "pooled": _facts(pooled), "N1": bool(never_worse), "N2": bool(better),
    }  # fmt: skip


def _facts(mean: Estimate) -> dict[str, Any]:
    low, high = mean.interval()
    return {"mean": round(mean.mean, 4), "interval": [round(low, 4), round(high, 4)]}


def estimate(results: Sequence[Mapping[str, Any]], tokens: Sequence[int]) -> dict[str, Any]:
    """How well `value` tells what is shown, and `sure` whose question it is.

    Shown means with its label, to at least half of the readers; an absent answer never is.
    """
    own = [row["sure"] for row in results if row["sort"] != ABSENT]
    other = [row["sure_of_other"] for row in results if "sure_of_other" in row]
    result: dict[str, Any] = {"sure_auc": auc(own, other)}
    for budget in tokens:
        cells = [(row["sort"], row["budgets"][str(budget)]) for row in results]
        known = [(cell["value"] or 0.0, fmean(cell["views"]["labelled"])) for _, cell in cells]
        high = [value for value, share in known if share >= 0.5]
        low = [value for value, share in known if share < 0.5]
        base = fmean(share for _, share in known)
        absent = [cell["value"] or 0.0 for sort, cell in cells if sort == ABSENT]
        sent = [share for value, share in known if value >= 0.8]
        result[str(budget)] = {
            "auc": auc(high, low),
            "brier": round(fmean((value - share) ** 2 for value, share in known), 4),
            "brier_of_constant": round(fmean((base - share) ** 2 for _, share in known), 4),
            "mean_value": round(fmean(value for value, _ in known), 4),
            "mean_shown": round(base, 4),
            "absent_low": round(fmean(value <= LOW for value in absent), 4) if absent else None,
            "legible_share": round(len(sent) / len(known), 4),
            "legible_shown": round(fmean(sent), 4) if sent else None,
        }  # fmt: skip
    return result


def auc(high: Sequence[float], low: Sequence[float]) -> float | None:
    """How often a number of the first is above one of the second.

    >>> auc([2.0, 3.0], [1.0, 2.0])
    0.875
    """
    if not high or not low:
        return None
    wins = sum((a > b) + (a == b) / 2 for a in high for b in low)
    return round(wins / len(high) / len(low), 4)
