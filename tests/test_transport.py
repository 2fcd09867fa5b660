"""The clients for SDKs: views leave, by the way that the environment or the caller wants."""

import asyncio
import json

import pytest

from homunculus.messages.body import pictures_in
from homunculus.messages.pictures import is_view
from homunculus.serve import async_http_client, http_client
from recorder import recording, url
from test_planner_messages import corner
from test_serve_forms import MAKER

pytest.importorskip("httpx2", reason="needs the extra `client`")
ADDRESS = "http://api.test/v1/chat/completions"
OPTIONS = {"model": "claude", "scout": corner()}


@pytest.fixture
def recorder(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with recording() as server:
        yield server


def ask_async(**client) -> None:
    async def ask() -> None:
        async with async_http_client(100, client=client, **OPTIONS) as http:
            await http.post(ADDRESS, json=MAKER.plain().body)

    asyncio.run(ask())


def ask(**client) -> None:
    with http_client(100, client=client, **OPTIONS) as http:
        http.post(ADDRESS, json=MAKER.plain().body)


@pytest.mark.parametrize("ask", [ask, ask_async])
def test_the_proxy_of_the_environment_gets_views(recorder, monkeypatch, ask) -> None:
    monkeypatch.setenv("HTTP_PROXY", url(recorder))
    ask()
    (seen,) = recorder.seen
    assert seen.path == ADDRESS  # whole, as a proxy is asked
    files = [picture.file() for picture in pictures_in(json.loads(seen.raw), None)]
    assert len(files) > 1
    assert all(map(is_view, files))
    assert int(seen.headers["Content-Length"]) == len(seen.raw)


@pytest.mark.parametrize("ask", [ask, ask_async])
def test_options_are_handed_on_to_the_client(recorder, ask) -> None:
    ask(proxy=url(recorder), trust_env=False)
    assert [seen.path for seen in recorder.seen] == [ADDRESS]
    with pytest.raises(TypeError, match="vrify"):
        ask(vrify=False)


def test_a_report_comes_for_each_request_with_pictures(recorder) -> None:
    reports = []
    client = {"base_url": url(recorder)}
    with http_client(100, report=reports.append, client=client, **OPTIONS) as http:
        http.post("/v1/chat/completions", json=MAKER.plain().body)
        http.post("/v1/chat/completions", json={"messages": []})
    assert [report.pictures for report in reports] == [1]
    assert json.loads(recorder.seen[1].raw) == {"messages": []}
