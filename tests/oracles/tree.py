"""The cut by a priority queue, one image at a time, and what raises a cell's gain."""

from heapq import heapify, heappop, heappush
from math import log, sqrt

from homunculus import Field

Box = tuple[float, float, float, float]


def tree(field: Field, image: int) -> tuple[list[int], list[Box]]:
    """Parents and boxes of an image's own cells."""
    count = int(field.valid[image].sum())
    return field.parent[image, :count].tolist(), [
        tuple(b) for b in field.box[image, :count].tolist()
    ]


def children_of(parent: list[int]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parent]
    for cell, above in enumerate(parent):
        if above != cell:
            children[above].append(cell)
    return children


def highest(parent: list[int], logit: list[float]) -> list[float]:
    """Each cell's largest logit over itself and all below."""
    top = list(logit)
    for cell, value in enumerate(logit):
        above = cell
        while parent[above] != above:
            above = parent[above]
            top[above] = max(top[above], value)
    return top


def best_first(
    parent: list[int], logit: list[float], bonus: list[float], slots: int
) -> tuple[set[int], set[int]]:
    """(cells of the cut, overlays): split the best cell until the next split is too dear."""
    children, top = children_of(parent), highest(parent, logit)
    kept = {cell for cell, above in enumerate(parent) if cell == above}
    queue = [(-(top[cell] + bonus[cell]), cell) for cell in kept if children[cell]]
    heapify(queue)
    while queue:
        _, cell = heappop(queue)
        if len(kept) - 1 + len(children[cell]) > slots:
            ranked = sorted(children[cell], key=lambda child: (-top[child], child))
            return kept, set(ranked[: slots - len(kept)])
        kept.remove(cell)
        kept.update(children[cell])
        for child in children[cell]:
            if children[child]:
                heappush(queue, (-(top[child] + bonus[child]), child))
    return kept, set()


def area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def extent_bonus(boxes: list[Box], hedge: float) -> list[float]:
    """hedge x log(side of the square of equal area)."""
    return [hedge * log(sqrt(area(box))) for box in boxes]


def away(box: Box, point: tuple[float, float]) -> float:
    """Distance from a point to the nearest point of a box."""
    near = [min(max(p, low), high) for p, low, high in zip(point, box[:2], box[2:], strict=True)]
    return sqrt((near[0] - point[0]) ** 2 + (near[1] - point[1]) ** 2)


def magnification(degrees: float) -> float:
    """Horton & Hoyt 1991: millimetres of cortex per degree."""
    return 17.3 / (degrees + 0.75)


def cortical_bonus(
    boxes: list[Box],
    grid: tuple[int, int],
    points: list[tuple[float, float]],
    hedge: float,
    field_of_view: float,
) -> list[float]:
    """hedge x log(millimetres of cortex): the nearest fixation counts."""
    degree = field_of_view / max(grid)
    found = []
    for box in boxes:
        eccentricity = min(away(box, point) for point in points) * degree
        found.append(hedge * log(sqrt(area(box)) * degree * magnification(eccentricity)))
    return found
