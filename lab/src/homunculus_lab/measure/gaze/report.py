# pyright: basic
"""Turns agreement with gaze into a result: means with intervals, differences from baselines."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from homunculus_lab.measure.gaze.maps import COLUMNS, PRINTED
from homunculus_lab.measure.metric import difference, interval, ratio
from homunculus_lab.measure.report import TWINS
from homunculus_lab.measure.suite import Question, hashed

BASELINES = ("centre", "elsewhere", "words")
"""The middle of the image; gaze on the suite's other images; every printed word alike, where the
suite knows them: the first two do not depend on the image, none on the question."""
CEILING = "of human"
"""A row's NSS to that of the other viewers, where there are any."""


@dataclass(frozen=True)
class Agreement:
    """Agreement of one question's rows with its viewers, by row and budget (or `map`)."""

    question: Question
    viewers: int
    fixations: int
    scores: dict[str, dict[str, list[float]]]


def make_report(results: Sequence[Agreement], config: Any) -> dict[str, Any]:
    """The result as it is saved."""
    several = [agreement for agreement in results if "human" in agreement.scores]
    ceiling = table(several, config.seed) if 0 < len(several) < len(results) else None
    return {
        "task": "gaze",
        "suite": results[0].question.suite,
        "config": asdict(config),
        "seed": config.seed,
        "n": len(results),
        "images": len({agreement.question.image for agreement in results}),
        "viewers": sum(agreement.viewers for agreement in results),
        "fixations": sum(agreement.fixations for agreement in results),
        "columns": list(_columns(results)),
        "table": table(results, config.seed),
        "several_viewers": ceiling,
        "paired": paired(results, config.seed),
        "rows": [_row(agreement) for agreement in results],
    }


def _row(agreement: Agreement) -> dict[str, Any]:
    short = {
        name: {slots: [round(score, 4) for score in value] for slots, value in by_slots.items()}
        for name, by_slots in agreement.scores.items()
    }
    suite, number = agreement.question.suite, agreement.question.row
    row = {"id": hashed(suite, str(number)), "row": number, "viewers": agreement.viewers}
    row["image"] = hashed(suite, agreement.question.image)
    return row | {"fixations": agreement.fixations, "scores": short}


def _columns(results: Sequence[Agreement]) -> tuple[str, ...]:
    """What was scored: one more where words are known."""
    return COLUMNS + (PRINTED,) * ("words" in results[0].scores)


def _cells(results: Sequence[Agreement]) -> list[tuple[str, str]]:
    """Rows and budgets that any question has; `oracle` is missing where no answer is boxed."""
    every = (
        (name, slots)
        for agreement in results
        for name, by in agreement.scores.items()
        for slots in by
    )
    return list(dict.fromkeys(every))


def table(results: Sequence[Agreement], seed: int) -> dict[str, Any]:
    """Mean and interval by row, budget and column, and over how many questions."""
    rows: dict[str, Any] = {}
    for name, slots in _cells(results):
        have = [agreement for agreement in results if name in agreement.scores]
        group = [agreement.question.image for agreement in have]
        columns = zip(*(agreement.scores[name][slots] for agreement in have), strict=True)
        means = {
            column: interval(value, group, seed)
            for column, value in zip(_columns(results), columns, strict=True)
        }
        rows.setdefault(name, {})[slots] = (
            {"n": len(have)} | means | _ceiling(have, name, slots, seed)
        )
    return rows


def _ceiling(have: Sequence[Agreement], name: str, slots: str, seed: int) -> dict[str, Any]:
    """How near a row comes to people, on the images that several looked at."""
    both = [agreement for agreement in have if "human" in agreement.scores]
    if not both:
        return {}
    own, other = (
        [each.scores[row][budget][0] for each in both]
        for row, budget in ((name, slots), ("human", "map"))
    )
    return {CEILING: ratio(own, other, [each.question.image for each in both], seed)}


def paired(results: Sequence[Agreement], seed: int) -> dict[str, Any]:
    """Each row less each baseline, and a scout less other scorers, on the questions both have."""
    gaps: dict[str, Any] = {}
    for name, slots in _cells(results):
        rivals = [(base, "map") for base in BASELINES if (base, "map") != (name, slots)]
        if name.endswith("scout"):
            rivals += [(name.removesuffix("scout") + other, slots) for other in TWINS]
        for rival, rival_slots in rivals:
            both = [
                agreement
                for agreement in results
                if name in agreement.scores and rival_slots in agreement.scores.get(rival, {})
            ]
            if both:
                key = f"{name} - {rival}"
                gaps.setdefault(key, {})[slots] = _less(
                    both, (name, slots), (rival, rival_slots), seed
                )
    return gaps


def _less(
    both: Sequence[Agreement], row: tuple[str, str], other: tuple[str, str], seed: int
) -> dict[str, Any]:
    group = [each.question.image for each in both]
    ours, theirs = (
        zip(*(each.scores[name][slots] for each in both), strict=True)
        for name, slots in (row, other)
    )
    return {
        column: difference(a, b, group, seed)
        for column, a, b in zip(_columns(both), ours, theirs, strict=True)
    }


def text(result: dict[str, Any]) -> str:
    """The table for people: means, intervals, and which side of the centre baseline they are on."""
    head = (
        f"{result['suite']}: {result['n']} questions, {result['images']} images, "
        f"{result['viewers']} viewers, {result['fixations']} fixations. "
        "+ better than `centre`, - worse, by interval."
    )
    columns = result["columns"]
    wide = max(map(len, result["table"])) + 1
    titles = "".join(f"{column:>24}" for column in (*columns, CEILING))
    lines = [head, f"{'row':<{wide}}{'tokens':>7}{'n':>5}{titles}"]
    for name, by_slots in result["table"].items():
        for slots, cell in by_slots.items():
            gap = result["paired"].get(f"{name} - centre", {}).get(slots)
            cells = [f"{_cell_text(cell[column]) + side(column, gap):>24}" for column in columns]
            cells += [f"{_cell_text(cell[CEILING]):>24}"] if CEILING in cell else []
            lines.append(f"{name:<{wide}}{slots:>7}{cell['n']:>5}" + "".join(cells))
    return "\n".join(lines)


def _cell_text(cell: Sequence[float]) -> str:
    return f"{cell[0]:.2f} [{cell[1]:.2f}, {cell[2]:.2f}] "


def side(column: str, gap: dict[str, Any] | None) -> str:
    """Whether an interval lies on one side of 0; a loss counts the other way round."""
    if gap is None or gap[column][1] <= 0 <= gap[column][2]:
        return " "
    return "+" if (gap[column][1] > 0) != (column == "kl") else "-"
