// The state of the view of classes: what the page begins with, and what a link may bring.
import { MOST_CLASSES } from "./glyphs.js";

/** What the page shows first: two learners at a step that pulls one prototype and pushes two. */
export const CLASSES_START = {
  made: { kind: "wheel", size: 45, classes: 3, noise: 0.1, seed: 14 },
  panels: [
    { learner: "mira", options: {} },
    { learner: "perceptron", options: {} },
  ],
  order: "given",
  epochs: 2,
  seed: 0,
  label: 0,
  names: /** @type {string[]} */ ([]),
  t: 7,
};

/**
 * A state from a link, without what this view cannot hold.
 * @param {any} given
 * @param {(name: string) => void} wrong
 */
export function soundClasses(given, wrong) {
  /** @type {any} */ const first = { points: undefined, ...structuredClone(CLASSES_START) };
  const out = { ...first, ...(Object.keys(given).length ? { t: null } : {}), ...given };
  const object = (/** @type {any} */ v) => typeof v === "object" && v !== null && !Array.isArray(v);
  const isClass = (/** @type {any} */ v) => Number.isInteger(v) && v >= 0 && v < MOST_CLASSES;
  /** @type {Record<string, (v: any) => boolean>} */ const fits = {
    points: (v) =>
      v === undefined ||
      (Array.isArray(v) &&
        v.every(
          (p) => Array.isArray(p) && p.length === 3 && p.every((x) => Math.abs(x) <= 1e6) && isClass(p[2]),
        )),
    panels: (v) =>
      Array.isArray(v) &&
      v.length > 0 &&
      v.every((p) => object(p) && typeof p.learner === "string" && object(p.options ?? {})),
    made: (v) => v === undefined || object(v),
    names: (v) => Array.isArray(v) && v.length <= MOST_CLASSES && v.every((name) => typeof name === "string"),
    epochs: Number.isInteger,
    label: isClass,
    t: (v) => v === null || Number.isInteger(v),
  };
  for (const [name, fit] of Object.entries(fits))
    if (!fit(out[name])) {
      wrong(name);
      out[name] = first[name];
    }
  out.panels = out.panels.map((/** @type {any} */ p) => ({ ...p, options: p.options ?? {} }));
  return out;
}
