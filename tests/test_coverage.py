"""Certificates: equal to trying every pair of cells; a cut is certified to see everything."""

import pytest
import torch
from hypothesis import assume

from cases import Case, law, planned
from homunculus import Allocation, Method, certify, list_methods
from homunculus.engines.cells import lift
from oracles import seen

METHODS = list(list_methods().values())


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@law(images=2)
def test_certificates_equal_brute_force(method: Method, case: Case) -> None:
    assume(case.most <= 400)
    field, plan = planned(method, case)
    certificate = certify(field, plan)
    for image, grid in enumerate(case.grids):
        cells = seen.seen_cells(field, plan, image)
        assert certificate.covered[image] == pytest.approx(len(cells) / (grid[0] * grid[1]))
        assert certificate.gap[image] == pytest.approx(seen.gap(grid, cells), abs=1e-5)
        assert certificate.fewest[image] == seen.fewest(field, plan, image)


@pytest.mark.parametrize("name", ["cut", "foveated", "clusters", "oracle", "shuffled", "pool"])
@law(images=3)
def test_cuts_and_blocks_see_everything(name: str, case: Case) -> None:
    certificate = certify(*planned(list_methods()[name], case))
    assert (certificate.covered == 1).all()
    assert (certificate.gap == 0).all()
    if name != "pool":  # a part is counted by a slot's main cell, and a block has many
        assert (certificate.fewest >= 1).all()


def test_one_cell_in_the_corner_leaves_a_gap_of_the_diagonal() -> None:
    field = lift.grid([(4, 5)])
    one = torch.ones(1, 1, 1)
    certificate = certify(field, Allocation(one.long() * 0, one, one[..., 0].bool()))
    assert certificate.covered.item() == pytest.approx(1 / 20)
    assert certificate.gap.item() == 5.0  # 3 down, 4 across
    assert certificate.fewest.item() == 0


def test_a_coarse_cell_covers_what_is_below_it() -> None:
    field = lift.pyramid([(4, 4)], 3)
    at = torch.tensor([[[1], [4]]])  # two opposite quarters
    certificate = certify(field, Allocation(at, torch.ones(1, 2, 1), torch.ones(1, 2).bool()))
    assert certificate.covered.item() == 0.5
    assert certificate.gap.item() == pytest.approx(2.0)
    assert certificate.fewest.item() == 0
