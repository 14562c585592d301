/** The right side: the selected node, its candidates, records, rules and surrogates, and what can be done to it. */

import {tabs} from '../controls.js';
import {h, many, put, table} from '../dom.js';
import {testsTo} from '../model.js';
import {inspector} from '../view/inspector.js';
import {candidates} from './candidates.js';
import {askText} from './dialogs.js';
import {records} from './records.js';

const TABS = [['node', 'Node'], ['candidates', 'Candidates'], ['records', 'Records'], ['rules', 'Rules'], ['surrogates', 'Surrogates']];

/** @param {Bench} bench */
export function inspect(bench) {
  const {model, store} = bench.view;
  let shown = 'candidates';
  let turn = 0;
  const title = h('p.kicker');
  const actions = h('div.buttons.actions', {role: 'group', 'aria-label': 'What to do with the node'});
  const body = h('div.inspector-body', {role: 'tabpanel', id: 'inspector-panel', tabindex: -1});
  const node = inspector(model, store);
  const list = tabs('About the node', TABS, (name) => ({'data-name': name, 'aria-controls': 'inspector-panel'}), open);

  /** @param {string} name */
  function open(name) {
    shown = name;
    draw();
  }

  function note() {
    const {fact} = model.nodes[store.get().selected];
    askText('Note at this node', fact.note ?? '', (text) => bench.act({op: 'note', node: bench.selected(), text}));
  }

  async function draw() {
    const mine = ++turn;
    const id = store.get().selected, {fact, children} = model.nodes[id];
    list.mark(shown);
    put(title, `Node #${id} · ${id ? (children.length ? 'split' : 'leaf') : 'root'} · ${many(fact.n, 'training record', 'training records')}`);
    const act = (/** @type {string} */ words, /** @type {Facts} */ op, slow = false) => h('button', {onclick: () => bench.act({node: model.ids[id], ...op}, slow)}, words);
    put(actions, children.length ? [act('Make leaf', {op: 'collapse'}), act('Regrow', {op: 'regrow'}, true)] : fact.open ? [act('Split best', {op: 'step'}), act('Grow branch', {op: 'grow'}, true)] : null,
      act(fact.locked ? 'Unlock' : 'Lock', {op: fact.locked ? 'unlock' : 'lock'}), h('button', {onclick: note}, 'Note …'),
      children.length && !fact.again ? h('button', {title: 'Grow the tree again on 100 samples of the records, and count how often each test is chosen again', onclick: bench.measureStability}, 'Stability') : null);
    if (shown === 'node') put(body, node);
    else if (shown === 'rules') put(body, rulePanel(id));
    else if (shown === 'surrogates') put(body, fact.surrogates ? table('numbers', 'Tests asked where the value is missing', ['test', 'agreement', 'association'], fact.surrogates) : h('p.soft', children.length ? 'This node has no surrogates. Settings has them under “gaps”.' : 'A leaf has no test.'));
    else {
      const contents = await bench.attempt(() => (shown === 'candidates' ? candidates(bench, id) : records(bench, id)));
      if (mine === turn) put(body, contents ?? h('p.soft', 'Nothing to show.'));
    }
  }

  /** @param {number} id */
  function rulePanel(id) {
    const {fact} = model.nodes[id];
    const rule = (fact.rule ?? testsTo(model, id)).join(' and ') || 'always';
    return [h('p.rule-text', h('b', 'if '), rule, h('b', ' then '), fact.verdict),
      h('button', {onclick: () => bench.attempt(() => navigator.clipboard.writeText(rule).then(() => bench.say('rule copied')))}, 'Copy')];
  }

  store.on(['selected', 'version'], draw);
  return {element: h('section.inspector.studio-inspector', {tabindex: -1, 'aria-label': 'Work on the selected node'}, title, list.element, body, actions), open, note};
}
