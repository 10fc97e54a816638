// The list of runs, their lines and weights, and the text shown if there are none.
import { css } from "../page/dom.js";

export const RUNS_STYLE = css`
  .runs-view h3 {
    font-size: 1em;
    font-weight: 600;
    margin: 1.1em 0 0.4em;
  }
  .run-title {
    font-size: 1.35em;
    color: var(--ink);
  }
  .run-title .hint {
    font-size: 0.74em;
    font-weight: 400;
  }
  .run-head {
    min-height: 3.1em;
  }
  .run-progress {
    width: 100%;
    height: 0.45em;
    accent-color: var(--plus);
    display: block;
    margin-bottom: 0.6em;
  }
  .columns.runs {
    grid-template-rows: auto 1fr;
    row-gap: 0;
  }
  .runs > .side-column {
    grid-row: span 2;
  }
  .run-facts div {
    padding-inline: 0.6em;
  }
  .run-facts dd {
    font-size: 1.2em;
  }
  .run-message {
    background: var(--soft);
    border-left: 4px solid var(--control);
    padding: 0.5em 0.9em;
    margin-bottom: 0.8em;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .run-message.failed {
    border-color: var(--minus);
  }
  .dot-running {
    color: var(--plus);
  }
  .dot-done,
  .dot-stopped,
  .dot-silent {
    color: var(--quiet);
  }
  .dot-failed {
    color: var(--minus);
  }
  .run-list {
    list-style: none;
    margin: 0 0 0.6em;
    padding: 0;
    max-height: 26em;
    overflow-y: auto;
  }
  .run-list li {
    display: flex;
    align-items: stretch;
    border-bottom: 1px solid var(--line);
  }
  .run-choice {
    display: inline-flex;
    align-items: center;
    gap: 0.4em;
    padding: 0 0.5em;
    cursor: pointer;
  }
  .run-choice input {
    width: 1.15em;
    height: 1.15em;
    accent-color: var(--ink);
  }
  .swatch.none {
    visibility: hidden;
  }
  .run-name {
    flex: 1;
    min-width: 0;
    text-align: left;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    border-color: transparent;
    border-radius: 0;
    padding: 0.45em 0.6em;
  }
  .run-name[aria-current="true"] {
    background: var(--soft);
    box-shadow: inset 3px 0 var(--plus);
  }
  .run-line {
    display: flex;
    gap: 0.5em;
    align-items: baseline;
  }
  .run-line strong {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .run-figures {
    margin-left: auto;
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
  }
  .run-about {
    font-size: 0.9em;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .run-said {
    min-height: 2.9em;
  }
  .figures caption {
    text-align: left;
    font-weight: 600;
    color: var(--quiet);
    padding-bottom: 0.3em;
  }
  .compared th {
    white-space: nowrap;
  }
  .compared td,
  .compared thead th {
    padding-left: 0.8em;
  }
  .left-race {
    color: var(--quiet);
  }
  .chart .average-line {
    stroke-width: 2.6;
  }
  .chart .recent-line {
    stroke-width: 1.4;
    stroke-dasharray: 2 3;
  }
  .chart .drift-line {
    stroke-width: 1.4;
    opacity: 0.6;
  }
  circle.drift-line,
  circle.recent-line,
  circle.held-line {
    display: none;
  }
  .chart .held-line {
    stroke-width: 2;
    stroke-dasharray: 1 6;
    stroke-linecap: round;
  }
  .quiet-line {
    color: var(--control);
  }
  .line-key {
    white-space: pre-wrap;
  }
  .runs .toolbar {
    margin: 0.9em 0 0.2em;
  }
  .runs .toolbar h2 {
    margin: 0;
  }
  .speed-title {
    margin-top: 1.2em;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .compared .settings {
    text-align: left;
    color: var(--quiet);
    max-width: 19em;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .compared thead th:nth-child(2) {
    text-align: left;
  }
  @container (max-width: 40rem) {
    .compared :is(.settings, thead th:nth-child(2)) {
      display: none;
    }
  }
  .field-part {
    margin-top: 1.2em;
  }
  .bar-plus {
    fill: light-dark(#1f6feb, #2f6fd8);
  }
  .bar-minus {
    fill: light-dark(#c2410c, #c4531f);
  }
  .feature-lists {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 19em), 1fr));
    gap: 0 2em;
    min-height: 8em;
  }
  .runs-view .row h2 {
    margin: 0;
  }
  .features h3 {
    margin-top: 0.4em;
  }
  .plus-text {
    color: var(--plus);
  }
  .minus-text {
    color: var(--minus);
  }
  .features ol {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .features li {
    display: grid;
    grid-template-columns: minmax(5em, 11em) minmax(3em, 1fr) minmax(5.2em, max-content);
    gap: 0.7em;
    align-items: center;
    padding: 0.1em 0;
  }
  .feature-name {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .feature-bar {
    height: 0.8em;
  }
  .feature-weight {
    text-align: right;
    font-variant-numeric: tabular-nums;
    color: var(--quiet);
  }
  .welcome {
    max-width: 54rem;
  }
  .welcome pre {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .welcome > .hint {
    margin-top: 1.2em;
  }
  .welcome h2 {
    font-size: 1.35em;
    color: var(--ink);
  }
  .command {
    display: flex;
    gap: 0.6em;
    align-items: start;
  }
  .command pre {
    flex: 1;
    min-width: 0;
    margin: 0;
    background: var(--soft);
    border-radius: 0.6em;
    padding: 0.7em 1em;
    overflow-x: auto;
    font:
      0.95em/1.5 ui-monospace,
      "SF Mono",
      Menlo,
      Consolas,
      monospace;
  }
  @container (max-width: 60rem) {
    .runs > .side-column {
      grid-row: auto;
      margin-bottom: 1.6em;
    }
  }
  .presenting .runs .main .tick-label {
    font-size: 14px;
  }
  .presenting .chart .recent-line {
    stroke-width: 2;
  }
  .presenting .runs .toolbar,
  .presenting .list-title,
  .presenting .run-list,
  .presenting .run-said {
    display: none;
  }
  .presenting .runs .scroller {
    display: block;
  }
  .presenting .features li:nth-child(n + 11) {
    display: none;
  }
`;
