# pyright: basic
"""Hooks that drop rows between the layers of a language model: states, positions, cache together.

A layer after a drop is called with fewer rows, and so its part of the KV cache has fewer. The first
layers keep all, hence transformers counts the prompt as it was, and a token that is generated later
stands where it would have stood.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from homunculus_lab.inside.prompt import Prompt
from homunculus_lab.inside.rows import EMPTY, Rows, fill, prompt_mask, step_mask, take
from homunculus_lab.inside.rule import InsideRule, Keep

FAMILIES = ("qwen2_5_vl", "qwen3_vl", "llava", "llava_onevision")
WHO = "homunculus_lab.inside"
Rotation = tuple[Tensor, Tensor]
"""Cosines and sines of rotary positions, of every column."""


@dataclass(eq=False)
class Pass:
    """State of the current prompt."""

    image: Int[Tensor, "b n"]
    """Which image of its prompt a column belongs to; -1 for text."""
    valid: Bool[Tensor, "b n"]
    """Which columns are no padding."""
    rows: Rows
    """What is left of the prompts where the model is."""
    stages: list[list[list[tuple[int, int]]]]
    """For each prompt and image, the layers at which it is cut, and to how many tokens."""
    embed: Any = None
    """The input of the first layer."""
    earlier: Any = None
    """The input of the layer before."""
    held: dict[int, Rows] = field(default_factory=dict)
    """The rows of each layer after a drop."""
    choices: dict[int, list[list[Keep]]] = field(default_factory=dict)
    """What was kept, by layer, prompt and image; rows are those of the prompt without padding."""
    deep: tuple[Tensor, Sequence[Tensor]] | None = None
    """Features that Qwen3-VL adds after its first layers, and the rows they are for."""

    def counts(self, depth: int) -> list[list[int]]:
        """Tokens of each image in each layer."""
        out: list[list[int]] = []
        for layer in range(depth):
            image = self.image
            if layer in self.held:
                column = self.held[layer].column
                image = image.gather(1, column.clamp(min=0)).masked_fill(column == EMPTY, -1)
            out.append([
                int((image[prompt] == number).sum())
                for prompt, images in enumerate(self.stages)
                for number in range(len(images))
            ])  # fmt: skip
        return [list(layers) for layers in zip(*out, strict=True)]


class Dropping(AbstractContextManager["Dropping"]):
    """Inside `with`, a model drops tokens of images between its layers, as the rule says.

    For `generate`, and for the last token of a plain call: what a call returns has fewer rows. An
    image is a run of placeholders; two that stand side by side count as one.
    """

    def __init__(self, model: Any, rule: InsideRule) -> None:
        self.model, self.rule = model, rule
        kind = model.config.model_type
        if kind not in FAMILIES:
            raise ValueError(
                f"{WHO}: {rule.name} is made for {', '.join(FAMILIES)}, got {kind}. "
                "Use a method after the encoder, such as divprune."
            )
        self.text = model.base_model.language_model
        self.flash = str(self.text.config._attn_implementation).startswith("flash")
        odd = set(getattr(self.text.config, "layer_types", None) or ()) - {"full_attention"}
        if odd or self.text.config._attn_implementation == "flex_attention":
            raise ValueError(f"{WHO}: expected full attention, got {', '.join(odd) or 'flex'}.")
        self.drops = list(rule.layers(self.depth))
        self.known: Pass | None = None
        self._hooks: list[Any] = []

    @property
    def depth(self) -> int:
        """Layers of the language model."""
        return len(self.text.layers)

    @property
    def counts(self) -> list[list[int]]:
        """Tokens of each image in each layer, for the latest prompt."""
        if self.known is None:
            raise ValueError(f"{WHO}: the model has not been called yet.")
        return self.known.counts(self.depth)

    @property
    def mean_tokens(self) -> float:
        """Mean tokens of an image in a layer, for the latest prompt."""
        return fmean(fmean(image) for image in self.counts)

    def __enter__(self) -> "Dropping":
        before = {"with_kwargs": True}
        base = self.model.base_model
        self._hooks = [
            base.register_forward_pre_hook(self._start, **before),
            self.text.register_forward_pre_hook(self._take_deep, **before),
        ]
        for number, layer in enumerate(self.text.layers):
            hook = self._layer_hook(number)
            self._hooks.append(layer.register_forward_pre_hook(hook, **before))
            self._hooks.append(layer.register_forward_hook(self._deep_hook(number)))
        return self

    def __exit__(self, *_: object) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    # ---- the prompt ------------------------------------------------------------------------------

    def _start(self, _: Any, args: Any, given: dict[str, Any]) -> None:
        """Note where images are, or that this is no new prompt."""
        ids = args[0] if args else given.get("input_ids")
        cache = given.get("past_key_values")
        if cache is not None and getattr(cache, "is_compileable", False):
            raise ValueError(f"{WHO}: a static cache has as many rows in all layers. Leave it out.")
        if cache is not None and cache.get_seq_length():
            if ids is not None and bool((ids == self.model.config.image_token_id).any()):
                raise ValueError(f"{WHO}: images of a later turn cannot be dropped. Start anew.")
            return
        if ids is None:
            raise ValueError(f"{WHO}: expected input_ids, which say where images are.")
        mask = given.get("attention_mask")
        if mask is not None and (not isinstance(mask, Tensor) or mask.dim() != 2):
            raise ValueError(f"{WHO}: expected an attention mask of two dimensions.")
        valid = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask.bool()
        image = number_images((ids == self.model.config.image_token_id) & valid)
        columns = [row.nonzero()[:, 0] for row in valid]
        left = bool((~valid[:, 0]).any())
        stages = [
            [self.rule.stages(int(count), self.depth) for count in row[row >= 0].bincount()]
            for row in image
        ]
        rows = Rows(fill(columns, left), left)
        if any(row[own[-1]] >= 0 for row, own in zip(image, columns, strict=True)):
            raise ValueError(f"{WHO}: expected text after the last image, which asks about it.")
        self.known = Pass(image, valid, rows, stages)

    def _take_deep(self, _: Any, args: Any, given: dict[str, Any]) -> Any:
        """Keep DeepStack's features from the model, which would add them to rows that are gone."""
        known = self._at_hand()
        features = given.get("deepstack_visual_embeds")
        known.deep = None
        if features is None:
            return None
        known.deep = given["visual_pos_masks"], features
        return args, given | {"deepstack_visual_embeds": None, "visual_pos_masks": None}

    def _at_hand(self) -> Pass:
        if self.known is None:
            raise ValueError(f"{WHO}: the cache comes from a prompt that was not seen here.")
        return self.known

    # ---- layers ----------------------------------------------------------------------------------

    def _layer_hook(self, number: int) -> Any:
        def hook(_: Any, args: Any, given: dict[str, Any]) -> Any:
            known = self._at_hand()
            cache = given.get("past_key_values")
            seen = cache.get_seq_length(number) if cache is not None else 0
            if seen:
                return self._step(number, known, args, given)
            return self._prompt(number, known, args, given)

        return hook

    def _prompt(self, number: int, known: Pass, args: Any, given: Mapping[str, Any]) -> Any:
        """The input of a layer, without what is dropped before it."""
        state = args[0]
        if number == 0:
            known.embed = state
        if number in self.drops:
            state = self._drop(number, known, state, given)
        known.earlier = state
        if number < self.drops[0]:
            return None
        known.held[number] = known.rows
        cos, sin = (take(rotation, known.rows.column) for rotation in given["position_embeddings"])
        changed = {
            "attention_mask": prompt_mask(given.get("attention_mask"), known.rows, self.flash),
            "position_embeddings": (cos, sin),
            "position_ids": None,  # gaps would be read as borders of packed texts
        }
        return (state, *args[1:]), {**given, **changed}

    def _step(self, number: int, known: Pass, args: Any, given: Mapping[str, Any]) -> Any:
        """The mask of a later token, over what is left of the prompt."""
        if number < self.drops[0]:
            return None
        mask, new = given.get("attention_mask"), args[0].shape[1]
        mask = step_mask(mask, known.held[number], known.image.shape[1], new, self.flash)
        return args, {**given, "attention_mask": mask, "position_ids": None}

    def _drop(self, number: int, known: Pass, state: Tensor, given: Mapping[str, Any]) -> Tensor:
        """Ask the rule about each image of each prompt; the states that are left."""
        rated = known.earlier if self.rule.before else state
        if not known.held:  # the first drop: padding goes, too
            state, rated = (take(rows, known.rows.column) for rows in (state, rated))
        else:
            state = state.clone()
        keep, known.choices[number] = [], []
        for prompt in range(len(state)):
            turn = given["position_embeddings"]
            rows, images = self._ask(number, known, state, rated, turn, prompt)
            keep.append(rows)
            known.choices[number].append(images)
        known.rows, place = known.rows.select(keep)
        return take(state, place)

    def _ask(
        self, number: int, known: Pass, state: Tensor, rated: Tensor, turn: Rotation, prompt: int
    ) -> tuple[Int[Tensor, "_k"], list[Keep]]:
        """Rows of one prompt that stay; what they hold from now on is written into ``state``."""
        real = known.rows.valid[prompt].nonzero()[:, 0]
        column = known.rows.column[prompt, real]
        cos, sin = (part.expand(len(state), -1, -1)[prompt, column] for part in turn)
        valid, image = known.valid[prompt], known.image[prompt]
        seen = Prompt(
            rated[prompt, real], cos, sin, image[column], state[prompt, real],
            known.embed[prompt, valid], image[valid],
        )  # fmt: skip
        stay, keeps = image[column] < 0, []
        module = self.text.layers[number - self.rule.before]
        for image_number, stages in enumerate(known.stages[prompt]):
            keep = self.rule.choose(module, seen, image_number, dict(stages)[number])
            stay[keep.rows] = True
            if keep.hidden is not None:
                state[prompt, real[keep.rows]] = keep.hidden
            keeps.append(keep)
        return real[stay], keeps

    def _deep_hook(self, number: int) -> Any:
        def hook(_: Any, __: Any, state: Tensor) -> Tensor | None:
            known = self._at_hand()
            if known.deep is None or number >= len(known.deep[1]):
                return None
            mask, features = known.deep[0].to(state.device), known.deep[1][number].to(state)
            row = (mask.flatten().cumsum(0) - 1).view_as(mask)
            if number in known.held:
                column = known.held[number].column
                mask = mask.gather(1, column.clamp(min=0)) & known.held[number].valid
                row = row.gather(1, column.clamp(min=0))
            state = state.clone()
            state[mask] = state[mask] + features[row[mask]]
            return state

        return hook


def number_images(mask: Bool[Tensor, "b n"]) -> Int[Tensor, "b n"]:
    """Runs of placeholders by number in their prompt; -1 elsewhere.

    >>> number_images(torch.tensor([[False, True, True, False, True]]))
    tensor([[-1,  0,  0, -1,  1]])
    """
    start = mask.clone()
    start[:, 1:] &= ~mask[:, :-1]
    return (start.cumsum(1) - 1).masked_fill(~mask, -1)
