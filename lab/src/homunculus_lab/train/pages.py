# pyright: basic
"""Rendered pages: documents and street signs with the exact box of every word, and questions.

``render(seed, ...)`` is a pure function of its arguments and of the fonts and words on the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log
from random import Random
from typing import Any

import numpy as np
from PIL import Image

from homunculus_lab.train import language, noise, wordings
from homunculus_lab.train.blocks import REPORT, TITLED, WHOLE, WINDOW, sample_facts
from homunculus_lab.train.canvas import CUT, WHOLE_SHARE, Canvas, Fact, PrintedWord, face
from homunculus_lab.train.figures import foot
from homunculus_lab.train.papers import heading

TEXTS = wordings.read()["pages"]

PLACES = 4
"""Questions of a whole page for a word by name."""
SCENES = 0.25
"""Share of pages that are signs in front of a photo."""


@dataclass
class RenderedPage:
    """Grey pixels, every word printed on them, and questions with answers."""

    pixels: np.ndarray
    words: list[PrintedWord]
    facts: list[Fact] = field(default_factory=list)


def render(
    seed: int,
    high: int = 512,
    wide: int = 512,
    photos: Sequence[np.ndarray] = (),
    whole: bool = False,
    scanned: bool = True,
) -> RenderedPage:
    """A page; a window into a larger one unless ``whole``, which has margins and questions.

    Where nobody looks at the pixels they need not be ``scanned``: their noise takes long.
    """
    rng, generator = Random(seed), np.random.default_rng(seed)
    scene = rng.random() < SCENES
    page = (
        _scene(rng, generator, high, wide, photos)
        if scene
        else _document(rng, generator, high, wide, whole, scanned)
    )
    page.facts += _places(page.words, rng) if whole else []
    return page


def _places(words: list[PrintedWord], rng: Random) -> list[Fact]:
    """Questions for a word by name: every place of the word is an answer."""
    texts = [word.text.strip(" .,:;()\"'") for word in words]
    fit = [index for index, text in enumerate(texts) if len(text) >= 3 and words[index].kind != CUT]
    return [
        Fact(
            rng.choice(TEXTS["where"]).format(texts[index]),
            [other for other in fit if texts[other].lower() == texts[index].lower()],
            apart=True,
        )
        for index in rng.sample(fit, min(PLACES, len(fit)))
    ]


def _document(
    rng: Random, generator: Any, high: int, wide: int, whole: bool, scanned: bool
) -> RenderedPage:
    shrunk = [1.0, 1.5, 2.0, 2.0, 2.0]  # scans are shrunk to what a model sees
    # a scout enlarges pages before it reads: windows hold small print that was enlarged, too
    scale = rng.choice(shrunk if whole else [0.58, 0.7, 1.0, 1.5, 2.0, 2.0])
    canvas = Canvas(rng, round(high * scale), round(wide * scale))
    (_fill_whole if whole else _fill_window)(canvas, scale)
    # fat print would fill the smallest letters
    ink = noise.degrade_print(canvas.ink, rng, generator, scale) if scale >= 1 else canvas.ink
    matrix = noise.skew(
        rng, generator, canvas.high, canvas.wide, strength=1.0 if rng.random() < 0.6 else 0.0
    )
    ink, words = _warp_page(ink, canvas.words, matrix, scale, high, wide)
    facts = [fact for fact in canvas.facts if all(words[i].kind != CUT for i in fact.answer)]
    return RenderedPage(noise.scan(ink, rng, generator) if scanned else ink, words, facts)


def _size(rng: Random) -> float:
    """Letters of 8 to 44 pixels, most of them small, as on pages."""
    chance = rng.random()
    low, top = (8, 13) if chance < 0.4 else (11, 20) if chance < 0.75 else (18, 46)
    return exp(rng.uniform(log(low), log(top)))


def _fill_window(canvas: Canvas, scale: float) -> None:
    """Columns of blocks that run past the borders, as a window into a page sees them."""
    rng = canvas.rng
    columns = rng.choice([1, 1, 1, 2, 2, 3])
    start = -20 * scale if rng.random() < 0.5 else 6 * scale
    wide = (canvas.wide + (20 * scale if rng.random() < 0.5 else -6 * scale) - start) / columns
    for column in range(columns):
        y = rng.uniform(-12, 16) * scale
        while y < canvas.high - 8 * scale:
            style = face(rng, min(_size(rng) * scale, wide / 6))
            left = start + column * wide + rng.uniform(0, 10) * scale
            right = start + (column + 1) * wide - rng.uniform(2, 10) * scale
            block = rng.choice(WINDOW)
            if rng.random() < 0.15:
                y = heading(canvas, (left, y, right, canvas.high), style)
            deep = rng.uniform(0.2, 1.1) * canvas.high
            y = block(canvas, (left, y, right, min(y + deep, canvas.high + 20)), style)
            y += style.pitch * rng.uniform(0, 1.5)
    _lines(canvas, scale)


def _lines(canvas: Canvas, scale: float) -> None:
    """Random frames and rules."""
    rng = canvas.rng
    for _ in range(rng.randint(0, 4) if rng.random() < 0.25 else 0):
        xs = sorted(rng.uniform(0, canvas.wide) for _ in range(2))
        ys = sorted(rng.uniform(0, canvas.high) for _ in range(2))
        if rng.random() < 0.5:
            canvas.frame(xs[0], ys[0], xs[1], ys[1], scale)
        else:
            canvas.rule(xs[0], ys[0], xs[1], scale)


def _fill_whole(canvas: Canvas, scale: float) -> None:
    """A whole page: margins, one family of sizes, blocks from top to bottom."""
    rng = canvas.rng
    margin, size = rng.uniform(0.03, 0.12) * canvas.wide, exp(rng.uniform(log(10), log(19))) * scale
    kinds = rng.choice(WHOLE)
    left, right, bottom = margin, canvas.wide - margin, canvas.high - margin
    y = margin * rng.uniform(0.3, 1.5)
    style = face(rng, size)
    titled = len(kinds) == 1 and kinds[0] in TITLED
    if not titled:
        y = heading(canvas, (left, y, right, bottom), style)
    while y < bottom - 4 * style.pitch:
        full = len(kinds) == 1 and (titled or rng.random() < 0.7)
        deep = bottom if full else y + rng.uniform(0.12, 0.5) * canvas.high
        y = rng.choice(kinds)(canvas, (left, y, right, min(deep, bottom)), style)
        y += style.pitch * rng.uniform(0.5, 2)
        if titled:  # a page holds one letter; the rest is filled with other blocks
            kinds, titled = REPORT, False
        if rng.random() < 0.4:
            style = face(rng, size * rng.uniform(0.8, 1.3))
    foot(canvas, (left, max(y, bottom + 0.1 * margin), right, canvas.high), style)
    canvas.facts = sample_facts(canvas.facts, rng)
    _lines(canvas, scale)


def _warp_page(
    ink: Any, words: list[PrintedWord], matrix: np.ndarray, scale: float, high: int, wide: int
) -> tuple[np.ndarray, list[PrintedWord]]:
    """Ink and corners of words, transformed by the matrix and scaled to size."""
    if not np.array_equal(matrix, np.eye(3)):
        ink = _warp(ink, matrix, ink.size)
    if ink.size != (wide, high):
        ink = ink.resize(
            (wide, high), Image.Resampling.LANCZOS if scale > 1.2 else Image.Resampling.BICUBIC
        )
    return np.asarray(ink, np.float32) / 255, [
        _transform_word(word, matrix, scale, high, wide) for word in words
    ]


def _warp(ink: Any, matrix: np.ndarray, size: tuple[int, int]) -> Any:
    """An image in perspective."""
    back = np.linalg.inv(matrix)
    flat = tuple((back / back[2, 2]).flat[:8])
    return ink.transform(size, Image.Transform.PERSPECTIVE, flat, Image.Resampling.BILINEAR)


def _transform_word(
    word: PrintedWord, matrix: np.ndarray, scale: float, high: int, wide: int
) -> PrintedWord:
    corner = np.c_[word.quad, np.ones(4)] @ matrix.T
    quad = (corner[:, :2] / corner[:, 2:] / scale).astype(np.float32)
    low, top = quad.min(0), quad.max(0)
    left = np.clip(top, 0, (wide, high)) - np.clip(low, 0, (wide, high))
    whole = left.prod() >= WHOLE_SHARE * (top - low).prod()  # rotation may push a word out
    return PrintedWord(word.text, quad, word.edges, word.kind if whole else CUT)


def _scene(
    rng: Random, generator: Any, high: int, wide: int, photos: Sequence[np.ndarray]
) -> RenderedPage:
    """Signs, each with its own perspective, in front of a photo."""
    pixels = noise.background(rng, generator, high, wide, photos)
    words: list[PrintedWord] = []
    occupied = np.zeros((high, wide), bool)
    for _ in range(rng.randint(6, 30)):  # most do not fit
        sign = _sign(rng, wide)
        matrix = noise.tilt(rng, generator, sign, high, wide)
        corners = np.array(
            [[0, 0], [sign.wide, 0], [sign.wide, sign.high], [0, sign.high]], np.float32
        )
        outline = np.c_[corners, np.ones(4)] @ matrix.T
        outline = outline[:, :2] / outline[:, 2:]
        x0, y0 = np.clip(np.floor(outline.min(0)), 0, (wide - 1, high - 1)).astype(int)
        x1, y1 = np.clip(np.ceil(outline.max(0)), 1, (wide, high)).astype(int)
        if occupied[y0:y1, x0:x1].any():
            continue
        occupied[y0:y1, x0:x1] = True
        ink, sign_words = _warp_sign(sign, matrix, high, wide)
        pixels = noise.paint_sign(pixels, ink, outline, rng)
        words += sign_words
    return RenderedPage(noise.photograph(pixels, rng, generator), words, [])


def _sign(rng: Random, wide: int) -> Canvas:
    """A few lines in one font on a canvas just large enough."""
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
        style.width([(language.set_case(t, "upper", rng), k) for t, k in line]) for line in lines
    )
    edge = size * rng.uniform(0.2, 1)
    canvas = Canvas(
        rng,
        round(len(lines) * style.pitch + 2 * edge) + 2,
        round(min(room, 1.2 * wide) + 2 * edge) + 2,
    )
    for index, line in enumerate(lines):
        canvas.line(edge, edge + index * style.pitch, line, style, canvas.wide - edge / 2)
    return canvas


def _warp_sign(
    sign: Canvas, matrix: np.ndarray, high: int, wide: int
) -> tuple[np.ndarray, list[PrintedWord]]:
    ink = _warp(sign.ink, matrix, (wide, high))
    return np.asarray(ink, np.float32) / 255, [
        _transform_word(word, matrix, 1.0, high, wide) for word in sign.words
    ]
