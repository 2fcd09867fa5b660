"""A few kills at random moments, as `homunculus bench kills` makes many: every row, once."""

import random

from batch import make
from homunculus_lab.speed.kills import Batches, kill, table, unbroken


def test_a_few_kills_at_random_moments_lose_no_row(tmp_path):
    source = make.parquet(tmp_path / "a.parquet", 60)
    batches = Batches(source, tmp_path, "local", unbroken(source, tmp_path))
    assert len(batches.unbroken) == 60
    kill(batches, 3, random.Random(0))
    facts = batches.facts("kills")
    assert facts["failures"] == {"driver": 3}
    assert facts["runs"] >= 4
    assert facts["once"] == facts["rows"] == facts["promised"] == 60 * facts["batches"]
    assert (facts["lost"], facts["errors"], facts["same"]) == (0, 0, True)
    assert "| local | 3 driver |" in table({"parts": [facts]})
