"""The coverage certificate by trying every pair of cells."""

from math import hypot

from homunculus import Allocation, Field


def seen_cells(field: Field, plan: Allocation, image: int) -> set[tuple[int, int]]:
    """Level-0 cells that a slot reads, itself or through an ancestor."""
    read = set()
    for slot in range(plan.index.shape[1]):
        if bool(plan.valid[image, slot]):
            for cell, weight in zip(plan.index[image, slot], plan.weight[image, slot], strict=True):
                if float(weight) > 0:
                    read.add(int(cell))
    found = set()
    for cell in range(field.level.shape[1]):
        if not bool(field.valid[image, cell]) or int(field.level[image, cell]) != 0:
            continue
        line, above = {cell}, int(field.parent[image, cell])
        while above not in line:
            line.add(above)
            above = int(field.parent[image, above])
        if line & read:
            found.add(corner(field, image, cell))
    return found


def corner(field: Field, image: int, cell: int) -> tuple[int, int]:
    return int(field.box[image, cell, 0]), int(field.box[image, cell, 1])


def gap(grid: tuple[int, int], seen: set[tuple[int, int]]) -> float:
    """The farthest any cell is from a seen one."""
    rows, cols = grid
    every = [(row, col) for row in range(rows) for col in range(cols)]
    return max(min(hypot(row - y, col - x) for y, x in seen) for row, col in every)


def fewest(field: Field, plan: Allocation, image: int) -> int:
    """Over the non-empty 4 x 4 parts, the least number of slots whose main cell touches one."""
    rows, cols = field.grids[image]
    boxes = []
    for slot in range(plan.index.shape[1]):
        if bool(plan.valid[image, slot]):
            main = int(plan.index[image, slot, int(plan.weight[image, slot].argmax())])
            boxes.append(field.box[image, main].tolist())
    counts = []
    for down in range(4):
        for right in range(4):
            y0, y1 = down * rows // 4, (down + 1) * rows // 4
            x0, x1 = right * cols // 4, (right + 1) * cols // 4
            if y0 < y1 and x0 < x1:
                touching = [b for b in boxes if b[0] < y1 and b[2] > y0 and b[1] < x1 and b[3] > x0]
                counts.append(len(touching))
    return min(counts)
