"""The checksum of saved files: whatever changes after saving is noticed, and accepted on request only."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.support.file_breaker import templates

import hornbeam as hb
from hornbeam.io.load import load_tree, read

X, Y = {"width": [1, 2, 3, 4], "colour": ["red", "blue", "red", "blue"]}, ["a", "a", "b", "b"]
DAMAGED = (
    "cannot be loaded: its content does not match its checksum, so it was changed or damaged after saving:"
)


def saved(model, tmp_path):
    return hb.save(model, tmp_path / "m.tree.json")


@pytest.fixture
def path(tmp_path):
    return saved(hb.TreeClassifier().fit(X, Y), tmp_path)


def test_every_kind_of_file_has_a_checksum_and_is_loaded_with_it():
    for text in templates():
        assert re.fullmatch(r' "checksum": "sha256:[0-9a-f]{64}",', text.splitlines()[3])
        read(text.encode(), "m.json")


def test_a_digit_changed_anywhere_in_any_kind_of_file_is_noticed():
    for k, text in enumerate(templates()):
        places = [match.start() for match in re.finditer(r"[0-9]", text)]
        for place in places[k % 97 :: 97]:
            other = text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :]
            with pytest.raises(ValueError, match=r"m\.json cannot be loaded: "):
                read(other.encode(), "m.json")


@pytest.mark.parametrize(
    "model",
    [
        hb.TreeClassifier(max_depth=1).fit(X, Y),
        hb.TreeClassifier(max_depth=1).fit(X, Y).tree_,
        hb.ForestClassifier(2, max_depth=1, random_state=0).fit(X, Y),
    ],
    ids=["model", "tree", "forest"],
)
def test_every_single_digit_and_letter_of_a_small_file_counts(model, tmp_path):
    data = saved(model, tmp_path).read_bytes()
    for place, byte in enumerate(data):
        other = b"1" if byte == ord("0") else b"0"
        with pytest.raises(ValueError, match=r"m\.json cannot be loaded: "):
            read(data[:place] + other + data[place + 1 :], "m.json")


def test_a_line_that_is_lost_or_there_twice_is_noticed(path):
    lines = path.read_bytes().splitlines(keepends=True)
    for k in range(len(lines)):
        if k == 3:
            continue  # without its checksum, a file is as release 0.1 wrote it
        for others in (lines[:k] + lines[k + 1 :], [*lines[: k + 1], *lines[k:]]):
            with pytest.raises(ValueError, match="cannot be loaded"):
                read(b"".join(others), "m.json")


def test_an_edited_file_is_refused_with_one_sentence_and_accepted_on_request(path):
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"threshold": [2.5,', '"threshold": [3.5,'), encoding="utf-8")
    for load in (hb.load, load_tree, hb.show):
        with pytest.raises(ValueError, match=f"^m.tree.json {DAMAGED}") as error:
            load(path)
        assert "hb.load(path, edited=True)" in str(error.value)
        assert "\n" not in str(error.value)
    model = hb.load(path, edited=True)
    assert model.tree_.threshold[0] == 3.5
    assert load_tree(path, edited=True) == model.tree_
    hb.save(model, path)
    assert hb.load(path).tree_ == model.tree_


def test_edited_files_are_checked_by_all_other_rules(path):
    text = path.read_text(encoding="utf-8").replace('"threshold": [2.5,', '"threshold": ["a",')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"nodes.threshold\[0\] is 'a'"):
        hb.load(path, edited=True)


@pytest.mark.parametrize("other", [None, 3, "", "sha256:", "md5:" + "0" * 32, "sha256:" + "0" * 64])
def test_a_checksum_of_another_kind_does_not_match(path, other):
    text = re.sub(r'"sha256:\w+"', json.dumps(other), path.read_text(encoding="utf-8"))
    with pytest.raises(ValueError, match=DAMAGED):
        read(text.encode(), "m.json")


def test_a_document_written_anew_by_another_program_counts_as_edited(path):
    text = json.dumps(json.loads(path.read_text(encoding="utf-8")))
    with pytest.raises(ValueError, match=DAMAGED):
        read(text.encode(), "m.json")
    assert read(text.encode(), "m.json", edited=True).tree_ == hb.load(path).tree_


def test_line_ends_of_windows_do_not_matter(path):
    model = hb.load(path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert hb.load(path).tree_ == model.tree_


def test_the_checksum_is_that_of_the_file_without_its_line(path):
    lines = path.read_bytes().splitlines(keepends=True)
    line = lines.pop(3)
    assert hashlib.sha256(b"".join(lines)).hexdigest() in line.decode()


def test_values_that_look_like_a_checksum_do_not_disturb(tmp_path):
    line = ' "checksum": "sha256:' + "0" * 64 + '",\n'
    model = hb.TreeClassifier().fit({line: [1, 2, 3]}, [line, "a", "b"])
    tree = model.tree_.replace(meta={**model.tree_.meta, "checksum": "sha256:" + "0" * 64})
    for given in (model, tree):
        assert np.array_equal(hb.load(saved(given, tmp_path)).predict([[1], [3]]), [line, "b"])


def test_a_tree_as_a_dict_has_no_checksum():
    tree = hb.TreeClassifier().fit(X, Y).tree_
    assert "checksum" not in tree.to_dict()
    assert hb.Tree.from_dict(tree.to_dict()) == tree


def test_files_without_a_checksum_are_loaded(path):
    lines = path.read_bytes().splitlines(keepends=True)
    del lines[3]
    assert read(b"".join(lines), Path(path).name).tree_ == hb.load(path).tree_
