"""Fonts of this machine that can print Latin text: plain ones, typewriters, all families."""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, cast

from PIL import ImageFont

FOLDERS = ("/usr/share/fonts", "/usr/share/texmf/fonts", "/usr/local/share/fonts")
PLAIN = (
    "liberation", "dejavu", "freefont", "urw-base35", "tex-gyre", "croscore", "roboto", "carlito",
)  # fmt: skip
TYPEWRITER = (
    "mono", "courier", "cursor", "typewriter", "hack", "firacode", "ocr", "code", "cousine",
)  # fmt: skip
UNSUITABLE = (  # symbols, other scripts, and styles no document is printed in
    "symbol", "emoji", "math", "dingbat", "d050000", "braille", "icons", "initials", "cmex", "cmsy",
    "keyboard", "swash", "conakry", "georgian", "telugu", "nastaliq", "evertype", "z003", "d05",
)  # fmt: skip
LATIN_NOTO = ("notosans-", "notoserif-", "notosansmono-", "notosansdisplay-", "notoserifdisplay-")


@dataclass(frozen=True)
class Fonts:
    """Font files by use; a family is drawn before one of its files."""

    plain: tuple[str, ...]
    typewriter: tuple[str, ...]
    families: tuple[tuple[str, ...], ...]

    def choose(self, rng: Random, typewriter: float = 0.15) -> str:
        """A font file: plain fonts most often, as in documents, but any family at times."""
        chance = rng.random()
        if chance < typewriter and self.typewriter:
            return rng.choice(self.typewriter)
        if chance < 0.6 and self.plain:
            return rng.choice(self.plain)
        return rng.choice(rng.choice(self.families))


@lru_cache(maxsize=1)
def find() -> Fonts:
    """All usable fonts; Pillow's own one where the machine has none."""
    paths = sorted(path for folder in FOLDERS for path in _files(folder) if _usable(path))
    families = defaultdict[tuple[str, str], list[str]](list)
    for path in paths:
        families[str(Path(path).parent), Path(path).name.split("-")[0][:8]].append(path)
    return Fonts(
        plain=tuple(path for path in paths if any(word in path.lower() for word in PLAIN)),
        typewriter=tuple(
            path for path in paths if any(word in Path(path).name.lower() for word in TYPEWRITER)
        ),
        families=tuple(tuple(files) for _, files in sorted(families.items())) or (("",),),
    )


def _files(folder: str) -> list[str]:
    return [str(path) for path in Path(folder).rglob("*") if path.suffix in {".ttf", ".otf"}]


def _usable(path: str) -> bool:
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
