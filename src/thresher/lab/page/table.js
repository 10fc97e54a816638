// A CSV file, dropped or chosen; one of any length becomes a text that can be sent: its first line, and rows drawn
// at random.

const MOST_ROWS = 2000;

/** Reads line by line, keeps a sample (reservoir sampling, the same each time). @param {Blob} file */
export async function sampled(file) {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  /** @type {string[]} */ const kept = [];
  /** @type {string[]} */ const whole = []; // of a short file, with blank lines: an error names the line
  let [rest, head, rows, seed] = ["", /** @type {string | null} */ (null), 0, 12345];
  const random = (/** @type {number} */ n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  const take = (/** @type {string} */ line) => {
    if (whole.length <= 2 * MOST_ROWS) whole.push(line);
    if (!line.trim()) return;
    if (head === null) {
      head = line;
      return;
    }
    rows++;
    if (kept.length < MOST_ROWS) kept.push(line);
    else {
      const place = random(rows);
      if (place < MOST_ROWS) kept[place] = line;
    }
  };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    if (rest.length > 100_000)
      throw new Error("a line is longer than 100,000 letters; expected a table of numbers");
    lines.forEach(take);
  }
  take(rest);
  const named =
    head !== null &&
    !(
      /** @type {string} */ (head)
        .split(/[,;\t]/)
        .some((cell) => cell.trim() !== "" && Number.isFinite(Number(cell)))
    );
  const short = rows <= MOST_ROWS && whole.length <= 2 * MOST_ROWS;
  return {
    text: (short ? whole : [head ?? "", ...kept]).join("\n"),
    rows: rows + (named || head === null ? 0 : 1),
  };
}

/** A file that is dropped on an element. @param {HTMLElement} el @param {(file: Blob) => void} take */
export function takesFiles(el, take) {
  el.addEventListener("dragover", (event) => event.preventDefault());
  el.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) take(file);
  });
}
