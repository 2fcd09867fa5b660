# pyright: basic
"""Do relevance maps, and the tokens kept by them, lie where people look?

Every row is scored on one viewer at a time and averaged over an image's viewers, so that a row and
the ceiling (what the other viewers tell of this one) are held against the same fixations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.engines.border import tensor
from homunculus.eyes.provenance import provenance
from homunculus.scouts.sight import Scout
from homunculus_lab.measure.gaze.maps import (
    blur,
    centre,
    count_by_viewer,
    count_fixations,
    normalise,
    of_logit,
    of_tokens,
    scores,
)
from homunculus_lab.measure.gaze.people import Point, Viewing, read_gaze
from homunculus_lab.measure.gaze.report import Agreement, make_report
from homunculus_lab.measure.plan import CONTROLS, driven
from homunculus_lab.measure.report import TWINS
from homunculus_lab.measure.row import Map, Row, row
from homunculus_lab.measure.spend import Sheet, open_sheet, oracle_map, saliency, spend_slots
from homunculus_lab.shuffle import derange

TWINNED = ("cut", "foveated")
"""Methods that are also measured without the question, without the page, with another question and
by saliency."""


def all_rows() -> tuple[str, ...]:
    """All methods that a question drives, the main ones with other scorers, and the controls."""
    twins = [f"{name}+{scorer}" for name in TWINNED for scorer in TWINS]
    plain = [control for control in CONTROLS if control not in TWINS or control == "saliency"]
    return (*(f"{name}+scout" for name in driven()), *twins, *plain)


@dataclass(frozen=True)
class GazeConfig:
    """What is compared with gaze, and how; all of it goes into the result."""

    tokens: tuple[int, ...] = (64, 273)
    methods: tuple[str, ...] = field(default_factory=lambda: all_rows())
    side: int = 1024
    patch: int = 16
    seed: int = 0
    blur: float = 0.03
    """Blur of maps and fixations, as a share of the longer side: a degree if an image spans 33."""
    floor: float = 0.01
    """Share of a map that is spread evenly, so that no place has probability 0."""
    task: str = "gaze"

    @property
    def sigma(self) -> float:
        """The blur in cells."""
        return self.blur * self.side / self.patch


@dataclass(eq=False)
class _Study:
    config: GazeConfig
    scorers: Mapping[str, Scout]
    rows: list[Row]
    pool: Mapping[str, set[tuple[Point, ...]]]
    """Paths of all viewers, by image."""
    other: Mapping[int, str]
    """Another image's question, by row."""
    printed: bool
    """Whether the words of every image are known."""


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
    origin, config, scorers = provenance(), config or GazeConfig(), scorers or {}
    viewings, skipped = read_gaze(folder)
    if len({viewing.question.image for viewing in viewings}) < 2:
        raise ValueError("gaze: one image has no centre bias, which comes from others. Add images.")
    study = _study(viewings, config, scorers)
    count = min(limit or len(viewings), len(viewings))
    viewings = [viewings[number * len(viewings) // count] for number in range(count)]
    results = []
    for done, viewing in enumerate(viewings):
        if progress:
            progress(done, len(viewings))
        results.append(_measure(study, viewing))
    if progress:
        progress(len(viewings), len(viewings))
    return origin | make_report(results, config) | {"skipped": skipped}


def _study(viewings: Sequence[Viewing], config: GazeConfig, scorers: Mapping[str, Scout]) -> _Study:
    pool: dict[str, set[tuple[Point, ...]]] = {}
    for viewing in viewings:
        pool.setdefault(viewing.question.image, set()).update(viewing.viewers)
    questions = [viewing.question for viewing in viewings if viewing.question.text]
    other: dict[int, str] = {}
    if len({question.image for question in questions}) > 1:
        wrong = derange(
            [question.text for question in questions], [question.image for question in questions]
        )
        other = {question.row: text for question, text in zip(questions, wrong, strict=True)}
    printed = all(viewing.words for viewing in viewings)
    known = set(scorers) | {"saliency", "answer"} | ({"shuffled"} if "scout" in scorers else set())
    wanted = [name for name in config.methods if "+" not in name or name.split("+")[1] in known]
    return _Study(config, scorers, [row(name, scorers) for name in wanted], pool, other, printed)


def _measure(study: _Study, viewing: Viewing) -> Agreement:
    """All rows of one question."""
    sheet = open_sheet(viewing.question.path, study.config.side, study.config.patch)
    judge, maps = _judge(study, sheet, viewing), _maps(study, sheet, viewing)
    flat = {"centre": centre(sheet.page.grid), "elsewhere": judge.elsewhere}
    flat |= {} if judge.words is None else {"words": judge.words}
    flat |= {name: of_logit(logit) for name, logit in maps.items()}
    table = {"human": {"map": judge.human()}} if len(viewing.viewers) > 1 else {}
    table |= {name: {"map": judge([value])} for name, value in flat.items()}
    for each in study.rows:
        if each.scorer is None or each.scorer in maps:
            for slots in study.config.tokens:
                densities = _densities(each, sheet, slots, maps.get(each.scorer or ""))
                table.setdefault(each.name, {})[str(slots)] = judge(densities)
    return Agreement(viewing.question, len(viewing.viewers), viewing.points, table)


def _judge(study: _Study, sheet: Sheet, viewing: Viewing) -> "_Judge":
    apart = (
        point
        for image, paths in study.pool.items() if image != viewing.question.image
        for path in paths for point in path
    )  # fmt: skip
    words = count_fixations(viewing.words, sheet) if study.printed else None
    return _Judge(
        study.config,
        count_by_viewer(viewing.viewers, sheet),
        count_fixations(apart, sheet),
        words,
    )


def _maps(study: _Study, sheet: Sheet, viewing: Viewing) -> dict[str, Map]:
    """Logits by name; those that the question has: free viewing has neither question nor answer."""
    question, logits = viewing.question, {}
    texts = {"scout": question.text, "blind": question.text, "prior": question.text}
    pixels, grid = sheet.page.pixels, sheet.page.grid
    for name, text in texts.items():
        if name in study.scorers and (text or name == "blind"):
            logits[name] = tensor(study.scorers[name](pixels, text, grid).logit)
    if "scout" in study.scorers and question.row in study.other:
        wrong = study.scorers["scout"](pixels, study.other[question.row], grid)
        logits["shuffled"] = tensor(wrong.logit)
    logits["saliency"] = saliency(pixels, grid)
    if question.boxes:
        logits["answer"] = oracle_map([sheet.box(box) for box in question.boxes], sheet)
    return {name: logit.float() for name, logit in logits.items()}


def _densities(row: Row, sheet: Sheet, slots: int, logit: Map | None) -> list[Map]:
    """Densities of tokens, one a draw."""
    if row.context is not None:
        raise ValueError(f"gaze: {row.name} keeps pictures, not cells. Name another row.")
    if not row.methods:  # `resize` sees every place alike
        return [torch.ones(sheet.page.grid, dtype=torch.float64)]
    draws = (spend_slots(row, draw, sheet, slots, logit) for draw in range(len(row.methods)))
    return [of_tokens(spent.field, spent.allocation) for spent in draws]


@dataclass(frozen=True, eq=False)
class _Judge:
    """Scores maps on the viewers of one image."""

    config: GazeConfig
    count: Float[Tensor, "v rows cols"]
    elsewhere: Float[Tensor, "rows cols"]
    words: Float[Tensor, "rows cols"] | None

    def __call__(self, draws: Sequence[Float[Tensor, "rows cols"]]) -> list[float]:
        """Mean over viewers, and over draws of a map."""
        means = torch.stack([self._scores(draw, slice(None)).mean(0) for draw in draws])
        return means.mean(0).tolist()

    def human(self) -> list[float]:
        """The ceiling: each viewer by the density of all the others."""
        total, all_rows = self.count.sum(0), range(len(self.count))
        values = [
            self._scores(total - self.count[viewer], slice(viewer, viewer + 1))
            for viewer in all_rows
        ]
        return torch.cat(values).mean(0).tolist()

    def _scores(self, value: Float[Tensor, "rows cols"], who: slice) -> Float[Tensor, "v c"]:
        sigma, count = self.config.sigma, self.count[who]
        inputs = [normalise(value, sigma, self.config.floor), count.flatten(1)]
        inputs += [blur(count, sigma).flatten(1), self.elsewhere.flatten()]
        inputs += [] if self.words is None else [self.words.flatten()]
        return scores(*inputs, grid=tuple(value.shape))
