# pyright: basic
"""Do maps, and the tokens kept by them, lie where people look? Before it is said, it is measured.

Every row is scored on one viewer at a time and averaged over an image's viewers, so that a row and
the ceiling (what the other viewers tell of this one) are held against the same fixations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.core.pipeline import Scout
from homunculus.lab.gaze.maps import (
    blurred,
    centre,
    counted,
    of_logit,
    of_tokens,
    package,
    pooled,
    reference,
    scores,
    shown,
)
from homunculus.lab.gaze.people import Point, Watched, watched
from homunculus.lab.gaze.report import TWINS, Looked, report
from homunculus.lab.measure.plan import CONTROLS, driven
from homunculus.lab.measure.report import provenance
from homunculus.lab.measure.row import Map, Row, row
from homunculus.lab.measure.spend import Sheet, opened, planned, saliency, told
from homunculus.lab.shuffle import derange

MAPS = ("scout", "blind", "prior", "shuffled", "saliency", "answer")
TWINNED = ("cut", "foveated")
"""Methods that are shown without the question, without the page, with another question and by
saliency, too."""
CHECKED = 8
"""Every so many questions are scored by pysaliency, too, where it is installed."""


def every() -> tuple[str, ...]:
    """All methods that a question drives, twins of the main ones, and the controls."""
    twins = [f"{name}+{eye}" for name in TWINNED for eye in TWINS]
    plain = [one for one in CONTROLS if one not in TWINS or one == "saliency"]
    return (*(f"{name}+scout" for name in driven()), *twins, *plain)


@dataclass(frozen=True)
class GazeConfig:
    """What is compared with gaze, and how; all of it goes into the result."""

    tokens: tuple[int, ...] = (64, 273)
    methods: tuple[str, ...] = field(default_factory=lambda: every())
    side: int = 1024
    patch: int = 16
    seed: int = 0
    blur: float = 0.03
    """Of maps and fixations alike, in longer sides: one degree where an image spans 33."""
    floor: float = 0.01
    """Share of a map that is laid evenly: nobody is sure that a place is never looked at."""
    task: str = "gaze"

    @property
    def sigma(self) -> float:
        """The blur in cells."""
        return self.blur * self.side / self.patch


@dataclass(eq=False)
class _Eyes:
    config: GazeConfig
    scorers: Mapping[str, Scout]
    rows: list[Row]
    pool: Mapping[str, set[tuple[Point, ...]]]
    """Paths of all viewers, by image."""
    other: Mapping[int, str]
    """Somebody else's question, by row."""
    printed: bool
    """Whether the words of every image are known."""
    far: list[float] = field(default_factory=list)
    """Largest differences from pysaliency."""


def gaze(
    folder: str | Path,
    config: GazeConfig | None = None,
    scorers: Mapping[str, Scout] | None = None,
    progress: Callable[[int, int], None] | None = None,
    limit: int | None = None,
) -> dict[str, Any]:
    """Score maps and allocations against the gaze of a suite; what goes into `results/`.

    ``limit`` questions are taken evenly from the whole suite; centre bias comes from all of it.
    """
    made, config, scorers = provenance(), config or GazeConfig(), scorers or {}
    seen, left = watched(folder)
    if len({one.question.image for one in seen}) < 2:
        raise ValueError("gaze: one image has no others to tell its centre bias from. Add some.")
    eyes = _eyes(seen, config, scorers)
    few = min(limit or len(seen), len(seen))
    seen = [seen[at * len(seen) // few] for at in range(few)]
    (judge, why), found = _version(), []
    for at, one in enumerate(seen):
        if progress:
            progress(at, len(seen))
        found.append(_look(eyes, one, judge is not None and at % CHECKED == 0))
    if progress:
        progress(len(seen), len(seen))
    agreed = {"version": judge, "questions": len(eyes.far), "largest": max(eyes.far, default=None)}
    agreed |= {"why_not": why} if why else {}
    return made | report(found, config) | {"skipped": left, "pysaliency": agreed}


def _version() -> tuple[str | None, str | None]:
    """Of pysaliency; or None, and why it cannot be asked."""
    try:
        package()
    except ImportError as error:
        return None, str(error)
    return version("pysaliency"), None


def _eyes(seen: Sequence[Watched], config: GazeConfig, scorers: Mapping[str, Scout]) -> _Eyes:
    pool: dict[str, set[tuple[Point, ...]]] = {}
    for one in seen:
        pool.setdefault(one.question.image, set()).update(one.viewers)
    asked = [one.question for one in seen if one.question.text]
    other: dict[int, str] = {}
    if len({one.image for one in asked}) > 1:
        wrong = derange([one.text for one in asked], [one.image for one in asked])
        other = {one.row: text for one, text in zip(asked, wrong, strict=True)}
    printed = all(one.words for one in seen)
    known = set(scorers) | {"saliency", "answer"} | ({"shuffled"} if "scout" in scorers else set())
    wanted = [name for name in config.methods if "+" not in name or name.split("+")[1] in known]
    return _Eyes(config, scorers, [row(name, scorers) for name in wanted], pool, other, printed)


def _look(eyes: _Eyes, one: Watched, check: bool) -> Looked:
    """All rows of one question."""
    sheet = opened(one.question.path, eyes.config.side, eyes.config.patch)
    judge, maps = _judge(eyes, sheet, one, check), _maps(eyes, sheet, one)
    flat = {"centre": centre(sheet.page.grid), "elsewhere": judge.elsewhere}
    flat |= {} if judge.words is None else {"words": judge.words}
    flat |= {name: of_logit(logit) for name, logit in maps.items()}
    table = {"human": {"map": judge.human()}} if len(one.viewers) > 1 else {}
    table |= {name: {"map": judge([value])} for name, value in flat.items()}
    for each in eyes.rows:
        if each.scorer is None or each.scorer in maps:
            for slots in eyes.config.tokens:
                kept = _kept(each, sheet, slots, maps.get(each.scorer or ""))
                table.setdefault(each.name, {})[str(slots)] = judge(kept)
    eyes.far += [max(judge.far)] if check else []
    return Looked(one.question, len(one.viewers), one.points, table)


def _judge(eyes: _Eyes, sheet: Sheet, one: Watched, check: bool) -> "_Judge":
    apart = (
        point
        for image, paths in eyes.pool.items() if image != one.question.image
        for path in paths for point in path
    )  # fmt: skip
    words = counted(one.words, sheet) if eyes.printed else None
    return _Judge(eyes.config, pooled(one.viewers, sheet), counted(apart, sheet), words, check)


def _maps(eyes: _Eyes, sheet: Sheet, one: Watched) -> dict[str, Map]:
    """Logits by name; those that the question has: free viewing has neither question nor answer."""
    question, found = one.question, {}
    asked = {"scout": question.text, "blind": question.text, "prior": question.text}
    pixels, grid = sheet.page.pixels, sheet.page.grid
    for name, text in asked.items():
        if name in eyes.scorers and (text or name == "blind"):
            found[name] = eyes.scorers[name](pixels, text, grid).logit
    if "scout" in eyes.scorers and question.row in eyes.other:
        found["shuffled"] = eyes.scorers["scout"](pixels, eyes.other[question.row], grid).logit
    found["saliency"] = saliency(pixels, grid)
    if question.boxes:
        found["answer"] = told([sheet.box(box) for box in question.boxes], sheet)
    return {name: logit.detach().float() for name, logit in found.items()}


def _kept(one: Row, sheet: Sheet, slots: int, logit: Map | None) -> list[Map]:
    """Densities of tokens, one a draw."""
    if not one.methods:  # `resize` sees every place alike
        return [torch.ones(sheet.page.grid, dtype=torch.float64)]
    draws = (planned(one, draw, sheet, slots, logit) for draw in range(len(one.methods)))
    return [of_tokens(spent.field, spent.allocation) for spent in draws]


@dataclass(frozen=True, eq=False)
class _Judge:
    """Scores maps on the viewers of one image."""

    config: GazeConfig
    count: Float[Tensor, "v rows cols"]
    elsewhere: Float[Tensor, "rows cols"]
    words: Float[Tensor, "rows cols"] | None
    check: bool
    far: list[float] = field(default_factory=list)

    def __call__(self, draws: Sequence[Float[Tensor, "rows cols"]]) -> list[float]:
        """Mean over viewers, and over draws of a map."""
        found = torch.stack([self._scores(draw, slice(None)).mean(0) for draw in draws])
        return found.mean(0).tolist()

    def human(self) -> list[float]:
        """The ceiling: each viewer by the density of all the others."""
        total, every = self.count.sum(0), range(len(self.count))
        found = [self._scores(total - self.count[at], slice(at, at + 1)) for at in every]
        return torch.cat(found).mean(0).tolist()

    def _scores(self, value: Float[Tensor, "rows cols"], who: slice) -> Float[Tensor, "v c"]:
        sigma, count = self.config.sigma, self.count[who]
        given = [shown(value, sigma, self.config.floor), count.flatten(1)]
        given += [blurred(count, sigma).flatten(1), self.elsewhere.flatten()]
        given += [] if self.words is None else [self.words.flatten()]
        found = scores(*given)
        if self.check:
            theirs = reference(*given, grid=tuple(value.shape))
            self.far.append(float((found - theirs).abs().max()))
        return found
