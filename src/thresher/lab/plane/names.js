// Names along lines, each where it covers neither a point nor another name.
import { setAll } from "../page/dom.js";

const [LONG, HIGH, SHORTEST] = [52, 13, 130]; // of a name, about; of a line that can have one
const POINT = 8; // half of one
const PLACES = [0.06, 0.94, 0.2, 0.8, 0.34, 0.66]; // along a line

/** @typedef {{at: [number, number], ends: number[][]}} Taken */

/**
 * @param {[text: any, ends: number[][] | null, lift: number][]} names  so many units above their lines
 * @param {[number, number][]} points
 */
export function nameLines(names, points) {
  /** @type {Taken[]} */ const taken = [];
  for (const [text, ends, lift] of names) {
    const place = ends && placeOn(ends, lift, points, taken);
    text.setAttribute("display", place ? "inline" : "none");
    if (!place) continue;
    taken.push({ at: place.at, ends });
    setAll(text, {
      transform: `translate(${place.at[0].toFixed(1)} ${place.at[1].toFixed(1)}) rotate(${place.angle.toFixed(1)})`,
      y: 4,
      "text-anchor": "middle",
    });
  }
}

/**
 * The middle of a name: the first place that is free.
 * @param {number[][]} ends
 * @param {number} lift
 * @param {[number, number][]} points
 * @param {Taken[]} taken
 */
function placeOn(ends, lift, points, taken) {
  const [from, to] = ends[0][0] <= ends[1][0] ? ends : [ends[1], ends[0]]; // read from left to right
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const long = Math.hypot(dx, dy);
  if (long < SHORTEST) return null;
  const [ux, uy] = [dx / long, dy / long];
  const up = lift - 4;
  for (const share of PLACES) {
    const along = Math.min(long - 34, Math.max(34, share * long));
    /** @type {[number, number]} */ const at = [
      from[0] + along * ux - up * uy,
      from[1] + along * uy + up * ux,
    ];
    const covers = (/** @type {[number, number]} */ [x, y]) =>
      Math.abs((x - at[0]) * ux + (y - at[1]) * uy) < LONG / 2 + POINT &&
      Math.abs((x - at[0]) * uy - (y - at[1]) * ux) < HIGH / 2 + POINT;
    const meets = (/** @type {Taken} */ one) =>
      Math.hypot(one.at[0] - at[0], one.at[1] - at[1]) < (one.ends === ends ? HIGH : LONG);
    if (taken.some(meets) || points.some(covers)) continue;
    return { at, angle: (Math.atan2(dy, dx) * 180) / Math.PI };
  }
  return null;
}
