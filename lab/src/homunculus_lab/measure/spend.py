# pyright: basic
"""One page and one row: the map that the row follows, and what it keeps of the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from math import log2
from pathlib import Path
from typing import Any

import torch
from PIL import Image

from homunculus.checks import Grid
from homunculus.engines.border import tensor
from homunculus.engines.cells.methods import Material, Need
from homunculus.engines.cells.pipeline import Spent, spend
from homunculus.engines.cells.types import Budget
from homunculus.pages import open_picture, to_array, to_image
from homunculus.pages.lines import Lines
from homunculus.scouts.registry import PixelScout
from homunculus_lab.measure.rebuild import Page, finest, rebuild, resize_to, shrink_size
from homunculus_lab.measure.row import Map, Pixels, Row
from homunculus_lab.methods.answer import answer
from homunculus_lab.methods.material import material
from homunculus_lab.page_lines import LineSource


@dataclass(frozen=True, eq=False)
class Sheet:
    """One image as the bench holds it: stored pixels, and the page scaled to the bench's side."""

    stored: Pixels
    page: Page
    known: dict[tuple[str, str], Map] = field(default_factory=dict)
    """Maps by scorer and question: a page is scored once for all budgets."""
    beliefs: dict[tuple[str, str], Any] = field(default_factory=dict)
    """What views are planned by, in the same way."""
    materials: dict[frozenset[Need], Material] = field(default_factory=dict)
    """What methods need of it, made once for all budgets."""
    encoder: Callable[[Pixels], Material] | None = None
    """Who tells the features that rivals choose by."""
    lines: Lines | None = None
    """The words of the page in its pixels, if they were read."""

    @property
    def scale(self) -> tuple[float, float]:
        """Page pixels to a stored pixel, across and down."""
        high, wide = self.page.pixels.shape[1:]
        return wide / self.stored.shape[2], high / self.stored.shape[1]

    def box(self, box: Sequence[float | int]) -> tuple[float, float, float, float]:
        """A box of the stored image on the page."""
        across, down = self.scale
        return box[0] * across, box[1] * down, box[2] * across, box[3] * down

    def material(self, needs: frozenset[Need]) -> Material:
        """What a method needs, and colours for all."""
        wanted = needs | frozenset[Need]({"features"})
        if wanted not in self.materials:
            self.materials[wanted] = material(self.page.pixels, self.page.patch, wanted)
        return self.materials[wanted]

    def encoded(self) -> Material:
        """What an encoder makes of it, for rivals; made once."""
        if self.encoder is None:
            raise ValueError("this row needs an encoder. Name its folder with --encoder.")
        wanted = frozenset[Need]({"attention"})
        if wanted not in self.materials:
            self.materials[wanted] = self.encoder(self.page.pixels)
        return self.materials[wanted]


def open_sheet(
    path: Path,
    side: int,
    patch: int,
    grow: bool = True,
    page: int = 1,
    source: LineSource | None = None,
) -> Sheet:
    """An image from its file, its page scaled so that the longer side is ``side``.

    Up or down; down alone if it may not ``grow``. ``page`` is a page of a PDF. ``source`` reads its
    words.
    """
    picture = open_picture(path, page, longest=10**6, area=10**9)
    stored, read = picture.pixels, source and source(path, picture)
    high, wide = int(stored.shape[1]), int(stored.shape[2])
    scale = side / max(high, wide) if grow else min(1.0, side / max(high, wide))
    size = (max(patch, round(high * scale)), max(patch, round(wide * scale)))
    way = Image.Resampling.LANCZOS if scale < 1 else Image.Resampling.BICUBIC
    scaled = to_image(stored).resize((size[1], size[0]), way)
    lines = read and read.scaled(size[1] / wide, size[0] / high)
    return Sheet(stored, Page(to_array(scaled), patch), lines=lines)


def saliency(pixels: Pixels, grid: Grid) -> Map:
    """What stands out, as the control `saliency` ranks it."""
    return tensor(PixelScout(flat=True)(pixels, "", grid).logit)


@dataclass(frozen=True, eq=False)
class Selection:
    """What a row keeps of a page."""

    level: Map
    """Finest level over each level-0 cell, inf where nothing is kept."""
    tokens: int
    show: Callable[[], Pixels]
    patch: int | None = None
    """Pixels of a cell of ``level``, where it is not that of the page."""
    apart: Callable[[], list[tuple[Pixels, tuple[int, int]]]] | None = None
    """Its pictures one by one with x y of their corners, where there are several."""
    value: float | None = None
    """What the planner expects."""


def keep(row: Row, draw: int, sheet: Sheet, slots: int, logit: Map | None) -> Selection:
    """Spend the slots on a page."""
    if row.context is not None:
        raise ValueError(f"{row.name} is planned, not kept by cells: a bug, report it")
    if not row.methods:
        return _resize(sheet, slots)
    spent = spend_slots(row, draw, sheet, slots, logit)
    laid, plan = spent.field, spent.allocation
    show = partial(rebuild, sheet.page, laid, plan)
    return Selection(finest(laid, plan), int(plan.valid.sum()), show)


def spend_slots(row: Row, draw: int, sheet: Sheet, slots: int, logit: Map | None) -> Spent:
    """A page with a row's budget spent on it."""
    method, grid = row.methods[draw], sheet.page.grid
    count = Budget(tokens=slots).slots(grid[0] * grid[1])
    flat = (torch.zeros(grid) if logit is None else logit.float()).flatten()[None]
    rival = method.source == "model"
    material = sheet.encoded() if rival else sheet.material(method.needs)
    return spend(method, [grid], flat, count, material)


def _resize(sheet: Sheet, slots: int) -> Selection:
    """The control that no method may lose to: the whole page, smaller."""
    page = sheet.page
    size = (int(page.pixels.shape[1]), int(page.pixels.shape[2]))
    small = shrink_size(size, slots, page.patch)
    level = torch.full(page.grid, max(0.0, log2(max(size) / max(small))))
    cells = -(-small[0] // page.patch) * -(-small[1] // page.patch)
    return Selection(level, cells, cache(partial(resize_to, sheet.stored, small, size)))


def oracle_map(boxes: Sequence[Sequence[float | int]], sheet: Sheet) -> Map:
    """Relevance of the oracle, which is given the answer's box."""
    return tensor(answer(sheet.page.grid, [list(box) for box in boxes], sheet.page.patch))
