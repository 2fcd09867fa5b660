"""A page of the suite "natural": its HTML, its size, and what a scanner or a camera does to it.

Also a few helpers that write HTML in which every piece of text has an id.
"""

import re
from dataclasses import dataclass
from html import escape

MARK = re.compile(r"\[\[([\w.-]+)\|((?:(?!\[\[).)*?)\]\]", re.S)


@dataclass(frozen=True)
class Page:
    """A picture to be rendered.

    name: kind and number, such as "invoice-3"; the stored file is called so. html: a whole
    document or its body with style elements. skew: degrees, counter-clockwise. noise: standard
    deviation in grey levels of 255. blur: radius in pixels. jpeg: quality, of which 60 is used at
    most so that the suite stays small; None for PNG with a palette of `colours` at most.
    """

    name: str
    html: str
    width: int
    height: int
    language: str = "en"
    skew: float = 0.0
    noise: float = 0.0
    blur: float = 0.0
    jpeg: int | None = None
    colours: int = 32


def text(key: str, words: object, tag: str = "span", rest: str = "") -> str:
    """An element with an id; `rest` holds further attributes, words are escaped."""
    return f'<{tag} id="{key}" {rest}>{escape(str(words), quote=False)}</{tag}>'


def pair(key: str, label: str, value: object, tag: str = "div", rest: str = "") -> str:
    """A label and its value: ids KEY-label and KEY."""
    return f"<{tag} {rest}>{text(key + '-label', label)} {text(key, value)}</{tag}>"


def table(
    columns: list[tuple[str, str]],
    rows: list[list[object]],
    prefix: str = "r",
    rest: str = "",
    head: str = "h",
) -> str:
    """A table; columns are (key, title). Ids: h-KEY for headers, r3-KEY for cells, from 0.

    Every cell has the class c-KEY, for widths and alignment.
    """
    heads = "".join(
        text(f"{head}-{key}", title, "th", f'class="c-{key}"') for key, title in columns
    )
    lines = "".join(
        "<tr>"
        + "".join(
            text(f"{prefix}{number}-{key}", cell, "td", f'class="c-{key}"')
            for (key, _), cell in zip(columns, row, strict=True)
        )
        + "</tr>"
        for number, row in enumerate(rows)
    )
    return f"<table {rest}><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def cells(listing: str) -> list[list[str]]:
    """Rows of cells from lines with bars between the cells."""
    return [[cell.strip() for cell in line.split("|")] for line in listing.strip().splitlines()]


def fill(template: str, **parts: str) -> str:
    """HTML with @name@ replaced by its part, and [[id|words]] by a span with that id.

    Marks may stand in marks.
    """
    for name, part in parts.items():
        template = template.replace(f"@{name}@", part)
    while MARK.search(template):  # the innermost first
        template = MARK.sub(r'<span id="\1">\2</span>', template)
    return template


def money(value: float, language: str = "en") -> str:
    """An amount with two decimals, as the language writes it."""
    words = f"{value:,.2f}"
    if language in ("de", "es"):
        words = words.translate(str.maketrans(",.", ".,"))
    if language == "fr":
        words = words.translate(str.maketrans(",.", "\u202f,"))
    return words
