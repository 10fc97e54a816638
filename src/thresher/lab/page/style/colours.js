// Names of colours, light and dark; the typeface; what every part has.
import { css } from "../dom.js";

export const COLOURS = css`
  :host {
    display: block;
  }
  .lab {
    color-scheme: light dark;
    --paper: light-dark(#ffffff, #12161f);
    --card: light-dark(#ffffff, #191f2b);
    --soft: light-dark(#f4f5f9, #1f2634);
    --line: light-dark(#dfe2ea, #333c4d);
    --control: light-dark(#868fa3, #71798a);
    --ink: light-dark(#1c2333, #eef0f5);
    --quiet: light-dark(#535c70, #a9b1c2);
    --plus: light-dark(#1f6feb, #5b9bff);
    --minus: light-dark(#c2410c, #ff8a4c);
    --plus-side: light-dark(#e5efff, #1a2b49);
    --minus-side: light-dark(#fdeee6, #3a2419);
    --w: light-dark(#6d28d9, #b794f6);
    --ring: light-dark(#e3a900, #ffcf33);
    --p0: light-dark(#6d28d9, #b794f6);
    --p1: light-dark(#0f766e, #3fd0c0);
    --p2: light-dark(#9d174d, #f28cb8);
    --p3: light-dark(#4d6b0f, #b3d84f);
    --p4: light-dark(#334155, #b6c2d6);
    --p5: light-dark(#8a5a00, #e7b75b);
    --p6: light-dark(#0369a1, #6cc5f5);
    --p7: light-dark(#7c2d12, #e9a58c);
    --size: max(15px, 0.9375rem);
    font:
      400 var(--size)/1.45 Inter,
      system-ui,
      -apple-system,
      "Segoe UI",
      Roboto,
      "Helvetica Neue",
      Arial,
      sans-serif;
    color: var(--ink);
    background: var(--paper);
    min-height: 100%;
    container-type: inline-size;
    position: relative;
  }
  .lab[data-theme="light"] {
    color-scheme: light;
  }
  .lab[data-theme="dark"] {
    color-scheme: dark;
  }
  * {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  h2 {
    font-size: 1em;
    font-weight: 600;
    margin: 0 0 0.5em;
    color: var(--quiet);
  }
  p {
    margin: 0;
  }
  /* The colours of a drawing say what is what; they keep their own background. */
  @media (forced-colors: active) {
    .swatch,
    .layers,
    .bars,
    .chart,
    .legend svg,
    .ticks {
      forced-color-adjust: none;
      background-color: var(--paper);
    }
    .swatch {
      background-color: currentColor;
    }
    button[aria-pressed="true"],
    [aria-current="page"] {
      outline: 2px solid Highlight;
    }
  }
  :focus-visible {
    outline: 3px solid var(--ring);
    outline-offset: 2px;
  }
  .spring {
    flex: 1;
  }
  .hint,
  .note {
    color: var(--quiet);
  }
  .note:not(:empty) {
    margin: -0.3em 0 0.8em;
  }
  .row {
    display: flex;
    gap: 0.6em;
    align-items: center;
    flex-wrap: wrap;
  }
  .swatch {
    display: inline-block;
    width: 0.8em;
    height: 0.8em;
    border-radius: 3px;
    background: currentColor;
    flex: none;
  }
  .swatch.p0,
  .p0 {
    color: var(--p0);
  }
  .swatch.p1,
  .p1 {
    color: var(--p1);
  }
  .p2 {
    color: var(--p2);
  }
  .p3 {
    color: var(--p3);
  }
  .p4 {
    color: var(--p4);
  }
  .p5 {
    color: var(--p5);
  }
  .p6 {
    color: var(--p6);
  }
  .p7 {
    color: var(--p7);
  }
  svg {
    display: block;
    width: 100%;
    height: auto;
  }
`;
