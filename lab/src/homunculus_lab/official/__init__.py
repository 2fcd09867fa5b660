"""Official tasks: DocVQA and its kin, asked by lmms-eval and answered by our engines."""
