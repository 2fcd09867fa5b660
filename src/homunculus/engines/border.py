"""The border to the light half: for the engines, its arrays of numpy become tensors here."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from homunculus.scouts.sight import Sight


def tensor(values: NDArray[Any]) -> Tensor:
    """A copy of an array: those of pictures are read-only, which tensors cannot be.

    >>> tensor(np.eye(2))
    tensor([[1., 0.],
            [0., 1.]], dtype=torch.float64)
    """
    return torch.from_numpy(np.array(values))


def map_of(sight: Sight) -> Float[Tensor, "rows cols"]:
    """A sight's map; where it was given as a tensor that is trained, gradients flow to that.

    >>> weight = torch.zeros(1, 2, requires_grad=True)
    >>> map_of(Sight(weight, sure=1.0)).sum().backward()
    >>> weight.grad
    tensor([[1., 1.]])
    """
    logit, trained = tensor(sight.logit), sight.trained
    if trained is None or trained.shape != logit.shape:
        return logit
    # less itself: nothing but its gradient, and no gradient where it is infinite
    return logit + (trained - trained.detach()).nan_to_num().to(logit)
