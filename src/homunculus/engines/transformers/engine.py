"""The transformers engine: every image of a Hugging Face model costs exactly K tokens.

    engine = homunculus.attach(model, processor, tokens=273)
    engine.generate(image, "What is the total?", max_new_tokens=32).text

Nothing of the model is changed: kept features go in through `mm_encoder_outputs`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

import torch
from torch import Tensor

from homunculus.engines import encode
from homunculus.engines.cells.methods import Method
from homunculus.engines.cells.types import Budget
from homunculus.engines.families import Family, ImageBatch, Layout, cell_pixels
from homunculus.engines.parts import PartRequest
from homunculus.engines.plan import SeenImage, choose_before
from homunculus.engines.qwen import encode_cells, resize_only, resized_images
from homunculus.engines.select import Choice, material_for, search, select
from homunculus.engines.transformers.conversation import (
    Conversation,
    ImageQuestion,
    ImageSource,
    Questions,
    as_batch,
    open_images,
    pairs,
)
from homunculus.engines.transformers.inputs import (
    OTHER_CONVERSATION,
    Answer,
    ImageTokens,
    Prepared,
    cut_prompt,
    kept_columns,
    locate,
)
from homunculus.engines.transformers.setting import Setting
from homunculus.engines.transformers.tiles import encode_idefics, encode_onevision
from homunculus.planner.acuity import get_acuity
from homunculus.planner.options import ViewOptions
from homunculus.scouts.sight import Scout, Sight

BEFORE = {
    "qwen": encode_cells,
    "onevision": encode_onevision,
    "idefics": encode_idefics,
}
"""Encoders of chosen cells alone, by `Family.before`."""


@dataclass(frozen=True, eq=False)
class Engine:
    """A model, its processor, and how many tokens images cost."""

    model: Any
    processor: Any
    setting: Setting
    method: Method
    family: Family
    scout: Scout
    """Rates the relevance of cells to a question."""

    def __repr__(self) -> str:
        values = dict(vars(self.setting))
        views: ViewOptions = values.pop("views")
        values["scout"] = str(views.scout) if isinstance(views.scout, str | Path) else "given"
        if self.method.rule.planned:
            values |= {"acuity": get_acuity(views.acuity).name, "context": views.context}
        setting = ", ".join(f"{name}={value!r}" for name, value in values.items())
        return f"Engine({self.family.name}, {setting})"

    # ---- ask -------------------------------------------------------------------------------------

    @overload
    def generate(self, image: ImageSource, question: str, **options: Any) -> Answer: ...

    @overload
    def generate(
        self, image: Sequence[ImageSource], question: Questions, **options: Any
    ) -> list[Answer]: ...

    def generate(self, image: Any, question: Any, **options: Any) -> Answer | list[Answer]:
        """The answer to a question about an image; lists give a list of answers.

        ``options`` go to `model.generate`. If they ask for several sequences, the answers to each
        question come one after the other, as a list also for one question.
        """
        batch = [
            [{"role": "user", "content": [{"type": "image", "image": source},
                                          {"type": "text", "text": text}]}]
            for source, text in pairs(image, question)
        ]  # fmt: skip
        answers = self.chat(batch, **options)
        return answers[0] if isinstance(question, str) and len(answers) == 1 else answers

    def chat(
        self,
        messages: Conversation | Sequence[Conversation],
        upon: Answer | None = None,
        **options: Any,
    ) -> list[Answer]:
        """One answer per conversation, or several if ``options`` ask for several sequences.

        ``upon`` is the answer to an earlier turn of the conversation: its images keep their tokens.
        """
        self._check_options(options)
        batch = as_batch(messages)
        if upon is not None and len(batch) > 1:
            raise ValueError(
                f"engine: `upon` continues one conversation, got {len(batch)}. Pass one."
            )
        earlier = upon.images if upon else []
        pinned = [replace(image, source=replace(image.source, conversation=0)) for image in earlier]
        with torch.no_grad():
            prepared = self._prepared(batch, pinned, forward=False, generation_prompt=None)
        with torch.inference_mode():
            sequences = self.model.generate(**prepared, **options, return_dict_in_generate=False)
        start = prepared["input_ids"].shape[1]
        texts = self.processor.batch_decode(sequences[:, start:], skip_special_tokens=True)
        answers_each = len(texts) // len(batch)
        light = prepared.without_features()
        return [
            Answer(text, sequences[index], light, light.of(index // answers_each))
            for index, text in enumerate(texts)
        ]

    def _check_options(self, options: Mapping[str, Any]) -> None:
        rotary = hasattr(self.model.base_model, "get_rope_index")
        if options.get("use_cache") is False and not rotary:
            raise ValueError(
                "engine: without a cache this model would read gaps between positions as borders "
                "of packed texts. Leave out use_cache=False."
            )

    # ---- prepare ---------------------------------------------------------------------------------

    def prepare(
        self,
        messages: Conversation | Sequence[Conversation],
        pinned: Prepared | None = None,
        *,
        forward: bool = False,
        generation_prompt: bool | None = None,
    ) -> Prepared:
        """Inputs for `model.generate`, in which every image has exactly min(K, its own) tokens.

        Images of ``pinned``, the inputs of an earlier turn, keep the tokens they have there. With
        ``forward`` the inputs are for a plain call of the model, as in training.
        """
        with torch.set_grad_enabled(forward and torch.is_grad_enabled()):
            images = pinned.images if pinned is not None else []
            return self._prepared(messages, images, forward, generation_prompt)

    def _prepared(
        self,
        messages: Conversation | Sequence[Conversation],
        pinned: Sequence[ImageTokens],
        forward: bool,
        generation_prompt: bool | None,
    ) -> Prepared:
        batch, sources = open_images(as_batch(messages))
        prompt = not forward if generation_prompt is None else generation_prompt
        inputs = self._inputs(batch, prompt)
        positions = self._positions(inputs) + (self.family.first if forward else 0)
        placeholder = inputs["input_ids"] == self.model.config.image_token_id
        layouts = self._layouts(inputs, sources) if sources else []
        places = locate(placeholder, layouts)
        sights = self._sights(sources, layouts, pinned)
        seen = [
            SeenImage(source.image, source.size, layout, sight)
            for source, layout, sight in zip(sources, layouts, sights, strict=True)
        ]
        choices, encoded = self._choose(inputs, sources, seen)
        text = inputs["attention_mask"].bool() & ~placeholder
        columns = kept_columns(text, places, choices)
        plain = cut_prompt(inputs, positions, columns, self._pad)
        images = [
            ImageTokens(source, image.layout, image.relevance, image.sight, choice)
            for source, image, choice in zip(sources, seen, choices, strict=True)
        ]
        return Prepared(plain, encoded, images)

    def _inputs(self, batch: Sequence[Conversation], generation_prompt: bool) -> Mapping[str, Any]:
        """What a processor makes of conversations; images are only resized where that is enough."""
        cells_only = self.setting.where == "before" and self.family.before == "qwen"
        processor = self.processor
        resizing = resize_only(processor) if cells_only else None
        inputs = (processor if resizing is None else resizing).apply_chat_template(
            batch, add_generation_prompt=generation_prompt, tokenize=True, return_dict=True,
            return_tensors="pt", processor_kwargs={"padding": True},
        ).to(self.model.device)  # fmt: skip
        if resizing is not None and "pixel_values" in inputs:
            inputs["pixel_values"] = resized_images(inputs, processor.image_processor)
        return inputs

    def _positions(self, inputs: Mapping[str, Any]) -> Tensor:
        """Positions in the untouched prompt, which the kept tokens keep."""
        core, mask = self.model.base_model, inputs["attention_mask"]
        if not hasattr(core, "get_rope_index"):
            return (mask.long().cumsum(-1) - 1).masked_fill(mask == 0, 0)
        return core.get_rope_index(
            inputs["input_ids"],
            mm_token_type_ids=inputs["mm_token_type_ids"],
            image_grid_thw=inputs.get("image_grid_thw"),
            attention_mask=mask,
        )[0]

    def _layouts(self, inputs: Mapping[str, Any], sources: Sequence[ImageQuestion]) -> list[Layout]:
        owners = [source.conversation for source in sources]
        alone = [owners.count(owner) == 1 for owner in owners]
        sizes = [source.size for source in sources]
        batch = ImageBatch(self.model.config, self.processor, inputs, sizes, alone)
        return self.family.layouts(batch)

    def _sights(
        self,
        sources: Sequence[ImageQuestion],
        layouts: Sequence[Layout],
        pinned: Sequence[ImageTokens],
    ) -> list[Sight]:
        """What the scout makes of each image, or made of it in an earlier turn."""
        sights: list[Sight] = []
        rest = list(pinned)
        for source, layout in zip(sources, layouts, strict=True):
            same = (image for image in rest if image.source.conversation == source.conversation)
            if (earlier := next(same, None)) is not None:
                earlier.check(source.image, layout)
                rest.remove(earlier)
                sights.append(earlier.sight)
            else:
                sights.append(search(source.image, source.question, self.method, self.scout))
        if rest:
            raise ValueError(OTHER_CONVERSATION)
        return sights

    def _choose(
        self,
        inputs: Mapping[str, Any],
        sources: Sequence[ImageQuestion],
        seen: Sequence[SeenImage],
    ) -> tuple[list[Choice], encode.Encoded]:
        if not seen:
            return [], encode.Encoded(None, [])
        slots = [Budget(tokens=self.setting.tokens).slots(image.layout.total) for image in seen]
        if self.setting.where == "after":
            return self._choose_after(inputs, sources, seen, slots)
        cell = cell_pixels(self.model.config)
        material = [material_for(image.image, self.method, image.layout) for image in seen]
        choices = choose_before(seen, material, slots, self.method, self.setting.views, cell)
        layouts = [image.layout for image in seen]
        request = PartRequest(inputs, layouts, choices, self.method.rule)
        with encode.fast_patches(self.model, self.setting.fast):
            encoded = BEFORE[self.family.before](self.model, request)
        pairs = zip(choices, encoded.rows, strict=True)
        return [choice.with_features(rows) for choice, rows in pairs], encoded

    def _choose_after(
        self,
        inputs: Mapping[str, Any],
        sources: Sequence[ImageQuestion],
        seen: Sequence[SeenImage],
        slots: Sequence[int],
    ) -> tuple[list[Choice], encode.Encoded]:
        """The tokens of each image, chosen from features of all its rows."""
        method, layouts = self.method, [image.layout for image in seen]
        needs = method.needs - {"features"}  # which the model has
        material = [material_for(image.image, method, image.layout, needs) for image in seen]
        encode_all = method.observe.encode if method.observe else encode.encode_images
        with encode.fast_patches(self.model, self.setting.fast):
            encoded = encode_all(self.model, inputs, layouts)
        if method.observe is not None:
            questions = [source.question for source in sources]
            material = method.observe.material(
                method, self.model, self.processor, encoded, questions, layouts
            )
        maps = [image.relevance for image in seen]
        material = material if needs or method.observe else None
        return select(layouts, maps, slots, method, encoded.rows, material), encoded

    @property
    def _pad(self) -> int:
        tokenizer = getattr(self.processor, "tokenizer", self.processor)
        pad = tokenizer.pad_token_id
        return pad if pad is not None else tokenizer.eos_token_id
