"""Real SDKs and a real MCP client: what a provider would receive, recorded on loopback."""

import asyncio
import json
import sys
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import anthropic
import openai
import pytest
from PIL import Image

import homunculus
from homunculus.messages.body import picture_of
from homunculus.messages.pictures import is_view
from homunculus.planner.models import token_rule
from homunculus.serve import async_http_client, http_client
from pdfs import LETTER, letter, pdf_of_pages
from recorder import recording, url
from serving.client import packed, page, turn
from test_readme import execute

HOSTED = Path(__file__).parents[2] / "docs" / "any-model.md"


@pytest.fixture
def recorder():
    with recording() as server:
        yield server


def sizes(parts) -> list[tuple[int, int]]:
    files = [found.file() for part in parts if (found := picture_of(part))]
    assert all(map(is_view, files))
    return [Image.open(BytesIO(data)).size[::-1] for data in files]


def cost(name: str, shown: list[tuple[int, int]]) -> int:
    return sum(token_rule(name).count(size) for size in shown)


PAGE = page(900, 700)
TURNS = [turn("What is the total?", PAGE)]


def test_the_sdk_of_openai(recorder) -> None:
    client = openai.OpenAI(
        api_key="k", base_url=f"{url(recorder)}/v1", http_client=http_client(100)
    )
    answer = client.chat.completions.create(model="gpt-6", messages=TURNS, seed=7)
    assert answer.choices[0].message.content == "ok"
    (path, body, *_), *_ = recorder.seen
    assert path == "/v1/chat/completions"
    assert body["seed"] == 7
    assert body["messages"][0]["content"][-1] == {"type": "text", "text": "What is the total?"}
    shown = sizes(body["messages"][0]["content"])
    assert shown
    assert cost("gpt-6", shown) <= 100
    stream = client.chat.completions.create(model="gpt-6", messages=TURNS, stream=True)
    assert [chunk.choices[0].delta.content for chunk in stream] == ["ok", None]  # the last ends it
    assert recorder.seen[1].body["messages"] == body["messages"]


def test_responses_of_openai(recorder) -> None:
    address = TURNS[0]["content"][0]["image_url"]["url"]
    content = [
        {"type": "input_image", "image_url": address, "detail": "auto"},
        {"type": "input_text", "text": "What is the total?"},
    ]
    client = openai.OpenAI(
        api_key="k", base_url=f"{url(recorder)}/v1", http_client=http_client(100)
    )
    client.responses.create(model="gpt-6", input=[{"role": "user", "content": content}])
    (path, body, *_), *_ = recorder.seen
    assert path == "/v1/responses"
    assert 0 < cost("gpt-6", sizes(body["input"][0]["content"])) <= 100


def claude(image) -> dict:
    from base64 import b64encode

    source = {
        "type": "base64", "media_type": "image/png", "data": b64encode(packed(image)).decode(),
    }  # fmt: skip
    return {"type": "image", "source": source}


def test_the_sdk_of_anthropic(recorder) -> None:
    client = anthropic.Anthropic(api_key="k", base_url=url(recorder), http_client=http_client(100))
    first = [{"role": "user", "content": [claude(PAGE), {"type": "text", "text": "What is it?"}]}]
    client.messages.create(model="claude-opus-4-8", max_tokens=5, messages=first)
    later = [*first, {"role": "assistant", "content": "300"}, {"role": "user", "content": "Why?"}]
    client.messages.create(model="claude-opus-4-8", max_tokens=5, messages=later)
    bodies = [json.dumps(body["messages"]) for _, body, *_ in recorder.seen]
    assert bodies[1].startswith(bodies[0].removesuffix("]"))  # so a cached prefix is found again
    assert 0 < cost("claude", sizes(recorder.seen[0].body["messages"][0]["content"])) <= 100


REPORT = [letter([f"The lighthouse of {100 + page} Cape Road", *LETTER]) for page in range(100)]
ASKED = "What stands at 142 Cape Road?"


def test_a_pdf_of_a_hundred_pages_leaves_as_views_of_a_few(recorder) -> None:
    from base64 import b64encode

    data = b64encode(pdf_of_pages(REPORT)).decode()
    options = {"documents": 400, "strict": True}
    uri = f"data:application/pdf;base64,{data}"
    client = openai.OpenAI(
        api_key="k", base_url=f"{url(recorder)}/v1", http_client=http_client(100, **options)
    )
    part = {"type": "file", "file": {"filename": "report.pdf", "file_data": uri}}
    asked = [part, {"type": "text", "text": ASKED}]
    client.chat.completions.create(model="gpt-6", messages=[{"role": "user", "content": asked}])
    part = {"type": "input_file", "filename": "report.pdf", "file_data": uri}
    asked = [part, {"type": "input_text", "text": ASKED}]
    client.responses.create(model="gpt-6", input=[{"role": "user", "content": asked}])
    other = anthropic.Anthropic(
        api_key="k", base_url=url(recorder), http_client=http_client(100, **options)
    )
    source = {"type": "base64", "media_type": "application/pdf", "data": data}
    asked = [{"type": "document", "source": source}, {"type": "text", "text": ASKED}]
    other.messages.create(
        model="claude-opus-4-8", max_tokens=5, messages=[{"role": "user", "content": asked}]
    )
    assert [seen.path for seen in recorder.seen] == [
        "/v1/chat/completions", "/v1/responses", "/v1/messages",
    ]  # fmt: skip
    for seen, rule in zip(recorder.seen, ("gpt-6", "gpt-6", "claude"), strict=True):
        assert data not in seen.raw.decode()
        turns = seen.body.get("messages") or seen.body["input"]
        assert 0 < cost(rule, sizes(turns[0]["content"])) <= 400
        assert "age 43, detail" in json.dumps(turns)


def test_without_pictures_the_bytes_are_the_same(recorder) -> None:
    for clients in (None, http_client(100)):
        client = openai.OpenAI(
            api_key="k", base_url=f"{url(recorder)}/v1", http_client=clients, max_retries=0
        )
        client.chat.completions.create(
            model="gpt-6", messages=[{"role": "user", "content": "Grüße, 你好"}]
        )
    assert recorder.seen[0].raw == recorder.seen[1].raw


def test_both_without_waiting(recorder) -> None:
    async def ask() -> None:
        chat = openai.AsyncOpenAI(
            api_key="k", base_url=f"{url(recorder)}/v1", http_client=async_http_client(100)
        )
        await chat.chat.completions.create(model="gpt-6", messages=TURNS)
        other = anthropic.AsyncAnthropic(
            api_key="k", base_url=url(recorder), http_client=async_http_client(64)
        )
        asked = [{"role": "user", "content": [claude(PAGE), {"type": "text", "text": "What?"}]}]
        await other.messages.create(model="claude-opus-4-8", max_tokens=5, messages=asked)

    asyncio.run(ask())
    assert 0 < cost("gpt-6", sizes(recorder.seen[0].body["messages"][0]["content"])) <= 100
    assert 0 < cost("claude", sizes(recorder.seen[1].body["messages"][0]["content"])) <= 64


def test_the_complete_calls_of_the_docs(recorder, tmp_path, monkeypatch, capsys) -> None:
    """As a reader pastes them; the environment has a key, and the recorder's address."""
    monkeypatch.chdir(tmp_path)
    for name, address in (("OPENAI", f"{url(recorder)}/v1"), ("ANTHROPIC", url(recorder))):
        monkeypatch.setenv(f"{name}_API_KEY", "k")
        monkeypatch.setenv(f"{name}_BASE_URL", address)
    assert execute(HOSTED.read_text("utf-8"), HOSTED, shell=True, sdks=True) == 5
    assert capsys.readouterr().out.splitlines()[-2:] == ["ok", "ok"]
    paths = [one.path for one in recorder.seen]
    assert paths == ["/v1/chat/completions", "/v1/messages"]
    for one, rule in zip(recorder.seen, ("gpt-6", "claude"), strict=True):
        shown = sizes(one.body["messages"][0]["content"])
        assert len(shown) > 1
        assert cost(rule, shown) <= 128


# ---- MCP -----------------------------------------------------------------------------------------


def test_an_agent_looks_at_a_file_over_stdio(tmp_path) -> None:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    root, outside = tmp_path / "pictures", tmp_path / "secret.png"
    root.mkdir()
    page(900, 700).save(root / "page.png")
    page(90, 70).save(outside)
    (root / "link.png").symlink_to(outside)

    async def talk() -> tuple:
        command = ["-m", "homunculus", "mcp", str(root), "--tokens", "120"]
        stdio = stdio_client(StdioServerParameters(command=sys.executable, args=command))
        async with Client(stdio) as client:
            info = client.server_info
            tools = await client.list_tools()
            good = await client.call_tool(
                "look_at", {"path": "page.png", "question": "What is the total?"}
            )
            bad = [
                await client.call_tool("look_at", {"path": one, "question": "What?"})
                for one in ("../secret.png", str(outside), "link.png", "none.png", "/etc/passwd")
            ]
            little = await client.call_tool(
                "look_at", {"path": "page.png", "question": "What?", "tokens": 0}
            )
        return tools, good, bad, little, info

    tools, good, bad, little, info = asyncio.run(talk())
    assert (info.name, info.version) == ("homunculus", homunculus.__version__)
    assert [tool.name for tool in tools.tools] == ["look_at"]
    text, *pictures = good.content
    assert "of the original" in text.text
    shown = [Image.open(BytesIO(b64decode(one.data))).size[::-1] for one in pictures]
    assert 0 < cost("claude", shown) <= 120
    assert all(one.is_error and "no such picture under" in one.content[0].text for one in bad)
    assert "expected 1 to 4096, got 0" in little.content[0].text
