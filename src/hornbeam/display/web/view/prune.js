/** The pruning path: error by number of leaves, and a slider that chooses a step. While it moves, nodes that would be pruned fade. */

import {h, many, onResize, put, s, table} from '../dom.js';
import {logarithmic, linear, logTicks, ticks} from '../scale.js';
import {num} from '../predict.js';
import {across} from './shapes.js';

/** @param {Model} model @param {Store} store @param {(leaves: number) => void} [choose] what prunes the tree itself; without, it is only shown pruned */
export function prune(model, store, choose) {
  const path = model.doc.pruning;
  if (!path) return null;
  const last = path.alpha.length - 1;
  const svg = s('svg.chart', {role: 'img', 'aria-label': `${path.measure} by number of leaves`});
  const words = h('output', {for: 'prune-slider'});
  const slider = h('input', {id: 'prune-slider', type: 'range', min: 0, max: last, step: 1, value: last, 'aria-label': 'Number of leaves'});
  // to the right are more leaves, so the slider counts from the end of the path
  const stepOf = () => last - Number(slider.value);
  slider.addEventListener('input', () => store.set({preview: stepOf()}));
  slider.addEventListener('change', () => take(stepOf()));

  /** @param {number} step */
  function take(step) {
    if (!choose) store.set({step, preview: null, said: sentence(step)});
    else if (step) choose(path.leaves[step]);
    else store.set({preview: null});
  }

  /** @param {number} step */
  function sentence(step) {
    return `${many(path.leaves[step], 'leaf', 'leaves')}, ${path.texts[step]}`;
  }

  function draw() {
    const {step, preview} = store.get();
    const at = preview ?? step;
    slider.value = String(last - at);
    slider.setAttribute('aria-valuetext', sentence(at));
    const shares = path.measure === 'share of wrong answers';
    const say = (/** @type {number} */ v) => (shares ? `${(100 * v).toFixed(1)}\u00a0%` : Number(v.toPrecision(4)).toLocaleString('en-US'));
    put(words, `${sentence(at)} · training ${say(num(path.training[at]))}${path.validation ? ` · validation ${say(num(path.validation[at]))}` : ''}${path.cv ? ` · cross-val. ${say(num(path.cv[at]))}` : ''}`);
    chart(svg, path, at, shares);
  }

  store.on(['step', 'preview'], draw);
  onResize(svg, store.signal, draw);
  const best = path.best === undefined ? null
    : h('button', {onclick: () => take(path.best)}, `best on validation: ${path.leaves[path.best]}`);
  return h(choose ? 'div' : 'section', {class: 'prune'}, h('h2', 'Pruning path ', h('small', path.measure)), svg,
    h('div.slider', slider, words, best), asTable(path));
}

/** One standard error to both sides of each curve that has one. @param {Pruning} path @returns {Band[]} */
function bandsOf(path) {
  const shift = (/** @type {any[]} */ list, /** @type {any[]} */ error, /** @type {number} */ sign) => list.map((v, i) => num(v) + sign * (num(error[i]) || 0));
  /** @type {Band[]} */
  const bands = [];
  if (path.validation && path.error) bands.push(['main-line', shift(path.validation, path.error, -1), shift(path.validation, path.error, 1)]);
  if (path.cv && path.cv_se) bands.push(['cv-line', shift(path.cv, path.cv_se, -1), shift(path.cv, path.cv_se, 1)]);
  return bands;
}

/** @type {(svg: SVGElement, path: Pruning, at: number, shares: boolean) => void} */
function chart(svg, path, at, shares) {
  const wide = svg.clientWidth || 360, tall = svg.clientHeight || 130;
  const left = 44, right = 78, top = 14, bottom = 18;
  const curves = /** @type {Curve[]} */ ([['training', 'soft-line', path.training], ['validation', 'main-line', path.validation], ['cross-val.', 'cv-line', path.cv]].filter(([, , values]) => values));
  const values = curves.flatMap(([, , list]) => list.map(num));
  const most = Math.max(...values, 1e-12);
  const x = logarithmic(Math.min(...path.leaves), Math.max(...path.leaves), left, wide - right), y = linear(0, most, tall - bottom, top);
  const spots = ticks(0, most, Math.max(3, Math.floor(tall / 35)));
  const say = (/** @type {number} */ v) => (shares ? `${Number((100 * v).toPrecision(3))} %` : v.toLocaleString('en-US', {notation: v >= 1e4 ? 'compact' : 'standard'}));
  const ends = apart(curves.map(([, , list]) => y(num(list[0]))));
  const lines = curves.map(([name, kind, list], k) => {
    const d = list.map((v, i) => `${i ? 'L' : 'M'}${x(path.leaves[i])} ${y(num(v))}`).join('');
    return s('g', {class: kind}, s('path', {d}), list.length < 40 ? list.map((v, i) => s('circle', {cx: x(path.leaves[i]), cy: y(num(v)), r: i === at ? 4 : 1.8})) : null,
      s('text', {x: wide - right + 7, y: ends[k] + 4, 'font-size': 11}, name));
  });
  const bands = bandsOf(path).map(([kind, low, high]) => {
    const along = [low, high].map((list) => list.map((v, i) => `${x(path.leaves[i])} ${y(Math.max(0, Math.min(v, most)))}`));
    return s('path', {class: `band ${kind}`, d: `M${[...along[0], ...along[1].reverse()].join('L')}Z`});
  });
  svg.setAttribute('viewBox', `0 0 ${wide} ${tall}`);
  put(svg, bands,
    spots.map((v) => s('g', across(left, y(v), wide - right - left), s('text.axis', {x: left - 6, y: y(v) + 4, 'text-anchor': 'end'}, say(v)))),
    logTicks(Math.min(...path.leaves), Math.max(...path.leaves)).filter((v, k, all) => k === 0 || x(v) - x(all[k - 1]) > 26).map((v) => s('text.axis', {x: x(v), y: tall - 3, 'text-anchor': 'middle'}, v)),
    s('path.cut', {d: `M${x(path.leaves[at])} ${top - 6}V${tall - bottom}`}), lines);
}

/** Places of names, moved apart where they would touch. @param {number[]} places */
function apart(places) {
  const order = places.map((_, k) => k).sort((a, b) => places[a] - places[b]);
  const moved = [...places];
  order.forEach((k, i) => {
    if (i) moved[k] = Math.max(moved[k], moved[order[i - 1]] + 13);
  });
  return moved;
}

/** @param {Pruning} path */
function asTable(path) {
  const {validation, error, cv, cv_se: spread} = path;
  const digits = (/** @type {any} */ v) => (v === undefined ? '' : num(v).toPrecision(4));
  const curves = /** @type {[string, any[], any[] | undefined][]} */ ([['training', path.training], ['validation', validation, error], ['cross-val.', cv, spread]]).filter(([, list]) => list);
  const rows = path.leaves.map((n, k) => [n, path.texts[k], ...curves.map(([, list, more]) => digits(list[k]) + (more ? ` ± ${digits(more[k])}` : ''))]);
  return h('details', h('summary', 'as a table'), table('numbers', 'Pruning path; ± one standard error', ['leaves', 'penalty', ...curves.map(([name]) => name)], rows));
}
