"""Every method keeps the same tokens on every surface, or the surface refuses it by its name.

`look`, the engine before and after the encoder, vLLM's processor and worker, and the bench: a
picture whose own cells are the model's lattice, and one question.
"""

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from PIL import Image
from torch import Tensor

import homunculus
from homunculus import Lift, Material, Method, Sight, Tokens, get_method, list_methods
from homunculus.engines.border import tensor
from homunculus.engines.cells import lift
from homunculus.engines.cells.allocate import TopK
from homunculus.engines.cells.pack import pack
from homunculus.engines.families import plain_layout
from homunculus.engines.parts import are_cells
from homunculus.show.cells import look
from homunculus_lab.methods import FEATURES
from homunculus_lab.methods.answer import AnswerScout
from tiny import FAMILIES, load

pytest.importorskip("skimage", reason="needs the laboratory")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:transformers")

GRID, SLOTS, QUESTION = (12, 16), 40, "What is printed in the top left corner?"
BOX = (32, 48, 96, 64)
"""The answer's, for `oracle`."""
BY_CONTENT = ("random", "clusters")
"""Their choice rests on features, and those of a surface are its own: colours, rows or none."""
FRAMED = ("windows", "resize")
"""Shown as ordinary images of their own before the encoder."""
every_method = pytest.mark.parametrize("name", list(list_methods()))


@cache
def page() -> Any:
    """Blocks of colour, upright, level and slanting stripes, and specks."""
    chance = torch.Generator().manual_seed(0)
    pixel = torch.full((192, 256, 3), 235, dtype=torch.uint8)
    y, x = torch.arange(192)[:, None], torch.arange(256)
    pixel[:, 160:] = torch.tensor([40, 60, 150], dtype=torch.uint8)
    pixel[110:, :90] = torch.tensor([180, 40, 30], dtype=torch.uint8)
    pixel[:80, :80] = torch.where((x[:80] % 6 < 3)[None, :, None], 20, pixel[:80, :80])
    pixel[100:170, 100:150] = torch.where((y[100:170] % 6 < 3)[..., None], 30, 220)
    pixel[20:90, 170:250] = torch.where(((x + y)[20:90, 170:250] % 9 < 4)[..., None], 90, 200)
    speck = torch.randint(0, 40, pixel.shape, generator=chance, dtype=torch.uint8)
    return Image.fromarray((pixel - speck.minimum(pixel)).numpy())


@cache
def seen(name: str) -> Any:
    """What `look` keeps."""
    scout = AnswerScout([BOX]) if name == "oracle" else "auto"
    return look(page(), QUESTION, method=name, tokens=SLOTS, scout=scout)


@cache
def model() -> SimpleNamespace:
    return load("qwen3_vl")


def kept(tokens: Tokens) -> list[tuple[float, ...]]:
    """Boxes and levels, in reading order."""
    valid = tokens.valid[0]
    level = tokens.level[0][valid].tolist()
    return [(*box, one) for box, one in zip(tokens.box[0][valid].tolist(), level, strict=True)]


def expected(name: str, feature: Tensor | None) -> list[tuple[float, ...]]:
    """As `look`; by a direct call with a surface's own features where the choice rests on them."""
    if name not in BY_CONTENT:
        return kept(seen(name).tokens)
    logit = tensor(seen(name).relevance).reshape(1, -1)
    return kept(pack(*get_method(name).plan([GRID], logit, SLOTS, Material(feature))))


def anchors(boxes: list[tuple[float, ...]]) -> list[int]:
    """The cells that hold the centres; the upper left one where a centre is a corner."""
    found = []
    for y0, x0, y1, x1, _ in boxes:
        row, col = (max(0, -int(-(low + high) // 2) - 1) for low, high in ((y0, y1), (x0, x1)))
        found.append(row * GRID[1] + col)
    return sorted(found)


def engine(name: str, where: str) -> Any:
    """Relevance is scouted; given where a method must be told the answer."""
    scout = seen(name).relevance if get_method(name).source == "answer" else "auto"
    it = model()
    return homunculus.attach(
        it.model, it.processor, tokens=SLOTS, method=name, where=where, scout=scout
    )


def prepared(name: str, where: str) -> Any:
    """The one image of a prompt."""
    parts = [{"type": "image", "image": page()}, {"type": "text", "text": QUESTION}]
    (one,) = engine(name, where).prepare([{"role": "user", "content": parts}]).images
    return one


# ---- the picture is a fair one -------------------------------------------------------------------


def test_no_two_methods_that_look_keep_the_same_here() -> None:
    found = {name: tuple(kept(seen(name).tokens)) for name in list_methods() if name != "shuffled"}
    assert len(set(found.values())) == len(found)


# ---- lattices that are not the picture's own cells -----------------------------------------------


@pytest.mark.parametrize("family", list(FAMILIES))
def test_regions_and_bands_reach_the_lattice_of_every_family(family: str) -> None:
    it, found = load(family), {}
    for name in ("grid", "atlas", "frequency"):
        made = homunculus.attach(it.model, it.processor, tokens=SLOTS, method=name, where="after")
        parts = [{"type": "image", "image": page()}, {"type": "text", "text": QUESTION}]
        (one,) = made.prepare([{"role": "user", "content": parts}]).images
        assert len(one.choice.embed) == SLOTS
        found[name] = one.choice.anchor.tolist()
    assert len({tuple(anchor) for anchor in found.values()}) == 3


# ---- surfaces ------------------------------------------------------------------------------------


@every_method
def test_before_the_encoder_the_tokens_of_look_are_kept_or_the_method_is_refused(
    name: str,
) -> None:
    tokens = seen(name).tokens
    if name not in FRAMED and not are_cells(tokens, GRID):
        with pytest.raises(ValueError, match=rf"\b{name} makes means"):
            engine(name, "before")
        return
    assert kept(prepared(name, "before").choice.tokens) == expected(name, None)


@every_method
def test_after_the_encoder_the_tokens_of_look_are_kept(name: str) -> None:
    one = prepared(name, "after")
    assert one.layout.grid == GRID
    with torch.no_grad():
        everything = homunculus.attach(
            model().model, model().processor, tokens=10**6, method="grid", where="after"
        )
        parts = [{"type": "image", "image": page()}, {"type": "text", "text": QUESTION}]
        (all_rows,) = everything.prepare([{"role": "user", "content": parts}]).images
    rows = all_rows.choice.embed[None]
    assert kept(one.choice.tokens) == expected(name, rows)
    assert len(one.choice.embed) == get_method(name).count(GRID, SLOTS)


def serving(name: str, where: str, *images: Any) -> tuple[dict[str, Tensor], Method]:
    """What vLLM's processor sends to its worker."""
    from homunculus.engines.vllm.choose import ImageInputs, choose_tokens
    from homunculus.engines.vllm.settings import ServerSettings

    settings = ServerSettings(tokens=SLOTS, method=name, where=where)
    it = model()
    inputs = ImageInputs(it.model.config, it.processor.image_processor, {}, torch.float32)
    shown = images or (page(),)
    fields = choose_tokens(inputs, shown, [QUESTION] * len(shown), settings)
    return fields, settings.method_object


def _colours() -> Tensor:
    """The features that vLLM's processor has, if a method needs some."""
    from homunculus.pages import open_picture
    from homunculus_lab.methods.material import material

    found = material(open_picture(page()).pixels, 16, {"features"}).feature
    assert found is not None
    return found


@every_method
def test_vllm_before_the_encoder_keeps_the_tokens_of_look_or_refuses_the_method(
    name: str,
) -> None:
    from homunculus.engines.vllm import choose

    if get_method(name).source == "answer":
        with pytest.raises(ValueError, match=name):
            serving(name, "before")
        return
    if name not in FRAMED and not are_cells(seen(name).tokens, GRID):
        with pytest.raises(ValueError, match=rf"\b{name} makes means"):
            serving(name, "before")
        return
    sent, _ = serving(name, "before")
    boxes = expected(name, None)
    assert sent[choose.ANCHOR].tolist() == anchors(boxes)
    if name not in FRAMED:
        assert sorted(viewed(sent)) == sorted(boxes)
    if name == "resize":
        assert sent[choose.PARTS].tolist() == [[5, 7, 35]]


def viewed(sent: dict[str, Tensor]) -> list[tuple[float, ...]]:
    """Boxes and levels of the cells that a server's tower is shown."""
    from homunculus.engines.vllm.choose import CELL, PARTS

    found, rest = [], sent[CELL].tolist()
    for rows, cols, many in sent[PARTS].tolist():
        sizes = [(-(-GRID[0] // 2**level), -(-GRID[1] // 2**level)) for level in range(5)]
        level = sizes.index((rows, cols))
        for cell in rest[:many]:
            y, x = (at << level for at in divmod(cell, cols))
            low = (min(y + 2**level, GRID[0]), min(x + 2**level, GRID[1]))
            found.append((float(y), float(x), *map(float, low), level))
        rest = rest[many:]
    return found


@every_method
def test_vllm_after_the_encoder_keeps_the_tokens_of_look_twice(name: str) -> None:
    from homunculus.engines.vllm import choose

    if get_method(name).source == "answer":
        with pytest.raises(ValueError, match=name):
            serving(name, "after")
        return
    sent, rule = serving(name, "after")
    boxes = expected(name, None if name == "random" else _colours())
    assert sent[choose.ANCHOR].tolist() == anchors(boxes)
    rows = torch.randn(GRID[0] * GRID[1], 8, generator=torch.Generator().manual_seed(1))
    (again,) = choose.choose_again(sent, [plain_layout(*GRID)], rule, [rows])
    assert kept(again.tokens) == boxes
    assert torch.equal(again.anchor, sent[choose.ANCHOR])
    assert again.embed.shape == (get_method(name).count(GRID, SLOTS), 8)


@pytest.mark.parametrize("name", ["atlas", "clusters", "frequency", "random", "resize"])
def test_vllms_worker_tells_the_images_of_a_batch_apart(name: str) -> None:
    from homunculus.engines.vllm import choose

    images, layouts = (
        (page(), page().crop((64, 32, 224, 144))),
        [plain_layout(*GRID), plain_layout(7, 10)],
    )
    rows = [torch.randn(len(one.row), 4) for one in layouts]
    both, rule = serving(name, "after", *images)
    found = choose.choose_again(both, layouts, rule, rows)
    assert torch.equal(torch.cat([one.anchor for one in found]), both[choose.ANCHOR])
    for at, shown in enumerate(images):
        alone, _ = serving(name, "after", shown)
        (single,) = choose.choose_again(alone, layouts[at : at + 1], rule, rows[at : at + 1])
        assert torch.equal(single.anchor, found[at].anchor)
        assert torch.equal(single.embed, found[at].embed)


@every_method
def test_the_bench_keeps_the_tokens_of_look(name: str, tmp_path: Path) -> None:
    pytest.importorskip("anls", reason="needs the laboratory")
    from homunculus_lab.measure.row import row
    from homunculus_lab.measure.spend import open_sheet, spend_slots

    page().save(tmp_path / "page.png")
    sheet = open_sheet(tmp_path / "page.png", 256, 16)
    one = row(name, {"scout": lambda *_: Sight(seen(name).relevance, sure=1.0)})
    if name == "resize":  # measured by pixels, which shrink freely
        assert one.methods == ()
        return
    tokens = spend_slots(one, 0, sheet, SLOTS, tensor(seen(name).relevance)).tokens
    assert kept(tokens) == kept(seen(name).tokens)


@pytest.mark.parametrize("where", ["before", "after"])
def test_a_method_of_another_package_that_needs_features_has_them(where: str) -> None:
    seen_by: list[Tensor | None] = []

    def by_features(grids: Any, slots: int, material: Material) -> Any:
        seen_by.append(material.feature)
        return lift.grid(grids, material.feature)

    features = {"needs": frozenset({"features"}), "prepare": FEATURES}
    theirs = Method("theirs", "", TopK(), Lift("by features", by_features), **features)
    it = model()
    made = homunculus.attach(it.model, it.processor, tokens=SLOTS, method=theirs, where=where)
    parts = [{"type": "image", "image": page()}, {"type": "text", "text": QUESTION}]
    (one,) = made.prepare([{"role": "user", "content": parts}]).images
    assert len(one.choice.embed) == SLOTS
    assert seen_by[-1] is not None
