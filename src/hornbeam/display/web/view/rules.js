/** The rules: a real table, one line for each leaf, sorted by any column. */

import {sortable} from '../controls.js';
import {count, h, percent} from '../dom.js';
import {isLeaf, reveal, testsTo, visible} from '../model.js';
import {longText, swatch} from './inspector.js';

/** @type {(model: Model, id: number) => string} The rule of a node in words: merged where the document has it, else test by test. */
function ruleOf(model, id) {
  const {rule} = model.nodes[id].fact;
  if (rule) return rule.join(' and ') || 'always';
  return testsTo(model, id).join(' and ') || 'always';
}

/** @type {Panel} */
export function rules(model, store) {
  const order = {by: 'n', rising: false, up: ['rule', 'leaf']};
  /** @type {[string, string, (id: number) => any][]} name, heading, what is sorted by */
  const columns = [
    ['rule', 'If', (id) => ruleOf(model, id)],
    ['answer', 'Then', (id) => (model.doc.classes ? model.nodes[id].fact.label : model.nodes[id].fact.value)],
    ['n', 'Records', (id) => model.nodes[id].fact.n],
    ['leaf', 'Leaf', (id) => id],
  ];
  if (model.doc.nodes[0].held) columns.splice(3, 0, ['held', 'Validation', heldOf]);
  if (model.doc.classes) columns.splice(3, 0, ['wrong', 'Wrong', (id) => model.nodes[id].fact.wrong]);
  const list = sortable('', 'Rules', columns.map(([name, words]) => [name, words]), order, draw);

  /** @param {number} id */
  function heldOf(id) {
    const [n, lost] = model.nodes[id].fact.held;
    return model.doc.classes ? (n ? lost / n : -1) : Number(lost ?? -1);
  }

  /** @param {number} id */
  function heldWords(id) {
    const [n, lost] = model.nodes[id].fact.held;
    if (!n) return 'none';
    return model.doc.classes ? `${count(lost)} of ${count(n)} wrong` : `${count(n)}, rmse ${lost}`;
  }

  function draw() {
    const {doc} = model, {step, query} = store.get();
    const key = columns.find(([name]) => name === order.by)?.[2] ?? ((id) => id);
    const wanted = query.trim().toLowerCase();
    const leaves = visible(model, new Set(), step).filter((id) => isLeaf(model, id, step))
      .filter((id) => !wanted || `${ruleOf(model, id)} ${model.nodes[id].fact.verdict} #${id}`.toLowerCase().includes(wanted));
    const sign = order.rising ? 1 : -1;
    leaves.sort((a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : a - b));
    list.put(leaves.map((id) => {
      const {fact} = model.nodes[id];
      const go = () => reveal(model, store, id);
      return h('tr', {class: id === store.get().selected ? 'chosen' : null},
        h('td.rule-cell', longText(ruleOf(model, id))),
        h('td.answer-cell', doc.classes ? swatch(doc, fact.label) : null, fact.verdict),
        h('td.number', count(fact.n)),
        doc.classes ? h('td.number', `${count(fact.wrong)}${fact.n ? ` (${percent(fact.wrong / fact.n)})` : ''}`) : null,
        fact.held ? h('td.number', heldWords(id)) : null,
        h('td.number', h('button.link', {onclick: go, 'aria-label': `Show leaf ${id}`}, `#${id}`)));
    }));
  }

  store.on(['step', 'query', 'selected', 'version'], draw);
  return h('section.rules', h('h2', 'Rules'), list.element, (model.doc.notes ?? []).map((note) => h('p.soft', note)));
}
