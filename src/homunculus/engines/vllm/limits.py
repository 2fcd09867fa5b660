# pyright: basic
"""What a request may ask for: our own options, and so many images and pixels."""

from typing import Any

from homunculus.engines.vllm.serving import NAME, Serving


def check_options(inputs: Any, config: Any) -> None:
    """A request brings our options alone; those of the processor are the operator's.

    ``config`` is vLLM's of multimodal inputs, with the operator's own.
    """
    allowed = config.mm_processor_kwargs or {}
    strange = [
        f"mm_processor_kwargs.{name}"
        for name, value in inputs.hf_processor_mm_kwargs.items()
        if name != NAME and (name not in allowed or allowed[name] != value)
    ]
    if (media := inputs.media_io_kwargs or {}) and media != (config.media_io_kwargs or {}):
        strange.append("media_io_kwargs")
    if strange:
        raise ValueError(
            f"homunculus: a request may set mm_processor_kwargs.{NAME} alone, got "
            f"{', '.join(strange)}. Leave them out, or start the server with them."
        )


def check_images(images: Any, serving: Serving) -> None:
    """All images are here, and they are neither too many nor too large together."""
    if len(images) > serving.images:
        raise ValueError(
            f"homunculus: at most {serving.images} images a request, got {len(images)}."
        )
    if any(one is None for one in images.get_all()):
        raise ValueError(
            "homunculus: expected the image itself, got a uuid alone. Which tokens are kept "
            "depends on the question, so an earlier upload cannot stand in: send it again."
        )
    sizes = [images.get_image_size(at) for at in range(len(images))]
    pixels = sum(size.width * size.height for size in sizes)
    if pixels > serving.pixels:
        raise ValueError(
            f"homunculus: at most {serving.pixels} pixels a request, got {pixels} in "
            f"{len(sizes)} images. Send fewer or smaller images."
        )
