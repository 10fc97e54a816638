// The plane of the adversary: a line to drag, its past as ghosts, the learners' lines behind it.
import { h, s } from "../page/dom.js";
import { SIZE, fromPixels, halfPlane, levelLine, toPixels } from "../page/geometry.js";
import { Places } from "../page/places.js";

const VIEW = { left: -1.1, right: 1.1, bottom: -1.1, top: 1.1 };
const SHOWN = 40; // the last points that are drawn
const NAME_SIZE = 9.5; // of a follower's name
const REACH = 0.8; // of the handles from the line's middle

/** @param {number} angle @param {number} offset @returns {number[]} */
function unitLine(angle, offset) {
  const turn = (angle * Math.PI) / 180;
  return [Math.cos(turn), Math.sin(turn), -offset];
}

export class LineBoard {
  /** @param {{change: (line: {angle: number, offset: number}) => void, draw: () => void}} wishes */
  constructor(wishes) {
    this.wishes = wishes;
    this.angle = 0;
    this.offset = 0;
    /** @type {any} */ this.trace = null;
    this.svg = s("svg", {
      class: "plane board",
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      role: "application",
      tabindex: 0,
      "aria-label": "The target line. Left and right turn it, up and down shift it, Enter plays ten rounds.",
    });
    this.positive = s("polygon", { class: "side positive" });
    this.ghosts = s("g");
    this.followers = s("g");
    this.dots = s("g");
    this.ring = s("circle", { class: "ring", r: 13 });
    this.line = s("line", { class: "boundary target-line" });
    this.handles = [0, 1].map((end) =>
      s("circle", {
        class: "handle",
        r: 9,
        onpointerdown: (/** @type {PointerEvent} */ event) => this.grab(event, end),
      }),
    );
    this.svg.append(
      s("rect", { class: "side negative", width: SIZE, height: SIZE }),
      this.positive,
      this.ghosts,
      this.followers,
      this.dots,
      this.ring,
      this.line,
      ...this.handles,
    );
    this.svg.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    this.svg.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.drag(event));
    this.svg.addEventListener("pointerup", () => this.drop());
    this.svg.addEventListener("pointercancel", () => this.drop());
    this.el = h("div", { class: "line-board", hidden: true }, this.svg);
    this.held = -1;
  }

  /** @param {any} trace @param {any[]} moves */
  setGame(trace, moves) {
    this.trace = trace;
    const last = moves.filter((m) => m.do === "line").at(-1);
    if (last && this.held < 0) {
      this.angle = last.angle;
      this.offset = last.offset;
    }
  }

  /** @param {number} t */
  show(t) {
    const { trace } = this;
    if (!trace) return;
    const last = t === trace.points.length;
    const seen = trace.lines.filter((/** @type {any} */ one) => one[0] <= (last ? t : Math.max(0, t - 1)));
    const now = last ? unitLine(this.angle, this.offset) : seen.at(-1)[1];
    this.ghosts.replaceChildren(
      ...seen
        .slice(0, -1)
        .slice(-12)
        .map((/** @type {any} */ one, /** @type {number} */ i, /** @type {any[]} */ all) =>
          ends(
            s("line", { class: "ghost", opacity: (0.15 + (0.55 * (i + 1)) / all.length).toFixed(2) }),
            levelLine(VIEW, one[1]),
          ),
        ),
    );
    const points = trace.points.slice(Math.max(0, t - SHOWN), t);
    const dots = points.map((/** @type {number[]} */ [x, y]) => toPixels(VIEW, x, y));
    /** @type {(number[][] | null)[]} */ const lines = trace.panels.map((/** @type {any} */ panel) => {
      const w = panel.moves.w[panel.moves.at.findLastIndex((/** @type {number} */ at) => at <= t)];
      return w[0] || w[1] ? levelLine(VIEW, w) : null;
    });
    const places = new Places(dots, 8);
    places.lines = [...lines, levelLine(VIEW, now)].filter((at) => at !== null);
    this.followers.replaceChildren(
      ...trace.panels.map((/** @type {any} */ panel, /** @type {number} */ i) => {
        const at = lines[i];
        const name = at && places.take(panel.title, NAME_SIZE, alongside(at));
        return s(
          "g",
          { class: `p${i}` },
          ends(s("line", { class: "follower" }), at),
          name && s("text", { class: "follower-name", ...name }, panel.title),
        );
      }),
    );
    this.dots.replaceChildren(
      ...points.map((/** @type {number[]} */ [, , label], /** @type {number} */ i) => {
        const [px, py] = dots[i];
        return s(
          "g",
          {
            class: `point ${label > 0 ? "plus" : "minus"}`,
            transform: `translate(${px.toFixed(1)} ${py.toFixed(1)})`,
            opacity: (0.35 + (0.65 * (i + 1)) / points.length).toFixed(2),
          },
          s("circle", { r: 7 }),
          s("path", { d: label > 0 ? "M-3.5 0h7M0-3.5v7" : "M-3.5 0h7" }),
        );
      }),
    );
    const at = t ? toPixels(VIEW, trace.points[t - 1][0], trace.points[t - 1][1]) : null;
    this.ring.setAttribute("display", at ? "inline" : "none");
    if (at) {
      this.ring.setAttribute("cx", at[0].toFixed(1));
      this.ring.setAttribute("cy", at[1].toFixed(1));
    }
    this.drawTarget(now);
    for (const handle of this.handles) handle.setAttribute("display", last ? "inline" : "none");
  }

  /** @param {number[]} w */
  drawTarget(w) {
    this.positive.setAttribute(
      "points",
      halfPlane(VIEW, w)
        .map((p) => p.map((v) => v.toFixed(1)).join())
        .join(" "),
    );
    ends(this.line, levelLine(VIEW, w));
    this.handles.forEach((handle, end) => {
      const [x, y] = this.handleAt(end);
      const [px, py] = toPixels(VIEW, x, y);
      handle.setAttribute("cx", px.toFixed(1));
      handle.setAttribute("cy", py.toFixed(1));
    });
  }

  /** Where an end of the line is held. @param {number} end */
  handleAt(end) {
    const [c, n] = unitLine(this.angle, this.offset);
    const along = end ? REACH : -REACH;
    return [this.offset * c - along * n, this.offset * n + along * c];
  }

  /** @param {PointerEvent} event @param {number} end */
  grab(event, end) {
    this.held = end;
    this.svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (this.held < 0) return;
    const box = this.svg.getBoundingClientRect();
    const [x, y] = fromPixels(
      VIEW,
      ((event.clientX - box.left) / box.width) * SIZE,
      ((event.clientY - box.top) / box.height) * SIZE,
    );
    const [ox, oy] = this.handleAt(1 - this.held);
    const [dx, dy] = this.held ? [x - ox, y - oy] : [ox - x, oy - y];
    if (Math.hypot(dx, dy) < 0.05) return;
    const angle = Math.atan2(-dx, dy); // the side that is positive stays the same as the line turns
    this.set((angle * 180) / Math.PI, Math.cos(angle) * ox + Math.sin(angle) * oy);
    this.drawTarget(unitLine(this.angle, this.offset));
  }

  /** @param {number} angle @param {number} offset */
  set(angle, offset) {
    this.angle = Math.round(angle * 10) / 10;
    this.offset = Math.round(Math.min(0.8, Math.max(-0.8, offset)) * 1000) / 1000;
  }

  drop() {
    if (this.held < 0) return;
    this.held = -1;
    this.wishes.change({ angle: this.angle, offset: this.offset });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    /** @type {Record<string, [number, number]>} */
    const moves = { ArrowLeft: [5, 0], ArrowRight: [-5, 0], ArrowUp: [0, 0.05], ArrowDown: [0, -0.05] };
    const move = moves[event.key];
    if (event.key === "Enter") this.wishes.draw();
    else if (move) {
      this.set(((((this.angle + move[0] + 180) % 360) + 360) % 360) - 180, this.offset + move[1]);
      this.wishes.change({ angle: this.angle, offset: this.offset });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** @param {any} line @param {number[][] | null} at */
function ends(line, at) {
  line.setAttribute("display", at ? "inline" : "none");
  if (at)
    at.forEach(([x, y], k) => {
      line.setAttribute(`x${k + 1}`, x.toFixed(1));
      line.setAttribute(`y${k + 1}`, y.toFixed(1));
    });
  return line;
}

/** Places for a name on both sides of a line. @param {number[][]} line */
function alongside([[x1, y1], [x2, y2]]) {
  /** @type {import("../page/places.js").Spot[]} */ const spots = [];
  for (const part of [0.06, 0.94, 0.14, 0.86, 0.24, 0.76, 0.36, 0.64, 0.5]) {
    const [x, y] = [x1 + part * (x2 - x1), y1 + part * (y2 - y1)];
    spots.push({ x: x + 7, y: y + 4 }, { x: x - 7, y: y + 4, anchor: "end" });
    spots.push({ x, y: y - 7, anchor: "middle" }, { x, y: y + 14, anchor: "middle" });
  }
  return spots;
}
