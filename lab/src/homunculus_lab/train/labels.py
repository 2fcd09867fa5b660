# pyright: basic
"""Labels of each 8 x 8 cell of a rendered page: the targets of the word net.

Words are drawn on 4 x 4 subcells first. A cell belongs to the word that holds most of its four
subcells; with only one it is neither inside nor outside, and is ignored.
"""

from dataclasses import dataclass

import numpy as np

from homunculus.scouts.words.net import ALPHABET, OTHER, STRIDE, fold
from homunculus_lab.train.canvas import PrintedWord
from homunculus_lab.train.pages import RenderedPage

SUB = STRIDE // 2
UNSURE = -1
"""A cell that is neither inside nor outside a word, or part of a word that the border cuts."""
IGNORE = 255
"""A character slot that is ignored."""


@dataclass(frozen=True)
class Labels:
    """Words, characters and kinds by cell of one page."""

    word: np.ndarray
    """rows cols: 0 no text, n the page's n-th word (from 1), -1 unsure."""
    letter: np.ndarray
    """rows cols 2: class of the character in the left and right slot; 255 is ignored."""
    texts: tuple[str, ...]
    """Folded, in the order of the page's words."""
    kinds: np.ndarray
    height: np.ndarray
    """Pixels from the top of a word to its bottom."""


def label(page: RenderedPage) -> Labels:
    """Label the cells of a page whose sides are multiples of 8."""
    high, wide = page.pixels.shape
    if high % STRIDE or wide % STRIDE:
        raise ValueError(
            f"label: expected sides that are multiples of {STRIDE}, got {high} x {wide}. "
            "Render crops of 512 x 512."
        )
    owner = np.zeros((high // SUB, wide // SUB), np.int16)
    letter = np.full(owner.shape, IGNORE, np.uint8)
    for number, word in enumerate(page.words, 1):
        _draw(owner, letter, number, word)
    cell, slots = _vote(owner, letter)
    return Labels(
        cell,
        slots,
        tuple(fold(word.text) for word in page.words),
        np.array([word.kind for word in page.words], np.int64),
        np.array([np.linalg.norm(word.quad[3] - word.quad[0]) for word in page.words], np.float32),
    )


def _draw(owner: np.ndarray, letter: np.ndarray, number: int, word: PrintedWord) -> None:
    """Draw one word on the subcells whose centres lie in its parallelogram."""
    quad = np.asarray(word.quad, np.float64)
    low = np.maximum(np.floor(quad.min(0) / SUB).astype(int), 0)
    top = np.minimum(np.ceil(quad.max(0) / SUB).astype(int), owner.shape[::-1])
    along, down = quad[1] - quad[0], quad[3] - quad[0]
    area = along[0] * down[1] - along[1] * down[0]
    if not word.text or area < 1 or (top <= low).any():
        return
    x = (np.arange(low[0], top[0]) + 0.5) * SUB - quad[0, 0]
    y = (np.arange(low[1], top[1])[:, None] + 0.5) * SUB - quad[0, 1]
    across = (x * down[1] - y * down[0]) / area
    under = (y * along[0] - x * along[1]) / area
    inside = (across >= 0) & (across < 1) & (under >= 0) & (under < 1)
    place = np.searchsorted(np.asarray(word.edges), across, side="right") - 1
    classes = np.array([letter_class(character) for character in word.text], np.uint8)
    here = np.s_[low[1] : top[1], low[0] : top[0]]
    owner[here][inside] = number if word.kind >= 0 else UNSURE
    letter[here][inside] = classes[place.clip(0, len(classes) - 1)][inside]


def _vote(owner: np.ndarray, letter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From subcells to cells: the word most of the four name, and its characters left and right."""
    rows, cols = owner.shape[0] // 2, owner.shape[1] // 2
    four = owner.reshape(rows, 2, cols, 2)  # rows upper-lower cols left-right
    flat = four.transpose(0, 2, 1, 3).reshape(rows, cols, 4)
    votes = (flat[..., :, None] == flat[..., None, :]).sum(-1) * (flat > 0)
    most = votes.argmax(-1)[..., None]
    winner = np.take_along_axis(flat, most, -1)[..., 0]
    count = np.take_along_axis(votes, most, -1)[..., 0]
    unsure = (count == 1) | (flat == UNSURE).any(-1)
    cell = np.where(count >= 2, winner, np.where(unsure, UNSURE, 0)).astype(np.int16)
    own = four == np.where(cell > 0, cell, UNSURE - 1)[:, None, :, None]
    characters = letter.reshape(rows, 2, cols, 2)
    lower = np.where(own[:, 1], characters[:, 1], IGNORE)
    return cell, np.where(own[:, 0], characters[:, 0], lower).astype(np.uint8)


def letter_class(letter: str) -> int:
    """The class of one printed character: its place in the alphabet, or `OTHER`."""
    plain = fold(letter)
    return ALPHABET.index(plain[0]) if plain else OTHER
