"""Before the encoder: what is encoded alone is what the tower makes of it with the rest unseen."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

from homunculus import Sight, list_methods
from homunculus.engines import encode
from homunculus.engines.cells import lift
from homunculus.engines.cells.methods import get_method
from homunculus.engines.cells.types import Tokens
from homunculus.engines.encode import fast_patches
from homunculus.engines.families import Layout, tiled_layout
from homunculus.engines.parts import PartRequest, parts, works_before
from homunculus.engines.select import Choice, select
from homunculus.engines.transformers import attach
from homunculus.engines.transformers.engine import BEFORE
from tiny import ask, load, picture

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:transformers")

TILED = ["llava_onevision", "smolvlm", "idefics3"]
ABLE = ["qwen3_vl", "qwen2_5_vl", "qwen2_vl", *TILED]
CLOSE = 1e-5
ALL = 10**6


@pytest.fixture(params=ABLE)
def it(request: pytest.FixtureRequest) -> SimpleNamespace:
    return load(request.param)


def slope(image: Any, question: str, grid: Any) -> Sight:
    """Relevance that grows towards the lower right, so that all levels are used."""
    return Sight(torch.linspace(-3, 3, 32 * 32).view(32, 32), sure=1.0)


def engine(it: SimpleNamespace, tokens: int, **options: Any) -> Any:
    options = {"where": "before", "scout": slope} | options
    return attach(it.model, it.processor, tokens=tokens, **options)


def talk(*images: Any) -> list[dict[str, Any]]:
    parts = [{"type": "image", "image": image} for image in images]
    return [{"role": "user", "content": [*parts, {"type": "text", "text": "What is it?"}]}]


def seen(it: SimpleNamespace, tokens: int, *images: Any, **options: Any) -> SimpleNamespace:
    """Inputs of the untouched model, layouts and choices of these images."""
    looks = engine(it, tokens, **options).prepare(talk(*images)).images
    inputs = ask(it.processor, *images)
    layouts, choices = [look.layout for look in looks], [look.choice for look in looks]
    return SimpleNamespace(inputs=inputs, layouts=layouts, choices=choices)


def encoded(it: SimpleNamespace, that: SimpleNamespace, rule: Any = None) -> list[Tensor]:
    name = engine(it, 1).family.before
    request = PartRequest(that.inputs, that.layouts, that.choices, rule)
    return BEFORE[name](it.model, request).rows


# ---- all kept ------------------------------------------------------------------------------------

SIZES = [
    [(192, 256)],  # onevision cuts off what it padded
    [(40, 40)],
    [(240, 240)],  # onevision resamples
    [(192, 256), (150, 90)],  # onevision pads both to squares
]


@torch.no_grad()
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_with_all_kept_the_model_is_the_untouched_one_bit_for_bit(
    it: SimpleNamespace, sizes: list[tuple[int, int]]
) -> None:
    images = [picture(*size, seed=at) for at, size in enumerate(sizes)]
    inputs = engine(it, ALL).prepare(talk(*images), forward=True, generation_prompt=True)
    untouched = it.model(**ask(it.processor, *images)).logits
    assert torch.equal(it.model(**inputs).logits, untouched)


@torch.no_grad()
@pytest.mark.parametrize("family", ABLE)
@pytest.mark.parametrize("options", [{"dtype": torch.bfloat16}, {"attn_implementation": "eager"}])
def test_so_it_is_in_bfloat16_and_with_eager_attention(
    family: str, options: dict[str, Any]
) -> None:
    it, image = load(family, **options), picture(192, 256)
    inputs = engine(it, ALL).prepare(talk(image), forward=True, generation_prompt=True)
    untouched = it.model(**ask(it.processor, image)).logits
    assert torch.equal(it.model(**inputs).logits, untouched)


@torch.no_grad()
@pytest.mark.parametrize("family", TILED)
def test_a_batch_with_all_kept_has_the_rows_of_the_untouched_model(family: str) -> None:
    it, images = load(family), [picture(192, 256), picture(40, 90, seed=1)]
    batch = [talk(image) for image in images]
    before, after = (engine(it, ALL, where=where).prepare(batch) for where in ("before", "after"))
    for one, other in zip(before.images, after.images, strict=True):
        assert torch.equal(one.choice.embed, other.choice.embed)


# ---- a part is kept ------------------------------------------------------------------------------


class Hidden:
    """Attention that does not see some keys; one mask for each call, again and again."""

    def __init__(self, masks: list[Tensor]) -> None:
        self.masks, self.at = masks, 0

    def __call__(self, module: Any, q: Tensor, k: Tensor, v: Tensor, *_: Any, **more: Any) -> Any:
        keep = self.masks[self.at % len(self.masks)]
        self.at += 1
        score = q @ k.transpose(-1, -2) * (more.get("scaling") or module.scale)
        score = score.masked_fill(~keep, float("-inf"))
        return (score.softmax(-1) @ v).transpose(1, 2).contiguous(), None


def cells(it: SimpleNamespace, layout: Layout, choice: Choice) -> Tensor:
    """Which cells of the tower's tiles a choice needs, tiles x cells; one tile for Qwen."""
    grid, valid = layout.grid, choice.tokens.valid[0]
    row, col = choice.tokens.box[0][valid][:, :2].long().unbind(-1)
    chosen = torch.zeros(grid).index_put((row, col), torch.ones(()))
    others = torch.arange(len(layout.rest)) < len(choice.anchor) - int(valid.sum())
    if it.family.startswith("qwen"):
        return chosen.bool().view(1, -1)
    side = 5 if it.family == "llava_onevision" else 4
    if it.family == "llava_onevision" and grid == (15, 15):  # of 30 x 30, resampled
        with torch.enable_grad():
            source = torch.zeros(1, 1, 30, 30, requires_grad=True)
            small = F.interpolate(source, grid, mode="bilinear")
            (grad,) = torch.autograd.grad((small * chosen).sum(), source)
        chosen = grad[0, 0]
    tiles = rearrange(chosen != 0, "(r i) (c j) -> (r c) (i j)", i=side, j=side)
    if not len(others):
        return tiles
    whole = others[None, : side * side]
    return torch.cat((whole, tiles) if it.family == "llava_onevision" else (tiles, whole))


def masks(it: SimpleNamespace, inputs: Any, kept: Tensor) -> list[Tensor]:
    """Keys that are seen, for each call of attention."""
    vision = it.model.config.vision_config
    if it.family == "llava_onevision":
        return [kept[:, None, None]]
    if not it.family.startswith("qwen"):
        merge = it.model.config.scale_factor
        wide = kept.view(-1, 4, 4).repeat_interleave(merge, 1).repeat_interleave(merge, 2)
        return [wide.flatten(1)[:, None, None]]
    if it.family in ("qwen3_vl", "qwen2_vl"):
        return [kept[0].repeat_interleave(4)]
    sight = pytest.importorskip("transformers.vision_utils")
    order, ends = sight.get_vision_window_index(
        inputs["image_grid_thw"], spatial_merge_size=2, window_size=64, patch_size=8
    )
    flat = kept[0][order].repeat_interleave(4)
    windows = flat.split(ends.diff().tolist())
    full = vision.fullatt_block_indexes
    layers = [[flat] if at in full else list(windows) for at in range(vision.depth)]
    return [mask for layer in layers for mask in layer]


def hidden(it: SimpleNamespace, that: SimpleNamespace) -> Tensor:
    """Rows of one image from the whole tower, to which cells that are not kept are invisible."""
    attention = pytest.importorskip("transformers.modeling_utils").ALL_ATTENTION_FUNCTIONS
    core, (layout,), (choice,) = it.model.base_model, that.layouts, that.choices
    kept = cells(it, layout, choice)
    # where nothing is kept, nothing is read: any mask will do that makes no NaN
    seen = [mask | ~mask.any(-1, keepdim=True) for mask in masks(it, that.inputs, kept)]
    tower = next(
        getattr(core, name)
        for name in ("visual", "vision_tower", "vision_model")
        if hasattr(core, name)
    )
    attention.register("hidden", Hidden(seen))
    before, tower.config._attn_implementation = tower.config._attn_implementation, "hidden"
    try:
        rows = encode.encode_images(it.model, that.inputs, that.layouts).rows[0]
    finally:
        tower.config._attn_implementation = before
    others = layout.rest[: len(choice.anchor) - int(choice.tokens.valid.sum())]
    row, col = choice.tokens.box[0][choice.tokens.valid[0]][:, :2].long().unbind(-1)
    return rows[torch.cat((layout.row[row * layout.grid[1] + col], others))]


@torch.no_grad()
@pytest.mark.parametrize("tokens", [20, 57])
def test_a_part_is_encoded_as_if_the_rest_were_hidden(it: SimpleNamespace, tokens: int) -> None:
    size = (80, 120) if it.family == "llava_onevision" else (192, 256)  # tiles without padding
    that = seen(it, tokens, picture(*size), method="random")
    (rows,) = encoded(it, that)
    assert len(rows) == tokens
    full = encode.encode_images(it.model, that.inputs, that.layouts).rows[0]
    far = full[that.choices[0].anchor] - rows[that.choices[0].order]
    assert far.abs().max() > 0.05  # what is not kept would have mattered
    assert (rows - hidden(it, that)).abs().max() < CLOSE


@torch.no_grad()
@pytest.mark.parametrize(("family", "size", "more"), [
    ("llava_onevision", (80, 120), 7), ("llava_onevision", (80, 120), 30),
    ("smolvlm", (192, 256), 5), ("idefics3", (192, 256), 5),
])  # fmt: skip
def test_more_than_the_lattice_keeps_the_first_of_its_other_rows(
    family: str, size: tuple[int, int], more: int
) -> None:
    it = load(family)
    image = picture(*size)
    cells = len(seen(it, ALL, image).layouts[0].row)
    that = seen(it, cells + more, image)
    (rows,) = encoded(it, that)
    assert len(rows) == cells + more
    assert (rows - hidden(it, that)).abs().max() < CLOSE


@torch.no_grad()
def test_resampled_features_are_made_of_the_cells_they_need() -> None:
    it = load("llava_onevision")
    that = seen(it, 20, picture(240, 240), method="random")
    assert that.layouts[0].grid == (15, 15)
    (rows,) = encoded(it, that)
    assert (rows - hidden(it, that)).abs().max() < CLOSE


# ---- levels --------------------------------------------------------------------------------------


def level_one(layout: Layout) -> Choice:
    """All cells of level 1."""
    field = lift.pyramid([layout.grid], 2)
    chosen = field.level[0] == 1
    box = field.box[:, chosen]
    count = int(chosen.sum())
    tokens = Tokens(
        None, (box[..., :2] + box[..., 2:]) / 2, box, torch.ones(1, count, dtype=torch.long),
        torch.ones(1, count, dtype=torch.bool),
    )  # fmt: skip
    return Choice(torch.arange(count), tokens, torch.arange(count))


def shrunken(it: SimpleNamespace, inputs: Any, grid: tuple[int, int]) -> Tensor:
    """Rows of an image of half the size, from the tower as it is, in reading order."""
    core, pixels = it.model.base_model, inputs["pixel_values"]
    high, wide = grid[0] // 2, grid[1] // 2
    if it.family.startswith("qwen"):
        places = "(r c i j) (z y x) -> z (r i y) (c j x)"
        inner = {"i": 2, "j": 2, "y": 8, "x": 8}
        image = rearrange(pixels, places, r=grid[0], c=grid[1], **inner)
        back = " -> ".join(reversed(places.split(" -> ")))
        small = rearrange(F.avg_pool2d(image, 2), back, **inner)
        told = torch.tensor([[1, 2 * high, 2 * wide]])
        return encode.stack_rows(core.get_image_features(small, told, return_dict=True))
    split = {"y": pixels.shape[-1], "x": pixels.shape[-1]}
    side = 5 if it.family == "llava_onevision" else 4
    own = pixels[0, 1:] if it.family == "llava_onevision" else pixels[0, :-1]
    image = rearrange(own, "(r c) z y x -> z (r y) (c x)", r=grid[0] // side)
    small = rearrange(F.avg_pool2d(image, 2), "z (r y) (c x) -> (r c) z y x", **split)
    if it.family == "llava_onevision":
        states = core.vision_tower(small, output_hidden_states=True, return_dict=True).hidden_states
        rows = core.multi_modal_projector(states[-1])
    else:
        rows = core.get_image_features(small[None], return_dict=True).pooler_output
    return rows.flatten(0, 1)[tiled_layout(high // side, wide // side, side, False).row]


@torch.no_grad()
def test_a_coarse_level_is_the_shrunken_image_encoded_as_it_is(it: SimpleNamespace) -> None:
    image = picture(80, 160) if it.family == "llava_onevision" else picture(256, 256)
    that = seen(it, ALL, image)
    that.choices = [level_one(that.layouts[0])]
    (rows,) = encoded(it, that)
    truth = shrunken(it, that.inputs, that.layouts[0].grid)
    assert len(rows) == len(truth)
    assert (rows - truth).abs().max() < CLOSE


@torch.no_grad()
@pytest.mark.parametrize("size", [(192, 256), (150, 90), (240, 240)], ids=str)
def test_rows_follow_the_tokens_and_levels_do_not_see_each_other(
    it: SimpleNamespace, size: tuple[int, int]
) -> None:
    that = seen(it, 24, picture(*size), method="foveated")
    (choice,), (rows,) = that.choices, encoded(it, that)
    level = choice.tokens.level[0]
    assert len(level.unique()) > 2
    for one in level.unique():
        mine = (level == one).nonzero()[:, 0].flip(0)  # in another order, too
        names = ("position", "box", "level", "valid")
        part = {name: getattr(choice.tokens, name)[:, mine] for name in names}
        tokens = replace(choice.tokens, **part)
        that.choices = [Choice(choice.anchor[: len(mine)], tokens, torch.arange(len(mine)))]
        (alone,) = encoded(it, that)
        assert (alone - rows[mine]).abs().max() < CLOSE


@torch.no_grad()
def test_an_image_is_encoded_as_if_it_were_alone(it: SimpleNamespace) -> None:
    images = [picture(192, 256), picture(150, 90, seed=1)]
    batch = engine(it, 24).prepare([talk(image) for image in images])
    for look, image in zip(batch.images, images, strict=True):
        (alone,) = engine(it, 24).prepare(talk(image)).images
        assert torch.equal(alone.choice.anchor, look.choice.anchor)
        assert (alone.choice.embed - look.choice.embed).abs().max() < CLOSE


# ---- methods that cannot, and windows, that can --------------------------------------------------


def test_a_method_whose_tokens_are_means_is_refused_and_told_which_can(
    it: SimpleNamespace,
) -> None:
    for name in ("pool", "log-polar", "clusters"):
        with pytest.raises(ValueError, match=rf"{name} makes means .* foveated, windows"):
            engine(it, 20, method=name)
        assert engine(it, 20, method=name, where="auto").setting.where == "after"
    assert engine(it, 20, method="foveated", where="auto").setting.where == "before"


def test_a_mean_that_comes_all_the_same_is_not_taken_for_a_cell() -> None:
    layout = tiled_layout(2, 2, 4, False)
    choices = select([layout], [torch.zeros(8, 8)], [20], get_method("pool"))
    with pytest.raises(ValueError, match="one cell"):
        parts([layout], choices)


def test_methods_of_cells_and_of_plain_images_can() -> None:
    unable = {name for name, one in list_methods().items() if not works_before(one)}
    assert unable == {"pool", "log-polar", "clusters"}


@torch.no_grad()
@pytest.mark.parametrize("family", ["qwen3_vl", "qwen2_5_vl", "qwen2_vl"])
def test_windows_are_two_ordinary_images(family: str) -> None:
    it = load(family)
    chosen = get_method("windows")
    that = seen(it, 40, picture(192, 256), method="windows")
    (rows,) = encoded(it, that, chosen.rule)
    box = that.choices[0].tokens.box[0]
    sharp = (box[:, 2:] - box[:, :2] == 1).all(1)
    inner = {"i": 2, "j": 2, "y": 8, "x": 8}
    places = "(r c i j) (z y x) -> z (r i y) (c j x)"
    image = rearrange(that.inputs["pixel_values"], places, r=12, c=16, **inner)
    (top, left), (low, right) = box[sharp, :2].amin(0).int(), box[sharp, 2:].amax(0).int()
    window = image[:, 16 * top : 16 * low, 16 * left : 16 * right]
    high, wide = (len(box[~sharp, at].unique()) for at in (0, 1))
    size = (16 * high, 16 * wide)
    small = F.interpolate(image[None], size, mode="bilinear", antialias=True)[0]
    back = " -> ".join(reversed(places.split(" -> ")))
    for one, mine in ((small, ~sharp), (window, sharp)):
        told = torch.tensor([[1, one.shape[1] // 8, one.shape[2] // 8]])
        pixels = rearrange(one, back, **inner)
        truth = it.model.base_model.get_image_features(pixels, told, return_dict=True)
        assert (encode.stack_rows(truth) - rows[mine]).abs().max() < CLOSE


@torch.no_grad()
@pytest.mark.parametrize("size", [(192, 256), (240, 60)], ids=str)
@pytest.mark.parametrize("tokens", [1, 2, 40])
def test_windows_fill_the_budget(it: SimpleNamespace, size: tuple[int, int], tokens: int) -> None:
    made = engine(it, tokens, method="windows").prepare(talk(picture(*size)))
    assert (made["input_ids"] == it.model.config.image_token_id).sum() == tokens
    assert made.images[0].choice.embed.isfinite().all()


@torch.no_grad()
@pytest.mark.parametrize("family", ["qwen3_vl", "qwen2_5_vl", "qwen2_vl"])
def test_a_smaller_image_is_one_ordinary_image(family: str) -> None:
    it = load(family)
    that = seen(it, 40, picture(192, 256), method="resize")
    (rows,) = encoded(it, that, get_method("resize").rule)
    inner = {"i": 2, "j": 2, "y": 8, "x": 8}
    places = "(r c i j) (z y x) -> z (r i y) (c j x)"
    image = rearrange(that.inputs["pixel_values"], places, r=12, c=16, **inner)
    small = F.interpolate(image[None], (16 * 5, 16 * 7), mode="bilinear", antialias=True)[0]
    pixels = rearrange(small, " -> ".join(reversed(places.split(" -> "))), **inner)
    told = torch.tensor([[1, 10, 14]])
    truth = it.model.base_model.get_image_features(pixels, told, return_dict=True)
    assert len(rows) == 35  # 5 x 7: the largest of the shape 12 x 16 with at most 40 cells
    assert (encode.stack_rows(truth) - rows).abs().max() < CLOSE


@torch.no_grad()
@pytest.mark.parametrize("where", ["before", "after"])
def test_a_smaller_image_costs_its_own_count_and_no_other_rows(
    it: SimpleNamespace, where: str
) -> None:
    for size, tokens in (((192, 256), 40), ((240, 60), 7), ((192, 256), 1)):
        made = engine(it, tokens, method="resize", where=where).prepare(talk(picture(*size)))
        (look,) = made.images
        wanted = get_method("resize").count(look.layout.grid, tokens)
        assert wanted <= tokens
        assert (made["input_ids"] == it.model.config.image_token_id).sum() == wanted
        assert set(look.choice.anchor.tolist()) <= set(look.layout.row.tolist())
        assert look.choice.embed.isfinite().all()
    inputs = engine(it, ALL, method="resize", where=where).prepare(
        talk(picture(192, 256)), forward=True, generation_prompt=True
    )
    untouched = it.model(**ask(it.processor, picture(192, 256))).logits
    assert torch.equal(it.model(**inputs).logits, untouched)


# ---- patch embeddings as matrix products ---------------------------------------------------------


@torch.no_grad()
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(
    ("conv", "shape"),
    [
        (nn.Conv3d(3, 64, (2, 16, 16), (2, 16, 16)), (50, 3, 2, 16, 16)),
        (nn.Conv2d(3, 64, 14, 14, padding="valid", bias=False), (3, 3, 56, 75)),
    ],
    ids=["qwen", "siglip"],
)
def test_the_linear_form_is_the_convolution_but_for_rounding(
    conv: nn.Module, shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    conv = conv.to(dtype)
    pixels = torch.randn(shape, generator=torch.Generator().manual_seed(0)).to(dtype)
    stock = conv(pixels)
    with fast_patches(conv):
        linear = conv(pixels)
    assert linear.shape == stock.shape
    most = 2**-7 if dtype == torch.bfloat16 else 1e-5
    assert (linear - stock).abs().max() <= most * stock.abs().max()
    assert torch.equal(conv(pixels), stock)
    assert "forward" not in vars(conv)


def test_the_convolution_is_back_after_an_error_and_others_are_left_alone() -> None:
    net = nn.Sequential(nn.Conv2d(3, 4, 2, 2), nn.Conv2d(4, 4, 3, 2), nn.Conv2d(4, 4, 1))
    with fast_patches(net):
        assert [("forward" in vars(one)) for one in net] == [True, False, False]
    with pytest.raises(RuntimeError), fast_patches(net):
        net(torch.zeros(1, 5, 8, 8))
    assert not any("forward" in vars(one) for one in net)


@torch.no_grad()
def test_a_fast_engine_says_the_same(it: SimpleNamespace) -> None:
    image = talk(picture(192, 256))
    quick = engine(it, 24, fast=True)
    assert quick.setting == replace(engine(it, 24).setting, fast=True)
    stock = engine(it, 24).prepare(image).images[0].choice.embed
    linear = quick.prepare(image).images[0].choice.embed
    assert linear is not None
    assert (stock - linear).abs().max() < 1e-4 * stock.abs().max()
