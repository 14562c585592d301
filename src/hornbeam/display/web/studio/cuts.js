/** The score of a column's test as a function of its cut; the cut is dragged, moved by keys, or typed. */

import {h, put, s} from '../dom.js';
import {linear, ticks} from '../scale.js';

const WIDE = 340, TALL = 120, LEFT = 14, RIGHT = 16, TOP = 12, BOTTOM = 20;

/** @type {(one: Candidate, stands: number | undefined, look: (at: number) => void, take: (at: number) => void) => Child} stands: the cut of the tree; look: show what a cut would do; take: split there */
export function cutChart(one, stands, look, take) {
  const {threshold: places, score: scores} = one.cuts;
  if (!places.length) return null;
  let at = stands ?? one.threshold ?? places[0];
  const low = places[0], high = places[places.length - 1];
  const known = scores.filter((v) => v !== null);
  const most = Math.max(...known, 1e-12), least = Math.min(...known, 0);
  const x = linear(low, high, LEFT, WIDE - RIGHT), y = linear(least, most, TALL - BOTTOM, TOP);
  const mark = s('g.cutmark');
  const field = h('input', {type: 'number', step: 'any', value: at, 'aria-label': `Cut of ${one.column}`, onchange: () => move(Number(field.value))});
  const nearest = (/** @type {number} */ value) => places.reduce((best, place, k) => (Math.abs(place - value) < Math.abs(places[best] - value) ? k : best), 0);

  /** @param {number} value */
  function move(value, quiet = false) {
    at = value;
    field.value = String(value);
    const k = nearest(value);
    put(mark, s('path.cut', {d: `M${x(value)} ${TOP - 6}V${TALL - BOTTOM}`}), s('circle', {cx: x(value), cy: y(scores[k] ?? 0), r: 4.5}), s('path.ink', {d: `M${x(value)} ${TALL - BOTTOM + 1}l5 8h-10z`}));
    svg.setAttribute('aria-valuenow', String(value));
    svg.setAttribute('aria-valuetext', `${value}, ${one.measure} ${scores[k] ?? 'not allowed'}`);
    if (!quiet) look(value);
  }

  const d = places.map((place, k) => `${k && scores[k - 1] !== null ? 'L' : 'M'}${x(place).toFixed(1)} ${y(scores[k] ?? 0).toFixed(1)}`).join('');
  const svg = s('svg.big.cuts', {viewBox: `0 0 ${WIDE} ${TALL}`, role: 'slider', tabindex: 0, 'aria-label': `Cut of ${one.column}; the curve is the ${one.measure} of each cut`, 'aria-valuemin': low, 'aria-valuemax': high},
    s('path.rule', {d: `M${LEFT} ${y(0)}H${WIDE - RIGHT}`}), s('path.curve', {d}),
    places.length <= 60 ? places.map((place, k) => s('circle', {class: one.cuts.allowed?.[k] === false ? 'spot refused' : 'spot', cx: x(place), cy: y(scores[k] ?? 0), r: 2.2})) : null,
    ticks(low, high, 4).map((v) => s('text.axis', {x: x(v), y: TALL - 4, 'text-anchor': 'middle'}, v)), mark);
  /** @param {PointerEvent} event */
  const drag = (event) => {
    const box = svg.getBoundingClientRect();
    const value = low + (((event.clientX - box.left) / box.width) * WIDE - LEFT) / (WIDE - LEFT - RIGHT) * (high - low);
    move(places[nearest(value)]);
  };
  svg.addEventListener('pointerdown', (event) => {
    svg.setPointerCapture(event.pointerId);
    drag(event);
  });
  svg.addEventListener('pointermove', (event) => {
    if (svg.hasPointerCapture(event.pointerId)) drag(event);
  });
  svg.addEventListener('keydown', (event) => {
    const by = event.key === 'ArrowRight' || event.key === 'ArrowUp' ? 1 : event.key === 'ArrowLeft' || event.key === 'ArrowDown' ? -1 : 0;
    const k = event.key === 'Home' ? 0 : event.key === 'End' ? places.length - 1 : by ? Math.min(places.length - 1, Math.max(0, nearest(at) + by)) : -1;
    if (k < 0) return;
    event.preventDefault();
    move(places[k]);
  });
  move(at, true);
  return h('figure.cut-figure', svg, h('figcaption.soft', `${one.measure} by cut: drag, use arrow keys, or type`),
    h('div.buttons', h('label.cut-field', 'cut ', field), h('button', {onclick: () => take(at)}, 'Split here')));
}
