# pyright: basic
"""The rules for the product, set before measuring: is `views`, the default, better than resizing?

    P1  never worse: at every budget, over all suites with equal weight, and on no suite
    P2  better where it matters: 16, 32 and 64 tokens on pages, receipts, street words and photos
    P3  four times: 32 tokens of it are as good as 128 of `resize` on suites of text
    P4  eight times: so are 16
    question  it is better than the same plan with another image's question

The product is a GO if P1 and P2 are met. Only runs with tokens of 32 px count. Rows are paired by
question; images are resampled. *Surely* means significantly, after Holm's correction: over the
suites at one budget where a loss is looked for, over all suites and budgets where a gain is
claimed. Either is the choice that is harder on the product.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, Literal

from homunculus_lab.decide import names
from homunculus_lab.decide.blocks import format_difference, format_p, format_points, join_words
from homunculus_lab.decide.compare import Comparison, correct, difference, round_number
from homunculus_lab.decide.names import RowName
from homunculus_lab.decide.read import Task
from homunculus_lab.decide.rule import few_draws
from homunculus_lab.stats import MIN_IMAGES, Bootstrap, Estimate, pool

np: Any = import_module("numpy")

State = Literal["met", "not met", "not measured"]
Outcome = Literal["GO", "NO-GO", "not measured"]
Row = tuple[str, int]
"""A row and its budget."""
Lack = tuple[RowName, int, str]
"""A row, a budget and the set that lacks it."""

SIDE = 32
"""Pixels of a token's side; runs with other tokens do not count."""
BOUND = -0.03
"""What a pooled difference must lie above: three points lost."""
BUDGETS = (16, 32, 64, 128, 273)
"""The budgets of P1."""
TEXT = ("pages", "receipts", "street words")
"""Suites of text, read from the answer's crop."""
ALL = (*TEXT, "charts", "photos")
"""What a suite must be there of before all suites can be pooled."""
MEASURED_BY = dict.fromkeys(TEXT, "crop") | {"photos": "evidence"}
"""How the column must begin that a suite is judged by."""
DEFAULT = RowName("views", "", names.SCOUT)
SHUFFLED = RowName("views", "", "shuffled")
BLIND = RowName("views", "", "blind")
RESIZE = RowName("resize", "", "")
RULES = {
    "P1": "Never worse: at every budget, pooled over all suites with equal weight (photos and "
    "charts included), `views` less `resize` with as many tokens has a lower bound above −3 "
    "points, and on no suite is it surely below.",
    "P2": "Better where it matters: `views` is surely above `resize` with 16, 32 and 64 tokens on "
    "pages, receipts, street words and photos.",
    "P3": "Four times: `views` with 32 tokens less `resize` with 128, pooled over the suites of "
    "text, has a lower bound above −3 points, and no suite is surely below.",
    "P4": "Eight times: `views` with 16 tokens less `resize` with 128, pooled over the suites of "
    "text, has a lower bound above −3 points, and no suite is surely below.",
    "question": "The question is why: `views` is surely above the same plan with another image's "
    "question on pages and receipts with 16 and 32 tokens.",
}


# ---- trials --------------------------------------------------------------------------------------


@dataclass(eq=False)
class SuiteTrial:
    """The difference of two rows on one suite."""

    task: Task
    one: Row
    other: Row
    comparison: Comparison

    @property
    def side(self) -> Literal["above", "below", "open"]:
        """Where it surely lies, if it does."""
        if self.comparison.better:
            return "above"
        return "below" if self.comparison.worse else "open"

    def to_dict(self) -> dict[str, Any]:
        """As it is saved."""
        scores = (self.task.value(*row).mean() for row in (self.one, self.other))
        mean, other_mean = map(round_number, scores)
        return {
            "set": self.task.name, "budget": self.one[1], "against": self.other[0],
            "against_budget": self.other[1], "mean": mean, "other_mean": other_mean,
            **_numbers(self.comparison.estimate), "p": round_number(self.comparison.p),
            "p_holm": round_number(self.comparison.p_holm), "side": self.side,
        }  # fmt: skip


@dataclass(eq=False)
class PooledTrial:
    """The difference of two rows over several suites, each with the same weight."""

    sets: list[str]
    budget: int
    against_budget: int
    estimate: Estimate
    complete: bool
    """Whether no suite is missing; only then it counts."""

    @property
    def met(self) -> bool:
        """Whether the interval lies above the bound."""
        return self.estimate.interval()[0] > BOUND

    def to_dict(self) -> dict[str, Any]:
        """As it is saved."""
        return {
            "sets": self.sets, "budget": self.budget, "against_budget": self.against_budget,
            **_numbers(self.estimate), "bound": BOUND, "complete": self.complete,
            "met": self.met,
        }  # fmt: skip


@dataclass(eq=False)
class RuleResult:
    """A rule, its state and every number behind it."""

    name: str
    trials: list[SuiteTrial] = field(default_factory=list)
    pooled: list[PooledTrial] = field(default_factory=list)
    with_charts: PooledTrial | None = None
    """P3 and P4 with charts as suites of text: shown, does not count."""
    missing: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """What was measured and fails the rule."""

    @property
    def state(self) -> State:
        """What fails, fails; what is incomplete is not met yet."""
        if self.faults:
            return "not met"
        return "not measured" if self.missing or not self.trials else "met"

    @property
    def weakest(self) -> dict[str, Any] | None:
        """The interval that decides: of those that count, the one with the lowest low end."""
        pooled = [one for one in self.pooled if one.complete]
        pairs = [(one.estimate, one.to_dict()) for one in pooled]
        if not self.pooled:
            pairs = [(one.comparison.estimate, one.to_dict()) for one in self.trials]
        return min(pairs, key=lambda pair: pair[0].interval()[0])[1] if pairs else None

    def to_dict(self) -> dict[str, Any]:
        """As it is saved."""
        tasks = dict.fromkeys(trial.task for trial in self.trials)
        return {
            "rule": RULES[self.name],
            "state": self.state,
            "missing": self.missing,
            "faults": self.faults,
            "interval": self.weakest,
            "token": SIDE,
            "sets": [_set(task) for task in tasks],
            "trials": len(self.trials),
            "pooled": [one.to_dict() for one in self.pooled],
            "with_charts": self.with_charts.to_dict() if self.with_charts else None,
            "by_set": [one.to_dict() for one in self.trials],
        }


def _numbers(estimate: Estimate) -> dict[str, float]:
    low, high = map(round_number, estimate.interval())
    return {"estimate": round_number(estimate.mean), "low": low, "high": high}


def _set(task: Task) -> dict[str, Any]:
    return {
        "set": task.name, "label": names.label(task.suite, group(task)),
        "suite": task.suite, "part": task.part, "group": group(task),
        "n": len(task.scores.image), "images": task.images, "column": task.column,
        "measured_by": measured_by(task), "token": task.patch,
    }  # fmt: skip


def group(task: Task) -> str:
    """What the suite shows: pages, receipts, street words, charts, photos."""
    return names.group(task.suite, task.kind)


def measured_by(task: Task) -> str:
    """Whose eyes a score assumes."""
    how, _, _ = task.column.partition("/")
    if how.startswith("evidence"):
        return f"evidence at {how.removeprefix('evidence')} px, no reader"
    reader = task.origin.get("reader") or "reader not named"
    return f"{reader}, {how}"


# ---- the runs that count -------------------------------------------------------------------------


class ProductRuns:
    """The runs with tokens of 32 px, one for each suite, and what is wrong with the others."""

    def __init__(self, tasks: Iterable[Task], draws: int, seed: int) -> None:
        self.draws, self.seed = draws, seed
        self.tasks: list[Task] = []
        self.unfit: dict[str, list[str]] = {}
        """Why suites do not count, by what they show."""
        by_suite: dict[str, list[Task]] = {}
        for task in tasks:
            if task.patch == SIDE:
                by_suite.setdefault(task.suite, []).append(task)
        self.empty = not by_suite
        for suite, runs in by_suite.items():
            fit = [task for task in runs if task.column.startswith(_column(task))]
            if reason := _unfit(suite, runs, fit):
                self.unfit.setdefault(group(runs[0]), []).append(reason)
            else:
                self.tasks += fit

    @cached_property
    def bootstrap(self) -> dict[Task, Bootstrap]:
        """Resamples of each suite, the same as in all other tables."""
        return {t: Bootstrap(t.scores.image, self.draws, self.seed) for t in self.tasks}

    @cached_property
    def apart(self) -> dict[Task, Bootstrap]:
        """Resamples for pooling: suites of one size must not draw the same images."""
        return {
            task: Bootstrap(task.scores.image, self.draws, self.seed + 1 + at)
            for at, task in enumerate(self.tasks)
        }

    def within(self, groups: Sequence[str]) -> list[Task]:
        """The runs that show one of these."""
        return [task for task in self.tasks if group(task) in groups]

    def missing(self, groups: Sequence[str]) -> list[str]:
        """Why not every one of these was measured."""
        if self.empty:
            return [f"no run with {names.token(SIDE)}"]
        reasons = [reason for one in groups for reason in self.unfit.get(one, [])]
        there = {group(task) for task in self.tasks} | self.unfit.keys()
        absent = [one for one in groups if one not in there]
        if absent:
            reasons.append(f"no suite of {join_words(absent)} with {names.token(SIDE)}")
        return reasons

    def trials(
        self, tasks: Sequence[Task], pair: tuple[RowName, int], against: tuple[RowName, int]
    ) -> tuple[list[SuiteTrial], list[Lack]]:
        """A trial for each suite that has both rows, and which rows others lack."""
        trials, lacks = [], []
        for task in tasks:
            one, other = _row(task, *pair), _row(task, *against)
            lacks += [(*pair, task.name)] if one is None else []
            lacks += [(*against, task.name)] if other is None else []
            if one and other:
                estimate = difference(task, one, other, self.bootstrap[task])
                comparison = Comparison(other[0], estimate, estimate.p())
                trials.append(SuiteTrial(task, one, other, comparison))
        return trials, lacks

    def pool(self, trials: Sequence[SuiteTrial], complete: bool) -> PooledTrial:
        """The mean difference over suites."""
        parts = []
        for one in trials:
            gap = one.task.value(*one.one) - one.task.value(*one.other)
            parts.append((self.apart[one.task], gap[:, None]))
        (estimate,) = pool(parts, -1.0, 1.0)
        sets = [one.task.name for one in trials]
        first = trials[0]
        return PooledTrial(sets, first.one[1], first.other[1], estimate, complete)


def _column(task: Task) -> str:
    return MEASURED_BY.get(group(task), "")


def _unfit(suite: str, runs: Sequence[Task], fit: Sequence[Task]) -> str:
    """Why a suite does not count, or nothing."""
    if not fit:
        columns = join_words([f"`{task.column}`" for task in runs])
        return f"{suite} is measured by {columns}, not by `{_column(runs[0])}`"
    if len(fit) > 1:
        return f"{suite} comes {len(fit)} times ({join_words([one.name for one in fit])}): pass one"
    if fit[0].images < MIN_IMAGES:
        return f"{suite} has {fit[0].images} images, and fewer than {MIN_IMAGES} show nothing"
    return ""


def _row(task: Task, name: RowName, budget: int) -> Row | None:
    """The row of that name, whatever spelling the file uses."""
    rows = [row for row, slots in task.scores.values if slots == budget]
    return next(((row, budget) for row in rows if names.parse(row) == name), None)


def _lacking(lacks: Sequence[Lack]) -> list[str]:
    """Which rows to measure, in as few sentences as can be."""
    sets: dict[tuple[RowName, int], list[str]] = {}
    for name, budget, task in lacks:
        sets.setdefault((name, budget), []).append(task)
    budgets: dict[tuple[RowName, tuple[str, ...]], list[str]] = {}
    for (name, budget), tasks in sets.items():
        budgets.setdefault((name, tuple(tasks)), []).append(str(budget))
    return [
        f"no row `{_text(name)}` with {join_words(each)} tokens on {join_words(tasks)}"
        for (name, tasks), each in budgets.items()
    ]


def _text(name: RowName) -> str:
    return name.method if name.scorer in ("", names.SCOUT) else f"{name.method}+{name.scorer}"


# ---- the rules -----------------------------------------------------------------------------------


def never_worse(runs: ProductRuns) -> RuleResult:
    """P1. Every budget of `BUDGETS` must be there on every suite; others count where they are."""
    result = RuleResult("P1", missing=runs.missing([*ALL, *_others(runs)]))
    every, absent = [], bool(result.missing)
    for budget in sorted({*BUDGETS, *_shared_budgets(runs)}):
        trials, lacks = runs.trials(runs.tasks, (DEFAULT, budget), (RESIZE, budget))
        every += lacks if budget in BUDGETS else []
        _add_bounded(result, runs, trials, complete=not (absent or lacks))
    result.missing += _lacking(every)
    return _checked(result, runs, max((len(one.sets) for one in result.pooled), default=0))


def better(runs: ProductRuns) -> RuleResult:
    """P2."""
    return _above(runs, "P2", (*TEXT, "photos"), (16, 32, 64), RESIZE)


def question(runs: ProductRuns) -> RuleResult:
    """The gain must be due to the question."""
    return _above(runs, "question", ("pages", "receipts"), (16, 32), SHUFFLED)


def four_times(runs: ProductRuns) -> RuleResult:
    """P3."""
    return _fewer_tokens(runs, "P3", 32)


def eight_times(runs: ProductRuns) -> RuleResult:
    """P4."""
    return _fewer_tokens(runs, "P4", 16)


def _fewer_tokens(runs: ProductRuns, name: str, budget: int, rival: int = 128) -> RuleResult:
    """So few tokens against so many of `resize`, on suites of text."""
    result = RuleResult(name, missing=runs.missing(TEXT))
    pair = (DEFAULT, budget), (RESIZE, rival)
    trials, lacks = runs.trials(runs.within(TEXT), *pair)
    result.missing += _lacking(lacks)
    _add_bounded(result, runs, trials, complete=not result.missing)
    charts, _ = runs.trials(runs.within(["charts"]), *pair)
    if charts and trials:
        result.with_charts = runs.pool([*trials, *charts], complete=False)
    return _checked(result, runs, len(trials))


def _add_bounded(
    result: RuleResult, runs: ProductRuns, trials: Sequence[SuiteTrial], complete: bool
) -> None:
    """Suites at one budget: the pooled difference has a bound, and none may be surely below."""
    if not trials:
        return
    correct([one.comparison for one in trials])
    pooled = runs.pool(trials, complete)
    result.trials += trials
    result.pooled.append(pooled)
    if complete and not pooled.met:
        result.faults.append(
            f"pooled over {len(trials)} suites with {_tokens(trials[0])}: "
            f"{format_difference(pooled.to_dict())}, required above {format_points(BOUND)}"
        )
    for one in trials:
        if one.side == "below":
            difference_text = format_difference(one.to_dict())
            place = f"{one.task.name} with {_tokens(one)}"
            result.faults.append(f"surely below on {place}: {difference_text}")


def _above(
    runs: ProductRuns, name: str, groups: Sequence[str], budgets: Sequence[int], rival: RowName
) -> RuleResult:
    """Surely above a rival on every suite of these groups at every one of these budgets."""
    result = RuleResult(name, missing=runs.missing(groups))
    every = []
    for budget in budgets:
        trials, lacks = runs.trials(runs.within(groups), (DEFAULT, budget), (rival, budget))
        result.trials += trials
        every += lacks
    result.missing += _lacking(every)
    correct([one.comparison for one in result.trials])
    for one in result.trials:
        if one.side != "above":
            numbers = f"{format_difference(one.to_dict())}, p {format_p(one.comparison.p_holm)}"
            sure = "surely below" if one.side == "below" else "not surely above"
            result.faults.append(f"{sure} on {one.task.name} with {_tokens(one)}: {numbers}")
    return _checked(result, runs, len(result.trials))


def _tokens(one: SuiteTrial) -> str:
    same = one.one[1] == one.other[1]
    return f"{one.one[1]} tokens" if same else f"{one.one[1]} tokens against {one.other[1]}"


def _others(runs: ProductRuns) -> list[str]:
    """What suites show besides what must be there."""
    shown = [group(task) for task in runs.tasks]
    return [one for one in dict.fromkeys([*shown, *runs.unfit]) if one not in ALL]


def _shared_budgets(runs: ProductRuns) -> set[int]:
    """Budgets at which some suite has both rows."""
    return {
        budget
        for task in runs.tasks
        for budget in task.scores.budgets
        if _row(task, DEFAULT, budget) and _row(task, RESIZE, budget)
    }


def _checked(result: RuleResult, runs: ProductRuns, family: int) -> RuleResult:
    """Without enough resamples nothing can be sure, so nothing is said."""
    if reason := few_draws(family, runs.draws):
        result.missing.append(reason)
        result.faults = []
    return result


# ---- the product ---------------------------------------------------------------------------------

JUDGES = {
    "P1": never_worse, "P2": better, "P3": four_times, "P4": eight_times, "question": question,
}  # fmt: skip


def judge_product(tasks: Iterable[Task], draws: int, seed: int) -> dict[str, RuleResult]:
    """Every rule with its state and numbers."""
    runs = ProductRuns(tasks, draws, seed)
    return {name: judge(runs) for name, judge in JUDGES.items()}


def question_controls(tasks: Iterable[Task], draws: int, seed: int) -> list[dict[str, Any]]:
    """`views` less itself without the question, or with another image's; pooled over suites.

    Shown beside the rules; only suites with both controls count, each with the same weight.
    """
    runs = ProductRuns(tasks, draws, seed)
    pooled = []
    for budget in sorted(_shared_budgets(runs)):
        rows = [(name, budget) for name in (DEFAULT, BLIND, SHUFFLED)]
        there = [task for task in runs.tasks if all(_row(task, *row) for row in rows)]
        for rival in (BLIND, SHUFFLED) if there else ():
            trials, _ = runs.trials(there, (DEFAULT, budget), (rival, budget))
            one = runs.pool(trials, complete=True)
            numbers = {"sets": one.sets, "budget": budget, **_numbers(one.estimate)}
            pooled.append({"against": rival.scorer} | numbers)
    return pooled


def product_outcome(rules: dict[str, RuleResult]) -> Outcome:
    """GO if P1 and P2 are met, NO-GO if one of them is not."""
    states = {rules[name].state for name in ("P1", "P2")}
    if states == {"met"}:
        return "GO"
    return "NO-GO" if "not met" in states else "not measured"
