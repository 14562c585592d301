/** Values of a column in groups, one for each branch: moved by dragging or by a list beside each value. */

import {h, put} from '../dom.js';
import {showDialog} from './dialogs.js';

/**
 * @param {any} column
 * @param {any} one the candidate
 * @param {(groups: any[][]) => void} take
 */
export function groupsDialog(column, one, take) {
  const first = new Set(one.values?.length && Array.isArray(one.values[0]) ? one.values[0] : one.values ?? []);
  const group = new Map(column.values.map((/** @type {any} */ value, /** @type {number} */ k) => [value, first.size ? (first.has(value) ? 0 : 1) : Math.min(k, 1)]));
  const boxes = h('div', {class: 'groups'});

  function draw() {
    const n = Math.max(...group.values()) + 1;
    put(boxes, Array.from({length: n + 1}, (_, g) => h('fieldset', {class: g === n ? 'new' : null, ondragover: (/** @type {Event} */ event) => event.preventDefault(), ondrop: (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      move(event.dataTransfer?.getData('text/plain'), g);
    }}, h('legend', null, g === n ? 'new branch' : `branch ${g + 1}`), column.values.filter((/** @type {any} */ value) => group.get(value) === g).map((/** @type {any} */ value) => chip(value, g, n)))));
  }

  /**
   * @param {any} value
   * @param {number} g
   * @param {number} n
   */
  function chip(value, g, n) {
    const list = /** @type {HTMLSelectElement} */ (h('select', {'aria-label': `Branch of ${value}`, onchange: () => move(value, Number(list.value))}, Array.from({length: n + 1}, (_, k) => h('option', {value: k, selected: k === g}, k === n ? 'new' : k + 1))));
    return h('div', {class: 'chip', draggable: 'true', ondragstart: (/** @type {DragEvent} */ event) => event.dataTransfer?.setData('text/plain', String(value))}, h('span', null, value), list);
  }

  /**
   * @param {any} text
   * @param {number} to
   */
  function move(text, to) {
    const value = column.values.find((/** @type {any} */ one) => String(one) === String(text));
    if (value === undefined) return;
    group.set(value, to);
    const used = [...new Set(group.values())].sort((a, b) => a - b);
    for (const [key, g] of group) group.set(key, used.indexOf(g));
    draw();
  }

  draw();
  showDialog(`Groups of ${column.name}`, boxes, [['Split', () => {
    const n = Math.max(...group.values()) + 1;
    const groups = Array.from({length: n}, (_, g) => column.values.filter((/** @type {any} */ value) => group.get(value) === g));
    take(groups);
  }]]);
}
