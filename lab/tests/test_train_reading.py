"""Training of the ranker of the reading scout in miniature, and the command `train reading`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from homunculus.commands.main import main
from homunculus.eyes import fonts as plain_fonts
from homunculus.pages import Picture
from homunculus.pages.lines import Lines
from homunculus.scouts.reading.features import NAMES, evidence
from homunculus.scouts.reading.layout import Layout
from homunculus.scouts.reading.query import ask
from homunculus.scouts.reading.ranker import ARRAYS, Ranker, load_ranker
from homunculus.scouts.words.question import BUCKETS
from homunculus_lab.train import fonts, language, pages, reading
from homunculus_lab.train.reading import (
    FILE,
    Lesson,
    Lessons,
    RankerNet,
    answer_words,
    fit,
    joined,
    rendered,
    save,
    scale_of,
    scores,
    surprise,
    train,
)
from homunculus_lab.train.scout import RealQuestion

CACHED = (fonts.find, plain_fonts.usable, fonts.load, language.dictionary)
WORDS = [("Total", (10, 10, 60, 30)), ("61.20", (100, 10, 150, 30)), ("Date", (10, 60, 50, 80))]


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """A machine without fonts and without a dictionary: pages are the same everywhere, and fast."""
    for cache in CACHED:
        cache.cache_clear()
    monkeypatch.setattr(plain_fonts, "FOLDERS", ())
    monkeypatch.setattr(language, "DICTIONARIES", ())
    yield
    for cache in CACHED:
        cache.cache_clear()


@pytest.fixture
def small(monkeypatch) -> None:
    """Small pages."""

    def page(seed: int, high: int, wide: int, **options: Any) -> pages.RenderedPage:
        return pages.render(seed, high // 3, wide // 3, **options)

    monkeypatch.setattr(reading, "render", page)
    monkeypatch.setattr(
        reading, "SHAPES", tuple((high // 3 * 3, wide // 3 * 3) for high, wide in reading.SHAPES)
    )


def random_net(seed: int) -> RankerNet:
    """A net of random weights, also where training begins with zeros."""
    torch.manual_seed(seed)
    scale = torch.Generator().manual_seed(9)
    mean = torch.rand(len(NAMES), generator=scale)
    net = RankerNet(mean, torch.rand(len(NAMES), generator=scale) + 0.2)
    for weight in net.parameters():
        torch.nn.init.normal_(weight, std=0.1)
    return net.eval()


def random_lesson(seed: int, buckets: tuple[int, ...], words: int = 9) -> Lesson:
    lot = torch.Generator().manual_seed(seed)
    return Lesson(torch.rand(words, len(NAMES), generator=lot), buckets, torch.eye(words)[0])


# ---- lessons -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_the_targets_of_a_rendered_page_are_the_words_of_its_answers(monkeypatch) -> None:
    seen: list[tuple[Layout, str, np.ndarray, list[str]]] = []
    told: list[pages.RenderedPage] = []
    render, lesson = reading.render, reading.lesson

    def remember(*given: Any, **options: Any) -> pages.RenderedPage:
        told.append(render(*given, **options))
        return told[-1]

    def record(layout: Layout, question: str, boxes: Any) -> Any:
        page = told[-1]
        (answer, *_) = (
            [page.words[number].text for number in fact.answer]
            for fact in page.facts
            if fact.question == question
            and [reading._box(page, number) for number in fact.answer] == boxes
        )
        for made in lesson(layout, question, boxes):
            seen.append((layout, question, made.target.numpy().astype(bool), answer))
            yield made

    monkeypatch.setattr(reading, "render", remember)
    monkeypatch.setattr(reading, "lesson", record)
    monkeypatch.setattr(reading, "MISREAD_SHARES", (0.0,))
    monkeypatch.setattr(reading, "MISSED", 0.0)
    lessons = list(rendered(4))
    assert len(lessons) == len(seen) > 8
    for layout, question, target, answer in seen:
        right = {word for text in answer for word in text.split()}
        words = {layout.words[number] for number in np.flatnonzero(target)}
        assert right <= words, question
        assert len(words - right) <= 1, question  # a word that stands on the answer


@pytest.mark.usefixtures("small")
def test_lessons_are_the_same_every_time_and_differ_by_page() -> None:
    first, again, other = list(rendered(1)), list(rendered(1)), list(rendered(1, 100_001))
    for one, two in zip(first, again, strict=True):
        assert torch.equal(one.features, two.features)
        assert torch.equal(one.target, two.target)
        assert one.buckets == two.buckets
    assert first[0].features.shape != other[0].features.shape or not torch.equal(
        first[0].features, other[0].features
    )
    for lesson in [*first, *other]:
        assert lesson.features.shape == (len(lesson.target), len(NAMES))
        assert 0 < lesson.target.sum() < len(lesson.target)


def test_words_are_the_answer_if_they_lie_in_its_box_or_hold_it() -> None:
    words = np.array(
        [[0, 0, 50, 20], [60, 0, 90, 20], [95, 0, 150, 20], [60, 40, 90, 60]], np.float32
    )
    for boxes, expected in (
        ([(58, -2, 92, 22)], [1]),
        ([(0, 0, 92, 20)], [0, 1]),
        ([(110, 4, 140, 16)], [2]),  # the reader took more for one word
        ([(60, 5, 90, 12)], [1]),  # a box that is too low
        ([(0, 100, 50, 120)], []),
        ([(58, -2, 92, 22), (58, 38, 92, 62)], [1, 3]),
        ([], []),
    ):
        assert np.flatnonzero(answer_words(words, boxes)).tolist() == expected, boxes


def test_pages_on_which_the_answer_was_not_read_make_no_lesson() -> None:
    layout = Layout(Lines.of(WORDS, "given"), (100, 200))
    assert len(list(reading.lesson(layout, "Total?", [(95, 5, 155, 35)]))) == 1
    assert list(reading.lesson(layout, "Total?", [])) == []  # the page does not say
    assert list(reading.lesson(layout, "Total?", [(0, 90, 9, 99)])) == []
    alone = Layout(Lines.of(WORDS[:1], "given"), (100, 200))
    for boxes in ([(5, 5, 65, 35)], []):
        assert list(reading.lesson(alone, "Total?", boxes)) == []


def test_real_pages_are_read_once_and_boxes_are_in_pixels_of_the_file(
    tmp_path, monkeypatch
) -> None:
    Image.new("RGB", (200, 100), "white").save(tmp_path / "page.png")
    calls: list[Path] = []

    def source(name: str, cache: Path | None) -> Any:
        assert (name, cache) == ("rapidocr", tmp_path)

        def words(path: Path, picture: Picture) -> Lines:
            calls.append(path)
            return Lines.of(WORDS, "rapidocr")

        return words

    monkeypatch.setattr(reading, "line_source", source)
    box = ((95.0, 5.0, 155.0, 35.0),)
    real = [RealQuestion(tmp_path / "page.png", name, box) for name in ("Total?", "The sum?")]
    lessons = list(reading.read_pages(real, tmp_path))
    assert calls == [tmp_path / "page.png"]
    assert [lesson.target.tolist() for lesson in lessons] == [[0, 1, 0]] * 2


# ---- the net -------------------------------------------------------------------------------------


def test_the_ranker_has_the_mean_of_the_scores_of_several_nets(tmp_path) -> None:
    nets = [random_net(seed) for seed in range(3)]
    save(joined(nets), tmp_path / FILE, {"licence": "none"})
    ranker = load_ranker(tmp_path / FILE)
    exact = Ranker(joined(nets), {})
    for seed, buckets in enumerate([(1, 5, 77), (BUCKETS - 1,), ()]):
        lesson = random_lesson(seed, buckets)
        with torch.no_grad():
            mean = torch.stack([scores(net, [lesson])[0] for net in nets]).mean(0).numpy()
        table = lesson.features.numpy()
        assert np.allclose(exact.scores(table, buckets), mean, atol=2e-5)
        assert np.allclose(ranker.scores(table, buckets), mean, atol=1e-3 * np.abs(mean).max())
    assert {array.shape[-1] for array in (exact.weights["asked"], exact.weights["third"].T)} == {
        3 * reading.EMBEDDED, 3 * reading.MIDDLE,
    }  # fmt: skip
    assert len(exact.weights["asked"]) == BUCKETS


def test_questions_are_scored_together_as_alone() -> None:
    net = random_net(0)
    lessons = [random_lesson(0, (1, 2), 4), random_lesson(1, (), 7), random_lesson(2, (3,), 5)]
    together, counts = scores(net, lessons)
    alone = torch.cat([scores(net, [lesson])[0] for lesson in lessons])
    assert counts.tolist() == [4, 7, 5]
    assert torch.allclose(together, alone, atol=1e-5)


def test_surprise_is_that_of_the_words_of_the_answer_together() -> None:
    lessons = [random_lesson(0, (), 4), random_lesson(1, (), 7)]
    value, counts = (
        torch.randn(11, generator=torch.Generator().manual_seed(0)),
        torch.tensor([4, 7]),
    )
    target = torch.cat([lesson.target for lesson in lessons])
    target[2] = 1  # an answer of two words
    slow = []
    for share, right in zip(value.split([4, 7]), target.split([4, 7]), strict=True):
        likely = (share.softmax(0) * right).sum()
        slow.append(-torch.log((1 - reading.SMOOTH) * likely + reading.SMOOTH * right.mean()))
    assert torch.allclose(surprise(value, counts, target), torch.stack(slow), atol=1e-5)
    assert torch.allclose(surprise(value + 50, counts, target), torch.stack(slow), atol=1e-5)


def test_a_net_learns_which_feature_tells_the_answer() -> None:
    lessons = []
    for seed in range(40):
        made = random_lesson(seed, (seed,))
        made.features[:, 3] = made.target = torch.eye(9)[seed % 9]
        lessons.append(made)
    every = Lessons(lessons, lessons, [])
    net = fit(every, scale_of(lessons, 0), steps=120, seed=0)
    ranker = Ranker(joined([net]), {})
    right = [
        ranker.likely(each.features.numpy(), each.buckets) @ each.target.numpy() for each in lessons
    ]
    assert np.mean(right) > 0.5  # 1 / 9 by chance
    again = fit(every, scale_of(lessons, 0), steps=120, seed=0)
    assert all(
        torch.equal(*pair) for pair in zip(net.parameters(), again.parameters(), strict=True)
    )


@pytest.mark.usefixtures("small")
def test_a_run_on_a_handful_of_pages_makes_a_file_that_loads(tmp_path, monkeypatch) -> None:
    Image.new("RGB", (200, 100), "white").save(tmp_path / "page.png")
    lines = Lines.of(WORDS, "rapidocr")
    monkeypatch.setattr(reading, "line_source", lambda *_: lambda *_: lines)
    real = [RealQuestion(tmp_path / "page.png", "Total?", ((95.0, 5.0, 155.0, 35.0),))]
    path = train(tmp_path / "out", real, pages=2, steps=3, nets=2)
    assert path == tmp_path / "out" / FILE
    ranker = load_ranker(path)
    assert set(ranker.weights) == set(ARRAYS)
    facts = {"pages": 2, "real": 1, "steps": 3, "nets": 2, "seed": 0, "licence": "Apache-2.0"}
    assert facts.items() <= ranker.about.items()
    assert json.loads((tmp_path / "out" / "ranker.json").read_text())["pages"] == 2
    query = ask("What is the total?")
    seen = evidence(Layout(lines, (100, 200)), query)
    likely = ranker.likely(seen.features, query.parsed.buckets)
    assert likely.sum() == pytest.approx(1, abs=1e-5)


def test_no_question_is_said() -> None:
    with pytest.raises(ValueError, match="Render more pages"):
        train(Path("out"), pages=0)


# ---- the command ---------------------------------------------------------------------------------


@pytest.fixture
def calls(monkeypatch) -> list[Any]:
    """Arguments of the training, which is not run."""
    calls: list[Any] = []

    def record(out: Path, questions: Any, pages: int, cache: Path | None) -> Path:
        calls.append((out, list(questions), pages, cache))
        return out / FILE

    monkeypatch.setattr(reading, "train", record)
    return calls


def test_the_command_passes_its_flags_and_the_questions_of_several_suites(
    tmp_path, calls, monkeypatch, capsys
) -> None:
    from homunculus_lab.measure import parts, suite
    from homunculus_lab.measure.suite import Question

    box = (1.0, 2.0, 30.0, 20.0)
    for name in ("one", "two"):
        (tmp_path / name / "images").mkdir(parents=True)
        (tmp_path / name / "qa.jsonl").touch()

    def question(folder: Path) -> list[Question]:
        path = folder / "a.png"
        return [Question(folder.name, 0, path.name, path, "Sum?", ("9",), (box,))]

    monkeypatch.setattr(suite, "read", question)
    monkeypatch.setattr(parts, "part", lambda rows, name: [*rows])
    suites = [str(tmp_path / name) for name in ("one", "two")]
    flags = ["--out", str(tmp_path), "--pages", "7", "--cache", str(tmp_path), "--suite", *suites]
    assert main(["train", "reading", *flags]) == 0
    real = [RealQuestion(tmp_path / name / "a.png", "Sum?", (box,)) for name in ("one", "two")]
    assert calls == [(tmp_path, real, 7, tmp_path)]
    assert f"wrote {tmp_path / FILE}" in capsys.readouterr().out
    assert main(["train", "reading", "--out", str(tmp_path)]) == 0
    assert calls[1] == (tmp_path, [], reading.PAGES, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--out"),
        (["--out", "o", "--suite", "absent"], "no suite absent"),
        (["--out", "o", "--pages", "0"], "whole number from 1"),
    ],
)
def test_mistakes_are_reported_before_any_work(calls, capsys, arguments, message) -> None:
    assert main(["train", "reading", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert calls == []
