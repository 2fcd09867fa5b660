# pyright: basic
"""What the verb `measure` does between the command line and the bench."""

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import torch

from homunculus.checks import Grid
from homunculus.eyes.readers import Readings, default_folder
from homunculus.flags import result_path
from homunculus.planner.acuity import get_acuity
from homunculus.planner.models import token_rule
from homunculus.scouts.combine import combine
from homunculus.scouts.reading.ranker import WEIGHTS as RANKER
from homunculus.scouts.registry import PixelScout, available, get_scout, shipped_things
from homunculus.scouts.sight import LineScout, Scout, Sight, cell_side
from homunculus.scouts.things import FILE as THINGS_FILE
from homunculus.scouts.words import Way, WordScout, load
from homunculus_lab.measure.document_views import documents_text, measure_documents
from homunculus_lab.measure.encoder import load_encoder
from homunculus_lab.measure.experiment import Setup
from homunculus_lab.measure.gaze import GazeConfig, all_rows, gaze
from homunculus_lab.measure.gaze.report import text as gaze_text
from homunculus_lab.measure.natural import MODEL, TOKENS, Settings, measure_shown
from homunculus_lab.measure.parts import part
from homunculus_lab.measure.place import measure_places
from homunculus_lab.measure.readers import PageReader, get_reader
from homunculus_lab.measure.report import legend, text
from homunculus_lab.measure.row import READ, Pixels
from homunculus_lab.measure.run import Config, measure
from homunculus_lab.measure.suite import KINDS, check_name, kind, read, read_config
from homunculus_lab.measure.table import experiment, folders, is_experiment, run_experiment
from homunculus_lab.measure.table import table as experiment_text
from homunculus_lab.measure.ways import WAYS
from homunculus_lab.measure.where import Search, measure_where, possible_ways
from homunculus_lab.measure.where_report import text as where_text
from homunculus_lab.page_lines import LineSource, line_source
from homunculus_lab.results import to_text
from homunculus_lab.text import text as values_text

ALONE = {
    "part": "all", "tokens": [64, 128, 273, 512], "methods": [], "seed": 0, "side": 1024,
    "reader": "rapidocr", "patch": 16,
}  # fmt: skip
"""Defaults of flags for a single suite; an experiment has its own."""


READS = ("anywhere",)
FLAGS = (
    "part", "tokens", "methods", "read", "reader", "side", "patch", "acuity", "pages", "without",
    "skip", "quick", "seed", "cache", "no_scout", "encoder", "lines",
)  # fmt: skip
"""Flags that not every task uses."""
TASK_FLAGS = {
    "place": ("part", "side", "seed"),
    "gaze": ("tokens", "methods", "side", "seed", "no_scout"),
    "shown": ("tokens", "patch", "acuity", "lines", "cache"),
    "where": ("part", "methods", "lines", "cache"),
    "documents": (),
}
"""The flags that a task uses; legibility and evidence use all others."""


def run(
    arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> tuple[dict[str, Any], Path]:
    """Run the bench; the result and where it was written."""
    _check_flags(arguments)
    if arguments.tokens:
        arguments.tokens = [slots for some in arguments.tokens for slots in some]
    if arguments.task == "place":
        return _place(arguments, progress)
    if arguments.task == "shown":
        return _shown(arguments, progress)
    if arguments.task == "documents":
        return _documents(arguments, progress)
    if arguments.task == "where":
        return _where(arguments, progress)
    if is_experiment(arguments):
        return _experiment(arguments)
    if arguments.without or arguments.skip:
        raise ValueError(
            "--without and --skip are for an experiment: several suites, --methods all or --quick. "
            "One suite runs the rows that --methods names, and no others."
        )
    for name, value in ALONE.items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    folder = suite_folder(arguments.suite[0])
    out = result_path(arguments.out, _named(arguments, folder.name))
    ask = _gaze if arguments.task == "gaze" else _tokens
    with torch.inference_mode():
        result = ask(folder, arguments, progress)
    out.write_text(to_text(result), "utf-8")
    return result, out


def _check_flags(arguments: argparse.Namespace) -> None:
    """Raise an error for flags that the task would ignore."""
    used = TASK_FLAGS.get(arguments.task, FLAGS)
    for flag in FLAGS:
        if flag not in used and getattr(arguments, flag, None):
            name = {"patch": "token-size"}.get(flag, flag).replace("_", "-")
            raise ValueError(f"--task {arguments.task} does not use --{name}. Leave it out.")


def ahead(arguments: argparse.Namespace) -> str:
    """A notice, printed in advance, of what will take long."""
    ocr = arguments.task == "legibility" and arguments.reader != "none"
    if not ocr or "anywhere" not in (arguments.read or READS) or "pages" in (arguments.skip or ()):
        return ""
    notice = "OCR reads whole pages, some seconds each"
    if is_experiment(arguments):
        count = arguments.pages or 16
        return f"{notice}: {count} questions of each suite. --skip pages leaves it out."
    suite_folder(arguments.suite[0])  # one that is not there takes no time at all
    shorter = "--read crop, which points it at the answer, takes minutes less."
    return f"{notice}, for every row, budget and question. {shorter}"


def _experiment(arguments: argparse.Namespace) -> tuple[dict[str, Any], Path]:
    """All rows on all suites."""
    plan = experiment(arguments)
    scorers = {} if arguments.no_scout else dict(scouts(arguments.scout, back=True))
    weights = _weights(arguments.scout, plan.lines) if scorers else "none"
    arguments.reader, arguments.lines = plan.reader, plan.lines
    scorers |= _reading(arguments, plan.rows)
    setup = Setup(
        plan, folders(plan.suites, suite_folder), _reader(arguments), scorers, weights,
        _line_source(arguments),
    )  # fmt: skip
    return run_experiment(arguments, setup)


def _place(
    arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> tuple[dict[str, Any], Path]:
    """How sure a scout may be, on several suites."""
    out = result_path(arguments.out, "place-word-scout.json")
    folders = [suite_folder(name) for name in arguments.suite]
    side, seed = arguments.side or ALONE["side"], arguments.seed or 0
    scout = scouts(arguments.scout)["scout"]
    with torch.inference_mode():
        result = measure_places(
            folders, scout, arguments.part, side, arguments.limit, seed, progress
        )
    result |= {"scout": _weights(arguments.scout)}
    out.write_text(to_text(result), "utf-8")
    return result, out


def _shown(
    arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> tuple[dict[str, Any], Path]:
    """What views and the resized picture show of natural questions."""
    out = result_path(arguments.out, "shown-natural.json")
    settings = Settings(
        token_rule(arguments.patch or MODEL), get_acuity(arguments.acuity or "vlm"),
        get_scout(arguments.scout or "auto"), tuple(arguments.tokens or TOKENS),
        _line_source(arguments),
    )  # fmt: skip
    folders = [suite_folder(name) for name in arguments.suite]
    with torch.inference_mode():
        result = measure_shown(folders, settings, arguments.limit, progress)
    result |= {"lines": arguments.lines}
    out.write_text(to_text(result), "utf-8")
    return result, out


def _where(
    arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> tuple[dict[str, Any], Path]:
    """Whether the answer's box is shown, by each way to find it."""
    if arguments.scout:
        raise ValueError("--task where compares scouts of its own: leave --scout out.")
    ways = tuple(way for way in WAYS if way in (arguments.methods or possible_ways()))
    for name in arguments.methods or ():
        check_name(f"--task where: no way {name!r}", name, possible_ways())
    out = result_path(arguments.out, f"where-{'-'.join(map(_name, arguments.suite))}.json")
    cache = arguments.cache or default_folder()
    search = Search(ways, line_source(arguments.lines or "layer", cache), Readings(cache))
    folders = [suite_folder(name) for name in arguments.suite]
    with torch.inference_mode():
        result = measure_where(folders, search, arguments.part or "all", arguments.limit, progress)
    result |= {"lines": arguments.lines or "layer"}
    out.write_text(to_text(result), "utf-8")
    return result, out


def _documents(
    arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> tuple[dict[str, Any], Path]:
    """Whether the answer is shown, where one budget is for a whole document."""
    if len(arguments.suite) > 1 or arguments.scout:
        raise ValueError("--task documents takes one suite, and scouts of its own.")
    folder = suite_folder(arguments.suite[0])
    out = result_path(arguments.out, f"documents-{folder.name}.json")
    with torch.inference_mode():
        result = measure_documents(folder, arguments.limit, progress)
    out.write_text(to_text(result), "utf-8")
    return result, out


def _name(suite: str) -> str:
    return Path(suite).name


def _tokens(
    folder: Path, arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> dict[str, Any]:
    """What kept tokens show."""
    questions = part(read(folder), arguments.part)[: arguments.limit]
    config = Config(
        task=arguments.task,
        tokens=tuple(arguments.tokens),
        methods=tuple(arguments.methods),
        reads=tuple(arguments.read or READS),
        side=arguments.side,
        patch=arguments.patch,
        acuity=get_acuity(arguments.acuity or _eyes(arguments.reader)),
        seed=arguments.seed,
        things=read_config(folder).things,
        lines=arguments.lines or "",
    )
    scorers = {} if arguments.no_scout else dict(scouts(arguments.scout))
    scorers |= _reading(arguments, config.methods)
    ocr = _reader(arguments) if config.task == "legibility" else None
    encoder = load_encoder(arguments.encoder) if arguments.encoder else None
    source = _line_source(arguments)
    result = measure(questions, config, ocr, scorers, progress, encoder, source)
    result |= {"part": arguments.part} | ({"encoder": encoder.name} if encoder else {})
    return result | {"kind": KINDS[kind(questions)]}


def _gaze(
    folder: Path, arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> dict[str, Any]:
    """Whether tokens are kept where people look."""
    config = GazeConfig(
        tokens=tuple(arguments.tokens),
        methods=tuple(arguments.methods) or all_rows(),
        side=arguments.side,
        seed=arguments.seed,
    )
    scorers = {} if arguments.no_scout else scouts(arguments.scout)
    return gaze(folder, config, scorers, progress, arguments.limit)


def _eyes(reader: str) -> str:
    """The default acuity that views are planned for."""
    return "rapidocr" if reader == "none" else reader


def _reader(arguments: argparse.Namespace) -> PageReader | None:
    if arguments.reader == "none":
        return None
    return get_reader(arguments.reader, arguments.cache)


def _line_source(arguments: argparse.Namespace) -> LineSource | None:
    return line_source(arguments.lines, arguments.cache) if arguments.lines else None


def _reading(arguments: argparse.Namespace, rows: Sequence[str]) -> dict[str, Scout]:
    """The scorer that is given the words of pages, if anybody reads them."""
    if not arguments.lines:
        return {}
    if not any(name.endswith(f"+{READ}") for name in rows):
        raise ValueError(f"--lines is for rows with the scorer {READ}: add --methods views+{READ}.")
    scout = get_scout(arguments.scout or "auto")
    if not isinstance(scout, LineScout):
        raise ValueError(
            f"--lines needs a scout that takes the words of a page, as auto does; "
            f"{arguments.scout} does not."
        )
    return {READ: scout}


def _named(arguments: argparse.Namespace, suite: str) -> str:
    limit = f"-first{arguments.limit}" if arguments.limit else ""
    part = "" if arguments.task == "gaze" else f"-{arguments.part}"
    token = f"-{arguments.patch}px" if arguments.patch != ALONE["patch"] else ""
    return f"{arguments.task}-{suite}{part}-{arguments.side}{token}{limit}.json"


def suite_folder(name: str) -> Path:
    """A folder as given, or of that name among the suites at hand."""
    data = os.environ.get("HOMUNCULUS_DATA")
    places = [Path(name)]
    if data:
        places += [Path(data) / name, Path(data) / "local" / name]
    suites = [place for place in places if (place / "qa.jsonl").is_file()]
    if not suites:
        where = (
            f"Nor is there one in {data}." if data else "Name its folder, or set HOMUNCULUS_DATA."
        )
        raise ValueError(f"no suite {name}: a suite is a folder with qa.jsonl and images/. {where}")
    return suites[0]


def scouts(scout: str | None = None, back: bool = False) -> Mapping[str, Scout]:
    """Scouts of the bench by name: the one that is meant, and what a word scout is compared with.

    The shipped ones of words and things if none is named. With ``back`` the word scout goes by
    pixels where a page has no text, as `look` does.
    """
    if scout is not None and not Path(scout).is_dir():
        return {"scout": get_scout(scout)}
    if scout is None and not available():
        return {}
    words = load(Path(scout) if scout else None)
    ways: dict[str, Way] = {"scout": "full", "by-hand": "by-hand"}
    without: tuple[Way, ...] = ("blind", "prior")
    ways |= {way: way for way in without if way in words.spread}
    scorers: dict[str, Scout] = {name: WordVariant(words, way, back) for name, way in ways.items()}
    things = shipped_things() if scout is None else None
    return scorers if things is None else scorers | {"scout": Both(scorers["scout"], things)}


def _weights(scout: str | None, lines: str = "") -> str:
    """What the result says about the scout: a hash of its weights, or its name; where pages are
    read, of the ranker's as well."""
    if lines:
        ranker = blake2b(RANKER.read_bytes(), digest_size=8).hexdigest()
        return f"{_weights(scout)} and {RANKER.name} {ranker}"
    if scout is not None and not Path(scout).is_dir():
        return scout
    weights = load(Path(scout) if scout else None).weights
    return weights if scout or shipped_things() is None else f"{weights} and {THINGS_FILE}"


@dataclass(frozen=True, eq=False)
class WordVariant:
    """The word scout as it is, or with less to go by."""

    scout: WordScout
    way: Way
    back: bool

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        side = cell_side(image.shape[1:], grid)
        sight = self.scout.ask(image, [question], side, self.way)[0]
        blank = self.back and self.way != "prior" and sight.blank
        return PixelScout()(image, "", grid) if blank else sight


@dataclass(frozen=True, eq=False)
class Both:
    """A scout of words and one of things, without the places that questions name."""

    words: Scout
    things: Scout

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        read, seen = self.words(image, question, grid), self.things(image, question, grid)
        return combine(read, seen, question, grid)


SHOWN = ("model", "n", "absent", "images", "readers", "table", "verdict", "estimate", "groups")
"""What is printed of a result of `--task shown`."""


def table(result: dict[str, Any]) -> str:
    """Every column that is read, and the evidence one quotes."""
    if "bakeoff" in result:
        return "\n\n".join(f"{entry['model']}\n{entry['said']}" for entry in result["bakeoff"])
    if "runs" in result:
        return experiment_text(result)
    if result["task"] == "place":
        return values_text(
            {"parts": [{"part": part} | row for part, row in result["table"].items()]}
        )
    if result["task"] == "gaze":
        return gaze_text(result)
    if result["task"] == "where":
        return where_text(result)
    if result["task"] == "documents":
        return documents_text(result)
    if result["task"] == "shown":
        return values_text({name: result[name] for name in SHOWN})
    evidence = "evidence32" if result["config"].get("things") else "evidence8"
    quoted = [name for name in result["columns"] if "/" in name or name == evidence]
    parts = [text(result, column) for column in quoted]
    return "\n\n".join(filter(None, [*parts, legend(result["table"])]))
