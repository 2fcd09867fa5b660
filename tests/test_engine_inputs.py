"""What an engine is given: every kind of image, messages, questions, processors, relevance."""

import base64
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import homunculus
from engine_help import GREEDY, LARGE, MARK, attached, loaded, picture, turn
from homunculus import Sight
from homunculus.engines.transformers import Setting
from homunculus.engines.transformers.conversation import as_batch, pairs
from homunculus.pages import PictureError
from homunculus.show.cells import look

pytestmark = MARK

TWO = GREEDY | {"max_new_tokens": 2}


def written(image: Any, kind: str = "PNG", **options: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def embed(engine: Any, part: dict[str, Any]) -> torch.Tensor:
    """Features of the kept tokens of one image part."""
    message = {"role": "user", "content": [part, {"type": "text", "text": "?"}]}
    return engine.prepare([message]).images[0].choice.embed


# ---- images --------------------------------------------------------------------------------------


def test_every_kind_of_source_shows_the_same_image(tmp_path: Path) -> None:
    engine, image = attached("qwen3_vl", tokens=40), picture(*LARGE)
    data = written(image)
    path = tmp_path / "image.png"
    path.write_bytes(data)
    uri = "data:image/png;base64," + base64.b64encode(data).decode()
    want = embed(engine, {"type": "image", "image": image})
    with path.open("rb") as file, Image.open(path) as lazy:
        for source in (path, str(path), data, file, io.BytesIO(data), np.array(image), lazy, uri):
            assert torch.equal(embed(engine, {"type": "image", "image": source}), want)
    for url in ({"url": uri, "detail": "low"}, uri):
        assert torch.equal(embed(engine, {"type": "image_url", "image_url": url}), want)


def test_generate_takes_arrays_and_open_files() -> None:
    engine, image = attached("qwen3_vl", tokens=40), picture(*LARGE)
    sources = [image, np.array(image), io.BytesIO(written(image))]
    alone = [engine.generate(one, "What?", **TWO).text for one in sources]
    assert len(set(alone)) == 1
    assert [one.text for one in engine.generate(sources, ["What?"] * 3, **TWO)] == alone


def test_a_loaded_jpeg_can_be_asked_about() -> None:
    """Without relevance of the caller's: the scout opens the image too."""
    tiny = loaded("qwen3_vl")
    engine = homunculus.attach(tiny.model, tiny.processor, tokens=40)
    with Image.open(io.BytesIO(written(picture(*LARGE), "JPEG"))) as image:
        image.load()
        assert len(engine.generate(image, "What is it?", **TWO).images[0].choice.anchor) == 40


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_an_image_that_is_not_decoded_yet_stays_so(kind: str) -> None:
    engine = attached("qwen3_vl", tokens=40)
    with Image.open(io.BytesIO(written(picture(*LARGE), kind))) as image:
        before = (image.size, image.mode, dict(image.info), list(image.tile), image.fp.tell())
        engine.generate(image, "What?", **TWO)
        after = (image.size, image.mode, dict(image.info), list(image.tile), image.fp.tell())
        assert before == after


def test_bounds_hold_for_images_that_are_passed_on_as_they_are() -> None:
    engine = attached("qwen3_vl", tokens=40)
    for size, words in (((1, 201), "200:1"), ((0, 5), "at least one pixel")):
        with pytest.raises(PictureError, match=words):
            engine.prepare([turn(Image.new("RGB", size), "?")])


def test_transparent_colours_are_white_in_an_image_as_in_its_file() -> None:
    engine, image = attached("qwen3_vl", tokens=40), Image.new("RGB", (64, 64), (255, 0, 0))
    data = written(image, transparency=(255, 0, 0))
    with Image.open(io.BytesIO(data)) as loaded_image:
        loaded_image.load()
        sources = [data, loaded_image]
        rows = [embed(engine, {"type": "image", "image": one}) for one in sources]
    assert torch.equal(*rows)


def test_an_address_is_refused_with_advice() -> None:
    engine = attached("qwen3_vl", tokens=40)
    for url in ("https://example.org/a.png", "http://example.org/a.png", "/etc/passwd", 7, None):
        with pytest.raises(ValueError, match=r"an image_url is a data URI.*got .*\. Download the"):
            embed(engine, {"type": "image_url", "image_url": {"url": url}})
    with pytest.raises(ValueError, match="Download it first"):
        embed(engine, {"type": "image", "url": "https://example.org/a.png"})


# ---- messages ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"type": "input_audio"}, r"image or image_url, got 'input_audio'\. Other parts are not"),
        ({"type": "video_url"}, r"got 'video_url'\. Video is not supported: send its frames"),
        ({}, "got None. Other parts"),
        ("What?", "got str. Other parts"),
        ({"type": "text"}, "a text part needs `text`, a str, got NoneType"),
        ({"type": "text", "text": 7}, "a text part needs `text`, a str, got int"),
        ({"type": "image", "image": None}, "an image part needs `image`. Pass a path"),
    ],
)
def test_a_part_that_cannot_be_shown_says_why(part: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        attached("qwen3_vl").prepare([{"role": "user", "content": [part]}])


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{"content": "Hello"}], "a message has no role. Write"),
        ([{"role": "user"}], "a message has no content. Write"),
        ([{"role": "user", "content": None}], "a message has no content. Write"),
        ([{"role": "user", "content": 7}], "a str or a list of parts, got int. Write"),
        ([{"role": "user", "content": {"type": "text"}}], "a list of parts, got dict. Write"),
        ([{"role": "user", "content": "a"}, "b"], "with a role and a content, got str. Write"),
        ([[{"role": "user", "content": "a"}], []], "with a role and a content, got none. Write"),
        (["Hello"], "with a role and a content, got str. Write"),
        ("Hello", "expected a list of messages, got str. Write"),
        ({"role": "user", "content": "a"}, "expected a list of messages, got dict. Write"),
        (None, "expected a list of messages, got NoneType. Write"),
    ],
)
def test_a_message_that_cannot_be_read_says_why(messages: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        as_batch(messages)


def test_messages_are_checked_before_anything_is_computed() -> None:
    with pytest.raises(ValueError, match="a message has no content"):
        attached("qwen3_vl").chat([{"role": "user", "content": None}])


# ---- images and questions ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("image", "question", "words"),
    [
        ("a.png", ["a", "b"], r"one image and 2 questions\. .*\[image\] \* 2"),
        (b"a", ["a", "b"], "one image and 2 questions"),
        (Path("a.png"), ["a"], "one image and 1 questions"),
        (picture(4, 4), ["a"], "one image and 1 questions"),
        (np.zeros((4, 4), "uint8"), ["a", "b"], "one image and 2 questions"),
        (io.BytesIO(), ["a", "b"], "one image and 2 questions"),
        (["a.png", "b.png"], "a", r"several images and one question\. Pass a list of questions"),
        (("a.png",), "a", "several images and one question"),
        (["a.png"], ["a", "b"], r"1 images and 2 questions\. Pass one question for each"),
        ("a.png", None, "a question is a str, got NoneType"),
        ("a.png", b"What?", "a question is a str, got bytes"),
        (["a.png"], [7], "a question is a str, got int"),
    ],
)
def test_images_and_questions_come_in_pairs(image: Any, question: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"^engine: .*{words}"):
        attached("qwen3_vl").generate(image, question)


def test_any_collection_of_images_goes_with_a_list_of_questions() -> None:
    assert pairs((name for name in "ab"), ("c", "d")) == [("a", "c"), ("b", "d")]


# ---- model and processor -------------------------------------------------------------------------


def test_a_model_is_loaded_before_it_is_attached() -> None:
    for name in ("Qwen/Qwen3-VL-2B-Instruct", Path("folder")):
        with pytest.raises(ValueError, match=r"got its name .* Load it first: AutoModelForImage"):
            homunculus.attach(name)


def test_a_missing_processor_is_told_how_to_load_it() -> None:
    tiny = loaded("qwen3_vl")
    words = tiny.processor.tokenizer
    for processor, name in (
        (None, "None"),
        (words, type(words).__name__),
        (tiny.processor.image_processor, type(tiny.processor.image_processor).__name__),
        ("Qwen/Qwen3-VL-2B-Instruct", "str"),
    ):
        with pytest.raises(ValueError, match=rf"of the model, got {name}\. Load it with AutoProc"):
            homunculus.attach(tiny.model, processor)
    with pytest.raises(ValueError, match="got None"):
        homunculus.attach(tiny.model)


def test_the_processor_of_another_family_is_refused() -> None:
    model = loaded("qwen3_vl").model
    with pytest.raises(ValueError, match=r"a processor of qwen3_vl, got LlavaProcessor\. Load the"):
        homunculus.attach(model, loaded("llava").processor)
    homunculus.attach(model, loaded("qwen2_vl").processor)  # they lay out images alike


def test_an_engine_is_written_in_one_line() -> None:
    engine = attached("qwen3_vl", tokens=40)
    assert repr(engine) == (
        "Engine(qwen3_vl, tokens=40, method='grid', where='after', fast=False, scout='given')"
    )


@pytest.mark.parametrize("tokens", [True, False, -3, 0, 2.0, "64", None])
def test_tokens_are_a_whole_number(tokens: Any) -> None:
    setting = Setting(tokens=7, method="cut", where="after")
    object.__setattr__(setting, "tokens", tokens)  # past the checks of types that only tests have
    with pytest.raises((TypeError, ValueError), match=rf"tokens must be .*, got {tokens!r}"):
        setting.__post_init__()


# ---- relevance -----------------------------------------------------------------------------------

NAN = torch.zeros(4, 5)
NAN[1, 2] = torch.nan
WRONG = [
    (5, "got int. Return an array of numpy"),
    (None, "got NoneType. Return an array of numpy"),
    ([[0.0, 1.0]], "got list. Return an array of numpy"),
    (np.zeros(4, np.float32), r"got shape \(4,\) of float32. Return one real number"),
    (torch.zeros(1, 4, 5), r"got shape \(1, 4, 5\)"),
    (torch.zeros(0, 5), r"got shape \(0, 5\)"),
    (torch.zeros(4, 5, dtype=torch.complex64), r"got shape \(4, 5\) of complex64"),
    (NAN, "got NaN at 1 of 20 cells. Use -inf for cells of no interest"),
]


@pytest.mark.parametrize(("given", "words"), WRONG)
def test_wrong_relevance_says_what_came(given: Any, words: str) -> None:
    def wrong(*_: Any) -> Sight:
        sight = Sight(torch.zeros(1, 1), sure=1.0)
        object.__setattr__(sight, "logit", given)  # past the shape checks of these tests
        return sight

    expected = f"scout wrong: expected a map of rows x cols.*{words}"
    with pytest.raises(ValueError, match=expected):
        attached("qwen3_vl", scout=wrong).prepare([turn(picture(*LARGE), "?")])
    with pytest.raises(ValueError, match=expected):
        look(picture(*LARGE), scout=wrong)


def test_a_scout_that_returns_no_sight_is_told_what_to_return() -> None:
    engine = attached("qwen3_vl", scout=lambda *_: torch.zeros(4, 5))
    with pytest.raises(TypeError, match=r"got Tensor. Return Sight\(logit, sure=...\)"):
        engine.prepare([turn(picture(*LARGE), "?")])


def test_a_nan_in_a_given_map_is_refused() -> None:
    with pytest.raises(ValueError, match=r"scout: expected a map .* got NaN at 1 of 20 cells"):
        look(picture(*LARGE), scout=NAN)


@pytest.mark.parametrize("where", ["before", "after"])
def test_infinite_relevance_is_last_and_first(where: str) -> None:
    never = torch.zeros(24, 32)
    never[:, :16] = -torch.inf
    never[20, 30] = torch.inf
    engine = attached("qwen3_vl", tokens=20, where=where, scout=never)
    box = engine.prepare([turn(picture(*LARGE), "?")]).images[0].choice.tokens.box[0]
    _, cols = engine.prepare([turn(picture(*LARGE), "?")]).images[0].layout.grid
    assert (box[:, 1] >= cols // 2).all()
    seen = look(picture(*LARGE), tokens=4, patch=8, method="grid", scout=never)
    assert [30.0 * 8, 20.0 * 8, 31.0 * 8, 21.0 * 8] in seen.to_json()["boxes"]
    assert all(left >= 16 * 8 for left, *_ in seen.to_json()["boxes"])


def test_whole_numbers_are_relevance_too() -> None:
    engine = attached("qwen3_vl", tokens=4, scout=torch.eye(24).int())
    assert len(engine.prepare([turn(picture(*LARGE), "?")]).images[0].choice.anchor) == 4


def test_a_processor_of_ones_own_class_is_taken() -> None:
    """What is not of transformers may be right: it is tried, not refused by its name."""
    tiny = loaded("qwen3_vl")
    parts = ("apply_chat_template", "image_processor", "tokenizer", "batch_decode")
    own = SimpleNamespace(**{name: getattr(tiny.processor, name) for name in parts})
    assert homunculus.attach(tiny.model, own).family.name == "qwen3_vl"
