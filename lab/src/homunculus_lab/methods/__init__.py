"""The methods of the seeds and the controls, as `homunculus.methods` takes them by entry point."""

from dataclasses import replace
from functools import partial

from homunculus.engines.cells.allocate import BestFirst, TopK
from homunculus.engines.cells.lift import on_grid, on_pyramid
from homunculus.engines.cells.method import Method
from homunculus_lab.methods import strata, tile
from homunculus_lab.methods.foveated import Foveated
from homunculus_lab.methods.lifts import on_bands, on_clusters, on_four_levels, on_regions
from homunculus_lab.methods.material import material
from homunculus_lab.methods.sample import LogPolar, PseudoLogPolar

FEATURES = partial(material, needs=frozenset({"features"}))
REGIONS = partial(material, needs=frozenset({"regions"}))
BANDS = partial(material, needs=frozenset({"bands"}))

_TABLE = (
    Method(
        "stratified", "4x4 parts, each seen, the rest by relevance", strata.Stratified(), on_grid
    ),
    Method(
        "adaptive-strata",
        "parts the relevance chooses, 2 to 8 a side",
        strata.AdaptiveStrata(),
        on_grid,
    ),
    Method("pyramid", "the most relevant cells of four levels", TopK(0.5), on_four_levels),
    Method("pyramid-shares", "64/128/64/17 of 273 to four levels", strata.Shares(), on_four_levels),
    Method(
        "clusters",
        "the same cut over merged similar neighbours",
        BestFirst(),
        on_clusters,
        needs=frozenset({"features"}),
        prepare=FEATURES,
    ),
    Method(
        "foveated",
        "the cut, magnified at the fixation as in the cortex",
        Foveated(),
        on_pyramid,
    ),
    Method("windows", "a thumbnail and one window, two plain images", tile.Windows(), on_grid),
    Method("log-polar", "16 rings x 17 wedges + 1 around the fixation", LogPolar(), on_pyramid),
    Method("pseudo-log-polar", "learned bins around the fixation", PseudoLogPolar(), on_grid),
    Method(
        "frequency",
        "a share for each orientation of detail",
        strata.Bands(),
        on_bands,
        "bands",
        needs=frozenset({"bands"}),
        prepare=BANDS,
    ),
    Method(
        "atlas",
        "every region seen, the rest by relevance",
        strata.Regions(),
        on_regions,
        needs=frozenset({"regions"}),
        prepare=REGIONS,
    ),
    Method(
        "random",
        "cells by lot",
        strata.Random(),
        on_grid,
        "nothing",
        control=True,
        prepare=FEATURES,  # drawn by the picture's content
    ),
    Method("uniform", "every n-th cell", tile.Uniform(), on_grid, "nothing", control=True),
    Method("centre", "the middle of the image", strata.Centre(), on_grid, "nothing", control=True),
    Method("pool", "K equal blocks, averaged", tile.Pool(), on_grid, "nothing", control=True),
    Method("saliency", "what stands out, asked or not", TopK(), on_grid, "pixels", control=True),
    Method("oracle", "the cut, told where the answer is", BestFirst(), on_pyramid, "answer", True),
)


def shuffled(base: Method) -> Method:
    """The control that asks somebody else's question: what survives it is not query-aware."""
    about = f"{base.name}, asked another image's question"
    name = "shuffled" if base.name == "foveated" else f"shuffled-{base.name}"
    return replace(base, name=name, about=about, source="another question", control=True)


METHODS = (*_TABLE, shuffled(next(each for each in _TABLE if each.name == "foveated")))
"""All of them, in the order in which they are listed."""
