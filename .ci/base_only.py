"""Show a venv only what a distribution requires: `base_only.py SITE_PACKAGES NAME [MORE...]`.

Links all that the named distribution requires (extras left out), but not itself, from this
interpreter's site-packages, so that "works with the base dependencies alone" is tried, not argued.
More distributions are linked with what they require.
"""

import sys
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement


def closure(wishes: list[str]) -> set[str]:
    """The distributions wished for, and what they require on this machine."""
    seen: set[str] = set()
    while wishes:
        wish = Requirement(wishes.pop())
        here = wish.marker is None or wish.marker.evaluate({"extra": ""})
        if here and wish.name not in seen:
            seen.add(wish.name)
            wishes += distribution(wish.name).requires or []
    return seen


def link(names: set[str], site: Path) -> None:
    """Link each top-level entry of the distributions into the other site-packages."""
    for dist in map(distribution, sorted(names)):
        tops = {Path(file).parts[0] for file in dist.files or []} - {"..", "__pycache__"}
        for top in tops:
            if not (site / top).exists():
                (site / top).symlink_to(str(dist.locate_file(top)))


if __name__ == "__main__":
    found = closure(sys.argv[2:]) - {sys.argv[2]}
    link(found, Path(sys.argv[1]))
    print("importable:", *sorted(found))
