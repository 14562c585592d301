/** Nodes as dots, for trees seen from far away: names where there is room, all the others when they are pointed at. */

import {fit, s, widthOf} from '../dom.js';
import {toneOf} from '../colour.js';

const SIZE = 10.5, ALL_NAMED = 1500;

/** @type {(model: Model, id: number, look: {leaf: boolean}) => any} */
function nameOf({doc, nodes}, id, look) {
  const {fact} = nodes[id];
  return look.leaf ? (doc.classes ? doc.classes[fact.label] : fact.verdict) : fact.question;
}

/** The nodes whose names fit beside their dots without touching another one; those of most records go first. @param {Model} model @param {Map<number, Placed>} placed @param {number} k the zoom */
export function namedDots(model, placed, k) {
  /** @type {Map<number, Box[]>} names by the band they are in, so that only near ones are compared */
  const bands = new Map();
  const tall = (SIZE + 2) / k;
  const chosen = new Set();
  const taken = (/** @type {Box} */ box) => {
    const band = Math.floor(box.y / tall);
    bands.set(band, [...(bands.get(band) ?? []), box]);
  };
  for (const {box} of placed.values()) taken({x: box.x + box.w / 2 - 2 / k, y: box.y + box.h / 2 - tall / 2, w: 4 / k, h: tall});
  const ids = [...placed.keys()].sort((a, b) => model.nodes[b].fact.n - model.nodes[a].fact.n || a - b);
  for (const id of ids.slice(0, ALL_NAMED)) {
    const {box, look} = /** @type {Placed} */ (placed.get(id));
    const w = widthOf(nameOf(model, id, look), SIZE) / k;
    const name = {x: box.x + box.w / 2 - (look.leaf ? -7 / k : w + 6.5 / k), y: box.y + box.h / 2 - (look.leaf ? tall / 2 : tall * 0.75), w, h: tall};
    const band = Math.floor(name.y / tall);
    const near = [band - 1, band, band + 1].flatMap((at) => bands.get(at) ?? []);
    if (name.x < -20 / k || near.some((other) => name.x < other.x + other.w + 4 / k && other.x < name.x + w + 4 / k && name.y < other.y + other.h * 0.8 && other.y < name.y + tall * 0.8)) continue;
    chosen.add(id);
    taken(name);
  }
  return chosen;
}

/** A dot in the colour of what the node predicts, and its name; letters keep their size on the screen. @param {Model} model @param {number} id @param {Look} look @param {DotPlace} how @returns {(SVGElement | null)[]} */
export function dot(model, id, look, {k, named, box, few}) {
  const {fact} = model.nodes[id];
  const r = (look.leaf ? 4.5 : look.folded ? 5 : 3.5) / k, [x, y] = [box.w / 2, box.h / 2];
  const shown = named.has(id);
  const name = shown || few ? s('text', {class: shown ? 'name' : 'name quiet', 'font-size': SIZE / k, 'text-anchor': look.leaf ? 'start' : 'end',
    x: look.leaf ? x + 7 / k : x - 6.5 / k, y: look.leaf ? y + 3.6 / k : y - 0.5 / k, 'stroke-width': 3 / k}, fit(`${look.folded ? '▸ ' : ''}${nameOf(model, id, look)}`, look.leaf ? 400 : Math.max(52, (box.x + x) * k + 8), SIZE)) : null;
  return [s('circle.reach', {cx: x, cy: y, r: 9 / k}), s('circle', {class: fact.forced ? 'dot forced' : 'dot', cx: x, cy: y, r, style: {fill: toneOf(model.doc, fact)}}), name];
}

/** @param {Map<number, any>} placed */
export const areFew = (placed) => placed.size <= ALL_NAMED;
