# pyright: basic
"""What follows from the rows of `--task where`: shares, differences, calibration; as text."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from homunculus_lab.measure.natural import auc
from homunculus_lab.stats import Bootstrap, Estimate, bounds, pool

BASES = ("words", "resize")
"""What every other way is compared with."""
FEWER = (4, 8)
"""How many times fewer tokens a way has than `resize`, in P3 and P4; about so many."""
FOUND = ("rarest", "some", "none", "unsaid")
NO_VALUE = ("resize", "told")
"""Ways whose estimates are not judged: one has none, and the other knows the answer."""

Rows = Sequence[Mapping[str, Any]]


def summary(
    rows: Rows, settings: Mapping[str, Mapping[str, Any]], ways: Sequence[str]
) -> dict[str, Any]:
    """Each suite by itself, and all of them with equal weight."""
    suites = list(dict.fromkeys(row["suite"] for row in rows))
    by_suite = {suite: [row for row in rows if row["suite"] == suite] for suite in suites}
    tables = {
        suite: {
            name: _table(some, name, values["tokens"], ways) for name, values in settings.items()
        }
        for suite, some in by_suite.items()
    }
    result: dict[str, Any] = {"n": {suite: len(some) for suite, some in by_suite.items()}}
    result["images"] = {
        suite: len({row["image"] for row in some}) for suite, some in by_suite.items()
    }
    result["with_words"] = {
        suite: sum(row["words_read"] > 0 for row in some) for suite, some in by_suite.items()
    }
    result["table"] = tables
    if len(suites) > 1:
        result["pooled"] = {
            name: _differences(list(by_suite.values()), name, values["tokens"], ways)
            for name, values in settings.items()
        }
    return result


def _table(rows: Rows, setting: str, tokens: Sequence[int], ways: Sequence[str]) -> dict[str, Any]:
    shares = {
        way: {str(budget): _facts(_estimate([shown(rows, setting, way, budget)], [rows]))
              for budget in tokens}
        for way in ways
    }  # fmt: skip
    judged = [way for way in ways if way not in NO_VALUE]
    some = [row for row in rows if row["words_read"]]
    apart = ways if 0 < len(some) < len(rows) else ()
    return {
        "shown": shares,
        "with_words": {
            way: {
                str(budget): round(float(shown(some, setting, way, budget).mean()), 4)
                for budget in tokens
            }
            for way in apart
        },
        "differences": _differences([rows], setting, tokens, ways),
        "calibration": {way: _calibration(rows, setting, way, tokens) for way in judged},
        "log_share": {
            way: round(fmean(row[setting][way]["log_share"] for row in rows), 3)
            for way in ways if way != "resize"
        },
        "sure_auc": {way: _sure(rows, setting, way) for way in judged},
    }  # fmt: skip


def shown(rows: Rows, setting: str, way: str, budget: int) -> Any:
    """0 or 1 for each question."""
    return np.array([row[setting][way]["budgets"][str(budget)][0] for row in rows], float)


def _differences(
    suites: Sequence[Rows], setting: str, tokens: Sequence[int], ways: Sequence[str]
) -> list[dict[str, Any]]:
    """Ways less others at the same budget, and less `resize` with about four and eight times it."""
    return [
        {"way": way, "tokens": budget, "less": base, "than": other}
        | _facts(
            _estimate(
                [
                    shown(rows, setting, way, budget) - shown(rows, setting, base, other)
                    for rows in suites
                ],
                suites,
                signed=True,
            )
        )
        for way, budget, base, other in _pairs(tokens, ways)
    ]


def _pairs(tokens: Sequence[int], ways: Sequence[str]) -> Iterator[tuple[str, int, str, int]]:
    for way in ways:
        for base in BASES:
            if base in ways and way not in (base, "resize"):
                yield from ((way, budget, base, budget) for budget in tokens)
        if "resize" in ways and way != "resize":
            most = max(tokens)
            yield from (
                (way, budget, "resize", most)
                for times in FEWER
                for budget in tokens
                if round(most / budget) == times
            )


def _estimate(values: Sequence[Any], suites: Sequence[Rows], signed: bool = False) -> Estimate:
    """A mean with its interval: whole images are resampled, and suites have equal weight."""
    columns = [value[:, None] for value in values]
    limits = bounds(np.concatenate(columns), signed)
    samples = [
        Bootstrap([str(row["image"]) for row in rows], seed=seed)
        for seed, rows in enumerate(suites)
    ]
    if len(samples) == 1:
        return samples[0].estimates(columns[0], *limits)[0]
    return pool(list(zip(samples, columns, strict=True)), *limits)[0]


def _facts(estimate: Estimate) -> dict[str, Any]:
    low, high = estimate.interval()
    return {"mean": round(estimate.mean, 4), "interval": [round(low, 4), round(high, 4)]}


def _calibration(rows: Rows, setting: str, way: str, tokens: Sequence[int]) -> dict[str, Any]:
    """The mean estimate less what is shown, over all questions and by what was found of them."""
    groups = {"all": list(rows)} | {
        name: [row for row in rows if row[setting][way]["found"] == name] for name in FOUND
    }
    return {
        name: {"n": len(some)}
        | {str(budget): round(_gap(some, setting, way, budget), 3) for budget in tokens}
        for name, some in groups.items()
        if some
    }


def _gap(rows: Rows, setting: str, way: str, budget: int) -> float:
    cells = [row[setting][way]["budgets"][str(budget)] for row in rows]
    return fmean(value - seen for seen, value in cells)


def _sure(rows: Rows, setting: str, way: str) -> dict[str, Any]:
    """How sure a scout is of a picture's own question, and of another picture's."""
    own = [row[setting][way]["sure"] for row in rows]
    other = [
        row[setting][way]["sure_of_other"] for row in rows if "sure_of_other" in row[setting][way]
    ]
    mean = round(fmean(other), 3) if other else None
    return {"auc": auc(own, other), "own": round(fmean(own), 3), "other": mean}


# ---- as text -------------------------------------------------------------------------------------


def text(result: Mapping[str, Any]) -> str:
    """Shares, differences and estimates, a table for each suite and setting."""
    lines = list[str]()
    for suite, tables in result["table"].items():
        for name, table in tables.items():
            count = f"{result['n'][suite]} questions, {result['images'][suite]} images or documents"
            count += f"; words were read for {result['with_words'][suite]}"
            lines += [f"{suite}, print of {name}: {count}", *_lines(table), ""]
    for name, differences in result.get("pooled", {}).items():
        lines += [f"all suites with equal weight, print of {name}", *_rest(differences), ""]
    return "\n".join(lines).rstrip()


def _lines(table: Mapping[str, Any]) -> Iterator[str]:
    budgets = list(next(iter(table["shown"].values())))
    yield _line("shown", budgets)
    for way, shares in table["shown"].items():
        yield _line(way, [f"{share['mean']:.2f}" for share in shares.values()])
    if table["with_words"]:
        yield "  shown where words were read"
        for way, means in table["with_words"].items():
            yield _line(way, [f"{mean:.2f}" for mean in means.values()])
    yield from _rest(table["differences"])
    yield _line("estimate less shown", budgets)
    for way, groups in table["calibration"].items():
        for name, gaps in groups.items():
            label = way if name == "all" else f"  {name} found, {gaps['n']}"
            yield _line(label, [f"{gaps[budget]:+.2f}" for budget in budgets])
    for way, sure in table["sure_auc"].items():
        log_share = table["log_share"][way]
        yield f"  {way}: sure {sure['own']} of its own question, {sure['other']} of another's, " + (
            f"AUC {sure['auc']}; log share {log_share}"
        )


def _rest(differences: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Differences in points, a line for each pair of ways."""
    lines = dict[str, list[str]]()
    for entry in differences:
        (low, high), same = entry["interval"], entry["tokens"] == entry["than"]
        less = f"{entry['way']} less {entry['less']}"
        at = f"{entry['tokens']}:" if same else f"{entry['tokens']} less {entry['than']}:"
        points = f"{at} {100 * entry['mean']:+.0f} [{100 * low:+.0f}, {100 * high:+.0f}]"
        lines.setdefault(less if same else f"{less} with more", []).append(points)
    yield "  points, 95 % intervals"
    yield from (f"    {name:<32}{'  '.join(points)}" for name, points in lines.items())


def _line(name: str, cells: Sequence[str]) -> str:
    return f"  {name:<22}" + "".join(f"{cell:>8}" for cell in cells)
