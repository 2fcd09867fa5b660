"""Another image's question: the `shuffled` control.

If a gain survives a wrong question, it never came from the question.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b


def derange(questions: Sequence[str], images: Sequence[str]) -> list[str]:
    """For every row, a question asked about another image, with another text where one exists.

    The same rows give the same answer on every machine. Each question is used once where turning
    and swapping allow it; where one image or one text holds most rows, some serve twice.

    >>> derange(["total?", "date?", "total?", "date?"], ["a", "a", "b", "b"])
    ['date?', 'total?', 'date?', 'total?']
    """
    _check(questions, images)
    fits = _Fits(questions, images)
    order = sorted(range(len(questions)), key=lambda row: _lot(questions[row], images[row], row))
    donor = _turned(order, questions)
    crowd: dict[str, list[int]] = {}  # a text too common to be dealt once: the rows of other texts
    for place, row in enumerate(order):
        text = questions[row]
        if fits(row, donor[row]) or (text not in crowd and _swap(donor, order, place, fits)):
            continue
        if text not in crowd:
            crowd[text] = [other for other in order if questions[other] != text]
        donor[row] = _borrow(row, crowd[text] if fits.other_text[row] else order, place, fits)
    return [questions[donor[row]] for row in range(len(questions))]


class _Fits:
    """Whether a row may get another row's question."""

    def __init__(self, questions: Sequence[str], images: Sequence[str]) -> None:
        self.questions, self.images = questions, images
        by_text, by_image = Counter(questions), Counter(images)
        by_both = Counter(zip(questions, images, strict=True))
        # rows that differ in both = all - same text - same image + those counted twice
        self.other_text = [
            len(images) - by_text[question] - by_image[image] + by_both[question, image] > 0
            for question, image in zip(questions, images, strict=True)
        ]

    def __call__(self, row: int, donor: int) -> bool:
        if self.images[row] == self.images[donor]:
            return False
        return self.questions[row] != self.questions[donor] or not self.other_text[row]


def _turned(order: list[int], questions: Sequence[str]) -> list[int]:
    """Donors by turning the sorted rows past the longest run of one text: each is used once."""
    shift = max(Counter(questions).values())
    donor = [0] * len(order)
    for place, row in enumerate(order):
        donor[row] = order[(place + shift) % len(order)]
    return donor


def _swap(donor: list[int], order: list[int], place: int, fits: _Fits) -> bool:
    """Swap donors with a row that takes ours as well as we take its."""
    row = order[place]
    for other in _from(order, place):
        if fits(row, donor[other]) and fits(other, donor[row]):
            donor[row], donor[other] = donor[other], donor[row]
            return True
    return False


def _borrow(row: int, others: list[int], place: int, fits: _Fits) -> int:
    """A donor that another row has, too."""
    return next(other for other in _from(others, place) if fits(row, other))


def _from(rows: list[int], place: int) -> Iterator[int]:
    """All rows once around, each caller from its own place on: not all meet the same one first."""
    return (rows[(place + step) % len(rows)] for step in range(len(rows)))


def _lot(question: str, image: str, row: int) -> tuple[bytes, bytes, int]:
    """A sort key: equal texts together, unlike ones anyhow, and images anyhow within each text."""
    return _digest(question), _digest(f"{question}\n{image}"), row


def _digest(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def _check(questions: Sequence[str], images: Sequence[str]) -> None:
    if len(questions) != len(images):
        raise ValueError(
            f"derange: one image per question, got {len(questions)} questions and "
            f"{len(images)} images. Pass the image of every row, repeated if need be."
        )
    if len(set(images)) < 2:
        raise ValueError(
            f"derange: expected rows of at least two images, got {len(questions)} rows of "
            f"{sorted(set(images))}. Add rows of another image."
        )
