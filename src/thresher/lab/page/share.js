// The whole state of a view as a short text for a link, and back; export of pictures and texts.

/** @param {any} state @returns {Promise<string>} */
export async function packed(state) {
  const bytes = new TextEncoder().encode(JSON.stringify({ v: 1, ...state }));
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const small = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (const byte of small) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const MOST = 2_000_000;

/** @param {string} text @returns {Promise<any>} */
export async function unpacked(text) {
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    throw new Error("the link is cut or damaged");
  }
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let out = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      out += decoder.decode(value, { stream: true });
      if (out.length > MOST) throw new Error("too long");
    }
    const state = JSON.parse(out);
    if (typeof state !== "object" || state === null || Array.isArray(state)) throw new Error("not a state");
    if (state.v !== 1) throw new Error("version");
    delete state.v;
    return state;
  } catch (error) {
    if (/** @type {Error} */ (error).message === "version")
      throw new Error("the link was made by another version of the lab");
    throw new Error("the link is cut or damaged");
  }
}

/** @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A drawing, or layers of one, as a standalone file. @param {SVGSVGElement | SVGSVGElement[]} drawing */
function standalone(drawing) {
  const [first, ...above] = [drawing].flat().map(styled);
  for (const layer of above) first.append(...layer.children);
  // Its colours were chosen for its background, light or dark.
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({
    width: "100%",
    height: "100%",
    fill: paperOf([drawing].flat()[0]),
  }))
    paper.setAttribute(name, value);
  first.prepend(paper);
  return new XMLSerializer().serializeToString(first);
}

/** The colour behind an element. @param {Element} element */
function paperOf(element) {
  for (
    let at = /** @type {Element | null} */ (element);
    at;
    at = at.parentElement ?? /** @type {any} */ (at.getRootNode()).host ?? null
  ) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour !== "rgba(0, 0, 0, 0)" && colour !== "transparent") return colour;
  }
  return "white";
}

/** A copy with the styles of its classes inlined. @param {SVGSVGElement} drawing */
function styled(drawing) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  const [from, to] = [
    [drawing, ...drawing.querySelectorAll("*")],
    [copy, ...copy.querySelectorAll("*")],
  ];
  const wanted = [
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "opacity",
    "fill-opacity",
    "font",
    "font-weight",
    "font-style",
    "text-anchor",
    "display",
    "stroke-linecap",
    "stroke-linejoin",
    "paint-order",
  ];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of wanted) {
      const value = style.getPropertyValue(name);
      if (value && !(name === "display" && value !== "none"))
        to[i].setAttribute(
          name === "font" ? "font-family" : name,
          name === "font" ? style.fontFamily : value,
        );
    }
    if (element.tagName === "text") to[i].setAttribute("font-size", style.fontSize);
    to[i].removeAttribute("class");
  });
  const box = drawing.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(box.width));
  copy.setAttribute("height", String(box.height));
  return copy;
}

/**
 * Items of the menu Export: a drawing in both kinds of files.
 * @param {(kind: string) => string} title
 * @param {() => SVGSVGElement | SVGSVGElement[]} drawing
 * @param {string} name
 * @returns {[string, () => unknown][]}
 */
export function pictures(title, drawing, name) {
  return [
    [title("SVG"), () => downloadSvg(drawing(), name)],
    [title("PNG"), () => downloadPng(drawing(), name)],
  ];
}

/** @param {SVGSVGElement | SVGSVGElement[]} drawing @param {string} name */
function downloadSvg(drawing, name) {
  download(new Blob([standalone(drawing)], { type: "image/svg+xml" }), `${name}.svg`);
}

/**
 * A figure for a paper: a title, panels with their names and words, a legend, a chart.
 * @typedef {object} FigureParts
 * @property {string} title
 * @property {{name: string, layers: SVGSVGElement[], foot: string}[]} panels
 * @property {[picture: SVGSVGElement | null, text: string][]} legend
 * @property {SVGSVGElement} chart
 * @property {Element} around  whose background and letters it has
 */

/** @param {FigureParts} parts @returns {SVGSVGElement} */
export function wholeFigure({ title, panels, legend, chart, around }) {
  const [side, gap] = [400, 24];
  const columns = Math.min(2, panels.length);
  const rows = Math.ceil(panels.length / columns);
  const { width: cw, height: ch } = chart.viewBox.baseVal;
  const wide = gap + columns * (side + gap) + cw + gap;
  const high = 64 + Math.max(rows * (side + 70) + 30, ch + 40);
  const out = element("svg", { viewBox: `0 0 ${wide} ${high}`, xmlns: SVG });
  const style = getComputedStyle(around);
  const say = (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {string} */ text,
    size = 15,
    weight = "400",
  ) => {
    const one = element("text", {
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
    /** @type {number} */ w,
    /** @type {number} */ h,
  ) => {
    for (const layer of layers.map(styled)) {
      for (const [name, value] of Object.entries({ x, y, width: w, height: h }))
        layer.setAttribute(name, String(value));
      out.append(layer);
    }
  };
  say(gap, 34, title, 19, "600");
  panels.forEach(({ name, layers, foot }, i) => {
    const [x, y] = [gap + (i % columns) * (side + gap), 64 + Math.floor(i / columns) * (side + 70)];
    say(x, y, name, 15, "600");
    put(layers, x, y + 12, side, side);
    say(x, y + side + 32, foot);
  });
  put([chart], gap + columns * (side + gap), 76, cw, ch);
  let at = gap;
  for (const [picture, text] of legend) {
    if (picture) put([picture], at, high - 34, 26, 18);
    say(at + (picture ? 32 : 0), high - 20, text, 13);
    at += 52 + text.length * 6.6;
  }
  return out;
}

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} name @param {Record<string, any>} props @returns {any} */
function element(name, props) {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(props)) one.setAttribute(key, String(value));
  return one;
}

/**
 * Items of the menu Export: the whole figure in both kinds of files.
 * @param {() => FigureParts} parts
 * @param {string} name
 * @returns {[string, () => unknown][]}
 */
export function wholePictures(parts, name) {
  return ["SVG", "PNG"].map((kind) => [
    `Whole figure (${kind})`,
    async () => {
      const made = parts();
      const figure = wholeFigure(made);
      const { width, height } = figure.viewBox.baseVal;
      const paper = element("rect", { width: "100%", height: "100%", fill: paperOf(made.around) });
      figure.prepend(paper);
      figure.setAttribute("width", String(width));
      figure.setAttribute("height", String(height));
      const text = new XMLSerializer().serializeToString(figure);
      if (kind === "SVG") download(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`);
      else await rasterised(text, width, height, name, 2);
    },
  ]);
}

/** @param {SVGSVGElement | SVGSVGElement[]} drawing @param {string} name */
async function downloadPng(drawing, name) {
  const box = [drawing].flat()[0].viewBox.baseVal;
  await rasterised(standalone(drawing), box.width, box.height, name, 3);
}

/** @param {string} text  of an SVG @param {number} width @param {number} height @param {string} name @param {number} scale */
async function rasterised(text, width, height, name, scale) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * scale, height * scale];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  canvas.toBlob((blob) => {
    if (blob) download(blob, `${name}.png`);
  });
}

/** To the clipboard, or if that is not available, to a file. @param {string} text @param {string} name */
export async function copyText(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied.";
  } catch {
    download(new Blob([text], { type: "text/plain" }), name);
    return `The clipboard is closed to this page; saved as ${name}.`;
  }
}
