"""Files of ONNX: the same bytes for the same weights, and the same numbers as torch."""

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
import torch.nn.functional as F

from homunculus.nets import Net
from homunculus.scouts.words import WEIGHTS as SHIPPED
from homunculus.scouts.words.net import code
from homunculus.scouts.words.scan import FAINT_TEXT, FLAT
from homunculus_lab.train import height_net, spread_net
from homunculus_lab.train.export import export
from homunculus_lab.train.net import FILE, WIDTH, WordNet, load
from homunculus_lab.train.ranges import LAYERS, RARE, ends, layers, measure
from homunculus_lab.train.spread_net import MODES
from homunculus_lab.train.storage import WEIGHTS, digest

NEAR = 1e-5
CARD = (SHIPPED / "README.md").read_text("utf-8")
NAMES = {"words", "words-int8", "match", "height", *(f"spread-{mode}" for mode in MODES)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the shipped weights, made anew."""
    out = tmp_path_factory.mktemp("made")
    assert {path.stem for path in export(WEIGHTS, out)} == NAMES
    return out


@pytest.mark.parametrize("name", sorted(NAMES))
def test_shipped_files_are_what_their_weights_make(made: Path, name: str) -> None:
    assert (made / f"{name}.onnx").read_bytes() == (SHIPPED / f"{name}.onnx").read_bytes()


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_card_names_each_file_by_its_hash(name: str) -> None:
    (row,) = (line for line in CARD.splitlines() if f"| `{name}.onnx` |" in line)
    assert digest(SHIPPED / f"{name}.onnx") in row


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_file_says_what_it_is_and_is_whole(made: Path, name: str) -> None:
    model = onnx.load(made / f"{name}.onnx")
    onnx.checker.check_model(model, full_check=True)
    (said,) = model.metadata_props
    about = json.loads(said.value)
    source = {"match": FILE, "words": FILE, "words-int8": FILE}.get(name, f"{name}.safetensors")
    assert about["net"] == name.removesuffix("-int8") == model.graph.name
    assert (about["version"], about["licence"]) == ("2", "Apache-2.0")
    assert about["source"] == digest(WEIGHTS / source)
    assert "rendered" in about["data"]
    assert ("SROIE (CC BY 4.0)" in about["data"]) == name.startswith("spread")
    assert about.get("on") == (digest(WEIGHTS / FILE) if name == "height" else None)
    assert about.get("precision") == ("int8" if name == "words-int8" else None)


def page(high: int, wide: int, seed: int = 0) -> np.ndarray:
    """Greys with bars as of print."""
    make = np.random.default_rng(seed)
    grey = make.integers(190, 256, (high, wide))
    for top in range(8, high - 16, 24):
        grey[top : top + 12, 16 : wide - 16] -= 150 * make.integers(0, 2, wide - 32)
    return grey.astype(np.uint8)


@pytest.mark.parametrize("size", [(8, 8), (96, 200)])
@torch.inference_mode()
def test_words_says_what_torch_says(made: Path, size: tuple[int, int]) -> None:
    grey, net = page(*size), load(WEIGHTS / FILE)[0]
    mean, spread = np.float32(grey.mean()), np.float32(grey.std() + FLAT)
    said = Net(made / "words.onnx")(grey=grey, mean=mean, spread=spread)
    seen = net(torch.from_numpy(grey.astype(np.float32))[None, None] / 255)
    text = seen.text[0].sigmoid()
    assert said["text"] == pytest.approx(text.numpy(), abs=NEAR)
    assert said["cells"].tolist() == (text.flatten() > FAINT_TEXT).nonzero()[:, 0].tolist()
    cells = torch.from_numpy(said["cells"])
    assert len(cells) > 50 or size == (8, 8)
    letter, word = (part.reshape(-1, WIDTH)[cells] for part in (seen.letter, seen.word))
    hidden = net.hide(word)
    for name, wanted in {
        "embed": net.embed(hidden),
        "kind": net.kind_head(hidden).softmax(-1),
        "letter": letter,
        "word": word,
    }.items():
        largest = float(said[name].max(initial=1))  # letters and words are as large as 50
        assert said[name] == pytest.approx(wanted.numpy(), abs=NEAR * largest), name


@torch.inference_mode()
def test_match_says_what_torch_says(made: Path) -> None:
    net = load(WEIGHTS / FILE)[0]
    embed = F.normalize(torch.randn(40, 96, generator=torch.Generator().manual_seed(0)), dim=-1)
    words = code(["total", "invoice", "a", "2026", ""])
    query = net.query(torch.from_numpy(words))
    embed[:5] = query  # some that match
    said = Net(made / "match.onnx")(embed=embed.numpy(), code=words)["probability"]
    wanted = net.match(embed, query).sigmoid().numpy()
    assert said == pytest.approx(wanted, abs=NEAR)
    assert wanted.max() > 0.5


@torch.inference_mode()
def test_height_says_what_torch_says(made: Path) -> None:
    head, _ = height_net.load(WEIGHTS / height_net.FILE)
    cell = torch.rand(60, 2 * WIDTH, generator=torch.Generator().manual_seed(0)) * 4
    letter, word = cell.numpy()[:, :WIDTH], cell.numpy()[:, WIDTH:]
    said = Net(made / "height.onnx")(letter=letter, word=word)
    for name, wanted in zip(("octaves", "variance"), head(cell), strict=True):
        assert said[name] == pytest.approx(wanted.numpy(), abs=NEAR)
    assert said["octaves"].std() > 0.1


@pytest.mark.parametrize("mode", MODES)
@torch.inference_mode()
def test_spreads_say_what_torch_says(made: Path, mode: spread_net.Mode) -> None:
    net, _ = spread_net.load(WEIGHTS / f"spread-{mode}.safetensors", mode)
    make = np.random.default_rng(0)
    maps = make.random((3, 23, 20, 31)).astype(np.float32) ** 3
    buckets = make.integers(-1, 512, (3, 5))
    buckets[1] = -1  # a question without words
    kinds = make.random((3, 8)).astype(np.float32)
    said = Net(made / f"spread-{mode}.onnx")(maps=maps, buckets=buckets, kinds=kinds)["logit"]
    question = net.steer(torch.from_numpy(buckets), torch.from_numpy(kinds))
    wanted = F.logsigmoid(net.over(spread_net.scaled(torch.from_numpy(maps)), question)).numpy()
    assert said == pytest.approx(wanted, abs=NEAR, rel=NEAR)
    assert wanted.std() > 0.1


# ---- 8 bits --------------------------------------------------------------------------------------


def test_whole_numbers_say_nearly_the_same(made: Path) -> None:
    grey = page(256, 320)
    given = {"grey": grey, "mean": np.float32(grey.mean()), "spread": np.float32(grey.std() + FLAT)}
    whole, exact = (Net(made / f"{name}.onnx")(**given) for name in ("words-int8", "words"))
    assert whole.keys() == exact.keys()
    assert {name: value.dtype for name, value in whole.items()} == {
        name: value.dtype for name, value in exact.items()
    }
    assert np.abs(whole["text"] - exact["text"]).mean() < 0.01
    _, own, other = np.intersect1d(whole["cells"], exact["cells"], return_indices=True)
    assert len(own) > 0.95 * len(exact["cells"]) > 100
    for name in ("letter", "word", "embed"):
        some, wanted = whole[name][own], exact[name][other]
        length = np.linalg.norm(some, axis=1) * np.linalg.norm(wanted, axis=1)
        assert ((some * wanted).sum(1) / length).mean() > 0.99, name


def test_whole_numbers_do_not_depend_on_what_is_beside_them(made: Path) -> None:
    net, grey = Net(made / "words-int8.onnx"), page(512, 256)
    given = {"mean": np.float32(230), "spread": np.float32(60)}
    whole, part = net(grey=grey, **given), net(grey=grey[:320], **given)
    far = 16  # more than the rows that a cell sees around it
    assert np.array_equal(whole["text"][: 40 - far], part["text"][: 40 - far])


@torch.inference_mode()
def test_ranges_hold_nearly_all_values_of_a_page() -> None:
    torch.manual_seed(0)
    net = WordNet().eval()
    shown = torch.from_numpy(page(64, 96).astype(np.float32))[None, None] / 255
    ranges = measure(net, [shown, torch.zeros_like(shown)])  # the second adds nothing
    only = measure(net, [shown])
    assert torch.equal(ranges.top, only.top)
    assert len(ranges.top) == LAYERS == len(list(layers(net)))
    assert (ranges.top > 0).all()
    assert (ranges.low <= 0).all()
    assert (ranges.high >= 0).all()
    word = net(shown).word.flatten()
    assert (word > ranges.top[-1]).float().mean() <= RARE
    assert (word >= 0.9 * ranges.top[-1]).any()


def test_the_rarest_values_have_no_number_of_their_own() -> None:
    value = torch.arange(200_000.0)[torch.randperm(200_000)]
    assert ends(value) == (2, 199_997)


def test_ranges_of_another_net_are_refused(tmp_path: Path) -> None:
    shutil.copy(WEIGHTS / "ranges.safetensors", tmp_path)
    other = (WEIGHTS / FILE).read_bytes().replace(rb"seed\": 0", rb"seed\": 1", 1)
    (tmp_path / FILE).write_bytes(other)
    with pytest.raises(ValueError, match="of another word net"):
        export(tmp_path)


def test_a_net_in_8_bits_of_other_weights_does_not_stay(tmp_path: Path) -> None:
    (tmp_path / "words-int8.onnx").write_bytes(b"of an earlier run")
    shutil.copy(WEIGHTS / FILE, tmp_path)  # without ranges, it cannot be made anew
    assert {path.name for path in export(tmp_path)} == {"words.onnx", "match.onnx"}
    assert not (tmp_path / "words-int8.onnx").exists()
