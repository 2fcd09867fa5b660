"""A process that reads pages with one engine of OCR: `python -m homunculus.pages.ocr_worker NAME`.

Pages come on stdin: height and width as two numbers of 4 bytes, then 3 x height x width pixels.
Answers go to stdout: a number of 4 bytes, then that many bytes of JSON. It ends with its parent.
"""

import json
import os
import struct
import sys
import time
from threading import Thread
from typing import BinaryIO

import numpy as np

from homunculus.pages.ocr_engines import ENGINES

PAGE, ANSWER = struct.Struct(">II"), struct.Struct(">I")
POLL = 1.0
"""Seconds between two looks at whether the parent is still there."""


def main(name: str) -> None:
    """Read pages until stdin ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not get between
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    while (page := _page(sys.stdin.buffer)) is not None:
        try:
            answer: dict[str, object] = {"words": ENGINES[name](page)}
        except Exception as error:  # engines raise anything; the next page may be read
            answer = {"error": type(error).__name__}
        data = json.dumps(answer).encode()
        answers.write(ANSWER.pack(len(data)) + data)
        answers.flush()


def _page(pages: BinaryIO) -> np.ndarray | None:
    head = pages.read(PAGE.size)
    if len(head) < PAGE.size:
        return None
    high, wide = PAGE.unpack(head)
    data = pages.read(3 * high * wide)
    if len(data) < 3 * high * wide:
        return None
    return np.frombuffer(data, np.uint8).reshape(3, high, wide)


def _end_with(parent: int) -> None:
    """End when the parent is no more, even in the middle of a page."""
    while os.getppid() == parent:
        time.sleep(POLL)
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
