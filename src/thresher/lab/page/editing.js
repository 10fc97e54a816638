// Points under mouse, finger and keys: place, drag, relabel, delete.
import { SIZE, fromPixels, toPixels } from "./geometry.js";

/**
 * @import { Window } from "./geometry.js"
 * @typedef {{el: any, showCursor: (at: [number, number] | null) => void}} Drawing  where they are drawn
 * @typedef {object} Desk  what holds the points
 * @property {() => number[][]} points
 * @property {() => Window} window
 * @property {() => number} label  of a new point
 * @property {(label: number) => number} relabel  the label after this one
 * @property {(key: string) => number | null} labelOf  what a key places
 * @property {(label: number) => string} sign  how a label is told
 * @property {(points: number[][], note: string) => void} change
 * @property {(text: string) => void} say
 * @property {() => void} remember  for undo
 */

const NEAR = 14;
const [CURSOR_STEP, CURSOR_LEAP] = [8, 40];

/** @param {Drawing} drawing @param {Desk} desk */
export function editable(drawing, desk) {
  const el = drawing.el;
  /** @type {{index: number, moved: boolean, held: any} | null} */ let grip = null;
  /** @type {[number, number]} */ let cursor = [SIZE / 2, SIZE / 2];
  let carried = -1; // the point that the keys move
  let byKeys = false; // after a click the arrows move time, not the cursor

  const place = (/** @type {{clientX: number, clientY: number}} */ event) => {
    const box = el.getBoundingClientRect();
    return /** @type {[number, number]} */ ([
      ((event.clientX - box.left) / box.width) * SIZE,
      ((event.clientY - box.top) / box.height) * SIZE,
    ]);
  };
  const nearest = (/** @type {[number, number]} */ [px, py], reach = NEAR) => {
    let [best, least] = [-1, reach];
    desk.points().forEach(([x, y], i) => {
      const [qx, qy] = toPixels(desk.window(), x, y);
      const far = Math.hypot(px - qx, py - qy);
      if (far < least) [best, least] = [i, far];
    });
    return best;
  };
  const rounded = (/** @type {[number, number]} */ at) =>
    fromPixels(desk.window(), at[0], at[1]).map((v) => Number(v.toPrecision(4)));
  const told = (/** @type {number[]} */ p) => `${desk.sign(p[2])} at (${p[0]}, ${p[1]})`.replaceAll("-", "−");

  const add = (/** @type {[number, number]} */ at, label = desk.label()) => {
    const point = [...rounded(at), label];
    desk.change([...desk.points(), point], `Placed ${told(point)}.`);
  };
  const drop = (/** @type {number} */ i) => {
    const gone = desk.points()[i];
    desk.change(
      desk.points().filter((_, k) => k !== i),
      `Deleted ${told(gone)}.`,
    );
  };
  const flip = (/** @type {number} */ i) => {
    desk.remember();
    const points = desk.points().map((p, k) => (k === i ? [p[0], p[1], desk.relabel(p[2])] : p));
    desk.change(points, `Now ${told(points[i])}.`);
  };
  const move = (/** @type {number} */ i, /** @type {[number, number]} */ at, quiet = true) => {
    const points = desk.points().map((p, k) => (k === i ? [...rounded(at), p[2]] : p));
    desk.change(points, quiet ? "" : `Moved to ${told(points[i])}.`);
  };

  // A finger on a point moves it; elsewhere it scrolls the page, as everywhere.
  el.addEventListener(
    "touchstart",
    (/** @type {TouchEvent} */ event) => {
      if (event.touches.length === 1 && nearest(place(event.touches[0]), 24) >= 0) event.preventDefault();
    },
    { passive: false },
  );
  el.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    if (event.button !== 0) return;
    const index = nearest(place(event), event.pointerType === "touch" ? 24 : NEAR);
    grip = { index, moved: false, held: null };
    if (index >= 0) {
      el.setPointerCapture(event.pointerId);
      if (event.pointerType === "touch")
        grip.held = setTimeout(() => {
          if (grip && !grip.moved) {
            drop(index);
            grip = null;
          }
        }, 650);
    }
  });
  el.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (!grip || grip.index < 0) return;
    if (!grip.moved && Math.hypot(event.movementX, event.movementY) < 1) return;
    if (!grip.moved) desk.remember();
    grip.moved = true;
    clearTimeout(grip.held);
    const [x, y] = place(event);
    move(grip.index, [Math.min(SIZE, Math.max(0, x)), Math.min(SIZE, Math.max(0, y))]);
  });
  el.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
    if (!grip) return;
    clearTimeout(grip.held);
    if (grip.index < 0) add(place(event));
    else if (!grip.moved) flip(grip.index);
    grip = null;
  });
  el.addEventListener("pointercancel", () => {
    clearTimeout(grip?.held);
    grip = null;
  });
  el.addEventListener("contextmenu", (/** @type {MouseEvent} */ event) => {
    const index = nearest(place(event));
    event.preventDefault();
    clearTimeout(grip?.held); // a long press also causes this event, in some browsers
    grip = null;
    if (index >= 0) drop(index);
  });

  const where = () => {
    const i = carried >= 0 ? carried : nearest(cursor);
    desk.say(
      carried >= 0
        ? `Carrying ${told(desk.points()[carried])}.`
        : i >= 0
          ? `On ${told(desk.points()[i])}.`
          : `Cursor at (${rounded(cursor).join(", ")}).`,
    );
  };
  const keys = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  el.addEventListener("focus", () => {
    byKeys = el.matches(":focus-visible");
    if (byKeys) drawing.showCursor(cursor);
  });
  el.addEventListener("blur", () => {
    carried = -1;
    drawing.showCursor(null);
  });
  el.addEventListener("pointerdown", () => {
    byKeys = false;
    drawing.showCursor(null);
  });
  el.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (!byKeys || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = keys[/** @type {keyof typeof keys} */ (event.key)];
    if (way) {
      const step = event.shiftKey ? CURSOR_LEAP : CURSOR_STEP;
      cursor = [
        Math.min(SIZE, Math.max(0, cursor[0] + way[0] * step)),
        Math.min(SIZE, Math.max(0, cursor[1] + way[1] * step)),
      ];
      if (carried >= 0) move(carried, cursor);
      where();
    } else if (event.key === "Enter") {
      const i = nearest(cursor);
      if (carried >= 0) {
        carried = -1;
        desk.say("Put down.");
      } else if (i >= 0) {
        carried = i;
        desk.remember();
        const p = desk.points()[i];
        cursor = toPixels(desk.window(), p[0], p[1]);
        where();
      } else add(cursor);
    } else if (desk.labelOf(event.key) !== null) {
      add(cursor, /** @type {number} */ (desk.labelOf(event.key)));
    } else if (event.key === "Delete" || event.key === "Backspace") {
      const i = carried >= 0 ? carried : nearest(cursor);
      carried = -1;
      if (i >= 0) drop(i);
    } else if (event.key === "x") {
      const i = carried >= 0 ? carried : nearest(cursor);
      if (i >= 0) flip(i);
    } else return;
    drawing.showCursor(cursor);
    event.preventDefault();
    event.stopPropagation();
  });
}
