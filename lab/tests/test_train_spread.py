"""Training of the spread: targets by hand, windows against the whole page, saved files."""

import json
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from homunculus.eyes import fonts as plain_fonts
from homunculus.scouts import words
from homunculus.scouts.words import WordScout, load, scan
from homunculus.scouts.words.cache import page_cache
from homunculus.scouts.words.evidence import WordEvidence
from homunculus_lab.train import fonts, language, pages, spread
from homunculus_lab.train import spread_net as spreads
from homunculus_lab.train.export import export
from homunculus_lab.train.net import FILE, NAME, WordNet
from homunculus_lab.train.samples import PageDataset, make_sample, restore, store
from homunculus_lab.train.spread import (
    MODES,
    Trainer,
    crop,
    sample_questions,
    train,
    window_loss,
    windows,
)
from homunculus_lab.train.storage import save_weights


@pytest.fixture(autouse=True)
def small(monkeypatch) -> None:
    """Pages of 128 pixels, windows of 6 cells: no law depends on it, and time does."""
    monkeypatch.setattr(scan, "SIZES", (192, 64))
    monkeypatch.setattr(scan, "FRAME", 128)
    monkeypatch.setattr(words, "FRAME", 128)
    monkeypatch.setattr("homunculus_lab.train.samples.FRAME", 128)
    monkeypatch.setattr(spread, "WINDOW", 6)


@pytest.fixture
def plain(monkeypatch):
    """Pillow's own font, the common words: the same document on every machine."""
    monkeypatch.setattr(pages, "SCENES", 0)
    for one in (fonts.find, plain_fonts.usable, fonts.load, language.dictionary):
        one.cache_clear()
    monkeypatch.setattr(plain_fonts, "FOLDERS", ())
    monkeypatch.setattr(language, "DICTIONARIES", ())
    yield
    for one in (fonts.find, plain_fonts.usable, fonts.load, language.dictionary):
        one.cache_clear()


@pytest.fixture
def scout(tmp_path) -> WordScout:
    """A net of chance, from a file, that takes every second cell for text."""
    folder = tmp_path / "scout"
    folder.mkdir()
    with torch.random.fork_rng():
        torch.manual_seed(7)
        net = WordNet()
    net.bias.data.fill_(0.0)
    save_weights(net, folder / FILE, NAME, {})
    export(folder)
    return load(folder, page_cache())


def small_page(seed: int, high: int, wide: int, **options: Any) -> pages.RenderedPage:
    """A page of a quarter of the size that is asked for."""
    return pages.render(seed, high // 4, wide // 4, **options)


# ---- targets -------------------------------------------------------------------------------------


def grey(high: int, wide: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (3, high, wide)).astype(np.uint8)


@pytest.mark.parametrize("times", [1, 2])
def test_targets_cover_the_boxes_whatever_the_size_of_the_picture(scout, times) -> None:
    boxes = [[16, 8, 40, 24], [100, 60, 116, 64]]  # the second begins and ends within a cell
    scaled = [[side * times for side in box] for box in boxes]
    one = make_sample(scout, grey(64 * times, 128 * times), [("total?", scaled), ("date?", [])])
    expected = torch.zeros(2, 8, 16)
    expected[0, 1:3, 2:5] = 1
    expected[0, 7, 12:15] = torch.tensor([0.5, 1.0, 0.5])
    assert torch.allclose(one.target, expected)
    assert (one.answerable, one.unanswerable) == ([0], [1])


def test_a_thin_box_counts_in_full_and_one_beyond_the_page_not_at_all(scout) -> None:
    questions = [("a?", [[17, 9, 18, 10]]), ("b?", [[500, 500, 600, 600]])]
    one = make_sample(scout, grey(64, 128), questions)
    assert one.target[0].nonzero().tolist() == [[1, 2]]
    assert one.target[0, 1, 2] == 1
    assert not one.target[1].any()


@pytest.mark.usefixtures("plain")
def test_a_rendered_page_asks_what_it_answers(scout, monkeypatch) -> None:
    monkeypatch.setattr("homunculus_lab.train.samples.MOST", 3)
    page = PageDataset(small_page, 4, 1)[0]
    one = make_sample(scout, page.pixels, page.questions)
    assert 1 <= len(page.questions) == len(one.target) <= 3
    assert one.target.shape[1:] == one.evidence.text.shape
    assert (one.target.amax((1, 2)) == 1).all()
    assert (one.target.mean((1, 2)) < 0.6).all()


def test_a_rendered_page_is_whole_and_shows_the_photos() -> None:
    calls: list[dict[str, Any]] = []

    def record(**options: Any) -> pages.RenderedPage:
        calls.append(options)
        return pages.RenderedPage(np.zeros((64, 48), np.uint8), [], [])

    photos = [np.zeros((9, 9), np.uint8)]
    assert PageDataset(record, 4, 3, photos)[2].questions == []
    assert calls[0]["photos"] is photos
    assert (calls[0]["seed"], calls[0]["whole"]) == (6, True)


def test_a_stored_sample_is_the_same_sample(scout, tmp_path) -> None:
    questions = [("What is the total?", [[0, 0, 50, 50]]), ("Who signed the invoice?", ())]
    one, path = make_sample(scout, grey(64, 128), questions), tmp_path / "one.safetensors"
    store(path, one, "When?")
    again, stray = restore(path)
    assert stray == "When?"
    assert torch.allclose(again.target.float(), one.target, atol=1e-3)
    (evidence, target), (other, _) = one.select([1, 0]), again.select([1, 0])
    assert torch.equal(target, one.target[[1, 0]])
    for each in fields(WordEvidence):
        value, wanted = getattr(other, each.name), getattr(evidence, each.name)
        assert value.dtype == wanted.dtype
        assert np.allclose(value, wanted, atol=1e-3)
    assert not list(tmp_path.glob("*.partial"))


# ---- windows -------------------------------------------------------------------------------------


def answers(rows: int, cols: int, many: int = 2) -> torch.Tensor:
    """Targets with an answer in a corner, one in the middle, and one on no page."""
    target = torch.zeros(many + 1, rows, cols)
    target[0, :1, :3] = 1
    target[1, rows // 2, cols // 2 :] = 0.5
    return target


def test_windows_and_tiles_cost_on_average_what_the_whole_page_costs() -> None:
    target, rng = answers(8, 15), Random(0)
    logit = torch.randn(target.shape, generator=torch.Generator().manual_seed(1)) * 2
    expected = 0.0
    for one, wanted in zip(logit, target, strict=True):  # the slow way: cell by cell
        cells = zip(one.flatten(), wanted.flatten(), strict=True)
        total = sum(float(F.softplus(value) - value * hope) for value, hope in cells)
        expected += total / max(4.0, float(wanted.sum())) / len(target)
    losses = []
    for _ in range(800):
        shown = windows(target, rng)
        costs = [
            window_loss(crop(logit, at), crop(target, at), count, target) for at, count in shown
        ]
        losses.append(float(sum(costs)))
    sample = torch.tensor(losses)
    error = float(sample.std()) / len(losses) ** 0.5
    assert float(sample.mean()) == pytest.approx(expected, abs=4 * error)
    assert 4 * error < 0.05 * expected  # sharp enough to tell a wrong weight


def test_the_first_window_holds_a_cell_of_the_answer_and_all_lie_on_the_page() -> None:
    rng = Random(1)
    for rows, cols in [(8, 15), (6, 7), (30, 6)]:
        target = answers(rows, cols)
        for _ in range(50):
            shown = windows(target, rng)
            assert len(shown) == 2
            for places, count in shown:
                assert [at for at, _, _ in places] == [0, 1, 2]
                assert count.shape == crop(target, places).shape == (3, 6, 6)
            near = crop(target, shown[0][0])
            assert near[:2].amax((1, 2)).tolist() == [1, 0.5]


@pytest.mark.parametrize("size", [(6, 6), (3, 5), (1, 1)])
def test_a_small_page_is_its_own_window(size) -> None:
    target = answers(*size)
    ((places, count),) = windows(target, Random(0))
    assert places == [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    assert torch.equal(crop(target, places), target)
    assert (count == 1).all()


def test_a_cell_of_the_first_window_is_not_counted_again() -> None:
    target, rng = answers(8, 15), Random(2)
    for _ in range(30):
        (near, _), (far, count) = windows(target, rng)
        for (_, y, x), (_, v, u), counted in zip(near, far, count, strict=True):
            window = torch.zeros(8, 15)
            window[y : y + 6, x : x + 6] = 1
            assert torch.equal(counted == 0, crop(window[None], [(0, v, u)])[0] == 1)


# ---- learning ------------------------------------------------------------------------------------


def stored_samples(scout: WordScout, folder: Path, *seeds: int) -> list[Path]:
    """Samples of rendered pages, on disk."""
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{seed}.safetensors" for seed in seeds]
    for path, seed in zip(paths, seeds, strict=True):
        page = PageDataset(small_page, seed, 1)[0]
        store(path, make_sample(scout, page.pixels, [*page.questions, ("Which king?", ())]), "")
    return paths


def cost(net: spreads.Spread, samples: list[Path]) -> float:
    total = 0.0
    with torch.no_grad():
        for path in samples:
            one = restore(path)[0]
            evidence, target = one.select(one.answerable)
            logit = net(evidence)
            total += float(window_loss(logit, target, torch.ones_like(logit), target))
    return total / len(samples)


@pytest.mark.usefixtures("plain")
def test_some_steps_lower_the_cost_and_leave_three_files(scout, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(spread, "RATE", 0.02)  # few steps, long ones
    samples = stored_samples(scout, tmp_path / "lessons", 4, 5)
    out = tmp_path / "out"
    out.mkdir()
    mean = train(out, samples, steps=48)
    about = json.loads((out / "spread.json").read_text())
    assert (about["steps"], about["pages"], about["real"]) == (48, 2, 0)
    assert mean.keys() == set(MODES)
    for mode in MODES:
        trained, _ = spreads.load(out / f"spread-{mode}.safetensors", mode)
        fresh = Trainer.new(mode, 0).net
        before, after = (cost(net, samples) for net in (fresh, trained))
        # the controls know too little to learn as fast
        assert after < 0.95 * before if mode == "full" else after != before
        other = MODES[MODES.index(mode) - 1]
        with pytest.raises(ValueError, match=f"expected weights of `spread-{other}`"):
            spreads.load(out / f"spread-{mode}.safetensors", other)


@pytest.mark.usefixtures("plain")
def test_training_is_the_same_twice_and_real_pages_count(scout, tmp_path) -> None:
    samples, real = (stored_samples(scout, tmp_path / "lessons", seed) for seed in (4, 5))
    ways = {"a": (), "b": (), "c": real}
    for name, pages_of in ways.items():
        (tmp_path / name).mkdir()
        train(tmp_path / name, samples, pages_of, steps=3, share=1.0)
    nets = {
        name: spreads.load(tmp_path / name / "spread-full.safetensors", "full")[0] for name in ways
    }
    one, again, other = (nets[name].leave.weight for name in ways)
    assert torch.equal(one, again)
    assert not torch.equal(one, other)
    assert json.loads((tmp_path / "c" / "spread.json").read_text())["real"] == 1


@pytest.mark.usefixtures("plain")
def test_a_killed_training_goes_on_to_the_same_nets(scout, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(spread, "STORED", 2)
    samples = stored_samples(scout, tmp_path / "lessons", 4, 5)
    whole, cut_off = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut_off.mkdir()
    train(whole, samples, steps=5)

    def killed(step: int, steps: int) -> float:
        if step == 3:  # one past the stored second
            raise RuntimeError("killed")
        return rate(step, steps)

    rate = spread.rate
    with monkeypatch.context() as patch:
        patch.setattr(spread, "rate", killed)
        with pytest.raises(RuntimeError, match="killed"):
            train(cut_off, samples, steps=5)
    train(cut_off, samples, steps=5)
    assert json.loads((cut_off / "spread.json").read_text())["from_step"] == 2
    for mode in MODES:
        one, other = (
            spreads.load(out / f"spread-{mode}.safetensors", mode)[0] for out in (whole, cut_off)
        )
        for name, weight in one.state_dict().items():
            assert torch.equal(weight, other.state_dict()[name]), name


def test_pages_without_any_question_are_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="no rendered page with a question"):
        train(tmp_path, [], steps=1)


def test_a_question_put_to_the_wrong_page_has_no_answer(scout, monkeypatch) -> None:
    questions = [("What is the total?", [[0, 0, 50, 50]]), ("Who signed the invoice?", ())]
    one = make_sample(scout, grey(64, 128), questions)
    monkeypatch.setattr(spread, "UNANSWERABLE", 1.0)
    evidence, target = sample_questions(one, Random(0))
    assert target.shape[0] == 1
    assert not target.any()
    assert np.array_equal(evidence.buckets, one.evidence.buckets[1:])
    monkeypatch.setattr(spread, "UNANSWERABLE", 0.0)
    assert torch.equal(sample_questions(one, Random(0))[1], one.target[:1])


def test_the_blind_net_learns_the_mean_of_all_answers(scout) -> None:
    one = make_sample(scout, grey(40, 48), [("a?", [[0, 0, 8, 8]]), ("b?", [[24, 24, 32, 32]])])
    inputs: list[torch.Tensor] = []
    trainer = Trainer.new("blind", 0)
    over = trainer.net.over
    trainer.net.over = lambda maps, question: inputs.append(maps) or over(maps, question)
    trainer.step(one.evidence, one.target, 1e-3, Random(0))
    assert {len(maps) for maps in inputs} == {1}
