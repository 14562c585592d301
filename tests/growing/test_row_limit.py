"""More rows than 32 bits can number are refused, not truncated."""

import numpy as np
import pytest

from hornbeam import _core

SENTENCE = (
    "a table of 4,294,967,296 rows is too large: growing takes at most 4,294,967,294 rows; "
    "take a sample of the rows"
)


def test_growing_refuses_more_rows_than_it_can_number():
    column = (np.zeros(3), 0, 1, 0)
    with pytest.raises(ValueError, match=f"^{SENTENCE}$"):
        _core.grow([column], 2**32, {}, {}, None)
    with pytest.raises(ValueError, match=f"^{SENTENCE}$"):
        _core.grow_forest([column], 2**32, {}, {}, np.zeros(1, dtype=np.uint64), None, None)


def test_density_trees_refuse_more_rows_than_they_can_number():
    column = (np.zeros(3), 0, 0, 0.0, 1.0)
    with pytest.raises(ValueError, match=f"^{SENTENCE}$"):
        _core.density([column], 2**32, None, None, {}, None)


def test_fewer_rows_than_the_limit_are_not_too_many():
    column = (np.zeros(3), 0, 1, 0)
    with pytest.raises(ValueError, match="columns differ in length"):
        _core.grow([column], 2**32 - 2, {}, {}, None)
