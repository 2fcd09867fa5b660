"""`homunculus demo`: a page and a budget, twice: resized, and as views; the answer magnified."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from homunculus.box import Box
from homunculus.show import panels
from homunculus.show.panels import Colour
from homunculus.show.views import OURS, RESIZED, Variant, compose, resized
from homunculus.views import Views, views

FOLDER = Path(__file__).with_name("pictures")
MODEL = "qwen3-vl"


@dataclass(frozen=True)
class Example:
    """A picture that comes with the package, and a question about it."""

    name: str
    question: str
    tokens: int
    spot: Box
    """What is magnified, with the answer in its middle: x0 y0 x1 y1 in pixels."""

    @property
    def path(self) -> Path:
        """The file of the picture."""
        return FOLDER / f"{self.name}.png"

    def views(self) -> Views:
        """The picture within the budget, by the word scout: there is only print on it."""
        return views(  # drawn and not sent, so there are no lines to pay
            self.path,
            self.question,
            page=1,
            tokens=self.tokens,
            model=MODEL,
            scout="words",
            label=False,
        )


EXAMPLES = (
    Example("page", "What is the value of ferritin?", 32, Box(575, 743, 735, 789)),
    Example("receipt", "How much are the coffee beans?", 16, Box(548, 569, 700, 613)),
)


def write_demo(example: Example, folder: Path) -> tuple[Path, Path, Views]:
    """Copy a picture into a folder and draw it there; both paths, and its views."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / example.path.name
    Image.open(example.path).convert("RGB").save(copy)  # the package's has a palette
    seen, drawing = example.views(), folder / f"{example.name}-{example.tokens}-tokens.png"
    draw_pair(seen, example.spot).save(drawing, compress_level=3)
    return copy, drawing, seen


# ---- the drawing ---------------------------------------------------------------------------------

WIDE, GAP, MARGIN = 760, 48, 40
"""Pixels of a side of the drawing, and around it."""
PAGE = (600, 776)
"""Width and height that the picture may take on its way."""
GLASS = 208
"""Height of the magnified part."""


def draw_pair(seen: Views, spot: Box) -> Any:
    """A picture resized and as views, side by side, each with ``spot`` magnified."""
    whole, rival = seen.picture.image(), resized(seen)
    variants = (
        Variant("resize", [rival], RESIZED, seen.resize_value),
        Variant("homunculus", seen.planned, OURS, seen.value),
    )
    width = 2 * WIDE + GAP
    head = panels.written(f"“{seen.question}”", width, 54, panels.INK, max_lines=2)
    cards = [_card(whole, variant, spot) for variant in variants]
    untouched = seen.rule.count(seen.picture.original)
    facts = (
        f"Both may spend {seen.limit} {seen.rule.token}; the untouched picture costs {untouched:,}."
        " Windows are sent as pictures of their own; here they are drawn in place."
    )
    foot = panels.written(facts, width, 30, panels.FAINT, max_lines=2)
    parts = [head, panels.beside(cards, GAP), foot]
    size = (width + 2 * MARGIN, sum(part.height for part in parts) + 2 * MARGIN + 36)
    sheet, y = Image.new("RGB", size, panels.PAPER), MARGIN
    for part in parts:
        sheet.paste(part, (MARGIN, y))
        y += part.height + 18
    return sheet


def _card(whole: Any, variant: Variant, spot: Box) -> Any:
    """A heading, the picture as it is shown, and the magnified part over it."""
    scale = min(PAGE[0] / whole.width, PAGE[1] / whole.height)
    shown = (round(whole.width * scale), round(whole.height * scale))
    card = Image.new("RGB", (WIDE, PAGE[1] + 92), (238, 240, 242))
    pen = ImageDraw.Draw(card)
    pen.rectangle((0, 0, WIDE, 70), fill=variant.colour)
    tokens = f"{sum(view.tokens for view in variant.views)} tokens"
    pen.text((24, 35), variant.name, panels.PAPER, panels.typeface(42), anchor="lm")
    pen.text((WIDE - 24, 35), tokens, panels.PAPER, panels.typeface(42), anchor="rm")
    x, y = (WIDE - shown[0]) // 2, 81
    card.paste(compose(whole, variant.views, shown, scale), (x, y))
    _glass(
        card, compose(whole, variant.views, whole.size, 1.0), spot, (x, y, scale), variant.colour
    )
    return card


def _glass(card: Any, seen: Any, spot: Box, place: tuple[int, int, float], colour: Colour) -> None:
    """The spot as if under a magnifying glass, above or below where it is, and lines to it."""
    left, top, scale = place
    x0, y0, x1, y1 = (round(side * scale) for side in spot)
    small = (left + x0, top + y0, left + x1, top + y1)
    times = min((WIDE - 40) / (spot[2] - spot[0]), GLASS / (spot[3] - spot[1]))
    size = (round((spot[2] - spot[0]) * times), round((spot[3] - spot[1]) * times))
    across = (WIDE - size[0]) // 2
    down = small[3] + 60 if small[3] + 80 + size[1] < card.height else small[1] - 60 - size[1]
    near, far = (small[3], down) if down > small[1] else (small[1], down + size[1])
    pen = ImageDraw.Draw(card)
    for start, end in ((small[0], across), (small[2], across + size[0])):
        pen.line((start, near, end, far), colour, 4)
    pen.rectangle((small[0] - 3, small[1] - 3, small[2] + 2, small[3] + 2), outline=colour, width=4)
    part = seen.crop(spot).resize(size, Image.Resampling.BICUBIC)
    card.paste(part, (across, down))
    pen.rectangle(
        (across - 6, down - 6, across + size[0] + 5, down + size[1] + 5), outline=colour, width=6
    )
