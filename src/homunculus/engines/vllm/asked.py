# pyright: basic
"""What is asked about each image of a prompt: read from its token ids, turn by turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from homunculus.engines.vllm.serving import Serving


@dataclass(frozen=True)
class Marks:
    """How a prompt's turns and images are marked."""

    tokenizer: Any
    start: int | None
    """The token that opens a turn; its role follows, up to a newline."""
    image: int

    @staticmethod
    def of(tokenizer: Any, image: int, start: str = "<|im_start|>") -> "Marks":
        """By the text of the opening token; a tokenizer without it knows no turns."""
        return Marks(tokenizer, tokenizer.get_vocab().get(start), image)


@dataclass(frozen=True)
class Turn:
    """One message."""

    role: str
    text: str
    images: int


def turns(ids: Sequence[int], marks: Marks) -> list[Turn]:
    """The messages of a prompt; a prompt without marks is one turn of the user."""
    cuts = [at for at, one in enumerate(ids) if one == marks.start]
    if not cuts:
        return [Turn("user", _text(ids, marks).strip(), _images(ids, marks))]
    out = []
    for start, end in zip(cuts, [*cuts[1:], len(ids)], strict=True):
        part = ids[start + 1 : end]
        role, _, text = _text(part, marks).partition("\n")
        out.append(Turn(role.strip(), text.strip(), _images(part, marks)))
    return out


def _text(ids: Sequence[int], marks: Marks) -> str:
    return marks.tokenizer.decode(list(ids), skip_special_tokens=True)


def _images(ids: Sequence[int], marks: Marks) -> int:
    """Runs of their placeholder."""
    image = [one == marks.image for one in ids]
    return sum(here and not before for before, here in zip([False, *image], image, strict=False))


def questions(ids: Sequence[int], marks: Marks, images: int, serving: Serving) -> list[str]:
    """One for each image, cut to what is read of it."""
    if serving.question is not None:
        return [serving.question[: serving.letters]] * images
    if serving.question_from == "none":
        return [""] * images
    talk = turns(ids, marks)
    if serving.question_from == "system":
        said = " ".join(turn.text for turn in talk if turn.role == "system")
        return [said[: serving.letters]] * images
    users = [turn for turn in talk if turn.role == "user"] or talk
    last = users[-1].text[: serving.letters]
    if not serving.pin:
        return [last] * images
    out: list[str] = []
    for at, turn in enumerate(users):
        # an image without words belongs to what is said next
        own = next((later.text for later in users[at:] if later.text), "")
        out += [own[: serving.letters]] * turn.images
    # images outside the user's turns, or a prompt whose marks are not these
    return out if len(out) == images else [last] * images
