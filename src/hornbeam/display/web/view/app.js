/** The whole viewer in one element. */

import {liveBox, tabs} from '../controls.js';
import {h, many, put, records, table} from '../dom.js';
import {firstFold, matches, modelOf, moved, reveal, sizeAt, visible} from '../model.js';
import {createStore} from '../state.js';
import {canvas} from './canvas.js';
import {columns} from './columns.js';
import {icicle} from './icicle.js';
import {inspector, swatch} from './inspector.js';
import {keyList} from './keys.js';
import {outline} from './outline.js';
import {prune} from './prune.js';
import {quality} from './quality.js';
import {rules} from './rules.js';
import {whatIf} from './whatif.js';

/** Show a document in an element. @param {HTMLElement} element what it holds is replaced @param {Doc} doc @param {{mode: string, host?: Host}} options "report" for everything, "notebook" for the tree and its inspector, "studio" with a host @returns {View} */
export function mount(element, doc, {mode, host}) {
  const model = modelOf(doc);
  const store = createStore({selected: 0, folded: firstFold(model), step: 0, preview: null, query: '', view: 'tree', path: null, focus: 0, version: 0, measured: 0, work: -1,
    said: '', orientation: doc.size.leaves <= 8 ? 'down' : 'right'});
  /** @type {Set<number>} */
  const remembered = new Set();
  /** @type {View} */
  const view = {
    model, store,
    update(next) {
      const after = modelOf(next);
      const patch = moved(store.get(), model, after, remembered);
      Object.assign(model, after);
      store.set(patch);
    },
    destroy() {
      store.end();
      put(element);
    },
  };
  /** @type {(keys: (keyof State)[], render: (part: Store) => any) => HTMLElement} */
  const live = (keys, render) => liveBox(store, keys, render);
  const search = searchField(model, store);
  const panels = host?.panels(view) ?? {};
  const about = panels.right ?? inspector(model, store);
  const dialog = keyList(host?.keyWords ?? []);
  const tree = canvas(model, store, {search: () => search.field.focus(), inspect: () => about.focus(), help: () => dialog.showModal()}, host?.keys ?? {});
  const pruning = panels.below ?? live(['version'], (part) => prune(model, part));
  const treePanel = h('div.treeview', ...tree, h('div.below', icicle(model, store), pruning));
  /** @type {[string, string, HTMLElement][]} */
  const views = [['tree', 'Tree', treePanel], ['rules', 'Rules', live(['version'], (part) => rules(model, part))]];
  if (mode !== 'notebook') {
    views.push(['quality', 'Quality', live(['step', 'version', 'measured'], () => quality(model, store.get().step))],
      ['outline', 'Outline', live(['step', 'version'], () => outline(model, visible(model, new Set(), store.get().step)))],
      ['about', 'About', live(['step', 'version'], () => provenance(model, store.get().step))]);
  }
  const {tabs: viewTabs, bodies} = tabbed(views, store);
  const said = h('div.away', {role: 'status', 'aria-live': 'polite'});
  store.on(['said'], () => put(said, store.get().said));
  put(element,
    h('header', h('h1', {title: doc.title}, h('span.leaf', {'aria-hidden': 'true'}, '❧'), doc.title), live(['step', 'version'], () => facts(model, store.get().step)), panels.header, viewTabs, search.element, themeButton(),
      h('button', {onclick: () => dialog.showModal(), 'aria-label': 'Keys', title: 'Keys (?)'}, '?'),
      panels.caution ?? live(['version'], () => (model.doc.caution ? h('p.caution', {role: 'note'}, h('b', 'Caution: '), model.doc.caution) : null))),
    h('div.body',
      mode === 'notebook' ? null : panels.left ?? h('aside.left', {'aria-label': 'Columns and what if'}, live(['step', 'version'], () => columns(model, store)), live(['version'], (part) => whatIf(model, part))),
      h('main', bodies),
      h('aside.right', {'aria-label': 'The selected node'}, about)),
    h('footer', panels.footer ?? footer(doc)), said, dialog);
  return view;
}

/** @type {AtStep} */
function facts(model, step) {
  const {doc} = model;
  const labels = doc.classes ? doc.classes.map((_, k) => k) : [];
  const grey = labels.filter((k) => doc.colours[k] < 0);
  const legend = labels.filter((k) => doc.colours[k] >= 0).map((k) => h('span.key', swatch(doc, k), doc.classes[k]));
  if (grey.length) legend.push(h('span.key', swatch(doc, grey[0]), `${grey.length} others`));
  const n = doc.quality.length ? `${records(doc.quality[0])} · ` : '';
  const size = step ? `${sizeAt(model, step).leaves} of ${many(doc.size.leaves, 'leaf', 'leaves')}` : many(doc.size.leaves, 'leaf', 'leaves');
  return h('p.headline', `${n}target `, h('b', doc.target), ` · ${size}${doc.partial ? ` · ${doc.partial}` : ''}`, legend);
}

/** @param {Doc} doc */
function footer(doc) {
  const what = doc.aggregates ? 'Holds counts, means and quantiles only, no single records.' : 'Holds values of single records.';
  return `${what} Made by ${doc.provenance[0][1]}; needs no network.`;
}

/** @type {AtStep} */
function provenance(model, step) {
  const {doc} = model;
  const size = step ? sizeAt(model, step) : doc.size, reading = step ? doc.pruning.steps?.[step]?.size.reading_size : doc.size.reading_size;
  const words = `${many(size.leaves, 'leaf', 'leaves')}, ${many(size.nodes, 'node', 'nodes')}, depth ${size.depth}${reading === undefined ? '' : `, reading size ${reading}`}`;
  return h('section.about', h('h2', 'About this tree'),
    table('facts', 'Where the report comes from', [], [...doc.provenance, ['tree', step ? `${words}; as grown ${many(doc.size.leaves, 'leaf', 'leaves')}` : words], ['schema', doc.schema]]),
    h('p', footer(doc)));
}

/** @param {[string, string, HTMLElement][]} panels @param {Store} store */
function tabbed(panels, store) {
  const bodies = panels.map(([name, , body]) => h('div.panel', {role: 'tabpanel', tabindex: name === 'tree' ? null : 0, id: `panel-${name}`, 'aria-labelledby': `tab-${name}`}, body));
  const list = tabs('Views', panels.map(([name, words]) => [name, words]), (name) => ({id: `tab-${name}`, 'aria-controls': `panel-${name}`}), (name) => store.set({view: name}));
  store.on(['view'], () => {
    const {view} = store.get();
    list.mark(view);
    panels.forEach(([name], k) => bodies[k].classList.toggle('hidden', name !== view));
  });
  return {tabs: list.element, bodies};
}

/** @type {Panel<{field: HTMLElement, element: HTMLElement}>} */
function searchField(model, store) {
  const words = h('span.soft.found', {'aria-live': 'polite'});
  const next = () => {
    const hits = matches(model, store.get().query);
    const id = hits.find((one) => model.order.indexOf(one) > model.order.indexOf(store.get().selected)) ?? hits[0];
    if (id !== undefined) reveal(model, store, id);
  };
  const field = h('input', {type: 'search', placeholder: 'Search /', 'aria-label': 'Search columns, values and answers', title: 'words, or n>=30, wrong>5', autocomplete: 'off',
    oninput: () => store.set({query: field.value}),
    onkeydown: (event) => { if (event.key === 'Enter') next(); }});
  store.on(['query', 'version'], () => {
    const {query} = store.get();
    if (field.value !== query) field.value = query;
    put(words, query.trim() ? `${matches(model, query).length} found` : '');
  });
  return {field, element: h('div.search', {role: 'search'}, field, words)};
}

/** Light, dark, or as the system has it. */
function themeButton() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const button = h('button.theme', {title: 'Light or dark', 'aria-label': 'Dark colours', 'aria-pressed': String(dark()), onclick: () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    button.setAttribute('aria-pressed', String(dark()));
  }}, '◐');
  return button;
}
