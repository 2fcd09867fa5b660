# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""vLLM's media connector with checks of an image's format and size before it is decoded.

`homunculus serve` selects this connector by vLLM's variable `VLLM_MEDIA_CONNECTOR`. Stock vLLM lets
Pillow try every format it knows; some of them (ICO, ICNS) decode the whole image when it is opened,
before its size can be checked.
"""

from contextvars import ContextVar
from io import BytesIO
from threading import Lock
from typing import Any

import vllm.envs as envs
from PIL import Image
from vllm.multimodal.image import normalize_image
from vllm.multimodal.media import MediaConnector, MediaWithBytes
from vllm.multimodal.media.image import ImageMediaIO
from vllm.multimodal.media.video import VideoMediaIO

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
"""Formats that are decoded. Decoders of other formats are rarely used and a risk."""


class Allowance:
    """Pixels that the images of one request may have together; they are decoded in parallel."""

    def __init__(self, pixels: int) -> None:
        self.pixels, self._left, self._lock = pixels, pixels, Lock()

    def take(self, pixels: int) -> None:
        """Take pixels from the allowance, or raise if too few are left."""
        with self._lock:
            self._left -= pixels
            if self._left < 0:
                raise ValueError(
                    f"image: expected at most {self.pixels} pixels in all images of a request, got "
                    "more. Send fewer or smaller images."
                )


ALLOWANCE: ContextVar[Allowance | None] = ContextVar("homunculus_allowance", default=None)
"""Of the current request; vLLM makes a connector for each message."""


class BoundedImages(ImageMediaIO):
    """Decodes images; every fault of an image is a ValueError, which vLLM answers with 400."""

    allowance: Allowance | None = None

    def load_bytes(self, data: bytes) -> Any:
        """The upright image, and the bytes that its key is made from."""
        try:
            image = open_header(data, envs.VLLM_MAX_IMAGE_PIXELS)
            if self.allowance is not None:
                self.allowance.take(image.width * image.height)
            image = normalize_image(image)
            image.load()
            converted = self._convert_image_mode(image)
        except ValueError:
            raise
        except Exception as error:  # decoders may raise anything
            raise ValueError(
                f"image: expected a complete image, got a broken one "
                f"({str(error) or type(error).__name__}). Save it again and send that."
            ) from error
        changed = {
            "image_mode": self.image_mode,
            "rgba_background_color": self.rgba_background_color,
        }
        return MediaWithBytes(converted, data, changed if converted is not image else None)


def open_header(data: bytes, max_pixels: int) -> Any:
    """An image of which only the header is read; a limit of 0 leaves it to Pillow's own."""
    try:
        image = Image.open(BytesIO(data), formats=FORMATS)
    except Image.UnidentifiedImageError as error:
        raise ValueError(
            f"image: expected {', '.join(FORMATS[:-1])} or {FORMATS[-1]}, got bytes that begin "
            f"with {data[:8]!r}. Convert the image and send that."
        ) from error
    except Image.DecompressionBombError as error:
        raise ValueError(f"image: {error} Send a smaller image.") from error
    wide, high = image.size
    if max_pixels > 0 and wide * high > max_pixels:
        raise ValueError(
            f"image: expected at most {max_pixels} pixels, got {wide}x{high}. Send a smaller "
            "image, or start the server with a larger --max-pixels."
        )
    return image


class Connector(MediaConnector):
    """vLLM's media connector with bounded images."""

    def fetch_image(self, image_url: str, *, image_mode: str | None = "RGB") -> Any:
        """Load an image from a URL or a data URL."""
        return self.load_from_url(
            image_url, self._images(image_mode), fetch_timeout=envs.VLLM_IMAGE_FETCH_TIMEOUT
        )

    async def fetch_image_async(self, image_url: str, *, image_mode: str | None = "RGB") -> Any:
        """The asynchronous form of `fetch_image`."""
        return await self.load_from_url_async(
            image_url, self._images(image_mode), fetch_timeout=envs.VLLM_IMAGE_FETCH_TIMEOUT
        )

    def load_from_url(self, url: str, media_io: Any, **more: Any) -> Any:
        """Load any media; frames of a video are bounded like images."""
        return super().load_from_url(url, self._bounded(media_io), **more)

    async def load_from_url_async(self, url: str, media_io: Any, **more: Any) -> Any:
        """The asynchronous form of `load_from_url`."""
        return await super().load_from_url_async(url, self._bounded(media_io), **more)

    def _bounded(self, media_io: Any) -> Any:
        if isinstance(media_io, VideoMediaIO):
            media_io.image_io = self._images(media_io.image_io.image_mode)
        return media_io

    def _images(self, mode: str | None) -> BoundedImages:
        images = BoundedImages(**({"image_mode": mode} | self.media_io_kwargs.get("image", {})))
        images.allowance = ALLOWANCE.get()
        return images
