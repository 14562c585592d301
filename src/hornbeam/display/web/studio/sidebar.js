/** The left side: columns, what if, history; and what is wrong with columns. */

import {choice} from '../controls.js';
import {breakable, count, h, many, put, signs} from '../dom.js';
import {settingsDialog} from './settings.js';
import {post} from './server.js';

/** @param {Bench} bench */
export function sidebar(bench) {
  return h('aside.left', {'aria-label': 'Columns, what if and history'}, columns(bench), whatIf(bench), history(bench));
}

/** Columns that mislead a tree, each with a button that leaves it out. @param {Bench} bench */
export function caution(bench) {
  const box = h('div.live');
  bench.onChange(() => {
    const odd = bench.session.columns.filter((column) => column.role === 'input' && column.warning);
    put(box, odd.length ? h('div.caution', {role: 'note'}, odd.slice(0, 3).map(({name, warning}) => h('p', h('b', `${name}: `), `${warning} `,
      h('button', {onclick: () => bench.act({op: 'settings', exclude: [...bench.session.settings.exclude, name]})}, `Leave out ${name}`))),
    odd.length > 3 ? h('p', `and ${count(odd.length - 3)} more, marked ⚠ in the list of columns`) : null) : null);
  });
  return box;
}

/** @type {Record<string, string>} */
const MARKS = {numeric: '∿', nominal: '◧', ordinal: '≡', date: '∿', target: '◎', excluded: '–'};

/** @param {Bench} bench */
function columns(bench) {
  const list = h('ul.columns'), from = h('p.soft.from');
  bench.onChange(() => {
    const {columns: all, data} = bench.session;
    put(from, data ? [h('b', data.name), ` · ${many(data.rows, 'row', 'rows')}${data.held_out ? `, ${count(data.held_out)} held out` : ''}`] : null);
    put(list, all.map((column) => {
      const {name, role, kind, warning} = column;
      return h('li', {class: role === 'excluded' ? 'unused' : null}, h('button', {onclick: () => settingsDialog(bench, name), title: 'kind, role, price, direction'},
        h('span.mark', {'aria-hidden': 'true'}, MARKS[role] ?? MARKS[kind] ?? '◧'), h('b', breakable(name)), h('span'),
        h('span.soft', column.about), warning && role === 'input' ? h('span.warn', `⚠ ${warning}`) : null));
    }));
  });
  return h('section', from, h('h2', 'Columns'), list);
}

/** @param {Bench} bench */
function whatIf(bench) {
  const fields = h('div'), answer = h('div.answer', {'aria-live': 'polite'});
  /** @type {Map<Column, HTMLInputElement | HTMLSelectElement>} */
  const inputs = new Map();
  let known = '';
  bench.onChange(() => {
    const used = bench.session.columns.filter((column) => column.role === 'input');
    const key = JSON.stringify(used.map((column) => [column.name, column.kind]));
    if (key === known) return;
    known = key;
    inputs.clear();
    put(fields, used.map((column) => {
      const {name, kind, values = kind === 'boolean' ? ['False', 'True'] : []} = column;
      const field = values.length && kind !== 'numeric' ? choice(name, [['', '∅ missing'], ...values.map((value) => [value])]) : h('input', {type: 'text', placeholder: '∅ missing', autocomplete: 'off'});
      inputs.set(column, field);
      return h('label', {class: name.length > 7 ? 'long' : null}, h('span', {title: name}, breakable(name)), field);
    }));
  });

  async function predict() {
    const row = Object.fromEntries([...inputs].map(([{name, kind}, field]) => {
      const text = field.value.trim();
      return [name, text === '' ? null : kind === 'numeric' && Number.isFinite(Number(text)) ? Number(text) : kind === 'boolean' ? text === 'True' : text];
    }));
    const told = await bench.attempt(() => post('/api/predict', {row}));
    if (!told) return;
    const [why, ...remarks] = told.lines;
    put(answer, h('p.verdict', told.verdict), h('p', why), remarks.map((text) => h('p.soft', text)), h('details', h('summary', 'in full'), h('pre', told.text)));
    const number = (/** @type {any} */ identity) => bench.view.model.ids.indexOf(identity);
    const leaf = told.reached.reduce((a, b) => (b.weight > a.weight ? b : a));
    bench.view.store.set({path: new Set(told.nodes.map((one) => number(one.node))), selected: Math.max(0, number(leaf.leaf))});
  }

  bench.onChange(() => put(answer));  // which was another tree's
  return h('section', h('h2', 'What if'), h('form.whatif', {onsubmit: (event) => {
    event.preventDefault();
    predict();
  }}, fields, h('div.buttons', h('button', {type: 'submit'}, 'Predict'), h('button', {type: 'reset', onclick: () => {
    put(answer);
    bench.view.store.set({path: null});
  }}, 'Clear'))), answer);
}

/** @param {Bench} bench */
function history(bench) {
  const list = h('ol.history', {start: 0}), others = h('div');
  bench.onChange(() => {
    const {revisions, revision, end, branches} = bench.session;
    const lineTo = (/** @type {number} */ last) => {
      const line = [];
      for (let one = revisions[last]; one; one = revisions[one.parent]) line.unshift(one);
      return line;
    };
    const main = lineTo(end);
    const entry = (/** @type {Facts} */ one) => h('li', {class: one.number > revision && main.includes(one) ? 'undone' : null},
      h('button.link', {'aria-current': one.number === revision ? 'step' : null, title: `revision ${one.number}`, onclick: () => bench.travel('/api/goto', {revision: one.number})}, signs(one.say)));
    put(list, main.map(entry));
    put(others, branches.length ? h('details', h('summary', `${branches.length} other ${branches.length === 1 ? 'line' : 'lines'} of edits`),
      branches.map((last) => h('ol.history', lineTo(last).filter((one) => !main.includes(one)).map(entry)))) : null);
  });
  return h('section', h('h2', 'History'), list, others);
}
