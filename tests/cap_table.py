"""`python tests/cap_table.py DOOR -o FILE`: each form of tests/forms.py through a real door.

`--as before` and `--as after` keep runs of two versions side by side in one file.

DOOR is `sdk` (clients of OpenAI and Anthropic with `http_client(strict=True)`), `open` or `closed`
(LiteLLM's proxy with the hook), `middleware` (vLLM's own LLaVA-OneVision, strict) or `native` (the
plugin's Qwen3-VL). What is told: the answer's status, and whether the picture left as it was, by
the bytes that a recorder on loopback got, or by the tokens of the prompt that vLLM counted.
Weights are random: nothing is said of answers.
"""

import argparse
import json
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from forms import JSON, Form, Maker, original_in
from recorder import PLAIN, Recorder
from serving.client import packed, page

PAGE = (900, 700)
TOKENS = 100


class Sink(Recorder, BaseHTTPRequestHandler):  # the second for ruff, which knows its names
    """Takes whatever it is sent."""

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.seen.append(data)
        path = self.path.partition("?")[0].rstrip("/").lower()
        end = next((end for end in PLAIN if path.endswith(end.lower())), "")
        self._answer(json.dumps(PLAIN.get(end, {})).encode(), "application/json")

    def do_PUT(self) -> None:
        self.do_POST()

    def do_GET(self) -> None:
        self._answer(self.server.file, "image/png")


@contextmanager
def sink(file: bytes) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    server.seen, server.file = [], file
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def row(form: Form, door: str, status: int | str, **facts: Any) -> dict[str, Any]:
    return {"form": form.name, "door": door, "status": status, **facts}


def left(server: ThreadingHTTPServer, maker: Maker) -> dict[str, Any]:
    """What the sink got of a request."""
    data = b"".join(server.seen)
    return {
        "bytes": len(data),
        "original": any(original_in(one, maker.base64) for one in server.seen),
    }


# ---- doors ---------------------------------------------------------------------------------------


def sdk() -> Iterator[dict[str, Any]]:
    """Requests by the HTTP clients that the SDKs are handed; JSON goes through the SDKs."""
    import anthropic
    import openai

    from homunculus.serve import http_client

    file = packed(page(*PAGE))
    with sink(file) as server:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        maker = Maker(file, "claude-opus-4-8", f"{url}/a.png")
        for name, kind in (("OpenAI", openai.OpenAI), ("Anthropic", anthropic.Anthropic)):
            http = http_client(TOKENS, strict=True, model="claude")
            client = kind(api_key="k", base_url=url, http_client=http, max_retries=0)
            for form in maker.forms():
                server.seen.clear()
                try:
                    if form.raw is None and form.method == "POST" and form.headers == JSON:
                        client.post(form.path, cast_to=object, body=form.body)
                    else:
                        http.request(
                            form.method, url + form.path, content=form.data, headers=form.headers
                        )
                    status: int | str = 200
                except Exception as error:
                    cause = error.__cause__ or error
                    status = f"refused: {cause!s:.100}"
                yield row(form, name, status, **left(server, maker))


def litellm(closed: bool) -> Iterator[dict[str, Any]]:
    """Requests to a proxy of LiteLLM."""
    from proxy.conftest import Proxy, config
    from proxy.process import HOOK

    file = packed(page(*PAGE))
    with sink(file) as server, tempfile.TemporaryDirectory() as folder:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        settings = config(HOOK, url)
        gem = {"model": "gemini/gemini-3-pro-preview", "api_base": url, "api_key": "k"}
        info = {"homunculus_tokens": 280}
        settings["model_list"].append(
            {"model_name": "gemini-3-pro", "litellm_params": gem, "model_info": info}
        )
        settings["litellm_settings"]["num_retries"] = 0
        proxy = Proxy(
            Path(folder), url, settings, HOMUNCULUS_SECONDS="120",
            HOMUNCULUS_FAIL="closed" if closed else "open", AWS_BEDROCK_RUNTIME_ENDPOINT=url,
            AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b", AWS_REGION="us-east-1",
            OPENAI_API_BASE=f"{url}/v1", OPENAI_API_KEY="k", NO_PROXY="*",
        ).wait()  # fmt: skip
        try:
            maker = Maker(file, "gpt", f"{url}/a.png")
            for form in (*maker.forms(), *passed(maker), *numbered(maker)):
                if "rawPredict" in form.path:  # it would look for a host outside
                    continue
                server.seen.clear()
                answer = proxy.client.request(
                    form.method, form.path, content=form.data, headers=form.headers
                )
                name = "LiteLLM, closed" if closed else "LiteLLM, open"
                yield row(form, name, answer.status_code, **left(server, maker))
        finally:
            proxy.stop()


def passed(maker: Maker) -> Iterator[Form]:
    """Routes that LiteLLM hands on as they are."""
    body = maker.ask_chat(maker.claude()) | {"model": "claude-opus-4-8"}
    yield Form("passed through", "/anthropic/v1/messages", body)
    batch = {"requests": [{"custom_id": "1", "params": body}]}
    yield Form("passed through, batches", "/anthropic/v1/messages/batches", batch)
    twice = body | {"input": "x"}
    yield Form("passed through, input beside messages", "/anthropic/v1/messages", twice)


def numbered(maker: Maker) -> Iterator[Form]:
    """Budgets that are no numbers."""
    plain = maker.plain()
    for value in ("abc", "0", "-5", "1e9"):
        headers = plain.headers | {"x-homunculus-tokens": value}
        yield Form(f"x-homunculus-tokens: {value}", plain.path, plain.body, headers)


def vllm(native: bool) -> Iterator[dict[str, Any]]:
    """Requests to vLLM; what left is told by the tokens of the prompt."""
    from homunculus.engines.vllm.stock import MIDDLEWARE, VARIABLE
    from homunculus_lab.speed.server import NAME, STOCK
    from serving.conftest import FEW, Served

    file = packed(page(640, 640))
    with sink(file) as sinks:
        address = f"http://127.0.0.1:{sinks.server_address[1]}/a.png"
        if native:
            server, name = Served(*FEW), "vLLM, native"
        else:
            settings = {"tokens": 165, "strict": True, "images": 2, "seconds": 600, "label": False}
            os.environ[VARIABLE] = json.dumps(settings)
            flags = ("--middleware", MIDDLEWARE, "--max-model-len", "3072", "--enforce-eager")
            limits = ("--limit-mm-per-prompt", json.dumps({"image": 10, "video": 0}))
            server = Served("llava_onevision", *flags, *limits, program=STOCK)
            name = "vLLM, middleware"
        try:
            server.wait()
            maker = Maker(file, NAME, address)
            for form in maker.forms():
                # each on a connection of its own: a server that answers 500 ends it
                headers = form.headers | {"connection": "close"}
                answer = server.client.request(
                    form.method, form.path, content=form.data, headers=headers
                )
                yield row(form, name, answer.status_code, prompt_tokens=prompt(answer))
        finally:
            server.stop()


def prompt(answer: Any) -> int | None:
    """The tokens of a prompt, as an answer of any route tells them."""
    try:
        body = answer.json()
    except ValueError:
        return None
    usage = body.get("usage") or {} if isinstance(body, dict) else {}
    found = usage.get("prompt_tokens", usage.get("input_tokens"))
    return found if found is not None else (body.get("count") if isinstance(body, dict) else None)


DOORS = {
    "sdk": sdk, "open": lambda: litellm(False), "closed": lambda: litellm(True),
    "middleware": lambda: vllm(False), "native": lambda: vllm(True),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("door", choices=DOORS)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--as", dest="version", default="after", choices=("before", "after"))
    arguments = parser.parse_args()
    from homunculus.eyes.provenance import provenance

    run: dict[str, Any] = provenance() | {"command": f"python tests/cap_table.py {arguments.door}"}
    run["rows"] = []
    for line in DOORS[arguments.door]():
        run["rows"].append(line)
        print(*(f"{value!s:.60}" for value in line.values()), sep=" | ", file=sys.stderr)
    file = arguments.output
    table = json.loads(file.read_text()) if file.exists() else {}
    table.setdefault(arguments.door, {})[arguments.version] = run
    file.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
