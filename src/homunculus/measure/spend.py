# pyright: basic
"""Rows of the table: a method, what tells it where to look, and what it keeps of one page.

A row is written METHOD[@HEDGE][+SCORER]: `resize`, `random`, `cut+saliency`, `cut@0+scout`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log2
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, UInt8
from torch import Tensor

from homunculus import lift, score
from homunculus.atlas import segment
from homunculus.extra import need
from homunculus.measure.rebuild import Mode, Page, finest, rebuild, resized, shrunk
from homunculus.method import Material, Method, method
from homunculus.picture import open_picture
from homunculus.score.answer import answer
from homunculus.types import Allocation, Budget, Field

Pixels = UInt8[Tensor, "3 _h _w"]
Map = Float[Tensor, "rows cols"]
Scorer = Callable[[Pixels, str], Map]
"""Pixels of the page and the question in; a logit (log-probability) per level-0 cell out."""
CONTROLS = ("random", "uniform", "centre", "pool", "resize", "saliency", "cut+saliency", "oracle")
SCOUTED = ("cut+scout", "cut+blind", "cut+prior", "cut+shuffled")
SEEDS = 3
"""Draws of `random` that are averaged."""
_BY_SOURCE = {"pixels": "saliency", "answer": "answer", "another question": "shuffled"}


@dataclass(frozen=True)
class Row:
    """One way to spend a budget, as the table names it."""

    name: str
    methods: tuple[Method, ...]
    """Several draws of one method; none for `resize`, which is no method of tokens."""
    scorer: str | None
    """Whose map it follows; None if it never looks."""


def row(name: str, scorers: Mapping[str, Scorer]) -> Row:
    """Parse a row; its scorer must be at hand."""
    left, plus, scorer = name.partition("+")
    base, at, hedge = left.partition("@")
    if base == "resize":
        return Row(name, (), None)
    chosen = method(base)
    if at:
        if not hasattr(chosen.rule, "hedge"):
            raise ValueError(f"row {name}: {base} has no hedge. Leave out @{hedge}.")
        rule: Any = chosen.rule
        chosen = replace(chosen, rule=replace(rule, hedge=float(hedge)))
    if chosen.source == "nothing":
        if not hasattr(chosen.rule, "seed"):
            return Row(name, (chosen,), None)
        rule = chosen.rule
        draws = [replace(chosen, rule=replace(rule, seed=seed)) for seed in range(SEEDS)]
        return Row(name, tuple(draws), None)
    follows = scorer if plus else _BY_SOURCE.get(chosen.source, "scout")
    known = {"saliency", "deviation", "answer", *scorers} | ({"shuffled"} & _shuffles(scorers))
    if follows not in known:
        raise ValueError(
            f"row {name}: no scorer {follows!r}. There are {', '.join(sorted(known))}."
        )
    return Row(name, (chosen,), follows)


def _shuffles(scorers: Mapping[str, Scorer]) -> set[str]:
    return {"shuffled"} if "scout" in scorers else set()


@dataclass(frozen=True, eq=False)
class Sheet:
    """One image as the bench holds it: stored pixels, and the page scaled to the bench's side."""

    stored: Pixels
    page: Page
    known: dict[tuple[str, str], Map] = field(default_factory=dict)
    """Maps by scorer and question: a page is scored once for all budgets."""

    @property
    def scale(self) -> tuple[float, float]:
        """Page pixels to a stored pixel, across and down."""
        high, wide = self.page.pixels.shape[1:]
        return wide / self.stored.shape[2], high / self.stored.shape[1]

    def box(self, box: Sequence[float | int]) -> tuple[float, float, float, float]:
        """A box of the stored image on the page."""
        across, down = self.scale
        return box[0] * across, box[1] * down, box[2] * across, box[3] * down

    @cached_property
    def material(self) -> Material:
        """Mean colour and spread of each cell."""
        patch, (rows, cols) = self.page.patch, self.page.grid
        whole = self.page.chain(1)[0] / 255
        cell = rearrange(whole, "c (r i) (w j) -> 1 (r w) c (i j)", i=patch, j=patch)
        assert cell.shape[1] == rows * cols
        spread = cell.mean(2).std(2, correction=0, keepdim=True)
        return Material(torch.cat((cell.mean(3) - 0.5, spread, torch.full_like(spread, 0.5)), 2))

    @cached_property
    def atlas(self) -> Material:
        """The same with regions, for `atlas`."""
        label, count = segment(self.page.pixels, self.page.patch)
        return replace(self.material, label=label[None], labels=count)


def opened(path: Path, side: int, patch: int) -> Sheet:
    """An image from its file, its page scaled so that the longer side is ``side``, up or down."""
    image: Any = need("PIL.Image", extra="measure", who="homunculus measure")
    stored = open_picture(path, longest=10**6, area=10**9).pixels
    high, wide = int(stored.shape[1]), int(stored.shape[2])
    scale = side / max(high, wide)
    size = (max(patch, round(high * scale)), max(patch, round(wide * scale)))
    way = image.Resampling.LANCZOS if scale < 1 else image.Resampling.BICUBIC
    picture = image.fromarray(rearrange(stored, "c h w -> h w c").contiguous().numpy())
    numpy: Any = need("numpy", extra="measure", who="homunculus measure")
    pixels = torch.from_numpy(numpy.array(picture.resize(size[::-1], way)))
    return Sheet(stored, Page(rearrange(pixels, "h w c -> c h w").contiguous(), patch))


def saliency(pixels: Pixels, question: str = "", patch: int = 16) -> Map:
    """What stands out, as `look` ranks it when it has nothing else to go by."""
    found = score.contrast(pixels[None].float() / 255, patch)[0]
    flat = found.reshape(1, -1)
    return score.mix({"perspectival": flat}, torch.ones_like(flat, dtype=torch.bool)).view_as(found)


def deviation(pixels: Pixels, question: str = "", patch: int = 16) -> Map:
    """Log of the spread of greys in each cell: the plainest saliency."""
    grey = pixels.float().mean(0)
    spare = (0, -grey.shape[1] % patch, 0, -grey.shape[0] % patch)
    grey = F.pad(grey[None, None], spare, mode="replicate")[0, 0]
    cell = rearrange(grey, "(r i) (c j) -> r c (i j)", i=patch, j=patch)
    spread = cell.std(2, correction=0)
    return (spread / spread.max().clamp(min=1e-6) + 1e-6).log()


@dataclass(frozen=True, eq=False)
class Kept:
    """What a row keeps of a page."""

    level: Map
    """Finest level over each level-0 cell, inf where nothing is kept."""
    tokens: int
    show: Callable[[Mode], Pixels]


def keep(one: Row, draw: int, sheet: Sheet, slots: int, logit: Map | None) -> Kept:
    """Spend the slots on a page."""
    if not one.methods:
        return _resize(sheet, slots)
    laid, plan = planned(one, draw, sheet, slots, logit)
    return Kept(finest(laid, plan), int(plan.valid.sum()), _shower(sheet.page, laid, plan))


def planned(
    one: Row, draw: int, sheet: Sheet, slots: int, logit: Map | None
) -> tuple[Field, Allocation]:
    """What could be kept of a page, and what a method keeps."""
    chosen, grid = one.methods[draw], sheet.page.grid
    count = Budget(tokens=slots).slots(grid[0] * grid[1])
    regions = "region" in getattr(chosen.lift, "__name__", "")
    laid = chosen.field([grid], count, sheet.atlas if regions else sheet.material)
    flat = (torch.zeros(grid) if logit is None else logit.float()).flatten()[None]
    return laid, chosen.allocate(laid, lift.spread(laid, flat), count)


def _shower(page: Page, laid: Field, plan: Allocation) -> Callable[[Mode], Pixels]:
    return lambda mode: rebuild(page, laid, plan, mode)


def _resize(sheet: Sheet, slots: int) -> Kept:
    """The control that no method may lose to: the whole page, smaller."""
    page = sheet.page
    size = (int(page.pixels.shape[1]), int(page.pixels.shape[2]))
    small = shrunk(size, slots, page.patch)
    level = torch.full(page.grid, max(0.0, log2(max(size) / max(small))))
    cells = -(-small[0] // page.patch) * -(-small[1] // page.patch)
    shown: list[Pixels] = []

    def show(mode: Mode) -> Pixels:
        if not shown:
            shown.append(resized(sheet.stored, small, size))
        return shown[0]

    return Kept(level, cells, show)


def told(boxes: Sequence[Sequence[float | int]], sheet: Sheet) -> Map:
    """Relevance for those who are told where the answer stands."""
    return answer(sheet.page.grid, [list(box) for box in boxes], sheet.page.patch)
