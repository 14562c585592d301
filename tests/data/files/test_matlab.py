"""MATLAB's files are read as scipy reads them, come back when written, and are refused where damaged."""

import io
import random
import struct

import numpy as np
import pyarrow as pa
import pytest
from scipy.io import loadmat, savemat

import hornbeam as hb
from hornbeam.data.files import TableError

_HEADER = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x100) + b"IM"


def read(**variables):
    """The columns of a file that scipy wrote."""
    file = io.BytesIO()
    savemat(file, variables)
    return hb.read_table(io.BytesIO(file.getvalue()))


def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def array(kind, shape, *content, name=b"", flags=0):
    """The bytes of an array: its class, sizes and name, then what it holds."""
    head = element(6, struct.pack("<II", kind | flags, 0)) + element(5, struct.pack("<ii", *shape))
    return element(14, head + element(1, name) + b"".join(content))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_numbers_of_every_type_are_read_as_scipy_reads_them(dtype):
    values = np.array([0, 1, 100, 3], dtype=dtype)
    file = io.BytesIO()
    savemat(file, {"a": values, "b": values[::-1].reshape(-1, 1)}, do_compression=True)
    data = hb.read_table(io.BytesIO(file.getvalue())).data
    theirs = loadmat(io.BytesIO(file.getvalue()))
    assert data["a"].to_pylist() == theirs["a"].ravel().tolist()
    assert data["b"].to_pylist() == [3, 100, 1, 0]


def test_a_matrix_text_and_logicals_are_columns():
    sheet = read(
        X=np.arange(6.0).reshape(3, 2),
        y=np.array([True, False, True]),
        c=np.array(["red", "", "blau č"], dtype=object),
        t=np.array(["a", "bb", "c"]),
        k=7.0,
    )
    assert sheet.data.to_pydict() == {
        "X_1": [0.0, 2.0, 4.0],
        "X_2": [1.0, 3.0, 5.0],
        "y": [True, False, True],
        "c": ["red", None, "blau č"],
        "t": ["a", "bb", "c"],
    }
    assert sheet.facts["left_out"] == ["k"]
    assert "left out, since they are no columns: 'k'" in str(sheet)


def test_a_struct_gives_its_fields_and_an_array_of_structs_its_rows():
    columns = {"a": np.array([[1.5], [np.nan]]), "b": np.array([["x"], ["y"]], dtype=object)}
    assert read(T=columns).data.to_pydict() == {"a": [1.5, None], "b": ["x", "y"]}
    rows = np.zeros((2, 1), dtype=[("a", object), ("b", object)])
    rows["a"], rows["b"] = [[1.5], [2.5]], [["x"], ["y"]]
    assert read(T=rows).data.to_pydict() == {"a": [1.5, 2.5], "b": ["x", "y"]}


def test_files_of_machines_that_write_the_high_byte_first_are_read():
    def big(kind, data):
        return struct.pack(">II", kind, len(data)) + data + b"\0" * (-len(data) % 8)

    head = big(6, struct.pack(">II", 6, 0)) + big(5, struct.pack(">ii", 2, 1)) + big(1, b"a")
    data = (
        _HEADER[:124] + struct.pack(">H", 0x100) + b"MI" + big(14, head + big(9, struct.pack(">dd", 1.5, -2)))
    )
    assert hb.read_table(io.BytesIO(data)).data.to_pydict() == {"a": [1.5, -2.0]}


def test_what_is_written_comes_back_to_us_and_to_scipy():
    table = {
        "real": [None, 0.1, -1e300],
        "whole": [1, 2**53, -5],
        "huge": [2**62 + 1, 0, 1],
        "flag": [True, False, True],
        "gaps": [True, None, False],
        "city": ["Brno", None, "Aš, 漢"],
    }
    file = io.BytesIO()
    hb.write_table(table, file, format="mat")
    back = hb.read_table(io.BytesIO(file.getvalue())).data.to_pydict()
    assert back == table | {"gaps": [1.0, None, 0.0]}
    theirs = loadmat(io.BytesIO(file.getvalue()))
    assert theirs["huge"].ravel().tolist() == table["huge"]
    assert [str(cell[0]) if len(cell) else None for cell in theirs["city"].ravel()] == table["city"]
    again = io.BytesIO()
    hb.write_table(table, again, format="mat")
    assert again.getvalue() == file.getvalue()


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"petal length": [1.0]}, "call it 'petal_length'"),
        ({"1st": [1.0]}, "call it 'x1st'"),
        ({"a": pa.array([], pa.float64())}, "a table without rows has no columns in MATLAB"),
        ({"a": [2**60, None]}, "whole numbers that MATLAB's double does not hold"),
    ],
)
def test_what_matlab_cannot_hold_is_refused(table, sentence):
    with pytest.raises(TableError, match=sentence):
        hb.write_table(table, io.BytesIO(), format="mat")


def nested(depth):
    inner = array(6, (1, 1), element(9, struct.pack("<d", 1)))
    for k in range(depth):
        inner = array(1, (1, 1), inner, name=b"a" if k == depth - 1 else b"")
    return inner


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "holds no columns"),
        (nested(20_000), "holds no columns"),
        (array(6, (2**31 - 1, 2**31 - 1), name=b"a"), "says that it has"),
        (array(6, (3, 1), element(9, struct.pack("<d", 1)), name=b"a"), "fewer values than it says"),
        (array(17, (1, 1), name=b"T"), "holds a table, a string array or another object"),
        (struct.pack("<II", 14, 1 << 30), "ends in the middle"),
        (array(6, (2, 1), element(9, bytes(32)), name=b"a", flags=0x800), "holds no columns"),
    ],
)
def test_damaged_and_foreign_contents_are_refused(content, sentence):
    with pytest.raises(TableError, match=sentence):
        hb.read_table(io.BytesIO(_HEADER + content))


def test_version_7_3_is_refused_by_name():
    with pytest.raises(TableError, match=r"version 7\.3 of MATLAB's files; save it with '-v7'"):
        hb.read_table(io.BytesIO(b"MATLAB 7.3 MAT-file" + bytes(600)))


def test_a_file_that_unpacks_without_bound_is_refused():
    import zlib

    packed = zlib.compress(bytes(1 << 28), 9)
    data = _HEADER + struct.pack("<II", 15, len(packed)) + packed
    with pytest.raises(TableError, match="unpacks to far more than its own size"):
        hb.read_table(io.BytesIO(data))


def test_flipped_bytes_give_a_table_or_a_sentence():
    file = io.BytesIO()
    cells = np.array(["x", "yy", ""], dtype=object)
    savemat(file, {"a": np.arange(3.0), "c": cells, "s": {"f": np.array([[True, False]]), "g": "text"}})
    whole, draw = file.getvalue(), random.Random(0)
    accepted, hidden = 0, []
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(100, len(data))] = draw.choice([0, 1, 127, 128, 255, draw.randrange(256)])
        try:
            hb.read_table(io.BytesIO(bytes(data)), format="mat")
            accepted += 1
        except TableError as fault:
            hidden.append(fault.__context__)
    assert 50 < accepted < 400
    assert not [fault for fault in hidden if isinstance(fault, (LookupError, TypeError, AttributeError))]
