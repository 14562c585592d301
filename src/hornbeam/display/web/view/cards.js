/** The cards of nodes, in two sizes of detail: a whole card and one line. Dots are in dots.js. */

import {count, fit, fitBranch, many, percent, s, widthOf} from '../dom.js';
import {fillOf, toneOf} from '../colour.js';
import {draw, strip} from './pictures.js';

export const WIDE = 172;
const PAD = 10, BIG = 13.5, SMALL = 11.25, ONE = 11, REMARK = 15;
export const LINE = {least: 134, usual: 160, most: 230, tall: 30};
const DOT = 12;

/** What is said of a node beside what it is: chosen by hand, locked, a note, how often its test comes again. @param {Fact} fact @param {Look} look @returns {Remark[]} the kind of remark and its words */
function remarks(fact, look) {
  /** @type {Remark[]} */
  const all = [];
  if (fact.forced && !look.leaf) all.push(['forced', `✎ ${fact.forced.text}`]);
  if (fact.locked) all.push(['locked', 'locked']);
  if (fact.open && look.leaf && fact.alone) all.push(['open', '+ choose a split']);
  if (fact.again && !look.leaf && !look.folded) all.push(['again', fact.again]);
  if (fact.note) all.push(['note', `“${fact.note}”`]);
  return all;
}

/** @param {Remark[]} all @param {number} y of the first one @param {number} x */
function remarkLines(all, y, x = PAD) {
  return all.flatMap(([kind, text], k) => {
    const at = y + k * REMARK, left = kind === 'locked' ? x + 14 : x;
    const line = s('text', {class: `remark ${kind}`, x: left, y: at, 'font-size': SMALL}, fit(text, WIDE - left - PAD, SMALL, kind === 'forced'));
    return kind === 'locked' ? [padlock(x, at), line] : [line];
  });
}

/** @type {(x: number, y: number) => SVGElement} */
const padlock = (x, y) => s('path.padlock', {d: `M${x + 1} ${y - 5}h8v5.5h-8zM${x + 2.8} ${y - 5}v-2a2.2 2.2 0 0 1 4.4 0v2`});

/** @param {Model} model @param {NodeInfo} node @param {Look} look @param {Level} level @param {number} [wide] of lines @returns {[number, number]} width and height */
export function sizeOf(model, node, look, level, wide = LINE.least) {
  if (level === 'dot') return [DOT, DOT];
  if (level === 'line') return [wide, LINE.tall];
  return [WIDE, plainHeight(model, node, look) + REMARK * remarks(node.fact, look).length];
}

/** @type {OfNode<number>} */
function plainHeight(model, node, look) {
  if (!look.leaf && !look.folded) return node.fact.picture ? 124 : 64;
  if (look.folded) return 64;
  return node.fact.picture?.kind === 'line' ? 112 : node.fact.picture?.kind === 'box' || (model.doc.classes && model.doc.quality.length) ? 60 : 42;
}

/** @type {(x: number, y: number, text: string, how?: Lettering) => SVGElement} */
function words(x, y, text, {size = SMALL, bold = false, end = false, soft = false, room = WIDE} = {}) {
  const props = {x, y, 'font-size': size, 'font-weight': bold ? 600 : null, 'text-anchor': end ? 'end' : null, class: soft ? 'soft' : null};
  return s('text', props, fit(text, room, size, bold));
}

/** @type {OfNode<SVGElement[]>} The whole card. */
export function card(model, node, look) {
  const [w, h] = sizeOf(model, node, look, 'full');
  const all = remarks(node.fact, look), plain = plainHeight(model, node, look);
  const body = look.folded ? foldedCard(model, node, plain) : look.leaf ? leafCard(model, node, plain, h) : splitCard(model, node, h, all);
  return [s('rect', {class: look.leaf && node.fact.open ? 'card undecided' : 'card', width: w, height: h, rx: 7}), ...body,
    ...(look.leaf || look.folded ? remarkLines(all, plain + 8, look.leaf ? PAD + 4 : PAD) : [])];
}

/** Words at the left, which go first, and the longest of several at the right that leaves them whole. @param {number} y @param {string} left @param {string[]} rights @param {{x?: number, size?: number}} [how] */
function pair(y, left, rights, {x = PAD, size = BIG} = {}) {
  const room = WIDE - x - PAD, need = widthOf(left, size, true) + 8;
  const right = rights.find((words) => need + widthOf(words, SMALL) <= room) ?? '';
  const lines = [words(x, y, left, {size, bold: true, room: right ? room - widthOf(right, SMALL) - 8 : room})];
  return right ? [...lines, words(WIDE - PAD, y, right, {end: true, soft: true})] : lines;
}

/** How many records, and which node, in fewer and fewer words. @param {NodeInfo} node */
function sizes({fact, id}) {
  return [`n=${count(fact.n)} · #${id}`, `n=${count(fact.n)}`, count(fact.n)];
}

/** @type {CardBody<Model, Remark[]>} all: the remarks */
function splitCard({doc}, node, h, all) {
  const {fact} = node;
  const head = pair(18, `${fact.mark} ${fact.question}`, fact.score ? [fact.score] : []);
  const lower = fact.score && head.length < 2 ? 12 : 0; // the score stands below a name that leaves it no room
  const y = h - (doc.classes ? 20 : 10), top = 27 + lower + REMARK * all.length;
  const picture = fact.picture ? draw(doc, fact.picture, {x: PAD, y: top, w: WIDE - 2 * PAD, h: h - top - (doc.classes ? 33 : 23)}) : [];
  return [
    ...head,
    ...(lower ? [words(WIDE - PAD, 31, fact.score, {end: true, soft: true})] : []),
    ...remarkLines(all, 33 + lower),
    ...picture,
    ...pair(y, fact.verdict, sizes(node), {size: 12.5}),
    ...(doc.classes ? strip(doc, fact.counts, {x: PAD, y: h - 14, w: WIDE - 2 * PAD, h: 7}) : []),
  ];
}

/** @type {CardBody<Model, number>} whole: with its remarks */
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

/** @type {CardBody<Doc>} */
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

/** @type {CardBody<Model>} */
function foldedCard({doc}, node, h) {
  const {fact} = node;
  const error = `${many(node.leaves, 'leaf', 'leaves')}, ${percent(fact.wrong / fact.n)} wrong`, longer = `${error} here`;
  const wrong = doc.classes && doc.quality.length && fact.n ? (widthOf(longer, SMALL) <= WIDE - 2 * PAD ? longer : error) : '';
  return [
    ...pair(18, `▸ ${fact.question}`, [`#${node.id}`]),
    words(PAD, 33, wrong || `${count(node.nodes)} nodes, ${many(node.leaves, 'leaf', 'leaves')}`, {soft: true, room: WIDE - 2 * PAD}),
    ...pair(h - (doc.classes ? 16 : 9), fact.verdict, sizes(node).slice(1), {size: 12}),
    ...(doc.classes ? strip(doc, fact.counts, {x: PAD, y: h - 12, w: WIDE - 2 * PAD, h: 5}) : []),
  ];
}

/** @type {OfNode<{way: string, name: string, n: string}>} What one line says: the branch that leads here, the test or the answer, how many records. */
function lineWords({doc}, {fact, leaves}, look) {
  const answer = doc.classes ? doc.classes[fact.label] : fact.verdict;
  const name = `${fact.locked ? '⚿ ' : ''}${look.leaf ? answer : `${look.folded ? '▸ ' : ''}${fact.forced ? '✎ ' : ''}${fact.question}`}`;
  return {way: fact.branch ?? '', name, n: look.folded ? many(leaves, 'leaf', 'leaves') : count(fact.n)};
}

/** @type {OfNode<number>} The width at which a line says all of it. */
export function lineNeed(model, node, look) {
  const {way, name, n} = lineWords(model, node, look);
  return 5 + (way ? widthOf(way, ONE) + 5 : 0) + widthOf(name, ONE, true) + 6 + widthOf(n, ONE) + (look.leaf ? 6 : 13);
}

/** One line, for trees seen from further away, with the classes below it. @param {Model} model @param {NodeInfo} node @param {Look} look @param {number} w its width @returns {SVGElement[]} */
export function line(model, node, look, w) {
  const {doc} = model, {fact} = node, {way, name, n} = lineWords(model, node, look);
  const edge = look.leaf ? 5 : 12, room = w - 5 - edge, need = widthOf(name, ONE, true), least = Math.min(need, room * 0.62);
  // a number that lost its middle says something else: names give way to it
  const first = way ? fitBranch(way, Math.max(room - least - 6, /^[≤>]/.test(way) ? Math.min(widthOf(way, ONE), room * 0.6) : 50), ONE) : '';
  const left = first ? widthOf(first, ONE) + 5 : 0;
  const both = need + left + widthOf(n, ONE) + 6 <= room;
  const short = need + left > room ? name.split(' ± ')[0] : name;
  const body = [
    first ? words(5, 14, first, {size: ONE, soft: true}) : null,
    words(5 + left, 14, short, {size: ONE, bold: true, room: both ? room : room - left}),
    both ? words(w - edge, 14, n, {size: ONE, end: true, soft: true}) : null,
  ].filter((one) => one !== null);
  const bar = doc.classes ? strip(doc, fact.counts, {x: 5, y: 19.5, w: w - 10, h: 6}) : [s('rect', {style: {fill: toneOf(doc, fact)}, x: 5, y: 19.5, width: w - 10, height: 6})];
  return [s('rect', {class: look.leaf && fact.open ? 'card undecided' : 'card', width: w, height: LINE.tall, rx: 4}), ...body, ...bar];
}
