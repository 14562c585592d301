"""Python: a tree as a module without imports, for a place where Hornbeam is not installed."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template
from typing import Any

from hornbeam.data.columns import Column
from hornbeam.io.export.branch_calls import Calls, wrapped
from hornbeam.io.export.literals import comment, is_odd, plain_value, python_value
from hornbeam.io.export.python_times import TIMES
from hornbeam.io.export.refused_names import check_function_name
from hornbeam.io.export.time_values import kind_words, ticks_of, time_of
from hornbeam.io.export.tree_program import Program, program_of
from hornbeam.tree.tree import Tree


def python(tree: Tree, *, name: str = "predict") -> str:
    """A module with a function `name(row)`, and `name_proba(row)` for classes.

    A row is a dict from column names to values; None, NaN or no entry is a gap. `name_proba` gives a dict
    from class to probability. Times are what Python, numpy or pandas has for them, ISO text (but for spans),
    or numbers in the unit that the module's first lines name. The module imports nothing.

    >>> tree = Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})
    >>> space = {}
    >>> exec(python(tree), space)
    >>> space["predict"]({"width": 0.5}), space["predict_proba"]({"width": 3})
    ('a', {'a': 0.0, 'b': 1.0})
    """
    check_function_name(name)
    program = program_of(tree)
    calls = Calls(program, python_value)
    lines = [*_head(program, name), _RUNTIME.strip("\n")]
    if any(time_of(column) for column in program.columns):
        lines.append(TIMES.strip("\n"))
    for table, values in calls.tables.items():
        lines += wrapped(f"{table} = (", [f"{python_value(v)}," for v in values], ")")
    lines += [f"def hb_part_{k}(x, v): return {call}" for k, (call, _) in enumerate(calls.helpers)]
    lines += ["hb_tests = {"]
    lines += [f"    {node}: lambda x, v: {call}," for node, call in calls.tests.items()] + ["}"]
    for title, rows in _node_tables(program).items():
        lines += wrapped(f"hb_{title} = {{", [f"{k}: {_literal(v)}," for k, v in rows.items()], "}")
    lines += [
        f"hb_classes = {_literal([plain_value(c) for c in program.classes])}",
        f"hb_costs = {_literal(None if program.costs is None else program.costs.tolist())}",
    ]
    return "\n".join(lines) + _ending(program, name)


def _ending(program: Program, name: str) -> str:
    """What is called: the answers of classes, of numbers, of equations, of a density."""
    words = {"name": name, "decide": f"hb_{program.decision}"}
    if program.classes:
        return _CLASSES.substitute(words)
    if program.tree.task.is_density:
        return f"\nhb_box = {_literal(_box(program))}" + _DENSITY.substitute(words)
    return (_EQUATIONS if program.equations else _NUMBERS).substitute(words)


def _literal(value: object) -> str:
    """A value, or a tuple of them, nested as lists are."""
    if not isinstance(value, list | tuple):
        return python_value(value) if value is not None else "None"
    return f"({' '.join(f'{_literal(v)},' for v in value)})"


def _head(program: Program, name: str) -> list[str]:
    lines = [
        f"# A decision tree; call {name}(row), where row is a dict from column names to values.",
        "# Columns:",
    ]
    lines += [f"#   {comment(column.name)} ({comment(kind_words(column))})" for column in program.columns]
    lines += ["hb_nan = float('nan')", "hb_columns = ("]
    lines += [f"    ({python_value(c.name)}, {_codes(c)}, {_reading(c)})," for c in program.columns]
    return [*lines, ")"]


def _codes(column: Column) -> str:
    if column.kind == "numeric":
        return "None"
    keys = map(ticks_of, column.categories) if time_of(column) else column.categories
    pairs = (f"{python_value(key)}: {code}" for code, key in enumerate(keys))
    return f"{{{', '.join(pairs)}}}"


def _reading(column: Column) -> str:
    """How a value is read: as a time, as its text, or as it is."""
    how = time_of(column)
    return str((how.family, how.unit, how.zone != "")) if how else str(is_odd(column.categories))


def _node_tables(program: Program) -> dict[str, Mapping[int, Any]]:
    """Tables by title: node -> a number, or a list of numbers.

    children : first child and number of children of each test
    weight : of each leaf, empty where branches share a row instead
    share : of each child among its siblings; all 1 where leaves are weighted
    label : the class of each leaf
    alone, together : what each leaf answers alone, and contributes to several
    each : the cost of each class at each leaf, for trees grown with costs of rows
    models : intercept, bounds and terms of each leaf that answers with an equation
    """
    tree, leaves = program.tree, program.leaves
    every = range(1, len(tree))
    shares = {n: 1.0 if program.by_leaf else float(program.share[n]) for n in every}
    tables: dict[str, Mapping[int, Any]] = {
        "children": {n: [int(tree.first_child[n]), int(tree.n_children[n])] for n in program.tests},
        "weight": {n: float(program.weight[n]) for n in leaves} if program.by_leaf else {},
        "share": shares,
        "label": {n: int(tree.label[n]) for n in leaves} if program.classes else {},
        "alone": {n: program.alone[n].tolist() for n in leaves},
        "together": {n: program.together[n].tolist() for n in leaves},
        "each": {},
        "models": {n: _equation(program, n) for n in program.equations},
    }
    if program.leaf_costs is not None:
        tables["each"] = {n: program.leaf_costs[n].tolist() for n in leaves}
    return tables


def _equation(program: Program, leaf: int) -> list[Any]:
    """[intercept, low, high, terms]; a term is [place, power, center, coefficient, gap, codes]."""
    equation = program.equations[leaf]
    terms = [
        [program.place[t.column], t.power, t.center, t.coefficient, t.gap, list(t.codes)]
        for t in equation.terms
    ]
    return [equation.intercept, equation.low, equation.high, terms]


def _box(program: Program) -> list[Any]:
    """The sides of a density's box: [place, low, high]; low and high are None for a column of categories."""
    return [[program.place[side.column], side.low, side.high] for side in program.box]


_RUNTIME = """
def hb_value(name, value, codes, how):
    if value is None or type(value).__name__ == "NAType" or value != value:
        return hb_nan if codes is None else -1
    if isinstance(how, tuple):
        value = hb_ticks(name, value, *how)
    if codes is None:
        return value if isinstance(value, int) else float(value)
    try:
        return codes.get(str(value) if how is True else value, -2)
    except TypeError:
        return -2

def hb_cut(x, t): return 0 if x <= t else 1 if x > t else -1
def hb_band(x, cuts, n): return -1 if x != x else sum(1 for cut in cuts if x > cut)
def hb_same(x, code): return -1 if x < 0 else int(x != code)
def hb_other(x, code): return -1 if x == -1 else int(x != code)
def hb_pick(x, table): return -1 if x < 0 else table[x]
def hb_alike(x, z, table): return -1 if x < 0 or z < 0 else int(x == table[z])
def hb_side(x, t, low, high): return low if x <= t else high if x > t else -1
def hb_known(branch, other): return branch if branch >= 0 else other
def hb_unless(x, branch): return -1 if x == -2 else branch
def hb_ask(truth): return -1 if truth < 0 else 1 - truth
def hb_not(a): return a if a < 0 else 1 - a
def hb_and(a, b): return 0 if a == 0 or b == 0 else 1 if a == 1 and b == 1 else -1
def hb_or(a, b): return 1 if a == 1 or b == 1 else 0 if a == 0 and b == 0 else -1
def hb_eq(a, b): return -1 if a != a or b != b else int(a == b)
def hb_ne(a, b): return -1 if a != a or b != b else int(a != b)
def hb_lt(a, b): return -1 if a != a or b != b else int(a < b)
def hb_le(a, b): return -1 if a != a or b != b else int(a <= b)
def hb_gt(a, b): return -1 if a != a or b != b else int(a > b)
def hb_ge(a, b): return -1 if a != a or b != b else int(a >= b)
def hb_counted(a): return hb_nan if a < 0 else float(a)
def hb_negative(a): return -a
def hb_add(a, b): return float(a) + b
def hb_sub(a, b): return float(a) - b
def hb_mul(a, b): return float(a) * b
def hb_div(a, b):
    a, b = float(a), float(b)
    if b != 0:
        return a / b
    return hb_nan if a == 0 or a != a else float("inf") if (a > 0) == (str(b)[0] != "-") else -float("inf")
def hb_pow(a, b):
    a, b = float(a), float(b)
    if a != a or b != b:
        return hb_nan
    odd = b % 2 == 1
    try:
        power = a ** b
    except ZeroDivisionError:
        return -float("inf") if odd and str(a)[0] == "-" else float("inf")
    except OverflowError:
        return -float("inf") if odd and a < 0 else float("inf")
    return hb_nan if isinstance(power, complex) else power

def hb_sum(v, columns, weights, n):
    total = 0.0
    for column, weight in zip(columns, weights):
        total += weight * v[column]
    return total

def hb_tuple(v, columns, k, values, branches, n):
    given = tuple(v[column] for column in columns)
    for i in range(n):
        if given == values[i * k : i * k + k]:
            return branches[i]
    return -1

def hb_read(row):
    x = [hb_value(name, row.get(name), codes, how) for name, codes, how in hb_columns]
    v = [hb_nan if codes is not None and x[k] < 0 else x[k] for k, (_, codes, _) in enumerate(hb_columns)]
    return x, v
def hb_total(values):
    total = 0.0
    for value in values:
        total += value
    return total

def hb_walk(x, v):
    leaves, todo = [], [(0, 1.0)]
    while todo:
        node, part = todo.pop()
        if node not in hb_tests:
            leaves.append((node, hb_weight[node] if hb_weight else part))
            continue
        first, n = hb_children[node]
        branch = hb_tests[node](x, v)
        if branch >= 0:
            todo.append((first + branch, part))
        else:
            todo += [(first + k, part * hb_share[first + k]) for k in range(n)]
    leaves.sort()
    if len(leaves) == 1:
        return [(leaves[0][0], 1.0)]
    if any(weight > 0 for _, weight in leaves):
        leaves = [(leaf, weight) for leaf, weight in leaves if weight > 0]
    else:
        leaves = [(leaf, 1.0) for leaf, _ in leaves]
    total = hb_total(weight for _, weight in leaves)
    return [(leaf, weight / total) for leaf, weight in leaves]

def hb_mixed(leaves, table):
    width = len(table[leaves[0][0]])
    return [hb_total(weight * table[leaf][k] for leaf, weight in leaves) for k in range(width)]
def hb_heaviest(p, leaves):
    return next(k for k, share in enumerate(p) if share >= max(p) - 1e-12 * abs(max(p)))
def hb_middle(p, leaves):
    return next(k for k in range(len(p)) if sum(p[: k + 1]) >= (0.5 - 1e-12) * sum(p))
def hb_cheapest(p, leaves):
    cost = hb_mixed(leaves, hb_each) if hb_each else [
        sum(share * row[k] for share, row in zip(p, hb_costs)) for k in range(len(p))]
    return next(k for k, c in enumerate(cost) if c <= min(cost) + 1e-12 * max(cost))
"""

_CLASSES = Template("""
def hb_shares(leaves):
    return hb_alone[leaves[0][0]] if len(leaves) == 1 else hb_mixed(leaves, hb_together)
def ${name}_proba(row):
    return dict(zip(hb_classes, hb_shares(hb_walk(*hb_read(row)))))
def ${name}(row):
    leaves = hb_walk(*hb_read(row))
    if len(leaves) == 1:
        return hb_classes[hb_label[leaves[0][0]]]
    return hb_classes[${decide}(hb_mixed(leaves, hb_together), leaves)]
""")

_NUMBERS = Template("""
def ${name}(row):
    leaves = hb_walk(*hb_read(row))
    return hb_alone[leaves[0][0]][0] if len(leaves) == 1 else hb_mixed(leaves, hb_together)[0]
""")

_EQUATIONS = Template("""
def hb_equation(leaf, v):
    if leaf not in hb_models:
        return hb_alone[leaf][0]
    total, low, high, terms = hb_models[leaf]
    for column, power, center, weight, gap, codes in terms:
        if v[column] != v[column]:
            total += gap
        elif power == 0:
            total += weight if v[column] in codes else 0.0
        else:
            step = float(v[column]) - center
            added = weight * step
            for _ in range(power - 1):
                added *= step
            total += added
    return low if total < low else high if high < total else total
def ${name}(row):
    x, v = hb_read(row)
    leaves = hb_walk(x, v)
    if len(leaves) == 1:
        return hb_equation(leaves[0][0], v)
    return hb_total(weight * hb_equation(leaf, v) for leaf, weight in leaves)
""")

_DENSITY = Template("""
def ${name}(row):
    x, v = hb_read(row)
    if any(x[k] == -2 if low is None else x[k] < low or x[k] > high for k, low, high in hb_box):
        return 0.0
    leaves = hb_walk(x, v)
    return hb_alone[leaves[0][0]][0] if len(leaves) == 1 else hb_mixed(leaves, hb_together)[0]
""")
