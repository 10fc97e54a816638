// A colour, a shape and a number for each class.
import { s } from "../page/dom.js";

export const MOST_CLASSES = 8;

/** Shapes of about the same weight, around the origin. */
const SHAPES = [
  "M9 0A9 9 0 1 1-9 0A9 9 0 1 1 9 0Z",
  "M-8-8H8V8H-8Z",
  "M0-11 10.5 8H-10.5Z",
  "M0-11.5 11.5 0 0 11.5-11.5 0Z",
  "M0-10.5 10-3.2 6.2 8.5H-6.2L-10-3.2Z",
  "M-4-10H4V-4H10V4H4V10H-4V4H-10V-4H-4Z",
  "M9.5 0 4.8 8.2H-4.8L-9.5 0-4.8-8.2H4.8Z",
  "M-10.5-8H10.5L0 11Z",
];

/** @param {number} c */
export function glyph(c) {
  return [
    s("path", { class: "glyph", d: SHAPES[c] }),
    s("text", { class: "glyph-number", "text-anchor": "middle", y: c === 2 ? 6 : c === 7 ? 2 : 4 }, c + 1),
  ];
}

/** A small picture of it, for a button or a legend. @param {number} c */
export function glyphIcon(c) {
  return s(
    "svg",
    { class: `class-icon c${c}`, viewBox: "-13 -13 26 26", "aria-hidden": "true" },
    s("g", { class: "class-point" }, ...glyph(c)),
  );
}
