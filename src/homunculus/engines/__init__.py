"""Engines: the same selection inside real models. Each engine's library is an extra."""
