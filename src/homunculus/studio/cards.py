"""What the page shows of a comparison, or of a document, as HTML.

Every text is escaped; pictures are inside.
"""

from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO
from typing import Any

from homunculus.messages.pictures import encode
from homunculus.pages import to_data_uri
from homunculus.show.why import ANSWER_HEADS, HEADS, answer_rows, read_line, word_rows
from homunculus.studio.compare import Column, Comparison
from homunculus.views import METHOD, DocumentViews, View

EMPTY = """
<div class="empty">
  <h2>See what a model would see</h2>
  <ol>
    <li><b>Choose a picture</b><span>or a PDF of many pages, or take the example.</span></li>
    <li><b>Ask a question</b><span>whose answer stands somewhere in it.</span></li>
    <li><b>Compare</b><span>what can be read when every method spends the same.</span></li>
  </ol>
</div>
"""

ASK = """
<div class="empty"><h2>Now ask a question</h2>
<p>Type it beside the picture, or click on the picture where the model should look.</p></div>
"""

CHANCE = "Chance to read the answer"
"""The one probability that the page shows."""


def problem(text: str) -> str:
    """What went wrong, in a sentence."""
    return f'<div class="problem" role="alert">{escape(text)}</div>'


def reading(pages: int) -> str:
    """What is said while a document is read."""
    return f'<div class="empty"><h2>Reading {pages} pages ...</h2></div>'


def page(comparison: Comparison, answers: Mapping[str, str] | None = None) -> str:
    """The whole page of results, the most important first."""
    parts = [
        _head(comparison),
        _columns(comparison, answers or {}),
        _why(comparison),
        _sent(comparison),
    ]
    return f'<div class="results">{"".join(parts)}</div>'


def _head(comparison: Comparison) -> str:
    seen = comparison.seen
    untouched = seen.rule.count(seen.picture.original)
    factor = untouched / seen.limit
    facts = (
        f"<b>{seen.limit}</b> {escape(seen.rule.token)} each, instead of "
        f"<b>{untouched:,}</b> for the untouched picture{_times_fewer(factor)}"
    )
    notes = "".join(f"<p>{escape(note)}</p>" for note in comparison.notes)
    return _header(comparison.title, facts, notes)


def _times_fewer(factor: float) -> str:
    """The end of a sentence about costs."""
    return f" ({factor:,.0f} times fewer)." if factor >= 1.5 else "."


def _header(title: str, facts: str, notes: str) -> str:
    return f'<header class="head"><h2>{escape(title)}</h2><p>{facts}</p>{notes}</header>'


def _columns(comparison: Comparison, answers: Mapping[str, str]) -> str:
    cards = "".join(_column(column, answers.get(column.name)) for column in comparison.columns)
    reader = escape(comparison.seen.acuity.reader)
    full = ""
    if "full" in answers:
        answer = _answer(answers["full"], "from the untouched picture")
        full = f'<div class="from-untouched">{answer}</div>'
    return (
        f'<section class="columns" style="--many:{len(comparison.columns)}">{cards}</section>{full}'
        f'<div class="original"><div><h3>There, untouched</h3>'
        f"<p>The magnified place, as it is in the picture. The chance is the planner's "
        f"estimate that {reader} can read the answer; no model was asked for it.</p></div>"
        f"{_picture(comparison.original, 'the magnified place of the untouched picture')}</div>"
    )


def _column(column: Column, answer: str | None) -> str:
    ours = " ours" if column.name == METHOD else ""
    quote = "" if answer is None else _answer(answer, "from these tokens")
    return (
        f'<article class="card{ours}" data-method="{escape(column.name)}">'
        f"<h3>{escape(column.name)}<em>{column.tokens} tokens</em></h3>"
        f'<div class="spot">{_picture(column.spot, f"{column.name}: what can be read there")}</div>'
        f"{_meter(column.value)}{quote}<p>{escape(column.about)}</p>"
        f'<div class="figures"><figure>{_picture(column.shown, f"{column.name}: what it shows")}'
        f"<figcaption>what it shows</figcaption></figure>"
        f"<figure>{_picture(column.where, f'{column.name}: where its tokens are')}"
        f"<figcaption>where its tokens are</figcaption></figure></div></article>"
    )


def _meter(value: float | None) -> str:
    if value is None:
        return f'<div class="meter"><span>{CHANCE}</span><b>not known</b></div>'
    share = max(0.0, min(1.0, value))
    return (
        f'<div class="meter"><span>{CHANCE}</span><b>{share:.0%}</b>'
        f'<i><u style="width:{share:.1%}"></u></i></div>'
    )


def _answer(text: str, where: str) -> str:
    return f'<blockquote class="answer"><small>{where}</small>{escape(text)}</blockquote>'


def _why(comparison: Comparison) -> str:
    """What the choice rests on; nothing where nothing was looked for."""
    why = comparison.why
    words, answers = word_rows(why), answer_rows(why)
    if not (words or answers):
        return ""
    read = read_line(why["read"])
    colours = ["Teal: what the question names."]
    if read:
        colours = [read, "Blue: lines that were read.", *colours]
    if answers:
        colours.append("Magenta: likely answers, if the answer is here.")
    tables = _table(HEADS, words) + _table(ANSWER_HEADS, answers)
    picture = _picture(comparison.reasons, "what was read, found and ranked first")
    return (
        '<section class="why"><h2>Why there</h2>'
        f"<p>{escape(' '.join(colours))}</p>"
        f'<div class="row"><figure>{picture}</figure><div>{tables}</div></div></section>'
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; none without rows."""
    if not rows:
        return ""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _sent(comparison: Comparison) -> str:
    """Every picture at its own size, a pixel of it on a pixel of the page."""
    named = [(view.name, view) for view in comparison.seen]
    about = "The pictures of <code>views</code> at the size that a model gets them."
    return _figures(about, comparison.sent, named)


def _figures(about: str, urls: Sequence[str], views: Sequence[tuple[str, View]]) -> str:
    """Pictures that are sent, each with its name."""
    figures = "".join(
        f'<figure><img src="{url}" alt="{escape(name)}, as it is sent" '
        f'width="{view.size[1]}" height="{view.size[0]}">'
        f"<figcaption>{escape(name)}: {view.size[1]} x {view.size[0]} pixels, "
        f"{view.tokens} token{'s' * (view.tokens != 1)}</figcaption></figure>"
        for url, (name, view) in zip(urls, views, strict=True)
    )
    return (
        f'<section class="sent"><h2>What is sent</h2><p>{about}</p>'
        f'<div class="row">{figures}</div></section>'
    )


# ---- documents -----------------------------------------------------------------------------------

PAGE_HEADS = ("page", "probability", "pictures", "tokens")


def document(seen: DocumentViews, answer: str | None = None) -> str:
    """The whole page of results of a document: what it costs, its contact sheet, what is sent."""
    urls = [encode(image).url for image in seen.images()]
    named = [(f"page {view.page}, {view.name}", view) for view in seen]
    about = "These pictures, in order of pages, at the size that a model gets them."
    quote = "" if answer is None else _answer(answer, "from these tokens")
    parts = [_document_head(seen), quote, _sheet(seen), _figures(about, urls, named)]
    return f'<div class="results document">{"".join(parts)}</div>'


def _document_head(seen: DocumentViews) -> str:
    spent = seen.tokens + seen.label_tokens
    facts = (
        f"<b>{spent}</b> {escape(seen.rule.token)} with their lines, instead of "
        f"<b>{seen.untouched:,}</b> for all {len(seen.document):,} pages"
        f"{_times_fewer(seen.untouched / max(1, spent))}"
    )
    alone = "Other methods take single pictures: ask about one page alone to compare them."
    notes = "".join(f"<p>{escape(note)}</p>" for note in (seen.message, alone))
    return _header(f"“{seen.question.strip()}”", facts, notes)


def _sheet(seen: DocumentViews) -> str:
    """The contact sheet, and the same in numbers."""
    rows = [
        (str(page.number), f"{page.probability:.2f}", str(len(page.views)), str(page.views.tokens))
        for page in seen.pages
    ]
    return (
        '<section class="sheet"><h2>The pages that are shown</h2>'
        "<p>The likeliest first, with the windows of each, and below it what is sent.</p>"
        f"<figure>{_picture(seen.show(), 'contact sheet of the pages that are shown')}</figure>"
        f"{_table(PAGE_HEADS, rows)}</section>"
    )


def _picture(image: Any, alt: str) -> str:
    file = BytesIO()
    image.save(file, "webp", quality=88, method=2)
    return (
        f'<img src="{to_data_uri(file.getvalue(), "webp")}" alt="{escape(alt)}" '
        f'width="{image.width}" height="{image.height}">'
    )
