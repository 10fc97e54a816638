// A step explained in three ways: in words (read out), in symbols, as Python.
import { button, h } from "./dom.js";

export class Telling {
  constructor() {
    this.say = h("p", { class: "words", "aria-live": "polite" });
    this.maths = h("pre", { class: "maths" });
    this.python = h("pre", { class: "python" });
    this.who = h("span", {});
    this.tabs = h(
      "div",
      { class: "segments small", role: "group", "aria-label": "The step as" },
      ...["words", "maths", "python"].map((name) =>
        button(name === "python" ? "Python" : name, () => this.choose(name), { "data-tab": name }),
      ),
    );
    this.el = h(
      "div",
      { class: "telling" },
      h("div", { class: "row" }, this.tabs, this.who),
      this.say,
      this.maths,
      this.python,
    );
    this.choose("words");
  }

  /** @param {string} name */
  choose(name) {
    for (const one of this.tabs.children) one.setAttribute("aria-pressed", String(one.dataset.tab === name));
    [this.say.hidden, this.maths.hidden, this.python.hidden] = [
      name !== "words",
      name !== "maths",
      name !== "python",
    ];
  }

  /** @param {{words: string, maths?: string, python?: string}} told @param {string} [who] */
  show({ words, maths = "", python = "" }, who) {
    if (this.say.textContent !== words) this.say.textContent = words; // or it would be read out again
    this.maths.textContent = maths;
    this.python.textContent = python;
    if (who !== undefined) this.who.textContent = who;
  }
}
