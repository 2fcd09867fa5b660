# pyright: basic
"""What a server does with every image: a few words that travel in the model's config."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from homunculus.engines.part import refuse
from homunculus.engines.vllm.plugin import NAME
from homunculus.method import Method
from homunculus.method import method as named

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
    question: str | None = None
    """Replaces what the conversation says."""

    def __post_init__(self) -> None:
        for name in ("tokens", "images", "pixels", "seconds", "letters", "memory"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"homunculus: {name} is a whole number from 1 on, got {value!r}.")
        for name, kind in (("where", Where), ("question_from", Source)):
            if (got := getattr(self, name)) not in get_args(kind):
                raise ValueError(
                    f"homunculus: {name} is {' or '.join(get_args(kind))}, got {got!r}."
                )
        for name in ("pin", "override"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"homunculus: {name} is true or false.")
        if self.question is not None and not isinstance(self.question, str):
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

    @property
    def rule(self) -> Method:
        """The method by its name."""
        return named(self.method)

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

    def asked(self, told: Mapping[str, Any]) -> "Serving":
        """With what a request brings, if it may."""
        if not told:
            return self
        if not self.override:
            raise ValueError(
                "homunculus: this server takes no budget and no question from requests. Its "
                "operator allows them with --allow-override."
            )
        if not isinstance(told, Mapping) or (strange := set(told) - {"tokens", "question"}):
            raise ValueError(
                "homunculus: a request may bring `tokens` and `question`, got "
                f"{sorted(map(str, strange)) if isinstance(told, Mapping) else told!r}."
            )
        one = replace(self, **told)
        if one.tokens > self.tokens:
            raise ValueError(
                f"homunculus: at most {self.tokens} tokens an image here, got {one.tokens}."
            )
        return one
