/** Outcomes against a number: counts in cells, or points, with means of branches or the line of an equation. */

import {s} from '../dom.js';
import {across, block, marks, r} from './shapes.js';

const LEVELS = 5;

/** @param {Pick<Picture, "grid" | "points">} picture @param {Area} area */
export function cells({grid, points}, area) {
  if (points) {
    const dots = points.map(([a, b]) => `M${r(area.x + a * area.w)} ${r(area.y + (1 - b) * area.h)}h0`).join('');
    return [s('path.points', {d: dots})];
  }
  const most = Math.max(...grid.flat()) || 1;
  const wide = area.w / grid[0].length, tall = area.h / grid.length;
  /** @type {number[][][]} */
  const levels = Array.from({length: LEVELS}, () => []);
  grid.forEach((row, up) => row.forEach((count, b) => {
    if (!count) return;
    const level = Math.min(LEVELS - 1, Math.floor(Math.sqrt(count / most) * LEVELS));
    levels[level].push([area.x + b * wide + 0.4, area.y + area.h - (up + 1) * tall + 0.4, wide - 0.8, tall - 0.8]);
  }));
  return levels.flatMap((rects, level) => (rects.length ? [block(`k0 shade${level + 1}`, rects)] : []));
}

/** @type {Draw} */
export function cloud(_doc, picture, area) {
  const inner = {...area, h: area.h - 8};
  const ends = [0, ...picture.cuts, 1];
  const drawn = [...cells(picture, inner), across(area.x, area.y + inner.h, area.w)];
  picture.means.slice(0, ends.length - 1).forEach((mean, k) => {
    const y = r(inner.y + (1 - mean) * inner.h);
    drawn.push(s('path.mean', {d: `M${r(area.x + ends[k] * area.w)} ${y}H${r(area.x + ends[k + 1] * area.w)}`}));
  });
  return [...drawn, ...marks(picture.cuts, area, area.y + inner.h)];
}

/** @type {Draw} */
export function line(_doc, picture, area) {
  const d = picture.line.map(([a, b], k) => `${k ? 'L' : 'M'}${r(area.x + a * area.w)} ${r(area.y + (1 - b) * area.h)}`);
  return [...cells(picture, area), across(area.x, area.y + area.h, area.w), s('path.mean', {d: d.join('')})];
}
