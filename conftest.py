"""What examples in docstrings may use: `model` and `processor`, of a few weights."""

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _model(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    if request.node.name != "homunculus.engines.transformers.attach":
        return
    from tiny import load

    loaded = load("qwen3_vl")
    doctest_namespace |= {"model": loaded.model, "processor": loaded.processor}
