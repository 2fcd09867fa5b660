# pyright: basic
"""Rows of the planner: views of a page, and what a reader sees of them."""

from collections.abc import Sequence
from functools import cached_property
from math import log2
from typing import Any

import numpy as np
import torch
from PIL import Image

from homunculus.checks import Grid
from homunculus.pages import to_array, to_image
from homunculus.pages.lines import Lines
from homunculus.planner.acuity import Acuity
from homunculus.planner.belief import Belief, believe, scout_cells
from homunculus.planner.bill import Bill, Buyer, resize
from homunculus.planner.counting import CountingRule, Size, TokenRule
from homunculus.planner.plan import Plan
from homunculus.planner.search import find_views
from homunculus.scouts.sight import Scout, Sight
from homunculus_lab.measure.row import CONTEXT, Map, Pixels, Row
from homunculus_lab.measure.spend import Selection, Sheet

Picture = tuple[Pixels, tuple[int, int]]
"""A view enlarged to the scale of the page, and x y of its corner there."""


def page_size(sheet: Sheet) -> Size:
    """Height and width of the page."""
    return int(sheet.page.pixels.shape[1]), int(sheet.page.pixels.shape[2])


def scout_belief(
    scout: Scout, sheet: Sheet, question: str, acuity: Acuity, lines: Lines | None = None
) -> Belief:
    """What a scout makes of a page and a question; with ``lines`` windows stand between them."""
    size = page_size(sheet)
    sight = scout(sheet.page.pixels, question, scout_cells(size)[0])
    return believe(sight, size, acuity, lines)


def answer_belief(
    boxes: Sequence[Sequence[float | int]], sheet: Sheet, acuity: Acuity, things: bool = False
) -> Belief:
    """What the oracle knows of a page."""
    grid, side = scout_cells(page_size(sheet))
    return believe(answer_sight(boxes, grid, side, things), page_size(sheet), acuity)


def answer_sight(
    boxes: Sequence[Sequence[float | int]], grid: Grid, side: int, things: bool = False
) -> Sight:
    """What the oracle knows: the answer's box and its height, of a thing its shorter side.

    Boxes are in pixels of the page, and a cell of the grid has ``side`` of them.
    """
    place = np.zeros(grid, np.float32)
    height = 16.0
    for x0, y0, x1, y1 in boxes:
        down = slice(int(y0 // side), max(int(y0 // side) + 1, -int(-y1 // side)))
        across = slice(int(x0 // side), max(int(x0 // side) + 1, -int(-x1 // side)))
        place[down, across] = 1.0
        height = max(1.0, min(y1 - y0, x1 - x0) if things else y1 - y0)
    logit = np.log((place / place.sum().clip(1)).clip(1e-9))
    thing = np.ones(grid, np.float32) if things else None
    return Sight(logit, sure=1.0, size=height, size_error=0.1, thing=thing)


def keep_views(sheet: Sheet, slots: int, belief: Belief, acuity: Acuity, row: Row) -> Selection:
    """Spend the slots on views of a page."""
    bill, side = buy_views(sheet, slots, belief, acuity, row)
    shown = Shown(sheet, bill.plan, side)
    return Selection(
        shown.level(), bill.tokens, lambda: shown.page,
        patch=scout_cells(page_size(sheet))[1], apart=lambda: shown.pictures,
        value=bill.plan.value,
    )  # fmt: skip


def buy_views(
    sheet: Sheet, slots: int, belief: Belief, acuity: Acuity, row: Row
) -> tuple[Bill, int]:
    """The best views of a page, and the side of the tokens that they are planned on."""
    context = CONTEXT if row.context is None else row.context
    if row.rule:
        buyer = Buyer(
            belief, page_size(sheet), row.rule, acuity, context, max_windows=row.rule.facts.windows
        )
        return buyer.buy(slots), row.rule.lattice.side
    rule = TokenRule("bench", sheet.page.patch)
    plan = find_views(belief, page_size(sheet), slots, rule, acuity, context=context)
    return Bill(plan, (plan.count(rule),)), rule.side


def keep_whole(sheet: Sheet, slots: int, rule: CountingRule) -> Selection:
    """The whole page, as large as a model's tokens let it be."""
    bill = resize(page_size(sheet), rule, slots)
    shown = Shown(sheet, bill.plan, rule.lattice.side)
    side = scout_cells(page_size(sheet))[1]
    return Selection(shown.level(), bill.tokens, lambda: shown.page, patch=side)


class Shown:
    """A plan as pixels, made when first asked for."""

    def __init__(self, sheet: Sheet, plan: Plan, token: int) -> None:
        self.sheet, self.plan, self.token = sheet, plan, token

    def level(self) -> Map:
        """How many times the best view of each cell is halved; inf where nothing is seen."""
        grid, side = scout_cells(page_size(self.sheet))
        size, level = page_size(self.sheet), torch.full(grid, torch.inf)
        if self.plan.whole:
            level.fill_(max(0.0, log2(max(size) / max(self.plan.whole))))
        middle = [(torch.arange(cells) + 0.5) * side for cells in grid]
        for window in self.plan.windows:
            left, top, right, bottom = window.box
            inside = ((middle[0] >= top) & (middle[0] < bottom))[:, None]
            inside = inside & ((middle[1] >= left) & (middle[1] < right))
            finer = max(0.0, -log2(window.scale(self.token)))
            level = torch.where(inside, level.clamp(max=finer), level)
        return level

    @cached_property
    def pictures(self) -> list[Picture]:
        """Each view by itself: reduced from the stored image, enlarged to the page's scale."""
        stored = to_image(self.sheet.stored)
        high, wide = page_size(self.sheet)
        pictures: list[Picture] = []
        if self.plan.whole:
            pictures.append((self._view(stored, (0, 0, wide, high), self.plan.whole), (0, 0)))
        for window in self.plan.windows:
            pictures.append(
                (self._view(stored, window.box, window.size(self.token)), window.box[:2])
            )
        return pictures

    def _view(self, stored: Any, box: tuple[int, int, int, int], size: Size) -> Pixels:
        across, down = self.sheet.scale
        place = (box[0] / across, box[1] / down, box[2] / across, box[3] / down)
        small = stored.resize(size[::-1], Image.Resampling.LANCZOS, box=place)
        shown = small.resize((box[2] - box[0], box[3] - box[1]), Image.Resampling.BICUBIC)
        return to_array(shown)

    @cached_property
    def page(self) -> Pixels:
        """All views laid on one page, sharp ones over dull ones; grey where nothing is."""
        canvas = np.full((3, *page_size(self.sheet)), 200, np.uint8)
        views = self.pictures
        first = int(self.plan.whole is not None)
        scale = [window.scale(self.token) for window in self.plan.windows]
        order = [
            *range(first),
            *(first + index for index in sorted(range(len(scale)), key=scale.__getitem__)),
        ]
        for pixels, (x, y) in (views[index] for index in order):
            canvas[:, y : y + pixels.shape[1], x : x + pixels.shape[2]] = pixels
        return canvas
