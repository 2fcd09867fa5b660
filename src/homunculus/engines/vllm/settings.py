"""Settings of a server, their checks against requests, and the flags of vLLM that carry them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from homunculus.checks import is_whole
from homunculus.engines.cells.ask import scout_for
from homunculus.engines.cells.methods import Method, get_method
from homunculus.engines.parts import check_before, default_method
from homunculus.engines.vllm import ARCHITECTURES, NAME, PREFIX
from homunculus.pages.ocr import get_ocr
from homunculus.planner.acuity import VLM, get_acuity
from homunculus.planner.counting import DEFAULT_TOKENS
from homunculus.planner.options import ViewOptions
from homunculus.scouts.registry import check_scout
from homunculus.scouts.sight import Scout

Source = Literal["last", "system", "none"]
Where = Literal["before", "after"]

OVERRIDES, LIMITS = "--hf-overrides", "--limit-mm-per-prompt"
TRUST, MODE = "--trust-request-mm-kwargs", "--tokenizer-mode"
"""Flags of vLLM that carry the settings."""


@dataclass(frozen=True)
class SharedSettings:
    """Settings of every server, whether its models run with our classes or with vLLM's own."""

    tokens: int = DEFAULT_TOKENS
    images: int = 32
    """Images per request."""
    seconds: float | int = 30
    """Seconds that a request waits for relevance searches; then its images are shown as a whole."""
    threads: int = 2
    """Threads of an API server for relevance searches."""
    scout: str = "auto"
    """Name of the scout, or a folder with its weights."""
    acuity: str = VLM.name
    """How small the model still reads, by name."""
    ocr: str | None = None
    """Name of an OCR that reads images, where views are ordinary images."""

    def __post_init__(self) -> None:
        values: dict[str, Any] = vars(self)  # from a config or a request they may be of any type
        check_whole(values, "tokens", "images", "threads")
        if type(values["seconds"]) not in (int, float) or not self.seconds > 0:
            raise ValueError(
                f"homunculus: seconds must be a number above 0, got {values['seconds']!r}."
            )
        if not isinstance(values["scout"], str):
            raise ValueError(f"homunculus: scout must be a name or a folder, got {self.scout!r}.")
        check_scout(self.scout)
        get_acuity(self.acuity)
        if values["ocr"] is not None:
            if not isinstance(values["ocr"], str):
                raise ValueError(f"homunculus: ocr must be a name, got {self.ocr!r}.")
            get_ocr(self.ocr)


@dataclass(frozen=True)
class ServerSettings(SharedSettings):
    """Settings of a server of Qwen's models; a request may have its own `tokens` and `question`."""

    method: str = ""
    """By default `views`, or `cut` after the encoder."""
    where: Where = "before"
    """Before the encoder, which then sees only chosen cells, or after it."""
    question_from: Source = "last"
    pin: bool = True
    """Whether an image keeps the question of its own turn."""
    override: bool = False
    """Whether a request may set its own question and a smaller number of tokens."""
    pixels: int = 256_000_000
    """Pixels of all images of a request."""
    context: float | int = 1 / 8
    """The least share of the tokens that planned views give to a small picture of the whole."""
    question: str | None = None
    """Replaces the question of the conversation."""

    def __post_init__(self) -> None:
        super().__post_init__()
        values: dict[str, Any] = vars(self)
        check_whole(values, "pixels")
        kinds = {"where": Where, "question_from": Source}
        for name, kind in kinds.items():
            if (got := values[name]) not in get_args(kind):
                raise ValueError(
                    f"homunculus: {name} must be {' or '.join(get_args(kind))}, got {got!r}."
                )
        check_switches(values, "pin", "override")
        if not isinstance(values["question"], str | None):
            raise ValueError(f"homunculus: question must be text, got {values['question']!r}.")
        if not self.method:
            object.__setattr__(self, "method", default_method(before=self.where == "before"))
        try:
            method = self.method_object
        except ValueError as error:
            raise ValueError(f"homunculus: {error}") from error
        if method.source == "answer":
            raise ValueError(
                f"homunculus: {method.name} needs the box of the answer, which no request has. "
                "Use another method."
            )
        if method.source == "model":
            raise ValueError(
                f"homunculus: {method.name} chooses by features that vLLM's workers have and its "
                "server has not. Use homunculus.attach, or another method."
            )
        if self.where == "before":
            check_before(method)
        elif method.rule.planned:
            raise ValueError(
                f"homunculus: {method.name} are encoded by themselves. Use --where before."
            )
        _ = self.views  # checks them

    @property
    def method_object(self) -> Method:
        """The method of that name."""
        return get_method(self.method)

    @property
    def views(self) -> ViewOptions:
        """What planned views go by."""
        return ViewOptions(acuity=self.acuity, scout=self.scout, context=self.context)

    @property
    def scout_object(self) -> Scout:
        """The scout of that name."""
        return scout_for(self.method_object, self.scout)

    @staticmethod
    def of(config: Any) -> "ServerSettings":
        """The settings in a model's config, where `--hf-overrides` puts them."""
        values = getattr(config, NAME, None) or {}
        try:
            return ServerSettings(**values)
        except TypeError as error:
            raise ValueError(f"homunculus: in the overrides of the config: {error}.") from error

    def for_request(self, options: Any) -> "ServerSettings":
        """These settings with the options of a request."""
        if not options:
            return self
        if not self.override:
            raise ValueError(
                "homunculus: requests may not set tokens or a question here. The server must be "
                "started with --allow-override."
            )
        names = {str(name) for name in options} if isinstance(options, Mapping) else {repr(options)}
        if unknown := names - {"tokens", "question"}:
            raise ValueError(
                "homunculus: a request may set `tokens` and `question`, got "
                f"{', '.join(sorted(unknown))}. Leave out everything else."
            )
        settings = replace(self, **options)
        if settings.tokens > self.tokens:
            raise ValueError(
                f"homunculus: at most {self.tokens} tokens per image, got {settings.tokens}."
            )
        return settings


# ---- checks of settings --------------------------------------------------------------------------


def check_whole(values: Mapping[str, Any], *names: str) -> None:
    """Raise unless these settings are integers of at least 1."""
    for name in names:
        if not is_whole(values[name]) or values[name] < 1:
            raise ValueError(
                f"homunculus: {name} must be an integer of at least 1, got {values[name]!r}."
            )


def check_switches(values: Mapping[str, Any], *names: str) -> None:
    """Raise unless these settings are on or off."""
    for name in names:
        if not isinstance(values[name], bool):
            raise ValueError(f"homunculus: {name} must be true or false, got {values[name]!r}.")


# ---- checks of a request -------------------------------------------------------------------------


def check_options(inputs: Any, config: Any) -> None:
    """Raise if a request sets options of vLLM's processor, which are the operator's.

    ``config`` is vLLM's `MultiModalConfig`, with the options that the operator set.
    """
    allowed = config.mm_processor_kwargs or {}
    refused = [
        f"mm_processor_kwargs.{name}"
        for name, value in inputs.hf_processor_mm_kwargs.items()
        if name != NAME and (name not in allowed or allowed[name] != value)
    ]
    if (media := inputs.media_io_kwargs or {}) and media != (config.media_io_kwargs or {}):
        refused.append("media_io_kwargs")
    if refused:
        raise ValueError(
            f"homunculus: a request may only set mm_processor_kwargs.{NAME}, got "
            f"{', '.join(refused)}. Leave them out, or start the server with them."
        )


def check_images(images: Any, settings: ServerSettings) -> None:
    """Raise if images are missing, too many, or too large together."""
    if len(images) > settings.images:
        raise ValueError(
            f"homunculus: at most {settings.images} images per request, got {len(images)}. "
            "Send fewer images."
        )
    for image in images.get_all():
        if image is None:
            raise ValueError(
                "homunculus: expected an image, got only its uuid. Tokens depend on the question, "
                "so an earlier upload cannot be reused: send the image again."
            )
        if not (hasattr(image, "width") or hasattr(image, "shape")):  # Pillow's, or an array
            raise ValueError(
                f"homunculus: expected an image, got {image!r:.80} ({type(image).__name__}). "
                "Send it as `image_url`, by its address or as a data URL."
            )
    sizes = [images.get_image_size(image) for image in range(len(images))]
    pixels = sum(size.width * size.height for size in sizes)
    if pixels > settings.pixels:
        raise ValueError(
            f"homunculus: at most {settings.pixels} pixels per request, got {pixels} in "
            f"{len(sizes)} images. Send fewer or smaller images."
        )


# ---- flags of vLLM -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Flags:
    """The flags of vLLM that carry the settings; None where the operator did not set one."""

    hf_overrides: Any = None
    limit_mm_per_prompt: Any = None
    trust_request_mm_kwargs: bool | None = None
    tokenizer_mode: str | None = None
    """Selects the renderer."""


def merge(
    given: Flags, setting: Mapping[str, Any], architectures: Callable[[], Sequence[str]]
) -> tuple[Flags, ServerSettings]:
    """The operator's flags completed by ours, and the settings that they carry.

    The operator's own flags win. ``setting`` has the fields of `ServerSettings` that `homunculus
    serve` was given; ``architectures`` reads the model's config, and is called only if the operator
    names no architecture.
    """
    overrides = _object(OVERRIDES, given.hf_overrides)
    if NAME in overrides:
        raise ValueError(
            f"{OVERRIDES} has an entry `{NAME}`, which `homunculus serve` writes itself. "
            "Use its flags, such as --tokens."
        )
    if setting.get("ocr"):
        raise ValueError(
            "--ocr is for models whose views are ordinary images; those of Qwen are encoded in "
            "parts by the plugin, which reads none. Leave it out."
        )
    limits, images = limit_images(given.limit_mm_per_prompt, setting.get("images"))
    settings = ServerSettings(**dict(setting, images=images))
    name = _architecture(overrides.get("architectures") or architectures())
    if settings.override and given.trust_request_mm_kwargs is False:
        raise ValueError(f"--allow-override needs {TRUST}, which is switched off. Drop one.")
    return Flags(
        overrides | {"architectures": [PREFIX + name], NAME: asdict(settings)},
        limits,
        bool(given.trust_request_mm_kwargs) or settings.override,
        given.tokenizer_mode or NAME,
    ), settings


def _object(flag: str, value: Any) -> dict[str, Any]:
    if value is None or isinstance(value, Mapping):
        return dict(value or {})
    raise ValueError(f"{flag}: expected a JSON object, got {value!r}.")


def limit_images(limits: Any, max_images: int | None, views: int = 1) -> tuple[dict[str, Any], int]:
    """`--limit-mm-per-prompt` for up to ``views`` pictures of each image, and images per request.

    The operator's own limit counts images as clients send them.
    """
    limits = _object(LIMITS, limits)
    own = limits.get("image")
    count = own.get("count") if isinstance(own, Mapping) else own
    if count is None:
        count = SharedSettings.images if max_images is None else max_images
    if not is_whole(count) or count < 1:
        raise ValueError(
            f"{LIMITS}: expected at least 1 image, got {count!r}. For text alone use `vllm serve`."
        )
    if max_images not in (None, count):
        raise ValueError(
            f"--max-images is {max_images}, but {LIMITS} allows {count}. Give one of them."
        )
    counted = dict(own, count=views * count) if isinstance(own, Mapping) else views * count
    return {"video": 0} | limits | {"image": counted}, count


def _architecture(names: Sequence[str]) -> str:
    stock = [name.removeprefix(PREFIX) for name in names]
    for name in stock:
        if name in ARCHITECTURES:
            return name
    raise ValueError(
        f"expected a model of {', '.join(ARCHITECTURES)}, got {', '.join(stock) or 'none'}. "
        "docs/vllm.md lists the supported families."
    )
