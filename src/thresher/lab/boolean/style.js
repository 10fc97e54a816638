// Target, bounds, and the two games; bars are in page/style.js.
import { css } from "../page/dom.js";

export const BOOLEAN_STYLE = css`
  .target {
    width: 20em;
    max-width: 70vw;
  }
  .target[aria-invalid="true"] {
    border-color: var(--minus);
    outline: 1px solid var(--minus);
  }
  .target-note {
    min-height: 1.5em;
  }
  .target-note.failed {
    color: var(--minus);
    font-weight: 600;
  }
  @container (min-width: 60rem) {
    .lab:not(.presenting) .boolean-view:has([data-count="6"]) .side-column {
      --ratio: 0.85;
    }
  }
  .panel.off svg {
    visibility: hidden;
  }
  .panel .bound {
    min-height: 1.45em;
    font-variant-numeric: tabular-nums;
  }
  .lab:not(.presenting) .boolean-panels:is([data-count="3"], [data-count="5"], [data-count="6"]) .foot {
    min-height: 2.9em;
  }
  .story {
    max-width: 60em;
    margin-bottom: 1em;
    font-size: 1.08em;
  }
  .press-row {
    display: flex;
    align-items: baseline;
    gap: 0.8em;
    margin-bottom: 0.8em;
  }
  .press-name {
    color: var(--quiet);
    min-width: 4em;
  }
  .press,
  .known {
    display: flex;
    flex-wrap: wrap;
    gap: 0.3em;
  }
  .press-bit {
    min-width: 3em;
    padding: 0.3em 0.4em;
    display: grid;
    justify-items: center;
    line-height: 1.25;
  }
  .press-bit b {
    font-size: 1.25em;
  }
  .press-bit small,
  .known-bit small {
    color: var(--quiet);
  }
  .press-bit[aria-pressed="true"] {
    background: var(--ink);
    color: var(--paper);
    border-color: var(--ink);
  }
  .press-bit[aria-pressed="true"] small {
    color: inherit;
  }
  .known {
    margin-bottom: 1em;
  }
  .known-bit {
    display: grid;
    justify-items: center;
    min-width: 2.6em;
    border: 1px solid var(--line);
    border-radius: 0.5em;
    padding: 0.2em 0.3em;
    line-height: 1.25;
  }
  .known-bit.needed {
    background: var(--plus-side);
    border-color: var(--plus);
  }
  .known-bit.out {
    border-style: dashed;
  }
  .known-bit.out b {
    color: var(--minus);
  }
  .known-bit.needed b {
    color: var(--plus);
  }
  .questions td,
  .questions thead th:not(:first-child) {
    text-align: left;
  }
  .questions .code {
    font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace;
    overflow-wrap: anywhere;
  }
  .questions .label-chip {
    font-size: 0.9em;
  }
`;
