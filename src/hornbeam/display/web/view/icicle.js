/** The icicle: the whole tree at a glance. Width is records, colour is the prediction, its strength the purity. */

import {fit, h, onResize, put, s, widthOf} from '../dom.js';
import {toneOf} from '../colour.js';
import {isLeaf, pathTo, reveal} from '../model.js';

const SIZE = 10.5;

/** @type {Panel} */
export function icicle(model, store) {
  const svg = s('svg.icicle', {role: 'img', 'aria-label': 'Overview of the whole tree: width is records, colour is the prediction'});
  const crumbs = h('nav.crumbs', {'aria-label': 'What the overview starts from'});
  const element = h('section.overview', h('h2', 'Overview ', h('small', 'width = records, colour = answer')), crumbs, svg);

  function draw() {
    const {focus, step, selected, path} = store.get();
    const wide = svg.clientWidth, tall = svg.clientHeight;
    if (!wide || !tall) return;
    /** @type {{id: number, x: number, w: number, level: number}[]} */
    const shown = [];
    const todo = [{id: focus, x: 0, w: wide, level: 0}];
    let levels = 1;
    for (let next = todo.pop(); next; next = todo.pop()) {
      if (next.w < 0.4) continue;
      shown.push(next);
      levels = Math.max(levels, next.level + 1);
      if (isLeaf(model, next.id, step)) continue;
      const total = model.nodes[next.id].children.reduce((sum, child) => sum + model.nodes[child].fact.n, 0) || 1;
      let x = next.x;
      for (const child of model.nodes[next.id].children) {
        const w = (next.w * model.nodes[child].fact.n) / total;
        todo.push({id: child, x, w, level: next.level + 1});
        x += w;
      }
    }
    svg.setAttribute('viewBox', `0 0 ${wide} ${tall}`);
    const row = Math.max(3, Math.min(26, tall / levels));
    put(svg, shown.map(({id, x, w, level}) => {
      const {fact} = model.nodes[id];
      const leaf = isLeaf(model, id, step), {classes: names} = model.doc;
      const words = !leaf ? fact.question : names && widthOf(fact.verdict, SIZE) > w - 8 ? names[fact.label] : fact.verdict;
      const classes = `${id === selected ? 'selected ' : ''}${path?.has(id) ? 'onpath ' : ''}`;
      return s('g', {class: classes, transform: `translate(${x} ${level * row})`, onclick: () => reveal(model, store, id), ondblclick: () => zoomTo(id)},
        s('title', `#${id} ${fact.say}`),
        s('rect', {width: Math.max(w - 0.6, 0.4), height: row - 0.6, style: {fill: toneOf(model.doc, fact)}}),
        w > 34 && row >= 12 ? s('text', {x: 4, y: row / 2 + 3.6, 'font-size': SIZE}, fit(words, w - 8, SIZE)) : null);
    }));
    put(crumbs, focus === 0 ? null : pathTo(model, focus).map((id) =>
      h('button', {onclick: () => zoomTo(id), 'aria-current': id === focus ? 'true' : null}, id === 0 ? 'all' : model.nodes[id].fact.branch)));
  }

  /** @param {number} id */
  function zoomTo(id) {
    store.set({focus: isLeaf(model, id, store.get().step) ? Math.max(0, model.nodes[id].parent) : id});
  }

  store.on(['focus', 'step', 'selected', 'path', 'version'], draw);
  onResize(svg, store.signal, draw);
  return element;
}
