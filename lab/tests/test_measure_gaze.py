"""Gaze: what is laid on a page, and metrics where the truth is known."""

import importlib.util
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from PIL import Image

from homunculus import Sight
from homunculus.commands.main import main
from homunculus.engines.cells import lift
from homunculus.engines.cells.types import Allocation
from homunculus_lab.measure.gaze import GazeConfig, gaze
from homunculus_lab.measure.gaze.maps import (
    COLUMNS,
    blur,
    centre,
    normalise,
    of_logit,
    of_tokens,
    scores,
)
from homunculus_lab.measure.gaze.people import read_gaze, read_words
from homunculus_lab.measure.gaze.report import side, text
from homunculus_lab.measure.row import row
from homunculus_lab.measure.spend import open_sheet, spend_slots

usable = importlib.util.find_spec("pysaliency") and importlib.util.find_spec("pkg_resources")
pytestmark = pytest.mark.skipif(not usable, reason="needs the extra `gaze` and setuptools < 81")

GRID = (9, 12)
CELLS = GRID[0] * GRID[1]


def drawn(seed: int, viewers: int = 3, looks: int = 7) -> tuple[torch.Tensor, ...]:
    """A map, fixations of some viewers, their densities, and fixations elsewhere."""
    lot = torch.Generator().manual_seed(seed)
    value = torch.rand(GRID, generator=lot, dtype=torch.float64)
    value = (value * 5).round() if seed % 2 else value  # odd seeds: many ties
    at = torch.randint(0, CELLS, (viewers, looks), generator=lot)
    count = torch.zeros(viewers, CELLS, dtype=torch.float64)
    count.scatter_add_(1, at, torch.ones_like(at, dtype=torch.float64))
    seen = blur(count.view(viewers, *GRID), 1.2).flatten(1)
    elsewhere, words = torch.randint(0, 4, (2, CELLS), generator=lot).double()
    return value.flatten(), count, seen, elsewhere, words


# ---- truth is known ------------------------------------------------------------------------------


def test_a_perfect_map_is_perfect() -> None:
    _, count, seen, elsewhere, _ = drawn(2, viewers=1)
    found = dict(
        zip(COLUMNS, scores(seen[0], count, seen, elsewhere, grid=GRID)[0].tolist(), strict=True)
    )
    assert found["cc"] == pytest.approx(1)
    assert found["sim"] == pytest.approx(1)
    assert found["kl"] == pytest.approx(0, abs=1e-9)
    assert found["nss"] > 1.5
    assert found["auc"] > 0.9


def test_a_flat_map_knows_nothing() -> None:
    _, *rest = drawn(4)
    found = scores(torch.ones(CELLS, dtype=torch.float64), *rest, grid=GRID)
    expected = torch.tensor([0.0, 0.5, 0.5, 0.0], dtype=torch.float64).expand(3, 4)
    torch.testing.assert_close(found[:, :4], expected, rtol=0, atol=1e-9)


def test_a_contrary_map_is_worse_than_chance() -> None:
    _, count, seen, elsewhere, _ = drawn(6, viewers=1)
    contrary, flat = seen[0].max() - seen[0], torch.ones_like(seen[0])
    found = scores(contrary, count, seen, elsewhere, grid=GRID)[0]
    assert found[0] < 0
    assert found[1] < 0.2
    assert found[3] == pytest.approx(-1)
    assert found[5] > scores(flat, count, seen, elsewhere, grid=GRID)[0, 5]


def test_shuffled_auc_cancels_the_centre_bias() -> None:
    """Who looks at the middle of every image, whatever is on it, is told by a Gaussian: AUC-Judd
    is impressed, shuffled AUC is not. A map that knows this image impresses both.
    """
    lot = torch.Generator().manual_seed(0)
    grid = (30, 40)
    bias = centre(grid).flatten()
    drawn = torch.multinomial(bias, 60_000, replacement=True, generator=lot)
    every = torch.bincount(drawn[:50_000], minlength=1200).double()
    here = torch.bincount(drawn[50_000:], minlength=1200).double()[None]
    judged, cancelled = scores(bias, here, here, every, grid=grid)[0, 1:3].tolist()
    assert judged > 0.65
    assert cancelled == pytest.approx(0.5, abs=0.01)
    spot = torch.zeros_like(bias)
    spot[7 * 40 + 9] = 1
    known = blur(spot.view(grid), 1.5).flatten()
    assert scores(known, spot[None], spot[None], every, grid=grid)[0, 2] > 0.98


# ---- maps ----------------------------------------------------------------------------------------


def test_blur_is_scipys_and_keeps_what_is_flat() -> None:
    ndimage = pytest.importorskip("scipy.ndimage", reason="the oracle")
    value = drawn(8)[0].view(GRID)
    theirs = ndimage.gaussian_filter(value.numpy(), 1.9, mode="reflect", truncate=8)
    torch.testing.assert_close(blur(value, 1.9), torch.tensor(theirs), rtol=0, atol=1e-6)
    assert len(normalise(torch.ones(GRID, dtype=torch.float64), 1.9, 0.01).unique()) == 1


def test_a_kept_cell_spreads_one_token_over_its_square() -> None:
    field = lift.pyramid([(4, 4)], 2)
    coarse, fine = (field.level[0] == 1).nonzero()[0], (field.level[0] == 0).nonzero()[-1]
    index = torch.cat((coarse, fine)).view(1, 2, 1)
    plan = Allocation(index, torch.ones(1, 2, 1), torch.ones(1, 2, dtype=torch.bool))
    expected = torch.zeros(4, 4, dtype=torch.float64)
    expected[:2, :2], expected[3, 3] = 0.25, 1.0
    torch.testing.assert_close(of_tokens(field, plan), expected)
    half = replace(plan, valid=torch.tensor([[True, False]]))
    torch.testing.assert_close(of_tokens(field, half), expected * (expected < 1))


def test_a_square_cut_by_the_border_stays_coarse() -> None:
    field = lift.pyramid([(3, 4)], 2)
    index = (field.level[0] == 1).nonzero()[-1].view(1, 1, 1)
    plan = Allocation(index, torch.ones(1, 1, 1), torch.ones(1, 1, dtype=torch.bool))
    density = of_tokens(field, plan)
    assert density[2, 3] == 0.25
    assert density.sum() == 0.5


def test_relevance_as_a_density_sums_to_one() -> None:
    assert of_logit(torch.tensor([[0.0, 3.0]]).log()).tolist() == [[0.0, 1.0]]


# ---- suites --------------------------------------------------------------------------------------


@pytest.fixture
def suite(tmp_path) -> Path:
    """Three grey images with a bright square each, at which two viewers look, or three."""
    folder = tmp_path / "squares"
    (folder / "images").mkdir(parents=True)
    rows = []
    for at, (x, y) in enumerate(((40, 40), (200, 60), (60, 130))):
        page = torch.full((192, 256), 90, dtype=torch.uint8)
        page[y - 12 : y + 12 : 3, x - 12 : x + 12] = 255
        Image.fromarray(page.numpy()).save(folder / "images" / f"{at}.png")
        path = [[128, x, x + 3], [96, y, y - 3], [200, 200]]  # the first is where all begin
        told = {"image": f"{at}.png", "question": f"Where is square {at}?", "answers": []}
        told |= {"boxes": [[x - 12, y - 12, x + 12, y + 12]], "fixations": [path] * (3 - (at > 0))}
        rows.append(told)
    rows.append(rows[0] | {"fixations": []})
    rows.append(rows[0] | {"search_target": "clock"})
    (folder / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


CONFIG = GazeConfig(tokens=(8,), side=256)


def test_only_fixations_of_the_asked_are_read_and_the_first_is_dropped(suite) -> None:
    found, left = read_gaze(suite)
    assert [len(one.viewers) for one in found] == [3, 2, 2]
    assert left == {"nobody looked": 1, "asks for something else": 1}
    assert found[0].viewers[0] == ((40 / 256, 40 / 192), (43 / 256, 37 / 192))


def test_points_in_place_of_columns_are_refused(suite, tmp_path) -> None:
    folder = tmp_path / "points"
    folder.mkdir()
    (folder / "images").symlink_to(suite / "images")
    row = json.loads((suite / "qa.jsonl").read_text().splitlines()[0])
    for path in ([[1, 2], [3, 4], [5, 6], [7, 8]], [[1, 2, 3], [4, 5]], [3, 4]):
        (folder / "qa.jsonl").write_text(json.dumps(row | {"fixations": [path]}))
        with pytest.raises(ValueError, match="Turn points into columns"):
            read_gaze(folder)


def test_scores_of_words_are_counts() -> None:
    box = {"topLeftX": 0.0, "topLeftY": 0.0, "width": 0.5, "height": 0.5}
    words = [{"bounding_box": box, "attention_score": score} for score in (1.0, 0.25, 0.5)]
    assert len(read_words(words)) == 4 + 1 + 2
    assert read_words([]) == []


def test_the_table_of_a_suite_puts_knowing_rows_above_blind_ones(suite) -> None:
    scorers = {
        "scout": lambda image, question, grid: Sight(torch.zeros(grid) - question.count("0"), 1.0)
    }
    result = gaze(suite, CONFIG, scorers)
    table = result["table"]
    nss = {name: by["map"]["nss"][0] for name, by in table.items() if "map" in by}
    assert nss["human"] > nss["answer"] > nss["centre"]
    assert nss["elsewhere"] < 0  # nobody looks twice at one place: it has not seen this image
    assert nss["scout"] == 0
    assert table["oracle"]["8"]["nss"][0] > 0.5 > table["resize"]["8"]["nss"][0] == 0
    assert table["resize"]["8"]["auc"][0] == 0.5
    assert set(result["paired"]["cut+scout - centre"]["8"]) == set(COLUMNS)
    assert result["paired"]["answer - centre"]["map"]["nss"][0] > 0
    assert table["human"]["map"]["of human"][0] == 1
    share = table["answer"]["map"]["nss"][0] / table["human"]["map"]["nss"][0]
    assert table["answer"]["map"]["of human"][0] == pytest.approx(share, abs=1e-3)
    assert {"cut+scout - cut+shuffled", "foveated+scout - foveated+saliency"} <= set(
        result["paired"]
    )
    assert result["rows"][0]["image"] != "0.png"
    assert result["viewers"] == 7
    assert result["fixations"] == 14
    assert result["n"] == 3
    assert json.loads(json.dumps(result))["rows"][1]["scores"]["human"]["map"][0] > 3
    told = text(result)
    assert "wauc" not in told
    assert "oracle" in told


def test_a_mark_says_which_side_of_the_centre_a_row_is_on() -> None:
    up, down, both = (0.5, 0.1, 0.9), (-0.5, -0.9, -0.1), (0.1, -0.2, 0.4)
    marks = [side("nss", {"nss": gap}) for gap in (up, down, both)]
    assert marks == ["+", "-", " "]
    assert [side("kl", {"kl": gap}) for gap in (up, down, both)] == ["-", "+", " "]


def test_where_words_are_known_the_read_are_told_from_the_unread(suite) -> None:
    """Print everywhere, and a map of all of it: it cannot tell one word from another."""
    rows = [json.loads(line) for line in (suite / "qa.jsonl").read_text().splitlines()][:3]
    places = [(x, y) for x in range(8, 256, 16) for y in range(8, 192, 16)]
    for one in rows:
        one["ocr"] = [["word", x - 6, y - 4, x + 6, y + 4] for x, y in places]
    (suite / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result = gaze(suite, CONFIG)
    assert result["columns"] == [*COLUMNS, "wauc"]
    assert result["table"]["words"]["map"]["wauc"][0] == 0.5
    assert result["table"]["answer"]["map"]["wauc"][0] > 0.9
    assert result["paired"]["answer - words"]["map"]["wauc"][0] > 0.3


def test_a_limit_takes_evenly_and_keeps_the_bias_of_all(suite) -> None:
    whole, few = gaze(suite, CONFIG), gaze(suite, CONFIG, limit=2)
    assert few["rows"] == whole["rows"][:2]
    assert gaze(suite, CONFIG, limit=9)["rows"] == whole["rows"]


def test_a_wrong_corner_is_noticed(suite, monkeypatch) -> None:
    """Rows and columns swapped, the mistake that pictures are looked at for."""
    right = gaze(suite, CONFIG)["table"]["answer"]["map"]["nss"][0]
    from homunculus_lab.measure import gaze as room

    honest = room.count_fixations

    def swapped(points, sheet):
        return honest([(y, x) for x, y in points], sheet)

    def by_viewer(paths, sheet):
        return torch.stack([swapped(path, sheet) for path in paths])

    monkeypatch.setattr(room, "count_by_viewer", by_viewer)
    assert gaze(suite, CONFIG)["table"]["answer"]["map"]["nss"][0] < right - 0.5


def test_the_ceiling_never_sees_the_viewer_it_is_held_against(suite) -> None:
    """Viewers who never look at the same place tell nothing of each other."""
    rows = [json.loads(line) for line in (suite / "qa.jsonl").read_text().splitlines()][:2]
    rows[0]["fixations"] = [[[0, 20], [0, 20], [9, 9]], [[0, 230], [0, 170], [9, 9]]]
    (suite / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    human = gaze(suite, CONFIG)["rows"][0]["scores"]["human"]["map"]
    assert human[0] < 0
    assert human[4] < 0.1


def test_the_verb_writes_the_table(suite, capsys) -> None:
    out = suite / "gaze.json"
    flags = ["--task", "gaze", "--tokens", "8", "--side", "256", "--no-scout", "-o", str(out)]
    assert main(["measure", str(suite), *flags]) == 0
    assert "7 viewers" in capsys.readouterr().out
    assert json.loads(out.read_text())["table"]["oracle"]["8"]["n"] == 3
    assert main(["measure", str(suite), *flags, "--part", "dev"]) == 2


def test_a_suite_nobody_looked_at_says_so(suite) -> None:
    (suite / "qa.jsonl").write_text((suite / "qa.jsonl").read_text().splitlines()[3])
    with pytest.raises(ValueError, match="no row has fixations or gaze"):
        gaze(suite, CONFIG)


def test_what_is_planned_is_what_is_kept(suite) -> None:
    sheet = open_sheet(suite / "images" / "0.png", 256, 16)
    for name in ("centre", "random", "pool"):
        spent = spend_slots(row(name, {}), 0, sheet, 8, None)
        field, plan = spent.field, spent.allocation
        assert of_tokens(field, plan).sum() == pytest.approx(8), name


@pytest.mark.data
@pytest.mark.skipif("HOMUNCULUS_DATA" not in os.environ, reason="HOMUNCULUS_DATA is not set")
@pytest.mark.parametrize(
    ("name", "n", "viewers"), [("osie", 160, 2398), ("local/docvqa_gaze", 41, 499)]
)
def test_real_gaze_is_read_whole(name: str, n: int, viewers: int) -> None:
    found, _ = read_gaze(Path(os.environ["HOMUNCULUS_DATA"]) / name)
    assert len(found) == n
    assert sum(len(one.viewers) for one in found) == viewers
