"""`homunculus views`: a picture as a few small pictures."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from homunculus import DEFAULT_TOKENS
from homunculus.commands.command import Command
from homunculus.commands.picture import (
    DOCUMENT,
    each_page,
    open_source,
    page_lines,
    planner_flags,
    text_flag,
    the_document,
    with_words,
)
from homunculus.flags import count, count_or_auto, json_flag
from homunculus.progress import progress


def flags(views: argparse.ArgumentParser) -> None:
    add = views.add_argument
    add("image", help=DOCUMENT)
    add("question", nargs="?", default="", help="what is asked of the picture")
    about = "how many tokens they may cost together (%(default)s); auto: as few as reach --legible"
    add("--tokens", type=count_or_auto, default=DEFAULT_TOKENS, metavar="K|auto", help=about)
    about = (
        "how likely the answer must be readable (0.8 with --tokens auto): if it is less with K "
        "tokens, more are taken, up to --cap, and if that is too few the picture stays as it is"
    )
    add("--legible", type=float, metavar="P", help=about)
    about = "with --legible or --tokens auto: the most that they may cost (%(default)s)"
    add("--cap", type=count, default=1024, metavar="K", help=about)
    planner_flags(views, document=True)
    text_flag(views)
    about = "folder for the pictures, a sheet that shows them and views.json (IMAGE-views)"
    add("-o", "--out", type=Path, help=about)
    json_flag(views)


def run(arguments: argparse.Namespace) -> int:
    name, source = open_source(arguments.image)
    out = arguments.out or Path(f"{Path(name).stem}-views")
    if Path(arguments.image).resolve().parent == out.resolve() and name != "stdin":
        raise ValueError(f"{out} holds the picture itself. Name another folder with -o.")

    document = the_document(arguments, source)
    if document is not None:
        _write_document(arguments, document, out)
        return 0

    def write(page: int) -> int:
        folder = out / f"page-{page}" if arguments.page == "all" else out
        return _write_views(arguments, source, page, folder)

    each_page(arguments.page, write)
    return 0


def _write_views(arguments: argparse.Namespace, source: Any, page: int, out: Path) -> int:
    """The views of one page as files; how many pages there are."""
    from homunculus.show.views import draw_views, facts
    from homunculus.views import views

    with progress(f"looking at {Path(arguments.image).name}"):
        options = (
            "question", "tokens", "model", "acuity", "scout", "ocr", "legible", "cap", "text",
        )  # fmt: skip
        picture = with_words(arguments, source, page)
        with catch_warnings():
            simplefilter("ignore", UserWarning)  # what it says is printed below
            seen = views(picture, page=page, **{name: getattr(arguments, name) for name in options})
        paths = [str(path) for path in seen.save(out)]
        draw_views(seen).save(out / "sheet.png", compress_level=3)  # a third of the time
    result: dict[str, Any] = seen.to_json() | {"files": paths, "labels": seen.labels()}
    result["image"] = {"page": page, "pages": seen.picture.pages}
    (out / "views.json").write_text(json.dumps(result, indent=2) + "\n")
    if arguments.json:
        print(json.dumps(result))
        return seen.picture.pages
    _list_files(paths, seen)
    print("\n".join([*facts(seen), *page_lines(arguments, seen.picture)]))
    for name, value in result["setting"].items():
        print(f"These prices hold with {name}={value} in the request.")
    crowd = seen.rule.facts.crowd  # its note is about requests of many pictures
    if seen.rule.facts.note and not (crowd and len(seen) <= crowd[0]):
        print(seen.rule.facts.note)
    return seen.picture.pages


def _write_document(arguments: argparse.Namespace, document: Any, out: Path) -> None:
    """The views of a document as files."""
    from homunculus.show.document import draw_document, facts

    tokens = check_document(arguments)
    options = {name: getattr(arguments, name) for name in ("model", "acuity", "scout", "text")}
    seen = document.views(arguments.question, tokens, **options)
    paths = [str(path) for path in seen.save(out)]
    draw_document(seen).save(out / "sheet.png", compress_level=3)
    result: dict[str, Any] = seen.to_json() | {"files": paths}
    (out / "views.json").write_text(json.dumps(result, indent=2) + "\n")
    if arguments.json:
        print(json.dumps(result))
        return
    _list_files(paths, seen)
    print("\n".join(facts(seen)))
    for name, value in result["setting"].items():
        print(f"These prices hold with {name}={value} in the request.")


def _list_files(paths: Sequence[str], seen: Any) -> None:
    """What was written, and what is text alone."""
    files = iter(paths)
    for view in seen:
        if view.is_text:
            print(f"{view.name}: text alone, in views.json")
            continue
        cost = "1 token" if view.tokens == 1 else f"{view.tokens} tokens"
        print(f"{next(files)}: {view.size[1]}x{view.size[0]}, {cost}")


def check_document(arguments: argparse.Namespace) -> int:
    """The budget of a document; refuses what only a single page can have."""
    if arguments.tokens == "auto" or arguments.legible is not None:
        raise ValueError(
            "--tokens auto and --legible are for single pages. Name one with --page, or give a "
            "number of tokens for the document."
        )
    return arguments.tokens


COMMAND = Command(
    "views",
    "write a picture as a few small pictures, for any model",
    'page.png "What is the total?" --tokens 128 --model claude',
    flags,
    run,
)
