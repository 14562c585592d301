"""Files are written and parsed as by the slow twin: the same bytes, documents and sentences."""

import json
import random
import re

import numpy as np
import pytest
from tests.io.test_files_forests import FORESTS
from tests.io.test_old_files import FILES
from tests.oracles import json_files as twin
from tests.support.file_breaker import TOKENS, broken, models, templates
from tests.support.read_models import random_models
from tests.support.written_trees import every_kind

import hornbeam as hb
from hornbeam import _core
from hornbeam.io.forest_file import forest_to_plain
from hornbeam.io.load import parsed, read
from hornbeam.io.save import tree_to_plain
from hornbeam.tree.arrays import KINDS, NODE_ARRAYS
from hornbeam.tree.json_values import JsonArray, json_lines

# --- writing ------------------------------------------------------------------------------------------------


def is_written_like_twin(model, path):
    plain = forest_to_plain(model) if hasattr(model, "trees_") else tree_to_plain(model)
    data = hb.save(model, path).read_bytes()
    assert data == twin.file_of(plain)
    trees = model.trees_ if hasattr(model, "trees_") else [getattr(model, "tree_", model)]
    shown = plain["trees"] if hasattr(model, "trees_") else [plain]
    for tree, one in zip(trees, shown, strict=True):
        lists = tree.to_dict()
        assert {name: lists[name] for name in ("nodes", "pools")} == twin.plain(
            {name: one[name] for name in ("nodes", "pools")}
        )
    return data


def test_files_of_every_kind_are_those_of_the_twin(tmp_path):
    grown = [model for seed in range(3) for model, _, _ in random_models(seed)]
    forests = [make() for make in FORESTS.values()]
    for model in [*models(), *grown, *forests, every_kind()]:
        data = is_written_like_twin(model, tmp_path / "m.json")
        again = hb.load(tmp_path / "m.json")
        assert hb.save(again, tmp_path / "m.json").read_bytes() == data
        if isinstance(model, hb.Tree):
            assert again == model


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_models_of_old_files_are_written_like_the_twin(path, tmp_path):
    is_written_like_twin(hb.load(path), tmp_path / path.name)


def test_a_tree_of_more_nodes_than_one_block_is_written_like_the_twin(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 2)) * 10.0 ** rng.integers(-12, 12, (40_000, 1)), rng.normal(size=40_000)
    model = hb.TreeRegressor().fit(X, y)
    assert len(model.tree_) > 65_536
    is_written_like_twin(model, tmp_path / "m.json")
    assert hb.load(tmp_path / "m.json").tree_ == model.tree_


def doubles(rng, n=20_000):
    """Doubles of every size: any bits, powers of two and of ten with their neighbours, short decimals."""
    powers = np.concatenate([2.0 ** np.arange(-1074, 1024), 10.0 ** np.arange(-323, 309)])
    whole = rng.integers(-(2**62), 2**62, n)
    return np.concatenate(
        [
            np.frombuffer(rng.bytes(8 * n), dtype=np.float64),
            *(np.nextafter(powers, side) for side in (-np.inf, np.inf)),
            -powers,
            rng.integers(0, 2**53, n) * 2.0 ** -rng.integers(0, 60, n),
            whole.astype(np.float64),
            rng.integers(2**52, 2**54, n).astype(np.float64),
            np.round(rng.normal(size=n) * 10.0 ** rng.integers(-6, 9, n), 3),
            [0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1e16, 9999999999999998.0, 1e-4, 9.9e-5, 2.0**53],
        ]
    )


def test_doubles_are_written_like_the_twin_and_read_back():
    values = doubles(np.random.default_rng(1))
    text = _core.numbers_text(values)
    assert text.decode() == json.dumps(twin.plain(values))[1:-1]
    document = parsed(b'{"nodes": {"a": [' + text + b"]}}")
    back = document["nodes"]["a"].numbers(np.float64, 1)
    bits = values.view(np.int64)
    assert np.array_equal(back.view(np.int64)[~np.isnan(values)], bits[~np.isnan(values)])
    assert np.array_equal(np.isnan(back), np.isnan(values))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
@pytest.mark.parametrize("shape", [(1,), (7,), (1, 1), (70_000,), (40_000, 3), (1, 5)])
def test_arrays_of_every_shape_are_written_like_the_twin(dtype, shape):
    rng = np.random.default_rng(2)
    array = rng.integers(-(10**9), 10**9, shape).astype(dtype)
    for view in (array, array[::-1], np.broadcast_to(array[:1], shape), np.asfortranarray(array)):
        assert (
            b"".join(json_lines({"a": {"b": {"c": view}}}, 1))
            == ('{\n "a": ' + json.dumps(twin.plain({"b": {"c": view}})) + "\n}").encode()
        )


def test_what_is_no_array_of_numbers_is_refused_by_the_core():
    for array in (np.zeros(2, np.float32), np.zeros((1, 1, 1)), np.zeros((2, 0)), np.array(1.0)):
        with pytest.raises(ValueError, match="numbers must"):
            _core.numbers_text(array)


# --- parsing ------------------------------------------------------------------------------------------------


def is_parsed_like_twin(data):
    document, said = twin.outcome_of(parsed, data)
    wanted, sentence = twin.outcome_of(twin.parsed, data)
    assert said == sentence
    assert twin.same(document, wanted)
    return document


def arrays_in(value):
    if isinstance(value, JsonArray):
        return 1
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(arrays_in, inner))


def test_the_core_reads_all_arrays_of_every_kind_of_file():
    for data in [*(text.encode() for text in templates()), *(path.read_bytes() for path in FILES)]:
        document = is_parsed_like_twin(data)
        trees = document.get("trees", [document])
        n_arrays = sum(len(tree["nodes"]) + sum(map(len, tree["pools"].values())) for tree in trees)
        assert arrays_in(document) == n_arrays >= len(NODE_ARRAYS) * len(trees)


def test_broken_files_are_parsed_like_the_twin_or_refused_with_its_sentence():
    refused = sum(is_parsed_like_twin(broken(number, 5)) is None for number in range(3000))
    assert 100 < refused < 2000


def test_a_file_cut_short_is_refused_with_the_place_where_it_ends():
    text = templates()[2].encode()
    windows = text.replace(b"\n", b"\r\n")
    for data in (text, windows, text.replace(b", ", b",\n"), text.replace(b"age", "Größe".encode())):
        for length in range(0, len(data), 23):
            is_parsed_like_twin(data[:length])


def test_bytes_and_words_put_anywhere_are_parsed_like_the_twin():
    draw = random.Random(0)
    text = templates()[5].encode()
    words = [*(token.encode() for token in TOKENS if len(token) < 900), b"\xff", b"\xc3", "é".encode(), b"\\"]
    words += [b"[", b"]", b"{", b"}", b'"', b":", b",", b"NaN,", b"-Infinity", b'"NaN"', b"e", b"."]
    for _ in range(4000):
        data = bytearray(text)
        for _ in range(draw.choice((1, 1, 2))):
            at = draw.randrange(len(data))
            data[at : at + draw.randrange(3)] = draw.choice(words)
        is_parsed_like_twin(bytes(data))


ITEMS = [
    "1", "-1", "0", "-0", "00", "01", "1.0", "-0.0", "1.", ".5", "1e5", "1E+5", "1e-05", "1e", "1e999",
    "-1e999", "1e-999", "5e-324", "2e-324", "123456789012345678", "1234567890123456789", "9" * 310, "9" * 401,
    "0." + "3" * 500, "9007199254740993", "9007199254740993.0", "null", "nul", "true", "false", "NaN",
    "Infinity", "-Infinity", '"inf"', '"-inf"', '"nan"', '"leaf"', '"threshold"', '"lea\\u0066"', '"', "[]",
    "[1]", "[1, 2]", "{}", "", " ", "\t1\n", "1 2", "\x00", "\x0b", "+1", "--1", "1-", "1,", "0x1", "1_0",
    "\N{ARABIC-INDIC DIGIT ONE}",
]  # fmt: skip


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: repr(item)[:20])
def test_an_item_among_others_is_parsed_like_the_twin(item):
    for text in (
        "[@]",
        "[1, @]",
        "[@, 2]",
        "[0.5, @, 3]",
        '["leaf", @]',
        "[null,@]",
        "[[@], [1]]",
        "[[1, 2], [@]]",
    ):
        for place in (
            '{"nodes": {"a": @, "b": [1]}}',
            '{"nodes": {"b": [1], "a":@}}',
            '{"pools": {"p": {"a": @}}}',
        ):
            is_parsed_like_twin(place.replace("@", text).replace("@", item).encode())


@pytest.mark.parametrize(
    "text",
    [
        '{"nodes": {"a": [1]}, "nodes": {"a": [1]}}',
        '{"nodes": {"a": [1], "a": [1]}}',
        '{"meta": {"nodes": {"a": [1]}}}',
        '{"n\\u006fdes": {"a": [1]}}',
        '{"nodes": {"a" [1]}}',
        '{"nodes": {"a": -[1]}}',
        '{"nodes": {"a": [1]x}}',
        '{"nodes": {"a": [1][1]}}',
        '{"nodes": {"a": 1[1]}}',
        '{"nodes": {"a": [1]}, "b": NaN}',
        '{"b": NaN, "nodes": {"a": [1]}}',
        '{"nodes": {"a": NaN, "b": [1]}}',
        '{"nodes": {"a": [1]} "b": 1}',
        '{"nodes": ["a": [1]]}',
        '{"trees": [{"nodes": {"a": [1]}}, {"pools": {"p": {"b": [1]}}}]}',
        '{"trees": {"nodes": {"a": [1]}}}',
        '{"trees": [[{"nodes": {"a": [1]}}]]}',
        '{"nodes": {"a": [1]}}}',
        '{"nodes": {"a": [1]}} {"nodes": {"a": [1]}}',
        '\ufeff{"nodes": {"a": [1]}}',
        '{"nodes": {"é\n": [1], "b": [1],,}}',
        '{"nodes": {"a": [1], "b": [2,\n\n\n3], "ü": [4]}, "ß" 1}',
        '{"pools": {"p": {"a": ' + "[" * 98 + "]" * 98 + "}}}",
        '{"pools": {"p": {"a": ' + "[" * 97 + "]" * 97 + "}}}",
        '{"nodes": {"a": [1], "b": ' + "[" * 101 + "}}",
    ],
)
def test_a_text_is_parsed_like_the_twin(text):
    is_parsed_like_twin(text.encode())


# --- sentences ----------------------------------------------------------------------------------------------


def with_item(name, number, item):
    """A saved tree one of whose items is another text."""
    text = hb.TreeClassifier(max_depth=3).fit({"x": [1, 2, 3, 4], "z": [1, 3, 2, 5]}, list("aabb"))
    plain = text.tree_.to_dict()
    held = plain["nodes"][name]
    held[number] = "@"
    return json.dumps(plain).replace('"@"', item).encode()


@pytest.mark.parametrize(
    ("name", "item", "sentence"),
    [
        ("column", "1.5", "nodes.column[2] is 1.5, but must be an integer"),
        ("column", "2.0", "nodes.column[2] is 2.0, but must be an integer"),
        ("column", "null", "nodes.column[2] is None, but must be an integer"),
        ("column", '"inf"', "nodes.column[2] is 'inf', but must be an integer"),
        ("column", '"leaf"', "nodes.column[2] is 'leaf', but must be an integer"),
        ("column", "2147483648", "nodes.column[2] is 2147483648, but must be at most 2147483647"),
        ("column", "-2147483649", "nodes.column[2] is -2147483649, but must be at least -2147483648"),
        ("column", "[1]", "nodes.column[2] is [1], but must be an integer"),
        ("n_rows", "9223372036854775808", "nodes.n_rows[2] is 9223372036854775808, but must be at most"),
        ("gain", '"leaf"', "nodes.gain[2] is 'leaf', but must be a number or None, 'inf', '-inf'"),
        ("gain", "true", "nodes.gain[2] is True, but must be a number or None, 'inf', '-inf'"),
        ("gain", "1" + "0" * 309, f"nodes.gain[2] is 1{'0' * 59}..., but must be a number within the range"),
        ("gain", "1e999", "the number 1e999 is beyond a double"),
        ("gain", "NaN", "NaN is no JSON"),
        ("gain", "null", "node 2 has no gain: use 0 where there is none"),
        ("kind", '"tree"', "nodes.kind[2] is 'tree', but must be one of 'leaf'"),
        ("kind", "1", "nodes.kind[2] is 1, but must be one of 'leaf'"),
        ("gap", "[1.0]", "nodes.gap[2] has 1 numbers, but nodes.gap[0] has 2"),
        ("gap", "1.0", "nodes.gap[2] is 1.0, but must be an array"),
        ("gap", '[1.0, "x"]', "nodes.gap[2][1] is 'x', but must be a number or None"),
        ("stats", "[1.0, null]", "node 2 has stats that are not finite"),
    ],
)
def test_an_item_that_does_not_fit_is_named(name, item, sentence):
    with pytest.raises(ValueError, match=re.escape(f"m.json cannot be loaded: {sentence}")):
        read(with_item(name, 2, item), "m.json")


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("gain", "[[0.0], [0.0], [0.0]]", "nodes.gain[0] is [0.0], but must be a number"),
        ("gap", "[1.0, 2.0, 3.0]", "nodes.gap[0] is 1.0, but must be an array"),
        ("column", '["leaf", "leaf", "leaf"]', "nodes.column[0] is 'leaf', but must be an integer"),
        ("kind", "[0, 0, 0]", "nodes.kind[0] is 0, but must be one of"),
        ("gain", "[]", "gain has shape (0,)"),
        ("gain", "{}", "nodes.gain is {}, but must be an array"),
        ("gain", "3", "nodes.gain is 3, but must be an array"),
    ],
)
def test_an_array_that_does_not_fit_is_named(name, text, sentence):
    data = json.dumps(every_kind().to_dict() | {"nodes": every_kind().to_dict()["nodes"] | {name: "@"}})
    with pytest.raises(ValueError, match=re.escape(f"m.json cannot be loaded: {sentence}")):
        read(data.replace('"@"', text).encode(), "m.json")


def test_words_of_the_core_are_the_kinds_of_nodes():
    text = json.dumps({"nodes": {"kind": [*KINDS]}}).encode()
    assert parsed(text)["nodes"]["kind"].values.tolist() == list(range(len(KINDS)))
    assert all(word.isascii() and word.isalpha() for word in KINDS)  # written as they are, in quotes
