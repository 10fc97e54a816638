// Beside the plane: R, γ and the bound, the mistakes over time, and a row of figures for each learner.
import { Chart } from "../page/chart.js";
import { fact, h, say, scroller, short, tableHead } from "../page/dom.js";
import { briefName } from "../page/learners.js";
import { steppes, sums } from "../page/series.js";

/** @import { Level } from "../page/chart.js" */
/** @import { Trace } from "../page/panels.d.ts" */

export class PlaneFigures {
  constructor() {
    this.chart = new Chart("Mistakes of each learner over time, with the bound");
    this.facts = h("dl", { class: "facts" });
    this.verdict = h("p", { class: "verdict" });
    this.body = h("tbody", {});
    this.table = h(
      "table",
      { class: "figures" },
      tableHead(["learner", "mistakes", "updates", "w₁,\u00a0w₂,\u00a0b"]),
      this.body,
    );
    this.el = h(
      "aside",
      { class: "side-column" },
      h("h2", { class: "side-title" }, "Mistakes and the bound"),
      this.facts,
      this.verdict,
      this.chart.el,
      scroller("Figures of the learners", this.table),
    );
    /** @type {Trace | null} */ this.trace = null;
    /** @type {Int32Array[]} */ this.mistakes = [];
    /** @type {Int32Array[]} */ this.updates = [];
    /** @type {Level[]} */ this.levels = [];
    /** @type {string[]} */ this.names = [];
    this.veiled = false;
  }

  /** @param {Trace} trace @param {string[]} names  that tell learners of the same kind apart */
  setTrace(trace, names) {
    this.trace = trace;
    this.names = names;
    this.mistakes = trace.panels.map((p) => sums(p.mistake ?? []));
    this.updates = trace.panels.map((p) => sums(p.update ?? []));
    this.body.replaceChildren(
      ...trace.panels.map((panel, i) =>
        h(
          "tr",
          {},
          h(
            "th",
            { scope: "row" },
            h("span", { class: `swatch p${i}` }),
            " ",
            panel.name,
            h("span", { class: "apart" }, names[i]),
          ),
          h("td", {}, h("b", {}), h("span", { class: "level-value" })),
          h("td", {}),
          h("td", { class: "weights" }),
        ),
      ),
    );
  }

  /** @param {number} subject  the panel that is spoken of @param {string} [problem]  why there are no bounds */
  showFacts(subject, problem) {
    if (!this.trace) return;
    const { panels } = this.trace;
    const data = panels[subject]?.data ?? { points: 0 }; // with the constant feature of that panel
    const hidden = this.veiled;
    this.facts.replaceChildren(
      fact("R", short(data.R)),
      fact(
        "γ",
        hidden
          ? "?"
          : !data.points
            ? "–"
            : data.separable
              ? short(data.gamma)
              : data.undecided
                ? "?"
                : "none",
      ),
      fact("R²/γ²", hidden ? "?" : data.separable ? short(data.most) : "–"),
    );
    this.levels = hidden ? [] : panels.map(levelOf).filter((level) => level !== null);
    this.verdict.textContent = hidden
      ? "Shown with the answer."
      : data.points
        ? verdictText(data, this.levels.length > 0)
        : "";
    if (problem && !hidden) this.verdict.textContent += ` No bounds: ${problem}`;
  }

  /** @param {number} t @param {(i: number) => number[] | null} weights  of a panel, then */
  show(t, weights) {
    if (!this.trace) return;
    const { panels } = this.trace;
    panels.forEach((panel, i) => {
      const [, mistakes, updates, w] = this.body.children[i].children;
      const level = this.veiled ? null : levelOf(panel, i);
      mistakes.title = level?.title ?? "";
      say(mistakes.children[0], panel.error ? "–" : String(this.mistakes[i][t]));
      say(mistakes.children[1], level ? ` ≤ ${short(level.most)}` : "");
      say(updates, panel.error ? "–" : String(this.updates[i][t]));
      const now = weights(i);
      say(w, now ? now.map(short).join(", ") : "–");
    });
    this.drawChart(t);
  }

  /** @param {number} t */
  drawChart(t) {
    const { panels, sequence } = /** @type {Trace} */ (this.trace);
    const end = this.veiled ? t : sequence.length; // not even the scale says what is to come
    const top = Math.max(10, ...this.levels.map((l) => l.value), ...this.mistakes.map((m) => m[end] ?? 0));
    const series = this.mistakes.map((total, i) => ({
      class: `p${i}`,
      label: this.names[i] || panels[i].name,
      brief: this.names[i] || briefName(panels[i].name),
      points: panels[i].error ? [] : steppes(total, t),
    }));
    this.chart.draw(
      {
        xMax: sequence.length,
        yMin: 0.8,
        yMax: top * 1.4,
        log: true,
        xName: "examples",
        yName: "mistakes",
      },
      series,
      this.levels,
    );
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
        brief: `≤ ${short(best.most)}`,
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
