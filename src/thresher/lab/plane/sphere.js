// Vectors of three numbers, and convex pieces of the sphere cut by planes through its middle.

/** @typedef {number[]} Vector */

/** @param {Vector} a @param {Vector} b */
export function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** @param {Vector} a @param {Vector} b @returns {Vector} */
export function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Of length 1; 0 stays 0. @param {Vector} a @returns {Vector} */
export function unit(a) {
  const length = Math.hypot(a[0], a[1], a[2]);
  return length ? a.map((v) => v / length) : [0, 0, 0];
}

/** Two vectors at right angles to d and to each other. @param {Vector} d @returns {[Vector, Vector]} */
export function basis(d) {
  const least = d.map(Math.abs).indexOf(Math.min(...d.map(Math.abs)));
  const first = unit(
    cross(
      [0, 1, 2].map((i) => (i === least ? 1 : 0)),
      d,
    ),
  );
  return [first, cross(d, first)];
}

/** The whole sphere, as its eight octants. @returns {Vector[][]} */
export function wholeSphere() {
  const out = [];
  for (const x of [1, -1])
    for (const y of [1, -1])
      for (const z of [1, -1]) {
        const corners = [
          [x, 0, 0],
          [0, y, 0],
          [0, 0, z],
        ];
        out.push(x * y * z > 0 ? corners : corners.reverse());
      }
  return out;
}

/** What is left of convex pieces where n·v ≥ 0. @param {Vector[][]} pieces @param {Vector} n */
export function cutPieces(pieces, n) {
  return pieces.map((piece) => cutPiece(piece, n)).filter((piece) => piece.length > 2);
}

/** @param {Vector[]} piece @param {Vector} n */
function cutPiece(piece, n) {
  const sides = piece.map((v) => dot(v, n));
  if (sides.every((side) => side >= 0)) return piece;
  /** @type {Vector[]} */ const out = [];
  piece.forEach((v, i) => {
    const k = (i + 1) % piece.length;
    if (sides[i] >= 0) out.push(v);
    if (sides[i] >= 0 !== sides[k] >= 0) {
      const part = sides[i] / (sides[i] - sides[k]);
      out.push(unit(v.map((a, j) => a + part * (piece[k][j] - a))));
    }
  });
  return out;
}

/** The share of the sphere that convex pieces cover: by their angles. @param {Vector[][]} pieces */
export function shareOfSphere(pieces) {
  return pieces.reduce((sum, piece) => sum + excess(piece), 0) / (4 * Math.PI);
}

/** A fan of triangles from the first corner (van Oosterom and Strackee). @param {Vector[]} piece */
function excess(piece) {
  let sum = 0;
  for (let i = 1; i + 1 < piece.length; i++) {
    const [a, b, c] = [piece[0], piece[i], piece[i + 1]];
    sum += 2 * Math.atan2(Math.abs(dot(a, cross(b, c))), 1 + dot(a, b) + dot(b, c) + dot(c, a));
  }
  return sum;
}

/** Points on the shortest way from one to another. @param {Vector} from @param {Vector} to @param {number} count */
export function arc(from, to, count) {
  return Array.from({ length: count + 1 }, (_, i) => unit(from.map((v, j) => v + (i / count) * (to[j] - v))));
}
