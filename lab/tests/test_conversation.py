"""A conversation about screens, with a bound: what is measured, and its chart."""

from homunculus_lab.measure import conversation


def test_the_bound_holds_and_the_chart_has_a_point_for_each_turn(monkeypatch) -> None:
    monkeypatch.setattr(conversation, "TURNS", 4)
    rows = conversation.measure()
    assert [row["pictures"] for row in rows] == [1, 2, 3, 4]
    assert [row["same_beginning"] for row in rows] == [False, True, True, True]
    assert all(row["tokens"] + row["label_tokens"] <= conversation.HISTORY for row in rows)
    drawn = conversation.chart(rows)
    assert drawn.count("<circle") == 1
    assert "as they were sent" in drawn
