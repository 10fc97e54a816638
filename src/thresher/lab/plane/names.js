// Names along lines, each where it covers neither a point nor a line nor another name.
import { setAll } from "../page/dom.js";
import { SIZE } from "../page/geometry.js";
import { crosses } from "../page/places.js";

const [LONG, HIGH, SHORTEST] = [52, 13, 130]; // of a name, about; of a line that can have one
const POINT = 8; // half of one
const PLACES = [0.06, 0.94, 0.2, 0.8, 0.34, 0.66]; // along a line

/** @typedef {{at: [number, number], ends: number[][]}} Taken */

/**
 * @param {[text: any, ends: number[][] | null, lifts: number[]][]} names  so many units above their lines
 * @param {[number, number][]} points
 * @param {number[][][]} lines  that names are not to cover
 * @returns {[number, number][]}  the middles of those that are shown
 */
export function nameLines(names, points, lines) {
  /** @type {Taken[]} */ const taken = [];
  for (const [text, ends, lifts] of names) {
    const place = ends && placeOn(ends, lifts, points, taken, lines);
    setAll(text, { display: place ? "inline" : "none" });
    if (!place) continue;
    taken.push({ at: place.at, ends });
    setAll(text, {
      transform: `translate(${place.at[0].toFixed(1)} ${place.at[1].toFixed(1)}) rotate(${place.angle.toFixed(1)})`,
      y: 4,
      "text-anchor": "middle",
    });
  }
  return taken.map((one) => one.at);
}

/**
 * The middle of a name: the first place that is free, or the first that only a line goes through.
 * @param {number[][]} ends
 * @param {number[]} lifts
 * @param {[number, number][]} points
 * @param {Taken[]} taken
 * @param {number[][][]} lines
 */
function placeOn(ends, lifts, points, taken, lines) {
  const [from, to] = ends[0][0] <= ends[1][0] ? ends : [ends[1], ends[0]]; // read from left to right
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const long = Math.hypot(dx, dy);
  if (long < SHORTEST) return null;
  const [ux, uy] = [dx / long, dy / long];
  /** @type {{at: [number, number], angle: number} | null} */ let crossed = null;
  for (const lift of lifts)
    for (const share of PLACES) {
      const up = lift - 4;
      const along = Math.min(long - 34, Math.max(34, share * long));
      /** @type {[number, number]} */ const at = [
        from[0] + along * ux - up * uy,
        from[1] + along * uy + up * ux,
      ];
      const turned = (/** @type {number[]} */ [x, y]) => [
        (x - at[0]) * ux + (y - at[1]) * uy,
        (y - at[1]) * ux - (x - at[0]) * uy,
      ];
      const covers = (/** @type {[number, number]} */ point) => {
        const [x, y] = turned(point);
        return Math.abs(x) < LONG / 2 + POINT && Math.abs(y) < HIGH / 2 + POINT;
      };
      const meets = (/** @type {Taken} */ one) =>
        Math.hypot(one.at[0] - at[0], one.at[1] - at[1]) < (one.ends === ends ? HIGH : LONG);
      const [wide, tall] = [
        Math.abs(ux) * LONG + Math.abs(uy) * HIGH,
        Math.abs(uy) * LONG + Math.abs(ux) * HIGH,
      ];
      const inside =
        Math.min(at[0], SIZE - at[0]) >= wide / 2 - 2 && Math.min(at[1], SIZE - at[1]) >= tall / 2 - 2;
      if (!inside || taken.some(meets) || points.some(covers)) continue;
      const place = { at, angle: (Math.atan2(dy, dx) * 180) / Math.PI };
      const box = { left: -LONG / 2, right: LONG / 2, top: -HIGH / 2, bottom: HIGH / 2 };
      if (!lines.some((line) => line !== ends && crosses(line.map(turned), box))) return place;
      crossed ??= place;
    }
  return crossed;
}
