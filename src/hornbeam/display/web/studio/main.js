/** Where the studio's page starts: a table is opened and a target chosen, then the tree is worked on. */

import {h, put} from '../dom.js';
import {opening} from './opening.js';
import {enter, get, getSession} from './server.js';
import {workbench} from './workbench.js';

const element = /** @type {HTMLElement} */ (document.getElementById('hornbeam'));
/** @type {{end: () => void} | null} */
let bench = null;

/** @param {Session} session */
async function show(session) {
  bench?.end();
  bench = null;
  document.body.classList.toggle('empty', !session.revisions.length);
  if (!session.revisions.length) opening(element, session, show);
  else bench = workbench(element, session, await get('/api/document'), show);
}

enter().then(() => getSession()).then(show).catch((error) => put(element, h('main.opening',
  h('h1', 'Hornbeam studio'), h('p', {role: 'alert'}, error.message), error.status === 401 ? h('p', 'Open the address that `hornbeam studio` printed; it can be used once.') : null)));
