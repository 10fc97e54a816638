// Novikoff's proof while it happens: k·γ below, R·√k above, and between them w·u and ‖w‖ at each mistake.
import { steps } from "../page/chart.js";
import { button, editing, h, s, setAll, short } from "../page/dom.js";

/** @typedef {{at: number[], along: number[], norm: number[], gamma: number, R: number, bound: number, most: number}} Proof */

const [WEDGE_WIDE, WEDGE_HIGH, WEDGE_LEFT, WEDGE_RIGHT, WEDGE_TOP, WEDGE_BOTTOM] = [560, 290, 44, 66, 18, 40];
const DIAL = 74; // radius

export class NovikoffDrawing {
  /** @param {{fixed: string, worst: () => void, tight: () => void}} wishes */
  constructor(wishes) {
    this.wedge = s("svg", {
      class: "chart wedge",
      viewBox: `0 0 ${WEDGE_WIDE} ${WEDGE_HIGH}`,
      role: "img",
      onpointerdown: (/** @type {PointerEvent} */ event) => this.grip(event),
    });
    this.dial = s("svg", {
      class: "dial",
      viewBox: `${-DIAL - 12} ${-DIAL - 14} ${2 * DIAL + 24} ${DIAL + 44}`,
      role: "img",
    });
    this.said = h("p", { class: "proof-said" });
    this.slider = h("input", {
      type: "range",
      min: 0.3,
      max: 1,
      step: 0.01,
      value: 1,
      "aria-label": "γ in the proof",
      oninput: () => this.setShare(Number(this.slider.value)),
    });
    this.sliderName = h("output", {});
    this.body = h(
      "div",
      { class: "proof proof-body novikoff" },
      this.wedge,
      h(
        "div",
        { class: "proof-side" },
        this.dial,
        h("label", { class: "field" }, h("span", {}, "γ"), this.slider, this.sliderName),
        h(
          "div",
          { class: "row" },
          ...editing(
            wishes.fixed,
            button("Worst order", wishes.worst, { title: "Next is always the example that is most wrong" }),
            button("Nearly the worst points", wishes.tight, {
              title: "Points chosen against the perceptron",
            }),
          ),
        ),
      ),
    );
    this.problem = h("p", { class: "hint" });
    this.el = h("div", {}, this.said, this.problem); // the drawing has a place of its own
    /** @type {Proof | null} */ this.proof = null;
    this.t = 0;
    this.share = 1; // γ in the proof, of the largest there is
  }

  /** @param {Proof | null} proof @param {string} problem  why there is none */
  set(proof, problem = "") {
    this.proof = proof;
    this.problem.textContent = problem;
    this.body.hidden = this.said.hidden = !proof;
    this.draw();
  }

  /** @param {number} t */
  show(t) {
    this.t = t;
    this.draw();
  }

  /** @param {number} share */
  setShare(share) {
    this.share = Math.min(1, Math.max(0.3, share));
    this.slider.value = String(this.share);
    this.draw();
  }

  draw() {
    const { proof } = this;
    if (!proof) return;
    const { R, along, norm } = proof;
    const gamma = proof.gamma * this.share;
    const bound = (R / gamma) ** 2;
    const k = proof.at.filter((at) => at <= this.t).length;
    const most = (R / (0.3 * proof.gamma)) ** 2;
    const end = Math.min(1.12 * bound, most);
    const rooted = proof.at.length < bound / 6; // few mistakes: an axis by √k shows them larger
    const x = (/** @type {number} */ v) =>
      WEDGE_LEFT + (WEDGE_WIDE - WEDGE_LEFT - WEDGE_RIGHT) * (rooted ? Math.sqrt(v / end) : v / end);
    const high = R * Math.sqrt(end) * 1.04;
    const y = (/** @type {number} */ v) =>
      WEDGE_HIGH - WEDGE_BOTTOM - ((WEDGE_HIGH - WEDGE_TOP - WEDGE_BOTTOM) * v) / high;
    this.back = (/** @type {number} */ px) => {
      const share = Math.max(0, (px - WEDGE_LEFT) / (WEDGE_WIDE - WEDGE_LEFT - WEDGE_RIGHT));
      return end * (rooted ? share * share : share);
    };
    const curve = (/** @type {(v: number) => number} */ f, /** @type {number} */ to) =>
      Array.from({ length: 61 }, (_, i) => {
        const v = to * (i / 60) ** 2;
        return `${x(v).toFixed(1)} ${y(f(v)).toFixed(1)}`;
      });
    const above = (/** @type {number} */ v) => R * Math.sqrt(v);
    const below = (/** @type {number} */ v) => gamma * v;
    const run = (/** @type {number[]} */ values) =>
      ["0", ...values.slice(0, k)]
        .map((v, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(Number(v)).toFixed(1)}`)
        .join("");
    const name = (
      /** @type {string} */ kind,
      /** @type {number} */ v,
      /** @type {number} */ at,
      /** @type {string} */ text,
    ) => s("text", { class: `line-name ${kind}`, x: (x(v) + 8).toFixed(1), y: (y(at) + 4).toFixed(1) }, text);
    const shown = k > 0;
    this.wedge.replaceChildren(
      ...steps(0, high).map((v) =>
        s(
          "g",
          {},
          s("line", { class: "grid", x1: WEDGE_LEFT, x2: WEDGE_WIDE - WEDGE_RIGHT, y1: y(v), y2: y(v) }),
          s("text", { class: "tick-label", x: WEDGE_LEFT - 7, y: y(v) + 4, "text-anchor": "end" }, short(v)),
        ),
      ),
      ...(rooted ? squares(end) : steps(0, end)).map((v) =>
        s(
          "text",
          { class: "tick-label", x: x(v), y: WEDGE_HIGH - WEDGE_BOTTOM + 17, "text-anchor": "middle" },
          short(v),
        ),
      ),
      s(
        "text",
        { class: "axis-name", x: WEDGE_WIDE - WEDGE_RIGHT, y: WEDGE_HIGH - 5, "text-anchor": "end" },
        "mistakes k",
      ),
      s("path", {
        class: "allowed",
        d: `M${curve(above, bound).join("L")}L${curve(below, bound).reverse().join("L")}Z`,
      }),
      s("path", { class: "limit", d: `M${curve(above, end).join("L")}` }),
      s("path", { class: "limit", d: `M${curve(below, end).join("L")}` }),
      s(
        "text",
        {
          class: "line-name limit-name",
          x: x(0.45 * end),
          y: y(above(0.45 * end)) - 8,
          "text-anchor": "end",
        },
        "R·√k",
      ),
      s(
        "text",
        { class: "line-name limit-name", x: x(0.5 * bound) + 6, y: y(below(0.5 * bound)) + 16 },
        "k·γ",
      ),
      s("line", {
        class: "crossing",
        x1: x(bound),
        x2: x(bound),
        y1: y(above(bound)),
        y2: WEDGE_HIGH - WEDGE_BOTTOM,
      }),
      s("circle", { class: "handle", cx: x(bound), cy: y(above(bound)), r: 8 }),
      s(
        "text",
        {
          class: "line-name limit-name",
          x: x(bound) - 8,
          y: WEDGE_HIGH - WEDGE_BOTTOM - 8,
          "text-anchor": "end",
        },
        `R²/γ² = ${short(Math.floor(bound * (1 + 1e-9)))}`,
      ),
      s("path", { class: "line norm-line", d: run(norm) }),
      s("path", { class: "line along-line", d: run(along) }),
      ...(shown
        ? [
            s("circle", { class: "dot norm-line", cx: x(k), cy: y(norm[k - 1]), r: 4.5 }),
            s("circle", { class: "dot along-line", cx: x(k), cy: y(along[k - 1]), r: 4.5 }),
            name("norm-line", k, norm[k - 1] + 0.02 * high, "‖w‖"),
            name("along-line", k, along[k - 1] - 0.035 * high, "w·u"),
          ]
        : []),
    );
    this.drawDial(shown ? along[k - 1] / norm[k - 1] : null);
    this.sliderName.textContent = short(gamma);
    const chain = shown
      ? `k·γ = ${short(k * gamma)} ≤ w·u = ${short(along[k - 1])} ≤ ‖w‖ = ${short(norm[k - 1])} ≤ R·√k = ${short(R * Math.sqrt(k))}`
      : "no mistake yet";
    this.said.textContent =
      `After ${k} mistake${k === 1 ? "" : "s"}: ${chain}. ` +
      `The two sides meet at R²/γ² = ${short(Math.floor(bound * (1 + 1e-9)))}.`;
    setAll(this.wedge, { "aria-label": this.said.textContent });
  }

  /** The angle between w and u. @param {number | null} cosine */
  drawDial(cosine) {
    const angle = cosine === null ? null : Math.acos(Math.min(1, Math.max(-1, cosine)));
    const arc = (/** @type {number} */ a, /** @type {number} */ r) =>
      `${(r * Math.cos(a)).toFixed(1)} ${(-r * Math.sin(a)).toFixed(1)}`;
    setAll(this.dial, { "aria-label": cosine === null ? "No angle yet" : `cos θ = ${short(cosine)}` });
    this.dial.replaceChildren(
      s("path", { class: "dial-face", d: `M${-DIAL} 0A${DIAL} ${DIAL} 0 0 1 ${DIAL} 0` }),
      s("line", { class: "dial-u", x1: 0, y1: 0, x2: DIAL, y2: 0 }),
      s("text", { class: "line-name limit-name", x: DIAL - 4, y: 16, "text-anchor": "end" }, "u"),
      ...(angle === null
        ? []
        : [
            s("path", {
              class: "dial-angle",
              d: `M0 0L${arc(0, 0.45 * DIAL)}A${0.45 * DIAL} ${0.45 * DIAL} 0 0 0 ${arc(angle, 0.45 * DIAL)}Z`,
            }),
            s("line", {
              class: "dial-w",
              x1: 0,
              y1: 0,
              x2: DIAL * Math.cos(angle),
              y2: -DIAL * Math.sin(angle),
            }),
            s(
              "text",
              {
                class: "w-name",
                x: (DIAL + 2) * Math.cos(angle) * 0.9 - 10,
                y: -(DIAL + 4) * Math.sin(angle) - 4,
              },
              "w",
            ),
          ]),
      s(
        "text",
        { class: "dial-cos", x: 0, y: 26, "text-anchor": "middle" },
        cosine === null ? "cos θ" : `cos θ = ${short(cosine)}`,
      ),
    );
  }

  /** γ follows the crossing while it is dragged. @param {PointerEvent} event */
  grip(event) {
    if (!this.proof) return;
    const { R, gamma } = this.proof;
    const move = (/** @type {PointerEvent} */ at) => {
      const box = this.wedge.getBoundingClientRect();
      const k = this.back?.(((at.clientX - box.left) / box.width) * WEDGE_WIDE) ?? 0;
      if (k > 0) this.setShare(R / Math.sqrt(k) / gamma);
    };
    this.wedge.setPointerCapture(event.pointerId);
    this.wedge.onpointermove = move;
    this.wedge.onpointerup = this.wedge.onpointercancel = () => {
      this.wedge.onpointermove = null;
    };
  }
}

/** Round numbers whose roots are evenly spread. @param {number} end */
function squares(end) {
  const out = new Set([0]);
  for (const share of [0.05, 0.2, 0.45, 0.8]) {
    const power = 10 ** Math.floor(Math.log10(share * end));
    out.add(Math.round((share * end) / power) * power);
  }
  return [...out].filter((v) => v <= end);
}
