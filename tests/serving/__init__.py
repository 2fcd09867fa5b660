"""The vLLM plugin against a real vLLM on this machine, over HTTP."""
