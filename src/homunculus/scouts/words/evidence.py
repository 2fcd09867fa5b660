"""From where the question's words stand to where its answer stands.

`WordEvidence` is what the page tells of a question, and `features` makes maps of it over the cells
of the page: what the nets of `spread-*.onnx` go by. Two twins of the full net know less on purpose,
and `by_hand` is a kernel with fixed weights for when nothing is learned.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from homunculus.scouts.words.net import KINDS
from homunculus.scouts.words.question import ParsedQuestion
from homunculus.shapes import Bool, Float, Int

Mode = Literal["full", "blind", "prior"]

FEATURES: tuple[str, ...] = (
    "word",  # the heaviest of the question's words that stands here
    "phrase",  # all of them that stand here and near by on the line
    "right",  # what follows shortly on the line
    "right-far",
    "left",
    "below",
    "below-far",
    "above",
    "crossing",  # in the row of one word and down the column of another
    "matched",  # how sure it is that any word was found at all; the same everywhere
    "text",
    "figure",  # text that is no plain word
    "fit",  # text that looks as the answer should
    "y",
    "x",
    *KINDS,
)
"""Names of the maps, in order. All lie in 0 to 1."""
EVIDENCE = FEATURES.index("text")
"""How many of them, the first, come from matches."""

FLOOR = 1e-6
"""The least probability: keeps logarithms finite."""
NEAR, SHORT, FAR = 6.0, 8.0, 40.0  # cells along a line after which evidence has faded to 1/e
LOW, LOWER = 4.0, 16.0  # the same down the page
ACROSS, DOWN = 120.0, 60.0  # the same along the rows and columns of a table
LINE, COLUMN = 1, 3
"""How many cells a line may sway up and down, and a column sideways."""
HEADING = 3
"""Rows below a word where its column begins: its own line is no column."""
PLACE = (2, 12)
"""Rows and columns within which two finds are one: about a large word to every side."""


@dataclass(frozen=True, eq=False)
class WordEvidence:
    """What the scout found on one page for some questions."""

    match: Float[np.ndarray, "q w r c"]
    """Probability that the cell is part of the word."""
    valid: Bool[np.ndarray, "q w"]
    """False where a question has fewer words than another."""
    weight: Float[np.ndarray, "q w"]
    """What a find would say, as the question tells it."""
    kinds: Float[np.ndarray, "q 8"]
    """What the answer looks like."""
    buckets: Int[np.ndarray, "q t"]
    """The question as a bag of words; -1 pads."""
    text: Float[np.ndarray, "r c"]
    kind: Float[np.ndarray, "8 r c"]
    """What the text of the cell looks like."""

    @staticmethod
    def of(
        questions: Sequence[ParsedQuestion],
        words: Sequence[str],
        match: Float[np.ndarray, "n r c"],
        text: Float[np.ndarray, "r c"],
        kind: Float[np.ndarray, "8 r c"],
    ) -> "WordEvidence":
        """Lay out the maps of all words, each looked for once, question by question."""
        row = {word: row for row, word in enumerate(words)}
        index, valid = _padded([[row[word] for word in question.words] for question in questions])
        weight, _ = _padded([question.weights for question in questions], np.float32)
        buckets, hashed = _padded([question.buckets for question in questions])
        kinds = np.array([question.kinds for question in questions], np.float32)
        maps = match if len(words) else np.zeros((1, *text.shape), np.float32)
        buckets = np.where(hashed, buckets, -1)
        return WordEvidence(maps[index], valid, weight, kinds, buckets, text, kind)

    def limited_to(self, mode: Mode) -> "WordEvidence":
        """A copy for a twin that must not peek: `blind` knows no question, `prior` no pixel."""
        hidden: dict[Mode, tuple[str, ...]] = {
            "full": (),
            "blind": ("match", "valid", "weight", "kinds"),
            "prior": ("match", "text", "kind"),
        }
        zeros = {name: np.zeros_like(getattr(self, name)) for name in hidden[mode]}
        if mode == "blind":
            zeros["buckets"] = np.full_like(self.buckets, -1)
        return replace(self, **zeros)


def _padded(
    rows: Sequence[Sequence[float | int]], dtype: type[np.generic] = np.int64
) -> tuple[NDArray[Any], Bool[np.ndarray, "q width"]]:
    """Rows of unlike length side by side, at least one wide, and where they hold something."""
    width = max(1, *map(len, rows)) if rows else 1
    values = np.zeros((len(rows), width), dtype)
    for row, value in zip(values, rows, strict=True):
        row[: len(value)] = value
    lengths = np.array([len(row) for row in rows], np.int64)
    return values, np.arange(width) < lengths[:, None]


# ---- the maps ------------------------------------------------------------------------------------


def features(evidence: WordEvidence) -> Float[np.ndarray, "q f r c"]:
    """All maps of `FEATURES` for each question."""
    match, weight = evidence.match * evidence.valid[:, :, None, None], evidence.weight
    if not match.shape[1]:  # without words, one that is nowhere
        match = np.zeros((len(match), 1, *match.shape[2:]), np.float32)
        weight = np.zeros((len(match), 1), np.float32)
    match, weight = _telling(match, weight)
    share = shares(match, weight)[:, :, None, None]
    best = match.max(1)
    line = _swayed(match, LINE, -2)
    phrase = np.minimum((share * _both(line, NEAR)).sum(1), best)
    maps = [
        (share * match).max(1),
        phrase,
        *_around(phrase),
        _crossing(share * _both(line, ACROSS), share * _columns(match)),
        np.broadcast_to(best.max((1, 2), keepdims=True), phrase.shape),
    ]
    return np.concatenate([np.stack(maps, 1), _page(evidence)], 1)


def _telling(
    match: Float[np.ndarray, "q w r c"], weight: Float[np.ndarray, "q w"]
) -> tuple[Float[np.ndarray, "q w2 r c"], Float[np.ndarray, "q w2"]]:
    """Only the words that may tell anything beside the surest one of their question.

    Most are ways to print a word that the page does not have, and each costs as much as a find.
    What they would add stays below `FAINT_MATCH`.
    """
    peak = match.max((2, 3))
    counts = peak >= (SLIGHT * peak.max(1, keepdims=True)).clip(FAINT_MATCH)
    width = max(1, int(counts.sum(1).max(initial=0)))
    order = (-(peak * counts)).argsort(1, kind="stable")[:, :width]
    row = np.arange(len(order))[:, None]
    kept = counts[row, order].astype(np.float32)
    return match[row, order] * kept[:, :, None, None], weight[row, order] * kept


def shares(
    match: Float[np.ndarray, "q w r c"], weight: Float[np.ndarray, "q w"]
) -> Float[np.ndarray, "q w"]:
    """How much each word of a question counts; over the words that were evidence, they sum to 1.

    A word found in many places says little about any of them.
    """
    rare = 1 / (1 + places(match))
    counted = weight * rare * match.max((2, 3))
    return counted / counted.sum(1, keepdims=True).clip(FLOOR)


def places(match: Float[np.ndarray, "q w r c"]) -> Float[np.ndarray, "q w"]:
    """How often a word stands on the page, softly: each place counts as its own peak.

    A cell's part in its place is its share of the mass around it, so long words count no more
    than short ones, and a haze of small probabilities hardly at all.
    """
    (up, side), (mass, peak) = PLACE, (match, match)
    for sway, axis in ((up, -2), (side, -1)):
        mass, peak = _summed(mass, sway, axis), _swayed(peak, sway, axis)
    mass = np.maximum(mass, match).clip(FLOOR)  # sums are rounded, a share is at most 1
    return (match * peak / mass).sum((2, 3))


def _around(phrase: Float[np.ndarray, "q r c"]) -> list[Float[np.ndarray, "q r c"]]:
    """The phrase seen from all sides; names in `FEATURES`."""
    line, column = _swayed(phrase, LINE, -2), _swayed(phrase, COLUMN, -1)
    return [
        faded(line, SHORT, -1),
        faded(line, FAR, -1),
        faded(line, SHORT, -1, back=True),
        faded(column, LOW, -2),
        faded(column, LOWER, -2),
        faded(column, LOW, -2, back=True),
    ]


def _columns(match: Float[np.ndarray, "q w r c"]) -> Float[np.ndarray, "q w r c"]:
    """Down the column of each word, from below its own line on."""
    column = faded(_swayed(match, COLUMN, -1), DOWN, -2)
    out = np.zeros_like(column)
    out[..., HEADING:, :] = column[..., : max(0, match.shape[2] - HEADING), :]
    return out


def _crossing(
    row: Float[np.ndarray, "q w r c"], column: Float[np.ndarray, "q w r c"]
) -> Float[np.ndarray, "q r c"]:
    """The sum over all pairs of unlike words of row x column."""
    return (row.sum(1) * column.sum(1) - (row * column).sum(1)).clip(0)


def _page(evidence: WordEvidence) -> Float[np.ndarray, "q f r c"]:
    """What the page shows without the words: text, its look, and where on the page it stands."""
    rows, cols = evidence.text.shape
    text, kind = evidence.text, evidence.kind
    fit = text * (evidence.kinds[:, :, None, None] * kind).sum(1)
    y = np.repeat((np.arange(rows, dtype=np.float32)[:, None] + 0.5) / rows, cols, 1)
    x = np.repeat((np.arange(cols, dtype=np.float32)[None] + 0.5) / cols, rows, 0)
    out = np.empty((len(fit), len(FEATURES) - EVIDENCE, rows, cols), np.float32)
    out[:, :2], out[:, 2] = (text, text * (1 - kind[0])), fit
    out[:, 3:5], out[:, 5:] = (y, x), text * kind
    return out


# ---- along lines and columns ---------------------------------------------------------------------


def faded(
    value: Float[np.ndarray, "*maps r c"], reach: float | int, axis: int, back: bool = False
) -> Float[np.ndarray, "*maps r c"]:
    """At each cell, the largest value before it on the axis, faded by e every ``reach`` cells.

    With ``back`` the largest after it. By steps that double: no loop over cells.
    """
    best, cells, step = value.clip(FLOOR), value.shape[axis], 1
    while step < cells and (fade := math.exp(-step / reach)) > FLOOR:
        early, late = _part(best, axis, 0, cells - step), _part(best, axis, step, cells)
        near, far = (early, late) if back else (late, early)
        np.maximum(near, far * np.float32(fade), out=near)
        step *= 2
    return best


def _part(value: NDArray[Any], axis: int, start: int, stop: int) -> NDArray[Any]:
    """A part of the last axis, or of the one before it."""
    return value[..., start:stop] if axis == -1 else value[..., start:stop, :]


def _both(value: Float[np.ndarray, "q w r c"], reach: float) -> Float[np.ndarray, "q w r c"]:
    """The largest value on the line to either side, faded."""
    return np.maximum(faded(value, reach, -1), faded(value, reach, -1, back=True))


def _swayed(
    value: Float[np.ndarray, "*maps r c"], sway: int, axis: int
) -> Float[np.ndarray, "*maps r c"]:
    """The largest value up to ``sway`` cells away on an axis, by windows that double."""
    out, size, whole = _bordered(value, sway, axis), 1, 2 * sway + 1
    while size < whole:
        step, cells = min(size, whole - size), out.shape[axis]
        out = np.maximum(_part(out, axis, 0, cells - step), _part(out, axis, step, cells))
        size += step
    return out


def _summed(
    value: Float[np.ndarray, "*maps r c"], sway: int, axis: int
) -> Float[np.ndarray, "*maps r c"]:
    """The sum of the values up to ``sway`` cells away on an axis."""
    total, cells = _bordered(value, sway, axis, 1).cumsum(axis), value.shape[axis]
    first = 2 * sway + 1
    return _part(total, axis, first, first + cells) - _part(total, axis, 0, cells)


def _bordered(value: NDArray[Any], sway: int, axis: int, ahead: int = 0) -> NDArray[Any]:
    """Zeros around an axis: beyond the page nothing is evidence."""
    shape = [*value.shape]
    shape[axis] += 2 * sway + ahead
    out = np.zeros(shape, value.dtype)
    _part(out, axis, sway + ahead, sway + ahead + value.shape[axis])[...] = value
    return out


FAINT_MATCH = 0.01
"""Evidence below this is as good as none; nets see its logarithm down to here."""
SLIGHT = 0.1
"""A word whose best match is less than this share of another's tells nothing beside it."""


# ---- without learning ----------------------------------------------------------------------------

KERNEL: dict[str, float] = {
    "phrase": 0.8, "right-far": 1.0, "left": 0.4, "below": 0.7, "below-far": 0.5,
}  # fmt: skip
"""What each map is worth: most the right along the line, then what is below."""
CROSSING = 2.0
"""What the meeting of a row and a column adds."""
ANY_TEXT = 0.03
"""What text is worth that nothing points to."""


def by_hand(maps: Float[np.ndarray, "q f r c"]) -> Float[np.ndarray, "q r c"]:
    """A fixed kernel instead of a learned spread, as a log-probability."""
    worth = np.array([KERNEL.get(name, 0.0) for name in FEATURES], np.float32)
    near = (maps * worth[:, None, None]).max(1) + CROSSING * maps[:, FEATURES.index("crossing")]
    likely = maps[:, FEATURES.index("text")] * (ANY_TEXT + (1 - ANY_TEXT) * near.clip(max=1))
    return np.log(likely.clip(FLOOR))
