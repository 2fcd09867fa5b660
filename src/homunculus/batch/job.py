"""What a batch is asked to do, and the columns of its results."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

from homunculus import nets
from homunculus.lazy import need
from homunculus.pages.ocr import get_ocr
from homunculus.planner.acuity import AcuityLike, get_acuity
from homunculus.planner.bill import check_legible, least, too_few
from homunculus.planner.counting import CountingRule, LevelRule
from homunculus.planner.models import token_rule
from homunculus.scouts.registry import check_scout
from homunculus.scouts.version import scout_version

SCHEMA = 3
"""Version of the columns; a change that a reader would notice makes it 4."""
WHO = "homunculus batch"
To = Literal["plans", "views"]
Style = Literal["openai", "anthropic"]


@dataclass(frozen=True)
class Job:
    """One batch: what to do with every row. Equal jobs give equal rows."""

    source: str
    """A folder, a file or a pattern, as fsspec reads it."""
    tokens: int
    model: str = "qwen3-vl"
    """The model that looks: a name of ours, or the one that an API has for it."""
    question: str = ""
    question_column: str = ""
    image_column: str = ""
    images: str = ""
    """Folder that paths in rows are relative to; by default that of the file they stand in."""
    pages: str = "all"
    to: To = "plans"
    max_output: int = 256
    """Tokens of an answer, in requests."""
    acuity: AcuityLike = "vlm"
    """Kept as the curve itself: a file that is edited later makes another job."""
    scout: str = "auto"
    ocr: str | None = None
    """Reads pictures that have no words; PDFs mostly have, and rows may bring theirs."""
    legible: float | None = None
    """The probability from which on views are sent: else more tokens up to ``cap``, or the picture
    as it is."""
    cap: int = 1024
    shard_rows: int = 256

    def __post_init__(self) -> None:
        object.__setattr__(self, "acuity", get_acuity(self.acuity))
        nets.check_environment()
        check_scout(self.scout)
        if self.ocr is not None:
            get_ocr(self.ocr)
        page_numbers(self.pages, 1)
        if self.to == "views" and isinstance(self.rule, LevelRule):
            raise ValueError(
                f"{self.rule.name} bills by the picture, whatever its size: views save nothing. "
                "Name another model, or leave --to out for plans."
            )
        if self.tokens < least(self.rule):
            raise too_few(self.rule, self.tokens)
        if self.legible is not None:
            check_legible(self.legible)

    @property
    def rule(self) -> CountingRule:
        """How the model counts tokens."""
        return token_rule(self.model)

    @property
    def style(self) -> Style:
        """Whose batch format requests are written in."""
        return "anthropic" if self.rule.name.startswith("claude") else "openai"

    def facts(self) -> dict[str, Any]:
        """What the result depends on; where the input stands is not part of it."""
        return {name: value for name, value in vars(self).items() if name != "source"} | {
            "acuity": get_acuity(self.acuity).to_json(),
            "scout_version": scout_version(self.scout),
        }


def digest(*parts: Any) -> str:
    """32 letters that stand for the parts; usable as an ID in every provider's batch format.

    >>> len(digest("a", 1)), digest("a") == digest("b")
    (32, False)
    """
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def page_numbers(text: str, pages: int) -> list[int]:
    """Indices of the pages, which count from 1, that a text such as `1,3-5` or `all` names.

    >>> page_numbers("all", 3), page_numbers("1,3-9", 4)
    ([0, 1, 2], [0, 2, 3])
    """
    if text == "all":
        return list(range(pages))
    indices = list[int]()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or not (last or first).isdecimal() or int(first) < 1:
            raise ValueError(
                f"--pages: expected all, or numbers from 1 such as 1,3-5, got {text!r}."
            )
        indices += range(int(first) - 1, min(int(last or first), pages))
    return sorted(set(indices))


# ---- columns -------------------------------------------------------------------------------------


def schema(key: str = "", facts: str = "", totals: str = "") -> Any:
    """The columns of a finished shard, as docs/batch.md describes them."""
    pa: Any = need("pyarrow", extra="batch", who=WHO)
    view = pa.struct(
        [("name", pa.string())]
        + [(side, pa.float64()) for side in ("x0", "y0", "x1", "y1")]
        + [("height", pa.int32()), ("width", pa.int32())]
        + [("scale", pa.float64()), ("tokens", pa.int32())]
    )
    columns: Sequence[tuple[str, Any]] = (
        ("id", pa.string()), ("custom_id", pa.string()), ("source", pa.string()),
        ("page", pa.int32()), ("question", pa.string()),
        ("height", pa.int32()), ("width", pa.int32()),
        ("tokens", pa.int32()), ("untouched", pa.int32()),
        ("value", pa.float64()), ("basis", pa.string()), ("sure", pa.float64()),
        ("relevance", pa.string()),
        ("views", pa.list_(view)), ("setting", pa.string()),
        ("open_seconds", pa.float32()), ("scout_seconds", pa.float32()),
        ("plan_seconds", pa.float32()),
        ("tries", pa.int32()), ("error_kind", pa.string()), ("error", pa.string()),
    )  # fmt: skip
    metadata = {"homunculus.batch.schema": str(SCHEMA), "homunculus.batch.shard": key}
    metadata |= {"homunculus.batch.job": facts, "homunculus.batch.totals": totals}
    return pa.schema(columns, metadata)


TIMES = ("open_seconds", "scout_seconds", "plan_seconds", "tries")
"""Columns that differ from run to run; all others follow from input and job."""
REQUEST = "request"
"""A result's line for a provider, which goes to a file of its own."""
