/** The settings: what is predicted, what each column is, how the tree grows, what is held out. */

import {choice, scrolling} from '../controls.js';
import {h, set, table} from '../dom.js';
import {inOrder} from './groups.js';
import {showDialog} from './dialogs.js';

const KINDS = ['numeric', 'nominal', 'boolean', 'date'], ROLES = ['input', 'excluded', 'target', 'weight', 'counts'];
const SLOTS = [['criterion', 'criterion'], ['selection', 'selection'], ['split', 'split'], ['missing', 'gaps'], ['leaf', 'leaf'], ['search', 'search']];

/** @param {Bench} bench @param {string} [name] a column to begin with */
export function settingsDialog(bench, name) {
  const {session} = bench, {settings, classes} = session;
  /** @type {Map<string, [HTMLInputElement | HTMLSelectElement, string]>} the field of each setting, and its value now */
  const fields = new Map();
  /** @type {Map<HTMLElement, any[]>} the values of a column in the order that is chosen */
  const orders = new Map();
  /** @type {<T extends HTMLInputElement | HTMLSelectElement>(key: string, field: T, now: any) => T} */
  const kept = (key, field, now) => {
    fields.set(key, [field, String(now ?? '')]);
    return field;
  };
  /** @type {(key: string, options: string[][], now: any) => HTMLSelectElement} */
  const select = (key, options, now) => kept(key, choice(key, options, now ?? ''), now);
  /** @type {(key: string, now: any, props?: Props) => HTMLInputElement} */
  const input = (key, now, props = {}) => kept(key, h('input', {type: 'text', inputmode: 'decimal', value: now ?? '', 'aria-label': key, ...props}), now);
  const row = (/** @type {string} */ words, /** @type {HTMLElement} */ field) => h('label.setting', h('span', words), field);

  const columns = session.columns.map((column) => {
    const {name: own, kind, values = []} = column, now = settings.kinds[own] ?? '', given = Array.isArray(now), order = [...(given ? now : values)];
    const kinds = [['', `as read (${kind})`], ...KINDS.map((one) => [one]), ...(now && !given && !KINDS.includes(now) ? [[now]] : []), ...(order.length > 1 ? [['ordinal']] : [])];
    const field = choice(`kind/${own}`, kinds, given ? 'ordinal' : now, (to) => set(list, {hidden: to !== 'ordinal'})), list = inOrder(order);
    set(list, {hidden: !given});
    orders.set(kept(`kind/${own}`, field, given ? JSON.stringify(now) : now), order);
    return [[own, column.warning ? h('div.warn', `⚠ ${column.warning}`) : null], h('span.soft', column.text), [field, list], select(`role/${own}`, ROLES.map((one) => [one]), column.role),
      input(`price/${own}`, settings.prices?.[own], {size: 4}), kind === 'numeric' || kind === 'ordinal' ? select(`monotone/${own}`, [['', '–'], ['1', 'rising'], ['-1', 'falling']], settings.monotone?.[own]) : null];
  });
  const costs = (classes ?? []).map((truth) => [truth, ...classes.map((answer) => (truth === answer ? '0' : input(`cost/${truth}/${answer}`, settings.costs?.[truth]?.[answer], {size: 4, placeholder: '1'})))]);

  /** What differs from the settings now. */
  function changed() {
    const value = (/** @type {string} */ key) => {
      const field = /** @type {HTMLSelectElement} */ (fields.get(key)?.[0]), text = field.value.trim();
      return text === 'ordinal' && key[0] === 'k' ? JSON.stringify(orders.get(field)) : text;
    };
    const touched = [...fields].filter(([key, [, now]]) => value(key) !== now).map(([key]) => key);
    /** @type {(what: string) => [string, string][]} names and values of what stands in a column of fields */
    const all = (what) => [...fields.keys()].filter((key) => key.startsWith(`${what}/`) && value(key) !== '').map((key) => [key.slice(what.length + 1), value(key)]);
    const any = (/** @type {string} */ what) => touched.some((key) => key.startsWith(`${what}/`));
    /** @type {Facts} */
    const op = {};
    if (any('kind')) op.kinds = Object.fromEntries(all('kind').map(([one, text]) => [one, text[0] === '[' ? JSON.parse(text) : text]));
    for (const [what, key] of [['price', 'prices'], ['monotone', 'monotone'], ['limit', 'limits']]) if (any(what)) op[key] = Object.fromEntries(all(what).map(([one, text]) => [one, Number(text)]));
    if (any('role')) {
      const as = (/** @type {string} */ role) => all('role').filter(([, text]) => text === role).map(([one]) => one);
      Object.assign(op, {exclude: as('excluded'), weight: as('weight')[0] ?? null, counts: as('counts')[0] ?? null});
      const target = as('target').find((one) => one !== settings.target);
      if (target) op.target = target;
    }
    if (any('cost')) op.costs = Object.fromEntries(classes.map((truth) => [truth, Object.fromEntries(classes.map((answer) => [answer, truth === answer ? 0 : Number(value(`cost/${truth}/${answer}`) || 1)]))]));
    for (const key of touched) {
      if (key === 'held out') op.held_out = Number(value(key)) / 100;
      else if (key === 'seed') op.seed = Number(value(key));
      else if (!key.includes('/')) op[key] = value(key) || null;
    }
    return op;
  }

  const dialog = showDialog('Settings', [
    h('div.setting-grid', row('learn', select('task', [['classes'], ['real', 'numbers']], settings.task)), row('recipe', select('recipe', [['', 'none'], ...session.recipes.map((one) => [one])], settings.recipe)),
      SLOTS.map(([key, words]) => row(words, select(key, [['', 'as the recipe has it'], ...(session.slots[key] ?? []).map((one) => [one.name, `${one.name}: ${one.about}`])], settings[key]))),
      row('held out, %', input('held out', Math.round(100 * settings.held_out))), row('seed', input('seed', settings.seed))),
    h('details', h('summary', 'Limits of growth'), h('div.setting-grid', session.limits.map((one) => row(one.replaceAll('_', ' '), input(`limit/${one}`, settings.limits?.[one]))))),
    h('h3', 'Columns'), scrolling('Columns', table('settings-columns', 'Columns', ['column', 'values', 'kind', 'role', 'price', 'direction'], columns)),
    costs.length ? h('details', h('summary', 'Costs: what an answer costs (across) by the true class (down)'), table('', 'Costs', ['true', ...classes], costs)) : null,
  ], [['Apply', async () => {
    const op = changed();
    return !Object.keys(op).length || bench.act({op: 'settings', ...op});
  }]]);
  const at = session.columns.findIndex((column) => column.name === name), line = dialog.querySelectorAll('.settings-columns tbody tr')[at];
  line?.classList.add('chosen');
  line?.scrollIntoView({block: 'center'});
}
