// Questions to Python and their answers, over the messages of an anywidget model.

/**
 * @typedef {(question: string, about?: any) => Promise<any>} Ask
 * @typedef {{get: (name: string) => any, set: (name: string, value: any) => void, save_changes: () => void,
 *   on: (event: string, f: (...args: any[]) => void) => void, off: (event: string, f?: (...args: any[]) => void) => void,
 *   send: (message: any) => void}} Model
 */

// Two views of one model hear each other's answers, and one may come after its view has gone: no two
// questions have the same number, wherever they are asked.
let lastQuestion = Math.floor(Math.random() * 2 ** 40);

/** @param {Model} model @returns {Ask} */
export function asker(model) {
  /** @type {Map<number, [(answer: any) => void, (error: Error) => void]>} */
  const waiting = new Map();
  model.on("msg:custom", (message) => {
    const who = waiting.get(message?.id);
    if (!who) return;
    waiting.delete(message.id);
    if ("error" in message) who[1](new Error(message.error));
    else who[0](message.answer);
  });
  return (ask, about = {}) => new Promise((resolve, reject) => {
    const id = ++lastQuestion;
    waiting.set(id, [resolve, reject]);
    model.send({ id, ask, with: about });
  });
}

/**
 * Many calls while one is under way become one more call, with the last arguments.
 * @template T
 * @param {(...args: any[]) => Promise<T>} f
 * @param {(answer: T, ...args: any[]) => void} then
 * @param {(error: Error) => void} failed
 */
export function latest(f, then, failed) {
  let busy = false;
  /** @type {any[] | null} */ let next = null;
  const go = async (/** @type {any[]} */ ...args) => {
    if (busy) { next = args; return; }
    busy = true;
    try {
      const answer = await f(...args);
      if (!next) then(answer, ...args);
    } catch (error) {
      if (!next) failed(/** @type {Error} */ (error));
    }
    busy = false;
    if (next) { const again = next; next = null; go(...again); }
  };
  return go;
}
