"""The rooms of both distributions, the arrows between them, circles, and arrows that run up.

    python tests/rooms.py

An arrow is an import, at the top of a module or inside a function. A room stands above every room
that it imports. Circles are looked for among rooms and among single modules.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = {
    "homunculus": ROOT / "src" / "homunculus",
    "homunculus_lab": ROOT / "lab" / "src" / "homunculus_lab",
}
FLOORS = (  # from the ground up; a room imports only from the lines above its own
    ("errors",),
    ("box", "cache", "checks", "lazy", "nets", "progress", "shapes"),
    ("flags",),
    ("pages",),
    ("scouts",),
    ("planner",),
    ("messages",),
    ("views",),
    ("engines.cells",),
    ("show",),
    ("serve",),
    ("engines",),
    ("eyes", "studio", "batch"),
    ("__init__",),
    ("commands",),
    ("__main__",),
    (
        "lab.__init__",
        "lab.page_lines",
        "lab.results",
        "lab.row_names",
        "lab.shuffle",
        "lab.plot",
        "lab.stats",
        "lab.text",
        "lab.timing",
        "lab.methods",
    ),
    ("lab.train",),
    ("lab.rivals",),
    ("lab.inside",),
    ("lab.measure", "lab.decide", "lab.speed"),
    ("lab.official",),
    ("lab.commands",),
)
EXCEPTIONS = (
    ("homunculus.views.picture", "homunculus.show.views"),
    ("homunculus.views.document", "homunculus.show.document"),
)
"""The imports of a room above: `Views.show` draws, as a notebook expects of an object."""
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


@dataclass(frozen=True)
class Import:
    """One import of a module of ours."""

    module: str
    target: str
    line: int
    top: bool
    """Whether it runs when the module is imported."""


def modules() -> dict[str, Path]:
    """Files by dotted name."""
    table: dict[str, Path] = {}
    for package, folder in SOURCES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            table[".".join(parts).removesuffix(".__init__")] = path
    return table


def room(module: str) -> str:
    """The room of a module: a package or a file at the top; cells are a room of their own.

    >>> room("homunculus.planner.search"), room("homunculus.engines.cells.pack"), room("homunculus")
    ('planner', 'engines.cells', '__init__')
    >>> room("homunculus_lab.measure.run")
    'lab.measure'
    """
    package, _, rest = module.partition(".")
    parts = rest.split(".") if rest else ["__init__"]
    name = ".".join(parts[:2]) if parts[:2] == ["engines", "cells"] else parts[0]
    return f"lab.{name}" if package == "homunculus_lab" else name


def imports(source: str, known: Mapping[str, Path], module: str = "") -> Iterator[Import]:
    """Imports of modules of ours in a text; `from package import module` means the module."""

    def walk(node: ast.AST, top: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(module, alias.name, child.lineno, top)
            elif isinstance(child, ast.ImportFrom) and child.module:
                for alias in child.names:
                    inner = f"{child.module}.{alias.name}"
                    target = inner if inner in known else child.module
                    yield Import(module, target, child.lineno, top)
            else:
                function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                checking = isinstance(child, ast.If) and _names(child.test) == ["TYPE_CHECKING"]
                if not checking:  # read by type checkers alone
                    yield from walk(child, top and not function)

    for found in walk(ast.parse(source), True):
        if found.target.partition(".")[0] in SOURCES:
            yield found


def _names(node: ast.AST) -> list[str]:
    return [node.id] if isinstance(node, ast.Name) else []


def all_imports() -> list[Import]:
    """Every import between modules of ours."""
    known = modules()
    return [
        found
        for name, path in known.items()
        for found in imports(path.read_text("utf-8"), known, name)
        if found.top or (found.module, found.target) not in EXCEPTIONS
    ]


def arrows(found: list[Import]) -> dict[tuple[str, str], Import]:
    """Pairs of rooms, with an import that makes each."""
    pairs: dict[tuple[str, str], Import] = {}
    for each in found:
        pair = room(each.module), room(each.target)
        if pair[0] != pair[1]:
            pairs.setdefault(pair, each)
    return pairs


def up(pairs: Mapping[tuple[str, str], Import]) -> list[str]:
    """Arrows to a room that does not stand below, as lines of text."""
    return [
        f"{each.module}:{each.line} imports {each.target}: {there} does not stand below {here}"
        for (here, there), each in pairs.items()
        if here not in FLOOR or there not in FLOOR or FLOOR[there] >= FLOOR[here]
    ]


def circles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of nodes that reach each other (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    out: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(edges.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            at = stack.index(node)
            group, stack[at:] = stack[at:], []
            if len(group) > 1:
                out.append(sorted(group))

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return out


def main() -> int:
    """Print the rooms and what is wrong with them; 1 if anything is."""
    found = all_imports()
    pairs = arrows(found)
    below: dict[str, set[str]] = defaultdict(set)
    for here, there in pairs:
        below[here].add(there)
    between: dict[str, set[str]] = defaultdict(set)
    for each in found:
        between[each.module].add(each.target)
    rooms = sorted({room(name) for name in modules()}, key=lambda name: (FLOOR.get(name, -1), name))
    for name in rooms:
        print(f"{name:<14} imports {', '.join(sorted(below[name])) or 'nothing of ours'}")
    wrong = up(pairs)
    in_circles = circles(below) + circles(between)
    print(f"{len(rooms)} rooms, {len(modules())} modules, {len(pairs)} arrows")
    print(f"circles: {len(in_circles)}", *map(" <-> ".join, in_circles), sep="\n  ")
    print(f"arrows up: {len(wrong)}", *wrong, sep="\n  ")
    return bool(wrong or in_circles)


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    sys.exit(main())
