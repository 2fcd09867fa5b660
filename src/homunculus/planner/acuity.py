"""Acuity: how small a reader still reads.

A normal curve over the logarithm of the height: ``middle`` is the height of a line of text, in
pixels of the picture that the reader gets, at which it reads half of what it reads at all.
`homunculus eyetest` measures it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import erf, log2, sqrt
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homunculus.lazy import not_found
from homunculus.shapes import Float


@dataclass(frozen=True)
class Acuity:
    """P(read | height in pixels) of one reader.

    >>> eyes = Acuity("mine", middle=8.0, width=0.5)
    >>> eyes.read(np.log2([4.0, 8.0, 16.0])).round(2)
    array([0.02, 0.5 , 0.98])
    """

    name: str
    """The reader's."""
    middle: float
    """Height in pixels of a line that is read half of the time."""
    width: float
    """Octaves from there to where 84 % are read."""
    ceiling: float = 1.0
    """Share that is read however large it is."""
    interval: tuple[float, float] | None = None
    """95 % interval of ``middle``, where it was measured."""
    spread: float = 0.0
    """How well ``middle`` is known: one standard deviation, in octaves. Above 0 for readers
    that were not measured."""

    def __post_init__(self) -> None:
        positive = self.middle > 0 and self.width > 0 and self.spread >= 0
        if not (positive and 0 < self.ceiling <= 1):
            raise ValueError(
                f"Acuity {self.name!r}: middle and width must be above 0, spread at least 0 and "
                f"ceiling within 0 to 1, got {self.middle}, {self.width}, {self.spread} and "
                f"{self.ceiling}."
            )

    def read(
        self, octaves: Float[np.ndarray, "*any"], blur: Float[np.ndarray, "*any"] | float = 0.0
    ) -> Float[np.ndarray, "*any"]:
        """P(read) at heights given as log2 of pixels, known up to ``blur`` octaves."""
        width = (blur**2 + self.width**2 + self.spread**2) ** 0.5
        away = octaves - self.log_middle
        away /= width * sqrt(2)
        share = error_function(away)
        share += 1.0
        share *= self.ceiling / 2
        return share

    @property
    def reader(self) -> str:
        """Who is assumed to read, for people."""
        needs = f"{self.middle:.3g} px"
        if self.spread:
            low, high = (self.middle * 2 ** (self.spread * sign) for sign in (-1, 1))
            needs = f"{low:.2g} to {high:.2g} px"
        return f"a reader that needs print {needs} high ({self.name})"

    @property
    def log_middle(self) -> float:
        """``middle`` as log2 of pixels."""
        return log2(self.middle)

    def to_json(self) -> dict[str, Any]:
        """The curve as plain values; `from_json` reads them back."""
        plain = {"name": self.name, "middle": self.middle, "width": self.width}
        interval = None if self.interval is None else list(self.interval)
        spread = {"spread": self.spread} if self.spread else {}
        return plain | {"ceiling": self.ceiling, "interval": interval} | spread

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Acuity":
        """A curve that `to_json` wrote, or the result of `homunculus eyetest` that holds one."""
        curve = content.get("curve", content)
        if curve is None:
            raise ValueError(f"Acuity: there is no curve, {content.get('message', 'none was fit')}")
        try:
            plain = float(curve["middle"]), float(curve["width"]), float(curve.get("ceiling", 1.0))
            low_high = curve.get("interval")
            interval = None if low_high is None else (float(low_high[0]), float(low_high[1]))
            return cls(str(curve["name"]), *plain, interval, float(curve.get("spread", 0.0)))
        except (KeyError, TypeError, IndexError, AttributeError):
            raise ValueError(
                "Acuity: expected name, middle, width and ceiling, or a result of "
                f"`homunculus eyetest`, got {str(curve)[:80]}."
            ) from None


AcuityLike = str | PathLike[str] | Acuity
"""A name, the result of `homunculus eyetest`, or a curve."""
ACUITIES: dict[str, Acuity] = {
    acuity.name: acuity
    for acuity in (
        Acuity("rapidocr", 4.4701, 0.2299, 1.0, (4.3326, 4.6138)),
        Acuity("tesseract", 6.3552, 0.284, 0.9684, (6.1144, 6.625)),
        # a model that was not measured: from 5 px, as good readers need, to the 12 px that are
        # reported (arXiv 2503.23667); measure yours with `homunculus eyetest`
        Acuity("vlm", 8.0, 0.33, spread=0.6),
    )
}
"""Curves by name. Those of the OCR readers are measured: `results/eyetest-*.json`."""
VLM = ACUITIES["vlm"]
"""A vision-language model that was not measured."""


STEPS, LAST = 4096, 4
"""Steps of the table of erf to 1, and where it ends: from there on erf is 1 in 32 bits."""


@cache
def _table() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """erf at each step, and how much more it is at the next."""
    curve = np.array([erf(step / STEPS) for step in range(-LAST * STEPS, LAST * STEPS + 1)])
    curve[[0, -1]] = -1.0, 1.0
    rise = np.diff(curve, append=1.0)
    rise[0] = 0.0
    return curve, rise


def error_function(value: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
    """erf of each number, as exactly as 32 bits tell it: numpy has none.

    >>> error_function(np.array([-9.0, 0.0, 0.5, 9.0])).round(4)
    array([-1.    ,  0.    ,  0.5205,  1.    ])
    """
    curve, rise = _table()
    place = np.multiply(value, STEPS, dtype=np.float64)
    place += LAST * STEPS
    np.clip(place, 0, 2 * LAST * STEPS, out=place)
    step = place.astype(np.intp)
    place -= np.trunc(place)
    place *= rise.take(step, mode="clip")
    place += curve.take(step, mode="clip")
    return place.astype(value.dtype)


THING = 32.0
"""The shorter side of a thing, in pixels, at which half of them are recognised. A reading of
the literature (Torralba, Fergus and Freeman 2008: people recognise most photos of 32 x 32), not
measured."""


def get_acuity(acuity: AcuityLike) -> Acuity:
    """The curve that is meant: by name, by the JSON file of an eye test, or itself.

    >>> get_acuity("vlm").middle
    8.0
    """
    if isinstance(acuity, Acuity):
        return acuity
    if isinstance(acuity, str) and acuity in ACUITIES:
        return ACUITIES[acuity]
    if not isinstance(acuity, str | PathLike):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(
            f"acuity: expected a name ({', '.join(ACUITIES)}), a JSON file of `homunculus eyetest` "
            f"or an Acuity, got {acuity!r:.80} ({type(acuity).__name__})."
        )
    path = Path(str(acuity))
    if not path.is_file():
        instead = f"There are {', '.join(ACUITIES)}, or give a JSON file of `homunculus eyetest`."
        raise ValueError(not_found("acuity", str(acuity), ACUITIES, [], instead))
    try:
        content = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(
            f"{path} holds no JSON ({error}). Give a result of `homunculus eyetest`."
        ) from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds no curve. Give a result of `homunculus eyetest`.")
    return Acuity.from_json({str(name): value for name, value in content.items()})  # pyright: ignore[reportUnknownVariableType]
