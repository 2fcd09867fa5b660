"""A process that reads pages with one engine of OCR: `python -m homunculus.pages.ocr_worker NAME`.

A message is a page: height and width as two numbers of 4 bytes, then 3 x height x width pixels.
An answer is JSON.
"""

import json
import struct
import sys

import numpy as np

from homunculus.pages.child import serve
from homunculus.pages.ocr_engines import ENGINES

PAGE = struct.Struct(">II")


def main(name: str) -> None:
    """Read pages until stdin ends."""

    def read(message: bytes) -> bytes:
        try:
            high, wide = PAGE.unpack_from(message)
            page = np.frombuffer(message, np.uint8, offset=PAGE.size).reshape(3, high, wide)
            answer: dict[str, object] = {"words": ENGINES[name](page)}
        except Exception as error:  # engines raise anything; the next page may be read
            answer = {"error": type(error).__name__}
        return json.dumps(answer).encode()

    serve(read)


if __name__ == "__main__":
    main(sys.argv[1])
