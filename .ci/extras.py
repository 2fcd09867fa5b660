"""The first thing each extra is for, with that extra alone: `extras.py EXTRA`.

Runs in a folder with `invoice.png`, `qwen3_vl/` and `smolvlm/` (models of a few weights). `.ci/run`
installs the extra, `lab` or `lab-EXTRA` into an environment that has what the product requires;
`docs/install.md` promises the same things.
"""

import json
import os
import sys
from base64 import b64encode
from collections.abc import Callable
from importlib.metadata import distributions, version
from importlib.util import find_spec
from pathlib import Path

from vllm_fixes import SHIM

from homunculus.commands.main import main

QUESTION = "What is the total due?"


def command(*words: str) -> None:
    """A command line of ours that must end well."""
    code = main(words)
    assert code == 0, f"homunculus {' '.join(words)}: exit code {code}"


def heic() -> None:
    """A photo of a phone."""
    import pillow_heif
    from PIL import Image

    pillow_heif.from_pillow(Image.open("invoice.png").convert("RGB")).save("invoice.heic")
    command("cost", "invoice.heic")


def things() -> None:
    """A detector looks at a picture, and says that there is no dog on an invoice."""
    import homunculus

    seen = homunculus.views("invoice.png", "Where is the dog?", tokens=64, scout="things")
    assert seen.sight.sure == 0


def ocr() -> None:
    """Two lines of a chart are read."""
    command("eyetest", "rapidocr", "--items", "1", "--cache", "cache", "-o", "eyes.json")


def lab() -> None:
    """Two questions, read by OCR: all cells give both answers; then the report, and training."""
    suite("pages")
    rows = ("--methods", "cut", "atlas", "--tokens", "64", "--read", "crop", "--cache", "cache")
    command("measure", "pages", *rows, "-o", "run.json")
    from homunculus_lab.results import from_text

    found = from_text(Path("run.json").read_text("utf-8"))
    read = [row["scores"]["full"]["all"][0] for row in found["rows"]]
    assert read == [1.0, 1.0], found["rows"]
    command("decide", "run.json", "-o", "report.html")
    assert "</html>" in Path("report.html").read_text("utf-8")
    short = ("--steps", "1", "--pages", "1", "--spread-steps", "1")
    command("train", "word-scout", "--out", "weights", *short)


def gaze() -> None:
    """Where people looked, by the metrics of pysaliency."""
    viewers = [[[100, 900, 880], [100, 970, 975]], [[90, 300, 310], [90, 365, 360]]]  # all x, all y
    suite("watched", fixations=viewers)
    command("measure", "--task", "gaze", "watched", "--tokens", "64", "-o", "gaze.json")
    table = json.loads(Path("gaze.json").read_text("utf-8"))["table"]
    assert table["answer"]["map"]["nss"][0] > 0, table  # they looked at it


def transformers() -> None:
    """A model and its processor from a folder; every image costs exactly K tokens."""
    torchvision_names()
    from transformers import AutoModelForImageTextToText, AutoProcessor

    import homunculus

    AutoProcessor.from_pretrained("smolvlm")  # which wants num2words
    model = AutoModelForImageTextToText.from_pretrained("qwen3_vl")
    processor = AutoProcessor.from_pretrained("qwen3_vl")
    engine = homunculus.attach(model, processor, tokens=16)
    answer = engine.generate("invoice.png", QUESTION, max_new_tokens=2)
    assert [int(one.valid.sum()) for one in answer.tokens] == [16]
    answer.show().save("answer.png")


def client() -> None:
    """A request goes out with views in place of its picture."""
    from homunculus.planner.models import token_rule
    from homunculus.serve import Rewriter, http_client

    picture = b64encode(Path("invoice.png").read_bytes()).decode()
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
    text = {"type": "text", "text": QUESTION}
    body = {"model": "gpt-6", "messages": [{"role": "user", "content": [part, text]}]}
    _, report = Rewriter(100).request(body)
    assert report.tokens <= 100 < report.untouched == token_rule("gpt-6").count((1408, 1024))
    http_client(100).close()


def all_() -> None:
    """Everything at once."""
    command("show", "invoice.png", QUESTION, "--why", "-o", "show.png")


CHECKS: dict[str, Callable[[], None]] = {
    "heic": heic, "things": things, "ocr": ocr, "client": client, "transformers": transformers,
    "all": all_, "lab": lab, "lab-gaze": gaze,
}  # fmt: skip


def suite(name: str, **more: object) -> None:
    """Two questions about the invoice, each on a page of its own."""
    from PIL import Image

    asked = {
        "one.png": (QUESTION, "300.36", [846, 954, 948, 992]),
        "two.png": ("What is the date?", "3 November 2026", [226, 350, 396, 378]),
    }
    folder = Path(name)
    (folder / "images").mkdir(parents=True)
    rows = []
    for image, (question, answer, box) in asked.items():
        Image.open("invoice.png").save(folder / "images" / image)
        row = {"image": image, "question": question, "answers": [answer], "boxes": [box]}
        rows.append(json.dumps(row | more))
    (folder / "qa.jsonl").write_text("\n".join(rows), "utf-8")


def torchvision_names() -> None:
    """torchvision may be built for CUDA beside a torch for CPUs; docs/install.md tells of it."""
    place = find_spec("torchvision").submodule_search_locations[0]
    exec(SHIM, {"__name__": "torchvision_names", "__file__": place})


def untouched() -> None:
    """No extra may swap what was there for another build; only those that have torch bring it."""
    had = dict(one.split("==") for one in os.environ["BASE"].split())
    assert {name: version(name) for name in had} == had
    new = {one.name for one in distributions()} - set(had)
    assert not [name for name in new if name == "torch" or name.startswith("nvidia-")], new


if __name__ == "__main__":
    untouched()
    CHECKS[sys.argv[1]]()
