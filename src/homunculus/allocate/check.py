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
    """One fact of each part, for a message."""
    facts = {name: getattr(part, fact) for name, part in vars(plan).items()}
    plain = {name: tuple(one) if fact == "shape" else one for name, one in facts.items()}
    return ", ".join(f"{name} {one}" for name, one in plain.items())
