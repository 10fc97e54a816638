// Colours of classes, regions, prototypes and what moves them.
import { css } from "../page/dom.js";

export const CLASSES_STYLE = css`
  .classes-view {
    --c0: var(--plus);
    --c1: var(--minus);
    --c2: var(--p1);
    --c3: var(--p2);
    --c4: var(--p0);
    --c5: var(--p3);
    --c6: var(--p5);
    --c7: var(--p4);
  }
  .c0 {
    color: var(--c0);
  }
  .c1 {
    color: var(--c1);
  }
  .c2 {
    color: var(--c2);
  }
  .c3 {
    color: var(--c3);
  }
  .c4 {
    color: var(--c4);
  }
  .c5 {
    color: var(--c5);
  }
  .c6 {
    color: var(--c6);
  }
  .c7 {
    color: var(--c7);
  }
  .region {
    fill: color-mix(in srgb, currentColor 16%, var(--soft));
  }
  .region-name {
    font:
      700 44px Inter,
      system-ui,
      sans-serif;
    fill: currentColor;
    opacity: 0.16;
  }
  .pairwise {
    stroke: var(--ink);
    stroke-width: 1;
    stroke-dasharray: 2 6;
    opacity: 0.5;
  }
  .glyph {
    fill: currentColor;
    stroke: var(--paper);
    stroke-width: 1.4;
  }
  .class-point .glyph-number {
    font:
      700 11px Inter,
      system-ui,
      sans-serif;
    fill: var(--paper);
    stroke: none;
    pointer-events: none;
  }
  .class-point.point path {
    stroke: var(--paper);
    stroke-width: 1.4;
    fill: currentColor;
  }
  .class-icon {
    width: 1.35em;
    height: 1.35em;
    display: inline-block;
    vertical-align: -0.3em;
  }
  .prototype,
  .pull {
    stroke: currentColor;
    stroke-width: 3;
    fill: none;
  }
  .prototype.head,
  .pull.head {
    fill: currentColor;
    stroke: none;
  }
  .pull {
    stroke-width: 2.2;
    stroke-dasharray: 4 3;
  }
  .prototype-name,
  .tau {
    font:
      italic 600 15px Georgia,
      serif;
    fill: currentColor;
    paint-order: stroke;
    stroke: var(--paper);
    stroke-width: 3.5px;
    stroke-linejoin: round;
  }
  .tau {
    font:
      600 12px Inter,
      system-ui,
      sans-serif;
  }
  .class-choice {
    padding-inline: 0.55em;
  }
  @media (forced-colors: active) {
    .class-icon {
      forced-color-adjust: none;
    }
  }
`;
