# pyright: basic
"""All blocks there are: what windows are cut from, and what whole pages are made of."""

from random import Random

from homunculus.lab.train.figures import ad, boxes, caption, plot
from homunculus.lab.train.invoices import invoice
from homunculus.lab.train.layouts import chart, form, prose, signature, table
from homunculus.lab.train.letters import letter, letterhead, memo
from homunculus.lab.train.lists import agenda, numbered
from homunculus.lab.train.papers import BLOCKS, Block, receipt
from homunculus.lab.train.sheet import Fact
from homunculus.lab.train.tables import statement

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
