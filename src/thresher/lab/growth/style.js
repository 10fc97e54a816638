// Bands of the seeds, bounds, guesses.
import { css } from "../page/dom.js";

export const GROWTH_STYLE = css`
  .growth-view .chart {
    --ratio: 0.62;
    max-height: max(16rem, 100vh - 26rem);
    cursor: crosshair;
    touch-action: pan-x pan-y;
  }
  .chart .area {
    fill: currentColor;
    opacity: 0.16;
  }
  .chart .line.growth-bound {
    stroke-width: 1.4;
    stroke-dasharray: 2 5;
    stroke-linecap: round;
  }
  .chart .dot.growth-bound {
    display: none;
  }
  .chart .line.growth-guess {
    stroke-width: 2;
    stroke-dasharray: 8 6;
  }
  .chart .dot.growth-guess {
    fill: var(--paper);
    stroke: currentColor;
    stroke-width: 2.4;
  }
  .growth-p output {
    font-weight: 600;
    min-width: 3.4em;
    font-variant-numeric: tabular-nums;
  }
  .guesses {
    margin: 0.2em 0 0.8em;
  }
  .guesses .swatch {
    margin-right: 0.2em;
  }
  .presenting .growth-view {
    height: 100%;
  }
  .presenting .growth-view .columns {
    height: 100%;
    grid-template-columns: minmax(0, 1fr) 27vw;
  }
  .presenting .growth-view .chart {
    --ratio: 0.6;
    max-height: 66vh;
  }
  .presenting .growth-view .guesses {
    font-size: 0.7em;
  }
  .presenting .growth-view .scroller {
    display: block;
    font-size: min(0.75em, 1.05vw);
  }
  .presenting .growth-view .verdict {
    font-size: 0.8em;
  }
  @media (max-aspect-ratio: 1) {
    .presenting .growth-view .columns {
      height: auto;
    }
    .presenting .growth-view .scroller {
      font-size: 0.75em;
    }
  }
`;
