"""The command line in a pseudo-terminal: colour, width, progress, the key, Ctrl-C."""

import os
import re
import shlex

import numpy as np
import pytest
from tests.cli.program import MODULE, environment
from tests.support.selection import some

import hornbeam as hb

pexpect = pytest.importorskip("pexpect", reason="pseudo-terminals are driven by pexpect")
pyte = pytest.importorskip("pyte", reason="terminals are imitated by pyte")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are those of POSIX systems")


def spawned(folder, *arguments, width=80, **extra):
    """A run in a terminal so wide."""
    variables = environment(**extra)
    return pexpect.spawn(
        MODULE[0], [*MODULE[1:], *map(str, arguments)],
        cwd=str(folder), env=variables, dimensions=(40, width), encoding="utf-8", timeout=60,
    )  # fmt: skip


def screen_of(text, width):
    """What stands on the screen in the end."""
    screen = pyte.Screen(width, 40)
    pyte.Stream(screen).feed(text)
    return screen


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("terminal")
    rng = np.random.default_rng(1)
    X = {"a rather long name of a column": rng.random(400), "city": rng.choice(["Brno", "Cheb", "Aš"], 400)}
    y = np.where(X["a rather long name of a column"] + (X["city"] == "Aš") > rng.random(400) * 2, "yes", "no")
    hb.save(hb.TreeClassifier(max_depth=3).fit(X, y), made / "long.tree.json")
    tennis = hb.datasets.load("tennis")
    hb.save(hb.id3().fit(tennis.X, tennis.y), made / "tennis.tree.json")
    return made


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_tree_is_coloured_and_fits_the_terminal(folder, width):
    run = spawned(folder, "show", "long.tree.json", width=width)
    text = run.read()
    run.close()
    assert run.exitstatus == 0
    screen = screen_of(text, width)
    lines = [line.rstrip() for line in screen.display if line.strip()]
    assert len(lines) <= 15 + 2
    assert all(len(line) <= width for line in lines)
    assert sum(line.lstrip("│ ├└─").startswith(("≤", ">", "=", "in")) for line in lines) == 14, (
        "no line was broken"
    )
    colours = {cell.fg for row in screen.buffer.values() for cell in row.values()}
    assert len(colours) > 2


@pytest.mark.parametrize("extra", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_there_is_no_colour_where_none_is_wanted(folder, extra):
    run = spawned(folder, "show", "tennis.tree.json", **extra)
    text = run.read()
    run.close()
    assert "\x1b[" not in text
    assert "Outlook?" in text


def test_the_key_asks_in_the_terminal_and_asks_again(folder):
    run = spawned(folder, "key", "tennis.tree.json", NO_COLOR="1")
    run.expect_exact("Outlook?")
    run.expect_exact("3 Sunny")
    run.expect_exact("> ")
    run.sendline("Snowy")
    run.expect_exact("'Snowy' is no value of 'Outlook'")
    run.expect_exact("> ")
    run.sendline("3")
    run.expect_exact("Humidity?")
    run.expect_exact("> ")
    run.sendline("back")
    run.expect_exact("Outlook?")
    run.expect_exact("> ")
    run.sendline("?")
    run.expect_exact("> ")
    run.sendline("Weak")
    run.expect_exact("> ")
    run.sendline("Normal")
    run.expect(pexpect.EOF)
    run.close()
    assert run.exitstatus == 0
    assert "Yes  100 %" in run.before


def test_ctrl_c_at_a_question_is_exit_code_130(folder):
    run = spawned(folder, "key", "tennis.tree.json", NO_COLOR="1")
    run.expect_exact("> ")
    run.sendintr()
    rest = run.read()
    run.close()
    assert run.exitstatus == 130
    assert "Traceback" not in rest


def test_short_work_shows_no_progress(folder):
    run = spawned(folder, "fit", "demo:tennis", "-o", "short.tree.json", NO_COLOR="1")
    text = run.read()
    run.close()
    assert run.exitstatus == 0
    assert "growing" not in text


def test_long_work_shows_progress_and_ctrl_c_saves_what_is_there(tmp_path):
    rng = np.random.default_rng(0)
    n = 400_000
    columns = {f"x{k}": rng.random(n, dtype=np.float32) for k in range(12)} | {"y": rng.integers(0, 2, n)}
    hb.write_table(columns, tmp_path / "long.parquet")
    run = spawned(
        tmp_path, "fit", "long.parquet", "-t", "y", "--pruning", "none", "-o", "long.tree.json", width=100
    )
    run.expect_exact("growing")
    run.expect("%")
    run.sendintr()
    rest = run.read()
    run.close()
    assert run.exitstatus == 130
    assert "Traceback" not in rest
    assert "long.partial.tree.json" in rest
    assert hb.load(tmp_path / "long.partial.tree.json").n_rows[0] == n


@pytest.fixture(scope="module")
def long_table(tmp_path_factory):
    made = tmp_path_factory.mktemp("long")
    rng = np.random.default_rng(0)
    n = 60_000
    columns = {f"x{k}": rng.random(n, dtype=np.float32) for k in range(12)} | {"y": rng.integers(0, 2, n)}
    hb.write_table(columns, made / "long.parquet")
    some = {name: values[:99] for name, values in columns.items()}
    y = some.pop("y")
    hb.save(hb.TreeClassifier().fit(some, y), made / "m.tree.json")
    return made


FOLDS = {
    "evaluate": ("evaluate", "m.tree.json", "long.parquet", "-t", "y", "--cv", "40"),
    "compare": ("compare", "cart", "c45", "long.parquet", "-t", "y", "--cv", "40"),
}


@pytest.mark.parametrize("command", some(FOLDS, of=["evaluate"]))
def test_long_cross_validation_shows_progress_and_ctrl_c_ends_it_with_a_sentence(long_table, command):
    run = spawned(long_table, *FOLDS[command], width=100)
    run.expect_exact("cross-validating")
    run.expect("%")
    run.sendintr()
    rest = run.read()
    run.close()
    assert run.exitstatus == 130
    assert "Traceback" not in rest
    lines = [line.rstrip() for line in screen_of(rest, 100).display if line.strip()]
    assert re.search(
        r"error: interrupted while cross-validating( \(\d+ % done\))?: there is no answer", lines[-1]
    ), rest


@pytest.mark.slow
def test_long_prediction_counts_rows_unless_they_are_printed(long_table):
    many = ("predict", "m.tree.json", "long.parquet", "--batch", "50")
    run = spawned(long_table, *many, "-o", "answers.csv", width=100)
    text = run.read()
    run.close()
    assert run.exitstatus == 0
    assert re.search(r"predicting  [\d,]+ rows", text)
    lines = [line.rstrip() for line in screen_of(text, 100).display if line.strip()]
    assert lines == ["saved answers.csv  60,000 rows"]
    run = spawned(long_table, *many)
    assert "predicting" not in run.read()


def test_output_that_goes_elsewhere_is_plain_even_in_a_terminal(folder):
    line = shlex.join([*MODULE, "show", "tennis.tree.json"])
    run = pexpect.spawn(
        "/bin/sh", ["-c", f"{line} | cat"], cwd=str(folder), env=environment(), encoding="utf-8", timeout=60
    )
    text = run.read()
    run.close()
    assert "\x1b[" not in text
    assert "Outlook?" in text
