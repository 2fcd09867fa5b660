"""Draws invoice.png, the page in the README's picture. Every name and number on it is made up."""

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

ITEMS = [
    ("Letter paper, A4, 80 g, 500 sheets", "12", "4.90", "58.80"),
    ("Ink cartridge, black", "3", "21.50", "64.50"),
    ("Envelopes, C5, window, 100 pieces", "5", "7.20", "36.00"),
    ("Desk lamp, warm white", "1", "48.00", "48.00"),
    ("Stapler with 1,000 staples", "2", "9.75", "19.50"),
    ("Whiteboard markers, set of six", "4", "6.40", "25.60"),
]
SUMS = [("Subtotal", "252.40"), ("VAT 19 %", "47.96"), ("Total due", "300.36")]
SMALL = (
    "Goods remain our property until paid in full. Please quote the invoice number when you pay.",
    "Payment within 14 days without deduction. Complaints within 8 days of delivery, in writing.",
)


def text(
    pen: ImageDraw.ImageDraw, at: tuple[int, int], words: str, size: int, end: str = "l"
) -> None:
    """Words on the baseline; ``end`` l or r says which end stands at the point."""
    pen.text(at, words, fill="#1b1f24", font=ImageFont.load_default(size), anchor=f"{end}s")


def draw() -> Image.Image:
    """The page."""
    page = Image.new("RGB", (1024, 1408), "#fdfcf9")
    pen = ImageDraw.Draw(page)
    pen.rectangle((0, 0, 1024, 14), fill="#2f6f8f")
    text(pen, (80, 110), "Paperworks", 54)
    text(pen, (80, 146), "office supplies", 22)
    for line, words in enumerate(("12 Harbour Row", "Northport", "post@paperworks.example")):
        text(pen, (944, 84 + 26 * line), words, 19, "r")
    text(pen, (80, 290), "Invoice", 40)
    facts = (("Invoice no.", "2026-1042"), ("Date", "3 November 2026"), ("Customer", "K-20773"))
    for line, (name, value) in enumerate(facts):
        text(pen, (80, 340 + 30 * line), name, 20)
        text(pen, (230, 340 + 30 * line), value, 20)
    for name, at, end in (
        ("Item", 80, "l"),
        ("Qty", 600, "r"),
        ("Price", 760, "r"),
        ("Sum", 944, "r"),
    ):
        text(pen, (at, 500), name, 21, end)
    pen.line((80, 514, 944, 514), fill="#2f6f8f", width=3)
    for line, row in enumerate(ITEMS):
        for words, at, end in zip(row, (80, 600, 760, 944), "lrrr", strict=True):
            text(pen, (at, 560 + 48 * line), words, 20, end)
        pen.line((80, 576 + 48 * line, 944, 576 + 48 * line), fill="#d8dde0")
    for line, (name, value) in enumerate(SUMS):
        size = 26 if name == "Total due" else 20
        text(pen, (760, 900 + 42 * line), name, size, "r")
        text(pen, (944, 900 + 42 * line), value, size, "r")
    pen.line((620, 996, 944, 996), fill="#2f6f8f", width=3)
    for line, words in enumerate(SMALL):
        text(pen, (80, 1300 + 26 * line), words, 16)
    return page


if __name__ == "__main__":
    draw().save(Path(__file__).with_name("invoice.png"), optimize=True)
