# pyright: basic
"""The setting of an engine: a few words in a small JSON beside a model."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

NAME = "homunculus.json"


@dataclass(frozen=True)
class Setting:
    """What an engine does with every image."""

    tokens: int
    method: str
    where: Literal["before", "after"]
    marks: Literal["free", "counted"] = "free"
    """Whether marks between an image's tokens (of tiles, as some families write them) count."""
    fast: bool = False
    """Whether patch embeddings are matrix products: quicker on a CPU, not equal bit by bit."""

    def save(self, folder: str | Path) -> Path:
        """Write it into a model's folder."""
        path = Path(folder) / NAME
        path.write_text(json.dumps(asdict(self), indent=2) + "\n", "utf-8")
        return path

    @staticmethod
    def load(folder: str | Path) -> "Setting":
        """Read it from a model's folder."""
        path = Path(folder) / NAME
        try:
            told = json.loads(path.read_text("utf-8"))
            setting = Setting(**told)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"engine: expected a setting in {path}, got none that can be read ({error}). "
                "Engine.setting.save(folder) writes one."
            ) from error
        return setting

    def __post_init__(self) -> None:
        whole = isinstance(self.tokens, int) and not isinstance(self.tokens, bool)
        if not whole or self.tokens < 1:
            raise ValueError(
                f"engine: tokens is a whole number from 1 on, got {self.tokens!r}. "
                "Pass how many tokens each image may cost, such as tokens=273."
            )
        if not isinstance(self.fast, bool):
            raise ValueError(f"engine: fast is true or false, got {self.fast!r}.")
        for name, known in (("where", ("before", "after")), ("marks", ("free", "counted"))):
            if (got := getattr(self, name)) not in known:
                raise ValueError(f"engine: {name} is {' or '.join(known)}, got {got!r}.")
