"""Which tests need an environment of their own, and which need torch."""

from importlib.util import find_spec
from pathlib import Path

from light import HEAVY, light_tests

collect_ignore = ["cap_table.py", "mutants.py"]  # commands
if find_spec("vllm") is None:  # it has an environment of its own
    collect_ignore.append("serving")
if find_spec("litellm") is None:  # so has it
    collect_ignore.append("proxy")
if find_spec("gradio") is None:  # and so has it
    collect_ignore.append("studio")
if find_spec("ray") is None:  # and so has it, on top of vLLM's
    collect_ignore.append("batch")
if any(find_spec(name) is None for name in HEAVY):  # tests of the light half run without it
    here = Path(__file__).parent
    collect_ignore += sorted({path.name for path in here.glob("test_*.py")} - light_tests())
