// Runs: what `thresher train --log` and `thresher race --log` write, while they write it.
import { Chart } from "../page/chart.js";
import { button, fact, h, scroller, tickable } from "../page/dom.js";
import { RunLogs, compact, driftText, duration, errorText, rateOf, ratesOf } from "./logs.js";
import { Features, Histogram, drawStandings } from "./drawings.js";
import { copyText, download, pictures } from "../page/share.js";

/** @import { Place, View } from "../page/view.d.ts" */

/** @import { LogPoint, RunSummary } from "./run.d.ts" */

const RUN_COLOURS = 8;
const LOOK_EVERY = 1000; // milliseconds
const COMPARED_AT_FIRST = 4; // runs that are compared by default
const RUN_STATES = /** @type {Record<string, [string, string]>} */ ({
  running: ["●", "running"],
  done: ["✓", "finished"],
  stopped: ["■", "stopped"],
  failed: ["✕", "failed"],
  silent: ["○", "silent"],
});

/**
 * chosen: the compared runs by the number of their colour, or null: the latest;
 * focus: the one whose weights are shown, or null.
 */
const RUNS_START = {
  chosen: /** @type {(string | null)[] | null} */ (null),
  focus: /** @type {string | null} */ (null),
  x: "log",
  y: "linear",
  recent: true,
};

/** @implements {View} */
export class RunsView {
  /** @param {Place} place @param {any} given */
  constructor(place, given) {
    this.place = place;
    this.state = { ...RUNS_START, ...checkedRunsState(given) };
    this.logs = new RunLogs(place.ask);
    this.slots = /** @type {(string | null)[]} */ ([]);
    this.states = /** @type {Map<string, string>} */ (new Map());
    this.complained = "";
    this.welcomed = "";
    this.rows =
      /** @type {Map<string, Record<"el" | "box" | "swatch" | "name" | "dot" | "about" | "figures", any>>} */ (
        new Map()
      );
    this.errors = new Chart("Progressive error of the runs over examples", 760, 330);
    this.field = new Chart("Progressive error of each learner of the race", 760, 300);
    this.brief = h("p", { class: "hint" }, "The run was too short for a curve.");
    this.speed = new Chart("Examples a second over time", 440, 220);
    this.histogram = new Histogram();
    this.features = new Features();
    this.build();
    this.onvisible = () => {
      if (!document.hidden) this.soon(0);
    };
    document.addEventListener("visibilitychange", this.onvisible);
    this.place.save(this.state);
    this.tick();
  }

  build() {
    this.heading = h("h2", { class: "run-title" });
    this.facts = h("dl", { class: "facts run-facts" });
    this.message = h("p", { class: "run-message", hidden: true });
    this.progress = h("progress", {
      class: "run-progress",
      max: 1,
      value: 0,
      "aria-label": "Part of the data that is read",
    });
    this.xs = this.segments("Examples on a", "x", ["log", "linear"]);
    this.ys = this.segments("Error on a", "y", ["linear", "log"]);
    this.recentBox = h("input", {
      type: "checkbox",
      checked: this.state.recent,
      onchange: () => this.set({ recent: this.recentBox.checked }),
    });
    this.legend = h("p", { class: "hint line-key" });
    this.fieldPart = h(
      "section",
      { class: "field-part", hidden: true },
      (this.fieldTitle = h("h2", {})),
      this.field.el,
    );
    this.standings = h("table", { class: "figures standings", hidden: true });
    this.table = h("table", { class: "figures compared" });
    this.list = h("ul", { class: "run-list" });
    this.said = h("p", { class: "hint run-said", "aria-live": "polite" });
    this.note = h("p", { class: "hint" });
    this.welcome = h("section", { class: "welcome", hidden: true });
    this.full = h(
      "div",
      { class: "columns runs", hidden: true },
      h(
        "div",
        { class: "main" },
        h("header", { class: "run-head" }, this.heading, this.progress),
        this.facts,
        this.message,
        h(
          "div",
          { class: "toolbar" },
          h("h2", {}, "Progressive error"),
          this.legend,
          h("span", { class: "spring" }),
          this.xs,
          this.ys,
          tickable("recent", this.recentBox),
        ),
        this.errors.el,
        scroller("Figures of the compared runs", this.table),
        this.fieldPart,
        scroller("Standings of the race", this.standings),
      ),
      h(
        "aside",
        { class: "side-column" },
        h("h2", { class: "list-title" }, "Runs"),
        this.list,
        this.note,
        this.said,
        h("h2", {}, "Weights"),
        this.histogram.el,
        this.histogram.note,
        h("h2", { class: "speed-title" }, "Speed over time"),
        this.speed.el,
        this.brief,
      ),
      h(
        "section",
        { class: "largest" },
        h("div", { class: "row" }, h("h2", {}, "Largest weights"), this.features.choice),
        this.features.note,
        this.features.lists,
      ),
    );
    this.el = h(
      "section",
      { class: "view runs-view", "aria-label": "Runs" },
      h("h1", { class: "headline" }, "Runs as they learn: error, speed and weights, once a second."),
      this.welcome,
      this.full,
    );
  }

  /** @param {string} label @param {"x" | "y"} axis @param {string[]} kinds */
  segments(label, axis, kinds) {
    const group = h(
      "div",
      { class: "segments small", role: "group", "aria-label": `${label} … axis` },
      ...kinds.map((kind) =>
        button(
          `${axis}: ${kind}`,
          () => {
            this.set({ [axis]: kind });
            press();
          },
          { "data-kind": kind },
        ),
      ),
    );
    const press = () => {
      for (const one of group.children)
        one.setAttribute("aria-pressed", String(one.dataset.kind === this.state[axis]));
    };
    press();
    return group;
  }

  /** @param {any} patch */
  set(patch) {
    Object.assign(this.state, patch);
    this.place.save(this.state);
    this.draw();
  }

  // -- polling

  /** @param {number} wait */
  soon(wait) {
    clearTimeout(this.timer);
    if (!this.gone && !document.hidden) this.timer = setTimeout(() => this.tick(), wait);
  }

  async tick() {
    if (this.busy) return;
    this.busy = true;
    try {
      await this.logs.list();
      this.settle();
      this.draw();
      await this.logs.read(
        [...new Set([this.focus(), ...this.slots])].filter((id) => id !== null),
        () => this.draw(),
      );
      this.draw();
      this.tellChanges();
      this.place.ready();
    } catch (error) {
      const text = /** @type {Error} */ (error).message;
      if (text !== this.complained) this.place.complain(text);
      this.complained = text;
    }
    this.busy = false;
    this.soon(LOOK_EVERY);
  }

  /** Which runs are compared, and in which colours. */
  settle() {
    const { runs } = this.logs;
    if (this.state.chosen) {
      this.slots = this.state.chosen.map((id) => (this.logs.run(id) ? id : null));
      return;
    }
    const first = this.logs.run(this.state.focus) ?? runningFirst(runs);
    const like = [first, ...runs.filter((run) => run !== first && run.data.join() === first.data.join())]
      .filter(Boolean)
      .slice(0, COMPARED_AT_FIRST)
      .map((run) => run.id);
    const kept = this.slots.map((id) => (id !== null && like.includes(id) ? id : null)); // colours stay
    for (const id of like)
      if (!kept.includes(id)) {
        const free = kept.indexOf(null);
        if (free < 0) kept.push(id);
        else kept[free] = id;
      }
    this.slots = kept;
  }

  focus() {
    const compared = this.logs.runs.filter((run) => this.slots.includes(run.id));
    return (
      this.logs.run(this.state.focus)?.id ??
      runningFirst(compared)?.id ??
      runningFirst(this.logs.runs)?.id ??
      null
    );
  }

  /** @param {string} id */
  toggle(id) {
    const chosen = [...this.slots];
    const at = chosen.indexOf(id);
    if (at >= 0) chosen[at] = null;
    else {
      const free = chosen.indexOf(null);
      if (free >= 0) chosen[free] = id;
      else if (chosen.length < RUN_COLOURS) chosen.push(id);
      else this.place.complain(`${RUN_COLOURS} runs can be compared at once; take one away first.`);
    }
    this.slots = chosen;
    this.state.chosen = chosen;
    this.place.save(this.state);
    this.soon(0);
  }

  /** @param {string} id */
  look(id) {
    this.state.focus = id;
    this.place.save(this.state);
    if (this.state.chosen && !this.slots.includes(id)) {
      this.toggle(id);
      return;
    }
    this.settle();
    this.draw();
    this.soon(0);
  }

  tellChanges() {
    for (const run of this.logs.runs) {
      const before = this.states.get(run.id);
      if (before !== undefined && before !== run.state) this.ended(run);
      if (before === undefined && this.states.size && run.state === "running")
        this.said.textContent = `${run.name} has begun.`;
    }
    this.states = new Map(this.logs.runs.map((run) => [run.id, run.state]));
  }

  /** A run has changed its state: it is said, and a tab in the background shows it. @param {RunSummary} run */
  ended(run) {
    const text = `${run.name} ${RUN_STATES[run.state][1]}${afterText(run)}.`;
    this.said.textContent = text;
    if (run.state !== "running") this.place.tell(text);
  }

  // -- drawing

  draw() {
    const empty = this.logs.runs.length === 0;
    this.welcome.hidden = !empty;
    this.full.hidden = empty;
    if (empty) {
      this.drawWelcome();
      return;
    }
    const run = /** @type {RunSummary} */ (this.logs.run(this.focus()));
    const log = this.logs.of(run.id);
    this.drawList(run);
    this.drawHead(run);
    this.drawErrors();
    this.drawRace(run);
    const rates = this.compared().map(([one, colour]) => ({
      class: `p${colour}`,
      label: one.name,
      points: ratesOf(this.logs.of(one.id).points),
    }));
    this.brief.hidden = rates.some((line) => line.points.length > 0);
    this.speed.el.style.display = this.brief.hidden ? "" : "none";
    this.speed.draw(
      {
        xMax: Math.max(1, ...rates.flatMap((line) => line.points.map((p) => p[0]))),
        yMax: Math.max(1, ...rates.flatMap((line) => line.points.map((p) => p[1]))) * 1.05,
        count: compact,
        xName: "seconds",
        yName: "examples/s",
      },
      rates,
    );
    this.histogram.draw(log.weights);
    this.features.draw(log.weights);
    this.drawTable();
  }

  /** @returns {[RunSummary, number][]} the compared runs and their colours */
  compared() {
    return this.slots.flatMap((id, i) => {
      const run = this.logs.run(id);
      return run ? [/** @type {[RunSummary, number]} */ ([run, i])] : [];
    });
  }

  /** @param {RunSummary} focus */
  drawList(focus) {
    const known = new Set(this.logs.runs.map((run) => run.id));
    for (const [id, row] of this.rows)
      if (!known.has(id)) {
        row.el.remove();
        this.rows.delete(id);
      }
    this.logs.runs.forEach((run, place) => {
      const row = this.rows.get(run.id) ?? this.makeRow(run);
      if (this.list.children[place] !== row.el)
        this.list.insertBefore(row.el, this.list.children[place] ?? null);
      const slot = this.slots.indexOf(run.id);
      row.box.checked = slot >= 0;
      row.swatch.setAttribute("class", slot >= 0 ? `swatch p${slot}` : "swatch none");
      row.name.setAttribute("aria-current", String(run.id === focus.id));
      row.dot.textContent = (RUN_STATES[run.state] ?? RUN_STATES.done)[0];
      row.dot.setAttribute("class", `dot-${run.state}`);
      row.about.textContent = `${run.learner} · ${stateText(run)} · ${dateText(run.started)}`;
      row.figures.textContent = `${errorText(run.average, run.measure)} · ${compact(run.examples)}`;
    });
    this.note.textContent = this.logs.leftOut
      ? `${this.logs.leftOut.toLocaleString("en")} older files are not listed.`
      : "";
  }

  /** @param {RunSummary} run */
  makeRow(run) {
    const box = h("input", {
      type: "checkbox",
      "aria-label": `Compare ${run.name}`,
      title: "Compare",
      onchange: () => this.toggle(run.id),
    });
    const [swatch, dot, about, figures] = [
      h("span", { class: "swatch none" }),
      h("span", { "aria-hidden": "true" }),
      h("span", { class: "hint run-about" }),
      h("span", { class: "run-figures" }),
    ];
    const name = h(
      "button",
      { type: "button", class: "run-name", title: run.file, onclick: () => this.look(run.id) },
      h("span", { class: "run-line" }, dot, h("strong", {}, run.name), figures),
      about,
    );
    const row = {
      el: h("li", {}, h("label", { class: "run-choice" }, box, swatch), name),
      box,
      swatch,
      name,
      dot,
      about,
      figures,
    };
    this.rows.set(run.id, row);
    return row;
  }

  /** @param {RunSummary} run */
  drawHead(run) {
    const log = this.logs.of(run.id);
    const rate = rateOf(run, log);
    this.heading.replaceChildren(
      h("span", { class: `dot-${run.state}`, "aria-hidden": "true" }, RUN_STATES[run.state]?.[0] ?? "●"),
      ` ${run.name} `,
      h("span", { class: "hint" }, `${run.settings || run.learner} · ${stateText(run)}`),
    );
    const part = partOf(run);
    this.place.title(
      `${RUN_STATES[run.state]?.[0] ?? ""} ${run.state === "running" && part !== null ? `${Math.floor(100 * part)} % ` : ""}${run.name}`,
    );
    this.progress.hidden = run.state !== "running" || part === null;
    this.progress.value = part ?? 0;
    const facts = [
      ["examples", compact(run.examples)],
      ["examples/s", compact(rate)],
      [run.measure === "error" ? "error" : "squared error", errorText(run.average, run.measure)],
      ["recent", errorText(run.recent ?? lastKnown(log.points, "recent"), run.measure)],
      run.held_out !== null
        ? ["held out", errorText(run.held_out, run.measure)]
        : ["memory", run.memory_bytes === null ? "–" : `${Math.round(run.memory_bytes / 1e6)} MB`],
      ["features", compact(run.features)],
      ...lagFacts(run),
      run.passes > 1 ? ["pass", `${run.pass ?? 1} of ${run.passes}`] : ["time", duration(run.seconds)],
      ...(run.state === "running" && part && run.seconds
        ? [["left", `≈ ${duration(((1 - part) / part) * run.seconds)}`]]
        : []),
    ];
    this.facts.replaceChildren(...facts.map(([name, value]) => fact(name, value)));
    const words = [
      run.message,
      run.state === "silent"
        ? "Nothing was written for a while: it waits for its input, or it was killed."
        : "",
      run.before ? `Continues ${run.before}.` : "",
      driftText(log.drift, run.measure),
      log.damaged
        ? `${log.damaged.toLocaleString("en")} damaged ` +
          `${log.damaged === 1 ? "line was" : "lines were"} skipped.`
        : "",
    ].filter(Boolean);
    this.message.hidden = !words.length;
    this.message.className = run.state === "failed" ? "run-message failed" : "run-message";
    if (this.message.textContent !== words.join(" ")) this.message.textContent = words.join(" ");
  }

  drawErrors() {
    const { state } = this;
    const compared = this.compared();
    const series = compared.flatMap(([run, colour]) => {
      const { points, drift } = this.logs.of(run.id);
      const highest = Math.max(...linePoints(points, "average").map((p) => p[1]), 0);
      const marks = drift.map((mark) => ({
        class: `drift-line p${colour}`,
        label: `${run.name}: drift`,
        whole: true,
        points: /** @type {[number, number][]} */ ([
          [mark.example, 0],
          [mark.example, highest],
        ]),
      }));
      const line = (/** @type {"average" | "recent" | "held_out"} */ key, /** @type {string} */ kind) => ({
        class: `${kind} p${colour}`,
        label: key === "average" ? run.name : "",
        points: linePoints(points, key),
      });
      return [
        ...marks,
        ...(state.recent ? [line("recent", "recent-line")] : []),
        line("held_out", "held-line"),
        line("average", "average-line"),
      ].filter((one) => one.points.length);
    });
    this.errors.draw(
      ...fittedAxes(
        series,
        state,
        compared.every(([run]) => run.measure === "error"),
      ),
    );
    const heldOut = compared.some(([run]) => run.held_out !== null);
    const drifted = compared.some(([run]) => this.logs.of(run.id).drift.length);
    this.legend.textContent =
      "— so far" +
      (state.recent ? "   ┄ recent" : "") +
      (heldOut ? "   ··· held out" : "") +
      (drifted ? "   ❘ drift" : "");
  }

  /** @param {RunSummary} run */
  drawRace(run) {
    const log = this.logs.of(run.id);
    const race = run.kind !== "train" && log.points.length > 0;
    this.fieldPart.hidden = !race;
    this.standings.hidden = !race || !log.standings;
    if (!race) return;
    const of = run.kind === "shards" ? "shard" : "learner";
    this.fieldTitle.textContent =
      of === "shard" ? "The shards: error of each in this pass" : "The field: error of each learner so far";
    const rank = (log.standings ?? []).map((row) => row.name);
    const colour = (/** @type {string} */ name) => {
      const at = rank.indexOf(name);
      return at >= 0 && at < RUN_COLOURS ? at : -1;
    };
    const series = run.runners
      .map((name, i) => ({
        class: colour(name) >= 0 ? `average-line p${colour(name)}` : "recent-line quiet-line",
        label: name,
        points: /** @type {[number, number][]} */ (
          log.points
            .filter((p) => typeof p.errors[i] === "number" && p.examples > 0)
            .map((p) => [p.examples, p.errors[i]])
        ),
      }))
      .filter((one) => one.points.length);
    this.field.draw(...fittedAxes(series.reverse(), this.state, run.measure === "error", true));
    if (log.standings) drawStandings(this.standings, log.standings, run.measure, colour, of);
  }

  drawTable() {
    const head = [
      "",
      "learner",
      "so far",
      "recent",
      "held out",
      "examples",
      "examples/s",
      "features",
      "time",
    ];
    this.table.replaceChildren(
      h("caption", { class: "unseen" }, "Compared runs"),
      h(
        "thead",
        {},
        h("tr", {}, ...head.map((text) => h(text ? "th" : "td", text ? { scope: "col" } : {}, text))),
      ),
      h(
        "tbody",
        {},
        ...this.compared().map(([run, colour]) => {
          const log = this.logs.of(run.id);
          return h(
            "tr",
            {},
            h("th", { scope: "row" }, h("span", { class: `swatch p${colour}` }), ` ${run.name}`),
            h("td", { class: "settings", title: run.settings || run.learner }, run.settings || run.learner),
            ...[
              errorText(run.average, run.measure),
              errorText(run.recent ?? lastKnown(log.points, "recent"), run.measure),
              errorText(run.held_out, run.measure),
              compact(run.examples),
              compact(rateOf(run, log)),
              compact(run.features),
              duration(run.seconds),
            ].map((text) => h("td", {}, text)),
          );
        }),
      ),
    );
  }

  drawWelcome() {
    const { folder, missing } = this.logs;
    const key = `${folder}|${missing}`;
    if (this.welcomed === key) return;
    this.welcomed = key;
    const place =
      !folder || folder === "."
        ? "runs"
        : /^[\w./-]+$/.test(folder)
          ? folder
          : `'${folder.replaceAll("'", "'\\''")}'`;
    const demo =
      "thresher generate text -o - --to vw -n 2000000 |\n" +
      `  thresher train - --format vw -m demo.model --log ${place}`;
    this.welcome.replaceChildren(
      h("h2", {}, "Runs"),
      h(
        "p",
        { class: "words" },
        missing
          ? `There is no folder ${folder || "of logs"} (any more). As soon as it is there and a run ` +
              "writes its log into it, you see it here."
          : "No run has written a log here yet. Start one, and watch it learn: its error so far and " +
              "lately, its speed, its weights, compared with other runs.",
      ),
      h("h3", {}, "A run to watch, on generated data"),
      this.commandLine(demo),
      h("h3", {}, "Your own data"),
      this.commandLine(`thresher train data.svm -m m.model --log ${place}`),
      h("h3", {}, "Many learners at once"),
      this.commandLine(`thresher race data.svm -m best.model --log ${place}`),
      h(
        "p",
        { class: "hint" },
        "Type it in a terminal, in the folder where you started the lab. Every run has its own log, " +
          "so none is ever lost; this page checks again every second.",
      ),
    );
  }

  /** @param {string} text */
  commandLine(text) {
    return h(
      "div",
      { class: "command" },
      h("pre", {}, text),
      button("Copy", async () => this.place.tell(await copyText(text, "command.txt")), {
        "aria-label": `Copy: ${text}`,
      }),
    );
  }

  // -- the interface of a view

  /** Nothing here answers a question. */
  veil() {}

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const { runs } = this.logs;
    if (!step || !runs.length) return false;
    const at = runs.findIndex((run) => run.id === this.focus());
    const next = runs[Math.min(runs.length - 1, Math.max(0, at + step))];
    this.look(next.id);
    const error = errorText(next.average, next.measure);
    this.said.textContent =
      `${next.name}: ${RUN_STATES[next.state]?.[1] ?? ""}, ` +
      `error ${error} after ${compact(next.examples)} examples.`;
    return true;
  }

  exports() {
    const run = this.logs.run(this.focus());
    if (!run) return [];
    const csv = () => new Blob([figuresCsv(this.logs.of(run.id).points)], { type: "text/csv" });
    return /** @type {[string, () => unknown][]} */ ([
      ...pictures(
        (kind) => `Error as ${kind}`,
        () => this.errors.el,
        "error",
      ),
      [`Figures of ${run.name} as CSV`, () => download(csv(), `${run.name}.csv`)],
      ["Copy the command", async () => this.place.tell(await copyText(run.command, "command.txt"))],
    ]);
  }

  python() {
    const run = this.logs.run(this.focus());
    if (run?.kind !== "train") return null;
    const path = [this.logs.folder, run.file].filter((part) => part && part !== ".").join("/");
    const lines = [
      "from thresher.plots import ProgressDisplay",
      "",
      `ProgressDisplay.from_log(${JSON.stringify(path)}).plot()`,
      "",
    ];
    return { file: "run.py", code: async () => lines.join("\n") };
  }

  destroy() {
    this.place.title("");
    this.gone = true;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.onvisible);
  }
}

/** A link may hold anything. @param {any} given */
function checkedRunsState(given) {
  const id = (/** @type {any} */ v) => (typeof v === "string" ? v : null);
  return Object.fromEntries(
    Object.entries({
      chosen: Array.isArray(given.chosen) ? given.chosen.slice(0, RUN_COLOURS).map(id) : undefined,
      focus: id(given.focus) ?? undefined,
      x: ["log", "linear"].includes(given.x) ? given.x : undefined,
      y: ["log", "linear"].includes(given.y) ? given.y : undefined,
      recent: typeof given.recent === "boolean" ? given.recent : undefined,
    }).filter(([, value]) => value !== undefined),
  );
}

/**
 * @param {LogPoint[]} points
 * @param {"average" | "recent" | "held_out"} key
 * @returns {[number, number][]}
 */
function linePoints(points, key) {
  return /** @type {[number, number][]} */ (
    points.filter((p) => p[key] !== null && p.examples > 0).map((p) => [p.examples, p[key]])
  );
}

/** The last that is known. @param {any[]} points @param {string} key */
function lastKnown(points, key) {
  for (let i = points.length - 1; i >= 0; i--) if (points[i][key] !== null) return points[i][key];
  return null;
}

/**
 * Axes that hold the lines; the erratic beginning does not squeeze the rest.
 * @param {import("../page/chart.js").Series[]} series
 * @param {{x: string, y: string}} wish
 * @param {boolean} percent
 * @param {boolean} close  whether the lines may fill the chart, without 0
 * @returns {[any, import("../page/chart.js").Series[]]}
 */
function fittedAxes(series, wish, percent, close = false) {
  const all = series.flatMap((line) => line.points);
  const xMax = Math.max(2, ...all.map((p) => p[0]));
  const xMin = Math.min(xMax / 2, Math.max(1, Math.min(...all.map((p) => p[0]), xMax)));
  // One mistake in two examples is an error of 50 %: the first few do not set the scale.
  const settled = Math.min(wish.x === "linear" ? xMax / 100 : 50, xMax / 4);
  const seen = all.filter((p) => p[0] >= settled);
  let yMax = Math.max(1e-9, ...seen.map((p) => p[1]));
  let yMin = 0;
  if (wish.y === "log") {
    const positive = seen.map((p) => p[1]).filter((v) => v > 0);
    yMax = 10 ** Math.ceil(Math.log10(yMax) - 1e-9);
    yMin = Math.min(
      yMax / 10,
      10 ** Math.floor(Math.log10(Math.max(Math.min(...positive, yMax), yMax * 1e-6)) + 1e-9),
    );
  } else {
    const least = Math.min(yMax, ...seen.map((p) => p[1]));
    if (close) yMin = Math.max(0, least - 0.1 * (yMax - least));
    yMax += 0.05 * (yMax - yMin);
  }
  const within = series.map((line) => ({
    ...line,
    points: line.whole
      ? line.points.map(([x, y]) => /** @type {[number, number]} */ ([x, Math.min(y, yMax)]))
      : line.points.filter(([, y]) => y <= yMax),
  }));
  return [
    {
      xMax,
      xMin,
      yMax,
      yMin,
      log: wish.y === "log",
      xLog: wish.x === "log",
      percent,
      count: compact,
      xName: "examples",
      yName: percent ? "error" : "squared error",
    },
    within,
  ];
}

/** How far a run over a stream is behind; nothing for files. @param {RunSummary} run */
function lagFacts(run) {
  const waiting = run.lag_events ?? run.lag_bytes;
  if (waiting === null || waiting === undefined) return [];
  const what = run.lag_events === null ? "bytes behind" : "events behind";
  const late = waiting > 0 && run.lag_seconds !== null ? `, ${duration(run.lag_seconds)}` : "";
  return [[what, `${compact(waiting)}${late}`]];
}

/** The newest that is still running, or else the newest. @param {RunSummary[]} runs */
function runningFirst(runs) {
  return runs.find((run) => run.state === "running") ?? runs[0];
}

/** How much of its data a run has read, if that can be known. @param {RunSummary} run */
function partOf(run) {
  return run.total_bytes && run.bytes_read !== null && run.passes === 1
    ? Math.min(1, run.bytes_read / run.total_bytes)
    : null;
}

/** @param {any[]} points */
function figuresCsv(points) {
  const columns = [
    "examples",
    "seconds",
    "average",
    "recent",
    "held_out",
    "bytes_read",
    "features",
    "memory_bytes",
  ];
  return (
    [columns.join(","), ...points.map((point) => columns.map((name) => point[name] ?? "").join(","))].join(
      "\n",
    ) + "\n"
  );
}

/** The state of a run in a few words. @param {RunSummary} run */
function stateText(run) {
  if (run.state === "silent") return `silent for ${duration(run.silent)}`;
  return RUN_STATES[run.state]?.[1] ?? run.state;
}

/** After how many examples, and with which error. @param {RunSummary} run */
function afterText(run) {
  if (!run.examples) return "";
  const count = run.examples.toLocaleString("en");
  return ` after ${count} examples, error ${errorText(run.average, run.measure)}`;
}

/** @param {number} seconds  since 1970 */
function dateText(seconds) {
  return new Date(seconds * 1000).toLocaleString([], { dateStyle: "short", timeStyle: "short" });
}
