/** What several panels are made of: lists to choose from, tables that sort, tabs, boxes that scroll. */

import {h, put, set} from './dom.js';

/** A list to choose from. @param {string} label @param {any[][]} options values and their words @param {any} [now] the value that is chosen @param {(value: string) => void} [changed] */
export function choice(label, options, now, changed) {
  const list = h('select', {'aria-label': label, onchange: () => changed?.(list.value)},
    options.map(([value, words = value]) => h('option', {value, selected: String(value) === String(now)}, words)));
  return list;
}

/** @type {(label: string, ...children: Child[]) => HTMLElement} a box that scrolls, also by keys */
export const scrolling = (label, ...children) => h('div.scroll', {tabindex: 0, role: 'region', 'aria-label': label}, ...children);

/** A table that is sorted by its headings. @param {string} kind its CSS class @param {string} caption @param {string[][]} heads keys and words; a column without words is not sorted @param {{by: string, rising: boolean, up: string[]}} order kept up to date; up: the keys that rise at first @param {() => void} draw called when the order is another one */
export function sortable(kind, caption, heads, order, draw) {
  const body = h('tbody');
  const cells = heads.map(([key, words]) => h('th', {scope: 'col'}, words ? h('button', {onclick: () => {
    order.rising = order.by === key ? !order.rising : order.up.includes(key);
    order.by = key;
    draw();
  }}, words) : h('span.away', key)));
  return {
    element: scrolling(caption, h('table', {class: `sortable ${kind}`}, h('caption.away', caption), h('thead', h('tr', cells)), body)),
    /** @param {Child} rows */
    put(rows) {
      heads.forEach(([key], k) => set(cells[k], {'aria-sort': key === order.by ? (order.rising ? 'ascending' : 'descending') : 'none'}));
      put(body, rows);
    },
  };
}

/** Tabs, which arrow keys walk. @param {string} label @param {string[][]} all names and words @param {(name: string) => Props} props of the button of a tab @param {(name: string) => void} choose */
export function tabs(label, all, props, choose) {
  let at = 0;
  const buttons = all.map(([name, words]) => h('button', {role: 'tab', ...props(name), onclick: () => choose(name)}, words));
  const element = h('div.tabs', {role: 'tablist', 'aria-label': label, onkeydown: (event) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!by) return;
    const next = (at + by + all.length) % all.length;
    choose(all[next][0]);
    buttons[next].focus();
  }}, buttons);
  /** @param {string} name the tab that is open */
  const mark = (name) => buttons.forEach((button, k) => {
    const chosen = all[k][0] === name;
    if (chosen) at = k;
    set(button, {'aria-selected': String(chosen), tabindex: chosen ? 0 : -1});
  });
  return {element, mark};
}

/** @type {(store: Store, keys: (keyof State)[], render: (part: Store) => any) => HTMLElement} what is drawn anew whenever a key has changed */
export function liveBox(store, keys, render) {
  const box = h('div.live');
  let part = store.part();
  store.on(keys, () => {
    part.end();
    part = store.part();
    put(box, render(part));
  });
  return box;
}
