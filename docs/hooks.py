"""Hooks of mkdocs and griffe: files of the repository that pages link to are part of the site.

Examples in docstrings are shown as code. Pages are written for readers of the repository (`../results/x.json`, `../CONTRIBUTING.md`). Here
those files join the site under their own paths, and links follow. Whatever would be loaded from
elsewhere ends the build.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

import griffe
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
MORE = (
    "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "LOG.md", "lab/README.md", "suites/README.md", "suites/*/README.md",
    "src/homunculus/scouts/words/weights/README.md",
    "src/homunculus/scouts/reading/weights/README.md", "results/*.json", "results/archive/*.json",
    "results/archive/*.md", "results/decision.md", "notebooks/*.ipynb", "bakeoff.toml",
)  # fmt: skip
"""Files outside of docs/ that belong to the site."""
LINK = re.compile(r"(\]\()(?![a-z]+:|#|/)([^)\s#]+)")
SERIES = re.compile(r"(?<=[\d*]) / (?=[\d.*])")
"""Between the figures of a cell, as in `.07 / .29 / .65`: a line breaks elsewhere."""
ELSEWHERE = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\ssrc=\"?(?:https?:)?//|<link\b[^>]*rel=\"?"
    r"(?:stylesheet|preconnect|icon)[^>]*href=\"?(?:https?:)?//"
)


def on_files(files: Files, config: Any) -> Files:
    """Add what stands outside of docs/."""
    for pattern in MORE:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Lead links of the repository to the same files of the site."""
    source = page.file.src_uri
    if page.parent is None:  # a tab of one page has nothing to list beside it
        page.meta["hide"] = ["navigation"]
    here = source if (ROOT / source).exists() and source in outside(files) else f"docs/{source}"
    start = posixpath.dirname(source) or "."

    def lead(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(here), match[2]))
        target = "docs/index.md" if target == "README.md" else target
        inside = target.removeprefix("docs/")
        return match[1] + posixpath.relpath(inside, start)

    lines = [SERIES.sub("\xa0/\xa0", line) if line.startswith("|") else line
             for line in markdown.split("\n")]  # fmt: skip
    markdown = "\n".join(lines)
    # not in code: diffs and listings are shown as they are
    parts = re.split(r"(^ *```.*?^ *```|`[^`\n]+`)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if at % 2 else LINK.sub(lead, part) for at, part in enumerate(parts))


def outside(files: Files) -> set[str]:
    """Names of the files that were added."""
    return {file.src_uri for file in files if file.generated_by or file.src_dir is None}


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Refuse a page that would load something from another host."""
    if found := ELSEWHERE.search(output):
        raise PluginError(f"{page.file.src_uri} loads from elsewhere: {found[0]}")
    return output


class Doctests(griffe.Extension):
    """Puts fences around the examples of docstrings, which Markdown takes for quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for every object that was read."""
        if obj.docstring:
            example = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)
            fenced = example.sub(r"\n```pycon\n\g<0>\n```", obj.docstring.value)
            obj.docstring.value = fenced
