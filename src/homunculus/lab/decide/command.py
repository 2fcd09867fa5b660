# pyright: basic
"""What the verb `decide` does between the command line and the report."""

import argparse
import json
from pathlib import Path
from typing import Any

from homunculus.flags import count, json_flag, whole

TITLE = "Homunculus: the decision"


def flags(decide: argparse.ArgumentParser) -> None:
    """What can be asked."""
    decide.description = "Read runs of `homunculus measure`; say GO, NO-GO or UNDECIDED, and why."
    add = decide.add_argument
    told = "JSON files of `homunculus measure`, or folders of them"
    add("results", type=Path, nargs="+", help=told)
    told = "report to write; .md and .json go beside it (%(default)s)"
    add("-o", "--out", type=Path, default=Path("report.html"), help=told)
    add("--column", help="score to decide by (the first of each run; evidence8 for evidence)")
    add("--draws", type=count, default=9999, help="bootstrap resamples (%(default)s)")
    add("--seed", type=whole, default=0, help="seed of the bootstrap (%(default)s)")
    json_flag(decide)


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[Path]]:
    """Decide as asked; the decision, and the files that tell it."""
    from homunculus.lab.decide.decision import decided
    from homunculus.lab.decide.read import files, read
    from homunculus.lab.decide.render import markdown, page
    from homunculus.lab.decide.report import story

    paths = files(arguments.results)
    outs = _outs(arguments.out, paths)
    told = decided(read(paths, arguments.column), arguments.draws, arguments.seed)
    blocks = story(told)
    texts = (page(blocks, TITLE), markdown(blocks, TITLE), json.dumps(told, indent=1) + "\n")
    for out, text in zip(outs, texts, strict=True):
        out.write_text(text, "utf-8")
    return told, outs


def _outs(out: Path, results: list[Path]) -> list[Path]:
    """Page, text and numbers; checked before the work, and never over a result."""
    if out.suffix not in (".html", ".htm"):
        raise ValueError(f"expected an output that ends in .html, got {out.name}.")
    if not out.parent.is_dir():
        raise ValueError(f"no folder {out.parent} to write {out.name} to. Make it first.")
    outs = [out, out.with_suffix(".md"), out.with_suffix(".json")]
    taken = {path.resolve() for path in results} & {path.resolve() for path in outs}
    if taken:
        raise ValueError(f"{taken.pop().name} is one of the results. Choose another name with -o.")
    return outs


def summary(told: dict[str, Any], outs: list[Path]) -> str:
    """For a terminal."""
    tier = "" if told["decision"] == "UNDECIDED" else f", tier {told['tier']}"
    lines = [f"{told['decision']}{tier}. {told['rule']}"]
    lines += [f"tier {one['tier']}: {one['claim']}: {one['state']}" for one in told["tiers"]]
    for task in told["tasks"]:
        gone = task["left_out"] + task["missing"]
        if gone:
            lines.append(f"NOT MEASURED on {task['task']}: {', '.join(gone)}")
    if told["aside"]:
        lines.append(f"skipped, not results of `homunculus measure`: {', '.join(told['aside'])}")
    return "\n".join([*lines, f"wrote {', '.join(map(str, outs))}"])
