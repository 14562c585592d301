/** Which branch a row takes: one function for each kind of test, which says -1 where it cannot tell. */

import {columnsIn, evaluate, isCode, known} from './formulas.js';
import {num, span} from './pools.js';

/** @typedef {Record<string, any>} Doc */

/**
 * The branch a row takes at a node, and why.
 * @param {Doc} doc
 * @param {number} node
 * @param {number[]} row
 */
export function branchAt(doc, node, row) {
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

/**
 * The columns a node tests.
 * @param {Doc} doc
 * @param {number} node
 * @returns {number[]}
 */
export function testedColumns(doc, node) {
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

/**
 * @param {number} x
 * @param {number} threshold
 */
function side(x, threshold) {
  return Number.isNaN(x) ? -1 : Number(x > threshold);
}

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

/**
 * @param {Doc} tree
 * @param {number} k
 * @param {number[]} row
 */
function surrogate(tree, k, row) {
  const {surrogate: pool, surrogate_map: map} = tree.pools;
  const column = pool.surrogate_column[k];
  if (span(map?.surrogate_map_offset, k).length) return looked(map, 'surrogate_map', k, row[column], -1);
  const x = known(tree, row, column);
  if (Number.isNaN(x)) return -1;
  return x <= num(pool.surrogate_threshold[k]) ? pool.surrogate_low[k] : pool.surrogate_high[k];
}
