"""Draws what a choice rests on: what was read and found on a page, and what was ranked first."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from homunculus.box import Box
from homunculus.pages import Picture
from homunculus.scouts.sight import Sight
from homunculus.show import panels
from homunculus.show.why import Candidate, listed, missing, read_facts, read_line, short

ANSWER = (176, 0, 112)
"""The colour of likely answers; no window, no heat and no found word wears it."""
READ = (40, 120, 220, 40)
"""The colour that is laid on what was read, and how thickly, of 255."""
SIZE = 22
"""Height of a line of the legend in pixels."""


def read(panel: Any, picture: Picture) -> Any:
    """A copy with a faint tint on each line that was read."""
    cover = Image.new("RGBA", panel.size)
    for box in _lines(panel, picture):
        ImageDraw.Draw(cover).rectangle(box, fill=READ)
    return Image.alpha_composite(panel.convert("RGBA"), cover).convert("RGB")


def _lines(panel: Any, picture: Picture) -> list[Box]:
    """The lines that were read, in pixels of a drawing."""
    if picture.lines is None:
        return []
    scale = np.array([panel.width / picture.size[1], panel.height / picture.size[0]] * 2)
    boxes = (picture.lines.line_boxes * scale).round().astype(int).tolist()
    return [Box(x0, y0, max(x0, x1), max(y0, y1)) for x0, y0, x1, y1 in boxes]


def mark(panel: Any, picture: Picture, sight: Sight, taken: Sequence[Box] = ()) -> Any:
    """A copy with named outlines around likely answers, and around what was found."""
    marks = [
        panels.Mark(candidate.label, candidate.box, ANSWER)
        for candidate in listed(sight, picture)
        if candidate.box
    ]
    marks += [panels.Mark(match.label, match.box) for match in sight.likely]
    return panels.marked(panel, marks, taken, _lines(panel, picture))


def legend(picture: Picture, sight: Sight, width: int) -> Any | None:
    """What the outlines say, and what was not found; None where there is nothing to say."""
    rows = list[Any]()
    if text := read_line(read_facts(picture)):
        row = panels.written(text, width, SIZE, panels.INK, max_lines=1)
        *colour, thick = READ
        rows.append(Image.blend(row, Image.new("RGB", row.size, tuple(colour)), thick / 255))
    for name, state in (("Found", "found"), ("Perhaps found", "perhaps")):
        names = dict.fromkeys(match.name for match in sight.matches if match.state == state)
        if names:
            text = f"{name}: {', '.join(names)}"
            rows.append(panels.written(text, width, SIZE, panels.FOUND, max_lines=2))
    if names := missing(sight):
        text = f"Not found: {', '.join(names)}"
        rows.append(panels.written(text, width, SIZE, panels.INK, max_lines=3))
    if answers := listed(sight, picture):
        rows.append(
            panels.written("Likely answers, if it stands here:", width, SIZE, ANSWER, max_lines=1)
        )
        rows += [_row(candidate, width) for candidate in answers]
    return panels.stacked(rows, 4) if rows else None


def _row(candidate: Candidate, width: int) -> Any:
    text = f"{candidate.name}  {short(candidate.text)} ({candidate.probability:.2f})"
    return panels.written(text, width, SIZE, ANSWER, max_lines=1)
