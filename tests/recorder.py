"""A recorder on loopback in the place of every provider: it keeps what it is sent."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

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


GEMINI = {
    "candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": "ok"}]}}],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
}


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
    ":streamGenerateContent": [GEMINI],
}  # fmt: skip
PLAIN = {
    "/chat/completions": CHAT, "/messages": MESSAGE, "/responses": RESPONSE,
    ":generateContent": GEMINI, ":streamGenerateContent": GEMINI,
}  # fmt: skip


class Seen(NamedTuple):
    """A request as it came."""

    path: str
    body: dict
    headers: dict[str, str]
    raw: bytes


class Recorder(BaseHTTPRequestHandler):
    """Keeps what it is sent, and answers as each API does."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        body = json.loads(raw)
        self.server.seen.append(Seen(self.path, body, dict(self.headers), raw))
        end = next(end for end in PLAIN if self.path.partition("?")[0].endswith(end))
        if end == self.server.fault:
            self._answer(b'{"error": {"message": "busy"}}', "application/json", 503)
        elif body.get("stream") or end.startswith(":stream"):
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


@contextmanager
def recording() -> Iterator[ThreadingHTTPServer]:
    """A recorder with an empty book; a path in `fault` is answered with 503."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    server.seen, server.fault = [], ""
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def url(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}"
