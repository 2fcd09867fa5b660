"""The verbs of the laboratory, as `homunculus.commands` takes them by entry point."""
