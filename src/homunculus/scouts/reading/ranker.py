"""The ranker: which of a page's words is the answer, from what is told of each.

A small net over each word by itself, and a softmax over the words of the page. It runs in numpy.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homunculus.scouts.reading.features import NAMES
from homunculus.scouts.sight import probabilities
from homunculus.shapes import Float

WEIGHTS = Path(__file__).parent / "weights" / "ranker.npz"
LIMIT = 6.0
"""Standard deviations beyond which a feature says no more."""
ARRAYS = (
    "mean", "deviation", "linear", "asked",
    "first", "first_bias", "second", "second_bias", "third", "third_bias",
)  # fmt: skip
"""What a file of weights holds, beside `about`."""


@dataclass(frozen=True, eq=False)
class Ranker:
    """A trained ranker."""

    weights: Mapping[str, NDArray[np.float32]]
    about: Mapping[str, Any]
    """What it was trained on, and by whom."""

    def scores(
        self, features: Float[np.ndarray, "words features"], buckets: Sequence[int]
    ) -> Float[np.ndarray, "words"]:
        """The logarithm of how likely each word is the answer, up to a constant."""
        weights = self.weights
        known = ((features - weights["mean"]) / weights["deviation"]).clip(-LIMIT, LIMIT)
        asked = weights["asked"][list(buckets)].mean(0) if buckets else weights["asked"][0] * 0
        split = len(NAMES)
        hidden = known @ weights["first"][:split] + asked @ weights["first"][split:]
        hidden = _bend(hidden + weights["first_bias"])
        hidden = _bend(hidden @ weights["second"] + weights["second_bias"])
        scores = hidden @ weights["third"] + weights["third_bias"] + known @ weights["linear"]
        return scores[:, 0].astype(np.float32)

    def likely(
        self, features: Float[np.ndarray, "words features"], buckets: Sequence[int]
    ) -> Float[np.ndarray, "words"]:
        """The probability of each word to be the answer, if one of them is."""
        return probabilities(self.scores(features, buckets)[None])[0]


def _bend(value: Float[np.ndarray, "words units"]) -> Float[np.ndarray, "words units"]:
    """GELU, by the hyperbolic tangent."""
    return 0.5 * value * (1 + np.tanh(0.7978845608 * (value + 0.044715 * value * value * value)))


@cache
def load_ranker(path: Path = WEIGHTS) -> Ranker:
    """The shipped ranker, or one of `homunculus train reading`."""
    with np.load(path, allow_pickle=False) as file:
        missing = {*ARRAYS, "about"} - set(file.files)
        if missing:
            raise ValueError(f"{path}: expected {', '.join(ARRAYS)}, got no {sorted(missing)[0]}.")
        about = json.loads(str(file["about"]))
        weights = {name: file[name].astype(np.float32) for name in ARRAYS}
    if tuple(about.get("features", ())) != NAMES:
        raise ValueError(
            f"{path}: made for other features. Train it anew with `homunculus train reading`."
        )
    return Ranker(weights, about)
