"""A question taken apart: words to find, their weights, the look of the answer."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homunculus.scouts.words.net import ALPHABET, KINDS
from homunculus.scouts.words.question import (
    BUCKETS,
    LONGEST_WORD,
    MOST_BUCKETS,
    MOST_WORDS,
    also,
    parse,
)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the invoice number?", ("invoice", "number")),
        (
            "what is the mean height (cm) in South Korea ?",
            ("mean", "height", "cm", "south", "korea"),
        ),
        ("Which company's logo is it?", ("company", "logo")),
        ("Where is the ‘Café Zürich’?", ("cafe", "zurich")),
        ('Where is the word "A"?', ("a",)),
        ("What is plan B?", ("plan",)),
        ("Who lives in the U.S.?", ("lives", "us")),
        ("What was paid on 12/05/2018?", ("paid", "12052018")),
        ("Is 1,234.50 more than A-17/b?", ("123450", "a17b")),
        (
            "Sum of Laos,Nepal,Peru on May 24,25?",
            ("sum", "laos", "nepal", "peru", "may", "24", "25"),
        ),
        ("What does the sub-total say?", ("subtotal", "sub", "total", "say")),
        ('A 15" screen or a 17" one?', ("15", "screen", "17", "one")),
        ("Amount? The amount!", ("amount",)),
        ("Who is the memo from?", ("memo", "from")),
        ("Who is from Rome?", ("rome",)),
        ("", ()),
    ],
)
def test_the_words_to_find_are_those_a_reader_would_look_for(question, words):
    asked = parse(question)
    assert asked.words[: asked.own] == words


def test_a_quotation_counts_in_full_and_what_stands_beside_it_less():
    asked = parse('What % are concerned about "Maintaining weight" in October?')
    weight = dict(zip(asked.words, asked.weights, strict=True))
    assert list(weight)[: asked.own] == ["maintaining", "weight", "concerned", "october"]
    assert (weight["oct"], "wt" in weight) == (0.5 * weight["october"], False)
    assert weight["maintaining"] == 1.0
    assert weight["concerned"] == 0.5
    assert parse('Where on the page is the word "the"?').words == ("the",)


def test_generic_nouns_parts_and_short_words_weigh_less():
    asked = parse("What document names the one-time supplier of ink?")
    weight = dict(zip(asked.words, asked.weights, strict=True))
    assert weight["document"] < weight["ink"] < weight["onetime"] < weight["supplier"] + 1e-9
    assert weight["time"] < weight["ink"]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When was it issued?", "date"),
        ("What year?", "date"),
        ("How much is the fee for 24 hours?", "money"),
        ("What is the total?", "money"),
        ("How many women work here?", "number"),
        ("What is the order no.?", "code"),
        ("What is the zip code?", "code"),
        ("What % of people agree?", "percent"),
        ("At what time does it leave?", "time"),
        ("What is the fax?", "phone"),
        ("Who signed it?", "word"),
        ("What is the name of the company?", "word"),
    ],
)
def test_the_question_tells_what_the_answer_looks_like(question, kind):
    kinds = dict(zip(KINDS, parse(question).kinds, strict=True))
    assert kinds[kind] == max(kinds.values())
    assert sum(kinds.values()) == pytest.approx(1)


def test_the_look_is_unknown_when_the_quotation_is_the_answer():
    assert parse('Where is the word "50% OFF"?').kinds == (0.0,) * 8
    assert parse("Hello").kinds == (0.0,) * 8


def test_words_in_other_scripts_are_said_to_be_unsupported():
    asked = parse("Where is 出口 or Выход or Ausgang?")
    assert asked.unsupported == ("出口", "Выход")
    assert asked.words[: asked.own] == ("ausgang",)


def test_ways_of_asking_share_buckets_and_quotations_have_none():
    assert (
        parse("Where is the word “exit”?").buckets == parse('where is the word "way out"?').buckets
    )
    assert parse("Who is 12?").buckets == parse("who is 57?").buckets
    assert parse("Who paid?").buckets != parse("When paid?").buckets


def test_the_question_at_the_end_of_a_long_preamble_is_not_pushed_out():
    preamble = " ".join(f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh")
    assert parse(f"{preamble} What is the invoice supplier?").words[-2:] == ("invoice", "supplier")


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=300) | st.text(alphabet="a1,.-'\"/% é", max_size=300))
def test_any_question_gives_bounded_folded_words(question):
    asked = parse(question)
    assert asked == parse(question)
    assert len(asked.words) == len(asked.weights) == len(set(asked.words)) <= MOST_WORDS
    assert all(word and set(word) <= set(ALPHABET) for word in asked.words)
    assert all(len(word) <= LONGEST_WORD for word in asked.words)
    assert all(0 < weight <= 1 for weight in asked.weights)
    assert len(asked.kinds) == 8
    assert sum(asked.kinds) == pytest.approx(1) or not any(asked.kinds)
    assert len(asked.buckets) <= MOST_BUCKETS
    assert all(0 <= bucket < BUCKETS for bucket in asked.buckets)


@pytest.mark.parametrize("piece", ['"', "'a", "a-", "ﷺ", "1,", "word ", '"x" ', "a'b", "\ud800"])
def test_a_strangers_ten_thousand_characters_stay_bounded(piece):
    asked = parse(piece * 20_000)
    assert len(asked.words) <= MOST_WORDS
    assert len(asked.unsupported) <= MOST_WORDS


def test_buckets_are_the_same_in_every_process():
    code = "from homunculus.scouts.words.question import parse\n"
    code += "print(parse('Who paid how much?').buckets)"
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert run.stdout.strip() == str(parse("Who paid how much?").buckets)


def test_other_printings_weigh_half_and_come_last():
    asked = parse("What is the telephone number of the manager?")
    weight = dict(zip(asked.words, asked.weights, strict=True))
    assert asked.words[: asked.own] == ("telephone", "number", "manager")
    assert {"tel", "phone", "no", "mgr", "managers"} <= set(asked.words[asked.own :])
    assert weight["tel"] == 0.5 * weight["telephone"]
    behind = dict(zip(asked.words[asked.own :], asked.stand_for, strict=True))
    assert (behind["tel"], behind["no"], behind["managers"]) == ("telephone", "number", "manager")
    assert parse('Where is the word "telephone"?').words == ("telephone",)


@pytest.mark.parametrize(
    ("one", "many"),
    [("invoice", "invoices"), ("company", "companies"), ("batch", "batches"), ("class", "classes")],
)
def test_one_and_many_find_each_other(one, many):
    assert one in also(many)
    assert many in also(one) or one in ("company", "class")  # leads elsewhere; ends like many


@pytest.mark.parametrize(
    ("question", "compares"),
    [
        ("Which country has the highest value in 1979?", True),
        ("How many bars are shown?", True),
        ("What is the difference between Lamb and Corn?", True),
        ("What does the blue colour mean?", True),
        ("What is the total due?", False),
        ("What is the barcode?", False),
        ('Where is the word "MOST"?', False),
    ],
)
def test_a_question_that_compares_is_known_by_its_words(question, compares):
    assert (parse(question).counts or parse(question).of_chart) is compares


def test_a_question_about_a_colour_does_not_count():
    assert not parse("What colour is the handbag?").counts
    assert parse("How many bars are blue?").counts
