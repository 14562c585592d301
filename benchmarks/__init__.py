"""Benchmarks: Hornbeam and its peers side by side, in one run, on the same seeded data.

Run one (`python -m benchmarks.bench_grow`) or all (`python -m benchmarks`, which writes `docs/benchmarks/`).
Ratios carry over to another machine, seconds do not: every table therefore shows both.
"""
