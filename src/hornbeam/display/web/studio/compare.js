/** Two revisions, or models that were saved, side by side on the held-out records. */

import {choice, scrolling} from '../controls.js';
import {h, put, table} from '../dom.js';
import {showDialog} from './dialogs.js';
import {post} from './server.js';

/** @param {Bench} bench */
export function compareDialog(bench) {
  const {revisions, revision, models} = bench.session;
  const options = [...revisions.map((one) => [one.number, `${one.number}: ${one.say}`]), ...models.map((name) => [name])];
  const before = Math.max(revisions.find((one) => one.number === revision)?.parent ?? 0, 0);
  const a = choice('First revision', options, before, show), b = choice('Second revision', options, revision, show);
  const body = h('div', {'aria-live': 'polite'});
  const which = (/** @type {string} */ text) => (text.endsWith('.json') ? text : Number(text));

  async function show() {
    try {
      const told = await post('/api/compare', {a: which(a.value), b: which(b.value)});
      put(body, h('p.soft', told.lines[0]),
        table('numbers', 'Metrics', ['metric', 'first', 'second', 'difference', '95 % interval', 'p'], told.table),
        table('numbers', 'Sizes', ['size', 'first', 'second'], Object.entries(told.sizes ?? {}).map(([name, pair]) => [name.replace('_', ' '), ...pair])),
        h('p.soft', told.lines[1]),
        told.rows.length ? scrolling('Answered differently', table('records', 'Answered differently', told.columns, told.rows.map((row) => row.map((cell) => cell ?? '∅')))) : null);
    } catch (error) {
      put(body, h('p.problem', /** @type {Error} */ (error).message));
    }
  }
  showDialog('Compare two revisions', [h('div.pairs', a, b), body], []);
  show();
}
