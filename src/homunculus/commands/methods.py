"""`homunculus methods`: the ways to choose tokens."""

import argparse
import json

from homunculus.commands.command import Command, fail
from homunculus.flags import json_flag
from homunculus.lazy import need_torch


def run(arguments: argparse.Namespace) -> int:
    need_torch("homunculus methods")
    from homunculus.engines.cells.methods import PLANNED, list_methods, model_methods, unavailable

    for _, reason in unavailable():
        fail("methods", reason)
    rows = [
        {name: getattr(method, name) for name in ("name", "about", "control", "source")}
        | {
            "fixation": "fixation" in method.settings,
            "needs": sorted(method.needs),
            "settings": sorted(method.settings),
            "lift": method.lift.name,
            "rule": type(method.rule).__name__,
            "rival": method.source == "model",
        }
        for method in (*list_methods().values(), *PLANNED.values(), *model_methods().values())
    ]
    if arguments.json:
        print(json.dumps({"methods": rows}, indent=2))
        return 0
    print(f"{'method':<18}{'kind':<9}{'looks at':<18}{'fixates':<9}about")
    for row in rows:
        kind = "control" if row["control"] else "rival" if row["rival"] else "method"
        fixates = "yes" if row["fixation"] else ""
        print(f"{row['name']:<18}{kind:<9}{row['source']:<18}{fixates:<9}{row['about']}")
    return 0


COMMAND = Command("methods", "list the ways to choose tokens", "", json_flag, run)
