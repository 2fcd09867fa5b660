"""The light half runs without torch: each test is a process of its own.

In some, the libraries of the other half cannot be found, as on a machine that never installed them.
"""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import copy

import pytest

from light import REFUSED, light_modules, light_tests

ROOT = Path(__file__).parents[1]
INVOICE = ROOT / "docs" / "invoice.png"
QUESTION = "What is the total due?"
WITHOUT = f"""
import sys
from importlib.machinery import PathFinder

class Without(PathFinder):
    "Finds what is installed, but for some."
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        refused = name.partition(".")[0] in {REFUSED}
        return None if refused else super().find_spec(name, path, target)

sys.meta_path[:] = [Without if one is PathFinder else one for one in sys.meta_path]
"""
LOADED = f"""
import json, sys
print(json.dumps(sorted(set(sys.modules) & set({REFUSED}))))
"""
SPENT = """
import time
spent = time.process_time()
lines = open("/proc/self/status").read().splitlines()
(peak,) = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
print(spent, int(peak) * 1024 / 1e6)
"""


def python(program: str, folder: Path = ROOT) -> str:
    """What a new interpreter prints that runs a program to its end."""
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


def without(program: str, folder: Path = ROOT) -> str:
    """The same where the libraries of the other half are missing."""
    return python(WITHOUT + program, folder)


def test_the_process_without_torch_has_none() -> None:
    program = """
from importlib import import_module
from importlib.util import find_spec
for name in {names}:
    assert find_spec(name) is None, name
    try: import_module(name)
    except ModuleNotFoundError as error: assert error.name == name
    else: raise AssertionError(name)
import numpy
"""
    without(program.format(names=REFUSED))


def test_every_module_of_the_light_half_is_imported_without_torch() -> None:
    names = light_modules()
    assert {"homunculus.views", "homunculus.serve.tool", "homunculus.commands.batch"} <= set(names)
    without(f"from importlib import import_module\nfor name in {names}: import_module(name)")


def test_no_module_of_the_light_half_loads_a_library_of_the_other() -> None:
    program = (
        f"from importlib import import_module\nfor name in {light_modules()}: import_module(name)"
    )
    found = set(json.loads(python(program + LOADED)))
    assert found <= {"jaxtyping"}, found  # which homunculus.shapes takes where it is installed
    assert not find_spec("einops") or json.loads(python("import einops" + LOADED)) == ["einops"]


def test_views_are_planned_and_sent_without_torch(tmp_path) -> None:
    program = f"""
import homunculus
for scout, origin in (("words", "words"), ("pixels", "pixels")):
    seen = homunculus.views({str(INVOICE)!r}, {QUESTION!r}, tokens=64, scout=scout)
    assert seen.tokens <= 64 < seen.to_json()["untouched"]
    assert origin in seen.sight.origin, seen.sight.origin
    assert seen.openai() and seen.anthropic() and seen.gemini() and seen.ollama()
    seen.show().save(scout + ".png")
seen = homunculus.views({str(INVOICE)!r}, {QUESTION!r}, tokens=64)
(match, *_) = seen.sight.matches
x0, y0, x1, y1 = seen.views[-1].box
assert x0 <= 846 and x1 >= 948 and y0 <= 954 and y1 >= 992, seen.views  # "300.36" stands there
planner = homunculus.Planner({str(INVOICE)!r}, {QUESTION!r})
assert planner.budget(0.5).reached
assert homunculus.views({str(INVOICE)!r}, {QUESTION!r}, tokens="auto", cap=256).tokens <= 256
"""
    without(program, tmp_path)
    assert (tmp_path / "words.png").stat().st_size > 1000


def test_a_request_is_rewritten_without_torch() -> None:
    program = f"""
import base64, pathlib
from homunculus import Rewriter
picture = base64.b64encode(pathlib.Path({str(INVOICE)!r}).read_bytes()).decode()
part = {{"type": "image_url", "image_url": {{"url": "data:image/png;base64," + picture}}}}
text = {{"type": "text", "text": {QUESTION!r}}}
body = {{"model": "gpt-6", "messages": [{{"role": "user", "content": [part, text]}}]}}
changed, report = Rewriter(100).request(body)
assert report.tokens <= 100 < report.untouched, report
assert changed["messages"] != body["messages"]
from homunculus.serve.tool import look_within
text, pictures = look_within("invoice.png", {QUESTION!r}, 64, "claude", [pathlib.Path("docs")])
assert pictures and "Image 1" in text
"""
    without(program)


@pytest.mark.parametrize(
    "words",
    [
        ("views", "invoice.png", QUESTION, "--tokens", "64"),
        ("show", "invoice.png", QUESTION, "--tokens", "64", "-o", "shown.png"),
        ("show", "invoice.png", QUESTION, "--why"),
        ("cost", "invoice.png"),
        ("budget", "invoice.png", QUESTION),
        ("demo",),
        ("completion", "bash"),
        ("--help",),
    ],
    ids=" ".join,
)
def test_a_command_runs_without_torch(tmp_path, words: tuple[str, ...]) -> None:
    copy(INVOICE, tmp_path)
    program = f"""
from homunculus.commands.main import main
try: code = main({list(words)})
except SystemExit as end: code = end.code
assert code == 0, code
"""
    assert without(program, tmp_path)


def test_a_folder_is_planned_without_torch(tmp_path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra batch")
    (tmp_path / "pages").mkdir()
    copy(INVOICE, tmp_path / "pages")
    words = ["batch", "pages", "out", "--tokens", "64", "--local", "--question", QUESTION]
    program = f"from homunculus.commands.main import main\nassert main({words}) == 0"
    without(program, tmp_path)
    assert list((tmp_path / "out").glob("part-*"))


@pytest.mark.parametrize(
    "ask",
    [
        "homunculus.attach(None, None)", "homunculus.get_method('cut')", "homunculus.Field",
        "homunculus.list_methods()", "homunculus.look('docs/invoice.png')",
    ],
)  # fmt: skip
def test_what_needs_torch_names_the_extra(ask: str) -> None:
    program = f"""
import homunculus
try: {ask}
except homunculus.MissingExtra as error: print(error)
"""
    told = without(program)
    assert "needs torch" in told
    assert ".[transformers]" in told


def test_a_command_that_needs_torch_names_the_extra() -> None:
    program = "from homunculus.commands.main import main\nassert main(['methods']) == 2"
    command = [sys.executable, "-c", WITHOUT + program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    assert ".[transformers]" in done.stderr
    assert "Traceback" not in done.stderr


def test_views_are_imported_fast_and_small() -> None:
    runs = [without("import homunculus; homunculus.views" + SPENT).split() for _ in range(3)]
    seconds, megabytes = (min(float(run[at]) for run in runs) for at in (0, 1))
    assert megabytes < 80
    assert seconds < 0.6  # .3 on a machine that does nothing else


def test_tests_of_the_light_half_are_found() -> None:
    assert {
        "test_light.py",
        "test_planner.py",
        "test_scout_words.py",
        "test_tool.py",
    } <= light_tests()
    assert not {"test_laws.py", "test_engine_exact.py"} & light_tests()
