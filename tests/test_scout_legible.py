"""Relevance by level: coarser is never better, legible text asks no more, blank cells for all."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from homunculus import lift
from homunculus.allocate.refine import BestFirst
from homunculus.scout.legible import LEAST, legibility, staged


@given(st.lists(st.floats(0.5, 200), min_size=2, max_size=20))
def test_taller_text_is_never_harder_to_read(heights: list[float]) -> None:
    read = legibility(torch.tensor(sorted(heights)))
    assert (read.diff() >= 0).all()
    assert ((read >= 0) & (read <= 1)).all()


@given(height=st.floats(1, 120), logit=st.floats(-20, 0))
def test_leaving_a_cell_coarser_is_worth_mending_at_least_as_much(
    height: float, logit: float
) -> None:
    maps = staged(torch.full((1, 1), logit), torch.full((1, 1), height), 6)
    assert (maps[:, 0, 0].diff() >= 0).all()
    assert (maps <= logit + 1e-6).all()


def test_text_that_reads_already_is_worth_little_more_and_a_blank_cell_all() -> None:
    logit, height = torch.zeros(1, 3), torch.tensor([[80.0, 8.0, 0.0]])
    maps = staged(logit, height, 4).exp()
    assert maps[2, 0, 0] < 2 * LEAST, "20 kept pixels are enough"
    assert maps[2, 0, 1] > 0.5, "2 are not"
    assert (maps[:, 0, 2] == 1).all()


def test_a_cut_leaves_large_print_coarse_and_goes_on_to_the_small() -> None:
    """Two lines as likely: the large one is left at 4 cells, the small one gets single ones."""
    logit = torch.full((16, 16), -9.0)
    height = torch.zeros(16, 16)
    logit[2:4, :8], height[2:4, :8] = 0.0, 60.0
    logit[12:13, 8:], height[12:13, 8:] = 0.0, 11.0
    field = lift.pyramid([(16, 16)], 4)
    maps = staged(logit, height, 4).flatten(1)[None]
    plan = BestFirst(hedge=0.0)(field, lift.staged(field, maps), 28)
    kept = plan.index[0, :, 0]
    box, level = field.box[0][kept], field.level[0][kept]
    large = level[(box[:, 0] < 4) & (box[:, 2] > 2) & (box[:, 1] < 8)]
    small = level[(box[:, 0] <= 12) & (box[:, 2] > 12) & (box[:, 3] > 8)]
    assert large.min() >= 1
    assert small.max() == 0
