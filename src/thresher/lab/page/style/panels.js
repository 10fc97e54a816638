// Learners side by side, and what is drawn of points, sides and boundaries.
import { css } from "../dom.js";

export const PANELS = css`
  .panels {
    display: grid;
    gap: 1em;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
    align-items: start;
    position: relative;
  }
  .panels[data-count="1"] {
    grid-template-columns: minmax(0, 1fr);
  }
  /* With the controls below it, it is seen whole also where the screen is low. */
  .panels[data-count="1"]:where(:not(.boolean-panels)) {
    grid-template-columns: minmax(0, max(23rem, 100vh - 9rem));
  }
  .view[data-panels="1"]:not(.boolean-view) > .columns {
    grid-template-columns: minmax(0, max(23rem, min(48rem, 100vh - var(--above)))) minmax(17rem, 1fr);
  }
  @container (min-width: 60rem) {
    .lab:not(.presenting) .view[data-panels="1"]:not(.boolean-view) .side-column {
      --ratio: var(--beside, 0.42);
    }
  }
  .lab .view[data-panels="1"]:not(.boolean-view) .track {
    order: 9;
    flex-basis: calc(100% - 6em);
  }
  .lab .view[data-panels="1"]:not(.boolean-view) .speed {
    order: 10;
  }
  /* One picture leaves room beside it for the words, which are seen without scrolling then. */
  @container (min-width: 60rem) {
    .lab:not(.presenting) .view[data-panels="1"]:not(.boolean-view) > .columns {
      row-gap: 0;
      grid-template-rows: auto auto auto;
    }
    .lab:not(.presenting) .view[data-panels="1"]:not(.boolean-view) > .columns > .main {
      display: contents;
    }
    .lab:not(.presenting) .view[data-panels="1"]:not(.boolean-view) > .columns > .main > * {
      grid-column: 1;
    }
    .lab:not(.presenting) .view[data-panels="1"]:not(.boolean-view) > .columns > .side-column {
      grid-area: 1 / 2;
    }
    .lab:not(.presenting) .view[data-panels="1"]:not(.boolean-view) > .columns > .main > .telling {
      grid-area: 2 / 2 / 4;
    }
  }
  .view {
    --above: 23rem;
  }
  .lesson:not([hidden]) ~ .stage > .view {
    --above: 32rem;
  }
  .panels[data-count="2"] {
    grid-template-columns: repeat(2, minmax(0, max(20rem, 100vh - var(--above))));
  }
  .panels:not([data-count="1"], [data-count="2"]) {
    grid-template-columns: repeat(auto-fill, minmax(0, max(16rem, 50vh - 10.5rem)));
  }
  @container (min-width: 60rem) {
    .panels[data-count="4"]:not(.boolean-panels) {
      grid-template-columns: repeat(2, minmax(0, max(16rem, 50vh - 10.5rem)));
    }
  }
  .panel {
    min-width: 0;
  }
  .panel > header {
    display: flex;
    align-items: center;
    gap: 0.4em;
    margin-bottom: 0.4em;
  }
  .panel > header > select {
    flex: 1 1 9em;
    min-width: 7.5em;
    font-weight: 600;
    border-color: transparent;
    padding-left: 0.2em;
    text-overflow: ellipsis;
  }
  .panel > header > select:hover {
    border-color: var(--control);
  }
  .panel .foot {
    color: var(--quiet);
    min-height: 1.5em;
    margin-top: 0.3em;
    font-variant-numeric: tabular-nums;
  }
  .panel .foot.failed {
    color: var(--minus);
  }
  .apart {
    color: var(--quiet);
    font-weight: 400;
  }
  .panel > header > .apart {
    flex: 0 4 auto;
    min-width: 0;
    white-space: nowrap;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .figures .apart {
    display: block;
    font-size: 0.9em;
  }
  .apart:empty {
    display: none;
  }
  .plane {
    touch-action: pan-x pan-y pinch-zoom;
    cursor: crosshair;
    user-select: none;
    border-radius: 0.7em;
  }
  .layers {
    position: relative;
    border: 1px solid var(--line);
    border-radius: 0.7em;
    overflow: hidden;
    background: var(--soft);
  }
  .layers > :is(.under, .over) {
    position: absolute;
    inset: 0;
    pointer-events: none;
  }
  .side-name,
  .line-note,
  .ring-name,
  .axis-letter,
  .axis-number {
    font:
      600 12px Inter,
      system-ui,
      sans-serif;
    fill: var(--ink);
    paint-order: stroke;
    stroke: var(--paper);
    stroke-width: 3px;
    stroke-linejoin: round;
  }
  .side-name.plus {
    fill: var(--plus);
    stroke: var(--plus-side);
  }
  .side-name.minus {
    fill: var(--minus);
    stroke: var(--minus-side);
  }
  .line-note {
    font-weight: 400;
    fill: var(--quiet);
  }
  .mean-note {
    fill: var(--w);
  }
  .axis-number {
    font-weight: 400;
    font-size: 10px;
    fill: var(--quiet);
    stroke: none;
  }
  .axis-letter {
    font:
      italic 12px Georgia,
      serif;
    fill: var(--quiet);
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0.2em 1.1em;
    margin: 0.2em 0 0;
    padding: 0;
    list-style: none;
    color: var(--quiet);
    font-size: 0.87em;
  }
  .legend li {
    display: inline-flex;
    align-items: center;
    gap: 0.4em;
  }
  .legend svg {
    width: 2em;
    height: 1.4em;
  }
  .legend .ring {
    stroke-width: 3;
  }
  .legend b {
    color: var(--ink);
  }
  .layers > .plane {
    position: relative;
    will-change: transform;
  }
  .layers > .plane:focus-visible {
    outline-offset: -3px;
  }
  .layers .grid {
    stroke: light-dark(#1c233314, #ffffff12);
  }
  .layers .origin {
    stroke: light-dark(#1c233338, #ffffff38);
  }
  .cursor {
    stroke: var(--ink);
    stroke-width: 2;
    pointer-events: none;
  }
  .side.positive {
    fill: var(--plus-side);
  }
  .side.negative {
    fill: var(--minus-side);
  }
  .side.unknown {
    fill: var(--soft);
  }
  .boundary {
    stroke: var(--ink);
    stroke-width: 2.4;
    fill: none;
  }
  .point circle {
    stroke: var(--paper);
    stroke-width: 1.5;
  }
  .point path {
    stroke: #fff;
    stroke-width: 2.2;
    fill: none;
  }
  .point.small circle {
    stroke-width: 0.75;
  }
  .point.small path {
    stroke-width: 1.1;
  }
  .point {
    cursor: grab;
  }
  .point.plus circle {
    fill: light-dark(#1f6feb, #2f6fd8);
  }
  .point.minus circle {
    fill: light-dark(#c2410c, #c4531f);
  }
  .ring {
    fill: none;
    stroke: var(--ring);
    stroke-width: 4;
    pointer-events: none;
  }
  .ring.wrong {
    stroke-dasharray: none;
  }
  .ring.right {
    opacity: 0.75;
    stroke-width: 3;
  }
  .ring.next {
    stroke-dasharray: 5 4;
  }
`;
