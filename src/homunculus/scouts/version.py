"""Which scout rated a picture: a name for all that decides it besides picture and question."""

from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

from homunculus.scouts import things, words
from homunculus.scouts.registry import GROUP, list_scouts


@cache
def scout_version(scout: str = "auto") -> str:
    """A digest of the scout's name, its package's version and its weights, for what is kept.

    >>> scout_version("pixels") == scout_version("none")
    False
    """
    digest = sha256(scout.encode())
    try:
        digest.update(version("homunculus-vlm").encode())
    except PackageNotFoundError:  # run from a source tree that was never installed
        digest.update(b"source")
    for point in entry_points(group=GROUP):
        if point.name == scout and point.dist:
            digest.update(f"{point.dist.name} {point.dist.version}".encode())
    ours = scout in list_scouts()
    files = sorted((words.WEIGHTS if ours else Path(scout)).glob("*.onnx"))
    for file in [*files, *([things.WEIGHTS / things.FILE] if ours and things.available() else [])]:
        digest.update(file.name.encode() + sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]
