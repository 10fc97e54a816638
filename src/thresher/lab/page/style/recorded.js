// A page without a server: the lesson first, what cannot be changed greyed.
import { css } from "../dom.js";

export const RECORDED = css`
  .editing {
    display: contents;
  }
  .editing:disabled :where(button:not(.primary, .variable), select, input, summary, .field) {
    color: color-mix(in srgb, var(--quiet) 72%, transparent);
    cursor: not-allowed;
  }
  .editing:disabled .segments button[aria-pressed="true"] {
    background: var(--soft);
    color: var(--quiet);
  }
  .fixed .bar {
    border-bottom: 0;
    border-top: 1px solid var(--line);
  }
  .fixed .brand {
    font-size: 1em;
  }
  .recorded {
    color: var(--quiet);
    flex: 1 1 20em;
  }
  .fixed .bar .spring {
    display: none;
  }
  .fixed .panel header .editing :is(.menu, button) {
    display: none;
  }
  .fixed .panel header .editing select {
    appearance: none;
    color: var(--ink);
    opacity: 1;
    border-color: transparent;
    padding-left: 0;
    font-weight: 600;
  }
  @container (max-width: 60rem) {
    .fixed .toolbar > .editing {
      display: none;
    }
    .fixed .stage {
      padding-top: 0.8em;
    }
    .fixed.presenting .timeline.timeline.timeline {
      flex-wrap: wrap;
    }
    .fixed.presenting .timeline.timeline.timeline .track {
      order: 9;
      flex-basis: 100%;
    }
  }
`;
