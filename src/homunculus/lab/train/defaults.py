"""How much a training run does unless it is told otherwise: the numbers of code and help alike."""

STEPS = 5600
"""Steps of the word net."""
CROPS = 4
"""Crops in a step of the word net."""
PAGES = 800
"""Pages that are rendered for the spread."""
SPREAD_STEPS = 2000
"""Steps of the spread."""
