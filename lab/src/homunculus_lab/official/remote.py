# pyright: basic, reportMissingImports=false
"""lmms-eval's model `openai`, which also sends our server the budget and question of a request.

lmms-eval cannot send more than the messages. A server that runs with `--allow-override` takes
`mm_processor_kwargs`; without them it does what it was started with, and `--model openai` suffices.
"""

import copy
import json
import re
import urllib.request
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from lmms_eval.models.chat.openai import OpenAICompatible

from homunculus.lazy import need
from homunculus_lab.official.documents import Document, Key, cut, document, key, others, talk
from homunculus_lab.official.resize import Fit
from homunculus_lab.official.rows import RESIZE, Way

MARK = "\0homunculus: "
"""Opens the part of a message that names the question; it is taken out before it is sent."""
FAILED = "[LMMS_EVAL_REQUEST_FAILED"
PATIENT = 600
UNUSED = ("device", "batch_size", "max_batch_size")
"""Arguments that lmms-eval passes to every model."""


class Server(OpenAICompatible):
    """A server of ours, with a budget per image and the question that chooses."""

    is_simple = False

    def __init__(
        self,
        base_url: str,
        tokens: int | None = None,
        method: str = "views",
        question: str = "own",
        pretrained: str | None = None,
        model: str | None = None,
        timeout: int = PATIENT,
        **more: Any,
    ) -> None:
        """``pretrained`` is the model's name or folder: `resize` needs it."""
        self.root = base_url.rstrip("/").removesuffix("/v1")
        self.pretrained = pretrained
        options = {"base_url": f"{self.root}/v1", "model": model or served(self.root)}
        options |= {"timeout": timeout, "api_key": more.pop("api_key", None) or "none"}
        options |= {"max_retries": 2, "num_concurrent": 8, "prefix_aware_queue": False}
        more = {name: value for name, value in more.items() if name not in UNUSED}
        super().__init__(**(options | more))
        self.known: dict[Key, Document] = {}
        self._create = self.client.chat.completions.create
        self.client.chat.completions.create = self._send  # pyright: ignore[reportAttributeAccessIssue]
        self.take(Way(method, int(tokens) if tokens else None, question))

    def take(self, way: Way) -> None:
        """Ask in another way from now on. No tokens: the server's own setting."""
        if way.question in ("blind", "prior"):
            raise ValueError(f"a server cannot run its scout as {way.question}. Use question=none.")
        self.way = way

    def generate_until(self, requests: Sequence[Any]) -> list[Any]:
        """One answer for each request; a request that fails is no answer."""
        for request in requests:
            if key(request) not in self.known:
                self.known[key(request)] = document(talk(request, self.task_dict))
        other: dict[Key, str] = {}
        if self.way.question == "shuffled":
            other = others(self.known, [key(request) for request in requests])
        results = super().generate_until([self._with_question(one, other) for one in requests])
        failed = [one.text for one in results if one.text.startswith(FAILED)]
        if failed:
            raise ValueError(
                f"{len(failed)} of {len(results)} requests failed, the first with: {failed[0]} "
                "A budget or a question of its own needs a server with --allow-override."
            )
        for one, request in zip(results, requests, strict=True):  # servers get no stop words
            one.text = cut(one.text, request.args[2])
        return results

    def _with_question(self, request: Any, other: Mapping[Key, str]) -> Any:
        """The same request; its messages carry the question, and images that are shrunk."""
        context, _, *rest = request.args
        question = other.get(key(request))

        def messages(_: Any) -> list[dict[str, Any]]:
            conversation = talk(request, self.task_dict)
            if self.way.method == RESIZE and self.way.tokens:
                conversation, _native = self.fit.shrunk(conversation, self.way.tokens)
            for one in conversation:
                one["content"] = [_theirs(part) for part in one["content"]]
            if question is not None:
                conversation[-1]["content"].append({"type": "text", "text": MARK + question})
            return conversation

        mine = copy.copy(request)
        mine.arguments = (context, messages, *rest)
        return mine

    def _send(self, **payload: Any) -> Any:
        """Send a request, with budget and question beside the messages."""
        override: dict[str, Any] = {}
        if self.way.tokens:  # of a shrunk image, too: a smaller budget of the server would cut it
            override["tokens"] = self.way.tokens
        if self.way.question == "none":
            override["question"] = ""
        last = payload["messages"][-1]["content"]
        if last and last[-1].get("text", "").startswith(MARK):
            override["question"] = last.pop()["text"].removeprefix(MARK)
        if override:
            extra = payload.setdefault("extra_body", {})
            extra["mm_processor_kwargs"] = {"homunculus": override}
        return self._create(**payload)

    @cached_property
    def fit(self) -> Fit:
        """Shrinks images as the model's own processor counts them."""
        if self.pretrained is None:
            raise ValueError("resize: name the server's model by pretrained=..., for its tokens.")
        hf = need("transformers", "official", "homunculus_lab.official", "lab")
        image = hf.AutoConfig.from_pretrained(self.pretrained).image_token_id
        return Fit(hf.AutoProcessor.from_pretrained(self.pretrained), image)

    def counters(self) -> dict[str, float]:
        """What its page of metrics says of our images so far."""
        return counters(self.root)


def _theirs(part: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "image", "url": part["image"]} if part["type"] == "image" else dict(part)


def served(root: str) -> str:
    """The name of the model that a server has."""
    try:
        with urllib.request.urlopen(f"{root}/v1/models", timeout=30) as answer:
            return json.load(answer)["data"][0]["id"]
    except (OSError, ValueError, LookupError) as error:
        raise ValueError(f"no server answers at {root}/v1 ({error}). `homunculus serve`?") from None


def counters(root: str) -> dict[str, float]:
    """Our counters by name; empty where the server is not ours."""
    with urllib.request.urlopen(f"{root}/metrics", timeout=30) as answer:
        text = answer.read().decode()
    pairs = re.findall(r"^homunculus:(\w+?)_total(?:{[^}]*})? (\S+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in pairs}
