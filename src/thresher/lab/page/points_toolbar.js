// What the toolbars of views with points share: a table from a file, another set of the same kind.
import { button, h, numberField } from "./dom.js";

/** @param {(file: Blob) => void} take */
export function tableButton(take) {
  const file = h("input", {
    type: "file",
    accept: ".csv,.tsv,.txt,text/csv",
    hidden: true,
    "aria-label": "A table of points",
    onchange: () => {
      if (file.files[0]) take(file.files[0]);
      file.value = "";
    },
  });
  const title = "Points from a table; or drop one on the page";
  return [button("CSV", () => file.click(), { title }), file];
}

/** @param {number} seed @param {(seed: number) => void} set @param {() => void} empty */
export function anotherSet(seed, set, empty) {
  const choose = (/** @type {number} */ another) => set((seed = another));
  return [
    numberField("seed", seed, choose, { min: 0, max: 4294967295, step: 1 }),
    h(
      "div",
      { class: "row" },
      button("Another", () => choose(seed + 1)),
      button("Clear all", empty),
    ),
  ];
}
