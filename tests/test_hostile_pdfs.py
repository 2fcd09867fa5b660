"""Documents that strangers could send to do harm are read or refused: soon, and in bounded memory.

Some cases of each family of `hostile_pdfs` are opened here. HOMUNCULUS_HOSTILE=all opens all of
them, which takes ten minutes. Each is opened in a child, so that a crash or a hang is the
fault of one case, and the next ones go on in another child.
"""

import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Timer
from typing import Any

import pytest

from homunculus import pages
from homunculus.pages import PictureError, open_picture
from hostile_pdfs import FAMILIES, cases, ordinary

pytest.importorskip("resource")  # POSIX alone can bound a child

SECONDS, MEMORY = 20, 1 << 30
"""Seconds of the processor and bytes in memory that a case may take."""
PATIENCE = 60.0
"""Seconds of the clock after which a case hangs: other tests may run beside it."""
EACH = 3
"""Cases of each family that are opened if not all are: a minute together."""
CRASH = {
    "bombs/content-text-1024", "bombs/content-paths-1024", "bombs/content-pushes-128",
    "bombs/content-pushes-1024", "forms/itself-twice", "forms/laughs-2-40", "forms/laughs-10-9",
    "nests/marks-100000", "nests/marks-1000000",
}  # fmt: skip
"""What ends PDFium, since it asks for more than 4 GiB."""
HANG = {
    "crowds/packed-1000", "crowds/shared-10000", "crowds/packed-10000", "bombs/content-text-16",
    "bombs/content-text-128", "bombs/content-paths-128", "bombs/content-words-128",
    "bombs/content-words-1024", "images/often-5000", "forms/pair", "forms/laughs-10-6",
    "groups/blends-100", "groups/blends-10000", "patterns/0.001-10", "patterns/0.001-1e6",
    "patterns/0.1-10", "words/in-pieces-2000000", "nests/clips-1000000",
    "paths/S-1000000", "paths/f-1000000", "paths/f-odd-1000000", "paths/dashed-1000000",
    "bombs/content-open-1024", "bombs/letters-1024", "bombs/font-1024",
}  # fmt: skip
"""What takes 16 seconds, or more than 20: PDFium, but for crowds, each of whose pages is read."""
LARGE = {
    "boxes/MediaBox-0_0_14400_14400", "bombs/content-spaces-1024", "bombs/content-zeros-1024",
    "bombs/content-pushes-16", "images/JBIG2Decode-100000-100000", "groups/of-itself",
    "groups/masks-50", "bombs/content-twice", "bombs/content-in-parts",
}  # fmt: skip
"""What takes more than 1 GiB: PDFium, but for the first, where a scout measures the whole page."""
BEYOND = CRASH | HANG | LARGE
"""What only a process of its own with limits survives; none of it is opened here."""
SLOW = {
    "crowds/shared-1000", "tables/long-chain", "packings/Index-2147483647", "words/blanks",
    "bombs/content-paths-16", "bombs/content-words-16", "images/fax", "forms/laughs-10-5",
    "patterns/0.1-0.001", "paths/S-100000", "paths/dashed-100000", "paths/W-1000000",
    "words/pieces-20000", "words/pieces-49000", "words/40-pages",
    "bombs/content-open-128",
}  # fmt: skip
"""What takes more than 4 seconds, and is left to the whole run."""
COMMAND = [sys.executable, str(Path(__file__).with_name("hostile_pdfs.py"))]


def outcomes(names: Sequence[str], command: Sequence[str] = COMMAND, patience: float = PATIENCE):
    """What came of each case, in as many children as they crash or hang."""
    found = dict[str, dict[str, Any]]()
    while left := [name for name in names if name not in found]:
        seen = of_child([*command, *left], patience)
        assert seen, f"no child can open {left[0]}"
        found |= seen
    return found


def of_child(command: Sequence[str], patience: float) -> dict[str, dict[str, Any]]:
    """What came of the cases that a child began; the last of them may have ended it."""
    found, case = dict[str, dict[str, Any]](), ""
    with Popen(command, stdout=PIPE, text=True) as child:
        assert child.stdout
        while True:
            timer = Timer(patience, child.kill)
            timer.start()
            line = child.stdout.readline()
            timer.cancel()
            if not line:
                break
            facts = json.loads(line)
            if "case" in facts:
                case = facts["case"]
            else:
                found[case], case = facts, ""
    if case:
        found[case] = {"what": f"ended: {signal.Signals(-child.returncode).name}"}
    return found


def fault(facts: dict[str, Any]) -> str:
    """What is wrong with an outcome; empty if nothing is."""
    what = facts["what"]
    if what and not what.startswith("refused: "):
        return what
    if len(what.split()) < 6 and what:
        return f"no sentence: {what}"
    if facts["seconds"] > SECONDS or facts["memory"] > MEMORY:
        return f"{facts['seconds']:.1f} s and {facts['memory'] >> 20} MiB"
    return ""


def chosen() -> list[str]:
    """Cases to open: some of each family, the first and the last among them, or all."""
    if os.environ.get("HOMUNCULUS_HOSTILE") == "all":
        return [name for name in cases() if name not in BEYOND]
    names = list[str]()
    for family in FAMILIES:
        own = [name for name in cases() if name.startswith(f"{family.__name__}/")]
        own = [name for name in own if name not in BEYOND and name not in SLOW]
        names += [own[round(part * (len(own) - 1) / (EACH - 1))] for part in range(EACH)]
    return names


# ---- the documents -------------------------------------------------------------------------------


@pytest.mark.slow
def test_hostile_documents_are_read_or_refused() -> None:
    found = outcomes(chosen())
    assert {name: fault(facts) for name, facts in found.items() if fault(facts)} == {}
    kinds = {bool(facts["what"]) for facts in found.values()}
    assert kinds == {False, True}  # some are read, some refused


def test_there_are_enough_and_they_are_the_same_every_time() -> None:
    assert len(cases()) > 300
    assert not (BEYOND | SLOW) - set(cases())
    for name in ("flipped/7", "spliced/doubled-3", "numbers/5", "names/5", "words/pieces-1000"):
        assert cases()[name]() == cases()[name]() != cases()["cut/49"]()


def test_a_page_of_too_many_parts_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PictureError, match=r"^bytes: expected at most 4,000 notes and fields on a"):
        open_picture(cases()["active/notes-50000"]())
    assert open_picture(ordinary(), 2).page == 2
    monkeypatch.setattr(pages, "MAX_DRAWN", 5)
    with pytest.raises(PictureError, match=r"^bytes page 2: expected at most 5 lines, pictures"):
        open_picture(ordinary(), 2)


# ---- the test of the test ------------------------------------------------------------------------

CHILD = """
import json, os, signal, sys, time
for name in sys.argv[1:]:
    print(json.dumps({"case": name}), flush=True)
    if name == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "hang":
        time.sleep(99)
    what = {"raise": "raised: KeyError: 1", "mute": "refused: no"}.get(name, "")
    seconds, memory = (99 if name == "slow" else 1), (2 << 30 if name == "fat" else 1)
    print(json.dumps({"what": what, "seconds": seconds, "memory": memory}), flush=True)
"""


def test_a_fault_is_that_of_one_case() -> None:
    names = ["a", "crash", "b", "hang", "raise", "mute", "slow", "fat", "c"]
    found = outcomes(names, [sys.executable, "-c", CHILD], patience=2)
    assert {name: fault(facts) for name, facts in found.items() if fault(facts)} == {
        "crash": "ended: SIGSEGV",
        "hang": "ended: SIGKILL",
        "raise": "raised: KeyError: 1",
        "mute": "no sentence: refused: no",
        "slow": "99.0 s and 0 MiB",
        "fat": "1.0 s and 2048 MiB",
    }
    assert list(found) == names
    with pytest.raises(AssertionError, match="no child can open a"):
        outcomes(names, [sys.executable, "-c", "raise SystemExit"])
