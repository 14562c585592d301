/** Marks on what is drawn: selected, passed by a what-if row, searched for, about to be pruned. */

import {set} from '../dom.js';
import {isLeaf, matches, pathTo} from '../model.js';

/** @param {Model} model @param {Readonly<State>} state @param {Map<number, {element: SVGElement}>} placed the cards @param {Element[]} others branches and their words, which know the node they lead to */
export function mark(model, {selected, path, query, preview, step, work}, placed, others) {
  const searching = Boolean(query.trim());
  const hits = new Set(matches(model, query));
  const kept = new Set([...hits].flatMap((id) => pathTo(model, id)));
  const smaller = preview !== null && preview > step ? preview : null;
  const goes = (/** @type {number} */ id) => smaller !== null && pathTo(model, id).slice(0, -1).some((at) => isLeaf(model, at, smaller));

  /** @type {(element: Element, id: number) => void} */
  function dress(element, id) {
    element.classList.toggle('onpath', Boolean(path?.has(id)));
    element.classList.toggle('dim', searching && !kept.has(id));
    element.classList.toggle('going', goes(id));
  }

  for (const [id, {element}] of placed) {
    dress(element, id);
    element.classList.toggle('selected', id === selected);
    element.classList.toggle('hit', hits.has(id));
    element.classList.toggle('working', model.ids[id] === work);
    set(element, {'aria-selected': String(id === selected), tabindex: id === selected ? 0 : -1});
  }
  if (!placed.has(selected)) placed.get(0)?.element.setAttribute('tabindex', '0');
  for (const element of others) dress(element, Number(element.getAttribute('data-node')));
}
