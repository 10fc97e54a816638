// A state from a link, which may be anything.

/**
 * What a view begins with, and of a link's state every part that fits; `t` is the end unless it says otherwise.
 * @param {any} given
 * @param {any} start
 * @param {Record<string, (v: any) => boolean>} fits
 * @param {(name: string) => void} wrong  is told the parts that do not
 */
export function fitting(given, start, fits, wrong) {
  /** @type {any} */ const first = structuredClone(start);
  const out = { ...first, ...(Object.keys(given).length ? { t: null } : {}), ...given };
  for (const [name, fit] of Object.entries(fits))
    if (!fit(out[name])) {
      wrong(name);
      out[name] = first[name];
    }
  return out;
}

/** What a view says of such a part. @param {string} name */
export function unfit(name) {
  return `This link has something in “${name}” that the lab cannot show; that part is as at the start.`;
}

/** @param {any} v */
export function isObject(v) {
  return typeof v === "object" && v !== null && !Array.isArray(v);
}

/** @param {any} v */
export function isMoment(v) {
  return v === null || Number.isInteger(v);
}
