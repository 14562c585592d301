"""How long a person looks at an empty page: the studio from its command to its first tree, and large trees.

The one idea: a browser opens what the command prints, and the page notes when its first nodes are painted.
Small and large trees are grown in one studio, whose page is then loaded anew.

    CHROMIUM=/usr/bin/chromium python -m benchmarks.bench_studio_page --leaves 200 5000
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.bench_studio import server, write_table

AIMS = {"usable after the command": 2000, "first view of 405 nodes": 500}  # milliseconds
# the time since the page was asked for, when its first nodes have been painted
NOTE = """new MutationObserver((_, seen) => {
  if (!document.querySelector('svg.tree .node')) return;
  seen.disconnect();
  const told = document.documentElement.dataset;
  requestAnimationFrame(() => requestAnimationFrame(() => { told.painted = performance.now(); }));
}).observe(document, {childList: true, subtree: true});"""
PAINTED = "html[data-painted]"
FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


def first_view(page: Any) -> float:
    """Milliseconds until the nodes of a page that is loaded again are painted."""
    page.reload()
    return float(page.wait_for_selector(PAINTED, state="attached").get_attribute("data-painted"))


def pressed(page: Any, key: str) -> float:
    """Milliseconds from a key until what it did is painted."""
    start = time.perf_counter()
    page.keyboard.press(key)
    page.evaluate(FRAME)
    return (time.perf_counter() - start) * 1e3


def grown(page: Any, leaves: int) -> int:
    """Grow a tree of so many leaves; returns how many nodes it has."""
    told = page.evaluate(
        """async (leaves) => {
          const headers = {'Content-Type': 'application/json'};
          const sent = (body) => body && {method: 'POST', headers, body: JSON.stringify(body)};
          const ask = async (path, body) => (await fetch(path, sent(body))).json();
          const {revision} = await ask('/api/session');
          await ask('/api/op', {base: revision, op: {op: 'regrow', max_leaf_nodes: leaves}, document: false});
          return (await ask('/api/document')).nodes.length;
        }""",
        leaves,
    )
    return int(told)


def measured(path: Path, leaves: list[int], repeats: int) -> dict[str, float]:
    """The least milliseconds of everything that is waited for."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    least: dict[str, float] = {}

    def note(name: str, taken: float) -> None:
        least[name] = min(taken, least.get(name, taken))

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for k in range(repeats):
            began = time.perf_counter()
            with server(path) as url:
                page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
                page.set_default_timeout(600_000)
                page.add_init_script(NOTE)
                page.goto(url)
                page.wait_for_selector(PAINTED, state="attached")
                note("usable after the command", (time.perf_counter() - began) * 1e3)
                for n in leaves if k == 0 else []:
                    nodes = grown(page, n)
                    for _ in range(repeats):
                        note(f"first view of {nodes:,} nodes", first_view(page))
                    page.locator("#node-0").focus()
                    for key, what in (("ArrowDown", "next node"), ("+", "zoom in"), ("-", "zoom out")):
                        for _ in range(repeats):
                            note(f"{what} of {nodes:,} nodes", pressed(page, key))
                page.context.close()
        browser.close()
    return least


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--cols", type=int, default=10)
    parser.add_argument("--leaves", type=int, nargs="*", default=[203, 5000])
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, given.rows, given.cols, 0)
        for name, taken in measured(path, given.leaves, given.repeats).items():
            aim = f", the aim is {AIMS[name]}" if name in AIMS else ""
            print(f"{name:40} {taken:8,.0f} ms{aim}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
