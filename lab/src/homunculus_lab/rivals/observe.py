"""What a rival reads from a model: `Method.observe` of those that choose by more than relevance.

The transformers engine encodes images by `ModelObserver.encode`, and asks `ModelObserver.material`
what the method chooses by. Words are compared with cells where the model puts both: among the
inputs of its language model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from homunculus.engines.cells.lift import Material
from homunculus.engines.cells.method import Method
from homunculus.engines.encode import Encoded, encode_images
from homunculus.engines.families import Layout
from homunculus_lab.rivals.attention import encode_with_attention
from homunculus_lab.rivals.encoder import EncoderMaterial


@dataclass(frozen=True)
class ModelObserver:
    """Reads from a model of transformers what a rival chooses by."""

    attention: bool = False
    words: bool = False

    def encode(self, model: Any, inputs: Mapping[str, Any], layouts: Sequence[Layout]) -> Encoded:
        """Encode all images; if attention is needed, note what the tower attends to meanwhile."""
        if not self.attention:
            return encode_images(model, inputs, layouts)
        return encode_with_attention(model, inputs, layouts)

    def material(
        self,
        method: Method,
        model: Any,
        processor: Any,
        encoded: Encoded,
        questions: Sequence[str],
        layouts: Sequence[Layout],
    ) -> list[Material]:
        """What the method chooses by, for each image; DeepStack channels are not compared."""
        width = _width(model, method.name)
        materials: list[Material] = []
        for image, (rows, layout) in enumerate(zip(encoded.rows, layouts, strict=True)):
            cells = rows[layout.row.to(rows.device)][:, :width]
            attention = encoded.observed[image] if encoded.observed else None
            likeness = None
            if self.words:
                likeness = word_likeness(model, processor, questions[image], cells, method.name)
            materials.append(EncoderMaterial(cells[None], attention=attention, question=likeness))
        return materials


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


def _width(model: Any, who: str) -> int:
    """Channels of the language model's inputs, which words and cells share."""
    table = model.get_input_embeddings()
    if table is None or not hasattr(table, "weight"):
        kind = getattr(model.config, "model_type", type(model).__name__)
        raise ValueError(
            f"engine: {who} compares words and cells, and {kind} has no space for both. "
            "Use another method."
        )
    return int(table.weight.shape[1])
