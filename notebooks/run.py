"""Run the notebooks and keep what they show: `python notebooks/run.py [FILE...]`.

Their pictures are kept small enough for a repository. Progress on stderr is left out.
"""

import sys
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from PIL import Image

HERE = Path(__file__).parent
NOTEBOOKS = sorted(HERE.glob("*.ipynb"))
SIZE = (1100, 1212)
"""Width and height that a picture has at most."""
COLOURS = 128


def execute(path: Path) -> Any:
    """The notebook with fresh outputs; a cell that raises ends it with its traceback."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(HERE)}}
    options = {"timeout": 600, "record_timing": False, "coalesce_streams": True}
    NotebookClient(notebook, kernel_name="python3", resources=where, **options).execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [kept(one) for one in cell.outputs if one.get("name") != "stderr"]
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def kept(output: Any) -> Any:
    """An output with its picture as one small PNG; Pillow offers a JPEG besides."""
    data = output.get("data", {})
    data.pop("image/jpeg", None)
    if "image/png" in data:
        data["image/png"] = small(data["image/png"])
    return output


def small(png: str) -> str:
    """A PNG in base64 with fewer pixels and colours."""
    image, file = Image.open(BytesIO(b64decode(png))).convert("RGB"), BytesIO()
    image.thumbnail(SIZE)
    few = image.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(file, "png", optimize=True)
    return b64encode(file.getvalue()).decode()


def main(paths: list[Path]) -> None:
    """Run each and write it back."""
    for path in paths:
        nbformat.write(execute(path), path)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or NOTEBOOKS)
