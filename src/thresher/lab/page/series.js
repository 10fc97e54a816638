// Counts over time, from the marks of single steps.

/** Running totals, from 0 on. @param {number[]} values */
export function sums(values) {
  const out = new Int32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) out[i + 1] = out[i] + values[i];
  return out;
}

/** A step line of counts, drawn only where it changes. @param {Int32Array} total @param {number} t */
export function steppes(total, t) {
  /** @type {[number, number][]} */ const out = [[0, 0]];
  for (let i = 1; i <= Math.min(t, total.length - 1); i++)
    if (total[i] !== total[i - 1]) out.push([i, total[i - 1]], [i, total[i]]);
  if (t < total.length) out.push([t, total[t]]);
  return out;
}
