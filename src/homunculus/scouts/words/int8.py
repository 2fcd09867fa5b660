"""The word net in whole numbers of 8 bits, about four times as fast where the processor has VNNI.

Weights have a scale for each channel, activations one for each layer, set beforehand from the
largest values on rendered print. Sums are exact in 32 bits, so a result does not depend
on what else is computed with it.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import UInt8
from torch import Tensor, nn

from homunculus.scouts.words.net import Block, Features, WordNet, load_weights

FILE = "int8.safetensors"
NAME = "int8"
STEPS = 255


class Ranges(nn.Module):
    """The largest value of each layer, in the net's order: what its 255 steps span."""

    def __init__(self) -> None:
        super().__init__()
        self.top = nn.Parameter(torch.ones(LAYERS), requires_grad=False)


def layers(net: WordNet) -> Iterator[tuple[nn.Conv2d, bool]]:
    """All convolutions in order, and whether a residual block's sum follows."""
    blocks = [*net.near, *net.line]
    yield net.stem, False
    yield net.down, False
    for block in cast(Iterable[Block], net.fine):
        yield from ((block.first, False), (block.second, True))
    yield net.cell, False
    for block in cast(Iterable[Block], blocks):
        yield from ((block.first, False), (block.second, True))


LAYERS = 3 + 2 * (2 + 3 + 4)
LETTER = 6 + 2 * 3
"""The place in the order after which letters are known, before the line's context."""


class Int8Net:
    """The body of a fused word net in whole numbers, on the processor; its heads stay in floats."""

    def __init__(self, net: WordNet, ranges: Ranges) -> None:
        self.net = net
        scales = [max(float(top), 1e-6) / STEPS for top in ranges.top]
        self.letter, self.word = scales[LETTER], scales[-1]
        pairs = zip(layers(net), scales, strict=True)
        self.layers = [(_Layer(conv, scale), adds) for (conv, adds), scale in pairs]

    def features(
        self, grey: UInt8[Tensor, "1 1 h w"], mean: float | int, spread: float | int
    ) -> Features:
        """Features of grey pixels on a page of this mean and spread, both in 0 to 255.

        Letters and words are whole numbers still: times `letter` and `word` they are the net's.
        """
        x, before = _unshuffle(grey), None
        scale, zero = 1 / spread, round(mean)
        letter, steps = x, [scale]
        for index, (layer, adds) in enumerate(self.layers):
            if index == LETTER + 1:
                letter = x.clone()  # sums are written in place
            if adds:
                assert before is not None
                x = layer.add(x, steps[-1], before, steps[-2])
            else:
                before, x = x, layer(x, steps[-1], zero if index == 0 else 0)
            steps.append(layer.step)
        word = rearrange(x, "b d rows cols -> b rows cols d")
        text = (word.float() @ (self.net.text_head.weight[0] * self.word)) + self.net.text_head.bias
        return Features(text, rearrange(letter, "b d rows cols -> b rows cols d"), word)


class _Layer:
    """A convolution and what follows it, in whole numbers: greys or activations in and out."""

    def __init__(self, conv: nn.Conv2d, step: float | int) -> None:
        weight = conv.weight.detach().float()
        self.scale = weight.abs().amax((1, 2, 3)).clamp(min=1e-12) / 127
        whole = (weight / self.scale[:, None, None, None]).round().to(torch.int8)
        self.shape = [list(sides) for sides in _shape(conv)]
        self.zero = torch.zeros(len(weight), dtype=torch.int32)
        self.weight = _ops().qconv_prepack(whole, self.scale, 1.0, 0, *self.shape, 1, None)
        assert conv.bias is not None
        self.bias, self.step = conv.bias.detach().float(), step

    def __call__(self, x: Tensor, step: float | int, zero: int) -> Tensor:
        return _ops().qconv2d_pointwise(
            x, step, zero, self.weight, self.scale, self.zero, self.bias, *self.shape, 1,
            self.step, 0, torch.uint8, "relu", [], "",
        )  # fmt: skip

    def add(self, x: Tensor, step: float | int, before: Tensor, other: float | int) -> Tensor:
        return _ops().qconv2d_pointwise.binary(
            x, step, 0, self.weight, self.scale, self.zero, before, self.bias, *self.shape, 1,
            self.step, 0, torch.uint8, other, 0, "sum", 1.0, "relu", [], "",
        )  # fmt: skip


def _shape(conv: nn.Conv2d) -> tuple[tuple[int, ...], ...]:
    return conv.stride, cast(tuple[int, ...], conv.padding), conv.dilation


def _ops() -> Any:
    return torch.ops.onednn


def _unshuffle(grey: UInt8[Tensor, "1 1 h w"]) -> UInt8[Tensor, "1 4 h2 w2"]:
    """`F.pixel_unshuffle` by 2 with channels last: two pixels at a time are moved as one number."""
    high, wide = grey.shape[-2:]
    pairs = grey.contiguous().view(torch.int16).view(high // 2, 2, wide // 2)
    whole = pairs.transpose(1, 2).contiguous().view(torch.uint8)
    return rearrange(whole.view(1, high // 2, wide // 2, 4), "b h w d -> b d h w")


@lru_cache(maxsize=1)
def available() -> bool:
    """Whether this processor and this torch do it, and do it right: a small sum is tried."""
    vnni = getattr(torch.cpu, "_is_vnni_supported", None)
    if vnni is None or not vnni() or not torch.backends.mkldnn.is_available():
        return False
    try:
        return _tried()
    except (AttributeError, RuntimeError, TypeError):  # other versions have other signatures
        return False


def _tried() -> bool:
    """One convolution with a sum against the same in floats, on numbers that come out whole."""
    make = torch.Generator().manual_seed(0)
    conv = nn.Conv2d(4, 8, 3, padding=1)
    weight = torch.randint(-3, 4, conv.weight.shape, generator=make).float()
    weight[:, 0, 0, 0] = 127.0  # so that the scale of every channel is 1
    with torch.inference_mode():
        conv.weight.copy_(weight)
        assert conv.bias is not None
        conv.bias.zero_()
        x = torch.randint(0, 2, (1, 4, 6, 6), generator=make, dtype=torch.uint8)
        x = x.contiguous(memory_format=torch.channels_last)
        rest = torch.randint(0, 9, (1, 8, 6, 6), generator=make, dtype=torch.uint8)
        rest = rest.contiguous(memory_format=torch.channels_last)
        expected = F.relu(conv(x.float()) + rest.float()).clamp(max=255)
        return torch.equal(_Layer(conv, 1.0).add(x, 1.0, rest, 1.0).float(), expected)


def load(path: Path, net: str) -> Ranges | None:
    """The ranges of a file; None if they are of another net than the one with this hash."""
    ranges = Ranges()
    return ranges if load_weights(ranges, path, NAME).get("on") == net else None
