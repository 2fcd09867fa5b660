# pyright: basic
"""Rows of the table: a method, how it is set, and whose relevance map it follows.

A row is written METHOD[@OPTION][+SCORER]: `resize`, `random`, `cut+saliency`, `cut@0+scout`,
`foveated@view=20`, `views`, `views@context=0+blind`, `views+read`, `views@model=claude`. A number
alone is the hedge.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from jaxtyping import Float
from torch import Tensor

from homunculus.engines.cells.methods import Method, get_method
from homunculus.planner.counting import CountingRule
from homunculus.planner.models import token_rule
from homunculus.scouts.sight import Pixels as Pixels
from homunculus.scouts.sight import Scout

Map = Float[Tensor, "rows cols"]
CONTROLS = ("random", "uniform", "centre", "pool", "resize", "saliency", "cut+saliency", "oracle")
SCOUTED = ("cut+scout", "cut+blind", "cut+prior", "cut+shuffled")
READ = "read"
"""The scorer that is given the words of pages; its views stand between their lines."""
SEEDS = 3
"""Draws of `random` that are averaged."""
CONTEXT = 1 / 8
"""The least share of tokens that the whole picture gets, if a row does not say."""
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
    """The scorer whose map it follows, if any."""
    context: float | None = None
    """For `views`, the least share of tokens that the whole picture gets; otherwise None."""
    rule: CountingRule | None = None
    """For `views` and `resize`, how tokens are counted, if not as in the run."""


def row(name: str, scorers: Mapping[str, Scout]) -> Row:
    """Parse a row; its scorer must be at hand."""
    left, plus, scorer = _TWINS.get(name, name).partition("+")
    base, separator, option = left.partition("@")
    if base == "resize":
        return Row(name, (), None, rule=_rule(option, name) if separator else None)
    if base == "views":
        _check_scorer(name, scorer or "scout", scorers)
        views = Row(name, (), scorer or "scout", CONTEXT)
        if option.startswith("context="):
            return replace(views, context=float(option.removeprefix("context=")))
        return replace(views, rule=_rule(option, name)) if separator else views
    method = get_method(base)
    if separator:
        method = _set(method, option, name)
    if method.source in ("nothing", "model"):
        if "seed" not in method.settings:
            return Row(name, (method,), None)
        draws = [method.set(seed=seed) for seed in range(SEEDS)]
        return Row(name, tuple(draws), None)
    follows = scorer if plus else _BY_SOURCE.get(method.source, "scout")
    _check_scorer(name, follows, scorers)
    return Row(name, (method,), follows)


def _check_scorer(name: str, follows: str, scorers: Mapping[str, Scout]) -> None:
    known = {"saliency", "answer", *scorers}
    known |= {"shuffled"} if "scout" in scorers else set()
    if follows not in known:
        hint = " --lines says who reads the words of pages." if follows == READ else ""
        raise ValueError(
            f"row {name}: no scorer {follows!r}. There are {', '.join(sorted(known))}.{hint}"
        )


def _rule(option: str, name: str) -> CountingRule:
    what, equals, value = option.partition("=")
    if what != "model" or not equals:
        raise ValueError(
            f"row {name}: it has no {what}. Write @model=claude, or @context=0 for views."
        )
    return token_rule(value)


def _set(method: Method, option: str, name: str) -> Method:
    """The method with one thing set otherwise."""
    what, equals, value = option.partition("=")
    what, value = (what, value) if equals else ("hedge", option)
    setting, settings = {"view": "field_of_view"}.get(what, what), method.settings
    if setting not in settings:
        raise ValueError(f"row {name}: {method.name} has no {what}. Leave out @{option}.")
    usual = settings[setting]
    return method.set(**{setting: (float if usual is None else type(usual))(value)})
