// Three classes and more: a prototype for each, the same points for several learners at once.
import { latest } from "../page/asking.js";
import { Chart } from "../page/chart.js";
import { h, scroller, sign, tableHead } from "../page/dom.js";
import { editable } from "../page/editing.js";
import { unfit } from "../page/fitting.js";
import { windowOf } from "../page/geometry.js";
import { briefName, difference, nameOf, panelHead } from "../page/learners.js";
import { steppes, sums } from "../page/series.js";
import { pictures } from "../page/share.js";
import { sampled, takesFiles } from "../page/table.js";
import { Telling } from "../page/telling.js";
import { Timeline } from "../page/timeline.js";
import { ClassesDrawing } from "./drawing.js";
import { glyphIcon } from "./glyphs.js";
import { soundClasses } from "./state.js";
import { ClassesToolbar } from "./toolbar.js";

/** @import { LearnerEntry, Trace } from "../page/panels.d.ts" */
/** @import { Place, View } from "../page/view.d.ts" */

const ASKED = ["points", "panels", "order", "epochs", "seed"];

/** @implements {View} */
export class ClassesView {
  /** @param {Place} place @param {any} given */
  constructor(place, given) {
    this.place = place;
    this.ask = place.ask;
    this.state = soundClasses(given, (name) => place.complain(unfit(name)));
    /** @type {{drawing: ClassesDrawing, el: any, foot: any, apart: any}[]} */ this.drawings = [];
    this.past = /** @type {number[][][]} */ ([]);
    this.window = windowOf([]);
    this.subject = 0; // the panel whose step is explained
    this.veiled = place.veiled();
    /** @type {{text: string, rows: number} | null} */ this.table = null; // that was dropped
    /** @type {Trace} */ this.trace = /** @type {any} */ (null); // no run yet
    /** @type {LearnerEntry[]} */ this.catalog = [];
    /** @type {Int32Array[]} */ this.totals = [];
    this.timeline = new Timeline({ onstep: (t, by) => this.showTime(t, by) });
    this.telling = new Telling();
    this.chart = new Chart("Mistakes of each learner over time");
    this.toolbar = this.makeToolbar();
    this.build();
    this.rerun = latest(
      (state, signal) => this.ask("classes.run", state, signal),
      (trace, state) => this.setTrace(trace, state),
      (error) => this.refused(error),
    );
    this.explain = latest(
      (step, signal) => this.ask("classes.explain", step, signal),
      (answer, step) => {
        if (step.sequence.length === this.timeline.t) this.showWords(answer);
      },
      (error, step) => {
        if (step.sequence.length === this.timeline.t) this.showWords({ words: error.message });
      },
    );
    this.veil(this.veiled);
    this.start();
  }

  async start() {
    try {
      this.catalog = (await this.ask("classes.learners")).learners;
      if (!this.state.points)
        this.state.points = (await this.ask("classes.generate", this.state.made)).points;
      this.fit();
      this.buildPanels();
      this.changed();
    } catch (error) {
      this.refused(/** @type {Error} */ (error));
    }
  }

  /** An error is reported; if nothing was shown yet, the initial state is. @param {Error} error */
  refused(error) {
    this.place.complain(error.message);
    if (this.trace || this.failed) return;
    this.failed = true;
    this.state = soundClasses({}, () => {});
    this.start();
  }

  // -- elements of the page

  makeToolbar() {
    return new ClassesToolbar(
      () => this.state,
      {
        change: (patch) => this.change(patch),
        label: (label) => {
          this.state.label = label;
          this.place.save(this.state);
          this.showClasses();
          this.toolbar.classes.children[label].focus();
        },
        generate: (made) => this.generate(made),
        empty: () => this.edit([], "No points: click in the plane to place some."),
        file: (file) => this.takeFile(file),
        columns: (columns, scaled) => this.takeTable({ columns, scaled }),
        add: () => this.change({ panels: [...this.state.panels, { learner: "pa", options: {} }] }, true),
      },
      this.place.fixed,
    );
  }

  build() {
    this.note = h("p", { class: "note", role: "note" });
    this.panels = h("div", { class: "panels" });
    this.legend = h("ul", { class: "legend", "aria-label": "What is drawn" });
    this.body = h("tbody", {});
    const table = h(
      "table",
      { class: "figures" },
      tableHead(["learner", "mistakes", "updates", "wrong now"]),
      this.body,
    );
    this.el = h(
      "section",
      { class: "view plane-view classes-view", "aria-label": "Classes" },
      h(
        "h1",
        { class: "headline" },
        "Each class has a prototype, the highest score wins. A mistake pulls the right one and pushes its rivals.",
      ),
      this.toolbar.el,
      this.note,
      h(
        "div",
        { class: "columns" },
        h("div", { class: "main" }, this.panels, this.legend, this.timeline.el, this.telling.el),
        h(
          "aside",
          { class: "side-column" },
          h("h2", { class: "side-title" }, "Mistakes"),
          this.chart.el,
          scroller("Figures of the learners", table),
        ),
      ),
    );
    if (!this.place.fixed) takesFiles(this.el, (file) => this.takeFile(file));
  }

  buildPanels() {
    this.subject = Math.min(this.subject, this.state.panels.length - 1);
    this.drawings = this.state.panels.map((/** @type {any} */ _, /** @type {number} */ i) =>
      this.buildPanel(i),
    );
    this.panels.replaceChildren(...this.drawings.map((d) => d.el));
    this.panels.dataset.count = this.el.dataset.panels = String(this.drawings.length);
  }

  /** @param {number} i */
  buildPanel(i) {
    const panel = this.state.panels[i];
    const name = nameOf(this.catalog, panel);
    const { fixed } = this.place;
    const drawing = new ClassesDrawing(
      `${name}: the plane.` +
        (fixed
          ? ""
          : " Arrow keys move the cursor, 1 to 8 place a point of that class, Enter picks up, " +
            "x changes the class, Delete deletes."),
      Boolean(fixed),
    );
    drawing.setPoints(this.state.points, this.window);
    if (!fixed) this.makeEditable(drawing);
    const foot = h("p", { class: "foot" });
    const head = panelHead(i, {
      catalog: this.catalog,
      panels: () => this.state.panels,
      fixed,
      change: (chosen, another) => this.changePanel(i, chosen, another),
      remove: () => this.removePanel(i),
    });
    const el = h(
      "article",
      { class: "panel", "aria-label": name, onpointerdown: () => this.setSubject(i) },
      head.el,
      drawing.layers,
      foot,
    );
    return { drawing, el, foot, apart: head.apart };
  }

  /** @param {ClassesDrawing} drawing */
  makeEditable(drawing) {
    editable(drawing, {
      points: () => this.state.points,
      window: () => this.window,
      label: () => this.state.label,
      relabel: (label) => (label + 1) % Math.max(2, this.classes()),
      labelOf: (key) => (/^[1-8]$/.test(key) ? Number(key) - 1 : null),
      sign: (label) => `class ${label + 1}`,
      change: (points, note) => this.edit(points, note, true),
      say: (text) => this.telling.report(text),
      remember: () => this.remember(),
    });
  }

  classes() {
    return Math.max(2, ...this.state.points.map((/** @type {number[]} */ p) => p[2] + 1));
  }

  /** The classes that there are: in the toolbar and in the legend. */
  showClasses() {
    this.toolbar.show(this.classes());
    this.legend.replaceChildren(
      ...Array.from({ length: this.classes() }, (_, c) =>
        h("li", {}, glyphIcon(c), this.state.names[c] || `class ${c + 1}`),
      ),
      sign(
        [
          ["path", { class: "prototype", d: "M2 15 20 5" }],
          ["path", { class: "prototype head", d: "M25 2 20 10 15 3z" }],
        ],
        "its prototype w",
      ),
      sign(
        [
          ["path", { class: "pull", d: "M2 15 20 5" }],
          ["path", { class: "pull head", d: "M25 2 20 10 15 3z" }],
        ],
        "its step",
      ),
      sign([["line", { class: "boundary", x1: 2, y1: 9, x2: 24, y2: 9 }]], "the winner changes"),
      sign([["line", { class: "pairwise", x1: 2, y1: 9, x2: 24, y2: 9 }]], "two others score alike"),
    );
  }

  // -- changes of the state

  /** @param {any} patch */
  change(patch, rebuild = false) {
    Object.assign(this.state, patch);
    if (rebuild) this.buildPanels();
    this.changed();
  }

  changed() {
    this.place.save(this.state);
    this.showClasses();
    this.rerun(this.run());
  }

  /** The part of the state that determines the run. */
  run() {
    return Object.fromEntries(ASKED.map((name) => [name, this.state[name]]));
  }

  /** @param {number[][]} points @param {string} note */
  edit(points, note, keepWindow = false) {
    if (this.state.points?.length !== points.length || !keepWindow) this.remember();
    this.state.points = points;
    if (keepWindow) for (const { drawing } of this.drawings) drawing.setPoints(points, this.window);
    else this.fit();
    if (note) this.telling.report(note);
    this.changed();
  }

  /** A window that shows all points. */
  fit() {
    this.window = windowOf(this.state.points);
    for (const { drawing } of this.drawings) drawing.setPoints(this.state.points, this.window);
  }

  remember() {
    if (this.state.points) this.past.push(this.state.points);
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

  /** @param {number} i @param {any} panel */
  changePanel(i, panel, rebuild = true) {
    const panels = this.state.panels.map((/** @type {any} */ p, /** @type {number} */ k) =>
      k === i ? panel : p,
    );
    this.change({ panels }, rebuild);
  }

  /** @param {number} i */
  removePanel(i) {
    this.change(
      { panels: this.state.panels.filter((/** @type {any} */ _, /** @type {number} */ k) => k !== i) },
      true,
    );
  }

  /** @param {any} made */
  async generate(made) {
    try {
      const { points } = await this.ask("classes.generate", made);
      this.note.textContent = "";
      this.table = null;
      this.toolbar.showColumns([], []);
      Object.assign(this.state, {
        made,
        names: [],
        t: null,
        label: Math.min(this.state.label, made.classes - 1),
      });
      this.edit(points, "");
    } catch (error) {
      this.place.complain(/** @type {Error} */ (error).message);
    }
  }

  /** @param {Blob} file */
  async takeFile(file) {
    try {
      this.table = await sampled(file);
      await this.takeTable();
    } catch (error) {
      this.place.complain(/** @type {Error} */ (error).message);
    }
  }

  /** @param {{columns?: number[], scaled?: boolean}} how  the first two columns, scaled, if nothing is said */
  async takeTable(how = {}) {
    try {
      const found = await this.ask("classes.table", { ...this.table, ...how });
      delete this.state.made;
      Object.assign(this.state, { names: found.names, t: null, label: 0 });
      if (found.points.length * this.state.epochs > 5000) this.state.epochs = 1;
      this.note.textContent = found.note;
      this.toolbar.showColumns(found.choices, found.columns, how.scaled);
      this.edit(found.points, "");
    } catch (error) {
      this.place.complain(/** @type {Error} */ (error).message);
    }
  }

  // -- what a run has shown

  /** @param {Trace} trace @param {any} state  that it is of */
  setTrace(trace, state) {
    this.trace = { ...trace, points: state.points, asked: state };
    this.totals = trace.panels.map((p) => sums(p.mistake ?? []));
    trace.panels.forEach((panel, i) => this.drawings[i]?.drawing.setTrace(panel, trace.sequence));
    this.timeline.setRun(
      trace.sequence.length,
      trace.panels.map((p, i) => ({ class: `p${i}`, at: p.mistake ?? [] })),
      this.state.t,
    );
    this.showTime(this.timeline.t, "run");
    this.place.ready();
  }

  /** Everything that the page shows of a moment. @param {number} t @param {string} by */
  showTime(t, by) {
    if (!this.trace) return;
    if (by !== "run") this.telling.release();
    if (by !== "play") {
      this.state.t = t === this.timeline.length ? null : t;
      this.place.save(this.state);
    }
    const { panels, points } = this.trace;
    const rows = this.drawings.map(({ drawing, foot, apart: beside }, i) => {
      const panel = panels[i];
      if (!panel) return null; // a new panel whose run has not arrived
      drawing.show(t);
      foot.classList.toggle("failed", Boolean(panel.error));
      const count = this.totals[i][t];
      const wrong = panel.error ? 0 : panel.moves.wrong[drawing.changeAt(t)];
      foot.textContent =
        panel.error ??
        `${count} mistake${count === 1 ? "" : "s"}${t && panel.mistake[t - 1] ? ", this one too" : ""}`;
      const apart = difference(this.catalog, this.state.panels, i);
      beside.textContent = apart;
      const updates = panel.error ? 0 : sums(panel.update)[t];
      return h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          h("span", { class: `swatch p${i}` }),
          " ",
          panel.name,
          h("span", { class: "apart" }, apart),
        ),
        ...[count, updates, `${wrong} of ${points.length}`].map((v) => h("td", {}, panel.error ? "–" : v)),
      );
    });
    this.body.replaceChildren(...rows.filter((row) => row !== null));
    this.drawChart(t);
    this.tell(t);
  }

  /** @param {number} t */
  drawChart(t) {
    const end = this.veiled ? t : this.timeline.length; // not even the scale says what is to come
    const top = Math.max(5, ...this.totals.map((total) => total[end] ?? 0));
    const series = this.totals.map((total, i) => ({
      class: `p${i}`,
      label: difference(this.catalog, this.state.panels, i) || this.trace.panels[i].name,
      brief: difference(this.catalog, this.state.panels, i) || briefName(this.trace.panels[i].name),
      points: this.trace.panels[i].error ? [] : steppes(total, t),
    }));
    const axes = { xMax: this.timeline.length, yMax: top * 1.15, xName: "examples", yName: "mistakes" };
    this.chart.draw(axes, series);
  }

  // -- the explanation of a step

  /** @param {number} t */
  tell(t) {
    const { panels, sequence, asked } = this.trace;
    const panel = panels[this.subject];
    this.telling.who.textContent =
      panels.length > 1 && panel ? nameOf(this.catalog, this.state.panels[this.subject]) : "";
    if (!panel || panel.error || !t) {
      const nothing = sequence.length
        ? "Nothing learned yet: press Play, or Step."
        : "No points yet: click in the plane to place one.";
      this.showWords({ words: panel?.error ?? nothing });
      return;
    }
    this.telling.begin(`Example ${t}: ${panel.mistake[t - 1] ? "a mistake" : "right"}.`);
    this.explain({ state: asked, panel: this.subject, sequence: sequence.slice(0, t) });
  }

  /** @param {import("../page/telling.js").Told} told */
  showWords(told) {
    this.telling.show(told, !this.timeline.playing);
  }

  /** @param {number} i */
  setSubject(i) {
    if (i === this.subject) return;
    this.subject = i;
    if (this.trace) this.tell(this.timeline.t);
  }

  // -- the interface of a view

  /** @param {boolean} on */
  veil(on) {
    this.veiled = on;
    this.timeline.veil(on);
    if (this.trace) this.drawChart(this.timeline.t);
  }

  /** A lesson shows what it asked about. @param {any} patch */
  set(patch) {
    Object.assign(this.state, patch);
    if ("panels" in patch) this.buildPanels();
    if (ASKED.some((name) => name in patch)) this.changed();
    else if ("t" in patch) this.timeline.go(patch.t ?? this.timeline.length, "jump");
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
      title: `${this.classes()} classes, ${this.state.points.length} points, ${t} of ${length} steps`,
      panels: this.drawings.map(({ drawing, foot }, i) => ({
        name: nameOf(this.catalog, this.state.panels[i]),
        layers: drawing.pictures,
        foot: foot.textContent ?? "",
      })),
      chart: this.chart.el,
      around: this.el,
    };
  }

  exports() {
    const drawing = () => this.drawings[this.subject].drawing.pictures;
    return [
      ...pictures((kind) => `Picture of the panel (${kind})`, drawing, "classes"),
      ...pictures(
        (kind) => `Chart of the mistakes (${kind})`,
        () => this.chart.el,
        "mistakes",
      ),
    ];
  }

  python() {
    return { file: "classes.py", code: async () => (await this.ask("classes.python", this.run())).python };
  }

  destroy() {
    this.timeline.pause();
    this.telling.close();
  }
}
