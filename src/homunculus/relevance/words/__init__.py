"""The word scout: finds the question's words on a page, then looks where the answer would stand.

A page is read once, at three sizes, so that small and large print are in reach. After that a
question costs milliseconds. Everything is laid on a frame of the page with a longer side of 1,024
pixels, in cells of 8, whatever the size of the picture.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2
from pathlib import Path
from typing import Literal

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

from homunculus.core.pipeline import FOUND, Box, Image, Map, Match, Sight, resize_map
from homunculus.core.types import Grid
from homunculus.relevance.words.cache import Cache, Features, key
from homunculus.relevance.words.evidence import PLACE, Mode, Spread, WordEvidence, by_hand, features
from homunculus.relevance.words.evidence import load as load_spread
from homunculus.relevance.words.height import FILE as HEIGHT_FILE
from homunculus.relevance.words.height import OFFSET, SIZE_ERROR, HeightHead, combine, on_grid
from homunculus.relevance.words.height import load as load_height
from homunculus.relevance.words.net import KINDS, STRIDE, Description, WordNet, code
from homunculus.relevance.words.net import load as load_net
from homunculus.relevance.words.question import ParsedQuestion, ask

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


@dataclass(frozen=True, eq=False)
class WordSight(Sight):
    """Where one question looks on one page, and which of its words were found there."""

    unsupported: tuple[str, ...] = ()
    """Words in scripts the scout cannot read."""
    matched: bool = False
    """Whether any word was found; if not, the kind of answer asked for guides alone."""
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
        compares: bool = False,
    ) -> "WordSight":
        """With words for people.

        It is sure of its map where a word was found, on a page of text, or where the question
        quotes what is printed; less so if the question compares. On other pictures the answer may
        be no text at all.
        """
        printed = matched or quoted or text >= PAGE
        sure = COMPARING if compares and not quoted else SURE
        short, sentence = _outcome(matches, unsupported, matched)
        return WordSight(
            logit,
            sure=sure if matches and text >= BLANK and printed else 0.0,
            size=size,
            size_error=SIZE_ERROR,
            elsewhere=elsewhere,
            origin=f"words: {short}",
            explanation=sentence,
            question_used=matched or bool(matches),
            matches=matches,
            facts={
                "unsupported": list(unsupported),
                "matched": matched,
                "quoted": quoted,
                "text": round(text, 4),
            },
            unsupported=unsupported,
            matched=matched,
            text=text,
        )


def _outcome(
    matches: tuple[Match, ...], unsupported: tuple[str, ...], matched: bool
) -> tuple[str, str]:
    """What became of the question's words: in a few words, and in a sentence."""
    many, found = len(matches), sum(match.probability >= FOUND for match in matches)
    if matched:
        short, words = f"{found} of {many} found", "word" if many == 1 else "words"
        was, them = ("was", "it") if found == 1 else ("were", "them")
        sentence = (
            f"{found} of {many} {words} of the question {was} found; the choice follows {them}."
        )
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
        sentence += f" Not looked for, in a script that it cannot read: {', '.join(unsupported)}."
    return short, sentence


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
        there = [one.box for one in words if one.probability >= FOUND]
        if place >= asked.own and (peak < FOUND or any(_meet(box, one) for one in there)):
            continue  # how else it might have been printed, and was not, or what was found already
        count = float((match >= FOUND).sum()) / max(1, int(near.sum()))
        words.append(Match(word, peak, box, count))
    return tuple(words)


def _meet(one: Box, other: Box) -> bool:
    """Whether two boxes share more than a border."""
    across = max(one[0], other[0]) < min(one[2], other[2])
    return across and max(one[1], other[1]) < min(one[3], other[3])


# ---- the scout ----------------------------------------------------------------------------------

FRAME = 1024
"""Longer side of the frame, in pixels."""
SIZES = (1664, 832, 416)
"""Longer sides at which a page is read: print of 5 to 26 pixels in the frame, 10 to 52, 20 to 105.
An octave apart, since the net reads letters of 8 to 42 pixels."""
MAGNIFIED = 4
"""A size that magnifies an image more is left out: it is for letters of less than two pixels."""
PRINTED = 0.5
"""A cell holds text from this probability on."""
WEIGHTS = Path(__file__).parent / "weights"
FILE = "word-scout.safetensors"

Way = Literal["full", "blind", "prior", "by-hand"]


def sizes_of(image: UInt8[Tensor, "3 h w"]) -> tuple[int, ...]:
    """The sizes at which an image is read; the smallest at least.

    >>> sizes_of(torch.zeros(3, 1024, 768, dtype=torch.uint8))
    (1664, 832, 416)
    >>> sizes_of(torch.zeros(3, 160, 96, dtype=torch.uint8))
    (416,)
    """
    most = MAGNIFIED * max(image.shape[1:])
    return tuple(one for one in SIZES if one <= most) or SIZES[-1:]


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
        name = key(image, self.weights, sizes=str(sizes_of(image)))
        return self.cache.of(name, lambda: self._read(image))

    def evidence(self, page: Features, asked: Sequence[ParsedQuestion]) -> WordEvidence:
        """Where the words of the questions stand on a page."""
        words = sorted({word for one in asked for word in one.words})
        return WordEvidence.of(
            asked, words, self.match(page, words), page["text"].float(), page["kind"].float()
        )

    @torch.inference_mode()
    def match(self, page: Features, words: Sequence[str]) -> Float[Tensor, "n r c"]:
        """Probability that a cell of the frame is part of a word, the surest of all sizes."""
        frame = page["text"].shape
        if not words:
            return torch.zeros(0, *frame)
        query = self.net.query(code(words))
        best = torch.zeros(len(words), *frame)
        for size in (one for one in SIZES if f"embed-{one}" in page):
            logit = self.net.match(page[f"embed-{size}"].float(), query)
            text = page[f"text-{size}"].float()[..., None]
            best = torch.maximum(
                best, _onto(rearrange(logit.sigmoid() * text, "r c n -> n r c"), frame)
            )
        return best

    @torch.inference_mode()
    def _read(self, image: UInt8[Tensor, "3 _ _"]) -> dict[str, Tensor]:
        grey = image.float().mean(0) / 255
        frame = _frame(grey)
        out: dict[str, Tensor] = {}
        text, kind = torch.zeros(frame), torch.zeros(len(KINDS), *frame)
        heights: list[Tensor] = []
        for size in sizes_of(image):
            seen = self._describe(_sized(grey, size))
            out[f"embed-{size}"] = seen.embed[0].half()
            out[f"text-{size}"] = seen.text[0].half()
            kind += _onto(seen.kind[0] * seen.text, frame)  # each size speaks where it sees text
            text = torch.maximum(text, _onto(seen.text, frame)[0])
            if self.height is not None:
                heights.append(self.height.weigh(seen.cell[0], seen.text[0], log2(size / FRAME)))
        share = kind / kind.sum(0).clamp(min=1e-6)
        out |= {"text": text.half(), "kind": share.half()}
        return out | {"octaves": combine(heights, text).half()} if heights else out

    def _describe(self, grey: Float[Tensor, "1 1 h w"]) -> Description:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=_half()):
            return self.net.describe(grey)

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
        logit, matched = self._relevance(evidence, way)
        cells = _onto(logit, grid)  # the largest of what a cell touches
        text = float((evidence.text > PRINTED).float().mean())
        printed = resize_map(evidence.text, grid) + 1e-3
        return [
            WordSight.of(
                cells[row], matches(evidence, row, one), one.unsupported, bool(matched[row]), text,
                size, printed, one.quoted, one.compares,
            )
            for row, one in enumerate(asked)
        ]  # fmt: skip

    def _relevance(
        self, evidence: WordEvidence, way: Way
    ) -> tuple[Float[Tensor, "q r c"], Bool[Tensor, "q"]]:
        """Log-probabilities of the frame's cells, and which questions had a word evidence."""
        matched = (evidence.peak() >= FOUND).any(1)
        if way in ("blind", "prior"):
            return F.logsigmoid(self._twin(evidence, way)), matched
        if way == "by-hand":
            return by_hand(features(evidence)), matched
        return self._full(evidence), matched

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


# ---- sizes ---------------------------------------------------------------------------------------


def _frame(grey: Float[Tensor, "h w"]) -> tuple[int, int]:
    """Rows and columns of the frame."""
    scale = FRAME / max(grey.shape) / STRIDE
    return tuple(max(1, -int(-size * scale // 1)) for size in grey.shape)  # pyright: ignore[reportReturnType]


def _sized(grey: Float[Tensor, "h w"], longer: int) -> Float[Tensor, "1 1 h2 w2"]:
    scale = longer / max(grey.shape)
    size = [max(STRIDE, round(side * scale)) for side in grey.shape]
    shown = F.interpolate(grey[None, None], size, mode="bicubic", antialias=scale < 1)
    return shown.clamp(0, 1)


def _onto(
    value: Float[Tensor, "n r c"], frame: tuple[int, int] | torch.Size
) -> Float[Tensor, "n r2 c2"]:
    """Maps of another size on the frame: the largest where they are finer, repeated if coarser."""
    rows, cols = (min(have, want) for have, want in zip(value.shape[1:], frame, strict=True))
    shrunk = F.adaptive_max_pool2d(value, (rows, cols))
    return F.interpolate(shrunk[None], tuple(frame), mode="nearest-exact")[0]


def _grid(image: UInt8[Tensor, "3 h w"], patch: int) -> tuple[int, int]:
    return -(-image.shape[1] // patch), -(-image.shape[2] // patch)


@lru_cache(maxsize=1)
def _half() -> bool:
    """Half precision only where the processor multiplies it: elsewhere it is slower than full.

    oneDNN says yes to any AVX-512, and then converts back and forth.
    """
    native = (torch.cpu._is_avx512_bf16_supported, torch.cpu._is_amx_tile_supported)  # pyright: ignore[reportPrivateUsage]
    return any(supported() for supported in native)


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
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    found: dict[Mode, Spread] = {}
    for mode in ("full", "blind", "prior"):
        if (beside := folder / f"spread-{mode}.safetensors").exists():
            found[mode] = load_spread(beside, mode)
    height = None
    if (beside := folder / HEIGHT_FILE).exists():
        height = load_height(beside, digest)
        digest = hashlib.sha256(digest.encode() + beside.read_bytes()).hexdigest()
    kept = cache or Cache(Path(), most=0)  # memory only: pages are private
    return WordScout(net.fused(), found, digest, kept, height)
