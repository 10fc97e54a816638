// Weights as bars, with the threshold; what was promoted or demoted; literals left; a version space.
import { h, raised, s, setAll, short } from "./dom.js";

const [BL, BR, BT, BB] = [54, 8, 24, 26]; // margins of a drawing
const BAR_EM = 15; // its units for the size of the text around it
const SCALE_ROW = 17; // from one number of the scale to the next, at least
const GLYPHS = 80; // up to this many bars each has a sign

/**
 * A run of a panel as Python gave it, and what its columns are.
 * @typedef {{columns: number, n: number, literals: number[], examples: number[][], labels: number[]}} Stream
 */

/** Weights after each change, from what changed. @param {any} moves @returns {Float64Array[]} */
export function snapshots(moves) {
  const out = [Float64Array.from(moves.start)];
  for (let k = 0; k < moves.at.length; k++) {
    const next = out[k].slice();
    moves.index[k].forEach((/** @type {number} */ i, /** @type {number} */ j) => {
      next[i] = moves.value[k][j];
    });
    out.push(next);
  }
  return out;
}

/** How many of the changes have happened after t steps. @param {number[]} at @param {number} t */
export function changesBy(at, t) {
  let [low, high] = [0, at.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The column of a literal ±i. @param {number} v @param {number} n */
const columnOf = (v, n) => (v > 0 ? v - 1 : n - v - 1);

/** A drawing that fills its place; its letters are as large as those around it. */
class Fitted {
  /** @param {string} label */
  constructor(label) {
    this.wide = 360;
    this.tall = 176;
    this.el = s("svg", { class: "bars", viewBox: "0 0 360 176", role: "img", "aria-label": label });
    /** @type {() => void} */ this.redraw = () => {};
    new ResizeObserver(() => this.fitted()).observe(this.el);
  }

  fitted() {
    const box = this.el.getBoundingClientRect();
    const unit = parseFloat(getComputedStyle(this.el).fontSize) / BAR_EM;
    const wide = Math.max(160, Math.round(box.width / unit));
    const tall = Math.max(90, Math.round(box.height / unit));
    if (!box.width || (wide === this.wide && tall === this.tall)) return;
    this.wide = wide;
    this.tall = tall;
    this.el.setAttribute("viewBox", `0 0 ${wide} ${tall}`);
    this.redraw();
  }

  /** How many numbers a scale has room for. */
  get lines() {
    return Math.max(2, Math.floor((this.tall - BT - BB) / SCALE_ROW));
  }
}

export class BarsDrawing extends Fitted {
  /** @param {string} label */
  constructor(label) {
    super(label);
    this.frame = s("g");
    this.body = s("g");
    this.marks = s("g", { "aria-hidden": "true" });
    this.el.append(this.frame, this.body, this.marks);
    /** @type {any[]} */ this.rects = [];
    /** @type {any} */ this.panel = null;
    /** @type {Stream | null} */ this.stream = null;
    /** @type {Float64Array[]} */ this.snaps = [];
    /** @type {Map<number, number>} */ this.relevant = new Map();
    /** @type {string[]} */ this.classes = [];
    this.slot = 1;
    this.low = 0;
    this.high = 1;
    this.value = (/** @type {number} */ v) => v;
  }

  /** @param {any} panel @param {Stream} stream */
  setRun(panel, stream) {
    this.panel = panel;
    this.stream = stream;
    this.snaps = snapshots(panel.moves);
    this.relevant = new Map(stream.literals.map((v) => [columnOf(v, stream.n), v]));
    this.setScale();
    this.layOut();
  }

  layOut() {
    const count = this.snaps[0].length;
    const slot = (this.slot = (this.wide - BL - BR) / count);
    if (this.rects.length !== count) {
      this.rects = Array.from({ length: count }, () => s("rect"));
      this.body.replaceChildren(...this.rects);
    }
    const gap = slot > 4 ? Math.min(2, slot * 0.18) : 0;
    this.rects.forEach((rect, i) =>
      setAll(rect, {
        x: (BL + i * slot + gap / 2).toFixed(2),
        width: Math.max(slot - gap, 0.3).toFixed(2),
        rx: slot > 6 ? 1.5 : 0,
      }),
    );
    this.classes = new Array(count).fill("");
    this.drawFrame();
  }

  /** A target that changes: which variables it has now. @param {number[]} literals */
  setTarget(literals) {
    const key = literals.join();
    if (!this.stream || key === [...this.relevant.values()].join()) return;
    this.relevant = new Map(literals.map((v) => [columnOf(v, this.stream?.n ?? 0), v]));
    this.drawFrame();
  }

  setScale() {
    const { panel, snaps } = this;
    const theta = Array.isArray(panel.theta) ? 0 : panel.theta;
    let [low, high] = [Infinity, -Infinity];
    for (const w of snaps)
      for (const v of w) {
        if (v < low) low = v;
        if (v > high) high = v;
      }
    if (panel.bars === "log") {
      this.value = (/** @type {number} */ v) => Math.log2(Math.max(v, 2 ** -40));
      [this.low, this.high] = [
        Math.min(-1.5, Math.max(this.value(low), -24)),
        Math.max(this.value(Math.max(high, theta)), 2) + 0.7,
      ];
    } else if (panel.bars === "literals") {
      this.value = (/** @type {number} */ v) => v;
      [this.low, this.high] = [0, 1.25];
    } else {
      this.value = (/** @type {number} */ v) => v;
      const reach = 1.2 * Math.max(Math.abs(low), Math.abs(high), 1e-9);
      [this.low, this.high] = [-reach, reach];
    }
  }

  /** @param {number} v  on the scale */
  y(v) {
    const [low, high] = [this.low, this.high];
    return this.tall - BB - ((this.tall - BT - BB) * (Math.min(Math.max(v, low), high) - low)) / (high - low);
  }

  drawFrame() {
    const { panel, stream, slot, relevant } = this;
    if (!stream) return;
    /** @type {Node[]} */ const out = [];
    const line = (/** @type {number} */ v, /** @type {string} */ name, /** @type {string} */ text) => {
      // The margin has room for five characters of a wide font; a longer number is put on its line.
      const place =
        text.length > 5
          ? { x: BL + 4, y: (this.y(v) - 5).toFixed(1) }
          : { x: BL - 6, y: (this.y(v) + 4).toFixed(1), "text-anchor": "end" };
      out.push(
        s("line", {
          class: name,
          x1: BL,
          x2: this.wide - BR,
          y1: this.y(v).toFixed(1),
          y2: this.y(v).toFixed(1),
        }),
        s("text", { class: `tick-label ${name}-label`, ...place }, text),
      );
    };
    if (panel.bars === "log") {
      const step = Math.max(1, Math.ceil((this.high - this.low) / Math.min(6, this.lines)));
      const top = Math.log2(panel.theta);
      for (let e = Math.ceil(this.low / step) * step; e < this.high; e += step)
        if (Math.abs(e - top) > step * 0.6) line(e, e ? "grid" : "axis", powerText(e));
      if (panel.theta > 0) line(top, "theta", `θ ${short(panel.theta)}`);
    } else if (panel.bars === "signed") {
      const reach = this.high / 1.2;
      line(reach, "grid", short(reach));
      line(-reach, "grid", short(-reach));
      line(0, "axis", "0");
    } else {
      line(0, "axis", "");
      line(1, "grid", "left");
    }
    if (stream.columns > stream.n) {
      const x = BL + stream.n * slot;
      out.push(
        s("line", { class: "grid", x1: x, x2: x, y1: BT, y2: this.tall - BB }),
        s("text", { class: "tick-label", x: x + 3, y: BT - 8 }, "¬x"),
      );
    }
    let last = -Infinity;
    for (const [column, v] of [...relevant].sort((a, b) => a[0] - b[0])) {
      const x = BL + (column + 0.5) * slot;
      out.push(
        s("path", {
          class: `target-mark ${v > 0 ? "plus" : "minus"}`,
          d: `M${x.toFixed(1)} ${this.tall - BB + 3}l4 6h-8z`,
        }),
      );
      if (x - last < 26) continue;
      last = x;
      const place =
        x > this.wide - 24 ? { x: this.wide - 2, "text-anchor": "end" } : { x, "text-anchor": "middle" };
      out.push(s("text", { class: "tick-label", ...place, y: this.tall - 3 }, v > 0 ? `x${v}` : `¬x${-v}`));
    }
    if (panel.constant && this.wide - last > 40)
      out.push(
        s(
          "text",
          { class: "tick-label", x: this.wide - BR - slot / 2, y: this.tall - 3, "text-anchor": "middle" },
          "b",
        ),
      );
    this.frame.replaceChildren(...out);
  }

  /** @param {number} t */
  show(t) {
    const { panel, stream, snaps, relevant, slot } = this;
    if (!stream) return;
    this.redraw = () => {
      this.layOut();
      this.show(t);
    };
    const k = changesBy(panel.moves.at, t);
    const w = snaps[k];
    const active = activeColumns(stream, t, w.length);
    const moved = t > 0 && panel.moves.at[k - 1] === t ? panel.moves.index[k - 1] : [];
    const base = this.y(panel.bars === "log" ? 0 : Math.max(0, this.low));
    for (let i = 0; i < w.length; i++) {
      const top = this.y(this.value(w[i]));
      const rect = this.rects[i];
      const [y, height] = [
        Math.min(top, base),
        Math.max(Math.abs(top - base), panel.bars === "literals" && !w[i] ? 0 : 1),
      ];
      rect.setAttribute("y", y.toFixed(1));
      rect.setAttribute("height", height.toFixed(1));
      const v = relevant.get(i);
      const name = `bar${v ? (v > 0 ? " plus" : " minus") : ""}${active[i] ? " on" : ""}`;
      if (name !== this.classes[i]) {
        rect.setAttribute("class", name);
        this.classes[i] = name;
      }
    }
    /** @type {Node[]} */ const marks = [];
    if (moved.length && w.length <= GLYPHS) {
      for (const i of moved) {
        const up = w[i] > snaps[k - 1][i];
        marks.push(
          s(
            "text",
            {
              class: up ? "promoted" : "demoted",
              x: (BL + (i + 0.5) * slot).toFixed(1),
              y: BT - 8,
              "text-anchor": "middle",
            },
            up ? "▲" : "▼",
          ),
        );
      }
    }
    this.marks.replaceChildren(...marks);
  }

  /** How many went up and down in step t. @param {number} t */
  movedAt(t) {
    const { panel, snaps } = this;
    const k = changesBy(panel.moves.at, t);
    if (!t || panel.moves.at[k - 1] !== t) return [0, 0];
    let up = 0;
    for (const i of panel.moves.index[k - 1]) if (snaps[k][i] > snaps[k - 1][i]) up++;
    return [up, panel.moves.index[k - 1].length - up];
  }
}

/** Which columns are 1 in example t. @param {Stream} stream @param {number} t @param {number} count */
function activeColumns(stream, t, count) {
  const on = new Uint8Array(count);
  if (!t) return on;
  for (const i of stream.examples[t - 1]) on[i] = 1;
  for (let i = stream.n; i < Math.min(count, stream.columns); i++) on[i] = 1 - on[i - stream.n];
  if (count > stream.columns) on[stream.columns] = 1; // the constant
  return on;
}

/** @param {number} e */
function powerText(e) {
  return e >= 0 && e < 14 ? String(2 ** e) : `2${raised(e)}`;
}

/** The concepts that are left, as a step line over time, and how they vote. */
export class SpaceDrawing extends Fitted {
  /** @param {string} label */
  constructor(label) {
    super(label);
    this.frame = s("g");
    this.stair = s("path", { class: "stair" });
    this.dots = s("g");
    this.vote = s("g");
    this.el.append(this.frame, this.stair, this.dots, this.vote);
    /** @type {any} */ this.panel = null;
    /** @type {Stream | null} */ this.stream = null;
    this.top = 1;
  }

  /** @param {any} panel @param {Stream} stream */
  setRun(panel, stream) {
    this.panel = panel;
    this.stream = stream;
    this.top = Math.max(1, Math.log2(panel.size[0]));
    this.drawFrame();
  }

  drawFrame() {
    const out = [];
    const step = Math.max(1, Math.ceil(this.top / Math.min(5, this.lines - 2)));
    for (let e = 0; e <= this.top; e += step) {
      out.push(
        s("line", { class: e ? "grid" : "axis", x1: BL, x2: this.wide - BR, y1: this.y(e), y2: this.y(e) }),
        s("text", { class: "tick-label", x: BL - 6, y: this.y(e) + 4, "text-anchor": "end" }, powerText(e)),
      );
    }
    this.frame.replaceChildren(...out);
  }

  /** @param {number} v  log2 of a size */
  y(v) {
    return Number((this.tall - BB - 20 - ((this.tall - BT - BB - 20) * v) / this.top).toFixed(1));
  }

  /** @param {number} t */
  show(t) {
    const { panel, stream } = this;
    if (!stream) return;
    this.redraw = () => {
      this.drawFrame();
      this.show(t);
    };
    const x = (/** @type {number} */ v) =>
      (BL + ((this.wide - BL - BR) * v) / Math.max(1, stream.labels.length)).toFixed(1);
    let d = `M${x(0)} ${this.y(Math.log2(panel.size[0]))}`;
    /** @type {Node[]} */ const dots = [];
    for (let i = 1; i <= t; i++) {
      if (panel.size[i] !== panel.size[i - 1]) d += `H${x(i)}V${this.y(Math.log2(panel.size[i]))}`;
      if (panel.mistake[i - 1])
        dots.push(s("circle", { class: "mistaken", cx: x(i), cy: this.y(Math.log2(panel.size[i])), r: 4 }));
    }
    this.stair.setAttribute("d", `${d}H${x(t)}`);
    this.dots.replaceChildren(...dots);
    /** @type {Node[]} */ const vote = [];
    const left = panel.names.filter((/** @type {any} */ one) => one[0] <= t).at(-1)?.[1] ?? [];
    left.forEach((/** @type {string} */ name, /** @type {number} */ k) =>
      vote.push(
        s(
          "text",
          { class: "left-name", x: this.wide - BR - 6, y: BT + 16 * k + 6, "text-anchor": "end" },
          name.length > 40 ? `${name.slice(0, 39)}…` : name,
        ),
      ),
    );
    if (t > 0) {
      const [zero, one] = panel.votes[t - 1];
      const [denied, said] = panel.voted[t - 1];
      const split = BL + ((this.wide - BL - BR) * one) / (zero + one);
      vote.push(
        s("rect", { class: "vote-one", x: BL, y: this.tall - 31, width: split - BL, height: 12 }),
        s("rect", {
          class: "vote-zero",
          x: split,
          y: this.tall - 31,
          width: this.wide - BR - split,
          height: 12,
        }),
        s("text", { class: "tick-label", x: BL, y: this.tall - 5 }, said),
        s("text", { class: "tick-label", x: this.wide - BR, y: this.tall - 5, "text-anchor": "end" }, denied),
      );
    }
    this.vote.replaceChildren(...vote);
  }

  movedAt() {
    return [0, 0];
  }
}

/** The example of a step as a row of bits, with its label. */
export class BitRow {
  constructor() {
    this.cells = h("div", { class: "cells", role: "img", "aria-label": "The example" });
    this.label = h("span", { class: "label-chip" }, "–");
    this.name = h("span", { class: "bits-name" }, "example");
    this.el = h("div", { class: "bit-row" }, this.name, this.cells, this.label);
  }

  /** @param {Stream} stream @param {number} t */
  show(stream, t) {
    const { n } = stream;
    const on = new Set(t ? stream.examples[t - 1] : []);
    const relevant = new Map(stream.literals.map((v) => [Math.abs(v) - 1, v]));
    this.cells.replaceChildren(...(n <= 64 ? bitCells(n, on, relevant) : [bitStrip(n, on, relevant)]));
    this.cells.setAttribute(
      "aria-label",
      t ? `Example ${t}: ${on.size} of ${n} bits are 1` : "No example yet",
    );
    this.name.textContent = t ? `example ${t}` : "example";
    showLabel(this.label, t ? stream.labels[t - 1] : null);
  }
}

/** @param {HTMLElement} chip @param {number | boolean | null} y @param {string} [name] */
export function showLabel(chip, y, name = "label") {
  chip.textContent = y === null ? "–" : y ? `+ ${name} 1` : `− ${name} 0`;
  chip.className = `label-chip ${y === null ? "" : y ? "plus" : "minus"}`;
}

/** @param {number} n @param {Set<number>} on @param {Map<number, number>} relevant */
function bitCells(n, on, relevant) {
  return Array.from({ length: n }, (_, i) => {
    const v = relevant.get(i) ?? 0;
    return h(
      "span",
      { class: `cell${on.has(i) ? " on" : ""}${v ? " relevant" : ""}` },
      on.has(i) ? "1" : "0",
      h("small", {}, v ? (v > 0 ? `x${v}` : `¬x${-v}`) : " "),
    );
  });
}

/** @param {number} n @param {Set<number>} on @param {Map<number, number>} relevant */
function bitStrip(n, on, relevant) {
  const slot = 900 / n;
  let [d, marks] = ["", ""];
  for (let i = 0; i < n; i++) {
    const x = (i * slot).toFixed(2),
      end = ((i + 1) * slot - (slot > 4 ? 1 : 0)).toFixed(2);
    if (on.has(i)) d += `M${x} 2H${end}V22H${x}Z`;
    if (relevant.has(i)) marks += `M${(i * slot + slot / 2).toFixed(2)} 25l5 8h-10z`;
  }
  return s(
    "svg",
    { class: "bits", viewBox: "0 0 900 36" },
    s("rect", { class: "strip", width: 900, y: 2, height: 20 }),
    s("path", { class: "strip-on", d }),
    s("path", { class: "target-mark plus", d: marks }),
  );
}
