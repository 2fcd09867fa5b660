"""A rewriter with all that it needs: views by our planner, pictures by their address."""

from io import BytesIO

from PIL import Image

from homunculus.messages.adapter import MAX_BYTES
from homunculus.messages.lines import bundle
from homunculus.messages.rewrite import Order, RequestRewriter, ViewFiles
from homunculus.pages import to_data_uri
from homunculus.serve.fetch import fetch
from homunculus.views import Planner


class Rewriter(RequestRewriter):
    """Puts views in place of pictures. One may be used by many threads.

    >>> import torch
    >>> from PIL import Image
    >>> from homunculus import views
    >>> page = views(Image.new("RGB", (1024, 1024)), "", tokens=2048, scout=torch.zeros(2, 2))
    >>> parts = [page.openai(label=False)[0], {"type": "text", "text": "What is the total?"}]
    >>> body = {"model": "gpt-6", "messages": [{"role": "user", "content": parts}]}
    >>> changed, report = Rewriter(64, scout=torch.eye(4)).request(body)
    >>> report.pictures, report.tokens <= 64 < report.untouched
    (1, True)
    """

    def make(self, data: bytes, order: Order) -> ViewFiles:
        """Views of a picture's file."""
        planner = Planner(data, order.question, options=order.options)
        legible = None if order.fallback is None else self.legible
        views = planner.views_or_original(order.tokens, legible, self.cap)
        if views.original and order.fallback:
            views = planner.views(max(order.tokens, self.cap))
        files = None if views.original else bundle(views, number=order.number)
        return ViewFiles(files, views.value, views.basis)

    def download(self, address: str, seconds: float) -> bytes:
        """What stands at a public address."""
        return fetch(address, MAX_BYTES, seconds)


def warm(rewriter: Rewriter) -> None:
    """Make views of an empty page, so that the first request does not wait for weights."""
    file = BytesIO()
    Image.new("RGB", (256, 256), "white").save(file, "png")
    url = to_data_uri(file.getvalue())
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "Total?"}]
    rewriter.request({"messages": [{"role": "user", "content": parts}]}, model="claude")
