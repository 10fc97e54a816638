// Places for the words of a drawing: where they cover neither points nor lines nor each other.
import { SIZE } from "./geometry.js";

/**
 * @typedef {{x: number, y: number, anchor?: "start" | "middle" | "end"}} Spot  where a text is on its base line
 * @typedef {{left: number, right: number, top: number, bottom: number}} Box
 */

const LETTER_WIDTH = 0.58; // width of a letter, in sizes of the font, about
const [OUTSIDE, ON_WORDS, ON_POINT, ON_LINE] = [100, 8, 4, 1]; // how bad it is

export class Places {
  /** @param {[number, number][]} points @param {number} radius  of a point */
  constructor(points, radius = 9) {
    this.points = points;
    this.radius = radius;
    /** @type {number[][][]} */ this.lines = [];
    /** @type {Box[]} */ this.taken = [];
  }

  /** Takes the first spot that is free, or else the least bad one. @param {string} text @param {number} size @param {Spot[]} spots */
  take(text, size, spots) {
    let [best, least] = [spots[0], Infinity];
    for (const spot of spots) {
      const cost = this.cost(boxOf(text, size, spot));
      if (cost < least) [best, least] = [spot, cost];
      if (!cost) break;
    }
    this.taken.push(boxOf(text, size, best));
    return { x: best.x.toFixed(1), y: best.y.toFixed(1), "text-anchor": best.anchor ?? "start" };
  }

  /** @param {Box} box */
  cost(box) {
    const inside = box.left >= 0 && box.top >= 0 && box.right <= SIZE && box.bottom <= SIZE;
    let cost = inside ? 0 : OUTSIDE;
    for (const one of this.taken) if (overlap(one, box)) cost += ON_WORDS;
    const r = this.radius;
    for (const [x, y] of this.points)
      if (x > box.left - r && x < box.right + r && y > box.top - r && y < box.bottom + r) cost += ON_POINT;
    for (const line of this.lines) if (crosses(line, box)) cost += ON_LINE;
    return cost;
  }
}

/** @param {string} text @param {number} size @param {Spot} spot @returns {Box} */
function boxOf(text, size, { x, y, anchor = "start" }) {
  const wide = text.length * size * LETTER_WIDTH;
  const left = anchor === "start" ? x : anchor === "end" ? x - wide : x - wide / 2;
  return { left, right: left + wide, top: y - 0.8 * size, bottom: y + 0.2 * size };
}

/** Spots around a point, so far from it. @param {number} x @param {number} y @param {number} far @param {number} size  of the font @returns {Spot[]} */
export function around(x, y, far, size) {
  const [up, down, level] = [y - 0.55 * far, y + 0.55 * far + 0.8 * size, y + 0.35 * size];
  return [
    { x: x + far, y: down },
    { x: x + far, y: up },
    { x: x - far, y: down, anchor: "end" },
    { x: x - far, y: up, anchor: "end" },
    { x: x + far, y: level },
    { x: x - far, y: level, anchor: "end" },
    { x, y: y - far, anchor: "middle" },
    { x, y: y + far + 0.8 * size, anchor: "middle" },
  ];
}

/** @param {Box} a @param {Box} b */
export function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Whether a part of a line is within a box. @param {number[][]} line  its ends @param {Box} box */
export function crosses([[ax, ay], [bx, by]], { left, right, top, bottom }) {
  let [from, to] = [0, 1];
  for (const [start, way, low, high] of [
    [ax, bx - ax, left, right],
    [ay, by - ay, top, bottom],
  ]) {
    if (!way) {
      if (start < low || start > high) return false;
      continue;
    }
    const [a, b] = [(low - start) / way, (high - start) / way];
    from = Math.max(from, Math.min(a, b));
    to = Math.min(to, Math.max(a, b));
  }
  return from < to;
}
