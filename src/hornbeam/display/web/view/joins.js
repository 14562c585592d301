/** What connects the cards: branches with their words, and the buttons that fold a node. */

import {s} from '../dom.js';
import {branches} from './edges.js';

/** The smallest box around some boxes. @param {Box[]} boxes @returns {Box} */
function around(boxes) {
  const x = Math.min(...boxes.map((box) => box.x)), y = Math.min(...boxes.map((box) => box.y));
  return {x, y, w: Math.max(...boxes.map((box) => box.x + box.w)) - x, h: Math.max(...boxes.map((box) => box.y + box.h)) - y};
}

/** @param {Model} model @param {Map<number, Placed>} placed @param {{down: boolean, level: string, near: (box: Box) => boolean}} how near: whether it is worth drawing @param {(id: number) => void} toggle */
export function joins(model, placed, {down, level, near}, toggle) {
  /** @type {Record<'lines' | 'words' | 'knobs', SVGElement[]>} */
  const drawn = {lines: [], words: [], knobs: []};
  const all = model.nodes[0].fact.n;
  for (const [id, {box, look}] of placed) {
    if (look.leaf) continue;
    const node = model.nodes[id];
    const [x, y] = down ? [box.x + box.w / 2, box.y + box.h] : [box.x + box.w, box.y + box.h / 2];
    if (level !== 'dot' && near(box)) drawn.knobs.push(s('g.knob', {transform: `translate(${x} ${y})`, onclick: () => toggle(id)},
      s('title', look.folded ? `unfold ${node.nodes} nodes` : 'fold'),
      s('circle.hit', {r: 13}), s('circle', {r: 7.5}),
      s('path', {d: look.folded ? 'M-3.5 0h7M0 -3.5v7' : 'M-3.5 0h7'})));
    if (look.folded) continue;
    const children = node.children.map((child) => ({box: /** @type {Placed} */ (placed.get(child)).box, node: model.nodes[child]}));
    if (!near(around([box, ...children.map((child) => child.box)]))) continue;
    for (const {path, label} of branches({box, node}, children, down, all, level)) {
      drawn.lines.push(path);
      if (level === 'full') drawn.words.push(label);
    }
  }
  return drawn;
}
