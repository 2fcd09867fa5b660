"""`homunculus eyetest`: how small a reader still reads."""

import argparse
import json
import sys
from pathlib import Path

from homunculus.commands.command import Command
from homunculus.flags import count, json_flag, whole
from homunculus.progress import progress


def flags(eyetest: argparse.ArgumentParser) -> None:
    eyetest.description = (
        "Show a reader words, numbers and codes from 40 down to 3 pixels high, and fit a curve to "
        "what it reads. Writes a JSON file for the planner, and an eye chart (PNG) beside it."
    )
    add = eyetest.add_argument
    add("reader", nargs="?", help="an OCR engine: rapidocr or tesseract")
    add("--server", metavar="URL", help="an OpenAI-compatible server: http://127.0.0.1:8000/v1")
    add("--model", metavar="NAME", help="model of the server (the first that it lists)")
    add("--hf", metavar="PATH", help="a Hugging Face model: a local folder, or its name on the hub")
    add("--items", type=count, default=8, help="items of each kind per height (%(default)s)")
    add("--seed", type=whole, default=0, help="seed of the chart and the bootstrap (%(default)s)")
    add("--cache", type=Path, help="folder that caches OCR results (in the user's cache)")
    about = "result file (eyetest-READER.json, in results/ if that folder exists)"
    add("-o", "--out", type=Path, help=about)
    json_flag(eyetest)


def run(arguments: argparse.Namespace) -> int:
    from homunculus.eyes import test

    with progress("reading") as show:
        result, out = test.run(arguments, show)
    print(json.dumps(result) if arguments.json else test.text(result))
    print(f"wrote {out} and {test.drawing(out)}", file=sys.stderr if arguments.json else sys.stdout)
    return 0


COMMAND = Command("eyetest", "measure how small a reader still reads", "rapidocr", flags, run)
