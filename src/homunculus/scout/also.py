"""How else a page may print what a question says: abbreviations, plain synonyms, one or many.

Small English lists. The net tells words that differ by one letter apart, so `invoices` does not
find `invoice` by itself.
"""

SHORTEST = 4
"""Letters from which a word is tried as one and as many."""


def also(word: str) -> tuple[str, ...]:
    """Other printings of a folded word, each once.

    >>> also("telephone"), also("taxes"), also("signed")
    (('phone', 'tel', 'ph', 'mobile', 'telephones'), ('tax', 'taxe'), ('sincerely', 'signature'))
    """
    same = [other for group in _SAME.get(word, ()) for other in group if other != word]
    found = [*same, *_LEADS.get(word, ()), *([] if word in _LEADS else _counted(word))]
    return tuple(dict.fromkeys(found))


def _counted(word: str) -> list[str]:
    """The word as one of many, or as many of one, as English mostly makes them."""
    if not word.isalpha() or len(word) < SHORTEST:
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
    found: dict[str, list[list[str]]] = {}
    for line in lines.strip().splitlines():
        words = line.split()
        for word in words:
            found.setdefault(word, []).append(words)
    return found


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
