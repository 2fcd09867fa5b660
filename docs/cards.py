"""Makes docs/methods.md: a card for each method of the registry, with a picture of what it keeps.

    python docs/cards.py            # the page and the pictures
    python docs/cards.py --text     # the page alone

Names, kinds, settings and needs come from the registry, numbers from results/; what a method is
good for stands below, and a test asks for an entry of every method.
"""

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from homunculus.engines.cells.methods import PLANNED, Method, list_methods
from homunculus_lab.methods.answer import AnswerScout

DOCS = Path(__file__).parent
QUESTION, ANSWER = "What is the total due?", [[846, 954, 948, 992]]
TOKENS, PATCH = 64, 32
SETS = (
    ("pages", "docvqa_gaze", "measure-documents-search"),
    ("receipts", "sroie", "measure-documents-search"),
    ("street words", "icdar2015", "measure-charts-photos-scenes"),
    ("photos", "coco_open", "measure-charts-photos-scenes"),
)
PLANS = (
    ("pages", "docvqa_gaze", "views-tokens32-text"),
    ("receipts", "sroie", "views-tokens32-text"),
    ("street words", "icdar2015", "views-tokens32-text"),
    ("photos, with the thing scout,", "coco_open", "views-tokens32-photos"),
)
"""The same for `views`."""
SLOTS = ("64", "128", "273")


class Card(NamedTuple):
    """What no registry knows of a method."""

    rule: str
    """In one line of symbols: r is relevance, s the side of a cell, K the budget."""
    good: str
    bad: str
    paper: str


CARDS = {
    "grid": Card(
        "the K cells with the largest r(c)",
        "The scout knows the place, and one place is enough: among the best on pages with few tokens.",
        "Everything else is invisible: a second question on the same tokens fails, and so do photos.",
        "top-K by a score, as most pruning methods do it: [FastV](related.md#fastv), [VisionZip](related.md#visionzip)",
    ),
    "stratified": Card(
        "n(part) ≥ 1 and n(part) ∝ Σ r(c) over the part; within a part the largest r(c)",
        "Something of every part must be seen, and tokens must stay level-0 cells.",
        "Small budgets: one cell of each of 16 parts is a quarter of 64 tokens.",
        "stratified sampling: [Neyman 1934](related.md#neyman)",
    ),
    "adaptive-strata": Card(
        "as `stratified`, over (2 to 8) × (2 to 8) parts: more where Σ r is spread over more rows or columns",
        "As `stratified`, with questions of several kinds.",
        "As `stratified`, within a few points of it everywhere.",
        "[Neyman 1934](related.md#neyman)",
    ),
    "pyramid": Card(
        "the K largest r(c) + ½ · level(c), over four levels",
        "Photos and scenes, where something coarse of everything helps.",
        "It may keep a cell and its parents, and promises no coverage.",
        "image pyramids: [Burt and Adelson 1983](related.md#pyramids)",
    ),
    "pyramid-shares": Card(
        "64 : 128 : 64 : 17 of K to levels 0 to 3, the largest r(c) within a level",
        "Answers of unknown size; the best periphery on receipts.",
        "The shares are fixed: few tokens are left for the finest level.",
        "[Burt and Adelson 1983](related.md#pyramids)",
    ),
    "cut": Card(
        "start with the roots; split the cell with the largest max r below it + 2 · log s(c) until K are there",
        "The default where tokens must be cells of one image. The whole image stays covered, and a later question still finds something.",
        "Charts, and pages with very few tokens: the roots cost a quarter of them.",
        "level of detail by error, as in [Nanite](related.md#nanite), with the maximum of a [hierarchical Z-buffer](related.md#hi-z)",
    ),
    "clusters": Card(
        "as `cut`, over a tree of similar neighbours that were merged in pairs",
        "Photos with large plain areas, after the encoder.",
        "Print: neighbours are merged by colour or feature, and lines of text fall apart.",
        "[Nanite](related.md#nanite), [ToMe](related.md#tome)",
    ),
    "foveated": Card(
        "as `cut`, with s(c) · M(e) in place of s(c); M(e) = 17.3 / (e + 0.75) mm of cortex a degree",
        "A point is known: a cursor, an eye tracker, a click. Questions about one place and its surroundings.",
        "Pages at 64 tokens: it reads significantly less than `grid` there. It was never significantly better than `cut`.",
        "[Horton and Hoyt 1991](related.md#magnification)",
    ),
    "windows": Card(
        "a × b + c × d = K: a thumbnail, and the window with the largest Σ r at full resolution",
        "A tower that takes plain images only, and one place to look at.",
        "Pages and receipts: one window at one scale. `views` is the same idea, planned.",
        "a crop beside the whole: [ViCrop](related.md#vicrop)",
    ),
    "log-polar": Card(
        "273 = 16 rings × 17 wedges + 1; ring radii grow geometrically from the fixation",
        "Studies of foveation.",
        "Text: rings resample it, and `grid` reads significantly more on pages and receipts at every budget.",
        "[Schwartz 1977](related.md#log-polar)",
    ),
    "pseudo-log-polar": Card(
        "K bins around the fixation; each takes the best of the nine cells at its place",
        "Learning where to put bins: gradients move them.",
        "As it is shipped: the bins stand in a sunflower pattern, and nothing was trained.",
        "[Schwartz 1977](related.md#log-polar)",
    ),
    "frequency": Card(
        "each cell belongs to its strongest orientation; an orientation gets K in proportion to its energy",
        "Textures and drawings, where directions of detail differ.",
        "Not measured with questions: it does not use them.",
        "[the steerable pyramid](related.md#steerable)",
    ),
    "atlas": Card(
        "n(region) ≥ 1 and n(region) ∝ Σ r over the region; within it the largest r(c)",
        "Pictures of several things, each of which must be seen.",
        "Segmentation takes time, and does not help on print.",
        "[Felzenszwalb and Huttenlocher 2004](related.md#regions)",
    ),
    "random": Card("K cells at random", "A control: what chance reads.", "Always.", "–"),
    "uniform": Card("every n-th cell", "A control: an even sample.", "Always.", "–"),
    "centre": Card("the K cells nearest the middle", "A control: photographers centre things.", "Text.", "–"),
    "pool": Card("K equal blocks, each the mean of its cells", "A control: everything seen, nothing sharp.", "Print.", "–"),
    "resize": Card(
        "the whole image on a smaller grid of its own shape, up to K cells",
        "The control to beat. From 128 tokens of 32 px on it reads pages as well as anything.",
        "Small print at small budgets.",
        "[the critics](related.md#critics) say that many methods lose to it",
    ),
    "saliency": Card(
        "the K largest contrasts against the surround", "A control: what stands out, whatever the question.",
        "Questions about what does not stand out.", "[Itti, Koch and Niebur 1998](related.md#saliency)",
    ),
    "oracle": Card(
        "as `cut`, with r from the answer's box", "A control: what knowing the place is worth.", "It is given the answer's box, so it is no method to use.", "–",
    ),
    "shuffled": Card(
        "as `foveated`, with r from another image's question",
        "A control: a gain that survives it does not come from the question.", "One picture alone: there is no other question.", "–",
    ),
    "views": Card(
        "the views with the largest Σ P(answer at c) · L(height(c) × scale) that cost at most K",
        "The default. Text with 16 to 64 tokens of 32 px, photos of things that the detector knows, and every hosted model.",
        "If the answer is outside of every window, it is smaller than `resize` would have shown it. Charts whose questions are about shapes.",
        "[ViCrop, ZoomEye and others](related.md#vicrop) look with the model itself; the value is [explained here](ideas.md#the-value-of-a-plan)",
    ),
}  # fmt: skip


# ---- numbers -------------------------------------------------------------------------------------


@cache
def result(name: str) -> dict[str, Any]:
    """A file of results/."""
    return json.loads((DOCS.parent / "results" / f"{name}.json").read_text("utf-8"))


def run_of(name: str, suite: str) -> dict[str, Any]:
    """The first run of a suite: the crop of the answer, or the evidence of a thing."""
    return next(one for one in result(name)["runs"] if one["suite"] == suite)


def score(method: str, name: str, suite: str) -> str:
    """Means at three budgets."""
    run = run_of(name, suite)
    row = run["table"].get(method)
    if row is None:
        return "–"
    column = run["columns"][0]
    return " / ".join(f"{row[slots][column][0]:.2f}".removeprefix("0") for slots in SLOTS)


def gain(method: str, name: str, suite: str, slots: str) -> str | None:
    """Points over `resize` with their interval."""
    run = run_of(name, suite)
    pair = run["paired"].get(f"{method} - resize")
    if pair is None:
        return None
    mean, low, high = (round(100 * value) for value in pair[slots][run["columns"][0]])
    return f"{mean:+d} [{low:+d}, {high:+d}]".replace("-", "−")


def against(method: str) -> str:
    """What it gains over `resize`, set by set."""
    files, slots, where = SETS, "128", "128 tokens of 16 px"
    if method == "views":  # measured later, with the tokens of today's models
        files, slots, where = PLANS, "32", "32 tokens of 32 px"
    found = [(label, gain(method, name, suite, slots)) for label, suite, name in files]
    told = "; ".join(f"{label} {points}" for label, points in found if points)
    links = dict.fromkeys(name for _, _, name in files)
    at = ", ".join(f"[file](../results/{name}.json)" for name in links)
    return (
        f"{told} (points at {where}, intervals of one comparison, {at})" if told else "not measured"
    )


def cost(method: str) -> str:
    """Time as a multiple of plain top-K."""
    if method == "views":
        took = result("bench-views")["milliseconds"]["here, int8"]["question"] / 1000
        return f"a further question on a known page takes {took:.1f} CPU seconds, most of it planning ([file](../results/bench-views.json))"
    rows = [one for one in result("bench-core")["rows"] if one["method"] == method]
    ratios = [one["ratio_topk"] for one in rows if one["cells"] == 4096]
    if not ratios:
        return "not measured"
    told = " / ".join(f"{ratio:.1f}" for ratio in ratios)
    return f"{told} times plain top-K for 1 / 8 / 32 images ([file](../results/bench-core.json))"


# ---- the page ------------------------------------------------------------------------------------

HEAD = f"""# Methods

<!-- Made by `python docs/cards.py` from the registry and results/; edit that, not this. -->

A method says which K tokens of an image are kept. [`views`](#views) is the default of `show`, `attach` and `serve`;
[`cut`](#cut) is the default where tokens must be cells of one image ([how to choose](views.md#when-to-use-something-else)). All obey the
same [laws](cells.md#the-laws): exactly K tokens, and an image in a batch gets what it gets alone. `homunculus methods`
lists them. The words are explained in the [glossary](ideas.md#glossary).

`views`, `cut`, `grid` and `resize` come with homunculus-vlm, all others with [homunculus-lab](install.md#the-laboratory):

```bash
pip install --constraint constraints.txt . ./lab
```

How to read a card:

- **The picture** is always the same invoice with {TOKENS} tokens of {PATCH} px and “{QUESTION}”. Left is what is kept,
  right what can still be read; for `views`, right are the pictures as they are sent.
- **In formulas**, c is a cell, r(c) its relevance (the scout's logit), s(c) its side, level(c) how coarse it is (0 is
  the finest), e its distance from the fixation in degrees, and Σ a sum over cells.
- **looks at** says where relevance comes from (the question, the pixels, nothing), and which cells there are to choose
  from: a `grid` of equal ones, a `pyramid` of coarse and fine ones, or others.
- **A control** is there to be beaten, and is in every table.

"""
TABLE = """## What can still be read

RapidOCR reads the answer from what the kept tokens show. For photos it is the share of the named thing that is shown
with 32 pixels or more. Cells of **16 px**, 64 / 128 / 273 tokens, all with the word scout, 48 questions a set
([pages and receipts](../results/measure-documents-search.json),
[street words and photos](../results/measure-charts-photos-scenes.json)). `views` was measured later, on 60 questions
([file](../results/compare-tokens16-views.json)) and not on photos (–). [Results](results.md) has it with tokens of
32 px. This was not tested with a vision-language model.

| method | pages | receipts | street words | photos |
|---|---|---|---|---|
"""


def card(method: Method) -> str:
    """One method."""
    name, told = method.name, CARDS[method.name]
    settings = ", ".join(f"`{one}`" for one in sorted(method.settings)) or "none"
    settings = "[options of views](views.md#options)" if name in PLANNED else settings
    rows = [
        ("keeps", told.rule),
        ("wins" if not method.control else "is for", told.good),
        ("loses", told.bad),
        ("against `resize`", "–" if name == "resize" else against(name)),
        ("costs", cost(name)),
        ("looks at", ("the question; any rectangle" if name in PLANNED
                      else f"{method.source}; {method.lift.name}")
         + (f"; needs {', '.join(sorted(method.needs))}" if method.needs else "")),
        ("settings", settings),
        ("from", told.paper),
    ]  # fmt: skip
    table = "\n".join(f"| **{left}** | {right} |" for left, right in rows)
    kind = ", a control" if method.control else ""
    return (
        f"## {name}\n\n{method.about[0].upper()}{method.about[1:]}{kind}.\n\n"
        f"![What {name} keeps of an invoice, and what can still be read](methods/{name}.webp)\n\n"
        f"| | |\n|---|---|\n{table}\n"
    )


def page() -> str:
    """docs/methods.md."""
    table = list_methods()
    order = [*PLANNED.values(), *(table[name] for name in CARDS if name in table)]
    rows = [
        f"| [`{one.name}`](#{one.name}) | "
        + " | ".join(
            score(one.name, name if one.name != "views" else "compare-tokens16-views", suite)
            if one.name != "views" or suite != "coco_open" else "–"
            for _, suite, name in SETS
        )
        + " |"
        for one in order
    ]  # fmt: skip
    cards = "\n".join(card(one) for one in order)
    return f"{HEAD}{TABLE}" + "\n".join(rows) + f"\n\n{cards}"


# ---- pictures ------------------------------------------------------------------------------------


def draw(name: str, tokens: int = TOKENS) -> Any:
    """Kept cells and what is left to read, side by side."""
    from PIL import Image

    from homunculus import views
    from homunculus.show import panels
    from homunculus.show.cells import look
    from homunculus.show.views import board, outline

    invoice, wide = DOCS / "invoice.png", 300
    if name == "views":
        seen = views(invoice, QUESTION, tokens=tokens, model=PATCH, label=False)
        whole, large = seen.picture.image(), 2 * wide  # labels need the room
        size = (large, round(whole.height * large / whole.width))
        small = panels.washed(whole.resize(size, Image.Resampling.LANCZOS), 0.35)
        marked = outline(small, seen, large / whole.width)
        sent = Image.new("RGB", size, panels.PAPER)
        sent.paste(board(seen, large), (0, 0))
        two, size = [one.reduce(2) for one in (marked, sent)], (wide, size[1] // 2)
    else:
        question = "What is the customer number?" if name == "shuffled" else QUESTION
        method = "foveated" if name == "shuffled" else name
        scout = AnswerScout(ANSWER) if method == "oracle" else "auto"
        seen = look(invoice, question, method=method, tokens=tokens, patch=PATCH, scout=scout)
        scale = wide / seen.picture.size[1]
        size = (wide, round(seen.picture.size[0] * scale))
        two = seen.cells(scale)[1:]
    board = Image.new("RGB", (2 * wide + 16, size[1]), panels.PAPER)
    for at, one in enumerate(two):
        board.paste(one, (at * (wide + 16), 0))
    return board


def main() -> None:
    """Write the page, and the pictures unless told not to."""
    (DOCS / "methods.md").write_text(page(), "utf-8")
    if "--text" not in sys.argv:
        for name in CARDS:
            draw(name).save(DOCS / "methods" / f"{name}.webp", quality=70, method=6)


if __name__ == "__main__":
    main()
