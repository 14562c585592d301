import {test} from 'node:test';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {layout} from '../../../../src/hornbeam/display/web/layout.js';

const fixtures = JSON.parse(readFileSync(new URL('../layout_fixtures.json', import.meta.url), 'utf8'));

for (const {name, nodes, gap, level_gap: levelGap, orientation, ...wanted} of fixtures) {
  test(`boxes stand where Python puts them: ${name}`, () => {
    assert.deepEqual(layout(nodes, gap, levelGap, orientation), wanted);
  });
}

test('a deep chain is placed in linear time', () => {
  const n = 20000;
  const nodes = Array.from({length: n}, (_, k) => [10, 4, k + 1 < n ? [k + 1] : []]);
  assert.equal(layout(nodes, 1, 1, 'down').width, 10);
});
