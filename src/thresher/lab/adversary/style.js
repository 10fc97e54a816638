// Rules of the game, variables to press, the line to move.
import { css } from "../page/dom.js";

export const ADVERSARY_STYLE = css`
  .rules {
    color: var(--quiet);
    max-width: 75em;
    margin-bottom: 0.7em;
  }
  .presenting .rules {
    display: none;
  }
  .row.tight {
    gap: 0;
    flex-wrap: nowrap;
  }
  .row.tight button {
    border-radius: 0.5em 0 0 0.5em;
  }
  .row.tight select {
    border-radius: 0 0.5em 0.5em 0;
    margin-left: -1px;
  }
  .variables {
    display: flex;
    flex-wrap: wrap;
    gap: 0.3em;
    margin-bottom: 1em;
  }
  .variable {
    min-height: 2em;
    min-width: 3em;
    padding: 0.15em 0.4em;
    color: var(--quiet);
    font-variant-numeric: tabular-nums;
  }
  .variable[aria-pressed="true"] {
    background: light-dark(#1f6feb, #2a5cad);
    color: #fff;
    border-color: transparent;
  }
  .bound-line {
    stroke-dasharray: 7 5;
    color: var(--p1);
  }
  .rate-line {
    stroke-dasharray: 2 5;
    color: var(--quiet);
  }
  .chart .line.rate-line {
    stroke-linecap: round;
  }
  .adversary-view .verdict > span {
    display: inline-block;
    margin-right: 1em;
  }
  .key {
    display: inline-block;
    width: 1.6em;
    border-top: 3px dashed currentColor;
    vertical-align: middle;
    margin-right: 0.4em;
  }
  .key.rate-line {
    border-top-style: dotted;
  }
  .adversary-view {
    --beside: 0.32;
  }
  .line-board {
    max-width: min(46rem, max(20rem, 100vh - 19rem));
  }
  .board {
    cursor: default;
    border: 1px solid var(--line);
    background: var(--soft);
  }
  .ghost {
    stroke: var(--ink);
    stroke-width: 2;
    stroke-dasharray: 3 4;
  }
  .follower {
    stroke: currentColor;
    stroke-width: 2.4;
  }
  .target-line {
    stroke-width: 4;
  }
  .follower-name {
    font:
      600 9.5px Inter,
      system-ui,
      sans-serif;
    fill: currentColor;
    paint-order: stroke;
    stroke: var(--paper);
    stroke-width: 4px;
    pointer-events: none;
  }
  .handle {
    fill: var(--card);
    stroke: var(--ink);
    stroke-width: 3;
    cursor: grab;
    touch-action: none;
  }
`;
