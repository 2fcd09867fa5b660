"""How a budget is best spent: where the answer is, how large it is, how small is still legible."""
