# pyright: basic
"""Batches of rendered crops: batch n depends on n alone, so a resumed run gets the same data."""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from jaxtyping import Float, Int, UInt8
from PIL import Image
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from homunculus.scouts.words.net import ALPHABET, code
from homunculus_lab.train.defaults import CROPS
from homunculus_lab.train.labels import Labels, label

DISTRACTORS = 128
"""Words that are also added misspelled: close in code, and on no page."""
HELD_OUT = 10**9
"""Validation crops have seeds from here on."""
Render = Callable[..., Any]
Item = TypeVar("Item")


@dataclass
class Batch:
    """Crops, the labels of their cells, and the words to match them with."""

    pixels: UInt8[Tensor, "b h w"]
    word: Int[Tensor, "b rows cols"]
    """0 no text, n the n-th of `words` (from 1), -1 unsure."""
    letter: UInt8[Tensor, "b rows cols 2"]
    kind: Int[Tensor, "b rows cols"]
    height: Float[Tensor, "b rows cols"]
    """Pixels of the word that the cell is part of, 0 outside."""
    words: list[str]
    """Distinct folded words of the batch, then misspelled ones."""
    printed: int
    """How many of the words are printed in the crops."""
    code: UInt8[Tensor, "n bits"]


class CropDataset(Dataset[Batch]):
    """Batch n holds the crops of seeds 4 n to 4 n + 3; negative n are held out for validation."""

    def __init__(
        self, render: Render, steps: int, photos: Path | None = None, crops: int = CROPS
    ) -> None:
        self.render, self.steps, self.folder, self.crops = render, steps, photos, crops
        self._photos: list[np.ndarray] | None = None

    def __len__(self) -> int:
        return self.steps

    def __getitem__(self, number: int) -> Batch:
        if self._photos is None:  # loaded in the worker, where they are used
            self._photos = load_photos(self.folder)
        first = number * self.crops if number >= 0 else HELD_OUT + ~number * self.crops
        seeds = range(first, first + self.crops)
        pages = [self.render(seed=seed, photos=self._photos) for seed in seeds]
        pixels = torch.from_numpy(np.stack([page.pixels for page in pages]))
        return collate(pixels, [label(page) for page in pages], random.Random(first))


def collate(pixels: Tensor, labels: Sequence[Labels], rng: random.Random) -> Batch:
    """Number the words through the batch, and add misspelled ones."""
    texts = sorted({text for page in labels for text in page.texts})
    number = {text: n for n, text in enumerate(texts, 1)}
    words, kinds, heights = [], [], []
    for page in labels:  # entry 0 is "no text", and the last, reached by -1, is "unsure"
        table = np.array([0, *(number[text] for text in page.texts), -1], np.int64)
        words.append(table[page.word])
        kinds.append(np.array([0, *page.kinds, 0])[page.word])
        heights.append(np.array([0, *page.height, 0], np.float32)[page.word])
    every = texts + distractors(texts, rng)
    return Batch(
        pixels,
        torch.from_numpy(np.stack(words)),
        torch.from_numpy(np.stack([page.letter for page in labels])),
        torch.from_numpy(np.stack(kinds)),
        torch.from_numpy(np.stack(heights)),
        every,
        len(texts),
        torch.from_numpy(code(every)).to(torch.uint8),
    )


def distractors(texts: Sequence[str], rng: random.Random) -> list[str]:
    """Misspell some of the words by one character; none of the results is in the batch."""
    long = [text for text in texts if len(text) >= 3]
    sample = rng.sample(long, min(DISTRACTORS, len(long)))
    return sorted({misspell(text, rng) for text in sample} - set(texts))


def misspell(text: str, rng: random.Random) -> str:
    """One character substituted, dropped, or swapped with the next."""
    change, place = rng.choice("sssdx"), rng.randrange(len(text))
    if change == "d":
        return text[:place] + text[place + 1 :]
    if change == "x":
        place = min(place, len(text) - 2)
        return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    # a digit becomes a digit and a letter a letter
    pool = ALPHABET[26:] if text[place].isdigit() else ALPHABET[:26]
    return text[:place] + rng.choice(pool.replace(text[place], "")) + text[place + 1 :]


def prefetch(dataset: Dataset[Item], start: int, workers: int) -> Iterator[Item]:
    """All items from `start` on in order, made ahead by worker processes if there are any."""
    loader = DataLoader(
        dataset,
        batch_size=None,
        sampler=range(start, len(dataset)),  # pyright: ignore[reportArgumentType]
        num_workers=workers,
        prefetch_factor=4 if workers else None,
        worker_init_fn=_worker,
        multiprocessing_context="spawn" if workers else None,  # a fork would copy torch's locks
    )
    return iter(loader)


def _worker(_: int) -> None:
    if hasattr(os, "nice"):
        os.nice(10)  # training comes first
    torch.set_num_threads(1)


def load_photos(folder: Path | None, side: int = 640) -> list[np.ndarray]:
    """Grey photos for backgrounds, in the order of their names; none without a folder."""
    if folder is None:
        return []
    kinds = {".jpg", ".jpeg", ".png", ".webp"}
    paths = sorted(path for path in Path(folder).iterdir() if path.suffix.lower() in kinds)
    if not paths:
        raise ValueError(f"train: expected photos (jpg, png, webp) in {folder}, found none.")
    photos = []
    for path in paths:
        with Image.open(path) as opened:
            opened.draft("L", (side, side))  # a JPEG is read small: 5 times faster
            grey = opened.convert("L")
        grey.thumbnail((2 * side, 2 * side))
        photos.append(np.asarray(grey))
    return photos
