"""A process that is killed or interrupted while it writes leaves the old file or the new one, whole."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.program import MODULE, environment
from tests.support.disk_calls import OLD, WRITERS, CommandFailed, command, prepared

import hornbeam as hb

ROOT = Path(__file__).parents[2]
QUICK = ["m.tree.json", "t.names", "rows.csv"]
TIMED = {"t.xlsx", "rows.xlsx"}  # they hold the time of their making
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions, links and signals")


def kill_writers(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.kill_writers", folder, *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "names", [QUICK, pytest.param(sorted({*WRITERS} - {*QUICK} - TIMED), marks=pytest.mark.slow)]
)
def test_killed_at_any_call_a_writer_leaves_the_old_file_or_the_new_one(names, tmp_path):
    for name, left in kill_writers(tmp_path, "calls", *names).items():
        assert set(left) == ({"oo", "no", "nn"} if name == "t.names" else {"o", "n"})
        assert sum(left.values()) >= 8
        assert left.get("no", 0) <= 1  # only between the two renames


@pytest.mark.parametrize("n", [20, pytest.param(600, marks=pytest.mark.slow)])
def test_killed_at_any_moment_a_save_leaves_the_old_model_or_the_new_one(n, tmp_path):
    seen = kill_writers(tmp_path, "random", n)
    assert seen["small"] + seen["large"] == n
    assert n < 100 or seen["temporary"] > 10  # many kills hit while a file was written


@pytest.fixture
def folder(tmp_path):
    return prepared(tmp_path)


def test_predictions_may_replace_the_rows_they_are_for(folder):
    rows = folder / "rows.csv"
    rows.write_text("size\n1\n3\n")
    command("predict", folder.parent / "m.tree.json", rows, "-o", rows)
    assert hb.read_table(rows).data.column("size").to_pylist() == [1, 3]


def test_rows_that_fail_later_leave_the_old_predictions(folder):
    bad = folder.parent / "bad.jsonl"
    bad.write_text('{"size": 1}\n' * 3000 + '{"size": \n')
    (folder / "rows.csv").write_bytes(OLD)
    with pytest.raises(CommandFailed, match=r"^bad\.jsonl cannot be read"):
        command("predict", folder.parent / "m.tree.json", bad, "--batch", 1000, "-o", folder / "rows.csv")
    assert (folder / "rows.csv").read_bytes() == OLD
    assert [one.name for one in folder.iterdir()] == ["rows.csv"]


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_ctrl_c_while_predicting_leaves_the_old_predictions(name, folder):
    (folder / name).write_bytes(OLD)
    (folder.parent / "many.csv").write_text("size\n" + "1.5\n" * 400_000)
    child = subprocess.Popen(
        [*MODULE, "predict", "../m.tree.json", "../many.csv", "--batch", "100", "-o", name],
        cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 120
        while max(one.stat().st_size for one in folder.iterdir()) < 1000 and time.monotonic() < deadline:
            time.sleep(0.01)  # until some of the rows are in the temporary file
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=30) == 130
        said = child.stderr.read()
    finally:
        child.kill()
        child.stderr.close()
    assert said.strip() == "error: interrupted"
    assert (folder / name).read_bytes() == OLD
    assert [one.name for one in folder.iterdir()] == [name]
