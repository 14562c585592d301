/** Two revisions side by side on the held-out records. */

import {count, h, put, table} from '../dom.js';
import {showDialog} from './dialogs.js';
import {post} from './server.js';

/** @param {Bench} bench */
export function compareDialog(bench) {
  const {revisions, revision} = bench.session;
  const list = (/** @type {string} */ words, /** @type {number} */ chosen) => /** @type {HTMLSelectElement} */ (h('select', {'aria-label': words, onchange: () => show()}, revisions.map((/** @type {any} */ one) => h('option', {value: one.number, selected: one.number === chosen}, `${one.number}: ${one.say}`))));
  const parent = revisions.find((one) => one.number === revision)?.parent ?? 0;
  const a = list('First revision', Math.max(parent, 0)), b = list('Second revision', revision);
  const body = h('div', {'aria-live': 'polite'});
  const digits = (/** @type {any} */ x) => (typeof x === 'number' ? x.toFixed(4) : '–');
  const positions = (/** @type {string} */ words, /** @type {number[]} */ rows) => (rows.length ? h('details', null, h('summary', null, `${words}: ${count(rows.length)} records`), h('p', null, rows.slice(0, 400).join(', '), rows.length > 400 ? ' …' : '')) : h('p', {class: 'soft'}, `${words}: none`));

  async function show() {
    try {
      const told = await post('/api/compare', {a: Number(a.value), b: Number(b.value)});
      put(body, h('p', {class: 'soft'}, `on ${count(told.n)} ${told.part === 'training' ? 'training records (none are held out)' : 'held-out records'}`),
        table('numbers', 'Metrics', ['metric', 'first', 'second', 'difference', '95 % interval', 'p'], Object.entries(told.metrics).map(([name, one]) => {
          const {first, second, difference, p} = /** @type {any} */ (one);
          return [name.replace('_', ' '), digits(first), digits(second), digits(difference?.value), difference ? `${digits(difference.low)} to ${digits(difference.high)}` : '–', digits(p)];
        })),
        table('numbers', 'Sizes', ['size', 'first', 'second'], Object.entries(told.sizes ?? {}).map(([name, pair]) => [name.replace('_', ' '), .../** @type {any[]} */ (pair)])),
        positions('answered differently', told.changed ?? []), positions('only the second is right', told.won ?? []), positions('only the first is right', told.lost ?? []));
    } catch (error) {
      put(body, h('p', {class: 'problem'}, /** @type {Error} */ (error).message));
    }
  }
  showDialog('Compare two revisions', [h('div', {class: 'pairs'}, a, b), body], []);
  show();
}
