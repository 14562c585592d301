"""JavaScript: a tree as a script for a page or for Node, without libraries."""

from __future__ import annotations

from string import Template

from hornbeam.data.columns import Column
from hornbeam.io.export.calls import Calls
from hornbeam.io.export.program import Program, program_of
from hornbeam.io.export.quotes import comment, is_odd, javascript_value
from hornbeam.io.export.runtime_tables import box, facts, identifier, wrapped
from hornbeam.io.export.time_values import kind_words, ticks_of, time_of
from hornbeam.tree.tree import Tree


def javascript(tree: Tree, *, name: str = "tree") -> str:
    """A script that defines the constant `name` with `predict(row)`, and `predictProba(row)` for classes.

    A row is an object from column names to values; null, undefined, NaN or no entry is a gap. `predictProba`
    gives a Map from class to probability; `classes` lists them. In Node the constant is what `require` gives.
    Times are ISO text, numbers in the unit that the script's first lines name, or, for columns with a time
    zone, a Date; spans are numbers. Anything else there throws a TypeError.

    >>> tree = Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})
    >>> "predictProba" in javascript(tree)
    True
    """
    identifier(name)
    program = program_of(tree)
    calls = Calls(program, javascript_value)
    lines = _head(program, name)
    for table, values in calls.tables.items():
        lines += wrapped(f"const {table} = [", [f"{javascript_value(v)}," for v in values], "];")
    lines += [f"const hb_part_{k} = (x, v) => {call};" for k, (call, _) in enumerate(calls.helpers)]
    lines += ["const hb_tests = new Map(["]
    lines += [f"  [{node}, (x, v) => {call}]," for node, call in calls.tests.items()] + ["]);"]
    for title, rows in facts(program).items():
        pieces = [f"[{k}, {_literal(v)}]," for k, v in rows.items()]
        lines += wrapped(f"const hb_{title} = new Map([", pieces, "]);")
    costs = program.rule.costs if program.leaf_costs is None else None
    lines += [
        f"const classes = {_literal(list(program.classes))};",
        f"const hb_costs = {_literal(None if costs is None else costs.tolist())};",
    ]
    return "\n".join(lines) + _ending(program, name)


def _ending(program: Program, name: str) -> str:
    """What is called: the answers of classes, of numbers, of equations, of a density."""
    words = {"name": name, "decide": f"hb_{program.decision}"}
    if program.classes:
        return _CLASSES.substitute(words)
    if program.tree.task == "density":
        return f"\nconst hb_box = {_literal(box(program))};" + _DENSITY.substitute(words)
    return (_EQUATIONS if program.equations else _NUMBERS).substitute(words)


def _literal(value: object) -> str:
    """A value, or an array of them, nested as lists are."""
    if not isinstance(value, list):
        return "null" if value is None else javascript_value(value)
    return f"[{', '.join(map(_literal, value))}]"


def _head(program: Program, name: str) -> list[str]:
    lines = [
        f"// A decision tree; call {name}.predict(row), where row is an object of values.",
        "// Columns:",
    ]
    lines += [f"//   {comment(column.name)} ({comment(kind_words(column))})" for column in program.columns]
    lines += [f"const {name} = (() => {{", '"use strict";', "const hb_columns = ["]
    lines += [f"  [{javascript_value(c.name)}, {_codes(c)}, {_reading(c)}]," for c in program.columns]
    times = [_TIMES.strip("\n")] if any(time_of(column) for column in program.columns) else []
    return [*lines, "];", *times, _RUNTIME.strip("\n")]


def _reading(column: Column) -> str:
    """How a value is read: as a time, as its text, or as it is."""
    how = time_of(column)
    if how is None:
        return javascript_value(is_odd(column.categories))
    per_second = 10**9 if how.unit == "ns" else 10**6
    return _literal([how.family, per_second, how.zone != ""])


def _codes(column: Column) -> str:
    """Numbers and truth values find each other, as in Python; text is text."""
    if column.kind == "numeric":
        return "null"
    pairs = []
    for code, value in enumerate(map(ticks_of, column.categories) if time_of(column) else column.categories):
        key = float(value) if isinstance(value, int | float) else value
        pairs.append(f"[{javascript_value(key)}, {code}]")
    return f"new Map([{', '.join(pairs)}])"


# Times of a row as ticks. A Date is an instant, so it says nothing about a column without a time zone: such a
# column takes text or numbers. What is finer than a tick is rounded up, as `predict` does it.
_TIMES = r"""
const hb_iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?$/;
const hb_wrong = (name, value, family, perSecond, zoned) => {
  const example = {datetime64: "2024-03-01T12:30:00" + (zoned ? "Z" : ""), time64: "12:30:00"}[family];
  return new TypeError("column " + name + " takes " + (example ? "ISO text such as " + example + ", " : "")
    + (zoned ? "a Date, " : "") + (example ? "or " : "") + "a number of "
    + (perSecond === 1e6 ? "microseconds" : "nanoseconds") + ", not " + String(value));
};
const hb_ticks = (name, value, family, perSecond, zoned) => {
  if (typeof value === "number") return value;
  if (value instanceof Date && zoned) return value.getTime() * (perSecond / 1000);
  const fault = hb_wrong(name, value, family, perSecond, zoned);
  if (typeof value !== "string" || family === "timedelta64") throw fault;
  const found = hb_iso.exec(family === "time64" ? "1970-01-01 " + value : value);
  if (found === null || (found[8] !== undefined) !== zoned) throw fault;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part || 0));
  const start = new Date(0);
  start.setUTCFullYear(year, month - 1, day);
  const real = start.getUTCMonth() === month - 1 && start.getUTCDate() === day;
  if (!real || hour > 23 || minute > 59 || second > 59) throw fault;
  const zone = zoned && found[8] !== "Z" ? found[8] : "+00:00";
  const east = (Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4)) * 60) * (zone[0] === "-" ? -1 : 1);
  const nanos = Number((found[7] || "").padEnd(9, "0"));
  const seconds = start.getTime() / 1000 + hour * 3600 + minute * 60 + second - east;
  return seconds * perSecond + Math.ceil(nanos * perSecond / 1e9);
};
"""

_RUNTIME = """
const hb_value = (name, value, codes, how) => {
  if (value === null || value === undefined || value !== value) return codes === null ? NaN : -1;
  if (Array.isArray(how)) value = hb_ticks(name, value, ...how);
  if (codes === null) return Number(value);
  const key = how === true ? String(value) : typeof value === "string" ? value : Number(value);
  return codes.has(key) ? codes.get(key) : -2;
};
const hb_cut = (x, t) => x <= t ? 0 : x > t ? 1 : -1;
const hb_band = (x, cuts, n) => x !== x ? -1 : cuts.filter((cut) => x > cut).length;
const hb_same = (x, code) => x < 0 ? -1 : Number(x !== code);
const hb_other = (x, code) => x === -1 ? -1 : Number(x !== code);
const hb_pick = (x, table) => x < 0 ? -1 : table[x];
const hb_alike = (x, z, table) => x < 0 || z < 0 ? -1 : Number(x === table[z]);
const hb_side = (x, t, low, high) => x <= t ? low : x > t ? high : -1;
const hb_known = (branch, other) => branch >= 0 ? branch : other;
const hb_unless = (x, branch) => x === -2 ? -1 : branch;
const hb_ask = (truth) => truth < 0 ? -1 : 1 - truth;
const hb_not = (a) => a < 0 ? a : 1 - a;
const hb_and = (a, b) => a === 0 || b === 0 ? 0 : a === 1 && b === 1 ? 1 : -1;
const hb_or = (a, b) => a === 1 || b === 1 ? 1 : a === 0 && b === 0 ? 0 : -1;
const hb_gap = (a, b) => a !== a || b !== b;
const hb_eq = (a, b) => hb_gap(a, b) ? -1 : Number(a === b);
const hb_ne = (a, b) => hb_gap(a, b) ? -1 : Number(a !== b);
const hb_lt = (a, b) => hb_gap(a, b) ? -1 : Number(a < b);
const hb_le = (a, b) => hb_gap(a, b) ? -1 : Number(a <= b);
const hb_gt = (a, b) => hb_gap(a, b) ? -1 : Number(a > b);
const hb_ge = (a, b) => hb_gap(a, b) ? -1 : Number(a >= b);
const hb_counted = (a) => a < 0 ? NaN : a;
const hb_negative = (a) => -a;
const hb_add = (a, b) => a + b;
const hb_sub = (a, b) => a - b;
const hb_mul = (a, b) => a * b;
const hb_div = (a, b) => a / b;
const hb_pow = (a, b) =>
  hb_gap(a, b) ? NaN : Math.abs(a) === 1 && Math.abs(b) === Infinity ? 1 : Math.pow(a, b);
const hb_sum = (v, columns, weights, n) =>
  columns.reduce((sum, column, k) => sum + weights[k] * v[column], 0);
const hb_tuple = (v, columns, k, values, branches, n) => {
  for (let i = 0; i < n; i++)
    if (columns.every((column, j) => v[column] === values[i * k + j])) return branches[i];
  return -1;
};
const hb_read = (row) => {
  const x = hb_columns.map(([name, codes, how]) =>
    hb_value(name, Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null, codes, how));
  return [x, x.map((value, k) => hb_columns[k][1] !== null && value < 0 ? NaN : value)];
};
const hb_walk = (x, v) => {
  let found = [];
  const todo = [[0, 1]];
  while (todo.length) {
    const [node, part] = todo.pop();
    if (!hb_tests.has(node)) {
      found.push([node, hb_weight.size ? hb_weight.get(node) : part]);
      continue;
    }
    const [first, n] = hb_children.get(node);
    const branch = hb_tests.get(node)(x, v);
    if (branch >= 0) todo.push([first + branch, part]);
    else for (let k = 0; k < n; k++) todo.push([first + k, part * hb_share.get(first + k)]);
  }
  found.sort((a, b) => a[0] - b[0]);
  if (found.length === 1) return [[found[0][0], 1]];
  const heavy = found.filter(([, weight]) => weight > 0);
  found = heavy.length ? heavy : found.map(([leaf]) => [leaf, 1]);
  const total = found.reduce((sum, [, weight]) => sum + weight, 0);
  return found.map(([leaf, weight]) => [leaf, found.length > 1 ? weight / total : 1]);
};
const hb_mixed = (found, table) => table.get(found[0][0]).map((_, k) =>
  found.reduce((sum, [leaf, weight]) => sum + weight * table.get(leaf)[k], 0));
const hb_heaviest = (p, found) => {
  const best = Math.max(...p);
  return p.findIndex((share) => share >= best - 1e-12 * Math.abs(best));
};
const hb_middle = (p, found) => {
  const total = p.reduce((sum, share) => sum + share, 0);
  let below = 0;
  return p.findIndex((share) => (below += share) >= (0.5 - 1e-12) * total);
};
const hb_cheapest = (p, found) => {
  const cost = hb_each.size ? hb_mixed(found, hb_each)
    : p.map((_, k) => p.reduce((sum, share, i) => sum + share * hb_costs[i][k], 0));
  const limit = Math.min(...cost) + 1e-12 * Math.max(...cost);
  return cost.findIndex((c) => c <= limit);
};
"""

_CLASSES = Template("""
const hb_shares = (found) => found.length === 1 ? hb_alone.get(found[0][0]) : hb_mixed(found, hb_together);
const predictProba = (row) => {
  const shares = hb_shares(hb_walk(...hb_read(row)));
  return new Map(classes.map((label, k) => [label, shares[k]]));
};
const predict = (row) => {
  const found = hb_walk(...hb_read(row));
  if (found.length === 1) return classes[hb_label.get(found[0][0])];
  return classes[${decide}(hb_mixed(found, hb_together), found)];
};
return {classes, predict, predictProba};
})();
if (typeof module !== "undefined") module.exports = ${name};
""")

_END = """
return {predict};
})();
if (typeof module !== "undefined") module.exports = ${name};
"""

_NUMBERS = Template(
    """
const predict = (row) => {
  const found = hb_walk(...hb_read(row));
  return found.length === 1 ? hb_alone.get(found[0][0])[0] : hb_mixed(found, hb_together)[0];
};"""
    + _END
)

_EQUATIONS = Template(
    """
const hb_equation = (leaf, v) => {
  if (!hb_models.has(leaf)) return hb_alone.get(leaf)[0];
  const [intercept, low, high, terms] = hb_models.get(leaf);
  let total = intercept;
  for (const [column, power, center, weight, gap, codes] of terms) {
    const x = v[column];
    if (x !== x) total += gap;
    else if (power === 0) total += codes.includes(x) ? weight : 0;
    else {
      const step = x - center;
      let added = weight * step;
      for (let p = 1; p < power; p++) added *= step;
      total += added;
    }
  }
  return total < low ? low : high < total ? high : total;
};
const predict = (row) => {
  const [x, v] = hb_read(row);
  const found = hb_walk(x, v);
  return found.length === 1 ? hb_equation(found[0][0], v)
    : found.reduce((sum, [leaf, weight]) => sum + weight * hb_equation(leaf, v), 0);
};"""
    + _END
)

_DENSITY = Template(
    """
const predict = (row) => {
  const [x, v] = hb_read(row);
  if (hb_box.some(([k, low, high]) => low === null ? x[k] === -2 : x[k] < low || x[k] > high)) return 0;
  const found = hb_walk(x, v);
  return found.length === 1 ? hb_alone.get(found[0][0])[0] : hb_mixed(found, hb_together)[0];
};"""
    + _END
)
