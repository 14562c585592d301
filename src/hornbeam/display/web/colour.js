/** Colours by name of CSS: a class has one of six or grey, a number a tone between two. */

import {sum} from './dom.js';

/** @type {(doc: Doc, label: number) => string} The CSS class that fills with the colour of a class. */
export function fillOf(doc, label) {
  return `k${doc.colours[label] < 0 ? 'x' : doc.colours[label]}`;
}

/** @type {(doc: Doc, group: number) => string} The CSS class of a colour in a stack. */
export function stackFill(doc, group) {
  return `k${doc.groups[group] < 0 ? 'x' : doc.groups[group]}`;
}

/** @type {(doc: Doc, counts: number[]) => number[]} Counts by class as counts by colour. */
export function stacked(doc, counts) {
  if (doc.groups.length === counts.length) return counts;
  return doc.groups.map((shade) => sum(counts.filter((_, label) => doc.colours[label] === shade)));
}

/** @type {(doc: Doc, fact: Fact) => string} The colour of what a node predicts, stronger the purer the node, or the further from the mean of all. */
export function toneOf(doc, fact) {
  if (doc.classes) {
    const total = sum(fact.counts);
    const even = 1 / doc.classes.length;
    const purity = total ? Math.max(0, (fact.counts[fact.label] / total - even) / (1 - even)) : 0;
    return `color-mix(in oklab, var(--${fillOf(doc, fact.label)}) ${Math.round(30 + 70 * purity)}%, var(--page))`;
  }
  const [low, high] = doc.range;
  const above = fact.value >= doc.middle;
  const reach = above ? high - doc.middle : doc.middle - low;
  const share = reach > 0 ? Math.min(1, Math.abs(fact.value - doc.middle) / reach) : 0;
  return `color-mix(in oklab, var(--${above ? 'k0' : 'k1'}) ${Math.round(100 * Math.sqrt(share))}%, var(--even))`;
}
