"""What Póczos prints about tennis, taxes, eighty people, votes, counted truth values and patients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
from scipy.stats import chi2, chi2_contingency

from hornbeam.editing.candidates import candidates
from hornbeam.teaching import datasets, demonstrations, measures
from hornbeam.teaching.reproduce.fact import Fact, fact
from hornbeam.teaching.reproduce.lecture_numbers import (
    best,
    branches,
    builddt,
    errors,
    gains,
    ratio_text,
    where_is,
)

# Slides 38-41: values as (Yes:No, entropy), then the gain, its slide and its erratum.
_TENNIS: Mapping[str, tuple[Mapping[str, tuple[str, str]], str, str, str]] = {
    "Outlook": (
        {"Sunny": ("2:3", "0.9710"), "Overcast": ("4:0", "0"), "Rain": ("3:2", "0.9710")},
        "0.2465",
        "38",
        "E24",
    ),
    "Humidity": ({"High": ("3:4", "0.9852"), "Normal": ("6:1", "0.5917")}, "0.151", "39", "E24"),
    "Wind": ({"Weak": ("6:2", "0.811"), "Strong": ("3:3", "1")}, "0.048", "40", ""),
    "Temperature": ({}, "", "41", ""),
}


def tennis() -> Iterator[Fact]:
    """Slides 7 and 38 to 41."""
    data = datasets.load("tennis")
    whole = measures.entropy(Counter(data.y or []))
    yield fact("tennis", "H(Play)", "Póczos, slide 38", "0.9403", whole)
    for column, (values, gain, slide, erratum) in _TENNIS.items():
        where, x = f"Póczos, slide {slide}", data.X[column]
        for value, counts in branches(data, column):
            number, entropy = values.get(value, ("", ""))
            yield fact("tennis", f"{column}={value}, Yes:No", where, number, ratio_text(counts[::-1]))
            yield fact("tennis", f"H(Play | {value})", where, entropy, measures.entropy(counts))
        yield fact("tennis", f"I(Play, {column})", where, gain, measures.information_gain(x, data.y), erratum)
        yield fact("tennis", f"gain ratio of {column}", where, "", measures.gain_ratio(x, data.y))
    yield fact("tennis", "best root", "Póczos, slide 41", "Outlook", best(gains(data)))
    sunny = gains(where_is(data, "Outlook", "Sunny"), ["Temperature", "Humidity", "Wind"])
    yield fact("tennis", "best below Sunny", "Póczos, slide 41", "Humidity", best(sunny))
    model = builddt(data)
    yield fact("tennis", "tree", "Póczos, slide 5", "", model.tree_.text())
    day = {"Outlook": ["Sunny"], "Temperature": ["Hot"], "Humidity": ["High"], "Wind": ["Strong"]}
    said = str(model.predict(day)[0])
    yield fact("tennis", "Sunny, Hot, High, Strong", "Póczos, slide 7", "No", said)


def tax() -> Iterator[Fact]:
    """Slides 10 to 18: the tree drawn, and the one that is learned."""
    data, tree = datasets.load("tax"), datasets.load_tree("tax")
    yield fact("tax", "errors of the tree drawn", "Póczos, slide 11", "0", errors(tree, data))
    asked = {"Refund": ["no", "no"], "MarSt": ["Married", "Single"], "TaxInc": [80.0, 80.0]}
    married, single = tree.predict(asked).tolist()
    yield fact("tax", "no refund, married, 80K", "Póczos, slide 18", "No", married)
    yield fact("tax", "no refund, single, 80K", "Póczos, slide 11", "undefined", single, "E30")
    for column, gained in gains(data, ["Refund", "MarSt"]).items():
        yield fact("tax", f"gain of {column}", "Póczos, slide 10", "", gained)
    cut = max(candidates(data.X, data.y, columns="TaxInc"), key=lambda test: test.gain)
    yield fact("tax", f"gain of {cut.test}", "Póczos, slide 10", "", cut.gain)
    yield fact("tax", "tree learned", "Póczos, slide 10", "", builddt(data).tree_.text())


def eighty() -> Iterator[Fact]:
    """Slide 31: which of two columns to split on."""
    data, where = datasets.load("eighty"), "Póczos, slide 31"
    printed = {
        "Refund": {"yes": ("40:0", "0"), "no": ("10:30", "")},
        "MarSt": {"Single/Divorced": ("30:10", ""), "Married": ("20:20", "1")},
    }
    whole = measures.tabulate(data.X["Refund"], data.y, counts=data.counts)
    total = whole.counts.sum(axis=0)
    order = [whole.classes.index("Genuine"), whole.classes.index("Cheat")]
    yield fact("eighty", "Genuine:Cheats", where, "50:30", ratio_text(total[order]))
    yield fact("eighty", "H", where, "", measures.entropy(total))
    for column, values in printed.items():
        for value, counts in branches(data, column):
            number, entropy = values[value]
            yield fact(
                "eighty", f"{column}={value}, Genuine:Cheats", where, number, ratio_text(counts[order])
            )
            yield fact("eighty", f"H({column}={value})", where, entropy, measures.entropy(counts))
    found = gains(data)
    for column, gained in found.items():
        yield fact("eighty", f"gain of {column}", where, "", gained)
    yield fact("eighty", "gives more information", where, "Refund", best(found))


def voting() -> Iterator[Fact]:
    """Slides 60 to 62: are votes independent of gender?"""
    data = datasets.load("voting")
    observed = measures.tabulate(data.X["Gender"], data.y, counts=data.counts)
    test = chi2_contingency(observed.counts, correction=False)
    printed = {
        "Male": {"Republican": "180", "Democrat": "180", "Independent": "40"},
        "Female": {"Republican": "270", "Democrat": "270", "Independent": "60"},
    }
    for gender, votes in printed.items():
        for vote, number in votes.items():
            cell = observed.branches.index(gender), observed.classes.index(vote)
            expected = float(test.expected_freq[cell])
            yield fact("voting", f"expected {gender}, {vote}", "Póczos, slide 61", number, expected)
    last = float(test.expected_freq[observed.branches.index("Female"), observed.classes.index("Independent")])
    yield fact("voting", "last denominator of the sum", "Póczos, slide 61", "40", last, "E27")
    yield fact("voting", "chi-square", "Póczos, slide 61", "16.2", float(test.statistic))
    yield fact("voting", "degrees of freedom", "Póczos, slide 62", "2", int(test.dof))
    yield fact("voting", "p value", "Póczos, slide 62", "0.0003", float(test.pvalue))


def xcount() -> Iterator[Fact]:
    """Slides 64 to 66: the test of one node."""
    data = datasets.load("xcount")
    for column, gained in gains(data).items():
        yield fact("xcount", f"gain of {column}", "Póczos, slide 64", "", gained)
    tree = builddt(data).tree_
    yield fact("xcount", "tree", "Póczos, slide 64", "", tree.text())
    yield fact("xcount", "root", "Póczos, slide 64", "X1", tree.columns[int(tree.column[0])].name)
    node = where_is(data, "X1", "F")
    found = measures.tabulate(node.X["X2"], node.y, counts=node.counts)
    test = chi2_contingency(found.counts, correction=False)
    yes, no = found.classes.index("T"), found.classes.index("F")
    yield fact("xcount", "S", "Póczos, slide 64", "6", int(found.counts.sum()))
    yield fact("xcount", "p", "Póczos, slide 64", "1", int(found.counts[:, yes].sum()))
    yield fact("xcount", "n", "Póczos, slide 64", "5", int(found.counts[:, no].sum()))
    expected = {("F", yes): "1/6", ("T", yes): "5/6", ("F", no): "5/6", ("T", no): "25/6"}
    for (value, label), printed in expected.items():
        number = float(test.expected_freq[found.branches.index(value), label])
        what = f"expected X2={value}, Y={found.classes[label]}"
        yield fact("xcount", what, "Póczos, slide 65", printed, number)
    yield fact("xcount", "Z", "Póczos, slide 65", "6", float(test.statistic), "E28")
    yield fact("xcount", "degrees of freedom", "Póczos, slide 65", "1", int(test.dof))
    critical = float(chi2.isf(0.05, test.dof))
    yield fact("xcount", "critical value at 0.05", "Póczos, slide 66", "3.8415", critical)
    yield fact("xcount", "p value", "Póczos, slide 66", "", float(test.pvalue))
    decision = "keep" if test.statistic > critical else "prune"
    yield fact("xcount", "node X2", "Póczos, slide 66", "keep", decision)


def patients() -> Iterator[Fact]:
    """Slides 27 and 28: a thousand patients, ten unrelated features."""
    where = "Póczos, slide 28"
    few = demonstrations.overfitting(repetitions=1, n_test=1000)
    binary = demonstrations.expected_training_error(1000, 10, 0.25)
    yield fact("patients", "ill of 1000", "Póczos, slide 27", "250", round(few.share * few.n_rows))
    yield fact("patients", "training error, binary features", where, "0%", binary, "E23")
    yield fact("patients", "training error, continuous features", where, "0%", few.full_training)
    yield fact("patients", "new data, tree learned by heart", where, "37%", few.memorising)
    yield fact("patients", "training error of the best tree", where, "25%", few.leaf_training)
    yield fact("patients", "new data, best tree", where, "25%", float(measures.error([250, 750])))


def pinwheel() -> Iterator[Fact]:
    """Slide 21: five regions that binary splits cannot give."""
    data = datasets.load("pinwheel")
    yield fact("pinwheel", "regions", "Póczos, slide 21", "5", len(np.unique(data.y or [])))
    leaves = builddt(data).tree_.n_leaves
    yield fact("pinwheel", "leaves of the tree learned", "Póczos, slide 21", "", leaves)
