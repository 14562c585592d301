"""The command line as a process of its own: exit codes, pipes, encodings, signals, memory."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from tests.cli.program import MODULE, SCRIPT, environment, process

import hornbeam as hb


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a model of the tennis table."""
    made = tmp_path_factory.mktemp("models")
    tennis = hb.datasets.load("tennis")
    hb.save(hb.id3().fit(tennis.X, tennis.y), made / "tennis.tree.json")
    return made


def test_the_version_is_that_of_the_package(tmp_path):
    done = process("--version", cwd=tmp_path)
    assert done == (0, f"hornbeam {hb.__version__}\n", "")


@pytest.mark.skipif(not SCRIPT.exists(), reason="the script is not installed beside this Python")
def test_the_script_is_the_module(tmp_path):
    done = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == f"hornbeam {hb.__version__}\n"


def test_a_reader_that_has_enough_ends_the_run_without_a_word(folder):
    writer = subprocess.Popen(
        [*MODULE, "predict", "tennis.tree.json", "demo:tennis", "--batch", "1"],
        cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    writer.stdout.close()
    said = writer.stderr.read()
    writer.stderr.close()
    assert writer.wait(timeout=60) == 0
    assert said == b""


def test_without_utf8_everything_is_ascii(folder):
    for arguments in (["fit", "demo:tennis", "-o", "x.tree.json"], ["show", "tennis.tree.json"]):
        done = process(*arguments, cwd=folder, PYTHONIOENCODING="ascii")
        assert done.code == 0, done.err
        assert done.out.isascii()
        assert done.err.isascii()
        assert "?" not in done.out.replace("Outlook?", "").replace("Wind?", "").replace("Humidity?", "")
    assert "|-- = Overcast" in done.out


def test_what_machines_read_is_utf8_whatever_the_terminal(folder):
    done = process("reproduce", "tax", "--format", "csv", cwd=folder, PYTHONIOENCODING="ascii")
    assert "Póczos" in done.out
    assert "P?czos" in process("reproduce", "tax", cwd=folder, PYTHONIOENCODING="ascii").out


@pytest.mark.parametrize(
    ("variables", "option", "coloured"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
    ],
)
def test_colour_follows_the_option_then_the_environment(
    here, model, variables, option, coloured, monkeypatch
):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in here("show", model, *option).out) == coloured


@pytest.mark.parametrize(
    ("command", "slow"),
    [
        (["show", "tennis.tree.json"], "sklearn scipy joblib pandas pyarrow narwhals"),
        (["explain", "tennis.tree.json", "Outlook=Sunny", "Wind=Weak"], "sklearn scipy joblib pandas"),
        (["predict", "tennis.tree.json", "rows.csv"], "sklearn scipy joblib"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_reading_a_tree_imports_nothing_that_learns(folder, command, slow):
    (folder / "rows.csv").write_text("Outlook,Humidity,Wind,Temperature\nSunny,High,Weak,Hot\n")
    code = (
        f"import sys; from hornbeam.cli import main; main({command!r});"
        f"print(*sorted({{*{slow.split()!r}}} & {{*sys.modules}}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == []
    assert done.stdout


def test_asking_for_the_version_imports_not_even_numpy(folder):
    code = "import sys; from hornbeam.cli import main; main(['--version']); print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"


def test_json_is_for_machines_whatever_the_terminal(folder):
    done = process("show", "tennis.tree.json", "--format", "json", "--color", "always", cwd=folder)
    assert json.loads(done.out)["schema"] == "hornbeam/show/1"


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
def test_ctrl_c_ends_the_wait_for_a_silent_pipe(folder):
    head = b"Outlook,Temperature,Humidity,Wind\n"
    child = subprocess.Popen(
        [*MODULE, "predict", "tennis.tree.json", "-", "-o", "said.csv"],
        cwd=folder, env=environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        child.stdin.write(head + b"Sunny,Hot,High,Weak\n" * 200_000)  # Arrow reads ahead, and waits for more
        child.stdin.flush()
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=30) == 130
        assert b"interrupted" in child.stderr.read()
    finally:
        child.kill()
        child.stdin.close()
        child.stderr.close()
    assert not list(folder.glob("*said*"))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
def test_ctrl_c_while_growing_saves_the_tree_so_far(tmp_path):
    rng = np.random.default_rng(0)
    n = 400_000
    columns = {f"x{k}": rng.random(n, dtype=np.float32) for k in range(12)} | {"y": rng.integers(0, 2, n)}
    hb.write_table(columns, tmp_path / "long.parquet")
    child = subprocess.Popen(
        [*MODULE, "fit", "long.parquet", "--target", "y", "--pruning", "none", "-o", "long.tree.json"],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        for line in child.stderr:
            if line.startswith("target"):
                break
        time.sleep(0.7)
        assert child.poll() is None, "the fit was over before it could be interrupted"
        child.send_signal(signal.SIGINT)
        said = child.stderr.read()
        assert child.wait(timeout=30) == 130
        assert child.stdout.read() == ""
    finally:
        child.kill()
        child.stdout.close()
        child.stderr.close()
    assert "Traceback" not in said
    assert "saved as long.partial.tree.json" in said
    assert not (tmp_path / "long.tree.json").exists()
    tree = hb.load(tmp_path / "long.partial.tree.json")
    assert tree.n_rows[0] == n
    assert process("show", "long.partial.tree.json", "--depth", "1", cwd=tmp_path).code == 0


MEMORY = """
import resource, sys
from hornbeam.cli import main
main(["predict", "m.tree.json", sys.argv[1], "-o", "out.csv", "--quiet"])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="resource usage is told by POSIX systems only")
def test_predicting_takes_no_more_memory_for_more_rows(tmp_path):
    rng = np.random.default_rng(0)
    line = "".join(f"{a:.4f},{b:.4f},{'note ' * 8}{k}\n" for k, (a, b) in enumerate(rng.random((1_000, 2))))
    (tmp_path / "few.csv").write_text("a,b,note\n" + line * 30, encoding="utf-8")
    (tmp_path / "many.csv").write_text("a,b,note\n" + line * 300, encoding="utf-8")
    hb.save(
        hb.TreeRegressor(max_depth=3).fit({"a": [1.0, 2], "b": [0.0, 1]}, [0, 1]), tmp_path / "m.tree.json"
    )
    used = {}
    for name in ("few", "many"):
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, f"{name}.csv"],
            cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True,
        )  # fmt: skip
        used[name] = int(done.stdout)
    size = (tmp_path / "many.csv").stat().st_size // 1024  # both in kB
    assert used["many"] - used["few"] < size // 3, (used, size)
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        assert sum(1 for _ in file) == 300_001


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_table_from_a_pipe_is_learned_from_and_not_looked_for_again(here, tmp_path):
    table = "size,class\n" + "".join(f"{k},{'small' if k < 20 else 'large'}\n" for k in range(40))
    (tmp_path / "table.csv").write_text(table)
    script = f"cd {tmp_path} && exec 7< <(cat table.csv) && exec {' '.join(map(str, MODULE))} $0"
    for arguments, name in (
        ("fit /dev/fd/7 --target class", "model.tree.json"),
        ("fit /dev/stdin --target class -o in.tree.json < <(cat table.csv)", "in.tree.json"),
    ):
        shell = ["bash", "-c", script.replace("$0", arguments)]
        done = subprocess.run(shell, capture_output=True, text=True, env=environment(), check=False)
        assert done.returncode == 0, done.stderr
        assert hb.load(tmp_path / name).tree_.n_rows[0] == 40
    done = here("evaluate", tmp_path / "model.tree.json")
    assert done.code == 2
    assert "does not say where its rows are" in done.err
