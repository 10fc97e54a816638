// What the page knows about the runs: the list, and the lines of those that are shown.

/** @import { LogPoint, RunLog, RunSummary } from "./run.d.ts" */

const MOST_POINTS_KEPT = 3000;
const MOST_MARKS_KEPT = 200;
const LOGS_AT_ONCE = 8;

/** @returns {RunLog} */
function nothingYet() {
  return {
    from: 0,
    mark: "",
    points: [],
    weights: null,
    standings: null,
    drift: [],
    ended: false,
    damaged: 0,
  };
}

export class RunLogs {
  /** @param {import("../page/asking.js").Ask} ask */
  constructor(ask) {
    this.ask = ask;
    /** @type {RunSummary[]} */ this.runs = [];
    /** @type {Map<string, RunLog>} */ this.lines = new Map();
    this.missing = false;
    this.folder = ".";
    this.leftOut = 0;
  }

  /** @param {string | null | undefined} id */
  run(id) {
    return this.runs.find((run) => run.id === id);
  }

  /** @param {string} id @returns {RunLog} */
  of(id) {
    return this.lines.get(id) ?? nothingYet();
  }

  /** The list as it is now. */
  async list() {
    const answer = await this.ask("runs.list");
    this.runs = answer.runs;
    this.missing = answer.missing;
    this.folder = answer.folder;
    this.leftOut = answer.left_out;
    const known = new Set(this.runs.map((run) => run.id));
    for (const id of this.lines.keys()) if (!known.has(id)) this.lines.delete(id);
  }

  /**
   * All new lines of these runs; `drawn` is called from time to time while there is more.
   * @param {string[]} ids
   * @param {() => void} drawn
   */
  async read(ids, drawn) {
    let wanted = ids.filter((id) => this.run(id)).slice(0, LOGS_AT_ONCE);
    wanted = wanted.filter((id) => {
      const run = this.run(id),
        log = this.of(id);
      return run && (run.size !== log.from || run.mark !== log.mark);
    });
    for (let round = 0; wanted.length && round < 500; round++) {
      const { logs } = await this.ask("runs.read", {
        logs: wanted.map((id) => {
          const log = this.of(id);
          return { id, from: log.from, mark: log.mark };
        }),
      });
      wanted = wanted.filter((id) => this.take(id, logs[id]));
      if (wanted.length) drawn();
    }
  }

  /** @param {string} id @param {any} answer @returns {boolean} whether there is more to read */
  take(id, answer) {
    if (answer.gone) return false;
    const log = answer.restart ? nothingYet() : this.of(id);
    this.lines.set(id, log);
    log.from = answer.from;
    log.mark = answer.mark;
    log.damaged += answer.damaged;
    for (const row of answer.points)
      log.points.push(
        /** @type {LogPoint} */ (
          Object.fromEntries(
            answer.columns.map((/** @type {string} */ name, /** @type {number} */ i) => [name, row[i]]),
          )
        ),
      );
    if (log.points.length > MOST_POINTS_KEPT)
      log.points = log.points.filter((_, i) => i % 2 === 0 || i === log.points.length - 1);
    if (answer.weights) log.weights = answer.weights;
    if (answer.standings) log.standings = answer.standings;
    log.drift = [...log.drift, ...answer.drift].slice(-MOST_MARKS_KEPT);
    if (answer.end) log.ended = true;
    return answer.more;
  }
}

/**
 * Examples per second, between reports that are far enough apart.
 * @param {LogPoint[]} points
 * @returns {[number, number][]}
 */
export function ratesOf(points) {
  /** @type {[number, number][]} */ const out = [];
  let before = points[0];
  for (const point of points) {
    const seconds = (point.seconds ?? 0) - (before.seconds ?? 0);
    if (seconds < 0.2 || point.examples === before.examples) continue;
    out.push([point.seconds ?? 0, Math.max(0, point.examples - before.examples) / seconds]);
    before = point;
  }
  return out;
}

/** The current speed, or the overall one if it has ended. @param {RunSummary} run @param {RunLog} log */
export function rateOf(run, log) {
  const rates = ratesOf(log.points.slice(-40));
  if (run.state === "running" && rates.length) return rates[rates.length - 1][1];
  return run.seconds ? Math.max(0, (run.examples ?? 0) - run.examples_before) / run.seconds : null;
}

/** A rate or a count in few letters. @param {number | null | undefined} v */
export function compact(v) {
  if (v === null || v === undefined || !Number.isFinite(v)) return "–";
  const [unit, letters] = v >= 1e9 ? [1e9, " G"] : v >= 1e6 ? [1e6, " M"] : v >= 1e4 ? [1e3, " k"] : [1, ""];
  return unit === 1
    ? v < 100
      ? String(Number(v.toPrecision(3)))
      : Math.round(v).toLocaleString("en")
    : `${Number((v / unit).toPrecision(3))}${letters}`;
}

/** @param {number | null | undefined} v @param {string} measure */
export function errorText(v, measure) {
  if (v === null || v === undefined) return "–";
  return measure === "error" ? `${(100 * v).toFixed(2)} %` : String(Number(v.toPrecision(4)));
}

/** What was found of drift, in words. @param {import("./run.d.ts").DriftMark[]} marks @param {string} measure */
export function driftText(marks, measure) {
  if (!marks.length) return "";
  const last = marks[marks.length - 1];
  const rise =
    last.at === null ? "" : `: error ${errorText(last.before, measure)} → ${errorText(last.at, measure)}`;
  const then = last.action === "reset" ? ", started over" : last.action === "forget" ? ", forgot" : "";
  const where = `at example ${last.example.toLocaleString("en")}${rise}${then}.`;
  return marks.length === 1 ? `Drift ${where}` : `Drift ${marks.length} times, the last ${where}`;
}

/** @param {number | null | undefined} seconds */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 60)
    return `${seconds < 1 ? Number(seconds.toPrecision(1)) : seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
