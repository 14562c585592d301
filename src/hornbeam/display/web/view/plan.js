/** Where the nodes of a tree go, as cards, lines or dots. */

import {layout} from '../layout.js';
import {isLeaf, visible} from '../model.js';
import {LINE, sizeOf} from './cards.js';
import {labelWidth} from './edges.js';

/** @type {Record<Level, {least: number, most: number, from: number, gaps: [number, number, number, number]}>} the zooms between which a
 * level is shown, the zoom it starts with when one zooms in from the level before, gaps between boxes and levels for both directions */
export const LEVELS = {
  full: {least: 0.8, most: 9, from: 0.9, gaps: [22, 58, 10, 20]},
  line: {least: 0.85, most: 1.45, from: 0.95, gaps: [10, 34, 5, 26]},
  dot: {least: 0, most: 1.6, from: 1, gaps: [8, 30, 3, 44]},
};

/**
 * @param {Model} model
 * @param {{folded: Set<number>, step: number, orientation: string, root?: number}} state
 * @param {Level} level
 */
export function plan(model, {folded, step, orientation, root = 0}, level) {
  const shown = visible(model, folded, step, root);
  const place = new Map(shown.map((id, k) => [id, k]));
  const looks = shown.map((id) => {
    const leaf = isLeaf(model, id, step);
    return {leaf, folded: !leaf && folded.has(id)};
  });
  const boxes = shown.map((id, k) => {
    const [w, tall] = sizeOf(model, model.nodes[id], looks[k], level);
    const open = !looks[k].leaf && !looks[k].folded;
    return /** @type {[number, number, number[]]} */ ([w, tall, open ? model.nodes[id].children.map((child) => place.get(child) ?? 0) : []]);
  });
  const down = orientation === 'down', {gaps} = LEVELS[level];
  const longest = level === 'full' && !down ? shown.slice(1).reduce((most, id) => Math.max(most, labelWidth(model.nodes[id], 120)), 0) : 0;
  return {shown, looks, boxes, ...layout(boxes, gaps[down ? 0 : 2], longest + gaps[down ? 1 : 3], orientation)};
}

/**
 * The largest level and zoom at which all of the tree is seen in a room.
 * @param {Model} model
 * @param {{folded: Set<number>, step: number, orientation: string}} state
 * @param {number[]} size of the room
 * @returns {{level: Level, k: number}}
 */
export function wholeIn(model, state, [wide, tall]) {
  for (const level of /** @type {Level[]} */ (['full', 'line', 'dot'])) {
    const {width, height} = plan(model, state, level);
    const names = level === 'dot' && state.orientation === 'right' ? 110 : 0; // beside the dots at both ends
    const k = Math.min(1.15, (wide - names) / width, tall / height);
    if (k >= LEVELS[level].least) return {level, k};
  }
  return {level: 'dot', k: 0.05};
}

/**
 * How many levels of lines fit beside each other.
 * @param {number} wide
 */
export function levelsIn(wide) {
  const gap = LEVELS.line.gaps[3];
  return Math.max(2, Math.floor((wide / LEVELS.line.least + gap) / (LINE[0] + gap)));
}
