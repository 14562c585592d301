"""Nodes: what a reader wants to know of every node, in words and numbers.

One idea: all wording is done here, so that the page, the text and any other reader of the document say the
same. A fact that has nothing to say is left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.intervals import Z95, wilson
from hornbeam.data.formatting import category_text, number_text, visible
from hornbeam.display.report.axes import numbers, rounded
from hornbeam.display.report.node_pictures import Pictures, strongest
from hornbeam.display.report.sample_rows import Sample
from hornbeam.reading.conditions import condition_texts, conditions_of
from hornbeam.reading.node_details import surrogates
from hornbeam.tree import answers as tree_answers
from hornbeam.tree import equations, words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import UNICODE, bounds_text, branch_text, is_for_missing, question_text

MARKS = {"numeric": "∿", "ordinal": "≡", "nominal": "◧"}
_SHARED = (
    "fractional",
    "all-paths",
    "learn",
    "branch",
)  # how a row with a gap may come to follow several branches
_SEVERAL = "∑"  # the mark of a test of several columns
# How the score of a test is written, by the tree's criterion.
_SCORES: Mapping[str, str] = {
    "entropy": "gain {} bit",
    "gain-ratio": "gain ratio {}",
    "gini": "Gini −{}",
    "root": "gain {}",
    "error": "errors −{}",
    "variance": "R² +{}",
    "sd": "sd −{}",
    "absolute": "loss −{}",
    "quantile": "loss −{}",
    "poisson": "deviance −{}",
}


class Nodes:
    """The facts of the nodes of one tree, with the rows of a sample where there are some."""

    def __init__(
        self, tree: Tree, sample: Sample | None, validation: Sample | None, pictures: Pictures | None
    ) -> None:
        self.tree, self.sample, self.validation, self.pictures = tree, sample, validation, pictures
        self.answers, self.models = tree.answers(), tree.leaf_models
        self.spreads = tree_answers.spreads(tree) if tree.task == "real" else None
        self.size = tree.n_rows.astype(float) if sample is None else sample.size
        leaves = tree.leaves().tolist()
        self.rules = dict(
            zip(leaves, map(condition_texts, conditions_of(tree, leaves, UNICODE)), strict=True)
        )
        if tree.classes is not None:
            self.counts = tree.stats if sample is None else sample.counts

    def of(self, node: int) -> dict[str, Any]:
        """The facts of one node."""
        tree, leaf = self.tree, self.tree.kind[node] == LEAF
        found: dict[str, Any] = {"n": rounded([self.size[node]])[0], "verdict": self.verdict(node)}
        if node:
            found |= self._edge(node)
        if leaf:
            found["rule"] = self.rules[node]
        else:
            found |= {"question": question_text(tree, node), "mark": self._mark(node)}
            score = self._score(node)
            found |= {"score": score} if score else {}
        if tree.classes is not None:
            found["counts"] = rounded(self.counts[node])
            found["label"] = int(tree.label[node])
            found["wrong"] = rounded([self.counts[node].sum() - self.counts[node, tree.label[node]]])[0]
        else:
            found["value"] = float(self.answers[node])
        if self.validation is not None:
            found["held"] = self._held(self.validation, node)
        picture = None if self.pictures is None else self.pictures.of(node)
        found |= {"picture": picture} if picture else {}
        found["facts"] = self._facts(node)
        if not leaf and tree.surrogate_offset[node] < tree.surrogate_offset[node + 1]:
            found["surrogates"] = [
                [s.test, words.percent(s.agreement), words.amount(s.association)]
                for s in surrogates(tree, node)
            ]
        if node in self.models:
            found["equation"] = self._equation(node)
        found["say"] = self._sentence(node, found)
        return found

    # ---- the answer ----------------------------------------------------------------------------------------

    def verdict(self, node: int) -> str:
        """The class and its share, the mean and the spread, or the equation in short."""
        tree = self.tree
        if tree.classes is not None:
            label = int(tree.label[node])
            share = "" if tree.uncounted else f" {words.percent(float(self.answers[node, label]))}"
            return f"{visible(category_text(tree.classes[label]))}{share}"
        if tree.kind[node] == LEAF and node in self.models:
            return self._short_equation(node)
        mean = words.amount(float(self.answers[node]))
        if self.spreads is None or tree.n_rows[node] == 0:
            return mean
        return f"{mean} ± {words.amount(float(self.spreads[node]))}"

    def _short_equation(self, node: int) -> str:
        """`≈ 93 + 412·bmi …(2)`: the strongest terms, and how many more there are."""
        model = self.models[node]
        terms = [t for t in model["terms"] if "power" in t]
        if self.sample is not None:
            terms = strongest(model, self.sample, *self.sample.at(node))
        text = f"≈ {_brief(model['intercept'])}"
        for term in terms[:1]:
            sign = "−" if term["coefficient"] < 0 else "+"
            power = "" if term["power"] == 1 else f"^{term['power']}"
            text += f" {sign} {_brief(abs(term['coefficient']))}·{visible(term['column'])}{power}"
        more = len(model["terms"]) - len(terms[:1])
        return f"{text} …({more})" if more else text

    def _equation(self, node: int) -> dict[str, Any]:
        model = self.models[node]
        rows = []
        for term in model["terms"]:
            name = visible(term["column"])
            what = name if term.get("power", 1) == 1 else f"{name}^{term['power']}"
            if term.get("center"):
                what = f"({name} − {number_text(term['center'])})^{term['power']}"
            if "values" in term:
                what = f"{name} ∈ {{{', '.join(visible(str(v)) for v in term['values'])}}}"
            rows.append([what, words.amount(term["coefficient"]), words.amount(term["gap"])])
        text = words.equation(self.tree, node, words.amount)
        return {
            "text": text + bounds_text(model["low"], model["high"]),
            "intercept": words.amount(model["intercept"]),
            "terms": rows,
        }

    # ---- the test and the way to it ------------------------------------------------------------------------

    def _mark(self, node: int) -> str:
        tested = self.tree.tested_columns(node)
        return MARKS[self.tree.columns[tested[0]].kind] if len(tested) == 1 else _SEVERAL

    def _score(self, node: int) -> str:
        tree, gain = self.tree, float(self.tree.gain[node])
        if not gain > 0:
            return ""
        criterion = str(tree.meta.get("criterion", ""))
        if criterion == "variance" and tree.impurity[0] > 0:
            gain *= float(tree.weight[node] / (tree.weight[0] * tree.impurity[0]))
        return _SCORES.get(criterion, "score {}").format(f"{gain:.3g}")

    def _edge(self, node: int) -> dict[str, Any]:
        """The branch that leads here, and what of its parent's gaps went this way."""
        tree, parent = self.tree, int(self.tree.parent[node])
        branch = node - int(tree.first_child[parent])
        own = is_for_missing(tree, parent, branch)
        text = "missing" if own else branch_text(tree, parent, branch, UNICODE)
        found: dict[str, Any] = {"branch": text} | ({"own": True} if own else {})
        gaps, total = self._gaps(parent, node)
        if own:
            return found
        if self.sample is None:
            marked = tree.missing[parent] == branch and tree.columns[tree.column[parent]].has_missing
            return found | ({"gaps": "∅"} if marked else {})
        if total and gaps:
            shared = not math.isclose(gaps, total) and tree.policy["missing"] in _SHARED
            found["gaps"] = (
                f"∅ ×{gaps / total:.2f}".replace("×0.", "×.") if shared else f"∅ {words.grouped(gaps)}"
            )
        return found

    def _gaps(self, parent: int, node: int) -> tuple[float, float]:
        """The rows of `node`, and of its parent, that lack a value its parent tests."""
        if self.sample is None:
            return 0.0, 0.0
        found = []
        for where in (node, parent):
            rows, weight = self.sample.at(where)
            lost = np.zeros(len(rows), dtype=np.bool_)
            for column in self.tree.tested_columns(parent):
                lost |= np.isnan(numbers(self.sample.table.arrays[column][rows]))
            found.append(float(weight[lost].sum()))
        return found[0], found[1]

    # ---- facts for the inspector ---------------------------------------------------------------------------

    def _facts(self, node: int) -> list[list[str]]:
        tree = self.tree
        total = float(self.size[0])
        share = f" ({words.percent(float(self.size[node]) / total)} of all)" if node and total else ""
        facts = [["records", f"{words.grouped(float(self.size[node]))}{share}"]]
        if tree.classes is not None and self.sample is not None and self.size[node]:
            n = float(self.counts[node].sum())
            wrong = n - float(self.counts[node, tree.label[node]])
            low, high = wilson((n - wrong) / n, self.sample.effective(node))
            share = words.percent(wrong / n) if n else "none"
            label = visible(category_text(tree.classes[int(tree.label[node])]))
            facts.append(["wrong here", f"{words.grouped(wrong)} of {words.grouped(n)} ({share})"])
            facts.append([f"share of {label}", f"95 % interval {low:.3f} to {high:.3f}"])
        elif self.spreads is not None and tree.n_rows[node] > 1:
            half = Z95 * float(self.spreads[node]) / math.sqrt(tree.n_rows[node] - 1)
            mean = float(tree.stats[node, 1] / tree.weight[node]) + tree.center
            ends = f"{words.amount(mean - half)} to {words.amount(mean + half)}"
            facts.append(["mean", f"{words.amount(mean)}, 95 % interval {ends}"])
            if node in self.models:
                error = math.sqrt(max(self.models[node]["error"], 0.0))
                mean_error = words.amount(float(self.spreads[node]))
                facts.append(["rmse here", f"{words.amount(error)} (of the mean: {mean_error})"])
        if tree.kind[node] != LEAF:
            facts += self._split_facts(node)
        elif not math.isnan(tree.impurity[node]):
            facts.append(["impurity", words.amount(float(tree.impurity[node]))])
        return facts

    def _split_facts(self, node: int) -> list[list[str]]:
        tree, facts = self.tree, []
        if tree.gain[node] > 0:
            facts.append(["score of the split", words.amount(float(tree.gain[node]))])
        if not math.isnan(tree.impurity[node]):
            facts.append(["impurity", words.amount(float(tree.impurity[node]))])
        if self.sample is not None:
            lost = self._gaps(node, node)[0]
            if lost:
                share = words.percent(lost / float(self.size[node]))
                facts.append(["missing here", f"{words.grouped(lost)} ({share})"])
        facts.append(["a missing value", self._missing_way(node)])
        return facts

    def _missing_way(self, node: int) -> str:
        tree, branch = self.tree, int(self.tree.missing[node])
        if tree.policy["missing"] == "all-paths":
            return "follows all branches"
        if tree.own_missing[node]:
            return "has a branch of its own"
        goes = (
            "follows all branches" if branch < 0 else f"goes to “{branch_text(tree, node, branch, UNICODE)}”"
        )
        if tree.surrogate_offset[node] < tree.surrogate_offset[node + 1]:
            return f"asks the surrogates, then {goes}"
        if branch < 0 and tree.policy["missing"] == "fractional":
            return "is shared among the branches"
        return goes

    def _held(self, held: Sample, node: int) -> list[Any]:
        """Rows of the validation table at the node, and how many of them it gets wrong (or their RMSE)."""
        n = rounded([held.size[node]])[0]
        if held.codes is not None:
            return [n, rounded([held.size[node] - held.counts[node, self.tree.label[node]]])[0]]
        rows, weight = held.at(node)
        assert held.values is not None
        if not len(rows):
            return [n, None]
        answers = equations.evaluate(self.tree, held.table.arrays, np.full(len(rows), node, np.int32), rows)
        squared = np.average((held.values[rows] - answers) ** 2, weights=weight)
        return [n, words.amount(math.sqrt(float(squared)))]

    def _sentence(self, node: int, facts: Mapping[str, Any]) -> str:
        """One plain sentence, for who cannot see the card."""
        way = f"{facts['branch']}: " if node else ""
        size = f"{words.grouped(float(self.size[node]))} records"
        told = str(facts["verdict"]).replace(" %", " percent").replace("±", "plus or minus")
        if self.tree.kind[node] == LEAF:
            return f"{way}leaf, {size}, predicts {told}"
        branches = int(self.tree.n_children[node])
        return f"{way}split on {facts['question']}, {size}, predicts {told}, {branches} branches"


def _brief(x: float) -> str:
    """A number in three digits.

    >>> _brief(-0.50234), _brief(41234.5)
    ('−0.502', '41200')
    """
    return number_text(float(f"{x:.3g}")).replace("-", "−")
