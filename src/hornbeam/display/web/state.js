/** The state of the viewer: a few named values, and the functions to call when one of them changes. */

/**
 * @typedef {object} State
 * @property {number} selected the node the inspector shows
 * @property {Set<number>} folded nodes whose branches are hidden
 * @property {number} step the step of the pruning path that is shown
 * @property {number | null} preview the step the slider is dragged to
 * @property {string} query the text searched for
 * @property {string} orientation "down" or "right"
 * @property {string} view the panel that is shown
 * @property {Set<number> | null} path the nodes a what-if row passes
 * @property {number} focus the node the icicle starts from
 * @property {string} said what was done last, for screen readers
 */

/** @typedef {ReturnType<typeof createStore>} Store */

/** @param {State} state */
export function createStore(state) {
  /** @type {{keys: (keyof State)[], hear: () => void}[]} */
  const listeners = [];
  /** @type {Set<keyof State>} */
  const changed = new Set();

  function tell() {
    const keys = new Set(changed);
    changed.clear();
    for (const listener of listeners) if (listener.keys.some((key) => keys.has(key))) listener.hear();
  }

  return {
    /** @returns {Readonly<State>} */
    get: () => state,
    /** @param {Partial<State>} patch listeners are called once for all changes of one turn */
    set(patch) {
      for (const [key, value] of Object.entries(patch)) {
        const name = /** @type {keyof State} */ (key);
        if (state[name] === value) continue;
        if (changed.size === 0) queueMicrotask(tell);
        changed.add(name);
        state = {...state, [name]: value};
      }
    },
    /**
     * @param {(keyof State)[]} keys
     * @param {() => void} hear called now, and whenever one of the keys has changed
     */
    on(keys, hear) {
      listeners.push({keys, hear});
      hear();
    },
  };
}
