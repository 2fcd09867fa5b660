# pyright: basic
"""The transformers engine, run as one row after the other: a model is loaded once for all."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from statistics import fmean
from time import perf_counter
from typing import Any

from homunculus.checks import Grid
from homunculus.engines.transformers import attach
from homunculus.engines.transformers.conversation import last_question
from homunculus.engines.transformers.engine import Engine
from homunculus.scouts.registry import shipped
from homunculus.scouts.sight import Pixels, Scout, Sight
from homunculus_lab.inside import INSIDE, Dropping
from homunculus_lab.official.resize import Fit
from homunculus_lab.official.rows import RESIZE, Way

CELL = 16
"""Pixels of the cells in which the scout tells where to look, as the engine asks it."""
ALL = 1 << 30
"""More tokens than any image has: with these the model is untouched, bit for bit."""


@dataclass(frozen=True)
class TimedAnswer:
    """An answer and what it cost."""

    text: str
    kept: tuple[int, ...]
    """Tokens of each image; inside the language model, the mean over its layers."""
    of: tuple[int, ...]
    """Tokens of each image before selection."""
    prompt: int
    """Tokens of the whole prompt."""
    scout: float
    """Seconds spent on where to look."""
    seconds: float
    """Seconds from the opened image to the answer."""


class Runner:
    """A model that answers as one row of the table, until `take` sets another."""

    def __init__(self, model: Any, processor: Any, way: Way, where: str = "auto") -> None:
        self.model, self.processor, self.where = model, processor, where
        self.take(way)

    def take(self, way: Way) -> None:
        """Answer in this way from now on."""
        self.way, self.spent = way, 0.0
        if (scout := shipped_scout()) is not None:  # no row finds pages that another one has read
            scout.cache.clear()
        setting: dict[str, Any] = {"tokens": ALL, "method": "uniform", "where": "after"}
        if not way.untouched:
            setting = {"tokens": way.tokens, "method": way.method, "where": self.where}
        engine = attach(self.model, self.processor, **setting)
        self.rule = INSIDE[way.method](way.tokens or ALL, mean=True) if way.inside else None
        self.engine: Engine = replace(engine, scout=partial(self._timed, engine.scout))

    def answer(
        self, conversation: Sequence[Mapping[str, Any]], other: str = "", **options: Any
    ) -> TimedAnswer:
        """What the model says; ``other`` is the question that chooses, if that is another one's."""
        self.other = other if self.way.question == "shuffled" else last_question(conversation)
        native: list[int] = []
        if self.way.method == RESIZE:  # not timed: the size could be known before
            conversation, native = self.fit.shrunk(conversation, self.way.tokens or ALL)
        self.spent, start = 0.0, perf_counter()
        with Dropping(self.model, self.rule) if self.rule else nullcontext() as dropping:
            (reply,) = self.engine.chat(conversation, **options)
        seconds = perf_counter() - start
        prompt = reply.prepared["input_ids"].shape[1]
        kept = [len(image.choice.anchor) for image in reply.images]
        of = native or [image.layout.total for image in reply.images]
        if dropping:
            kept = [round(fmean(layers)) for layers in dropping.counts]
            of = [layers[0] for layers in dropping.counts]
        return TimedAnswer(reply.text, tuple(kept), tuple(of), prompt, self.spent, seconds)

    @cached_property
    def fit(self) -> Fit:
        """Shrinks images."""
        return Fit(self.processor, self.model.config.image_token_id)

    def _timed(self, scout: Scout, image: Pixels, question: str, grid: Grid) -> Sight:
        """What the engine's own scout says, but for whose question it is; with a clock."""
        start, way = perf_counter(), self.way
        if way.question in ("blind", "prior"):
            sight = self._control(scout, image, question, grid)
        else:
            sight = scout(image, "" if way.question == "none" else self.other, grid)
        self.spent += perf_counter() - start
        return sight

    def _control(self, scout: Scout, image: Pixels, question: str, grid: Grid) -> Sight:
        """The scout without the question; by pixels where there is no text, as the scout does."""
        words, mode = shipped_scout(), self.way.question
        if words is None or mode not in words.spread:
            raise ValueError(f"the scout cannot run as {mode} here. Leave that row out.")
        (sight,) = words.ask(image, [question], CELL, mode)
        return scout(image, "", grid) if sight.blank and mode == "blind" else sight


def shipped_scout() -> Any:
    """The scout that the engine itself asks; None if the package has none."""
    return shipped()
