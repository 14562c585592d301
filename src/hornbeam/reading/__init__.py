"""Reading a tree: as indented text (`show`), rules (`rules`, `ruleset`), formulas (`dnf`), regions (`boxes`),
along the path of one row (`explain`), and question by question (`key`).

Everything here takes an estimator or a Tree and looks at the Tree only.
"""

from hornbeam.reading._common import tree_of
from hornbeam.reading.boxes import Box, Interval, boxes
from hornbeam.reading.changing import Change, Counterfactual, counterfactuals
from hornbeam.reading.conditions import Condition
from hornbeam.reading.dnf import ClassDNF, Term, dnf
from hornbeam.reading.explain import Explanation, explain
from hornbeam.reading.key import Key, KeyResult, key
from hornbeam.reading.lines import Line, Span, lines
from hornbeam.reading.probabilities import probabilities
from hornbeam.reading.rules import Rule, Rules, rules
from hornbeam.reading.ruleset import OrderedRule, RuleSet, ruleset
from hornbeam.reading.shapley import Shap, shap_values, to_shap
from hornbeam.reading.show import show
from hornbeam.reading.surrogates import SurrogateTest, surrogates

__all__ = [
    "Box",
    "Change",
    "ClassDNF",
    "Condition",
    "Counterfactual",
    "Explanation",
    "Interval",
    "Key",
    "KeyResult",
    "Line",
    "OrderedRule",
    "Rule",
    "RuleSet",
    "Rules",
    "Shap",
    "Span",
    "SurrogateTest",
    "Term",
    "boxes",
    "counterfactuals",
    "dnf",
    "explain",
    "key",
    "lines",
    "probabilities",
    "rules",
    "ruleset",
    "shap_values",
    "show",
    "surrogates",
    "to_shap",
    "tree_of",
]
