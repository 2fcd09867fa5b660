"""`homunculus batch`: whole folders and tables."""

import argparse
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from homunculus.commands.command import Command
from homunculus.commands.picture import acuity_flag, ocr_flag
from homunculus.flags import count, json_flag
from homunculus.progress import progress


def flags(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", help="a folder, a PDF, JSONL or Parquet files, or a pattern; also s3://...")
    add("out", type=Path, help="folder for the results; run again to go on where a run ended")
    add("--question", default="", help="what is asked of every picture")
    add("--question-column", default="", metavar="NAME", help="column that holds the questions")
    add("--image-column", default="", metavar="NAME", help="column of pictures, paths or data URIs")
    add("--images", default="", metavar="FOLDER", help="folder that paths in rows are relative to")
    add("--pages", default="all", metavar="N,N-N", help="pages of documents, from 1 (%(default)s)")
    add("--tokens", type=count, required=True, help="how many tokens a page may cost")
    about = "model that looks: see `homunculus cost`; or its name in an API (%(default)s)"
    add("--model", default="qwen3-vl", help=about)
    about = "plans: where the tokens go; views: requests for a provider's batch API (%(default)s)"
    add("--to", choices=["plans", "views"], default="plans", help=about)
    about = "tokens of an answer, in requests (%(default)s)"
    add("--max-output", type=count, default=256, help=about)
    acuity_flag(parser)
    about = "which scout says where to look (%(default)s)"
    add("--scout", default="auto", metavar="NAME|DIR", help=about)
    ocr_flag(parser)
    about = "where the answer is less likely readable, take up to --cap tokens, else the original"
    add("--legible", type=float, metavar="P", help=about)
    add("--cap", type=count, default=1024, help="the most tokens with --legible (%(default)s)")
    add("--shard-rows", type=count, default=256, help="rows of a finished file (%(default)s)")
    add("--strict", action="store_true", help="exit with 1 if any row is an error, whatever it is")
    add("--replace", action="store_true", help="delete results of files that have changed")
    about = "make rows again that were lost to crashes or to the machine"
    add("--retry-lost", action="store_true", help=about)
    json_flag(parser)
    where = parser.add_argument_group("where it runs")
    where.add_argument("--local", action="store_true", help="one process, without Ray")
    where.add_argument("--workers", type=count, help="workers (one for each core)")
    where.add_argument("--address", help="a running Ray cluster, such as auto (this machine alone)")


JOB = (
    "source", "tokens", "model", "question", "question_column", "image_column", "images", "pages",
    "to", "max_output", "acuity", "scout", "ocr", "legible", "cap", "shard_rows",
)  # fmt: skip
"""Flags that say what the results are; the others say how the run goes."""
RUN = ("local", "workers", "address", "strict", "replace", "retry_lost")


def run(arguments: argparse.Namespace) -> int:
    """Run the job. With --json events go to stdout, and the summary to stderr."""
    from homunculus.batch import run as batch
    from homunculus.batch.job import Job

    with _own_stdout() as out, progress("batch") as show:

        def say(line: str) -> None:
            if arguments.json:
                print(line, file=out, flush=True)

        options = {name: getattr(arguments, name) for name in RUN}
        job = Job(**{name: getattr(arguments, name) for name in JOB})
        code, text = batch.run(job, arguments.out, say, show, **options)
    print(text, file=sys.stderr if arguments.json else sys.stdout)
    return code


@contextmanager
def _own_stdout() -> Generator[TextIO, None, None]:
    """Our output alone; what libraries and their processes print meanwhile goes to stderr."""
    try:
        stdout, stderr = sys.stdout.fileno(), sys.stderr.fileno()
    except (OSError, ValueError):  # no files, as in a test
        yield sys.stdout
        return
    sys.stdout.flush()
    with os.fdopen(os.dup(stdout), "w") as out:
        os.dup2(stderr, stdout)
        try:
            yield out
        finally:
            out.flush()
            os.dup2(out.fileno(), stdout)


COMMAND = Command(
    "batch",
    "plan the pages of whole folders and tables, on one machine or many",
    'pages/ out/ --question "What is the total?" --tokens 64',
    flags,
    run,
)
