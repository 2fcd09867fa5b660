"""Small things of the plugin that need vLLM but no server."""

from types import SimpleNamespace

import pytest
import torch
import vllm
from PIL import Image
from torch import nn
from vllm import ModelRegistry
from vllm.lora.layers import BaseLayerWithLoRA
from vllm.multimodal.inputs import MultiModalFeatureSpec, PlaceholderRange
from vllm.multimodal.parse import ImageProcessorItems

from homunculus import Sight
from homunculus.engines.vllm import ARCHITECTURES, PREFIX, choose, register
from homunculus.engines.vllm.choose import ANCHOR
from homunculus.engines.vllm.model import (
    ModelMixin,
    _places,
    feature_cache,
    reset_with_encoder_cache,
    table_cache,
    untouched,
)
from homunculus.engines.vllm.processor import ProcessorMixin, light
from homunculus.engines.vllm.settings import ServerSettings, check_images


def test_registering_twice_is_once():
    register()
    register()
    known = ModelRegistry.get_supported_archs()
    assert all(PREFIX + name in known for name in ARCHITECTURES)


def test_registering_leaves_pillow_as_it_is(monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 123)
    register()
    assert Image.MAX_IMAGE_PIXELS == 123


def test_an_untested_vllm_is_left_alone(monkeypatch):
    monkeypatch.setattr(vllm, "__version__", "0.33.0")
    monkeypatch.setattr(ModelRegistry, "models", {})
    register()
    assert ModelRegistry.models == {}


def test_features_go_with_the_encoder_cache():
    from vllm.v1.worker.gpu_worker import Worker

    reset_with_encoder_cache()
    features, emptied = feature_cache(10**6), []
    features.put(b"a", torch.ones(10, 10))
    runner = SimpleNamespace(reset_encoder_cache=lambda: emptied.append(True))
    Worker.reset_encoder_cache(SimpleNamespace(model_runner=runner))
    assert emptied == [True]
    assert (features.get(b"a"), features.used) == (None, 0)


def test_features_go_when_weights_are_loaded_again():
    class Family:
        def load_weights(self, weights):
            return set(weights)

    class Ours(ModelMixin, Family):
        config = SimpleNamespace(homunculus={"where": "after"})

    model = Ours()
    model._features.put(b"a", torch.ones(10, 10))
    assert model.load_weights(["tower"]) == {"tower"}
    assert model._features.get(b"a") is None


class Family:
    """Stands for a model of vLLM; the feature of a cell is that of the mean of its patches."""

    def __init__(self):
        self.config = SimpleNamespace(homunculus={"where": "after", "method": "grid"})
        self.visual, self.encoded = nn.Linear(4, 4), 0
        self.visual.spatial_merge_size = 2

    def _process_image_input(self, given):
        self.encoded += len(given["image_grid_thw"])
        return list(self.visual(given["pixel_values"].view(-1, 4, 4, 4).mean(2)))


class After(ModelMixin, Family):
    """A model that chooses tokens after its tower."""

    def features(self):
        """Of an image that two requests have, with four cells, all of which are kept."""
        fields = {
            choose.MAP: torch.zeros(8),
            choose.SIZES: torch.tensor([[4, 1]] * 2),
            choose.KEY: torch.zeros(2, 16, dtype=torch.uint8),
        }
        with torch.inference_mode():
            return self._embed_after(torch.ones(32, 4), torch.tensor([[1, 4, 4]] * 2), fields)[0]


def test_features_follow_weights_that_are_changed_in_place():
    model = After()
    before = model.features()
    assert torch.equal(model.features(), before)
    assert model.encoded == 1
    model.visual.weight.data.mul_(2)
    assert not torch.equal(model.features(), before)
    assert model.encoded == 2


def test_no_features_are_kept_of_a_tower_whose_adapter_depends_on_the_request():
    model = After()
    model.visual.adapter = BaseLayerWithLoRA()
    for _ in range(2):
        model.features()
    assert model.encoded == 4


def test_places_in_the_image_follow_the_weights():
    tower, tables = SimpleNamespace(pos_embed=nn.Embedding(4, 2)), table_cache()
    embed = tower.pos_embed
    tower.prepare_encoder_metadata = lambda grids: {"pos_embeds": embed.weight.detach().clone()}
    before = _places(tower, [(1, 2, 2)], torch.arange(4), tables)["pos_embeds"]
    embed.weight.data += 1
    after = _places(tower, [(1, 2, 2)], torch.arange(4), tables)["pos_embeds"]
    assert torch.equal(after, before + 1)


def test_features_are_kept_up_to_so_many_bytes_and_the_least_used_go_first():
    features, rows = feature_cache(3 * 400), torch.ones(10, 10)
    for key in (b"a", b"b", b"c"):
        features.put(key, rows)
    assert features.get(b"a") is not None
    features.put(b"d", rows)
    assert [features.get(key) is not None for key in (b"a", b"b", b"c", b"d")] == [
        True,
        False,
        True,
        True,
    ]
    assert features.used == 1200
    features.put(b"e", torch.ones(100, 10))
    assert features.get(b"e") is None
    features.put(b"a", torch.zeros(10, 10))
    assert float(features.get(b"a").sum()) == 100


def test_relevance_maps_are_kept_by_all_their_bytes():
    class Family:
        """Stands for a processor of vLLM."""

    class Ours(ProcessorMixin, Family):
        pass

    maps = [torch.zeros(100, 100) for _ in range(4)]
    sight = light(Sight(maps[0], 1.0, size=maps[1], thing=maps[2], elsewhere=maps[3]))
    kept = Ours().maps
    kept.put("a", sight)
    assert kept.used == sum(one.nbytes for one in maps)


@pytest.mark.parametrize("given", ["data:image/png;base64,AAAA", {"url": "a"}, 3])
def test_what_is_no_image_is_refused_in_a_sentence(given):
    images = ImageProcessorItems([Image.new("RGB", (8, 8)), given])
    with pytest.raises(ValueError, match=r"expected an image, got .*\. Send it as `image_url`"):
        check_images(images, ServerSettings())


def feature(offset, length, anchor=None, grid=(1, 4, 6)):
    data = {"image_grid_thw": SimpleNamespace(data=torch.tensor(grid))}
    if anchor is not None:
        data[ANCHOR] = SimpleNamespace(data=torch.tensor(anchor))
    place = PlaceholderRange(offset, length)
    return MultiModalFeatureSpec(data, "image", "id", place)


def test_tokens_stand_where_they_would_in_the_untouched_prompt():
    """7 x x 8 x x x 9: of six cells two are kept, then of six three."""
    tokens = [7, 1, 1, 8, 1, 1, 1, 9]
    shown = [feature(1, 2, [0, 5]), feature(4, 3, [1, 2, 4])]
    whole, grown, columns = untouched(tokens, shown, 4)
    assert whole == [7, *[1] * 6, 8, *[1] * 6, 9]
    assert columns.tolist() == [0, 1, 6, 7, 9, 10, 12, 14]
    assert [(one.mm_position.offset, one.mm_position.length) for one in grown] == [(1, 6), (8, 6)]


def test_what_was_not_chosen_from_stays_as_it_is():
    """7 x x 8 y y 9: six cells of which two, then something of two tokens, such as a video."""
    shown = [feature(4, 2), feature(1, 2, [0, 5])]
    whole, grown, columns = untouched([7, 1, 1, 8, 2, 2, 9], shown, 4)
    assert whole == [7, *[1] * 6, 8, 2, 2, 9]
    assert columns.tolist() == [0, 1, 6, 7, 8, 9, 10]
    assert sorted(one.mm_position.offset for one in grown) == [1, 8]
