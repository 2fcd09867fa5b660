"""A page of the suite "natural": its HTML, its size, and what a scanner or a camera does to it.

Also a few helpers that write HTML in which every piece of text has an id.
"""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Page:
    """A picture to be rendered.

    name: kind and number, such as "invoice-3"; the stored file is called so. html: a whole
    document or its body with style elements. skew: degrees, counter-clockwise. noise: standard
    deviation in grey levels of 255. blur: radius in pixels. jpeg: quality, None for PNG with a
    palette of so many `colours`.
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
