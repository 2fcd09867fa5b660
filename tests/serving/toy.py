"""A task of lmms-eval made here: four pages, six questions, one of them without a page."""

import json
from pathlib import Path

from serving.client import page

NAME = "toy_pages"
ASKED = ["What is the total?", "When was it?", "Who signed the letter?", "Name of the shop?"]
SIZES = [(320, 480), (480, 320), (512, 512), (96, 160)]
"""Of the pages: 600, 600, 1024 and 60 cells of 16 pixels."""
CELLS = [high * wide // 256 for high, wide in SIZES]
TASK = """
task: {name}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: generate_until
doc_to_visual: !function toy_pages_utils.pages
doc_to_text: !function toy_pages_utils.text
doc_to_target: answer
generation_kwargs:
  max_new_tokens: 24
  temperature: 0
  do_sample: false
process_results: !function toy_pages_utils.scores
metric_list:
  - metric: mark
    aggregation: mean
    higher_is_better: true
metadata:
  - version: 0.0
"""
UTILS = """
from zlib import crc32

from PIL import Image


def pages(doc):
    return [Image.open(doc["image"]).convert("RGB")] if doc["image"] else []


def text(doc, lmms_eval_specific_kwargs=None):
    return doc["question"]


def plain(said):
    return "".join(one for one in said.split("\\n\\n")[0] if " " <= one <= "~")


def scores(doc, results):
    return {"mark": crc32(plain(results[0]).encode()) / 2**32, "said": {"text": results[0]}}
"""
"""Another answer has another score: no one learns anything from it but who said the same. lmms-eval
tells servers of no end, and bytes that make no letter are written otherwise by servers."""


def toy(folder: Path, blank: bool = True) -> Path:
    """Write it; what `--include_path` takes."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for at, size in enumerate(SIZES):
        path = folder / f"page{at}.png"
        page(*size, at).save(path)
        rows.append({"image": str(path), "question": ASKED[at], "answer": "none"})
    rows.append(rows[0] | {"question": ASKED[1]})
    if blank:
        rows.append(rows[0] | {"image": ""})
    (folder / "test.json").write_text("\n".join(map(json.dumps, rows)))
    (folder / f"{NAME}.yaml").write_text(TASK.format(name=NAME, data=folder / "test.json"))
    (folder / f"{NAME}_utils.py").write_text(UTILS)
    return folder
