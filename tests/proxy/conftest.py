"""A recorder in place of every provider, and proxies in processes of their own before it."""

import os
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest

from proxy.process import HOOK, ProxyProcess
from recorder import recording, url

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or its import asks the network for prices


@pytest.fixture(scope="session")
def provider():
    """One recorder for all proxies."""
    with recording() as server:
        yield server


@pytest.fixture
def recorder(provider):
    """The recorder, with nothing in its book."""
    provider.seen.clear()
    provider.fault = ""
    return provider


class Proxy(ProxyProcess):
    """A proxy before the recorder, and a client of it."""

    def __init__(self, folder: Path, upstream: str, settings: dict, **variables: str) -> None:
        keys = {"ANTHROPIC_API_BASE": upstream, "ANTHROPIC_API_KEY": "k"}  # of what passes through
        super().__init__(folder, settings, **keys | variables)
        self.client = httpx.Client(
            base_url=self.url, timeout=120, headers={"authorization": f"Bearer {self.key}"}
        )

    def stop(self) -> None:
        self.client.close()
        super().stop()

    def counts(self) -> dict[str, float]:
        """Our counters on its page of metrics."""
        lines = self.client.get("/metrics/").text.splitlines()
        pairs = [line.rsplit(" ", 1) for line in lines if line.startswith("homunculus_")]
        return {name.removeprefix("homunculus_"): float(value) for name, value in pairs}


def config(callback: str, upstream: str) -> dict:
    """What a config.yaml holds."""

    def model(name: str, full: str, **info: object) -> dict:
        base = upstream if full.startswith("anthropic/") else f"{upstream}/v1"
        settings = {"model": full, "api_base": base, "api_key": "k"}
        return {"model_name": name, "litellm_params": settings, "model_info": info}

    models = [
        model("gpt", "openai/gpt-6", homunculus_tokens=100),
        model("claude", "anthropic/claude-opus-4-8", homunculus_tokens=64),
        model("qwen", "hosted_vllm/Qwen/Qwen2.5-VL-7B-Instruct", homunculus_tokens=80),
        model("mine", "openai/mine", homunculus_tokens=90, homunculus_model="claude"),
        model("usual", "openai/gpt-5.4"),
        model("usual-strange", "openai/gpt-5.4"),
        model("strange", "openai/strange"),
        model("strange-claude", "anthropic/strange"),
        model("strange-qwen", "hosted_vllm/strange"),
        model("wrong", "openai/wrong", homunculus_model="claud"),
    ]
    settings = {"callbacks": [callback, "prometheus"], "num_retries": 1}
    fallbacks = [{"usual": ["claude"]}, {"usual-strange": ["strange-claude"]}]
    router = {"fallbacks": fallbacks, "num_retries": 1, "disable_cooldowns": True}
    return {"model_list": models, "litellm_settings": settings, "router_settings": router}


@pytest.fixture(scope="session")
def start(provider, tmp_path_factory):
    """A function that starts a proxy, and ends the one before: one at a time."""
    running = []

    def one(
        callback: str = HOOK, code: str = "", models: Sequence[dict] = (), auth: str = "",
        **variables: str,
    ) -> Proxy:  # fmt: skip
        while running:
            running.pop().stop()
        folder = tmp_path_factory.mktemp("proxy")
        (folder / "beside.py").write_text(code)
        settings = config(callback, url(provider))
        settings["model_list"] += models
        settings["general_settings"] = {"custom_auth": auth} if auth else {}
        running.append(Proxy(folder, url(provider), settings, **variables))
        return running[0].wait()

    yield one
    while running:
        running.pop().stop()
