// The state of the plane: what the page begins with, and what a link may bring.

/** What the page shows first: two learners in the middle of a run, one of them just wrong. */
export const PLANE_START = {
  made: { kind: "separable", size: 40, gamma: 0.08, noise: 0.1, seed: 7 },
  panels: [
    { learner: "perceptron", options: {} },
    { learner: "pa", options: {} },
  ],
  order: "given",
  epochs: 2,
  seed: 0,
  label: 1,
  mean: true,
  fade: false,
  exact: false,
  tab: "words",
  t: 43,
};

/**
 * A state from a link, without what no view of the plane can hold.
 * @param {any} given
 * @param {(name: string) => void} wrong
 */
export function sound(given, wrong) {
  /** @type {any} */ const first = { points: undefined, ...structuredClone(PLANE_START) };
  const out = { ...first, ...(Object.keys(given).length ? { t: null } : {}), ...given };
  const object = (/** @type {any} */ v) => typeof v === "object" && v !== null && !Array.isArray(v);
  /** @type {Record<string, (v: any) => boolean>} */ const fits = {
    points: (v) =>
      v === undefined ||
      (Array.isArray(v) &&
        v.every((p) => Array.isArray(p) && p.length === 3 && p.every((x) => Math.abs(x) <= 1e6))),
    panels: (v) =>
      Array.isArray(v) &&
      v.every((p) => object(p) && typeof p.learner === "string" && object(p.options ?? {})),
    made: (v) => v === undefined || object(v),
    epochs: Number.isInteger,
    label: (v) => v === 1 || v === -1,
    mean: (v) => typeof v === "boolean",
    fade: (v) => typeof v === "boolean",
    exact: (v) => typeof v === "boolean",
    tab: (v) => typeof v === "string",
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
