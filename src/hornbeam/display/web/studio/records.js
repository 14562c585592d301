/** The records at a node: in pages, sorted by any column, the wrong ones only, copied as CSV. */

import {choice, sortable} from '../controls.js';
import {count, h, put, set} from '../dom.js';
import {ask, get} from './server.js';

const PAGE = 50;
let part = 'training', wrong = false;

/** @param {Bench} bench @param {number} id */
export async function records(bench, id) {
  const order = {by: 'row', rising: true, up: /** @type {string[]} */ ([])}, held = bench.session.data?.held_out;
  const {ids, doc} = bench.view.model;
  let offset = 0;
  const area = h('div'), words = h('span.soft');
  const before = h('button', {onclick: () => turn(offset - PAGE)}, '← before'), after = h('button', {onclick: () => turn(offset + PAGE)}, 'after →');
  const query = (/** @type {Record<string, any>} */ more) => new URLSearchParams({node: String(ids[id]), revision: doc.revision, part, wrong: wrong ? '1' : '0', sort: order.by, descending: order.rising ? '0' : '1', ...more}).toString();
  /** @type {ReturnType<typeof sortable> | null} */
  let list = null;

  /** @param {number} from */
  async function turn(from) {
    offset = Math.max(0, from);
    const told = await bench.attempt(() => get(`/api/rows?${query({offset, limit: PAGE})}`));
    if (!told) return;
    if (!list) {
      order.up = told.columns;
      list = sortable('records', 'Records', [['right or wrong', ''], ...told.columns.map((name) => [name, name])], order, () => turn(0));
      put(area, list.element);
    }
    list.put(told.rows.map((row, k) => h('tr', {class: told.wrong[k] ? 'is-wrong' : null}, h('td', told.wrong[k] ? '✗' : '✓'),
      row.map((value, j) => h('td', {class: told.rows.some((one) => typeof one[j] === 'number') ? 'number' : null}, value === null ? '∅' : value)))));
    put(words, told.total ? `${count(offset + 1)} to ${count(offset + told.rows.length)} of ${count(told.total)}` : 'none');
    set(before, {disabled: offset === 0});
    set(after, {disabled: offset + told.rows.length >= told.total});
  }

  if (!held) part = 'training';
  const parts = choice('Which records', [['training'], ...(held ? [['held-out', 'held out']] : [])], part, (value) => {
    part = value;
    turn(0);
  });
  const only = h('input', {type: 'checkbox', checked: wrong, onchange: () => {
    wrong = only.checked;
    turn(0);
  }});
  const copy = () => bench.attempt(async () => {
    await navigator.clipboard.writeText(await (await ask('GET', `/api/rows?${query({format: 'csv'})}`)).text());
    bench.say('all of these records are copied as CSV');
  });
  await turn(0);
  return [h('div.buttons', parts, h('label.check', only, ' wrong only'), h('button', {onclick: copy}, 'Copy as CSV')), area, h('div.buttons', before, words, after)];
}
