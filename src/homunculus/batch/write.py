"""The output folder: finished shards, requests for a provider, and who may write there.

A shard is written to a temporary name and renamed, so a file with its final name is whole. One run
at a time holds the folder's lock; the kernel lets it go when the run ends, however it ends.
"""

import json
import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from heapq import nsmallest
from pathlib import Path
from typing import Any
from uuid import uuid4

from homunculus.batch.job import REQUEST, SCHEMA, WHO, Job, schema
from homunculus.batch.read import Shard
from homunculus.lazy import need

LIMITS = {"openai": (50_000, 200_000_000), "anthropic": (100_000, 256_000_000)}
"""Requests and bytes of a batch, as the providers publish them (2026-11). Megabytes are taken as
millions of bytes, and a list's brackets and commas are left room for."""
LEAST_SURE = 20
"""Plans of a job that are shown at the end."""


class Output:
    """A folder with finished shards; use it inside of `opened`."""

    def __init__(self, folder: Path, job: Job, version: str) -> None:
        self.folder, self.job, self.version = folder, job, version
        self.work, self.requests = folder / ".work", folder / ".work" / "requests"

    @contextmanager
    def opened(self) -> Generator["Output", None, None]:
        """Hold the folder for this run alone; raises if another run does."""
        filelock = need("filelock", extra="batch", who=WHO)
        self.requests.mkdir(parents=True, exist_ok=True)
        with ExitStack() as held:
            try:
                held.enter_context(filelock.FileLock(self.work / "lock", timeout=0))
            except filelock.Timeout as error:
                raise ValueError(
                    f"{self.folder}: another run is writing there. Wait, or name another folder."
                ) from error
            self._check_job()
            self._sweep()
            yield self

    def _check_job(self) -> None:
        """One folder holds one job."""
        path = self.folder / "job.json"
        facts = {"schema": SCHEMA, "version": self.version, **self.job.facts()}
        if not path.exists():
            self._put(path, json.dumps(facts, indent=2).encode())
            return
        old = json.loads(path.read_text("utf-8"))
        if changed := sorted(key for key in facts | old if facts.get(key) != old.get(key)):
            raise ValueError(
                f"{self.folder} holds another job: {', '.join(changed)} differ. "
                "Name another folder."
            )

    def _sweep(self) -> None:
        """What a run that was killed left half written."""
        for path in self.work.glob("*.part"):
            path.unlink(missing_ok=True)

    def _put(self, path: Path, data: bytes) -> None:
        with self._new(path) as file:
            file.write(data)

    def put_json(self, name: str, facts: dict[str, Any]) -> None:
        """A small file of facts, whole or not at all."""
        self._put(self.folder / name, (json.dumps(facts, indent=2) + "\n").encode())

    @contextmanager
    def _new(self, path: Path) -> Generator[Any, None, None]:
        """A file that appears whole under its name, or not at all."""
        part = self.work / f"{os.getpid()}-{uuid4().hex}.part"
        try:
            with part.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    # ---- shards ----

    def path(self, key: str) -> Path:
        """Where a shard stands when it is finished."""
        return self.folder / f"part-{key}.parquet"

    def finished(self, shards: Sequence[Shard], replace: bool = False) -> set[str]:
        """Keys of shards that need not be made again.

        Raises where there are shards of an input that has changed since; ``replace`` deletes them.
        """
        there = {path.stem.removeprefix("part-") for path in self.folder.glob("part-*.parquet")}
        wanted = {shard.key for shard in shards}
        if (stale := there - wanted) and not replace:
            raise ValueError(
                f"{self.folder} has {len(stale)} shards of files that have changed or are gone. "
                "--replace deletes them; or name another folder."
            )
        if stale and (self.folder / "requests.json").exists():
            self._forget_requests()
        for key in stale:
            self.path(key).unlink()
        if self.job.to != "views":
            return there & wanted
        merged = set(self._merged()["shards"])
        return {one for one in there & wanted if one in merged or self._lines(one).exists()}

    def write(self, key: str, results: list[dict[str, Any]]) -> dict[str, Any]:
        """Finish a shard; what it adds up to is kept in the file and returned."""
        pa: Any = need("pyarrow", extra="batch", who=WHO)
        parquet = need("pyarrow.parquet", extra="batch", who=WHO)
        lines = [line for one in results if (line := one.pop(REQUEST, None))]
        if self.job.to == "views":  # first: the shard is finished once its table is there
            self._put(self._lines(key), "".join(f"{line}\n" for line in lines).encode())
        totals = add_up(results)
        columns = schema(key, json.dumps(self.job.facts()), json.dumps(totals))
        with self._new(self.path(key)) as file:
            parquet.write_table(pa.Table.from_pylist(results, columns), file, compression="zstd")
        return totals

    def totals(self, key: str) -> dict[str, Any]:
        """What a finished shard adds up to, from its footer."""
        parquet = need("pyarrow.parquet", extra="batch", who=WHO)
        told = parquet.read_metadata(self.path(key)).metadata
        return json.loads(told[b"homunculus.batch.totals"])

    # ---- requests ----

    def _lines(self, key: str) -> Path:
        return self.requests / f"{key}.jsonl"

    def _merged(self) -> dict[str, Any]:
        path = self.folder / "requests.json"
        return json.loads(path.read_text()) if path.exists() else {"files": [], "shards": []}

    def _forget_requests(self) -> None:
        for one in self._merged()["files"]:
            (self.folder / one["file"]).unlink(missing_ok=True)
        (self.folder / "requests.json").unlink()

    def merge_requests(self, shards: Sequence[Shard]) -> list[dict[str, Any]]:
        """Put the requests of all shards into as few files as the provider allows.

        The list of files is written last: until then nothing of the shards is thrown away.
        """
        told = self._merged()
        keys = [one.key for one in shards if one.key not in set(told["shards"])]
        if not keys:
            return told["files"]
        merged = list[dict[str, Any]](told["files"])
        lines = (line for key in keys for line in self._each_line(key))
        for group in split(lines, *LIMITS[self.job.style]):
            name = f"requests-{len(merged) + 1:05}.jsonl"
            count, size = 0, 0
            with self._new(self.folder / name) as file:
                for line in group:
                    file.write(line)
                    count, size = count + 1, size + len(line)
            merged.append({"file": name, "requests": count, "bytes": size})
        told = {"format": self.job.style, "files": merged, "shards": [*told["shards"], *keys]}
        self._put(self.folder / "requests.json", json.dumps(told).encode())
        for key in keys:
            self._lines(key).unlink(missing_ok=True)
        return merged

    def _each_line(self, key: str) -> Iterator[bytes]:
        with self._lines(key).open("rb") as file:
            yield from file


def split(lines: Iterable[bytes], most: int, size: int) -> Iterator[Iterator[bytes]]:
    """Lines in groups of so many lines and bytes at most; each group is used up before the next.

    >>> [list(group) for group in split([b"aa", b"bb", b"c"], 9, 12)]
    [[b'aa', b'bb'], [b'c']]
    """
    source = iter(lines)
    held = next(source, None)

    def group() -> Iterator[bytes]:
        nonlocal held
        count = total = 0
        while held is not None and count < most and (not count or total + len(held) + 4 <= size):
            yield held
            count, total = count + 1, total + len(held) + 4
            held = next(source, None)

    while held is not None:
        yield group()


def add_up(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Sums of a shard, and its plans of least value."""
    right = [one for one in results if not one.get("error")]
    kinds = [one["error_kind"] for one in results if one.get("error")]
    # what is not known is the least sure of all
    plans = [(one["value"] or 0.0, one["id"]) for one in right if one.get("basis")]
    names = ("tokens", "untouched", "prompt_tokens", "answer_tokens")
    return {
        "rows": len(results),
        "errors": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        **{name: sum(one.get(name) or 0 for one in right) for name in names},
        "seconds": {
            name: round(sum(one.get(f"{name}_seconds") or 0.0 for one in right), 3)
            for name in ("open", "scout", "plan", "answer")
        },
        "least": nsmallest(LEAST_SURE, plans),
    }
