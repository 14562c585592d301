/**
 * What a tree answers about a row. The page of a report predicts with this module, and so does what
 * `export("javascript")` writes: neither knows more of a tree than its document.
 *
 * A row is an array of numbers, one for each column: the value itself, or the code of a category, -1 for a missing one
 * and -2 for one that training never saw. Where no test, surrogate or learned branch can tell, a row follows all
 * branches.
 */

/** @typedef {Record<string, any>} Doc a document: `tree` as it is saved, and `answers` of its nodes */
/** @typedef {{leaf: number, weight: number}} Reached */
/** @typedef {{node: number, branch: number, how: string}} Step how: "value", "surrogate", "learned" or "all" */

/**
 * @param {Doc} doc
 * @param {number[]} row
 * @param {(node: number) => boolean} [isLeaf] whether a node is taken for a leaf, for trees that are shown smaller
 * @returns {{leaves: Reached[], steps: Step[], label: number, shares: number[] | null, value: number | null}}
 */
export function predict(doc, row, isLeaf = () => false) {
  const {leaves, steps} = walk(doc, row, isLeaf);
  const {answers, tree} = doc;
  if (tree.task !== 'classes') {
    const value = leaves.reduce((sum, {leaf, weight}) => sum + weight * valueAt(doc, leaf, row), 0);
    return {leaves, steps, label: -1, shares: null, value: tree.task === 'density' && isOutside(doc, row) ? 0 : value};
  }
  const labels = tree.nodes.label;
  if (leaves.length === 1) {
    const {leaf} = leaves[0];
    return {leaves, steps, label: labels[leaf], shares: answers.alone[leaf].map(num), value: null};
  }
  const byVote = tree.policy.vote === 'leaf';
  const shares = mixed(leaves, (leaf) =>
    byVote ? answers.alone[leaf].map((/** @type {any} */ _, /** @type {number} */ k) => Number(k === labels[leaf])) : answers.alone[leaf]);
  return {leaves, steps, label: decide(answers, leaves, shares), shares, value: null};
}

/** @param {Reached[]} leaves @param {(leaf: number) => number[]} rows */
function mixed(leaves, rows) {
  return rows(leaves[0].leaf).map((_, k) => leaves.reduce((sum, {leaf, weight}) => sum + weight * rows(leaf)[k], 0));
}

/**
 * The class several leaves answer together; ties within rounding go to the first.
 * @param {Doc} answers
 * @param {Reached[]} leaves
 * @param {number[]} shares
 */
function decide(answers, leaves, shares) {
  if (answers.decision === 'cheapest') {
    /** @type {number[][]} */
    const costs = answers.costs;
    const expected = answers.each
      ? mixed(leaves, (leaf) => answers.each[leaf])
      : shares.map((_, k) => shares.reduce((sum, share, i) => sum + share * costs[i][k], 0));
    const limit = Math.min(...expected) + 1e-12 * Math.max(...expected);
    return expected.findIndex((cost) => cost <= limit);
  }
  if (answers.decision === 'middle') {
    const total = shares.reduce((a, b) => a + b, 0);
    let below = 0;
    return shares.findIndex((share) => (below += share) >= (0.5 - 1e-12) * total);
  }
  const best = Math.max(...shares);
  return shares.findIndex((share) => share >= best - 1e-12 * Math.abs(best));
}

/** @param {Doc} doc @param {number[]} row @param {(node: number) => boolean} isLeaf */
function walk(doc, row, isLeaf) {
  const {nodes, policy} = doc.tree;
  const byLeaf = policy.weights === 'leaf';
  /** @type {Reached[]} */
  let reached = [];
  /** @type {Step[]} */
  const steps = [];
  const todo = [{node: 0, part: 1}];
  for (let next = todo.pop(); next; next = todo.pop()) {
    const {node, part} = next;
    if (nodes.kind[node] === 'leaf' || isLeaf(node)) {
      reached.push({leaf: node, weight: byLeaf ? num(doc.answers.weight[node]) : part});
      continue;
    }
    const {branch, how} = branchAt(doc, node, row);
    steps.push({node, branch, how});
    const first = nodes.first_child[node];
    if (branch >= 0) todo.push({node: first + branch, part});
    else for (let k = 0; k < nodes.n_children[node]; k++) todo.push({node: first + k, part: part * doc.answers.share[first + k]});
  }
  reached.sort((a, b) => a.leaf - b.leaf);
  const heavy = reached.filter(({weight}) => weight > 0);
  reached = reached.length > 1 && heavy.length ? heavy : reached.map(({leaf}) => ({leaf, weight: 1}));
  const total = reached.reduce((sum, {weight}) => sum + weight, 0);
  return {leaves: reached.map(({leaf, weight}) => ({leaf, weight: reached.length > 1 ? weight / total : 1})), steps};
}

/**
 * The number a leaf answers: its mean, or its equation within its bounds.
 * @param {Doc} doc
 * @param {number} leaf
 * @param {number[]} row
 */
function valueAt({tree, answers}, leaf, row) {
  const {model, term, member} = tree.pools;
  const [m] = span(model?.model_offset, leaf);
  if (m === undefined) return num(answers.alone[leaf]);
  let total = num(model.model_intercept[m]);
  for (const t of span(term?.term_offset, m)) {
    const x = known(tree, row, term.term_column[t]);
    const coefficient = num(term.term_coefficient[t]);
    if (Number.isNaN(x)) total += num(term.term_gap[t]);
    else if (term.term_power[t] === 0) total += span(member?.member_offset, t).some((k) => member.member_code[k] === x) ? coefficient : 0;
    else {
      // in the order in which the library multiplies, so that both round alike
      const step = x - num(term.term_center[t]);
      let product = coefficient * step;
      for (let p = 1; p < term.term_power[t]; p++) product *= step;
      total += product;
    }
  }
  const low = num(model.model_low[m]), high = num(model.model_high[m]);
  return total < low ? low : high < total ? high : total;
}

/** Whether a row lies outside the box of a density tree. @param {Doc} doc @param {number[]} row */
function isOutside({tree}, row) {
  const {box} = tree.pools;
  return span(box?.box_offset, 0).some((k) => {
    const x = row[box.box_column[k]];
    return isCode(tree, box.box_column[k]) ? x === -2 : x < num(box.box_low[k]) || x > num(box.box_high[k]);
  });
}

// ---- the branch a row takes: one function for each kind of test, which says -1 where it cannot tell

/** The branch a row takes at a node, and why. @param {Doc} doc @param {number} node @param {number[]} row */
function branchAt(doc, node, row) {
  const {tree} = doc;
  const own = TESTS[tree.nodes.kind[node]](doc, node, row);
  if (own >= 0) return {branch: own, how: 'value'};
  if (tree.policy.missing === 'all-paths') return {branch: -1, how: 'all'};
  for (const k of span(tree.pools.surrogate?.surrogate_offset, node)) {
    const branch = surrogate(tree, k, row);
    if (branch >= 0) return {branch, how: 'surrogate'};
  }
  const unseen = tree.policy.missing === 'learn' && testedColumns(doc, node).some((c) => isCode(tree, c) && row[c] === -2);
  const learned = unseen ? -1 : tree.nodes.missing[node];
  return {branch: learned, how: learned < 0 ? 'all' : 'learned'};
}

/** The columns a node tests. @param {Doc} doc @param {number} node @returns {number[]} */
function testedColumns(doc, node) {
  const {tree, answers} = doc;
  if (tree.nodes.column[node] >= 0) return [tree.nodes.column[node]];
  const {plane, set} = tree.pools;
  if (answers.formulas[node]) return [...new Set(columnsIn(answers.formulas[node]))];
  const planes = span(plane?.plane_offset, node).map((k) => plane.plane_column[k]);
  return planes.length ? planes : span(set?.set_offset, node).map((k) => set.set_column[k]);
}

/** @typedef {(doc: Doc, node: number, row: number[]) => number} Test */

/** @type {Test} */
const byValue = ({tree}, node, row) => looked(tree.pools.map, 'map', node, row[tree.nodes.column[node]], tree.nodes.absent[node]);

/** @type {Record<string, Test>} */
const TESTS = {
  threshold: ({tree}, node, row) => side(known(tree, row, tree.nodes.column[node]), num(tree.nodes.threshold[node])),
  intervals: ({tree}, node, row) => {
    const x = known(tree, row, tree.nodes.column[node]);
    const {cut_offset: offset, cut_threshold: cuts} = tree.pools.cut;
    return Number.isNaN(x) ? -1 : span(offset, node).filter((k) => x > num(cuts[k])).length;
  },
  equals: ({tree}, node, row) => {
    const code = row[tree.nodes.column[node]];
    const unknown = tree.policy.unseen === 'missing' ? code < 0 : code === -1;
    return unknown ? -1 : Number(code !== tree.nodes.threshold[node]);
  },
  subset: byValue,
  multiway: byValue,
  hyperplane: ({tree}, node, row) => {
    const {plane} = tree.pools;
    const sum = span(plane.plane_offset, node)
      .reduce((total, k) => total + plane.plane_weight[k] * known(tree, row, plane.plane_column[k]), 0);
    return side(sum, num(tree.nodes.threshold[node]));
  },
  columns: ({tree}, node, row) => {
    const {tuple, entry, set} = tree.pools;
    const given = span(set.set_offset, node).map((k) => known(tree, row, set.set_column[k]));
    const hit = span(tuple.tuple_offset, node)
      .filter((k) => span(entry.entry_offset, k).every((e, j) => num(entry.entry_value[e]) === given[j])).pop();
    return hit === undefined ? -1 : tuple.tuple_branch[hit];
  },
  expression: ({tree, answers}, node, row) => {
    const truth = evaluate(tree, answers.formulas[node], row);
    return truth < 0 ? -1 : 1 - truth;
  },
};

/** @type {(x: number, threshold: number) => number} */
const side = (x, threshold) => (Number.isNaN(x) ? -1 : Number(x > threshold));

/**
 * The branch of a code by a value map; other codes go `otherwise`, missing ones nowhere.
 * @param {Doc} pool
 * @param {string} name
 * @param {number} owner
 * @param {number} code
 * @param {number} otherwise
 */
function looked(pool, name, owner, code, otherwise) {
  if (code < 0) return -1;
  const place = span(pool[`${name}_offset`], owner).find((k) => pool[`${name}_code`][k] === code);
  return place === undefined ? otherwise : pool[`${name}_branch`][place];
}

/** @param {Doc} tree @param {number} k @param {number[]} row */
function surrogate(tree, k, row) {
  const {surrogate: pool, surrogate_map: map} = tree.pools;
  const column = pool.surrogate_column[k];
  if (span(map?.surrogate_map_offset, k).length) return looked(map, 'surrogate_map', k, row[column], -1);
  const x = known(tree, row, column);
  if (Number.isNaN(x)) return -1;
  return x <= num(pool.surrogate_threshold[k]) ? pool.surrogate_low[k] : pool.surrogate_high[k];
}

// ---- expressions: nested lists, the operator first; truth is 1, 0, or -1 where a missing value decides

/** @type {(tree: Doc, column: number) => boolean} whether the values of a column are codes */
const isCode = (tree, column) => tree.columns[column].kind !== 'numeric';

/** @type {(tree: Doc, row: number[], column: number) => number} a value or a code; NaN if it is missing or was never seen */
const known = (tree, row, column) => (isCode(tree, column) && row[column] < 0 ? NaN : row[column]);

/** The columns a formula names. @param {any} formula @returns {number[]} */
function columnsIn([kind, ...parts]) {
  if (kind === 'column') return [parts[0]];
  if (kind === 'among') return [parts[0][0]];
  if (kind === 'alike') return parts[0].slice(0, 2);
  return kind === 'number' || kind === 'truth' ? [] : parts.flatMap(columnsIn);
}

/** @type {Record<string, (a: number, b: number) => number>} */
const ARITHMETIC = {
  Add: (a, b) => a + b,
  Sub: (a, b) => a - b,
  Mult: (a, b) => a * b,
  Div: (a, b) => a / b,
  Pow: (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? NaN : Math.abs(a) === 1 && Math.abs(b) === Infinity ? 1 : a ** b),
};

/** @type {Record<string, (a: number, b: number) => boolean>} */
const COMPARISONS = {
  Eq: (a, b) => a === b,
  NotEq: (a, b) => a !== b,
  Lt: (a, b) => a < b,
  LtE: (a, b) => a <= b,
  Gt: (a, b) => a > b,
  GtE: (a, b) => a >= b,
};

/**
 * A formula: numbers are numbers, truths 1, 0, or -1 where a missing value decides.
 * @param {Doc} tree
 * @param {any} formula
 * @param {number[]} row
 * @returns {number}
 */
function evaluate(tree, [kind, ...parts], row) {
  if (kind === 'number') return num(parts[0]);
  if (kind === 'truth') return Number(parts[0]);
  if (kind === 'column') return known(tree, row, parts[0]);
  if (kind === 'among') return row[parts[0][0]] < 0 ? -1 : Number(parts[0][1].includes(row[parts[0][0]]));
  if (kind === 'alike') {
    const [a, b] = [row[parts[0][0]], row[parts[0][1]]];
    return a < 0 || b < 0 ? -1 : Number(a === parts[0][2][b]);
  }
  const values = parts.map((/** @type {any} */ part) => evaluate(tree, part, row));
  if (kind === 'not') return values[0] < 0 ? -1 : 1 - values[0];
  if (kind === 'and') return values.includes(0) ? 0 : values.includes(-1) ? -1 : 1;
  if (kind === 'or') return values.includes(1) ? 1 : values.includes(-1) ? -1 : 0;
  if (kind === 'counted') return values[0] < 0 ? NaN : values[0];
  if (kind === 'negative') return -values[0];
  if (kind in ARITHMETIC) return values.reduce(ARITHMETIC[kind]);
  return values.some(Number.isNaN) ? -1 : Number(COMPARISONS[kind](values[0], values[1]));
}

// ---- arrays of the document; what only some nodes have lies in pools: offsets by owner, then values

/** @param {any} value a number of the document; null is NaN, infinities are words */
export function num(value) {
  return value === null ? NaN : value === 'inf' ? Infinity : value === '-inf' ? -Infinity : value;
}

/**
 * The places in a pool that belong to one owner.
 * @param {number[] | undefined} offsets
 * @param {number} owner
 * @returns {number[]}
 */
function span(offsets, owner) {
  if (!offsets) return [];
  return Array.from({length: offsets[owner + 1] - offsets[owner]}, (_, k) => offsets[owner] + k);
}
