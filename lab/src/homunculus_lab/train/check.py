# pyright: basic
"""Validation of the word net on held-out crops; by text height, which decides most."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus_lab.train.batch import Batch
from homunculus_lab.train.labels import IGNORE
from homunculus_lab.train.loss import SHORTEST, letters, loss, scaled
from homunculus_lab.train.net import WordNet

BANDS = (0, 10, 14, 20, 30, 50)
"""Lower ends of the bands of word height, in pixels."""
SHORTEST_SEARCH = 3
"""Letters of the shortest word that is searched for."""

Tally = dict[str, list[float]]


@torch.no_grad()
def check(net: WordNet, batches: Sequence[Batch]) -> dict[str, float]:
    """Averages over the batches; the net is in training mode again afterwards, if it was."""
    training = net.training
    net.eval()
    tally: Tally = {}
    for batch in batches:
        parts = loss(net, batch, torch.Generator().manual_seed(0)).parts()
        for name, value in parts.items():
            _add(tally, f"loss_{name}", [value])
        _score(net, batch, tally)
    net.train(training)
    counts = ("text_both", "text_any")
    shares = {
        name: sum(values) / len(values) for name, values in tally.items() if name not in counts
    }
    iou = sum(tally["text_both"]) / max(sum(tally["text_any"]), 1)
    return {name: round(share, 4) for name, share in ({"text_iou": iou} | shares).items()}


def _add(tally: Tally, name: str, values: Sequence[float]) -> None:
    if len(values):
        tally.setdefault(name, []).extend(values)


def _score(net: WordNet, batch: Batch, tally: Tally) -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        features = net(scaled(batch))
        hidden = net.hide(features.word)
        letter, bits = letters(net, features.letter), net.code_head(hidden).float()
        embed, query = net.embed(hidden), net.query(batch.code[: batch.printed].float())
    _add_text(features.text > 0, batch.word, tally)
    known = batch.letter != IGNORE
    right = letter.argmax(-1) == batch.letter
    _add(tally, "letter", right[known].float().tolist())
    _score_cells(bits, embed, query, batch, tally)
    _score_search(net.match(embed, query), batch, tally)


def _add_text(predicted: Bool[Tensor, "*cells"], word: Int[Tensor, "*cells"], tally: Tally) -> None:
    sure, true = word >= 0, word > 0
    _add(tally, "text_both", [float((predicted & true).sum())])
    _add(tally, "text_any", [float(((predicted | true) & sure).sum())])


def _score_cells(
    bits: Float[Tensor, "b r c bits"],
    embed: Float[Tensor, "b r c e"],
    query: Float[Tensor, "n e"],
    batch: Batch,
    tally: Tally,
) -> None:
    """Which of the batch's words a cell is part of: by embedding, and by code."""
    long = torch.tensor([0] + [len(word) >= SHORTEST for word in batch.words[: batch.printed]])
    here = long.bool()[batch.word.clamp(min=0)]
    never = ~long[1:].bool()
    truth = batch.word[here] - 1
    by_embedding = (embed[here] @ query.T).masked_fill(never, -torch.inf).argmax(-1)
    # the log-likelihood of a word's code, up to what is the same for all words
    likely = bits[here] @ batch.code[: batch.printed].float().T
    by_code = likely.masked_fill(never, -torch.inf).argmax(-1)
    _add(tally, "cell_embed", (by_embedding == truth).float().tolist())
    _add(tally, "cell_code", (by_code == truth).float().tolist())


def _score_search(logit: Float[Tensor, "b r c n"], batch: Batch, tally: Tally) -> None:
    """Where in its crop a word is: right if the best cell is in the word or on its rim."""
    for page, word, height in zip(logit, batch.word, batch.height, strict=True):
        numbers = [
            n
            for n in word.unique().tolist()
            if n > 0 and len(batch.words[n - 1]) >= SHORTEST_SEARCH
        ]
        for n in numbers:
            own = word == n
            rim = F.max_pool2d(own[None].float(), 3, 1, 1)[0] > 0
            best = page[..., n - 1].flatten().argmax()
            hit = bool((own | (rim & (word < 0))).flatten()[best])
            _add(tally, "find", [float(hit)])
            _add(tally, f"find_{_band(float(height[own].max()))}", [float(hit)])


def _band(height: float) -> str:
    low = max(low for low in BANDS if low <= height)
    return f"from_{low}px"
