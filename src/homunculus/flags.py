"""Flags that several verbs share (whole numbers, pages, `--json`), and what a shell can complete of
them. Nothing is loaded.
"""

import argparse
import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from shlex import join
from typing import Any, Literal


def count(text: str) -> int:
    """A whole number from 1.

    >>> count("273")
    273
    """
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text[:40]!r}")
    return int(text)


def count_or_auto(text: str) -> int | Literal["auto"]:
    """A whole number from 1, or `auto`."""
    try:
        return "auto" if text == "auto" else count(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}; or `auto`") from None


def whole(text: str) -> int:
    """A whole number from 0, such as a seed."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, got {text!r}")
    return int(text)


def page_number(text: str) -> int | Literal["all"]:
    """A page, counted from 1, or all of them."""
    try:
        return "all" if text == "all" else count(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"expected a whole number from 1, or `all`, got {text!r}"
        ) from None


def point(text: str) -> tuple[float, float]:
    """A place: x and y.

    >>> point("0.5,0.25")
    (0.5, 0.25)
    """
    try:
        x, y = (float(side) for side in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected 2 numbers with a comma between, without spaces, got {text!r}"
        ) from None
    return x, y


LONGEST_SLUG = 40


def slug(text: str) -> str:
    """Text as part of a file name: words with hyphens; a short hash where that leaves anything out.

    >>> slug("What is the total?"), slug("")
    ('what-is-the-total', '')
    """
    plain = " ".join(text.lower().split()).rstrip("?.! ")
    words = "-".join(re.findall(r"\w+", plain))
    if words == plain.replace(" ", "-") and len(words) <= LONGEST_SLUG:
        return words
    head = words if len(words) <= LONGEST_SLUG else words[:LONGEST_SLUG].rpartition("-")[0]
    digest = blake2b(plain.encode(errors="surrogatepass"), digest_size=3).hexdigest()
    return f"{head or words[:LONGEST_SLUG]}-{digest}".lstrip("-")


def json_flag(verb: argparse.ArgumentParser) -> None:
    """The flag for machines."""
    verb.add_argument("--json", action="store_true", help="print JSON for machines")


# ---- completion ----------------------------------------------------------------------------------

SHELLS = ("bash", "zsh", "fish")


def completion(
    parser: argparse.ArgumentParser,
    verbs: Iterable[argparse.ArgumentParser],
    shell: str,
    names: Mapping[str, Iterable[str]],
) -> str:
    """A script (by shtab) that lets a shell complete verbs, flags and values; else file names.

    ``names`` are what a flag takes besides paths, as `--scout` takes folders, too.
    """
    import shtab

    for verb in verbs:
        for action in verb._actions:
            flag = next((flag for flag in action.option_strings if flag in names), None)
            if flag and not _of_a_server(action):
                function = f"_{parser.prog}{flag.replace('-', '_')}_or_file"
                setattr(action, "complete", _names_or_files(function, names[flag]))  # noqa: B010
            elif action.choices is None and action.nargs != 0 and action.type in (None, Path):
                setattr(action, "complete", shtab.FILE)  # noqa: B010
    return shtab.complete(parser, shell)


def _of_a_server(action: argparse.Action) -> bool:
    """Whether `--model` is the name that a server has for its model, which is not ours to know."""
    return action.dest == "model" and action.metavar in ("NAME", "PATH")


def _names_or_files(function: str, names: Iterable[str]) -> dict[str, Any]:
    """What shtab writes for a flag that takes a few names or a path, by shell."""
    words = join(names)
    return {
        "bash": function,
        "zsh": function,
        "fish": f"{words} (__fish_complete_path (commandline -ct))",
        "preamble": {
            "bash": f'{function}() {{ compgen -W "{words}" -- "$1" || compgen -f -- "$1"; }}',
            "zsh": f'{function}() {{ compadd "$@" -- {words} || _files "$@" }}',
        },
    }


def result_path(out: Path | None, name: str) -> Path:
    """Where a result goes: ``out``, or its name in the folder `results/` if there is one."""
    folder = Path("results") if Path("results").is_dir() else Path()
    path = out or folder / name
    if not path.parent.is_dir():
        raise ValueError(
            f"no folder {path.parent} to write {path.name} to. Make it, or name another "
            "place with -o."
        )
    return path
