"""The benchmark of the proxy, small: no errors, and the event loop is not held up by our work."""

from homunculus_lab.speed.proxy import ProxyPlan, measure, table

PLAN = ProxyPlan(
    requests=60, rounds=2, at_once=16, rate=4.0, calm=20, known=4, every=15, size=(500, 400)
)


def test_the_proxy_under_load() -> None:
    result = measure(plan=PLAN)
    for part in ("full", "calm"):
        rows = result[part]["rows"]
        assert [row["errors"] for row in rows.values()] == [0, 0]
        assert [row["requests"] for row in rows.values()] == [60 if part == "full" else 20] * 2
        hook, plain = (rows[name]["lag_ms"] for name in ("hook", "plain"))
        assert hook["p99"] < plain["p99"] + 250, (hook, plain)  # in the loop, views take seconds
        assert hook["max"] < plain["max"] + 1000, (hook, plain)
    first, last = result["full"]["rows"]["hook"]["resident_mib"]
    assert last < first + 200
    assert result["calm"]["added_ms"]["known"]["p50"] < 500
    assert "the event loop was late" in table(result)
