// Windows, half-planes and level lines: from numbers of a run to what an SVG draws.

export const SIZE = 400; // of a panel, in its own units

/** @typedef {{left: number, right: number, bottom: number, top: number}} Window */

/**
 * A square window that shows all points with room around them.
 * @param {number[][]} points
 * @param {boolean} fromZero  whether they are shares, from 0 to 1
 * @returns {Window}
 */
export function windowOf(points, fromZero = false) {
  if (fromZero && points.every(([x, y]) => x >= 0 && y >= 0 && x <= 1.1 && y <= 1.1))
    return { left: -0.15, right: 1.15, bottom: -0.15, top: 1.15 };
  let [left, right, bottom, top] = [-1, 1, -1, 1];
  if (points.length) {
    left = Math.min(...points.map((p) => p[0]));
    right = Math.max(...points.map((p) => p[0]));
    bottom = Math.min(...points.map((p) => p[1]));
    top = Math.max(...points.map((p) => p[1]));
  }
  if (left >= -1.1 && right <= 1.1 && bottom >= -1.1 && top <= 1.1)
    return { left: -1.2, right: 1.2, bottom: -1.2, top: 1.2 };
  const half = 0.6 * Math.max(right - left, top - bottom, 1e-6);
  const [x, y] = [(left + right) / 2, (bottom + top) / 2];
  return { left: x - half, right: x + half, bottom: y - half, top: y + half };
}

/** @param {Window} v @param {number} x @param {number} y @returns {[number, number]} */
export function toPixels(v, x, y) {
  return [(SIZE * (x - v.left)) / (v.right - v.left), (SIZE * (v.top - y)) / (v.top - v.bottom)];
}

/** @param {Window} v @param {number} px @param {number} py @returns {[number, number]} */
export function fromPixels(v, px, py) {
  return [v.left + (px / SIZE) * (v.right - v.left), v.top - (py / SIZE) * (v.top - v.bottom)];
}

/**
 * The part of the window where w1·x + w2·y + b ≥ level, as corners in pixels.
 * @param {Window} v
 * @param {number[]} w
 * @param {number} level
 */
export function halfPlane(v, [w1, w2, b], level = 0) {
  const corners = [
    [v.left, v.top],
    [v.right, v.top],
    [v.right, v.bottom],
    [v.left, v.bottom],
  ];
  /** @type {[number, number][]} */ const out = [];
  for (let i = 0; i < 4; i++) {
    const [p, q] = [corners[i], corners[(i + 1) % 4]];
    const [sp, sq] = [w1 * p[0] + w2 * p[1] + b - level, w1 * q[0] + w2 * q[1] + b - level];
    if (sp >= 0) out.push(toPixels(v, p[0], p[1]));
    if (sp >= 0 !== sq >= 0) {
      const part = sp / (sp - sq);
      out.push(toPixels(v, p[0] + part * (q[0] - p[0]), p[1] + part * (q[1] - p[1])));
    }
  }
  return out;
}

/**
 * The line w1·x + w2·y + b = level within the window, or nothing.
 * @param {Window} v
 * @param {number[]} w
 * @param {number} level
 */
export function levelLine(v, w, level = 0) {
  const inside = halfPlane(v, w, level);
  const ends = inside.filter(([px, py]) => {
    const [x, y] = fromPixels(v, px, py);
    return (
      Math.abs(w[0] * x + w[1] * y + w[2] - level) <=
      1e-9 *
        (Math.abs(w[0]) + Math.abs(w[1]) + Math.abs(w[2]) + 1e-300) *
        Math.max(1, Math.abs(x), Math.abs(y))
    );
  });
  if (ends.length < 2) return null;
  return [ends[0], ends[ends.length - 1]];
}

/**
 * Where scores on a grid (row by row from the bottom) change sign, as an SVG path.
 * @param {number[]} scores
 * @param {number} n
 */
export function contour(scores, n) {
  const cell = SIZE / (n - 1);
  let path = "";
  for (let j = 0; j + 1 < n; j++) {
    for (let i = 0; i + 1 < n; i++) {
      const at = [
        [i, j],
        [i + 1, j],
        [i + 1, j + 1],
        [i, j + 1],
      ];
      const v = at.map(([a, b]) => scores[b * n + a]);
      /** @type {string[]} */ const cuts = [];
      for (let k = 0; k < 4; k++) {
        const [p, q] = [v[k], v[(k + 1) % 4]];
        if (p >= 0 === q >= 0) continue;
        const part = p / (p - q);
        const x = at[k][0] + part * (at[(k + 1) % 4][0] - at[k][0]);
        const y = at[k][1] + part * (at[(k + 1) % 4][1] - at[k][1]);
        cuts.push(`${(x * cell).toFixed(1)} ${(SIZE - y * cell).toFixed(1)}`);
      }
      for (let k = 0; k + 1 < cuts.length; k += 2) path += `M${cuts[k]}L${cuts[k + 1]}`;
    }
  }
  return path;
}

/**
 * The cells whose middle has a score ≥ 0, as an SVG path of runs.
 * @param {number[]} scores
 * @param {number} n
 */
export function positiveCells(scores, n) {
  const cell = SIZE / (n - 1);
  let path = "";
  for (let j = 0; j < n; j++) {
    for (let i = 0; i < n; i++) {
      if (!(scores[j * n + i] >= 0)) continue;
      let end = i;
      while (end < n && scores[j * n + end] >= 0) end++;
      const [x0, x1] = [Math.max(0, (i - 0.5) * cell), Math.min(SIZE, (end - 0.5) * cell)];
      const [y0, y1] = [Math.max(0, SIZE - (j + 0.5) * cell), Math.min(SIZE, SIZE - (j - 0.5) * cell)];
      path += `M${x0.toFixed(1)} ${y0.toFixed(1)}H${x1.toFixed(1)}V${y1.toFixed(1)}H${x0.toFixed(1)}Z`;
      i = end;
    }
  }
  return path;
}
