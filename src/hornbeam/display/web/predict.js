/**
 * What a tree answers about a row: an interpreter over the tree document.
 *
 * One idea: a row is an array of numbers, one for each column: the value itself, or the code of a category, -1 for a
 * missing one and -2 for one that training never saw. Where no test, surrogate or learned branch can tell, it follows
 * all branches.
 */

import {branchAt} from './branches.js';
import {isCode} from './formulas.js';
import {num, span} from './pools.js';

/** @typedef {Record<string, any>} Doc the document of a report */
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

/**
 * @param {Reached[]} leaves
 * @param {(leaf: number) => number[]} rows
 */
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

/**
 * @param {Doc} doc
 * @param {number[]} row
 * @param {(node: number) => boolean} isLeaf
 */
function walk(doc, row, isLeaf) {
  const {nodes, policy} = doc.tree;
  const byLeaf = policy.weights === 'leaf';
  /** @type {Reached[]} */
  let found = [];
  /** @type {Step[]} */
  const steps = [];
  const todo = [{node: 0, part: 1}];
  for (let next = todo.pop(); next; next = todo.pop()) {
    const {node, part} = next;
    if (nodes.kind[node] === 'leaf' || isLeaf(node)) {
      found.push({leaf: node, weight: byLeaf ? num(doc.answers.weight[node]) : part});
      continue;
    }
    const {branch, how} = branchAt(doc, node, row);
    steps.push({node, branch, how});
    const first = nodes.first_child[node];
    if (branch >= 0) todo.push({node: first + branch, part});
    else for (let k = 0; k < nodes.n_children[node]; k++) todo.push({node: first + k, part: part * doc.answers.share[first + k]});
  }
  found.sort((a, b) => a.leaf - b.leaf);
  if (found.length === 1) return {leaves: [{leaf: found[0].leaf, weight: 1}], steps};
  const heavy = found.filter(({weight}) => weight > 0);
  found = heavy.length ? heavy : found.map(({leaf}) => ({leaf, weight: 1}));
  const total = found.reduce((sum, {weight}) => sum + weight, 0);
  return {leaves: found.map(({leaf, weight}) => ({leaf, weight: found.length > 1 ? weight / total : 1})), steps};
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
    const x = row[term.term_column[t]];
    const gap = num(term.term_gap[t]), coefficient = num(term.term_coefficient[t]);
    if (term.term_power[t] > 0) total += Number.isNaN(x) ? gap : coefficient * (x - num(term.term_center[t])) ** term.term_power[t];
    else total += x < 0 ? gap : span(member?.member_offset, t).some((k) => member.member_code[k] === x) ? coefficient : 0;
  }
  return Math.min(Math.max(total, num(model.model_low[m])), num(model.model_high[m]));
}

/**
 * Whether a row lies outside the box of a density tree.
 * @param {Doc} doc
 * @param {number[]} row
 */
function isOutside({tree}, row) {
  const {box} = tree.pools;
  return span(box?.box_offset, 0).some((k) => {
    const x = row[box.box_column[k]];
    return isCode(tree, box.box_column[k]) ? x === -2 : x < num(box.box_low[k]) || x > num(box.box_high[k]);
  });
}
