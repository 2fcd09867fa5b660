"""Scouts by name: the registry, the default one, and those of pixels, of a map and of nothing.

A scout is any callable of (image, question, grid) that returns a `Sight`. The default looks for the
question's words on the page and for the things that it names. Where there is neither, relevance
comes from pixels and from places that a question names ("bottom right"), and the result says so.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from homunculus.cache import LRU
from homunculus.checks import Grid
from homunculus.lazy import how_to_install, load_plugins, not_found
from homunculus.pages.lines import Lines
from homunculus.pages.text_layer import SOURCE as TEXT_LAYER
from homunculus.scouts import things, words
from homunculus.scouts.combine import combine, mix, pool
from homunculus.scouts.memory import MEMORY
from homunculus.scouts.pixels import contrast, information
from homunculus.scouts.places import asks_for_all, hint
from homunculus.scouts.reading import ReadingScout
from homunculus.scouts.reading.ranker import load_ranker
from homunculus.scouts.sight import (
    Pixels,
    Scout,
    Sight,
    cell_side,
    check_map,
    is_map,
    with_words_of,
)
from homunculus.scouts.things import ThingScout
from homunculus.scouts.words import WordSight
from homunculus.scouts.words.cache import PageFeatures, page_cache


@runtime_checkable
class MapLike(Protocol):
    """An array of numpy, or a tensor that becomes one."""

    def __array__(self) -> NDArray[Any]: ...


ScoutLike = str | Path | MapLike | Scout
"""A name of the registry, a folder with weights of the word scout, a map, or a scout itself."""

PageReader = Callable[[Pixels, str, Grid], WordSight]
"""The word scout, or another that reads pages."""

GROUP = "homunculus.scouts"
"""The entry points by which other packages offer scouts."""
HINT = f"Things were not looked for: {how_to_install('things')}."
ELSEWHERE = 1 / 64
"""What a cell far from the place a question names keeps of its probability."""


# ---- the registry --------------------------------------------------------------------------------


@cache
def list_scouts() -> Mapping[str, Callable[[], Scout]]:
    """All scouts by name, each as a function that makes one.

    Ours, then those that other packages offer under the entry-point group `homunculus.scouts`.

    >>> list(list_scouts())[:5]
    ['auto', 'reading', 'words', 'things', 'pixels']
    """
    table: dict[str, Callable[[], Scout]] = {
        "auto": lambda: WordsAndThings(WordsOrPixels(shipped()), shipped_things(), reading()),
        "reading": reading,
        "words": lambda: WordsOrPixels(_word_scout(None)),
        "things": _thing_scout,
        "pixels": PixelScout,
        "none": NoScout,
    }

    def add(name: str, make: object) -> None:
        if not callable(make):
            raise TypeError(f"it must be a function that makes a scout, got {type(make).__name__}")
        if name in table:
            raise ValueError(f"there is already a scout {name!r}, rename yours")
        table[name] = cache(cast(Callable[[], Scout], make))  # it may load weights

    _failed[:] = load_plugins(GROUP, add)
    return table


_failed: list[tuple[str, str]] = []
"""Entry points that could not be loaded, and why; `list_scouts` fills it."""


def get_scout(scout: ScoutLike) -> Scout:
    """The scout that is meant: by name, by a folder with weights, as a map, or itself.

    >>> scout = get_scout(np.eye(4))  # logits: the diagonal
    >>> scout(np.zeros((3, 64, 64), np.uint8), "", (4, 4)).sure
    1.0
    """
    if is_map(scout):
        check_map(scout, "scout")
        return GivenMap(scout)
    if isinstance(scout, str) and scout in list_scouts():
        return list_scouts()[scout]()
    if isinstance(scout, Path) or (isinstance(scout, str) and Path(scout).is_dir()):
        return WordsOrPixels(_word_scout(Path(scout)))
    if isinstance(scout, str):
        raise ValueError(_unknown(scout))
    if not callable(scout):
        raise TypeError(
            "scout: expected a name, a folder, a map or a function of (image, question, grid), "
            f"got {type(scout).__name__}."
        )
    return scout


def check_scout(scout: str) -> None:
    """Refuse a name that is no scout and no folder with weights; nothing is loaded."""
    if scout in list_scouts():
        return
    if not Path(scout).is_dir():
        raise ValueError(_unknown(scout))
    words.files_of(Path(scout))


def _unknown(name: str) -> str:
    instead = f"There are {', '.join(list_scouts())}, or give a folder of weights."
    return not_found("scout", name, list_scouts(), _failed, instead)


# ---- the default: words and things, or pixels ----------------------------------------------------


@dataclass(frozen=True, eq=False)
class WordsAndThings:
    """Looks for the question's words and for the things that it names."""

    words: "WordsOrPixels"
    things: Scout | None
    """None where no detector is installed."""
    reading: ReadingScout
    """Ranks the words of a page that was read."""

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        return self._with_things(self.words(image, question, grid), image, question, grid)

    def _with_things(self, read: Sight, image: Pixels, question: str, grid: Grid) -> Sight:
        """What was read, and the things that the question names."""
        if not question.strip() or read.whole:
            return read
        if self.things is not None:
            seen = at_named_place(self.things(image, question, grid), question, grid)
            return combine(read, seen, question, grid)
        if read.sure:
            return read
        unsure = f"{read.unsure} {HINT}".lstrip()
        return replace(read, explanation=f"{read.explanation} {HINT}", unsure=unsure)

    def with_lines(self, image: Pixels, question: str, grid: Grid, lines: Lines) -> Sight:
        """The same on a page that was read: its words are ranked.

        A text layer is exact, so the pixels are looked at only where it has none of the question's
        words. An OCR misreads, so the word scout has a say.
        """
        if not question.strip() or asks_for_all(question) or not len(lines):
            return self(image, question, grid)
        read = self.reading.with_lines(image, question, grid, lines)
        placed = at_named_place(read, question, grid)
        if lines.source == TEXT_LAYER and read.matched:
            return placed
        spotted = self.words(image, question, grid)
        if not read.matched:
            looked = self._with_things(spotted, image, question, grid)
            if looked.likely:  # a thing, or print inside a picture of the page
                return looked
        return pool(placed, spotted, grid)


@dataclass(frozen=True, eq=False)
class WordsOrPixels:
    """Looks for the question's words; goes by pixels where there is nothing to read."""

    words: PageReader | None
    """Reads the page; None where there is no word scout."""
    side: int | None = None
    """Pixels along a cell; None to tell it from the image and the grid."""

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        if not question.strip():
            pixels = PixelScout(" (no question)", "There is no question", side=self.side)
            return pixels(image, question, grid)
        if asks_for_all(question):
            return _everywhere(grid)
        if self.words is None:
            return PixelScout(side=self.side)(image, question, grid)
        sight = self.words(image, question, grid)
        if not sight.blank:
            return at_named_place(sight, question, grid)
        why = "Hardly any text was found in the picture"
        pixels = PixelScout(" (hardly any text)", why, side=self.side)(image, question, grid)
        return with_words_of(replace(pixels, matches=sight.matches), sight)


def _everywhere(grid: Grid) -> Sight:
    """A sight for questions about the whole picture: every cell counts alike."""
    why = "The question is about the whole picture."
    return Sight(
        np.zeros(grid, np.float32),
        sure=0.0,
        origin="the whole picture",
        explanation=f"{why} So no place counts more than another.",
        unsure=why,
        question_used=True,
        whole=True,
    )


def at_named_place(sight: Sight, question: str, grid: Grid) -> Sight:
    """A place that the question names makes the rest of the picture less likely."""
    place = hint(question, grid)
    if place is None:
        return sight
    return replace(
        sight,
        logit=sight.logit + np.log(place.clip(ELSEWHERE)),
        origin=f"{sight.origin} + named place",
        explanation=f"{sight.explanation} It prefers the place that the question names.",
        question_used=True,
    )


def reading() -> ReadingScout:
    """The scout of pages that were read, with its ranker."""
    return ReadingScout(load_ranker())


def shipped() -> PageReader | None:
    """The package's word scout, loaded when it is first asked for; None if it cannot be."""
    return _word_scout(None) if available() else None


def available() -> bool:
    """Whether the package's word scout can be loaded; nothing is."""
    return (words.WEIGHTS / words.FILE).exists() and find_spec("onnxruntime") is not None


@lru_cache(maxsize=4)
def _word_scout(folder: Path | None) -> PageReader:
    return words.load(folder, _page_cache())


def _page_cache() -> LRU[str, PageFeatures]:
    """A cache of pages as large as the environment says."""
    megabytes = os.environ.get(MEMORY)
    if not megabytes:
        return page_cache()
    if not megabytes.isdecimal():
        raise ValueError(f"{MEMORY} must be a whole number of megabytes, got {megabytes!r}.")
    return page_cache(int(megabytes) << 20)


def shipped_things() -> Scout | None:
    """The package's thing scout; None if its runtime is not installed."""
    return _thing_scout() if things.available() else None


@cache
def _thing_scout() -> ThingScout:
    return ThingScout(things.shipped())


@dataclass(frozen=True)
class PixelScout:
    """What stands out, what is there, and the place that the question names. It is never sure."""

    note: str = " (question not read)"
    """Why relevance comes from pixels, in a few words."""
    because: str = "The words of the question were not looked for"
    """Why relevance comes from pixels, as the beginning of a sentence."""
    flat: bool = False
    """Whether only what stands out counts."""
    reads: bool = True
    """Whether places that the question names count."""
    side: int | None = None
    """Pixels along a cell; None to tell it from the image and the grid."""

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        side = self.side or cell_side(image.shape[1:], grid)
        maps = {"saliency": contrast(image, side)}
        if not self.flat:
            maps["information"] = information(image, side)
        asks, origin = self.reads and bool(question.strip()), f"pixels{self.note}"
        follows = "the choice follows what stands out in the pixels"
        place = hint(question, grid) if asks else None
        if place is not None:
            maps["question"], origin = place, f"{origin} + named place"
            follows += " and the place that the question names"
        elif asks:
            follows += ", not the question"
        return Sight(
            mix(maps),
            sure=0.0,
            origin=origin,
            explanation=f"{self.because}; {follows}.",
            unsure=f"{self.because}.",
            question_used=place is not None,
        )


# ---- given ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class GivenMap:
    """One map for whatever image and question."""

    logit: Any
    """An array or a tensor; a gradient may flow to the latter."""

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        return Sight(self.logit, sure=1.0, explanation="The choice follows the map given.")


@dataclass(frozen=True)
class NoScout:
    """Knows nothing: planned views are then the whole picture, resized."""

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        return Sight(
            np.zeros(grid, np.float32),
            sure=0.0,
            origin="nothing",
            explanation="No scout was asked, so the whole picture counts alike.",
            question_used=False,
        )
