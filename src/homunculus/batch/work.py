"""What is done with a row: open it, ask the scout, plan, and write a request or ask a model.

A row that cannot be used becomes an error row with a reason; a row that brings its worker down
more than a few times becomes one, too. `Ledger` counts that, outside of the worker.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

from homunculus.batch.job import REQUEST, Job, digest, page_numbers
from homunculus.batch.read import Row
from homunculus.image import Picture, open_picture
from homunculus.planner import LONGEST, Planner, Views

Result = dict[str, Any]
LETTERS = 500
"""Of a reason."""


@runtime_checkable
class Book(Protocol):
    """Who is told which row is begun: the ledger itself, or an actor that holds it."""

    def begin(self, shard: str, chunk: int) -> "Start":
        """A chunk is begun; whether it should be left, and what happened to it before."""
        ...

    def row(self, shard: str, chunk: int, row: int) -> None:
        """A row of it is begun."""
        ...

    def left(self, shard: str) -> bool:
        """Whether nobody should begin the shard any more."""
        ...


Start = tuple[bool, dict[int, int]]
"""Whether to leave the chunk, and how often each of its rows brought a worker down."""


class Ledger:
    """Rows that are in work, in files that outlive a worker and the whole run."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._begun = set[str]()
        self._stopping = False

    def begin(self, shard: str, chunk: int) -> Start:
        """A chunk is begun: after `stop` only those of shards that are in hand already."""
        if self.left(shard):
            return True, {}
        self._begun.add(shard)
        path, deaths = self._path(shard, chunk), dict[int, int]()
        if path.exists():
            for attempt in path.read_text().split("begin\n")[1:]:
                if rows := attempt.split():
                    deaths[int(rows[-1])] = deaths.get(int(rows[-1]), 0) + 1
        with path.open("a") as file:
            file.write("begin\n")
        return False, deaths

    def row(self, shard: str, chunk: int, row: int) -> None:
        """A row is begun: if nothing more is heard of the chunk, this one is to blame."""
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

    def _path(self, shard: str, chunk: int) -> Path:
        return self._folder / f"{shard}-{chunk}"


# ---- one chunk -----------------------------------------------------------------------------------


def work_chunk(
    job: Job, rows: list[Row], shard: str, chunk: int, book: Book, engine: Any = None
) -> list[Result] | None:
    """The results of a chunk, or None if it is to be left."""
    leave, deaths = book.begin(shard, chunk)
    if leave:
        return None
    if engine is not None:
        return answer_rows(job, rows, engine, deaths, lambda at: book.row(shard, chunk, at))
    results = list[Result]()
    for at, row in enumerate(rows):
        book.row(shard, chunk, at)
        results += plan_row(job, row, deaths.get(at, 0))
    return results


def plan_row(job: Job, row: Row, deaths: int = 0) -> list[Result]:
    """A result for each page of a row; a row that cannot be used has one, with the reason."""

    def plan(picture: Picture, result: Result) -> None:
        start = perf_counter()
        planner = Planner.of(picture, row.question, job.rule, job.acuity, job.scout)
        middle = perf_counter()
        seen = planner.views(job.tokens)
        result |= _facts(seen)
        if job.to == "views":
            result[REQUEST] = json.dumps(request(job, seen, result["custom_id"]))
        result["scout_seconds"] = middle - start
        result["plan_seconds"] = perf_counter() - middle

    return list(_each_page(job, row, deaths, plan))


def _each_page(
    job: Job, row: Row, deaths: int, use: Callable[[Picture, Result], None]
) -> Iterator[Result]:
    """Open the pages of a row one after the other, and use each."""
    if row.error:
        yield _failed(row, row.kind, row.error)
        return
    if deaths >= job.tries:
        reason = f"the worker ended {deaths} times at this row; it was left."
        yield _failed(row, "crash", reason) | {"tries": deaths}
        return
    page, many = row.first, row.stop or 1
    wanted = None if row.stop else job.pages
    while page < many:
        known = _is_document(row) or bool(row.stop)
        result = _blank(row, page, document=known) | {"tries": deaths + 1}
        try:
            start = perf_counter()
            picture = open_page(row, page)
            result["open_seconds"] = perf_counter() - start
            if known or (picture.pages > 1 and picture.part == "page"):
                result = _blank(row, page, document=True) | result_times(result)
                if wanted is not None and page == 0:
                    numbers = page_numbers(wanted, picture.pages)
                    yield from _chosen_pages(job, row, numbers, deaths, use)
                    return
            result["height"], result["width"] = picture.original
            use(picture, result)
        except Exception as error:  # decoders, scouts and plans: whatever it is, the row says it
            result = _reason(result, error)
        yield result
        page += 1


def _chosen_pages(
    job: Job, row: Row, numbers: list[int], deaths: int, use: Callable[[Picture, Result], None]
) -> Iterator[Result]:
    if not numbers:
        yield _failed(row, "picture", f"no page of --pages {job.pages} in this document.")
    for page in numbers:
        yield from _each_page(job, row._replace(first=page, stop=page + 1), deaths, use)


def result_times(result: Result) -> Result:
    """What a result says of the run rather than of the row."""
    return {name: result[name] for name in ("tries", "open_seconds") if name in result}


def _is_document(row: Row) -> bool:
    return b"%PDF-" in (row.data or b"")[:1024]


def open_page(row: Row, index: int) -> Picture:
    """A page of a row, with the limits that hold for every picture; the first has index 0."""
    data, page = row.data or b"", index + 1
    if data[:5].lower() == b"data:":
        return open_picture(data.decode("utf-8", "replace"), page, longest=LONGEST)
    if row.named and data[:4] in (b"II*\x00", b"MM\x00*"):
        with tempfile.NamedTemporaryFile(suffix=".tif") as file:
            file.write(data)
            file.flush()
            return open_picture(file.name, page, longest=LONGEST)
    file = BytesIO(data)
    file.name = (row.name or row.source).rpartition("/")[2]
    return open_picture(file, page, longest=LONGEST)


def _blank(row: Row, index: int = 0, document: bool = False) -> Result:
    page = index + 1  # people count from 1, as links into a PDF do
    name = f"{row.id}{'&' if '#' in row.id else '#'}page={page}" if document else row.id
    return {
        "id": name, "custom_id": digest(name), "source": row.source, "question": row.question,
        "page": page if document else None, "tries": 1,
    }  # fmt: skip


def _failed(row: Row, kind: str, reason: str) -> Result:
    return _blank(row) | {"error_kind": kind, "error": reason[:LETTERS]}


def _reason(result: Result, error: Exception) -> Result:
    kind = "picture" if isinstance(error, ValueError) else "plan"
    text = str(error) or type(error).__name__
    named = text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"
    return result | {"error_kind": kind, "error": named[:LETTERS]}


def _facts(seen: Views) -> Result:
    """A plan as columns; boxes are in pixels of the original picture."""
    told = seen.to_json()
    views = [
        {**{key: view[key] for key in ("name", "height", "width", "scale", "tokens")},
         **dict(zip(("x0", "y0", "x1", "y1"), view["box"], strict=True))}
        for view in told["views"]
    ]  # fmt: skip
    return {
        "tokens": told["tokens"], "untouched": told["untouched"], "value": told["value"],
        "sure": round(float(seen.sight.sure), 4), "relevance": told["relevance"], "views": views,
        "setting": json.dumps(told["setting"]) if told["setting"] else None,
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


# ---- answers -------------------------------------------------------------------------------------


def answer_rows(
    job: Job,
    rows: list[Row],
    engine: Any,
    deaths: Mapping[int, int],
    mark: Callable[[int], None],
) -> list[Result]:
    """Open every row, then ask the engine about all of them at once.

    After a death rows are asked one by one, so that the next one can be blamed on a row.
    """
    results, asked = list[Result](), list[tuple[Result, bytes]]()
    for at, row in enumerate(rows):
        mark(at)

        def use(picture: Picture, result: Result, row: Row = row) -> None:
            result["untouched"] = job.rule.count(picture.original)
            asked.append((result, engine.file_of(row.data or b"", picture)))

        results += _each_page(job, row, deaths.get(at, 0), use)
        if deaths:
            _ask(engine, asked)
            asked.clear()
    mark(len(rows))  # whatever happens from here on is nobody's fault in particular
    _ask(engine, asked)
    return results


def _ask(engine: Any, asked: list[tuple[Result, bytes]]) -> None:
    """Answers of the engine, put into the results; where a batch fails, one by one."""
    if not asked:
        return
    start = perf_counter()
    try:
        answers = engine.answer([(result["question"], file) for result, file in asked])
    except Exception as error:
        if len(asked) == 1:
            asked[0][0].update(error_kind="engine", error=str(error)[:LETTERS])
            return
        for one in asked:
            _ask(engine, [one])
        return
    seconds = (perf_counter() - start) / len(asked)
    for (result, _), answer in zip(asked, answers, strict=True):
        result |= answer | {"answer_seconds": seconds}
