# pyright: basic
"""What the verb `train` does between the command line and the training."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from homunculus.flags import count
from homunculus.lab.train import fonts, language
from homunculus.lab.train.defaults import CROPS, PAGES, SPREAD_STEPS, STEPS

FEW_FONTS = 20
Box = tuple[float, float, float, float]


def flags(train: argparse.ArgumentParser) -> None:
    """What the verb takes."""
    train.description = "Pages to learn from are printed with the fonts and words of this machine."
    add, threads = train.add_argument, 1 if (os.cpu_count() or 1) < 3 else 2
    add("what", choices=["word-scout"], help="word-scout: finds printed words")
    add("--out", type=Path, required=True, help="output folder; a run in it is resumed")
    steps = f"training steps of the word net, {CROPS} crops each (%(default)s)"
    add("--steps", type=count, default=STEPS, help=steps)
    add("--pages", type=count, default=PAGES, help="pages rendered for the spread (%(default)s)")
    told = "training steps of the spread on those pages (%(default)s)"
    add("--spread-steps", type=count, default=SPREAD_STEPS, help=told)
    add("--workers", type=count, default=1, help="processes that render pages (%(default)s)")
    add("--threads", type=count, default=threads, help="threads of the net (%(default)s here)")
    add("--photos", type=Path, metavar="DIR", help="folder of photos to print on")
    add("--suite", metavar="DIR", help="also learn from real pages: a suite with a part `train`")


def trained(
    arguments: argparse.Namespace, real: Sequence[tuple[Path, str, tuple[Box, ...]]] = ()
) -> Path:
    """Train as asked; the folder. ``real`` are pages with a question and its answer's boxes."""
    from homunculus.lab.train import scout

    if arguments.photos and not arguments.photos.is_dir():
        raise ValueError(f"no folder {arguments.photos} to take photos from. Name one, or none.")
    return scout.train(
        arguments.out,
        [scout.Real(*one) for one in real],
        arguments.pages,
        arguments.spread_steps,
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
