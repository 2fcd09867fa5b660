# pyright: basic
"""A model folder without weights: config, byte tokenizer, chat template, processor.

For a server that creates random weights (`--load-format dummy`).
"""

from pathlib import Path
from typing import Any

from homunculus.lazy import need
from homunculus_lab.speed.model import Scale

WHO = "homunculus bench vllm"
MARKS = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
TURNS = ["<|im_start|>", "<|im_end|>"]
CHAT = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}"
    "{% for part in message.content %}{% if part.type == 'text' %}{{ part.text }}"
    "{% else %}<|vision_start|><|image_pad|><|vision_end|>{% endif %}{% endfor %}{% endif %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write(scale: Scale, folder: Path) -> Path:
    """Write all that a server reads of a Qwen3-VL of this scale."""
    hf = need("transformers", "transformers", WHO)
    need("torchvision", "transformers", WHO)
    tokenizer = _tokenizer(hf)
    start, end, image, video = tokenizer.convert_tokens_to_ids(MARKS)
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    config = hf.Qwen3VLConfig(
        text_config={**scale.text, **ends, "tie_word_embeddings": True},
        vision_config=dict(scale.vision), tie_word_embeddings=True,
        vision_start_token_id=start, vision_end_token_id=end,
        image_token_id=image, video_token_id=video,
    )  # fmt: skip
    config.architectures = ["Qwen3VLForConditionalGeneration"]
    config.save_pretrained(folder)
    vision = scale.vision
    settings = {
        "patch_size": vision["patch_size"], "temporal_patch_size": vision["temporal_patch_size"],
        "merge_size": vision["spatial_merge_size"], "image_mean": [0.5] * 3, "image_std": [0.5] * 3,
        "size": {"shortest_edge": 4096, "longest_edge": 4096 * 32 * 32},
    }  # fmt: skip
    processor = hf.Qwen3VLProcessor(
        hf.Qwen2VLImageProcessor(**settings), tokenizer, hf.Qwen3VLVideoProcessor(**settings),
        chat_template=CHAT,
    )  # fmt: skip
    processor.save_pretrained(folder)
    return folder


def _tokenizer(hf: Any) -> Any:
    """One token per byte."""
    kit = need("tokenizers", "transformers", WHO)
    letters = sorted(kit.pre_tokenizers.ByteLevel.alphabet())
    base = kit.Tokenizer(
        kit.models.BPE(vocab={letter: number for number, letter in enumerate(letters)}, merges=[])
    )
    base.pre_tokenizer = kit.pre_tokenizers.ByteLevel(add_prefix_space=False)
    base.decoder = kit.decoders.ByteLevel()
    base.add_special_tokens(["<pad>", *TURNS, *MARKS])
    return hf.PreTrainedTokenizerFast(
        tokenizer_object=base, pad_token="<pad>", eos_token=TURNS[1], model_max_length=1 << 18
    )
