"""`homunculus mcp`: a tool for agents that looks at a picture for a question, within a budget.

The agent gets views and a text with their boxes, instead of paying for the whole screenshot. Only
pictures under the folders that it was started with can be looked at.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from homunculus.lazy import need
from homunculus.pages import PictureError
from homunculus.planner.view import number_of_pictures
from homunculus.views import DocumentViews, Views, views

MAX_TOKENS = 4096
"""Tokens that a call may ask for."""


def find(path: str, roots: Sequence[Path]) -> Path:
    """A file under one of the roots, links followed first; else an error for people."""
    candidates = [Path(path)] if Path(path).is_absolute() else [root / path for root in roots]
    for candidate in candidates:
        try:
            real = candidate.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):  # not there, too long, links in a circle
            continue
        if real.is_file() and any(real.is_relative_to(root.resolve()) for root in roots):
            return real
    raise PictureError(
        f"{path}: no such picture under {', '.join(str(root) for root in roots)}. "
        "Name a file there; the folders are those that `homunculus mcp` was started with."
    )


def describe(seen: Views, path: Path) -> str:
    """What the pictures show, for the model that reads them."""
    facts = seen.to_json()
    lines = [
        f"{path} as {number_of_pictures(len(seen))}: {seen.tokens} of at most {seen.limit} "
        f"{seen.rule.token}; the original would cost {seen.untouched}. {seen.message}",
        *seen.picture.notes(),
    ]
    if seen.sight.matches:
        lines.append(seen.outlook.matches())
    for number, view in enumerate(facts["views"], 1):
        x0, y0, x1, y1 = (round(side) for side in view["box"])
        where = f"pixels {x0},{y0} to {x1},{y1} of the original, at {view['scale']:.2f} its scale"
        lines.append(f"Image {number} ({view['name']}): {where}.")
    return "\n".join(lines)


def describe_document(seen: DocumentViews, path: Path) -> str:
    """What the pictures of a document show, for the model that reads them."""
    lines = [
        f"{path}, a document of {len(seen.document)} pages, as {number_of_pictures(len(seen))}: "
        f"{seen.tokens} of at most {seen.limit} {seen.rule.token}; all pages would cost "
        f"{seen.untouched}. {seen.message}",
        *(page.views.outlook.matches() for page in seen.pages[:1] if page.views.sight.matches),
    ]
    for number, view in enumerate(seen, 1):
        x0, y0, x1, y1 = (round(side) for side in view.box)
        where = f"pixels {x0},{y0} to {x1},{y1} of page {view.page}, at {view.scale:.2f} its scale"
        lines.append(f"Image {number} (page {view.page}, {view.name}): {where}.")
    return "\n".join([*lines, "Name a page to look closer at it."])


def look_within(
    path: str,
    question: str,
    tokens: int,
    model: str,
    roots: Sequence[Path],
    page: int | None = None,
    ocr: str | None = None,
) -> tuple[str, list[tuple[bytes, str]]]:
    """A text, and pictures as bytes and format."""
    if not 1 <= tokens <= MAX_TOKENS:
        raise PictureError(f"tokens: expected 1 to {MAX_TOKENS}, got {tokens}.")
    file = find(path, roots)
    seen = views(
        file, question, tokens=tokens, model=model, page=page, settings=(), label=False, ocr=ocr
    )
    pictures = [part.picture for part in seen.bundle().parts]
    files = [(file.data, file.media.removeprefix("image/")) for file in pictures if file]
    if isinstance(seen, DocumentViews):
        return describe_document(seen, file), files
    return describe(seen, file), files


def server(
    roots: Sequence[Path], tokens: int, model: str, version: str, ocr: str | None = None
) -> Any:
    """An MCP server with one tool; ``version`` is what it tells clients of itself, and ``ocr``
    reads pictures that have no words of their own."""
    mcp: Any = need("mcp.server.mcpserver", extra="mcp", who="homunculus mcp")
    errors: Any = need("mcp.server.mcpserver.exceptions", extra="mcp", who="homunculus mcp")
    threads: Any = need("anyio.to_thread", extra="mcp", who="homunculus mcp")
    mcp_server = mcp.MCPServer("homunculus", version=version)
    budget = tokens

    @mcp_server.tool(structured_output=False)  # else clients send the pictures once more, as text
    async def look_at(
        path: str, question: str, tokens: int = budget, page: int | None = None
    ) -> list[Any]:
        """Look at a picture file for a question without paying for all of it.

        Returns a small picture of the whole and close-ups of where the answer probably stands,
        which cost at most `tokens` image tokens together, and their places in the original. Ask
        one question at a time; ask again, with another question or more tokens, to look elsewhere.
        A PDF or a TIFF of several pages is one document: the pages that may have the answer are
        found, and the tokens are for all of them. `page` names one page instead; the first is 1.
        """
        try:
            text, files = await threads.run_sync(
                look_within, path, question, tokens, model, roots, page, ocr
            )
        except ValueError as error:
            raise errors.ToolError(str(error)) from error
        return [text, *(mcp.Image(data=data, format=kind) for data, kind in files)]

    return mcp_server
