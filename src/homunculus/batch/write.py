"""The output folder: finished shards, requests for a provider, and who may write there.

A shard is written to a temporary name and renamed, so a file with its final name is whole. One run
at a time holds the folder's lock; the kernel lets it go when the run ends, however it ends.
"""

import json
import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from heapq import nsmallest
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import uuid4

from homunculus.batch.faults import LOST
from homunculus.batch.job import REQUEST, SCHEMA, WHO, Job, schema
from homunculus.batch.read import Shard
from homunculus.lazy import need

LIMITS = {"openai": (50_000, 200_000_000), "anthropic": (100_000, 256_000_000)}
"""Requests and bytes of a batch, as the providers publish them (2026-11). Megabytes are taken as
millions of bytes, and a list's brackets and commas are left room for."""
LEAST_SURE = 20
"""Plans of a job that are shown at the end."""
NAMES = 20
"""Rows that a summary names of those that were only resized."""


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
        with ExitStack() as stack:
            try:
                stack.enter_context(filelock.FileLock(self.work / "lock", timeout=0))
            except filelock.Timeout as error:
                raise ValueError(
                    f"{self.folder}: another run is writing there. Wait, or name another folder."
                ) from error
            self._check_job()
            for path in self.work.glob("*.part"):  # a run that was killed left them half written
                path.unlink(missing_ok=True)
            yield self

    def _check_job(self) -> None:
        """One folder holds one job."""
        path = self.folder / "job.json"
        facts = {"schema": SCHEMA, "version": self.version, **self.job.facts()}
        if not path.exists():
            self.put_json("job.json", facts)
            return
        old = json.loads(path.read_text("utf-8"))
        if changed := sorted(key for key in facts | old if facts.get(key) != old.get(key)):
            raise ValueError(
                f"{self.folder} holds another job: {', '.join(changed)} differ. "
                "Name another folder."
            )

    def put(self, path: Path, data: bytes) -> None:
        """A small file, whole or not at all."""
        with self._new(path) as file:
            file.write(data)

    def put_json(self, name: str, facts: dict[str, Any]) -> None:
        """A small file of facts, whole or not at all."""
        self.put(self.folder / name, (json.dumps(facts, indent=2) + "\n").encode())

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

    def finished(
        self, shards: Sequence[Shard], replace: bool = False, retry: bool = False
    ) -> set[str]:
        """Keys of shards that need not be made again; with ``retry`` those without lost rows.

        Raises where there are shards of an input that has changed since; ``replace`` deletes them.
        """
        present = {path.stem.removeprefix("part-") for path in self.folder.glob("part-*.parquet")}
        wanted = {shard.key for shard in shards}
        if (stale := present - wanted) and not replace:
            raise ValueError(
                f"{self.folder} has {len(stale)} shards of files that have changed or are gone. "
                "--replace deletes them; or name another folder."
            )
        lost = {
            key
            for key in present & wanted
            if retry and not LOST.isdisjoint(self.totals(key)["errors"])
        }
        for key in stale:
            self.path(key).unlink()
            self._lines(key).unlink(missing_ok=True)
        done = (present & wanted) - lost
        if self.job.to == "views":
            done = {key for key in done if self._lines(key).exists()}
        return done

    def write(self, key: str, results: list[dict[str, Any]]) -> dict[str, Any]:
        """Finish a shard; what it adds up to is kept in the file and returned."""
        pa: Any = need("pyarrow", extra="batch", who=WHO)
        parquet = need("pyarrow.parquet", extra="batch", who=WHO)
        lines = [line for result in results if (line := result.pop(REQUEST, None))]
        if self.job.to == "views":  # first: the shard is finished once its table is there
            self.put(self._lines(key), "".join(f"{line}\n" for line in lines).encode())
        totals = add_up(results)
        columns = schema(key, json.dumps(self.job.facts()), json.dumps(totals))
        with self._new(self.path(key)) as file:
            parquet.write_table(pa.Table.from_pylist(results, columns), file, compression="zstd")
        return totals

    def totals(self, key: str) -> dict[str, Any]:
        """What a finished shard adds up to, from its footer."""
        parquet = need("pyarrow.parquet", extra="batch", who=WHO)
        metadata = parquet.read_metadata(self.path(key)).metadata
        return json.loads(metadata[b"homunculus.batch.totals"])

    # ---- requests ----

    def _lines(self, key: str) -> Path:
        return self.requests / f"{key}.jsonl"

    def merge_requests(self, shards: Sequence[Shard]) -> list[dict[str, Any]]:
        """Put the requests of all shards into as few files as the provider allows.

        `requests.json`, the list of files, is there only when all of them are.
        """
        index = self.folder / "requests.json"
        index.unlink(missing_ok=True)
        files = list[dict[str, Any]]()
        lines = chain.from_iterable(_each_line(self._lines(shard.key)) for shard in shards)
        for group in split(lines, *LIMITS[self.job.style]):
            name = f"requests-{len(files) + 1:05}.jsonl"
            count, size = 0, 0
            with self._new(self.folder / name) as file:
                for line in group:
                    file.write(line)
                    count, size = count + 1, size + len(line)
            files.append({"file": name, "requests": count, "bytes": size})
        for path in set(self.folder.glob("requests-*.jsonl")):
            if path.name not in {file["file"] for file in files}:
                path.unlink()
        self.put_json(index.name, {"format": self.job.style, "files": files})
        return files


def _each_line(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file


def split(lines: Iterable[bytes], max_lines: int, max_bytes: int) -> Iterator[Iterator[bytes]]:
    """Lines in groups of bounded length and size. Use up each group before the next.

    >>> [list(group) for group in split([b"aa", b"bb", b"c"], 9, 12)]
    [[b'aa', b'bb'], [b'c']]
    """
    source = iter(lines)
    line = next(source, None)

    def group() -> Iterator[bytes]:
        nonlocal line
        count = total = 0
        while (
            line is not None
            and count < max_lines
            and (not count or total + len(line) + 4 <= max_bytes)
        ):
            yield line
            count, total = count + 1, total + len(line) + 4
            line = next(source, None)

    while line is not None:
        yield group()


def add_up(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Sums of a shard, its plans of least value, and which rows were only resized."""
    done = [result for result in results if not result.get("error")]
    kinds = [result["error_kind"] for result in results if result.get("error")]
    # what is not known is the least sure of all
    plans = [(result["value"] or 0.0, result["id"]) for result in done if result.get("basis")]
    names = ("tokens", "untouched")
    resized = [result for result in done if is_resized(result)]
    return {
        "rows": len(results),
        "errors": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        "resized": {
            "unsure": sum(bool(result["question"].strip()) for result in resized),
            "no_question": sum(not result["question"].strip() for result in resized),
            "names": [result["id"] for result in resized[:NAMES]],
        },
        "original": sum(is_original(result) for result in done),
        **{name: sum(result.get(name) or 0 for result in done) for name in names},
        "seconds": {
            name: round(sum(result.get(f"{name}_seconds") or 0.0 for result in done), 3)
            for name in ("open", "scout", "plan")
        },
        "least": nsmallest(LEAST_SURE, plans),
    }


def is_original(result: dict[str, Any]) -> bool:
    """Whether a row shows the picture as it is.

    >>> is_original({"views": [{"name": "whole"}], "tokens": 836, "untouched": 836})
    True
    """
    return len(result.get("views") or ()) == 1 and result["tokens"] >= result["untouched"]


def is_resized(result: dict[str, Any]) -> bool:
    """Whether a row shows the whole picture, smaller, because the scout did not know where to look.

    >>> whole = {"name": "whole"}
    >>> is_resized({"views": [whole], "sure": 0.0, "tokens": 60, "untouched": 836})
    True
    >>> is_resized({"views": [whole, {"name": "window"}], "sure": 0.9, "tokens": 60})
    False
    """
    if not result.get("views") or result["sure"] or len(result["views"]) > 1:
        return False
    return result["tokens"] < result["untouched"]
