// One learner of several classes: regions, boundaries, a prototype for each class, and its last move.
import { axesOf } from "../page/axes.js";
import { s, setAll, short } from "../page/dom.js";
import { SIZE, levelLine, toPixels } from "../page/geometry.js";
import { LayeredDrawing } from "../page/layers.js";
import { Places, around } from "../page/places.js";
import { glyph } from "./glyphs.js";

/** @typedef {import("../page/geometry.js").Window} Window */
/** @typedef {Record<string, number[]>} Prototypes  of the classes met so far: w1, w2 and b */

const CENTRE = [SIZE / 2, SIZE / 2];
const FEW_LINES = 5; // classes up to which all pairwise boundaries are drawn to their ends

export class ClassesDrawing extends LayeredDrawing {
  /** @param {string} label @param {boolean} [picture]  whether its points stay where they are */
  constructor(label, picture = false) {
    super(label, picture);
    this.regions = s("g");
    this.lines = s("g");
    this.ring = s("circle", { class: "ring", r: 15 });
    this.ringName = s("text", { class: "ring-name" });
    this.arrows = s("g");
    this.under.append(this.regions, this.grid, this.lines);
    this.over.append(this.ring, this.arrows, this.ringName);
    /** @type {any} */ this.trace = null;
    /** @type {number[][]} */ this.data = [];
    /** @type {number[]} */ this.sequence = [];
    this.reach = 1;
    /** @type {[number, number][]} */ this.places = []; // of the points, in pixels
  }

  /** @param {number[][]} data @param {Window} window */
  setPoints(data, window) {
    this.data = data;
    this.window = window;
    this.grid.replaceChildren(...axesOf(window));
    this.places = data.map(([x, y]) => toPixels(window, x, y));
    const scale = data.length > 250 ? 0.5 : data.length > 90 ? 0.75 : 1;
    this.dots.replaceChildren(
      ...data.map(([, , c], i) => {
        const [px, py] = this.places[i];
        const transform = `translate(${px.toFixed(1)} ${py.toFixed(1)}) scale(${scale})`;
        return s("g", { class: `class-point point c${c}`, transform }, ...glyph(c));
      }),
    );
  }

  /** @param {any} trace @param {number[]} sequence */
  setTrace(trace, sequence) {
    this.trace = trace;
    this.sequence = sequence;
    /** @type {Prototypes[]} */ const all = trace.moves?.W ?? [];
    const longest = Math.max(
      1e-12,
      ...all.flatMap((W) => Object.values(W).map((w) => Math.hypot(w[0], w[1]))),
    );
    this.reach = (0.38 * SIZE) / longest;
  }

  /** Where the last change up to step t stands in the list of changes. @param {number} t */
  changeAt(t) {
    const at = this.trace?.moves?.at ?? [];
    let [low, high] = [0, at.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (at[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** @param {number} t */
  show(t) {
    const moves = this.trace?.error ? null : this.trace?.moves;
    const k = this.changeAt(t);
    /** @type {Prototypes} */ const W = moves ? moves.W[k] : {};
    this.drawRegions(W);
    const fresh = moves && t > 0 && moves.at[k] === t;
    const places = this.drawArrows(W, fresh ? moves.from[k] : {}, fresh ? moves.tau[k] : {});
    this.showExample(t, places);
  }

  /** @param {Prototypes} W */
  drawRegions(W) {
    const classes = Object.keys(W);
    const { left, right, bottom, top } = this.window;
    /** @type {Node[]} */ const shapes = [];
    /** @type {Node[]} */ const lines = [];
    for (const c of classes) {
      let corners = [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
      ];
      for (const other of classes) if (other !== c) corners = kept(corners, minus(W[c], W[other]));
      if (corners.length < 3) continue;
      const pixels = corners.map(([x, y]) => toPixels(this.window, x, y));
      const points = pixels.map((p) => p.map((v) => v.toFixed(1)).join()).join(" ");
      shapes.push(s("polygon", { class: `region c${c}`, points, "data-class": c }));
      const [mx, my] = [0, 1].map((i) => pixels.reduce((sum, p) => sum + p[i], 0) / pixels.length);
      shapes.push(
        s("text", { class: `region-name c${c}`, x: mx, y: my + 16, "text-anchor": "middle" }, Number(c) + 1),
      );
    }
    classes.forEach((r, i) => {
      for (const q of classes.slice(i + 1)) {
        const ends = levelLine(this.window, minus(W[r], W[q]));
        if (!ends) continue;
        if (classes.length > 2 && classes.length <= FEW_LINES) lines.push(segment(ends, "pairwise"));
        const inner = this.highest(ends, r, classes, W);
        if (inner) lines.push(segment(inner, "boundary"));
      }
    });
    this.regions.replaceChildren(...shapes);
    this.lines.replaceChildren(...lines);
  }

  /**
   * The part of a boundary of class r where no other class scores higher.
   * @param {number[][]} ends @param {string} r @param {string[]} classes @param {Prototypes} W
   */
  highest([from, to], r, classes, W) {
    const { left, right, top, bottom } = this.window;
    const score = (/** @type {number[]} */ w, /** @type {number[]} */ [px, py]) =>
      w[0] * (left + (px / SIZE) * (right - left)) + w[1] * (top - (py / SIZE) * (top - bottom)) + w[2];
    let [low, high] = [0, 1];
    for (const c of classes) {
      const w = minus(W[r], W[c]);
      const [a, b] = [score(w, from), score(w, to)];
      const room = 1e-9 * (Math.abs(w[0]) + Math.abs(w[1]) + Math.abs(w[2]));
      if (Math.abs(a) <= room && Math.abs(b) <= room) continue; // the class itself, or its rival
      if (a < -room && b < -room) return null;
      const zero = a / (a - b);
      if (a < -room) low = Math.max(low, zero);
      if (b < -room) high = Math.min(high, zero);
    }
    const at = (/** @type {number} */ part) => [
      from[0] + part * (to[0] - from[0]),
      from[1] + part * (to[1] - from[1]),
    ];
    return low < high ? [at(low), at(high)] : null;
  }

  /** @param {Prototypes} W @param {Prototypes} from  of those that moved @param {Record<string, number>} tau */
  drawArrows(W, from, tau) {
    const tip = (/** @type {number[]} */ w) => [CENTRE[0] + w[0] * this.reach, CENTRE[1] - w[1] * this.reach];
    /** @type {Node[]} */ const out = [];
    const places = new Places(this.places);
    places.lines = Object.values(W).map((w) => [CENTRE, tip(w)]);
    const write = (
      /** @type {string} */ name,
      /** @type {number[]} */ [x, y],
      /** @type {string} */ text,
      /** @type {number} */ size,
      /** @type {import("../page/places.js").Spot[]} */ ...first
    ) => {
      const spots = [
        ...first,
        ...around(x, y, 8, size),
        ...around(x, y, 18, size),
        ...around(x, y, 30, size),
      ];
      out.push(s("text", { class: name, ...places.take(text, size, spots) }, text));
    };
    for (const [c, w] of Object.entries(W)) {
      if (!w[0] && !w[1]) continue;
      out.push(...arrow(CENTRE, tip(w), `prototype c${c}`));
      const length = Math.hypot(w[0], w[1]);
      const [x, y] = tip(w.map((part) => part + (part * 12) / (length * this.reach))); // beyond its head
      const name = `w${"₁₂₃₄₅₆₇₈"[Number(c)]}`;
      write(`prototype-name c${c}`, [x, y], name, 15, { x, y: y + 5, anchor: w[0] < 0 ? "end" : "start" });
    }
    for (const [c, before] of Object.entries(from)) {
      const [a, b] = [tip(before), tip(W[c])];
      out.push(...arrow(a, b, `pull c${c}`));
      const sign = tau[c] > 0 ? "+" : "";
      write(`tau c${c}`, [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], `${sign}${short(tau[c])}·x`, 12);
    }
    this.arrows.replaceChildren(...out);
    return places;
  }

  /** @param {number} t @param {Places} places  that are left for its name */
  showExample(t, places) {
    const point = t ? this.data[this.sequence[t - 1]] : null;
    this.ring.setAttribute("display", point ? "inline" : "none");
    this.ringName.textContent = "";
    if (!point) return;
    const [cx, cy] = toPixels(this.window, point[0], point[1]);
    const wrong = !this.trace?.error && this.trace?.mistake[t - 1];
    setAll(this.ring, { cx: cx.toFixed(1), cy: cy.toFixed(1), class: `ring ${wrong ? "wrong" : "right"}` });
    const said = this.trace?.error ? "" : wrong ? "mistake" : "right";
    this.ringName.textContent = said;
    if (said) setAll(this.ringName, places.take(said, 12, around(cx, cy, 19, 12)));
  }
}

/** @param {number[]} a @param {number[]} b */
const minus = (a, b) => a.map((v, i) => v - b[i]);

/** The part of a convex shape where w1·x + w2·y + b ≥ 0. @param {number[][]} corners @param {number[]} w */
function kept(corners, w) {
  const score = (/** @type {number[]} */ p) => w[0] * p[0] + w[1] * p[1] + w[2];
  /** @type {number[][]} */ const out = [];
  corners.forEach((p, i) => {
    const q = corners[(i + 1) % corners.length];
    const [a, b] = [score(p), score(q)];
    if (a >= 0) out.push(p);
    if (a >= 0 !== b >= 0) {
      const part = a / (a - b);
      out.push([p[0] + part * (q[0] - p[0]), p[1] + part * (q[1] - p[1])]);
    }
  });
  return out;
}

/** @param {number[][]} ends @param {string} name */
function segment([a, b], name) {
  return s("line", {
    class: name,
    x1: a[0].toFixed(1),
    y1: a[1].toFixed(1),
    x2: b[0].toFixed(1),
    y2: b[1].toFixed(1),
  });
}

/** A line with a tip of its own colour. @param {number[]} from @param {number[]} to @param {string} name */
function arrow(from, to, name) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const long = Math.hypot(dx, dy);
  if (long < 0.5) return [];
  const [ux, uy] = [dx / long, dy / long];
  const head = Math.min(9, long);
  const [bx, by] = [to[0] - head * ux, to[1] - head * uy];
  const side = 0.45 * head;
  const d = `M${to[0]} ${to[1]}L${bx - side * uy} ${by + side * ux}L${bx + side * uy} ${by - side * ux}Z`;
  return [segment([from, [bx, by]], name), s("path", { class: `${name} head`, d })];
}
