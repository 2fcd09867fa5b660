"""Requests by which a picture might pass the cap: every form that was ever seen to, as a table."""

import gzip
import json
import zlib
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

QUESTION = "What is the total?"
JSON = {"content-type": "application/json"}
CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
GEMINI = "/v1beta/models/gemini-3-pro:generateContent"


@dataclass(frozen=True)
class Form:
    """One request."""

    name: str
    path: str
    body: Any
    headers: dict[str, str] = field(default_factory=lambda: dict(JSON))
    method: str = "POST"
    raw: bytes | None = None
    """The body as it is sent, where that is not plain JSON."""

    @property
    def data(self) -> bytes:
        """What is sent."""
        return json.dumps(self.body).encode() if self.raw is None else self.raw


class Maker:
    """Makes forms around one picture for one model."""

    def __init__(self, file: bytes, model: str, address: str = "http://127.0.0.1:9/a.png") -> None:
        self.base64, self.model, self.address = b64encode(file).decode(), model, address
        self.uri = f"data:image/png;base64,{self.base64}"

    # ---- parts

    def chat(self, uri: str | None = None, **more: Any) -> dict:
        return {"type": "image_url", "image_url": {"url": uri or self.uri}, **more}

    def response(self) -> dict:
        return {"type": "input_image", "image_url": self.uri, "detail": "auto"}

    def claude(self, **source: Any) -> dict:
        usual = {"type": "base64", "media_type": "image/png", "data": self.base64}
        return {"type": "image", "source": source or usual}

    def inline(self, media: str = "image/png", name: str = "inlineData", key: str = "mimeType"):
        return {name: {key: media, "data": self.base64}}

    # ---- requests

    def ask_chat(self, *parts: dict, **more: Any) -> dict:
        content = [*parts, {"type": "text", "text": QUESTION}]
        turns = [{"role": "user", "content": content}]
        return {"model": self.model, "max_tokens": 4, "messages": turns, **more}

    def ask_responses(self, *items: Any, **more: Any) -> dict:
        said = {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]}
        return {"model": self.model, "max_output_tokens": 16, "input": [said, *items], **more}

    def ask_gemini(self, *parts: dict, **more: Any) -> dict:
        turns = [{"role": "user", "parts": [*parts, {"text": QUESTION}]}]
        return {"contents": turns, **more}

    def plain(self) -> Form:
        """The request that everybody sends."""
        return Form("plain", CHAT, self.ask_chat(self.chat()))

    def forms(self) -> Iterator[Form]:
        """All of them."""
        yield self.plain()
        yield from self.chats()
        yield from self.items()
        yield from self.claudes()
        yield from self.geminis()
        yield from self.routes()
        yield from self.encodings()

    def chats(self) -> Iterator[Form]:
        ask, part = self.ask_chat, self.chat()
        yield Form("input beside messages", CHAT, ask(part, input="x"))
        yield Form("contents beside messages", CHAT, ask(part, contents=[{"parts": [{}]}]))
        yield Form("part without type", CHAT, ask({"image_url": {"url": self.uri}}))
        yield Form("bare part without type", CHAT, ask({"image_url": self.uri}))
        yield Form("space before data:", CHAT, ask(self.chat(" " + self.uri)))
        yield Form("newline before data:", CHAT, ask(self.chat("\n" + self.uri)))
        capital = self.uri.replace("data:image/png", "DATA:IMAGE/PNG")
        yield Form("capital data URI", CHAT, ask(self.chat(capital)))
        odd = self.uri.replace("image/png", "application/octet-stream")
        yield Form("octet-stream data URI", CHAT, ask(self.chat(odd)))
        yield Form("input_image in a chat", CHAT, ask(self.response()))
        yield Form("image of Anthropic in a chat", CHAT, ask(self.claude()))
        held = {"type": "file", "file": {"file_data": self.uri, "filename": "a.png"}}
        yield Form("file that is a picture", CHAT, ask(held))
        yield Form("tool named computer_x", CHAT, ask(part, tools=[{"type": "computer_x"}]))
        yield Form(
            "extra_body with messages", CHAT, ask(extra_body={"messages": ask(part)["messages"]})
        )
        yield Form("picture in the system turn", CHAT, self._system(part))
        yield Form("picture in a tool's turn", CHAT, self._tool(part))
        yield Form("image_pil", CHAT, ask({"type": "image_pil", "image_pil": self.uri}))
        yield Form("image_embeds", CHAT, ask({"type": "image_embeds", "image_embeds": self.base64}))
        video = {"type": "video_url", "video_url": {"url": self.uri}}
        yield Form("video_url", CHAT, ask(video))
        yield Form("type in capitals", CHAT, ask({"type": "IMAGE_URL", "image_url": self.uri}))
        yield Form(
            "text with a picture", CHAT, ask({"type": "text", "text": "a", "image_url": self.uri})
        )
        yield Form("with a uuid", CHAT, ask(self.chat(uuid="mine")))

    def _system(self, part: dict) -> dict:
        body = self.ask_chat()
        return body | {"messages": [{"role": "system", "content": [part]}, *body["messages"]]}

    def _tool(self, part: dict) -> dict:
        body = self.ask_chat()
        call = {"id": "c", "type": "function", "function": {"name": "see", "arguments": "{}"}}
        turns = [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": [part]},
        ]
        return body | {"messages": [*body["messages"], *turns]}

    def items(self) -> Iterator[Form]:
        ask, part = self.ask_responses, self.response()
        said = [part, {"type": "input_text", "text": QUESTION}]
        turn = {"role": "user", "content": said}
        yield Form("responses", RESPONSES, ask(turn))
        yield Form("input as an object", RESPONSES, ask() | {"input": turn})
        yield Form("messages beside input", RESPONSES, ask(turn, messages="x"))
        held = {"type": "input_file", "filename": "a.png", "file_data": self.uri}
        yield Form("input_file", RESPONSES, ask({"role": "user", "content": [held]}))
        screen = {"type": "computer_screenshot", "image_url": self.uri}
        output = {"type": "computer_call_output", "call_id": "c", "output": screen}
        yield Form("computer_call_output", RESPONSES, ask(output))
        drawn = {"type": "image_generation_call", "id": "i", "status": "completed"}
        yield Form("image_generation_call", RESPONSES, ask(drawn | {"result": self.base64}))
        yield Form(
            "prompt.variables", RESPONSES, ask(prompt={"id": "p", "variables": {"page": part}})
        )
        output = {"type": "function_call_output", "call_id": "c", "output": [part]}
        yield Form("function_call_output", RESPONSES, ask(output))

    def claudes(self) -> Iterator[Form]:
        text = {"type": "text", "text": QUESTION}

        def ask(*parts: Any, **more: Any) -> dict:
            turns = [{"role": "user", "content": [*parts, text]}]
            return {"model": self.model, "max_tokens": 4, "messages": turns, **more}

        yield Form("messages", MESSAGES, ask(self.claude()))
        yield Form("source is a data URI", MESSAGES, ask(self.claude(type="url", url=self.uri)))
        yield Form("image without type", MESSAGES, ask({"source": self.claude()["source"]}))
        document = {"type": "document", "source": self.claude()["source"]}
        yield Form("document that is a picture", MESSAGES, ask(document))
        yield Form("system of parts", MESSAGES, ask(system=[self.claude()]))
        used = {"type": "tool_use", "id": "t", "name": "see", "input": {"picture": self.uri}}
        turns = [*ask()["messages"], {"role": "assistant", "content": [used]}]
        yield Form("input of a tool", MESSAGES, ask() | {"messages": turns})
        result = {"type": "tool_result", "tool_use_id": "t", "content": [self.claude()]}
        yield Form("result of a tool", MESSAGES, ask(result))

    def geminis(self) -> Iterator[Form]:
        ask, part = self.ask_gemini, self.inline()
        yield Form("contents", GEMINI, ask(part))
        yield Form("input beside contents", GEMINI, ask(part, input="x"))
        yield Form("messages beside contents", GEMINI, ask(part, messages=[{"content": "x"}]))
        yield Form("contents as an object", GEMINI, {"contents": ask(part)["contents"][0]})
        yield Form("IMAGE/PNG", GEMINI, ask(self.inline("IMAGE/PNG")))
        yield Form("octet-stream", GEMINI, ask(self.inline("application/octet-stream")))
        yield Form("inline_data, mimeType", GEMINI, ask(self.inline(name="inline_data")))
        yield Form("inlineData, mime_type", GEMINI, ask(self.inline(key="mime_type")))
        yield Form("systemInstruction", GEMINI, ask(systemInstruction={"parts": [part]}))
        answer = {"functionResponse": {"name": "see", "response": {}, "parts": [part]}}
        yield Form("functionResponse.parts", GEMINI, ask(answer))
        yield Form("cached content", GEMINI, ask(generateContentRequest=ask(part)))

    def routes(self) -> Iterator[Form]:
        chat, items = (
            self.ask_chat(self.chat()),
            self.ask_responses({"role": "user", "content": [self.response()]}),
        )
        claude = self.ask_chat(self.claude())
        batch = {"requests": [{"custom_id": "1", "params": claude}]}
        yield Form("/invocations", "/invocations", chat)
        turns = chat | {"messages": [chat["messages"]]}
        yield Form("chat/completions/batch", "/v1/chat/completions/batch", turns)
        yield Form("chat/completions/render", "/v1/chat/completions/render", chat)
        yield Form("/tokenize", "/tokenize", chat)
        yield Form("messages/batches", "/v1/messages/batches", batch)
        yield Form("responses/compact", "/v1/responses/compact", items)
        yield Form("conversations/items", "/v1/conversations/c/items", {"items": items["input"]})
        yield Form("embeddings", "/v1/embeddings", chat | {"input": [self.uri]})
        kept = [{"type": "image_url", "image_url": {"url": self.uri}}]
        yield Form("moderations", "/v1/moderations", {"model": self.model, "input": kept})
        yield Form("Bedrock invoke", "/model/anthropic.claude/invoke", claude)
        yield Form("LiteLLM to Bedrock", "/bedrock/model/anthropic.claude/invoke", claude)
        vertex = "/v1/projects/p/locations/l/publishers/anthropic/models/claude:rawPredict"
        yield Form("Vertex rawPredict", vertex, claude)
        yield Form("capital route", "/v1/Chat/Completions", chat)
        yield Form("route with a slash", "/v1/chat/completions/", chat)
        yield Form("PUT", CHAT, chat, method="PUT")
        yield Form("unknown route", "/v1/unknown", chat)
        yield Form("completions", "/v1/completions", {"model": self.model, "prompt": self.uri})

    def encodings(self) -> Iterator[Form]:
        plain = self.plain()
        data = plain.data
        yield replace(plain, name="Application/JSON", headers={"content-type": "Application/JSON"})
        yield replace(plain, name="text/plain", headers={"content-type": "text/plain"})
        yield replace(plain, name="no content type", headers={})
        yield replace(plain, name="vendor +json", headers={"content-type": "application/x+json"})
        for name, packed in (("gzip", gzip.compress(data)), ("deflate", zlib.compress(data))):
            yield replace(plain, name=name, headers=JSON | {"content-encoding": name}, raw=packed)
        yield replace(plain, name="UTF-16", raw=json.dumps(plain.body).encode("utf-16"))
        twice = b'{"messages": [{"role": "user", "content": "x"}], ' + data[1:]
        yield replace(plain, name="messages twice", raw=twice)
        first = data[:-1] + b', "messages": [{"role": "user", "content": "x"}]}'
        yield replace(plain, name="messages twice, the picture first", raw=first)
        far = self.ask_chat(self.chat(), self.chat(self.address))
        yield Form("one of two by its address", CHAT, far)
        named = self.ask_chat(self.chat(), {"type": "file", "file": {"file_id": "file-1"}})
        yield Form("one of two by the id of a file", CHAT, named)


def original_in(data: bytes, base64: str) -> bool:
    """Whether bytes hold the picture as it was, compressed or not."""
    for unpack in (gzip.decompress, zlib.decompress):
        try:
            data = unpack(data)
        except (OSError, EOFError, zlib.error):
            continue
    middle = base64[len(base64) // 2 :][:60].encode()
    return middle in data or middle in data.replace(b"\0", b"")
