"""Whether a text layer tells what is printed: by its ink, and by its letters.

The layer of a scan may belong to another page, be shifted, or be of another scale; text may be
white; and a font may call its letters what it likes.
"""

import re
from unicodedata import normalize

import numpy as np

from homunculus.pages.lines import Lines
from homunculus.shapes import Float, UInt8

SAMPLE = 48
"""Words whose ink is looked at; 2 ms."""
CONTRAST = 40
"""Levels of 255 between the darkest and the brightest pixel of a word that is printed."""
RING = 0.25
"""Heights of a word around it that should hold less ink than the word."""
SPILL = 0.5
"""A word fits if there is at most so much of its ink around it, pixel for pixel."""
TRUSTED = 0.45
"""Share of words that must be printed where they are said to be, and fit. 41 pages of DocVQA
with their words all have it; moved or scaled in ten ways, two of 410."""
UNKNOWN = 0.2
"""Share of letters without a meaning, such as private ones, from which text is not used."""
MIN_WORDS, MIN_LETTERS = 12, 60
"""Words and letters of Latin script from which these are judged."""
COMMON, WITHOUT = 0.45, 0.08
"""Words have wrong letters if fewer of their letters than that are among the eight most common ones
and more words than that have no vowel. True of one of 41 pages of DocVQA, one of codes, and of all
41 if every letter is another one of a shifted alphabet. Letters of ten other languages are nearly
as common, Welsh ones less, but its words have vowels."""
MOST_COMMON = frozenset("etaoinsr")
VOWELS = re.compile("[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœąęěėīıįōőůűųū]")
LATIN = re.compile("[a-zß-öø-ſ]{3,}")
PRIVATE = re.compile("[\\x00-\\x1f\\x7f-\\x9f\ue000-\uf8ff\ufff0-\uffff\U000f0000-\U0010ffff]")


def doubt(lines: Lines, pixels: UInt8[np.ndarray, "3 h w"]) -> str:
    """Why a text layer is not used, as the end of a sentence; empty if it can be."""
    return odd_letters(lines) or odd_places(lines, pixels)


def odd_letters(lines: Lines) -> str:
    """Why its letters are doubted, as the end of a sentence; empty if they are not."""
    letters = "".join(lines.words)
    unknown = len(PRIVATE.findall(letters)) / max(1, len(letters))
    if unknown > UNKNOWN:
        return f"{unknown:.0%} of its letters have no meaning"
    words = [word for text in lines.words for word in LATIN.findall(text.lower())]
    latin = [letter for letter in normalize("NFD", "".join(words)) if "a" <= letter <= "z"]
    if len(words) < MIN_WORDS or len(latin) < MIN_LETTERS:
        return ""
    common = sum(letter in MOST_COMMON for letter in latin) / len(latin)
    without = sum(not VOWELS.search(word) for word in words) / len(words)
    if common < COMMON and without > WITHOUT:
        return "its letters do not make words, so its font is likely to name them wrongly"
    return ""


def odd_places(lines: Lines, pixels: UInt8[np.ndarray, "3 h w"]) -> str:
    """Why its places are doubted, in the same way."""
    step = max(1.0, len(lines) / SAMPLE)
    chosen = np.arange(min(SAMPLE, len(lines))) * step
    boxes = lines.boxes[chosen.astype(int)]
    inside, around = np.array([ink(pixels, box) for box in boxes]).T
    printed = inside > 0
    fits = printed & (around < SPILL * inside)
    if fits.mean() >= TRUSTED:
        return ""
    blank, beside = 1 - printed.mean(), (printed & ~fits).mean()
    if blank >= beside:
        return f"{blank:.0%} of its words stand where nothing is printed"
    return f"{beside:.0%} of its words do not stand on what is printed, but across it"


def ink(pixels: UInt8[np.ndarray, "3 h w"], box: Float[np.ndarray, "4"]) -> tuple[float, float]:
    """Shares of ink in a box, and around it or on its sides, whichever is more; both are 0 if
    nothing is printed there.

    The sides tell most: a box that is off by whole lines still holds ink, but begins and ends
    within words."""
    high, wide = pixels.shape[1:]
    x0, y0, x1, y1 = box.tolist()
    pad = max(2, round(RING * (y1 - y0)))
    left, top = max(0, int(x0)), max(0, int(y0))
    right, low = min(wide, int(x1) + 1), min(high, int(y1) + 1)
    if left >= right or top >= low:
        return 0.0, 0.0
    word = pixels[:, top:low, left:right]
    dark, bright = word.min((1, 2)).astype(int), word.max((1, 2)).astype(int)
    plane = int((bright - dark).argmax())  # print may differ from its ground in colour alone
    if bright[plane] - dark[plane] < CONTRAST:
        return 0.0, 0.0
    x, y = max(0, left - pad), max(0, top - pad)
    marks = pixels[plane, y : low + pad, x : right + pad] < (dark[plane] + bright[plane]) / 2
    rows = marks[top - y : low - y]
    inner = rows[:, left - x : right - x]
    if 2 * np.count_nonzero(marks) > marks.size:  # white print on black
        marks, rows, inner = ~marks, ~rows, ~inner
    count = np.count_nonzero(inner)
    outer = np.count_nonzero(marks) - count
    around = outer / max(1, marks.size - inner.size)
    beside = np.concatenate((rows[:, : left - x], rows[:, right - x :]), 1)
    around = max(around, np.count_nonzero(beside) / max(1, beside.size))
    return max(count, 1) / inner.size, around
