"""The transformers engine in every way that an official task asks for, on tiny models."""

from dataclasses import replace

import pytest

import homunculus
import tiny
from homunculus_lab.official import runner as runner_module
from homunculus_lab.official.resize import Fit
from homunculus_lab.official.rows import Way, rows, way
from homunculus_lab.official.runner import Runner

OPTIONS = {"max_new_tokens": 4, "do_sample": False}
TOKENS = 40


def talk(question="What is it?", *images):
    parts = [{"type": "image", "image": one} for one in images]
    return [{"role": "user", "content": [*parts, {"type": "text", "text": question}]}]


@pytest.fixture(scope="module")
def qwen():
    return tiny.load("qwen3_vl")


@pytest.fixture(scope="module")
def runner(qwen):
    return Runner(qwen.model, qwen.processor, Way())


@pytest.mark.parametrize("row", rows(["cut", "windows"]))
def test_every_row_keeps_exactly_its_tokens_of_every_image(runner, row) -> None:
    runner.take(way(row, TOKENS))
    images = [tiny.picture(96, 160, 1), tiny.picture(64, 64, 2), tiny.picture(128, 96, 3)]
    said = runner.answer(talk("What is it?", *images), "another?", **OPTIONS)
    native = (60, 16, 48)
    assert said.of == native
    if row == "full":
        assert said.kept == native
    elif row == "resize":
        assert all(1 <= one <= TOKENS for one in said.kept)
        assert said.kept[1] == 16
    else:
        assert said.kept == (TOKENS, 16, TOKENS)
    assert said.prompt > sum(said.kept)
    assert 0 <= said.scout <= said.seconds


def test_an_answer_is_the_one_that_any_user_gets(runner, qwen) -> None:
    image = tiny.picture(96, 160, 4)
    plain = homunculus.attach(qwen.model, qwen.processor, tokens=TOKENS, method="foveated")
    expected = plain.generate(image, "Where is the total?", **OPTIONS)
    runner.take(Way("foveated", TOKENS))
    said = runner.answer(talk("Where is the total?", image), **OPTIONS)
    assert said.text == expected.text
    anchors = [look.choice.anchor.tolist() for look in expected.images]
    mine = runner.engine.prepare(talk("Where is the total?", image)).images
    assert [look.choice.anchor.tolist() for look in mine] == anchors


def test_full_is_the_untouched_model(runner, qwen) -> None:
    image = tiny.picture(96, 160, 5)
    inputs = tiny.ask(qwen.processor, image, question="What?")
    made = qwen.model.generate(**inputs, **OPTIONS)[:, inputs["input_ids"].shape[1] :]
    runner.take(Way("full", None))
    (expected,) = qwen.processor.batch_decode(made, skip_special_tokens=True)
    assert runner.answer(talk("What?", image), **OPTIONS).text == expected


def test_the_question_of_another_chooses_and_its_own_is_asked(runner, monkeypatch) -> None:
    heard = []

    def listening(model, processor, **options):
        engine = homunculus.attach(model, processor, **options)

        def scout(image, question, grid):
            heard.append(question)
            return engine.scout(image, question, grid)

        return replace(engine, scout=scout)

    monkeypatch.setattr(runner_module, "attach", listening)
    image = tiny.picture(96, 160, 6)
    prompts = []
    for question in ("own", "shuffled", "none"):
        runner.take(Way("foveated", TOKENS, question))
        prompts.append(runner.answer(talk("mine?", image), "yours?", **OPTIONS).prompt)
    assert heard == ["mine?", "yours?", ""]
    assert len(set(prompts)) == 1


def test_a_document_without_images_passes_untouched(runner) -> None:
    for row in ("foveated", "resize", "full"):
        runner.take(way(row, TOKENS))
        assert runner.answer(talk("Who?"), **OPTIONS).kept == ()


@pytest.mark.parametrize("family", ["qwen2_5_vl", "qwen2_vl", "llava_onevision"])
def test_images_are_shrunk_until_they_have_no_more_tokens(family) -> None:
    one = tiny.load(family)
    fit = Fit(one.processor, one.model.config.image_token_id)
    image = tiny.picture(200, 150, 7)
    native = fit.count(150, 200)
    tokens = max(native // 2, fit.count(30, 40))
    small = fit.one(image, tokens)
    assert small.width < image.width
    assert fit.count(*small.size) <= tokens
    assert abs(small.width / small.height - 0.75) < 0.1
    assert fit.one(image, native) is image


def test_the_largest_image_that_fits_is_taken() -> None:
    one = tiny.load("qwen3_vl")
    fit = Fit(one.processor, one.model.config.image_token_id)
    small = fit.one(tiny.picture(256, 256, 8), 100)
    assert fit.count(*small.size) == 100


@pytest.mark.parametrize("family", ["smolvlm", "internvl", "gemma3"])
def test_a_family_that_enlarges_what_is_small_says_that_it_cannot_be_shrunk(family) -> None:
    one = tiny.load(family)
    fit = Fit(one.processor, one.model.config.image_token_id)
    image = tiny.picture(200, 150)
    with pytest.raises(ValueError, match="Leave out `resize`"):
        fit.one(image, fit.count(*image.size) // 2)
