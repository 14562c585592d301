/** The tree as an indented list: the same facts for printing and for screen readers. */

import {count, h} from '../dom.js';

const MOST = 1500;

/** @param {Model} model @param {number[]} ids the nodes of the tree, in reading order */
export function outline(model, ids) {
  const there = new Set(ids);
  const root = h('ul');
  /** @type {HTMLElement[]} */
  const lists = [root];
  for (const id of ids.slice(0, MOST)) {
    const {fact, depth} = model.nodes[id];
    const shown = there.has(model.nodes[id].children[0]);
    const item = h('li', null,
      fact.branch === undefined ? null : h('span.branch', `${fact.branch}${fact.gaps ? ` ${fact.gaps}` : ''} `),
      h('b', shown ? `${fact.question}?` : `→ ${fact.verdict}`),
      h('span.soft', ` ${shown ? `${fact.verdict} · ` : ''}n=${count(fact.n)}${fact.wrong !== undefined && model.doc.quality.length ? ` · ${count(fact.wrong)} wrong` : ''} · #${id}`));
    lists[depth].append(item);
    if (shown) {
      lists[depth + 1] = h('ul');
      item.append(lists[depth + 1]);
    }
  }
  return h('section.outline', h('h2', 'Outline'), root,
    ids.length > MOST ? h('p', `${count(ids.length - MOST)} further nodes are not listed.`) : null);
}
