"""For models that are not ours: requests go out with views in place of pictures."""

from homunculus.messages.rewrite import PicturesError, Report
from homunculus.serve.rewriter import Rewriter
from homunculus.serve.transport import async_http_client, http_client

__all__ = ["PicturesError", "Report", "Rewriter", "async_http_client", "http_client"]
