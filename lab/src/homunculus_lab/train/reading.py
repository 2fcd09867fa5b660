# pyright: basic
"""Training of the ranker of the reading scout: which of a page's words is the answer.

Rendered pages know their words, so nothing is read; letters are exchanged as an OCR would. Real
pages are read by an OCR. Several nets are trained and joined to one that has the mean of their
scores.
"""

import json
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from homunculus.pages import open_picture
from homunculus.pages.lines import Lines, WordBox
from homunculus.progress import progress
from homunculus.scouts.reading.features import NAMES, evidence
from homunculus.scouts.reading.layout import Layout
from homunculus.scouts.reading.query import ask
from homunculus.scouts.reading.ranker import LIMIT
from homunculus.scouts.words.question import BUCKETS
from homunculus_lab.page_lines import line_source
from homunculus_lab.train.defaults import PAGES
from homunculus_lab.train.pages import RenderedPage, render
from homunculus_lab.train.samples import SHAPES
from homunculus_lab.train.scout import RealQuestion
from homunculus_lab.train.spoken.pages import made

FILE = "ranker.npz"
STEPS, NETS = 2000, 3
"""Steps of each net, and how many nets."""
SPOKEN = 2
"""Made pages with spoken questions for each rendered one."""
FIRST = 100_000
"""The seed of the first page."""
ASKED, PLACED = 8, 1
"""Questions of a page, and those of them that ask where a word stands."""
BATCH, RATE, REAL_SHARE, SPOKEN_SHARE = 24, 3e-3, 0.25, 0.4
"""Questions of a step, the highest learning rate, and the shares of questions about real pages and
about made ones."""
HIDDEN, MIDDLE, EMBEDDED = 64, 32, 12
SCALED = 600
"""Lessons that say how features are scaled."""
SMOOTH = 0.02
"""Share of the probability that goes to all words alike: some targets are wrong."""
MISREAD = {
    "o": "0", "0": "o", "l": "1", "1": "l", "i": "l", "s": "5", "5": "s", "e": "c", "a": "o",
    "n": "m", "b": "6", "8": "B", "g": "9", ".": ",", ",": ".",
}  # fmt: skip
MISREAD_SHARES = (0.0, 0.0, 0.01, 0.04)
MISSED = 0.01
"""Share of words that a reader misses."""
LOOSE = 0.2
"""How much higher than the print a reader's boxes are, at most."""

Box = Sequence[float | int]


@dataclass
class Lesson:
    """A question about a page that was read: features of its words, and which are the answer."""

    features: Float[Tensor, "words features"]
    buckets: tuple[int, ...]
    target: Float[Tensor, "words"]


# ---- lessons -------------------------------------------------------------------------------------


def rendered(count: int, first: int = FIRST) -> Iterator[Lesson]:
    """Lessons of rendered pages."""
    for seed in range(first, first + count):
        rng = Random(seed)
        high, wide = rng.choice(SHAPES)
        page = render(seed, high, wide, whole=True, scanned=False)
        words = [(word.text, _box(page, number)) for number, word in enumerate(page.words)]
        layout = _layout(read_badly(words, rng), (high, wide))
        facts = [fact for fact in page.facts if fact.answer]
        plain = [fact for fact in facts if not fact.apart]
        placed = [fact for fact in facts if fact.apart]
        for fact in [*_some(plain, ASKED, rng), *_some(placed, PLACED, rng)]:
            yield from lesson(layout, fact.question, [_box(page, word) for word in fact.answer])


def spoken(count: int, first: int = FIRST) -> Iterator[Lesson]:
    """Lessons of made pages, with questions as people ask them."""
    for seed in range(first, first + count):
        rng, sheet = Random(seed), made(seed)
        layout = _layout(read_badly(sheet.words, rng), (sheet.high, sheet.wide))
        for fact in _some(sheet.facts, ASKED, rng):
            yield from lesson(layout, fact.question, [sheet.words[word][1] for word in fact.answer])


def _layout(words: Iterator[WordBox], size: tuple[int, int]) -> Layout:
    return Layout(Lines.of(list(words), "rendered"), size)


def _some(facts: Sequence[Any], most: int, rng: Random) -> list[Any]:
    return rng.sample(facts, min(most, len(facts)))


def _box(page: RenderedPage, number: int) -> tuple[float, ...]:
    quad = page.words[number].quad
    return (*map(float, quad.min(0)), *map(float, quad.max(0)))


def read_badly(words: Iterable[WordBox], rng: Random) -> Iterator[WordBox]:
    """The words of a page as an OCR might have read them."""
    share = rng.choice(MISREAD_SHARES)
    for word, (x0, y0, x1, y1) in words:
        if rng.random() < MISSED:
            continue
        room = (y1 - y0) * rng.uniform(0, LOOSE) / 2
        letters = (
            MISREAD.get(letter.lower(), letter) if rng.random() < share else letter
            for letter in word
        )  # fmt: skip
        yield "".join(letters), (x0 - room, y0 - room, x1 + room, y1 + room)


def read_pages(questions: Sequence[RealQuestion], cache: Path | None = None) -> Iterator[Lesson]:
    """Lessons of real pages, read by an OCR, or of PDFs by their text layer."""
    by_page: dict[Path, list[RealQuestion]] = {}
    for question in questions:
        by_page.setdefault(question.path, []).append(question)
    ocr = line_source("rapidocr", cache)
    with progress("reading") as update:
        for done, (path, own) in enumerate(sorted(by_page.items()), 1):
            picture = open_picture(path)
            lines = picture.lines or ocr(path, picture)
            if lines is not None:
                (high, wide), (rows, cols) = picture.original, picture.size
                layout = Layout(lines.scaled(wide / cols, high / rows), (high, wide))
                for question in own:
                    yield from lesson(layout, question.question, question.boxes)
            update(done, len(by_page), "real pages")


def lesson(layout: Layout, question: str, boxes: Sequence[Box]) -> Iterator[Lesson]:
    """A lesson, if the answer is among the words that were read."""
    if len(layout.line) < 2:
        return
    target = answer_words(layout.printed_boxes, boxes)
    if target.any():
        query = ask(question)
        told = evidence(layout, query)
        yield Lesson(
            torch.from_numpy(told.features), query.parsed.buckets, torch.from_numpy(target).float()
        )


def answer_words(words: np.ndarray, boxes: Sequence[Box]) -> np.ndarray:
    """Which words are the answer: most of them, or their middles, lie in one of its boxes, or they
    hold most of it."""
    answer = np.zeros(len(words), bool)
    x0, y0, x1, y1 = words.T
    area = ((x1 - x0) * (y1 - y0)).clip(1e-6)
    across, down = (x0 + x1) / 2, (y0 + y1) / 2
    for left, top, right, low in boxes:
        wide = (np.minimum(x1, right) - np.maximum(x0, left)).clip(0)
        shared = wide * (np.minimum(y1, low) - np.maximum(y0, top)).clip(0)
        middle = (across > left) & (across < right) & (down > top) & (down < low)
        holds = shared > 0.7 * max(1e-6, (right - left) * (low - top))
        answer |= (shared > 0.5 * area) | (middle & (wide > 0.5 * (x1 - x0))) | holds
    return answer


# ---- the net -------------------------------------------------------------------------------------


class RankerNet(nn.Module):
    """Scores of words: a net over each, with the question's words as a bag, and a linear way."""

    mean: Tensor
    deviation: Tensor

    def __init__(self, mean: Tensor, deviation: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("deviation", deviation)
        self.asked = nn.EmbeddingBag(BUCKETS + 1, EMBEDDED, mode="mean", padding_idx=BUCKETS)
        nn.init.normal_(self.asked.weight, std=0.1)
        self.linear = nn.Linear(len(mean), 1, bias=False)
        nn.init.zeros_(self.linear.weight)
        self.first = nn.Linear(len(mean) + EMBEDDED, HIDDEN)
        self.second = nn.Linear(HIDDEN, MIDDLE)
        self.third = nn.Linear(MIDDLE, 1)
        self.bend, self.drop = nn.GELU(approximate="tanh"), nn.Dropout(0.1)

    def forward(self, features: Tensor, buckets: Tensor, counts: Tensor) -> Tensor:
        """Scores of the words of several questions, one after the other."""
        known = ((features - self.mean) / self.deviation).clamp(-LIMIT, LIMIT)
        asked = torch.repeat_interleave(self.asked(buckets), counts, 0)
        hidden = self.drop(self.bend(self.first(torch.cat((known, asked), 1))))
        return (self.third(self.bend(self.second(hidden))) + self.linear(known))[:, 0]


def scores(net: RankerNet, lessons: Sequence[Lesson]) -> tuple[Tensor, Tensor]:
    """Scores of all words of some lessons, and how many words each has."""
    counts = torch.tensor([len(some.features) for some in lessons])
    most = max(1, *(len(some.buckets) for some in lessons))
    buckets = [[*some.buckets, *[BUCKETS] * (most - len(some.buckets))] for some in lessons]
    features = torch.cat([some.features for some in lessons])
    return net(features, torch.tensor(buckets), counts), counts


def surprise(scores: Tensor, counts: Tensor, target: Tensor) -> Tensor:
    """Minus the log of the probability that each page's words of the answer have together."""
    page = torch.repeat_interleave(torch.arange(len(counts)), counts)
    peak = torch.full((len(counts),), -math.inf).scatter_reduce(0, page, scores.detach(), "amax")
    likely = (scores - peak[page]).exp()
    total, right, words = (
        torch.zeros(len(counts)).index_add(0, page, some)
        for some in (likely, likely * target, target)
    )
    share = (1 - SMOOTH) * right / total + SMOOTH * words / counts
    return -share.clamp(min=1e-6).log()


def scale_of(lessons: Sequence[Lesson], seed: int) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of each feature, from some of the lessons."""
    some = torch.cat([entry.features for entry in _some(lessons, SCALED, Random(seed))])
    return some.mean(0), some.std(0).clamp(min=0.05)


@dataclass
class Lessons:
    """Lessons of each kind of page."""

    rendered: list[Lesson]
    spoken: list[Lesson]
    real: list[Lesson]

    def sample(self, rng: Random) -> Lesson:
        """A lesson of one kind or another."""
        chance = rng.random()
        if self.real and chance < REAL_SHARE:
            return rng.choice(self.real)
        return rng.choice(self.spoken if chance < REAL_SHARE + SPOKEN_SHARE else self.rendered)


def fit(lessons: Lessons, scale: tuple[Tensor, Tensor], steps: int, seed: int) -> RankerNet:
    """A net trained on all kinds of pages."""
    torch.manual_seed(seed)
    rng = Random(seed)
    net = RankerNet(*scale)
    groups = [
        {"params": [*net.first.parameters(), *net.second.parameters(), *net.third.parameters()]},
        {"params": [net.linear.weight]},
        {"params": [net.asked.weight], "weight_decay": 1e-3},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=1e-2)
    with progress("training") as update:
        for step in range(steps):
            for group in optimiser.param_groups:
                fall = 0.5 * (1 + math.cos(math.pi * step / steps)) + 0.02
                group["lr"] = RATE * min(1.0, (step + 1) / 50) * fall
            batch = [lessons.sample(rng) for _ in range(BATCH)]
            target = torch.cat([entry.target for entry in batch])
            loss = surprise(*scores(net, batch), target).mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            update(step + 1, steps, f"loss {float(loss.detach()):.3f}")
    return net.eval()


# ---- one file ------------------------------------------------------------------------------------


def joined(nets: Sequence[RankerNet]) -> dict[str, np.ndarray]:
    """The arrays of one net that has the mean of the scores of several."""
    share, mean, deviation = 1 / len(nets), nets[0].mean, nets[0].deviation

    def rows(net: RankerNet) -> Tensor:
        return net.first.weight[:, : len(mean)].T

    with torch.no_grad():
        asked = torch.cat([net.asked.weight[:BUCKETS] for net in nets], 1)
        words = torch.block_diag(*(net.first.weight[:, len(mean) :].T for net in nets))
        arrays = {
            "mean": mean,
            "deviation": deviation,
            "linear": torch.stack([net.linear.weight for net in nets]).mean(0).T,
            "asked": asked,
            "first": torch.cat((torch.cat([rows(net) for net in nets], 1), words)),
            "first_bias": torch.cat([net.first.bias for net in nets]),
            "second": torch.block_diag(*(net.second.weight.T for net in nets)),
            "second_bias": torch.cat([net.second.bias for net in nets]),
            "third": share * torch.cat([net.third.weight.T for net in nets]),
            "third_bias": torch.stack([net.third.bias for net in nets]).mean(0),
        }
    return {name: array.numpy().astype(np.float32) for name, array in arrays.items()}


def save(arrays: dict[str, np.ndarray], path: Path, about: dict[str, Any]) -> None:
    """Write what the product reads; half precision is enough."""
    text = json.dumps(about | {"features": list(NAMES)}, sort_keys=True)
    half: dict[str, Any] = {name: array.astype(np.float16) for name, array in arrays.items()}
    half |= {name: arrays[name] for name in ("mean", "deviation")}
    np.savez(path, about=np.array(text), **half)


def train(
    out: Path,
    questions: Sequence[RealQuestion] = (),
    pages: int = PAGES,
    steps: int = STEPS,
    nets: int = NETS,
    seed: int = 0,
    cache: Path | None = None,
) -> Path:
    """Train on rendered pages and on questions about real ones; returns the file of weights."""
    started = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    lessons = Lessons([], [], list(read_pages(questions, cache)))
    with progress("rendering") as update:
        for number in range(pages):
            lessons.rendered += rendered(1, FIRST + number)
            lessons.spoken += spoken(SPOKEN, FIRST + SPOKEN * number)
            update(number + 1, pages, "pages rendered and read")
    if not lessons.rendered or not lessons.spoken:
        raise ValueError("train: no page with a question. Render more pages.")
    scale = scale_of([*lessons.rendered, *lessons.spoken, *lessons.real], seed)
    trained = [fit(lessons, scale, steps, seed + number) for number in range(nets)]
    facts = {
        "pages": pages, "questions": len(lessons.rendered) + len(lessons.spoken),
        "real": len(lessons.real), "steps": steps, "nets": nets, "seed": seed,
        "licence": "Apache-2.0",
    }  # fmt: skip
    save(joined(trained), out / FILE, facts)
    facts |= {"seconds": round(time.monotonic() - started)}
    (out / "ranker.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    return out / FILE
