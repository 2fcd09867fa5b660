"""Hypothesis profiles, and what examples in docstrings may use: `model` and `processor`.

`ci` is the default profile: bounded, without deadlines, the same examples every time. `quick` is
what mutants meet, `thorough` is for a night: pytest --hypothesis-profile=thorough. Nothing here
imports homunculus: shape checks hook its first import.
"""

from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

collect_ignore = ["lab/tests/authors.py", "lab/tests/authors_inside.py"]  # commands

COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("ci", max_examples=8, derandomize=True, **COMMON)
settings.register_profile(
    "quick",
    max_examples=4,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],  # a mutant must die, not die beautifully
    **COMMON,
)
settings.register_profile("thorough", max_examples=150, **COMMON)
settings.load_profile("ci")

if find_spec("torch"):  # the light half is tested without it, too
    import torch

    torch.set_num_threads(1)  # tests run side by side; one test turns to several by itself


@pytest.fixture(autouse=True)
def _model(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    if request.node.name != "homunculus.engines.transformers.attach":
        return
    from tiny import load

    loaded = load("qwen3_vl")
    doctest_namespace |= {"model": loaded.model, "processor": loaded.processor}
