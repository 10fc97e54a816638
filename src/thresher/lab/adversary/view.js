// A target that you change, each change at a cost of 1, against learners that follow it.
import { latest } from "../page/asking.js";
import { LineBoard } from "./line.js";
import { BarsDrawing } from "../page/bars.js";
import { Chart } from "../page/chart.js";
import {
  button,
  editing,
  fact,
  h,
  menu,
  numberField,
  scroller,
  select,
  short,
  tableHead,
} from "../page/dom.js";
import { briefName } from "../page/learners.js";
import { steppes, sums } from "../page/series.js";
import { pictures } from "../page/share.js";
import { Timeline } from "../page/timeline.js";

/** @import { Trace } from "../page/panels.d.ts" */
/** @import { Place, View } from "../page/view.d.ts" */

const PLAYERS = /** @type {[string, string][]} */ ([
  ["winnow", "Winnow"],
  ["winnow-r", "Winnow-R"],
  ["perceptron", "Perceptron"],
  ["pa", "PA"],
]);
const LINE_GAME = [
  { do: "line", angle: 60, offset: 0.1 },
  { do: "draw", count: 40 },
  { do: "line", angle: 110, offset: -0.2 },
  { do: "draw", count: 40 },
  { do: "line", angle: 190, offset: 0 },
  { do: "draw", count: 40 },
];

/** What the page shows first: a target buried deep, where Winnow needs its floor. */
export const ADVERSARY_START = {
  mode: "disjunction",
  n: 32,
  seed: 0,
  moves: /** @type {any[] | null} */ (null),
  bury: { depth: 14, buried: 12 },
  against: "winnow",
  lines: LINE_GAME,
  t: null,
};

/** @implements {View} */
export class AdversaryView {
  /** @param {Place} place @param {any} given */
  constructor(place, given) {
    this.place = place;
    this.ask = place.ask;
    this.state = { ...structuredClone(ADVERSARY_START), ...given };
    if (!Number.isInteger(this.state.t)) this.state.t = null;
    /** @type {Trace} */ this.trace = /** @type {any} */ (null); // no run yet
    /** @type {any} */ this.good = null;
    /** @type {Int32Array[]} */ this.totals = [];
    this.veiled = false;
    this.timeline = new Timeline({ onstep: (t, by) => this.showTime(t, by) });
    this.chart = new Chart(
      "Mistakes of each learner over the rounds, with the bound of Winnow-R and c·log n",
    );
    /** @type {{drawing: BarsDrawing, el: any, foot: any}[]} */ this.drawings = [];
    this.board = new LineBoard({ change: (line) => this.moveLine(line), draw: () => this.draw(10) });
    this.build();
    this.veil(place.veiled());
    this.rerun = latest(
      (state, signal) =>
        state.lines
          ? this.ask("adversary.line", { seed: state.seed, moves: state.lines }, signal)
          : this.ask("adversary.run", state, signal),
      (trace, state) => this.setTrace(trace, state),
      (error) => this.refused(error),
    );
    this.start();
  }

  async start() {
    try {
      if (!this.state.moves)
        this.state.moves = (await this.ask("adversary.bury", { n: this.state.n, ...this.state.bury })).moves;
      this.changed();
    } catch (error) {
      this.refused(/** @type {Error} */ (error));
    }
  }

  /** A move that cannot be made is taken back. @param {Error} error */
  refused(error) {
    this.place.complain(error.message);
    if (this.good) {
      Object.assign(this.state, structuredClone(this.good));
      this.fields();
      this.place.save(this.state);
      return;
    }
    if (this.failed) return;
    this.failed = true;
    this.state = structuredClone(ADVERSARY_START);
    this.fields();
    this.start();
  }

  // -- elements of the page

  build() {
    this.modes = h(
      "div",
      { class: "segments", role: "group", "aria-label": "The target is" },
      ...[
        ["disjunction", "a disjunction"],
        ["line", "a line"],
      ].map(([mode, text]) => button(text, () => this.setMode(mode), { "data-mode": mode })),
    );
    this.tools = h("div", { class: "toolbar inner" });
    this.facts = h("dl", { class: "facts" });
    this.variables = h("div", {
      class: "variables",
      role: "group",
      "aria-label": "The target: press a variable to add or remove it, cost 1",
    });
    this.panels = h("div", { class: "panels boolean-panels" });
    this.say = h("p", { class: "words", "aria-live": "polite" });
    this.table = h("table", { class: "figures" });
    this.verdict = h("p", { class: "verdict" });
    this.rules = h("p", { class: "rules" });
    this.el = h(
      "section",
      { class: "view adversary-view", "aria-label": "Adversary" },
      h(
        "h1",
        { class: "headline" },
        "You are the adversary: each change of the target costs 1. Who keeps up?",
      ),
      h("div", { class: "toolbar" }, ...editing(this.place.fixed, this.modes, this.tools)),
      this.rules,
      ...editing(this.place.fixed, this.variables),
      h(
        "div",
        { class: "columns" },
        h(
          "div",
          { class: "main" },
          this.panels,
          this.board.el,
          this.timeline.el,
          h("div", { class: "telling" }, this.say),
        ),
        h(
          "aside",
          { class: "side-column" },
          h("h2", {}, "Mistakes and cost"),
          this.facts,
          this.chart.el,
          this.verdict,
          scroller("Figures of the learners", this.table),
        ),
      ),
    );
    this.drawings = PLAYERS.map(([, title], i) => {
      const drawing = new BarsDrawing(`Weights of ${title}`);
      const foot = h("p", { class: "foot" });
      return {
        drawing,
        foot,
        el: h(
          "article",
          { class: "panel", "aria-label": title },
          h("header", {}, h("span", { class: `swatch p${i}` }), h("strong", {}, title)),
          drawing.el,
          foot,
        ),
      };
    });
    this.panels.replaceChildren(...this.drawings.map((d) => d.el));
    this.panels.dataset.count = "4";
    this.fields();
  }

  /** The controls of the mode. */
  fields() {
    const { state } = this;
    const line = state.mode === "line";
    for (const one of this.modes.children)
      one.setAttribute("aria-pressed", String(one.dataset.mode === state.mode));
    [this.panels.hidden, this.variables.hidden, this.board.el.hidden] = [line, line, !line];
    this.el.dataset.panels = line ? "1" : "4";
    this.rules.textContent = line
      ? "Turn or shift the line, which is the truth, and let rounds come. Moving it " +
        "is what costs; the learners see only examples and labels."
      : "The truth is the ∨ of the blue variables; press one to add or remove it " +
        "(cost 1), then let rounds come. The learners see only examples and labels. “Bury it” plays a game " +
        "made against Winnow; “New game” leaves it all to you.";
    const next = button("Next 10 rounds", () => this.draw(10), { class: "primary" });
    const undo = button("Undo", () => this.undo(), { title: "Take the last move back" });
    const seed = numberField("seed", state.seed, (value) => this.change({ seed: value }), {
      min: 0,
      max: 4294967295,
      step: 1,
    });
    if (line) {
      this.tools.replaceChildren(
        next,
        undo,
        button("New game", () => this.change({ lines: [{ do: "line", angle: 60, offset: 0 }] })),
        seed,
      );
      return;
    }
    const against = select("Against whom", PLAYERS, state.against, (name) => {
      this.state.against = name;
      this.place.save(this.state);
    });
    this.tools.replaceChildren(
      next,
      h(
        "span",
        { class: "row tight" },
        button("Hard example for", () => this.move({ do: "hard", against: this.state.against }), {
          title: "One that it is most wrong about, of all 2^n",
        }),
        against,
      ),
      undo,
      menu("Bury it", () => this.buryMenu()),
      button("New game", () => this.change({ moves: [] })),
      numberField("n", state.n, (n) => this.change({ n, moves: [] }), { min: 2, max: 128, step: 1 }),
      seed,
    );
  }

  buryMenu() {
    const bury = { ...this.state.bury };
    const set = async (/** @type {any} */ patch) => {
      Object.assign(bury, patch);
      try {
        const { moves } = await this.ask("adversary.bury", { n: this.state.n, ...bury });
        this.change({ moves, bury: { ...bury } });
      } catch (error) {
        this.place.complain(/** @type {Error} */ (error).message);
      }
    };
    return [
      h(
        "p",
        { class: "hint" },
        "One variable goes in and out; the others are in every negative example. Then they come back. " +
          "Winnow has halved them each time; Winnow-R stops at ½.",
      ),
      numberField("times halved", bury.depth, (depth) => set({ depth }), { min: 0, max: 40, step: 1 }),
      numberField("buried variables", bury.buried, (buried) => set({ buried }), { min: 1, max: 40, step: 1 }),
      button("Play it", () => set({})),
    ];
  }

  // -- moves

  /** @param {string} mode */
  setMode(mode) {
    this.good = null;
    this.change({ mode });
    this.fields();
  }

  /** @param {any} patch */
  change(patch) {
    if (this.place.fixed) return;
    Object.assign(this.state, patch, { t: null });
    this.changed();
  }

  changed() {
    const { state } = this;
    this.place.save(state);
    this.rerun(
      state.mode === "line"
        ? { seed: state.seed, lines: state.lines }
        : { n: state.n, seed: state.seed, moves: state.moves },
    );
  }

  /** @param {any} move */
  move(move) {
    this.change({ moves: [...this.state.moves, move] });
  }

  /** @param {number} count */
  draw(count) {
    if (this.state.mode === "line") this.change({ lines: [...this.state.lines, { do: "draw", count }] });
    else this.move({ do: "draw", count });
  }

  /** Consecutive moves of the line without a round are one move. @param {{angle: number, offset: number}} line */
  moveLine(line) {
    const lines = [...this.state.lines];
    if (lines.at(-1)?.do === "line") lines.pop();
    this.change({ lines: [...lines, { do: "line", ...line }] });
  }

  undo() {
    const name = this.state.mode === "line" ? "lines" : "moves";
    const least = name === "lines" ? 1 : 0;
    if (this.state[name].length > least) this.change({ [name]: this.state[name].slice(0, -1) });
  }

  // -- what a game has shown

  /** @param {Trace} trace @param {any} asked */
  setTrace(trace, asked) {
    this.trace = trace;
    this.good = structuredClone({
      n: this.state.n,
      seed: this.state.seed,
      moves: this.state.moves,
      lines: this.state.lines,
    });
    const rounds = (trace.labels ?? trace.points).length;
    this.totals = trace.panels.map((p) => sums(p.mistake));
    this.timeline.setRun(
      rounds,
      trace.panels.map((p, i) => ({
        class: `p${i}`,
        at: p.mistake,
      })),
      this.state.t,
    );
    if (trace.points) this.board.setGame(trace, this.state.lines);
    else {
      const stream = {
        n: asked.n,
        columns: asked.n,
        literals: [],
        examples: trace.examples,
        labels: trace.labels,
      };
      trace.panels.forEach((panel, i) => this.drawings[i].drawing.setRun(panel, stream));
      this.buildVariables(asked.n);
    }
    this.showTime(this.timeline.t, "jump");
    this.place.ready();
  }

  /** @param {number} n */
  buildVariables(n) {
    if (this.variables.children.length === n) return;
    this.variables.replaceChildren(
      ...Array.from({ length: n }, (_, k) =>
        button(`x${k + 1}`, () => this.toggle(k + 1), { class: "variable" }),
      ),
    );
  }

  /** @param {number} i */
  toggle(i) {
    this.move({ do: this.trace.target.includes(i) ? "remove" : "add", i });
  }

  /** The target of round t, and what it is to be next if all rounds are played. @param {number} t */
  targetNow(t) {
    return t === this.timeline.length ? this.trace.target : this.targetAt(t - 1);
  }

  /** @param {number} t */
  targetAt(t) {
    return this.trace.targets.filter((/** @type {any} */ one) => one[0] <= Math.max(0, t)).at(-1)?.[1] ?? [];
  }

  /** @param {number} t @param {string} by */
  showTime(t, by) {
    const { trace } = this;
    if (!trace) return;
    if (by !== "play") {
      this.state.t = t === this.timeline.length ? null : t;
      this.place.save(this.state);
    }
    if (trace.points) this.board.show(t);
    else {
      const target = this.targetNow(t),
        last = t === this.timeline.length;
      [...this.variables.children].forEach((one, k) => {
        one.setAttribute("aria-pressed", String(target.includes(k + 1)));
      });
      this.drawings.forEach(({ drawing, foot }, i) => {
        const panel = trace.panels[i];
        drawing.setTarget(target);
        drawing.show(t);
        const wrong = t && panel.mistake[t - 1] ? " ✗ this one too" : "";
        const knows = panel.knows ? " · knows the target ✓" : " · can be fooled";
        foot.textContent = `${this.totals[i][t]} mistakes${wrong}${last ? knows : ""}`;
      });
    }
    this.drawChart(t);
    this.drawFacts(t);
    this.tell(t);
  }

  /** @param {number} t */
  drawChart(t) {
    const { trace } = this;
    /** @type {import("../page/chart.js").Series[]} */ const series = this.totals.map((total, i) => ({
      class: `p${i}`,
      label: trace.panels[i].title,
      brief: briefName(trace.panels[i].title),
      points: steppes(total, t),
    }));
    const end = this.veiled ? t : this.timeline.length;
    let top = Math.max(10, ...this.totals.map((m) => m[end]));
    if (trace.bound) {
      series.push(
        { class: "bound-line", label: "bound", points: curve(trace.bound, t) },
        { class: "rate-line", label: "c·log₂ n", points: curve(trace.rate, t) },
      );
      top = Math.max(top, trace.bound[end], trace.rate[end]);
    }
    this.chart.draw(
      { xMax: this.timeline.length, yMax: top * 1.1, xName: "rounds", yName: "mistakes" },
      series,
      [],
    );
  }

  /** @param {number} t */
  drawFacts(t) {
    const { trace } = this;
    this.facts.replaceChildren(
      fact("round", t),
      fact("cost c", trace.cost[t]),
      trace.bound ? fact("Winnow-R at most", short(trace.bound[t])) : fact("lines", 1 + trace.cost[t]),
    );
    const key = (/** @type {string} */ name, /** @type {string} */ text) =>
      h("span", {}, h("span", { class: `key ${name}` }), text);
    this.verdict.replaceChildren(
      ...(trace.bound
        ? [
            key("bound-line", "5·A·(1 + ⌈log₂ n⌉) + 2 for A additions: proven for Winnow-R"),
            key("rate-line", `c·log₂ n = ${short(trace.rate[t])}`),
          ]
        : ["Every line that rounds have seen costs 1; the first is free."]),
    );
    const rows = trace.panels.map((panel, i) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, h("span", { class: `swatch p${i}` }), " ", panel.title),
        h("td", {}, this.totals[i][t]),
        h("td", {}, trace.cost[t] > 0 ? short(this.totals[i][t] / trace.cost[t]) : "–"),
        trace.bound && h("td", {}, panel.short === "winnow-r" ? `≤ ${short(trace.bound[t])}` : "no bound"),
      ),
    );
    this.table.replaceChildren(
      tableHead(["learner", "mistakes", "per cost", ...(trace.bound ? ["bound"] : [])]),
      h("tbody", {}, ...rows),
    );
  }

  /** @param {number} t */
  tell(t) {
    const { trace } = this;
    const wrong = t ? trace.panels.filter((p) => p.mistake[t - 1]).map((p) => p.title) : [];
    const who = wrong.length
      ? `${wrong.join(", ")} ${wrong.length > 1 ? "are" : "is"} wrong.`
      : "all are right.";
    if (trace.points) {
      const [x, y, label] = t ? trace.points[t - 1] : [0, 0, 0];
      this.say.textContent = t
        ? `Round ${t}: (${short(x)}, ${short(y)}), label ${label > 0 ? "+" : "−"}: ${who}`
        : "Drag the ends of the line, then press Next 10 rounds: points come, and the learners' lines " +
          "follow.";
      return;
    }
    const now = disjunctionText(this.targetNow(t));
    if (!t) {
      this.say.textContent =
        `The target is ${now}. ` + "Press variables to add them or remove them, then Next 10 rounds.";
      return;
    }
    const on = trace.examples[t - 1].map((/** @type {number} */ i) => `x${i + 1}`);
    const shown = on.length > 12 ? `${on.slice(0, 12).join(", ")} and ${on.length - 12} more` : on.join(", ");
    const then = disjunctionText(this.targetAt(t - 1));
    this.say.textContent =
      `Round ${t}: ${shown || "no variable"} ${on.length > 1 ? "are" : "is"} 1. ` +
      `The target was ${then}, so the label is ${trace.labels[t - 1]}: ${who}` +
      (now === then ? "" : ` Now it is ${now}.`);
  }

  // -- the interface of a view

  /** A part of the state changes: a lesson sets the scene. @param {any} patch */
  set(patch) {
    Object.assign(this.state, patch);
    this.good = null;
    this.fields();
    this.start();
  }

  /** @param {number} from @param {number | null} to */
  play(from, to) {
    this.timeline.playPart(from, to);
  }

  /** @param {boolean} on */
  veil(on) {
    this.veiled = on;
    this.timeline.veil(on);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    return this.timeline.key(event, this.place.presenting());
  }

  figure() {
    const { t, length } = this.timeline;
    const panels =
      this.state.mode === "line"
        ? [{ name: "The truth and the learners' lines", layers: [this.board.svg], foot: "" }]
        : this.drawings.map(({ drawing, foot }, i) => ({
            name: PLAYERS[i][1],
            layers: [drawing.el],
            foot: foot.textContent ?? "",
          }));
    const title = `A target that changes, ${t} of ${length} rounds, cost ${this.trace.cost[t]}`;
    return { title, panels, chart: this.chart.el, around: this.el };
  }

  exports() {
    const line = this.state.mode === "line";
    const drawing = () => (line ? this.board.svg : this.chart.el);
    return pictures(
      (kind) => `Picture of the ${line ? "plane" : "mistakes"} (${kind})`,
      drawing,
      "adversary",
    );
  }

  python() {
    const { mode, seed, n, moves, lines } = this.state;
    const code = async () => {
      const { python } = await (mode === "line"
        ? this.ask("adversary.line.python", { seed, moves: lines })
        : this.ask("adversary.python", { n, seed, moves }));
      return python;
    };
    return { file: "adversary.py", code };
  }

  destroy() {
    this.timeline.pause();
  }
}

/** A step line that need not begin at 0. @param {number[]} values @param {number} t */
function curve(values, t) {
  /** @type {[number, number][]} */ const out = [[0, values[0]]];
  for (let i = 1; i <= t; i++) if (values[i] !== values[i - 1]) out.push([i, values[i - 1]], [i, values[i]]);
  out.push([t, values[t]]);
  return out;
}

/** @param {number[]} variables */
function disjunctionText(variables) {
  return variables.map((i) => `x${i}`).join(" ∨ ") || "empty (always 0)";
}
