"""The transformers engine: every image of a Hugging Face model costs exactly K tokens.

    engine = homunculus.attach(model, processor, tokens=273)
    engine.generate(image, "What is the total?", max_new_tokens=32).text

Nothing of the model is changed: kept features go in through `mm_encoder_outputs`.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any, Literal
from weakref import ref

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.core.methods import Method
from homunculus.core.pipeline import Scout
from homunculus.core.types import Budget
from homunculus.engines import encode
from homunculus.engines.encode import fast
from homunculus.engines.families import Family, Layout, View, onto
from homunculus.engines.qwen import encode_cells, resizing, unfolded
from homunculus.engines.select import Choice, lattice_material, search, select
from homunculus.engines.transformers import prepared as prompt
from homunculus.engines.transformers.conversation import Shown, Talk, opened, pairs, talks
from homunculus.engines.transformers.prepared import OTHERS, Answer, Look, Prepared
from homunculus.engines.transformers.tiles import encode_idefics, encode_onevision

NAME = "homunculus.json"


@dataclass(frozen=True)
class Setting:
    """What an engine does with every image."""

    tokens: int
    method: str
    where: Literal["before", "after"]
    marks: Literal["free", "counted"] = "free"
    """Whether marks between an image's tokens (of tiles, as some families write them) count."""
    fast: bool = False
    """Whether patch embeddings are matrix products: quicker on a CPU, not equal bit by bit."""
    scout: str = "auto"
    """Name or folder of the scout; "given" if it was an object, which cannot be saved."""

    def save(self, folder: str | Path) -> Path:
        """Write it into a model's folder."""
        path = Path(folder) / NAME
        path.write_text(json.dumps(asdict(self), indent=2) + "\n", "utf-8")
        return path

    @staticmethod
    def load(folder: str | Path) -> "Setting":
        """Read it from a model's folder."""
        path = Path(folder) / NAME
        try:
            told = json.loads(path.read_text("utf-8"))
            setting = Setting(**told)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"engine: expected a setting in {path}, got none that can be read ({error}). "
                "Engine.setting.save(folder) writes one."
            ) from error
        return setting

    def __post_init__(self) -> None:
        values: dict[str, Any] = vars(self)  # as a file may have brought them
        tokens = values["tokens"]
        if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 1:
            raise ValueError(
                f"engine: tokens is a whole number from 1 on, got {tokens!r}. "
                "Pass how many tokens each image may cost, such as tokens=273."
            )
        if not isinstance(values["fast"], bool):
            raise ValueError(f"engine: fast is true or false, got {values['fast']!r}.")
        for name, known in (("where", ("before", "after")), ("marks", ("free", "counted"))):
            if (got := values[name]) not in known:
                raise ValueError(f"engine: {name} is {' or '.join(known)}, got {got!r}.")


class Memory:
    """Features of the last few sets of images, and the KV cache of the latest answer."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._features: OrderedDict[str, Any] = OrderedDict()
        self._cache: Any = None

    def __reduce__(self) -> tuple[type["Memory"], tuple[()]]:
        return Memory, ()  # a copy starts empty: locks cannot be copied, and caches are large

    def features(self, key: str) -> Any:
        """What was kept under this key, now the last to go; None if there is nothing."""
        with self._lock:
            if key in self._features:
                self._features.move_to_end(key)
            return self._features.get(key)

    def keep_features(self, key: str, features: Any, most: int) -> None:
        """Keep it; of more than ``most``, those go that were used longest ago."""
        with self._lock:
            self._features[key] = features
            self._features.move_to_end(key)
            while len(self._features) > most:
                self._features.popitem(last=False)

    def take_cache(self, cache: Any) -> Any:
        """This cache if it is the one kept, for the caller alone; else None. None is kept then."""
        with self._lock:
            kept, self._cache = self._cache, None
        return kept if kept is cache else None

    def keep_cache(self, cache: Any) -> None:
        """Keep it in place of the one before."""
        with self._lock:
            self._cache = cache

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._features.clear()
            self._cache = None


BEFORE = {
    "qwen": encode_cells,
    "onevision": encode_onevision,
    "idefics": encode_idefics,
}
"""How a family encodes chosen cells alone, by the name in its row of the table."""

REMEMBERED = 4
"""Sets of images whose features are kept for further questions."""


@dataclass(frozen=True, eq=False)
class Engine:
    """A model, its processor and a budget for images."""

    model: Any
    processor: Any
    setting: Setting
    method: Method
    family: Family
    scout: Scout
    """Says where a question looks."""
    _memory: Memory = field(default_factory=Memory)

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in vars(self.setting).items())
        return f"Engine({self.family.name}, {told})"

    # ---- ask -------------------------------------------------------------------------------------

    def generate(self, image: Any, question: Any, **options: Any) -> Any:
        """The answer to a question about an image; lists give a list of answers.

        ``options`` go to `model.generate`.
        """
        batch = [
            [{"role": "user", "content": [{"type": "image", "image": one},
                                          {"type": "text", "text": text}]}]
            for one, text in pairs(image, question)
        ]  # fmt: skip
        answers = self.chat(batch, **options)
        return answers[0] if isinstance(question, str) else answers

    def chat(
        self, messages: Talk | Sequence[Talk], upon: Answer | None = None, **options: Any
    ) -> list[Answer]:
        """One answer for each conversation; several if ``options`` ask for several sequences.

        ``upon`` is the answer to an earlier turn of the conversation: its images keep their tokens.
        If it was the engine's latest, what was computed for it is not computed again.
        """
        if options.get("use_cache") is False and not hasattr(
            self.model.base_model, "get_rope_index"
        ):
            raise ValueError(
                "engine: without a cache this model takes gaps between kept positions for "
                "borders of packed texts. Leave out use_cache=False."
            )
        batch = talks(messages)
        if upon is not None and len(batch) > 1:
            raise ValueError(
                f"engine: `upon` goes on with one conversation, got {len(batch)}. Pass one."
            )
        # taken, not shared: a call from another thread computes all again
        cache = self._memory.take_cache(upon.cache if upon else None)
        earlier = upon.looks if upon else []
        with torch.no_grad():
            pinned = [replace(look, shown=replace(look.shown, talk=0)) for look in earlier]
            prepared = self._prepared(batch, pinned, forward=False, generation_prompt=None)
        inputs = prepared.upon(upon.ids, cache) if upon else prepared
        with torch.inference_mode():
            made = self.model.generate(**inputs, **options, return_dict_in_generate=True)
        start = prepared["input_ids"].shape[1]
        texts = self.processor.batch_decode(made.sequences[:, start:], skip_special_tokens=True)
        each = len(texts) // len(batch)
        # beams leave the keys and values of all of them, in an order that is not told
        single = len(texts) == 1 and not hasattr(made, "beam_indices")
        weak = self._kept(made.past_key_values, made.sequences[0]) if single else None
        light = prepared.without_features()
        return [
            Answer(text, made.sequences[at], light, light.of(at // each), weak)
            for at, text in enumerate(texts)
        ]

    def _kept(self, cache: Any, said: Tensor) -> Callable[[], Any] | None:
        """Keep the cache of the latest answer; a weak reference to it."""
        if cache is None:
            return None
        cache.said = said
        self._memory.keep_cache(cache)
        return ref(cache)

    # ---- prepare ---------------------------------------------------------------------------------

    def prepare(
        self,
        messages: Talk | Sequence[Talk],
        pinned: Prepared | None = None,
        *,
        forward: bool = False,
        generation_prompt: bool | None = None,
    ) -> Prepared:
        """Inputs in which every image has exactly min(K, its own) tokens, for `model.generate`.

        The images of ``pinned``, an earlier turn's inputs, keep the tokens they have there.
        ``forward`` makes inputs for a plain call of the model, as in training.
        """
        if forward:
            self._memory.clear()  # whoever trains changes the weights that features come from
        with torch.set_grad_enabled(forward and torch.is_grad_enabled()):
            looks = pinned.looks if pinned is not None else []
            return self._prepared(messages, looks, forward, generation_prompt)

    def _prepared(
        self,
        messages: Talk | Sequence[Talk],
        pinned: Sequence[Look],
        forward: bool,
        generation_prompt: bool | None,
    ) -> Prepared:
        batch, shown = opened(talks(messages))
        asks = not forward if generation_prompt is None else generation_prompt
        inputs = self._inputs(batch, asks)
        positions = self._positions(inputs) + (self.family.first if forward else 0)
        image = inputs["input_ids"] == self.model.config.image_token_id
        layouts = self._layouts(inputs, shown) if shown else []
        places = prompt.located(image, layouts)
        marks = prompt.marks(places)
        maps = self._maps(shown, layouts, pinned)
        choices, encoded = self._choose(inputs, shown, layouts, [one for one, _ in maps], marks)
        text = inputs["attention_mask"].bool() & ~image
        chosen = prompt.columns(text, places, choices)
        plain = prompt.pruned(inputs, positions, chosen, self._pad)
        looks = [
            Look(one, layout, *found, choice, mark)
            for one, layout, found, choice, mark in zip(
                shown, layouts, maps, choices, marks, strict=True
            )
        ]
        image_id = self.model.config.image_token_id
        return Prepared(plain, encoded, looks, image_id, self.family.causal)

    def _inputs(self, batch: Sequence[Talk], generation_prompt: bool) -> Mapping[str, Any]:
        alone = self.setting.where == "before" and self.family.before == "qwen"
        late = resizing(self.processor) if alone else None
        inputs = (self.processor if late is None else late).apply_chat_template(
            batch, add_generation_prompt=generation_prompt, tokenize=True, return_dict=True,
            return_tensors="pt", processor_kwargs={"padding": True},
        ).to(self.model.device)  # fmt: skip
        if late is not None and "pixel_values" in inputs:
            inputs["pixel_values"] = unfolded(inputs, self.processor.image_processor)
        return inputs

    def _positions(self, inputs: Mapping[str, Any]) -> Tensor:
        """Of the untouched prompt: a token keeps the place that it would have had."""
        core, mask = self.model.base_model, inputs["attention_mask"]
        if not hasattr(core, "get_rope_index"):
            return (mask.long().cumsum(-1) - 1).masked_fill(mask == 0, 0)
        return core.get_rope_index(
            inputs["input_ids"],
            mm_token_type_ids=inputs["mm_token_type_ids"],
            image_grid_thw=inputs.get("image_grid_thw"),
            attention_mask=mask,
        )[0]

    def _layouts(self, inputs: Mapping[str, Any], shown: Sequence[Shown]) -> list[Layout]:
        owners = [one.talk for one in shown]
        alone = [owners.count(one) == 1 for one in owners]
        sizes = [one.size for one in shown]
        view = View(self.model.config, self.processor, inputs, sizes, alone)
        return self.family.layouts(view)

    def _maps(
        self, shown: Sequence[Shown], layouts: Sequence[Layout], pinned: Sequence[Look]
    ) -> list[tuple[Float[Tensor, "_r _c"], str]]:
        """Relevance of the cells of each lattice, and where it came from."""
        kept, out = list(pinned), []
        for one, layout in zip(shown, layouts, strict=True):
            mine = next((look for look in kept if look.shown.talk == one.talk), None)
            if mine is None:
                sight = search(one.image, one.question, self.method, self.scout)
                out.append((onto(sight.logit, layout), sight.origin))
                continue
            mine.check(one, layout)
            kept.remove(mine)
            out.append((mine.relevance, mine.origin))
        if kept:
            raise ValueError(OTHERS)
        return out

    def _choose(
        self,
        inputs: Mapping[str, Any],
        shown: Sequence[Shown],
        layouts: Sequence[Layout],
        maps: Sequence[Float[Tensor, "_r _c"]],
        marks: Sequence[int],
    ) -> tuple[list[Choice], encode.Encoded]:
        """What each image keeps, with features, and what the tower returned."""
        if not shown:
            return [], encode.Encoded(None, [])
        budget, counted = self.setting.tokens, self.setting.marks == "counted"
        slots = [
            Budget(tokens=max(1, budget - counted * mark)).slots(layout.total)
            for layout, mark in zip(layouts, marks, strict=True)
        ]
        needs = self.method.needs
        if self.setting.where == "after":
            needs -= {"features"}  # those of the encoder are the better ones
        pairs = zip(shown, layouts, strict=True)
        known = [lattice_material(one.image, needs, layout) for one, layout in pairs]
        if self.setting.where == "after":
            with fast(self.model, self.setting.fast):
                encoded = self._encoded(inputs, shown, layouts)
            by = known if needs else None
            return select(layouts, maps, slots, self.method, encoded.rows, by), encoded
        choices = select(layouts, maps, slots, self.method, material=known)
        encode_part = BEFORE[self.family.before]
        with fast(self.model, self.setting.fast):
            encoded = encode_part(self.model, inputs, layouts, choices, self.method.rule)
        pairs = zip(choices, encoded.rows, strict=True)
        return [choice.filled(rows) for choice, rows in pairs], encoded

    def _encoded(
        self, inputs: Mapping[str, Any], shown: Sequence[Shown], layouts: Sequence[Layout]
    ) -> encode.Encoded:
        """All rows of these images; the last few sets are kept for the next question on them."""
        if torch.is_grad_enabled():
            return encode.everything(self.model, inputs, layouts)
        # a family may show an image otherwise in company: the conversation is part of the key
        digest = blake2b(repr([(one.size, one.talk) for one in shown]).encode())
        for one in shown:
            digest.update(one.image.tobytes())
        key = digest.hexdigest()
        if (kept := self._memory.features(key)) is not None:
            return kept
        encoded = encode.everything(self.model, inputs, layouts)  # meanwhile others may look
        self._memory.keep_features(key, encoded, REMEMBERED)
        return encoded

    def save(self, folder: str | Path) -> Path:
        """Write the setting beside a model: `attach(..., saved=folder)` reads it."""
        return self.setting.save(folder)

    @property
    def _pad(self) -> int:
        words = getattr(self.processor, "tokenizer", self.processor)
        return words.pad_token_id if words.pad_token_id is not None else words.eos_token_id
