"""What a model's own vision tower and words say of an image's cells, for the rivals.

Attention is computed from a layer's own queries and keys, caught by hooks while the model encodes
an image; no class is changed, and the model's attention may be of any kind. Words are compared
with cells where the model puts both: among the inputs of its language model.
"""

import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isqrt
from typing import Any

import torch
import torch.nn.functional as F
from einops import rearrange, reduce
from jaxtyping import Float, Int
from torch import Tensor, nn

from homunculus.engines.cells.lift import Material
from homunculus.engines.cells.methods import Method
from homunculus.engines.cells.tower import Tower
from homunculus.engines.encode import Encoded, encode_images
from homunculus.engines.families import Layout, split_rows

QUERIES = 256
"""Rows of an attention matrix that are held at a time."""
TOWERS = ("visual", "vision_tower", "vision_model")
"""Where the families keep their vision tower."""

# ---- one layer's attention -----------------------------------------------------------------------


@dataclass(eq=False)
class Layer:
    """The queries and keys of one attention layer, as soon as the model has run."""

    module: Any
    parts: dict[str, Tensor]
    """Outputs of `q_proj` and `k_proj`, images x patches x channels; of Qwen, what `attn` gets."""


def attention_layers(tower: nn.Module) -> list[Any]:
    """The attention modules of a tower, first layer first."""
    found = [
        one for one in tower.modules() if hasattr(one, "qkv") or {"q_proj", "k_proj"} <= names(one)
    ]
    # a pooling head at the end, as SigLIP's, is no layer of the tower
    return [one for one in found if isinstance(getattr(one, "num_heads", None), int) or heads(one)]


def names(module: nn.Module) -> set[str]:
    """Names of a module's direct parts."""
    return {name for name, _ in module.named_children()}


def heads(module: Any) -> int:
    """Heads of an attention module."""
    many = getattr(module, "num_heads", None) or getattr(module, "num_attention_heads", None)
    return int(many or getattr(module.config, "num_attention_heads", 0))


@contextmanager
def watch(modules: Sequence[Any]) -> Generator[list[Layer], None, None]:
    """Catch queries and keys of these attention modules while the context is open."""
    layers = [Layer(module, {}) for module in modules]
    hooks: list[Any] = []
    for layer in layers:
        if hasattr(layer.module, "qkv"):
            catch = _catch_inputs(layer)
            hooks.append(layer.module.register_forward_pre_hook(catch, with_kwargs=True))
            continue
        for part in ("q", "k"):
            norm = getattr(layer.module, f"{part}_norm", None)
            module = norm if norm is not None else getattr(layer.module, f"{part}_proj")
            hooks.append(module.register_forward_hook(_catch_output(layer, part)))
    try:
        yield layers
    finally:
        for hook in hooks:
            hook.remove()


def _catch_inputs(layer: Layer) -> Callable[..., None]:
    def catch(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        hidden = args[0] if args else kwargs["hidden_states"]
        cos, sin = kwargs["position_embeddings"]
        layer.parts |= {"hidden": hidden, "cos": cos, "sin": sin, "ends": kwargs["cu_seqlens"]}

    return catch


def _catch_output(layer: Layer, part: str) -> Callable[..., None]:
    def catch(module: nn.Module, args: tuple[Any, ...], output: Tensor) -> None:
        layer.parts[part] = output

    return catch


def received(
    query: Float[Tensor, "b h s e"], key: Float[Tensor, "b h s e"], first: int = 0
) -> Float[Tensor, "b n"]:
    """The attention that each patch gets, mean over heads.

    That of the ``first`` tokens, as of a class token, where there are any; else the mean over all
    patches.
    """
    scaled = query.float() * query.shape[-1] ** -0.5
    asks = scaled[:, :, :first] if first else scaled
    total = torch.zeros(query.shape[0], key.shape[2], device=query.device)
    for some in asks.split(QUERIES, 2):
        total += (some @ key.float().mT).softmax(-1).sum(2).mean(1)
    return total[:, first:] / asks.shape[2]


def attention(layer: Layer, first: int) -> tuple[Float[Tensor, "b n"], Float[Tensor, "b n e"]]:
    """What each patch of each tile gets, and its keys, mean over heads."""
    query, key = (
        rearrange(layer.parts[part], "b s (h e) -> b h s e", h=heads(layer.module))
        for part in ("q", "k")
    )
    return received(query, key, first), key.float().mean(1)[:, first:]


def packed_attention(layer: Layer) -> tuple[Float[Tensor, "n"], Float[Tensor, "n e"]]:
    """The same where images stand one behind the other, each attending to itself (Qwen)."""
    module, parts = layer.module, layer.parts
    turn = sys.modules[type(module).__module__].apply_rotary_pos_emb_vision
    qkv = rearrange(module.qkv(parts["hidden"]), "s (t h e) -> t s h e", t=3, h=heads(module))
    query, key = (
        rearrange(one, "s h e -> 1 h s e")
        for one in turn(qkv[0], qkv[1], parts["cos"], parts["sin"])
    )
    ends = parts["ends"].tolist()
    spans = [slice(*pair) for pair in pairwise(ends)]
    got = [received(query[:, :, one], key[:, :, one])[0] for one in spans]
    return torch.cat(got), key[0].float().mean(0)


# ---- from patches to cells -----------------------------------------------------------------------

Rows = Float[Tensor, "rows c"]


def encode_with_attention(
    model: Any, inputs: Mapping[str, Any], layouts: Sequence[Layout]
) -> Encoded:
    """Encode all images, and note what the tower's first and late layer attend to."""
    base = model.base_model
    tower = next(getattr(base, name) for name in TOWERS if hasattr(base, name))
    every = attention_layers(tower)
    late = _late(model.config, len(every))
    with watch([every[0], every[late]]) as layers:
        encoded = encode_images(model, inputs, layouts)
    if hasattr(every[0], "qkv"):
        rows = _qwen_rows(base, layers, inputs, layouts)
    else:
        rows = _tile_rows(base, layers, inputs, layouts)
    towers = [_tower(one, layout) for one, layout in zip(rows, layouts, strict=True)]
    return replace(encoded, towers=towers)


def _late(config: Any, layers: int) -> int:
    """The layer that features come from; of those with windows, the last that sees all."""
    full = getattr(config.vision_config, "fullatt_block_indexes", None)
    if full:
        return full[-1]
    named = getattr(config, "vision_feature_layer", -1)
    named = named if isinstance(named, int) else named[-1]
    # hidden states are one more than layers, for they begin before the first
    return named if named < 0 else min(max(named - 1, 0), layers - 1)


def _qwen_rows(
    base: Any, layers: Sequence[Layer], inputs: Mapping[str, Any], layouts: Sequence[Layout]
) -> list[Rows]:
    """Attention late and first, tile (there is one), then keys, for each row of features."""
    merge = base.visual.config.spatial_merge_size**2
    (first, _), (late, key) = (packed_attention(layer) for layer in layers)
    value = torch.cat((torch.stack((late, first, torch.zeros_like(late)), 1), key), 1)
    rows = reduce(value, "(n m) c -> n c", "mean", m=merge)
    order = _window_order(base.visual, inputs)
    if order is not None:
        rows = rows[order.argsort()]
    return split_rows(rows, layouts)


def _window_order(visual: Any, inputs: Mapping[str, Any]) -> Int[Tensor, "n"] | None:
    """How a tower with windows orders its rows inside; None for one without."""
    if not hasattr(visual, "permute_input_for_window_attn"):
        return None
    room = sys.modules[type(visual).__module__]
    order, _ = room.get_vision_window_index(
        inputs["image_grid_thw"],
        visual.spatial_merge_size,
        visual.window_size,
        visual.patch_size,
    )
    return order.to(inputs["image_grid_thw"].device)


def _tile_rows(
    base: Any, layers: Sequence[Layer], inputs: Mapping[str, Any], layouts: Sequence[Layout]
) -> list[Rows]:
    """The same of towers that see square tiles; some have a class token in front."""
    patches = layers[0].parts["q"].shape[1]
    start = patches - isqrt(patches) ** 2
    (first, _), (late, key) = (attention(layer, start) for layer in layers)
    tile = torch.arange(len(late), device=late.device)[:, None].expand_as(late).float()
    value = torch.cat((torch.stack((late, first, tile), 2), key), 2)
    side = isqrt(_cells(base.config, layouts, len(value), value.shape[1]))
    cells = pool_patches(value, side)
    if hasattr(base, "pack_image_features"):
        return _packed_rows(base, cells, inputs, layouts)
    return split_rows(cells.flatten(0, 1), layouts)


def pool_patches(value: Float[Tensor, "t p c"], side: int) -> Float[Tensor, "t n c"]:
    """Means of the patches of each of side x side cells of a tile."""
    each = isqrt(value.shape[1]) // side
    return reduce(value, "t (y i x j) c -> t (y x) c", "mean", y=side, x=side, i=each, j=each)


def _cells(config: Any, layouts: Sequence[Layout], tiles: int, patches: int) -> int:
    """Rows of features that a tile becomes."""
    if hasattr(config, "image_grid_pinpoints"):
        return patches  # its rows are cut and joined after the tower
    return sum(layout.total for layout in layouts) // tiles


def _packed_rows(
    base: Any, cells: Float[Tensor, "t n c"], inputs: Mapping[str, Any], layouts: Sequence[Layout]
) -> list[Rows]:
    """Tiles put together, unpadded and with line ends, by the model's own function."""
    room, config = sys.modules[type(base).__module__], base.config
    sizes = inputs["image_sizes"]
    counts = [
        1 if len(layout.rest) == 1 else room.image_size_to_num_patches(
            image_size=size, grid_pinpoints=config.image_grid_pinpoints,
            patch_size=config.vision_config.image_size,
        )
        for size, layout in zip(sizes, layouts, strict=True)
    ]  # fmt: skip
    ends = torch.zeros(cells.shape[2], device=cells.device)
    packed, _ = base.pack_image_features(
        cells.split(counts),
        sizes,
        image_newline=ends,
        vision_aspect_ratio=config.vision_aspect_ratio,
    )
    return list(packed)


def _tower(rows: Rows, layout: Layout) -> Tower:
    """What the tower says of the lattice's cells; a thumbnail among the rest is the glance."""
    late, first, tile = rows[:, :3].unbind(1)
    at = layout.row.to(rows.device)
    tile = tile[at].round().long()
    small = layout.rest[: isqrt(len(layout.rest)) ** 2].to(rows.device)
    side = isqrt(len(small))
    glance = first[at]
    if side > 1:
        whole = rearrange(first[small], "(y x) -> 1 1 y x", y=side)
        glance = F.interpolate(whole, layout.grid, mode="nearest").flatten()
    return Tower(late[at][None], rows[at, 3:][None], glance[None], (tile - tile.min())[None])


# ---- words ---------------------------------------------------------------------------------------


def word_likeness(
    model: Any, processor: Any, question: str, rows: Float[Tensor, "n d"], who: str
) -> Float[Tensor, "1 n w"]:
    """Cosine of each row with each token of the question, as the language model gets both."""
    tokenizer = getattr(processor, "tokenizer", processor)
    ids = tokenizer(question, add_special_tokens=False, return_tensors="pt")["input_ids"][0]
    if not len(ids):
        raise ValueError(f"engine: {who} needs a question, got none. Ask one.")
    words = model.get_input_embeddings()(ids.to(rows.device)).float()
    unit = F.normalize(rows[:, : words.shape[1]].float(), dim=1)
    return (unit @ F.normalize(words, dim=1).T)[None]


def model_material(
    model: Any,
    processor: Any,
    method: Method,
    encoded: Encoded,
    questions: Sequence[str],
    layouts: Sequence[Layout],
) -> list[Material]:
    """For each image what a rival chooses by; DeepStack channels are kept, but not compared."""
    width = _width(model, method)
    out: list[Material] = []
    for at, (rows, layout) in enumerate(zip(encoded.rows, layouts, strict=True)):
        cells = rows[layout.row.to(rows.device)][:, :width]
        tower = encoded.towers[at] if encoded.towers else None
        question = None
        if "question" in method.needs:
            question = word_likeness(model, processor, questions[at], cells, method.name)
        out.append(Material(cells[None], tower=tower, question=question))
    return out


def _width(model: Any, method: Method) -> int:
    """Channels of the language model's inputs, which words and cells share."""
    table = model.get_input_embeddings()
    if table is None or not hasattr(table, "weight"):
        kind = getattr(model.config, "model_type", type(model).__name__)
        raise ValueError(
            f"engine: {method.name} compares words and cells, and {kind} has no space for both. "
            "Use another method."
        )
    return int(table.weight.shape[1])
