"""What a tree prints, taken apart as (conditions, leaf, answer): rules, Markdown, the page, forms, lines."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tests.support.printed_conditions import (
    ConditionReader,
    RowAsRead,
    inside_brackets,
    split_outside,
)

import hornbeam as hb

SURROGATES = -2


@dataclass(frozen=True)
class Printed:
    """(conditions, leaf, answer) of every rule of a text, and the sentences that stand below."""

    rules: list[tuple[str, int, str]]
    notes: list[str]

    def met(self, reader: ConditionReader, row: dict[str, Any]) -> list[tuple[int, str]]:
        """(leaf, answer) of the rules that hold for a row, as the sentences have them read."""
        read = reader.as_said(row, self.notes)
        return [(leaf, then) for when, leaf, then in self.rules if not when or read.holds(when)]


def printed_rules(model: Any) -> Printed:
    """The lines of `hb.rules`."""
    listed = hb.rules(model)
    lines = str(listed).splitlines()
    rules = [_rule(line, rule.leaf) for line, rule in zip(lines[: len(listed)], listed, strict=True)]
    return Printed(rules, lines[len(listed) :])


def _rule(line: str, leaf: int) -> tuple[str, int, str]:
    when, *rest = split_outside(line, " THEN ") if line.startswith("IF ") else ("", line)
    then = " THEN ".join(rest).removeprefix("ALWAYS ")
    return when.removeprefix("IF "), leaf, re.sub(r" \([^()]*\)$", "", then)


def printed_markdown(model: Any) -> Printed:
    """The rows of the Markdown table, and the paragraphs below, as they look when they are rendered."""
    rows = []
    table, *notes = hb.export(model, "markdown").split("\n\n")
    for line, rule in zip(table.splitlines()[2:], hb.rules(model), strict=True):
        when, then = re.split(r"(?<!\\)\|", line)[1:3]
        rows.append((_rendered(when), rule.leaf, _rendered(then)))
    return Printed(rows, [_rendered(f" {note.strip()} ") for note in notes])


def _rendered(cell: str) -> str:
    text = re.sub(r"\\([\\`*_{}\[\]()#+\-.!|<>~&$^:=])", r"\1", cell[1:-1])
    return "" if text == "always" else text


def printed_page(model: Any, X: Any, y: Any) -> Printed:
    """The rules of the HTML report, joined as the page joins them."""
    page = hb.report(model, X, y).to_html()
    document = json.loads(
        re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.S)[1]
    )
    nodes = enumerate(document["nodes"])
    rules = [(" and ".join(node["rule"]), k, "") for k, node in nodes if "rule" in node]
    return Printed(rules, document.get("notes", []))


def printed_forms(model: Any) -> Printed:
    """The terms of `hb.dnf`."""
    rows, notes = [], []
    for label, form in hb.dnf(model).items():
        formula, *said = str(form).split("\n")
        notes = list(form.notes)
        met_gaps = any(column.has_missing for column in form.tree.columns)
        assert said == notes or formula == "FALSE" or (not met_gaps and said == []), (said, notes)
        terms = [] if formula == "FALSE" else split_outside(formula, " OR ")
        for text, term in zip(terms, form.terms, strict=True):
            inner = inside_brackets(text)
            is_several = inner is not None and len(split_outside(inner, " AND ")) > 1
            rows.append(("" if text == "TRUE" else inner if is_several else text, term.leaf, str(label)))
    return Printed(rows, notes)


def leaf_by_lines(
    model: Any, text: str, reader: ConditionReader, row: dict[str, Any]
) -> tuple[int | None, bool]:
    """The leaf that a row comes to by the lines of `hb.show`, `├── ≤ 0.8 ∅  → setosa  #1`; None if none.

    Where the lines say that surrogates are asked, those of `hb.teaching.surrogates` are; SURROGATES if they
    do not tell. The second is whether they were asked: then the row meets no rules as they are printed.
    """
    lines = [line for line in text.splitlines() if re.search(r"#\d+$", line)]
    below = text.splitlines()[len(lines) :]
    takes_unlisted = "∅ missing values, and known values that no branch lists, go here" in below
    asks_surrogates = any("surrogates of the test are asked first" in line for line in below)
    read = reader.as_said(row, below)
    place, were_asked = 0, False
    while "→" not in split_outside(_shown(lines[place])[1], "  ")[place > 0]:
        depth, text = _shown(lines[place])
        question = split_outside(text, "  ")[place > 0].removesuffix("?")
        children = []
        for k in range(place + 1, len(lines)):
            level = _shown(lines[k])[0]
            if level <= depth:
                break
            if level == depth + 1:
                children.append(k)
        branches = {k: split_outside(_shown(lines[k])[1], "  ")[0] for k in children}
        taken = [k for k, branch in branches.items() if _leads(question, branch, read)]
        if asks_surrogates and not any(
            _leads(question, b.removesuffix(" ∅"), read) for b in branches.values()
        ):
            side = _side_of_surrogates(model, int(lines[place].rpartition("#")[2]), read)
            if side == SURROGATES:
                return SURROGATES, True
            were_asked = True
            taken = taken if side is None else [children[side]]
        if not taken and takes_unlisted and read.is_known(question):
            taken = [k for k, branch in branches.items() if branch.endswith(" ∅")]
        if not taken:
            return None, were_asked
        (place,) = taken
    return int(lines[place].rpartition("#")[2]), were_asked


def _side_of_surrogates(model: Any, node: int, read: RowAsRead) -> int | None:
    """The branch that the first surrogate which knows the row sends it to; None if none knows it.

    A set of values is told for one side only: what stands in none of the two, SURROGATES, is not known here.
    """
    for surrogate in hb.teaching.surrogates(model, node):
        truth = read.reader.truth(surrogate.test, read)
        if truth is False and surrogate.direction == "in":
            return SURROGATES
        if truth is not None:
            return 0 if truth else 1
    return None


def _shown(line: str) -> tuple[int, str]:
    rail = re.match(r"(?:│   |    |├── |└── )*", line)[0]
    return len(rail) // 4, line[len(rail) :]


def _leads(question: str, branch: str, read: RowAsRead) -> bool:
    core = branch.removesuffix(" ∅")
    if core in ("yes", "no"):
        text = f"({question})" if core == "yes" else f"not ({question})"
    else:
        text = f"{question} {core}"
    return read.holds(f"{text} or missing" if core != branch else text)


def check_explanation(model: Any, reader: ConditionReader, row: dict[str, Any], leaf: int) -> None:
    """The reasons of an explanation are true of the row and lead to its leaf, or to several."""
    explanation = hb.explain(model, row, changes=0)
    if leaf < 0:
        assert len(explanation.reached) > 1, (row, explanation)
        return
    lines = str(explanation).splitlines()
    if "outside the support" in lines[1]:
        return
    assert re.search(rf"leaf #{leaf}\b", lines[0]), (lines, leaf)
    reasons = [line[11:] for line in lines if line.startswith(("  because  ", "      and  "))]
    for step in (step for line in reasons for step in split_outside(line, "  and  ")):
        text, _, remark = step.removesuffix(", which has a branch of its own").partition(" (it is ")
        if text.endswith(", which training never saw"):
            continue
        if remark or not step.endswith(")") or inside_brackets(step) is not None:
            assert reader.as_said(row, []).holds(text), (step, row)
