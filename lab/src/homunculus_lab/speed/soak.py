# pyright: basic
"""A server under mixed load for an hour: is anything lost or mixed up, does its memory grow?

The model is tiny and its weights are random, so that everything around it is what works. Pages are
new or known; some images are broken, some clients leave early, some are slow. Every answer is
compared with what the same page and question got before: alone, or in an earlier round.
"""

import asyncio
import io
import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any

from homunculus.eyes.provenance import provenance
from homunculus.lazy import need
from homunculus.pages import to_data_uri
from homunculus_lab.speed.folder import write
from homunculus_lab.speed.model import SMALLEST, Scale
from homunculus_lab.speed.server import NAME, OURS, ServerProcess

WHO = "homunculus bench soak"
TINY = replace(SMALLEST, tokens=24)
MIX = {
    "known": 28, "new page": 16, "new question": 10, "again": 30,
    "broken image": 6, "leaves early": 5, "slow client": 5,
}  # fmt: skip
"""Requests of each kind in a hundred. `again` is what the round before asked for the first time, be
it answered or not."""
SIZES = ((224, 288), (288, 224), (256, 256))
FIELDS = ("total", "date", "name", "shop", "number")
TOLERANCE = 1e-3
"""Of a log-probability: batches of other sizes add up in another order."""
PAIRS = 2000
"""Pairs of requests of which it is counted how many have answers that differ."""
PATIENCE = 1800.0
"""Seconds that a client waits."""
SETTLED = 600.0
"""Seconds after which memory should not grow: by then every cache is full."""
Answer = tuple[tuple[int, float], ...]
"""Tokens of an answer with their log-probabilities."""


@dataclass(frozen=True)
class SoakPlan:
    """How many requests, for how long, how many at once."""

    rounds: int = 200
    requests: int = 100
    """Of one round."""
    seconds: float = 3600.0
    """After which no other round begins."""
    at_once: int = 16
    known: int = 48
    """Pages with a question that are asked alone before, and then again and again."""
    alone: int = 200
    """Requests that are repeated alone at the end, with empty caches."""
    words: int = 4
    """Tokens of an answer."""
    flags: tuple[str, ...] = ()
    """More flags of the server."""


@dataclass(frozen=True)
class Case:
    """A page and a question, which always get the same answer."""

    page: int
    question: str

    def body(self, words: int, stream: bool = False) -> bytes:
        """The request."""
        return _body(page(self.page), self.question, words, stream)


@dataclass
class Tally:
    """What became of the requests."""

    ends: Counter[str] = field(default_factory=Counter)
    """`answered`, `refused`, `cancelled`, `failed` (5xx) or `lost` (no answer at all)."""
    kinds: Counter[str] = field(default_factory=Counter)
    expected: dict[Case, Answer] = field(default_factory=dict)
    compared: int = 0
    wrong: list[str] = field(default_factory=list)
    """Answers that are not those of their requests, and other surprises."""

    def check(self, case: Case, answer: Answer) -> None:
        """Compare an answer with the known one; the first is kept."""
        known = self.expected.setdefault(case, answer)
        if known is answer:
            return
        self.compared += 1
        if not agree(known, answer):
            self.wrong.append(f"{case}: expected {known}, got {answer}")


def agree(one: Answer, other: Answer) -> bool:
    """Whether two answers are the same up to rounding.

    Of two tokens that are equally likely either may come; what follows them cannot be compared.

    >>> agree(((3, -1.0), (4, -2.0)), ((3, -1.0002), (5, -2.0001)))
    True
    >>> agree(((3, -1.0), (4, -2.0)), ((3, -1.1), (4, -2.0)))
    False
    """
    for (token, value), (other_token, other_value) in zip(one, other, strict=True):
        if abs(value - other_value) > TOLERANCE:
            return False
        if token != other_token:
            return True
    return True


# ---- the run -------------------------------------------------------------------------------------


def measure(
    rounds: int = 0, progress: Callable[[str], None] | None = None, plan: SoakPlan | None = None
) -> dict[str, Any]:
    """Load a server round by round until all are done or the time is over."""
    plan = plan or SoakPlan()
    plan, source = replace(plan, rounds=rounds or plan.rounds), provenance()
    with tempfile.TemporaryDirectory(prefix="bench-soak-") as temporary:
        folder = write_model(TINY, Path(temporary))
        os.environ["VLLM_SERVER_DEV_MODE"] = "1"  # so that its caches can be emptied
        server = ServerProcess(OURS, folder, *_flags(plan))
        try:
            server.wait()
            found = asyncio.run(_soak(server, plan, progress or (lambda _: None)))
        finally:
            server.stop()
    return {
        "shape": f"{TINY.name}, random weights, float32",
        "tokens": TINY.tokens, "plan": vars(plan), "mix": MIX, **found, **source,
    }  # fmt: skip


def _flags(plan: SoakPlan) -> tuple[str, ...]:
    return (
        "--tokens", str(TINY.tokens), "--dtype", "float32", "--max-model-len", "2048",
        "--max-num-seqs", str(plan.at_once), "--enforce-eager",
        "--mm-processor-cache-gb", "0.05",  # full after a few minutes, so that a leak would show
        *plan.flags,
    )  # fmt: skip


async def _soak(
    server: ServerProcess, plan: SoakPlan, progress: Callable[[str], None]
) -> dict[str, Any]:
    http = need("httpx", "vllm", WHO)
    tally, lot, rows = Tally(), random.Random(0), list[dict[str, Any]]()
    # a connection for each request: a server closes idle ones just as they may be used again
    limits = http.Limits(max_keepalive_connections=0)
    async with http.AsyncClient(base_url=server.url, timeout=PATIENCE, limits=limits) as client:
        known = [Case(-1 - at // 2, question(at)) for at in range(plan.known)]
        for case in known:  # one at a time
            tally.check(case, (await _ask(client, case, plan.words))[1])
        at_start, start, fresh = await _metrics(client), monotonic(), list[Case]()
        for turn in range(plan.rounds):
            if monotonic() - start > plan.seconds:
                break
            requests, fresh = _requests(turn, plan, known, fresh, lot)
            began = monotonic()
            await _round(client, requests, plan, tally, random.Random(turn))
            now = monotonic()
            held = server.residents()
            rows.append({
                "second": round(now - start), "resident": sum(held.values()), "processes": held,
                "rate": round(len(requests) / (now - began), 2),
            })  # fmt: skip
            progress(f"round {turn + 1}: {dict(tally.ends)}, {len(tally.wrong)} wrong")
        seconds = monotonic() - start
        await _idle(client)
        metrics = await _metrics(client)
        alone = await _alone(client, plan, tally, lot)
    passed = {name: value - at_start.get(name, 0) for name, value in metrics.items()}
    return _result(tally, rows, seconds, passed) | {"alone": alone}


def _requests(
    turn: int, plan: SoakPlan, known: Sequence[Case], fresh: Sequence[Case], lot: random.Random
) -> tuple[list[tuple[str, Case]], list[Case]]:
    """The requests of a round with their kinds, and the cases that nobody asked before."""
    kinds = [kind for kind, many in MIX.items() for _ in range(many)]
    kinds = [kinds[at * len(kinds) // plan.requests] for at in range(plan.requests)]
    lot.shuffle(kinds)
    again, new, out = list(fresh), list[Case](), list[tuple[str, Case]]()
    for at, kind in enumerate(kinds):
        number = turn * plan.requests + at
        if kind in ("new page", "leaves early"):
            case = Case(number, question(number))
        elif kind == "new question":
            case = Case(lot.choice(known).page, f"{question(number)} ({number})")
        elif kind == "again" and again:
            case = again.pop()
        else:
            case = lot.choice(known)
        if kind in ("new page", "new question", "leaves early"):
            new.append(case)
        out.append((kind, case))
    return out, new


async def _round(
    client: Any, requests: Sequence[tuple[str, Case]], plan: SoakPlan, tally: Tally, lot: Any
) -> None:
    waiting = iter(requests)

    async def worker() -> None:
        for kind, case in waiting:
            tally.kinds[kind] += 1
            tally.ends[await _end(client, kind, case, plan.words, tally, lot)] += 1

    await asyncio.gather(*(worker() for _ in range(plan.at_once)))


async def _end(
    client: Any, kind: str, case: Case, words: int, tally: Tally, lot: random.Random
) -> str:
    """Send one request as its kind does; what became of it."""
    http = need("httpx", "vllm", WHO)
    try:
        if kind == "broken image":
            body = _body(broken(lot), case.question, words)
            status, answer = await _post(client, body)
        elif kind == "leaves early":
            work = _ask(client, case, words)
            status, answer = await asyncio.wait_for(work, lot.uniform(0.01, 1.0))
        elif kind == "slow client":
            status, answer = await _slowly(client, case, words)
        else:
            status, answer = await _ask(client, case, words)
    except TimeoutError:
        return "cancelled"
    except http.HTTPError as error:
        tally.wrong.append(f"{kind}: no answer ({error!r})")
        return "lost"
    if (status == 200) == (kind == "broken image"):
        tally.wrong.append(f"{kind}: status {status}")
    if status == 200 and kind != "broken image":
        tally.check(case, answer)
    return "answered" if status == 200 else "refused" if status < 500 else "failed"


async def _alone(
    client: Any, plan: SoakPlan, tally: Tally, lot: random.Random
) -> dict[str, int | float]:
    """Ask some requests again, one at a time and with empty caches."""
    cases = lot.sample(sorted(tally.expected, key=repr), min(plan.alone, len(tally.expected)))
    before = len(tally.wrong)
    for case in cases:
        for name in ("prefix", "mm", "encoder"):
            (await client.post(f"/reset_{name}_cache")).raise_for_status()
        tally.check(case, (await _ask(client, case, plan.words))[1])
    answers = list(tally.expected.values())
    pairs = [lot.sample(answers, 2) for _ in range(PAIRS)] if len(answers) > 1 else []
    return {
        "requests": len(cases),
        "wrong": len(tally.wrong) - before,
        "pairs_told_apart": round(1 - sum(agree(*pair) for pair in pairs) / PAIRS, 4),
    }


def _result(
    tally: Tally, rows: Sequence[Mapping[str, Any]], seconds: float, passed: Mapping[str, float]
) -> dict[str, Any]:
    ends, sent = tally.ends, sum(tally.kinds.values())
    settled = [row["resident"] for row in rows if row["second"] >= SETTLED]
    resident = [row["resident"] for row in rows]
    return {
        "seconds": round(seconds), "sent": sent, "kinds": dict(tally.kinds),
        **{name: ends[name] for name in ("answered", "refused", "cancelled", "failed", "lost")},
        "adds_up": sent == ends["answered"] + ends["refused"] + ends["cancelled"],
        "compared": tally.compared, "wrong": len(tally.wrong), "wrong_examples": tally.wrong[:5],
        "resident": [min(settled or resident), max(settled or resident)],
        "growth_after_minute_10": round(settled[-1] / settled[0] - 1, 4) if settled else None,
        "spread_after_minute_10": round(max(settled) / min(settled) - 1, 4) if settled else None,
        "metrics": dict(passed), "metrics_add_up": add_up(ends, passed), "each_round": list(rows),
    }  # fmt: skip


def add_up(ends: Mapping[str, int], passed: Mapping[str, float | int]) -> bool:
    """Whether the server counted what its clients did.

    A client that leaves may leave before the server has read the request, which then ends as bad
    (400), or after its answer.
    """
    answered, most = ends["answered"], ends["answered"] + ends["cancelled"]
    refused = ends["refused"]
    finished = passed["vllm:request_success_total"]
    images = passed["homunculus:images_total"] + passed["homunculus:images_reused_total"]
    return (
        answered <= finished <= most
        and answered <= images <= most
        and refused <= passed["http 4xx"] <= refused + ends["cancelled"]
        and passed["http 5xx"] == 0
        and passed["vllm:num_requests_running"] == passed["vllm:num_requests_waiting"] == 0
    )


# ---- the server's metrics ------------------------------------------------------------------------

COUNTED: tuple[str, ...] = (
    "vllm:request_success_total", "vllm:num_requests_running", "vllm:num_requests_waiting",
    "homunculus:images_total", "homunculus:images_reused_total", "homunculus:tokens_kept_total",
    "homunculus:tokens_native_total",
)  # fmt: skip


async def _metrics(client: Any) -> dict[str, float]:
    """Counters of vLLM and ours, and chats by the class of their status."""
    found = dict.fromkeys((*COUNTED, "http 2xx", "http 4xx", "http 5xx"), 0.0)
    for line in (await client.get("/metrics")).text.splitlines():
        name, _, value = line.rpartition(" ")
        plain = name.partition("{")[0]
        if plain in COUNTED:
            found[plain] += float(value)
        elif plain == "http_requests_total" and "/v1/chat/completions" in name:
            status = name.partition('status="')[2][:3]
            found[f"http {status}"] = found.get(f"http {status}", 0.0) + float(value)
    return found


async def _idle(client: Any, seconds: float = 60.0) -> None:
    """Wait until the server works for nobody."""
    until = monotonic() + seconds
    while monotonic() < until:
        found = await _metrics(client)
        if not found["vllm:num_requests_running"] + found["vllm:num_requests_waiting"]:
            return
        await asyncio.sleep(0.5)


# ---- requests ------------------------------------------------------------------------------------


def question(number: int) -> str:
    """One of a few questions."""
    return f"What is the {FIELDS[number % len(FIELDS)]}?"


def page(number: int) -> bytes:
    """A page of print as a PNG; every number has its own words."""
    import_module("PIL")
    from PIL import Image, ImageDraw

    lot, (high, wide) = random.Random(number), SIZES[number % len(SIZES)]
    image = Image.new("RGB", (wide, high), "white")
    pen = ImageDraw.Draw(image)
    for y in range(6, high - 14, 18):
        words = [*lot.sample(FIELDS, 3), str(lot.randrange(10**6)), f"{lot.randrange(999)}.50"]
        pen.text((6, y), "  ".join(words), fill=(lot.randrange(90),) * 3)
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue()


def broken(lot: random.Random) -> bytes:
    """A file that is no image."""
    files = (b"", b"hello, I am no image", b"\x89PNG\r\n\x1a\n" + bytes(64), page(0)[:900])
    return lot.choice(files)


def _body(png: bytes, asked: str, words: int, stream: bool = False) -> bytes:
    url = to_data_uri(png)
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": asked}]
    body = {
        "model": NAME, "messages": [{"role": "user", "content": parts}], "max_tokens": words,
        "temperature": 0, "ignore_eos": True, "logprobs": True, "stream": stream,
        "return_tokens_as_token_ids": True,
    }  # fmt: skip
    return json.dumps(body).encode()


KIND = {"Content-Type": "application/json"}


async def _ask(client: Any, case: Case, words: int) -> tuple[int, Answer]:
    return await _post(client, case.body(words))


async def _post(client: Any, body: bytes) -> tuple[int, Answer]:
    answer = await client.post("/v1/chat/completions", content=body, headers=KIND)
    return answer.status_code, (tuple(_tokens(answer.json())) if answer.status_code == 200 else ())


def _tokens(told: Mapping[str, Any]) -> Iterator[tuple[int, float]]:
    for choice in told["choices"]:
        for one in (choice.get("logprobs") or {}).get("content") or ():
            yield int(one["token"].removeprefix("token_id:")), one["logprob"]


async def _slowly(client: Any, case: Case, words: int) -> tuple[int, Answer]:
    """Send in small parts with breaks, and read the same way."""
    body, found = case.body(words, stream=True), list[tuple[int, float]]()

    async def parts() -> AsyncIterator[bytes]:
        for at in range(0, len(body), 1 + len(body) // 10):
            await asyncio.sleep(0.1)
            yield body[at : at + 1 + len(body) // 10]

    send = {"content": parts(), "headers": KIND}
    async with client.stream("POST", "/v1/chat/completions", **send) as answer:
        async for line in answer.aiter_lines():
            await asyncio.sleep(0.05)
            if line.startswith("data: {"):
                found.extend(_tokens(json.loads(line[6:])))
        return answer.status_code, tuple(found)


# ---- the model -----------------------------------------------------------------------------------


def write_model(scale: Scale, folder: Path) -> Path:
    """A model with weights under which every image token matters.

    Fresh weights are so small that all answers would be alike, and mixed ones would not be seen.
    """
    hf = need("transformers", "transformers", WHO)
    import torch

    config = hf.AutoConfig.from_pretrained(write(scale, folder))
    config.tie_word_embeddings = config.text_config.tie_word_embeddings = False
    model = hf.AutoModelForImageTextToText.from_config(config)
    lot = torch.Generator().manual_seed(0)
    for name, weight in model.named_parameters():
        noise = torch.randn(weight.shape, generator=lot)
        if weight.dim() == 1:
            weight.data = weight.data + noise / 10
        else:
            sharp = 4 if "q_proj" in name or "qkv" in name else 1
            weight.data = noise * sharp * (1 if "embed" in name else weight[0].numel() ** -0.5)
    model.save_pretrained(folder)
    return folder


def table(result: Mapping[str, Any]) -> str:
    """What happened, as text."""
    ends = ", ".join(
        f"{result[name]} {name}" for name in ("answered", "refused", "cancelled", "failed", "lost")
    )
    alone, (low, high) = result["alone"], result["resident"]
    growth = result["growth_after_minute_10"]
    return "\n".join((
        f"{result['shape']}: {result['tokens']} tokens per image",
        f"{result['sent']} requests in {result['seconds']} s: {ends}",
        f"{result['compared']} answers compared, {result['wrong']} wrong; "
        f"{alone['requests']} of them alone, {alone['wrong']} wrong",
        f"memory {low >> 20} to {high >> 20} MiB"
        + (f", {growth:+.1%} from minute 10 to the end" if growth is not None else ""),
        f"the server's own counts add up: {'yes' if result['metrics_add_up'] else 'no'}",
    ))  # fmt: skip
