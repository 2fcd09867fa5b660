"""Draw views of a document: a contact sheet of the pages that are shown, and what is sent."""

from itertools import cycle
from typing import Any

from PIL import Image

from homunculus.show import panels
from homunculus.show.views import COLOURS, as_sent, label, outline
from homunculus.views import DocumentViews, PageViews, Views

WIDE = 1600
"""Pixels of the drawing."""
COLUMNS = 4
"""Pages beside each other at most."""
TALL = 520
"""Height of a page at most."""
SENT_TALL = 260
"""Height of a picture that is sent, at most: it is drawn smaller if it is higher."""
ZOOM = 2.0
"""How far it is enlarged at most."""


def draw_document(views: DocumentViews) -> Any:
    """A Pillow image: each page that is shown, with its windows, and below it what is sent."""
    inner = WIDE - 2 * panels.MARGIN
    question = f"“{views.question}”" if views.question else "(no question)"
    heading = panels.written(question, inner, panels.HEADING, panels.INK, max_lines=2)
    sentences = [panels.written(line, inner, 24, panels.INK, max_lines=3) for line in facts(views)]
    rows = list[Any]()
    columns = max(1, min(COLUMNS, len(views.pages)))
    width = (inner - (columns - 1) * panels.GAP) // columns
    blocks = [_page(page, width) for page in sorted(views.pages, key=_likeliest)]
    for start in range(0, len(blocks), columns):
        rows.append(panels.beside(blocks[start : start + columns], panels.GAP))
    page = panels.stacked([heading, panels.stacked(sentences, 4), *rows], panels.GAP // 2)
    return panels.framed(page, panels.PAPER, 0, panels.MARGIN)


def facts(views: DocumentViews) -> list[str]:
    """What a reader of a terminal is told: the cost, and what to expect."""
    lines = f" and {views.label_tokens} for their lines" if views.label_tokens else ""
    lines += f" and {views.text_tokens} for their text" if views.text_tokens else ""
    spent = f"{views.tokens}{lines} of {views.limit} {views.rule.token}"
    whole = f"all {len(views.document)} pages would cost {views.untouched:,}"
    found = [page.views.outlook.matches() for page in views.pages[:1]]
    return [f"{spent}; {whole}.", views.message, *found]


def _likeliest(page: PageViews) -> float:
    return -page.probability


def _page(page: PageViews, width: int) -> Any:
    """A page with its windows, and what is sent of it."""
    seen = page.views
    whole = seen.picture.image()
    scale = min(width / whole.width, TALL / whole.height)
    size = (max(1, round(whole.width * scale)), max(1, round(whole.height * scale)))
    thumbnail = outline(whole.resize(size, Image.Resampling.LANCZOS), seen, scale)
    title = f"page {page.number}, probability {page.probability:.2f}"
    blocks = [panels.written(title, width, 24, panels.INK, max_lines=1), panels.framed(thumbnail)]
    return panels.stacked([*blocks, *_sent(seen, width)], 10)


def _sent(seen: Views, width: int) -> list[Any]:
    """What is sent of a page, each picture below its label."""
    blocks, colours, number = list[Any](), cycle(COLOURS), 0
    whole = seen.picture.image()
    for view, planned in zip(seen.views, seen.planned, strict=True):
        image = as_sent(whole, planned)
        zoom = min(ZOOM, (width - 6) / image.width, SENT_TALL / image.height)
        size = (max(1, round(image.width * zoom)), max(1, round(image.height * zoom)))
        if view.name == "whole":
            colour, text = panels.FAINT, label(view)
        else:
            number, colour = number + 1, next(colours)
            text = label(view, str(number), colour)
        drawn = panels.framed(image.resize(size, Image.Resampling.BICUBIC), colour, 3)
        blocks.append(panels.stacked([text, drawn], 2))
    return blocks
