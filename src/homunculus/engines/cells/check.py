"""Refuse grids, values and plans that cannot be right, whoever made them.

Shapes only: nothing here waits for a device.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from homunculus.checks import Grid, check_kind, is_whole
from homunculus.engines.cells.types import MAX_CELLS, Allocation, Field


def check_grids(grids: Sequence[Grid], who: str = "lift") -> tuple[Grid, ...]:
    """One (rows, cols) per image: whole numbers, no empty side, not too many cells."""
    try:
        pairs = [(rows, cols) for rows, cols in grids]
    except (TypeError, ValueError):
        raise TypeError(
            f"{who}: grids must be a list with one (rows, cols) per image, got {grids!r:.80}. "
            "For one image write [(rows, cols)]."
        ) from None
    if not pairs:
        raise ValueError(
            f"{who}: needs at least one grid (rows, cols), got none. Give one per image."
        )
    for rows, cols in pairs:
        if not (is_whole(rows) and is_whole(cols)):
            raise TypeError(
                f"{who}: rows and columns of a grid must be whole numbers, got "
                f"({rows!r}, {cols!r}). Convert them with int()."
            )
        if rows < 1 or cols < 1 or rows * cols > MAX_CELLS:
            raise ValueError(
                f"{who}: a grid needs 1..{MAX_CELLS} cells, got {rows}x{cols}. Resize the image."
            )
    return tuple((int(rows), int(cols)) for rows, cols in pairs)


def check_plan(field: object, allocation: object, who: str) -> None:
    """A field and an allocation, in this order."""
    cure = "Both come from Method.plan: field, allocation = method.plan(grids, relevance, slots)."
    check_kind(field, Field, f"{who}: field", cure)
    check_kind(allocation, Allocation, f"{who}: allocation", cure)


def check_cells(
    value: object, grids: Sequence[Grid], name: str, who: str = "lift", dims: int = 2
) -> None:
    """Values of level-0 cells: a tensor with a row per image, as long as the largest image."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{who}: {name} must be a torch.Tensor, got {type(value).__name__}. "
            f"Convert it with torch.as_tensor({name})."
        )
    wanted = (len(grids), max(rows * cols for rows, cols in grids))
    if value.ndim == dims and value.shape[:2] == wanted:
        return
    axes = "images, cells" + ", channels" * (dims == 3)
    shape = f"{wanted[0]}, {wanted[1]}" + ", ..." * (dims == 3)
    advice = "Each image has a row, padded to the cells of the largest image."
    if dims == 2 and value.numel() == wanted[0] * wanted[1]:
        advice = f"Write {name}.reshape({shape})."
    raise ValueError(
        f"{who}: {name} needs shape ({axes}) = ({shape}), got {tuple(value.shape)}. {advice}"
    )


def check_allocation(plan: object, field: Field, rows: int, who: str) -> Allocation:
    """An Allocation of exactly that many rows per image, as many as the fullest image keeps.

    How many rows are valid stands in a tensor that is not read here;
    `homunculus.engines.cells.testing.check_method` reads it.
    """
    if not isinstance(plan, Allocation):
        raise TypeError(
            f"{who}: its rule must return an Allocation, got {type(plan).__name__}. "
            "Build one with homunculus.Allocation(index, weight, valid)."
        )
    index, weight, valid, home = plan.index, plan.weight, plan.valid, field.level.device
    if not (_is_tensor(index) and _is_tensor(weight) and _is_tensor(valid)):
        raise TypeError(
            f"{who}: its rule must return index, weight and valid as tensors, "
            f"got {_each(plan, '__class__')}. Convert them with torch.as_tensor."
        )
    both, shape = (len(field.grids), rows), index.shape
    if valid.shape != both or shape != weight.shape or shape != (*both, shape[-1]) or not shape[-1]:
        raise ValueError(
            f"{who}: its rule must fill exactly {rows} slots per image: index and weight "
            f"({both[0]}, {rows}, m), valid {both}; got {_each(plan, 'shape')}. "
            "Return as many rows as the fullest image keeps; the others of an image are not valid."
        )
    if (index.dtype, valid.dtype) != (torch.int64, torch.bool) or not weight.is_floating_point():
        raise TypeError(
            f"{who}: its rule must return index as int64, weight as floats and valid as bool, "
            f"got {_each(plan, 'dtype')}. Convert them with .long(), .float() and .bool()."
        )
    if not index.device == weight.device == valid.device == home:
        raise ValueError(
            f"{who}: its rule must return tensors on the field's device {home}, "
            f"got {_each(plan, 'device')}. Create them with device=field.level.device."
        )
    return plan


def _is_tensor(part: object) -> bool:
    return isinstance(part, Tensor)


def _each(plan: Allocation, fact: str) -> str:
    facts = {name: getattr(part, fact) for name, part in vars(plan).items()}
    plain = {name: tuple(value) if fact == "shape" else value for name, value in facts.items()}
    return ", ".join(f"{name} {value}" for name, value in plain.items())
