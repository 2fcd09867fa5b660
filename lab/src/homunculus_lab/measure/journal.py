# pyright: basic
"""A run's journal: what was measured so far, a batch a line, on disk before the next begins.

The first line tells what is measured; a journal of anything else is refused. A run
that is killed in the middle of a line loses that line.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from homunculus_lab.results import to_text


class Journal:
    """Batches by name, kept in a file that only grows."""

    def __init__(self, path: Path, head: Mapping[str, Any], origin: Mapping[str, Any]) -> None:
        """Open it, or begin it. ``head`` decides whose it is; ``origin`` is kept as first given."""
        self.path, self.file = path, path.open("a+b")
        try:
            self._lock()
            lines = self._lines() or [self._write({"run": fingerprint(head), "origin": origin})]
            if lines[0].get("run") != fingerprint(head):
                raise ValueError(
                    f"{path.name} is the journal of another run: suites, flags, weights or "
                    "versions differ. Finish that one, remove it, or use another -o."
                )
        except ValueError:
            self.file.close()
            raise
        self.origin: dict[str, Any] = lines[0]["origin"]
        self.resumed = len(lines) > 1
        self.done: dict[str, Any] = {str(name): batch for name, batch in lines[1:]}

    def _lock(self) -> None:
        """Two runs that write one journal would spoil it."""
        import fcntl  # Unix alone has it; results can be read without

        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(f"{self.path.name} is being written by another run.") from None

    def _lines(self) -> list[Any]:
        """Every whole line; a torn one at the end is cut off."""
        self.file.seek(0)
        lines, end = [], 0
        for line in self.file:
            try:
                lines.append(json.loads(line))
            except ValueError:
                break
            if not line.endswith(b"\n"):
                lines.pop()
                break
            end += len(line)
        self.file.truncate(end)
        self.file.seek(0, os.SEEK_END)
        return lines

    def add(self, name: str, batch: Any) -> Any:
        """Write a batch, and keep it as it is read back: a resumed run has the same values."""
        self.done[name] = json.loads(json.dumps(batch))
        self._write([name, batch])
        return self.done[name]

    def _write(self, line: Any) -> Any:
        self.file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())
        return line

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    @property
    def again(self) -> dict[str, Any]:
        """The commits at which it went on, for a result; empty if it was always the same."""
        commits = [name.split()[1] for name in self.done if name.startswith("commit ")]
        return {"resumed_at": commits} if commits else {}


@contextmanager
def open_journal(out: Path, head: Mapping[str, Any], made: dict[str, Any]) -> Iterator[Journal]:
    """The journal of a result that is to be written; going on at another commit is noted."""
    journal = Journal(out.with_name(out.name + ".journal"), head, made)
    try:
        if journal.resumed and journal.origin["commit"] != made["commit"]:
            journal.add(f"commit {made['commit']}", None)
        yield journal
    finally:
        journal.close()


def finish_journal(journal: Journal, out: Path, result: Any) -> None:
    """Write the result, once; then its journal may go."""
    write_once(out, to_text(result))
    journal.path.unlink()


def fingerprint(settings: Mapping[str, Any]) -> str:
    """A hash of settings that does not depend on their order.

    >>> fingerprint({"a": 1, "b": [2]}) == fingerprint({"b": [2], "a": 1})
    True
    """
    return blake2b(json.dumps(settings, sort_keys=True).encode(), digest_size=8).hexdigest()


def write_once(path: Path, text: str) -> None:
    """The whole file or none of it, and never over another."""
    if path.exists():
        raise ValueError(f"{path} already exists, and results are not overwritten. Use -o.")
    new = path.with_name(path.name + ".new")
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
