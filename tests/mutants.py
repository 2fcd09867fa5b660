"""Break the product on purpose, a little at a time, and see whether a test notices.

    python tests/mutants.py [--count 80] [--only PATTERN] [--jobs 2] [--seed 0] [--list]

Mutants come from the syntax tree of cells, planner, messages and the rewriter: one operator,
constant, flag or call changed in each. The same seed draws the same mutants. Each is written into a
copy of src and meets the tests most likely to kill it. What survives is a missing test, or is named
in ALLOW with the reason why nothing could see it.
"""

import argparse
import ast
import copy
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).parents[1]
FILES = (
    "engines/cells/allocate/*.py", "engines/cells/lift/*.py", "engines/cells/pack.py",
    "planner/*.py", "messages/*.py", "serve/rewriter.py",
)  # fmt: skip
QUICK = "exactly_its_slots or gets_alone or padding or everything_keeps"
"""The laws that see most, for the quick run."""
TESTS = {  # by the longest beginning: the likeliest killers first
    "engines/cells/": ["test_edges.py", "test_select.py", "test_refine.py"],
    "engines/cells/lift/": ["test_edges.py", "test_lift.py", "test_refine.py"],
    "engines/cells/pack.py": ["test_edges.py", "test_pack.py"],
    "planner/": ["test_planner.py", "test_labels.py", "test_planner_views.py", "test_basis.py"],
    "planner/counting.py": ["test_planner_counting.py", "test_planner.py"],
    "planner/models.py": ["test_planner_counting.py", "test_planner_views.py"],
    "planner/labels.py": ["test_labels.py", "test_planner_messages.py"],
    "messages/": ["test_serve_forms.py", "test_serve_rewrite.py", "test_planner_messages.py"],
    "serve/": ["test_rewrite_decision.py", "test_serve_rewrite.py", "test_fallback.py"],
}
ALLOW: dict[tuple[str, str], str] = {
    (
        "engines/cells/lift/levels.py",
        "full=False,",
    ): "a full field taken for a padded one gives the same, later",
    (
        "engines/cells/lift/levels.py",
        "rising = value",
    ): "a maximum passed on twice is the same maximum",
    (
        "engines/cells/pack.py",
        "return ((row << 35) + (place[..., 1] << 7) - level).argsort(dim=1, stable=False)",
    ): "short rows are sorted stably either way; ties are tokens at one place and level",
}
"""(file, mutated line without its indent) -> why no test can tell it from the original."""


@dataclass(frozen=True)
class Mutant:
    """One change: the text of ``file`` between two offsets becomes ``new``."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    new: str
    before: str
    after: str

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line} [{self.kind}]"


# ---- what can be changed -------------------------------------------------------------------------

SWAP_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult, ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
}  # fmt: skip
SWAP_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
SWAP_NAME = {
    "argmax": "argmin", "amax": "amin", "max": "min", "maximum": "minimum", "floor": "ceil",
    "cumsum": "cumprod",
}  # fmt: skip
SWAP_NAME |= {new: old for old, new in SWAP_NAME.items()}
AXES = {
    "expand", "view", "reshape", "flatten", "sum", "prod", "cat", "stack", "gather", "scatter",
    "scatter_", "scatter_add", "scatter_add_", "scatter_reduce", "amax", "amin", "max", "min",
    "argmax", "argmin", "cumsum", "cumprod", "softmax", "unbind", "any", "all", "norm", "flip",
    "repeat", "repeat_interleave", "mean",
}  # fmt: skip
"""Calls whose plain integers name axes: changing those crashes and proves nothing."""
DULL = {"keepdim", "dim", "strict", "maxsize"}
DROP = {
    "clamp",
    "clamp_",
    "masked_fill",
    "masked_fill_",
    "round",
    "neg",
    "sqrt",
    "flip",
    "nan_to_num",
}


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """(kind, what to put in the node's place)."""
    new = copy.deepcopy(node)
    match new:
        case ast.BinOp(op=op) if type(op) in SWAP_BINARY:
            new.op = SWAP_BINARY[type(op)]()
            yield "operator", new
        case ast.Compare(ops=[op]) if type(op) in SWAP_COMPARE:
            new.ops = [SWAP_COMPARE[type(op)]()]
            yield "comparison", new
        case ast.BoolOp():
            new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
            yield "and or", new
        case ast.UnaryOp(op=ast.Invert() | ast.USub() | ast.Not()):
            yield "sign", new.operand
        case ast.Constant(value=value) if type(value) is bool:
            yield "flag", ast.Constant(not value)
        case ast.Constant(value=value) if type(value) in (int, float):
            yield "constant", ast.Constant(value + 1)
            if value:
                yield "constant", ast.Constant(value - 1)
        case ast.Constant(value="amax" | "amin" as how):
            yield "name", ast.Constant(SWAP_NAME[how])
        case ast.Call(func=ast.Name(id=name)) if name in SWAP_NAME:
            new.func.id = SWAP_NAME[name]
            yield "name", new
        case ast.Call(func=ast.Attribute(attr=name) as func):
            yield from call_changes(new, func, name)


def call_changes(new: ast.Call, func: ast.Attribute, name: str) -> Iterator[tuple[str, ast.AST]]:
    if name in DROP:
        yield "dropped call", func.value
    if name == "where" and len(new.args) == 3:
        swapped = copy.deepcopy(new)
        swapped.args = [new.args[0], new.args[2], new.args[1]]
        yield "swapped branches", swapped
    if name in SWAP_NAME:
        func.attr = SWAP_NAME[name]
        yield "name", new


def changeable(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes whose meaning is behaviour: no annotations, decorators, error texts or defaults."""
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "type_comment", "format_spec"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not dull(node, child):
                yield child
                yield from changeable(child)


def dull(node: ast.AST, child: ast.AST) -> bool:
    if isinstance(child, ast.Raise | ast.JoinedStr) or getattr(child, "arg", None) in DULL:
        return True
    plain = child.operand if isinstance(child, ast.UnaryOp) else child
    axes = isinstance(node, ast.Call) and getattr(node.func, "attr", None) in AXES
    return axes and isinstance(plain, ast.Constant)


def mutants_of(file: str, source: str) -> Iterator[Mutant]:
    lines = source.splitlines(keepends=True)
    offset = [0]
    for text in lines:
        offset.append(offset[-1] + len(text))
    for node in changeable(ast.parse(source)):
        for kind, new in changes(node):
            start = offset[node.lineno - 1] + node.col_offset
            end = offset[node.end_lineno - 1] + node.end_col_offset
            written = f"({ast.unparse(new)})" if needs_brackets(new) else ast.unparse(new)
            changed = (source[:start] + written + source[end:]).splitlines()
            before, after = lines[node.lineno - 1].strip(), changed[node.lineno - 1].strip()
            yield Mutant(file, node.lineno, kind, start, end, written, before, after)


def needs_brackets(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp | ast.Compare | ast.BoolOp | ast.UnaryOp | ast.IfExp)


def draw(package: Path, count: int, seed: int, only: str) -> list[Mutant]:
    """A fair share of every file, and within a file of every kind, by lot."""
    paths = sorted(path for pattern in FILES for path in package.glob(pattern))
    pools: dict[str, list[Mutant]] = {}
    for path in paths:
        file = str(path.relative_to(package))
        found = [
            m
            for m in mutants_of(file, path.read_text("utf-8"))
            if re.search(only, f"{m.name} {m.after}")
        ]
        if found:
            pools[file] = mixed(found, random.Random(f"{seed} {file}"))
    total = sum(map(len, pools.values()))
    share = {file: max(1, round(count * len(pool) / total)) for file, pool in pools.items()}
    return [mutant for file, pool in pools.items() for mutant in pool[: share[file]]]


def mixed(found: list[Mutant], chance: random.Random) -> list[Mutant]:
    """Shuffled, kinds taking turns."""
    kinds: dict[str, list[Mutant]] = {}
    for mutant in chance.sample(found, len(found)):
        kinds.setdefault(mutant.kind, []).append(mutant)
    first = chance.sample(sorted(kinds), len(kinds))
    turns = [
        (turn, first.index(kind), m) for kind, own in kinds.items() for turn, m in enumerate(own)
    ]
    return [mutant for _, _, mutant in sorted(turns, key=lambda entry: entry[:2])]


# ---- whether a test notices ----------------------------------------------------------------------


def pytest_command(tests: list[str], red: list[str], *options: str) -> list[str]:
    skip = [f"--deselect={name}" for name in red]
    return [
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow",
        "--hypothesis-profile=quick", "--tb=no", "-W", "ignore", *options, *skip, *tests,
    ]  # fmt: skip


def run(command: list[str], source: Path, limit: float) -> subprocess.CompletedProcess[str] | None:
    """None when time ran out."""
    environment = os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1"}
    try:
        return subprocess.run(
            command, cwd=ROOT, env=environment, timeout=limit, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired:
        return None


def stages(file: str) -> list[tuple[list[str], list[str]]]:
    """(tests, options) in the order they are tried: the room's own tests, then the laws."""
    begin = max((begin for begin in TESTS if file.startswith(begin)), key=len)
    rooms = ([f"tests/{name}" for name in TESTS[begin]], [])
    return [rooms, (["tests/test_laws.py"], ["-k", QUICK])] if "cells" in file else [rooms]


def judge(mutant: Mutant, source: Path, red: list[str], limit: float) -> tuple[str, str]:
    """(killed, survived or timeout; the test that killed it)."""
    path = source / "homunculus" / mutant.file
    original = path.read_text("utf-8")
    path.write_text(original[: mutant.start] + mutant.new + original[mutant.end :], "utf-8")
    try:
        for tests, options in stages(mutant.file):
            result = run(pytest_command(tests, red, "-x", *options), source, limit)
            if result is None:
                return "timeout", ""
            if result.returncode != 0:
                return "killed", next(iter(failed(result.stdout)), "the tests could not start")
        return "survived", ""
    finally:
        path.write_text(original, "utf-8")


def failed(output: str) -> list[str]:
    """The names in pytest's last lines; a name may hold spaces, and a reason may follow it."""
    return re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE)


def already_red(source: Path, files: set[str]) -> list[str]:
    """Tests that fail before anything is broken: they can judge nothing."""
    wanted = {(tuple(tests), tuple(options)) for file in files for tests, options in stages(file)}
    red: list[str] = []
    for chosen, options in ((list(tests), list(options)) for tests, options in sorted(wanted)):
        result = run(pytest_command(chosen, [], *options), source, 1800)
        if result is None or result.returncode not in (0, 1):
            said = result.stdout[-2000:] + result.stderr[-2000:] if result else "out of time"
            sys.exit(f"the tests do not run at all:\n{said}")
        red += failed(result.stdout)
    return sorted(set(red))


def workers(count: int, source: Path, folder: Path) -> Queue[Path]:
    """One copy of the source for each job."""
    copies: Queue[Path] = Queue()
    for number in range(count):
        shutil.copytree(source, folder / str(number), ignore=shutil.ignore_patterns("__pycache__"))
        copies.put(folder / str(number))
    return copies


def report(
    mutants: list[Mutant], verdicts: list[dict[str, object]], red: list[str], path: Path
) -> int:
    """Print survivors, write the JSON; the number of survivors that nobody excused."""
    count = {
        state: sum(v["state"] == state for v in verdicts)
        for state in ("killed", "timeout", "survived", "allowed")
    }
    survivors = [
        asdict(m) | {"name": m.name}
        for m, v in zip(mutants, verdicts, strict=True)
        if v["state"] == "survived"
    ]
    for found in survivors:
        print(f"\nSURVIVED {found['name']}\n  - {found['before']}\n  + {found['after']}")
    for name in red:
        print(f"red before any mutation, left out: {name}")
    facts = {
        "count": len(mutants),
        **count,
        "red": red,
        "survivors": survivors,
        "verdicts": verdicts,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    print(f"\n{len(mutants)} mutants: {count}; written to {path}")
    return len(survivors)


def try_all(
    mutants: list[Mutant], source: Path, jobs: int, limit: float, red: list[str]
) -> list[dict[str, object]]:
    def attempt(copies: Queue[Path]) -> Callable[[Mutant], dict[str, object]]:
        def one(mutant: Mutant) -> dict[str, object]:
            here, start = copies.get(), time.perf_counter()
            try:
                state, killer = judge(mutant, here, red, limit)
            finally:
                copies.put(here)
            excuse = ALLOW.get((mutant.file, mutant.after)) if state == "survived" else None
            state = "allowed" if excuse else state
            seconds = round(time.perf_counter() - start, 1)
            print(f"{state:9} {seconds:6.1f} s  {mutant.name:40} {excuse or killer}", flush=True)
            return {
                "name": mutant.name,
                "after": mutant.after,
                "state": state,
                "killer": killer,
                "seconds": seconds,
            }

        return one

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(attempt(workers(jobs, source, Path(folder))), mutants))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument(
        "--only", default="", help="a pattern for file:line [kind] and the new line"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--limit", type=float, default=120, help="seconds per stage; over it is dead"
    )
    parser.add_argument("--source", type=Path, default=ROOT / "src", help="the tree to break")
    parser.add_argument("--json", type=Path, default=ROOT / "results" / "mutants.json")
    parser.add_argument("--list", action="store_true", help="show the mutants, try none")
    asked = parser.parse_args()
    mutants = draw(asked.source / "homunculus", asked.count, asked.seed, asked.only)
    if asked.list:
        for mutant in mutants:
            print(f"{mutant.name}\n  - {mutant.before}\n  + {mutant.after}")
        return
    red = already_red(asked.source, {mutant.file for mutant in mutants})
    verdicts = try_all(mutants, asked.source, asked.jobs, asked.limit, red)
    sys.exit(1 if report(mutants, verdicts, red, asked.json) else 0)


if __name__ == "__main__":
    main()
