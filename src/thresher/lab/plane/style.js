// What only the plane draws; points, sides and boundaries, which others draw too, are in page/style.js.
import { css } from "../page/dom.js";

export const PLANE_STYLE = css`
  .waiting :is(.level, .level-label, .level-value) {
    opacity: 0.35;
  }
  .layers {
    position: relative;
    border: 1px solid var(--line);
    border-radius: 0.7em;
    overflow: hidden;
    background: var(--soft);
  }
  .layers > .under {
    position: absolute;
    inset: 0;
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
  .cursor {
    stroke: var(--ink);
    stroke-width: 2;
    pointer-events: none;
  }
  .vote {
    display: flex;
    gap: 0.6em;
    align-items: center;
    flex-wrap: wrap;
  }
  .presenting .w {
    stroke-width: 4;
  }
  .presenting .band {
    stroke-width: 2;
  }
  .presenting .mean {
    stroke-width: 3.5;
  }
  .presenting .count {
    font-size: 15px;
  }
  @container (min-width: 40rem) {
    .presenting .plane-view .panels[data-count="1"] {
      grid-template-columns: minmax(0, max(22rem, 100vh - 37rem));
    }
    .presenting .plane-view .panels[data-count="2"] {
      grid-template-columns: repeat(2, minmax(0, max(20rem, 100vh - 37rem)));
    }
  }
`;
