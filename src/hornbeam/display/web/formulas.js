/**
 * Expressions of the language of tests, as the document has them: nested lists, the operator first. Truth has three
 * values: 1, 0, and -1 where a missing value decides.
 */

import {num} from './pools.js';

/** @typedef {Record<string, any>} Doc */

/**
 * Whether the values of a column are codes.
 * @param {Doc} tree
 * @param {number} column
 */
export function isCode(tree, column) {
  return tree.columns[column].kind !== 'numeric';
}

/**
 * A value or a code as a number; NaN if it is missing or was never seen.
 * @param {Doc} tree
 * @param {number[]} row
 * @param {number} column
 */
export function known(tree, row, column) {
  return isCode(tree, column) && row[column] < 0 ? NaN : row[column];
}

/**
 * The columns a formula names.
 * @param {any} formula
 * @returns {number[]}
 */
export function columnsIn([kind, ...parts]) {
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
export function evaluate(tree, [kind, ...parts], row) {
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
