/**
 * The tree: cards and branches that can be moved, zoomed, folded and followed with the keyboard.
 *
 * One idea: arranging and painting are apart. Arranging decides which nodes are there and where, when nodes are
 * folded, the size of the tree changes, or the zoom passes from cards to lines to dots, which take less and less room;
 * painting fills what is in sight, as often as needed.
 */

import {put, s, set} from '../dom.js';
import {isLeaf} from '../model.js';
import {zoomable} from '../zoom.js';
import {card, line} from './cards.js';
import {areFew, dot, namedDots} from './dots.js';
import {joins} from './joins.js';
import {mark} from './marks.js';
import {LEVELS, plan} from './plan.js';

/** @typedef {ReturnType<typeof treeView>} TreeView */

const LARGE = 500; // nodes
const PAPER = 0.4; // the zoom from which whole cards are printed

/** @param {Model} model @param {Store} store @param {number} [root] where the tree begins */
export function treeView(model, store, root = 0) {
  const edges = s('g.edges', {'aria-hidden': 'true'});
  const labels = s('g.labels', {'aria-hidden': 'true'});
  const cards = s('g', {role: 'none'});
  const knobs = s('g.knobs', {'aria-hidden': 'true'});
  const world = s('g', {role: 'none'}, edges, cards, labels, knobs);
  const svg = s('svg.tree', {role: 'tree', 'aria-label': `Decision tree, ${model.doc.size.leaves} leaves`}, world);
  const zoom = zoomable(svg, () => {
    relevel();
    schedule();
  });
  /** @type {Map<number, Drawn>} */
  const placed = new Map();
  let extent = {width: 1, height: 1};
  let waiting = false;
  let drawn = ''; // what the branches were drawn for
  let paper = 0; // the largest zoom at which all of the tree is printed; 0 on the screen
  let anchor = -1; // the node that stays where it is when the tree is arranged again
  /** @type {Level} */
  let level = 'full';
  let lineWide = 0; // how wide lines are; 0: as narrow as they may be
  let ids = model.ids; // of the model that was arranged last
  let gone = false; // whether cards are still drawn whose nodes the model has no more

  function schedule() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      paint();
    });
  }

  /** Give the cards the numbers that their nodes have in another document. */
  function renumber() {
    if (ids === model.ids) return;
    const number = new Map(model.ids.map((identity, id) => [identity, id]));
    const before = [...placed], old = ids;
    placed.clear();
    for (const [id, one] of before) {
      const now = number.get(old[id]);
      if (now === undefined) {
        gone = true;
        continue;
      }
      placed.set(now, one);
      set(one.element, {'data-node': now, id: `node-${now}`});
    }
    anchor = store.get().selected;
    ids = model.ids;
  }

  function arrange() {
    renumber();
    const before = placed.get(anchor)?.box;
    const {shown, looks, boxes, ...places} = plan(model, {...store.get(), root}, level, lineWide || undefined);
    extent = {width: places.width, height: places.height};
    const old = new Map(placed);
    placed.clear();
    shown.forEach((id, k) => {
      const box = {x: places.x[k], y: places.y[k], w: boxes[k][0], h: boxes[k][1]};
      const element = old.get(id)?.element ?? item(id);
      placed.set(id, {box, look: looks[k], element, drawn: ''});
      dress(id, element, looks[k], box);
    });
    if (![...old.keys()].every((id, k) => id === shown[k]) || old.size !== shown.length || gone) {
      gone = false;
      const focused = document.activeElement, inside = cards.contains(focused);
      put(cards, shown.map((id) => placed.get(id)?.element));
      if (inside && focused instanceof SVGElement) (cards.contains(focused) ? focused : placed.get(store.get().selected)?.element)?.focus();
    }
    drawn = '';
    const now = placed.get(anchor)?.box;
    const {x, y, k} = zoom.get();
    if (before && now) zoom.set({x: x + (before.x - now.x) * k, y: y + (before.y - now.y) * k, k});
    marks();
    schedule();
  }

  /** Cards, lines or dots: whatever the zoom has room for; what is pointed at stays where it is. */
  function relevel() {
    const {x, y, k} = zoom.get();
    const next = k < LEVELS[level].least ? (level === 'full' ? 'line' : 'dot') : k > LEVELS[level].most ? (level === 'dot' ? 'line' : 'full') : level;
    if (next === level || paper) return;
    const point = zoom.point();
    let nearest = 0, least = Infinity;
    for (const [id, {box}] of placed) {
      const far = Math.hypot((box.x + box.w / 2) * k + x - point.x, (box.y + box.h / 2) * k + y - point.y);
      if (far < least) [nearest, least] = [id, far];
    }
    const from = placed.get(nearest)?.box;
    const to = k < LEVELS[level].least ? 1 : LEVELS[next].from;
    level = next;
    anchor = -1;
    arrange();
    const box = placed.get(nearest)?.box;
    if (from && box) zoom.set({x: (from.x + from.w / 2) * k + x - (box.x + box.w / 2) * to, y: (from.y + from.h / 2) * k + y - (box.y + box.h / 2) * to, k: to});
  }

  /** @param {number} id */
  function item(id) {
    const element = s('g', {role: 'treeitem', class: 'node', 'data-node': id, id: `node-${id}`, tabindex: -1});
    element.addEventListener('click', () => {
      if (!zoom.dragged()) select(Number(element.getAttribute('data-node')));
    });
    element.addEventListener('dblclick', () => toggle(Number(element.getAttribute('data-node'))));
    return element;
  }

  /** @type {(id: number, element: SVGElement, look: Look, box: Box) => void} */
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
    const step = level === 'dot' ? 1.1 ** Math.round(Math.log(k) / Math.log(1.1)) : 1;
    svg.setAttribute('data-level', level);
    const [wide, tall] = [svg.clientWidth || 900, svg.clientHeight || 600];
    const near = (/** @type {Box} */ box, margin = 150) => paper > 0 || (box.x * k + x < wide + margin && (box.x + box.w) * k + x > -margin
      && box.y * k + y < tall + margin && (box.y + box.h) * k + y > -margin);
    // the branches of a large tree are drawn only near what is in sight, and again when it has moved on
    const place = placed.size > LARGE ? `${Math.round(x / 200)} ${Math.round(y / 200)}` : '';
    if (drawn !== `${level}${step}${place}`) {
      drawn = `${level}${step}${place}`;
      const how = {down: store.get().orientation === 'down', level, near: (/** @type {Box} */ box) => !place || near(box, 350)};
      const joined = joins(model, placed, how, toggle);
      put(edges, joined.lines);
      put(labels, joined.words);
      put(knobs, joined.knobs);
      marks();
    }
    const named = level === 'dot' ? namedDots(model, placed, step) : new Set(), few = areFew(placed);
    for (const [id, one] of placed) {
      const {box, look} = one;
      const inside = near(box), node = model.nodes[id];
      const wanted = inside ? `${level}${step}${box.w}${look.leaf}${look.folded}${node.fact.say}` : 'away';
      if (one.drawn === wanted) continue;
      one.drawn = wanted;
      if (!inside) put(one.element, s('rect.card', {width: box.w, height: box.h, rx: 7}));
      else put(one.element, s('title', node.fact.say), level === 'full' ? card(model, node, look) : level === 'line' ? line(model, node, look, box.w) : dot(model, id, look, {k: step, named, box, few}));
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
    zoom.touch();
    const next = new Set(folded);
    const opened = next.delete(id);
    if (!opened) next.add(id);
    store.set({folded: next, said: `${model.nodes[id].fact.question} ${opened ? 'unfolded' : 'folded'}`});
  }

  function onPaper() {
    return Math.min(paper, 1030 / extent.width, (paper < 1 || extent.height > 560 ? 560 : 390) / extent.height); // 390: rules fit below
  }

  /** @param {number} most show all of the tree at once, as large as a page allows but no larger; 0: as before */
  function print(most) {
    const before = zoom.get();
    paper = most;
    level = 'full';
    arrange();
    if (most && onPaper() < PAPER) {
      level = 'line';
      arrange();
    }
    if (!most) zoom.set(before);
    paint();
    const tall = Math.ceil(extent.height * onPaper());
    set(svg, {viewBox: most ? `-4 -4 ${Math.ceil(extent.width * onPaper()) + 8} ${tall + 8}` : null}); // a narrow page, as in a notebook, shows it smaller
    return {full: level === 'full', tall};
  }

  /** @type {(next: Level, wide?: number) => void} cards, lines of some width, or dots */
  function setLevel(next, wide = 0) {
    level = next;
    lineWide = wide;
    anchor = -1;
    arrange();
  }

  return {svg, zoom, placed, arrange, print, setLevel, level: () => level, mark: marks, select, toggle, extent: () => extent, size: () => [svg.clientWidth, svg.clientHeight]};
}
