"""A chat keeps its prefix: an image keeps the tokens of the turn that it came with."""

from serving.client import page, turn
from serving.conftest import FEW

BLOCK = 32
"""Tokens of a block of the prefix cache, and more: what may be computed again."""


def chat(server, image):
    """Three questions in one conversation; what each turn found in the cache, of how many."""
    talk, found = [turn("What is the total?", image)], []
    for question in ("And the date?", "Who signed?", ""):
        answer = server.post(talk, max_tokens=4).json()
        used = answer["usage"]
        cached = (used["prompt_tokens_details"] or {}).get("cached_tokens") or 0
        found.append((cached, used["prompt_tokens"]))
        said = answer["choices"][0]["message"]["content"]
        talk += [{"role": "assistant", "content": said}, {"role": "user", "content": question}]
    return found


def test_a_pinned_chat_reuses_its_prefix(serve):
    server = serve(*FEW)
    (_, first), *later = chat(server, page(320, 480, 31))
    for cached, whole in later:
        assert cached >= first - BLOCK, (cached, whole)


def test_without_pins_each_turn_chooses_again(serve):
    _, *later = chat(serve(*FEW, "--no-pin"), page(320, 480, 32))
    for cached, whole in later:
        assert cached < 64 <= whole


def test_without_questions_all_questions_share_an_image(serve):
    server, image = serve(*FEW, "--question-from", "none"), page(320, 480, 33)
    for at, question in enumerate(("total?", "What is the date?", "Who?")):
        used = server.post([turn(question, image)]).json()["usage"]
        cached = (used["prompt_tokens_details"] or {}).get("cached_tokens") or 0
        assert (cached >= 64 - BLOCK) == (at > 0)
