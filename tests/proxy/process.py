"""LiteLLM's proxy in a process of its own."""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

from homunculus_lab.speed.server import ServerProcess, free_port

HOOK = "homunculus.serve.litellm.hook"
QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1",
    "LITELLM_LOG": "ERROR",
}  # fmt: skip


class ProxyProcess(ServerProcess):
    """A LiteLLM proxy in a folder of its own, with a config and modules beside it."""

    health = "/health/liveliness"  # LiteLLM's own `/health` asks its models

    def __init__(self, folder: Path, config: dict[str, Any], **variables: str) -> None:
        self.folder, self.port, self.log = folder, free_port(), folder / "log.txt"
        settings = folder / "config.yaml"
        settings.write_text(json.dumps(config))  # JSON is YAML
        command = [
            sys.executable, "-m", "litellm.proxy.proxy_cli", "--config", str(settings),
            "--host", "127.0.0.1", "--port", str(self.port), "--telemetry", "False",
        ]  # fmt: skip
        # without a key, or with an easy one, it does not start
        self.key = f"sk-{secrets.token_hex(32)}"
        own = {"LITELLM_MASTER_KEY": self.key}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=folder, start_new_session=True,
                env=os.environ | QUIET | own | variables,
            )  # fmt: skip
