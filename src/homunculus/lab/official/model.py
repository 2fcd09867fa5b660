# pyright: basic, reportMissingImports=false
"""A model of lmms-eval: `python -m lmms_eval --model homunculus --model_args pretrained=...`.

The transformers engine as any user has it; lmms-eval asks, and scores what is said.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from lmms_eval.api.instance import GenerationResult, TokenCounts
from lmms_eval.api.model import lmms
from loguru import logger
from tqdm import tqdm

from homunculus.lab.official.documents import Document, Key, cut, document, key, others, talk
from homunculus.lab.official.rows import Way
from homunculus.lab.official.runner import Eye, Said
from homunculus.lazy import need

LONGEST = 1024
"""Tokens of an answer whose task sets no bound; as lmms-eval asks servers."""
PASSED = ("max_new_tokens", "min_new_tokens", "num_beams", "repetition_penalty")
SAMPLED = ("temperature", "top_p", "top_k")


class Homunculus(lmms):
    """Every image of every document costs exactly `tokens` tokens, or all of its own if fewer."""

    is_simple = False

    def __init__(
        self,
        pretrained: str,
        tokens: int = 273,
        method: str = "foveated",
        question: str = "own",
        where: str = "auto",
        dtype: str = "auto",
        device: str | None = None,
        log: str | None = None,
        batch_size: int | str | None = 1,
        **others: Any,
    ) -> None:
        super().__init__()
        if strange := [name for name in others if name != "max_batch_size"]:
            raise ValueError(f"model homunculus: no argument {strange[0]!r}.")
        if int(batch_size or 1) != 1:
            raise ValueError(
                f"model homunculus: one document at a time, got batch_size {batch_size}. "
                "Many at a time are a server's work: `homunculus serve`."
            )
        way = Way(method, int(tokens), question)
        self.log = Path(log) if log else None
        if self.log:
            self.log.write_text("")
        self.eye = Eye(*loaded(pretrained, dtype, device), way, where)
        self.known: dict[Key, Document] = {}
        self.said: dict[Key, Said] = {}

    def take(self, way: Way) -> None:
        """Answer in another way from now on; the weights stay."""
        self.eye.take(way)

    def generate_until(self, requests: Sequence[Any]) -> list[Any]:
        """One answer for each request."""
        other = self._others(requests) if self.eye.way.question == "shuffled" else {}
        self.said, found = {}, []
        for request in tqdm(requests, desc=f"{self.eye.way.method}, {self.eye.way.tokens}"):
            messages, mine = talk(request, self.task_dict), key(request)
            if mine not in self.known:
                self.known[mine] = document(messages)
            told = request.args[2]
            said = self.eye.answer(messages, other.get(mine, ""), **options_of(told))
            self.said[mine] = said
            self._note(mine, said)
            found.append(GenerationResult(cut(said.text, told), TokenCounts(said.prompt)))
        logger.info(summary(list(self.said.values())))
        return found

    def _others(self, requests: Sequence[Any]) -> dict[Key, str]:
        for request in requests:
            if key(request) not in self.known:
                self.known[key(request)] = document(talk(request, self.task_dict))
        return others(self.known, [key(request) for request in requests])

    def _note(self, mine: Key, said: Said) -> None:
        if self.log is None:
            return
        told = {"task": mine[0], "doc": mine[1], "kept": said.kept, "of": said.of}
        told |= {"prompt": said.prompt, "scout": said.scout, "seconds": said.seconds}
        with self.log.open("a") as file:
            file.write(json.dumps(told) + "\n")

    def loglikelihood(self, requests: Sequence[Any]) -> Any:
        """Not offered."""
        raise NotImplementedError("homunculus answers; tasks that compare likelihoods need more.")

    def generate_until_multi_round(self, requests: Sequence[Any]) -> Any:
        """Not offered."""
        raise NotImplementedError("homunculus: tasks of several rounds are not supported.")


def loaded(pretrained: str, dtype: str, device: str | None) -> tuple[Any, Any]:
    """Model and processor, as always."""
    hf = need("transformers", "official", "homunculus.lab.official")
    place = device or ("cuda" if torch.cuda.is_available() else "cpu")
    model = hf.AutoModelForImageTextToText.from_pretrained(pretrained, dtype=dtype).eval()
    return model.to(place), hf.AutoProcessor.from_pretrained(pretrained)


def options_of(told: dict[str, Any]) -> dict[str, Any]:
    """What `generate` is told."""
    options = {"max_new_tokens": LONGEST}
    options |= {name: told[name] for name in PASSED if told.get(name) is not None}
    warm = bool(told.get("do_sample", (told.get("temperature") or 0) > 0))
    options["do_sample"] = warm
    if warm:
        options |= {name: told[name] for name in SAMPLED if told.get(name) is not None}
    return options


def summary(said: Sequence[Said]) -> str:
    """A line for the log: how many tokens images had, and have."""
    kept = [one for each in said for one in each.kept]
    if not kept:
        return f"homunculus: {len(said)} documents without images"
    native = sum(one for each in said for one in each.of)
    total, scout = sum(one.seconds for one in said), sum(one.scout for one in said)
    least, most = min(kept), max(kept)
    each = f"{least}" if least == most else f"{least} to {most}"
    return (
        f"homunculus: {len(kept)} images, {each} tokens each, {sum(kept)} of {native}; "
        f"{total:.2f} s, {scout:.2f} s of it scouting"
    )
