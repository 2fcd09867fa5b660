"""Small things of the plugin that need vLLM but no server."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
import vllm
from PIL import Image
from vllm import ModelRegistry
from vllm.multimodal.inputs import MultiModalFeatureSpec, PlaceholderRange
from vllm.multimodal.parse import ImageProcessorItems

from homunculus import Sight
from homunculus.engines.vllm import ARCHITECTURES, PREFIX, register
from homunculus.engines.vllm.choose import ANCHOR
from homunculus.engines.vllm.model import untouched
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


def test_relevance_maps_are_kept_by_all_their_bytes():
    class Family:
        """Stands for a processor of vLLM."""

    class Ours(ProcessorMixin, Family):
        pass

    maps = [np.zeros((100, 100), np.float32) for _ in range(4)]
    sight = light(Sight(maps[0], 1.0, size=maps[1], thing=maps[2], elsewhere=maps[3]))
    kept = Ours().maps
    kept.put("a", sight)
    assert kept.used == sum(one.nbytes for one in maps)


def test_a_map_with_a_gradient_is_kept_without_it():
    kept = light(Sight(torch.zeros(2, 2, requires_grad=True), 1.0))
    assert kept.trained is None
    assert kept.logit.tolist() == [[0, 0], [0, 0]]


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
