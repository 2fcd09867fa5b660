"""Sights: maps that come as arrays or tensors, and are resized as torch resizes them."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from homunculus.scouts.sight import Sight, as_array, check_map, check_sight, is_map, resize_map

GRIDS = [
    ((4, 4), (19, 25)), ((60, 80), (7, 9)), ((3, 50), (50, 3)), ((1, 1), (5, 5)), ((5, 5), (1, 1)),
    ((17, 13), (16, 14)), ((200, 300), (64, 48)), ((10, 10), (20, 10)),
]  # fmt: skip


def by_torch(value: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    tensor = torch.from_numpy(value)[None, None]
    return F.interpolate(tensor, grid, mode="bilinear", antialias=True)[0, 0].numpy()


@pytest.mark.parametrize(("have", "want"), GRIDS)
def test_maps_are_resized_as_torch_resizes_them(have, want) -> None:
    value = np.random.default_rng(0).random(have, np.float32)
    resized = resize_map(value, want)
    assert resized.dtype == np.float32
    assert np.allclose(resized, by_torch(value, want), rtol=0, atol=1e-6)
    assert np.array_equal(resize_map(np.stack([value, value]), want)[1], resized)


@pytest.mark.parametrize(("have", "want"), GRIDS)
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_infinities_reach_as_far_as_in_torch(have, want, infinity) -> None:
    value = np.random.default_rng(0).random(have, np.float32)
    value[0, -1] = infinity
    assert np.allclose(resize_map(value, want), by_torch(value, want), rtol=0, atol=1e-6)


def test_a_map_that_fits_stays_as_it_is() -> None:
    value = np.array([[0.0, -np.inf]], np.float32)
    assert resize_map(value, (1, 2)) is value


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.int64])
def test_tensors_become_arrays(dtype) -> None:
    tensor = torch.tensor([[1, 3]], dtype=dtype)
    sight = Sight(tensor, sure=1.0, size=tensor, thing=tensor, elsewhere=tensor)
    assert sight.logit.tolist() == [[-2.0, 0.0]]
    assert sight.logit.dtype == (np.float64 if dtype == torch.float64 else np.float32)
    assert all(isinstance(part, np.ndarray) for part in (sight.size, sight.thing, sight.elsewhere))
    assert check_map(tensor, "scout").dtype == np.float32


def test_a_map_that_is_trained_stays_at_hand() -> None:
    tensor = torch.eye(2, requires_grad=True)
    sight = Sight(tensor, sure=1.0)
    assert isinstance(sight.logit, np.ndarray)
    assert check_sight(sight, "scout").trained is tensor
    assert Sight(tensor.detach(), sure=1.0).trained is None


def test_a_number_is_no_map() -> None:
    assert not is_map(np.float32(2.0))
    assert Sight(np.eye(2), sure=1.0, size=np.float64(12.0)).size == 12.0
    assert as_array(np.eye(2)).shape == (2, 2)
