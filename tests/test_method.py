"""The table of methods: names, budgets, fixations."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from cases import Case, planned, same
from homunculus import Budget, Material, get_method, list_methods
from homunculus.engines.cells import lift
from homunculus_lab.methods import shuffled

AIMED = ["foveated", "log-polar", "pseudo-log-polar", "shuffled"]


# ---- budget --------------------------------------------------------------------------------------


@given(tokens=st.integers(1, 5000), cells=st.integers(1, 5000))
def test_a_budget_of_tokens_is_that_many_or_every_cell(tokens: int, cells: int) -> None:
    assert Budget(tokens=tokens).slots(cells) == min(tokens, cells)


@example(percent=29, cells=100)  # in floats .29 x 100 is less than 29
@given(percent=st.integers(1, 100), cells=st.integers(1, 5000))
def test_a_budget_by_ratio_is_the_whole_cells_in_it_and_never_none(
    percent: int, cells: int
) -> None:
    assert Budget(ratio=percent / 100).slots(cells) == max(1, percent * cells // 100)


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ({}, r"tokens.*ratio.*None.*None"),
        ({"tokens": 5, "ratio": 0.5}, r"tokens.*ratio.*5.*0\.5"),
        ({"tokens": 0}, "tokens must be 1 or more, got 0"),
        ({"tokens": -3}, "tokens must be 1 or more, got -3"),
        ({"ratio": 0.0}, r"ratio must be in \(0, 1\], got 0.0"),
        ({"ratio": 1.5}, r"ratio must be in \(0, 1\], got 1.5"),
        ({"ratio": float("nan")}, r"ratio must be in \(0, 1\], got nan"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(budget: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Budget(**budget)


# ---- the table -----------------------------------------------------------------------------------


def test_every_method_stands_under_its_own_name_and_says_what_it_does() -> None:
    for name, found in list_methods().items():
        assert found.name == name == name.lower().replace("_", "-").replace(" ", "-")
        assert 10 < len(found.about) < 80
        assert found is get_method(name)


def test_the_designs_methods_and_controls_are_there() -> None:
    asked = {
        "grid", "stratified", "adaptive-strata", "pyramid", "pyramid-shares", "cut", "clusters",
        "foveated", "windows", "log-polar", "pseudo-log-polar", "frequency", "atlas",
    }  # fmt: skip
    controls = {"random", "uniform", "centre", "pool", "resize", "saliency", "shuffled", "oracle"}
    assert asked | controls <= set(list_methods())
    assert {name for name in asked | controls if list_methods()[name].control} == controls


def test_an_unknown_method_is_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"no method 'foveate'. Did you mean 'foveated'\?"):
        get_method("foveate")
    with pytest.raises(
        ValueError,
        match=f"no method 'zzz'. `homunculus methods` lists all {len(list_methods()) + 8}",
    ):
        get_method("zzz")


def test_methods_that_never_look_ignore_relevance() -> None:
    case = Case(((9, 11), (6, 6)), 20)
    for found in list_methods().values():
        if found.source == "nothing":
            plan = planned(found, case)[1]
            assert same(plan, planned(found, case, -case.logit())[1]), found.name


def test_methods_that_look_do_not_ignore_relevance() -> None:
    case = Case(((9, 11), (12, 13)), 20)
    turned = -case.logit()
    for found in list_methods().values():
        if found.source != "nothing":
            assert not same(planned(found, case)[1], planned(found, case, turned)[1]), found.name


def test_the_shuffled_control_is_its_base_asked_another_question() -> None:
    case = Case(((9, 11), (6, 6)), 20)
    base = get_method("cut")
    control = shuffled(base)
    assert control.name == "shuffled-cut"
    assert get_method("shuffled").about.startswith("foveated")
    assert (control.control, control.source) == (True, "another question")
    assert same(planned(control, case)[1], planned(base, case)[1])
    assert (base.control, base.source) == (False, "question")


@pytest.mark.parametrize(
    ("name", "need", "part"),
    [
        ("clusters", "features", "feature"),
        ("atlas", "regions", "label"),
        ("frequency", "bands", "energy"),
    ],
)
def test_a_method_without_what_it_needs_refuses_and_is_no_other_method(
    name: str, need: str, part: str
) -> None:
    case = Case(((20, 20),), 30)
    told = rf"^{name} needs {need} of the image, got none. Pass Material\({part}=...\)"
    bare = replace(case.material(), **{part: None})
    with pytest.raises(ValueError, match=told):
        get_method(name).plan(case.grids, case.logit(), case.slots, bare)
    with pytest.raises(ValueError, match=told):
        get_method(name).field(case.grids, case.slots)


def test_what_a_method_needs_changes_what_it_keeps_and_what_it_does_not_need_does_not() -> None:
    case = Case(((20, 20),), 30)
    parts = {"feature": "features", "label": "regions", "energy": "bands"}
    for found in list_methods().values():
        for part, need in parts.items():
            turned = replace(case.material(), **{part: getattr(case.material(), part).flip(1)})
            moved = not same(planned(found, case)[1], planned(found, case, None, turned)[1])
            # `random` draws by the content where there is one, and does without
            assert moved == (need in found.needs) or (found.name, part) == ("random", "feature")


def test_a_lift_without_what_it_needs_refuses_where_its_method_does_not_say_so() -> None:
    words = {"clusters": "need features", "atlas": "need labels", "frequency": "need energies"}
    for name, said in words.items():
        with pytest.raises(ValueError, match=said):
            replace(get_method(name), needs=frozenset()).field([(4, 4)], 4)


def test_all_background_is_seen_block_by_block() -> None:
    logit = torch.randn(1, 400, generator=torch.Generator().manual_seed(0))
    nowhere = Material(label=torch.full((1, 400), -1))
    field, plan = get_method("atlas").plan([(20, 20)], logit, 30, nowhere)
    assert int((field.level == 1).sum()) == 9
    block = field.parent[0, plan.index[0, :, 0]]
    assert block.unique().numel() == 9


def test_a_plan_is_a_field_spread_relevance_and_an_allocation() -> None:
    case = Case(((9, 11), (6, 6)), 20)
    for found in list_methods().values():
        field = found.field(case.grids, case.slots, case.material())
        by_hand = found.allocate(field, lift.spread(field, case.logit()), case.slots)
        assert same(found.plan(case.grids, case.logit(), case.slots, case.material())[1], by_hand)


# ---- fixations -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", AIMED)
def test_an_aimed_method_looks_where_it_is_told(name: str) -> None:
    logit = torch.zeros(2, 40 * 40)
    logit[:, 0] = 2.0
    fixation = torch.tensor([[[30.5, 30.5]], [[5.5, 20.5]]])
    found = get_method(name).aimed(fixation)
    field, plan = found.plan([(40, 40)] * 2, logit, 64)
    for image in range(2):
        away = field.box[image, plan.index[image, :, 0]].view(-1, 2, 2).mean(1) - fixation[image]
        near = (away.norm(dim=1) < 6) & (field.level[image, plan.index[image, :, 0]] == 0)
        assert near.sum() >= 8
    unaimed = get_method(name).plan([(40, 40)] * 2, logit, 64)[1]
    assert not same(plan, unaimed)
    assert found.name == name


@pytest.mark.parametrize("name", AIMED)
def test_an_aimed_image_in_a_batch_gets_what_it_gets_alone(name: str) -> None:
    case = Case(((9, 30), (16, 16), (7, 5)), 40)
    fixation = torch.tensor([[[4.0, 29.5]], [[8.0, 8.25]], [[0.0, 0.0]]])
    logit = case.logit()
    _, plan = get_method(name).aimed(fixation).plan(case.grids, logit, case.slots)
    for image, cells in enumerate(case.cells):
        here = slice(image, image + 1)
        aimed = get_method(name).aimed(fixation[here])
        _, lone = aimed.plan(case.grids[here], logit[here, :cells], case.slots)
        count = lone.valid.shape[1]
        assert torch.equal(plan.index[here, :count], lone.index)
        assert torch.equal(plan.weight[here, :count], lone.weight)


def test_a_method_without_a_fixation_says_so() -> None:
    with pytest.raises(ValueError, match="grid has no fixation"):
        get_method("grid").aimed(torch.zeros(1, 1, 2))


# ---- training ------------------------------------------------------------------------------------


def test_training_pulls_up_the_relevance_of_a_cell_that_should_weigh_more() -> None:
    logit = torch.zeros(1, 16, requires_grad=True)
    feature = torch.zeros(1, 16, 1)
    feature[0, 2] = 1.0
    found = get_method("grid")
    field, plan = found.plan([(4, 4)], logit, 4, Material(feature=feature))
    wanted = plan.weight[0, plan.index[0, :, 0] == 2].sum()
    (gradient,) = torch.autograd.grad(wanted, logit)
    assert gradient[0, 2] > 0
    assert (gradient[0, [0, 1, 3, 15]] < 0).all()
    assert field.feature is not None
