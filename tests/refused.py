"""What users get for wrong arguments; run by test_method_contract.py in a process of its own.

The shape checks of the test run would speak first; users do not have them. Prints JSON: for each
case the error's type and message.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from PIL import Image

from homunculus import (
    Allocation,
    Budget,
    Field,
    Lift,
    Material,
    Relevance,
    Rule,
    Sight,
    certify,
    costs,
    get_method,
    pack,
    views,
)
from homunculus.engines.cells import lift
from homunculus.engines.cells.methods import Method, on_grid
from homunculus.serve import Rewriter
from homunculus.show.cells import look

CELLS = torch.zeros(1, 64)
LONG = torch.arange(10).view(1, 10, 1)
ONES, VALID = torch.ones(1, 10, 1), torch.ones(1, 10, dtype=torch.bool)


def plan(name: str, grids: Any = ((8, 8),), relevance: Any = CELLS, slots: Any = 10) -> Any:
    return get_method(name).plan(grids, relevance, slots)


def given(**material: Any) -> Any:
    return get_method("foveated").plan([(8, 8)], CELLS, 10, Material(**material))


def returned(*parts: Any) -> Any:
    """A method of another package whose rule returns these parts, or one thing that is no plan."""

    @dataclass(frozen=True)
    class Theirs(Rule):
        def __call__(self, field: Field, relevance: Relevance, slots: int) -> Any:
            return Allocation(*parts) if len(parts) == 3 else parts[0]

    return Method("theirs", "returns what it is told", Theirs(), on_grid).plan([(8, 8)], CELLS, 10)


NOWHERE = Lift("nowhere", lambda *_: None)  # type: ignore


def lifted() -> Any:
    own = Method("theirs", "its lift returns None", get_method("grid").rule, NOWHERE)
    return own.plan([(8, 8)], CELLS, 10)


PICTURE = Image.new("RGB", (64, 64))


def viewed(question: Any = "What?", tokens: Any = 16, **more: Any) -> Any:
    return views(PICTURE, question, tokens=tokens, **{"scout": torch.eye(4), **more})


def unsure(*_: Any) -> Sight:
    return Sight(torch.eye(2), sure="very")  # type: ignore


CASES: dict[str, Callable[[], Any]] = {
    "one tuple of grids": lambda: plan("foveated", (8, 8)),
    "grids of three": lambda: plan("foveated", [(1, 8, 8)]),
    "no list of grids": lambda: plan("foveated", None),
    "grids of floats": lambda: plan("grid", [(8.0, 8.0)]),
    "grids in a tensor": lambda: plan("grid", torch.tensor([[8, 8]])),
    "no grids": lambda: plan("foveated", []),
    "no grids for levels": lambda: lift.levels_for([], 5),
    "flat relevance": lambda: plan("grid", relevance=torch.zeros(64)),
    "relevance as a map": lambda: plan("foveated", relevance=torch.zeros(1, 8, 8)),
    "relevance of numpy": lambda: plan("grid", relevance=np.zeros((1, 64), np.float32)),
    "relevance in a list": lambda: plan("grid", relevance=[[0.0] * 64]),
    "no relevance": lambda: plan("grid", relevance=None),
    "too few cells": lambda: plan("cut", relevance=torch.zeros(1, 60)),
    "too many images": lambda: plan("cut", relevance=torch.zeros(2, 64)),
    "spread of too few": lambda: lift.spread(lift.grid([(8, 8)]), torch.zeros(1, 60)),
    "bare logits": lambda: get_method("cut").allocate(lift.grid([(8, 8)]), CELLS, 10),  # type: ignore
    "feature of numpy": lambda: given(feature=np.zeros((1, 64, 3), np.float32)),
    "flat feature": lambda: given(feature=torch.zeros(64, 3)),
    "label of another grid": lambda: given(label=torch.zeros(1, 60).long(), labels=2),
    "energy of another batch": lambda: given(energy=torch.zeros(2, 64, 4)),
    "bare feature": lambda: get_method("grid").field([(8, 8)], 10, torch.zeros(1, 64, 3)),  # type: ignore
    "slots of a float": lambda: plan("grid", slots=10.5),
    "slots of a bool": lambda: plan("cut", slots=True),
    "slots of a str": lambda: plan("cut", slots="10"),
    "slots of none": lambda: plan("cut", slots=0),
    "a rule's slots": lambda: get_method("grid").rule(lift.grid([(8, 8)]), Relevance(CELLS), 10.5),  # type: ignore
    "tokens of a float": partial(Budget, tokens=64.0),  # type: ignore
    "tokens of a bool": partial(Budget, tokens=True),
    "tokens of a str": partial(Budget, tokens="64"),  # type: ignore
    "ratio of a str": partial(Budget, ratio="0.5"),  # type: ignore
    "ratio of a bool": partial(Budget, ratio=True),
    "a number for a method": lambda: get_method(3),  # type: ignore
    "a list for a method": lambda: get_method(["cut"]),  # type: ignore
    "look with float tokens": lambda: look(PICTURE, tokens=64.0),  # type: ignore
    "look with a float patch": lambda: look(PICTURE, patch=16.0),  # type: ignore
    "look without a question": lambda: look(PICTURE, question=None),  # type: ignore
    "look with a number for a method": lambda: look(PICTURE, method=3),  # type: ignore
    "a tuple for a plan": lambda: returned((LONG, ONES, VALID)),
    "numpy in a plan": lambda: returned(LONG.numpy(), ONES, VALID),
    "weights of fewer": lambda: returned(LONG, ONES[:, :5], VALID),
    "valid of fewer": lambda: returned(LONG, ONES, VALID[:, :5]),
    "a plan without fan-in": lambda: returned(LONG[..., 0], ONES[..., 0], VALID),
    "a plan of nothing": lambda: returned(LONG[..., :0], ONES[..., :0], VALID),
    "a plan for two images": lambda: returned(
        *(x.expand(2, *x.shape[1:]) for x in (LONG, ONES, VALID))
    ),
    "short integers": lambda: returned(LONG.int(), ONES, VALID),
    "whole weights": lambda: returned(LONG, ONES.long(), VALID),
    "valid as numbers": lambda: returned(LONG, ONES, VALID.long()),
    "a plan elsewhere": lambda: returned(LONG.to("meta"), ONES.to("meta"), VALID.to("meta")),
    "no field": lifted,
    "views of a number": lambda: viewed(5),
    "views of a list": lambda: viewed(["a", "b"]),
    "views with tokens of a str": lambda: viewed(tokens="x"),
    "views of no model": lambda: viewed(model=None),
    "views with a number for acuity": lambda: viewed(acuity=5),
    "views with a word for context": lambda: viewed(context="a"),
    "views with half a window": lambda: viewed(windows=1.5),
    "views with one setting": lambda: viewed(settings="detail"),
    "views of page x": lambda: viewed(page="x"),
    "views of page 0": lambda: viewed(page=0),
    "costs of half a token": lambda: costs("640x480", tokens=2.5),  # type: ignore
    "costs of true tokens": lambda: costs("640x480", tokens=True),
    "costs of no tokens": lambda: costs("640x480", tokens=0),
    "views as legible as x": lambda: viewed(tokens="auto", legible="x"),
    "views up to half a token": lambda: viewed(tokens="auto", cap=1.5),
    "views by a scout that is very sure": lambda: viewed(scout=unsure),
    "look with a number for a fixation": lambda: look(PICTURE, fixation=5, scout=torch.eye(4)),  # type: ignore
    "a word for a setting": lambda: get_method("cut").set(hedge="x"),
    "slots of a word": lambda: Budget(tokens=4).slots("x"),  # type: ignore
    "certify numbers": lambda: certify(5, 6),  # type: ignore
    "pack a field alone": lambda: pack(lift.grid([(8, 8)]), 2),  # type: ignore
    "rewrite with tokens of a str": lambda: Rewriter("x"),  # type: ignore
    "rewrite a number": lambda: Rewriter(12).messages(5, model="gpt-6"),
}


def outcome(call: Callable[[], Any]) -> list[str]:
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return ["nothing", "was refused"]


if __name__ == "__main__":
    print(json.dumps({name: outcome(call) for name, call in CASES.items()}))
