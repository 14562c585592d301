"""Make the pictures of the studio: of twelve trees, and of one session step by step.

One idea: whoever changes the page looks at trees of every kind, at three widths, light and dark, before the
pictures of the documentation are made anew. It needs Playwright, Chromium and Pillow.

    python docs/make_studio_pictures.py             the pictures of the documentation
    python docs/make_studio_pictures.py FOLDER      all of them, 72, to look at
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

FOLDER = Path(__file__).parent / "img"
WIDTHS = {1440: 900, 1024: 768, 390: 844}
COLOURS = 96
_STEPS = (1210, 700)  # the size of the stepped picture


def _sklearn(load: Callable[..., Any], *, named: bool = True) -> pd.DataFrame:
    bunch = load(as_frame=True)
    y = bunch.target.map(dict(enumerate(bunch.target_names))) if named else bunch.target
    return bunch.data.assign(target=y)


def _gaps() -> pd.DataFrame:
    """Breast cancer with gaps in a fifth of all cells."""
    table, rng = _sklearn(load_breast_cancer).iloc[:, [0, 1, 6, 7, 20, 27, -1]], np.random.default_rng(0)
    values = table.iloc[:, :-1].mask(rng.random((len(table), 6)) < 0.2)
    return values.assign(target=table["target"])


def _names() -> pd.DataFrame:
    """Names of sixty letters, and names that are written from right to left."""
    rng = np.random.default_rng(0)
    names = ["average_number_of_monthly_transactions_over_the_last_12_months", "מספר הילדים", "عدد الأسرة"]
    table = pd.DataFrame({name: rng.normal(size=400).round(2) for name in names})
    noise = rng.normal(size=400)
    return table.assign(target=np.where(table.sum(axis=1) + noise > 0, "מאושר", "נדחה"))


def _noise() -> pd.DataFrame:
    """Nothing to learn, so that the tree has about 400 nodes."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(640, 5)).round(2), columns=list("abcde")).assign(
        target=rng.choice(["heads", "tails"], 640)
    )


def _waves() -> pd.DataFrame:
    x = np.linspace(0, 10, 300).round(3)
    return pd.DataFrame({"x": x, "target": (np.where(x > 5, 3 * x, 20 - 2 * x) + np.sin(9 * x)).round(2)})


# what is opened, and the settings it is grown with
TREES: dict[str, tuple[str | Callable[[], pd.DataFrame], dict[str, Any]]] = {
    "tennis": ("demo:tennis", {}),
    "robots": ("demo:robots", {}),
    "iris": (lambda: _sklearn(load_iris), {"limits": {"max_depth": 3}}),
    "wine": (lambda: _sklearn(load_wine), {"criterion": "entropy"}),
    "cancer": (lambda: _sklearn(load_breast_cancer), {}),
    "gaps": (_gaps, {"limits": {"max_depth": 4}, "missing": "fractional"}),
    "digits": (lambda: _sklearn(load_digits, named=False), {"limits": {"max_depth": 5}}),
    "diabetes": (lambda: _sklearn(load_diabetes, named=False), {"limits": {"min_samples_leaf": 20}}),
    "equations": (_waves, {"leaf": "linear", "criterion": "sd", "limits": {"max_depth": 2}}),
    "names": (_names, {"limits": {"max_depth": 4}}),
    "numbers": (lambda: _sklearn(load_iris, named=False), {"limits": {"max_depth": 2}}),
    "noise": (_noise, {}),
}
KEPT = {  # in the documentation, under these names
    ("iris", 1440, "light"): "studio.png",
    ("gaps", 1440, "dark"): "studio-gaps.png",
    ("diabetes", 1024, "light"): "studio-numbers.png",
    ("names", 390, "light"): "studio-phone.png",
}


@contextmanager
def studio(browser: Any, name: str, **how: Any) -> Iterator[Any]:
    """The page of a studio on one of the tables."""
    source, _ = TREES[name]
    with tempfile.TemporaryDirectory() as folder:
        given = [source] if isinstance(source, str) else [f"{name}.csv", "--target", "target"]
        if not isinstance(source, str):
            source().to_csv(Path(folder) / f"{name}.csv", index=False)
        command = [sys.executable, "-m", "hornbeam", "studio", *given, "--no-browser"]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        page = browser.new_context(**how).new_page()
        page.goto(server.stdout.readline().strip())
        page.wait_for_selector(".node .card")
        yield page
        page.context.close()
        server.terminate()
        server.wait()


def settings(page: Any, name: str) -> None:
    """Change the settings as the page would."""
    if not TREES[name][1]:
        return
    page.evaluate(
        """(op) => fetch('/api/op', {method: 'POST', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({base: 0, op: {op: 'settings', ...op}})}).then((answer) => answer.json())""",
        TREES[name][1],
    )
    page.wait_for_selector(".history li:nth-child(2)", state="attached")


def settled(page: Any) -> None:
    """Wait until everything is painted."""
    page.wait_for_selector(".detail .arithmetic, .detail .buttons", state="attached")
    page.wait_for_timeout(400)


def grow(page: Any) -> None:
    """Grow the whole tree."""
    page.click("text=Grow all")
    page.wait_for_selector(".message:has-text('grew below')", state="attached")
    settled(page)


def shot(page: Any, colours: int = COLOURS) -> Image.Image:
    """What the page shows, in few colours, so that the file is small."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return picture.quantize(colours, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def trees(browser: Any, wanted: Callable[[str, int, str], Path | None]) -> None:
    """Pictures of the twelve trees at every width, light and dark, as far as they are wanted."""
    for name in TREES:
        for scheme in ("light", "dark"):
            paths = {width: wanted(name, width, scheme) for width in WIDTHS}
            if not any(paths.values()):
                continue
            with studio(browser, name, color_scheme=scheme, viewport={"width": 1440, "height": 900}) as page:
                settings(page, name)
                grow(page)
                for width, path in paths.items():
                    if path is not None:
                        page.set_viewport_size({"width": width, "height": WIDTHS[width]})
                        settled(page)
                        shot(page).save(path, optimize=True)


def caption(page: Any, words: str) -> None:
    """Words over the lower edge of the page."""
    page.evaluate(
        """(words) => {
        document.getElementById('caption')?.remove();
        const box = document.createElement('div');
        box.id = 'caption';
        box.style.cssText = 'position:fixed;left:0;right:0;bottom:0;padding:13px 20px;background:#1d5fb0;'
          + 'color:#fff;font:600 19px system-ui;z-index:99';
        box.textContent = words;
        document.body.append(box);
        }""",
        words,
    )


def steps(browser: Any, path: Path) -> None:
    """One session in eight pictures of two and a half seconds."""
    frames: list[Image.Image] = []

    def take(words: str) -> None:
        page.wait_for_timeout(500)
        caption(page, f"{len(frames) + 1}  {words}")
        frames.append(shot(page, 48))

    size = {"width": _STEPS[0], "height": _STEPS[1]}
    with studio(browser, "iris", color_scheme="light", viewport=size) as page:
        settled(page)
        take("Open a table: its columns, and what the root could test")
        page.click(".candidates tbody tr:nth-child(3) button")
        settled(page)
        take("Question a candidate: its table, its arithmetic, the score of every cut")
        page.locator(".cuts").scroll_into_view_if_needed()
        box = page.locator(".cuts").bounding_box()
        page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.42 * box["width"], box["y"] + 40, steps=6)
        page.mouse.up()
        page.wait_for_selector(".preview table")
        page.locator(".preview").scroll_into_view_if_needed()
        shot(page).save(path.with_name("studio-cut.png"), optimize=True)
        take("Decide otherwise: drag the cut, and see at once what it costs")
        page.click("text=Split here")
        page.wait_for_selector("#node-2")
        settled(page)
        take("The card says that a person chose it, and its rank")
        grow(page)
        take("Grow the rest")
        slider = page.locator("#prune-slider")
        slider.evaluate("(s) => { s.value = 2; s.dispatchEvent(new Event('input')); }")
        take("Prune by the slider: what would go fades, the curves say what it costs")
        slider.evaluate("(s) => s.dispatchEvent(new Event('change'))")
        page.wait_for_selector(".message:has-text('pruned')", state="attached")
        page.click("text=Stability")
        page.wait_for_selector(".message:has-text('chosen again')", state="attached")
        page.click("#tab-quality")
        page.wait_for_selector(".quality h3:has-text('Stability')")
        take("How good it is, and how often each test is chosen again")
        page.click("#tab-tree")
        page.click("summary:has-text('Export')")
        take("Hand it over: report, SQL, code, or the session as Python calls")
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=2500, loop=0, optimize=True)


def teaching(browser: Any, path: Path) -> None:
    """ID3 on the days of tennis, at the line that judges the columns of its second node."""
    with studio(browser, "tennis", color_scheme="light", viewport={"width": 1440, "height": 900}) as page:
        settled(page)
        page.click("button:has-text('Teach')")
        page.click(".teach button:has-text('Next split')")
        for _ in range(12):
            page.click(".teach button:has-text('Next line')")
            settled(page)
            if page.locator(".teach th:text-is('gain')").count():
                break
        shot(page).save(path, optimize=True)


def main() -> None:
    """Make the pictures."""
    from playwright.sync_api import sync_playwright

    every = Path(sys.argv[1]) if len(sys.argv) > 1 else None

    def wanted(name: str, width: int, scheme: str) -> Path | None:
        if every is not None:
            return every / f"{name}-{width}-{scheme}.png"
        kept = KEPT.get((name, width, scheme))
        return None if kept is None else FOLDER / kept

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox"])
        trees(browser, wanted)
        if every is None:
            steps(browser, FOLDER / "studio-steps.gif")
            teaching(browser, FOLDER / "studio-teach.png")
        browser.close()


if __name__ == "__main__":
    main()
