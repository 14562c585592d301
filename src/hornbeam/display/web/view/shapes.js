/** Shapes that several pictures are made of. */

import {s} from '../dom.js';

/** One path of many rectangles. @param {string} name @param {number[][]} rects x, y, width, height each */
export function block(name, rects) {
  const d = rects.map(([x, y, w, h]) => `M${r(x)} ${r(y)}h${r(w)}v${r(h)}h${r(-w)}z`).join('');
  return s('path', {class: name, d});
}

/** @type {(x: number, y: number, w: number) => SVGElement} */
export const across = (x, y, w) => s('path.rule', {d: `M${r(x)} ${r(y)}h${r(w)}`});

/** @param {number} value rounded, so that paths stay short */
export function r(value) {
  return Math.round(value * 100) / 100;
}

/** @type {(texts: string[], left: number, right: number, y: number) => SVGElement[]} The two ends of an axis in words. */
export function ends(texts, left, right, y) {
  return texts.map((text, k) => s('text.axis', {x: k ? right : left, y, 'text-anchor': k ? 'end' : 'start'}, text));
}

/** @type {(cuts: number[], area: Area, base: number) => SVGElement[]} Dashed lines with a triangle below, where a test cuts. */
export function marks(cuts, area, base) {
  return cuts.flatMap((cut) => {
    const x = r(area.x + cut * area.w);
    return [
      s('path.cut', {d: `M${x} ${area.y - 2}V${base}`}),
      s('path.ink', {d: `M${x} ${base + 1}l4 6h-8z`}),
    ];
  });
}
