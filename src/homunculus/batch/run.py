"""Runs a job: keeps what workers send, finishes shards, and sums the results up at the end."""

import os
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from threading import Event, Thread, current_thread, main_thread
from time import monotonic
from typing import Any

from homunculus.batch.cluster import (
    Chunk,
    local_chunks,
    ray_chunks,
    ray_session,
    remote_book,
)
from homunculus.batch.faults import Ledger, is_machine_error
from homunculus.batch.job import Job
from homunculus.batch.read import Listing, Shard, list_input
from homunculus.batch.report import Tally, event, text
from homunculus.batch.write import Output
from homunculus.progress import Progress

INTERVAL = 5.0
"""Seconds between two progress events."""
VERSION = version("homunculus-vlm")
STOPPED = 128 + signal.SIGTERM


@dataclass
class Collector:
    """Takes the workers' chunks, and writes a shard when all of its chunks are there."""

    job: Job
    out: Output
    say: Callable[[str], None]
    """Takes events, one line each."""
    show: Progress
    tally: Tally
    stop: Event = field(default_factory=Event)
    _waiting: dict[str, dict[int, Chunk]] = field(default_factory=dict[str, dict[int, Chunk]])
    """Chunks of unfinished shards, by shard and index."""
    _reported: float = 0.0

    def take(self, chunk: Chunk) -> str | None:
        """Keep a chunk. Returns the key of its shard if that is finished now."""
        if chunk.shard in self.tally.keys:  # sent twice, as after the loss of a machine
            return None
        chunks = self._waiting.setdefault(chunk.shard, {})
        if chunk.index not in chunks:
            self.tally.fresh += len(chunk.results or ())
        chunks[chunk.index] = chunk
        last = next((index for index, part in chunks.items() if part.last), None)
        if last is None or len(chunks) <= last:
            self._report(chunk)
            return None
        results = [result for index in range(last + 1) for result in chunks[index].results or ()]
        totals = self.out.write(chunk.shard, results)
        del self._waiting[chunk.shard]
        self.tally.add(chunk.shard, totals)
        self.say(event("shard", shard=chunk.shard, rows=totals["rows"], errors=totals["errors"]))
        self._report(chunk)
        return chunk.shard

    def _report(self, chunk: Chunk) -> None:
        tally = self.tally
        waiting = sum(
            len(part.results or ()) for chunks in self._waiting.values() for part in chunks.values()
        )
        self.show(min(tally.rows + waiting, tally.total), tally.total, tally.words())
        if monotonic() - self._reported > INTERVAL:
            self._reported = monotonic()
            self.say(event("progress", **tally.facts(), in_hand=waiting, worker=chunk.worker))


def run(
    job: Job,
    folder: Path,
    say: Callable[[str], None],
    show: Progress,
    *,
    local: bool = False,
    workers: int | None = None,
    address: str | None = None,
    strict: bool = False,
    replace: bool = False,
    retry_lost: bool = False,
) -> tuple[int, str]:
    """Run a job, or the rest of it. Returns an exit code and a summary for people.

    ``say`` takes events as lines of JSON. ``local`` works in this process, else Ray's ``workers``
    do, here or in the cluster at ``address``. ``replace`` deletes results of files that have
    changed, ``retry_lost`` makes rows again that were lost to crashes or to the machine, and with
    ``strict`` any error makes the exit code 1.
    """
    with _machine_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with Output(folder, job, VERSION).opened() as out:
            show.say("listing the input")
            listing = list_input(job, VERSION)
            done = out.finished(listing.shards, replace, retry_lost)
            collector = Collector(job, out, say, show, Tally(listing.rows))
            for key in done:
                collector.tally.add(key, out.totals(key))
            say(
                event(
                    "start", shards=len(listing.shards), finished=len(done), rows=listing.rows,
                    skipped_files=listing.skipped,
                )
            )  # fmt: skip
            todo = [shard for shard in listing.shards if shard.key not in done]
            if todo:
                collector.tally.start = monotonic()
                _work(collector, todo, local, workers, address)
            return _end(collector, listing, strict)


@contextmanager
def _machine_errors(folder: Path) -> Generator[None, None, None]:
    """One sentence where the driver's own machine fails: no row is to blame."""
    try:
        yield
    except (MemoryError, OSError) as error:
        if isinstance(error, ConnectionError) or not is_machine_error(error):
            raise
        raise OSError(
            f"{folder}: {error.strerror if isinstance(error, OSError) else 'out of memory'}. "
            "Finished shards are kept, and no row is lost. Run the same command again when there "
            "is room."
        ) from error


def _work(
    collector: Collector,
    todo: Sequence[Shard],
    local: bool,
    workers: int | None,
    address: str | None,
) -> None:
    """Make all shards, or only those that were begun if the run is told to stop."""
    ledger = str(collector.out.work / "rows")
    with ExitStack() as stack:
        if local:
            book = Ledger(ledger)
            chunks = local_chunks(collector.job, todo, book)
        else:
            workers = workers or _default_workers(address)
            ray = stack.enter_context(ray_session(address, workers))
            book = remote_book(ray, ledger)
            chunks = ray_chunks(collector.job, todo, book, workers)
        stack.enter_context(_stop_on_sigterm(collector, book))
        finished = set[str]()
        for chunk in chunks:
            if chunk.results is not None and (key := collector.take(chunk)):
                finished.add(key)
                book.done(key)
            if collector.stop.is_set() and set(book.begun()) <= finished:
                break


def _default_workers(address: str | None) -> int:
    if address:
        raise ValueError("--address needs --workers: how many workers the cluster should have.")
    return os.cpu_count() or 1


@contextmanager
def _stop_on_sigterm(collector: Collector, book: Any) -> Generator[None, None, None]:
    """SIGTERM: finish the shards in hand, begin no more."""
    ended = Event()

    def watch() -> None:
        collector.stop.wait()
        if not ended.is_set():
            collector.say(event("stopping"))
            book.stop()

    if current_thread() is not main_thread():
        yield
        return
    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    previous = signal.signal(signal.SIGTERM, lambda _number, _frame: collector.stop.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
        stopped = collector.stop.is_set()
        ended.set()
        collector.stop.set()
        watcher.join(5)
        if not stopped:
            collector.stop.clear()


def _end(collector: Collector, listing: Listing, strict: bool) -> tuple[int, str]:
    """Write the summary and the requests."""
    job, out, tally = collector.job, collector.out, collector.tally
    stopped = len(tally.keys) < len(listing.shards)
    for shard in listing.shards:  # lost rows that were not made again before the stop
        if shard.key not in tally.keys and out.path(shard.key).exists():
            tally.add(shard.key, out.totals(shard.key))
    summary = tally.summary(job, len(tally.keys), stopped)
    notes = list[str]()
    if job.to == "views" and not stopped:
        summary["requests"] = out.merge_requests(listing.shards)
        notes += [
            f"{file['file']}: {file['requests']:,} requests, {file['bytes'] / 1e6:.1f} MB"
            for file in summary["requests"]
        ]
        if job.model == job.rule.name:
            notes.append(
                f"Requests name the model {job.model!r}. Give the API's own name for it as --model."
            )
    out.put_json("summary.json", summary)
    collector.say(event("end", **summary))
    failed = sum(summary["errors"].values()) if strict else summary["lost"]
    code = STOPPED if stopped else 1 if failed else 0
    return code, "\n".join([text(summary, out.folder), *notes])
