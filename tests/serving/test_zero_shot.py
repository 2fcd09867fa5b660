"""A zero-shot detector of transformers as a scout: a tiny OWLv2 with random weights.

It stands in for a real one, which would come from a hub; what it finds means nothing, but every
part is real: processor, model, boxes on the picture.
"""

import json
import string
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import (
    CLIPTokenizer,
    Owlv2Config,
    Owlv2ForObjectDetection,
    Owlv2ImageProcessor,
    Owlv2Processor,
)

from homunculus import views
from homunculus.scouts.things import Detector, ThingScout
from homunculus.scouts.things.zero_shot import ZeroShotDetector


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A model as `save_pretrained` writes it."""
    place = tmp_path_factory.mktemp("owlv2")
    letters = [*string.ascii_lowercase, *(f"{one}</w>" for one in string.ascii_lowercase)]
    words = {one: at for at, one in enumerate([*letters, "<|startoftext|>", "<|endoftext|>", "!"])}
    (place / "vocab.json").write_text(json.dumps(words))
    (place / "merges.txt").write_text("#version: 0.2\n")
    tokenizer = CLIPTokenizer(
        str(place / "vocab.json"), str(place / "merges.txt"), pad_token="!", model_max_length=32
    )
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    size |= {"num_attention_heads": 4}
    ends = {"bos_token_id": words["<|startoftext|>"], "eos_token_id": words["<|endoftext|>"]}
    text = size | ends | {
        "vocab_size": len(words), "max_position_embeddings": 32, "pad_token_id": words["!"],
    }  # fmt: skip
    config = Owlv2Config(
        text_config=text,
        vision_config=size | {"image_size": 64, "patch_size": 16},
        projection_dim=32,
    )
    torch.manual_seed(0)
    model = Owlv2ForObjectDetection(config)
    for weight in model.box_head.parameters():  # else all boxes are as thin as a line
        torch.nn.init.normal_(weight, std=0.02)
    model.save_pretrained(place)
    images = Owlv2ImageProcessor(size={"height": 64, "width": 64})
    Owlv2Processor(images, tokenizer).save_pretrained(place)
    return place


@pytest.fixture(scope="module")
def detector(folder: Path) -> ZeroShotDetector:
    return ZeroShotDetector(folder, least=0.0)


def picture(high: int = 90, wide: int = 160) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 256, (3, high, wide), np.uint8)


def test_it_looks_for_the_words_of_a_question(detector: ZeroShotDetector) -> None:
    things = detector(picture(), ["umbrella", "woman"])
    assert things
    assert {thing.name for thing in things} <= {"umbrella", "woman"}
    assert [thing.score for thing in things] == sorted((one.score for one in things), reverse=True)
    assert all(0 <= side <= 1 for thing in things for side in thing.box)
    assert detector(picture(), []) == ()
    assert isinstance(detector, Detector)


def test_it_is_a_scout_like_any_other(detector: ZeroShotDetector) -> None:
    scout = ThingScout(detector)
    sight = scout(picture(), "What colour is the woman's umbrella?", (9, 16))
    assert [match.text for match in sight.matches] == ["woman", "umbrella"]
    assert sight.logit.shape == (9, 16)
    assert np.array_equal(
        scout(picture(), "What colour is the woman's umbrella?", (9, 16)).logit, sight.logit
    )
    assert scout(picture(), "", (9, 16)).sure == 0.0
    photo = picture(480, 640).transpose(1, 2, 0)
    seen = views(photo, "Where is the umbrella?", tokens=16, scout=scout)
    assert seen.tokens <= 16


def test_weights_that_are_not_safetensors_are_refused(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        if file.suffix != ".safetensors":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(OSError, match="safetensors"):
        ZeroShotDetector(tmp_path)
