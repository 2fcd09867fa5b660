"""A model in vLLM with our plugin, held by one worker: pictures and questions in, answers out.

Settings and chat are those of `homunculus serve`, so answers are those of the server. docs/batch.md
says why `ray.data.llm` is not used.
"""

import json
import os
from io import BytesIO
from typing import Any

from homunculus.batch.job import WHO, Job
from homunculus.lazy import need
from homunculus.pages import Picture, to_data_uri

_FORMATS = {
    b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"BM": "bmp", b"RIFF": "webp",
}  # fmt: skip


class Engine:
    """vLLM's engine with K tokens an image."""

    def __init__(self, job: Job) -> None:
        from homunculus.engines.vllm.command import environment
        from homunculus.engines.vllm.settings import Flags, merge

        os.environ |= environment(None, os.environ)
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        vllm = need("vllm", "vllm", WHO)
        engine_args: dict[str, Any] = json.loads(job.engine_args)
        setting = {"tokens": job.tokens, "scout": job.scout, "acuity": job.acuity}
        flags, _ = merge(
            Flags(
                engine_args.pop("hf_overrides", None), engine_args.pop("limit_mm_per_prompt", None)
            ),
            setting, lambda: _architectures(job.engine),
        )  # fmt: skip
        self._model = vllm.LLM(
            job.engine, hf_overrides=flags.overrides, limit_mm_per_prompt=flags.limits,
            tokenizer_mode=flags.mode, **engine_args,
        )  # fmt: skip
        self._sampling = vllm.SamplingParams(temperature=0, max_tokens=job.max_output)
        self._image = self._model.llm_engine.model_config.hf_config.image_token_id

    def file_of(self, data: bytes, picture: Picture) -> bytes:
        """The picture's file as it came, where vLLM reads it; else a PNG of what was opened."""
        if any(data.startswith(head) for head in _FORMATS):
            return data
        from homunculus.show.views import to_pillow

        file = BytesIO()
        to_pillow(picture).save(file, "png", compress_level=1)
        return file.getvalue()

    def answer(self, questions: list[tuple[str, bytes]]) -> list[dict[str, Any]]:
        """Greedy answers to questions, each with the file of its picture."""
        chats = [[{"role": "user", "content": _content(text, file)}] for text, file in questions]
        outputs = self._model.chat(chats, self._sampling, use_tqdm=False)
        return [
            {
                "answer": output.outputs[0].text,
                "tokens": output.prompt_token_ids.count(self._image),
                "prompt_tokens": len(output.prompt_token_ids),
                "answer_tokens": len(output.outputs[0].token_ids),
            }
            for output in outputs
        ]


def _content(question: str, file: bytes) -> list[dict[str, Any]]:
    kind = next(kind for head, kind in _FORMATS.items() if file.startswith(head))
    url = to_data_uri(file, kind)
    return [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": question}]


def _architectures(model: str) -> list[str]:
    config = need("vllm.transformers_utils.config", "vllm", WHO).get_config(model, False)
    return list(config.architectures or [])
