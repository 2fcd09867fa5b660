# pyright: basic
"""Why pictures of a document that has a text layer? The same budget spent on words.

    python -m homunculus_lab.measure.document_text SUITE MMLONGBENCH -o results/document-text.json

SUITE is what `homunculus_lab.measure.documents` draws with --no-ocr, MMLONGBENCH the checkout that
it was drawn from. Every answer of the suite is printed in a text layer, so these questions flatter
text; the share of all questions of which that is true stands beside them, by source of evidence.

Ways: `pictures`, one budget over all pages; `with text`, the same with ``text=True``; `text`, lines
alone: of the pages that pictures would be of, those that the reading scout finds likeliest, for
their length, until their tokens are spent. Its tokens are counted as the product counts passages
(`safe`), or as English usually takes, which only a tokenizer could promise (`usual`).

A picture shows an answer as in `document_views`, to a reader of 12 px. Text shows it if it has all
of its words, whatever stands around them.
"""

import argparse
import ast
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from homunculus.eyes.provenance import provenance
from homunculus.pages.lines import Lines
from homunculus.planner.acuity import Acuity
from homunculus.planner.labels import passage_tokens, text_tokens
from homunculus.planner.options import ViewOptions
from homunculus.views import Document, DocumentViews
from homunculus.views.document import COVERED, MOST_PAGES
from homunculus.views.passages import within
from homunculus.views.picture import with_passages
from homunculus_lab.measure.document_views import MODEL, TOKENS, WIDTH, difference
from homunculus_lab.measure.documents import FORMATS, Documents, _speaks, runs
from homunculus_lab.measure.natural import Part
from homunculus_lab.measure.suite import Question, digest, hashed, read
from homunculus_lab.measure.ways import box_shown
from homunculus_lab.results import to_text

READER = "12 px"
EYES = Acuity(READER, middle=12.0, width=WIDTH)
USUAL = 0.4
"""Tokens that English takes of those that the product counts for it: .36 to .38 with the three
tokenizers that LiteLLM brings along, on 1,548 passages of these documents."""
WAYS = ("pictures", "with text", "text, safe", "text, usual")
SOURCES = {
    "Chart": "chart", "Table": "table", "Figure": "figure", "Pure-text (Plain-text)": "pure text",
    "Generalized-text (Layout)": "layout",
}  # fmt: skip


# ---- text alone ----------------------------------------------------------------------------------


def likeliest_lines(document: Document, question: str) -> list[tuple[int, int, int]]:
    """Page, line and tokens (safe) of lines, what is likeliest for its length first."""
    ranking, found = document.rank(question), list[tuple[float, int, int, int]]()
    for page in ranking.best(MOST_PAGES, COVERED):
        lines = document.lines(page)
        if lines is None:
            continue
        planner = document._planner(page, question, ViewOptions(model=MODEL, acuity=EYES))
        for number, likely in enumerate(_chances(planner.sight.logit, lines, planner.picture.size)):
            cost = passage_tokens(lines.texts[number]) - passage_tokens("") + 1
            worth = likely * float(ranking.page[page - 1]) / cost
            found.append((-worth, page, number, cost))
    return [(page, number, cost) for _, page, number, cost in sorted(found)]


def _chances(logit: np.ndarray, lines: Lines, size: tuple[int, int]) -> Iterator[float]:
    """How likely each line has the answer."""
    chance = np.exp(logit - logit.max())
    chance /= chance.sum()
    down, across = chance.shape[0] / size[0], chance.shape[1] / size[1]
    for x0, y0, x1, y1 in lines.line_boxes.tolist():
        left, top = int(max(0, x0) * across), int(max(0, y0) * down)
        yield float(chance[top : int(y1 * down) + 1, left : int(x1 * across) + 1].sum())


def bought(
    lines: Sequence[tuple[int, int, int]], tokens: int, share: float
) -> set[tuple[int, int]]:
    """Pages and lines that a budget buys, each page with a line that names it."""
    chosen, pages, left = set[tuple[int, int]](), set[int](), float(tokens)
    for page, number, cost in lines:
        price = cost * share + (0 if page in pages else text_tokens(f"Page {page}:"))
        if price <= left:
            left -= price
            pages.add(page)
            chosen.add((page, number))
    return chosen


# ---- what shows the answer -----------------------------------------------------------------------


def told(question: Question, lines: Lines | None, sent: np.ndarray) -> bool:
    """Whether the words that are sent (a mask) have all words of one of the answer's boxes."""
    if lines is None:
        return False
    places = [within(lines, box) for box in question.boxes]
    return any(bool(place.any() and sent[place].all()) for place in places)


def seen_by(question: Question, document: Document, seen: DocumentViews) -> bool:
    """Whether pictures or passages show the answer."""
    if seen.tokens + seen.label_tokens + seen.text_tokens > seen.limit:
        raise AssertionError(f"{seen!r}: more than the budget")
    here = [view for view in seen if view.page == question.page]
    parts = [Part(tuple(view.box), view.scale) for view in here if not view.is_text]
    if box_shown(question.boxes, parts, EYES.middle):
        return True
    lines = document.lines(question.page)
    if lines is None:
        return False
    sent = [within(lines, view.box) for view in here if view.text]
    return told(question, lines, np.logical_or.reduce([np.zeros(len(lines), bool), *sent]))


def with_text(seen: DocumentViews) -> DocumentViews:
    """The same with ``text=True``, without planning it again."""
    pages = sorted(seen.pages, key=lambda page: (-page.probability, page.number))
    told = with_passages([page.views for page in pages], seen.limit)
    pages = [page._replace(views=views) for page, views in zip(pages, told, strict=True)]
    return replace(seen, pages=tuple(sorted(pages, key=lambda page: page.number)))


def row(document: Document, question: Question, sources: Sequence[str]) -> dict[str, Any]:
    """All ways on one question."""
    lines, order = document.lines(question.page), likeliest_lines(document, question.text)
    cells: dict[str, dict[str, list[int]]] = {way: {} for way in WAYS}
    spent = dict[str, list[int]]()
    for tokens in TOKENS:
        seen = document.views(question.text, tokens, model=MODEL, acuity=EYES)
        cells["pictures"][str(tokens)] = [int(seen_by(question, document, seen))]
        seen = with_text(seen)
        cells["with text"][str(tokens)] = [int(seen_by(question, document, seen))]
        spent[str(tokens)] = [
            seen.tokens, seen.text_tokens, sum(view.is_text for view in seen),
            sum(bool(view.text) for view in seen), len(seen),
        ]  # fmt: skip
        for way, share in (("text, safe", 1.0), ("text, usual", USUAL)):
            chosen = bought(order, tokens, share)
            sent = np.array(
                [(question.page, int(line)) in chosen for line in lines.line] if lines else [], bool
            )
            cells[way][str(tokens)] = [int(told(question, lines, sent))]
    facts = {"row": question.row, "image": hashed(question.suite, question.image)}
    return facts | {"sources": list(sources), "spent": spent, READER: cells}


# ---- what a text layer can tell ------------------------------------------------------------------


def in_layers(longbench: Path) -> dict[str, dict[str, Any]]:
    """Of all questions with evidence, by source: how many have an answer that can be looked for,
    and how many of these answers a text layer of their pages spells."""
    documents = Documents(longbench / "data" / "documents", None)
    counts = {name: {"questions": 0, "judged": 0, "in the text layer": 0} for name in _names()}
    for sample in sorted(samples(longbench), key=lambda sample: sample["doc_id"]):
        pages = ast.literal_eval(sample["evidence_pages"])
        if not pages or not (documents.folder / sample["doc_id"]).exists():
            continue
        answer = str(sample["answer"]).strip()
        judged = sample["answer_format"] in FORMATS and _speaks(answer)
        spelt = judged and any(_spells(documents, sample["doc_id"], page, answer) for page in pages)
        for name in ("all", *sources_of(sample)):
            facts = (True, judged, spelt)
            for key, fact in zip(counts[name], facts, strict=True):
                counts[name][key] += fact
    return {
        name: each | {"share": round(each["in the text layer"] / max(1, each["judged"]), 4)}
        for name, each in counts.items()
    }


def _spells(documents: Documents, name: str, page: int, answer: str) -> bool:
    printed = documents.page(name, page)
    return printed is not None and bool(runs(answer, printed.lines))


def samples(longbench: Path) -> list[dict[str, Any]]:
    """The questions of MMLongBench-Doc."""
    return json.loads((longbench / "data" / "samples.json").read_text("utf-8"))


def sources_of(sample: Mapping[str, Any]) -> list[str]:
    """Where its evidence stands, by our names."""
    named = ast.literal_eval(sample["evidence_sources"])
    return [SOURCES[name] for name in named if name in SOURCES]


def _names() -> list[str]:
    return ["all", *SOURCES.values()]


# ---- the result ----------------------------------------------------------------------------------


def measure(suite: Path, longbench: Path, limit: int | None = None) -> dict[str, Any]:
    """All of it; for `results/`."""
    origin, questions = provenance(), read(suite)[:limit]
    by_question = {
        (sample["doc_id"], sample["question"].strip()): sources_of(sample)
        for sample in samples(longbench)
    }
    rows = list[dict[str, Any]]()
    for name in sorted({question.image for question in questions}):
        document = Document(suite / "images" / name).read()
        for question in questions:
            if question.image == name:
                rows.append(row(document, question, by_question.get((name, question.text), ())))
                print(f"{len(rows)} of {len(questions)}", file=sys.stderr)  # noqa: T201
    return origin | {
        "task": "document text", "suite": suite.name, "digest": digest(suite), "model": MODEL,
        "reader": READER, "tokens": list(TOKENS), "ways": list(WAYS), "usual": USUAL,
        "table": {name: _table(rows, name) for name in _names()},
        "differences": [
            difference(rows, READER, (way, tokens), ("pictures", tokens))
            for way in WAYS[1:]
            for tokens in TOKENS
        ],
        "spent with text": _spent(rows), "text layers": in_layers(longbench), "rows": rows,
    }  # fmt: skip


def _table(rows: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    some = [row[READER] for row in rows if name == "all" or name in row["sources"]]
    shares = {
        way: {str(each): round(fmean(cells[way][str(each)][0] for cells in some), 4)
              for each in TOKENS}
        for way in WAYS
    } if some else {}  # fmt: skip
    return {"n": len(some)} | shares


def _spent(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Means of what ``text=True`` sends."""
    names = ("pictures", "passages", "views as text", "views with text", "views")
    return {
        str(each): {
            name: round(fmean(row["spent"][str(each)][place] for row in rows), 2)
            for place, name in enumerate(names)
        }
        for each in TOKENS
    }


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("suite", type=Path, help="what `measure.documents` has drawn")
    parser.add_argument("longbench", type=Path, help="folder of MMLongBench-Doc")
    parser.add_argument("--limit", type=int, help="the first questions alone")
    parser.add_argument("-o", "--out", type=Path, default=Path("document-text.json"))
    flags = parser.parse_args()
    result = measure(flags.suite, flags.longbench, flags.limit)
    flags.out.write_text(to_text(result), "utf-8")
    print(json.dumps({key: value for key, value in result.items() if key != "rows"}, indent=1))  # noqa: T201


if __name__ == "__main__":
    main()
