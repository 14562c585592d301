"""Python: a tree as a module without imports, for a place where Hornbeam is not installed."""

from __future__ import annotations

from string import Template

from hornbeam.data.columns import Column
from hornbeam.io.export.calls import Calls
from hornbeam.io.export.program import Program, program_of
from hornbeam.io.export.python_times import TIMES
from hornbeam.io.export.quotes import comment, is_odd, plain_value, python_value
from hornbeam.io.export.runtime_tables import box, facts, identifier, wrapped
from hornbeam.io.export.time_values import kind_words, ticks_of, time_of
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
    identifier(name)
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
    for title, rows in facts(program).items():
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
    if program.tree.task == "density":
        return f"\nhb_box = {_literal(box(program))}" + _DENSITY.substitute(words)
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
        found = a ** b
    except ZeroDivisionError:
        return -float("inf") if odd and str(a)[0] == "-" else float("inf")
    except OverflowError:
        return -float("inf") if odd and a < 0 else float("inf")
    return hb_nan if isinstance(found, complex) else found

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
    found, todo = [], [(0, 1.0)]
    while todo:
        node, part = todo.pop()
        if node not in hb_tests:
            found.append((node, hb_weight[node] if hb_weight else part))
            continue
        first, n = hb_children[node]
        branch = hb_tests[node](x, v)
        if branch >= 0:
            todo.append((first + branch, part))
        else:
            todo += [(first + k, part * hb_share[first + k]) for k in range(n)]
    found.sort()
    if len(found) == 1:
        return [(found[0][0], 1.0)]
    if any(weight > 0 for _, weight in found):
        found = [(leaf, weight) for leaf, weight in found if weight > 0]
    else:
        found = [(leaf, 1.0) for leaf, _ in found]
    total = hb_total(weight for _, weight in found)
    return [(leaf, weight / total) for leaf, weight in found]

def hb_mixed(found, table):
    width = len(table[found[0][0]])
    return [hb_total(weight * table[leaf][k] for leaf, weight in found) for k in range(width)]
def hb_heaviest(p, found):
    return next(k for k, share in enumerate(p) if share >= max(p) - 1e-12 * abs(max(p)))
def hb_middle(p, found):
    return next(k for k in range(len(p)) if sum(p[: k + 1]) >= (0.5 - 1e-12) * sum(p))
def hb_cheapest(p, found):
    cost = hb_mixed(found, hb_each) if hb_each else [
        sum(share * row[k] for share, row in zip(p, hb_costs)) for k in range(len(p))]
    return next(k for k, c in enumerate(cost) if c <= min(cost) + 1e-12 * max(cost))
"""

_CLASSES = Template("""
def hb_shares(found):
    return hb_alone[found[0][0]] if len(found) == 1 else hb_mixed(found, hb_together)
def ${name}_proba(row):
    return dict(zip(hb_classes, hb_shares(hb_walk(*hb_read(row)))))
def ${name}(row):
    found = hb_walk(*hb_read(row))
    if len(found) == 1:
        return hb_classes[hb_label[found[0][0]]]
    return hb_classes[${decide}(hb_mixed(found, hb_together), found)]
""")

_NUMBERS = Template("""
def ${name}(row):
    found = hb_walk(*hb_read(row))
    return hb_alone[found[0][0]][0] if len(found) == 1 else hb_mixed(found, hb_together)[0]
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
    found = hb_walk(x, v)
    if len(found) == 1:
        return hb_equation(found[0][0], v)
    return hb_total(weight * hb_equation(leaf, v) for leaf, weight in found)
""")

_DENSITY = Template("""
def ${name}(row):
    x, v = hb_read(row)
    if any(x[k] == -2 if low is None else x[k] < low or x[k] > high for k, low, high in hb_box):
        return 0.0
    found = hb_walk(x, v)
    return hb_alone[found[0][0]][0] if len(found) == 1 else hb_mixed(found, hb_together)[0]
""")
