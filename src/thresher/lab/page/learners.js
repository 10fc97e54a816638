// The learners of the panels: their names, and the fields of their options.
import { button, editing, h, labelled, menu, select, tickable } from "./dom.js";

/** @import { LearnerEntry, PanelChoice } from "./panels.d.ts" */

/** @param {LearnerEntry[]} catalog @param {PanelChoice} panel */
export function nameOf(catalog, panel) {
  const entry = catalog.find((c) => c.short === panel.learner);
  const options = Object.entries(panel.options ?? {})
    .map(([k, v]) => `${k}=${spelled(v)}`)
    .join(", ");
  return (entry?.name ?? panel.learner) + (options ? ` (${options})` : "");
}

/** As Python writes it. @param {any} value */
function spelled(value) {
  return value === true ? "True" : value === false ? "False" : value === null ? "None" : String(value);
}

/** For little room. @param {string} name */
export function briefName(name) {
  return name
    .replace("PassiveAggressive", "PA")
    .replace("Balanced Winnow", "Balanced")
    .replace("ConfidenceWeighted", "CW")
    .replace(/^PNorm/, "p-norm")
    .replace(/^LabelEfficient/, "few labels")
    .replace(/(?<=.)(Perceptron|Regression)$/, "");
}

/**
 * The options by which a panel differs from others of the same learner.
 * @param {LearnerEntry[]} catalog @param {PanelChoice[]} panels @param {number} i
 */
export function difference(catalog, panels, i) {
  const { learner, options } = panels[i] ?? {};
  const others = panels.filter((p, k) => k !== i && p.learner === learner);
  /** @type {any[]} */ const known = catalog.find((c) => c.short === learner)?.options ?? [];
  const of = (/** @type {any} */ o, /** @type {any} */ option) => o?.[option.name] ?? option.default;
  return known
    .filter((option) => others.some((p) => of(p.options, option) !== of(options, option)))
    .map((option) => `${option.name}=${spelled(of(options, option))}`)
    .join(", ");
}

/**
 * The head of a panel: which learner it shows, its options, and away with it.
 * @param {number} i
 * @param {object} wishes
 * @param {LearnerEntry[]} wishes.catalog
 * @param {() => PanelChoice[]} wishes.panels  as they are now
 * @param {string} wishes.fixed  why nothing can be changed
 * @param {(panel: PanelChoice, another: boolean) => void} wishes.change  whether to another learner
 * @param {() => void} wishes.remove
 */
export function panelHead(i, { catalog, panels, fixed, change, remove }) {
  const panel = panels()[i];
  const name = nameOf(catalog, panel);
  const apart = h("span", { class: "apart" }, difference(catalog, panels(), i));
  const options = () => {
    const now = panels()[i];
    const entry = catalog.find((c) => c.short === now.learner);
    return optionFields(entry, now, (chosen) => change({ ...now, options: chosen }, false));
  };
  const el = h(
    "header",
    {},
    h("span", { class: `swatch p${i}` }),
    ...editing(
      fixed,
      select(
        `Learner of panel ${i + 1}`,
        catalog.map((c) => [c.short, c.name]),
        panel.learner,
        (learner) => change({ learner, options: {} }, true),
      ),
      apart,
      menu("⚙", options, { "aria-label": `Options of ${name}`, class: "quiet" }),
      button("×", remove, {
        class: "quiet",
        "aria-label": `Remove ${name}`,
        disabled: panels().length < 2,
      }),
    ),
  );
  return { el, apart };
}

/**
 * @param {LearnerEntry | undefined} entry
 * @param {PanelChoice} panel
 * @param {(options: Record<string, any>) => void} change
 */
export function optionFields(entry, panel, change) {
  if (!entry) return []; // its panel says that there is no such learner
  let { options } = panel;
  const set = (/** @type {any} */ option, /** @type {any} */ value) => {
    options = { ...options, [option.name]: value };
    if (value === option.default) delete options[option.name];
    change(options);
  };
  return [
    h("p", { class: "hint" }, `${entry.update} (${entry.paper})`),
    ...entry.options.map((option) => {
      const value = panel.options[option.name] ?? option.default;
      if (typeof option.default === "boolean") {
        const box = h("input", {
          type: "checkbox",
          checked: value,
          onchange: () => set(option, box.checked),
        });
        return tickable(option.name, box);
      }
      if (option.choices.length)
        return labelled(
          option.name,
          select(
            option.name,
            option.choices.map((/** @type {string} */ c) => [c, c]),
            value,
            (v) => set(option, v),
          ),
        );
      const input = h("input", {
        type: "text",
        value: value ?? "",
        placeholder: option.none ? "none" : "",
        "aria-label": option.name,
        size: 7,
        onchange: () => {
          const text = input.value.trim();
          const number = text !== "" && Number.isFinite(Number(text));
          set(option, text === "" && option.none ? null : number ? Number(text) : text);
        },
      });
      return labelled(option.name, input);
    }),
  ];
}
