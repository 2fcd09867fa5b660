"""Flags that several verbs share: whole numbers, lists of numbers, `--json`. Nothing is loaded."""

import argparse
import re
from collections.abc import Callable
from hashlib import blake2b
from typing import Any


def count(text: str) -> int:
    """A whole number from 1.

    >>> count("273")
    273
    """
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def whole(text: str) -> int:
    """A whole number from 0, such as a page or a seed."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, got {text!r}")
    return int(text)


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
