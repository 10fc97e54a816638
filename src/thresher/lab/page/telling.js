// A step explained in several ways: in words (read out), in symbols, as Python, and what a view adds.
import { button, h, say } from "./dom.js";

/** @typedef {{words: string, maths?: string, python?: string}} Told */

const REPORT_TIME = 2500; // milliseconds

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
    this.until = 0; // a report is shown
    this.later = /** @type {any} */ (0);
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
    if (!this.waits) say(this.say, words);
    for (const part of [this.maths, this.python]) say(part, "…");
  }

  /** Its words come once a report has been read. @param {Told} told @param {boolean} [aloud]  whether it is read out */
  show({ words, maths = "", python = "" }, aloud = true) {
    say(this.maths, maths);
    say(this.python, python);
    clearTimeout(this.later);
    const tell = () => {
      say(this.say, words);
      if (aloud) this.announce(words);
    };
    if (this.waits > 0) this.later = setTimeout(tell, this.waits);
    else tell();
  }

  /** What was just done is shown long enough to be read, or read out. @param {string} text */
  report(text) {
    clearTimeout(this.later);
    say(this.say, text);
    this.announce(text);
    this.until = performance.now() + REPORT_TIME;
  }

  /** Another moment is shown: a report gives way. */
  release() {
    clearTimeout(this.later);
    this.until = 0;
  }

  /** How long a report is still shown, in milliseconds. */
  get waits() {
    return Math.max(0, this.until - performance.now());
  }

  /** @param {string} text */
  announce(text) {
    if (this.heard.textContent !== text) this.heard.textContent = text; // the same again would be read out again
  }

  close() {
    clearTimeout(this.later);
  }
}
