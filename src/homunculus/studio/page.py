"""The page of the studio, built with Gradio, and the server that brings it to a browser."""

import socket
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from homunculus.lazy import need
from homunculus.messages.pictures import encode
from homunculus.pages import Picture, PictureError
from homunculus.planner.models import MODELS
from homunculus.planner.view import render
from homunculus.serve.chat import Chat, image_part, text_part
from homunculus.show import panels
from homunculus.studio import cards
from homunculus.studio.compare import (
    MAX_QUESTION,
    OTHERS,
    TOKENS,
    Comparison,
    Request,
    choices,
    compare,
    has_ocr,
)
from homunculus.studio.documents import ask_document, is_document
from homunculus.studio.door import Door, Pictures, facts, is_loopback

HERE = Path(__file__).parent
PICTURES = Path(panels.__file__).with_name("pictures")
EXAMPLE = ("page", "What is the value of ferritin?")
"""A picture that comes with the package, and a question about it."""
MAX_ANSWER = 64
"""Tokens of a model's answer at most."""
TO_RESULTS = """() => {
  if (window.innerWidth <= 760 && document.querySelector("#pane .source"))
    document.querySelector("#results").scrollIntoView({ behavior: "smooth" });
}"""
"""On a phone the results are below: go there when something is asked."""
WAITING = 16
"""Requests that may wait for their turn."""


def gradio() -> Any:
    """Gradio, loaded when a page is built."""
    return need("gradio", extra="studio", who="homunculus studio")


# ---- what the page asks for ----------------------------------------------------------------------


class Studio:
    """What happens when someone asks: from values of the page to HTML."""

    def __init__(self, pictures: Pictures, chat: Chat | None = None) -> None:
        self.pictures, self.chat = pictures, chat

    def run(
        self, pane: Any, question: Any, tokens: Any, model: Any, others: Any, ocr: Any = False
    ) -> Iterator[str]:
        """The results, first without and then with a model's answers."""
        try:
            picture = self._picture(pane)
            if picture is None:
                yield cards.EMPTY
                return
            if not str(question or "").strip() and not pane.get("point"):
                yield cards.ASK
                return
            request = request_of(pane, question, tokens, model, others, ocr)
            if is_document(picture.part, picture.pages) and not pane.get("alone"):
                yield from self._document(str(pane["key"]), picture.pages, request)
            else:
                yield from self._compare(picture, request)
        except ValueError as error:  # pictures that cannot be used are among them
            yield cards.problem(str(error))

    def _compare(self, picture: Picture, request: Request) -> Iterator[str]:
        """Methods side by side on one picture."""
        comparison = compare(picture, request)
        yield cards.page(comparison)
        if self.chat and request.question.strip():
            yield cards.page(comparison, answers(self.chat, comparison))

    def _document(self, key: str, pages: int, request: Request) -> Iterator[str]:
        """One budget over all pages."""
        if not self.pictures.is_read(key):
            yield cards.reading(pages)
        seen = ask_document(self.pictures.document(key), request)
        yield cards.document(seen)
        if self.chat:
            answer = _ask(self.chat, [*seen.openai(), text_part(request.question)])
            yield cards.document(seen, answer)

    def _picture(self, pane: Any) -> Picture | None:
        if not isinstance(pane, Mapping) or not pane.get("key"):
            return None
        page = pane.get("page", 1)
        if not isinstance(page, int) or page < 1:
            raise PictureError("There is no such page.")
        return self.pictures.open(str(pane["key"]), page)

    def example(self) -> tuple[dict[str, Any], str]:
        """The picture that comes with the package, and a question about it."""
        name, question = EXAMPLE
        return facts(name, self.pictures.open(name)) | {"name": f"{name}.png"}, question


def request_of(
    pane: Mapping[str, Any],
    question: Any,
    tokens: Any,
    model: Any,
    others: Any,
    ocr: Any = False,
) -> Request:
    """Values that a browser sent, checked."""
    if model not in MODELS:
        raise ValueError(f"There is no model {str(model)[:40]!r}.")
    point = pane.get("point")
    if point is not None:
        valid = isinstance(point, list) and len(point) == 2
        if not (valid and all(isinstance(side, int | float) and isfinite(side) for side in point)):
            raise ValueError("A point is x and y.")
        point = (float(point[0]), float(point[1]))
    if not isinstance(tokens, int | float) or not isfinite(tokens):
        raise ValueError("The budget is a number of tokens.")
    names = tuple(map(str, others)) if isinstance(others, list) else ()
    return Request(str(question or ""), int(tokens), model, names, point, ocr is True)


def answers(chat: Chat, comparison: Comparison) -> dict[str, str]:
    """What a model answers from each method's pictures, and from the untouched picture."""
    whole, question = comparison.seen.picture.image(), text_part(comparison.request.question)
    texts = dict[str, str]()
    for column in comparison.columns:
        if column.name == comparison.columns[1].name:
            texts[column.name] = _ask(chat, [*comparison.seen.openai(), question])
        elif column.views:
            pictures = [image_part(encode(render(whole, view)).url) for view in column.views]
            texts[column.name] = _ask(chat, [*pictures, question])
    texts["full"] = _ask(chat, [image_part(encode(whole).url), question])
    return texts


def _ask(chat: Chat, parts: list[dict[str, Any]]) -> str:
    try:
        return chat.ask(parts, MAX_ANSWER).strip() or "(no answer)"
    except ValueError as error:  # one answer that fails takes nothing else away
        return f"No answer: {error}"


# ---- the page ------------------------------------------------------------------------------------


def build(studio: Studio, tokens: int = 64, model: str = "qwen3-vl") -> Any:
    """The page as Gradio's Blocks."""
    gr = gradio()
    known = list(choices())
    with gr.Blocks(title="Homunculus Studio", analytics_enabled=False, fill_width=True) as blocks:
        gr.HTML((HERE / "head.html").read_text("utf-8"), elem_id="title", js_on_load=None)
        with gr.Row(elem_id="studio", equal_height=False):
            with gr.Column(scale=0, min_width=340, elem_id="controls"):
                pane = gr.HTML(
                    {}, html_template=(HERE / "pane.html").read_text("utf-8"),
                    js_on_load=(HERE / "pane.js").read_text("utf-8"), elem_id="pane",
                )  # fmt: skip
                question = gr.Textbox(
                    label="Question", placeholder="What is the total?", max_length=MAX_QUESTION,
                    lines=1, max_lines=3, submit_btn="Look", elem_id="question",
                )  # fmt: skip
                budget = gr.Slider(
                    *TOKENS, tokens, step=4, label="Budget in tokens", elem_id="tokens",
                    info="for each method",
                )  # fmt: skip
                others = gr.Dropdown(
                    known, value=["cut"] if "cut" in known else [],
                    multiselect=True, max_choices=OTHERS, elem_id="others",
                    label="Other methods", info="up to two, beside resize and views",
                )  # fmt: skip
                whose = gr.Dropdown(
                    list(MODELS), value=model, label="Whose tokens", elem_id="model",
                )  # fmt: skip
                ocr = gr.Checkbox(
                    label="Read it by an OCR", value=False, visible=has_ocr(), elem_id="ocr",
                    info="for pictures without a text layer; takes seconds",
                )  # fmt: skip
            with gr.Column(scale=1, min_width=320, elem_id="results"):
                results = gr.HTML(cards.EMPTY, elem_id="output", js_on_load=None)
        inputs = [pane, question, budget, whose, others, ocr]
        quiet = {"api_visibility": "private", "trigger_mode": "always_last"}
        changes = [
            pane.select, pane.upload, question.submit, budget.change, whose.input, others.input,
            ocr.input,
        ]  # fmt: skip
        gr.on([*changes, pane.click], None, js=TO_RESULTS, queue=False, api_visibility="private")
        gr.on(changes, studio.run, inputs, results, **quiet)
        example = pane.click(studio.example, None, [pane, question], **quiet)
        example.then(studio.run, inputs, results, **quiet)
    return blocks.queue(max_size=WAITING, default_concurrency_limit=1, api_open=False)


def app(
    host: str = "127.0.0.1", chat: Chat | None = None, tokens: int = 64, model: str = "qwen3-vl"
) -> Any:
    """The studio as an ASGI app: the page, behind its door."""
    gr = gradio()
    fastapi: Any = need("fastapi", extra="studio", who="homunculus studio")
    name = EXAMPLE[0]
    pictures = Pictures({name: (PICTURES / f"{name}.png").read_bytes()})
    blocks = build(Studio(pictures, chat), tokens, model)
    theme = gr.themes.Base(
        primary_hue="teal", neutral_hue="slate", radius_size="md",
        font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"],
    )  # fmt: skip
    mounted = gr.mount_gradio_app(
        fastapi.FastAPI(docs_url=None, redoc_url=None, openapi_url=None), blocks, path="/",
        server_name=host, theme=theme, css=(HERE / "page.css").read_text("utf-8"),
        footer_links=[], run_history=False, show_error=False, ssr_mode=False, mcp_server=False,
        max_file_size=1, enable_monitoring=False,
    )  # fmt: skip
    blocks.has_launched = True  # else Gradio takes files of any folder for its own; the door is one
    return Door(mounted, pictures, host)


def check_host(host: str, allowed: bool) -> None:
    """Refuse an address that other machines can reach, unless that is what is wanted."""
    if not (is_loopback(host) or allowed):
        raise ValueError(
            f"--host {host} lets other machines reach the studio, and it asks nobody for a "
            "password. Add --allow-remote if you mean it."
        )


def serve(
    host: str = "127.0.0.1",
    port: int = 7860,
    chat: Chat | None = None,
    tokens: int = 64,
    model: str = "qwen3-vl",
    ready: Callable[[str], None] | None = None,
) -> None:
    """Run the studio until it is stopped; ``ready`` is told its address before that."""
    uvicorn: Any = need("uvicorn", extra="studio", who="homunculus studio")
    page = app(host, chat, tokens, model)
    with _listening(host, port) as open_socket:
        if ready:
            name = f"[{host}]" if ":" in host else host
            ready(f"http://{name}:{open_socket.getsockname()[1]}")
        server = uvicorn.Server(uvicorn.Config(page, log_level="warning"))
        server.run(sockets=[open_socket])


def _listening(host: str, port: int) -> socket.socket:
    """An open port, taken before anyone is told of it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise ValueError(
            f"port {port} of {host} cannot be opened ({error.strerror}). Name another with --port."
        ) from None
