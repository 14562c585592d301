"""Huffman codes and cross-entropy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.measured_groups import counted

from hornbeam.teaching import measures as m


@given(st.lists(st.integers(1, 50), min_size=2, max_size=12))
def test_huffman_codes_are_prefix_free_and_within_a_bit_of_the_entropy(counts):
    words = m.huffman_code(counts)
    assert [len(word) for word in words] == m.huffman_lengths(counts)
    assert sum(2.0 ** -len(word) for word in words) == 1.0
    assert not any(a != b and b.startswith(a) for a in words for b in words)
    assert len(set(words)) == len(words)
    mean, bits = m.mean_code_length(counts), m.entropy(counts)
    assert bits - 1e-12 <= mean < bits + 1


@given(st.lists(st.integers(1, 30), min_size=2, max_size=6))
def test_no_other_lengths_are_shorter(counts):
    """Against every way to join two groups first."""

    def shortest(weights):
        if len(weights) == 1:
            return 0
        pairs = [(i, j) for i in range(len(weights)) for j in range(i)]
        rest = ([w for k, w in enumerate(weights) if k not in pair] for pair in pairs)
        sums = [weights[i] + weights[j] for i, j in pairs]
        return min(s + shortest([*r, s]) for s, r in zip(sums, rest, strict=True))

    if len(counts) <= 4:
        assert m.mean_code_length(counts) * sum(counts) == pytest.approx(shortest(counts))


def test_codes_at_the_edges():
    assert m.huffman_lengths({"only": 3}) == {"only": 0}
    assert m.huffman_code([1.0]) == [""]
    assert m.huffman_lengths([1, 0, 1]) == [2, 2, 1]
    assert m.huffman_lengths([0.4, 0.2, 0.2, 0.1, 0.1]) == [2, 2, 2, 3, 3]
    assert m.mean_code_length({"a": 3, "b": 1}, {"b": 2, "a": 1}) == 1.25
    with pytest.raises(ValueError, match="lengths has no length for 'b'"):
        m.mean_code_length({"a": 3, "b": 1}, {"a": 1})
    with pytest.raises(ValueError, match="lengths has 1 numbers for 2 symbols"):
        m.mean_code_length([1, 1], [1])


@given(counted, st.integers(0, 5))
def test_cross_entropy_is_never_below_entropy(counts, seed):
    other = np.random.default_rng(seed).random(len(counts)) + 0.01
    assert m.cross_entropy(counts, other) >= m.entropy(counts) - 1e-12
    assert m.cross_entropy(counts, counts) == pytest.approx(m.entropy(counts), abs=1e-12)


def test_cross_entropy_of_the_impossible_is_infinite():
    assert m.cross_entropy([1, 1], [1, 0]) == math.inf
    assert m.cross_entropy([1, 0], [1, 0]) == 0.0
    assert m.cross_entropy({"a": 1, "b": 1}, {"b": 3, "a": 1}) == pytest.approx(1.207519, abs=1e-6)
    assert m.cross_entropy({"a": 1, "b": 1}, {"a": 1}) == math.inf
    assert m.cross_entropy([1, 3], [1, 3], math.e) == pytest.approx(m.entropy([1, 3]) * math.log(2))
    with pytest.raises(ValueError, match="p has 2 numbers and q has 3"):
        m.cross_entropy([1, 1], [1, 1, 1])
    with pytest.raises(TypeError, match="both be dicts"):
        m.cross_entropy({"a": 1}, [1])
