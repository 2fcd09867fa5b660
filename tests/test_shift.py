"""Only differences of a map matter: what is added to all its cells changes no result, anywhere.

Maps stand on sixteenths and shifts are whole numbers, so that shifting is exact in float32.
"""

from base64 import b64encode
from collections.abc import Callable
from functools import cache
from inspect import signature
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

import homunculus
from homunculus import Sight
from homunculus.scouts.combine import combine, mix
from homunculus.scouts.registry import at_named_place
from homunculus.scouts.sight import probabilities
from tiny import load

Map = NDArray[np.float32]
SHIFTS = (1e3, -1e3)
QUESTION = "What is at the top left?"
METHODS = homunculus.list_methods()
OF_PICTURES = [name for name, method in METHODS.items() if method.source == "question"]
"""Methods that `look` can run by a map: they need no model."""


@cache
def page() -> Any:
    """Stripes on white: something for methods that look at pixels."""
    drawn = Image.new("RGB", (256, 192), "white")
    for x in range(16, 240, 24):
        drawn.paste("black", (x, 40, x + 9, 60))
    return drawn


@cache
def model() -> SimpleNamespace:
    return load("qwen3_vl")


def scout(logit: Map) -> Callable[..., Sight]:
    """A function that returns a map, as other packages offer them."""
    return lambda image, question, grid: Sight(logit, sure=0.9)


def facts(seen: homunculus.Views) -> object:
    return seen.to_json(), seen.value, seen.resize_value


def by_views(logit: Map) -> object:
    given = homunculus.views(page(), QUESTION, tokens=24, scout=logit)
    asked = homunculus.views(page(), QUESTION, tokens=24, scout=scout(logit))
    return facts(given), facts(asked), given.show().tobytes()


def by_planner(logit: Map) -> object:
    planner = homunculus.Planner(page(), QUESTION, scout=logit)
    return facts(planner.views(16)), planner.budget(0.5)


def by_look(logit: Map) -> object:
    return [
        homunculus.look(page(), QUESTION, method=name, tokens=12, scout=whom).to_json()
        for name in OF_PICTURES
        for whom in (logit, scout(logit))
    ]


def by_get_scout(logit: Map) -> object:
    sight = homunculus.get_scout(logit)(np.zeros((3, 64, 64), np.uint8), "", (4, 4))
    return probabilities(sight.logit)


def by_attach(logit: Map) -> object:
    it = model()
    anchors = list[object]()
    for where in ("before", "after"):
        engine = homunculus.attach(it.model, it.processor, tokens=12, where=where, scout=logit)
        (shown,) = engine.generate(page(), QUESTION, max_new_tokens=1).images
        anchors.append(shown.choice.anchor.tolist())
    return anchors


def by_rewriter(logit: Map) -> object:
    file = BytesIO()
    page().save(file, "PNG")
    url = f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
    picture = {"type": "image_url", "image_url": {"url": url}}
    parts = [picture, {"type": "text", "text": QUESTION}]
    rewriter = homunculus.Rewriter(24, model=16, scout=scout(logit))
    return rewriter.messages([{"role": "user", "content": parts}])


PUBLIC: dict[str, Callable[[Map], object]] = {
    "views": by_views,
    "Planner": by_planner,
    "look": by_look,
    "get_scout": by_get_scout,
    "attach": by_attach,
    "Rewriter": by_rewriter,
}
"""Every public name that is given a map, and what it makes of one."""


def by_combine(logit: Map) -> object:
    read = Sight(logit, sure=0.9, elsewhere=np.ones((4, 5)))
    seen = Sight(logit[::-1], sure=0.8, thing=np.ones((4, 5)))
    questions = ("Where?", "Which number is on it?")
    return [
        combine(read, seen, question, grid).logit
        for question in questions
        for grid in ((4, 5), (7, 9))
    ]


def by_place(logit: Map) -> object:
    sight = at_named_place(Sight(logit, sure=0.9), QUESTION, (4, 5))
    return facts(homunculus.views(page(), QUESTION, tokens=24, scout=lambda *_: sight))


def by_mix(logit: Map) -> object:
    return mix({"question": logit, "saliency": logit[:, ::-1]})


INSIDE: dict[str, Callable[[Map], object]] = {
    "probabilities": probabilities,
    "combine": by_combine,
    "at_named_place": by_place,
    "mix": by_mix,
}
"""What scouts and surfaces are made from."""


def equal(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other


def maps() -> st.SearchStrategy[Map]:
    """Maps of 4 x 5 cells, of logits as far apart as a loud scout's."""
    sixteenths = st.lists(st.integers(-4800, 4800), min_size=20, max_size=20)
    return sixteenths.map(lambda drawn: np.array(drawn, np.float32).reshape(4, 5) / 16)


PEAK = np.zeros((4, 5), np.float32)
PEAK[1, 3] = 60
"""One cell that a bound on logits themselves, not on their differences, would lose."""


@pytest.mark.parametrize("name", [*PUBLIC, *INSIDE])
@settings(max_examples=2, phases=(Phase.explicit, Phase.generate))
@example(PEAK)
@given(maps())
def test_a_shifted_map_gives_the_same_result(name: str, logit: Map) -> None:
    result = {**PUBLIC, **INSIDE}[name]
    expected = result(logit)
    for shift in SHIFTS:
        assert np.array_equal(logit + shift - shift, logit)
        assert equal(result(logit + shift), expected), f"{name}: {shift:+g} changed the result"


def test_every_public_name_that_takes_a_scout_is_tried() -> None:
    takes = set[str]()
    for name in homunculus.__all__:
        value = getattr(homunculus, name)
        error = isinstance(value, type) and issubclass(value, Exception)
        if callable(value) and not error and value is not homunculus.Scout:
            takes |= {name} if "scout" in signature(value).parameters else set()
    assert takes | {"Planner", "Rewriter"} == set(PUBLIC)  # whose scout is an option among others
