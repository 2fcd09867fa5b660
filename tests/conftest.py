"""Which tests need an environment of their own, and which need torch; and what planners are given.

Nothing of the package is imported here at module level: shapes are not checked yet.
"""

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from light import HEAVY, light_tests

collect_ignore = ["cap_table.py", "mutants.py"]  # commands
if find_spec("vllm") is None:  # it has an environment of its own
    collect_ignore.append("serving")
if find_spec("litellm") is None:  # so has it
    collect_ignore.append("proxy")
if find_spec("gradio") is None:  # and so has it
    collect_ignore.append("studio")
if find_spec("ray") is None:  # and so has it, on top of vLLM's
    collect_ignore.append("batch")
if any(find_spec(name) is None for name in HEAVY):  # tests of the light half run without it
    here = Path(__file__).parent
    collect_ignore += sorted({path.name for path in here.glob("test_*.py")} - light_tests())


@pytest.fixture(scope="session", autouse=True)
def no_store() -> Iterator[None]:
    """Nothing that was read of a page is kept from one test to another, or in anyone's home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOMUNCULUS_CACHE", "off")
        yield


@pytest.fixture
def planned(monkeypatch) -> list[Any]:
    """The pictures that planners are made for."""
    views, pictures = sys.modules["homunculus.views.picture"], list[Any]()
    ask = views.ask_scout

    def asked(scout, picture, question):
        pictures.append(picture)
        return ask(scout, picture, question)

    monkeypatch.setattr(views, "ask_scout", asked)
    return pictures


@pytest.fixture
def engine(monkeypatch) -> list[tuple[int, ...]]:
    """The sizes of what an OCR has read, by whatever name; it finds the same on every page."""
    from homunculus.pages import ocr
    from word_help import WORDS

    shapes = list[tuple[int, ...]]()

    def function(pixels):
        shapes.append(pixels.shape)
        return WORDS

    monkeypatch.setattr(ocr, "_engine", lambda name: ocr._Named(function))
    return shapes
