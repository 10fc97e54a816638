// The controls of the clock: play, step, speed, and a track to drag, with a tick for each mistake.
import { Clock } from "./clock.js";
import { button, eachFrame, h, s, say, setAll } from "./dom.js";

/** @import { Moment, Way } from "./clock.js" */

const WIDTH = 1000;
const ROW = 10;
const GRAIN = 0.02; // of a step, to which the track can be dragged

export class Timeline {
  /**
   * @param {object} wishes
   * @param {(t: number, by: Way, part: number) => void} wishes.onstep  draws everything of that moment
   * @param {() => boolean} [wishes.before]  may hold the next step back
   */
  constructor({ onstep, before }) {
    this.clock = new Clock({
      before,
      onmoment: ({ t, part }, by) => {
        this.show();
        onstep(t, by, part);
      },
    });
    this.veiled = false;
    this.ahead = true; // whether marks of what is to come are shown
    /** @type {{class: string, at: ArrayLike<number>}[]} */ this.rows = [];
    this.drawn = "";
    /** @type {{from: number, to: number | null} | null} */ this.played = null; // a part that plays by itself
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
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (this.key(event, false)) event.preventDefault();
      },
    });
    this.play = button("▶ Play", () => this.toggle(), { class: "primary play", title: "All steps (Space)" });
    this.step = button("Step ▸", () => this.forward(), { class: "step", title: "One example (→)" });
    this.back = button("◀ Back", () => this.clock.back(), {
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
      value: 22,
      class: "pace",
      oninput: () => this.setSpeed(2 ** ((Number(this.pace.value) / 100) * 9)),
    });
    this.label = h("output", { class: "time", "aria-label": "Time" }, "t = 0");
    this.el = h(
      "div",
      { class: "timeline" },
      this.play,
      this.step,
      this.back,
      this.reset,
      h("div", { class: "track" }, this.ticks, this.track),
      this.label,
      h("label", { class: "speed", title: "Speed" }, h("span", { class: "unseen" }, "Speed"), this.pace),
    );
  }

  get t() {
    return this.clock.t;
  }

  get length() {
    return this.clock.length;
  }

  get playing() {
    return this.clock.playing;
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.clock.speed = Math.min(512, Math.max(1, speed));
    this.pace.value = String(Math.round((Math.log2(this.clock.speed) / 9) * 100));
  }

  /**
   * A run of `length` steps; each row of marks has a colour and the steps of its marks. Shows moment t.
   * @param {number} length
   * @param {{class: string, at: ArrayLike<number>}[]} rows
   * @param {number | null} t  null: the end
   */
  setRun(length, rows, t) {
    const { clock } = this;
    const played = clock.playing ? this.played : null;
    clock.length = length;
    if (this.veiled) clock.limit = Math.min(t ?? length, length);
    clock.at = Math.max(0, Math.min(t ?? length, clock.last));
    this.track.max = String(length);
    this.track.step = String(clock.watched ? GRAIN : 1);
    this.rows = rows;
    this.drawn = "";
    this.ticks.setAttribute("viewBox", `0 0 ${WIDTH} ${ROW * Math.max(1, rows.length)}`);
    this.show();
    if (played) queueMicrotask(() => this.playPart(played.from, played.to)); // once the run is drawn
  }

  /**
   * While a question is open, what is to come cannot be seen.
   * @param {boolean} on
   * @param {boolean} ahead  whether the marks of what is to come are shown
   */
  veil(on, ahead = !on) {
    this.veiled = on;
    this.ahead = ahead;
    this.drawn = "";
    this.clock.limit = on ? this.t : Infinity;
    this.show();
  }

  show() {
    const { clock, t, length } = this;
    this.track.value = String(clock.at);
    this.track.setAttribute("aria-valuetext", `step ${t} of ${length}`);
    say(this.label, `t = ${t}/${length}`);
    this.back.disabled = this.reset.disabled = t === 0;
    this.step.disabled = t >= clock.last;
    this.play.disabled = clock.last === 0 || (this.veiled && t >= clock.last);
    say(this.play, clock.playing ? "❚❚ Pause" : "▶ Play");
    setAll(this.play, { "aria-pressed": String(clock.playing) });
    this.drawTicks();
  }

  drawTicks() {
    const { length, rows } = this;
    const end = this.ahead ? length : this.t;
    if (this.drawn === String(end)) return;
    this.drawn = String(end);
    this.ticks.replaceChildren(
      ...rows.map((row, r) => {
        let path = "";
        for (let t = 0; t < Math.min(row.at.length, end); t++)
          if (row.at[t]) path += `M${(((t + 1) / length) * WIDTH).toFixed(2)} ${r * ROW + 1}v${ROW - 2}`;
        return s("path", { class: `tick ${row.class}`, d: path });
      }),
    );
  }

  /** @param {number} t @param {Way} by */
  go(t, by) {
    this.clock.go(t, by);
  }

  forward() {
    this.clock.forward();
  }

  /**
   * In about ten seconds, or faster; a run that arrives meanwhile is played in place of this one.
   * @param {number} from
   * @param {number | null} to  null: the end
   */
  playPart(from, to) {
    const end = Math.min(to ?? this.length, this.length);
    this.go(from, "jump");
    this.setSpeed((end - from) / 10);
    this.clock.play(end);
    this.show();
    this.played = { from, to };
  }

  toggle() {
    this.played = null;
    this.clock.toggle();
    this.show();
  }

  pause() {
    this.clock.pause();
  }

  /** Keys of the whole view, those of a presenter's remote control too. @param {KeyboardEvent} event @param {boolean} presenting */
  key(event, presenting) {
    const { key } = event;
    if (key === "ArrowRight" || (presenting && (key === " " || key === "PageDown"))) this.forward();
    else if (key === "ArrowLeft" || (presenting && key === "PageUp")) this.clock.back();
    else if (key === "Home") this.go(0, "jump");
    else if (key === "End") this.go(this.length, "jump");
    else if (key === " ") this.toggle();
    else return false;
    return true;
  }
}
