/** How good the model is: metrics with intervals, confusion or residuals, importances. */

import {scrolling} from '../controls.js';
import {count, h, many, percent, records, s, sum, table} from '../dom.js';
import {sizeAt} from '../model.js';
import {num} from '../predict.js';
import {cells} from './clouds.js';
import {swatch} from './inspector.js';
import {across, block, ends} from './shapes.js';

/** @type {AtStep} */
export function quality(model, step) {
  const {doc} = model;
  const path = doc.pruning, measured = path?.steps?.[step];
  /** @type {Measured[]} */
  const sets = measured?.quality ?? (step ? [] : doc.quality);
  if (step && !measured) {
    const {leaves, depth} = sizeAt(model, step);
    const errors = [['training', path.training], ['validation', path.validation ?? []]].filter(([, values]) => values.length).map(([name, values]) => [name, num(values[step]).toPrecision(4)]);
    return h('section.quality', h('h2', `Quality of the tree pruned to ${many(leaves, 'leaf', 'leaves')}`),
      table('facts', 'Errors', [], errors.map(([name, value]) => [`${path.measure}, ${name}`, value])),
      h('p.soft', `Depth ${depth}. The other metrics are measured for the ${path.steps?.filter(Boolean).length ?? 0} smallest trees of the path and for the tree as it was grown.`));
  }
  const columns = measured ? doc.columns.map((column, k) => ({...column, importance: measured.importance[k]})) : doc.columns;
  if (sets[0] && !sets[0].metrics) return h('section.quality', h('h2', 'Quality'), h('p.soft', 'measuring …'));
  if (!sets.length) return h('section.quality', h('h2', 'Quality'), h('p', 'No rows were given.'));
  return h('section.quality',
    h('h2', step ? `Quality of the tree pruned to ${many(path.leaves[step], 'leaf', 'leaves')}` : 'Quality'),
    metrics(sets),
    h('div.pair', sets.filter((set) => set.confusion || set.residuals).map((set) => (set.confusion ? confusion(doc, set) : residuals(set)))),
    doc.stability && !step ? stability(doc.stability) : null,
    importances(columns));
}

/** @param {Stability} given what trees grown again say */
function stability({lines, tests, more}) {
  const rows = tests.map(([id, test, again, where]) => [`#${id} ${test}`, again, where]);
  return h('div.block', h('h3', 'Stability'),
    lines.map((line) => h('p.soft', line)),
    rows.length ? table('facts wide', 'How often each test is chosen again', ['test', 'tested again', 'where'], rows) : null,
    h('p.soft', `${more ? `and ${many(more, 'more test', 'more tests')}, which fewer trees come to; ` : ''}22 of 25: of 25 trees that test the same above, 22 test the same column here`));
}

/** @param {Measured[]} sets */
function metrics(sets) {
  return table('numbers wide', 'Metrics with 95 % intervals', ['metric', ...sets.flatMap((set) => [`${set.name} (${records(set)})`, '95 % interval'])],
    sets[0].metrics.map((metric, k) => [metric.name,
      ...sets.flatMap((set) => [h('b', set.metrics[k].text), set.metrics[k].interval || '–'])]));
}

/** @param {Doc} doc @param {Measured} set */
function confusion(doc, {name, confusion: counts}) {
  const rows = counts.map(sum);
  return h('div.block', h('h3', `Confusion, ${name}`), scrolling(`Confusion, ${name}`,
    h('table.confusion', h('caption.away', `True classes down, answers across, ${name}`),
      h('thead', h('tr', h('th', {scope: 'col'}, 'true ╲ answered'), doc.classes.map((label, k) => h('th', {scope: 'col'}, swatch(doc, k), label)))),
      h('tbody', counts.map((row, i) => h('tr', h('th', {scope: 'row'}, swatch(doc, i), doc.classes[i]),
        row.map((n, j) => {
          const share = rows[i] ? n / rows[i] : 0;
          return h('td', {class: i === j ? 'right' : 'wrong', style: {'--share': `${Math.round(share * 100)}%`}}, count(n), h('small', rows[i] ? percent(share) : ''));
        })))))));
}

/** @param {Measured} set */
function residuals({name, residuals: spread}) {
  const [w, tall] = [360, 90];
  const turned = (/** @type {number} */ k) => spread.quantiles.map((pair) => pair[k]);
  const most = Math.max(...spread.bins, 1), wide = w / spread.bins.length;
  const bars = spread.bins.map((n, k) => [k * wide + 0.5, tall - (n / most) * (tall - 4), wide - 1, (n / most) * (tall - 4)]);
  return h('div.block',
    h('h3', `Residuals, ${name}`),
    s('svg.big', {viewBox: `0 0 ${w} ${tall + 16}`, role: 'img', 'aria-label': `Histogram of outcome minus answer, ${name}`},
      block('k0', bars), across(0, tall, w), s('path.cut', {d: `M${spread.zero * w} 0V${tall}`}),
      ends(spread.ends, 0, w, tall + 13)),
    table('numbers', `Quantiles of outcome minus answer, ${name}`, ['of records', ...turned(0)], [['are below', ...turned(1)]]),
    spread.grid ? [h('h3', `Outcome against answer, ${name}`), grid(spread, name)] : null);
}

/** @param {Residuals} spread @param {string} name */
function grid({grid: counts, scale}, name) {
  const side = 260, words = {class: 'axis', 'text-anchor': 'middle'};
  return s('svg.big.square', {viewBox: `0 0 ${side + 40} ${side + 30}`, role: 'img', 'aria-label': `Counts of outcome against answer, ${name}`},
    s('rect.frame', {x: 30, y: 0, width: side, height: side}), cells({grid: counts}, {x: 30, y: 0, w: side, h: side}),
    s('path.cut', {d: `M30 ${side}L${30 + side} 0`}),
    ends(scale, 30, 30 + side, side + 13),
    s('text', {...words, x: 30 + side / 2, y: side + 26}, 'answer'),
    s('text', {...words, transform: `translate(22 ${side / 2}) rotate(-90)`}, 'outcome'));
}

/** @param {any[]} columns */
function importances(columns) {
  const rows = columns.filter((c) => c.importance > 0).sort((a, b) => b.importance - a.importance);
  if (!rows.length) return null;
  const most = rows[0].importance;
  return h('div.block', h('h3', 'Importance of columns'), h('p.soft', 'share of the impurity decrease of all splits, in training'),
    table('importance numbers', 'Importance of columns', ['column', 'share', h('span.away', 'bar')], rows.slice(0, 30).map((c) => [c.name,
      `${(100 * c.importance).toFixed(1)} %`, h('div.bar', h('span', {style: {width: `${(100 * c.importance) / most}%`}}))])));
}
