"""What fails and is not the row: the machine, the driver, or the process that a row was in.

Errors of the machine are tried again. A row that was in work when its process ended is a suspect,
no more: `Ledger` remembers it, and `work.plan_apart` tries it in a process of its own.
"""

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable
from uuid import uuid4

LOST = frozenset(("crash", "machine", "plan"))
"""Kinds of errors whose reason is not in the input; `--retry-lost` makes their rows again."""
PATIENCE = (0.2, 1.0)
"""Seconds to wait before a second and a third try, where the machine fails."""
MACHINE = {
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.ESTALE, errno.EBUSY,
    errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOBUFS,
    errno.ENETDOWN, errno.ENETUNREACH, errno.EHOSTUNREACH,
}  # fmt: skip
"""Disks that are full or fail, too many open files, no memory, no network."""
T = TypeVar("T")


def is_machine_error(error: BaseException | None) -> bool:
    """Whether an error, or what caused it, says that the machine failed: another try may succeed.

    >>> is_machine_error(OSError(errno.ENOSPC, "full")), is_machine_error(FileNotFoundError())
    (True, False)
    """
    while error is not None:
        if isinstance(error, MemoryError | ConnectionError | TimeoutError):
            return True
        if isinstance(error, OSError) and error.errno in MACHINE:
            return True
        if "allocate memory" in str(error):  # some libraries have no class for it
            return True
        error = getattr(error, "cause", None) or error.__cause__  # the first is Ray's
    return False


def patient(action: Callable[[], T]) -> T:
    """Do something, once more and again where the machine fails.

    >>> patient(lambda: 7)
    7
    """
    for seconds in PATIENCE:
        try:
            return action()
        except Exception as error:
            if not is_machine_error(error):
                raise
            time.sleep(seconds)
    return action()


# ---- the ledger ----------------------------------------------------------------------------------

Start = tuple[bool, dict[int, int]]
"""Whether to leave the chunk; and its suspects: rows at which a process ended, each with how many
workers of this run ended there."""


@runtime_checkable
class Book(Protocol):
    """Notes which row is begun: the ledger itself, or an actor that holds it."""

    def begin(self, shard: str, chunk: int) -> Start:
        """A chunk is begun; whether it should be left, and what happened to it before."""
        ...

    def row(self, shard: str, chunk: int, row: int) -> None:
        """A row of it is begun; the number after the last row is for a chunk that is through."""
        ...

    def left(self, shard: str) -> bool:
        """Whether the shard should not be begun any more."""
        ...


class Ledger:
    """Rows that are in work, in files that outlive a worker and the whole run."""

    def __init__(self, folder: str) -> None:
        self._folder, self._run = Path(folder), uuid4().hex
        self._folder.mkdir(parents=True, exist_ok=True)
        self._begun = set[str]()
        self._stopping = False

    def begin(self, shard: str, chunk: int) -> Start:
        """A chunk is begun: after `stop` only those of shards that are in hand already.

        A driver that ends takes its workers with it: only deaths of this run are counted.
        """
        if self.left(shard):
            return True, {}
        self._begun.add(shard)
        path, suspects = self._path(shard, chunk), dict[int, int]()
        for attempt in path.read_text().split("begin ")[1:] if path.exists() else ():
            run, *words = attempt.split()
            if rows := [word for word in words if word.isdigit()]:  # a full disk cuts lines short
                row = int(rows[-1])
                suspects[row] = suspects.get(row, 0) + (run == self._run)
        with path.open("a") as file:
            file.write(f"begin {self._run}\n")
        return False, suspects

    def row(self, shard: str, chunk: int, row: int) -> None:
        """A row is begun: if nothing more is heard of the chunk, this one is a suspect."""
        with self._path(shard, chunk).open("a") as file:
            file.write(f"{row}\n")

    def left(self, shard: str) -> bool:
        """Whether the run is stopping, and the shard was not begun."""
        return self._stopping and shard not in self._begun

    def stop(self) -> None:
        """Begin no more shards."""
        self._stopping = True

    def begun(self) -> list[str]:
        """Shards in hand, or done."""
        return sorted(self._begun)

    def done(self, shard: str) -> None:
        """Forget a shard that is finished."""
        for path in self._folder.glob(f"{shard}-*"):
            path.unlink(missing_ok=True)

    def process(self) -> int:
        """The process that holds the ledger."""
        return os.getpid()

    def _path(self, shard: str, chunk: int) -> Path:
        return self._folder / f"{shard}-{chunk}"
