/** The inspector: everything about the selected node. */

import {count, h, many, percent, put, s, sum, table} from '../dom.js';
import {fillOf} from '../colour.js';
import {isLeaf, pathTo, reveal} from '../model.js';
import {draw, strip} from './pictures.js';
import {ends} from './shapes.js';

/** @type {Panel} */
export function inspector(model, store) {
  const element = h('section.inspector', {tabindex: -1, 'aria-label': 'About the selected node'});
  store.on(['selected', 'step', 'version'], () => put(element, contents(model, store)));
  return element;
}

/** @type {Panel<Child>} */
function contents(model, store) {
  const {selected, step} = store.get();
  const {doc} = model;
  const {fact} = model.nodes[selected];
  const leaf = isLeaf(model, selected, step);
  const kind = leaf ? (model.nodes[selected].children.length ? 'pruned to a leaf' : 'leaf') : 'split';
  return [
    h('p.kicker', `Node #${selected} · ${selected ? kind : 'root'} · ${many(fact.n, 'record', 'records')}`),
    h('h2', leaf ? fact.verdict : `${fact.mark} ${fact.question}`),
    leaf ? null : h('p.soft', `answers ${fact.verdict}`),
    byHand(fact, leaf),
    fact.picture && !leaf ? picture(model, selected) : null,
    way(model, store, selected),
    doc.classes ? classTable(doc, fact) : null,
    table('facts', 'Facts about the node', [], [...fact.facts, ...(fact.score ? [['score', fact.score]] : []), ...held(doc, fact)]),
    fact.equation ? equation(fact.equation) : null,
    fact.surrogates && !leaf ? [h('h3', 'Surrogates'), table('numbers', 'Tests asked where the value is missing', ['test', 'agreement', 'association'], fact.surrogates)] : null,
    leaf ? null : branchTable(model, store, selected),
  ];
}

/** What people did at the node. @param {Fact} fact @param {boolean} leaf */
function byHand(fact, leaf) {
  return [
    fact.forced && !leaf ? h('p.pill', h('b', `✎ ${fact.forced.text}`), fact.forced.detail ? ` ${fact.forced.detail}` : '') : null,
    fact.locked ? h('p.pill', h('b', 'locked'), ' growth and pruning leave it as it is') : null,
    fact.note ? h('blockquote.note', fact.note) : null,
  ];
}

const LONG = 260;

/** A text, all of which is there on demand if it is long. @param {string} text */
export function longText(text) {
  if (text.length <= LONG) return text;
  const head = text.slice(0, text.lastIndexOf(' ', LONG));
  return h('details.values', h('summary', `${head} …`), h('p', text));
}

/** A branch, with all of its values on demand. @param {Fact} fact */
function wholeBranch(fact) {
  return fact.whole ? h('details.values', h('summary', fact.branch), h('p', fact.whole)) : null;
}

/** @type {(doc: Doc, fact: Fact) => string[][]} */
function held(doc, fact) {
  if (!fact.held) return [];
  const [n, lost] = fact.held;
  if (!n) return [['validation', 'no record comes here']];
  return [['validation', doc.classes ? `${count(lost)} of ${count(n)} wrong (${percent(lost / n)})` : `${count(n)} records, rmse ${lost}`]];
}

/** @param {Model} model @param {number} id */
function picture({doc, nodes}, id) {
  const {fact} = nodes[id];
  const [w, tall] = [340, fact.picture.kind === 'bars' ? 20 * (fact.picture.bars.length + 1) : 110];
  const sides = fact.picture.ends ?? [];
  const words = `${fact.question} at this node${doc.classes ? ', stacked by class' : ' against the outcome'}`;
  return h('figure', null,
    s('svg.big', {viewBox: `0 0 ${w} ${tall + (sides.length ? 14 : 0)}`, role: 'img', 'aria-label': words},
      draw(doc, fact.picture, {x: 4, y: 4, w: w - 8, h: tall - 6}),
      ends(sides, 4, w - 4, tall + 11)),
    h('figcaption.soft', words));
}

/** @type {(model: Model, store: Store, id: number) => HTMLDivElement} The conditions from the root, each a button to its node. */
function way(model, store, id) {
  const {rule} = model.nodes[id].fact;
  if (id === 0) return h('p.rule-text', 'Every record starts here.');
  const steps = pathTo(model, id).slice(1).map((at) => {
    const above = model.nodes[model.nodes[at].parent];
    return h('li', h('button.link', {onclick: () => store.set({selected: above.id})}, `${above.fact.question} ${model.nodes[at].fact.branch}`), wholeBranch(model.nodes[at].fact));
  });
  return h('div.way',
    rule ? h('div.rule-text', h('b', 'if '), longText(rule.join(' and ')), h('b', ' then '), model.nodes[id].fact.verdict) : null,
    h('details', {open: !rule}, h('summary', `${many(steps.length, 'test', 'tests')} from the root`), h('ol', steps)));
}

/** @param {Doc} doc @param {Fact} fact */
function classTable(doc, fact) {
  const total = sum(fact.counts);
  const order = fact.counts.map((n, k) => [n, k]).filter(([n, k]) => n || k === fact.label);
  if (order.length > 12) order.sort((a, b) => b[0] - a[0]);
  return [
    s('svg.big', {viewBox: '0 0 340 14', role: 'img', 'aria-label': 'Classes at this node'}, strip(doc, fact.counts, {x: 1, y: 1, w: 338, h: 12})),
    table('numbers', 'Classes at this node', ['class', 'records', 'share'], order.slice(0, 30).map(([n, k]) =>
      [[swatch(doc, k), h(k === fact.label ? 'b' : 'span', null, doc.classes[k])], count(n), total ? percent(n / total) : ''])),
  ];
}

/** @param {Doc} doc @param {number} label */
export function swatch(doc, label) {
  return s('svg.swatch', {viewBox: '0 0 10 10', 'aria-hidden': 'true'}, s('rect', {class: `${fillOf(doc, label)} outlined`, x: 0.5, y: 0.5, width: 9, height: 9, rx: 2}));
}

/** @param {any} given */
function equation({text, intercept, terms}) {
  return [
    h('h3', 'Equation'),
    h('p.rule-text', `y ≈ ${text}`),
    table('numbers', 'Terms of the equation', ['term', 'coefficient', 'if missing'], [['constant', intercept, ''], ...terms]),
  ];
}

/** @param {Model} model @param {Store} store @param {number} id */
function branchTable(model, store, id) {
  const rows = model.nodes[id].children.map((child) => {
    const {fact} = model.nodes[child];
    const go = () => reveal(model, store, child);
    return [[h('button.link', {onclick: go}, fact.branch), wholeBranch(fact)], `${count(fact.n)}${fact.gaps ? ` (${fact.gaps})` : ''}`, fact.verdict];
  });
  return [h('h3', 'Branches'), table('numbers', 'Branches of this node', ['branch', 'records', 'answers'], rows)];
}
