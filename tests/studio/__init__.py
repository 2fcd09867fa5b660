"""The studio in a real browser: `homunculus studio` in its own process, driven by Playwright."""
