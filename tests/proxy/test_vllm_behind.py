"""A stock vLLM with a tiny model behind a real proxy: what the engine itself counts.

The model's tokenizer makes one token of each byte, so what is left of a prompt is pictures.
"""

import json

import httpx
import pytest

from homunculus.planner.models import token_rule
from homunculus.serve import Rewriter
from homunculus_lab.speed.folder import write
from homunculus_lab.speed.model import SMALLEST
from homunculus_lab.speed.server import NAME, PATIENCE, STOCK, ServerProcess
from homunculus_lab.speed.vllm import TEXT
from proxy.test_litellm import QUESTION, ROUTES, files_in, request
from serving.client import packed, page

ROUTE, TOKENS = ROUTES[0], 60
RULE = token_rule("qwen3-vl")
SIZES = [(1280, 960), (960, 800), (800, 800)]
FILES = [packed(page(*size, at)) for at, size in enumerate(SIZES)]
MARKS = 2
"""Tokens around each picture."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """vLLM as anybody starts it: nothing of ours is in it."""
    folder = write(SMALLEST, tmp_path_factory.mktemp("model"))
    path = next(one for one in folder.glob("*processor_config.json") if "size" in one.read_text())
    settings = json.loads(path.read_text())
    settings.get("image_processor", settings)["size"]["shortest_edge"] = 32 * 32
    path.write_text(json.dumps(settings))
    flags = ("--dtype", "float32", "--load-format", "dummy", "--max-model-len", "4096")
    server = ServerProcess(STOCK, folder, *flags, "--max-num-seqs", "4", "--enforce-eager")
    yield server.wait()
    server.stop()


@pytest.fixture(scope="module")
def proxy(start, engine):
    def model(name: str, **info: object) -> dict:
        settings = {"model": f"hosted_vllm/{NAME}", "api_base": f"{engine.url}/v1", "api_key": "k"}
        return {"model_name": name, "litellm_params": settings, "model_info": info}

    ours = model("behind", homunculus_model=RULE.name, homunculus_tokens=TOKENS)
    return start(models=[ours, model("behind-plain")], HOMUNCULUS_SECONDS="120")


def prompt(client, body: dict) -> int:
    """Tokens of the prompt, as vLLM counts them, streamed or not."""
    answer = client.post(ROUTE, json=body)
    assert answer.status_code == 200, answer.text
    if not body.get("stream"):
        assert answer.json()["choices"]
        return answer.json()["usage"]["prompt_tokens"]
    events = [line[6:] for line in answer.text.splitlines() if line.startswith("data: {")]
    counts = [json.loads(one)["usage"] for one in events if '"prompt_tokens"' in one]
    return counts[-1]["prompt_tokens"]


def text_tokens(body: dict) -> int:
    """One for each byte that is said, and those of the turns themselves."""
    count = 0
    for turn in body["messages"]:
        content = turn["content"]
        parts = [content] if isinstance(content, str) else [p.get("text", "") for p in content]
        count += len("".join(parts).encode()) + len(turn["role"]) + len("\n\n") + 2
    return count + len("assistant\n") + 1


def conversation(model: str) -> dict:
    first = request(ROUTE, model, FILES[0], FILES[1])
    turns = [*first["messages"], {"role": "assistant", "content": "300"}]
    last = request(ROUTE, model, FILES[2], question="And here?")["messages"]
    return first | {"messages": [*turns, *last]}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda model: request(ROUTE, model, FILES[0]),
        lambda model: request(ROUTE, model, *FILES),
        conversation,
    ],
    ids=["one", "three", "turns"],
)
def test_vllm_counts_what_the_rule_says(proxy, engine, make, stream: bool) -> None:
    more = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
    ours, plain = make("behind") | more, make("behind-plain") | more
    with_hook, without = prompt(proxy.client, ours), prompt(proxy.client, plain)

    shown, report = Rewriter(TOKENS).request(ours | {"model": NAME}, model=RULE)
    many = files_in(plain)
    assert report.pictures == len(many)
    originals = sum(RULE.count(SIZES[FILES.index(file)]) for file in many)
    assert without == text_tokens(plain) + originals + MARKS * len(many)
    views = files_in(shown)
    assert with_hook == text_tokens(shown) + report.tokens + MARKS * len(views)
    assert report.tokens <= TOKENS * len(many)
    assert with_hook < without
    with httpx.Client(base_url=engine.url, timeout=PATIENCE) as client:
        assert prompt(client, shown) == with_hook  # the same views, sent to vLLM directly


def test_the_count_of_text_is_that_of_the_bench() -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]}
    assert text_tokens(body) == len(QUESTION) + TEXT - MARKS
