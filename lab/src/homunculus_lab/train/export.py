# pyright: basic
"""Files of ONNX, as the product runs them, from the weights that a training left.

`words` reads a page, `match` compares its cells with words, `height` tells how large print is, and
three spreads tell where the answer stands. The same weights give the same bytes.
"""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from homunculus.scouts.words.evidence import EVIDENCE, FAINT_MATCH, FEATURES
from homunculus.scouts.words.net import BITS, KINDS
from homunculus.scouts.words.scan import FAINT_TEXT
from homunculus_lab.train import height_net, ranges, spread_net
from homunculus_lab.train.graph import ORT, Graph
from homunculus_lab.train.height_net import HeightHead
from homunculus_lab.train.net import EMBED, FILE, WIDTH, Block, WordNet, blocks
from homunculus_lab.train.net import load as load_net
from homunculus_lab.train.ranges import LETTER, Layer, Ranges, layers
from homunculus_lab.train.spread_net import MODES, Spread, SteeredBlock
from homunculus_lab.train.storage import WEIGHTS, digest

VERSION = "2"
"""The version of inputs and outputs; 1 were files for torch."""
LICENCE, SUITE = "Apache-2.0", "receipts of SROIE (CC BY 4.0)"
"""Of the shipped weights, and what their real pages are."""
TINY = 1e-12
"""The least length that something is divided by."""


def export(folder: Path, out: Path | None = None) -> list[Path]:
    """Write a file for each net that a folder has weights of; returns their paths."""
    out = out or folder
    out.mkdir(parents=True, exist_ok=True)
    written = list[Path]()
    if (file := folder / FILE).exists():
        net, about = load_net(file)
        said = _said(file, about)
        written += [
            words(net).save(out / "words.onnx", {"net": "words"} | said),
            match(net).save(out / "match.onnx", {"net": "match"} | said),
        ]
        whole = out / "words-int8.onnx"
        whole.unlink(missing_ok=True)  # one of other weights would be taken in place of the floats
        if (beside := folder / ranges.FILE).exists():
            said |= {"precision": "int8", "ranges": digest(beside)}
            graph = words_int8(net, ranges.load(beside, digest(file)))
            written.append(graph.save(whole, {"net": "words"} | said))
    if (file := folder / height_net.FILE).exists():
        head, about = height_net.load(file)
        said = {"net": "height"} | _said(file, about) | {"on": about["on"]}
        written.append(height(head).save(out / "height.onnx", said))
    for mode in MODES:
        if (file := folder / f"spread-{mode}.safetensors").exists():
            net, about = spread_net.load(file, mode)
            said = {"net": f"spread-{mode}"} | _said(file, about)
            written.append(spread(net).save(out / f"spread-{mode}.onnx", said))
    return written


def _said(file: Path, about: dict[str, Any]) -> dict[str, Any]:
    """What a file says about itself: where it comes from, and what was learned from."""
    ours, real = file.parent == WEIGHTS, about.get("real")
    pages = f"{about['pages']:,} rendered pages" if "pages" in about else "rendered crops"
    data = pages + (f", {real} {SUITE if ours else 'real pages'}" if real else "")
    licence = {"licence": LICENCE} if ours else {}
    return {"version": VERSION, "source": digest(file), "data": data} | licence


# ---- the word net --------------------------------------------------------------------------------


def words(net: WordNet) -> Graph:
    """Grey pixels of a page in; text of all cells out, and features of those that may hold any."""
    g = Graph()
    grey, mean, spread = _page(g)
    x = g.cast(g("Unsqueeze", grey, g.constant([0, 1])), np.float32)
    x = g("Div", g("Sub", x, mean), spread)
    pads, weight = [2] * 4, g.half(_whole(_array(net.stem.weight)))
    x = g("Relu", g("Conv", x, weight, g.half(_array(net.stem.bias)), pads=pads, strides=[2, 2]))
    x = g("Relu", _normalised(g, x, net.down, net.norm))
    for block in blocks(net.fine):
        x = _block(g, x, block)
    x = g("Relu", _conv(g, x, net.cell))
    for block in blocks(net.near):
        x = _block(g, x, block)
    letter = x
    for block in blocks(net.line):
        x = _block(g, x, block)
    head = [
        g.half(_array(net.text_head.weight)[:, :, None, None]),
        g.half(_array(net.text_head.bias)),
    ]
    text = g("Sigmoid", g("Conv", x, *head))
    cells = _cells(g, text)
    letter, word = (
        g(
            "Transpose",
            g("Gather", g("Reshape", part, g.constant([WIDTH, -1])), cells, axis=1),
            perm=[1, 0],
        )
        for part in (letter, x)
    )
    return _told(g, net, g("Squeeze", text, g.constant([0, 1])), cells, letter, word)


def _page(g: Graph) -> tuple[str, str, str]:
    """A page of greys from 0 to 255, with sides of whole cells; their mean and spread (`FLAT`)."""
    grey = g.input("grey", np.uint8, ["h", "w"])
    return grey, g.input("mean", np.float32, []), g.input("spread", np.float32, [])


def _whole(weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """The first layer's weights for pixels that are not taken apart by four."""
    out = np.zeros((len(weight), 1, 6, 6), np.float32)
    for part in range(4):
        out[:, 0, part // 2 :: 2, part % 2 :: 2] = weight[:, part]
    return out


def _block(g: Graph, x: str, block: Block) -> str:
    inside = g("Relu", _normalised(g, x, block.first, block.norm))
    return g("Relu", g("Add", _conv(g, inside, block.second), x))


def _normalised(g: Graph, x: str, conv: nn.Conv2d, norm: nn.BatchNorm2d) -> str:
    """A convolution that is normalised after it: a factor and a bias for each channel."""
    factor, bias = _factor_and_bias(norm)
    weight = g("Mul", g.half(_array(conv.weight)), g.constant(factor[:, None, None, None]))
    return g("Conv", x, weight, g.constant(bias), **_sides(conv))


def _factor_and_bias(norm: nn.BatchNorm2d) -> tuple[NDArray[Any], NDArray[Any]]:
    weight, bias, mean, variance = (
        _array(part) for part in (norm.weight, norm.bias, norm.running_mean, norm.running_var)
    )
    factor = weight * np.reciprocal(np.sqrt(variance + np.float32(norm.eps)))
    return factor, bias - mean * factor


def _conv(g: Graph, x: str, conv: nn.Conv2d) -> str:
    bias = [] if conv.bias is None else [g.half(_array(conv.bias))]
    return g("Conv", x, g.half(_array(conv.weight)), *bias, **_sides(conv))


def _sides(conv: nn.Conv2d) -> dict[str, Any]:
    return {
        "pads": [*conv.padding, *conv.padding],
        "strides": [*conv.stride],
        "dilations": [*conv.dilation],
        "group": conv.groups,
    }


def _cells(g: Graph, text: str) -> str:
    """Numbers of the cells that may hold text."""
    flat = g.constant([-1])
    some = g("Greater", text, g.constant(FAINT_TEXT, np.float32))
    return g("Reshape", g("NonZero", g("Reshape", some, flat)), flat)


def _told(g: Graph, net: WordNet, text: str, cells: str, letter: str, word: str) -> Graph:
    """The heads, and the outputs."""
    hidden = g("Relu", _linear(g, word, net.hidden))
    embed = _normal(g, _linear(g, hidden, net.embed_head))
    kind = g("Softmax", _linear(g, hidden, net.kind_head), axis=1)
    g.output("text", text, ["rows", "cols"])
    g.output("cells", cells, ["n"], np.int64)
    g.output("letter", letter, ["n", WIDTH])
    g.output("word", word, ["n", WIDTH])
    g.output("embed", embed, ["n", EMBED])
    g.output("kind", kind, ["n", len(KINDS)])
    return g


def match(net: WordNet) -> Graph:
    """Embeddings of cells and codes of words in; out how likely each cell is part of each word."""
    g = Graph()
    embed = g.input("embed", np.float32, ["m", EMBED])
    code = g.input("code", np.float32, ["n", BITS])
    first, _, second = cast(Iterable[nn.Linear], net.query_head)
    query = _normal(g, _linear(g, g("Relu", _linear(g, code, first)), second))
    scale = g.constant(_array(net.log_scale.exp()))
    logit = g("Mul", g("MatMul", embed, g("Transpose", query, perm=[1, 0])), scale)
    logit = g("Add", logit, g.constant(_array(net.bias)))
    g.output("probability", g("Sigmoid", logit), ["m", "n"])
    return g


def _linear(g: Graph, x: str, layer: nn.Linear) -> str:
    return g("Gemm", x, g.half(_array(layer.weight)), g.half(_array(layer.bias)), transB=1)


def _normal(g: Graph, x: str) -> str:
    length = g("ReduceL2", x, axes=[1], keepdims=1)
    return g("Div", x, g("Max", length, g.constant(TINY, np.float32)))


def _array(value: Tensor | None) -> NDArray[np.float32]:
    assert value is not None
    return value.detach().float().numpy()


# ---- the word net in whole numbers ---------------------------------------------------------------

STEPS = 255
"""Steps of 8 bits."""
Step = tuple[str, str]
"""What a whole number is worth, and which one stands for 0."""


def words_int8(net: WordNet, spans: Ranges) -> Graph:
    """The same in whole numbers of 8 bits, with channels last; its heads stay in floats.

    Weights have a scale for each channel, activations one for each layer. Sums are exact in 32
    bits. Greys are taken as they are: mean and spread of the page go into the first layer's bias.
    """
    g = Graph()
    none = g.constant(0, np.uint8)
    steps = [_step(float(top)) for top in spans.top]
    known = [(g.constant(step), none) for step in steps]
    lows, highs = (iter(part.tolist()) for part in (spans.low, spans.high))
    grey, mean, spread = _page(g)
    x = before = _first(g, Layer(net.stem), (grey, mean, spread), known[0])
    letter = ""
    for index, layer in enumerate(layers(net)):
        if index == 0:
            continue
        weight, scale, bias = _weights(layer)
        bias = g.constant(np.rint(bias / steps[index - 1]).astype(np.int32))
        after = _span(g, next(lows), next(highs)) if layer.adds else known[index]
        out = _whole_conv(g, layer.conv, x, known[index - 1], (weight, scale), bias, after)
        if layer.adds:
            out = g("QLinearAdd", out, *after, before, *known[index - 2], *known[index], domain=ORT)
        before, x = x, out
        letter = out if index == LETTER else letter
    letter, word = (g("Reshape", part, g.constant([-1, WIDTH])) for part in (letter, x))
    head = g.constant(_array(net.text_head.weight).T * steps[-1])
    text = g("MatMul", g.cast(word, np.float32), head)
    text = g("Sigmoid", g("Add", text, g.constant(_array(net.text_head.bias))))
    cells = _cells(g, text)
    letter, word = (
        g("DequantizeLinear", g("Gather", part, cells, axis=0), *known[place])
        for part, place in ((letter, LETTER), (word, -1))
    )
    sides = g("Div", g("Shape", grey), g.constant([8, 8]))
    return _told(g, net, g("Reshape", text, sides), cells, letter, word)


def _first(g: Graph, layer: Layer, page: tuple[str, str, str], after: Step) -> str:
    """The first layer: four pixels are four channels, and beyond the page all have its mean."""
    grey, mean, spread = page
    one, two, four = (g.constant([count]) for count in (1, 2, 4))
    high, wide = g("Split", g("Div", g("Shape", grey), two), axis=0, outputs=2)
    x = g("Reshape", grey, g("Concat", high, two, wide, two, axis=0))
    x = g("Transpose", x, perm=[0, 2, 1, 3])
    x = g("Reshape", x, g("Concat", one, high, wide, four, axis=0))
    around = g.constant([0, 1, 1, 0] * 2)
    x = g("Pad", x, around, g.cast(g("Round", mean), np.uint8))
    weight, scale, bias = _weights(layer)
    # (grey - mean) / spread @ weight + bias, all in units of weight's scale / spread
    total = g.constant(weight.sum((1, 2, 3), dtype=np.float32))
    bias = g("Mul", g.constant(bias), spread)
    bias = g.cast(g("Round", g("Sub", bias, g("Mul", total, mean))), np.int32)
    before = g("Div", g.constant(np.float32(1)), spread), after[1]
    return _whole_conv(g, layer.conv, x, before, (weight, scale), bias, after, [0] * 4)


def _whole_conv(
    g: Graph,
    conv: nn.Conv2d,
    x: str,
    before: Step,
    weights: tuple[NDArray[np.int8], NDArray[np.float32]],
    bias: str,
    after: Step,
    pads: list[int] | None = None,
) -> str:
    """A convolution; what would be below 0 is cut off by what its steps span."""
    weight, scale = weights
    sides = _sides(conv) | {"kernel_shape": [*conv.kernel_size], "channels_last": 1}
    sides |= {"pads": pads} if pads else {}
    known = g.constant(weight), g.constant(scale), g.constant(np.zeros(len(scale), np.int8))
    return g("QLinearConv", x, *before, *known, *after, bias, domain=ORT, **sides)


def _weights(layer: Layer) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    """Whole weights, the scale of each channel, and the bias in units of it.

    Two neighbours of one sign make 128 at most: times 255 that is less than 2**15, in which
    processors without VNNI add them.
    """
    weight = _array(layer.conv.weight)
    if layer.norm is None:
        bias = _array(layer.conv.bias)
    else:
        factor, bias = _factor_and_bias(layer.norm)
        weight = weight * factor[:, None, None, None]
    pairs = weight.reshape(len(weight), -1, 2, *weight.shape[2:])
    sums = [(part * (part > 0)).sum(2).max((1, 2, 3)) for part in (pairs, -pairs)]
    scale = np.maximum(np.maximum(*sums), np.float32(TINY)) / np.float32(127)
    return np.rint(weight / scale[:, None, None, None]).astype(np.int8), scale, bias / scale


def _step(span: float) -> np.float32:
    return np.float32(max(span, 1e-6) / STEPS)


def _span(g: Graph, low: float, high: float) -> Step:
    """Steps from a low value to a high one, 0 among them."""
    step = _step(high - low)
    return g.constant(step), g.constant(np.rint(-low / step), np.uint8)


# ---- heads ---------------------------------------------------------------------------------------


def height(head: HeightHead) -> Graph:
    """Features of cells in; out log2 of the height of their print, and log of its variance."""
    g = Graph()
    cell = [g.input(name, np.float32, ["n", WIDTH]) for name in ("letter", "word")]
    inner = g("Relu", _linear(g, g("Concat", *cell, axis=1), head.first))
    told = _linear(g, inner, head.second)
    octaves, variance = (g("Gather", told, g.constant(column), axis=1) for column in (0, 1))
    g.output("octaves", g("Add", octaves, g.constant(height_net.OCTAVES, np.float32)), ["n"])
    bounds = (g.constant(end, np.float32) for end in (height_net.NARROWEST, height_net.WIDEST))
    g.output("variance", g("Clip", variance, *bounds), ["n"])
    return g


def spread(net: Spread) -> Graph:
    """Maps of a page and the question in; out how likely each cell is part of the answer, as a
    logarithm."""
    g = Graph()
    maps = g.input("maps", np.float32, ["q", len(FEATURES), "r", "c"])
    buckets = g.input("buckets", np.int64, ["q", "t"])
    kinds = g.input("kinds", np.float32, ["q", len(KINDS)])
    bag = g("Concat", _bag(g, net, buckets), kinds, axis=1)
    question = g("Relu", _linear(g, bag, net.question))
    x = g("Relu", _conv(g, _scaled(g, maps), net.enter))
    for block in cast(Iterable[SteeredBlock], net.blocks):
        x = _steered(g, x, question, block)
    logit = g("Squeeze", _conv(g, x, net.leave), g.constant([1]))
    g.output("logit", g("Neg", g("Softplus", g("Neg", logit))), ["q", "r", "c"])
    return g


def _bag(g: Graph, net: Spread, buckets: str) -> str:
    """The mean of the buckets' embeddings; 0 for a question without words."""
    none, along = g.constant(0), g.constant([1])
    valid = g.cast(g("GreaterOrEqual", buckets, none), np.float32)
    each = g("Gather", g.half(_array(net.bucket.weight)), g("Max", buckets, none), axis=0)
    each = g("Mul", each, g("Unsqueeze", valid, g.constant([2])))
    total = g("ReduceSum", each, along, keepdims=0)
    count = g("ReduceSum", valid, along, keepdims=1)
    return g("Div", total, g("Max", count, g.constant(1, np.float32)))


def _scaled(g: Graph, maps: str) -> str:
    """Evidence on a logarithmic scale (`spread_net.scaled`)."""
    parts = g.constant([EVIDENCE, len(FEATURES) - EVIDENCE])
    evidence, page = g("Split", maps, parts, axis=1, outputs=2)
    ends = (g.constant(end, np.float32) for end in (FAINT_MATCH, 1))
    least = g.constant(math.log(FAINT_MATCH), np.float32)
    share = g("Div", g("Log", g("Clip", evidence, *ends)), least)
    return g("Concat", g("Sub", g.constant(1, np.float32), share), page, axis=1)


def _steered(g: Graph, x: str, question: str, block: SteeredBlock) -> str:
    seen = [_conv(g, x, conv) for conv in (block.around, block.line, block.column)]
    seen = g("Add", g("Add", seen[0], seen[1]), seen[2])
    steer = g("Unsqueeze", _linear(g, question, block.steer), g.constant([2, 3]))
    gain, shift = g("Split", steer, axis=1, outputs=2)
    hidden = g("Mul", _conv(g, seen, block.widen), g("Add", gain, g.constant(1, np.float32)))
    hidden = g("Relu", g("Add", hidden, shift))
    return g("Add", _conv(g, hidden, block.narrow), x)
