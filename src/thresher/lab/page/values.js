// What a model holds and who listens to it: the few methods that a notebook's model has, without their host.

/** @typedef {import("./asking.js").Listener} Listener */

/** @param {Record<string, any>} values */
export function valuesOf(values) {
  /** @type {Map<string, Set<Listener>>} */
  const listeners = new Map();
  const emit = (/** @type {string} */ event, /** @type {any[]} */ ...args) =>
    listeners.get(event)?.forEach((f) => f(...args));
  return {
    emit,
    get: (/** @type {string} */ name) => values[name],
    set: (/** @type {string} */ name, /** @type {any} */ value) => {
      values[name] = value;
      emit(`change:${name}`);
    },
    save_changes: () => emit("saved"),
    on: (/** @type {string} */ event, /** @type {Listener} */ f) => {
      (listeners.get(event) ?? listeners.set(event, new Set()).get(event))?.add(f);
    },
    off: (/** @type {string} */ event, /** @type {Listener | undefined} */ f = undefined) => {
      if (f) listeners.get(event)?.delete(f);
      else listeners.delete(event);
    },
  };
}
