/** Pruning by the library's methods, and the cross-validated curve on demand. */

import {choice} from '../controls.js';
import {h} from '../dom.js';
import {get} from './server.js';

/** @param {Bench} bench */
export function pruneBar(bench) {
  const methods = bench.session.pruning.filter((one) => !one.held_out || bench.session.data?.held_out);
  const method = choice('Pruning method', methods.map((one) => [one.name]), 'cost-complexity');
  const path = bench.view.model.doc.pruning;
  if (!path) return null;
  const cross = h('button', {title: 'The error of ten-fold cross-validation at every step', onclick: () => bench.attempt(async () => {
    bench.say('cross-validating …');
    const told = await get('/api/path?cv=10');
    const along = (/** @type {any[]} */ list) => path.leaves.map((n) => list[Math.max(told.leaves.indexOf(n), 0)]);
    Object.assign(path, {cv: along(told.cv), cv_se: along(told.cv_se)});
    const {store} = bench.view;
    store.set({version: store.get().version + 1});
    bench.say('cross-validated in ten folds');
  })}, path.cv ? 'cross-validated' : 'cross-validate');
  return h('div.buttons.prunebar', method, h('button', {onclick: () => bench.act({op: 'prune', method: method.value})}, 'Prune'), cross);
}
