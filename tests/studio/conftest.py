"""A studio, a browser, and whoever answers in place of a model.

HOMUNCULUS_STUDIO_SERVER names an OpenAI-compatible server (http://127.0.0.1:8000/v1) to ask instead
of the recorder, which stands in for a model and says "ok" to everything.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from recorder import recording, url

PATIENCE = 60_000
"""Milliseconds that anything may take on a slow machine."""


@dataclass(frozen=True)
class ModelServer:
    """What the studio asks for answers."""

    url: str
    seen: list | None
    """Requests that came, if it is the recorder."""


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    if real := os.environ.get("HOMUNCULUS_STUDIO_SERVER"):
        yield ModelServer(real, None)
        return
    with recording() as server:
        yield ModelServer(f"{url(server)}/v1", server.seen)


@pytest.fixture(scope="session")
def address(model_server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A studio by the command line, on a port that is free."""
    named = ["--server-model", "stand-in"] if model_server.seen is not None else []
    command = [sys.executable, "-m", "homunculus", "studio", "--port", "0"]
    folder = tmp_path_factory.mktemp("studio")
    with subprocess.Popen(
        [*command, "--server", model_server.url, *named],
        cwd=folder, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        line = process.stdout.readline()
        assert line.startswith("Studio: http://127.0.0.1:"), line
        yield line.split()[1].rstrip(",.")
        process.terminate()
    assert list(Path(folder).iterdir()) == []


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium, "no chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield found
        found.close()


@dataclass
class Visit:
    """A page of the studio, and all that went wrong on it."""

    page: Page
    address: str
    faults: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Write down errors, and requests to anywhere else."""
        own = (self.address, "data:", "blob:")
        self.page.on("console", lambda one: self._add(one.type == "error", one.text))
        self.page.on("pageerror", lambda one: self._add(True, str(one)))
        self.page.on("request", lambda one: self._add(not one.url.startswith(own), one.url))

    def _add(self, wrong: bool, text: str) -> None:
        self.faults += [text] if wrong else []

    def results(self, act: Any) -> None:
        """Do something, and wait until other results and their answers are shown."""
        self.page.evaluate("document.querySelector('.results')?.setAttribute('data-old', '')")
        act()
        self.page.wait_for_selector(".results:not([data-old]) .from-untouched")

    def table(self) -> dict[str, tuple[int, float | None]]:
        """Tokens and estimated legibility of each method, as shown; None where it is not known."""
        rows = {}
        for card in self.page.locator(".card").all():
            tokens = int(card.locator("h3 em").inner_text().split()[0])
            text = card.locator(".meter b").inner_text()
            share = float(text.rstrip("%")) / 100 if text.endswith("%") else None
            rows[card.get_attribute("data-method")] = (tokens, share)
        return rows


@pytest.fixture
def visit(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """The page, as wide as the test's parameter says."""
    wide, high = getattr(request, "param", (1440, 900))
    page = browser.new_page(viewport={"width": wide, "height": high})
    page.set_default_timeout(PATIENCE)
    found = Visit(page, address)
    found.watch()
    page.goto(address)
    page.wait_for_selector("#pane .drop")
    yield found
    page.close()
