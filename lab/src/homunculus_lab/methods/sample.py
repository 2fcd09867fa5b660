"""Rules that lay a lattice around the fixation: log-polar rings, learned bins.

Points are ``y x`` in level-0 cells. A lattice point that stands for more than one cell reads the
pyramid as a mip chain: four cells of the level that fits its spacing, bilinearly.
"""

from dataclasses import dataclass
from math import isqrt, pi

import torch
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.engines.cells.allocate.order import best, check_slots, finish, keys, lags
from homunculus.engines.cells.allocate.select import flat
from homunculus.engines.cells.cache import cached, ramp
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule
from homunculus_lab.methods.foveated import gaze, peak


def bilinear(
    field: Field, point: Float[Tensor, "b k 2"], spacing: Float[Tensor, "b k"]
) -> tuple[Int[Tensor, "b k 4"], Float[Tensor, "b k 4"]]:
    """Four cells around each point, on the level whose cells are about as large as the spacing."""
    if not field.regular or field.copies != 1:
        raise ValueError("lattice rules need a pyramid; lift.pyramid makes one")
    start, depth = _starts(field)
    step = _steps(field.levels, point.device)
    level = torch.searchsorted(step, spacing.double().contiguous(), right=True).minimum(depth)
    scale = (1 << level)[..., None]
    side = (field.size[:, None] + scale - 1) >> level[..., None]  # b k 2: cells a side there
    last = side - 1
    place = (point / scale - 0.5).clamp_(min=0).minimum(last)
    low = place.long()
    part = (place - low).float()
    high = (low + 1).minimum(last)
    row = torch.stack((low[..., 0], high[..., 0]), -1) * side[..., 1:]  # b k 2
    col = torch.stack((low[..., 1], high[..., 1]), -1) + start.gather(1, level)[..., None]
    share = torch.stack((1 - part, part), -1)  # b k yx 2
    index = row[..., :, None] + col[..., None, :]
    weight = share[..., 0, :, None] * share[..., 1, None, :]
    return index.flatten(2), weight.flatten(2)


def _starts(field: Field) -> tuple[Int[Tensor, "b l"], Int[Tensor, "b 1"]]:
    """Where each level of each image begins (coarse levels stand first), and its coarsest level."""
    if field.full:
        return _host_starts(field.spans, len(field.grids), field.level.device)
    own = ramp(field.levels, field.level.device)
    start = ((field.level[..., None] > own) & field.valid[..., None]).sum(1)
    return start, field.level.amax(1, keepdim=True)


@cached
def _steps(levels: int, device: torch.device) -> Float[Tensor, "l"]:
    """The spacing from which each coarser level is read: three quarters of its cells' side."""
    return 0.75 * 2.0 ** torch.arange(1, levels, device=device).double()


@cached
def _host_starts(
    spans: tuple[tuple[int, int], ...], images: int, device: torch.device
) -> tuple[Int[Tensor, "b l"], Int[Tensor, "b 1"]]:
    start = torch.tensor([first for first, _ in spans], device=device).expand(images, -1)
    return start, torch.full((images, 1), len(spans) - 1, device=device)


@dataclass(frozen=True, eq=False)
class LogPolar(Rule):
    """Rings around the fixation, each about as wide as it is far: 16 rings x 17 wedges + 1 = 273.

    A ring's wedges share the arc that lies inside the image, so none is clamped to the border.
    Other budgets: about as many rings as wedges, rings differing by at most one; the first slot
    is the fixation itself.
    """

    fixation: Float[Tensor, "b 1 2"] | None = None

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        lag = lags(field, relevance)
        point = peak(field, lag) if self.fixation is None else self.fixation[:, 0].to(lag)
        point, spacing = rings(field, point, min(check_slots(slots), field.max_cells))
        index, weight = bilinear(field, point, spacing)
        return finish(field, index, slots, weight)

    def gaze(self, field: Field, relevance: Relevance) -> Float[Tensor, "b f 2"]:
        """Where it looks."""
        return gaze(field, relevance, self.fixation)


@cached
def ring_plan(slots: int) -> tuple[Int[Tensor, "r"], Int[Tensor, "k"], Int[Tensor, "k"]]:
    """Wedges of each ring; for each slot after the first, its ring and its wedge.

    >>> wedges, ring, wedge = ring_plan(273)
    >>> len(wedges), sorted(set(wedges.tolist())), ring[-1].item(), wedge[-1].item()
    (16, [17], 15, 16)
    """
    rest = max(1, slots - 1)
    count = isqrt(rest)
    slot = torch.arange(rest)
    ring = ((slot + 1) * count - 1) // rest
    first = torch.arange(count + 1) * rest // count
    return first.diff(), ring, slot - first[ring]


@cached
def _lattice(slots: int, device: torch.device) -> tuple[Tensor, ...]:
    """What the rings of a budget need whatever the image: see `rings` for each."""
    wedges, ring, wedge = ring_plan(slots)
    step = (torch.arange(len(wedges)).double() + 0.5) / len(wedges)
    place = (wedge.double() + 0.5) / wedges[ring]
    quarter = torch.arange(4).double() * (pi / 2)
    return tuple(part.to(device) for part in (step, wedges, ring, place, quarter))


def rings(
    field: Field, gaze: Float[Tensor, "b 2"], slots: int
) -> tuple[Float[Tensor, "b k 2"], Float[Tensor, "b k"]]:
    """Points and their spacing. All in double: the same whatever the batch."""
    step, wedges, ring, place, quarter = _lattice(slots, gaze.device)
    size = field.size
    far = size - gaze.double().clamp(min=0).minimum(size)  # a point outside looks from the border
    near = size - far
    reach = 2 * torch.maximum(near, far).square().sum(1, keepdim=True).sqrt_()
    radius = 0.5 * reach**step  # b r: geometric, from half a cell to the farthest corner
    # a border at distance d hides the angles within acos(d / radius) of the way straight to it;
    # b r 4: right, down, left, up, and what is left to see between each and the next
    hidden = torch.cat((far.flip(1), near.flip(1)), 1)[:, None] / radius[..., None]
    hidden = hidden.clamp_(0, 1).acos_()
    visible = (pi / 2 - hidden - hidden.roll(-1, 2)).clamp_(min=0)
    seen = visible.cumsum(2)
    skipped = quarter + hidden - (seen - visible)

    want = place * seen[:, ring, 3]  # b k: how far along what can be seen of its ring
    part = (want[..., None] >= seen[:, ring, :3]).sum(2, keepdim=True)
    angle = want + skipped[:, ring].gather(2, part)[..., 0]
    point = torch.stack((angle.sin(), angle.cos()), -1).mul_(radius[:, ring, None])
    point = point.add_(near[:, None]).clamp_(min=0).minimum(size[:, None])  # against rounding
    # the larger of a wedge's arc and its ring's width: rather overlap than leave a gap
    wide = reach ** (0.5 / len(step))
    spacing = radius * (seen[..., 3] / wedges).maximum(wide - 1 / wide)
    point = torch.cat((near[:, None], point), 1)
    spacing = torch.cat((torch.zeros_like(reach), spacing[:, ring]), 1)
    return point[:, :slots], spacing[:, :slots]


@dataclass(frozen=True, eq=False)
class PseudoLogPolar(Rule):
    """Bins at learned places around the fixation; each takes the best of the nine cells there.

    ``centre`` holds one y x per bin, as a fraction of the image's longer side from the fixation;
    by default a sunflower whose density falls with eccentricity. Bins that fall outside or on the
    same cell give their slot to the most relevant cells left. ``soft`` weighs the nine cells
    instead, so that training can move the centres.
    """

    centre: Float[Tensor, "k 2"] | None = None
    soft: bool = False
    softness: float = 1.0
    fixation: Float[Tensor, "b 1 2"] | None = None

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        flat(field, "pseudo-log-polar")
        lag = lags(field, relevance)
        point = peak(field, lag) if self.fixation is None else self.fixation[:, 0].to(lag)
        rows = min(check_slots(slots), field.max_cells)
        near, score = self._near(field, lag, point, rows)
        if self.soft:
            return finish(field, near, slots, score.softmax(-1))
        taken = near.gather(2, score.argmax(2, keepdim=True))[..., 0]
        chosen = torch.zeros_like(field.valid).scatter(1, taken, True)
        # what a bin took comes before anything that was not taken
        key = torch.add(keys(lag, field.valid), chosen, alpha=-(2**63))
        index = best(key, rows)
        return finish(field, index[..., None], slots)

    def gaze(self, field: Field, relevance: Relevance) -> Float[Tensor, "b f 2"]:
        """Where it looks."""
        return gaze(field, relevance, self.fixation)

    def _near(
        self, field: Field, lag: Float[Tensor, "b n"], centred: Float[Tensor, "b 2"], slots: int
    ) -> tuple[Int[Tensor, "b k 9"], Float[Tensor, "b k 9"]]:
        """The nine cells around each bin and how well each fits: relevance less distance^2."""
        centre = sunflower(slots) if self.centre is None else self.centre[:slots]
        if centre.shape[0] < slots:
            raise ValueError(
                f"pseudo-log-polar: {slots} slots need {slots} centres, got {centre.shape[0]}"
            )
        size = field.size[:, None]
        point = centred[:, None] + centre.to(lag) * size.amax(2, keepdim=True)
        point = point.clamp(min=0).minimum(size.to(lag) - 0.5)
        around = ramp(3, lag.device) - 1
        cell = point.long()[:, :, None] + torch.cartesian_prod(around, around)  # b k 9 2
        cell = cell.clamp(min=0).minimum(size[:, None] - 1)
        away = (cell + 0.5 - point[:, :, None]).square().sum(-1)
        index = cell[..., 0] * size[..., 1:] + cell[..., 1]
        behind = lag.gather(1, index.flatten(1)).view(index.shape)
        return index, -behind - away / self.softness


@cached
def sunflower(slots: int) -> Float[Tensor, "k 2"]:
    """Points of a spiral by the golden angle, dense at the middle, up to one image side away."""
    number = torch.arange(slots).double()
    radius = ((number + 0.5) / slots) ** 1.5
    angle = number * pi * (3 - 5**0.5)
    return torch.stack((radius * angle.sin(), radius * angle.cos()), -1).float()
