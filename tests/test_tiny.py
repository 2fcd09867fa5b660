"""The tiny models are whole: they load as a hub's would, answer, and their images count."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from tiny import FAMILIES, ask, build, folder, hub, load, picture

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:transformers")

SIZES = [(192, 256), (150, 90), (40, 40)]  # tiles of both shapes, and an image of one tile


@pytest.fixture(params=FAMILIES)
def tiny(request: pytest.FixtureRequest) -> SimpleNamespace:
    return load(request.param)


def rows(tiny: SimpleNamespace, inputs: Any) -> Tensor:
    """One row of features for each visual token, as `get_image_features` gives them."""
    names = ["pixel_values", "pixel_attention_mask", "image_grid_thw", "image_sizes"]
    names.append("batch_num_images")
    seen = {name: inputs[name] for name in names if name in inputs}
    features = tiny.model.get_image_features(**seen, return_dict=True).pooler_output
    return torch.cat([part.flatten(0, -2) for part in features])


@torch.no_grad()
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_image_placeholder_has_one_row_of_features(
    tiny: SimpleNamespace, size: tuple[int, int]
) -> None:
    inputs = ask(tiny.processor, picture(*size))
    placeholders = (inputs["input_ids"] == tiny.model.config.image_token_id).sum()
    found = rows(tiny, inputs)
    assert placeholders == len(found) > 0
    alike = 3  # newlines repeat, and a base view that is its own tile
    assert len(found.unique(dim=0)) > len(found) // alike


@torch.no_grad()
def test_a_message_with_an_image_is_answered(tiny: SimpleNamespace) -> None:
    inputs = ask(tiny.processor, picture(192, 256))
    answer = tiny.model.generate(**inputs, do_sample=False, max_new_tokens=4, min_new_tokens=4)
    assert answer.shape[1] == inputs["input_ids"].shape[1] + 4
    assert isinstance(tiny.processor.decode(answer[0]), str)


@torch.no_grad()
def test_the_image_the_question_and_their_order_matter(tiny: SimpleNamespace) -> None:
    def last(image: Any, question: str) -> Tensor:
        inputs = ask(tiny.processor, image, question=question)
        inputs.pop("labels", None)  # paligemma gives them, and they ask for a loss
        return tiny.model(**inputs).logits[0, -1]

    image = picture(192, 256)
    base = last(image, "ab cd")
    for other in (last(picture(192, 256, seed=1), "ab cd"), last(image, "cd ab")):
        assert (other - base).abs().max() > 0.05
    turned = image.transpose(1)  # upside down: the same pixels elsewhere
    assert (last(turned, "ab cd") - base).abs().max() > 0.05


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_writes_the_same_weights(family: str, tmp_path: Path) -> None:
    def mark(place: Path) -> str:
        return hashlib.sha256((place / "model.safetensors").read_bytes()).hexdigest()

    first = mark(folder(family))
    assert mark(build(family, tmp_path / "same")) == first
    assert mark(build(family, tmp_path / "other", seed=1)) != first


@pytest.mark.parametrize("family", FAMILIES)
def test_a_folder_is_small_and_names_its_family(family: str) -> None:
    hub()
    config = json.loads((folder(family) / "config.json").read_text("utf-8"))
    assert config["model_type"] == family
    assert sum(file.stat().st_size for file in folder(family).iterdir()) < 2**21
