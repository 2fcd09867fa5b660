"""A recorder in place of every provider, and proxies in processes of their own before it."""

import json
import os
import secrets
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from homunculus.lab.speed.server import ServerProcess, free_port

HOOK = "homunculus.serve.litellm.hook"
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
CHAT = {
    "id": "1", "object": "chat.completion", "created": 0, "model": "m", "usage": USAGE,
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}
    ],
}  # fmt: skip
MESSAGE = {
    "id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
    "stop_sequence": None, "content": [{"type": "text", "text": "ok"}],
    "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip
OUTPUT = {
    "type": "message", "id": "2", "role": "assistant", "status": "completed",
    "content": [{"type": "output_text", "text": "ok", "annotations": []}],
}  # fmt: skip
RESPONSE = {
    "id": "resp_1", "object": "response", "created_at": 0, "model": "m", "status": "completed",
    "output": [OUTPUT], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
}  # fmt: skip


def chunk(delta: dict, end: str | None = None) -> dict:
    choice = {"index": 0, "delta": delta, "finish_reason": end}
    facts = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return facts | {"choices": [choice]}


STREAMS = {
    "/chat/completions": [chunk({"role": "assistant", "content": "ok"}), chunk({}, "stop")],
    "/messages": [
        {"type": "message_start", "message": MESSAGE | {"content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {
            "type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": "ok"},
        },
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ],
    "/responses": [
        {
            "type": "response.created", "sequence_number": 0,
            "response": RESPONSE | {"status": "in_progress", "output": []},
        },
        {
            "type": "response.output_text.delta", "sequence_number": 1, "item_id": "2",
            "output_index": 0, "content_index": 0, "delta": "ok", "logprobs": [],
        },
        {"type": "response.completed", "sequence_number": 2, "response": RESPONSE},
    ],
}  # fmt: skip
PLAIN = {"/chat/completions": CHAT, "/messages": MESSAGE, "/responses": RESPONSE}


class Recorder(BaseHTTPRequestHandler):
    """Keeps what it is sent, and answers as each API does."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append((self.path, body, dict(self.headers)))
        end = next(end for end in PLAIN if self.path.partition("?")[0].endswith(end))
        if end == self.server.fault:
            self._answer(b'{"error": {"message": "busy"}}', "application/json", 503)
        elif body.get("stream"):
            events = [f"event: {one.get('type')}\n" * ("type" in one) for one in STREAMS[end]]
            lines = [
                f"{event}data: {json.dumps(one)}\n\n"
                for event, one in zip(events, STREAMS[end], strict=True)
            ]
            done = ["data: [DONE]\n\n"] * (end == "/chat/completions")
            self._answer("".join(lines + done).encode(), "text/event-stream")
        else:
            self._answer(json.dumps(PLAIN[end]).encode(), "application/json")

    def _answer(self, data: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def provider():
    """One recorder for all proxies."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    server.seen, server.fault = [], ""
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def recorder(provider):
    """The recorder, with nothing in its book."""
    provider.seen.clear()
    provider.fault = ""
    return provider


class Proxy(ServerProcess):
    """A LiteLLM proxy before the recorder."""

    def __init__(self, folder: Path, callback: str, upstream: str, **variables: str) -> None:
        self.port, self.log = free_port(), folder / "log.txt"
        settings = folder / "config.yaml"
        settings.write_text(json.dumps(config(callback, upstream)))
        command = [
            sys.executable, "-m", "litellm.proxy.proxy_cli", "--config", str(settings),
            "--host", "127.0.0.1", "--port", str(self.port), "--telemetry", "False",
        ]  # fmt: skip
        key = f"sk-{secrets.token_hex(32)}"  # without one, or with an easy one, it does not start
        quiet = {
            "LITELLM_LOCAL_MODEL_COST_MAP": "True", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1",
            "ANTHROPIC_API_BASE": upstream, "ANTHROPIC_API_KEY": "k", "LITELLM_MASTER_KEY": key,
        }  # fmt: skip
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=folder, start_new_session=True,
                env=os.environ | quiet | variables,
            )  # fmt: skip
        self.client = httpx.Client(
            base_url=self.url, timeout=120, headers={"authorization": f"Bearer {key}"}
        )

    def healthy(self) -> bool:
        """LiteLLM's own page of health asks its models; this one says that it lives."""
        try:
            return self.client.get("/health/liveliness").status_code == 200
        except httpx.HTTPError:
            return False

    def stop(self) -> None:
        self.client.close()
        super().stop()

    def counts(self) -> dict[str, float]:
        """Our counters on its page of metrics."""
        lines = self.client.get("/metrics/").text.splitlines()
        pairs = [line.rsplit(" ", 1) for line in lines if line.startswith("homunculus_")]
        return {name.removeprefix("homunculus_"): float(value) for name, value in pairs}


def config(callback: str, upstream: str) -> dict:
    """What a config.yaml holds; JSON is YAML."""

    def model(name: str, full: str, **info: object) -> dict:
        base = upstream if full.startswith("anthropic/") else f"{upstream}/v1"
        settings = {"model": full, "api_base": base, "api_key": "k"}
        return {"model_name": name, "litellm_params": settings, "model_info": info}

    models = [
        model("gpt", "openai/gpt-6", homunculus_tokens=100),
        model("claude", "anthropic/claude-opus-4-8", homunculus_tokens=64),
        model("qwen", "hosted_vllm/Qwen/Qwen2.5-VL-7B-Instruct", homunculus_tokens=80),
        model("mine", "openai/mine", homunculus_tokens=90, homunculus_model="claude"),
        model("usual", "openai/gpt-5.4"),
        model("usual-strange", "openai/gpt-5.4"),
        model("strange", "openai/strange"),
        model("strange-claude", "anthropic/strange"),
        model("strange-qwen", "hosted_vllm/strange"),
        model("wrong", "openai/wrong", homunculus_model="claud"),
    ]
    settings = {"callbacks": [callback, "prometheus"], "num_retries": 1}
    fallbacks = [{"usual": ["claude"]}, {"usual-strange": ["strange-claude"]}]
    router = {"fallbacks": fallbacks, "num_retries": 1, "disable_cooldowns": True}
    return {"model_list": models, "litellm_settings": settings, "router_settings": router}


@pytest.fixture(scope="session")
def start(provider, tmp_path_factory):
    """A function that starts a proxy, and ends the one before: one at a time."""
    running = []

    def one(callback: str = HOOK, code: str = "", **variables: str) -> Proxy:
        while running:
            running.pop().stop()
        folder = tmp_path_factory.mktemp("proxy")
        (folder / "beside.py").write_text(code)
        running.append(Proxy(folder, callback, url(provider), **variables))
        return running[0].wait()

    yield one
    while running:
        running.pop().stop()


def url(server) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}"
