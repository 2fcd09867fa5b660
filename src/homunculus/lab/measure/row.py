# pyright: basic
"""Rows of the table: a method, how it is set, and what tells it where to look.

A row is written METHOD[@OPTION][+SCORER]: `resize`, `random`, `cut+saliency`, `cut@0+scout`,
`foveated@view=20`, `windows@fovea=30`, `foveated+mix-40-30-30`. A number alone is the hedge.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from jaxtyping import Float, UInt8
from torch import Tensor

from homunculus.core import lift
from homunculus.core.methods import Material, Method, method
from homunculus.core.types import Field

Pixels = UInt8[Tensor, "3 _h _w"]
Map = Float[Tensor, "rows cols"]
Scorer = Callable[[Pixels, str], Map]
"""Pixels of the page and the question in; a logit (log-probability) per level-0 cell out."""
CONTROLS = ("random", "uniform", "centre", "pool", "resize", "saliency", "cut+saliency", "oracle")
SCOUTED = ("cut+scout", "cut+blind", "cut+prior", "cut+shuffled")
SEEDS = 3
"""Draws of `random` that are averaged."""
_BY_SOURCE = {"pixels": "saliency", "answer": "answer", "another question": "shuffled"}
_TWINS = {"blind": "foveated+blind", "prior": "foveated+prior"}
"""Controls that are the primary method with another scorer; `shuffled` is in the registry."""


@dataclass(frozen=True)
class Row:
    """One way to spend a budget, as the table names it."""

    name: str
    methods: tuple[Method, ...]
    """Several draws of one method; none for `resize`, which here shrinks pixels to any size."""
    scorer: str | None
    """Whose map it follows; None if it never looks."""


def row(name: str, scorers: Mapping[str, Scorer]) -> Row:
    """Parse a row; its scorer must be at hand."""
    left, plus, scorer = _TWINS.get(name, name).partition("+")
    base, at, option = left.partition("@")
    if base == "resize":
        return Row(name, (), None)
    chosen = method(base)
    if at:
        chosen = _set(chosen, option, name)
    if chosen.source == "nothing":
        if not hasattr(chosen.rule, "seed"):
            return Row(name, (chosen,), None)
        rule: Any = chosen.rule
        draws = [replace(chosen, rule=replace(rule, seed=seed)) for seed in range(SEEDS)]
        return Row(name, tuple(draws), None)
    follows = scorer if plus else _BY_SOURCE.get(chosen.source, "scout")
    known = {"saliency", "deviation", "answer", *scorers}
    known |= {"shuffled", "fovea"} if "scout" in scorers else set()
    if follows not in known and not ("scout" in scorers and follows.startswith("mix-")):
        raise ValueError(
            f"row {name}: no scorer {follows!r}. There are {', '.join(sorted(known))}."
        )
    return Row(name, (chosen,), follows)


def _set(chosen: Method, option: str, name: str) -> Method:
    """The method with one thing set otherwise."""
    what, equals, value = option.partition("=")
    what, value = (what, value) if equals else ("hedge", option)
    attribute = {"view": "field_of_view"}.get(what, what)
    rule: Any = chosen.rule
    if what == "levels":
        return replace(chosen, lift=partial(_on_levels, int(value)))
    if what == "fovea" and hasattr(rule, "shares"):
        return replace(chosen, rule=replace(rule, shares=_shares(rule.shares, float(value) / 100)))
    if what == "fovea" and hasattr(rule, "share"):  # the rest is the thumbnail's
        return replace(chosen, rule=replace(rule, share=1 - float(value) / 100))
    if not hasattr(rule, attribute):
        raise ValueError(f"row {name}: {chosen.name} has no {what}. Leave out @{option}.")
    kind = type(getattr(rule, attribute))
    return replace(chosen, rule=replace(rule, **{attribute: kind(value)}))


def _on_levels(levels: int, grids: Any, slots: int, material: Material) -> Field:
    return lift.pyramid(grids, levels, material.feature)


def _shares(shares: tuple[int, ...], fine: float) -> tuple[int, ...]:
    """Shares in thousandths with so much for the finest level, the others as they were."""
    rest = sum(shares[1:])
    return (round(1000 * fine), *(round(1000 * (1 - fine) * one / rest) for one in shares[1:]))
