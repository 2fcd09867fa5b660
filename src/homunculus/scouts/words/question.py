"""What a question asks the page for: words to find there, and what the answer looks like.

English, by small lists; nothing is learned here, and the same question gives the same words
everywhere. A word that no list knows is a word to find. Of German, French and Spanish only the
words that say nothing are known (`stopwords`).
"""

import re
import unicodedata
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from homunculus.scouts.words.net import KINDS, fold, supported
from homunculus.scouts.words.stopwords import EMPTY, is_stopword, language, split_elisions, word_set

SHORTEST = 4
"""Letters from which a word is tried in the singular and the plural."""


def also(word: str) -> tuple[str, ...]:
    """Other printings of a folded word, each once.

    >>> also("telephone"), also("taxes"), also("signed")
    (('phone', 'tel', 'ph', 'mobile', 'telephones'), ('tax', 'taxe'), ('sincerely', 'signature'))
    """
    same = [other for group in _SAME.get(word, ()) for other in group if other != word]
    others = [*same, *(_LEADS[word] if word in _LEADS else plurals(word))]
    return tuple(dict.fromkeys(others))


def plurals(word: str, least: int = SHORTEST) -> list[str]:
    """The singular of a plural, or the plural of a singular, as English mostly makes them."""
    if not word.isalpha() or len(word) < least:
        return []
    if word.endswith("ies"):
        return [word[:-3] + "y"]
    if word.endswith(("sses", "xes", "ches", "shes")):
        return [word[:-2], *([word[:-1]] if word.endswith("xes") else [])]
    if word.endswith("s"):
        return [] if word.endswith(("ss", "us", "is")) else [word[:-1]]
    if word.endswith("y") and word[-2] not in "aeiou":
        return [word[:-1] + "ies"]
    return [word + ("es" if word.endswith(("x", "ch", "sh")) else "s")]


def _groups(lines: str) -> dict[str, list[list[str]]]:
    """Each word of a line stands for all others of that line."""
    groups: dict[str, list[list[str]]] = {}
    for line in lines.strip().splitlines():
        words = line.split()
        for word in words:
            groups.setdefault(word, []).append(words)
    return groups


_SAME = _groups("""
    phone telephone tel ph mobile
    fax facsimile
    number no num nos
    quantity qty
    amount amt
    department dept
    address addr
    average avg mean
    percentage percent pct
    maximum max
    minimum min
    reference ref
    weight wt
    approximately approx
    year yr
    hours hrs
    minutes mins
    manager mgr
    doctor dr
    street st
    avenue ave
    road rd
    university univ
    account acct ac
    balance bal
    received recd
    estimated est
    volume vol
    figure fig
    section sec
    page pg
    zip postal postcode
    email mail
    website www
    building bldg
    attention attn
    purchase po
    january jan
    february feb
    march mar
    april apr
    june jun
    july jul
    august aug
    september sept sep
    october oct
    november nov
    december dec
    first 1st
    second 2nd
    third 3rd
    kilograms kg
    milligrams mg
    usa us
    govt government
    cigarettes cigs
    temperature temp
    identification id
    date dated
""")

_LEADS: dict[str, tuple[str, ...]] = {
    word: tuple(others.split())
    for words, others in (
        ("company firm vendor store shop", "company inc ltd corp corporation co bhd"),
        ("sender", "from"),
        ("addressed recipient receiver addressee", "to dear attn attention"),
        ("signed signatory", "sincerely signature"),
        ("subject topic", "re subject"),
        ("author", "by"),
        ("born", "birth dob"),
        ("paid pay", "total amount paid"),
        ("cost price", "price cost rate amount"),
        ("expires expire expiry", "exp expiry expiration valid"),
    )
    for word in words.split()
}
"""A word of a question that leads to others on the page, but not the other way round."""


BUCKETS = 512
MOST_WORDS, MOST_BUCKETS = 32, 24
LONGEST_QUESTION, LONGEST_WORD = 10_000, 64  # questions come from strangers

HEAD = 12
"""Characters within which a question says what it is after: how much, when, who."""

GENERIC, UNQUOTED, PART, ALSO = 0.15, 0.5, 0.4, 0.5
"""Weights of a generic noun, of what stands outside the quotes, of half a compound, of another
printing of a word."""


@dataclass(frozen=True)
class ParsedQuestion:
    """A question as the scout takes it."""

    words: tuple[str, ...]
    """Folded, each once: what to look for on the page, in order; then how else it is printed."""
    weights: tuple[float, ...]
    """How much finding each word would say, before the page is seen; in (0, 1]."""
    kinds: tuple[float, ...]
    """What the answer probably looks like, aligned with `KINDS`; sums to 1, or all 0: unknown."""
    buckets: tuple[int, ...]
    """The question as a bag of hashed words, for what is learned about ways of asking."""
    unsupported: tuple[str, ...]
    """Words in scripts the scout cannot read."""
    own: int
    """How many of the words, from the first on, are the question's own."""
    stand_for: tuple[str, ...] = ()
    """The question's own word behind each of the others, in their order."""
    quoted: bool = False
    """Whether it quotes something, which is then surely printed."""
    counts: bool = False
    """Whether it compares or counts: then its words hardly say where to look."""
    of_chart: bool = False
    """Whether it speaks of a chart or of colours: then, too."""


def parse(question: str) -> ParsedQuestion:
    """Take a question apart.

    >>> question = parse("What is the invoice amount given in the document?")
    >>> question.words[: question.own]
    ('invoice', 'amount', 'given', 'document')
    >>> [kind for kind, share in zip(KINDS, question.kinds) if share]
    ['number', 'money']
    >>> parse('Where is the word "EXIT"?').words
    ('exit',)
    """
    text = _plain(question)
    passages = [quote.group(1) or quote.group(2) for quote in QUOTED.finditer(text)]
    outside = QUOTED.sub(" ", text)
    quoted, unquoted = list(_quoted(passages)), list(_unquoted(outside, bool(passages)))
    if stranded := _STRANDED.search(outside):
        unquoted.append((stranded.group(1), UNQUOTED))
    weights: dict[str, float] = {}
    unsupported: dict[str, None] = {}
    for word, weight in [*quoted, *unquoted]:
        if not supported(word):
            unsupported[word] = None
        elif key := fold(word)[:LONGEST_WORD]:
            weights[key] = max(weight * _length_weight(key), weights.get(key, 0.0))
    # the heaviest stay, and stay in order: a long preamble must not push out the question
    heavy = set(sorted(weights, key=lambda word: -weights[word])[:MOST_WORDS])
    weights = {word: weight for word, weight in weights.items() if word in heavy}
    own, quotes = len(weights), {fold(word) for word, _ in quoted}
    stand_for: dict[str, str] = {}
    for word in [word for word in weights if word not in quotes]:
        for other in also(word):
            if len(weights) < MOST_WORDS and other not in weights:
                weights[other], stand_for[other] = ALSO * weights[word], word
    return ParsedQuestion(
        words=tuple(weights),
        weights=tuple(weights.values()),
        kinds=_kinds("" if passages and not unquoted else outside),  # else the quoted is the answer
        buckets=_buckets(outside),
        unsupported=tuple(unsupported)[:MOST_WORDS],
        own=own,
        stand_for=tuple(stand_for.values()),
        quoted=bool(passages),
        counts=bool(_COUNTS.search(outside)),
        of_chart=bool(_OF_CHART.search(outside)),
    )


# ---- words to find -------------------------------------------------------------------------------

_CURLY = str.maketrans("“”„‟«»‘’‚‛′`", '""""""' + "'" * 6)
QUOTED = re.compile(r"""(?<!\w)"([^"]{1,200})"(?!\w)|(?<!\w)'([^']{1,80})'(?!\w)""")
"""A mark after a letter or digit opens nothing: 15" are inches, and don't is one word."""

_COUNTS = re.compile(
    r"\b(how many|highest|lowest|largest|smallest|biggest|greatest|most|least|fewest|longest"
    r"|shortest|higher|lower|larger|smaller|greater|fewer|difference|gap|ratio|median|peak|compared?"
    r"|increased?|decreased?)\b",
    re.IGNORECASE,
)
_OF_CHART = re.compile(
    r"\b(charts?|graphs?|bars?|pie|axis|legend|denotes?|colou?rs?)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+(?:[.,:/\\&'’_+*@-][^\W_]+)*")
_POSSESSIVE = re.compile(r"'s?$")
_AMOUNT = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
"""Digits that commas hold together: 1,234.50, but not the days 24,25."""
_STRANDED = re.compile(r"(?<!\w)(from|to|by|for)\W*$", re.IGNORECASE)
"""Who is it from? A preposition at the end asks for what stands after the same word on a page."""
_JOINT = re.compile(r"[^\w]|_")


def _plain(question: str) -> str:
    """One spelling for wide digits, composed accents and all the quotation marks."""
    text = unicodedata.normalize("NFKC", question[:LONGEST_QUESTION])[:LONGEST_QUESTION]
    return text.translate(_CURLY)


def _split(text: str) -> Iterator[str]:
    """Words as a page would print them: a comma parts words, but not the digits of an amount."""
    for match in _WORD.finditer(text):
        word = _POSSESSIVE.sub("", match.group())
        whole = "," not in word or _AMOUNT.fullmatch(word)
        yield from [word] if whole else word.split(",")


def _quoted(passages: list[str]) -> Iterator[tuple[str, float]]:
    """Everything in quotation marks counts in full, be it one letter or a stopword."""
    for passage in passages:
        yield from _with_parts(passage, 1.0)


def _unquoted(text: str, quoting: bool) -> Iterator[tuple[str, float]]:
    """Content words outside quotation marks.

    Beside a quotation they weigh less and generic ones nothing, but they stay: a question about a
    table quotes its row and names its column plainly.
    """
    spoken_in = language(text)
    text = split_elisions(text) if spoken_in == "french" else text
    for word, weight in _with_parts(text, UNQUOTED if quoting else 1.0):
        folded = fold(word)
        if is_stopword(word, spoken_in) or (supported(word) and len(folded) < 2):
            continue
        if folded not in _GENERIC:
            yield word, weight
        elif not quoting:
            yield word, weight * GENERIC


def _with_parts(text: str, weight: float) -> Iterator[tuple[str, float]]:
    """Each word whole; of a compound also the parts: a page may print them apart.

    Parts of a date or a code are nothing by themselves: only letters, three or more.
    """
    for word in _split(text):
        yield word, weight
        parts = _JOINT.split(word)
        if len(parts) > 1:
            yield from ((part, weight * PART) for part in parts if _stands_alone(part))


def _stands_alone(part: str) -> bool:
    return len(part) > 2 and part.isalpha() and part.lower() not in EMPTY


def _length_weight(word: str) -> float:
    """Short words are found everywhere, by chance and by nature."""
    return min(len(word), 8) / 8 if word.isalpha() else min(len(word) + 2, 8) / 8


# ---- ways of asking ------------------------------------------------------------------------------


_GENERIC = word_set("""
    name names named mentioned mention given shown written printed document page form image
    picture photo figure text word words value values listed list according following stated kind
    type number no called provided described indicated displayed represent represents
    represented full title details information data item items table chart graph row column line
    field entry box paper scan file
""")
"""Not amount, date, total or address: those are printed on pages as labels of their values."""


def _buckets(text: str) -> tuple[int, ...]:
    """Hashed words of the question outside its quotations; digits count as their number only."""
    words = (re.sub(r"\d", "0", word.lower()) for word in _split(text))
    content = [word for word in words if word not in EMPTY][:MOST_BUCKETS]
    return tuple(zlib.crc32(word.encode(errors="surrogatepass")) % BUCKETS for word in content)


_LEXICON = tuple(
    (re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"), tuple(kinds.split()))
    for pattern, kinds in (
        (r"dates?|dated|when|days?|months?|years?|deadline|birthday|dob", "date"),
        (r"period|due|expir\w+|issued on|valid (?:till|until)|since", "date"),
        (r"how much|amounts?|prices?|costs?|salary|wages?|fees?|paid|pay|payment", "money number"),
        (r"totals?|subtotal|balance|budget|revenue|sales|tax|gst|vat|change", "money number"),
        (r"expenses?|income|profit|grant|charges?|worth|cents?|dollars?|usd|eur", "money number"),
        (r"how many|numbers? of|no\.? of|count|quantity|qty|age|score|index|level", "number"),
        (r"weight|height|length|width|mean|average|median|ratio|rank|size", "number"),
        (r"rates?", "percent number"),
        (r"numbers?|no|nos|num|#", "code number"),
        (r"percent|percentage|per cent|share|proportion", "percent"),
        (r"times?|what time|hours?|o'?clock|arrival|departure", "time"),
        (r"phone|telephone|tel|fax|mobile|cell|call", "phone"),
        (r"zip|codes?|ids?|identifier|serial|reference|ref|registration|isbn|sku", "code"),
        (r"account|invoice no|order no|flight no|license|licence|passport|plate", "code"),
        (r"who|whom|whose|names?|company|vendor|author|manager|person|title|signed", "word"),
        (r"where|address|city|country|state|location|place|airport|university", "word"),
        (r"purpose|status|subject|brand|nature|department|objective|colou?r", "word"),
    )
)
_SIGNS = (("%", "percent"), ("$", "money"), ("£", "money"), ("€", "money"), ("#", "code"))


def _kinds(text: str) -> tuple[float, ...]:
    """Shares of the kinds the question's words speak for, by votes."""
    low = text.lower()
    votes: dict[str, float] = dict.fromkeys(KINDS, 0.0)
    for pattern, kinds in _LEXICON:
        if match := pattern.search(low):
            vote = 2.0 if match.start() < HEAD else 1.0
            for kind in kinds:
                votes[kind] += vote / len(kinds)
    for sign, kind in _SIGNS:
        votes[kind] += 2.0 * (sign in low)  # a sign says it plainly
    total = sum(votes.values())
    return tuple(vote / total if total else 0.0 for vote in votes.values())
