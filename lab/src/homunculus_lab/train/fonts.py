"""Fonts of this machine that training pages are printed with, by use."""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from homunculus.eyes.fonts import load, plain, usable

__all__ = ["Fonts", "find", "load"]

TYPEWRITER = (
    "mono", "courier", "cursor", "typewriter", "hack", "firacode", "ocr", "code", "cousine",
)  # fmt: skip


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
    families = defaultdict[tuple[str, str], list[str]](list)
    for path in usable():
        families[str(Path(path).parent), Path(path).name.split("-")[0][:8]].append(path)
    return Fonts(
        plain=tuple(plain()),
        typewriter=tuple(
            path for path in usable() if any(word in Path(path).name.lower() for word in TYPEWRITER)
        ),
        families=tuple(tuple(files) for _, files in sorted(families.items())) or (("",),),
    )
