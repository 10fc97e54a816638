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
export function paperOf(element) {
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
export function styled(drawing) {
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

/** @param {SVGSVGElement | SVGSVGElement[]} drawing @param {string} name */
async function downloadPng(drawing, name) {
  const box = [drawing].flat()[0].viewBox.baseVal;
  await rasterised(standalone(drawing), box.width, box.height, name, 3);
}

/** @param {string} text  of an SVG @param {number} width @param {number} height @param {string} name @param {number} scale */
export async function rasterised(text, width, height, name, scale) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * scale, height * scale];
  await painted(text, canvas);
  canvas.toBlob((blob) => {
    if (blob) download(blob, `${name}.png`);
  });
}

/** @param {string} text  of an SVG @param {HTMLCanvasElement} canvas  that it fills */
export async function painted(text, canvas) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  await image.decode();
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
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
