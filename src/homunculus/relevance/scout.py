# pyright: basic
"""Where relevance comes from: a given map, the answer's box, a scout, or pixels and places."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from homunculus.image import Picture
from homunculus.relevance import words as scouts
from homunculus.relevance.combine import mix
from homunculus.relevance.pixels import contrast, information
from homunculus.relevance.places import answer, hint
from homunculus.relevance.words import Scout, Sight

ELSEWHERE = 1 / 64
"""What a cell far from the place a question names keeps of its probability."""

Map = Float[Tensor, "rows cols"]
Pixels = Float[Tensor, "1 3 h w"]
Scorer = Callable[[Pixels, str, tuple[int, int]], Map]
"""Pixels from 0 to 1, the question and the grid in; a logit per level-0 cell out."""
Chosen = Scout | Literal["shipped"] | None
"""Which scout looks: one's own, the one in the package if it is there, or none."""


@dataclass(frozen=True, eq=False)
class Reason:
    """Why a method looks where it looks."""

    logit: Map
    """Of the level-0 cells."""
    origin: str
    """Where the logits came from, in a few words."""
    explanation: str
    """The same in a sentence."""
    question_used: bool | None
    """Whether anything in the question moved the logits; None where they were given."""
    sight: Sight | None = None
    """What the scout saw, if one looked; also where there was too little to go by."""


def reason(
    source: str,
    picture: Picture,
    pixels: Pixels,
    question: str = "",
    patch: int = 16,
    *,
    given: Tensor | Scorer | None = None,
    boxes: Sequence[Sequence[float | int]] | None = None,
    scout: Chosen = "shipped",
) -> Reason:
    """Logits of level-0 cells for a method that lives on ``source``, and where they come from.

    ``pixels`` are the picture's own from 0 to 1.
    """
    grid = picture.grid(patch)
    if source == "nothing":
        told = "This method looks at neither the picture nor the question."
        return Reason(torch.zeros(grid), "none (this method does not look)", told, False)
    if given is not None:
        found = given(pixels, question, grid) if callable(given) else given
        found = checked(found, "look: relevance is a map of rows x cols")
        return Reason(_onto(found, grid), "given", "The choice follows the map given.", None)
    if source == "answer":
        told = "The choice follows the answer's box, not the question."
        return Reason(_answered(picture, patch, boxes), "the answer's box", told, False)
    asks = source in ("question", "bands")
    sight = None
    if asks and question.strip() and (looking := chosen(scout)) is not None:
        sight = looking([picture.pixels], [question], patch)[0]
        if not sight.blank:
            return _from_words(looking.name, sight, question, grid)
    cause = _cause(source, question, sight)
    return _from_pixels(pixels, patch, question if asks else "", source != "pixels", cause, sight)


def chosen(scout: Chosen) -> Scout | None:
    """The scout that is meant; None if none is wanted, or the package has none."""
    return shipped() if scout == "shipped" else scout


def shipped() -> Scout | None:
    """The package's scout, loaded when it is first asked for; None if it cannot be."""
    return _loaded() if available() else None


def available() -> bool:
    """Whether the package's scout can be loaded; nothing is."""
    there = (scouts.WEIGHTS / "word-scout.safetensors").exists()
    return there and find_spec("safetensors") is not None


@lru_cache(maxsize=1)
def _loaded() -> Scout:
    return scouts.load()


# ---- sources -------------------------------------------------------------------------------------


def _answered(picture: Picture, patch: int, boxes: Sequence[Sequence[float | int]] | None) -> Map:
    """The answer's boxes, given in pixels of the original."""
    if not boxes:
        raise ValueError(
            "look: this method is told the answer's place, and no box came: "
            "give boxes x0 y0 x1 y1 in pixels."
        )
    (down, across), (high, wide) = picture.size, picture.original
    scale = torch.tensor([across / wide, down / high] * 2).double()
    scaled = (torch.tensor(boxes).view(-1, 4).double() * scale).tolist()
    return answer(picture.grid(patch), scaled, patch)


def _from_words(name: str, sight: Sight, question: str, grid: tuple[int, int]) -> Reason:
    """The scout's log-probabilities; a place the question names makes the rest less likely."""
    (short, sentence), used = _outcome(sight), sight.matched or bool(sight.words)
    logit, origin = _onto(sight.logit, grid), f"{name}: {short}"
    place = hint(question, grid)
    if place is None:
        return Reason(logit, origin, sentence, used, sight)
    logit = logit + place.clamp(min=ELSEWHERE).log()
    sentence = f"{sentence} It prefers the place that the question names."
    return Reason(logit, f"{origin} + named place", sentence, True, sight)


def _outcome(sight: Sight) -> tuple[str, str]:
    """What became of the question's words: in a few words, and in a sentence."""
    many, found = len(sight.words), len(sight.found)
    if sight.matched:
        short, words = f"{found} of {many} found", "word" if many == 1 else "words"
        was, them = ("was", "it") if found == 1 else ("were", "them")
        sentence = (
            f"{found} of {many} {words} of the question {was} found; the choice follows {them}."
        )
    elif sight.words:
        short = "none found; follows text and the kind of answer"
        sentence = (
            "No word of the question was found in the picture; the choice follows what looks like "
            "text and the kind of answer asked for, so it may miss the answer."
        )
    else:
        short = "none to look for; follows text, not the question"
        sentence = (
            "The question has no word that the scout can look for; the choice follows what looks "
            "like text, not the question."
        )
    if strange := sight.unsupported:
        short = f"{short} ({len(strange)} in a script it cannot read)"
        sentence += f" Not looked for, in a script that it cannot read: {', '.join(strange)}."
    return short, sentence


def _cause(source: str, question: str, sight: Sight | None) -> tuple[str, str]:
    """Why relevance comes from pixels: in a few words, and as the beginning of a sentence."""
    if source == "pixels":
        return "", "This method does not use the question"
    if source == "another question":
        return " (one picture has no other question)", "One picture has no other question"
    if not question.strip():
        return " (no question)", "There is no question"
    if sight is None:
        return " (question not read)", "The words of the question were not looked for"
    return " (hardly any text)", "Hardly any text was found in the picture"


def _from_pixels(
    pixels: Pixels, patch: int, question: str, busy: bool, cause: tuple[str, str],
    sight: Sight | None,
) -> Reason:  # fmt: skip
    """What stands out; with ``busy`` also what is there; and the place that the question names."""
    maps = {"perspectival": contrast(pixels, patch)[0]}
    (rows, cols), origin = maps["perspectival"].shape, f"pixels{cause[0]}"
    if busy:
        maps["propositional"] = information(pixels, patch)[0]
    follows = ", not the question" if question.strip() else ""
    if (place := hint(question, (rows, cols))) is not None:
        maps["participatory"], origin = place, f"{origin} + named place"
        follows = " and the place that the question names"
    flat = {way: one.reshape(1, -1) for way, one in maps.items()}
    logit = mix(flat, torch.ones(1, rows * cols, dtype=torch.bool)).view(rows, cols)
    sentence = f"{cause[1]}; the choice follows what stands out in the pixels{follows}."
    return Reason(logit, origin, sentence, place is not None, sight)


def checked(given: Any, expected: str) -> Map:
    """Relevance from outside as a map of floats: -inf comes last, +inf first, NaN is refused.

    ``expected`` begins the message.
    """
    if not isinstance(given, Tensor):
        got = type(given).__name__
        raise ValueError(f"{expected}, got {got}. Return a torch.Tensor.")
    if given.dim() != 2 or not given.numel() or given.is_complex():
        raise ValueError(
            f"{expected}, got shape {tuple(given.shape)} of {given.dtype}. "
            "Return one real number for each cell of a grid."
        )
    if missing := int(given.isnan().sum()):
        raise ValueError(
            f"{expected}, got NaN at {missing} of {given.numel()} cells. "
            "Use -inf for cells of no interest."
        )
    return given.float()


def _onto(given: Tensor, grid: tuple[int, int]) -> Map:
    """A map of any size onto the grid."""
    if given.dim() != 2:
        raise ValueError(f"look: relevance is a map of rows x cols, got shape {tuple(given.shape)}")
    if tuple(given.shape) == grid:  # as it is, infinities and all
        return given.float()
    return F.interpolate(given[None, None].float(), grid, mode="bilinear", antialias=True)[0, 0]
