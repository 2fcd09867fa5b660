# pyright: basic
"""Rows of the table: a method, how it is set, and what tells it where to look.

A row is written METHOD[@OPTION][+SCORER]: `resize`, `random`, `cut+saliency`, `cut@0+scout`,
`foveated@view=20`, `windows@fovea=30`, `foveated+mix-40-30-30`. A number alone is the hedge.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from jaxtyping import Float, UInt8
from torch import Tensor

from homunculus.core import lift
from homunculus.core.lift import Lift
from homunculus.core.methods import Method, get_method
from homunculus.core.pipeline import Scout

Pixels = UInt8[Tensor, "3 _h _w"]
Map = Float[Tensor, "rows cols"]
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


def row(name: str, scorers: Mapping[str, Scout]) -> Row:
    """Parse a row; its scorer must be at hand."""
    left, plus, scorer = _TWINS.get(name, name).partition("+")
    base, at, option = left.partition("@")
    if base == "resize":
        return Row(name, (), None)
    chosen = get_method(base)
    if at:
        chosen = _set(chosen, option, name)
    if chosen.source == "nothing":
        if "seed" not in chosen.settings:
            return Row(name, (chosen,), None)
        draws = [chosen.set(seed=seed) for seed in range(SEEDS)]
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
    setting, settings = {"view": "field_of_view"}.get(what, what), chosen.settings
    if what == "levels":
        levels = int(value)
        pyramid = Lift(
            f"{levels} levels",
            lambda grids, slots, material: lift.pyramid(grids, levels, material.feature),
        )
        return replace(chosen, lift=pyramid)
    if what == "fovea" and "shares" in settings:
        return chosen.set(shares=_shares(settings["shares"], float(value) / 100))
    if what == "fovea" and "share" in settings:  # the rest is the thumbnail's
        return chosen.set(share=1 - float(value) / 100)
    if setting not in settings:
        raise ValueError(f"row {name}: {chosen.name} has no {what}. Leave out @{option}.")
    return chosen.set(**{setting: type(settings[setting])(value)})


def _shares(shares: tuple[int, ...], fine: float) -> tuple[int, ...]:
    """Shares in thousandths with so much for the finest level, the others as they were."""
    rest = sum(shares[1:])
    return (round(1000 * fine), *(round(1000 * (1 - fine) * one / rest) for one in shares[1:]))
