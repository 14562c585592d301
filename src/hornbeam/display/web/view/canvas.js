/** The frame around the tree: first view, buttons, and keeping the selected node in sight. */

import {h, onResize, put} from '../dom.js';
import {firstFold} from '../model.js';
import {keys} from './keys.js';
import {LEVELS, levelsIn, wholeIn} from './plan.js';
import {sheets} from './sheets.js';
import {treeView} from './tree.js';

const MARGIN = 14, NARROW = 660, BUTTONS = 40, OPEN = [60, 46, 36, 28, 22, 17, 13, 10, 7];

/** @param {Model} model @param {Store} store @param {{search: () => void, inspect: () => void, help: () => void}} go where keys lead @param {Record<string, () => void>} more keys of the page around */
export function canvas(model, store, go, more) {
  const view = treeView(model, store);
  const {svg, zoom} = view;

  /** @type {Set<number> | null} what the first view folds, as long as nobody folds anything else */
  let opened = null;
  /** The height that the buttons take from a tree that grows down, where they do not fit beside its root. */
  const above = (/** @type {string} */ orientation) => (orientation === 'down' && view.size()[0] < NARROW ? BUTTONS : 0);
  const room = (orientation = store.get().orientation) => {
    const [wide, tall] = view.size();
    return [wide - 2 * MARGIN, tall - 2 * MARGIN - above(orientation)];
  };

  /** All of the tree in sight: as cards if they can be read, else as lines, else as dots. */
  function fit() {
    settle(wholeIn(model, store.get(), room()));
  }

  /** @type {(how: Scale) => void} */
  function settle({level, k, wide: lineWide}) {
    view.setLevel(level, lineWide);
    const [wide, tall] = view.size();
    const {width, height} = view.extent();
    const root = view.placed.get(0)?.box ?? {x: 0, y: 0, w: 0, h: 0};
    const down = store.get().orientation === 'down';
    // what does not fit starts at the root
    const x = width * k <= wide - MARGIN || !down ? Math.max(MARGIN, (wide - width * k) / 2) : wide / 2 - (root.x + root.w / 2) * k;
    const top = MARGIN + above(store.get().orientation);
    const y = height * k <= tall - MARGIN || down ? Math.max(top, (tall - height * k) / 2) : tall / 2 - (root.y + root.h / 2) * k;
    zoom.fit({x, y, k});
  }

  /** The first view: as much of the tree as can be read at once, with the rest folded and counted. */
  function start() {
    const all = firstFold(model), small = model.doc.size.leaves <= 8;
    for (const orientation of small ? ['down', 'right'] : ['right']) {
      const how = wholeIn(model, {...store.get(), folded: all, orientation}, room(orientation));
      if (how.level === 'full') return begin(all, orientation, how);
    }
    const levels = levelsIn(room('right')[0], model.doc.size.depth);
    for (const orientation of levels > 2 ? [] : ['down', 'right']) { // a narrow screen has room for the first test as cards
      const folded = firstFold(model, 3, 0, 2), how = wholeIn(model, {...store.get(), folded, orientation}, room(orientation));
      if (how.level === 'full') return begin(folded, orientation, how);
    }
    for (const limit of OPEN) {
      const folded = firstFold(model, limit, 0, levels);
      const how = wholeIn(model, {...store.get(), folded, orientation: 'right'}, room('right'));
      if (how.level !== 'dot') return begin(folded, 'right', how);
    }
    begin(firstFold(model, small ? 16 : OPEN[OPEN.length - 1]), small ? 'down' : 'right', {level: 'line', k: LEVELS.line.least});
  }

  /** @type {(folded: Set<number>, orientation: string, how: Scale) => void} */
  function begin(folded, orientation, how) {
    opened = folded;
    store.set({folded, orientation});
    settle(how);
  }

  /** @param {boolean} anew whether to go back to the first view where there is no room for cards of the whole tree */
  function whole(anew) {
    if (anew && wholeIn(model, store.get(), room()).level !== 'full') return start();
    if (anew) opened = store.get().folded;
    fit();
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
    queueMicrotask(fit);
  }

  const acts = {fit, larger: () => zoom.zoomBy(1.25), smaller: () => zoom.zoomBy(0.8), turn,
    unfold: () => {
      store.set({folded: new Set(), said: 'everything unfolded'});
      queueMicrotask(fit);
    },
    fold: () => {
      start();
      store.set({said: 'folded to the first view'});
    }};
  keys(model, store, view, {...go, ...acts, show}, more);

  const button = (/** @type {string} */ sign, /** @type {string} */ words, /** @type {() => void} */ act) =>
    h('button', {title: words, 'aria-label': words, onclick: act}, sign);
  const tools = h('div.tools', {role: 'group', 'aria-label': 'View of the tree'},
    button('+', 'Zoom in (+)', acts.larger), button('−', 'Zoom out (−)', acts.smaller),
    button('⤢', 'Fit the whole tree (0)', acts.fit), button('⟳', 'Turn the tree (o)', turn),
    button('⊞', 'Unfold everything', acts.unfold), button('⊟', 'Fold to the first view', acts.fold));
  const element = h('div.canvas', svg, tools);

  store.on(['folded', 'step', 'orientation', 'version'], view.arrange);
  // as long as a person has not looked elsewhere, all of the tree stays in sight, also when it is another one
  store.on(['step', 'version'], () => {
    if (svg.clientWidth && !zoom.touched()) whole(store.get().version > 0);
  });
  store.on(['orientation'], () => element.setAttribute('data-orientation', store.get().orientation));
  store.on(['selected', 'path', 'query', 'preview', 'work'], () => {
    view.mark();
    show(store.get().selected);
  });
  const paper = h('div.sheets', {'aria-hidden': 'true'});
  let folded = store.get().folded, printing = false;
  addEventListener('beforeprint', () => {
    ({folded} = store.get());
    printing = true; // the sheets follow what is folded now: paper is no reason for another first view
    if (model.nodes.length < 24) store.set({folded: new Set()});
    const {full, tall} = view.print(1);
    element.style.setProperty('--tall', `${tall}px`);
    put(paper, sheets(model, store, full));
  }, {signal: store.signal});
  addEventListener('afterprint', () => {
    printing = false;
    store.set({folded});
    view.print(0);
    fit();
    put(paper);
  }, {signal: store.signal});
  let first = true;
  onResize(svg, store.signal, () => {
    if (printing || !svg.clientWidth || !svg.clientHeight) return;
    if (first) start();
    else if (zoom.touched()) zoom.panBy(0, 0);
    else whole(store.get().folded === opened);
    first = false;
  });
  return [element, paper];
}
