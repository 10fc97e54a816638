// One learner in the plane: points, line, band, w and its last move, at any time of its run.
import { axesOf } from "../page/axes.js";
import { s, say, setAll } from "../page/dom.js";
import { nameLines } from "./names.js";
import { stepPicture } from "./step.js";
import { SIZE, contour, halfPlane, levelLine, positiveCells, toPixels } from "../page/geometry.js";
import { LayeredDrawing } from "../page/layers.js";
import { Places, around } from "../page/places.js";

/** @typedef {import("../page/geometry.js").Window} Window */

const MOST_COUNTS = 60; // labels ×n
const MANY = 300; // points, which are small then
const NEAR_BAND = 22; // a band that names go around
const RECENT = 40; // examples that are not faded away

const corners = (/** @type {[number, number][]} */ points) =>
  points.map((p) => `${p[0].toFixed(1)},${p[1].toFixed(1)}`).join(" ");

export class PanelDrawing extends LayeredDrawing {
  /** @param {string} label @param {boolean} [picture]  whether its points stay where they are */
  constructor(label, picture = false) {
    super(label, picture);
    this.negative = s("rect", { class: "side negative", width: SIZE, height: SIZE });
    this.positive = s("polygon", { class: "side positive" });
    this.cells = s("path", { class: "side positive" });
    this.band = [s("line", { class: "band" }), s("line", { class: "band" })];
    this.mean = s("line", { class: "mean" });
    this.line = s("line", { class: "boundary" });
    this.curve = s("path", { class: "boundary" });
    this.moved = s("line", { class: "moved", "marker-end": "url(#tip)" });
    this.arrow = s("line", { class: "w", "marker-end": "url(#tip-w)" });
    this.arrowName = s("text", { class: "w-name" }, "w");
    this.sideNames = [
      s("text", { class: "side-name plus" }, "says +"),
      s("text", { class: "side-name minus" }, "says −"),
    ];
    this.meanName = s("text", { class: "line-note mean-note" }, "average");
    this.bandName = s("text", { class: "line-note" }, "margin");
    this.lineless = s("text", { class: "line-note", x: SIZE / 2, y: SIZE - 24, "text-anchor": "middle" });
    this.ringName = s("text", { class: "ring-name" });
    this.drop = s("line", { class: "drop" });
    this.rope = s("text", { class: "ring-name rope" });
    this.marks = s("g", { class: "counts" });
    this.ring = s("circle", { class: "ring", r: 15 });
    this.under.append(
      this.negative,
      this.positive,
      this.cells,
      this.grid,
      ...this.band,
      this.mean,
      this.line,
      this.curve,
      ...this.sideNames,
      this.meanName,
      this.bandName,
      this.lineless,
    );
    this.over.append(
      s("defs", {}, tip("tip", "moved-tip"), tip("tip-w", "w-tip")),
      this.drop,
      this.marks,
      this.ring,
      this.moved,
      this.arrow,
      this.arrowName,
      this.ringName,
      this.rope,
    );
    /** @type {{el: any, age: string}[]} */ this.points = [];
    /** @type {[number, number][]} */ this.places = []; // of the points, in pixels
    /** @type {[number, number][]} */ this.obstacles = []; // for names: points, and their labels ×n
    /** @type {Map<number, {text: any, way: number}>} */ this.told = new Map(); // the labels ×n, by point
    /** @type {any} */ this.trace = null;
    /** @type {number[][]} */ this.data = [];
    this.reach = 1;
    /** @type {number[] | null} */ this.tip = null; // of w
    /** @type {number[]} */ this.sequence = [];
    this.counts = new Int32Array(0);
    /** @type {number | undefined} */ this.ringed = undefined; // the point within the ring
    this.counted = 0;
    this.recount = true; // the labels ×n are of other points
    /** @type {number[][] | null} */ this.ends = null; // of the line
  }

  /** @param {number[][]} data @param {Window} window */
  setPoints(data, window) {
    this.data = data;
    if (this.points.length !== data.length) {
      this.points = data.map(() => ({
        el: s("g", {}, s("circle"), s("path")),
        age: "",
      }));
      this.dots.replaceChildren(...this.points.map((p) => p.el));
    }
    const small = data.length > MANY;
    this.recount = true;
    this.places = data.map(([x, y]) => toPixels(window, x, y));
    data.forEach(([, , label], i) => {
      const [px, py] = this.places[i];
      const { el } = this.points[i];
      this.points[i].age = "";
      // Where it is, not moved there: a browser keeps every shift of its own, for each frame.
      const at = [px.toFixed(1), py.toFixed(1)];
      const arm = small ? 2.25 : 4.5;
      const dash = `m${-arm} 0h${2 * arm}`;
      setAll(el, { class: `point ${label > 0 ? "plus" : "minus"}${small ? " small" : ""}` });
      setAll(el.children[0], { cx: at[0], cy: at[1], r: small ? 4.5 : 9 });
      setAll(el.children[1], {
        d: `M${at.join(" ")}${dash}${label > 0 ? `M${at.join(" ")}m0 ${-arm}v${2 * arm}` : ""}`,
      });
    });
    if (window !== this.window || !this.grid.firstChild) {
      this.window = window;
      this.grid.replaceChildren(...axesOf(window));
    }
  }

  /** @param {any} trace  of this panel, as Python gave it @param {number[]} sequence */
  setTrace(trace, sequence) {
    this.trace = trace;
    this.sequence = sequence;
    this.counts = new Int32Array(this.data.length);
    this.counted = 0;
    this.recount = true;
    this.points.forEach((point) => {
      point.age = "";
    });
    const longest = Math.max(
      1e-12,
      ...(trace.moves?.w ?? []).map((/** @type {number[]} */ w) => Math.hypot(w[0], w[1])),
    );
    this.reach = (0.38 * SIZE) / longest;
  }

  /** The hypothesis after t steps, and the one before the last step. @param {number} t */
  weightsAt(t) {
    const moves = this.trace?.moves;
    if (!moves || !moves.at.length) return null;
    let [low, high] = [0, moves.at.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (moves.at[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return moves.w[low];
  }

  /** @param {number} t @param {{mean: boolean, fade: boolean, part: number}} wishes */
  show(t, wishes) {
    const trace = this.trace;
    const failed = !trace || trace.error;
    const after = failed ? null : this.weightsAt(t);
    const before = failed || t === 0 ? null : this.weightsAt(t - 1);
    const point = t ? this.data[this.sequence[t - 1]] : null;
    const step = stepPicture(wishes.part, before, after, point, this.window);
    this.drawLine(step.w);
    const bands = this.drawBand(step.w);
    const mean = wishes.mean && t > 0 && trace?.means ? trace.means[t - 1] : null;
    const meanEnds = mean ? levelLine(this.window, mean) : null;
    place(this.mean, meanEnds);
    place(this.drop, step.drop);
    this.drawArrow(step.w, step.push);
    this.showExample(t, failed);
    const lines = [this.ends, meanEnds, ...bands].filter((ends) => ends !== null);
    setAll(this.ring, { r: (15 * step.ring).toFixed(1) });
    if (!failed && point && wishes.part === 1) this.showRope(after, before, point);
    else say(this.rope, "");
    const [above, below] = step.w && this.ends && upward(step.w, this.ends) ? [0, 1] : [1, 0];
    const far = this.ends && bands[0] ? distance(bands[0][0], this.ends) : Infinity;
    const beyond = far > 3 && far < NEAR_BAND ? far : 0;
    const named = nameLines(
      [
        [this.sideNames[above], step.turning ? null : this.ends, beyond ? [-7 - beyond] : [-7]],
        [this.sideNames[below], step.turning ? null : this.ends, beyond ? [17 + beyond] : [17]],
        [this.meanName, meanEnds, [-6, 16]],
        [this.bandName, step.turning || far <= 3 ? null : bands[0], [-5, 15]],
      ],
      this.obstacles,
      lines,
    );
    this.nameThings(t, failed, lines, named);
    this.showAges(wishes.fade ? t : null);
  }

  /**
   * C is a rope: it stops a step before the example is on the margin.
   * @param {number[] | null} w @param {number[] | null} before @param {number[]} point
   */
  showRope(w, before, [x, y, label]) {
    const aim = this.trace.rope ? this.trace.aim : 0;
    const reached = w ? label * (w[0] * x + w[1] * y + w[2]) : 0;
    const moved = w && before && w.some((v, i) => v !== before[i]);
    const short = moved && aim && reached < aim * (1 - 1e-6);
    say(this.rope, short ? `C stops it at ${Number(reached.toPrecision(3))}` : "");
    if (!short) return;
    const [px, py] = toPixels(this.window, x, y);
    setAll(this.rope, {
      x: (px + (px < SIZE - 140 ? 19 : -19)).toFixed(1),
      y: (py + (py < SIZE - 50 ? 42 : -30)).toFixed(1),
      "text-anchor": px < SIZE - 140 ? "start" : "end",
    });
  }

  /** @param {number[] | null} w */
  drawLine(w) {
    const flat = !w || (w[0] === 0 && w[1] === 0);
    const shown = w && !(flat && !(w[2] > 0));
    setAll(this.positive, { points: shown ? corners(halfPlane(this.window, w)) : "" });
    this.ends = flat ? null : levelLine(this.window, w);
    place(this.line, this.ends);
    setAll(this.negative, { class: flat && (!w || w[2] === 0) ? "side unknown" : "side negative" });
    say(
      this.lineless,
      flat && w ? (w[2] === 0 ? "w = 0: no line" : "w = 0, only b: the same everywhere") : "",
    );
  }

  /**
   * Where the score is what the learner aims at; else at the nearest point, if all are right.
   * @param {number[] | null} w
   */
  drawBand(w) {
    let aim = this.trace?.aim ?? 0;
    if (w && !aim && this.data.length) {
      aim = Math.min(...this.data.map(([x, y, label]) => label * (w[0] * x + w[1] * y + w[2])));
    }
    const shown = w && aim > 0 && (w[0] || w[1]);
    const sides = [aim, -aim].map((level) => (shown ? levelLine(this.window, w, level) : null));
    sides.forEach((ends, k) => place(this.band[k], ends));
    return sides;
  }

  /** @param {number[] | null} w @param {[number[], number[]] | null} push  what is added to w, and where */
  drawArrow(w, push) {
    const [ox, oy] = [SIZE / 2, SIZE / 2];
    const end = (/** @type {number[]} */ v) => [ox + v[0] * this.reach, oy - v[1] * this.reach];
    const shown = w && (w[0] || w[1]);
    place(this.arrow, shown ? [[ox, oy], end(w)] : null);
    setAll(this.arrowName, { display: shown ? "inline" : "none" });
    this.tip = shown ? end(w) : null;
    place(this.moved, push ? [end(push[0]), end(push[1])] : null);
  }

  /**
   * The example of the last step, and how often each point was a mistake so far.
   * @param {number} t
   * @param {boolean} failed
   */
  showExample(t, failed) {
    const { trace, sequence } = this;
    const i = t > 0 ? sequence[t - 1] : undefined;
    const point = i === undefined ? null : this.data[i];
    setAll(this.ring, { display: point ? "inline" : "none" });
    if (point) {
      const [x, y] = toPixels(this.window, point[0], point[1]);
      const wrong = !failed && trace.mistake[t - 1];
      setAll(this.ring, { cx: x.toFixed(1), cy: y.toFixed(1), class: `ring ${wrong ? "wrong" : "right"}` });
    }
    if (!failed) {
      for (; this.counted < t; this.counted++)
        if (trace.mistake[this.counted]) this.count(sequence[this.counted], 1);
      for (; this.counted > t; this.counted--)
        if (trace.mistake[this.counted - 1]) this.count(sequence[this.counted - 1], -1);
    }
    this.showCounts();
    this.standAside(this.ringed, 0);
    this.ringed = i;
    this.standAside(i, 8);
  }

  /** A mistake more or less. @param {number} k @param {number} by */
  count(k, by) {
    this.counts[k] += by;
    this.recount = true;
  }

  /** A label ×n leaves room for the ring around its point. @param {number | undefined} k @param {number} by */
  standAside(k, by) {
    const label = k === undefined ? undefined : this.told.get(k);
    if (label) label.text.setAttribute("dx", String(by * label.way));
  }

  /**
   * The words at w and at the ring, beside points, lines and each other.
   * @param {number} t @param {boolean} failed @param {number[][][]} lines @param {[number, number][]} named  middles of names
   */
  nameThings(t, failed, lines, named) {
    const places = new Places(this.data.length > MANY ? [] : this.obstacles);
    places.taken = named.map(([x, y]) => ({ left: x - 20, right: x + 20, top: y - 16, bottom: y + 16 }));
    places.lines = this.tip ? [...lines, [[SIZE / 2, SIZE / 2], this.tip]] : lines;
    this.nameArrow(places);
    const said = t && !failed ? (this.trace.mistake[t - 1] ? "mistake" : "right") : "";
    say(this.ringName, said);
    if (said) this.placeRingName(said, this.places[this.sequence[t - 1]], places);
  }

  /** @param {Places} places */
  nameArrow(places) {
    if (!this.tip) return;
    const [x, y] = this.tip;
    setAll(this.arrowName, places.take("w", 16, [{ x: x + 8, y: y - 8 }, ...around(x, y, 10, 16)]));
  }

  /** @param {string} text @param {[number, number]} at @param {Places} places */
  placeRingName(text, [x, y], places) {
    setAll(this.ringName, places.take(text, 12, around(x, y, 19, 12)));
  }

  /** Where a point was a mistake, how often; labels that would cover each other give way to larger counts. */
  showCounts() {
    if (!this.recount) return;
    this.recount = false;
    const { counts, places } = this;
    const small = this.data.length > MANY;
    const [far, size] = small ? [6, 8] : [11, 11];
    /** @type {number[]} */ const order = [];
    counts.forEach((count, k) => count && places[k] && order.push(k));
    order.sort((a, b) => counts[b] - counts[a]);
    /** @type {[number, number][]} */ const taken = [];
    const free = new Places(small ? [] : places);
    const { children } = this.marks;
    this.told.clear();
    this.obstacles = [...places];
    for (const k of order) {
      const [x, y] = places[k];
      if (taken.length >= MOST_COUNTS) break;
      if (taken.some(([a, b]) => Math.abs(a - x) < 26 && Math.abs(b - y) < 14)) continue;
      taken.push([x, y]);
      const said = `×${counts[k]}`;
      const above = { x: x + far, y: y - 0.8 * far };
      const spot = small
        ? { ...above, "text-anchor": "start" }
        : free.take(said, size, [above, ...around(x, y, far, size)]);
      const text = children[this.told.size] ?? this.marks.appendChild(s("text"));
      setAll(text, { class: small ? "count small" : "count", ...spot, dx: 0 });
      say(text, said);
      this.obstacles.push([Number(spot.x) + (spot["text-anchor"] === "end" ? -7 : 7), Number(spot.y) - 4]);
      this.told.set(k, { text, way: spot["text-anchor"] === "end" ? -1 : 1 });
    }
    while (children.length > this.told.size) this.marks.lastChild.remove();
  }

  /** Points fade as they grow old, and those to come are pale; null: all alike. @param {number | null} t */
  showAges(t) {
    const seen = new Map();
    const from = t === null ? 0 : Math.max(0, t - RECENT);
    if (t !== null) for (let k = from; k < t; k++) seen.set(this.sequence[k], (k - from + 1) / (t - from));
    this.points.forEach((p, k) => {
      const age = t === null ? "" : seen.has(k) ? (0.25 + 0.75 * seen.get(k)).toFixed(2) : "0.07";
      const label = this.told.get(k);
      if (label) setAll(label.text, { opacity: age || null });
      if (age === p.age) return;
      p.age = age;
      if (age) p.el.setAttribute("opacity", age);
      else p.el.removeAttribute("opacity");
    });
  }

  /** Another hypothesis than the run's. @param {number[]} w */
  tryOut(w) {
    this.drawLine(w);
    this.drawBand(w);
    this.drawArrow(w, null);
    this.nameArrow(new Places(this.places));
    for (const name of [...this.sideNames, this.bandName]) name.setAttribute("display", "none");
  }

  /** The number of the point that an event is on. @param {PointerEvent} event */
  pointUnder(event) {
    const mark = /** @type {Element} */ (event.target).closest?.("g.point");
    const index = mark ? this.points.findIndex((p) => p.el === mark) : -1;
    return index < 0 ? null : index;
  }

  /** The next point, before it is predicted. @param {number[]} point */
  showNext(point) {
    const [x, y] = toPixels(this.window, point[0], point[1]);
    setAll(this.ring, { class: "ring next", cx: x.toFixed(1), cy: y.toFixed(1), display: "inline" });
    this.ringName.textContent = "next";
    this.placeRingName("next", [x, y], new Places(this.places));
  }

  /** Scores on a grid, for a curved boundary. @param {number[] | null} scores @param {number} n */
  showField(scores, n) {
    const any = scores?.some((v) => v !== 0);
    this.cells.setAttribute("d", any ? positiveCells(/** @type {number[]} */ (scores), n) : "");
    this.curve.setAttribute("d", any ? contour(/** @type {number[]} */ (scores), n) : "");
    this.negative.setAttribute("class", any ? "side negative" : "side unknown");
  }
}

/** @param {string} id @param {string} name */
function tip(id, name) {
  return s(
    "marker",
    {
      id,
      viewBox: "0 0 10 10",
      refX: 8,
      refY: 5,
      markerWidth: 5,
      markerHeight: 5,
      orient: "auto-start-reverse",
    },
    s("path", { class: name, d: "M0 0 10 5 0 10z" }),
  );
}

/** Of a point from a line. @param {number[]} point @param {number[][]} line  its ends */
function distance([x, y], [[ax, ay], [bx, by]]) {
  return Math.abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / Math.hypot(bx - ax, by - ay);
}

/** @param {any} line @param {number[][] | null} ends */
function place(line, ends) {
  if (!ends) setAll(line, { display: "none" });
  else {
    const [x1, y1, x2, y2] = ends.flat().map((v) => v.toFixed(2));
    setAll(line, { display: "inline", x1, y1, x2, y2 });
  }
}

/** Whether the side above a line, read from left to right, is the positive one. @param {number[]} w @param {number[][]} ends */
function upward(w, ends) {
  const [from, to] = ends[0][0] <= ends[1][0] ? ends : [ends[1], ends[0]];
  // Above, on the screen, is at right angles to the direction of reading; w has y upwards.
  return w[0] * (to[1] - from[1]) + w[1] * (to[0] - from[0]) > 0;
}
