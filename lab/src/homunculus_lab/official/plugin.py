# pyright: basic
"""What lmms-eval calls when it looks for models: ours, by name; their modules are loaded later."""

from typing import Any

from homunculus.lazy import need


def manifest() -> list[Any]:
    """`homunculus`, which answers in this process."""
    kind = need(
        "lmms_eval.models.registry_v2", "official", "homunculus_lab.official", "lab"
    ).ModelManifest
    here = "homunculus_lab.official"
    return [kind(model_id="homunculus", chat_class_path=f"{here}.model.Homunculus")]
