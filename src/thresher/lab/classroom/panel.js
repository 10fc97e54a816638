// The class beside a lesson: the code to join by, how many have voted, the quiz, the results.
import { button, h, s } from "../page/dom.js";

export class ClassPanel {
  /** @param {string} address  of the socket @param {(text: string) => void} complain */
  constructor(address, complain) {
    this.address = address;
    this.complain = complain;
    /** @type {any} */ this.now = null; // what the class has done so far
    /** @type {HTMLElement[]} */ this.choices = []; // of the question that is shown
    this.revealed = "";
    this.code = s("svg", { class: "qr", role: "img", "aria-label": "Code to join by" });
    this.link = h("output", { class: "join", "aria-label": "Address to join by" });
    this.count = h("strong", { class: "class-count", role: "status" });
    this.quiz = button("Quiz", () => this.turnQuiz(), {
      title: "Three tasks, with each student's own numbers",
    });
    this.el = h(
      "aside",
      { class: "classroom", "aria-label": "Class" },
      this.code,
      h(
        "div",
        { class: "class-side" },
        h("span", { class: "join-at" }, "Join at ", this.link),
        this.count,
        h(
          "span",
          { class: "row class-tools" },
          this.quiz,
          h("a", { href: "class.csv", download: "class.csv", class: "results" }, "Results (CSV)"),
        ),
      ),
    );
    this.connect();
  }

  connect() {
    this.line = new WebSocket(this.address);
    this.line.onmessage = (event) => this.heard(JSON.parse(event.data));
    this.line.onopen = () => {
      if (this.last) this.line?.send(this.last);
    };
    this.line.onclose = () => {
      if (!this.closed) this.later = setTimeout(() => this.connect(), 1000);
    };
  }

  /** @param {object} message */
  send(message) {
    const text = JSON.stringify(message);
    if ("ask" in message || "clear" in message) this.last = text; // what a new connection begins with
    if (this.line?.readyState === WebSocket.OPEN) this.line.send(text);
  }

  /** @param {any} told */
  heard(told) {
    if (told.error) this.complain(told.error);
    else if (told.code) {
      this.link.textContent = told.link;
      this.drawCode(told.code);
    } else {
      this.now = told;
      this.show();
    }
  }

  /** @param {string[]} rows */
  drawCode(rows) {
    const size = rows.length;
    let d = "";
    rows.forEach((row, y) =>
      [...row].forEach((dark, x) => {
        if (dark === "1") d += `M${x} ${y}h1v1h-1z`;
      }),
    );
    this.code.setAttribute("viewBox", `0 0 ${size} ${size}`);
    this.code.replaceChildren(
      s("rect", { class: "qr-paper", width: size, height: size }),
      s("path", { class: "qr-ink", d }),
    );
  }

  /** A question of the lesson is shown, or none. @param {any} shown @param {HTMLElement[]} choices */
  ask(shown, choices) {
    this.choices = choices;
    if (!shown?.question) {
      this.send({ clear: true });
      return;
    }
    const { ask, choices: texts } = shown.question;
    this.send({ ask: { id: `${shown.lesson}.${shown.screen}`, ask, choices: texts } });
  }

  /** Its answer is shown, and with it the votes. @param {any} shown */
  reveal(shown) {
    this.revealed = `${shown.lesson}.${shown.screen}`;
    this.send({ reveal: { id: this.revealed, right: shown.question.right } });
    this.show();
  }

  turnQuiz() {
    this.send({ quiz: this.now?.quiz === "open" ? "closed" : this.now?.quiz === "closed" ? "" : "open" });
  }

  show() {
    if (!this.now) return;
    const { students, votes, counts, question, quiz, finished, scores } = this.now;
    this.quiz.textContent = quiz === "open" ? "Close the quiz" : quiz ? "End the quiz" : "Quiz";
    this.count.textContent = quiz
      ? `${finished} of ${students} have finished the quiz` + (scores ? `: ${scoreText(scores)}` : "")
      : question
        ? `${votes} of ${students} have voted`
        : `${students} joined`;
    const seen = question === this.revealed && counts;
    this.choices.forEach((one, k) => {
      if (seen) {
        one.dataset.votes = String(counts[k]);
        one.style.setProperty("--share", String(votes ? counts[k] / votes : 0));
      } else delete one.dataset.votes;
    });
  }

  close() {
    this.closed = true;
    clearTimeout(this.later);
    this.line?.close();
  }
}

/** @param {number[]} scores  how many had 0, 1, … right */
function scoreText(scores) {
  return scores
    .map((count, right) => `${count} × ${right} right`)
    .reverse()
    .join(", ");
}
