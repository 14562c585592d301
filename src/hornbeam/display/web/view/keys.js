/** The keyboard: arrow keys move in the tree as the WAI-ARIA pattern for trees says; a few letters do the rest. */

import {h, put, table} from '../dom.js';
import {isLeaf, visible} from '../model.js';

const KEYS = [
  ['↑ ↓', 'previous, next node in reading order'],
  ['→', 'unfold, or go to the first branch'],
  ['←', 'fold, or go to the node above'],
  ['Home End', 'the root, the last node in sight'],
  ['Enter', 'read about the node'],
  ['Space', 'fold or unfold'],
  ['+ − 0', 'zoom in, zoom out, fit the whole tree'],
  ['Shift and arrows', 'move the tree'],
  ['o', 'turn the tree'],
  ['/', 'search'],
  ['?', 'this list'],
];

/** @type {(model: Model, store: Store, view: import('./tree.js').TreeView, act: Record<string, any>, more?: Record<string, () => void>) => void} more: keys of the page around */
export function keys(model, store, view, act, more = {}) {
  /** @param {number} id */
  function go(id) {
    store.set({selected: id});
    view.placed.get(id)?.element.focus({preventScroll: true});
    act.show(id);
  }

  /** @param {1 | -1} by */
  function along(by) {
    const {folded, step, selected} = store.get();
    const ids = visible(model, folded, step);
    const next = ids[ids.indexOf(selected) + by];
    if (next !== undefined) go(next);
  }

  function right() {
    const {folded, step, selected} = store.get();
    if (isLeaf(model, selected, step)) return;
    if (folded.has(selected)) view.toggle(selected);
    else go(model.nodes[selected].children[0]);
  }

  function left() {
    const {folded, step, selected} = store.get();
    const open = !isLeaf(model, selected, step) && !folded.has(selected);
    if (open) view.toggle(selected);
    else if (model.nodes[selected].parent >= 0) go(model.nodes[selected].parent);
  }

  /** @type {Record<string, () => void>} */
  const plain = {
    ArrowDown: () => along(1), ArrowUp: () => along(-1), ArrowRight: right, ArrowLeft: left,
    Home: () => go(0),
    End: () => go(visible(model, store.get().folded, store.get().step).at(-1) ?? 0),
    Enter: act.inspect, ' ': () => view.toggle(store.get().selected),
    '+': act.larger, '=': act.larger, '-': act.smaller, '−': act.smaller, 0: act.fit, o: act.turn, '/': act.search, '?': act.help,
  };
  /** @type {Record<string, [number, number]>} */
  const moves = {ArrowDown: [0, -60], ArrowUp: [0, 60], ArrowRight: [-60, 0], ArrowLeft: [60, 0]};

  view.svg.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = event.shiftKey ? moves[event.key] : undefined;
    const action = move ? () => view.zoom.panBy(...move) : plain[event.key] ?? more[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** A dialog with the list of keys. @param {string[][]} more */
export function keyList(more) {
  const dialog = h('dialog.keys', {'aria-labelledby': 'keys-title'});
  put(dialog,
    h('h2', {id: 'keys-title'}, 'Keys'),
    h('p.soft', 'In the tree, once a node has the focus.'),
    table('keys-table', 'Keys', [], [...KEYS, ...more].map(([key, words]) => [h('kbd', key), words])),
    h('button', {onclick: () => dialog.close()}, 'Close'));
  return dialog;
}
