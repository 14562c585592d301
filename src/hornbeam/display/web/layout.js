/**
 * Where the boxes of a tree go: a tidy drawing with boxes of any size, in linear time. The twin of
 * hornbeam/display/drawing/layout.py, which has the definition; tests/display/web/layout_fixtures.json holds the two together.
 */

/** @typedef {[number, number, number[]]} Box width, height, children */
/** @typedef {{items: number[], shift: number}} Contour deepest level first, all moved by `shift` */

/** @param {Box[]} nodes node 0 is the root, children have larger numbers than their parent @param {number} gap least distance between neighbours on one level @param {number} levelGap distance from the largest box of a level to the next level @param {string} orientation "down" or "right": where the children of a node are */
export function layout(nodes, gap, levelGap, orientation) {
  const down = orientation === 'down';
  const across = nodes.map((node) => (down ? node[0] : node[1]));
  const along = nodes.map((node) => (down ? node[1] : node[0]));
  const children = nodes.map((node) => node[2]);
  const {start, length} = alongOf(along, children, levelGap);
  const offset = offsetsOf(across, children, gap);
  const centre = nodes.map(() => 0);
  children.forEach((below, node) => {
    for (const child of below) centre[child] = centre[node] + offset[child];
  });
  let corner = centre.map((middle, k) => middle - across[k] / 2);
  const least = corner.reduce((a, b) => Math.min(a, b));
  corner = corner.map((value) => value - least);
  const breadth = corner.map((value, k) => value + across[k]).reduce((a, b) => Math.max(a, b));
  return down
    ? {x: corner, y: start, width: breadth, height: length}
    : {x: start, y: corner, width: length, height: breadth};
}

/** @param {number[]} along @param {number[][]} children @param {number} levelGap */
function alongOf(along, children, levelGap) {
  const depth = along.map(() => 0);
  children.forEach((below, node) => {
    for (const child of below) depth[child] = depth[node] + 1;
  });
  /** @type {number[]} */
  const largest = [];
  along.forEach((extent, node) => {
    largest[depth[node]] = Math.max(largest[depth[node]] ?? 0, extent);
  });
  const starts = [0];
  for (const extent of largest.slice(0, -1)) starts.push(starts[starts.length - 1] + extent + levelGap);
  return {start: depth.map((d) => starts[d]), length: starts[starts.length - 1] + largest[largest.length - 1]};
}

/** @type {(across: number[], children: number[][], gap: number) => number[]} */
function offsetsOf(across, children, gap) {
  const offset = across.map(() => 0);
  /** @type {[Contour, Contour][]} */
  const sides = [];
  for (let node = across.length - 1; node >= 0; node--) {
    const half = across[node] / 2;
    const below = children[node];
    if (below.length === 0) {
      sides[node] = [{items: [-half], shift: 0}, {items: [half], shift: 0}];
      continue;
    }
    const {place, left, right} = sideBySide(below.map((child) => sides[child]), gap);
    const centre = (place[0] + place[place.length - 1]) / 2;
    below.forEach((child, k) => {
      offset[child] = place[k] - centre;
    });
    left.shift -= centre;
    right.shift -= centre;
    left.items.push(-half - left.shift);
    right.items.push(half - right.shift);
    sides[node] = [left, right];
  }
  return offset;
}

/** @param {Contour} contour @param {number} level counted from the top */
function at(contour, level) {
  return contour.items[contour.items.length - 1 - level] + contour.shift;
}

/** @type {(lower: Contour, cover: Contour) => Contour} The contour `lower` with `cover` over the levels it has; the longer list is written over, not copied. */
function under(lower, cover) {
  if (cover.items.length >= lower.items.length) return cover;
  const change = cover.shift - lower.shift;
  const start = lower.items.length - cover.items.length;
  cover.items.forEach((item, k) => {
    lower.items[start + k] = item + change;
  });
  return lower;
}

/** @param {[Contour, Contour][]} subtrees @param {number} gap */
function sideBySide(subtrees, gap) {
  let [left, right] = subtrees[0];
  const place = subtrees.map(() => 0);
  const slope = subtrees.map(() => 0);
  const drop = subtrees.map(() => 0);
  const owners = [[0, right.items.length]];
  for (let i = 1; i < subtrees.length; i++) {
    const [ownLeft, ownRight] = subtrees[i];
    const levels = ownLeft.items.length;
    let p = at(right, 0) + gap - at(ownLeft, 0);
    let top = owners.length - 1;
    for (let level = 1; level < Math.min(right.items.length, levels); level++) {
      const need = at(right, level) + gap - at(ownLeft, level);
      if (!(need > p)) continue;
      const d = need - p;
      p = need;
      while (owners[top][1] <= level) top--;
      const j = owners[top][0];
      if (i - j > 1) {
        const share = d / (i - j);
        slope[j + 1] += share;
        slope[i] -= share;
        drop[i] += (i - j - 1) * share;
      }
    }
    place[i] = p;
    ownLeft.shift += p;
    ownRight.shift += p;
    left = under(ownLeft, left);
    right = under(right, ownRight);
    while (owners.length && owners[owners.length - 1][1] <= levels) owners.pop();
    owners.push([i, levels]);
  }
  let run = 0, rise = 0;
  for (let i = 0; i < place.length; i++) {
    rise += slope[i];
    run += rise - drop[i];
    place[i] += run;
  }
  return {place, left, right};
}
