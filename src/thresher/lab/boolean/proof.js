// The lemmas of Winnow's bound while they are used: what each allows, and how much of it is used.
import { Chart } from "../page/chart.js";
import { h, short } from "../page/dom.js";

export class WinnowLemmas {
  constructor() {
    this.chart = new Chart(
      "The total weight of Winnow after each mistake, and what lemma 1 allows",
      460,
      210,
    );
    this.said = h("p", { class: "proof-said" });
    this.list = h("dl", { class: "lemmas" });
    this.body = h("div", { class: "proof-body" }, this.chart.el, this.list);
    this.problem = h("p", { class: "hint" });
    this.el = h("div", { class: "proof" }, this.said, this.body, this.problem);
    /** @type {any} */ this.proof = null;
    this.t = 0;
  }

  /** @param {any} proof @param {string} problem  why there is none */
  set(proof, problem = "") {
    this.proof = proof;
    this.problem.textContent = problem;
    this.body.hidden = this.said.hidden = !proof;
    this.show(this.t);
  }

  /** @param {number} t */
  show(t) {
    this.t = t;
    const { proof } = this;
    if (!proof) return;
    const m = proof.at.filter((/** @type {number} */ at) => at <= t).length;
    const line = (/** @type {number[]} */ values) =>
      /** @type {[number, number][]} */ ([proof.d, ...values.slice(0, m)].map((v, i) => [i, v]));
    this.chart.draw(
      {
        xMax: Math.max(1, proof.at.length),
        yMax: 1.1 * Math.max(proof.d, ...proof.most_total),
        xName: "mistakes",
        yName: "total weight",
      },
      [
        { class: "limit-line", label: "lemma 1 allows", points: line(proof.most_total) },
        { class: "along-line", label: "Σ w", points: line(proof.total) },
      ],
    );
    const now = (/** @type {number[]} */ values, first = 0) => (m ? values[m - 1] : first);
    const used = [
      [
        "1: 0 < Σ w, at most d + (α − 1)·θ·u − (1 − 1/α)·θ·v",
        now(proof.total, proof.d),
        now(proof.most_total, proof.d),
      ],
      ["2: the largest weight, at most α·θ", now(proof.largest, 1), proof.most_largest],
      [
        "3: what the target's weights must have gained, at most what they have",
        now(proof.needed),
        now(proof.potential),
      ],
      ["3: what they have gained, at most what they can", now(proof.potential), proof.most_potential],
    ];
    this.list.replaceChildren(
      ...used.map(([name, value, most]) =>
        h(
          "div",
          {},
          h("dt", {}, `Lemma ${name}`),
          h(
            "dd",
            {},
            h("progress", {
              max: Math.max(Number(most), 1e-9),
              value: Math.max(0, Number(value)),
              "aria-label": `Lemma ${name}`,
            }),
            ` ${short(Number(value))} ≤ ${short(Number(most))}`,
          ),
        ),
      ),
    );
    this.said.textContent = `After ${m} mistake${m === 1 ? "" : "s"}: the lemmas together allow at most ${short(proof.most)}.`;
  }
}
