"""PDFs within requests: views of their pages leave, within K tokens, in every format."""

import json
from base64 import b64encode
from functools import cache
from time import monotonic
from typing import Any

import pytest

import hostile_pdfs
from homunculus.messages import ANTHROPIC, CHAT, GEMINI, RESPONSES, Adapter
from homunculus.messages.body import count_pictures, pictures_in
from homunculus.messages.pictures import is_view
from homunculus.pages import PictureError, isolated, pdf_worker, size_of
from homunculus.pages.child import Child, ChildFailed, start
from homunculus.pages.isolated import IsolatedPdf
from homunculus.planner.models import token_rule
from homunculus.serve import Rewriter
from homunculus.serve import rewriter as module
from homunculus.serve.bodies import Head, rewrite_body
from homunculus.views import Document
from test_document_views import data, question

TOKENS = 300
ASKED = question(3)


@cache
def text(pages: int = 5) -> str:
    return b64encode(data(pages)).decode()


def chat(uri: str | None = None, **file: Any) -> dict:
    holder = {"filename": "r.pdf", "file_data": uri or f"data:application/pdf;base64,{text()}"}
    part = {"type": "file", "file": file or holder}
    content = [part, {"type": "text", "text": ASKED}]
    return {"model": "gpt-6", "messages": [{"role": "user", "content": content}]}


def responses(**file: str) -> dict:
    holder = {"filename": "r.pdf", "file_data": f"data:application/pdf;base64,{text()}"}
    part = {"type": "input_file", **(file or holder)}
    content = [part, {"type": "input_text", "text": ASKED}]
    return {"model": "gpt-6", "input": [{"role": "user", "content": content}]}


def claude(source: dict | None = None, **more: Any) -> dict:
    usual = {"type": "base64", "media_type": "application/pdf", "data": text()}
    part = {"type": "document", "source": source or usual, **more}
    content = [part, {"type": "text", "text": ASKED}]
    return {"model": "claude-opus-4-8", "messages": [{"role": "user", "content": content}]}


def gemini(name: str = "inlineData", key: str = "mimeType", field: str = "data") -> dict:
    part = {name: {key: "application/pdf", field: text()}}
    return {"contents": [{"role": "user", "parts": [part, {"text": ASKED}]}]}


REQUESTS: dict[str, tuple[Adapter, str, dict]] = {
    "file": (CHAT, "gpt-6", chat()),
    "file without a type": (CHAT, "gpt-6", chat(text())),
    "input_file": (RESPONSES, "gpt-6", responses()),
    "document": (ANTHROPIC, "claude", claude()),
    "document in a chat": (CHAT, "claude", claude()),
    "inlineData": (GEMINI, "gemini-2.5", gemini()),
    "inline_data": (GEMINI, "gemini-2.5", gemini("inline_data", "mime_type")),
}


def files(body: dict) -> list[bytes]:
    return [found.file() for found in pictures_in(body, None, documents=True)]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", REQUESTS)
def test_a_pdf_leaves_as_views_of_its_pages(name: str, strict: bool) -> None:
    adapter, model, body = REQUESTS[name]
    before = json.dumps(body)
    after, report = Rewriter(64, documents=TOKENS, strict=strict).request(
        body, adapter=adapter, model=model
    )
    assert json.dumps(body) == before  # nothing is changed in place
    assert text() not in json.dumps(after)
    shown = files(after)
    assert shown
    assert all(map(is_view, shown))
    if adapter is not GEMINI:  # whose pictures cost what their level says
        rule = token_rule(model)
        assert 0 < sum(rule.count(size_of(file)) for file in shown) <= TOKENS
    (only,) = report.shown
    assert only.tokens + only.label_tokens <= TOKENS < only.untouched
    assert report.left == []
    assert "Page 3" in json.dumps(after)
    assert ASKED in json.dumps(after)


@pytest.mark.parametrize("name", REQUESTS)
def test_they_are_left_alone_unless_asked_for(name: str) -> None:
    adapter, model, body = REQUESTS[name]
    after, report = Rewriter(64).request(body, adapter=adapter, model=model)
    assert after == body
    assert report.pictures == 0
    assert report.left
    with pytest.raises(PictureError, match="Strict mode"):
        Rewriter(64, strict=True).request(body, adapter=adapter, model=model)


def test_the_same_request_gives_the_same_bytes_and_opens_nothing_again(monkeypatch) -> None:
    rewriter = Rewriter(64, documents=TOKENS)
    first, _ = rewriter.request(claude(), adapter=ANTHROPIC)
    again, _ = Rewriter(64, documents=TOKENS).request(claude(), adapter=ANTHROPIC)
    assert first == again
    monkeypatch.setattr(module, "IsolatedPdf", None)
    kept, _ = rewriter.request(claude(), adapter=ANTHROPIC, new=False)
    assert kept == first
    with pytest.raises(module.NewPictureError):
        Rewriter(64, documents=TOKENS).request(claude(), adapter=ANTHROPIC, new=False)


def test_what_else_a_document_has_is_kept() -> None:
    cached = {"cache_control": {"type": "ephemeral"}}
    body = claude(title="Harbours", context="Of 1931.", citations={"enabled": True}, **cached)
    after, _ = Rewriter(64, documents=TOKENS).request(body, adapter=ANTHROPIC)
    *parts, asked = after["messages"][0]["content"]
    assert asked == {"type": "text", "text": ASKED}
    assert parts[0]["text"].startswith("Harbours\nOf 1931.\nPage ")
    assert parts[-1]["cache_control"] == cached["cache_control"]
    assert all(part.keys() <= {"type", "text", "source", "cache_control"} for part in parts)


def test_documents_of_text_stay() -> None:
    for source in (
        {"type": "text", "media_type": "text/plain", "data": "The keeper is Crane."},
        {"type": "content", "content": [{"type": "text", "text": "The keeper is Crane."}]},
    ):
        after, report = Rewriter(64, documents=TOKENS, strict=True).request(
            claude(source), adapter=ANTHROPIC
        )
        assert after == claude(source)
        assert report.pictures == 0


def test_several_documents_and_pictures_are_told_apart() -> None:
    body = claude()
    body["messages"][0]["content"].insert(0, body["messages"][0]["content"][0])
    after, report = Rewriter(64, documents=TOKENS, strict=True).request(body, adapter=ANTHROPIC)
    lines = [part.get("text", "") for part in after["messages"][0]["content"]]
    assert sum(line.startswith("Page ") for line in lines) > 0
    assert sum(line.startswith("Document 2, page ") for line in lines) > 0
    assert all(shown.tokens + shown.label_tokens <= TOKENS for shown in report.shown)


def test_no_more_pictures_leave_than_the_model_takes() -> None:
    limit = token_rule("claude").facts.images
    assert limit
    part = claude()["messages"][0]["content"]
    body = {"model": "claude", "messages": [{"role": "user", "content": part[:1] * 10 + part[1:]}]}
    after, _ = Rewriter(64, documents=2000, strict=True).request(body, adapter=ANTHROPIC)
    assert 10 <= len(files(after)) <= limit


@pytest.mark.parametrize(
    "body",
    [chat(file_id="file-1"), responses(file_id="file-1"), responses(file_url="http://a.test/r.pdf"),
     claude({"type": "url", "url": "http://a.test/r.pdf"}),
     claude({"type": "file", "file_id": "file_1"})],
)  # fmt: skip
def test_documents_by_reference_are_left_or_refused(body: dict) -> None:
    adapter = RESPONSES if "input" in body else ANTHROPIC if "claude" in body["model"] else CHAT
    after, report = Rewriter(64, documents=TOKENS).request(body, adapter=adapter)
    assert after == body
    assert len(report.left) == 1
    with pytest.raises(PictureError):
        Rewriter(64, documents=TOKENS, strict=True).request(body, adapter=adapter)


@pytest.mark.parametrize(
    ("adapter", "body"),
    [(RESPONSES, responses(file_url="https://a.test/r.pdf")),
     (ANTHROPIC, claude({"type": "url", "url": "https://a.test/r.pdf"})),
     (GEMINI, {"contents": [{"role": "user", "parts": [
         {"fileData": {"mimeType": "application/pdf", "fileUri": "https://a.test/r.pdf"}},
         {"text": ASKED},
     ]}]})],
)  # fmt: skip
def test_those_by_address_are_fetched_if_asked_for(adapter, body, monkeypatch) -> None:
    monkeypatch.setattr(module, "fetch", lambda *_: data(5))  # the network is not here
    rewriter = Rewriter(64, documents=TOKENS, fetch=True, strict=True)
    model = "gemini-2.5" if adapter is GEMINI else None
    after, report = rewriter.request(body, adapter=adapter, model=model)
    assert report.pictures == 1
    assert "a.test" not in json.dumps(after)
    monkeypatch.setattr(module, "fetch", lambda *_: b"<html>the page of passwords</html>")
    with pytest.raises(PictureError) as refused:
        rewriter.request(body, adapter=adapter, model=model)
    assert "passwords" not in str(refused.value)


@pytest.mark.parametrize("file", [b"PK\3\4 a document of Word", b"%PDF-1.7 torn", data(5)[:900]])
def test_what_is_no_whole_pdf_costs_a_refusal(file: bytes) -> None:
    body = chat(f"data:application/pdf;base64,{b64encode(file).decode()}")
    after, report = Rewriter(64, documents=TOKENS).request(body)
    assert after == body
    assert len(report.left) == 1
    with pytest.raises(PictureError, match=r"Save|whole|expected"):
        Rewriter(64, documents=TOKENS, strict=True).request(body)


def test_bodies_of_http_count_documents_apart() -> None:
    head = Head("POST", "/v1/messages", "application/json")
    raw, report = rewrite_body(Rewriter(64, documents=TOKENS), head, json.dumps(claude()).encode())
    assert report.pictures == 1
    assert text() not in raw.decode()
    assert count_pictures(claude(), ANTHROPIC) == 0
    assert count_pictures(claude(), ANTHROPIC, documents=True) == 1


def test_a_wrong_budget_is_told_at_once() -> None:
    with pytest.raises(ValueError, match="documents"):
        Rewriter(64, documents=0)
    with pytest.raises(ValueError, match="too few"):
        Rewriter(64, documents=2, strict=True).request(claude(), adapter=ANTHROPIC)


# ---- the process ---------------------------------------------------------------------------------


def test_a_process_of_its_own_says_the_same() -> None:
    here = Document(data(5), keep=False)
    with IsolatedPdf(data(5)) as pages:
        there = Document(pages, keep=False)
        assert len(there) == len(here)
        assert there.picture_size(2) == here.picture_size(2)
        ours, theirs = here.views(ASKED, TOKENS), there.views(ASKED, TOKENS)
        assert [part.picture for part in ours.bundle().parts] == [
            part.picture for part in theirs.bundle().parts
        ]
    assert pages._child.ended


def test_what_it_answers_is_what_was_asked_for_or_a_sentence() -> None:
    worker = pdf_worker.Worker()
    assert pdf_worker.parts_of(worker.answer(data(5))) == [b"ok", b"5"]
    pages = Document(data(5), keep=False)
    for asked, count in (("sizes", 1), ("sheets", 2), ("picture", 3), ("small", 4)):
        message = json.dumps({"do": asked, "pages": [1, 2]}).encode()
        state, *parts = pdf_worker.parts_of(worker.answer(message))
        assert (state, len(parts)) == (b"ok", count)
        if asked == "small":
            assert pdf_worker.pixels_from_bytes(*parts[2:]).shape[0] == 3
        if asked == "picture":
            pixels = pdf_worker.pixels_from_bytes(*parts[1:])
            assert (pixels == pages.picture(1).pixels).all()
    for message in (b"{", b'{"do": "eval", "pages": []}', b'{"do": "picture", "pages": [99]}'):
        state, sentence = pdf_worker.parts_of(worker.answer(message))
        assert state == b""
        assert sentence.endswith(b".")
    state, sentence = pdf_worker.parts_of(pdf_worker.Worker().answer(b"%PDF-1.7 torn"))
    assert (state, b"Save" in sentence) == (b"", True)


@pytest.mark.parametrize("name", ["bombs/content-text-1024", "forms/pair"])
def test_a_pdf_that_takes_all_memory_or_all_time_costs_a_refusal(name: str, monkeypatch) -> None:
    monkeypatch.setattr(isolated, "SECONDS", 4)
    body = chat(f"data:application/pdf;base64,{b64encode(hostile_pdfs.cases()[name]()).decode()}")
    began = monotonic()
    with pytest.raises(PictureError):
        Rewriter(64, documents=TOKENS, strict=True).request(body)
    assert monotonic() - began < 30


def test_it_is_ended_when_time_is_over(monkeypatch) -> None:
    pages = IsolatedPdf(data(5), seconds=30)
    pages._until = 0.0
    with pytest.raises(TimeoutError, match="in time"):
        pages.sizes()
    pages.close()
    monkeypatch.setattr(isolated, "SECONDS", 0.01)
    with pytest.raises(PictureError, match="took more than"):
        IsolatedPdf(data(30))


def test_a_process_that_crashes_costs_its_file(monkeypatch) -> None:
    pages = IsolatedPdf(data(5))
    pages._child.process.kill()
    with pytest.raises(PictureError, match="its process ended"):
        pages.picture(1)
    monkeypatch.setattr(isolated, "start", lambda *_, **__: start("this"))  # ends as it starts
    body = claude()
    after, report = Rewriter(64, documents=TOKENS).request(body, adapter=ANTHROPIC)
    assert after == body
    assert "its process ended" in report.left[0]


@pytest.mark.parametrize(
    "answer",
    [b"", b"\0\0", b"\0\0\0\2ok", b"\0\0\0\2ok\0\0\0\1x", b"\0\0\0\2ok\xff\xff\xff\xff" + b"x" * 9,
     b"\0\0\0\2ok\0\0\0\2[]", b"\0\0\0\2ok" + 3 * b"\0\0\0\4null"],
)  # fmt: skip
def test_a_process_that_was_taken_over_may_say_anything(answer: bytes, monkeypatch) -> None:
    with IsolatedPdf(data(5)) as pages:
        monkeypatch.setattr(Child, "ask", lambda *_, **__: answer)
        for action in (pages.sizes, lambda: list(pages.sheets([1])), lambda: pages.picture(1),
                       lambda: pages.small([1])):  # fmt: skip
            with pytest.raises(PictureError):
                action()


def test_answers_are_bounded() -> None:
    child = Child(start("homunculus.pages.pdf_worker"))
    with pytest.raises(ChildFailed, match="ended"):
        child.ask(data(5), seconds=20, most=3)
    assert child.ended
