// Weights as bars (page/bars.js).
import { css } from "../dom.js";

export const BARS = css`
  .bit-row {
    display: flex;
    align-items: center;
    gap: 0.8em;
    margin-bottom: 0.3em;
    align-items: start;
  }
  .cells {
    flex: 1;
    min-width: 0;
    display: flex;
    flex-wrap: wrap;
    gap: 2px;
  }
  .bits-name {
    color: var(--quiet);
    min-width: 6.2em;
    font-variant-numeric: tabular-nums;
  }
  .cell {
    flex: 1 1 1.25em;
    max-width: 1.8em;
    display: grid;
    justify-items: center;
    border-radius: 0.3em;
    font:
      600 0.85em/1.6 Inter,
      system-ui,
      sans-serif;
    color: var(--quiet);
    background: var(--soft);
    margin-bottom: 1.4em;
    position: relative;
  }
  .cell.on {
    background: var(--ink);
    color: var(--paper);
  }
  .cell.relevant {
    box-shadow: 0 0 0 2px var(--plus);
  }
  .cell small {
    position: absolute;
    top: 100%;
    color: var(--quiet);
    font-weight: 400;
    white-space: nowrap;
  }
  .strip {
    fill: var(--soft);
    stroke: var(--line);
  }
  .strip-on {
    fill: var(--ink);
  }
  .label-chip {
    border: 1px solid var(--line);
    border-radius: 1em;
    padding: 0.1em 0.8em;
    min-width: 6.4em;
    text-align: center;
    white-space: nowrap;
    font-weight: 600;
  }
  .label-chip.plus {
    background: light-dark(#1f6feb, #2a5cad);
    color: #fff;
    border-color: transparent;
  }
  .label-chip.minus {
    background: light-dark(#c2410c, #a8481c);
    color: #fff;
    border-color: transparent;
  }
  .panels.boolean-panels[data-count] {
    gap: 1.1em 1.6em;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 18em), 1fr));
  }
  .panels.boolean-panels[data-count="4"] {
    grid-template-columns: repeat(2, minmax(0, 1fr));
  }
  .boolean-panels > .panel > header {
    min-height: 2.1em;
  }
  .presenting .panels.boolean-panels[data-count] {
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 15em), 1fr));
  }
  .toolbar.inner {
    margin: 0;
    display: contents;
  }
  .toolbar.inner[hidden] {
    display: none;
  }
  .presenting .panel > header .title,
  .presenting .adversary-view .toolbar,
  .presenting .protocols .toolbar {
    display: flex;
  }
  .panel .title {
    font-weight: 600;
    padding: 0.2em 0.3em;
  }
  .panel .title[aria-pressed="true"] {
    background: var(--soft);
    box-shadow: inset 0 -2px var(--plus);
    border-radius: 0.3em 0.3em 0 0;
  }
  .bars {
    aspect-ratio: 360 / 176;
    border: 1px solid var(--line);
    border-radius: 0.7em;
    background: var(--card);
  }
  .bars .tick-label {
    font-size: 13px;
  }
  .bars .theta-label {
    font-size: 13px;
  }
  .presenting .bars .tick-label {
    font-size: 15px;
  }
  .bars .grid {
    stroke: var(--line);
  }
  .bars .axis {
    stroke: var(--control);
  }
  .bars .theta {
    stroke: var(--w);
    stroke-width: 1.8;
    stroke-dasharray: 7 5;
  }
  .theta-label {
    fill: var(--w);
    font-weight: 600;
  }
  .bars .tick-label {
    paint-order: stroke;
    stroke: var(--card);
    stroke-width: 3px;
  }
  .bar {
    fill: color-mix(in srgb, var(--quiet) 38%, var(--card));
  }
  .bar.on {
    fill: var(--quiet);
  }
  .bar.plus {
    fill: color-mix(in srgb, var(--plus) 55%, var(--card));
  }
  .bar.plus.on {
    fill: var(--plus);
  }
  .bar.minus {
    fill: color-mix(in srgb, var(--minus) 55%, var(--card));
  }
  .bar.minus.on {
    fill: var(--minus);
  }
  .target-mark.plus {
    fill: var(--plus);
  }
  .target-mark.minus {
    fill: var(--minus);
  }
  .promoted,
  .demoted {
    font:
      700 11px Inter,
      system-ui,
      sans-serif;
  }
  .promoted {
    fill: var(--plus);
  }
  .demoted {
    fill: var(--minus);
  }
  .stair {
    fill: none;
    stroke: var(--ink);
    stroke-width: 2.4;
  }
  .mistaken {
    fill: var(--minus);
    stroke: var(--card);
  }
  .vote-one {
    fill: var(--plus);
  }
  .vote-zero {
    fill: var(--minus);
  }
  .left-name {
    font:
      600 13px Inter,
      system-ui,
      sans-serif;
    fill: var(--ink);
    paint-order: stroke;
    stroke: var(--card);
    stroke-width: 3px;
  }
  .boolean-panels .foot {
    min-height: 1.45em;
  }
  @container (min-width: 60rem) {
    .panels.boolean-panels:is([data-count="3"], [data-count="5"], [data-count="6"]) {
      grid-template-columns: repeat(3, minmax(0, 1fr));
    }
  }
  /* As high as the screen allows, in one row or two. */
  @container (min-width: 60rem) {
    .lab:not(.presenting) .boolean-panels .bars {
      aspect-ratio: auto;
      height: clamp(8.5rem, 50vh - 18.5rem, 16rem);
    }
    .lab:not(.presenting) .boolean-panels:is([data-count="1"], [data-count="2"], [data-count="3"]) .bars {
      height: clamp(11rem, 100vh - 36rem, 22rem);
    }
  }
  @container (max-width: 40rem) {
    .panels.boolean-panels[data-count] {
      grid-template-columns: minmax(0, 1fr);
    }
    .cell {
      flex-basis: 1.7em;
    }
    .bit-row {
      flex-wrap: wrap;
    }
    .bit-row .cells {
      order: 3;
      flex-basis: 100%;
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    .bar {
      transition:
        y 0.22s ease-out,
        height 0.22s ease-out,
        fill 0.15s;
    }
    .promoted {
      animation: lift 0.3s ease-out;
    }
    .demoted {
      animation: sink 0.3s ease-out;
    }
    @keyframes lift {
      from {
        opacity: 0;
        transform: translateY(12px);
      }
    }
    @keyframes sink {
      from {
        opacity: 0;
        transform: translateY(-10px);
      }
    }
  }
`;
