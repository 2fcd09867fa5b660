# pyright: basic
"""Rendered pages: documents and street signs with the exact place of every word, and questions.

``render(seed, ...)`` is a pure function of its arguments and of the fonts and words on the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from random import Random
from typing import Any

import numpy as np

from homunculus.lab.train import language
from homunculus.lab.train import noise as wear
from homunculus.lab.train.blocks import REPORT, TITLED, WHOLE, WINDOW, thinned
from homunculus.lab.train.figures import foot
from homunculus.lab.train.papers import heading
from homunculus.lab.train.sheet import CUT, WHOLE_SHARE, Fact, Sheet, Word, face
from homunculus.lazy import need

PLACES = 4
"""Words of a whole page that are asked for by name."""
SCENES = 0.25
"""Share of pages that are signs in front of a photo."""


@dataclass
class Page:
    """Grey pixels, every word printed on them, and what can be asked."""

    pixels: np.ndarray
    words: list[Word]
    facts: list[Fact]


def render(
    seed: int,
    high: int = 512,
    wide: int = 512,
    photos: Sequence[np.ndarray] = (),
    whole: bool = False,
) -> Page:
    """A page; a window into a larger one unless ``whole``, which has margins and questions."""
    rng, noise = Random(seed), np.random.default_rng(seed)
    scene = rng.random() < SCENES
    page = (
        _scene(rng, noise, high, wide, photos)
        if scene
        else _document(rng, noise, high, wide, whole)
    )
    page.facts += _places(page.words, rng) if whole else []
    return page


WHERE_ASK = (
    'Where is the word "{}"?', 'Where does it say "{}"?', 'Find the word "{}".', "Where is {}?",
    'Where is "{}" written?', 'Point to the text "{}".',
)  # fmt: skip


def _places(words: list[Word], rng: Random) -> list[Fact]:
    """Some words that are asked for by name: they are their own answer, wherever they stand."""
    texts = [word.text.strip(" .,:;()\"'") for word in words]
    fit = [at for at, text in enumerate(texts) if len(text) >= 3 and words[at].kind != CUT]
    return [
        Fact(
            rng.choice(WHERE_ASK).format(texts[at]),
            [other for other in fit if texts[other].lower() == texts[at].lower()],
            apart=True,
        )
        for at in rng.sample(fit, min(PLACES, len(fit)))
    ]


def _document(rng: Random, noise: Any, high: int, wide: int, whole: bool) -> Page:
    shrunk = [1.0, 1.5, 2.0, 2.0, 2.0]  # scans are shrunk to what a model sees
    # a page that is read is enlarged first: a window must know print that was small and is blurred
    scale = rng.choice(shrunk if whole else [0.58, 0.7, 1.0, 1.5, 2.0, 2.0])
    sheet = Sheet(rng, round(high * scale), round(wide * scale))
    (_fill_whole if whole else _fill_window)(sheet, scale)
    # fat print would fill the smallest letters
    ink = wear.printed(sheet.ink, rng, noise, scale) if scale >= 1 else sheet.ink
    matrix = wear.skew(
        rng, noise, sheet.high, sheet.wide, strength=1.0 if rng.random() < 0.6 else 0.0
    )
    ink, words = _laid(ink, sheet.words, matrix, scale, high, wide)
    facts = [fact for fact in sheet.facts if all(words[i].kind != CUT for i in fact.answer)]
    return Page(wear.scanned(ink, rng, noise), words, facts)


def _size(rng: Random) -> float:
    """Letters of 8 to 44 pixels, most of them small, as on pages."""
    at = rng.random()
    low, top = (8, 13) if at < 0.4 else (11, 20) if at < 0.75 else (18, 46)
    return exp(rng.uniform(log(low), log(top)))


def _fill_window(sheet: Sheet, scale: float) -> None:
    """Columns of blocks that run past the borders, as a window into a page sees them."""
    rng = sheet.rng
    columns = rng.choice([1, 1, 1, 2, 2, 3])
    start = -20 * scale if rng.random() < 0.5 else 6 * scale
    wide = (sheet.wide + (20 * scale if rng.random() < 0.5 else -6 * scale) - start) / columns
    for column in range(columns):
        y = rng.uniform(-12, 16) * scale
        while y < sheet.high - 8 * scale:
            style = face(rng, min(_size(rng) * scale, wide / 6))
            left = start + column * wide + rng.uniform(0, 10) * scale
            right = start + (column + 1) * wide - rng.uniform(2, 10) * scale
            block = rng.choice(WINDOW)
            if rng.random() < 0.15:
                y = heading(sheet, (left, y, right, sheet.high), style)
            deep = rng.uniform(0.2, 1.1) * sheet.high
            y = block(sheet, (left, y, right, min(y + deep, sheet.high + 20)), style)
            y += style.pitch * rng.uniform(0, 1.5)
    _lines(sheet, scale)


def _lines(sheet: Sheet, scale: float) -> None:
    """Frames and rules that mean nothing."""
    rng = sheet.rng
    for _ in range(rng.randint(0, 4) if rng.random() < 0.25 else 0):
        xs = sorted(rng.uniform(0, sheet.wide) for _ in range(2))
        ys = sorted(rng.uniform(0, sheet.high) for _ in range(2))
        if rng.random() < 0.5:
            sheet.frame(xs[0], ys[0], xs[1], ys[1], scale)
        else:
            sheet.rule(xs[0], ys[0], xs[1], scale)


def _fill_whole(sheet: Sheet, scale: float) -> None:
    """A page a person would hold: margins, one family of sizes, blocks from top to bottom."""
    rng = sheet.rng
    margin, size = rng.uniform(0.03, 0.12) * sheet.wide, exp(rng.uniform(log(10), log(19))) * scale
    kinds = rng.choice(WHOLE)
    left, right, bottom = margin, sheet.wide - margin, sheet.high - margin
    y = margin * rng.uniform(0.3, 1.5)
    style = face(rng, size)
    titled = len(kinds) == 1 and kinds[0] in TITLED
    if not titled:
        y = heading(sheet, (left, y, right, bottom), style)
    while y < bottom - 4 * style.pitch:
        full = len(kinds) == 1 and (titled or rng.random() < 0.7)
        deep = bottom if full else y + rng.uniform(0.12, 0.5) * sheet.high
        y = rng.choice(kinds)(sheet, (left, y, right, min(deep, bottom)), style)
        y += style.pitch * rng.uniform(0.5, 2)
        if titled:  # a page holds one letter; what is left of it is filled otherwise
            kinds, titled = REPORT, False
        if rng.random() < 0.4:
            style = face(rng, size * rng.uniform(0.8, 1.3))
    foot(sheet, (left, max(y, bottom + 0.1 * margin), right, sheet.high), style)
    sheet.facts = thinned(sheet.facts, rng)
    _lines(sheet, scale)


def _laid(
    ink: Any, words: list[Word], matrix: np.ndarray, scale: float, high: int, wide: int
) -> tuple[np.ndarray, list[Word]]:
    """Ink turned by the matrix and brought to size; the words' corners with it."""
    image = need("PIL.Image", "learn", "the page renderer")
    if not np.array_equal(matrix, np.eye(3)):
        back = np.linalg.inv(matrix)
        ink = ink.transform(
            ink.size,
            image.Transform.PERSPECTIVE,
            tuple((back / back[2, 2]).flat[:8]),
            image.Resampling.BILINEAR,
        )
    if ink.size != (wide, high):
        ink = ink.resize(
            (wide, high), image.Resampling.LANCZOS if scale > 1.2 else image.Resampling.BICUBIC
        )
    return np.asarray(ink, np.float32) / 255, [
        _moved(word, matrix, scale, high, wide) for word in words
    ]


def _moved(word: Word, matrix: np.ndarray, scale: float, high: int, wide: int) -> Word:
    corner = np.c_[word.quad, np.ones(4)] @ matrix.T
    quad = (corner[:, :2] / corner[:, 2:] / scale).astype(np.float32)
    low, top = quad.min(0), quad.max(0)
    left = np.clip(top, 0, (wide, high)) - np.clip(low, 0, (wide, high))
    whole = left.prod() >= WHOLE_SHARE * (top - low).prod()  # turning may push a word out
    return Word(word.text, quad, word.edges, word.kind if whole else CUT)


def _scene(rng: Random, noise: Any, high: int, wide: int, photos: Sequence[np.ndarray]) -> Page:
    """Signs, each with its own perspective, in front of a photo."""
    pixels = wear.background(rng, noise, high, wide, photos)
    words: list[Word] = []
    taken = np.zeros((high, wide), bool)
    for _ in range(rng.randint(6, 30)):  # most find no room
        sign = _sign(rng, wide)
        matrix = wear.tilt(rng, noise, sign, high, wide)
        corners = np.array(
            [[0, 0], [sign.wide, 0], [sign.wide, sign.high], [0, sign.high]], np.float32
        )
        at = np.c_[corners, np.ones(4)] @ matrix.T
        at = at[:, :2] / at[:, 2:]
        x0, y0 = np.clip(np.floor(at.min(0)), 0, (wide - 1, high - 1)).astype(int)
        x1, y1 = np.clip(np.ceil(at.max(0)), 1, (wide, high)).astype(int)
        if taken[y0:y1, x0:x1].any():
            continue
        taken[y0:y1, x0:x1] = True
        ink, moved = _laid_on(sign, matrix, high, wide)
        pixels = wear.painted(pixels, ink, at, rng)
        words += moved
    return Page(wear.photographed(pixels, rng, noise), words, [])


def _sign(rng: Random, wide: int) -> Sheet:
    """A few lines of one hand on a sheet just large enough."""
    size = exp(rng.uniform(log(9), log(60)))
    style = face(
        rng, size, typewriter=0.05, case=rng.choice(["upper", "upper", "title", "lower", "mixed"])
    )
    style.ink = 255
    lines = [
        [pair for _ in range(rng.choice([1, 1, 2, 3])) for pair in language.prose(rng)]
        for _ in range(rng.choice([1, 1, 2, 3, 4]))
    ]
    room = max(
        style.width([(language.cased(t, "upper", rng), k) for t, k in line]) for line in lines
    )
    edge = size * rng.uniform(0.2, 1)
    sheet = Sheet(
        rng,
        round(len(lines) * style.pitch + 2 * edge) + 2,
        round(min(room, 1.2 * wide) + 2 * edge) + 2,
    )
    for index, line in enumerate(lines):
        sheet.line(edge, edge + index * style.pitch, line, style, sheet.wide - edge / 2)
    return sheet


def _laid_on(
    sign: Sheet, matrix: np.ndarray, high: int, wide: int
) -> tuple[np.ndarray, list[Word]]:
    image = need("PIL.Image", "learn", "the page renderer")
    back = np.linalg.inv(matrix)
    ink = sign.ink.transform(
        (wide, high),
        image.Transform.PERSPECTIVE,
        tuple((back / back[2, 2]).flat[:8]),
        image.Resampling.BILINEAR,
    )
    return np.asarray(ink, np.float32) / 255, [
        _moved(word, matrix, 1.0, high, wide) for word in sign.words
    ]
