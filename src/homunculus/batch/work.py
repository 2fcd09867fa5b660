"""What is done with a row: open it, ask the scout, plan, and write a request.

A row that cannot be used becomes an error row with a reason. A row that was in work when a process
ended is tried in a process of its own; if that ends a few times too, the row is an error row.
"""

import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from time import perf_counter
from typing import Any

from homunculus.batch.faults import Book, is_machine_error, patient
from homunculus.batch.job import REQUEST, Job, digest, page_numbers
from homunculus.batch.read import Row
from homunculus.pages import Picture, open_picture
from homunculus.views import MAX_EDGE, Planner, Views

Result = dict[str, Any]
MAX_REASON = 500
"""Characters of an error's reason."""
TRIES = 3
"""How often a row may end its process before it becomes an error row."""
KILLS = 20
"""How often a process may be killed from outside, by an operator or for want of memory, before the
row that it was at is left: a row that needs more memory than there is must not hold a run up."""
OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM)
"""Exit codes of a process that was killed from outside."""
CHILD = "from homunculus.batch.work import plan_sent_row; plan_sent_row()"


# ---- one chunk -----------------------------------------------------------------------------------


def work_chunk(
    job: Job, rows: list[Row], shard: str, chunk: int, book: Book
) -> list[Result] | None:
    """The results of a chunk, or None if it is to be left."""
    leave, suspects = book.begin(shard, chunk)
    if leave:
        return None
    results = list[Result]()
    for index, row in enumerate(rows):
        book.row(shard, chunk, index)
        suspect = index in suspects
        results += plan_apart(job, row, suspects[index]) if suspect else plan_row(job, row)
    book.row(shard, chunk, len(rows))
    return results


def plan_row(job: Job, row: Row) -> list[Result]:
    """A result for each page of a row; where it cannot be used, each has the reason."""
    if row.error:
        return _failed(row, row.kind, row.error)
    return list(_each_page(job, row))


def plan_apart(job: Job, row: Row, killed: int) -> list[Result]:
    """Results of a row from a process of its own, which may end and take nothing with it.

    ``killed`` is how many workers of this run ended at the row, for whatever reason.
    """
    deaths = 0
    while deaths < TRIES and killed < KILLS:
        child = patient(partial(_child, pickle.dumps((job, row))))
        if child.returncode == 0:
            results: list[Result] = pickle.loads(child.stdout)
            return [result | {"tries": 1 + deaths + killed} for result in results]
        if child.returncode in OUTSIDE:
            killed += 1
        else:
            deaths += 1
    ended = (killed, "was killed") if deaths < TRIES else (deaths, "ended")
    return _crashed(row, *ended)


def _child(sent: bytes) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-c", CHILD]
    return subprocess.run(command, input=sent, stdout=subprocess.PIPE, check=False)


def plan_sent_row() -> None:
    """Plan the row on stdin, and write its results to stdout; other output goes to stderr."""
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        job, row = pickle.load(sys.stdin.buffer)
        out.write(pickle.dumps(plan_row(job, row)))


def _each_page(job: Job, row: Row) -> Iterator[Result]:
    """Open the pages of a row one after the other, and plan each."""
    for page in range(row.first, row.stop or 1):
        known = bool(row.stop) or b"%PDF-" in (row.data or b"")[:1024]
        result = _blank(row, page, document=known)
        try:
            start = perf_counter()
            picture = patient(partial(open_page, row, page))
            result["open_seconds"] = perf_counter() - start
            if known or (picture.pages > 1 and picture.part == "page"):
                result |= _blank(row, page, document=True)
                if not row.stop:
                    yield from _chosen_pages(job, row, page_numbers(job.pages, picture.pages))
                    return
            result["height"], result["width"] = picture.original
            patient(partial(_plan, job, row, picture, result))
        except Exception as error:  # decoders, scouts and plans: whatever it is, the row says it
            result = _reason(result, error)
        yield result


def _chosen_pages(job: Job, row: Row, numbers: list[int]) -> Iterator[Result]:
    if not numbers:
        yield from _failed(row, "picture", f"no page of --pages {job.pages} in this document.")
    for page in numbers:
        yield from _each_page(job, row._replace(first=page, stop=page + 1))


def _plan(job: Job, row: Row, picture: Picture, result: Result) -> None:
    """Put the plan of a page into its result, and a request if the job wants one."""
    start = perf_counter()
    if row.words is not None and picture.pages > 1 and picture.part == "page":
        raise ValueError(
            f"words: expected a picture of one page, got a document of {picture.pages}. Leave its "
            "words out, or give a row for each page as a picture."
        )
    planner = Planner(
        picture, row.question, words=row.words, model=job.rule, acuity=job.acuity,
        scout=job.scout, ocr=job.ocr, legible=job.legible, cap=job.cap,
    )  # fmt: skip
    middle = perf_counter()
    seen = planner.views_or_original(job.tokens)
    result |= _facts(seen)
    if job.to == "views":
        result[REQUEST] = json.dumps(request(job, seen, result["custom_id"]))
    result["scout_seconds"] = middle - start
    result["plan_seconds"] = perf_counter() - middle


def open_page(row: Row, index: int) -> Picture:
    """A page of a row, with the limits that hold for every picture; the first has index 0."""
    data, page = row.data or b"", index + 1
    if data[:5].lower() == b"data:":
        return open_picture(data.decode("utf-8", "replace"), page, longest=MAX_EDGE)
    if row.named and data[:4] in (b"II*\x00", b"MM\x00*"):
        with tempfile.NamedTemporaryFile(suffix=".tif") as file:
            file.write(data)
            file.flush()
            return open_picture(file.name, page, longest=MAX_EDGE)
    file = BytesIO(data)
    file.name = (row.name or row.source).rpartition("/")[2]
    return open_picture(file, page, longest=MAX_EDGE)


def _blank(row: Row, index: int = 0, document: bool = False) -> Result:
    page = index + 1  # people count from 1, as links into a PDF do
    name = f"{row.id}{'&' if '#' in row.id else '#'}page={page}" if document else row.id
    return {
        "id": name, "custom_id": digest(name), "source": row.source, "question": row.question,
        "page": page if document else None, "tries": 1,
    }  # fmt: skip


def _failed(row: Row, kind: str, reason: str) -> list[Result]:
    """An error for every result that the row promises: one, or one for each of its pages."""
    error = {"error_kind": kind, "error": reason[:MAX_REASON]}
    pages = [_blank(row, page, document=True) for page in range(row.first, row.stop)]
    return [result | error for result in pages or [_blank(row)]]


def _crashed(row: Row, times: int, ended: str) -> list[Result]:
    reason = f"the process that worked on this row {ended} {times} times, so it was left. "
    results = _failed(row, "crash", f"{reason}--retry-lost tries it again.")
    return [result | {"tries": times} for result in results]


def _reason(result: Result, error: Exception) -> Result:
    kind = "picture" if isinstance(error, ValueError) else "plan"
    kind = "machine" if is_machine_error(error) else kind
    reason = str(error) or type(error).__name__
    if not isinstance(error, ValueError):
        reason = f"{type(error).__name__}: {reason}"
    return result | {"error_kind": kind, "error": reason[:MAX_REASON]}


def _facts(seen: Views) -> Result:
    """A plan as columns. Boxes are in pixels of the original picture."""
    plan = seen.to_json()
    views = [
        {**{key: view[key] for key in ("name", "height", "width", "scale", "tokens")},
         **dict(zip(("x0", "y0", "x1", "y1"), view["box"], strict=True))}
        for view in plan["views"]
    ]  # fmt: skip
    return {
        "tokens": plan["tokens"], "untouched": plan["untouched"], "value": plan["value"],
        "basis": plan["basis"],
        "sure": round(float(seen.sight.sure), 4), "relevance": plan["relevance"], "views": views,
        "setting": json.dumps(plan["setting"]) if plan["setting"] else None,
    }  # fmt: skip


# ---- requests for a provider ---------------------------------------------------------------------


def request(job: Job, seen: Views, name: str) -> dict[str, Any]:
    """One line of a provider's batch file."""
    text = {"type": "text", "text": seen.question}
    if job.style == "anthropic":
        turn = {"role": "user", "content": [*seen.anthropic(), text]}
        params = {"model": job.model, "max_tokens": job.max_output, "messages": [turn]}
        return {"custom_id": name, "params": params}
    turn = {"role": "user", "content": [*seen.openai(), text]}
    body = {"model": job.model, "max_completion_tokens": job.max_output, "messages": [turn]}
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}
