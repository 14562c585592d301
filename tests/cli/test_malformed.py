"""Whatever stands in a file, the run ends with one sentence and the right exit code, never a traceback."""

import gzip
import json

import pytest
from tests.cli.program import process

GOOD = "age,city,class\n" + "".join(
    f"{20 + k},{'Brno' if k % 3 else 'Cheb'},{'ab'[k % 2]}\n" for k in range(30)
)


def refused(done, code, *words):
    """The run ended with an exit code and a sentence that has some words."""
    assert done.code == code, done
    assert done.out == ""
    assert done.err.splitlines()[-1] or done.err
    assert "error: " in done.err
    assert "Traceback" not in done.err
    for word in words:
        assert word in done.err, done.err


BROKEN = {
    "empty.csv": b"",
    "spaces.csv": b"\n\n  \n",
    "binary.csv": bytes(range(256)) * 40,
    "nul.csv": b"a,b\n1,2\n\x00\x00\x00,\x00\n",
    "truncated.csv.gz": gzip.compress(GOOD.encode() * 50)[:-40],
    "truncated.parquet": b"PAR1" + b"\x00" * 100,
    "no.arff": b"@relation x\n@attribute a numeric\n@data\n1,2,3\n",
    "cut.jsonl": b'{"a": 1, "class": "x"}\n{"a": 2, "cla',
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(200),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_in_one_sentence(here, name):
    here.write(name, BROKEN[name])
    for done in (here("data", name), here("fit", name, "--target", "class")):
        assert done.code == 1, (name, done)
        assert "Traceback" not in done.err
        assert [line.startswith("error: ") for line in done.err.splitlines()].count(True) == 1
        assert name.split(".")[0] in done.err


def test_a_ragged_file_says_where(here):
    here.write("ragged.csv", GOOD + "1,2,3,4,5\n")
    refused(here("fit", "ragged.csv", "--target", "class"), 1, "ragged.csv")


def test_a_row_of_a_million_columns_is_refused(here):
    here.write("wide.csv", ",".join(map(str, range(1_000_000))) + "\n")
    refused(here("data", "wide.csv"), 1, "line 1 of wide.csv has more than 100,000 cells")
    refused(here("data", "-", stdin=(here.folder / "wide.csv").read_bytes()), 1, "more than 100,000 cells")


def test_a_table_of_one_column_has_nothing_to_learn_from(here):
    here.write("one.csv", "class\na\nb\na\n")
    assert here("data", "one.csv").code == 0
    refused(here("fit", "one.csv", "--target", "class"), 1, "no column left")


def test_a_wrong_encoding_can_be_put_right(here):
    here.write("old.csv", "město,třída\nAš,a\nBrno,b\nPlzeň,a\n".encode("cp1250"))
    assert here("data", "old.csv", "--encoding", "ascii").code == 1
    done = here("data", "old.csv", "--encoding", "cp1250")
    assert done.code == 0
    assert "město" in done.out


def test_a_file_that_is_not_there(here):
    here.write("titanic.csv", GOOD)
    refused(here("data", "titanik.csv"), 1, "titanik.csv", "titanic.csv")
    refused(here("show", "titanic.tree.json"), 1, "no model 'titanic.tree.json'", "hornbeam fit")
    refused(here("fit", "demo:tenis"), 1, "did you mean 'tennis'?")


def test_a_target_that_is_not_there_says_which_was_meant(here):
    here.write("titanic.csv", GOOD.replace("class", "Survived"))
    done = here("fit", "titanic.csv", "--target", "survived")
    assert done.code == 1
    assert done.err.splitlines()[-2:] == [
        "error: column 'survived' not found in titanic.csv",
        "did you mean 'Survived'?",
    ]


def test_no_target_is_a_question_of_usage(here):
    here.write("t.csv", GOOD)
    refused(here("fit", "t.csv"), 2, "--target COL", "age, city, class")


def test_a_target_without_any_value(here):
    here.write("t.csv", "a,b\n1,\n2,\n3,\n")
    refused(here("fit", "t.csv", "--target", "b"), 1, "missing in every row")


def test_rows_without_a_target_are_left_out_and_it_is_said(here):
    here.write("t.csv", GOOD + "60,Brno,\n")
    done = here("fit", "t.csv", "--target", "class", "-o", "t.tree.json", "--format", "json")
    assert done.code == 0
    assert "missing in 1 of 31 rows, which are left out" in done.err
    assert json.loads(done.out)["rows"] == 30


@pytest.fixture
def fitted(here):
    here.write("t.csv", GOOD)
    assert here("fit", "t.csv", "--target", "class", "--pruning", "none").code == 0
    return "t.tree.json"


@pytest.mark.parametrize("command", ["predict", "evaluate", "path", "explain", "draw", "candidates"])
def test_a_column_of_the_model_that_is_missing_is_exit_code_4(here, fitted, command):
    here.write("new.csv", GOOD.replace("age", "Age"))
    extra = ["--row", "1"] if command == "explain" else []
    done = here(command, fitted, "new.csv", *extra)
    refused(done, 4, "column 'age' of the model not found in new.csv", "did you mean 'Age'?")


def test_text_where_the_model_knows_numbers_is_exit_code_4(here, fitted):
    here.write("new.csv", "age,city,class\nold,Brno,a\nyoung,Cheb,b\n")
    assert here("predict", fitted, "new.csv").code == 4
    assert here("evaluate", fitted, "new.csv").code == 4
    refused(here("explain", fitted, "age=old"), 4, "is no number")


def test_a_category_never_seen_is_no_error(here, fitted):
    here.write("new.csv", "age,city\n30,Praha\n")
    done = here("predict", fitted, "new.csv")
    assert done.code == 0
    assert done.out.splitlines()[1].startswith("30,Praha,")


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "{}",
        lambda text: "[1, 2]",
        lambda text: text.replace('"version": 2', '"version": 99'),
        lambda text: text.replace('"kind": [', '"kind": [7, '),
        lambda text: "not json",
    ],
)
@pytest.mark.parametrize("command", ["show", "predict", "export"])
def test_a_damaged_model_is_refused(here, fitted, damage, command):
    text = (here.folder / fitted).read_text(encoding="utf-8")
    here.write("bad.tree.json", damage(text))
    extra = {"predict": ["t.csv"], "export": ["sql"]}.get(command, [])
    refused(here(command, "bad.tree.json", *extra), 1, "bad.tree.json")


def test_a_model_that_remembers_damaged_things_is_refused(here, fitted):
    text = (here.folder / fitted).read_text(encoding="utf-8")
    here.write(
        "bad.tree.json", text.replace('"source": "t.csv"', '"source": "t.csv", "reading": {"nonsense": 1}')
    )
    refused(here("path", "bad.tree.json"), 1, "damaged")


def test_a_folder_is_no_table(here):
    (here.folder / "folder").mkdir()
    refused(here("data", "folder"), 1, "folder")
    refused(here("show", "folder"), 1, "folder")


def test_debug_shows_the_traceback_and_only_debug(tmp_path):
    assert "Traceback" in process("data", "nothing.csv", "--debug", cwd=tmp_path).err
    done = process("data", "nothing.csv", cwd=tmp_path)
    assert done.code == 1
    assert "Traceback" not in done.err


def test_an_output_that_cannot_be_written(here, model):
    done = here("fit", "demo:tennis", "-o", "nowhere/x.tree.json")
    assert done.code == 1
    assert "nowhere/x.tree.json" in done.err
    assert here("predict", model, "demo:tennis", "-o", "answers.strange").code == 1


def test_models_and_tables_are_told_apart(here, model):
    here.write("t.csv", GOOD)
    for command in (("fit", model, "-t", "class"), ("predict", model, model), ("evaluate", model, model)):
        refused(here(*command), 1, "tennis.tree.json is a saved model, not a table", "hornbeam show")
    refused(here("show", "t.csv"), 1, "t.csv is a table, not a model", "hornbeam fit t.csv")
    done = here("compare", "c45", "ct", "t.csv", "-t", "class")
    refused(done, 2, "'ct' is neither a saved model nor a recipe", "did you mean 'cart'?")


def test_a_folder_that_is_not_there_is_named(here, model):
    for command in (("report", model), ("draw", model), ("prune", model, "--leaves", "1")):
        refused(
            here(*command, "-o", "nowhere/x.svg"),
            1,
            "there is no folder 'nowhere' for the file 'nowhere/x.svg'",
        )


def test_the_name_of_a_model_that_was_meant_is_said(here, model):
    refused(
        here("show", "tenis.tree.json"), 1, "there is no model 'tenis.tree.json'", f"did you mean '{model}'?"
    )


def test_models_that_were_changed_after_saving_are_accepted_on_request(here, model):
    path = here.folder / model
    path.write_text(path.read_text(encoding="utf-8").replace('"Overcast"', '"Cloudy"'), encoding="utf-8")
    refused = here("show", model)
    assert refused.code == 1
    assert "does not match its checksum" in refused.err
    assert "hornbeam --edited COMMAND" in refused.err
    assert "Cloudy" in here("--edited", "show", model).out
    assert here("--edited", "evaluate", model).code == 0


@pytest.mark.parametrize(
    "command",
    ["fit d.csv -t class -o d.csv", "export m.json python -o m.json", "predict m.json d.csv -o m.json"],
)
def test_no_command_writes_over_what_it_reads(here, command):
    here.write("d.csv", GOOD)
    assert here("fit", "d.csv", "-t", "class", "-o", "m.json").code == 0
    before = {name: (here.folder / name).read_bytes() for name in ("d.csv", "m.json")}
    refused(here(*command.split()), 1, "is what this command reads", "-o")
    assert {name: (here.folder / name).read_bytes() for name in before} == before
