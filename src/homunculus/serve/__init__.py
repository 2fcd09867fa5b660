"""For models that are not ours: requests go out with views in place of pictures."""

from homunculus.serve.bodies import RefusedError
from homunculus.serve.rewriter import PicturesError, Report, Rewriter
from homunculus.serve.transport import async_http_client, http_client

__all__ = [
    "PicturesError", "RefusedError", "Report", "Rewriter", "async_http_client", "http_client",
]  # fmt: skip
