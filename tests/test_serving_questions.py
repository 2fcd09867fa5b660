"""What is asked about each image, read from the ids of a prompt."""

from dataclasses import asdict

import pytest

import tiny
from homunculus.engines.vllm.choose import LETTERS, Marks, questions, turns
from homunculus.engines.vllm.settings import ServerSettings

IMAGE = "<|vision_start|><|image_pad|><|vision_end|>"


@pytest.fixture(scope="module")
def marks():
    words = tiny.load("qwen3_vl").processor.tokenizer
    return Marks.of(words, words.convert_tokens_to_ids("<|image_pad|>"))


def prompt(marks, *messages):
    text = "".join(f"<|im_start|>{role}\n{said}<|im_end|>\n" for role, said in messages)
    return marks.tokenizer.encode(text + "<|im_start|>assistant\n", add_special_tokens=False)


TALK = (
    ("system", "You read invoices."),
    ("user", f"{IMAGE}What is the total?"),
    ("assistant", "12"),
    ("user", f"{IMAGE}{IMAGE}"),
    ("assistant", "?"),
    ("user", "And the dates of those?"),
)


def test_turns_have_roles_words_and_images(marks):
    found = turns(prompt(marks, *TALK), marks)
    assert [turn.role for turn in found[:4]] == ["system", "user", "assistant", "user"]
    assert [turn.images for turn in found[:4]] == [0, 1, 0, 2]
    assert found[1].text == "What is the total?"
    assert (found[-1].role, found[-1].text) == ("assistant", "")


def test_a_pinned_image_keeps_its_own_question_and_one_without_words_takes_the_next(marks):
    found = questions(prompt(marks, *TALK), marks, 3, ServerSettings())
    assert found == ["What is the total?", "And the dates of those?", "And the dates of those?"]


def test_pins_do_not_change_when_the_talk_goes_on(marks):
    first = questions(prompt(marks, *TALK[:2]), marks, 1, ServerSettings())
    assert questions(prompt(marks, *TALK), marks, 3, ServerSettings())[:1] == first


def test_the_other_ways_of_asking(marks):
    ids = prompt(marks, *TALK)
    assert questions(ids, marks, 3, ServerSettings(pin=False)) == ["And the dates of those?"] * 3
    assert (
        questions(ids, marks, 3, ServerSettings(question_from="system"))
        == ["You read invoices."] * 3
    )
    assert questions(ids, marks, 3, ServerSettings(question_from="none")) == [""] * 3
    assert questions(ids, marks, 3, ServerSettings(question="mine", override=True)) == ["mine"] * 3


def test_long_questions_are_cut_and_bare_prompts_are_questions(marks):
    ids = prompt(marks, ("user", IMAGE + "why " * 1000))
    assert [len(one) for one in questions(ids, marks, 1, ServerSettings())] == [LETTERS]
    bare = marks.tokenizer.encode(f"{IMAGE} What is it?", add_special_tokens=False)
    assert questions(bare, marks, 1, ServerSettings()) == ["What is it?"]


def test_images_that_are_not_where_users_speak_get_the_last_question(marks):
    ids = prompt(marks, ("system", IMAGE), ("user", "What is it?"))
    assert questions(ids, marks, 1, ServerSettings()) == ["What is it?"]


def test_repeated_placeholders_are_one_image(marks):
    ids = prompt(marks, ("user", "<|vision_start|>" + "<|image_pad|>" * 9 + "<|vision_end|>Hm?"))
    assert [turn.images for turn in turns(ids, marks)][:1] == [1]


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        ({"tokens": 0}, "tokens"), ({"tokens": True}, "tokens"), ({"where": "middle"}, "where"),
        ({"question_from": "first"}, "question_from"), ({"pin": 1}, "pin"),
        ({"question": 5}, "question"), ({"method": "pool"}, "before the encoder"),
        ({"method": "nothing"}, "method"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(told, fault):
    with pytest.raises((ValueError, TypeError), match=fault):  # shape checks may be first
        ServerSettings(**told)


def test_what_a_request_may_bring():
    usual = ServerSettings(tokens=64, override=True)
    assert usual.for_request({}) == usual
    assert usual.for_request({"tokens": 16, "question": "Who?"}).tokens == 16
    for told in ({"tokens": 65}, {"tokens": "16"}, {"images": 1}, "16", {"question": 1}):
        with pytest.raises((ValueError, TypeError)):
            usual.for_request(told)
    with pytest.raises(ValueError, match="allow-override"):
        ServerSettings().for_request({"tokens": 16})


def test_a_setting_travels_in_the_config():
    class Config:
        homunculus = asdict(ServerSettings(tokens=5))

    assert ServerSettings.of(Config()).tokens == 5
    assert ServerSettings.of(object()) == ServerSettings()
    Config.homunculus = {"tokken": 5}
    with pytest.raises(ValueError, match="tokken"):
        ServerSettings.of(Config())
