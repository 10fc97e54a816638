// Lines over time: counts or errors, on a plain or a logarithmic axis, with bounds as dashed lines.
import { s, short } from "./dom.js";

const [W, H, LEFT, RIGHT, TOP, BOTTOM] = [440, 250, 52, 12, 14, 28];

/**
 * @typedef {{class: string, label: string, points: [number, number][]}} Series
 * @typedef {{class: string, label: string, value: number}} Level
 * @typedef {object} Axes
 * @property {number} xMax
 * @property {number} [xMin]
 * @property {number} yMax
 * @property {number} [yMin]
 * @property {boolean} [log]
 * @property {boolean} [xLog]
 * @property {boolean} [percent]
 * @property {(v: number) => string} [count]  writes numbers
 */

export class Chart {
  /** @param {string} label  for screen readers @param {number} width @param {number} height */
  constructor(label, width = W, height = H) {
    this.width = width;
    this.height = height;
    this.el = s("svg", {
      class: "chart",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": label,
    });
    this.frame = s("g");
    this.lines = s("g");
    this.el.append(this.frame, this.lines);
    this.scale = "";
  }

  /**
   * Another shape: in a small space, letters keep their size.
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    if (this.width === width && this.height === height) return;
    this.width = width;
    this.height = height;
    this.el.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.scale = "";
  }

  /**
   * @param {Axes} axes
   * @param {Series[]} series
   * @param {Level[]} levels
   */
  draw(
    { xMax, xMin = 1, yMax, yMin = 0, log = false, xLog = false, percent = false, count = short },
    series,
    levels = [],
  ) {
    const { width, height } = this;
    const low = log ? Math.log10(Math.max(yMin, 1e-12)) : yMin;
    const high = log ? Math.log10(Math.max(yMax, 1e-12)) : yMax;
    const x = (/** @type {number} */ v) =>
      LEFT +
      (width - LEFT - RIGHT) *
        (xLog
          ? Math.log(Math.max(v, xMin) / xMin) / Math.max(Math.log(xMax / xMin), 1e-12)
          : v / Math.max(xMax, 1));
    const y = (/** @type {number} */ v) => {
      const at = log ? Math.log10(Math.max(v, 10 ** low)) : v;
      return height - BOTTOM - ((height - TOP - BOTTOM) * (at - low)) / Math.max(high - low, 1e-12);
    };
    const scale = [xMax, xMin, low, high, log, xLog, percent].join();
    if (scale !== this.scale) {
      this.scale = scale;
      this.drawFrame(x, y, { xMax, xMin, low, high, log, xLog, percent, count });
    }
    /** @type {Node[]} */ const out = [];
    for (const { class: name, label, value } of levels) {
      if (!(value > 0)) continue;
      out.push(
        s("line", { class: `level ${name}`, x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
        s(
          "text",
          { class: `level-label ${name}`, x: width - RIGHT, y: y(value) - 5, "text-anchor": "end" },
          label,
        ),
      );
    }
    for (const { class: name, points } of series) {
      let d = "";
      for (const [px, py] of points) d += `${d ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`;
      out.push(s("path", { class: `line ${name}`, d }));
      const end = points[points.length - 1];
      if (end) out.push(s("circle", { class: `dot ${name}`, cx: x(end[0]), cy: y(end[1]), r: 3.5 }));
    }
    this.lines.replaceChildren(...out);
  }

  /** @param {(v: number) => number} x @param {(v: number) => number} y @param {any} axes */
  drawFrame(x, y, { xMax, xMin, low, high, log, xLog, percent, count }) {
    const { width, height } = this;
    /** @type {Node[]} */ const out = [];
    for (const v of log ? decades(low, high) : steps(low, high)) {
      out.push(
        s("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(v), y2: y(v) }),
        s(
          "text",
          { class: "tick-label", x: LEFT - 8, y: y(v) + 4, "text-anchor": "end" },
          percent ? `${short(100 * v)} %` : count(v),
        ),
      );
    }
    for (const v of xLog
      ? decades(Math.log10(xMin), Math.log10(xMax))
      : steps(0, xMax).filter((v) => Number.isInteger(v))) {
      out.push(s("text", { class: "tick-label", x: x(v), y: height - 8, "text-anchor": "middle" }, count(v)));
    }
    this.frame.replaceChildren(...out);
  }
}

/** @param {number} low @param {number} high */
function decades(low, high) {
  const out = [],
    more = [];
  for (let e = Math.floor(low); e <= high + 1e-9; e++) {
    for (const m of [1, 2, 5]) {
      if (e + Math.log10(m) < low - 1e-9 || e + Math.log10(m) > high + 1e-9) continue;
      more.push(Number((m * 10 ** e).toPrecision(3)));
      if (m === 1) out.push(10 ** e);
    }
  }
  return out.length >= 2 ? out : more;
}

/** Round numbers from low to high. @param {number} low @param {number} high */
export function steps(low, high) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const raw = span / 4,
    power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((m) => m * power >= raw - 1e-12 * power) ?? 10);
  const out = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + 1e-9 * span; v += step)
    out.push(Number(v.toPrecision(12)));
  return out;
}
