"""Closed means closed: no form of a request gets a picture past a strict door as it was."""

import json
from base64 import b64decode, b64encode
from io import BytesIO

import pytest

import homunculus
from forms import Form, Maker, original_in
from homunculus.messages import (
    ADAPTERS,
    ANTHROPIC,
    CHAT,
    GEMINI,
    OLLAMA,
    RESPONSES,
    adapter_of,
)
from homunculus.messages.body import pictures_in
from homunculus.messages.guard import kind_of, leaks
from homunculus.messages.pictures import is_view
from homunculus.pages import size_of
from homunculus.planner.models import token_rule
from homunculus.serve import Rewriter
from homunculus.serve.bodies import Head, rewrite_body
from homunculus.serve.rewriter import NO_QUESTION
from test_planner_views import corner, page


def png(size=(900, 700)) -> bytes:
    out = BytesIO()
    page().resize(size).save(out, "png")
    return out.getvalue()


MAKER = Maker(png(), "claude-opus-4-8")
FORMS = {form.name: form for form in MAKER.forms()}
STRICT = Rewriter(300, strict=True, scout=corner(), model="claude")
OPEN = Rewriter(300, scout=corner(), model="claude")
SHOWN = {
    "plain", "input beside messages", "contents beside messages", "part without type",
    "bare part without type", "space before data:", "newline before data:", "capital data URI",
    "octet-stream data URI", "input_image in a chat", "image of Anthropic in a chat",
    "file that is a picture", "tool named computer_x", "picture in the system turn",
    "picture in a tool's turn", "with a uuid", "responses", "input as an object",
    "messages beside input", "input_file", "function_call_output", "messages",
    "source is a data URI", "image without type", "document that is a picture", "system of parts",
    "result of a tool", "contents", "input beside contents", "messages beside contents",
    "contents as an object", "IMAGE/PNG", "octet-stream", "inline_data, mimeType",
    "inlineData, mime_type", "systemInstruction", "functionResponse.parts", "capital route",
    "route with a slash", "PUT", "Application/JSON", "vendor +json", "UTF-16", "messages twice",
    "messages twice, the picture first", "Vertex rawPredict",
}  # fmt: skip
"""Forms that strict mode sends with views; it refuses the others."""


def head(form: Form) -> Head:
    headers = form.headers
    media, encoding = headers.get("content-type", ""), headers.get("content-encoding", "")
    return Head(form.method, form.path, media, encoding)


def test_forms_have_names_of_their_own() -> None:
    assert len(FORMS) == len(list(MAKER.forms()))
    assert set(FORMS) > SHOWN


@pytest.mark.parametrize("name", FORMS)
def test_strict_sends_views_or_nothing(name: str) -> None:
    form = FORMS[name]
    assert original_in(form.data, MAKER.base64)
    if name not in SHOWN:
        with pytest.raises(ValueError, match=r"Strict mode|only its address"):
            rewrite_body(STRICT, head(form), form.data)
        return
    data, _ = rewrite_body(STRICT, head(form), form.data)
    assert not original_in(data, MAKER.base64)
    body, rule = json.loads(data), token_rule("claude")
    files = [found.file() for found in pictures_in(body, None)]
    assert all(map(is_view, files))
    assert sum(rule.count(size_of(file)) for file in files) <= 300


@pytest.mark.parametrize("name", FORMS)
def test_open_shows_what_it_knows_and_counts_the_rest(name: str) -> None:
    form = FORMS[name]
    data, report = rewrite_body(OPEN, head(form), form.data)
    if name == "messages twice, the picture first":
        assert data == form.data  # JSON that has a field twice means its last one
    elif original_in(data, MAKER.base64):
        assert report.left
    else:
        assert report.pictures == 1


def test_a_refusal_names_the_place() -> None:
    form = FORMS["prompt.variables"]
    with pytest.raises(ValueError, match=r"prompt\.variables\.page\.image_url: a data URI that is"):
        rewrite_body(STRICT, head(form), form.data)


def test_strict_passes_what_holds_no_picture() -> None:
    talk = {
        "model": "claude", "user": "a" * 400, "metadata": {"data": "a: b, c", "n": 3},
        "messages": [
            {"role": "system", "content": "data: none, image/png is a format; see source."},
            {"role": "user", "content": [{"type": "text", "text": "What? " + "x" * 5000}]},
            {"role": "assistant", "reasoning": b64encode(bytes(range(256))).decode()},
        ],
        "tools": [{"type": "function", "function": {"name": "see", "parameters": {
            "type": "object", "properties": {"image_url": {"type": "string", "description": "u"}},
        }}}],
    }  # fmt: skip
    body = json.dumps(talk).encode()
    for path in ("/v1/chat/completions", "/v1/messages", "/v1/embeddings"):
        data, report = rewrite_body(STRICT, Head("POST", path, "application/json"), body)
        assert json.loads(data) == talk
        assert report.left == []
    assert rewrite_body(STRICT, Head("GET", "/v1/models"), b"")[0] == b""
    assert rewrite_body(STRICT, Head("POST", "/sleep"), b"")[0] == b""


@pytest.mark.parametrize(
    ("kind", "options"),
    [("png", {}), ("jpeg", {}), ("gif", {}), ("webp", {}), ("bmp", {}), ("tiff", {}), ("ico", {}),
     ("jpeg2000", {}), ("pdf", {}), ("avif", {})],
)  # fmt: skip
def test_files_are_known_by_how_they_begin(kind: str, options: dict) -> None:
    out = BytesIO()
    page().resize((64, 64)).save(out, kind, **options)
    text = b64encode(out.getvalue()).decode()
    assert kind_of(text) == ("document" if kind == "pdf" else "picture")
    lines = "\n".join(text[i : i + 76] for i in range(0, len(text), 76))
    safe = text.replace("+", "-").replace("/", "_")
    escaped = json.dumps({"url": text}).replace("/", "\\/")
    for hidden in (
        text,
        lines,
        safe,
        escaped,
        f"see {text}",
        f"data:x;base64,{text}",
        " ".join(text),
    ):
        assert list(leaks({"user": hidden})), hidden[:40]
    assert not list(leaks({"user": text}, {text: 1}))
    assert list(leaks({"user": text, "other": text}, {text: 1}))


def test_a_view_gets_no_id_of_its_picture() -> None:
    """A server that caches by it would show one question's window for another question."""
    form = FORMS["with a uuid"]
    data, _ = rewrite_body(OPEN, head(form), form.data)
    assert b"uuid" not in data


# ---- adapters ------------------------------------------------------------------------------------


def test_a_route_has_one_adapter() -> None:
    for adapter in ADAPTERS:
        for route in adapter.routes:
            assert adapter_of(f"/v1{route.upper()}/") is adapter
    assert not any(map(adapter_of, ("/v1/files", "/invocations", "/v1/embeddings", "")))


@pytest.mark.parametrize("adapter", [CHAT, RESPONSES, ANTHROPIC, GEMINI, OLLAMA])
def test_an_adapter_reads_what_it_makes(adapter) -> None:
    views = homunculus.views(page(), "What?", tokens=100, model="claude", scout=corner())
    made = views.bundle()
    files = [picture.file() for picture in pictures_in(adapter.parts(made), adapter)]
    assert files == [part.picture.data for part in made.parts]


def test_a_body_is_read_by_its_adapter_whatever_other_fields_it_has() -> None:
    """The fields of another format are checked, and never rewritten."""
    body = MAKER.ask_gemini(MAKER.inline()) | {"model": "claude-opus-4-8"}
    after, report = OPEN.request(body, adapter=CHAT)
    assert (after, report.pictures, len(report.left)) == (body, 0, 1)
    with pytest.raises(ValueError, match="Strict mode"):
        STRICT.request(body, adapter=CHAT)


def test_ollama_gets_views_beside_the_text_and_no_lines() -> None:
    turn = {"role": "user", "content": "What is the total?", "images": [MAKER.base64]}
    body = json.dumps({"model": "qwen2.5vl:7b", "messages": [turn]}).encode()
    for rewriter in (OPEN, STRICT):
        sent, report = rewrite_body(rewriter, Head("POST", "/api/chat", "application/json"), body)
        (after,) = json.loads(sent)["messages"]
        files = [b64decode(text) for text in after.pop("images")]
        assert after == {"role": "user", "content": "What is the total?"}
        assert (report.pictures, report.label_tokens) == (1, 0)
        assert all(map(is_view, files))
        assert sum(token_rule("claude").count(size_of(file)) for file in files) == report.tokens


def test_strict_refuses_what_is_no_picture_beside_a_text_of_ollama() -> None:
    turn = {"role": "user", "content": "What is it?", "images": ["/etc/passwd"]}
    with pytest.raises(ValueError, match="Strict mode"):
        STRICT.request({"model": "x", "messages": [turn]}, adapter=OLLAMA)


# ---- questions -----------------------------------------------------------------------------------


def turns(*content, system="") -> dict:
    said = [{"role": "system", "content": system}] if system else []
    return {"messages": [*said, {"role": "user", "content": list(content)}]}


def test_a_picture_without_a_question_is_sent_as_it_is_and_told() -> None:
    body = turns(MAKER.chat())
    after, report = Rewriter(64, model="claude").request(body)
    assert after == body
    assert (report.pictures, report.left) == (0, [NO_QUESTION])
    _, report = Rewriter(64, model="claude", strict=True).request(body)
    assert report.tokens <= 64


def test_the_system_may_ask() -> None:
    asked = []

    def scout(image, question, grid):
        asked.append(question)
        return corner()(image, question, grid)

    rewriter = Rewriter(64, model="claude", scout=scout)
    _, report = rewriter.request(turns(MAKER.chat(), system="What is the total of the receipt?"))
    assert (asked, report.pictures) == (["What is the total of the receipt?"], 1)
    claude = {"system": "Read the date.", "messages": turns(MAKER.claude())["messages"]}
    rewriter.request(claude, adapter=ANTHROPIC)
    gemini = MAKER.ask_gemini(MAKER.inline(), systemInstruction={"parts": [{"text": "Which?"}]})
    gemini["contents"][0]["parts"].pop()
    rewriter.request(gemini, adapter=GEMINI)
    assert asked[1:] == ["Read the date.", "Which?"]
