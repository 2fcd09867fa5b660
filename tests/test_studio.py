"""The studio without a browser: what it compares, and what it lets in. No Gradio is loaded."""

import asyncio
import json
import re
import struct
import zlib
from base64 import b64decode
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from homunculus import Planner, Sight
from homunculus.commands.main import main
from homunculus.engines.cells.methods import list_methods
from homunculus.pages import Picture, PictureError
from homunculus.scouts.sight import probabilities
from homunculus.studio import cards, compare, documents, door
from homunculus.studio.compare import PointScout, Request, open_upload
from homunculus.studio.page import Studio
from pdfs import LETTER, letter, pdf, pdf_of_pages

INVOICE = Path(__file__).parents[1] / "docs" / "invoice.png"
TOTAL = (846, 954, 948, 992)
"""Where the answer stands: x0 y0 x1 y1."""


@cache
def invoice() -> Picture:
    return open_upload(INVOICE.read_bytes())


@cache
def comparison() -> compare.Comparison:
    return compare.compare(invoice(), Request("What is the total due?", 32, others=("cut", "grid")))


def png(wide: int, high: int) -> bytes:
    """A PNG that declares a size and holds next to nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


# ---- what is compared ----------------------------------------------------------------------------


def test_every_method_has_the_same_budget_and_none_spends_more() -> None:
    columns = comparison().columns
    assert [one.name for one in columns] == ["resize", "views", "cut", "grid"]
    assert all(0 < one.tokens <= 32 for one in columns)
    assert columns[1].value > columns[0].value + 0.2
    assert [one.value for one in columns[2:]] == [None, None]


def test_the_magnified_place_holds_the_answer_and_is_sharper_in_views() -> None:
    x0, y0, x1, y1 = comparison().place
    across, down = (TOTAL[0] + TOTAL[2]) / 2, (TOTAL[1] + TOTAL[3]) / 2
    assert x0 < across < x1
    assert y0 < down < y1
    errors = []
    truth = np.array(comparison().original.convert("L"), float)
    for column in comparison().columns[:2]:
        assert column.spot.size == comparison().original.size
        pixels = np.array(column.spot.convert("L"), float)
        errors.append(float(np.abs(pixels - truth).mean()))
    assert errors[1] < 0.8 * errors[0]


def invoice_image() -> Any:
    return Image.open(INVOICE).convert("RGB")


def test_the_magnified_place_is_the_likeliest_of_the_whole_map() -> None:
    def lines(image: Any, question: str, grid: tuple[int, int]) -> Sight:
        logit = np.zeros(grid)
        logit[grid[0] // 2] = 5.0  # a row of likely cells, the likeliest in its middle
        logit[grid[0] // 2, grid[1] // 2] = 9.0
        logit[0, 0] = 8.5  # less likely, but alone in its row
        return Sight(logit, sure=0.0)

    planner = Planner(Image.new("RGB", (2000, 2000)), "?", scout=lines)
    x0, y0, x1, y1 = compare.spot_of(planner)
    assert x0 < 1000 < x1
    assert y0 < 1000 < y1


def test_the_pictures_are_shown_as_they_are_sent() -> None:
    html = cards.page(comparison()).partition('class="sent"')[2].partition("</section>")[0]
    urls = re.findall(r'src="data:image/(?:png|jpeg|webp);base64,([^"]+)"', html)
    sizes = [Image.open(BytesIO(b64decode(url))).size for url in urls]
    assert sizes == [view.size[::-1] for view in comparison().seen]
    shown = re.findall(r'width="(\d+)" height="(\d+)"', html)
    assert [(int(wide), int(high)) for wide, high in shown] == sizes
    for view in comparison().seen:
        assert f"{view.size[1]} x {view.size[0]} pixels, {view.tokens} token" in html


def test_one_probability_is_shown_and_it_says_of_what() -> None:
    html = cards.page(comparison())
    assert cards.CHANCE in html


def flat(image: Any, question: str, grid: tuple[int, int]) -> Sight:
    logit = np.full(grid, -9.0)
    logit[0, 0] = 9.0
    return Sight(logit, sure=0.8, size=20.0)


def test_a_point_is_looked_at_instead_of_the_question() -> None:
    pixels, grid = np.zeros((3, 64, 64), np.uint8), (32, 32)
    alone = PointScout(flat, (0.75, 0.5))(pixels, "", grid)
    row, col = divmod(int(alone.logit.argmax()), 32)
    assert abs(row + 0.5 - 16) <= 1
    assert abs(col + 0.5 - 24) <= 1
    assert alone.size == 20.0  # how high print is, is still the scout's to say
    assert probabilities(alone.logit)[0, 0] < 1e-3


def test_a_click_moves_the_windows_and_the_magnified_place() -> None:
    there = compare.compare(invoice(), Request("", 32, point=(0.3, 0.2)))
    x0, y0, x1, y1 = there.place
    assert x0 < 0.3 * 1024 < x1
    assert y0 < 0.2 * 1408 < y1
    windows = [view.box for view in there.seen if view.name != "whole"]
    assert any(x0 < 307 < x1 and y0 < 282 < y1 for x0, y0, x1, y1 in windows)


def test_a_method_with_a_fixation_gets_the_click() -> None:
    there = compare.compare(invoice(), Request("", 64, others=("foveated",), point=(0.3, 0.2)))
    assert there.columns[2].tokens == 64
    elsewhere = compare.compare(invoice(), Request("", 64, others=("foveated",), point=(0.9, 0.9)))
    assert there.columns[2].where.tobytes() != elsewhere.columns[2].where.tobytes()


def test_methods_that_cannot_be_compared_are_not_offered() -> None:
    assert set(list_methods()) - set(compare.choices()) == {"resize", "oracle", "shuffled"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"tokens": 0}, "4 to 512"),
        ({"tokens": 10**9}, "4 to 512"),
        ({"others": ("cut", "grid", "pool")}, "At most 2"),
        ({"others": ("oracle",)}, "'oracle' cannot"),
        ({"others": ("../etc",)}, "cannot be compared"),
        ({"point": (2.0, 0.5)}, "outside"),
        ({"question": "a" * 1001}, "shorter"),
    ],
)
def test_a_request_out_of_bounds_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Request(**wrong)


def test_the_page_escapes_what_people_type() -> None:
    typed = "<img src=x onerror=alert(1)>"
    one = compare.compare(invoice(), Request(typed, 16))
    html = cards.page(one, {"views": "<script>x</script>", "full": typed})
    assert html.count("&lt;img src=x onerror") >= 2
    assert "&lt;script&gt;" in html
    assert not re.search(r"<script|onerror=alert\(1\)>", html)
    assert typed not in cards.problem(typed)


# ---- documents -----------------------------------------------------------------------------------

TOWNS = ("Aberdeen", "Bergen", "Cadiz", "Dresden", "Esbjerg")
ASKED = "Who keeps the lighthouse of Dresden?"


@cache
def report() -> bytes:
    """A PDF whose fourth page has the answer."""
    lines = [f"The lighthouse of {town} is kept by {town[::-1].title()}" for town in TOWNS]
    return pdf_of_pages([letter([*LETTER[:3], line, *LETTER[3:]]) for line in lines])


def scan(pages: int) -> bytes:
    """A PDF without words."""
    return pdf_of_pages([""] * pages)


def asked(data: bytes, question: str = ASKED, **pane: Any) -> list[str]:
    """What the page shows one after the other when a file is asked."""
    pictures = door.Pictures()
    key, _ = pictures.add(data)
    return list(Studio(pictures).run({"key": key} | pane, question, 128, "qwen3-vl", []))


def test_all_pages_of_a_pdf_are_asked_with_one_budget() -> None:
    reading, shown = asked(report())
    assert "Reading 5 pages" in reading
    whole = documents.open_document(report()).cost("qwen3-vl")
    assert f"<b>{whole:,}</b> for all 5 pages" in shown
    spent = int(re.search(r"<b>(\d+)</b> [^<]+ with their lines", shown)[1])
    assert 64 < spent <= 128
    assert re.search(r"Pages? (\d, )*(\d and )?4.* of 5\.", shown)
    assert 'alt="contact sheet of the pages that are shown"' in shown
    assert re.search(r"<figcaption>page 4, window: \d+ x \d+ pixels, \d+ tokens", shown)


def test_a_page_that_is_asked_alone_is_a_picture_as_before() -> None:
    (shown,) = asked(report(), page=2, alone=True)
    assert 'data-method="resize"' in shown
    assert "contact sheet" not in shown
    assert asked(report(), question=" ") == [cards.ASK]


def test_what_people_ask_of_a_document_is_escaped() -> None:
    typed = "<img src=x onerror=alert(1)>"
    shown = asked(report(), question=typed)[-1]
    assert "&lt;img src=x onerror" in shown
    assert typed not in shown


def test_a_document_is_read_once() -> None:
    pictures = door.Pictures()
    key, first = pictures.add(scan(3))
    assert documents.is_document(first.part, first.pages)
    assert not pictures.is_read(key)
    document = pictures.document(key)
    assert len(document) == 3
    assert pictures.is_read(key)
    assert pictures.document(key) is document
    with pytest.raises(PictureError, match="no longer here"):
        pictures.document("strange")


def test_documents_out_of_bounds_are_refused_in_a_sentence(monkeypatch) -> None:
    monkeypatch.setattr(documents, "PAGES", 4)
    with pytest.raises(PictureError, match=r"has 5 pages; the studio reads up to 4\. Ask about"):
        documents.open_document(report())
    monkeypatch.setattr(documents, "SCANS", 2)
    with pytest.raises(PictureError, match="3 pages of this document have no text layer"):
        documents.open_document(scan(3))
    poster = pdf(letter(), media=(0, 0, 5000, 5000))
    with pytest.raises(PictureError, match=r"Page 1 has 193 megapixels \(13889 x 13889\)"):
        documents.open_document(poster)
    assert 'role="alert"' in asked(report())[-1]


def test_a_tiff_stays_outside() -> None:
    file = BytesIO()
    sheet = Image.new("L", (60, 80), 255)
    sheet.save(file, "tiff", save_all=True, append_images=[sheet])
    with pytest.raises(PictureError, match="a TIFF, which is read only from a file"):
        door.Pictures().add(file.getvalue())


# ---- what is let in ------------------------------------------------------------------------------


def test_a_huge_picture_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(PictureError, match=r"100 megapixels \(10000 x 10000\).* up to 64"):
        open_upload(png(10_000, 10_000))


def test_a_text_file_with_the_name_of_a_picture_is_refused() -> None:
    with pytest.raises(PictureError, match=r"expected PNG.* got a file of another kind"):
        open_upload(b"Dear diary, %PDF is not here")


def test_a_page_of_a_pdf_is_opened() -> None:
    file = BytesIO()
    page = Image.new("RGB", (300, 400), "white")
    page.save(file, "pdf", save_all=True, append_images=[page])
    found = open_upload(file.getvalue(), 2)
    assert (found.pages, found.original[0] > found.original[1]) == (2, True)
    with pytest.raises(PictureError, match="no page 3: this PDF has 2 pages, counted from 1"):
        open_upload(file.getvalue(), 3)


def test_pictures_are_found_by_keys_alone_and_the_oldest_goes(monkeypatch) -> None:
    small = BytesIO()
    Image.new("RGB", (40, 30), "white").save(small, "png")
    data = small.getvalue()
    monkeypatch.setattr(door, "HELD", 2 * len(data))
    pictures = door.Pictures({"example": data})
    keys = [pictures.add(data)[0] for _ in range(8)]
    assert len(set(keys)) == 8
    assert pictures.open(keys[-1]).size == (30, 40)
    assert pictures.open("example").size == (30, 40)
    for strange in (keys[0], str(INVOICE), "../page.png", "file:///etc/passwd", ""):
        with pytest.raises(PictureError, match="no longer here"):
            pictures.open(strange)


async def behind(scope: dict, receive: Any, send: Any) -> None:
    """Stands for Gradio: says that it was reached."""
    if scope["method"] == "POST":
        await receive()
    await send({"type": "http.response.start", "status": 299, "headers": []})
    await send({"type": "http.response.body", "body": b"gradio"})


def request(path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes, dict]:
    """One request to a door with Gradio behind it."""
    headers = {"host": "127.0.0.1:7860"} | headers
    scope = {
        "type": "http", "method": "GET" if body is None else "POST", "path": path,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    sent = []

    async def receive() -> dict:
        return {"type": "http.request", "body": body or b"", "more_body": False}

    async def send(message: dict) -> None:
        sent.append(message)

    asyncio.run(door.Door(behind, door.Pictures(), "127.0.0.1")(scope, receive, send))
    return sent[0]["status"], sent[1]["body"], dict(sent[0]["headers"])


@pytest.mark.parametrize("path", ["/", "/config", "/theme.css", "/assets/index.js"])
def test_the_pages_own_requests_go_through(path: str) -> None:
    status, _, headers = request(path)
    assert status == 299
    assert b"default-src 'self'" in headers[b"content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=/etc/passwd", "/file=/etc/passwd", "/gradio_api/file/etc/passwd",
        "/gradio_api/proxy=http://10.0.0.1/", "/gradio_api/info", "/gradio_api/stream/a/b/1/x.ts",
        "/monitoring", "/gradio_api/upload_progress", "/gradio_api/deep_link", "/svelte/x.js",
        "/picture/../../etc/passwd", "/picture/key/-1", "/picture/key/٣",
    ],
)  # fmt: skip
def test_nothing_else_can_be_read(path: str) -> None:
    assert request(path)[0] in (400, 404)


@pytest.mark.parametrize(
    "path",
    ["/gradio_api/upload", "/gradio_api/run/predict", "/gradio_api/component_server", "/login",
     "/gradio_api/call/run", "/gradio_api/vibe-edit", "/gradio_api/process_recording"],
)  # fmt: skip
def test_nothing_else_can_be_sent(path: str) -> None:
    assert request(path, b"{}")[0] == 404


FILE = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (json.dumps({"data": [{"key": "abc", "point": [0.1, 0.2]}, "What?", 64]}).encode(), 299),
        (json.dumps({"data": [FILE]}).encode(), 400),
        (json.dumps({"data": [{"deep": [[{"value": FILE}]]}]}).encode(), 400),
        (json.dumps({"data": [FILE]}).replace("path", "\\u0070ath").encode(), 400),
        (json.dumps({"data": [{"url": "http://10.0.0.1/"}]}).encode(), 400),
        (b"not json", 400),
        (b"[" * 60_000, 400),
        (b'"' + b"a" * 70_000 + b'"', 413),
    ],
)
def test_a_request_that_names_a_file_or_is_too_large_is_refused(body: bytes, status: int) -> None:
    assert request("/gradio_api/queue/join", body)[0] == status


def test_an_upload_is_kept_or_refused_kindly() -> None:
    status, body, _ = request("/picture", INVOICE.read_bytes())
    assert status == 200
    told = json.loads(body)
    assert (told["width"], told["height"], told["pages"]) == (1024, 1408, 1)
    status, body, _ = request("/picture", b"Dear diary")
    assert (status, json.loads(body)["error"][:12]) == (400, "expected PNG")
    status, body, _ = request("/picture", b"", **{"content-length": str(10**9)})
    assert (status, "32 MiB" in json.loads(body)["error"]) == (413, True)


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"host": ""}, {"origin": "http://evil.example"},
     {"host": "127.0.0.1.evil.example:7860"}],
)  # fmt: skip
def test_other_websites_are_kept_out(headers: dict[str, str]) -> None:
    assert request("/", **headers)[0] == 403
    assert request("/picture", INVOICE.read_bytes(), **headers)[0] == 403


@pytest.mark.parametrize("headers", [{"host": "[::1"}, {"origin": "http://[::1"}])
def test_a_broken_name_of_a_host_is_a_broken_request(headers: dict[str, str]) -> None:
    assert request("/", **headers)[0] == 400


def test_pages_of_an_upload_count_from_1() -> None:
    file = BytesIO()
    sheet = Image.new("RGB", (60, 80), "white")
    sheet.save(file, "gif", save_all=True, append_images=[Image.new("RGB", (60, 80), "black")])
    pictures = door.Pictures()
    key, first = pictures.add(file.getvalue())
    told = door.facts(key, first)
    assert (told["page"], told["pages"], told["part"]) == (1, 2, "frame")
    assert pictures.open(key, 2).pixels.max() == 0
    with pytest.raises(PictureError, match="The first page is 1"):
        pictures.open(key, 0)


def test_the_same_page_is_let_in_by_its_names() -> None:
    for host in ("127.0.0.1:7860", "localhost:7860", "[::1]:7860"):
        assert request("/", host=host, origin=f"http://{host}")[0] == 299


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.2", "example.com", "::"])
def test_an_address_that_others_can_reach_must_be_wanted(host: str, capsys) -> None:
    assert main(["studio", "--host", host]) == 2
    assert "--allow-remote" in capsys.readouterr().err
