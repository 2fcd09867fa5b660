# pyright: basic
"""Image degradation: bad printing, skew, paper, light, blur, noise, JPEG."""

import io
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter


def degrade_print(ink: Any, rng: Random, generator: Any, scale: float) -> Any:
    """Fat, thin or broken letters, as printers and fax machines make them."""
    chance = rng.random()
    if chance < 0.12 and scale > 1:
        soft = np.asarray(ink.filter(ImageFilter.GaussianBlur(0.6 * scale)), np.float32)
        grain = generator.standard_normal(soft.shape, np.float32) * 25
        return Image.fromarray(((soft + grain) > rng.uniform(80, 150)).astype(np.uint8) * 255)
    if chance < 0.17:
        return ink.filter(ImageFilter.MaxFilter(3))
    if chance < 0.22 and scale >= 2:
        return ink.filter(ImageFilter.MinFilter(3))
    return ink


def skew(rng: Random, generator: Any, high: int, wide: int, strength: float) -> np.ndarray:
    """A page not laid quite straight; the unit matrix at no strength."""
    if strength == 0:
        return np.eye(3)
    angle = np.deg2rad(generator.normal(0, 0.9 * strength))
    shear = np.array(
        [
            [generator.uniform(0.88, 1.15), generator.normal(0, 0.02 * strength), 0],
            [generator.normal(0, 0.004 * strength), generator.uniform(0.9, 1.1), 0],
            [
                generator.normal(0, 0.03 * strength / wide),
                generator.normal(0, 0.03 * strength / high),
                1,
            ],
        ]
    )
    return _around(_rotation(angle) @ shear, wide / 2, high / 2)


def _rotation(angle: float) -> np.ndarray:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])


def _around(matrix: np.ndarray, x: float, y: float) -> np.ndarray:
    there, back = np.eye(3), np.eye(3)
    there[:2, 2], back[:2, 2] = (x, y), (-x, -y)
    return there @ matrix @ back


def tilt(rng: Random, generator: Any, sign: Any, high: int, wide: int) -> np.ndarray:
    """The place and perspective of a sign: rotated, sheared, in perspective."""
    angle = np.deg2rad(generator.normal(0, 4 if rng.random() < 0.75 else 14))
    shape = np.array(
        [
            [generator.uniform(0.7, 1.1), generator.normal(0, 0.08), 0],
            [generator.normal(0, 0.03), generator.uniform(0.85, 1.15), 0],
            [generator.normal(0, 0.1) / sign.wide, generator.normal(0, 0.1) / sign.high, 1],
        ]
    )
    matrix = _around(_rotation(angle) @ shape, sign.wide / 2, sign.high / 2)
    place = np.eye(3)
    place[0, 2] = rng.uniform(-0.1 * sign.wide, wide - 0.9 * sign.wide)
    place[1, 2] = rng.uniform(-0.1 * sign.high, high - 0.9 * sign.high)
    return place @ matrix


def texture(rng: Random, generator: Any, high: int, wide: int, depth: float) -> np.ndarray:
    """Clouds at one scale."""
    side = rng.choice([3, 5, 8, 24, 96])
    rough = generator.standard_normal((side, side), np.float32) * depth
    return np.asarray(Image.fromarray(rough).resize((wide, high), Image.Resampling.BICUBIC))


def scan(ink: np.ndarray, rng: Random, generator: Any) -> np.ndarray:
    """Ink on paper, through a scanner."""
    high, wide = ink.shape
    white = rng.uniform(190, 255)
    paper = np.full((high, wide), white, np.float32)
    if rng.random() < 0.4:
        paper += texture(rng, generator, high, wide, rng.uniform(2, 14))
    if rng.random() < 0.3:
        for _ in range(rng.randint(1, 4)):
            y, x = rng.randint(0, high - 8), rng.randint(0, wide // 2)
            paper[y : y + rng.randint(12, 120), x : rng.randint(x + 8, wide)] -= rng.uniform(10, 60)
    black = rng.uniform(0, 120) if rng.random() < 0.8 else white - rng.uniform(45, 90)
    pixels = paper * (1 - ink) + black * ink
    chance = rng.random()
    if chance < 0.1:
        pixels = 255 - pixels
    elif chance < 0.24:
        y = rng.randint(0, high - 20)
        band = slice(y, y + rng.randint(14, 110))
        pixels[band] = 255 - pixels[band]
    return add_camera_noise(pixels, rng, generator)


def background(
    rng: Random, generator: Any, high: int, wide: int, photos: Sequence[np.ndarray]
) -> np.ndarray:
    """A piece of a photo, or clouds where there are none."""
    if not len(photos) or rng.random() < 0.1:
        base = np.full((high, wide), rng.uniform(30, 225), np.float32)
        for _ in range(3):
            base += texture(rng, generator, high, wide, rng.uniform(5, 30))
        return np.clip(base, 0, 255)
    photo = photos[rng.randrange(len(photos))]
    side = min(*photo.shape, rng.randint(150, 480))
    y, x = rng.randint(0, photo.shape[0] - side), rng.randint(0, photo.shape[1] - side)
    piece = Image.fromarray(photo[y : y + side, x : x + side])
    return np.asarray(piece.resize((wide, high), Image.Resampling.BICUBIC), np.float32)


def paint_sign(pixels: np.ndarray, ink: np.ndarray, corner: np.ndarray, rng: Random) -> np.ndarray:
    """Letters on the photo, on a board of their own as often as not."""
    high, wide = pixels.shape
    mask = Image.new("L", (wide, high), 0)
    ImageDraw.Draw(mask).polygon([tuple(map(float, point)) for point in corner], fill=255)
    board = np.asarray(mask, np.float32) / 255
    if rng.random() < 0.6:
        shade = rng.uniform(10, 245)
        keep = rng.uniform(0, 0.25)
        pixels = pixels * (1 - board * (1 - keep)) + shade * board * (1 - keep)
    around = float((pixels * board).sum() / max(1.0, board.sum()))
    far = rng.uniform(45, 200)
    dark = around > 128 if rng.random() < 0.85 else around > 90
    colour = np.clip(around - far if dark else around + far, 0, 255)
    return pixels * (1 - ink) + colour * ink


def photograph(pixels: np.ndarray, rng: Random, generator: Any) -> np.ndarray:
    """Light that falls off, a lens, a sensor."""
    high, wide = pixels.shape
    if rng.random() < 0.4:
        ramp = (
            np.linspace(-1, 1, wide)[None] * generator.normal()
            + np.linspace(-1, 1, high)[:, None] * generator.normal()
        )
        pixels = pixels * (1 + 0.15 * ramp)
    if rng.random() < 0.15:
        pixels = pixels * rng.uniform(0.3, 0.7)
    return add_camera_noise(pixels, rng, generator)


def add_camera_noise(pixels: np.ndarray, rng: Random, generator: Any) -> np.ndarray:
    """Blur, a poorer copy, generator, JPEG."""
    high, wide = pixels.shape
    shown = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    if rng.random() < 0.15:
        poor = rng.uniform(0.55, 0.9)
        shown = shown.resize((round(wide * poor), round(high * poor)), Image.Resampling.LANCZOS)
        shown = shown.resize((wide, high), Image.Resampling.BICUBIC)
    if rng.random() < 0.4:
        wide_blur = 1.0 if rng.random() < 0.85 else 1.6
        shown = shown.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, wide_blur)))
    if rng.random() < 0.5:
        grain = generator.standard_normal((high, wide), np.float32) * rng.uniform(1, 14)
        shown = Image.fromarray(
            np.clip(np.asarray(shown, np.float32) + grain, 0, 255).astype(np.uint8)
        )
    if rng.random() < 0.5:
        buffer = io.BytesIO()
        shown.save(buffer, "JPEG", quality=rng.randint(25, 95))
        shown = Image.open(buffer).convert("L")
    return np.asarray(shown)
