"""Hypothesis profiles. Nothing here imports homunculus: shape checks hook its first import.

`ci` is the default: bounded, without deadlines, the same examples every time. `quick` is what
mutants meet, `thorough` is for a night: pytest --hypothesis-profile=thorough.
"""

from importlib.util import find_spec

import torch
from hypothesis import HealthCheck, Phase, settings

collect_ignore = ["authors.py", "authors_inside.py", "cap_table.py", "mutants.py"]  # commands
if find_spec("vllm") is None:  # it has an environment of its own
    collect_ignore.append("serving")
if find_spec("litellm") is None:  # so has it
    collect_ignore.append("proxy")
if find_spec("gradio") is None:  # and so has it
    collect_ignore.append("studio")
if find_spec("ray") is None:  # and so has it, on top of vLLM's
    collect_ignore.append("batch")

COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("ci", max_examples=8, derandomize=True, **COMMON)
settings.register_profile(
    "quick",
    max_examples=4,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],  # a mutant must die, not die beautifully
    **COMMON,
)
settings.register_profile("thorough", max_examples=150, **COMMON)
settings.load_profile("ci")

torch.set_num_threads(1)  # tests run side by side; one test turns to several threads by itself
