"""Views in the requests of five formats: one adapter each, chosen by the route or by who calls."""

from homunculus.messages.adapter import Adapter, Picture
from homunculus.messages.anthropic import ANTHROPIC
from homunculus.messages.chat import CHAT
from homunculus.messages.gemini import GEMINI
from homunculus.messages.ollama import OLLAMA
from homunculus.messages.responses import RESPONSES

__all__ = [
    "ADAPTERS", "ANTHROPIC", "CHAT", "GEMINI", "OLLAMA", "RESPONSES", "Adapter", "Picture",
    "adapter_of", "is_plain",
]  # fmt: skip
ADAPTERS = (CHAT, RESPONSES, ANTHROPIC, GEMINI, OLLAMA)
PLAIN_ROUTES = (
    "/completions", "/embeddings", "/moderations", "/tokenize", "/detokenize", "/rerank", "/score",
    "/classify", "/pooling", "/audio/speech", ":embedcontent", ":batchembedcontents",
)  # fmt: skip
"""Routes whose bodies are only checked: they may hold text, and no pictures."""


def adapter_of(path: str) -> Adapter | None:
    """The adapter of a route, or None if it is not one of those that we rewrite.

    >>> adapter_of("/v1/chat/completions").turns, adapter_of("/v1/files")
    ('messages', None)
    """
    end = path.rstrip("/").lower()
    return next((adapter for adapter in ADAPTERS if end.endswith(adapter.routes)), None)


def is_plain(path: str) -> bool:
    """Whether a route is one that holds text alone."""
    return path.rstrip("/").lower().endswith(PLAIN_ROUTES)
