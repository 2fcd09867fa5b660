"""The rules for the product, on made-up results that can be checked by hand.

Half of the images of a suite lie at ``gap + spread``, half at ``gap - spread``: the mean is the gap
and its standard error is the spread divided by the root of the number of images (.02 on 40 images:
.32 points, so an interval of .63 points to either side).
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import decide_help
from decide_help import LOW_ROWS, to_json
from homunculus.commands.main import main
from homunculus_lab.decide.decision import decide
from homunculus_lab.decide.product import BUDGETS, RuleResult, judge_product, product_outcome
from homunculus_lab.decide.read import Results, Scores, Task, read
from homunculus_lab.stats import Bootstrap, clopper_pearson, pool

DRAWS = 1999
READER = "rapidocr 3.10.0"
SUITES = {
    "docvqa_gaze": ("documents", "crop/smooth"),
    "sroie": ("documents", "crop/smooth"),
    "icdar2015": ("scenes", "crop/smooth"),
    "chartqa_owid": ("charts", "anywhere/smooth"),
    "coco_open": ("photos", "evidence32"),
    "vqa2_search": ("photos", "evidence32"),
}
LEVELS = {16: 0.2, 32: 0.3, 64: 0.4, 128: 0.5, 273: 0.5}
"""What `resize` scores."""
Gap = tuple[float, float]
"""The gap and the spread."""


def waves(images: int, gap: Gap) -> Any:
    """One number for each image; half lie above the gap and half below."""
    mean, spread = gap
    return mean + spread * np.where(np.arange(images) % 2, 1.0, -1.0)


def suite(
    known: str,
    gaps: Mapping[int, Gap],
    shuffled: Mapping[int, Gap] | None = None,
    images: int = 40,
    patch: int | None = 32,
    **changes: Any,
) -> Task:
    """A suite on which `views` differs so much from `resize`, and from itself shuffled."""
    kind, column = SUITES[known]
    values = {}
    for budget, level in LEVELS.items():
        values["resize", budget] = np.full((images, 1), level)
    for budget, gap in gaps.items():
        values["views", budget] = LEVELS.get(budget, 0.5) + waves(images, gap)[:, None]
    for budget, gap in (shuffled or {}).items():
        values["views+shuffled", budget] = values["views", budget] - waves(images, gap)[:, None]
    text = tuple(f"{at}.png" for at in range(images))
    scores = Scores(text, text, (12.0,) * images, (column,), values)
    origin = {"file": f"{known}.json", "command": "", "commit": "", "hardware": ""}
    origin["reader"] = READER
    task = Task(known, known, "all", kind, "legibility", column, scores, (), origin, patch=patch)
    return replace(task, **changes)


GOOD: dict[int, Gap] = {
    16: (0.30, 0.02),
    32: (0.20, 0.02),
    64: (0.10, 0.02),
    128: (0.0, 0.02),
    273: (0.0, 0.02),
}
"""All rules are met: 32 tokens score .5 as 128 of `resize` do, and so do 16."""
FLAT: dict[int, Gap] = dict.fromkeys(BUDGETS, (0.0, 0.02))
SHUFFLED = {16: (0.10, 0.02), 32: (0.10, 0.02)}


def suites(**changed: Task | None) -> list[Task]:
    """All six suites, good ones but for those given; None leaves a suite out."""
    good = {name: suite(name, GOOD, SHUFFLED) for name in SUITES} | changed
    return [task for task in good.values() if task]


def judge(*tasks: Task, draws: int = DRAWS) -> dict[str, RuleResult]:
    return judge_product(tasks, draws, 0)


def states(rules: dict[str, RuleResult]) -> list[str]:
    return [rule.state for rule in rules.values()]


def test_a_good_product_meets_every_rule() -> None:
    rules = judge(*suites())
    assert list(rules) == ["P1", "P2", "P3", "P4", "question"]
    assert states(rules) == ["met"] * 5
    assert product_outcome(rules) == "GO"
    assert [len(rule.trials) for rule in rules.values()] == [30, 15, 3, 3, 4]
    assert [one.budget for one in rules["P1"].pooled] == list(BUDGETS)
    assert all(len(one.sets) == 6 for one in rules["P1"].pooled)
    assert {one.task.suite for one in rules["P2"].trials} == set(SUITES) - {"chartqa_owid"}
    assert {one.task.suite for one in rules["P3"].trials} == {"docvqa_gaze", "sroie", "icdar2015"}
    assert {one.task.suite for one in rules["question"].trials} == {"docvqa_gaze", "sroie"}


# ---- P1: never worse -----------------------------------------------------------------------------


@pytest.mark.parametrize(("spread", "state"), [(0.20, "met"), (0.27, "not met")])
def test_p1_asks_for_a_pooled_lower_bound_above_minus_three(spread: float, state: str) -> None:
    """The standard error is spread / sqrt(240): 1.3 and 1.7 points, so -2.6 and -3.4."""
    noisy = {name: suite(name, GOOD | {273: (0.0, spread)}, SHUFFLED) for name in SUITES}
    rule = judge(*suites(**noisy))["P1"]
    pooled = rule.pooled[-1]
    assert pooled.estimate.mean == pytest.approx(0)
    assert pooled.estimate.interval()[0] == pytest.approx(-2 * spread / 240**0.5, rel=0.1)
    assert not any(one.side == "below" for one in rule.trials)
    assert rule.state == state
    if state == "not met":
        (fault,) = rule.faults
        assert fault.startswith("pooled over 6 suites with 273 tokens: +0.0 [−3.")
        assert fault.endswith("required above −3.0")


def test_p1_is_not_met_where_one_suite_is_surely_below() -> None:
    rules = judge(*suites(coco_open=suite("coco_open", GOOD | {128: (-0.01, 0.02)})))
    assert rules["P1"].faults == ["surely below on coco_open with 128 tokens: −1.0 [−1.6, −0.4]"]
    assert all(one.met for one in rules["P1"].pooled), "three points are allowed to the pool alone"
    assert (rules["P1"].state, rules["P2"].state) == ("not met", "met")
    assert product_outcome(rules) == "NO-GO"


def test_p1_corrects_losses_over_the_suites_of_a_budget() -> None:
    """2.5 standard errors below: p is .02, and six times as much after correction."""
    loss = suite("coco_open", GOOD | {128: (-2.5 * 0.02 / 40**0.5, 0.02)})
    rule = judge(*suites(coco_open=loss))["P1"]
    (trial,) = [t for t in rule.trials if t.task.suite == "coco_open" and t.row[1] == 128]
    assert trial.comparison.p < 0.05 < trial.comparison.p_holm
    assert trial.comparison.p_holm == pytest.approx(6 * trial.comparison.p)
    assert rule.state == "met"
    alone = judge(loss)["P1"]
    assert alone.trials[3].comparison.p_holm == trial.comparison.p, "one suite, no correction"
    assert alone.state == "not met"


def test_every_suite_has_the_same_weight() -> None:
    """12 charts lose 20 points, not surely; 100 images of each other suite gain nothing."""
    big = {name: suite(name, FLAT, images=100) for name in SUITES}
    big["chartqa_owid"] = suite("chartqa_owid", FLAT | {64: (-0.2, 0.55)}, images=12)
    rule = judge(*suites(**big))["P1"]
    pooled = rule.pooled[2]
    assert pooled.estimate.mean == pytest.approx(-0.2 / 6)
    assert not any(one.side == "below" for one in rule.trials)
    assert rule.state == "not met"
    gaps = np.concatenate([waves(100, (0.0, 0.02))] * 5 + [waves(12, (-0.2, 0.55))])
    by_question = Bootstrap([str(at) for at in range(len(gaps))], DRAWS)
    low, _ = by_question.estimates(gaps[:, None], -1.0, 1.0)[0].interval()
    assert low > -0.03, "weighted by questions the charts would not be seen"


@pytest.mark.parametrize("budget", BUDGETS)
def test_p1_needs_every_budget(budget: int) -> None:
    gaps = {slots: gap for slots, gap in GOOD.items() if slots != budget}
    rules = judge(*suites(sroie=suite("sroie", gaps, {})))
    assert rules["P1"].state == "not measured"
    assert rules["P1"].missing == [f"no row `views` with {budget} tokens on sroie"]
    (pooled,) = [one for one in rules["P1"].pooled if not one.complete]
    assert (pooled.budget, len(pooled.sets)) == (budget, 5)
    assert product_outcome(rules) == "not measured"


def test_what_fails_on_part_of_the_budgets_fails() -> None:
    gaps = {16: (-0.1, 0.02), 32: (0.0, 0.02)}
    rules = judge(*suites(sroie=suite("sroie", gaps)))
    assert rules["P1"].state == "not met"
    assert rules["P1"].missing == ["no row `views` with 64, 128 and 273 tokens on sroie"]
    assert rules["P1"].faults == ["surely below on sroie with 16 tokens: −10.0 [−10.6, −9.4]"]


def test_every_other_budget_counts_too() -> None:
    worse = {name: suite(name, GOOD | {8: (0.0, 0.3)}, SHUFFLED) for name in SUITES}
    for task in worse.values():
        task.scores.values["resize", 8] = task.scores.values["resize", 273]
    rule = judge(*worse.values())["P1"]
    assert [one.budget for one in rule.pooled] == [8, *BUDGETS]
    assert rule.state == "not met"


@pytest.mark.parametrize(
    ("absent", "rules_without"),
    [
        ("docvqa_gaze", {"P1", "P2", "P3", "P4", "question"}),
        ("sroie", {"P1", "P2", "P3", "P4", "question"}),
        ("icdar2015", {"P1", "P2", "P3", "P4"}),
        ("chartqa_owid", {"P1"}),
    ],
)
def test_a_suite_that_is_absent_leaves_its_rules_open(absent: str, rules_without: set[str]) -> None:
    rules = judge(*suites(**{absent: None}))
    assert {name for name, rule in rules.items() if rule.state == "not measured"} == rules_without
    assert "met" in states(rules) or rules_without == set(rules)
    for name in rules_without:
        (reason,) = rules[name].missing
        assert reason.startswith("no suite of ")
        assert reason.endswith(" with tokens of 32 px (Qwen3-VL)")


def test_photos_may_be_any_suite_of_photos() -> None:
    assert states(judge(*suites(coco_open=None))) == ["met"] * 5
    rules = judge(*suites(coco_open=None, vqa2_search=None))
    assert [name for name, rule in rules.items() if rule.missing] == ["P1", "P2"]


# ---- P2: better where it matters -----------------------------------------------------------------


@pytest.mark.parametrize("budget", [16, 32, 64])
@pytest.mark.parametrize("name", ["docvqa_gaze", "sroie", "icdar2015", "coco_open", "vqa2_search"])
def test_p2_asks_for_a_sure_gain_at_every_small_budget(budget: int, name: str) -> None:
    """One standard error above 0 is not sure."""
    weak = suite(name, GOOD | {budget: (0.02 / 40**0.5, 0.02)}, SHUFFLED)
    rules = judge(*suites(**{name: weak}))
    assert (rules["P1"].state, rules["P2"].state) == ("met", "not met")
    (fault,) = rules["P2"].faults
    assert fault.startswith(f"not surely above on {name} with {budget} tokens: +0.3 [")
    assert product_outcome(rules) == "NO-GO"


def test_p2_asks_nothing_of_charts_and_of_larger_budgets() -> None:
    charts = suite("chartqa_owid", FLAT)
    rule = judge(*suites(chartqa_owid=charts))["P2"]
    assert rule.state == "met"
    assert {trial.row[1] for trial in rule.trials} == {16, 32, 64}


def test_p2_corrects_gains_over_all_suites_and_budgets() -> None:
    """Three gains of 2.15 standard errors: each has p below .05, the three together do not."""
    gap = (2.15 * 0.02 / 40**0.5, 0.02)
    one = suite("coco_open", GOOD | {32: gap})
    two = suite("vqa2_search", GOOD | {32: gap, 64: gap})
    assert judge(*suites(coco_open=one))["P2"].state == "met"
    rule = judge(*suites(coco_open=one, vqa2_search=two))["P2"]
    weak = [trial.comparison for trial in rule.trials if trial.side == "open"]
    assert [trial.p < 0.05 < trial.p_holm for trial in weak] == [True] * 3
    assert min(trial.p_holm for trial in weak) == pytest.approx(3 * min(trial.p for trial in weak))
    assert rule.state == "not met"
    assert len(rule.faults) == 3


# ---- P3 and P4: fewer tokens ---------------------------------------------------------------------


@pytest.mark.parametrize(("name", "budget", "gap"), [("P3", 32, 0.2), ("P4", 16, 0.3)])
def test_fewer_tokens_are_compared_with_128_of_resize(name: str, budget: int, gap: float) -> None:
    for spread, state in ((0.11, "met"), (0.20, "not met")):  # errors of 1.0 and 1.8 points
        noisy = {one: suite(one, GOOD | {budget: (gap, spread)}) for one in ("sroie", "icdar2015")}
        noisy["docvqa_gaze"] = suite("docvqa_gaze", GOOD | {budget: (gap, spread)})
        rules = judge(*suites(**noisy))
        (pooled,) = rules[name].pooled
        assert (pooled.budget, pooled.against_budget, len(pooled.sets)) == (budget, 128, 3)
        assert pooled.estimate.mean == pytest.approx(0, abs=1e-9)
        low = pooled.estimate.interval()[0]
        assert low == pytest.approx(-2 * spread / 120**0.5, rel=0.1)
        assert rules[name].state == state
        other = "P4" if name == "P3" else "P3"
        assert rules[other].state == "met"
        assert rules["P1"].state == rules["P2"].state == "met", "they are at other budgets"


def test_one_text_suite_surely_below_is_enough_to_fail() -> None:
    rules = judge(*suites(sroie=suite("sroie", GOOD | {32: (0.19, 0.02)}, SHUFFLED)))
    assert [one.met for one in rules["P3"].pooled] == [True]
    assert rules["P3"].faults == [
        "surely below on sroie with 32 tokens against 128: −1.0 [−1.6, −0.4]"
    ]
    assert states(rules) == ["met", "met", "not met", "met", "met"]
    assert product_outcome(rules) == "GO", "GO is P1 and P2"


def test_charts_stand_beside_the_text_suites_and_do_not_count() -> None:
    rules = judge(*suites(chartqa_owid=suite("chartqa_owid", GOOD | {32: (0.0, 0.02)})))
    beside = rules["P3"].with_charts
    assert beside
    assert beside.estimate.mean == pytest.approx(-0.2 / 4, abs=1e-9)
    assert (rules["P3"].state, rules["P4"].state) == ("met", "met")


def test_fewer_tokens_need_both_budgets() -> None:
    gaps = {slots: gap for slots, gap in GOOD.items() if slots != 16}
    short = suite("icdar2015", gaps)
    short.scores.values.pop(("resize", 128))
    rules = judge(*suites(icdar2015=short))
    assert rules["P3"].missing == ["no row `resize` with 128 tokens on icdar2015"]
    assert rules["P4"].missing == [
        "no row `views` with 16 tokens on icdar2015",
        "no row `resize` with 128 tokens on icdar2015",
    ]
    assert states(rules)[2:4] == ["not measured"] * 2


# ---- the question --------------------------------------------------------------------------------


def test_the_question_must_be_why() -> None:
    weak = suite("sroie", GOOD, SHUFFLED | {32: (0.0, 0.02)})
    rules = judge(*suites(sroie=weak))
    assert rules["question"].state == "not met"
    (fault,) = rules["question"].faults
    assert fault.startswith("not surely above on sroie with 32 tokens: +0.0 [")
    assert product_outcome(rules) == "GO", "it stands beside the decision"


def test_without_the_shuffled_row_the_question_is_not_measured() -> None:
    rules = judge(*suites(sroie=suite("sroie", GOOD, {16: (0.1, 0.02)})))
    assert rules["question"].state == "not measured"
    assert rules["question"].missing == ["no row `views+shuffled` with 32 tokens on sroie"]


# ---- which runs count ----------------------------------------------------------------------------


def test_only_tokens_of_32_px_count() -> None:
    fine = [replace(task, patch=16) for task in suites()]
    rules = judge(*fine)
    assert states(rules) == ["not measured"] * 5
    assert {tuple(rule.missing) for rule in rules.values()} == {
        ("no run with tokens of 32 px (Qwen3-VL)",)
    }
    bad = [suite(name, dict.fromkeys(BUDGETS, (-0.2, 0.02)), patch=16) for name in SUITES]
    assert states(judge(*suites(), *bad)) == ["met"] * 5


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (suite("sroie", GOOD, images=5), "sroie has 5 images, and fewer than 6 show nothing"),
        (
            suite("sroie", GOOD, column="page/smooth"),
            "sroie is measured by `page/smooth`, not by `crop`",
        ),
    ],
)
def test_a_suite_that_cannot_count_is_named(changed: Task, reason: str) -> None:
    rules = judge(*suites(sroie=changed))
    assert states(rules) == ["not measured"] * 5
    assert {tuple(rule.missing) for rule in rules.values()} == {(reason,)}


def test_a_suite_counts_once() -> None:
    part = suite("sroie", GOOD, SHUFFLED, name="sroie/pilot", part="pilot")
    rules = judge(*suites(), part)
    assert rules["P1"].missing == ["sroie comes 2 times (sroie and sroie/pilot): pass one"]
    page = suite("sroie", GOOD, name="sroie page/smooth", column="page/smooth")
    assert states(judge(*suites(), page)) == ["met"] * 5, "another way to read is not a suite"


def test_too_few_resamples_say_nothing() -> None:
    rules = judge(*suites(), draws=199)
    assert rules["P2"].missing == [
        "15 trials are too many for 199 bootstrap resamples: use --draws 3000"
    ]
    assert states(rules)[:2] == ["not measured"] * 2


# ---- pooling -------------------------------------------------------------------------------------


def test_a_pool_of_one_set_is_that_set() -> None:
    value = np.random.default_rng(0).random((30, 2)) - 0.5
    bootstrap = Bootstrap([str(at // 2) for at in range(30)], 499)
    pooled, own = pool([(bootstrap, value)], -1.0, 1.0), bootstrap.estimates(value, -1.0, 1.0)
    assert [one.interval() for one in pooled] == [one.interval() for one in own]


def test_sets_of_one_size_are_resampled_apart() -> None:
    """Two equal suites: the error is 1 / sqrt 2 of one; drawn alike, the interval would not be."""
    both = judge(*(suite(name, {64: (0.0, 0.2)}) for name in ("sroie", "icdar2015")))["P1"]
    low, high = both.pooled[0].estimate.interval()
    assert high - low == pytest.approx(2 * 2 * 0.2 / 80**0.5, rel=0.1)


def test_where_nothing_differs_images_are_counted_and_the_smallest_set_bounds_them() -> None:
    """With 20 charts and no difference at all, three points lost cannot be ruled out; with 25
    they can."""
    for charts, state in ((20, "not met"), (25, "met")):
        same = {
            name: suite(name, GOOD | {273: (0.0, 0.0)}, SHUFFLED, images=100) for name in SUITES
        }
        gaps = GOOD | {273: (0.0, 0.0)}
        same["chartqa_owid"] = suite("chartqa_owid", gaps, images=charts)
        rule = judge(*suites(**same))["P1"]
        low, _ = rule.pooled[-1].estimate.interval()
        assert low == pytest.approx(-clopper_pearson(0, 6 * charts, 0.025))
        assert rule.state == state


# ---- files, the decision and the report ----------------------------------------------------------


def as_run(task: Task) -> dict[str, Any]:
    run = to_json(task) | {"kind": task.kind, "reader": READER, "part": task.part}
    return run | {"config": {"patch": task.patch}} if task.patch else run


def write_runs(folder: Path, name: str, *tasks: Task) -> Path:
    path = folder / name
    path.write_text(json.dumps({"runs": [as_run(task) for task in tasks]}))
    return path


def test_a_run_says_the_side_of_its_token(tmp_path: Path) -> None:
    fine = replace(suite("sroie", FLAT), patch=16)
    one = write_runs(tmp_path, "a.json", suite("sroie", GOOD), suite("icdar2015", GOOD, patch=None))
    tasks = read([one, write_runs(tmp_path, "b.json", fine)]).tasks
    assert [(task.name, task.patch, task.main) for task in tasks] == [
        ("sroie (32 px)", 32, False), ("icdar2015", None, True), ("sroie (16 px)", 16, True),
    ]  # fmt: skip
    again = write_runs(tmp_path, "c.json", suite("sroie", GOOD))
    with pytest.raises(
        ValueError, match=r"sroie crop/smooth.* is measured twice, in a\.json and c"
    ):
        read([one, again])


def test_the_tiers_do_not_change_with_runs_of_other_tokens(tmp_path: Path) -> None:
    fine = [
        replace(decide_help.task(at, LOW_ROWS, name), patch=16)
        for at, name in enumerate(("a", "b"))
    ]
    first = write_runs(tmp_path, "z.json", *fine)
    other = write_runs(tmp_path, "a.json", *suites(), suite("sroie", GOOD, name="b", suite="b"))
    alone, both = decide(read([first]), DRAWS), decide(read([other, first]), DRAWS)
    assert alone["decision"] == "GO"
    keys = ("decision", "tier")
    assert [both[key] for key in keys] == [alone[key] for key in keys]
    for key in ("state", "trials", "shown", "missing"):
        assert [one[key] for one in both["tiers"]] == [one[key] for one in alone["tiers"]], key
    assert (alone["product"], both["product"]) == ("not measured", "GO")


def results(*tasks: Task) -> Results:
    return Results(tasks, [], ())


def test_old_results_still_work_and_say_what_is_missing(tmp_path: Path, capsys: Any) -> None:
    path = write_runs(tmp_path, "run.json", *(replace(one, patch=16) for one in suites()))
    out = tmp_path / "report.html"
    assert main(["decide", str(path), "-o", str(out), "--draws", "999"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("product: NOT MEASURED. ")
    assert "Missing: no run with tokens of 32 px (Qwen3-VL)." in said
    decision = json.loads(out.with_suffix(".json").read_text())
    assert decision["product"] == "not measured"
    assert decision["P1"]["interval"] is None
    assert decision["P1"]["missing"] == ["no run with tokens of 32 px (Qwen3-VL)"]
    assert "no run with tokens of 32 px (Qwen3-VL)." in out.with_suffix(".md").read_text()


def test_the_budget_in_focus_follows_the_side_of_the_token() -> None:
    decision = decide(results(suite("sroie", GOOD), suite("icdar2015", GOOD, patch=16)), DRAWS)
    assert [task["focus"] for task in decision["tasks"]] == [64, 273]


# ---- what the planner expects --------------------------------------------------------------------


def test_what_was_expected_stands_beside_what_was_read() -> None:
    task = suite("sroie", {16: (0.3, 0.1)})  # read: .5, half of the images at .4, half at .6
    expected = {"views": {16: np.where(np.arange(40) % 2, 0.75, 0.35)}}
    found = decide(results(replace(task, expected=expected)), DRAWS, 0)["calibration"]
    (one,) = found["sets"]
    assert (one["expected"], one["read"], one["difference"]) == (0.55, 0.5, -0.05)
    assert one["low"] < -0.05 < one["high"]
    assert found["bins"] == [
        {"n": 20, "expected": 0.35, "read": 0.4}, {"n": 20, "expected": 0.75, "read": 0.6}
    ]  # fmt: skip
    assert found["error"] == pytest.approx(0.1)


def test_photos_and_rows_without_an_estimate_say_nothing_of_it() -> None:
    photos = replace(suite("coco_open", {16: (0.1, 0.1)}), expected={"views": {16: np.ones(40)}})
    tasks = (photos, suite("sroie", {16: (0.1, 0.1)}))
    decision = decide(results(*tasks), DRAWS, 0)
    assert decision["calibration"] == {"row": "views", "sets": [], "bins": [], "error": None}


def test_a_run_that_a_later_file_replaces_can_be_left_out(tmp_path: Path, capsys: Any) -> None:
    old = {"runs": [as_run(suite("coco_open", FLAT)), as_run(suite("sroie", GOOD, SHUFFLED))]}
    (tmp_path / "old.json").write_text(json.dumps(old))
    write_runs(tmp_path, "new.json", *suites(sroie=None))
    files = [str(tmp_path / name) for name in ("old.json", "new.json")]
    call = ["decide", *files, "-o", str(tmp_path / "r.html"), "--draws", str(DRAWS)]
    assert main(call) == 2
    assert "--without-run old.json:coco_open" in capsys.readouterr().err
    assert main([*call, "--without-run", "old.json:coco_open"]) == 0
    decision = json.loads((tmp_path / "r.json").read_text())
    assert (decision["product"], decision["without"]) == ("GO", ["old.json:coco_open"])
    assert decision["files"] == ["old.json", "new.json"]
    text = (tmp_path / "r.md").read_text()
    assert "- **Left out on request:** `old.json:coco_open`, an older run." in text
    assert main([*call, "--without-run", "old.json:osie"]) == 2
    assert "no run old.json:osie to leave out" in capsys.readouterr().err
