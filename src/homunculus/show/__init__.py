"""Look at one picture with one question, and draw what was kept of it."""
