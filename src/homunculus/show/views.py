"""Draw views: where they stand on the picture, what is sent, and the same budget by resizing."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from homunculus.box import Box
from homunculus.planner.bill import resize
from homunculus.planner.counting import Size
from homunculus.planner.view import View, render
from homunculus.scouts.sight import Map, probabilities, resize_map
from homunculus.shapes import Bool
from homunculus.show import panels, reasons
from homunculus.views import Views

COLOURS = panels.LEVELS
"""One for each window."""
OURS, RESIZED = (0, 122, 150), (112, 116, 124)
LINE = 4
"""Pixels of the line around a window."""
BADGE = 28
"""Pixels along the mark that numbers a window."""
WIDE = 1600
"""Pixels of the drawing, whatever the shape of the picture."""
LEFT, TALL = (400, 620), 860
"""The picture with its windows: narrowest and widest column, and how high it may be."""
SENT = 540
"""Pixels that the pictures which are sent may take in height, with their labels."""
APART = 14
"""Pixels between them."""
ZOOM = 4.0
"""How far they are enlarged at most."""
SPLIT = 0.6
"""Share of the width that they have beside the resized one."""
GLASS = 200
"""Height of a magnified part."""
SPOTS = 2
"""Places that are magnified at most."""
LIKELY = 0.2
"""How likely another place must be, against the likeliest, to be magnified as well."""
TEXT_WIDE = 400
"""Width of a block of text that is sent, in pixels."""
SMALL = 20
"""Height of a label in pixels."""
DOUBT = 0.5
"""Below this estimate what is magnified is called a guess."""
LITTLE = 0.05
"""Windows that gain less than this gain little."""


def draw_views(views: Views, why: bool = False) -> Any:
    """A Pillow image: the picture and its windows, what is sent, the same resized; magnified.

    With ``why``, also what was read and found on the picture, and what was ranked first.
    """
    whole, inner_width = views.picture.image(), WIDE - 2 * panels.MARGIN
    left = _where(whole, views, why)
    right = inner_width - left.width - panels.GAP
    variants = (
        Variant("homunculus", views.planned, OURS, views.value),
        Variant("resize", (resized(views),), RESIZED, views.resize_value),
    )
    pictures = {view: as_sent(whole, view) for variant in variants for view in variant.views}
    both, spots = _both(variants, pictures, right), likeliest(views)
    doubt = doubtful(views)
    close = _close(variants, pictures, spots, right, doubt)
    question = f"“{views.question}”" if views.question else "(no question)"
    heading = panels.written(question, inner_width, panels.HEADING, panels.INK, max_lines=2)
    body = panels.beside([left, panels.stacked([both, close], panels.GAP)], panels.GAP)
    page = panels.stacked([heading, body], panels.GAP // 2)
    return panels.framed(page, panels.PAPER, 0, panels.MARGIN)


class Variant(NamedTuple):
    """One way to spend the budget."""

    name: str
    views: Sequence[View]
    colour: panels.Colour
    value: float | None
    """The estimate; None where there is none."""


# ---- the picture and its windows -----------------------------------------------------------------


def _where(whole: Any, views: Views, why: bool) -> Any:
    """The picture with numbered windows, warm where the question looks, and the facts below it."""
    width = min(max(round(TALL * whole.width / whole.height), LEFT[0]), LEFT[1])
    scale = min(width / whole.width, TALL / whole.height)
    shown = (max(1, round(whole.width * scale)), max(1, round(whole.height * scale)))
    picture = whole.resize(shown, Image.Resampling.LANCZOS)
    title = "the picture and its windows" if len(views) > 1 else "the picture"
    blocks = [panels.written(title, width, panels.TITLE, panels.INK)]
    if views.sight.sure:
        picture = panels.heated(picture, views.sight.logit, shown[0] / views.sight.logit.shape[1])
    picture = explained(picture, views, scale) if why else _plain(picture, views, scale)
    blocks.append(panels.framed(picture))
    if views.sight.sure:
        blocks.append(panels.bar(width))
    if why and (legend := reasons.legend(views.picture, views.sight, width)):
        blocks.append(legend)
    sentences = [_spent(views), *_promised(views)] if why else facts(views)
    text = [panels.written(line, width, 22, panels.INK, max_lines=5) for line in sentences]
    return panels.stacked([*blocks, panels.stacked(text, 4)])


def _plain(picture: Any, views: Views, scale: float) -> Any:
    """The picture with its windows and the things that were found."""
    things = [(match.text, match.box) for match in views.sight.found if match.kind == "thing"]
    return outline(panels.outlined(picture, things), views, scale)


def explained(picture: Any, views: Views, scale: float) -> Any:
    """The picture with its windows, and with what was read, found and ranked first."""
    panel = outline(reasons.read(picture, views.picture), views, scale)
    badges = [badge.place for badge in _badges(views, scale, panel.size)]
    return reasons.mark(panel, views.picture, views.sight, badges)


def outline(picture: Any, views: Views, scale: float) -> Any:
    """A copy with its windows outlined and numbered."""
    panel = picture.copy()
    badges = _badges(views, scale, panel.size)
    for badge in badges:
        ImageDraw.Draw(panel).rectangle(badge.window, outline=badge.colour, width=LINE)
    for number, badge in enumerate(badges, 1):
        panels.badge(panel, badge.place[:2], str(number), badge.colour, BADGE)
    return panel


class Badge(NamedTuple):
    """The outline of a window, and the mark that numbers it."""

    window: Box
    place: Box
    colour: panels.Colour


def _badges(views: Views, scale: float, size: Size) -> list[Badge]:
    windows = [view for view in views.planned if view.name != "whole"]
    boxes = [_outside(_scaled(view.box, scale), size) for view in windows]
    taken, badges = list(boxes), list[Badge]()
    for box, colour in zip(boxes, cycle(COLOURS), strict=False):
        place = _badge_place(box, taken, size)
        taken.append(place)
        badges.append(Badge(box, place, colour))
    return badges


def _scaled(box: Box, scale: float) -> Box:
    """A box as drawn, its last row and column included."""
    x0, y0, x1, y1 = (round(side * scale) for side in box)
    return Box(x0, y0, max(x0, x1 - 1), max(y0, y1 - 1))


def _outside(box: Box, size: Size) -> Box:
    """A box around another, for a line that hides nothing of what is inside."""
    right, bottom = min(box.x1 + LINE, size[0] - 1), min(box.y1 + LINE, size[1] - 1)
    return Box(max(0, box.x0 - LINE), max(0, box.y0 - LINE), right, bottom)


def _badge_place(box: Box, taken: list[Box], size: Size) -> Box:
    """Beside a window where that hides nothing, else above it."""
    x0, y0, x1, y1 = box
    up, down, before = y0 - BADGE - 1, y1 + 1, x1 - BADGE
    corners = [
        (x0, up), (x0, down), (x0 - BADGE - 1, y0), (x1 + 1, y0), (before, up), (before, down),
    ]  # fmt: skip
    if place := panels.free_place(corners, (BADGE, BADGE), taken, size):
        return place
    x, y = max(0, min(x0, size[0] - BADGE)), max(0, min(y0 - BADGE, size[1] - BADGE))
    return Box(x, y, x + BADGE, y + BADGE)


# ---- what is sent --------------------------------------------------------------------------------


class Sent(NamedTuple):
    """A picture as it is sent, and its label: what it costs, and its size against the original."""

    picture: Any
    label: Any
    colour: panels.Colour

    def size(self, zoom: float) -> Size:
        """Width and height of what is drawn."""
        wide, high = (max(1, round(side * zoom)) + 6 for side in self.picture.size)
        return max(self.label.width, wide), self.label.height + 2 + high

    def draw(self, zoom: float) -> Any:
        """The picture, enlarged, below its label."""
        size = [max(1, round(side * zoom)) for side in self.picture.size]
        large = self.picture.resize(size, Image.Resampling.BICUBIC)
        return panels.stacked([self.label, panels.framed(large, self.colour, 3)], 2)


def _sent(views: Sequence[View], pictures: Mapping[View, Any]) -> list[Sent]:
    """The pictures of a plan with their labels, the whole one first."""
    windows = [view for view in views if view.name != "whole"]
    sent = [
        Sent(pictures[view], label(view), panels.FAINT) for view in views if view.name == "whole"
    ]
    for number, (view, colour) in enumerate(zip(windows, cycle(COLOURS), strict=False), 1):
        sent.append(Sent(pictures[view], label(view, str(number), colour), colour))
    return sent


def label(view: View, number: str = "", colour: panels.Colour = panels.FAINT) -> Any:
    """What a picture costs, and its size against the original."""
    font, side = panels.typeface(SMALL), SMALL + 6
    tokens = f"{view.tokens} token{'s' * (view.tokens != 1)}"
    shown = "text" if view.is_text else f"{tokens}, {100 * min(1.0, view.scale):.0f} %"
    beside = ", and its text" if view.text and not view.is_text else ""
    text = f"{'' if number else 'whole: '}{shown}{beside}"
    indent = side + 6 if number else 0
    size = (indent + round(font.getlength(text)) + 2, side + 2)
    block = Image.new("RGB", size, panels.PAPER)
    if number:
        panels.badge(block, (0, 0), number, colour, side)
    middle = (indent, side / 2)
    ImageDraw.Draw(block).text(middle, text, panels.INK, font, anchor="lm")
    return block


def _both(variants: Sequence[Variant], pictures: Mapping[View, Any], width: int) -> Any:
    """What is sent, and the same budget resized, at one scale and next to each other."""
    sent = [_sent(variant.views, pictures) for variant in variants]
    edge, ours = 24 + panels.GAP // 4, round(width * SPLIT)
    widths = (ours - edge, width - ours - edge)
    zoom = min(map(_zoom, sent, widths))
    boards = [
        _board(pictures_sent, side, zoom) for pictures_sent, side in zip(sent, widths, strict=True)
    ]
    blocks = list[Any]()
    for variant, board in zip(variants, boards, strict=True):
        tokens = sum(view.tokens for view in variant.views)
        text = f"{variant.name}: {tokens} token{'s' * (tokens != 1)}"
        title = panels.written(text, board.width + 24, panels.TITLE, variant.colour, max_lines=1)
        known = "not known" if variant.value is None else f"{variant.value:.2f}"
        estimate = panels.written(
            f"estimate: {known}", board.width + 24, 22, variant.colour, max_lines=1
        )
        frame = panels.framed(board, variant.colour, 3, 9)
        blocks.append(panels.stacked([panels.stacked([title, estimate], 0), frame]))
    both = panels.beside(blocks, panels.GAP // 2)
    text = f"As sent, drawn {zoom:.1f} times as large. Percentages: size against the original."
    return panels.stacked([both, panels.written(text, width, SMALL)])


def as_sent(whole: Any, view: View) -> Any:
    """A view as it is sent: a picture, or a block of text."""
    if not view.is_text:
        return render(whole, view)
    return panels.written(view.text, TEXT_WIDE, SMALL, panels.INK, max_lines=12)


def board(views: Views, width: int) -> Any:
    """The pictures as they are sent, with their labels, as large as fit."""
    whole = views.picture.image()
    sent = _sent(views.planned, {view: as_sent(whole, view) for view in views.planned})
    return _board(sent, width, _zoom(sent, width))


def _zoom(pictures: Sequence[Sent], width: int) -> float:
    """How far the pictures can be enlarged."""
    zoom = ZOOM
    while zoom > 0.05:
        sizes = [picture.size(zoom) for picture in pictures]
        if max(wide for wide, _ in sizes) <= width and _shelves(sizes, width)[1] <= SENT:
            break
        zoom *= 0.95
    return zoom


def _shelves(sizes: Sequence[Size], width: int) -> tuple[list[Size], int]:
    """Corners x y of blocks side by side on shelves, and the height of all shelves."""
    x = y = high = 0
    corners = list[Size]()
    for wide, tall in sizes:
        if x and x + wide > width:
            x, y, high = 0, y + high + APART, 0
        corners.append((x, y))
        x, high = x + wide + APART, max(high, tall)
    return corners, y + high


def _board(pictures: Sequence[Sent], width: int, zoom: float) -> Any:
    corners, high = _shelves([picture.size(zoom) for picture in pictures], width)
    board = Image.new("RGB", (width, high), panels.PAPER)
    for picture, corner in zip(pictures, corners, strict=True):
        board.paste(picture.draw(zoom), corner)
    return board


def resized(views: Views) -> View:
    """The whole picture for the same budget."""
    high, wide = views.picture.size
    bill = resize((high, wide), views.rule, views.limit)
    return View("whole", Box(0, 0, wide, high), bill.plan.whole or (high, wide), bill.tokens)


# ---- magnified -----------------------------------------------------------------------------------


class LikelyPlace(NamedTuple):
    """A likely place that a view shows."""

    view: View
    box: Box
    chance: float
    """How likely its likeliest cell is, against the likeliest of the picture."""


def likeliest(views: Views) -> list[LikelyPlace]:
    """What to magnify: likely places in windows, the best first; none if no place is known.

    The likeliest place that is legible in a window, and another one. Each is as wide as a few words
    of the print there, or as a thing, and never beyond its window.
    """
    sight, (high, wide) = views.sight, views.picture.size
    if not sight.sure:
        return []
    rows, cols = sight.logit.shape
    grid = (rows, cols)
    chance = probabilities(sight.logit)
    peak, size, cell = float(chance.max()), _heights(views, grid), (wide / cols, high / rows)
    things = np.zeros(grid)
    if sight.thing is not None:
        things = resize_map(sight.thing.astype(np.float32, copy=False), grid)
    windows = [view for view in views.planned if view.name != "whole"] or views.planned
    spots = list[LikelyPlace]()
    while len(spots) < SPOTS:
        view = max(windows, key=lambda window: _worth(window, views, chance, size, cell))
        inside = chance * _cells(view.box, grid, cell)
        best = float(inside.max())
        if spots and best < LIKELY * peak:
            break
        likely = np.argwhere(inside >= 0.9 * best)  # a thing has many cells equally likely
        away = (likely - likely.mean(0, dtype=np.float32)) ** 2
        row, col = likely[away.sum(1).argmin()].tolist()
        middle = ((col + 0.5) * cell[0], (row + 0.5) * cell[1])
        box = _around(view.box, middle, float(size[row, col]), bool(things[row, col] > 0.5))
        spots.append(LikelyPlace(view, box, best / peak))
        x0, y0, x1, y1 = box
        near = Box(x0 - box.width, y0 - box.height, x1 + box.width, y1 + box.height)
        chance = np.where(_cells(near, grid, cell), 0.0, chance)
    return spots


def doubtful(views: Views) -> bool:
    """Whether what is magnified may well not be the answer, however sharp it is."""
    return views.guess or (views.value or 0.0) < DOUBT


GUESS = "a guess, and perhaps not the answer: "
MISSED = "The likeliest place of the picture is in no window. More tokens may show it."


def missed(spots: Sequence[LikelyPlace]) -> bool:
    """Whether there are windows, and the likeliest place is in none."""
    windows = [spot.chance for spot in spots if spot.view.name != "whole"]
    return bool(windows) and max(windows) < 0.5


def _worth(view: View, views: Views, chance: Map, size: Map, cell: tuple[float, float]) -> float:
    """Probability that the answer is at the best place of a view, and large enough there."""
    scale = 1.0 if view.is_text else min(1.0, view.scale)
    legible = views.acuity.read(np.log2(size * scale))
    rows, cols = chance.shape
    return float((chance * legible * _cells(view.box, (rows, cols), cell)).max())


def _heights(views: Views, grid: Size) -> Map:
    """Height in pixels of what may stand in each cell."""
    size = views.sight.size
    if isinstance(size, np.ndarray):
        return resize_map(size.astype(np.float32, copy=False), grid).clip(1.0)
    return np.full(grid, max(1.0, float(size or max(views.picture.size) / 64)), np.float32)


def _cells(box: Box, grid: Size, cell: tuple[float, float]) -> Bool[np.ndarray, "rows cols"]:
    """Which cells have their middle in a box."""
    y = (np.arange(grid[0], dtype=np.float32)[:, None] + 0.5) * cell[1]
    x = (np.arange(grid[1], dtype=np.float32) + 0.5) * cell[0]
    return (x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3])


def _around(window: Box, middle: tuple[float, float], size: float, thing: bool) -> Box:
    """A box around a point, within a window."""
    x0, y0, x1, y1 = window
    shape = 500 / GLASS  # as the glass, where there is room
    down = min((2 if thing else 2.4) * size, y1 - y0)
    across = min(max(down * shape, (2 if thing else 8) * size), x1 - x0)
    down = min(max(down, across / shape), y1 - y0)
    x = min(max(x0, middle[0] - across / 2), x1 - across)
    y = min(max(y0, middle[1] - down / 2), y1 - down)
    left, top = round(x), round(y)
    return Box(left, top, max(left + 1, round(x + across)), max(top + 1, round(y + down)))


def _close(
    variants: Sequence[Variant],
    pictures: Mapping[View, Any],
    spots: Sequence[LikelyPlace],
    width: int,
    doubt: bool,
) -> Any:
    """Likely places magnified, as they are sent and as the same budget resized shows them."""
    if not spots:
        text = "Nothing is magnified: the scout does not know where to look."
        return panels.written(text, width, 22, panels.FAINT)
    windows, several = spots[0].view.name != "whole", len(spots) > 1
    where = "in windows" if several else "in a window" if windows else "(not in a window)"
    title = f"the likeliest place{'s' * several} {where}, magnified"
    title = f"{GUESS}{title}" if doubt else title
    wide = (width - panels.GAP // 2) // SPOTS if several else width
    rows = [panels.written(title, width, panels.TITLE, panels.INK, max_lines=2)]
    for variant in variants:
        blocks = list[Any]()
        for spot in spots:
            view = spot.view if spot.view in variant.views else variant.views[0]
            text = variant.name if view.name == "whole" else f"{variant.name}, {view.name}"
            part = panels.framed(
                _magnified(pictures[view], view, spot.box, wide - 8), variant.colour, 4
            )
            head = panels.written(text, wide, 22, variant.colour, max_lines=1)
            blocks.append(panels.stacked([head, part], 4))
        rows.append(panels.beside(blocks, panels.GAP // 2))
    if missed(spots):
        rows.append(panels.written(MISSED, width, 22, panels.FAINT))
    return panels.stacked(rows, 8)


def _magnified(picture: Any, view: View, spot: Box, width: int) -> Any:
    """A part of the original as a view shows it; text as a whole."""
    if view.is_text:
        return panels.written(view.text, width, 22, panels.INK, max_lines=8)
    (x0, y0, x1, y1), (high, wide) = view.box, view.size
    across, down = wide / (x1 - x0), high / (y1 - y0)
    part = (
        (spot[0] - x0) * across, (spot[1] - y0) * down,
        (spot[2] - x0) * across, (spot[3] - y0) * down,
    )  # fmt: skip
    times = min(width / (spot[2] - spot[0]), GLASS / (spot[3] - spot[1]))
    size = [max(1, round(side * times)) for side in (spot[2] - spot[0], spot[3] - spot[1])]
    return picture.resize(size, Image.Resampling.BICUBIC, box=part)


# ---- parts that others draw with -----------------------------------------------------------------


def facts(views: Views) -> list[str]:
    """Short lines: what is sent and costs, what was found, what to expect of it."""
    matches = views.outlook.matches() if views.sight.sure else ""
    sentences = [_spent(views), matches, *_promised(views)]
    return [sentence for sentence in sentences if sentence]


def _spent(views: Views) -> str:
    """What is sent and costs."""
    count = len(views) - 1
    windows = f" and {count} window{'s' * (count > 1)}" if count else ""
    lines = f" and {views.label_tokens} for their labels" if views.label_tokens else ""
    passages = f" and {views.text_tokens} for their text" if views.text_tokens else ""
    cost = f"{views.tokens} of {views.limit} {views.rule.token}{lines}{passages}"
    return f"The whole picture{windows}: {cost}, untouched {views.untouched:,}."


def _promised(views: Views) -> list[str]:
    """What to expect of them."""
    return [f"{views.message}{_gain(views)}", *[MISSED] * missed(likeliest(views))]


def _gain(views: Views) -> str:
    """What windows gain over resizing, where that can be told."""
    ours, other = views.value, views.resize_value
    if ours is None or other is None:
        return ""
    if len(views) == 1:
        untouched = views[0].size == views.picture.size
        return "" if untouched else " Windows would not show more, so the picture is resized."
    little = ", so windows gain little here" if ours < other + LITTLE else ""
    return f" Resized to the same budget: {other:.2f}{little}."


def compose(whole: Any, views: Any, shown: Size, scale: float) -> Any:
    """Each view as it is sent, enlarged to its place; sharp ones over dull ones."""
    canvas = Image.new("RGB", shown, (200, 200, 200))
    for view in sorted(views, key=lambda view: view.scale):
        x0, y0, x1, y1 = (round(side * scale) for side in view.box)
        part = render(whole, view).resize(
            (max(1, x1 - x0), max(1, y1 - y0)), Image.Resampling.BICUBIC
        )
        canvas.paste(part, (x0, y0))
    return canvas
