"""`homunculus demo`: what a stranger sees first, from pictures that are in the package."""

import importlib.util
import socket
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import homunculus
from homunculus.commands.main import main
from homunculus.show import demo
from homunculus.show.views import compose, resized

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command wrote, without a network."""
    folder = tmp_path_factory.mktemp("demo") / "new"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", lambda *_: pytest.fail("no network"))
        assert main(["demo", "-o", str(folder)]) == 0
    return folder


@pytest.mark.parametrize(("tokens", "model"), [(32, "qwen3-vl"), (128, "claude")])
def test_no_two_windows_of_the_page_show_the_same_place(tokens: int, model: str) -> None:
    page, question = demo.EXAMPLES[0].path, "How high is the potassium?"
    seen = homunculus.views(page, question, tokens=tokens, model=model, scout="words", label=False)
    for one, other in combinations((view.box for view in seen.views[1:]), 2):
        sides = [
            max(0, min(one[axis + 2], other[axis + 2]) - max(one[axis], other[axis]))
            for axis in (0, 1)
        ]
        areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
        assert sides[0] * sides[1] <= 0.5 * min(areas)


def test_two_pictures_and_two_drawings_are_written(folder: Path) -> None:
    names = ["page-32-tokens.png", "page.png", "receipt-16-tokens.png", "receipt.png"]
    assert sorted(path.name for path in folder.iterdir()) == names
    copy, ours = Image.open(folder / "page.png"), Image.open(demo.EXAMPLES[0].path)
    assert copy.mode == "RGB"  # so that an array of it has colours
    assert copy.tobytes() == ours.convert("RGB").tobytes()


def test_the_picture_of_the_readme_is_the_one_that_is_drawn(folder: Path) -> None:
    ours, shown = (
        Image.open(one) for one in (folder / "page-32-tokens.png", ROOT / "docs/demo.png")
    )
    assert ours.size == shown.size
    differ = np.abs(np.asarray(ours).astype(int) - np.asarray(shown)) > 40
    assert differ.mean() < 0.03  # a machine may have another typeface, and rounds in its own way


@pytest.mark.parametrize("example", demo.EXAMPLES, ids=lambda one: one.name)
def test_the_answer_is_sharp_in_ours_and_a_blur_in_theirs(example: demo.Example) -> None:
    seen = example.views()
    whole = seen.picture.image()
    sharp = np.asarray(whole.crop(example.spot).convert("L")).astype(float)
    ways = ([resized(seen)], seen.views)
    assert all(sum(view.tokens for view in way) <= example.tokens for way in ways)
    rest = [
        np.asarray(compose(whole, way, whole.size, 1.0).crop(example.spot).convert("L"))
        for way in ways
    ]
    middle = slice(len(sharp) // 2 - 9, len(sharp) // 2 + 9)  # the answer's line
    lost = [np.abs(one - sharp)[middle].mean() for one in rest]
    assert lost[1] < lost[0] / 3
    assert sharp[middle].std() > 20  # something is printed there


def test_the_pictures_are_those_that_the_script_draws() -> None:
    place = importlib.util.spec_from_file_location("script", ROOT / "docs" / "demo.py")
    assert place is not None
    assert place.loader is not None
    script = importlib.util.module_from_spec(place)
    place.loader.exec_module(script)
    for example in demo.EXAMPLES:
        drawn = np.asarray(getattr(script, example.name)().convert("L")).astype(int)
        ours = np.asarray(Image.open(example.path).convert("L"))
        assert drawn.shape == ours.shape
        assert (np.abs(drawn - ours) > 40).mean() < 0.01
    assert sum(round(float(price) * 100) for _, price in script.GOODS) == 5578
