"""Which files here are commands, not tests."""

collect_ignore = ["authors.py", "authors_inside.py"]
