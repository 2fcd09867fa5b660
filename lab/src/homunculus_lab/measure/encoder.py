# pyright: basic
"""Features and attention of a real vision transformer, for rows that choose by them.

The folder holds a model of transformers with square patches and a class token, such as DINOv2. Its
patches are the bench's tokens: `--token-size` must be their side.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from homunculus.engines.border import tensor
from homunculus.lazy import need
from homunculus_lab.measure.row import Pixels
from homunculus_lab.rivals.attention import attention_layers, tile_attention, watch
from homunculus_lab.rivals.encoder import Attention, EncoderMaterial

MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Mean and standard deviation of ImageNet's pixels, with which such models are trained."""


@dataclass(frozen=True, eq=False)
class Encoder:
    """A vision transformer; called with pixels, it returns what it makes of their cells."""

    model: Any
    name: str
    """Its kind and a hash of its weights."""

    @property
    def patch(self) -> int:
        """Side of its patches in pixels."""
        return int(self.model.config.patch_size)

    def __call__(self, pixels: Pixels) -> EncoderMaterial:
        """Features and attention of each cell; the border is continued to whole cells."""
        high, wide = pixels.shape[1:]
        spare = (0, -wide % self.patch, 0, -high % self.patch)
        image = F.pad(tensor(pixels)[None].float() / 255, spare, mode="replicate")
        mean, spread = (torch.tensor(channels)[:, None, None] for channels in (MEAN, SPREAD))
        modules = attention_layers(self.model)
        with watch([modules[0], modules[-1]]) as layers:
            hidden = self.model(pixel_values=(image - mean) / spread).last_hidden_state
        cells = image.shape[2] * image.shape[3] // self.patch**2
        start = hidden.shape[1] - cells
        (first, _), (late, key) = (tile_attention(layer, start) for layer in layers)
        return EncoderMaterial(hidden[:, start:].float(), attention=Attention(late, key, first))


def load_encoder(folder: Path) -> Encoder:
    """The model of a folder, in full precision."""
    if not (folder / "config.json").is_file():
        raise ValueError(
            f"--encoder: expected a folder with config.json and weights, got {folder}."
        )
    transformers = need("transformers", extra="transformers", who="homunculus measure --encoder")
    model = transformers.AutoModel.from_pretrained(
        folder, local_files_only=True, use_safetensors=True, dtype=torch.float32
    )
    digest = sha256()
    for file in sorted(folder.glob("*.safetensors")):
        digest.update(file.read_bytes())
    return Encoder(model.eval(), f"{model.config.model_type} {digest.hexdigest()[:12]}")


def check_encoder(rows: Any, encoder: Encoder | None, patch: int) -> None:
    """Raise where a row needs more than the encoder gives, before the first image is opened."""
    rivals = [
        (row.name, method) for row in rows for method in row.methods if method.source == "model"
    ]
    for name, method in rivals:
        if encoder is None:
            raise ValueError(
                f"row {name}: it chooses by a model's features. Name a folder with --encoder."
            )
        if "question" in method.needs:
            raise ValueError(
                f"row {name}: {method.name} needs words in the space of the image, which "
                f"{encoder.name} does not have. Use homunculus.attach, or leave it out."
            )
        if encoder.patch != patch:
            raise ValueError(
                f"row {name}: the encoder's patches are {encoder.patch} px, tokens here {patch}. "
                f"Add --token-size {encoder.patch}."
            )
