"""From a budget in a model's tokens to a plan, with what each picture of it costs.

The search plans on a lattice of plain tokens; here are the ways models bill them: each token of a
picture, with a factor or with marks; one price for every small picture; or a price that a
parameter sets.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import floor

import numpy as np

from homunculus.checks import check_number
from homunculus.planner.acuity import VLM, Acuity
from homunculus.planner.belief import Belief
from homunculus.planner.config import DEFAULT_CONFIG, SearchConfig
from homunculus.planner.counting import (
    MAX_WINDOWS,
    CountingRule,
    LevelRule,
    Size,
    TokenRule,
    Unit,
)
from homunculus.planner.labels import NO_LABEL, Label
from homunculus.planner.plan import NO_FEES, Fees, Plan
from homunculus.planner.scene import Scene
from homunculus.planner.search import Search, find_pictures, grown_plan, merit
from homunculus.planner.tiles import PictureRule

ENOUGH_OF_A_LEVEL = 0.95
"""The share of what the most expensive affordable level shows that a cheaper one must show."""


@dataclass(frozen=True)
class Bill:
    """A plan and what its pictures cost."""

    plan: Plan
    prices: tuple[int, ...]
    """Of each picture, the whole first."""
    setting: tuple[str, str] | None = None
    """A parameter of the request that the prices go by, and its value."""
    label_tokens: int = 0
    """What the lines before the pictures cost at most; 0 if there are none."""

    @property
    def tokens(self) -> int:
        """What the pictures cost together."""
        return sum(self.prices)

    @property
    def total(self) -> int:
        """What they cost with their lines."""
        return self.tokens + self.label_tokens


@dataclass(frozen=True, eq=False)
class Buyer:
    """Buys views of one picture by a model's prices, for a belief about it and a reader."""

    belief: Belief
    size: Size
    rule: CountingRule
    acuity: Acuity
    context: float | int = 1 / 8
    """The least share of the tokens for the small picture of the whole."""
    max_windows: int = MAX_WINDOWS
    settings: frozenset[str] | None = None
    """Parameters that a request can have; None for any. Prices that need another do not hold."""
    label: Label = NO_LABEL
    """The lines before the pictures, which are paid from the same tokens."""
    config: SearchConfig = DEFAULT_CONFIG
    _bought: dict[int, Bill] = field(default_factory=dict[int, Bill], init=False, repr=False)

    def buy(self, tokens: int) -> Bill:
        """The best views that cost at most that many tokens with their lines.

        Never of less merit than those of a smaller power of two: the search does not try every
        plan, so what it finds for fewer tokens may be better.
        """
        if tokens not in self._bought:
            best, fewer = self._search(tokens), 1 << max(0, (tokens - 1).bit_length() - 1)
            if least(self.rule, self.settings) <= fewer < tokens:
                smaller = self.buy(fewer)
                if self._merit(smaller) > self._merit(best):
                    best = self._grown(smaller, tokens)
            self._bought[tokens] = best
        return self._bought[tokens]

    @property
    def has_windows(self) -> bool:
        """Whether any budget buys windows."""
        unit = self.rule.unit
        set_by = unit.setting if unit else None
        free = set_by is None or self._can_set(set_by[0])
        return bool(self.max_windows) and free and not isinstance(self.rule, LevelRule)

    def original(self) -> Bill:
        """The picture as it is, at its usual price and without a line."""
        plan = self._scene().plan(self.rule.seen(self.size), ())  # what the model makes of it
        return Bill(replace(plan, whole=self.size), (self.rule.count(self.size),))

    @cached_property
    def _views(self) -> Search:
        """The search for any number of tokens, where each is billed."""
        assert isinstance(self.rule, TokenRule)
        return Search(self._scene(self.label.fees.each(self.rule.factor)))

    def _scene(self, fees: Fees = NO_FEES) -> Scene:
        return Scene(self.belief, self.size, self.rule.lattice, self.acuity, fees, self.config)

    def _merit(self, bill: Bill) -> float:
        return merit(bill.plan, self.belief, self.config)

    def _grown(self, bill: Bill, tokens: int) -> Bill:
        """Views of fewer tokens with what is left, where each token is billed."""
        rule = self.rule
        if not isinstance(rule, TokenRule) or bill.plan.whole == self.size:
            return bill
        rest = floor((tokens - bill.total) / rule.factor)
        fees = self.label.fees.each(rule.factor)
        have = bill.plan.count(rule.lattice) + fees.of(bill.plan)
        while rest > 0:
            budget = min(have + rest, rule.max_tokens or tokens)
            grown = self._bill(grown_plan(self._scene(fees), bill.plan, budget), tokens)
            if grown.total <= tokens:
                return grown
            rest //= 2
        return bill

    def _search(self, tokens: int) -> Bill:
        match self.rule:
            case TokenRule() as rule:
                bill = self._lattice(rule, tokens) or self._whole(tokens)
            case PictureRule() as rule:
                bill = self._priced(rule.unit, tokens)
            case LevelRule() as rule:
                bill = self._level(rule, tokens)
            case _:
                raise TypeError(f"{type(self.rule).__name__}: none of the three kinds of rules")
        if bill is None:
            raise too_few(self.rule, tokens, self.settings)
        return bill

    def _can_set(self, name: str) -> bool:
        return self.settings is None or name in self.settings

    def _bill(self, plan: Plan, tokens: int) -> Bill:
        sizes = [plan.whole] if plan.whole else []
        sizes += [window.size(self.rule.lattice.side) for window in plan.windows]
        return self._labelled(Bill(plan, self.rule.prices(sizes)), tokens)

    def _labelled(self, bill: Bill, tokens: int) -> Bill:
        """With what its lines cost; a single picture has none if there is no room for it."""
        fee = self.label.fees.of(bill.plan)
        room = tokens - bill.tokens
        return replace(bill, label_tokens=fee if len(bill.prices) > 1 or fee <= room else 0)

    def _whole(self, tokens: int) -> Bill | None:
        for budget in (tokens - self.label.fees.alone, tokens):
            size = self.rule.largest(self.size, budget)
            if self.rule.count(size) <= budget:
                return self._bill(self._scene().plan(size, ()), tokens)
        return None

    def _lattice(self, rule: TokenRule, tokens: int) -> Bill | None:
        fees = self.label.fees
        price = rule.bill(rule.min_tokens)
        affordable = (tokens - price - fees.whole) // (price + fees.window)
        max_windows = max(0, min(self.max_windows, affordable))
        budget = min(floor(tokens / rule.factor), rule.max_tokens or tokens)
        while budget > 0 and tokens >= price:
            plan = self._views.plan(
                budget, context=self.context, max_windows=max_windows, spare_windows=0
            )
            bill = self._bill(plan, tokens)
            if bill.total <= tokens:
                return bill
            budget -= max(1, floor((bill.total - tokens) / rule.factor / 2))
        return None

    def _priced(self, unit: Unit, tokens: int) -> Bill | None:
        """The whole picture at its usual price, or views that have one price each."""
        whole = self._whole(tokens)
        if whole and whole.plan.whole == self.size:
            return whole  # the untouched picture
        free = unit.setting is None or self._can_set(unit.setting[0])
        offers = (whole, self._pictures(unit, tokens) if free else None)
        order = _worth if self.belief.place.any() else _large  # or it is not known where to look
        return max(filter(None, offers), key=order, default=None)

    def _pictures(self, unit: Unit, tokens: int) -> Bill | None:
        if tokens < unit.tokens:
            return None
        pictures = min(self.max_windows + 1, affordable(unit, tokens, self.label))
        plan = find_pictures(self._scene(), pictures)
        if unit.setting:
            prices = (unit.tokens,) * (1 + len(plan.windows))
            return self._labelled(Bill(plan, prices, unit.setting), tokens)
        bill = self._bill(plan, tokens)  # one of several may have another price than a single one
        return bill if bill.total <= tokens else None

    def _level(self, rule: LevelRule, tokens: int) -> Bill | None:
        """The whole picture at the cheapest level that shows about as much as any affordable."""
        usual, lattice, scene = rule.count(self.size), rule.lattice, self._scene()
        levels = [
            level
            for level in rule.levels
            if level.tokens <= tokens and (self._can_set(level.setting[0]) or level.tokens == usual)
        ]
        plans = [scene.plan(lattice.largest(self.size, level.tokens), ()) for level in levels]
        enough = ENOUGH_OF_A_LEVEL * max((plan.value for plan in plans), default=0.0)
        for level, plan in zip(levels, plans, strict=True):
            if plan.value >= enough:
                bill = Bill(replace(plan, whole=self.size), (level.tokens,), level.setting)
                return self._labelled(bill, tokens)
        return None


def resize(size: Size, rule: CountingRule, tokens: int) -> Bill:
    """The whole picture alone, as large as a budget lets it be."""
    nothing = np.zeros((1, 1), np.float32)
    return Buyer(Belief(nothing, nothing, 1.0), size, rule, VLM, max_windows=0).buy(tokens)


def _worth(bill: Bill) -> tuple[float, int]:
    """Bills in order: the more that can be read, then the cheaper."""
    return bill.plan.value, -bill.tokens


def _large(bill: Bill) -> tuple[int, int]:
    """Bills of the whole picture in order: the larger it is shown, then the cheaper."""
    high, wide = bill.plan.whole or (0, 0)
    return high * wide, -bill.tokens


def too_few(rule: CountingRule, tokens: int, settings: frozenset[str] | None = None) -> ValueError:
    """What to say of a budget that buys no picture."""
    size = ", at any size" if isinstance(rule, LevelRule) else ""
    return ValueError(
        f"views: {tokens} tokens are too few for any picture, as {rule.name} counts them: the "
        f"smallest costs {least(rule, settings)}{size}."
    )


def least(rule: CountingRule, settings: frozenset[str] | None = None) -> int:
    """What the smallest picture costs, with the parameters that a request can have; None for any.

    >>> from homunculus.planner.models import token_rule
    >>> least(token_rule("gpt-4o")), least(token_rule("gpt-4o"), frozenset())
    (85, 255)
    """
    price = rule.count((1, 1))
    cheapest = rule.levels[0] if isinstance(rule, LevelRule) else rule.unit
    if cheapest and cheapest.setting and (settings is None or cheapest.setting[0] in settings):
        return min(price, cheapest.tokens)
    return price


def raised(
    rule: CountingRule, tokens: int, settings: frozenset[str] | None = None
) -> tuple[int, str]:
    """A budget that buys a picture of the model, and a sentence if it is more than was given.

    >>> from homunculus.planner.models import token_rule
    >>> raised(token_rule("gemini-3"), 64)[0], raised(token_rule("claude"), 64)
    (280, (64, ''))
    """
    price = least(rule, settings)
    if tokens >= price:
        return tokens, ""
    return price, (
        f"The budget of {tokens} tokens was raised to {price}, which the smallest picture costs "
        f"with {rule.name}."
    )


def affordable(unit: Unit, tokens: int, label: Label) -> int:
    """Pictures of one price that a budget buys with their lines, at least one.

    >>> affordable(Unit(512, 85), 273, Label("short")), affordable(Unit(512, 85), 255, Label())
    (3, 2)
    """
    fees = label.fees
    return max(1, (tokens - fees.whole + fees.window) // (unit.tokens + fees.window))


def most_spent(rule: CountingRule, size: Size, tokens: int) -> int | None:
    """The most that views of a picture of that size cost within a budget; None if it buys none."""
    whole = rule.count(rule.largest(size, tokens))
    if isinstance(rule, LevelRule):
        offers = [level.tokens for level in rule.levels]
    elif rule.unit:
        pictures = min(rule.facts.windows + 1, affordable(rule.unit, tokens, Label()))
        offers = [whole, pictures * rule.unit.tokens]
    else:
        offers = [tokens if whole <= tokens else whole]
    prices = [price for price in offers if least(rule) <= price <= tokens]
    return min(rule.count(size), max(prices)) if prices else None


def check_legible(legible: float | int) -> None:
    """Refuse what is no probability above 0."""
    if not check_number(legible, "legible", 0, 1):
        raise ValueError("legible must be above 0, got 0. Every picture reaches that.")
