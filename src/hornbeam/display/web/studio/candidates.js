/** Every column at a node with its scores, and one of them in detail: table, cuts, arithmetic, and ways to split. */

import {count, h, put, table} from '../dom.js';
import {cutChart} from './cuts.js';
import {groupsDialog} from './groups.js';
import {get, post} from './server.js';

/** @type {[string, string][]} */
const SCORES = [['gain', 'gain'], ['gain_ratio', 'ratio'], ['gini', 'Gini'], ['chi2', 'χ²'], ['sdr', 'SDR'], ['r2', 'R²'], ['f', 'F'], ['p', 'p']];

/** @param {number | null | undefined} x */
function digits(x) {
  if (x === null || x === undefined) return '';
  if (x !== 0 && Math.abs(x) < 0.001) return x > 0 && x < 1 ? '<.001' : x.toExponential(1);
  return Math.abs(x) >= 100 ? x.toFixed(1) : x.toFixed(3);
}

let sortedBy = 'rank', rising = true;

/**
 * @param {Bench} bench
 * @param {number} id
 */
export async function candidates(bench, id) {
  const told = await get(`/api/node/${bench.view.model.ids[id]}/candidates`);
  const scores = SCORES.filter(([key]) => told.candidates.some((/** @type {any} */ one) => one[key] !== null && one[key] !== undefined));
  const detail = h('div', {class: 'detail'}), body = h('tbody');
  let chosen = told.candidates.find((/** @type {any} */ one) => one.chosen)?.column ?? told.candidates[0]?.column;
  const heads = [['rank', ''], ['column', 'column'], ['test', 'split'], ...scores, ['missing', '∅']];
  const head = heads.map(([key, words]) => h('th', {scope: 'col', 'data-key': key}, words ? h('button', {onclick: () => {
    rising = sortedBy === key ? !rising : key === 'column' || key === 'p' || key === 'test';
    sortedBy = key;
    rows();
  }}, words) : h('span', {class: 'away'}, 'chosen')));
  const most = Math.max(...told.candidates.map((/** @type {any} */ one) => one.score ?? 0), 1e-12);

  function rows() {
    const key = (/** @type {any} */ one) => one[sortedBy] ?? (rising ? Infinity : -Infinity);
    const order = [...told.candidates].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (rising ? 1 : -1));
    head.forEach((cell) => cell.setAttribute('aria-sort', cell.dataset.key === sortedBy ? (rising ? 'ascending' : 'descending') : 'none'));
    put(body, order.map((one) => h('tr', {class: one.column === chosen ? 'chosen' : null, onclick: () => pick(one.column)},
      h('td', {title: one.chosen ? 'the test of this node' : null}, one.chosen ? '●' : '○'),
      h('th', {scope: 'row'}, h('button', {class: 'link', 'aria-expanded': String(one.column === chosen), onclick: (/** @type {Event} */ event) => {
        event.stopPropagation();
        pick(one.column);
      }}, one.column)),
      one.reason ? h('td', {colspan: scores.length + 1, class: 'soft'}, one.reason) : [h('td', null, h('span', {class: 'short', title: one.test}, split(one))), scores.map(([name]) => h('td', {class: name === scores[0][0] ? 'number bar' : 'number', style: name === scores[0][0] ? {'--share': `${Math.round((100 * (one.score ?? 0)) / most)}%`} : {}}, digits(one[name])))],
      h('td', {class: 'number'}, one.missing ? count(one.missing) : ''))));
  }

  /** @param {string} column */
  async function pick(column) {
    chosen = column;
    rows();
    const one = await bench.attempt(() => get(`/api/node/${bench.view.model.ids[id]}/candidates/${encodeURIComponent(column)}`));
    if (one && column === chosen) put(detail, about(bench, id, one));
  }

  rows();
  if (chosen) pick(chosen);
  return [
    told.stops ? h('p', {class: 'pill'}, told.stops) : null,
    told.made ? h('p', {class: 'soft'}, `this node tests ${told.made}`) : null,
    h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Candidates'}, h('table', {class: 'sortable candidates'}, h('caption', {class: 'away'}, `Candidates by ${told.criterion}`), h('thead', null, h('tr', null, head)), body)),
    detail,
  ];
}

/** @param {any} one */
function split(one) {
  if (one.kind === 'multiway') return 'multiway';
  return one.test.startsWith(one.column) ? one.test.slice(one.column.length).trim() : one.test;
}

/**
 * @param {Bench} bench
 * @param {number} id
 * @param {any} one
 */
function about(bench, id, one) {
  const node = bench.view.model.ids[id], column = bench.session.columns.find((c) => c.name === one.column);
  const preview = h('div', {class: 'preview', 'aria-live': 'polite'});
  let turn = 0;
  /** @param {any} op */
  const look = async (op) => {
    const mine = ++turn;
    const told = await bench.attempt(() => post('/api/preview', {op}));
    if (!told || mine !== turn) return;
    put(preview, h('p', null, h('b', null, told.test), told.forced ? ` rank ${told.forced.rank} of ${told.forced.of}, score ${digits(told.forced.score)} (best ${told.forced.best}: ${digits(told.forced.best_score)})` : ''),
      table('numbers', 'Branches', ['branch', 'records', 'answers'], (told.branches ?? []).map((/** @type {any} */ branch) => [branch.answer, count(branch.n), branch.verdict])));
  };
  const gaps = /** @type {HTMLSelectElement} */ (h('select', {'aria-label': 'Where gaps go'}, h('option', {value: ''}, 'gaps: as usual'), h('option', {value: '0'}, 'gaps to the first branch'), h('option', {value: '1'}, 'gaps to the second branch'), h('option', {value: 'own'}, 'gaps: a branch of their own')));
  const missing = () => (gaps.value === '' ? {} : {missing: gaps.value === 'own' ? 'own' : Number(gaps.value)});
  // a node that tests something is made a leaf first, unless only the cut of its test moves
  const inner = bench.view.model.nodes[id].children.length > 0;
  const moves = (/** @type {any} */ more) => inner && one.chosen && more.at !== undefined && gaps.value === '';
  const opFor = (/** @type {any} */ more) => (moves(more) ? {op: 'move', node, at: more.at} : {op: 'split', node, on: one.column, ...more, ...missing()});
  const take = async (/** @type {any} */ more) => {
    const op = opFor(more);
    if (inner && op.op === 'split' && !(await bench.act({op: 'collapse', node}))) return;
    await bench.act(op);
  };
  const see = (/** @type {any} */ more) => (inner && !moves(more) ? put(preview, h('p', null, 'The branches below this node go; the split is made anew.')) : look(opFor(more)));
  const names = bench.view.model.doc.classes ?? [];
  const classes = names.length === one.classes?.length ? names : one.classes ?? [];
  const nominal = column && column.kind !== 'numeric' && column.values?.length;
  return [
    h('h3', null, one.test || one.column), h('p', {class: 'why'}, one.why),
    one.table ? h('div', {class: 'scroll'}, table('numbers', 'Contingency table', ['branch', ...(classes.length ? classes : ['records', 'sum', 'sum of squares'].slice(0, (one.table[0]?.length ?? 1) - 1))], one.table.map((/** @type {any[]} */ row) => row.map((value, k) => (k ? (typeof value === 'number' ? Number(value.toPrecision(6)) : value) : value))))) : null,
    one.cuts ? cutChart(one, (at) => see({at}), (at) => take({at})) : null,
    h('div', {class: 'buttons'}, one.reason ? null : h('button', {class: 'main', onclick: () => take({})}, `Split on ${one.column}`),
      nominal ? [h('button', {onclick: () => take({multiway: true})}, 'One branch per value'), h('button', {onclick: () => groupsDialog(column, one, (groups) => take({groups}))}, 'Groups …')] : null, column?.missing ? gaps : null),
    preview,
    one.lines?.length ? [h('h3', null, 'Arithmetic'), h('div', {class: 'arithmetic'}, [...(one.details ?? []), ...one.lines].map((line) => {
      const at = line.lastIndexOf(' = ');
      return h('p', null, at < 0 ? line : [line.slice(0, at + 3), h('b', null, line.slice(at + 3))]);
    }))] : null,
  ];
}
