"""What the laws are tried on: batches of mixed pictures with relevance full of ties.

Relevance stands on dyadic steps (sixteenths in [-8, 8]): sums of it are exact in float32, and
bfloat16 holds every value. A case is a handful of integers, so Hypothesis can shrink it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature

import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from homunculus import Allocation, Field, Material, Method, Relevance
from homunculus.engines.cells import lift
from homunculus_lab.rivals.encoder import Attention, EncoderMaterial

CHANNELS = 3
REGIONS = 5
BANDS = 4
WORDS = 5
Grid = tuple[int, int]
often = settings(max_examples=5 * settings().max_examples)
"""For tests of one rule against its oracle: laws run on every method, these only once."""


@dataclass(frozen=True)
class Case:
    """A batch, a budget and the seed of everything else."""

    grids: tuple[Grid, ...]
    slots: int
    seed: int = 0
    kinds: int = 257
    """How many different values relevance has: 1 is all ties."""

    @property
    def cells(self) -> list[int]:
        return [rows * cols for rows, cols in self.grids]

    @property
    def most(self) -> int:
        return max(self.cells)

    def chance(self, salt: int) -> torch.Generator:
        return torch.Generator().manual_seed(1000 * self.seed + salt)

    def logit(self) -> Tensor:
        shape = (len(self.grids), self.most)
        drawn = torch.randint(0, self.kinds, shape, generator=self.chance(1))
        return (drawn * (256 // max(1, self.kinds - 1)) - 128) / 16

    def feature(self) -> Tensor:
        shape = (len(self.grids), self.most, CHANNELS)
        return torch.randn(shape, generator=self.chance(2))

    def label(self) -> Tensor:
        """Regions as patches of 3 x 3 cells; -1 is background."""
        drawn = torch.randint(-1, REGIONS, (len(self.grids), self.most), generator=self.chance(3))
        for image, (rows, cols) in enumerate(self.grids):
            at = torch.arange(rows * cols)
            patch = at // cols // 3 * (cols // 3 + 1) + at % cols // 3
            drawn[image, : rows * cols] = drawn[image, patch]
        return drawn

    def energy(self) -> Tensor:
        """Of four bands, many of them alike."""
        shape = (len(self.grids), self.most, BANDS)
        return torch.randint(0, 9, shape, generator=self.chance(6)) / 8

    def attention(self) -> Attention:
        """Attention full of ties, keys of their own, four tiles of unequal size."""
        shape = (len(self.grids), self.most)
        near, far = (torch.randint(0, 9, shape, generator=self.chance(salt)) for salt in (7, 8))
        key = torch.randn(*shape, CHANNELS, generator=self.chance(9))
        tile = torch.randint(0, 10, shape, generator=self.chance(10)).sqrt().long()
        return Attention(near / 8, key, far / 8, tile)

    def question(self) -> Tensor:
        """Of 1 to 5 words an image, which has fewer than its neighbours or more."""
        shape = (len(self.grids), self.most, WORDS)
        value = torch.rand(shape, generator=self.chance(11)) * 2 - 1
        count = torch.tensor([1 + (cells + self.seed) % WORDS for cells in self.cells])
        return value.masked_fill(torch.arange(WORDS) >= count[:, None, None], -torch.inf)

    def material(self) -> EncoderMaterial:
        plain = (self.feature(), self.label(), REGIONS, self.energy())
        return EncoderMaterial(*plain, self.attention(), self.question())


sides = st.one_of(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.integers(10, 40))
strips = st.sampled_from([(1, 131), (97, 1), (2, 130), (97, 131), (64, 64)])
pictures = st.one_of(st.tuples(sides, sides), st.tuples(sides, sides), strips)


@st.composite
def cases(draw: st.DrawFn, images: int = 4) -> Case:
    """Batches of 1 to ``images`` pictures; budgets from 1 to a few more than all cells."""
    grids = tuple(draw(st.lists(pictures, min_size=1, max_size=images)))
    size = [rows * cols for rows, cols in grids]
    near = [count + step for count in size for step in (-1, 0, 1) if count + step > 0]
    slots = draw(st.one_of(st.integers(1, max(size) + 5), st.sampled_from([*near, 273])))
    kinds = draw(st.sampled_from([257, 17, 3, 1]))
    return Case(grids, min(slots, max(size) + 5), draw(st.integers(0, 999)), kinds)


TYPICAL = [
    Case(((9, 7), (5, 5), (3, 14)), 23, seed=5, kinds=17),
    Case(((33, 21),), 100, seed=6),
]
"""Tried before any drawn case: one batch where an image nearly fits, one plain picture."""


def law(images: int = 4, **more: tuple[st.SearchStrategy, object]) -> Callable:
    """`given` a case, the typical ones first; ``more`` maps a name to its strategy and a value."""

    def claim(test: Callable) -> Callable:
        if "method" in signature(test).parameters:
            test = shrunk(test)
        drawn = {name: strategy for name, (strategy, _) in more.items()}
        fixed = {name: value for name, (_, value) in more.items()}
        for case in TYPICAL:
            test = example(case=case, **fixed)(test)
        return given(case=cases(images), **drawn)(test)

    return claim


def shrunk(test: Callable) -> Callable:
    """The same test, of rivals on small pictures."""

    @wraps(test)
    def tried(method: Method, case: Case, **more: object) -> None:
        test(method=method, case=small(case) if method.source == "model" else case, **more)

    return tried


BIG = [
    Case(((256, 256),), 273),
    Case(((97, 131), (256, 3), (1, 131)), 273, seed=1, kinds=17),
    Case(((256, 3), (1, 131)), 133, seed=2),
]


def small(case: Case, side: int = 12, cells: int = 80) -> Case:
    """The case on pictures of few cells: greedy rivals take a step for each token."""
    grids = []
    for rows, cols in case.grids:
        rows, cols = min(rows, side), min(cols, side)
        grids.append((rows, min(cols, cells // rows)))
    most = max(rows * cols for rows, cols in grids)
    spare = case.slots - case.most  # what fitted still does, what nearly did nearly does
    slots = most + spare if spare >= -2 else 1 + case.slots % max(1, most - 1)
    return replace(case, grids=tuple(grids), slots=max(1, slots))


def relevance(field: Field, logit: Tensor) -> Relevance:
    """Level-0 relevance on the field's cells; copies of a cell get their own little extra."""
    spread = lift.spread(field, logit)
    if field.copies == 1:
        return spread
    chance = torch.Generator().manual_seed(7)
    extra = torch.randint(0, 5, (1, field.level.shape[1]), generator=chance) / 16
    return Relevance(spread.logit + extra)


def picked(
    material: EncoderMaterial, images: slice | list[int], cells: int | None = None
) -> EncoderMaterial:
    """The material of some of the images, without the padding behind so many cells."""
    parts = ("feature", "label", "energy", "question")
    cut = {name: getattr(material, name)[images, :cells] for name in parts}
    attention = {name: part[images, :cells] for name, part in vars(material.attention).items()}
    return replace(material, **cut, attention=Attention(**attention))


def planned(
    method: Method, case: Case, logit: Tensor | None = None, material: Material | None = None
) -> tuple[Field, Allocation]:
    """What the method does with the case, or with the case changed."""
    field = method.field(case.grids, case.slots, case.material() if material is None else material)
    logit = case.logit() if logit is None else logit
    return field, method.allocate(field, lift.spread(field, logit), case.slots)


def alone(case: Case, image: int) -> tuple[Case, Tensor, Material]:
    """One image of the batch, without its neighbours and without padding."""
    here, cells = slice(image, image + 1), case.cells[image]
    single = picked(case.material(), here, cells)
    return replace(case, grids=case.grids[here]), case.logit()[here, :cells], single


def reads(allocation: Allocation, image: int) -> list[list[tuple[int, float]]]:
    """For each valid slot of an image, the cells it reads and how strongly, in order of cells."""
    valid = int(allocation.valid[image].sum())
    index, weight = (
        allocation.index[image, :valid].tolist(),
        allocation.weight[image, :valid].tolist(),
    )
    return [
        sorted((cell, part) for cell, part in zip(*slot, strict=True) if part > 0)
        for slot in zip(index, weight, strict=True)
    ]


def same(one: Allocation, two: Allocation) -> bool:
    """Bit for bit the same plan."""
    return (
        torch.equal(one.index, two.index)
        and torch.equal(one.weight, two.weight)
        and torch.equal(one.valid, two.valid)
    )
