"""Keep cells of one picture for one question: open, score, allocate, certify, draw, explain.

Where the package has its scout, the question's words are looked for on the page; the result says
which were found, or where else its relevance came from.
"""

from dataclasses import dataclass, replace
from io import BytesIO
from math import ceil, isfinite, log2, nan
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.checks import check_count, check_text
from homunculus.engines.cells import lift
from homunculus.engines.cells.ask import ask, scout_for
from homunculus.engines.cells.coverage import Certificate, certify
from homunculus.engines.cells.methods import DEFAULT_OF_CELLS, Method, get_method
from homunculus.engines.cells.pipeline import spend
from homunculus.engines.cells.types import Allocation, Budget, Field, Tokens
from homunculus.pages import Picture, open_picture
from homunculus.planner.counting import DEFAULT_TOKENS
from homunculus.planner.models import token_rule
from homunculus.scouts.registry import ScoutLike
from homunculus.scouts.sight import Map, Sight, resize_map
from homunculus.show import panels
from homunculus.show.why import notes, why_facts

CELLS = 65_536
"""Level-0 cells a picture is reduced to at most."""


@dataclass(frozen=True, eq=False)
class Look:
    """What was seen of one picture, and why."""

    picture: Picture
    question: str
    method: Method
    patch: int
    wanted: int
    """Tokens asked for; a smaller picture has fewer cells to give, `resize` may keep fewer."""
    field: Field
    relevance: Map
    """Logits of the level-0 cells."""
    sight: Sight
    """What the scout made of the picture and the question."""
    allocation: Allocation
    tokens: Tokens
    certificate: Certificate
    fixation: tuple[float, float] | None
    """y x in level-0 cells; None where the method has none."""

    def __repr__(self) -> str:
        return f"<Look of {self.question!r}: {self.caption()}>"

    @property
    def plain(self) -> bool:
        """Whether every token is one square of a pyramid, so that its level tells its size."""
        square = self.field.regular or int(self.tokens.level.max()) == 0
        return square and self.allocation.index.shape[2] == 1

    def caption(self) -> str:
        """One line of facts."""
        kept, cells = int(self.tokens.valid.sum()), self.relevance.size
        seen = int(float(self.certificate.covered[0]) * 1000) / 10  # never rounded up to all
        return (
            f"{self.method.name}: {kept} tokens of {cells} cells of {self.patch} px, "
            f"{seen:g}% of the image covered, "
            f"largest gap {float(self.certificate.gap[0]):.3g} cells, "
            f"relevance: {self.sight.origin}"
        )

    def notes(self) -> list[str]:
        """Sentences on what a reader might not expect of this picture and this question."""
        return notes(self.picture, self.question, self.sight)

    def draw(self) -> Any:
        """Three panels as a Pillow image: where it looked, its tokens, and their pixels."""
        return panels.draw_panels(
            self._mips(),
            self.picture.size,
            self.relevance,
            self.tokens,
            patch=self.patch,
            plain=self.plain,
            question=self.question,
            caption=" ".join([f"{self.caption()}.", *self.notes()]),
            origin=self.sight.origin,
            fixation=self.fixation,
            words=[(match.label, match.box) for match in self.sight.likely],
        )

    def _repr_png_(self) -> bytes:
        """The drawing, for a notebook."""
        file = BytesIO()
        self.draw().save(file, "PNG")
        return file.getvalue()

    def cells(self, scale: float = 1.0) -> panels.TokenDrawings:
        """The tokens alone, as drawings: where they are, and what they show."""
        return panels.draw_cells(
            self._mips(), self.picture.size, self.tokens,
            patch=self.patch, plain=self.plain, scale=scale, fixation=self.fixation,
        )  # fmt: skip

    def _mips(self) -> list[Float[Tensor, "1 3 _h _w"]]:
        """The picture and its halvings, down to the coarsest token."""
        side = float((self.tokens.box[0, :, 2:] - self.tokens.box[0, :, :2]).max())
        coarsest = int(self.tokens.level.max()) if self.plain else ceil(log2(max(1.0, side)))
        return lift.mips(torch.from_numpy(self.picture.unit()), 1 + coarsest)

    def why(self) -> dict[str, Any]:
        """Which words of the question were found, where, and what was made of it."""
        return why_facts(self.sight, self.relevance, self.picture, self.patch)

    def save(self, path: str | Path) -> Path:
        """Draw to a file; its ending says the format."""
        self.draw().save(path, compress_level=3)  # PNG: a third of the time, 3 % more bytes
        return Path(path)

    def to_json(self) -> dict[str, Any]:
        """Facts for machines; boxes and fixation are x y in pixels of the original picture."""
        high, wide = self.picture.original
        rows, cols = self.relevance.shape
        valid, point = self.tokens.valid[0], self.fixation
        level = self.tokens.level[0][valid]
        image = {
            "name": self.picture.name, "width": wide, "height": high, "patch": self.patch,
            "reduced": list(self.picture.size[::-1]), "rows": rows, "cols": cols,
            "page": self.picture.page, "pages": self.picture.pages,
        }  # fmt: skip
        return {
            "method": self.method.name,
            "question": self.question,
            "tokens": self.wanted,
            "cells": rows * cols,
            "kept": int(valid.sum()),
            "image": image,
            "notes": self.notes(),
            "relevance": self.sight.origin,
            "why": self.why(),
            "certificate": {name: part[0].item() for name, part in vars(self.certificate).items()},
            "levels": {
                str(number): int((level == number).sum()) for number in sorted(set(level.tolist()))
            },
            "fixation": self._original(torch.tensor([point * 2]))[0][:2] if point else None,
            "boxes": self._original(self.tokens.box[0][valid]),
        }

    def _original(self, box: Float[Tensor, "n 4"]) -> list[list[float]]:
        """Cells y0 x0 y1 x1 to pixels x0 y0 x1 y1 of the original picture, clipped to it."""
        whole = torch.tensor(self.picture.original * 2).double()
        scale = self.patch * whole / torch.tensor(self.picture.size * 2)
        pixel = (box.double() * scale).clamp(min=0).minimum(whole)
        return pixel[:, [1, 0, 3, 2]].round(decimals=1).tolist()


def look(
    source: Any,
    question: str = "",
    *,
    method: str | Method = DEFAULT_OF_CELLS,
    tokens: int = DEFAULT_TOKENS,
    patch: int = 16,
    model: str | int | None = None,
    fixation: tuple[float | int, float | int] | None = None,
    scout: ScoutLike = "auto",
    page: int = 1,
) -> Look:
    """Spend a budget of tokens on a picture.

    A token is ``patch`` pixels along its side, or as large as one of ``model`` (`qwen3-vl`).
    ``fixation`` is x y, fractions of the picture if both are at most 1, else pixels of the
    original. ``scout`` says where the question looks: a name (`homunculus.list_scouts`), a folder
    with weights of the word scout, a map of logits, or a function of (image, question, grid).

    >>> import numpy as np
    >>> from PIL import Image
    >>> page = Image.new("RGB", (640, 480), "white")
    >>> seen = look(page, "What is the total?", tokens=64, scout=np.eye(4))
    >>> int(seen.tokens.valid.sum()), seen.certificate.covered.item()
    (64, 1.0)
    """
    patch = patch if model is None else token_rule(model).side
    tokens, patch = check_count(tokens, "look: tokens"), check_count(patch, "look: patch")
    check_text(question, "look: question", 'Leave it "" to ask nothing.')
    chosen = method if isinstance(method, Method) else get_method(method)
    picture = _bounded(source, page, patch)
    grid = picture.grid(patch)
    slots = Budget(tokens=tokens).slots(grid[0] * grid[1])
    if fixation is not None:
        chosen = chosen.aimed(_aim(fixation, picture, patch))
    sight = ask(chosen, scout_for(chosen, scout, patch), picture.pixels, question, grid)
    logit = resize_map(sight.logit, grid)
    sight = replace(sight, logit=logit)
    score = torch.tensor(logit).reshape(1, -1)
    material = None if chosen.prepare is None else chosen.prepare(picture.pixels, patch)
    spent = spend(chosen, [grid], score, slots, material)
    gaze = chosen.rule.gaze(spent.field, spent.relevance)
    return Look(
        picture=picture,
        question=question,
        method=chosen,
        patch=patch,
        wanted=tokens,
        field=spent.field,
        relevance=sight.logit,
        sight=sight,
        allocation=spent.allocation,
        tokens=spent.tokens,
        certificate=certify(spent.field, spent.allocation),
        fixation=None if gaze is None else (float(gaze[0, 0, 0]), float(gaze[0, 0, 1])),
    )


def _bounded(source: Any, page: int, patch: int) -> Picture:
    """The picture, reduced until its level-0 cells fit."""
    if not 1 <= patch <= 256:
        raise ValueError(f"look: patch must be 1 to 256 pixels, got {patch}")
    # 3,700: more cells than stick out at the border of the slimmest picture that is let in.
    # the longer side has no bound of its own: a page of many screens stays readable
    return open_picture(source, page, longest=10**6, area=(CELLS - 3_700) * patch**2)


def _aim(
    point: tuple[float | int, float | int], picture: Picture, patch: int
) -> Float[Tensor, "1 1 2"]:
    """A given fixation as y x in level-0 cells."""
    try:
        x, y = (float(side) for side in point)
    except (TypeError, ValueError):
        x = y = nan
    if not (isfinite(x) and isfinite(y)):
        raise ValueError(
            f"look: a fixation is x y, two finite numbers, got {point!r:.80}. Write (0.5, 0.5)."
        )
    high, wide = picture.original
    if max(x, y) > 1:
        x, y = x / wide, y / high
    if not (0 <= x <= 1 and 0 <= y <= 1):
        raise ValueError(
            f"look: fixation {tuple(point)} lies outside the picture of {wide}x{high} pixels. "
            "Give fractions from 0 to 1, or pixels of the original."
        )
    rows, cols = picture.size
    return torch.tensor([[[y * rows / patch, x * cols / patch]]])
