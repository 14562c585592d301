"""The code in the how-to pages on files, exports and rules runs, and prints what the pages say."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import hornbeam as hb

DOCS = Path(__file__).parents[2] / "docs" / "howto"


@pytest.mark.parametrize("name", ["save", "export", "rules", "edit", "show", "report"])
def test_the_code_of_a_page_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    space = {}
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        if "skops" not in block or find_spec("skops") is not None:
            exec(block, space)
    if name == "save":
        assert space["again"].tree_ == space["model"].tree_
        assert space["tree"].predict([[1.0], [4.0]]).tolist() == ["a", "b"]
    if name == "report":
        assert (tmp_path / "tennis.html").exists()
        assert space["accuracy"]["low"] < space["accuracy"]["value"] < space["accuracy"]["high"]
    if name == "rules":
        model, data = space["model"], space["tennis"]
        assert f"\n{hb.dnf(model, 'No')}\n" in text
        assert f"\n{hb.ruleset(model, data.X, data.y)}\n" in text
    if name == "edit":
        assert f"\n{space['draft']}\n" in text
        assert "(3, 4, 'Outlook')" in text
        found = hb.edit(hb.id3(), space["tennis"].X, space["tennis"].y).candidates(0)
        assert f"# {[(c.column, round(c.score, 4)) for c in found]}" in text
    if name == "show":
        assert f"\n{hb.show(space['model'])}\n" in text
        assert f"\n{hb.show(space['model'], bars=8, node_ids=True, max_depth=1)}\n" in text
    if name == "export":
        module = {}
        exec(space["text"], module)
        assert module["predict"]({"width": 0.5}) == "setosa"
        words = re.findall(r'"(\w+)"', re.search(r"# also (.*)", text).group(1))
        for word in ("python", *words):
            hb.export(space["model"], word)


@pytest.mark.slow
def test_the_tutorial_from_a_laptop_to_a_cluster_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("distributed", reason="dask is not installed: hornbeam[dask]")
    monkeypatch.chdir(tmp_path)
    text = (DOCS.parent / "tutorials" / "laptop-to-cluster.md").read_text(encoding="utf-8")
    space = {}
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(block, space)
    assert space["model"].tree_.columns[0].name == "distance"
    assert space["right"] > 0.7
    assert "payment" in capsys.readouterr().out
