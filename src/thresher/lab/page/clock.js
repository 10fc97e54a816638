// The moment that everything on the page is of. One clock drives all that is drawn, told and counted.

const STEP_TIME = 600; // milliseconds of a step that is watched
const SMOOTH = 6; // steps a second up to which each step is seen as it is made
const STILLS = [1 / 3, 2 / 3, 1]; // of a step, for those who want no motion

/**
 * A moment: t steps have begun, and `part` of the last one is made (1: all of it).
 * @typedef {{t: number, part: number}} Moment
 * @typedef {"step" | "jump" | "play" | "run"} Way  how a moment was reached
 */

export class Clock {
  /**
   * @param {object} wishes
   * @param {(moment: Moment, by: Way) => void} wishes.onmoment
   * @param {() => boolean} [wishes.before]  whether the next step may be made: a question may come first
   */
  constructor({ onmoment, before = () => true }) {
    this.onmoment = onmoment;
    this.before = before;
    this.at = 0; // a whole number between two steps
    this.length = 0;
    this.limit = Infinity; // the last step that may be seen
    this.speed = 4; // steps a second
    this.playing = false;
    this.watched = false; // whether what is drawn can show a part of a step
    this.frame = 0;
    this.timer = /** @type {any} */ (0);
  }

  get t() {
    return Math.ceil(this.at - 1e-9);
  }

  /** @returns {Moment} */
  get moment() {
    return { t: this.t, part: this.t ? this.at - (this.t - 1) : 1 };
  }

  get last() {
    return Math.min(this.length, this.limit);
  }

  /** @param {number} at @param {Way} by */
  go(at, by) {
    if (by === "jump") this.pause();
    this.at = Math.min(this.last, Math.max(0, at));
    this.onmoment(this.moment, by);
  }

  forward() {
    const from = this.t; // one that is being made is finished first
    this.pause();
    if (from >= this.last || !this.before()) {
      if (this.at !== from) this.go(from, "step");
      return;
    }
    if (!this.watched) this.go(from + 1, "step");
    else if (calm()) this.still(from, 0);
    else this.run((spent) => from + Math.min(1, spent / STEP_TIME), from + 1, "step");
  }

  back() {
    this.go(this.t - 1, "jump");
  }

  /** @param {number} from @param {number} which */
  still(from, which) {
    this.go(from + STILLS[which], "step");
    if (which + 1 < STILLS.length) this.timer = setTimeout(() => this.still(from, which + 1), STEP_TIME);
  }

  toggle() {
    if (this.playing) {
      this.pause();
      this.onmoment(this.moment, "step");
      return;
    }
    this.at = this.t >= this.last ? 0 : this.t;
    if (this.last > 0 && this.before()) this.play();
  }

  play(end = this.last) {
    this.playing = true;
    const [start, speed] = [this.at, this.speed];
    this.run((spent) => start + (spent / 1000) * speed, end, "play");
  }

  /**
   * @param {(spent: number) => number} where  after so many milliseconds
   * @param {number} end
   * @param {Way} by
   */
  run(where, end, by) {
    const [begun, speed] = [performance.now(), this.speed];
    let asked = this.t; // the step whose beginning was allowed
    const tick = (/** @type {number} */ now) => {
      if (this.playing && this.speed !== speed) {
        this.play(end); // at another speed from here on
        return;
      }
      let at = Math.min(end, where(now - begun));
      if (!(this.watched && !calm() && (by === "step" || speed <= SMOOTH))) at = Math.floor(at + 1e-9);
      while (asked + 1 < at) {
        this.at = ++asked;
        if (!this.before()) {
          this.pause();
          this.go(asked, "step");
          return;
        }
      }
      if (at > this.at) this.go(at, by);
      if (this.at >= end) {
        this.pause();
        this.onmoment(this.moment, "step");
      } else this.frame = requestAnimationFrame(tick);
    };
    this.onmoment(this.moment, by);
    this.frame = requestAnimationFrame(tick);
  }

  pause() {
    this.playing = false;
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
  }
}

/** Whether motion is not wanted. */
export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
