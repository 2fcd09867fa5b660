"""Belief: where the answer may stand and how high its print is there, from what a scout says."""

from dataclasses import dataclass
from math import hypot, log2

import numpy as np

from homunculus.checks import Grid
from homunculus.pages import Picture
from homunculus.pages.lines import Lines
from homunculus.planner.acuity import THING, Acuity
from homunculus.planner.counting import Size
from homunculus.planner.layout import Layout, lay_out
from homunculus.scouts.sight import (
    LineScout,
    Map,
    Scout,
    Sight,
    check_sight,
    probabilities,
    resize_map,
)
from homunculus.shapes import Float, Int

FINE_CELLS = 256
"""Cells along the longer side of a picture. With 128 windows cut more lines (LOG, 2026-11-17)."""
USUAL_LINE = 1 / 64
"""Height of a line of text where no scout knows it, in the longer side of the picture."""
PRINT_SPREAD = 0.45
"""Octaves by which real print is easier or harder to read than the eye test's; set by hand on
questions of pilot parts."""
MIN_PRINT = 0.5
"""A cell holds print from this share of the largest weight on."""
MIN_PAGE_PRINT = 0.05
"""A page has at least this share of cells with print."""
ROWS_BETWEEN = 2
"""Rows of cells between two lines that belong to both."""
ABSENT = 0.1
"""Share of questions whose answer is not in the picture; assumed, since suites have none."""
NOT_FOUND = (0.1, 0.5)
"""How often nothing that a question names is found: in its own picture, and in another. Rounded
from 2 and 10 of 19 questions about pages; `homunculus measure --task place` counts them."""


@dataclass(frozen=True, eq=False)
class Belief:
    """Where the answer may stand, and how high its letters are there."""

    place: Float[np.ndarray, "rows cols"]
    """Probabilities over a lattice of the picture. All zero: it is not known."""
    octaves: Float[np.ndarray, "rows cols"]
    """log2 of the height of a line, in pixels of the picture."""
    blur: float
    """How well the height is known: standard deviation in octaves."""
    words: Float[np.ndarray, "rows cols"] | None = None
    """Where the question's own words stand, as shares of 1: they tell as much as a label. None if
    there are none."""
    row_start: Int[np.ndarray, "rows"] | None = None
    """The first column with print in each row, where its label stands; 0 where there is none. None
    if answers need no label."""
    layout: Layout | None = None
    """What the lines of the page say; None if nobody read them."""

    def __getitem__(self, here: tuple[slice, slice]) -> "Belief":
        return Belief(self.place[here], self.octaves[here], self.blur)


def ask_scout(scout: Scout, picture: Picture, question: str) -> Sight:
    """Where the question looks, on a lattice fine enough to plan by."""
    grid, _ = scout_cells(picture.size)
    if picture.lines is not None and isinstance(scout, LineScout):
        sight = scout.with_lines(picture.pixels, question, grid, picture.lines)
    else:
        sight = scout(picture.pixels, question, grid)
    return check_sight(sight, scout)


def scout_cells(size: Size) -> tuple[Grid, int]:
    """The cells that a scout is asked about, and their side: whole pixels, as scouts expect."""
    side = max(1, round(max(size) / FINE_CELLS))
    return (-(-size[0] // side), -(-size[1] // side)), side


def in_picture(sight: Sight) -> float:
    """The probability that the picture holds the answer: 1 unless nothing that the question names
    was found, not even perhaps.

    In that case the question may be about something else, and no pixel can show its answer. Bayes'
    rule gives the probability from how often nothing is found of a picture's own questions, and of
    another picture's.

    >>> in_picture(Sight(np.zeros((2, 2)), sure=0.9))
    1.0
    """
    if not sight.sure or not sight.matches or sight.likely:
        return 1.0
    here, elsewhere = (1 - ABSENT) * NOT_FOUND[0], ABSENT * NOT_FOUND[1]
    return here / (here + elsewhere)


def believe(sight: Sight, size: Size, acuity: Acuity, lines: Lines | None = None) -> Belief:
    """What a scout says, as probabilities of places and heights of print.

    With the ``lines`` of the page windows stand between them.

    As far as the scout is unsure, the answer may stand in the other places that it names, or
    anywhere; if it is not sure at all, the whole picture is best. A thing has to be larger than
    print to be recognised, so its height is that of print which is as hard to read.
    """
    logit, sure = sight.logit.astype(np.float32, copy=False), float(sight.sure)
    if sure <= 0:
        place = np.zeros_like(logit)
    else:
        place = sure * probabilities(logit) + (1 - sure) * _elsewhere(sight)
    octaves, blur = _octaves(sight, size, acuity), hypot(sight.size_error, PRINT_SPREAD)
    words = _words(sight)
    layout = None if lines is None else lay_out(lines, size, place, octaves, words)
    return Belief(place, octaves, blur, words, _row_start(sight), layout)


def _grid(sight: Sight) -> Grid:
    rows, cols = sight.logit.shape
    return int(rows), int(cols)


def _words(sight: Sight) -> Map | None:
    """Where the question's words stand, as shares of 1: those found in few places count more."""
    words = [match for match in sight.likely if match.kind == "word"]
    if not words or not sight.sure:
        return None
    rows, cols = _grid(sight)
    shares = np.zeros((rows, cols), np.float32)
    for word in words:
        x0, y0, x1, y1 = word.box
        top, left = min(rows - 1, int(y0 * rows)), min(cols - 1, int(x0 * cols))
        here = shares[top : max(top + 1, round(y1 * rows)), left : max(left + 1, round(x1 * cols))]
        here += 1 / max(1.0, word.places) / here.size
    return shares / shares.sum()


def _row_start(sight: Sight) -> Int[np.ndarray, "rows"] | None:
    """The first column with print in each row; None where there is little print: signs in a street
    need no label."""
    if sight.elsewhere is None or sight.thing is not None:
        return None
    weight = resize_map(sight.elsewhere.astype(np.float32, copy=False), _grid(sight))
    printed = weight >= MIN_PRINT * weight.max()
    if not MIN_PAGE_PRINT <= printed.mean() < 1:
        return None
    near = printed.copy()  # an answer reaches into the rows above and below its line
    for rows in range(1, ROWS_BETWEEN + 1):
        near[rows:] |= printed[:-rows]
        near[:-rows] |= printed[rows:]
    return near.argmax(1)


def _elsewhere(sight: Sight) -> Map | float:
    """The probability of each cell if the map is wrong."""
    if sight.elsewhere is None:
        return 1 / sight.logit.size
    known = sight.elsewhere.astype(np.float32, copy=False)
    weight = resize_map(known.clip(0.0), _grid(sight)) + 1e-9
    return weight / weight.sum()


def _octaves(sight: Sight, size: Size, acuity: Acuity) -> Map:
    """log2 of the height of a line in each cell; of a thing, of the print that is as hard."""
    grid = _grid(sight)
    if isinstance(sight.size, np.ndarray):
        octaves = resize_map(np.log2(sight.size.astype(np.float32, copy=False).clip(1.0)), grid)
    else:
        height = sight.size if sight.size is not None else max(size) * USUAL_LINE
        octaves = np.log2(np.full(grid, max(1.0, float(height)), np.float32))
    if sight.thing is None:
        return octaves
    thing = resize_map(sight.thing.astype(np.float32, copy=False), grid)
    return octaves + thing * log2(acuity.middle / THING)
