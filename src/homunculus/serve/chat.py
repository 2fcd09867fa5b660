"""A model behind an OpenAI-compatible server: ask it about pictures, get text."""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from typing import Any

TIMEOUT, TRIES = 120.0, 3
"""Seconds for an answer, and attempts."""
BUSY = {408, 425, 429, 500, 502, 503, 504}
"""Statuses after which a request is sent again."""


class Chat:
    """One model of one server. The key in OPENAI_API_KEY is sent along, if there is one."""

    def __init__(self, url: str, model: str | None = None) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(
                f"--server: expected an address such as http://127.0.0.1:8000/v1, got {url!r}."
            )
        self.url = url.rstrip("/")
        self.model = model or self._served()

    def _served(self) -> str:
        try:
            return str(self._send("/models")["data"][0]["id"])
        except (LookupError, TypeError):
            raise ValueError(f"{self.url}/models names no model. Say which one to ask.") from None

    def ask(self, parts: Sequence[Mapping[str, Any]], max_tokens: int) -> str:
        """The answer to one message, of at most ``max_tokens`` tokens."""
        body = {"model": self.model, "messages": [{"role": "user", "content": list(parts)}]}
        answer = self._send(
            "/chat/completions", body | {"temperature": 0, "max_tokens": max_tokens}
        )
        try:
            return str(answer["choices"][0]["message"]["content"] or "")
        except (LookupError, TypeError):
            raise ValueError(
                f"{self.url} is no OpenAI-compatible server: its answer has no "
                f"choices[0].message.content, but {str(answer)[:120]}."
            ) from None

    def _send(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """One request, sent again a few times where the server is busy."""
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get("OPENAI_API_KEY"):
            headers["Authorization"] = f"Bearer {key}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers)
        for last in (False,) * (TRIES - 1) + (True,):
            try:
                with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                if last or error.code not in BUSY:
                    raise ValueError(_refusal(request.full_url, error)) from None
            except ValueError as error:
                raise ValueError(f"{self.url} did not answer in JSON ({error}).") from None
            except (OSError, HTTPException) as error:  # refused, reset, too slow, cut off
                if last:
                    reason = getattr(error, "reason", None) or str(error) or type(error).__name__
                    raise ValueError(
                        f"no answer from {self.url} ({reason}). Is the server running? The address "
                        "ends in /v1 on most servers, as in http://127.0.0.1:8000/v1."
                    ) from None
            time.sleep(0.5)
        raise AssertionError("unreachable: the last try returns or raises")


def text_part(text: str) -> dict[str, str]:
    """A part of a message that is text."""
    return {"type": "text", "text": text}


def image_part(url: str) -> dict[str, Any]:
    """A part of a message that is a picture, as a data URL."""
    return {"type": "image_url", "image_url": {"url": url}}


def _refusal(url: str, error: urllib.error.HTTPError) -> str:
    try:
        sent = error.read()
    except (OSError, HTTPException):  # cut off: the status still says enough
        sent = b""
    body = " ".join(sent.decode("utf-8", "replace").split())[:300]
    lost = error.code == 404 and "model" not in body
    hint = " The address ends in /v1 on most servers." if lost else ""
    return f"{url} answered {error.code} {error.reason}: {body or 'without a message'}.{hint}"
