"""What a reader wants to know of every node, in words and numbers.

One idea: all wording is done here, so that the page, the text and any other reader of the document say the
same. A fact that has nothing to say is left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.error_limits import Z95, wilson
from hornbeam.data.formatting import class_text, number_text, share_text, visible
from hornbeam.display.drawing.node_words import KIND_SIGNS
from hornbeam.display.report.column_facts import rounded, rounded_count
from hornbeam.display.report.node_pictures import NodePictures, strongest_terms
from hornbeam.display.rows_at_nodes import RowsAtNodes
from hornbeam.evaluation.stability_result import Stability, again_text, again_where
from hornbeam.reading.conditions import condition_texts, conditions_of
from hornbeam.reading.node_details import surrogates
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import answers as tree_answers
from hornbeam.tree import equations, words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.equation_words import coefficient, equation_in_bounds
from hornbeam.tree.scores import Scores, digits, score_name, score_text, unit_of
from hornbeam.tree.survival_curves import facts_text
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import UNICODE, branch_text, is_for_missing, question_text

_DIVIDING = ("fractional", "all-paths", "learn")  # by which a row without a value may follow several branches
_SEVERAL = "∑"  # the sign of a test of several columns


class NodeFacts:
    """The facts of the nodes of one tree, with rows where there are some."""

    def __init__(
        self,
        tree: Tree,
        sample: RowsAtNodes | None = None,
        validation: RowsAtNodes | None = None,
        pictures: NodePictures | None = None,
        stability: Stability | None = None,
    ) -> None:
        self.tree, self.sample, self.validation, self.pictures = tree, sample, validation, pictures
        self.answers, self.models, self.scores = tree.answers(), tree.leaf_models, Scores(tree)
        self.spreads = tree_answers.spreads(tree) if tree.task.has_spread else None
        self.marks = tree_annotations.by_node(tree)
        self.again = {} if stability is None else {test.node: test for test in stability.tests}
        self.size = tree.n_rows.astype(float) if sample is None else sample.size
        leaves = tree.leaves().tolist()
        self.rules = dict(
            zip(leaves, map(condition_texts, conditions_of(tree, leaves, UNICODE)), strict=True)
        )
        if tree.classes is not None:
            self.counts = tree.stats if sample is None else sample.counts

    def of(self, node: int) -> dict[str, Any]:
        """Return the facts of one node."""
        tree, is_leaf = self.tree, self.tree.kind[node] == LEAF
        facts: dict[str, Any] = {"n": rounded_count(self.size[node]), "verdict": self.verdict(node)}
        if node:
            facts |= self._edge(node)
        if is_leaf:
            facts["rule"] = self.rules[node]
        else:
            facts |= {"question": question_text(tree, node), "mark": self._sign(node)}
            score = self.scores.text(node)
            facts |= {"score": score} if score else {}
            facts |= {"again": again_text(self.again[node], 1)} if node in self.again else {}
        if tree.classes is not None:
            facts["counts"] = rounded(self.counts[node])
            facts["label"] = int(tree.label[node])
            facts["wrong"] = rounded_count(self.counts[node].sum() - self.counts[node, tree.label[node]])
        else:
            facts["value"] = float(self.answers[node])
        if self.validation is not None:
            facts["held"] = self._held_out(self.validation, node)
        picture = None if self.pictures is None else self.pictures.of(node)
        facts |= {"picture": picture} if picture else {}
        facts["facts"] = self._inspector_facts(node)
        if not is_leaf and self._has_surrogates(node):
            facts["surrogates"] = [
                [s.test, words.percent(s.agreement), words.amount(s.association)]
                for s in surrogates(tree, node)
            ]
        if node in self.models:
            facts["equation"] = self._equation(node)
        facts |= self._marked(node)
        facts["say"] = self._sentence(node, facts)
        return facts

    def _marked(self, node: int) -> dict[str, Any]:
        """What people did at the node: a test chosen by hand, a lock, a note."""
        mark = self.marks.get(node, {})
        marked: dict[str, Any] = {"locked": True} if mark.get("locked") else {}
        if mark.get("note"):
            marked["note"] = str(mark["note"])
        if forced := mark.get("forced"):
            marked["forced"] = {
                "text": f"chosen · rank {forced.get('rank', '?')} of {forced.get('of', '?')}",
                "detail": cost_of_choice(forced, self.scores.criterion),
            }
        return marked

    def _has_surrogates(self, node: int) -> bool:
        return bool(self.tree.surrogate_offset[node] < self.tree.surrogate_offset[node + 1])

    def _label(self, node: int) -> str:
        assert self.tree.classes is not None
        return class_text(self.tree.classes[int(self.tree.label[node])])

    # ---- the answer ----------------------------------------------------------------------------------------

    def verdict(self, node: int) -> str:
        """Return the class and its share, the mean and the spread, or the equation in short."""
        tree = self.tree
        if tree.classes is not None:
            share = "" if tree.uncounted else words.answer_share(tree, node, self.answers[node])
            return share_text(self._label(node), share)
        if tree.kind[node] == LEAF and node in self.models:
            return self._short_equation(node)
        mean = ("risk " if tree.task.is_survival else "") + words.amount(float(self.answers[node]))
        if self.spreads is None or tree.n_rows[node] == 0:
            return mean
        return f"{mean} ± {words.amount(float(self.spreads[node]))}"

    def _short_equation(self, node: int) -> str:
        """`≈ 93 + 412·bmi …(2)`: the strongest terms, and how many more there are."""
        model = self.models[node]
        terms = [t for t in model["terms"] if "power" in t]
        if self.sample is not None:
            terms = strongest_terms(self.sample, node)
        text = f"≈ {_brief(model['intercept'])}"
        for term in terms[:1]:
            sign = "−" if term["coefficient"] < 0 else "+"
            power = "" if term["power"] == 1 else f"^{term['power']}"
            text += f" {sign} {_brief(abs(term['coefficient']))}·{visible(term['column'])}{power}"
        more = len(model["terms"]) - len(terms[:1])
        return f"{text} …({more})" if more else text

    def _equation(self, node: int) -> dict[str, Any]:
        model = self.models[node]
        terms = []
        for term in model["terms"]:
            name = visible(term["column"])
            what = name if term.get("power", 1) == 1 else f"{name}^{term['power']}"
            if term.get("center"):
                what = f"({name} − {number_text(term['center'])})^{term['power']}"
            if "values" in term:
                what = f"{name} in {{{', '.join(visible(str(v)) for v in term['values'])}}}"
            terms.append([what, coefficient(term["coefficient"]), coefficient(term["gap"])])
        return {
            "text": equation_in_bounds(self.tree, node),
            "intercept": coefficient(model["intercept"]),
            "terms": terms,
        }

    # ---- the test and the way to it ------------------------------------------------------------------------

    def _sign(self, node: int) -> str:
        tested = self.tree.tested_columns(node)
        return KIND_SIGNS[self.tree.columns[tested[0]].kind] if len(tested) == 1 else _SEVERAL

    def _edge(self, node: int) -> dict[str, Any]:
        """The branch that leads here, and how many rows without a value went this way."""
        tree, parent = self.tree, int(self.tree.parent[node])
        branch = node - int(tree.first_child[parent])
        if is_for_missing(tree, parent, branch):
            return {"branch": "missing", "own": True}
        whole, brief = (branch_text(tree, parent, branch, UNICODE, brief=brief) for brief in (False, True))
        edge = {"branch": brief} | ({"whole": whole} if whole != brief else {})
        if self.sample is None:
            follow = tree.missing[parent] == branch and tree.columns[tree.column[parent]].has_missing
            return edge | ({"gaps": "∅"} if follow else {})
        came, total = self._lacking_value(parent, node), self._lacking_value(parent, parent)
        if total and came:
            is_divided = not math.isclose(came, total) and tree.policy["missing"] in _DIVIDING
            share = f"×{came / total:.2f}".replace("×0.", "×.")
            edge["gaps"] = f"∅ {share if is_divided else words.grouped(came)}"
        return edge

    def _lacking_value(self, tested_at: int, node: int) -> float:
        """What the rows of `node` count for that lack a value tested at `tested_at`."""
        if self.sample is None:
            return 0.0
        rows, weight = self.sample.at(node)
        return float(weight[self.sample.lack_values(rows, self.tree.tested_columns(tested_at))].sum())

    # ---- facts for the inspector ---------------------------------------------------------------------------

    def _inspector_facts(self, node: int) -> list[list[str]]:
        tree = self.tree
        total = float(self.size[0])
        share = f" ({words.percent(float(self.size[node]) / total)} of all)" if node and total else ""
        facts = [["records", f"{words.grouped(float(self.size[node]))}{share}"]]
        if tree.classes is not None and self.sample is not None and self.size[node]:
            n = float(self.counts[node].sum())
            wrong = n - float(self.counts[node, tree.label[node]])
            low, high = wilson((n - wrong) / n, self.sample.effective(node))
            share = words.percent(wrong / n) if n else "none"
            facts.append(["wrong here", f"{words.grouped(wrong)} of {words.grouped(n)} ({share})"])
            facts.append([f"share of {self._label(node)}", f"95 % interval {low:.3f} to {high:.3f}"])
        elif self.spreads is not None and tree.n_rows[node] > 1:
            half = Z95 * float(self.spreads[node]) / math.sqrt(tree.n_rows[node] - 1)
            mean = float(tree.stats[node, 1])
            ends = f"{words.amount(mean - half)} to {words.amount(mean + half)}"
            facts.append(["mean", f"{words.amount(mean)}, 95 % interval {ends}"])
            if node in self.models:
                error = math.sqrt(max(self.models[node]["error"], 0.0))
                mean_error = words.amount(float(self.spreads[node]))
                facts.append(["rmse here", f"{words.amount(error)} (of the mean: {mean_error})"])
        if tree.task.is_survival:
            facts.append(["survival", facts_text(tree, node) or "not known"])
        if tree.kind[node] != LEAF:
            facts += self._split_facts(node)
        else:
            facts += self._impurity(node)
        return facts

    def _impurity(self, node: int) -> list[list[str]]:
        name, impurity = score_name(self.scores.criterion).impurity, float(self.tree.impurity[node])
        return [] if math.isnan(impurity) else [[name, f"{digits(impurity)}{unit_of(name)}"]]

    def _split_facts(self, node: int) -> list[list[str]]:
        facts: list[list[str]] = []
        if node in self.again:
            facts.append(["tested again", again_text(self.again[node])])
            where = again_where(self.again[node])
            facts += [["the test again", where]] if where else []
        facts += self._impurity(node)
        lacking = self._lacking_value(node, node)
        if lacking:
            share = words.percent(lacking / float(self.size[node]))
            facts.append(["missing here", f"{words.grouped(lacking)} ({share})"])
        return [*facts, ["a missing value", self._way_of_missing(node)]]

    def _way_of_missing(self, node: int) -> str:
        tree, branch = self.tree, int(self.tree.missing[node])
        if tree.policy["missing"] == "all-paths":
            return "follows all branches"
        if tree.own_missing[node]:
            return "has a branch of its own"
        goes = (
            "follows all branches"
            if branch < 0
            else f"goes to “{branch_text(tree, node, branch, UNICODE, brief=True)}”"
        )
        if self._has_surrogates(node):
            return f"asks the surrogates, then {goes}"
        if branch < 0 and tree.policy["missing"] == "fractional":
            return "is shared among the branches"
        return goes

    def _held_out(self, rows: RowsAtNodes, node: int) -> list[Any]:
        """Rows of the validation table at the node, and how many of them it gets wrong (or their RMSE)."""
        n = rounded_count(rows.size[node])
        if rows.codes is not None:
            return [n, rounded_count(rows.size[node] - rows.counts[node, self.tree.label[node]])]
        row, weight = rows.at(node)
        assert rows.values is not None
        if not len(row) or self.tree.task.is_survival:
            return [n, None]
        answers = equations.evaluate(self.tree, rows.table.arrays, np.full(len(row), node, np.int32), row)
        squared = np.average((rows.values[row] - answers) ** 2, weights=weight)
        return [n, words.amount(math.sqrt(float(squared)))]

    def _sentence(self, node: int, facts: Mapping[str, Any]) -> str:
        """One plain sentence, for those who cannot see the box."""
        way = f"{facts['branch']}: " if node else ""
        size = f"{words.grouped(float(self.size[node]))} records"
        verdict = str(facts["verdict"]).replace(" %", " percent").replace("±", "plus or minus")
        by_hand = f", {tree_annotations.forced_text(self.marks[node]['forced'])}" if "forced" in facts else ""
        by_hand += ", locked" if "locked" in facts else ""
        by_hand += f", note: {facts['note']}" if "note" in facts else ""
        if self.tree.kind[node] == LEAF:
            return f"{way}leaf, {size}, predicts {verdict}{by_hand}"
        branches = int(self.tree.n_children[node])
        return f"{way}split on {facts['question']}, {size}, predicts {verdict}, {branches} branches{by_hand}"


def cost_of_choice(forced: Mapping[str, Any], criterion: str) -> str:
    """A test chosen by hand beside the best one, in words.

    >>> choice = {"rank": 3, "of": 4, "score": 0.04813, "best": "Outlook", "best_score": 0.2467}
    >>> cost_of_choice(choice, "entropy")
    'chosen by hand, rank 3 of 4; gain 0.0481 bits, the best is Outlook with gain 0.247 bits'
    """
    text = tree_annotations.forced_text(forced)
    if forced.get("score") is not None:
        text += f"; {score_text(criterion, float(forced['score']))}"
    if forced.get("best") and forced.get("rank") != 1:
        best = forced.get("best_score")
        text += f", the best is {visible(str(forced['best']))}"
        text += "" if best is None else f" with {score_text(criterion, float(best))}"
    return text


def _brief(x: float) -> str:
    """A number in three digits.

    >>> _brief(-0.50234), _brief(41234.5)
    ('−0.502', '41200')
    """
    return number_text(float(f"{x:.3g}")).replace("-", "−")
