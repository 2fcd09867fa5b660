"""Rivals against slow, obvious loops written from their papers; ties; and who refuses them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor

import homunculus
import tiny
from cases import Case, planned
from homunculus import get_method
from homunculus.commands.main import main
from homunculus.engines.cells.pack import pack
from homunculus.engines.vllm.settings import ServerSettings
from homunculus_lab.rivals import RIVALS
from homunculus_lab.rivals.encoder import Attention, EncoderMaterial
from homunculus_lab.rivals.visionzip import context

GRID, CELLS = (7, 6), 42
SLOTS = (1, 5, 13, 30)


def given(seed: int, channels: int = 40) -> EncoderMaterial:
    chance = torch.Generator().manual_seed(seed)
    feature, key = (torch.randn(1, CELLS, wide, generator=chance) for wide in (channels, 8))
    late, first = (torch.rand(1, CELLS, generator=chance) for _ in "ab")
    tile = (torch.arange(CELLS) // 6 // 4 * 2 + torch.arange(CELLS) % 6 // 3)[None]
    question = torch.rand(1, CELLS, 3, generator=chance) * 2 - 1
    attention = Attention(late, key, first, tile)
    return EncoderMaterial(feature, attention=attention, question=question)


def plan(name: str, slots: int, material: EncoderMaterial) -> homunculus.Allocation:
    return get_method(name).plan([GRID], torch.zeros(1, CELLS), slots, material)[1]


def cosine(value: Tensor) -> Tensor:
    unit = F.normalize(value.double(), dim=-1)
    return unit @ unit.T


@pytest.mark.parametrize("slots", SLOTS)
def test_divprune_keeps_what_is_furthest_from_all_that_is_kept(slots: int) -> None:
    material = given(slots)
    away = 1 - cosine(material.feature[0])
    lonely = [min(away[i, j] for j in range(CELLS) if j != i) for i in range(CELLS)]
    kept = [max(range(CELLS), key=lambda i: lonely[i])]
    while len(kept) < slots:
        rest = [i for i in range(CELLS) if i not in kept]
        kept.append(max(rest, key=lambda i: min(away[i, j] for j in kept)))
    assert plan("divprune", slots, material).index[0, :, 0].tolist() == kept


@pytest.mark.parametrize("inverted", [True, False])
@pytest.mark.parametrize("slots", SLOTS)
def test_cdpruner_adds_what_makes_the_determinant_largest(slots: int, inverted: bool) -> None:
    material = given(slots)
    fit = material.question[0].double().mean(1) * (-1 if inverted else 1)
    fit = (fit - fit.min() + 1e-6) / (fit.max() - fit.min())
    kernel = fit[:, None] * cosine(material.feature[0]) * fit
    kept: list[int] = []
    while len(kept) < slots:
        rest = [i for i in range(CELLS) if i not in kept]
        kept.append(max(rest, key=lambda i: torch.logdet(kernel[[*kept, i]][:, [*kept, i]])))
    method = get_method("cdpruner").set(inverted=inverted)
    found = method.plan([GRID], torch.zeros(1, CELLS), slots, material)[1]
    assert found.index[0, :, 0].tolist() == kept


def test_cdpruner_goes_on_by_relevance_where_all_features_are_spanned() -> None:
    material = given(0, channels=4)
    index = plan("cdpruner", 12, material).index[0, :, 0].tolist()
    fit = -material.question[0].mean(1)
    rest = [fit[i] for i in index[4:]]
    assert len(set(index)) == 12
    assert min(rest) >= sorted(fit, reverse=True)[13]


@pytest.mark.parametrize("slots", SLOTS)
def test_mmtok_adds_what_covers_most_of_words_and_cells(slots: int) -> None:
    material = given(slots)
    words = (material.question[0].double().T / 0.02).softmax(1) / 3
    cells = (cosine(material.feature[0]) / 0.2).softmax(1) / CELLS
    cover, kept = torch.cat((words, 0.5 * cells)), list[int]()
    while len(kept) < slots:
        rest = [i for i in range(CELLS) if i not in kept]
        kept.append(max(rest, key=lambda i: float(cover[:, [*kept, i]].amax(1).sum())))
    assert plan("mmtok", slots, material).index[0, :, 0].tolist() == kept


def test_mmtok_covers_the_words_that_an_image_has() -> None:
    material = given(3)
    none = torch.full((1, CELLS, 2), -torch.inf)
    more = replace(material, question=torch.cat((material.question, none), 2))
    assert torch.equal(plan("mmtok", 9, material).index, plan("mmtok", 9, more).index)


@pytest.mark.parametrize("slots", SLOTS)
def test_tome_merges_the_most_similar_pairs_round_by_round(slots: int) -> None:
    material = given(slots)
    value = material.feature[0].double()
    tokens = [[i] for i in range(CELLS)]
    while len(tokens) > slots:
        mean = F.normalize(torch.stack([value[one].mean(0) for one in tokens]), dim=1)
        ones, twos = tokens[::2], [list(one) for one in tokens[1::2]]
        match = [max((float(a @ b), -j) for j, b in enumerate(mean[1::2])) for a in mean[::2]]
        order = sorted(range(len(ones)), key=lambda i: -match[i][0])
        many = min(len(tokens) // 2, len(tokens) - slots)
        for i in order[:many]:
            twos[-match[i][1]] += ones[i]
        tokens = [ones[i] for i in order[many:]] + twos
    found = pack(*get_method("tome").plan([GRID], torch.zeros(1, CELLS), slots, material))
    means = torch.stack([value[one].mean(0) for one in tokens])
    gap = torch.cdist(found.embed[0].double(), means)
    assert gap.amin(0).max() < 1e-5
    assert gap.amin(1).max() < 1e-5


@pytest.mark.parametrize("slots", SLOTS)
def test_hired_gives_tiles_their_share_and_keeps_their_best(slots: int) -> None:
    material = given(slots)
    attention = material.attention
    top = attention.first[0].topk(int(CELLS * 0.8)).indices
    index = plan("hired", slots, material).index[0, :, 0]
    for tile in range(4):
        own = (attention.tile[0] == tile).nonzero()[:, 0]
        exact = slots * sum(int(i) in own for i in top) / len(top)
        kept = [int(i) for i in index if i in own]
        assert abs(len(kept) - exact) < 1
        best = own[attention.late[0, own].argsort(descending=True)[: len(kept)]]
        assert set(kept) == set(best.tolist())


@pytest.mark.parametrize("slots", SLOTS)
def test_prumerge_means_the_most_attended_with_their_nearest(slots: int) -> None:
    material = given(slots)
    attention, alike = material.attention.late[0], cosine(material.attention.key[0])
    alike.fill_diagonal_(-2)
    found = plan("prumerge", slots, material)
    for row, centre in enumerate(attention.topk(slots).indices.tolist()):
        near = alike[centre].topk(32).indices.tolist()
        share = torch.tensor([1.0, *attention[near]])
        assert found.index[0, row].tolist() == [centre, *near]
        torch.testing.assert_close(found.weight[0, row], share / share.sum())
    alone = get_method("prumerge").set(near=0)
    index = alone.plan([GRID], torch.zeros(1, CELLS), slots, material)[1].index
    assert torch.equal(index[..., 0], found.index[..., 0])


@pytest.mark.parametrize("slots", SLOTS)
def test_visionzip_keeps_the_attended_and_means_the_rest(slots: int) -> None:
    material = given(slots)
    value, alike = material.feature[0].double(), cosine(material.attention.key[0])
    many = slots * 5 // 32
    assert context(slots) == many
    dominant = material.attention.late[0].topk(slots - many).indices.tolist()
    rest = [i for i in range(CELLS) if i not in dominant]
    target = rest[:: max(1, len(rest) // max(1, many))][:many]
    expected = [value[i] for i in dominant]
    for one in target:
        joins = [
            i for i in rest if i not in target and one == max(target, key=lambda t: alike[i, t])
        ]
        expected.append((value[one] + value[joins].mean(0)) / 2 if joins else value[one])
    found = pack(*get_method("visionzip").plan([GRID], torch.zeros(1, CELLS), slots, material))
    gap = torch.cdist(found.embed[0].double(), torch.stack(expected))
    assert gap.amin(0).max() < 1e-5


@pytest.mark.parametrize("name", RIVALS)
def test_of_equals_the_first_are_kept(name: str) -> None:
    flat = torch.ones(1, CELLS, 4)
    tile = torch.zeros(1, CELLS, dtype=torch.long)
    attention = Attention(flat[..., 0], flat, flat[..., 0], tile)
    material = EncoderMaterial(flat, attention=attention, question=flat[..., :2])
    field, found = get_method(name).plan([GRID], torch.zeros(1, CELLS), 5, material)
    assert torch.equal(found.index, plan(name, 5, material).index)
    if found.index.shape[2] == 1 and name != "tome":
        assert found.index[0, :, 0].tolist() == list(range(5))
    embed = pack(field, found).embed
    torch.testing.assert_close(embed, torch.ones_like(embed))


@pytest.mark.parametrize("name", RIVALS)
def test_a_rival_without_what_it_needs_refuses_by_name(name: str) -> None:
    parts = {"features": "feature", "attention": "attention", "question": "question"}
    case = Case(((6, 6),), 7)
    assert RIVALS[name].needs
    for need in RIVALS[name].needs:
        bare = replace(case.material(), **{parts[need]: None})
        with pytest.raises(ValueError, match=f"^{name} needs {need} of the image, got none"):
            planned(RIVALS[name], case, material=bare)


def test_surfaces_without_a_model_refuse_a_rival(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="divprune chooses by a model's own features"):
        homunculus.look(Image.new("RGB", (64, 64)), "Where?", method="divprune", tokens=4)
    with pytest.raises(ValueError, match="tome chooses by features that vLLM's workers have"):
        ServerSettings(tokens=64, method="tome", where="after")


def vision_transformer(folder: Path) -> Path:
    """DINOv2 of a few random weights, with patches of 14 pixels."""
    hf = tiny.hub()
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = hf.Dinov2Config(**sizes, patch_size=14, image_size=56, mlp_ratio=2)
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        hf.Dinov2Model(config).save_pretrained(folder)
    return folder


def test_measure_follows_an_encoder_and_asks_for_one_that_fits(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "images").mkdir()
    for name in ("a.png", "b.png"):
        Image.new("RGB", (64, 48)).save(tmp_path / "images" / name)
    line = '{"image": "%s", "question": "Where?", "answers": ["x"], "boxes": [[8, 8, 40, 40]]}\n'
    (tmp_path / "qa.jsonl").write_text(line % "a.png" + line % "b.png")
    ask = ["measure", str(tmp_path), "--task", "evidence", "--tokens", "4", "--no-scout"]
    assert main([*ask, "--methods", "divprune", "-o", str(tmp_path / "r.json")]) == 2
    assert "row divprune: it chooses by a model's features" in capsys.readouterr().err
    ask += ["--encoder", str(vision_transformer(tmp_path / "vit"))]
    assert main([*ask, "--methods", "divprune", "-o", str(tmp_path / "r.json")]) == 2
    assert "patches are 14 px, tokens here 16. Add --token-size 14." in capsys.readouterr().err
    ask += ["--token-size", "14", "-o", str(tmp_path / "r.json"), "--methods"]
    assert main([*ask, "mmtok"]) == 2
    assert "row mmtok: mmtok needs words in the space of the image" in capsys.readouterr().err
    able = [name for name, one in RIVALS.items() if "question" not in one.needs]
    assert main([*ask, *able, "resize"]) == 0
    result = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert result["encoder"].startswith("dinov2 ")
    assert {f"{name} - resize" for name in able} == set(result["paired"])


def test_the_list_of_methods_names_rivals_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["methods"]) == 0
    lines = capsys.readouterr().out.splitlines()
    kinds = {line.split()[0]: line.split()[1] for line in lines[1:]}
    assert {name for name, kind in kinds.items() if kind == "rival"} == set(RIVALS)
