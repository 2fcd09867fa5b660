"""The input: folders, JSONL, Parquet and PDF files, as shards and their rows.

Listing reads names, footers and headers, never pictures. Where an input breaks off in the middle,
every row that it promised becomes an error row: as many rows come out as went in.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, cast

from homunculus.batch import faults
from homunculus.batch.job import SCHEMA, WHO, Job, digest
from homunculus.lazy import need
from homunculus.pages import BYTES, count_pages

PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".pdf")
WORDS = "words"
"""The column of words and their boxes."""
TABLES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
IMAGE_COLUMNS = ("image", "picture", "page", "file", "path", "image_path", "file_name", "bytes")
LINE = 64 << 20
"""Bytes of a line of JSONL; a longer one is an error row."""
CHUNK_ROWS, CHUNK_BYTES = 16, 64 << 20
"""Rows of a chunk, and bytes of their files: what goes from stage to stage."""


@dataclass(frozen=True)
class Piece:
    """Some rows of an input file."""

    kind: str
    """`file`, `jsonl` or `parquet`."""
    name: str
    """Of the file, below the root of the input."""
    stamp: str
    """Size and time of change: another stamp is another content."""
    start: int = 0
    stop: int = 1
    """Rows of a table; pages of a PDF that was counted, or 0 to 1 for a whole file."""
    offset: int = 0
    """Where the first row begins: the byte of a line, or the first row of a Parquet group."""
    pages: bool = False
    """Whether start and stop are pages."""


@dataclass(frozen=True)
class Shard:
    """Work whose result is one file, named after all that the result depends on."""

    key: str
    pieces: tuple[Piece, ...]

    @property
    def rows(self) -> int:
        """How many rows it promises."""
        return sum(piece.stop - piece.start for piece in self.pieces)


class Row(NamedTuple):
    """One picture or document and its question, before anything is decoded."""

    id: str
    source: str
    question: str = ""
    data: bytes | None = None
    first: int = 0
    stop: int = 0
    """Pages to use, if stop is not 0; else those that the job names."""
    named: bool = False
    """Whether the file was named by path: only then may it be a TIFF."""
    name: str = ""
    """Of the picture's file, for messages; that of the source where it has none."""
    kind: str = ""
    error: str = ""
    words: tuple[Any, ...] | None = None
    """Pairs of a text and its box, from the column `words`."""


@dataclass(frozen=True)
class Place:
    """A file system of fsspec and the root of the input on it."""

    system: Any
    root: str

    @staticmethod
    def of(source: str) -> "Place":
        """Where the input begins: the folder, or the part of a pattern before its first star."""
        system, path = _system(source)
        if _is_pattern(path):
            while _is_pattern(path):
                path = path.rpartition("/")[0]
            return Place(system, path)
        return Place(system, path if system.isdir(path) else path.rpartition("/")[0])

    def path(self, name: str) -> str:
        """The path of a file below the root."""
        return f"{self.root}/{name}" if self.root else name


def _is_pattern(path: str) -> bool:
    return any(sign in path for sign in "*?[")


def _system(source: str) -> tuple[Any, str]:
    fsspec = need("fsspec.core", extra="batch", who=WHO)
    try:
        system, path = fsspec.url_to_fs(source)
    except (ImportError, ValueError) as error:
        raise ValueError(
            f"{source}: {error}. Install the file system's package for fsspec."
        ) from error
    return system, str(path).rstrip("/")


# ---- listing -------------------------------------------------------------------------------------


@dataclass
class Listing:
    """The whole input, cut into shards."""

    shards: list[Shard] = field(default_factory=list)
    skipped: int = 0
    """Files that are neither pictures nor tables."""

    @property
    def rows(self) -> int:
        """As many as are promised; documents that were not counted promise one."""
        return sum(shard.rows for shard in self.shards)


def list_input(job: Job, version: str) -> Listing:
    """Cut the input into shards; raises if there is nothing to do."""
    place = Place.of(job.source)
    files, skipped = _files(place, job.source)
    fingerprint = digest(SCHEMA, version, job.facts())
    listing, waiting = Listing(skipped=skipped), list[Piece]()

    def close() -> None:
        if waiting:
            key = digest(fingerprint, [asdict(piece) for piece in waiting])
            listing.shards.append(Shard(key, tuple(waiting)))
            waiting.clear()

    for piece in _pieces(job, place, files):
        waiting_rows = sum(other.stop - other.start for other in waiting)
        if waiting_rows + piece.stop - piece.start > job.shard_rows:
            close()
        waiting.append(piece)
    close()
    if not listing.shards:
        raise ValueError(f"{job.source}: no rows. Name a folder or files with pictures in them.")
    return listing


def _files(place: Place, source: str) -> tuple[list[tuple[str, str, str]], int]:
    """Kind, name and stamp of every file of the input, in order."""
    system, path = place.system, _system(source)[1]
    if _is_pattern(path):
        infos = system.glob(path, detail=True)
    elif system.isdir(path):
        infos = system.find(path, detail=True)
    elif system.exists(path):
        infos = {path: system.info(path)}
    else:
        raise ValueError(
            f"{source}: no such file or folder. Check the path and the current folder."
        )
    files, skipped = list[tuple[str, str, str]](), 0
    for full, info in sorted(infos.items()):
        name = str(full)[len(place.root) :].lstrip("/")
        kind = _kind(name)
        if info.get("type") == "directory" or any(part[:1] == "." for part in name.split("/")):
            continue
        if kind:
            files.append((kind, name, _stamp(info)))
        else:
            skipped += 1
    kinds = {kind == "file" for kind, _, _ in files}
    if len(kinds) > 1:
        raise ValueError(
            f"{source} holds both pictures and tables. Name one of them, such as "
            f"'{source.rstrip('/')}/*.parquet'."
        )
    return files, skipped


def _kind(name: str) -> str:
    ending = PurePosixPath(name).suffix.lower()
    return "file" if ending in PICTURES else TABLES.get(ending, "")


def _stamp(info: Mapping[str, Any]) -> str:
    when = info.get("ETag") or info.get("mtime") or info.get("LastModified") or info.get("updated")
    return f"{info.get('size')} {when}"


def _pieces(job: Job, place: Place, files: Sequence[tuple[str, str, str]]) -> Iterator[Piece]:
    readers = {"file": _document_pieces, "jsonl": _jsonl_pieces, "parquet": _parquet_pieces}
    for kind, name, stamp in files:
        yield from readers[kind](job, place, Piece(kind, name, stamp))


def _document_pieces(job: Job, place: Place, whole: Piece) -> Iterator[Piece]:
    """A picture, or the pages of a local PDF."""
    local = getattr(place.system, "local_file", False)
    if not whole.name.lower().endswith(".pdf") or not local or job.pages != "all":
        yield whole
        return
    try:
        pages = count_pages(Path(place.path(whole.name)))
    except ValueError as error:  # its one row says why
        if faults.is_machine_error(error):
            raise
        pages = 0
    for start in range(0, pages, job.shard_rows):
        yield replace(whole, start=start, stop=min(start + job.shard_rows, pages), pages=True)
    if not pages:
        yield whole


def _jsonl_pieces(job: Job, place: Place, whole: Piece) -> Iterator[Piece]:
    start = 0
    with place.system.open(place.path(whole.name), "rb") as file:
        offsets = _line_offsets(file)
        while piece := list(islice(offsets, job.shard_rows)):
            stop = start + len(piece)
            yield replace(whole, start=start, stop=stop, offset=piece[0])
            start = stop


def _line_offsets(file: Any) -> Iterator[int]:
    """Where each line that is not blank begins; a long line is never held whole."""
    start, length, blank = 0, 0, True
    while part := file.readline(LINE):
        length, blank = length + len(part), blank and not part.strip()
        if part.endswith(b"\n"):
            if not blank:
                yield start
            start, length, blank = start + length, 0, True
    if not blank:
        yield start


def _parquet_pieces(job: Job, place: Place, whole: Piece) -> Iterator[Piece]:
    """Whole groups of rows where they are small: a group is read from its beginning."""
    parquet = need("pyarrow.parquet", extra="batch", who=WHO)
    with place.system.open(place.path(whole.name), "rb") as file:
        meta = parquet.ParquetFile(file).metadata
        names = set(meta.schema.to_arrow_schema().names)
        groups = [meta.row_group(group).num_rows for group in range(meta.num_row_groups)]
    _columns(job, names, whole.name)
    first = 0
    for rows in groups:
        end = first + rows
        for start in range(first, end, job.shard_rows):
            stop = min(start + job.shard_rows, end)
            yield replace(whole, start=start, stop=stop, offset=first)
        first = end


def _columns(job: Job, names: set[str], where: str) -> tuple[str, str]:
    """The columns of pictures and questions; the latter may be none."""
    image = job.image_column or next((name for name in IMAGE_COLUMNS if name in names), "")
    question = job.question_column or (
        "" if job.question or "question" not in names else "question"
    )
    for flag, name in (("--image-column", image), ("--question-column", question)):
        if (name or flag == "--image-column") and name not in names:
            known = ", ".join(sorted(names)[:20])
            raise ValueError(f"{where}: no column {name or 'of pictures'}. Give {flag}: {known}.")
    return image, question


# ---- rows ----------------------------------------------------------------------------------------


def chunks(rows: Iterator[Row]) -> Iterator[tuple[list[Row], bool]]:
    """Rows in chunks, and whether a chunk is the last; files are never all in memory."""
    chunk, size = list[Row](), 0
    for row in rows:
        if chunk and (len(chunk) == CHUNK_ROWS or size + len(row.data or b"") > CHUNK_BYTES):
            yield chunk, False
            chunk, size = [], 0
        chunk.append(row)
        size += len(row.data or b"")
    yield chunk, True


def rows_of(job: Job, shard: Shard) -> Iterator[Row]:
    """Every row of a shard, in order; what cannot be read says why."""
    place = Place.of(job.source)
    readers = {"jsonl": _jsonl_rows, "parquet": _parquet_rows}
    for piece in shard.pieces:
        if piece.kind == "file":
            yield from _file_row(job, place, piece)
        else:
            yield from _table_rows(partial(readers[piece.kind], job, place, piece), piece)


def _table_rows(read: Callable[[], Iterator[Row]], piece: Piece) -> Iterator[Row]:
    """Rows of a table. Where the machine fails for a moment, reading goes on behind the last row;
    rows that cannot be read say why.
    """
    done, waits = 0, iter(faults.PATIENCE)
    while True:
        try:
            for row in islice(read(), done, None):
                yield row
                done += 1
            if done == piece.stop - piece.start:
                return
            raise ValueError("the file has become shorter")
        except Exception as error:  # decoders of tables may raise anything
            wait = next(waits, None) if faults.is_machine_error(error) else None
            if wait is None:
                yield from _unread(piece, done, error)
                return
            time.sleep(wait)


def _unread(piece: Piece, done: int, error: Exception) -> Iterator[Row]:
    reason = f"{piece.name}: reading stopped ({str(error) or type(error).__name__})."
    for index in range(piece.start + done, piece.stop):
        yield Row(f"{piece.name}#row={index}", piece.name, kind=_blame(error), error=reason)


def _blame(error: Exception) -> str:
    return "machine" if faults.is_machine_error(error) else "input"


def _file_row(job: Job, place: Place, piece: Piece) -> Iterator[Row]:
    first, stop = (piece.start, piece.stop) if piece.pages else (0, 0)
    row = Row(piece.name, piece.name, job.question, first=first, stop=stop, named=True)
    yield _load(row, place, place.path(piece.name))


def _load(row: Row, place: Place, path: str) -> Row:
    """A row with the bytes of its file, or with the reason why they cannot be had."""

    def read() -> bytes:
        with place.system.open(path, "rb") as file:
            return file.read(BYTES + 1)

    try:
        data = faults.patient(read)
    except FileNotFoundError:
        return row._replace(kind="missing", error=f"{path}: no such file.")
    except Exception as error:  # storage may raise anything
        reason = f"{path}: {str(error) or type(error).__name__}"
        return row._replace(kind=_blame(error), error=reason)
    return _bounded(row, data)


def _bounded(row: Row, data: bytes) -> Row:
    if len(data) > BYTES:
        return row._replace(
            kind="picture", error=f"expected at most {BYTES >> 20} MiB. Save it smaller."
        )
    return row._replace(data=data)


def _jsonl_rows(job: Job, place: Place, piece: Piece) -> Iterator[Row]:
    row = piece.start
    with place.system.open(place.path(piece.name), "rb") as file:
        file.seek(piece.offset)
        while row < piece.stop:
            line = file.readline(LINE)
            long = len(line) == LINE and not line.endswith(b"\n")
            while long and (part := file.readline(LINE)) and not part.endswith(b"\n"):
                pass
            if not line:
                return
            if line.strip():
                yield _jsonl_row(job, place, piece, row, b"" if long else line)
                row += 1


def _jsonl_row(job: Job, place: Place, piece: Piece, row: int, line: bytes) -> Row:
    blank = Row(f"{piece.name}#row={row}", piece.name)
    if not line:
        return blank._replace(kind="input", error=f"a line of more than {LINE >> 20} MiB.")
    try:
        values = json.loads(line)
        if not isinstance(values, dict):
            raise ValueError(f"expected a JSON object, got {type(values).__name__}")
        image, question = _columns(job, set(values), f"row {row}")
    except (ValueError, RecursionError) as error:
        return blank._replace(kind="input", error=str(error) or type(error).__name__)
    blank = blank._replace(words=_words(values.get(WORDS)))
    return _row(job, place, blank, values.get(image), values.get(question, job.question))


def _words(value: Any) -> tuple[Any, ...] | None:
    """The words of a row: [text, [x0, y0, x1, y1]] or {"text": ..., "box": ...}.

    None if a column of that name holds anything else, such as words without boxes.
    """
    if not isinstance(value, list):
        return None
    items = cast("list[Any]", value)
    if not all(isinstance(item, list | Mapping) for item in items):
        return None
    return tuple(
        (item.get("text"), item.get("box")) if isinstance(item, Mapping) else tuple(item)
        for item in items
    )


def _parquet_rows(job: Job, place: Place, piece: Piece) -> Iterator[Row]:
    parquet = need("pyarrow.parquet", extra="batch", who=WHO)
    with place.system.open(place.path(piece.name), "rb") as file:
        table = parquet.ParquetFile(file, pre_buffer=False)
        image, question = _columns(job, set(table.schema_arrow.names), piece.name)
        words = WORDS if WORDS in table.schema_arrow.names else ""
        columns = [name for name in (image, question, words) if name]
        batches = table.iter_batches(
            CHUNK_ROWS, row_groups=[_group_at(table.metadata, piece.offset)], columns=columns
        )
        rows = chain.from_iterable(batch.to_pylist() for batch in batches)
        rows = islice(rows, piece.start - piece.offset, piece.stop - piece.offset)
        for row, values in enumerate(rows, piece.start):
            blank = Row(f"{piece.name}#row={row}", piece.name, words=_words(values.get(WORDS)))
            yield _row(job, place, blank, values[image], values.get(question, job.question))


def _group_at(metadata: Any, first_row: int) -> int:
    rows = 0
    for group in range(metadata.num_row_groups):
        group_rows = metadata.row_group(group).num_rows
        if rows == first_row and group_rows:
            return group
        rows += group_rows
    raise ValueError("the file has other rows now")


def _row(job: Job, place: Place, blank: Row, image: Any, question: Any) -> Row:
    """A row of a table, whose values may be of any type."""
    if not isinstance(question, str):
        got = type(question).__name__
        return blank._replace(kind="type", error=f"expected a question as text, got {got}.")
    row = blank._replace(question=question)
    if isinstance(image, Mapping):  # as Hugging Face's datasets keep pictures
        image = image.get("bytes") or image.get("path")
    if isinstance(image, bytes | bytearray):
        return _bounded(row, bytes(image))
    if not isinstance(image, str) or not image:
        got = type(image).__name__
        return row._replace(kind="type", error=f"expected bytes, a path or a data URI, got {got}.")
    if image[:5].lower() == "data:":
        return _bounded(row, image.encode("utf-8", "replace"))
    return _row_path(job, place, row, image)


def _row_path(job: Job, place: Place, row: Row, path: str) -> Row:
    """A picture that a row names: below one folder, whatever the row says."""
    root, folder = place, row.source.rpartition("/")[0]
    if job.images:
        system, base = _system(job.images)
        root, folder = Place(system, base), ""
    base = root.path(folder) if folder else root.root
    full = path if path.startswith(f"{base}/") or "://" in path else f"{base}/{path}"
    inside = full.startswith(f"{base}/") and ".." not in full[len(base) :].split("/")
    if not inside:
        reason = f"{path}: outside of {base}. Name the folder of the pictures with --images."
        return row._replace(kind="missing", error=reason)
    return _load(row._replace(named=True, name=path), root, full)
