"""Refuse a plan that cannot spend its budget, whoever wrote the rule. Shapes only: never waits."""

import torch
from torch import Tensor

from homunculus.types import Allocation, Field


def check_allocation(plan: object, field: Field, rows: int, who: str) -> Allocation:
    """An Allocation of exactly so many rows per image, as many as the fullest image keeps.

    How many rows are valid stands in a tensor that is not read here;
    `homunculus.testing.check_method` reads it.
    """
    if not isinstance(plan, Allocation):
        raise TypeError(
            f"{who}: its rule must return an Allocation, got {type(plan).__name__}. "
            "Build one with homunculus.Allocation(index, weight, valid)."
        )
    images = len(field.grids)
    parts = {"index": plan.index, "weight": plan.weight, "valid": plan.valid}
    for name, part in parts.items():
        if not isinstance(part, Tensor):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"{who}: its rule must return tensors, got {name} as {type(part).__name__}. "
                "Convert it with torch.as_tensor."
            )
    index, shape = plan.index, plan.index.shape
    fits = shape[:2] == plan.valid.shape == (images, rows)
    if not fits or index.ndim != 3 or shape[2] < 1 or plan.weight.shape != shape:
        shapes = ", ".join(f"{name} {tuple(part.shape)}" for name, part in parts.items())
        raise ValueError(
            f"{who}: its rule must fill exactly {rows} slots per image: index and weight "
            f"({images}, {rows}, m), valid ({images}, {rows}); got {shapes}. "
            "Return as many rows as the fullest image keeps; the others of an image are not valid."
        )
    whole, flag = index.dtype == torch.int64, plan.valid.dtype == torch.bool
    if not (whole and flag and plan.weight.is_floating_point()):
        dtypes = ", ".join(f"{name} {part.dtype}" for name, part in parts.items())
        raise TypeError(
            f"{who}: its rule must return index as int64, weight as floats and valid as bool, "
            f"got {dtypes}. Convert them with .long(), .float() and .bool()."
        )
    home = field.level.device
    if index.device != home or plan.weight.device != home or plan.valid.device != home:
        devices = ", ".join(f"{name} on {part.device}" for name, part in parts.items())
        raise ValueError(
            f"{who}: its rule must return tensors on the field's device {home}, got {devices}. "
            "Create them with device=field.level.device."
        )
    return plan
