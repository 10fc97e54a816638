// Elements made by functions: h for HTML, s for SVG. Styles go by class, never by attribute.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * @param {any} el
 * @param {Record<string, any>} props  onclick and the like are listeners, the rest attributes
 */
export function setAll(el, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (
      name === "value" ||
      name === "checked" ||
      name === "disabled" ||
      name === "hidden" ||
      name === "selected"
    )
      el[name] = value;
    else if (value === null || value === undefined || value === false) el.removeAttribute(name);
    else if (el.getAttribute(name) !== String(value))
      el.setAttribute(name, value === true ? "" : String(value));
  }
  return el;
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...Child} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  const el = setAll(document.createElement(tag), props);
  for (const child of children)
    if (child || child === 0) el.append(typeof child === "number" ? String(child) : child);
  return el;
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...Child} children
 * @returns {any}
 */
export function s(tag, props = {}, ...children) {
  const el = setAll(document.createElementNS("http://www.w3.org/2000/svg", tag), props);
  for (const child of children)
    if (child || child === 0) el.append(typeof child === "number" ? String(child) : child);
  return el;
}

/** Changes a text if it is another one: the same text again would be laid out again. @param {any} el @param {string} text */
export function say(el, text) {
  if (el.textContent === text) return;
  const only = el.childNodes.length === 1 ? el.firstChild : null;
  if (text && only instanceof Text)
    only.data = text; // much less work than another node
  else el.textContent = text;
}

/** New children, of which those stay that are as before: they need not be laid out again. @param {Element} parent @param {Element[]} children */
export function renew(parent, children) {
  children.forEach((child, i) => {
    const before = parent.children[i];
    if (!before) parent.append(child);
    else if (!before.isEqualNode(child)) before.replaceWith(child);
  });
  while (parent.children.length > children.length) parent.lastElementChild?.remove();
}

/**
 * A button that says what it does.
 * @param {string} text
 * @param {() => void} onclick
 * @param {Record<string, any>} [props]
 */
export function button(text, onclick, props = {}) {
  return h("button", { type: "button", onclick, ...props }, text);
}

/**
 * @param {string} label
 * @param {[any, string][]} choices
 * @param {any} value
 * @param {(value: string) => void} onchange
 */
export function select(label, choices, value, onchange) {
  const el = h("select", { "aria-label": label, onchange: () => onchange(el.value) });
  for (const [key, text] of choices) el.append(h("option", { value: key, selected: key === value }, text));
  return el;
}

/**
 * A number with its label.
 * @param {string} label
 * @param {number} value
 * @param {(value: number) => void} onchange
 * @param {Record<string, any>} [props]
 */
export function numberField(label, value, onchange, props = {}) {
  const input = h("input", {
    type: "number",
    value,
    "aria-label": label,
    ...props,
    onchange: () => {
      const found = Number(input.value);
      if (input.value !== "" && Number.isFinite(found) && input.checkValidity()) onchange(found);
      else input.value = String(value);
    },
  });
  return labelled(label, input);
}

/**
 * A button that opens a small sheet below it.
 * @param {string} text
 * @param {() => Child[]} fill
 * @param {Record<string, any>} [props]
 */
export function menu(text, fill, props = {}) {
  const sheet = h("div", { class: "sheet", role: "group", "aria-label": props["aria-label"] ?? text });
  const details = h(
    "details",
    {
      class: "menu",
      ontoggle: () => {
        // Empty while it is closed: this event comes after the first frame, which would show the past.
        if (!details.open) return sheet.replaceChildren();
        sheet.replaceChildren(.../** @type {Node[]} */ (fill().filter(Boolean)));
        // It opens to the side with more room, wherever its row of buttons wraps.
        const [at, room] = [details, details.closest(".lab")].map((el) => el.getBoundingClientRect());
        details.classList.toggle("leftward", at.left - room.left > room.right - at.right);
      },
    },
    h("summary", { ...props, onclick: stayShut }, text),
    sheet,
  );
  details.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") {
      details.open = false;
      details.querySelector("summary")?.focus();
      event.stopPropagation();
    }
  });
  details.addEventListener("focusout", (/** @type {FocusEvent} */ event) => {
    if (event.relatedTarget && !details.contains(/** @type {Node} */ (event.relatedTarget)))
      details.open = false;
  });
  return details;
}

/** In a group of controls that are disabled. @param {Event} event */
function stayShut(event) {
  if (/** @type {Element} */ (event.currentTarget).closest("fieldset:disabled")) event.preventDefault();
}

/**
 * Controls that change what is computed; if that cannot be, they are greyed and say why.
 * @param {string} reason  why not; "": they work
 * @param {...HTMLElement} controls
 */
export function editing(reason, ...controls) {
  if (!reason) return controls;
  return [h("fieldset", { class: "editing", disabled: true, title: reason }, ...controls)];
}

/**
 * Around a table of figures, which keeps its width: in a smaller space it scrolls, also by keyboard.
 * @param {string} label
 * @param {HTMLElement} table
 */
export function scroller(label, table) {
  return h("div", { class: "scroller", tabindex: 0, role: "group", "aria-label": label }, table);
}

/** An exponent. @param {string | number} power  a whole number */
export function raised(power) {
  return [...String(power)].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join("");
}

/** A number for readers. @param {number | null | undefined} v */
export function short(v) {
  if (v === null || v === undefined || !Number.isFinite(v)) return "–";
  const size = Math.abs(v);
  const text =
    size && (size < 1e-3 || size >= 1e7)
      ? v.toExponential(1).replace(/e\+?(.+)/, (_, power) => `·10${raised(power)}`)
      : size >= 1000
        ? Math.round(v).toLocaleString("en")
        : String(Number(v.toPrecision(3)));
  return text.replace("-", "−");
}

/** A number as Python's sentences have it: three digits or more. @param {number} v */
export function figure(v) {
  const size = Math.abs(v);
  const text =
    size && !(size >= 1e-3 && size < 1e5)
      ? v.toExponential(2).replace(/e([+-])(\d)$/, "e$10$2")
      : size < 1
        ? String(Number(v.toPrecision(3)))
        : size < 100
          ? String(Number(v.toFixed(3)))
          : v.toFixed(0);
  return text.replaceAll("-", "−");
}

/** Run at most once a frame, the last call counts. @param {(...args: any[]) => void} f */
export function eachFrame(f) {
  /** @type {any[] | null} */ let waiting = null;
  return (/** @type {any[]} */ ...args) => {
    if (!waiting)
      requestAnimationFrame(() => {
        const last = waiting ?? [];
        waiting = null;
        f(...last);
      });
    waiting = args;
  };
}

/** A control with its name before it. @param {string} name @param {HTMLElement} control */
export function labelled(name, control) {
  return h("label", { class: "field" }, h("span", {}, name), control);
}

/** A check box, with its name after it. @param {string} name @param {HTMLElement} box */
export function tickable(name, box) {
  return h("label", { class: "field check" }, box, h("span", {}, name));
}

/** A figure with its name, for a list of facts. @param {string} name @param {any} value */
export function fact(name, value) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

/** An entry of a legend. @param {any[]} parts  of its picture, 26 × 18 @param {string} text @param {string} [name] */
export function sign(parts, text, name) {
  const picture = s(
    "svg",
    { viewBox: "0 0 26 18", "aria-hidden": "true" },
    ...parts.map(([tag, props]) => s(tag, { ...props })),
  );
  return h("li", name ? { "data-sign": name } : {}, picture, text);
}

/** The first row of a table. @param {string[]} names */
export function tableHead(names) {
  return h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name))));
}

/** Marks a text as CSS, for editors and formatters. */
export const css = String.raw;
