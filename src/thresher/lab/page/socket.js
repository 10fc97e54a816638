// The page's counterpart of a notebook's model: the same few methods, over a WebSocket that reconnects.
import { valuesOf } from "./values.js";

/** @typedef {import("./asking.js").Model} Model */

/**
 * @param {string} address
 * @param {Record<string, any>} values
 * @returns {Model & {onstatus: (connected: boolean) => void}}
 */
export function socketModel(address, values) {
  /** @type {WebSocket | null} */ let socket = null;
  let delay = 250;
  const { emit, ...held } = valuesOf(values);
  /** @type {Map<number, string>} */ const unanswered = new Map();

  const model = {
    onstatus: (/** @type {boolean} */ _) => {},
    ...held,
    send: (/** @type {any} */ message) => {
      const text = JSON.stringify(message);
      if ("stop" in message) unanswered.delete(message.stop);
      else unanswered.set(message.id, text);
      for (const [oldest] of unanswered) {
        if (unanswered.size > 50) unanswered.delete(oldest);
        else break;
      }
      if (socket?.readyState === WebSocket.OPEN) socket.send(text);
    },
  };

  function connect() {
    socket = new WebSocket(address);
    socket.onopen = () => {
      delay = 250;
      model.onstatus(true);
      for (const text of unanswered.values()) socket?.send(text);
    };
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      unanswered.delete(message.id);
      emit("msg:custom", message);
    };
    socket.onclose = () => {
      model.onstatus(false);
      setTimeout(connect, delay);
      delay = Math.min(delay * 1.6, 4000);
    };
  }
  connect();
  return model;
}
