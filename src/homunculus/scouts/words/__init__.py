"""The word scout: finds the question's words on a page, then looks where the answer would stand.

A page is read once, at three sizes, so that small and large print are in reach (`scan`). After that
a question costs milliseconds. Everything is laid on a frame of the page with a longer side of 1,024
pixels, in cells of 8, whatever the size of the picture.
"""

import copy
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Literal

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, UInt8
from torch import Tensor

from homunculus.checks import Grid
from homunculus.scouts.sight import PERHAPS, Box, Image, Map, Match, Sight, resize_map
from homunculus.scouts.words import int8
from homunculus.scouts.words.cache import Cache, Features, key
from homunculus.scouts.words.evidence import PLACE, Mode, Spread, WordEvidence, by_hand, features
from homunculus.scouts.words.evidence import load as load_spread
from homunculus.scouts.words.height import FILE as HEIGHT_FILE
from homunculus.scouts.words.height import OFFSET, SIZE_ERROR, HeightHead, on_grid
from homunculus.scouts.words.height import load as load_height
from homunculus.scouts.words.int8 import FILE as INT8_FILE
from homunculus.scouts.words.int8 import Int8Net
from homunculus.scouts.words.net import WordNet, code
from homunculus.scouts.words.net import load as load_net
from homunculus.scouts.words.question import ParsedQuestion, ask
from homunculus.scouts.words.scan import FRAME, Reader, largest, onto, sizes_of

__all__ = ["WEIGHTS", "WordScout", "WordSight", "load"]


BLANK = 0.002
"""A page with a smaller share of text has none to speak of."""
PAGE = 0.05
"""A page of text has at least this share of it; pictures with less may be of anything."""
SURE = 0.95
"""Probability that goes by the map where the answer is printed; the rest goes by other print."""
COMPARING = 0.6
"""The same for questions that compare or count, or are about a chart; set by hand on 35 questions
of charts that no result holds."""
ENOUGH = 0.6
"""The share of a question that has to be found for all of that: some of its words are never on the
page, such as `value` in "the value of ferritin". Chosen on 192 natural questions, with the rest."""
OTHERWISE = 0.65
"""Probability from which another printing of a word counts as found: `no` for number, `times` for
time. Higher than for the word itself, since each is one more chance to find what is not there."""
FOR = " (for "
"""Between another printing and the question's own word."""


@dataclass(frozen=True, eq=False)
class WordSight(Sight):
    """Where one question looks on one page, and which of its words were found there."""

    unsupported: tuple[str, ...] = ()
    """Words in scripts the scout cannot read."""
    matched: bool = False
    """Whether any word was found, or perhaps; if not, the kind of answer asked for guides alone."""
    text: float = 0.0
    """Share of the page that holds text."""

    @property
    def blank(self) -> bool:
        """Whether the page has hardly any text: no word on it can point anywhere."""
        return self.text < BLANK

    @staticmethod
    def of(
        logit: Map,
        matches: tuple[Match, ...],
        unsupported: tuple[str, ...],
        matched: bool,
        text: float,
        size: Map | None = None,
        elsewhere: Map | None = None,
        quoted: bool = False,
        counts: bool = False,
        of_chart: bool = False,
    ) -> "WordSight":
        """With words for people.

        It is as sure of its map as the question's words were found, on a page of text, or where
        the question quotes what is printed; less so if the question compares. On other pictures
        the answer may be no text at all.
        """
        printed = matched or quoted or text >= PAGE
        sure = COMPARING if (counts or of_chart) and not quoted else SURE
        sure *= min(1.0, found_share(matches) / ENOUGH)
        short, sentence = _outcome(matches, unsupported, matched)
        knows = bool(matches) and text >= BLANK and printed
        return WordSight(
            logit,
            sure=sure if knows else 0.0,
            size=size,
            size_error=SIZE_ERROR,
            elsewhere=elsewhere,
            origin=f"words: {short}",
            explanation=sentence,
            unsure="" if knows else _unsure(matches, unsupported),
            question_used=matched or bool(matches),
            matches=matches,
            facts={
                "unsupported": list(unsupported),
                "matched": matched,
                "quoted": quoted,
                "compares": counts and not quoted,
                "text": round(text, 4),
            },
            unsupported=unsupported,
            matched=matched,
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
        best[_wanted(match)] = max(best.get(_wanted(match), 0.0), match.probability)
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
    words = {_wanted(match) for match in matches}
    found = {_wanted(match) for match in matches if match.state == "found"}
    perhaps = {_wanted(match) for match in matches if match.state == "perhaps"} - found
    named = found or perhaps
    said = "found" if found else "perhaps found"
    doubt = f", {len(perhaps)} perhaps" if found and perhaps else ""
    were, noun = "was" if len(named) == 1 else "were", "word" if len(words) == 1 else "words"
    them = "it" if len(found | perhaps) == 1 else "them"
    share = f"{len(named)} of {len(words)}"
    sentence = f"{share} {noun} of the question {were} {said}{doubt}; the choice follows {them}."
    return f"{share} {said}{doubt}", sentence


def _unsure(matches: tuple[Match, ...], unsupported: tuple[str, ...]) -> str:
    """Why nobody can tell where to look."""
    why = "The question has no word that the scout can look for."
    if matches:
        why = "No word of the question was found in the picture, and there is little text in it."
    return f"{why}{_unread(unsupported)}"


def _unread(unsupported: tuple[str, ...]) -> str:
    if not unsupported:
        return ""
    return f" Not looked for, in a script that it cannot read: {', '.join(unsupported)}."


def _wanted(match: Match) -> str:
    """The question's own word: what was found, or what that stands for."""
    return match.text.partition(FOR)[2].removesuffix(")") or match.text


def matches(evidence: WordEvidence, row: int, asked: ParsedQuestion) -> tuple[Match, ...]:
    """What was found of a question's words, for people."""
    rows, cols = evidence.text.shape
    words: list[Match] = []
    for place, word in enumerate(asked.words):
        match = evidence.match[row, place]
        peak = float(match.max())
        y, x = divmod(int(match.argmax()), cols)
        y0, x0 = max(0, y - PLACE[0]), max(0, x - PLACE[1])
        near = match[y0 : y + PLACE[0] + 1, x0 : x + PLACE[1] + 1] >= peak / 2
        ys, xs = near.any(1).nonzero()[:, 0], near.any(0).nonzero()[:, 0]
        box = (
            (x0 + int(xs[0])) / cols, (y0 + int(ys[0])) / rows,
            (x0 + int(xs[-1]) + 1) / cols, (y0 + int(ys[-1]) + 1) / rows,
        )  # fmt: skip
        there = [other.box for other in words if other.state != "missing"]
        if place >= asked.own:
            if peak < OTHERWISE or any(_meet(box, other) for other in there):
                continue  # it might have been printed so, and was not; or it was found already
            word = f"{word}{FOR}{asked.stand_for[place - asked.own]})"
        count = float((match >= PERHAPS).sum()) / max(1, int(near.sum()))
        words.append(Match(word, peak, box, count))
    return tuple(words)


def _meet(one: Box, other: Box) -> bool:
    """Whether two boxes share more than a border."""
    across = max(one[0], other[0]) < min(one[2], other[2])
    return across and max(one[1], other[1]) < min(one[3], other[3])


# ---- the scout ----------------------------------------------------------------------------------

PRINTED = 0.5
"""A cell holds text from this probability on."""
WEIGHTS = Path(__file__).parent / "weights"
FILE = "word-scout.safetensors"

Way = Literal["full", "blind", "prior", "by-hand"]


@dataclass(frozen=True, eq=False)
class WordScout:
    """Finds the words of questions on pages; deterministic."""

    net: WordNet
    spread: Mapping[Mode, Spread]
    """Learned spreads; without a full one a fixed kernel takes its place."""
    weights: str
    """Hash of the weights that features of a page come from: part of every cache key."""
    cache: Cache
    height: HeightHead | None = None
    """Tells how large print is; without it sights do not say."""
    int8: Int8Net | None = None
    """The net in whole numbers of 8 bits, where the processor is faster so."""
    whole: bool = False
    """Whether blank paper is read as well: a control."""
    elsewhere: Reader | None = None
    """Reads pages on another device; questions are answered on the processor all the same."""

    def on(self, device: str | torch.device) -> "WordScout":
        """The same scout, reading pages on a device such as `cuda`, in floats and in batches."""
        net, height = copy.deepcopy(self.net).to(device), copy.deepcopy(self.height)
        there = None if height is None else height.to(device)
        return replace(self, elsewhere=Reader(net, there, whole=self.whole))

    def __call__(self, image: Image, question: str, grid: Grid) -> WordSight:
        """Where a question looks on a page; the page is read once for all its questions."""
        with torch.inference_mode():
            return self._sights(image, [ask(question)], grid, "full")[0]

    def ask(
        self,
        image: UInt8[Tensor, "3 _ _"],
        questions: Sequence[str],
        patch: int = 16,
        way: Way = "full",
    ) -> list[WordSight]:
        """Sights of several questions about one page, which is read once."""
        asked = [ask(question) for question in questions]
        with torch.inference_mode():
            return self._sights(image, asked, _grid(image, patch), way)

    def read(self, image: UInt8[Tensor, "3 _ _"]) -> Features:
        """The page's features, from the cache if it was read before."""
        return self.cache.of(self._key(image), lambda: self._read([image])[0])

    def read_all(self, images: Sequence[UInt8[Tensor, "3 _ _"]]) -> list[Features]:
        """The features of several pages of any sizes; those not in the cache are read together."""
        keys = [self._key(image) for image in images]
        kept = {name: self.cache.get(name) for name in keys}
        new = {name: image for name, image in zip(keys, images, strict=True) if kept[name] is None}
        for name, page in zip(new, self._read(list(new.values())), strict=True):
            kept[name] = self.cache.of(name, lambda page=page: page)
        return [kept[name] or {} for name in keys]

    @property
    def how(self) -> str:
        """How pages are read: in whole numbers or floats, with blank paper or without."""
        return self._reader().name

    def _key(self, image: UInt8[Tensor, "3 _ _"]) -> str:
        return key(image, self.weights, sizes=str(sizes_of(image)), how=self.how)

    def _reader(self) -> Reader:
        return self.elsewhere or Reader(self.net, self.height, self.int8, self.whole)

    def _read(self, images: Sequence[UInt8[Tensor, "3 _ _"]]) -> list[dict[str, Tensor]]:
        pages = self._reader().read(images)
        return [{name: value.cpu() for name, value in page.items()} for page in pages]

    def evidence(self, page: Features, asked: Sequence[ParsedQuestion]) -> WordEvidence:
        """Where the words of the questions stand on a page."""
        words = sorted({word for one in asked for word in one.words})
        return WordEvidence.of(
            asked, words, self.match(page, words), page["text"].float(), page["kind"].float()
        )

    @torch.inference_mode()
    def match(self, page: Features, words: Sequence[str]) -> Float[Tensor, "n r c"]:
        """Probability that a cell of the frame is part of a word, the surest of all sizes."""
        rows, cols = page["text"].shape
        if not words:
            return torch.zeros(0, rows, cols)
        logit = self.net.match(page["embed"].float(), self.net.query(code(words)))
        surely = logit.sigmoid() * page["weight"].float()[:, None]
        best = largest(surely, page["touch"])
        out = best.new_zeros(rows * cols, len(words))
        out[page["cells"]] = best
        return rearrange(out, "(r c) n -> n r c", r=rows).contiguous()

    def size(self, page: Features, grid: tuple[int, int], longer: int) -> Map | None:
        """Height of the print around each cell of a grid, in pixels of an image of that side."""
        if "octaves" not in page:
            return None
        octaves = on_grid(page["octaves"].float(), page["text"].float(), grid)
        return (octaves + OFFSET).exp2() * (longer / FRAME)

    def _sights(
        self,
        image: UInt8[Tensor, "3 _ _"],
        asked: Sequence[ParsedQuestion],
        grid: tuple[int, int],
        way: Way,
    ) -> list[WordSight]:
        page = self.read(image)
        evidence = self.evidence(page, asked)
        size = self.size(page, grid, max(image.shape[1:]))
        cells = onto(self._relevance(evidence, way), grid)  # the largest of what a cell touches
        seen = [matches(evidence, row, one) for row, one in enumerate(asked)]
        text = float((evidence.text > PRINTED).float().mean())
        printed = resize_map(evidence.text, grid) + 1e-3
        return [
            WordSight.of(
                cells[row], seen[row], one.unsupported,
                any(match.state != "missing" for match in seen[row]),
                text, size, printed, one.quoted, one.counts, one.of_chart,
            )
            for row, one in enumerate(asked)
        ]  # fmt: skip

    def _relevance(self, evidence: WordEvidence, way: Way) -> Float[Tensor, "q r c"]:
        """Log-probabilities of the frame's cells."""
        if way in ("blind", "prior"):
            return F.logsigmoid(self._twin(evidence, way))
        return by_hand(features(evidence)) if way == "by-hand" else self._full(evidence)

    def _full(self, evidence: WordEvidence) -> Float[Tensor, "q r c"]:
        """The full spread; of a question without any word to look for, the blind twin's.

        Words that are nowhere on the page still tell what kind of answer is asked for.
        """
        if "full" in self.spread:
            logit = F.logsigmoid(self.spread["full"](evidence))
        else:
            logit = by_hand(features(evidence))
        asked = evidence.valid.any(1)
        if "blind" not in self.spread or bool(asked.all()):
            return logit
        blind = F.logsigmoid(self._twin(evidence, "blind"))
        return torch.where(asked[:, None, None], logit, blind)

    def _twin(
        self, evidence: WordEvidence, mode: Literal["blind", "prior"]
    ) -> Float[Tensor, "q r c"]:
        if mode not in self.spread:
            raise ValueError(
                f"word scout: no {mode} twin was trained: `homunculus train word-scout`."
            )
        return self.spread[mode](evidence)


def _grid(image: UInt8[Tensor, "3 h w"], patch: int) -> tuple[int, int]:
    return -(-image.shape[1] // patch), -(-image.shape[2] // patch)


# ---- weights -------------------------------------------------------------------------------------


def load(path: Path | None = None, cache: Cache | None = None) -> WordScout:
    """The shipped scout, or one from a folder with `word-scout.safetensors`.

    Spreads and the head of heights are taken from beside it; the scout works without them.
    """
    folder = path or WEIGHTS
    file = folder / FILE
    if not file.exists():
        raise FileNotFoundError(
            f"word scout: no {file.name} in {folder}. Make it with `homunculus train word-scout`."
        )
    net, _ = load_net(file)
    own = digest = hashlib.sha256(file.read_bytes()).hexdigest()
    found: dict[Mode, Spread] = {}
    for mode in ("full", "blind", "prior"):
        if (beside := folder / f"spread-{mode}.safetensors").exists():
            found[mode] = load_spread(beside, mode)
    height = None
    if (beside := folder / HEIGHT_FILE).exists():
        height = load_height(beside, own)
        digest = hashlib.sha256(digest.encode() + beside.read_bytes()).hexdigest()
    kept = cache or Cache(Path(), most=0)  # memory only: pages are private
    fused, body = net.fused(), None
    if (beside := folder / INT8_FILE).exists() and int8.available():
        top = int8.load(beside, own)
        body = None if top is None else Int8Net(fused, top)
    return WordScout(fused, found, digest, kept, height, body)
