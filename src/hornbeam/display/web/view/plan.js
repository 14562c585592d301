/** Where the nodes of a tree go, as cards, lines or dots. */

import {layout} from '../layout.js';
import {isLeaf, visible} from '../model.js';
import {LINE, lineNeed, sizeOf} from './cards.js';
import {labelWidth} from './edges.js';

/** @type {Record<Level, LevelOf>} the zooms between which a
 * level is shown, the zoom it starts with when one zooms in from the level before, gaps between boxes and levels for both directions */
export const LEVELS = {
  full: {least: 0.8, most: 9, from: 0.9, gaps: [22, 58, 10, 20]},
  line: {least: 0.85, most: 1.45, from: 0.95, gaps: [10, 34, 5, 26]},
  dot: {least: 0, most: 1.6, from: 1, gaps: [8, 30, 3, 44]},
};

/** @param {Model} model @param {Shown} state @param {Level} level @param {number} [wide] the width of lines */
export function plan(model, {folded, step, orientation, root = 0}, level, wide) {
  const shown = visible(model, folded, step, root);
  const place = new Map(shown.map((id, k) => [id, k]));
  const looks = shown.map((id) => lookOf(model, id, {folded, step}));
  const boxes = shown.map((id, k) => {
    const [w, tall] = sizeOf(model, model.nodes[id], looks[k], level, wide);
    const open = !looks[k].leaf && !looks[k].folded;
    return /** @type {[number, number, number[]]} */ ([w, tall, open ? model.nodes[id].children.map((child) => place.get(child) ?? 0) : []]);
  });
  const down = orientation === 'down', {gaps} = LEVELS[level];
  const longest = level === 'full' && !down ? shown.slice(1).reduce((most, id) => Math.max(most, labelWidth(model.nodes[id], 120)), 0) : 0;
  return {shown, looks, boxes, ...layout(boxes, gaps[down ? 0 : 2], longest + gaps[down ? 1 : 3], orientation)};
}

/** @type {(model: Model, id: number, state: Folds) => Look} */
function lookOf(model, id, {folded, step}) {
  const leaf = isLeaf(model, id, step);
  return {leaf, folded: !leaf && folded.has(id)};
}

/** Widths that lines may have: first the one at which every node says all it has to say. @param {Model} model @param {Shown} state */
function lineWidths(model, state) {
  const needs = visible(model, state.folded, state.step, 0).map((id) => lineNeed(model, model.nodes[id], lookOf(model, id, state)));
  const most = Math.ceil(Math.min(Math.max(LINE.least, ...needs), LINE.most));
  return [1, 0.8, 0.6, 0.4, 0.2].map((part) => Math.round(LINE.least + part * (most - LINE.least)));
}

/** The largest level and zoom at which all of the tree is seen in a room, and how wide its lines are. @param {Model} model @param {Shown} state @param {number[]} size of the room @returns {Scale} */
export function wholeIn(model, state, [across, tall]) {
  const zoomOf = (/** @type {Level} */ level, /** @type {number} */ wide) => {
    const {width, height} = plan(model, state, level, wide);
    const names = level === 'dot' && state.orientation === 'right' ? 110 : 0; // beside the dots at both ends
    return Math.min(1.15, (across - names) / width, tall / height);
  };
  for (const level of /** @type {Level[]} */ (['full', 'line', 'dot'])) {
    const k = zoomOf(level, LINE.least);
    if (k < LEVELS[level].least) continue;
    // wider lines, as long as letters stay large
    const wide = level === 'line' ? lineWidths(model, state).find((one) => zoomOf(level, one) >= Math.min(k, 0.9)) : LINE.least;
    return {level, k: zoomOf(level, wide ?? LINE.least), wide};
  }
  return {level: 'dot', k: 0.05};
}

/** @type {(wide: number, depth: number) => number} How many levels of lines fit beside each other: all if they can, else fewer that say more. */
export function levelsIn(wide, depth) {
  const gap = LEVELS.line.gaps[3];
  const [most, usual] = [LINE.least, LINE.usual].map((line) => Math.floor((wide / LEVELS.line.least + gap) / (line + gap)));
  return Math.max(2, depth < most ? most : usual);
}
