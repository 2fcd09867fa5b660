"""What the vision tower of a model attends to, cell by cell.

Attention is computed from a layer's own queries and keys, caught by hooks while the model encodes
an image; no class is changed, and the model's attention may be of any kind.

Parts of transformers without a promise, as seen in 5.19: the attributes `qkv`, `q_proj`, `k_proj`
of attention modules and their arguments, `apply_rotary_pos_emb_vision`, `get_vision_window_index`
and `image_size_to_num_patches` of a model's own module, `pack_image_features` of LLaVA-OneVision.
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

from homunculus.engines.encode import Encoded, encode_images
from homunculus.engines.families import Layout, split_rows
from homunculus_lab.rivals.encoder import Attention

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
    return [
        module
        for module in tower.modules()
        if hasattr(module, "qkv") or {"q_proj", "k_proj"} <= dict(module.named_children()).keys()
        # a pooling head at the end, as SigLIP's, is no layer of the tower
        if isinstance(getattr(module, "num_heads", None), int) or heads(module)
    ]


def heads(module: Any) -> int:
    """Heads of an attention module."""
    count = getattr(module, "num_heads", None) or getattr(module, "num_attention_heads", None)
    return int(count or getattr(module.config, "num_attention_heads", 0))


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
    rows = scaled[:, :, :first] if first else scaled
    total = torch.zeros(query.shape[0], key.shape[2], device=query.device)
    for block in rows.split(QUERIES, 2):
        total += (block @ key.float().mT).softmax(-1).sum(2).mean(1)
    return total[:, first:] / rows.shape[2]


def tile_attention(layer: Layer, first: int) -> tuple[Float[Tensor, "b n"], Float[Tensor, "b n e"]]:
    """What each patch of each tile gets, and its keys, mean over heads."""
    query, key = (
        rearrange(layer.parts[part], "b s (h e) -> b h s e", h=heads(layer.module))
        for part in ("q", "k")
    )
    return received(query, key, first), key.float().mean(1)[:, first:]


def packed_attention(layer: Layer) -> tuple[Float[Tensor, "n"], Float[Tensor, "n e"]]:
    """Attention and keys where images are packed one after the other, each on its own (Qwen)."""
    module, parts = layer.module, layer.parts
    rotate = sys.modules[type(module).__module__].apply_rotary_pos_emb_vision
    qkv = rearrange(module.qkv(parts["hidden"]), "s (t h e) -> t s h e", t=3, h=heads(module))
    query, key = (
        rearrange(turned, "s h e -> 1 h s e")
        for turned in rotate(qkv[0], qkv[1], parts["cos"], parts["sin"])
    )
    ends = parts["ends"].tolist()
    spans = [slice(*pair) for pair in pairwise(ends)]
    attention = [received(query[:, :, span], key[:, :, span])[0] for span in spans]
    return torch.cat(attention), key[0].float().mean(0)


# ---- from patches to cells -----------------------------------------------------------------------

Rows = Float[Tensor, "rows c"]


def encode_with_attention(
    model: Any, inputs: Mapping[str, Any], layouts: Sequence[Layout]
) -> Encoded:
    """Encode all images, and note what the tower's first and late layer attend to."""
    base = model.base_model
    tower = next(getattr(base, name) for name in TOWERS if hasattr(base, name))
    modules = attention_layers(tower)
    late = _late(model.config, len(modules))
    with watch([modules[0], modules[late]]) as layers:
        encoded = encode_images(model, inputs, layouts)
    if hasattr(modules[0], "qkv"):
        rows = _qwen_rows(base, layers, inputs, layouts)
    else:
        rows = _tile_rows(base, layers, inputs, layouts)
    observed = [_attention(own, layout) for own, layout in zip(rows, layouts, strict=True)]
    return replace(encoded, observed=observed)


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
    module = sys.modules[type(visual).__module__]
    order, _ = module.get_vision_window_index(
        inputs["image_grid_thw"],
        visual.spatial_merge_size,
        visual.window_size,
        visual.patch_size,
    )
    return order.to(inputs["image_grid_thw"].device)


def _tile_rows(
    base: Any, layers: Sequence[Layer], inputs: Mapping[str, Any], layouts: Sequence[Layout]
) -> list[Rows]:
    """Rows of towers that see square tiles; some have a class token in front."""
    patches = layers[0].parts["q"].shape[1]
    start = patches - isqrt(patches) ** 2
    (first, _), (late, key) = (tile_attention(layer, start) for layer in layers)
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
    module, config = sys.modules[type(base).__module__], base.config
    sizes = inputs["image_sizes"]
    counts = [
        1 if len(layout.rest) == 1 else module.image_size_to_num_patches(
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


def _attention(rows: Rows, layout: Layout) -> Attention:
    """What the tower attends to, on the lattice's cells; a thumbnail is what the first sees."""
    late, first, tile = rows[:, :3].unbind(1)
    row = layout.row.to(rows.device)
    tile = tile[row].round().long()
    thumbnail = layout.rest[: isqrt(len(layout.rest)) ** 2].to(rows.device)
    side = isqrt(len(thumbnail))
    seen = first[row]
    if side > 1:
        whole = rearrange(first[thumbnail], "(y x) -> 1 1 y x", y=side)
        seen = F.interpolate(whole, layout.grid, mode="nearest").flatten()
    return Attention(late[row][None], rows[row, 3:][None], seen[None], (tile - tile.min())[None])
