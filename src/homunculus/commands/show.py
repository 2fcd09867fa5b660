"""`homunculus show`: what a model would see of a picture."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from homunculus import DEFAULT_TOKENS
from homunculus.commands.command import Command
from homunculus.commands.picture import (
    DOCUMENT,
    acuity_flag,
    each_page,
    open_source,
    page_flag,
    page_lines,
    text_flag,
    the_document,
    with_words,
    words_flags,
)
from homunculus.flags import count, json_flag, point, slug
from homunculus.lazy import how_to_install, need_torch
from homunculus.progress import progress

Drawn = tuple[Any, dict[str, Any], list[str]]
"""What was drawn: the picture, facts for machines, and lines for people."""
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


def flags(show: argparse.ArgumentParser) -> None:
    add = show.add_argument
    add("image", help=DOCUMENT)
    about = "what is asked of the picture; each question is a drawing"
    add("question", nargs="*", default=[], help=about)
    about = "how many tokens may be spent (%(default)s)"
    add("--tokens", type=count, default=DEFAULT_TOKENS, help=about)
    add("--model", help="model that looks: see `homunculus cost` (qwen3-vl)")
    acuity_flag(show)
    page_flag(show, document=True)
    about = "print and draw what was read and found, and the likeliest answers"
    add("--why", action="store_true", help=about)
    about = "which scout says where to look: auto, reading, words, things, pixels, or a folder"
    add("--scout", default="auto", metavar="NAME|DIR", help=f"{about} (%(default)s)")
    words_flags(show)
    text_flag(show)
    about = "file to write, or a folder (IMAGE-METHOD-TOKENS-QUESTION.png, here)"
    add("-o", "--out", type=Path, help=about)
    json_flag(show)
    cells = show.add_argument_group("to keep cells of one image instead of separate pictures")
    add = cells.add_argument
    add("--method", help="cut, foveated, grid, ...: see `homunculus methods` (views)")
    add("--patch", type=count, help="pixels along a cell (as large as a token of --model)")
    about = "where to look closest, as fractions up to 1,1 or in pixels"
    add("--fixation", type=point, metavar="X,Y", help=about)


def run(arguments: argparse.Namespace) -> int:
    from homunculus.views import METHOD

    arguments.method = arguments.method or METHOD
    if arguments.method != METHOD:
        need_torch(f"--method {arguments.method}")
        from homunculus.engines.cells.methods import get_method

        get_method(arguments.method)  # raises before anything is opened
        if arguments.words or arguments.ocr or arguments.text:
            raise ValueError(
                "--words, --ocr and --text are for views. Leave them out, or --method."
            )
    elif arguments.fixation is not None:
        raise ValueError(
            "views do not know --fixation, some methods of the laboratory do. Add --method "
            f"foveated; if `homunculus methods` does not list it: {how_to_install('', 'lab')}."
        )
    draw = _draw_views if arguments.method == METHOD else _draw_cells
    name, source = open_source(arguments.image)
    if arguments.method == METHOD:
        document = the_document(arguments, source)
        if document is not None:
            _show_document(arguments, document, name)
            return 0
    arguments.page = arguments.page or 1
    several = len(arguments.question) > 1 or arguments.page == "all"

    def show(page: int) -> int:
        pages = 1
        for question in arguments.question or [""]:
            out = _out(arguments, _name(name, arguments, page, question), several)
            replaced = out.exists()
            with progress(f"looking at {name}"):  # over before anything is printed
                picture, facts, lines = draw(arguments, source, page, question, out)
            facts |= {"saved": str(out), "replaced": replaced}
            _print(arguments, picture, facts, lines)
            pages = picture.pages
        return pages

    each_page(arguments.page, show)
    return 0


def _show_document(arguments: argparse.Namespace, document: Any, name: str) -> None:
    """A contact sheet for each question."""
    from homunculus.show.document import draw_document, facts

    for question in arguments.question or [""]:
        several = len(arguments.question) > 1
        out = _out(arguments, _name(name, arguments, 1, question), several)
        replaced = out.exists()
        seen = document.views(
            question, arguments.tokens, scout=arguments.scout,
            model=arguments.model or arguments.patch or "qwen3-vl", acuity=arguments.acuity,
            text=arguments.text,
        )  # fmt: skip
        draw_document(seen).save(out, compress_level=3)
        if arguments.json:
            print(json.dumps(seen.to_json() | {"saved": str(out), "replaced": replaced}))
            continue
        print(f"wrote {out}{' (replaced)' if replaced else ''}")
        print("\n".join(facts(seen)))


def _draw_cells(
    arguments: argparse.Namespace, source: Any, page: int, question: str, out: Path
) -> Drawn:
    from homunculus.planner.models import token_rule
    from homunculus.show.cells import look

    options = ("tokens", "fixation", "scout", "method")
    model = arguments.model or (None if arguments.patch else "qwen3-vl")  # as views count
    seen = look(
        source, question, **{name: getattr(arguments, name) for name in options},
        patch=arguments.patch or 16, model=model, page=page,
    )  # fmt: skip
    seen.save(out)
    lines = [seen.caption()]
    if model:
        rule = token_rule(model)
        untouched = rule.count(seen.picture.original)
        lines.append(f"Untouched, the picture costs {untouched} {rule.token}.")
    return seen.picture, seen.to_json(), lines


def _draw_views(
    arguments: argparse.Namespace, source: Any, page: int, question: str, out: Path
) -> Drawn:
    from homunculus.planner.belief import scout_cells
    from homunculus.show.views import draw_views, facts
    from homunculus.show.why import why_facts
    from homunculus.views import views

    seen = views(
        with_words(arguments, source, page), question, tokens=arguments.tokens, page=page,
        scout=arguments.scout, ocr=arguments.ocr,
        model=arguments.model or arguments.patch or "qwen3-vl", acuity=arguments.acuity,
        text=arguments.text,
    )  # fmt: skip
    draw_views(seen, arguments.why).save(out, compress_level=3)  # PNG: a third of the time
    cell = scout_cells(seen.picture.size)[1]
    why = why_facts(seen.sight, seen.sight.logit, seen.picture, cell)
    if not seen.sight.sure:  # cells would follow the map, views do not
        why["made"] = seen.message
    result = seen.to_json() | {
        "notes": seen.picture.notes(),
        "why": why,
        "image": {"page": page, "pages": seen.picture.pages},
    }
    return seen.picture, result, facts(seen)


def _print(
    arguments: argparse.Namespace, picture: Any, facts: dict[str, Any], lines: Sequence[str]
) -> None:
    """Say what was drawn, and what the user might not expect of it."""
    from homunculus.show.why import why_table

    if arguments.json:
        print(json.dumps(facts))
        return
    print(f"wrote {facts['saved']}{' (replaced)' if facts['replaced'] else ''}")
    for line in lines:
        print(line)
    notes = [note for note in facts["notes"] if note not in picture.notes()]
    for note in [*page_lines(arguments, picture), *notes]:
        if not (arguments.why and facts["why"]["made"].startswith(note)):  # the table ends with it
            print(note)
    if arguments.why:
        repeated = facts["why"]["made"] in "\n".join(lines)
        why = facts["why"] | ({"made": ""} if repeated else {})
        print(why_table(why).rstrip())


def _out(arguments: argparse.Namespace, name: str, several: bool) -> Path:
    """Where to draw; checked before the work, and never over the picture itself."""
    image, out = Path(arguments.image), arguments.out or Path(name)
    if several and arguments.out and (out.suffix.lower() in SUFFIXES or out.is_file()):
        raise ValueError(f"{out} is one file, for several drawings. Name a folder with -o.")
    if out.is_dir() or (several and arguments.out) or not (out.suffix or out.is_file()):
        out.mkdir(parents=True, exist_ok=True)
        out = out / name
    if not out.parent.is_dir():
        raise ValueError(f"no folder {out.parent} to write {out.name} to. Make it first.")
    if out.suffix.lower() not in SUFFIXES:
        raise ValueError(f"expected an output that ends in .png, .jpg or .webp, got {out.name}.")
    if out.exists() and image.exists() and out.samefile(image):
        raise ValueError(f"{out} is the picture itself. Choose another name with -o.")
    return out


def _name(image: str, arguments: argparse.Namespace, page: int, question: str) -> str:
    """A file name of its own for every picture, page, method, budget and question."""
    suffix, words = f"-page{page}" if page > 1 else "", slug(question)
    name = f"{Path(image).stem}{suffix}-{arguments.method}-{arguments.tokens}"
    return f"{name}-{words}.png" if words else f"{name}.png"


COMMAND = Command(
    "show",
    "draw what a model would see of a picture",
    'page.png "What is the total?" --tokens 64',
    flags,
    run,
)
