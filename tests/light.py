"""The light half: what runs without torch, and the tests that can show it.

    python tests/light.py

prints these tests. A test is of the light half if neither its file nor a helper that it imports
names torch, a library that comes with it, the engines' code, or the laboratory in an import.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "homunculus"
HEAVY = ("torch", "einops", "jaxtyping")
"""What comes with an engine or with the laboratory."""
REFUSED = (*HEAVY, "safetensors", "transformers", "vllm", "gradio", "ray")
"""What no module of the light half imports."""
LABORATORY = ("homunculus_lab", "homunculus.engines")
OTHERS = ("beartype", "kornia", "skimage", "nbclient", "mkdocs")
"""What tests import besides, and CI does not install there."""
WHOLE = {"test_cli.py", "test_site.py"}
"""Tests of all verbs, or of all public names."""
BEYOND = ("engines", "show.cells", "serve.litellm", "batch.cluster", "scouts.things.zero_shot")
"""What only an extra can import: drawings of cells show what engines choose."""


def light_modules() -> list[str]:
    """Dotted names of all modules of the light half."""
    names = []
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(parts).removesuffix("__init__").removesuffix(".")
        if name != "__main__" and not any(f"{name}.".startswith(f"{one}.") for one in BEYOND):
            names.append(f"homunculus.{name}".removesuffix("."))
    return names


def light_tests() -> set[str]:
    """Names of the files of tests that need nothing but the product's base."""
    return {path.name for path in TESTS.glob("test_*.py") if not _needs(path)} - WHOLE


@cache
def _needs(path: Path) -> frozenset[str]:
    """What keeps a file from the light half, through its helpers, too."""
    found = set[str]()
    for name in imports(path.read_text("utf-8")):
        if any(
            name == one or name.startswith(f"{one}.") for one in (*REFUSED, *LABORATORY, *OTHERS)
        ):
            found.add(name)
        for helper in (TESTS / f"{name.replace('.', '/')}.py", TESTS / name / "__init__.py"):
            if helper.exists() and helper != path:
                found |= _needs(helper)
    return frozenset(found)


def imports(source: str) -> Iterator[str]:
    """Dotted names that a source imports, at its top or in a function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


if __name__ == "__main__":
    for path in sorted(TESTS.glob("test_*.py")):
        print(path.name, *sorted(_needs(path)))
