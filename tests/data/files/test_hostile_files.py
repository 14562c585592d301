"""Files made to break their reader: refused with one sentence, at once and with little memory."""

import gzip
import io
import random
import struct
import threading
import time
import zipfile
import zlib

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import hornbeam as hb
from hornbeam._base.json_depth import too_deep
from hornbeam.data.files import TableError, batches
from hornbeam.data.files.text_bytes import LONGEST_LINE


def refused(source, **options):
    """The sentence about a file, which comes at once."""
    if isinstance(source, bytes):
        source = io.BytesIO(source)
    hb.read_table(io.BytesIO(b"a,b\n1,2\n"))  # imports do not count
    start = time.process_time()
    with pytest.raises(TableError) as caught:
        hb.read_table(source, **options)
    assert time.process_time() - start < 5.0
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1200
    return str(caught.value)


# --- JSON lines ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'{"a": 1}\n{"a": ' + b"[" * 10_000 + b"]" * 10_000 + b"}\n", 2),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, 1),
        (b'{"a":\n' + b"[\n" * 100_000, 101),
        (b'{"a": "' + b"]" * 20_000 + b'\\"", "b": ' + b"[" * 10_000, 1),
    ],
)
def test_values_nested_deeply_are_refused_before_they_are_parsed(data, line):
    assert f"line {line} of the file has values nested more than 100 deep" in refused(data)
    with pytest.raises(TableError, match=f"line {line} of the file has values nested"):
        list(batches(io.BytesIO(data), "a=nominal"))


def test_brackets_in_strings_are_no_nesting():
    text = "[{" * 5_000 + '\\" ]['
    sheet = hb.read_table(io.BytesIO(b'{"a": "%s", "b": 1}\n{"a": "x", "b": 2}\n' % text.encode()))
    assert sheet.data["a"].to_pylist() == [text.replace('\\"', '"'), "x"]


def test_the_depth_is_found_across_blocks(monkeypatch):
    rng = random.Random(0)
    monkeypatch.setattr("hornbeam._base.json_depth._BLOCK", 7)
    for _ in range(300):
        text = bytes(rng.choices(b'[]{}"\\ab', k=60))
        depth, quoted, escaped, first = 0, False, False, None
        for place, byte in enumerate(text):
            if quoted and not escaped and byte == ord("\\"):
                escaped = True
                continue
            if byte == ord('"') and not escaped:
                quoted = not quoted
            elif not quoted and byte in b"[{":
                depth += 1
                first = place if depth > 3 and first is None else first
            elif not quoted and byte in b"]}":
                depth -= 1
            escaped = False
        is_json = b"\\" not in text  # outside of strings there is none in JSON
        assert not is_json or too_deep(text, 3) == first


def test_a_key_of_its_own_in_every_line_is_refused():
    lines = b"".join(b'{"k%d": 1}\n' % k for k in range(20_000))
    assert "different keys, too many for columns" in refused(lines)
    wide = b"{" + b",".join(b'"k%d":1' % k for k in range(100_001)) + b"}"
    assert "more than 100,000 different keys" in refused(wide)
    sparse = b"".join(b'{"a": 1, "k%d": 1}\n' % (k % 300) for k in range(2_000))
    assert hb.read_table(io.BytesIO(sparse)).data.num_columns == 301


# --- long lines ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", [b"x" * (5 << 20), b'"' + b"x, y " * (1 << 20) + b'"', b"7" * (2 << 20)])
def test_a_cell_of_megabytes_is_read(cell):
    sheet = hb.read_table(io.BytesIO(b"a,b\n1," + cell + b"\n"))
    assert sheet.data["b"].to_pylist() == [cell.strip(b'"').decode()]
    assert len(str(sheet)) < 2_000


def test_a_line_that_is_too_long_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("hornbeam.data.files.text_bytes.LONGEST_LINE", 1 << 22)
    for module in ("csv", "csv_parser"):
        monkeypatch.setattr(f"hornbeam.data.files.{module}.MOST_BYTES", 1 << 22)
    data = b"a,b\n1,x\n2," + b"y" * (9 << 20) + b"\n3,z\n"
    assert "line 3 of the file is more than 4,194,304 bytes long" in refused(data)
    path = tmp_path / "long.csv"
    path.write_bytes(data)
    with pytest.raises(TableError, match=r"line 3 of long.csv is more than"):
        list(batches(path, "a=numeric"))
    arff = b"@relation r\n@attribute a string\n@data\nx\n" + b"y" * (9 << 20)
    assert "line 5 of the file is more than 4,194,304 bytes long" in refused(arff)


def test_long_cells_leave_the_limit_of_other_readers_alone():
    import csv

    before = csv.field_size_limit()
    hb.read_table(io.BytesIO(b"a,b\n1," + b"x" * 200_000 + b"\n"))
    assert csv.field_size_limit() == before < LONGEST_LINE


def test_a_sentence_does_not_quote_megabytes():
    assert "row 1 holds 'xxx" in refused(b"a,b\n" + b"x" * 1_000_000 + b",1\n", columns="a=numeric")


# --- gzip ---------------------------------------------------------------------------------------------------


def test_a_packed_file_that_explodes_is_refused_early(tmp_path):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(b"0" * (1 << 20)) for _ in range(80)) + packer.flush()
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(bomb)
    assert "far more than its own size" in refused(path)
    assert "far more than its own size" in refused(bomb)


# --- Excel --------------------------------------------------------------------------------------------------

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
HEADER = '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c></row>'
ROW = '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>'


def sheet_of(rows, before=""):
    return f'<?xml version="1.0"?>{before}<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>'


def workbook(sheet, shared="", n_sheets=1):
    """A workbook whose sheets are all one part."""
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    sheets = "".join(
        f'<sheet name="S{k}" sheetId="{k + 1}" r:id="r{k}" xmlns:r="{OFFICE}"/>' for k in range(n_sheets)
    )
    links = "".join(
        f'<Relationship Id="r{k}" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
        for k in range(n_sheets)
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kinds}.sharedStrings+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f"<workbook {MAIN}><sheets>{sheets}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": (
            f'<Relationships xmlns="{package}/relationships">{links}</Relationships>'
        ),
        "xl/worksheets/sheet1.xml": sheet,
        "xl/sharedStrings.xml": shared or f"<sst {MAIN}><si><t>a</t></si></sst>",
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


ENTITIES = (
    '<!DOCTYPE z [<!ENTITY e0 "lol">'
    + "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 12))
    + "]>"
)
STRINGS = f"<sst {MAIN}><si><t>&e11;</t></si></sst>"


def test_an_ordinary_workbook_is_read():
    pytest.importorskip("openpyxl")
    assert hb.read_table(io.BytesIO(workbook(sheet_of(HEADER + ROW)))).data.to_pydict() == {
        "a": [1],
        "b": [2],
    }


@pytest.mark.parametrize(
    ("book", "words"),
    [
        (workbook(sheet_of(HEADER + ROW, ENTITIES)), "declares a document type"),
        (workbook(sheet_of(HEADER + ROW), ENTITIES + STRINGS), "declares a document type"),
        (
            workbook(
                sheet_of(HEADER + ROW),
                f'<?xml version="1.0" encoding="UTF-16"?><!--{"x" * 9_999}-->{ENTITIES}{STRINGS}'.encode(
                    "utf-16"
                ),
            ),
            "declares a document type",
        ),
        (workbook(sheet_of(HEADER + "<row/>" * 400_000)), "unpacks to 6 parts of 2,40"),
        (
            workbook(sheet_of(HEADER + '<row r="2000000000"><c r="A2000000000"><v>1</v></c></row>')),
            "far from",
        ),
        (
            workbook(
                sheet_of(HEADER + "".join(f'<row><c r="XFD{k}"><v>{k}</v></c></row>' for k in range(2_000)))
            ),
            "far from each other",
        ),
        (workbook(sheet_of(HEADER + ROW * 200), n_sheets=300), "the same part as several sheets"),
        (workbook(sheet_of(HEADER + ROW)[:-40]), "cannot be read as Excel"),
        (workbook(sheet_of(HEADER + '<row r="x"/>')), "cannot be read as Excel"),
        (workbook(sheet_of('<row r="1"><c r="A1" t="s"><v>99</v></c></row>')), "cannot be read as Excel"),
        (workbook(sheet_of(HEADER + ROW))[:600], "cannot be read as Excel"),
    ],
)
def test_a_workbook_made_to_explode_is_refused(book, words):
    pytest.importorskip("openpyxl")
    assert words in refused(book)


def test_an_archive_that_lies_about_sizes_is_refused():
    pytest.importorskip("openpyxl")
    book = bytearray(workbook(sheet_of(HEADER + "<row/>" * 400_000)))
    entry = book.rfind(b"PK\x01\x02", 0, book.rfind(b"xl/worksheets/sheet1.xml"))
    struct.pack_into("<I", book, entry + 24, 5_000)
    assert "cannot be read as Excel" in refused(bytes(book))


# --- binary tables ------------------------------------------------------------------------------------------


def test_a_small_file_that_declares_a_huge_table_is_refused(tmp_path):
    path = tmp_path / "same.parquet"
    pq.write_table(pa.table({"a": pa.nulls(20_000_000, pa.int64())}), path)
    assert "20,000,000 rows" in refused(path)
    assert hb.read_table(path, limit=10).data.num_rows == 10


def test_text_that_is_none_and_dates_of_no_calendar_are_refused():
    file = io.BytesIO()
    bytes_as_text = pa.StringArray.from_buffers(
        1, pa.py_buffer(struct.pack("<ii", 0, 2)), pa.py_buffer(b"\xff\xfe")
    )
    pq.write_table(pa.table({"a": bytes_as_text}), file)
    assert "UTF8" in refused(file.getvalue())
    for values in (pa.array([2**62], pa.timestamp("us")), pa.array([2**60], pa.timestamp("s"))):
        file = io.BytesIO()
        pyarrow.feather.write_feather(pa.table({"a": values}), file)
        assert "'a' holds dates beyond the years 1 to 9999" in refused(file.getvalue())


def test_damaged_binary_files_never_raise_anything_else():
    rng = random.Random(1)
    table = pa.table(
        {
            "a": [1.5, None, 3.0] * 9,
            "b": pa.array(["x", "yy", None] * 9).dictionary_encode(),
            "d": pa.array([1, 2, None] * 9, pa.timestamp("us")),
        }
    )
    seeds = []
    for write in (pyarrow.feather.write_feather, pq.write_table):
        file = io.BytesIO()
        write(table, file)
        seeds.append(file.getvalue())
    read = 0
    for _ in range(400):
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(data) - 8)
            data[at : at + 8] = rng.choice(
                [b"\xff" * 8, bytes(8), (2**40).to_bytes(8, "little"), data[at : at + 8]]
            )
            data[at] = rng.randrange(256)
        try:
            read += bool(str(hb.read_table(io.BytesIO(bytes(data)))))
        except TableError:
            continue
    assert 0 < read < 400


# --- pipes --------------------------------------------------------------------------------------------------


@pytest.fixture
def pipe(tmp_path):
    """A named pipe into which some bytes are written once."""
    import os

    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes here")
    writers = []

    def made(data, name="table.csv"):
        path = tmp_path / name
        os.mkfifo(path)
        writers.append(threading.Thread(target=path.write_bytes, args=(data,), daemon=True))
        writers[-1].start()
        return path

    yield made
    for writer in writers:
        writer.join(timeout=60)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "feather", "arff", "jsonl", "xlsx", "mat"])
def test_a_named_pipe_is_read_once(pipe, tmp_path, ending):
    if ending == "xlsx":
        pytest.importorskip("openpyxl")
    table = {"a": [1.5, 2.5, None], "b": ["x", "y", "x"]}
    path = tmp_path / f"file.{ending.removesuffix('.gz')}"
    hb.write_table(table, path)
    expected = hb.read_table(path)
    data = gzip.compress(path.read_bytes()) if ending.endswith(".gz") else path.read_bytes()
    sheet = hb.read_table(pipe(data, f"first.{ending}"))
    assert sheet.data.equals(expected.data)
    pieces = list(batches(pipe(data, f"second.{ending}"), expected.facts, rows=2))
    assert pa.concat_tables(pieces)["a"].to_pylist() == table["a"]


def test_a_long_or_empty_pipe_is_read_to_its_end(pipe):
    lines = b"a,b\n" + b"".join(b"%d,x\n" % k for k in range(200_000))
    assert hb.read_table(pipe(lines)).data["a"].to_pylist() == list(range(200_000))
    assert "empty.csv is empty" in refused(pipe(b"", "empty.csv"))
