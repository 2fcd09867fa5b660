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
    sources,
    statistics,
    yields,
)
from homunculus.decide.story_sections import sections
from homunculus.decide.story_task import leader, rows_of, tasks

Told = dict[str, Any]


def story(told: Told) -> list[Block]:
    """All of it, in order."""
    verdict = Verdict(told["decision"], told["rule"])
    if not told["tasks"]:
        return [verdict, *_tiers(told), *sections(told), *statistics(told), *sources(told)]
    return [
        verdict,
        *_loud(told),
        *_short(told),
        *_tiers(told),
        *_beaten(told),
        *_power(told),
        *tasks(told),
        *yields(told),
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
            found.append(Text(f"LEFT OUT on {task['task']}: {gone}.", loud=True))
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
            f"{_against(best)} Verdict: {best['verdict']}."
        )
    how = "Differences in points with their interval; sure or not after correction over methods."
    return [Heading("In short"), Text(how), Points(tuple(sentences))]


def _lead(told: Told, task: Told, best: Told) -> str:
    many = {row["method"] for row in rows_of(told, task) if row["verdict"] not in OTHERS}
    if len(many) == 1:
        return f"`{best['method']}` is the only method"
    return f"`{best['method']}` has the best mean of {len(many)} methods"


OTHERS = ("control", "baseline", "variant")


def _against(row: Told) -> str:
    """How a row stands to its four baselines: above, below, not sure, not compared."""
    pairs = {name: row[f"vs_{name}"] for name in ("grid", "resize", "blind", "shuffled")}
    groups: dict[str, list[str]] = {"Above": [], "Below": [], "Not sure": [], "Not compared": []}
    for name, pair in pairs.items():
        if pair is None:
            groups["Not compared"].append(f"with `{name}`")
        elif "detectable" in pair:
            seen = f"{100 * pair['detectable']:.1f} or more would have been seen"
            groups["Not sure"].append(f"against `{name}`, {less(pair)}, where {seen}")
        else:
            side = "Above" if pair["estimate"] > 0 else "Below"
            groups[side].append(f"`{name}` by {less(pair)}")
    return " ".join(f"{side} {listed(said)}." for side, said in groups.items() if said)


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
    counted = listed([task["task"] for task in told["tasks"] if task["main"]]) or "none"
    caption = (
        "Rules set before measuring. A claim is met only if the interval, corrected for all trials "
        "of the claim, lies above its bound on every set, and the method beats `resize` and its "
        f"own `shuffled` twin there. Sets that count: {counted}."
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


WORTH = {
    "resize": "Plain resizing is the rival that sinks most papers.",
    "shuffled": "Whatever survives somebody else's question is not owed to the question.",
    "blind": "What the same method does whose scorer has not heard the question.",
    "grid": "The K most relevant cells: what a pyramid or a fovea must add to.",
}


def _beaten(told: Told) -> list[Block]:
    """Who beats whom, by set and budget."""
    budgets = sorted({budget for task in told["tasks"] for budget in task["budgets"]})
    caption = (
        "How many methods surely do (after correction), and the best difference in points with its "
        "interval. In round brackets, where none does: the smallest difference that would have "
        "been seen four times in five."
    )
    found: list[Block] = [Heading("Who beats whom"), Text(caption)]
    head = ("set", *(f"{budget} tokens" for budget in budgets))
    for name, about in WORTH.items():
        rows = [
            (task["task"], *(_at(told, task, budget, name) for budget in budgets))
            for task in told["tasks"]
        ]
        found += [Heading(f"Who beats `{name}`", 3), Table(head, tuple(rows), about)]
    return found


def _at(told: Told, task: Told, budget: int, name: str) -> str:
    pairs = [
        (row[f"vs_{name}"], row["method"])
        for row in rows_of(told, task)
        if row["budget"] == budget and row["verdict"] not in OTHERS and row[f"vs_{name}"]
    ]
    if not pairs:
        return "–"
    sure = [one for one in pairs if one[0]["p_holm"] <= 0.05 and one[0]["estimate"] > 0]
    best, who = max(sure or pairs, key=lambda one: one[0]["estimate"])
    if sure:
        return f"{len(sure)} of {len(pairs)}: `{who}` {less(best)}"
    worse = [pair for pair, _ in pairs if pair["p_holm"] <= 0.05]
    lost = f" ({len(worse)} lose)" if worse else ""
    seen = f" ({100 * best['detectable']:.1f})" if "detectable" in best else ""
    return f"**0 of {len(pairs)}**{lost}: `{who}` {less(best)}{seen}"


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
