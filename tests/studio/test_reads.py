"""Every number that the studio tells is the library's."""

import json
import re
import threading

import numpy as np
import pytest
from tests.studio.asking import Studio

import hornbeam as hb
from hornbeam.tree import words


def table(n=300, seed=0, real=False):
    rng = np.random.default_rng(seed)
    x, c = rng.normal(size=n).round(2), rng.choice(list("abcd"), n)
    x[rng.random(n) < 0.1] = np.nan
    y = np.nan_to_num(x) + (c == "a") + 0.5 * rng.normal(size=n)
    columns = {
        "x": [None if v != v else float(v) for v in x],
        "c": c.tolist(),
        "w": rng.integers(0, 9, n).tolist(),
    }
    return columns | {"y": y.round(3).tolist() if real else np.where(y > 0.3, "yes", "no").tolist()}


@pytest.fixture(params=[False, True], ids=["classes", "numbers"])
def grown(request, tmp_path):
    settings = {"held_out": 0.3, "limits": {"max_depth": 4}}
    studio = Studio(table(real=request.param), tmp_path, target="y", settings=settings)
    studio.op(op="split", node=0, on="x", at=0.25)
    studio.op(op="grow")
    return studio


def plain(value):
    return json.loads(json.dumps(value))


def test_the_document_is_that_of_a_report(grown):
    view = grown.session.view()
    rows = view.chapter.rows
    report = hb.report(view.model, rows.training.X, rows.training.y, validation=rows.held_out.as_tuple())
    told, expected = grown.get("/api/document").json(), report.to_dict()
    assert [some.keys() & {"metrics"} for some in told["quality"]] == [set(), set()]  # measured on request
    told |= {"quality": grown.get("/api/quality").json()["quality"]}
    expected["pruning"].pop("steps")  # a studio prunes the tree itself
    for name in expected.keys() - {"title", "target"}:
        assert told[name] == expected[name], name
    assert (told["target"], told["revision"], told["ids"]) == ("y", 2, view.ids)
    assert told["marks"][0]["forced"]["rank"] == view.draft.forced[0]["rank"]


def test_candidates_are_the_library_s(grown):
    view = grown.session.view()
    rows = view.chapter.rows.training
    for identity in view.ids[:3]:
        node = view.node(identity)
        expected = hb.candidates(view.model, rows.X, rows.y, node, work=True)
        told = grown.get(f"/api/node/{identity}/candidates").json()
        for mine, its in zip(told["candidates"], expected.to_dict()["candidates"], strict=True):
            texts = mine.pop("texts")
            assert mine == plain({name: its[name] for name in mine})
            shown = {name: text for name, text in texts.items() if text and text[0] != "<"}
            assert all(
                abs(float(text) - its[name]) < 0.0501 * max(abs(its[name]), 0.01)
                for name, text in shown.items()
            )
        for one in expected:
            told = grown.get(f"/api/node/{identity}/candidates/{one.column}").json()
            expected_one = plain(one.to_dict())
            assert {name: told[name] for name in expected_one} == expected_one
            assert told["details"] == list(one.work.details)


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "move", "at": 0.1},
        {"op": "move", "at": -0.5},
        {"op": "split", "on": "c", "groups": [["a", "b"]]},
        {"op": "split", "on": "c", "multiway": True},
        {"op": "split", "on": "x", "at": 0.6},
    ],
    ids=str,
)
def test_a_preview_is_what_applying_gives(tmp_path, operation):
    studio = Studio(table(), tmp_path, target="y", settings={"held_out": 0.0})
    if operation["op"] == "move":
        studio.op(op="split", node=0, on="x", at=0.25)
    operation = {**operation, "node": 0}
    seen = studio.post("/api/preview", op=operation).json()
    assert studio.session.head == (operation["op"] == "move")
    studio.op(**operation)
    tree, draft = studio.session.view().tree, studio.session.draft
    assert [branch["n"] for branch in seen["branches"]] == tree.n_rows[list(tree.children(0))].tolist()
    assert [branch["stats"] for branch in seen["branches"]] == tree.stats[list(tree.children(0))].tolist()
    assert seen["forced"] == plain(draft.forced[0])
    nodes = studio.get("/api/document").json()["nodes"]
    assert [branch["verdict"] for branch in seen["branches"]] == [
        nodes[k]["verdict"] for k in tree.children(0)
    ]


def test_a_preview_of_a_collapse_says_what_goes(grown):
    view = grown.session.view()
    seen = grown.post("/api/preview", op={"op": "collapse", "node": 0}).json()
    assert seen["leaves"] == 1
    assert sorted(seen["removed"]) == sorted(set(view.ids) - {0})
    assert grown.session.head == view.number


def test_the_path_is_the_library_s(grown):
    view = grown.session.view()
    rows = view.chapter.rows
    X, y, *_ = rows.training.as_tuple()
    expected = hb.pruning_path(view.model, X, y, cv=4, validation=rows.held_out.as_tuple())
    told = grown.get("/api/path?cv=4").json()
    for name, its in (
        ("alpha", "alpha"),
        ("leaves", "leaves"),
        ("held_out", "validation"),
        ("cv", "cv"),
        ("cv_se", "cv_error"),
    ):
        assert told[name] == getattr(expected, its).tolist()
    for k, alpha in enumerate(told["alpha"]):
        pruned = view.draft.prune(alpha=alpha).tree
        assert pruned.n_leaves == told["leaves"][k]
        kept = [
            i
            for i, kind in zip(view.ids, view.tree.kind, strict=True)
            if kind and i not in told["collapsed"][k]
        ]
        assert len(kept) == len(pruned) - pruned.n_leaves


def test_rows_are_paged_sorted_and_counted(grown):
    view = grown.session.view()
    data = grown.session.sheet.data
    page = grown.get("/api/rows?node=0&part=held-out&sort=w&descending=1&limit=500").json()
    assert page["total"] == len(view.chapter.rows.held_out) == len(page["rows"])
    ws = [row[page["columns"].index("w")] for row in page["rows"]]
    assert ws == sorted(ws, reverse=True)
    for row in page["rows"]:
        assert row[1] == data.column("y")[row[0]].as_py()
        assert row[page["columns"].index("x")] == data.column("x")[row[0]].as_py()
    second = grown.get("/api/rows?node=0&part=held-out&sort=w&descending=1&offset=10&limit=5").json()
    assert second["rows"] == page["rows"][10:15]
    child = view.ids[1]
    at = grown.get(f"/api/rows?node={child}&limit=500").json()
    assert at["total"] == int(view.tree.n_rows[1])
    if view.tree.classes is not None:
        wrong = grown.get("/api/rows?node=0&part=training&wrong=1").json()
        predicted = view.model.predict(view.chapter.rows.training.X)
        truth = np.array(view.chapter.rows.training.y.to_pylist())
        assert wrong["total"] == int((predicted != truth).sum())


@pytest.mark.parametrize(
    "query",
    ["limit=501", "limit=0", "offset=-1", "limit=x", "part=test", "sort=nothing", "node=99999", "node=x"],
)
def test_a_wrong_page_gets_a_sentence(grown, query):
    answer = grown.get(f"/api/rows?{query}")
    assert answer.status_code in (400, 404)
    assert answer.json()["error"]


def test_what_if_is_the_library_s(grown):
    view = grown.session.view()
    told = grown.post("/api/predict", row={"x": None, "c": "a"}).json()
    expected = hb.explain(view.model, {"x": None, "c": "a", "w": None})
    assert told["answer"] == plain(expected.to_dict())["answer"]
    assert told["probabilities"] == plain(expected.to_dict())["probabilities"]
    assert told["text"] == str(expected)
    if told["probabilities"]:
        share = dict(zip(*zip(*(one.values() for one in told["probabilities"]), strict=True), strict=True))
        assert told["verdict"] == f"{told['answer']} {words.percent(share[told['answer']])}"
    else:
        assert told["verdict"] == words.amount(told["answer"])
    leaves = [one for one in told["nodes"] if view.tree.kind[view.node(one["node"])] == 0]
    assert sum(one["weight"] for one in leaves) == pytest.approx(1.0)


def test_a_comparison_is_the_library_s(grown):
    a, b = grown.session.view(0), grown.session.view(2)
    rows = b.chapter.rows.held_out
    expected = hb.compare(a.model, b.model, rows.X, rows.y).to_dict()
    told = grown.post("/api/compare", a=0, b=2).json()
    assert told["metrics"] == plain(expected["metrics"])
    assert told["changed"] == rows.positions[np.array(expected["changed"], dtype=int)].tolist()
    assert told["part"] == "held-out"
    first, second = a.model.predict(rows.X), b.model.predict(rows.X)
    shown = [[int(rows.positions[k]), plain(first[k]), plain(second[k])] for k in expected["changed"]]
    assert [[row[0], row[2], row[3]] for row in told["rows"]] == shown[:500]
    assert told["columns"] == ["row", "y", "first", "second", "x", "c", "w"]


def test_a_revision_is_compared_with_a_saved_model_of_the_folder(grown, tmp_path):
    a = grown.session.view(1)
    hb.save(a.model, tmp_path / "before.tree.json")
    (tmp_path / "other.tree.json").write_text("{}")
    assert grown.get("/api/session").json()["models"] == ["before.tree.json", "other.tree.json"]
    told = grown.post("/api/compare", a="before.tree.json", b=2).json()
    of_revisions = grown.post("/api/compare", a=1, b=2).json()
    assert told["metrics"] == of_revisions["metrics"]
    assert told["rows"] == of_revisions["rows"]
    for name, status in (("other.tree.json", 400), ("none.tree.json", 404), ("../x.tree.json", 403)):
        assert grown.post("/api/compare", a=name, b=2).status_code == status


def test_the_exported_script_makes_the_same_tree(tmp_path, monkeypatch):
    (tmp_path / "own table.csv").write_text(
        "x,c,y\n"
        + "".join(
            f"{x},{c},{y}\n" for x, c, y in zip(*[table()[k] for k in ("x", "c", "y")], strict=True)
        ).replace("None", "")
    )
    monkeypatch.chdir(tmp_path)
    studio = Studio("own table.csv", tmp_path, target="y", settings={"held_out": 0.25, "seed": 5})
    studio.op(op="split", node=0, on="c", groups=[["a", "b"]])
    studio.op(op="grow", max_depth=3)
    studio.op(op="prune", method="reduced-error")
    studio.op(op="note", node=0, text='why "this"?\\')
    script = studio.post("/api/export", format="script").text
    module = {}
    exec(script, module)
    assert module["draft"].tree == studio.session.view().tree
    saved = hb.load(tmp_path / "own_table.tree.json")
    assert saved.tree_.text() == studio.session.view().tree.text()


@pytest.mark.parametrize(
    "language", ["model", "sql", "python", "javascript", "c", "json", "dot", "markdown", "pmml", "svg"]
)
def test_exports_are_the_library_s(grown, language):
    view = grown.session.view()
    answer = grown.post("/api/export", format=language)
    if answer.status_code == 400:  # PMML cannot say where gaps of this tree go
        with pytest.raises(ValueError, match=re.escape(answer.json()["error"])):
            hb.export(view.tree, language)
        return
    assert answer.status_code == 200
    if language == "model":
        (grown.folder / "m.tree.json").write_bytes(answer.content)
        assert hb.load(grown.folder / "m.tree.json").tree_.text() == view.tree.text()
    else:
        assert answer.text == hb.export(view.tree, language)
    assert "attachment" in answer.headers["content-disposition"]


def test_stability_is_measured_on_request_and_is_the_library_s(grown):
    view = grown.session.view()
    assert "stability" not in grown.get("/api/document").json()
    job = grown.post("/api/stability").json()
    assert job["what"] == "stability"
    for thread in threading.enumerate():
        if thread.name == "hornbeam-studio-stability":
            thread.join(60)
    rows = view.chapter.rows.training
    expected = hb.stability(view.model, rows.X, rows.y, random_state=view.chapter.settings.seed)
    told = grown.get("/api/document").json()
    report = hb.report(view.model, rows.X, rows.y, stability=expected).to_dict()
    assert told["stability"] == plain(report["stability"])
    assert [node.get("again") for node in told["nodes"]] == [node.get("again") for node in report["nodes"]]
    assert grown.get("/api/session").json()["reading"] is None
    grown.op(op="note", node=view.ids[0], text="edits go on")
    assert grown.post("/api/stability", revision=99).status_code == 400
