"""The word scout: finds the question's words on a page, then looks where the answer would stand.

A page is read once, at three sizes, so that small and large print are in reach (`scan`). After that
a question costs milliseconds. Everything is laid on a frame of the page with a longer side of 1,024
pixels, in cells of 8, whatever the size of the picture.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal

import numpy as np

from homunculus.cache import LRU
from homunculus.checks import Grid
from homunculus.nets import Net, on_cpu
from homunculus.scouts.sight import PERHAPS, FractionBox, Map, Match, Pixels, Sight, resize_map
from homunculus.scouts.words.cache import PageFeatures, key, page_cache
from homunculus.scouts.words.evidence import PLACE, Mode, WordEvidence, by_hand, features
from homunculus.scouts.words.height import OFFSET, SIZE_ERROR, on_grid
from homunculus.scouts.words.net import code
from homunculus.scouts.words.question import ParsedQuestion, parse
from homunculus.scouts.words.scan import FRAME, Scanner, largest, onto, sizes_of
from homunculus.shapes import Float

__all__ = ["WEIGHTS", "WordScout", "WordSight", "load"]


BLANK = 0.002
"""A page with a smaller share of text has none to speak of."""
PAGE = 0.05
"""A page of text has at least this share of it; pictures with less may be of anything."""
SURE = 0.95
"""Probability that goes by the map where the answer is printed; the rest goes by other print."""
COMPARING = 0.6
"""What goes by the map if a question compares or counts, or is about a chart; set by hand on 35
questions of charts that no result holds."""
ENOUGH = 0.6
"""The share of a question that has to be found for all of that: some of its words are never on the
page, such as `value` in "the value of ferritin". Chosen on 192 natural questions, with the rest."""
OTHERWISE = 0.65
"""Probability from which another printing of a word counts as found: `no` for number, `times` for
time. Higher than for the word itself, since each is one more chance to find what is not there."""


@dataclass(frozen=True, eq=False)
class WordSight(Sight):
    """Where one question looks on one page, and which of its words were found there."""

    text: float = 0.0
    """Share of the page that holds text."""

    @property
    def blank(self) -> bool:
        """Whether the page has hardly any text: no word on it can point anywhere."""
        return self.text < BLANK

    @staticmethod
    def of(
        question: ParsedQuestion,
        logit: Map,
        matches: tuple[Match, ...],
        text: float,
        size: Map | None = None,
        elsewhere: Map | None = None,
    ) -> "WordSight":
        """A sight with its explanation in words.

        It is as sure of its map as the question's words were found, on a page of text, or where
        the question quotes what is printed; less so if the question compares. On other pictures
        the answer may be no text at all.
        """
        matched = any(match.state != "missing" for match in matches)
        compares = question.counts and not question.quoted
        doubtful = compares or (question.of_chart and not question.quoted)
        sure = COMPARING if doubtful else SURE
        sure *= min(1.0, found_share(matches) / ENOUGH)
        short, sentence = _outcome(matches, question.unsupported, matched)
        printed = matched or question.quoted or text >= PAGE
        knows = bool(matches) and text >= BLANK and printed
        return WordSight(
            logit,
            sure=sure if knows else 0.0,
            size=size,
            size_error=SIZE_ERROR,
            elsewhere=elsewhere,
            origin=f"words: {short}",
            explanation=sentence,
            unsure="" if knows else _unsure(matches, question.unsupported),
            question_used=bool(matches),
            matches=matches,
            matched=matched,
            quoted=question.quoted,
            compares=compares,
            unsupported=question.unsupported,
            facts={"text": round(text, 4)},
            text=text,
        )


def found_share(matches: tuple[Match, ...]) -> float:
    """How much of a question was found: the mean probability of its words, by their letters.

    Long words say more. A word that is printed in another way counts by that.

    >>> there = 0.0, 0.0, 1.0, 1.0
    >>> found_share((Match("amount", 1.0, there), Match("due", 0.25, there)))
    0.75
    """
    best = dict[str, float]()
    for match in matches:
        word = match.stands_for or match.text
        best[word] = max(best.get(word, 0.0), match.probability)
    return fmean(best.values(), weights=map(len, best)) if best else 0.0


def _outcome(
    matches: tuple[Match, ...], unsupported: tuple[str, ...], matched: bool
) -> tuple[str, str]:
    """What became of the question's words: in a few words, and in a sentence."""
    if matched:
        short, sentence = _count(matches)
    elif matches:
        short = "none found; follows text and the kind of answer"
        sentence = (
            "No word of the question was found in the picture; the choice follows what looks like "
            "text and the kind of answer asked for, so it may miss the answer."
        )
    else:
        short = "none to look for; follows text, not the question"
        sentence = (
            "The question has no word that the scout can look for; the choice follows what looks "
            "like text, not the question."
        )
    if unsupported:
        short = f"{short} ({len(unsupported)} in a script it cannot read)"
    return short, f"{sentence}{_unread(unsupported)}"


def _count(matches: tuple[Match, ...]) -> tuple[str, str]:
    """How many words were found, and perhaps found: in a few words, and in a sentence."""
    states = [(match.stands_for or match.text, match.state) for match in matches]
    words = {word for word, _ in states}
    found = {word for word, state in states if state == "found"}
    perhaps = {word for word, state in states if state == "perhaps"} - found
    named = found or perhaps
    said = "found" if found else "perhaps found"
    doubt = f", {len(perhaps)} perhaps" if found and perhaps else ""
    were, noun = "was" if len(named) == 1 else "were", "word" if len(words) == 1 else "words"
    them = "it" if len(found | perhaps) == 1 else "them"
    share = f"{len(named)} of {len(words)}"
    sentence = f"{share} {noun} of the question {were} {said}{doubt}; the choice follows {them}."
    return f"{share} {said}{doubt}", sentence


def _unsure(matches: tuple[Match, ...], unsupported: tuple[str, ...]) -> str:
    """Why the scout cannot tell where to look."""
    why = "The question has no word that the scout can look for."
    if matches:
        why = "No word of the question was found in the picture, and there is little text in it."
    return f"{why}{_unread(unsupported)}"


def _unread(unsupported: tuple[str, ...]) -> str:
    if not unsupported:
        return ""
    return f" Not looked for, in a script that it cannot read: {', '.join(unsupported)}."


def find_matches(evidence: WordEvidence, row: int, question: ParsedQuestion) -> tuple[Match, ...]:
    """What was found of a question's words, for people; its maps are a row of the evidence."""
    matches: list[Match] = []
    for index, word in enumerate(question.words):
        cells = evidence.match[row, index]
        probability, stands_for = float(cells.max()), ""
        box, size = _box_around_peak(cells)
        if index >= question.own:
            there = [other.box for other in matches if other.state != "missing"]
            if probability < OTHERWISE or any(_overlap(box, other) for other in there):
                continue  # it might have been printed so, and was not; or it was found already
            stands_for = question.stand_for[index - question.own]
        places = float((cells >= PERHAPS).sum()) / size
        matches.append(Match(word, probability, box, places, stands_for=stands_for))
    return tuple(matches)


def _box_around_peak(cells: Float[np.ndarray, "r c"]) -> tuple[FractionBox, int]:
    """The box of what is found around the peak of a map, and how many cells that are."""
    rows, cols = cells.shape
    y, x = divmod(int(cells.argmax()), cols)
    top, left = max(0, y - PLACE[0]), max(0, x - PLACE[1])
    near = cells[top : y + PLACE[0] + 1, left : x + PLACE[1] + 1] >= float(cells.max()) / 2
    ys, xs = np.flatnonzero(near.any(1)), np.flatnonzero(near.any(0))
    box = (
        (left + int(xs[0])) / cols, (top + int(ys[0])) / rows,
        (left + int(xs[-1]) + 1) / cols, (top + int(ys[-1]) + 1) / rows,
    )  # fmt: skip
    return box, max(1, int(near.sum()))


def _overlap(box: FractionBox, other: FractionBox) -> bool:
    """Whether two boxes share more than a border."""
    across = max(box[0], other[0]) < min(box[2], other[2])
    return across and max(box[1], other[1]) < min(box[3], other[3])


# ---- the scout ----------------------------------------------------------------------------------

PRINTED = 0.5
"""A cell holds text from this probability on."""
WEIGHTS = Path(__file__).parent / "weights"
FILE, INT8_FILE = "words.onnx", "words-int8.onnx"
"""The net in floats, and in whole numbers of 8 bits: faster on processors."""

Way = Literal["full", "blind", "prior", "by-hand"]
Precision = Literal["int8", "float"]


@dataclass(frozen=True, eq=False)
class WordScout:
    """Finds the words of questions on pages; deterministic."""

    scanner: Scanner
    """Reads pages."""
    matcher: Net
    """Tells how well cells and words match."""
    spread: Mapping[Mode, Net]
    """Learned spreads; without a full one a fixed kernel takes its place."""
    weights: str
    """Hash of the weights that features of a page come from: part of every cache key."""
    cache: LRU[str, PageFeatures]

    def __call__(self, image: Pixels, question: str, grid: Grid) -> WordSight:
        """Where a question looks on a page; the page is read once for all its questions."""
        return self._sights(image, [question], grid, "full")[0]

    def ask(
        self, image: Pixels, questions: Sequence[str], patch: int = 16, way: Way = "full"
    ) -> list[WordSight]:
        """Sights of several questions about one page, which is read once."""
        grid = (-(-image.shape[1] // patch), -(-image.shape[2] // patch))
        return self._sights(image, questions, grid, way)

    def read(self, image: Pixels) -> PageFeatures:
        """The page's features, from the cache if it was read before."""
        name = key(image, self.weights, sizes=str(sizes_of(image)))
        page = self.cache.get(name)
        if page is None:
            page = self.scanner.read(image)
            self.cache.put(name, page)
        return page

    def evidence(self, page: PageFeatures, questions: Sequence[ParsedQuestion]) -> WordEvidence:
        """Where the words of the questions stand on a page."""
        words = sorted({word for question in questions for word in question.words})
        text, kind = page["text"].astype(np.float32), page["kind"].astype(np.float32)
        return WordEvidence.of(questions, words, self.match(page, words), text, kind)

    def match(self, page: PageFeatures, words: Sequence[str]) -> Float[np.ndarray, "n r c"]:
        """Probability that a cell of the frame is part of a word, the surest of all sizes."""
        rows, cols = page["text"].shape
        frame = np.zeros((rows * cols, len(words)), np.float32)
        if words:
            embed, weight = (page[name].astype(np.float32) for name in ("embed", "weight"))
            probability = self.matcher(embed=embed, code=code(words))["probability"]
            frame[page["cells"]] = largest(probability * weight[:, None], page["touch"])
        return np.ascontiguousarray(frame.T).reshape(-1, rows, cols)

    def size(self, page: PageFeatures, grid: Grid, longer: int) -> Map | None:
        """Height of the print around each cell of a grid, in pixels of an image of that side."""
        if "octaves" not in page:
            return None
        octaves, text = (page[name].astype(np.float32) for name in ("octaves", "text"))
        return np.exp2(on_grid(octaves, text, grid) + OFFSET) * (longer / FRAME)

    def _sights(self, image: Pixels, texts: Sequence[str], grid: Grid, way: Way) -> list[WordSight]:
        questions = [parse(text) for text in texts]
        page = self.read(image)
        evidence = self.evidence(page, questions)
        size = self.size(page, grid, max(image.shape[1:]))
        logits = onto(self._relevance(evidence, way), grid)  # the largest of what a cell touches
        share = float((evidence.text > PRINTED).mean())
        printed = resize_map(evidence.text, grid) + np.float32(1e-3)
        return [
            WordSight.of(
                question, logits[row], find_matches(evidence, row, question), share, size, printed
            )
            for row, question in enumerate(questions)
        ]

    def _relevance(self, evidence: WordEvidence, way: Way) -> Float[np.ndarray, "q r c"]:
        """Log-probabilities of the frame's cells.

        Of a question without any word to look for, the full spread is the blind twin's: words that
        are nowhere on the page still tell what kind of answer is asked for.
        """
        if way in ("blind", "prior"):
            return self._spread(evidence, way)
        if way == "by-hand" or "full" not in self.spread:
            logit = by_hand(features(evidence))
        else:
            logit = self._spread(evidence, "full")
        has_words = np.asarray(evidence.valid.any(1))
        if way == "by-hand" or "blind" not in self.spread or has_words.all():
            return logit
        return np.where(has_words[:, None, None], logit, self._spread(evidence, "blind"))

    def _spread(self, evidence: WordEvidence, mode: Mode) -> Float[np.ndarray, "q r c"]:
        if mode not in self.spread:
            raise ValueError(
                f"word scout: no {mode} twin was trained: `homunculus train word-scout`."
            )
        known = evidence.limited_to(mode)
        return self.spread[mode](maps=features(known), buckets=known.buckets, kinds=known.kinds)[
            "logit"
        ]


# ---- weights -------------------------------------------------------------------------------------


def load(
    path: Path | None = None,
    cache: LRU[str, PageFeatures] | None = None,
    precision: Precision | None = None,
) -> WordScout:
    """The shipped scout, or one from a folder with `words.onnx` and `match.onnx`.

    `words-int8.onnx`, spreads and the head of heights are used if they are there: pages are read
    in 8 bits where nets run on the processor, unless ``precision`` says otherwise.
    """
    folder = path or WEIGHTS
    word, matcher = files_of(folder, precision)
    height = folder / "height.onnx"
    scanner = Scanner(Net(word, "words"), Net(height, "height") if height.exists() else None)
    match = Net(matcher, "match")
    _check(scanner, match)
    files = [word, matcher, *([height] if height.exists() else [])]
    digest = hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files))
    modes: tuple[Mode, ...] = ("full", "blind", "prior")
    spread: dict[Mode, Net] = {
        mode: Net(file, file.stem)
        for mode in modes
        if (file := folder / f"spread-{mode}.onnx").exists()
    }
    return WordScout(scanner, match, spread, digest.hexdigest(), cache or page_cache())


def files_of(folder: Path, precision: Precision | None = None) -> tuple[Path, Path]:
    """The files of the word net and of the one that compares; a folder without them is refused."""
    if precision is None:
        precision = "int8" if on_cpu() and (folder / INT8_FILE).exists() else "float"
    files = folder / (INT8_FILE if precision == "int8" else FILE), folder / "match.onnx"
    for file in files:
        if not file.is_file():
            raise FileNotFoundError(
                f"word scout: no {file.name} in {folder}. Make it with `homunculus train "
                "word-scout`."
            )
    return files


def _check(scanner: Scanner, matcher: Net) -> None:
    """Refuse nets that were made for another word net."""
    word = scanner.net.about
    if matcher.about.get("source") != word.get("source"):
        raise ValueError(
            f"{matcher.path} and {scanner.net.path} were made of different weights. Make both anew "
            "with `homunculus train word-scout`."
        )
    if scanner.height and scanner.height.about.get("on") != word.get("source"):
        raise ValueError(
            f"{scanner.height.path} was made for another word net than {scanner.net.path}. Make it "
            "anew with `homunculus train height`, or remove it."
        )
