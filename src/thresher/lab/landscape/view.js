// The loss landscape: points on the left, J(w) on the right, and several ways down it.
import { latest } from "../page/asking.js";
import { Chart } from "../page/chart.js";
import {
  button,
  editing,
  fact,
  h,
  raised,
  menu,
  numberField,
  scroller,
  select,
  short,
  tableHead,
} from "../page/dom.js";
import { editable } from "../page/editing.js";
import { unfit } from "../page/fitting.js";
import { windowOf } from "../page/geometry.js";
import { pictures } from "../page/share.js";
import { Telling } from "../page/telling.js";
import { Timeline } from "../page/timeline.js";
import { ContoursDrawing, PointsDrawing } from "./drawings.js";
import { MADE, soundLandscape } from "./state.js";

/** @import { Place, View } from "../page/view.d.ts" */

const WANTED = ["task", "points", "loss", "eta", "epsilon", "steps"];
const SINGLE = ["online", "pa", "rls"]; // paths that see one point a step
/** @type {[string, string][]} */
const LOSS_NAMES = [
  ["perceptron", "perceptron: max(0, −m)"],
  ["hinge", "hinge: max(0, 1 − m)"],
  ["squared", "squared: (1 − m)²"],
  ["0/1", "0/1: is it wrong"],
];
const COLOURS_OF = /** @type {Record<string, string>} */ ({
  batch: "p6",
  online: "p2",
  "line search": "p1",
  rls: "p5",
  pa: "p3",
});
const SHORT = /** @type {Record<string, string>} */ ({ rls: "RLS", pa: "PA" });

/** @implements {View} */
export class LandscapeView {
  /** @param {Place} place @param {any} given */
  constructor(place, given) {
    this.place = place;
    this.ask = place.ask;
    this.state = soundLandscape(given, (name) => place.complain(unfit(name)));
    this.past = /** @type {number[][][]} */ ([]);
    this.veiled = place.veiled();
    /** @type {any} */ this.trace = null;
    /** @type {any} */ this.surface = null;
    this.timeline = new Timeline({ onstep: (t, by) => this.showTime(t, by) });
    this.telling = new Telling();
    this.window = windowOf([]);
    this.plot = new PointsDrawing(Boolean(place.fixed));
    this.contours = new ContoursDrawing();
    this.chart = new Chart("J of each path over its steps");
    this.build();
    this.rerun = latest(
      async (state, signal) => {
        const [surface, run] = await Promise.all([
          this.ask("landscape.surface", state, signal),
          this.ask("landscape.run", state, signal),
        ]);
        return { surface, run };
      },
      (answer, state) => this.setTrace(answer, state),
      (error) => this.refused(error),
    );
    this.explain = latest(
      (step, signal) => this.ask("landscape.explain", step, signal),
      (answer, step) => {
        if (step.t === this.timeline.t) this.showWords(answer);
      },
      (error) => this.showWords({ words: error.message }),
    );
    this.telling.choose(this.state.tab);
    this.telling.onchoose = () => {
      this.state.tab = this.telling.chosen;
      this.place.save(this.state);
    };
    this.veil(this.veiled);
    this.start();
  }

  async start() {
    try {
      if (!this.state.points) this.state.points = await this.made();
      this.fit();
      this.changed();
    } catch (error) {
      this.refused(/** @type {Error} */ (error));
    }
  }

  async made() {
    const { task, made } = this.state;
    return (await this.ask("landscape.generate", { task, ...made })).points;
  }

  /** An error is reported; if nothing was shown yet, the initial state is. @param {Error} error */
  refused(error) {
    this.place.complain(error.message);
    if (this.trace || this.failed) return;
    this.failed = true;
    this.state = soundLandscape({}, () => {});
    this.start();
  }

  build() {
    const { state } = this;
    this.task = h(
      "div",
      { class: "segments", role: "group", "aria-label": "What is learned" },
      ...[
        ["regress", "regression"],
        ["classify", "classification"],
      ].map(([task, text]) => button(text, () => this.setTask(task), { "data-task": task })),
    );
    this.loss = select("Loss", LOSS_NAMES, state.loss, (loss) => this.change({ loss }));
    this.rate = h("input", {
      type: "range",
      min: 1,
      max: 100,
      step: 1,
      "aria-label": "η, the rate",
      oninput: () => this.slide(Number(this.rate.value)),
    });
    this.rateText = h("output", {});
    this.rateField = h("label", { class: "eta" }, h("span", {}, "η"), this.rate, this.rateText);
    this.steps = numberField("steps", state.steps, (steps) => this.change({ steps, t: null }), {
      min: 1,
      max: 150,
      step: 1,
    });
    this.epsilon = numberField("ε", state.epsilon, (epsilon) => this.change({ epsilon }), {
      min: 0,
      max: 1000,
      step: "any",
      title: "The error that costs PassiveAggressiveRegressor nothing",
    });
    this.choice = h("div", { class: "segments small ways-choice", role: "group", "aria-label": "Explained" });
    this.facts = h("dl", { class: "facts" });
    this.body = h("tbody", {});
    const table = h("table", { class: "figures" }, tableHead(["path", "w", "J(w)"]), this.body);
    const panel = (/** @type {string} */ name, /** @type {any} */ layers) => {
      const head = h("strong", {}, name);
      const foot = h("p", { class: "foot" });
      return {
        head,
        foot,
        el: h("article", { class: "panel", "aria-label": name }, h("header", {}, head), layers, foot),
      };
    };
    const points = panel("Points", this.plot.layers);
    const landscape = panel("J(w)", this.contours.layers);
    this.leftFoot = points.foot;
    this.rightFoot = landscape.foot;
    this.el = h(
      "section",
      { class: "view plane-view landscape-view", "data-panels": "2", "aria-label": "Landscape" },
      h(
        "h1",
        { class: "headline" },
        "Each line on the left is a point on the right. Learning is a way down to the lowest one.",
      ),
      h(
        "div",
        { class: "toolbar" },
        ...editing(
          this.place.fixed,
          this.task,
          this.loss,
          menu("Data", () => this.dataMenu()),
          this.steps,
          this.epsilon,
          this.rateField,
        ),
      ),
      h(
        "div",
        { class: "columns" },
        h(
          "div",
          { class: "main" },
          h("div", { class: "panels", "data-count": "2" }, points.el, landscape.el),
          this.timeline.el,
          this.choice,
          this.telling.el,
        ),
        h(
          "aside",
          { class: "side-column" },
          h("h2", { class: "side-title" }, "J over the steps"),
          this.facts,
          this.chart.el,
          scroller("The paths", table),
        ),
      ),
    );
    if (this.place.fixed) return;
    editable(this.plot, {
      points: () => this.state.points,
      window: () => this.window,
      label: () => 1,
      relabel: (label) => (this.regress ? label : -label),
      labelOf: (key) => ({ "+": 1, "-": this.regress ? 1 : -1 })[key] ?? null,
      sign: (label) => (this.regress ? "point" : label > 0 ? "+" : "−"),
      change: (points, note) => this.edit(points, note, true),
      say: (text) => this.telling.report(text),
      remember: () => this.remember(),
    });
  }

  get regress() {
    return this.state.task === "regress";
  }

  dataMenu() {
    const made = { ...MADE, ...this.state.made };
    const set = async (/** @type {any} */ patch) => {
      Object.assign(made, patch);
      this.state.made = { ...made };
      try {
        this.edit(await this.made(), "");
      } catch (error) {
        this.place.complain(/** @type {Error} */ (error).message);
      }
    };
    return [
      numberField("points", made.size, (size) => set({ size }), { min: 2, max: 200, step: 1 }),
      numberField("noise", made.noise, (noise) => set({ noise }), { min: 0, max: 1, step: 0.01 }),
      numberField("seed", made.seed, (seed) => set({ seed }), { min: 0, max: 4294967295, step: 1 }),
      button("Another", () => set({ seed: made.seed + 1 })),
    ];
  }

  // -- the rate

  /** The rate at the right end of the slider. */
  get mostEta() {
    const top = this.surface?.eta_max;
    return top ? 1.5 * top : 2;
  }

  /** @param {number} share  of the slider, in per cent */
  slide(share) {
    this.change({ eta: Number(((share / 100) * this.mostEta).toPrecision(3)) });
  }

  showRate() {
    const { eta } = this.state;
    const top = this.surface?.eta_max;
    this.rate.value = String(Math.round((100 * eta) / this.mostEta));
    const beyond = Boolean(top && eta > top);
    this.rateField.classList.toggle("too-large", beyond);
    const limit = this.veiled ? "" : top ? ` ${beyond ? ">" : "≤"} 2/λ max = ${short(top)}` : "";
    this.rateText.textContent = `${short(eta)}${limit}`;
    this.rate.setAttribute("aria-valuetext", this.rateText.textContent);
  }

  // -- changes of the state

  /** @param {string} task */
  async setTask(task) {
    if (task === this.state.task) return;
    Object.assign(this.state, {
      task,
      made: { ...MADE, ...this.state.made, noise: task === "regress" ? MADE.noise : 0 },
      loss: task === "regress" ? "squared" : "perceptron",
      eta: task === "regress" ? 0.6 : 1,
      t: null,
    });
    try {
      const points = await this.made();
      this.past = [];
      this.state.points = points;
      this.fit();
      this.changed();
    } catch (error) {
      this.place.complain(/** @type {Error} */ (error).message);
    }
  }

  /** @param {any} patch */
  change(patch) {
    Object.assign(this.state, patch);
    this.changed();
  }

  changed() {
    const { state } = this;
    for (const one of this.task.children)
      one.setAttribute("aria-pressed", String(one.dataset.task === state.task));
    this.loss.hidden = this.regress;
    this.loss.value = state.loss;
    this.epsilon.hidden = !this.regress;
    this.epsilon.querySelector("input").value = String(state.epsilon);
    this.steps.querySelector("input").value = String(state.steps);
    this.showRate();
    this.place.save(state);
    this.rerun(this.run());
  }

  run() {
    return Object.fromEntries(WANTED.map((name) => [name, this.state[name]]));
  }

  /** @param {number[][]} points @param {string} note */
  edit(points, note, keepWindow = false) {
    if (!points.length) {
      this.place.tell("One point must stay: J is a mean.");
      return;
    }
    if (this.state.points.length !== points.length || !keepWindow) this.remember();
    this.state.points = points;
    if (keepWindow) this.plot.setPoints(points, this.window, this.regress);
    else this.fit();
    if (note) this.telling.report(note);
    this.changed();
  }

  fit() {
    this.window = windowOf(this.state.points);
    this.plot.setPoints(this.state.points, this.window, this.regress);
  }

  remember() {
    this.past.push(this.state.points);
    if (this.past.length > 100) this.past.shift();
  }

  undo() {
    const before = this.past.pop();
    if (!before) {
      this.place.tell("Nothing to undo.");
      return;
    }
    this.edit(before, "Undone.");
    this.past.pop(); // what was undone
  }

  // -- what a run has shown

  /** @param {any} answer @param {any} asked */
  setTrace({ surface, run }, asked) {
    this.surface = surface;
    this.trace = { ...run, asked };
    this.contours.setSurface(surface);
    this.showRate();
    const names = run.paths.map((/** @type {any} */ p) => p.name);
    if (!names.includes(this.state.subject)) this.state.subject = "online";
    this.choice.replaceChildren(
      ...run.paths.map((/** @type {any} */ path) => {
        const one = button("", () => this.setSubject(path.name), {
          "aria-pressed": String(path.name === this.state.subject),
        });
        one.append(h("span", { class: `swatch ${COLOURS_OF[path.name]}` }), path.title);
        return one;
      }),
    );
    this.timeline.setRun(asked.steps, [], this.state.t);
    this.showTime(this.timeline.t, "run");
    this.place.ready();
  }

  /** @param {string} name */
  setSubject(name) {
    this.state.subject = name;
    this.place.save(this.state);
    this.trace.paths.forEach((/** @type {any} */ path, /** @type {number} */ i) => {
      this.choice.children[i].setAttribute("aria-pressed", String(path.name === name));
    });
    this.showTime(this.timeline.t, "jump");
  }

  /** @param {number} t @param {string} by */
  showTime(t, by) {
    if (!this.trace) return;
    if (by !== "run") this.telling.release();
    if (by !== "play") {
      this.state.t = t === this.timeline.length ? null : t;
      this.place.save(this.state);
    }
    const paths = /** @type {any[]} */ (this.trace.paths);
    const subject = paths.findIndex((path) => path.name === this.state.subject);
    const now = paths.map((path) => path.w[Math.min(t, path.w.length - 1)]);
    const chosen = paths[subject];
    const one = SINGLE.includes(chosen.name) && t && t < chosen.w.length;
    const example = one ? (t - 1) % this.state.points.length : null;
    const epsilon = chosen.name === "pa" ? this.trace.asked.epsilon : null;
    this.plot.show(
      paths.map((path, i) => ({ class: COLOURS_OF[path.name], w: now[i] })),
      now[subject],
      example,
      epsilon,
    );
    this.contours.show(
      paths.map((path) => ({ class: COLOURS_OF[path.name], title: path.title, w: path.w.slice(0, t + 1) })),
      subject,
      epsilon !== null && example !== null ? { point: this.state.points[example], epsilon } : null,
    );
    this.leftFoot.textContent = this.regress
      ? `y = ${short(now[subject][0])}·x ${now[subject][1] < 0 ? "−" : "+"} ${short(Math.abs(now[subject][1]))}, ${chosen.title}`
      : "the lines through 0 where w·x = 0";
    this.rightFoot.textContent = this.trace.paths.some((/** @type {any} */ path) => path.name === "rls")
      ? "LMS, PA, RLS: one point a step; others: all"
      : "Perceptron: one point a step; others: all";
    this.drawFigures(t, paths, now);
    this.tell(t, chosen);
  }

  /** @param {number} t @param {any[]} paths @param {number[][]} now */
  drawFigures(t, paths, now) {
    const J = (/** @type {any} */ path) => path.J[Math.min(t, path.J.length - 1)];
    this.body.replaceChildren(
      ...paths.map((path, i) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, h("span", { class: `swatch ${COLOURS_OF[path.name]}` }), " ", path.title),
          h("td", {}, now[i].map(short).join(", ")),
          h("td", {}, short(J(path))),
        ),
      ),
    );
    const { surface } = this;
    const hidden = this.veiled;
    this.facts.replaceChildren(
      ...(surface.eta_max
        ? [
            fact("λ max", hidden ? "?" : short(surface.eigenvalues[1])),
            fact("λ min", hidden ? "?" : short(surface.eigenvalues[0])),
            fact("2/λ max", hidden ? "?" : short(surface.eta_max)),
            fact("lowest J", short(surface.least)),
          ]
        : [fact("points", this.state.points.length)]),
    );
    const shown = paths.map((path) => path.J.slice(0, t + 1));
    const all = shown.flat().filter((v) => v > 0);
    const top = Math.max(1e-3, ...all);
    const low = Math.max(1e-6, Math.min(...all, 1) / 1.5, top * 1e-12);
    const flat = !all.length; // J is 0 all the way, which has no place on a logarithmic axis
    const below = !flat && shown.flat().some((v) => v < low); // what is less is drawn at the lowest line
    this.chart.draw(
      {
        xMax: this.timeline.length,
        yMin: flat ? 0 : low,
        yMax: flat ? 1 : top * 1.5,
        log: !flat,
        xName: "steps",
        yName: "J",
        count: (/** @type {number} */ v) => (below && v <= 1.0001 * low ? "≤ " : "") + tenTo(v),
      },
      paths.map((path, i) => ({
        class: COLOURS_OF[path.name],
        label: SHORT[path.name] ?? path.title,
        brief: SHORT[path.name] ?? path.title.replace("BatchPerceptron", "batch").replace(" descent", ""),
        points: shown[i].map((/** @type {number} */ v, /** @type {number} */ k) => [k, v]),
      })),
    );
  }

  /** @param {number} t @param {any} path */
  tell(t, path) {
    this.telling.who.textContent = path.title;
    if (!t) {
      this.showWords({ words: "All begin at w = 0: press Play, or Step." });
      return;
    }
    this.explain({ state: this.trace.asked, path: path.name, t });
  }

  /** @param {import("../page/telling.js").Told} told */
  showWords(told) {
    this.telling.show(told, !this.timeline.playing);
  }

  // -- the interface of a view

  /** @param {boolean} on */
  veil(on) {
    this.veiled = on;
    this.timeline.veil(on);
    if (this.trace) {
      this.showRate();
      this.showTime(this.timeline.t, "run");
    }
  }

  /** A lesson shows what it asked about. @param {any} patch */
  set(patch) {
    Object.assign(this.state, patch);
    const redo = Object.keys(patch).some((name) => name !== "t" && name !== "subject");
    if (redo) this.changed();
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
    const { t, length } = this.timeline;
    return {
      title: `Ways down J(w), ${t} of ${length} steps, η = ${short(this.state.eta)}`,
      panels: [
        { name: "Points", layers: this.plot.pictures, foot: this.leftFoot.textContent ?? "" },
        { name: "J(w)", layers: [this.contours.el], foot: this.rightFoot.textContent ?? "" },
      ],
      chart: this.chart.el,
      around: this.el,
    };
  }

  exports() {
    return [
      ...pictures(
        (kind) => `Picture of J(w) (${kind})`,
        () => this.contours.el,
        "landscape",
      ),
      ...pictures(
        (kind) => `Picture of the points (${kind})`,
        () => this.plot.pictures,
        "points",
      ),
    ];
  }

  python() {
    return {
      file: "landscape.py",
      code: async () => (await this.ask("landscape.python", this.run())).python,
    };
  }

  destroy() {
    this.timeline.pause();
    this.telling.close();
  }
}

/** Large and small numbers of an axis as powers of ten. @param {number} v */
function tenTo(v) {
  if (!v || (v >= 1e-3 && v < 1e5)) return short(v);
  return `10${raised(Math.round(Math.log10(v)))}`;
}
