"""The page in the documentation, made of stored results alone.

The one idea: what speaks against Hornbeam stands first, then how was measured, then the sections; the same
results make the same page, so it can be written again without running anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from benchmarks.common import Result, markdown
from benchmarks.peers import PEERS
from benchmarks.plots import ratio_plot, scaling_plots

Results = Mapping[str, Result]

SHARED = (
    *("grow", "scaling", "small", "models", "classic", "memory", "predict", "forest", "regression"),
    *("path", "density", "draw", "shap", "nominal"),
)
"""Benchmarks in which several peers work."""

HOW = """Every ratio is a peer's time divided by Hornbeam's, above 1 Hornbeam is faster; the minimum counts.
Ratios carry over to another machine, seconds do not. Peers take turns (a b c, a b c, ...) in one run, so that
a busy spell hits all alike. Where the table says "one for each peer", each one works in a process of its own,
fits a few rows before the clock starts and is given the data in the form it wants; one whose runs have taken
20 seconds together is not repeated ("runs" says how often each one ran), one that takes longer than the
patience of its section (two minutes mostly, one for the scaling) is ended and named. `make peers` builds the
environment, `python -m benchmarks` writes this page; under each title is the command for that part alone.
"""


def write(results: Results, folder: Path) -> None:
    """index.md and its pictures."""
    pictures = pictures_of(results)
    for name, drawn in pictures.items():
        (folder / name).write_text(drawn[1], encoding="utf-8")
    (folder / "index.md").write_text(page(results), encoding="utf-8")


def pictures_of(results: Results) -> dict[str, tuple[str, str]]:
    """File name -> (what it shows, SVG)."""
    found = {}
    if any(part.get("benchmark") == "grow" for part in results.values()):
        found["speed.svg"] = ("Times of peers over Hornbeam's, at depth 10", ratio_plot(results))
    if results.get("scaling", {}).get("measurements"):
        found |= scaling_plots(results["scaling"])
    return found


def page(results: Results) -> str:
    """The whole of index.md."""
    pictures = {name: drawn[0] for name, drawn in pictures_of(results).items()}
    parts = ["# Benchmarks\n", *summary(results)]
    parts += [image(name, about) for name, about in pictures.items() if name == "speed.svg"]
    parts += ["## How it was measured\n", HOW, *circumstances(results)]
    for name, part in results.items():
        parts.append(section(name, part))
        if name == "scaling":
            parts += [image(file, about) for file, about in pictures.items() if file.startswith("scaling")]
    return "\n".join(parts)


def image(name: str, about: str) -> str:
    return f"![{about}]({name})\n"


def section(name: str, part: Result) -> str:
    """A section, with the command that repeats it."""
    head, _, rest = markdown(part | {"skipped": part.get("skipped", []) + unmentioned(part)}).partition("\n")
    return f"{head}\n\n`python -m benchmarks --sections {name}`\n{rest}"


def unmentioned(part: Result) -> list[dict[str, str]]:
    """Peers of growing that a stored section neither measured nor named."""
    if part.get("benchmark") not in ("grow", "scaling", "small", "memory"):
        return []
    known = {line["peer"] for line in (*part["measurements"], *part["skipped"])}
    return [{"peer": p, "setting": "all", "reason": "not measured then"} for p in PEERS if p not in known]


def summary(results: Results) -> list[str]:
    """The first lines of the page: where a peer is ahead, where an aim is missed, what is not known."""
    ahead = [f"{part['title']}: {text}" for part in results.values() for text in part["ahead"]]
    short = [f"{part['title']}: {text}" for part in results.values() for text in part.get("short", [])]
    unknown = [part["title"] for part in results.values() if part.get("failed") or not compared(part)]
    lines = [bullets("**Where a peer is ahead of Hornbeam:**", ahead, "nowhere in what was measured.")]
    lines += [bullets("**Where Hornbeam falls short of its aim:**", short, "nowhere in what was measured.")]
    if unknown:
        lines.append(bullets("**Not compared (Hornbeam was not measured):**", unknown, ""))
    return lines


def compared(part: Result) -> bool:
    return any(
        str(line.get("peer", "hornbeam")).startswith("hornbeam") for line in part.get("measurements", [])
    )


def bullets(head: str, items: list[str], nothing: str) -> str:
    return f"{head} {nothing}\n" if not items else "\n".join([head, "", *(f"- {item}" for item in items), ""])


def circumstances(results: Results) -> list[str]:
    """The machine, threads and versions: one table, in which sections that differ are named."""
    known = {name: part for name, part in results.items() if "machine" in part}
    facts: dict[str, dict[str, str]] = {}
    for name, part in known.items():
        cpu = part["machine"]
        facts.setdefault("processor", {})[name] = f"{cpu['cpu']}, {cpu['cores']} cores"
        facts.setdefault("threads", {})[name] = str(part["threads"])
        runs = [len(x["seconds"]) for x in part.get("measurements", []) if isinstance(x.get("seconds"), list)]
        if runs:
            facts.setdefault("runs of Hornbeam", {})[name] = str(max(runs))
        if part.get("benchmark") in SHARED:
            apart = "turns" in part or part["benchmark"] == "memory"
            facts.setdefault("processes", {})[name] = "one for each peer" if apart else "one for all"
        for package, version in part["versions"].items():
            facts.setdefault(package, {})[name] = version
    rows = [[what, *usual(values)] for what, values in facts.items()]
    quick = [name for name, part in known.items() if part.get("quick")]
    lines = [f"A quick run on small data, only for a look: {', '.join(quick)}.\n"] if quick else []
    if rows:
        body = [f"| {' | '.join(row)} |" for row in rows]
        lines.append("\n".join(["| | mostly | but |", "|---|---|---|", *body, ""]))
    return lines


def usual(values: Mapping[str, str]) -> tuple[str, str]:
    """The most frequent value, and the others with the sections that have them."""
    most = Counter(values.values()).most_common(1)[0][0]
    others: dict[str, list[str]] = {}
    for name, value in values.items():
        if value != most:
            others.setdefault(value, []).append(name)
    return most, "; ".join(f"{value} in {', '.join(names)}" for value, names in others.items())
