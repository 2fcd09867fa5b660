# pyright: basic
"""The command `homunculus decide`: its flags, the files it writes and what it prints."""

import argparse
import json
from pathlib import Path
from typing import Any

from homunculus.flags import count, json_flag, whole

LONG = 200
"""Letters of a list that stays on one line of the JSON file."""


def flags(decide: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    decide.description = "Read runs of `homunculus measure`; say GO, NO-GO or UNDECIDED, and why."
    add = decide.add_argument
    results = "JSON files of `homunculus measure`, or folders of them"
    add("results", type=Path, nargs="+", help=results)
    out = "report to write; .json and a .md of one screen go beside it (%(default)s)"
    add("-o", "--out", type=Path, default=Path("report.html"), help=out)
    add("--column", help="score to decide by (the first of each run; evidence8 for evidence)")
    without = "leave out a run that a later file replaces; the report says so"
    add("--without-run", metavar="FILE:SUITE", action="append", default=[], help=without)
    add("--draws", type=count, default=9999, help="bootstrap resamples (%(default)s)")
    add("--seed", type=whole, default=0, help="seed of the bootstrap (%(default)s)")
    json_flag(decide)


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[Path]]:
    """The decision, and the files that it was written to."""
    from homunculus_lab.decide.decision import decide
    from homunculus_lab.decide.read import read, result_files
    from homunculus_lab.decide.report import html, markdown

    paths = result_files(arguments.results)
    outputs = _output_paths(arguments.out, paths)
    results = read(paths, arguments.column, arguments.without_run)
    decision = decide(results, arguments.draws, arguments.seed)
    texts = html(decision), markdown(decision), _json_text(decision)
    for path, text in zip(outputs, texts, strict=True):
        path.write_text(text, "utf-8")
    return decision, outputs


def _output_paths(out: Path, results: list[Path]) -> list[Path]:
    """The HTML, Markdown and JSON files; checked before the work, and never over a result."""
    if out.suffix not in (".html", ".htm"):
        raise ValueError(f"expected an output that ends in .html, got {out.name}.")
    if not out.parent.is_dir():
        raise ValueError(f"no folder {out.parent} to write {out.name} to. Make it first.")
    outputs = [out, out.with_suffix(".md"), out.with_suffix(".json")]
    taken = {path.resolve() for path in results} & {path.resolve() for path in outputs}
    if taken:
        raise ValueError(f"{taken.pop().name} is one of the results. Choose another name with -o.")
    return outputs


def _json_text(decision: dict[str, Any]) -> str:
    """Compact, but with a line for each key and each row of a list, so that versions compare."""
    lines = []
    for key, value in decision.items():
        text = json.dumps(value, separators=(",", ":"))
        if isinstance(value, list) and len(text) > LONG:
            items = ",\n".join(json.dumps(row, separators=(",", ":")) for row in value)
            text = f"[\n{items}\n]"
        lines.append(f"{json.dumps(key)}:{text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def summary(decision: dict[str, Any], outputs: list[Path]) -> str:
    """What the terminal shows."""
    from homunculus_lab.decide.report import summary

    return summary(decision, outputs)
