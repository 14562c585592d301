/** The cards of nodes, in three sizes of detail: a whole card, one line, a dot. */

import {count, fit, percent, s, widthOf} from '../dom.js';
import {fillOf, toneOf} from '../colour.js';
import {draw, strip} from './pictures.js';

/** @typedef {{leaf: boolean, folded: boolean}} Look leaf: shown as one; folded: its branches are hidden */

export const WIDE = 172;
const PAD = 10, BIG = 13.5, SMALL = 11.25, AGAIN = 14;

/**
 * @param {Model} model
 * @param {NodeInfo} node
 * @param {Look} look
 * @returns {[number, number]} width and height
 */
export function sizeOf(model, node, look) {
  if (!look.leaf && !look.folded) return [WIDE, (node.fact.picture ? 124 : 64) + (node.fact.again ? AGAIN : 0)];
  if (look.folded) return [WIDE, 64];
  return [WIDE, node.fact.picture?.kind === 'line' ? 112 : model.doc.classes || node.fact.picture?.kind === 'box' ? 60 : 42];
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {{size?: number, bold?: boolean, end?: boolean, soft?: boolean, room?: number}} [how]
 */
function words(x, y, text, {size = SMALL, bold = false, end = false, soft = false, room = WIDE} = {}) {
  const props = {x, y, 'font-size': size, 'font-weight': bold ? 600 : null, 'text-anchor': end ? 'end' : null, class: soft ? 'soft' : null};
  return s('text', props, fit(text, room, size, bold));
}

/**
 * The whole card.
 * @param {Model} model
 * @param {NodeInfo} node
 * @param {Look} look
 * @returns {SVGElement[]}
 */
export function card(model, node, look) {
  const [w, h] = sizeOf(model, node, look);
  const body = look.folded ? foldedCard(model, node, h) : look.leaf ? leafCard(model, node, h) : splitCard(model, node, h);
  return [s('rect', {class: 'card', width: w, height: h, rx: 7}), ...body];
}

/**
 * Words at the left, which go first, and the longest of several at the right that leaves them whole.
 * @param {number} y
 * @param {string} left
 * @param {string[]} rights
 * @param {{x?: number, size?: number}} [how]
 */
function pair(y, left, rights, {x = PAD, size = BIG} = {}) {
  const room = WIDE - x - PAD, need = widthOf(left, size, true) + 8;
  const right = rights.find((words) => need + widthOf(words, SMALL) <= room) ?? '';
  const found = [words(x, y, left, {size, bold: true, room: right ? room - widthOf(right, SMALL) - 8 : room})];
  return right ? [...found, words(WIDE - PAD, y, right, {end: true, soft: true})] : found;
}

/**
 * How many records, and which node, in fewer and fewer words.
 * @param {NodeInfo} node
 */
function sizes({fact, id}) {
  return [`n=${count(fact.n)} · #${id}`, `n=${count(fact.n)}`, count(fact.n)];
}

/**
 * @param {Model} model
 * @param {NodeInfo} node
 * @param {number} h
 */
function splitCard({doc}, node, h) {
  const {fact} = node;
  const y = h - (doc.classes ? 20 : 10), top = 27 + (fact.again ? AGAIN : 0);
  const picture = fact.picture ? draw(doc, fact.picture, {x: PAD, y: top, w: WIDE - 2 * PAD, h: h - top - (doc.classes ? 33 : 23)}) : [];
  return [
    ...pair(18, `${fact.mark} ${fact.question}`, fact.score ? [fact.score, fact.score.replace(/^.* (?=[^ ]*\d)/, '')] : []),
    ...(fact.again ? [words(PAD, 33, fact.again, {soft: true, room: WIDE - 2 * PAD})] : []),
    ...picture,
    ...pair(y, fact.verdict, sizes(node), {size: 12.5}),
    ...(doc.classes ? strip(doc, fact.counts, {x: PAD, y: h - 14, w: WIDE - 2 * PAD, h: 7}) : []),
  ];
}

/**
 * @param {Model} model
 * @param {NodeInfo} node
 * @param {number} h
 */
function leafCard({doc}, node, h) {
  const {fact} = node;
  const room = WIDE - 2 * PAD - 4;
  const edge = s('path', {...(doc.classes ? {class: fillOf(doc, fact.label)} : {style: {fill: toneOf(doc, fact)}}), d: `M6 0.5H4.5a4 4 0 0 0-4 4V${h - 4.5}a4 4 0 0 0 4 4H6z`});
  if (!doc.classes) return [edge, ...numberLeaf(doc, node, h)];
  const wrong = `${count(fact.wrong)} wrong`;
  const held = fact.held ? (fact.held[0] ? ` · valid. ${count(fact.held[1])} of ${count(fact.held[0])}` : ' · valid. none') : '';
  const below = doc.quality.length ? `${wrong}${held}` : '';
  return [
    edge,
    ...pair(18, fact.verdict, sizes(node), {x: PAD + 4}),
    ...strip(doc, fact.counts, {x: PAD + 4, y: 26, w: room, h: 8}),
    words(PAD + 4, h - 9, below, {soft: true, room}),
  ];
}

/**
 * @param {Doc} doc
 * @param {NodeInfo} node
 * @param {number} h
 */
function numberLeaf(doc, node, h) {
  const {fact} = node;
  const left = PAD + 4, area = {x: left, y: 24, w: WIDE - left - PAD, h: 14};
  if (fact.picture?.kind === 'line') {
    const error = fact.facts.find((one) => one[0] === 'rmse here');
    return [
      words(left, 18, fact.verdict, {size: 12, bold: true, room: WIDE - left - PAD}),
      ...draw(doc, fact.picture, {...area, h: h - 24 - 24}),
      words(left, h - 8, error ? `rmse ${error[1].split(' ')[0]}` : '', {soft: true}),
      words(WIDE - PAD, h - 8, sizes(node)[0], {end: true, soft: true}),
    ];
  }
  const found = pair(18, fact.verdict, sizes(node), {x: left});
  if (!fact.picture) return found;
  const [low, high] = doc.axis;
  return [...found, ...draw(doc, fact.picture, area), words(left, h - 7, low, {soft: true}), words(WIDE - PAD, h - 7, high, {end: true, soft: true})];
}

/**
 * @param {Model} model
 * @param {NodeInfo} node
 * @param {number} h
 */
function foldedCard({doc}, node, h) {
  const {fact} = node;
  const wrong = doc.classes && doc.quality.length && fact.n ? `, ${percent(fact.wrong / fact.n)} wrong here` : '';
  return [
    ...pair(18, `▸ ${fact.question}`, [`#${node.id}`]),
    words(PAD, 33, wrong ? `${count(node.leaves)} leaves${wrong}` : `${count(node.nodes)} nodes, ${count(node.leaves)} leaves`, {soft: true, room: WIDE - 2 * PAD}),
    ...pair(h - (doc.classes ? 16 : 9), fact.verdict, sizes(node).slice(1), {size: 12}),
    ...(doc.classes ? strip(doc, fact.counts, {x: PAD, y: h - 12, w: WIDE - 2 * PAD, h: 5}) : []),
  ];
}

/**
 * One line, for trees seen from further away: letters keep their size on the screen.
 * @param {Model} model
 * @param {NodeInfo} node
 * @param {Look} look
 * @param {number} k the zoom
 * @returns {SVGElement[]}
 */
export function line({doc, ...model}, node, look, k) {
  const [w, h] = sizeOf({doc, ...model}, node, look);
  const {fact} = node;
  const size = 10.5 / k, name = look.leaf ? (doc.classes ? doc.classes[fact.label] : fact.verdict) : look.folded ? `▸ ${fact.question}` : `${fact.question}`;
  const bar = 6 / k, tall = Math.min(h, size + bar + 10 / k), top = (h - tall) / 2;
  const n = count(fact.n), beside = w - 14 / k - widthOf(n, size);
  const both = widthOf(name, size, !look.leaf) <= beside, room = both ? beside : w - 10 / k;
  const body = [words(5 / k, top + size + 2 / k, name, {size, bold: !look.leaf, room})];
  if (both) body.push(words(w - 5 / k, top + size + 2 / k, n, {size, end: true, soft: true}));
  if (doc.classes) body.push(...strip(doc, fact.counts, {x: 5 / k, y: top + size + 5.5 / k, w: w - 10 / k, h: bar}));
  else body.push(s('rect', {style: {fill: toneOf(doc, fact)}, x: 5 / k, y: top + size + 5.5 / k, width: w - 10 / k, height: bar}));
  return [s('rect', {class: 'card', y: top, width: w, height: tall, rx: 4 / k}), ...body];
}

/**
 * A dot in the colour of what the node predicts.
 * @param {Model} model
 * @param {NodeInfo} node
 * @param {Look} look
 * @param {number} k
 * @returns {SVGElement[]}
 */
export function dot(model, node, look, k) {
  const [w, h] = sizeOf(model, node, look);
  const r = (look.leaf ? 5 : 3.5) / k;
  return [s('circle', {class: 'dot', cx: w / 2, cy: h / 2, r, style: {fill: toneOf(model.doc, node.fact)}})];
}
