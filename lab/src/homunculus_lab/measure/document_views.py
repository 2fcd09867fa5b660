# pyright: basic
"""Is the answer shown, where one budget is for a whole document? The rules D1, D2 and D3.

A question is one whose answer is printed on one page (`measure.documents` draws them). It is shown
if one picture of that page holds nine tenths of one of the answer's boxes at the reader's height.

Ways: `views`, one budget over all pages; `page`, the first page by BM25, resized; `five`, its first
five, a fifth of the budget each; `legible`, whole pages by BM25, each as small as its print can be
read, as many as the budget buys; `split`, all pages alike; and with the right page told, `told`,
its views, and `told resized`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from homunculus.eyes.provenance import provenance
from homunculus.planner.acuity import Acuity
from homunculus.planner.bill import resize
from homunculus.planner.counting import CountingRule, Size
from homunculus.planner.models import token_rule
from homunculus.scouts.reading.query import ask
from homunculus.views import Document, Planner
from homunculus_lab.measure.natural import Part, auc
from homunculus_lab.measure.suite import Question, digest, hashed, read
from homunculus_lab.measure.ways import box_shown
from homunculus_lab.stats import Bootstrap

MODEL = "qwen3-vl"
"""Whose tokens are counted (32 px)."""
TOKENS = (128, 256, 512, 1024, 1500)
READERS = {"12 px": 12.0, "8 px": 8.0}
"""Readers, and the height of print that each needs. Views are planned for the one that looks."""
WIDTH = 0.15
"""Octaves by which such a reader's limit is blurred."""
RIVALS = ("page", "five", "legible")
"""Ways that D1 compares with."""
WAYS = ("views", *RIVALS, "split", "told", "told resized")
RECALL = (1, 3, 5, 10)
MARGIN = -0.03
"""What a difference may be at worst and still be "not below" (D2, D3)."""
PAGES = "pages.jsonl"
"""The file of a suite that names the pages of evidence of more questions."""


@dataclass(frozen=True, eq=False)
class Search:
    """One question of a document, and whose eyes look."""

    document: Document
    question: Question
    order: Sequence[int]
    """Pages by BM25, from 1."""
    rule: CountingRule
    eyes: Acuity

    @cached_property
    def planner(self) -> Planner:
        """The page that has the answer, by itself."""
        return Planner(
            self.document.picture(self.question.page), self.question.text, model=self.rule,
            acuity=self.eyes,
        )  # fmt: skip

    def shown(self, page: int, parts: Sequence[Part]) -> bool:
        """Whether pictures of a page show the answer."""
        return page == self.question.page and box_shown(
            self.question.boxes, parts, self.eyes.middle
        )

    def resized(self, page: int, tokens: int) -> bool:
        """Whether a page resized to a budget shows it."""
        size = self.document.picture_size(page)
        whole = resize(size, self.rule, max(1, tokens)).plan.whole
        return whole is not None and self.shown(page, [_whole(size, whole[0] / size[0])])

    def legible(self, tokens: int) -> bool:
        """Whether whole pages show it, each just legible, as many as the budget buys."""
        for page in self.order:
            size, lines = self.document.picture_size(page), self.document.lines(page)
            if lines is None:
                continue
            print_height = float(np.median(lines.boxes[:, 3] - lines.boxes[:, 1]))
            scale = min(1.0, self.eyes.middle / max(1.0, print_height))
            small = (max(1, round(size[0] * scale)), max(1, round(size[1] * scale)))
            tokens -= self.rule.count(small)
            if tokens < 0:
                return False
            # lower boxes than the usual line count as read, as in the pilot
            if self.shown(page, [_whole(size, scale * 1.05)]):
                return True
        return False

    def by(self, way: str, tokens: int) -> tuple[bool, float | None]:
        """Whether a way shows the answer, and its estimate."""
        page = self.question.page
        match way:
            case "views":
                seen = self.document.views(
                    self.question.text, tokens, model=self.rule, acuity=self.eyes
                )
                spent = seen.tokens + seen.label_tokens
                if spent > tokens:
                    raise AssertionError(f"{spent} of {tokens} tokens")
                parts = [Part(tuple(view.box), view.scale) for view in seen if view.page == page]
                return self.shown(page, parts), seen.value
            case "page":
                return self.resized(self.order[0], tokens), None
            case "five":
                return any(self.resized(each, tokens // 5) for each in self.order[:5]), None
            case "legible":
                return self.legible(tokens), None
            case "split":
                return self.resized(page, tokens // len(self.document)), None
            case "told resized":
                return self.resized(page, tokens), None
            case "told":
                told = self.planner.views(tokens)
                parts = [Part(tuple(view.box), view.scale) for view in told]
                return self.shown(page, parts), told.value
        raise ValueError(f"no way {way!r}")


def _whole(size: Size, scale: float) -> Part:
    return Part((0.0, 0.0, float(size[1]), float(size[0])), scale)


def bm25(document: Document, question: str) -> list[int]:
    """Pages by plain BM25 over their words, from 1."""
    index = document.ranker.index
    usual = max(1.0, float(index.length.mean()))
    score = np.zeros(len(document))
    for word in ask(question).words:
        often = index.by_page(index.finds(word).at)
        having = int((often > 0).sum())
        rarity = np.log(1 + (len(document) - having + 0.5) / (having + 0.5))
        score += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * index.length / usual))
    return [int(place) + 1 for place in np.argsort(-score, kind="stable")]


def measure_documents(
    folder: Path,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """All ways on every question of a suite, and the recall of pages; for `results/`."""
    origin = provenance()
    questions = read(folder)[:limit]
    rows = list[dict[str, Any]]()
    more = _pages(folder, questions[-1].image if limit and questions else None)
    total = len(questions) + len(more)
    documents = sorted({each.image for each in questions} | {row["document"] for row in more})
    ranked = list[dict[str, Any]]()
    for name in documents:
        document = Document(folder / "images" / name).read()
        for question in questions:
            if question.image == name:
                rows.append(_row(document, question))
                if progress:
                    progress(len(rows) + len(ranked), total)
        for row in more:
            if row["document"] == name:
                ranked.append(_ranked(document, row))
                if progress:
                    progress(len(rows) + len(ranked), total)
    return origin | {
        "task": "documents", "suite": folder.name, "digest": digest(folder), "model": MODEL,
        "tokens": list(TOKENS), "readers": READERS, "ways": list(WAYS),
        "rows": rows, "ranked": ranked, **summary(rows, ranked),
    }  # fmt: skip


def _pages(folder: Path, last: str | None) -> list[dict[str, Any]]:
    file = folder / PAGES
    if not file.exists() or last is not None:
        return []
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _row(document: Document, question: Question) -> dict[str, Any]:
    order = bm25(document, question.text)
    ranking = document.rank(question.text)
    own = np.argsort(-ranking.page, kind="stable").tolist()
    cells = dict[str, Any]()
    for reader, height in READERS.items():
        eyes = Acuity(reader, middle=height, width=WIDTH)
        search = Search(document, question, order, token_rule(MODEL), eyes)
        cells[reader] = {
            way: {
                str(tokens): [int(shown), None if value is None else round(value, 4)]
                for tokens in TOKENS
                for shown, value in [search.by(way, tokens)]
            }
            for way in WAYS
        }
    return {
        "row": question.row, "image": hashed(question.suite, question.image),
        "pages": len(document), "words_read": len(document.lines(question.page) or ()),
        "rank": own.index(question.page - 1) + 1, "bm25": order.index(question.page) + 1,
        "probability": round(float(ranking.page[question.page - 1]), 4),
        "absent": round(ranking.absent, 4),
    } | cells  # fmt: skip


def _ranked(document: Document, row: Mapping[str, Any]) -> dict[str, Any]:
    """Where the pages of evidence stand among all."""
    ranking = document.rank(row["question"])
    own = np.argsort(-ranking.page, kind="stable").tolist()
    plain = bm25(document, row["question"])
    pages = [page for page in row["pages"] if page <= len(document)]
    return {
        "document": hashed("mmlong", row["document"]), "evidence": len(row["pages"]),
        "ranks": [own.index(page - 1) + 1 for page in pages],
        "bm25": [plain.index(page) + 1 for page in pages],
        "unread": sum(document.lines(page) is None for page in pages),
        "absent": round(ranking.absent, 4),
    }  # fmt: skip


# ---- what follows --------------------------------------------------------------------------------


def summary(
    rows: Sequence[Mapping[str, Any]], ranked: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Shares, differences, the three rules and the recall of pages."""
    groups = {
        "all": list(rows),
        "text layer": [row for row in rows if row["words_read"]],
        "no text layer": [row for row in rows if not row["words_read"]],
    }
    result: dict[str, Any] = {
        "n": {name: len(some) for name, some in groups.items()},
        "documents": len({row["image"] for row in rows}),
        "table": {
            name: {reader: _shares(some, reader) for reader in READERS}
            for name, some in groups.items()
            if some
        },
        "estimate": {
            reader: {
                str(tokens): round(
                    fmean(row[reader]["views"][str(tokens)][1] for row in rows)
                    - fmean(row[reader]["views"][str(tokens)][0] for row in rows), 4,
                )
                for tokens in TOKENS
            }
            for reader in READERS
        },
        "rules": rules(rows),
        "recall of shown": _recall([[row["rank"]] for row in rows]),
        "recall of shown, BM25": _recall([[row["bm25"]] for row in rows]),
    }  # fmt: skip
    with_pages = [row for row in ranked if row["evidence"]]
    without = [row for row in ranked if not row["evidence"]]
    if with_pages:
        some = [row for row in with_pages if row["evidence"] == 1]
        several = [row for row in with_pages if row["evidence"] > 1]
        result["recall"] = {
            "n": {"all": len(with_pages), "one page": len(some), "several": len(several)},
            "all": _recall([row["ranks"] for row in with_pages]),
            "BM25": _recall([row["bm25"] for row in with_pages]),
            "one page": _recall([row["ranks"] for row in some]),
            "several": _recall([row["ranks"] for row in several]),
            "all read": _recall([row["ranks"] for row in with_pages if not row["unread"]]),
        }
    if with_pages and without:
        result["absent"] = {
            "n": len(without),
            "mean where there is evidence": round(fmean(row["absent"] for row in with_pages), 4),
            "mean where there is none": round(fmean(row["absent"] for row in without), 4),
            "auc": auc([row["absent"] for row in without], [row["absent"] for row in with_pages]),
        }
    return result


def _shares(rows: Sequence[Mapping[str, Any]], reader: str) -> dict[str, dict[str, float]]:
    return {
        way: {
            str(tokens): round(fmean(row[reader][way][str(tokens)][0] for row in rows), 4)
            for tokens in TOKENS
        }
        for way in WAYS
    }


def _recall(ranks: Sequence[Sequence[int]]) -> dict[str, float]:
    """The share of the pages of evidence among the first, by question."""
    return {
        str(most): round(
            fmean(sum(rank <= most for rank in each) / max(1, len(each)) for each in ranks), 4
        )
        for most in RECALL
    }


def rules(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """D1, D2 and D3 for a reader of 12 px."""
    reader = next(iter(READERS))
    first = list[dict[str, Any]]()
    for tokens in (256, 512, 1024):
        best = max(RIVALS, key=lambda way: sum(row[reader][way][str(tokens)][0] for row in rows))
        first.append(difference(rows, reader, ("views", tokens), (best, tokens)))
    second = difference(rows, reader, ("views", 512), ("page", 1500))
    third = difference(rows, reader, ("told", 256), ("told resized", 1024))
    return {
        "D1": {"met": all(each["interval"][0] > 0 for each in first), "differences": first},
        "D2": {"met": second["interval"][0] > MARGIN} | second,
        "D3": {"met": third["interval"][0] > MARGIN} | third,
    }


def difference(
    rows: Sequence[Mapping[str, Any]], reader: str, ours: tuple[str, int], theirs: tuple[str, int]
) -> dict[str, Any]:
    """A paired difference with its interval; whole documents are resampled."""
    values = [
        np.array([row[reader][way][str(tokens)][0] for row in rows], float)
        for way, tokens in (ours, theirs)
    ]
    sample = Bootstrap([str(row["image"]) for row in rows])
    estimate = sample.estimates((values[0] - values[1])[:, None], -1.0, 1.0)[0]
    low, high = estimate.interval()
    return {
        "way": ours[0], "tokens": ours[1], "less": theirs[0], "than": theirs[1],
        "mean": round(estimate.mean, 4), "interval": [round(low, 4), round(high, 4)],
    }  # fmt: skip


def documents_text(result: Mapping[str, Any]) -> str:
    """The result for a terminal."""
    return "\n".join(_lines(result))


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    tokens = "".join(f"{each:>7}" for each in result["tokens"])
    for group, readers in result["table"].items():
        for reader, ways in readers.items():
            yield f"{group}, {result['n'][group]} questions, {reader}{tokens}"
            for way, shares in ways.items():
                cells = "".join(f"{share:7.2f}" for share in shares.values())
                yield f"  {way:<{len(group) + 20}}{cells}"
    for rule, facts in result["rules"].items():
        met = "met" if facts["met"] else "NOT met"
        parts = facts.get("differences", [facts])
        said = "; ".join(
            f"{each['way']} {each['tokens']} less {each['less']} {each['than']}: "
            f"{100 * each['mean']:+.1f} [{100 * each['interval'][0]:+.1f}, "
            f"{100 * each['interval'][1]:+.1f}]"
            for each in parts
        )
        yield f"{rule} {met}: {said}"
    for name in ("recall of shown", "recall of shown, BM25", "recall", "absent"):
        if name in result:
            yield f"{name}: {json.dumps(result[name])}"
