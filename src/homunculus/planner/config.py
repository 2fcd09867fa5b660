"""The thresholds of the search, each with its reason and the measurement that set it.

Figures are of 180 pilot questions about pages, receipts and street words (16, 32 and 64 tokens of
32 px) unless another set is named; LOG.md has them with their intervals.
"""

from dataclasses import dataclass

ZOOMS = tuple(2 ** (eighth / 8) for eighth in (0, -2, -1, 1, 2))


@dataclass(frozen=True)
class SearchConfig:
    """How the search chooses between plans. Changing a field changes plans, not their prices."""

    # ---- when windows are worth it

    min_window_gain: float = 0.005
    """What each window must add to the value of the others, and all to the whole picture resized:
    where windows hardly help, their tokens show more of the whole. With .02 the search is no longer
    within a hundredth of brute force, and budgets are not spent (LOG, 2026-11-17)."""
    page_risk: float = 0.1
    """How much more windows on a page of print must be worth than the whole page, as a share of its
    worth: the scout may be wrong about places, and the whole page leaves none out. Charts with 128
    tokens were read .85 without it and .93 with it; `resize` .99 (LOG, 2026-11-18)."""
    unlabelled_worth: float = 0.4
    """What an answer is worth in a window that shows neither the start of its row nor the
    question's words, which tell what it is. Chosen with the default reader on the development half
    of the natural questions: +29.5 points over `resize`, +22.5 before (LOG, 2026-11-18)."""

    # ---- the picture of the whole beside windows

    context_multiples: tuple[int, ...] = (1, 2, 4)
    """How large it may be, in the least it must have."""
    min_context_gain: float = 0.05
    """How much more than the smallest it must show by itself to be tried."""

    # ---- which windows are compared

    min_likely: float = 1e-3
    """Cells at least this likely, as a share of the likeliest, say which scales are tried; others
    would only add scales and time."""
    window_shares: tuple[tuple[int, ...], ...] = ((1,), (2, 1, 1, 1))
    """In which shares windows get what the whole picture leaves, cut off after as many windows as
    that buys: one gets all, or the first gets twice as much as each of the others. Plans come
    within a hundredth of brute force with these (tests/test_planner.py)."""
    window_heights: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
    """In tokens; each has as many columns as its price allows."""
    min_aspect: float = 1 / 8
    max_aspect: float = 24.0
    """The least and the most columns to a row, unless a window spans the picture."""
    places_per_window: int = 4
    """Places that are compared along a window's own height or width."""
    min_word_width: float = 4.0
    """The least width of a window, in heights of the smallest legible print: strips of one token
    cut every word. +2.6 ± 1.1 points of answers shown whole on 75 further questions, -.2 ± .7 on
    the pilot's (LOG, 2026-11-17)."""
    finalists: int = 3
    """Plans of the coarse lattice that are laid twice before the best is settled on the fine one:
    +2.1 ± 1.2 points of answers shown whole, 1.5 times the time (75 questions; LOG, 2026-11-17)."""

    # ---- how a window is settled on the fine lattice

    zooms: tuple[float, ...] = ZOOMS
    """What its part of the picture is multiplied by along each side: the scales of the coarse
    lattice are half an octave apart, so a quarter of one up and down. The most is last."""
    edge_lines: float = 0.35
    """Heights of a line at its edges that do not count, since print there would be cut in two.
    With a lattice twice as fine: +3.5 points [+.7, +6.6] for a reader of 12 px, against half a
    line on the coarser one (LOG, 2026-11-17)."""
    max_merge_loss: float = 0.02
    """What a plan may lose when one window takes the place of two: pieces of a line become one. No
    legibility lost; answers whole at 16 tokens .33 of pages instead of .24 (LOG, 2026-11-17)."""
    min_merge_scale: float = 0.7
    """The scale of that window against theirs, at least: with half of it street words lost 2.7
    points at 16 tokens, not surely (LOG, 2026-11-17)."""

    # ---- how a budget is spent

    max_drop_loss: float = 0.03
    """What a plan may lose without a window for that to be tried: few long windows are easier to
    read than many short ones."""
    max_dropped_loss: float = 0.01
    """What it may have lost once the other windows have that one's tokens. With both +.7 points of
    answers shown whole for a reader of 12 px, 0 for RapidOCR (LOG, 2026-11-17)."""
    max_overlap: float = 0.5
    """The share of a window that another one may show as well: with more, both show one place, as
    in 11 of 119 plans without this limit (LOG, 2026-11-17)."""
    spent_share: float = 0.95
    """The share of a budget that is enough to spend. Before windows grew into what was left, 0 to
    7 % of 90 plans spent less than .85 (LOG, 2026-11-17)."""


DEFAULT_CONFIG = SearchConfig()
