// A run as a film: the figure of every moment, drawn into a canvas; the browser records it, or it becomes a GIF.
import { figureOf } from "./figure.js";
import { Gif, paletteOf } from "./gif.js";
import { painted } from "./share.js";

/** @import { FigureParts } from "./figure.js" */
/** @import { Timeline } from "./timeline.js" */

const FILM_KINDS = ["video/webm;codecs=vp9", "video/webm", "video/mp4"];
const FRAME_TIME = 100; // milliseconds that a moment is seen
const END_TIME = 2000; // milliseconds that the end of a GIF is seen, before it begins again
const MOST_FRAMES = 200; // moments
const FRAMES_A_STEP = 6; // moments of a step, if there are few steps
const [FILM_WIDTH, GIF_WIDTH] = [1280, 960]; // pixels

/**
 * From the first step to the last that may be seen.
 * @param {Timeline} timeline
 * @param {() => FigureParts} parts  of the moment that is shown
 * @param {() => Promise<void>} drawn  once all of it is there
 * @param {"gif" | "video"} kind  a video takes as long as it will be seen
 */
export async function filmed(timeline, parts, drawn, kind) {
  const type = globalThis.MediaRecorder && FILM_KINDS.find((one) => MediaRecorder.isTypeSupported(one));
  if (kind === "video" && !type)
    throw new Error("This browser cannot record a video; the film as a GIF works everywhere.");
  const { t: before } = timeline;
  const moments = momentsOf(timeline);
  const canvas = document.createElement("canvas");
  const paint = async (/** @type {number} */ at) => {
    timeline.go(at, "jump");
    await drawn();
    await painted(figureOf(parts()).text, canvas);
  };
  try {
    timeline.go(0, "jump");
    await drawn();
    const first = figureOf(parts());
    const scale = Math.min(2, (kind === "gif" ? GIF_WIDTH : FILM_WIDTH) / first.width);
    // Whole pairs of pixels, as codecs want them.
    [canvas.width, canvas.height] = [first.width, first.height].map((v) => 2 * Math.round((v * scale) / 2));
    const recorder =
      kind === "gif"
        ? await gifOf(canvas, moments, paint)
        : await videoOf(canvas, /** @type {string} */ (type), () => paint(0));
    for (const [i, at] of moments.entries()) {
      const begun = performance.now();
      await paint(at);
      await recorder.frame(begun, i + 1 === moments.length);
    }
    return await recorder.end();
  } finally {
    timeline.go(before, "jump");
  }
}

/**
 * The palette is that of the beginning, the middle and the end.
 * @param {HTMLCanvasElement} canvas
 * @param {number[]} moments
 * @param {(at: number) => Promise<void>} paint
 */
async function gifOf(canvas, moments, paint) {
  const { width, height } = canvas;
  const ink = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  const pixels = () => new Uint32Array(ink.getImageData(0, 0, width, height).data.buffer);
  const seen = [];
  for (const part of [0, 0.5, 1]) {
    await paint(moments[Math.round(part * (moments.length - 1))]);
    seen.push(pixels());
  }
  const gif = new Gif(width, height, paletteOf(seen));
  return {
    frame: async (/** @type {number} */ _, /** @type {boolean} */ last) =>
      gif.add(pixels(), (last ? END_TIME : FRAME_TIME) / 10),
    end: async () => ({ blob: gif.end(), kind: "gif" }),
  };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {string} type
 * @param {() => Promise<void>} begin  paints the first picture
 */
async function videoOf(canvas, type, begin) {
  await begin();
  const stream = canvas.captureStream(0);
  const track = /** @type {CanvasCaptureMediaStreamTrack} */ (stream.getVideoTracks()[0]);
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 4e6 });
  /** @type {Blob[]} */ const pieces = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  const ended = new Promise((resolve) => {
    recorder.onstop = resolve;
  });
  recorder.start();
  return {
    frame: async (/** @type {number} */ begun) => {
      track.requestFrame();
      await pause(begun + FRAME_TIME - performance.now());
    },
    end: async () => {
      track.requestFrame();
      await pause(5 * FRAME_TIME); // the end is seen longer
      recorder.stop();
      await ended;
      track.stop();
      return { blob: new Blob(pieces, { type }), kind: type.slice(6, 10).replace(/;.*/, "") };
    },
  };
}

/** @param {number} time  in milliseconds */
function pause(time) {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time)));
}

/** @param {Timeline} timeline */
function momentsOf({ clock }) {
  const parts = clock.watched
    ? Math.min(FRAMES_A_STEP, Math.max(1, Math.floor(MOST_FRAMES / Math.max(1, clock.last))))
    : 1;
  const count = Math.min(MOST_FRAMES, clock.last * parts);
  return Array.from({ length: count + 1 }, (_, k) => {
    const at = (clock.last * k) / Math.max(1, count);
    return parts > 1 ? at : Math.round(at);
  });
}
