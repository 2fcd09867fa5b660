"""Draws the two pictures of `homunculus demo`. Every name and number on them is made up."""

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

FOLDER = Path(__file__).parents[1] / "src" / "homunculus" / "show" / "pictures"
INK, FAINT, LINE, ACCENT = "#1b1f24", "#5b636d", "#d3d8dc", "#2f6f8f"

BLOOD = {
    "Blood count": [
        ("Haemoglobin", "142", "g/l", "130 - 170"),
        ("Haematocrit", "0.43", "l/l", "0.40 - 0.50"),
        ("Erythrocytes", "4.81", "10^12/l", "4.50 - 5.90"),
        ("MCV", "89.4", "fl", "80.0 - 96.0"),
        ("MCH", "29.5", "pg", "27.0 - 33.0"),
        ("Leucocytes", "6.2", "10^9/l", "4.0 - 10.0"),
        ("Neutrophils", "3.61", "10^9/l", "1.80 - 7.70"),
        ("Lymphocytes", "1.94", "10^9/l", "1.00 - 4.80"),
        ("Monocytes", "0.44", "10^9/l", "0.20 - 0.80"),
        ("Eosinophils", "0.17", "10^9/l", "0.00 - 0.45"),
        ("Thrombocytes", "251", "10^9/l", "150 - 400"),
    ],
    "Iron and vitamins": [
        ("Iron", "17.8", "umol/l", "10.6 - 28.3"),
        ("Transferrin", "2.51", "g/l", "2.00 - 3.60"),
        ("Ferritin", "38.6", "ug/l", "30.0 - 300"),
        ("Vitamin B12", "287", "pmol/l", "145 - 569"),
        ("Folate", "19.3", "nmol/l", "8.8 - 42.4"),
        ("Vitamin D", "61.0", "nmol/l", "50.0 - 125"),
    ],
    "Kidney and electrolytes": [
        ("Creatinine", "78", "umol/l", "62 - 106"),
        ("Urea", "5.4", "mmol/l", "2.8 - 8.1"),
        ("Sodium", "141", "mmol/l", "136 - 145"),
        ("Potassium", "4.3", "mmol/l", "3.5 - 5.1"),
        ("Calcium", "2.36", "mmol/l", "2.15 - 2.50"),
        ("Magnesium", "0.84", "mmol/l", "0.66 - 1.07"),
    ],
    "Liver": [
        ("ALT", "24", "U/l", "< 50"),
        ("AST", "21", "U/l", "< 50"),
        ("GGT", "19", "U/l", "< 60"),
        ("Alkaline phosphatase", "66", "U/l", "40 - 130"),
        ("Bilirubin", "9.7", "umol/l", "< 21"),
        ("Albumin", "44.1", "g/l", "35.0 - 52.0"),
    ],
    "Metabolism": [
        ("Glucose, fasting", "5.1", "mmol/l", "3.9 - 5.6"),
        ("Cholesterol", "4.9", "mmol/l", "< 5.0"),
        ("HDL", "1.5", "mmol/l", "> 1.0"),
        ("LDL", "2.8", "mmol/l", "< 3.0"),
        ("Triglycerides", "1.2", "mmol/l", "< 1.7"),
        ("TSH", "1.84", "mU/l", "0.27 - 4.20"),
    ],
}
NOTES = (
    "Reference ranges hold for adults and for the methods of this laboratory. Results refer to",
    "the sample named above alone. It is kept for seven days; until then, more can be asked for.",
)
GOODS = [
    ("Sourdough loaf", "4.20"), ("Oat milk 1 l", "2.15"), ("Butter 250 g", "3.49"),
    ("Eggs, free range, 10", "3.99"), ("Tomatoes 0.614 kg", "2.27"), ("Basil, pot", "1.79"),
    ("Mozzarella 125 g", "1.45"), ("Olive oil 0.5 l", "8.90"), ("Apples 1.120 kg", "3.34"),
    ("Coffee beans 500 g", "9.75"), ("Dark chocolate", "2.60"), ("Rice, basmati 1 kg", "3.95"),
    ("Lentils, red 500 g", "2.35"), ("Washing-up liquid", "1.95"), ("Paper towels, 4", "3.10"),
    ("Deposit, bottles", "0.50"),
]  # fmt: skip
"""They add up to 55.78."""


def text(
    pen: ImageDraw.ImageDraw,
    at: tuple[int, int],
    words: str,
    size: int,
    end: str = "l",
    fill: str = INK,
) -> None:
    """Words on the baseline; ``end`` l, m or r says which part of them stands at the point."""
    pen.text(at, words, fill=fill, font=ImageFont.load_default(size), anchor=f"{end}s")


def page() -> Image.Image:
    """A dense page: a laboratory report of US letter, 150 dots per inch."""
    sheet = Image.new("RGB", (1275, 1650), "#fdfcf9")
    pen = ImageDraw.Draw(sheet)
    pen.rectangle((0, 0, 1275, 16), fill=ACCENT)
    text(pen, (90, 112), "Lindenhof Laboratory", 46)
    for line, words in enumerate(
        ("4 Mill Lane, Northport", "lab@lindenhof.example", "Open 7 to 18")
    ):
        text(pen, (1185, 84 + 25 * line), words, 18, "r", FAINT)
    facts = (
        ("Patient", "M. Sample"), ("Born", "12 May 1984"), ("Sample", "26-118-0437"),
        ("Taken", "9 November 2026, 7:52"), ("Received", "9 November 2026, 9:30"),
        ("Sheet", "1 of 1"),
    )  # fmt: skip
    for at, (name, value) in enumerate(facts):
        x, y = 90 + 550 * (at // 3), 182 + 28 * (at % 3)
        text(pen, (x, y), name, 19, fill=FAINT)
        text(pen, (x + 120, y), value, 19)
    y = 298
    for name, x, end in (
        ("Test", 90, "l"),
        ("Result", 640, "r"),
        ("Unit", 670, "l"),
        ("Reference", 1185, "r"),
    ):
        text(pen, (x, y), name, 19, end, FAINT)
    pen.line((90, y + 12, 1185, y + 12), fill=ACCENT, width=3)
    for group, rows in BLOOD.items():
        y += 40
        text(pen, (90, y), group, 21, fill=ACCENT)
        for row in rows:
            y += 28
            for words, x, end in zip(row, (110, 640, 670, 1185), "lrlr", strict=True):
                text(pen, (x, y), words, 19, end)
            pen.line((90, y + 8, 1185, y + 8), fill=LINE)
    for line, words in enumerate(NOTES):
        text(pen, (90, 1600 + 24 * line), words, 16, fill=FAINT)
    return sheet


def receipt() -> Image.Image:
    """A narrow strip: a grocer's receipt."""
    strip = Image.new("RGB", (720, 1200), "#fbfaf6")
    pen = ImageDraw.Draw(strip)
    text(pen, (360, 84), "Corner & Co.", 44, "m")
    for line, words in enumerate(
        ("21 Market Street, Northport", "Till 3   Receipt 004417", "14 Nov 2026   18:26")
    ):
        text(pen, (360, 122 + 28 * line), words, 20, "m", FAINT)
    pen.line((60, 214, 660, 214), fill=INK, width=2)
    for line, (name, price) in enumerate(GOODS):
        text(pen, (64, 256 + 38 * line), name, 23)
        text(pen, (656, 256 + 38 * line), price, 23, "r")
    y = 256 + 38 * len(GOODS)
    pen.line((60, y - 20, 660, y - 20), fill=INK, width=2)
    text(pen, (64, y + 26), "Total", 32)
    text(pen, (656, y + 26), "55.78", 32, "r")
    for line, (name, value) in enumerate(
        (("Card", "55.78"), ("VAT 7 %", "3.38"), ("Points", "55"))
    ):
        text(pen, (64, y + 80 + 32 * line), name, 20, fill=FAINT)
        text(pen, (656, y + 80 + 32 * line), value, 20, "r", FAINT)
    text(pen, (360, 1110), "Exchange within 14 days with this receipt.", 18, "m", FAINT)
    text(pen, (360, 1156), "Thank you!", 24, "m")
    return strip


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for draw in (page, receipt):
        few = draw().quantize(64, dither=Image.Dither.NONE)  # smooth type needs few shades
        few.save(FOLDER / f"{draw.__name__}.png", optimize=True)
