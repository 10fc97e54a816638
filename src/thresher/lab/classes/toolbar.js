// Above the classes: which one a new point has, sets of points, tables and their columns, order and epochs.
import { button, editing, h, labelled, menu, numberField, select, tickable } from "../page/dom.js";
import { anotherSet, tableButton } from "../page/points_toolbar.js";
import { CLASSES_START } from "./state.js";
import { MOST_CLASSES, glyphIcon } from "./glyphs.js";

/** @type {[string, string][]} */
const SETS = [
  ["wheel", "sectors of a wheel"],
  ["blobs", "clouds"],
  ["row", "in a row"],
];

/**
 * @typedef {object} ClassWishes  what the controls ask for
 * @property {(patch: object) => void} change
 * @property {(label: number) => void} label
 * @property {(made: any) => void} generate
 * @property {() => void} empty
 * @property {(file: Blob) => void} file
 * @property {(columns: number[], scaled: boolean) => void} columns
 * @property {() => void} add  one more learner
 */

export class ClassesToolbar {
  /** @param {() => any} state @param {ClassWishes} wishes @param {string} fixed  why nothing can be changed */
  constructor(state, wishes, fixed) {
    this.state = state;
    this.wishes = wishes;
    this.classes = h("div", { class: "segments", role: "group", "aria-label": "Class of new points" });
    this.columns = h("span", { class: "row", hidden: true });
    this.order = select(
      "Order of the examples",
      [
        ["given", "in the order given"],
        ["shuffled", "shuffled"],
      ],
      state().order,
      (order) => wishes.change({ order }),
    );
    this.epochs = numberField("epochs", state().epochs, (epochs) => wishes.change({ epochs }), {
      min: 1,
      max: 100,
      step: 1,
    });
    this.add = button("+ learner", () => wishes.add(), {
      class: "add",
      title: "One more learner, the same examples",
    });
    this.el = h(
      "div",
      { class: "toolbar" },
      ...editing(
        fixed,
        this.classes,
        menu("Data", () => this.dataMenu()),
        ...tableButton(wishes.file),
        this.columns,
        this.order,
        this.epochs,
        this.add,
      ),
    );
  }

  /** The controls as the state says. @param {number} count  of classes */
  show(count) {
    const state = this.state();
    this.order.value = state.order;
    this.epochs.querySelector("input").value = String(state.epochs);
    this.add.disabled = state.panels.length >= 4;
    const shown = Math.min(MOST_CLASSES, Math.max(count + 1, state.label + 1)); // one more than there are
    this.classes.replaceChildren(
      ...Array.from({ length: shown }, (_, c) => {
        const one = button("", () => this.wishes.label(c), {
          class: "class-choice",
          "aria-pressed": String(c === state.label),
          "aria-label": `class ${c + 1}`,
          title: c >= count ? "A new class" : state.names[c] || `Class ${c + 1}`,
        });
        one.append(glyphIcon(c));
        return one;
      }),
    );
  }

  /** The columns of a table that can be drawn. @param {string[]} choices @param {number[]} chosen */
  showColumns(choices, chosen, scaled = true) {
    this.columns.hidden = !choices.length;
    const box = h("input", {
      type: "checkbox",
      checked: scaled,
      onchange: () => this.wishes.columns(chosen, box.checked),
    });
    const pick = (/** @type {number} */ i) =>
      labelled(
        i ? "up" : "across",
        select(
          i ? "Column that goes up" : "Column that goes across",
          choices.map((name, j) => [String(j), name]),
          String(chosen[i]),
          (value) => {
            const next = [...chosen];
            next[i] = Number(value);
            if (next[0] === next[1]) next[1 - i] = chosen[i]; // they change places
            this.wishes.columns(next, box.checked);
          },
        ),
      );
    this.columns.replaceChildren(pick(0), pick(1), tickable("scaled", box));
  }

  dataMenu() {
    const made = { ...CLASSES_START.made, ...this.state().made };
    const set = (/** @type {any} */ patch) => {
      Object.assign(made, patch);
      this.wishes.generate({ ...made });
    };
    return [
      labelled(
        "kind",
        select("kind", SETS, made.kind, (kind) => set({ kind })),
      ),
      numberField("classes", made.classes, (classes) => set({ classes }), { min: 2, max: 8, step: 1 }),
      numberField("points", made.size, (size) => set({ size }), { min: 1, max: 1000, step: 1 }),
      numberField("noise", made.noise, (noise) => set({ noise }), { min: 0, max: 0.5, step: 0.01 }),
      ...anotherSet(made.seed, (seed) => set({ seed }), this.wishes.empty),
    ];
  }
}
