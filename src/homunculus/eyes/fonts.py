"""Fonts of this machine that can print Latin text."""

from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from PIL import ImageFont

FOLDERS = ("/usr/share/fonts", "/usr/share/texmf/fonts", "/usr/local/share/fonts")
PLAIN = (
    "liberation", "dejavu", "freefont", "urw-base35", "tex-gyre", "croscore", "roboto", "carlito",
)  # fmt: skip
UNSUITABLE = (  # symbols, other scripts, and styles no document is printed in
    "symbol", "emoji", "math", "dingbat", "d050000", "braille", "icons", "initials", "cmex", "cmsy",
    "keyboard", "swash", "conakry", "georgian", "telugu", "nastaliq", "evertype", "z003", "d05",
)  # fmt: skip
LATIN_NOTO = ("notosans-", "notoserif-", "notosansmono-", "notosansdisplay-", "notoserifdisplay-")


@lru_cache(maxsize=1)
def usable() -> tuple[str, ...]:
    """The files of all fonts that can print Latin text."""
    paths = (path for folder in FOLDERS for path in _files(folder))
    return tuple(sorted(path for path in paths if _prints_latin(path)))


def plain() -> list[str]:
    """Those that documents are printed in."""
    return [path for path in usable() if any(word in path.lower() for word in PLAIN)]


def _files(folder: str) -> list[str]:
    return [str(path) for path in Path(folder).rglob("*") if path.suffix in {".ttf", ".otf"}]


def _prints_latin(path: str) -> bool:
    """Prints distinct Latin letters and digits, and reads from left to right."""
    name = Path(path).name.lower()
    if "noto" in name and not name.startswith(LATIN_NOTO):
        return False
    if any(word in path.lower() for word in UNSUITABLE):
        return False
    try:
        font = load(path, 20)
        shapes = {bytes(cast(Any, font.getmask(letter))) for letter in "aegnt37HR"}
        return len(shapes) == 9 and font.getlength("abcdefg") > 30
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=1024)
def load(path: str, size: int) -> ImageFont.FreeTypeFont:
    """A font at a size; the basic layout places letters by their advance, as labels assume."""
    if not path:
        return cast(ImageFont.FreeTypeFont, ImageFont.load_default(size))
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
