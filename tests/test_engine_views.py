"""Planned views inside a model: exactly K tokens, ordinary pictures, bit by bit."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor

import homunculus
from engine_help import (
    GREEDY,
    LARGE,
    MARK,
    SMALL,
    TALL,
    attached,
    images,
    loaded,
    picture,
    turn,
    unlabelled,
    untouched,
)
from homunculus import Sight
from homunculus.commands.main import main
from homunculus.engines.encode import stack_rows
from homunculus.engines.families import plain_layout
from homunculus.engines.plan import SeenImage, _within, choose_views
from homunculus.engines.select import LatticeView, search
from homunculus.engines.transformers.engine import Engine
from homunculus.engines.vllm.choose import ANCHOR, ORDER, PARTS, SIZES, ImageInputs, choose_tokens
from homunculus.engines.vllm.settings import ServerSettings
from homunculus.planner.acuity import VLM, Acuity
from homunculus.planner.options import ViewOptions
from homunculus.scouts.sight import Match
from tiny import folder

pytestmark = MARK
K, CELL = 40, 16
ASK = "What is it?"
QWEN = ("qwen3_vl", "qwen2_5_vl", "qwen2_vl")
TILED = ("llava_onevision", "smolvlm", "idefics3")
by_family = pytest.mark.parametrize("family", QWEN)


def viewed(family: str, **options: Any) -> Engine:
    usual = {"tokens": K, "method": "views", "where": "before"}
    return attached(family, **usual | options)


@pytest.mark.parametrize(
    ("family", "where", "method"),
    [("qwen3_vl", "auto", "views"), ("qwen3_vl", "after", "cut"), ("internvl", "auto", "cut")],
)
def test_the_default_is_views_or_cells_after_the_encoder(
    family: str, where: str, method: str
) -> None:
    assert attached(family, where=where, method=None).method.name == method


@pytest.mark.parametrize(("where", "method"), [("before", "views"), ("after", "cut")])
def test_the_default_of_a_server_is_the_same(where: Any, method: str) -> None:
    assert ServerSettings(where=where).method == method
    assert ServerSettings(where=where, method="grid").method == "grid"


@pytest.fixture(params=(*QWEN, *TILED))
def engine(request: pytest.FixtureRequest) -> Engine:
    return viewed(request.param)


def logits(engine: Engine, inputs: Any) -> Tensor:
    with torch.no_grad():
        return engine.model(**inputs).logits


def by_hand(image: Any, views: Sequence[LatticeView]) -> list[Any]:
    """Views of a picture that its model does not resize, as Pillow images."""
    whole = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8)
    whole = whole.view(image.height, image.width, 3).permute(2, 0, 1)
    out = []
    for (y0, x0, y1, x1), grid in views:
        part = whole[:, round(y0 * CELL) : round(y1 * CELL), round(x0 * CELL) : round(x1 * CELL)]
        size = (grid[0] * CELL, grid[1] * CELL)
        if part.shape[1:] != size:
            part = F.interpolate(part[None].float(), size, mode="bilinear", antialias=True)[0]
        out.append(Image.fromarray(part.round().byte().permute(1, 2, 0).contiguous().numpy()))
    return out


# ---- exactly K -----------------------------------------------------------------------------------


@pytest.mark.parametrize("tokens", [1, 2, 7, 40, 64, 107])
def test_an_image_is_exactly_k_placeholders(engine: Engine, tokens: int) -> None:
    few = viewed(engine.family.name, tokens=tokens)
    talk = [turn(picture(*LARGE), ASK, picture(*TALL, seed=1))]
    prepared = few.prepare(talk)
    for look in prepared.images:
        many = min(tokens, look.layout.total)
        assert len(look.choice.anchor) == len(look.choice.order) == many
        assert look.choice.embed is not None
        assert len(look.choice.embed) == many
    kept = sum(len(look.choice.anchor) for look in prepared.images)
    assert int(images(few, prepared["input_ids"]).sum()) == kept


def test_there_are_windows_beside_the_whole(engine: Engine) -> None:
    """Else the other tests would show less than they seem to."""
    (look,) = engine.prepare([turn(picture(*LARGE), ASK)]).images
    whole, *windows = look.choice.views
    assert whole.frame == (0, 0, *look.layout.grid)
    assert windows
    assert sum(rows * cols for _, (rows, cols) in look.choice.views) == K
    assert any(edge % 1 for frame, _ in windows for edge in frame)  # not on the lattice


def test_keeping_all_is_the_untouched_model(engine: Engine) -> None:
    every = viewed(engine.family.name, tokens=10**6)
    for talk in (
        [turn(picture(*LARGE), ASK)],
        [turn(picture(*TALL), "and", picture(*SMALL, seed=1), ASK)],
        [turn("What is a dog?")],
    ):
        prepared = every.prepare(talk, forward=True)
        base = logits(every, untouched(every, [talk], prompt=False))
        assert torch.equal(logits(every, unlabelled(prepared)), base)


def test_a_talk_gets_in_a_batch_what_it_gets_alone(engine: Engine) -> None:
    talks = [[turn(picture(*LARGE), "How many?")], [turn(picture(*TALL, seed=1), ASK)]]
    both = engine.prepare(talks, forward=True)
    told = logits(engine, unlabelled(both))
    for at, talk in enumerate(talks):
        alone, again = (engine.prepare(talk, forward=True) for _ in range(2))
        assert alone.images[0].choice.views == both.images[at].choice.views
        length = alone["input_ids"].shape[1]
        assert torch.equal(both["input_ids"][at, -length:], alone["input_ids"][0])
        places = both["position_ids"][..., at, -length:], alone["position_ids"][..., 0, :]
        assert torch.equal(*places)
        mine = logits(engine, unlabelled(alone))
        assert torch.equal(mine, logits(engine, unlabelled(again)))
        assert (mine[0] - told[at, -length:]).abs().max() < 2e-4


# ---- ordinary pictures ---------------------------------------------------------------------------


@by_family
def test_features_are_those_of_the_untouched_tower_for_the_views_by_hand(family: str) -> None:
    engine, image = viewed(family), picture(*LARGE)
    choice = engine.prepare([turn(image, ASK)]).images[0].choice
    fed = engine.processor.image_processor(
        images=by_hand(image, choice.views), do_resize=False, return_tensors="pt"
    )
    with torch.no_grad():
        output = engine.model.base_model.get_image_features(
            fed["pixel_values"], fed["image_grid_thw"], return_dict=True
        )
    assert torch.equal(choice.embed, stack_rows(output)[choice.order])


@by_family
def test_a_token_stands_at_the_cell_of_its_centre(family: str) -> None:
    engine = viewed(family)
    prepared = engine.prepare([turn(picture(*LARGE), ASK)])
    image = images(engine, prepared["input_ids"])[0]
    _, time, row, col = prepared["position_ids"][:, 0, image]
    places = []
    for (y0, x0, y1, x1), (rows, cols) in prepared.images[0].choice.views:
        for r in range(rows):
            for c in range(cols):
                y, x = y0 + (y1 - y0) * (r + 0.5) / rows, x0 + (x1 - x0) * (c + 0.5) / cols
                places.append((max(0, -int(-y // 1) - 1), max(0, -int(-x // 1) - 1)))
    start = untouched(engine, [[turn(picture(*LARGE), ASK)]])["input_ids"][0].tolist()
    first = start.index(engine.model.config.image_token_id)
    assert time.unique().tolist() == [first]
    found = zip((row - first).tolist(), (col - first).tolist(), strict=True)
    # whose feature it is, `order` says: see the test before this one
    assert list(found) == [places[at] for at in prepared.images[0].choice.order]


# ---- what a plan goes by -------------------------------------------------------------------------


def test_of_a_scout_that_is_not_sure_the_whole_is_shown(engine: Engine) -> None:
    def unsure(image: Tensor, question: str, grid: tuple[int, int]) -> Sight:
        return Sight(torch.randn(9, 9, generator=torch.Generator().manual_seed(0)), sure=0.0)

    few = viewed(engine.family.name, scout=unsure)
    (look,) = few.prepare([turn(picture(*LARGE), ASK)]).images
    whole, *rest = look.choice.views
    assert whole.frame == (0, 0, *look.layout.grid)
    assert K - 7 <= whole.grid[0] * whole.grid[1] <= K
    assert len(rest) <= 2


def sized(height: Tensor | float | None, error: float = 0.1) -> Any:
    def scout(image: Tensor, question: str, grid: tuple[int, int]) -> Sight:
        logit = torch.full((8, 8), -9.0)
        logit[1, 6] = 0.0
        return Sight(logit, sure=1.0, size=height, size_error=error)

    return scout


def test_how_large_the_print_is_reaches_the_planner() -> None:
    views = {
        height: viewed("qwen3_vl", scout=sized(height))
        .prepare([turn(picture(*LARGE), ASK)])
        .images[0]
        .choice.views
        for height in (8.0, 100.0)
    }
    assert len(views[8.0]) > 1  # small: a window on it
    assert views[100.0][0].grid[0] * views[100.0][0].grid[1] > 0.8 * K  # large: seen anyway
    (y0, x0, y1, x1), (rows, cols) = views[8.0][1]
    assert y0 <= 2.25 <= y1  # the middle of what it found, in cells
    assert x0 <= 13 <= x1
    assert (y1 - y0, x1 - x0) == (rows, cols)  # at full size


def test_heights_are_those_of_the_image_itself() -> None:
    scout, method = sized(10.0), homunculus.get_method("views")
    assert search(picture(64, 64), ASK, method, scout).size == 10.0
    halved = search(picture(32, 3328), ASK, method, scout).size  # the scout sees half of that
    assert isinstance(halved, float)
    assert abs(halved - 20) < 0.2
    as_map = search(picture(32, 3328), ASK, method, sized(torch.full((2, 3), 10.0))).size
    assert isinstance(as_map, np.ndarray)
    assert abs(as_map - 20).max() < 0.2


@pytest.mark.parametrize("kind", ["number", "map"])
def test_heights_scale_with_the_image_that_the_model_sees(kind: str) -> None:
    """The same print, told on an image of twice the size."""
    layout, logit = plain_layout(24, 24), torch.full((12, 12), -9.0)
    logit[3, 4] = 0.0
    height = 40.0 if kind == "number" else torch.full((12, 12), 40.0)
    large = Sight(logit, sure=1.0, size=height, size_error=0.1)
    small = replace(large, size=height / 2)
    one = choose_views(SeenImage(None, (768, 768), layout, large), 16, 30, ViewOptions())
    two = choose_views(SeenImage(None, (384, 384), layout, small), 16, 30, ViewOptions())
    other = choose_views(SeenImage(None, (384, 384), layout, large), 16, 30, ViewOptions())
    assert one.views == two.views != other.views


def test_a_window_of_the_image_is_planned_by_its_part_of_the_map() -> None:
    """A family that sees the lower half only: relevance above it is not seen."""
    logit = torch.full((16, 8), -9.0)
    logit[12, 2] = 0.0
    half = plain_layout(12, 12, (0.5, 0.0, 1.0, 1.0))
    sight = Sight(logit, sure=1.0, size=8.0, size_error=0.1)
    found = choose_views(SeenImage(None, (384, 192), half, sight), 16, 16, ViewOptions())
    same = replace(sight, logit=logit[8:])
    alone = choose_views(
        SeenImage(None, (192, 192), plain_layout(12, 12), same), 16, 16, ViewOptions()
    )
    assert found.views == alone.views


def test_whose_eyes_and_how_much_context() -> None:
    talk = [turn(picture(*LARGE), ASK)]

    def views(**options: Any) -> tuple[LatticeView, ...]:
        return viewed("qwen3_vl", **options).prepare(talk).images[0].choice.views

    scout = sized(24.0)
    assert views(scout=scout) == views(scout=scout, acuity="vlm") == views(scout=scout, acuity=VLM)
    assert views(scout=scout, acuity=Acuity("eagle", 1.0, 0.5)) != views(scout=scout)
    least, more = views(scout=sized(6.0)), views(scout=sized(6.0), context=0.5)
    assert more[0].grid[0] * more[0].grid[1] > least[0].grid[0] * least[0].grid[1]
    full = views(scout=sized(6.0), context=1.0)  # leaves no room for a window, but for the rest
    assert full[0].grid[0] * full[0].grid[1] > 0.8 * K


def test_a_map_is_a_scout() -> None:
    logit = torch.full((6, 6), -9.0)
    logit[4, 1] = 0.0
    (look,) = viewed("qwen3_vl", scout=logit).prepare([turn(picture(*LARGE), ASK)]).images
    (y0, x0, y1, x1), _ = look.choice.views[1]
    assert y0 <= 9 <= y1
    assert x0 <= 4 <= x1


# ---- turns, answers, settings --------------------------------------------------------------------


def test_a_later_turn_keeps_the_views(engine: Engine) -> None:
    talk = [turn(picture(*LARGE), "One?")]
    (first,) = engine.chat(talk, **GREEDY, max_new_tokens=3)
    assert first.prepared.images[0].choice.embed is None
    more = [*talk, turn(first.text, role="assistant"), turn("Two?")]
    pinned = engine.prepare(more, first.prepared)
    assert pinned.images[0].choice.views == first.images[0].choice.views
    fresh = engine.prepare(more)
    assert fresh.images[0].choice.views != first.images[0].choice.views
    options = GREEDY | {"max_new_tokens": 4}
    (second,) = engine.chat(more, upon=first, **options)
    made = engine.model.generate(**pinned, **options)
    assert second.ids.tolist() == made[0].tolist()


def test_an_answer_can_be_drawn(engine: Engine) -> None:
    answer = engine.generate(picture(*LARGE), ASK, max_new_tokens=2, **GREEDY)
    assert answer.show().width > 100
    assert answer.tokens[0].box.shape == (1, K, 4)


def test_an_engine_says_what_its_plans_go_by() -> None:
    told = repr(viewed("qwen3_vl", context=0.25))
    assert told.endswith("scout='given', acuity='vlm', context=0.25)")


# ---- refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "options", "message"),
    [
        ("qwen3_vl", {"where": "after"}, r"encoded by themselves.*where=\"before\""),
        ("internvl", {"where": "auto"}, "encoded by themselves, which internvl"),
        ("qwen3_vl", {"acuity": "eagle"}, "no acuity 'eagle'. There are rapidocr, tesseract, vlm"),
        ("qwen3_vl", {"context": 1.5}, "context must be a number from 0 to 1, got 1.5"),
    ],
)
def test_what_cannot_be_shown_is_refused(family: str, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        viewed(family, **options)


def test_where_there_is_no_engine_views_say_who_shows_them() -> None:
    with pytest.raises(ValueError, match=r"the planner finds these tokens.*attach\("):
        homunculus.look(picture(*LARGE), ASK, method="views")


def test_views_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["methods", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["methods"]}
    assert rows["views"]["source"] == "question"
    assert not rows["views"]["control"]
    assert "views" not in homunculus.list_methods()  # which are those that choose cells


# ---- vLLM's processor, without vLLM --------------------------------------------------------------


@by_family
def test_vllms_processor_sends_the_same_pictures(family: str) -> None:
    image, sight = picture(*LARGE), sized(8.0)(torch.zeros(3, 1, 1), ASK, (1, 1))
    tiny = loaded(family)
    inputs = ImageInputs(tiny.model.config, tiny.processor.image_processor, {}, torch.float32)
    settings = ServerSettings(tokens=K, method="views")
    fields = choose_tokens(inputs, [image, picture(*SMALL)], [ASK] * 2, settings, [sight, None])
    engine = viewed(family, scout=sized(8.0))
    choice = engine.prepare([turn(image, ASK)]).images[0].choice
    assert fields[SIZES].tolist() == [[K, len(choice.views)], [4, 1]]
    assert fields[PARTS].tolist()[:-1] == [[*grid, grid[0] * grid[1]] for _, grid in choice.views]
    assert torch.equal(fields[ANCHOR][:K], choice.anchor)
    assert torch.equal(fields[ORDER][:K], choice.order)
    fed = tiny.processor.image_processor(
        images=by_hand(image, choice.views), do_resize=False, return_tensors="pt"
    )
    assert torch.equal(fields["pixel_values"][: 4 * K], fed["pixel_values"])


def test_vllms_settings_reach_the_plan() -> None:
    def grids(**options: Any) -> Any:
        told = sized(6.0)(torch.zeros(3, 1, 1), ASK, (1, 1))
        tiny, usual = loaded("qwen3_vl"), {"tokens": K, "method": "views"}
        inputs = ImageInputs(tiny.model.config, tiny.processor.image_processor, {}, torch.float32)
        settings = ServerSettings(**usual | options)
        return choose_tokens(inputs, [picture(*LARGE)], [ASK], settings, [told])[PARTS].tolist()

    assert grids() == grids(acuity="vlm", context=1 / 8) != grids(context=0.5)
    assert sum(many for *_, many in grids(tokens=23)) == 23


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"where": "after"}, "views are encoded by themselves. Use --where before"),
        ({"acuity": "eagle"}, "no acuity 'eagle'"),
        ({"context": 2.0}, "context must be a number from 0 to 1, got 2.0"),
    ],
)
def test_a_server_refuses_what_cannot_be_shown(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ServerSettings(method="views", **options)


def test_serve_has_flags_for_views(capsys: pytest.CaptureFixture[str]) -> None:
    told = ["--method", "views", "--acuity", "vlm", "--context", "0.25", "--dry-run"]
    assert main(["serve", str(folder("qwen3_vl")), *told]) == 0
    out = capsys.readouterr().out
    assert '"method": "views"' in out
    assert '"acuity": "vlm", "context": 0.25' in out


def test_words_stand_where_they_are_on_the_part_that_the_model_sees() -> None:
    lower = (0.0, 0.5, 1.0, 1.0)  # x0 y0 x1 y1
    seen = _within(Match("total", 0.9, (0.2, 0.6, 0.4, 0.8)), lower)
    assert seen is not None
    assert seen.box == pytest.approx((0.2, 0.2, 0.4, 0.6))
    assert _within(Match("total", 0.9, (0.2, 0.1, 0.4, 0.3)), lower) is None
