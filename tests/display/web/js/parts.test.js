import {test} from 'node:test';
import assert from 'node:assert/strict';
import {linear, logTicks, logarithmic, ticks} from '../../../../src/hornbeam/display/web/scale.js';
import {read} from '../../../../src/hornbeam/display/web/values.js';
import {createStore} from '../../../../src/hornbeam/display/web/state.js';
import {firstFold, isLeaf, matches, modelOf, moved, pathTo, sizeAt, revealing, visible} from '../../../../src/hornbeam/display/web/model.js';

test('ticks are round numbers inside the range', () => {
  assert.deepEqual(ticks(0, 0.42, 4), [0, 0.2, 0.4]);
  assert.deepEqual(ticks(3, 3, 4), [3]);
  assert.deepEqual(ticks(0, 100, 5), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(logTicks(3, 150), [5, 10, 20, 50, 100]);
});

test('scales map ends to ends, and a range of one value to the middle', () => {
  assert.equal(linear(0, 10, 100, 200)(5), 150);
  assert.equal(linear(3, 3, 100, 200)(3), 150);
  assert.ok(Math.abs(logarithmic(1, 100, 0, 2)(10) - 1) < 1e-12);
});

test('typed values become the numbers of their column', () => {
  assert.equal(read('2.5', ''), 2.5);
  assert.equal(read(' 2,5 ', 'int'), 2.5);
  assert.ok(Number.isNaN(read('', '')));
  assert.equal(read('many', ''), null);
  assert.equal(read('1970-01-02', 'datetime64[us]'), 86400e6);
  assert.equal(read('1970-01-01T01:00:00+01:00', 'datetime64[ns, Europe/Prague]'), 0);
  assert.equal(read('not a day', 'datetime64[us]'), null);
  assert.equal(read('1 day 02:00:00', 'timedelta64[us]'), 93600e6);
  assert.equal(read('-00:00:01', 'timedelta64[us]'), -1e6);
  assert.equal(read('12:30:00', 'time64[us]'), 45000e6);
});

test('listeners hear once of all changes of a turn, and not of what stays the same', async () => {
  const store = createStore({selected: 0, step: 0});
  let heard = 0;
  store.on(['selected', 'step'], () => heard++);
  store.set({selected: 3});
  store.set({step: 2, selected: 4});
  store.set({selected: 4});
  assert.equal(heard, 1); // at once, when listening begins
  await null;
  assert.equal(heard, 2);
  assert.deepEqual(store.get(), {selected: 4, step: 2});
});

function made() {
  const fact = (n, words) => ({n, verdict: words, question: words, rule: []});
  return modelOf({
    nodes: [fact(10, 'age'), fact(7, 'sex'), fact(3, 'no'), fact(5, 'yes'), fact(2, 'no')],
    tree: {nodes: {first_child: [1, 3, -1, -1, -1], n_children: [2, 2, 0, 0, 0]}},
    pruning: {strength: [0.5, 0.1, null, null, null], alpha: [null, 0.1, 0.5]},
  });
}

test('a tree knows its reading order, what is below a node and the way to it', () => {
  const model = made();
  assert.deepEqual(model.order, [0, 1, 3, 4, 2]);
  assert.deepEqual([model.nodes[0].nodes, model.nodes[0].leaves], [4, 3]);
  assert.deepEqual(pathTo(model, 4), [0, 1, 4]);
});

test('folds and pruning hide what is below, and only that', () => {
  const model = made();
  assert.deepEqual(visible(model, new Set(), 0), [0, 1, 3, 4, 2]);
  assert.deepEqual(visible(model, new Set([1]), 0), [0, 1, 2]);
  assert.deepEqual(visible(model, new Set(), 1), [0, 1, 2]);
  assert.deepEqual(visible(model, new Set(), 2), [0]);
  assert.equal(isLeaf(model, 1, 0), false);
  assert.deepEqual(firstFold(model, 3), new Set([1]));
  assert.deepEqual(revealing(model, new Set([1]), 4), new Set());
  const folded = new Set([1]);
  assert.equal(revealing(model, folded, 2), folded);
});

test('a search finds nodes by their words', () => {
  const model = made();
  assert.deepEqual(matches(model, ' SEX '), [1]);
  assert.deepEqual(matches(model, '  '), []);
  assert.deepEqual(matches(model, '#4'), [4]);
  assert.deepEqual(matches(model, 'n >= 5'), [0, 1, 3]);
  assert.deepEqual(matches(model, 'n<3'), [4]);
  assert.deepEqual(matches(model, 'wrong>0'), []);
});

test('another document keeps what is selected and folded, by identity', () => {
  const before = modelOf({...made().doc, ids: [0, 1, 2, 3, 4]});
  const fact = (n, words) => ({n, verdict: words, question: words, rule: []});
  const after = modelOf({nodes: [fact(10, 'age'), fact(7, 'no'), fact(3, 'pay'), fact(2, 'a'), fact(1, 'b')],
    tree: {nodes: {first_child: [1, -1, 3, -1, -1], n_children: [2, 0, 2, 0, 0]}}, ids: [0, 1, 2, 7, 8]});
  const remembered = new Set();
  const state = {selected: 3, folded: new Set([1]), focus: 1, path: new Set([0, 2]), version: 4};
  const patch = moved(state, before, after, remembered);
  assert.equal(patch.selected, 1); // its own node is gone: the nearest above
  assert.deepEqual([...patch.folded], []); // a leaf is not folded ...
  assert.deepEqual([...patch.path], [0, 2]);
  assert.equal(patch.version, 5);
  const back = moved({...state, ...patch}, after, before, remembered);
  assert.deepEqual([...back.folded], []);
});

test('the size of a tree follows the pruning path', () => {
  assert.deepEqual(sizeAt(made(), 0), {nodes: 5, leaves: 3, depth: 2});
  assert.deepEqual(sizeAt(made(), 1), {nodes: 3, leaves: 2, depth: 1});
});

test('listeners of a part go with it', async () => {
  const store = createStore({selected: 0});
  const part = store.part();
  let heard = 0;
  part.on(['selected'], () => heard++);
  part.end();
  store.set({selected: 1});
  await null;
  assert.equal(heard, 1);
  assert.ok(part.signal.aborted && !store.signal.aborted);
});
