"""From where the question's words stand to where its answer stands.

`WordEvidence` is what the page tells of a question, as maps over its cells. `Spread` is a small
net over those maps, steered by the question; two twins of it know less on purpose, and `by_hand` is
a kernel with fixed weights for when nothing is learned.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import torch
import torch.nn.functional as F
from einops import rearrange, repeat
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from homunculus.scouts.words.net import KINDS, load_weights
from homunculus.scouts.words.question import BUCKETS, ParsedQuestion

Mode = Literal["full", "blind", "prior"]

FEATURES: tuple[str, ...] = (
    "word",  # the heaviest of the question's words that stands here
    "phrase",  # all of them that stand here and near by on the line
    "right",  # what follows shortly on the line
    "right-far",
    "left",
    "below",
    "below-far",
    "above",
    "crossing",  # in the row of one word and down the column of another
    "matched",  # how sure it is that any word was found at all; the same everywhere
    "text",
    "figure",  # text that is no plain word
    "fit",  # text that looks as the answer should
    "y",
    "x",
    *KINDS,
)
"""Names of the maps, in order. All lie in 0 to 1."""
EVIDENCE = FEATURES.index("text")
"""How many of them, the first, come from matches."""

FLOOR = 1e-6
"""The least probability: keeps logarithms finite."""
NEAR, SHORT, FAR = 6.0, 8.0, 40.0  # cells along a line after which evidence has faded to 1/e
LOW, LOWER = 4.0, 16.0  # the same down the page
ACROSS, DOWN = 120.0, 60.0  # the same along the rows and columns of a table
LINE, COLUMN = 1, 3
"""How many cells a line may sway up and down, and a column sideways."""
HEADING = 3
"""Rows below a word where its column begins: its own line is no column."""
PLACE = (2, 12)
"""Rows and columns within which two finds are one: about a large word to every side."""


@dataclass(frozen=True, eq=False)
class WordEvidence:
    """What the scout found on one page for some questions."""

    match: Float[Tensor, "q w r c"]
    """Probability that the cell is part of the word."""
    valid: Bool[Tensor, "q w"]
    """False where a question has fewer words than another."""
    weight: Float[Tensor, "q w"]
    """What a find would say, as the question tells it."""
    kinds: Float[Tensor, "q 8"]
    """What the answer looks like."""
    buckets: Int[Tensor, "q t"]
    """The question as a bag of words; -1 pads."""
    text: Float[Tensor, "r c"]
    kind: Float[Tensor, "8 r c"]
    """What the text of the cell looks like."""

    @staticmethod
    def of(
        questions: Sequence[ParsedQuestion],
        words: Sequence[str],
        match: Float[Tensor, "n r c"],
        text: Float[Tensor, "r c"],
        kind: Float[Tensor, "8 r c"],
    ) -> "WordEvidence":
        """Lay out the maps of all words, each looked for once, question by question."""
        row = {word: row for row, word in enumerate(words)}
        rows = [[row[word] for word in question.words] for question in questions]
        index, valid = _padded(rows, match.device)
        weights = [question.weights for question in questions]
        weight, _ = _padded(weights, match.device, torch.float32)
        buckets, hashed = _padded([question.buckets for question in questions], match.device)
        kinds = torch.tensor([question.kinds for question in questions], device=match.device)
        maps = match if len(words) else match.new_zeros(1, *text.shape)
        buckets = buckets.masked_fill(~hashed, -1)
        return WordEvidence(maps[index], valid, weight, kinds, buckets, text, kind)

    def limited_to(self, mode: Mode) -> "WordEvidence":
        """A copy for a twin that must not peek: `blind` knows no question, `prior` no pixel."""
        hidden: dict[Mode, tuple[str, ...]] = {
            "full": (),
            "blind": ("match", "valid", "weight", "kinds"),
            "prior": ("match", "text", "kind"),
        }
        zeros = {name: torch.zeros_like(getattr(self, name)) for name in hidden[mode]}
        if mode == "blind":
            zeros["buckets"] = torch.full_like(self.buckets, -1)
        return replace(self, **zeros)


def _padded(
    rows: Sequence[Sequence[float | int]], device: torch.device, dtype: torch.dtype = torch.long
) -> tuple[Tensor, Bool[Tensor, "q width"]]:
    """Rows of unlike length side by side, at least one wide, and where they hold something."""
    width = max(1, *map(len, rows)) if rows else 1
    full = [[*row, *[0] * (width - len(row))] for row in rows]
    values = torch.tensor(full, dtype=dtype, device=device).view(-1, width)
    lengths = torch.tensor([len(row) for row in rows], dtype=torch.long, device=device)
    return values, torch.arange(width, device=device) < lengths[:, None]


# ---- the maps ------------------------------------------------------------------------------------


def features(evidence: WordEvidence) -> Float[Tensor, "q f r c"]:
    """All maps of `FEATURES` for each question."""
    match = evidence.match.float() * rearrange(evidence.valid, "q w -> q w 1 1")
    weight, none = evidence.weight, int(not match.shape[1])  # without words, one that is nowhere
    match, weight = _telling(F.pad(match, (0, 0, 0, 0, 0, none)), F.pad(weight, (0, none)))
    share = rearrange(shares(match, weight), "q w -> q w 1 1")
    best = match.amax(1)
    line = _swayed(match, LINE, -2)
    phrase = torch.minimum((share * _both(line, NEAR)).sum(1), best)
    maps = [
        (share * match).amax(1),
        phrase,
        *_around(phrase),
        _crossing(share * _both(line, ACROSS), share * _columns(match)),
        best.amax((1, 2), keepdim=True).expand_as(phrase),
    ]
    return torch.cat([torch.stack(maps, 1), _page(evidence)], 1)


def _telling(
    match: Float[Tensor, "q w r c"], weight: Float[Tensor, "q w"]
) -> tuple[Float[Tensor, "q w2 r c"], Float[Tensor, "q w2"]]:
    """Only the words that may tell anything beside the surest one of their question.

    Most are ways to print a word that the page does not have, and each costs as much as a find.
    What they would add stays below `FAINT_MATCH`.
    """
    peak = match.amax((2, 3))
    counts = peak >= (SLIGHT * peak.amax(1, keepdim=True)).clamp(min=FAINT_MATCH)
    width = max(1, int(counts.sum(1).amax())) if len(counts) else 1
    order = (peak * counts).argsort(dim=1, descending=True, stable=True)[:, :width]
    row = torch.arange(len(order), device=order.device)[:, None]
    counts = counts.float()[row, order]
    return match[row, order] * rearrange(counts, "q w -> q w 1 1"), weight[row, order] * counts


def shares(match: Float[Tensor, "q w r c"], weight: Float[Tensor, "q w"]) -> Float[Tensor, "q w"]:
    """How much each word of a question counts; over the words that were evidence, they sum to 1.

    A word found in many places says little about any of them.
    """
    rare = 1 / (1 + places(match))
    counted = weight * rare * match.amax((2, 3))
    return counted / counted.sum(1, keepdim=True).clamp(min=FLOOR)


def places(match: Float[Tensor, "q w r c"]) -> Float[Tensor, "q w"]:
    """How often a word stands on the page, softly: each place counts as its own peak.

    A cell's part in its place is its share of the mass around it, so long words count no more
    than short ones, and a haze of small probabilities hardly at all.
    """
    (up, side), (mass, peak) = PLACE, (match, match)
    for sway, axis in ((up, -2), (side, -1)):
        mass, peak = _summed(mass, sway, axis), _swayed(peak, sway, axis)
    mass = torch.maximum(mass, match).clamp(min=FLOOR)  # sums are rounded, a share is at most 1
    return (match * peak / mass).sum((2, 3))


def _around(phrase: Float[Tensor, "q r c"]) -> list[Float[Tensor, "q r c"]]:
    """The phrase seen from all sides; names in `FEATURES`."""
    line, column = _swayed(phrase, LINE, -2), _swayed(phrase, COLUMN, -1)
    return [
        faded(line, SHORT, -1),
        faded(line, FAR, -1),
        faded(line, SHORT, -1, back=True),
        faded(column, LOW, -2),
        faded(column, LOWER, -2),
        faded(column, LOW, -2, back=True),
    ]


def _columns(match: Float[Tensor, "q w r c"]) -> Float[Tensor, "q w r c"]:
    """Down the column of each word, from below its own line on."""
    column = faded(_swayed(match, COLUMN, -1), DOWN, -2)
    return F.pad(column, (0, 0, HEADING, 0))[..., : match.shape[2], :]


def _crossing(
    row: Float[Tensor, "q w r c"], column: Float[Tensor, "q w r c"]
) -> Float[Tensor, "q r c"]:
    """The sum over all pairs of unlike words of row x column."""
    return (row.sum(1) * column.sum(1) - (row * column).sum(1)).clamp(min=0)


def _page(evidence: WordEvidence) -> Float[Tensor, "q f r c"]:
    """What the page shows without the words: text, its look, and where on the page it stands."""
    questions, (rows, cols) = evidence.kinds.shape[0], evidence.text.shape
    text, kind = evidence.text.float(), evidence.kind.float()
    figure, plain = text * (1 - kind[0]), torch.ones_like(text)
    fit = text * torch.einsum("qk,krc->qrc", evidence.kinds.float(), kind)
    y = plain * ((torch.arange(rows, device=text.device) + 0.5) / rows)[:, None]
    x = plain * ((torch.arange(cols, device=text.device) + 0.5) / cols)
    same = [repeat(value, "r c -> q 1 r c", q=questions) for value in (text, figure, y, x)]
    looks = repeat(text * kind, "k r c -> q k r c", q=questions)
    return torch.cat([*same[:2], fit[:, None], *same[2:], looks], 1)


# ---- along lines and columns ---------------------------------------------------------------------


def faded(
    value: Float[Tensor, "*maps r c"], reach: float | int, axis: int, back: bool = False
) -> Float[Tensor, "*maps r c"]:
    """At each cell, the largest value before it on the axis, faded by e every ``reach`` cells.

    With ``back`` the largest after it. By steps that double: no loop over cells.
    """
    best, cells, step = value.clamp(min=FLOOR), value.shape[axis], 1
    while step < cells and (fade := math.exp(-step / reach)) > FLOOR:
        early, late = best.narrow(axis, 0, cells - step), best.narrow(axis, step, cells - step)
        near, far = (early, late) if back else (late, early)
        near.copy_(torch.maximum(near, far * fade))
        step *= 2
    return best


def _both(value: Float[Tensor, "q w r c"], reach: float) -> Float[Tensor, "q w r c"]:
    """The largest value on the line to either side, faded."""
    return torch.maximum(faded(value, reach, -1), faded(value, reach, -1, back=True))


def _swayed(value: Float[Tensor, "*maps r c"], sway: int, axis: int) -> Float[Tensor, "*maps r c"]:
    """The largest value up to ``sway`` cells away on an axis, by windows that double."""
    out, size, whole = _bordered(value, sway, axis), 1, 2 * sway + 1
    while size < whole:
        step = min(size, whole - size)
        rest = out.shape[axis] - step
        out, size = (
            torch.maximum(out.narrow(axis, 0, rest), out.narrow(axis, step, rest)),
            size + step,
        )
    return out


def _summed(value: Float[Tensor, "*maps r c"], sway: int, axis: int) -> Float[Tensor, "*maps r c"]:
    """The sum of the values up to ``sway`` cells away on an axis."""
    total, cells = _bordered(value, sway, axis, 1).cumsum(axis), value.shape[axis]
    return total.narrow(axis, 2 * sway + 1, cells) - total.narrow(axis, 0, cells)


def _bordered(value: Tensor, sway: int, axis: int, ahead: int = 0) -> Tensor:
    """Zeros around an axis: beyond the page nothing is evidence."""
    ends = (sway + ahead, sway)
    return F.pad(value, ends if axis == -1 else (0, 0, *ends))


DIM, HIDDEN, BLOCKS, BUCKET_DIM = 32, 64, 3, 16
RARE = 0.02
"""The share of cells that hold an answer, before anything is learned."""
FAINT_MATCH = 0.01
"""Evidence below this is as good as none; the net sees its logarithm down to here."""
SLIGHT = 0.1
"""A word whose best match is less than this share of another's tells nothing beside it."""


class Spread(nn.Module):
    """Logit that a cell belongs to the answer.

    ``mode`` is what the net may know: `full` all, `blind` no question, `prior` no pixel. What it
    may not know is taken away inside, so that no caller can hand it over by mistake.
    """

    def __init__(self, mode: Mode = "full") -> None:
        super().__init__()
        self.mode: Mode = mode
        self.bucket = nn.Embedding(BUCKETS, BUCKET_DIM)
        self.question = nn.Linear(BUCKET_DIM + len(KINDS), DIM)
        self.enter = nn.Conv2d(len(FEATURES), DIM, 1)
        self.blocks = nn.ModuleList(SteeredBlock() for _ in range(BLOCKS))
        self.leave = nn.Conv2d(DIM, 1, 1)
        nn.init.normal_(self.bucket.weight, std=0.1)
        nn.init.constant_(self.leave.bias, math.log(RARE / (1 - RARE)))  # pyright: ignore[reportArgumentType]

    def forward(self, evidence: WordEvidence) -> Float[Tensor, "q r c"]:
        """One map a question, on cells of 8 pixels."""
        return self.over(*self.inputs(evidence))

    def inputs(
        self, evidence: WordEvidence
    ) -> tuple[Float[Tensor, "q f r c"], Float[Tensor, "q d"]]:
        """What the net may know: maps of the page and a vector of the question."""
        evidence = evidence.limited_to(self.mode)
        bag = torch.cat([self._bag(evidence.buckets), evidence.kinds], 1)
        return _scaled(features(evidence)), F.relu(self.question(bag))

    def over(
        self, maps: Float[Tensor, "q f r c"], question: Float[Tensor, "q d"]
    ) -> Float[Tensor, "q r c"]:
        """The map of maps, or of windows of them: what is far away is in the maps already."""
        rows, cols = maps.shape[2:]
        x = F.relu(_each_cell(self.enter, rearrange(maps, "q f r c -> q (r c) f")))
        x = rearrange(x, "q (r c) d -> q d r c", r=rows)  # channels last, from here on
        for block in self.blocks:
            x = block(x, question)
        logit = _each_cell(self.leave, rearrange(x, "q d r c -> q (r c) d"))
        return rearrange(logit, "q (r c) 1 -> q r c", c=cols)

    def _bag(self, buckets: Int[Tensor, "q t"]) -> Float[Tensor, "q e"]:
        """The mean of the buckets' embeddings; 0 for a question without words."""
        valid = (buckets >= 0).float()[..., None]
        return (self.bucket(buckets.clamp(min=0)) * valid).sum(1) / valid.sum(1).clamp(min=1)


class SteeredBlock(nn.Module):
    """A residual block that looks around, along the line and down the column.

    The question turns its hidden channels up and down (FiLM: Perez et al., 2018).
    """

    def __init__(self) -> None:
        super().__init__()
        self.around = nn.Conv2d(DIM, DIM, 3, padding=1, groups=DIM)
        self.line = nn.Conv2d(DIM, DIM, (1, 9), padding=(0, 4), groups=DIM, bias=False)
        self.column = nn.Conv2d(DIM, DIM, (9, 1), padding=(4, 0), groups=DIM, bias=False)
        self.widen = nn.Conv2d(DIM, HIDDEN, 1)
        self.steer = nn.Linear(DIM, 2 * HIDDEN)
        self.narrow = nn.Conv2d(HIDDEN, DIM, 1)

    def forward(
        self, x: Float[Tensor, "q d r c"], question: Float[Tensor, "q d"]
    ) -> Float[Tensor, "q d r c"]:
        """Features of the same shape, changed by what is around each cell."""
        gain, shift = rearrange(self.steer(question), "q (two d) -> two q d", two=2)
        seen = self.around(x).add_(self.line(x)).add_(self.column(x))
        cells = rearrange(seen, "q d r c -> q (r c) d")
        # the question turns the weights instead of every cell: the same, and less work
        weight = rearrange(self.widen.weight, "out d 1 1 -> d out") * (1 + gain)[:, None]
        assert self.widen.bias is not None
        bias = self.widen.bias * (1 + gain) + shift
        hidden = torch.baddbmm(bias[:, None], cells, weight).relu_()
        out = rearrange(_each_cell(self.narrow, hidden), "q (r c) d -> q d r c", c=x.shape[3])
        return out.add_(x)


def _each_cell(conv: nn.Conv2d, cells: Float[Tensor, "q n d"]) -> Float[Tensor, "q n d2"]:
    """A convolution of 1 x 1 as the product it is: faster with channels last."""
    return F.linear(cells, conv.weight[:, :, 0, 0], conv.bias)


def _scaled(maps: Float[Tensor, "q f r c"]) -> Float[Tensor, "q f r c"]:
    """Evidence on a logarithmic scale from 0 to 1: its slope tells how far away a word stands."""
    evidence, page = maps[:, :EVIDENCE], maps[:, EVIDENCE:]
    log = 1 - evidence.clamp(FAINT_MATCH, 1).log() / math.log(FAINT_MATCH)
    return torch.cat([log, page], 1)


def load(path: Path, mode: Mode) -> Spread:
    """The spread of a file; a twin's file is no other's."""
    net = Spread(mode)
    load_weights(net, path, f"spread-{mode}")
    return net.requires_grad_(False)


# ---- without learning ----------------------------------------------------------------------------

KERNEL: dict[str, float] = {
    "phrase": 0.8, "right-far": 1.0, "left": 0.4, "below": 0.7, "below-far": 0.5,
}  # fmt: skip
"""What each map is worth: most the right along the line, then what is below."""
CROSSING = 2.0
"""What the meeting of a row and a column adds."""
ANY_TEXT = 0.03
"""What text is worth that nothing points to."""


def by_hand(maps: Float[Tensor, "q f r c"]) -> Float[Tensor, "q r c"]:
    """A fixed kernel instead of a learned spread, as a log-probability."""
    worth = maps.new_tensor([KERNEL.get(name, 0.0) for name in FEATURES])
    near = (maps * worth[:, None, None]).amax(1) + CROSSING * maps[:, FEATURES.index("crossing")]
    likely = maps[:, FEATURES.index("text")] * (ANY_TEXT + (1 - ANY_TEXT) * near.clamp(max=1))
    return likely.clamp(min=FLOOR).log()
