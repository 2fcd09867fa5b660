"""The words of a tiny model: a tokenizer of bytes and marks, and a chat template."""

from types import ModuleType
from typing import Any

CHAT = (  # {image} stands where the image goes, {start}, {stop} and {newline} around a turn
    "{% for message in messages %}{start}{{ message.role }}{newline}"
    "{% if message.content is string %}{{ message.content }}{% else %}"
    "{% for part in message.content %}{% if part.type == 'image' %}{image}"
    "{% elif part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %}{% endif %}"
    "{stop}{newline}{% endfor %}"
    "{% if add_generation_prompt %}{start}assistant{newline}{% endif %}"
)
TURN = {"start": "<|im_start|>", "stop": "<|im_end|>", "newline": "\n"}


def chat(image: str, **marks: str) -> str:
    """A chat template in which an image is these tokens and a turn has these marks."""
    text = CHAT
    for name, mark in ({"image": image} | TURN | marks).items():
        text = text.replace("{%s}" % name, mark)  # noqa: UP031  braces are the template's own
    return text


def tokenizer(hf: ModuleType, special: list[str], stop: str = TURN["stop"], **named: str) -> Any:
    """One token for a byte, one for a pair of newlines, and the family's own; `named` by role."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    newline = "Ċ"  # as byte-level alphabets write it
    letters = [*sorted(pre_tokenizers.ByteLevel.alphabet()), 2 * newline]
    ids = {letter: place for place, letter in enumerate(letters)}
    base = Tokenizer(models.BPE(vocab=ids, merges=[(newline, newline)]))
    base.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    base.decoder = decoders.ByteLevel()
    base.add_special_tokens(["<pad>", "<bos>", *special])
    return hf.PreTrainedTokenizerFast(
        tokenizer_object=base, pad_token="<pad>", bos_token="<bos>", eos_token=stop,
        padding_side="left", model_max_length=4096, extra_special_tokens=named,
    )  # fmt: skip
