"""Results in, a decision out: GO, NO-GO or UNDECIDED, the rule behind it, and a report."""
