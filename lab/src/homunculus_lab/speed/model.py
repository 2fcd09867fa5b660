# pyright: basic
"""A model of real size without a download: a given shape, random weights, a matching processor.

Time does not depend on the weights, and a question is a row of token ids: no tokenizer is needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from PIL import Image, ImageDraw, ImageFont
from torch import Tensor

from homunculus.checks import Grid
from homunculus.lazy import need
from homunculus_lab.speed.profile import Stopwatch

WHO = "homunculus bench transformers"


@dataclass(frozen=True)
class Scale:
    """The sizes of a Qwen3-VL, a token budget, and images by cells and by megapixels."""

    name: str
    text: Mapping[str, Any]
    vision: Mapping[str, Any]
    tokens: int = 273
    bare: Grid = (13, 21)
    """An image that natively has that many cells."""
    natives: Sequence[Grid] = ((32, 32), (48, 64))
    megapixels: Sequence[float | int] = (1, 4, 9, 16)


QWEN3_VL_2B = Scale(
    "Qwen3-VL-2B",
    text={
        "hidden_size": 2048, "num_hidden_layers": 28, "num_attention_heads": 16,
        "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 6144,
        "vocab_size": 151936, "max_position_embeddings": 262144, "rms_norm_eps": 1e-6,
        "rope_parameters": {
            "rope_type": "default", "rope_theta": 5e6,
            "mrope_section": [24, 20, 20], "mrope_interleaved": True,
        },
    },
    vision={
        "depth": 24, "hidden_size": 1024, "num_heads": 16, "intermediate_size": 4096,
        "deepstack_visual_indexes": [5, 11, 17], "patch_size": 16, "temporal_patch_size": 2,
        "spatial_merge_size": 2, "out_hidden_size": 2048, "num_position_embeddings": 2304,
    },
)  # fmt: skip

HALF = replace(
    QWEN3_VL_2B,
    name="Qwen3-VL-2B with half its layers (14, and 12 in the tower)",
    text={**QWEN3_VL_2B.text, "num_hidden_layers": 14},
    vision={**QWEN3_VL_2B.vision, "depth": 12, "deepstack_visual_indexes": [2, 5, 8]},
)

SMALLEST = Scale(
    "Qwen3-VL, one layer of 64",
    text={
        "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2, "head_dim": 32,
        "num_key_value_heads": 1, "intermediate_size": 64, "vocab_size": 300,
        "max_position_embeddings": 4096,
        "rope_parameters": {
            "rope_type": "default", "rope_theta": 1e4,
            "mrope_section": [8, 4, 4], "mrope_interleaved": True,
        },
    },
    vision={
        "depth": 1, "hidden_size": 64, "num_heads": 2, "intermediate_size": 64,
        "deepstack_visual_indexes": [0], "patch_size": 16, "temporal_patch_size": 2,
        "spatial_merge_size": 2, "out_hidden_size": 64, "num_position_embeddings": 64,
    },
)  # fmt: skip
"""The model costs next to nothing, so that everything else is measured."""


def build(scale: Scale, dtype: torch.dtype = torch.bfloat16) -> Any:
    """The model with random weights, created in that type.

    Weights created in inference mode, which no user has, would make torch copy the largest matrix
    at every call.
    """
    hf = need("transformers", "transformers", WHO)
    start, end, image, video = range(4)
    config = hf.Qwen3VLConfig(
        text_config={**scale.text, "tie_word_embeddings": True}, vision_config=dict(scale.vision),
        vision_start_token_id=start, vision_end_token_id=end,
        image_token_id=image, video_token_id=video, tie_word_embeddings=True,
    )  # fmt: skip
    with torch.random.fork_rng([]), torch.inference_mode(False):
        torch.manual_seed(0)
        model = hf.AutoModelForImageTextToText.from_config(config, dtype=dtype)
    model.generation_config.pad_token_id = PAD
    return model.eval()


PAD = 4
QUESTION = 20
"""Tokens of text after the image, which has a mark on either side."""


@dataclass(eq=False)
class Processor:
    """The model family's image processor and a question of token ids; times itself."""

    image_processor: Any
    watch: Stopwatch
    pad_token_id: int = PAD
    question: Tensor = field(default_factory=lambda: torch.arange(QUESTION) + PAD + 1)

    def __call__(self, text: str, **_: Any) -> dict[str, Tensor]:
        """The ids of a question, whatever it says: as a tokenizer is asked by itself."""
        return {"input_ids": self.question[None]}

    def apply_chat_template(self, batch: Sequence[Any], **_: Any) -> Any:
        """Model inputs of conversations of one turn with one image."""
        with self.watch.part("processor"):
            images = [part["image"] for (turn,) in batch for part in turn["content"][:1]]
            inputs = self.image_processor(images=images, return_tensors="pt")
            (grid,) = inputs["image_grid_thw"].tolist()
            cells = grid[1] * grid[2] // self.image_processor.merge_size**2
            marks = torch.tensor([0, *[2] * cells, 1])
            ids = torch.cat((marks, self.question))[None]
            inputs["input_ids"], inputs["attention_mask"] = ids, torch.ones_like(ids)
            inputs["mm_token_type_ids"] = (ids == 2).int()
            return inputs


def processor(scale: Scale, watch: Stopwatch) -> Processor:
    """A processor without a limit on pixels, so that a larger image has more cells."""
    hf = need("transformers", "transformers", WHO)
    need("torchvision", "transformers", WHO)
    vision = scale.vision
    images = hf.Qwen2VLImageProcessor(
        patch_size=vision["patch_size"], temporal_patch_size=vision["temporal_patch_size"],
        merge_size=vision["spatial_merge_size"], image_mean=[0.5] * 3, image_std=[0.5] * 3,
        size={"shortest_edge": 1, "longest_edge": 64_000_000},
    )  # fmt: skip
    return Processor(images, watch)


def page(high: int, wide: int) -> Any:
    """A page of print, similar to what users send."""
    page_wide = 1024
    page_high = max(1, round(page_wide * high / wide))
    picture = Image.new("RGB", (page_wide, page_high), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(size=18)
    for line in range(24, page_high - 24, 26):
        text = f"Invoice {line} of the year, total amount due {line * 7}.00"
        pen.text((40, line), text, "black", font)
    return picture.resize((wide, high), Image.Resampling.BICUBIC)
