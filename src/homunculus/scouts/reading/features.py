"""What is told of each printed word as the place of an answer, for one question.

Each of the question's words is looked for in the lines around a candidate: to the left in its own
line, in the line to its left, in those above it, at the head of its row and of its column. A
feature is the share of the question that is found there, weighted by how rare its words are on the
page; others say how the candidate looks, where it stands, and what kind of answer is asked for.
"""

from dataclasses import dataclass

import numpy as np

from homunculus.scouts.reading.kinds import LOOKS, MATCHED
from homunculus.scouts.reading.layout import NONE, Layout
from homunculus.scouts.reading.match import matches
from homunculus.scouts.reading.query import HINTS, OTHER_PRINTING, Query
from homunculus.scouts.words.stopwords import EMPTY
from homunculus.shapes import Float, Int

FOUND = 0.5
"""A word of the question stands in a line from this likeness on."""
LEAST_RARITY = 0.05
"""What a word that is everywhere still counts."""
FAR_LEFT, FAR_UP = 30.0, 3.0
"""Usual heights after which a neighbour to the left, or above, says 1/e as much."""
NEAR, WIDE = 2.0, 8.0
"""Usual heights after which what stands around says 1/e as much."""
MAX_PAIRS = 2**20
"""Pairs of words that are compared at a time, which bounds memory."""

PLACES = (
    "before",  # earlier in the same line
    "after",
    "left",  # the nearest line to the left
    "far left",  # any line to the left in the row
    "right",
    "row label",  # the first line of the row
    "above",  # the nearest line above
    "far above",
    "header",  # the nearest line above that is no figure
    "over",  # words straight above
    "under",  # words straight below
    "column top",  # the first line of the column of a table
    "below",
    "near",
    "around",
)
"""Where words of the question are looked for, as seen from a candidate."""
LABELS = ("before", "left", "row label", "above", "header", "column top")
"""Places whose own words are asked for: "Total" is a better label than "Total number of pages"."""
_FACTS = (
    "own", "own whole", "row", "column", "crossing", "crossing gain", "label", "best label",
    "found", "rarest found", "count", "fit", "kind known", "often", "stopword", "y", "x", "top",
    "bottom", "height", "large", "first lines", "length of line", "place in line", "figures",
    "centred", "letters", "after colon", "before colon", "largest", "smallest", "names largest",
    "names smallest", "largest of row", "smallest of row", "names largest of row",
    "names smallest of row", "quoted", "quoted own", "counts", "of chart",
)  # fmt: skip
_PAIRS = (
    ("title", "large"), ("title", "top"), ("title", "centred"), ("who", "capital"),
    ("who", "person"), ("name", "capital"), ("firm", "firm"), ("from", "person"),
    ("from", "bottom"), ("to", "top"), ("first", "top"), ("last", "bottom"),
    ("most", "largest"), ("least", "smallest"), ("most", "names largest"),
    ("least", "names smallest"), ("most", "largest of row"), ("least", "smallest of row"),
    ("most", "names largest of row"), ("least", "names smallest of row"),
    ("total", "bottom"), ("total", "figures"),
    ("where", "capital"), ("which", "row"), ("count", "number"), ("which", "own"),
    ("long", "span"), ("when", "date"), ("when", "time"),
)  # fmt: skip
"""A way of asking together with what answers it."""
NAMES: tuple[str, ...] = (
    *PLACES,
    *(f"rarest {place}" for place in PLACES),
    *(f"all of {place}" for place in LABELS),
    *_FACTS,
    *LOOKS,
    *(f"asks {kind}" for kind in MATCHED),
    *(f"asked {kind}" for kind in MATCHED),
    *(f"hint {hint}" for hint in HINTS),
    *(f"{hint}, {fact}" for hint, fact in _PAIRS),
)
"""All features, in order."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a page says to a question."""

    features: Float[np.ndarray, "words features"]
    match: Float[np.ndarray, "asked words"]
    """How far each printed word is each asked one."""
    found: Float[np.ndarray, "asked"]
    """How far each asked word is on the page."""
    share: Float[np.ndarray, "asked"]
    """How much of the question each of its words is; rare words count more."""

    @property
    def found_share(self) -> float:
        """The share of the question that is on the page."""
        return found_share(self.share, self.found)


def found_share(share: Float[np.ndarray, "asked"], found: Float[np.ndarray, "asked"]) -> float:
    """The share of a question that is on a page."""
    return float((share * found).sum())


def rarest_found(share: Float[np.ndarray, "asked"], found: Float[np.ndarray, "asked"]) -> float:
    """How far the word that says most is on the page."""
    return float(found[share.argmax()]) if len(share) else 0.0


def evidence(layout: Layout, query: Query) -> Evidence:
    """All features of all words of a page that has some."""
    match = _match(layout, query)
    by_line = np.maximum.reduceat(match, layout.first, 1)
    found = by_line.max(1, initial=0)
    weight = query.weights * _rarity(by_line)
    share = weight / max(1e-6, float(weight.sum()))
    telling = weight * (found > FOUND)
    rarest = int(telling.argmax()) if len(query) and telling.max() > 0 else None
    cover = _cover(layout, match, by_line)
    columns = dict[str, Float[np.ndarray, "words"]]()
    for place in PLACES:
        columns[place] = share @ cover[place]
        columns[f"rarest {place}"] = (
            np.zeros(len(layout.line), np.float32) if rarest is None else cover[place][rarest]
        )
    columns |= _label_words(layout, match)
    columns |= _found(layout, match, share, cover, found)
    columns |= _looks(layout, query)
    columns |= _tables(layout, columns)
    columns |= _asking(layout, query, columns)
    table = np.stack([columns[name] for name in NAMES], 1).astype(np.float32)
    return Evidence(table, match, found, share)


def _match(layout: Layout, query: Query) -> Float[np.ndarray, "asked words"]:
    """Likeness of each printed word to each asked one; other printings count a little less."""
    match = matches([*query.words, *(other for other, _ in query.others)], layout.vocabulary)
    own = match[: len(query)]
    for (_, number), row in zip(query.others, match[len(query) :], strict=True):
        np.maximum(own[number], OTHER_PRINTING * row, out=own[number])
    return own


def _rarity(by_line: Float[np.ndarray, "asked lines"]) -> Float[np.ndarray, "asked"]:
    """How much a find of each word says: 1 for one that stands nowhere or once."""
    lines, often = by_line.shape[1], (by_line > FOUND).sum(1)
    rarity = np.log((lines + 1) / (often + 0.5)) / np.log(lines + 1)
    return np.where(often, rarity.clip(LEAST_RARITY, 1), 1).astype(np.float32)


# ---- where the question's words stand ------------------------------------------------------------


def _cover(
    layout: Layout,
    match: Float[np.ndarray, "asked words"],
    by_line: Float[np.ndarray, "asked lines"],
) -> dict[str, Float[np.ndarray, "asked words"]]:
    """How far each asked word stands at each place around each candidate."""
    left = np.exp(-layout.left_distance.clip(0, 60) / FAR_LEFT)
    above = np.exp(-layout.above_distance.clip(0, 60) / FAR_UP)
    below = np.where(
        layout.below_neighbour == NONE, 0, above[layout.below_neighbour]
    )  # as far as the line below is from this one
    lines = {
        "left": _gather(by_line, layout.left_neighbour) * left,
        "row label": _gather(by_line, layout.row_label),
        "above": _gather(by_line, layout.above_neighbour) * above,
        "header": _gather(by_line, layout.header),
        "column top": _gather(by_line, layout.column_top),
        "below": _gather(by_line, layout.below_neighbour) * below,
        **_around(layout, by_line),
    }
    before, after = _in_line(layout, match)
    over, under = _over(layout, match)
    words = {place: cover[:, layout.line] for place, cover in lines.items()}
    return words | {"before": before, "after": after, "over": over, "under": under}


def _gather(
    by_line: Float[np.ndarray, "asked lines"], neighbour: np.ndarray
) -> Float[np.ndarray, "asked lines"]:
    """What stands in a neighbour of each line; nothing where there is none."""
    return np.where(neighbour == NONE, np.float32(0), by_line[:, neighbour])


def _in_line(
    layout: Layout, match: Float[np.ndarray, "asked words"]
) -> tuple[Float[np.ndarray, "asked words"], Float[np.ndarray, "asked words"]]:
    """What stands in the same line before each word, and after it."""
    before, after = np.zeros_like(match), np.zeros_like(match)
    ends = np.append(layout.first[1:], len(layout.line))
    hits = np.flatnonzero(match.max(0, initial=0) > 0)
    for line in np.unique(layout.line[hits]).tolist():
        start, end = int(layout.first[line]), int(ends[line])
        own = match[:, start:end]
        before[:, start + 1 : end] = np.maximum.accumulate(own, 1)[:, :-1]
        after[:, start : end - 1] = np.maximum.accumulate(own[:, ::-1], 1)[:, ::-1][:, 1:]
    return before, after


def _over(
    layout: Layout, match: Float[np.ndarray, "asked words"]
) -> tuple[Float[np.ndarray, "asked words"], Float[np.ndarray, "asked words"]]:
    """What stands straight above each word, and below it: heads of columns that stand close
    together are one line, and only their words tell them apart."""
    some = np.flatnonzero(match.max(0, initial=0) > 0)
    over, under = np.zeros_like(match), np.zeros_like(match)
    step = max(1, MAX_PAIRS // max(1, len(some)))
    for start in range(0, match.shape[1], step):
        here = slice(start, start + step)
        over[:, here], under[:, here] = _straight(layout, match[:, some], some, here)
    return over, under


def _straight(
    layout: Layout, finds: Float[np.ndarray, "asked some"], some: Int[np.ndarray, "some"],
    here: slice,
) -> tuple[Float[np.ndarray, "asked here"], Float[np.ndarray, "asked here"]]:  # fmt: skip
    """The same for some of the candidates."""
    boxes, height = layout.word_boxes, layout.usual_height
    low, high = boxes[:, 0], boxes[:, 2]
    shared = np.minimum(high[here, None], high[some]) - np.maximum(low[here, None], low[some])
    width = (high - low).clip(1)
    straight = (shared / np.minimum(width[here, None], width[some])).clip(0, 1)
    middle = boxes[:, 1] + boxes[:, 3]
    down = (middle[here, None] - middle[some]) / 2 / height
    fading = 0.75 + 0.25 * np.exp(-np.abs(down) / (4 * FAR_UP))
    return (
        _best(finds, straight * fading * (down > 0.7)),
        _best(finds, straight * fading * (down < -0.7)),
    )


def _around(
    layout: Layout, by_line: Float[np.ndarray, "asked lines"]
) -> dict[str, Float[np.ndarray, "asked lines"]]:
    """The best find in the row, in the column and around each line."""
    some = np.flatnonzero(by_line.max(0, initial=0) > 0)
    boxes, height = layout.boxes, layout.usual_height
    x = np.maximum(boxes[:, None, 0], boxes[some, 0]) - np.minimum(
        boxes[:, None, 2], boxes[some, 2]
    )
    y = np.maximum(boxes[:, None, 1], boxes[some, 1]) - np.minimum(
        boxes[:, None, 3], boxes[some, 3]
    )
    distance = np.hypot(x.clip(0) / height / 2, y.clip(0) / height)
    other = some != np.arange(len(boxes))[:, None]
    up = np.exp(-(y.clip(0) / height).clip(0, 90) / (2 * FAR_UP)) * 0.5 + 0.5
    weights = {
        "far left": layout.left[:, some],
        "right": layout.left.T[:, some],
        "far above": layout.above[:, some] * up,
        "near": other * np.exp(-distance / NEAR),
        "around": other * np.exp(-distance / WIDE),
    }
    return {place: _best(by_line[:, some], weight) for place, weight in weights.items()}


def _best(
    finds: Float[np.ndarray, "asked some"], weight: np.ndarray
) -> Float[np.ndarray, "asked lines"]:
    """For each line the largest of some finds times their weights."""
    best = np.zeros((len(finds), len(weight)), np.float32)
    for row, find in zip(best, finds, strict=True):
        hit = np.flatnonzero(find)
        if len(hit):
            row[:] = (weight[:, hit] * find[hit]).max(1)
    return best


def _label_words(
    layout: Layout, match: Float[np.ndarray, "asked words"]
) -> dict[str, Float[np.ndarray, "words"]]:
    """How much of a label is asked for, where a candidate has one."""
    asked = match.max(0, initial=0)
    weight = np.array(
        [0.0 if word.lower() in EMPTY else min(len(word), 8.0) for word in layout.words]
    )
    total = np.add.reduceat(weight, layout.first).clip(1e-6)
    by_line = (np.add.reduceat(asked * weight, layout.first) / total).astype(np.float32)
    start = layout.first[layout.line]
    sums = np.append(0, np.cumsum(asked * weight))
    weights = np.append(0, np.cumsum(weight))
    place = np.arange(len(layout.line))
    before = (sums[place] - sums[start]) / (weights[place] - weights[start]).clip(1e-6)
    lines = {
        "left": layout.left_neighbour,
        "row label": layout.row_label,
        "above": layout.above_neighbour,
        "header": layout.header,
        "column top": layout.column_top,
    }
    columns = {
        f"all of {place}": np.where(neighbour == NONE, np.float32(0), by_line[neighbour])[
            layout.line
        ]
        for place, neighbour in lines.items()
    }
    return columns | {"all of before": before.clip(0, 1)}


def _found(
    layout: Layout,
    match: Float[np.ndarray, "asked words"],
    share: Float[np.ndarray, "asked"],
    cover: dict[str, Float[np.ndarray, "asked words"]],
    found: Float[np.ndarray, "asked"],
) -> dict[str, Float[np.ndarray, "words"]]:
    """Rows and columns that cross at a candidate, its label, and how much was found at all."""
    row = np.maximum(np.maximum(cover["before"], cover["far left"]), 0.7 * cover["right"])
    row = np.maximum(row, 0.7 * cover["after"])
    column = np.maximum(cover["over"], 0.45 * np.maximum(cover["far above"], cover["header"]))
    label = np.maximum.reduce(
        [cover["before"], cover["left"], cover["above"], 0.8 * cover["below"]]
    )
    in_row, in_column, crossing = share @ row, share @ column, share @ np.maximum(row, column)
    each = np.ones(len(layout.line), np.float32)
    return {
        "own": share @ match,
        "own whole": match.max(0, initial=0),
        "row": in_row,
        "column": in_column,
        "crossing": crossing,
        "crossing gain": crossing - np.maximum(in_row, in_column),
        "label": share @ label,
        "best label": label.max(0, initial=0),
        "found": each * found_share(share, found),
        "rarest found": each * rarest_found(share, found),
        "count": each * min(len(found), 8) / 8,
    }


# ---- how a candidate looks -----------------------------------------------------------------------


def _looks(layout: Layout, query: Query) -> dict[str, Float[np.ndarray, "words"]]:
    """Where a candidate stands, how large it is, and what its letters are."""
    (high, wide), boxes, line = layout.size, layout.word_boxes, layout.line
    heights = (boxes[:, 3] - boxes[:, 1]).clip(1)
    usual = max(1.0, float(np.median(heights)))
    y = (boxes[:, 1] + boxes[:, 3]) / 2 / high
    middles = (layout.boxes[:, 0] + layout.boxes[:, 2]) / 2 / wide
    count = np.diff(np.append(layout.first, len(line)))
    place = np.arange(len(line)) - layout.first[line]
    order = np.argsort(np.argsort(layout.boxes[:, 1], kind="stable"), kind="stable")
    colon = np.append(0, np.cumsum([word.endswith(":") for word in layout.words]))
    last = np.append(layout.first[1:], len(line))[line]
    kinds = layout.kinds
    asked = query.kinds
    each = np.ones(len(line), np.float32)
    return {
        "fit": (kinds[:, : len(MATCHED)] * asked).max(1),
        "kind known": each * asked.any(),
        "often": layout.often,
        "stopword": np.array([word.lower() in EMPTY for word in layout.words], np.float32),
        "y": y,
        "x": (boxes[:, 0] + boxes[:, 2]) / 2 / wide,
        "top": (y < 0.15).astype(np.float32),
        "bottom": (y > 0.88).astype(np.float32),
        "height": (heights / usual).clip(0, 4),
        "large": np.log2(heights / usual).clip(-2, 2),
        "first lines": np.minimum(order[line], 20) / 20,
        "length of line": np.minimum(count[line], 10) / 10,
        "place in line": place / (count[line] - 1).clip(1),
        "figures": layout.figures[line].astype(np.float32),
        "centred": (np.abs(middles - 0.5) < 0.08)[line].astype(np.float32),
        "letters": np.array([min(len(word), 12) / 12 for word in layout.words], np.float32),
        "after colon": (colon[np.arange(len(line))] > colon[layout.first[line]]).astype(np.float32),
        "before colon": (colon[last] > colon[np.arange(len(line))]).astype(np.float32),
        **{look: kinds[:, number] for number, look in enumerate(LOOKS)},
        **{f"asks {kind}": each * share for kind, share in zip(MATCHED, asked, strict=True)},
        **{
            f"asked {kind}": kinds[:, number] * asked[number]
            for number, kind in enumerate(MATCHED)
        },
    }  # fmt: skip


def _tables(
    layout: Layout, columns: dict[str, Float[np.ndarray, "words"]]
) -> dict[str, Float[np.ndarray, "words"]]:
    """The largest and the smallest number of a column, and of a row; and the names of their rows
    and columns. More where that column or row is asked for."""
    facts = dict[str, Float[np.ndarray, "words"]]()
    for asked, extremes, across, names, ending in (
        ("column", layout.column_extremes, layout.row, layout.row_label, ""),
        ("row", layout.row_extremes, layout.column, layout.column_top, " of row"),
    ):
        name_of = ~layout.figures | np.isin(np.arange(len(names)), names)
        by_line = np.maximum.reduceat(columns[asked], layout.first)
        for name, extreme in zip(("largest", "smallest"), extremes, strict=True):
            worth = np.where(extreme, 0.3 + 0.7 * by_line, 0).astype(np.float32)
            some = np.flatnonzero(worth)
            named = (across[:, some] * worth[some]).max(1, initial=0)
            facts[name + ending] = worth[layout.line]
            facts[f"names {name}{ending}"] = np.where(name_of, named, 0)[layout.line]
    return facts


def _asking(
    layout: Layout, query: Query, columns: dict[str, Float[np.ndarray, "words"]]
) -> dict[str, Float[np.ndarray, "words"]]:
    """Ways of asking, alone and together with what answers them."""
    each = np.ones(len(layout.line), np.float32)
    hints = dict(zip(HINTS, query.hints.tolist(), strict=True))
    parsed = query.parsed
    return {
        "quoted": each * query.quoted,
        "quoted own": columns["own whole"] * query.quoted,
        "counts": each * parsed.counts,
        "of chart": each * parsed.of_chart,
        **{f"hint {hint}": each * there for hint, there in hints.items()},
        **{f"{hint}, {fact}": columns[fact] * hints[hint] for hint, fact in _PAIRS},
    }
