"""Results in, a decision out: names, doors, rules, and the page that tells them."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from decide_help import OURS, ROWS, results, saved, task, verdicts
from homunculus.cli import main
from homunculus.lab.decide import names
from homunculus.lab.decide.blocks import Table, Text
from homunculus.lab.decide.compare import cells
from homunculus.lab.decide.decision import decided, rule
from homunculus.lab.decide.names import Name, absent, competes, parse, twin
from homunculus.lab.decide.read import read
from homunculus.lab.decide.render import markdown, page
from homunculus.lab.decide.report import story
from homunculus.lab.decide.rule import Costs, tier
from homunculus.lab.decide.slices import HEIGHTS, ablations, band, changes, fronts, heights

ROOT = Path(__file__).parents[1]
LOW = {row: -0.45 for row in ROWS if row not in OURS}
"""Every control far below both methods."""


# ---- names ---------------------------------------------------------------------------------------


def test_a_row_is_known_by_any_of_its_names() -> None:
    assert parse("foveated") == parse("foveated+scout") == Name("foveated", "", "scout")
    assert parse("shuffled") == parse("foveated+shuffled")
    assert parse("shuffled-cut") == parse("cut+shuffled") == Name("cut", "", "shuffled")
    assert parse("blind-cut@1") == Name("cut", "1", "blind")


def test_only_methods_that_hear_the_question_compete() -> None:
    rows = ["cut+scout", "cut@1+scout", "cut", "grid+scout", "resize", "oracle", "full", "shuffled"]
    rows += ["cut+blind", "cut+saliency", "saliency", "random", "cut+glance"]
    assert [row for row in rows if competes(row)] == [
        "cut+scout",
        "cut@1+scout",
        "cut",
        "cut+glance",
    ]


def test_a_twin_differs_in_its_scorer_alone() -> None:
    rows = [
        "grid",
        "resize",
        "cut+scout",
        "cut@1+scout",
        "cut+blind",
        "shuffled-cut",
        "cut+saliency",
    ]
    assert twin("cut+scout", "blind", rows) == "cut+blind"
    assert twin("cut+scout", "shuffled", rows) == "shuffled-cut"
    assert twin("cut@1+scout", "shuffled", rows) is None, "another variant is another method"
    assert twin("cut+scout", "grid", [*rows, "grid+glance"]) == "grid"
    assert twin("cut+glance", "grid", [*rows, "grid+glance"]) == "grid+glance"
    assert twin("grid", "grid", rows) is None
    assert twin("cut+blind", "shuffled", rows) is None


def test_absent_controls_are_named() -> None:
    assert absent(["cut+scout", "cut+blind", "cut+shuffled", "resize", "grid"]) == [
        "random", "uniform", "centre", "pool", "saliency", "oracle", "prior",
    ]  # fmt: skip


# ---- the door ------------------------------------------------------------------------------------


def wrote(folder: Path, name: str, told: Any) -> Path:
    (folder / name).write_text(json.dumps(told))
    return folder / name


def test_a_file_may_hold_one_result_or_several(tmp_path: Path) -> None:
    one = saved(task(0, {}, "docvqa"))
    two = {
        "runs": [saved(task(1, {}, "sroie")), saved(task(2, {}, "textvqa"))],
        "left_out": ["prior"],
    }
    aside = wrote(tmp_path, "bench.json", {"rows": [1], "clock": 3})
    found = read([wrote(tmp_path, "a.json", one), wrote(tmp_path, "b.json", two), aside])
    assert [(t.name, t.kind) for t in found.tasks] == [
        ("docvqa", "documents"), ("sroie", "documents"), ("textvqa", "scenes"),
    ]  # fmt: skip
    assert found.aside == ("bench.json",)
    assert [t.left_out for t in found.tasks] == [(), ("prior",), ("prior",)]


def spoilt(told: dict, at: int, method: str, score: Any) -> dict:
    told["rows"][at]["scores"][method]["273"] = score
    return told


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda told: told["rows"][3]["scores"].pop("grid"), "row 3 and row 0 differ in grid at"),
        (lambda told: spoilt(told, 2, "grid", [1, 2]), "a number each for score expected, got"),
        (lambda told: spoilt(told, 2, "grid", ["x"]), "a number each for score expected, got"),
        (lambda told: spoilt(told, 2, "grid", []), "grid lacks score for some questions of docvqa"),
        (lambda told: spoilt(told, 2, "grid", [85]), "scores from 0 to 1 expected, got 0 to 85"),
        (lambda told: told["rows"][1].pop("image"), "row 1 needs `image` and `scores`"),
        (lambda told: told["rows"][0]["scores"]["grid"].update(many=[1]), "a budget is a number"),
    ],
)  # fmt: skip
def test_a_spoilt_result_is_refused_with_its_place(tmp_path: Path, change: Any, fault: str) -> None:
    told = saved(task(0, {}))
    change(told)
    with pytest.raises(ValueError, match=re.escape(fault)):
        read([wrote(tmp_path, "a.json", told)])


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no file .*none\.json"):
        read([tmp_path / "none.json"])
    (tmp_path / "cut.json").write_text('{"rows": [')
    with pytest.raises(ValueError, match=r"cut\.json is no JSON .* Was the run cut short"):
        read([tmp_path / "cut.json"])
    with pytest.raises(ValueError, match=r"expected results of `homunculus measure`, got m\.json"):
        read([wrote(tmp_path, "m.json", {"count": 1})])
    twice = wrote(tmp_path, "a.json", saved(task(0, {})))
    with pytest.raises(ValueError, match=r"docvqa score is measured twice, in a\.json and b\.json"):
        read([twice, wrote(tmp_path, "b.json", saved(task(0, {})))])
    with pytest.raises(ValueError, match=r"no column 'anls' in docvqa\. There are score"):
        read([twice], column="anls")


# ---- rules ---------------------------------------------------------------------------------------


def test_a_method_far_above_every_control_is_go() -> None:
    judged = verdicts(results(task(0, LOW)))
    assert (tier(judged), judged[0].state) == (1, "met")
    told = rule(judged)
    assert told.startswith("Tier 1: some method beats grid by at least 3 points on a set. `")
    assert told.endswith("after correction; met in 4 of 4 trials.")


def told_rows(gain: dict, **more: Any) -> dict[tuple[str, int], Any]:
    found = cells([task(0, gain, **more)], 999, 0)
    return {(cell.method, cell.budget): cell for cell in found}


def test_what_does_not_beat_resize_is_not_supported() -> None:
    gain = LOW | {"resize": 0.0}
    judged = verdicts(results(task(0, gain)))
    assert (tier(judged), judged[0].state) == (0, "not supported")
    cell = told_rows(gain)["cut+scout", 273]
    assert cell.verdict == "not supported: not shown to beat resize"
    assert told_rows(gain | {"resize": 0.45})["cut+scout", 273].verdict.endswith("loses to resize")


def test_a_gain_that_survives_a_shuffled_question_is_not_supported() -> None:
    gain = LOW | {"cut+shuffled": 0.0, "foveated+shuffled": 0.0}
    assert tier(verdicts(results(task(0, gain)))) == 0
    assert told_rows(gain)["cut+scout", 273].verdict.endswith("not shown to beat its shuffled twin")


@pytest.mark.parametrize("control", ["grid", "resize", "blind", "shuffled"])
def test_without_a_control_nothing_is_go(control: str) -> None:
    rows = [row for row in ROWS if control not in row]
    judged = verdicts(results(task(0, LOW, rows=rows)))
    assert tier(judged) == 0
    if control == "grid":
        assert "no row `grid`" in rule(judged)
    cell = told_rows(LOW, rows=rows)["cut+scout", 273]
    assert cell.verdict == f"undecided: {control} not measured"
    assert cell.told()[f"vs_{control}"] is None


def test_a_point_estimate_above_the_bound_decides_nothing() -> None:
    gain = LOW | {"grid": -0.15}
    judged = verdicts(results(task(3, gain, images=12, rows=ROWS)))
    best = judged[0].best
    assert best is not None
    assert best.parts[0].estimate.mean > 0.03
    assert judged[0].state == "open"
    assert tier(judged) == 0


def test_a_sure_gain_that_is_too_small_is_no_go() -> None:
    one = task(0, LOW)
    generator = np.random.default_rng(0)
    for (row, _), value in one.scores.values.items():
        level = {"grid": 0.5} | dict.fromkeys(OURS, 0.52)
        value[:] = level.get(row, 0.2) + 0.01 * generator.random(value.shape)
    judged = verdicts(results(one))
    best = judged[0].best
    assert best is not None
    low, high = best.parts[0].estimate.interval()
    assert 0.015 < low < 0.02 < high < 0.025
    assert (tier(judged), judged[0].state) == (0, "refuted")


def test_an_effect_that_is_ruled_out_is_refuted() -> None:
    gain = dict.fromkeys(OURS, -0.3)
    assert verdicts(results(task(0, gain)))[0].state == "refuted"


def test_tier_2_needs_documents_and_photos() -> None:
    docs, photos = task(0, LOW), task(1, LOW, "vqa2", "photos")
    judged = verdicts(results(docs))
    assert (judged[2].state, judged[2].missing) == ("not measured", "no set of photos")
    assert tier(verdicts(results(docs, photos))) == 2
    weak = task(1, LOW | {"grid": 0.0}, "vqa2", "photos")
    assert tier(verdicts(results(docs, weak))) == 1


def test_tiers_2_and_3_are_about_the_plain_foveated_method() -> None:
    rows = [row.replace("foveated", "foveated@9") for row in ROWS]
    low = {row.replace("foveated", "foveated@9"): gain for row, gain in LOW.items()}
    two = (task(0, low, rows=rows), task(1, low, "vqa2", "photos", rows=rows))
    judged = verdicts(results(*two))
    assert (judged[2].state, judged[2].missing) == ("not measured", "no row `foveated`")


def priced(ours: float) -> dict[str, Any]:
    cost = {row: {"128": {"ratio": 1.0}, "273": {"ratio": 2.1}} for row in ROWS}
    return cost | {row: {"128": {"ratio": ours}, "273": {"ratio": 2.1}} for row in OURS}


def test_speed_counts_against_a_grid_that_costs_so_much_more() -> None:
    gain = LOW | {"grid": -0.25}
    sets = [task(at, gain, images=60, suite=suite) for at, suite in enumerate(("docvqa", "sroie"))]
    judged = verdicts(results(*sets, cost=priced(1.0)))
    assert judged[1].state == "met"
    best = judged[1].best
    assert best is not None
    assert best.parts[0].against == ("grid", 273)
    assert best.parts[0].cell.budget == 128
    assert judged[3].missing == "no grid that costs 3 times as much on every set"
    assert verdicts(results(*sets, cost=priced(0.7)))[3].state == "met"
    assert verdicts(results(*sets))[1].missing == "no cost"
    slow = [task(0, gain, images=60), task(1, gain | {"grid": 0.2}, "sroie", images=60)]
    assert verdicts(results(*slow, cost=priced(1.0)))[1].state != "met", "on every set"


def test_tier_3_asks_for_all_at_twice_the_speed() -> None:
    kinds = (("docvqa", "documents"), ("vqa2", "photos"), ("textvqa", "scenes"))
    sets = [task(at, LOW, suite, kind) for at, (suite, kind) in enumerate(kinds)]
    assert tier(verdicts(results(*sets, cost=priced(1.0)))) == 3
    assert tier(verdicts(results(*sets, cost=priced(1.5)))) == 2
    assert tier(verdicts(results(*sets[:2], cost=priced(1.0)))) == 2


def test_methods_are_corrected_together_and_controls_apart() -> None:
    found = [cell for cell in told_rows({}).values() if cell.budget == 273]
    ours = sorted(cell.pairs["resize"].p for cell in found if cell.competes)
    adjusted = sorted(cell.pairs["resize"].p_holm for cell in found if cell.competes)
    assert adjusted == pytest.approx([min(1, 2 * ours[0]), min(1, max(2 * ours[0], ours[1]))])


# ---- nothing to decide ---------------------------------------------------------------------------

GAZE_ONLY = {"task": "gaze", "suite": "osie", "columns": ["nss"], "rows": [{}]} | {
    "table": {"centre": {"map": {"n": 9, "nss": [0.5, 0.4, 0.6]}}}
}
CONTROLS_ONLY = [row for row in ROWS if row not in OURS]


@pytest.mark.parametrize(
    ("told", "reason", "advice"),
    [
        *(
            (
                saved(task(0, LOW, rows=[row for row in ROWS if control not in row])),
                "no row `grid`" if control == "grid" else "with all of grid, resize, blind and",
                "homunculus measure SUITES --methods all",
            )
            for control in names.BASELINES
        ),
        (saved(task(0, LOW, rows=CONTROLS_ONLY)), "only controls were measured", "--methods all"),
        (saved(task(0, LOW, images=5)), "Too few images to decide: 5, and fewer than 6", "--limit"),
        ({"runs": [], "skipped": {"mine": "no answer"}}, "no question was scored", "--methods all"),
        (saved(task(0, {})) | {"rows": []}, "no question was scored", "--methods all"),
        (GAZE_ONLY, "no question was scored", "--methods all"),
    ],
)
def test_where_nothing_can_be_decided_every_output_says_undecided(
    tmp_path: Path, capsys: Any, told: Any, reason: str, advice: str
) -> None:
    path, out = wrote(tmp_path, "run.json", told), tmp_path / "report.html"
    assert main(["decide", str(path), "-o", str(out), "--draws", "999"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("UNDECIDED. ")
    assert main(["decide", str(path), "-o", str(out), "--draws", "999", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(out.with_suffix(".json").read_text())
    assert (printed["decision"], printed["tier"]) == ("UNDECIDED", 0)
    html, text = out.read_text(), out.with_suffix(".md").read_text()
    assert '<div class="verdict open"><b>UNDECIDED</b>' in html
    assert "\n**UNDECIDED.** " in text
    for where in (said, printed["rule"], text):
        assert reason in where
        assert advice in where
        assert "NO-GO" not in where


def test_enough_images_decide() -> None:
    few, enough = (decided(results(task(0, {}, images=n)), 999) for n in (5, 8))
    assert (few["decision"], enough["decision"]) == ("UNDECIDED", "NO-GO")


def test_too_few_draws_decide_nothing_and_say_how_many_would() -> None:
    told = decided(results(task(0, {})), 99)
    assert told["decision"] == "UNDECIDED"
    assert "4 trials are too many for 99 draws: use --draws 800" in told["rule"]


# ---- folders -------------------------------------------------------------------------------------


def test_a_folder_stands_for_the_results_in_it(tmp_path: Path, capsys: Any) -> None:
    one, two = (wrote(tmp_path, f"{s}.json", saved(task(0, LOW, s))) for s in ("docvqa", "sroie"))
    wrote(tmp_path, "bench.json", {"clock": 3})
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
        found = json.loads((tmp_path / "report.json").read_text())
        assert found["aside"] == ["bench.json"]
        assert found | {"aside": []} == named
        text = out.with_suffix(".md").read_text()
        assert "Skipped, not results of `measure`: bench.json." in text


def test_a_folder_is_never_decided_over_one_of_its_results(tmp_path: Path, capsys: Any) -> None:
    path = wrote(tmp_path, "report.json", saved(task(0, LOW)))
    before = path.read_text()
    assert main(["decide", str(tmp_path), "-o", str(tmp_path / "report.html")]) == 2
    assert "report.json is one of the results" in capsys.readouterr().err
    assert path.read_text() == before


def test_a_folder_without_results_is_an_error_with_advice(tmp_path: Path, capsys: Any) -> None:
    empty, other = tmp_path / "empty", tmp_path / "other"
    empty.mkdir()
    other.mkdir()
    wrote(other, "bench.json", {"clock": 3})
    out = ["-o", str(tmp_path / "report.html")]
    assert main(["decide", str(empty), *out]) == 2
    said = capsys.readouterr().err
    assert f"no results in the folder {empty}. " in said
    assert f"`homunculus measure SUITES --methods all -o {empty / 'run.json'}`" in said
    assert main(["decide", str(other), *out]) == 2
    assert "expected results of `homunculus measure`, got bench.json" in capsys.readouterr().err


# ---- other cuts ----------------------------------------------------------------------------------


def test_fronts_hold_what_no_other_row_beats() -> None:
    found = cells([task(0, {}, rows=(*ROWS, "oracle"))], 99, 0)
    place = fronts(found, Costs([{"table": priced(0.5)}]))
    for at, cell in enumerate(found):
        if cell.method == "oracle":
            assert not place[at]["front_tokens"], "it was told the answer"
            assert place[at]["front_cost"] is None
            continue
        for key, price in (("front_tokens", lambda c, n: c.budget), ("front_cost", lambda c, n: n)):
            cost = price(cell, place[at]["cost"])
            beaten = any(
                price(other, place[on]["cost"]) <= cost
                and other.mean.mean >= cell.mean.mean
                and (price(other, place[on]["cost"]), other.mean.mean) != (cost, cell.mean.mean)
                for on, other in enumerate(found)
                if other.method != "oracle"
            )
            assert place[at][key] is not beaten


def test_bands_of_height_are_those_of_measure() -> None:
    from homunculus.lab.measure import metric

    assert HEIGHTS == metric.HEIGHTS
    assert all(band(at / 2) == metric.band(at / 2) for at in range(100))


def test_bands_add_up_to_the_whole() -> None:
    found = cells([task(0, LOW)], 99, 0)
    rows = heights(found, 99, 0)
    leader = max((c for c in found if c.competes and c.budget == 273), key=lambda c: c.mean.mean)
    assert {row["method"] for row in rows} == {leader.method}
    total = sum(row["n"] * row["estimate"] for row in rows) / sum(row["n"] for row in rows)
    assert total == pytest.approx(leader.pairs["resize"].estimate.mean, abs=1e-3)


def test_wins_and_losses_are_counted_and_the_largest_shown() -> None:
    one = task(0, {}, rows=("grid", "resize", "cut+scout"))
    (told,) = changes(cells([one], 99, 0))
    less = one.value("cut+scout", 273) - one.value("resize", 273)
    counts = [told[key] for key in ("wins", "ties", "losses")]
    assert counts == [(less > 0).sum(), (less == 0).sum(), (less < 0).sum()]
    assert told["losses"] > 0
    for row in told["largest_losses"]:
        assert less[int(row["row"])] == less.min()


def test_a_variant_is_compared_with_what_it_varies(tmp_path: Path) -> None:
    one = task(0, {"cut@1+scout": 0.1}, rows=("cut+scout", "cut@1+scout", "windows+scout"))
    told_so = {"runs": [saved(one)], "ablations": {"windows+scout": "cut+scout", "x": "y"}}
    (one,) = read([wrote(tmp_path, "a.json", told_so)]).tasks
    told = ablations([one], 99, 0)
    assert {c.method for c in cells([one], 99, 0) if c.competes} == {"cut+scout"}
    assert {(row["method"], row["against"]) for row in told} == {
        ("cut@1+scout", "cut+scout"), ("windows+scout", "cut+scout"),
    }  # fmt: skip
    less = one.value("cut@1+scout", 128) - one.value("cut+scout", 128)
    assert told[0]["estimate"] == pytest.approx(less.mean(), abs=1e-4)


def test_suites_that_were_skipped_are_told_and_questions_of_gaze_are_not(tmp_path: Path) -> None:
    run = {"runs": [saved(task(0, {}))], "skipped": {"osie": "nobody asks"}}
    gaze = {"task": "gaze", "suite": "osie", "columns": ["nss"], "rows": [{}], "table": {}}
    paths = [wrote(tmp_path, "a.json", run)]
    paths.append(wrote(tmp_path, "b.json", gaze | {"skipped": {"nobody looked": 70}}))
    assert read(paths).skipped == {"osie": "nobody asks"}


# ---- the page ------------------------------------------------------------------------------------

SECTION = {"columns": ["target", "secondary", "periphery"], "suite": "docvqa"}


def with_sections(told: dict) -> dict:
    rows = told["rows"]
    three = [
        {"image": row["image"], "scores": {m: {"273": [1, 0.5, k % 2]} for k, m in enumerate(ROWS)}}
        for row in rows
    ]
    turns = [{"image": row["image"], "scores": {"cut+scout": {"273": [1, 0, 1]}}} for row in rows]
    gaze = {"centre": {"map": {"n": 9, "nss": [0.5, 0.4, 0.6]}}}
    gaze["scout"] = {"map": {"n": 9, "nss": [1.5, 1.2, 1.8]}}
    return {
        "runs": [
            told,
            {"task": "gaze", "suite": "osie", "columns": ["nss"], "rows": [{}], "table": gaze,
             "paired": {"scout - centre": {"map": {"nss": [1.0, 0.7, 1.3]}}}},
        ],
        "regions": SECTION | {"rows": three},
        "turns": {"columns": ["first", "second", "again"], "rows": turns, "suite": "docvqa"},
        "cost": {"unit": "passes of an encoder", "table": priced(1.0)},
        "left_out": ["prior"],
    }  # fmt: skip


def test_the_verb_writes_page_text_and_numbers(tmp_path: Path, capsys: Any) -> None:
    told = with_sections(saved(task(0, LOW)))
    path, out = wrote(tmp_path, "run.json", told), tmp_path / "report.html"
    assert main(["decide", str(path), "-o", str(out), "--draws", "199"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("GO, tier 1. Tier 1: some method")
    assert "NOT MEASURED on docvqa: prior, uniform" in said
    assert said.count("prior") == 1
    found = json.loads((tmp_path / "report.json").read_text())
    assert (found["decision"], found["tier"]) == ("GO", 1)
    assert len(found["rows"]) == len(ROWS) * 2
    for row in found["rows"]:
        assert row["per_100_tokens"] == pytest.approx(100 * row["mean"] / row["budget"], abs=1e-3)
    assert "## Quality per token" in (tmp_path / "report.md").read_text()
    for row in found["rows"]:
        assert row["low"] <= row["mean"] <= row["high"]
        for name in names.BASELINES:
            pair = row[f"vs_{name}"]
            assert pair is None or {"estimate", "low", "high", "p", "p_holm"} <= pair.keys()
    text = (tmp_path / "report.md").read_text()
    assert "> **LEFT OUT on docvqa: `prior`.**" in text
    assert "docvqa: by interval, of 4 rows less `grid`: `target`: 0 above, 0 below, 4 open" in text
    assert "| `cut+scout` | 273 | 1.00 (+0.00 [" in text
    assert "| `cut+scout` | 273 | 0.00 → 1.00 (−1.00 [−1.00, −" in text
    assert "not looking again costs something in 1 of 1 comparison" in text
    assert "| `scout` | map | 1.50 (+1.00 [+0.70, +1.30]) |" in text


def test_the_page_needs_nothing_but_itself(tmp_path: Path) -> None:
    html = page(story(decided(results(task(0, LOW)), 99)), "t")
    assert html.count("<svg") == html.count("</svg>") >= 3
    assert not re.search(r"<(script|img|link|iframe)|@import|url\(", html)
    assert set(re.findall(r'https?://[^"]*', html)) == {"http://www.w3.org/2000/svg"}
    assert "nan" not in html.replace("nance", "")
    assert 'name="viewport"' in html


def test_names_from_a_file_cannot_write_into_the_page() -> None:
    rows = [row.replace("cut", "<b>cut</b>") for row in ROWS]
    blocks = story(decided(results(task(0, {}, suite="<i>x", rows=rows)), 99))
    html = page(blocks, "<u>")
    assert "<b>cut" not in html
    assert "<i>x" not in html
    assert "<u>" not in html
    assert "| a\\|b |" in markdown([Table(("a|b",), ())], "t")


def test_no_difference_is_always_said_with_what_could_have_been_seen() -> None:
    told = decided(results(task(0, {})), 199)
    for row in told["rows"]:
        for name in names.BASELINES:
            pair = row[f"vs_{name}"]
            if pair and pair["p_holm"] > 0.05:
                assert pair["detectable"] > 0
    text = markdown(story(told), "t")
    unsure = re.findall(r"against `\w+`, [^,]*, [^,]*, where .* would have been seen", text)
    assert unsure
    assert len(unsure) <= text.count("Not sure")
    assert all(0 < one["power"] < 0.5 for one in told["power"])


def test_every_sentence_follows_the_numbers() -> None:
    """The same story of other numbers holds none of the old ones."""
    first, other = (markdown(story(decided(results(task(s, LOW)), 99)), "t") for s in (0, 5))
    numbers = [set(re.findall(r"[+−]\d+\.\d \[[^\]]*\]", text)) for text in (first, other)]
    assert len(numbers[0]) > 12
    assert len(numbers[0] & numbers[1]) <= 1


def test_the_verb_refuses_what_it_cannot_do(tmp_path: Path, capsys: Any) -> None:
    path = wrote(tmp_path, "report.json", saved(task(0, {})))
    for out, fault in (
        ("report.html", "report.json is one of the results. Choose another name"),
        ("report.pdf", "expected an output that ends in .html, got report.pdf"),
        ("none/report.html", "no folder"),
    ):
        assert main(["decide", str(path), "-o", str(tmp_path / out)]) == 2
        assert fault in capsys.readouterr().err
    assert main(["decide", str(tmp_path / "gone.json"), "-o", str(tmp_path / "r.html")]) == 2
    assert "homunculus decide: no file" in capsys.readouterr().err


def test_no_module_of_decide_imports_torch() -> None:
    modules = list((ROOT / "src/homunculus/decide").glob("*.py"))
    assert len(modules) > 5
    torch_import = re.compile(r"^\s*(import|from) torch", re.M)
    assert torch_import.search("import os\nimport torch\n"), "it can fail"
    for path in modules:
        assert not torch_import.search(path.read_text()), path.name


def test_results_of_this_repository_can_be_decided(tmp_path: Path) -> None:
    files = sorted((ROOT / "results").glob("legibility-*-1024.json"))
    assert files
    told = decided(read(files), 199)
    assert told["decision"] == "UNDECIDED", "no row `grid` in these runs"
    assert any(one["missing"] for one in told["tasks"])
    assert any(isinstance(block, Text) and block.loud for block in story(told))
    assert np.isfinite([row["mean"] for row in told["rows"]]).all()


def test_the_decision_of_this_repository_is_made_again_from_its_runs() -> None:
    files = sorted((ROOT / "results").glob("measure-*.json"))
    saved_before = json.loads((ROOT / "results/decision.json").read_text())
    told = decided(read(files), 9999)
    same = ("decision", "tier", "rule", "tiers")
    assert [told[key] for key in same] == [saved_before[key] for key in same]
    assert told["decision"] == "NO-GO"
