# pyright: basic
"""The report from its beginning: the decision, what is missing, the tiers, who beats whom."""

from collections.abc import Sequence
from typing import Any

from homunculus.lab.decide import names
from homunculus.lab.decide.blocks import (
    Block,
    Heading,
    Plots,
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
    within,
)
from homunculus.lab.decide.decision import ANEW, LATER
from homunculus.lab.decide.names import BASELINES
from homunculus.lab.decide.plot import Bar, Line, bands, forest, front
from homunculus.lab.decide.slices import DEFAULT

Told = dict[str, Any]
BOUND = 0.03
"""Drawn into every forest: what the lowest tier asks for."""
KEY = (
    "In drawings of quality, up and to the left is better; a ring marks what no other row beats "
    "at that price, and upright bars are intervals. The last drawing shows each method less its "
    "baselines, with intervals; the dashed line is what Tier 1 asks of the difference to "
    "`grid`."
)
CROWD = 8
"""As many methods as fit into one forest."""


def rows_of(told: Told, task: Told) -> list[Told]:
    """The rows of a task."""
    return [row for row in told["rows"] if row["task"] == task["task"]]


def _competing(row: Told) -> bool:
    return row["verdict"] not in ("control", "baseline", "variant")


def leader(told: Told, task: Told) -> Told | None:
    """The best mean among the methods at the budget that is looked at closely."""
    here = [r for r in rows_of(told, task) if r["budget"] == task["focus"] and _competing(r)]
    return max(here, key=lambda row: row["mean"], default=None)


def tasks(told: Told) -> list[Block]:
    """All sets."""
    return [Heading("Set by set"), Text(KEY)] + [
        block for task in told["tasks"] for block in _task(told, task)
    ]


def _task(told: Told, task: Told) -> list[Block]:
    every = rows_of(told, task)
    rows = [row for row in every if row["verdict"] != "variant"]
    about = (
        f"{task['kind'].capitalize() if task['kind'] != 'unknown' else 'Pictures of no known kind'}"
        f"; {task['measure']}, column `{task['column']}`; {count(task['n'], 'question')} on "
        f"{count(task['images'], 'image')}."
        f"{'' if task['main'] else ' A second reading of this set: it counts for no tier.'}"
    )
    return [
        Heading(task["task"], 3),
        Text(about),
        Plots(tuple(_drawings(task, rows)), _pale(_order(task, rows), _asked(task, rows))),
        _means(task, rows),
        *_pairs(task, rows),
    ]


def _order(task: Told, rows: list[Told]) -> list[str]:
    """Methods by their mean at the budget looked at, then controls as they come."""
    every = list(dict.fromkeys(row["method"] for row in rows))
    mean = {row["method"]: row["mean"] for row in rows if row["budget"] == task["focus"]}
    ours = list(dict.fromkeys(row["method"] for row in rows if _competing(row)))
    ours.sort(key=lambda name: -mean.get(name, 0.0))
    return ours + [name for name in every if name not in ours]


def _asked(task: Told, rows: list[Told]) -> str | None:
    """The shuffled twin of the best method."""
    here = [row for row in rows if row["budget"] == task["focus"] and _competing(row)]
    twin = max(here, key=lambda row: row["mean"])["vs_shuffled"] if here else None
    return twin["against"] if twin else None


def _role(name: str, asked: str | None = None) -> str:
    parsed = names.parse(name)
    if names.competes(name):
        return "method"
    if name == asked:
        return "shuffled"
    if parsed.method in ("resize", "oracle"):
        return parsed.method
    return "grid" if parsed == names.Name("grid", "", names.ASKED) else "control"


def _drawings(task: Told, rows: list[Told]) -> list[str]:
    order = _order(task, rows)
    found = [
        _front(task, rows, order, "budget", "tokens"),
        _front(task, rows, order, "cost", "cost of a request, ratio"),
        _forest(task, rows, order),
    ]
    return [svg for svg in found if svg]


def _front(task: Told, rows: list[Told], order: list[str], key: str, across: str) -> str:
    lines = []
    for name in order:
        mine = [row for row in rows if row["method"] == name and row[key]]
        mine.sort(key=lambda row: row[key])
        at = tuple((float(r[key]), r["mean"], r["low"], r["high"]) for r in mine)
        rings = tuple(bool(r["front_tokens" if key == "budget" else "front_cost"]) for r in mine)
        if at:
            lines.append(Line(name, at, rings, _role(name, _asked(task, rows))))
    if not lines:
        return ""
    ticks = task["budgets"] if key == "budget" else _ticks([x for one in lines for x, *_ in one.at])
    title = f"Quality against {'tokens' if key == 'budget' else 'cost'}"
    return front(lines, title, across, ticks, task["full"])


def _ticks(places: list[float]) -> list[float]:
    """A few round numbers over a logarithmic range."""
    least, most = min(places), max(places)
    middle = (least * most) ** 0.5
    return list(dict.fromkeys(float(f"{value:.2g}") for value in (least, middle, most)))


def _forest(task: Told, rows: list[Told], order: list[str]) -> str:
    here = {row["method"]: row for row in rows if row["budget"] == task["focus"]}
    bars = []
    for name in [name for name in order if names.competes(name) and name in here][:CROWD]:
        pairs = [(at, here[name][f"vs_{base}"]) for at, base in enumerate(BASELINES)]
        marks = [(at, p["estimate"], p["low"], p["high"]) for at, p in pairs if p]
        if marks:
            bars.append(Bar(name, tuple(marks)))
    title = f"Difference with {task['focus']} tokens"
    return forest(bars, title, BASELINES, BOUND) if bars else ""


def _pale(order: list[str], asked: str | None) -> str:
    """Which rows are drawn without a name."""
    named = [f"`{name}`" for name in order if _role(name, asked) == "control"]
    return f"Pale lines: {listed(named)}." if named else ""


def _means(task: Told, rows: list[Told]) -> Table:
    cell = {(row["method"], row["budget"]): row for row in rows}
    body = []
    for name in _order(task, rows):
        told = []
        for budget in task["budgets"]:
            row = cell.get((name, budget))
            said = within((row["mean"], row["low"], row["high"])) if row else "–"
            told.append(f"**{said}**" if row and row["front_tokens"] else said)
        body.append((f"`{name}`", *told))
    caption = "Mean and 95 % interval; bold: on the front of quality against tokens."
    head = ("row", *(f"{budget} tokens" for budget in task["budgets"]))
    return Table(head, tuple(body), caption)


def _pairs(task: Told, rows: list[Told]) -> list[Table]:
    """The methods at the budget that is looked at closely, and where else they are supported."""
    good: dict[str, list[str]] = {}
    for row in rows:
        if row["verdict"] == "supported":
            good.setdefault(row["method"], []).append(str(row["budget"]))
    here = {r["method"]: r for r in rows if r["budget"] == task["focus"] and _competing(r)}
    body = [
        (
            f"`{name}`",
            *(_pair(here[name][f"vs_{base}"]) for base in BASELINES),
            here[name]["verdict"].removeprefix("not supported: "),
            ", ".join(good.get(name, [])) or "–",
        )
        for name in _order(task, rows)
        if name in here
    ]
    if not body:
        return []
    caption = (
        f"Differences in points with {task['focus']} tokens, question by question. * sure after "
        "Holm's correction over methods; otherwise, in round brackets, the smallest difference "
        "that would have been seen four times in five. – not measured."
    )
    head = ("method", *(f"less {name}" for name in BASELINES), "verdict", "supported with")
    return [Table(head, tuple(body), caption)]


def _pair(pair: Told | None) -> str:
    if pair is None:
        return "–"
    if "detectable" not in pair:
        return f"{less(pair)} *"
    return f"{less(pair)} ({100 * pair['detectable']:.1f})"


TITLES = {
    "regions": "Target, secondary, periphery",
    "turns": "The second question",
    "gaze": "Human gaze",
    "coverage": "Coverage",
    "cost": "Cost",
}
ABSENT = {
    "regions": "The claim that keeping the most relevant cells starves the periphery",
    "turns": "What a second question loses to tokens chosen for the first",
    "gaze": "Agreement with human gaze",
    "coverage": "The share of each image that is covered",
    "cost": "What a request costs; without it no claim about speed can be met",
}


def sections(told: Told) -> list[Block]:
    """What else the runs hold; what they do not hold is said."""
    found: list[Block] = []
    for name, title in TITLES.items():
        parts = told["sections"].get(name)
        found.append(Heading(title))
        if not parts:
            found.append(Text(f"{ABSENT[name]}: not measured in these runs."))
        elif name in ("turns", "coverage"):
            found += _across(name, parts)
        else:
            found += [block for part in parts for block in _section(name, part)]
    return found


def _where(part: Told) -> str:
    return "/".join(str(part[key]) for key in ("suite", "part") if part.get(key)) or part["file"]


def _section(name: str, part: Told) -> list[Block]:
    """One budget, without variants and twins; the JSON holds them all."""
    columns = [column for column in part["columns"] if column != "n"]
    shown = [row for row in part["rows"] if _shown(name, row, part["rows"])]
    body = []
    for row in shown:
        gaps = row["gaps"] or {}
        told = [_value(row["values"].get(column), gaps.get(column), column) for column in columns]
        body.append((f"`{row['method']}`", row["budget"], *told))
    unit = f" Unit: {part['unit']}." if part.get("unit") else ""
    rivals = _rivals(shown)
    whom = f" In round brackets: less {rivals}, with its interval." if rivals else ""
    many = f", {count(part['n'], 'question')}" if part.get("n") else ""
    caption = f"{_where(part)}{many}.{unit}{whom}"
    found: list[Block] = [Table(("row", "tokens", *columns), tuple(body), caption)]
    sentence = _claim(name, part)
    return [Text(f"{_where(part)}: {sentence}"), *found] if sentence else found


def _rivals(rows: list[Told]) -> str:
    return listed([f"`{one}`" for one in dict.fromkeys(r["against"] for r in rows if r["gaps"])])


def _shown(name: str, row: Told, rows: list[Told]) -> bool:
    """Gaze is told in full; of the rest the methods and plain controls, at one budget."""
    if name == "gaze":
        return True
    budgets = {one["budget"] for one in rows}
    parsed = names.parse(row["method"])
    twin = parsed.scorer in names.UNASKED and parsed.method not in names.SIMPLE
    known = row["budget"] in (str(DEFAULT), "all") or str(DEFAULT) not in budgets
    return known and not parsed.variant and not twin and "mix" not in parsed.scorer


def _value(value: Any, gap: Any, column: str) -> str:
    """A mean with its interval, or with its difference and the interval of that."""
    if value is None:
        return "–"
    if not isinstance(value, list):
        return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
    if "density" in column:
        return f"{value[0]:.2f}"
    if isinstance(gap, list):
        told = f"{value[0]:.2f} ({gap[0]:+.2f} [{gap[1]:+.2f}, {gap[2]:+.2f}])"
    else:
        told = f"{value[0]:.2f} [{value[1]:.2f}, {value[2]:.2f}]"
    return told.replace("-", "−")


def _claim(name: str, part: Told) -> str:
    """What the differences of a section say, counted by interval."""
    rows = [row for row in part["rows"] if row["gaps"] and _shown(name, row, part["rows"])]
    gaps = [row["gaps"] for row in rows]
    if name != "regions" or not gaps:
        return ""
    said = []
    for column in [column for column in gaps[0] if "density" not in column]:
        ends = [gap[column] for gap in gaps if column in gap]
        above, below = sum(end[1] > 0 for end in ends), sum(end[2] < 0 for end in ends)
        said.append(f"`{column}`: {above} above, {below} below, {len(ends) - above - below} open")
    return f"by interval, of {count(len(gaps), 'row')} less {_rivals(rows)}: {listed(said)}."


def _across(name: str, parts: list[Told]) -> list[Block]:
    """One table over all sets: short sections are easier to compare than to read one by one."""
    tell, caption = (_turn, TURNS) if name == "turns" else (_cover, COVERS)
    keys: dict[tuple[str, str], None] = {}
    columns = []
    for part in parts:
        shown = [row for row in part["rows"] if _shown(name, row, part["rows"])]
        mine = {(row["method"], row["budget"]): tell(row) for row in shown}
        keys |= dict.fromkeys(mine)
        unit = f" {part['unit']}" if part.get("unit") else ""
        many = f" ({part['n']})" if part.get("n") else ""
        columns.append((f"{_where(part)}{unit}{many}", mine))
    head = ("row", "tokens", *(title for title, _ in columns))
    body = tuple(
        (f"`{row}`", budget, *(mine.get((row, budget), "–") for _, mine in columns))
        for row, budget in keys
    )
    table = Table(head, body, caption)
    return [Text(_drops(parts)), table] if name == "turns" else [table]


TURNS = (
    "The second question on tokens chosen for the first → on tokens chosen again; in round "
    "brackets the difference, with its interval. Questions in the head."
)
COVERS = "Share of the image that any kept token covers, with its interval. Questions in the head."


def _turn(row: Told) -> str:
    values, gap = row["values"], (row["gaps"] or {}).get(LATER)
    if LATER not in values or ANEW not in values:
        return "–"
    told = f"{values[LATER][0]:.2f} → {values[ANEW][0]:.2f}"
    if gap:
        told += f" ({gap[0]:+.2f} [{gap[1]:+.2f}, {gap[2]:+.2f}])".replace("-", "−")
    return told


def _drops(parts: list[Told]) -> str:
    rows = [row for part in parts for row in part["rows"] if row["gaps"]]
    ends = [gap for row in rows if (gap := row["gaps"].get(LATER))]
    worse, better = sum(end[2] < 0 for end in ends), sum(end[1] > 0 for end in ends)
    return (
        f"By interval, not looking again costs something in {worse} of "
        f"{count(len(ends), 'comparison')}, helps in {better}, and {len(ends) - worse - better} "
        "are open."
    )


def _cover(row: Told) -> str:
    first = next(iter(row["values"].values()), None)
    return _value(first, None, "")


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
