"""Results in, a decision out: GO or NO-GO, the rule that fired, and a page that shows why."""
