"""The eye test of a real server: a random model reads nothing, and the command says so."""

import json

import pytest

from homunculus.commands.main import main
from homunculus.eyes import test as eyetest
from homunculus.eyes.chart import CARD, make_chart
from homunculus_lab.speed.server import NAME
from serving.conftest import FEW

CELL = 16
"""Pixels a token of the tiny models."""


@pytest.fixture
def server(serve, monkeypatch):
    monkeypatch.setattr(eyetest, "ANSWER_TOKENS", 4)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server = serve(*FEW, "--question-from", "none")  # or each card would be searched first
    server.forget()
    return server


def counted(server, name):
    return server.counters().get(name, 0)


def test_a_random_model_on_a_server_reads_nothing(server, tmp_path, capsys):
    before, out = counted(server, "images_total"), tmp_path / "served.json"
    assert main(["eyetest", "--server", f"{server.url}/v1", "--items", "1", "-o", str(out)]) == 0
    assert f"{NAME} read nothing at any height." in capsys.readouterr().out
    result = json.loads(out.read_text())
    assert (result["name"], result["n"], result["curve"]) == (NAME, 42, None)
    assert out.with_suffix(".png").stat().st_size > 10_000
    assert counted(server, "images_total") - before == 42


def test_a_card_is_not_resized_by_the_server(server):
    before = counted(server, "tokens_native_total")
    eyes = eyetest.ServerEyes(f"{server.url}/v1")
    assert eyes.name == NAME
    assert len(eyes.read(make_chart(0, 1)[-2:], lambda done, total: None)) == 2
    assert counted(server, "tokens_native_total") - before == 2 * (CARD // CELL) ** 2


def test_a_model_that_is_not_served_is_named(server, capsys):
    url = f"{server.url}/v1"
    assert main(["eyetest", "--server", url, "--model", "other", "--items", "1"]) == 2
    error = capsys.readouterr().err
    assert f"{url}/chat/completions answered 404" in error
    assert "other" in error
