/** Branches: as wide as their share of the records, never too thin to see, each with its words at the child's end. */

import {count, fitBranch, s, sum, widthOf} from '../dom.js';
import {WIDE} from './cards.js';

const SIZE = 11.25, THINNEST = 1.4, WIDEST = 15;

/** @type {(node: NodeInfo, room: number) => number} How much room the words of a branch take. */
export function labelWidth(node, room) {
  const {branch, gaps} = node.fact;
  return Math.min(room, widthOf(branch, SIZE)) + (gaps ? widthOf(` ${gaps}`, SIZE, true) + 3 : 0) + 14;
}

/** The branches below a node: they leave it side by side, as wide as their records, and end in the middle of a child. @param {PlacedNode} parent @param {PlacedNode[]} children @param {boolean} down @param {number} all the records of the root @param {string} level */
export function branches(parent, children, down, all, level) {
  const thick = level === 'full' ? 1 : level === 'line' ? 0.7 : 0.5, middle = level === 'dot' ? 0.5 : 0;
  const widths = children.map(({node}) => Math.max(THINNEST, (WIDEST * thick * node.fact.n) / (all || 1)));
  let along = -sum(widths) / 2;
  const {box: from} = parent;
  return children.map(({box: to, node}, k) => {
    const place = along + widths[k] / 2;
    along += widths[k];
    const [x1, y1] = down ? [from.x + from.w / 2 + place, from.y + from.h * (1 - middle)] : [from.x + from.w * (1 - middle), from.y + from.h / 2 + place];
    const [x2, y2] = down ? [to.x + to.w / 2, to.y + to.h * middle] : [to.x + to.w * middle, to.y + to.h / 2];
    const bend = down ? y1 + (y2 - y1) * 0.45 : x1 + (x2 - x1) * 0.4;
    const d = down
      ? `M${x1} ${y1}C${x1} ${bend} ${x2} ${bend} ${x2} ${y2 - (level === 'full' ? 22 : 4)}L${x2} ${y2}`
      : `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x1 + (x2 - x1) * 0.62} ${y2}L${x2} ${y2}`;
    const path = s('path', {class: node.fact.own ? 'edge own' : 'edge', d, 'stroke-width': widths[k], 'data-node': node.id});
    return {path, label: label(node, x2, y2, down)};
  });
}

/** @type {(node: NodeInfo, x: number, y: number, down: boolean) => SVGElement} x: the end of the branch */
function label(node, x, y, down) {
  const {branch, whole, gaps, own, n} = node.fact;
  const words = own ? `missing · ${count(n)}` : branch;
  const room = down ? WIDE - labelWidth({...node, fact: {...node.fact, branch: ''}}, 0) : 120; // above a card: no wider than it
  const said = fitBranch(words, room, SIZE), wide = labelWidth({...node, fact: {...node.fact, branch: said}}, room);
  const [left, middle] = down ? [x - wide / 2, y - 14] : [x - wide - 7, y];
  return s('g.label', {'data-node': node.id},
    s('title', gaps ? `${whole ?? branch}; ${gaps} missing` : whole ?? branch),
    s('rect', {x: left, y: middle - 9, width: wide, height: 18, rx: 9}),
    s('text', {x: left + 7, y: middle + 4, 'font-size': SIZE, class: own ? 'gap' : null},
      said,
      gaps ? s('tspan.gap', ` ${gaps}`) : null));
}
