/** The cards of nodes, in two sizes of detail: a whole card and one line. Dots are in dots.js. */

import {count, fit, percent, s, widthOf} from '../dom.js';
import {fillOf, toneOf} from '../colour.js';
import {draw, strip} from './pictures.js';

export const WIDE = 172;
const PAD = 10, BIG = 13.5, SMALL = 11.25, REMARK = 15;
export const LINE = [134, 30];
const DOT = 12;

/**
 * What is said of a node beside what it is: chosen by hand, locked, a note, how often its test comes again.
 * @param {Fact} fact
 * @param {Look} look
 * @returns {[string, string][]} the kind of remark and its words
 */
function remarks(fact, look) {
  /** @type {[string, string][]} */
  const all = [];
  if (fact.forced && !look.leaf) all.push(['forced', `✎ ${fact.forced.text}`]);
  if (fact.locked) all.push(['locked', 'locked']);
  if (fact.open && look.leaf && fact.alone) all.push(['open', '+ choose a split']);
  if (fact.again && !look.leaf && !look.folded) all.push(['again', fact.again]);
  if (fact.note) all.push(['note', `“${fact.note}”`]);
  return all;
}

/**
 * @param {[string, string][]} all
 * @param {number} y of the first one
 * @param {number} x
 */
function remarkLines(all, y, x = PAD) {
  return all.flatMap(([kind, text], k) => {
    const at = y + k * REMARK, left = kind === 'locked' ? x + 14 : x;
    const line = s('text', {class: `remark ${kind}`, x: left, y: at, 'font-size': SMALL}, fit(text, WIDE - left - PAD, SMALL, kind === 'forced'));
    return kind === 'locked' ? [padlock(x, at), line] : [line];
  });
}

/** @type {(x: number, y: number) => SVGElement} */
const padlock = (x, y) => s('path', {class: 'padlock', d: `M${x + 1} ${y - 5}h8v5.5h-8zM${x + 2.8} ${y - 5}v-2a2.2 2.2 0 0 1 4.4 0v2`});

/**
 * @param {Model} model
 * @param {NodeInfo} node
 * @param {Look} look
 * @param {Level} level
 * @returns {[number, number]} width and height
 */
export function sizeOf(model, node, look, level) {
  if (level === 'dot') return [DOT, DOT];
  if (level === 'line') return [LINE[0], LINE[1]];
  return [WIDE, plainHeight(model, node, look) + REMARK * remarks(node.fact, look).length];
}

/** @type {(model: Model, node: NodeInfo, look: Look) => number} */
function plainHeight(model, node, look) {
  if (!look.leaf && !look.folded) return node.fact.picture ? 124 : 64;
  if (look.folded) return 64;
  return node.fact.picture?.kind === 'line' ? 112 : model.doc.classes || node.fact.picture?.kind === 'box' ? 60 : 42;
}

/** @type {(x: number, y: number, text: string, how?: {size?: number, bold?: boolean, end?: boolean, soft?: boolean, room?: number}) => SVGElement} */
function words(x, y, text, {size = SMALL, bold = false, end = false, soft = false, room = WIDE} = {}) {
  const props = {x, y, 'font-size': size, 'font-weight': bold ? 600 : null, 'text-anchor': end ? 'end' : null, class: soft ? 'soft' : null};
  return s('text', props, fit(text, room, size, bold));
}

/** @type {(model: Model, node: NodeInfo, look: Look) => SVGElement[]} The whole card. */
export function card(model, node, look) {
  const [w, h] = sizeOf(model, node, look, 'full');
  const all = remarks(node.fact, look), plain = plainHeight(model, node, look);
  const body = look.folded ? foldedCard(model, node, plain) : look.leaf ? leafCard(model, node, plain, h) : splitCard(model, node, h, all);
  return [s('rect', {class: look.leaf && node.fact.open ? 'card undecided' : 'card', width: w, height: h, rx: 7}), ...body,
    ...(look.leaf || look.folded ? remarkLines(all, plain + 8, look.leaf ? PAD + 4 : PAD) : [])];
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
  const lines = [words(x, y, left, {size, bold: true, room: right ? room - widthOf(right, SMALL) - 8 : room})];
  return right ? [...lines, words(WIDE - PAD, y, right, {end: true, soft: true})] : lines;
}

/**
 * How many records, and which node, in fewer and fewer words.
 * @param {NodeInfo} node
 */
function sizes({fact, id}) {
  return [`n=${count(fact.n)} · #${id}`, `n=${count(fact.n)}`, count(fact.n)];
}

/** @type {(model: Model, node: NodeInfo, h: number, all: [string, string][]) => SVGElement[]} all: the remarks */
function splitCard({doc}, node, h, all) {
  const {fact} = node;
  const head = pair(18, `${fact.mark} ${fact.question}`, fact.score ? [fact.score] : []);
  const lower = fact.score && head.length < 2 ? 12 : 0; // the score stands below a name that leaves it no room
  const y = h - (doc.classes ? 20 : 10), top = 27 + lower + REMARK * all.length;
  const picture = fact.picture ? draw(doc, fact.picture, {x: PAD, y: top, w: WIDE - 2 * PAD, h: h - top - (doc.classes ? 33 : 23)}) : [];
  return [
    ...head,
    ...(lower ? [words(WIDE - PAD, 30, fact.score, {end: true, soft: true})] : []),
    ...remarkLines(all, 33 + lower),
    ...picture,
    ...pair(y, fact.verdict, sizes(node), {size: 12.5}),
    ...(doc.classes ? strip(doc, fact.counts, {x: PAD, y: h - 14, w: WIDE - 2 * PAD, h: 7}) : []),
  ];
}

/** @type {(model: Model, node: NodeInfo, h: number, whole: number) => SVGElement[]} whole: with its remarks */
function leafCard({doc}, node, h, whole) {
  const {fact} = node;
  const room = WIDE - 2 * PAD - 4;
  const edge = s('path', {...(doc.classes ? {class: fillOf(doc, fact.label)} : {style: {fill: toneOf(doc, fact)}}), d: `M6 0.5H4.5a4 4 0 0 0-4 4V${whole - 4.5}a4 4 0 0 0 4 4H6z`});
  if (!doc.classes) return [edge, ...numberLeaf(doc, node, h)];
  const wrong = `${count(fact.wrong)} wrong`;
  const [n, lost] = (fact.held ?? [0, 0]).map(count);
  const held = fact.held ? (fact.held[0] ? [` · valid. ${lost} of ${n}`, ` · valid. ${lost}/${n}`] : [' · valid. none']) : [''];
  const below = doc.quality.length ? `${wrong}${held.find((more) => widthOf(wrong + more, SMALL) <= room) ?? ''}` : '';
  return [
    edge,
    ...pair(18, fact.verdict, sizes(node), {x: PAD + 4}),
    ...strip(doc, fact.counts, {x: PAD + 4, y: 26, w: room, h: 8}),
    words(PAD + 4, h - 9, below, {soft: true, room}),
  ];
}

/** @type {(doc: Doc, node: NodeInfo, h: number) => SVGElement[]} */
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
  const lines = pair(18, fact.verdict, sizes(node), {x: left});
  if (!fact.picture) return lines;
  const [low, high] = doc.axis;
  return [...lines, ...draw(doc, fact.picture, area), words(left, h - 7, low, {soft: true}), words(WIDE - PAD, h - 7, high, {end: true, soft: true})];
}

/** @type {(model: Model, node: NodeInfo, h: number) => SVGElement[]} */
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
 * One line, for trees seen from further away: the branch that leads here, the test or the answer, how many records, the classes.
 * @param {Model} model
 * @param {NodeInfo} node
 * @param {Look} look
 * @returns {SVGElement[]}
 */
export function line({doc}, node, look) {
  const {fact} = node, size = 11, [w, h] = LINE;
  const answer = doc.classes ? doc.classes[fact.label] : fact.verdict;
  const name = `${fact.locked ? '⚿ ' : ''}${look.leaf ? answer : `${look.folded ? '▸ ' : ''}${fact.forced ? '✎ ' : ''}${fact.question}`}`;
  const way = fact.branch === undefined ? '' : fact.branch;
  const n = look.folded ? `${count(node.leaves)} leaves` : count(fact.n);
  const edge = look.leaf ? 5 : 12, room = w - 5 - edge, least = Math.min(widthOf(name, size, true), room * 0.62);
  const first = way ? fit(way, Math.max(room - least - 6, 50), size) : '';
  const left = first ? widthOf(first, size) + 5 : 0;
  const both = widthOf(name, size, true) + left + widthOf(n, size) + 6 <= room;
  const body = [
    first ? words(5, 14, first, {size, soft: true}) : null,
    words(5 + left, 14, name, {size, bold: true, room: both ? room : room - left}),
    both ? words(w - edge, 14, n, {size, end: true, soft: true}) : null,
  ].filter((one) => one !== null);
  const bar = doc.classes ? strip(doc, fact.counts, {x: 5, y: 19.5, w: w - 10, h: 6}) : [s('rect', {style: {fill: toneOf(doc, fact)}, x: 5, y: 19.5, width: w - 10, height: 6})];
  return [s('rect', {class: look.leaf && fact.open ? 'card undecided' : 'card', width: w, height: h, rx: 4}), ...body, ...bar];
}
