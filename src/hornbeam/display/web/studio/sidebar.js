/** The left side: columns, what if, history. */

import {count, h, put, share} from '../dom.js';
import {domain} from './opening.js';
import {settingsDialog} from './settings.js';
import {post} from './server.js';

/** @param {Bench} bench */
export function sidebar(bench) {
  return h('aside', {class: 'left', 'aria-label': 'Columns, what if and history'}, columns(bench), whatIf(bench), history(bench));
}

/** @type {Record<string, string>} */
const MARKS = {numeric: '∿', nominal: '◧', ordinal: '≡'};

/** @param {Bench} bench */
function columns(bench) {
  const list = h('ul', {class: 'columns'});
  bench.onChange(() => {
    const {columns: all, settings} = bench.session;
    put(list, all.map((column) => {
      const facts = [column.role === 'input' ? '' : column.role, domain(column), column.missing ? `∅ ${count(column.missing)}` : '',
        settings.prices?.[column.name] ? `price ${settings.prices[column.name]}` : '', settings.monotone?.[column.name] ? (settings.monotone[column.name] > 0 ? 'rising' : 'falling') : ''].filter(Boolean).join(' · ');
      return h('li', {class: column.role === 'excluded' ? 'unused' : null}, h('button', {onclick: () => settingsDialog(bench, column.name), title: 'kind, role, price, direction'},
        h('span', {class: 'mark', 'aria-hidden': 'true'}, column.role === 'target' ? '◎' : column.role === 'excluded' ? '–' : MARKS[column.kind] ?? '◧'), h('b', null, column.name), h('span'),
        h('span', {class: 'soft'}, facts), column.warning ? h('span', {class: 'warn'}, `⚠ ${column.warning}`) : null));
    }));
  });
  return h('section', null, h('h2', null, 'Columns'), list);
}

/** @param {Bench} bench */
function whatIf(bench) {
  const fields = h('div'), answer = h('div', {class: 'answer', 'aria-live': 'polite'});
  /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  const inputs = new Map();
  let known = '';
  bench.onChange(() => {
    const used = bench.session.columns.filter((column) => column.role === 'input');
    const key = JSON.stringify(used.map((column) => [column.name, column.kind]));
    if (key === known) return;
    known = key;
    inputs.clear();
    put(fields, used.map((column) => {
      const field = /** @type {HTMLInputElement} */ (column.values?.length && column.kind !== 'numeric'
        ? h('select', null, h('option', {value: ''}, '∅ missing'), column.values.map((/** @type {any} */ value) => h('option', {value}, value)))
        : h('input', {type: 'text', placeholder: '∅ missing', autocomplete: 'off'}));
      inputs.set(column.name, field);
      return h('label', {class: column.name.length > 12 ? 'long' : null}, h('span', {title: column.name}, column.name), field);
    }));
  });

  async function predict() {
    const row = Object.fromEntries([...inputs].map(([name, field]) => {
      const text = field.value.trim();
      const numeric = bench.session.columns.find((/** @type {any} */ column) => column.name === name)?.kind === 'numeric';
      return [name, text === '' ? null : numeric && Number.isFinite(Number(text)) ? Number(text) : text];
    }));
    const told = await bench.attempt(() => post('/api/predict', {row}));
    if (!told) return;
    const {model, store} = bench.view;
    const number = new Map(model.ids.map((identity, id) => [identity, id]));
    const at = (told.probabilities ?? []).findIndex((/** @type {any} */ one) => one.label === told.answer);
    const verdict = at < 0 ? String(Number(told.answer?.toPrecision?.(6) ?? told.answer)) : share(model.doc.classes?.[at] ?? String(told.answer), told.probabilities[at].probability);
    const leaf = told.reached.reduce((/** @type {any} */ a, /** @type {any} */ b) => (b.weight > a.weight ? b : a));
    put(answer, h('p', {class: 'verdict'}, verdict),
      told.reached.length > 1 ? h('p', null, `${told.reached.length} leaves together`) : h('p', null, leaf.conditions.join(' → ') || 'the tree is one leaf'),
      told.remarks.filter((/** @type {any} */ one) => one.needed).map((/** @type {any} */ one) => h('p', {class: 'soft'}, one.text)),
      told.path.filter((/** @type {any} */ one) => one.remark).map((/** @type {any} */ one) => h('p', {class: 'soft'}, one.remark)),
      h('details', null, h('summary', null, 'in full'), h('pre', null, told.text)));
    store.set({path: new Set(told.nodes.map((/** @type {any} */ one) => number.get(one.node) ?? -1)), selected: number.get(leaf.leaf) ?? 0});
  }

  return h('section', null, h('h2', null, 'What if'), h('form', {class: 'whatif', onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    predict();
  }}, fields, h('div', {class: 'buttons'}, h('button', {type: 'submit'}, 'Predict'), h('button', {type: 'reset', onclick: () => {
    put(answer);
    bench.view.store.set({path: null});
  }}, 'Clear'))), answer);
}

/** @param {Bench} bench */
function history(bench) {
  const list = h('ol', {class: 'history', start: 0}), others = h('div');
  bench.onChange(() => {
    const {revisions, revision, end, branches} = bench.session;
    const by = new Map(revisions.map((one) => [one.number, one]));
    const lineTo = (/** @type {number} */ last) => {
      const line = [];
      for (let one = by.get(last); one; one = by.get(one.parent)) line.unshift(one);
      return line;
    };
    const main = lineTo(end), there = new Set(main.map((one) => one.number));
    const entry = (/** @type {any} */ one) => h('li', {class: one.number > revision && there.has(one.number) ? 'undone' : null},
      h('button', {class: 'link', 'aria-current': one.number === revision ? 'step' : null, title: `revision ${one.number}`, onclick: () => bench.travel('/api/goto', {revision: one.number})}, one.say));
    put(list, main.map(entry));
    put(others, branches.length ? h('details', null, h('summary', null, `${branches.length} other ${branches.length === 1 ? 'line' : 'lines'} of edits`),
      branches.map((last) => h('ol', {class: 'history'}, lineTo(last).filter((one) => !there.has(one.number)).map(entry)))) : null);
  });
  return h('section', null, h('h2', null, 'History'), list, others);
}
