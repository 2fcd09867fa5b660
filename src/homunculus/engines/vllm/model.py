# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
"""In vLLM's worker: chosen cells through the tower, and places as in the untouched prompt."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property, wraps
from typing import Any
from weakref import WeakSet

import torch
from torch import Tensor
from vllm.multimodal.inputs import PlaceholderRange

from homunculus.engines.layout import merged
from homunculus.engines.vllm import chosen as fields
from homunculus.engines.vllm.lru import Recent
from homunculus.engines.vllm.serving import Serving
from homunculus.engines.vllm.tower import encoded


class Kept:
    """Of a family's model. Videos, and features that came in place of images, pass through."""

    supports_mm_device_do_normalize = False  # means of pixels are no bytes
    supports_encoder_cudagraph = False  # its graphs are captured for whole images

    @cached_property
    def serving(self) -> Serving:
        """The operator's choice."""
        return Serving.of(self.config)

    @cached_property
    def _seen(self) -> "Seen":
        reset_with_encoder_cache()
        return Seen(self.serving.memory)

    def load_weights(self, *args: Any, **more: Any) -> Any:
        """Features of other weights are worth nothing."""
        self._seen.clear()
        return super().load_weights(*args, **more)

    # ---- features --------------------------------------------------------------------------------

    def embed_multimodal(self, **kwargs: Any) -> Any:
        """Rows for the placeholders of each image."""
        if fields.SIZES not in kwargs:
            return super().embed_multimodal(**kwargs)
        mine = {name: kwargs[name] for name in kwargs if name.startswith("kept_")}
        rows, grids = kwargs["pixel_values"], kwargs["image_grid_thw"]
        return self._whole(rows, grids, mine) if fields.MAP in mine else self._parts(rows, mine)

    def _parts(self, rows: Tensor, mine: dict[str, Tensor]) -> tuple[Tensor, ...]:
        """Only what is kept is encoded."""
        found = encoded(self.visual, rows, mine[fields.PARTS], mine[fields.CELL])
        many = mine[fields.SIZES][:, 0].tolist()
        pairs = zip(found.split(many), mine[fields.ORDER].split(many), strict=True)
        return tuple(own[order.to(own.device)] for own, order in pairs)

    def _whole(self, rows: Tensor, grids: Tensor, mine: dict[str, Tensor]) -> tuple[Tensor, ...]:
        """All of an image is encoded once; tokens are chosen from what is known of it."""
        merge = self.visual.spatial_merge_size
        layouts = merged(grids.tolist(), merge)
        counts = [len(layout.row) for layout in layouts]
        keys = [bytes(key.tolist()) for key in mine[fields.KEY]]
        pixels = dict(zip(keys, rows.split([merge**2 * many for many in counts]), strict=True))
        known = {key: found for key in pixels if (found := self._seen.get(key)) is not None}
        new = {key: own for key, own in pixels.items() if key not in known}
        if new:
            at = [keys.index(key) for key in new]
            found = super()._process_image_input(
                {
                    "type": "pixel_values",
                    "pixel_values": torch.cat(list(new.values())),
                    "image_grid_thw": grids[at],
                }
            )
            known |= dict(zip(new, found, strict=True))
        for key in known:
            self._seen.put(key, known[key])
        every = [known[key] for key in keys]
        choices = fields.choose_again(mine, layouts, self.serving.rule, every)
        pairs = zip(choices, every, strict=True)
        return tuple(choice.embed.to(own.dtype) for choice, own in pairs)  # pyright: ignore[reportOptionalMemberAccess]

    # ---- places ----------------------------------------------------------------------------------

    def get_mrope_input_positions(
        self, input_tokens: list[int], mm_features: list[Any]
    ) -> tuple[Tensor, int]:
        """A token keeps the place that it would have had in the untouched prompt."""
        whole, features, columns = untouched(input_tokens, mm_features, self._unit)
        places, _ = super().get_mrope_input_positions(whole, features)
        mine = places[:, columns]
        return mine, int(places.max()) + 1 - len(input_tokens)

    @property
    def _unit(self) -> int:
        return self.config.vision_config.spatial_merge_size**2


def untouched(
    tokens: Sequence[int], features: Sequence[Any], unit: int
) -> tuple[list[int], list[Any], Tensor]:
    """The prompt as it would be, and for each token of ours its column there."""
    whole: list[int] = []
    grown, columns, done = [], [], 0
    for one in sorted(features, key=lambda feature: feature.mm_position.offset):
        if one.data is None or fields.ANCHOR not in one.data:
            at = len(whole) + one.mm_position.offset - done
            grown.append(replace(one, mm_position=replace(one.mm_position, offset=at)))
            continue
        start, many = one.mm_position.offset, one.mm_position.length
        columns.append(torch.arange(start - done) + len(whole))
        whole += tokens[done:start]
        native = int(one.data["image_grid_thw"].data.prod()) // unit
        grown.append(replace(one, mm_position=PlaceholderRange(len(whole), native)))
        columns.append(one.data[fields.ANCHOR].data + len(whole))
        whole += [tokens[start]] * native
        done = start + many
    columns.append(torch.arange(len(tokens) - done) + len(whole))
    return [*whole, *tokens[done:]], grown, torch.cat(columns)


_SEEN: "WeakSet[Seen]" = WeakSet()


@cache
def reset_with_encoder_cache() -> None:
    """Whoever empties the worker's encoder cache empties our features, too.

    vLLM tells a model nothing of it, so the worker's method is wrapped, once, and only in a process
    that serves one of our models.
    """
    from vllm.v1.worker.gpu_worker import Worker  # heavy, and the API server never needs it

    reset = Worker.reset_encoder_cache

    @wraps(reset)
    def both(worker: Any) -> None:
        reset(worker)
        for one in _SEEN:
            one.clear()

    Worker.reset_encoder_cache = both


class Seen(Recent[bytes]):
    """Features of images; emptied with the worker's encoder cache."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        _SEEN.add(self)
