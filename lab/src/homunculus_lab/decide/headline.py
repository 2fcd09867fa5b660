# pyright: basic
"""The rules for the product, in words, with a table for each."""

from collections.abc import Sequence
from typing import Any

from homunculus_lab.decide.blocks import (
    Bullets,
    Heading,
    ReportBlock,
    Table,
    Text,
    format_difference,
    format_p,
    format_points,
    format_score,
    join_words,
    plural,
)
from homunculus_lab.decide.names import token
from homunculus_lab.decide.own import is_partial
from homunculus_lab.decide.product import BOUND, BUDGETS, JUDGES, SIDE
from homunculus_lab.decide.screen import first_answer, missing_parts, plain_words

Saved = dict[str, Any]
"""The decision as `decision.decide` returns it, or a part of it."""
TITLES = {
    "P1": "P1. Never worse than resizing",
    "P2": "P2. Better where it matters",
    "P3": "P3. Four times fewer tokens",
    "P4": "P4. Eight times fewer tokens",
    "question": "The question is why",
}
SIGNS = (
    "* surely different from 0: significant after Holm's correction over {family}. In points, with "
    "95 % intervals; losses are bold."
)


def product_reason(decision: Saved) -> str:
    """What is shown, what is missing and the state of each rule, in a few sentences."""
    if is_partial(decision):
        answer = first_answer(decision)
        told = " ".join(f"{head}: {text}." for head, text in answer.sentences)
        return f"{answer.short}. {told}"
    texts = [f"{head}: {text}." for head, text in plain_words(decision)]
    if missing := missing_parts(decision):
        texts.append(f"Missing: {'; '.join(missing)}.")
    states = join_words([f"{_short(name)} {decision[name]['state']}" for name in JUDGES])
    return f"{' '.join(texts)} Rules, {token(SIDE)}: {states}; GO is P1 and P2.".strip()


def _short(name: str) -> str:
    return "the question's part" if name == "question" else name


def product_blocks(decision: Saved) -> list[ReportBlock]:
    """The rules, one after the other."""
    about = (
        "`views` is the default: a small whole picture and a few windows, each an ordinary image. "
        "`resize` is the whole picture made smaller. The rules were set before measuring; only "
        f"runs with {token(SIDE)} count."
    )
    title = "The rules, one by one"
    blocks: list[ReportBlock] = [Heading(title), Text(about), _overview(decision)]
    for name in JUDGES:
        blocks += _rule(name, decision[name])
    return blocks


def _overview(decision: Saved) -> Table:
    body = []
    for name in JUDGES:
        rule = decision[name]
        weakest = rule["interval"]
        figure, place = (format_difference(weakest), _place(weakest)) if weakest else ("–", "–")
        readers = _readers(rule, weakest) if weakest else "–"
        trials = f"{plural(len(rule['sets']), 'set')}, {plural(rule['trials'], 'trial')}"
        body.append((TITLES[name], _bold(rule["state"]), figure, place, readers, trials))
    head = ("rule", "state", "weakest difference", "where", "measured by", "tried on")
    caption = (
        f"{_capital(token(SIDE))}. The weakest difference of each rule, in points, with its 95 % "
        "interval; pooled over sets where the rule is about a pool."
    )
    return Table(head, tuple(body), caption)


def _readers(rule: Saved, one: Saved) -> str:
    """Whose eyes a difference assumes: one reader, or those of all pooled sets."""
    sets = one.get("sets") or [one["set"]]
    readers = [entry["measured_by"] for entry in rule["sets"] if entry["set"] in sets]
    return "; ".join(dict.fromkeys(readers))


def _bold(state: str) -> str:
    return state if state == "not measured" else f"**{state}**"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _place(one: Saved) -> str:
    """The sets and budgets of a difference."""
    where = one.get("set") or f"{plural(len(one['sets']), 'set')} pooled"
    same = one["budget"] == one["against_budget"]
    tokens = (
        f"{one['budget']} tokens" if same else f"{one['budget']} against {one['against_budget']}"
    )
    return f"{where}, {tokens}"


# ---- one rule ------------------------------------------------------------------------------------


def _rule(name: str, rule: Saved) -> list[ReportBlock]:
    blocks: list[ReportBlock] = [
        Heading(f"{TITLES[name]}: {rule['state']}", 3),
        Text(rule["rule"]),
    ]
    if rule["faults"]:
        blocks += [Text("What fails it:"), Bullets(tuple(f"{one}." for one in rule["faults"]))]
    if rule["missing"]:
        blocks += [Text("Not measured:"), Bullets(tuple(f"{one}." for one in rule["missing"]))]
    if rule["by_set"]:
        table = _pairs_table(rule) if name in ("P3", "P4") else _budget_table(name, rule)
        blocks += [table, Text(_losses(rule))]
    return blocks


def _budget_table(name: str, rule: Saved) -> Table:
    """Sets by budgets; the pooled difference first."""
    budgets = sorted({one["budget"] for one in rule["by_set"]})
    cells = {(one["set"], one["budget"]): _cell(one) for one in rule["by_set"]}
    body = []
    if rule["pooled"]:
        pooled = {one["budget"]: _pooled_cell(one) for one in rule["pooled"]}
        body.append(_pooled_row(rule, [pooled.get(budget, "–") for budget in budgets]))
    for one in rule["sets"]:
        figures = (cells.get((one["set"], budget), "–") for budget in budgets)
        body.append((*_set_cells(one), *figures))
    rival = rule["by_set"][0]["against"]
    family = "the sets at each budget" if name == "P1" else "all sets and budgets"
    extra = sorted(set(budgets) - set(BUDGETS))
    beyond = f" Beyond the rule's budgets: {join_words(list(map(str, extra)))}." if extra else ""
    caption = (
        f"`views` minus `{rival}` with as many tokens; {token(rule['token'])}. "
        f"{SIGNS.format(family=family)}{beyond}"
    )
    head = ("set", "measured by", "questions, images", *(f"{one} tokens" for one in budgets))
    return Table(head, tuple(body), caption)


def _pairs_table(rule: Saved) -> Table:
    """One row a set: few tokens of `views`, many of `resize`."""
    sets = {one["set"]: one for one in rule["sets"]}
    first = rule["by_set"][0]
    body = [
        _pooled_row(rule, ["–", "–", _pooled_cell(one), "–"]) for one in rule["pooled"]
    ] + [
        (
            *_set_cells(sets[one["set"]]), format_score(one["mean"]),
            format_score(one["other_mean"]), _cell(one), format_p(one["p_holm"]),
        )
        for one in rule["by_set"]
    ]  # fmt: skip
    if rule["with_charts"]:
        beside = rule["with_charts"]
        label = f"the same and charts, {plural(len(beside['sets']), 'set')} (does not count)"
        body.append((label, "as each set", "–", "–", "–", format_difference(beside), "–"))
    caption = (
        f"`views` with {first['budget']} minus `resize` with {first['against_budget']} tokens; "
        f"{token(rule['token'])}. {SIGNS.format(family='the sets')}"
    )
    heads = f"views at {first['budget']}", f"resize at {first['against_budget']}"
    head = ("set", "measured by", "questions, images", *heads, "difference", "corrected p")
    return Table(head, tuple(body), caption)


def _pooled_row(rule: Saved, cells: Sequence[str]) -> tuple[str, ...]:
    label = f"pooled, equal weight, required above {format_points(BOUND)}"
    return (label, "as each set", plural(len(rule["sets"]), "set"), *cells)


def _set_cells(one: Saved) -> tuple[str, str, str]:
    name = f"{one['label']}: {one['set']}"
    return name, one["measured_by"], f"{one['n']:,}, {one['images']:,}"


def _cell(one: Saved) -> str:
    text = format_difference(one)
    text = f"**{text}**" if one["estimate"] < 0 else text
    return text if one["side"] == "open" else f"{text} *"


def _pooled_cell(one: Saved) -> str:
    """Bold where it fails; partly pooled where a set is missing."""
    text = format_difference(one)
    if not one["complete"]:
        return f"{text} ({plural(len(one['sets']), 'set')}, incomplete)"
    return text if one["met"] else f"**{text} fails**"


def _losses(rule: Saved) -> str:
    """Where it loses, surely or in the mean."""
    surely = [one for one in rule["by_set"] if one["side"] == "below"]
    mean = [one for one in rule["by_set"] if one["estimate"] < 0 and one["side"] != "below"]
    texts = []
    for label, trials in (("Surely below", surely), ("Below in the mean, not surely", mean)):
        places = [f"{_place(one)} ({format_difference(one)})" for one in trials]
        texts.append(f"{label}: {'; '.join(places) or 'none'}.")
    return f"Losses among {plural(rule['trials'], 'trial')}. {' '.join(texts)}"
