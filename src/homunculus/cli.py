"""The command line: verbs that parse, call a room and print. Heavy rooms load inside their verb."""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn, TextIO
from warnings import catch_warnings, simplefilter

from homunculus import __version__
from homunculus.flags import (
    SHELLS,
    completion,
    count,
    count_or_auto,
    json_flag,
    numbers,
    page_number,
    slug,
    whole,
)
from homunculus.lazy import MissingExtra, not_found
from homunculus.progress import Progress, progress


class _Parser(argparse.ArgumentParser):
    room: str | None = None
    """The module whose `flags` are still to be added: it is loaded once its verb is called."""
    verbs: dict[str, "_Parser"]

    def add_room(self) -> None:
        """The flags of the verb's own room."""
        if self.room:
            room, self.room = import_module(f"homunculus.{self.room}"), None
            room.flags(self)

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """The same, with the flags of the verb's own room."""
        self.add_room()
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """One line and the way to help, not a page of usage."""
        if found := re.match(r"argument VERB: invalid choice: '(.*?)'", message):
            message = not_found("command", found[1], self.verbs, [], "").strip()
        self.exit(2, f"{self.prog}: {message}\nTry `{self.prog} --help`.\n")

    def refuse_words(self, image: str, words: Sequence[str], more: str = "") -> NoReturn:
        """A question came as one argument a word."""
        self.error(
            f"a question of {len(words)} arguments. Put quotes around it:\n"
            f'  {self.prog} {image} "{" ".join(words)}"{more}'
        )

    def refuse(self, rest: Sequence[str], arguments: argparse.Namespace) -> NoReturn:
        """Nobody knows these arguments."""
        flags = [one for one in rest if one.startswith("-")]
        if not flags:
            if question := getattr(arguments, "question", None):
                self.refuse_words(arguments.image, [question, *rest])
            self.error(f"unexpected {', '.join(map(repr, rest))}.")
        known = [flag for action in self._actions for flag in action.option_strings]
        self.error(not_found("flag", flags[0].partition("=")[0], known, [], "").strip())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 is well, 2 is a mistake that a message explains."""
    try:
        arguments = _parse(argv)
    except SystemExit as stop:  # argparse leaves this way
        return stop.code if isinstance(stop.code, int) else 0
    try:
        return arguments.run(arguments)
    except BrokenPipeError:  # the reader of our output has left, as `| head` does
        sys.stdout = None
        return 0
    except (ValueError, OSError, MissingExtra) as error:
        return _fail(arguments.verb, str(error))
    except KeyboardInterrupt:
        return _fail(arguments.verb, "stopped.", code=130)


def check(argv: Sequence[str]) -> int:
    """Whether a command could be run: 0 if its verb and its flags exist, else as `main`."""
    try:
        _parse(argv)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    return 0


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    if not (sys.argv[1:] if argv is None else argv):
        parser.print_help()
        parser.exit()
    arguments, rest = parser.parse_known_args(argv)
    rest = _late_questions(arguments, rest)
    if rest and arguments.verb != "serve":  # whose flags are vLLM's, too
        parser.verbs[arguments.verb].refuse(rest, arguments)
    if _unquoted(words := getattr(arguments, "question", "")):
        more = "\nSeveral questions of one word each end with question marks: total? date?"
        parser.verbs[arguments.verb].refuse_words(arguments.image, words, more)
    arguments.rest = rest
    return arguments


def _unquoted(questions: str | Sequence[str]) -> bool:
    """Whether several questions are the words of one."""
    if isinstance(questions, str) or len(questions) < 2:
        return False
    one_word = all(len(one.split()) == 1 for one in questions)
    return one_word and not all(one.endswith("?") for one in questions)


def _late_questions(arguments: argparse.Namespace, rest: list[str]) -> list[str]:
    """Questions behind flags, which argparse leaves over; what nobody knows is given back."""
    question = getattr(arguments, "question", None)
    if question is None or any(one.startswith("-") for one in rest):
        return rest
    if isinstance(question, list):
        arguments.question = question + rest
        return []
    if rest and not question:
        arguments.question, *rest = rest
    return rest


def _fail(verb: str, message: str, code: int = 2) -> int:
    message = message.removeprefix(f"{verb}: ")  # the function of that name says so, too
    print(f"homunculus {verb}: {message}", file=sys.stderr)
    return code


def _parser() -> _Parser:
    parser = _Parser(
        prog="homunculus",
        description="Give every image a fixed number of tokens, and spend them where the question "
        "looks.",
        epilog="Begin with `homunculus demo`. `homunculus VERB --help` explains a verb.",
    )
    parser.add_argument("--version", action="version", version=f"homunculus {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    parser.verbs = verbs.choices

    def add(name: str, about: str, example: str) -> _Parser:
        return verbs.add_parser(
            name, help=about, description=f"{about[0].upper()}{about[1:]}.",
            epilog=f"Example:  homunculus {name} {example}".rstrip(),
            allow_abbrev=False,  # or --token, a flag of `measure`, would be --tokens elsewhere
        )  # fmt: skip

    _demo_parser(add("demo", "see it work on two pictures that come with the package", ""))
    page = 'page.png "What is the total?"'
    _show_parser(add("show", "draw what a model would see of a picture", f"{page} --tokens 64"))
    about = "write a picture as a few small pictures, for any model"
    _views_parser(add("views", about, f"{page} --tokens 128 --model claude"))
    _cost_parser(add("cost", "say what a picture costs with each model", "4032x3024"))
    _budget_parser(add("budget", "say how many tokens a question needs", page))
    about = "plan, or answer, the pages of whole folders and archives, on one machine or many"
    example = 'pages/ out/ --question "What is the total?" --tokens 64'
    _far(add("batch", about, example), "batch.command", _batch)
    about = "start a server (vLLM) on which every image costs K tokens"
    _far(add("serve", about, "MODEL --tokens 273"), "engines.vllm.command", _serve)
    about = "compare methods on your own picture, in the browser"
    _studio_parser(add("studio", about, ""))
    _mcp_parser(add("mcp", "offer agents a tool that looks at pictures (MCP)", "FOLDER"))
    _eyetest_parser(add("eyetest", "measure how small a reader still reads", "rapidocr"))
    about = "measure what can still be read from the tokens that are kept"
    _far(add("measure", about, "SUITE --methods all"), "lab.official.flags", _measure)
    about = "compare results of `measure`, and report GO or NO-GO"
    _far(add("decide", about, "run.json -o report.html"), "lab.decide.command", _decide)
    about = "train the network that finds the question's words"
    _far(add("train", about, "word-scout --out weights"), "lab.train.command", _train)
    _bench_parser(add("bench", "measure time and memory, as ratios", "core"))
    listing = add("methods", "list the ways to choose tokens", "")
    listing.set_defaults(run=_methods)
    json_flag(listing)
    about = "print a script that lets a shell complete verbs and flags"
    shells = add(
        "completion", about, "bash > ~/.local/share/bash-completion/completions/homunculus"
    )
    shells.set_defaults(run=partial(_completion, parser))
    shells.add_argument("shell", choices=SHELLS, help="whose script")
    return parser


IMAGE = "PNG, JPEG, WebP, GIF, BMP, TIFF or PDF; - reads it from stdin"


def _far(verb: _Parser, room: str, run: Callable[[argparse.Namespace], int]) -> None:
    """A verb whose flags its own room knows."""
    verb.set_defaults(run=run)
    verb.room = room


def _demo_parser(demo: argparse.ArgumentParser) -> None:
    demo.set_defaults(run=_demo)
    about = "folder for the two pictures and the two drawings (%(default)s)"
    demo.add_argument("-o", "--out", type=Path, default=Path("demo"), metavar="FOLDER", help=about)


def _show_parser(show: argparse.ArgumentParser) -> None:
    show.set_defaults(run=_show)
    add = show.add_argument
    add("image", help=IMAGE)
    about = "what is asked of the picture; each question is a drawing"
    add("question", nargs="*", default=[], help=about)
    add("--tokens", type=count, default=273, help="how many tokens may be spent (%(default)s)")
    add("--model", help="whose tokens are counted: see `homunculus cost` (qwen3-vl)")
    about = "how small the model reads: a name, or a result of `homunculus eyetest`"
    add("--acuity", default="vlm", help=f"{about} (%(default)s)")
    about = "page of a PDF or a TIFF, counted from 0, or all (%(default)s)"
    add("--page", type=page_number, default=0, metavar="N|all", help=about)
    add("--why", action="store_true", help="print which words and things were found, and where")
    about = "which scout says where to look: auto, words, things, pixels, or a folder of weights"
    add("--scout", default="auto", metavar="NAME|DIR", help=f"{about} (%(default)s)")
    about = "file to write, or a folder (IMAGE-METHOD-TOKENS-QUESTION.png, here)"
    add("-o", "--out", type=Path, help=about)
    json_flag(show)
    cells = show.add_argument_group("to keep cells of one image instead of separate pictures")
    add = cells.add_argument
    add("--method", help="cut, foveated, grid, ...: see `homunculus methods` (views)")
    add("--patch", type=count, help="pixels along a cell (16)")
    about = "where to look closest, as fractions up to 1,1 or in pixels"
    add("--fixation", type=numbers(2), metavar="X,Y", help=about)
    about = "where the answer is, in pixels, for the method `oracle`"
    add("--boxes", type=numbers(4), nargs="+", metavar="X0,Y0,X1,Y1", help=about)
    add("--compress", type=float, help="share of the tokens for the coarse whole, 0 to 1")
    add("--explore", type=float, help="above 1 spreads tokens more widely, below 1 less (1)")
    add("--focus", type=float, help="degrees that the image spans in the eye's field (40)")


def _views_parser(views: argparse.ArgumentParser) -> None:
    views.set_defaults(run=_views)
    add = views.add_argument
    add("image", help=IMAGE)
    add("question", nargs="?", default="", help="what is asked of the picture")
    about = "how many tokens they may cost together (%(default)s); auto: as few as reach --legible"
    add("--tokens", type=count_or_auto, default=273, metavar="K|auto", help=about)
    about = "with --tokens auto: how likely the answer must be readable (%(default)s)"
    add("--legible", type=float, default=0.8, metavar="P", help=about)
    about = "with --tokens auto: the most that they may cost (%(default)s)"
    add("--cap", type=count, default=1024, metavar="K", help=about)
    _planner_flags(views)
    about = "folder for the pictures, a sheet that shows them and views.json (IMAGE-views)"
    add("-o", "--out", type=Path, help=about)
    json_flag(views)


def _cost_parser(cost: argparse.ArgumentParser) -> None:
    cost.set_defaults(run=_cost)
    add = cost.add_argument
    add("image", help="a picture, or its size in pixels: 4032x3024")
    add("--model", default="all", help="one model, or all (%(default)s)")
    add("--tokens", type=count, default=273, help="budget for views (%(default)s)")
    json_flag(cost)


def _mcp_parser(mcp: argparse.ArgumentParser) -> None:
    mcp.set_defaults(run=_mcp)
    add = mcp.add_argument
    about = "folders whose pictures may be looked at (the current one)"
    add("roots", nargs="*", type=Path, default=[Path()], metavar="FOLDER", help=about)
    add("--tokens", type=count, default=273, help="tokens of a call that names none (%(default)s)")
    add("--model", default="claude", help="whose tokens: see `homunculus cost` (%(default)s)")


def _studio_parser(studio: argparse.ArgumentParser) -> None:
    studio.set_defaults(run=_studio)
    add = studio.add_argument
    add("--port", type=whole, default=7860, help="port of the page; 0 for any (%(default)s)")
    add("--host", default="127.0.0.1", help="address of the page (%(default)s: this machine alone)")
    about = "let other machines reach the page, where --host does; it asks for no password"
    add("--allow-remote", action="store_true", help=about)
    add("--tokens", type=count, default=64, help="budget to begin with (%(default)s)")
    about = "whose tokens are counted to begin with: see `homunculus cost` (%(default)s)"
    add("--model", default="qwen3-vl", help=about)
    about = "also show the answers of a model behind an OpenAI-compatible server: its address"
    add("--server", metavar="URL", help=f"{about}, such as http://127.0.0.1:8000/v1")
    add("--server-model", metavar="NAME", help="model of the server (the first that it lists)")


def _budget_parser(budget: argparse.ArgumentParser) -> None:
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
    about = "page of a PDF or a TIFF, counted from 0 (%(default)s)"
    add("--page", type=whole, default=0, help=about)
    about = "which scout says where to look: as in `homunculus show` (%(default)s)"
    add("--scout", default="auto", metavar="NAME|DIR", help=about)


def _bench_parser(bench: argparse.ArgumentParser) -> None:
    bench.set_defaults(run=_bench)
    about = "batch: rows a second of `homunculus batch`, and what it survives; "
    about += "core: every rule against plain top-K; memory: of a proxy that meets ever new "
    about += "pictures; plan: planning views against an encoder; "
    about += "prefill: fewer tokens before, after and inside a model of real size; "
    about += "proxy: LiteLLM with our hook against the same without it; "
    about += "questions: many questions on one image, vLLM with our plugin and without; "
    about += "rivals: other people's methods against plain top-K; "
    about += "scout: a page and its questions against an encoder; soak: a server under mixed load, "
    about += "up to an hour; things: a photo and its questions against an encoder; transformers: "
    about += "requests to a "
    about += "model of real size against the same untouched; vllm: servers under load"
    what = ["batch", "core", "memory", "plan", "prefill", "proxy", "questions", "rivals", "scout"]
    what += ["soak", "things", "transformers", "vllm"]
    bench.add_argument("what", choices=what, help=about)
    about = "runs per number (60; 20 for plan and things, 10 for scout, 5 for rivals and "
    about += "transformers, 3 for prefill; rounds: 5 for proxy, 2 for questions, 200 for soak, "
    about += "3 for vllm; rows: 5,000 for batch; pictures: 300 for memory)"
    bench.add_argument("--repeats", type=count, help=about)
    bench.add_argument("--scout", type=Path, metavar="DIR", help="other weights than the shipped")
    json_flag(bench)


def _eyetest_parser(eyetest: argparse.ArgumentParser) -> None:
    eyetest.set_defaults(run=_eyetest)
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


def _batch(arguments: argparse.Namespace) -> int:
    from homunculus.batch.command import run

    with _own_stdout() as out, progress("batch") as shown:

        def say(line: str) -> None:
            if arguments.json:
                print(line, file=out, flush=True)

        code, text = run(arguments, say, shown)
    print(text, file=sys.stderr if arguments.json else sys.stdout)
    return code


@contextmanager
def _own_stdout() -> Generator[TextIO, None, None]:
    """Our output alone; what libraries and their processes print meanwhile goes to stderr."""
    try:
        number, elsewhere = sys.stdout.fileno(), sys.stderr.fileno()
    except (OSError, ValueError):  # no files, as in a test
        yield sys.stdout
        return
    sys.stdout.flush()
    with os.fdopen(os.dup(number), "w") as out:
        os.dup2(elsewhere, number)
        try:
            yield out
        finally:
            out.flush()
            os.dup2(out.fileno(), number)


def _serve(arguments: argparse.Namespace) -> int:
    from homunculus.engines.vllm.command import serve

    return serve(arguments, arguments.rest)


def _methods(arguments: argparse.Namespace) -> int:
    from homunculus.core.methods import PLANNED, RIVALS, methods, unavailable

    for _, reason in unavailable():
        _fail("methods", reason)
    rows = [
        {name: getattr(one, name) for name in ("name", "about", "control", "source")}
        | {
            "fixation": "fixation" in one.settings,
            "needs": sorted(one.needs),
            "settings": sorted(one.settings),
            "lift": one.lift.name,
            "rule": type(one.rule).__name__,
            "rival": one.name in RIVALS,
        }
        for one in (*methods().values(), *PLANNED.values(), *RIVALS.values())
    ]
    if arguments.json:
        print(json.dumps({"methods": rows}, indent=2))
        return 0
    print(f"{'method':<18}{'kind':<9}{'looks at':<18}{'fixates':<9}about")
    for row in rows:
        kind = "control" if row["control"] else "rival" if row["rival"] else "method"
        fixates = "yes" if row["fixation"] else ""
        print(f"{row['name']:<18}{kind:<9}{row['source']:<18}{fixates:<9}{row['about']}")
    return 0


def _completion(parser: _Parser, arguments: argparse.Namespace) -> int:
    for verb in parser.verbs.values():
        verb.add_room()
    print(completion("homunculus", parser.verbs, arguments.shell, _values()))
    return 0


def _values() -> dict[str, list[str]]:
    """Names that flags take, for a shell to complete."""
    from homunculus.core.methods import PLANNED, methods
    from homunculus.planner.acuity import ACUITIES
    from homunculus.planner.models import MODELS
    from homunculus.relevance.scout import scouts

    every = [*PLANNED, *methods()]
    rows = {"--method": every, "--methods": ["all", *every], "--scout": list(scouts())}
    return rows | {"--model": list(MODELS), "--token": list(MODELS), "--acuity": list(ACUITIES)}


def _demo(arguments: argparse.Namespace) -> int:
    from homunculus.show.demo import EXAMPLES, write_demo
    from homunculus.show.views import facts

    for example in EXAMPLES:
        with progress(f"looking at {example.path.name}"):
            copy, drawing, seen = write_demo(example, arguments.out)
        print(f"wrote {copy}, asked: {seen.question}")
        print(f"wrote {drawing}, resized and as views")
        print("\n".join(f"  {line}" for line in facts(seen)))
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from homunculus.core.methods import DEFAULT, PLANNED, get_method

    arguments.method = arguments.method or DEFAULT
    if arguments.method not in PLANNED:
        get_method(arguments.method)  # raises before anything is opened
    elif turned := [flag for flag in OF_CELLS if getattr(arguments, flag) is not None]:
        return _fail(
            "show",
            f"views do not know --{turned[0]}, methods that keep cells of one image do. "
            "Add --method cut, or another of `homunculus methods`.",
        )
    draw = _draw_views if arguments.method in PLANNED else _draw_cells
    several = len(arguments.question) > 1 or arguments.page == "all"
    name, source = _open(arguments.image)
    page, pages = 0 if arguments.page == "all" else arguments.page, 0
    while page < pages or not pages:
        for question in arguments.question or [""]:
            out = _out(arguments, _name(name, arguments, page, question), several)
            replaced = out.exists()
            with progress(f"looking at {name}"):  # over before anything is printed
                facts, lines = draw(arguments, source, page, question, out)
            _tell(arguments, facts | {"saved": str(out), "replaced": replaced}, lines)
            pages = facts["image"]["pages"] if arguments.page == "all" else 1
        page += 1
    return 0


OF_CELLS = ("fixation", "boxes", "compress", "explore", "focus")
"""Flags of `show` that mean nothing to views."""
Drawn = tuple[dict[str, Any], list[str]]
"""What was drawn: facts for machines, and lines for people."""


def _draw_cells(
    arguments: argparse.Namespace, source: Any, page: int, question: str, out: Path
) -> Drawn:
    from homunculus.planner.models import token_rule
    from homunculus.relevance import Dials
    from homunculus.show import look

    turned = {dial: getattr(arguments, dial) for dial in ("compress", "explore", "focus")}
    dials = Dials(**{dial: value for dial, value in turned.items() if value is not None})
    given = ("tokens", "model", "fixation", "boxes", "scout", "method")
    seen = look(
        source, question, **{name: getattr(arguments, name) for name in given},
        patch=arguments.patch or 16, dials=dials, page=page,
    )  # fmt: skip
    seen.save(out)
    lines = [seen.caption()]
    if arguments.model:
        rule = token_rule(arguments.model)
        many = rule.count(seen.picture.original)
        lines.append(f"Untouched, the picture costs {many} {rule.token}.")
    return seen.to_json(), lines


def _draw_views(
    arguments: argparse.Namespace, source: Any, page: int, question: str, out: Path
) -> Drawn:
    from homunculus.planner import scout_cells, views
    from homunculus.show import picture_notes, why_facts
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
        "notes": picture_notes(seen.picture, page),
        "why": why,
        "image": {"page": page, "pages": seen.picture.pages},
    }
    return told, facts(seen)


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


def _tell(arguments: argparse.Namespace, facts: dict[str, Any], lines: Sequence[str]) -> None:
    """What was drawn, and what one might not expect of it."""
    from homunculus.show import why_table

    if arguments.json:
        print(json.dumps(facts))
        return
    print(f"wrote {facts['saved']}{' (replaced)' if facts['replaced'] else ''}")
    for line in lines:
        print(line)
    for note in facts["notes"]:
        if not (arguments.why and facts["why"]["made"].startswith(note)):  # the table ends with it
            print(note)
    if (pages := facts["image"]["pages"]) > 1 and arguments.page != "all":
        print(f"Other pages: --page 0 to --page {pages - 1}, or --page all.")
    if arguments.why:
        said = "\n".join(lines)
        why = facts["why"] | ({"made": ""} if facts["why"]["made"] in said else {})
        print(why_table(why, sys.stdout.isatty()).rstrip())


def _views(arguments: argparse.Namespace) -> int:
    from homunculus.planner import views
    from homunculus.planner.messages import labels
    from homunculus.show import picture_notes
    from homunculus.show.views import draw_views, facts

    name, source = _open(arguments.image)
    out = arguments.out or Path(f"{Path(name).stem}-views")
    if Path(arguments.image).resolve().parent == out.resolve() and name != "stdin":
        return _fail("views", f"{out} holds the picture itself. Name another folder with -o.")
    with progress(f"looking at {name}"):
        given = ("question", "tokens", "model", "acuity", "scout", "page", "legible", "cap")
        with catch_warnings():
            simplefilter("ignore", UserWarning)  # what it says is printed below
            seen = views(source, **{name: getattr(arguments, name) for name in given})
        paths = [str(path) for path in seen.save(out)]
        draw_views(seen).save(out / "sheet.png")
    told: dict[str, Any] = seen.to_json() | {"files": paths, "labels": labels(seen)}
    (out / "views.json").write_text(json.dumps(told, indent=2) + "\n")
    if arguments.json:
        print(json.dumps(told))
        return 0
    for path, view in zip(paths, seen, strict=True):
        many = "1 token" if view.tokens == 1 else f"{view.tokens} tokens"
        print(f"{path}: {view.size[1]}x{view.size[0]}, {many}")
    print("\n".join(facts(seen)))
    for note in picture_notes(seen.picture, arguments.page):
        print(note)
    for name, value in told["setting"].items():
        print(f"These prices hold with {name}={value} in the request.")
    crowd = seen.rule.facts.crowd  # its note is about requests of many pictures
    if seen.rule.facts.note and not (crowd and len(seen) <= crowd[0]):
        print(seen.rule.facts.note)
    return 0


def _cost(arguments: argparse.Namespace) -> int:
    from homunculus.planner.cost import costs, table

    rows = costs(arguments.image, arguments.model, arguments.tokens)
    print(json.dumps({"costs": rows}, indent=2) if arguments.json else table(rows))
    return 0


def _mcp(arguments: argparse.Namespace) -> int:
    from homunculus.planner.models import token_rule
    from homunculus.serve.tool import server

    token_rule(arguments.model)  # raises before a client waits
    for root in arguments.roots:
        if not root.is_dir():
            return _fail("mcp", f"{root}: no such folder. Name folders with pictures.")
    server([root.resolve() for root in arguments.roots], arguments.tokens, arguments.model).run()
    return 0


def _studio(arguments: argparse.Namespace) -> int:
    from homunculus.planner.models import token_rule
    from homunculus.serve.chat import Chat
    from homunculus.studio.compare import Request
    from homunculus.studio.page import check_host, serve

    check_host(arguments.host, arguments.allow_remote)
    token_rule(arguments.model)
    Request(tokens=arguments.tokens)  # both raise before anything is started
    chat = Chat(arguments.server, arguments.server_model) if arguments.server else None

    def ready(address: str) -> None:
        told = f", with answers of {chat.model}" if chat else ""
        print(f"Studio: {address}{told}. Stop it with Ctrl+C.", flush=True)

    serve(arguments.host, arguments.port, chat, arguments.tokens, arguments.model, ready)
    return 0


def _budget(arguments: argparse.Namespace) -> int:
    from homunculus.planner import Planner, check_legible
    from homunculus.planner.bill import least

    check_legible(arguments.legible)
    name, source = _open(arguments.image)
    with progress(f"looking at {name}"):
        planner = Planner.of(
            source, arguments.question, arguments.model,
            arguments.acuity, arguments.scout, page=arguments.page,
        )  # fmt: skip
        needed = planner.budget(arguments.legible)
    rule, acuity = planner.need.rule, planner.need.acuity
    untouched = rule.count(planner.picture.original)
    if arguments.json:
        facts = {"tokens": needed.tokens, "value": round(needed.value, 4)}
        facts |= {"reached": needed.reached, "untouched": untouched, "model": rule.name}
        facts |= {"guess": planner.outlook.guess, "sure": round(planner.sight.sure, 3)}
        print(json.dumps(facts | {"token_px": rule.token_px, "acuity": acuity.name}))
        return 0
    if not planner.sight.sure:
        why = planner.sight.unsure
        print(f"No budget can be told: the scout does not know where to look. {why}".rstrip())
        return 0
    if planner.outlook.absent:
        print(f"No budget can be told. {planner.outlook.promise(needed.value)}")
        return 0
    token = rule.token
    if needed.reached:
        print(f"{needed.tokens:,} {token}, instead of {untouched:,} untouched")
    else:
        print(f"not even all {needed.tokens:,} {token} reach {arguments.legible:g}; what fewer do:")
        for tokens in (128, 273, 512, 1024):
            if least(rule) <= tokens < needed.tokens:
                print(f"{tokens:>6} tokens: {planner.views(tokens).value:.2f}")
    print(planner.outlook.promise(needed.value))
    return 0


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
    number, words = f"-page{page}" if page else "", slug(question)
    name = f"{Path(image).stem}{number}-{arguments.method}-{arguments.tokens}"
    return f"{name}-{words}.png" if words else f"{name}.png"


def _bench(arguments: argparse.Namespace) -> int:
    from homunculus.lab.speed.command import run

    with progress("measuring") as shown:
        result, text = run(arguments, shown.say)
    print(json.dumps(result, indent=2) if arguments.json else text)
    return 0


def _train(arguments: argparse.Namespace) -> int:
    from homunculus.lab.measure.command import suite_folder
    from homunculus.lab.measure.parts import part
    from homunculus.lab.measure.suite import read
    from homunculus.lab.train.command import describe_resources, run

    real = part(read(suite_folder(arguments.suite)), "train") if arguments.suite else []
    resources, *warnings = describe_resources()
    print(resources)
    for warning in warnings:
        _fail("train", warning)
    print("wrote", run(arguments, [(one.path, one.text, one.boxes) for one in real]))
    return 0


def _measure(arguments: argparse.Namespace) -> int:
    from homunculus.lab.measure.command import ahead, table
    from homunculus.lab.official.command import dry_run, is_official, run

    if arguments.dry_run:
        from homunculus.lab.official.bakeoff import dry_text

        cost = dry_run(arguments)
        print(json.dumps(cost) if arguments.json else dry_text(cost))
        return 0
    if not is_official(arguments) and (told := ahead(arguments)):
        print(f"homunculus measure: {told}", file=sys.stderr)
    theirs = nullcontext(Progress("measuring"))  # lmms-eval draws its own
    with theirs if is_official(arguments) else progress("measuring") as tell:
        known = arguments.out is not None and arguments.out.exists()
        result, out = run(arguments, tell)
    print(json.dumps(result) if arguments.json else table(result))
    replaced = " (replaced)" if known else ""
    print(f"wrote {out}{replaced}", file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _eyetest(arguments: argparse.Namespace) -> int:
    from homunculus.lab.eyetest import drawing, run, text

    with progress("reading") as tell:
        result, out = run(arguments, tell)
    print(json.dumps(result) if arguments.json else text(result))
    print(f"wrote {out} and {drawing(out)}", file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _decide(arguments: argparse.Namespace) -> int:
    from homunculus.lab.decide.command import run, summary

    with progress("computing intervals"):
        decision, outputs = run(arguments)
    print(json.dumps(decision) if arguments.json else summary(decision, outputs))
    return 0
