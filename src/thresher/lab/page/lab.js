// The lab itself: its views, what all of them share, and the entry point of page and notebooks.
import { asker } from "./asking.js";
import { ClassPanel } from "../classroom/panel.js";
import { CLASSROOM_STYLE } from "../classroom/style.js";
import { button, h, menu } from "./dom.js";
import { figureFiles } from "./figure.js";
import { filmed } from "./film.js";
import { LESSON_STYLE } from "../lessons/style.js";
import { LessonStrip } from "../lessons/strip.js";
import { copyText, download, packed } from "./share.js";
import { STYLE } from "./style.js";
import { VIEWS } from "./views.js";

/** @import { Model } from "./asking.js" */
/** @import { Timeline } from "./timeline.js" */
/** @import { View } from "./view.d.ts" */

class Lab {
  /** @param {Model} model @param {HTMLElement} el */
  constructor(model, el) {
    this.model = model;
    this.root = el.attachShadow({ mode: "open" });
    const styles = [STYLE, LESSON_STYLE, CLASSROOM_STYLE, ...Object.values(VIEWS).map((kind) => kind.style)];
    this.root.adoptedStyleSheets = styles.map((style) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      return sheet;
    });
    this.busy = h("p", { class: "busy", role: "status" });
    /** @type {Set<string>} */ this.working = new Set();
    this.ask = asker(model, (slow) => this.work("lesson", slow));
    this.states = /** @type {Record<string, object>} */ ({}); // of the views shown so far
    this.view = /** @type {View | null} */ (null);
    this.name = "";
    this.frame = h("div", { class: "lab" });
    this.toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
    this.away = h(
      "p",
      { class: "away", role: "alert", hidden: true },
      "The server has stopped, or cannot be reached. What you see stays; it goes on as soon as " +
        "`thresher lab` runs again.",
    );
    this.stage = h("main", { class: "stage", tabindex: -1 });
    this.preparing = asker(model);
    this.lesson = new LessonStrip({
      ask: this.ask,
      prepare: this.preparing,
      show: (view, state) => this.show(view, state),
      only: Boolean(this.fixed),
      reveal: (state) => {
        this.view?.veil(false);
        if (Object.keys(state).length) this.view?.set(state);
        const { shown } = this.lesson;
        if (!this.classroom || !shown?.question) return;
        this.classroom.reveal(shown);
        if ("t" in state) this.view?.play?.(shown.state.t ?? 0, state.t);
      },
      complain: (text) => this.complain(text),
      moved: (link) => {
        this.model.set("lesson", link);
        this.recorded.textContent = this.fixed;
        this.classroom?.ask(this.lesson.shown, [...this.lesson.el.querySelectorAll(".choice")]);
        this.save(this.name, this.states[this.name] ?? {});
      },
    });
    const classroom = model.get("classroom");
    this.classroom = classroom ? new ClassPanel(classroom, (text) => this.complain(text)) : null;
    if (this.classroom) this.lesson.el.append(this.classroom.el);
    this.recorded = h("p", { class: "recorded", hidden: !this.fixed });
    const bar = this.header();
    this.frame.append(bar, this.away, this.lesson.el, this.stage, this.busy, this.toasts);
    if (this.fixed) {
      this.frame.classList.add("fixed"); // the lesson comes first
      this.stage.after(bar);
      bar.firstChild.after(this.recorded);
    }
    if (model.get("presented")) this.layOut(true); // as a slide, in whatever frame
    this.root.append(this.frame);
    this.onkey = (/** @type {KeyboardEvent} */ event) => this.key(event);
    this.frame.addEventListener("keydown", this.onkey);
    document.addEventListener("keydown", this.onkey);
    // A browser intercepts Escape while the page is full screen.
    this.onscreen = () => {
      if (!document.fullscreenElement) this.present(false);
    };
    document.addEventListener("fullscreenchange", this.onscreen);
    model.on("change:connected", () => {
      this.away.hidden = model.get("connected") !== false;
    });
    model.on("change:complaint", () => {
      const text = model.get("complaint");
      if (text) this.complain(text);
    });
    const [, lesson, screen] = /^#lesson=([\w-]+)(?:\.(\d+))?$/.exec(model.get("lesson") ?? "") ?? [];
    if (lesson)
      this.lesson.show(lesson, Number(screen ?? 1)).then((found) => {
        if (!found) {
          model.set("lesson", "");
          this.show("plane", {});
        }
      });
    else this.show(model.get("view") ?? "plane", model.get("state") ?? {});
  }

  /** Says that something takes long, and for whom. @param {string} who @param {boolean} slow */
  work(who, slow) {
    if (slow) this.working.add(who);
    else this.working.delete(who);
    this.stage.setAttribute("aria-busy", String(this.working.size > 0));
    this.busy.textContent = this.working.size ? "Working…" : "";
  }

  /** Why nothing can be changed; "" if it can. */
  get fixed() {
    return this.model.get("fixed")?.() ?? "";
  }

  async fillLessons() {
    const { lessons } = await this.ask("lessons.list");
    this.lessonMenu.querySelector(".sheet").replaceChildren(
      ...lessons.map((/** @type {any} */ lesson, /** @type {number} */ i) =>
        button(
          `${i + 1}. ${lesson.title}`,
          () => {
            this.lessonMenu.open = false;
            this.lesson.show(lesson.name);
          },
          { class: "item" },
        ),
      ),
    );
  }

  header() {
    const views = this.model.get("views") ?? [this.model.get("view") ?? "plane"];
    const tab = (/** @type {string} */ name) =>
      button(VIEWS[name].title, () => this.turnTo(name), { "data-view": name });
    this.tabs =
      views.length < 2 || this.fixed ? null : h("nav", { "aria-label": "Views" }, ...views.map(tab));
    this.lessonMenu = menu("Lessons", () => {
      this.fillLessons().catch((error) => this.complain(error.message));
      return ["…"];
    });
    this.presentButton = button("Present", () => this.present(!this.presenting), {
      title: "The picture fills the screen: → ← Space or a remote control; B blanks it, Esc ends it",
      class: "present",
    });
    return h(
      "header",
      { class: "bar" },
      h("strong", { class: "brand" }, "Thresher", h("span", {}, "lab")),
      this.tabs,
      h("span", { class: "spring" }),
      this.fixed ? null : this.lessonMenu,
      this.presentButton,
      this.fixed
        ? null
        : button("Share", () => this.share(), { title: "A link with everything that you see" }),
      menu("Export", () => this.exports().map(([text, run]) => button(text, run, { class: "item" }))),
      button("◐", () => this.turn(), {
        title: "Light or dark",
        "aria-label": "Light or dark",
        class: "quiet",
      }),
    );
  }

  /** Another view, by its tab; a lesson stays only with its own. @param {string} name */
  turnTo(name) {
    if (this.lesson.open && name !== this.name) this.lesson.close();
    this.show(name, this.states[name] ?? {});
  }

  /** @param {string} name @param {any} state */
  show(name, state) {
    if (!VIEWS[name]) {
      this.complain(`There is no view ${name}.`);
      name = "plane";
      state = {};
    }
    this.leave();
    this.name = name;
    for (const tab of this.tabs?.children ?? []) {
      tab.setAttribute("aria-current", tab.dataset.view === name ? "page" : "false");
      if (tab.dataset.view === name) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.frame.dataset.ready = "";
    this.asking = asker(this.model, (slow) => this.work("view", slow));
    const place = {
      ask: this.asking,
      save: (/** @type {object} */ current) => this.save(name, current),
      complain: (/** @type {string} */ text) => this.complain(text),
      tell: (/** @type {string} */ text) => this.tell(text),
      presenting: () => this.presenting,
      fixed: this.fixed,
      veiled: () => this.lesson.asking,
      title: (/** @type {string} */ text) => {
        if (this.model.get("views")) document.title = text ? `${text.trim()} · Thresher lab` : "Thresher lab";
      },
      ready: () => {
        this.frame.dataset.ready = name;
      },
    };
    this.view = new VIEWS[name].View(place, state);
    this.stage.replaceChildren(this.view.el);
  }

  /** Abandons the open questions of the view. */
  leave() {
    this.view?.destroy();
    this.asking?.close();
  }

  /** @param {string} name @param {any} state */
  save(name, state) {
    this.states[name] = state;
    if (name !== this.name && this.name) return;
    clearTimeout(this.saving);
    this.saving = setTimeout(() => {
      this.model.set("view", name);
      this.model.set("state", structuredClone(state));
      this.model.save_changes();
    }, 250);
  }

  async share() {
    const link = `#${this.name}=${await packed(this.states[this.name])}`;
    const address = this.model.get("address") ?? "";
    this.tell((await copyText(address + link, "link.txt")) + " It holds all that you see.");
    this.model.set("link", link);
  }

  /** What the menu Export offers for the view. @returns {[string, () => unknown][]} */
  exports() {
    if (!this.view) return [];
    const { view } = this;
    const items = view.exports();
    if (this.frame.dataset.ready && view.figure?.()) {
      items.unshift(...figureFiles(() => /** @type {any} */ (view).figure()));
      items.push(["Film of the run (video)", () => this.film(view, "video")]);
      items.push(["Film of the run (GIF)", () => this.film(view, "gif")]);
    }
    const python = view.python();
    if (python)
      items.push(["Copy as Python", async () => this.tell(await copyText(await python.code(), python.file))]);
    if (this.lesson.open && !this.fixed)
      items.push(["This lesson as a web page", () => this.record(this.lesson.shown.lesson)]);
    return items;
  }

  /** @param {View} view @param {"gif" | "video"} wanted */
  async film(view, wanted) {
    const timeline = /** @type {Timeline} */ (view.timeline);
    if (!timeline.clock.last) {
      this.complain("There is no step to film; a lesson's question is answered first.");
      return;
    }
    this.tell("The run is being filmed, step by step.");
    this.stage.inert = true; // nothing is to change meanwhile
    try {
      const drawn = async () => {
        do await new Promise(requestAnimationFrame);
        while (this.asking?.waits());
      };
      const { blob, kind } = await filmed(timeline, () => /** @type {any} */ (view).figure(), drawn, wanted);
      download(blob, `${this.name}.${kind}`);
      this.tell(`Saved as ${this.name}.${kind}.`);
    } catch (error) {
      this.complain(/** @type {Error} */ (error).message);
    }
    this.stage.inert = false;
  }

  /** A lesson as a file that needs no server. @param {string} lesson */
  async record(lesson) {
    this.tell("The lesson is being recorded, step by step.");
    try {
      const { page, parts, mark } = await this.ask("recording.page", { lesson });
      const made = [];
      for (let k = 0; k < parts; k++) made.push((await this.ask("recording.part", { lesson, part: k })).part);
      const [before, after] = page.split(mark);
      download(new Blob([before, made.join("\n"), after], { type: "text/html" }), `${lesson}.html`);
      this.tell(`Saved as ${lesson}.html: it opens without Python and without a network.`);
    } catch (error) {
      this.complain(/** @type {Error} */ (error).message);
    }
  }

  get presenting() {
    return this.frame.classList.contains("presenting");
  }

  /** @param {boolean} on */
  layOut(on) {
    this.frame.classList.toggle("presenting", on);
    this.frame.classList.remove("blank");
    this.presentButton.textContent = on ? "End" : "Present";
    this.presentButton.setAttribute("aria-label", on ? "End the presentation" : "Present");
  }

  /** @param {boolean} on */
  async present(on) {
    this.layOut(on);
    if (on) this.stage.focus(); // or Space would press the button again
    try {
      if (on && !document.fullscreenElement) await this.frame.requestFullscreen?.();
      if (!on && document.fullscreenElement) await document.exitFullscreen();
    } catch {
      /* a page in a frame may not go full screen; large text still helps */
    }
  }

  turn() {
    const dark =
      getComputedStyle(this.frame).colorScheme === "dark" ||
      (getComputedStyle(this.frame).colorScheme !== "light" &&
        matchMedia("(prefers-color-scheme: dark)").matches);
    this.frame.dataset.theme = dark ? "light" : "dark";
    if (this.model.get("views")) document.documentElement.style.colorScheme = this.frame.dataset.theme;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const undo = (event.ctrlKey || event.metaKey) && event.key === "z";
    if (event.defaultPrevented || event.altKey || ((event.ctrlKey || event.metaKey) && !undo)) return;
    if (
      event.currentTarget === document &&
      (!this.model.get("views") || event.composedPath().includes(this.frame))
    )
      return;
    const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
    if (this.presenting && this.remote(event)) {
      event.preventDefault();
      return;
    }
    const tag = target.tagName ?? "";
    if (
      /^(INPUT|SELECT|TEXTAREA)$/.test(tag) &&
      !(
        tag === "INPUT" &&
        /** @type {HTMLInputElement} */ (target).type === "checkbox" &&
        event.key.startsWith("Arrow")
      )
    )
      return;
    if (event.key === " " && /^(BUTTON|SUMMARY)$/.test(tag)) return;
    if (undo) {
      if (!this.fixed) this.view?.undo?.();
      event.preventDefault();
    } else if (this.lesson.key(event) || this.view?.key(event)) event.preventDefault();
  }

  /** Keys that only a presentation has; a remote control sends some of them. @param {KeyboardEvent} event */
  remote(event) {
    if (event.key === "Escape") this.present(false);
    else if (event.key === "b" || event.key === ".") this.frame.classList.toggle("blank");
    else if (event.key !== "F5") return false; // it would begin the page anew
    return true;
  }

  /** @param {string} text */
  complain(text) {
    this.toast(text, "bad");
  }

  /** @param {string} text */
  tell(text) {
    this.toast(text, "told");
  }

  /** @param {string} text @param {string} kind */
  toast(text, kind) {
    const one = h(
      "p",
      { class: `toast ${kind}` },
      text,
      button("×", () => one.remove(), { "aria-label": "Close", class: "quiet" }),
    );
    this.toasts.append(one);
    while (this.toasts.children.length > 3) this.toasts.firstChild.remove();
    setTimeout(() => one.remove(), kind === "bad" ? 12_000 : 5_000);
  }

  destroy() {
    this.leave();
    this.ask.close();
    this.preparing.close();
    this.classroom?.close();
    document.removeEventListener("keydown", this.onkey);
    document.removeEventListener("fullscreenchange", this.onscreen);
  }
}

/** The interface of anywidget. @param {{model: Model, el: HTMLElement}} host */
export function render({ model, el }) {
  const lab = new Lab(model, el);
  return () => lab.destroy();
}

export default { render };
