# pyright: basic
"""The rules for the product, set before measuring: is `views`, the default, better than resizing?

The product is a GO if P1 and P2 are met. Only runs with tokens of 32 px count. Rows are paired by
question; images are resampled. *Surely* means significantly, after Holm's correction: over the
suites at one budget where a loss is looked for, over all suites and budgets where a gain is
claimed. Either is the choice that is harder on the product.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from homunculus_lab import row_names as names
from homunculus_lab.decide.claims import few_draws
from homunculus_lab.decide.compare import (
    Comparison,
    correct,
    difference,
    round_number,
    rounded_interval,
)
from homunculus_lab.decide.numbers import format_difference, format_p, format_points, join_words
from homunculus_lab.decide.read import Task
from homunculus_lab.row_names import RowName
from homunculus_lab.stats import MIN_IMAGES, Bootstrap, Estimate, pool

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
VIEWS = RowName("views", "", names.SCOUT)
SHUFFLED = RowName("views", "", "shuffled")
BLIND = RowName("views", "", "blind")
RESIZE = RowName("resize", "", "")


@dataclass(frozen=True)
class Rule:
    """What must hold of `views` against a rival, on which suites and at which budgets."""

    name: str
    text: str
    groups: tuple[str, ...]
    budgets: tuple[int, ...]
    rival: RowName = RESIZE
    rival_budget: int | None = None
    """None: as many tokens as `views` has."""
    bounded: bool = False
    """The pooled difference has a bound and no suite is surely below; else all are surely above."""
    everywhere: bool = False
    """Other budgets and other suites count where they were measured."""


RULES = (
    Rule(
        "P1",
        "Never worse: at every budget, pooled over all suites with equal weight (photos and "
        "charts included), `views` less `resize` with as many tokens has a lower bound above −3 "
        "points, and on no suite is it surely below.",
        ALL, BUDGETS, bounded=True, everywhere=True,
    ),
    Rule(
        "P2",
        "Better where it matters: `views` is surely above `resize` with 16, 32 and 64 tokens on "
        "pages, receipts, street words and photos.",
        (*TEXT, "photos"), (16, 32, 64),
    ),
    Rule(
        "P3",
        "Four times: `views` with 32 tokens less `resize` with 128, pooled over the suites of "
        "text, has a lower bound above −3 points, and no suite is surely below.",
        TEXT, (32,), rival_budget=128, bounded=True,
    ),
    Rule(
        "P4",
        "Eight times: `views` with 16 tokens less `resize` with 128, pooled over the suites of "
        "text, has a lower bound above −3 points, and no suite is surely below.",
        TEXT, (16,), rival_budget=128, bounded=True,
    ),
    Rule(
        "question",
        "The question is why: `views` is surely above the same plan with another image's "
        "question on pages and receipts with 16 and 32 tokens.",
        ("pages", "receipts"), (16, 32), rival=SHUFFLED,
    ),
)  # fmt: skip


# ---- trials --------------------------------------------------------------------------------------


@dataclass(eq=False)
class SuiteTrial:
    """The difference of two rows on one suite."""

    task: Task
    row: Row
    other: Row
    comparison: Comparison

    @property
    def side(self) -> Literal["above", "below", "open"]:
        """Where it surely lies, if it does."""
        if self.comparison.better:
            return "above"
        return "below" if self.comparison.worse else "open"

    @property
    def tokens(self) -> str:
        """Both budgets in words."""
        budget, other = self.row[1], self.other[1]
        return f"{budget} tokens" if budget == other else f"{budget} tokens against {other}"

    def to_dict(self) -> dict[str, Any]:
        """The dictionary that is saved as JSON."""
        scores = (self.task.value(*row).mean() for row in (self.row, self.other))
        mean, other_mean = map(round_number, scores)
        return {
            "set": self.task.name, "budget": self.row[1], "against": self.other[0],
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
        """The dictionary that is saved as JSON."""
        return {
            "sets": self.sets, "budget": self.budget, "against_budget": self.against_budget,
            **_numbers(self.estimate), "bound": BOUND, "complete": self.complete,
            "met": self.met,
        }  # fmt: skip


@dataclass(eq=False)
class RuleResult:
    """A rule, its state and every number behind it."""

    rule: Rule
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
        pairs = [(trial.estimate, trial) for trial in self.pooled if trial.complete]
        if not self.pooled:
            pairs = [(trial.comparison.estimate, trial) for trial in self.trials]
        lowest = min(pairs, key=lambda pair: pair[0].interval()[0], default=None)
        return lowest[1].to_dict() if lowest else None

    def to_dict(self) -> dict[str, Any]:
        """The dictionary that is saved as JSON."""
        tasks = dict.fromkeys(trial.task for trial in self.trials)
        return {
            "rule": self.rule.text,
            "state": self.state,
            "missing": self.missing,
            "faults": self.faults,
            "interval": self.weakest,
            "token": SIDE,
            "sets": [_set(task) for task in tasks],
            "trials": len(self.trials),
            "pooled": [trial.to_dict() for trial in self.pooled],
            "with_charts": self.with_charts.to_dict() if self.with_charts else None,
            "by_set": [trial.to_dict() for trial in self.trials],
        }


def _numbers(estimate: Estimate) -> dict[str, float]:
    return dict(zip(("estimate", "low", "high"), rounded_interval(estimate), strict=True))


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
    """The reader behind a score, and how it was used."""
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
        return {task: Bootstrap(task.scores.image, self.draws, self.seed) for task in self.tasks}

    @cached_property
    def apart(self) -> dict[Task, Bootstrap]:
        """Resamples for pooling: suites of one size must not draw the same images."""
        return {
            task: Bootstrap(task.scores.image, self.draws, self.seed + 1 + index)
            for index, task in enumerate(self.tasks)
        }

    @property
    def groups(self) -> list[str]:
        """What must be there of, and what suites show besides."""
        return list(dict.fromkeys([*ALL, *map(group, self.tasks), *self.unfit]))

    @property
    def shared_budgets(self) -> set[int]:
        """Budgets at which some suite has both `views` and `resize`."""
        return {
            budget
            for task in self.tasks
            for budget in task.scores.budgets
            if _row(task, VIEWS, budget) and _row(task, RESIZE, budget)
        }

    def missing(self, groups: Sequence[str]) -> list[str]:
        """Why not every one of these was measured."""
        if self.empty:
            return [f"no run with {names.token(SIDE)}"]
        reasons = [reason for name in groups for reason in self.unfit.get(name, [])]
        measured = {group(task) for task in self.tasks} | self.unfit.keys()
        absent = [name for name in groups if name not in measured]
        if absent:
            reasons.append(f"no suite of {join_words(absent)} with {names.token(SIDE)}")
        return reasons

    def trials(
        self, groups: Sequence[str], pair: tuple[RowName, int], against: tuple[RowName, int]
    ) -> tuple[list[SuiteTrial], list[Lack]]:
        """A trial for each suite of these groups with both rows, and which rows others lack."""
        trials, lacks = [], []
        for task in self.tasks:
            if group(task) not in groups:
                continue
            row, other = _row(task, *pair), _row(task, *against)
            lacks += [(*pair, task.name)] if row is None else []
            lacks += [(*against, task.name)] if other is None else []
            if row and other:
                estimate = difference(task, row, other, self.bootstrap[task])
                comparison = Comparison(other[0], estimate, estimate.p())
                trials.append(SuiteTrial(task, row, other, comparison))
        return trials, lacks

    def pool(self, trials: Sequence[SuiteTrial], complete: bool) -> PooledTrial:
        """The mean difference over suites."""
        parts = []
        for trial in trials:
            gap = trial.task.value(*trial.row) - trial.task.value(*trial.other)
            parts.append((self.apart[trial.task], gap[:, None]))
        (estimate,) = pool(parts, -1.0, 1.0)
        sets = [trial.task.name for trial in trials]
        return PooledTrial(sets, trials[0].row[1], trials[0].other[1], estimate, complete)


def _column(task: Task) -> str:
    return MEASURED_BY.get(group(task), "")


def _unfit(suite: str, runs: Sequence[Task], fit: Sequence[Task]) -> str:
    """Why a suite does not count, or nothing."""
    if not fit:
        columns = join_words([f"`{task.column}`" for task in runs])
        return f"{suite} is measured by {columns}, not by `{_column(runs[0])}`"
    if len(fit) > 1:
        tasks = join_words([task.name for task in fit])
        return f"{suite} comes {len(fit)} times ({tasks}): pass one"
    if fit[0].images < MIN_IMAGES:
        return f"{suite} has {fit[0].images} images, and fewer than {MIN_IMAGES} show nothing"
    return ""


def _row(task: Task, name: RowName, budget: int) -> Row | None:
    """The row of that name, whatever spelling the file uses."""
    rows = [row for row, tokens in task.scores.values if tokens == budget]
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
        f"no row `{_text(name)}` with {join_words(tokens)} tokens on {join_words(tasks)}"
        for (name, tasks), tokens in budgets.items()
    ]


def _text(name: RowName) -> str:
    return name.method if name.scorer in ("", names.SCOUT) else f"{name.method}+{name.scorer}"


# ---- judging -------------------------------------------------------------------------------------


def judge(rule: Rule, runs: ProductRuns) -> RuleResult:
    """Try a rule on every suite and budget that it asks for."""
    groups = runs.groups if rule.everywhere else rule.groups
    result = RuleResult(rule, missing=runs.missing(groups))
    absent, required = bool(result.missing), []
    extra = runs.shared_budgets if rule.everywhere else set()
    for budget in sorted({*rule.budgets, *extra}):
        rival = rule.rival, rule.rival_budget or budget
        trials, lacks = runs.trials(groups, (VIEWS, budget), rival)
        required += lacks if budget in rule.budgets else []
        result.trials += trials
        if rule.bounded and trials:
            _bound(result, trials, runs.pool(trials, complete=not (absent or lacks)))
    result.missing += _lacking(required)
    if not rule.bounded:
        _claim_gain(result)
    elif rule.rival_budget and result.trials:
        charts, _ = runs.trials(["charts"], (VIEWS, rule.budgets[0]), (RESIZE, rule.rival_budget))
        result.with_charts = runs.pool([*result.trials, *charts], False) if charts else None
    largest = max((len(trial.sets) for trial in result.pooled), default=0)
    if reason := few_draws(largest if rule.bounded else len(result.trials), runs.draws):
        result.missing.append(reason)  # too few resamples for anything to be sure
        result.faults = []
    return result


def _bound(result: RuleResult, trials: Sequence[SuiteTrial], pooled: PooledTrial) -> None:
    """Suites at one budget: the pooled difference has a bound, and none may be surely below."""
    correct([trial.comparison for trial in trials])
    result.pooled.append(pooled)
    if pooled.complete and not pooled.met:
        result.faults.append(
            f"pooled over {len(trials)} suites with {trials[0].tokens}: "
            f"{format_difference(pooled.to_dict())}, required above {format_points(BOUND)}"
        )
    for trial in trials:
        if trial.side == "below":
            place = f"{trial.task.name} with {trial.tokens}"
            result.faults.append(f"surely below on {place}: {format_difference(trial.to_dict())}")


def _claim_gain(result: RuleResult) -> None:
    """Every suite must be surely above at every budget."""
    correct([trial.comparison for trial in result.trials])
    for trial in result.trials:
        if trial.side != "above":
            numbers = f"{format_difference(trial.to_dict())}, p {format_p(trial.comparison.p_holm)}"
            sure = "surely below" if trial.side == "below" else "not surely above"
            result.faults.append(f"{sure} on {trial.task.name} with {trial.tokens}: {numbers}")


def judge_product(tasks: Iterable[Task], draws: int, seed: int) -> dict[str, RuleResult]:
    """Every rule with its state and numbers."""
    runs = ProductRuns(tasks, draws, seed)
    return {rule.name: judge(rule, runs) for rule in RULES}


def question_controls(tasks: Iterable[Task], draws: int, seed: int) -> list[dict[str, Any]]:
    """`views` less itself without the question, or with another image's; pooled over suites.

    Shown beside the rules; only suites with both controls count, each with the same weight.
    """
    runs = ProductRuns(tasks, draws, seed)
    pooled = []
    for budget in sorted(runs.shared_budgets):
        rows = [(name, budget) for name in (VIEWS, BLIND, SHUFFLED)]
        complete = {task for task in runs.tasks if all(_row(task, *row) for row in rows)}
        for rival in (BLIND, SHUFFLED) if complete else ():
            trials, _ = runs.trials(runs.groups, (VIEWS, budget), (rival, budget))
            trial = runs.pool([own for own in trials if own.task in complete], complete=True)
            numbers = {"sets": trial.sets, "budget": budget, **_numbers(trial.estimate)}
            pooled.append({"against": rival.scorer} | numbers)
    return pooled


def product_outcome(rules: dict[str, RuleResult]) -> Outcome:
    """GO if P1 and P2 are met, NO-GO if one of them is not."""
    states = {rules[name].state for name in ("P1", "P2")}
    if states == {"met"}:
        return "GO"
    return "NO-GO" if "not met" in states else "not measured"
