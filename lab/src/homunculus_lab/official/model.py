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

from homunculus.lazy import need
from homunculus_lab.official.documents import Document, Key, cut, document, key, others, talk
from homunculus_lab.official.rows import Way
from homunculus_lab.official.runner import Runner, TimedAnswer

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
        method: str = "views",
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
        self.runner = Runner(*load(pretrained, dtype, device), way, where)
        self.known: dict[Key, Document] = {}
        self.answers: dict[Key, TimedAnswer] = {}

    def take(self, way: Way) -> None:
        """Answer in another way from now on; the weights stay."""
        self.runner.take(way)

    def generate_until(self, requests: Sequence[Any]) -> list[Any]:
        """One answer for each request."""
        other = self._others(requests) if self.runner.way.question == "shuffled" else {}
        self.answers, results = {}, []
        for request in tqdm(requests, desc=f"{self.runner.way.method}, {self.runner.way.tokens}"):
            messages, mine = talk(request, self.task_dict), key(request)
            if mine not in self.known:
                self.known[mine] = document(messages)
            options = request.args[2]
            answer = self.runner.answer(messages, other.get(mine, ""), **options_of(options))
            self.answers[mine] = answer
            self._note(mine, answer)
            results.append(GenerationResult(cut(answer.text, options), TokenCounts(answer.prompt)))
        logger.info(summary(list(self.answers.values())))
        return results

    def _others(self, requests: Sequence[Any]) -> dict[Key, str]:
        for request in requests:
            if key(request) not in self.known:
                self.known[key(request)] = document(talk(request, self.task_dict))
        return others(self.known, [key(request) for request in requests])

    def _note(self, mine: Key, answer: TimedAnswer) -> None:
        if self.log is None:
            return
        record = {"task": mine[0], "doc": mine[1], "kept": answer.kept, "of": answer.of}
        record |= {"prompt": answer.prompt, "scout": answer.scout, "seconds": answer.seconds}
        with self.log.open("a") as file:
            file.write(json.dumps(record) + "\n")

    def loglikelihood(self, requests: Sequence[Any]) -> Any:
        """Not offered."""
        raise NotImplementedError("homunculus answers; tasks that compare likelihoods need more.")

    def generate_until_multi_round(self, requests: Sequence[Any]) -> Any:
        """Not offered."""
        raise NotImplementedError("homunculus: tasks of several rounds are not supported.")


def load(pretrained: str, dtype: str, device: str | None) -> tuple[Any, Any]:
    """Model and processor, as always."""
    hf = need("transformers", "official", "homunculus_lab.official", "lab")
    place = device or ("cuda" if torch.cuda.is_available() else "cpu")
    model = hf.AutoModelForImageTextToText.from_pretrained(pretrained, dtype=dtype).eval()
    return model.to(place), hf.AutoProcessor.from_pretrained(pretrained)


def options_of(options: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `generate`."""
    chosen_options = {"max_new_tokens": LONGEST}
    chosen_options |= {name: options[name] for name in PASSED if options.get(name) is not None}
    warm = bool(options.get("do_sample", (options.get("temperature") or 0) > 0))
    chosen_options["do_sample"] = warm
    if warm:
        chosen_options |= {name: options[name] for name in SAMPLED if options.get(name) is not None}
    return chosen_options


def summary(answers: Sequence[TimedAnswer]) -> str:
    """A line for the log: how many tokens images had, and have."""
    kept = [count for each in answers for count in each.kept]
    if not kept:
        return f"homunculus: {len(answers)} documents without images"
    native = sum(count for each in answers for count in each.of)
    total, scout = (
        sum(answer.seconds for answer in answers),
        sum(answer.scout for answer in answers),
    )
    least, most = min(kept), max(kept)
    each = f"{least}" if least == most else f"{least} to {most}"
    return (
        f"homunculus: {len(kept)} images, {each} tokens each, {sum(kept)} of {native}; "
        f"{total:.2f} s, {scout:.2f} s of it scouting"
    )
