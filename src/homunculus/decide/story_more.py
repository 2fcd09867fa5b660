# pyright: basic
"""The report's end: text heights, single questions, variants, how it was counted."""

from typing import Any

from homunculus.decide.blocks import (
    Block,
    Heading,
    Plots,
    Points,
    Table,
    Text,
    count,
    less,
    listed,
    point,
    share,
)
from homunculus.decide.plot import bands

Told = dict[str, Any]


def yields(told: Told) -> list[Block]:
    """Quality per token: what a hundred tokens bring, by the best method and by `resize`."""
    budgets = sorted({budget for task in told["tasks"] for budget in task["budgets"]})
    body = tuple(
        (task["task"], *(_yield(told, task["task"], budget) for budget in budgets))
        for task in told["tasks"]
    )
    caption = (
        "Score per hundred tokens: the method that brings most, and in round brackets `grid` and "
        "`resize`. It falls with the budget wherever the first tokens are the best ones."
    )
    head = ("set", *(f"{budget} tokens" for budget in budgets))
    return [Heading("Quality per token"), Table(head, body, caption)]


def _yield(told: Told, task: str, budget: int) -> str:
    here = [row for row in told["rows"] if (row["task"], row["budget"]) == (task, budget)]
    ours = [row for row in here if row["verdict"] not in ("baseline", "control", "variant")]
    if not ours:
        return "–"
    best = max(ours, key=lambda row: row["mean"])
    plain = {row["method"]: row["per_100_tokens"] for row in here}
    beside = " / ".join(share(plain.get(name)) for name in ("grid", "resize"))
    return f"`{best['method']}` {share(best['per_100_tokens'])} ({beside})"


def heights(told: Told) -> list[Block]:
    """By how large the answer is printed."""
    rows = told["heights"]
    if not rows:
        return [Heading("By text height"), Text("No run says how large its answers are printed.")]
    drawings = []
    for task in dict.fromkeys(row["task"] for row in rows):
        mine = [row for row in rows if row["task"] == task]
        named = [f"{row['band']} px ({row['n']})" for row in mine]
        pairs = [(row["mean"], row["resize"]) for row in mine]
        title = f"{task}, {mine[0]['budget']} tokens"
        drawings.append(bands(named, pairs, title, (mine[0]["method"], "resize")))
    body = tuple(
        (
            row["task"], f"`{row['method']}`", row["band"], str(row["n"]), str(row["images"]),
            share(row["mean"]), share(row["resize"]), less(row),
        )
        for row in rows
    )  # fmt: skip
    head = ("set", "method", "height, px", "questions", "images", "score", "resize", "difference")
    caption = (
        "The method with the best mean of each set against `resize`, by the height of the answer "
        "on the page; intervals are not corrected, and wide where a band holds few images."
    )
    return [Heading("By text height"), Plots(tuple(drawings)), Table(head, body, caption)]


def changes(told: Told) -> list[Block]:
    """Single questions: where most was won, and where most was lost."""
    found: list[Block] = [Heading("Wins and losses")]
    if not told["changes"]:
        return [*found, Text("No method was measured beside `resize`.")]
    for one in told["changes"]:
        found.append(
            Text(
                f"{one['task']}, {one['budget']} tokens: `{one['method']}` reads "
                f"{count(one['wins'], 'question')} better than `{one['against']}`, "
                f"{one['losses']} worse and {one['ties']} alike."
            )
        )
        body = [("win", *_one(row)) for row in one["largest_gains"]]
        body += [("**loss**", *_one(row)) for row in one["largest_losses"]]
        head = ("", "question", "image", "height, px", f"{one['method']}", one["against"])
        found.append(Table(head, tuple(body), "The largest, by row of the suite; no pictures."))
    return found


def _one(row: Told) -> tuple[str, ...]:
    high = f"{row['height']:g}" if row["height"] else "–"
    return (row["row"], row["image"], high, share(row["score"]), share(row["other"]))


def ablations(told: Told) -> list[Block]:
    """What each part of a method is worth."""
    rows = told["ablations"]
    if not rows:
        return [Heading("Ablations"), Text("No run holds a variant beside what it varies.")]
    sets = list(dict.fromkeys(row["task"] for row in rows))
    cell = {(row["method"], row["against"], row["budget"], row["task"]): _gap(row) for row in rows}
    body = tuple(
        (f"`{one}`", f"`{other}`", str(budget), *(cell.get((*key, task), "–") for task in sets))
        for key in dict.fromkeys(key[:3] for key in cell)
        for one, other, budget in [key]
    )
    head = ("variant", "less", "tokens", *sets)
    caption = (
        "Differences in points; * sure after correction over the variants of the set, otherwise in "
        "round brackets the smallest difference that would have been seen."
    )
    sure = [row for row in rows if "detectable" not in row]
    better = sum(row["estimate"] > 0 for row in sure)
    total = count(len(rows), "comparison")
    summary = f"Of {total}, {better} are surely better and {len(sure) - better} surely worse."
    return [Heading("Ablations"), Text(summary), Table(head, body, caption)]


def _gap(row: Told) -> str:
    end = f"({100 * row['detectable']:.1f})" if "detectable" in row else "*"
    return f"{less(row)} {end}"


def statistics(told: Told) -> list[Block]:
    """How it was counted."""
    level = f"{100 * (1 - told['level']):g} %"
    return [
        Heading("How it was counted"),
        Points(
            (
                "Every difference is taken question by question, then averaged.",
                f"Intervals ({level}) come from {told['draws']:,} draws of whole images, each "
                "divided by its own standard error (studentised bootstrap clustered by image, "
                f"seed {told['seed']}). Where fewer than six images differ, images are counted "
                "instead (Clopper and Pearson; sign test), and everywhere that count bounds the "
                "interval.",
                "p-values come from the same draws, two-sided, corrected by Holm over the methods "
                "of a set and budget; the claims of a tier are corrected over all their trials: "
                "methods, budgets and sets.",
                "`grid` keeps the K most relevant cells, `resize` shrinks the whole image to K "
                "tokens, `blind` is the same method whose scorer has not heard the question, "
                "`shuffled` the same method asked somebody else's.",
                f"A bound of {point(0.03)} is met when the low end of the interval lies above it. "
                "The mean alone decides nothing.",
            )
        ),
    ]


def sources(told: Told) -> list[Block]:
    """Where every number comes from."""
    body = tuple(
        (
            task["task"],
            task["origin"]["file"],
            str(task["origin"]["commit"] or "–"),
            str(task["origin"]["hardware"] or "–"),
            f"`{task['origin']['command']}`" if task["origin"]["command"] else "–",
        )
        for task in told["tasks"]
    )
    found: list[Block] = [
        Heading("Where it comes from"),
        Table(("set", "file", "commit", "hardware", "command"), body),
    ]
    if told["skipped"]:
        why = "; ".join(f"{suite}: {reason}" for suite, reason in told["skipped"].items())
        found.append(Text(f"Suites that could not be measured: {why}."))
    if told["aside"]:
        found.append(Text(f"Skipped, not results of `measure`: {listed(told['aside'])}."))
    return found
