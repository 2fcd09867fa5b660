# pyright: basic
"""`homunculus bench views`: new pages and further questions, also beside another installation.

Each installation answers in a process of its own; they take turns on each page, on one thread, and
are timed in seconds of the processor, which other load on the machine hardly changes. This file is
also what those processes run, so it imports nothing else of the laboratory before `measure`.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

PAGE = (1024, 800)
TOKENS = 64
FIRST = 3 * 10**8
"""Seeds of the pages: no training run has seen them."""
QUESTIONS = (
    "What is the total amount of invoice {}?",
    "On which date was letter {} signed?",
    "Who is the manager of account {}?",
)
STAGES = ("read", "new_page", "question")
"""Reading a page by the word scout; all of `views` on a page of a file; and on a page it knows."""
Ask = Callable[..., Any]


def measure(
    repeats: int = 10,
    progress: Callable[[str], None] | None = None,
    other: Path | None = None,
) -> dict[str, Any]:
    """Rendered pages of 1,024 x 800, two for each turn: one is read, one is asked about.

    ``other`` is the interpreter of another installation, perhaps of an older version.
    """
    from homunculus.eyes.provenance import provenance

    here, source = Path(sys.executable), provenance()
    ways = {f"here, {how}": (here, how) for how in ("float", "int8")}
    if other is not None:
        ways |= {f"other, {how}": (other, how) for how in ("float", "int8")}
    seconds: dict[str, dict[str, list[float]]] = {name: {} for name in ways}
    with tempfile.TemporaryDirectory() as folder:
        workers = {name: _start(*way) for name, way in ways.items()}
        try:
            for turn in range(-1, repeats):  # the first page warms up
                pages = [_render(2 * turn + part, Path(folder)) for part in (0, 1)]
                for name, worker in workers.items():
                    took = _ask(worker, pages, turn)
                    for stage in STAGES if turn >= 0 else ():
                        seconds[name].setdefault(stage, []).append(took[stage])
                if progress:
                    progress(f"page {turn + 2} of {repeats + 1}")
        finally:
            for worker in workers.values():
                worker.kill()
                worker.communicate()
    middle = {
        name: {stage: median(some) for stage, some in stages.items()}
        for name, stages in seconds.items()
    }
    result = {
        "page": list(PAGE), "tokens": TOKENS, "threads": 1, "repeats": repeats,
        "pages": "rendered documents, each new",
        "milliseconds": {
            name: {stage: round(1000 * took, 1) for stage, took in stages.items()}
            for name, stages in middle.items()
        },
        "pages_read_a_second_and_core": {
            name: round(1 / stages["read"], 2) for name, stages in middle.items()
        },
    }  # fmt: skip
    if other is not None:
        result["times_as_fast_as_other"] = {
            how: {
                stage: round(middle[f"other, {how}"][stage] / middle[f"here, {how}"][stage], 2)
                for stage in STAGES
            }
            for how in ("float", "int8")
        }
    return {**result, **source}


def _start(python: Path, how: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HOMUNCULUS_THREADS": "1"}
    return subprocess.Popen(
        [python, __file__, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment,
    )  # fmt: skip


def _ask(worker: subprocess.Popen[str], pages: list[Path], turn: int) -> dict[str, float]:
    assert worker.stdin
    assert worker.stdout
    asked = [*map(str, pages), *(text.format(turn) for text in QUESTIONS)]
    worker.stdin.write(json.dumps(asked) + "\n")
    worker.stdin.flush()
    line = worker.stdout.readline()
    if not line:
        raise RuntimeError(f"the process of {worker.args} ended with {worker.wait()}")
    return json.loads(line)


def _render(turn: int, folder: Path) -> Path:
    from PIL import Image

    from homunculus_lab.train.pages import render

    high, wide = PAGE
    grey = render(seed=FIRST + turn, high=high, wide=wide, photos=(), whole=True).pixels
    path = folder / f"{turn}.png"
    Image.fromarray(grey).convert("RGB").save(path)
    return path


# ---- in each process -----------------------------------------------------------------------------


def _serve(how: str) -> None:
    """Answer pages on the standard input with seconds."""
    from homunculus import views
    from homunculus.pages import open_picture

    reader, scout = _scouts(how)
    for line in sys.stdin:
        other, page, *questions = json.loads(line)
        picture, took = open_picture(other), dict[str, float]()
        _timed(took, "read", lambda: reader.read(picture.pixels))  # noqa: B023 - runs at once
        ask = {"tokens": TOKENS, "scout": scout}
        _timed(took, "new_page", lambda: views(page, questions[0], **ask))  # noqa: B023
        picture = open_picture(page)
        views(picture, questions[1], **ask)
        _timed(took, "question", lambda: views(picture, questions[2], **ask))  # noqa: B023
        print(json.dumps(took), flush=True)  # noqa: T201 - the answer


def _scouts(how: str) -> tuple[Any, Any]:
    """Two scouts of words with memories of their own: the second one is that of `views`."""
    from homunculus.scouts.registry import WordsOrPixels
    from homunculus.scouts.words import load

    try:
        reader, words = (load(precision=how) for _ in range(2))  # type: ignore[call-arg]
    except TypeError:  # before 8 bits were a file, they were used where the processor had them
        if how == "float":
            from homunculus.scouts.words import int8  # type: ignore[attr-defined]

            int8.available = lambda: False
        reader, words = load(), load()
    return reader, WordsOrPixels(words)


def _timed(took: dict[str, float], name: str, run: Callable[[], Any]) -> None:
    start = process_time()
    run()
    took[name] = process_time() - start


if __name__ == "__main__":
    _serve(sys.argv[1])
