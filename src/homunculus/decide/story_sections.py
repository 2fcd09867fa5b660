# pyright: basic
"""The report's other measures: regions, second questions, gaze, coverage, cost."""

from typing import Any

from homunculus.decide import names
from homunculus.decide.blocks import Block, Heading, Table, Text, count, listed
from homunculus.decide.sections import ANEW, LATER
from homunculus.decide.slices import DEFAULT

Told = dict[str, Any]
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
