# pyright: basic
"""The blocks that windows and whole pages are made of."""

from random import Random

from homunculus_lab.train.canvas import Fact
from homunculus_lab.train.figures import ad, boxes, caption, plot
from homunculus_lab.train.invoices import invoice
from homunculus_lab.train.layouts import chart, form, prose, signature, table
from homunculus_lab.train.letters import letter, letterhead, memo
from homunculus_lab.train.lists import agenda, numbered
from homunculus_lab.train.papers import BLOCKS, PageBlock, receipt
from homunculus_lab.train.tables import statement

WINDOW: tuple[PageBlock, ...] = (
    *BLOCKS, *BLOCKS, letter, memo, agenda, numbered, statement, statement, invoice, boxes, plot,
    caption, letterhead,
)  # fmt: skip
MIXED: tuple[PageBlock, ...] = (
    *BLOCKS, form, signature, agenda, numbered, statement, statement, plot, boxes,
)  # fmt: skip
REPORT: tuple[PageBlock, ...] = (prose, prose, statement, plot, numbered, caption)
TITLED: tuple[PageBlock, ...] = (letter, memo, invoice, receipt, ad)
"""Papers that bring their own heading and take the whole page."""
WHOLE: tuple[tuple[PageBlock, ...], ...] = (
    BLOCKS, MIXED, MIXED, MIXED, REPORT, REPORT, (form,), (form, boxes), (table, form), (table,),
    (statement,), (statement,), (statement, prose), (receipt,), (chart,), (letter,), (letter,),
    (memo,), (invoice,), (agenda,), (numbered, prose), (ad,),
)  # fmt: skip
MOST = 25
"""Questions of a page, not counting questions for a word by name."""


def sample_facts(facts: list[Fact], rng: Random) -> list[Fact]:
    """A sample of facts with distinct questions; the first answer to a question counts."""
    first = {}
    for fact in facts:
        first.setdefault(fact.question.lower(), fact)
    return rng.sample(list(first.values()), min(MOST, len(first)))
