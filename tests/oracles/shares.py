"""Apportionment in exact fractions, and the rules that stand on it, by plain loops."""

from fractions import Fraction
from math import exp, floor


def apportion(share: list[int], room: list[int], seats: int) -> list[int]:
    """One seat for each group with room, the rest by largest remainder, never above its room."""
    groups = [group for group, space in enumerate(room) if space > 0]
    first = sorted(groups, key=lambda group: (-share[group], group))[:seats]
    got = [int(group in first) for group in range(len(room))]
    left = min(seats, sum(room)) - sum(got)
    open_groups = list(groups)
    while True:
        total = sum(share[group] for group in open_groups)
        exact = {group: Fraction(left * share[group], total) for group in open_groups}
        full = [group for group in open_groups if exact[group] >= room[group] - got[group]]
        if not full:
            break
        for group in full:
            left -= room[group] - got[group]
            got[group] = room[group]
            open_groups.remove(group)
        if not open_groups:
            break
    if not open_groups:
        return got
    for group in open_groups:
        got[group] += floor(exact[group])
    spare = left - sum(floor(exact[group]) for group in open_groups)
    remainder = sorted(open_groups, key=lambda group: (floor(exact[group]) - exact[group], group))
    for group in remainder[:spare]:
        got[group] += 1
    return got


def mass(logit: list[float]) -> list[int]:
    """Relevance made positive: the best cell counts 2^14 + 1, the worst at least 1."""
    most = max(logit)
    return [floor(exp(value - most) * 2**14) + 1 for value in logit]


def grouped(
    logit: list[float], group: list[int], groups: int, slots: int
) -> tuple[set[int], list[int]]:
    """(cells, seats per group): the best cells of each group, as many as its relevance buys."""
    weight = mass(logit)
    members = [[cell for cell, of in enumerate(group) if of == number] for number in range(groups)]
    share = [sum(weight[cell] for cell in cells) for cells in members]
    quota = apportion(share, [len(cells) for cells in members], min(slots, len(logit)))
    chosen: set[int] = set()
    for cells, seats in zip(members, quota, strict=True):
        chosen.update(sorted(cells, key=lambda cell: (-logit[cell], cell))[:seats])
    return chosen, quota


def parts(grid: tuple[int, int], side: int) -> list[int]:
    """The part of each cell, side x side parts: part p begins at row p * rows // side."""
    rows, cols = grid
    group = [0] * (rows * cols)
    for down in range(side):
        for right in range(side):
            for row in range(down * rows // side, (down + 1) * rows // side):
                for col in range(right * cols // side, (right + 1) * cols // side):
                    group[row * cols + col] = down * side + right
    return group


def stratified(logit: list[float], grid: tuple[int, int], slots: int, side: int = 4) -> set[int]:
    return grouped(logit, parts(grid, side), side * side, slots)[0]
