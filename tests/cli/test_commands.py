"""What the commands answer, in this process: on every bundled table, in every format."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

import hornbeam as hb
from hornbeam.cli.app import COMMANDS
from hornbeam.studio.project import save_project
from hornbeam.studio.session import Session

ROOT = Path(__file__).parents[2]
TABLES = [name for name in hb.datasets.names() if hb.datasets.load(name).y is not None]


@pytest.mark.parametrize("name", TABLES)
def test_the_main_job_works_on_every_bundled_table(here, name):
    source, model = f"demo:{name}", f"{name}.tree.json"
    assert here("data", source).code == 0
    fitted = here("fit", source, "--pruning", "none", "--format", "json")
    assert fitted.code == 0, fitted.err
    facts = json.loads(fitted.out)
    assert facts["model"] == model
    assert facts["target"] == hb.datasets.load(name).target
    tree = hb.load(here.folder / model).tree_
    assert facts["leaves"] == tree.n_leaves
    for arguments in (
        ["show", model],
        ["show", model, "--rules"],
        ["candidates", model],
        ["evaluate", model],
    ):
        done = here(*arguments)
        assert done.code == 0, (arguments, done.err)
        assert done.out
    rows = list(csv.DictReader(io.StringIO(here("predict", model, source).out)))
    assert len(rows) == hb.datasets.load(name).n_rows
    assert {"prediction", "leaf"} <= set(rows[0])
    assert here("explain", model, source, "--row", "1").code == 0
    assert here("path", model, "--cv", "0").code == 0


@pytest.mark.parametrize("name", TABLES)
def test_predictions_are_those_of_the_model(here, name):
    assert here("fit", f"demo:{name}", "--pruning", "none").code == 0
    model, sheet = hb.load(here.folder / f"{name}.tree.json"), hb.read_table(f"demo:{name}")
    done = here("predict", f"{name}.tree.json", f"demo:{name}", "--format", "jsonl", "--batch", "3")
    found = [json.loads(line) for line in done.out.splitlines()]
    expected = model.predict(sheet.data).tolist()
    assert [row["prediction"] for row in found] == expected
    assert [row["leaf"] for row in found] == model.apply(sheet.data).tolist()
    if model.tree_.task == "classes":
        shares = model.predict_proba(sheet.data)
        for k, label in enumerate(model.classes_.tolist()):
            assert [row[f"probability_{label}"] for row in found] == shares[:, k].tolist()


def answers(here):
    """An answer of each command, as arguments; `tennis.tree.json` is there."""
    (here.folder / "second.tree.json").write_bytes((here.folder / "tennis.tree.json").read_bytes())
    save_project(Session.open("demo:tennis"), here.folder / "tennis.studio.json")
    return {
        "data": ["data", "demo:tennis"],
        "fit": ["fit", "demo:tennis", "-o", "again.tree.json", "--holdout", "0.3"],
        "show": ["show", "tennis.tree.json"],
        "rules": ["show", "tennis.tree.json", "--rules"],
        "candidates": ["candidates", "tennis.tree.json", "--work"],
        "explain": ["explain", "tennis.tree.json", "demo:tennis", "--row", "1"],
        "key": ["key", "tennis.tree.json", "--answer", "Sunny", "--answer", "High"],
        "predict": ["predict", "tennis.tree.json", "demo:tennis"],
        "evaluate": ["evaluate", "tennis.tree.json", "demo:tennis", "--fail-under", "accuracy=0.1"],
        "stability": ["stability", "tennis.tree.json", "-n", "5"],
        "path": ["path", "tennis.tree.json", "--cv", "4"],
        "prune": ["prune", "tennis.tree.json", "--leaves", "3", "-o", "small.tree.json"],
        "compare": ["compare", "tennis.tree.json", "second.tree.json", "demo:tennis"],
        "draw": ["draw", "tennis.tree.json"],
        "export": ["export", "tennis.tree.json", "sql"],
        "report": ["report", "tennis.tree.json", "-o", "tennis.html"],
        "replay": ["replay", "tennis.studio.json"],
        "demo": ["demo"],
        "reproduce": ["reproduce", "cs178"],
        "theory": ["theory", "vc-boolean", "5", "10"],
        "doctor": ["doctor"],
    }


def test_every_answer_has_four_formats_and_a_documented_schema(here, model):
    documented = (ROOT / "docs" / "reference" / "cli-json.md").read_text(encoding="utf-8")
    for name, arguments in answers(here).items():
        done = here(*arguments, "--format", "json")
        assert done.code == 0, (name, done.err)
        found = json.loads(done.out)
        assert found.pop("schema") == f"hornbeam/{name}/1"
        section = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", documented, re.M | re.S)
        assert section, f"{name} is not documented in cli-json.md"
        known = set(re.findall(r"^\| `(\w+)`", section[1], re.M))
        assert set(found) <= known, (name, set(found) - known)
        for form in ("csv", "markdown", "text"):
            done = here(*arguments, "--format", form)
            assert done.code == 0, (name, form, done.err)
            assert done.out.strip(), (name, form)
        if name not in ("draw", "export"):
            table = list(csv.reader(io.StringIO(here(*arguments, "--format", "csv").out)))
            assert {len(row) for row in table} == {len(table[0])}, name
    assert set(COMMANDS) - {"studio"} <= {*answers(here)}  # it serves until it is ended: see tests/studio


def test_the_talk_goes_to_stderr_and_quiet_ends_it(here):
    done = here("fit", "demo:tennis", "-o", "a.tree.json")
    assert "read demo:tennis" in done.err
    assert "read demo" not in done.out
    assert done.out.startswith("Outlook?  █")  # the tree itself, then how large and how good it is
    assert "\n✓ 7 leaves" in done.out
    quiet = here("fit", "demo:tennis", "-o", "a.tree.json", "--quiet")
    assert quiet.err == ""
    assert quiet.out == done.out


def test_an_automatic_tree_says_at_its_end_how_good_it_was_on_rows_held_out(here):
    (here.folder / "steps.csv").write_text(
        "\n".join(["size,y", *(f"{k % 20},{'a' if k % 20 < 9 + k % 3 else 'b'}" for k in range(80))])
    )
    told = json.loads(here("fit", "steps.csv", "--target", "y", "--format", "json").out)
    error = told["on_folds"]["error"]
    assert 0 <= error["value"] < 0.5
    assert error["standard_error"] > 0
    last = here("fit", "steps.csv", "--target", "y").out
    assert f"on rows held out: error {100 * error['value']:.1f} % ± " in " ".join(last.split())


def test_a_recipe_is_cross_validated_unless_rows_are_held_out(here):
    told = json.loads(here("fit", "demo:tennis", "--recipe", "id3", "--format", "json").out)
    again = json.loads(here("evaluate", "tennis.tree.json", "--cv", "10", "--format", "json").out)
    measured = told["cross_validated"]["error"]
    assert told["folds"] == 10
    assert measured["value"] == pytest.approx(1 - again["accuracy"]["value"], abs=1e-12)
    assert measured["low"] < measured["value"] < measured["high"]
    assert "cross-validated error 28.6 %" in here("fit", "demo:tennis", "--recipe", "id3").out
    held = here("fit", "demo:tennis", "--recipe", "id3", "--holdout", "0.3", "--format", "json")
    assert "cross_validated" not in json.loads(held.out)
    slow = here("fit", "demo:tennis", "--search", "optimal", "--max-depth", "2", "--format", "json")
    assert "cross_validated" not in json.loads(slow.out)


def test_fit_prints_at_most_twelve_lines_of_the_tree(here):
    done = here("fit", "demo:tennis", "--recipe", "cart")
    lines = [line for line in done.out.splitlines() if "n=" in line]
    assert len(lines) == 9  # of 13 nodes
    assert sum("2 nodes below" in line for line in lines) == 2


def test_a_gate_that_is_not_met_is_exit_code_3(here, model):
    done = here(
        "evaluate", model, "demo:tennis", "--cv", "7", "--fail-under", "accuracy=0.99", "--format", "json"
    )
    assert done.code == 3
    assert json.loads(done.out)["gate"] == {"accuracy": 0.99, "met": False}
    assert here("evaluate", model, "demo:tennis", "--fail-under", "log_loss=0.5").code == 0


def test_a_worse_model_fails_the_comparison_if_asked(here):
    here.write("t.csv", "x,y\n" + "".join(f"{k % 10},{'ab'[k % 10 > 4]}\n" for k in range(200)))
    here("fit", "t.csv", "--target", "y", "-o", "good.tree.json")
    here.write("u.csv", "x,y\n" + "".join(f"{k % 10},{'ba'[k % 10 > 4]}\n" for k in range(200)))
    here("fit", "u.csv", "--target", "y", "-o", "bad.tree.json")
    assert here("compare", "good.tree.json", "bad.tree.json", "t.csv").code == 0
    assert here("compare", "good.tree.json", "bad.tree.json", "t.csv", "--fail-if-worse").code == 3
    assert here("compare", "bad.tree.json", "good.tree.json", "t.csv", "--fail-if-worse").code == 0


def test_a_model_is_known_by_what_it_holds_not_by_its_name(here, model):
    (here.folder / "plain").write_bytes((here.folder / model).read_bytes())
    assert here("candidates", "plain", "--node", "2").code == 0
    assert here("compare", "plain", model, "demo:tennis").code == 0
    here.write("rows.json", '{"a": 1, "y": "u"}\n{"a": 2, "y": "v"}\n')
    assert here("candidates", "rows.json", "--target", "y", "--input-format", "jsonl").code == 0


def test_pruning_remembers_where_the_rows_are(here, model):
    assert here("prune", model, "--leaves", "3", "-o", "small.tree.json").code == 0
    small = hb.load(here.folder / "small.tree.json")
    assert small.tree_.n_leaves <= 3
    assert here("candidates", "small.tree.json").code == 0
    assert here("prune", model, "--one-se", "-o", "one.tree.json").code == 0
    assert (
        here("prune", model, "--method", "reduced-error", "--data", "demo:tennis", "-o", "two.tree.json").code
        == 0
    )
    assert here("prune", model, "--method", "reduced-error", "-o", "three.tree.json").code == 2


def test_predict_keeps_other_columns_as_they_are_and_writes_by_ending(here, model):
    here.write(
        "new.csv", 'id,Wind,Outlook,Humidity,Temperature\n007,Weak,Sunny,High,Hot\n"1,5",?,Rain,Normal,Mild\n'
    )
    done = here("predict", model, "new.csv")
    assert (
        done.out.splitlines()[0]
        == "id,Wind,Outlook,Humidity,Temperature,prediction,probability_No,probability_Yes,leaf"
    )
    assert done.out.splitlines()[1].startswith('"007",') or done.out.splitlines()[1].startswith("007,")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["id"] for row in rows] == ["007", "1,5"]
    assert rows[0]["prediction"] == "No"
    for ending in ("csv", "tsv", "json", "jsonl", "md", "txt", "parquet", "feather", "arff", "xlsx", "mat"):
        if ending == "xlsx":
            pytest.importorskip("openpyxl", reason="writing Excel files needs openpyxl")
        assert here("predict", model, "new.csv", "-o", f"out.{ending}").code == 0, ending
        assert (here.folder / f"out.{ending}").stat().st_size > 0
    for ending in ("csv", "tsv", "jsonl", "parquet", "feather", "arff"):
        back = hb.read_table(here.folder / f"out.{ending}", columns=None)
        assert [str(v) for v in back.data["prediction"].to_pylist()] == [row["prediction"] for row in rows]


def test_predict_keeps_the_names_of_columns_that_are_taken(here, model):
    here.write("new.csv", "prediction,Wind,Outlook,Humidity,Temperature\nold,Weak,Sunny,High,Hot\n")
    assert "prediction_2" in here("predict", model, "new.csv").out.splitlines()[0]


def test_rows_come_from_stdin_and_a_model_goes_to_stdout(here):
    table = b"x,y\n" + b"".join(b"%d,%s\n" % (k % 4, b"ab"[k % 2 : k % 2 + 1]) for k in range(20))
    done = here("fit", "-", "--target", "y", "-o", "-", stdin=table)
    assert done.code == 0, done.err
    assert json.loads(done.out)["format"] == "hornbeam-tree"
    here.write("m.tree.json", done.out)
    assert here("fit", "-", "--target", "y", stdin=table).code == 2
    answered = here("predict", "m.tree.json", "-", stdin=b"x\n1\n0\n")
    assert [line.split(",")[1] for line in answered.out.splitlines()] == ["prediction", "b", "a"]


def test_a_density_tree_is_fitted_shown_and_predicts(here):
    done = here("fit", "demo:pinwheel", "--task", "density", "--max-depth", "2", "-o", "d.tree.json")
    assert done.code == 0, done.err
    assert here("show", "d.tree.json").code == 0
    assert "prediction" in here("predict", "d.tree.json", "demo:pinwheel").out
    assert here("evaluate", "d.tree.json", "demo:pinwheel").code == 1


def test_a_table_without_a_target_can_be_looked_at_and_its_density_learned(here):
    done = here("data", "demo:huffman")
    assert done.code == 0
    assert "no target yet" in done.out
    assert here("fit", "demo:huffman").code == 2
    assert here("fit", "demo:huffman", "--task", "density").code == 0


def test_the_key_asks_and_takes_unknown_for_an_answer(here, model):
    done = here("key", model, stdin=b"Sunny\n?\n")
    assert done.code == 0
    assert done.out.startswith("Play = No  60 %")
    by_number = here("key", model, "--format", "json", stdin=b"3\nHigh\n")
    assert json.loads(by_number.out)["answer"] == "No"
    assert json.loads(by_number.out)["asked"][0] == {"column": "Outlook", "answer": "Sunny"}
    cut_short = here("key", model, stdin=b"")
    assert cut_short.out.startswith("Play = Yes  64 %")
    assert here("key", model, "--answer", "Snowy").code == 1


def test_show_takes_a_node_and_a_depth(here, model):
    assert len(here("show", model, "--node", "3", "--bars", "0").out.splitlines()) < 6
    assert "nodes below" in here("show", model, "--depth", "0").out
    assert here("show", model, "--node", "99").code == 1
    nodes = json.loads(here("show", model, "--format", "json").out)["nodes"]
    assert len(nodes) == 8
    assert nodes[0]["test"] == "Outlook"


@pytest.mark.parametrize("width", [50, 66, 80, 120])
def test_answers_fit_the_terminal(here, model, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for arguments in (
        ["show", model],
        ["candidates", model],
        ["explain", model, "Outlook=Sunny"],
        ["fit", "demo:tennis", "--holdout", "0.4", "-o", "x.tree.json"],
    ):
        done = here(*arguments, "--quiet")
        assert done.code == 0
        assert max(map(len, done.out.splitlines())) <= width, (arguments, done.out)
    bars = "█" in here("candidates", model).out
    assert bars == (width > 90)


def test_candidates_prints_the_arithmetic_of_the_lecture(here):
    done = here("candidates", "demo:tennis", "--recipe", "id3", "--work", "--column", "Outlook")
    assert "5/14·H(2,3)" in done.out
    assert "= 0.2467 bits" in done.out


def test_new_rows_are_read_as_the_rows_learned_from(here):
    days = [f"{1 + k % 28}/{1 + k % 12}/2024" for k in range(84)]
    rows = [f'"${1000 + 37 * k:,}",{days[k]},{k % 7}%,{"yes" if k > 40 else "no"}\n' for k in range(84)]
    here.write("t.csv", "pay,day,rate,y\n" + "".join(rows))
    done = here("fit", "t.csv", "-t", "y", "--recipe", "cart")
    assert "column 'pay': read as numbers, without the sign $" in done.err
    assert "column 'day': read as dates, %d/%m/%Y" in done.err
    model = hb.load(here.folder / "t.tree.json")
    assert [column.kind for column in model.tree_.columns] == ["numeric"] * 3
    here.write("new.csv", 'pay,day,rate\n"$1,037",3/4/2024,5%\n"$3,997",3/4/2024,5%\n')
    answer = here("predict", "t.tree.json", "new.csv", "--format", "csv").out
    lines = [line.split(",") for line in answer.splitlines()]
    assert lines[0][:4] == ["pay", "day", "rate", "prediction"]
    assert [line[:4] for line in lines[1:]] == [
        ["1037", "2024-04-03 00:00:00.000000", "5", "no"],
        ["3997", "2024-04-03 00:00:00.000000", "5", "yes"],
    ]
    assert here("evaluate", "t.tree.json", "t.csv").code == 0
    assert "read as numbers" in here("data", "t.csv").out


def test_stability_is_told_of_the_rows_named_or_fitted_on(here):
    here("fit", "demo:tennis", "--recipe", "id3", "-o", "t.tree.json")
    told = here("stability", "t.tree.json", "-n", "20", "--seed", "3")
    named = here("stability", "t.tree.json", "demo:tennis", "-n", "20", "--seed", "3")
    assert told.code == 0
    assert told.out == named.out
    assert told.out.startswith("20 trees grown again, each on 14 rows drawn with replacement")
    table = here("stability", "t.tree.json", "-n", "20", "--format", "csv").out.splitlines()
    assert table[0] == "node,depth,test,chosen,reached,others,low,high,values"
    assert len(table) == 4
    short = here("stability", "t.tree.json", "-n", "500", "--time-limit", "0.000001", "--format", "json")
    assert short.code == 0
    assert json.loads(short.out)["n"] < json.loads(short.out)["asked"] == 500
    assert "time_limit was over after" in short.err
    here("fit", "demo:pinwheel", "--task", "density", "-o", "d.tree.json")
    assert here("stability", "d.tree.json", "demo:pinwheel").code == 1
