"""Labels, names and questions of rendered pages, from `wordings.toml` beside this file."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def read() -> dict[str, Any]:
    """The wordings by module of this folder. A seed chooses by place, so their order matters."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
