/** Elements of HTML and SVG from plain values. Text is always a text node: nothing given here is read as markup. */

const SVG = 'http://www.w3.org/2000/svg';

/** @type {(element: any, props: Props | null, children: Child[]) => any} Functions under "onclick" and the like become listeners. */
function dressed(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (name === 'style') for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
    else element.setAttribute(name, value === true ? '' : name === 'aria-label' || name === 'title' ? isolated(String(value)) : String(value));
  }
  add(element, children);
  return element;
}

/** @type {(element: Element, children: Child[]) => void} */
function add(element, children) {
  for (const child of /** @type {any[]} */ (children).flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : isolated(String(child)));
  }
}

const RIGHT = '\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc';
const RIGHT_TO_LEFT = new RegExp(`[${RIGHT}]+(?:[ \\-_'"0-9]*[${RIGHT}]+)*`, 'g');

/** A text whose right-to-left words stand apart, so that they do not turn around what is beside them. @param {string} text */
export function isolated(text) {
  return text.replace(RIGHT_TO_LEFT, (words) => `\u2068${words}\u2069`);
}

/** @type {MakeHtml} An HTML element: `h('p.soft', {title}, ...children)`, the classes after points; attributes may be left out. */
export function h(tag, props, ...children) {
  const [name, ...classes] = tag.split('.');
  return made(document.createElement(name), classes, props, children);
}

/** @type {(tag: string, props?: Props | Child, ...children: Child[]) => SVGElement} An SVG element, with classes likewise. */
export function s(tag, props, ...children) {
  const [name, ...classes] = tag.split('.');
  return made(document.createElementNS(SVG, name), classes, props, children);
}

/** @type {(element: Element, classes: string[], props: any, children: Child[]) => any} */
function made(element, classes, props, children) {
  if (element.tagName === 'BUTTON') element.setAttribute('type', 'button');
  if (classes.length) element.setAttribute('class', classes.join(' '));
  const plain = props !== null && typeof props === 'object' && !(props instanceof Node) && !Array.isArray(props);
  return plain ? dressed(element, props, children) : dressed(element, null, [props, ...children]);
}

/** @type {(element: Element, props: Props) => void} Other attributes for an element; null takes one away. */
export function set(element, props) {
  dressed(element, props, []);
}

/** Other children for an element; if one of the old had the focus, the new one of its name has it. @param {Element} element @param {...Child} children */
export function put(element, ...children) {
  const focused = document.activeElement, name = focused && focused !== element && element.contains(focused) && named(focused);
  element.replaceChildren();
  add(element, children);
  if (name) /** @type {HTMLElement} */ ([...element.querySelectorAll('button, select, input, summary, [tabindex]')].find((one) => named(one) === name) ?? element).focus({preventScroll: true});
}

/** @param {Element} one */
const named = (one) => one.getAttribute('aria-label') || one.id || one.textContent;

/** @type {(element: Element, signal: AbortSignal, act: () => void) => void} Calls whenever an element has another size, until the signal. */
export function onResize(element, signal, act) {
  const observer = new ResizeObserver(act);
  observer.observe(element);
  signal.addEventListener('abort', () => observer.disconnect());
}

/** A table whose first cells name their rows. @param {string} kind its CSS class @param {string} caption for screen readers @param {Child[]} heads names of the columns; none for a table of pairs @param {Child[][]} rows */
export function table(kind, caption, heads, rows) {
  return h('table', {class: kind}, h('caption.away', caption),
    heads.length ? h('thead', h('tr', ...heads.map((name) => h('th', {scope: 'col'}, name)))) : null,
    h('tbody', ...rows.map(([first, ...rest]) => h('tr', h('th', {scope: 'row'}, first), ...rest.map((value) => h('td', value))))));
}

const FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
const pen = document.createElement('canvas').getContext('2d');
/** @type {Map<string, number>} */
const widths = new Map();

/** @type {(text: string, size: number, bold?: boolean) => number} The width of a text in pixels. */
export function widthOf(text, size, bold = false) {
  const key = `${size}${bold}${text}`;
  let wide = widths.get(key);
  if (wide === undefined) {
    if (pen) pen.font = `${bold ? 600 : 400} ${size}px ${FONT}`;
    wide = pen ? pen.measureText(text).width : text.length * size * 0.6;
    if (widths.size > 20000) widths.clear();
    widths.set(key, wide);
  }
  return wide;
}

/** @type {(text: string, room: number, size: number, bold?: boolean) => string} A text that is no wider than `room`: letters in its middle become an ellipsis. */
export function fit(text, room, size, bold = false) {
  if (widthOf(text, size, bold) <= room) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(cut(text, middle), size, bold) <= room) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? cut(text, low) : '…';
}

/** @param {string} text @param {number} kept how many letters stay */
function cut(text, kept) {
  const letters = [...text];
  const head = Math.ceil(kept * 0.6);
  return `${letters.slice(0, head).join('')}…${kept > head ? letters.slice(head - kept).join('') : ''}`;
}

/** @type {(branch: string, room: number, size: number) => string} The words of a branch; of a set that is too long the last values go, not the middle. */
export function fitBranch(branch, room, size) {
  const [, start, list] = /^((?:not )?in \{)(.*)\}$/.exec(branch) ?? [];
  if (list === undefined || widthOf(branch, size) <= room) return fit(branch, room, size);
  const values = list.split(', ');
  for (let kept = values.length - 1; kept > 0; kept--) {
    const shorter = `${start}${values.slice(0, kept).join(', ')}, …}`;
    if (widthOf(shorter, size) <= room) return shorter;
  }
  const all = /(\d+) values\)$/.exec(list)?.[1] ?? count(values.length);
  return `${start.startsWith('not') ? 'not ' : ''}${all} ${all === '1' ? 'value' : 'values'}`;
}

const NUMBERS = new Intl.NumberFormat('en-US', {maximumFractionDigits: 1});

/** @param {number} n a count, with thousands apart */
export function count(n) {
  return NUMBERS.format(n);
}

/** @type {(text: string) => string} what the library says of a test, with the sign that the tree has */
export const signs = (text) => text.replace(/(^|[ (])<= /g, '$1≤ ').replace(/(^|[ (])in \{([^,{}]*)\}/g, '$1= $2');

/** @type {(name: string) => Child[]} a name that may be broken after the signs between its words */
export const breakable = (name) => name.split(/(?<=[_.\-/])/).flatMap((part, k) => (k ? [h('wbr'), part] : [part]));

/** @type {(n: number, one: string, several: string) => string} */
export const many = (n, one, several) => `${count(n)} ${n === 1 ? one : several}`;

/** @param {any} set rows that are described */
export const records = ({n, weighted}) => `${many(n, 'record', 'records')}${weighted ? ', weighted' : ''}`;

/** @param {number[]} list */
export function sum(list) {
  return list.reduce((a, b) => a + b, 0);
}

/** @param {number} share */
export function percent(share) {
  if (share >= 0.995 && share < 1) return '>99 %';
  return share > 0 && share < 0.005 ? '<1 %' : `${Math.round(100 * share)} %`;
}

/** @type {(name: string, part: number) => string} a class and its share; the name of a number is kept apart from it */
export const share = (name, part) => `${name}${name.startsWith('class ') ? ' · ' : ' '}${percent(part)}`;
