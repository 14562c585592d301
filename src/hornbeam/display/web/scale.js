/** Scales from numbers to pixels, and round numbers for their ticks. */

/** @param {number} a @param {number} b from a to b ... @param {number} from @param {number} to ... is mapped to from .. to */
export function linear(a, b, from, to) {
  const slope = b > a ? (to - from) / (b - a) : 0;
  return (/** @type {number} */ value) => (b > a ? from + (value - a) * slope : (from + to) / 2);
}

/** @param {number} a @param {number} b @param {number} from @param {number} to */
export function logarithmic(a, b, from, to) {
  const scale = linear(Math.log(a), Math.log(b), from, to);
  return (/** @type {number} */ value) => scale(Math.log(value));
}

/** @type {(a: number, b: number, wanted: number) => number[]} Round numbers from a to b, about `wanted` of them. */
export function ticks(a, b, wanted) {
  if (!(b > a)) return [a];
  const rough = (b - a) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const marks = [];
  for (let k = Math.ceil(a / step - 1e-9); k * step <= b + step * 1e-9; k++) marks.push(Number((k * step).toPrecision(12)));
  return marks;
}

/** Whole numbers from a to b on a logarithmic axis: 1, 2, 5, 10, 20, ... @param {number} a @param {number} b */
export function logTicks(a, b) {
  const marks = [];
  for (let power = 1; power <= b; power *= 10) {
    for (const factor of [1, 2, 5]) if (factor * power >= a && factor * power <= b) marks.push(factor * power);
  }
  return marks;
}
