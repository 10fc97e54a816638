// The state of the landscape: what the page begins with, and what a link may bring.
import { fitting, isMoment, isObject } from "../page/fitting.js";

/** Points to begin with. */
export const MADE = { size: 16, noise: 0.12, seed: 1 };
const LANDSCAPE_START = {
  task: "regress",
  made: MADE,
  loss: "squared",
  eta: 0.6,
  epsilon: 0.1,
  steps: 40,
  subject: "online",
  tab: "words",
  t: 12,
};

/** @param {any} given @param {(name: string) => void} wrong */
export function soundLandscape(given, wrong) {
  const isText = (/** @type {any} */ v) => typeof v === "string";
  return fitting(
    given,
    { points: undefined, ...LANDSCAPE_START },
    {
      task: (v) => v === "regress" || v === "classify",
      points: (v) =>
        v === undefined ||
        (Array.isArray(v) &&
          v.length > 0 &&
          v.every((p) => Array.isArray(p) && p.length === 3 && p.every((x) => Math.abs(x) <= 1e3))),
      made: isObject,
      loss: isText,
      eta: (v) => typeof v === "number" && v > 0,
      epsilon: (v) => typeof v === "number" && v >= 0,
      steps: (v) => Number.isInteger(v) && v >= 1,
      subject: isText,
      tab: isText,
      t: isMoment,
    },
    wrong,
  );
}
