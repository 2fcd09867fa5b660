"""`homunculus batch`: flags, and the loop that keeps what workers send and finishes shards."""

import argparse
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
from homunculus.batch.report import Tally, event, least_sure_page, text
from homunculus.batch.write import Output
from homunculus.flags import count, json_flag
from homunculus.progress import Progress

EVERY = 5.0
"""Seconds between two events of progress."""
VERSION = version("homunculus-vlm")
STOPPED = 128 + signal.SIGTERM


def flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `homunculus batch`."""
    add = parser.add_argument
    add("source", help="a folder, a PDF, JSONL, Parquet or tar files, or a pattern; also s3://...")
    add("out", type=Path, help="folder for the results; run again to go on where a run ended")
    add("--question", default="", help="what is asked of every picture")
    add("--question-column", default="", metavar="NAME", help="column that holds the questions")
    add("--image-column", default="", metavar="NAME", help="column of pictures, paths or data URIs")
    add("--images", default="", metavar="FOLDER", help="folder that paths in rows are relative to")
    add("--pages", default="all", metavar="N,N-N", help="pages of documents, from 1 (%(default)s)")
    add("--tokens", type=count, required=True, help="how many tokens a page may cost")
    about = "whose tokens: see `homunculus cost`; or an API's name of its model (%(default)s)"
    add("--model", default="qwen3-vl", help=about)
    about = "plans: where the tokens go; views: requests for a provider's batch API (%(default)s)"
    add("--to", choices=["plans", "views"], default="plans", help=about)
    add(
        "--engine",
        default="",
        metavar="MODEL",
        help="answer the questions, with vLLM and this model",
    )
    add("--engine-args", default="{}", metavar="JSON", help="further arguments of vLLM's engine")
    add("--max-output", type=count, default=256, help="tokens of an answer (%(default)s)")
    about = "how small the model reads: a name, or a result of `homunculus eyetest` (%(default)s)"
    add("--acuity", default="vlm", help=about)
    about = "which scout says where to look (%(default)s)"
    add("--scout", default="auto", metavar="NAME|DIR", help=about)
    about = "where the answer is less likely readable, take up to --cap tokens, else the original"
    add("--legible", type=float, metavar="P", help=about)
    add("--cap", type=count, default=1024, help="the most tokens with --legible (%(default)s)")
    add("--shard-rows", type=count, default=256, help="rows of a finished file (%(default)s)")
    add("--price", type=float, help="money for a million input tokens, for the bill")
    add("--strict", action="store_true", help="exit with 1 if any row is an error, whatever it is")
    add("--replace", action="store_true", help="delete results of files that have changed")
    about = "make rows again that were lost to crashes or to the machine"
    add("--retry-lost", action="store_true", help=about)
    json_flag(parser)
    where = parser.add_argument_group("where it runs")
    where.add_argument("--local", action="store_true", help="one process, without Ray")
    where.add_argument("--workers", type=count, help="workers (one for each core, or each GPU)")
    where.add_argument("--address", help="a running Ray cluster, such as auto (this machine alone)")
    where.add_argument("--gpus", type=float, default=0.0, help="GPUs of each worker (%(default)s)")


def job_of(arguments: argparse.Namespace) -> Job:
    """What the flags ask for."""
    names = (
        "tokens", "model", "question", "question_column", "image_column", "images", "pages",
        "engine", "engine_args", "max_output", "acuity", "scout", "legible", "cap", "shard_rows",
    )  # fmt: skip
    told = {name: getattr(arguments, name) for name in names}
    if arguments.engine and arguments.to != "plans":
        raise ValueError("--engine gives answers, --to views gives requests. Drop one of them.")
    return Job(arguments.source, to="answers" if arguments.engine else arguments.to, **told)


@dataclass
class Run:
    """One run of a job."""

    job: Job
    out: Output
    say: Callable[[str], None]
    """Takes events, one line each."""
    show: Progress
    tally: Tally
    stop: Event = field(default_factory=Event)
    _waiting: dict[str, dict[int, Chunk]] = field(default_factory=dict[str, dict[int, Chunk]])
    _spoken: float = 0.0

    def take(self, chunk: Chunk) -> str | None:
        """Keep a chunk; the key of its shard if that is finished now."""
        if chunk.shard in self.tally.keys:  # sent twice, as after the loss of a machine
            return None
        held = self._waiting.setdefault(chunk.shard, {})
        new = chunk.index not in held
        held[chunk.index] = chunk
        self.tally.fresh += len(chunk.results or ()) if new else 0
        last = next((index for index, one in held.items() if one.last), None)
        if last is None or len(held) <= last:
            self._speak(chunk)
            return None
        parts = [held[index].results or [] for index in range(last + 1)]
        totals = self.out.write(chunk.shard, [one for part in parts for one in part])
        del self._waiting[chunk.shard]
        self.tally.add(chunk.shard, totals)
        self.say(event("shard", shard=chunk.shard, **{k: totals[k] for k in ("rows", "errors")}))
        self._speak(chunk)
        return chunk.shard

    def _speak(self, chunk: Chunk) -> None:
        held = sum(
            len(one.results or ()) for part in self._waiting.values() for one in part.values()
        )
        self.show(
            min(self.tally.rows + held, self.tally.total), self.tally.total, self.tally.words()
        )
        if monotonic() - self._spoken > EVERY:
            self._spoken = monotonic()
            more = {"in_hand": held, "worker": chunk.worker}
            self.say(event("progress", **self.tally.facts(), **more))


def run(
    arguments: argparse.Namespace, say: Callable[[str], None], show: Progress
) -> tuple[int, str]:
    """Run a batch; the exit code, and a text for people."""
    job, folder = job_of(arguments), arguments.out
    with _machine_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with Output(folder, job, VERSION).opened() as out:
            show.say("listing the input")
            listing = list_input(job, VERSION)
            done = out.finished(listing.shards, arguments.replace, arguments.retry_lost)
            here = Run(job, out, say, show, Tally(listing.rows, arguments.price))
            for key in done:
                here.tally.add(key, out.totals(key))
            say(_start_event(listing, done))
            todo = [shard for shard in listing.shards if shard.key not in done]
            if todo:
                here.tally.start = monotonic()
                _work(here, todo, arguments)
            return _end(here, listing, arguments)


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


def _start_event(listing: Listing, done: set[str]) -> str:
    facts = {"shards": len(listing.shards), "finished": len(done), "rows": listing.rows}
    return event("start", **facts, skipped_files=listing.skipped)


def _work(here: Run, todo: Sequence[Shard], arguments: argparse.Namespace) -> None:
    """Make all shards, or those in hand if the run is told to stop."""
    ledger = str(here.out.work / "rows")
    with ExitStack() as held:
        if arguments.local:
            book = Ledger(ledger)
            source = local_chunks(here.job, todo, book)
        else:
            workers = arguments.workers or _default_workers(arguments.address)
            ray = held.enter_context(ray_session(arguments.address, workers))
            book = remote_book(ray, ledger)
            source = ray_chunks(here.job, todo, book, workers, arguments.gpus)
        held.enter_context(_stopping(here, book))
        finished = set[str]()
        for chunk in source:
            if chunk.results is not None and (key := here.take(chunk)):
                finished.add(key)
                book.done(key)
            if here.stop.is_set() and set(book.begun()) <= finished:
                break


def _default_workers(address: str | None) -> int:
    if address:
        raise ValueError("--address needs --workers: how many workers the cluster should have.")
    return os.cpu_count() or 1


@contextmanager
def _stopping(here: Run, book: Any) -> Generator[None, None, None]:
    """SIGTERM: finish the shards in hand, begin no more."""
    ended = Event()

    def watch() -> None:
        here.stop.wait()
        if not ended.is_set():
            here.say(event("stopping"))
            book.stop()

    if current_thread() is not main_thread():
        yield
        return
    watcher = Thread(target=watch, daemon=True)
    watcher.start()

    def told(_number: int, _frame: object) -> None:
        here.stop.set()

    before = signal.signal(signal.SIGTERM, told)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        stopped = here.stop.is_set()
        ended.set()
        here.stop.set()
        watcher.join(5)
        if not stopped:
            here.stop.clear()


def _end(here: Run, listing: Listing, arguments: argparse.Namespace) -> tuple[int, str]:
    """Summary, requests and the page of doubtful plans; how the command ends."""
    job, out, tally = here.job, here.out, here.tally
    stopped = len(tally.keys) < len(listing.shards)
    for shard in listing.shards:  # lost rows that were not made again before the stop
        if shard.key not in tally.keys and out.path(shard.key).exists():
            tally.add(shard.key, out.totals(shard.key))
    summary = tally.summary(job, len(tally.keys), stopped)
    notes = list[str]()
    if not stopped:
        if job.to == "views":
            summary["requests"] = out.merge_requests(listing.shards)
            notes += [f"{one['file']}: {one['requests']:,} requests, {one['bytes'] / 1e6:.1f} MB"
                      for one in summary["requests"]]  # fmt: skip
            notes += _name_note(job)
        here.show.say("drawing the plans of least value")
        if page := least_sure_page(job, out, tally, listing.shards):
            notes.append(f"plans to look at: {page}")
    out.put_json("summary.json", summary)
    here.say(event("end", **summary))
    wrong = sum(summary["errors"].values()) if arguments.strict else summary["lost"]
    code = STOPPED if stopped else 1 if wrong else 0
    return code, "\n".join([text(summary, out.folder), *notes])


def _name_note(job: Job) -> list[str]:
    if job.model != job.rule.name:
        return []
    return [f"Requests name the model {job.model!r}. Give the API's own name for it as --model."]
