// A lesson above the view: a few sentences, something to predict, and on.
import { button, h } from "../page/dom.js";

/**
 * @import { Ask } from "../page/asking.js"
 * @typedef {object} Wishes
 * @property {Ask} ask
 * @property {(view: string, state: any) => void} show
 * @property {(state: any) => void} patch
 * @property {(text: string) => void} complain
 * @property {(link: string) => void} moved
 */

export class LessonStrip {
  /** @param {Wishes} wishes */
  constructor(wishes) {
    this.wishes = wishes;
    this.title = h("h2", {});
    this.text = h("p", { class: "lesson-text", "aria-live": "polite" });
    this.question = h("div", { class: "question" });
    this.back = button("◀ Back", () => this.go(-1), { class: "lesson-back" });
    this.next = button("Next ▸", () => this.go(1), { class: "primary lesson-next" });
    this.el = h(
      "section",
      { class: "lesson", "aria-label": "Lesson", hidden: true },
      h(
        "header",
        { class: "row" },
        this.title,
        h("span", { class: "spring" }),
        this.back,
        this.next,
        button("×", () => this.close(), { class: "quiet", "aria-label": "Leave the lesson" }),
      ),
      this.text,
      this.question,
    );
    /** @type {any} */ this.shown = null;
  }

  get open() {
    return this.shown !== null;
  }

  /** @param {string} lesson @param {number} screen */
  async show(lesson, screen = 1) {
    try {
      this.shown = await this.wishes.ask("lessons.screen", { lesson, screen });
    } catch (error) {
      this.wishes.complain(/** @type {Error} */ (error).message);
      return false;
    }
    const shown = this.shown;
    this.el.hidden = false;
    this.title.textContent = `${shown.title} · ${shown.screen}/${shown.screens}`;
    this.text.textContent = shown.text;
    this.back.disabled = shown.screen === 1;
    this.next.textContent = shown.screen === shown.screens ? "Done" : "Next ▸";
    this.showQuestion(shown.question);
    this.wishes.show(shown.view, structuredClone(shown.state));
    this.wishes.moved(`#lesson=${shown.lesson}.${shown.screen}`);
    return true;
  }

  /** @param {any} question */
  showQuestion(question) {
    if (!question) {
      this.question.replaceChildren();
      return;
    }
    const reveal = h("p", { class: "reveal", "aria-live": "polite" });
    const choices = question.choices.map((/** @type {string} */ text, /** @type {number} */ i) =>
      button(
        text,
        () => {
          choices.forEach((/** @type {any} */ one, /** @type {number} */ k) => {
            one.disabled = true;
            one.classList.toggle("right", k === question.right);
          });
          choices[i].classList.add("chosen");
          reveal.textContent = `${i === question.right ? "✓" : "✗"} ${question.reveal}`;
          if (Object.keys(question.then).length) this.wishes.patch(question.then);
        },
        { class: "choice" },
      ),
    );
    this.question.replaceChildren(
      h("strong", {}, question.ask),
      h("div", { class: "row" }, ...choices),
      h(
        "div",
        { class: "reveal-room" },
        h("p", { class: "reveal-later", "aria-hidden": "true" }, `✓ ${question.reveal}`),
        reveal,
      ),
    ); // room for it, so that nothing below jumps
  }

  /** @param {number} by */
  go(by) {
    if (!this.shown) return;
    const to = this.shown.screen + by;
    if (to > this.shown.screens) this.close();
    else if (to >= 1) this.show(this.shown.lesson, to);
  }

  close() {
    this.shown = null;
    this.el.hidden = true;
    this.wishes.moved("");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.open) return false;
    if (event.key === "PageDown") this.go(1);
    else if (event.key === "PageUp") this.go(-1);
    else return false;
    return true;
  }
}
