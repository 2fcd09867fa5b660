"""Defaults of a training run, shared by the code and the help texts."""

STEPS = 5600
"""Steps of the word net."""
CROPS = 4
"""Crops in a step of the word net."""
PAGES = 800
"""Pages that are rendered for the spread."""
SPREAD_STEPS = 2000
"""Steps of the spread."""
HEIGHT_CROPS = 900
"""Crops that are rendered for the head of heights."""
