// Questions to Python and their answers, over the messages of an anywidget model.

/**
 * @typedef {{close: () => void, waits: () => boolean}} Asking  it ends; whether an answer is still to come
 * @typedef {((question: string, about?: any, signal?: AbortSignal) => Promise<any>) & Asking} Ask
 * @typedef {(...args: any[]) => void} Listener
 * @typedef {object} Model  of a widget, as anywidget gives it
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, f: Listener) => void} on
 * @property {(event: string, f?: Listener) => void} off
 * @property {(message: any) => void} send
 */

// Two views of one model receive each other's answers, and one may arrive after its view has gone: no two
// questions have the same number, wherever they are asked.
let lastQuestion = Math.floor(Math.random() * 2 ** 40);

// Milliseconds after which a question is slow: a newer one stops it.
const SLOW = 1000;
const NOTICED = 400; // milliseconds after which the page says that it is working

/**
 * A question that is abandoned, by its signal or because its asker is closed, is stopped on the other side.
 * @param {Model} model @param {(slow: boolean) => void} [onslow]  whether it takes long now @returns {Ask}
 */
export function asker(model, onslow = () => {}) {
  /** @type {Map<number, [(answer: any) => void, (error: Error) => void]>} */
  const waiting = new Map();
  const heard = (/** @type {any} */ message) => {
    const who = waiting.get(message?.id);
    if (!who) return;
    forget(message.id);
    if ("error" in message)
      who[1](Object.assign(new Error(message.error), { late: message.late, column: message.column }));
    else who[0](message.answer);
  };
  const forget = (/** @type {number} */ id) => {
    waiting.delete(id);
    if (!waiting.size) onslow(false);
  };
  const stop = (/** @type {number} */ id) => {
    if (waiting.has(id)) {
      forget(id);
      model.send({ stop: id });
    }
  };
  model.on("msg:custom", heard);
  return Object.assign(
    (/** @type {string} */ ask, about = {}, /** @type {AbortSignal | undefined} */ signal = undefined) =>
      new Promise((resolve, reject) => {
        const id = ++lastQuestion;
        waiting.set(id, [resolve, reject]);
        model.send({ id, ask, with: about });
        setTimeout(() => {
          if (waiting.has(id)) onslow(true);
        }, NOTICED);
        signal?.addEventListener("abort", () => {
          stop(id);
          reject(signal.reason);
        });
      }),
    {
      waits: () => waiting.size > 0,
      close: () => {
        model.off("msg:custom", heard);
        [...waiting.keys()].forEach(stop);
      },
    },
  );
}

/**
 * Calls while one is in progress become one more call, with the last arguments.
 * @template T
 * @param {(...args: any[]) => Promise<T>} f  its last argument is a signal to give up
 * @param {(answer: T, ...args: any[]) => void} then
 * @param {(error: Error, ...args: any[]) => void} failed
 */
export function latest(f, then, failed) {
  /** @type {AbortController | null} */ let busy = null;
  /** @type {any[] | null} */ let next = null;
  let begun = 0;
  const go = async (/** @type {any[]} */ ...args) => {
    if (busy) {
      const old = busy;
      if (!next) setTimeout(() => old.abort(), Math.max(0, begun + SLOW - performance.now()));
      next = args;
      return;
    }
    busy = new AbortController();
    begun = performance.now();
    try {
      const answer = await f(...args, busy.signal);
      if (!next) then(answer, ...args);
    } catch (error) {
      if (!next) failed(/** @type {Error} */ (error), ...args);
    }
    busy = null;
    if (next) {
      const again = next;
      next = null;
      go(...again);
    }
  };
  return go;
}
