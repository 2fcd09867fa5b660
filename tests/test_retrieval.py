"""Retrieval: which pages of a document are likely to answer a question, against plain loops."""

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homunculus.pages.lines import Lines
from homunculus.scouts.reading.match import likeness, spelled, spellings
from homunculus.scouts.reading.query import OTHER_PRINTING, ask
from homunculus.scouts.retrieval import ABSENT, ABSENT_SHARE, TEMPERATURE, PageRanker, Ranking
from homunculus.scouts.retrieval.index import LEAST, SURE, Finds, Index
from homunculus.scouts.retrieval.references import (
    named_parts,
    of_document,
    printed_shift,
    referred,
)

Text = list[list[str]]
"""The lines of a page, each a list of words."""
POOL = (
    "total", "totals", "harbour", "harbor", "office", "officer", "tax", "taxes", "invoice",
    "invoices", "oranges", "barrel", "amount", "amt", "Tel/Fax:", "telephone", "--", "1,284.50",
    "12", "7", "Nr.", "Größe",
)  # fmt: skip
QUESTIONS = (
    "harbour office", "What is the total amount of the invoice?", "telephone of the tax officer",
    "How many oranges and barrels?", "zebra", "Größe 12", "harbour office harbour office",
)  # fmt: skip


def lines(text: Text) -> Lines:
    """A page of these lines, one below the other."""
    words, boxes, numbers = list[str](), list[list[float]](), list[int]()
    for row, line in enumerate(filter(None, text)):
        for column, word in enumerate(line):
            words.append(word)
            boxes.append([90 * column, 30 * row, 90 * column + 80, 30 * row + 20])
            numbers.append(row)
    return Lines(
        tuple(words), np.array(boxes, np.float32).reshape(-1, 4), np.array(numbers, int), "given"
    )


def said(*texts: str) -> list[Lines | None]:
    """Pages of lines that are parted by /."""
    return [lines([line.split() for line in text.split("/")]) for text in texts]


word = st.sampled_from(POOL)
page = st.lists(st.lists(word, max_size=4), max_size=7)
documents = st.lists(st.none() | page, min_size=1, max_size=6)
few = settings(max_examples=60, deadline=None)


def pages_of(texts: Sequence[Text | None]) -> list[Lines | None]:
    """Pages, of which nobody read some."""
    return [None if text is None else lines(text) for text in texts]


def printed(texts: Sequence[Text | None]) -> list[tuple[int, int, bool, str]]:
    """Every printed word: its page, its line counted over all pages, whether it begins it, and
    itself."""
    found, count = list[tuple[int, int, bool, str]](), 0
    for number, text in enumerate(texts):
        for line in filter(None, text or []):
            found += [(number, count, place == 0, each) for place, each in enumerate(line)]
            count += 1
    return found


def like(asked: str, others: Sequence[str], text: str) -> float:
    """How far a printed word is the asked one, compared with each of its spellings."""
    values = [likeness(asked, form) for form in spellings(text)]
    values += [OTHER_PRINTING * likeness(other, form) for other in others
               for form in spellings(text)]  # fmt: skip
    best = max(values, default=0.0)
    return best if best > LEAST else 0.0


# ---- the index -----------------------------------------------------------------------------------


@few
@given(documents, st.sampled_from(("total", "harbour", "tax", "telephone", "größe", "12", "fax")))
def test_finds_are_those_of_a_loop_over_all_words(texts, asked) -> None:
    index, others = Index(pages_of(texts)), ("amt", "invoice")
    finds = index.finds(asked, others)
    expected = {}
    for at, (_, _, _, text) in enumerate(printed(texts)):
        if value := like(asked, others, text):
            expected[at] = value
    assert dict(zip(finds.at.tolist(), finds.likeness.tolist(), strict=True)) == pytest.approx(
        expected
    )
    assert len(finds.at) == len(expected)
    by_page = [0.0] * len(texts)
    for at, value in expected.items():
        by_page[printed(texts)[at][0]] += value
    assert index.by_page(finds.at, finds.likeness).tolist() == pytest.approx(by_page)
    exact = [at for at, (_, _, _, text) in enumerate(printed(texts)) if asked in spellings(text)]
    assert sorted(index.exactly(asked).at.tolist()) == exact


@few
@given(documents)
def test_words_in_a_row_are_on_one_page_and_begin_lines_where_they_do(texts) -> None:
    index, all_words = Index(pages_of(texts)), printed(texts)
    first, second = index.finds("harbour"), index.finds("office")
    expected = []
    for at, (one, other) in enumerate(pairwise(all_words)):
        sure = like("harbour", (), one[3]) > SURE and like("office", (), other[3]) > SURE
        if sure and one[0] == other[0]:
            expected.append(at)
    assert sorted(index.in_a_row(first, second).tolist()) == expected
    begins = [at for at in first.at.tolist() if all_words[at][2]]
    assert sorted(index.begins_line(first.at).tolist()) == sorted(begins)
    assert index.length.tolist() == [
        sum(each[0] == number for each in all_words) for number in range(len(texts))
    ]
    assert index.line.tolist() == [each[1] for each in all_words]


def test_words_that_only_may_be_meant_are_in_no_row() -> None:
    index = Index(said("harbour office"))
    unsure = Finds(np.array([0]), np.array([SURE], np.float32))
    assert index.in_a_row(unsure, index.finds("office")).tolist() == []
    assert index.in_a_row(index.finds("harbour"), index.finds("office")).tolist() == [0]
    assert index.begins_line(np.array([0, 1])).tolist() == [0]
    parted = Index(said("oil harbour", "office"))
    assert parted.in_a_row(parted.finds("harbour"), parted.finds("office")).tolist() == []


# ---- scores --------------------------------------------------------------------------------------


def rarity(often: Sequence[float]) -> float:
    """Robertson's inverse document frequency, which is never negative."""
    having = sum(value > 0.7 for value in often)
    return log(1 + (len(often) - having + 0.5) / (having + 0.5))


def oracle(texts: Sequence[Text | None], question: str) -> tuple[list[float], float]:
    """Scores of pages and of none, word by word: BM25, words within four lines, and pairs."""
    query, all_words, count = ask(question), printed(texts), len(texts)
    others = {each: [o for o, at in query.others if query.words[at] == each]
              for each in query.words}  # fmt: skip
    lengths = [sum(each[0] == number for each in all_words) for number in range(count)]
    usual = max(1.0, sum(lengths) / count)
    often = {each: [sum(like(each, others[each], text) for place, _, _, text in all_words
                        if place == number) for number in range(count)]
             for each in query.words}  # fmt: skip
    rare = {each: float(weight) * rarity(often[each])
            for each, weight in zip(query.words, query.weights, strict=True)}  # fmt: skip
    scores = list[float]()
    for number in range(count):
        score = 0.0
        for each in query.words:
            found = often[each][number]
            long = 1.2 * (1 - 0.75 + 0.75 * lengths[number] / usual)
            score += rare[each] * found * 2.2 / (found + long)
        own = [(line, text) for place, line, _, text in all_words if place == number]
        near = [
            sum(rare[each] * max((like(each, others[each], text) for there, text in own
                                  if abs(there - line) <= 4), default=0.0)
                for each in query.words)
            for line, _ in own
        ]  # fmt: skip
        scores.append(score + 0.3 * max(near, default=0.0))
    asked = [spelled(each) for each in question.split()]
    for one, other in dict.fromkeys(pairwise(asked)):
        if one in query.words and other in query.words:
            rows = [0] * count
            for first, second in pairwise(all_words):
                if (first[0] == second[0] and like(one, others[one], first[3]) > SURE
                        and like(other, others[other], second[3]) > SURE):  # fmt: skip
                    rows[first[0]] += 1
            for number, row in enumerate(rows):
                scores[number] += 0.5 * rarity(rows) * row * 2.2 / (row + 1.2)
    absent = log(len(scores)) + ABSENT + ABSENT_SHARE * sum(rare.values()) / TEMPERATURE
    return [score / TEMPERATURE for score in scores], absent


@few
@given(documents, st.sampled_from(QUESTIONS))
def test_scores_are_those_of_plain_bm25_with_what_stands_together(texts, question) -> None:
    ranking = PageRanker(pages_of(texts))(question)
    scores, absent = oracle(texts, question)
    total = sum(map(exp, [*scores, absent]))
    assert ranking.page.tolist() == pytest.approx([exp(each) / total for each in scores], rel=2e-3)
    assert ranking.absent == pytest.approx(exp(absent) / total, rel=2e-3)


@pytest.mark.parametrize("between", [0, 3, 6, 7, 8, 9])
def test_words_stand_together_if_a_line_is_within_four_of_both(between) -> None:
    texts: list[Text | None] = [
        [["harbour"], *[["oil"]] * between, ["barrel"]],
        [*[["oil"]] * 9, ["harbour"]],
        [["barrel"]],
    ]
    ranking = PageRanker(pages_of(texts))("harbour barrel")
    scores, absent = oracle(texts, "harbour barrel")
    total = sum(map(exp, [*scores, absent]))
    assert ranking.page.tolist() == pytest.approx([exp(each) / total for each in scores], rel=2e-3)


@few
@given(documents, st.text(max_size=40) | st.sampled_from(QUESTIONS))
def test_pages_and_none_add_up_to_one_and_are_the_same_each_time(texts, question) -> None:
    rankings = [PageRanker(pages_of(texts))(question) for _ in range(2)]
    assert float(rankings[0].page.sum()) + rankings[0].absent == pytest.approx(1, abs=1e-5)
    assert rankings[0].page.min() >= 0
    assert rankings[0].page.tolist() == rankings[1].page.tolist()
    assert rankings[0].absent == rankings[1].absent


def test_a_word_of_one_page_finds_it_and_an_empty_question_none() -> None:
    pages = said("oranges in crates", "olive oil", "harbour office", "oranges in crates")
    ranker = PageRanker(pages)
    assert ranker("Where is the harbour office?").best(1) == [3]
    for question in ("", "   ", "?!"):
        ranking = ranker(question)
        assert ranking.page.tolist() == pytest.approx([float(ranking.page[0])] * 4)


def test_words_near_each_other_count_more_than_far_ones_or_those_of_another_page() -> None:
    gap = "/oranges" * 20
    far, near = f"harbour{gap}/barrel", f"harbour/barrel{gap}"
    assert PageRanker(said(far, near))("harbour barrel").best(1) == [2]
    row, turned = f"harbour barrel{gap}", f"barrel harbour{gap}"
    assert PageRanker(said(turned, row))("harbour barrel").best(1) == [2]


def test_pages_without_words_are_likely_only_by_what_was_spotted() -> None:
    ranker = PageRanker([None, *said("olive oil"), None])
    assert ranker.unread.tolist() == [True, False, True]
    plain = ranker("harbour office")
    spotted = {0: {"harbour": 0.1, "office": 0.2}, 2: {"harbour": 0.9, "office": 0.95}}
    seen = ranker("harbour office", spotted)
    assert seen.best(1) == [3]
    assert seen.page[2] > plain.page[2]
    assert seen.page[0] == pytest.approx(float(seen.page[1]))  # too unlikely to be counted
    assert seen.absent < plain.absent


def test_a_document_that_nobody_read_is_ranked() -> None:
    ranking = PageRanker([None, None])("What is the total?")
    assert ranking.page.tolist() == pytest.approx([float(ranking.page[0])] * 2)
    assert ranking.absent > ranking.page[0]
    assert PageRanker([None, None])("total on page 2", {0: {"total": 0.9}}).best(1) == [2]


@few
@given(st.lists(st.floats(-50, 50, width=32), min_size=3, max_size=3), st.floats(-20, 20))
def test_scores_of_another_retriever_are_logits(scores, more) -> None:
    ranker = PageRanker(said("harbour", "office", "oil"))
    ranking = ranker("harbour", scores=scores)
    total = sum(exp(each - max(scores)) for each in scores)
    expected = [exp(each - max(scores)) / total for each in scores]
    assert ranking.page.tolist() == pytest.approx(expected, rel=1e-3, abs=1e-6)
    assert ranking.absent == 0
    moved = ranker("harbour", scores=[each + more for each in scores])
    assert moved.page.tolist() == pytest.approx(ranking.page.tolist(), rel=1e-3, abs=1e-6)


def test_the_best_pages_come_first_and_no_more_than_are_needed() -> None:
    ranking = Ranking(np.array([0.1, 0.5, 0.1, 0.2], np.float32), 0.1)
    assert ranking.best(9) == [2, 4, 1, 3]
    assert ranking.best(2) == [2, 4]
    assert ranking.best(9, share=0.5) == [2]
    assert ranking.best(9, share=0.7) == [2, 4]


# ---- pages that a question names -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is on page 3?", [3]), ("see p. 4", [4]), ("pg 2", [2]), ("slide no. 5", [5]),
        ("the second page", [2]), ("on the 4th page", [4]), ("the last page", [6]),
        ("the final slide", [6]), ("the cover page", [1]), ("the title page", [1]),
        ("the back cover", [6]), ("the second to last page", [5]), ("Seite 3", [3]),
        ("page 1 and page 6", [1, 6]), ("page 7", []), ("page 0", []), ("pages of paper", []),
        ("the last word", []), ("3 pages", []), ("", []),
    ],
)  # fmt: skip
def test_pages_are_named_by_number_and_by_place(question, expected) -> None:
    pages = referred(question, 6, 0)
    assert [int(place) + 1 for place in np.flatnonzero(pages)] == expected
    assert float(pages.sum()) == pytest.approx(1 if expected else 0)


@pytest.mark.parametrize(
    ("question", "best"),
    [("What is on page 3?", 3), ("Who is on the second page?", 2), ("the last page?", 6),
     ("What does the cover page say?", 1)],
)  # fmt: skip
def test_a_named_page_is_the_likeliest(question, best) -> None:
    ranking = PageRanker(said(*["harbour office and oranges"] * 6))(question)
    assert ranking.best(1) == [best]
    assert ranking.page[best - 1] > 0.9


def test_printed_numbers_that_start_later_are_meant_too() -> None:
    pages = said("Title", "Contents", *[f"Manual/some text/more text/{n}" for n in range(1, 9)])
    assert printed_shift(pages) == 2
    ranker = PageRanker(pages)
    ranking = ranker("What is on page 3?")
    assert sorted(ranking.best(2)) == [3, 5]
    assert min(ranking.page[2], ranking.page[4]) > 0.1
    assert ranker("What is on page 9?").best(1) == [9]
    excerpt = said(*[f"Page {n} of 99/some text/more text/end" for n in range(40, 46)])
    assert printed_shift(excerpt) == -39
    assert PageRanker(excerpt)("What is on page 42?").best(1) == [3]


def test_a_few_numbers_or_numbers_in_the_middle_are_no_page_numbers() -> None:
    assert printed_shift(said("a/b/1", "a/b/2", "a/b", "a/b")) == 0  # shift 0 anyway
    assert printed_shift(said("a/b", "a/b/1", "a/b/2", "a/b", "a/b")) == 0  # two are too few
    middle = said(*[f"a/b/c/{n}/d/e/f" for n in range(5, 12)])
    assert printed_shift(middle) == 0
    assert printed_shift(said(*[f"a/b/c/{n}" for n in range(5, 12)])) == -4
    assert printed_shift([None, None]) == 0


def test_a_figure_is_looked_for_where_its_caption_is() -> None:
    names = ["see Figure 2 and Figure 3/and so on", "and so on/Figure 2 A harbour",
             "Fig. 3 An office/and so on", "and so on/and Figure 9 so on"]  # fmt: skip
    ranker = PageRanker(said(*names))
    assert ranker("What does Figure 2 show?").best(1) == [2]
    assert ranker("What does figure 3 show?").best(1) == [3]
    assert list(named_parts("Table 4, Fig. IV, section 2.1")) == [
        ("table", "4"), ("figure", "iv"), ("section", "21")
    ]  # fmt: skip


def test_questions_about_the_document_look_at_its_first_page() -> None:
    ranker = PageRanker(said(*["harbour office"] * 5))
    assert of_document("Who is the author of this report?")
    assert not of_document("Who is the author of the letter on the wall?")
    ranking = ranker("Who wrote it?")
    assert ranking.best(2) == [1, 2]
    assert PageRanker(said("harbour"))("Who wrote it?").best(1) == [1]
