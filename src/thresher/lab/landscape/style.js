// Bands and contours of J, the ways down, the rate that is too large.
import { css } from "../page/dom.js";

export const LANDSCAPE_STYLE = css`
  .contours {
    border-radius: 0.7em;
  }
  .band-below {
    fill: var(--plus);
    opacity: 0.06;
  }
  .contour {
    fill: none;
    stroke: var(--plus);
    stroke-width: 0.9;
    opacity: 0.55;
  }
  .eigen {
    stroke: var(--ink);
    stroke-width: 1.3;
    stroke-dasharray: 6 4;
    opacity: 0.7;
  }
  .lowest {
    stroke: var(--ink);
    stroke-width: 2.4;
  }
  .way {
    fill: none;
    stroke: currentColor;
    stroke-width: 2;
    stroke-linejoin: round;
    opacity: 0.85;
  }
  .way.chosen {
    stroke-width: 3.2;
    opacity: 1;
  }
  .way-step {
    fill: currentColor;
  }
  .way-end {
    fill: currentColor;
    stroke: var(--paper);
    stroke-width: 2;
  }
  .way-line {
    stroke: currentColor;
    stroke-width: 2.4;
  }
  .tube,
  .strip-side {
    stroke: var(--p3);
    stroke-width: 1.3;
    stroke-dasharray: 5 4;
  }
  .strip {
    fill: var(--p3);
    fill-opacity: 0.18;
  }
  .residual {
    stroke: var(--quiet);
    stroke-width: 1;
    stroke-dasharray: 2 3;
    fill: none;
  }
  .point.target circle {
    fill: var(--ink);
  }
  .eta {
    display: inline-flex;
    align-items: center;
    gap: 0.5em;
    flex-wrap: wrap;
  }
  .eta input[type="range"] {
    width: calc(min(15em, 40vw) / var(--drawn, 1));
    accent-color: var(--plus);
  }
  .eta output {
    font-weight: 600;
    font-variant-numeric: tabular-nums;
    min-width: 9.5em;
  }
  .eta.too-large input[type="range"] {
    accent-color: light-dark(#b3261e, #ff8a80);
  }
  .eta.too-large output {
    color: light-dark(#b3261e, #ff8a80);
  }
  .ways-choice {
    margin: 0.3em 0 0.6em;
  }
  .ways-choice .swatch {
    margin-right: 0.4em;
  }
  .presenting .landscape-view > .toolbar {
    display: flex;
    font-size: 0.7em;
    margin: 0 0 0.4em;
  }
  .presenting .landscape-view > .toolbar > :not(.eta) {
    display: none;
  }
  .presenting .landscape-view.landscape-view {
    display: flex;
    flex-direction: column;
  }
  .presenting .landscape-view.landscape-view > .columns {
    flex: 1;
    height: auto;
  }
  .presenting .ways-choice {
    display: none;
  }
`;
