/** Zooming and moving a drawing: wheel, dragging, pinching, and by calls. */

/** @typedef {ReturnType<typeof zoomable>} Zoom */

const LEAST = 0.05, MOST = 3;

/** @param {SVGElement} element what is dragged on @param {(t: Transform) => void} changed */
export function zoomable(element, changed) {
  /** @type {Transform} */
  let at = {x: 0, y: 0, k: 1};
  /** @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map();
  let moved = 0;
  let touched = false; // by a person, since it was last set by a call
  let point = {x: 0, y: 0}; // that stayed when it was last zoomed

  /** @param {Transform} to */
  function set(to) {
    at = {x: to.x, y: to.y, k: Math.min(MOST, Math.max(LEAST, to.k))};
    changed(at);
  }

  /** @type {(factor: number, x?: number, y?: number) => void} x: the point that stays, in pixels of the element; its middle without */
  function zoomBy(factor, x = element.clientWidth / 2, y = element.clientHeight / 2) {
    const k = Math.min(MOST, Math.max(LEAST, at.k * factor));
    const ratio = k / at.k;
    point = {x, y};
    touched = true;
    set({x: x - (x - at.x) * ratio, y: y - (y - at.y) * ratio, k});
  }

  /** @param {PointerEvent | WheelEvent} event */
  function place(event) {
    const box = element.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  element.addEventListener('wheel', (event) => {
    // where the page or what is around it scrolls, the wheel alone scrolls, and zooms with Ctrl
    const scrolls = document.body.dataset.mode === 'notebook' || document.documentElement.scrollHeight > innerHeight + 1;
    if (scrolls && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const {x, y} = place(event);
    const lines = event.deltaMode === 1 ? 30 : 1;
    touched = true;
    if (event.shiftKey && !event.ctrlKey) set({...at, x: at.x - (event.deltaX || event.deltaY) * lines});
    else zoomBy(Math.exp(-Math.max(-80, Math.min(80, event.deltaY * lines)) * (event.ctrlKey ? 0.008 : 0.0025)), x, y);
  }, {passive: false});

  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    moved = 0;
    fingers.set(event.pointerId, place(event));
  });
  element.addEventListener('pointermove', (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (moved > 4 && !element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    fingers.set(event.pointerId, now);
    if (others.length) {
      const ratio = Math.hypot(now.x - others[0].x, now.y - others[0].y) / Math.hypot(before.x - others[0].x, before.y - others[0].y);
      zoomBy(ratio || 1, (now.x + others[0].x) / 2, (now.y + others[0].y) / 2);
    } else if (moved > 4) {
      touched = true;
      set({...at, x: at.x + now.x - before.x, y: at.y + now.y - before.y});
    }
  });
  element.addEventListener('pointerup', (event) => fingers.delete(event.pointerId));
  element.addEventListener('pointercancel', (event) => fingers.delete(event.pointerId));

  return {
    get: () => at,
    set,
    point: () => point,
    touched: () => touched,
    touch() {
      touched = true;
    },
    /** @param {Transform} to all of the tree, until a person looks elsewhere */
    fit(to) {
      touched = false;
      set(to);
    },
    zoomBy,
    /** @param {number} dx @param {number} dy */
    panBy: (dx, dy) => set({...at, x: at.x + dx, y: at.y + dy}),
    /** Whether the press that just ended moved the drawing, so that it is no click. */
    dragged: () => moved > 4,
  };
}
