"""The word net: its promises, and its weights on disk."""

import json
from pathlib import Path

import pytest
import torch

from homunculus.scouts.words.net import KINDS, OTHER, code
from homunculus_lab.train.labels import letter_class
from homunculus_lab.train.net import NAME, Block, WordNet, load
from homunculus_lab.train.storage import save_weights


def test_a_printed_character_has_a_class() -> None:
    assert [letter_class(x) for x in "aZ9é"] == [0, 25, 35, 4]
    assert letter_class(",") == letter_class("щ") == letter_class(" ") == OTHER


# ---- the net -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def net() -> WordNet:
    """A net whose normalisations have seen something, and whose statistics are not 0 and 1."""
    torch.manual_seed(0)
    out = WordNet().train()
    with torch.no_grad():
        for part in out.modules():
            if isinstance(part, torch.nn.BatchNorm2d):
                part.weight.uniform_(0.5, 1.5)
                part.bias.uniform_(-0.3, 0.3)
        for _ in range(3):
            out(torch.rand(2, 1, 64, 64))
    return out.eval()


def test_a_page_of_any_size_is_described_cell_by_cell(net: WordNet) -> None:
    seen = net.describe(torch.rand(2, 1, 41, 70))
    assert seen.embed.shape == (2, 6, 9, 96)
    assert seen.text.shape == (2, 6, 9)
    assert seen.kind.shape == (2, len(KINDS), 6, 9)
    assert torch.allclose(seen.embed.norm(dim=-1), torch.ones(2, 6, 9), atol=1e-5)
    assert torch.allclose(seen.kind.sum(1), torch.ones(2, 6, 9), atol=1e-5)


def test_an_image_in_a_batch_is_described_as_alone(net: WordNet) -> None:
    pixels = torch.rand(3, 1, 48, 64)
    both, alone = net.describe(pixels), net.describe(pixels[1:2])
    assert torch.allclose(both.embed[1], alone.embed[0], atol=1e-4)
    assert torch.allclose(both.text[1], alone.text[0], atol=1e-4)


def test_a_match_is_the_scaled_product(net: WordNet) -> None:
    seen = net.describe(torch.rand(1, 1, 32, 32))
    with torch.no_grad():
        query = net.query(torch.from_numpy(code(["total", "date"])))
        logit = net.match(seen.embed, query)
    assert logit.shape == (1, 4, 4, 2)
    by_hand = 10 * float(seen.embed[0, 1, 2] @ query[1]) - 8
    assert float(logit[0, 1, 2, 1]) == pytest.approx(by_hand, abs=1e-4)


def test_contrast_and_brightness_hardly_matter(net: WordNet) -> None:
    pixels = torch.rand(1, 1, 64, 64)
    plain, faded = net.describe(pixels), net.describe(pixels * 0.8 + 0.1)
    assert torch.nn.functional.cosine_similarity(plain.embed, faded.embed, dim=-1).min() > 0.97


def test_an_empty_page_is_finite(net: WordNet) -> None:
    seen = net.describe(torch.ones(1, 1, 32, 40))
    assert seen.embed.isfinite().all()
    assert seen.text.isfinite().all()


def test_a_cell_looks_along_its_line_but_letters_do_not(
    net: WordNet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homunculus_lab.train.net.standard", lambda pixels: pixels)  # it joins all
    pixels = torch.rand(1, 1, 64, 640, requires_grad=True)
    seen = net(pixels)
    near, far = 8 * (40 + 5), 8 * (40 + 20)
    letter = torch.autograd.grad(seen.letter[0, 4, 40].sum(), pixels, retain_graph=True)[0]
    word = torch.autograd.grad(seen.word[0, 4, 40].sum(), pixels)[0]
    assert letter[..., near : near + 8].any()
    assert not letter[..., far:].any()
    assert word[..., far : far + 8].any()
    assert not word[..., :8].any()


def test_fusing_changes_nothing_but_the_speed(net: WordNet) -> None:
    pixels = torch.rand(2, 1, 64, 64)
    fused = net.fused()
    assert not any(isinstance(part, torch.nn.BatchNorm2d) for part in fused.modules())
    assert any(isinstance(part, torch.nn.BatchNorm2d) for part in net.modules())
    plain, quick = net.describe(pixels), fused.describe(pixels)
    assert torch.allclose(plain.embed, quick.embed, atol=1e-4)
    assert torch.allclose(plain.text, quick.text, atol=1e-4)
    assert fused.fused() is fused


def test_channels_stay_last_through_the_net(net: WordNet) -> None:
    seen = []
    hooks = [
        part.register_forward_hook(
            lambda *given: seen.append(given[2].is_contiguous(memory_format=torch.channels_last))
        )
        for part in net.modules()
        if isinstance(part, Block)
    ]
    net(torch.rand(1, 1, 64, 64))
    for hook in hooks:
        hook.remove()
    assert len(seen) == 9
    assert all(seen)


def test_the_net_is_small(net: WordNet) -> None:
    assert 2.4e6 < sum(weight.numel() for weight in net.parameters()) < 3e6


# ---- weights on disk -----------------------------------------------------------------------------


def test_weights_come_back_from_disk(net: WordNet, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    save_weights(net, path, NAME, {"steps": 7, "seed": 1})
    back, about = load(path)
    assert about == {"net": "word-scout", "version": "1", "steps": 7, "seed": 1}
    assert path.stat().st_size < 6_000_000
    assert [one.name for one in tmp_path.iterdir()] == ["net.safetensors"]
    assert not back.training
    pixels = torch.rand(1, 1, 64, 64)
    same = torch.nn.functional.cosine_similarity(
        net.describe(pixels).embed, back.describe(pixels).embed, dim=-1
    )
    assert same.min() > 0.999


def damaged(how: str, net: WordNet, path: Path) -> None:
    from safetensors.torch import save_file

    weights = dict(net.state_dict())
    about = {"net": "word-scout", "version": "1"}
    if how == "missing":
        del weights["bias"]
    elif how == "unknown":
        weights["extra"] = torch.zeros(1)
    elif how == "shape":
        weights["bias"] = torch.zeros(3)
    elif how == "finite":
        weights["bias"] = torch.tensor(torch.nan)
    elif how == "version":
        about["version"] = "0"
    header = {"homunculus": "{" if how == "header" else json.dumps(about)}
    save_file({k: v.contiguous() for k, v in weights.items()}, path, metadata=header)
    if how == "torn":
        path.write_bytes(path.read_bytes()[:-9])
    elif how == "text":
        path.write_text("not weights")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("missing", r"Missing .*\"bias\""), ("unknown", r"Unexpected .*\"extra\""),
        ("shape", r"size mismatch for bias"), ("finite", "bias .* not finite"),
        ("version", "version '0'"), ("header", "expected weights of `word-scout`"),
        ("torn", "no safetensors file"), ("text", "no safetensors file"),
    ],
)  # fmt: skip
def test_weights_that_do_not_fit_are_refused(
    how: str, message: str, net: WordNet, tmp_path: Path
) -> None:
    path = tmp_path / "net.safetensors"
    damaged(how, net, path)
    with pytest.raises(ValueError, match=message):
        load(path)


def test_absent_weights_are_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.safetensors")
