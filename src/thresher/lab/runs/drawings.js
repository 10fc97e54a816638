// The pictures and tables of a run: weights, features, standings.
import { h, s, short, tableHead } from "../page/dom.js";
import { compact, errorText } from "./logs.js";

const [HIST_WIDTH, HIST_HEIGHT, HIST_LEFT, HIST_TOP, HIST_BOTTOM] = [440, 236, 52, 24, 42];

/** The distribution of the weights, with counts on a logarithmic axis. */
export class Histogram {
  constructor() {
    this.el = s("svg", {
      class: "chart histogram",
      viewBox: `0 0 ${HIST_WIDTH} ${HIST_HEIGHT}`,
      role: "img",
      "aria-label": "Histogram of the weights",
    });
    this.note = h("p", { class: "hint" });
    this.shown = /** @type {any} */ (undefined);
  }

  /** @param {any} weights */
  draw(weights) {
    if (weights === this.shown) return;
    this.shown = weights;
    const spread = weights?.histogram;
    this.note.textContent = weightsText(weights);
    if (!spread) {
      this.el.replaceChildren();
      return;
    }
    const { edges, counts } = spread;
    const most = Math.max(...counts, 1),
      high = Math.log10(most) + 0.3;
    const [low, top] = [edges[0], edges[edges.length - 1]];
    const x = (/** @type {number} */ v) =>
      HIST_LEFT + ((HIST_WIDTH - HIST_LEFT - 12) * (v - low)) / (top - low);
    const y = (/** @type {number} */ n) =>
      HIST_HEIGHT -
      HIST_BOTTOM -
      (HIST_HEIGHT - HIST_TOP - HIST_BOTTOM) * (n > 0 ? (Math.log10(n) + 0.3) / (high + 0.3) : 0);
    /** @type {Node[]} */ const out = [
      s("text", { class: "axis-name", x: 2, y: 11 }, "how many"),
      s(
        "text",
        { class: "axis-name", x: HIST_WIDTH - 12, y: HIST_HEIGHT - 6, "text-anchor": "end" },
        "weight",
      ),
    ];
    for (let n = 1; n <= most; n *= 10) {
      out.push(
        s("line", { class: "grid", x1: HIST_LEFT, x2: HIST_WIDTH - 12, y1: y(n), y2: y(n) }),
        s("text", { class: "tick-label", x: HIST_LEFT - 8, y: y(n) + 4, "text-anchor": "end" }, compact(n)),
      );
    }
    counts.forEach((/** @type {number} */ n, /** @type {number} */ i) => {
      if (n > 0)
        out.push(
          s("rect", {
            class: edges[i] + edges[i + 1] > 0 ? "bar-plus" : "bar-minus",
            x: x(edges[i]) + 0.5,
            width: Math.max(0.5, x(edges[i + 1]) - x(edges[i]) - 1),
            y: y(n),
            height: HIST_HEIGHT - HIST_BOTTOM - y(n),
          }),
        );
    });
    for (const v of low < 0 && top > 0 ? [low, 0, top] : [low, top]) {
      out.push(
        s(
          "text",
          {
            class: "tick-label",
            x: x(v),
            y: HIST_HEIGHT - 24,
            "text-anchor": v === low && low < top ? "start" : v === top ? "end" : "middle",
          },
          short(v),
        ),
      );
    }
    this.el.replaceChildren(...out);
    this.el.setAttribute(
      "aria-label",
      `Histogram of the weights, from ${short(low)} to ${short(top)}: ${this.note.textContent}`,
    );
  }
}

/** The features with the largest weights, above 0 in blue with +, below 0 in orange with −. */
export class Features {
  constructor() {
    this.label = 0;
    this.choice = h("select", {
      "aria-label": "Label",
      hidden: true,
      onchange: () => {
        this.label = Number(this.choice.value);
        this.fill();
      },
    });
    this.lists = h("div", { class: "feature-lists" });
    this.note = h("p", { class: "hint" });
    this.weights = /** @type {any} */ (undefined);
  }

  /** @param {any} weights */
  draw(weights) {
    if (weights === this.weights) return;
    this.weights = weights;
    const top = weights?.top ?? [];
    this.label = Math.min(this.label, Math.max(0, top.length - 1));
    this.choice.hidden = top.length < 2;
    if (this.choice.options.length !== top.length)
      this.choice.replaceChildren(
        ...top.map((/** @type {any} */ one, /** @type {number} */ i) =>
          h("option", { value: i, selected: i === this.label }, one.for || `label ${i + 1}`),
        ),
      );
    this.note.textContent = weights?.skipped
      ? `Not shown: ${weights.skipped}.`
      : weights?.labels > top.length && top.length > 1
        ? `The first ${top.length} labels seen, of ${compact(weights.labels)}.`
        : "";
    this.fill();
  }

  fill() {
    const one = this.weights?.top?.[this.label];
    if (!one) {
      this.lists.replaceChildren();
      return;
    }
    const most = Math.max(...one.features.map((/** @type {any} */ [, w]) => Math.abs(w)), 1e-300);
    this.lists.replaceChildren(
      ...[1, -1].map((sign) => {
        const rows = one.features.filter((/** @type {any} */ [, w]) => sign * w > 0);
        const speaks =
          sign > 0
            ? one.for
              ? `for ${one.for}`
              : "above 0"
            : one.against
              ? `for ${one.against}`
              : one.for
                ? `against ${one.for}`
                : "below 0";
        return h(
          "section",
          { class: "features" },
          h("h3", { class: sign > 0 ? "plus-text" : "minus-text" }, `${sign > 0 ? "+" : "−"} ${speaks}`),
          rows.length
            ? h(
                "ol",
                {},
                ...rows.map((/** @type {any} */ [name, w]) =>
                  h(
                    "li",
                    {},
                    h("span", { class: "feature-name", title: name }, name),
                    featureBar(w / most),
                    h("span", { class: "feature-weight" }, short(w)),
                  ),
                ),
              )
            : h("p", { class: "hint" }, "none"),
        );
      }),
    );
  }
}

/** @param {number} share from −1 to 1 */
function featureBar(share) {
  return s(
    "svg",
    { class: "feature-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", {
      class: share > 0 ? "bar-plus" : "bar-minus",
      x: 0,
      y: 1,
      height: 8,
      width: Math.max(0.8, 100 * Math.abs(share)),
    }),
  );
}

/**
 * The standings of a race: the leaders, and who left it and why; or the shards of a run.
 * @param {any} table
 * @param {any[]} rows
 * @param {string} measure
 * @param {(name: string) => number} colour  −1: none
 * @param {"learner" | "shard"} of
 */
export function drawStandings(table, rows, measure, colour, of) {
  table.replaceChildren(
    h("caption", {}, of === "shard" ? "Shards" : "Standings"),
    tableHead([of, "error", "±", "examples", "examples/s"]),
    h(
      "tbody",
      {},
      ...rows.map((row, i) => {
        const [low, high] = row.interval;
        const half =
          low === null || high === null || low === undefined || high === undefined ? null : (high - low) / 2;
        const out = row.dropped_at !== null;
        return h(
          "tr",
          { class: out ? "left-race" : "" },
          h(
            "th",
            { scope: "row", title: row.reason || null },
            h("span", { class: colour(row.name) >= 0 ? `swatch p${colour(row.name)}` : "swatch none" }),
            ` ${out ? "–" : `${i + 1}.`} ${row.name}`,
            out ? h("span", { class: "hint" }, ` left at ${compact(row.dropped_at)}`) : null,
          ),
          h("td", {}, errorText(row.error, measure)),
          h("td", {}, measure === "error" && half !== null ? (100 * half).toFixed(2) : short(half)),
          h("td", {}, compact(row.examples)),
          h("td", {}, compact(row.rate)),
        );
      }),
    ),
  );
}

/** How many weights there are, or why they are not shown. @param {any} weights */
function weightsText(weights) {
  if (!weights) return "The first weights come soon.";
  if (weights.skipped) return `Not shown: ${weights.skipped}.`;
  if (!weights.histogram) return "All weights are 0.";
  const zeros = weights.zeros ? `, and ${compact(weights.zeros)} that are` : "";
  const count = compact(weights.weights - weights.zeros);
  return `${count} weights that are not 0${zeros}, after ${compact(weights.examples)} examples.`;
}
