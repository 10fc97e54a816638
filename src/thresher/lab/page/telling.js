// A step explained in several ways: in words (read out), in symbols, as Python, and what a view adds.
import { button, h } from "./dom.js";

/** @typedef {{words: string, maths?: string, python?: string}} Told */

export class Telling {
  /** @param {Record<string, HTMLElement>} more  further tabs: their names, and what they show */
  constructor(more = {}) {
    this.say = h("p", { class: "words" });
    this.heard = h("p", { class: "unseen heard", "aria-live": "polite" });
    this.maths = h("pre", {
      class: "maths",
      tabindex: 0,
      role: "group",
      "aria-label": "The step in symbols",
    });
    this.python = h("pre", {
      class: "python",
      tabindex: 0,
      role: "group",
      "aria-label": "The step as Python",
    });
    this.who = h("span", {});
    this.parts = /** @type {Record<string, any>} */ ({
      words: this.say,
      maths: this.maths,
      ...more,
      Python: this.python,
    });
    this.chosen = "words";
    this.onchoose = () => {};
    this.tabs = h(
      "div",
      { class: "segments small", role: "group", "aria-label": "The step as" },
      ...Object.keys(this.parts).map((name) => button(name, () => this.choose(name), { "data-tab": name })),
    );
    this.el = h(
      "div",
      { class: "telling" },
      h("div", { class: "row" }, this.tabs, this.who),
      ...Object.values(this.parts),
      this.heard,
    );
    this.choose("words");
  }

  /** @param {string} name */
  choose(name) {
    this.chosen = name in this.parts ? name : "words";
    for (const one of this.tabs.children)
      one.setAttribute("aria-pressed", String(one.dataset.tab === this.chosen));
    for (const [tab, part] of Object.entries(this.parts)) part.hidden = tab !== this.chosen;
    this.el.dataset.tab = this.chosen;
    this.onchoose();
  }

  /** What can be said at once; the explanation follows. @param {string} words */
  begin(words) {
    this.say.textContent = words;
    this.maths.textContent = this.python.textContent = "…";
  }

  /** @param {Told} told @param {boolean} [aloud]  whether it is read out */
  show({ words, maths = "", python = "" }, aloud = true) {
    this.say.textContent = words;
    this.maths.textContent = maths;
    this.python.textContent = python;
    if (aloud) this.announce(words);
  }

  /** @param {string} text */
  announce(text) {
    if (this.heard.textContent !== text) this.heard.textContent = text; // or it would be read out again
  }
}
