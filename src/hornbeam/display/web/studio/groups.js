/** Values of a column in an order, or in groups, one for each branch: moved by dragging or by a list beside each value. */

import {choice} from '../controls.js';
import {h, put} from '../dom.js';
import {showDialog} from './dialogs.js';

/** @type {(values: any[]) => HTMLElement} a list in an order, which buttons change */
export function inOrder(values) {
  const list = h('ol.order');
  const draw = () => put(list, values.map((value, k) => h('li', value, k ? h('button', {'aria-label': `${value} earlier`, onclick: () => {
    values.splice(k - 1, 2, value, values[k - 1]);
    draw();
  }}, '↑') : null)));
  draw();
  return list;
}

/** @type {(column: Column, one: Candidate, take: (groups: any[][]) => void) => void} */
export function groupsDialog(column, one, take) {
  const values = column.values ?? [], first = new Set(Array.isArray(one.values?.[0]) ? one.values[0] : one.values ?? []);
  const group = new Map(values.map((value, k) => [value, first.size ? (first.has(value) ? 0 : 1) : Math.min(k, 1)]));
  const boxes = h('div.groups');
  const inGroup = (/** @type {number} */ g) => values.filter((value) => group.get(value) === g);
  const numbers = () => [...Array(Math.max(...group.values()) + 1).keys()];

  function draw() {
    const all = numbers(), n = all.length, options = [...all.map((g) => [g, g + 1]), [n, 'new']];
    put(boxes, [...all, n].map((g) => h('fieldset', {class: g === n ? 'new' : null, ondragover: (event) => event.preventDefault(), ondrop: (event) => {
      event.preventDefault();
      move(event.dataTransfer?.getData('text/plain'), g);
    }}, h('legend', g === n ? 'new branch' : `branch ${g + 1}`), inGroup(g).map((value) => h('div.chip', {draggable: 'true', ondragstart: (event) => event.dataTransfer?.setData('text/plain', String(value))},
      h('span', value), choice(`Branch of ${value}`, options, g, (to) => move(value, Number(to))))))));
  }

  /** @type {(text: any, to: number) => void} */
  function move(text, to) {
    const value = values.find((known) => String(known) === String(text));
    if (value === undefined) return;
    group.set(value, to);
    const used = [...new Set(group.values())].sort((a, b) => a - b);
    for (const [key, g] of group) group.set(key, used.indexOf(g));
    draw();
  }

  draw();
  showDialog(`Groups of ${column.name}`, boxes, [['Split', () => take(numbers().map(inGroup))]]);
}
