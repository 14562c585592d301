"""Files that are none: one sentence and one type of error each."""

import contextlib
import gzip
import io
import random
import signal

import pytest

import hornbeam as hb
from hornbeam.data.files import TableError


def sentence(source, **options):
    if isinstance(source, bytes):
        source = io.BytesIO(source)
    with pytest.raises(TableError) as caught:
        hb.read_table(source, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 600
    return text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"\n\n  \n", "is empty"),
        (b"a,b\n", "no rows"),
        (b"a,b\n1,2\n3\n", "line 3 of the file has 1 cell where 2 are expected"),
        (b'a,b\n1,"x\ny"\n3,4,5\n', "line 4 of the file has 3 cells where 2 are expected"),
        (b'a,b\n"unclosed,1\n2,3\n', "line 2"),
        (b",".join([b"1"] * 1_000_000), "more than 100,000 cells"),
        (b"\x00\x01\x02\x03" * 50, "no text"),
        (b"PAR1 this is not Parquet", "cannot be read as Parquet"),
        (b"ARROW1\0\0 nor Feather", "cannot be read as Feather"),
        (b"PK\x03\x04 nor a workbook", "cannot be read as Excel|need the package openpyxl"),
        (b"FEA1 of old", "first version of Feather"),
        (gzip.compress(b"a,b\n1,2\n" * 1000, mtime=0)[:40], "complete"),
        (b'{"a": 1}\n{"a": \n', "JSON"),
        (b'{"a": 1}\n{"a": {"b": 2}}\n', "JSON|within values"),
        (b'{"a": {"b": 2}}\n', "within values"),
    ],
)
def test_a_file_that_is_none_gets_a_sentence(data, words):
    found = sentence(data)
    assert any(word in found for word in words.split("|")), found


def test_a_folder_and_a_missing_file_get_a_sentence(tmp_path):
    assert "is a folder" in sentence(tmp_path)
    (tmp_path / "iris.csv").write_text("a\n1\n")
    assert "did you mean 'iris.csv'?" in sentence(tmp_path / "irs.csv")
    assert "there is no file" in sentence(tmp_path / "no" / "where.csv")


def test_what_is_no_source_gets_a_sentence():
    assert "binary mode" in sentence(5)
    assert "opened as text" in sentence(io.StringIO("a,b\n1,2\n"))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("format", "cvs"),
        ("delimiter", ";;"),
        ("header", "yes"),
        ("decimal", ":"),
        ("quote", "x"),
        ("encoding", "utf-9"),
        ("missing", 5),
        ("missing", [5]),
        ("columns", 5),
        ("columns", "a"),
        ("columns", "a=numerc"),
        ("columns", "a=ordinal(x<x)"),
        ("columns", "a=numeric(5)"),
        ("columns", "a=numeric,a=nominal"),
        ("columns", "z=numeric"),
        ("columns", {"a": 5}),
        ("limit", 0),
        ("limit", True),
    ],
)
def test_a_wrong_option_is_named(option, value):
    assert option in sentence(b"a,b\n1,2\n", **{option: value})


def test_near_words_are_suggested():
    assert "did you mean 'csv'?" in sentence(b"a\n1\n", format="cvs")
    assert "did you mean 'numeric'?" in sentence(b"a\n1\n", columns="a=numerc")
    assert "did you mean 'colour'?" in sentence(b"colour\n1\n", columns="color=nominal")
    assert "did you mean 'tennis'?" in sentence("demo:tenis")
    assert "tennis" in sentence("demo:")


def test_the_wrong_encoding_is_said():
    assert "is not written in utf-8" in sentence("a,é\n1,2\n".encode("latin-1"), encoding="utf-8")
    late = b"a,b\n" + b"1,x\n" * 200_000 + b"2,caf\xe9\n"
    assert "encoding" in sentence(late, encoding="utf-8")


def test_a_cell_that_is_not_what_was_declared_is_named():
    assert "row 2 holds 'x'" in sentence(b"a,b\n1,p\nx,q\n", columns="a=numeric")
    assert "'q', which is not among" in sentence(b"a,b\n1,p\nx,q\n", columns="b=ordinal(p<r)")
    assert "order of its values is not known" in sentence(b"a,b\n1,p\nx,q\n", columns="b=ordinal")


def test_an_error_has_a_hint():
    with pytest.raises(ValueError, match="empty") as caught:
        hb.read_table(io.BytesIO(b""))
    assert caught.value.hint


def test_a_packed_file_that_explodes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("hornbeam.data.files.source._FREE", 1 << 16)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"0" * 10_000_000))
    assert "far more than its own size" in sentence(path)
    assert "far more than its own size" in sentence(path.read_bytes())


def test_random_bytes_and_cut_files_never_raise_anything_else(tmp_path):
    rng = random.Random(0)
    path = tmp_path / "t.parquet"
    hb.write_table({"a": [1.5, None], "b": ["x", "y"]}, path)
    whole = path.read_bytes()
    arff = b"@relation r\n@attribute a numeric\n@attribute b {x,'y z'}\n@data\n1,x\n{1 'y z'}\n?,?,{2}\n"
    seeds = [whole, arff, b'a;b\n"1,5";x\n2,5;"y"\n', b'{"a": 1, "b": "x"}\n{"a": null}\n']
    for _ in range(300):
        seed = bytearray(rng.choice(seeds))
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(seed))
            seed[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        data = bytes(seed[: rng.randrange(len(seed) + 1)]) if rng.random() < 0.3 else bytes(seed)
        with contextlib.suppress(TableError):
            str(hb.read_table(io.BytesIO(data)))


def test_an_option_of_another_format_is_refused():
    data = b"@relation r\n@attribute a numeric\n@data\n1\n"
    assert "delimiter=';' is no option of format 'arff'" in sentence(data, delimiter=";")
    assert "sheet='x' is no option of format 'csv'" in sentence(b"a\n1\n", sheet="x")
    assert "header=True is no option of format 'demo'" in sentence("demo:tennis", header=True)


def test_a_quote_that_is_never_closed_in_a_long_file_is_said():
    assert "quote" in sentence(b'a,b\n1,"x\n' + b"2,y\n" * 1_500_000)


class OutOfTimeError(Exception):
    """What a caller's own alarm raises."""


class Alarm:
    """A handler that is an object, and one that is a method."""

    def __call__(self, *_):
        raise OutOfTimeError("alarm")

    def ring(self, *_):
        raise TimeoutError("alarm")


WORK = {
    "read": lambda folder: hb.read_table(io.BytesIO(b"a,b\n1,2\n"), format="csv"),
    "write": lambda folder: hb.write_table({"a": [1]}, folder / "t.csv"),
}


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no signals of users")
@pytest.mark.parametrize(
    ("handler", "raised"), [(Alarm(), OutOfTimeError), (Alarm().ring, TimeoutError)], ids=["object", "method"]
)
@pytest.mark.parametrize("work", WORK)
def test_the_exception_of_a_signal_handler_comes_through_as_it_is(
    tmp_path, monkeypatch, handler, raised, work
):
    """An alarm while a file is parsed is no fault of the file."""

    def rung(*_, **options):
        signal.raise_signal(signal.SIGUSR1)

    monkeypatch.setattr("hornbeam.data.files.csv.read_delimited", rung)
    monkeypatch.setattr("hornbeam.data.files.csv.write_delimited", rung)
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(raised, match="alarm"):
            WORK[work](tmp_path)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert not list(tmp_path.iterdir())
