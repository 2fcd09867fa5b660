"""Flags that several verbs share (whole numbers, lists of numbers, `--json`), and what a shell can
complete of them. Nothing is loaded.
"""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal


def count(text: str) -> int:
    """A whole number from 1.

    >>> count("273")
    273
    """
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
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
        setattr(namespace, self.dest, [one for text in values for one in text.split(",") if one])


def numbers(many: int) -> Callable[[str], tuple[float, ...]]:
    """A parser of so many numbers between commas."""

    def parse(text: str) -> tuple[float, ...]:
        try:
            found = tuple(float(part) for part in text.split(","))
        except ValueError:
            found = ()
        if len(found) != many:
            raise argparse.ArgumentTypeError(
                f"expected {many} numbers between commas, without spaces, got {text!r}"
            )
        return found

    return parse


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
    program: str,
    verbs: Mapping[str, argparse.ArgumentParser],
    shell: str,
    values: Mapping[str, Iterable[str]] | None = None,
) -> str:
    """A script that lets a shell complete verbs, flags and what is one of few; else file names.

    ``values`` are names that a flag takes beside others, as `--scout` takes folders, too.
    """
    values = values or {}
    if shell == "fish":
        return "\n".join(_fish(program, verbs, values))
    first = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    cases = "\n".join(_bash(name, verb, values) for name, verb in verbs.items())
    return f"""{first}_{program}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words=
  if [ "$COMP_CWORD" = 1 ]; then
    words="{" ".join(verbs)} --help --version --debug"
  else
    case ${{COMP_WORDS[1]}} in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _{program} {program}"""


def _bash(name: str, verb: argparse.ArgumentParser, values: Mapping[str, Iterable[str]]) -> str:
    """What may follow a verb: flags behind a hyphen, else the few words of a flag or a place."""
    flags, lines = [], []
    for flag, choices in _flags(verb, values):
        flags += flag
        lines += [f"          {'|'.join(flag)}) words='{choices}' ;;"] if choices and flag else []
    first = " ".join(choices for flag, choices in _flags(verb, values) if choices and not flag)
    inner = "\n".join(["        case $before in", *lines, f"          *) words='{first}' ;;"])
    return f"""      {name})
        if [[ $current = -* ]]; then words='{" ".join(flags)}'; else
{inner}
        esac; fi ;;"""


def _fish(
    program: str,
    verbs: Mapping[str, argparse.ArgumentParser],
    values: Mapping[str, Iterable[str]],
) -> list[str]:
    lines = list[str]()
    for name, verb in verbs.items():
        about = _quoted((verb.description or "").rstrip("."))
        lines.append(f"complete -c {program} -n __fish_use_subcommand -a {name} -d {about}")
        here = f"complete -c {program} -n '__fish_seen_subcommand_from {name}'"
        for flag, choices in _flags(verb, values):
            words = [f"-{'l' if one[:2] == '--' else 's'} {one.lstrip('-')}" for one in flag]
            words += [f"-xa {_quoted(choices)}"] if choices else []
            lines += [" ".join([here, *words])] if words else []
    return lines


def _flags(
    verb: argparse.ArgumentParser, values: Mapping[str, Iterable[str]]
) -> list[tuple[list[str], str]]:
    """Each argument's names (none if it is known by its place), and its choices between spaces."""
    return [
        (list(action.option_strings), " ".join(map(str, action.choices or _values(action, values))))
        for action in verb._actions
    ]


def _values(action: argparse.Action, values: Mapping[str, Iterable[str]]) -> Iterable[str]:
    """Names for a flag; one that takes the name of a server's model says so (NAME)."""
    elsewhere = action.metavar in ("NAME", "PATH") and action.dest == "model"
    found = next((values[one] for one in action.option_strings if one in values), ())
    return () if elsewhere else found


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


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
