# pyright: basic
"""What the verb `train` does between the command line and the training."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from homunculus.learn import fonts, language, scout
from homunculus.learn.scout import PAGES, SPREAD_STEPS, Box, Real

FEW_FONTS = 20


def trained(
    arguments: argparse.Namespace, real: Sequence[tuple[Path, str, tuple[Box, ...]]] = ()
) -> Path:
    """Train as asked; the folder. ``real`` are pages with a question and its answer's boxes."""
    if arguments.photos and not arguments.photos.is_dir():
        raise ValueError(f"no folder {arguments.photos} to take photos from. Name one, or none.")
    return scout.train(
        arguments.out,
        [Real(*one) for one in real],
        arguments.pages or PAGES,
        arguments.spread_steps or SPREAD_STEPS,
        **{name: getattr(arguments, name) for name in ("steps", "workers", "threads", "photos")},
    )


def supplies() -> list[str]:
    """What this machine prints with; then, if that is little, a warning and its cure."""
    files = [path for family in fonts.find().families for path in family if path]
    words = len(language.dictionary())
    told = [f"printing with {len(files)} fonts and {words} words of this machine"]
    if len(files) < FEW_FONTS:
        told.append(
            f"warning: only {len(files)} fonts, so the scout will read little else. "
            "Install more, such as fonts-liberation, fonts-dejavu and fonts-urw-base35."
        )
    if words <= len(language.COMMON):
        told.append(f"warning: only {words} words. Install a list, such as wamerican.")
    return told
