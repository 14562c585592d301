"""C: a tree as one source file of C99 that needs nothing but math.h and string.h."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from hornbeam.io.export.c_runtime import (
    ANSWERS,
    CODE,
    DECISIONS,
    EQUATION,
    HELPERS,
    NUMBERS,
    OUTSIDE,
    READ,
    WALK,
)
from hornbeam.io.export.calls import Calls
from hornbeam.io.export.name_rules import refuse_null_text, refuse_twin_texts
from hornbeam.io.export.program import Program, program_of
from hornbeam.io.export.quotes import c_number, c_text, comment
from hornbeam.io.export.runtime_tables import identifier, wrapped
from hornbeam.io.export.time_values import kind_words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree


def c(tree: Tree, *, name: str = "predict") -> str:
    """A source file with `name`, `name_code`, and for classes `name_proba` and `name_classes`.

    `name(x)` takes an array of doubles, one for each column in the order of the file's first lines: numbers
    as they are, categories as `name_code(column, text)` gives them, NaN for a gap. It gives the number of a
    class, whose text is `name_classes[number]`, or a double. `name_proba(x, out)` writes the probability of
    each class. Times are numbers in the unit that the first lines name; times that are categories are text,
    2024-05-01, or 2024-05-01T12:30:00 where there is a time of day.

    >>> tree = Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})
    >>> "int predict(const double *given)" in c(tree)
    True
    """
    identifier(name)
    program = program_of(tree)
    refuse_null_text(program.columns, program.classes, "C")
    refuse_twin_texts(program.columns, "C")
    calls = Calls(program, c_number)
    tables = [line for table, values in calls.tables.items() for line in _table(table, values)]
    text = "\n".join([*tables, *_parts(calls), _branches(calls), *_nodes(program), *_answers(program, name)])
    helpers = [code.strip("\n") for word, code in HELPERS.items() if f"{word}(" in text]
    return "\n".join([*_head(program, name), *helpers, text]) + "\n"


def _head(program: Program, name: str) -> list[str]:
    lines = [f"/* A decision tree; call {name}(x), where x holds a double for each column:"]
    for place, column in enumerate(program.columns):
        how = kind_words(column) if column.kind == "numeric" else f"{name}_code({place}, text)"
        lines.append(f"   x[{place}]  {comment(column.name)}: {comment(how)}")
    return [*lines, "   A gap is NAN. */", "#include <math.h>", "#include <string.h>"]


def _table(name: str, values: Sequence[float]) -> list[str]:
    whole = all(isinstance(value, int) for value in values)
    pieces = [f"{value if whole else c_number(value)}," for value in values]
    return wrapped(f"static const {'int' if whole else 'double'} {name}[] = {{", pieces, "};")


def _parts(calls: Calls) -> list[str]:
    return [
        f"static {'double' if is_number else 'int'} hb_part_{k}(const double *x, const double *v)"
        f" {{ (void)x; (void)v; return {call}; }}"
        for k, (call, is_number) in enumerate(calls.helpers)
    ]


def _branches(calls: Calls) -> str:
    cases = [f"    case {node}: return {call};" for node, call in calls.tests.items()]
    head = "static int hb_branch(int node, const double *x, const double *v) {"
    return "\n".join([head, "  (void)x; (void)v;", "  switch (node) {", *cases, "  }", "  return -1;", "}"])


def _nodes(program: Program) -> list[str]:
    """Links of the nodes; a leaf has minus its number among the leaves, minus 1."""
    tree = program.tree
    number = {leaf: k for k, leaf in enumerate(program.leaves)}
    first = [-1 - number[n] if n in number else int(tree.first_child[n]) for n in range(len(tree))]
    sizes = [len(column.categories) for column in program.columns] or [0]
    lines = [
        *_table("hb_first", first),
        *_table("hb_count", tree.n_children.tolist()),
        *_table("hb_sizes", sizes),
    ]
    weight = [float(w) for w in program.weight[list(program.leaves)]] if program.by_leaf else [1.0]
    share = [1.0] if program.by_leaf else [float(s) for s in program.share]
    return [*lines, *_table("hb_weight", weight), *_table("hb_share", share)]


def _answers(program: Program, name: str) -> list[str]:
    leaves, k = list(program.leaves), max(len(program.classes), 1)
    costs = program.leaf_costs
    lines = [*_table("hb_alone", program.alone[leaves].ravel().tolist())]
    if not program.equations:
        lines += _table("hb_together", program.together[leaves].ravel().tolist())
    lines += _table("hb_each", [0.0] * k if costs is None else costs[leaves].ravel().tolist())
    facts = {
        "name": name,
        "k": k,
        "columns": len(program.used),
        "slots": max(len(program.used), 1),
        "stack": _stack(program.tree),
        "by_leaf": int(program.by_leaf),
        "has_costs": int(costs is not None),
        "together": "hb_equation(leaf, v)" if program.equations else f"hb_together[leaf * {k} + j]",
        "alone": "hb_equation(found.leaf, v)" if program.equations else "hb_alone[found.leaf]",
        "outside": "\n  if (hb_outside(x)) return 0;" if program.box else "",
    }
    lines += [*_equations(program), *_box(program), READ.substitute(facts).strip("\n")]
    lines += [WALK.substitute(facts), _codes(program, name)]
    if not program.classes:
        return [*lines, NUMBERS.substitute(facts)]
    lines += _table("hb_label", [int(program.tree.label[leaf]) for leaf in leaves])
    if program.decision == "cheapest":
        lines += _table("hb_costs", [0.0] if program.costs is None else program.costs.ravel().tolist())
    labels = ", ".join(c_text(label) for label in program.classes)
    lines += [
        f"const char *const {name}_classes[] = {{{labels}}};",
        DECISIONS[program.decision].substitute(facts),
    ]
    return [*lines, ANSWERS.substitute(facts)]


def _equations(program: Program) -> list[str]:
    """The tables of the leaves' equations, and the function that adds one up."""
    if not program.equations:
        return []
    number = {leaf: m for m, leaf in enumerate(program.equations)}
    every = list(program.equations.values())
    terms = [term for equation in every for term in equation.terms]
    tables: dict[str, list[float]] = {
        "hb_model": [number.get(leaf, -1) for leaf in program.leaves],
        "hb_intercept": [equation.intercept for equation in every],
        "hb_low": [equation.low for equation in every],
        "hb_high": [equation.high for equation in every],
        "hb_terms": [0, *accumulate(len(equation.terms) for equation in every)],
        "hb_term_column": [program.place[term.column] for term in terms] or [0],
        "hb_term_power": [term.power for term in terms] or [0],
        "hb_term_center": [term.center for term in terms] or [0.0],
        "hb_term_weight": [term.coefficient for term in terms] or [0.0],
        "hb_term_gap": [term.gap for term in terms] or [0.0],
        "hb_members": [0, *accumulate(len(term.codes) for term in terms)],
        "hb_member": [code for term in terms for code in term.codes] or [0],
    }
    return [line for name, values in tables.items() for line in _table(name, values)] + [EQUATION.strip("\n")]


def _box(program: Program) -> list[str]:
    """The box outside of which a density is 0."""
    if not program.box:
        return []
    tables: dict[str, list[float]] = {
        "hb_box_column": [program.place[side.column] for side in program.box],
        "hb_box_known": [int(side.low is None) for side in program.box],
        "hb_box_low": [0.0 if side.low is None else side.low for side in program.box],
        "hb_box_high": [0.0 if side.high is None else side.high for side in program.box],
    }
    lines = [line for name, values in tables.items() for line in _table(name, values)]
    return [*lines, OUTSIDE.substitute(sides=len(program.box)).strip("\n")]


def _codes(program: Program, name: str) -> str:
    """The function from the text of a category to its code."""
    cases: list[str] = []
    for place, column in enumerate(program.columns):
        tests = _matches(enumerate(column.categories))
        if tests:
            cases += [f"    case {place}:", *tests, "      break;"]
    return CODE.substitute(name=name, cases="\n".join(cases))


def _matches(values: Iterable[tuple[int, object]]) -> list[str]:
    return [f"      if (strcmp(text, {c_text(value)}) == 0) return {code};" for code, value in values]


def _stack(tree: Tree) -> int:
    """How many nodes can wait at once: all siblings of the nodes on a path."""
    waiting = [1] * len(tree)
    for node in range(1, len(tree)):
        parent = int(tree.parent[node])
        waiting[node] = waiting[parent] + int(tree.n_children[parent]) - 1
    return max(
        waiting[node] + (0 if tree.kind[node] == LEAF else int(tree.n_children[node]))
        for node in range(len(tree))
    )
