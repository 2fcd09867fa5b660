"""Detectors that look for any words: models of transformers, such as OWLv2 or Grounding DINO."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from homunculus.lazy import need
from homunculus.scouts.sight import Pixels
from homunculus.scouts.things.detector import MIN_SCORE, Thing


class ZeroShotDetector:
    """A zero-shot detector of transformers, such as OWLv2 or Grounding DINO."""

    names: Sequence[str] | None = None

    def __init__(self, model: str | Path, least: float = MIN_SCORE, device: str = "cpu") -> None:
        """By its name on the hub, or a folder; only weights in safetensors are loaded."""
        who = "a zero-shot detector"
        library: Any = need("transformers", extra="transformers", who=who)
        self.processor = library.AutoProcessor.from_pretrained(model)
        self.model = library.AutoModelForZeroShotObjectDetection.from_pretrained(
            model, use_safetensors=True
        )
        self.model.eval().to(device)
        self.least = least

    def __call__(self, image: Pixels, words: Sequence[str]) -> Sequence[Thing]:
        """Things that go by these words, the surest first."""
        if not words:
            return ()
        import torch  # it comes with transformers

        texts = [f"a photo of a {word}" for word in words]
        size = (int(image.shape[1]), int(image.shape[2]))
        with torch.inference_mode():
            given = self.processor(
                text=[texts], images=[torch.tensor(image)], truncation=True, return_tensors="pt"
            )
            (found,) = self.processor.post_process_grounded_object_detection(
                self.model(**given.to(self.model.device)),
                threshold=self.least,
                target_sizes=[size],
                text_labels=[texts],
            )
        scale = torch.tensor([size[1], size[0]] * 2)
        boxes = (found["boxes"].cpu() / scale).clamp(0, 1).tolist()
        things = [
            Thing(_word(label, words), float(score), (x0, y0, x1, y1))
            for label, score, (x0, y0, x1, y1) in zip(
                found["text_labels"], found["scores"], boxes, strict=True
            )
            if x1 > x0 and y1 > y0
        ]
        return tuple(sorted(things, key=lambda thing: -thing.score))


def _word(label: str, words: Sequence[str]) -> str:
    """Which word a label stands for: some models return the whole prompt, others a part of it."""
    inside = [word for word in words if word in label or label in word]
    return max(inside, key=len, default=label)
