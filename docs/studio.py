"""Draws docs/studio.png: the studio with its example, in Debian's Chromium. Needs `playwright`. In docs/:

python studio.py
"""

import shutil
import subprocess
import sys
from io import BytesIO

from PIL import Image
from playwright.sync_api import sync_playwright

SIZE = {"width": 1440, "height": 1010}


def shot(address: str) -> bytes:
    """The page with the example's results, as a PNG."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        page = chromium.new_page(viewport=SIZE)
        page.set_default_timeout(300_000)
        page.goto(address)
        page.click("button.try")
        page.wait_for_selector(".results")
        page.wait_for_timeout(1_000)
        drawn = page.screenshot()
        chromium.close()
    return drawn


def main() -> None:
    """Start the studio, draw it, stop it."""
    command = [sys.executable, "-m", "homunculus", "studio", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as studio:
        drawn = shot(studio.stdout.readline().split()[1].rstrip(",."))
        studio.terminate()
    few = Image.open(BytesIO(drawn)).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    few.save("studio.png", optimize=True)


if __name__ == "__main__":
    main()
