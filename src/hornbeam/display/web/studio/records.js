/** The records at a node: in pages, sorted by any column, the wrong ones only, copied as CSV. */

import {count, h, put, set} from '../dom.js';
import {ask, get} from './server.js';

const PAGE = 50;
let part = 'training', wrong = false;

/**
 * @param {Bench} bench
 * @param {number} id
 */
export async function records(bench, id) {
  let sort = 'row', descending = false, offset = 0;
  const area = h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Records'}), words = h('span', {class: 'soft'});
  const before = h('button', {onclick: () => turn(-PAGE)}, '← before'), after = h('button', {onclick: () => turn(PAGE)}, 'after →');
  const query = (/** @type {Record<string, any>} */ more) => new URLSearchParams({node: String(bench.view.model.ids[id]), part, wrong: wrong ? '1' : '0', sort, descending: descending ? '1' : '0', ...more}).toString();

  /** @param {number} by */
  async function turn(by) {
    offset = Math.max(0, offset + by);
    const told = await bench.attempt(() => get(`/api/rows?${query({offset, limit: PAGE})}`));
    if (!told) return;
    const head = told.columns.map((/** @type {string} */ name) => h('th', {scope: 'col', 'aria-sort': name === sort ? (descending ? 'descending' : 'ascending') : 'none'}, h('button', {onclick: () => {
      descending = sort === name && !descending;
      sort = name;
      offset = 0;
      turn(0);
    }}, name)));
    put(area, h('table', {class: 'sortable records'}, h('caption', {class: 'away'}, 'Records at the node'), h('thead', null, h('tr', null, h('th', {scope: 'col'}, h('span', {class: 'away'}, 'right or wrong')), head)),
      h('tbody', null, told.rows.map((/** @type {any[]} */ row, /** @type {number} */ k) => h('tr', {class: told.wrong[k] ? 'is-wrong' : null}, h('td', null, told.wrong[k] ? '✗' : '✓'), row.map((value) => h('td', {class: typeof value === 'number' ? 'number' : null}, value === null ? '∅' : value)))))));
    put(words, told.total ? `${count(offset + 1)} to ${count(offset + told.rows.length)} of ${count(told.total)}` : 'none');
    set(before, {disabled: offset === 0});
    set(after, {disabled: offset + told.rows.length >= told.total});
  }

  const parts = /** @type {HTMLSelectElement} */ (h('select', {'aria-label': 'Which records', onchange: () => {
    part = parts.value;
    offset = 0;
    turn(0);
  }}, h('option', {value: 'training', selected: part === 'training'}, 'training'), bench.session.data?.held_out ? h('option', {value: 'held-out', selected: part === 'held-out'}, 'held out') : null));
  if (!bench.session.data?.held_out) part = 'training';
  const only = /** @type {HTMLInputElement} */ (h('input', {type: 'checkbox', checked: wrong, onchange: () => {
    wrong = only.checked;
    offset = 0;
    turn(0);
  }}));
  const copy = () => bench.attempt(async () => {
    let text = '';
    for (let from = 0; ; from += 500) {
      const more = await (await ask('GET', `/api/rows?${query({offset: from, limit: 500, format: 'csv'})}`)).text();
      const cut = more.indexOf('\n') + 1; // each page begins with the names of the columns
      if (!more.slice(cut).trim()) break;
      text += from ? more.slice(cut) : more;
    }
    await navigator.clipboard.writeText(text);
    bench.say('all of these records are copied as CSV');
  });
  await turn(0);
  return [h('div', {class: 'buttons'}, parts, h('label', {class: 'check'}, only, ' wrong only'), h('button', {onclick: copy}, 'Copy as CSV')), area, h('div', {class: 'buttons'}, before, words, after)];
}
