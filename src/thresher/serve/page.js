// What a server serves and learns, asked for each second: a card for each model, with the lab's chart.
import { Chart } from "./chart.js";
import { h } from "./dom.js";

const EVERY = 1000; // milliseconds
const MOST = 600; // points of a curve: then every second one goes
const MOST_CARDS = 60;
const [WIDTH, HEIGHT] = [440, 190];

const at = (id) => document.getElementById(id);
const whole = (n) => Math.round(n).toLocaleString("en");
const shown = (x) => (x === null || x === undefined ? "–" : Number(x).toPrecision(3));

/** One model: its figures, and its losses since the page was opened. */
class Card {
  constructor(name) {
    this.began = performance.now();
    this.points = []; // seconds, loss, recent loss
    this.last = null;
    this.learner = h("p", { class: "quiet" });
    this.problem = h("p", { class: "failed", hidden: true });
    this.figures = h("dl");
    this.chart = new Chart(`losses of ${name}`, WIDTH, HEIGHT);
    this.caption = h("p", { class: "caption quiet" });
    this.el = h(
      "article",
      {},
      h("h2", {}, name),
      this.learner,
      this.problem,
      this.figures,
      this.caption,
      this.chart.el,
    );
  }

  show(model) {
    const now = performance.now();
    const speed = this.last ? ((model.events - this.last.events) / (now - this.last.at)) * 1000 : 0;
    this.last = { events: model.events, at: now };
    const settings = Object.entries(model.settings).map(
      ([name, value]) => `${name}=${JSON.stringify(value)}`,
    );
    const racing = model.challengers.length ? `against ${model.challengers.join(", ")}` : "";
    this.learner.textContent = [model.learner, settings.join(", "), racing].filter(Boolean).join(" · ");
    this.problem.hidden = !model.failed;
    this.problem.textContent = model.failed ?? "";
    const share = (x) => (model.task === "classify" && x !== null ? `${shown(100 * x)} %` : shown(x));
    const figures = {
      events: whole(model.events),
      "a second": whole(Math.max(speed, 0)),
      loss: share(model.loss),
      "recent loss": share(model.recent_loss),
      features: whole(model.features),
      "await labels": whole(model.kept),
      refused: whole(model.refused),
      seq: whole(model.seq),
    };
    this.figures.replaceChildren(
      ...Object.entries(figures).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    );
    this.draw(now, model);
  }

  draw(now, model) {
    if (model.loss !== null)
      this.points.push([(now - this.began) / 1000, model.loss, model.recent_loss ?? model.loss]);
    if (this.points.length > MOST) this.points = this.points.filter((_, i) => i % 2 === 0);
    this.chart.el.toggleAttribute("hidden", !this.points.length);
    this.caption.textContent = this.points.length
      ? "Loss of all events and of the recent ones, by seconds since this page was opened"
      : "Nothing learned yet.";
    if (!this.points.length) return;
    const losses = this.points.flatMap(([, loss, recent]) => [loss, recent]);
    const axes = { xMax: Math.max(10, (now - this.began) / 1000), yMax: 1.1 * Math.max(...losses) || 0.1 };
    const line = (name, i) => ({ class: name, label: name, points: this.points.map((p) => [p[0], p[i]]) });
    this.chart.draw(
      {
        ...axes,
        percent: model.task === "classify",
        count: (v) => (Number.isInteger(v) ? whole(v) : shown(v)),
      },
      [line("all", 1), line("recent", 2)],
    );
  }
}

const cards = new Map();
let token = "";

function show(models) {
  const first = models.slice(0, MOST_CARDS);
  for (const name of cards.keys()) if (!first.some((model) => model.name === name)) cards.delete(name);
  for (const model of first) {
    if (!cards.has(model.name)) cards.set(model.name, new Card(model.name));
    cards.get(model.name).show(model);
  }
  const wanted = first.map((model) => cards.get(model.name).el);
  const shownNow = [...at("models").children];
  if (wanted.length !== shownNow.length || wanted.some((el, i) => el !== shownNow[i]))
    at("models").replaceChildren(...wanted);
  at("none").hidden = models.length > 0;
  at("meaning").hidden = models.length === 0;
}

async function ask() {
  try {
    const answer = await fetch("v1/models", { headers: token ? { Authorization: `Bearer ${token}` } : {} });
    at("enter").hidden = answer.status !== 401;
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    const ready = (await (await fetch("health/ready")).text()).trim();
    const n = found.models.length;
    const left = n > MOST_CARDS ? ` (the first ${MOST_CARDS} are shown)` : "";
    at("state").textContent = `${ready} · ${n} model${n === 1 ? "" : "s"}${left} · seq ${whole(found.seq)}`;
    show(found.models);
  } catch (error) {
    at("state").textContent = error instanceof TypeError ? "the server does not answer" : error.message;
  }
  setTimeout(ask, EVERY);
}

at("first").textContent = [
  `curl -X PUT ${location.origin}/v1/models/mail -d '{"label": "spam"}'`,
  `curl ${location.origin}/v1/models/mail/learn -d '{"links": 3, "spam": true}'`,
].join("\n");
at("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  token = at("token").value;
});
ask();
