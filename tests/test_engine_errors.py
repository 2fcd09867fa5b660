"""What is refused, and in which words; and settings that are saved and read back."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

import homunculus
from engine_help import FAMILIES, LARGE, MARK, attached, loaded, picture, turn
from homunculus import Sight
from homunculus.engines import families as table
from homunculus.engines.transformers.setting import Setting
from tiny import hub, load

pytestmark = MARK
ASK = turn(picture(*LARGE), "What is it?")


@pytest.fixture
def tiny() -> SimpleNamespace:
    return loaded("qwen3_vl")


def test_an_unknown_family_is_told_which_there_are() -> None:
    hub()
    model: Any = nn.Linear(1, 1)
    model.config = SimpleNamespace(model_type="blip")
    with pytest.raises(ValueError, match="no model family 'blip'") as error:
        homunculus.attach(model, None)
    assert all(name in str(error.value) for name in FAMILIES)
    with pytest.raises(TypeError, match="expected a loaded model of transformers, got Linear"):
        homunculus.attach(nn.Linear(1, 1), None)


@pytest.mark.parametrize("version", ["4.57.1", "5.17.0", "5.9"])
def test_an_old_transformers_is_told_what_to_install(
    tiny: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setattr(hub(), "__version__", version)
    with pytest.raises(ImportError, match=rf"5\.18 or newer, got {version}.*transformers>=5\.18"):
        homunculus.attach(tiny.model, tiny.processor)


@pytest.mark.parametrize("version", ["5.18.0", "5.20.0.dev0", "6.0"])
def test_a_newer_transformers_is_taken(
    tiny: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setattr(hub(), "__version__", version)
    homunculus.attach(tiny.model, tiny.processor)


def test_a_family_that_cannot_be_cut_before_its_encoder_says_so() -> None:
    with pytest.raises(ValueError, match=r"llava cannot be cut before its encoder, .*qwen3_vl"):
        attached("llava", where="before")
    assert attached("llava", where="auto").setting.where == "after"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("tokens", 0, "tokens must be 1 or more, got 0"),
        ("tokens", 2.5, "tokens must be a whole number, got 2.5"),
        ("where", "beside", "where must be before or after, got 'beside'"),
        ("fast", "no", "fast must be True or False, got 'no'"),
    ],
)
def test_a_wrong_setting_says_what_is_right(name: str, value: Any, words: str) -> None:
    setting = Setting(tokens=7, method="cut", where="after")
    object.__setattr__(setting, name, value)  # past the checks of shapes that only tests have
    with pytest.raises((TypeError, ValueError), match=words):
        setting.__post_init__()


def test_an_unknown_method_is_told_the_nearest(tiny: SimpleNamespace) -> None:
    with pytest.raises(ValueError, match="Did you mean 'foveated'"):
        homunculus.attach(tiny.model, tiny.processor, method="foveate")


# ---- messages ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], "expected messages with a role and a content, got none"),
        (
            [{"role": "user", "content": [{"type": "video", "video": "a.mp4"}]}],
            "got 'video'.*frames",
        ),
        ([{"role": "user", "content": [{"type": "image"}]}], "an image part needs `image`"),
    ],
)
def test_messages_that_cannot_be_shown_are_refused(messages: list[Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        attached("qwen3_vl").prepare(messages)


@pytest.mark.parametrize("shape", [(9,), (1, 9, 9), (1, 1, 9, 9)])
def test_relevance_is_a_map(shape: tuple[int, ...]) -> None:
    engine = attached("qwen3_vl", scout=lambda *_: Sight(torch.zeros(shape), sure=1.0))
    with pytest.raises(
        ValueError,
        match="scout <lambda>: expected a map of rows x cols, a number for each cell, got",
    ):
        engine.prepare([ASK])


@pytest.mark.parametrize("shape", [(1, 1), (3, 200), (200, 3), (7, 7)])
def test_a_map_may_have_any_size(shape: tuple[int, int]) -> None:
    engine = attached("qwen3_vl", tokens=40, scout=lambda *_: Sight(torch.rand(shape), sure=1.0))
    assert len(engine.prepare([ASK]).images[0].choice.anchor) == 40


class Short:
    """A processor that cuts the prompt."""

    def __init__(self, real: Any) -> None:
        self.real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def apply_chat_template(self, *messages: Any, **options: Any) -> Any:
        inputs = self.real.apply_chat_template(*messages, **options)
        for name in ("input_ids", "attention_mask"):
            inputs[name] = inputs[name][:, :100]
        return inputs


def test_a_prompt_that_was_cut_short_is_refused() -> None:
    it = loaded("llava")
    engine = attached(SimpleNamespace(model=it.model, processor=Short(it.processor)))
    with pytest.raises(ValueError, match=r"its images 144 rows.*do not cut the prompt short"):
        engine.prepare([ASK])


def test_a_call_without_a_cache_is_refused_where_it_would_be_wrong() -> None:
    with pytest.raises(ValueError, match="Leave out use_cache=False"):
        attached("llava", tokens=40).chat([ASK], use_cache=False)


def test_a_picture_may_be_a_path_bytes_or_of_another_mode(tmp_path: Path) -> None:
    engine = attached("qwen3_vl", tokens=40)
    image = picture(*LARGE)
    path = tmp_path / "image.png"
    image.save(path)
    sources = [image, path, str(path), path.read_bytes(), image.convert("RGBA")]
    rows = [
        engine.prepare([turn(one, "?")]).images[0].choice.embed for one in map(wrapped, sources)
    ]
    assert all(torch.equal(one, rows[0]) for one in rows)


def wrapped(source: Any) -> Any:
    """A path as a word would be taken for text by `turn`."""
    return Path(source) if isinstance(source, str) else source


# ---- families ------------------------------------------------------------------------------------


def test_a_row_in_the_table_is_all_that_a_family_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny, row = load("gemma3"), table.FAMILIES["gemma3"]
    tiny.model.config.model_type = "theirs"
    with pytest.raises(ValueError, match="no model family 'theirs'"):
        homunculus.attach(tiny.model, tiny.processor)

    monkeypatch.setitem(table.FAMILIES, "theirs", table.Family("theirs", row.layouts))
    engine = homunculus.attach(tiny.model, tiny.processor, tokens=20, method="grid")
    assert engine.setting.where == "after"
    answer = engine.generate(picture(*LARGE), "What is it?", max_new_tokens=1)
    assert len(answer.images[0].choice.anchor) == 20
