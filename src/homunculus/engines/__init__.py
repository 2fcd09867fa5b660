"""Engines: the same selection inside real models. Each engine's library is an extra."""

from homunculus.lazy import need_torch

need_torch("homunculus.engines")
