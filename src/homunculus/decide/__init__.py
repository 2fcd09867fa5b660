"""Results in, a decision out: GO, NO-GO or UNDECIDED, the rule that fired, and a page that shows why."""
