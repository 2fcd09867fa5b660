"""One picture, one question, one budget, several methods: what each shows, as pictures and facts.

Nothing here knows the browser: Pillow images in, Pillow images and numbers out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from importlib.util import find_spec
from typing import Any

import numpy as np
from PIL import Image

from homunculus.box import Box
from homunculus.checks import Grid
from homunculus.lazy import MissingExtra, need_torch
from homunculus.messages.pictures import encode
from homunculus.pages import Picture, PictureError, open_picture, size_of
from homunculus.planner.belief import scout_cells
from homunculus.planner.view import View, render
from homunculus.scouts.registry import get_scout
from homunculus.scouts.sight import Map, Pixels, Scout, Sight, probabilities
from homunculus.show import panels
from homunculus.show.views import compose, explained, outline, resized
from homunculus.show.why import notes, why_facts
from homunculus.views import METHOD, Planner, Views

PIXELS = 64_000_000
"""Pixels that an upload may declare: more than phones make."""
LONGEST = 4096
"""Pixels along the longer side that a picture is reduced to."""
TOKENS = (4, 512)
"""The least and the most of a budget."""
OTHERS = 2
"""Methods beside `resize` and `views`."""
MAX_QUESTION = 1000
"""Characters of a question."""
WIDE, HIGH = 480, 640
"""Pixels that a drawing may have."""
EXPLAINED = (760, 900)
"""Width and height that the drawing of the reasons may have: its names must be legible."""
OCR = "rapidocr"
"""The OCR that can be asked for, where its extra is installed; it is bounded in time and pixels."""
SPOT = (600, 220)
"""Width and height of the magnified spot."""
LINES = 4.5
"""Lines of print that the spot is high."""
REACH = 1 / 40
"""How far around a point one looks: one standard deviation, in the longer side of the picture."""
SURE = 0.95
"""How sure one can be of a point that a person chose."""
WITHOUT = ("resize", "oracle", "shuffled")
"""Methods that cannot be added: always there, in need of the answer's place, of other pictures."""


# ---- what is asked -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Request:
    """A question about a picture, and how to look at it."""

    question: str = ""
    tokens: int = 64
    model: str = "qwen3-vl"
    """Whose tokens are counted."""
    others: tuple[str, ...] = ()
    """Methods beside `resize` and `views`."""
    point: tuple[float, float] | None = None
    """x y as fractions of the picture: look there."""
    ocr: bool = False
    """Whether a picture that has no words is read by an OCR, which takes seconds."""

    def __post_init__(self) -> None:
        low, high = TOKENS
        if not low <= self.tokens <= high:
            raise ValueError(f"The budget is {low} to {high} tokens, got {self.tokens}.")
        if len(self.question) > MAX_QUESTION:
            raise ValueError(f"A question has at most {MAX_QUESTION} characters. Make it shorter.")
        if len(self.others) > OTHERS:
            raise ValueError(f"At most {OTHERS} methods beside resize and views.")
        if strange := [name for name in self.others if name not in choices()]:
            raise ValueError(f"{strange[0]!r} cannot be compared here.")
        if self.point and not all(0 <= side <= 1 for side in self.point):
            raise ValueError(f"The point {self.point} lies outside the picture.")
        if self.ocr and not has_ocr():
            raise ValueError("There is no OCR here. Install the extra ocr, or leave it off.")


def has_ocr() -> bool:
    """Whether the extra `ocr` is installed."""
    return find_spec(OCR) is not None


def choices() -> Mapping[str, str]:
    """Methods that can stand beside `resize` and `views`, and what each does; they need torch."""
    try:
        need_torch("a method of cells")
    except MissingExtra:
        return {}
    from homunculus.engines.cells.methods import list_methods

    return {name: method.about for name, method in list_methods().items() if name not in WITHOUT}


def open_upload(data: bytes, page: int = 1) -> Picture:
    """A stranger's file as a picture; what it declares is checked before it is decoded."""
    try:
        high, wide = size_of(data)
    except PictureError:
        if b"%PDF-" not in data[:1024]:  # pages are drawn no larger than they are needed
            raise
    else:
        if high * wide > PIXELS:
            raise PictureError(
                f"This picture has {high * wide / 1e6:.0f} megapixels ({wide} x {high}); the "
                f"studio takes up to {PIXELS / 1e6:.0f}. Save it smaller and try again."
            )
    return open_picture(data, page, longest=LONGEST)


@dataclass(frozen=True, eq=False)
class PointScout:
    """Looks where a person points, and not where the question looks."""

    scout: Scout
    point: tuple[float, float]

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        sight = self.scout(image, question, grid)
        return replace(
            sight, logit=_around(self.point, grid), sure=SURE, elsewhere=None,
            question_used=False, matches=(), answers=(), origin="your point",
            explanation="The choice follows the point, not the question.",
        )  # fmt: skip


def _around(point: tuple[float, float], grid: Grid) -> Map:
    """Logits of the cells around a point."""
    y = np.arange(grid[0], dtype=np.float32)[:, None] + 0.5 - point[1] * grid[0]
    x = np.arange(grid[1], dtype=np.float32) + 0.5 - point[0] * grid[1]
    return -(y**2 + x**2) / (2 * (REACH * max(grid)) ** 2)


# ---- what comes back -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Column:
    """What one method makes of the budget."""

    name: str
    about: str
    tokens: int
    value: float | None
    """The estimated probability that the answer can be read; None where its place is not known, and
    for cells, which the planner does not estimate."""
    where: Any
    """Its windows or cells, drawn on the picture."""
    shown: Any
    """What a reader would see."""
    spot: Any
    """What a reader would see where the plan looks, magnified."""
    views: Sequence[View] = ()
    """Its pictures; none where tokens are cells of one image."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """All that the page shows of one request."""

    request: Request
    seen: Views
    sent: Sequence[str]
    """The pictures of `views` as data URLs, as they would be sent."""
    columns: Sequence[Column]
    place: Box
    """What is magnified."""
    original: Any
    """The magnified place as it is in the untouched picture."""
    reasons: Any
    """The picture with what was read, found and ranked first."""
    why: Mapping[str, Any]
    """The same as facts."""
    notes: Sequence[str]

    @property
    def title(self) -> str:
        """What is looked for."""
        if self.request.point:
            return "Where you clicked"
        question = self.request.question.strip()
        return f"“{question}”" if question else "No question: what stands out"


def compare(picture: Picture, request: Request) -> Comparison:
    """`resize`, `views` and other methods on one picture, at the same budget."""
    whole = picture.image()
    scout = get_scout("auto")
    if request.point:
        scout = PointScout(scout, request.point)
    ocr = OCR if request.ocr else None
    planner = Planner(picture, request.question, model=request.model, scout=scout, ocr=ocr)
    seen = planner.views(request.tokens)
    place = spot_of(planner, request.point)
    columns = [_resize(seen, whole, place), _views(seen, whole, place)]
    columns += [_cells(name, planner, request, whole, place) for name in request.others]
    return Comparison(
        request,
        seen,
        [encode(render(whole, view)).url for view in seen],
        columns,
        place,
        _magnified(whole, place),
        _reasons(seen, whole),
        why_facts(seen.sight, seen.sight.logit, seen.picture, scout_cells(seen.picture.size)[1]),
        notes(seen.picture, request.question, seen.sight),
    )


def _resize(seen: Views, whole: Any, place: Box) -> Column:
    small = resized(seen)
    about = f"the whole picture, smaller: {small.size[1]} x {small.size[0]} pixels"
    shown = compose(whole, [small], whole.size, 1.0)
    return Column(
        "resize", about, small.tokens, seen.resize_value, _reduced(whole), _reduced(shown),
        _magnified(shown, place), [small],
    )  # fmt: skip


def _views(seen: Views, whole: Any, place: Box) -> Column:
    count = len(seen) - 1
    about = "a small whole picture"
    if count:
        about += f" and {count} window{'s' * (count > 1)}"
    shown, small = compose(whole, seen.planned, whole.size, 1.0), _reduced(whole)
    where = outline(_heated(small, seen), seen, small.width / whole.width)
    return Column(
        METHOD, about, seen.tokens, seen.value, where, _reduced(shown),
        _magnified(shown, place), seen.planned,
    )  # fmt: skip


def _heated(small: Any, seen: Views) -> Any:
    """A small picture, warm where the question looks."""
    if not seen.sight.sure:  # its map says nothing
        return panels.washed(small, 0.35)
    return panels.heated(small, seen.sight.logit, small.width / seen.sight.logit.shape[1])


def _reasons(seen: Views, whole: Any) -> Any:
    """The picture with what was read, found and ranked first."""
    small = _reduced(whole, EXPLAINED)
    return explained(_heated(small, seen), seen, small.width / whole.width)


def _cells(name: str, planner: Planner, request: Request, whole: Any, place: Box) -> Column:
    from homunculus.engines.cells.methods import list_methods
    from homunculus.show.cells import look

    method = list_methods()[name]
    aim = request.point if request.point and "fixation" in method.settings else None

    def scout(*_: object) -> Sight:
        return planner.sight

    kept = look(  # all methods go by one map, so that they differ by what they make of it
        whole, request.question, method=method, tokens=request.tokens, model=request.model,
        scout=scout, fixation=aim,
    )  # fmt: skip
    drawn = kept.cells()
    seen = drawn.seen if drawn.seen.size == whole.size else drawn.seen.resize(whole.size)
    return Column(
        name, method.about, int(kept.tokens.valid.sum()), None,
        _reduced(drawn.kept), _reduced(seen), _magnified(seen, place),
    )  # fmt: skip


# ---- drawings ------------------------------------------------------------------------------------


def spot_of(planner: Planner, point: tuple[float, float] | None = None) -> Box:
    """A few lines of print around the point, or where the answer most likely is."""
    high, wide = planner.picture.size
    belief = planner.buyer.belief
    place = belief.place if belief.place.any() else probabilities(planner.sight.logit)
    rows, cols = place.shape
    row, col = divmod(int(place.argmax()), cols)
    if point:
        row, col = min(int(point[1] * rows), rows - 1), min(int(point[0] * cols), cols - 1)
    tall = min(high, max(24, round(LINES * 2 ** float(belief.octaves[row, col]))))
    broad = min(wide, round(tall * SPOT[0] / SPOT[1]))
    x, y = point or _middle(place, max(1, round(tall * rows / high)), max(1, broad * cols // wide))
    left = min(max(0, round(x * wide - broad / 2)), wide - broad)
    top = min(max(0, round(y * high - tall / 2)), high - tall)
    return Box(left, top, left + broad, top + tall)


def _middle(place: Map, tall: int, broad: int) -> tuple[float, float]:
    """The middle, x y in fractions, of what is in the best box of ``tall`` x ``broad`` cells."""
    rows, cols = place.shape[0] - tall + 1, place.shape[1] - broad + 1
    boxes = reduce(np.add, (place[row : row + rows] for row in range(tall)))
    boxes = reduce(np.add, (boxes[:, col : col + cols] for col in range(broad)))
    top, left = divmod(int(boxes.argmax()), cols)
    part = place[top : top + tall, left : left + broad]
    total = max(float(part.sum()), 1e-9)
    y = float((part.sum(1) * np.arange(tall)).sum()) / total + top + 0.5
    x = float((part.sum(0) * np.arange(broad)).sum()) / total + left + 0.5
    return x / place.shape[1], y / place.shape[0]


def _magnified(picture: Any, place: Box) -> Any:
    part = picture.crop(place)
    times = min(SPOT[0] / part.width, SPOT[1] / part.height)
    size = (max(1, round(part.width * times)), max(1, round(part.height * times)))
    return part.resize(size, Image.Resampling.BICUBIC)


def _reduced(picture: Any, most: tuple[int, int] = (WIDE, HIGH)) -> Any:
    """A picture no larger than the page shows it."""
    scale = min(1.0, most[0] / picture.width, most[1] / picture.height)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    return picture.resize(size, Image.Resampling.LANCZOS)
