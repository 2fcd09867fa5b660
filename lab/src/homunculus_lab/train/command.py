# pyright: basic
"""The command `homunculus train`."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from homunculus.eyes.words import COMMON
from homunculus.flags import count
from homunculus_lab.train import fonts, language
from homunculus_lab.train.defaults import CROPS, PAGES, SPREAD_STEPS, STEPS

FEW_FONTS = 20
Box = tuple[float, float, float, float]


def flags(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.description = "Training pages are rendered with the fonts and words of this machine."
    add, threads = parser.add_argument, 1 if (os.cpu_count() or 1) < 3 else 2
    what = (
        "word-scout: finds printed words; for a trained one, height: how large print is; reading: "
        "ranks the words of pages that were read"
    )
    add("what", choices=["word-scout", "height", "reading"], help=what)
    text = "output folder; word-scout resumes the run in it, height takes the word scout in it"
    add("--out", type=Path, required=True, help=f"{text} or, if it has none, the shipped one")
    steps = f"training steps of the word net, {CROPS} crops each (%(default)s)"
    add("--steps", type=count, default=STEPS, help=steps)
    add("--pages", type=count, default=PAGES, help="pages rendered for questions (%(default)s)")
    spread_steps = "training steps of the spread on those pages (%(default)s)"
    add("--spread-steps", type=count, default=SPREAD_STEPS, help=spread_steps)
    add("--workers", type=count, default=1, help="processes that render pages (%(default)s)")
    add("--threads", type=count, default=threads, help="threads of the net (%(default)s here)")
    add("--photos", type=Path, metavar="DIR", help="folder of photos to use as backgrounds")
    about = "also train on real pages: suites, of which the part `train` is used if there is one"
    add("--suite", nargs="+", default=[], metavar="DIR", help=about)
    add("--cache", type=Path, metavar="DIR", help="reading: folder that keeps what the OCR read")


def train(
    arguments: argparse.Namespace, real: Sequence[tuple[Path, str, tuple[Box, ...]]] = ()
) -> Path:
    """Train, and return where to. ``real`` are pages with a question and its answer's boxes."""
    from homunculus_lab.train import height, reading, scout

    if arguments.photos and not arguments.photos.is_dir():
        raise ValueError(f"--photos: there is no folder {arguments.photos}.")
    if arguments.what == "height":
        options = ("workers", "threads", "photos")
        return height.train(
            arguments.out, **{option: getattr(arguments, option) for option in options}
        )
    if arguments.what == "reading":
        questions = [reading.RealQuestion(*entry) for entry in real]
        return reading.train(arguments.out, questions, arguments.pages, cache=arguments.cache)
    return scout.train(
        arguments.out,
        [scout.RealQuestion(*entry) for entry in real],
        arguments.pages,
        arguments.spread_steps,
        **{name: getattr(arguments, name) for name in ("steps", "workers", "threads", "photos")},
    )


def describe_resources() -> list[str]:
    """The fonts and words of this machine; then a warning and its cure if there are few."""
    files = [path for family in fonts.find().families for path in family if path]
    words = len(language.dictionary())
    lines = [f"printing with {len(files)} fonts and {words} words of this machine"]
    if len(files) < FEW_FONTS:
        lines.append(
            f"warning: only {len(files)} fonts, so the scout will read little else. "
            "Install more, such as fonts-liberation, fonts-dejavu and fonts-urw-base35."
        )
    if words <= len(COMMON):
        lines.append(f"warning: only {words} words. Install a list, such as wamerican.")
    return lines
