"""Walks through the studio's page: what a person can do there, with the numbers of the library."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.studio.pages import grow, pick, said, tab_to, tab_to_text
from tests.support.selection import some

import hornbeam as hb
from hornbeam.studio.jobs import Job, Jobs
from hornbeam.studio.launch import make_server


def frame(n: int = 240) -> pd.DataFrame:
    """Numbers, categories and gaps; the outcome follows from both, and a column gives it away."""
    rng = np.random.default_rng(0)
    x, c = rng.normal(size=n).round(2), rng.choice(list("abc"), n)
    y = np.where(x + (c == "a") + 0.5 * rng.normal(size=n) > 0.3, "yes", "no")
    x = np.where(rng.random(n) < 0.1, np.nan, x)
    return pd.DataFrame({"x": x, "c": c, "told": np.where(y == "yes", "Y", "N"), "y": y})


def written(folder: Path, *without: str) -> str:
    frame().drop(columns=list(without)).to_csv(folder / "table.csv", index=False)
    return "table.csv"


WRITERS = {
    "table.parquet": lambda path: frame().to_parquet(path),
    "table.xlsx": lambda path: frame().to_excel(path, index=False),
    "table.csv": lambda path: frame().to_csv(path, index=False),
    "table.arff": lambda path: path.write_text(
        "@relation t\n@attribute x numeric\n@attribute y {no,yes}\n@data\n"
        + "\n".join(f"{k},{'yes' if k > 20 else 'no'}" for k in range(40))
    ),
}


@pytest.mark.parametrize("name", some(WRITERS, of=["table.parquet"]))
def test_a_table_of_any_format_is_chosen_from_a_dialog(open_studio: Any, tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    page = open_studio()
    page.set_input_files("#file", str(tmp_path / name))
    page.wait_for_selector(".columns-table, .node")
    if page.locator(".columns-table").count():
        page.click(".columns-table button:text-is('y')")
    page.wait_for_selector("#node-0:has-text('+ choose a split')")
    assert page.locator("aside.left .columns li").count() == (2 if name.endswith("arff") else 4)


def test_a_column_that_gives_the_outcome_away_is_left_out_by_a_button(
    open_studio: Any, tmp_path: Path
) -> None:
    page = open_studio(written(tmp_path), "y")
    assert "told: tells the target alone" in page.locator(".caution").inner_text()
    page.click("text=Leave out told")
    said(page, "changed settings: exclude")
    page.wait_for_selector(".caution", state="detached")
    page.wait_for_selector(".candidates tbody tr:has-text('told')", state="detached")


def test_growth_shows_progress_and_is_stopped(open_studio: Any, tmp_path: Path, monkeypatch: Any) -> None:
    asked_to_stop = threading.Event()

    def progress(job: Job, share: float) -> bool:
        asked_to_stop.wait(60)
        return told(job, share)

    def cancel(jobs: Any, number: int) -> Job:
        job = cancelled(jobs, number)
        asked_to_stop.set()
        return job

    told, cancelled = Job.progress, Jobs.cancel
    monkeypatch.setattr(Job, "progress", progress)
    monkeypatch.setattr(Jobs, "cancel", cancel)
    server = make_server("demo:tennis", folder=tmp_path)
    server.start()
    page = open_studio(url=server.url)
    page.click("text=Grow all")
    page.wait_for_selector(".progress progress")
    page.click("button:has-text('Undo') + button + button")  # settings can be looked at meanwhile
    page.keyboard.press("Escape")
    page.click("button.stop")
    said(page, "was stopped")
    page.wait_for_selector(".progress", state="detached")
    assert page.locator("[role=treeitem]").count() == 1
    page.goto("about:blank")
    server.close()
    server.join(30)


def test_a_dragged_cut_is_shown_as_the_library_has_it(open_studio: Any, tmp_path: Path) -> None:
    lines = ["x,y"] + [f"{k},{'a' if (k // 5) % 2 else 'b'}" for k in range(40)]
    (tmp_path / "waves.csv").write_text("\n".join(lines), encoding="utf-8")
    page = open_studio("waves.csv", "y")
    draft = hb.edit(hb.TreeClassifier(), {"x": list(range(40))}, [line.split(",")[1] for line in lines[1:]])
    chart, field = page.locator(".cuts"), page.locator(".cut-field input")
    chart.wait_for()
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + 50)
    page.mouse.down()
    cuts = []
    for share in (0.25, 0.5, 0.8):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + 50, steps=4)
        cut = float(field.input_value())
        page.wait_for_selector(f".preview b:text-is('x ≤ {cut:g}')")
        below = int(np.floor(cut)) + 1
        texts = page.locator(".preview tbody td:nth-child(2)").all_inner_texts()
        assert texts == [str(below), str(40 - below)]
        forced = draft.split(0, on="x", at=cut).forced[0]
        assert f"rank {forced['rank']} of {forced['of']}" in page.locator(".preview").inner_text()
        cuts.append(cut)
    page.mouse.up()
    assert cuts == sorted(cuts)
    assert len(set(cuts)) == 3
    page.click("text=Split here")
    said(page, f"x ≤ {cuts[-1]:g}")


def test_gaps_get_a_branch_and_nodes_are_made_leaves_and_grown_again(
    open_studio: Any, tmp_path: Path
) -> None:
    page = open_studio(written(tmp_path, "told"), "y")
    pick(page, "x")
    page.select_option("select[aria-label='Where gaps go']", "own")
    page.click("text=Split on x")
    page.wait_for_selector(".label:has-text('missing')")
    page.click(".actions button:has-text('Make leaf')")
    page.wait_for_selector("#node-1", state="detached")
    pick(page, "c")
    page.click("text=One branch per value")
    page.wait_for_selector("#node-3")
    page.click(".actions button:has-text('Regrow')")
    said(page, "grew")
    page.click(".actions button:has-text('Lock')")
    page.wait_for_selector("#node-0:has-text('locked')")


def test_gaps_go_to_any_branch(open_studio: Any, tmp_path: Path) -> None:
    lines = ["c,y"] + [f"{['p', 'q', 'r', ''][k % 4]},{'a' if k % 4 in (0, 3) else 'b'}" for k in range(40)]
    (tmp_path / "gaps.csv").write_text("\n".join(lines), encoding="utf-8")
    page = open_studio("gaps.csv", "y")
    pick(page, "c")
    page.select_option("select[aria-label='Where gaps go']", label="gaps to branch 3")
    page.click("button:has-text('One branch per value')")
    page.wait_for_selector("#node-3")
    labels = page.locator("g.label").all_text_contents()
    assert ["∅" in label for label in labels] == [False, False, True]


def test_values_are_dragged_from_branch_to_branch(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    pick(page, "Outlook")
    page.click("text=Groups …")
    page.drag_and_drop(".chip:has-text('Rain')", "fieldset.new")
    page.wait_for_selector("fieldset:has-text('branch 3'):has-text('Rain')")
    page.click("dialog button:has-text('Split')")
    page.wait_for_selector("#node-3")


def test_every_number_of_a_node_and_of_the_tree_is_the_library_s(open_studio: Any, tmp_path: Path) -> None:
    page = open_studio(written(tmp_path, "told"), "y")
    grow(page)
    sheet = hb.read_table(tmp_path / "table.csv")
    server = make_server(str(tmp_path / "table.csv"), folder=tmp_path, target="y")
    server._socket.close()
    server.session.apply(0, {"op": "grow"})
    view = server.session.view()
    parts = view.chapter.rows
    expected = hb.report(
        view.model, parts.training.X, parts.training.y, validation=parts.held_out.as_tuple()
    ).to_dict()
    assert len(parts.training) + len(parts.held_out) == sheet.data.num_rows
    page.click(".studio-inspector [data-name=node]")
    for node in (0, 1, 2):
        page.evaluate(
            "(id) => document.getElementById(`node-${id}`)?.dispatchEvent(new Event('click'))", node
        )
        page.wait_for_selector(f".kicker:has-text('Node #{node} ')")
        rows = page.locator(".studio-inspector .facts tr").all()
        lines = {row.locator("th").inner_text(): row.locator("td").inner_text() for row in rows}
        for name, value in expected["nodes"][node]["facts"]:
            assert lines[name] == value
    page.click("#tab-quality")
    page.wait_for_selector(".quality .numbers.wide")
    shown = page.locator(".quality .numbers.wide tbody tr").all_inner_texts()
    sets = expected["quality"]
    for k, line in enumerate(shown):
        metrics = [one["metrics"][k] for one in sets]
        assert line.split("\t") == [
            metrics[0]["name"],
            *(cell for one in metrics for cell in (one["text"], one["interval"] or "–")),
        ]
    page.click("#tab-rules")
    rules = page.locator(".rules tbody tr").all_inner_texts()
    wanted = {" and ".join(node["rule"]) for node in expected["nodes"] if "rule" in node}
    assert {line.split("\t")[0] for line in rules} == wanted


def test_curves_have_bands_and_methods_prune(open_studio: Any, tmp_path: Path) -> None:
    page = open_studio(written(tmp_path, "told"), "y")
    grow(page)
    page.wait_for_selector(".chart .band", state="attached")
    page.click("text=cross-validate")
    said(page, "cross-validated in ten folds")
    page.wait_for_selector(".chart .cv-line path", state="attached")
    assert page.locator(".chart .band").count() == 2
    page.select_option("select[aria-label='Pruning method']", "reduced-error")
    page.click(".prunebar button:has-text('Prune')")
    said(page, "pruned")


def test_stability_stands_on_the_cards_and_in_the_inspector(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    grow(page)
    page.click(".actions button:has-text('Stability')")
    said(page, "how often each test is chosen again")
    table = hb.datasets.load("tennis")
    again = hb.stability(hb.id3().fit(table.X, table.y), table.X, table.y)[0].share_text
    page.wait_for_selector(f"#node-0:has-text('{again}')")
    page.click(".studio-inspector [data-name=node]")
    page.wait_for_selector(f".facts tr:has-text('tested again'):has-text('{again}')")
    page.click("#tab-quality")
    page.wait_for_selector(".quality h3:has-text('Stability')")


def test_records_are_copied_as_csv(open_studio: Any) -> None:
    page = open_studio("demo:tennis", permissions=["clipboard-read", "clipboard-write"])
    page.click(".studio-inspector [data-name=records]")
    page.click("text=Copy as CSV")
    said(page, "copied as CSV")
    lines = page.evaluate("navigator.clipboard.readText()").split()
    assert lines[0] == "row,Play,answer,Outlook,Temperature,Humidity,Wind"
    assert len(lines) == 15


def test_a_project_is_opened_again_and_gives_the_same_bytes(open_studio: Any, tmp_path: Path) -> None:
    def model(page: Any) -> bytes:
        page.click("summary:has-text('Export')")
        with page.expect_download() as download:
            page.click("text=Model (tree.json)")
        return Path(download.value.path()).read_bytes()

    page = open_studio("demo:tennis")
    pick(page, "Wind")
    page.click("text=Split on Wind")
    said(page, "rank 3 of 4")
    grow(page)
    page.click("summary:has-text('File')")
    page.click("text=Save the project")
    page.fill("dialog.studio input", "mine")
    page.keyboard.press("Enter")
    said(page, "mine.studio.json")
    again = open_studio("mine.studio.json")
    assert model(again) == model(page)
    assert again.locator(".history li").count() == 3
    again.click(".history li:nth-child(2) button")
    again.wait_for_selector("#node-3", state="detached")


@pytest.mark.slow
def test_a_tree_is_opened_grown_questioned_overridden_pruned_and_exported_by_keys(open_studio: Any) -> None:
    page = open_studio()
    tab_to_text(page, "tennis")
    page.keyboard.press("Enter")
    page.wait_for_selector("#node-0")
    tab_to(page, "[role=treeitem]")
    page.keyboard.press("s")
    page.wait_for_selector("#node-3")
    tab_to(page, ".candidates tbody tr:nth-child(2) button")
    page.keyboard.press("Enter")
    page.wait_for_selector(".detail .arithmetic")
    tab_to(page, ".detail button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("#node-0:has-text('rank 2 of 4')")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    page.wait_for_selector("#node-0:has-text('Outlook')")
    tab_to(page, "[role=treeitem]")
    for key in ("g", "ArrowRight", "ArrowDown", "l"):
        page.keyboard.press(key)
    page.wait_for_selector(".node.selected:has-text('locked')")
    page.keyboard.press("n")
    page.keyboard.type("keys alone")
    page.keyboard.press("Enter")
    page.wait_for_selector(".node.selected:has-text('keys alone')")
    page.keyboard.press("l")
    tab_to(page, "#prune-slider")
    page.keyboard.press("ArrowLeft")
    said(page, "pruned")
    page.keyboard.press("Control+z")
    page.wait_for_selector("#node-7")
    tab_to_text(page, "Settings")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog.studio")
    tab_to(page, "input[aria-label='seed']")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    said(page, "changed settings: seed")
    tab_to_text(page, "Export")
    page.keyboard.press("Enter")
    tab_to_text(page, "Python calls")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert "draft" in Path(download.value.path()).read_text(encoding="utf-8")


LONG = ["average_number_of_monthly_transactions_over_the_last_12_months", "מספר הילדים", "عدد", "平均"]


@pytest.mark.parametrize(
    ("width", "scheme"),
    some([(1440, "light"), (1024, "dark"), (720, "light"), (390, "dark")], of=[(1024, "dark")]),
)
def test_long_and_foreign_names_stay_in_their_places(
    open_studio: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    rng = np.random.default_rng(1)
    data = pd.DataFrame({name: rng.normal(size=300).round(2) for name in LONG})
    data["תוצאה"] = np.where(data.sum(axis=1) > 0, 1, 2)
    data.to_csv(tmp_path / "names.csv", index=False)
    page = open_studio("names.csv", "תוצאה", viewport={"width": width, "height": 700}, color_scheme=scheme)
    grow(page)
    page.wait_for_selector(".detail h3")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wider = page.evaluate(
        """() => [...document.querySelectorAll('.studio-inspector p, .studio-inspector h3, .columns b')]
        .filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)"""
    )
    assert wider == []
    assert "class 1" in page.locator(".headline").inner_text(), "classes that are numbers are called classes"
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not page.locator(".toolbar").is_visible()
    assert page.locator("#panel-rules table").is_visible()
