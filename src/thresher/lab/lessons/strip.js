// A lesson above the view: a few sentences, something to predict, and on.
import { button, h } from "../page/dom.js";

/**
 * @import { Ask } from "../page/asking.js"
 * @typedef {object} Wishes
 * @property {Ask} ask
 * @property {Ask} prepare  asks for what will be wanted next, and says nothing of it
 * @property {(view: string, state: any) => void} show
 * @property {(state: any) => void} reveal  what answers the question, and what then changes
 * @property {(text: string) => void} complain
 * @property {boolean} only  whether there is nothing but this lesson
 * @property {(link: string) => void} moved
 */

const LONG_SCREEN = 580; // letters that need a smaller size beside a picture

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
        wishes.only
          ? null
          : button("×", () => this.close(), { class: "quiet leave", "aria-label": "Leave the lesson" }),
      ),
      this.text,
      this.question,
      h("div", { class: "row lesson-turn" }, this.back, this.next),
    );
    /** @type {any} */ this.shown = null;
    this.asking = false; // a question is open
    this.coming = ""; // the screen that is asked for, as it is in a link
    /** @type {{lesson: string, screen: number, answer: Promise<any>} | null} */ this.ahead = null;
    /** @type {(chosen: number | null) => void} */ this.answer = () => {};
  }

  get open() {
    return this.shown !== null;
  }

  /** @param {string} lesson @param {number} screen */
  async show(lesson, screen = 1) {
    const name = `${lesson}.${screen}`;
    if (this.coming === name) return true; // pressed again
    this.coming = name;
    let shown;
    try {
      const ahead =
        this.ahead?.lesson === lesson && this.ahead.screen === screen && (await this.ahead.answer);
      shown = ahead || (await this.wishes.ask("lessons.screen", { lesson, screen }));
    } catch (error) {
      if (this.coming === name) this.coming = "";
      this.wishes.complain(/** @type {Error} */ (error).message);
      return false;
    }
    if (this.coming !== name) return true; // another is wanted since
    this.coming = "";
    this.shown = shown;
    this.asking = Boolean(shown.question);
    this.el.hidden = false;
    this.title.textContent = `${shown.title} · ${shown.screen}/${shown.screens}`;
    this.text.textContent = shown.text;
    this.el.classList.toggle("long", lengthOf(shown) > LONG_SCREEN);
    this.back.disabled = shown.screen === 1;
    const last = shown.screen === shown.screens;
    this.next.textContent = !last
      ? "Next ▸"
      : shown.next
        ? `Next lesson: ${shown.next.title}\u00a0▸`
        : this.wishes.only
          ? "From the start"
          : "Back to the lab";
    this.showQuestion(shown.question);
    this.wishes.show(shown.view, structuredClone(shown.state));
    this.wishes.moved(`#lesson=${shown.lesson}.${shown.screen}`);
    return true;
  }

  /** @param {any} question */
  showQuestion(question) {
    this.question.classList.remove("answered");
    if (!question) {
      this.question.replaceChildren();
      return;
    }
    const reveal = h("p", { class: "reveal", "aria-live": "polite" });
    const choices = question.choices.map((/** @type {string} */ text, /** @type {number} */ i) =>
      button(text, () => this.answer(i), { class: "choice" }),
    );
    this.answer = (chosen) => {
      this.asking = false;
      this.question.classList.add("answered");
      choices.forEach((/** @type {any} */ one, /** @type {number} */ k) => {
        one.disabled = true;
        one.classList.toggle("right", k === question.right);
        one.classList.toggle("chosen", k === chosen);
      });
      reveal.replaceChildren(...replyTo(question, chosen));
      this.wishes.reveal(question.then);
      this.prepare();
      reveal.scrollIntoView({ block: "nearest" });
    };
    const longest = question.replies.reduce(
      (/** @type {string} */ a, /** @type {string} */ b) => (a.length > b.length ? a : b),
      "",
    );
    this.question.replaceChildren(
      h("strong", {}, question.ask),
      h("div", { class: "row" }, ...choices),
      h(
        "div",
        { class: "reveal-room" },
        h(
          "p",
          { class: "reveal-later", "aria-hidden": "true" },
          h("span", { class: "reply" }, `✗ ${longest}`),
          question.reveal,
        ),
        reveal,
      ),
    ); // room for it, so that nothing below jumps
  }

  /** The next screen is computed while the answer is read. */
  prepare() {
    const { lesson, screen, screens } = this.shown;
    if (screen === screens) return;
    const answer = this.wishes.prepare("lessons.screen", { lesson, screen: screen + 1 }).catch(() => null);
    this.ahead = { lesson, screen: screen + 1, answer };
  }

  /** @param {number} by */
  go(by) {
    if (!this.shown) return;
    const to = this.shown.screen + by;
    if (to > this.shown.screens) {
      if (this.shown.next) this.show(this.shown.next.name);
      else if (this.wishes.only) this.show(this.shown.lesson);
      else this.close();
    } else if (to >= 1) this.show(this.shown.lesson, to);
  }

  close() {
    this.coming = "";
    this.shown = null;
    this.el.hidden = true;
    if (this.asking) this.answerless();
    this.wishes.moved("");
  }

  /** The question is left unanswered, so nothing needs to be hidden any more. */
  answerless() {
    this.asking = false;
    this.wishes.reveal({});
  }

  /** Keys of a remote control: an open question is answered before anything else is shown. @param {KeyboardEvent} event */
  key(event) {
    if (!this.open) return false;
    const forward = ["PageDown", "ArrowRight", " "].includes(event.key);
    if (forward && this.asking) this.answer(null);
    else if (event.key === "PageDown") this.go(1);
    else if (event.key === "PageUp") this.go(-1);
    else return false;
    return true;
  }
}

/** Letters of a screen, with the longest answer. @param {any} shown */
function lengthOf({ text, question }) {
  if (!question) return text.length;
  const replies = question.replies.map((/** @type {string} */ reply) => reply.length);
  return text.length + question.ask.length + question.reveal.length + Math.max(...replies);
}

/**
 * What the class is told: whether it was right, why the other answer is wrong, and the answer.
 * @param {any} question @param {number | null} chosen  null: nobody chose
 * @returns {(string | Element)[]}
 */
function replyTo(question, chosen) {
  if (chosen === null) return [question.reveal];
  if (chosen === question.right) return [`✓ ${question.reveal}`];
  return [h("span", { class: "reply" }, `✗ ${question.replies[chosen]} `), question.reveal];
}
