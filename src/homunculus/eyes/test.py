# pyright: basic
# Pillow, OpenCV and the readers have no types of their own.
"""The eye test: how small a reader still reads, measured with an eye chart.

A reader (an OCR network, a server, a model) reads every item of a chart. A curve over the height of
the line is fit to what it got right; its interval is a bootstrap over items.
"""

import argparse
import io
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from math import log2, sqrt
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from homunculus.eyes.chart import CARD, KINDS, SHOWN, Item, draw_chart, make_chart
from homunculus.eyes.provenance import provenance
from homunculus.eyes.readers import Reader, distance, fold, get_reader
from homunculus.flags import result_path, slug
from homunculus.lazy import need
from homunculus.pages import to_data_uri
from homunculus.planner.acuity import Acuity, error_function
from homunculus.serve.chat import Chat, image_part, text_part
from homunculus.shapes import Float

PROMPT = "Read the text in the picture. Answer with the text alone."
ANSWER_TOKENS = 32
"""Most tokens of an answer."""
REQUESTS = 8
"""Requests to a server at a time."""
RESAMPLES = 1000
SHARES = (0.5, 0.9)

Progress = Callable[[int, int], None]


# ---- readers -------------------------------------------------------------------------------------


@runtime_checkable
class Eyes(Protocol):
    """A reader that takes the test."""

    name: str
    """Short, for the curve."""
    version: str
    """All that tells this reader from another."""
    shown: str
    """How an item is shown to it."""

    def read(self, items: Sequence[Item], progress: Progress) -> list[str]:
        """The text of each item, as this reader reads it."""
        ...


class OcrEyes:
    """An OCR network, which reads one line."""

    shown = f"enlarged to a line of {SHOWN} px or more (bicubic), cropped to the line"

    def __init__(self, name: str, reader: Reader) -> None:
        self.name, self.version, self.reader = name, reader.name, reader

    def read(self, items: Sequence[Item], progress: Progress) -> list[str]:
        """Read one item after the other."""
        return _one_by_one(lambda item: self.reader.line(item.enlarged), items, progress)


def _one_by_one(
    read: Callable[[Item], str], items: Sequence[Item], progress: Progress
) -> list[str]:
    texts: list[str] = []
    for item in items:
        texts.append(read(item))
        progress(len(texts), len(items))
    return texts


ON_CARD = f"at its height on a white card of {CARD} px"


class ServerEyes:
    """A model behind an OpenAI-compatible server."""

    shown = ON_CARD

    def __init__(self, url: str, model: str | None = None) -> None:
        self.chat = Chat(url, model)
        self.name = self.chat.model
        self.version = f"{self.name} at an OpenAI-compatible server"

    def read(self, items: Sequence[Item], progress: Progress) -> list[str]:
        """One, and then several at a time; a request that fails for good ends the test."""
        texts = []
        with ThreadPoolExecutor(REQUESTS) as pool:
            try:
                texts.append(self._ask(data_uri(items[0])))
                for text in pool.map(self._ask, map(data_uri, items[1:])):
                    texts.append(text)
                    progress(len(texts), len(items))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return texts

    def _ask(self, url: str) -> str:
        return plain_text(self.chat.ask([image_part(url), text_part(PROMPT)], ANSWER_TOKENS))


def data_uri(item: Item) -> str:
    """The card of an item as part of a request."""
    file = io.BytesIO()
    item.card.save(file, "PNG", compress_level=1)
    return to_data_uri(file.getvalue())


class ModelEyes:
    """A model of Hugging Face, by a local folder or its name on the hub; greedy decoding."""

    shown = ON_CARD

    def __init__(self, path: str) -> None:
        hf = need("transformers", extra="transformers", who="homunculus eyetest")
        try:
            self.processor = hf.AutoProcessor.from_pretrained(path)
            model = hf.AutoModelForImageTextToText.from_pretrained(path, dtype="auto")
        except (OSError, ValueError, KeyError) as error:
            reason = str(error).strip().splitlines()[0]
            raise ValueError(
                f"--hf: cannot load {path} as a model of images and text: {reason}"
            ) from None
        import torch  # it comes with transformers

        self.model = model.eval().to("cuda" if torch.cuda.is_available() else "cpu")
        self.name = Path(path).name
        self.version = f"{self.name}, {self.model.dtype}, transformers {version('transformers')}"

    def read(self, items: Sequence[Item], progress: Progress) -> list[str]:
        """Read one item after the other."""
        import torch

        with torch.inference_mode():
            return _one_by_one(self._ask, items, progress)

    def _ask(self, item: Item) -> str:
        parts = [{"type": "image", "image": item.card}, {"type": "text", "text": PROMPT}]
        inputs = self.processor.apply_chat_template(
            [{"role": "user", "content": parts}],
            add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt",
        )  # fmt: skip
        inputs.pop("labels", None)  # some processors give them, and they ask for a loss
        inputs = inputs.to(self.model.device, dtype=self.model.dtype)  # floating values alone
        answer = self.model.generate(**inputs, do_sample=False, max_new_tokens=ANSWER_TOKENS)
        new = answer[0, inputs["input_ids"].shape[1] :]
        return plain_text(self.processor.decode(new, skip_special_tokens=True))


def plain_text(answer: str) -> str:
    """An answer without what models put around it.

    >>> plain_text(' "**4K83AG**" ')
    '4K83AG'
    """
    return answer.rpartition("</think>")[2].strip(" \t\r\n\"'`*“”")


def get_eyes(arguments: argparse.Namespace) -> Eyes:
    """The one reader that the command names."""
    if [arguments.reader, arguments.server, arguments.hf].count(None) != 2:
        raise ValueError(
            "name one reader: rapidocr, tesseract, --server URL with --model NAME, or --hf PATH."
        )
    if arguments.model and not arguments.server:
        raise ValueError("--model names a model of a server. Give its address with --server.")
    if arguments.server:
        return ServerEyes(arguments.server, arguments.model)
    if arguments.hf:
        return ModelEyes(arguments.hf)
    instead = "; a model is named by --server or --hf"
    return OcrEyes(arguments.reader, get_reader(arguments.reader, arguments.cache, instead))


# ---- scores and the curve ------------------------------------------------------------------------


def score(text: str, reading: str) -> tuple[bool, float]:
    """Whether it was read, ignoring case and spaces; and how much of it, 0 below a half.

    >>> score("12.50", "12. 50"), score("12.50", "12.80")
    ((True, 1.0), (False, 0.8))
    """
    wanted, got = fold(text), fold(reading)
    partial = 1 - distance(wanted, got) / max(len(wanted), len(got), 1)
    return wanted == got, round(partial, 4) if partial >= 0.5 else 0.0


@dataclass(frozen=True)
class Fit:
    """A curve by maximum likelihood, with 95 % intervals."""

    middle: tuple[float, float, float]
    """In pixels: estimate, low, high."""
    width: tuple[float, float, float]
    ceiling: tuple[float, float, float]


def fit_curve(
    heights: Sequence[float], read: Sequence[bool], seed: int = 0, resamples: int = RESAMPLES
) -> Fit:
    """The curve of these items, with a bootstrap that resamples items within each height."""
    rows, row = np.unique(heights, return_inverse=True)
    items = np.bincount(row)
    right = np.bincount(row, read).astype(int)
    if not right.any():
        raise ValueError("fit_curve: nothing was read at any height, so there is no curve.")
    samples = np.random.default_rng(seed).binomial(items, right / items, (resamples, len(rows)))
    samples = np.vstack((right, samples[samples.any(1)]))
    curves = _most_likely(np.log2(rows), items.astype(float), samples.astype(float))
    curves[:, 0] = np.exp2(curves[:, 0])
    low, high = np.quantile(curves[1:], (0.025, 0.975), axis=0)
    numbers = np.stack((curves[0], low, high), 1).round(4).tolist()
    return Fit(*((a, b, c) for a, b, c in numbers))


def _most_likely(
    octaves: Float[np.ndarray, " rows"],
    items: Float[np.ndarray, " rows"],
    right: Float[np.ndarray, "samples rows"],
) -> Float[np.ndarray, "samples 3"]:
    """Middle in octaves, width and ceiling of samples: a grid, then finer ones around its best.

    The middle may lie an octave below the smallest row and half an octave above the largest.
    """
    low = np.array([octaves[0] - 1, log2(0.05), 0.05])
    high = np.array([octaves[-1] + 0.5, log2(2.0), 1.0])
    steps = (24, 12, 12)
    grid = _product([np.linspace(a, b, n) for a, b, n in zip(low, high, steps, strict=True)])
    hit, miss = _logs(octaves, grid)
    best = grid[(right @ hit.T + (items - right) @ miss.T).argmax(1)]
    around = _product([np.arange(-1.0, 2.0)] * 3)
    step = (high - low) / (np.array(steps) - 1)
    for _ in range(24):
        step = 0.7 * step
        candidates = (best[:, None] + around * step).clip(low, high)
        hit, miss = _logs(octaves, candidates)
        likely = (right[:, None] * hit + (items - right)[:, None] * miss).sum(-1)
        best = candidates[np.arange(len(candidates)), likely.argmax(1)]
    best[:, 1] = np.exp2(best[:, 1])
    return best


def _product(axes: Sequence[Float[np.ndarray, " _"]]) -> Float[np.ndarray, "points axes"]:
    """All points of a grid."""
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(axes))


def _logs(
    octaves: Float[np.ndarray, " rows"], curve: Float[np.ndarray, "*curves 3"]
) -> tuple[Float[np.ndarray, "*curves rows"], Float[np.ndarray, "*curves rows"]]:
    """Log probabilities to read and not to read. Readers also guess: one in a thousand at least."""
    middle, width, ceiling = np.moveaxis(curve, -1, 0)[..., None]
    z = (octaves - middle) / np.exp2(width)
    p = (ceiling * 0.5 * (1 + error_function(z / sqrt(2)))).clip(1e-3, 1 - 1e-9)
    return np.log(p), np.log1p(-p)


# ---- the test ------------------------------------------------------------------------------------


def run(arguments: argparse.Namespace, progress: Progress) -> tuple[dict[str, Any], Path]:
    """Take the test; the result and where it was written. The drawing stands beside it."""
    facts = provenance()
    eyes = get_eyes(arguments)
    out = result_path(arguments.out, f"eyetest-{slug(eyes.name)}.json")
    if out.suffix != ".json":
        raise ValueError(f"expected an output that ends in .json, got {out.name}.")
    items = make_chart(arguments.seed, arguments.items)
    result = facts | examine(eyes, items, arguments.seed, progress)
    out.write_text(json.dumps(result, separators=(",", ":")) + "\n", "utf-8")
    draw_chart(result, items).save(drawing(out), optimize=True)
    return result, out


def drawing(out: Path) -> Path:
    """Where the chart of a result is drawn."""
    return out.with_suffix(".png")


def examine(eyes: Eyes, items: Sequence[Item], seed: int, progress: Progress) -> dict[str, Any]:
    """Everything that the result says, apart from how it came about."""
    texts = eyes.read(items, progress)
    scores = [score(item.text, text) for item, text in zip(items, texts, strict=True)]
    table = _table(items, scores)
    read = [right for right, _ in scores]
    curve, message, bound = _curve(eyes.name, [item.height for item in items], read, seed)
    fonts = sorted({Path(item.font).name or "Pillow's own" for item in items})
    return {
        "task": "eyetest",
        "name": eyes.name,
        "reader": eyes.version,
        "seed": seed,
        "n": len(items),
        "config": {"shown": eyes.shown, "fonts": fonts, "resamples": RESAMPLES},
        "message": message,
        "curve": curve,
        "bound": bound,
        "smallest": {f"{share:.0%}": _smallest(table, share) for share in SHARES},
        "table": table,
        "rows": [
            [round(item.height, 2), item.kind, item.text, text, *marks]
            for item, text, marks in zip(items, texts, scores, strict=True)
        ],
    }


def _curve(
    name: str, heights: Sequence[float], read: Sequence[bool], seed: int
) -> tuple[dict[str, Any] | None, str, str | None]:
    """The curve, a sentence about it, and whether its middle lies `below` or `above` the chart."""
    least, most = min(heights), max(heights)
    if not any(read):
        return None, f"{name} read nothing at any height.", None
    if all(read):
        curve = Acuity(name, round(least, 2), 0.1).to_json()
        return curve, f"{name} read everything: its middle is below {least:.1f} px.", "below"
    fit = fit_curve(heights, read, seed)
    middle, low, high = fit.middle
    curve = Acuity(name, middle, fit.width[0], fit.ceiling[0], (low, high)).to_json()
    curve |= {"intervals": {"width": fit.width[1:], "ceiling": fit.ceiling[1:]}}
    message = (
        f"Reads {100 * fit.ceiling[0]:.0f} % of large text, and half of that at a line of "
        f"{middle:.1f} px (95 % interval {low:.1f} to {high:.1f}); {fit.width[0]:.2f} octaves wide."
    )
    bound = "below" if middle < least else "above" if middle > most else None
    if bound:
        message += f" The middle is {bound} the chart: extrapolated."
    return curve, message, bound


def _table(items: Sequence[Item], scores: Sequence[tuple[bool, float]]) -> list[dict[str, Any]]:
    """Share read at each height: of all items, of each kind, and the mean partial score."""
    table = []
    for height in sorted({item.height for item in items}, reverse=True):
        pairs = zip(items, scores, strict=True)
        marks = [(item.kind, *score) for item, score in pairs if item.height == height]
        row = {"height": round(height, 2), "n": len(marks)}
        row |= {"read": _mean([right for _, right, _ in marks])}
        row |= {"partial": _mean([partial for _, _, partial in marks])}
        row |= {name: _mean([right for kind, right, _ in marks if kind == name]) for name in KINDS}
        table.append(row)
    return table


def _mean(values: Sequence[float | bool]) -> float:
    return round(sum(values) / len(values), 4)


def _smallest(table: Sequence[dict[str, Any]], share: float) -> float | None:
    """The smallest height of which at least this share is read, if any is."""
    return min((row["height"] for row in table if row["read"] >= share), default=None)


def text(result: dict[str, Any]) -> str:
    """The result for people."""
    lines = [f"eye test of {result['reader']}: {result['n']} items, seed {result['seed']}", ""]
    titles = ("height", "read", "words", "numbers", "codes", "partial")
    lines.append("".join(f"{title:>10}" for title in titles))
    for row in result["table"]:
        shares = (row["read"], *(row[kind] for kind in KINDS), row["partial"])
        lines.append(f"{row['height']:>7.1f} px" + "".join(f"{share:>10.2f}" for share in shares))
    return "\n".join([*lines, "", result["message"]])
