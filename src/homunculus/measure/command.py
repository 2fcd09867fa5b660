# pyright: basic
"""What the verb `measure` does between the command line and the bench."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import torch

from homunculus.extra import need
from homunculus.measure.read import Readings, reader
from homunculus.measure.report import text
from homunculus.measure.run import Config, measure
from homunculus.measure.spend import Map, Pixels, Scorer
from homunculus.measure.suite import part, read
from homunculus.scout.words import WEIGHTS, Way, WordScout, load


def measured(
    arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> tuple[dict[str, Any], Path]:
    """Run the bench as asked; the result and where it was written."""
    folder = suite_folder(arguments.suite)
    questions = part(read(folder), arguments.part)[: arguments.limit]
    out = arguments.out or _named(arguments, folder.name)
    if not out.parent.is_dir():
        raise ValueError(f"no folder {out.parent} to write {out.name} to. Make it, or use -o.")
    config = Config(
        task=arguments.task,
        tokens=tuple(arguments.tokens),
        methods=tuple(arguments.methods),
        reads=tuple(arguments.read),
        modes=tuple(arguments.rebuild),
        side=arguments.side,
        seed=arguments.seed,
    )
    scorers = {} if arguments.no_scout else scouts(arguments.scout, config.patch)
    reads = config.task == "legibility"
    with torch.inference_mode():
        eye = reader(arguments.reader, Readings(arguments.cache)) if reads else None
        result = measure(questions, config, eye, scorers, progress)
    result["part"] = arguments.part
    out.write_text(json.dumps(result, separators=(",", ":")) + "\n")
    return result, out


def _named(arguments: argparse.Namespace, suite: str) -> Path:
    folder = Path("results") if Path("results").is_dir() else Path()
    limit = f"-first{arguments.limit}" if arguments.limit else ""
    return folder / f"{arguments.task}-{suite}-{arguments.part}-{arguments.side}{limit}.json"


def suite_folder(name: str) -> Path:
    """A folder as given, or of that name among the suites at hand."""
    data = os.environ.get("HOMUNCULUS_DATA")
    places = [Path(name)]
    if data:
        places += [Path(data) / name, Path(data) / "local" / name]
    found = [place for place in places if (place / "qa.jsonl").is_file()]
    if not found:
        where = (
            f"Nor is there one in {data}." if data else "Name its folder, or set HOMUNCULUS_DATA."
        )
        raise ValueError(f"no suite {name}: a suite is a folder with qa.jsonl and images/. {where}")
    return found[0]


def scouts(folder: Path | None = None, patch: int = 16) -> Mapping[str, Scorer]:
    """The scout of a folder, or the shipped one if there is one, and its twins, by name."""
    if folder is None and not (WEIGHTS / "word-scout.safetensors").is_file():
        return {}
    scout = load(folder)
    ways: dict[str, Way] = {"scout": "full", "by-hand": "by-hand"}
    twins: tuple[Way, ...] = ("blind", "prior")
    ways |= {way: way for way in twins if way in scout.spread}
    return {name: partial(_sight, scout, way, patch) for name, way in ways.items()}


def _sight(scout: WordScout, way: Way, patch: int, pixels: Pixels, question: str) -> Map:
    return scout([pixels], [question], patch, way)[0].logit


def table(result: dict[str, Any]) -> str:
    """Every column that is read, and the evidence one quotes."""
    quoted = [name for name in result["columns"] if "/" in name or name == "evidence8"]
    return "\n\n".join(text(result, column) for column in quoted)


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr that knows how much is left; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    rich = need("rich.progress", extra="measure", who="homunculus measure")
    console = need("rich.console", extra="measure", who="homunculus measure").Console(stderr=True)
    parts = (rich.BarColumn(), rich.MofNCompleteColumn(), rich.TimeRemainingColumn())
    with rich.Progress(rich.TextColumn(what), *parts, console=console) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)
