// The page of a phone: the question that is open, its choices, the quiz; nothing else of the lab.

const KEPT = "thresher-class"; // who this phone was, for a page that is loaded again

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);
/** @type {WebSocket | null} */ let line = null;
let wait = 500;
let shownText = "";

function joinClass() {
  line = new WebSocket(new URL("class", location.href.replace(/^http/, "ws")).href);
  line.onopen = () => {
    wait = 500;
    line?.send(JSON.stringify({ join: sessionStorage.getItem(KEPT) ?? "" }));
  };
  line.onmessage = (event) => showClass(JSON.parse(event.data));
  line.onclose = () => {
    byId("status").textContent = "Not connected; trying again…";
    setTimeout(joinClass, wait);
    wait = Math.min(wait * 2, 8000);
  };
}

/** @param {object} message */
function tellClass(message) {
  if (line?.readyState === WebSocket.OPEN) line.send(JSON.stringify(message));
}

/** @param {any} told */
function showClass(told) {
  if (told.error) {
    byId("status").textContent = told.error;
    return;
  }
  sessionStorage.setItem(KEPT, told.you);
  if (document.activeElement !== byId("name") && told.name) byId("name").value = told.name;
  const { question, quiz } = told;
  byId("status").textContent = quiz
    ? quizStatus(quiz)
    : question
      ? questionStatus(question)
      : "Joined. Wait for a question.";
  const text = JSON.stringify([question, quiz]);
  if (text === shownText) return;
  shownText = text;
  if (quiz)
    byId("asked").replaceChildren(
      ...quiz.map((/** @type {any} */ task, /** @type {number} */ k) =>
        phoneTask(task, `${k + 1}. ${task.ask}`, (choice) => tellClass({ task: k, choice })),
      ),
    );
  else if (question)
    byId("asked").replaceChildren(
      phoneTask(question, question.ask, (vote) => tellClass({ question: question.id, vote })),
    );
  else byId("asked").replaceChildren();
}

/** @param {any} question */
function questionStatus({ mine, right }) {
  if (right === null)
    return mine === null ? "Choose; you may change it until it is revealed." : "Voted. You may change it.";
  if (mine === null) return "Revealed.";
  return mine === right ? "✓ Right." : "✗ Not this time.";
}

/** @param {any[]} quiz */
function quizStatus(quiz) {
  if (quiz[0].right === null) return "Quiz: the numbers are your own.";
  return `Quiz: ${quiz.filter((task) => task.mine === task.right).length} of ${quiz.length} right.`;
}

/** @param {any} task @param {string} text @param {(choice: number) => void} choose */
function phoneTask(task, text, choose) {
  const box = document.createElement("section");
  box.className = "task";
  const head = document.createElement("h2");
  head.textContent = text;
  box.append(
    head,
    ...task.choices.map((/** @type {string} */ choice, /** @type {number} */ k) => {
      const one = document.createElement("button");
      one.type = "button";
      one.textContent = (task.right === k ? "✓ " : "") + choice;
      one.disabled = task.right !== null;
      one.classList.toggle("right", task.right === k);
      one.setAttribute("aria-pressed", String(task.mine === k));
      one.addEventListener("click", () => choose(k));
      return one;
    }),
  );
  return box;
}

byId("name").addEventListener("change", () => tellClass({ name: byId("name").value }));
joinClass();
