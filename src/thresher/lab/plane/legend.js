// What the lines and marks of the plane mean, beside small pictures of them.
import { h, sign } from "../page/dom.js";

/** @type {[string, any[], string][]} */
const SIGNS = [
  ["line", [["line", { class: "boundary", x1: 2, y1: 9, x2: 24, y2: 9 }]], "its line: the score is 0"],
  ["band", [["line", { class: "band", x1: 2, y1: 9, x2: 24, y2: 9 }]], "its margin"],
  [
    "w",
    [
      ["line", { class: "w", x1: 2, y1: 15, x2: 18, y2: 6 }],
      ["path", { class: "w-tip", d: "M24 3 19 10 15 3z" }],
    ],
    "w, the weights",
  ],
  [
    "moved",
    [
      ["line", { class: "moved", x1: 2, y1: 15, x2: 18, y2: 6 }],
      ["path", { class: "moved-tip", d: "M24 3 19 10 15 3z" }],
    ],
    "its step",
  ],
  ["mean", [["line", { class: "mean", x1: 2, y1: 9, x2: 24, y2: 9 }]], "the average of its lines"],
  ["ring", [["circle", { class: "ring wrong", cx: 13, cy: 9, r: 6.5 }]], "this example"],
];

export function legend() {
  return h(
    "ul",
    { class: "legend", "aria-label": "What is drawn" },
    ...SIGNS.map(([name, parts, text]) => sign(parts, text, name)),
    h("li", { "data-sign": "count" }, h("b", {}, "×2"), " wrong here twice"),
  );
}

/** Its entries, for a figure. @param {Element} list @returns {[SVGSVGElement | null, string][]} */
export function signs(list) {
  return [...list.querySelectorAll("li:not([hidden])")].map((one) => [
    one.querySelector("svg"),
    one.textContent ?? "",
  ]);
}
