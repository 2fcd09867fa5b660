"""What lines before pictures cost, by the tokenizers that LiteLLM brings along."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homunculus.planner.labels import (
    LARGEST,
    Label,
    numbered_line,
    passage_line,
    passage_tokens,
    text_tokens,
)

litellm = pytest.importorskip("litellm", reason="needs the extra `litellm`")


def lines(style: str) -> list[str]:
    """Every line of a style but for a few numbers."""
    label = Label(style)
    shares = [f"{low}-{high}%" for low, high in product((0, 7, 38, 100), (1, 10, 99, 100))]
    every = ["", label.line(whole=True), *(label.line(False, one, one) for one in shares)]
    return [*every[1:], *(numbered_line(line, n) for line in every for n in (1, 42, LARGEST))]


@pytest.mark.parametrize("model", ["gpt-3.5-turbo", "gpt-4o", "claude-2"])
@pytest.mark.parametrize("style", ["short", "long"])
def test_lines_cost_no_more_than_is_estimated(model: str, style: str) -> None:
    for line in lines(style):
        counted = litellm.token_counter(model=model, text=f"{line}\n")
        assert counted <= text_tokens(line) <= 2 * counted, line


MODELS = ("gpt-3.5-turbo", "gpt-4o", "claude-2")
PASSAGES = (
    "The quarterly report shows that revenue increased by twelve percent.",
    "Kaupunginhallitus hyvaksyi yhdenvertaisuussuunnitelman toimeenpanon",
    "Mae'r llywodraeth wedi cyhoeddi cynllun newydd llanfairpwllgwyngyll",
    "Przewodniczacy przedstawil szczegolowe sprawozdanie, Größe: 12,5 m²",
    "XJ900-KQZ ZWR7741 BHKLM pfxnt rgbsrc IBAN GB29 NWBK 6016 1331",
    "gwex, smez, vytz, hupx, cwoj, lirf, ovka, pexu, yigz, twaz, kwox, zuph",
    "1.284,50\t(57%)\n* a.b/c_d \u2022 \u2013 \u201cq\u201d \u00a7 12 \u20ac 100 \u00bd \u2192",
    "\u6771\u4eac\u90fd\u306e\u5e74\u6b21\u5831\u544a\u66f8 \u0627\u0644\u0634\u0631\u0643\u0629",
    "\u041e\u0431\u0437\u043e\u0440 \u0433\u043e\u0434\u0430 (2024), \u20bd",
)
WORDS = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FFF, categories=["L", "N", "P", "S"])
)


def counted(text: str) -> int:
    """What a passage costs at most, by any of the tokenizers."""
    line = passage_line("Detail:", text)
    return max(litellm.token_counter(model=model, text=line) for model in MODELS)


@pytest.mark.parametrize("text", PASSAGES)
def test_passages_of_any_language_cost_no_more_than_is_estimated(text: str) -> None:
    assert counted(text) <= text_tokens("Detail:") + passage_tokens(text)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=12))
def test_so_do_passages_of_any_letters(words: list[str]) -> None:
    text = " ".join(" ".join(words).split())
    assert counted(text) <= text_tokens("Detail:") + passage_tokens(text)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyzABCXYZ", min_size=1, max_size=12), min_size=1))
def test_so_do_passages_of_words_that_are_none(words: list[str]) -> None:
    text = " ".join(words)
    assert counted(text) <= text_tokens("Detail:") + passage_tokens(text)
