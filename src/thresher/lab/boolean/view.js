// Boolean concepts: one target, the same examples, several learners; or two games to learn it by.
import { latest } from "../page/asking.js";
import { BarsDrawing, BitRow, SpaceDrawing } from "../page/bars.js";
import { Chart } from "../page/chart.js";
import {
  button,
  editing,
  h,
  labelled,
  menu,
  numberField,
  scroller,
  select,
  short,
  tableHead,
  tickable,
} from "../page/dom.js";
import { steppes, sums } from "../page/series.js";
import { WinnowLemmas } from "./proof.js";
import { briefName } from "../page/learners.js";
import { PROTOCOLS_START, Protocols } from "./protocols.js";
import { pictures } from "../page/share.js";
import { Telling } from "../page/telling.js";
import { Timeline } from "../page/timeline.js";

/** @import { LearnerEntry, PanelsState, Trace } from "../page/panels.d.ts" */
/** @import { Place, View } from "../page/view.d.ts" */

const BOOLEAN_RUN = ["target", "n", "examples", "draw", "density", "seed", "panels"];
const FORMS = /** @type {[string, string][]} */ ([
  ["or", "disjunction ∨"],
  ["and", "conjunction ∧"],
  ["of", "at least m of k"],
  ["xor", "parity ⊕"],
]);

/** What the page shows first: a disjunction of three of 32, all learners, in the middle of a run. */
export const BOOLEAN_START = {
  mode: "race",
  target: "x2 ∨ x5 ∨ x9",
  n: 32,
  examples: 120,
  draw: "half",
  density: 0.5,
  seed: 3,
  panels: ["winnow", "balanced", "winnow-r", "elimination", "halving", "perceptron"].map((learner) => ({
    learner,
    options: {},
  })),
  random: { form: "or", k: 3, m: 2, negated: false, seed: 0 },
  subject: 0,
  t: 40,
  ...PROTOCOLS_START,
};
const MODES = /** @type {[name: string, button: string, headline: string][]} */ ([
  ["race", "side by side", "Few of many variables matter. Who finds them with the fewest mistakes?"],
  ["ask", "I: you ask", "A conjunction is hidden. How few questions do you need to find it?"],
  ["teach", "II: you teach", "You know the conjunction. How few examples teach it?"],
]);

/** @implements {View} */
export class BooleanView {
  /** @param {Place} place @param {any} given */
  constructor(place, given) {
    this.place = place;
    this.ask = place.ask;
    const end = Object.keys(given).length ? { t: null } : {}; // a link or a lesson says when, or means the end
    /** @type {PanelsState} */
    this.state = { ...structuredClone(BOOLEAN_START), ...end, ...given };
    if (
      !Array.isArray(this.state.panels) ||
      !this.state.panels.every((p) => typeof p?.learner === "string")
    ) {
      place.complain("The panels of this link are damaged; here are those that the lab begins with.");
      this.state.panels = structuredClone(BOOLEAN_START.panels);
    }
    if (!Number.isInteger(this.state.t)) this.state.t = null;
    if (!Number.isInteger(this.state.subject)) this.state.subject = 0;
    /** @type {{drawing: any, el: any, foot: any, bound: any}[]} */ this.drawings = [];
    /** @type {Trace} */ this.trace = /** @type {any} */ (null); // no run yet
    /** @type {LearnerEntry[]} */ this.catalog = [];
    this.rebuilt = false; // the panels are new, and no run of theirs has arrived
    /** @type {any[]} */ this.bounds = [];
    /** @type {Int32Array[]} */ this.totals = [];
    /** @type {Int32Array[]} */ this.updates = [];
    this.veiled = false;
    this.failed = false;
    /** @type {{trace: Trace, panel: number} | null} */ this.proved = null; // what the proof is of
    this.timeline = new Timeline({ onstep: (t, by) => this.showTime(t, by) });
    this.lemmas = new WinnowLemmas();
    this.telling = new Telling({ proof: this.lemmas.el });
    this.bits = new BitRow();
    this.chart = new Chart("Mistakes of each learner over time, with its bound");
    this.protocols = new Protocols(place, () => this.state);
    this.build();
    this.rerun = latest(
      (state, signal) => this.ask("boolean.run", state, signal),
      (trace, state) => this.setTrace(trace, state),
      (error) => this.refused(error),
    );
    this.rebound = latest(
      (state, signal) => this.ask("boolean.bounds", state, signal),
      (found) => this.setBounds(found.bounds),
      (error) => this.setBounds(this.state.panels.map(() => ({ value: null, why: error.message }))),
    );
    this.explain = latest(
      (step, signal) => this.ask("boolean.explain", step, signal),
      (told, step) => {
        if (step.t === this.timeline.t) this.telling.show(told, !this.timeline.playing);
      },
      (error, step) => {
        if (step.t === this.timeline.t) this.telling.show({ words: error.message });
      },
    );
    this.prove = latest(
      ({ panel }, signal) => this.ask("boolean.proof", { state: this.question(), panel }, signal),
      (proof, about) => {
        if (about.trace === this.trace) this.lemmas.set(proof);
      },
      (error) => this.lemmas.set(null, error.message),
    );
    this.telling.onchoose = () => this.tellProof(this.timeline.t);
    this.veil(place.veiled());
    this.start();
  }

  async start() {
    try {
      this.catalog = (await this.ask("boolean.learners")).learners;
      this.buildPanels();
      this.setMode(this.state.mode);
    } catch (error) {
      this.refused(/** @type {Error} */ (error));
    }
  }

  /**
   * An error is shown next to the control that caused it; a link that cannot be read starts over.
   * @param {Error & {late?: boolean, column?: number}} error
   */
  refused(error) {
    if (!this.trace && !this.failed) {
      this.failed = true;
      this.place.complain(error.message);
      this.state = structuredClone(BOOLEAN_START);
      this.text.value = this.state.target;
      if (this.catalog.length) this.buildPanels();
      this.setMode(this.state.mode);
      return;
    }
    this.note.textContent = error.message;
    this.note.classList.add("failed");
    this.text.setAttribute("aria-invalid", String(!error.late));
    const { column } = error;
    if (column && this.text.getRootNode().activeElement === this.text)
      this.text.setSelectionRange(column - 1, column);
  }

  // -- elements of the page

  build() {
    const { state } = this;
    this.text = h("input", {
      type: "text",
      class: "target",
      value: state.target,
      "aria-label": "Target concept",
      spellcheck: "false",
      autocomplete: "off",
      maxlength: 2000,
      title: "x2 | x5 | x9, x1 & !x3, 2 of x1 x3 x4, (x1 or x2) and not x7, x1 ^ x2",
      onchange: () => this.change({ target: this.text.value }),
    });
    this.random = menu("Random", () => this.randomMenu());
    this.size = numberField("n", state.n, (n) => this.change({ n }), { min: 1, max: 1000, step: 1 });
    this.drawn = menu("Examples", () => this.examplesMenu());
    this.shown = menu("Learners", () => this.learnersMenu());
    this.note = h("p", { class: "note target-note", role: "status" });
    this.panels = h("div", { class: "panels boolean-panels" });
    this.table = h("table", { class: "figures" });
    this.modes = h(
      "div",
      { class: "segments", role: "group", "aria-label": "What to do" },
      ...MODES.map(([mode, text]) => button(text, () => this.setMode(mode), { "data-mode": mode })),
    );
    this.tools = h(
      "div",
      { class: "toolbar inner" },
      labelled("target", this.text),
      this.random,
      this.size,
      this.drawn,
      this.shown,
    );
    this.race = h(
      "div",
      {},
      this.note,
      h(
        "div",
        { class: "columns" },
        h("div", { class: "main" }, this.bits.el, this.panels, this.timeline.el, this.telling.el),
        h(
          "aside",
          { class: "side-column" },
          h("h2", {}, "Mistakes and bounds"),
          this.chart.el,
          scroller("Figures of the learners", this.table),
        ),
      ),
    );
    this.headline = h("h1", { class: "headline" });
    this.el = h(
      "section",
      { class: "view boolean-view", "aria-label": "Boolean" },
      this.headline,
      h("div", { class: "toolbar" }, ...editing(this.place.fixed, this.modes, this.tools)),
      this.race,
      this.protocols.el,
    );
  }

  /** @param {string} mode */
  setMode(mode) {
    const [known, , headline] = MODES.find(([name]) => name === mode) ?? MODES[0];
    this.state.mode = mode = known;
    this.headline.textContent = headline;
    for (const one of this.modes.children)
      one.setAttribute("aria-pressed", String(one.dataset.mode === mode));
    [this.race.hidden, this.tools.hidden, this.protocols.el.hidden] = [
      mode !== "race",
      mode !== "race",
      mode === "race",
    ];
    this.timeline.pause();
    this.protocols.stop();
    if (mode === "race") this.changed();
    else {
      this.place.save(this.state);
      this.protocols.open(mode);
    }
  }

  randomMenu() {
    const random = { ...BOOLEAN_START.random, ...this.state.random };
    const set = async (/** @type {any} */ patch) => {
      Object.assign(random, patch);
      try {
        const { target } = await this.ask("boolean.target", { ...random, n: this.state.n });
        this.text.value = target;
        this.change({ target, random: { ...random } });
      } catch (error) {
        this.refused(/** @type {Error} */ (error));
      }
    };
    const box = h("input", {
      type: "checkbox",
      checked: random.negated,
      onchange: () => set({ negated: box.checked }),
    });
    return [
      labelled(
        "form",
        select("form", FORMS, random.form, (form) => set({ form })),
      ),
      numberField("k variables", random.k, (k) => set({ k }), { min: 1, max: 100, step: 1 }),
      numberField("m (at least)", random.m, (m) => set({ m }), { min: 1, max: 100, step: 1 }),
      tickable("some negated", box),
      button("Another", () => set({ seed: random.seed + 1 })),
    ];
  }

  examplesMenu() {
    const { state } = this;
    return [
      numberField("examples", state.examples, (examples) => this.change({ examples }), {
        min: 1,
        max: 5000,
        step: 1,
      }),
      labelled(
        "drawn",
        select(
          "drawn",
          [
            ["half", "half of them positive"],
            ["uniform", "every bit by chance"],
          ],
          state.draw,
          (draw) => this.change({ draw }),
        ),
      ),
      numberField("share of 1s", state.density, (density) => this.change({ density }), {
        min: 0,
        max: 1,
        step: 0.05,
      }),
      numberField("seed", state.seed, (seed) => this.change({ seed }), { min: 0, max: 4294967295, step: 1 }),
      button("Others", () => this.change({ seed: this.state.seed + 1 })),
    ];
  }

  learnersMenu() {
    return this.catalog.map((entry) => {
      const box = h("input", {
        type: "checkbox",
        checked: this.state.panels.some((p) => p.learner === entry.short),
        onchange: () => {
          const kept = this.state.panels.filter((p) => p.learner !== entry.short);
          const order = this.catalog.map((c) => c.short);
          const panels = box.checked
            ? [...kept, { learner: entry.short, options: {} }].sort(
                (a, b) => order.indexOf(a.learner) - order.indexOf(b.learner),
              )
            : kept;
          if (panels.length) this.change({ panels }, true);
          else box.checked = true;
        },
      });
      return tickable(entry.title, box);
    });
  }

  buildPanels() {
    const { state } = this;
    state.subject = Math.max(0, Math.min(state.subject, state.panels.length - 1));
    this.drawings = state.panels.map((panel, i) => {
      const entry = this.catalog.find((c) => c.short === panel.learner);
      const title = entry?.title ?? panel.learner;
      const drawing =
        panel.learner === "halving"
          ? new SpaceDrawing("Concepts left over time")
          : new BarsDrawing(`Weights of ${title}`);
      const [foot, bound] = [h("p", { class: "foot" }), h("p", { class: "bound" })];
      const el = h(
        "article",
        { class: "panel", "aria-label": title },
        h(
          "header",
          {},
          h("span", { class: `swatch p${i}` }),
          button(title, () => this.setSubject(i), {
            class: "quiet title",
            "data-subject": i,
            title: "Tell the step of this learner",
          }),
          h("span", { class: "spring" }),
          ...(entry?.options.length
            ? editing(
                this.place.fixed,
                menu("⚙", () => this.optionFields(i), {
                  "aria-label": `Options of ${title}`,
                  class: "quiet",
                }),
              )
            : []),
        ),
        drawing.el,
        foot,
        bound,
      );
      return { drawing, el, foot, bound };
    });
    this.panels.replaceChildren(...this.drawings.map((d) => d.el));
    this.panels.dataset.count = this.el.dataset.panels = String(this.drawings.length);
    this.rebuilt = true;
    this.markSubject();
  }

  /** @param {number} i */
  optionFields(i) {
    const panel = this.state.panels[i];
    const entry = this.catalog.find((c) => c.short === panel.learner);
    if (!entry) return []; // its panel says that there is no such learner
    const set = (/** @type {string} */ name, /** @type {any} */ value, /** @type {any} */ usual) => {
      const options = { ...this.state.panels[i].options, [name]: value };
      if (value === usual) delete options[name];
      this.change({
        panels: this.state.panels.map((p, k) => (k === i ? { ...p, options } : p)),
      });
    };
    return entry.options.map((option) => {
      const value = panel.options[option.name] ?? option.default;
      if (typeof option.default === "boolean") {
        const box = h("input", {
          type: "checkbox",
          checked: value,
          onchange: () => set(option.name, box.checked, option.default),
        });
        return tickable(option.name, box);
      }
      const input = h("input", {
        type: "text",
        value: value ?? "",
        placeholder: option.default === null ? "n" : "",
        size: 7,
        "aria-label": option.name,
        onchange: () =>
          set(option.name, input.value.trim() === "" ? option.default : Number(input.value), option.default),
      });
      return labelled(option.name, input);
    });
  }

  // -- changes

  /** @param {any} patch */
  change(patch, rebuild = false) {
    Object.assign(this.state, patch);
    if (rebuild) this.buildPanels();
    this.changed();
  }

  changed() {
    this.place.save(this.state);
    this.rerun(this.question());
  }

  question() {
    return Object.fromEntries(BOOLEAN_RUN.map((name) => [name, this.state[name]]));
  }

  // -- a run

  /** @param {Trace} trace @param {any} state */
  setTrace(trace, state) {
    this.trace = trace;
    this.rebuilt = false;
    this.stream = {
      n: state.n,
      columns: trace.columns,
      literals: trace.literals,
      examples: trace.examples,
      labels: trace.labels,
    };
    this.note.classList.remove("failed");
    this.text.removeAttribute("aria-invalid");
    const positive = trace.labels.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
    this.note.textContent =
      `${trace.text}: ${trace.literals.length} of ${state.n} variables count; ` +
      `${positive} of ${trace.labels.length} examples are positive.`;
    trace.panels.forEach((panel, i) => {
      if (!panel.error && this.drawings[i]) this.drawings[i].drawing.setRun(panel, this.stream);
    });
    this.drawings.forEach(({ el }, i) => el.classList.toggle("off", Boolean(trace.panels[i]?.error)));
    this.totals = trace.panels.map((p) => sums(p.mistake ?? []));
    this.updates = trace.panels.map((p) => sums(p.update ?? []));
    this.timeline.setRun(
      trace.labels.length,
      trace.panels.map((p, i) => ({
        class: `p${i}`,
        at: p.mistake ?? [],
      })),
      this.state.t,
    );
    this.bounds = []; // those of another run would be untrue
    this.showTime(this.timeline.t, "jump");
    this.place.ready();
    this.rebound(state);
  }

  /** @param {any[]} bounds */
  setBounds(bounds) {
    this.bounds = bounds;
    this.showTime(this.timeline.t, "jump");
  }

  /** @param {number} t @param {string} by */
  showTime(t, by) {
    if (!this.trace) return;
    if (by !== "play") {
      this.state.t = t === this.timeline.length ? null : t;
      this.place.save(this.state);
    }
    if (this.rebuilt) return;
    this.bits.show(/** @type {any} */ (this.stream), t);
    this.drawings.forEach(({ drawing, foot, bound }, i) => {
      const panel = this.trace.panels[i];
      if (!panel) return;
      if (!panel.error) drawing.show(t);
      foot.classList.toggle("failed", Boolean(panel.error));
      foot.textContent = panel.error ?? stepText(panel, t, drawing.movedAt(t));
      const text = boundText(this.totals[i][t], this.veiled ? null : this.bounds[i]);
      bound.textContent = bound.title = panel.error ? "" : text + (panel.note && t ? ` ${panel.note}` : "");
    });
    this.drawChart(t);
    this.drawTable(t);
    this.tell(t);
    this.tellProof(t);
  }

  /** @param {number} t */
  tellProof(t) {
    if (!this.trace || this.telling.chosen !== "proof") return;
    if (this.proved?.trace !== this.trace || this.proved.panel !== this.state.subject) {
      this.proved = { trace: this.trace, panel: this.state.subject };
      this.prove(this.proved);
    }
    this.lemmas.show(t);
  }

  /** @param {number} t */
  drawChart(t) {
    const levels = (this.veiled ? [] : this.bounds)
      .map((b, i) =>
        b?.value
          ? {
              class: `p${i}`,
              label: `${b.theorem}: ${short(b.most)}`,
              brief: `≤ ${short(b.most)}`,
              value: b.value,
            }
          : null,
      )
      .filter((level) => level !== null);
    const top = Math.max(
      10,
      ...levels.map((/** @type {any} */ l) => l.value),
      ...this.totals.map((m) => m[this.veiled ? t : m.length - 1]),
    );
    const series = this.totals.map((total, i) => ({
      class: `p${i}`,
      label: this.trace.panels[i].title,
      brief: briefName(this.trace.panels[i].title),
      points: this.trace.panels[i].error ? [] : steppes(total, t),
    }));
    this.chart.draw(
      {
        xMax: this.timeline.length,
        yMin: 0.8,
        yMax: top * 1.4,
        log: true,
        xName: "examples",
        yName: "mistakes",
      },
      series,
      levels,
    );
  }

  /** @param {number} t */
  drawTable(t) {
    const rows = this.trace.panels.map((panel, i) => {
      const found = this.veiled ? null : this.bounds[i];
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, h("span", { class: `swatch p${i}` }), " ", panel.title),
        h("td", {}, panel.error ? "–" : this.totals[i][t]),
        h("td", {}, panel.error ? "–" : this.updates[i][t]),
        h(
          "td",
          {
            title: found?.value
              ? `${found.theorem}: ${found.statement}${found.comparator ? ` (${found.comparator})` : ""}`
              : (found?.why ?? ""),
          },
          found?.value ? `≤ ${short(found.most)}` : found ? "no bound" : this.veiled ? "?" : "…",
        ),
        h("td", {}, panel.error ? "–" : (panel.kept?.[t] ?? "")),
      );
    });
    this.table.replaceChildren(
      tableHead(["learner", "mistakes", "updates", "bound", "left"]),
      h("tbody", {}, ...rows),
    );
  }

  // -- the explanation of a step

  /** @param {number} i */
  setSubject(i) {
    this.state.subject = i;
    this.place.save(this.state);
    this.markSubject();
    if (this.trace) {
      this.tell(this.timeline.t);
      this.tellProof(this.timeline.t);
    }
  }

  markSubject() {
    this.drawings.forEach(({ el }, i) =>
      el.querySelector(".title")?.setAttribute("aria-pressed", String(i === this.state.subject)),
    );
  }

  /** @param {number} t */
  tell(t) {
    const i = this.state.subject ?? 0,
      panel = this.trace.panels[i];
    const who = panel?.title ?? "";
    this.telling.who.textContent = who;
    if (!panel || panel.error || !t) {
      this.telling.show({ words: panel?.error ?? "Nothing learned yet: press Play, or Step." });
      return;
    }
    this.telling.begin(
      `Example ${t}: the label is ${this.trace.labels[t - 1]}. ${panel.mistake[t - 1] ? "A mistake." : "Right."}`,
    );
    this.explain({ state: this.question(), panel: i, t });
  }

  // -- the interface of a view

  /** A part of the state changes: a lesson sets the scene. @param {any} patch */
  set(patch) {
    Object.assign(this.state, patch);
    this.text.value = this.state.target;
    this.size.querySelector("input").value = String(this.state.n);
    this.buildPanels();
    this.setMode(this.state.mode);
  }

  /** @param {number} from @param {number | null} to */
  play(from, to) {
    this.timeline.playPart(from, to);
  }

  /** @param {boolean} on */
  veil(on) {
    this.veiled = on;
    this.timeline.veil(on);
    if (this.trace && !on) this.showTime(this.timeline.t, "run");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    return this.state.mode === "race" && this.timeline.key(event, this.place.presenting());
  }

  figure() {
    if (this.state.mode !== "race") return null;
    const { t, length } = this.timeline;
    return {
      title: `${this.state.target} of ${this.state.n} variables, ${t} of ${length} examples`,
      panels: this.drawings.map(({ drawing, foot }, i) => ({
        name: this.trace.panels[i]?.title ?? "",
        layers: [drawing.el],
        foot: foot.textContent ?? "",
      })),
      chart: this.chart.el,
      around: this.el,
    };
  }

  exports() {
    if (this.state.mode !== "race") return [];
    const drawing = () => this.drawings[this.state.subject ?? 0].drawing.el;
    return pictures((kind) => `Picture of the panel (${kind})`, drawing, "boolean");
  }

  python() {
    if (this.state.mode !== "race") return this.protocols.python();
    return {
      file: "boolean.py",
      code: async () => (await this.ask("boolean.python", this.question())).python,
    };
  }

  destroy() {
    this.timeline.pause();
    this.protocols.destroy();
  }
}

/** @param {any} panel @param {number} t @param {number[]} moved */
function stepText(panel, t, [up, down]) {
  if (!t) return panel.class ? `${panel.class}` : "before the first example";
  const verdict = panel.mistake[t - 1] ? "✗ mistake" : "✓ right";
  if (panel.votes) return `votes ${panel.said[t - 1]} ${verdict} · ${panel.kept[t]} left`;
  const change = panel.left
    ? down
      ? ` ▼ ${down} deleted`
      : ""
    : `${up ? ` ▲ ${up}` : ""}${down ? ` ▼ ${down}` : ""}`;
  return `${panel.sum[t - 1]} → ${panel.said[t - 1]} ${verdict}${change}`;
}

/** @param {number} mistakes @param {any} found */
function boundText(mistakes, found) {
  const count = `${mistakes} ${mistakes === 1 ? "mistake" : "mistakes"}`;
  if (!found) return count;
  if (!found.value) return `${count} · no bound: ${found.why}`;
  return `${count} ≤ ${short(found.most)} · ${found.theorem}`;
}
