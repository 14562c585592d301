"""Node, Chromium and Playwright, if this machine has them; reports to look at."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import NO_BROWSER, NO_NODE

import hornbeam as hb
from hornbeam.data.table import Table

HERE = Path(__file__).parent
WEB = Path(hb.__file__).parent / "display" / "web"
# a change of the view is drawn in the next frame: wait for that one to be over
PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


def node() -> str:
    """The program node; the test is skipped where there is none, or an old one."""
    found = shutil.which("node")
    if found is None:
        pytest.skip(f"{NO_NODE}: install Node 20 or newer")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.lstrip("v").split(".")[0]) < 20:
        pytest.skip(f"{NO_NODE}: it is {version.strip()}, but 20 is needed")
    return found


def chromium() -> str:
    """The browser: $CHROMIUM, or the first found on the path."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    given = [os.environ.get("CHROMIUM"), *map(shutil.which, names)]
    found = next((path for path in given if path), None)
    if found is None:
        pytest.skip(f"{NO_BROWSER}: install chromium, or set CHROMIUM to its path")
    return found


def predicted(batches: list[tuple[dict[str, Any], list[Any]]]) -> list[list[dict[str, Any]]]:
    """What the page would predict for pairs of a document and its rows, by node."""
    done = subprocess.run(
        [node(), str(HERE / "js" / "predict_rows.js"), (WEB / "predict.js").as_uri()],
        input=json.dumps([{"document": document, "rows": rows} for document, rows in batches]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[list[dict[str, Any]]] = json.loads(done.stdout)
    return found


def encoded(tree: hb.Tree, table: Any) -> list[list[float | None]]:
    """Rows as the page has them: values or codes; None where a number is missing."""
    arrays = [a.astype(np.float64) for a in Table.match(table, tree.columns).arrays]
    return [[None if np.isnan(v) else v for v in row] for row in np.stack(arrays, axis=1).tolist()]
