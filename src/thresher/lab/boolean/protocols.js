// Two games of learning a monotone conjunction: you ask an oracle (I), or you teach a pupil (II).
import { latest } from "../page/asking.js";
import { showLabel } from "../page/bars.js";
import { button, fact, h, numberField, scroller, tableHead } from "../page/dom.js";

/** @import { Place } from "../page/view.d.ts" */

/** What the games begin with. */
export const PROTOCOLS_START = {
  ask: {
    n: 10,
    k: 3,
    seed: 1,
    questions: /** @type {number[][]} */ ([]),
    draft: [2, 3, 4, 5, 6, 7, 8, 9, 10],
    guess: /** @type {number[] | null} */ (null),
  },
  teach: { n: 10, target: [2, 5, 9], examples: [[2, 5, 9]], draft: [5, 9] },
};

/** A row of bits to press. */
class BitButtons {
  /** @param {string} label @param {(on: number[]) => void} onchange */
  constructor(label, onchange) {
    this.onchange = onchange;
    /** @type {number[]} */ this.on = [];
    this.row = h("div", { class: "press", role: "group", "aria-label": label });
    this.el = h("div", { class: "press-row" }, h("span", { class: "press-name" }, label), this.row);
  }

  /** @param {number} n @param {number[]} on */
  show(n, on) {
    this.on = on;
    if (this.row.children.length !== n) {
      this.row.replaceChildren(
        ...Array.from({ length: n }, (_, k) => button("", () => this.flip(k + 1), { class: "press-bit" })),
      );
    }
    [...this.row.children].forEach((one, k) => {
      const is = on.includes(k + 1);
      one.setAttribute("aria-pressed", String(is));
      one.setAttribute("aria-label", `x${k + 1}`);
      one.replaceChildren(h("b", {}, is ? "1" : "0"), h("small", {}, `x${k + 1}`));
    });
  }

  /** @param {number} i */
  flip(i) {
    this.onchange(
      this.on.includes(i) ? this.on.filter((v) => v !== i) : [...this.on, i].sort((a, b) => a - b),
    );
  }
}

export class Protocols {
  /**
   * @param {Place} place
   * @param {() => any} state  of the view, of which `ask` and `teach` belong to the games
   */
  constructor(place, state) {
    this.place = place;
    this.state = state;
    this.mode = "ask";
    /** @type {any} */ this.good = null; // the last game that had an answer
    this.tools = h("div", { class: "toolbar" });
    this.story = h("p", { class: "story" });
    this.target = new BitButtons("target", (on) => this.change({ target: on, examples: [] }));
    this.bits = new BitButtons("input", (on) => this.change({ draft: on }, false));
    this.actions = h("div", { class: "toolbar" });
    this.facts = h("dl", { class: "facts" });
    this.known = h("div", { class: "known", role: "img" });
    this.say = h("p", { class: "words", "aria-live": "polite" });
    this.history = h("table", { class: "figures questions" });
    this.el = h(
      "div",
      { class: "protocols", hidden: true },
      this.tools,
      this.story,
      h(
        "div",
        { class: "columns" },
        h(
          "div",
          { class: "main" },
          this.target.el,
          this.bits.el,
          this.actions,
          h("div", { class: "telling" }, this.say),
        ),
        h(
          "aside",
          { class: "side-column" },
          this.facts,
          h("h2", {}, "What follows from it"),
          this.known,
          scroller("What was asked or shown", this.history),
        ),
      ),
    );
    this.rerun = latest(
      (mode, about, signal) => this.ask(mode, about, signal),
      (answer, mode) => {
        if (mode === this.mode) this.show(answer);
      },
      (error) => this.refused(error),
    );
  }

  /** An invalid move is undone; a game that cannot be read starts over. @param {Error} error */
  refused(error) {
    this.place.complain(error.message);
    if (this.good === "new") return;
    Object.assign(
      this.game,
      structuredClone(this.good ?? PROTOCOLS_START[/** @type {"ask" | "teach"} */ (this.mode)]),
    );
    if (!this.good) this.good = "new";
    this.fields();
    this.run();
  }

  /** @param {string} mode @param {any} about @param {AbortSignal} signal */
  ask(mode, about, signal) {
    return this.place.ask(mode === "ask" ? "boolean.ask" : "boolean.teach", about, signal);
  }

  get game() {
    return this.state()[this.mode];
  }

  /** @param {string} mode */
  open(mode) {
    this.mode = mode;
    this.good = null;
    this.stop();
    this.fields();
    this.run();
  }

  stop() {
    clearInterval(this.watching);
    this.watching = undefined;
  }

  /** @param {any} patch */
  change(patch, rerun = true) {
    Object.assign(this.game, patch);
    this.place.save(this.state());
    if (rerun) this.run();
    else this.bits.show(this.game.n, this.game.draft);
  }

  run() {
    const { draft, ...about } = this.game;
    this.rerun(this.mode, about);
  }

  // -- elements of the page

  fields() {
    const { game } = this;
    const asking = this.mode === "ask";
    this.target.el.hidden = asking;
    const n = numberField("n", game.n, (value) => this.resize(value), { min: 1, max: 64, step: 1 });
    const all = [
      button("All 1", () => this.change({ draft: range(game.n) }, false)),
      button("All 0", () => this.change({ draft: [] }, false)),
    ];
    this.story.textContent = asking
      ? "A conjunction is hidden: it is 1 where all of its variables are 1. Choose an input and ask for " +
        "its value; find the conjunction in as few questions as you can."
      : "You know the conjunction; the pupil does not. Show it inputs, which are labelled by your target, " +
        "until it is certain. A good teacher needs k\u00a0+\u00a01 examples for k variables.";
    if (asking) {
      this.tools.replaceChildren(
        n,
        numberField("k", game.k, (k) => this.again({ k }), { min: 0, max: 64, step: 1 }),
        button("Hide another", () => this.again({ seed: (game.seed + 1) % 2 ** 32 })),
        button("Watch the library ask", () => this.watch()),
      );
      this.actions.replaceChildren(
        ...all,
        button("Ask", () => this.put(), { class: "primary" }),
        button("Guess: all that are 1", () => this.change({ guess: [...game.draft] }), {
          title: "That the conjunction is of the variables that are 1 above",
        }),
      );
    } else {
      this.tools.replaceChildren(
        n,
        button("A new pupil", () => this.change({ examples: [] })),
        button("Show me how", () => this.demonstrate()),
      );
      this.actions.replaceChildren(
        ...all,
        button("Show it to the pupil", () => this.put(), { class: "primary" }),
      );
    }
  }

  /** @param {any} patch */
  again(patch) {
    this.stop();
    this.change({ ...patch, questions: [], guess: null });
    this.fields();
  }

  /** @param {number} n */
  resize(n) {
    const { game } = this;
    const within = (/** @type {number[]} */ on) => on.filter((i) => i <= n);
    if (this.mode === "ask") this.again({ n, k: Math.min(game.k, n), draft: within(game.draft) });
    else {
      this.change({ n, target: within(game.target), draft: within(game.draft), examples: [] });
      this.fields();
    }
  }

  put() {
    const { game } = this;
    const name = this.mode === "ask" ? "questions" : "examples";
    this.change({
      [name]: [...game[name], [...game.draft]],
      ...(this.mode === "ask" ? { guess: null } : {}),
    });
  }

  async watch() {
    this.stop();
    const { game } = this;
    try {
      const { questions } = await this.place.ask("boolean.watch", { n: game.n });
      this.change({ questions: [], guess: null });
      this.watching = setInterval(() => {
        const next = questions[game.questions.length];
        if (!next || this.game !== game) {
          this.stop();
          return;
        }
        this.change({ draft: next, questions: [...game.questions, next] });
      }, 350);
    } catch (error) {
      this.place.complain(/** @type {Error} */ (error).message);
    }
  }

  demonstrate() {
    if (this.best) this.change({ examples: this.best });
  }

  // -- answers

  /** @param {any} answer */
  show(answer) {
    const { game } = this;
    this.good = structuredClone(game);
    this.bits.show(game.n, game.draft);
    if (this.mode === "ask") this.showAsked(answer);
    else this.showTaught(answer);
    this.place.ready();
  }

  /** @param {any} answer */
  showAsked(answer) {
    const { game } = this;
    this.figures(
      ["questions", answer.count],
      ["the library", answer.library],
      ["still open", answer.possible.length - answer.needed.length],
    );
    this.showKnown(game.n, answer.possible, answer.needed);
    this.rows(["input", "value"], game.questions, answer.answers);
    this.say.textContent = askedText(answer);
  }

  /** @param {any} answer */
  showTaught(answer) {
    const { game } = this;
    this.best = answer.best;
    this.target.show(game.n, game.target);
    const now = answer.steps.at(-1),
      count = game.examples.length;
    this.figures(
      ["examples", count],
      ["k + 1", answer.least],
      ["still open", now.possible.length - now.needed.length],
    );
    this.showKnown(game.n, now.possible, now.needed);
    this.rows(
      ["example", "label", "the pupil thinks"],
      game.examples,
      answer.steps.slice(1).map((/** @type {any} */ s) => s.label),
      answer.steps.slice(1).map((/** @type {any} */ s) => s.hypothesis + (s.certain ? " ✓" : "")),
    );
    this.say.textContent = taughtText(now, count, answer.least);
  }

  /** @param {...[string, any]} cells */
  figures(...cells) {
    this.facts.replaceChildren(...cells.map(([name, value]) => fact(name, value)));
  }

  /** @param {number} n @param {number[]} possible @param {number[]} needed */
  showKnown(n, possible, needed) {
    const kind = (/** @type {number} */ i) =>
      needed.includes(i) ? ["needed", "✓"] : possible.includes(i) ? ["open", "?"] : ["out", "×"];
    this.known.replaceChildren(
      ...range(n).map((i) =>
        h("span", { class: `known-bit ${kind(i)[0]}` }, h("b", {}, kind(i)[1]), h("small", {}, `x${i}`)),
      ),
    );
    this.known.setAttribute(
      "aria-label",
      `Needed: ${needed.map((i) => `x${i}`).join(", ") || "none yet"}. Open: ${
        possible
          .filter((i) => !needed.includes(i))
          .map((i) => `x${i}`)
          .join(", ") || "none"
      }.`,
    );
  }

  /**
   * @param {string[]} head
   * @param {number[][]} inputs
   * @param {boolean[]} labels
   * @param {string[]} [thoughts]
   */
  rows(head, inputs, labels, thoughts) {
    const n = this.game.n;
    const row = (/** @type {number[]} */ on, /** @type {number} */ k) => {
      const chip = h("span", {});
      showLabel(chip, labels[k], thoughts ? "label" : "value");
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, k + 1),
        h(
          "td",
          { class: "code", "aria-label": `${on.map((i) => `x${i}`).join(", ") || "none"} are 1` },
          range(n)
            .map((i) => (on.includes(i) ? "1" : "0"))
            .join(""),
        ),
        h("td", {}, chip),
        thoughts ? h("td", {}, thoughts[k]) : null,
      );
    };
    this.history.replaceChildren(tableHead(["#", ...head]), h("tbody", {}, ...inputs.map(row).reverse()));
  }

  python() {
    const { draft, guess, ...about } = this.game;
    const asked = { ...about, mode: this.mode };
    return {
      file: "protocol.py",
      code: async () => (await this.place.ask("boolean.protocol", asked)).python,
    };
  }

  destroy() {
    this.stop();
  }
}

/** @param {number} n */
function range(n) {
  return Array.from({ length: n }, (_, k) => k + 1);
}

/** What is known after the questions so far. @param {any} answer */
function askedText({ guess, count, library, certain, needed, answers }) {
  if (guess?.exact) {
    const questions = count === 1 ? "question" : "questions";
    return `Exact: it is ${guess.target}, found in ${count} ${questions}; the library asks ${library}.`;
  }
  if (guess) return `No, it is not ${guess.said}. Ask on, or look: it was ${guess.target}.`;
  if (certain) {
    const found = needed.map((/** @type {number} */ i) => `x${i}`).join(" ∧ ");
    return `Now you can know it: ${found || "true, the conjunction of nothing"}. Guess it.`;
  }
  if (!count) return "Press bits to choose an input, then Ask.";
  return answers.at(-1)
    ? "The value is 1. No variable that was 0 is needed."
    : "The value is 0. At least one variable that was 0 is needed.";
}

/** @param {any} now  what the pupil thinks @param {number} count @param {number} least */
function taughtText({ certain, exact, hypothesis }, count, least) {
  if (certain) {
    const verdict = count <= least ? "no fewer would do." : `${least} would have done.`;
    return `The pupil is certain: ${hypothesis}. ${count} examples; ${verdict}`;
  }
  const next = exact
    ? "That is right, but it cannot know yet: show that each variable is needed."
    : "It may be all of these: show a positive example that rules some out.";
  return `The pupil thinks: ${hypothesis}. ${next}`;
}
