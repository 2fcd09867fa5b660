"""`homunculus studio`: methods side by side in the browser, at the same budget."""
