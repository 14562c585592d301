/** The pictures inside cards: histograms, bars, clouds of cells, spans and boxes, from counts and places in 0..1. */

import {fit, s, sum, widthOf} from '../dom.js';
import {stackFill, stacked} from '../colour.js';
import {cloud, line} from './clouds.js';
import {across, block, marks, r} from './shapes.js';

const SMALL = 11.25;

/** @type {Draw} */
export function draw(doc, picture, area) {
  return PICTURES[picture.kind](doc, picture, area);
}

/** @type {Record<string, Draw>} */
const PICTURES = {histogram, bars, cloud, line, box};

/** @type {Draw} */
function histogram(doc, {bins, cuts}, area) {
  const n = bins[0].length, room = area.h - 8, base = area.y + room;
  const totals = bins[0].map((_, b) => bins.reduce((sum, row) => sum + row[b], 0));
  const most = Math.max(...totals) || 1, wide = area.w / n;
  const below = totals.map(() => 0);
  const drawn = bins.map((row, label) => {
    const rects = row.flatMap((count, b) => {
      if (!count) return [];
      const tall = Math.max(1, (count / most) * room);
      below[b] += tall;
      return [[area.x + b * wide + 0.5, base - below[b], wide - 1, tall]];
    });
    return block(stackFill(doc, label), rects);
  });
  return [...drawn, across(area.x, base, area.w), ...marks(cuts, area, base)];
}

/** @type {Draw} */
function bars(doc, {bars: rows, more}, area) {
  const lines = rows.length + (more ? 1 : 0);
  const tall = Math.min(15, area.h / Math.max(lines, 1));
  const left = Math.min(62, Math.max(...rows.map((bar) => widthOf(bar.text, SMALL))) + 6);
  const sizes = rows.map((bar) => (bar.counts ? sum(bar.counts) : bar.n));
  const most = Math.max(...sizes, 1), room = area.w - left;
  const top = area.y + Math.max(0, (area.h - lines * tall) / 2);
  const drawn = rows.flatMap((bar, k) => {
    const y = top + k * tall;
    const label = s('text', {x: area.x + left - 5, y: r(y + tall / 2 + 3.6), 'font-size': SMALL, 'text-anchor': 'end'}, fit(bar.text, left - 5, SMALL));
    const divider = k > 0 && bar.branch !== rows[k - 1].branch && new Set(rows.map((one) => one.branch)).size < rows.length;
    const line = divider ? [across(area.x, y, area.w)] : [];
    if (!bar.counts) return [...line, label, ...spanOf(bar.span, area.x + left, y + tall / 2, room, tall * 0.6)];
    return [...line, label, ...stack(doc, bar.counts, most, {x: area.x + left, y: y + 1.5, w: room, h: tall - 3})];
  });
  if (more) drawn.push(s('text.soft', {x: area.x + left, y: r(top + rows.length * tall + tall / 2 + 3.6), 'font-size': SMALL}, `+${more} more`));
  return drawn;
}

/** @type {(span: number[], x: number, y: number, room: number, tall: number) => SVGElement[]} Quartiles of an outcome as a bar with its median. */
function spanOf(span, x, y, room, tall) {
  if (!span.length) return [];
  const [low, middle, high] = span.map((place) => x + place * room);
  return [
    across(x, y, room),
    block('k0 pale', [[low, y - tall / 2, Math.max(high - low, 1), tall]]),
    s('path.tick', {d: `M${r(middle)} ${r(y - tall / 2 - 1)}v${r(tall + 2)}`}),
  ];
}

/** @type {Draw} */
function box(_doc, {five, value}, area) {
  const y = area.y + area.h / 2;
  return [
    ...spanOf(five.slice(1, 4), area.x, y, area.w, Math.min(11, area.h)),
    s('path.whisker', {d: `M${r(area.x + five[0] * area.w)} ${r(y)}H${r(area.x + five[4] * area.w)}`}),
    s('circle.ink', {cx: r(area.x + value * area.w), cy: r(y), r: 2.6}),
  ];
}

/** @type {(doc: Doc, counts: number[], most: number, area: Area) => SVGElement[]} Counts by colour beside each other; `most` of them take all of the width. */
function stack(doc, counts, most, {x, y, w, h}) {
  return counts.flatMap((count, label) => {
    if (!count) return [];
    const wide = (count / most) * w;
    x += wide;
    return [block(stackFill(doc, label), [[x - wide, y, Math.max(wide, 0.8), h]])];
  });
}

/** @type {(doc: Doc, counts: number[], area: Area) => SVGElement[]} The classes of some records as one stacked bar, always in the same order. */
export function strip(doc, counts, area) {
  return [...stack(doc, stacked(doc, counts), sum(counts) || 1, area), s('rect.frame', {x: area.x, y: area.y, width: area.w, height: area.h, rx: 1})];
}
