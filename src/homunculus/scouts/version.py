"""Which scout rated a picture: a name for all that decides it besides picture and question."""

from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from homunculus.scouts import things, words
from homunculus.scouts.registry import list_scouts


@cache
def scout_version(scout: str = "auto") -> str:
    """A digest of the code, the scout's name and its weights, for caches and results that are kept.

    >>> scout_version("pixels") == scout_version("none")
    False
    """
    digest = sha256(scout.encode())
    try:
        digest.update(version("homunculus-vlm").encode())
    except PackageNotFoundError:  # run from a source tree that was never installed
        digest.update(b"source")
    ours = scout in list_scouts()
    files = sorted((words.WEIGHTS if ours else Path(scout)).glob("*.safetensors"))
    for file in [*files, *([things.WEIGHTS / things.FILE] if ours and things.available() else [])]:
        digest.update(file.name.encode() + sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]
