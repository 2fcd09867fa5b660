"""The command line: verbs that parse, call a room and print. Heavy rooms load inside their verb."""

import argparse
import json
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import Any, NoReturn

from homunculus import __version__, methods
from homunculus.flags import count, json_flag, numbers, slug, whole
from homunculus.lazy import MissingExtra

PATIENCE = 2.0
"""Seconds before a person at a terminal is told that work goes on."""


class _Parser(argparse.ArgumentParser):
    room: str | None = None
    """Whose `command.flags` are still to be added: a room is loaded once its verb is called."""

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """The same, with the flags of the verb's own room."""
        if self.room:
            room, self.room = import_module(f"homunculus.{self.room}.command"), None
            room.flags(self)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """One line and the way to help, not a page of usage."""
        self.exit(2, f"{self.prog}: {message}\nTry `{self.prog} --help`.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 is well, 2 is a mistake that a message explains."""
    try:
        parser = _parser()
        arguments, rest = parser.parse_known_args(argv)
        if rest and arguments.verb != "serve":  # whose flags are vLLM's, too
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        arguments.rest = rest
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


def _fail(verb: str, message: str, code: int = 2) -> int:
    print(f"homunculus {verb}: {message}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="homunculus", description="Every image costs exactly K tokens: those a question needs."
    )
    parser.add_argument("--version", action="version", version=f"homunculus {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    listing = verbs.add_parser("methods", help="list the methods and the controls")
    _show_parser(verbs.add_parser("show", help="draw what is kept of a picture"))
    about = "a picture as a few small pictures, for any model"
    _views_parser(verbs.add_parser("views", help=about))
    _cost_parser(verbs.add_parser("cost", help="what a picture costs with each model"))
    about = "how many tokens a picture and a question need"
    _budget_parser(verbs.add_parser("budget", help=about))
    _bench_parser(verbs.add_parser("bench", help="measure what this costs, as ratios"))
    _far(verbs.add_parser("train", help="train the weights of a scout"), "lab.train", _train)
    _far(
        verbs.add_parser("measure", help="measure what kept tokens show"), "lab.official", _measure
    )
    _eyetest_parser(verbs.add_parser("eyetest", help="measure how small a reader still reads"))
    _far(verbs.add_parser("decide", help="write a GO or NO-GO report"), "lab.decide", _decide)
    _mcp_parser(
        verbs.add_parser("mcp", help="a tool for agents: look at a picture within a budget")
    )
    about = "compare methods on your own picture, in the browser"
    _studio_parser(verbs.add_parser("studio", help=about))
    serve = verbs.add_parser("serve", help="a server on which every image costs K tokens (vLLM)")
    _far(serve, "engines.vllm", _serve)
    listing.set_defaults(run=_methods)
    json_flag(listing)
    return parser


IMAGE = "PNG, JPEG, WebP, GIF, BMP or PDF"


def _far(verb: _Parser, room: str, run: Callable[[argparse.Namespace], int]) -> None:
    """A verb whose flags its own room knows."""
    verb.set_defaults(run=run)
    verb.room = room


def _show_parser(show: argparse.ArgumentParser) -> None:
    show.set_defaults(run=_show)
    add = show.add_argument
    add("image", help=IMAGE)
    add("question", nargs="?", default="", help="what is asked of the picture")
    add("--method", help="see `homunculus methods`; planned views if you name none")
    add("--tokens", type=count, default=273, help="the budget (%(default)s)")
    add("--patch", type=count, help="pixels along a token (16; for views, what the model counts)")
    about = "whose tokens are counted: sets --patch, and says what the untouched picture would cost"
    add("--model", help=f"{about} (for views, qwen3-vl)")
    about = "whose eyes views are planned for: a name or a result of `homunculus eyetest`"
    add("--acuity", default="vlm", help=f"{about} (%(default)s)")
    add("--fixation", type=numbers(2), metavar="X,Y", help="fractions up to 1,1, or pixels")
    add("--page", type=whole, default=0, help="page of a PDF, counted from 0 (%(default)s)")
    about = "the answer's boxes in pixels, for `oracle`"
    add("--boxes", type=numbers(4), nargs="+", metavar="X0,Y0,X1,Y1", help=about)
    add("--compress", type=float, help="share of slots for the coarse level, 0 to 1")
    add("--explore", type=float, help="temperature on relevance, 1 as it is")
    add("--focus", type=float, help="field of view in degrees, 40 by default")
    add("--why", action="store_true", help="print which words and things were found, and where")
    about = "what says where the question looks: auto, words, pixels, or a folder with weights"
    add("--scout", default="auto", metavar="NAME|DIR", help=f"{about} (%(default)s)")
    about = "file to write (IMAGE-METHOD-TOKENS-QUESTION.png in the current folder)"
    add("-o", "--out", type=Path, help=about)
    json_flag(show)


def _views_parser(views: argparse.ArgumentParser) -> None:
    views.set_defaults(run=_views)
    add = views.add_argument
    add("image", help=IMAGE)
    add("question", nargs="?", default="", help="what is asked of the picture")
    add("--tokens", type=count, required=True, help="the budget, as the model counts")
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
    add("--legible", type=float, default=0.95, metavar="P", help=about)
    _planner_flags(budget)
    json_flag(budget)


def _planner_flags(verb: argparse.ArgumentParser) -> None:
    """What views are planned by."""
    add = verb.add_argument
    add("--model", default="qwen3-vl", help="whose tokens: see `homunculus cost` (%(default)s)")
    about = "whose eyes: a name or a result of `homunculus eyetest` (%(default)s)"
    add("--acuity", default="vlm", help=about)
    add("--page", type=whole, default=0, help="page of a PDF, counted from 0 (%(default)s)")
    about = "what says where the question looks (%(default)s)"
    add("--scout", default="auto", metavar="NAME|DIR", help=about)


def _bench_parser(bench: argparse.ArgumentParser) -> None:
    bench.set_defaults(run=_bench)
    about = "core: every rule against bare top-K; plan: planning views against an encoder; "
    about += "proxy: LiteLLM with our hook against the same without it; "
    about += "scout: a page and its questions against an encoder; things: a photo and its "
    about += "questions against an encoder; transformers: requests to a "
    about += "model of real size against the same untouched; vllm: servers under load"
    what = ["core", "plan", "proxy", "scout", "things", "transformers", "vllm"]
    bench.add_argument("what", choices=what, help=about)
    about = "runs per number (60; 20 for plan and things, 10 for scout, 5 for transformers; "
    about += "rounds: 5 for proxy, 3 for vllm)"
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


def _serve(arguments: argparse.Namespace) -> int:
    from homunculus.engines.vllm.command import serve

    return serve(arguments, arguments.rest)


def _methods(arguments: argparse.Namespace) -> int:
    from homunculus.core.methods import PLANNED, unavailable

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
        }
        for one in (*methods().values(), *PLANNED.values())
    ]
    if arguments.json:
        print(json.dumps({"methods": rows}, indent=2))
        return 0
    print(f"{'method':<18}{'kind':<9}{'looks at':<18}{'fixates':<9}about")
    for row in rows:
        kind = "control" if row["control"] else "method"
        fixates = "yes" if row["fixation"] else ""
        print(f"{row['name']:<18}{kind:<9}{row['source']:<18}{fixates:<9}{row['about']}")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from homunculus.core.methods import DEFAULT, PLANNED, get_method
    from homunculus.planner.models import token_rule
    from homunculus.relevance import Dials
    from homunculus.show import look

    arguments.method = arguments.method or DEFAULT
    if arguments.method in PLANNED:
        return _show_views(arguments)
    try:
        chosen = get_method(arguments.method)
    except KeyError as error:
        return _fail("show", error.args[0])
    out = _out(arguments)
    replaced = out.exists()
    turned = {dial: getattr(arguments, dial) for dial in ("compress", "explore", "focus")}
    dials = Dials(**{dial: value for dial, value in turned.items() if value is not None})
    with _patience(f"looking at {Path(arguments.image).name}"):
        given = ("question", "tokens", "model", "fixation", "boxes", "page", "scout")
        asked = {name: getattr(arguments, name) for name in given}
        seen = look(
            arguments.image, **asked, patch=arguments.patch or 16, method=chosen, dials=dials
        )
        seen.save(out)
    facts = seen.to_json() | {"saved": str(out), "replaced": replaced}
    lines = [seen.caption()]
    if arguments.model:
        rule = token_rule(arguments.model)
        many = rule.count(seen.picture.original)
        lines.append(f"Untouched, the picture costs {many} {rule.token}.")
    _tell(arguments, facts, lines)
    return 0


def _show_views(arguments: argparse.Namespace) -> int:
    from homunculus.core.methods import DEFAULT_OF_CELLS
    from homunculus.planner import scout_cells, views
    from homunculus.show import notes, why_facts
    from homunculus.show.views import caption, draw_views

    for flag in ("fixation", "boxes", "compress", "explore", "focus"):
        if getattr(arguments, flag) is not None:
            return _fail(
                "show",
                f"views do not know --{flag}, methods that keep cells of one image do. "
                f"Add --method {DEFAULT_OF_CELLS}, or another of `homunculus methods`.",
            )
    out = _out(arguments)
    replaced = out.exists()
    with _patience(f"looking at {Path(arguments.image).name}"):
        seen = views(
            arguments.image, arguments.question, tokens=arguments.tokens,
            model=arguments.model or arguments.patch or "qwen3-vl", scout=arguments.scout,
            page=arguments.page,
            acuity=arguments.acuity,
        )  # fmt: skip
        draw_views(seen).save(out)
    cell = scout_cells(seen.picture.size)[1]
    facts = seen.to_json() | {
        "notes": notes(seen.picture, seen.question, seen.sight, arguments.page),
        "why": why_facts(seen.sight, seen.sight.logit, seen.picture, cell),
        "saved": str(out),
        "replaced": replaced,
    }
    facts["image"] = {"page": arguments.page, "pages": seen.picture.pages}
    _tell(arguments, facts, [caption(seen)])
    return 0


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
    if (pages := facts["image"]["pages"]) > 1:
        print(f"Other pages: --page 0 to --page {pages - 1}, counted from 0.")
    if arguments.why:
        print(why_table(facts["why"], sys.stdout.isatty()))


def _views(arguments: argparse.Namespace) -> int:
    from homunculus.planner import views
    from homunculus.planner.messages import labels
    from homunculus.show.views import caption, draw_views

    out = arguments.out or Path(f"{Path(arguments.image).stem}-views")
    if Path(arguments.image).resolve().parent == out.resolve():
        return _fail("views", f"{out} holds the picture itself. Name another folder with -o.")
    with _patience(f"looking at {Path(arguments.image).name}"):
        given = ("question", "tokens", "model", "acuity", "scout", "page")
        seen = views(arguments.image, **{name: getattr(arguments, name) for name in given})
        paths = [str(path) for path in seen.save(out)]
        draw_views(seen).save(out / "sheet.png")
    facts: dict[str, Any] = seen.to_json() | {"files": paths, "labels": labels(seen)}
    (out / "views.json").write_text(json.dumps(facts, indent=2) + "\n")
    if arguments.json:
        print(json.dumps(facts))
        return 0
    for path, view in zip(paths, seen, strict=True):
        print(f"{path}: {view.size[1]}x{view.size[0]}, {view.tokens} tokens")
    print(caption(seen))
    for name, value in facts["setting"].items():
        print(f"These prices hold with {name}={value} in the request.")
    if seen.rule.facts.note:
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
    from homunculus.planner import Planner

    with _patience(f"looking at {Path(arguments.image).name}"):
        planner = Planner.of(
            arguments.image, arguments.question, arguments.model,
            arguments.acuity, arguments.scout, page=arguments.page,
        )  # fmt: skip
        needed = planner.budget(arguments.legible)
    rule, acuity = planner.need.rule, planner.need.acuity
    untouched = rule.count(planner.picture.original)
    if arguments.json:
        facts = {"tokens": needed.tokens, "value": round(needed.value, 4)}
        facts |= {"reached": needed.reached, "untouched": untouched, "model": rule.name}
        print(json.dumps(facts | {"token_px": rule.token_px, "acuity": acuity.name}))
        return 0
    if not planner.sight.sure:
        why = planner.sight.explanation
        print(f"No budget can be told: the scout does not know where to look. {why}")
        return 0
    token = rule.token
    if needed.reached:
        print(f"{needed.tokens} {token}, instead of {untouched} untouched")
    else:
        print(f"not even all {needed.tokens} {token} reach {arguments.legible:g}")
    print(
        f"The answer can be read from them with probability {needed.value:.3f}, "
        f"by a reader of {acuity.middle:g} px ({acuity.name})."
    )
    return 0


def _out(arguments: argparse.Namespace) -> Path:
    """Where to draw; checked before the work, and never over the picture itself."""
    image = Path(arguments.image)
    out = arguments.out or Path(_name(arguments))
    if not out.parent.is_dir():
        raise ValueError(f"no folder {out.parent} to write {out.name} to. Make it first.")
    if out.is_dir():
        raise ValueError(f"{out} is a folder. Name a file, such as {out / 'look.png'}.")
    if out.suffix.lower() not in (".png", ".jpg", ".jpeg", ".webp"):
        raise ValueError(f"expected an output that ends in .png, .jpg or .webp, got {out.name}.")
    if out.exists() and image.exists() and out.samefile(image):
        raise ValueError(f"{out} is the picture itself. Choose another name with -o.")
    return out


def _name(arguments: argparse.Namespace) -> str:
    """A file name of its own for every picture, page, method, budget and question."""
    page = f"-page{arguments.page}" if arguments.page else ""
    question = slug(arguments.question)
    name = f"{Path(arguments.image).stem}{page}-{arguments.method}-{arguments.tokens}"
    return f"{name}-{question}.png" if question else f"{name}.png"


def _bench(arguments: argparse.Namespace) -> int:
    from homunculus.lab.speed.command import run

    with _patience("measuring") as tell:
        result, text = run(arguments, tell)
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
    from homunculus.lab.measure.command import bar, table
    from homunculus.lab.official.command import run

    with bar("measuring") as tell:
        result, out = run(arguments, tell)
    print(json.dumps(result) if arguments.json else table(result))
    print(f"wrote {out}", file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _eyetest(arguments: argparse.Namespace) -> int:
    from homunculus.lab.eyetest import drawing, run, text
    from homunculus.lab.measure.command import bar

    with bar("reading") as tell:
        result, out = run(arguments, tell)
    print(json.dumps(result) if arguments.json else text(result))
    print(f"wrote {out} and {drawing(out)}", file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _decide(arguments: argparse.Namespace) -> int:
    from homunculus.lab.decide.command import run, summary

    with _patience("computing intervals"):
        decision, outputs = run(arguments)
    print(json.dumps(decision) if arguments.json else summary(decision, outputs))
    return 0


@contextmanager
def _patience(what: str) -> Generator[Callable[[str], None], None, None]:
    """A spinner on stderr once the work takes a while; nothing where nobody watches."""
    status: Any = None
    if sys.stderr.isatty():
        try:
            from rich.console import Console

            status = Console(stderr=True).status(what)
        except ImportError:
            pass
    if status is None:
        yield lambda _: None
        return
    timer = Timer(PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda step: status.update(f"{what}: {step}")
    finally:
        timer.cancel()
        timer.join()  # it may be starting just now
        status.stop()
