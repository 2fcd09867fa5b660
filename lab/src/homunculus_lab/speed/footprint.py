# pyright: basic
"""Memory of servers of another environment: the tool for agents, and LiteLLM's proxy."""

import base64
import json
import os
import secrets
import subprocess
import threading
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from homunculus_lab.speed.server import ServerProcess, free_port

QUESTION = "What is the total due?"
Numbers = dict[str, float]
OURS = ("HOMUNCULUS_", "OMP_", "PYTHONPATH", "COVERAGE_")
ANSWER = {
    "id": "1", "object": "chat.completion", "created": 0, "model": "m",
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}
    ],
}  # fmt: skip
BUDGET = {"homunculus_tokens": 64}


def environment(**more: str) -> dict[str, str]:
    """That of a user: without settings of ours."""
    return {name: text for name, text in os.environ.items() if not name.startswith(OURS)} | more


def _memory(server: ServerProcess, look: Callable[[Path], None], pictures: list[Path]) -> Numbers:
    """MB of a server before the first picture, and after all."""
    memory = [server.resident()]
    for path in pictures:
        look(path)
    memory.append(server.resident())
    server.stop()
    before, after = (round(size / 1e6, 1) for size in memory)
    return {"megabytes_before": before, "megabytes_after": after}


class Tool(ServerProcess):
    """`homunculus mcp`, which speaks line by line."""

    def __init__(self, python: str, room: Path) -> None:
        self.log = room / "tool.log"
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        command = [python, "-m", "homunculus", "mcp", str(room)]
        self.process = subprocess.Popen(
            command, **pipes, stderr=self.log.open("w"), env=environment(), start_new_session=True
        )

    def ask(self, method: str, number: int | None = None, **given: Any) -> dict[str, Any]:
        """Send a request and wait for its answer; what has no number has no answer."""
        message = {"jsonrpc": "2.0", "method": method, "params": given}
        message |= {} if number is None else {"id": number}
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        return {} if number is None else json.loads(self.process.stdout.readline())


def tool(python: str, pictures: list[Path]) -> Numbers:
    """Memory of `homunculus mcp`; the pictures are in one folder."""
    server = Tool(python, pictures[0].parent)
    us = {"name": "bench", "version": "0"}
    server.ask("initialize", 0, protocolVersion="2025-06-18", capabilities={}, clientInfo=us)
    server.ask("notifications/initialized")

    def look(path: Path) -> None:
        given = {"path": path.name, "question": QUESTION}
        result = server.ask("tools/call", 1, name="look_at", arguments=given)["result"]
        assert [part["type"] for part in result["content"]][1] == "image", result

    return _memory(server, look, pictures)


class Proxy(ServerProcess):
    """LiteLLM's proxy with our hook, before a provider that always says ok."""

    health = "/health/liveliness"

    def __init__(self, python: str, room: Path, upstream: str) -> None:
        self.port, self.log, self.key = free_port(), room / "proxy.log", secrets.token_hex(32)
        model = {"model": "openai/gpt-6", "api_base": f"{upstream}/v1", "api_key": "k"}
        models = [{"model_name": "gpt", "litellm_params": model, "model_info": BUDGET}]
        hook = {"callbacks": ["homunculus.serve.litellm.hook"]}
        config = {"model_list": models, "litellm_settings": hook}
        (room / "config.yaml").write_text(json.dumps(config))  # JSON is YAML
        command = [python, "-m", "litellm.proxy.proxy_cli", "--config", "config.yaml"]
        command += ["--host", "127.0.0.1", "--port", str(self.port), "--telemetry", "False"]
        own = {"LITELLM_MASTER_KEY": f"sk-{self.key}", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        log = self.log.open("w")
        self.process = subprocess.Popen(
            command, cwd=room, stdout=log, stderr=log, env=environment(**own),
            start_new_session=True,
        )  # fmt: skip


class Provider(BaseHTTPRequestHandler):
    """Says ok to everything."""

    def do_POST(self) -> None:
        """Read the request and answer it."""
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(ANSWER).encode())

    def log_message(self, *_: Any) -> None:
        """Be quiet."""


def proxy(python: str, pictures: list[Path]) -> Numbers:
    """Memory of LiteLLM's proxy with our hook."""
    provider = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    server = Proxy(python, pictures[0].parent, f"http://127.0.0.1:{provider.server_address[1]}")
    server.wait()
    head = {"authorization": f"Bearer sk-{server.key}", "content-type": "application/json"}

    def look(path: Path) -> None:
        url = f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
        parts = [{"type": "image_url", "image_url": {"url": url}}]
        parts += [{"type": "text", "text": QUESTION}]
        body = {"model": "gpt", "messages": [{"role": "user", "content": parts}]}
        request = urllib.request.Request(
            f"{server.url}/v1/chat/completions", json.dumps(body).encode(), head
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            assert int(answer.headers["x-homunculus-tokens-after"]) <= BUDGET["homunculus_tokens"]

    numbers = _memory(server, look, pictures)
    provider.shutdown()
    return numbers
