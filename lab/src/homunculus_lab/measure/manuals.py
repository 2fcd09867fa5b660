# pyright: basic
"""Questions on free manuals: what one budget shows of them, and the constants of page retrieval.

    python -m homunculus_lab.measure.manuals suites/manuals -o results/manuals.json

The manuals are those of Debian's packages, listed beside the questions. The constants are fitted to
questions asked of their own manual and, as questions without an answer, of another one.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from homunculus.eyes.provenance import provenance
from homunculus.pages.lines import Lines
from homunculus.planner.acuity import Acuity
from homunculus.scouts import retrieval
from homunculus.views import Document
from homunculus_lab.measure.natural import Part
from homunculus_lab.measure.suite import Box
from homunculus_lab.measure.ways import box_shown
from homunculus_lab.results import to_text

FOLDERS = (
    "/usr/share/R/doc/manual", "/usr/share/doc/gnuplot", "/usr/share/doc/python-reportlab-doc",
    "/usr/share/doc/auto-multiple-choice",
)  # fmt: skip
"""Where Debian's packages put them."""
TOKENS = (128, 256, 512, 1024)
EYES = Acuity("12 px", middle=12.0, width=0.15)
ABSENT_WEIGHT = 0.15
"""What a question without an answer counts in the fit."""
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Asked:
    """A question on a manual."""

    document: str
    page: int
    """Counted from 1; 0 where the manual has no answer."""
    question: str
    answer: str
    """Words on one line that hold the answer."""
    kind: str


def read_questions(folder: Path) -> list[Asked]:
    """The questions of a suite."""
    lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
    return [Asked(**json.loads(line)) for line in lines]


def find_manual(name: str, folders: Sequence[str] = FOLDERS) -> Path | None:
    """The file of a manual, if its package is installed."""
    return next(
        (path for path in (Path(folder) / name for folder in folders) if path.exists()), None
    )


def places(answer: str, lines: Lines) -> list[Box]:
    """Boxes of the runs of words that begin with an answer's letters and figures.

    >>> lines = Lines.of([("The default is 1.0.", (0, 0, 190, 10))], "given")
    >>> places("default is 1.0", lines)
    [(40.0, 0.0, 190.0, 10.0)]
    """
    wanted, words, boxes = _spelled(answer), list(map(_spelled, lines.words)), list[Box]()
    for first, begin in enumerate(words):
        text, last = begin, first
        while begin and wanted.startswith(text) and text != wanted and last + 1 < len(words):
            last += 1
            text += words[last]
        if begin and text.startswith(wanted):
            part = lines.boxes[first : last + 1]
            x0, y0, x1, y1 = *part[:, :2].min(0).tolist(), *part[:, 2:].max(0).tolist()
            if y1 - y0 < 2 * float(part[0, 3] - part[0, 1]):  # on one line of print
                boxes.append((x0, y0, x1, y1))
    return boxes


def _spelled(text: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", text.lower())


def is_shown(document: Document, asked: Asked, tokens: int) -> tuple[bool, float]:
    """Whether a budget shows the answer to a reader of 12 px, and the estimate."""
    lines = document.lines(asked.page)
    seen = document.views(asked.question, tokens, acuity=EYES)
    parts = [Part(tuple(view.box), view.scale) for view in seen if view.page == asked.page]
    boxes = places(asked.answer, lines) if lines else []
    return box_shown(boxes, parts, EYES.middle - 0.1), seen.value


# ---- the constants -------------------------------------------------------------------------------


Scores = tuple[np.ndarray, float, int | None]
"""Scores of pages, what the words count together, and the right page from 0; None for none."""


def scored(rankers: dict[str, Any], questions: Sequence[Asked]) -> Iterator[Scores]:
    """Every question asked of its manual, and of the next one."""
    names = sorted(rankers)
    for asked in questions:
        right = asked.page - 1 if asked.page else None
        yield *rankers[asked.document].scores(asked.question), right
        if asked.page:
            other = names[(names.index(asked.document) + len(names) // 2) % len(names)]
            yield *rankers[other].scores(asked.question), None


def fit(examples: Sequence[Scores]) -> tuple[list[float], float]:
    """Temperature, least and share of the logit of no page; and the loss."""
    from scipy.optimize import minimize

    def of(constants: np.ndarray) -> float:
        return loss(examples, [float(np.exp(constants[0])), *map(float, constants[1:])])

    start = [np.log(retrieval.TEMPERATURE), retrieval.ABSENT, retrieval.ABSENT_SHARE]
    best = minimize(of, start, method="Nelder-Mead", options={"maxiter": 300})
    return [float(np.exp(best.x[0])), *map(float, best.x[1:])], float(best.fun)


def _odds(score: np.ndarray, words: float, constants: Sequence[float]) -> np.ndarray:
    temperature, least, share = constants
    logits = np.append(
        score / temperature, np.log(len(score)) + least + share * words / temperature
    )
    odds = np.exp(logits - logits.max())
    return odds / odds.sum()


def loss(examples: Sequence[Scores], constants: Sequence[float]) -> float:
    """How unlikely the right pages are: the mean negative logarithm of their probability."""
    total = 0.0
    for score, words, right in examples:
        odds = _odds(score, words, constants)
        weight = ABSENT_WEIGHT if right is None else 1.0
        total -= weight * float(np.log(odds[-1 if right is None else right] + 1e-9))
    return total / sum(right is not None for _, _, right in examples)


def calibration(examples: Sequence[Scores], constants: Sequence[float]) -> dict[str, Any]:
    """How often the likeliest page is right, by how likely it is said to be."""
    own = [(_odds(score, words, constants), right) for score, words, right in examples]
    there = [(odds[:-1], right, odds[-1]) for odds, right in own if right is not None]
    best = np.array([(pages.max(), pages.argmax() == right) for pages, right, _ in there])
    bins = list[dict[str, Any]]()
    for low, high in pairwise(BINS):
        some = best[(best[:, 0] >= low) & ((best[:, 0] < high) | (high == 1.0))]
        if len(some):
            said, right = some.mean(0).tolist()
            bins.append(
                {"from": low, "n": len(some), "said": round(said, 3), "right": round(right, 3)}
            )
    ranks = [int((pages > pages[right]).sum()) for pages, right, _ in there]
    return {
        "bins": bins,
        "recall": {
            str(most): round(fmean(rank < most for rank in ranks), 3) for most in (1, 3, 5, 10)
        },
        "absent of own": round(fmean(absent for _, _, absent in there), 3),
        "absent of others": round(fmean(odds[-1] for odds, right in own if right is None), 3),
    }


def measure(
    folder: Path, kind: str = "all", budgets: Sequence[int] = TOKENS, fitted: bool = True
) -> dict[str, Any]:
    """All of it; manuals that are not installed are named and left out."""
    origin = provenance()
    questions = [asked for asked in read_questions(folder) if kind in ("all", asked.kind)]
    documents = dict[str, Document]()
    for name in sorted({asked.document for asked in questions}):
        if path := find_manual(name):
            documents[name] = Document(path)
    there = [asked for asked in questions if asked.document in documents]
    rankers = {name: document.ranker for name, document in documents.items()}
    examples = list(scored(rankers, there))
    now = [retrieval.TEMPERATURE, retrieval.ABSENT, retrieval.ABSENT_SHARE]
    best, least = fit(examples) if fitted else (now, loss(examples, now))
    with_answer = [asked for asked in there if asked.page]
    rows = list[dict[str, Any]]()
    for asked in sorted(with_answer, key=lambda asked: asked.document):
        shown = {str(tokens): _cell(documents[asked.document], asked, tokens) for tokens in budgets}
        facts = {"document": asked.document, "page": asked.page, "kind": asked.kind}
        rows.append(facts | {"shown": shown})
    constants = {
        "shipped": now, "loss": round(loss(examples, now), 4),
        "fitted": [round(value, 3) for value in best], "their loss": round(least, 4),
    }  # fmt: skip
    return origin | {
        "task": "manuals", "n": len(rows),
        "left out": sorted({asked.document for asked in questions} - set(documents)),
        "pages": {name: len(document) for name, document in documents.items()},
        "shown at 12 px": {kind: _shares(rows, kind, budgets) for kind in ("all", *_kinds(rows))},
        "constants": constants, "calibration": calibration(examples, now), "rows": rows,
    }  # fmt: skip


def _cell(document: Document, asked: Asked, tokens: int) -> list[float]:
    shown, value = is_shown(document, asked, tokens)
    return [int(shown), round(value, 3)]


def _kinds(rows: Sequence[dict[str, Any]]) -> list[str]:
    return sorted({row["kind"] for row in rows})


def _shares(rows: Sequence[dict[str, Any]], kind: str, budgets: Sequence[int]) -> dict[str, float]:
    """What each budget shows of the questions of a kind, and its mean estimate."""
    some = [row["shown"] for row in rows if kind in ("all", row["kind"])]
    shares = {str(tokens): [fmean(row[str(tokens)][place] for row in some) for place in (0, 1)]
              for tokens in budgets}  # fmt: skip
    return {
        "n": len(some),
        **{tokens: round(shown, 4) for tokens, (shown, _) in shares.items()},
        **{f"estimate {tokens}": round(value, 4) for tokens, (_, value) in shares.items()},
    }


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("suite", type=Path, help="folder with questions.jsonl")
    parser.add_argument("-o", "--out", type=Path, default=Path("manuals.json"))
    parser.add_argument("--kind", default="all", help="questions of one kind, such as first (all)")
    parser.add_argument("--tokens", type=int, nargs="+", default=TOKENS, help="budgets")
    parser.add_argument("--no-fit", action="store_true", help="leave the constants as they are")
    flags = parser.parse_args()
    result = measure(flags.suite, flags.kind, flags.tokens, not flags.no_fit)
    flags.out.write_text(to_text(result), "utf-8")
    print(json.dumps({key: value for key, value in result.items() if key != "rows"}, indent=1))  # noqa: T201


if __name__ == "__main__":
    main()
