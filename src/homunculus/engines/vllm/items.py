# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""Separate views as items of vLLM: each is an ordinary image with a key of its own.

The key of a view holds the image's pixels and what the view shows, not the question: a view that
two questions share is prepared, encoded and kept once, and the whole image, which comes first, is a
prefix that their prompts share.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import torch
from torch import Tensor
from vllm.multimodal.parse import ImageProcessorItems, ImageSize

from homunculus.engines.qwen import pixels
from homunculus.engines.select import View
from homunculus.engines.views import Part, planned_parts
from homunculus.engines.vllm.choose import ImageInputs


@dataclass(frozen=True, eq=False)
class ViewItem:
    """A view of one image of a request."""

    image: Any
    view: View


class ViewItems(ImageProcessorItems):
    """The views of all images of a request, in the order of the prompt."""

    def get_image_size(self, item_idx: int) -> ImageSize:
        """Of the image that it is a view of."""
        return ImageProcessorItems([self.data[item_idx].image]).get_image_size(0)


def view_fields(image_inputs: ImageInputs, items: Sequence[ViewItem]) -> dict[str, Tensor]:
    """What the family's own processor would make of these views as images."""
    groups = [list(own) for _, own in groupby(items, key=lambda item: id(item.image))]
    inputs = image_inputs.prepare([own[0].image for own in groups])
    merge, patch = image_inputs.cell
    parts: list[Part] = []
    for image, own in enumerate(groups):
        parts += planned_parts(image, [item.view for item in own])
    grids = [[1, merge * rows, merge * cols] for rows, cols in (part.grid for part in parts)]
    return {
        "pixel_values": pixels(inputs, merge, patch, parts).to(image_inputs.dtype),
        "image_grid_thw": torch.tensor(grids),
    }


def with_marks(
    prompt: Sequence[int], counts: Sequence[int], image: int, between: Sequence[int]
) -> list[int]:
    """A prompt with a placeholder for each view instead of one for each image.

    ``counts`` are the views of each image; ``between`` are the marks that end one and begin the
    next.

    >>> with_marks([1, 9, 2, 5, 1, 9, 2], [3, 1], 9, [2, 1])
    [1, 9, 2, 1, 9, 2, 1, 9, 2, 5, 1, 9, 2]
    """
    remaining, marked = iter(counts), list[int]()
    for token in prompt:
        marked.append(token)
        if token == image:
            marked += [*between, image] * (next(remaining) - 1)
    return marked
