"""Scouts: where on a page a question looks."""
