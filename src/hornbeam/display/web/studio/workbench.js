/** The tree on the bench: the viewer with everything that changes the tree around it. */

import {liveBox} from '../controls.js';
import {h, put, signs} from '../dom.js';
import {mount} from '../view/app.js';
import {prune} from '../view/prune.js';
import {caution, sidebar} from './sidebar.js';
import {toolbar} from './toolbar.js';
import {inspect} from './inspect.js';
import {pruneBar} from './prunebar.js';
import {teach} from './teach.js';
import {get, getSession, post} from './server.js';

const KEYS = [['s', 'split by the best test'], ['g', 'grow the branch'], ['x', 'make it a leaf'], ['r', 'grow it again'], ['l', 'lock or unlock'], ['n', 'note'],
  ['c', 'candidates of the node'], ['u, Ctrl Z', 'undo'], ['Shift Ctrl Z', 'redo'],
  ['t', 'teach'], ['. or Page down', 'next line'], ['>', 'next split'], [', or Page up', 'back']];

/** @param {HTMLElement} element @param {Session} session @param {Doc} doc @param {Bench["reopen"]} reopen */
export function workbench(element, session, doc, reopen) {
  /** @type {(() => void)[]} */
  const listeners = [];
  const message = h('p.message', {role: 'status', 'aria-live': 'polite'});
  const progress = h('span.jobs');
  /** @type {Record<string, HTMLElement>} of what is at work */
  const bars = {};
  /** @type {Map<number, any>} how jobs ended, perhaps before the answer that began them arrived */
  const ended = new Map();
  /** @type {(() => void)[]} called when the growth under way ends */
  let waiting = [];
  const jobEnds = () => new Promise((done) => waiting.push(() => done(true)));
  /** @type {Promise<any>} changes go one after the other, also those asked for while another is under way */
  let queue = session.job ? jobEnds() : Promise.resolve();
  /** @type {(work: () => Promise<any>) => Promise<any>} */
  const inTurn = (work) => {
    if (bars.growing?.isConnected) bench.say('waits until the tree has grown, or is stopped');
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
      put(message, signs(words));
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
    measureStability: () => bench.attempt(async () => showJob(await post('/api/stability', {revision: bench.session.revision}))),
    async refresh() {
      bench.view.update(await get('/api/document'));
      await renew();
    },
  };

  /** @param {Answer} answer */
  function take(answer) {
    if (answer.document) bench.view.update(answer.document);
    const lost = (answer.impossible ?? []).map((one) => one.error).join(' ');
    bench.say(lost ? `${answer.say}. No longer possible: ${lost}` : answer.say, Boolean(lost));
  }

  async function renew() {
    bench.session = await getSession();
    listeners.forEach((hear) => hear());
  }

  /** @param {Facts} job until it has ended, and what it has grown is shown */
  async function grow(job) {
    showJob(job);
    if (!ended.has(job.job)) await jobEnds();
    await bench.refresh();
    const {error, stopped} = ended.get(job.job) ?? {};
    const last = bench.session.revisions[bench.session.revision];
    bench.say(error ?? `${last?.say ?? ''}${stopped ? ' (stopped)' : ''}`, Boolean(error));
  }

  /** @param {Facts} job */
  function showJob(job) {
    const {job: number, what} = job, percent = Math.round(100 * (job.share ?? 0));
    if (ended.has(number)) return;
    const bar = bars[what] ?? (bars[what] = h('div.progress'));
    progress.append(bar);
    put(bar, h('progress', {max: 100, value: percent, 'aria-label': what}), h('span', `${what}, ${percent} %`),
      h('button.stop', {onclick: () => bench.attempt(() => post(`/api/job/${number}/cancel`))}, 'Stop'));
  }

  function noGrowth() {
    bars.growing?.remove();
    waiting.forEach((go) => go());
    waiting = [];
  }

  const events = new EventSource('/api/events');
  events.addEventListener('progress', (event) => showJob(JSON.parse(event.data)));
  for (const name of ['finished', 'failed']) {
    events.addEventListener(name, (event) => {
      const told = JSON.parse(/** @type {MessageEvent} */ (event).data);
      ended.set(told.job, told);
      if (told.what === 'growing') return noGrowth();
      bars[told.what]?.remove();
      if (told.error) bench.say(told.error, true);
      else inTurn(async () => {
        await bench.refresh();
        bench.say(told.revision === bench.session.revision ? 'the cards and the inspector say how often each test is chosen again' : `the stability of revision ${told.revision} is measured`);
      });
    });
  }
  // what happened while the connection was lost is asked for
  events.addEventListener('open', () => bench.attempt(async () => {
    if (waiting.length && !(await getSession()).job) noGrowth();
  }));
  events.addEventListener('revision', (event) => {
    const {revision} = JSON.parse(event.data);
    queue.then(() => { // what this page did itself is known by then
      if (revision !== bench.session.revision) inTurn(() => bench.refresh());
    });
  });

  const onNode = (/** @type {string} */ op, more = {}) => () => bench.act({op, node: bench.selected(), ...more});
  /** @type {Record<string, () => void>} */
  const keys = {s: onNode('step'), g: () => bench.act({op: 'grow', node: bench.selected()}, true), x: onNode('collapse'), p: onNode('collapse'), r: () => bench.act({op: 'regrow', node: bench.selected()}, true),
    l: () => bench.act({op: bench.view.model.nodes[bench.view.store.get().selected].fact.locked ? 'unlock' : 'lock', node: bench.selected()}),
    u: () => bench.travel('/api/undo'), n: () => panel.note(), c: () => panel.open('candidates')};
  /** @type {ReturnType<typeof inspect>} */
  let panel;
  bench.view = mount(element, {...doc, title: 'Hornbeam studio'}, {mode: 'studio', host: {keys, keyWords: KEYS, panels: (view) => {
    bench.view = view;
    panel = inspect(bench);
    const chart = liveBox(view.store, ['version'], (part) => h('section.prune', prune(view.model, part, (leaves) => bench.act({op: 'prune', leaves})) ?? h('div', h('h2', 'Pruning path'), h('p.soft', 'A tree of one leaf has none.')), pruneBar(bench)));
    // how good the tree is takes longest: it is asked for when it is looked at
    view.store.on(['view', 'version'], () => {
      const {doc} = view.model;
      if (view.store.get().view === 'quality' && !doc.quality[0]?.metrics) bench.attempt(async () => {
        Object.assign(doc, {quality: (await get(`/api/quality?revision=${doc.revision}`)).quality});
        view.store.set({measured: view.store.get().measured + 1});
      });
    });
    return {right: panel.element, left: sidebar(bench), header: toolbar(bench, progress), below: chart, footer: message, caution: caution(bench)};
  }}});
  document.addEventListener('keydown', (event) => {
    const typing = /** @type {Element} */ (event.target).matches('textarea, input:not([type=range], [type=checkbox])');
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z' || typing || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    bench.travel(event.shiftKey ? '/api/redo' : '/api/undo');
  }, {signal: bench.view.store.signal});
  teach(bench, element, keys);
  for (const job of [session.job, session.reading]) if (job) showJob(job);
  if (session.read_only) bench.say(session.read_only, true);
  return {end: () => {
    events.close();
    bench.view.destroy();
  }};
}
