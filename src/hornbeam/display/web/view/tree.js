/**
 * The tree: cards and branches that can be moved, zoomed, folded and followed with the keyboard.
 *
 * One idea: arranging and painting are apart. Arranging decides which nodes are there and where, when nodes are
 * folded or the size of the tree changes; painting fills the cards in sight with as much detail as the zoom allows, as often as
 * needed.
 */

import {put, s, set} from '../dom.js';
import {layout} from '../layout.js';
import {isLeaf, visible} from '../model.js';
import {zoomable} from '../zoom.js';
import {card, dot, line, sizeOf} from './cards.js';
import {labelWidth} from './edges.js';
import {joins} from './joins.js';
import {mark} from './marks.js';

/** @typedef {{box: Box, look: {leaf: boolean, folded: boolean}, element: SVGElement, drawn: string}} Placed */
/** @typedef {ReturnType<typeof treeView>} TreeView */

const FULL = 0.8, LINES = 0.35; // the zooms from which whole cards and lines are shown
const LARGE = 500; // nodes
const PAPER = 0.4; // the zoom from which whole cards are printed

/**
 * @param {Model} model
 * @param {Store} store
 * @param {number} [root] where the tree begins
 */
export function treeView(model, store, root = 0) {
  const edges = s('g', {class: 'edges', 'aria-hidden': 'true'});
  const labels = s('g', {class: 'labels', 'aria-hidden': 'true'});
  const cards = s('g', {role: 'none'});
  const knobs = s('g', {class: 'knobs', 'aria-hidden': 'true'});
  const world = s('g', {role: 'none'}, edges, cards, labels, knobs);
  const svg = s('svg', {class: 'tree', role: 'tree', 'aria-label': `Decision tree, ${model.doc.size.leaves} leaves`}, world);
  const zoom = zoomable(svg, () => schedule());
  /** @type {Map<number, Placed>} */
  const placed = new Map();
  let extent = {width: 1, height: 1};
  let waiting = false;
  let drawn = ''; // the detail that the branches were drawn for
  let paper = 0; // the largest zoom at which all of the tree is printed; 0 on the screen
  let anchor = -1; // the node that stays where it is when the tree is arranged again

  function schedule() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      paint();
    });
  }

  function arrange() {
    const {folded, step, orientation} = store.get();
    const before = placed.get(anchor)?.box;
    const ids = visible(model, folded, step, root);
    const place = new Map(ids.map((id, k) => [id, k]));
    const looks = ids.map((id) => {
      const leaf = isLeaf(model, id, step);
      return {leaf, folded: !leaf && folded.has(id)};
    });
    const down = orientation === 'down';
    const boxes = ids.map((id, k) => {
      const [w, tall] = sizeOf(model, model.nodes[id], looks[k]);
      const open = !looks[k].leaf && !looks[k].folded;
      return /** @type {[number, number, number[]]} */ ([w, tall, open ? model.nodes[id].children.map((child) => place.get(child) ?? 0) : []]);
    });
    const longest = ids.slice(1).reduce((most, id) => Math.max(most, labelWidth(model.nodes[id], 120)), 0);
    const found = layout(boxes, down ? 22 : 10, down ? 58 : longest + 24, orientation);
    extent = {width: found.width, height: found.height};
    const old = new Map(placed);
    placed.clear();
    ids.forEach((id, k) => {
      const box = {x: found.x[k], y: found.y[k], w: boxes[k][0], h: boxes[k][1]};
      const element = old.get(id)?.element ?? item(id);
      placed.set(id, {box, look: looks[k], element, drawn: ''});
      dress(id, element, looks[k], box);
    });
    if (![...old.keys()].every((id, k) => id === ids[k]) || old.size !== ids.length) {
      const focused = document.activeElement;
      put(cards, ids.map((id) => placed.get(id)?.element));
      if (focused instanceof SVGElement && cards.contains(focused)) focused.focus();
    }
    drawn = '';
    const now = placed.get(anchor)?.box;
    const {x, y, k} = zoom.get();
    if (before && now) zoom.set({x: x + (before.x - now.x) * k, y: y + (before.y - now.y) * k, k});
    marks();
    schedule();
  }

  /** @param {number} id */
  function item(id) {
    const element = s('g', {role: 'treeitem', class: 'node', 'data-node': id, id: `node-${id}`, tabindex: -1});
    element.addEventListener('click', () => {
      if (!zoom.dragged()) select(id);
    });
    element.addEventListener('dblclick', () => toggle(id));
    return element;
  }

  /**
   * @param {number} id
   * @param {SVGElement} element
   * @param {{leaf: boolean, folded: boolean}} look
   * @param {Box} box
   */
  function dress(id, element, look, box) {
    const node = model.nodes[id];
    const siblings = node.parent < 0 ? [id] : model.nodes[node.parent].children;
    const more = look.folded ? `, folded, ${node.nodes} nodes below` : look.leaf && node.children.length ? ' (pruned)' : '';
    set(element, {transform: `translate(${box.x} ${box.y})`, 'aria-level': node.depth + 1, 'aria-posinset': siblings.indexOf(id) + 1,
      'aria-setsize': siblings.length, 'aria-label': `${node.fact.say}${more}`, 'aria-expanded': look.leaf ? null : String(!look.folded)});
  }

  /** Fill what is in sight with as much detail as the zoom allows. */
  function paint() {
    const {x, y, k} = paper ? {x: 0, y: 0, k: onPaper()} : zoom.get();
    world.setAttribute('transform', `translate(${x} ${y}) scale(${k})`);
    const level = k >= (paper ? PAPER : FULL) ? 'full' : k >= (paper ? 0.2 : LINES) ? 'line' : 'dot';
    const step = level === 'full' ? 1 : 1.06 ** Math.round(Math.log(k) / Math.log(1.06));
    svg.setAttribute('data-level', level);
    const [wide, tall] = [svg.clientWidth || 900, svg.clientHeight || 600];
    const near = (/** @type {Box} */ box, margin = 150) => paper > 0 || (box.x * k + x < wide + margin && (box.x + box.w) * k + x > -margin
      && box.y * k + y < tall + margin && (box.y + box.h) * k + y > -margin);
    // the branches of a large tree are drawn only near what is in sight, and again when it has moved on
    const place = placed.size > LARGE ? `${Math.round(x / 200)} ${Math.round(y / 200)}` : '';
    if (drawn !== `${level}${step}${place}`) {
      drawn = `${level}${step}${place}`;
      const how = {down: store.get().orientation === 'down', level, k: step, near: (/** @type {Box} */ box) => !place || near(box, 350)};
      const found = joins(model, placed, how, toggle);
      put(edges, found.lines);
      put(labels, found.words);
      put(knobs, found.knobs);
      marks();
    }
    for (const [id, one] of placed) {
      const {box, look} = one;
      const inside = near(box);
      const wanted = inside ? `${level}${step}${look.leaf}${look.folded}` : 'away';
      if (one.drawn === wanted) continue;
      one.drawn = wanted;
      const node = model.nodes[id];
      if (!inside) put(one.element, s('rect', {class: 'card', width: box.w, height: box.h, rx: 7}));
      else put(one.element, s('title', null, node.fact.say), level === 'full' ? card(model, node, look) : level === 'line' ? line(model, node, look, step) : dot(model, node, look, step));
    }
  }

  function marks() {
    mark(model, store.get(), placed, [...edges.children, ...labels.children]);
  }

  /** @param {number} id */
  function select(id) {
    store.set({selected: id});
  }

  /** @param {number} id */
  function toggle(id) {
    const {folded, step} = store.get();
    if (isLeaf(model, id, step)) return;
    anchor = id;
    const next = new Set(folded);
    const opened = next.delete(id);
    if (!opened) next.add(id);
    store.set({folded: next, said: `${model.nodes[id].fact.question} ${opened ? 'unfolded' : 'folded'}`});
  }

  function onPaper() {
    return Math.min(paper, 1030 / extent.width, 560 / extent.height);
  }

  /** @param {number} most show all of the tree at once, as large as a page allows but no larger; 0: as before */
  function print(most) {
    paper = most;
    paint();
    return {full: onPaper() >= PAPER, tall: Math.ceil(extent.height * onPaper())};
  }

  return {svg, zoom, placed, arrange, print, mark: marks, select, toggle, extent: () => extent, size: () => [svg.clientWidth, svg.clientHeight]};
}

