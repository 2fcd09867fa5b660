"""Accuracies of official tasks: by hand, and as lmms-eval and `anls` themselves count."""

import random

import pytest
import torch

from homunculus_lab.measure.metric import among, anls, evidence
from homunculus_lab.measure.official import CONTRACTIONS, MARKS, lone, plain, relaxed, soft

SPELLED = [
    "two", "The dog", "a", "an apple", "dont", "couldnt've", "y'alld've", "somebody'd", "yes", "no",
    "1,000", "10", "10.5", "U.S.A.", "e.g. this", "rock-n-roll", "what?", "Joe's", "its 5%", "none",
    "red/blue", "(left)", "3 , 4", "a.b", "x . y", "new\nline", "tab\tbed", " spaced ", "", "?!",
    '"quoted"', "semi;colon", "at@home", "100%", "0", "0.0", "-5", "5e1", "nan", "inf", "%", "Ten",
]  # fmt: skip


def drawn(seed: int) -> tuple[str, list[str]]:
    """An answer, and those of ten people; often the same."""
    lot = random.Random(seed)
    some = lot.sample(SPELLED, 3)
    return " ".join(lot.choices(some, k=lot.choice([1, 1, 2]))), lot.choices(some, k=10)


@pytest.mark.parametrize(
    ("text", "answers", "score"),
    [
        ("yes", ["yes"] * 10, 1.0),
        ("yes", ["yes"] * 3 + ["no"] * 7, 0.9),  # three people, each left out once
        ("yes", ["yes"] * 2 + ["no"] * 8, (2 * 1 + 8 * 2) / 30),
        ("The cat.", ["cat"] * 10, 1.0),
        ("two", ["2"] * 10, 1.0),
        ("dont", ["don't"] * 10, 1.0),
        ("1,000", ["1000"] * 10, 1.0),
        ("cat", ["dog"] * 10, 0.0),
        ("cat", [], 0.0),
        ("cat", ["cat"], 0.0),  # nobody else has said it
    ],
)
def test_soft_accuracy_on_cases_done_by_hand(text, answers, score) -> None:
    assert soft(text, answers) == pytest.approx(score)


def test_a_lone_gold_stands_for_ten_people() -> None:
    assert lone("EXIT", ["exit"]) == 1.0
    assert lone("EXIT", ["exits"]) == 0.0
    assert lone("b", ["a", "b"]) == 1.0


@pytest.mark.parametrize(
    ("text", "answer", "right"),
    [
        ("10.5", "10", True), ("10.51", "10", False), ("9.5", "10", True), ("-10", "10", False),
        ("5%", "0.05", True), ("5", "5%", False), ("Peru", "peru", True), ("Peru ", "peru", False),
        ("0", "0", True), ("0.0", "0", False), ("0.01", "0", False), ("ten", "10", False),
    ],
)  # fmt: skip
def test_relaxed_accuracy_on_cases_done_by_hand(text, answer, right) -> None:
    assert relaxed(text, [answer]) == right
    assert relaxed(text, ["never", answer]) == right


def test_both_are_those_of_lmms_eval() -> None:
    tasks = "lmms_eval.tasks"
    why = "needs lmms-eval 0.7.3, which is no part of this package"
    vqa = pytest.importorskip(f"{tasks}.vqav2.utils", reason=why, exc_type=ImportError)
    text_vqa = pytest.importorskip(f"{tasks}.textvqa.utils", reason=why, exc_type=ImportError)
    chart = pytest.importorskip(f"{tasks}.chartqa.utils", reason=why, exc_type=ImportError)
    scores = set()
    for seed in range(1000):
        text, people = drawn(seed)
        told = [{"answer": one, "answer_id": at} for at, one in enumerate(people)]
        theirs = vqa.vqav2_process_results({"answers": told, "question_id": 0}, [text])
        assert soft(text, people) == pytest.approx(theirs["exact_match"]), (text, people)
        theirs = text_vqa.textvqa_process_results(
            {"answers": list(people), "question_id": 0}, [text]
        )
        assert soft(text, people, "textvqa") == pytest.approx(theirs["exact_match"])
        scores.add(round(theirs["exact_match"], 3))
        number = random.Random(seed).choice(SPELLED)
        assert relaxed(number, people[:1]) == chart.relaxed_correctness(number, people[0])
    assert len(scores) > 4  # the cases tell right from wrong, and halves from both
    package = pytest.importorskip(f"{tasks}._task_utils.vqa_eval_metric", reason=why)
    known = package.EvalAIAnswerProcessor
    assert list(MARKS) == known.PUNCTUATIONS
    spelled = {key: word for key, word in known.CONTRACTIONS.items() if key == key.lower() != word}
    assert spelled == CONTRACTIONS


def test_anls_is_that_of_its_package_on_a_thousand_pairs() -> None:
    from anls import anls_score  # where vLLM serves, it is not installed

    lot = random.Random(0)
    found = set()
    for _ in range(1000):
        text, answer = ("".join(lot.choices("abc1.", k=lot.randrange(1, 9))) for _ in range(2))
        if lot.random() < 0.5:  # nearly the same
            text = answer[: lot.randrange(1, 9)] + lot.choice("ab")
        found.add(anls(text, [answer]))
        assert anls(text, [answer]) == anls_score(text, [answer])
        spaced = text[:1].upper() + " " + text[1:]
        assert anls(spaced, [answer]) == anls_score(text, [answer])
    assert {0.0, 1.0} < found


def test_whole_words_of_a_line_may_be_scored_in_any_way() -> None:
    line = "Peru had 1,200 in (1990)"
    assert among(line, ["1990"], relaxed, " ") == 1.0
    assert among(line, ["in 1990"], lone, " ") == 1.0
    assert among(line, ["had"], lone, " ") == 1.0
    assert among(line, ["Peru had"], lone, " ") == 1.0
    assert among("Peruhad", ["had"], lone, " ") == 0.0
    assert plain("in (1990") == "in 1990"


def test_a_thing_counts_by_its_shorter_side() -> None:
    level = torch.ones(4, 4)  # half the pixels of a side are kept
    wide = [(0.0, 0.0, 64.0, 32.0)]
    tall = [(0.0, 0.0, 32.0, 64.0)]
    assert [evidence(level, box, 16, 32.0) for box in (wide, tall)] == [0.0, 1.0]
    assert [evidence(level, box, 16, 32.0, thing=True) for box in (wide, tall)] == [0.0, 0.0]
    assert [evidence(level, box, 16, 16.0, thing=True) for box in (wide, tall)] == [1.0, 1.0]
