/** The frame around the tree: first view, buttons, and keeping the selected node in sight. */

import {h, put} from '../dom.js';
import {firstFold} from '../model.js';
import {keys} from './keys.js';
import {sheets} from './sheets.js';
import {treeView} from './tree.js';

const MARGIN = 12, READABLE = 0.8;

/**
 * @param {Model} model
 * @param {Store} store
 * @param {{search: () => void, inspect: () => void, help: () => void}} go where keys lead
 */
export function canvas(model, store, go) {
  const view = treeView(model, store);
  const {svg, zoom} = view;

  /** @param {number} least the smallest zoom */
  function fit(least) {
    const [wide, tall] = view.size();
    const {width, height} = view.extent();
    const k = Math.max(least, whole());
    const root = view.placed.get(0)?.box ?? {x: 0, y: 0, w: 0, h: 0};
    const down = store.get().orientation === 'down';
    // what does not fit starts at the root
    const x = width * k <= wide - MARGIN || !down ? Math.max(MARGIN, (wide - width * k) / 2) : wide / 2 - (root.x + root.w / 2) * k;
    const y = height * k <= tall - MARGIN || down ? Math.max(MARGIN, (tall - height * k) / 2) : tall / 2 - (root.y + root.h / 2) * k;
    zoom.set({x, y, k});
  }

  /** The zoom at which the whole tree is seen. */
  function whole() {
    const [wide, tall] = view.size();
    const {width, height} = view.extent();
    return Math.min(1.15, (wide - 2 * MARGIN) / width, (tall - 2 * MARGIN) / height);
  }

  /** The first view: a small tree that does not fit when it grows down grows to the right if that fits better. */
  function start() {
    const standing = whole();
    if (store.get().orientation === 'down' && standing < READABLE) {
      turn();
      queueMicrotask(() => {
        if (whole() < standing) turn();
      });
    }
    fit(READABLE);
  }

  /** @param {number} id */
  function show(id) {
    const box = view.placed.get(id)?.box;
    if (!box) return;
    const {x, y, k} = zoom.get();
    const [wide, tall] = view.size();
    const move = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ room) =>
      from < MARGIN ? MARGIN - from : to > room - MARGIN ? Math.max(room - MARGIN - to, MARGIN - from) : 0;
    const dx = move(box.x * k + x, (box.x + box.w) * k + x, wide), dy = move(box.y * k + y, (box.y + box.h) * k + y, tall);
    if (dx || dy) zoom.panBy(dx, dy);
  }

  function turn() {
    store.set({orientation: store.get().orientation === 'down' ? 'right' : 'down'});
    queueMicrotask(() => fit(READABLE));
  }

  const acts = {fit: () => fit(0.05), larger: () => zoom.zoomBy(1.25), smaller: () => zoom.zoomBy(0.8), turn,
    unfold: () => {
      store.set({folded: new Set(), said: 'everything unfolded'});
      if (model.nodes.length > 300) queueMicrotask(() => fit(0.05)); // so many cards are seen best from further away
    },
    fold: () => store.set({folded: firstFold(model), said: 'folded to the first view'})};
  keys(model, store, view, {...go, ...acts, show});

  const button = (/** @type {string} */ sign, /** @type {string} */ words, /** @type {() => void} */ act) =>
    h('button', {title: words, 'aria-label': words, onclick: act}, sign);
  const tools = h('div', {class: 'tools', role: 'group', 'aria-label': 'View of the tree'},
    button('+', 'Zoom in (+)', acts.larger), button('−', 'Zoom out (−)', acts.smaller),
    button('⤢', 'Fit the whole tree (0)', acts.fit), button('⟳', 'Turn the tree (o)', turn),
    button('⊞', 'Unfold everything', acts.unfold), button('⊟', 'Fold to the first view', acts.fold));
  const element = h('div', {class: 'canvas'}, svg, tools);

  store.on(['folded', 'step', 'orientation'], view.arrange);
  store.on(['orientation'], () => element.setAttribute('data-orientation', store.get().orientation));
  store.on(['selected', 'path', 'query', 'preview'], () => {
    view.mark();
    show(store.get().selected);
  });
  const paper = h('div', {class: 'sheets', 'aria-hidden': 'true'});
  addEventListener('beforeprint', () => put(paper, sheets(model, store, view.print(1).full)));
  addEventListener('afterprint', () => {
    view.print(0);
    put(paper);
  });
  let first = true;
  new ResizeObserver(() => {
    if (!svg.clientWidth || !svg.clientHeight) return;
    if (first) start();
    else zoom.panBy(0, 0);
    first = false;
  }).observe(svg);
  return [element, paper];
}
