// The two pictures of a landscape: the points with the line of each path, and J(w) with the paths on it.
import { axesOf } from "../page/axes.js";
import { h, s, short } from "../page/dom.js";
import { SIZE, contour, halfPlane, levelLine, positiveCells, toPixels } from "../page/geometry.js";
import { LayeredDrawing } from "../page/layers.js";

/** @typedef {import("../page/geometry.js").Window} Window */

export class PointsDrawing extends LayeredDrawing {
  /** @param {boolean} picture  whether its points stay where they are */
  constructor(picture) {
    const keys =
      " Arrow keys move the cursor, + and − place a point, Enter picks up, x changes the label, Delete deletes.";
    super("The points." + (picture ? "" : keys), picture);
    this.lines = s("g");
    this.residuals = s("path", { class: "residual" });
    this.tube = s("g");
    this.ring = s("circle", { class: "ring", r: 13 });
    this.under.append(this.grid, this.tube, this.residuals, this.lines);
    this.over.append(this.ring);
    /** @type {number[][]} */ this.points = [];
    this.regress = true;
  }

  /** @param {number[][]} points @param {Window} window @param {boolean} regress */
  setPoints(points, window, regress) {
    [this.points, this.window, this.regress] = [points, window, regress];
    this.grid.replaceChildren(...axesOf(window, regress ? ["x", "y"] : undefined));
    this.dots.replaceChildren(
      ...points.map(([x, y, label]) => {
        const [px, py] = toPixels(window, x, y);
        const transform = `translate(${px.toFixed(1)} ${py.toFixed(1)})`;
        if (regress) return s("g", { class: "point target", transform }, s("circle", { r: 6 }));
        const d = label > 0 ? "M-4.5 0h9M0-4.5v9" : "M-4.5 0h9";
        return s(
          "g",
          { class: `point ${label > 0 ? "plus" : "minus"}`, transform },
          s("circle", { r: 9 }),
          s("path", { d }),
        );
      }),
    );
  }

  /**
   * @param {{class: string, w: number[]}[]} lines  of each path, now
   * @param {number[] | null} w  whose residuals are drawn
   * @param {number | null} example  that is looked at
   * @param {number | null} epsilon  the error that costs nothing, around the line of w
   */
  show(lines, w, example, epsilon) {
    const flat = (/** @type {number[]} */ v) => (this.regress ? [v[0], -1, v[1]] : [v[0], v[1], 0]);
    this.lines.replaceChildren(
      ...lines.flatMap(({ class: name, w: v }) => {
        const any = v.some((x) => x !== 0) || this.regress;
        return lineAt(`way-line ${name}`, any ? levelLine(this.window, flat(v)) : null);
      }),
    );
    const sides = w && epsilon !== null ? [epsilon, -epsilon] : [];
    this.tube.replaceChildren(
      ...sides.flatMap((level) => lineAt("tube", levelLine(this.window, flat(w ?? []), level))),
    );
    let d = "";
    if (this.regress && w)
      for (const [x, y] of this.points) {
        const [px, py] = toPixels(this.window, x, y);
        const at = Math.min(SIZE + 50, Math.max(-50, toPixels(this.window, x, w[0] * x + w[1])[1]));
        d += `M${px.toFixed(1)} ${py.toFixed(1)}V${at.toFixed(1)}`;
      }
    this.residuals.setAttribute("d", d);
    const point = example === null ? null : this.points[example];
    this.ring.setAttribute("display", point ? "inline" : "none");
    if (!point) return;
    const [cx, cy] = toPixels(this.window, point[0], point[1]);
    this.ring.setAttribute("cx", cx.toFixed(1));
    this.ring.setAttribute("cy", cy.toFixed(1));
  }
}

export class ContoursDrawing {
  constructor() {
    this.el = s("svg", {
      class: "contours",
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      role: "img",
      "aria-label": "J(w)",
    });
    this.bands = s("g");
    this.grid = s("g", { class: "axes" });
    this.levels = s("g");
    this.axes = s("g");
    this.strip = s("g");
    this.ways = s("g");
    this.notes = s("g");
    this.el.append(this.bands, this.levels, this.strip, this.grid, this.axes, this.ways, this.notes);
    this.layers = h("div", { class: "layers" }, this.el);
    /** @type {any} */ this.surface = null;
  }

  /** @param {any} surface  as Python gave it */
  setSurface(surface) {
    this.surface = surface;
    const { values, size, levels, window } = surface;
    const below = (/** @type {number} */ level) => values.map((/** @type {number} */ v) => level - v);
    this.bands.replaceChildren(
      ...levels.map((/** @type {number} */ level) =>
        s("path", { class: "band-below", d: positiveCells(below(level), size) }),
      ),
    );
    this.levels.replaceChildren(
      ...levels.map((/** @type {number} */ level) =>
        s("path", { class: "contour", d: contour(below(level), size) }),
      ),
    );
    this.grid.replaceChildren(...axesOf(window, []));
    this.drawAxes();
  }

  /** The lowest point, and from it the axes of the ellipses. */
  drawAxes() {
    const { lowest, axes, window } = this.surface;
    /** @type {Node[]} */ const out = [];
    const name = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text) =>
      s("text", { class: "line-note", x: x.toFixed(1), y: y.toFixed(1), "text-anchor": "middle" }, text);
    const up = this.surface.constant ? "w₀" : "w₂";
    /** @type {Node[]} */ const notes = [name(SIZE - 14, SIZE - 18, "w₁"), name(34, 16, up)]; // over all paths
    if (lowest) {
      const [cx, cy] = toPixels(window, lowest[0], lowest[1]);
      const top = Math.max(...axes.map((/** @type {any} */ a) => a.value));
      const least = Math.min(...axes.map((/** @type {any} */ a) => a.value));
      // Half axes go as 1/√λ: the longer one has a fixed length.
      const long = (0.42 * SIZE) / Math.max(1, Math.sqrt(top / Math.max(least, top / 64)) / 3.2);
      for (const { value, direction } of axes) {
        const far = Math.min(long, long * Math.sqrt(Math.max(least, top / 64) / Math.max(value, top / 64)));
        const [dx, dy] = [direction[0] * far, -direction[1] * far];
        const ends = { x1: cx - dx, y1: cy - dy, x2: cx + dx, y2: cy + dy };
        out.push(s("line", { class: "eigen", ...ends }));
        const sign = value === top ? "λ max" : "λ min";
        const away = (far + 16) / Math.max(far, 1);
        const at = [cx + dx * away, cy + dy * away].map((v) => Math.min(SIZE - 40, Math.max(40, v)));
        notes.push(name(at[0], at[1], `${sign} = ${short(value)}`));
      }
      out.push(s("path", { class: "lowest", d: `M${cx - 6} ${cy}h12M${cx} ${cy - 6}v12` }));
    }
    this.axes.replaceChildren(...out);
    this.notes.replaceChildren(...notes);
  }

  /**
   * @param {{class: string, title: string, w: number[][]}[]} ways  up to now
   * @param {number} subject
   * @param {{point: number[], epsilon: number} | null} strip  of an example: the weights within ε of its target
   */
  show(ways, subject, strip) {
    const { window } = this.surface;
    this.strip.replaceChildren(...(strip ? stripAround(window, strip.point, strip.epsilon) : []));
    const at = (/** @type {number[]} */ w) =>
      toPixels(window, w[0], w[1]).map((v) => Math.min(4 * SIZE, Math.max(-3 * SIZE, v)));
    /** @type {Node[]} */ const out = [];
    ways.forEach(({ class: name, w }, i) => {
      const pixels = w.map(at);
      const d = pixels.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
      out.push(s("path", { class: `way ${name}${i === subject ? " chosen" : ""}`, d }));
      if (pixels.length < 80)
        for (const [cx, cy] of pixels) out.push(s("circle", { class: `way-step ${name}`, cx, cy, r: 2 }));
      const [cx, cy] = pixels[pixels.length - 1];
      out.push(s("circle", { class: `way-end ${name}`, cx, cy, r: i === subject ? 7 : 5 }));
    });
    this.ways.replaceChildren(...out);
  }
}

/** @param {string} name @param {number[][] | null} ends */
function lineAt(name, ends) {
  if (!ends) return [];
  const [[x1, y1], [x2, y2]] = ends;
  return [s("line", { class: name, x1, y1, x2, y2 })];
}

/**
 * Where |y − (w₁·x + w₀)| ≤ ε: between two parallel lines.
 * @param {Window} window @param {number[]} point @param {number} epsilon
 */
function stripAround(window, [x, y], epsilon) {
  const sides = [epsilon, -epsilon].map((level) => halfPlane(window, [x, 1, -y], level));
  const lines = [epsilon, -epsilon].flatMap((level) =>
    lineAt("strip-side", levelLine(window, [x, 1, -y], level)),
  );
  // Above one line, and not above the other.
  const d = sides.map((corners) => (corners.length ? `M${corners.map((p) => p.join(" ")).join("L")}Z` : ""));
  return [s("path", { class: "strip", "fill-rule": "evenodd", d: d.join("") }), ...lines];
}
