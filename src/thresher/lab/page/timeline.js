// Time: back, step, play, speed, and a track to drag, with a tick for each mistake.
import { button, eachFrame, h, s } from "./dom.js";

const WIDTH = 1000;
const ROW = 10;

export class Timeline {
  /**
   * @typedef {"step" | "jump" | "play"} Way  how a time was reached
   * @param {{onstep: (t: number, by: Way) => void, before?: () => boolean}} wishes  `before` may hold one back
   */
  constructor({ onstep, before = () => true }) {
    this.onstep = onstep;
    this.before = before;
    this.t = 0;
    this.length = 0;
    this.speed = 4; // steps a second
    this.playing = false;
    this.ticks = s("svg", {
      class: "ticks",
      viewBox: `0 0 ${WIDTH} ${ROW}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    });
    this.track = h("input", {
      type: "range",
      min: 0,
      max: 0,
      step: 1,
      value: 0,
      "aria-label": "Time: drag to rewind",
      oninput: eachFrame(() => this.go(Number(this.track.value), "jump")),
    });
    this.play = button("▶ Play", () => this.toggle(), { class: "play" });
    this.step = button("Step ▸", () => this.forward(), { class: "primary step", title: "One example (→)" });
    this.back = button("◀ Back", () => this.go(this.t - 1, "jump"), {
      title: "One example back (←)",
      class: "back",
    });
    this.reset = button("◀◀", () => this.go(0, "jump"), {
      title: "To the start (Home)",
      "aria-label": "To the start",
      class: "reset",
    });
    this.pace = h("input", {
      type: "range",
      min: 0,
      max: 100,
      value: 25,
      "aria-label": "Speed",
      class: "pace",
      oninput: () => this.setSpeed(2 ** ((Number(this.pace.value) / 100) * 9)),
    });
    this.label = h("output", { class: "time", "aria-label": "Time" }, "t = 0");
    this.el = h(
      "div",
      { class: "timeline" },
      this.reset,
      this.back,
      this.step,
      this.play,
      h("label", { class: "speed" }, h("span", {}, "speed"), this.pace),
      h("div", { class: "track" }, this.ticks, this.track),
      this.label,
    );
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = Math.min(512, Math.max(1, speed));
    this.pace.value = String(Math.round((Math.log2(this.speed) / 9) * 100));
  }

  /**
   * A run of `length` steps; each row of marks has a colour and the steps of its marks.
   * @param {number} length
   * @param {{class: string, at: ArrayLike<number>}[]} rows
   */
  setRun(length, rows) {
    this.length = length;
    this.track.max = String(length);
    this.ticks.setAttribute("viewBox", `0 0 ${WIDTH} ${ROW * Math.max(1, rows.length)}`);
    this.ticks.replaceChildren(
      ...rows.map((row, r) => {
        let path = "";
        for (let t = 0; t < row.at.length; t++)
          if (row.at[t]) path += `M${(((t + 1) / length) * WIDTH).toFixed(2)} ${r * ROW + 1}v${ROW - 2}`;
        return s("path", { class: `tick ${row.class}`, d: path });
      }),
    );
    if (this.t > length) this.t = length;
    this.show();
  }

  show() {
    this.track.value = String(this.t);
    this.track.setAttribute("aria-valuetext", `step ${this.t} of ${this.length}`);
    this.label.textContent = `t = ${this.t}/${this.length}`;
    this.back.disabled = this.reset.disabled = this.t === 0;
    this.step.disabled = this.t >= this.length;
    this.play.textContent = this.playing ? "❚❚ Pause" : "▶ Play";
    this.play.setAttribute("aria-pressed", String(this.playing));
  }

  /** @param {number} t @param {"step" | "jump" | "play"} by */
  go(t, by) {
    this.t = Math.min(this.length, Math.max(0, t));
    if (by === "jump") this.pause();
    this.show();
    this.onstep(this.t, by);
  }

  forward() {
    if (this.t >= this.length || !this.before()) return;
    this.pause();
    this.go(this.t + 1, "step");
  }

  toggle() {
    if (this.playing) {
      this.pause();
      this.show();
      return;
    }
    if (this.t >= this.length) this.t = 0;
    this.playing = true;
    let due = 0,
      last = performance.now();
    const tick = (/** @type {number} */ now) => {
      if (!this.playing) return;
      due += ((now - last) / 1000) * this.speed;
      last = now;
      const steps = Math.floor(due);
      due -= steps;
      if (steps) this.go(this.t + steps, "play");
      if (this.t >= this.length) {
        this.pause();
        this.show();
        return;
      }
      requestAnimationFrame(tick);
    };
    this.show();
    requestAnimationFrame(tick);
  }

  pause() {
    this.playing = false;
  }

  /** Keys of the whole view. @param {KeyboardEvent} event @param {boolean} presenting */
  key(event, presenting) {
    if (event.key === "ArrowRight") this.forward();
    else if (event.key === "ArrowLeft") this.go(this.t - 1, "jump");
    else if (event.key === "Home") this.go(0, "jump");
    else if (event.key === "End") this.go(this.length, "jump");
    else if (event.key === " " && presenting) this.forward();
    else if (event.key === " ") this.toggle();
    else return false;
    return true;
  }
}
