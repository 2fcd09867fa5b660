"""The verbs that look at one picture: `show`, `views`, `budget` and `cost`."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Literal
from warnings import catch_warnings, simplefilter

from homunculus.flags import count, count_or_auto, json_flag, numbers, page_number, slug
from homunculus.progress import progress

IMAGE = "PNG, JPEG, WebP, GIF, BMP, HEIC, TIFF or PDF; - reads it from stdin"


def show_parser(show: argparse.ArgumentParser) -> None:
    """The flags of `show`."""
    show.set_defaults(run=_show)
    add = show.add_argument
    add("image", help=IMAGE)
    about = "what is asked of the picture; each question is a drawing"
    add("question", nargs="*", default=[], help=about)
    add("--tokens", type=count, default=273, help="how many tokens may be spent (%(default)s)")
    add("--model", help="whose tokens are counted: see `homunculus cost` (qwen3-vl)")
    about = "how small the model reads: a name, or a result of `homunculus eyetest`"
    add("--acuity", default="vlm", help=f"{about} (%(default)s)")
    _page_flag(show)
    add("--why", action="store_true", help="print which words and things were found, and where")
    about = "which scout says where to look: auto, words, things, pixels, or a folder of weights"
    add("--scout", default="auto", metavar="NAME|DIR", help=f"{about} (%(default)s)")
    about = "file to write, or a folder (IMAGE-METHOD-TOKENS-QUESTION.png, here)"
    add("-o", "--out", type=Path, help=about)
    json_flag(show)
    cells = show.add_argument_group("to keep cells of one image instead of separate pictures")
    add = cells.add_argument
    add("--method", help="cut, foveated, grid, ...: see `homunculus methods` (views)")
    add("--patch", type=count, help="pixels along a cell (as large as a token of --model)")
    about = "where to look closest, as fractions up to 1,1 or in pixels"
    add("--fixation", type=numbers(2), metavar="X,Y", help=about)
    about = "where the answer is, in pixels, for the method `oracle`"
    add("--boxes", type=numbers(4), nargs="+", metavar="X0,Y0,X1,Y1", help=about)
    add("--compress", type=float, help="share of the tokens for the coarse whole, 0 to 1")
    add("--explore", type=float, help="above 1 spreads tokens more widely, below 1 less (1)")
    add("--focus", type=float, help="degrees that the image spans in the eye's field (40)")


def views_parser(views: argparse.ArgumentParser) -> None:
    """The flags of `views`."""
    views.set_defaults(run=_views)
    add = views.add_argument
    add("image", help=IMAGE)
    add("question", nargs="?", default="", help="what is asked of the picture")
    about = "how many tokens they may cost together (%(default)s); auto: as few as reach --legible"
    add("--tokens", type=count_or_auto, default=273, metavar="K|auto", help=about)
    about = (
        "how likely the answer must be readable (0.8 with --tokens auto): if it is less with K "
        "tokens, more are taken, up to --cap, and if that is too few the picture stays as it is"
    )
    add("--legible", type=float, metavar="P", help=about)
    about = "with --legible or --tokens auto: the most that they may cost (%(default)s)"
    add("--cap", type=count, default=1024, metavar="K", help=about)
    _planner_flags(views)
    about = "folder for the pictures, a sheet that shows them and views.json (IMAGE-views)"
    add("-o", "--out", type=Path, help=about)
    json_flag(views)


def cost_parser(cost: argparse.ArgumentParser) -> None:
    """The flags of `cost`."""
    cost.set_defaults(run=_cost)
    add = cost.add_argument
    add("image", help="a picture, or its size in pixels: 4032x3024")
    add("--model", default="all", help="one model, or all (%(default)s)")
    add("--tokens", type=count, default=273, help="budget for views (%(default)s)")
    json_flag(cost)


def budget_parser(budget: argparse.ArgumentParser) -> None:
    """The flags of `budget`."""
    budget.set_defaults(run=_budget)
    add = budget.add_argument
    add("image", help=IMAGE)
    add("question", help="what is asked of the picture")
    about = "how likely the answer must be readable (%(default)s)"
    add("--legible", type=float, default=0.8, metavar="P", help=about)
    _planner_flags(budget)
    json_flag(budget)


def _planner_flags(verb: argparse.ArgumentParser) -> None:
    """What views are planned by."""
    add = verb.add_argument
    add("--model", default="qwen3-vl", help="whose tokens: see `homunculus cost` (%(default)s)")
    about = "how small the model reads: a name, or a result of `homunculus eyetest` (%(default)s)"
    add("--acuity", default="vlm", help=about)
    _page_flag(verb)
    about = "which scout says where to look: as in `homunculus show` (%(default)s)"
    add("--scout", default="auto", metavar="NAME|DIR", help=about)


def _page_flag(verb: argparse.ArgumentParser) -> None:
    about = (
        "page of a PDF or a TIFF, or frame of an animation, counted from 1, or all (%(default)s)"
    )
    verb.add_argument("--page", type=page_number, default=1, metavar="N|all", help=about)


def _show(arguments: argparse.Namespace) -> int:
    from homunculus.core.methods import DEFAULT, PLANNED, get_method

    arguments.method = arguments.method or DEFAULT
    if arguments.method not in PLANNED:
        get_method(arguments.method)  # raises before anything is opened
    elif turned := [flag for flag in OF_CELLS if getattr(arguments, flag) is not None]:
        raise ValueError(
            f"views do not know --{turned[0]}, methods that keep cells of one image do. "
            "Add --method cut, or another of `homunculus methods`."
        )
    draw = _draw_views if arguments.method in PLANNED else _draw_cells
    several = len(arguments.question) > 1 or arguments.page == "all"
    name, source = _open(arguments.image)

    def show(page: int) -> int:
        pages = 1
        for question in arguments.question or [""]:
            out = _out(arguments, _name(name, arguments, page, question), several)
            replaced = out.exists()
            with progress(f"looking at {name}"):  # over before anything is printed
                picture, facts, lines = draw(arguments, source, page, question, out)
            facts |= {"saved": str(out), "replaced": replaced}
            _tell(arguments, picture, facts, lines)
            pages = picture.pages
        return pages

    _each_page(arguments.page, show)
    return 0


def _each_page(chosen: int | Literal["all"], use: Callable[[int], int]) -> None:
    """Use one page, or all; ``use`` takes a page and returns how many there are."""
    if chosen != "all":
        use(chosen)
        return
    page, pages = 0, 1
    while page < pages:
        page += 1
        pages = use(page)


def _page_lines(arguments: argparse.Namespace, picture: Any) -> list[str]:
    """What one might not expect of the picture, and how to see the rest of it."""
    lines = picture.notes()
    if picture.pages > 1 and arguments.page != "all":
        part = picture.part
        lines.append(f"Other {part}s: --page 1 to --page {picture.pages}, or --page all.")
    return lines


OF_CELLS = ("fixation", "boxes", "compress", "explore", "focus")
"""Flags of `show` that mean nothing to views."""
Drawn = tuple[Any, dict[str, Any], list[str]]
"""What was drawn: the picture, facts for machines, and lines for people."""


def _draw_cells(
    arguments: argparse.Namespace, source: Any, page: int, question: str, out: Path
) -> Drawn:
    from homunculus.planner.models import token_rule
    from homunculus.relevance import Dials
    from homunculus.show import look

    turned = {dial: getattr(arguments, dial) for dial in ("compress", "explore", "focus")}
    dials = Dials(**{dial: value for dial, value in turned.items() if value is not None})
    given = ("tokens", "fixation", "boxes", "scout", "method")
    model = arguments.model or (None if arguments.patch else "qwen3-vl")  # as views count
    seen = look(
        source, question, **{name: getattr(arguments, name) for name in given},
        patch=arguments.patch or 16, model=model, dials=dials, page=page,
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
    from homunculus.planner import scout_cells, views
    from homunculus.show import why_facts
    from homunculus.show.views import draw_views, facts

    seen = views(
        source, question, tokens=arguments.tokens, scout=arguments.scout, page=page,
        model=arguments.model or arguments.patch or "qwen3-vl", acuity=arguments.acuity,
    )  # fmt: skip
    draw_views(seen).save(out)
    cell = scout_cells(seen.picture.size)[1]
    why = why_facts(seen.sight, seen.sight.logit, seen.picture, cell)
    if not seen.sight.sure:  # cells would follow the map, views do not
        why["made"] = seen.message
    told = seen.to_json() | {
        "notes": seen.picture.notes(),
        "why": why,
        "image": {"page": page, "pages": seen.picture.pages},
    }
    return seen.picture, told, facts(seen)


def _open(image: str) -> tuple[str, Any]:
    """The name of a picture, and what to open: its path, or what comes in on stdin."""
    if image != "-":
        return Path(image).name, image
    from homunculus.image import BYTES, read_file

    if sys.stdin.isatty():
        raise ValueError("expected a picture on stdin: homunculus show - < page.png")
    file = BytesIO(read_file("stdin", sys.stdin.buffer, BYTES))
    file.name = "stdin"
    return "stdin", file


def _tell(
    arguments: argparse.Namespace, picture: Any, facts: dict[str, Any], lines: Sequence[str]
) -> None:
    """What was drawn, and what one might not expect of it."""
    from homunculus.show import why_table

    if arguments.json:
        print(json.dumps(facts))
        return
    print(f"wrote {facts['saved']}{' (replaced)' if facts['replaced'] else ''}")
    for line in lines:
        print(line)
    notes = [note for note in facts["notes"] if note not in picture.notes()]
    for note in [*_page_lines(arguments, picture), *notes]:
        if not (arguments.why and facts["why"]["made"].startswith(note)):  # the table ends with it
            print(note)
    if arguments.why:
        said = "\n".join(lines)
        why = facts["why"] | ({"made": ""} if facts["why"]["made"] in said else {})
        print(why_table(why, sys.stdout.isatty()).rstrip())


def _views(arguments: argparse.Namespace) -> int:
    name, source = _open(arguments.image)
    out = arguments.out or Path(f"{Path(name).stem}-views")
    if Path(arguments.image).resolve().parent == out.resolve() and name != "stdin":
        raise ValueError(f"{out} holds the picture itself. Name another folder with -o.")

    def write(page: int) -> int:
        folder = out / f"page-{page}" if arguments.page == "all" else out
        return _write_views(arguments, source, page, folder)

    _each_page(arguments.page, write)
    return 0


def _write_views(arguments: argparse.Namespace, source: Any, page: int, out: Path) -> int:
    """The views of one page as files; how many pages there are."""
    from homunculus.planner import views
    from homunculus.planner.messages import labels
    from homunculus.show.views import draw_views, facts

    with progress(f"looking at {Path(arguments.image).name}"):
        given = ("question", "tokens", "model", "acuity", "scout", "legible", "cap")
        with catch_warnings():
            simplefilter("ignore", UserWarning)  # what it says is printed below
            seen = views(source, page=page, **{name: getattr(arguments, name) for name in given})
        paths = [str(path) for path in seen.save(out)]
        draw_views(seen).save(out / "sheet.png")
    told: dict[str, Any] = seen.to_json() | {"files": paths, "labels": labels(seen)}
    told["image"] = {"page": page, "pages": seen.picture.pages}
    (out / "views.json").write_text(json.dumps(told, indent=2) + "\n")
    if arguments.json:
        print(json.dumps(told))
        return seen.picture.pages
    for path, view in zip(paths, seen, strict=True):
        cost = "1 token" if view.tokens == 1 else f"{view.tokens} tokens"
        print(f"{path}: {view.size[1]}x{view.size[0]}, {cost}")
    print("\n".join([*facts(seen), *_page_lines(arguments, seen.picture)]))
    for name, value in told["setting"].items():
        print(f"These prices hold with {name}={value} in the request.")
    crowd = seen.rule.facts.crowd  # its note is about requests of many pictures
    if seen.rule.facts.note and not (crowd and len(seen) <= crowd[0]):
        print(seen.rule.facts.note)
    return seen.picture.pages


def _cost(arguments: argparse.Namespace) -> int:
    from homunculus.planner.cost import costs, table

    rows = costs(arguments.image, arguments.model, arguments.tokens)
    print(json.dumps({"costs": rows}, indent=2) if arguments.json else table(rows))
    return 0


def _budget(arguments: argparse.Namespace) -> int:
    from homunculus.planner import Planner, check_legible

    check_legible(arguments.legible)
    name, source = _open(arguments.image)

    def tell(page: int) -> int:
        with progress(f"looking at {name}"):
            planner = Planner.of(
                source, arguments.question, arguments.model,
                arguments.acuity, arguments.scout, page=page,
            )  # fmt: skip
            needed = planner.budget(arguments.legible)
        if arguments.json:
            print(json.dumps(_budget_facts(planner, needed)))
        else:
            lines = _budget_lines(planner, needed, arguments.legible)
            print("\n".join([*_page_lines(arguments, planner.picture), *lines]))
        return planner.picture.pages

    _each_page(arguments.page, tell)
    return 0


def _budget_facts(planner: Any, needed: Any) -> dict[str, Any]:
    """A budget for machines."""
    rule, picture, basis = planner.need.rule, planner.picture, planner.sight.basis
    value = None if needed.value is None else round(needed.value, 4)
    return {
        "tokens": needed.tokens, "value": value, "reached": needed.reached,
        "untouched": rule.count(picture.original), "model": rule.name,
        "basis": basis, "guess": basis != "found", "sure": round(planner.sight.sure, 3),
        "token_px": rule.token_px, "acuity": planner.need.acuity.name,
        "page": picture.page, "pages": picture.pages,
    }  # fmt: skip


def _budget_lines(planner: Any, needed: Any, legible: float) -> list[str]:
    """A budget for people."""
    from homunculus.planner.bill import least

    rule = planner.need.rule
    if not planner.sight.sure:
        why = planner.sight.unsure
        return [f"No budget can be told: the scout does not know where to look. {why}".rstrip()]
    if not planner.outlook.known:
        return [f"No budget can be told. {planner.outlook.promise(needed.value)}"]
    if needed.reached:
        untouched = rule.count(planner.picture.original)
        lines = [f"{needed.tokens:,} {rule.token}, instead of {untouched:,} untouched"]
    else:
        lines = [f"not even all {needed.tokens:,} {rule.token} reach {legible:g}; what fewer do:"]
        lines += [
            f"{tokens:>6} tokens: {planner.views(tokens).value or 0.0:.2f}"
            for tokens in (128, 273, 512, 1024)
            if least(rule) <= tokens < needed.tokens
        ]
    return [*lines, planner.outlook.promise(needed.value)]


def _out(arguments: argparse.Namespace, name: str, several: bool) -> Path:
    """Where to draw; checked before the work, and never over the picture itself."""
    image, out = Path(arguments.image), arguments.out or Path(name)
    if several and arguments.out and (out.suffix.lower() in DRAWN or out.is_file()):
        raise ValueError(f"{out} is one file, for several drawings. Name a folder with -o.")
    if out.is_dir() or (several and arguments.out) or not (out.suffix or out.is_file()):
        out.mkdir(parents=True, exist_ok=True)
        out = out / name
    if not out.parent.is_dir():
        raise ValueError(f"no folder {out.parent} to write {out.name} to. Make it first.")
    if out.suffix.lower() not in DRAWN:
        raise ValueError(f"expected an output that ends in .png, .jpg or .webp, got {out.name}.")
    if out.exists() and image.exists() and out.samefile(image):
        raise ValueError(f"{out} is the picture itself. Choose another name with -o.")
    return out


DRAWN = (".png", ".jpg", ".jpeg", ".webp")


def _name(image: str, arguments: argparse.Namespace, page: int, question: str) -> str:
    """A file name of its own for every picture, page, method, budget and question."""
    number, words = f"-page{page}" if page > 1 else "", slug(question)
    name = f"{Path(image).stem}{number}-{arguments.method}-{arguments.tokens}"
    return f"{name}-{words}.png" if words else f"{name}.png"
