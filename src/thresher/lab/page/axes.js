// The numbers, the grid and the origin of a window.
import { s, short } from "./dom.js";
import { SIZE, toPixels } from "./geometry.js";

/** @typedef {import("./geometry.js").Window} Window */

/** @param {Window} v @returns {Node[]} */
export function axesOf(v) {
  const [ox, oy] = toPixels(v, 0, 0);
  const across = 10 ** Math.floor(Math.log10((v.right - v.left) / 2));
  const up = 10 ** Math.floor(Math.log10((v.top - v.bottom) / 2));
  const number = (/** @type {number} */ n) => short(Number(n.toPrecision(6)));
  /** @type {Node[]} */ const names = [];
  let d = "";
  for (let x = Math.ceil(v.left / across) * across; x < v.right; x += across / 2)
    d += `M${toPixels(v, x, 0)[0].toFixed(1)} 0V${SIZE}`;
  for (let y = Math.ceil(v.bottom / up) * up; y < v.top; y += up / 2)
    d += `M0 ${toPixels(v, 0, y)[1].toFixed(1)}H${SIZE}`;
  for (let x = Math.ceil(v.left / across) * across; x < v.right; x += across) {
    const px = toPixels(v, x, 0)[0];
    if (px > 20 && px < SIZE - 12)
      names.push(
        s(
          "text",
          { class: "axis-number", x: px.toFixed(1), y: SIZE - 5, "text-anchor": "middle" },
          number(x),
        ),
      );
  }
  for (let y = Math.ceil(v.bottom / up) * up; y < v.top; y += up) {
    const py = toPixels(v, 0, y)[1];
    if (py > 12 && py < SIZE - 20)
      names.push(s("text", { class: "axis-number", x: 5, y: (py + 4).toFixed(1) }, number(y)));
  }
  return [
    ...names,
    s("path", { class: "grid", d }),
    s("path", { class: "origin", d: `M${ox} 0V${SIZE}M0 ${oy}H${SIZE}` }),
  ];
}
