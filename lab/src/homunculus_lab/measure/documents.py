# pyright: basic
"""Draws a suite of questions on pages of PDFs: MMLongBench-Doc, with the boxes of MMDocIR.

    python -m homunculus_lab.measure.documents MMLONGBENCH MMDOCIR OUT

MMLONGBENCH and MMDOCIR are checkouts of their repositories on GitHub: `data/samples.json` and
`data/documents/` of the one (PDFs that are missing are left out) and
`dataset/MMDocIR_annotations.jsonl` of the other. Both are CC BY-NC: the suite is for measuring on
one's own machine, and never published, nor are its texts.

The rule of the draw, which looks at no method's results:

1. A question is one of MMLongBench-Doc with an answer that is a text or a number, no list, and not
   yes, no or a single character, which would be met by chance.
2. MMDocIR names exactly one page of evidence and a box on it; a question that it does not have, or
   without a box there, needs exactly one page of evidence in MMLongBench-Doc, and the whole page is
   its box (`evidence` in the file says `box` or `page`).
3. The answer is printed inside the evidence's box: a run of words on one line spells it, letter
   case, spaces, punctuation, signs of currency and percent aside. Numbers are compared as numbers,
   and a date as YYYY-MM-DD may be printed in any order, or with the month's name. Words come from
   the page's text layer, or, where it does not spell the answer there (scans, figures that are
   pictures), from RapidOCR of the evidence at 200 dpi (`read` says `text layer` or `rapidocr`).
4. Every such run is a place of the answer; there are at most seven, and one alone if the evidence
   is a whole page. Its box is that of the words' glyphs, or of the OCR's line cut in proportion.
5. Documents and questions are put in the order of a hash; at most three questions of a page and six
   of a document are taken.
"""

import argparse
import ast
import json
import re
import shutil
from calendar import month_abbr, month_name
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import permutations
from math import ceil, isclose
from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize

import numpy as np

from homunculus.pages import open_picture
from homunculus.pages.lines import Lines
from homunculus.planner.counting import Size
from homunculus.views import MAX_EDGE
from homunculus_lab.measure.layer import PrintedPage, printed_page
from homunculus_lab.measure.parts import MOST_BOXES
from homunculus_lab.measure.readers import PageReader, get_reader
from homunculus_lab.measure.suite import Box

A_PAGE, A_DOCUMENT = 3, 6
"""Questions of one page and of one document that are taken at most."""
MARGIN = 0.005
"""What a run may stick out of the box of its evidence, in lengths of the page's longer side."""
SAME_SHAPE = 0.02
"""How far the page's shape may be from the one that the boxes were drawn on."""
FORMATS = ("Str", "Int", "Float")
YES_NO = ("yes", "no")
NOTICE = """\
Questions and documents of MMLongBench-Doc (github.com/mayubo2333/MMLongBench-Doc), boxes after
MMDocIR (github.com/MMDocRAG/MMDocIR), both CC BY-NC 4.0. For measuring alone: not to be published.
"""


@dataclass(frozen=True)
class Candidate:
    """A question that might be taken."""

    document: str
    page: int
    """Counted from 1."""
    question: str
    answer: str
    answer_format: str
    evidence: Literal["box", "page"]
    boxes: tuple[Box, ...]
    """Where the evidence stands, as fractions of the page."""
    shape: float | None = None
    """Width by height of the page that the boxes were drawn on."""

    @property
    def lot(self) -> bytes:
        """Its place in the draw."""
        return _hash(f"{self.document}/{self.page}/{self.question}")


def candidates(
    samples: Sequence[Mapping[str, Any]], boxed: Sequence[Mapping[str, Any]]
) -> list[Candidate]:
    """Questions with one page of evidence, in the order of the draw (rules 1 and 2)."""
    known = {
        (entry["doc_name"], row["Q"].strip()): row for entry in boxed for row in entry["questions"]
    }
    result = [
        _candidate(sample, known.get((sample["doc_id"], sample["question"].strip())))
        for sample in samples
        if sample["answer_format"] in FORMATS and _speaks(str(sample["answer"]))
    ]
    return sorted(filter(None, result), key=lambda entry: (_hash(entry.document), entry.lot))


def _candidate(sample: Mapping[str, Any], boxed: Mapping[str, Any] | None) -> Candidate | None:
    pages = ast.literal_eval(sample["evidence_pages"])
    evidence, boxes, shape = "page", [(0.0, 0.0, 1.0, 1.0)], None
    if boxed and any(entry["page"] in boxed["page_id"] for entry in boxed["layout_mapping"]):
        pages = [page + 1 for page in sorted(set(boxed["page_id"]))]
        here = [entry for entry in boxed["layout_mapping"] if entry["page"] + 1 in pages]
        width, height = here[0]["page_size"]
        evidence, shape = "box", width / height
        boxes = [tuple(np.divide(entry["bbox"], (width, height, width, height))) for entry in here]
    if len(pages) != 1:
        return None
    return Candidate(
        sample["doc_id"], pages[0], sample["question"].strip(), str(sample["answer"]).strip(),
        sample["answer_format"], evidence, tuple(boxes), shape,
    )  # fmt: skip


def _speaks(answer: str) -> bool:
    """Whether an answer would not be met by chance."""
    return len(letters := spelt(answer)) > 1 and letters not in YES_NO


# ---- where an answer is printed ------------------------------------------------------------------


def spelt(text: str) -> str:
    """Letters and digits alone, without separators of thousands; a point inside a number stays.

    >>> spelt("$1,358.50 Mio."), spelt("Less well-off"), spelt("(57%)")
    ('1358.50mio', 'lesswelloff', '57')
    """
    plain = normalize("NFKC", text).casefold()
    joined = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", plain)
    return "".join(re.findall(r"\d+(?:\.\d+)*|[^\W_]", joined))


def number(text: str) -> float | None:
    """A text as a number, if it is one.

    >>> number(spelt("18.40%")), number("18.4"), number("a4")
    (18.4, 18.4, None)
    """
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else None


def spellings(answer: str) -> frozenset[str]:
    """How an answer may be spelt: more than one way for a date.

    >>> sorted(spellings("2009-07"))
    ['072009', '200907', '2009jul', '2009july', 'jul2009', 'july2009']
    """
    date = re.fullmatch(r"(\d{4})-(\d\d)(?:-(\d\d))?", answer.strip())
    if not date:
        return frozenset((spelt(answer),))
    year, month, day = date[1], date[2], date[3]
    if not 1 <= int(month) <= 12:
        return frozenset((spelt(answer),))
    months = (month, month_name[int(month)].lower(), month_abbr[int(month)].lower())
    days = (day, str(int(day)), f"{int(day)}th", f"{int(day)}st") if day else ("",)
    parts = [(year, one, two) for one in months for two in days]
    return frozenset(
        "".join(order)
        for part in parts
        for order in permutations(part)
        if part[2] or order[2] == ""
    )


def runs(answer: str, lines: Lines) -> list[Box]:
    """Boxes of the runs of words on one line that spell an answer (rule 3)."""
    wanted, words = spellings(answer), [spelt(word) for word in lines.words]
    value, longest, boxes = number(spelt(answer)), max(map(len, wanted)) + 4, list[Box]()
    for first in range(len(words)):
        text = ""
        for last in range(first, len(words)):
            text += words[last]
            same_line = lines.line[last] == lines.line[first]
            if not same_line or len(text) > longest or not (words[first] and words[last]):
                break
            if text in wanted or _same_number(number(text), value):
                boxes.append(_around(lines.boxes[first : last + 1]))
                break
    return boxes


def _same_number(first: float | None, second: float | None) -> bool:
    return first is not None and second is not None and isclose(first, second)


def _around(boxes: Any) -> Box:
    low, high = boxes[:, :2].min(0).tolist(), boxes[:, 2:].max(0).tolist()
    return low[0], low[1], high[0], high[1]


def inside(run: Box, evidence: Sequence[Box]) -> bool:
    """Whether a run lies in a box of the evidence, both in pixels."""
    return any(
        box[0] <= run[0] and box[1] <= run[1] and run[2] <= box[2] and run[3] <= box[3]
        for box in evidence
    )


# ---- the draw ------------------------------------------------------------------------------------


class Documents:
    """PDFs of a folder; a page's text layer is read once."""

    def __init__(self, folder: Path, reader: PageReader | None) -> None:
        self.folder, self.reader = folder, reader
        self.page = lru_cache(maxsize=64)(self._page)

    def _page(self, document: str, page: int) -> PrintedPage | None:
        """What the text layer of a page has; None if there is no such page."""
        try:
            return printed_page(self.folder / document, page)
        except (OSError, RuntimeError, IndexError):  # a file that is broken or not there
            return None

    def places(self, candidate: Candidate) -> tuple[list[Box], str]:
        """Boxes of the answer inside the evidence's, in pixels at 200 dpi, and who read it there
        (rule 3)."""
        page = self.page(candidate.document, candidate.page)
        if page is None or not _same_shape(candidate, page):
            return [], ""
        evidence = _in_pixels(candidate.boxes, page.size)
        boxes = [run for run in runs(candidate.answer, page.lines) if inside(run, evidence)]
        if boxes or self.reader is None:
            return boxes, "text layer"
        return list(self._read(candidate, page.size, evidence)), "rapidocr"

    def _read(self, candidate: Candidate, size: Size, evidence: Sequence[Box]) -> Iterator[Box]:
        """Runs that an OCR reads in the boxes of the evidence, each box by itself."""
        assert self.reader is not None
        picture = open_picture(self.folder / candidate.document, candidate.page, longest=MAX_EDGE)
        across, down = size[1] / picture.size[1], size[0] / picture.size[0]
        for box in evidence:
            left, top = max(0, int(box[0] / across)), max(0, int(box[1] / down))
            part = picture.pixels[:, top : ceil(box[3] / down), left : ceil(box[2] / across)]
            read = Lines.of(self.reader.page(np.ascontiguousarray(part)), "rapidocr")
            for x0, y0, x1, y1 in runs(candidate.answer, read):
                yield (
                    (x0 + left) * across, (y0 + top) * down,
                    (x1 + left) * across, (y1 + top) * down,
                )  # fmt: skip


def _in_pixels(boxes: Sequence[Box], size: Size) -> list[Box]:
    """Boxes on a page, with a margin around."""
    (height, width), margin = size, MARGIN * max(size)
    return [
        (x0 * width - margin, y0 * height - margin, x1 * width + margin, y1 * height + margin)
        for x0, y0, x1, y1 in boxes
    ]


def drawn(every: Sequence[Candidate], documents: Documents) -> Iterator[dict[str, Any]]:
    """Rows of the suite, in the order of the draw (rules 3 to 5)."""
    taken = Counter[Any]()
    for candidate in every:
        here = candidate.document, candidate.page
        if taken[here] >= A_PAGE or taken[candidate.document] >= A_DOCUMENT:
            continue
        boxes, read = documents.places(candidate)
        if 1 <= len(boxes) <= (MOST_BOXES if candidate.evidence == "box" else 1):
            taken.update((here, candidate.document))
            yield _row(candidate, boxes, read)


def _same_shape(candidate: Candidate, page: PrintedPage) -> bool:
    shape = page.size[1] / page.size[0]
    return candidate.shape is None or isclose(shape, candidate.shape, rel_tol=SAME_SHAPE)


def _row(candidate: Candidate, boxes: Sequence[Box], read: str) -> dict[str, Any]:
    return {
        "image": candidate.document, "page": candidate.page, "question": candidate.question,
        "answers": [candidate.answer], "boxes": [[round(side, 1) for side in box] for box in boxes],
        "document": candidate.document, "answer_format": candidate.answer_format,
        "evidence": candidate.evidence, "read": read,
    }  # fmt: skip


def _hash(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()


def evidence(
    samples: Sequence[Mapping[str, Any]], boxed: Sequence[Mapping[str, Any]], documents: Path
) -> Iterator[dict[str, Any]]:
    """Pages of evidence, from 1, of every question that MMDocIR has; none of those that
    MMLongBench-Doc says cannot be answered."""
    there = {path.name for path in documents.glob("*.pdf")}
    for entry in boxed:
        for row in entry["questions"] if entry["doc_name"] in there else ():
            pages = sorted({page + 1 for page in row["page_id"]})
            yield {"document": entry["doc_name"], "question": row["Q"].strip(), "pages": pages}
    for sample in samples:
        if sample["doc_id"] in there and str(sample["answer"]).lower() == "not answerable":
            question = sample["question"].strip()
            yield {"document": sample["doc_id"], "question": question, "pages": []}


def _json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def build(longbench: Path, boxes: Path, out: Path, reader: PageReader | None) -> Counter[str]:
    """Write the suite into a folder; how many questions it has, by evidence and reader."""
    samples = json.loads((longbench / "data" / "samples.json").read_text("utf-8"))
    listing = boxes / "dataset" / "MMDocIR_annotations.jsonl"
    boxed = [json.loads(line) for line in listing.read_text("utf-8").splitlines() if line.strip()]
    documents = longbench / "data" / "documents"
    rows = list(drawn(candidates(samples, boxed), Documents(documents, reader)))
    images = out / "images"
    images.mkdir(parents=True, exist_ok=True)
    for path in sorted(documents.glob("*.pdf")):
        shutil.copyfile(path, images / path.name)
    (out / "qa.jsonl").write_text(_json_lines(rows), "utf-8")
    (out / "pages.jsonl").write_text(_json_lines(evidence(samples, boxed, documents)), "utf-8")
    (out / "suite.toml").write_text('kind = "document"\nboxes = "text"\n', "utf-8")
    (out / "NOTICE").write_text(NOTICE, "utf-8")
    return Counter(f"evidence: {row['evidence']}, read by: {row['read']}" for row in rows)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("longbench", type=Path, help="folder of MMLongBench-Doc")
    parser.add_argument("boxes", type=Path, help="folder of MMDocIR")
    parser.add_argument("out", type=Path, help="folder of the suite")
    parser.add_argument("--no-ocr", action="store_true", help="only what text layers spell")
    parser.add_argument("--cache", type=Path, help="folder that caches OCR results")
    flags = parser.parse_args()
    reader = None if flags.no_ocr else get_reader("rapidocr", flags.cache)
    counts = build(flags.longbench, flags.boxes, flags.out, reader)
    for what, count in sorted(counts.items()):
        print(f"{count:4} {what}")  # noqa: T201 - it is a command
    print(f"{sum(counts.values()):4} questions in {flags.out}")  # noqa: T201


if __name__ == "__main__":
    main()
