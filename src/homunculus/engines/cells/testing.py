"""For tests of other packages: does a method keep the laws that engines build on?

Reads results back from the device, so it has no place in serving.
"""

from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from typing import Any

import torch
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.methods import Material, Method
from homunculus.engines.cells.pack import pack
from homunculus.engines.cells.types import Allocation, Field, Tokens

_BATCHES: tuple[tuple[tuple[Grid, ...], int], ...] = (
    (((12, 9),), 40),
    (((1, 30),), 7),
    (((5, 6),), 1),
    (((9, 7), (5, 5), (3, 14)), 30),
    (((8, 8), (8, 8)), 64),
)
"""Grids and slots: an image, a strip, one slot, a batch where one image fits, one where all do."""

_REGIONS, _WAYS = 5, 4


Extend = Callable[[Material, torch.Generator], Material]


def check_method(method: Method, extend: Extend | None = None) -> None:
    """Raise AssertionError where a method breaks a law, on small batches of random relevance.

    Exactly `Method.count` valid rows per image, first in their row; weights that sum to 1; only
    cells of the image, none twice; a budget for every cell keeps every level-0 cell; the same
    result twice; and for an image in a batch what it gets alone.

    ``extend`` adds to the material what the method needs besides features, regions and bands.
    """
    for number, (grids, slots) in enumerate(_BATCHES):
        case = f"{method.name}, grids {list(grids)}, {slots} slots"
        logit, material = _inputs(grids, number, extend)
        field, plan = method.plan(grids, logit, slots, material)
        check_plan(field, plan, [method.count(grid, slots) for grid in grids], case)
        second = method.plan(grids, logit, slots, material)[1]
        same = all(torch.equal(getattr(plan, part), getattr(second, part)) for part in vars(plan))
        _claim(same, case, "a second call gave another plan. Break ties by index, seed what varies")
        tokens = pack(field, plan)
        for image, (rows, cols) in enumerate(grids):
            here, cells = slice(image, image + 1), rows * cols
            alone = pack(
                *method.plan(grids[here], logit[here, :cells], slots, _cut(material, here, cells))
            )
            _claim(
                _equal(tokens, alone, image, method.count((rows, cols), slots)),
                case,
                f"image {image} got other tokens in the batch than alone. "
                "Let no image's padding or size reach another's plan",
            )


def check_plan(field: Field, plan: Allocation, counts: Sequence[int], who: str = "plan") -> None:
    """Raise AssertionError where a plan does not spend exactly these counts of sound rows."""
    rows = torch.arange(plan.valid.shape[1], device=plan.valid.device)
    for image, (high, wide) in enumerate(field.grids):
        cells = high * wide
        count, valid = counts[image], plan.valid[image]
        case = f"{who}, image {image}"
        _claim(
            torch.equal(valid, rows < count),
            case,
            f"expected exactly the first {count} rows valid, got {int(valid.sum())} valid rows. "
            "Fill every slot, in order",
        )
        index, weight = plan.index[image], plan.weight[image, :count]
        inside = bool((index >= 0).all()) and bool((index < field.valid.shape[1]).all())
        _claim(
            inside and bool(field.valid[image][index[:count]].all()),
            case,
            "index names cells that are not in the image. Choose where field.valid is True",
        )
        total = weight.sum(1)
        _claim(
            bool((weight >= 0).all()) and bool((total - 1).abs().max() < 1e-3),
            case,
            f"weights must be 0 or more and sum to 1 in each row, got sums {float(total.min()):g} "
            f"to {float(total.max()):g}. Divide them by their sum",
        )
        if index.shape[1] == 1 or count == cells:
            _check_distinct(field, image, index[:count], weight, case)


def _check_distinct(field: Field, image: int, index: Tensor, weight: Tensor, case: str) -> None:
    """Rows of one cell name different cells; where every cell fits, each level-0 cell once."""
    main = index.gather(1, weight.argmax(1, keepdim=True))[:, 0]
    different = len((main // field.copies).unique())
    _claim(
        different == len(main),
        case,
        f"{len(main)} rows name only {different} different cells. Keep no cell twice",
    )
    rows, cols = field.grids[image]
    if len(main) == rows * cols:
        whole = bool((field.level[image, main] == 0).all()) and bool((weight.amax(1) == 1).all())
        _claim(
            whole,
            case,
            "the budget has room for every level-0 cell, but other cells or means were kept. "
            "Keep each level-0 cell with weight 1",
        )


def _inputs(grids: Sequence[Grid], seed: int, extend: Extend | None) -> tuple[Tensor, Material]:
    chance = torch.Generator().manual_seed(seed)
    shape = (len(grids), max(rows * cols for rows, cols in grids))
    logit = torch.randint(-8, 9, shape, generator=chance) / 4  # few values: many ties
    feature = torch.randn(*shape, 3, generator=chance)
    label = torch.randint(-1, _REGIONS, shape, generator=chance)
    energy = torch.rand(*shape, _WAYS, generator=chance)
    material = Material(feature, label, _REGIONS, energy)
    return logit, material if extend is None else extend(material, chance)


def _cut(value: Any, here: slice, cells: int) -> Any:
    if isinstance(value, Tensor):
        return value[here, :cells]
    if not is_dataclass(value):
        return value
    parts = {name: _cut(part, here, cells) for name, part in vars(value).items()}
    return type(value)(**parts)


def _equal(batch: Tokens, alone: Tokens, image: int, count: int) -> bool:
    parts = ("embed", "position", "box", "level")
    pairs = [
        (getattr(batch, part)[image, :count], getattr(alone, part)[0, :count]) for part in parts
    ]
    return all(torch.equal(ours, theirs) for ours, theirs in pairs)


def _claim(true: bool, case: str, fault: str) -> None:
    if not true:
        raise AssertionError(f"{case}: {fault}.")
