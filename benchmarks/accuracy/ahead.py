"""The first lines of the page: where a peer is ahead of the tree that chooses itself.

The one idea: whatever a reader could hold against it is looked for: ranks, single tables, sizes, time.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.accuracy.figures import MEASURES, Store, compared, mean_of, ranks

OWN = "hornbeam"
AUTO = "hornbeam auto"

Found = Mapping[str, Mapping[str, float]]


def ahead(store: Store) -> list[str]:
    """Where a peer is ahead, as lines of Markdown."""
    lines = []
    for measure in MEASURES:
        tables, found = ranks(store, measure)
        if AUTO in found and len(_peers(found)) > 0:
            lines += by_rank(measure, found)
            lines += on_tables(store, measure, tables, found)
    for measure in ("accuracy", "error"):
        _, found = ranks(store, measure)
        if AUTO in found and len(_peers(found)) > 0:
            lines += by_size_and_time(measure, found)
    return ["**Where a peer is ahead of Hornbeam:**", "", *lines] if lines else []


def by_rank(measure: str, found: Found) -> list[str]:
    title, here = MEASURES[measure][0].lower(), found[AUTO]
    own = min(numbers["rank"] for who, numbers in found.items() if who.startswith(OWN))
    peer = min(_peers(found), key=lambda who: found[who]["rank"])
    there = found[peer]
    if there["rank"] > own + 1e-9:
        return []
    word = "level" if there["rank"] > own - 1e-9 else "ahead"
    return [
        f"- **{peer} is {word}** by mean rank on {title}: {there['rank']:.2f} against {here['rank']:.2f} of"
        f" {AUTO}, with a mean of {there['mean']:.4f} against {here['mean']:.4f}."
    ]


def on_tables(store: Store, measure: str, tables: list[str], found: Found) -> list[str]:
    """How many tables a peer answers best, and which ones beyond chance."""
    title, up = MEASURES[measure]
    first, sure = 0, []
    for table in sorted(tables):
        means = {who: mean_of(store[table][who], measure) * (1 if up else -1) for who in found}
        first += max(means[who] for who in _peers(found)) > max(means[w] for w in found if w.startswith(OWN))
        for peer in _peers(found):
            better, chance = compared(store[table][AUTO], store[table][peer], measure)
            if better < 0 and chance < 0.05:
                there, here = (mean_of(store[table][who], measure) for who in (peer, AUTO))
                sure.append(f"{peer} on {table} ({there:.4f}, {here:.4f})")
    if not first and not sure:
        return []
    beyond = "; beyond chance " + ", ".join(sure) if sure else "; none beyond chance"
    return [f"- {title}: a peer has the best figure of {first} of {len(tables)} tables{beyond}."]


def by_size_and_time(measure: str, found: Found) -> list[str]:
    kind = "classes" if measure == "accuracy" else "numbers"
    here = found[AUTO]
    lines = []
    smaller = {who: found[who]["leaves"] for who in _peers(found) if found[who]["leaves"] < here["leaves"]}
    if smaller:
        sizes = ", ".join(f"{who} {leaves:.1f}" for who, leaves in smaller.items())
        lines.append(f"- Leaves, trees of {kind}: {sizes}, against {here['leaves']:.1f} of {AUTO}.")
    faster = {who: here["seconds"] / max(found[who]["seconds"], 1e-9) for who in _peers(found)}
    faster = {who: ratio for who, ratio in faster.items() if ratio > 1}
    if faster:
        ends = dict.fromkeys(f"{end(faster.values()):.1f}" for end in (min, max))
        lines.append(
            f"- Time, trees of {kind}: {AUTO} grows up to 60 trees to choose one and takes"
            f" {' to '.join(ends)} times as long as {', '.join(faster)}."
        )
    return lines


def _peers(found: Found) -> list[str]:
    return [who for who in found if not who.startswith(OWN)]
