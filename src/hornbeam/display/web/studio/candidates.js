/** Every column at a node with its scores, and one of them in detail: table, cuts, arithmetic, and ways to split. */

import {choice, scrolling, sortable} from '../controls.js';
import {breakable, count, h, put, signs, table} from '../dom.js';
import {cutChart} from './cuts.js';
import {groupsDialog} from './groups.js';
import {get, post} from './server.js';

const order = {by: 'rank', rising: true, up: ['column', 'p']};

/** @param {Bench} bench @param {number} id */
export async function candidates(bench, id) {
  const {model} = bench.view, {ids, doc} = model, ask = (more = '') => get(`/api/node/${ids[id]}/candidates${more}?revision=${doc.revision}`);
  const told = await ask(), all = told.candidates;
  const current = () => model.doc === doc; // the tree may change while an answer is under way
  if (!current()) return null;
  const scores = Object.entries(told.measures).filter(([key]) => all.some((one) => one[key] !== null && one[key] !== undefined));
  const gaps = all.some((one) => one.missing) ? [['missing', '∅']] : [];
  const detail = h('div.detail');
  let chosen = (all.find((one) => one.chosen) ?? all[0])?.column;
  const most = Math.max(...all.map((one) => one.score ?? 0), 1e-12);
  // the bar stands behind the score that ranks
  const ranked = (scores.find(([, words]) => words === all[0].measure) ?? scores[0])?.[0];
  const list = sortable('candidates', `Candidates by ${told.criterion}`, [['chosen', ''], ['column', 'column, split'], ...scores, ...gaps], order, draw);

  function draw() {
    const key = (/** @type {Facts} */ one) => one[order.by] ?? (order.rising ? Infinity : -Infinity);
    const sign = order.rising ? 1 : -1;
    list.put([...all].sort((a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : 0)).map(row));
  }

  /** @param {Facts} one */
  function row(one) {
    const cells = scores.map(([name]) => h('td', name !== ranked ? {class: 'number'} : {class: 'number bar', style: {'--share': `${Math.round((100 * (one.score ?? 0)) / most)}%`}}, one.texts[name]));
    return h('tr', {class: one.column === chosen ? 'chosen' : null, onclick: () => pick(one.column)},
      h('td', {title: one.chosen ? 'the test of this node' : null}, one.chosen ? '●' : '○'),
      h('th', {scope: 'row'}, h('button.link', {'aria-expanded': String(one.column === chosen)}, breakable(one.column)), one.reason ? null : h('span.short', {title: one.test}, split(one))),
      one.reason ? h('td', {colspan: Math.max(scores.length, 1), class: 'soft'}, one.reason) : cells,
      gaps.length ? h('td.number', one.missing ? count(one.missing) : '') : null);
  }

  /** @param {string} column */
  async function pick(column) {
    chosen = column;
    draw();
    const one = await bench.attempt(() => ask(`/${encodeURIComponent(column)}`));
    if (one && column === chosen && current()) put(detail, about(bench, id, /** @type {Candidate} */ (one)));
  }

  draw();
  if (chosen) pick(chosen);
  return [told.stops ? h('p.pill', told.stops) : null, told.made ? h('p.soft', `this node tests ${signs(told.made)}`) : null, list.element, detail];
}

/** @param {Facts} one */
function split({kind, test, column}) {
  return kind === 'multiway' ? 'one branch per value' : signed(test.startsWith(column) ? test.slice(column.length).trim() : test, kind);
}

/** @type {(branch: string, kind: string) => string} with the signs that the tree has; those of a value are its own */
const signed = (branch, kind) => (kind === 'threshold' ? branch.replace(/^<= ?/, '≤ ').replace(/^> ?/, '> ') : kind === 'multiway' ? branch : branch.replace(/^in \{([^,{}]*)\}$/, '= $1').replace(/, ?/g, ', '));

/** @param {Bench} bench @param {number} id @param {Candidate} one */
function about(bench, id, one) {
  const {model} = bench.view, node = model.ids[id], column = bench.session.columns.find((c) => c.name === one.column);
  const preview = h('div.preview', {'aria-live': 'polite'});
  let turn = 0;
  const nominal = column && column.kind !== 'numeric' && column.values?.length;
  const gaps = choice('Where gaps go', [['', 'gaps: as usual'], ...Array.from({length: Math.min(nominal || 2, 12)}, (_, k) => [`${k}`, `gaps to branch ${k + 1}`]), ['own', 'gaps: a branch of their own']]);
  // a node that tests something is made a leaf first, unless only the cut of its test moves
  const inner = model.nodes[id].children.length > 0;
  const moves = (/** @type {Facts} */ {at}) => inner && one.chosen && at !== undefined && gaps.value === '';
  const opFor = (/** @type {Facts} */ more) => {
    if (moves(more)) return {op: 'move', node, at: more.at};
    return {op: 'split', node, on: one.column, ...more, ...(gaps.value === '' ? {} : {missing: gaps.value === 'own' ? 'own' : Number(gaps.value)})};
  };
  const take = async (/** @type {Facts} */ more) => {
    const op = opFor(more);
    if (inner && op.op === 'split' && !(await bench.act({op: 'collapse', node}))) return;
    await bench.act(op);
  };
  const look = async (/** @type {Facts} */ more) => {
    const mine = ++turn;
    if (inner && !moves(more)) return put(preview, h('p', 'The branches below this node go; the split is made anew.'));
    const told = await bench.attempt(() => post('/api/preview', {op: opFor(more)}));
    if (!told || mine !== turn) return;
    put(preview, h('p', h('b', signs(told.test)), told.cost ? ` ${signs(told.cost)}` : ''),
      table('numbers', 'Branches', ['branch', 'records', 'answers'], (told.branches ?? []).map((branch) => [branch.answer, count(branch.n), branch.verdict])));
  };
  const named = model.doc.classes?.length === one.classes?.length ? model.doc.classes : one.classes;
  const heads = named?.length ? named : ['records', 'sum', 'sum of squares'];
  return [
    h('h3', one.reason ? one.column : one.kind === 'multiway' ? `${one.column}, ${split(one)}` : `${one.column} ${split(one)}`), h('p.why', signs(one.why)),
    one.table ? scrolling('Contingency table', table('numbers', 'Contingency table', ['branch', ...heads.slice(0, (one.table[0]?.length ?? 1) - 1)],
      one.table.map(([branch, ...row]) => [signed(branch, one.kind), ...row.map((value) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value))]))) : null,
    one.cuts ? cutChart(one, inner && one.chosen ? model.doc.tree.nodes.threshold?.[id] : undefined, (at) => look({at}), (at) => take({at})) : null,
    h('div.buttons', one.reason ? null : h('button.main', {onclick: () => take({})}, `Split on ${one.column}`),
      nominal ? [h('button', {onclick: () => take({multiway: true})}, 'One branch per value'), h('button', {onclick: () => groupsDialog(column, one, (groups) => take({groups}))}, 'Groups …')] : null, column?.missing ? gaps : null),
    preview,
    one.lines?.length ? [h('h3', 'Arithmetic'), h('div.arithmetic', [...(one.details ?? []), ...one.lines].map((line) => {
      const at = line.lastIndexOf(' = ') + 3;
      return h('p', at < 3 ? line : [line.slice(0, at), h('b', line.slice(at))]);
    }))] : null,
  ];
}
