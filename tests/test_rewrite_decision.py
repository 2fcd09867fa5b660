"""What becomes of a picture in a request: kept, left for a reason, or shown as views."""

import pytest

from homunculus.messages.pictures import Bundle, Encoded, Part
from homunculus.serve.rewriter import DOUBT, NO_QUESTION, Case

LARGE = Case(sent=True, price=900, budget=64)
SMALL = Case(sent=True, price=60, budget=64)


def files(count: int, tokens: int, basis="found") -> Bundle:
    part = Part("", Encoded(b"", "image/png"))
    return Bundle((part,) * count, tokens, value=0.9, basis=basis)


@pytest.mark.parametrize(
    ("case", "keeps"),
    [
        (LARGE, False),
        (SMALL, True),
        (SMALL._replace(sent=False), False),  # an address may lead elsewhere later
        (SMALL._replace(beyond=True), False),
        (SMALL._replace(beyond=True, low=True), True),
        (SMALL._replace(beyond=True, is_view=True), True),
        (LARGE._replace(low=True), False),
        (LARGE._replace(is_view=True), False),
        (LARGE._replace(is_view=True, cap=1024), True),
        (LARGE._replace(is_view=True, cap=800), False),
        (LARGE._replace(cap=1024), False),
    ],
)
def test_a_picture_is_kept_where_it_costs_no_more_than_it_may(case: Case, keeps: bool) -> None:
    assert case.keeps is keeps


@pytest.mark.parametrize(
    ("case", "fallback"),
    [
        (LARGE, (False, False)),
        (LARGE._replace(strict=True), (False, False)),
        (LARGE._replace(cap=1024), (True, False)),
        (LARGE._replace(cap=1024, strict=True), (True, True)),
        (LARGE._replace(cap=1024, sent=False), (True, True)),
        (SMALL._replace(cap=1024, sent=False), (False, False)),
    ],
)
def test_doubtful_views_get_more_tokens_if_there_is_a_cap(case: Case, fallback) -> None:
    assert (case.fallback, case.always) == fallback


@pytest.mark.parametrize(
    ("case", "made", "from_user", "outcome"),
    [
        (LARGE, files(3, 60), True, "show"),
        (LARGE, files(0, 0), True, DOUBT),
        (LARGE, files(3, 60), False, "show"),
        (LARGE, files(3, 60, "guess"), False, NO_QUESTION),
        (LARGE._replace(strict=True), files(3, 60, "guess"), False, "show"),
        (LARGE, files(1, 900), True, "keep"),  # nothing to win
        (LARGE, files(2, 900), True, "show"),
        (LARGE._replace(sent=False), files(1, 900), True, "show"),
    ],
)
def test_views_are_shown_where_they_win_something(case, made, from_user, outcome) -> None:
    assert case.outcome(made, from_user) == outcome
