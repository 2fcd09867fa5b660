"""What the operator gave among vLLM's flags, joined with our setting. The operator's word wins."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from homunculus.core.methods import Method, get_method
from homunculus.core.pipeline import Scout
from homunculus.engines.views import refuse
from homunculus.engines.vllm import ARCHITECTURES, NAME, PREFIX
from homunculus.relevance.scout import check_scout, scout_for

Source = Literal["last", "system", "none"]
Where = Literal["before", "after"]


@dataclass(frozen=True)
class Serving:
    """The operator's choice; `tokens` and `question` may be a request's own."""

    tokens: int = 273
    method: str = "foveated"
    where: Where = "before"
    """Before the encoder, which then sees only chosen cells; or after it, so that further
    questions on an image find its features."""
    question_from: Source = "last"
    pin: bool = True
    """Whether an image keeps the question of the turn that it came with."""
    override: bool = False
    """Whether a request may bring its own question and a smaller budget."""
    images: int = 32
    """Images of one request."""
    pixels: int = 256_000_000
    """Pixels of all images of one request."""
    seconds: int = 60
    """What looking for the question on the images of one request may take."""
    letters: int = 2000
    """What is read of a question."""
    memory: int = 1 << 30
    """Bytes of features that a worker keeps of images, where "after" needs them."""
    scout: str = "auto"
    """Name of the scout that says where a question looks, or a folder with its weights."""
    question: str | None = None
    """Replaces what the conversation says."""

    def __post_init__(self) -> None:
        values: dict[str, Any] = vars(self)  # as a config or a request may have brought them
        for name in ("tokens", "images", "pixels", "seconds", "letters", "memory"):
            value = values[name]
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"homunculus: {name} is a whole number from 1 on, got {value!r}.")
        for name, kind in (("where", Where), ("question_from", Source)):
            if (got := values[name]) not in get_args(kind):
                raise ValueError(
                    f"homunculus: {name} is {' or '.join(get_args(kind))}, got {got!r}."
                )
        for name in ("pin", "override"):
            if not isinstance(values[name], bool):
                raise ValueError(f"homunculus: {name} is true or false.")
        if not isinstance(values["question"], str | None):
            raise ValueError("homunculus: question is a text.")
        try:
            rule = self.rule
        except KeyError as error:
            raise ValueError(f"homunculus: {error.args[0]}") from error
        if rule.source == "answer":
            raise ValueError(
                f"homunculus: {rule.name} is given the answer's box, which no request brings. "
                "Use another method."
            )
        if self.where == "before":
            refuse(rule)
        if not isinstance(values["scout"], str):
            raise ValueError(f"homunculus: scout is a name or a folder, got {values['scout']!r}.")
        check_scout(self.scout)

    @property
    def rule(self) -> Method:
        """The method by its name."""
        return get_method(self.method)

    @property
    def eyes(self) -> Scout:
        """The scout by its name."""
        return scout_for(self.rule, self.scout)

    @staticmethod
    def of(config: Any) -> "Serving":
        """As the operator's overrides left it in a model's config."""
        told = getattr(config, NAME, None) or {}
        try:
            return Serving(**told)
        except TypeError as error:
            raise ValueError(f"homunculus: in the overrides of the config: {error}.") from error

    def overrides(self) -> dict[str, Any]:
        """For the config of the model."""
        return asdict(self)

    def for_request(self, options: Any) -> "Serving":
        """These settings with the options of a request, if it may bring any."""
        if not options:
            return self
        if not self.override:
            raise ValueError(
                "homunculus: this server takes no budget and no question from requests. Its "
                "operator allows them with --allow-override."
            )
        names = {str(name) for name in options} if isinstance(options, Mapping) else {repr(options)}
        if unknown := names - {"tokens", "question"}:
            raise ValueError(
                "homunculus: a request may bring `tokens` and `question`, got "
                f"{', '.join(sorted(unknown))}. Leave out everything else."
            )
        settings = replace(self, **options)
        if settings.tokens > self.tokens:
            raise ValueError(
                f"homunculus: at most {self.tokens} tokens per image, got {settings.tokens}."
            )
        return settings


def check_options(inputs: Any, config: Any) -> None:
    """A request brings our options alone; those of the processor are the operator's.

    ``config`` is vLLM's of multimodal inputs, with the operator's own.
    """
    allowed = config.mm_processor_kwargs or {}
    strange = [
        f"mm_processor_kwargs.{name}"
        for name, value in inputs.hf_processor_mm_kwargs.items()
        if name != NAME and (name not in allowed or allowed[name] != value)
    ]
    if (media := inputs.media_io_kwargs or {}) and media != (config.media_io_kwargs or {}):
        strange.append("media_io_kwargs")
    if strange:
        raise ValueError(
            f"homunculus: a request may set mm_processor_kwargs.{NAME} alone, got "
            f"{', '.join(strange)}. Leave them out, or start the server with them."
        )


def check_images(images: Any, serving: Serving) -> None:
    """All images are here, and they are neither too many nor too large together."""
    if len(images) > serving.images:
        raise ValueError(
            f"homunculus: at most {serving.images} images a request, got {len(images)}."
        )
    if any(one is None for one in images.get_all()):
        raise ValueError(
            "homunculus: expected the image itself, got a uuid alone. Which tokens are kept "
            "depends on the question, so an earlier upload cannot stand in: send it again."
        )
    sizes = [images.get_image_size(at) for at in range(len(images))]
    pixels = sum(size.width * size.height for size in sizes)
    if pixels > serving.pixels:
        raise ValueError(
            f"homunculus: at most {serving.pixels} pixels a request, got {pixels} in "
            f"{len(sizes)} images. Send fewer or smaller images."
        )


OVERRIDES, LIMITS = "--hf-overrides", "--limit-mm-per-prompt"
TRUST, MODE = "--trust-request-mm-kwargs", "--tokenizer-mode"


@dataclass(frozen=True)
class Flags:
    """The flags of vLLM that we have a part in; None where the operator gave none."""

    overrides: Any = None
    """`--hf-overrides`"""
    limits: Any = None
    """`--limit-mm-per-prompt`"""
    trust: bool | None = None
    """`--trust-request-mm-kwargs`"""
    mode: str | None = None
    """`--tokenizer-mode`: ours searches new pages beside vLLM's processor, not inside it."""


def merge(
    given: Flags, setting: Mapping[str, Any], architectures: Callable[[], Sequence[str]]
) -> tuple[Flags, Serving]:
    """Complete flags, and the setting they carry.

    ``setting`` has the fields of `Serving` that `homunculus serve` was given; ``architectures``
    reads the model's config, and is called only if the operator names no architecture.
    """
    overrides, limits = _object(OVERRIDES, given.overrides), _object(LIMITS, given.limits)
    if NAME in overrides:
        raise ValueError(
            f"{OVERRIDES} has an entry `{NAME}`, which `homunculus serve` writes itself. "
            "Use its flags, such as --tokens."
        )
    images = _images(limits, setting.get("images"))
    serving = Serving(**dict(setting, images=images))
    name = _architecture(overrides.get("architectures") or architectures())
    if serving.override and given.trust is False:
        raise ValueError(f"--allow-override needs {TRUST}, which is switched off. Drop one.")
    own = limits.get("image")
    counted = dict(own, count=images) if isinstance(own, Mapping) else images
    return Flags(
        overrides | {"architectures": [PREFIX + name], NAME: serving.overrides()},
        {"video": 0} | limits | {"image": counted},
        bool(given.trust) or serving.override,
        given.mode or NAME,
    ), serving


def _object(flag: str, value: Any) -> dict[str, Any]:
    if value is None or isinstance(value, Mapping):
        return dict(value or {})
    raise ValueError(f"{flag}: expected a JSON object, got {value!r}.")


def _images(limits: Mapping[str, Any], asked: int | None) -> int:
    """Images of a request: as vLLM's flag says, or ours."""
    own = limits.get("image")
    count = own.get("count") if isinstance(own, Mapping) else own
    if count is None:
        return Serving().images if asked is None else asked
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(
            f"{LIMITS}: expected at least 1 image, got {count!r}. For text alone use `vllm serve`."
        )
    if asked not in (None, count):
        raise ValueError(f"--max-images is {asked}, but {LIMITS} allows {count}. Give one of them.")
    return count


def _architecture(names: Sequence[str]) -> str:
    known = [name.removeprefix(PREFIX) for name in names]
    for name in known:
        if name in ARCHITECTURES:
            return name
    raise ValueError(
        f"expected a model of {', '.join(ARCHITECTURES)}, got {', '.join(known) or 'none'}. "
        "docs/vllm.md lists the supported families."
    )
