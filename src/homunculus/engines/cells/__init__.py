"""The core: cells, methods and the plan that spends K tokens on them. Torch alone."""
