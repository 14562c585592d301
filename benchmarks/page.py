"""The pages in the documentation, made of stored results alone: a short one, and one for each topic.

The one idea: a visitor sees in two minutes how much faster or slower Hornbeam is, where a peer wins and how
it was measured; the same results make the same pages, so they can be written again without running anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from benchmarks.common import SETTINGS, Result, Table
from benchmarks.peers import PEERS
from benchmarks.plots import LOOKS, ratio_plot, scaling_plots
from benchmarks.sections import TOPICS, Topic
from benchmarks.stored import number, ratios, versions_of

Results = Mapping[str, Result]

D6, D10, FULL = (setting.label for setting in SETTINGS.values())
MAIN = (  # what is done, section, table in it, column that names the setting, setting
    ("one tree, 1,000,000 x 20, 2 classes, depth 6", "grow", 0, "setting", D6),
    ("the same, depth 10", "grow", 0, "setting", D10),
    ("the same, fully grown", "grow", 0, "setting", FULL),
    ("regression, depth 10", "grow-regression", 0, "setting", D10),
    ("26 classes, 100,000 rows, depth 10", "grow-26-classes", 0, "setting", D10),
    ("a weak signal, depth 10", "grow-weak", 0, "setting", D10),
    ("labels of pure noise, depth 10", "grow-noise", 0, "setting", D10),
    ("half the columns nominal, gaps, depth 10", "grow-nominal", 0, "setting", D10),
    ("10 nominal columns, 100,000 rows, fully grown", "nominal", 0, "rows", "100,000"),
    ("1,000 rows, 2 classes, depth 6", "small", 0, "setting", D6),
    ("a forest of 100 trees, 100,000 rows", "forest", 0, "setting", FULL),
    ("predicting 1,000,000 rows, depth 10", "predict", 0, "setting", D10),
    ("predicting one row, depth 10", "predict", 1, "setting", D10),
    ("Shapley values of 10,000 rows, depth 10", "shap", 0, "setting", D10),
)
WORDS = {name: words for name, (words, _, _) in LOOKS.items()} | {"onnxruntime": "ONNX Runtime"}

OTHER_TREES = [name for name, peer in PEERS.items() if not peer.alike]

FIRST = """Every ratio is a peer's time divided by Hornbeam's, measured in one run: above 1 Hornbeam is
faster. Hornbeam and scikit-learn search all thresholds, LightGBM, XGBoost, SnapML and CatBoost those between
at most 256 bins. The best peer is the fastest one that gives each node a test of its own.
"""
HOW = """The minimum of several runs counts. Ratios carry over to another machine, seconds do not. Peers take
turns (a b c, a b c, ...), so that a busy spell hits all alike, each in a process of its own unless its page
says otherwise; each fits a few rows before the clock starts and is given the data in the form it wants. One
whose runs have taken 20 seconds together is not repeated, one that takes longer than the patience of its
section (two minutes mostly, one for the scaling) is ended and named. `make peers` builds the environment,
`python -m benchmarks` measures and writes these pages; under each title is the command for that part alone.
"""
BEHIND = """- [Accuracy and size of single trees](accuracy.md) on 42 tables, and on [27 others](others.md)
- [Recipes beside the programs they are named after](recipes.md), [model trees](accuracy-regression.md)
"""


def write(results: Results, folder: Path) -> None:
    """The pages and their pictures."""
    for name, (_, drawn) in pictures_of(results).items():
        (folder / name).write_text(drawn, encoding="utf-8")
    for name, text in pages(results).items():
        (folder / name).write_text(text, encoding="utf-8")


def pictures_of(results: Results) -> dict[str, tuple[str, str]]:
    """File name -> (what it shows, SVG)."""
    found = {}
    if any(name.startswith("grow") for name in results):
        found["speed.svg"] = ("Times of peers over Hornbeam's, at depth 10", ratio_plot(results))
    for name in TOPICS["scaling"].sections:
        if name in results:
            found |= scaling_plots(name, results[name])
    return found


def pages(results: Results) -> dict[str, str]:
    """File name -> text of every page."""
    known = {name: topic for name, topic in TOPICS.items() if any(s in results for s in topic.sections)}
    found = {"index.md": front(results, known)}
    for name, topic in known.items():
        found[f"{name}.md"] = topic_page(topic, results)
    return found


def front(results: Results, topics: Mapping[str, Topic]) -> str:
    """The page that a visitor reads first."""
    lines = ["# Benchmarks\n", FIRST]
    if "grow" in results:
        lines.append("![Times of peers over Hornbeam's, at depth 10](speed.svg)\n")
    lines += [main_table(results), "## Where a peer is ahead\n"]
    lines += [f"- {about} ([details]({page}.md))" for about, page in said(results, "ahead")] or ["Nowhere."]
    short = said(results, "short")
    lines += ["", "## Where Hornbeam misses its own aim\n"]
    lines += [f"- {about} ([details]({page}.md))" for about, page in short] or [
        "Nowhere in what was measured."
    ]
    failed = [name for name, part in results.items() if part.get("failed")]
    lines += ["", f"Not measured, because the run failed: {', '.join(failed)}."] if failed else []
    lines += ["", "## How it was measured\n", HOW, measured_with(results), "## Details\n"]
    lines += [
        f"- [{topic.title}]({name}.md): {topic.about} Raw: [{name}.csv]({name}.csv)."
        for name, topic in topics.items()
    ]
    return "\n".join([*lines, BEHIND])


def main_table(results: Results) -> str:
    """The ratios that matter most, with scikit-learn's and that of the fastest peer."""
    rows = []
    for words, name, table, column, setting in MAIN:
        found = ratios(results.get(name, {}), table, column).get(setting, {})
        if found:
            sklearn = next((found[who] for who in found if who.startswith("sklearn")), None)
            best = min((who for who in found if who not in OTHER_TREES), key=lambda who: found[who])
            first = WORDS.get(best, WORDS.get(best.split()[0], best.split()[0]))
            rows.append([words, times(sklearn), first, times(found[best]), version(results[name])])
    for words, name, column in (
        ("real tables as data frames, the median table", "frames", "median"),
        ("the same, the worst table", "frames", "worst sklearn / hornbeam"),
    ):
        for part in results.get(name, {}).get("tables", []):
            if column in part["head"]:
                value = min(number(row[part["head"].index(column)]) or 0.0 for row in part["rows"])
                rows.append([words, times(value), WORDS["sklearn"], times(value), version(results[name])])
    rows += [row for row in memory_rows(results) if row]
    head = ["", "scikit-learn / Hornbeam", "best peer", "best peer / Hornbeam", "version"]
    return plain({"title": "", "head": head, "rows": rows}) if rows else ""


def memory_rows(results: Results) -> list[list[str]]:
    """Memory that a fit adds, as ratios."""
    rows = []
    for part in results.get("memory", {}).get("tables", [])[:1]:
        for task in ("classes", "regression"):
            added = {
                row[2]: number(row[3]) for row in part["rows"] if row[:2] == [task, D10] and number(row[3])
            }
            own = added.pop("hornbeam", None)
            if own and added:
                share = {who: more / own for who, more in added.items() if more}
                best = min(share, key=lambda who: share[who])
                words = f"memory of a fit, {task}, 1,000,000 x 20, depth 10"
                where = version(results["memory"])
                rows.append([words, times(share.get("sklearn")), WORDS[best], times(share[best]), where])
    return rows


def times(ratio: float | None) -> str:
    return (
        "-"
        if ratio is None
        else f"{ratio:.0f}x"
        if ratio >= 20
        else f"{ratio:.1f}x"
        if ratio >= 2
        else f"{ratio:.2f}x"
    )


def version(part: Result) -> str:
    return versions_of(part).get("hornbeam", "-")


def said(results: Results, what: str) -> list[tuple[str, str]]:
    """(title and what is said, page) of every section that says something of the kind."""
    return [
        (f"{results[section]['title']}: {'; '.join(results[section][what])}", name)
        for name, topic in TOPICS.items()
        for section in topic.sections
        if results.get(section, {}).get(what)
    ]


def measured_with(results: Results) -> str:
    """Processors, threads and Hornbeam's versions in a line each."""
    lines = []
    for what, get in (
        ("Hornbeam", version),
        ("Processor", lambda part: part.get("processor", "-")),
        ("Threads", lambda part: part.get("threads", "-")),
    ):
        most, others = usual({name: get(part) for name, part in results.items() if "processor" in part})
        lines.append(f"- {what}: {most}{'; ' if others else ''}{others}")
    quick = [name for name, part in results.items() if part.get("quick")]
    lines += [f"- A quick run on small data, only for a look: {', '.join(quick)}"] if quick else []
    return "\n".join([*lines, ""])


def topic_page(topic: Topic, results: Results) -> str:
    """One topic: its sections with their commands, its pictures, and the circumstances at the end."""
    here = {section: results[section] for section in topic.sections if section in results}
    lines = [f"# {topic.title}\n", f"{topic.about} [How it was measured](index.md#how-it-was-measured).\n"]
    for section, part in here.items():
        lines.append(section_text(section, part))
        if topic is TOPICS["scaling"]:
            lines += [f"![{about}]({file})\n" for file, (about, _) in scaling_plots(section, part).items()]
    return "\n".join([*lines, "## Circumstances\n", *circumstances(here)])


def section_text(name: str, part: Result) -> str:
    """A section, with the command that repeats it."""
    load = f", load of the machine at the end: {part['load']}" if part.get("load") else ""
    by = f" (Hornbeam {version(part)}{load})" if "versions" in part else ""
    lines = [f"## {part['title']}\n", f"`python -m benchmarks --sections {name}`{by}\n"]
    lines += [f"{text}\n" for text in part["note"]]
    for one in part["tables"]:
        lines += [f"**{one['title']}**\n"] if one["title"] else []
        lines.append(plain(one))
    lines += [f"- Left out: {text}" for text in part.get("left out", [])]
    lines += [f"- Peer ahead: {text}" for text in part.get("ahead", [])]
    lines += [f"- Short of the aim: {text}" for text in part.get("short", [])]
    return "\n".join(lines).rstrip() + "\n"


def plain(part: Table) -> str:
    """A table in Markdown."""
    rows = ["| " + " | ".join(row) + " |" for row in [part["head"], *part["rows"]]]
    return "\n".join([rows[0], "|---" * len(part["head"]) + "|", *rows[1:], ""])


def circumstances(results: Results) -> list[str]:
    """The machine, threads and versions: one table, in which sections that differ are named."""
    facts: dict[str, dict[str, str]] = {}
    for name, part in results.items():
        for what in ("processor", "threads", "runs", "processes"):
            if part.get(what):
                facts.setdefault(what, {})[name] = part[what]
        for package, found in versions_of(part).items():
            facts.setdefault(package, {})[name] = found
    body = [f"| {' | '.join([what, *usual(values)])} |" for what, values in facts.items()]
    return ["\n".join(["| | mostly | but |", "|---|---|---|", *body, ""])] if body else []


def usual(values: Mapping[str, str]) -> tuple[str, str]:
    """The most frequent value, and the others with the sections that have them."""
    most = Counter(values.values()).most_common(1)[0][0]
    others: dict[str, list[str]] = {}
    for name, value in values.items():
        if value != most:
            others.setdefault(value, []).append(name)
    return most, "; ".join(f"{value} in {', '.join(names)}" for value, names in others.items())
