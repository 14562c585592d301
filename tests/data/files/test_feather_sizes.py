"""What a Feather file declares is known before Arrow unpacks it, so a small file cannot fill the memory."""

import io
import struct

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import hornbeam as hb
from hornbeam.data.files import TableError, batches
from hornbeam.data.files.feather_sizes import batch_sizes


def feather(table, *, compression=None, rows=None):
    file = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)
    return file.getvalue()


def sizes(data):
    return list(batch_sizes(io.BytesIO(data)))


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_rows_and_unpacked_bytes_of_batches(compression):
    table = pa.table({"a": pa.array(range(1000), pa.float64()), "b": pa.array([True] * 1000)})
    assert sizes(feather(table, compression=compression)) == [(1000, 8 * 1000 + 1000 // 8)]
    batches_of = sizes(feather(table, compression=compression, rows=400))
    assert [rows for rows, _ in batches_of] == [400, 400, 200]
    assert sum(unpacked for _, unpacked in batches_of) == 8 * 1000 + 1000 // 8


def test_values_of_a_dictionary_are_no_rows():
    coded = pa.array(["red", "blue", "red", None]).dictionary_encode()
    rows, values = sizes(feather(pa.table({"c": coded})))
    assert rows[0] == 4
    assert values == (0, 3 * 4 + len("redblue"))


def test_a_table_without_rows_has_no_batches():
    assert sizes(feather(pa.table({"a": pa.array([], pa.int64())}))) == []


@pytest.mark.parametrize(
    "make_column",
    [
        lambda: pa.nulls(9_000_000),
        lambda: pc.run_end_encode(pa.repeat(1.0, 9_000_000)),
        lambda: pa.repeat(0.0, 9_000_000),
        lambda: pa.repeat("x" * 50_000, 1_500),
    ],
    ids=["nulls", "runs", "zeros", "texts"],
)
def test_a_small_file_that_unpacks_to_a_huge_table_is_refused(make_column):
    data = feather(pa.table({"a": make_column()}), compression="zstd")
    assert len(data) < 300_000
    with pytest.raises(TableError, match=r"says that its .* bytes hold .* rows and 1 columns"):
        hb.read_table(io.BytesIO(data))
    with pytest.raises(TableError, match=r"says that its .* bytes hold .* rows and 1 columns"):
        next(batches(io.BytesIO(data), "a=numeric"))


def test_batches_of_a_file_are_streamed_however_many_there_are():
    data = feather(pa.table({"a": pa.repeat(0.0, 10_000_000)}), compression="zstd", rows=1_000_000)
    assert sum(piece.num_rows for piece in batches(io.BytesIO(data), "a=numeric")) == 10_000_000
    with pytest.raises(TableError, match="hold 10,000,000 rows"):
        hb.read_table(io.BytesIO(data))


def changed(data, place, form, value):
    return data[:place] + struct.pack(form, value) + data[place + struct.calcsize(form) :]


@pytest.mark.parametrize("length", [-1, 0, 3, 1 << 30])
def test_a_footer_of_another_length_is_refused(length):
    data = feather(pa.table({"a": [1, 2]}))
    with pytest.raises(TableError, match="cannot be read as Feather"):
        hb.read_table(io.BytesIO(changed(data, len(data) - 10, "<i", length)))


def test_a_block_that_lies_elsewhere_is_refused():
    data = feather(pa.table({"a": [1, 2]}))
    start = data.index(struct.pack("<I", 0xFFFFFFFF), 16)  # of the block behind the schema
    for place in (-8, 1 << 40):
        block = data.rindex(struct.pack("<q", start))
        with pytest.raises(ValueError, match=r"lies outside of it|cut short"):
            sizes(changed(data, block, "<q", place))
