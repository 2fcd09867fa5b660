"""The documentation's own promises: examples, cards that do not lie, a gallery with its licences.

Links and anchors are checked where the site is built (`.ci/run`, `mkdocs build --strict`).
"""

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import homunculus
import homunculus.serve

DOCS = Path(__file__).parents[1] / "docs"
ROOMS = (homunculus, homunculus.serve)
NAMES = [f"{room.__name__}.{name}" for room in ROOMS for name in room.__all__]


def resolve(name: str) -> Any:
    room, _, last = name.rpartition(".")
    return getattr(sys.modules[room], last)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_an_example_in_a_module_whose_examples_run(name: str) -> None:
    value = resolve(name)
    assert ">>> " in (inspect.getdoc(value) or ""), name
    assert "litellm" not in value.__module__  # the one room of these whose doctests do not run


def test_the_reference_has_every_public_name() -> None:
    page = (DOCS / "reference.md").read_text("utf-8")
    shown = [resolve(name) for name in re.findall(r"^::: (\S+)$", page, re.MULTILINE)]
    assert len(shown) == len(set(map(id, shown)))
    assert {id(resolve(name)) for name in NAMES} == set(map(id, shown))


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(DOCS))
    import cards

    return cards


def test_every_method_has_a_card_and_the_page_is_what_the_registry_and_results_say(cards) -> None:
    table = {**homunculus.list_methods(), **cards.PLANNED}
    ours = ("homunculus.", "homunculus_lab.")  # not those of other packages, nor tests
    assert {name for name in table if table[name].rule.__module__.startswith(ours)} == set(
        cards.CARDS
    )
    assert (DOCS / "methods.md").read_text("utf-8") == cards.page()
    assert {path.stem for path in (DOCS / "methods").iterdir()} == set(cards.CARDS)


def test_the_gallery_has_24_pictures_wins_and_losses_and_names_their_licences() -> None:
    page = (DOCS / "gallery.md").read_text("utf-8")
    entries = re.findall(r"!\[[^\]]+\]\((gallery/\S+)\)\n\n\*\*(\w+)[^*]*\*\* (.+)", page)
    assert len(entries) == 24
    assert {path for path, _, _ in entries} == {
        f"gallery/{path.name}" for path in (DOCS / "gallery").iterdir()
    }
    assert all(re.search(r"CC BY|no known copyright", text) for _, _, text in entries)
    met = [outcome for _, outcome, _ in entries]
    assert met.count("Win") >= 8
    assert met.count("Loss") >= 6


def test_committed_pictures_of_the_docs_are_small() -> None:
    pictures = [path for path in DOCS.rglob("*") if path.suffix in {".webp", ".svg", ".png"}]
    assert sum(path.stat().st_size for path in pictures) < 4_000_000
