// A plane of points in three layers: what moves at every step is under or over the points, which then need not be
// painted again.
import { h, s } from "./dom.js";
import { SIZE } from "./geometry.js";

export class LayeredDrawing {
  /** @param {string} label @param {boolean} picture  whether its points stay where they are */
  constructor(label, picture) {
    const layer = (/** @type {string} */ name) =>
      s("svg", { class: name, viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-hidden": "true" });
    this.under = layer("under");
    this.over = layer("over");
    this.el = s("svg", {
      class: "plane",
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      role: picture ? "img" : "application",
      tabindex: picture ? null : 0,
      "aria-label": label,
    });
    this.grid = s("g", { class: "axes" });
    this.dots = s("g");
    this.cursor = s("path", { class: "cursor", d: "" });
    this.el.append(this.dots, this.cursor);
    this.layers = h("div", { class: "layers" }, this.under, this.el, this.over);
    this.window = /** @type {import("./geometry.js").Window} */ ({
      left: -1.2,
      right: 1.2,
      bottom: -1.2,
      top: 1.2,
    });
  }

  /** Everything that is drawn, from the bottom. */
  get pictures() {
    return [this.under, this.el, this.over];
  }

  /** The cross that keys move. @param {[number, number] | null} at  in pixels */
  showCursor(at) {
    this.cursor.setAttribute("d", at ? `M${at[0] - 12} ${at[1]}h24M${at[0]} ${at[1] - 12}v24` : "");
  }
}
