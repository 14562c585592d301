"""The numbers of the missing rules are the core's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hornbeam.growing.missing import MISSING, MissingRule

HEADER = Path(__file__).parents[2] / "cpp" / "hornbeam" / "types.hpp"


@pytest.mark.skipif(not HEADER.exists(), reason="the sources of the core are not here")
def test_the_rules_have_the_numbers_of_the_core():
    listed = re.search(r"enum class MissingRule\b[^{]*\{([^}]*)\}", HEADER.read_text())
    assert listed is not None
    numbers = {name.upper(): int(value) for name, value in re.findall(r"(\w+)\s*=\s*(\d+)", listed[1])}
    assert numbers == {rule.name: rule.value for rule in MissingRule}


def test_every_rule_has_a_choice_in_the_slot():
    assert {part.core_rule for part in MISSING.values()} == set(MissingRule)


@pytest.mark.parametrize("rule", MissingRule)
def test_rules_that_judge_by_known_rows(rule):
    assert rule.known_only == (rule.name in ("FRACTIONAL", "MAJORITY", "SURROGATES"))
