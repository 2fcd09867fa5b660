"""Slow, obvious second implementations. No tensors, no tricks: loops, heaps and fractions."""
