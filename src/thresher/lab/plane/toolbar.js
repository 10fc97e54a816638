// Above the plane: new points, sets of points, files, order and epochs, what is shown.
import { button, editing, h, labelled, menu, numberField, select, tickable } from "../page/dom.js";
import { anotherSet, tableButton } from "../page/points_toolbar.js";
import { PLANE_START } from "./state.js";

/** @import { PanelsState } from "../page/panels.d.ts" */

const KINDS = /** @type {[string, string][]} */ ([
  ["separable", "separable"],
  ["noisy", "noisy labels"],
  ["xor", "XOR"],
  ["circles", "circles"],
  ["drifting", "drifting"],
  ["tight", "nearly the worst"],
  ["positive", "no negative features"],
  ["shares", "which is larger"],
]);

/**
 * @typedef {object} PlaneWishes  what the controls ask for
 * @property {(patch: object) => void} change
 * @property {(name: "mean" | "fade", on: boolean) => void} display
 * @property {(made: any) => void} generate
 * @property {() => void} empty
 * @property {(file: Blob) => void} file
 * @property {() => void} add  one more learner
 */

export class PlaneToolbar {
  /**
   * @param {() => PanelsState} state
   * @param {PlaneWishes} wishes
   * @param {HTMLElement} predict  its box
   * @param {string} fixed  why nothing can be changed
   */
  constructor(state, wishes, predict, fixed) {
    this.state = state;
    this.wishes = wishes;
    this.sign = h(
      "div",
      { class: "segments", role: "group", "aria-label": "Label of new points" },
      ...[1, -1].map((label) =>
        button(label > 0 ? "+ point" : "− point", () => this.setLabel(label), {
          class: label > 0 ? "plus" : "minus",
          "data-label": label,
        }),
      ),
    );
    this.order = select(
      "Order of the examples",
      [
        ["given", "in the order given"],
        ["shuffled", "shuffled"],
        ["worst", "worst first"],
      ],
      state().order,
      (order) => wishes.change({ order }),
    );
    this.epochs = numberField("epochs", state().epochs, (epochs) => wishes.change({ epochs }), {
      min: 1,
      max: 500,
      step: 1,
    });
    this.mean = this.box("mean");
    this.fade = this.box("fade");
    this.exact = h("input", {
      type: "checkbox",
      title: "On fractions, as on paper: nothing is rounded",
      onchange: () => wishes.change({ exact: this.exact.checked }),
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
        this.sign,
        menu("Data", () => this.dataMenu()),
        ...tableButton(wishes.file),
        this.order,
        this.epochs,
      ),
      menu("Show", () => [
        tickable("averaged line", this.mean),
        tickable("old points fade", this.fade),
        ...editing(fixed, tickable("exact", this.exact)),
      ]),
      tickable("predict first?", predict),
      ...editing(fixed, this.add),
    );
    this.show();
  }

  /** @param {"mean" | "fade"} name */
  box(name) {
    const box = h("input", {
      type: "checkbox",
      onchange: () => this.wishes.display(name, box.checked),
    });
    return box;
  }

  /** The controls as the state says. */
  show() {
    const state = this.state();
    this.order.value = state.order;
    this.epochs.querySelector("input").value = String(state.epochs);
    this.mean.checked = state.mean;
    this.fade.checked = state.fade;
    this.exact.checked = state.exact;
    this.add.disabled = state.panels.length >= 8;
    this.setLabel(state.label);
  }

  /** @param {number} label */
  setLabel(label) {
    this.state().label = label;
    for (const one of this.sign.children)
      one.setAttribute("aria-pressed", String(Number(one.dataset.label) === label));
  }

  dataMenu() {
    const made = { ...PLANE_START.made, ...this.state().made };
    const set = (/** @type {any} */ patch) => {
      Object.assign(made, patch);
      this.wishes.generate({ ...made });
    };
    return [
      labelled(
        "kind",
        select("kind", KINDS, made.kind, (kind) => set({ kind })),
      ),
      numberField("points", made.size, (size) => set({ size }), { min: 1, max: 2000, step: 1 }),
      numberField("margin γ", made.gamma, (gamma) => set({ gamma }), { min: 0, max: 0.9, step: 0.01 }),
      numberField("noise", made.noise, (noise) => set({ noise }), { min: 0, max: 0.5, step: 0.01 }),
      ...anotherSet(made.seed, (seed) => set({ seed }), this.wishes.empty),
    ];
  }
}
