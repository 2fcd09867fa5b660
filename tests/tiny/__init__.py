"""Tiny models of ten vision-language families, made here and written to disk.

Each folder loads offline by `AutoProcessor` and `AutoModelForImageTextToText`, as a hub's name
would: config, seeded weights, tokenizer, chat template, processor. Small, but of true structure:
DeepStack, windows, tiles with a thumbnail, newlines, pooling. Needs transformers; see `hub`.
"""

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from tiny.families import FAMILIES

__all__ = ["FAMILIES", "ask", "build", "folder", "hub", "load", "picture"]


def hub() -> ModuleType:
    """transformers without the net; a test that asks for it is skipped where it is missing."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    transformers = pytest.importorskip("transformers", minversion="5.18")
    pytest.importorskip("num2words", reason="the processor of smolvlm wants num2words")
    torchvision()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers


@cache
def torchvision() -> ModuleType:
    """torchvision, which the video half of five processors wants although no video is shown.

    A wheel built for CUDA beside a torch for CPU cannot load its own operators and stops at two
    that are missing; their names are enough, since no processor calls them.
    """
    try:
        return pytest.importorskip("torchvision")
    except RuntimeError as missing:
        if "torchvision::" not in str(missing):
            raise
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
    torchvision.kept = torch.library.Library("torchvision", "FRAGMENT")  # dies with its last name
    for name in ("nms", "qnms"):
        torchvision.kept.define(f"{name}(Tensor dets, Tensor scores, float threshold) -> Tensor")
    return pytest.importorskip("torchvision")


def draw(model: torch.nn.Module, seed: int) -> None:
    """Weights under which every token matters: fresh ones are too small to, or are zero.

    Queries are long, so that attention has favourites; an even mean of hundreds would hide a fault.
    """
    chance = torch.Generator().manual_seed(seed)
    for name, weight in model.named_parameters():
        noise = torch.randn(weight.shape, generator=chance)
        sharp = 4 if any(part in name for part in ("q_proj", "q_norm", "qkv")) else 1
        if weight.dim() == 1:
            weight.data = (weight.data if sharp == 1 else sharp) + noise / 10
        else:
            spread = 1 if "embed_tokens" in name else weight[0].numel() ** -0.5
            weight.data = noise * spread * sharp


def build(family: str, folder: Path, seed: int = 0, wide: bool = False) -> Path:
    """The family's tiny model, in the folder; ``wide`` heads are such as vLLM has on CPU."""
    hf = hub()
    config, processor = FAMILIES[family](hf)
    if wide:
        # vLLM looks for these in the vocabulary of Gemma's
        processor.tokenizer.add_tokens(["\n" * many for many in range(1, 5)])
        config.text_config.vocab_size = len(processor.tokenizer)
        config.text_config.num_attention_heads, config.text_config.num_key_value_heads = 2, 1
        config.text_config.head_dim = 32
    for part in (config, config.text_config):  # tied, a model this small repeats its last token
        part.tie_word_embeddings = False
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        model = hf.AutoModelForImageTextToText.from_config(config)
    draw(model, seed)
    words = processor.tokenizer
    model.generation_config = hf.GenerationConfig(
        eos_token_id=words.eos_token_id, pad_token_id=words.pad_token_id
    )
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    if wide and family in ("gemma3", "llava_onevision"):
        publish(folder / "model.safetensors")
    return folder


def publish(file: Path) -> None:
    """Name weights of a SigLIP tower as published models do: vLLM knows no other names."""
    old, new = "vision_tower.", "vision_tower.vision_model."
    weights = {name.replace(old, new): weight for name, weight in load_file(file).items()}
    save_file(weights, file, metadata={"format": "pt"})


@cache
def folder(family: str) -> Path:
    """The family's folder, built at the first call of this process and gone with it."""
    room = Path(tempfile.mkdtemp(prefix=f"tiny-{family}-"))
    atexit.register(shutil.rmtree, room, ignore_errors=True)
    return build(family, room)


def load(family: str, **options: Any) -> SimpleNamespace:
    """Model and processor, loaded as any user would."""
    hf = hub()
    model = hf.AutoModelForImageTextToText.from_pretrained(folder(family), **options).eval()
    return SimpleNamespace(
        model=model, processor=hf.AutoProcessor.from_pretrained(folder(family)), family=family
    )


def ask(processor: Any, *images: Any, question: str = "What is it?") -> Any:
    """The inputs of one turn: the images, then the question."""
    parts: list[dict[str, Any]] = [{"type": "image", "image": image} for image in images]
    parts.append({"type": "text", "text": question})
    return processor.apply_chat_template(
        [{"role": "user", "content": parts}],
        add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt",
    )  # fmt: skip


def picture(height: int, width: int, seed: int = 0) -> Any:
    """An image of noise, each pixel its own."""
    chance = torch.Generator().manual_seed(seed)
    pixel = torch.randint(256, (height, width, 3), generator=chance, dtype=torch.uint8)
    return Image.fromarray(pixel.numpy())
