/** The first page: open a table by dropping it, by a dialog, or a bundled one; then choose what to predict. */

import {count, h, many, put, table} from '../dom.js';
import {ask, getSession, post} from './server.js';

/** @type {(element: HTMLElement, session: Session, opened: (session: Session) => void) => void} */
export function opening(element, session, opened) {
  const said = h('p.problem', {role: 'alert'});
  /** @type {Attempt} */
  const attempt = async (work) => {
    put(said, 'Reading …');
    try {
      opened(await work());
    } catch (error) {
      put(said, /** @type {Error} */ (error).message);
    }
  };
  const contents = session.data ? targets(session, attempt) : sources(session, attempt);
  onDrop((file) => attempt(() => upload(file)));
  put(element, h('main.opening', h('h1', h('span.leaf', {'aria-hidden': 'true'}, '❧'), 'Hornbeam studio'), contents, said));
}

/** What happens to a file that is dropped on the page. @param {(file: File) => void} take */
export function onDrop(take) {
  document.ondragover = (event) => event.preventDefault();
  document.ondrop = (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    take(file);
  };
}

/** @param {(file: File) => void} take */
export function picker(take) {
  const field = h('input', {type: 'file', id: 'file', class: 'away', tabindex: -1, 'aria-label': 'A table or a project', onchange: () => field.files?.[0] && take(field.files[0])});
  return field;
}

/** @param {File} file */
export async function upload(file) {
  return (await ask('PUT', `/api/data?name=${encodeURIComponent(file.name)}`, file)).json();
}

/** @param {Session} session @param {Attempt} attempt */
function sources(session, attempt) {
  const chooser = picker((file) => attempt(() => upload(file)));
  /** @type {(title: string, items: any[]) => any} each item: its name, what is opened, more words */
  const list = (title, items) => items[0] && [h('h2', title), h('ul.demos', items.map(([name, what, ...more]) =>
    h('li', h('button', {onclick: () => attempt(() => post('/api/open', what))}, h('b', name), more))))];
  return [
    h('div.drop', h('p', 'Drop a table here: CSV, Parquet, Excel, ARFF, JSON lines; or a project.'), chooser, h('button.main', {onclick: () => chooser.click()}, 'Choose a file …')),
    list('Unsaved work', (session.autosave?.others ?? []).map((name) => [name, {path: name}])),
    list('Or a guided lecture', session.lectures.map(({name, title}) => [title, {lecture: name}])),
    list('Or a bundled table', session.demos.map(({name, rows, about}) => [name.slice(5), {demo: name}, h('span.soft', `${count(rows)} rows`), h('span', about)])),
  ];
}

/** @param {Session} session @param {Attempt} attempt */
function targets(session, attempt) {
  const choose = (/** @type {string} */ target) => attempt(() => post('/api/op', {base: session.revision ?? 0, op: {op: 'settings', target}, document: false}).then(getSession));
  return [
    h('p', h('b', session.data.name), ` · ${many(session.data.rows, 'row', 'rows')}, ${many(session.columns.length, 'column', 'columns')}`),
    session.notes.map((note) => h('p.soft', note)),
    h('h2', 'What shall be predicted?'),
    h('div.scroll', table('columns-table', 'Columns', ['column', 'kind', 'values', 'missing', ''], session.columns.map((column) => [
      h('button.link', {onclick: () => choose(column.name)}, column.name), column.kind, column.text, column.missing ? count(column.missing) : '', column.warning ?? column.remark ?? '']))),
  ];
}
