"""Reading a tree: as indented text (`show`), rules (`rules`, `ruleset`), formulas (`dnf`), regions (`boxes`),
along the path of one row (`explain`), and question by question (`key`).

Everything here takes an estimator or a Tree and looks at the Tree only.

A name is imported when it is first used, so that printing a saved tree does not wait for the other readers.
"""

from typing import TYPE_CHECKING

from hornbeam._base.lazy_names import import_when_used

if TYPE_CHECKING:
    from hornbeam.reading.boxes import Box, Interval, boxes
    from hornbeam.reading.conditions import Condition
    from hornbeam.reading.counterfactuals import Change, Counterfactual, counterfactuals
    from hornbeam.reading.dnf import ClassDNF, Term, dnf
    from hornbeam.reading.explain import Explanation, explain
    from hornbeam.reading.key import Key, KeyResult, key
    from hornbeam.reading.lines import Line, Span, lines
    from hornbeam.reading.node_details import SurrogateTest, probabilities, surrogates
    from hornbeam.reading.rules import Rule, Rules, rules
    from hornbeam.reading.ruleset import OrderedRule, RuleSet, ruleset
    from hornbeam.reading.shap import Shap, shap_values, to_shap
    from hornbeam.reading.show import show

# The names of each module.
_NAMES = {
    "boxes": "Box Interval boxes",
    "conditions": "Condition",
    "counterfactuals": "Change Counterfactual counterfactuals",
    "dnf": "ClassDNF Term dnf",
    "explain": "Explanation explain",
    "key": "Key KeyResult key",
    "lines": "Line Span lines",
    "node_details": "SurrogateTest probabilities surrogates",
    "rules": "Rule Rules rules",
    "ruleset": "OrderedRule RuleSet ruleset",
    "shap": "Shap shap_values to_shap",
    "show": "show",
}
_HOMES = {name: f"reading.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "Box", "Change", "ClassDNF", "Condition", "Counterfactual", "Explanation", "Interval", "Key",
    "KeyResult", "Line", "OrderedRule", "Rule", "RuleSet", "Rules", "Shap", "Span", "SurrogateTest",
    "Term", "boxes", "counterfactuals", "dnf", "explain", "key", "lines", "probabilities", "rules",
    "ruleset", "shap_values", "show", "surrogates", "to_shap",
]  # fmt: skip

__getattr__ = import_when_used(__name__, _HOMES)
