"""Every rule is one graph: nothing in it waits for the data or leaves the compiler."""

import subprocess
import sys
from pathlib import Path

from homunculus import list_methods
from homunculus_lab.rivals import RIVALS


def test_every_rule_compiles_whole_and_chooses_the_same() -> None:
    script = Path(__file__).with_name("compiled.py")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    names = [*list_methods(), *RIVALS]
    wanted = {f"{name} {kind} same" for name in names for kind in ("alike", "mixed")}
    assert set(run.stdout.splitlines()) == wanted
