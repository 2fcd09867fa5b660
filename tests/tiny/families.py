"""Ten families, each a function from transformers to a config and a processor."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from tiny.words import chat, tokenizer

WIDTH = 64  # of the language model
TEXT: dict[str, Any] = {
    "hidden_size": WIDTH, "intermediate_size": 96, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 4096,
}  # fmt: skip
SIGHT: dict[str, Any] = {
    "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2,
}  # fmt: skip


def text(words: Any, **more: Any) -> dict[str, Any]:
    """The language model's half of a config."""
    ends = {"bos_token_id": words.bos_token_id, "eos_token_id": words.eos_token_id}
    ends["pad_token_id"] = words.pad_token_id
    return TEXT | {"vocab_size": len(words)} | ends | more


def means() -> dict[str, list[float]]:
    return {"image_mean": [0.5] * 3, "image_std": [0.5] * 3}


def qwen(hf: ModuleType, name: str, sight: dict[str, Any], rope: dict[str, Any], video: str) -> Any:
    """What both Qwens share: 8-pixel patches merged two by two, positions in three axes."""
    marks = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    words = tokenizer(hf, ["<|im_start|>", "<|im_end|>", *marks])
    start, end, image, movie = words.convert_tokens_to_ids(marks)
    patches = {"patch_size": 8, "temporal_patch_size": 2}
    sizes = {"hidden_size": 32, "intermediate_size": 48, "depth": 2, "num_heads": 2}
    rope = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [8, 4, 4]} | rope
    config = getattr(hf, f"{name}Config")(
        text_config=text(
            words, rope_parameters=rope, num_attention_heads=2, num_key_value_heads=1, head_dim=32
        ),
        vision_config=sizes | patches | sight | {"spatial_merge_size": 2, "out_hidden_size": WIDTH},
        image_token_id=image, video_token_id=movie,
        vision_start_token_id=start, vision_end_token_id=end,
    )  # fmt: skip
    span = {"shortest_edge": 16 * 16 * 4, "longest_edge": 16 * 16 * 256}  # pixels: 4 to 256 tokens
    look = patches | means() | {"merge_size": 2, "size": span}
    return config, getattr(hf, f"{name}Processor")(
        hf.Qwen2VLImageProcessor(**look), words, getattr(hf, video)(**look),
        chat_template=chat("<|vision_start|><|image_pad|><|vision_end|>"),
    )  # fmt: skip


def qwen3_vl(hf: ModuleType) -> Any:
    sight = {"num_position_embeddings": 64, "deepstack_visual_indexes": [0, 1]}
    rope = {"mrope_interleaved": True}
    return qwen(hf, "Qwen3VL", sight, rope, "Qwen3VLVideoProcessor")


def qwen2_5_vl(hf: ModuleType) -> Any:
    sight = {"window_size": 64, "fullatt_block_indexes": [1]}  # 4 x 4 tokens a window
    return qwen(hf, "Qwen2_5_VL", sight, {}, "Qwen2VLVideoProcessor")


def qwen2_vl(hf: ModuleType) -> Any:
    sight = {"embed_dim": 32, "hidden_size": WIDTH, "mlp_ratio": 2}  # its width stands elsewhere
    return qwen(hf, "Qwen2VL", sight, {}, "Qwen2VLVideoProcessor")


def llava(hf: ModuleType) -> Any:
    """One square crop; the class token is seen by the tower and left out of the features."""
    words = tokenizer(hf, ["<|im_start|>", "<|im_end|>", "<image>"])
    sight = hf.CLIPVisionConfig(**SIGHT, image_size=96, patch_size=8, projection_dim=32)
    config = hf.LlavaConfig(
        text_config=hf.LlamaConfig(**text(words)), vision_config=sight, image_seq_length=144,
        image_token_index=words.convert_tokens_to_ids("<image>"),
    )  # fmt: skip
    square = {"height": 96, "width": 96}
    images = hf.CLIPImageProcessor(size={"shortest_edge": 96}, crop_size=square)
    return config, hf.LlavaProcessor(
        images, words, patch_size=8, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=chat("<image>\n"),
    )  # fmt: skip


def llava_onevision(hf: ModuleType) -> Any:
    """A base view, then tiles put together, unpadded, with a newline at the end of each row."""
    words = tokenizer(hf, ["<|im_start|>", "<|im_end|>", "<image>", "<video>"])
    pins = [[40 * rows, 40 * columns] for rows in range(1, 7) for columns in range(1, 7)]
    sight = hf.SiglipVisionConfig(**SIGHT, image_size=40, patch_size=8, vision_use_head=False)
    config = hf.LlavaOnevisionConfig(
        text_config=hf.Qwen2Config(**text(words)), vision_config=sight, image_grid_pinpoints=pins,
        image_token_index=words.convert_tokens_to_ids("<image>"),
        video_token_index=words.convert_tokens_to_ids("<video>"),
    )  # fmt: skip
    look = means() | {"size": {"height": 40, "width": 40}}
    return config, hf.LlavaOnevisionProcessor(
        hf.LlavaOnevisionImageProcessor(**look, image_grid_pinpoints=pins), words,
        hf.LlavaOnevisionVideoProcessor(**look), num_image_tokens=25,
        vision_feature_select_strategy="full", chat_template=chat("<image>\n"),
    )  # fmt: skip


def split(hf: ModuleType, name: str, patch: int, factor: int) -> Any:
    """What smolvlm and idefics3 share: tiles of 64 pixels in rows and columns, then the whole."""
    places = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    marks = ["<fake_token_around_image>", "<image>", "<global-img>", "<end_of_utterance>"]
    words = tokenizer(hf, ["<|im_start|>", *marks, *places], stop="<end_of_utterance>")
    config = getattr(hf, f"{name}Config")(
        text_config=hf.LlamaConfig(**text(words)), scale_factor=factor,
        vision_config=SIGHT | {"image_size": 64, "patch_size": patch},
        image_token_id=words.convert_tokens_to_ids("<image>"), pad_token_id=words.pad_token_id,
    )  # fmt: skip
    look = means() | {"size": {"longest_edge": 256}, "max_image_size": {"longest_edge": 64}}
    parts = [getattr(hf, f"{name}ImageProcessor")(**look), words]
    if name == "SmolVLM":
        parts.append(hf.SmolVLMVideoProcessor(**look))
    template = chat("<image>", stop="<end_of_utterance>", start="", newline=": ")
    length = (64 // patch // factor) ** 2
    build = getattr(hf, f"{name}Processor")
    return config, build(*parts, image_seq_len=length, chat_template="<|im_start|>" + template)


def internvl(hf: ModuleType) -> Any:
    """Up to 12 tiles of the nearest shape, a thumbnail after them, no mark between."""
    named = {"start_image_token": "<img>", "end_image_token": "</img>"}
    named |= {"context_image_token": "<IMG_CONTEXT>", "video_token": "<video>"}
    words = tokenizer(hf, ["<|im_start|>", "<|im_end|>", *named.values()], **named)
    sight = SIGHT | {"image_size": [48, 48], "patch_size": [8, 8], "layer_scale_init_value": 1.0}
    config = hf.InternVLConfig(
        text_config=hf.Qwen2Config(**text(words)), vision_config=sight, image_seq_length=9,
        image_token_id=words.convert_tokens_to_ids("<IMG_CONTEXT>"),
    )  # fmt: skip
    look = means() | {"size": {"height": 48, "width": 48}}
    return config, hf.InternVLProcessor(
        hf.GotOcr2ImageProcessor(**look), words, hf.InternVLVideoProcessor(**look),
        image_seq_length=9, chat_template=chat("<IMG_CONTEXT>\n"),
    )  # fmt: skip


def gemma3(hf: ModuleType) -> Any:
    """A square pooled to 256 tokens that see each other both ways; one layer of two slides."""
    named = {"boi_token": "<start_of_image>", "eoi_token": "<end_of_image>"}
    named |= {"image_token": "<image_soft_token>"}
    turns = ["<start_of_turn>", "<end_of_turn>"]
    words = tokenizer(hf, [*turns, *named.values()], stop="<end_of_turn>", **named)
    layers = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 64}
    first, last, image = words.convert_tokens_to_ids(list(named.values()))
    config = hf.Gemma3Config(
        text_config=text(words, head_dim=16, query_pre_attn_scalar=16, **layers),
        vision_config=SIGHT | {"image_size": 128, "patch_size": 4, "vision_use_head": False},
        mm_tokens_per_image=256, boi_token_index=first, eoi_token_index=last,
        image_token_index=image,
    )  # fmt: skip
    look = means() | {"size": {"height": 128, "width": 128}}
    template = chat("<start_of_image>", start="<start_of_turn>", stop="<end_of_turn>")
    return config, hf.Gemma3Processor(
        hf.Gemma3ImageProcessor(**look), words, image_seq_length=256,
        chat_template="{{ bos_token }}" + template,
    )  # fmt: skip


def paligemma(hf: ModuleType) -> Any:
    """A square first, then the prompt; all of it is seen both ways."""
    words = tokenizer(hf, ["<eos>", "<image>"], stop="<eos>", image_token="<image>")
    images = hf.SiglipImageProcessor(**means(), size={"height": 96, "width": 96})
    images.image_seq_length = 144
    template = chat("<image>", start="", stop="", newline="").replace("{{ message.role }}", "")
    processor = hf.PaliGemmaProcessor(
        images, words, chat_template=template.replace("assistant", "")
    )
    config = hf.PaliGemmaConfig(  # after the processor, which adds its places and segments
        text_config={"model_type": "gemma"} | text(words, head_dim=16),
        vision_config=SIGHT | {"image_size": 96, "patch_size": 8, "vision_use_head": False},
        image_token_index=words.convert_tokens_to_ids("<image>"), projection_dim=WIDTH,
    )  # fmt: skip
    return config, processor


FAMILIES: dict[str, Callable[[ModuleType], Any]] = {
    "qwen3_vl": qwen3_vl,
    "qwen2_5_vl": qwen2_5_vl,
    "qwen2_vl": qwen2_vl,
    "llava": llava,
    "llava_onevision": llava_onevision,
    "smolvlm": lambda hf: split(hf, "SmolVLM", patch=4, factor=4),
    "idefics3": lambda hf: split(hf, "Idefics3", patch=8, factor=2),
    "internvl": internvl,
    "gemma3": gemma3,
    "paligemma": paligemma,
}
