/** The columns: kind, range or values, missing values, and how often the tree tests them. */

import {count, h, many, s} from '../dom.js';
import {isLeaf, visible} from '../model.js';

/** @type {Panel} */
export function columns(model, store) {
  const {doc} = model, {step} = store.get();
  const tests = new Map();
  if (step) for (const id of visible(model, new Set(), step)) if (!isLeaf(model, id, step)) tests.set(doc.tree.nodes.column?.[id], (tests.get(doc.tree.nodes.column?.[id]) ?? 0) + 1);
  const testsOf = (/** @type {any} */ column) => (step && doc.tree.nodes.column ? tests.get(doc.columns.indexOf(column)) ?? 0 : column.tests);
  const row = (/** @type {any} */ column) => {
    const facts = [column.text, column.missing ? `∅ ${count(column.missing)}` : ''].filter(Boolean).join(' · ');
    const search = () => store.set({query: store.get().query === column.name ? '' : column.name});
    return h('li', {class: testsOf(column) ? null : 'unused'},
      h('button', {onclick: search, title: `${column.kind}, ${many(testsOf(column), 'test', 'tests')}; search for it`},
        h('span.mark', {'aria-hidden': 'true'}, column.mark), h('b', column.name), spark(column), h('span.soft', facts)));
  };
  const used = doc.columns.filter((one) => one.asked), others = doc.columns.filter((one) => !one.asked);
  used.sort((a, b) => b.importance - a.importance);
  const target = doc.classes ? `target · ${doc.classes.length} classes` : `target · ${doc.axis.join(' to ')}`;
  return h('section', h('h2', 'Columns'), h('ul.columns',
    h('li.target', h('span.mark', {'aria-hidden': 'true'}, '◎'), h('b', doc.target), h('span.soft', target)), used.map(row)),
    others.length ? h('details', h('summary', `${others.length} more, not asked for`), h('ul.columns', others.map(row))) : null);
}

/** @param {DocColumn} column */
function spark({bins}) {
  if (!bins) return null;
  const most = Math.max(...bins, 1), wide = 44 / bins.length;
  const d = bins.map((n, k) => (n ? `M${(k * wide).toFixed(2)} 14v${(-Math.max(1, (n / most) * 13)).toFixed(2)}h${Math.max(wide - 0.4, 0.5).toFixed(2)}V14z` : '')).join('');
  return s('svg.spark', {viewBox: '0 0 44 14', 'aria-hidden': 'true'}, s('path', {d}));
}
