// A run as a film: the figure of every moment, drawn into a canvas that the browser records.
import { figureOf } from "./figure.js";
import { painted } from "./share.js";

/** @import { FigureParts } from "./figure.js" */
/** @import { Timeline } from "./timeline.js" */

const FILM_KINDS = ["video/webm;codecs=vp9", "video/webm", "video/mp4"];
const FRAME_TIME = 100; // milliseconds that a moment is seen
const MOST_FRAMES = 200; // moments
const FRAMES_A_STEP = 6; // moments of a step, if there are few steps
const FILM_WIDTH = 1280; // pixels

/**
 * From the first step to the last that may be seen; it takes as long as the film will.
 * @param {Timeline} timeline
 * @param {() => FigureParts} parts  of the moment that is shown
 * @param {() => Promise<void>} drawn  once all of it is there
 * @returns {Promise<{blob: Blob, kind: string}>}
 */
export async function filmed(timeline, parts, drawn) {
  const type = globalThis.MediaRecorder && FILM_KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
  if (!type) throw new Error("This browser cannot record films.");
  const { t: before } = timeline;
  const moments = momentsOf(timeline);
  timeline.go(0, "jump");
  await drawn();
  const canvas = document.createElement("canvas");
  const first = figureOf(parts());
  const scale = Math.min(2, FILM_WIDTH / first.width);
  // Whole pairs of pixels, as codecs want them.
  [canvas.width, canvas.height] = [first.width, first.height].map((v) => 2 * Math.round((v * scale) / 2));
  await painted(first.text, canvas);
  const stream = canvas.captureStream(0);
  const track = /** @type {CanvasCaptureMediaStreamTrack} */ (stream.getVideoTracks()[0]);
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 4e6 });
  /** @type {Blob[]} */ const pieces = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  const ended = new Promise((resolve) => {
    recorder.onstop = resolve;
  });
  recorder.start();
  for (const at of moments) {
    const begun = performance.now();
    timeline.go(at, "jump");
    await drawn();
    await painted(figureOf(parts()).text, canvas);
    track.requestFrame();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + FRAME_TIME - performance.now())));
  }
  track.requestFrame();
  await new Promise((resolve) => setTimeout(resolve, 5 * FRAME_TIME)); // the end is seen longer
  recorder.stop();
  await ended;
  track.stop();
  timeline.go(before, "jump");
  return { blob: new Blob(pieces, { type }), kind: type.slice(6, 10).replace(/;.*/, "") };
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
