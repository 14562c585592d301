/** The first page: open a table by dropping it, by a dialog, or a bundled one; then choose what to predict. */

import {count, h, many, put, table} from '../dom.js';
import {ask, getSession, post} from './server.js';

/** @type {(element: HTMLElement, session: Session, opened: (session: Session) => void) => void} */
export function opening(element, session, opened) {
  const said = h('p', {class: 'problem', role: 'alert'});
  /** @param {() => Promise<any>} work */
  const attempt = async (work) => {
    put(said, 'Reading …');
    try {
      opened(await work());
    } catch (error) {
      put(said, /** @type {Error} */ (error).message);
    }
  };
  const contents = session.data ? targets(session, attempt) : sources(session, attempt);
  put(element, h('main', {class: 'opening', ondragover: (event) => event.preventDefault(), ondrop: (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) attempt(() => upload(file));
  }}, h('h1', h('span', {class: 'leaf', 'aria-hidden': 'true'}, '❧'), 'Hornbeam studio'), contents, said));
}

/** @param {File} file */
export async function upload(file) {
  return (await ask('PUT', `/api/data?name=${encodeURIComponent(file.name)}`, file)).json();
}

/**
 * @param {Session} session
 * @param {(work: () => Promise<any>) => void} attempt
 */
function sources(session, attempt) {
  const chooser = h('input', {type: 'file', id: 'file', class: 'away', 'aria-label': 'A table or a project', onchange: () => {
    const file = chooser.files?.[0];
    if (file) attempt(() => upload(file));
  }});
  const rest = session.autosave?.others ?? [];
  return [
    h('div', {class: 'drop'}, h('p', 'Drop a table here: CSV, Parquet, Excel, ARFF, JSON lines; or a project.'), chooser, h('button', {class: 'main', onclick: () => chooser.click()}, 'Choose a file …')),
    rest.length ? [h('h2', 'Unsaved work'), h('ul', {class: 'demos'}, rest.map((/** @type {string} */ name) => h('li', h('button', {onclick: () => attempt(() => post('/api/open', {path: name}))}, h('b', name)))))] : null,
    h('h2', 'Or a bundled table'),
    h('ul', {class: 'demos'}, session.demos.map((demo) => h('li', h('button', {onclick: () => attempt(() => post('/api/open', {demo: demo.name}))},
      h('b', demo.name.replace('demo:', '')), h('span', {class: 'soft'}, `${count(demo.rows)} rows`), h('span', demo.about))))),
  ];
}

/**
 * @param {Session} session
 * @param {(work: () => Promise<any>) => void} attempt
 */
function targets(session, attempt) {
  const choose = (/** @type {string} */ target) => attempt(() => post('/api/op', {base: session.revision ?? 0, op: {op: 'settings', target}, document: false}).then(getSession));
  return [
    h('p', h('b', session.data.name), ` · ${many(session.data.rows, 'row', 'rows')}, ${many(session.columns.length, 'column', 'columns')}`),
    session.notes.map((note) => h('p', {class: 'soft'}, note)),
    h('h2', 'What shall be predicted?'),
    h('div', {class: 'scroll'}, table('columns-table', 'Columns', ['column', 'kind', 'values', 'missing', ''], session.columns.map((column) => [
      h('button', {class: 'link', onclick: () => choose(column.name)}, column.name), column.kind, domain(column), column.missing ? count(column.missing) : '', column.warning ?? column.remark ?? '']))),
  ];
}

/** @param {any} column */
export function domain(column) {
  if (column.values?.length) return column.values.length <= 4 ? column.values.join(', ') : `${count(column.distinct)} values`;
  if (typeof column.low === 'boolean') return column.low === column.high ? String(column.low) : 'false, true';
  const short = (/** @type {any} */ x) => (typeof x === 'number' ? Number(x.toPrecision(6)) : x);
  return column.low === undefined || column.low === null ? `${count(column.distinct)} values` : `${short(column.low)} to ${short(column.high)}`;
}
