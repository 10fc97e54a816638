// What only the plane draws; points, sides and boundaries, which others draw too, are in page/style.js.
import { css } from "../page/dom.js";

export const PLANE_STYLE = css`
  .waiting :is(.level, .level-label) {
    opacity: 0.35;
  }
  .mean {
    stroke: var(--w);
    stroke-width: 2;
    stroke-dasharray: 1 5;
    stroke-linecap: round;
  }
  .band {
    stroke: var(--ink);
    stroke-width: 1.1;
    stroke-dasharray: 5 5;
  }
  .w {
    stroke: var(--w);
    stroke-width: 2.6;
  }
  .w-tip {
    fill: var(--w);
  }
  .w-name {
    fill: var(--w);
    font:
      italic 600 16px Georgia,
      serif;
    paint-order: stroke;
    stroke: var(--paper);
    stroke-width: 3px;
  }
  .drop {
    stroke: var(--ring);
    stroke-width: 2;
    stroke-dasharray: 2 3;
  }
  .rope {
    font-weight: 400;
  }
  .moved {
    stroke: var(--ring);
    stroke-width: 2.4;
    stroke-dasharray: 4 3;
  }
  .moved-tip {
    fill: var(--ring);
  }
  .count {
    font:
      600 11px Inter,
      system-ui,
      sans-serif;
    fill: var(--ink);
    paint-order: stroke;
    stroke: var(--paper);
    stroke-width: 3px;
  }
  .count.small {
    font-size: 8px;
  }
  .plane-view .novikoff {
    display: none;
    max-width: max(34rem, min(100%, 1.2 * (100vh - 31rem)));
    grid-template-columns: minmax(0, 1fr);
    margin-bottom: 1em;
  }
  .plane-view[data-tab="proof"] .novikoff {
    display: grid;
  }
  .plane-view[data-tab="proof"] .side-column > :is(.side-title, .facts, .verdict, .chart) {
    display: none;
  }
  .plane-view .two-spaces {
    display: none;
    margin-bottom: 1em;
  }
  .plane-view[data-tab="space"] .two-spaces:not([hidden]) {
    display: block;
  }
  .plane-view[data-tab="space"] .side-column > :is(.side-title, .facts, .verdict, .chart) {
    display: none;
  }
  .space {
    max-width: max(20rem, min(100%, 100vh - 32rem));
    touch-action: none;
    cursor: grab;
    border-radius: 50%;
  }
  .globe {
    fill: var(--soft);
    stroke: var(--line);
  }
  .version {
    fill: color-mix(in srgb, var(--plus) 30%, var(--soft));
  }
  .cut {
    fill: none;
    stroke: var(--ink);
    stroke-width: 0.9;
    opacity: 0.35;
  }
  .cut.lit {
    stroke: var(--ring);
    stroke-width: 4;
    opacity: 1;
  }
  .trail {
    fill: none;
    stroke: var(--w);
    stroke-width: 2;
    opacity: 0.7;
  }
  .trail.newest {
    stroke: var(--ring);
    stroke-width: 4;
    opacity: 1;
  }
  .weight {
    fill: var(--w);
    stroke: var(--paper);
    stroke-width: 2;
  }
  .weight.behind {
    fill: none;
    stroke: var(--w);
    stroke-dasharray: 3 2;
  }
  .novikoff :is(.line-name, .tick-label, .axis-name) {
    font-size: 14px;
  }
  .novikoff .proof-side {
    grid-template-columns: minmax(8em, 1fr) minmax(0, 1.4fr);
    align-items: center;
  }
  .novikoff .dial {
    grid-row: span 2;
  }
  .vote {
    display: flex;
    gap: 0.6em;
    align-items: center;
    flex-wrap: wrap;
  }
`;
