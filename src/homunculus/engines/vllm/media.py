# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""Pictures of requests: their format and size are checked before anything is decoded.

`homunculus serve` chooses this connector through vLLM's variable `VLLM_MEDIA_CONNECTOR`. Stock
vLLM lets Pillow try every format it knows; some of these (ICO, ICNS) decode a whole picture while
they are merely opened, before its size can be checked.
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
"""What is decoded. The decoders of other formats are a larger door than their use is worth."""


class Allowance:
    """Pixels that the images of one request may have together; they are decoded side by side."""

    def __init__(self, most: int) -> None:
        self.most, self._left, self._lock = most, most, Lock()

    def take(self, pixels: int) -> None:
        """Set so many aside, or refuse."""
        with self._lock:
            self._left -= pixels
            if self._left < 0:
                raise ValueError(
                    f"image: expected at most {self.most} pixels in all images of a request, got "
                    "more. Send fewer or smaller images."
                )


ALLOWANCE: ContextVar[Allowance | None] = ContextVar("homunculus_allowance", default=None)
"""Of the request at hand; vLLM makes a connector for each message."""


class BoundedImages(ImageMediaIO):
    """Bytes in, an upright picture out; whatever is wrong with it is one ValueError, a 400."""

    allowance: Allowance | None = None

    def load_bytes(self, data: bytes) -> Any:
        """The picture, and the bytes that its key is made from."""
        try:
            image = opened(data, envs.VLLM_MAX_IMAGE_PIXELS)
            if self.allowance is not None:
                self.allowance.take(image.width * image.height)
            image = normalize_image(image)
            image.load()
            converted = self._convert_image_mode(image)
        except ValueError:
            raise
        except Exception as error:  # a decoder on a stranger's bytes may raise anything
            raise ValueError(
                f"image: expected a whole picture, got a broken one "
                f"({str(error) or type(error).__name__}). Save it again and send that."
            ) from error
        changed = {
            "image_mode": self.image_mode,
            "rgba_background_color": self.rgba_background_color,
        }
        return MediaWithBytes(converted, data, changed if converted is not image else None)


def opened(data: bytes, most: int) -> Any:
    """A picture whose header alone was read; ``most`` pixels, 0 leaves the bound to Pillow."""
    try:
        image = Image.open(BytesIO(data), formats=FORMATS)
    except Image.UnidentifiedImageError as error:
        raise ValueError(
            f"image: expected {', '.join(FORMATS[:-1])} or {FORMATS[-1]}, got bytes that begin "
            f"with {data[:8]!r}. Convert the picture and send that."
        ) from error
    except Image.DecompressionBombError as error:
        raise ValueError(f"image: {error} Send a smaller picture.") from error
    wide, high = image.size
    if most > 0 and wide * high > most:
        raise ValueError(
            f"image: expected at most {most} pixels, got {wide}x{high}. Send a smaller picture, "
            "or start the server with a larger --max-pixels."
        )
    return image


class Connector(MediaConnector):
    """vLLM's own, with bounded pictures."""

    def fetch_image(self, image_url: str, *, image_mode: str | None = "RGB") -> Any:
        """A picture from an address or a data URL."""
        return self.load_from_url(
            image_url, self._images(image_mode), fetch_timeout=envs.VLLM_IMAGE_FETCH_TIMEOUT
        )

    async def fetch_image_async(self, image_url: str, *, image_mode: str | None = "RGB") -> Any:
        """The same without waiting for it."""
        return await self.load_from_url_async(
            image_url, self._images(image_mode), fetch_timeout=envs.VLLM_IMAGE_FETCH_TIMEOUT
        )

    def load_from_url(self, url: str, media_io: Any, **more: Any) -> Any:
        """Any media; the frames of a video are pictures, too."""
        return super().load_from_url(url, self._bounded(media_io), **more)

    async def load_from_url_async(self, url: str, media_io: Any, **more: Any) -> Any:
        """The same without waiting for it."""
        return await super().load_from_url_async(url, self._bounded(media_io), **more)

    def _bounded(self, media_io: Any) -> Any:
        if isinstance(media_io, VideoMediaIO):
            media_io.image_io = self._images(media_io.image_io.image_mode)
        return media_io

    def _images(self, mode: str | None) -> BoundedImages:
        out = BoundedImages(**({"image_mode": mode} | self.media_io_kwargs.get("image", {})))
        out.allowance = ALLOWANCE.get()
        return out
