/** The tree on the bench: the viewer with everything that changes the tree around it. */

import {h, put} from '../dom.js';
import {mount} from '../view/app.js';
import {prune} from '../view/prune.js';
import {sidebar} from './sidebar.js';
import {toolbar} from './toolbar.js';
import {inspect} from './inspect.js';
import {pruneBar} from './prunebar.js';
import {teach} from './teach.js';
import {get, post} from './server.js';

const KEYS = [['s', 'split by the best test'], ['g', 'grow the branch'], ['x', 'make it a leaf'], ['r', 'grow it again'], ['l', 'lock or unlock'], ['n', 'note'],
  ['c', 'candidates of the node'], ['u, Ctrl Z', 'undo'], ['Shift Ctrl Z', 'redo'],
  ['t', 'teach'], ['. or Page down', 'next line'], ['>', 'next split'], [', or Page up', 'back']];

/**
 * @param {HTMLElement} element
 * @param {Session} session
 * @param {any} doc
 * @param {(session: Session) => void} reopen
 */
export function workbench(element, session, doc, reopen) {
  /** @type {(() => void)[]} */
  const listeners = [];
  const message = h('p', {class: 'message', role: 'status', 'aria-live': 'polite'});
  const progress = h('div', {class: 'progress', hidden: true});
  /** @type {Map<number, any>} how jobs ended, perhaps before the answer that began them arrived */
  const ended = new Map();
  /** @type {(() => void)[]} called when the growth under way ends */
  let waiting = [];
  const jobEnds = () => new Promise((done) => waiting.push(() => done(true)));
  /** @type {Promise<any>} changes go one after the other, also those asked for while another is under way */
  let queue = session.job ? jobEnds() : Promise.resolve();
  /** @type {(work: () => Promise<any>) => Promise<any>} */
  const inTurn = (work) => {
    if (!progress.hidden) bench.say('waits until the tree has grown, or is stopped');
    return (queue = queue.then(() => bench.attempt(work)));
  };
  /** @type {Bench} */
  const bench = {
    session, view: /** @type {any} */ (null), reopen,
    onChange(hear) {
      listeners.push(hear);
      hear();
    },
    selected: () => bench.view.model.ids[bench.view.store.get().selected],
    say(words, problem = false) {
      put(message, words);
      message.classList.toggle('problem', problem);
    },
    async attempt(work) {
      try {
        return await work();
      } catch (error) {
        const {message: words, status} = /** @type {any} */ (error);
        bench.say(words, true);
        if (status === 409) await bench.refresh();
        return null;
      }
    },
    async act(op, slow = false) {
      return Boolean(await inTurn(async () => {
        const base = bench.session.revision;
        if (slow) await grow(await post('/api/grow', {base, op}));
        else {
          take(await post('/api/op', {base, op}));
          await renew();
        }
        return true;
      }));
    },
    async travel(path, body) {
      await inTurn(async () => {
        take(await post(path, body));
        await renew();
      });
    },
    async refresh() {
      bench.view.update(await get('/api/document'));
      await renew();
    },
  };

  /** @param {any} answer */
  function take(answer) {
    if (answer.document) bench.view.update(answer.document);
    const lost = (answer.impossible ?? []).map((/** @type {any} */ one) => one.error).join(' ');
    bench.say(lost ? `${answer.say}. No longer possible: ${lost}` : answer.say, Boolean(lost));
  }

  async function renew() {
    bench.session = await get('/api/session');
    listeners.forEach((hear) => hear());
  }

  /** @param {any} job until it has ended, and what it has grown is shown */
  async function grow(job) {
    showJob(job);
    if (!ended.has(job.job)) await jobEnds();
    await bench.refresh();
    const {error, stopped} = ended.get(job.job) ?? {};
    const last = bench.session.revisions.find((one) => one.number === bench.session.revision);
    bench.say(error ?? `${last?.say ?? ''}${stopped ? ' (stopped)' : ''}`, Boolean(error));
  }

  /** @param {any} job */
  function showJob(job) {
    progress.hidden = !job || ended.has(job.job);
    if (progress.hidden) return;
    const percent = Math.round(100 * (job.share ?? 0));
    put(progress, h('progress', {max: 100, value: percent, 'aria-label': 'Growing'}), h('span', null, `growing, ${percent} %`),
      h('button', {class: 'stop', onclick: () => bench.attempt(() => post(`/api/job/${job.job}/cancel`))}, 'Stop'));
  }

  function noJob() {
    showJob(null);
    waiting.forEach((go) => go());
    waiting = [];
  }

  const events = new EventSource('/api/events');
  events.addEventListener('progress', (event) => showJob(JSON.parse(event.data)));
  for (const name of ['finished', 'failed']) {
    events.addEventListener(name, (event) => {
      const told = JSON.parse(/** @type {MessageEvent} */ (event).data);
      ended.set(told.job, told);
      noJob();
    });
  }
  // what happened while the connection was lost is asked for
  events.addEventListener('open', () => bench.attempt(async () => {
    if (waiting.length && !(await get('/api/session')).job) noJob();
  }));
  events.addEventListener('revision', (event) => {
    const {revision} = JSON.parse(event.data);
    queue.then(() => { // what this page did itself is known by then
      if (revision !== bench.session.revision) inTurn(() => bench.refresh());
    });
  });

  const onNode = (/** @type {string} */ op, /** @type {any} */ more = {}) => () => bench.act({op, node: bench.selected(), ...more});
  /** @type {Record<string, () => void>} */
  const keys = {s: onNode('step'), g: () => bench.act({op: 'grow', node: bench.selected()}, true), x: onNode('collapse'), p: onNode('collapse'), r: () => bench.act({op: 'regrow', node: bench.selected()}, true),
    l: () => bench.act({op: bench.view.model.nodes[bench.view.store.get().selected].fact.locked ? 'unlock' : 'lock', node: bench.selected()}),
    u: () => bench.travel('/api/undo'), n: () => panel.note(), c: () => panel.open('candidates')};
  /** @type {ReturnType<typeof inspect>} */
  let panel;
  bench.view = mount(element, {...doc, title: 'Hornbeam studio'}, {mode: 'studio', host: {keys, keyWords: KEYS, panels: (view) => {
    bench.view = view;
    panel = inspect(bench);
    const chart = h('div', {class: 'live'});
    let part = view.store.part();
    view.store.on(['version'], () => {
      part.end();
      part = view.store.part();
      put(chart, h('section', {class: 'prune'}, prune(view.model, part, (leaves) => bench.act({op: 'prune', leaves})) ?? h('div', null, h('h2', null, 'Pruning path'), h('p', {class: 'soft'}, 'A tree of one leaf has none.')), pruneBar(bench)));
    });
    return {right: panel.element, left: sidebar(bench), header: toolbar(bench, progress), below: chart, footer: message};
  }}});
  document.addEventListener('keydown', (event) => {
    const typing = /** @type {Element} */ (event.target).matches('textarea, input:not([type=range], [type=checkbox])');
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z' || typing || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    bench.travel(event.shiftKey ? '/api/redo' : '/api/undo');
  }, {signal: bench.view.store.signal});
  teach(bench, element, keys);
  showJob(session.job);
  if (session.read_only) bench.say(session.read_only, true);
  return {end: () => {
    events.close();
    bench.view.destroy();
  }};
}
