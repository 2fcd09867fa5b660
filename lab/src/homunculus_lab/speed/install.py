# pyright: basic
"""`homunculus bench install`: what a wheel costs to install, to import, to run once, and to keep.

Each number comes from an environment of its own that has only what the wheel asks for. A first
installation fills pip's cache and that of the disk, and is not counted: seconds are those of a
machine that has downloaded the packages before. MB are millions of bytes.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from PIL import Image

from homunculus.eyes.provenance import provenance
from homunculus_lab.speed.footprint import QUESTION, Numbers, environment, proxy, tool

PICTURES = 100
RUNS = 3
"""Processes of each import, and of the command."""
IMPORTS = {
    "python": "pass", "import homunculus": "import homunculus",
    "homunculus.views": "import homunculus; homunculus.views",
}  # fmt: skip
VIEWS = "import sys; from homunculus.commands.main import main; assert main(sys.argv[1:]) == 0"
TELL = "\nprint(*(line.split()[1] for line in open('/proc/self/status') if line[:3] == 'VmH' or "
TELL += "line[:5] == 'VmRSS'))"
"""Peak and present memory of a process; what `wait4` has of it begins with its parent's."""


def measure(
    repeats: int, say: Callable[[str], None], wheels: Sequence[Path], limits: Sequence[Path],
    page: Path, over: Path | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Install ``wheels`` (the first is the product), under constraints, and run them on ``page``.

    LiteLLM is taken from the interpreter ``over``, or installed, which takes minutes.
    Servers look at 100 pictures: the page in as many sizes, so that each of them is new.
    """
    source = provenance()
    with tempfile.TemporaryDirectory(prefix="bench-install-") as name:
        room, spent = Path(name), list[Numbers]()
        pictures = list(_pictures(room, page))
        for turn in range(repeats + 1):
            say(f"installation {turn} of {repeats}")
            shutil.rmtree(room / "base", ignore_errors=True)
            base, numbers, packages = _install(room / "base", wheels, limits)
            spent.append(numbers)
        say("imports and the command")
        words = ["views", str(page.resolve()), QUESTION, "--tokens", "64", "-o", str(room / "out")]
        result = {
            "wheels": [path.name for path in wheels],
            "install": _middle(spent[1:]) | {"packages": len(packages), "installed": packages},
            "import": {name: _runs(base, code) for name, code in IMPORTS.items()},
            "views": _runs(base, VIEWS, *words),
        }  # fmt: skip
        shutil.rmtree(room / "base")
        say("the tool for agents")
        python = _install(room / "tool", wheels, limits, "mcp")[0]
        result["mcp"] = tool(python, pictures)
        shutil.rmtree(room / "tool")
        say("LiteLLM's proxy")
        more = [] if over else ["litellm[proxy]"]
        python = _install(room / "lite", wheels, limits, "litellm", *more, over=over)[0]
        result["litellm_proxy"] = proxy(python, pictures)
    facts = {"page": page.name, "pictures": PICTURES, "repeats": repeats, "runs": RUNS}
    return {**result, **facts, "cores": os.cpu_count(), **source}


# ---- environments --------------------------------------------------------------------------------


def _install(
    place: Path,
    wheels: Sequence[Path],
    limits: Sequence[Path],
    extra: str = "",
    *more: str,
    over: Path | None = None,
) -> tuple[str, Numbers, dict[str, str]]:
    """An interpreter that has the wheels, what it took to install them, and what they brought."""
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    python, before = str(place / "bin/python"), _size(place)
    if over:
        path = f"import site; site.addsitedir({_site(over)!r})\n"
        Path(_site(python), "over.pth").write_text(path)
    had = _packages(python)
    product, *others = [str(path.resolve()) for path in wheels]
    wishes = [f"{product}[{extra}]" if extra else product, *others, *more]
    rules = [word for path in limits for word in ("--constraint", str(path))]
    _, numbers = _spent([python, "-m", "pip", "install", "--quiet", *rules, *wishes])
    size = {"megabytes": round((_size(place) - before) / 1e6, 1)}
    found = _packages(python)
    return python, numbers | size, {name: found[name] for name in found.keys() - had.keys()}


def _site(python: str | Path) -> str:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return subprocess.check_output([str(python), "-c", code], text=True).strip()


def _size(place: Path) -> int:
    return sum(path.lstat().st_size for path in place.rglob("*") if not path.is_dir())


def _packages(python: str) -> dict[str, str]:
    listed = subprocess.check_output([python, "-m", "pip", "list", "--format", "json"])
    return {one["name"]: one["version"] for one in json.loads(listed)}


# ---- processes -----------------------------------------------------------------------------------


def _spent(command: Sequence[str]) -> tuple[str, Numbers]:
    """What a process prints, and the time that it and its children took."""
    start = time.perf_counter()
    both: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    process = subprocess.Popen(command, **both, text=True, env=environment())
    assert process.stdout
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[:4]} ended with {process.returncode}: {printed[-2000:]}")
    wall, cpu = time.perf_counter() - start, used.ru_utime + used.ru_stime
    return printed, {"seconds": round(wall, 3), "cpu_seconds": round(cpu, 3)}


def _runs(python: str, code: str, *words: str) -> Numbers:
    """The middle of several processes; the first one warms up."""
    rows = list[Numbers]()
    for _ in range(RUNS + 1):
        printed, numbers = _spent([python, "-c", code + TELL, *words])
        peak, now = (round(int(text) * 1024 / 1e6, 1) for text in printed.split()[-2:])
        rows.append(numbers | {"resident_megabytes": now, "peak_megabytes": peak})
    return _middle(rows[1:])


def _middle(rows: Sequence[Numbers]) -> Numbers:
    return {name: round(median(row[name] for row in rows), 3) for name in rows[0]}


def _pictures(room: Path, page: Path) -> Iterable[Path]:
    for number in range(PICTURES):
        path, side = room / f"{number}.png", 700 + 6 * number
        with Image.open(page) as picture:
            picture.resize((side, round(side * picture.height / picture.width))).save(path)
        yield path
