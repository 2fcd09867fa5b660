"""Share: one budget over the pictures of many pages, against brute force and by its laws."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homunculus.pages.lines import Lines, WordBox
from homunculus.planner import share as module
from homunculus.planner.acuity import Acuity
from homunculus.planner.belief import believe
from homunculus.planner.bill import Bill, Buyer
from homunculus.planner.labels import Label
from homunculus.planner.models import token_rule
from homunculus.planner.plan import Plan
from homunculus.planner.share import GAIN, Page, share
from homunculus.scouts.sight import Sight

EYES = Acuity("test", 8.0, 0.4)


def bill(value: float, cost: int, pictures: int = 1, label: int = 0) -> Bill:
    """An offer without any picture."""
    prices = (cost - label - pictures + 1, *[1] * (pictures - 1))
    return Bill(Plan(None, (), value), prices, label_tokens=label)


class Offering(Page):
    """A page of which only the offers are known; some for each budget, or the same for all."""

    def __init__(self, probability: float, *offers: Bill, only: dict[int, Bill] | None = None):
        object.__setattr__(self, "probability", probability)
        object.__setattr__(self, "given", offers)
        object.__setattr__(self, "only", only or {})

    def offers(self, tokens: int, pictures: int) -> list[Bill]:
        """Those that fit."""
        some = [*self.given, *([self.only[tokens]] if tokens in self.only else [])]
        return [each for each in some if each.total <= tokens and len(each.prices) <= pictures]

    def grown(self, bill: Bill, tokens: int) -> Bill:
        """Nothing grows."""
        return bill


def worth(pages: Sequence[Page], bills: Sequence[Bill | None]) -> float:
    """The probability that the answer is on a page that is shown, and can be read."""
    pairs = zip(pages, bills, strict=True)
    return sum(page.probability * bill.plan.value for page, bill in pairs if bill is not None)


def spent(bills: Sequence[Bill | None]) -> tuple[int, int]:
    """Tokens and pictures."""
    some = [bill for bill in bills if bill is not None]
    return sum(bill.total for bill in some), sum(len(bill.prices) for bill in some)


offer = st.tuples(st.integers(1, 20), st.integers(0, 4), st.integers(1, 3), st.integers(0, 2))
"""Worth in twentieths, tokens above the least, pictures, and tokens of lines."""
drawn_pages = st.lists(
    st.tuples(st.integers(0, 10), st.lists(offer, max_size=3)), min_size=1, max_size=4
)


def offering(drawn: list[tuple[int, list[tuple[int, int, int, int]]]]) -> list[Page]:
    """Pages of which only the offers are known; objects are not made while they are drawn, as
    checks of types draw lots of their own."""
    return [
        Offering(chance / 10, *(bill(value / 20, more + pictures + label, pictures, label)
                                for value, more, pictures, label in own))
        for chance, own in drawn
    ]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(drawn_pages, st.integers(1, 20), st.integers(1, 6))
def test_the_knapsack_is_as_good_as_any_choice(drawn, tokens, pictures) -> None:
    pages = offering(drawn)
    known = [page.offers(tokens, pictures) for page in pages]
    chosen = module._knapsack(pages, known, tokens, pictures)
    assert all(one is None or one in some for one, some in zip(chosen, known, strict=True))
    assert spent(chosen)[0] <= tokens
    assert spent(chosen)[1] <= pictures
    choices = product(*[[None, *some] for some in known])
    best = max(
        worth(pages, choice)
        for choice in choices
        if spent(choice)[0] <= tokens and spent(choice)[1] <= pictures
    )
    assert worth(pages, chosen) == pytest.approx(best, abs=2 * len(pages) * GAIN)
    assert chosen == module._knapsack(pages, known, tokens, pictures)


@settings(max_examples=100, deadline=None)
@given(drawn_pages, st.integers(1, 40), st.integers(1, 6))
def test_a_share_is_within_the_tokens_and_the_pictures(drawn, tokens, pictures) -> None:
    pages = offering(drawn)
    bills = share(pages, tokens, pictures)
    assert len(bills) == len(pages)
    assert spent(bills)[0] <= tokens
    assert spent(bills)[1] <= pictures
    assert bills == share(pages, tokens, pictures)


def test_nothing_is_bought_where_nothing_is_offered() -> None:
    assert share([Offering(0.5), Offering(0.5)], 64, 4) == [None, None]
    assert share([Offering(0.5, bill(0.9, 65))], 64, 4) == [None]
    assert share([Offering(0.0, bill(0.9, 5))], 64, 4) == [None]


def test_two_small_offers_beat_a_large_one_where_they_show_more() -> None:
    large = Offering(0.6, bill(0.4, 4), bill(0.9, 8))
    small = Offering(0.4, bill(0.9, 4))
    assert spent(share([large, small], 8, 9)) == (8, 2)
    assert [each.total for each in share([large, small], 8, 9) if each] == [4, 4]
    assert share([large, small], 8, 1)[1] is None  # one picture alone


def test_the_worth_is_never_below_that_of_a_smaller_power_of_two() -> None:
    """Plans of a larger budget may be worse: the search does not try all."""
    fickle = Offering(0.9, only={32: bill(0.8, 30), 64: bill(0.5, 60), 100: bill(0.6, 90)})
    steady = Offering(0.1, bill(0.2, 2))
    values = [worth([fickle, steady], share([fickle, steady], tokens, 4))
              for tokens in (16, 32, 64, 100, 128, 256)]  # fmt: skip
    assert values[1] == pytest.approx(0.9 * 0.8 + 0.1 * 0.2)
    assert values == sorted(values)


# ---- pages with print ----------------------------------------------------------------------------


def printed(seed: int, name: str, number: int, probability: float, read: bool = True) -> Page:
    """A page of words, some of which may be the answer."""
    lot = np.random.default_rng(seed)
    size = int(lot.integers(300, 1000)), int(lot.integers(300, 1000))
    high = float(lot.uniform(10, 24))
    words = list[WordBox]()
    for y in np.arange(10.0, size[0] - high, 1.6 * high).tolist():
        for x in np.arange(10.0, size[1] - 4 * high, 4 * high).tolist():
            if lot.random() < 0.8:
                words.append(("total", (x, y, x + 3.4 * high, y + high)))
    lines, logit = Lines.of(words, "given"), np.full((64, 64), -12.0)
    shares = np.array([size[1], size[0], size[1], size[0]]) / 64
    for at in lot.integers(0, len(lines), 4):
        x0, y0, x1, y1 = (lines.boxes[at] / shares).astype(int)
        logit[y0 : y1 + 1, x0 : x1 + 1] = lot.random()
    sight = Sight(logit, sure=0.95, size=high, size_error=0.2)
    belief, label = believe(sight, size, EYES, lines if read else None), Label(page=number)
    return Page(Buyer(belief, size, token_rule(name), EYES, label=label), probability)


def several(name: str) -> list[Page]:
    """Pages of a document, the last of which nobody read."""
    chances = (0.55, 0.2, 0.1, 0.05)
    return [printed(at, name, at + 1, chance, at < 3) for at, chance in enumerate(chances)]


@pytest.mark.parametrize("name", ["qwen3-vl", "claude", "gpt-4o", "gemini-3", "mistral"])
def test_real_pages_share_within_tokens_and_pictures_and_lose_nothing(name) -> None:
    pages, before = several(name), 0.0
    for tokens in (1, 8, 16, 32, 64, 128, 256, 512):
        bills = share(pages, tokens, 3)
        assert spent(bills)[0] <= tokens
        assert spent(bills)[1] <= 3
        value = worth(pages, bills)
        assert value >= before - 1e-9
        before = value
        for page, each in zip(pages, bills, strict=True):
            if each is not None:
                assert each.label_tokens == len(each.prices) * page.fee
                assert 0 < each.plan.value <= 1
                assert len(each.prices) == (each.plan.whole is not None) + len(each.plan.windows)
    assert before > 0.1 or name == "gemini-3"


@pytest.mark.parametrize("name", ["qwen3-vl", "gpt-4o"])
def test_real_pages_get_the_same_each_time(name) -> None:
    first, second = (share(several(name), 200, 6) for _ in range(2))
    assert first == second
    pages = several(name)
    share(pages, 450, 6)  # what was asked before changes nothing
    assert share(pages, 200, 6) == first


def test_offers_grow_and_fit() -> None:
    for name in ("qwen3-vl", "claude", "gpt-4o"):
        (page, *_) = several(name)
        some = page.offers(500, 2)
        assert some
        values = [each.plan.value for each in some]
        assert values == sorted(set(values))
        assert max(each.total for each in some) <= 500
        assert max(len(each.prices) for each in some) <= 2


def test_what_is_left_makes_an_offer_larger() -> None:
    (page, *_) = several("qwen3-vl")
    small = page.offers(200, 1)[0]
    grown = page.grown(small, 200)
    assert small.total < grown.total <= 200
    assert grown.plan.value > small.plan.value
    assert len(grown.prices) == len(small.prices)
    assert page.grown(small, small.total) == small


def test_the_likelier_of_two_equal_pages_gets_more() -> None:
    low, high = (printed(0, "qwen3-vl", 1, chance) for chance in (0.1, 0.8))
    for order in ([low, high], [high, low]):
        bills = share(order, 64, 4)
        totals = {page.probability: bill.total if bill else 0
                  for page, bill in zip(order, bills, strict=True)}  # fmt: skip
        assert totals[0.8] > totals[0.1]
