"""Views as files, each with the line that was planned for it: what every format is given."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from PIL.Image import Image

from homunculus.checks import check_kind, is_whole
from homunculus.messages.pictures import Bundle, Part, encode
from homunculus.pages import Picture
from homunculus.planner.bill import Bill
from homunculus.planner.counting import CountingRule
from homunculus.planner.labels import LARGEST, Label, numbered_line


@runtime_checkable  # for tests, which check types as they run
class PlannedView(Protocol):
    """One view, as far as a line says something of it: `homunculus.View`."""

    @property
    def name(self) -> str: ...
    @property
    def box(self) -> tuple[int, int, int, int]: ...


@runtime_checkable
class PlannedViews(Protocol):
    """What a bundle is made of: `homunculus.Views`, which stand above this room."""

    @property
    def picture(self) -> Picture: ...
    @property
    def rule(self) -> CountingRule: ...
    @property
    def bill(self) -> Bill: ...
    @property
    def label(self) -> Label: ...
    @property
    def tokens(self) -> int: ...
    @property
    def label_tokens(self) -> int: ...
    def images(self) -> list[Image]: ...
    def __iter__(self) -> Iterator[PlannedView]: ...
    def __len__(self) -> int: ...


def labels(views: PlannedViews, number: int | None = None) -> list[str]:
    """A line for each picture, or none if the plan has no room for them.

    A ``number`` says which of several pictures it is; then a single view has a line, too.
    """
    if number is not None:
        _check_number(views.label, number)
    if not views.label_tokens or (len(views) == 1 and number is None):
        return []
    lines = [_line(view, views) if len(views) > 1 else "" for view in views]
    return lines if number is None else [numbered_line(line, number) for line in lines]


def _check_number(label: Label, number: int) -> None:
    if not is_whole(number) or not 1 <= number <= LARGEST:
        raise ValueError(f"number: expected 1 to {LARGEST}, got {number!r:.80}.")
    if label.style != "none" and not label.numbered:
        raise ValueError(
            "number: these views were planned without numbers, whose tokens would not be counted. "
            "Plan them with views(..., numbered=True)."
        )


def _line(view: PlannedView, views: PlannedViews) -> str:
    high, wide = views.picture.original
    x0, x1 = (round(100 * side / wide) for side in view.box[0::2])
    y0, y1 = (round(100 * side / high) for side in view.box[1::2])
    return views.label.line(view.name == "whole", f"{x0}-{x1}%", f"{y0}-{y1}%")


def bundle(views: PlannedViews, label: bool = True, number: int | None = None) -> Bundle:
    """The files of views, each with the line that was planned; without ``label`` with none.

    ``number`` says which of several pictures of a request it is, if the views were planned so.
    """
    cure = 'Lines are chosen when views are planned: views(..., label="long").'
    check_kind(label, bool, "label", cure)
    lines = (labels(views, number) if label else []) or [""] * len(views)
    parts = [Part(line, encode(image)) for line, image in zip(lines, views.images(), strict=True)]
    rule = views.rule
    name, value = views.bill.setting or ("", "")
    cheap = rule.unit.setting if rule.unit else None
    dear = "high" if cheap == ("detail", "low") else None  # the price of a whole picture
    return Bundle(
        tuple(parts),
        views.tokens,
        detail=value if name == "detail" else dear,
        level=value if name == "media_resolution" and rule.set_by_picture else None,
        label_tokens=views.label_tokens if any(lines) else 0,
    )
