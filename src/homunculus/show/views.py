"""Draw views: where they stand on the picture, what they show, and the same budget by resizing."""

from typing import Any

from einops import rearrange

from homunculus.image import Picture
from homunculus.planner import View, Views, render
from homunculus.planner.bill import resize
from homunculus.planner.counting import Size
from homunculus.show import panels

COLOURS = panels.LEVELS
"""One for each window."""


def draw_views(views: Views) -> Any:
    """Four panels as a Pillow image: picture and windows, relevance, what is shown, resized."""
    size = views.picture.size
    rows, cols, scale = panels.arrangement(size)
    shown = (max(1, round(size[1] * scale)), max(1, round(size[0] * scale)))  # width, height
    whole = to_pillow(views.picture)
    picture = whole.resize(shown, panels.pil().Resampling.LANCZOS)
    width = max(shown[0], panels.NARROWEST)
    small = resized(views)
    token = views.rule.token
    cell = shown[0] / views.sight.logit.shape[1]
    parts = [
        (
            "views",
            outline(picture, views, scale),
            panels.written(views.question or "(no question)", width, panels.TEXT, panels.INK, 4),
        ),
        (
            f"relevance: {views.sight.origin}",
            panels.heated(picture, views.sight.logit, cell),
            panels.bar(width),
        ),
        (
            "what the views show",
            compose(whole, views.views, shown, scale),
            panels.written(f"{views.tokens} {token}", width),
        ),
        (
            "the whole picture, resized",
            compose(whole, [small], shown, scale),
            panels.written(f"{small.tokens} {token}", width),
        ),
    ]
    return panels.sheet(parts, rows, cols, width, caption(views))


def to_pillow(picture: Picture) -> Any:
    """The pixels as a Pillow image."""
    return panels.pil().fromarray(rearrange(picture.pixels, "c h w -> h w c").contiguous().numpy())


def caption(views: Views) -> str:
    """One line of facts."""
    untouched = views.rule.count(views.picture.original)
    many = len(views) - 1
    what = "the whole picture" if not many else f"the whole picture and {many} windows"
    if many == 1:
        what = what.removesuffix("s")
    facts = (
        f"{what}: {views.tokens} of {views.limit} {views.rule.token}, untouched {untouched}; "
        f"relevance: {views.sight.origin}."
    )
    if not views.sight.sure:
        return f"{facts} The scout does not know where to look: whole picture."
    reader = f"a reader of {views.acuity.middle:g} px ({views.acuity.name})"
    guess = views.sight.matches and not views.sight.found
    told = "No word of the question was found, so this is a guess: the" if guess else "The"
    return f"{facts} {told} answer can be read with probability {views.value:.2f}, by {reader}."


def resized(views: Views) -> View:
    """The whole picture for the same budget."""
    high, wide = views.picture.size
    bill = resize((high, wide), views.rule, views.limit)
    return View("whole", (0, 0, wide, high), bill.plan.whole or (high, wide), bill.tokens)


def outline(picture: Any, views: Views, scale: float) -> Any:
    """Windows on a pale picture, each with its scale and its price."""
    panel = panels.washed(picture, 0.35)
    pen = panels.draw(panel)
    for at, view in enumerate(view for view in views if view.name != "whole"):
        colour = COLOURS[at % len(COLOURS)]
        x0, y0, x1, y1 = (round(side * scale) for side in view.box)
        pen.rectangle((x0, y0, x1 - 1, y1 - 1), outline=colour, width=3)
        text = f"x{view.scale:.2g}, {view.tokens}"
        font = panels.typeface(14)
        left, top, right, bottom = pen.textbbox((x0, y0), text, font=font)
        up = y0 - (bottom - top) - 6 if y0 > bottom - top + 8 else y1
        pen.rectangle((x0, up, x0 + right - left + 8, up + bottom - top + 6), fill=colour)
        pen.text((x0 + 4, up + 3 - (top - y0)), text, font=font, fill=(255, 255, 255))
    return panel


def compose(whole: Any, views: Any, shown: Size, scale: float) -> Any:
    """Each view as it is sent, enlarged to its place; sharp ones over dull ones."""
    canvas = panels.pil().new("RGB", shown, (200, 200, 200))
    for view in sorted(views, key=lambda one: one.scale):
        x0, y0, x1, y1 = (round(side * scale) for side in view.box)
        part = render(whole, view).resize(
            (max(1, x1 - x0), max(1, y1 - y0)), panels.pil().Resampling.BICUBIC
        )
        canvas.paste(part, (x0, y0))
    return canvas
