"""Training of the word net: labels against a slow loop, losses by hand, killed runs."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from homunculus.scouts.words.net import ALPHABET, BITS, OTHER
from homunculus_lab.train import words
from homunculus_lab.train.batch import (
    DISTRACTORS,
    Batch,
    CropDataset,
    collate,
    distractors,
    load_photos,
    misspell,
    prefetch,
)
from homunculus_lab.train.canvas import PrintedWord
from homunculus_lab.train.check import _score_cells, check
from homunculus_lab.train.labels import IGNORE, Labels, label
from homunculus_lab.train.loss import _match, loss
from homunculus_lab.train.net import WordNet, load
from homunculus_lab.train.pages import RenderedPage
from homunculus_lab.train.state import WeightAverage, flush_denormals

SIDE = 64


def word(
    text: str, x: float, y: float, width: float, height: float, tilt: float = 0.0
) -> PrintedWord:
    along = np.array([width * np.cos(tilt), width * np.sin(tilt)])
    down = np.array([-height * np.sin(tilt), height * np.cos(tilt)])
    corner = np.array([x, y], float)
    quad = np.stack([corner, corner + along, corner + along + down, corner + down])
    edges = np.linspace(0, 1, len(text) + 1, dtype=np.float32)
    return PrintedWord(text, quad.astype(np.float32), edges, 0)


def render(seed: int, photos: Any = ()) -> RenderedPage:
    """A stand-in: noise, and boxes that say what they are by their grey."""
    rng = random.Random(seed)
    pixels = np.random.default_rng(seed).integers(180, 255, (SIDE, SIDE)).astype(np.uint8)
    printed_words = []
    for row in range(3):
        text = rng.choice(["total", "date", "cash", "invoice", "a", "12.50", "—"])
        x, y = rng.randrange(4, 20), 4 + 20 * row
        printed_words.append(word(text, x, y, 5.0 * len(text), 12))
        pixels[y : y + 12 : 2, x : x + 5 * len(text)] = 10 * len(text)
    return RenderedPage(pixels, printed_words)


# ---- labels --------------------------------------------------------------------------------------


def test_a_word_owns_its_cells_and_the_rim_is_unsure() -> None:
    labels = label(
        RenderedPage(
            np.zeros((32, 48), np.uint8), [word("ab", 8, 8, 16, 8), word("x", 36, 4, 4, 4)]
        )
    )
    assert labels.word.tolist() == [
        [0, 0, 0, 0, -1, 0],
        [0, 1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
    ]
    assert labels.letter[1].tolist() == [[IGNORE] * 2, [0, 0], [1, 1], *[[IGNORE] * 2] * 3]
    assert (labels.letter[0] == IGNORE).all()
    assert labels.texts == ("ab", "x")
    assert labels.height.tolist() == [8, 4]


def test_characters_outside_the_alphabet_are_other() -> None:
    labels = label(RenderedPage(np.zeros((8, 16), np.uint8), [word("É-Я1", 0, 0, 16, 8)]))
    assert labels.letter.tolist() == [[[4, OTHER], [OTHER, ALPHABET.index("1")]]]
    assert labels.texts == ("e1",)


def test_a_word_cut_by_the_border_teaches_nothing() -> None:
    cut = word("ab", 8, 8, 16, 8)
    cut.kind = -1
    labels = label(RenderedPage(np.zeros((24, 40), np.uint8), [cut]))
    assert labels.word.tolist() == [[0] * 5, [0, -1, -1, 0, 0], [0] * 5]
    assert (labels.letter == IGNORE).all()


def inside(corner: np.ndarray, along: np.ndarray, down: np.ndarray, x: float, y: float) -> tuple:
    u, v = np.linalg.solve(np.stack([along, down], 1).astype(float), np.array([x, y]) - corner)
    return 0 <= u < 1 and 0 <= v < 1, u


@given(
    x=st.floats(-20, 60), y=st.floats(-20, 60), width=st.floats(3, 80), height=st.floats(3, 40),
    tilt=st.floats(-0.6, 0.6),
)  # fmt: skip
def test_tilted_words_are_drawn_as_the_slow_loop_says(
    x: float, y: float, width: float, height: float, tilt: float
) -> None:
    one = word("abc", x, y, width, height, tilt)
    labels = label(RenderedPage(np.zeros((SIDE, SIDE), np.uint8), [one]))
    corner, along, down = one.quad[0], one.quad[1] - one.quad[0], one.quad[3] - one.quad[0]
    for row in range(8):
        for col in range(8):
            middles = [
                (8 * col + 2 + 4 * i, 8 * row + 2 + 4 * j) for j in range(2) for i in range(2)
            ]
            sides = [inside(corner, along, down, *middle) for middle in middles]
            held = sum(yes for yes, _ in sides)
            assert labels.word[row, col] == (0 if not held else -1 if held == 1 else 1)
            for side in range(2):
                (upper, u), (lower, v) = sides[side], sides[side + 2]
                place = int(3 * (u if upper else v)) if upper or lower else IGNORE
                expected = place if held >= 2 else IGNORE
                assert labels.letter[row, col, side] == expected


def test_words_beyond_the_page_and_flat_words_are_passed_over() -> None:
    strange = [word("far", 900, 900, 30, 10), word("flat", 8, 8, 30, 0), word("", 8, 8, 20, 10)]
    assert not label(RenderedPage(np.zeros((32, 32), np.uint8), strange)).word.any()


def test_odd_pages_are_refused() -> None:
    with pytest.raises(ValueError, match="multiples of 8, got 20 x 32"):
        label(RenderedPage(np.zeros((20, 32), np.uint8), []))


# ---- batches -------------------------------------------------------------------------------------


def test_a_batch_is_a_pure_function_of_its_number() -> None:
    one, again = CropDataset(render, 9, crops=2)[3], CropDataset(render, 9, crops=2)[3]
    assert torch.equal(one.pixels, again.pixels)
    assert one.words == again.words
    assert not torch.equal(one.pixels, CropDataset(render, 9, crops=2)[4].pixels)
    assert torch.equal(one.pixels[1], torch.from_numpy(render(7).pixels))


def test_held_out_crops_have_seeds_of_their_own() -> None:
    seeds: list[int] = []

    def spy(seed: int, photos: Any = ()) -> RenderedPage:
        seeds.append(seed)
        return render(seed)

    data = CropDataset(spy, 5, crops=2)
    _ = data[~0], data[~1], data[4]
    assert seeds == [10**9, 10**9 + 1, 10**9 + 2, 10**9 + 3, 8, 9]


def test_words_are_numbered_through_the_batch() -> None:
    pages = [
        RenderedPage(
            np.zeros((8, 16), np.uint8), [word("Total", 0, 0, 8, 8), word("cash", 8, 0, 8, 8)]
        ),
        RenderedPage(np.zeros((8, 16), np.uint8), [word("total:", 0, 0, 16, 8)]),
    ]
    pages[1].words[0].kind = 3
    labels: list[Labels] = [label(page) for page in pages]
    batch = collate(torch.zeros(2, 8, 16, dtype=torch.uint8), labels, random.Random(0))
    assert batch.words[: batch.printed] == ["cash", "total"]
    assert batch.word.tolist() == [[[2, 1]], [[2, 2]]]
    assert batch.kind.tolist() == [[[0, 0]], [[3, 3]]]
    assert batch.height.tolist() == [[[8, 8]], [[8, 8]]]
    assert batch.code.shape == (len(batch.words), BITS)


@given(st.text(ALPHABET, min_size=3, max_size=9), st.integers(0, 999))
def test_a_misspelled_word_is_one_slip_away(text: str, seed: int) -> None:
    wrong = misspell(text, random.Random(seed))
    assert len(wrong) in (len(text), len(text) - 1)
    if len(wrong) < len(text):
        assert wrong in {text[:n] + text[n + 1 :] for n in range(len(text))}
    else:
        assert sum(a != b for a, b in zip(text, wrong, strict=True)) in (0, 1, 2)


def test_distractors_are_on_no_page() -> None:
    texts = ["cat", "bat", "rat", "hat", "mat", "at", "ca"]
    for seed in range(50):
        assert not set(distractors(texts, random.Random(seed))) & set(texts)
    many = [f"word{n:04d}" for n in range(1000)]
    assert DISTRACTORS / 2 < len(distractors(many, random.Random(1))) <= DISTRACTORS


def test_workers_bring_the_same_batches_in_order() -> None:
    data = CropDataset(render, 4, crops=2)
    here, there = list(prefetch(data, 1, 0)), list(prefetch(data, 1, 1))
    assert len(here) == len(there) == 3
    for own, brought in zip(here, there, strict=True):
        assert torch.equal(own.pixels, brought.pixels)
        assert torch.equal(own.word, brought.word)
        assert own.words == brought.words


def test_photos_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    from PIL import Image

    for name, grey in (("b.png", 20), ("a.jpg", 200)):
        Image.new("RGB", (30, 20), (grey,) * 3).save(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no picture")
    assert [int(photo.mean().round()) for photo in load_photos(tmp_path)] == [200, 20]
    assert load_photos(None) == []
    with pytest.raises(ValueError, match="expected photos"):
        load_photos(_new_folder(tmp_path / "empty"))


def _new_folder(folder: Path) -> Path:
    folder.mkdir()
    return folder


# ---- losses --------------------------------------------------------------------------------------


def test_the_match_loss_counts_every_pair_once() -> None:
    logit = torch.tensor([[2.0, -1.0, 5.0], [0.5, 0.0, -3.0]])
    # cell 0 is part of the first word, cell 1 of none; the last word is too short to be matched
    pairs = [(2.0, 1), (-1.0, -1), (0.5, -1), (0.0, -1)]
    expected = sum(np.log1p(np.exp(-sign * value)) for value, sign in pairs) / 2
    value = _match(logit, torch.tensor([1, 0]), ["total", "cash", "a"])
    assert float(value) == pytest.approx(expected, rel=1e-5)


def batch_of(number: int = 0) -> Batch:
    return CropDataset(render, 9, crops=2)[number]


def test_unsure_cells_teach_nothing() -> None:
    torch.manual_seed(0)
    net, batch = WordNet().eval(), batch_of()
    batch.word[:] = -1
    parts = loss(net, batch, torch.Generator().manual_seed(0)).parts()
    assert parts == {"text": 0, "letter": 0, "code": 0, "kind": 0, "match": 0}


def test_a_batch_without_words_still_teaches_text() -> None:
    blank = CropDataset(lambda seed, photos: RenderedPage(render(seed).pixels, []), 3, crops=2)[0]
    net = WordNet()
    losses = loss(net, blank, torch.Generator().manual_seed(0))
    losses.total().backward()
    assert losses.parts()["text"] > 0
    assert losses.parts()["match"] == 0


def test_every_weight_learns() -> None:
    torch.manual_seed(0)
    net = WordNet().train()
    loss(net, batch_of(), torch.Generator().manual_seed(0)).total().backward()
    idle = [name for name, weight in net.named_parameters() if not weight.grad.any()]
    assert idle == []


def test_tiny_numbers_are_0_only_while_it_trains() -> None:
    tiny = torch.tensor([1e-39])
    with flush_denormals():
        assert not (tiny * 1).any()
    assert (tiny * 1).any()


# ---- the run -------------------------------------------------------------------------------------


def test_the_rate_rises_and_falls_by_step() -> None:
    assert words.rate(0, 1000) == pytest.approx(2e-3 / 100, rel=1e-3)
    assert max(words.rate(step, 1000) for step in range(1000)) > 1.9e-3
    assert words.rate(1000, 1000) == pytest.approx(2e-3 * 0.02)
    assert words.rate(1200, 1000) == pytest.approx(2e-3 * 0.02)


def test_only_matrices_decay() -> None:
    decays, others = words.optimiser(WordNet()).param_groups
    assert {weight.ndim > 1 for weight in decays["params"]} == {True}
    assert decays["weight_decay"] > 0 == others["weight_decay"]


def test_gradients_and_moments_lie_in_memory_as_their_weights_do(tmp_path: Path) -> None:
    run = words.TrainingRun(tmp_path, 9)
    run.train_step(batch_of())
    run.store()
    again = words.TrainingRun(tmp_path, 9)
    again.resume()
    for own, back in zip(*(one.net.parameters() for one in (run, again)), strict=True):
        for moment in ("exp_avg", "exp_avg_sq"):  # the fused optimiser walks raw memory
            assert own.stride() == run.optimiser.state[own][moment].stride() == own.grad.stride()
            assert back.stride() == again.optimiser.state[back][moment].stride() == own.stride()


def test_the_average_of_weights_moves_slowly_and_starts_fast() -> None:
    net = WordNet()
    average = WeightAverage(net)
    with torch.no_grad():
        net.bias.fill_(2.0)
    average.update(net, 1)
    assert float(average.net.bias) == pytest.approx(-8 + 10 * 9 / 11)
    with torch.no_grad():
        average.net.bias.fill_(0.0)
    average.update(net, 10**6)
    assert float(average.net.bias) == pytest.approx(2 * 0.002, rel=1e-3)


def dying(last: int):
    """A renderer that takes the run down, as a kill would: nothing is written on the way out."""

    def draw(seed: int, photos: Any = ()) -> RenderedPage:
        if last <= seed < 10**9:
            raise RuntimeError("killed")
        return render(seed)

    return draw


@pytest.fixture
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "STORED", 3)
    monkeypatch.setattr(words, "CHECKED", 2)
    monkeypatch.setattr(words, "HELD_OUT_BATCHES", 1)


@pytest.mark.usefixtures("brisk")
def test_a_killed_run_ends_with_the_weights_of_an_unbroken_one(tmp_path: Path) -> None:
    whole = words.train(tmp_path / "whole", render, 6, workers=0, crops=2)
    broken = tmp_path / "broken"
    with pytest.raises(RuntimeError, match="killed"):  # after step 4, one past the stored third
        words.train(broken, dying(8), 6, workers=0, crops=2)
    (broken / "state.partial").write_bytes(b"torn")  # a kill in the middle of writing leaves this
    resumed = words.train(broken, render, 6, workers=0, crops=2)
    (one, about), (two, _) = load(whole), load(resumed)
    for name, weight in one.state_dict().items():
        assert torch.equal(weight, two.state_dict()[name]), name
    assert (about["steps"], about["crops"]) == (6, 12)
    rows = [json.loads(line) for line in (broken / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [2, 4, 6]  # the fourth step was logged twice, kept once


@pytest.mark.usefixtures("brisk")
def test_a_finished_run_is_left_as_it_is(tmp_path: Path) -> None:
    first = words.train(tmp_path, render, 2, workers=0, crops=2).read_bytes()
    assert words.train(tmp_path, dying(0), 2, workers=0, crops=2).read_bytes() == first


@pytest.mark.usefixtures("brisk")
def test_an_interrupt_keeps_the_last_step(tmp_path: Path) -> None:
    def stopped(seed: int, photos: Any = ()) -> RenderedPage:
        if seed == 2:
            raise KeyboardInterrupt
        return render(seed)

    with pytest.raises(KeyboardInterrupt):
        words.train(tmp_path, stopped, 6, workers=0, crops=2)
    run = words.TrainingRun(tmp_path, 6)
    run.resume()
    assert run.step == 1


def test_a_strange_state_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state.pt").write_text("no state")
    with pytest.raises(ValueError, match="Remove it to start again"):
        words.train(tmp_path, render, 2, workers=0, crops=2)


def test_one_wild_batch_does_not_spoil_the_weights(tmp_path: Path) -> None:
    run = words.TrainingRun(tmp_path, 10)
    with torch.no_grad():
        run.net.log_scale.fill_(100.0)  # its exponential is past every float
    before = run.net.bias.clone()
    run.train_step(batch_of())
    assert torch.equal(run.net.bias, before)
    assert run.step == 1


# ---- the check -----------------------------------------------------------------------------------


class Knowing(WordNet):
    """Knows the answers: says the label of the batch it was given."""

    def __init__(self, batch: Batch, shift: int = 0) -> None:
        super().__init__()
        self.batch, self.shift = batch, shift

    def match(self, embed: torch.Tensor, query: torch.Tensor) -> torch.Tensor:
        own = self.batch.word[..., None] == torch.arange(1, len(query) + 1)
        if embed.ndim != 4:  # the loss asks about single cells
            return super().match(embed, query)
        return own.roll(self.shift, 1).float()


def test_finding_is_counted_by_the_best_cell() -> None:
    batch = batch_of(1)
    assert check(Knowing(batch), [batch])["find"] == 1
    assert check(Knowing(batch, shift=4), [batch])["find"] < 0.5


def test_the_check_reports_shares_and_leaves_the_mode() -> None:
    net = WordNet().train()
    shares_by_name = check(net, [batch_of(0), batch_of(1)])
    assert net.training
    shares = ["text_iou", "letter", "cell_embed", "cell_code", "find", "find_from_10px"]
    assert all(0 <= shares_by_name[name] <= 1 for name in shares)
    assert {"loss_match", "loss_text"} <= shares_by_name.keys()


def test_cells_of_words_too_short_to_match_are_not_counted() -> None:
    batch = batch_of(0)
    tally: dict[str, list[float]] = {}
    code = batch.code[: batch.printed].float()
    bits = torch.zeros(*batch.word.shape, BITS)
    known = batch.word > 0
    bits[known] = code[batch.word[known] - 1] * 20 - 10  # sure of every bit
    _score_cells(bits, bits, code * 20 - 10, batch, tally)
    texts = [batch.words[n - 1] for n in batch.word[known].tolist()]
    assert len(tally["cell_code"]) == sum(len(text) >= 2 for text in texts)
    assert set(tally["cell_code"]) == set(tally["cell_embed"]) == {1.0}


@pytest.mark.slow
def test_the_net_learns_to_tell_words_apart(tmp_path: Path) -> None:
    run = words.TrainingRun(tmp_path, 60)
    for step in range(60):
        run.train_step(batch_of(step % 4))
    shares_by_name = check(run.net, [batch_of(n) for n in range(4)])
    assert shares_by_name["text_iou"] > 0.7
    assert shares_by_name["find"] > 0.7
