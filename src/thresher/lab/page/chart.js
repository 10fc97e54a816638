// Lines over time: counts or errors, on a plain or a logarithmic axis, with bounds as dashed lines.
import { renew, s, short } from "./dom.js";
import { crosses, overlap } from "./places.js";

/** @import { Box } from "./places.js" */

const [W, H, LEFT, RIGHT, TOP, BOTTOM] = [440, 270, 52, 12, 24, 44];
const EM = 15; // units of a drawing for the size of the text around it
const LETTER = 7.2; // width of a letter of a label, about
const LINE = 16; // height of one
const NAMES = 0.44; // of the width at most are for the names of curves
const PARTS = [0, 1, 0.5, 0.25, 0.75, 0.1, 0.9, 0.375, 0.625, 0.15, 0.85]; // of the axis, where a bound may have its name
const ALONE = 0.25; // for a name or two at most: they find room above their curves

/**
 * @typedef {{class: string, label: string, brief?: string, points: [number, number][], whole?: boolean}} Series
 *   brief: a name for little room; whole: a mark, not a curve: it has no value to read
 * @typedef {{class: string, label: string, brief?: string, value: number}} Level
 * @typedef {{class: string, low: [number, number][], high: [number, number][]}} Area  between two curves
 * @typedef {object} Axes
 * @property {number} xMax
 * @property {number} [xMin]
 * @property {number} yMax
 * @property {number} [yMin]
 * @property {boolean} [log]
 * @property {boolean} [xLog]
 * @property {number[]} [xTicks]  numbers below it, if not round ones
 * @property {boolean} [percent]
 * @property {string} [xName]
 * @property {string} [yName]
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
      onpointermove: (/** @type {PointerEvent} */ event) => this.read(event),
      onpointerleave: () => this.reading.replaceChildren(),
    });
    this.frame = s("g");
    this.lines = s("g");
    this.reading = s("g", { class: "reading", "aria-hidden": "true" });
    this.el.append(this.frame, this.lines, this.reading);
    this.scale = "";
    this.right = width - RIGHT;
    this.ratio = height / width;
    this.fit = new ResizeObserver(() => this.fitted());
    this.fit.observe(this.el);
    this.back = (/** @type {number} */ px) => px;
    this.up = (/** @type {number} */ py) => py;
    /** @type {any} */ this.shown = null;
  }

  /** Letters keep the size that they have around the chart, whatever room it has. */
  fitted() {
    const style = getComputedStyle(this.el);
    const unit = parseFloat(style.fontSize) / EM;
    const wide = this.el.getBoundingClientRect().width / unit;
    if (!wide) return;
    const width = Math.round(Math.max(200, wide));
    const most = parseFloat(style.maxHeight) / unit || Infinity;
    const ratio = Number(style.getPropertyValue("--ratio")) || this.ratio;
    const height = Math.round(Math.min(width * ratio, most));
    if (this.width === width && this.height === height) return;
    [this.width, this.height] = [width, height];
    this.el.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.scale = "";
    if (this.shown) this.draw(this.shown.axes, this.shown.series, this.shown.levels, this.shown.areas);
  }

  /**
   * @param {Axes} axes
   * @param {Series[]} series
   * @param {Level[]} levels
   * @param {Area[]} areas
   */
  draw(axes, series, levels = [], areas = []) {
    const { xMax, xMin = 1, yMax, yMin = 0, log = false, xLog = false } = axes;
    const { width, height } = this;
    const low = log ? Math.log10(Math.max(yMin, 1e-12)) : yMin;
    const high = log ? Math.log10(Math.max(yMax, 1e-12)) : yMax;
    const lines = series.filter((line) => line.label && !line.whole);
    let texts = lines.map((line) => shortened(line.label));
    const room = () => 12 + Math.max(...texts.map((text) => text.length)) * LETTER;
    if (lines.length && room() > NAMES * width)
      texts = lines.map((line) => shortened(line.brief ?? line.label));
    const beside = lines.length > 2 || room() <= ALONE * width;
    const right = lines.length && beside ? Math.max(RIGHT, Math.min(NAMES * width, room())) : RIGHT;
    this.right = width - right; // where the axis ends; beyond it are the names of curves that reach it
    const wide = this.right - LEFT;
    const span = Math.max(Math.log(xMax / xMin), 1e-12);
    const x = (/** @type {number} */ v) =>
      LEFT + wide * (xLog ? Math.log(Math.max(v, xMin) / xMin) / span : v / Math.max(xMax, 1));
    this.back = (/** @type {number} */ px) =>
      xLog ? xMin * Math.exp(((px - LEFT) / wide) * span) : ((px - LEFT) / wide) * Math.max(xMax, 1);
    const y = (/** @type {number} */ v) => {
      const at = log ? Math.log10(Math.max(v, 10 ** low)) : v;
      return height - BOTTOM - ((height - TOP - BOTTOM) * (at - low)) / Math.max(high - low, 1e-12);
    };
    const scale = [right, xMax, xMin, low, high, log, xLog, axes.percent, axes.xName, axes.yName].join();
    if (scale !== this.scale) {
      this.scale = scale;
      this.drawFrame(x, y, { ...axes, low, high, log, xLog, xMin });
    }
    this.shown = { axes, series, levels, areas, x, y };
    this.up = (/** @type {number} */ py) => {
      const at = low + ((height - BOTTOM - py) * (high - low)) / (height - TOP - BOTTOM);
      return log ? 10 ** at : at;
    };
    const known = levels.filter((level) => level.value > 0);
    /** @type {Element[]} */ const out = known.map(({ class: name, value }) =>
      s("line", { class: `level ${name}`, x1: LEFT, x2: this.right, y1: y(value), y2: y(value) }),
    );
    for (const { class: name, low: under, high: over } of areas) {
      const around = [...under, ...[...over].reverse()].map(
        ([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`,
      );
      out.push(s("polygon", { class: `area ${name}`, points: around.join(" ") }));
    }
    for (const { class: name, points } of series) {
      let d = "";
      for (const [px, py] of points) d += `${d ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`;
      out.push(s("path", { class: `line ${name}`, d }));
      const end = points[points.length - 1];
      if (end) out.push(s("circle", { class: `dot ${name}`, cx: x(end[0]), cy: y(end[1]), r: 3.5 }));
    }
    const ended = lines
      .map((line, i) => ({ ...line, text: texts[i] }))
      .filter((line) => line.points.length)
      .map(({ text, ...line }) => {
        const [ex, ey] = line.points[line.points.length - 1];
        const fits = x(ex) + 8 + text.length * LETTER < width;
        return { ...line, text, fits, x: fits ? x(ex) + 8 : width - 4, y: y(ey) + (fits ? 4 : -8) };
      });
    const rows = apart(
      ended.map((line) => line.y),
      TOP,
      height - BOTTOM,
    );
    // Words come last, so that no line goes through them. Names of curves, then of bounds, which cover neither.
    const names = ended.map(({ text, fits, x: at }, i) => {
      const left = fits ? at : at - text.length * LETTER;
      return { left, right: left + text.length * LETTER, top: rows[i] - 11, bottom: rows[i] + 4 };
    });
    const curves = series.map(({ points }) => points.map((p) => [x(p[0]), y(p[1])]));
    const told = known.filter((level) => level.label);
    const roomy = told.every((level) => level.label.length * LETTER < 0.8 * wide);
    const heights = known.map((level) => y(level.value));
    const free = (/** @type {Box} */ box) =>
      box.top >= TOP - 19 &&
      box.bottom <= height - BOTTOM &&
      !names.some((one) => overlap(one, box)) &&
      !curves.some((curve) => passes(curve, box));
    for (const { class: name, label, brief = label, value } of told) {
      const at = this.placed(roomy ? [label, brief] : [brief], y(value), heights, free);
      if (!at) continue; // there is no room for it
      names.push(at.box);
      const { left, right: end, top } = at.box;
      out.push(
        s("rect", { class: "level-room", x: left, y: top.toFixed(1), width: end - left, height: LINE - 2 }),
      );
      const spot = { x: left + 2, y: (top + LINE - 5).toFixed(1) };
      out.push(s("text", { class: `level-label ${name}`, ...spot }, at.text));
    }
    ended.forEach(({ class: name, text, fits, x: at }, i) => {
      const place = { x: at.toFixed(1), y: rows[i].toFixed(1), "text-anchor": fits ? "start" : "end" };
      out.push(s("text", { class: `line-name ${name}`, ...place }, text));
    });
    renew(this.lines, out);
    this.reading.replaceChildren();
  }

  /**
   * A name of a bound: at its line, above it or below, where no other bound is if possible; else short, beside the axis.
   * @param {string[]} texts  the later ones are shorter
   * @param {number} at  the height of the line
   * @param {number[]} heights  of all bounds
   * @param {(box: Box) => boolean} free
   */
  placed(texts, at, heights, free) {
    /** @type {{text: string, box: Box} | null} */ let crossed = null; // by another bound
    const box = (/** @type {number} */ left, /** @type {number} */ base, /** @type {string} */ text) => ({
      left,
      right: left + text.length * LETTER + 4,
      top: base - LINE + 5,
      bottom: base + 3,
    });
    for (const text of new Set(texts)) {
      const wide = this.right - LEFT - 12 - text.length * LETTER;
      for (const base of [at - 5, at + 14])
        for (const part of PARTS) {
          const one = { text, box: box(LEFT + 4 + part * Math.max(0, wide), base, text) };
          if (!free(one.box)) continue;
          if (!heights.some((v) => v > one.box.top && v < one.box.bottom)) return one;
          crossed ??= one;
        }
    }
    const text = texts[texts.length - 1];
    for (let away = 0; away < this.height && !crossed; away += 4)
      for (const base of [at + 4 - away, at + 4 + away]) {
        const one = { text, box: box(this.right + 4, base, text) };
        if (!crossed && one.box.right <= this.width && free(one.box)) crossed = one;
      }
    return crossed;
  }

  /** @param {(v: number) => number} x @param {(v: number) => number} y @param {any} axes */
  drawFrame(
    x,
    y,
    { xMax, xMin, low, high, log, xLog, xTicks, percent, xName = "", yName = "", count = short },
  ) {
    const { height } = this;
    /** @type {Node[]} */ const out = [];
    for (const v of log ? decades(low, high) : steps(low, high)) {
      out.push(
        s("line", { class: "grid", x1: LEFT, x2: this.right, y1: y(v), y2: y(v) }),
        s(
          "text",
          { class: "tick-label", x: LEFT - 8, y: y(v) + 4, "text-anchor": "end" },
          percent ? `${short(100 * v)} %` : count(v),
        ),
      );
    }
    const below =
      xTicks ??
      (xLog
        ? decades(Math.log10(xMin), Math.log10(xMax))
        : steps(0, xMax).filter((v) => Number.isInteger(v)));
    const letters = Math.max(...below.map((/** @type {number} */ v) => count(v).length));
    const every = Math.ceil((letters * LETTER + 8) / Math.max(1, x(below[1] ?? xMax) - x(below[0])));
    below.forEach((/** @type {number} */ v, /** @type {number} */ i) => {
      if (i % every) return; // there is no room for it
      out.push(
        s(
          "text",
          { class: "tick-label", x: x(v), y: height - BOTTOM + 17, "text-anchor": "middle" },
          count(v),
        ),
      );
    });
    out.push(
      s("text", { class: "axis-name", x: 2, y: 11 }, yName),
      s("text", { class: "axis-name", x: x(xMax), y: height - 6, "text-anchor": "end" }, xName),
    );
    this.frame.replaceChildren(...out);
  }

  /** What a place of the chart stands for, on both axes. @param {{clientX: number, clientY: number}} event */
  valueAt(event) {
    const box = this.el.getBoundingClientRect();
    return [
      this.back(((event.clientX - box.left) / box.width) * this.width),
      this.up(((event.clientY - box.top) / box.height) * this.height),
    ];
  }

  /** The values under the pointer. @param {PointerEvent} event */
  read(event) {
    if (!this.shown) return;
    const { axes, series, x, y } = this.shown;
    const box = this.el.getBoundingClientRect();
    const px = ((event.clientX - box.left) / box.width) * this.width;
    const at = this.back(px);
    const write = (/** @type {number} */ v) => (axes.percent ? `${short(100 * v)} %` : short(v));
    /** @type {[Series, [number, number]][]} */ const found = series
      .filter((/** @type {Series} */ line) => !line.whole && line.points.length)
      .map((/** @type {Series} */ line) => [line, line.points.filter((p) => p[0] <= at).at(-1)])
      .filter((/** @type {[Series, any]} */ [, point]) => point);
    if (px < LEFT || px > this.right || !found.length) {
      this.reading.replaceChildren();
      return;
    }
    const texts = [
      `${axes.xName || "at"} ${(axes.count ?? short)(Math.round(at))}`,
      ...found.map(([line, point]) => `${shortened(line.label)} ${write(point[1])}`.trim()),
    ];
    const wide = Math.max(...texts.map((text) => text.length)) * LETTER + 14;
    const left = Math.min(px + 10, this.width - wide - 2);
    this.reading.replaceChildren(
      s("line", { class: "reading-line", x1: px, x2: px, y1: TOP, y2: this.height - BOTTOM }),
      ...found.map(([line, point]) =>
        s("circle", { class: `dot ${line.class}`, cx: px, cy: y(point[1]), r: 4 }),
      ),
      s("rect", {
        class: "reading-box",
        x: left,
        y: TOP,
        width: wide,
        height: texts.length * LINE + 8,
        rx: 5,
      }),
      ...texts.map((text, i) =>
        s(
          "text",
          {
            class: i ? `line-name ${found[i - 1][0].class}` : "axis-name",
            x: left + 7,
            y: TOP + 15 + i * LINE,
          },
          text,
        ),
      ),
    );
  }
}

/** Whether a curve goes through a box. @param {number[][]} points @param {Box} box */
function passes(points, box) {
  return points.some((p, k) => crosses([points[Math.max(0, k - 1)], p], box));
}

/** @param {string} label */
const shortened = (label) => (label.length > 17 ? `${label.slice(0, 16)}…` : label);

/**
 * Heights of labels, moved as little as needed so that none covers another.
 * @param {number[]} wanted
 * @param {number} least
 * @param {number} most
 */
export function apart(wanted, least, most) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const out = [...wanted];
  let last = least - LINE;
  for (const i of order) last = out[i] = Math.max(out[i], last + LINE);
  let next = most + LINE;
  for (const i of order.reverse()) next = out[i] = Math.min(out[i], next - LINE);
  return out;
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
  const every = Math.ceil(out.length / 7);
  return out.length >= 2 ? out.filter((_, i) => i % every === 0) : more;
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
