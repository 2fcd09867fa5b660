"""Views of a document: one budget over all its pages.

First the pages that may have the answer are found by their words (`homunculus.scouts.retrieval`),
then each of the likeliest is planned like a single picture, and the budget goes where it shows most
(`homunculus.planner.share`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from homunculus.cache import LRU
from homunculus.checks import check_count, check_text
from homunculus.messages.pictures import Bundle, is_view, mark
from homunculus.pages import Picture
from homunculus.pages.document import Keeper, Pages
from homunculus.pages.lines import Lines
from homunculus.pages.ocr import OcrLike
from homunculus.pages.text_layer import SOURCE
from homunculus.planner.belief import in_picture
from homunculus.planner.bill import Bill, least
from homunculus.planner.counting import DEFAULT_TOKENS, CountingRule, Size
from homunculus.planner.labels import Label
from homunculus.planner.models import token_rule
from homunculus.planner.options import ViewKeywords, ViewOptions
from homunculus.planner.share import Page, share
from homunculus.planner.view import View, number_of_pictures
from homunculus.progress import counted
from homunculus.scouts.retrieval import PageRanker, Ranking
from homunculus.scouts.sight import Basis
from homunculus.shapes import as_array
from homunculus.views.picture import Planner, Views, with_passages
from homunculus.views.sendable import Sendable

__all__ = ["Document", "DocumentViews", "PageViews"]

MOST_PICTURES = 12
"""Pictures of a document at most; fewer where the model takes fewer."""
LEAST_PAGES, MOST_PAGES, TOKENS_A_PAGE = 3, 12, 64
"""Pages that are planned: one for so many tokens of the budget, within these bounds."""
SURE_SCORE = 1e4
"""Scores of a retriever beyond this say no more."""
UNDRAWN = ("auto", "reading")
"""Scouts that need no pixels of a page whose text layer is known."""
RANKINGS = 64
"""Questions whose pages are remembered."""
COVERED = 0.98
"""Pages that are planned need not be likelier together than this, of all pages."""
NO_QUESTION = 'Leave it "" to ask nothing.'

Retriever = Callable[[str], Any] | Sequence[float | int] | NDArray[Any]
"""Scores of all pages, or a function of the question that returns them: logits, of which only
differences count."""


class PageViews(NamedTuple):
    """What a document's views show of one page."""

    probability: float
    """How likely the page has the answer."""
    views: Views

    @property
    def number(self) -> int:
        """Which page it is, counted from 1."""
        return self.views.planner.picture.page


@dataclass(frozen=True, eq=False)
class DocumentViews(Sendable):
    """The pictures that are sent in place of a document, for one question, in order of pages.

    >>> from PIL import Image
    >>> document = Document([Image.new("RGB", (640, 480), "white")] * 2, keep=False)
    >>> seen = document.views("What is the total?", tokens=64)
    >>> seen.tokens + seen.label_tokens <= 64 < seen.untouched, seen.labels()
    (True, ['Page 1, whole:'])
    """

    document: "Document"
    question: str
    pages: tuple[PageViews, ...]
    """The pages that are shown."""
    ranking: Ranking
    """How likely each page has the answer."""
    rule: CountingRule
    """How the model counts tokens."""
    limit: int
    """Tokens that the pictures and their lines may cost."""
    note: str = ""
    """A sentence where the budget was raised to the price of the model's smallest picture."""

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The pictures, page by page; `View.page` says of which page each is."""
        return tuple(view for page in self.pages for view in page.views)

    def __iter__(self) -> Iterator[View]:
        return iter(self.views)

    def __getitem__(self, index: int) -> View:
        return self.views[index]

    def __len__(self) -> int:
        return len(self.views)

    def __repr__(self) -> str:
        count = number_of_pictures(sum(not view.is_text for view in self))
        about = f"{count}, {self.tokens} of {self.limit} {self.rule.token}"
        return f"<DocumentViews of {self.question[:60]!r}: {about}, legible {self.value:.2f}>"

    @property
    def tokens(self) -> int:
        """What the pictures cost together."""
        return sum(page.views.tokens for page in self.pages)

    @property
    def label_tokens(self) -> int:
        """What the lines before them cost at most, in tokens of text."""
        return sum(page.views.label_tokens for page in self.pages)

    @property
    def text_tokens(self) -> int:
        """What the passages cost at most, in tokens of text; 0 without ``text=True``."""
        return sum(page.views.text_tokens for page in self.pages)

    @property
    def untouched(self) -> int:
        """What all pages would cost as pictures."""
        return self.document.cost(self.rule)

    @property
    def absent(self) -> float:
        """How likely no page has the answer."""
        return self.ranking.absent

    @property
    def value(self) -> float:
        """The estimated probability that the answer is in the document and can be read."""
        worth = (
            page.probability * page.views.bill.plan.value * in_picture(page.views.sight)
            for page in self.pages
        )
        return sum(worth, 0.0)

    @property
    def basis(self) -> Basis:
        """What they rest on: the best basis of a page that is shown (`Views.basis`)."""
        bases = {page.views.basis for page in self.pages}
        return "found" if "found" in bases else "guess" if "guess" in bases else "unknown"

    @property
    def message(self) -> str:
        """What to expect of them, in a sentence or two."""
        count = len(self.document)
        if not self.pages:
            return f"No page is shown: no word of the question was found on {count} pages."
        numbers = [str(page.number) for page in self.pages]
        listed = " and ".join(filter(None, (", ".join(numbers[:-1]), numbers[-1])))
        shown = f"Page{'s' * (len(numbers) > 1)} {listed} of {count}."
        estimate = f"The answer can be read with probability {self.value:.2f}"
        doubt = f"that no page has it, {self.absent:.2f}"
        return f"{shown} {estimate}; {doubt}. {self.note}".rstrip()

    def images(self) -> list[Image.Image]:
        """The pictures, as Pillow images, in order; views that are text alone have none."""
        return [image for page in self.pages for image in page.views.images()]

    def labels(self, number: int | None = None) -> list[str]:
        """The line of each view, which names its page; none if there is no room.

        Where a request has several documents, ``number`` says which of them this is, if the views
        were planned with ``numbered=True``.
        """
        return [line for page in self.pages for line in page.views.labels(number)]

    def bundle(self, number: int | None = None) -> Bundle:
        """The pictures as files, each with its line (`labels`)."""
        bundles = [page.views.bundle(number) for page in self.pages]
        return Bundle(
            tuple(part for bundle in bundles for part in bundle.parts), self.tokens,
            detail=next((bundle.detail for bundle in bundles if bundle.detail), None),
            level=next((bundle.level for bundle in bundles if bundle.level), None),
            label_tokens=self.label_tokens + self.text_tokens, value=self.value, basis=self.basis,
            untouched=self.untouched,
        )  # fmt: skip

    def show(self) -> Image.Image:
        """A contact sheet of the document: the pages that are shown, their windows, and what is
        sent."""
        from homunculus.show.document import draw_document  # stands above this room

        return draw_document(self)

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.show().save(file, "PNG")
        return file.getvalue()

    def save(self, folder: str | Path) -> list[Path]:
        """Write each picture as a PNG; returns their paths. Views of an earlier call are deleted.

        Pictures that are no views, and files of other names, stay.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("page-*.png"):
            if is_view(old.read_bytes()):
                old.unlink()
        pictures = [view for view in self if not view.is_text]
        names = [f"page-{view.page}-{view.name.replace(' ', '-')}.png" for view in pictures]
        paths = [folder / name for name in names]
        for path, image in zip(paths, self.images(), strict=True):
            image.save(path, pnginfo=mark())
        return paths

    @property
    def _has_text(self) -> bool:
        return any(page.views.passages for page in self.pages)

    def to_json(self) -> dict[str, Any]:
        """Facts for machines; boxes are x0 y0 x1 y1 in pixels of each page at 200 dpi."""
        facts = [page.views.to_json() for page in self.pages]
        return {
            "document": self.document.name,
            "count": len(self.document),
            "question": self.question,
            "model": self.rule.name,
            "limit": self.limit,
            "tokens": self.tokens,
            "label_tokens": self.label_tokens,
            **({"text_tokens": self.text_tokens} if self._has_text else {}),
            "untouched": self.untouched,
            "value": round(self.value, 4),
            "absent": round(self.absent, 4),
            "basis": self.basis,
            "message": self.message,
            "labels": self.labels(),
            "setting": next((fact["setting"] for fact in facts), {}),
            "ranking": [
                {"page": page, "probability": round(float(self.ranking.page[page - 1]), 4)}
                for page in self.ranking.best(MOST_PAGES)
            ],
            "pages": [
                {
                    "page": page.number,
                    "probability": round(page.probability, 4),
                    "matches": fact["matches"],
                    "views": fact["views"],
                }
                for page, fact in zip(self.pages, facts, strict=True)
            ],
        }


def _check_options(options: ViewOptions) -> None:
    """Refuse what only a single page can have."""
    given = {
        "legible": options.legible is not None,
        "ocr": options.ocr is not None,
    }
    for name, there in given.items():
        if there:
            instead = "Give it to `homunculus.open`" if name == "ocr" else "Ask about one page"
            raise ValueError(f"views: {name} is not for documents. {instead}, or leave it out.")


def _smallest(price: int, rule: CountingRule) -> str:
    return f"the smallest picture and its line cost {price} with {rule.name}"


class Document:
    """A PDF, a TIFF, a folder or a list of pictures, ready for any question.

    ``ocr`` reads pages that have no text layer, each once; without it the word scout looks for the
    question's words on them, which takes up to half a second a page. What was read is kept on disk
    unless ``keep`` is false (`HOMUNCULUS_CACHE` names the folder, or says `off`). A line on stderr
    says how far reading is, unless ``progress`` is false.

    >>> from PIL import Image
    >>> pages = [Image.new("RGB", (640, 480)), Image.new("RGB", (480, 640))]
    >>> document = Document(pages, keep=False)
    >>> len(document), document.picture(2).size
    (2, (640, 480))
    """

    def __init__(
        self,
        source: Any,
        *,
        ocr: OcrLike | None = None,
        keep: bool | Keeper = True,
        progress: bool = True,
    ) -> None:
        self._pages, self._progress = Pages(source, ocr, keep), progress
        self._lock = Lock()
        self._ranker: PageRanker | None = None
        self._costs = dict[CountingRule, int]()
        self._rankings = LRU[tuple[str, str], Ranking](RANKINGS)

    def __repr__(self) -> str:
        pages = "1 page" if len(self) == 1 else f"{len(self)} pages"
        return f"<Document {self.name}: {pages}>"

    def __len__(self) -> int:
        """How many pages."""
        return self._pages.count

    @property
    def name(self) -> str:
        """The name of the file."""
        return self._pages.name

    def read(self) -> "Document":
        """Read the words of all pages now; questions do it when they need it."""
        _ = self.ranker
        return self

    def lines(self, page: int) -> Lines | None:
        """The words of a page, counted from 1; None if nobody read any."""
        return self._pages.sheet(self._checked(page)).lines

    def picture(self, page: int) -> Picture:
        """A page as a picture."""
        sheet = self._pages.sheet(self._checked(page))
        return replace(
            self._pages.picture(page), page=page, pages=len(self), part="page",
            lines=sheet.lines, lines_note=sheet.note,
        )  # fmt: skip

    def picture_size(self, page: int) -> Size:
        """Height and width of a page in pixels, a PDF's at 200 dpi."""
        return self._pages.sizes[self._checked(page) - 1]

    def cost(self, model: str | int | CountingRule = "qwen3-vl") -> int:
        """What all pages would cost as pictures."""
        rule = token_rule(model)
        if rule not in self._costs:
            self._costs[rule] = sum(map(rule.count, self._pages.sizes))
        return self._costs[rule]

    def rank(self, question: str, retriever: Retriever | None = None) -> Ranking:
        """How likely each page has the answer, and how likely none has it.

        ``retriever`` gives the scores of the pages in place of ours.
        """
        check_text(question, "rank: question", NO_QUESTION)
        if retriever is None:
            return self._ranked(question, ViewOptions())
        scores = retriever(question) if callable(retriever) else retriever
        try:
            values = as_array(scores).astype(float)
        except (TypeError, ValueError) as error:
            raise ValueError(f"retriever: expected numbers ({error}).") from error
        if values.shape != (len(self),) or not np.isfinite(values).all():
            raise ValueError(
                f"retriever: expected {len(self)} numbers, one for each page, got shape "
                f"{values.shape}. Give a score to every page, also to those that it does not find."
            )
        return self.ranker(question, scores=values.clip(-SURE_SCORE, SURE_SCORE))

    def views(
        self,
        question: str,
        tokens: int = DEFAULT_TOKENS,
        *,
        retriever: Retriever | None = None,
        pictures: int = MOST_PICTURES,
        options: ViewOptions | None = None,
        **changes: Unpack[ViewKeywords],
    ) -> DocumentViews:
        """The document as pictures that cost at most ``tokens`` together, with their lines.

        All other arguments are those of `homunculus.views`, but for those that only a single
        picture has. With ``text``, what is left of the budget goes to passages of the likeliest
        pages first. ``retriever`` says which pages are likely, where you have a search of your
        own: scores of all pages, or a function of the question that returns them. There are at
        most as many pictures as ``pictures``, and as the model takes.
        """
        check_text(question, "views: question", NO_QUESTION)
        check_count(tokens, "views: tokens")
        check_count(pictures, "views: pictures")
        options = replace(options or ViewOptions(), **changes)
        _check_options(options)
        rule = token_rule(options.model)
        settings = None if options.settings is None else frozenset(options.settings)
        label = Label.of(options.label, options.numbered)
        fee = replace(label, page=len(self)).fees.window
        cheapest = least(rule, settings) + fee
        if tokens < cheapest and options.strict:
            raise ValueError(f"views: {tokens} tokens are too few: {_smallest(cheapest, rule)}.")
        limit, note = max(tokens, cheapest), ""
        if tokens < cheapest:
            note = f"The budget of {tokens} tokens was raised: {_smallest(cheapest, rule)}."
        ranking = (
            self._ranked(question, options) if retriever is None else self.rank(question, retriever)
        )
        most = min(pictures, rule.facts.images or pictures)
        pages = self._shown(question, limit, options, ranking, most)
        return DocumentViews(self, question, tuple(pages), ranking, rule, limit, note)

    # ---- which pages

    @property
    def ranker(self) -> PageRanker:
        """Says which pages are likely to answer a question."""
        with self._lock:
            if self._ranker is None:
                with counted(f"reading {self.name}", self._progress) as step:
                    sheets = self._pages.sheets(progress=step)
                self._ranker = PageRanker([sheet.lines for sheet in sheets])
            return self._ranker

    def _ranked(self, question: str, options: ViewOptions) -> Ranking:
        """The ranking of a question, worked out once where the scout has a name."""
        if not isinstance(options.scout, str):
            return self._rank(question, options)
        key = question, options.scout
        if (known := self._rankings.get(key)) is None:
            known = self._rank(question, options)
            self._rankings.put(key, known)
        return known

    def _rank(self, question: str, options: ViewOptions) -> Ranking:
        ranker = self.ranker
        unread = np.flatnonzero(ranker.unread).tolist() if question.strip() else []
        if len(self) == 1 or not unread:
            return ranker(question)
        spotted = dict[int, dict[str, float]]()
        with counted(f"looking at {self.name}", self._progress) as step:
            for done, place in enumerate(unread, 1):
                sight = Planner(self.picture(place + 1), question, options=options).sight
                spotted[place] = {match.text: match.probability for match in sight.matches}
                step(done, len(unread))
        return ranker(question, spotted)

    # ---- what is shown of them

    def _shown(
        self, question: str, limit: int, options: ViewOptions, ranking: Ranking, pictures: int
    ) -> list[PageViews]:
        """The views of the pages that are shown; pages whose words do not stand where they have
        print are planned again without."""
        most = min(MOST_PAGES, max(LEAST_PAGES, limit // TOKENS_A_PAGE))
        numbers = sorted(ranking.best(most, COVERED))
        planners = {page: self._planner(page, question, options) for page in numbers}
        while True:
            bills = self._shared(planners, ranking, limit, pictures)
            wrong = self._pages.untrusted(bills)
            if not wrong:
                break
            for page in wrong:
                planners[page] = self._planner(page, question, options)
        shown = {page: Views(planners[page], bill, limit) for page, bill in bills.items()}
        if options.text:
            likely = sorted(shown, key=lambda page: (-ranking.page[page - 1], page))
            told = with_passages([shown[page] for page in likely], limit)
            shown |= dict(zip(likely, told, strict=True))
        return [PageViews(float(ranking.page[page - 1]), seen) for page, seen in shown.items()]

    def _planner(self, page: int, question: str, options: ViewOptions) -> Planner:
        """A page, undrawn where its words are known."""
        sheet = self._pages.sheet(page)
        layer = sheet.lines is not None and sheet.lines.source == SOURCE
        name = options.scout if isinstance(options.scout, str) else ""
        undrawn = layer and name in UNDRAWN
        scout = "reading" if undrawn else options.scout
        picture = sheet.undrawn(page, len(self)) if undrawn else self.picture(page)
        planner = Planner(picture, question, options=replace(options, scout=scout))
        if undrawn:
            planner.draw = partial(self.picture, page)
        buyer = planner.buyer
        planner.buyer = replace(buyer, label=replace(buyer.label, page=page))
        return planner

    def _shared(
        self, planners: dict[int, Planner], ranking: Ranking, limit: int, pictures: int
    ) -> dict[int, Bill]:
        """What each page gets of the budget."""
        pages = {
            page: Page(planner.buyer, float(ranking.page[page - 1]))
            for page, planner in planners.items()
        }
        if len(self) == 1:
            (page,) = pages
            buyer = pages[page].buyer
            return {page: buyer.buy(limit)}
        bills = share(list(pages.values()), limit, pictures)
        chosen = {page: bill for page, bill in zip(pages, bills, strict=True) if bill is not None}
        if chosen:
            return chosen
        first = ranking.best(1)[0]  # nothing is known of any page: the likeliest, resized
        fee = pages[first].fee
        bill = planners[first].buyer.buy(limit - fee)
        return {first: replace(bill, label_tokens=fee * len(bill.prices))}

    def _checked(self, page: int) -> int:
        if not 1 <= check_count(page, "page") <= len(self):
            raise ValueError(f"page: expected 1 to {len(self)}, got {page}.")
        return page
