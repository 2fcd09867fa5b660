"""`homunculus budget`: how many tokens a question needs."""

import argparse
import json
from typing import Any

from homunculus.commands.command import Command
from homunculus.commands.picture import (
    IMAGE,
    each_page,
    open_source,
    page_lines,
    planner_flags,
    with_words,
)
from homunculus.flags import json_flag
from homunculus.progress import progress


def flags(budget: argparse.ArgumentParser) -> None:
    add = budget.add_argument
    add("image", help=IMAGE)
    add("question", help="what is asked of the picture")
    about = "how likely the answer must be readable (%(default)s)"
    add("--legible", type=float, default=0.8, metavar="P", help=about)
    planner_flags(budget)
    json_flag(budget)


def run(arguments: argparse.Namespace) -> int:
    from homunculus.planner.bill import check_legible
    from homunculus.views import Planner

    check_legible(arguments.legible)
    name, source = open_source(arguments.image)

    def show(page: int) -> int:
        with progress(f"looking at {name}"):
            planner = Planner(
                with_words(arguments, source, page), arguments.question, page=page,
                model=arguments.model, acuity=arguments.acuity, scout=arguments.scout,
                ocr=arguments.ocr,
            )  # fmt: skip
            needed = planner.budget(arguments.legible)
        if arguments.json:
            print(json.dumps(_budget_facts(planner, needed)))
        else:
            lines = _budget_lines(planner, needed, arguments.legible)
            print("\n".join([*page_lines(arguments, planner.picture), *lines]))
        return planner.picture.pages

    each_page(arguments.page, show)
    return 0


def _budget_facts(planner: Any, needed: Any) -> dict[str, Any]:
    rule, picture, basis = planner.rule, planner.picture, planner.sight.basis
    value = None if needed.value is None else round(needed.value, 4)
    return {
        "tokens": needed.tokens, "value": value, "reached": needed.reached,
        "untouched": rule.count(picture.original), "model": rule.name,
        "basis": basis, "guess": basis != "found", "sure": round(planner.sight.sure, 3),
        "token_px": rule.token_px, "acuity": planner.acuity.name,
        "page": picture.page, "pages": picture.pages,
    }  # fmt: skip


def _budget_lines(planner: Any, needed: Any, legible: float) -> list[str]:
    from homunculus.planner.bill import least

    rule = planner.rule
    if not planner.sight.sure:
        why = planner.sight.unsure
        return [f"Cannot estimate a budget: the scout does not know where to look. {why}".rstrip()]
    if not planner.outlook.known:
        return [f"Cannot estimate a budget. {planner.outlook.promise(needed.value)}"]
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


COMMAND = Command(
    "budget", "say how many tokens a question needs", 'page.png "What is the total?"', flags, run
)
