"""Every command with every fault of a file: one sentence, a nonzero exit code, nothing half written."""

import os
import re
import threading
from pathlib import Path

import pytest

ROWS = "age,city,class\n" + "".join(
    f"{20 + k},{'Brno' if k % 3 else 'Cheb'},{'ab'[k % 2 if k < 20 else 0]}\n" for k in range(40)
)
WRITERS = {
    "fit": ("fit t.csv -t class --recipe cart", "x.tree.json"),
    "prune": ("prune m.tree.json --leaves 2", "x.tree.json"),
    "report": ("report m.tree.json t.csv", "x.html"),
    "draw": ("draw m.tree.json", "x.svg"),
    "draw as pixels": ("draw m.tree.json", "x.png"),
    "export": ("export m.tree.json sql", "x.sql"),
    "predict": ("predict m.tree.json t.csv", "x.csv"),
    "predict to Parquet": ("predict m.tree.json t.csv", "x.parquet"),
    "predict to a workbook": ("predict m.tree.json t.csv", "x.xlsx"),
}
READERS_OF_MODELS = (
    "show {}", "show {} --rules", "candidates {} t.csv", "explain {} t.csv --row 3", "key {} --answer 1",
    "predict {} t.csv", "evaluate {} t.csv", "stability {} t.csv -n 3", "path {} t.csv",
    "prune {} --leaves 2 -o out", "compare {} cart t.csv", "compare cart {} t.csv", "draw {}",
    "export {} sql", "report {} -o out", "studio {} --no-browser", "replay {} -o out",
)  # fmt: skip
READERS_OF_TABLES = (
    "data {}", "fit {} -t class -o out", "candidates {} -t class", "explain m.tree.json {} --row 3",
    "predict m.tree.json {}", "evaluate m.tree.json {}", "stability m.tree.json {} -n 3",
    "path m.tree.json {}", "prune m.tree.json --one-se --data {} -o out", "compare cart id3 {} -t class",
    "draw m.tree.json {}",
    "report m.tree.json {} -o out", "report m.tree.json t.csv --validation {} -o out",
    "studio {} -t class --no-browser", "replay m.tree.json --data {} -o out",
)  # fmt: skip

NOTHING = {
    "empty.csv": "", "one.csv": "a", "line.csv": "\n", "names.csv": "age,city,class\n", "empty.parquet": "",
    "one.xlsx": "P", "one.arff": "@", "one.csv.gz": "\x1f",
}  # fmt: skip


def refused(here, command, *, kept=("t.csv", "m.tree.json")):
    """Run a command that must fail."""
    before = {name: (here.folder / name).read_bytes() for name in kept}
    names = sorted(here.folder.iterdir())
    done = here(*command)
    assert done.code not in (0, None), (command, done)
    assert "Traceback" not in done.err, (command, done)
    assert [line.startswith("error: ") for line in done.err.splitlines()].count(True) == 1, (command, done)
    assert sorted(here.folder.iterdir()) == names, command
    assert {name: (here.folder / name).read_bytes() for name in kept} == before, command


@pytest.fixture
def table(here):
    here.write("t.csv", ROWS)
    assert (
        here("fit", "t.csv", "-t", "class", "--recipe", "cart", "--pruning", "none", "-o", "m.tree.json").code
        == 0
    )
    return here


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is full")
@pytest.mark.parametrize("name", WRITERS)
def test_outputs_that_cannot_be_written(table, name):
    text, output = WRITERS[name]
    command = text.split()
    (table.folder / f"folder-{output}").mkdir()
    for link, target in (
        ("full", "/dev/full"),
        ("circle", f"circle-{output}"),
        ("lost", f"nowhere/{output}"),
    ):
        (table.folder / f"{link}-{output}").symlink_to(target)
    bad = ("/dev/full", f"nowhere/{output}", f"t.csv/{output}", "", "x" * 300 + output)
    for target in (*bad, *(f"{kind}-{output}" for kind in ("folder", "full", "circle", "lost"))):
        refused(table, [*command, "-o", target])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["fit", "report", "draw", "predict", "predict to a workbook"])
def test_an_output_may_be_a_named_pipe(table, name):
    text, output = WRITERS[name]
    os.mkfifo(table.folder / output)
    got = []
    reader = threading.Thread(target=lambda: got.append((table.folder / output).read_bytes()), daemon=True)
    reader.start()
    assert table(*text.split(), "-o", output).code == 0
    reader.join(60)
    assert table(*text.split(), "-o", f"file-{output}").code == 0
    assert len(got[0]) == pytest.approx((table.folder / f"file-{output}").stat().st_size, abs=200)  # dates


def damaged_models(text):
    """A model's file as it must not be accepted."""
    at = [m.start() for m in re.finditer(r"\d", text)]
    for place in (at[len(at) // 3], at[2 * len(at) // 3]):
        yield f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}"
    for share in (0, 0.01, 0.5, 0.99):
        yield text[: int(share * len(text))]
    yield re.sub(r'"version": \d+', '"version": 99', text, count=1)
    yield re.sub(r"[0-9a-f]{32,}", lambda m: m.group()[::-1], text, count=1)
    yield from ("\0", "null", "[]", "[" * 100_000, text + text)


@pytest.mark.parametrize("command", READERS_OF_MODELS)
def test_models_that_were_cut_short_or_edited(table, command):
    text = (table.folder / "m.tree.json").read_text(encoding="utf-8")
    for damaged in damaged_models(text):
        assert damaged != text
        table.write("bad.tree.json", damaged)
        refused(table, command.format("bad.tree.json").split())
    (table.folder / "folder.tree.json").mkdir()
    for name in ("folder.tree.json", "/dev/null", "none.tree.json"):
        refused(table, command.format(name).split())


@pytest.mark.parametrize("command", READERS_OF_TABLES)
def test_tables_that_hold_nothing(table, command):
    for name, data in NOTHING.items():
        table.write(name, data)
        refused(table, command.format(name).split())
    (table.folder / "folder.csv").mkdir()
    (table.folder / "circle.csv").symlink_to("circle.csv")
    for name in ("folder.csv", "circle.csv", "/dev/null", "none.csv", "t.csv/x"):
        refused(table, command.format(name).split())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("command", READERS_OF_TABLES[:-2])
def test_a_table_may_come_through_a_named_pipe(table, command):
    os.mkfifo(table.folder / "pipe.csv")

    def feed():
        (table.folder / "pipe.csv").write_text(ROWS)

    writer = threading.Thread(target=feed, daemon=True)
    writer.start()
    done = table(*command.format("pipe.csv").split())
    assert done.code == 0, done
    writer.join(60)
    assert not writer.is_alive()
    assert table(*command.format("-").split(), stdin=ROWS.encode()).code == 0
