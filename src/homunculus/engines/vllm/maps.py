# pyright: basic
"""Relevance that was made for a picture and a question, until the processor asks for it.

Looking for the question on a page takes most of the time of choosing. It is done ahead of the one
thread in which vLLM prepares all requests, and waits here.
"""

from homunculus.engines.vllm.lru import Recent

BYTES = 64 << 20
"""Of all maps; a page's is about 40 KB."""


class Maps(Recent[str]):
    """By the key of picture, question and setting."""

    def __init__(self, most: int = BYTES) -> None:
        super().__init__(most)
