"""What a scout makes of a picture and a question: a `Sight`, and the matches that it rests on.

A scout is any function of (image, question, grid) that returns a `Sight`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, runtime_checkable

import torch
import torch.nn.functional as F
from jaxtyping import Float, UInt8
from torch import Tensor

from homunculus.checks import Grid, check_number

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


Basis = Literal["found", "guess", "unknown"]
"""What a plan rests on; see `Sight.basis`."""

Pixels = UInt8[Tensor, "3 _h _w"]
Map = Float[Tensor, "_rows _cols"]


@dataclass(frozen=True, eq=False)
class Sight:
    """What a scout makes of an image and a question.

    >>> lower_half = Sight(torch.tensor([[-3.0], [0.0]]), sure=1.0)
    >>> lower_half.basis
    'found'
    """

    logit: Tensor
    """Log-probability that a cell holds the answer, up to a constant: only differences matter, and
    the largest finite one is kept at 0. A map of another size than the grid is resized to it."""
    sure: float
    """How sure the scout is, from 0 (it cannot tell) to 1, that this is the right place."""
    size: Map | float | None = None
    """Height in pixels of what it looks for, for each cell or for all; None if it cannot tell."""
    size_error: float = 0.5
    """How well the height is known: one standard deviation, in octaves."""
    thing: Map | None = None
    """How far each cell holds a thing, which is known by its shape, and not print: from 0 to 1. Its
    height is then its shorter side. None for print everywhere."""
    elsewhere: Map | None = None
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

    def __post_init__(self) -> None:
        # what is no map of numbers is refused by `check_sight`, which can name the scout
        if isinstance(self.logit, Tensor) and not self.logit.is_complex():  # pyright: ignore[reportUnnecessaryIsInstance]
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
        >>> Sight(torch.zeros(2, 2), sure=0.9, matches=(total,)).basis
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
    ...     return Sight(torch.tensor([[-3.0], [0.0]]), sure=1.0)
    >>> scout: Scout = lower_half
    >>> scout(torch.zeros(3, 32, 32, dtype=torch.uint8), "Where?", (2, 2)).sure
    1.0
    """

    def __call__(self, image: Pixels, question: str, grid: Grid, /) -> Sight:
        """A map over ``grid`` (rows and columns of cells), and how sure it is."""
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


def check_map(value: object, who: str) -> Map:
    """A map from outside as floats; ``who`` begins the message."""
    expected = f"{who}: expected a map of rows x cols, a number for each cell"
    if not isinstance(value, Tensor):
        raise ValueError(f"{expected}, got {type(value).__name__}. Return a torch.Tensor.")
    if value.dim() != 2 or not value.numel() or value.is_complex():
        raise ValueError(
            f"{expected}, got shape {tuple(value.shape)} of {value.dtype}. "
            "Return one real number for each cell of a grid."
        )
    if missing := int(value.isnan().sum()):
        raise ValueError(
            f"{expected}, got NaN at {missing} of {value.numel()} cells. "
            "Use -inf for cells of no interest."
        )
    return anchored(value).float()


def anchored(logit: Tensor) -> Tensor:
    """A map less its largest finite value, as floats: what was added to all cells is gone.

    >>> anchored(torch.tensor([[1003.0, 1001.0, -torch.inf]]))
    tensor([[ 0., -2., -inf]])
    """
    exact = logit.to(torch.promote_types(logit.dtype, torch.float32))
    finite = exact.detach()[exact.isfinite()]
    return exact - finite.max() if finite.numel() else exact


def probabilities(logit: Map) -> Map:
    """A map of log-probabilities as probabilities that sum to one.

    Only differences matter. Infinities are bounded, so that no cell is certain or ruled out.

    >>> probabilities(torch.tensor([[-200.0, -200.0, -300.0]])).round(decimals=3)
    tensor([[0.5000, 0.5000, 0.0000]])
    """
    return torch.softmax(anchored(logit).flatten().clamp(-80.0, 80.0), 0).view(logit.shape)


def resize_map(value: Map, grid: Grid) -> Float[Tensor, "rows cols"]:
    """A map of any size on a grid; one that fits stays as it is, infinities and all."""
    if tuple(value.shape) == grid:
        return value
    return F.interpolate(value[None, None], grid, mode="bilinear", antialias=True)[0, 0]


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
