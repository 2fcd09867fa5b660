"""The vLLM engine: a plugin under which every image of a request costs exactly K tokens.

    homunculus serve Qwen/Qwen3-VL-8B-Instruct --tokens 273

Cells are chosen by the question while a request is prepared; the encoder sees only those.
"""
