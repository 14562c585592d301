"""Ranks, pairwise tests and the page, from what the folds of all learners and tables gave.

The one idea: every figure of the page is made of the stored folds, so the page can be written again without
running anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

Store = Mapping[str, Mapping[str, Sequence[Mapping[str, float]]]]  # table -> learner -> folds

MEASURES = {  # measure -> (title, whether more is better)
    "accuracy": ("Accuracy", True),
    "log loss": ("Log loss", False),
    "auc": ("Area under the curve", True),
    "error": ("Relative root mean squared error", False),
}

ABOUT = (
    "the same for all. Peers get one-hot columns and imputed gaps where they take neither, and their "
    "usual tuning: scikit-learn's `ccp_alpha` by inner folds, rpart with the 1-SE rule, J48, M5P, "
    "YDF, Orange, ctree, linear-tree and cubist (one committee, rules counted as leaves) as they "
    "come. `python -m benchmarks.accuracy --data DIR` writes this page. A probability of 0 counts as "
    "1e-15. Leaves are the geometric mean over tables; beyond chance is the corrected resampled t "
    "test at 5 % (Nadeau & Bengio 2003). Seconds are those of the run that filled the page, on a "
    "machine that may have been busy: they are no measure of speed."
)
CHOSEN = (
    "The menu of `hb.auto` was chosen while looking at results of single ways of growing on the 42 tables "
    "of Hornbeam's own page, so there a part of its lead is choice; its rules were revised on other tables "
    "and on some of those ([which](../algorithms/automatic.md#how-the-rules-were-chosen)). Tables of your "
    "own say more. A dash: not measured."
)


def answered(store: Store, measure: str) -> tuple[list[str], list[str]]:
    """Tables and learners of a measure: the tables that all of these learners answered."""
    has = {
        table: {who for who, folds in found.items() if folds and all(measure in fold for fold in folds)}
        for table, found in store.items()
    }
    has = {table: who for table, who in has.items() if who}
    every = sorted(set().union(*has.values())) if has else []
    learners = [who for who in every if sum(who in found for found in has.values()) >= 0.6 * len(has)]
    return [table for table, who in has.items() if who >= set(learners)], learners


def ranks(store: Store, measure: str) -> tuple[list[str], dict[str, dict[str, float]]]:
    """By learner: mean rank, mean, geometric mean of leaves, total seconds; on the tables all answered."""
    tables, learners = answered(store, measure)
    if not tables:
        return [], {}
    sign = -1 if MEASURES[measure][1] else 1
    means = np.array([[_mean(store[t][w], measure) for w in learners] for t in tables])
    placed = stats.rankdata(np.round(sign * means, 12), axis=1)
    found = {}
    for k, who in enumerate(learners):
        leaves = [max(_mean(store[t][who], "leaves"), 1.0) for t in tables]
        spent = sum(fold["seconds"] for t in tables for fold in store[t][who])
        found[who] = {
            "rank": float(placed[:, k].mean()),
            "mean": float(means[:, k].mean()),
            "leaves": math.exp(np.mean(np.log(leaves))),
            "seconds": spent,
        }
    return tables, dict(sorted(found.items(), key=lambda item: item[1]["rank"]))


def corrected(one: Sequence[float], two: Sequence[float]) -> float:
    """The p-value of the corrected resampled t test over folds (Nadeau & Bengio 2003)."""
    differences = np.asarray(one) - np.asarray(two)
    n, spread = len(differences), float(np.var(differences, ddof=1))
    if spread == 0:
        return 1.0 if abs(differences.mean()) < 1e-15 else 0.0
    t = differences.mean() / math.sqrt(spread * (1 / n + 1 / (n - 1)))
    return float(2 * stats.t.sf(abs(t), n - 1))


def pairs(store: Store, measure: str, mine: str, level: float = 0.05) -> list[tuple[str, int, int, int, int]]:
    """(peer, wins, losses, wins beyond chance, losses beyond chance) of one learner against the others."""
    lines = []
    for peer in sorted({who for found in store.values() for who in found} - {mine}):
        counts = [0, 0, 0, 0]
        for found in store.values():
            a, b = found.get(mine), found.get(peer)
            if not a or not b or not all(measure in fold for fold in (*a, *b)) or len(a) != len(b):
                continue
            one, two = ([fold[measure] for fold in folds] for folds in (a, b))
            better = np.mean(one) - np.mean(two) if MEASURES[measure][1] else np.mean(two) - np.mean(one)
            sure = corrected(one, two) < level
            counts[0] += better > 1e-12
            counts[1] += better < -1e-12
            counts[2] += bool(sure and better > 0)
            counts[3] += bool(sure and better < 0)
        if sum(counts):
            lines.append((peer, *counts))
    return lines


def plot(title: str, found: Mapping[str, Mapping[str, float]]) -> str:
    """Mean ranks as an SVG picture: a line for each learner, the best first."""
    worst = max(len(found), 2)
    left, step, width = 150, 22, 560
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 60} {60 + step * len(found)}"'
        f' role="img" font-family="system-ui, sans-serif" font-size="12"><title>{title}</title>',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="10" y="20" font-weight="bold">{title}</text>',
    ]
    for k, (who, numbers) in enumerate(found.items()):
        y = 44 + step * k
        x = left + width * (numbers["rank"] - 1) / (worst - 1)
        colour = "#D55E00" if who.startswith("hornbeam") else "#0072B2"
        lines.append(
            f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{who}</text>'
            f'<line x1="{left}" x2="{x:.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="3"/>'
            f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{colour}" stroke="#222" stroke-width="0.7"/>'
            f'<text x="{x + 10:.1f}" y="{y + 4}">{numbers["rank"]:.2f}</text>'
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


def page(store: Store, skipped: Sequence[str], versions: Mapping[str, str], folds: int) -> str:
    """The page in the documentation; where a peer is ahead stands first."""
    ahead, body = [], []
    for measure, (title, up) in MEASURES.items():
        tables, found = ranks(store, measure)
        if not found:
            continue
        own = [who for who in found if who.startswith("hornbeam")]
        mine = "hornbeam auto" if "hornbeam auto" in found else own[0] if own else ""
        peers = [who for who in found if who not in own]
        if mine and peers and found[peers[0]]["rank"] <= found[own[0]]["rank"] + 1e-9:
            peer, here = found[peers[0]], found[mine]
            word = "level" if abs(peer["rank"] - found[own[0]]["rank"]) <= 1e-9 else "ahead"
            ahead.append(
                f"- **{peers[0]} is {word}** by mean rank on {title.lower()}: {peer['rank']:.2f} against"
                f" {here['rank']:.2f} of {mine}, with a mean of {peer['mean']:.4f} against"
                f" {here['mean']:.4f}."
            )
        others = sorted(_everyone(store, measure) - set(found))
        beside = f" Not ranked, having answered too few: {', '.join(others)}." if others else ""
        body += [f"\n## {title}\n", f"{len(tables)} tables that all of these learners answered.{beside}\n"]
        body += [f"![mean ranks](accuracy-{measure.replace(' ', '-')}.svg)\n"]
        body += [
            f"| learner | mean rank | mean {title.lower()} | leaves | seconds |",
            "|---|---|---|---|---|",
        ]
        body += [
            f"| {who} | {n['rank']:.2f} | {n['mean']:.4f} | {n['leaves']:.1f} | {n['seconds']:.0f} |"
            for who, n in found.items()
        ]
        body += [
            "\n| hornbeam auto against | better on | worse on | better beyond chance | worse beyond chance |"
        ]
        body += ["|---|---|---|---|---|"]
        body += ["| " + " | ".join(map(str, line)) + " |" for line in pairs(store, measure, "hornbeam auto")]
        body += ["", *_tables(store, measure, up=up)]
    lines = ["# Accuracy of single trees", "", *ahead, ""]
    lines += [
        f"{folds} folds, {ABOUT}",
        "",
        CHOSEN,
        "",
        "Versions: " + ", ".join(f"{name} {version}" for name, version in versions.items()) + ".",
    ]
    lines += ["", *[f"- Left out: {text}" for text in skipped]] if skipped else []
    return "\n".join([*lines, *body]).rstrip() + "\n"


def _everyone(store: Store, measure: str) -> set[str]:
    """All learners that a measure is known of, on any table."""
    return {who for found in store.values() for who, folds in found.items() if folds and measure in folds[0]}


def _tables(store: Store, measure: str, *, up: bool) -> list[str]:
    shown = sorted(_everyone(store, measure))
    lines = ["| table | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
    for table, found in sorted(store.items()):
        means = {w: _mean(found[w], measure) for w in shown if found.get(w) and measure in found[w][0]}
        if not means:
            continue
        best = (max if up else min)(means.values())
        cells = [
            "-" if w not in means else f"**{means[w]:.4f}**" if means[w] == best else f"{means[w]:.4f}"
            for w in shown
        ]
        lines.append(f"| {table} | " + " | ".join(cells) + " |")
    return lines


def _mean(folds: Sequence[Mapping[str, float]], measure: str) -> float:
    return float(np.mean([fold[measure] for fold in folds if measure in fold]))
