// The space of weights beside the plane: an example is a cut, a hypothesis a point, what is left the version space.
// With a bias it is a sphere, since only the direction of (w, b) decides; without one it is a plane.
import { h, s, setAll, short } from "../page/dom.js";
import { arc, basis, cross, cutPieces, dot, shareOfSphere, unit, wholeSphere } from "./sphere.js";

/** @import { Vector } from "./sphere.js" */

const SPACE = 400;
const MIDDLE = SPACE / 2;
const RADIUS = 178;
const MOST_CUTS = 80; // the newest are drawn
const NUDGE = 0.05; // of the radius, by an arrow key

export class WeightSpace {
  /** @param {(w: number[] | null) => void} ondrag  a hypothesis that is tried; null: back to the run's */
  constructor(ondrag) {
    this.ondrag = ondrag;
    this.back = s("g");
    this.region = s("g", { class: "version" });
    this.cuts = s("g");
    this.trail = s("g");
    this.lit = s("path", { class: "cut lit" });
    this.dot = s("circle", { class: "weight", r: 8 });
    this.name = s("text", { class: "w-name" }, "w");
    this.svg = s(
      "svg",
      {
        class: "space",
        viewBox: `0 0 ${SPACE} ${SPACE}`,
        role: "application",
        tabindex: 0,
        "aria-label": "The space of weights. Arrow keys move w, and the line with it; Escape puts it back.",
        onpointerdown: (/** @type {PointerEvent} */ event) => this.grip(event),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.nudge(event),
      },
      s("defs", {}, s("clipPath", { id: "disc" }, s("circle", { cx: MIDDLE, cy: MIDDLE, r: RADIUS }))),
      this.back,
      this.region,
      this.cuts,
      this.lit,
      this.trail,
      this.dot,
      this.name,
    );
    this.said = h("p", { class: "space-said" });
    this.body = h(
      "div",
      { class: "two-spaces" },
      h("h2", {}, "The space of weights"),
      h(
        "p",
        { class: "hint" },
        "Each example is a cut: w is right about it on one side. Blue: right about all so far.",
      ),
      this.svg,
    );
    this.el = h("div", {}, this.said);
    /** @type {any} */ this.trace = null;
    /** @type {Vector[]} */ this.normals = []; // y·x of each point
    /** @type {number[]} */ this.sequence = [];
    this.flat = false;
    this.constant = 1;
    this.solid = false; // whether the length of w is seen too
    this.scale = 1; // of weights that are drawn with their length
    this.share = 1; // of all directions that are right on what was seen
    /** @type {Vector} */ this.facing = [0, 0, 1];
    /** @type {[Vector, Vector]} */ this.axes = [
      [1, 0, 0],
      [0, 1, 0],
    ];
    /** @type {Vector | null} */ this.now = null;
    this.t = 0;
  }

  /** @param {any} trace  of a panel @param {number[][]} points @param {number[]} sequence */
  setTrace(trace, points, sequence) {
    this.trace = trace?.moves?.at.length && !trace.error ? trace : null;
    this.sequence = sequence;
    if (!this.trace) return;
    const { constant } = trace.data;
    this.flat = !constant;
    this.constant = constant || 1;
    this.normals = points.map(([x1, x2, y]) => [y * x1, y * x2, this.flat ? 0 : y * constant]);
    const all = this.trace.moves.w.map((/** @type {number[]} */ w) => this.vector(w));
    // Where no direction is the goal, a path through 0 can only be seen in space.
    this.solid = !this.flat && !trace.data.separator;
    this.facing = this.flat
      ? [0, 0, 1]
      : unit(this.solid ? [0.45, -0.6, 0.66] : this.vector(trace.data.separator));
    this.axes = this.flat
      ? [
          [1, 0, 0],
          [0, 1, 0],
        ]
      : basis(this.facing);
    this.scale = 0.8 / Math.max(1e-9, ...all.map((/** @type {Vector} */ w) => Math.hypot(...w)));
  }

  /** w₁, w₂, b as a vector at whose right angle the points of the line are. @param {number[]} w @returns {Vector} */
  vector(w) {
    return [w[0], w[1], this.flat ? 0 : w[2] / this.constant];
  }

  /** Where a vector is seen, and whether in front. @param {Vector} v @returns {[number, number, boolean]} */
  seen(v) {
    const long = this.flat || this.solid;
    const [x, y] = this.projected(long ? v.map((a) => a * this.scale) : unit(v));
    return [x, y, long || dot(v, this.facing) >= -1e-9];
  }

  /** @param {Vector} v  of length 1: on the edge or the surface @returns {[number, number]} */
  projected(v) {
    return [MIDDLE + RADIUS * dot(v, this.axes[0]), MIDDLE - RADIUS * dot(v, this.axes[1])];
  }

  /** @param {number} t */
  show(t) {
    this.t = t;
    const { trace } = this;
    this.body.hidden = !trace;
    if (!trace) {
      this.said.textContent = "A learner with a curved boundary has no weights to show here.";
      return;
    }
    const seen = [...new Set(this.sequence.slice(0, t))];
    this.drawVersions(seen);
    this.cuts.replaceChildren(
      ...seen.slice(-MOST_CUTS).map((i) => s("path", { class: "cut", d: this.cutPath(this.normals[i]) })),
    );
    const count = trace.moves.at.filter((/** @type {number} */ at) => at <= t).length;
    const path = trace.moves.w.slice(0, count).map((/** @type {number[]} */ w) => this.vector(w));
    this.drawTrail(path, trace.moves.at[count - 1] === t);
    this.place(path[path.length - 1] ?? [0, 0, 0]);
    const share = this.share;
    this.said.textContent =
      `After ${t} example${t === 1 ? "" : "s"}, ${seen.length} cut${seen.length === 1 ? "" : "s"}: ` +
      (share > 0
        ? `the vectors that are right on all of them fill ${short(100 * share)} % of ${this.flat ? "the circle" : "the sphere"}.`
        : "no vector is right on all of them.") +
      (this.closed(path) ? " w is back where it was before: the orbit is closed." : "");
  }

  /** What is right on all examples seen. @param {number[]} seen */
  drawVersions(seen) {
    let pieces = wholeSphere();
    for (const i of seen) pieces = cutPieces(pieces, this.normals[i]);
    this.share = shareOfSphere(pieces); // in the plane of weights: of the circle
    this.back.replaceChildren(s("circle", { class: "globe", cx: MIDDLE, cy: MIDDLE, r: RADIUS }));
    const around = this.flat
      ? [this.flatRegion(seen)]
      : cutPieces(pieces, this.facing).map((piece) =>
          piece.flatMap((v, i) => arc(v, piece[(i + 1) % piece.length], 8)),
        );
    this.region.replaceChildren(
      ...around.map((piece) => {
        const points = piece.map((v) =>
          this.projected(v)
            .map((one) => one.toFixed(1))
            .join(","),
        );
        return s("polygon", { points: points.join(" ") });
      }),
    );
  }

  /** The weights whose scores are at least what the learner aims at, within the picture. @param {number[]} seen */
  flatRegion(seen) {
    const aim = this.scale * (this.trace.aim ?? 0);
    let piece = Array.from({ length: 72 }, (_, i) => {
      const angle = (Math.PI * i) / 36;
      return [Math.cos(angle), Math.sin(angle), 0];
    });
    for (const i of seen) {
      const [n1, n2] = this.normals[i];
      const inside = (/** @type {Vector} */ v) => n1 * v[0] + n2 * v[1] - aim;
      piece = piece.flatMap((v, k) => {
        const next = piece[(k + 1) % piece.length];
        const [from, to] = [inside(v), inside(next)];
        const part = from / (from - to);
        const edge = v.map((one, j) => one + part * (next[j] - one));
        return [...(from >= 0 ? [v] : []), ...(from >= 0 !== to >= 0 ? [edge] : [])];
      });
    }
    return piece;
  }

  /** The vectors that are at right angles to an example. @param {Vector} n */
  cutPath(n) {
    if (this.flat) {
      // Where the score is what the learner aims at: a step ends there, or goes at right angles to it.
      const [x, y] = unit([-n[1], n[0], 0]);
      const far = (this.scale * (this.trace.aim ?? 0)) / Math.hypot(n[0], n[1]);
      const half = Math.sqrt(Math.max(0, 1 - far * far));
      const ends = [-half, half].map((k) => this.projected([k * x + far * y, k * y - far * x, 0]));
      return `M${ends.map((end) => end.map((v) => v.toFixed(1)).join(" ")).join("L")}`;
    }
    const first = unit(cross(n, this.facing));
    const start = dot(first, first) ? first : this.axes[0];
    const over = unit(cross(start, n));
    const up = dot(over, this.facing) >= 0 ? over : over.map((v) => -v);
    let d = "";
    for (let k = 0; k <= 24; k++) {
      const [c, q] = [Math.cos((Math.PI * k) / 24), Math.sin((Math.PI * k) / 24)];
      const [x, y] = this.projected(start.map((v, i) => c * v + q * up[i]));
      d += `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    }
    return d;
  }

  /** @param {Vector[]} path @param {boolean} fresh  whether its last part is of the last step */
  drawTrail(path, fresh) {
    const parts = path.slice(1).map((to, i) => {
      const from = path[i];
      const straight = this.flat || this.solid || !dot(from, from) || !dot(to, to);
      const ways = straight ? [from, to] : arc(unit(from), unit(to), 10);
      const shown = ways.map((v) => this.seen(v)).filter(([, , front]) => front);
      const d = shown.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
      const last = fresh && i === path.length - 2;
      return s("path", {
        class: `trail${last ? " newest" : ""}`,
        d: dot(from, from) || this.flat || this.solid ? d : "",
      });
    });
    this.trail.replaceChildren(...parts);
  }

  /** @param {Vector} v */
  place(v) {
    this.now = v;
    const [x, y, front] = this.seen(v);
    setAll(this.dot, { cx: x.toFixed(1), cy: y.toFixed(1), class: `weight${front ? "" : " behind"}` });
    setAll(this.name, { x: (x + 11).toFixed(1), y: (y - 9).toFixed(1) });
  }

  /** Whether w is where it was after an earlier step. @param {Vector[]} path */
  closed(path) {
    const last = path[path.length - 1];
    const same = (/** @type {Vector} */ v) => v.every((a, i) => Math.abs(a - last[i]) < 1e-9);
    return path.length > 2 && path.slice(0, -1).some(same);
  }

  /** The cut of a point stands out. @param {number | null} index */
  light(index) {
    this.lit.setAttribute(
      "d",
      index === null || !this.trace || !this.normals[index] ? "" : this.cutPath(this.normals[index]),
    );
  }

  // -- w under the hand

  /** @param {PointerEvent} event */
  grip(event) {
    if (!this.trace) return;
    this.svg.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ at) => {
      const box = this.svg.getBoundingClientRect();
      this.take(
        (((at.clientX - box.left) / box.width) * SPACE - MIDDLE) / RADIUS,
        (MIDDLE - ((at.clientY - box.top) / box.height) * SPACE) / RADIUS,
      );
    };
    move(event);
    this.svg.onpointermove = move;
    this.svg.onpointerup = this.svg.onpointercancel = () => {
      this.svg.onpointermove = null;
    };
  }

  /** @param {KeyboardEvent} event */
  nudge(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.key === "Escape") {
      this.ondrag(null);
      this.show(this.t);
    } else if (way && this.now) {
      const [x, y] = this.seen(this.now);
      this.take((x - MIDDLE) / RADIUS + NUDGE * way[0], (MIDDLE - y) / RADIUS + NUDGE * way[1]);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** w is put where the hand is. @param {number} x @param {number} y  of the radius */
  take(x, y) {
    const far = Math.max(1, Math.hypot(x, y) / 0.999);
    [x, y] = [x / far, y / far];
    const [a, b] = this.axes;
    const depth = this.flat ? 0 : Math.sqrt(Math.max(0, 1 - x * x - y * y));
    const v = a.map((_, i) => x * a[i] + y * b[i] + depth * this.facing[i]);
    const long = this.flat || this.solid ? 1 / this.scale : Math.hypot(...(this.now ?? [1])) || 1;
    const w = v.map((one) => one * long);
    this.place(w);
    this.ondrag([w[0], w[1], this.flat ? 0 : w[2] * this.constant]);
  }
}
