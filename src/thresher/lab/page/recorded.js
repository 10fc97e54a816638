// The page of a recorded lesson: every question that it asks was answered when the page was made.
import { render } from "./lab.js";
import { valuesOf } from "./values.js";
import { VIEWS } from "./views.js";

/** @import { Model } from "./asking.js" */

/**
 * @typedef {{lesson: string, screens: any[], states: any[]}} RecordedLesson
 * @typedef {{ask: string, about: any, answer?: any, error?: string, by?: string}} RecordedAnswer
 */

/** @param {RecordedLesson} lesson @param {RecordedAnswer[]} recorded @returns {Model} */
function recordedModel(lesson, recorded) {
  const command = () => `thresher lab '${model.get("lesson")}'`;
  const { emit, ...model } = valuesOf({
    views: Object.keys(VIEWS),
    ...wanted(lesson),
    fixed: () => `This page is a recording. To change what it shows, run ${command()}`,
  });
  const known = new Map(
    recorded.map((one) => [questionKey(one.ask, aboutOf(one.about, lesson.states)), one]),
  );
  const reply = (/** @type {any} */ { ask, with: about }) => {
    if (ask === "lessons.screen" && about.lesson === lesson.lesson)
      return { answer: lesson.screens[about.screen - 1] };
    const whole = known.get(questionKey(ask, about));
    if (whole) return whole.error ? { error: whole.error } : { answer: whole.answer };
    for (const by of ["sequence", "t"]) {
      if (!(by in about)) continue;
      const { [by]: which, ...rest } = about;
      const steps = known.get(questionKey(ask, rest));
      if (steps?.by === by) return { answer: answerAt(steps.answer, which?.length ?? which) };
    }
    return { error: model.get("fixed")() };
  };
  const send = (/** @type {any} */ message) => {
    if ("stop" in message) return;
    if (message.ask === "lessons.screen" && message.with.lesson !== lesson.lesson)
      location.href = `${message.with.lesson}.html`; // in the same folder
    else setTimeout(() => emit("msg:custom", { id: message.id, ...structuredClone(reply(message)) }));
  };
  model.on("saved", () => {
    const screen = model.get("lesson").split(".").at(-1);
    try {
      history.replaceState(null, "", `#${screen}${model.get("presented") ? ".present" : ""}`);
    } catch {
      /* a page in a frame of another origin has no address of its own */
    }
  });
  return { ...model, send };
}

/** What the address asks for, such as #2 (a screen), #present or #2.present. @param {RecordedLesson} lesson */
function wanted({ lesson, screens }) {
  const [, number, presented] = /^#(\d+)?\.?(present)?$/.exec(location.hash) ?? [];
  const screen = Math.min(Math.max(1, Number(number ?? 1)), screens.length);
  const slide = self !== top && innerHeight < 600 && innerWidth > 1.3 * innerHeight; // a low frame
  return { lesson: `#lesson=${lesson}.${screen}`, presented: Boolean(presented) || slide };
}

/** A state is written as its number. @param {any} about @param {any[]} states */
function aboutOf(about, states) {
  if (typeof about === "number") return states[about];
  return typeof about.state === "number" ? { ...about, state: states[about.state] } : about;
}

/** One text for equal questions, in whatever order their entries are. @param {string} ask @param {any} about */
function questionKey(ask, about) {
  const sorted = (/** @type {string} */ _, /** @type {any} */ value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return ask + JSON.stringify(about, sorted);
}

/** A step may be told by an earlier one, from which only its number differs. @param {any[]} steps @param {number} t */
function answerAt(steps, t) {
  const told = steps[t];
  if (typeof told !== "number") return told;
  const words = steps[told].words.replace(`Example ${told}:`, `Example ${t}:`);
  return { ...steps[told], words };
}

/** @param {Element} part @returns {Promise<any>} */
function inflated(part) {
  const bytes = Uint8Array.from(atob(part.textContent ?? ""), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

async function openRecording() {
  const [lesson, ...recorded] = await Promise.all(
    [...document.querySelectorAll("[data-part]")].map(inflated),
  );
  const model = recordedModel(lesson, recorded);
  const el = document.createElement("div");
  let close = () => {};
  const begin = () => {
    close();
    model.off("msg:custom");
    document.body.replaceChildren(el.cloneNode());
    close = render({ model, el: /** @type {HTMLElement} */ (document.body.firstChild) });
  };
  addEventListener("hashchange", () => {
    for (const [name, value] of Object.entries(wanted(lesson))) model.set(name, value);
    begin();
  });
  begin();
}

openRecording();
