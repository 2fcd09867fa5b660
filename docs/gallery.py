"""Makes docs/gallery.md and its pictures: questions of the test bench, what views show of the
answer, and what the whole picture shows of it for the same tokens.

    HOMUNCULUS_DATA=... python docs/gallery.py

Which questions is a rule, not a taste: `WANTED` names a suite, a budget and an outcome, and the
largest differences in the result file come first, one question an image. The pictures are made by
the bench's own code; a plan whose value is not the one in the file ends the run.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from homunculus.eyes.readers import crop
from homunculus.scouts.registry import get_scout
from homunculus.show import panels
from homunculus_lab.measure.answer import score
from homunculus_lab.measure.readers import get_reader
from homunculus_lab.measure.row import row as bench_row
from homunculus_lab.measure.run import Bench, Config
from homunculus_lab.measure.spend import keep
from homunculus_lab.measure.suite import Question, read
from homunculus_lab.measure.views import Shown, buy_views
from homunculus_lab.results import from_text

DOCS = Path(__file__).parent
DATA = Path(os.environ.get("HOMUNCULUS_DATA", "."))
EVIDENT = 0.3
"""A smaller difference of scores is called none."""
WIN, LOSS, BOTH, NEITHER = "win", "loss", "both", "neither"
WANTED = (
    ("sroie", 16, WIN, 4), ("sroie", 32, WIN, 1), ("sroie", 64, BOTH, 1),
    ("icdar2015", 32, WIN, 3), ("icdar2015", 273, LOSS, 1),
    ("icdar2015", 128, LOSS, 1), ("icdar2015", 32, NEITHER, 1),
    ("coco_open", 16, WIN, 4), ("coco_open", 16, LOSS, 1), ("coco_open", 16, NEITHER, 1),
    ("chartqa_owid", 32, WIN, 2), ("chartqa_owid", 64, LOSS, 3),
    ("chartqa_owid", 128, LOSS, 1),
)  # fmt: skip
"""Suite, tokens of 32 px, outcome, how many: 24 in all. Losses are rarer than this."""
RESULTS = {
    "sroie": "views-tokens32-text.json",
    "icdar2015": "views-tokens32-text.json",
    "coco_open": "views-tokens32-photos.json",
    "chartqa_owid": "measure-tokens32-charts.json",
}
TITLES = {
    "sroie": "Receipts (SROIE)",
    "icdar2015": "Street words (ICDAR 2015)",
    "coco_open": "Photos (COCO)",
    "chartqa_owid": "Charts (Our World in Data)",
}
SOURCES = {
    "sroie": "Receipt: ICDAR 2019 SROIE, CC BY 4.0.",
    "icdar2015": "Photo: ICDAR 2015 incidental scene text, CC BY 4.0.",
    "chartqa_owid": "Chart: Our World in Data, CC BY. Question: ChartQA.",
}
LICENCES = {4: "CC BY 2.0", 5: "CC BY-SA 2.0", 7: "no known copyright restrictions"}
"""Of single photos of COCO, by the number that COCO gives them."""

NAMED = {"000.jpg", "001.jpg", "002.jpg", "004.jpg"}
"""Receipts on which a person's name stands in large letters, found by looking: left out."""


@dataclass(frozen=True)
class Case:
    """One question of a result file at one budget."""

    suite: str
    tokens: int
    outcome: str
    question: Question
    views: float
    resize: float
    value: float
    """The planner's estimate in the result file."""

    @property
    def name(self) -> str:
        """Of its picture."""
        return f"{self.suite.partition('_')[0]}-{self.question.row}-{self.tokens}.webp"


# ---- which questions -----------------------------------------------------------------------------


@cache
def results(suite: str) -> dict[str, Any]:
    """The run of a suite in its result file."""
    found = from_text((DOCS.parent / "results" / RESULTS[suite]).read_text("utf-8"))
    (run,) = [one for one in found.get("runs", [found]) if one["suite"] == suite]
    return run


@cache
def rows(suite: str) -> list[dict[str, Any]]:
    """Lines of the suite's own file, with licences."""
    text = (DATA / suite / "qa.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def outcome(views: float, resize: float) -> str:
    """What became of the answer."""
    if abs(views - resize) > EVIDENT:
        return WIN if views > resize else LOSS
    return BOTH if min(views, resize) > 0.5 else NEITHER


def cases(suite: str, tokens: int) -> Iterator[Case]:
    """All questions of a result at a budget, the largest difference first."""
    questions = {one.row: one for one in read(DATA / suite)}
    people = {one["image"] for one in rows(suite) if one["answers"] == ["person"]}
    people |= NAMED
    key = str(tokens)
    for one in results(suite)["rows"]:
        question = questions[one["row"]]
        if question.image in people:  # nobody asked them
            continue
        views, resize = (one["scores"][name][key][0] for name in ("views", "resize"))
        more = one.get("more", one)["value"]["views"][key][0]
        yield Case(suite, tokens, outcome(views, resize), question, views, resize, more)


def chosen() -> list[Case]:
    """The 24: by `WANTED`, one question an image, and a shop."""
    found: list[Case] = []
    for suite, tokens, want, many in WANTED:
        taken = {origin(one) for one in found}
        order = sorted(cases(suite, tokens), key=lambda one: -abs(one.views - one.resize))
        for case in order:
            if case.outcome == want and origin(case) not in taken and many:
                found.append(case)
                taken.add(origin(case))
                many -= 1
        if many:
            raise SystemExit(f"gallery: {many} too few of {suite} {tokens} {want}.")
    return found


def origin(case: Case) -> tuple[str, str]:
    """Who made the picture, as far as it is known: one question each."""
    return case.suite, case.question.vendor or case.question.image


def shares(suite: str, tokens: int) -> str:
    """How often each outcome is met, as a sentence."""
    scores = [one["scores"] for one in results(suite)["rows"]]
    pairs = [(one["views"][str(tokens)][0], one["resize"][str(tokens)][0]) for one in scores]
    met = [outcome(*pair) for pair in pairs]
    lost = met.count(LOSS)
    losses = f"{lost} {'loss' if lost == 1 else 'losses'}"
    return f"{met.count(WIN)} wins and {losses} in {len(met)} at {tokens} tokens"


# ---- what is shown of the answer -----------------------------------------------------------------


class Stage:
    """The bench, ready to show a question of one suite."""

    def __init__(self, suite: str) -> None:
        self.boxed = suite != "chartqa_owid"
        things = suite == "coco_open"
        self.reader = get_reader("rapidocr")
        config = Config(patch=32, things=things, task="evidence" if things else "legibility")
        scorers = {"scout": get_scout("auto")}
        self.bench = Bench(config, [], scorers, self.reader, self.boxed, {})

    def show(self, case: Case) -> tuple[Any, Any, Shown, list[Any], str]:
        """The sheet, the page by views and by resizing, the answer's boxes, what was read."""
        question, views = case.question, bench_row("views", self.bench.scorers)
        sheet = self.bench.sheet(question)
        belief = self.bench.belief(views, sheet, question, None)
        bill, side = buy_views(sheet, case.tokens, belief, self.bench.config.acuity, views)
        if abs(bill.plan.value - case.value) > 0.02:
            raise SystemExit(f"gallery: {case.name} is planned otherwise: measure it again.")
        shown = Shown(sheet, bill.plan, side)
        small = keep(bench_row("resize", {}), 0, sheet, case.tokens, None).show()
        boxes = [sheet.box(box) for box in question.boxes] or self.find(sheet, question)
        return sheet, small, shown, boxes, self.tell(case, shown, small, boxes)

    def find(self, sheet: Any, question: Question) -> list[Any]:
        """Where the answer is printed, by a reader of all pixels."""
        lines = self.reader.page(sheet.page.pixels)
        fits = [(score([text], "anywhere", "anls", question), box) for text, box in lines]
        return [max(fits, key=lambda one: one[0])[1]]

    def tell(self, case: Case, shown: Shown, small: Any, boxes: list[Any]) -> str:
        """Two sentences: what was read, or how much is shown."""
        if self.bench.config.things:
            return (
                f"Views show {case.views:.0%} of it at 32 pixels or more of its shorter side, "
                f"the resized picture {case.resize:.0%}."
            )
        if not self.boxed:
            got = [
                "the answer" if one >= 1 else "part of it" if one else "nothing of it"
                for one in (case.views, case.resize)
            ]
            return f"Read anywhere on the views, each by itself: {got[0]}; on the resized picture: {got[1]}."
        seen = [self.line(page, boxes, case.question) for page in (shown.page, small)]
        return f"Read from the views: {seen[0]}; from the resized picture: {seen[1]}."

    def line(self, page: Any, boxes: list[Any], question: Question) -> str:
        """The best reading of the answer's boxes."""
        texts = [self.reader.line(crop(page, box)) for box in boxes]
        best = max(texts, key=lambda text: score([text], "crop", "anls", question))
        return f"“{best}”" if best.strip() else "nothing"


# ---- pictures ------------------------------------------------------------------------------------

WIDE, GAP, LABEL = 680, 16, 22
TALL = 1.15
"""Pictures this much higher than wide stand beside the crops, others above them."""


def image(pixels: Any) -> Image.Image:
    """A tensor of bytes as a picture."""
    return Image.fromarray(pixels.permute(1, 2, 0).contiguous().numpy())


def around(box: Any, size: tuple[int, int], shape: float) -> tuple[int, int, int, int]:
    """The box with room about it, in the given shape, inside the picture."""
    x0, y0, x1, y1 = box
    wide = max(1.35 * (x1 - x0), 1.35 * (y1 - y0) * shape, 150)
    wide = min(wide, size[0], size[1] * shape)
    high = wide / shape
    left = min(max(0, (x0 + x1 - wide) / 2), size[0] - wide)
    top = min(max(0, (y0 + y1 - high) / 2), size[1] - high)
    return round(left), round(top), round(left + wide), round(top + high)


def overview(page: Image.Image, wide: int, shown: Shown, boxes: list[Any]) -> Image.Image:
    """The picture, pale, with the windows and the answer's boxes on it."""
    scale = wide / page.width
    panel = panels.washed(
        page.resize((wide, round(page.height * scale)), Image.Resampling.LANCZOS), 0.25
    )
    pen = ImageDraw.Draw(panel)
    for at, window in enumerate(shown.plan.windows):
        x0, y0, x1, y1 = (round(side * scale) for side in window.box)
        pen.rectangle((x0, y0, x1 - 1, y1 - 1), outline=panels.LEVELS[at], width=3)
    for box in boxes:
        x0, y0, x1, y1 = (round(side * scale) for side in box)
        for colour, room in (("white", 4), ("black", 3), ("black", 2)):
            pen.rectangle((x0 - room, y0 - room, x1 + room, y1 + room), outline=colour)
    return panel


def draw(case: Case, sheet: Any, small: Any, shown: Shown, boxes: list[Any]) -> Image.Image:
    """The windows, and the answer: as it is, in the views, resized."""
    page, things = image(sheet.page.pixels), case.suite == "coco_open"
    tall = page.height > TALL * page.width
    wide = 240 if tall else (WIDE - GAP) // 2
    panel = overview(page, wide, shown, boxes)
    across = WIDE - wide - GAP
    high = (panel.height - 2 * (LABEL + 8)) // 3 if tall else panel.height
    high = min(high, across // 2) if tall else high
    box = max(boxes, key=lambda one: (one[2] - one[0]) * (one[3] - one[1])) if things else boxes[0]
    place = around(box, page.size, across / high)
    parts = [("the answer, at full size", page)]
    parts += [(f"in {case.tokens} tokens of views", image(shown.page))]
    parts += [(f"in {case.tokens} tokens, resized", image(small))]
    step = LABEL + high + 8
    corners = [(wide + GAP, at * step) for at in range(3)]
    if not tall:
        corners = [(wide + GAP, 0), (0, step), (wide + GAP, step)]
    total = max(panel.height + LABEL, (3 if tall else 2) * step - 8)
    board = Image.new("RGB", (WIDE, total), panels.PAPER)
    pen = ImageDraw.Draw(board)
    pen.text((0, 0), "the plan", panels.INK, panels.typeface(17))
    board.paste(panel, (0, LABEL))
    for (title, source), (x, y) in zip(parts, corners, strict=True):
        pen.text((x, y), title, panels.INK, panels.typeface(17))
        part = source.crop(place).resize((across, high), Image.Resampling.BICUBIC)
        board.paste(part, (x, y + LABEL))
    return board


# ---- the page ------------------------------------------------------------------------------------

HEAD = """# Gallery

24 questions of the [test bench](measure.md): wins, losses and draws of `views` against `resize`. They are the best and
the worst of each set, one question for each image, and not a fair sample. The fair counts stand above each set.

Each picture shows the plan: windows are coloured, the answer's place is black, and the whole picture, small, is always
sent as well. Then it shows the answer three times: at full size, in the views, and in the whole picture resized to the
same budget. Tokens are those of Qwen3-VL (32 px). RapidOCR reads the text; in photos the pixels on the named thing are
counted. This was not tested with a vision-language model. `python docs/gallery.py` makes this page from the result files.
"""
WORDS = {WIN: "Win", LOSS: "Loss", BOTH: "Draw, both", NEITHER: "Draw, neither"}


def credit(case: Case) -> str:
    """Whose picture it is, and under which licence."""
    if case.suite in SOURCES:
        return SOURCES[case.suite]
    row = rows(case.suite)[case.question.row]
    number = row["flickr"].rsplit("/", 1)[1].partition("_")[0]
    return f"Photo: Flickr {number}, by way of COCO, {LICENCES[row['licence']]}."


def entry(case: Case, told: str) -> str:
    """One picture and its sentences."""
    asked = f"“{case.question.text}”"
    answer = "" if case.suite == "coco_open" else f" Answer: {case.question.answers[0]}."
    text = f"{asked}{answer} {told} {credit(case)}".replace("|", "/").replace("\n", " ")
    alt = f"{case.question.text} {case.outcome} with {case.tokens} tokens".replace('"', "")
    return f"![{alt}](gallery/{case.name})\n\n**{WORDS[case.outcome]}, {case.tokens} tokens.** {text}\n"


def main() -> None:
    """Draw all, then write the page."""
    found, text = chosen(), [HEAD]
    for suite in RESULTS:
        here = [case for case in found if case.suite == suite]
        stage = Stage(suite)
        budgets = dict.fromkeys(case.tokens for case in here)
        met = "; ".join(shares(suite, tokens) for tokens in budgets)
        link = f"[results/{RESULTS[suite]}](../results/{RESULTS[suite]})"
        text.append(f"## {TITLES[suite]}\n\nViews against the resized picture: {met} ({link}).\n")
        for case in here:
            sheet, small, shown, boxes, told = stage.show(case)
            picture = draw(case, sheet, small, shown, boxes)
            picture.save(DOCS / "gallery" / case.name, quality=72, method=6)
            text.append(entry(case, told))
            print(case.name, case.outcome, told)
    (DOCS / "gallery.md").write_text("\n".join(text), "utf-8")
    for old in {*(DOCS / "gallery").iterdir()} - {DOCS / "gallery" / case.name for case in found}:
        old.unlink()


if __name__ == "__main__":
    main()
