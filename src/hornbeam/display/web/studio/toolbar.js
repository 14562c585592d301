/** The buttons over the tree: grow, undo, settings, save, export, compare. */

import {choice} from '../controls.js';
import {h, put} from '../dom.js';
import {compareDialog} from './compare.js';
import {askText} from './dialogs.js';
import {settingsDialog} from './settings.js';
import {ask, download, post} from './server.js';
import {onDrop, picker, upload} from './opening.js';

/** @param {Bench} bench @param {HTMLElement} progress */
export function toolbar(bench, progress) {
  const order = choice('Which node the next step splits', [['best', 'best first'], ['breadth', 'level by level'], ['depth', 'depth first']]);
  const undo = h('button', {onclick: () => bench.travel('/api/undo'), title: 'Undo (u, Ctrl Z)'}, 'Undo');
  const redo = h('button', {onclick: () => bench.travel('/api/redo'), title: 'Redo (Shift Ctrl Z)'}, 'Redo');
  const formats = h('div.menu-items', {role: 'menu'});
  bench.onChange(() => {
    const {revision, end, revisions} = bench.session;
    undo.toggleAttribute('disabled', revisions.find((one) => one.number === revision)?.parent < 0);
    redo.toggleAttribute('disabled', revision === end);
    put(formats, bench.session.formats.map(({name: format, about}) => item(about, () => bench.attempt(async () => download(await ask('POST', '/api/export', {format}), `tree.${format}`)))));
  });
  const take = (/** @type {File} */ file) => bench.attempt(() => upload(file).then(bench.reopen));
  const chooser = picker(take);
  onDrop(take);
  const save = () => askText('Save the project as', bench.session.data?.name.replace(/^demo:|\.[a-z]+$/g, '') ?? 'tree', (name) => {
    if (name) bench.attempt(async () => bench.say(`saved as ${(await post('/api/project/save', {name})).saved}`));
  });
  const file = h('div.menu-items', {role: 'menu'}, item('Open a table or project …', () => chooser.click()), item('Save the project …', save), item('Compare two revisions …', () => compareDialog(bench)),
    item('Start again', () => bench.act({op: 'reset'})), item('Quit the studio', () => bench.attempt(async () => {
      await post('/api/quit');
      bench.say('The studio has ended; this page can be closed.');
    })));
  return h('div.toolbar', {role: 'toolbar', 'aria-label': 'Grow and edit'},
    h('span.joined', h('button.main', {title: 'Split the next node by its best test', onclick: () => bench.act({op: 'step', order: order.value})}, 'Step ▸'), order),
    h('button', {title: 'Grow below the selected node (g)', onclick: () => bench.act({op: 'grow', node: bench.selected()}, true)}, 'Grow branch'),
    h('button', {title: 'Grow every open leaf', onclick: () => bench.act({op: 'grow'}, true)}, 'Grow all'), progress,
    undo, redo, h('button', {onclick: () => settingsDialog(bench)}, 'Settings'), menu('File', file), menu('Export', formats), chooser);
}

/** @type {(words: string, act: () => void) => HTMLElement} */
const item = (words, act) => h('button', {role: 'menuitem', onclick: (event) => {
  /** @type {HTMLElement} */ (event.currentTarget).closest('details')?.removeAttribute('open');
  act();
}}, words);

/** @param {string} words @param {HTMLElement} items */
function menu(words, items) {
  const details = h('details.menu', {onkeydown: (event) => {
    if (event.key === 'Escape') {
      details.removeAttribute('open');
      details.querySelector('summary')?.focus();
    }
  }, onfocusout: (event) => {
    if (event.relatedTarget && !details.contains(/** @type {Node} */ (event.relatedTarget))) details.removeAttribute('open');
  }}, h('summary', {role: 'button'}, `${words} ▾`), items);
  return details;
}
