"""Shapes of arrays in annotations: jaxtyping's where it is installed, plain array types elsewhere.
And tensors of other frameworks as arrays.

Tests install jaxtyping, and check every shape that a function is given or returns.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing import Annotated as Bool
    from typing import Annotated as Float
    from typing import Annotated as Int
    from typing import Annotated as Num
    from typing import Annotated as UInt8
else:
    try:
        from jaxtyping import Bool, Float, Int, Num, UInt8
    except Exception:

        class _Unchecked:
            """Takes the place of an annotation with a shape."""

            def __class_getitem__(cls, item: Any) -> Any:
                return item[0]

        Bool = Float = Int = Num = UInt8 = _Unchecked

__all__ = ["Bool", "Float", "Int", "Num", "UInt8", "as_array"]


def as_array(value: Any) -> NDArray[Any]:
    """An array, or a tensor as one: without its gradient, on the processor, in 32 bits or more."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if value.is_floating_point() and value.itemsize < 4:  # numpy has no bfloat16
            value = value.float()
    return np.asarray(value)
