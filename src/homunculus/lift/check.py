"""Refuse at the door what cannot be a batch: grids, and values that do not belong to them."""

from collections.abc import Sequence

from torch import Tensor

from homunculus.types import MAX_CELLS, Grid, is_whole


def check_grids(grids: Sequence[Grid], who: str = "lift") -> tuple[Grid, ...]:
    """One (rows, cols) per image: whole numbers, no empty side, not too many cells."""
    try:
        pairs = [(rows, cols) for rows, cols in grids]
    except (TypeError, ValueError):
        raise TypeError(
            f"{who}: grids must be a list with one (rows, cols) per image, got {grids!r:.80}. "
            "For one image write [(rows, cols)]."
        ) from None
    if not pairs:
        raise ValueError(
            f"{who}: needs at least one grid (rows, cols), got none. Give one per image."
        )
    for rows, cols in pairs:
        if not (is_whole(rows) and is_whole(cols)):
            raise TypeError(
                f"{who}: rows and columns of a grid must be whole numbers, got "
                f"({rows!r}, {cols!r}). Convert them with int()."
            )
        if rows < 1 or cols < 1 or rows * cols > MAX_CELLS:
            raise ValueError(
                f"{who}: a grid needs 1..{MAX_CELLS} cells, got {rows}x{cols}. Resize the image."
            )
    return tuple((int(rows), int(cols)) for rows, cols in pairs)


def check_cells(
    value: object, grids: Sequence[Grid], name: str, who: str = "lift", dims: int = 2
) -> None:
    """Values of level-0 cells: a tensor with a row per image, as long as the largest image."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{who}: {name} must be a torch.Tensor, got {type(value).__name__}. "
            f"Convert it with torch.as_tensor({name})."
        )
    wanted = (len(grids), max(rows * cols for rows, cols in grids))
    if value.ndim == dims and value.shape[:2] == wanted:
        return
    axes = "images, cells" + ", channels" * (dims == 3)
    shape = f"{wanted[0]}, {wanted[1]}" + ", ..." * (dims == 3)
    advice = "Each image has a row, padded to the cells of the largest image."
    if dims == 2 and value.numel() == wanted[0] * wanted[1]:
        advice = f"Write {name}.reshape({shape})."
    raise ValueError(
        f"{who}: {name} needs shape ({axes}) = ({shape}), got {tuple(value.shape)}. {advice}"
    )
