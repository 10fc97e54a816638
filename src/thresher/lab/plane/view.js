// The plane: the same points, in the same order, for several learners at once.
import { latest } from "../page/asking.js";
import { button, figure, h, say } from "../page/dom.js";
import { editable } from "../page/editing.js";
import { windowOf } from "../page/geometry.js";
import { PlaneFigures } from "./figures.js";
import { difference, nameOf, panelHead } from "../page/learners.js";
import { legend, signs } from "./legend.js";
import { PanelDrawing } from "./panel.js";
import { NovikoffDrawing } from "./proof.js";
import { WeightSpace } from "./space.js";
import { PLANE_START, sound } from "./state.js";
import { pictures } from "../page/share.js";
import { sampled, takesFiles } from "../page/table.js";
import { Telling } from "../page/telling.js";
import { Timeline } from "../page/timeline.js";
import { PlaneToolbar } from "./toolbar.js";
import { Voting } from "./voting.js";

/** @import { LearnerEntry, PanelsState, Trace } from "../page/panels.d.ts" */
/** @import { Place, View } from "../page/view.d.ts" */

const READABLE = 30; // steps a second up to which each is explained
const RUN = ["points", "panels", "order", "epochs", "seed", "exact"];

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
    this.subject = 0; // the panel whose step is explained
    /** @type {{t: number, subject: number, trace: Trace, brief: boolean} | null} */ this.told = null; // what the words are about
    /** @type {{state: any, panel: number} | null} */ this.proved = null; // what the proof is of
    this.drawn = { t: -1, trace: /** @type {Trace | null} */ (null) }; // the moment that the page shows
    /** @type {Trace} */ this.trace = /** @type {any} */ (null); // no run yet
    /** @type {LearnerEntry[]} */ this.catalog = [];
    this.timeline = new Timeline({
      onstep: (t, by, part) => this.showTime(t, by, part),
      before: () => this.mayStep(),
    });
    const { fixed } = place;
    this.proof = new NovikoffDrawing({
      fixed,
      worst: () => {
        this.change({ order: "worst", t: null });
        this.toolbar.show();
      },
      tight: () => {
        this.state.order = "given";
        this.generate({ ...PLANE_START.made, kind: "tight", size: 400, gamma: 0.2 });
      },
    });
    this.timeline.clock.watched = true;
    this.space = new WeightSpace((w) => this.tryWeights(w));
    this.telling = new Telling({ proof: this.proof.el, space: this.space.el });
    this.figures = new PlaneFigures();
    this.voting = new Voting(() => this.veil(this.place.veiled()));
    this.toolbar = this.makeToolbar();
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
      (error, step) => {
        if (step.sequence.length === this.timeline.t) this.showWords({ words: error.message });
      },
    );
    this.prove = latest(
      (about, signal) => this.ask("plane.proof", about, signal),
      (proof, about) => {
        if (about.state === this.trace.asked) this.proof.set(proof);
      },
      (error) => this.proof.set(null, error.message),
    );
    this.telling.choose(this.state.tab);
    this.figures.el.prepend(this.proof.body, this.space.body);
    this.el.dataset.tab = this.telling.chosen;
    this.telling.onchoose = () => {
      this.el.dataset.tab = this.telling.chosen;
      this.state.tab = this.telling.chosen;
      this.place.save(this.state);
      this.tellProof(this.timeline.t);
      this.tellSpace(this.timeline.t);
    };
    this.veil(place.veiled());
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
    this.toolbar.show();
    this.start();
  }

  // -- elements of the page

  makeToolbar() {
    return new PlaneToolbar(
      () => this.state,
      {
        change: (patch) => this.change(patch),
        display: (name, on) => {
          this.state[name] = on;
          this.showTime(this.timeline.t, "jump");
        },
        generate: (made) => this.generate(made),
        empty: () => {
          this.setPoints([], "No points: click in the plane to place some.");
          this.changed();
        },
        file: (file) => this.takeFile(file),
        add: () =>
          this.change(
            { panels: [...this.state.panels, { learner: "perceptron", options: { average: false } }] },
            true,
          ),
      },
      this.voting.box,
      this.place.fixed,
    );
  }

  build() {
    this.note = h("p", { class: "note", role: "note" });
    this.panels = h("div", { class: "panels" });
    this.legend = legend();
    this.telling.say.before(this.voting.el);
    this.el = h(
      "section",
      { class: "view plane-view", "aria-label": "Plane" },
      h(
        "h1",
        { class: "headline" },
        "Points come one by one. A learner that is wrong moves its line; one that is right stays.",
      ),
      this.toolbar.el,
      this.note,
      h(
        "div",
        { class: "columns" },
        h("div", { class: "main" }, this.panels, this.legend, this.timeline.el, this.telling.el),
        this.figures.el,
      ),
    );
    if (!this.place.fixed) takesFiles(this.el, (file) => this.takeFile(file));
  }

  buildPanels() {
    this.subject = Math.min(this.subject, Math.max(0, this.state.panels.length - 1));
    this.drawings = this.state.panels.map((_, i) => this.buildPanel(i));
    this.panels.replaceChildren(...this.drawings.map((d) => d.el));
    this.toolbar.add.disabled = this.state.panels.length >= 8;
    this.panels.dataset.count = this.el.dataset.panels = String(this.drawings.length);
  }

  /** @param {number} i @returns {PanelParts} */
  buildPanel(i) {
    const panel = this.state.panels[i];
    const name = nameOf(this.catalog, panel);
    const { fixed } = this.place;
    const drawing = new PanelDrawing(
      `${name}: the plane.` +
        (fixed
          ? ""
          : " Arrow keys move the cursor, + and − place a point, Enter picks up, x relabels, Delete deletes."),
      Boolean(fixed),
    );
    drawing.setPoints(this.state.points, this.window);
    if (!fixed) this.makeEditable(drawing);
    drawing.el.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      if (i === this.subject) this.space.light(drawing.pointUnder(event));
    });
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
    // For a curved boundary: only the newest question counts.
    const refine = latest(
      (about, signal) => this.ask("plane.field", about, signal),
      (field, about) => {
        if (about.t === this.timeline.t) drawing.showField(field.scores, field.size);
      },
      (error) => {
        foot.textContent += ` No boundary: ${error.message}`;
      },
    );
    return { drawing, el, foot, refine, apart: head.apart };
  }

  /** @param {PanelDrawing} drawing */
  makeEditable(drawing) {
    editable(drawing, {
      points: () => this.state.points,
      window: () => this.window,
      label: () => this.state.label,
      relabel: (label) => -label,
      labelOf: (key) => ({ "+": 1, "-": -1 })[key] ?? null,
      sign: (label) => (label > 0 ? "+" : "−"),
      change: (points, note) => {
        this.setPoints(points, note, true);
        this.changed();
      },
      say: (text) => this.telling.report(text),
      remember: () => this.remember(),
    });
  }

  // -- changes of the state

  /** @param {any} patch */
  change(patch, rebuild = false) {
    Object.assign(this.state, patch);
    if (rebuild) this.buildPanels();
    this.changed();
  }

  changed() {
    this.voting.clear();
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
    this.change({ panels: this.state.panels.map((p, k) => (k === i ? panel : p)) }, rebuild);
  }

  /** @param {number} i */
  removePanel(i) {
    this.change({ panels: this.state.panels.filter((_, k) => k !== i) }, true);
  }

  /** @param {number[][]} points @param {string} note */
  setPoints(points, note, keepWindow = false) {
    if (this.state.points !== points && (this.state.points?.length !== points.length || !keepWindow))
      this.remember();
    this.state.points = points;
    if (!keepWindow) this.window = windowOf(points, ["positive", "shares"].includes(this.state.made?.kind));
    for (const { drawing } of this.drawings) drawing.setPoints(points, this.window);
    if (note) this.telling.report(note);
  }

  remember() {
    if (this.state.points) this.past.push(this.state.points);
    if (this.past.length > 100) this.past.shift();
  }

  /** @param {any} made */
  async generate(made, first = false) {
    try {
      const { points } = await this.ask("plane.generate", made);
      this.note.textContent = "";
      if (!first) {
        this.state.fade = made.kind === "drifting";
        this.state.t = null;
        this.toolbar.show();
      }
      this.state.made = made;
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
      if (points.length * this.state.epochs > 20000) this.state.epochs = 1;
      this.state.t = null;
      this.toolbar.show();
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
    this.figures.el.classList.add("waiting");
    clearTimeout(this.weighing); // while a point is dragged, only where it is dropped
    this.weighing = setTimeout(() => this.weigh(state), before.length ? 120 : 0);
    trace.panels.forEach((panel, i) => this.drawings[i]?.drawing.setTrace(panel, trace.sequence));
    this.timeline.setRun(
      trace.sequence.length,
      trace.panels.map((p, i) => ({ class: `p${i}`, at: p.mistake ?? [] })),
      this.state.t,
    );
    this.figures.setTrace(
      this.trace,
      this.state.panels.map((_, i) => difference(this.catalog, this.state.panels, i)),
    );
    this.figures.showFacts(this.subject);
    this.showTime(this.timeline.t, "run");
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
    this.figures.el.classList.remove("waiting");
    this.figures.showFacts(this.subject, problem);
    this.showFigures(this.timeline.t);
    this.place.ready();
  }

  /**
   * Everything that the page shows of a moment: t steps have begun, `part` of the last is made.
   * @param {number} t @param {string} by @param {number} part
   */
  showTime(t, by, part = 1) {
    if (!this.trace) return;
    if (by !== "run") this.telling.release();
    if (by !== "play") {
      this.state.t = t === this.timeline.length ? null : t; // the end stays the end when points are added
      this.place.save(this.state);
    }
    const wishes = { mean: this.state.mean, fade: this.state.fade, part };
    this.legend.querySelector("[data-sign=mean]").hidden = !(
      wishes.mean && this.trace.panels.some((p) => p.means)
    );
    if ((by === "step" || by === "play") && this.drawn.t === t && this.drawn.trace === this.trace) {
      for (const { drawing } of this.drawings) drawing.show(t, wishes); // more of the same step
      this.tell(t);
      return;
    }
    this.drawn = { t, trace: this.trace };
    this.drawings.forEach(({ drawing, foot, refine, apart }, i) => {
      say(apart, difference(this.catalog, this.state.panels, i));
      drawing.show(t, wishes);
      const panel = drawing.trace; // null in a new panel whose run has not arrived
      say(foot, panel ? this.footText(panel, i, t) : "");
      foot.classList.toggle("failed", Boolean(panel?.error));
      if (panel?.remedy && !this.place.fixed) foot.append(" ", this.remedy(panel.remedy));
      if (panel?.curved && !panel.error)
        refine({
          state: this.run(),
          panel: i,
          t,
          window: [this.window.left, this.window.right, this.window.bottom, this.window.top],
        });
    });
    this.showFigures(t);
    this.tell(t);
    this.tellProof(t);
    this.tellSpace(t);
  }

  /** @param {any} panel @param {number} i @param {number} t */
  footText(panel, i, t) {
    if (panel.error) return panel.error;
    const count = this.figures.mistakes[i][t];
    return (
      `${count} mistake${count === 1 ? "" : "s"}` +
      (t && panel.mistake[t - 1] ? ", this one too" : "") +
      (panel.drawn ? ` · ${panel.drawn}` : "")
    );
  }

  /** A set that the learner takes. @param {string} kind */
  remedy(kind) {
    return button("Take points that it can learn", () => this.generate({ ...PLANE_START.made, kind }));
  }

  /** @param {number} t */
  showFigures(t) {
    this.figures.show(t, (i) => this.drawings[i]?.drawing.weightsAt(t) ?? null);
  }

  // -- the explanation of a step

  /** @param {number} t */
  tell(t) {
    const { panels, sequence, points } = this.trace;
    const panel = panels[this.subject];
    const brief = this.timeline.playing && this.timeline.clock.speed > READABLE;
    const { told } = this;
    if (told?.t === t && told.subject === this.subject && told.trace === this.trace && told.brief === brief)
      return;
    this.told = { t, subject: this.subject, trace: this.trace, brief }; // and not for every part of a step
    say(
      this.telling.who,
      panels.length > 1 && panel ? nameOf(this.catalog, this.state.panels[this.subject]) : "",
    );
    if (!panel || panel.error || !t) {
      this.showWords({
        words:
          panel?.error ??
          (sequence.length
            ? this.timeline.veiled
              ? "Nothing learned yet."
              : "Nothing learned yet: press Play, or Step."
            : "No points yet: click in the plane to place one."),
      });
      return;
    }
    const [x1, x2, y] = points[sequence[t - 1]];
    this.telling.begin(
      `Example ${t}: x = (${figure(x1)}, ${figure(x2)}), y = ${y > 0 ? "+1" : "−1"}. ` +
        (panel.mistake[t - 1] ? "A mistake." : "Right."),
    );
    if (brief) return;
    this.explain({
      state: this.trace.asked,
      panel: this.subject,
      sequence: sequence.slice(0, t),
    });
  }

  /** @param {number} t */
  tellProof(t) {
    if (!this.trace || this.telling.chosen !== "proof") return;
    const { asked } = this.trace;
    const { proved, subject } = this;
    if (!proved || proved.state !== asked || proved.panel !== subject) {
      this.proved = { state: asked, panel: subject };
      this.prove(this.proved);
    }
    this.proof.show(t);
  }

  /** @param {number} t */
  tellSpace(t) {
    if (!this.trace || this.telling.chosen !== "space") return;
    this.space.setTrace(this.trace.panels[this.subject], this.trace.points, this.trace.sequence);
    this.space.show(t);
  }

  /** A hypothesis from the space of weights, in the plane. @param {number[] | null} w */
  tryWeights(w) {
    const { drawing, foot } = this.drawings[this.subject];
    if (!w) {
      this.showTime(this.timeline.t, "jump");
      return;
    }
    drawing.tryOut(w);
    const wrong = this.trace.points.filter(
      (/** @type {number[]} */ [x, y, label]) => label * (w[0] * x + w[1] * y + w[2]) <= 0,
    ).length;
    foot.textContent = `your w: wrong on ${wrong} of ${this.trace.points.length} points`;
  }

  /** @param {import("../page/telling.js").Told} told */
  showWords(told) {
    this.telling.show(told, !this.timeline.playing);
  }

  /** @param {number} i */
  setSubject(i) {
    if (i !== this.subject) {
      this.subject = i;
      if (!this.trace) return;
      this.figures.showFacts(this.subject);
      this.tell(this.timeline.t);
      this.tellProof(this.timeline.t);
      this.tellSpace(this.timeline.t);
    }
  }

  // -- what is not to be seen yet

  mayStep() {
    const t = this.timeline.t;
    const point = this.trace.points[this.trace.sequence[t]];
    const { name, mistake } = this.trace.panels[this.subject];
    const may = this.voting.allows(point, name, Boolean(mistake?.[t]));
    if (!may) this.drawings.forEach(({ drawing }) => drawing.showNext(point));
    return may;
  }

  /** @param {boolean} on */
  veil(on) {
    this.figures.veiled = on;
    this.timeline.veil(on, !on && !this.voting.on);
    if (!this.trace) return;
    this.figures.showFacts(this.subject);
    this.showFigures(this.timeline.t);
  }

  // -- the interface of a view

  /** A lesson shows what it asked about. @param {any} patch */
  set(patch) {
    Object.assign(this.state, patch);
    if ("tab" in patch) this.telling.choose(patch.tab);
    this.toolbar.show();
    if (RUN.some((name) => name in patch)) this.changed();
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

  exports() {
    const drawing = () => this.drawings[this.subject].drawing.pictures;
    return pictures((kind) => `Picture of the panel (${kind})`, drawing, "plane");
  }

  figure() {
    const { t, length } = this.timeline;
    return {
      title: `The same ${this.state.points.length} points, ${t} of ${length} steps`,
      panels: this.drawings.map(({ drawing, foot }, i) => ({
        name: nameOf(this.catalog, this.state.panels[i]),
        layers: drawing.pictures,
        foot: foot.textContent ?? "",
      })),
      legend: signs(this.legend),
      chart: this.figures.chart.el,
      around: this.el,
    };
  }

  python() {
    return { file: "plane.py", code: async () => (await this.ask("plane.python", this.run())).python };
  }

  destroy() {
    this.timeline.pause();
    clearTimeout(this.weighing);
    this.telling.close();
  }
}
