"""Every reader takes its seeds, and inputs made of them, without a fault; atheris makes further ones."""

import importlib.util
import random

import pytest
from tests.fuzz.attempts import HiddenAccidentError, attempt
from tests.fuzz.run import SEEDS, fault_place, fuzz, guarded_target
from tests.fuzz.targets import READERS

N_MUTANTS = 25  # of each reader
SECONDS = 3  # of each reader, beside what it takes to begin


def seeds_of(name):
    return [path.read_bytes() for path in sorted((SEEDS / name).iterdir())]


def mutant(seeds, words, draw):
    """A seed with one to four changes: bytes, words, pieces doubled, cut out or of another seed."""
    data = bytearray(draw.choice(seeds))
    for _ in range(draw.choice((1, 1, 2, 4))):
        at, length = draw.randrange(len(data) + 1), draw.randrange(1, 20)
        other = draw.choice(seeds)
        start = draw.randrange(len(other) + 1)
        change = draw.choice(("byte", "bit", "word", "double", "cut", "other", "end"))
        if change == "byte":
            data[at : at + 1] = bytes([draw.randrange(256)])
        elif change == "bit" and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif change == "word" and words:
            data[at:at] = draw.choice(words).encode().decode("unicode_escape").encode("latin-1")
        elif change == "double":
            data[at:at] = data[at : at + length] * draw.choice((1, 30))
        elif change == "cut":
            del data[at : at + length]
        elif change == "other":
            data[at:at] = other[start : start + length]
        elif change == "end" and draw.random() < 0.2:
            del data[at:]
    return bytes(data)


@pytest.mark.filterwarnings("ignore:::openpyxl", "ignore::SyntaxWarning")
@pytest.mark.parametrize("name", READERS)
def test_seeds_and_mutants_are_read_or_refused(name):
    reader, seeds = READERS[name], seeds_of(name)
    accepted = [reader.target(data) for data in seeds]
    assert any(accepted)  # if nothing is read, the mutants test nothing
    draw = random.Random(name)
    for _ in range(N_MUTANTS):
        reader.target(mutant(seeds, reader.words, draw))


def test_the_seeds_are_small():
    sizes = [path.stat().st_size for path in SEEDS.rglob("*") if path.is_file()]
    assert sum(sizes) < 300_000
    assert {path.name for path in SEEDS.iterdir()} == set(READERS)


def test_accidents_behind_a_sentence_are_seen():
    from hornbeam.io import load

    def refuses():
        raise ValueError("a sentence")

    def stumbles():
        return load._guarded(lambda data: load.check_checksum(data, None, edited=True), b"", "x")

    assert attempt(lambda: 3, ValueError) == (True, 3)
    assert attempt(refuses, ValueError) == (False, None)
    with pytest.raises(HiddenAccidentError, match="TypeError became x cannot be loaded"):
        attempt(stumbles, ValueError)


def test_a_fault_is_kept_once_for_each_place(tmp_path, capsys):
    def target(data):
        if data:
            raise KeyError(data)
        return True

    run = guarded_target(target, tmp_path, "odd")
    for data in (b"", b"1", b"2"):
        run(data)
    (kept,) = tmp_path.glob("odd-*.input")
    assert kept.read_bytes() == b"1"
    assert "KeyError" in kept.with_suffix(".txt").read_text()
    assert capsys.readouterr().out.count("FAULT") == 1
    assert fault_place(KeyError("never raised")) == "KeyError"


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris, which guides by coverage, is missing"
)
@pytest.mark.parametrize("name", READERS)
def test_inputs_made_by_atheris_are_read_or_refused(name, tmp_path):
    result = fuzz(name, tmp_path, SECONDS)
    assert (result["faults"], result["crashes"]) == ([], [])
    assert result["executions"] > 0
    assert result["coverage"] > 0
