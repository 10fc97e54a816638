// Pictures that move as a GIF: one palette for all frames, of each only what has changed, packed by LZW.

const SEEN_BEFORE = 255; // the transparent entry of the palette: the pixel stays
const CLOSE = 120; // squared distance of colours up to which one stands for the other
const MOST_CODES = 4096;
const BLOCK = 255; // bytes

/** The channels of a pixel of a canvas. @param {number} v */
const channels = (v) => [v & 255, (v >> 8) & 255, (v >> 16) & 255];

/** @param {number[]} a @param {number[]} b */
const differ = (a, b) => (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;

/**
 * The colours that are most of some pictures; those next to a chosen one are left out.
 * @param {Uint32Array[]} pictures
 */
export function paletteOf(pictures) {
  /** @type {Map<number, number>} */ const counts = new Map();
  for (const picture of pictures) for (const v of picture) counts.set(v, (counts.get(v) ?? 0) + 1);
  /** @type {number[][]} */ const out = [];
  for (const [v] of [...counts].sort((a, b) => b[1] - a[1])) {
    const colour = channels(v);
    if (out.length < SEEN_BEFORE && !out.some((other) => differ(other, colour) < CLOSE)) out.push(colour);
  }
  return out;
}

export class Gif {
  /** @param {number} width @param {number} height @param {number[][]} palette  of at most 255 colours */
  constructor(width, height, palette) {
    this.width = width;
    this.height = height;
    this.palette = palette;
    /** @type {Uint32Array | null} */ this.before = null;
    /** @type {Map<number, number>} */ this.nearest = new Map();
    const table = Array.from({ length: 256 }, (_, i) => palette[i] ?? [0, 0, 0]).flat();
    const forever = [0x21, 0xff, 11, ..."NETSCAPE2.0"].map((v) =>
      typeof v === "string" ? v.charCodeAt(0) : v,
    );
    this.bytes = [..."GIF89a"].map((c) => c.charCodeAt(0));
    this.bytes.push(...word(width), ...word(height), 0xf7, 0, 0, ...table, ...forever, 3, 1, 0, 0, 0);
  }

  /** @param {Uint32Array} picture  pixels of a canvas @param {number} time  that it is seen, in hundredths of a second */
  add(picture, time) {
    const { width, before } = this;
    const [left, top, right, bottom] = before ? this.changed(picture, before) : [0, 0, width, this.height];
    const [across, down] = [right - left, bottom - top];
    const indices = new Uint8Array(across * down);
    for (let y = 0, k = 0; y < down; y++)
      for (let i = (top + y) * width + left, end = i + across; i < end; i++, k++)
        indices[k] = before && picture[i] === before[i] ? SEEN_BEFORE : this.indexOf(picture[i]);
    this.bytes.push(0x21, 0xf9, 4, before ? 5 : 4, ...word(time), SEEN_BEFORE, 0);
    this.bytes.push(0x2c, ...word(left), ...word(top), ...word(across), ...word(down), 0, 8);
    const packed = squeezed(indices);
    for (let from = 0; from < packed.length; from += BLOCK) {
      const block = packed.slice(from, from + BLOCK);
      this.bytes.push(block.length, ...block);
    }
    this.bytes.push(0);
    this.before = picture;
  }

  /** The smallest box of all that differs; never empty. @param {Uint32Array} picture @param {Uint32Array} before */
  changed(picture, before) {
    const { width, height } = this;
    let [left, top, right, bottom] = [width, height, 0, 0];
    for (let y = 0, i = 0; y < height; y++)
      for (let x = 0; x < width; x++, i++) {
        if (picture[i] === before[i]) continue;
        if (x < left) left = x;
        if (x >= right) right = x + 1;
        if (y < top) top = y;
        bottom = y + 1;
      }
    return right ? [left, top, right, bottom] : [0, 0, 1, 1];
  }

  /** @param {number} v  a pixel */
  indexOf(v) {
    const known = this.nearest.get(v);
    if (known !== undefined) return known;
    const far = this.palette.map((other) => differ(other, channels(v)));
    const found = far.indexOf(Math.min(...far));
    this.nearest.set(v, found);
    return found;
  }

  end() {
    return new Blob([new Uint8Array([...this.bytes, 0x3b])], { type: "image/gif" });
  }
}

/** @param {number} v */
const word = (v) => [v & 255, v >> 8];

/** LZW with codes of 9 to 12 bits. @param {Uint8Array} indices */
function squeezed(indices) {
  const [clear, stop] = [256, 257];
  /** @type {number[]} */ const out = [];
  let [held, count, size, next] = [0, 0, 9, 258];
  const put = (/** @type {number} */ code) => {
    held |= code << count;
    for (count += size; count >= 8; count -= 8, held >>>= 8) out.push(held & 255);
  };
  /** @type {Map<number, number>} */ const codes = new Map(); // of a known run of indices and one more
  put(clear);
  let run = indices[0];
  for (const index of indices.subarray(1)) {
    const longer = (run << 8) | index;
    const known = codes.get(longer);
    if (known !== undefined) {
      run = known;
      continue;
    }
    put(run);
    run = index;
    if (next === MOST_CODES) {
      put(clear);
      codes.clear();
      [size, next] = [9, 258];
      continue;
    }
    if (next === 1 << size) size++;
    codes.set(longer, next++);
  }
  put(run);
  if (next === 1 << size && next < MOST_CODES) size++;
  put(stop);
  if (count) out.push(held & 255);
  return out;
}
