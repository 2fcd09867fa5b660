# pyright: basic
"""What the verb `measure` takes and does: our own suites, or official tasks if a model is named."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from homunculus.flags import result_path
from homunculus_lab.measure import command as suites
from homunculus_lab.measure.journal import fingerprint
from homunculus_lab.measure.suite import read_toml
from homunculus_lab.measure.table import as_tuple
from homunculus_lab.official import bakeoff
from homunculus_lab.official.run import Plan, carry_out

TOKENS = (64, 128, 273, 512)
OURS = ("part", "side", "pages", "skip", "quick", "reader", "scout", "no_scout", "cache")
"""Flags that mean nothing to lmms-eval."""


def measure(
    arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> tuple[dict[str, Any], Path]:
    """Measure suites or official tasks; the result and where it was written."""
    if not is_official(arguments):
        return suites.run(arguments, progress)
    settings = _toml(Path(arguments.suite[0]))
    if "models" in settings:
        made = several(arguments, settings)
        return bakeoff.run(made, _line), made.out
    chosen_plan = plan(arguments, settings)
    out = result_path(arguments.out, f"official-{fingerprint(chosen_plan.config())[:8]}.json")
    return carry_out(chosen_plan, out, _line), out


def is_official(arguments: argparse.Namespace) -> bool:
    """Whether a model is named, by a flag or in a TOML file."""
    settings = _toml(Path(arguments.suite[0]))
    return arguments.model is not None or bool({"model", "models"} & settings.keys())


def several(arguments: argparse.Namespace, settings: dict[str, Any]) -> bakeoff.Bakeoff:
    """A bake-off from a TOML file; with `model`, of one."""
    settings = dict(settings)
    assume = settings.pop("assume", {})
    models = settings.pop("models", None) or [settings.pop("model", arguments.model)]
    if arguments.model is not None and arguments.model not in models:
        known = ", ".join(models)
        raise ValueError(f"--model {arguments.model} is not in the file. There are {known}.")
    models = [model for model in models if arguments.model in (None, model)]
    chosen_plan = plan(arguments, settings | {"model": models[0]})
    out = result_path(arguments.out, Path(arguments.suite[0]).with_suffix(".json").name)
    return bakeoff.bakeoff(chosen_plan, models, assume, out)


def dry_run(arguments: argparse.Namespace) -> dict[str, Any]:
    """What a run of official tasks would cost; nothing is loaded."""
    if not is_official(arguments):
        raise ValueError("--dry-run is only for official tasks, which need a model. Use --model.")
    return bakeoff.dry_run(several(arguments, _toml(Path(arguments.suite[0]))))


def _line(done: int, total: int) -> None:
    """One line a batch: lmms-eval draws a bar of its own below it."""
    sys.stderr.write(f"measuring: batch {done + 1} of {total}\n")
    sys.stderr.flush()


def _toml(path: Path) -> dict[str, Any]:
    """An experiment's settings, if that is one."""
    return read_toml(path, path.name) if path.suffix == ".toml" else {}


def plan(arguments: argparse.Namespace, settings: dict[str, Any]) -> Plan:
    """What flags and a TOML file ask for; a flag wins."""
    if odd := [name for name in OURS if getattr(arguments, name)]:
        raise ValueError(
            f"--{odd[0].replace('_', '-')} is only for suites of your own, not for official tasks."
        )
    if arguments.task != "legibility":
        raise ValueError("--task is only for suites of your own, not for official tasks.")
    known = [field.name for field in fields(Plan)]
    if strange := [name for name in settings if name not in known]:
        raise ValueError(f"no setting {strange[0]!r}. There are {', '.join(known)}.")
    given = {name: getattr(arguments, name, None) for name in known}
    options = settings | {name: value for name, value in given.items() if value is not None}
    if arguments.tokens:
        options["tokens"] = [slots for some in arguments.tokens for slots in some]
    options["tasks"] = arguments.suite[1:] or settings.get("tasks") if settings else arguments.suite
    if not options["tasks"]:
        raise ValueError("expected tasks of lmms-eval, such as docvqa_val, got none.")
    if not options.get("tokens"):
        options["tokens"] = TOKENS
    if "include" in options:
        options["include"] = Path(options["include"])
    return Plan(**{name: as_tuple(value) for name, value in options.items()})
