/** The state of the viewer: a few named values, and the functions to call when one of them changes; types.d.ts says more. */

/** @type {(state: State) => Store} */
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
    get: () => state,
    set(patch) {
      for (const [key, value] of Object.entries(patch)) {
        const name = /** @type {keyof State} */ (key);
        if (state[name] === value) continue;
        if (changed.size === 0) queueMicrotask(tell);
        changed.add(name);
        state = {...state, [name]: value};
      }
    },
    on(keys, hear) {
      const listener = {keys, hear};
      listeners.push(listener);
      hear();
      return () => {
        listeners = listeners.filter((one) => one !== listener);
      };
    },
    signal: ended.signal,
    end() {
      listeners = [];
      ended.abort();
    },
    part() {
      const stopped = new AbortController();
      /** @type {(() => void)[]} */
      const offs = [];
      ended.signal.addEventListener('abort', () => stopped.abort(), {signal: stopped.signal});
      return {...store, signal: stopped.signal,
        on(keys, hear) {
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
