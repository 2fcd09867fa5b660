"""`measure` at a terminal: one progress display at a time, each on its own line."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import homunculus
from terminal_help import terminal

SOURCE = Path(homunculus.__file__).parents[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Two photos, each with a question and a box."""
    folder = tmp_path_factory.mktemp("terminal")
    suite = folder / "coco_open"
    (suite / "images").mkdir(parents=True)
    rows = []
    for at in range(2):
        noise = np.random.default_rng(at).integers(0, 255, (192, 256), np.uint8)
        Image.fromarray(noise).save(suite / "images" / f"{at}.png")
        row = {"image": f"{at}.png", "question": f"thing {at}?", "answers": ["thing"]}
        rows.append(row | {"boxes": [[32, 32, 96, 96]]})
    (suite / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return folder


AT_ONCE = """
import sys
from homunculus import progress
from homunculus.commands.main import main
progress.PATIENCE = 0.0
sys.exit(main(sys.argv[1:]))
"""
"""The command, speaking at once: this work ends soon."""


def drawn(folder: Path, arguments: str) -> tuple[list[str], list[str]]:
    """Lines with a bar, and lines without, of a run that went well."""
    common = ["measure", "coco_open", "--tokens", "16", "--side", "256", "--reader", "none"]
    code, lines = terminal(["-c", AT_ONCE, *common, *arguments.split()], folder, SOURCE)
    assert code == 0, lines
    assert lines[-1].startswith("wrote ")
    shared = [line for line in lines if line.count("measuring") > 1]
    assert shared == []
    bars = [line for line in lines if "━" in line or "╌" in line]
    return bars, [line for line in lines if "measuring" in line and line not in bars]


def test_rows_on_one_suite_draw_a_bar(folder) -> None:
    bars, spinners = drawn(folder, "--task evidence --methods resize uniform --no-scout -o a.json")
    before = {line[1:].partition("INFO")[0] for line in spinners}  # TensorFlow's word of itself
    assert before <= {" measuring"}  # before the first step is done
    assert "2/2" in bars[-1]
    assert all(line[1:].startswith(" measuring ") for line in bars)


def test_an_experiment_draws_a_bar_as_well(folder) -> None:
    without = "--without random uniform centre pool saliency oracle prior"
    skip = "--skip cost pages"
    bars, _ = drawn(folder, f"--quick --methods cut --limit 2 {without} {skip} -o b.json")
    assert "0/2" in bars[0]
    assert all("measuring" in line for line in bars)
