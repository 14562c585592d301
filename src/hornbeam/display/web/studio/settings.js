/** The settings: what is predicted, what each column is, how the tree grows, what is held out. */

import {h} from '../dom.js';
import {domain} from './opening.js';
import {showDialog} from './dialogs.js';

/**
 * @param {Bench} bench
 * @param {string} [name] a column to begin with
 */
export function settingsDialog(bench, name) {
  const {session} = bench, {settings} = session;
  /** @type {[string, (HTMLInputElement | HTMLSelectElement), any][]} name of the setting, its field, its value now */
  const fields = [];
  const select = (/** @type {string} */ key, /** @type {string[][]} */ options, /** @type {any} */ now) => {
    const field = /** @type {HTMLSelectElement} */ (h('select', {'aria-label': key}, options.map(([value, words]) => h('option', {value, selected: value === (now ?? '')}, words))));
    fields.push([key, field, now ?? '']);
    return field;
  };
  const input = (/** @type {string} */ key, /** @type {any} */ now, /** @type {any} */ props) => {
    const field = /** @type {HTMLInputElement} */ (h('input', {type: 'text', value: now ?? '', 'aria-label': key, ...props}));
    fields.push([key, field, String(now ?? '')]);
    return field;
  };
  const row = (/** @type {string} */ words, /** @type {HTMLElement} */ field) => h('label', {class: 'setting'}, h('span', null, words), field);
  const slot = (/** @type {string} */ key) => select(key, [['', 'as the recipe has it'], ...(session.slots[key] ?? []).map((/** @type {any} */ one) => [one.name, `${one.name}: ${one.about}`])], settings[key]);
  const roles = session.columns.map((column) => {
    const key = (/** @type {string} */ what) => `${what}/${column.name}`;
    const kinds = [['', `as read (${column.kind})`], ['numeric', 'numeric'], ['nominal', 'nominal'], ['boolean', 'boolean'], ['date', 'date']];
    const kind = settings.kinds[column.name];
    const typed = Array.isArray(kind) ? `ordinal(${kind.join('<')})` : kind ?? '';
    if (typed && !kinds.some(([value]) => value === typed)) kinds.push([typed, typed]);
    const ordered = `ordinal(${(column.values ?? []).join('<')})`;
    if (column.values?.length > 1 && ordered !== typed) kinds.push([ordered, `ordinal: ${column.values.slice(0, 4).join(' < ')}${column.values.length > 4 ? ' …' : ''}`]);
    return h('tr', {class: column.name === name ? 'chosen' : null}, h('th', {scope: 'row'}, column.name, column.warning ? h('div', {class: 'warn'}, `⚠ ${column.warning}`) : null), h('td', {class: 'soft'}, domain(column)),
      h('td', null, select(key('kind'), kinds, typed)), h('td', null, select(key('role'), [['input', 'input'], ['excluded', 'excluded'], ['target', 'target'], ['weight', 'weight'], ['counts', 'counts']], column.role)),
      h('td', null, input(key('price'), settings.prices?.[column.name], {inputmode: 'decimal', size: 4})), h('td', null, column.kind === 'numeric' || column.kind === 'ordinal' ? select(key('monotone'), [['', '–'], ['1', 'rising'], ['-1', 'falling']], settings.monotone?.[column.name] === undefined ? '' : String(settings.monotone[column.name])) : null));
  });
  const costs = session.classes ? session.classes.map((truth) => h('tr', null, h('th', {scope: 'row'}, truth), session.classes.map((answer) => h('td', null, truth === answer ? '0' : input(`cost/${truth}/${answer}`, settings.costs?.[truth]?.[answer], {inputmode: 'decimal', size: 4, placeholder: '1'}))))) : null;
  const limits = session.limits.map((one) => row(one.replaceAll('_', ' '), input(`limit/${one}`, settings.limits?.[one], {inputmode: 'decimal'})));

  /** What differs from the settings now. */
  function changed() {
    const value = new Map(fields.map(([key, field]) => [key, field.value.trim()]));
    const touched = new Set(fields.filter(([key, field, now]) => field.value.trim() !== String(now)).map(([key]) => key));
    const any = (/** @type {string} */ what) => [...touched].some((key) => key.startsWith(`${what}/`));
    const all = (/** @type {string} */ what, /** @type {(text: string) => any} */ read) => Object.fromEntries([...value].filter(([key, text]) => key.startsWith(`${what}/`) && text !== '').map(([key, text]) => [key.slice(what.length + 1), read(text)]));
    /** @type {Record<string, any>} */
    const op = {};
    if (any('kind')) op.kinds = all('kind', (text) => text);
    if (any('price')) op.prices = all('price', Number);
    if (any('monotone')) op.monotone = all('monotone', Number);
    if (any('limit')) op.limits = all('limit', Number);
    if (any('role')) {
      const with_ = (/** @type {string} */ role) => [...value].filter(([key, text]) => key.startsWith('role/') && text === role).map(([key]) => key.slice(5));
      Object.assign(op, {exclude: with_('excluded'), weight: with_('weight')[0] ?? null, counts: with_('counts')[0] ?? null});
      const target = with_('target').find((one) => one !== settings.target) ?? settings.target;
      if (target !== settings.target) op.target = target;
    }
    if (any('cost')) {
      op.costs = Object.fromEntries(session.classes.map((truth) => [truth, Object.fromEntries(session.classes.map((answer) => [answer, truth === answer ? 0 : Number(value.get(`cost/${truth}/${answer}`) || 1)]))]));
    }
    for (const key of ['recipe', 'criterion', 'selection', 'split', 'missing', 'leaf']) if (touched.has(key)) op[key] = value.get(key) || null;
    if (touched.has('held out')) op.held_out = Number(value.get('held out')) / 100;
    if (touched.has('seed')) op.seed = Number(value.get('seed'));
    return op;
  }

  const dialog = showDialog('Settings', [
    h('div', {class: 'setting-grid'},
      row('recipe', select('recipe', [['', 'none'], ...session.recipes.map((one) => [one, one])], settings.recipe)), row('criterion', slot('criterion')), row('selection', slot('selection')), row('split', slot('split')), row('gaps', slot('missing')), row('leaf', slot('leaf')),
      row('held out, %', input('held out', Math.round(100 * settings.held_out), {inputmode: 'decimal'})), row('seed', input('seed', settings.seed, {inputmode: 'numeric'}))),
    h('details', null, h('summary', null, 'Limits of growth'), h('div', {class: 'setting-grid'}, limits)),
    h('h3', null, 'Columns'), h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Columns'}, h('table', {class: 'settings-columns'}, h('thead', null, h('tr', null, ['column', 'values', 'kind', 'role', 'price', 'direction'].map((words) => h('th', {scope: 'col'}, words)))), h('tbody', null, roles))),
    costs ? h('details', null, h('summary', null, 'Costs: what an answer costs (across) by the true class (down)'), h('table', null, h('thead', null, h('tr', null, h('th', {scope: 'col'}, 'true'), session.classes.map((one) => h('th', {scope: 'col'}, one)))), h('tbody', null, costs))) : null,
  ], [['Apply', async () => {
    const op = changed();
    if (Object.keys(op).length) await bench.act({op: 'settings', ...op});
  }]]);
  dialog.querySelector('tr.chosen')?.scrollIntoView({block: 'center'});
}
