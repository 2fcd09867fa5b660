"""Benchmarks: speed and memory as ratios of runs that take turns, never bare times."""
