"""What can go wrong while data is read in pieces: the same tree, or one clear sentence; nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.test_files import draw_table, in_memory, saved, small_parts

import hornbeam as hb
from hornbeam.engines import Files, files
from hornbeam.engines.row_part import ALIGN
from hornbeam.parts import AverageGain, Predicates


def write(folder: Path, n: int = 600, n_classes: int = 2) -> pa.Table:
    table = draw_table(np.random.default_rng(0), n, n_classes)
    pq.write_table(table, folder / "a.parquet")
    return table


def damage(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Let every second message find a changed byte in the columns, the codes or the nodes of a part."""
    ask, calls = files._FileParts.map_reduce, []

    def changed(self, task, state, combine):  # type: ignore[no-untyped-def]
        calls.append(1)
        if len(calls) % 2 == 0:
            part = self.parts[len(calls) % len(self.parts)]
            content = Path(part.path).read_bytes()
            codes, nodes = (size + -size % ALIGN for size in part._cache_sizes)
            at = {
                "columns": 7,
                "codes": len(content) - nodes - codes + 20,
                "nodes": len(content) - nodes + 17,
            }
            with Path(part.path).open("r+b") as file:
                file.seek(at[where])
                file.write(bytes([content[at[where]] ^ 0xFF]))
        return ask(self, task, state, combine)

    monkeypatch.setattr(files._FileParts, "map_reduce", changed)


@pytest.mark.parametrize("where", ["nodes", "codes"])
def test_what_is_remembered_is_made_anew_where_it_is_damaged(where, tmp_path, monkeypatch):
    table = write(tmp_path)
    model = hb.TreeClassifier(max_depth=5)
    whole = saved(in_memory(model, table, "rows"), tmp_path)
    small_parts(monkeypatch, np.random.default_rng(1), fetch=0)
    damage(monkeypatch, where)
    model.set_params(exclude=["w", "k"]).fit(tmp_path / "a.parquet", y="y")
    assert saved(model.set_params(exclude=None), tmp_path) == whole


def test_damaged_columns_are_named(tmp_path, monkeypatch):
    write(tmp_path)
    small_parts(monkeypatch, np.random.default_rng(1), fetch=0)
    damage(monkeypatch, "columns")
    with pytest.raises(OSError, match=r"column number 0 in .* changed while the tree grew"):
        hb.TreeClassifier(exclude=["w", "k"]).fit(tmp_path, y="y", engine=Files(cache=tmp_path.parent))


def test_the_cache_is_removed_whatever_happens(tmp_path, monkeypatch):
    write(tmp_path)
    cache = tmp_path / "cache"
    cache.mkdir()
    model = hb.TreeClassifier(exclude=["w", "k"])
    model.fit(tmp_path / "a.parquet", y="y", engine=Files(cache=cache))
    assert not list(cache.iterdir())
    small_parts(monkeypatch, np.random.default_rng(1), fetch=0)
    damage(monkeypatch, "columns")
    with pytest.raises(OSError, match="changed"):
        model.fit(tmp_path / "a.parquet", y="y", engine=Files(cache=cache))
    assert not list(cache.iterdir())


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    write(tmp_path)
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(content[:4] + bytes(2000) + content[2004:])
    (tmp_path / "c.parquet").write_bytes(content[:-30])
    model = hb.TreeClassifier(exclude=["w", "k"])
    for name in ("b", "c"):
        with pytest.raises(ValueError, match=f"{name}.parquet cannot be read: "):
            model.fit([tmp_path / "a.parquet", tmp_path / f"{name}.parquet"], y="y")


class DriverDied(BaseException):
    """Nothing is tidied up after it."""


def die_after(monkeypatch: pytest.MonkeyPatch, n_messages: int) -> list[int]:
    """Let a growth die after some messages; return the list that counts them."""
    ask, calls = files._FileParts.map_reduce, []

    def counted(self, task, state, combine):  # type: ignore[no-untyped-def]
        calls.append(1)
        if len(calls) == n_messages:
            raise DriverDied
        return ask(self, task, state, combine)

    monkeypatch.setattr(files._FileParts, "map_reduce", counted)
    return calls


@pytest.mark.parametrize(("kind", "n_classes"), [(hb.TreeClassifier, 3), (hb.TreeRegressor, 0)])
def test_a_growth_goes_on_where_another_one_died(kind, n_classes, tmp_path, monkeypatch):
    table = write(tmp_path, n_classes=n_classes)
    model, kept = kind(max_depth=5), tmp_path / "kept"
    whole = saved(in_memory(model, table, "rows"), tmp_path)
    model.set_params(exclude=["w", "k"])
    small_parts(monkeypatch, np.random.default_rng(1), fetch=20)
    engine = Files(checkpoint=kept)
    n_messages = []
    for n in (9, 9, 0):
        with monkeypatch.context() as patch:
            calls = die_after(patch, n)
            if n:
                with pytest.raises(DriverDied):
                    model.fit(tmp_path / "a.parquet", y="y", engine=engine)
            else:
                model.fit(tmp_path / "a.parquet", y="y", engine=engine)
        n_messages.append(len(calls))
    assert saved(model.set_params(exclude=None), tmp_path) == whole
    assert not kept.exists()
    calls = die_after(monkeypatch, 0)
    model.set_params(exclude=["w", "k"]).fit(tmp_path / "a.parquet", y="y", engine=engine)
    assert n_messages[-1] < len(calls)


KILLED = """
import os, signal, sys
import hornbeam as hb
from hornbeam.engines import Files, far_rows, files

folder, n_messages = sys.argv[1], int(sys.argv[2])
ask, calls = files._FileParts.map_reduce, []

def counted(self, task, state, combine):
    calls.append(1)
    if len(calls) == n_messages:
        os.kill(os.getpid(), signal.SIGKILL)
    return ask(self, task, state, combine)

files._FileParts.map_reduce = counted
limits = far_rows.FarRows._limits
far_rows.FarRows._limits = lambda rows: limits(rows) | {"fetch_rows": 20}
model = hb.TreeClassifier(max_depth=5, exclude=["w", "k"])
model.fit(folder + "/a.parquet", y="y", engine=Files("10MB", cache=folder, checkpoint=folder + "/kept"))
hb.save(model.set_params(exclude=None), folder + "/far.tree.json")
"""


@pytest.mark.slow
def test_a_killed_program_goes_on_when_it_is_called_again(tmp_path):
    """Killed in each phase: reading, summary, cuts, codes, nodes, the sums of the finished tree."""
    table = write(tmp_path)
    whole = saved(in_memory(hb.TreeClassifier(max_depth=5), table, "rows"), tmp_path)
    n_kills = 0
    for n_messages in (1, 2, 3, 4, 5, 6, 8, 10, 10, 10, 0):
        command = [sys.executable, "-c", KILLED, str(tmp_path), str(n_messages)]
        n_kills += subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert n_kills >= 7
    assert (tmp_path / "far.tree.json").read_bytes() == whole
    assert not (tmp_path / "kept").exists()


def test_checkpoints_are_of_one_growth_and_damage_is_noticed(tmp_path, monkeypatch):
    table = write(tmp_path)
    model, kept = hb.TreeClassifier(max_depth=5), tmp_path / "kept"
    whole = saved(in_memory(model, table, "rows"), tmp_path)
    small_parts(monkeypatch, np.random.default_rng(1), fetch=0)
    model.set_params(exclude=["w", "k"])
    with monkeypatch.context() as patch:
        die_after(patch, 15)
        with pytest.raises(DriverDied):
            model.fit(tmp_path / "a.parquet", y="y", engine=Files(checkpoint=kept))
    for other in (hb.TreeClassifier(max_depth=4, exclude=["w", "k"]), hb.TreeClassifier(exclude=["w"])):
        with pytest.raises(ValueError, match=r"checkpoint='.*kept' is not of this data, these parameters"):
            other.fit(tmp_path / "a.parquet", y="y", engine=Files(checkpoint=kept))
    with pytest.raises(ValueError, match="is not of this data"):  # a folder of somebody else's files
        model.fit(tmp_path / "a.parquet", y="y", engine=Files(checkpoint=tmp_path))
    for path in sorted(kept.glob("answers-*"))[::2]:
        content = path.read_bytes()
        path.write_bytes(content[:-3] + bytes([content[-3] ^ 0xFF]) + content[-2:])
    model.fit(tmp_path / "a.parquet", y="y", engine=Files(checkpoint=kept))
    assert saved(model.set_params(exclude=None), tmp_path) == whole
    assert not kept.exists()


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="mounts a small folder: Linux, root")
def test_a_full_disk_is_one_sentence(tmp_path):
    write(tmp_path, 60_000)
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", small], check=False)
    if mounted.returncode != 0:
        pytest.skip("this system lets nobody mount a folder")
    try:
        with pytest.raises(OSError, match="the folder of the cache is full") as full:
            hb.TreeClassifier(exclude=["w", "k"]).fit(
                tmp_path / "a.parquet", y="y", engine=Files("4MB", cache=small)
            )
        assert "cache=" in str(full.value)
        assert not list(small.iterdir())
    finally:
        subprocess.run(["umount", small], check=True)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pruning": "reduced-error"}, "pruning='reduced-error' needs all rows in memory"),
        ({"missing": "surrogates"}, "missing='surrogates' needs all rows in memory.* use 'learn'"),
        ({"missing": "fractional"}, "missing='fractional' needs all rows in memory"),
        ({"selection": AverageGain()}, "selection=AverageGain.* needs all rows in memory.* use 'best'"),
        ({"selection": "conditional"}, "selection='conditional' needs all rows in memory"),
        ({"search": "lookahead"}, "search='lookahead' needs all rows in memory.* use 'greedy'"),
        ({"search": "optimal", "max_depth": 2}, "search='optimal' needs all rows in memory.* use 'greedy'"),
        ({"split": Predicates(["number > 1"])}, "split=Predicates.* needs all rows in memory"),
        ({"parse_dates": "auto"}, "parse_dates='auto' needs all rows in memory"),
    ],
)
def test_what_does_not_add_up_is_refused_before_anything_is_read(changes, words):
    with pytest.raises(ValueError, match=words):
        hb.TreeClassifier(**changes).fit("nowhere/*.parquet", y="y")


def test_numbers_that_do_not_add_up_are_refused():
    for changes, words in (({"criterion": "absolute"}, "'variance'"), ({"leaf": "linear"}, "'constant'")):
        with pytest.raises(ValueError, match=f"needs all rows in memory.* use {words}"):
            hb.TreeRegressor(**changes).fit("nowhere/*.parquet", y="y")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"X": "none/*.parquet", "y": "y"}, "no file matches none/"),
        ({"X": {"a": [1]}, "y": "y"}, "cannot be read piece by piece"),
        ({"X": "a.parquet", "y": [1, 2]}, "so y must be the name of a column"),
        ({"X": [[1], [2]], "y": [1, 2], "engine": Files()}, "so y must be the name of a column"),
        ({"X": "a.parquet", "y": "y", "sample_weight": [1.0]}, "sample_weight must be the name of a column"),
        ({"X": "a.parquet", "y": "y", "row_costs": [[1.0]]}, "row_costs needs all rows in memory"),
        ({"X": "a.parquet", "y": "y", "engine": "files"}, "must be an engine of hornbeam.engines"),
    ],
)
def test_wrong_arguments_are_one_sentence(arguments, words):
    with pytest.raises((ValueError, TypeError), match=words):
        hb.TreeClassifier().fit(**arguments)


def test_estimators_that_need_all_rows_say_so():
    words = "this fit of TreeDensity needs all rows in memory.* fit a TreeClassifier or TreeRegressor"
    with pytest.raises(TypeError, match=words):
        hb.TreeDensity().fit("a.parquet")


def test_a_forest_of_files_says_what_it_refuses(tmp_path):
    write(tmp_path)
    for model, engine, words in (
        (hb.ForestClassifier(oob_score=True), None, "oob_score=True asks every row again"),
        (hb.ForestClassifier(), Files(checkpoint="here"), "checkpoint='here' keeps the growth of one tree"),
        (
            hb.ForestClassifier(split="random"),
            None,
            "split='random' needs all rows in memory|not possible with",
        ),
        (hb.ForestClassifier(leaf="linear"), None, "leaf='linear'"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(tmp_path, y="y", engine=engine)
    few = Files(memory=10**6)
    table = pa.table({"x": np.arange(40_000.0), "y": np.arange(40_000) % 2})
    pq.write_table(table, tmp_path / "many.parquet")
    with pytest.raises(ValueError, match=r"memory=1000000 is too little .* 40,000 rows.*memory='3MB'"):
        hb.ForestClassifier(2).fit(tmp_path / "many.parquet", y="y", engine=few)


def test_wrong_columns_are_one_sentence(tmp_path):
    write(tmp_path)
    model = hb.TreeClassifier(exclude=["w", "k"])
    with pytest.raises(ValueError, match=r"y='z' must name one column of .*, which has 'number'"):
        model.fit(tmp_path, y="z")
    pq.write_table(pa.table({"x": ["a", "b"], "y": ["u", "v"]}), tmp_path / "one.parquet")
    pq.write_table(pa.table({"x": [1.0, 2.0], "y": ["u", "v"]}), tmp_path / "two.parquet")
    pq.write_table(pa.table({"x": [], "y": []}), tmp_path / "none.parquet")
    for names, words in (
        (["one", "two"], "column 'x' is string in .*one.parquet and double in .*two.parquet"),
        (["none"], "has no rows"),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            hb.TreeClassifier().fit([tmp_path / f"{name}.parquet" for name in names], y="y")


def test_gaps_in_the_target_say_from_where_rows_are_counted(tmp_path, monkeypatch):
    pq.write_table(pa.table({"x": np.arange(50.0), "y": ["u"] * 49 + [None]}), tmp_path / "a.parquet")
    monkeypatch.setattr(files._Reading, "_rows_of_part", lambda *_: 20)
    with pytest.raises(ValueError, match=r"row 9 is missing.*rows counted from row 40 of the data"):
        hb.TreeClassifier().fit(tmp_path, y="y")


@pytest.mark.parametrize("memory", ["", "2XB", "1KB", -5, True, 2.5, None, "nan"])
def test_a_wrong_memory_is_one_sentence(memory):
    with pytest.raises(ValueError, match="must be a number of bytes of at least 1MB"):
        Files(memory)
