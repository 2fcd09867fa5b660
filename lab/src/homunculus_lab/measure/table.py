# pyright: basic
"""What the verb `measure` does when it is given an experiment: several suites, or all methods."""

import argparse
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from homunculus.flags import result_path
from homunculus.progress import progress
from homunculus_lab.measure.experiment import Setup, carry_out, config
from homunculus_lab.measure.journal import fingerprint
from homunculus_lab.measure.plan import QUICK, Experiment, from_toml
from homunculus_lab.measure.report import legend, text


def is_experiment(arguments: argparse.Namespace) -> bool:
    """Whether these flags mean an experiment: more than rows on one suite."""
    path = Path(arguments.suite[0])
    listed = path.suffix == ".toml" or (path.is_dir() and not (path / "qa.jsonl").is_file())
    several = len(arguments.suite) > 1 or "all" in (arguments.methods or [])
    return listed or several or arguments.quick


def experiment(arguments: argparse.Namespace) -> Experiment:
    """What flags and a TOML file ask for; a flag wins."""
    if arguments.task != "legibility":
        raise ValueError(f"--task {arguments.task} is for one suite: name one, and its rows.")
    settings: dict[str, Any] = dict(QUICK) if arguments.quick else {}
    names = list(arguments.suite)
    if Path(names[0]).suffix == ".toml":
        settings |= from_toml(Path(names.pop(0)))
    settings |= {"suites": tuple(names)} if names else {}
    given = {name: getattr(arguments, name, None) for name in _FLAGS}
    settings |= {name: value for name, value in given.items() if value not in (None, False)}
    return Experiment(**{name: as_tuple(value) for name, value in settings.items()})


_FLAGS = [field.name for field in fields(Experiment) if field.name != "suites"]


def as_tuple(value: Any) -> Any:
    """A list as a tuple; other values unchanged."""
    return tuple(value) if isinstance(value, list) else value


def folders(names: tuple[str, ...], find: Callable[[str], Path]) -> list[Path]:
    """The suites of those names, and every suite in the folders among them."""
    suites: list[Path] = []
    for name in names:
        inside = sorted(Path(name).rglob("qa.jsonl")) if Path(name).is_dir() else []
        suites += [listing.parent for listing in inside] or [find(name)]
    twice = {
        folder.name for folder in suites if [suite.name for suite in suites].count(folder.name) > 1
    }
    if twice:
        raise ValueError(f"two suites are called {min(twice)}. Rename one of the folders.")
    return suites


def run_experiment(arguments: argparse.Namespace, setup: Setup) -> tuple[dict[str, Any], Path]:
    """Carry it out; the result and where it stands."""
    out = result_path(arguments.out, _named(setup))
    with progress("measuring") as shown:
        return carry_out(setup, out, shown), out


def _named(setup: Setup) -> str:
    """A file name made from the settings, so that the same command resumes its own run."""
    quick = "-quick" if setup.experiment.quick else ""
    return f"measure{quick}-{fingerprint(config(setup))[:8]}.json"


def table(result: dict[str, Any]) -> str:
    """The columns to decide by, of every suite; then what was left out."""
    parts = [text(run, column) for run in result["runs"] for column in run["quote"]]
    parts += [legend(row for run in result["runs"] for row in run["table"])]
    parts += [f"skipped {suite}: {why}" for suite, why in result["skipped"].items()]
    if result["left_out"]:
        parts.append(f"left out by flag: {', '.join(result['left_out'])}")
    return "\n\n".join(filter(None, parts))
