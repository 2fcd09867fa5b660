"""The laws every method obeys, tried on all of them: a new line in the table is found by itself."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from cases import BIG, Case, alone, law, picked, planned, reads, same, small
from homunculus import Allocation, Field, Method, Relevance, list_methods
from homunculus.engines.cells import lift
from homunculus.engines.cells.pack import pack
from homunculus_lab.rivals import RIVALS
from homunculus_lab.rivals.encoder import Attention

METHODS = [*list_methods().values(), *RIVALS.values()]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
LEARNABLE = [method for method in METHODS if method.source not in ("nothing", "model")]


def check_sound(method: Method, field: Field, plan: Allocation, case: Case) -> None:
    """Exactly the count, first in their row, convex, of the image's own cells, none twice."""
    promised = torch.tensor([method.count(grid, case.slots) for grid in case.grids])
    most = torch.tensor([min(case.slots, cells) for cells in case.cells])
    assert torch.equal(promised, most) or (method.name == "resize" and (promised <= most).all())
    rows = plan.valid.shape[1]
    assert rows == promised.max()
    assert torch.equal(plan.valid, torch.arange(rows) < promised[:, None])
    assert plan.weight.isfinite().all()
    assert (plan.weight >= 0).all()
    total = plan.weight.sum(2)
    assert torch.allclose(total[plan.valid], torch.tensor(1.0), rtol=0, atol=1e-6)
    assert (total[~plan.valid] == 0).all()
    assert plan.index.min() >= 0
    assert plan.index.max() < field.valid.shape[1]
    assert field.valid.gather(1, plan.index.flatten(1))[:, : promised.min()].all()
    for image, count in enumerate(promised.tolist()):
        index = plan.index[image, :count]
        assert field.valid[image, index].all()
        if plan.index.shape[2] == 1:
            assert len(set((index // field.copies).flatten().tolist())) == count


@every_method
@law()
def test_every_image_gets_exactly_its_slots_and_sound_weights(method: Method, case: Case) -> None:
    field, plan = planned(method, case)
    check_sound(method, field, plan, case)
    assert same(plan, planned(method, case)[1]), "the same call twice must give the same"


@every_method
@pytest.mark.parametrize("case", BIG, ids=lambda case: "+".join(f"{r}x{c}" for r, c in case.grids))
def test_large_images_and_strips_obey_too(method: Method, case: Case) -> None:
    case = small(case, side=160, cells=400) if method.source == "model" else case
    check_sound(method, *planned(method, case), case)


@every_method
@law(images=3)
def test_an_image_in_a_batch_gets_what_it_gets_alone(method: Method, case: Case) -> None:
    field, plan = planned(method, case)
    tokens = pack(field, plan)
    for image in range(len(case.grids)):
        single, logit, material = alone(case, image)
        lone_field, lone = planned(method, single, logit, material)
        count = lone.valid.shape[1]
        assert reads(plan, image) == reads(lone, 0)
        if plan.index.shape[2] == lone.index.shape[2]:
            assert torch.equal(plan.index[image, :count], lone.index[0])
            assert torch.equal(plan.weight[image, :count], lone.weight[0])
        packed = pack(lone_field, lone)
        for name in ("embed", "position", "box", "level"):
            ours, theirs = getattr(tokens, name)[image, :count], getattr(packed, name)[0]
            assert torch.equal(ours, theirs), name


@every_method
@law(order=(st.permutations(range(4)), [2, 0, 3, 1]))
def test_permuting_images_permutes_results(method: Method, case: Case, order: list[int]) -> None:
    order = [image for image in order if image < len(case.grids)]
    turned = replace(case, grids=tuple(case.grids[image] for image in order))
    material = picked(case.material(), order)
    plan = planned(method, case)[1]
    moved = planned(method, turned, case.logit()[order], material)[1]
    assert same(Allocation(plan.index[order], plan.weight[order], plan.valid[order]), moved)


@every_method
@law(step=(st.integers(-16, 16).filter(bool) | st.sampled_from((-2000, 2000)), 2000))
def test_adding_a_constant_to_all_logits_changes_nothing(
    method: Method, case: Case, step: int
) -> None:
    plan = planned(method, case)[1]
    assert same(plan, planned(method, case, case.logit() + step / 2)[1])


ROUNDED = [  # 3 columns: means of coarse cells are thirds, and some of them tie
    ((6, 3), 10, 0.5, "133230113422411401"),
    ((9, 3), 20, 1.0, "000111001022010222022010220"),
]


@every_method
@pytest.mark.parametrize(("grid", "slots", "step", "halves"), ROUNDED)
def test_a_constant_changes_nothing_where_means_are_rounded(
    method: Method, grid: tuple[int, int], slots: int, step: float, halves: str
) -> None:
    logit = torch.tensor([[int(half) * step for half in halves]])
    material = Case((grid,), slots).material()
    plan = method.plan([grid], logit, slots, material)[1]
    assert same(plan, method.plan([grid], logit + step, slots, material)[1])


@every_method
@law()
def test_float32_and_bfloat16_relevance_agree(method: Method, case: Case) -> None:
    field = method.field(case.grids, case.slots, case.material())
    half = method.plan(case.grids, case.logit().bfloat16(), case.slots, case.material())[1]
    assert torch.equal(case.logit().bfloat16().float(), case.logit())
    assert same(half, method.plan(case.grids, case.logit(), case.slots, case.material())[1])
    raw = lift.spread(field, case.logit()).logit.bfloat16()
    whole = method.allocate(field, Relevance(raw.float()), case.slots)
    assert same(method.allocate(field, Relevance(raw), case.slots), whole)


@every_method
@law(images=2, extra=(st.integers(0, 5), 0))
def test_a_budget_for_everything_keeps_every_finest_cell_once(
    method: Method, case: Case, extra: int
) -> None:
    case = replace(case, slots=case.most + extra)
    field, plan = planned(method, case)
    check_sound(method, field, plan, case)
    for image, cells in enumerate(case.cells):
        index = plan.index[image, :cells, 0]
        assert (plan.weight[image, :cells, 0] == 1).all()
        assert (field.level[image, index] == 0).all()
        box = field.box[image, index]
        assert torch.equal(box[:, 2:] - box[:, :2], torch.ones(cells, 2))
        corner = {(int(row), int(col)) for row, col in box[:, :2].tolist()}
        assert len(corner) == cells
    tokens = pack(field, plan)
    assert tokens.embed is not None
    for image, cells in enumerate(case.cells):
        assert torch.equal(tokens.embed[image, :cells], case.feature()[image, :cells])


def wounded(case: Case, values: tuple[float, ...], share: int = 3) -> Tensor:
    """Relevance with every ``share``-th cell, by lot, replaced by one of the values."""
    logit = case.logit()
    lot = torch.randint(0, share * len(values), logit.shape, generator=case.chance(4))
    for place, value in enumerate(values):
        logit[lot == place] = value
    return logit


@every_method
@law()
def test_broken_relevance_still_buys_exactly_k_sound_slots(method: Method, case: Case) -> None:
    logit = wounded(case, (torch.nan, -torch.inf, torch.inf))
    field, plan = planned(method, case, logit)
    check_sound(method, field, plan, case)
    hopeless = logit.masked_fill(logit.isnan(), -torch.inf)
    assert same(plan, planned(method, case, hopeless)[1]), "NaN must mean the same as -inf"
    for value in (torch.nan, torch.inf, -torch.inf):
        check_sound(method, *planned(method, case, torch.full_like(logit, value)), case)


@every_method
@law()
def test_rules_take_broken_logits_on_any_cell_of_the_field(method: Method, case: Case) -> None:
    field = method.field(case.grids, case.slots, case.material())
    shape = field.level.shape
    broken = torch.randint(0, 9, shape, generator=case.chance(5)).float()
    broken = broken.masked_fill(broken == 0, torch.nan).masked_fill(broken == 1, -torch.inf)
    hopeless = broken.masked_fill(broken.isnan(), -torch.inf)
    plan = method.allocate(field, Relevance(broken), case.slots)
    check_sound(method, field, plan, case)
    assert same(plan, method.allocate(field, Relevance(hopeless), case.slots))
    endless = broken.masked_fill(broken == 2, torch.inf)
    check_sound(method, field, method.allocate(field, Relevance(endless), case.slots), case)


@every_method
@law(value=(st.sampled_from([torch.nan, torch.inf, -torch.inf, 1e30, -1e30]), torch.nan))
def test_what_stands_in_the_padding_changes_nothing(
    method: Method, case: Case, value: float
) -> None:
    field, plan = planned(method, case)
    padding = torch.arange(case.most) >= torch.tensor(case.cells)[:, None]
    material = replace(
        case.material(),
        feature=case.feature().masked_fill(padding[..., None], value),
        label=case.label().masked_fill(padding, 2),
        energy=case.energy().masked_fill(padding[..., None], value),
        attention=Attention(
            case.attention().late.masked_fill(padding, value),
            case.attention().key.masked_fill(padding[..., None], value),
            case.attention().first.masked_fill(padding, value),
            case.attention().tile.masked_fill(padding, 9),
        ),
        question=case.question().masked_fill(padding[..., None], value),
    )
    other, dirty = planned(method, case, case.logit().masked_fill(padding, value), material)
    assert same(plan, dirty)
    clean, soiled = pack(field, plan), pack(other, dirty)
    assert clean.embed is not None
    assert soiled.embed is not None
    assert torch.equal(clean.embed[clean.valid], soiled.embed[clean.valid])
    raw = lift.spread(field, case.logit()).logit.masked_fill(~field.valid, value)
    assert same(plan, method.allocate(field, Relevance(raw), case.slots))


@pytest.mark.parametrize("method", LEARNABLE, ids=lambda method: method.name)
@given(seed=st.integers(0, 99), slots=st.integers(6, 24))
def test_gradients_reach_relevance_and_values_stay(method: Method, seed: int, slots: int) -> None:
    case = Case(((6, 7), (5, 5), (9, 4)), slots, seed)
    logit = case.logit().requires_grad_()
    field, plan = planned(method, case, logit)
    bare = planned(method, case)[1]
    assert torch.equal(plan.index, bare.index)
    assert torch.equal(plan.weight, bare.weight), "training must not change a weight's value"
    embed = pack(field, plan).embed
    assert embed is not None
    (gradient,) = torch.autograd.grad(embed.square().sum(), logit)
    assert gradient.isfinite().all()
    assert (gradient != 0).flatten(1).any(1)[torch.tensor(case.cells) > slots].all()


@every_method
def test_sixty_four_mixed_images_fit_in_one_batch(method: Method) -> None:
    chance = torch.Generator().manual_seed(64)
    size = torch.randint(1, 24, (64, 2), generator=chance).tolist()
    case = Case(tuple((rows, cols) for rows, cols in size), 60)
    case = small(case, 9, 60) if method.source == "model" else case
    field, plan = planned(method, case)
    check_sound(method, field, plan, case)
    single, logit, material = alone(case, 40)
    assert reads(plan, 40) == reads(planned(method, single, logit, material)[1], 0)


@every_method
def test_two_threads_decide_as_one(method: Method) -> None:
    case = Case(((181, 182),), 300, seed=3)  # just over what one thread takes at a time
    if method.source == "model":  # they multiply matrices, of which less is shared out already
        case = Case(((33, 40),), 30, seed=3)
    one = planned(method, case)[1]
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        two = planned(method, case)[1]
    finally:
        torch.set_num_threads(threads)
    assert same(one, two)


class Largest(TorchDispatchMode):
    """Notes the most elements any tensor made under it has."""

    elements = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for made in result if isinstance(result, tuple | list) else (result,):
            if isinstance(made, Tensor) and made.untyped_storage().nbytes():
                self.elements = max(self.elements, made.untyped_storage().nbytes() // made.itemsize)
        return result


@every_method
def test_no_tensor_grows_with_cells_times_slots(method: Method) -> None:
    case = Case(((256, 256), (256, 256)), 4096)
    if method.source == "model":
        case = Case(((32, 64), (64, 32)), 512)
    if method.name == "mmtok":
        pytest.skip("its coverage is a matrix of cells by cells, as its paper has it")
    logit, material = case.logit(), case.material()
    with Largest() as largest:
        field, plan = method.plan(case.grids, logit, case.slots, material)
        pack(field, plan)
    assert largest.elements < 64 * sum(case.cells)  # cells x slots would be 4096 times the cells
    assert largest.elements >= sum(case.cells)


def test_the_memory_law_can_fail() -> None:
    with Largest() as largest:
        torch.zeros(50, 1) == torch.zeros(1, 60)  # noqa: B015
    assert largest.elements == 3000
