# pyright: basic
"""The report from its beginning: the decision, what is missing, the tiers, who beats whom."""

from collections.abc import Sequence
from typing import Any

from homunculus.decide.blocks import (
    Block,
    Heading,
    Points,
    Table,
    Text,
    Verdict,
    chance,
    count,
    less,
    listed,
    point,
    share,
)
from homunculus.decide.story_more import (
    ablations,
    changes,
    heights,
    sections,
    sources,
    statistics,
)
from homunculus.decide.story_task import leader, rows_of, tasks

Told = dict[str, Any]


def story(told: Told) -> list[Block]:
    """All of it, in order."""
    return [
        Verdict(told["decision"], told["rule"]),
        *_loud(told),
        *_short(told),
        *_tiers(told),
        *_resize(told),
        *_power(told),
        *tasks(told),
        *heights(told),
        *changes(told),
        *ablations(told),
        *sections(told),
        *statistics(told),
        *sources(told),
    ]


def _loud(told: Told) -> list[Block]:
    """Controls that were left out, or are not there."""
    found: list[Block] = []
    for task in told["tasks"]:
        if task["left_out"]:
            gone = listed([f"`{name}`" for name in task["left_out"]])
            found.append(Text(f"LEFT OUT BY FLAG on {task['task']}: {gone}.", loud=True))
    by_missing: dict[tuple[str, ...], list[str]] = {}
    for task in told["tasks"]:
        by_missing.setdefault(tuple(task["missing"]), []).append(task["task"])
    for missing, where in by_missing.items():
        if missing:
            gone = listed([f"`{name}`" for name in missing])
            found.append(Text(f"Controls not measured on {listed(where)}: {gone}.", loud=True))
    return found


def _short(told: Told) -> list[Block]:
    """One sentence for each task, and what became of its leader."""
    sentences = []
    for task in told["tasks"]:
        best = leader(told, task)
        if best is None:
            sentences.append(f"{task['task']}: only controls were measured.")
            continue
        ceiling = f"; the whole image gives {share(task['full'])}" if task["full"] else ""
        mean = f"{share(best['mean'])} [{share(best['low'])}, {share(best['high'])}]"
        sentences.append(
            f"{task['task']}, {task['focus']} tokens ({count(task['n'], 'question')}, "
            f"{count(task['images'], 'image')}): {_lead(told, task, best)}, {mean}{ceiling}. "
            f"{_against(best)} So it is {best['verdict']}."
        )
    return [Heading("In short"), Points(tuple(sentences))]


def _lead(told: Told, task: Told, best: Told) -> str:
    many = {row["method"] for row in rows_of(told, task) if row["verdict"] not in OTHERS}
    if len(many) == 1:
        return f"`{best['method']}` is the only method"
    return f"`{best['method']}` has the best mean of {len(many)} methods"


OTHERS = ("control", "baseline")


def _against(row: Told) -> str:
    """How a row stands to its four baselines."""
    said = []
    for name in ("grid", "resize", "blind", "shuffled"):
        pair = row[f"vs_{name}"]
        if pair is None:
            said.append(f"not compared with {name}")
        elif pair["p_holm"] <= 0.05:
            side = "above" if pair["estimate"] > 0 else "below"
            size = point(abs(pair["estimate"])).removeprefix("+")
            ends = f"[{point(pair['low'])}, {point(pair['high'])}]"
            said.append(f"{size} points {side} {name} {ends}")
        else:
            seen = point(pair["detectable"]).removeprefix("+")
            said.append(
                f"no difference seen to {name} ({less(pair)}; {seen} would have been, four times "
                "in five)"
            )
    return f"It is {listed(said)}."


STATES = {
    "met": "**met**",
    "not supported": "shown, **not supported**",
    "open": "open: the interval reaches the bound",
    "refuted": "refuted: no interval reaches the bound",
}


def _tiers(told: Told) -> list[Block]:
    rows = []
    for one in told["tiers"]:
        state = STATES.get(one["state"], f"not measured: {one['missing']}")
        rows.append((str(one["tier"]), one["claim"], state, *_nearest(one)))
    caption = (
        "Rules set before measuring. A claim is met only if the interval, corrected for all trials "
        "of the claim, lies above its bound on every set, and the method beats `resize` and its "
        "own `shuffled` twin there."
    )
    head = ("tier", "claim", "state", "nearest to it", "difference to grid", "p, corrected")
    return [Heading("Tiers"), Table(head, tuple(rows), caption)]


def _nearest(one: Told) -> tuple[str, str, str]:
    best = one["best"]
    if best is None:
        return ("–", "–", "–")
    many = len(best["sets"])
    where = best["sets"][0]["task"] if many == 1 else count(many, "set")
    who = f"`{best['method']}` at {best['budget']}, {where}"
    if best["against_budget"] != best["budget"]:
        who += f", against `{best['against']}` at {best['against_budget']}"
    if best["faults"]:
        who += f" ({best['faults'][0]})"
    worst = min(best["sets"], key=lambda part: part["low"] - part["bound"])
    wanted = f"{less(worst)}, wanted {point(worst['bound'])}"
    return who, wanted, f"{chance(best['p_holm'])} ({count(one['trials'], 'trial')})"


def _resize(told: Told) -> list[Block]:
    """Where plain resizing is unbeaten: the rival that sinks most papers."""
    budgets = sorted({budget for task in told["tasks"] for budget in task["budgets"]})
    rows = []
    for task in told["tasks"]:
        by_budget = [_at(told, task, budget) for budget in budgets]
        rows.append((task["task"], *by_budget))
    caption = (
        "How many methods surely beat `resize` (after correction), and the best difference to it "
        "in points with its interval. Where none does: the smallest difference that would have "
        "been seen."
    )
    head = ("set", *(f"{budget} tokens" for budget in budgets))
    return [Heading("Who beats plain resizing"), Table(head, tuple(rows), caption)]


def _at(told: Told, task: Told, budget: int) -> str:
    pairs = [
        row["vs_resize"]
        for row in rows_of(told, task)
        if row["budget"] == budget and row["verdict"] not in OTHERS and row["vs_resize"]
    ]
    if not pairs:
        return "–"
    sure = [pair for pair in pairs if pair["p_holm"] <= 0.05 and pair["estimate"] > 0]
    best = max(sure or pairs, key=lambda pair: pair["estimate"])
    if sure:
        return f"{len(sure)} of {len(pairs)}: {less(best)}"
    worse = [pair for pair in pairs if pair["p_holm"] <= 0.05]
    lost = f", {len(worse)} lose" if worse else ""
    seen = f" (≥ {100 * best['detectable']:.1f} seen)" if "detectable" in best else ""
    return f"**0 of {len(pairs)}**{lost}: {less(best)}{seen}"


def _power(told: Told) -> list[Block]:
    rows: Sequence[tuple[str, ...]] = tuple(
        (
            one["task"],
            str(one["images"]),
            f"{100 * one['power']:.0f} %",
            f"{100 * one['detectable']:.1f}",
            f"{100 * (one['true'] + one['detectable']):.1f}",
            f"`{one['against']}`, {count(one['pairs'], 'pair')}",
        )
        for one in told["power"]
    )
    if not rows:
        return []
    true = f"{100 * told['power'][0]['true']:g}"
    caption = (
        f"For the middle one of all pairs of the set: how often a true difference of {true} points "
        "would be seen at all, the smallest that is seen four times in five, and how large it must "
        f"be for an interval to lie above {true} points as often. A single test, before correction."
    )
    head = ("set", "images", f"sees +{true}", "smallest seen", f"to show +{true}", "against")
    return [Heading("What could be seen"), Table(head, tuple(rows), caption)]
