"""The hook for LiteLLM in a real proxy on this machine, over HTTP."""
