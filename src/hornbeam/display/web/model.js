/** The tree of a document as linked nodes, and what follows from its shape. */

import {num} from './predict.js';

/** @param {Doc} doc @returns {Model} */
export function modelOf(doc) {
  const {first_child: first, n_children: count} = doc.tree.nodes;
  /** @type {NodeInfo[]} */
  const nodes = doc.nodes.map((fact, id) => {
    const children = Array.from({length: first[id] >= 0 ? count[id] : 0}, (_, k) => first[id] + k);
    return {id, parent: -1, children, depth: 0, fact, nodes: 0, leaves: 1};
  });
  for (const node of nodes) {
    for (const child of node.children) {
      nodes[child].parent = node.id;
      nodes[child].depth = node.depth + 1;
    }
  }
  for (const node of [...nodes].reverse()) {
    if (!node.children.length) continue;
    node.nodes = node.children.reduce((sum, child) => sum + 1 + nodes[child].nodes, 0);
    node.leaves = node.children.reduce((sum, child) => sum + nodes[child].leaves, 0);
  }
  const order = [];
  const todo = [0];
  for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
    order.push(id);
    todo.push(...[...nodes[id].children].reverse());
  }
  const strength = doc.pruning ? doc.pruning.strength.map(num) : nodes.map(() => NaN);
  doc.marks?.forEach((mark, id) => {
    // where there are many open leaves their dashed outline has to do
    if (mark?.open) Object.assign(nodes[id].fact, {open: true, alone: nodes[0].leaves <= 4});
  });
  return {doc, nodes, order, strength, ids: doc.ids ?? nodes.map((node) => node.id)};
}

/** The state for another document: what is selected, folded and looked at is found again by identity. @param {Readonly<State>} state @param {Model} before @param {Model} after @param {Set<number>} remembered the identities that were folded at any time, which this keeps up to date @returns {Partial<State>} */
export function moved(state, before, after, remembered) {
  before.ids.forEach((identity, id) => (state.folded.has(id) ? remembered.add(identity) : remembered.delete(identity)));
  const number = new Map(after.ids.map((identity, id) => [identity, id]));
  const folded = new Set(after.nodes.filter(({id, children}) => children.length && remembered.has(after.ids[id])).map((node) => node.id));
  /** @param {number} id the node itself, or the nearest above it that is still there */
  const find = (id) => {
    for (let at = id; at >= 0; at = before.nodes[at].parent) {
      const now = number.get(before.ids[at]);
      if (now !== undefined) return now;
    }
    return 0;
  };
  const path = state.path && new Set([...state.path].map((id) => number.get(before.ids[id]) ?? -1));
  return {selected: find(state.selected), focus: find(state.focus), folded, path, step: 0, preview: null, version: state.version + 1};
}

/** How many nodes and leaves the tree has at a step of the pruning path, and how deep it is. @param {Model} model @param {number} step */
export function sizeAt(model, step) {
  const ids = visible(model, new Set(), step);
  return {nodes: ids.length, leaves: ids.filter((id) => isLeaf(model, id, step)).length, depth: ids.reduce((most, id) => Math.max(most, model.nodes[id].depth), 0)};
}

/** @type {(model: Model, id: number, step: number) => boolean} Whether a node is a leaf at a step of the pruning path. */
export function isLeaf(model, id, step) {
  if (!model.nodes[id].children.length) return true;
  return Boolean(model.doc.pruning) && model.strength[id] <= num(model.doc.pruning.alpha[step]);
}

/** The nodes of the tree at a step of the pruning path that are not hidden below a folded node, in reading order. @param {Model} model @param {Set<number>} folded @param {number} step @param {number} [root] where the tree begins */
export function visible(model, folded, step, root = 0) {
  /** @type {number[]} */
  const ids = [];
  const todo = [root];
  for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
    ids.push(id);
    if (!folded.has(id) && !isLeaf(model, id, step)) todo.push(...[...model.nodes[id].children].reverse());
  }
  return ids;
}

/** What is folded at first: nodes are opened, those of most records first, until about `limit` are shown. @param {Model} model @param {number} limit @param {number} [root] @param {number} [levels] how many levels of nodes are shown at most */
export function firstFold(model, limit = 60, root = 0, levels = Infinity) {
  const folded = new Set(model.nodes.filter((node) => node.children.length).map((node) => node.id));
  let shown = 1;
  const last = model.nodes[root].depth + levels - 1;
  const front = folded.has(root) ? [root] : [];
  while (front.length) {
    let best = 0;
    front.forEach((id, k) => {
      if (model.nodes[id].fact.n > model.nodes[front[best]].fact.n) best = k;
    });
    const node = model.nodes[front[best]];
    if (shown > 1 && shown + node.children.length > limit) break;
    folded.delete(node.id);
    front.splice(best, 1);
    front.push(...node.children.filter((child) => model.nodes[child].children.length && model.nodes[child].depth < last));
    shown += node.children.length;
  }
  return folded;
}

/** The nodes from the root to a node. @param {Model} model @param {number} id */
export function pathTo(model, id) {
  const ids = [];
  for (let at = id; at >= 0; at = model.nodes[at].parent) ids.unshift(at);
  return ids;
}

/** @type {(model: Model, folded: Set<number>, id: number) => Set<number>} The folded nodes without those that hide a node. */
export function revealing(model, folded, id) {
  const above = pathTo(model, id).slice(0, -1);
  return above.some((at) => folded.has(at)) ? new Set([...folded].filter((at) => !above.includes(at))) : folded;
}

/** @type {(model: Model, store: Store, id: number) => void} Select a node, and unfold what hides it. */
export function reveal(model, store, id) {
  store.set({selected: id, folded: revealing(model, store.get().folded, id)});
}

/** The tests on the way to a node, in words, with all of their values. @param {Model} model @param {number} id */
export function testsTo(model, id) {
  const {nodes} = model;
  return pathTo(model, id).slice(1).map((at) => `${nodes[nodes[at].parent].fact.question} ${nodes[at].fact.whole ?? nodes[at].fact.branch}`);
}

/** @type {Record<string, (a: number, b: number) => boolean>} */
const SIGNS = {'>=': (a, b) => a >= b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '<': (a, b) => a < b, '=': (a, b) => a === b};

/** The nodes whose words contain a text, in reading order; none for an empty text. `n>=30` and `wrong>5` compare. @param {Model} model @param {string} query */
export function matches(model, query) {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return [];
  const compared = /^(n|wrong) *(>=|<=|>|<|=) *(\d+)$/.exec(wanted);
  if (compared) return model.order.filter((id) => SIGNS[compared[2]](model.nodes[id].fact[compared[1]] ?? NaN, Number(compared[3])));
  return model.order.filter((id) => {
    const {question = '', verdict, branch = '', whole = '', note = '', rule = []} = model.nodes[id].fact;
    return `#${id} ${question} ${branch} ${whole} ${verdict} ${note} ${rule.join(' ')}`.toLowerCase().includes(wanted);
  });
}
