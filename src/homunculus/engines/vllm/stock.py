# pyright: basic, reportMissingImports=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""Families that vLLM's own classes serve: views go to them as ordinary images.

A family needs a rule for what an image costs. It is read from the served checkpoint's processor,
and compared with what vLLM itself counts before the server starts.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isqrt
from typing import Any

from homunculus.checks import check_count
from homunculus.engines.vllm.settings import SharedSettings, check_switches, check_whole
from homunculus.lazy import need
from homunculus.planner.bill import affordable, least
from homunculus.planner.counting import (
    CountingRule,
    Facts,
    Size,
    Unit,
)
from homunculus.planner.labels import Label, LabelLike
from homunculus.planner.tiles import AnyResolutionRule, FlatRule

WHO = "homunculus serve"
VARIABLE = "HOMUNCULUS_VIEWS"
"""The environment variable with the settings of the middleware, as a JSON object."""
MIDDLEWARE = "homunculus.engines.vllm.middleware.ViewsMiddleware"
OPTIONS = "--mm-processor-kwargs"
WINDOWS = 4
"""Windows of an image at most, beside the whole."""


@dataclass(frozen=True)
class StockFamily:
    """How the images of an architecture are counted."""

    rule: Callable[[str, Any, int], CountingRule]
    """From the architecture's name, vLLM's processing info and the price of a small image."""
    options: Mapping[str, Any]
    """Options of the family's processor under which every image is one tile."""
    marks: bool = True
    """Whether the marks around an image are counted. Gemma's begin and end with newlines, which
    merge with those of the text, so their number is not known."""


def _flat(name: str, info: Any, price: int) -> CountingRule:
    images = info.get_hf_processor().image_processor
    size = getattr(images, "max_image_size", None) or images.size
    side = int(size.get("longest_edge") or size["height"])
    return FlatRule(name, max(1, side // isqrt(price)), price=price, pixels=side)


def _any_resolution(name: str, info: Any, price: int) -> CountingRule:
    """LLaVA-OneVision's tiles; vLLM shows each of several images in tiles, too."""
    del price
    config, encoder = info.get_hf_config(), info.get_vision_encoder_info()
    side, cells = encoder.get_image_size(), encoder.get_patch_grid_length()
    tiles = max(max(pair) for pair in config.image_grid_pinpoints) // side
    return AnyResolutionRule(
        name, side // cells, pixels=side, cells_per_tile=cells, tiles=tiles, one_base=False
    )


STOCK_FAMILIES = {
    "Gemma3ForConditionalGeneration": StockFamily(_flat, {"do_pan_and_scan": False}, marks=False),
    "Idefics3ForConditionalGeneration": StockFamily(_flat, {"do_image_splitting": False}),
    "InternVLForConditionalGeneration": StockFamily(
        _flat, {"crop_to_patches": False, "max_patches": 1}
    ),
    "LlavaOnevisionForConditionalGeneration": StockFamily(_any_resolution, {}),
    "SmolVLMForConditionalGeneration": StockFamily(_flat, {"do_image_splitting": False}),
}
"""By vLLM's name of the architecture."""


def stock_family(names: Sequence[str]) -> str | None:
    """The first of some architectures that takes views as ordinary images."""
    return next((name for name in names if name in STOCK_FAMILIES), None)


# ---- settings ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ViewSettings(SharedSettings):
    """Settings of the middleware; an image costs ``tokens`` at most."""

    seconds: float | int = 10
    threads: int = 1
    waiting: int = 64
    """Requests that wait for a thread; the images of further ones are shown whole."""
    bytes: int = 256 << 20
    """Of a request's body."""
    strict: bool = False
    """Whether a request is refused if one of its images cannot be shown as views."""
    fetch: bool = False
    """Whether images are fetched from public addresses; else vLLM gets the address."""
    label: LabelLike = "short"
    """The line before each view that says what it shows: "short", "long", or false for none."""
    documents: int | None = None
    """Tokens that the views of a PDF cost at most; without it PDFs are left as they are."""
    history: int | None = None
    """Tokens that the pictures of all turns of a conversation cost at most."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(vars(self), "waiting", "bytes")
        for name in ("documents", "history"):
            if getattr(self, name) is not None:
                check_count(getattr(self, name), name)
        check_switches(vars(self), "strict", "fetch")
        Label.of(self.label)

    @staticmethod
    def from_environment(variables: Mapping[str, str] = os.environ) -> "ViewSettings":
        """The settings in the environment variable."""
        text = variables.get(VARIABLE, "{}")
        try:
            return ViewSettings(**json.loads(text))
        except (TypeError, ValueError) as error:
            names = ", ".join(field.name for field in fields(ViewSettings))
            raise ValueError(
                f"{VARIABLE}: expected a JSON object of {names}, got {text[:80]}: {error}"
            ) from error


ONLY_QWEN = {
    "method": ("--method", ("", "views")), "where": ("--where", ("before",)),
    "question_from": ("--question-from", ("last",)), "pin": ("--no-pin", (True,)),
    "override": ("--allow-override", (False,)), "context": ("--context", (1 / 8,)),
    "pixels": ("--max-request-pixels", ()),
}  # fmt: skip
"""Settings that only the classes of the plugin know: their flags, and what they must be."""


def view_settings(setting: Mapping[str, Any], name: str) -> ViewSettings:
    """The settings of `homunculus serve` for an architecture that vLLM's own class serves."""
    for key, (flag, usual) in ONLY_QWEN.items():
        if key in setting and setting[key] not in usual:
            raise ValueError(
                f"{name} is shown views as ordinary images, each for the question of its turn: "
                f"{flag} is for Qwen's models, got {setting[key]!r}. Leave it out."
            )
    return ViewSettings(**{key: setting[key] for key in setting if key not in ONLY_QWEN})


# ---- the rule of a checkpoint --------------------------------------------------------------------


def find_rule(config: Any, images: int = 0) -> CountingRule:
    """How many tokens the served checkpoint counts for an image, as vLLM counts them.

    ``config`` is vLLM's `ModelConfig`, ``images`` how many a prompt may have. Raises if vLLM counts
    some size in another way.
    """
    name = stock_family(config.architectures)
    if name is None:
        raise ValueError(
            f"expected a model of {', '.join(STOCK_FAMILIES)}, got "
            f"{', '.join(config.architectures)}. docs/vllm.md lists the supported families."
        )
    processor = need("vllm.multimodal", "vllm", WHO).MULTIMODAL_REGISTRY.create_processor(config)
    marks = STOCK_FAMILIES[name].marks
    (price,) = count_images(processor, [(32, 32)], marks)
    rule = STOCK_FAMILIES[name].rule(name, processor.info, price)
    for sizes in _trials(rule):
        theirs = count_images(processor, sizes, marks)
        ours = list(rule.prices(sizes))
        if ours != theirs:
            pixels = " and ".join(f"{wide} x {high}" for high, wide in sizes)
            options = json.dumps(dict(STOCK_FAMILIES[name].options))
            raise ValueError(
                f"{name}: expected images of {pixels} pixels to cost {ours} tokens, got {theirs}. "
                f"No rule fits this checkpoint's processor. Check {OPTIONS} (ours are {options}), "
                "or serve it without views, by `vllm serve`."
            )
    facts = Facts(name, "the served checkpoint", "", "code", images, windows=WINDOWS)
    return replace(rule, facts=facts)


def _trials(rule: CountingRule) -> list[list[Size]]:
    """Sizes whose counts are compared: below, at and above a tile, of many shapes."""
    side = rule.unit.side if rule.unit else rule.side
    near = [(side - 1, side + 1), (side, side), (side // 2 + 1, side), (2 * side, 3 * side + 5)]
    slim = [(4 * side, side // 2 + 3), (side // 3 + 2, 5 * side), (17, 90)]
    return [*([size] for size in (*near, *slim)), [near[0], slim[0], near[3]]]


def count_images(processor: Any, sizes: Sequence[Size], marks: bool) -> list[int]:
    """Tokens of blank images of these sizes in one prompt, as vLLM's processor counts them."""
    pillow: Any = need("PIL.Image", "vllm", WHO)
    images = [pillow.new("RGB", (wide, high), "white") for high, wide in sizes]
    prompt = processor.dummy_inputs.get_dummy_text({"image": len(images)})
    inputs = processor(prompt, processor.info.parse_mm_data({"image": images}))
    places = inputs["mm_placeholders"]["image"]
    return [place.length if marks else place.get_num_embeds() for place in places]


def describe(rule: CountingRule, settings: ViewSettings) -> str:
    """A line for the log; raises if the budget is too small for any image."""
    if (price := least(rule)) > settings.tokens:
        raise ValueError(
            f"{settings.tokens} tokens are too few for any image of {rule.name}: the smallest "
            f"costs {price}. Give --tokens {price} or more."
        )
    unit, label = rule.unit or Unit(1, price), Label.of(settings.label)
    views = min(WINDOWS + 1, affordable(unit, settings.tokens, label))
    two_views = 2 * unit.tokens + label.fees.whole + label.fees.window
    advice = "" if views > 1 else f"; from --tokens {two_views} on windows are shown, too"
    return (
        f"{rule.name}, up to {views} view{'s' if views > 1 else ''} of {unit.tokens} tokens per "
        f"image within {settings.tokens}{advice}"
    )
