"""How small a reader still reads: the eye test, its chart, and readers of print."""
