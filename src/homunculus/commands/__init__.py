"""The command line: one file a verb. Each parses, calls a room and prints."""
