// The plane: the same points, in the same order, for several learners at once.
import { latest } from "../page/asking.js";
import { Chart } from "../page/chart.js";
import {
  button,
  fact,
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
import { windowOf } from "../page/geometry.js";
import { editable } from "./editing.js";
import { PanelDrawing } from "./panel.js";
import { PLANE_START, sound } from "./state.js";
import { sums, sumTo, steppes } from "../page/series.js";
import { pictures } from "../page/share.js";
import { sampled } from "./table.js";
import { Telling } from "../page/telling.js";
import { Timeline } from "../page/timeline.js";

/** @import { Level } from "../page/chart.js" */
/** @import { LearnerEntry, PanelsState, Trace } from "../page/panels.d.ts" */
/** @import { Place, View } from "../page/view.d.ts" */

const RUN = ["points", "panels", "order", "epochs", "seed", "exact"];
const KINDS = /** @type {[string, string][]} */ ([
  ["separable", "separable"],
  ["noisy", "noisy labels"],
  ["xor", "XOR"],
  ["circles", "circles"],
  ["drifting", "drifting"],
]);

/** @typedef {{drawing: PanelDrawing, el: any, foot: any, apart: any, refine: (about: any) => void}} PanelParts */

/** @implements {View} */
export class PlaneView {
  /** @param {Place} place @param {any} given */
  constructor(place, given) {
    this.place = place;
    this.ask = place.ask;
    /** @type {PanelsState} */
    this.state = sound(given, (name) =>
      place.complain(
        `This link has something in “${name}” that the lab cannot show; that part is as at the start.`,
      ),
    );
    this.drawings = /** @type {PanelParts[]} */ ([]);
    this.past = /** @type {number[][][]} */ ([]);
    this.window = windowOf([]);
    this.votes = /** @type {number[] | null} */ (null);
    this.subject = 0; // the panel whose step is explained
    this.heard = 0; // until when an announcement stays
    /** @type {Trace} */ this.trace = /** @type {any} */ (null); // no run yet
    /** @type {LearnerEntry[]} */ this.catalog = [];
    /** @type {Int32Array[]} */ this.totals = [];
    /** @type {Level[]} */ this.levels = [];
    this.timeline = new Timeline({ onstep: (t, by) => this.showTime(t, by), before: () => this.mayStep() });
    this.telling = new Telling();
    this.chart = new Chart("Mistakes of each learner over time, with the bound");
    this.build();
    this.rerun = latest(
      (state, signal) => this.ask("plane.run", state, signal),
      (trace, state) => this.setTrace(trace, state),
      (error) => this.refused(error),
    );
    this.weigh = latest(
      (state, signal) => this.ask("plane.bounds", state, signal),
      (answer, state) => this.setBounds(answer.panels, state),
      (error, state) => this.setBounds([], state, error.message),
    );
    this.explain = latest(
      (step, signal) => this.ask("plane.explain", step, signal),
      (answer, step) => {
        if (step.sequence.length === this.timeline.t) this.showWords(answer);
      },
      (error) => this.showWords({ words: error.message }),
    );
    this.start();
  }

  async start() {
    try {
      this.catalog = (await this.ask("plane.learners")).learners;
      if (!this.state.points) await this.generate(this.state.made, true);
      else this.setPoints(this.state.points, "");
      this.buildPanels();
      this.changed();
    } catch (error) {
      this.refused(/** @type {Error} */ (error));
    }
  }

  /**
   * An error is reported; if nothing was shown yet, the initial state is.
   * @param {Error} error
   */
  refused(error) {
    this.place.complain(error.message);
    if (this.trace || this.failed) return;
    this.failed = true;
    this.state = structuredClone(PLANE_START);
    this.order.value = this.state.order;
    this.epochs.querySelector("input").value = String(this.state.epochs);
    this.exactBox.checked = this.state.exact;
    this.start();
  }

  // -- elements of the page

  build() {
    const { state } = this;
    this.sign = h(
      "div",
      { class: "segments", role: "group", "aria-label": "Label of new points" },
      ...[
        [1, "+ point"],
        [-1, "− point"],
      ].map(([label, text]) =>
        button(String(text), () => this.setLabel(Number(label)), {
          class: Number(label) > 0 ? "plus" : "minus",
          "data-label": label,
        }),
      ),
    );
    this.data = menu("Data", () => this.dataMenu());
    this.file = h("input", {
      type: "file",
      accept: ".csv,.tsv,.txt,text/csv",
      hidden: true,
      onchange: () => {
        if (this.file.files[0]) this.takeFile(this.file.files[0]);
        this.file.value = "";
      },
    });
    this.order = select(
      "Order of the examples",
      [
        ["given", "in the order given"],
        ["shuffled", "shuffled"],
        ["worst", "worst first"],
      ],
      state.order,
      (order) => this.change({ order }),
    );
    this.epochs = numberField("epochs", state.epochs, (epochs) => this.change({ epochs }), {
      min: 1,
      max: 500,
      step: 1,
    });
    this.meanBox = h("input", {
      type: "checkbox",
      checked: state.mean,
      onchange: () => {
        this.state.mean = this.meanBox.checked;
        this.showTime(this.timeline.t, "jump");
        this.place.save(this.state);
      },
    });
    this.exactBox = h("input", {
      type: "checkbox",
      checked: state.exact,
      title: "On fractions, as on paper: nothing is rounded",
      onchange: () => this.change({ exact: this.exactBox.checked }),
    });
    this.predictBox = h("input", { type: "checkbox", onchange: () => this.clearVote() });
    this.add = button(
      "+ learner",
      () =>
        this.change(
          { panels: [...this.state.panels, { learner: "perceptron", options: { average: false } }] },
          true,
        ),
      { class: "add", title: "One more learner, the same examples" },
    );
    this.note = h("p", { class: "note", role: "note" });
    this.panels = h("div", { class: "panels" });
    this.vote = h("div", { class: "vote", hidden: true });
    this.telling.say.before(this.vote);
    this.facts = h("dl", { class: "facts" });
    this.verdict = h("p", { class: "verdict" });
    this.table = h("table", { class: "figures" });
    this.bounding = h(
      "aside",
      { class: "side-column" },
      h("h2", {}, "Mistakes and the bound"),
      this.facts,
      this.verdict,
      this.chart.el,
      scroller("Figures of the learners", this.table),
    );
    this.el = h(
      "section",
      { class: "view plane-view", "aria-label": "Plane" },
      h(
        "div",
        { class: "toolbar" },
        this.sign,
        this.data,
        button("CSV", () => this.file.click(), { title: "Points from a table; or drop one on the page" }),
        this.file,
        this.order,
        this.epochs,
        tickable("averaged line", this.meanBox),
        tickable("exact", this.exactBox),
        tickable("predict first?", this.predictBox),
        this.add,
      ),
      this.note,
      h(
        "div",
        { class: "columns" },
        h("div", { class: "main" }, this.panels, this.timeline.el, this.telling.el),
        this.bounding,
      ),
    );
    this.setLabel(state.label);
    this.el.addEventListener("dragover", (/** @type {DragEvent} */ event) => event.preventDefault());
    this.el.addEventListener("drop", (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) this.takeFile(file);
    });
  }

  dataMenu() {
    const made = { ...PLANE_START.made, ...this.state.made };
    const set = (/** @type {any} */ patch) => {
      this.generate({ ...made, ...patch });
      Object.assign(made, patch);
    };
    return [
      labelled(
        "kind",
        select("kind", KINDS, made.kind, (kind) => set({ kind })),
      ),
      numberField("points", made.size, (size) => set({ size }), { min: 1, max: 2000, step: 1 }),
      numberField("margin γ", made.gamma, (gamma) => set({ gamma }), { min: 0, max: 0.9, step: 0.01 }),
      numberField("noise", made.noise, (noise) => set({ noise }), { min: 0, max: 0.5, step: 0.01 }),
      numberField("seed", made.seed, (seed) => set({ seed }), { min: 0, max: 4294967295, step: 1 }),
      h(
        "div",
        { class: "row" },
        button("Another", () => set({ seed: made.seed + 1 })),
        button("Clear all", () => {
          this.setPoints([], "No points: click in the plane to place some.");
          this.changed();
        }),
      ),
    ];
  }

  buildPanels() {
    const { state } = this;
    this.subject = Math.min(this.subject, Math.max(0, state.panels.length - 1));
    this.drawings = state.panels.map((panel, i) => {
      const drawing = new PanelDrawing(
        `${this.nameOf(panel)}: the plane. Arrow keys move the cursor, + and − place a point, ` +
          "Enter picks up, x relabels, Delete deletes.",
      );
      drawing.setPoints(state.points, this.window);
      editable(drawing, {
        points: () => this.state.points,
        window: () => this.window,
        label: () => this.state.label,
        change: (points, note) => {
          this.setPoints(points, note, true);
          this.changed();
        },
        say: (text) => this.announce(text),
        remember: () => this.remember(),
      });
      const foot = h("p", { class: "foot" });
      const apart = h("span", { class: "apart" }, this.apart(i));
      const options = menu("⚙", () => this.optionFields(i), {
        "aria-label": `Options of ${this.nameOf(panel)}`,
        class: "quiet",
      });
      const el = h(
        "article",
        { class: "panel", "aria-label": this.nameOf(panel), onpointerdown: () => this.setSubject(i) },
        h(
          "header",
          {},
          h("span", { class: `swatch p${i}` }),
          select(
            "Learner",
            this.catalog.map((c) => [c.short, c.name]),
            panel.learner,
            (learner) => this.changePanel(i, { learner, options: {} }),
          ),
          apart,
          options,
          button("×", () => this.removePanel(i), {
            class: "quiet",
            "aria-label": `Remove ${this.nameOf(panel)}`,
            disabled: state.panels.length < 2,
          }),
        ),
        drawing.layers,
        foot,
      );
      // For a curved boundary: only the newest question counts.
      const refine = latest(
        (about, signal) => this.ask("plane.field", about, signal),
        (field) => drawing.showField(field.scores, field.size),
        (error) => {
          foot.textContent += ` No boundary: ${error.message}`;
        },
      );
      return { drawing, el, foot, refine, apart };
    });
    this.panels.replaceChildren(...this.drawings.map((d) => d.el));
    this.add.disabled = state.panels.length >= 8;
    this.panels.dataset.count = String(this.drawings.length);
  }

  /** @param {number} i */
  optionFields(i) {
    const panel = this.state.panels[i];
    const entry = this.catalog.find((c) => c.short === panel.learner);
    if (!entry) return []; // its panel says that there is no such learner
    const set = (/** @type {string} */ name, /** @type {any} */ value) => {
      const options = { ...this.state.panels[i].options, [name]: value };
      if (value === entry.options.find((/** @type {any} */ o) => o.name === name).default)
        delete options[name];
      this.changePanel(i, { learner: panel.learner, options }, false);
    };
    return [
      h("p", { class: "hint" }, `${entry.update} (${entry.paper})`),
      ...entry.options.map((option) => {
        const value = panel.options[option.name] ?? option.default;
        if (typeof option.default === "boolean") {
          const box = h("input", {
            type: "checkbox",
            checked: value,
            onchange: () => set(option.name, box.checked),
          });
          return tickable(option.name, box);
        }
        if (option.choices.length)
          return labelled(
            option.name,
            select(
              option.name,
              option.choices.map((/** @type {string} */ c) => [c, c]),
              value,
              (v) => set(option.name, v),
            ),
          );
        const input = h("input", {
          type: "text",
          value: value ?? "",
          placeholder: option.none ? "none" : "",
          "aria-label": option.name,
          size: 7,
          onchange: () => {
            const text = input.value.trim();
            set(
              option.name,
              text === "" && option.none
                ? null
                : text !== "" && Number.isFinite(Number(text))
                  ? Number(text)
                  : text,
            );
          },
        });
        return labelled(option.name, input);
      }),
    ];
  }

  /** @param {any} panel */
  nameOf(panel) {
    const entry = this.catalog.find((c) => c.short === panel.learner);
    const options = Object.entries(panel.options ?? {})
      .map(([k, v]) => `${k}=${v}`)
      .join(", ");
    return (entry?.name ?? panel.learner) + (options ? ` (${options})` : "");
  }

  /**
   * The options by which a panel differs from others of the same learner.
   * @param {number} i
   */
  apart(i) {
    const { learner, options } = this.state.panels[i] ?? {};
    const others = this.state.panels.filter((p, k) => k !== i && p.learner === learner);
    /** @type {any[]} */ const known = this.catalog.find((c) => c.short === learner)?.options ?? [];
    const of = (/** @type {any} */ o, /** @type {any} */ option) => o?.[option.name] ?? option.default;
    return known
      .filter((option) => others.some((p) => of(p.options, option) !== of(options, option)))
      .map((option) => `${option.name}=${of(options, option)}`)
      .join(", ");
  }

  // -- changes of the state

  /** @param {any} patch */
  change(patch, rebuild = false) {
    Object.assign(this.state, patch);
    if (rebuild) this.buildPanels();
    this.changed();
  }

  changed() {
    this.clearVote();
    this.place.save(this.state);
    this.rerun(this.run());
  }

  /** The part of the state that determines the run. */
  run() {
    return Object.fromEntries(RUN.map((name) => [name, this.state[name]]));
  }

  undo() {
    const before = this.past.pop();
    if (!before) {
      this.place.tell("Nothing to undo.");
      return;
    }
    this.setPoints(before, "Undone.");
    this.past.pop(); // what was undone
    this.changed();
  }

  /** @param {number} i @param {any} panel */
  changePanel(i, panel, rebuild = true) {
    this.change(
      {
        panels: this.state.panels.map((p, k) => (k === i ? panel : p)),
      },
      rebuild,
    );
  }

  /** @param {number} i */
  removePanel(i) {
    this.change({ panels: this.state.panels.filter((_, k) => k !== i) }, true);
  }

  /** @param {number} label */
  setLabel(label) {
    this.state.label = label;
    for (const one of this.sign.children)
      one.setAttribute("aria-pressed", String(Number(one.dataset.label) === label));
  }

  /** @param {number[][]} points @param {string} note */
  setPoints(points, note, keepWindow = false) {
    if (this.state.points !== points && (this.state.points?.length !== points.length || !keepWindow))
      this.remember();
    this.state.points = points;
    if (!keepWindow) this.window = windowOf(points);
    for (const { drawing } of this.drawings) drawing.setPoints(points, this.window);
    if (note) this.announce(note);
  }

  remember() {
    if (this.state.points) this.past.push(this.state.points);
    if (this.past.length > 100) this.past.shift();
  }

  /** @param {any} made */
  async generate(made, first = false) {
    try {
      const { points } = await this.ask("plane.generate", made);
      this.state.made = made;
      this.note.textContent = "";
      this.setPoints(points, "");
      if (!first) this.changed();
    } catch (error) {
      if (first) throw error;
      this.place.complain(/** @type {Error} */ (error).message);
    }
  }

  /** @param {Blob} file */
  async takeFile(file) {
    try {
      const { text, rows } = await sampled(file);
      const { points, note } = await this.ask("plane.table", { text, rows });
      delete this.state.made;
      if (points.length * this.state.epochs > 20000) {
        this.state.epochs = 1;
        this.epochs.querySelector("input").value = "1";
      }
      this.setPoints(points, "");
      this.note.textContent = note;
      this.changed();
    } catch (error) {
      this.place.complain(/** @type {Error} */ (error).message);
    }
  }

  // -- what a run has shown

  /** @param {Trace} trace @param {any} state  that it is of: what is on the page may be newer */
  setTrace(trace, state) {
    const before = this.trace?.panels ?? [];
    this.trace = { ...trace, points: state.points, asked: state };
    // The bounds are requested once the run is drawn; until they arrive, the last ones stay, pale. They are
    // for other points, so they are removed at once if the theorem itself may no longer hold.
    trace.panels.forEach((panel, i) => {
      const alike = before[i]?.short === panel.short && before[i].data.separable === panel.data.separable;
      panel.bounds = alike ? before[i].bounds : [];
    });
    this.bounding.classList.add("waiting");
    clearTimeout(this.weighing); // while a point is dragged, only where it is dropped
    this.weighing = setTimeout(() => this.weigh(state), before.length ? 120 : 0);
    trace.panels.forEach((panel, i) => this.drawings[i]?.drawing.setTrace(panel, trace.sequence));
    this.timeline.setRun(
      trace.sequence.length,
      trace.panels.map((p, i) => ({
        class: `p${i}`,
        at: p.mistake ?? [],
      })),
    );
    const t = Math.max(0, Math.min(this.state.t ?? trace.sequence.length, trace.sequence.length));
    this.timeline.t = t;
    this.timeline.show();
    this.totals = trace.panels.map((p) => sums(p.mistake ?? []));
    this.showFacts();
    this.showTime(t, "run");
  }

  /**
   * @param {any[][]} bounds  of each panel
   * @param {any} state
   * @param {string} [problem]  why there are none
   */
  setBounds(bounds, state, problem) {
    if (this.trace.asked !== state) return;
    this.trace.panels.forEach((panel, i) => {
      panel.bounds = bounds[i] ?? [];
    });
    this.bounding.classList.remove("waiting");
    this.showFacts();
    if (problem) this.verdict.textContent += ` No bounds: ${problem}`;
    this.drawChart(this.timeline.t);
    this.drawTable(this.timeline.t);
    this.place.ready();
  }

  showFacts() {
    const { panels } = this.trace;
    const data = panels[this.subject]?.data ?? { points: 0 }; // with the constant feature of the panel spoken of
    this.facts.replaceChildren(
      fact("R", short(data.R)),
      fact("γ", !data.points ? "–" : data.separable ? short(data.gamma) : data.undecided ? "?" : "none"),
      fact("R²/γ²", data.separable ? short(data.most) : "–"),
    );
    this.levels = panels.map(levelOf).filter((level) => level !== null);
    this.verdict.textContent = data.points ? verdictText(data, this.levels.length > 0) : "";
  }

  /** @param {number} t @param {string} by */
  showTime(t, by) {
    if (!this.trace) return;
    if (by !== "run") this.heard = 0;
    if (by !== "play") {
      this.state.t = t === this.timeline.length ? null : t; // the end stays the end when points are added
      this.place.save(this.state);
    }
    const wishes = { mean: this.state.mean };
    this.drawings.forEach(({ drawing, foot, refine, apart }, i) => {
      apart.textContent = this.apart(i);
      drawing.show(t, wishes);
      const panel = drawing.trace; // null in a new panel whose run has not arrived
      foot.textContent = !panel
        ? ""
        : panel.error
          ? panel.error
          : `${this.totals[i][t]} mistake${this.totals[i][t] === 1 ? "" : "s"}` +
            (t && panel.mistake[t - 1] ? ", this one too" : "") +
            (panel.drawn ? ` · ${panel.drawn}` : "");
      foot.classList.toggle("failed", Boolean(panel?.error));
      if (panel?.curved && !panel.error)
        refine({
          state: this.run(),
          panel: i,
          t,
          window: [this.window.left, this.window.right, this.window.bottom, this.window.top],
        });
    });
    this.drawChart(t);
    if (by !== "play" || !this.timeline.playing) {
      this.drawTable(t);
      this.tell(t);
    }
  }

  /** @param {number} t */
  drawChart(t) {
    const top = Math.max(10, ...this.levels.map((l) => l.value), ...this.totals.map((m) => m[m.length - 1]));
    const series = this.totals.map((total, i) => ({
      class: `p${i}`,
      label: "",
      points: steppes(total, t),
    }));
    this.chart.draw(
      { xMax: this.timeline.length, yMin: 0.8, yMax: top * 1.4, log: true },
      series,
      this.levels,
    );
  }

  /** @param {number} t */
  drawTable(t) {
    const rows = this.trace.panels.map((panel, i) => {
      const w = this.drawings[i]?.drawing.weightsAt(t);
      const level = levelOf(panel, i);
      return h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          h("span", { class: `swatch p${i}` }),
          " ",
          panel.name,
          h("span", { class: "apart" }, this.apart(i)),
        ),
        h(
          "td",
          { title: level?.title ?? "" },
          panel.error ? "–" : h("b", {}, this.totals[i][t]),
          level ? h("span", { class: "level-value" }, ` ≤ ${short(level.most)}`) : "",
        ),
        h("td", {}, panel.error ? "–" : sumTo(panel.update, t)),
        h("td", { class: "weights" }, w ? `${short(w[0])}, ${short(w[1])}, ${short(w[2])}` : "–"),
      );
    });
    this.table.replaceChildren(
      tableHead(["learner", "mistakes", "updates", "w₁, w₂, b"]),
      h("tbody", {}, ...rows),
    );
  }

  // -- the explanation of a step

  /** @param {number} t */
  tell(t) {
    const panel = this.trace.panels[this.subject];
    this.telling.who.textContent =
      this.trace.panels.length > 1 && panel ? this.nameOf(this.state.panels[this.subject]) : "";
    if (!panel || panel.error || !t) {
      this.showWords({
        words:
          panel?.error ??
          (this.trace.sequence.length
            ? "Nothing learned yet: press Step."
            : "No points yet: click in the plane to place one."),
        maths: "",
        python: "",
      });
      return;
    }
    this.explain({
      state: this.trace.asked,
      panel: this.subject,
      sequence: this.trace.sequence.slice(0, t),
    });
  }

  /** What was just done to a point is shown long enough to be read, or read out. @param {string} text */
  announce(text) {
    clearTimeout(this.later);
    this.telling.say.textContent = text;
    this.heard = performance.now() + 2500;
  }

  /**
   * After an announcement has been shown long enough.
   * @param {{words: string, maths?: string, python?: string}} told
   */
  showWords(told) {
    clearTimeout(this.later);
    const wait = this.heard - performance.now();
    const announced = this.telling.say.textContent;
    this.telling.show(wait > 0 ? { ...told, words: announced } : told);
    if (wait > 0) this.later = setTimeout(() => this.telling.show(told), wait);
  }

  /** @param {number} i */
  setSubject(i) {
    if (i !== this.subject) {
      this.subject = i;
      if (!this.trace) return;
      this.showFacts();
      this.tell(this.timeline.t);
    }
  }

  // -- predict first

  mayStep() {
    if (!this.predictBox.checked || this.votes) {
      this.reveal();
      return true;
    }
    const t = this.timeline.t;
    const point = this.trace.points[this.trace.sequence[t]];
    this.votes = [0, 0];
    const count = (/** @type {number} */ k, /** @type {string} */ text) => {
      const one = button(text, () => {
        /** @type {number[]} */ (this.votes)[k]++;
        one.textContent = `${text} · ${this.votes?.[k]}`;
      });
      return one;
    };
    this.drawings.forEach(({ drawing }) => drawing.showNext(point));
    this.vote.replaceChildren(
      h(
        "strong",
        {},
        `Next: (${short(point[0])}, ${short(point[1])}), label ${point[2] > 0 ? "+" : "−"}. ` +
          `Will ${this.trace.panels[this.subject].name} be right?`,
      ),
      count(0, "right"),
      count(1, "a mistake"),
      h("span", { class: "hint" }, "Vote, then Step reveals."),
    );
    this.vote.hidden = false;
    return false;
  }

  reveal() {
    if (!this.votes) {
      this.vote.hidden = true;
      return;
    }
    const wrong = Boolean(this.trace.panels[this.subject].mistake?.[this.timeline.t]);
    const [hit, all] = [this.votes[wrong ? 1 : 0], this.votes[0] + this.votes[1]];
    this.vote.replaceChildren(
      h("strong", {}, wrong ? "A mistake." : "Right."),
      all ? ` ${hit} of ${all} votes saw it coming.` : "",
    );
    this.votes = null;
  }

  clearVote() {
    this.votes = null;
    this.vote.hidden = true;
  }

  // -- the interface of a view

  /** A lesson shows what it asked about. @param {any} patch */
  set(patch) {
    Object.assign(this.state, patch);
    if ("t" in patch) this.timeline.go(patch.t ?? this.timeline.length, "jump");
    else this.changed();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key === "z") {
      this.undo();
      return true;
    }
    return !control && this.timeline.key(event, this.place.presenting());
  }

  exports() {
    const drawing = () => {
      const { under, el } = this.drawings[this.subject].drawing;
      return [under, el];
    };
    return pictures((kind) => `Picture of the panel (${kind})`, drawing, "plane");
  }

  python() {
    return { file: "plane.py", code: async () => (await this.ask("plane.python", this.run())).python };
  }

  destroy() {
    this.timeline.pause();
    clearTimeout(this.weighing);
    clearTimeout(this.later);
  }
}

/**
 * The theorem of a panel whose bound is drawn: that of the separable case if it applies.
 * @param {any} panel
 * @param {number} i
 */
function levelOf(panel, i) {
  /** @type {any[]} */ const bounds = panel.bounds ?? [];
  const found = bounds.filter((b) => b.value !== null && b.compared === "mistakes");
  const best = found.find((b) => b.theorem === "Novikoff") ?? found.sort((a, b) => a.value - b.value)[0];
  return best
    ? {
        class: `p${i}`,
        label: `${best.theorem}: ${short(best.most)}`,
        value: best.value,
        most: best.most,
        title: `${best.statement} (${best.comparator})`,
      }
    : null;
}

/** @param {any} data  what Python found about the points @param {boolean} bounded  whether a bound is drawn */
function verdictText(data, bounded) {
  const through = data.constant ? "" : " through the origin";
  const constant = data.constant && data.constant !== 1 ? ` R and γ have x₀ = ${short(data.constant)}.` : "";
  if (data.separable) {
    const count = data.support.length;
    const decide = count === 1 ? "1 point decides" : `${count} points decide`;
    return `Separable: γ is the largest margin of any line${through}, exactly; ${decide} it.${constant}`;
  }
  const noise = bounded ? " What is shown is the bound with noise." : "";
  if (data.undecided) return `Undecided: ${data.undecided}.${noise}`;
  return `Not separable${through}: ${data.conflict.length} of the points prove it.${noise}`;
}
