"""The eye test: a chart of known heights, a curve that recovers the truth, and every reader."""

import base64
import io
import json
import math
import re
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import numpy
import pytest
from PIL import Image

import tiny
from homunculus.commands.main import main
from homunculus.eyes import test as eyetest
from homunculus.eyes.chart import CARD, KINDS, Item, choose_faces, draw_chart, heights, make_chart
from homunculus.eyes.test import examine, fit_curve, run, score
from homunculus.pages import ocr_engines
from homunculus.planner.acuity import ACUITIES, Acuity, get_acuity
from homunculus.serve import chat

ROOT = Path(__file__).parents[1]
FACES = choose_faces(Random(0))
PNG = "data:image/png;base64,"
TRUTH = Acuity("truth", 7.0, 0.5, 0.9)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path


def silent(done: int, total: int) -> None:
    """Progress that nobody watches."""


def chance(height: float, acuity: Acuity = TRUTH) -> float:
    return float(acuity.read(numpy.log2([height]))[0])


# ---- the chart -----------------------------------------------------------------------------------


def test_a_chart_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    one, again, other = make_chart(3, 2), make_chart(3, 2), make_chart(4, 2)
    assert one == again
    assert [a.picture.tobytes() for a in one] == [b.picture.tobytes() for b in again]
    assert [a.text for a in one] != [b.text for b in other]


def test_a_chart_has_every_kind_at_every_height_in_several_fonts() -> None:
    chart = make_chart(0, 8)
    rows = {(one.height, one.kind) for one in chart}
    assert rows == {(height, kind) for height in heights() for kind in KINDS}
    assert len(chart) == 8 * len(rows)
    assert (heights()[0], round(heights()[-1], 6), len(heights())) == (40, 3, 14)
    assert {one.font for one in chart} == set(choose_faces(Random("eyetest 0")))
    for one in chart:
        assert one.text.isalpha() == (one.kind == "word")
        assert any(map(str.isalpha, one.text)) == (one.kind != "number")


def ink(item: Item) -> tuple[int, int]:
    """First row with a third of the darkest ink, and the row after the last such one."""
    dark = 255 - numpy.array(item.picture.convert("L")).astype(float)
    rows = numpy.flatnonzero(dark.max(1) > dark.max() / 3).tolist()
    return rows[0], rows[-1] + 1


@pytest.mark.parametrize("font", FACES, ids=lambda path: Path(path).stem or "Pillow")
def test_lines_are_as_high_as_they_claim(font) -> None:
    for height in heights(6):
        items = [Item("dpdp", "word", height, font, (0.5, at / 5)) for at in range(5)]
        ends = [ink(item) for item in items]  # whole pixels, so on the mean of five places
        assert sum(last - first for first, last in ends) / 5 == pytest.approx(height, abs=1)
        for item, found in zip(items, ends, strict=True):
            assert found == pytest.approx((item.box[1], item.box[3]), abs=1)


def test_ocr_readers_get_the_line_enlarged_and_models_get_it_as_it_is() -> None:
    for item in make_chart(1, 1):
        line = max(24, item.height)
        assert item.enlarged.shape[1] == pytest.approx(1.24 * line, abs=3)
        assert item.enlarged.std() > 5, "a blank crop"
        assert item.card.height == CARD
        assert all(side % token == 0 for side in item.card.size for token in (28, 32))
        left = (item.card.width - item.picture.width) // 2
        top = (CARD - item.picture.height) // 2
        box = (left, top, left + item.picture.width, top + item.picture.height)
        assert item.card.crop(box).tobytes() == item.picture.tobytes()


# ---- the curve -----------------------------------------------------------------------------------


def simulated(acuity: Acuity, each: int, seed: int) -> tuple[list[float], list[bool]]:
    rng = Random(seed)
    rows = [height for height in heights() for _ in range(each)]
    return rows, [rng.random() < chance(height, acuity) for height in rows]


@pytest.mark.parametrize(
    "truth",
    [TRUTH, Acuity("sharp", 4.5, 0.25), Acuity("poor", 18.0, 0.8, 0.95)],
    ids=lambda one: one.name,
)
def test_the_fit_recovers_a_known_curve_within_its_interval(truth) -> None:
    fit = fit_curve(*simulated(truth, 60, 1), resamples=500)
    assert fit.middle[1] <= truth.middle <= fit.middle[2]
    for name in ("width", "ceiling"):  # percentiles of a bootstrap are a little narrow for these
        found, low, high = getattr(fit, name)
        slack = (high - low) / 5 + 2e-3
        assert low - slack <= getattr(truth, name) <= high + slack, (name, found, low, high)
    assert fit.middle[0] == pytest.approx(truth.middle, rel=0.12)
    assert (fit.middle[2] - fit.middle[1]) / truth.middle < 0.5


def test_the_interval_covers_as_often_as_it_says() -> None:
    fits = [fit_curve(*simulated(TRUTH, 24, seed), resamples=200) for seed in range(16)]
    hits = sum(fit.middle[1] <= TRUTH.middle <= fit.middle[2] for fit in fits)
    assert hits >= 13  # 15 expected


def test_the_fit_is_the_maximum_of_its_likelihood() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    rows, read = simulated(TRUTH, 24, 5)
    octaves, right = numpy.log2(rows), numpy.array(read)

    def loss(point: Sequence[float]) -> float:
        middle, width, ceiling = point
        if not (width > 0.05 and 0 < ceiling <= 1):
            return 1e9
        p = Acuity("x", 2.0**middle, width, ceiling).read(octaves).clip(1e-3, 1 - 1e-9)
        return -float(numpy.where(right, numpy.log(p), numpy.log1p(-p)).sum())

    fit = fit_curve(rows, read, resamples=2)
    mine = loss((math.log2(fit.middle[0]), fit.width[0], fit.ceiling[0]))
    best = optimize.minimize(loss, (2.5, 0.4, 0.95), method="Nelder-Mead").fun
    assert mine <= best + 0.01


def test_the_same_seed_gives_the_same_interval() -> None:
    answers = simulated(TRUTH, 10, 0)
    assert fit_curve(*answers, seed=1) == fit_curve(*answers, seed=1)
    assert fit_curve(*answers, seed=1).middle[1:] != fit_curve(*answers, seed=2).middle[1:]


def test_case_and_spaces_do_not_count_and_half_a_text_counts_in_part() -> None:
    assert score("Total", " to TAL") == (True, 1.0)
    assert score("4K83AG", "4K834G") == (False, 0.8333)
    assert score("4K83AG", "") == (False, 0.0)


# ---- readers that are not read -------------------------------------------------------------------


@dataclass
class Stub:
    """Reads as it is told."""

    answer: Callable[[Item], str]
    name: str = "stub"
    version: str = "stub 1"
    shown: str = "told"

    def read(self, items: Sequence[Item], progress: Callable[[int, int], None]) -> list[str]:
        progress(len(items), len(items))
        return [self.answer(item) for item in items]


def test_a_reader_that_reads_nothing_has_no_curve() -> None:
    chart = make_chart(0, 1)
    result = examine(Stub(lambda item: "?"), chart, 0, silent)
    assert (result["curve"], result["bound"]) == (None, None)
    assert result["message"] == "stub read nothing at any height."
    assert result["smallest"] == {"50%": None, "90%": None}
    assert draw_chart(result, chart).width > 1000
    with pytest.raises(ValueError, match="stub read nothing at any height"):
        Acuity.from_json(result)


def test_a_reader_that_reads_everything_is_bounded_by_the_smallest_row() -> None:
    chart = make_chart(0, 1)
    result = examine(Stub(lambda item: item.text.upper()), chart, 0, silent)
    assert result["message"] == "stub read everything: its middle is below 3.0 px."
    assert result["bound"] == "below"
    assert Acuity.from_json(result) == Acuity("stub", 3.0, 0.1)
    assert result["smallest"] == {"50%": 3.0, "90%": 3.0}
    assert draw_chart(result, chart).width > 1000


def test_a_middle_beside_the_chart_is_said_to_be_extrapolated() -> None:
    tall = [one for one in make_chart(0, 8) if one.height > 20]
    good = examine(Stub(lambda item: item.text if item.phase[0] < 0.8 else ""), tall, 0, silent)
    small = [one for one in make_chart(0, 8) if one.height < 8]
    keen = Acuity("keen", 2.0, 0.6)
    sharp = examine(
        Stub(lambda item: item.text if item.phase[0] < chance(item.height, keen) else ""),
        small, 0, silent,
    )  # fmt: skip
    for result in (good, sharp):
        assert result["bound"] == "below"
        assert result["message"].endswith("below the chart: extrapolated.")


def test_the_table_tells_heights_and_kinds_apart() -> None:
    chart = make_chart(0, 4)
    result = examine(
        Stub(lambda one: one.text if one.kind != "code" and one.height > 8 else "x"),
        chart, 0, silent,
    )  # fmt: skip
    first, last = result["table"][0], result["table"][-1]
    assert (first["height"], first["n"], first["word"], first["code"]) == (40.0, 12, 1.0, 0.0)
    assert first["read"] == pytest.approx(2 / 3, abs=1e-3)
    assert (last["height"], last["read"]) == (3.0, 0.0)
    assert result["smallest"] == {"50%": 8.12, "90%": None}
    assert result["rows"][0][:4] == [40.0, "word", chart[0].text, chart[0].text]


# ---- a server ------------------------------------------------------------------------------------


@contextmanager
def serving(
    reply: Callable[[dict[str, Any]], tuple[int, Any]],
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server on loopback: its address, and the requests that it got."""
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(200, {"data": [{"id": "fake-vl"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append({"path": self.path, "key": self.headers["Authorization"]} | body)
            self.answer(*reply(body))

        def answer(self, status: int, content: Any) -> None:
            file = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(file)))
            self.end_headers()
            self.wfile.write(file)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def said(text: str | None) -> tuple[int, Any]:
    return 200, {"choices": [{"message": {"role": "assistant", "content": text}}]}


def reads_by(acuity: Acuity, items: int, seed: int) -> Callable[[dict[str, Any]], tuple[int, Any]]:
    """Answers with the text of a card as often as the curve says."""
    known = {eyetest.data_uri(item): item for item in make_chart(seed, items)}

    def reply(body: dict[str, Any]) -> tuple[int, Any]:
        picture, words = body["messages"][0]["content"]
        assert words == {"type": "text", "text": eyetest.PROMPT}
        item = known[picture["image_url"]["url"]]
        right = Random(f"{item}").random() < chance(item.height, acuity)
        return said(f'"{item.text}"' if right else "I cannot read it.")

    return reply


def test_the_command_recovers_the_curve_of_a_server(folder, capsys) -> None:
    with serving(reads_by(TRUTH, 6, 2)) as (url, requests):
        code = main(["eyetest", "--server", url, "--items", "6", "--seed", "2", "--json"])
    assert code == 0
    printed, noted = capsys.readouterr()
    result = json.loads(printed)
    assert result == json.loads((folder / "eyetest-fake-vl.json").read_text())
    assert "eyetest-fake-vl.json and eyetest-fake-vl.png" in noted
    low, high = result["curve"]["interval"]
    assert low <= TRUTH.middle <= high
    assert result["curve"]["middle"] == pytest.approx(TRUTH.middle, rel=0.15)
    assert result["curve"]["width"] == pytest.approx(TRUTH.width, abs=0.25)
    assert result["curve"]["ceiling"] == pytest.approx(TRUTH.ceiling, abs=0.08)
    assert (result["n"], result["seed"], result["name"]) == (252, 2, "fake-vl")
    assert {"command", "commit", "versions", "hardware", "config"} <= result.keys()
    assert len(requests) == 252
    assert {one["model"] for one in requests} == {"fake-vl"}
    assert {one["temperature"] for one in requests} == {0}
    (card,) = requests[0]["messages"][0]["content"][:1]
    file = io.BytesIO(base64.b64decode(card["image_url"]["url"].removeprefix(PNG)))
    with Image.open(file) as shown:
        assert shown.size == (CARD, CARD)
    with Image.open("eyetest-fake-vl.png") as drawn:
        assert drawn.width > 1000
    acuity = get_acuity("eyetest-fake-vl.json")
    assert acuity.to_json().items() <= result["curve"].items()
    assert acuity.interval == (low, high)


def test_a_named_model_and_a_key_are_sent(monkeypatch, capsys) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with serving(lambda body: said(None)) as (url, requests):
        flags = ["--model", "mine", "--items", "1", "-o", "a.json"]
        assert main(["eyetest", "--server", f"{url}/", *flags]) == 0
    assert {(one["model"], one["key"]) for one in requests} == {("mine", "Bearer secret")}
    assert {one["path"] for one in requests} == {"/v1/chat/completions"}
    assert "mine read nothing at any height." in capsys.readouterr().out
    assert json.loads(Path("a.json").read_text())["curve"] is None
    assert "secret" not in Path("a.json").read_text()


def test_a_busy_server_is_asked_again(monkeypatch) -> None:
    monkeypatch.setattr(chat.time, "sleep", lambda seconds: None)
    count = iter(range(10**6))
    with serving(lambda body: (503, b"busy") if next(count) < 2 else said("x")) as (url, requests):
        eyes = eyetest.ServerEyes(url, "mine")
        assert eyes.read(make_chart(0, 1)[:4], silent) == ["x"] * 4
    assert len(requests) == 6


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((400, {"error": "no images, please"}), "answered 400 Bad Request: .*no images, please"),
        ((404, b""), "answered 404 Not Found: without a message. The address ends in /v1"),
        ((503, b"busy"), "answered 503 Service Unavailable: busy"),
        ((200, {"text": "hello"}), "is no OpenAI-compatible server: .*'text': 'hello'"),
        ((200, b"<html>"), "did not answer in JSON"),
    ],
)
def test_a_server_that_refuses_is_quoted(reply, message, monkeypatch, capsys) -> None:
    monkeypatch.setattr(chat.time, "sleep", lambda seconds: None)
    with serving(lambda body: reply) as (url, requests):
        assert main(["eyetest", "--server", url, "--model", "m", "--items", "1"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("homunculus eyetest: http://127.0.0.1:")
    assert re.search(message, error), error
    assert len(requests) == (chat.TRIES if reply[0] == 503 else 1)
    assert not Path("eyetest-m.json").exists()


def test_a_server_that_is_down_is_named(monkeypatch, capsys) -> None:
    monkeypatch.setattr(chat.time, "sleep", lambda seconds: None)
    with serving(lambda body: said("")) as (url, _):
        pass
    assert main(["eyetest", "--server", url]) == 2
    error = capsys.readouterr().err
    assert f"no answer from {url}" in error
    assert "Is the server running?" in error


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["rapidocq"], "no reader 'rapidocq'. Did you mean 'rapidocr'? There are rapidocr and"),
        ([], "name one reader: rapidocr, tesseract, --server URL"),
        (["rapidocr", "--hf", "x"], "name one reader"),
        (["rapidocr", "--model", "x"], "--model names a model of a server"),
        (["--server", "localhost:8000"], "expected an address such as http://127.0.0.1:8000/v1"),
        (["tesseract"], "no `tesseract` command. Install the package tesseract-ocr."),
    ],
)
def test_mistakes_are_explained(flags, message, monkeypatch, capsys) -> None:
    monkeypatch.setattr(ocr_engines.shutil, "which", lambda name: None)
    assert main(["eyetest", *flags]) == 2
    assert message in capsys.readouterr().err


def test_every_step_is_told_and_the_result_is_json(monkeypatch) -> None:
    steps: list[tuple[int, int]] = []
    monkeypatch.setattr(eyetest, "get_eyes", lambda arguments: Stub(lambda item: item.text))
    flags = Namespace(seed=0, items=1, out=Path("a.json"))
    run(flags, lambda *step: steps.append(step))
    assert steps == [(42, 42)]
    with pytest.raises(ValueError, match=r"ends in \.json, got a\.txt"):
        run(Namespace(seed=0, items=1, out=Path("a.txt")), silent)


# ---- models and OCR ------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning:transformers")
def test_a_random_model_reads_nothing(monkeypatch, capsys) -> None:
    monkeypatch.setattr(eyetest, "ANSWER_TOKENS", 6)
    folder = tiny.folder("qwen3_vl")
    assert main(["eyetest", "--hf", str(folder), "--items", "1", "-o", "tiny.json"]) == 0
    assert f"{folder.name} read nothing at any height." in capsys.readouterr().out
    result = json.loads(Path("tiny.json").read_text())
    assert (result["curve"], result["n"]) == (None, 42)
    assert f"{folder.name}, torch.float32, transformers" in result["reader"]
    assert len({row[3] for row in result["rows"]}) > 1, "it never looked"


@pytest.mark.filterwarnings("ignore::DeprecationWarning:transformers")
def test_a_model_that_cannot_be_loaded_is_named(folder, capsys) -> None:
    tiny.hub()
    assert main(["eyetest", "--hf", str(folder)]) == 2
    assert f"cannot load {folder} as a model of images and text" in capsys.readouterr().err


def test_an_ocr_network_reads_large_text_and_no_specks() -> None:
    pytest.importorskip("rapidocr", reason="needs the extra `ocr`")
    flags = Namespace(reader="rapidocr", server=None, hf=None, model=None, cache=Path("cache"))
    eyes = eyetest.get_eyes(flags)
    chart = [one for one in make_chart(0, 2) if one.height > 30 or one.height < 3.1]
    table = examine(eyes, chart, 0, silent)["table"]
    assert [row["height"] for row in table] == [40.0, 32.77, 3.0]
    assert table[0]["read"] >= 0.8
    assert table[-1]["read"] <= 0.2


# ---- curves by name ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rapidocr", "tesseract"])
def test_the_shipped_curves_are_those_that_were_measured(name) -> None:
    path = ROOT / "results" / f"eyetest-{name}.json"
    assert get_acuity(name) == get_acuity(path) == ACUITIES[name]
    result = json.loads(path.read_text())
    assert result["reader"].startswith(name)
    right = [(row[0], row[4]) for row in result["rows"]]
    fit = fit_curve(*zip(*right, strict=True), resamples=2)
    assert fit.middle[0] == pytest.approx(ACUITIES[name].middle, rel=5e-3)
    assert all(score(row[2], row[3]) == (row[4], row[5]) for row in result["rows"])


def test_a_curve_is_got_by_name_file_or_itself(folder) -> None:
    assert get_acuity("vlm") == Acuity("vlm", 8.0, 0.33, spread=0.6)
    assert get_acuity(TRUTH) is TRUTH
    measured = replace(TRUTH, interval=(6.5, 7.5), spread=0.2)
    (folder / "mine.json").write_text(json.dumps(measured.to_json()))
    assert get_acuity("mine.json") == get_acuity(folder / "mine.json") == measured


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no acuity 'rapidocq.json'. .*There are rapidocr, tesseract, vlm, or give a JSON"),
        ("{", "rapidocq.json holds no JSON"),
        ("[]", "rapidocq.json holds no curve"),
        ('{"runs": 1}', "expected name, middle, width and ceiling"),
        ('{"curve": 3}', "expected name, middle, width and ceiling"),
        ('{"name": "a", "middle": -1, "width": 1}', "must be above 0"),
        ('{"curve": null, "message": "stub read nothing."}', "stub read nothing"),
    ],
)
def test_what_is_no_curve_is_refused(content, message, folder) -> None:
    if content is not None:
        (folder / "rapidocq.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        get_acuity("rapidocq.json")
