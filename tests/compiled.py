"""Compile every rule whole and compare; run by test_compile.py in a process of its own.

The shape checks of the test run wrap every function, and a compiler cannot look through them.
`python tests/compiled.py inductor` builds real kernels and takes minutes.
"""

import sys

import torch

from homunculus import get_method, list_methods
from homunculus.engines.cells import lift
from homunculus_lab.rivals import RIVALS
from homunculus_lab.rivals.encoder import Attention, EncoderMaterial

SLOTS = 64
BATCHES = {"alike": [(20, 21), (20, 21)], "mixed": [(20, 21), (3, 5)]}


def compiled_equals_plain(name: str, grids: list[tuple[int, int]], backend: str) -> bool:
    method = get_method(name)
    slots = SLOTS if method.source != "model" else 12  # a greedy rule is as long as its budget
    torch.manual_seed(0)
    cells = max(rows * cols for rows, cols in grids)
    attention = Attention(*(torch.rand(2, cells, *more) for more in ((), (4,), ())))
    material = EncoderMaterial(
        torch.randn(2, cells, 4), torch.randint(-1, 3, (2, cells)), 3, torch.rand(2, cells, 4),
        attention, torch.rand(2, cells, 3),
    )  # fmt: skip
    field = method.field(grids, slots, material)
    relevance = lift.spread(field, torch.randn(2, cells))
    torch.compiler.reset()
    whole = torch.compile(
        lambda given: method.rule(field, given, slots), fullgraph=True, backend=backend
    )
    plain, compiled = method.rule(field, relevance, slots), whole(relevance)
    return (
        torch.equal(plain.valid, compiled.valid)
        and torch.equal(plain.index, compiled.index)
        and torch.equal(plain.weight, compiled.weight)
    )


if __name__ == "__main__":
    for name in [*list_methods(), *RIVALS]:
        for kind, grids in BATCHES.items():
            same = compiled_equals_plain(name, grids, *(sys.argv[1:] or ["eager"]))
            print(name, kind, "same" if same else "different", flush=True)
