// The controls of time, and the explanation of a step.
import { css } from "../dom.js";

export const TIME = css`
  .timeline {
    display: flex;
    align-items: center;
    gap: 0.5em;
    margin: 0.2em 0;
    padding: 0.7em 0 0.6em;
    flex-wrap: wrap;
    position: sticky;
    bottom: 0;
    background: var(--paper);
    z-index: 5;
  }
  .timeline .track {
    position: relative;
    flex: 1 1 4em;
    padding-top: 1.1em;
  }
  .timeline .track input {
    width: 100%;
    margin: 0;
    position: relative;
    accent-color: var(--ink);
  }
  .ticks {
    position: absolute;
    inset: 0 0.5rem auto;
    width: calc(100% - 1rem);
    height: 1.1em;
  }
  .tick {
    stroke: currentColor;
    stroke-width: 0.1rem;
    vector-effect: non-scaling-stroke;
    fill: none;
  }
  .speed {
    display: inline-flex;
    align-items: center;
    gap: 0.4em;
    color: var(--quiet);
  }
  .pace {
    width: calc(4.6em / var(--drawn, 1));
    accent-color: var(--quiet);
  }
  .time {
    flex: none;
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
    min-width: 5em;
    text-align: right;
    color: var(--quiet);
  }
  .play {
    min-width: 6.6em;
    font-size: 1.15em;
  }
  .proof-body {
    display: grid;
    grid-template-columns: minmax(0, 3fr) minmax(10em, 1fr);
    gap: 1em;
    align-items: center;
  }
  .proof-said,
  .space-said {
    font-variant-numeric: tabular-nums;
    min-height: 2.9em;
  }
  .proof-side {
    display: grid;
    gap: 0.6em;
  }
  .proof-side input {
    min-width: 0;
    flex: 1;
  }
  .proof .chart {
    background: var(--card);
    border-radius: 0.5em;
  }
  .wedge {
    touch-action: pan-y;
    cursor: ew-resize;
  }
  .allowed {
    fill: color-mix(in srgb, var(--plus) 13%, var(--card));
  }
  .limit {
    fill: none;
    stroke: var(--plus);
    stroke-width: 2;
  }
  .limit-line {
    color: var(--quiet);
  }
  .limit-name {
    fill: var(--plus);
    stroke: var(--card);
  }
  .crossing {
    stroke: var(--plus);
    stroke-dasharray: 4 4;
  }
  .handle {
    fill: var(--card);
    stroke: var(--plus);
    stroke-width: 3;
  }
  .norm-line {
    color: var(--minus);
  }
  .along-line {
    color: var(--w);
  }
  .dial-face {
    fill: var(--card);
    stroke: var(--line);
  }
  .dial-u {
    stroke: var(--plus);
    stroke-width: 3;
  }
  .dial-w {
    stroke: var(--w);
    stroke-width: 3.5;
  }
  .dial-angle {
    fill: color-mix(in srgb, var(--w) 22%, transparent);
  }
  .dial-cos {
    font:
      600 14px Inter,
      system-ui,
      sans-serif;
    fill: var(--ink);
  }
  .lemmas {
    margin: 0;
    display: grid;
    gap: 0.5em;
    font-size: 0.9em;
  }
  .lemmas dd {
    margin: 0;
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .lemmas progress {
    width: 7em;
    accent-color: var(--w);
  }
  .telling {
    position: relative;
    background: var(--soft);
    border-radius: 0.7em;
    padding: 0.9em 1.1em;
    display: grid;
    gap: 0.6em;
    min-height: 7.4em;
    align-content: start;
  }
  .telling .row {
    color: var(--quiet);
  }
  .words {
    font-size: 1.08em;
    text-wrap: pretty;
  }
  .maths,
  .python {
    margin: 0;
    font:
      0.95em/1.5 ui-monospace,
      "SF Mono",
      Menlo,
      Consolas,
      monospace;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  /* Room for the longest text of a step, so that nothing below it moves. */
  .words {
    min-height: 3em;
  }
`;
