"""Renders the suite "natural", looks up where the named elements stand, and writes the questions.

python make.py KIND ...      pictures, elements/NAME.json and contact sheets into the scratch folder
python make.py --write PART  all kinds, and writes one part: develop, verdict or unseen

Everything is checked: a named id that is missing, hidden or cut off, an answer that is not the text
of its elements, or a picture without its three questions ends the run with a list of what is wrong.
"""

import argparse
import importlib
import io
import json
import math
import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from page import Page
from PIL import Image, ImageDraw, ImageFilter
from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).parent
SCRATCH = Path("/tmp/natural")
SORTS = ("literal", "paraphrase", "cross", "absent")
LANGUAGES = ("en", "de", "fr", "es")
PARTS = ("develop", "verdict", "unseen")
ONLY = {"menu": "develop", "code": "develop", "label": "verdict", "slide": "verdict"}
ARGUMENTS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-lcd-text",
    "--font-render-hinting=none",
    "--force-device-scale-factor=1",
]

# The rectangles of the text nodes alone: an element's own rectangle would hold its padding.
# An element is left out if any of its text is invisible, cut off by an ancestor, outside the
# picture, or covered by another element.
ELEMENTS = r"""
() => {
  const found = {};
  const doubles = [];
  const size = (node) => {
    const style = getComputedStyle(node);
    let scale = node.currentCSSZoom || 1;
    if (node.ownerSVGElement) {
      const matrix = node.getScreenCTM();
      scale = Math.sqrt(Math.abs(matrix.a * matrix.d - matrix.b * matrix.c));
    }
    return parseFloat(style.fontSize) * scale;
  };
  const hidden = (node, rect) => {
    const style = getComputedStyle(node);
    if (style.visibility !== "visible") return true;
    for (let a = node; a && a !== document.documentElement; a = a.parentElement) {
      const look = getComputedStyle(a);
      if (parseFloat(look.opacity) < 0.15) return true;
      if (a.ownerSVGElement || a === document.body || look.display === "inline") continue;
      const box = a.getBoundingClientRect();
      if (look.overflowX !== "visible" && (rect.left < box.left - 2 || rect.right > box.right + 2))
        return true;
      if (look.overflowY !== "visible" && (rect.top < box.top - 4 || rect.bottom > box.bottom + 4))
        return true;
    }
    if (rect.left < -1 || rect.top < -1) return true;
    if (rect.right > innerWidth + 1 || rect.bottom > innerHeight + 1) return true;
    const hit = document.elementFromPoint(
      (rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2);
    return !!hit && !(hit === node || node.contains(hit) || hit.contains(node));
  };
  for (const element of document.querySelectorAll("[id]")) {
    if (element.id in found) doubles.push(element.id);
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const rects = [];
    let em = 0, bad = false;
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (!node.nodeValue.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const own = [...range.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
      if (!own.length || own.some((r) => hidden(node.parentElement, r))) bad = true;
      if (own.length) em = em || size(node.parentElement);
      rects.push(...own);
    }
    if (bad || !rects.length) continue;
    found[element.id] = {
      box: [Math.min(...rects.map((r) => r.left)), Math.min(...rects.map((r) => r.top)),
            Math.max(...rects.map((r) => r.right)), Math.max(...rects.map((r) => r.bottom))],
      em: em,
      wraps: Math.max(...rects.map((r) => r.top)) - Math.min(...rects.map((r) => r.top)) > em / 2,
      text: (element.innerText ?? element.textContent).replace(/\s+/g, " ").trim(),
    };
  }
  return [found, doubles];
}
"""

Elements = dict[str, dict[str, Any]]


def render(browser: Browser, page: Page) -> tuple[Image.Image, Elements, list[str]]:
    """The picture as Chromium paints it, its elements, and ids that stand there twice."""
    tab = browser.new_page(viewport={"width": page.width, "height": page.height})
    start = "" if "<html" in page.html else '<!doctype html><meta charset="utf-8">'
    frame = "<style>html,body{margin:0;overflow:hidden}</style>"
    tab.set_content(start + frame + page.html)
    tab.evaluate("() => document.fonts.ready.then(() => true)")
    elements, doubles = tab.evaluate(ELEMENTS)
    picture = Image.open(io.BytesIO(tab.screenshot(animations="disabled"))).convert("RGB")
    tab.close()
    return picture, elements, doubles


def turned(box: list[float], page: Page) -> list[float]:
    """The axis-aligned box of a box turned about the picture's middle, as Pillow turns it."""
    angle = math.radians(page.skew)
    middle_x, middle_y = page.width / 2, page.height / 2
    corners = [(x - middle_x, y - middle_y) for x in box[::2] for y in box[1::2]]
    across = [middle_x + x * math.cos(angle) + y * math.sin(angle) for x, y in corners]
    down = [middle_y - x * math.sin(angle) + y * math.cos(angle) for x, y in corners]
    return [min(across), min(down), max(across), max(down)]


def place(elements: Elements, page: Page) -> Elements:
    """The elements after skew, rounded; those that the turn moves off the picture are left out."""
    kept = {}
    for key, element in elements.items():
        x0, y0, x1, y1 = turned(element["box"], page) if page.skew else element["box"]
        if x0 < -1 or y0 < -1 or x1 > page.width + 1 or y1 > page.height + 1:
            continue
        box = [max(x0, 0), max(y0, 0), min(x1, page.width), min(y1, page.height)]
        kept[key] = {**element, "box": [round(side, 1) for side in box]}
        kept[key]["em"] = round(element["em"], 1)
    return kept


def worn(picture: Image.Image, page: Page) -> Image.Image:
    """The picture with the page's skew, blur and noise."""
    if page.skew:
        ground = picture.getpixel((2, 2))
        picture = picture.rotate(page.skew, Image.Resampling.BICUBIC, fillcolor=ground)
    if page.blur:
        picture = picture.filter(ImageFilter.GaussianBlur(page.blur))
    if page.noise:
        random = np.random.default_rng(zlib.crc32(page.name.encode()))
        pixels = np.asarray(picture, np.float32)
        # A grain of two pixels, as scanners have it: finer grain costs twice the bytes.
        size = (picture.height // 2 + 1, picture.width // 2 + 1)
        grain = Image.fromarray(random.normal(0, page.noise, size).astype(np.float32))
        grain = grain.resize((size[1] * 2, size[0] * 2), Image.Resampling.BILINEAR)
        grain = np.asarray(grain)[: picture.height, : picture.width]
        picture = Image.fromarray(np.clip(pixels + grain[..., None], 0, 255).astype(np.uint8))
    return picture


def reduced(picture: Image.Image, most: int) -> Image.Image:
    """The picture with the smallest palette that keeps it close, at most `most` colours."""
    small = picture
    for colours in sorted({12, min(16, most), min(24, most), most}):
        small = picture.quantize(colours, kmeans=2, dither=Image.Dither.NONE)
        pixels = [np.asarray(image.convert("RGB"), np.int32) for image in (small, picture)]
        error = np.abs(pixels[0] - pixels[1]).max(axis=2)
        if (error**2).mean() < 9 and (error > 40).sum() < 200:
            break
    return small


def store(picture: Image.Image, page: Page, folder: Path) -> Path:
    """Writes the picture as JPEG, or as PNG with a palette; noise would make a large PNG."""
    if page.jpeg or page.noise:
        file = folder / f"{page.name}.jpg"
        picture.save(file, quality=min(page.jpeg or 60, 60), optimize=True, progressive=True)
    else:
        file = folder / f"{page.name}.png"
        reduced(picture, page.colours).save(file, optimize=True)
    return file


def part(name: str) -> str:
    """The part of a picture: by kind for four kinds, else by number; the last ones are unseen."""
    kind, number = name.rsplit("-", 1)
    if int(number) >= 8:
        return "unseen"
    return ONLY.get(kind) or ("develop" if int(number) < 4 else "verdict")


def union(boxes: list[list[float]]) -> list[float]:
    """The box that holds all boxes."""
    return [min(box[0] for box in boxes), min(box[1] for box in boxes)] + [
        max(box[side] for box in boxes) for side in (2, 3)
    ]


def plain(words: str) -> str:
    """Words without any space, for comparison."""
    return "".join(words.split())


def faults(row: dict[str, Any], elements: Elements) -> list[str]:
    """What is wrong with a question."""
    wrong = []
    if row["sort"] not in SORTS or row["language"] not in LANGUAGES:
        wrong.append("sort or language unknown")
    if (row["sort"] == "absent") != (not row["answers"]) or bool(row["answers"]) != bool(
        row["places"]
    ):
        wrong.append("answers and places do not fit the sort")
    for spot in row["places"]:
        named = [*spot["answer"], *(key for group in spot["tells"] for key in group)]
        missing = [key for key in named if key not in elements]
        if missing:
            wrong.append(f"missing or hidden: {missing}")
            continue
        torn = [key for key in named if elements[key]["wraps"]]
        if torn:
            wrong.append(f"goes over two lines: {torn}")
        words = " ".join(elements[key]["text"] for key in spot["answer"])
        if plain(words) not in [plain(answer) for answer in row["answers"]]:
            wrong.append(f"the elements say {words!r}, the answer {row['answers']}")
    return [f"{row['picture']}: {row['question']!r}: {fault}" for fault in wrong]


def resolved(row: dict[str, Any], file: str, elements: Elements) -> dict[str, Any]:
    """A question with boxes in place of ids."""
    places = []
    for spot in row["places"]:
        tells = [
            [{key: elements[name][key] for key in ("box", "em")} for name in group]
            for group in spot["tells"]
        ]
        answer = [elements[name] for name in spot["answer"]]
        places.append(
            {
                "answer": union([element["box"] for element in answer]),
                "em": min(element["em"] for element in answer),
                "tells": tells,
            }
        )
    return {
        "image": file,
        "question": row["question"],
        "answers": row["answers"],
        "boxes": [spot["answer"] for spot in places],
        "kind": row["picture"].rsplit("-", 1)[0],
        "sort": row["sort"],
        "language": row["language"],
        "places": places,
    }


def questions(kind: str) -> list[dict[str, Any]]:
    """The questions of a kind as written; none if there is no file yet."""
    file = HERE / "questions" / f"{kind}.jsonl"
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text().splitlines() if line.strip()]


def drawn(file: Path, rows: list[dict[str, Any]]) -> Image.Image:
    """A picture with its boxes: answers red, what tells them blue; the questions below."""
    picture = Image.open(file).convert("RGB")
    sheet = Image.new("RGB", (picture.width, picture.height + 60 * len(rows)), "white")
    sheet.paste(picture)
    pen = ImageDraw.Draw(sheet)
    for number, row in enumerate(rows):
        for spot in row["places"]:
            for told in [told for group in spot["tells"] for told in group]:
                pen.rectangle(told["box"], outline="blue", width=2)
            pen.rectangle(spot["answer"], outline="red", width=2)
            pen.text((spot["answer"][2], spot["answer"][1] - 8), f"{number}", "red", font_size=22)
        words = f"{number} {row['sort']}: {row['question']}\n     -> {row['answers']}"
        pen.text((10, picture.height + 60 * number + 4), words, "black", font_size=20)
    return sheet


def make_kind(
    browser: Browser, kind: str, images: dict[str, Path]
) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
    """Renders a kind and resolves its questions; returns rows by picture, and faults."""
    pages = importlib.import_module(f"kinds.{kind}").pages()
    asked = questions(kind)
    wrong = []
    names = [page.name for page in pages]
    if names != [f"{kind}-{number}" for number in range(len(names))] or len(names) < 8:
        wrong.append(f"{kind}: pages are called {names}")
    wrong += [f"{row['picture']}: no such picture" for row in asked if row["picture"] not in names]
    rows = {}
    for page in pages:
        picture, elements, doubles = render(browser, page)
        if doubles:
            wrong.append(f"{page.name}: ids stand there twice: {doubles}")
        elements = place(elements, page)
        listing = SCRATCH / "elements" / f"{page.name}.json"
        listing.write_text(
            "{\n"
            + ",\n".join(
                f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
                for key, value in elements.items()
            )
            + "\n}\n"
        )
        file = store(worn(picture, page), page, images[part(page.name)])
        mine = [row for row in asked if row["picture"] == page.name]
        if asked and (len(mine) != 3 or len({row["question"] for row in mine}) != 3):
            wrong.append(f"{page.name}: {len(mine)} questions, not three")
        found = [faults(row, elements) for row in mine]
        wrong += [fault for some in found for fault in some]
        rows[page.name] = [
            resolved(row, file.name, elements)
            for row, some in zip(mine, found, strict=True)
            if not some
        ]
        drawn(file, rows[page.name]).save(SCRATCH / "sheets" / f"{page.name}.png")
    return rows, wrong


def say(words: str) -> None:
    """Writes a line to the terminal."""
    sys.stdout.write(words + "\n")


def tell_counts(rows: list[dict[str, Any]], files: list[Path]) -> None:
    """Says how many questions there are of each sort and language, and how large pictures are."""
    for key in ("sort", "language"):
        counts = Counter(row[key] for row in rows)
        say(f"{key}: " + ", ".join(f"{name} {counts[name]}" for name in sorted(counts)))
    size = sum(file.stat().st_size for file in files)
    say(f"{len(rows)} questions, {len(files)} pictures, {size / 1e6:.2f} MB")


def write_part(name: str, rows: list[dict[str, Any]]) -> None:
    """Writes qa.jsonl and suite.toml of a part."""
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (HERE / name / "qa.jsonl").write_text("".join(lines))
    testing = "" if name == "develop" else "testing = true\n"
    (HERE / name / "suite.toml").write_text(f'# see ../README.md\nkind = "document"\n{testing}')


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", help="default: all")
    parser.add_argument("--write", choices=PARTS, help="the part to write beside this file")
    options = parser.parse_args()
    every = sorted(file.stem for file in (HERE / "kinds").glob("*.py"))
    if options.write and options.kinds:
        parser.error("--write takes all kinds")
    images = {name: SCRATCH / name / "images" for name in PARTS}
    if options.write:
        images[options.write] = HERE / options.write / "images"
    for folder in [*images.values(), SCRATCH / "elements", SCRATCH / "sheets"]:
        folder.mkdir(parents=True, exist_ok=True)
    if options.write:
        for file in images[options.write].iterdir():
            file.unlink()
    rows: dict[str, list[dict[str, Any]]] = {}
    wrong = []
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        for kind in options.kinds or every:
            some, faulty = make_kind(browser, kind, images)
            rows |= some
            wrong += faulty
            say(f"{kind}: {len(some)} pictures, {sum(map(len, some.values()))} questions")
        browser.close()
    files = [file for name in rows for file in images[part(name)].glob(f"{name}.*")]
    if options.write:
        mine = [row for key in rows if part(key) == options.write for row in rows[key]]
        write_part(options.write, mine)
    tell_counts([row for some in rows.values() for row in some], files)
    for fault in wrong:
        say(fault)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
