"""What lines before pictures cost, by the tokenizers that LiteLLM brings along."""

from itertools import product

import pytest

from homunculus.planner.labels import LARGEST, Label, numbered_line, text_tokens

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
