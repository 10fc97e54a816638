// How mistakes grow with n: Winnow, the p-norm perceptron, the Perceptron; first a guess, then the run.
import { latest } from "../page/asking.js";
import { Chart } from "../page/chart.js";
import {
  button,
  editing,
  h,
  numberField,
  scroller,
  select,
  short,
  tableHead,
  tickable,
} from "../page/dom.js";
import { fitting, isMoment, isObject, unfit } from "../page/fitting.js";
import { pictures } from "../page/share.js";
import { Timeline } from "../page/timeline.js";

/** @import { Place, View } from "../page/view.d.ts" */

const SETTINGS = ["target", "k", "density", "p"];
const CONTENDERS = ["winnow", "p-norm", "perceptron"];
const HUES = ["p1", "p5", "p0"];
const GROWTH_START = {
  target: "few",
  k: 3,
  density: "half",
  p: 6,
  bounds: true,
  guess: /** @type {Record<string, number>} */ ({}),
  about: "perceptron",
  t: 3,
};
/** @type {[string, string][]} */
const DENSITY_NAMES = [
  ["half", "of the others half are 1"],
  ["tenth", "of the others a tenth are 1"],
  ["two", "of the others two are 1"],
];

/** @implements {View} */
export class GrowthView {
  /** @param {Place} place @param {any} given */
  constructor(place, given) {
    this.place = place;
    this.ask = place.ask;
    this.state = wellGrown(given, (name) => place.complain(unfit(name)));
    /** @type {{name: string, before: any}[]} */ this.past = [];
    this.veiled = place.veiled();
    /** @type {any} */ this.trace = null;
    this.timeline = new Timeline({ onstep: (t, by) => this.showTime(t, by) });
    this.timeline.clock.speed = 1;
    this.timeline.setSpeed(1.5);
    this.chart = new Chart("Mistakes against the number of variables, both on logarithmic axes", 620, 400);
    this.build();
    this.rerun = latest(
      (state, signal) => this.ask("growth.run", state, signal),
      (trace) => this.setTrace(trace),
      (error) => this.refused(error),
    );
    this.veil(this.veiled);
    this.changed();
  }

  /** An error is reported; if nothing was shown yet, the initial state is. @param {Error} error */
  refused(error) {
    this.place.complain(error.message);
    if (this.trace || this.failed) return;
    this.failed = true;
    this.state = wellGrown({}, () => {});
    this.changed();
  }

  build() {
    this.target = h(
      "div",
      { class: "segments", role: "group", "aria-label": "Which variables matter" },
      ...[
        ["few", "few matter"],
        ["half", "half of them matter"],
      ].map(([target, text]) => button(text, () => this.change("target", target), { "data-target": target })),
    );
    this.k = numberField("k", this.state.k, (k) => this.change("k", k), { min: 1, max: 8, step: 1 });
    this.density = select("How dense the examples are", DENSITY_NAMES, this.state.density, (density) =>
      this.change("density", density),
    );
    this.p = h("input", {
      type: "range",
      min: 2,
      max: 20,
      step: 0.5,
      "aria-label": "p of the p-norm perceptron",
      oninput: () => this.change("p", Number(this.p.value)),
    });
    this.pText = h("output", {});
    this.bounds = h("input", {
      type: "checkbox",
      onchange: () => {
        this.state.bounds = this.bounds.checked;
        this.showTime(this.timeline.t, "jump");
      },
    });
    this.guesses = h("div", { class: "row guesses", role: "group", "aria-label": "Your guesses" });
    this.say = h("p", { class: "words", "aria-live": "polite" });
    this.body = h("tbody", {});
    this.verdict = h("p", { class: "verdict" });
    const table = h(
      "table",
      { class: "figures" },
      tableHead(["learner", "mistakes", "bound", "power of n", "per doubling"]),
      this.body,
    );
    this.chart.el.addEventListener("click", (/** @type {MouseEvent} */ event) => {
      const value = Math.round(this.chart.valueAt(event)[1]);
      if (value >= 1) this.setGuess(this.state.about, value);
    });
    this.el = h(
      "section",
      { class: "view growth-view", "aria-label": "Growth" },
      h(
        "h1",
        { class: "headline" },
        "Twice as many variables, the same few that matter: how many more mistakes?",
      ),
      h(
        "div",
        { class: "toolbar" },
        ...editing(
          this.place.fixed,
          this.target,
          this.k,
          this.density,
          h("label", { class: "field growth-p" }, h("span", {}, "p"), this.p, this.pText),
        ),
        tickable("bounds", this.bounds),
      ),
      h(
        "div",
        { class: "columns" },
        h(
          "div",
          { class: "main" },
          this.chart.el,
          this.guesses,
          this.timeline.el,
          h("div", { class: "telling" }, this.say),
        ),
        h(
          "aside",
          { class: "side-column" },
          h("h2", { class: "side-title" }, "Mean of five seeds"),
          scroller("Figures of the learners", table),
          this.verdict,
        ),
      ),
    );
  }

  // -- changes of the state

  /** @param {string} name @param {any} value */
  change(name, value) {
    this.remember(name);
    this.state[name] = value;
    this.changed();
  }

  /** Changes of one control are undone together. @param {string} name */
  remember(name) {
    if (this.past.at(-1)?.name !== name || name === "guess")
      this.past.push({ name, before: structuredClone(this.state) });
    if (this.past.length > 100) this.past.shift();
  }

  undo() {
    const last = this.past.pop();
    if (!last) {
      this.place.tell("Nothing to undo.");
      return;
    }
    this.state = { ...last.before, t: this.state.t };
    this.changed();
  }

  changed() {
    const { state } = this;
    for (const one of this.target.children)
      one.setAttribute("aria-pressed", String(one.dataset.target === state.target));
    this.k.hidden = state.target === "half";
    this.k.querySelector("input").value = String(state.k);
    this.density.value = state.density;
    this.p.value = String(state.p);
    this.pText.textContent = short(state.p);
    this.bounds.checked = state.bounds;
    this.place.save(state);
    this.rerun(this.run());
  }

  run() {
    return Object.fromEntries(SETTINGS.map((name) => [name, this.state[name]]));
  }

  /** @param {string} name @param {number | null} value */
  setGuess(name, value) {
    this.remember("guess");
    const guess = { ...this.state.guess };
    if (value === null) delete guess[name];
    else guess[name] = value;
    Object.assign(this.state, { guess, about: name });
    this.place.save(this.state);
    this.showGuesses();
    this.showTime(this.timeline.t, "run");
  }

  showGuesses() {
    const largest = this.trace.sizes.at(-1);
    this.guesses.replaceChildren(
      h("span", {}, `Your guess for n = ${short(largest)}:`),
      ...this.trace.learners.map((/** @type {any} */ learner, /** @type {number} */ i) => {
        const input = h("input", {
          type: "number",
          min: 1,
          max: 1e7,
          step: 1,
          value: this.state.guess[learner.name] ?? "",
          "aria-label": `Your guess for ${learner.title}`,
          onfocus: () => {
            this.state.about = learner.name;
          },
          onchange: () => {
            const value = Number(input.value);
            this.setGuess(learner.name, value >= 1 ? Math.min(1e7, Math.round(value)) : null);
          },
        });
        const name = h("span", {}, h("span", { class: `swatch ${HUES[i]}` }), learner.title);
        return h("label", { class: "field" }, name, input);
      }),
      h("span", { class: "hint" }, "or press in the chart"),
    );
  }

  // -- what was measured

  /** @param {any} trace */
  setTrace(trace) {
    this.trace = trace;
    this.timeline.setRun(trace.sizes.length, [], this.state.t);
    this.showGuesses();
    this.showTime(this.timeline.t, "run");
    this.place.ready();
  }

  /** The first t sizes. @param {number} t @param {string} by */
  showTime(t, by) {
    if (!this.trace) return;
    if (by !== "play") {
      this.state.t = t === this.timeline.length ? null : t;
      this.place.save(this.state);
    }
    this.drawCurves(t);
    this.drawRows(t);
    this.tell(t);
  }

  /** @param {number} t */
  drawCurves(t) {
    const { sizes, learners } = this.trace;
    const { guess } = this.state;
    const end = sizes.length - 1;
    /** @type {any[]} */ const series = [];
    /** @type {any[]} */ const areas = [];
    const at = (/** @type {number[]} */ values, count = t) =>
      values.slice(0, count).map((v, i) => /** @type {[number, number]} */ ([sizes[i], v]));
    let top = 100;
    learners.forEach((/** @type {any} */ learner, /** @type {number} */ i) => {
      const name = HUES[i];
      const rows = /** @type {number[][]} */ (learner.mistakes);
      areas.push({
        class: name,
        low: at(rows.map((row) => Math.min(...row))),
        high: at(rows.map((row) => Math.max(...row))),
      });
      series.push({ class: name, label: learner.title, points: at(learner.mean) });
      if (this.state.bounds)
        series.push({ class: `${name} growth-bound`, label: "", points: at(learner.bound), whole: true });
      if (guess[learner.name] && t <= end && t > 0)
        series.push({
          class: `${name} growth-guess`,
          label: "",
          points: [
            [sizes[t - 1], learner.mean[t - 1]],
            [sizes[end], guess[learner.name]],
          ],
          whole: true,
        });
      if (guess[learner.name] && t > end)
        series.push({
          class: `${name} growth-guess`,
          label: "",
          points: [[sizes[end], guess[learner.name]]],
          whole: true,
        });
      const seen = this.veiled ? learner.mean.slice(0, t) : learner.mean; // not even the scale says what comes
      top = Math.max(top, ...seen, guess[learner.name] ?? 0);
      if (this.state.bounds && !this.veiled && i !== 1) top = Math.max(top, learner.bound[end]);
    });
    if (this.veiled) top = Math.max(top, 10_000);
    this.chart.draw(
      {
        xMin: sizes[0],
        xMax: sizes[end],
        xLog: true,
        xTicks: sizes,
        yMin: 10,
        yMax: top * 1.3,
        log: true,
        xName: "variables n",
        yName: "mistakes",
      },
      series.map((line) => ({
        ...line,
        points: line.points.filter((/** @type {number[]} */ p) => p[1] <= top * 1.3),
      })),
      [],
      areas,
    );
  }

  /** @param {number} t */
  drawRows(t) {
    this.body.replaceChildren(
      ...this.trace.learners.map((/** @type {any} */ learner, /** @type {number} */ i) => {
        const power = t > 1 ? `${learner.power[t].toFixed(2)}` : "–";
        const cells = t
          ? [
              short(learner.mean[t - 1]),
              `≤ ${short(learner.bound[t - 1])}`,
              power,
              t > 1 ? short(learner.doubling[t]) : "–",
            ]
          : ["–", "–", "–", "–"];
        return h(
          "tr",
          {},
          h("th", { scope: "row" }, h("span", { class: `swatch ${HUES[i]}` }), " ", learner.title),
          ...cells.map((text) => h("td", {}, text)),
        );
      }),
    );
    this.verdict.textContent =
      "Mistakes that grow like log n rise by the same number whenever n doubles; with power 1 they double. The dotted lines are the bounds: " +
      "Winnow 3k·(1\u00a0+\u00a0log₂\u00a0n)\u00a0+\u00a02, Perceptron R²·(4k\u00a0+\u00a01), p‑norm (p\u00a0−\u00a01)·X²·‖u‖². R and X are the length of the longest example, in the 2‑norm and " +
      "the p‑norm; u are weights that have every example at least 1 on its side, in the dual norm." +
      (this.trace.settled ? "" : " Some runs were stopped after 40 passes: their mistakes would grow on.");
  }

  /** @param {number} t */
  tell(t) {
    const { sizes, relevant, learners } = this.trace;
    if (!t) {
      this.say.textContent = "Guess first, then press Play: each step doubles the variables.";
      return;
    }
    const counts = learners.map((/** @type {any} */ l) => `${l.title}: ${short(l.mean[t - 1])}`).join(", ");
    let text = `n = ${short(sizes[t - 1])}, of which ${short(relevant[t - 1])} matter. Mistakes of ${counts}.`;
    if (t === sizes.length) {
      const grown = learners
        .map((/** @type {any} */ l) => `${l.title} ${short(l.mean[t - 1] / l.mean[0])} times`)
        .join(", ");
      text += ` From n = ${sizes[0]} on, with ${sizes[t - 1] / sizes[0]} times the variables, mistakes grew: ${grown}.`;
      const told = learners.filter((/** @type {any} */ l) => this.state.guess[l.name]);
      for (const l of told)
        text += ` You guessed ${short(this.state.guess[l.name])} for ${l.title}: it is ${short(l.mean[t - 1])}.`;
    }
    this.say.textContent = text;
  }

  // -- the interface of a view

  /** @param {boolean} on */
  veil(on) {
    this.veiled = on;
    this.timeline.veil(on);
    if (this.trace) this.showTime(this.timeline.t, "run");
  }

  /** A lesson shows what it asked about. @param {any} patch */
  set(patch) {
    Object.assign(this.state, patch);
    if (Object.keys(patch).some((name) => name !== "t")) this.changed();
    else this.timeline.go(this.state.t ?? this.timeline.length, "jump");
  }

  /** @param {number} from @param {number | null} to */
  play(from, to) {
    this.timeline.playPart(from, to);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    return this.timeline.key(event, this.place.presenting());
  }

  figure() {
    return { title: "Mistakes against n", panels: [], chart: this.chart.el, around: this.el };
  }

  exports() {
    return pictures(
      (kind) => `Picture of the growth (${kind})`,
      () => this.chart.el,
      "growth",
    );
  }

  python() {
    return { file: "growth.py", code: async () => (await this.ask("growth.python", this.run())).python };
  }

  destroy() {
    this.timeline.pause();
  }
}

/** A state from a link. @param {any} given @param {(name: string) => void} wrong */
function wellGrown(given, wrong) {
  return fitting(
    given,
    GROWTH_START,
    {
      target: (v) => v === "few" || v === "half",
      k: (v) => Number.isInteger(v) && v >= 1 && v <= 8,
      density: (v) => DENSITY_NAMES.some(([name]) => name === v),
      p: (v) => typeof v === "number" && v >= 2 && v <= 40,
      bounds: (v) => typeof v === "boolean",
      guess: (v) => isObject(v) && Object.values(v).every((n) => typeof n === "number" && n >= 1 && n <= 1e7),
      about: (v) => CONTENDERS.includes(v),
      t: isMoment,
    },
    wrong,
  );
}
