// What a view shows at a moment as one picture: a title, panels with their names and words, a legend, a chart.
import { download, paperOf, rasterised, styled } from "./share.js";

const [FIGURE_SIDE, FIGURE_GAP] = [400, 24]; // of a panel; around it
const [NAME_ROOM, FOOT_ROOM] = [12, 58]; // room above a panel for its name, and below it for its words

/**
 * @typedef {object} FigureParts
 * @property {string} title
 * @property {{name: string, layers: SVGSVGElement[], foot: string}[]} panels
 * @property {[picture: SVGSVGElement | null, text: string][]} [legend]
 * @property {SVGSVGElement} chart
 * @property {Element} around  whose background and letters it has
 */

/** @param {FigureParts} parts @returns {{text: string, width: number, height: number}} */
export function figureOf({ title, panels, legend = [], chart, around }) {
  const style = getComputedStyle(around);
  const out = svgElement("svg", { xmlns: SVG_SPACE });
  const say = (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {string} */ text,
    size = 15,
    weight = "400",
  ) => {
    const one = svgElement("text", {
      x,
      y,
      fill: style.color,
      "font-family": style.fontFamily,
      "font-size": size,
      "font-weight": weight,
    });
    one.textContent = text;
    out.append(one);
  };
  const put = (
    /** @type {SVGSVGElement[]} */ layers,
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {number} */ width,
    /** @type {number} */ height,
  ) => {
    for (const layer of layers.map(styled)) {
      for (const [name, value] of Object.entries({ x, y, width, height }))
        layer.setAttribute(name, String(value));
      out.append(layer);
    }
  };
  const columns = Math.min(panels.length > 4 ? 3 : 2, panels.length);
  const heights = panels.map(({ layers }) => {
    const box = layers[0].viewBox.baseVal;
    return (FIGURE_SIDE * box.height) / box.width;
  });
  const tall = NAME_ROOM + FOOT_ROOM + Math.max(0, ...heights);
  const { width: chartWidth, height: chartHeight } = chart.viewBox.baseVal;
  const width = FIGURE_GAP + columns * (FIGURE_SIDE + FIGURE_GAP) + chartWidth + FIGURE_GAP;
  const rows = columns ? Math.ceil(panels.length / columns) : 0;
  const height = 64 + Math.max(rows * tall, chartHeight + 40) + (legend.length ? 30 : 0);
  say(FIGURE_GAP, 34, title, 19, "600");
  panels.forEach(({ name, layers, foot }, i) => {
    const [x, y] = [
      FIGURE_GAP + (i % columns) * (FIGURE_SIDE + FIGURE_GAP),
      64 + Math.floor(i / columns) * tall,
    ];
    say(x, y, name, 15, "600");
    put(layers, x, y + NAME_ROOM, FIGURE_SIDE, heights[i]);
    say(x, y + NAME_ROOM + heights[i] + 20, foot);
  });
  put([chart], FIGURE_GAP + columns * (FIGURE_SIDE + FIGURE_GAP), 76, chartWidth, chartHeight);
  let at = FIGURE_GAP;
  for (const [picture, text] of legend) {
    if (picture) put([picture], at, height - 34, 26, 18);
    say(at + (picture ? 32 : 0), height - 20, text, 13);
    at += 52 + text.length * 6.6;
  }
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height }))
    out.setAttribute(name, String(value));
  out.prepend(svgElement("rect", { width: "100%", height: "100%", fill: paperOf(around) }));
  return { text: new XMLSerializer().serializeToString(out), width, height };
}

const SVG_SPACE = "http://www.w3.org/2000/svg";

/** @param {string} name @param {Record<string, any>} props @returns {any} */
function svgElement(name, props) {
  const one = document.createElementNS(SVG_SPACE, name);
  for (const [key, value] of Object.entries(props)) one.setAttribute(key, String(value));
  return one;
}

/**
 * Items of the menu Export: the figure in both kinds of files.
 * @param {() => FigureParts} parts
 * @returns {[string, () => unknown][]}
 */
export function figureFiles(parts) {
  return [
    [
      "Whole figure (SVG)",
      () => download(new Blob([figureOf(parts()).text], { type: "image/svg+xml" }), "figure.svg"),
    ],
    [
      "Whole figure (PNG)",
      () => {
        const { text, width, height } = figureOf(parts());
        return rasterised(text, width, height, "figure", 2);
      },
    ],
  ];
}
