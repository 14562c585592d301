"""The page about pruning shows what each method takes, and every refusal is a sentence that says why."""

from pathlib import Path

import pytest
from tests.support.pruning_features import BEGIN, CASES, CLASSES, END, METHODS, REAL, refusal, table

PAGE = Path(__file__).parents[2] / "docs" / "algorithms" / "pruning.md"
# What has no meaning; everything else is taken.
CLASSES_ONLY = {"chi-square", "srm", "error-based", "collapse", "srm-selection"}
NUMBERS_ONLY = {"m5"}
APART = {("classes: costs of rows", "error-based")}


def shown():
    """The cells of the table on the page, by feature and method."""
    text = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    lines = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")][2:]
    return {
        (feature.strip(), method): cell.strip() == "✓"
        for feature, *cells in lines
        for method, cell in zip(METHODS, cells, strict=True)
    }


@pytest.mark.parametrize("feature", CASES)
def test_the_page_shows_what_each_method_takes(feature):
    cells, one = shown(), CASES[feature]()
    for method in METHODS:
        said = refusal(one, method)
        assert cells[feature, method] == (said is None), (method, said)
        if said is not None:
            assert "\n" not in said
            assert f"- `{method}`" in PAGE.read_text(encoding="utf-8")
            assert said in PAGE.read_text(encoding="utf-8")


def test_only_what_has_no_meaning_is_refused():
    for (feature, method), taken in shown().items():
        task = feature.split(":")[0]
        wrong = CLASSES_ONLY if task == "numbers" else NUMBERS_ONLY
        assert taken == (method not in wrong and (feature, method) not in APART), (feature, method)


def test_every_method_and_feature_is_on_the_page():
    assert len(shown()) == (len(CLASSES) + len(REAL)) * len(METHODS)


@pytest.mark.slow
def test_the_page_is_what_the_program_writes():
    text = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].strip()
    assert text == table(), "run: python -m tests.support.pruning_features docs/algorithms/pruning.md"
