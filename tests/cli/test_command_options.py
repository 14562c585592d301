"""Options of the commands: reading a table, parts in brackets, classes, weights, costs and directions."""

import json

import pytest

import hornbeam as hb


def test_a_part_takes_its_numbers_in_brackets(here):
    done = here(
        "fit", "demo:tennis", "--pruning", "error-based(confidence=0.05, raising=false)", "--recipe", "c45"
    )
    assert done.code == 0, done.err
    model = hb.load(here.folder / "tennis.tree.json")
    assert model.pruning.confidence == 0.05
    assert model.pruning.raising is False


def test_every_slot_has_its_option(here):
    options = ["--criterion", "entropy", "--selection", "best", "--split", "multiway", "--leaf", "constant"]
    options += [
        "--missing-rule",
        "all-paths(vote=leaf)",
        "--pruning",
        "none",
        "--max-depth",
        "1",
        "--min-leaf",
        "2",
    ]
    assert here("fit", "demo:tennis", *options, "--seed", "3", "--jobs", "1").code == 0
    model = hb.load(here.folder / "tennis.tree.json")
    assert model.tree_.statistics()["depth"] == 1
    assert model.get_params()["missing__vote"] == "leaf"
    assert (model.n_jobs, model.min_samples_leaf) == (1, 2)
    assert model.criterion.name == "entropy"


def test_fit_says_what_it_guessed(here):
    here.write("t.csv", "x,y\n" + "".join(f"{k % 7},{k % 3}\n" for k in range(60)))
    done = here("fit", "t.csv", "--target", "y", "--format", "json")
    assert "3 classes  (guessed; --task regress for the other)" in done.err
    assert json.loads(done.out)["task"] == "classes"
    assert (
        json.loads(here("fit", "t.csv", "-t", "y", "--task", "regress", "--format", "json").out)["task"]
        == "real"
    )
    here.write("r.csv", "x,y\n" + "".join(f"{k % 7},{k / 3}\n" for k in range(60)))
    assert json.loads(here("fit", "r.csv", "-t", "y", "--format", "json").out)["task"] == "real"


def test_columns_that_only_name_rows_are_left_out_unless_declared(here):
    text = "id,name,x,y\n" + "".join(f"{k + 1},person {k * 7919},{k % 5},{'ab'[k % 2]}\n" for k in range(40))
    here.write("t.csv", text)
    done = here("fit", "t.csv", "--target", "y")
    assert "ignored as ids or free text: id, name" in done.err
    assert [c.name for c in hb.load(here.folder / "t.tree.json").tree_.columns] == ["x"]
    here("fit", "t.csv", "--target", "y", "--columns", "id=numeric")
    assert [c.name for c in hb.load(here.folder / "t.tree.json").tree_.columns] == ["id", "x"]


def test_the_held_out_rows_are_the_same_for_the_same_seed(here):
    found = []
    for seed in "1123456":
        here("fit", "demo:tennis", "--holdout", "0.3", "--seed", seed, "-o", f"{seed}.tree.json")
        found.append(here("evaluate", f"{seed}.tree.json", "--format", "json").out)
    assert found[0] == found[1]
    assert json.loads(found[0])["n"] == 4
    assert len(set(found)) > 1


def test_weights_and_counts_are_columns(here):
    here.write("t.csv", "x,n,w,y\n1,3,0.5,a\n2,1,2,b\n1,2,1,b\n")
    done = here("fit", "t.csv", "--target", "y", "--counts", "n", "--pruning", "none", "--format", "json")
    assert json.loads(done.out)["rows"] == 3
    assert hb.load(here.folder / "t.tree.json").tree_.n_rows[0] == 6
    assert here("fit", "t.csv", "--target", "y", "--weight", "w").code == 0
    assert here("evaluate", "t.tree.json").code == 0
    assert here("fit", "t.csv", "--target", "y", "--counts", "w").code == 1


def test_reading_options_reach_every_command(here):
    here.write("t.txt", "1;x;a\n2,5;y;b\n1;n.k.;a\n2,5;x;b\n")
    options = [
        "--delimiter",
        ";",
        "--no-header",
        "--decimal",
        ",",
        "--missing",
        "n.k.",
        "--input-format",
        "csv",
    ]
    done = here("data", "t.txt", *options, "--format", "json")
    assert done.code == 0, done.err
    columns = json.loads(done.out)["columns"]
    assert [c["kind"] for c in columns] == ["numeric", "nominal", "nominal"]
    assert columns[1]["n_missing"] == 1
    name = columns[2]["column"]
    assert here("fit", "t.txt", *options, "--target", name, "-o", "t.tree.json").code == 0
    assert here("candidates", "t.tree.json").code == 0, "the model remembers how its table is read"
    assert here("predict", "t.tree.json", "t.txt", *options).code == 0


def test_counts_and_weights_of_another_file_are_read_as_numbers(here):
    rows = "a,n,w,y\n1,3,0.5,p\n2,1,0.5,q\n1,0,1,q\n3,2,1.5,q\n"
    here.write("c.csv", rows)
    here.write("new.csv", rows.replace("3,2,1.5,q", "3,2,1.5,p"))
    learned = here(
        "fit", "c.csv", "-t", "y", "--counts", "n", "--drop", "w", "--recipe", "cart", "-o", "c.tree.json"
    )
    assert learned.code == 0, learned.err
    for name, warned in (("c.csv", True), ("new.csv", False)):
        done = here("evaluate", "c.tree.json", name, "--counts", "n", "--format", "json")
        assert done.code == 0, done.err
        assert json.loads(done.out)["n"] == 6
        assert ("the rows the model was fitted on" in done.err) == warned
    found = json.loads(done.out)
    assert found["confusion"] == [[3.0, 2.0], [0.0, 1.0]]
    weighed = json.loads(here("evaluate", "c.tree.json", "new.csv", "--weight", "w", "--format", "json").out)
    assert weighed["accuracy"]["value"] == pytest.approx(1.0 / 3.5)
    page = here("report", "c.tree.json", "new.csv", "--counts", "n", "-o", "c.html", "--format", "json")
    assert json.loads(page.out)["quality"][0]["n"] == 6
    page = here("report", "c.tree.json", "new.csv", "--weight", "w", "-o", "c.html")
    assert "4 rows, weighted" in page.out
    assert here("draw", "c.tree.json", "new.csv", "--counts", "n", "-o", "c.svg").code == 0
    both = here(
        "compare", "id3", "cart", "new.csv", "-t", "y", "--counts", "n", "--cv", "2", "--format", "json"
    )
    assert json.loads(both.out)["n"] == 6


def test_excluded_columns_are_remembered_by_the_model(here):
    rows = [(f"n{k}", k % 5, "yes" if k % 5 > 2 else "no", k % 5 > 2) for k in range(60)]
    here.write("t.csv", "name,x,alive,y\n" + "".join(f"{a},{b},{c},{int(d)}\n" for a, b, c, d in rows))
    done = here("fit", "t.csv", "-t", "y", "--exclude", "alive", "--recipe", "cart")
    assert "ignored as ids or free text: name" in done.err
    model = hb.load(here.folder / "t.tree.json")
    assert model.exclude == ["alive", "name"]
    assert [column.name for column in model.tree_.columns] == ["x"]
    assert here("evaluate", "t.tree.json", "--cv", "5").code == 0
    assert here("predict", "t.tree.json", "t.csv").code == 0
    assert here("evaluate", "t.tree.json", "--exclude", "x").code == 2
    assert "not found" in here("fit", "t.csv", "-t", "y", "--exclude", "alife").err
    assert here("compare", "id3", "cart", "t.csv", "-t", "y", "--exclude", "alive", "--cv", "3").code == 0


def test_a_column_that_tells_the_target_is_pointed_out_once(here):
    text = "".join(f"{k * 37 % 11},{'yes' if k % 3 else 'no'},{min(k % 3, 1)}\n" for k in range(90))
    here.write("t.csv", "x,alive,y\n" + text)
    done = here("fit", "t.csv", "-t", "y")
    assert done.err.count("column 'alive' tells the target alone") == 1
    assert "--exclude alive" in done.err


@pytest.mark.parametrize("task", ["regress", "density"])
@pytest.mark.parametrize("option", [["--aim", "auc"], ["--sums"]])
def test_options_of_trees_of_classes_are_refused_for_others(here, task, option):
    done = here("fit", "demo:hours", "--task", task, *option)
    assert done.code == 2
    assert f"{option[0]} is for trees of classes" in done.err


def test_weights_priors_costs_and_directions_reach_the_estimator(here):
    rows = "".join(f"{k % 10},{k * 7 % 13},{'ill' if k % 10 > 6 and k % 3 else 'a:b'}\n" for k in range(60))
    here.write("t.csv", "x,z,y\n" + rows)
    options = ["--class-weight", "ill=3", "--increasing", "x", "--decreasing", "z"]
    assert here("fit", "t.csv", "-t", "y", *options, "--recipe", "cart").code == 0
    params = hb.load(here.folder / "t.tree.json").get_params()
    assert params["class_weight"] == {"ill": 3.0}
    assert params["monotonic_cst"] == {"x": 1, "z": -1}
    assert (
        here(
            "fit", "t.csv", "-t", "y", "--cost", "ill:a:b=5", "--prior", "ill=0.1", "--prior", "a:b=0.9"
        ).code
        == 0
    )
    params = hb.load(here.folder / "t.tree.json").get_params()
    assert params["costs"] == {"ill": {"a:b": 5.0}}
    assert params["priors"] == {"ill": 0.1, "a:b": 0.9}
    assert here("fit", "t.csv", "-t", "y", "--class-weight", "balanced").code == 0  # auto takes it


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--cost", "ill=5"], "--cost: 'ill' is no class of the target"),
        (["--cost", "No:Yes"], "--cost 'No:Yes' must be TRUE:ANSWER=COST"),
        (["--prior", "Yess=0.5"], "did you mean 'Yes'?"),
        (["--class-weight", "Yes"], "--class-weight 'Yes' must be CLASS=NUMBER"),
        (["--increasing", "outlook"], "did you mean 'Outlook'?"),
        (["--increasing", "Wind", "--decreasing", "Wind"], "--increasing Wind and --decreasing Wind"),
    ],
)
def test_wrong_options_about_classes_and_directions_are_named(here, option, said):
    done = here("fit", "demo:tennis", *option)
    assert done.code in (1, 2)
    assert said in done.err


@pytest.mark.parametrize("option", [["--cost", "a:b=2"], ["--prior", "a=1"], ["--class-weight", "balanced"]])
def test_options_about_classes_are_refused_for_numbers(here, option):
    done = here("fit", "demo:hours", "--task", "regress", *option)
    assert done.code == 2
    assert f"{option[0]} is for trees of classes" in done.err


def test_an_optimal_tree_is_fitted_with_what_is_proven_about_it(here):
    done = here("fit", "demo:tennis", "--search", "optimal", "--max-depth", "2", "-o", "t.tree.json")
    assert done.code == 0, done.err
    sentence = "on these 14 rows; greedy growth makes"
    assert sentence in here("show", "t.tree.json").out
    assert hb.load("t.tree.json").certificate_.status == "optimal"
    ahead = here("fit", "demo:tennis", "--search", "lookahead(depth=3)", "--max-depth", "2")
    assert ahead.code == 0, ahead.err
