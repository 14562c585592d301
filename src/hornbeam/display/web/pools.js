/** Reading the arrays of a tree document. What only some nodes have lies in pools: offsets by owner, then values. */

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
export function span(offsets, owner) {
  if (!offsets) return [];
  return Array.from({length: offsets[owner + 1] - offsets[owner]}, (_, k) => offsets[owner] + k);
}
