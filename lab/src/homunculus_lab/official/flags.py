# pyright: basic
"""The flags of `homunculus measure`. Nothing is loaded for them: help answers at once."""

import argparse
from pathlib import Path
from typing import Any

from homunculus.flags import count, json_flag, whole


def flags(measure: argparse.ArgumentParser) -> None:
    """Add the flags of suites and of official tasks."""
    _of_suites(measure)
    measure.description = f"{measure.description} " + (
        "With --model the suites are tasks of lmms-eval (docvqa_val, textvqa_val, vqav2_val, "
        "chartqa, infovqa_val, ocrbench, ...), answered by that model."
    )
    add = measure.add_argument_group("official tasks").add_argument
    text = "a name on the hub or a folder: it answers official tasks"
    add("--model", metavar="NAME", help=text)
    add(
        "--include",
        type=Path,
        metavar="DIR",
        help="folder of further lmms-eval tasks",
    )
    add(
        "--where",
        choices=["auto", "before", "after"],
        help="choose tokens before or after the encoder (auto)",
    )
    text = "print the batches, and the hours and gigabytes that they would cost; run nothing"
    add("--dry-run", action="store_true", help=text)
    add("--dtype", help="type of the weights, such as bfloat16 (auto)")
    add("--device", help="device, such as cuda:1 (cuda if there is one)")


def _of_suites(measure: argparse.ArgumentParser) -> None:
    """Add the flags of suites."""
    measure.description = (
        "Measure rows on one suite, or run an experiment: several suites, a folder of suites, "
        "--methods all, or a TOML file with the same names. An interrupted experiment resumes."
    )
    add = measure.add_argument
    text = "a folder with qa.jsonl and images/, its name in $HOMUNCULUS_DATA, a folder of such"
    add("suite", nargs="+", help=f"{text}, or an experiment.toml")
    tasks = ["legibility", "evidence", "place", "gaze", "shown", "where", "documents"]
    add("--task", choices=tasks, default="legibility", help="what is measured (legibility)")
    add("--part", help="pilot, fresh, dev, train or all (all; an experiment prefers fresh)")
    add("--tokens", type=counts, nargs="+", help="tokens per image (64,128,273,512)")
    text = "METHOD[@OPTION][+SCORER] ..., or all"
    add("--methods", nargs="+", action=Names, metavar="ROW", help=text)
    add("--read", nargs="+", choices=["anywhere", "crop"],
        help="where OCR looks: anywhere, or in the answer's box (anywhere)")  # fmt: skip
    add("--reader", choices=["rapidocr", "tesseract", "none"], help="OCR engine (rapidocr)")
    text = "who reads the words of pictures, for rows such as views+read and for the tasks shown"
    add("--lines", choices=["layer", "rapidocr", "tesseract"],
        help=f"{text} and where (where: layer)")  # fmt: skip
    add("--side", type=count, help="pixels of a page's longer side (1024)")
    text = "whose tokens are counted: a model such as qwen3-vl, or pixels along a token (16)"
    add("--token-size", type=token_side, dest="patch", metavar="MODEL|PX", help=text)
    text = "whose eyes `views` is planned for: a name or a result of `homunculus eyetest`"
    add("--acuity", help=f"{text} (the reader's)")
    add(
        "--limit",
        type=count,
        help="questions per suite; an experiment takes a sample (48)",
    )
    add(
        "--pages",
        type=count,
        help="questions per suite with OCR of the whole page (16)",
    )
    add("--without", nargs="+", metavar="CONTROL", help="controls to leave out; the result says so")
    add("--skip", nargs="+", metavar="PART", help="parts to skip: pages or cost")
    add("--quick", action="store_true", help="a few questions of everything, in minutes")
    add("--seed", type=whole, help="seed of the bootstrap and of samples (0)")
    add("--cache", type=Path, help="folder that caches OCR results (in the user's cache)")
    text = "source of relevance: auto, words, pixels, or a folder with weights"
    add("--scout", metavar="NAME|DIR", help=f"{text} (the shipped word scout)")
    add("--no-scout", action="store_true", help="run only the controls")
    text = "folder of a vision transformer, for rivals that choose by its features"
    add("--encoder", type=Path, metavar="DIR", help=f"{text} (one suite; see docs/rivals.md)")
    add(
        "-o",
        "--out",
        type=Path,
        help="result file (in results/ if that folder exists)",
    )
    json_flag(measure)


def token_side(text: str) -> int:
    """Pixels along a token, of a model or as a number.

    >>> token_side("qwen3-vl"), token_side("28")
    (32, 28)
    """
    from homunculus.planner.models import token_rule

    try:
        return token_rule(int(text) if text.isdigit() else text).side
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def counts(text: str) -> list[int]:
    """Whole numbers between commas.

    >>> counts("64,128")
    [64, 128]
    """
    return [count(part) for part in text.split(",")]


class Names(argparse.Action):
    """Names with spaces or commas between, as one list."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, [name for text in values for name in text.split(",") if name])
