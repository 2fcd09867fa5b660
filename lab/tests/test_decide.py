"""The command `decide`: names of rows, reading of results, the first claim, and its files."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from decide_help import OURS, ROWS, judge_claims, results, task, to_json
from homunculus.commands.main import main
from homunculus_lab import row_names as names
from homunculus_lab.decide.claims import Costs, explain, outcome, tier
from homunculus_lab.decide.compare import compare
from homunculus_lab.decide.decision import decide
from homunculus_lab.decide.product import judge_product, product_outcome
from homunculus_lab.decide.read import read
from homunculus_lab.decide.slices import (
    band,
    by_height,
    pareto_fronts,
    wins_and_losses,
)
from homunculus_lab.row_names import RowName, baseline_row, competes, missing_controls, parse

ROOT = Path(__file__).parents[2]
LOW = {row: -0.45 for row in ROWS if row not in OURS}
"""Every control far below both methods."""


# ---- names ---------------------------------------------------------------------------------------


def test_a_row_is_known_by_any_of_its_names() -> None:
    assert parse("foveated") == parse("foveated+scout") == RowName("foveated", "", "scout")
    assert parse("shuffled") == parse("foveated+shuffled")
    assert parse("shuffled-cut") == parse("cut+shuffled") == RowName("cut", "", "shuffled")
    assert parse("blind-cut@1") == RowName("cut", "1", "blind")


def test_only_methods_that_hear_the_question_compete() -> None:
    rows = ["cut+scout", "cut@1+scout", "cut", "grid+scout", "resize", "oracle", "full", "shuffled"]
    rows += ["cut+blind", "cut+saliency", "saliency", "random", "cut+glance"]
    assert [row for row in rows if competes(row)] == [
        "cut+scout",
        "cut@1+scout",
        "cut",
        "cut+glance",
    ]


def test_a_baseline_row_differs_in_its_scorer_alone() -> None:
    rows = [
        "grid",
        "resize",
        "cut+scout",
        "cut@1+scout",
        "cut+blind",
        "shuffled-cut",
        "cut+saliency",
    ]
    assert baseline_row("cut+scout", "blind", rows) == "cut+blind"
    assert baseline_row("cut+scout", "shuffled", rows) == "shuffled-cut"
    assert baseline_row("cut@1+scout", "shuffled", rows) is None, (
        "another variant is another method"
    )
    assert baseline_row("cut+scout", "grid", [*rows, "grid+glance"]) == "grid"
    assert baseline_row("cut+glance", "grid", [*rows, "grid+glance"]) == "grid+glance"
    assert baseline_row("grid", "grid", rows) is None
    assert baseline_row("cut+blind", "shuffled", rows) is None


def test_absent_controls_are_named() -> None:
    assert missing_controls(["cut+scout", "cut+blind", "cut+shuffled", "resize", "grid"]) == [
        "random", "uniform", "centre", "pool", "saliency", "oracle", "prior",
    ]  # fmt: skip


# ---- reading files -------------------------------------------------------------------------------


def write_json(folder: Path, name: str, content: Any) -> Path:
    (folder / name).write_text(json.dumps(content))
    return folder / name


def test_a_file_may_hold_one_result_or_several(tmp_path: Path) -> None:
    one = to_json(task(0, {}, "docvqa"))
    two = {
        "runs": [to_json(task(1, {}, "sroie")), to_json(task(2, {}, "textvqa"))],
        "left_out": ["prior"],
    }
    aside = write_json(tmp_path, "bench.json", {"rows": [1], "clock": 3})
    runs = read([write_json(tmp_path, "a.json", one), write_json(tmp_path, "b.json", two), aside])
    assert [(t.name, t.kind) for t in runs.tasks] == [
        ("docvqa", "documents"), ("sroie", "documents"), ("textvqa", "scenes"),
    ]  # fmt: skip
    assert runs.ignored == ("bench.json",)
    assert [t.left_out for t in runs.tasks] == [(), ("prior",), ("prior",)]


def with_score(run: dict, at: int, method: str, score: Any) -> dict:
    run["rows"][at]["scores"][method]["273"] = score
    return run


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda run: run["rows"][3]["scores"].pop("grid"), "row 3 and row 0 differ in grid at"),
        (lambda run: with_score(run, 2, "grid", [1, 2]), "a number each for score expected, got"),
        (lambda run: with_score(run, 2, "grid", ["x"]), "a number each for score expected, got"),
        (lambda run: with_score(run, 2, "grid", []), "grid lacks score for some questions of"),
        (lambda run: with_score(run, 2, "grid", [85]), "scores from 0 to 1 expected, got 0 to 85"),
        (lambda run: run["rows"][1].pop("image"), "row 1 needs `image` and `scores`"),
        (lambda run: run["rows"][0]["scores"]["grid"].update(many=[1]), "a budget is a number"),
    ],
)  # fmt: skip
def test_a_malformed_result_is_refused_with_its_place(
    tmp_path: Path, change: Any, fault: str
) -> None:
    run = to_json(task(0, {}))
    change(run)
    with pytest.raises(ValueError, match=re.escape(fault)):
        read([write_json(tmp_path, "a.json", run)])


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no file .*none\.json"):
        read([tmp_path / "none.json"])
    (tmp_path / "cut.json").write_text('{"rows": [')
    with pytest.raises(ValueError, match=r"cut\.json is not JSON .* Was the run cut short"):
        read([tmp_path / "cut.json"])
    with pytest.raises(ValueError, match=r"expected results of `homunculus measure`, got m\.json"):
        read([write_json(tmp_path, "m.json", {"count": 1})])
    twice = write_json(tmp_path, "a.json", to_json(task(0, {})))
    with pytest.raises(ValueError, match=r"docvqa score is measured twice, in a\.json and b\.json"):
        read([twice, write_json(tmp_path, "b.json", to_json(task(0, {})))])
    again = tmp_path / "b.json"
    with pytest.raises(ValueError, match=r"older run: --without-run a\.json:docvqa\."):
        read([twice, again])
    with pytest.raises(ValueError, match=r"no run a\.json:sroie to leave out. Runs are a"):
        read([twice, again], without=["a.json:sroie"])
    with pytest.raises(ValueError, match=r"no column 'anls' in docvqa\. There are score"):
        read([twice], column="anls")


# ---- rules ---------------------------------------------------------------------------------------


def test_a_method_far_above_every_control_is_go() -> None:
    claims = judge_claims(results(task(0, LOW)))
    assert (tier(claims), claims[0].state) == (1, "met")
    text = explain(claims)
    assert text.startswith("Tier 1: some method beats grid by at least 3 points on a set. `")
    assert text.endswith("after correction; met in 4 of 4 trials.")


def cells_by_row(gain: dict, **more: Any) -> dict[tuple[str, int], Any]:
    cells = compare([task(0, gain, **more)], 999, 0)
    return {(cell.method, cell.budget): cell for cell in cells}


def test_what_does_not_beat_resize_is_not_supported() -> None:
    gain = LOW | {"resize": 0.0}
    claims = judge_claims(results(task(0, gain)))
    assert (tier(claims), claims[0].state) == (0, "not supported")
    cell = cells_by_row(gain)["cut+scout", 273]
    assert cell.verdict == "not supported: not shown to beat resize"
    assert cells_by_row(gain | {"resize": 0.45})["cut+scout", 273].verdict.endswith(
        "loses to resize"
    )


def test_a_gain_that_survives_a_shuffled_question_is_not_supported() -> None:
    gain = LOW | {"cut+shuffled": 0.0, "foveated+shuffled": 0.0}
    assert tier(judge_claims(results(task(0, gain)))) == 0
    assert cells_by_row(gain)["cut+scout", 273].verdict.endswith("not shown to beat shuffled")


@pytest.mark.parametrize("control", ["grid", "resize", "blind", "shuffled"])
def test_without_a_control_nothing_is_go(control: str) -> None:
    rows = [row for row in ROWS if control not in row]
    claims = judge_claims(results(task(0, LOW, rows=rows)))
    assert tier(claims) == 0
    if control == "grid":
        assert "no row `grid`" in explain(claims)
    cell = cells_by_row(LOW, rows=rows)["cut+scout", 273]
    assert cell.verdict == f"undecided: {control} not measured"
    assert cell.to_dict()[f"vs_{control}"] is None


def test_a_point_estimate_above_the_bound_decides_nothing() -> None:
    gain = LOW | {"grid": -0.15}
    claims = judge_claims(results(task(3, gain, images=12, rows=ROWS)))
    best = claims[0].best
    assert best is not None
    assert best.sets[0].estimate.mean > 0.03
    assert claims[0].state == "open"
    assert tier(claims) == 0


def test_a_sure_gain_that_is_too_small_is_no_go() -> None:
    one = task(0, LOW)
    generator = np.random.default_rng(0)
    for (row, _), value in one.scores.values.items():
        level = {"grid": 0.5} | dict.fromkeys(OURS, 0.52)
        value[:] = level.get(row, 0.2) + 0.01 * generator.random(value.shape)
    claims = judge_claims(results(one))
    best = claims[0].best
    assert best is not None
    low, high = best.sets[0].estimate.interval()
    assert 0.015 < low < 0.02 < high < 0.025
    assert (tier(claims), claims[0].state) == (0, "refuted")


def test_an_effect_that_is_ruled_out_is_refuted() -> None:
    gain = dict.fromkeys(OURS, -0.3)
    assert judge_claims(results(task(0, gain)))[0].state == "refuted"


def test_tier_2_needs_documents_and_photos() -> None:
    docs, photos = task(0, LOW), task(1, LOW, "vqa2", "photos")
    claims = judge_claims(results(docs))
    assert (claims[2].state, claims[2].missing) == ("not measured", "no set of photos")
    assert tier(judge_claims(results(docs, photos))) == 2
    weak = task(1, LOW | {"grid": 0.0}, "vqa2", "photos")
    assert tier(judge_claims(results(docs, weak))) == 1


def test_tiers_2_and_3_are_about_the_plain_foveated_method() -> None:
    rows = [row.replace("foveated", "foveated@9") for row in ROWS]
    low = {row.replace("foveated", "foveated@9"): gain for row, gain in LOW.items()}
    two = (task(0, low, rows=rows), task(1, low, "vqa2", "photos", rows=rows))
    claims = judge_claims(results(*two))
    assert (claims[2].state, claims[2].missing) == ("not measured", "no row `foveated`")


def cost_table(ours: float) -> dict[str, Any]:
    cost = {row: {"128": {"ratio": 1.0}, "273": {"ratio": 2.1}} for row in ROWS}
    return cost | {row: {"128": {"ratio": ours}, "273": {"ratio": 2.1}} for row in OURS}


def test_speed_counts_against_a_grid_that_costs_so_much_more() -> None:
    gain = LOW | {"grid": -0.25}
    sets = [task(at, gain, images=60, suite=suite) for at, suite in enumerate(("docvqa", "sroie"))]
    claims = judge_claims(results(*sets, cost=cost_table(1.0)))
    assert claims[1].state == "met"
    best = claims[1].best
    assert best is not None
    assert best.sets[0].against == ("grid", 273)
    assert best.sets[0].cell.budget == 128
    assert claims[3].missing == "no grid that costs 3 times as much on every set"
    assert judge_claims(results(*sets, cost=cost_table(0.7)))[3].state == "met"
    assert judge_claims(results(*sets))[1].missing == "no cost"
    slow = [task(0, gain, images=60), task(1, gain | {"grid": 0.2}, "sroie", images=60)]
    assert judge_claims(results(*slow, cost=cost_table(1.0)))[1].state != "met", "on every set"


def test_tier_3_asks_for_all_at_twice_the_speed() -> None:
    kinds = (("docvqa", "documents"), ("vqa2", "photos"), ("textvqa", "scenes"))
    sets = [task(at, LOW, suite, kind) for at, (suite, kind) in enumerate(kinds)]
    assert tier(judge_claims(results(*sets, cost=cost_table(1.0)))) == 3
    assert tier(judge_claims(results(*sets, cost=cost_table(1.5)))) == 2
    assert tier(judge_claims(results(*sets[:2], cost=cost_table(1.0)))) == 2


def test_methods_are_corrected_together_and_controls_apart() -> None:
    cells = [cell for cell in cells_by_row({}).values() if cell.budget == 273]
    ours = sorted(cell.comparisons["resize"].p for cell in cells if cell.competes)
    adjusted = sorted(cell.comparisons["resize"].p_holm for cell in cells if cell.competes)
    assert adjusted == pytest.approx([min(1, 2 * ours[0]), min(1, max(2 * ours[0], ours[1]))])


# ---- nothing to decide ---------------------------------------------------------------------------

CONTROLS_ONLY = [row for row in ROWS if row not in OURS]


@pytest.mark.parametrize(
    ("content", "reason", "advice"),
    [
        *(
            (
                to_json(task(0, LOW, rows=[row for row in ROWS if control not in row])),
                "no row `grid`" if control == "grid" else "with all of grid, resize, blind and",
                "homunculus measure SUITES --methods all",
            )
            for control in names.BASELINES
        ),
        (to_json(task(0, LOW, rows=CONTROLS_ONLY)), "only controls were measured", "--methods all"),
        (
            to_json(task(0, LOW, images=5)),
            "Too few images to decide: 5, and fewer than 6",
            "--limit",
        ),
        ({"runs": [], "skipped": {"mine": "no answer"}}, "no question was scored", "--methods all"),
        (to_json(task(0, {})) | {"rows": []}, "no question was scored", "--methods all"),
    ],
)
def test_where_nothing_can_be_decided_every_output_says_undecided(
    tmp_path: Path, capsys: Any, content: Any, reason: str, advice: str
) -> None:
    path, out = write_json(tmp_path, "run.json", content), tmp_path / "report.html"
    assert main(["decide", str(path), "-o", str(out), "--draws", "999"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("product: NOT MEASURED. ")
    assert "\nfirst claim: UNDECIDED. " in said
    assert main(["decide", str(path), "-o", str(out), "--draws", "999", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(out.with_suffix(".json").read_text())
    assert (printed["decision"], printed["tier"]) == ("UNDECIDED", 0)
    text = out.with_suffix(".md").read_text()
    assert "**UNDECIDED**" in text
    for where in (said, printed["rule"], text):
        assert reason in where
        assert advice in where
        assert "NO-GO" not in where


def test_enough_images_decide() -> None:
    few, enough = (decide(results(task(0, {}, images=n)), 999) for n in (5, 8))
    assert (few["decision"], enough["decision"]) == ("UNDECIDED", "NO-GO")


def test_too_few_draws_decide_nothing_and_say_how_many_would() -> None:
    decision = decide(results(task(0, {})), 99)
    assert decision["decision"] == "UNDECIDED"
    advice = "4 trials are too many for 99 bootstrap resamples: use --draws 800"
    assert advice in decision["rule"]


# ---- folders -------------------------------------------------------------------------------------


def test_a_folder_stands_for_the_results_in_it(tmp_path: Path, capsys: Any) -> None:
    one, two = (
        write_json(tmp_path, f"{s}.json", to_json(task(0, LOW, s))) for s in ("docvqa", "sroie")
    )
    write_json(tmp_path, "bench.json", {"clock": 3})
    (tmp_path / "run.json.journal").write_text("{}\n")
    out = tmp_path / "report.html"
    call = ["-o", str(out), "--draws", "999"]
    assert main(["decide", str(one), str(two), *call]) == 0
    named = json.loads((tmp_path / "report.json").read_text())
    capsys.readouterr()
    for _ in range(2):  # the report that the first run leaves there is no result
        assert main(["decide", str(tmp_path), *call]) == 0
        assert "skipped, not results of `homunculus measure`: bench.json\n" in (
            capsys.readouterr().out
        )
        decision = json.loads((tmp_path / "report.json").read_text())
        assert decision["aside"] == ["bench.json"]
        assert decision | {"aside": []} == named
        assert "`bench.json`" in out.with_suffix(".md").read_text()


def test_a_folder_is_never_decided_over_one_of_its_results(tmp_path: Path, capsys: Any) -> None:
    path = write_json(tmp_path, "report.json", to_json(task(0, LOW)))
    before = path.read_text()
    assert main(["decide", str(tmp_path), "-o", str(tmp_path / "report.html")]) == 2
    assert "report.json is one of the results" in capsys.readouterr().err
    assert path.read_text() == before


def test_a_folder_without_results_is_an_error_with_advice(tmp_path: Path, capsys: Any) -> None:
    empty, other = tmp_path / "empty", tmp_path / "other"
    empty.mkdir()
    other.mkdir()
    write_json(other, "bench.json", {"clock": 3})
    out = ["-o", str(tmp_path / "report.html")]
    assert main(["decide", str(empty), *out]) == 2
    said = capsys.readouterr().err
    assert f"no results in the folder {empty}. " in said
    assert f"`homunculus measure SUITES --methods all -o {empty / 'run.json'}`" in said
    assert main(["decide", str(other), *out]) == 2
    assert "expected results of `homunculus measure`, got bench.json" in capsys.readouterr().err


# ---- other views of the scores -------------------------------------------------------------------


def test_fronts_hold_what_no_other_row_beats() -> None:
    cells = compare([task(0, {}, rows=(*ROWS, "oracle"))], 99, 0)
    place = pareto_fronts(cells, Costs([{"table": cost_table(0.5)}]))
    for at, cell in enumerate(cells):
        if cell.method == "oracle":
            assert not place[at]["front_tokens"], "it is given the answer's box"
            assert place[at]["front_cost"] is None
            continue
        for key, price in (("front_tokens", lambda c, n: c.budget), ("front_cost", lambda c, n: n)):
            cost = price(cell, place[at]["cost"])
            beaten = any(
                price(other, place[on]["cost"]) <= cost
                and other.mean.mean >= cell.mean.mean
                and (price(other, place[on]["cost"]), other.mean.mean) != (cost, cell.mean.mean)
                for on, other in enumerate(cells)
                if other.method != "oracle"
            )
            assert place[at][key] is not beaten


def test_bands_of_height_have_their_lower_border() -> None:
    assert [band(height) for height in (0, 9.9, 10, 14, 20, 29.9, 30, 300)] == [
        "<10", "<10", "10-14", "14-20", "20-30", "20-30", ">30", ">30",
    ]  # fmt: skip


def test_bands_add_up_to_the_whole() -> None:
    cells = compare([task(0, LOW)], 99, 0)
    rows = by_height(cells, 99, 0)
    leader = max((c for c in cells if c.competes and c.budget == 273), key=lambda c: c.mean.mean)
    assert {row["method"] for row in rows} == {leader.method}
    total = sum(row["n"] * row["estimate"] for row in rows) / sum(row["n"] for row in rows)
    assert total == pytest.approx(leader.comparisons["resize"].estimate.mean, abs=1e-3)


def test_wins_and_losses_are_counted_and_the_largest_shown() -> None:
    one = task(0, {}, rows=("grid", "resize", "cut+scout"))
    (row_of_task,) = wins_and_losses(compare([one], 99, 0))
    gain = one.value("cut+scout", 273) - one.value("resize", 273)
    counts = [row_of_task[key] for key in ("wins", "ties", "losses")]
    assert counts == [(gain > 0).sum(), (gain == 0).sum(), (gain < 0).sum()]
    assert row_of_task["losses"] > 0
    for row in row_of_task["largest_losses"]:
        assert gain[int(row["row"])] == gain.min()
        assert "question" not in row
    text = tuple(f"what is in {row}?" for row in one.scores.row)
    told = replace(one, scores=replace(one.scores, text=text))
    (with_text,) = wins_and_losses(compare([told], 99, 0))
    for row in with_text["largest_losses"]:
        assert row["question"] == f"what is in {row['row']}?"


def test_a_variant_of_a_row_does_not_compete(tmp_path: Path) -> None:
    one = task(0, {"cut@1+scout": 0.1}, rows=("cut+scout", "cut@1+scout", "windows+scout"))
    content = {"runs": [to_json(one)], "ablations": {"windows+scout": "cut+scout", "x": "y"}}
    (one,) = read([write_json(tmp_path, "a.json", content)]).tasks
    assert {c.method for c in compare([one], 99, 0) if c.competes} == {"cut+scout"}


def test_a_run_of_gaze_is_named_beside_the_results(tmp_path: Path) -> None:
    run = {"runs": [to_json(task(0, {}))], "skipped": {"osie": "no questions"}}
    gaze = {"task": "gaze", "suite": "osie", "columns": ["nss"], "rows": [{}], "table": {}}
    paths = [write_json(tmp_path, "a.json", run)]
    paths.append(write_json(tmp_path, "b.json", gaze | {"skipped": {"no fixations": 70}}))
    found = read(paths)
    assert (found.skipped, found.ignored) == ({"osie": "no questions"}, ("b.json",))


# ---- files ---------------------------------------------------------------------------------------


def test_rows_are_saved_with_their_intervals(tmp_path: Path, capsys: Any) -> None:
    content = {"runs": [to_json(task(0, LOW))], "left_out": ["prior"]}
    content["cost"] = {"unit": "passes of an encoder", "table": cost_table(1.0)}
    path, out = write_json(tmp_path, "run.json", content), tmp_path / "report.html"
    assert main(["decide", str(path), "-o", str(out), "--draws", "199"]) == 0
    assert "\nfirst claim: GO, tier 1. Tier 1: some method" in capsys.readouterr().out
    decision = json.loads((tmp_path / "report.json").read_text())
    assert (decision["decision"], decision["tier"]) == ("GO", 1)
    assert len(decision["rows"]) == len(ROWS) * 2
    for row in decision["rows"]:
        assert row["per_100_tokens"] == pytest.approx(100 * row["mean"] / row["budget"], abs=1e-3)
        assert row["low"] <= row["mean"] <= row["high"]
        compared = [f"vs_{name}" in row for name in names.BASELINES]
        assert all(compared) if row["verdict"] != "control" else not any(compared)
        for pair in [row[f"vs_{name}"] for name in names.BASELINES if all(compared)]:
            assert pair is None or {"estimate", "low", "high", "p", "p_holm"} <= pair.keys()


def test_where_no_difference_is_significant_the_detectable_one_is_given() -> None:
    decision = decide(results(task(0, {})), 199)
    for row in decision["rows"]:
        for name in names.BASELINES:
            pair = row.get(f"vs_{name}")
            if pair and pair["p_holm"] > 0.05:
                assert pair["detectable"] > 0
    assert all(0 < row["power"] < 0.5 for row in decision["power"])


def test_the_verb_refuses_what_it_cannot_do(tmp_path: Path, capsys: Any) -> None:
    path = write_json(tmp_path, "report.json", to_json(task(0, {})))
    for out, fault in (
        ("report.html", "report.json is one of the results. Choose another name"),
        ("report.pdf", "expected an output that ends in .html, got report.pdf"),
        ("none/report.html", "no folder"),
    ):
        assert main(["decide", str(path), "-o", str(tmp_path / out)]) == 2
        assert fault in capsys.readouterr().err
    assert main(["decide", str(tmp_path / "gone.json"), "-o", str(tmp_path / "r.html")]) == 2
    assert "homunculus decide: no file" in capsys.readouterr().err


def test_the_decision_of_this_repository_is_made_again_from_its_runs() -> None:
    saved = json.loads((ROOT / "results/decision.json").read_text())
    files = [ROOT / "results" / name for name in saved["files"]]
    found = read(files, without=saved["without"])
    fine = replace(found, tasks=tuple(task for task in found.tasks if task.main))
    claims = judge_claims(fine, saved["draws"])
    assert (outcome(claims), tier(claims)) == (saved["decision"], saved["tier"]) == ("NO-GO", 0)
    assert [claim.to_dict() for claim in claims] == saved["tiers"]
    assert explain(claims) == saved["rule"]
    rules = judge_product(found.tasks, saved["draws"], saved["seed"])
    assert {name: rule.to_dict() for name, rule in rules.items()} == {
        name: saved[name] for name in rules
    }
    assert product_outcome(rules) == saved["product"] == "GO"
