"""A record of plans, kept tokens and rewritten requests of real pictures: for moving code about.

    HOMUNCULUS_DATA=FOLDER python tests/golden.py write record.json
    HOMUNCULUS_DATA=FOLDER python tests/golden.py check record.json

`write` takes two pictures of each suite and their first questions; `check` asks the same again and
names every difference; a refusal may change its words. Recorded are the plans of `views`, requests
of every form that `forms.py` knows, and what each method keeps: in `look`, in the transformers
engine before and after the encoder (a tiny model with random weights) and in vLLM's chooser before
and after it, which needs no vLLM.
"""

import gzip
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch

import tiny
from forms import Maker
from homunculus import Tokens, attach, get_method, list_methods, views
from homunculus.engines.vllm.choose import ANCHOR, CELL, PARTS, ImageInputs, choose_tokens
from homunculus.engines.vllm.settings import ServerSettings
from homunculus.pages import open_picture
from homunculus.serve import Rewriter
from homunculus.serve.bodies import Head, rewrite_body
from homunculus.show.cells import look
from homunculus_lab.measure.suite import read
from homunculus_lab.methods.answer import AnswerScout

BUDGETS = (64, 273)
MODELS = ("qwen3-vl", "claude", "gpt-6", "gpt-4o", "gemini-3")
"""Whose tokens `views` are planned for: one of each way of counting."""
REQUESTS = 2
"""Pictures that are put into requests."""
PICTURES = 12
CELLS = 1200
"""The most that the tiny model makes of a picture: its own processor stops at fewer than 273."""


def main(verb: str, name: str) -> int:
    """Write a record, or compare with one; 1 if anything differs."""
    path, data = Path(name), Path(os.environ["HOMUNCULUS_DATA"])
    known = json.loads(path.read_text("utf-8")) if verb == "check" else None
    asked = known["asked"] if known else pictures(data)
    kept, start = {}, time.monotonic()
    for at, one in enumerate(asked):
        path_of = data / one["image"]
        found = [*plans(path_of, one), *record(path_of, one)]
        found += requests(path_of) if at < REQUESTS else []
        kept |= {f"{one['image']} {key}": value for key, value in found}
        print(f"{at + 1} of {len(asked)}: {one['image']}, {time.monotonic() - start:.0f} s")
    if known is None:
        path.write_text(json.dumps({"asked": asked, "kept": kept}, indent=1) + "\n", "utf-8")
        print(f"wrote {path}: {len(kept)} entries")
        return 0
    same = {key: value if "refused" not in value else "" for key, value in kept.items()}
    before = {key: value if "refused" not in value else "" for key, value in known["kept"].items()}
    different = [key for key in before | same if before.get(key) != same.get(key)]
    print(*different, f"{len(different)} of {len(kept)} entries differ", sep="\n")
    return bool(different)


def pictures(data: Path) -> list[dict[str, Any]]:
    """Two of each suite that asks something, the first ones by name."""
    out: list[dict[str, Any]] = []
    for listing in sorted(data.rglob("qa.jsonl")):
        questions = read(listing.parent)
        first: dict[Path, Any] = {}
        for one in sorted(questions, key=lambda one: (one.path.name, one.text)):
            first.setdefault(one.path, one)
        for one in list(first.values())[:2]:
            boxes = [list(map(float, box)) for box in one.boxes]
            name = str(one.path.relative_to(data))
            out.append({"image": name, "question": one.text, "boxes": boxes})
    return out[:PICTURES]


def plans(path: Path, asked: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Views of each way of counting: names, boxes, sizes, prices and the estimate."""
    for model in MODELS:
        for tokens in BUDGETS:
            key = f"views {model} {tokens}"
            yield key, outcome(lambda k=tokens, m=model: plan(path, asked["question"], k, m))


def plan(path: Path, question: str, tokens: int, model: str) -> str:
    """What `views` would send."""
    seen = views(path, question, tokens=tokens, model=model)
    parts = [(one.name, tuple(one.box), one.size, one.tokens) for one in seen]
    return sha(repr((parts, None if seen.value is None else round(seen.value, 4))))


def outcome(run: Callable[[], str]) -> str:
    """What it gives, or why it is refused."""
    try:
        return run()
    except ValueError as error:
        return f"refused: {str(error)[:60]}"


def requests(path: Path) -> Iterator[tuple[str, str]]:
    """Every form of request, as it leaves a strict and an open door."""
    for strict in (True, False):
        door = Rewriter(128, strict=strict, model="claude")
        for form in Maker(path.read_bytes(), "claude-opus-4-8").forms():
            media = form.headers.get("content-type", "")
            head = Head(form.method, form.path, media, form.headers.get("content-encoding", ""))
            key = f"{'strict' if strict else 'open'} {form.name}"
            yield key, outcome(partial(rewritten, door, head, form.data))


def rewritten(door: Rewriter, head: Head, body: bytes) -> str:
    """The body that leaves."""
    sent = rewrite_body(door, head, body)[0]
    if isinstance(sent, bytes) and sent[:2] == b"\x1f\x8b":  # gzip writes the time
        sent = gzip.decompress(sent)
    return sha(repr(sent))


def record(path: Path, asked: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """One entry for each method, budget and surface: a hash, or why it is refused."""
    image = open_picture(path).image()
    question = asked["question"]
    for name in list_methods():
        for tokens in BUDGETS:
            told = get_method(name).source == "answer" and asked["boxes"]
            scout = AnswerScout(asked["boxes"]) if told else "auto"
            ways: dict[str, Any] = {
                "look": lambda n=name, k=tokens, s=scout: digest(
                    look(path, question, method=n, tokens=k, scout=s).tokens
                )
            }
            for where in ("before", "after"):
                ways[f"attach {where}"] = lambda n=name, k=tokens, w=where: engine(
                    image, question, n, k, w
                )
                ways[f"vllm {where}"] = lambda n=name, k=tokens, w=where: chooser(
                    image, question, n, k, w
                )
            for way, run in ways.items():
                yield f"{name} {tokens} {way}", outcome(run)


def engine(image: Any, question: str, name: str, tokens: int, where: str) -> str:
    """What the transformers engine keeps."""
    it = model()
    made = attach(it.model, it.processor, tokens=tokens, method=name, where=where)
    parts = [{"type": "image", "image": image}, {"type": "text", "text": question}]
    (one,) = made.prepare([{"role": "user", "content": parts}]).images
    return digest(one.choice.tokens, one.choice.anchor)


def chooser(image: Any, question: str, name: str, tokens: int, where: str) -> str:
    """What vLLM's processor sends to its worker."""
    it = model()
    inputs = ImageInputs(it.model.config, it.processor.image_processor, {}, torch.float32)
    settings = ServerSettings(tokens=tokens, method=name, where=where)
    sent = choose_tokens(inputs, [image], [question], settings)
    return hashed(*(sent[one] for one in (ANCHOR, PARTS, CELL) if one in sent))


@cache
def model() -> Any:
    """A tiny Qwen3-VL whose pictures may have many tokens."""
    it = tiny.load("qwen3_vl")
    it.processor.image_processor.size["longest_edge"] = 16 * 16 * CELLS
    return it


def digest(tokens: Tokens, *more: torch.Tensor) -> str:
    """Boxes and levels of the tokens that are valid."""
    valid = tokens.valid[0]
    return hashed(tokens.box[0][valid].float(), tokens.level[0][valid], *more)


def sha(text: str) -> str:
    """A short name of a text."""
    return sha256(text.encode()).hexdigest()[:16]


def hashed(*tensors: torch.Tensor) -> str:
    """A short name of values and shapes."""
    return sha("".join(repr((list(one.shape), one.tolist())) for one in tensors))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
