"""C: a tree as one source file of C99 that needs nothing but math.h and string.h."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate
from string import Template

from hornbeam.io.export.branch_calls import Calls, wrapped
from hornbeam.io.export.literals import c_number, c_text, comment
from hornbeam.io.export.refused_names import check_function_name, refuse_null_text, refuse_twin_texts
from hornbeam.io.export.time_values import kind_words
from hornbeam.io.export.tree_program import Program, program_of
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
    check_function_name(name)
    program = program_of(tree)
    refuse_null_text(program.columns, program.classes, "C")
    refuse_twin_texts(program.columns, "C")
    calls = Calls(program, c_number)
    tables = calls.tables | _node_tables(program) | _equation_tables(program) | _box_tables(program)
    data = [line for table, values in tables.items() for line in _table(table, values)]
    code = "\n".join([*_parts(calls), _branches(calls), _codes(program, name), _answers(program, name)])
    return "\n".join([*_head(program, name), *data, *_constants(program), *_called(code), code]) + "\n"


@cache
def _functions() -> tuple[str, ...]:
    text = files("hornbeam.io.export").joinpath("c_runtime.c").read_text(encoding="utf-8")
    return tuple(text.strip().split("\n\n")[1:])  # after the comment


def _called(code: str) -> list[str]:
    """The functions of `c_runtime.c` that the code calls, and those that they call."""
    called: list[str] = []
    for function in reversed(_functions()):
        names = re.findall(r"^static [\w ]*\b(hb_\w+)\(", function, re.MULTILINE)
        if any(f"{name}(" in text for name in names for text in (code, *called)):
            called.insert(0, function)
    return called


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


def _constants(program: Program) -> list[str]:
    """What the functions of `c_runtime.c` know about the tree."""
    k = max(len(program.classes), 1)
    constants = {
        "HB_CLASSES": k,
        "HB_COLUMNS": len(program.used),
        "HB_SLOTS": max(len(program.used), 1),
        "HB_STACK": _stack(program.tree),
        "HB_BY_LEAF": int(program.by_leaf),
        "HB_HAS_COSTS": int(program.leaf_costs is not None),
        "HB_SIDES": len(program.box),
        "HB_TOGETHER(leaf, j)": "hb_equation(leaf, v)"
        if program.equations
        else f"hb_together[leaf * {k} + j]",
    }
    return [f"#define {name} {value}" for name, value in constants.items()]


def _node_tables(program: Program) -> dict[str, list[float]]:
    """Links, weights and answers of the nodes; a leaf has minus its number among the leaves, minus 1."""
    tree, leaves = program.tree, list(program.leaves)
    number = {leaf: k for k, leaf in enumerate(leaves)}
    tables: dict[str, list[float]] = {
        "hb_first": [-1 - number[n] if n in number else int(tree.first_child[n]) for n in range(len(tree))],
        "hb_count": tree.n_children.tolist(),
        "hb_sizes": [len(column.categories) for column in program.columns] or [0],
        "hb_weight": program.weight[leaves].tolist() if program.by_leaf else [1.0],
        "hb_share": [1.0] if program.by_leaf else program.share.tolist(),
        "hb_alone": program.alone[leaves].ravel().tolist(),
        "hb_each": [0.0] if program.leaf_costs is None else program.leaf_costs[leaves].ravel().tolist(),
    }
    if not program.equations:
        tables["hb_together"] = program.together[leaves].ravel().tolist()
    if program.classes:
        tables["hb_label"] = [int(tree.label[leaf]) for leaf in leaves]
    if program.decision == "cheapest":
        tables["hb_costs"] = [0.0] if program.costs is None else program.costs.ravel().tolist()
    return tables


def _answers(program: Program, name: str) -> str:
    """The functions that are called from outside."""
    if not program.classes:
        alone = "hb_equation(answer.leaf, v)" if program.equations else "hb_alone[answer.leaf]"
        outside = "\n  if (hb_outside(x)) return 0;" if program.box else ""
        return _NUMBERS.substitute(name=name, alone=alone, outside=outside)
    labels = ", ".join(c_text(label) for label in program.classes)
    return _CLASSES.substitute(name=name, labels=labels, decision=f"hb_{program.decision}")


def _equation_tables(program: Program) -> dict[str, list[float]]:
    """The tables of the leaves' equations."""
    if not program.equations:
        return {}
    number = {leaf: m for m, leaf in enumerate(program.equations)}
    every = list(program.equations.values())
    terms = [term for equation in every for term in equation.terms]
    return {
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


def _box_tables(program: Program) -> dict[str, list[float]]:
    """The box outside of which a density is 0."""
    if not program.box:
        return {}
    return {
        "hb_box_column": [program.place[side.column] for side in program.box],
        "hb_box_known": [int(side.low is None) for side in program.box],
        "hb_box_low": [0.0 if side.low is None else side.low for side in program.box],
        "hb_box_high": [0.0 if side.high is None else side.high for side in program.box],
    }


def _codes(program: Program, name: str) -> str:
    """The function from the text of a category to its code."""
    cases: list[str] = []
    for place, column in enumerate(program.columns):
        tests = [
            f"      if (strcmp(text, {c_text(value)}) == 0) return {code};"
            for code, value in enumerate(column.categories)
        ]
        if tests:
            cases += [f"    case {place}:", *tests, "      break;"]
    return _CODE.substitute(name=name, cases="\n".join(cases))


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


_CODE = Template("""\
/* The code of a category of a column: NAN if there is no text, -2 if the tree has never seen it. */
double ${name}_code(int column, const char *text) {
  if (!text) return NAN;
  switch (column) {
$cases
    default: break;
  }
  return -2;
}""")

_CLASSES = Template("""\
const char *const ${name}_classes[] = {$labels};
int ${name}(const double *given) {
  double x[HB_SLOTS], v[HB_SLOTS];
  hb_answer answer;
  hb_read(given, x, v);
  answer = hb_walk(x, v);
  return answer.leaf >= 0 ? hb_label[answer.leaf] : $decision(&answer);
}
void ${name}_proba(const double *given, double *out) {
  double x[HB_SLOTS], v[HB_SLOTS];
  hb_answer answer;
  int j;
  hb_read(given, x, v);
  answer = hb_walk(x, v);
  for (j = 0; j < HB_CLASSES; j++) {
    out[j] = answer.leaf >= 0 ? hb_alone[answer.leaf * HB_CLASSES + j] : answer.p[j];
  }
}""")

_NUMBERS = Template("""\
double ${name}(const double *given) {
  double x[HB_SLOTS], v[HB_SLOTS];
  hb_answer answer;
  hb_read(given, x, v);$outside
  answer = hb_walk(x, v);
  return answer.leaf >= 0 ? $alone : answer.p[0];
}""")
