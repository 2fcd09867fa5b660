"""What a scout makes of a picture and a question: a `Sight`, and the matches that it rests on.

A scout is any function of (image, question, grid) that returns a `Sight`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from homunculus.checks import Grid, check_number
from homunculus.pages.lines import Lines
from homunculus.shapes import Float, Int, Num, UInt8, as_array

FractionBox = tuple[float, float, float, float]
"""x0 y0 x1 y1, as fractions of the picture; `homunculus.box.Box` is one in pixels."""
FOUND, PERHAPS = 0.6, 0.4
"""A match is said to be found, or perhaps found, from these probabilities on. A map already follows
what is perhaps found: on the page that a question is about, most of that is right. On any other
page nearly all of it is wrong, and most of what scores more is right."""

State = Literal["found", "perhaps", "missing"]
"""What became of something that a scout looked for by name."""


@dataclass(frozen=True)
class Match:
    """Something that a scout looked for by name, and where it most likely is.

    >>> Match("total", probability=0.87, box=(0.62, 0.68, 0.7, 0.7)).places
    1.0
    """

    text: str
    """The word as it would be printed, or the thing as the question calls it."""
    probability: float
    box: FractionBox
    places: float = 1.0
    """On how many places it stands, softly counted."""
    kind: Literal["word", "thing"] = "word"
    stands_for: str = ""
    """The question's own word, if this is another printing of it."""

    @property
    def name(self) -> str:
        """What people are told that it is.

        >>> Match("tel", 0.9, (0.0, 0.0, 1.0, 1.0), stands_for="telephone").name
        'tel (for telephone)'
        """
        if self.kind == "thing":
            return f"{self.text} (thing)"
        return f"{self.text} (for {self.stands_for})" if self.stands_for else self.text

    @property
    def state(self) -> State:
        """Whether it was found, perhaps found, or not.

        >>> [Match("total", score, (0.0, 0.0, 1.0, 1.0)).state for score in (0.87, 0.5, 0.1)]
        ['found', 'perhaps', 'missing']
        """
        if self.probability >= FOUND:
            return "found"
        return "perhaps" if self.probability >= PERHAPS else "missing"

    @property
    def label(self) -> str:
        """Its name in a drawing."""
        return f"{self.name} (perhaps)" if self.state == "perhaps" else self.name


@dataclass(frozen=True)
class Answer:
    """Words of a page that may be the answer."""

    text: str
    words: tuple[int, ...]
    """Their numbers among the page's words (`homunculus.pages.lines.Lines`)."""
    probability: float


Basis = Literal["found", "guess", "unknown"]
"""What a plan rests on; see `Sight.basis`."""

Pixels = UInt8[np.ndarray, "3 _h _w"]
Map = Float[np.ndarray, "_rows _cols"]
if TYPE_CHECKING:
    Held = Map
else:
    Held = Any  # tensors are taken as well, and become arrays


@dataclass(frozen=True, eq=False)
class Sight:
    """What a scout makes of an image and a question.

    Its maps may be given as tensors of any framework that are arrays to numpy; they become arrays.

    >>> lower_half = Sight(np.array([[-3.0], [0.0]]), sure=1.0)
    >>> lower_half.basis
    'found'
    """

    logit: Held
    """Log-probability that a cell holds the answer, up to a constant: only differences matter, and
    the largest finite one is kept at 0. A map of another size than the grid is resized to it."""
    sure: float
    """How sure the scout is, from 0 (it cannot tell) to 1, that this is the right place."""
    size: Held | float | None = None
    """Height in pixels of what it looks for, for each cell or for all; None if it cannot tell."""
    size_error: float = 0.5
    """How well the height is known: one standard deviation, in octaves."""
    thing: Held | None = None
    """How far each cell holds a thing, which is known by its shape, and not print: from 0 to 1. Its
    height is then its shorter side. None for print everywhere."""
    elsewhere: Held | None = None
    """Where else the answer may stand, as weights of cells, as far as the scout is not sure; None
    for anywhere."""
    origin: str = "given"
    """Where the map came from, in a few words."""
    explanation: str = "The choice follows the scout that was given."
    """What the choice follows, and why, in a sentence."""
    unsure: str = ""
    """Why the scout cannot tell where to look, in a sentence, if it cannot (``sure`` is 0)."""
    question_used: bool | None = None
    """Whether anything in the question moved the map; None if the scout does not say."""
    matches: tuple[Match, ...] = ()
    """What it looked for by name, found or not."""
    answers: tuple[Answer, ...] = ()
    """What may be the answer on a page that was read, likeliest first."""
    whole: bool = False
    """Whether the question is about the whole picture."""
    matched: bool | None = None
    """Whether a word of the question was found, or perhaps; None if no words were looked for."""
    quoted: bool = False
    """Whether the question quotes what is printed."""
    compares: bool = False
    """Whether the question compares or counts, so that its words hardly say where to look."""
    unsupported: tuple[str, ...] = ()
    """Words of the question that were not looked for, because their script cannot be read."""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Anything else for a machine."""
    trained: Any = None
    """The tensor that was given as `logit`, if a gradient flows to it: engines hand it on."""

    def __post_init__(self) -> None:
        trained = self.logit if getattr(self.logit, "requires_grad", False) else self.trained
        object.__setattr__(self, "trained", trained)
        for name in ("logit", "size", "thing", "elsewhere"):
            if is_map(value := getattr(self, name)):
                object.__setattr__(self, name, as_array(value))
        # what is no map of numbers is refused by `check_sight`, which can name the scout
        if is_map(self.logit) and self.logit.dtype.kind in "fiub":
            object.__setattr__(self, "logit", anchored(self.logit))

    @property
    def found(self) -> tuple[Match, ...]:
        """The matches that are said to be found."""
        return tuple(match for match in self.matches if match.state == "found")

    @property
    def likely(self) -> tuple[Match, ...]:
        """The matches that count: found, or perhaps."""
        return tuple(match for match in self.matches if match.state != "missing")

    @property
    def basis(self) -> Basis:
        """What a plan by this map rests on.

        `found`: something that the question names was found, or the scout knows the place without
        a name, as a map that is given does. `guess`: it looked for names, and none was surely
        found. `unknown`: it had nothing to look for, or cannot tell where to look.

        >>> total = Match("total", probability=0.1, box=(0.0, 0.0, 1.0, 1.0))
        >>> Sight(np.zeros((2, 2)), sure=0.9, matches=(total,)).basis
        'guess'
        """
        if not self.sure:
            return "unknown"
        return "guess" if self.matches and not self.found else "found"


def with_words_of(sight: Sight, read: Sight) -> Sight:
    """A sight that also says what another scout made of the question's words."""
    return replace(
        sight,
        matched=read.matched,
        quoted=read.quoted,
        compares=read.compares,
        unsupported=read.unsupported,
        facts={**read.facts, **sight.facts},
    )


@runtime_checkable
class Scout(Protocol):
    """Says from pixels and a question where the answer may stand: any such function.

    >>> def lower_half(image, question, grid):
    ...     return Sight(np.array([[-3.0], [0.0]]), sure=1.0)
    >>> scout: Scout = lower_half
    >>> scout(np.zeros((3, 32, 32), np.uint8), "Where?", (2, 2)).sure
    1.0
    """

    def __call__(self, image: Pixels, question: str, grid: Grid, /) -> Sight:
        """A map over ``grid`` (rows and columns of cells), and how sure it is."""
        ...


@runtime_checkable
class LineScout(Scout, Protocol):
    """A scout that also takes the words of a page that was read."""

    def with_lines(self, image: Pixels, question: str, grid: Grid, lines: Lines, /) -> Sight:
        """The same of a page with ``lines``, in pixels of the image."""
        ...


def check_sight(sight: object, scout: object) -> Sight:
    """A scout's answer with a sound map: -inf comes last, +inf first, NaN is refused."""
    name = getattr(scout, "__name__", type(scout).__name__)
    if not isinstance(sight, Sight):
        raise TypeError(
            f"scout {name}: expected a homunculus.Sight, got {type(sight).__name__}. "
            "Return Sight(logit, sure=...)."
        )
    check_number(sight.sure, f"scout {name}: sure", 0, 1)
    return replace(sight, logit=check_map(sight.logit, f"scout {name}"))


def is_map(value: object) -> bool:
    """Whether this is an array, or a tensor that numpy can read; a number is neither.

    >>> is_map(np.eye(2)), is_map(np.float32(2.0)), is_map([[1.0]])
    (True, False, False)
    """
    return hasattr(value, "__array__") and not isinstance(value, Real)


def check_map(value: object, who: str) -> Map:
    """A map from outside as floats; ``who`` begins the message."""
    expected = f"{who}: expected a map of rows x cols, a number for each cell"
    if not is_map(value):
        raise ValueError(f"{expected}, got {type(value).__name__}. Return an array of numpy.")
    cells = as_array(value)
    if cells.ndim != 2 or not cells.size or cells.dtype.kind not in "fiub":
        raise ValueError(
            f"{expected}, got shape {cells.shape} of {cells.dtype}. "
            "Return one real number for each cell of a grid."
        )
    if missing := int(np.isnan(cells).sum()):
        raise ValueError(
            f"{expected}, got NaN at {missing} of {cells.size} cells. "
            "Use -inf for cells of no interest."
        )
    return anchored(cells).astype(np.float32, copy=False)


def anchored(logit: NDArray[Any]) -> NDArray[Any]:
    """A map less its largest finite value, as floats: what was added to all cells is gone.

    >>> anchored(np.array([[1003.0, 1001.0, -np.inf]]))
    array([[  0.,  -2., -inf]])
    """
    exact = logit if logit.dtype == np.float64 else logit.astype(np.float32)
    finite = exact[np.isfinite(exact)]
    return exact - finite.max() if finite.size else exact


def probabilities(logit: Map) -> Map:
    """A map of log-probabilities as probabilities that sum to one.

    Only differences matter. Infinities are bounded, so that no cell is certain or ruled out.

    >>> probabilities(np.array([[-200.0, -200.0, -300.0]])).round(3)
    array([[0.5, 0.5, 0. ]])
    """
    bounded = anchored(logit).clip(-80.0, 80.0)
    share = np.exp(bounded - bounded.max())
    return share / share.sum()


def resize_map(
    value: Float[np.ndarray, "*channels _rows _cols"], grid: Grid
) -> Float[np.ndarray, "*channels rows cols"]:
    """A map of any size on a grid; one that fits stays as it is, infinities and all.

    Linear between the middles of cells; when it shrinks, each cell is a mean of those it covers.

    >>> resize_map(np.array([[0.0, 8.0]]), (1, 4))
    array([[0., 2., 6., 8.]])
    """
    rows, cols = value.shape[-2:]
    if (rows, cols) == grid:
        return value
    finite = np.isfinite(value)
    if finite.all():
        return _along(_along(value, -2, grid[0]), -1, grid[1])
    out = resize_map(np.where(finite, value, 0), grid)
    for infinity in (np.inf, -np.inf):  # it reaches as far as its weight
        out[resize_map((value == infinity).astype(value.dtype), grid) > 0] = infinity
    return out


def _along(value: NDArray[Any], axis: int, want: int) -> NDArray[Any]:
    """A map with another number of cells on one of its last two axes."""
    if value.shape[axis] == want:
        return value
    cells, weights = _weights(value.shape[axis], want)
    return weighted_sums(value, axis, cells, weights.astype(value.dtype))


def weighted_sums(
    value: NDArray[Any],
    axis: int,
    cells: Int[np.ndarray, "most want"],
    weights: Num[np.ndarray, "most want"],
) -> NDArray[Any]:
    """Sums of some cells along one of the last two axes, each times its weight.

    Not a product of matrices: that would wake threads.

    >>> weighted_sums(np.array([[1, 2, 5]]), -1, np.array([[0, 1], [1, 2]]), np.array([[1, 1]] * 2))
    array([[3, 7]])
    """
    weights = weights[..., None] if axis == -2 else weights
    parts = (value.take(cell, axis) * weight for cell, weight in zip(cells, weights, strict=True))
    return reduce(np.add, parts)


@lru_cache(maxsize=64)
def _weights(
    have: int, want: int
) -> tuple[Int[np.ndarray, "most want"], Float[np.ndarray, "most want"]]:
    """Which of ``have`` cells make each of ``want``, and their shares: a triangle around its
    middle."""
    scale = np.float32(have / want)  # figures of 32 bits: as torch's
    reach = max(scale, np.float32(1.0))
    middle = scale * (np.arange(want, dtype=np.float32) + np.float32(0.5))
    first = np.floor(middle - reach).astype(int)
    cells = first + np.arange(int(2 * reach) + 3)[:, None]
    weight = (1 - np.abs(cells.astype(np.float32) - middle + np.float32(0.5)) / reach).clip(0)
    weight[(cells < 0) | (cells >= have)] = 0
    weight /= weight.sum(0)
    some = weight.any(1)
    out = cells[some].clip(0, have - 1), weight[some]
    for array in out:
        array.flags.writeable = False  # it is kept for all callers
    return out


def cell_side(size: Sequence[int], grid: Grid) -> int:
    """Pixels along a cell, from the size of an image and its grid.

    Several sides may fit a small image; those that models use come first.

    >>> cell_side((480, 640), (30, 40)), cell_side((100, 90), (4, 4)), cell_side((9, 9), (1, 1))
    (16, 28, 16)
    """
    pairs = list(zip(size, grid, strict=True))
    smallest = max(-(-pixels // cells) for pixels, cells in pairs)
    for side in (16, 14, 28, 32, 8, smallest):
        if all(-(-pixels // side) == cells for pixels, cells in pairs):
            return side
    raise ValueError(
        f"cell_side: no square cells make a grid of {grid[0]} x {grid[1]} on {size[0]} x {size[1]} "
        "pixels. Resize the map instead."
    )
