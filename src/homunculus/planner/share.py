"""Share: one budget over the pictures of many pages.

Each page offers plans at a ladder of prices: windows alone, or a small picture of the page with or
without windows. A plan is worth what it shows if the answer is on its page, times how likely it is
there. Which page gets which offer is a knapsack, solved exactly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor

import numpy as np

from homunculus.planner.bill import Bill, Buyer
from homunculus.planner.counting import TokenRule
from homunculus.planner.on_lines import OnLines, on_lines
from homunculus.planner.plan import Fees, Plan
from homunculus.planner.scene import Scene

STEPS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096)
"""Tokens at which a page makes offers."""
ROUNDS = STEPS[::2]
"""The same where an offer takes longer."""
SEARCHED = 3
"""Offers of a page whose lines are not known: each is a search."""
MOST_WINDOWS = 4
"""Windows of a page in an offer."""
FINE = 0.15
"""Pages from this probability on make offers at all steps, and of several windows."""
GAIN = 1e-6
"""What a larger offer must be worth more."""


@dataclass(frozen=True, eq=False)
class Page:
    """A page that takes part."""

    buyer: Buyer
    """Its label is that of a picture among others."""
    probability: float
    """How likely it has the answer."""

    @property
    def fee(self) -> int:
        """What the line before each picture costs."""
        return self.buyer.label.fees.window

    def offers(self, tokens: int, pictures: int) -> list[Bill]:
        """Plans for at most that many tokens and pictures, each worth more than those before of the
        same setting."""
        steps = [step for step in (STEPS if self._fine else ROUNDS) if step <= tokens]
        steps = steps if self._lines else steps[-SEARCHED:]
        if (full := self.buyer.rule.count(self.buyer.size) + self.fee) <= tokens:
            steps = [*(step for step in steps if step < full), full]
        offers, most = list[Bill](), dict[tuple[str, str] | None, float]()
        for step in steps:
            for bill in self._at(step):
                fits = bill.total <= tokens and len(bill.prices) <= pictures
                if fits and bill.plan.value > most.get(bill.setting, GAIN):
                    offers.append(bill)
                    most[bill.setting] = bill.plan.value
        return offers

    @property
    def _fine(self) -> bool:
        """Whether it is worth many offers."""
        return self._lines is not None and self.probability >= FINE

    @cached_property
    def _known(self) -> dict[int, list[Bill]]:
        return {}

    def _at(self, step: int) -> list[Bill]:
        """Offers of a price with their lines, cheapest first."""
        if step not in self._known:
            bills = self._by_lines(step) if self._lines else self._bought(step)
            self._known[step] = sorted(bills, key=lambda bill: bill.total)
        return self._known[step]

    # ---- pages whose lines are known, where each token is billed

    @cached_property
    def _scene(self) -> Scene:
        buyer, fee = self.buyer, self.fee
        fees = Fees(fee, fee, fee)
        rule = buyer.rule
        fees = fees.each(rule.factor) if isinstance(rule, TokenRule) else fees
        return Scene(buyer.belief, buyer.size, rule.lattice, buyer.acuity, fees, buyer.config)

    @cached_property
    def _lines(self) -> OnLines | None:
        free = isinstance(self.buyer.rule, TokenRule) and self.buyer.max_windows
        return on_lines(self._scene) if free else None

    @cached_property
    def _windows(self) -> dict[int, Plan]:
        return {}

    def _tokens(self, price: int) -> int:
        """Tokens on the lattice that a picture may have for a price with its line."""
        rule = self.buyer.rule
        assert isinstance(rule, TokenRule)
        tokens = min(floor((price - self.fee) / rule.factor), rule.max_tokens or price)
        return tokens if tokens >= rule.min_tokens else 0

    def _by_lines(self, step: int) -> Iterator[Bill]:
        """Windows alone, and the whole page alone."""
        scene, tokens = self._scene, self._tokens(step)
        if tokens < 1:
            return
        windows = self._windows_of(step)
        if windows.windows:
            yield self._bill(windows)
        yield self._bill(scene.plan(scene.rule.largest(scene.size, tokens), ()))

    def _windows_of(self, step: int) -> Plan:
        """The best window of a price, or another one beside those of half the price."""
        if step not in self._windows:
            lines, scene, tokens = self._lines, self._scene, self._tokens(step)
            assert lines is not None
            plans = [Plan(None, (), 0.0)]
            half = max((other for other in STEPS if 2 * other <= step), default=0)
            if half and self._fine:
                plans.append(self._windows_of(half))
            best = plans[-1]
            for plan in plans:
                rest = scene.rest(tokens + scene.fees.alone, plan, more_windows=1)
                room = len(plan.windows) < MOST_WINDOWS
                window = lines.best(plan, rest) if room and rest > 0 else None
                if window is not None:
                    wider = scene.plan(None, [*plan.windows, window])
                    best = max(best, wider, key=lambda plan: plan.value)
            self._windows[step] = best
        return self._windows[step]

    def grown(self, bill: Bill, tokens: int) -> Bill:
        """An offer with what is left of the tokens, if that makes it worth more."""
        rule, lines = self.buyer.rule, self._lines
        if lines is None or not isinstance(rule, TokenRule) or tokens <= bill.total:
            return bill
        rest = tokens - bill.total
        while rest > 0:
            have = bill.plan.count(rule.lattice) + self._scene.fees.of(bill.plan)
            budget = min(have + floor(rest / rule.factor), rule.max_tokens or tokens)
            if bill.plan.whole is None:
                plan = lines.respent(bill.plan, budget)
            else:
                whole = self._scene.whole_beside(bill.plan.windows, budget)
                plan = self._scene.plan(whole, bill.plan.windows)
            grown = self._bill(plan)
            if grown.total <= tokens:
                return max(bill, grown, key=lambda bill: bill.plan.value)
            rest //= 2
        return bill

    def _bill(self, plan: Plan) -> Bill:
        rule = self.buyer.rule
        sizes = [plan.whole] if plan.whole else []
        sizes += [window.size(rule.lattice.side) for window in plan.windows]
        return Bill(plan, rule.prices(sizes), label_tokens=self.fee * len(sizes))

    # ---- other pages, and other rules

    def _bought(self, price: int) -> Iterator[Bill]:
        """What a buyer of single pictures buys, with the line that each picture has here."""
        try:
            bill = self.buyer.buy(price - self.fee)
        except ValueError:  # too few for any picture
            return
        yield replace(bill, label_tokens=self.fee * len(bill.prices))


def share(pages: Sequence[Page], tokens: int, pictures: int) -> list[Bill | None]:
    """What each page gets of a budget: None where it gets nothing.

    Never worth less than for a smaller power of two.
    """
    fewer = 1 << max(0, (tokens - 1).bit_length() - 1)
    best = _shared(pages, tokens, pictures)
    if 1 < fewer < tokens and any(best):
        smaller = share(pages, fewer, pictures)
        if _worth(pages, smaller) > _worth(pages, best):
            best = smaller
    return best


def _worth(pages: Sequence[Page], bills: Sequence[Bill | None]) -> float:
    pairs = zip(pages, bills, strict=True)
    return sum((page.probability * bill.plan.value for page, bill in pairs if bill), 0.0)


def _shared(pages: Sequence[Page], tokens: int, pictures: int) -> list[Bill | None]:
    """The best choice of offers that one request can have: all of one setting."""
    offers = [page.offers(tokens, pictures) for page in pages]
    settings = dict.fromkeys(bill.setting for bills in offers for bill in bills)
    choices = [
        _knapsack(
            pages, [[bill for bill in bills if bill.setting == setting] for bills in offers],
            tokens, pictures,
        )
        for setting in settings
    ]  # fmt: skip
    if not choices:
        return [None] * len(pages)
    return _grown(pages, max(choices, key=lambda chosen: _worth(pages, chosen)), tokens)


def _grown(pages: Sequence[Page], chosen: Sequence[Bill | None], tokens: int) -> list[Bill | None]:
    """What is left of the tokens goes to the likeliest pages that can use it."""
    grown, rest = list(chosen), tokens - sum(bill.total for bill in chosen if bill)
    for place in sorted(range(len(pages)), key=lambda place: -pages[place].probability):
        if (bill := grown[place]) is not None and rest > 0:
            larger = pages[place].grown(bill, bill.total + rest)
            if len(larger.prices) <= len(bill.prices):
                rest -= larger.total - bill.total
                grown[place] = larger
    return grown


def _knapsack(
    pages: Sequence[Page], offers: Sequence[Sequence[Bill]], tokens: int, pictures: int
) -> list[Bill | None]:
    """One offer of each page, or none, of the highest worth in all."""
    tokens = min(tokens, sum(max((bill.total for bill in bills), default=0) for bills in offers))
    worth = np.zeros((tokens + 1, pictures + 1))
    choices = list[np.ndarray]()
    for page, bills in zip(pages, offers, strict=True):
        choice, before = np.full(worth.shape, -1, np.int16), worth.copy()
        for number, bill in enumerate(bills):
            cost, count, value = bill.total, len(bill.prices), page.probability * bill.plan.value
            with_it = before[: tokens + 1 - cost, : pictures + 1 - count] + value
            here = worth[cost:, count:]
            better = with_it > here + GAIN * page.probability
            here[better] = with_it[better]
            choice[cost:, count:][better] = number
        choices.append(choice)
    row, column = tokens, pictures
    chosen = list[Bill | None]()
    for bills, choice in zip(reversed(offers), reversed(choices), strict=True):
        number = int(choice[row, column])
        bill = bills[number] if number >= 0 else None
        chosen.append(bill)
        if bill is not None:
            row, column = row - bill.total, column - len(bill.prices)
    return chosen[::-1]
