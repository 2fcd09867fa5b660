"""The models whose tokens we can count: a row each, with its source, its date and how sure it is.

Where sources disagree, the larger count is taken, and the row says so.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from homunculus.lazy import not_found
from homunculus.planner.counting import (
    AreaRule,
    CountingRule,
    Facts,
    LevelRule,
    PatchRule,
    RoundRule,
    RowRule,
    TokenRule,
)
from homunculus.planner.tiles import (
    AnyResolutionRule,
    CanvasRule,
    CoverRule,
    FitRule,
    FlatRule,
    SplitRule,
    TileRule,
)

OPENAI = "developers.openai.com/api/docs/guides/images-vision"
CLAUDE = "platform.claude.com/docs/en/build-with-claude/vision"
GEMINI = "ai.google.dev/gemini-api/docs/media-resolution"
DATE = "2026-11"
HOSTED_WINDOWS = 3
"""With the whole that makes four pictures, which every provider takes."""


def _openai(
    name: str,
    whose: str,
    factor: float,
    max_tokens: int,
    edge: int,
    note: str = "",
    sure: str = "documents",
) -> PatchRule:
    images = 1_500 if name == "gpt-6" else 500
    return PatchRule(
        name, 32, factor, max_tokens, edge, facts=_facts(whose, OPENAI, sure, note, images)
    )


def _tiles(name: str, whose: str, base: int, tile: int) -> TileRule:
    note = (
        "Views are sent with detail=low, which costs the base. Whether smaller pictures are "
        "enlarged at detail=high is not documented."
    )
    facts = _facts(whose, OPENAI, "documents", note, 500)
    return TileRule(name, 32, facts=facts, base=base, tile=tile)


def _facts(whose: str, source: str, sure: str, note: str = "", images: int = 0) -> Facts:
    return Facts(whose, source, DATE, sure, images, note, HOSTED_WINDOWS)


def _code(whose: str, module: str, note: str = "", cheaper: str = "") -> Facts:
    source = f"transformers 5.19: {module}"
    return Facts(whose, source, DATE, "code", note=note, cheaper=cheaper)


CLAUDE_EDGE = 200
CROWD = "With more than 20 pictures in a request each may have 2,000 pixels a side."
FACTOR = "The factor was measured by others; it is not documented."
PIXELS = "How many pixels a level shows is assumed: 48 along a token."
_HOSTED: Sequence[CountingRule] = (
    _openai(
        "gpt-6", "GPT-5.6 and GPT-6", 1.2, 30_000, 65_535,
        "No budget unless detail=high is set (2,500 patches); a picture above 30,000 patches is "
        "refused.", "measured",
    ),
    _openai("gpt-5.5", "GPT-5.5", 1.2, 10_000, 6_000, FACTOR, "measured"),
    _openai("gpt-5.4", "GPT-5.4", 1.2, 2_500, 2_048, FACTOR, "measured"),
    _openai(
        "gpt-5-mini", "GPT-5-mini, GPT-5.4-mini, GPT-5.2, GPT-4.1-mini", 1.62, 1_536, 2_048,
        "Others have measured a factor of 1.2 since; the documented one is larger.",
    ),
    _openai(
        "gpt-5-nano", "GPT-5-nano, GPT-5.4-nano, GPT-4.1-nano", 2.46, 1_536, 2_048,
        "Others have measured factors of 1.2 and 1.5 since; the documented one is larger.",
    ),
    _openai("o4-mini", "o4-mini", 1.72, 1_536, 2_048),
    _tiles("gpt-4o", "GPT-4o and GPT-4.1", 85, 170),
    _tiles("gpt-5", "GPT-5", 70, 140),
    _tiles("o3", "o1 and o3", 75, 150),
    _tiles("gpt-4o-mini", "GPT-4o-mini", 2_833, 5_667),
    TokenRule(
        "claude", 28, max_tokens=4_784, edge=2_576,
        facts=replace(
            _facts("Claude from 4.7 on", CLAUDE, "documents", CROWD, 100),
            crowd=(20, 2_000), least_edge=CLAUDE_EDGE,
        ),
    ),
    TokenRule(
        "claude-haiku-4.5", 28, max_tokens=1_568, edge=1_568,
        facts=replace(
            _facts("Claude Haiku 4.5, and Claude before 4.7", CLAUDE, "documents", images=100),
            least_edge=CLAUDE_EDGE,
        ),
    ),
    LevelRule(
        "gemini-3", 48, setting="media_resolution", usual="high",
        values=(("low", 280), ("medium", 560), ("high", 1_120), ("ultra_high", 2_240)),
        facts=_facts(
            "Gemini 3", GEMINI, "documents",
            f"A picture costs the same at any size. {PIXELS}", 900,
        ),
    ),
    LevelRule(
        "gemini-2.5", 48, setting="media_resolution", usual="high", each=False,
        values=(("low", 64), ("medium", 256), ("high", 2_048)),
        facts=_facts(
            "Gemini 2.5", GEMINI, "documents",
            "The level holds for the whole request. At the highest the model may look closer, for "
            f"256 to about 2,048 tokens. {PIXELS}", 3_000,
        ),
    ),
    CoverRule(
        "grok", 28,
        facts=_facts(
            "Grok 4", "docs.x.ai/developers/model-capabilities/images/understanding", "documents",
            "Documented for grok-4-fast; that tiles cover the picture is assumed.",
        ),
    ),
    AreaRule(
        "nova", 22,
        known=((405_000, 800), (810_000, 1_300), (1_260_000, 1_800), (1_690_000, 2_600)),
        facts=_facts(
            "Amazon Nova", "a copy of Amazon's table", "reported",
            "A table of four sizes, no formula.",
        ),
    ),
    RowRule(
        "mistral", 28, edge=1_540,
        facts=replace(
            _code("Mistral Small 3.1 and later", "pixtral"), images=8, windows=HOSTED_WINDOWS
        ),
    ),
)  # fmt: skip

SPLIT = ("do_image_splitting", "false")
_OPEN: Sequence[CountingRule] = (
    RoundRule(
        "qwen3-vl", 32, min_tokens=1, max_tokens=16_384,
        facts=_code(
            "Qwen3-VL with a processor that has no least size", "qwen2_vl",
            "As published, the processor enlarges small pictures to 64 tokens "
            "(qwen3-vl-published); size={'shortest_edge': 1024, ...} turns that off.",
        ),
    ),
    RoundRule(
        "qwen3-vl-published", 32, min_tokens=64, max_tokens=16_384,
        facts=_code(
            "Qwen3-VL as it is published", "qwen2_vl",
            "Small pictures are enlarged to 64 tokens; qwen3-vl counts without that.",
            "set size={'shortest_edge': 1024, ...} in its processor and count as model qwen3-vl",
        ),
    ),
    RoundRule(
        "qwen2.5-vl", 28, min_tokens=4, max_tokens=16_384,
        facts=_code("Qwen2-VL and Qwen2.5-VL", "qwen2_vl"),
    ),
    RowRule("pixtral", 16, edge=1_024, facts=_code("Pixtral 12B", "pixtral")),
    CanvasRule(
        "internvl", 28, one_tile=("max_patches", "1"),
        facts=_code(
            "InternVL 3 and 3.5", "internvl",
            "Views need max_patches=1. Some checkpoints never split (crop_to_patches=false): there "
            "every picture costs 258.",
        ),
    ),
    FitRule(
        "llama-4", 28, pixels=336, tile=144, tiles=16, marks=3, facts=_code("Llama 4", "llama4")
    ),
    AnyResolutionRule(
        "llava-onevision", 14,
        facts=_code(
            "LLaVA-OneVision", "llava_onevision",
            "Only a single picture is tiled; several cost 729 each.",
        ),
    ),
    SplitRule(
        "smolvlm", 64, pixels=512, tile=64, marks=3, length=2_048, one_tile=SPLIT,
        facts=_code(
            "SmolVLM and SmolVLM2", "smolvlm",
            "Every picture is enlarged to 2,048 pixels and split; views need "
            "do_image_splitting=false.",
        ),
    ),
    SplitRule(
        "idefics3", 28, pixels=364, tile=169, marks=3, length=1_456, one_tile=SPLIT,
        facts=_code("Idefics3", "idefics3", "Views need do_image_splitting=false."),
    ),
    FlatRule(
        "gemma-3", 56, price=256, pixels=896,
        facts=_code("Gemma 3 without pan and scan", "gemma3"),
    ),
)  # fmt: skip

MODELS = {rule.name: rule for rule in (*_HOSTED, *_OPEN)}
"""By name."""


def token_rule(model: str | int | CountingRule) -> CountingRule:
    """The rule of a model, or that of tokens with a side in pixels.

    A name is one of `MODELS`, or the one that an API or a hub has for a model of theirs.

    >>> token_rule("claude").count((64, 70)), token_rule(16) == token_rule("16")
    (9, True)
    >>> token_rule("claude-opus-4-8").name, token_rule("Qwen/Qwen2.5-VL-7B-Instruct").name
    ('claude', 'qwen2.5-vl')
    """
    if isinstance(model, CountingRule):
        return model
    if isinstance(model, str) and model.isascii() and model.isdigit():  # as a command line has it
        model = int(model[:9])
    if isinstance(model, int) and not isinstance(model, bool):
        if not 1 <= model <= 256:
            raise ValueError(f"model: a token has 1 to 256 pixels a side, got {model}")
        return TokenRule(f"{model} px", model)
    if not isinstance(model, str):
        raise TypeError(
            "model: expected a name such as 'claude', the side of a token in pixels, or a "
            f"TokenRule, got {model!r:.80} ({type(model).__name__}). `homunculus cost` lists names."
        )
    name = model[:MAX_NAME_LETTERS].lower()
    rule = rule_of(model) if name in MODELS or _FULL.fullmatch(name) else None
    if rule is None:
        instead = f"There are {', '.join(MODELS)}; or give the side of a token in pixels."
        raise ValueError(not_found("model", model, MODELS, (), instead, near=3))
    return rule


MAX_NAME_LETTERS = 200
"""Characters of a name that are looked at; names come from strangers."""
_NAMES = (
    ("gpt-4o-mini", r"gpt-4o-mini", ""),
    ("gpt-5-mini", r"gpt-(4\.1|5(\.\d)?)-mini", r"gpt-41-mini"),
    ("gpt-5-nano", r"gpt-(4\.1|5(\.\d)?)-nano", r"gpt-41-nano"),
    ("gpt-4o", r"(chat)?gpt-4o|gpt-4\.1(?!\d)", r"gpt-41(?!\d)"),
    ("gpt-6", r"gpt-5\.6|gpt-6(?!\d)", r"gpt-[7-9](?!\d)"),
    ("gpt-5.5", r"gpt-5\.5", ""),
    ("gpt-5.4", r"gpt-5\.4", ""),
    ("gpt-5-mini", r"gpt-5\.\d\w*", ""),
    ("gpt-5", r"gpt-5(?![.\d])", ""),
    ("o4-mini", r"o4-mini", ""),
    ("o3", r"(?<![^/])o[13](?!-mini|[a-z0-9])", r"(?<![^/])o[13](?=-mini)"),
    ("claude-haiku-4.5", "", r"claude-([23]|instant)|claude-haiku-4|claude-4"),
    ("claude-haiku-4.5", "", r"claude-[a-z]+-4([-.][0-6])?(?![-.]?\d(?!\d{5}))"),
    ("claude", r"claude-(3([-.][57])?-)?(opus|sonnet|haiku)(-\d{1,2}(?!\d))?", r"claude"),
    ("gemini-2.5", r"gemini-2\.5-(pro|flash)", r"gemini-[12]"),
    ("gemini-3", r"gemini-3(\.\d)?-(pro|flash)", r"gemini-[3-9]"),
    ("grok", r"(?<![^/])grok-4", r"(?<![^/])grok"),
    ("nova", r"(?<![^/.])nova-(micro|lite|pro|premier)", r"(?<![^/.])nova(-|$)"),
    ("pixtral", r"pixtral-12b", r"pixtral"),
    (
        "mistral",
        r"(?<![^/])(mistral\.)?mistral-(small|medium)",
        r"(?<![^/])(mistral|magistral|ministral)",
    ),
    ("qwen3-vl-published", r"qwen3-vl", r"qwen-?3-?vl"),
    ("qwen2.5-vl", r"qwen2(\.5)?-vl", r"qwen-?2(\.5)?-?vl"),
    ("internvl", r"internvl3([_.]5)?", r"internvl"),
    ("llama-4", r"llama-4", r"llama-?4"),
    ("llava-onevision", r"llava-onevision", r"llava-?onevision"),
    ("smolvlm", r"smolvlm2?", ""),
    ("idefics3", r"idefics3", ""),
    ("gemma-3", r"(?<![a-z])gemma-3", r"(?<![a-z])gemma-?3"),
)
"""The rule, what a full name of such a model begins with, and what else its name is guessed by; the
first row of which either is found in a name holds for it."""
_ROWS = tuple(
    (re.compile("|".join(filter(None, (known, guess)))), rule) for rule, known, guess in _NAMES
)
_KNOWN = "|".join(known for _, known, _ in _NAMES if known)
_FULL = re.compile(
    rf"""
    ([\w.-]+/)*                                               # openrouter/, Qwen/, models/
    ((us|eu|apac|global)\.)? ((anthropic|amazon|meta|mistral)\.)?
    ({_KNOWN})
    ([-_.:@][-\w.:@]*)?                                       # sizes, dates, -instruct, -latest
    """,
    re.VERBOSE,
)


def rule_of(name: str) -> CountingRule | None:
    """The rule of a model by its own name, or by the one that an API has for the model.

    None if there is no such rule. `token_rule` gives the same one, and refuses names that only
    contain a known one. A served Qwen3-VL is counted as it is published, which costs more.

    >>> rule_of("openai/gpt-5.6-2026-09-01").name, rule_of("claude-opus-4-8").name
    ('gpt-6', 'claude')
    >>> rule_of("qwen3-vl").name, rule_of("Qwen/Qwen3-VL-8B-Instruct").name
    ('qwen3-vl', 'qwen3-vl-published')
    """
    name = name[:MAX_NAME_LETTERS].lower()
    if name in MODELS:
        return MODELS[name]
    return next((MODELS[rule] for pattern, rule in _ROWS if pattern.search(name)), None)
