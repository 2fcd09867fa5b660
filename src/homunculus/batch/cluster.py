"""Ray Data: shards are read by tasks, and planned by a pool of workers.

Files go from stage to stage a few at a time, so storage, workers and the driver hold each other
back. Pictures are decoded, scouted and planned in one worker: decoded they are 10 to 50 times as
large as their files, too much to send. The driver alone writes.
"""

import logging
import os
import pickle
import re
import resource
import socket
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

from homunculus.batch.faults import MACHINE, Ledger, Start
from homunculus.batch.job import Job
from homunculus.batch.read import Shard, chunks, rows_of
from homunculus.batch.work import work_chunk
from homunculus.lazy import need
from homunculus.scouts.memory import bound_memory

WHO = "homunculus batch (without --local)"
BLOCKS = 4_000
"""Reading tasks of a run at most; each reads its shards one after the other."""
STORE = 400_000_000
"""Bytes of files that wait between stages, on a machine of its own."""
PAGES = 24
"""Megabytes of pages that a worker keeps: questions about one picture come one after the other."""


@dataclass(frozen=True)
class Chunk:
    """Results of some rows of a shard; None if they were left because the run is stopping."""

    shard: str
    index: int
    last: bool
    results: list[dict[str, Any]] | None
    worker: dict[str, Any]
    """Where they were made, as `this_worker` says it."""


def this_worker() -> dict[str, Any]:
    """Host, process, resident bytes and CPU time of this process.

    Of the resident bytes, ``shared`` are those of libraries and of Ray's store of objects, which
    all workers of a machine see.
    """
    status = Path("/proc/self/statm")  # where there is none, the peak instead
    pages = status.read_text().split()[1:3] if status.exists() else (0, 0)
    resident, shared = (int(number) * resource.getpagesize() for number in pages)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "resident": resident or peak,
        "shared": shared,
        "cpu_seconds": round(process_time(), 2),
    }


def local_chunks(job: Job, shards: Sequence[Shard], book: Ledger) -> Iterator[Chunk]:
    """Chunks that this process makes itself, one shard after the other."""
    for shard in shards:
        if book.left(shard.key):
            return
        for index, (rows, last) in enumerate(chunks(rows_of(job, shard))):
            results = work_chunk(job, rows, shard.key, index, book)
            yield Chunk(shard.key, index, last, results, this_worker())


# ---- Ray -----------------------------------------------------------------------------------------


class RemoteBook:
    """The ledger in an actor on the driver's machine, asked from anywhere."""

    def __init__(self, actor: Any) -> None:
        self._actor, self._get = actor, need("ray", extra="ray", who=WHO).get

    def begin(self, shard: str, chunk: int) -> Start:
        """As `Ledger.begin`."""
        return self._get(self._actor.begin.remote(shard, chunk))

    def row(self, shard: str, chunk: int, row: int) -> None:
        """As `Ledger.row`; waits until it is written."""
        self._get(self._actor.row.remote(shard, chunk, row))

    def left(self, shard: str) -> bool:
        """As `Ledger.left`."""
        return self._get(self._actor.left.remote(shard))

    def begun(self) -> list[str]:
        """As `Ledger.begun`."""
        return self._get(self._actor.begun.remote())

    def stop(self) -> None:
        """As `Ledger.stop`."""
        self._get(self._actor.stop.remote())

    def done(self, shard: str) -> None:
        """As `Ledger.done`, without waiting for it."""
        self._actor.done.remote(shard)


@contextmanager
def ray_session(address: str | None, workers: int) -> Generator[Any, None, None]:
    """Ray, joined at an address or started on this machine alone and ended with the run."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # of its own processes, not of ours
    ray = need("ray", extra="ray", who=WHO)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    own_cluster: dict[str, Any] = {
        "address": "local", "include_dashboard": False, "_node_ip_address": "127.0.0.1",
        "num_cpus": workers + 1,  # one more than the workers: reading and the ledger need a little
        "object_store_memory": STORE,
    }  # fmt: skip
    try:
        if address:
            _check_address(address)
        ray.init(**({"address": address} if address else own_cluster), **quiet)
    except Exception as error:  # Ray raises plain exceptions, too
        ray.shutdown()
        raise ConnectionError(_ray_failure(address, error)) from error
    try:
        yield ray
    except ray.exceptions.RayError as error:
        raise ConnectionError(
            f"Ray ended before the work was done: {_first_line(error)} Finished shards are kept. "
            "Run the same command again."
        ) from error
    finally:
        ray.shutdown()


def _check_address(address: str) -> None:
    """Raise OSError where nothing listens at an address: Ray itself tries for many minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


def _ray_failure(address: str | None, error: Exception) -> str:
    """Why there is no Ray, and what to do."""
    if address:
        return (
            f"Ray could not be joined at {address}: {_first_line(error)} "
            "Check --address, and that the cluster runs (`ray status`)."
        )
    return (
        f"Ray could not be started: {_first_line(error)} Run the same command again when the "
        "machine is less busy, give fewer --workers, or run without Ray: --local."
    )


def _first_line(error: BaseException) -> str:
    """The first sentence of what is behind an error of Ray's, whose message may fill a page.

    Where Ray keeps only the text of a worker's traceback, an error of the machine is found in it.

    >>> _first_line(RuntimeError("UDF failed.\\nOSError: [Errno 28] No space left on device: 'x'"))
    'No space left on device.'
    """
    errors = [error]
    while cause := getattr(errors[-1], "cause", None) or errors[-1].__cause__:
        errors.append(cause)
    numbers = (int(digits) for error in errors for digits in _ERRNO.findall(str(error)))
    if number := next((number for number in numbers if number in MACHINE), 0):
        return f"{os.strerror(number)}."
    line = (str(errors[-1]).strip() or type(errors[-1]).__name__).splitlines()[0]
    return f"{line.split('. ')[0].rstrip('.')}."


_ERRNO = re.compile(r"\[Errno (\d+)\]")


def remote_book(ray: Any, folder: str) -> RemoteBook:
    """A ledger beside the driver: it must not be lost with another machine.

    It is started again where it is killed: its files are still there.
    """
    strategies = need("ray.util.scheduling_strategies", extra="ray", who=WHO)
    node = ray.get_runtime_context().get_node_id()
    beside_driver = strategies.NodeAffinitySchedulingStrategy(node, soft=False)
    remote = ray.remote(
        num_cpus=0, scheduling_strategy=beside_driver, max_restarts=-1, max_task_retries=-1
    )
    return RemoteBook(remote(Ledger).remote(folder))


def reader(batch: Any, job: Job, book: RemoteBook) -> Iterator[dict[str, list[bytes]]]:
    """Read shards; one chunk after the other goes to the next stage."""
    for data in batch["shard"].to_pylist():
        shard = pickle.loads(data)
        if book.left(shard.key):
            continue
        for index, (rows, last) in enumerate(chunks(rows_of(job, shard))):
            yield {"rows": [pickle.dumps((shard.key, index, last, rows))]}


class Worker:
    """Plans chunks, and keeps its scouts in between."""

    def __init__(self, job: Job, book: RemoteBook) -> None:
        bound_memory(PAGES)
        self._job, self._book = job, book

    def __call__(self, batch: Any) -> dict[str, list[bytes]]:
        key, index, last, rows = pickle.loads(batch["rows"][0].as_py())
        results = work_chunk(self._job, rows, key, index, self._book)
        return {"chunk": [pickle.dumps(Chunk(key, index, last, results, this_worker()))]}


def ray_chunks(
    job: Job, shards: Sequence[Shard], book: RemoteBook, workers: int
) -> Iterator[Chunk]:
    """The work on Ray's workers; results come as they are ready."""
    data = need("ray.data", extra="ray", who=WHO)
    context = data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    items = [{"shard": pickle.dumps(shard)} for shard in shards]
    pool = data.ActorPoolStrategy(size=workers, max_tasks_in_flight_per_actor=2)
    stream = (
        data.from_items(items, override_num_blocks=min(len(items), BLOCKS))
        .map_batches(
            reader, batch_size=1, batch_format="pyarrow", num_cpus=0.1, fn_args=(job, book)
        )
        .map_batches(
            Worker, batch_size=1, batch_format="pyarrow", compute=pool, num_cpus=1,
            fn_constructor_args=(job, book),
        )
    )  # fmt: skip
    for batch in stream.iter_batches(batch_size=1, batch_format="pyarrow", prefetch_batches=1):
        yield pickle.loads(batch["chunk"][0].as_py())
