"""300 requests of all kinds through a real proxy: no picture costs more than its budget, ever."""

import json
import random
import re
from functools import cache
from io import BytesIO

import pytest
from PIL import Image

from homunculus.messages.pictures import is_view
from homunculus.planner.models import token_rule
from proxy.test_litellm import (
    CLAUDE_TURNS,
    MODELS,
    NAMED,
    RESPONSE_TURNS,
    ROUTES,
    STRANGE,
    TOOL,
    ask,
    files_in,
    is_picture,
    others,
    picture,
    words,
    wrap,
)  # fmt: skip
from serving.client import packed, page

MANY = 300
BUDGETS = ("16", "32", "50", "64", "100", "5000")
"""Of a header; the last one is more than any model allows here."""


@pytest.fixture(scope="module")
def proxy(start):
    return start(HOMUNCULUS_SECONDS="120")


@cache
def pool() -> list[bytes]:
    """Print, noise and nothing, from one pixel on."""
    chance = random.Random(5)
    sizes = [(1, 1), (3, 60), (33, 31), (64, 64), (120, 300), (240, 180), (400, 90), (1500, 2000)]
    images = [Image.new("RGB", (wide, high), "white") for high, wide in sizes]
    images.append(Image.frombytes("RGB", (97, 203), chance.randbytes(97 * 203 * 3)))
    images += [page(300, 400, 7), page(640, 500, 8), page(90, 800, 9)]
    return [packed(image) for image in images]


def kinds():
    """Route, model, stream, header, form and numbers of pictures, of each request."""
    chance = random.Random(16)
    for at in range(MANY):
        route, model = ROUTES[at % 3], list(MODELS)[at // 3 % 3]
        many = chance.choice((1, 1, 2, 3))
        which = [chance.randrange(len(pool())) for _ in range(many)]
        form = chance.choice(("plain", "plain", "turns", "tool"))
        header = chance.choice(BUDGETS) if chance.random() < 0.5 else ""
        yield route, model, chance.random() < 0.5, header, form, which


def turns(route: str, form: str, files: list[bytes], at: int) -> tuple[list, dict]:
    """What a client sends: one turn, several, or the result of a tool."""
    parts = [picture(route, file) for file in files]
    question = ("What is the total?", "When was it?")[at % 2]
    user = {"role": "user", "content": [words(route, "Look."), *parts, words(route, question)]}
    if form == "turns":
        said = {"role": "assistant", "content": "300"}
        return [user, said, {"role": "user", "content": f"Why {at}?"}], {}
    if form == "tool" and route.endswith("messages"):
        *before, last = CLAUDE_TURNS
        result = last["content"][0] | {"content": [words("", f"Done {at}."), *parts]}
        return [*before, {"role": "user", "content": [result]}], {"tools": [TOOL]}
    if form == "tool" and route.endswith("responses"):
        *before, last = RESPONSE_TURNS
        return [*before, last | {"output": parts}], {}
    return [user], {}


def groups(rule: str, body) -> list[int]:
    """What each original costs: its views follow each other, named as parts of it."""
    costs, label = [], ""

    def walk(one) -> None:
        nonlocal label
        if isinstance(one, list):
            for each in one:
                walk(each)
        elif isinstance(one, dict):
            if "text" in one:
                label = str(one["text"])
            for file in files_in(one) if is_picture(one) else ():
                size = Image.open(BytesIO(file)).size[::-1]
                costs.extend([] if re.match(r"(Picture \d+, d|D)etail", label) else [0])
                costs[-1] += token_rule(rule).count(size)
                label = ""
            if not is_picture(one):
                walk(list(one.values()))

    walk(body)
    return costs


def unnamed(body) -> str:
    """All that is neither a picture nor a line that names one, also where LiteLLM joins lines."""
    return re.sub(rf"(\\n)?({NAMED})", "", json.dumps(others(body)))


def test_no_picture_costs_more_than_its_budget(proxy, recorder) -> None:
    shown, left, saved = 0, 0, 0
    for at, (route, model, stream, header, form, which) in enumerate(kinds()):
        recorder.seen.clear()
        files = [pool()[one] for one in which]
        sent, more = turns(route, form, files, at)
        more |= {"stream": True} if stream else {}
        headers = {"x-homunculus-tokens": header} if header else {}
        ask(proxy, route, wrap(route, model, sent, more), **headers)
        ask(proxy, route, wrap(route, STRANGE[model], sent, more), **headers)
        body, plain = (one.body for one in recorder.seen)
        rule, tokens = MODELS[model]
        tokens = min(tokens, int(header or tokens))
        costs, before = groups(rule, body), groups(rule, plain)
        told = (at, route, model, header, form, which, costs, before)
        if form == "tool" and route == ROUTES[2] and model != "claude":
            assert sum(costs) <= tokens * len(files), told  # LiteLLM parts them from their lines
        else:
            assert len(costs) == len(files), told
            assert max(costs) <= tokens, told
        assert files_in(plain) == files, told
        assert unnamed(body) == unnamed(plain), told
        shown += sum(map(is_view, files_in(body)))
        left += sum(file in files for file in files_in(body))
        saved += sum(before) - sum(costs)
    print(f"{MANY} of {MANY}: {shown} views, {left} pictures as they were, {saved} tokens fewer")
    assert shown > MANY
    assert left < shown
