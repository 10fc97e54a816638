// The numbers, the grid and the origin of a window.
import { s, short } from "./dom.js";
import { SIZE, toPixels } from "./geometry.js";

/** @typedef {import("./geometry.js").Window} Window */

/** @param {Window} v @param {string[]} letters  of the axes; none if they are named elsewhere @returns {Node[]} */
export function axesOf(v, letters = ["x₁", "x₂"]) {
  const [ox, oy] = toPixels(v, 0, 0);
  const across = spacing(v.right - v.left);
  const up = spacing(v.top - v.bottom);
  const ends = [
    { x: SIZE - 8, y: SIZE - 5, "text-anchor": "end" },
    { x: 5, y: 14 },
  ];
  /** @type {Node[]} */ const names = letters.map((name, i) =>
    s("text", { class: "axis-letter", ...ends[i] }, name),
  );
  let d = "";
  for (const x of multiples(across / 2, v.left, v.right))
    d += `M${toPixels(v, x, 0)[0].toFixed(1)} 0V${SIZE}`;
  for (const y of multiples(up / 2, v.bottom, v.top)) d += `M0 ${toPixels(v, 0, y)[1].toFixed(1)}H${SIZE}`;
  for (const x of multiples(across, v.left, v.right)) {
    const px = toPixels(v, x, 0)[0];
    if (px > 20 && px < SIZE - 28)
      names.push(
        s("text", { class: "axis-number", x: px.toFixed(1), y: SIZE - 5, "text-anchor": "middle" }, short(x)),
      );
  }
  for (const y of multiples(up, v.bottom, v.top)) {
    const py = toPixels(v, 0, y)[1];
    if (py > 26 && py < SIZE - 20)
      names.push(s("text", { class: "axis-number", x: 5, y: (py + 4).toFixed(1) }, short(y)));
  }
  return [
    ...names,
    s("path", { class: "grid", d }),
    s("path", { class: "origin", d: `M${ox} 0V${SIZE}M0 ${oy}H${SIZE}` }),
  ];
}

/** Between the numbers of an axis: 1, 2 or 5 times a power of ten, for two to five of them. @param {number} length */
function spacing(length) {
  const ten = 10 ** Math.floor(Math.log10(length / 2));
  return ten * (length / ten < 5 ? 1 : length / ten < 10 ? 2 : 5);
}

/** @param {number} step @param {number} from @param {number} to */
function multiples(step, from, to) {
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(6)),
  );
}
