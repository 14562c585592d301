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
 * @property {number} version how often another document was given
 * @property {string} said what was done last, for screen readers
 */

/**
 * @typedef {object} Store
 * @property {() => Readonly<State>} get
 * @property {(patch: Partial<State>) => void} set
 * @property {(keys: (keyof State)[], hear: () => void) => () => void} on
 * @property {AbortSignal} signal
 * @property {() => void} end
 * @property {() => Store} part
 */

/**
 * @param {State} state
 * @returns {Store}
 */
export function createStore(state) {
  /** @type {{keys: (keyof State)[], hear: () => void}[]} */
  let listeners = [];
  const ended = new AbortController();
  /** @type {Set<keyof State>} */
  const changed = new Set();

  function tell() {
    const keys = new Set(changed);
    changed.clear();
    for (const listener of [...listeners]) if (listener.keys.some((key) => keys.has(key))) listener.hear();
  }

  /** @type {Store} */
  const store = {
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
     * @returns {() => void} to stop listening
     */
    on(keys, hear) {
      const listener = {keys, hear};
      listeners.push(listener);
      hear();
      return () => {
        listeners = listeners.filter((one) => one !== listener);
      };
    },
    /** Aborted when the viewer goes: what listens outside of it stops then. */
    signal: ended.signal,
    end() {
      listeners = [];
      ended.abort();
    },
    /** The same store for a part of the viewer that goes before all of it does: its listeners go with it. */
    part() {
      const stopped = new AbortController();
      /** @type {(() => void)[]} */
      const offs = [];
      ended.signal.addEventListener('abort', () => stopped.abort(), {signal: stopped.signal});
      return {...store, signal: stopped.signal,
        on(/** @type {(keyof State)[]} */ keys, /** @type {() => void} */ hear) {
          offs.push(store.on(keys, hear));
          return offs[offs.length - 1];
        },
        end() {
          offs.forEach((off) => off());
          stopped.abort();
        }};
    },
  };
  return store;
}
