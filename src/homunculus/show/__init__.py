"""Drawings: views on their picture, cells of one image, and the two pictures of the demo."""
