/** A large tree on several pages of paper: later pages show the subtrees that are folded on the pages before. */

import {h} from '../dom.js';
import {firstFold, isLeaf, testsTo, visible} from '../model.js';
import {createStore} from '../state.js';
import {treeView} from './tree.js';

const MOST = 60, CARDS = [24, 16, 10, 6];

/** @param {Model} model @param {Store} store @param {boolean} full whether the first page can be read, so that only what is folded there has to follow */
export function sheets(model, store, full) {
  const {step, ...state} = store.get();
  const foldsOf = (/** @type {Set<number>} */ folded, /** @type {number} */ root) =>
    visible(model, folded, step, root).filter((id) => folded.has(id) && !isLeaf(model, id, step));
  const waiting = full ? foldsOf(state.folded, 0) : [0];
  /** @type {[number, HTMLElement][]} */
  const pages = [];
  while (waiting.length && pages.length < MOST) {
    waiting.sort((a, b) => model.nodes[b].fact.n - model.nodes[a].fact.n || a - b);
    const id = /** @type {number} */ (waiting.shift());
    for (const cards of CARDS) {
      const folded = firstFold(model, cards, id);
      const view = treeView(model, createStore({...state, step, folded, orientation: 'right', selected: -1, preview: null}), id);
      view.arrange();
      const size = view.print(0.7);
      if (!size.full && cards > CARDS[CARDS.length - 1]) continue;
      view.svg.style.setProperty('height', `${size.tall}px`);
      pages.push([id, h('section.sheet', h('h2', id ? `#${id}: ${testsTo(model, id).join(' and ')}` : 'From the root'), view.svg)]);
      waiting.push(...foldsOf(folded, id));
      break;
    }
  }
  pages.sort(([a], [b]) => model.order.indexOf(a) - model.order.indexOf(b));
  return [...pages.map(([, sheet]) => sheet), waiting.length ? h('p', `${waiting.length} smaller subtrees are not drawn; their rules follow.`) : null];
}
