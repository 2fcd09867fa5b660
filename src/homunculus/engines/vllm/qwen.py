# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
"""Qwen's families under vLLM."""

from vllm.model_executor.models import qwen2_5_vl, qwen2_vl, qwen3_vl
from vllm.multimodal import MULTIMODAL_REGISTRY

from homunculus.engines.vllm.model import Kept
from homunculus.engines.vllm.processor import Choosing, Sized


class Qwen3Info(Sized, qwen3_vl.Qwen3VLProcessingInfo):
    """Sizes of Qwen3-VL."""


class Qwen3Processor(Choosing, qwen3_vl.Qwen3VLMultiModalProcessor):
    """Requests to Qwen3-VL."""


@MULTIMODAL_REGISTRY.register_processor(
    Qwen3Processor, info=Qwen3Info, dummy_inputs=qwen3_vl.Qwen3VLDummyInputsBuilder
)
class Qwen3(Kept, qwen3_vl.Qwen3VLForConditionalGeneration):
    """Qwen3-VL; what goes in deeper (DeepStack) stands behind each row's embedding."""


class Qwen25Info(Sized, qwen2_5_vl.Qwen2_5_VLProcessingInfo):
    """Sizes of Qwen2.5-VL."""


class Qwen25Processor(Choosing, qwen2_5_vl.Qwen2_5_VLMultiModalProcessor):
    """Requests to Qwen2.5-VL."""


@MULTIMODAL_REGISTRY.register_processor(
    Qwen25Processor, info=Qwen25Info, dummy_inputs=qwen2_5_vl.Qwen2_5_VLDummyInputsBuilder
)
class Qwen25(Kept, qwen2_5_vl.Qwen2_5_VLForConditionalGeneration):
    """Qwen2.5-VL; cells of a window see each other, as many as are kept of it."""


class Qwen2Info(Sized, qwen2_vl.Qwen2VLProcessingInfo):
    """Sizes of Qwen2-VL."""


class Qwen2Processor(Choosing, qwen2_vl.Qwen2VLMultiModalProcessor):
    """Requests to Qwen2-VL."""


@MULTIMODAL_REGISTRY.register_processor(
    Qwen2Processor, info=Qwen2Info, dummy_inputs=qwen2_vl.Qwen2VLDummyInputsBuilder
)
class Qwen2(Kept, qwen2_vl.Qwen2VLForConditionalGeneration):
    """Qwen2-VL."""
