"""Projects: saved, opened and replayed to the same bytes; saved by themselves; shown without the table."""

import json

import pytest
from tests.studio.asking import Studio
from tests.studio.test_reads import table

import hornbeam as hb
from hornbeam.cli.app import run
from hornbeam.studio.session import Session


def write_table(path, seed=0):
    columns = table(seed=seed)
    lines = [",".join(columns)]
    lines += [
        ",".join("" if v is None else str(v) for v in row) for row in zip(*columns.values(), strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def edited(tmp_path):
    """A studio with edits, settings that changed, and a line that was left."""
    write_table(tmp_path / "table.csv")
    studio = Studio(str(tmp_path / "table.csv"), tmp_path, target="y", settings={"seed": 3})
    studio.op(op="split", node=0, on="c", groups=[["a"]])
    studio.op(op="grow", max_depth=3)
    studio.op(op="settings", criterion="entropy")
    studio.op(op="note", node=0, text="by hand")
    studio.post("/api/goto", revision=2)
    studio.op(op="prune", method="reduced-error")
    studio.post("/api/goto", revision=4)
    return studio


def trees(session):
    return [json.dumps(session.view(k).tree.to_dict()) for k in range(len(session.revisions))]


def test_a_project_opens_as_it_was_saved(edited):
    assert edited.post("/api/project/save", name="mine").json() == {"saved": "mine.studio.json"}
    again = Studio(str(edited.folder / "mine.studio.json"), edited.folder)
    old, new = edited.session, again.session
    assert trees(new) == trees(old)
    assert (new.head, new.end, new.branches) == (old.head, old.end, old.branches)
    assert [one.say for one in new.revisions] == [one.say for one in old.revisions]
    assert [new.view(k).ids for k in range(6)] == [old.view(k).ids for k in range(6)]
    assert again.get("/api/document").content == edited.get("/api/document").content


def test_a_project_holds_no_rows(edited):
    edited.post("/api/project/save", name="mine")
    facts = json.loads((edited.folder / "mine.studio.json").read_text())
    assert facts["data"]["path"] == "table.csv"
    assert len(facts["data"]["sha256"]) == 64
    assert facts["document"]["aggregates"] is True
    assert str(edited.folder) not in (edited.folder / "mine.studio.json").read_text()


def test_every_operation_is_saved_before_it_is_answered(edited):
    own = edited.folder / "table.studio.json~"
    assert json.loads(own.read_text())["head"] == 4
    for k in range(3):
        edited.op(op="note", node=0, text=f"note {k}")
        assert json.loads(own.read_text())["revisions"][-1]["op"]["text"] == f"note {k}"
    again = Session()
    from hornbeam.studio.opening import open_what

    open_what(again, str(own), {})
    assert trees(again) == trees(edited.session)
    edited.post("/api/project/save", name="mine")
    assert not own.exists()
    edited.op(op="note", node=0, text="after")
    assert (edited.folder / "mine.studio.json~").exists()
    newest = Studio(str(edited.folder / "mine.studio.json"), edited.folder)
    assert newest.session.draft.notes[0] == "after"


def test_unsaved_work_of_another_session_is_not_written_over(tmp_path):
    for k in (1, 2):
        studio = Studio("demo:tennis", tmp_path)
        studio.op(op="note", node=0, text=str(k))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "tennis-2.studio.json~",
        "tennis.studio.json~",
    ]
    assert studio.get("/api/session").json()["autosave"]["others"] == ["tennis.studio.json~"]


@pytest.mark.parametrize("what", ["gone", "changed"])
def test_without_its_table_a_project_can_be_looked_at(edited, what):
    document = edited.get("/api/document").json() | {"quality": edited.get("/api/quality").json()["quality"]}
    edited.post("/api/project/save", name="mine")
    if what == "gone":
        (edited.folder / "table.csv").unlink()
    else:
        write_table(edited.folder / "table.csv", seed=1)
    again = Studio(str(edited.folder / "mine.studio.json"), edited.folder)
    assert again.get("/api/document").json() == document
    facts = again.get("/api/session").json()
    assert "nothing can be changed" in facts["read_only"]
    assert len(facts["revisions"]) == 6
    answer = again.post("/api/op", base=0, op={"op": "grow"})
    assert answer.status_code == 400
    assert answer.json()["error"] == facts["read_only"]


def test_replay_gives_the_same_bytes(edited, capsys):
    edited.post("/api/project/save", name="mine")
    path = edited.folder / "mine.studio.json"
    for name in ("a", "b"):
        assert run(["replay", str(path), "-o", str(edited.folder / f"{name}.tree.json")]) == 0
    made = (edited.folder / "a.tree.json").read_bytes()
    assert made == (edited.folder / "b.tree.json").read_bytes()
    assert hb.load(edited.folder / "a.tree.json").tree_.text() == edited.session.view().tree.text()
    capsys.readouterr()


def test_replay_on_other_rows_names_what_is_not_possible(edited, capsys):
    edited.post("/api/project/save", name="mine")
    path, other = edited.folder / "mine.studio.json", write_table(edited.folder / "other.csv", seed=9)
    out = edited.folder / "other.tree.json"
    assert run(["replay", str(path), "--data", str(other), "-o", str(out)]) == 0
    tree = hb.load(out).tree_
    assert tree.text().startswith("c[")
    facts = json.loads(path.read_text())
    facts["revisions"][4]["log"]["way"] = [["x", 0], ["w", 1]]
    path.write_text(json.dumps(facts))
    assert run(["replay", str(path), "--data", str(other), "--format", "json"]) == 4
    told = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert "no node that is reached by tests of x, w" in told["impossible"][0]


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"format": "x"},
        {"revisions": None},
        {"revisions": [{"op": None, "parent": 0}]},
        {"revisions": [{"op": None, "parent": -1}, {"op": {"op": "step"}, "parent": 5}]},
        {"head": 99},
        {"head": "0"},
        {"settings": []},
        {"settings": {"colour": 1}},
        {"revisions": [{"op": None, "parent": -1}, {"op": {"op": "fly"}, "parent": 0}], "head": 1, "end": 1},
    ],
    ids=str,
)
def test_a_damaged_project_gets_a_sentence(edited, change):
    edited.post("/api/project/save", name="mine")
    path = edited.folder / "mine.studio.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    before = trees(edited.session)
    answer = edited.post("/api/open", path="mine.studio.json")
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]
    assert trees(edited.session) == before  # what was open stays


def test_a_model_opens_with_its_rows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "table.csv")
    assert (
        run(["fit", "table.csv", "-t", "y", "--recipe", "cart", "--max-depth", "3", "-o", "m.tree.json"]) == 0
    )
    capsys.readouterr()
    studio = Studio("m.tree.json", tmp_path)
    model = hb.load("m.tree.json")
    assert studio.session.view().tree.text() == model.tree_.text()
    studio.op(op="collapse", node=0)
    studio.post("/api/project/save", name="m")
    again = Studio(str(tmp_path / "m.studio.json"), tmp_path)
    assert trees(again.session) == trees(studio.session)
