/** Teaching, below the tree: pseudo-code or a guided lecture, as the server writes them. */

import {h, put, set} from '../dom.js';
import {get} from './server.js';

/** @type {(one: any) => any} an element of [tag, attributes, ...children]; anything else is text */
const built = (one) => (Array.isArray(one) ? h(one[0], one[1], ...one.slice(2).map(built)) : one);
/** @type {Record<string, string>} */
const KEYS = {'.': 'next', '>': 'split', ',': 'back', PageDown: 'next', PageUp: 'back'};

/** @param {Bench} bench @param {HTMLElement} element @param {Record<string, () => void>} keys of the tree */
export function teach(bench, element, keys) {
  let asked = true, turn = 0;
  /** @param {string} [what] */
  const go = (what) => {
    asked = true;
    if (what) bench.travel('/api/teach', {go: what});
  };
  const dock = h('section.teach', {'aria-label': 'Teach', hidden: true, onclick: (/** @type {any} */ event) => go(event.target.closest('button')?.dataset.go), onchange: (/** @type {any} */ event) => go(event.target.value)});
  const button = h('button', {title: 'Pseudo-code and guided lectures (t)', onclick: () => go(dock.hidden ? 'open' : 'close')}, 'Teach');
  /** @type {(what: string) => any} */
  const find = (what) => dock.querySelector(`[data-go="${what}"]:enabled`);

  /** @param {any} told */
  function draw({open, blocks, node}) {
    const {model, store} = bench.view, focus = dock.contains(document.activeElement) && /** @type {any} */ (document.activeElement).dataset.go;
    dock.hidden = !open;
    set(button, {'aria-pressed': String(open)});
    dock.parentElement?.classList.toggle('teaching', open);
    put(dock, blocks.map(built));
    if (focus) (find(focus) ?? find('choice'))?.focus();
    dock.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest'});
    const id = model.ids.indexOf(node);
    store.set(id < 0 ? {work: -1} : {work: node, selected: id});
  }

  element.querySelector('.treeview')?.append(dock);
  element.querySelector('.toolbar')?.append(button);
  bench.onChange(async () => {
    if (dock.hidden && !asked) return;
    asked = false;
    const mine = ++turn, told = await bench.attempt(() => get('/api/teach'));
    if (told && mine === turn) draw(told);
  });
  keys.t = () => button.click();
  document.addEventListener('keydown', (event) => {
    const {key, ctrlKey, metaKey} = event, within = (/** @type {string} */ where) => /** @type {Element} */ (event.target).closest(where);
    if (!KEYS[key] || dock.hidden || ctrlKey || metaKey || within('input, select, dialog, aside') || (!key[1] && !within('.treeview'))) return;
    event.preventDefault();
    find(KEYS[key])?.click();
  }, {signal: bench.view.store.signal});
}
