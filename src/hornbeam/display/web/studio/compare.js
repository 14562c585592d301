/** Two revisions side by side on the held-out records. */

import {choice} from '../controls.js';
import {count, h, put, table} from '../dom.js';
import {showDialog} from './dialogs.js';
import {post} from './server.js';

/** @param {Bench} bench */
export function compareDialog(bench) {
  const {revisions, revision} = bench.session;
  const options = revisions.map((one) => [one.number, `${one.number}: ${one.say}`]);
  const before = Math.max(revisions.find((one) => one.number === revision)?.parent ?? 0, 0);
  const a = choice('First revision', options, before, show), b = choice('Second revision', options, revision, show);
  const body = h('div', {'aria-live': 'polite'});
  const positions = (/** @type {string} */ words, /** @type {number[]} */ rows) => (rows.length ? h('details', h('summary', `${words}: ${count(rows.length)} records`), h('p', rows.slice(0, 400).join(', '), rows.length > 400 ? ' …' : '')) : h('p.soft', `${words}: none`));

  async function show() {
    try {
      const told = await post('/api/compare', {a: Number(a.value), b: Number(b.value)});
      put(body, h('p.soft', `on ${count(told.n)} ${told.part === 'training' ? 'training records (none are held out)' : 'held-out records'}`),
        table('numbers', 'Metrics', ['metric', 'first', 'second', 'difference', '95 % interval', 'p'], told.table),
        table('numbers', 'Sizes', ['size', 'first', 'second'], Object.entries(told.sizes ?? {}).map(([name, pair]) => [name.replace('_', ' '), ...pair])),
        positions('answered differently', told.changed ?? []), positions('only the second is right', told.won ?? []), positions('only the first is right', told.lost ?? []));
    } catch (error) {
      put(body, h('p.problem', /** @type {Error} */ (error).message));
    }
  }
  showDialog('Compare two revisions', [h('div.pairs', a, b), body], []);
  show();
}
