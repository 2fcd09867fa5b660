"""Words reach the planner from every surface: text layers, words of one's own, and an OCR."""

from base64 import b64encode

import numpy as np
import pytest

import homunculus
from homunculus.commands.main import main
from homunculus.engines.vllm.settings import Flags, ServerSettings, merge
from homunculus.engines.vllm.stock import ViewSettings
from homunculus.pages import open_picture
from homunculus.planner.options import ViewOptions
from homunculus.serve import Rewriter
from homunculus.serve.tool import look_within
from pdfs import letter, pdf
from word_help import LAYER, png, words

FAST = ("--scout", "pixels", "--tokens", "16")


def test_an_ocr_reads_what_has_a_question_and_no_words(planned, engine) -> None:
    for source, question, given in (
        (png(), "Total?", None), (png(), "", None), (png(), "Total?", [("A", (1, 1, 9, 9))]),
        (pdf(letter()), "Total?", None), (pdf(letter(mode=3)), "Total?", None),
    ):  # fmt: skip
        homunculus.views(source, question, tokens=16, scout="pixels", ocr="rapidocr", words=given)
    read = ("Total", "12.50")
    assert [words(picture) for picture in planned] == [
        read, None, ("A",), tuple(LAYER), read
    ]  # fmt: skip
    assert engine == [(3, 700, 900), (3, 1600, 1236)]
    homunculus.Planner(png(), "Total?", scout="pixels")
    assert words(planned[-1]) is None


def test_an_ocr_that_fails_is_told_and_costs_no_request(planned, capsys, tmp_path) -> None:
    def broken(pixels):
        raise OSError("gone")

    seen = homunculus.views(png(), "Total?", tokens=16, scout="pixels", ocr=broken)
    assert seen.picture.notes() == ["The OCR broken failed: OSError."]


def test_an_ocr_that_there_is_not_is_refused_before_anything_is_opened() -> None:
    for make in (
        lambda: homunculus.views("none.png", "?", ocr="rapidorc"), lambda: ViewOptions(ocr="x"),
        lambda: Rewriter(64, ocr="x"), lambda: ViewSettings(ocr="x"),
        lambda: ServerSettings(ocr="x"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="no OCR "):
            make()


def test_requests_are_read_by_an_ocr(planned, engine) -> None:
    address = f"data:image/png;base64,{b64encode(png()).decode()}"
    parts = [{"type": "image_url", "image_url": {"url": address}},
             {"type": "text", "text": "What is the total?"}]  # fmt: skip
    body = {"model": "gpt-6", "messages": [{"role": "user", "content": parts}]}
    Rewriter(64, scout="pixels", ocr="rapidocr").request(body)
    assert words(planned[-1]) == ("Total", "12.50")


def test_the_tool_for_agents_reads_text_layers_and_pictures(planned, engine, tmp_path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(letter()))
    (tmp_path / "b.pdf").write_bytes(pdf(letter(mode=3)))
    look_within("a.pdf", "Total?", 64, "claude", [tmp_path])
    assert words(planned[-1]) == tuple(LAYER)
    text, _ = look_within("b.pdf", "Total?", 64, "claude", [tmp_path])
    assert "The text layer was not used: 100% of its words stand where nothing is printed." in text
    look_within("b.pdf", "Total?", 64, "claude", [tmp_path], ocr="rapidocr")
    assert words(planned[-1]) == ("Total", "12.50")


# ---- the command line ----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.png").write_bytes(png())
    (tmp_path / "page.pdf").write_bytes(pdf(letter()))
    (tmp_path / "hidden.pdf").write_bytes(pdf(letter(mode=3)))
    string = '<String CONTENT="Sum" HPOS="10" VPOS="10" WIDTH="90" HEIGHT="30"/>'
    page = f'<alto><Page WIDTH="1800" HEIGHT="1400">{string}</Page></alto>'
    (tmp_path / "words.xml").write_text(page)
    return tmp_path


@pytest.mark.parametrize("verb", ["views", "show", "budget"])
def test_the_verbs_take_words_and_an_ocr(verb, folder, planned, engine, capsys) -> None:
    flags = FAST if verb != "budget" else FAST[:2]
    assert main([verb, "page.pdf", "Total?", *flags]) == 0
    assert words(planned[-1]) == tuple(LAYER)
    assert main([verb, "page.png", "Total?", *flags, "--words", "words.xml"]) == 0
    assert words(planned[-1]) == ("Sum",)
    assert planned[-1].lines.boxes.tolist() == [[5, 5, 50, 20]]
    assert main([verb, "page.png", "Total?", *flags, "--ocr", "rapidocr"]) == 0
    assert words(planned[-1]) == ("Total", "12.50")
    capsys.readouterr()
    assert main([verb, "hidden.pdf", "Total?", *flags]) == 0
    assert "The text layer was not used" in capsys.readouterr().out
    assert main([verb, "page.png", "Total?", *flags, "--words", "page.png"]) == 2
    assert "words: expected hOCR, ALTO XML" in capsys.readouterr().err


def test_mistakes_are_told(folder, capsys) -> None:
    for command in (["views", "page.png", "?"], ["mcp", "."], ["serve", "model"]):
        assert main([*command, "--ocr", "rapidorc"]) == 2
        assert "no OCR 'rapidorc'. Did you mean 'rapidocr'?" in capsys.readouterr().err
    pytest.importorskip("torch")
    assert main(["show", "page.png", "?", "--method", "cut", "--words", "words.xml"]) == 2
    assert "--words, --ocr and --text are for views" in capsys.readouterr().err


def test_servers_of_qwen_refuse_an_ocr_and_others_have_it(engine) -> None:
    with pytest.raises(ValueError, match="--ocr is for models whose views are ordinary images"):
        merge(Flags(), {"ocr": "rapidocr"}, lambda: ["Qwen3VLForConditionalGeneration"])
    assert ViewSettings.from_environment({"HOMUNCULUS_VIEWS": '{"ocr": "rapidocr"}'}).ocr


def test_words_of_a_page_are_those_of_its_views() -> None:
    scout = np.eye(4)
    page = open_picture(pdf(letter()), longest=8192)
    seen = homunculus.views(page, "Total?", tokens=16, scout=scout)
    assert seen.picture.lines is page.lines is not None
