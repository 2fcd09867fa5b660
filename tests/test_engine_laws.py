"""Laws of layouts, selection and prompts: no model, no transformers."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from cases import Case, often
from homunculus import get_method, list_methods
from homunculus.engines.families import (
    Layout,
    Window,
    lined_layout,
    plain_layout,
    pool_majority,
    pool_max,
    pool_mean,
    split_rows,
    tiled_layout,
)
from homunculus.engines.select import Choice, select
from homunculus.engines.transformers.inputs import (
    cut_prompt,
    kept_columns,
    locate,
)

LEFT_OUT = {"oracle"}  # is told where the answer is
BY_NAME = [name for name in list_methods() if name not in LEFT_OUT]
side = st.integers(1, 7)
seeds = st.integers(0, 999)


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


layouts = st.one_of(
    st.builds(plain_layout, side, side),
    st.builds(tiled_layout, st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.booleans()),
    st.builds(lined_layout, side, side, st.integers(0, 9)),
)


# ---- layouts -------------------------------------------------------------------------------------


@often
@given(layout=layouts)
def test_cells_and_other_rows_are_all_rows_once(layout: Layout) -> None:
    every = torch.cat((layout.row, layout.rest))
    assert every.sort().values.tolist() == list(range(layout.total))
    assert len(layout.row) == layout.grid[0] * layout.grid[1]


@often
@given(rows=st.integers(1, 3), cols=st.integers(1, 3), edge=st.integers(1, 4), last=st.booleans())
def test_tiles_are_read_as_one_picture(rows: int, cols: int, edge: int, last: bool) -> None:
    layout, at = tiled_layout(rows, cols, edge, last), 0
    picture = torch.empty(rows * edge, cols * edge, dtype=torch.long)
    for row in range(rows):
        for col in range(cols):
            for y in range(edge):
                for x in range(edge):
                    picture[row * edge + y, col * edge + x] = at
                    at += 1
    assert layout.row.tolist() == picture.flatten().tolist()
    assert layout.rest.tolist() == list(range(at, at + edge * edge * last))


@often
@given(rows=side, cols=side, first=st.integers(0, 9))
def test_lines_end_in_a_row_of_their_own(rows: int, cols: int, first: int) -> None:
    layout, cells, others, at = lined_layout(rows, cols, first), [], list(range(first)), first
    for _ in range(rows):
        cells += range(at, at + cols)
        others.append(at + cols)
        at += cols + 1
    assert (layout.row.tolist(), layout.rest.tolist()) == (cells, others)


@often
@given(shape=st.tuples(side, side), grid=st.tuples(side, side), seed=seeds)
def test_a_cell_is_as_relevant_as_the_most_that_it_covers(
    shape: tuple[int, int], grid: tuple[int, int], seed: int
) -> None:
    value = drawn(*shape, seed=seed)
    (high, wide), (rows, cols) = shape, grid
    found = pool_max(value, plain_layout(rows, cols))
    for row in range(rows):
        for col in range(cols):
            covered = [
                float(value[y, x])
                for y in range(high)
                for x in range(wide)
                # open intervals in 1 / (rows * high) and 1 / (cols * wide): whole numbers
                if y * rows < (row + 1) * high and (y + 1) * rows > row * high
                and x * cols < (col + 1) * wide and (x + 1) * cols > col * wide
            ]  # fmt: skip
            assert float(found[row, col]) == max(covered)


@pytest.mark.parametrize(
    ("window", "rows", "cols"),
    [
        ((0.0, 0.25, 1.0, 0.75), slice(0, 8), slice(2, 6)),  # cut: what lies outside is not seen
        ((0.5, 0.0, 1.0, 1.0), slice(4, 8), slice(0, 8)),
    ],
)
def test_a_window_shows_its_part_of_the_map(window: Window, rows: slice, cols: slice) -> None:
    value = drawn(8, 8)
    shown = value[rows, cols]
    high, wide = shown.shape
    assert torch.equal(pool_max(value, plain_layout(high, wide, window)), shown)


def test_padding_is_as_relevant_as_the_least_of_the_map() -> None:
    value = drawn(8, 4)
    found = pool_max(value, plain_layout(8, 8, (0.0, -0.5, 1.0, 1.5)))
    assert torch.equal(found[:, 2:6], value)
    assert (found[:, :2] == value.min()).all()
    assert (found[:, 6:] == value.min()).all()


@often
@given(shape=st.tuples(side, side), grid=st.tuples(side, side), seed=seeds)
def test_regions_come_to_the_lattice_by_majority_and_energies_by_their_mean(
    shape: tuple[int, int], grid: tuple[int, int], seed: int
) -> None:
    label = torch.randint(-1, 4, shape, generator=torch.Generator().manual_seed(seed))
    value = drawn(2, *shape, seed=seed)
    layout = plain_layout(*grid)
    most, mean = pool_majority(label, layout), pool_mean(value, layout)
    for row in range(grid[0]):
        for col in range(grid[1]):
            down, across = (
                slice(at * length // cells, -(-(at + 1) * length // cells))
                for at, length, cells in ((row, shape[0], grid[0]), (col, shape[1], grid[1]))
            )
            seen = label[down, across].flatten().tolist()
            best = max(set(seen), key=lambda one: (seen.count(one), one >= 0, -one))
            assert int(most[row, col]) == best
            assert torch.allclose(mean[:, row, col], value[:, down, across].mean((1, 2)))


def test_around_the_image_there_is_neither_a_region_nor_energy() -> None:
    layout = plain_layout(8, 8, (0.0, -0.5, 1.0, 1.5))
    label = torch.arange(32).view(8, 4) // 8
    assert torch.equal(pool_majority(label, layout)[:, 2:6], label)
    assert (pool_majority(label, layout)[:, [0, 1, 6, 7]] == -1).all()
    assert (pool_mean(torch.ones(1, 8, 4), layout)[0, :, [0, 1, 6, 7]] == 0).all()


def test_gradients_pass_onto_the_lattice_through_window_and_padding() -> None:
    value = drawn(8, 4).requires_grad_()
    pool_max(value, plain_layout(8, 8, (0.0, -0.5, 1.0, 1.5)))[:, 2:6].sum().backward()
    assert torch.equal(value.grad, torch.ones(8, 4))


def test_rows_that_the_layouts_do_not_explain_are_refused() -> None:
    two = [plain_layout(2, 3), lined_layout(2, 2, 4)]
    first, second = split_rows(torch.arange(16.0)[:, None], two)
    assert (len(first), len(second)) == (6, 10)
    with pytest.raises(ValueError, match=r"expected 16 rows of image features .* got 15"):
        split_rows(torch.zeros(15, 1), two)


# ---- selection -----------------------------------------------------------------------------------


def chosen(layout: Layout, slots: int, name: str, seed: int = 0, deep: int = 3) -> Choice:
    rows, found = drawn(layout.total, deep, seed=seed + 1), get_method(name)
    known = [replace(Case((layout.grid,), slots, seed).material(), feature=None)]
    by = known if found.needs - {"features"} else None
    (choice,) = select([layout], [drawn(*layout.grid, seed=seed)], [slots], found, [rows], by)
    return choice


@pytest.mark.parametrize("name", BY_NAME)
@given(layout=layouts, share=st.floats(0, 1), seed=seeds)
def test_every_method_keeps_exactly_so_many_rows_in_the_order_of_the_prompt(
    name: str, layout: Layout, share: float, seed: int
) -> None:
    slots = max(1, round(share * layout.total))
    choice = chosen(layout, slots, name, seed)
    cells = min(slots, len(layout.row))
    slots += get_method(name).count(layout.grid, cells) - cells  # `resize` may keep fewer cells
    assert len(choice.anchor) == len(choice.order) == slots
    assert choice.embed is not None
    assert choice.embed.shape == (slots, 3)
    assert choice.anchor.tolist() == sorted(choice.anchor.tolist())
    assert 0 <= int(choice.anchor.min()) <= int(choice.anchor.max()) < layout.total
    assert sorted(choice.order.tolist()) == list(range(slots))


@pytest.mark.parametrize("name", BY_NAME)
@given(layout=layouts, seed=seeds)
def test_who_keeps_all_keeps_every_row_bit_by_bit_and_in_place(
    name: str, layout: Layout, seed: int
) -> None:
    choice = chosen(layout, layout.total, name, seed)
    assert choice.anchor.tolist() == list(range(layout.total))
    assert torch.equal(choice.embed, drawn(layout.total, 3, seed=seed + 1))


@often
@given(layout=layouts, extra=st.integers(0, 20), seed=seeds)
def test_above_the_lattice_the_first_other_rows_are_added(
    layout: Layout, extra: int, seed: int
) -> None:
    more = min(extra, len(layout.rest))
    choice = chosen(layout, len(layout.row) + more, "foveated", seed)
    kept = sorted(layout.row.tolist() + layout.rest[:more].tolist())
    assert choice.anchor.tolist() == kept
    assert torch.equal(choice.embed, drawn(layout.total, 3, seed=seed + 1)[kept])


@often
@given(layout=layouts, share=st.floats(0, 1), seed=seeds)
def test_grid_keeps_the_rows_of_the_most_relevant_cells(
    layout: Layout, share: float, seed: int
) -> None:
    slots = max(1, round(share * len(layout.row)))
    choice = chosen(layout, slots, "grid", seed)
    best = drawn(*layout.grid, seed=seed).flatten().topk(slots).indices
    assert choice.anchor.tolist() == sorted(layout.row[best].tolist())
    assert torch.equal(choice.embed, drawn(layout.total, 3, seed=seed + 1)[choice.anchor])


@often
@given(rows=side, cols=side, share=st.floats(0, 1), seed=seeds)
def test_a_token_stands_at_the_cell_that_holds_its_centre(
    rows: int, cols: int, share: float, seed: int
) -> None:
    """A centre on the border of two cells belongs to the upper or left one."""
    layout = plain_layout(rows, cols)
    for name in ("foveated", "log-polar", "pool"):
        choice = chosen(layout, max(1, round(share * rows * cols)), name, seed)
        middle = choice.tokens.position[0][choice.order]
        at = torch.stack((choice.anchor // cols, choice.anchor % cols), 1)
        assert bool((middle >= at).all())
        assert bool((middle <= at + 1).all())
        assert bool((middle > at).all() | (at == 0).any())


def test_what_is_chosen_does_not_hang_on_features() -> None:
    layout = tiled_layout(2, 3, 4, True)
    relevance = [drawn(*layout.grid)]
    (bare,) = select([layout], relevance, [20], get_method("foveated"))
    assert bare.embed is None
    assert torch.equal(bare.anchor, chosen(layout, 20, "foveated").anchor)
    rows = drawn(20, 3)
    assert torch.equal(bare.with_features(rows).embed, rows[bare.order])


# ---- prompts -------------------------------------------------------------------------------------


def prompted() -> tuple[Tensor, list[Layout], dict[str, Tensor]]:
    """Two samples, the first with images of 4 and 6 rows, the second with 4 and padding."""
    image = torch.tensor([
        [0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0],
    ]).bool()  # fmt: skip
    mask = torch.ones_like(image).long()
    mask[1, :6] = 0
    ids = 100 * torch.arange(2)[:, None] + torch.arange(14)
    return (
        image,
        [plain_layout(2, 2), plain_layout(2, 3), plain_layout(2, 2)],
        {"input_ids": ids, "attention_mask": mask},
    )


def kept(*anchors: list[int]) -> list[Choice]:
    (base,) = select([plain_layout(1, 1)], [torch.zeros(1, 1)], [1], get_method("grid"))
    return [Choice(torch.tensor(one), base.tokens, torch.arange(len(one))) for one in anchors]


def test_images_stand_where_their_placeholders_are() -> None:
    image, three, _ = prompted()
    places = locate(image, three)
    expected = [(0, [1, 2, 4, 5]), (0, [7, 8, 9, 10, 11, 12]), (1, [9, 10, 11, 12])]
    assert [(sample, at.tolist()) for sample, at in places] == expected
    with pytest.raises(ValueError, match="14 image placeholders, its images 10 rows"):
        locate(image, three[:2])


def test_a_prompt_is_text_and_anchors_filled_up_at_the_left() -> None:
    image, three, inputs = prompted()
    places = locate(image, three)
    text = inputs["attention_mask"].bool() & ~image
    columns = kept_columns(text, places, kept([0, 3], [2, 2, 5], [1]))
    assert columns[0].tolist() == [0, 1, 3, 5, 6, 9, 9, 12, 13]  # two tokens at one place
    assert columns[1].tolist() == [6, 7, 8, 10, 13]
    out = cut_prompt(inputs | {"labels": inputs["input_ids"]}, inputs["input_ids"], columns, 7)
    assert out["input_ids"][1].tolist() == [7] * 4 + [106, 107, 108, 110, 113]
    assert out["attention_mask"][1].tolist() == [0] * 4 + [1] * 5
    assert out["labels"][1].tolist() == [-100] * 4 + [106, 107, 108, 110, 113]
    assert out["position_ids"][1].tolist() == [0] * 4 + [106, 107, 108, 110, 113]
    assert out["input_ids"][0].tolist() == out["position_ids"][0].tolist() == columns[0].tolist()


def test_positions_in_three_axes_get_a_count_before_them() -> None:
    image, three, inputs = prompted()
    text = inputs["attention_mask"].bool() & ~image
    columns = kept_columns(text, locate(image, three), kept([0], [1], [3]))
    axes = torch.stack([inputs["input_ids"] + 1000 * axis for axis in range(3)])
    found = cut_prompt(inputs, axes, columns, 7)["position_ids"]
    assert found.shape == (4, 2, 6)
    assert found[0].tolist() == [list(range(6)), [0, 0, 1, 2, 3, 4]]
    assert found[3, 1].tolist() == [0, 2106, 2107, 2108, 2112, 2113]
