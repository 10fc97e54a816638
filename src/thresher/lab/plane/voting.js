// "Predict first?": before each step a class says whether the learner will be right.
import { button, h, short } from "../page/dom.js";

export class Voting {
  /** @param {() => void} onchange  it was switched on or off */
  constructor(onchange) {
    this.votes = /** @type {number[] | null} */ (null); // right, a mistake; null: no question is open
    this.box = h("input", {
      type: "checkbox",
      onchange: () => {
        this.clear();
        onchange();
      },
    });
    this.el = h("div", { class: "vote", role: "group", "aria-label": "Predict the step", hidden: true });
  }

  get on() {
    return this.box.checked;
  }

  /**
   * Whether the next step may be shown; if not, it is asked about now.
   * @param {number[]} point
   * @param {string} who  the learner
   * @param {boolean} mistake  what will happen
   */
  allows(point, who, mistake) {
    if (!this.on) {
      this.clear();
      return true;
    }
    if (this.votes) {
      this.reveal(this.votes, mistake);
      return true;
    }
    this.votes = [0, 0];
    const choice = (/** @type {number} */ k, /** @type {string} */ text) => {
      const one = button(text, () => {
        if (!this.votes) return;
        this.votes[k]++;
        one.textContent = `${text} · ${this.votes[k]}`;
      });
      return one;
    };
    this.el.replaceChildren(
      h(
        "strong",
        {},
        `Next: (${short(point[0])}, ${short(point[1])}), label ${point[2] > 0 ? "+" : "−"}. ` +
          `Will ${who} be right?`,
      ),
      choice(0, "right"),
      choice(1, "a mistake"),
      h("span", { class: "hint" }, "Vote, then Step reveals."),
    );
    this.el.hidden = false;
    return false;
  }

  /** @param {number[]} votes @param {boolean} mistake */
  reveal(votes, mistake) {
    const [hit, all] = [votes[mistake ? 1 : 0], votes[0] + votes[1]];
    this.el.replaceChildren(
      h("strong", {}, mistake ? "A mistake." : "Right."),
      all ? ` ${hit} of ${all} votes saw it coming.` : "",
    );
    this.votes = null;
  }

  clear() {
    this.votes = null;
    this.el.hidden = true;
  }
}
