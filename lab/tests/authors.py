# ruff: noqa: E501
"""Rivals beside their authors' code, on the same random tensors.

    python tests/authors.py visionzip=CHECKOUT divprune=CHECKOUT ... -o results/rivals.json

A checkout is a clone of the authors' repository (`REPOSITORIES` below says which). Only the named
functions of a file are run, without the libraries that the file imports; nothing is copied. Each
rival that is named gets 100 cases, and its part of the result is written anew.
"""

import argparse
import ast
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from homunculus import Allocation, Field
from homunculus.engines.cells.methods import Method
from homunculus_lab.rivals import RIVALS
from homunculus_lab.rivals.encoder import Attention, EncoderMaterial
from homunculus_lab.rivals.visionzip import context, parts

CASES = 100


@dataclass(frozen=True)
class Repository:
    """Where the authors' code stands, and what of it is run."""

    address: str
    licence: str
    file: str
    names: tuple[str, ...]


REPOSITORIES = {
    "visionzip": Repository(
        "github.com/dvlab-research/VisionZip", "Apache-2.0", "visionzip/clip_encoder.py", ("forward",)
    ),
    "divprune": Repository(
        "github.com/vbdi/divprune", "CC-BY-NC-4.0", "LLaVA/llava/model/llava_arch.py",
        ("pairwise_cosine_similarity", "DivPrune"),
    ),
    "tome": Repository(
        "github.com/facebookresearch/ToMe", "CC-BY-NC-4.0", "tome/merge.py",
        ("do_nothing", "bipartite_soft_matching", "merge_wavg", "merge_source"),
    ),
    "hired": Repository(
        "github.com/hasanar1f/HiRED", "MIT",
        "transformers/src/transformers/models/llava_next/modeling_llava_next.py",
        ("HiRED_sub_img_budgets", "HiRED_token_selection"),
    ),
    "prumerge": Repository(
        "github.com/42Shawn/LLaVA-PruMerge", "Apache-2.0",
        "llava/model/multimodal_encoder/clip_encoder.py",
        ("complement_idx", "hook_k", "hook_q", "token_prune_merge_advanced"),
    ),
    "cdpruner": Repository(
        "github.com/Theia-4869/CDPruner", "Apache-2.0", "llava/model/llava_arch.py",
        ("encode_images",),
    ),
    "mmtok": Repository(
        "github.com/Ironieser/MMTok", "Apache-2.0", "mmtok/core/semantic_selector.py",
        ("_l2_normalize", "mm_coverage_selection"),
    ),
}  # fmt: skip


def functions(path: Path, names: tuple[str, ...], **known: Any) -> SimpleNamespace:
    """The named functions of a file, methods as plain functions, with torch and ``known`` at hand."""
    tree = ast.parse(path.read_text("utf-8"))
    found = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in names
    ]
    if missing := set(names) - {node.name for node in found}:
        raise ValueError(f"{path.name} has no {', '.join(sorted(missing))}: another version?")
    for node in found:
        # annotations name what their file imports; staticmethod is for their class
        node.decorator_list = []
        node.returns = None
        for one in (*node.args.args, *node.args.kwonlyargs):
            one.annotation = None
    import math
    import os

    room: dict[str, Any] = {"torch": torch, "F": F, "np": np, "math": math, "os": os, **known}
    module = ast.Module([ast.parse("from __future__ import annotations").body[0], *found], [])
    exec(compile(ast.fix_missing_locations(module), str(path), "exec"), room)
    return SimpleNamespace(**{name: room[name] for name in names}, room=room)


@dataclass
class Case:
    """One image of random vectors, by a seed."""

    seed: int

    def __post_init__(self) -> None:
        self.chance = torch.Generator().manual_seed(self.seed)
        self.side = self.whole(6, 24)
        self.cells, self.width = self.side**2, self.whole(64, 160)
        self.slots = self.whole(4, min(63, self.cells // 2))
        self.feature = self.normal(self.cells, self.width)

    def whole(self, low: int, high: int) -> int:
        return int(torch.randint(low, high + 1, (), generator=self.chance))

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.chance)

    def plan(self, method: Method, **material: Any) -> tuple[Field, Allocation]:
        given = EncoderMaterial(self.feature[None], **material)
        grid = (self.side, self.side)
        return method.plan([grid], torch.zeros(1, self.cells), self.slots, given)


def kept(plan: tuple[Field, Allocation]) -> set[int]:
    """The level-0 cells that rows stand for."""
    field, allocation = plan
    first = int(field.valid.sum()) - field.grids[0][0] * field.grids[0][1]
    return {int(one) - first for one in allocation.index[0, :, 0]}


def shared(ours: set[int], theirs: set[int]) -> float:
    """The share of their cells that ours has."""
    return len(ours & theirs) / len(theirs)


def same(one: Tensor, two: Tensor) -> float:
    """The share of rows that are equal but for rounding and length."""
    return float(
        (F.cosine_similarity(one.double(), two.double(), dim=-1) > 1 - 1e-6).float().mean()
    )


# ---- one function for each rival: how far a case agrees ------------------------------------------

Agreement = dict[str, float]


def visionzip(path: Path, case: Case) -> Agreement:
    code = functions(path, REPOSITORIES["visionzip"].names)
    heads = 4
    raw = case.normal(1, heads, 1 + case.cells, 1 + case.cells).softmax(-1)
    key = case.normal(1, 1 + case.cells, 32)
    hidden = torch.cat((case.normal(1, 1, case.width), case.feature[None]), 1)
    many = context(case.slots)
    if not many:  # their code divides by it
        case.slots += 8
        many = context(case.slots)
    layers = [SimpleNamespace(metric=key)] * 2
    output = SimpleNamespace(attentions=[raw] * 2, hidden_states=[hidden] * 2)

    class Encoder:
        vision_model = SimpleNamespace(encoder=SimpleNamespace(layers=layers))
        _info = {"dominant": case.slots - many, "contextual": many}  # noqa: RUF012

        def __call__(self, *_: Any, **__: Any) -> Any:
            return output

    fake = SimpleNamespace(vision_tower=Encoder(), device="cpu", dtype=torch.float32)
    tokens, index = code.forward(fake, torch.zeros(1))
    attention = raw[:, :, 0, 1:].mean(1)
    field, plan = case.plan(RIVALS["visionzip"], attention=Attention(attention, key[:, 1:]))
    dominant, _ = parts(attention[0], case.slots)
    embed = torch.einsum("km,kmd->kd", plan.weight[0], field.feature[0, plan.index[0]])  # type: ignore[index]
    theirs = {int(one) - 1 for one in index[0] if one}
    return {
        "kept indices": shared(set(dominant.tolist()), theirs),
        "merged tokens": same(embed[case.slots - many :], tokens[0, -many:]),
    }


def divprune(path: Path, case: Case) -> Agreement:
    code = functions(path, REPOSITORIES["divprune"].names)
    fake = SimpleNamespace(
        pairwise_cosine_similarity=lambda matrix: code.pairwise_cosine_similarity(None, matrix)
    )
    ratio = case.slots / case.cells
    index, _ = code.DivPrune(fake, case.feature, case.cells, None, ratio)
    return {"kept indices": shared(kept(case.plan(RIVALS["divprune"])), set(index.tolist()))}


def tome(path: Path, case: Case) -> Agreement:
    code = functions(path, REPOSITORIES["tome"].names, Callable=Callable)
    value, size, source = case.feature[None], None, None
    while value.shape[1] > case.slots:
        merge, _ = code.bipartite_soft_matching(value, value.shape[1] - case.slots)
        source = code.merge_source(merge, value, source)
        value, size = code.merge_wavg(merge, value, size)
    assert source is not None
    theirs = {tuple(row.nonzero()[:, 0].tolist()) for row in source[0]}
    field, plan = case.plan(RIVALS["tome"])
    first = int(field.valid.sum()) - case.cells
    groups: dict[int, list[int]] = {}
    for cell in range(case.cells):
        groups.setdefault(int(field.parent[0, first + cell]), []).append(cell)
    ours = {tuple(one) for one in groups.values()}
    assert plan.valid.sum() == len(ours) == case.slots
    embed = field.feature[0, plan.index[0, :, 0]]  # type: ignore[index]
    near = (torch.cdist(embed.double(), value[0].double()).amin(1) < 1e-4).float().mean()
    return {"kept indices": len(ours & theirs) / len(theirs), "merged tokens": float(near)}


def hired(path: Path, case: Case, across: int = 1) -> Agreement:
    tiles = case.whole(2, 4) if across == 1 else 4
    down = tiles // across
    code = functions(
        path, REPOSITORIES["hired"].names,
        get_anyres_image_grid_shape=lambda *_: (across, down),
    )  # fmt: skip
    side = 2 * tiles
    tokens, heads, alpha = side * side, 4, 0.2
    deep, shallow = (
        case.normal(1 + tiles, heads, 1 + tokens, 1 + tokens).softmax(-1) for _ in "ab"
    )
    rate = case.whole(10, 50) / 100
    total = int((1 + tiles) * tokens * rate)
    slots = total - min(int(total * alpha), tokens)
    sight = SimpleNamespace(image_size=0)
    fake = SimpleNamespace(
        config=SimpleNamespace(image_grid_pinpoints=None, vision_config=sight),
        HiRED_sub_img_budgets=lambda *given: code.HiRED_sub_img_budgets(fake, *given),
    )
    (mask,) = code.HiRED_token_selection(
        fake, shallow, deep, [1 + tiles], 0, tokens, rate, alpha, [None]
    )
    # the tiles one below or beside the other make the grid; the small view is stretched over it
    grid = (down * side, across * side)
    row, col = torch.meshgrid(torch.arange(grid[0]), torch.arange(grid[1]), indexing="ij")
    tile = (row // side * across + col // side).flatten()
    inside = (row % side * side + col % side).flatten()
    attention = deep[1:, :, 0, 1:].sum(1)[tile, inside]
    small = shallow[0, :, 0, 1:].sum(0)
    glance = small[(row // down * side + col // across).flatten()]
    observed = Attention(attention[None], first=glance[None], tile=tile[None])
    material = EncoderMaterial(attention=observed)
    _, plan = RIVALS["hired"].plan([grid], torch.zeros(1, len(tile)), slots, material)
    ours = set(plan.index[0, :, 0].tolist())
    theirs = {at for at in range(len(tile)) if mask[1 + int(tile[at]), int(inside[at])]}
    return {"kept indices": shared(ours, theirs), "their tokens of K": len(theirs) / slots}


def prumerge(path: Path, case: Case) -> Agreement:
    state: dict[str, Any] = {}
    code = functions(path, REPOSITORIES["prumerge"].names, outputs=state)
    query, key = (torch.cat((case.normal(1, 1, case.width), case.normal(1, case.cells, case.width)), 1)
                  for _ in "qk")  # fmt: skip
    hidden = torch.cat((case.normal(1, 1, case.width), case.feature[None]), 1)
    probe = SimpleNamespace(k_proj=nn.Identity(), q_proj=nn.Identity())
    layers = [SimpleNamespace(self_attn=probe)] * 24

    class Encoder:
        vision_model = SimpleNamespace(encoder=SimpleNamespace(layers=layers))

        def __call__(self, *_: Any, **__: Any) -> Any:
            probe.k_proj(key), probe.q_proj(query)
            return SimpleNamespace(hidden_states=[hidden] * 2)

    case.slots = max(1, case.slots)
    fake = SimpleNamespace(
        vision_tower=Encoder(), device="cpu", dtype=torch.float32, select_layer=-2,
        feature_select=lambda output: output.hidden_states[-2][:, 1:],
    )  # fmt: skip
    ratio = (case.slots + 0.5) / case.cells
    tokens = code.token_prune_merge_advanced(fake, torch.zeros(1), False, ratio)[0]
    attention = (query @ key.mT * case.width**-0.5).softmax(-1)[:, 0, 1:]
    _, plan = case.plan(RIVALS["prumerge"], attention=Attention(attention, key[:, 1:]))
    theirs = attention[0].topk(case.slots).indices.tolist()
    embed = torch.einsum("km,kmd->kd", plan.weight[0], case.feature[plan.index[0]])
    return {
        "kept indices": shared(set(plan.index[0, :, 0].tolist()), set(theirs)),
        "merged tokens": same(embed, tokens[:-1]),
    }


def cdpruner(path: Path, case: Case, images: int = 1) -> Agreement:
    code = functions(path, REPOSITORIES["cdpruner"].names)
    words = case.normal(case.whole(1, 3), 32)
    feature = torch.cat((case.feature[None], case.normal(images - 1, case.cells, case.width)))
    sight = case.normal(images, case.cells, 32) * (1 + torch.arange(images)[:, None, None])
    sight[1:] += 2 * words[0]  # a neighbour that fits the question better
    model = SimpleNamespace(
        get_vision_tower=lambda: lambda *_, **__: (feature, sight, words), mm_projector=lambda x: x
    )
    fake = SimpleNamespace(get_model=lambda: model, visual_token_num=case.slots)
    _, mask = code.encode_images(fake, None, None)
    question = F.normalize(sight, dim=-1) @ F.normalize(words, dim=-1).T
    plan = case.plan(RIVALS["cdpruner"], question=question[:1])
    return {"kept indices": shared(kept(plan), set(mask[0].nonzero()[:, 0].tolist()))}


def mmtok(path: Path, case: Case) -> Agreement:
    code = functions(path, REPOSITORIES["mmtok"].names, Optional=None, List=None, Tuple=None)
    code.room["os"].environ |= {
        "MMTok_JIT_N_THRESHOLD": "9999",
        "MMTok_JIT_K_MAX_THRESHOLD": "9999",
    }
    words = case.normal(case.whole(1, 8), case.width)
    fake = SimpleNamespace(
        target_vision_tokens=case.slots, alpha=0.5, _l2_normalize=code._l2_normalize
    )
    index, _ = code.mm_coverage_selection(
        fake, words, case.feature, case.feature, tv_temp=0.02, vv_temp=0.2
    )
    question = F.normalize(case.feature, dim=-1) @ F.normalize(words, dim=-1).T
    return {
        "kept indices": shared(
            kept(case.plan(RIVALS["mmtok"], question=question[None])), set(index)
        )
    }


CHECKS: dict[str, Callable[[Path, Case], Agreement]] = {
    "visionzip": visionzip, "divprune": divprune, "tome": tome, "hired": hired,
    "prumerge": prumerge, "cdpruner": cdpruner, "mmtok": mmtok,
}  # fmt: skip
DIFFERENCES = {
    "visionzip": "Theirs keeps the class token besides, and a merged token is target + mean: ours is half of it, because a token here is always a mean. Theirs merges before the projector, ours after it.",
    "divprune": "None; theirs takes a ratio of the tokens, ours K.",
    "tome": "Theirs merges a little in every block of the encoder; here the same step is repeated after it, until K are left.",
    "hired": "Theirs rounds budgets down and so keeps fewer than K; ours gives what is left by remainder. Theirs also keeps a share of the small view's own tokens, which no engine here offers. Its code cuts the small view into runs of rows where the paper has squares: see `two_by_two`.",
    "prumerge": "Theirs adds a token for all the rest and does not divide by the weights; ours has K tokens, each a mean (the same direction). Theirs finds K by outliers of attention, and takes all heads as one.",
    "cdpruner": "Theirs scales relevance over the whole batch, so that a neighbour changes what an image keeps; ours scales it in each image: see `batch_of_two`.",
    "mmtok": "None in the choice; theirs compares cells before the projector, and drops words without meaning from the question. Ours keeps all words.",
}
"""Where ours is meant to differ, and why."""
VARIANTS: dict[str, tuple[str, Callable[[Path, Case], Agreement]]] = {
    "hired": ("two_by_two", lambda path, case: hired(path, case, across=2)),
    "cdpruner": ("batch_of_two", lambda path, case: cdpruner(path, case, images=2)),
}


def summary(check: Callable[[Path, Case], Agreement], path: Path, cases: int) -> dict[str, Any]:
    """Means and worst cases."""
    with torch.no_grad():
        found = [check(path, Case(seed)) for seed in range(cases)]
    return {
        name: {
            "mean": round(fmean(one[name] for one in found), 5),
            "least": round(min(one[name] for one in found), 5),
            "equal": sum(one[name] == 1 for one in found),
        }
        for name in found[0]
    }


def agreement(name: str, checkout: Path, cases: int) -> dict[str, Any]:
    """One rival's part of the result."""
    about = REPOSITORIES[name]
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=checkout, capture_output=True, text=True, check=True
    ).stdout.strip()
    result = {
        "repository": about.address, "commit": commit, "licence": about.licence,
        "file": about.file, "functions": list(about.names), "cases": cases,
        "agreement": summary(CHECKS[name], checkout / about.file, cases),
        "differs": DIFFERENCES[name],
    }  # fmt: skip
    if name in VARIANTS:
        variant, check = VARIANTS[name]
        result[variant] = summary(check, checkout / about.file, cases)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", nargs="+", help="NAME=FOLDER, as divprune=/tmp/divprune")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--cases", type=int, default=CASES)
    given = parser.parse_args()
    result = json.loads(given.out.read_text("utf-8")) if given.out.is_file() else {}
    for one in given.checkout:
        name, _, folder = one.partition("=")
        result[name] = agreement(name, Path(folder), given.cases)
        print(name, json.dumps(result[name]["agreement"]))
        given.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
