// A step while it is made: the example rings, its perpendicular drops, y·τ·x slides to the tip of w, the line turns.
import { toPixels } from "../page/geometry.js";

/** @import { Window } from "../page/geometry.js" */

const [DROP, SLIDE, TURN] = [0.2, 0.4, 0.7]; // the parts of a step at which these begin
const DROPPED = 0.33;
const SLID = 0.65;

/**
 * What is seen when `part` of a step is made.
 * @typedef {object} StepPicture
 * @property {number[] | null} w  the hypothesis that is drawn, between old and new
 * @property {number} ring  how much larger the ring is than at rest
 * @property {number[][] | null} drop  from the example towards the old line, in pixels
 * @property {[number[], number[]] | null} push  where the change of w begins and ends, as vectors
 * @property {boolean} turning
 */

/**
 * @param {number} part
 * @param {number[] | null} before
 * @param {number[] | null} after
 * @param {number[] | null} point
 * @param {Window} window
 * @returns {StepPicture}
 */
export function stepPicture(part, before, after, point, window) {
  const ring = 1 + 0.9 * (1 - between(part, 0, DROP));
  const moved = before && after && before.some((v, i) => v !== after[i]);
  if (!moved) return { w: after, ring, drop: null, push: null, turning: false };
  const turned = between(part, TURN, 1);
  const w = before.map((v, i) => v + turned * (after[i] - v));
  const slid = between(part, SLIDE, SLID);
  const from = [slid * before[0], slid * before[1]];
  const push = /** @type {[number[], number[]]} */ ([
    from,
    [from[0] + after[0] - before[0], from[1] + after[1] - before[1]],
  ]);
  return {
    w,
    ring,
    drop: part < 1 && point ? dropped(between(part, DROP, DROPPED), before, point, window) : null,
    push: part >= SLIDE ? push : null,
    turning: part > TURN && part < 1,
  };
}

/** How far `part` is from one to the other, from 0 to 1. @param {number} part @param {number} from @param {number} to */
function between(part, from, to) {
  return Math.min(1, Math.max(0, (part - from) / (to - from)));
}

/**
 * @param {number} share
 * @param {number[]} w
 * @param {number[]} point
 * @param {Window} window
 */
function dropped(share, w, [x, y], window) {
  const square = w[0] * w[0] + w[1] * w[1];
  if (!share || !square) return null;
  const far = (share * (w[0] * x + w[1] * y + w[2])) / square;
  return [toPixels(window, x, y), toPixels(window, x - far * w[0], y - far * w[1])];
}
