"""Delimited text that Arrow reads ahead on its own threads: left half-way, decoded, cut, and at exit."""

import contextlib
import gzip
import subprocess
import sys
import threading

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

from hornbeam.data.files import TableError, arrow_stream, batches
from hornbeam.data.files.source import Source

# A reader that is left half-way, at the end of the interpreter: Arrow still reads ahead on its own thread.
LEAVE = """
import sys
from hornbeam.data.files import batches, read_table
way, path = sys.argv[1:]
if way == "limit":
    read_table(path, limit=5)
elif way == "raise":
    for piece in batches(path, "a=numeric,b=numeric", rows=100):
        raise SystemExit(0)
else:
    opened = {"path": path, "file": open(path, "rb"), "pipe": "-"}[way]
    pieces = batches(opened, "a=numeric,b=numeric", rows=100, encoding="cp1252" if way == "file" else None)
    next(pieces)
"""


@pytest.fixture(scope="module")
def large_file(tmp_path_factory):
    """A packed file that takes a while to unpack."""
    rng = np.random.default_rng(0)
    lines = "".join(f"{x:.4f},{k}\n" for k, x in enumerate(rng.normal(size=200_000).tolist()))
    path = tmp_path_factory.mktemp("large") / "t.csv.gz"
    path.write_bytes(gzip.compress(f"a,b\n{lines * 5}".encode(), 1))
    return path


WAYS = ["path", *(pytest.param(way, marks=pytest.mark.slow) for way in ("file", "pipe", "raise", "limit"))]
TURNS = [0, *(pytest.param(turn, marks=pytest.mark.slow) for turn in range(1, 20))]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("way", WAYS)
def test_the_interpreter_ends_while_a_file_is_read(large_file, way, turn):
    with large_file.open("rb") as file:
        command = [sys.executable, "-c", LEAVE, way, str(large_file)]
        ended = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("way", ["packed", "decoded", "stream", "kept"])
def test_arrow_gets_bytes_in_memory_of_its_own(large_file, tmp_path, way):
    """Its threads may let go of them while Python ends, when nothing of Python's may be among them."""
    plain = tmp_path / "t.csv"
    plain.write_text("a,b\n" + "1.5,ü€\n" * 50_000, encoding="cp1252" if way == "decoded" else "utf-8")
    with plain.open("rb") as file:
        source = Source({"packed": large_file, "decoded": plain}.get(way, file))
        before = pa.total_allocated_bytes()
        if way == "kept":
            source.keep()
        options = {"read_options": pacsv.ReadOptions(encoding="cp1252" if way == "decoded" else "utf8")}
        opened = arrow_stream.ArrowFile(source, options)
        block = opened.handle.read_buffer(100_000)
        assert pa.total_allocated_bytes() - before >= block.size == 100_000
        opened.close()


@pytest.mark.parametrize("n_bytes", [7, 4096])
@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-32", "gbk", "utf-8-sig"])
def test_other_encodings_are_decoded_piece_by_piece(tmp_path, encoding, n_bytes):
    letters = "中x文" if encoding == "gbk" else "üx€"
    text = "a,b\n" + f"{letters},1\n" * 999
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    opened = arrow_stream.ArrowFile(Source(path), {"read_options": pacsv.ReadOptions(encoding=encoding)})
    pieces = list(iter(lambda: opened.handle.read(n_bytes), b""))
    assert b"".join(pieces).decode() == text
    assert {len(piece) for piece in pieces[:-1]} == {n_bytes}
    assert opened.options["read_options"].encoding == "utf8"


def test_a_packed_file_that_is_cut_gets_a_sentence_when_it_is_read_in_batches(large_file, tmp_path):
    path = tmp_path / "cut.csv.gz"
    path.write_bytes(large_file.read_bytes()[:-100_000])
    with pytest.raises(TableError, match=r"cut\.csv\.gz cannot be read: .*; check that it is complete"):
        list(batches(path, "a=numeric,b=numeric"))


def test_a_reader_left_half_way_ends_at_once_and_closes_its_file(large_file):
    pieces = batches(large_file, "a=numeric,b=numeric", rows=100)
    assert next(pieces).num_rows == 100
    assert len(arrow_stream._OPEN) == 1
    pieces.close()
    assert len(arrow_stream._OPEN) == 0


@pytest.mark.parametrize("when", ["opening", "opened", "ending"])
def test_a_reader_is_ended_at_exit_wherever_ctrl_c_met_it(large_file, monkeypatch, when):
    """Ctrl-C may come between any two lines, and then nobody is left to end the stream but the exit."""

    def interrupted(*_):
        raise KeyboardInterrupt

    def alive():
        return [thread for thread in threading.enumerate() if thread.name == "hornbeam-batches"]

    method = {"opening": "open", "opened": "__enter__", "ending": "_finish"}[when]
    owner = arrow_stream._WaitedBatches if when == "opening" else arrow_stream.ArrowStream
    with monkeypatch.context() as patch:
        patch.setattr(owner, method, interrupted)
        pieces = batches(large_file, "a=numeric,b=numeric", rows=100)
        with contextlib.suppress(KeyboardInterrupt):
            next(pieces)
            pieces.close()
    arrow_stream.end_streams()
    assert alive() == []
    assert len(arrow_stream._OPEN) == 0


# A read that still goes on when the interpreter ends, as on a busy machine.
SLOW_READ = """
import io, time
from hornbeam.data.files import batches

class Slow(io.RawIOBase):
    n_reads = 0
    def readable(self):
        return True
    def read(self, size=-1):
        self.n_reads += 1
        if self.n_reads > 3:
            time.sleep(1.5)
        head = b"a,b\\n" if self.n_reads == 1 else b""
        return (head + b"1.5,2\\n" * (size // 6 - 1))[:size]

pieces = batches(Slow(), "a=numeric,b=numeric", rows=100)
next(pieces)
"""


def test_the_interpreter_waits_for_a_slow_read_when_it_ends():
    ended = subprocess.run(
        [sys.executable, "-c", SLOW_READ], capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (0, "")
