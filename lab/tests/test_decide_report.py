"""The report of `decide`: the answer it gives, and the whole of it rendered."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from decide_help import ROWS, task
from decide_help import results as all_results
from homunculus_lab.decide.answer import Answer, answer, scope
from homunculus_lab.decide.decision import decide
from homunculus_lab.decide.read import Task
from homunculus_lab.decide.report import html, markdown, report, summary
from test_decide_product import BUDGETS, FLAT, GOOD, SHUFFLED, SUITES, results, suite, suites, waves

ROOT = Path(__file__).parents[2]
VOID = {"meta", "br", "line", "circle", "polyline"}


def said(*tasks: Task) -> Answer:
    decision = decide(results(*tasks), 999)
    return answer(decision, scope(decision))


def own(images: int, gaps: Any = GOOD, **changes: Any) -> Task:
    """A suite that is not part of the test bench."""
    mine = suite("docvqa_gaze", gaps, SHUFFLED, images=images)
    return replace(mine, name="mine", suite="mine", kind="unknown", **changes)


# ---- the answer ----------------------------------------------------------------------------------


def test_the_verdict_says_where_how_much_and_with_how_many_tokens() -> None:
    found = said(*suites())
    assert found.short == "Yes, with few tokens"
    assert dict(found.sentences) == {
        "Surely better": "all 6 sets with 16 to 64 tokens (+10 to +30 points)",
        "No difference shown": "all 6 sets with 128 and 273 tokens",
        "Surely worse": "nowhere",
    }
    assert "Counted in tokens of 32 px (Qwen3-VL)" in found.terms
    assert "anywhere (charts); evidence at 32 px, no reader (photos (COCO) and" in found.terms


def test_losses_are_in_the_first_sentences() -> None:
    weak = GOOD | {64: (-0.02, 0.3), 128: (-0.05, 0.02)}
    found = said(*suites(chartqa_owid=suite("chartqa_owid", weak), vqa2_search=None))
    assert found.short == "In part"
    sentences = dict(found.sentences)
    assert sentences["Surely worse"] == "charts with 128 tokens (−5 points)"
    assert "charts with 64 and 273 tokens (with 64 −2 [" in sentences["No difference shown"]
    assert said(*(suite(name, FLAT) for name in SUITES)).short == "No"


def test_what_is_missing_or_left_out_is_in_the_first_sentences() -> None:
    found = said(*suites(sroie=None))
    assert found.short == "Not measured"
    missing = "no suite of receipts with tokens of 32 px (Qwen3-VL)"
    assert dict(found.sentences)["Missing"] == missing
    decision = decide(replace(results(*suites()), without=("old.json:coco_open",)), 999)
    sentences = dict(answer(decision, scope(decision)).sentences)
    assert sentences["Left out on request"] == "`old.json:coco_open`, an older run"


@pytest.mark.parametrize(
    ("images", "gaps", "short", "heading"),
    [
        (3, GOOD, "Too few images to tell (3 questions on 3 images)", "Images that would tell"),
        (40, FLAT, "No difference of 3 points or more, on these questions", "No difference"),
        (12, GOOD, "Yes, with 16 to 64 tokens, on these questions", "Surely better"),
        (12, dict.fromkeys(BUDGETS, (-0.1, 0.02)), "No, on these questions", "Surely worse"),
    ],
)
def test_a_suite_of_ones_own_is_answered_from_its_own_rows(
    images: int, gaps: Any, short: str, heading: str
) -> None:
    for side in (16, 32):
        found = said(own(images, gaps, patch=side))
        assert found.short == short
        assert heading in dict(found.sentences)
        assert "Not judged" in dict(found.sentences)


def test_too_few_questions_say_how_many_images_would_tell() -> None:
    decision = decide(results(own(3)), 999)
    needed = {
        row["budget"]: row["vs_resize"]["images_needed"]
        for row in decision["rows"]
        if row["method"] == "views"
    }
    text = dict(answer(decision, scope(decision)).sentences)["Images that would tell"]
    counts = [int(count) for count in re.findall(r"about (\d+) with", text)]
    assert counts[:2] == [needed[16], needed[32]]
    assert needed[273] is None, "a difference below a point is not looked for"
    enough, few = (decide(results(own(images)), 999)["rows"] for images in (needed[16], 4))
    first = [next(row for row in rows if "vs_resize" in row) for rows in (enough, few)]
    assert [row["vs_resize"]["p_holm"] <= 0.05 for row in first] == [True, False]


def test_the_command_that_would_tell_counts_the_same_tokens() -> None:
    mine = own(12)
    values = {row: value for row, value in mine.scores.values.items() if "shuffled" not in row[0]}
    mine = replace(mine, scores=replace(mine.scores, values=values))
    command = "homunculus measure SUITE{} --methods views,resize,views+blind,views+shuffled"
    for side, flag in ((32, " --token-size qwen3-vl"), (16, "")):
        unseen = dict(said(replace(mine, patch=side)).unseen)
        assert command.format(flag) in unseen["What the question does"]


def test_questions_that_are_alike_are_no_control() -> None:
    same = suite("sroie", GOOD, dict.fromkeys(BUDGETS, (0.0, 0.0)))
    heading = "What the question does on mine"
    assert heading in dict(said(replace(same, name="mine", suite="mine")).unseen)
    assert heading not in dict(said(own(12)).unseen)


def with_blind(one: Task) -> Task:
    """With a row that scores four points less without the question."""
    less = waves(len(one.scores.image), (0.04, 0.01))[:, None]
    rows = {budget: one.scores.values["views", budget] - less for budget in (16, 32)}
    values = {("views+blind", budget): value for budget, value in rows.items()}
    return replace(one, scores=replace(one.scores, values=one.scores.values | values))


def test_controls_of_the_question_stand_beside_resize() -> None:
    tasks = [with_blind(one) if one.suite != "coco_open" else one for one in suites()]
    made = report(decide(results(*tasks), 999))
    blind, shuffled = made.gains.rows[-2:]
    assert blind[2:5] == ("+4 [+4, +4]", "+4 [+4, +4]", "–")
    assert shuffled[2:4] == ("+10 [+10, +10]", "+10 [+10, +10]")
    assert made.scores.rows[1][:3] == ("receipts", ".20 / .50 / .46 / .40", ".30 / .50 / .46 / .40")
    assert len(report(decide(results(*suites()), 999)).gains.rows) == 7


# ---- the whole report ----------------------------------------------------------------------------


class Page(HTMLParser):
    """Every opened tag must be closed in its order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open += [] if tag in VOID else [tag]

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read_page(text: str) -> str:
    page = Page()
    page.feed(text)
    assert page.open == []
    return " ".join(" ".join(page.text).split())


def test_the_decision_of_this_repository_is_rendered_whole() -> None:
    decision = json.loads((ROOT / "results/decision.json").read_text())
    page, screen = html(decision), markdown(decision)
    assert (ROOT / "results/decision.md").read_text() == screen
    assert len(screen.splitlines()) <= 80
    text = read_page(page)
    for rule in ("P1", "P2", "P3", "P4", "question"):
        assert f"{rule}: {decision[rule]['state']}" in text
        assert f"**{rule}: {decision[rule]['state']}.**" in screen
        for fault in decision[rule]["faults"]:
            assert fault in text
            assert fault in screen
    for each in (*decision["tasks"], *decision["P1"]["sets"]):
        assert each["measured_by"] in text, "whose eyes"
        assert each.get("task", each.get("set")) in text
    for row in decision["rows"]:
        assert row["method"] in text
    assert page.count("<svg") == len(decision["P1"]["sets"]) == 8
    assert not re.search(r"<(script|img|link|iframe)|@import|url\(|\bnan\b", page)
    assert set(re.findall(r'https?://[^"]*', page)) == {"http://www.w3.org/2000/svg"}
    assert summary(decision, [Path("a.html")]).endswith("\nwrote a.html")


def test_losses_are_shown_in_every_table() -> None:
    loss = suite("coco_open", GOOD | {128: (-0.02, 0.02), 273: (-0.001, 0.02)})
    decision = decide(results(*suites(coco_open=loss)), 1999)
    page, screen = html(decision), markdown(decision)
    assert '<section class="verdict no">' in page
    assert 'class="down">▼ −2 [−3, −1]</td>' in page
    assert "<strong>−2.0 [−2.6, −1.4]</strong> *" in page
    assert "<strong>−0.1 [−0.7, +0.5]</strong></td>" in page
    for text in (read_page(page), screen):
        assert "surely below on coco_open with 128 tokens: −2.0 [−2.6, −1.4]." in text
        assert "NO-GO" in text


def test_a_report_of_ones_own_has_no_rules_and_no_first_claim() -> None:
    for images in (3, 12):
        decision = decide(results(own(images)), 999)
        for text in (html(decision), markdown(decision), summary(decision, [])):
            for absent in ("GO", "UNDECIDED", "tier 1", "first claim", "P1"):
                assert absent not in text


def test_names_from_a_file_cannot_write_into_the_page() -> None:
    rows = [row.replace("cut", "<b>cut</b>") for row in ROWS]
    one = task(0, {}, suite="<i>x", rows=rows)
    text = tuple(f"<s>what</s> `<u>` is in {row}?" for row in one.scores.row)
    one = replace(one, scores=replace(one.scores, text=text), column='score"><q>')
    one = replace(one, scores=replace(one.scores, columns=(one.column,)))
    origin = one.origin | {"command": "</code><script>", "reader": "<em>"}
    decision = decide(all_results(replace(one, origin=origin)), 99)
    page = html(decision)
    for tag in ("<b>", "<i>", "<s>", "<u>", "<q>", "<script", "<em>"):
        assert tag not in page
    read_page(page)
    assert "&lt;b&gt;cut" in page


def test_no_cell_of_the_markdown_breaks_its_table() -> None:
    mine = own(12)
    decision = decide(results(replace(mine, name="a|b\nc", suite="a|b\nc")), 999)
    lines = [line for line in markdown(decision).splitlines() if line.startswith("| a")]
    assert len(lines) == 3
    assert all(line.startswith(("| a\\|b c |", "| a\\|b c: minus")) for line in lines)


def test_results_with_nothing_scored_are_rendered() -> None:
    decision = decide(results(), 999)
    assert "UNDECIDED" in read_page(html(decision))
    assert "UNDECIDED" in markdown(decision)
