/** What if: a form for one record, predicted in the page as the model does it, also where values are missing. */

import {count, h, percent, put, s, share} from '../dom.js';
import {isLeaf, pathTo, revealing, testsTo} from '../model.js';
import {predict} from '../predict.js';
import {example, read} from '../values.js';
import {strip} from './pictures.js';

/** @type {Panel} */
export function whatIf(model, store) {
  const {doc} = model;
  const answer = h('div.answer', {'aria-live': 'polite'});
  const asked = doc.columns.map((c, k) => ({...c, k})).filter((c) => c.asked);
  asked.sort((a, b) => b.importance - a.importance);
  const inputs = new Map(asked.map((column) => [column.k, input(column, () => update())]));
  let used = false;

  /** @returns {number[] | null} the record as numbers; null if something cannot be read */
  function record() {
    let whole = true;
    const row = doc.columns.map((column, k) => {
      const field = inputs.get(k);
      if (!field) return column.kind === 'numeric' ? NaN : -1;
      if (column.kind !== 'numeric') return Number(field.value);
      const value = read(field.value, column.display);
      field.setAttribute('aria-invalid', String(value === null));
      whole = whole && value !== null;
      return value ?? NaN;
    });
    return whole ? row : null;
  }

  function update() {
    used = true;
    show();
  }

  function show() {
    if (!used) return;
    const row = record();
    if (!row) {
      put(answer, h('p', 'One value cannot be read; its field is marked.'));
      return;
    }
    const {step, folded} = store.get();
    const reached = predict(doc, row, (node) => isLeaf(model, node, step));
    const path = new Set(reached.leaves.flatMap(({leaf}) => pathTo(model, leaf)));
    const heaviest = reached.leaves.reduce((a, b) => (b.weight > a.weight ? b : a)).leaf;
    put(answer, words(model, reached));
    store.set({path, selected: heaviest, folded: revealing(model, folded, heaviest)});
  }

  store.on(['step'], show);
  const reset = () => {
    used = false;
    put(answer);
    store.set({path: null});
  };
  const form = h('form.whatif', {onsubmit: (event) => event.preventDefault()},
    asked.map((column) => h('label', {class: column.name.length > 12 ? 'long' : null}, h('span', {title: column.name}, column.name), inputs.get(column.k))),
    asked.length ? h('div.buttons', h('button', {onclick: update}, 'Predict'), h('button', {type: 'reset', onclick: reset}, 'Clear')) : h('p.soft', 'The tree asks for nothing.'));
  return h('section', h('h2', 'What if'), form, answer);
}

/** A field for one column; empty is missing. @param {DocColumn} column @param {() => void} changed */
function input(column, changed) {
  if (column.kind === 'numeric') {
    return h('input', {type: 'text', inputmode: column.display.includes('64[') ? 'text' : 'decimal', autocomplete: 'off', placeholder: '∅ missing', value: column.usual ?? '', title: example(column.display), onchange: changed, oninput: changed});
  }
  return h('select', {onchange: changed}, h('option', {value: -1}, '∅ missing'),
    column.values.map((text, code) => h('option', {value: code, selected: code === column.usual}, text)),
    h('option', {value: -2}, 'another value'));
}

/** @param {Model} model @param {ReturnType<typeof predict>} reached */
function words(model, reached) {
  const {doc} = model;
  const gaps = reached.steps.filter(({how}) => how !== 'value').map(({node, branch, how}) => {
    const {question} = model.nodes[node].fact;
    const to = branch >= 0 ? `“${model.nodes[model.nodes[node].children[branch]].fact.branch}”` : '';
    return h('li', how === 'surrogate' ? `${question} is missing: a surrogate sends it to ${to}` : how === 'learned' ? `${question} is missing: it goes to ${to}` : `${question} is missing: all branches are followed`);
  });
  const several = reached.leaves.length > 1;
  const verdict = doc.classes ? share(doc.classes[reached.label], reached.shares?.[reached.label] ?? 0) : String(Number((reached.value ?? NaN).toPrecision(6)));
  const shares = (reached.shares ?? []).map((part, k) => share(doc.classes[k], part));
  const last = model.nodes[reached.leaves[0].leaf];
  const path = several
    ? `${count(reached.leaves.length)} leaves together: ${reached.leaves.slice(0, 6).map(({leaf, weight}) => `#${leaf} (${percent(weight)})`).join(', ')}${reached.leaves.length > 6 ? ', …' : ''}`
    : testsTo(model, last.id).join(' → ') || 'the tree is one leaf';
  return [
    h('p.verdict', verdict),
    reached.shares ? s('svg.big', {viewBox: '0 0 200 10', role: 'img', 'aria-label': shares.join(', ')}, strip(doc, reached.shares, {x: 0.5, y: 0.5, w: 199, h: 9})) : null,
    shares.length && shares.length <= 6 ? h('p.soft', shares.join(' · ')) : null,
    h('p', path),
    gaps.length ? h('ul', gaps) : null,
  ];
}
