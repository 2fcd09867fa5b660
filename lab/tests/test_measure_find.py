"""Word finding: guesses, chance and a reader's guess by hand; all of it with a scout that knows."""

import json
from pathlib import Path

import pytest
import torch

from homunculus.commands.main import main
from homunculus.scouts.words.net import fold
from homunculus_lab.measure import command
from homunculus_lab.measure.find import (
    APART,
    GUESSES,
    SLACK,
    _mask,
    _within,
    find,
    guesses,
    read_for,
    text,
    wanted,
)

Image = pytest.importorskip("PIL.Image", reason="needs the extra `measure`")

SIDE = 256
CELL = 8
PRINTED = {  # on pages of 256 x 192: word, x0, y0, x1, y1
    "a.png": [("Total:", 16, 16, 80, 32), ("amount", 96, 16, 160, 32), ("total", 16, 80, 80, 88)],
    "b.png": [("invoice", 128, 120, 240, 160), ("no", 8, 8, 24, 16)],
}


def written(folder: Path, rows: list[dict], pages: list[str]) -> Path:
    (folder / "images").mkdir(parents=True)
    for name in pages:
        Image.new("L", (256, 192), 240).save(folder / "images" / name)
    (folder / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return folder


@pytest.fixture
def suite(tmp_path) -> Path:
    """Two pages with their OCR words; the first is asked twice."""
    names = ["a.png", "a.png", "b.png"]
    rows = [{"image": name, "question": "?", "ocr": PRINTED[name]} for name in names]
    return written(tmp_path / "documents", rows, list(PRINTED))


class Knowing:
    """A scout that knows where the words are; at ``shift`` cells beside it, or says nothing."""

    weights = "known"

    def __init__(self, shift: int = 0, silent: bool = False) -> None:
        self.shift, self.silent, self.turn = shift, silent, 0

    def read(self, image: torch.Tensor) -> dict[str, torch.Tensor]:
        self.turn += 1
        cells = [side // CELL for side in image.shape[1:]]
        text = torch.zeros(*cells)
        for _, x0, y0, x1, y1 in list(PRINTED.values())[self.turn - 1]:
            text[y0 // CELL : y1 // CELL, x0 // CELL : x1 // CELL] = 1
        return {"text": text}

    def match(self, page, words) -> torch.Tensor:
        found = torch.zeros(len(words), *page["text"].shape)
        for row, word in enumerate(words):
            for printed, x0, y0, x1, y1 in list(PRINTED.values())[self.turn - 1]:
                if fold(printed) == word and not self.silent:
                    found[row, y0 // CELL : y1 // CELL, x0 // CELL : x1 // CELL] = 0.9
        return found.roll(self.shift, 1)


class Lines:
    """A reader of one line a page."""

    name = "lines 1"

    def line(self, crop) -> str:
        return ""

    def page(self, pixels):
        return [("T0tal: amount", (16.0, 16.0, 160.0, 32.0))]


# ---- guesses -------------------------------------------------------------------------------------


def test_guesses_keep_apart_and_come_best_first() -> None:
    match = torch.rand(24, 32, generator=torch.Generator().manual_seed(0))
    found = guesses(match, (192, 256))
    assert len(found) == GUESSES
    cells = [(int(y // CELL), int(x // CELL)) for x, y in found]
    assert cells[0] == divmod(int(match.argmax()), 32)
    best = [float(match[cell]) for cell in cells]
    assert best == sorted(best, reverse=True)
    for place, (y, x) in enumerate(cells):
        for v, u in cells[:place]:
            assert abs(y - v) > APART[0] or abs(x - u) > APART[1]
    assert match.max() <= 1  # the map itself is left alone
    assert match.min() >= 0


def test_guesses_are_middles_of_cells_in_pixels_of_the_page() -> None:
    match = torch.zeros(4, 5)
    match[2, 3] = 1
    assert guesses(match, (40, 100), many=1) == [(70.0, 25.0)]


def test_a_guess_may_stand_a_little_beside_its_word() -> None:
    box = (16.0, 16.0, 80.0, 32.0)
    assert _within((80 + SLACK, 24.0), [box])
    assert not _within((80 + SLACK + 0.1, 24.0), [box])
    assert not _within((40.0, 32 + SLACK + 0.1), [box])
    assert _within((40.0, 24.0), [(200.0, 0.0, 210.0, 9.0), box])


def test_the_mask_is_where_a_guess_would_be_right() -> None:
    boxes = [(16.0, 16.0, 80.0, 32.0), (101.0, 60.0, 103.0, 61.0)]
    mask = _mask(boxes, (24, 32), (192, 256))
    for y in range(24):
        for x in range(32):
            assert mask[y, x] == _within(((x + 0.5) * CELL, (y + 0.5) * CELL), boxes)
    assert mask.sum() > 8 * 2


# ---- what a reader would have found --------------------------------------------------------------

LINE = (100.0, 50.0, 300.0, 70.0)  # of 20 letters, 10 pixels each
AT = {"grand": (100.0, 50.0, 150.0, 70.0), "total": (160.0, 50.0, 210.0, 70.0)}


@pytest.mark.parametrize(
    ("line", "word", "place", "exact"),
    [
        ("Grand Total: 12,50 $", "total", "total", True),
        ("Grand Total: 12,50 $", "grand", "grand", True),
        ("Grand T0tai: 12,50 $", "total", "total", False),  # misspelled, still the nearest
        ("GrandTotal: 12,50 RM", "grand", "grand", False),  # glued
    ],
)
def test_a_readers_guess_is_the_word_most_alike(line, word, place, exact) -> None:
    assert read_for(word, [("zzz", (0.0, 0.0, 9.0, 9.0)), (line, LINE)], [AT[place]]) == (
        True,
        exact,
    )
    elsewhere = [box for name, box in AT.items() if name != place]
    assert read_for(word, [(line, LINE)], elsewhere) == (False, exact)


def test_a_word_inside_a_longer_one_beats_one_that_is_only_alike() -> None:
    lines = [("tote", (0.0, 0.0, 40.0, 10.0)), ("grandtotal", (100.0, 0.0, 200.0, 10.0))]
    for order in (lines, lines[::-1]):
        assert read_for("total", order, [(150.0, 0.0, 200.0, 10.0)]) == (True, False)
    whole = [*lines, ("total", (0.0, 50.0, 50.0, 60.0))]
    assert read_for("total", whole, [(0.0, 50.0, 50.0, 60.0)]) == (True, True)


def test_an_empty_page_reads_nothing() -> None:
    assert read_for("total", [], [LINE]) == (False, False)


# ---- which words ---------------------------------------------------------------------------------


def test_words_of_a_page_stand_with_all_their_places(suite) -> None:
    one, other = wanted(suite)
    assert one.path == suite / "images" / "a.png"
    places = {"total": ((16, 16, 80, 32), (16, 80, 80, 88)), "amount": ((96, 16, 160, 32),)}
    assert dict(one.words) == places
    assert [word for word, _ in other.words] == ["invoice"]  # two letters say too little


def test_street_words_are_the_answers_and_few_are_asked_for(tmp_path) -> None:
    names = ["exit", "bar", "cafe", "hotel", "pub", "no"]
    rows = [
        {"image": "s.png", "question": "?", "answers": [name], "boxes": [[at, 0, at + 9, 5]]}
        for at, name in enumerate(names)
    ]
    (one,) = wanted(written(tmp_path / "icdar2015", rows, ["s.png"]))
    assert len(one.words) == 4
    assert {word for word, _ in one.words} < set(names[:5])
    assert one == wanted(tmp_path / "icdar2015")[0]  # the same ones every time


def test_a_suite_without_places_of_words_is_refused(tmp_path) -> None:
    row = {"image": "a.png", "question": "?", "answers": ["x"], "boxes": []}
    with pytest.raises(ValueError, match="charts does not say where its words stand"):
        wanted(written(tmp_path / "charts", [row], ["a.png"]))
    row = {"image": "a.png", "question": "?", "ocr": [["no", 1, 1, 5, 5]]}
    with pytest.raises(ValueError, match="no word long enough"):
        find(written(tmp_path / "short", [row], ["a.png"]), Knowing())


# ---- the whole way -------------------------------------------------------------------------------


def test_a_scout_that_knows_finds_all_and_a_silent_one_nothing(suite) -> None:
    steps: list[tuple[int, int]] = []
    known = find(suite, Knowing(), side=SIDE, progress=lambda *at: steps.append(at))
    assert (known["n"], known["images"], known["suite"], known["task"]) == (
        3,
        2,
        "documents",
        "words",
    )
    assert known["table"]["top1"][0] == known["table"]["top5"][0] == 1
    assert steps == [(0, 2), (1, 2)]
    for lost in (Knowing(silent=True), Knowing(shift=6)):
        told = find(suite, lost, side=SIDE)["table"]
        assert told["top1"][0] == told["top5"][0] == 0


def test_chance_is_the_share_of_the_page_and_any_text_that_of_the_text(suite) -> None:
    rows = {row["word"]: row for row in find(suite, Knowing(), side=SIDE)["rows"]}
    cells = 24 * 32
    # a word of 8 x 2 cells, and half a cell around it: the middles on that rim count
    total = 10 * 4 + 10 * 3
    assert rows["total"]["chance"] == pytest.approx(total / cells)
    assert rows["total"]["any_text"] == pytest.approx((8 * 2 + 8) / (8 * 2 + 8 * 2 + 8))
    assert rows["invoice"]["any_text"] == pytest.approx(14 * 5 / (14 * 5 + 2))
    assert (rows["total"]["height"], rows["invoice"]["height"]) == (16, 40)


def test_boxes_and_heights_follow_the_size_the_page_is_shown_at(suite) -> None:
    (row,) = [row for row in find(suite, Knowing(), side=128)["rows"] if row["word"] == "invoice"]
    assert row["height"] == 20


def test_a_reader_is_measured_beside_and_heights_apart(suite) -> None:
    found = find(suite, Knowing(), Lines(), side=SIDE)
    rows = {row["word"]: row for row in found["rows"]}
    assert (rows["amount"]["ocr1"], rows["amount"]["ocr_exact"]) == (True, True)
    assert (rows["total"]["ocr1"], rows["total"]["ocr_exact"]) == (True, False)
    assert rows["invoice"]["ocr1"] is False
    assert found["table"]["ocr1"][0] == pytest.approx(2 / 3, abs=1e-4)
    assert {band: row["n"] for band, row in found["by_height"].items()} == {"14-20": 2, ">30": 1}
    assert found["by_height"][">30"]["ocr1"] == 0
    assert found["reader"] == "lines 1"


def test_a_result_tells_how_it_came_about_and_can_be_saved(suite) -> None:
    found = find(suite, Knowing(), side=SIDE, limit=1)
    assert {"command", "commit", "versions", "hardware", "weights"} <= found.keys()
    assert found["images"] == 1
    assert json.loads(json.dumps(found))["n"] == 2
    table = text(found)
    assert table.splitlines()[0] == "documents at 256 px: 2 words, 1 images"
    assert all(name in table for name in ("top1", "top5", "chance", "any_text", "14-20"))


# ---- the verb ------------------------------------------------------------------------------------


@pytest.fixture
def shipped(monkeypatch) -> list[object]:
    """A scout that knows takes the place of the shipped one."""
    asked: list[object] = []
    monkeypatch.setattr(command, "load", lambda folder: asked.append(folder) or Knowing())
    return asked


def test_the_verb_writes_a_result_and_prints_a_small_table(
    suite, shipped, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    given = ["measure", "--task", "words", str(suite), "--side", str(SIDE), "--reader", "none"]
    assert main(given) == 0
    out = capsys.readouterr().out
    assert out.startswith("documents at 256 px: 3 words, 2 images\n")
    assert out.endswith("wrote results/words-documents-256.json\n")
    saved = json.loads(Path("results/words-documents-256.json").read_text())
    assert (saved["n"], saved["reader"], saved["table"]["top1"][0]) == (3, None, 1)
    assert shipped == [None]
    assert main([*given, "--json", "--limit", "1", "--scout", "w"]) == 0
    assert json.loads(capsys.readouterr().out)["images"] == 1
    assert shipped[1:] == [Path("w")]
    assert Path("results/words-documents-256-first1.json").is_file()


@pytest.mark.parametrize("flag", [["--no-scout"], ["--part", "fresh"]])
def test_flags_that_words_do_not_have_are_refused(suite, shipped, tmp_path, capsys, flag) -> None:
    out = ["-o", str(tmp_path / "a.json")]
    assert main(["measure", "--task", "words", str(suite), *flag, *out]) == 2
    assert "words needs a scout and all images" in capsys.readouterr().err
    assert not (tmp_path / "a.json").exists()


def test_legibility_without_a_reader_is_refused(tmp_path, capsys) -> None:
    box = {"answers": ["x"], "boxes": [[16, 16, 80, 32]]}
    row = {"image": "a.png", "question": "?"} | box
    folder = written(tmp_path / "mine", [row], ["a.png"])
    given = ["measure", str(folder), "--reader", "none", "--no-scout", "-o", str(tmp_path / "a")]
    assert main(given) == 2
    assert "legibility needs a reader" in capsys.readouterr().err
