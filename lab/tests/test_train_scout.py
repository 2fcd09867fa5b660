"""Training of the whole scout in miniature, and the command `train`."""

import inspect
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from homunculus.commands.main import main
from homunculus.eyes import fonts as plain_fonts
from homunculus.scouts import words as relevance_words
from homunculus.scouts.words import WordScout, load, scan
from homunculus.scouts.words.cache import page_cache
from homunculus_lab.train import (
    batch,
    command,
    fonts,
    language,
    pages,
    ranges,
    samples,
    scout,
    spread,
    words,
)
from homunculus_lab.train.export import export
from homunculus_lab.train.net import FILE, NAME, WordNet
from homunculus_lab.train.net import load as load_net
from homunculus_lab.train.scout import RealQuestion, train
from homunculus_lab.train.storage import save_weights

CACHED = (fonts.find, plain_fonts.usable, fonts.load, language.dictionary)
SPREADS = ["spread-blind", "spread-full", "spread-prior"]


def small_page(seed: int, high: int = 512, wide: int = 512, **options: Any) -> pages.RenderedPage:
    """A page of a quarter of the size."""
    return pages.render(seed, high // 4, wide // 4, **options)


def forget() -> None:
    for one in CACHED:
        one.cache_clear()


@pytest.fixture
def plain(monkeypatch):
    """A machine without fonts and without a dictionary: pages are the same everywhere, and fast."""
    forget()
    monkeypatch.setattr(plain_fonts, "FOLDERS", ())
    monkeypatch.setattr(language, "DICTIONARIES", ())
    yield
    forget()


@pytest.fixture
def small(plain, monkeypatch) -> None:
    """Small pages, few checks."""
    monkeypatch.setattr(scan, "SIZES", (192, 64))
    monkeypatch.setattr(scan, "FRAME", 128)
    for room in (relevance_words, samples, scout):
        monkeypatch.setattr(room, "FRAME", 128)
    monkeypatch.setattr(words, "HELD_OUT_BATCHES", 1)
    monkeypatch.setattr(scout, "render", small_page)
    monkeypatch.setattr(ranges, "CROPS", 2)


@pytest.fixture
def blank(tmp_path) -> WordScout:
    """A scout that has learned nothing."""
    save_weights(WordNet(), tmp_path / FILE, NAME, {})
    export(tmp_path)
    return load(tmp_path, page_cache())


@pytest.mark.usefixtures("small")
def test_a_run_makes_a_scout_and_a_second_one_keeps_its_net(tmp_path) -> None:
    Image.effect_noise((320, 200), 90).save(tmp_path / "page.png")
    real = [
        RealQuestion(tmp_path / "page.png", "What is the total?", ((10.0, 10.0, 80.0, 40.0),)),
        RealQuestion(tmp_path / "page.png", "Which date?", ((100.0, 100.0, 200.0, 130.0),)),
    ]
    run = partial(train, tmp_path / "out", real, pages=2, spread_steps=2, workers=0, threads=1)
    out = run(steps=2, crops=1)
    names = {
        kind: {path.stem for path in out.glob(f"*.{kind}")} for kind in ("safetensors", "onnx")
    }
    assert names["safetensors"] == {*SPREADS, "word-scout", "ranges"}
    assert names["onnx"] == {*SPREADS, "words", "words-int8", "match"}
    assert (out / "state.pt").exists()
    assert len(list((out / "lessons").iterdir())) == 3
    trained = load(out)
    assert set(trained.spread) == {"full", "blind", "prior"}
    page = np.zeros((3, 64, 96), np.uint8)
    relevance = trained(page, "What is the total?", (4, 6))
    assert relevance.logit.shape == (4, 6)
    about = load_net(out / "word-scout.safetensors")[1]
    assert (about["steps"], about["crops"]) == (2, 2)

    def forbidden(*_: Any, **__: Any) -> Path:
        raise AssertionError("the net is trained again")

    seeds: list[int] = []
    (out / "lessons" / "page-00001.safetensors").unlink()  # as if killed before it was written
    time = (out / "word-scout.safetensors").stat().st_mtime_ns
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "train", forbidden)
        patch.setattr(scout, "render", lambda **one: seeds.append(one["seed"]) or small_page(**one))
        run()
    assert seeds == [10**8 + 1]  # far from the net's crops, which begin at 0
    assert max(seeds) < batch.HELD_OUT
    assert (out / "word-scout.safetensors").stat().st_mtime_ns == time


@pytest.mark.usefixtures("small")
def test_questions_of_a_real_page_are_taken_together_and_boxes_follow_its_size(
    blank, tmp_path, monkeypatch
) -> None:
    Image.effect_noise((512, 256), 90).save(tmp_path / "page.png")  # the frame is 128 x 64
    calls: list[Any] = []
    make_sample = scout.make_sample
    monkeypatch.setattr(
        scout,
        "make_sample",
        lambda net, pixels, questions: (
            calls.append((pixels.shape, questions)) or make_sample(net, pixels, questions)
        ),
    )
    real = [
        RealQuestion(tmp_path / "page.png", name, ((64.0, 32.0, 128.0, 64.0),)) for name in "ab"
    ]
    assert [path.exists() for path in scout._real_samples(blank, tmp_path, real)] == [True]
    ((shape, questions),) = calls
    assert tuple(shape) == (3, 64, 128)
    assert questions == [("a", [[16, 8, 32, 16]]), ("b", [[16, 8, 32, 16]])]


# ---- the command ---------------------------------------------------------------------------------


@pytest.fixture
def calls(monkeypatch) -> list[Any]:
    """Arguments of the training, which is not run."""
    calls: list[Any] = []

    def record(out: Path, real: Any, pages: int, spread_steps: int, **net: Any) -> Path:
        calls.append((list(real), pages, spread_steps, net))
        return out

    monkeypatch.setattr(scout, "train", record)
    return calls


@pytest.mark.usefixtures("plain")
def test_the_command_passes_its_flags_and_warns_of_few_fonts(tmp_path, calls, capsys) -> None:
    given = {"steps": 9, "workers": 3, "threads": 1, "pages": 4, "spread-steps": 7}
    given |= {"photos": tmp_path, "out": tmp_path}
    assert main(["train", "word-scout", *(f"--{name}={one}" for name, one in given.items())]) == 0
    net = {"steps": 9, "workers": 3, "threads": 1, "photos": tmp_path}
    assert calls == [([], 4, 7, net)]
    out, error = capsys.readouterr()
    many = len(language.COMMON)
    assert out == f"printing with 0 fonts and {many} words of this machine\nwrote {tmp_path}\n"
    assert "only 0 fonts" in error
    assert "wamerican" in error


@pytest.mark.usefixtures("plain")
def test_the_command_has_defaults(tmp_path, calls, capsys, monkeypatch) -> None:
    many = fonts.Fonts((), (), (tuple(f"{n}.ttf" for n in range(20)),))
    monkeypatch.setattr(fonts, "find", lambda: many)
    monkeypatch.setattr(language, "dictionary", lambda: ("word",) * 1000)
    for cores, threads in ((2, 1), (3, 2), (None, 1)):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        assert main(["train", "word-scout", "--out", str(tmp_path)]) == 0
        (call,) = calls
        net = {"steps": 5600, "workers": 1, "threads": threads, "photos": None}
        assert call == ([], scout.PAGES, scout.SPREAD_STEPS, net)
        calls.clear()
    out, error = capsys.readouterr()
    assert error == ""
    assert "printing with 20 fonts and 1000 words" in out
    assert len(command.describe_resources()) == 1


@pytest.mark.usefixtures("plain")
def test_the_training_part_of_a_suite_is_handed_over(tmp_path, calls, monkeypatch) -> None:
    from homunculus_lab.measure import parts, suite
    from homunculus_lab.measure.suite import Question, SuiteConfig

    folder = tmp_path / "receipts"
    (folder / "images").mkdir(parents=True)
    (folder / "qa.jsonl").touch()
    box = (1.0, 2.0, 30.0, 20.0)
    split = SuiteConfig(split="vendor")
    one = Question("receipts", 0, "a.png", folder / "a.png", "Total?", ("9",), (box,), config=split)
    monkeypatch.setattr(suite, "read", lambda folder: [one])
    monkeypatch.setattr(parts, "part", lambda rows, name: [one] if name == "train" else [])
    assert main(["train", "word-scout", "--out", "o", "--suite", str(folder)]) == 0
    assert calls[0][0] == [RealQuestion(folder / "a.png", "Total?", (box,))]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--out"),
        (["--out", "o", "--photos", "absent"], "there is no folder absent"),
        (["--out", "o", "--suite", "absent"], "no suite absent"),
        (["--out", "o", "--steps", "0"], "whole number from 1"),
    ],
)
@pytest.mark.usefixtures("plain")
def test_mistakes_are_reported_before_any_work(calls, capsys, arguments, message) -> None:
    assert main(["train", "word-scout", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert calls == []


@pytest.mark.usefixtures("plain")
def test_help_names_the_numbers_that_training_uses(calls, capsys) -> None:
    assert main(["train", "word-scout", "--out", "o"]) == 0
    ((_, pages, spread_steps, net),) = calls
    capsys.readouterr()
    assert main(["train", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.partition("options:")[2].split())
    used = {"--pages": pages, "--spread-steps": spread_steps}
    used |= {f"--{name}": net[name] for name in ("steps", "workers", "threads")}
    for flag, number in used.items():
        match = re.search(rf"{flag} [A-Z_]+ [^(]*\((\d+)", text)
        assert match, flag
        assert int(match[1]) == number, flag
    assert f"{inspect.signature(words.train).parameters['crops'].default} crops each" in text
    for function, name, number in ((words.train, "steps", net["steps"]),
                               (spread.train, "steps", spread_steps)):  # fmt: skip
        assert inspect.signature(function).parameters[name].default == number


def test_help_names_fonts_and_words(capsys) -> None:
    assert main(["train", "--help"]) == 0
    assert "fonts and words of this machine" in " ".join(capsys.readouterr().out.split())
