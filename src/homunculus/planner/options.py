"""What views are planned for, besides a picture, a question and a budget."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypedDict

from homunculus.checks import check_count, check_number, is_whole
from homunculus.pages.ocr import OcrLike, get_ocr
from homunculus.planner.acuity import AcuityLike
from homunculus.planner.bill import check_legible
from homunculus.planner.counting import MAX_WINDOWS, CountingRule
from homunculus.planner.labels import Label, LabelLike
from homunculus.scouts.registry import ScoutLike


class RewriterOptions(TypedDict, total=False):
    """The options of `homunculus.views` that hold for all pictures of a request."""

    acuity: AcuityLike
    scout: ScoutLike
    ocr: OcrLike | None
    context: float | int
    windows: int | None
    label: LabelLike
    text: bool
    legible: float | int | None
    cap: int


class ViewKeywords(RewriterOptions, total=False):
    """All options of `homunculus.views`, as keywords."""

    model: str | int | CountingRule
    settings: Iterable[str] | None
    numbered: bool
    strict: bool


@dataclass(frozen=True, kw_only=True)
class ViewOptions:
    """The options of `homunculus.views`, which says what each does."""

    model: str | int | CountingRule = "qwen3-vl"
    acuity: AcuityLike = field(default="vlm", repr=False)
    scout: ScoutLike = field(default="auto", repr=False)
    ocr: OcrLike | None = field(default=None, repr=False)
    context: float | int = 1 / 8
    windows: int | None = None
    settings: Iterable[str] | None = None
    label: LabelLike = "short"
    text: bool = False
    numbered: bool = False
    strict: bool = False
    legible: float | int | None = None
    cap: int = 1024

    def __post_init__(self) -> None:
        Label.of(self.label)
        if self.ocr is not None:
            get_ocr(self.ocr)  # raises if there is no such OCR here
        check_count(self.cap, "views: cap")
        if self.legible is not None:
            check_legible(self.legible)
        check_number(self.context, "views: context", 0, 1)
        windows = 0 if self.windows is None else self.windows
        if not (is_whole(windows) and 0 <= windows <= MAX_WINDOWS):
            raise ValueError(
                f"views: windows must be a whole number from 0 to {MAX_WINDOWS}, got {windows!r}."
            )
        if isinstance(self.settings, str):
            raise TypeError(
                f"views: settings must be names, got one str. Write [{self.settings!r}]."
            )
