// Facts, tables, charts.
import { css } from "../dom.js";

export const FIGURES = css`
  .facts {
    display: flex;
    flex-wrap: wrap;
    gap: 0.6em;
    margin: 0 0 0.6em;
  }
  .facts div {
    flex: 1 0 0;
    min-width: max-content;
    border: 1px solid var(--line);
    border-radius: 0.6em;
    padding: 0.5em 0.8em;
  }
  .facts dt {
    color: var(--quiet);
    font-size: 0.9em;
  }
  .facts dd {
    margin: 0;
    font-size: 1.35em;
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
  .verdict {
    color: var(--quiet);
    margin-bottom: 0.6em;
    min-height: 2.9em;
    text-wrap: pretty;
  }
  .chart {
    overflow: visible;
  }
  .chart .grid {
    stroke: var(--line);
  }
  .tick-label {
    font:
      12px Inter,
      system-ui,
      sans-serif;
    fill: var(--quiet);
  }
  .chart .line {
    fill: none;
    stroke: currentColor;
    stroke-width: 2.4;
  }
  .chart .dot {
    fill: currentColor;
  }
  .chart .level {
    stroke: currentColor;
    stroke-width: 1.8;
    stroke-dasharray: 7 5;
  }
  .level-room {
    fill: var(--paper);
  }
  .axis-name {
    font:
      12px Inter,
      system-ui,
      sans-serif;
    fill: var(--quiet);
  }
  .line-name {
    font:
      600 12px Inter,
      system-ui,
      sans-serif;
    fill: currentColor;
    paint-order: stroke;
    stroke: var(--paper);
    stroke-width: 3px;
  }
  .reading {
    pointer-events: none;
  }
  .reading-line {
    stroke: var(--control);
  }
  .reading-box {
    fill: var(--card);
    stroke: var(--line);
  }
  .level-label {
    font:
      600 12px Inter,
      system-ui,
      sans-serif;
    fill: currentColor;
    paint-order: stroke;
    stroke: var(--paper);
    stroke-width: 4px;
  }
  .figures {
    width: 100%;
    border-collapse: collapse;
    font-variant-numeric: tabular-nums;
    font-size: 0.95em;
    margin-top: 0.6em;
  }
  .figures th {
    text-align: left;
    font-weight: 600;
  }
  .figures thead th {
    color: var(--quiet);
    font-weight: 400;
    font-size: 0.92em;
  }
  .figures th,
  .figures td {
    padding: 0.35em 0.5em 0.35em 0;
    border-bottom: 1px solid var(--line);
    vertical-align: baseline;
  }
  .figures td {
    text-align: right;
    white-space: nowrap;
  }
  .figures td,
  .figures thead th:not(:first-child) {
    padding-left: 0.5em;
  }
  .figures tbody th {
    white-space: nowrap;
    overflow: hidden;
    text-overflow: ellipsis;
    max-width: 11em;
  }
  .figures thead th:not(:first-child) {
    text-align: right;
  }
  .side-column .figures:not(.questions) tbody th {
    width: 100%;
    max-width: 0;
    min-width: 8.5em;
  }
  .scroller {
    overflow-x: auto;
    margin-bottom: 1.6em;
  }
  .scroller:has(> [hidden]) {
    display: none;
  }
`;
