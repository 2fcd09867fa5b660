"""Training: rendered pages, what is printed on them, and the nets that learn to find it."""
