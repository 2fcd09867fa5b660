"""What a method promises and what may be handed to it, ours or another package's."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from homunculus import Allocation, Field, Material, Relevance, Rule, get_method, list_methods
from homunculus.commands.main import main
from homunculus.engines.cells.allocate import TopK
from homunculus.engines.cells.lift import Lift, on_grid
from homunculus.engines.cells.methods import Method, all_methods, unavailable
from homunculus.engines.cells.testing import check_method
from homunculus.engines.families import plain_layout
from homunculus.engines.select import select
from homunculus_lab.methods.lifts import on_four_levels
from homunculus_lab.rivals import RIVALS
from homunculus_lab.rivals.encoder import Attention, EncoderMaterial

# ---- wrong arguments -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def refused() -> dict[str, list[str]]:
    """Error and message of every case, as a user gets them: without the test run's shape checks."""
    script = Path(__file__).with_name("refused.py")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


MESSAGES = {
    "one tuple of grids": (
        "TypeError: foveated: grids must be a list with one (rows, cols) per image, got (8, 8). "
        "For one image write [(rows, cols)]."
    ),
    "grids of three": "TypeError: foveated: grids must be a list with one (rows, cols) per image",
    "no list of grids": "TypeError: foveated: grids must be a list with one (rows, cols) per image",
    "grids of floats": (
        "TypeError: grid: rows and columns of a grid must be whole numbers, got (8.0, 8.0). "
        "Convert them with int()."
    ),
    "grids in a tensor": "TypeError: grid: rows and columns of a grid must be whole numbers",
    "no grids": "ValueError: foveated: needs at least one grid (rows, cols), got none. Give one",
    "no grids for levels": "ValueError: lift: needs at least one grid (rows, cols), got none.",
    "flat relevance": (
        "ValueError: grid: relevance needs shape (images, cells) = (1, 64), got (64,). "
        "Write relevance.reshape(1, 64)."
    ),
    "relevance as a map": "ValueError: foveated: relevance needs shape (images, cells) = (1, 64), "
    "got (1, 8, 8). Write relevance.reshape(1, 64).",
    "relevance of numpy": (
        "TypeError: grid: relevance must be a torch.Tensor, got ndarray. "
        "Convert it with torch.as_tensor(relevance)."
    ),
    "relevance in a list": "TypeError: grid: relevance must be a torch.Tensor, got list.",
    "no relevance": "TypeError: grid: relevance must be a torch.Tensor, got NoneType.",
    "too few cells": (
        "ValueError: cut: relevance needs shape (images, cells) = (1, 64), got (1, 60). "
        "Each image has a row, padded to the cells of the largest image."
    ),
    "too many images": "ValueError: cut: relevance needs shape (images, cells) = (1, 64), got (2",
    "spread of too few": "ValueError: lift: relevance needs shape (images, cells) = (1, 64), got",
    "bare logits": "TypeError: cut: relevance must be a Relevance, got Tensor. Use plan()",
    "feature of numpy": "TypeError: foveated: feature must be a torch.Tensor, got ndarray.",
    "flat feature": (
        "ValueError: foveated: feature needs shape (images, cells, channels) = (1, 64, ...), "
        "got (64, 3)."
    ),
    "label of another grid": "ValueError: foveated: label needs shape (images, cells) = (1, 64)",
    "energy of another batch": "ValueError: foveated: energy needs shape (images, cells, channels)",
    "bare feature": "TypeError: grid: material must be a Material, got Tensor. Write Material(",
    "slots of a float": "TypeError: grid: slots must be a whole number, got 10.5 (float). Give an",
    "slots of a bool": "TypeError: cut: slots must be a whole number, got True (bool). Give an int",
    "slots of a str": "TypeError: cut: slots must be a whole number, got '10' (str). Give an int.",
    "slots of none": "ValueError: cut: slots must be 1 or more, got 0",
    "a rule's slots": "TypeError: allocate: slots must be a whole number, got 10.5 (float).",
    "tokens of a float": "TypeError: Budget: tokens must be a whole number, got 64.0 (float).",
    "tokens of a bool": "TypeError: Budget: tokens must be a whole number, got True (bool).",
    "tokens of a str": "TypeError: Budget: tokens must be a whole number, got '64' (str).",
    "ratio of a str": "TypeError: Budget: ratio must be a number in (0, 1], got '0.5' (str).",
    "ratio of a bool": "TypeError: Budget: ratio must be a number in (0, 1], got True (bool).",
    "a number for a method": (
        "TypeError: get_method: name must be a str such as 'cut', got 3. `homunculus methods` "
    ),
    "a list for a method": (
        "TypeError: get_method: name must be a str such as 'cut', got ['cut']."
    ),
    "look with float tokens": "TypeError: look: tokens must be a whole number, got 64.0 (float).",
    "look with a float patch": "TypeError: look: patch must be a whole number, got 16.0 (float).",
    "look without a question": (
        'TypeError: look: question must be a str, got None (NoneType). Leave it "" to ask nothing.'
    ),
    "look with a number for a method": "TypeError: get_method: name must be a str such as",
    "a tuple for a plan": "TypeError: theirs: its rule must return an Allocation, got tuple.",
    "numpy in a plan": (
        "TypeError: theirs: its rule must return index, weight and valid as tensors, "
        "got index <class 'numpy.ndarray'>, weight <class 'torch.Tensor'>, valid"
    ),
    "weights of fewer": (
        "ValueError: theirs: its rule must fill exactly 10 slots per image: index and weight "
        "(1, 10, m), valid (1, 10); got index (1, 10, 1), weight (1, 5, 1), valid (1, 10). "
        "Return as many rows as the fullest image keeps; the others of an image are not valid."
    ),
    "valid of fewer": "ValueError: theirs: its rule must fill exactly 10 slots",
    "a plan without fan-in": "ValueError: theirs: its rule must fill exactly 10 slots",
    "a plan of nothing": "ValueError: theirs: its rule must fill exactly 10 slots",
    "a plan for two images": "ValueError: theirs: its rule must fill exactly 10 slots",
    "short integers": (
        "TypeError: theirs: its rule must return index as int64, weight as floats and valid as "
        "bool, got index torch.int32, weight torch.float32, valid torch.bool. Convert them with"
    ),
    "whole weights": "TypeError: theirs: its rule must return index as int64, weight as floats",
    "valid as numbers": "TypeError: theirs: its rule must return index as int64, weight as floats",
    "a plan elsewhere": (
        "ValueError: theirs: its rule must return tensors on the field's device cpu, "
        "got index meta, weight meta, valid meta. Create them with"
    ),
    "no field": "TypeError: theirs: its lift must return a Field, got NoneType.",
    "views of a number": (
        'TypeError: views: question must be a str, got 5 (int). Leave it "" to ask nothing.'
    ),
    "views of a list": "TypeError: views: question must be a str, got ['a', 'b'] (list).",
    "views with tokens of a str": "TypeError: views: tokens must be a whole number, got 'x' (str).",
    "views of no model": (
        "TypeError: model: expected a name such as 'claude', the side of a token in pixels, or a "
        "TokenRule, got None (NoneType). `homunculus cost` lists names."
    ),
    "views with a number for acuity": (
        "TypeError: acuity: expected a name (rapidocr, tesseract, vlm), a JSON file of `homunculus "
        "eyetest` or an Acuity, got 5 (int)."
    ),
    "views with a word for context": (
        "TypeError: views: context must be a number from 0 to 1, got 'a' (str). Give a float."
    ),
    "views with half a window": "ValueError: views: windows must be a whole number from 0 to 4",
    "views with one setting": "TypeError: views: settings must be names, got one str. Write ['det",
    "views of page x": "PictureError: page must be a whole number from 1, got 'x'. The first page",
    "views of page 0": "PictureError: page must be a whole number from 1, got 0. The first page is",
    "costs of half a token": "TypeError: costs: tokens must be a whole number, got 2.5 (float)",
    "costs of true tokens": "TypeError: costs: tokens must be a whole number, got True (bool)",
    "costs of no tokens": "ValueError: costs: tokens must be 1 or more, got 0",
    "views as legible as x": "TypeError: legible must be a number from 0 to 1, got 'x' (str).",
    "views up to half a token": "TypeError: views: cap must be a whole number, got 1.5 (float).",
    "views by a scout that is very sure": (
        "TypeError: scout unsure: sure must be a number from 0 to 1, got 'very' (str)."
    ),
    "look with a number for a fixation": (
        "ValueError: look: a fixation is x y, two finite numbers, got 5. Write (0.5, 0.5)."
    ),
    "a word for a setting": "ValueError: cut: hedge must be 0 (dive) or more (2 weighs by area), ",
    "slots of a word": "TypeError: Budget.slots: cells must be a whole number, got 'x' (str).",
    "certify numbers": (
        "TypeError: certify: field must be of class Field, got 5 (int). Both come from Method.plan"
    ),
    "pack a field alone": "TypeError: pack: allocation must be of class Allocation, got 2",
    "rewrite with tokens of a str": "TypeError: Rewriter: tokens must be a whole number, got 'x'",
    "rewrite a number": "TypeError: Rewriter.messages: expected a list of messages, got 5. Write",
}


@pytest.mark.parametrize("case", MESSAGES)
def test_a_wrong_argument_is_answered_with_a_fact_and_advice(
    case: str, refused: dict[str, list[str]]
) -> None:
    assert ": ".join(refused[case]).startswith(MESSAGES[case])


def test_every_case_of_the_script_is_checked(refused: dict[str, list[str]]) -> None:
    assert list(refused) == list(MESSAGES)


# ---- exactly K, whoever wrote the rule -----------------------------------------------------------

Change = Callable[[Field, Allocation], Allocation]


@dataclass(frozen=True)
class Changed(Rule):
    """A rule of another package: top-K with something done to it."""

    change: Change

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        return self.change(field, TopK()(field, relevance, slots))


def theirs(change: Change, lift: Lift = on_grid) -> Method:
    return Method("theirs", "top-K with a fault", Changed(change), lift)


def fewer_rows(field: Field, plan: Allocation) -> Allocation:
    return Allocation(plan.index[:, :5], plan.weight[:, :5], plan.valid[:, :5])


def fewer_valid(field: Field, plan: Allocation) -> Allocation:
    return replace(plan, valid=plan.valid & (torch.arange(plan.valid.shape[1]) < 5))


def test_a_rule_that_returns_five_of_fifty_slots_is_refused_by_name() -> None:
    fault = (
        r"^theirs: its rule must fill exactly 50 slots per image: index and weight "
        r"\(2, 50, m\), valid \(2, 50\); got index \(2, 5, 1\), weight \(2, 5, 1\), valid "
        r"\(2, 5\). Return as many rows"
    )
    with pytest.raises(ValueError, match=fault):
        theirs(fewer_rows).plan([(10, 10), (10, 10)], torch.zeros(2, 100), 50)


def test_the_shapes_are_checked_in_training_too() -> None:
    logit = torch.zeros(1, 100, requires_grad=True)
    with pytest.raises(ValueError, match="theirs: its rule must fill exactly 50 slots"):
        theirs(fewer_rows).plan([(10, 10)], logit, 50)


def test_an_engine_refuses_a_rule_that_marks_too_few_rows_valid() -> None:
    plan = theirs(fewer_valid).plan([(10, 10)], torch.zeros(1, 100), 50)[1]
    assert int(plan.valid.sum()) == 5, "nothing waits for the device to see this"
    fault = (
        r"^theirs: its rule must keep exactly \[50\] cells of these images, got \[5\]. homunculus"
    )
    for rows in (None, [torch.zeros(100, 4)]):
        with pytest.raises(ValueError, match=fault):
            select([plain_layout(10, 10)], [torch.zeros(10, 10)], [50], theirs(fewer_valid), rows)


def test_an_engine_still_fills_up_with_rows_that_are_no_cell() -> None:
    layout = replace(plain_layout(3, 3), rest=torch.arange(9, 13))
    (choice,) = select([layout], [torch.zeros(3, 3)], [11], get_method("grid"))
    assert choice.anchor.tolist() == list(range(11))


# ---- the checker for other packages --------------------------------------------------------------


@pytest.mark.parametrize("name", [*list_methods(), *RIVALS])
def test_our_own_methods_pass_the_check_we_offer(name: str) -> None:
    check_method(get_method(name), observed if name in RIVALS else None)


def observed(material: Material, chance: torch.Generator) -> EncoderMaterial:
    """The material with attention and two words, as an encoder would tell them."""
    shape = material.feature.shape[:2]
    late, key = torch.rand(shape, generator=chance), torch.rand(*shape, 3, generator=chance)
    question = torch.rand(*shape, 2, generator=chance)
    return EncoderMaterial(**vars(material), attention=Attention(late, key), question=question)


def one_cell(field: Field, plan: Allocation) -> Allocation:
    return replace(plan, index=plan.index * 0)


def padding(field: Field, plan: Allocation) -> Allocation:
    last = field.level.shape[1] - 1
    return replace(plan, index=(last - plan.index).clamp(min=0))


def heavy(field: Field, plan: Allocation) -> Allocation:
    return replace(plan, weight=plan.weight * 2)


def negative(field: Field, plan: Allocation) -> Allocation:
    weight = torch.cat((plan.weight * 2, -plan.weight), 2)
    return replace(plan, index=plan.index.repeat(1, 1, 2), weight=weight)


def by_chance(field: Field, plan: Allocation) -> Allocation:
    place = torch.rand(field.level.shape).argsort(1)[:, : plan.index.shape[1], None]
    return plan if len(field.grids) > 1 else replace(plan, index=place)


def by_batch(field: Field, plan: Allocation) -> Allocation:
    """Alone, an image's best cell is the one before; budgets for everything stay sound."""
    shift = len(field.grids) == 1 and plan.index.shape[1] < field.max_cells
    return replace(plan, index=(plan.index - int(shift)) % field.max_cells)


def coarse(field: Field, plan: Allocation) -> Allocation:
    rows = torch.arange(plan.index.shape[1]).expand(plan.index.shape[:2])
    return replace(plan, index=rows[..., None])


@pytest.mark.parametrize(
    ("change", "lift", "fault"),
    [
        (fewer_valid, on_grid, r"theirs, grids \[\(12, 9\)\], 40 slots, image 0: expected exactly "
         r"the first 40 rows valid, got 5 valid rows. Fill every slot, in order."),
        (one_cell, on_grid, "40 rows name only 1 different cells. Keep no cell twice."),
        (padding, on_grid, "image 1: index names cells that are not in the image."),
        (heavy, on_grid, "weights must be 0 or more and sum to 1 in each row, got sums 2 to 2."),
        (negative, on_grid, "weights must be 0 or more"),
        (by_chance, on_grid, "a second call gave another plan."),
        (by_batch, on_grid, "got other tokens in the batch than alone."),
        (coarse, on_four_levels, "but other cells or means were kept. Keep each level-0 cell"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_the_check_finds_a_rule_that_breaks_a_law(change: Change, lift: Lift, fault: str) -> None:
    with pytest.raises(AssertionError, match=fault):
        check_method(theirs(change, lift))


# ---- methods of other packages -------------------------------------------------------------------

RULES = """
from dataclasses import dataclass, replace

import torch

from homunculus import Method, Relevance, get_method
from homunculus import Rule
from homunculus.engines.cells.allocate import TopK
from homunculus.engines.cells.lift import on_grid


@dataclass(frozen=True)
class Last(Rule):
    def __call__(self, field, relevance, slots):
        at = torch.arange(field.level.shape[1]).float().expand(field.level.shape)
        return TopK()(field, Relevance(at), slots)


LAST = Method("last", "the last cells of an image", Last(), on_grid)
GRID = Method("grid", "a better grid, says its author", TopK(), on_grid)
"""

Offer = Callable[..., None]


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install a distribution with these entry points and modules, for the time of one test."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(package: str, points: dict[str, str], **modules: str) -> None:
        for name, source in modules.items():
            (tmp_path / f"{name}.py").write_text(source)
            monkeypatch.delitem(sys.modules, name, raising=False)
        folder = tmp_path / f"{package}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [f"{name} = {value}" for name, value in points.items()]
        (folder / "entry_points.txt").write_text("\n".join(["[homunculus.methods]", *lines, ""]))
        all_methods.cache_clear()

    yield install
    monkeypatch.undo()
    all_methods.cache_clear()
    list_methods()


def test_another_package_can_add_a_method(offer: Offer) -> None:
    offer("theirs", {"last": "their_rules:LAST"}, their_rules=RULES)
    assert "last" in list_methods()
    _, plan = get_method("last").plan([(2, 3)], torch.zeros(1, 6), 2)
    assert plan.index[0, :, 0].tolist() == [5, 4]
    assert unavailable() == ()


BROKEN = {
    "raises": ("their_raise:ANY", "RuntimeError: no licence"),
    "exits": ("their_exit:ANY", "SystemExit: 3"),
    "missing": ("their_import:ANY", "ModuleNotFoundError: No module named 'not_there'"),
    "nowhere": ("their_nowhere:ANY", "ModuleNotFoundError: No module named 'their_nowhere'"),
    "nameless": ("their_rules:NOTHING", "AttributeError: module 'their_rules' has no"),
    "no-method": ("their_rules:Last", "homunculus.Method or a list of them, got type"),
    "their-grid": (
        "their_rules:GRID",
        "ValueError: there is already a method 'grid', rename yours",
    ),
}
MODULES = {
    "their_rules": RULES,
    "their_raise": "raise RuntimeError('no licence')",
    "their_exit": "raise SystemExit(3)",
    "their_import": "import not_there",
}


@pytest.mark.parametrize("name", BROKEN)
def test_one_broken_entry_point_leaves_the_others_working(name: str, offer: Offer) -> None:
    value, reason = BROKEN[name]
    ours = set(list_methods())
    offer("broken", {name: value}, **MODULES)
    offer("sound", {"last": "their_rules:LAST"})
    with pytest.warns(RuntimeWarning) as warned:
        table = list_methods()
    (message,) = [str(one.message) for one in warned]
    assert message.startswith(f"entry point {name!r} of broken ({value}) could not be loaded: ")
    assert reason in message
    assert message.endswith(". Update or uninstall broken.")
    assert set(table) == ours | {"last"}
    assert get_method("grid").about == "the K most relevant cells"
    assert get_method("last").plan([(2, 3)], torch.zeros(1, 6), 2)[1].index[0, :, 0].tolist() == [
        5,
        4,
    ]
    with pytest.raises(ValueError, match="no method") as refused:
        get_method(name)
    assert refused.value.args == (f"no method {name!r}: {message}",)


def test_the_command_lists_the_rest_and_names_the_broken_on_stderr(
    offer: Offer, capsys: pytest.CaptureFixture[str]
) -> None:
    offer("broken", {name: value for name, (value, _) in BROKEN.items()}, **MODULES)
    offer("sound", {"last": "their_rules:LAST"})
    assert main(["methods", "--json"]) == 0
    seen = capsys.readouterr()
    names = [row["name"] for row in json.loads(seen.out)["methods"]]
    assert {"grid", "foveated", "last"} <= set(names)
    lines = seen.err.splitlines()
    assert len(lines) == len(BROKEN)
    for line, (name, (value, reason)) in zip(sorted(lines), sorted(BROKEN.items()), strict=True):
        assert line.startswith(f"homunculus methods: entry point {name!r} of broken ({value}) ")
        assert reason in line


def test_showing_with_a_broken_method_says_why(
    offer: Offer, capsys: pytest.CaptureFixture[str]
) -> None:
    offer("broken", {"raises": "their_raise:ANY"}, **MODULES)
    with pytest.warns(RuntimeWarning, match="no licence"):
        assert main(["show", "unread.png", "--method", "raises"]) == 2
    assert "homunculus show: no method 'raises': entry point" in capsys.readouterr().err
