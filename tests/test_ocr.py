"""OCR: engines in processes of their own, which may hang or crash at the cost of one page."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from homunculus.lazy import MissingExtra
from homunculus.pages import Picture, ocr, open_picture
from homunculus.pages.ocr import EngineOcr, Ocr, get_ocr, read_picture
from homunculus.pages.ocr_engines import _rapidocr_words, read_rapidocr, tesseract_words
from pdfs import letter, pdf

WORKER = """
import os, sys, time
from homunculus.pages import ocr_engines, ocr_worker

def fake(pixels):
    print("a library that talks", flush=True)
    told = int(pixels[0, 0, 0])
    if told == 1:
        os._exit(3)
    if told == 2:
        time.sleep(600)
    if told == 3:
        raise RuntimeError("a secret")
    if told == 4:
        return [["x" * 30_000_000, [0, 0, 9, 9]]]
    return [[f"p{told} {os.getpid()}", [10, 10, 90, 30]], [str(pixels.shape), [10, 50, 90, 60]]]

ocr_engines.ENGINES["fake"] = fake
ocr_worker.main("fake")
"""


def started(_: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


@pytest.fixture
def engine(monkeypatch):
    """An engine that does as the first pixel tells it."""
    monkeypatch.setitem(ocr.ENGINES, "fake", read_rapidocr)
    monkeypatch.setattr(ocr, "_started", started)
    made = EngineOcr("fake", seconds=20)
    yield made
    made.close()


def page(told: int = 9, high: int = 80, wide: int = 100) -> Picture:
    pixels = np.zeros((3, high, wide), np.uint8)
    pixels[0, 0, 0] = told
    return Picture(pixels, "a.png", (high, wide))


def worker_of(picture: Picture) -> int:
    assert picture.lines is not None, picture.lines_note
    return int(picture.lines.words[1])


def test_an_engine_reads_pages_one_after_the_other(engine) -> None:
    first, second = read_picture(page(9), engine), read_picture(page(8), engine)
    assert first.lines is not None
    assert second.lines is not None
    assert first.lines.words[0] == "p9"
    assert second.lines.words[0] == "p8"
    assert (first.lines.source, first.lines_note) == ("fake", "")
    assert worker_of(first) == worker_of(second) != os.getpid()


@pytest.mark.parametrize(
    ("told", "reason"),
    [(1, "its process ended"), (3, "RuntimeError"), (4, "its process ended")],
)
def test_a_page_that_an_engine_fails_on_costs_its_words_alone(engine, told, reason) -> None:
    failed = read_picture(page(told), engine)
    assert (failed.lines, failed.lines_note) == (None, f"The OCR fake failed: {reason}.")
    assert failed.notes() == [failed.lines_note]
    assert read_picture(page(9), engine).lines is not None


def test_an_engine_that_hangs_is_killed_and_another_is_started(engine) -> None:
    before = worker_of(read_picture(page(9), engine))
    engine.seconds = 0.5
    start = time.monotonic()
    failed = read_picture(page(2), engine)
    assert time.monotonic() - start < 10
    assert failed.lines_note == "The OCR fake failed: it took more than 0.5 seconds."
    assert gone(before)
    engine.seconds = 20
    assert worker_of(read_picture(page(8), engine)) != before


def test_threads_take_turns_and_do_not_wait_for_ever(engine) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda told: read_picture(page(told), engine), range(10, 30)))
    assert [picture.lines.words[0] for picture in found] == [f"p{told}" for told in range(10, 30)]
    engine.seconds = 0.2
    with engine._lock:
        busy = read_picture(page(77), engine)
    assert busy.lines_note == "The OCR fake failed: it was busy for 0.2 seconds."


def test_a_forked_process_starts_its_own_engine(engine) -> None:
    before = worker_of(read_picture(page(9), engine))
    theirs = engine._child
    engine._owner = -1
    assert worker_of(read_picture(page(8), engine)) != before
    theirs.end()


def gone(pid: int) -> bool:
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("busy", [False, True])
def test_an_engine_ends_with_its_parent(busy) -> None:
    parent = f"""
import subprocess, sys, threading, time
import numpy as np
from homunculus.pages import ocr, ocr_engines
WORKER = {WORKER!r}
ocr.ENGINES["fake"] = None
ocr._started = lambda name: subprocess.Popen(
    [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    stderr=subprocess.DEVNULL, start_new_session=True)
engine = ocr.EngineOcr("fake", 60)
pixels = np.full((3, 20, 20), 9, np.uint8)
print(list(engine(pixels))[0][0].split()[1], flush=True)
if {busy}:
    threading.Thread(target=engine, args=(np.full((3, 20, 20), 2, np.uint8),)).start()
time.sleep(600)
"""
    process = subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        if busy:
            time.sleep(0.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert gone(worker)


def test_what_was_read_is_not_read_again(engine) -> None:
    assert worker_of(read_picture(page(55), engine)) == worker_of(read_picture(page(55), engine))
    calls = list[tuple[int, ...]]()

    def function(pixels):
        calls.append(pixels.shape)
        return [("Total", (10, 10, 50, 20))]

    for _ in range(2):
        found = read_picture(page(56), function)
        assert found.lines is not None
        assert found.lines.source == "function"
    read_picture(page(56), lambda pixels: [])
    assert len(calls) == 1


def test_large_pictures_are_reduced_and_boxes_are_of_the_picture() -> None:
    shapes = list[tuple[int, ...]]()

    def function(pixels):
        shapes.append(pixels.shape)
        return [("Total", (100, 40, 200, 60))]

    found = read_picture(page(high=1000, wide=4000), function)
    assert shapes == [(3, 400, 1600)]
    assert found.lines is not None
    assert found.lines.boxes.tolist() == [[250, 100, 500, 150]]


class Reader:
    """An OCR of someone's own."""

    name = "mine"

    def __call__(self, pixels):
        return [("a b", (0, 0, 30, 10))]


def test_any_reader_with_a_name_is_an_ocr() -> None:
    assert isinstance(get_ocr(Reader()), Ocr)
    lines = read_picture(page(), Reader()).lines
    assert lines is not None
    assert (lines.source, lines.words) == ("mine", ("a", "b"))


def broken(pixels):
    raise MemoryError("of whatever kind")


@pytest.mark.parametrize(
    ("function", "reason"),
    [(broken, "MemoryError"), (lambda pixels: None, "TypeError"),
     (lambda pixels: [("a",)], "words: expected pairs (text, (x0, y0, x1, y1)), got ('a',). "
      "Give the box in pixels of the picture"),
     (lambda pixels: [("a", (900, 900, 990, 990))], "words: expected boxes in pixels of the "
      "picture, 100x80, got 100% of them beside it. Scale them; a PDF page is measured at 200 dots "
      "an inch")],
)  # fmt: skip
def test_a_function_that_fails_costs_the_words_alone(function, reason) -> None:
    found = read_picture(page(), function)
    assert found.lines is None
    assert found.lines_note.endswith(f" failed: {reason}.")


def test_endless_words_are_cut() -> None:
    lines = read_picture(page(), lambda pixels: repeat(("a", (1, 1, 9, 9)))).lines
    assert lines is not None
    assert len(lines) == 20_000


def test_names_that_there_are_not_are_refused(monkeypatch) -> None:
    with pytest.raises(ValueError, match=r"no OCR 'rapidorc'. Did you mean 'rapidocr'\? There are"):
        get_ocr("rapidorc")
    with pytest.raises(TypeError, match="ocr: expected 'rapidocr' or 'tesseract', or a function"):
        get_ocr(3)
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(MissingExtra, match=r"the OCR rapidocr needs rapidocr: .*\[ocr\]"):
        EngineOcr("rapidocr")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ValueError, match="no `tesseract` command"):
        EngineOcr("tesseract")
    with pytest.raises(ValueError, match="ocr: seconds must be a number from"):
        EngineOcr("rapidocr", 0)


def test_an_ocr_may_read_what_a_text_layer_could_not_tell() -> None:
    hidden = open_picture(pdf(letter(mode=3)))
    assert hidden.lines is None
    assert read_picture(hidden, lambda pixels: [("a", (1, 1, 9, 9))]).lines_note == ""
    both = read_picture(hidden, broken).lines_note
    assert both.startswith("The text layer was not used")
    assert both.endswith("The OCR broken failed: MemoryError.")


# ---- the engines themselves ----------------------------------------------------------------------


def square(x0: float, x1: float) -> list[list[float]]:
    return [[x0, 10], [x1, 10], [x1, 30], [x0, 30]]


def test_pieces_of_a_word_are_joined() -> None:
    lines = [("Total 1,284.50", square(0, 200)), ("wrong", square(0, 50)), ("a b", square(7, 19))]
    pieces = [
        [("Total", 1.0, square(0, 60)), ("1,", 1.0, square(70, 90)), ("284", 1.0, square(90, 120)),
         (".50", 1.0, square(120, 160))],
        [("a", 1.0, square(7, 9)), ("b", 1.0, square(12, 19))],
    ]  # fmt: skip
    assert list(_rapidocr_words(iter(lines), pieces)) == [
        [("Total", (0, 10, 60, 30)), ("1,284.50", (70, 10, 160, 30))],
        [("wrong", (0, 10, 50, 30))],
        [("a", (7, 10, 9, 30)), ("b", (12, 10, 19, 30))],
    ]
    over = [[("Tot", 1.0, square(0, 30)), ("al1", 1.0, square(30, 60))]]
    assert list(_rapidocr_words(iter([("Total 1", square(0, 60))]), over)) == [
        [("Total", (0, 10, 60, 30)), ("1", (30, 10, 60, 30))]
    ]
    high = [[0, 0], [10, 0], [10, 90], [0, 90]]
    assert list(_rapidocr_words(iter([("turned", high)]), [])) == [[]]


def test_the_table_of_tesseract_is_read() -> None:
    head = "level page_num block_num par_num line_num word_num left top width height conf text"
    rows = [
        "1 1 0 0 0 0 0 0 600 400 -1 ", "5 1 1 1 1 1 36 92 60 24 96.1 Total",
        "5 1 1 1 1 2 100 92 60 24 12.1 ~~", "broken",
    ]  # fmt: skip
    table = "\n".join(row.replace(" ", "\t") for row in [head, *rows])
    assert tesseract_words(table) == [("Total", (36.0, 92.0, 96.0, 116.0))]


@pytest.mark.slow
def test_rapidocr_reads_print_in_its_own_process() -> None:
    pytest.importorskip("rapidocr")
    image = Image.new("RGB", (500, 120), "white")
    font = ImageFont.load_default(28)
    ImageDraw.Draw(image).text((30, 40), "Total due: 1,284.50", "black", font)
    found = read_picture(open_picture(image), "rapidocr")
    assert found.lines is not None, found.lines_note
    assert (found.lines.source, found.lines.texts) == ("rapidocr", ("Total due: 1,284.50",))
    x0, y0, x1, y1 = found.lines.line_boxes[0].tolist()
    dark = np.argwhere(np.asarray(image.convert("L")) < 128)
    (top, left), (low, right) = dark.min(0), dark.max(0)
    assert np.abs(np.array((x0, y0, x1, y1)) - (left, top, right, low)).max() < 16
