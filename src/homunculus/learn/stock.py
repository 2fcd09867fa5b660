# pyright: basic
"""All blocks there are: what windows are cut from, and what whole pages are made of."""

from random import Random

from homunculus.learn.invoices import invoice
from homunculus.learn.layouts import chart, form, prose, signature, table
from homunculus.learn.letters import letter, letterhead, memo
from homunculus.learn.lists import agenda, numbered
from homunculus.learn.marks import ad, boxes, caption, plot
from homunculus.learn.papers import BLOCKS, Block, receipt
from homunculus.learn.sheet import Fact
from homunculus.learn.tables import statement

WINDOW: tuple[Block, ...] = (
    *BLOCKS, *BLOCKS, letter, memo, agenda, numbered, statement, statement, invoice, boxes, plot,
    caption, letterhead,
)  # fmt: skip
MIXED: tuple[Block, ...] = (
    *BLOCKS, form, signature, agenda, numbered, statement, statement, plot, boxes,
)  # fmt: skip
REPORT: tuple[Block, ...] = (prose, prose, statement, plot, numbered, caption)
TITLED: tuple[Block, ...] = (letter, memo, invoice, receipt, ad)
"""Papers that bring their own heading and take the whole page."""
WHOLE: tuple[tuple[Block, ...], ...] = (
    BLOCKS, MIXED, MIXED, MIXED, REPORT, REPORT, (form,), (form, boxes), (table, form), (table,),
    (statement,), (statement,), (statement, prose), (receipt,), (chart,), (letter,), (letter,),
    (memo,), (invoice,), (agenda,), (numbered, prose), (ad,),
)  # fmt: skip
MOST = 25
"""Questions of a page, words asked for by name not counted."""


def thinned(facts: list[Fact], rng: Random) -> list[Fact]:
    """Facts that are asked for once; whoever asks for the date means the first one."""
    first = {}
    for fact in facts:
        first.setdefault(fact.question.lower(), fact)
    return rng.sample(list(first.values()), min(MOST, len(first)))
