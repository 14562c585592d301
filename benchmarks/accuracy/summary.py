"""The page and its pictures, from what the folds of all learners and tables gave.

The one idea: every figure of the page is made of the stored folds, so the page can be written again without
running anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.accuracy.ahead import ahead
from benchmarks.accuracy.figures import BLACK_BOXES, CUT, MEASURES, Store, mean_of, pairs, ranks, single_trees

ABOUT = (
    "the same for all. Peers get one-hot columns and imputed gaps where they take neither, and their "
    "usual tuning: scikit-learn's `ccp_alpha` by inner folds (all penalties are judged on one tree a "
    "fold, which answers as trees pruned one by one do and takes far less time than a grid search), "
    "rpart with the 1-SE rule, J48, M5P, YDF, Orange, ctree, linear-tree and cubist (one committee, "
    "rules counted as leaves) as they come. `python -m benchmarks.accuracy --data DIR` writes this page. "
    "A probability of 0 counts as 1e-15. Leaves are the geometric mean over tables; beyond chance is the "
    "corrected resampled t test at 5 % (Nadeau & Bengio 2003). Seconds are those of the runs that filled "
    "the page, on a machine that may have been busy: they are a rough measure of time. The "
    "[reading size](../algorithms/automatic.md#classes) is one for each leaf and the terms that tests "
    "compare, its geometric mean over the tables; a dash where it is not known of all of them. Of "
    "scikit-learn and J48, whose tests compare one number or have a branch for each value, it is twice the "
    "leaves less one."
)
CHOSEN = (
    "The menu of `hb.auto` was chosen while looking at results of single ways of growing on the 42 tables "
    "of Hornbeam's own page, so there a part of its lead is choice; its rules were revised on other tables "
    "and on some of those ([which](../algorithms/automatic.md#how-the-rules-were-chosen)). Tables of your "
    "own say more. On tables of up to 1,100 rows `hornbeam auto` is the present default; on larger ones it "
    "was measured while parabolas were tried for numbers, and while folds depended on the names of classes."
)


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


def page(
    store: Store,
    skipped: Sequence[str],
    versions: Mapping[str, str],
    folds: int,
    stem: str = "accuracy",
    about: str = CHOSEN,
) -> str:
    """The page in the documentation; where a peer is ahead stands first.

    `stem` is what the names of its pictures begin with, `about` what is to be known of the tables.
    """
    everything, store = store, single_trees(store)
    body = []
    for measure, (title, up) in MEASURES.items():
        tables, found = ranks(store, measure)
        if not found:
            continue
        others = sorted(_everyone(store, measure) - set(found))
        beside = f" Not ranked, having answered too few: {', '.join(others)}." if others else ""
        body += [f"\n## {title}\n", f"{len(tables)} tables that all of these learners answered.{beside}\n"]
        body += [f"![mean ranks]({stem}-{measure.replace(' ', '-')}.svg)\n"]
        body += [
            f"| learner | mean rank | mean {title.lower()} | leaves | reading size | seconds |",
            "|---|---|---|---|---|---|",
        ]
        body += [
            f"| {who} | {n['rank']:.2f} | {n['mean']:.4f} | {n['leaves']:.1f} | {_number(n['size'], 1)}"
            f" | {n['seconds']:.0f} |"
            for who, n in found.items()
        ]
        body += [
            "\n| hornbeam auto against | better on | worse on | better beyond chance | worse beyond chance |"
        ]
        body += ["|---|---|---|---|---|"]
        body += ["| " + " | ".join(map(str, line)) + " |" for line in pairs(store, measure, "hornbeam auto")]
        body += ["", *_tables(store, measure, up=up)]
    lines = ["# Accuracy of single trees", "", *ahead(store), "", *_earlier(store)]
    lines += [
        f"{folds} folds, {ABOUT}",
        "",
        f"{about} A dash: not measured.",
        "",
        "Versions: " + ", ".join(f"{name} {version}" for name, version in versions.items()) + ".",
    ]
    lines += ["", *[f"- Left out: {text}" for text in skipped]] if skipped else []
    return "\n".join([*lines, *_given_up(everything), *_frontier(everything), *body]).rstrip() + "\n"


def _number(value: float, digits: int = 4) -> str:
    return "-" if value != value else f"{value:.{digits}f}"


def _earlier(store: Store) -> list[str]:
    """Where the automatic tree was measured before sizes were, which is before its present rules."""
    old = [
        table for table, found in sorted(store.items())
        if found.get("hornbeam auto") and "size" not in found["hornbeam auto"][0]
    ]  # fmt: skip
    if not old:
        return []
    return [
        "**Measured before the default was changed:** `hornbeam auto` on "
        + ", ".join(old)
        + ", where it tried sums of columns and smoothed equations of all columns. On the other tables it is"
        " the present default, with tests of one column.",
        "",
    ]


def _means(store: Store, learners: Sequence[str], measures: Sequence[str], title: str) -> list[str]:
    """A table of means over the tables that all of these learners answered."""
    tables = [
        t for t, found in store.items()
        if all(found.get(w) and all(m in found[w][0] for m in measures) for w in learners)
    ]  # fmt: skip
    if not tables or len(learners) < 2:
        return []
    heads = [MEASURES[measure][0].lower() for measure in measures]
    lines = [f"\n{title} Means over {len(tables)} tables: {', '.join(sorted(tables))}.\n"]
    lines += ["| learner | reading size | " + " | ".join(heads) + " |", "|---" * (len(heads) + 2) + "|"]
    for who in learners:
        sizes = [mean_of(store[t][who], "size") for t in tables if "size" in store[t][who][0]]
        size = sum(sizes) / len(sizes) if len(sizes) == len(tables) else float("nan")
        means = [sum(mean_of(store[t][who], m) for t in tables) / len(tables) for m in measures]
        lines.append(f"| {who} | {_number(size, 1)} | " + " | ".join(_number(mean) for mean in means) + " |")
    return lines


CLASS_MEASURES = ("accuracy", "log loss", "auc", "brier")


def _given_up(store: Store) -> list[str]:
    """What models that nobody reads answer better."""
    lines = []
    for measures in (CLASS_MEASURES, ("error",)):
        shown = [
            who for who in ("hornbeam auto", "scikit-learn", *BLACK_BOXES)
            if any(found.get(who) and measures[0] in found[who][0] for found in store.values())
        ]  # fmt: skip
        known = [m for m in measures if all(who in _everyone(store, m) for who in shown)]
        if any(who in BLACK_BOXES for who in shown):
            lines += _means(store, shown, known, "")
    return ["\n## What is given up for reading", *lines] if lines else []


def _frontier(store: Store) -> list[str]:
    """How well trees of a given size do."""
    every = {who for found in store.values() for who in found}
    cut = sorted((who for who in every if CUT in who), key=lambda who: int(who.split()[1]))
    shown = [*cut, *(who for who in ("hornbeam auto", "LightGBM") if who in every)]
    title = "The tree that `hb.auto` chooses, cut to so many leaves by cost-complexity pruning."
    lines = _means(store, shown, CLASS_MEASURES, title) if cut else []
    return ["\n## More reading, better answers", *lines] if lines else []


def _everyone(store: Store, measure: str) -> set[str]:
    """All learners that a measure is known of, on any table."""
    return {who for found in store.values() for who, folds in found.items() if folds and measure in folds[0]}


def _tables(store: Store, measure: str, *, up: bool) -> list[str]:
    shown = sorted(_everyone(store, measure))
    lines = ["| table | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
    for table, found in sorted(store.items()):
        means = {w: mean_of(found[w], measure) for w in shown if found.get(w) and measure in found[w][0]}
        if not means:
            continue
        best = (max if up else min)(means.values())
        cells = [
            "-" if w not in means else f"**{means[w]:.4f}**" if means[w] == best else f"{means[w]:.4f}"
            for w in shown
        ]
        lines.append(f"| {table} | " + " | ".join(cells) + " |")
    return lines
