"""What the lectures print is compared with what is computed, and every disagreement has its erratum."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import hornbeam as hb
from hornbeam import datasets
from hornbeam.teaching.reproduce import VERDICTS, reproduce, reproducible
from hornbeam.teaching.reproduce.fact import verdict

ERRATA = Path(__file__).parents[2] / "docs" / "errata.md"


@pytest.fixture(scope="module")
def everything():
    return reproduce("all")


def value(name, what, where=""):
    """The value of one fact."""
    found = [f.value for f in reproduce(name) if f.what == what and f.where.startswith(where)]
    assert len(found) == 1, (name, what, found)
    return found[0]


def test_it_is_a_public_name():
    assert hb.teaching.reproduce is reproduce


@pytest.mark.parametrize(
    ("printed", "found", "expected"),
    [
        ("0.84", 0.844361, "rounded"),
        ("0.35", 0.344361, "slide is wrong"),
        ("46.3", 46.25, "rounded"),
        ("46.2", 46.25, "rounded"),
        ("0.5", 0.5, "agrees"),
        ("1", 0.940286, "slide is wrong"),
        ("23%", 0.234282, "rounded"),
        ("24%", 0.234282, "slide is wrong"),
        ("25%", 0.25, "agrees"),
        ("25/6", 25 / 6, "agrees"),
        ("5/14", 6 / 14, "slide is wrong"),
        ("> 0", 0.1, "agrees"),
        ("> 0", 0.0, "slide is wrong"),
        ("2:1", "2:1", "agrees"),
        ("No", "no", "agrees"),
        ("body", "neck", "slide is wrong"),
        ("-5.5", -5.5, "agrees"),
        ("14", 14, "agrees"),
        ("", 3.0, "not printed"),
    ],
)
def test_the_verdict_follows_from_the_digits_printed(printed, found, expected):
    assert verdict(printed, found) == expected


def test_every_table_can_be_reproduced(everything):
    assert set(reproducible()) == {*datasets.names(), "patients"}
    assert {fact.table for fact in everything} == set(reproducible())
    assert len(everything) == sum(len(reproduce(name)) for name in reproducible())
    for fact in everything:
        assert fact.verdict in VERDICTS
        assert fact.what
        assert fact.where


def test_a_wrong_slide_has_an_erratum(everything):
    assert [fact.what for fact in everything.wrong if not fact.erratum] == []


def test_what_has_an_erratum_is_wrong_unless_only_its_spelling_is(everything):
    right = {fact.erratum for fact in everything if fact.erratum and fact.verdict != "slide is wrong"}
    assert right == {"E8", "E14", "E28"}


def errata_by_table():
    """{erratum: names} as the page of errata lists them."""
    rows = re.findall(
        r"^\| (E\d+) \|.*\| ([^|]*) \|$", ERRATA.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return {erratum: set(re.findall(r"`(\w+)`", names)) for erratum, names in rows}


def test_the_page_of_errata_says_what_is_reproduced(everything):
    listed = errata_by_table()
    assert list(listed) == [f"E{k}" for k in range(1, 33)]
    found = {}
    for fact in everything:
        if fact.erratum:
            found.setdefault(fact.erratum, set()).add(fact.table)
    assert {erratum: names for erratum, names in listed.items() if names} == found


@pytest.mark.parametrize(
    ("name", "what", "expected"),
    [
        ("robots", "H(class | body)", 0.344361),
        ("robots", "Gain(holds)", 0.405639),
        ("robots", "gain ratio of neck", 0.333333),
        ("gladiator", "Math, gain of Gender", 0.311278),
        ("gladiator", "P(Yes) of the latter", 0.333333),
        ("hours", "joined SD of Outlook", 7.658936),
        ("hours", "SDR of Temp", 0.479691),
        ("hours", "Sunny, SDR of Windy", 7.615419),
        ("hours", "Rainy, SDR of Temp", 4.182031),
        ("hours_A", "standard deviation", 11.603131),
        ("hours_B", "SDR of Outlook", 1.800875),
        ("tax", "gain of TaxInc<=95", 0.321928),
        ("eighty", "gain of Refund", 0.548795),
        ("voting", "chi-square", 16.203704),
        ("voting", "p value", 0.000303),
        ("xcount", "gain of X1", 0.609987),
        ("xcount", "p value", 0.014306),
        ("temperature", "gain of Temperature<=29", 0.311278),
        ("xor5", "gain of X3", 0.311278),
        ("fig84", "half entropy after", 0.242738),
        ("fig84", "variance function after", 0.244949),
        ("huffman", "average message length", 1.75),
        ("cs178", "Gini index of (0.9, 0.1)", 0.18),
        ("patients", "training error, binary features", 0.119559),
        ("pt_S1", "val(T), Gini", 0.297481),
        ("pt_S2", "errors of the full tree", 15),
    ],
)
def test_values_are_those_of_the_worked_tables(name, what, expected):
    assert value(name, what) == pytest.approx(expected, abs=1e-6)


def test_tennis_is_compared_with_both_lectures():
    assert value("tennis", "I(Play, Outlook)", "Póczos") == pytest.approx(0.24675, abs=1e-6)
    assert value("tennis", "I(X, Outlook)", "Li") == pytest.approx(0.24675, abs=1e-6)
    printed = {f.where: f.printed for f in reproduce("tennis") if f.what.startswith("I(")}
    assert printed["Póczos, slide 38"] == "0.2465"
    assert printed["Li, Outlook"] == "0.3954"
    assert printed["Li, Temperature"] == "0.0889"


def test_values_are_computed_not_remembered(monkeypatch):
    """With another table the same slide gets another verdict."""
    original = datasets.load

    def changed(name):
        data = original(name)
        if name == "hours":
            data.y[0] = 1000.0
        return data

    monkeypatch.setattr(datasets, "load", changed)
    facts = {fact.what: fact for fact in reproduce("hours") if fact.where == "Li, Standard deviation example"}
    assert facts["mean"].verdict == "slide is wrong"
    assert facts["mean"].value == pytest.approx(39.785714 + 975 / 14, abs=1e-6)


def test_the_text_is_aligned_and_the_data_plain():
    found = reproduce("voting")
    lines = str(found).splitlines()
    assert lines[0] == "voting"
    column = lines[1].index("verdict")
    assert [line[column:] for line in lines[3:]] == [
        f"{fact.verdict} ({fact.erratum})" if fact.erratum else fact.verdict for fact in found
    ]
    data = json.loads(json.dumps(found.to_dict()))
    assert data["name"] == "voting"
    assert data["facts"][0] == found.facts[0].to_dict()


def test_trees_stand_below_their_line():
    text = str(reproduce("tax"))
    assert "\n    MarSt[Divorced: yes(0:1) | Married: no(3:0) | Single: no(1:0)]" in text


def test_nothing_is_printed(capsys):
    str(reproduce())
    assert capsys.readouterr().out == ""


def test_all_is_everything_and_json(everything):
    assert reproduce().name == "all"
    json.dumps(everything.to_dict())
    assert str(everything).count("recomputed") == len(reproducible())
    assert everything.errata[:3] == ["E1", "E2", "E4"]


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(ValueError, match=r"nothing to reproduce called 'tenis' \(did you mean 'tennis'\?\)"):
        reproduce("tenis")
    with pytest.raises(ValueError, match="choose all, robots"):
        reproduce(None)
