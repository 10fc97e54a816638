// Presented to a class: a layout of its own, that fills the screen and needs no scrolling. Every size goes with
// the height of the screen, so that a class sees the same at 720p, 1080p and 4K.
import { css } from "../dom.js";

export const PRESENT = css`
  .presenting {
    --size: clamp(13px, 2.6vh, 3vw);
    --gap: 0.8em;
    height: 100vh;
    overflow: hidden;
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    grid-template-rows: auto minmax(0, 1fr);
  }
  .presenting > .bar {
    position: absolute;
    z-index: 30;
    inset: 0 0 auto auto;
    padding: 0.3em 0.5em;
    border: 0;
  }
  .presenting > .bar > :not(.present),
  .presenting :is(.toolbar, .speed, .add, .legend, .scroller, .note, .headline, .reset, .reveal-later),
  .presenting .panel > header :is(button, .menu),
  .presenting .list-title ~ * {
    display: none;
  }
  .presenting .present {
    opacity: 0.65;
    font-size: 0.7em;
  }
  .presenting > .away {
    grid-area: 1 / 1 / 2 / 3;
  }
  .presenting > .stage {
    grid-area: 2 / 2;
    width: 100%;
    max-width: none;
    min-height: 0;
    padding: var(--gap) calc(1.5 * var(--gap));
    overflow: auto;
  }
  .presenting > .lesson {
    grid-area: 2 / 1;
    width: 30vw;
    overflow: auto;
    display: flex;
    flex-direction: column;
    border-bottom: 0;
    border-right: 1px solid var(--line);
    font-size: 0.92em;
  }
  .presenting > .lesson.long {
    font-size: 0.8em;
  }
  .presenting .lesson > header {
    display: contents;
  }
  .presenting .lesson .spring,
  .presenting .lesson .leave {
    display: none;
  }
  .presenting .lesson-turn {
    order: 9;
    position: sticky;
    bottom: -1em;
    background: var(--soft);
    margin: auto 0 -1em;
    padding: 0.4em 0 1em;
  }
  .presenting .choice {
    text-align: left;
  }
  .presenting .question .row {
    display: grid;
  }
  .presenting .question.answered .choice:not(.right, .chosen) {
    display: none;
  }
  .presenting :is(.plane-view, .boolean-view, .adversary-view),
  .presenting :is(.plane-view, .boolean-view, .adversary-view) .columns {
    height: 100%;
    min-height: 0;
  }
  .presenting .boolean-view > div:not([hidden], .toolbar) {
    height: 100%;
  }
  .presenting .columns {
    grid-template-columns: minmax(0, 1fr) 24vw;
    gap: calc(1.5 * var(--gap));
    align-items: stretch;
  }
  .presenting .plane-view[data-panels="1"] .columns {
    grid-template-columns: minmax(0, 1fr) 36vw;
  }
  .presenting .lesson:not([hidden]) ~ .stage .columns {
    grid-template-columns: minmax(0, 1fr) 18vw;
  }
  /* Beside a lesson two pictures need all the room. */
  .presenting
    .lesson:not([hidden])
    ~ .stage
    .view:is([data-panels="2"]:not(.boolean-view), .growth-view)
    .columns {
    grid-template-columns: minmax(0, 1fr);
  }
  .presenting
    .lesson:not([hidden])
    ~ .stage
    .view:is([data-panels="2"]:not(.boolean-view), .growth-view)
    .side-column {
    display: none;
  }
  .presenting .plane-view[data-tab="proof"] .columns {
    grid-template-columns: minmax(0, 1fr) 38vw;
  }
  .presenting .lesson:not([hidden]) ~ .stage .plane-view[data-tab="proof"] .columns {
    grid-template-columns: minmax(0, 1fr) 31vw;
  }
  .presenting .plane-view[data-tab="space"] .columns {
    grid-template-columns: minmax(0, 1fr) 36vw;
  }
  .presenting .lesson:not([hidden]) ~ .stage .plane-view[data-tab="space"] .columns {
    grid-template-columns: minmax(0, 1fr) 26vw;
  }
  .presenting .space {
    max-width: min(100%, 70vh);
  }
  .presenting .novikoff :is(.line-name, .tick-label, .axis-name) {
    font-size: 21px;
  }
  .presenting .plane-view .novikoff {
    max-width: none;
  }
  .presenting .novikoff button {
    font-size: 0.7em;
  }
  .presenting .view.adversary-view[data-panels="1"] .columns.columns {
    grid-template-columns: minmax(0, 1fr) 40vw;
  }
  .presenting .line-board.line-board {
    width: 100%;
    max-width: calc(100vh - 14em);
    margin-inline: auto;
  }
  .presenting .columns.runs {
    grid-template-columns: minmax(0, 1fr);
  }
  .presenting .main {
    display: flex;
    flex-direction: column;
    gap: 0.4em;
    min-height: 0;
  }
  .presenting .main > .telling {
    order: -1;
    flex: none;
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    align-items: start;
    padding: 0.5em 0.8em;
    min-height: 0;
  }
  /* The button that ends it is above the corner. */
  .presenting .columns:has([data-count="2"]:not(.boolean-panels), .guesses, [data-count="4"]) .telling {
    padding-right: 3.6em;
  }
  .presenting .telling > .row {
    grid-area: 1 / 2;
    font-size: 0.65em;
  }
  .presenting .telling .row > span {
    display: none;
  }
  .presenting .lesson:not([hidden]) ~ .stage .telling > .row {
    display: none;
  }
  .presenting .telling > :not(.row) {
    grid-column: 1;
  }
  .presenting .words {
    min-height: 2.9em;
    font-size: 1.05em;
    line-height: 1.35;
  }
  .presenting .telling :is(.maths, .python) {
    max-height: 26vh;
    overflow: auto;
    font-size: 0.75em;
  }
  .presenting .columns > .side-column.side-column {
    overflow: hidden;
    padding-top: 1.4em;
    --ratio: 1.25;
  }
  .presenting .plane-view .panels {
    flex: 1;
    min-height: 0;
    container-type: size;
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    align-content: center;
    gap: var(--gap);
    --cols: 4;
    --rows: 2;
  }
  .presenting .plane-view .panels:is([data-count="1"], [data-count="2"], [data-count="3"], [data-count="4"]) {
    --rows: 1;
  }
  .presenting .panels[data-count="1"] {
    --cols: 1;
  }
  .presenting .panels[data-count="2"] {
    --cols: 2;
  }
  .presenting .panels[data-count="3"] {
    --cols: 3;
  }
  .presenting .plane-view .panel {
    flex: none;
    width: min(
      (100cqw - (var(--cols) - 1) * var(--gap)) / var(--cols),
      (100cqh - (var(--rows) - 1) * var(--gap)) / var(--rows) - 4.2em
    );
  }
  .presenting
    .plane-view:is([data-panels="4"], [data-panels="5"], [data-panels="6"], [data-panels="7"])
    .columns {
    grid-template-columns: minmax(0, 1fr);
  }
  .presenting .plane-view:not([data-panels="1"], [data-panels="2"], [data-panels="3"]) .side-column {
    display: none;
  }
  .presenting .panel > header {
    min-height: 1.9em;
    margin: 0;
  }
  .presenting .panel > header > select {
    appearance: none;
    border: 0;
    min-height: 0;
    padding: 0.1em 0.2em;
    background: none;
    opacity: 1;
  }
  .presenting .panel .foot {
    margin: 0.1em 0 0;
    white-space: nowrap;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .presenting .timeline {
    position: static;
    flex: none;
    margin: 0;
    padding: 0.2em 0;
    flex-wrap: nowrap;
    font-size: 0.8em;
  }
  .presenting .timeline.timeline .track {
    order: 0;
    flex-basis: 7em;
  }
  .presenting .timeline button {
    white-space: nowrap;
  }
  .presenting .boundary {
    stroke-width: 3.4;
  }
  .presenting .w {
    stroke-width: 3.6;
  }
  .presenting .band {
    stroke-width: 1.7;
  }
  .presenting .mean {
    stroke-width: 2.8;
  }
  .presenting .chart .line {
    stroke-width: 3.4;
  }
  .presenting .facts {
    gap: 0.3em;
  }
  .presenting .facts div {
    padding: 0.2em 0.5em;
  }
  .presenting .facts dd {
    font-size: 1.1em;
  }
  .presenting .verdict {
    font-size: 0.7em;
    min-height: 0;
  }
  .presenting button,
  .presenting select {
    padding: 0.2em 0.6em;
    min-height: 1.9em;
  }
  .presenting .panels.boolean-panels[data-count] {
    flex: 1;
    min-height: 0;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 13em), 1fr));
    gap: 0.4em 1em;
    font-size: 0.8em;
    grid-auto-rows: minmax(0, 1fr);
    align-content: stretch;
    align-items: stretch;
  }
  /* What is left by words and rows of bits is for the bars. */
  .presenting .boolean-panels > .panel {
    display: flex;
    flex-direction: column;
    min-height: 0;
  }
  .presenting .boolean-panels > .panel > :not(.bars) {
    flex: none;
  }
  .presenting .boolean-panels .bars {
    flex: 1 1 0;
    min-height: 0;
    aspect-ratio: auto;
  }
  .presenting .panels.boolean-panels:is([data-count="3"], [data-count="5"], [data-count="6"]) {
    grid-template-columns: repeat(3, minmax(0, 1fr));
  }
  .presenting .boolean-view .boolean-panels :is(.foot, .bound) {
    min-height: 1.45em;
  }
  .presenting .adversary-view {
    display: flex;
    flex-direction: column;
  }
  .presenting .adversary-view > :is(.toolbar, .variables) {
    font-size: 0.7em;
    margin: 0 0 0.4em;
  }
  .presenting .adversary-view > .rules {
    display: none;
  }
  .presenting .adversary-view > .columns {
    flex: 1;
    min-height: 0;
    height: auto;
  }
  .presenting .panels.boolean-panels[data-count="4"],
  .presenting .panels.boolean-panels[data-count="2"] {
    grid-template-columns: repeat(2, minmax(0, 1fr));
  }
  .presenting .lesson:not([hidden]) ~ .stage .panels.boolean-panels[data-count="2"] {
    grid-template-columns: minmax(0, 1fr);
  }
  .presenting :is(.boolean-view, .adversary-view) .columns.columns.columns {
    grid-template-columns: minmax(0, 1fr) 23vw;
  }
  .presenting .lesson:not([hidden]) ~ .stage :is(.boolean-view, .adversary-view) .columns.columns {
    grid-template-columns: minmax(0, 1fr) 19vw;
  }
  .presenting .adversary-view .columns > .side-column.side-column {
    --ratio: 0.8;
  }
  .presenting .boolean-view .bound {
    white-space: nowrap;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  /* The games of questions have no picture: their bits are large, and what was asked is seen. */
  .presenting .protocols .press-bit {
    font-size: 1.2em;
  }
  .presenting .protocols .side-column.side-column {
    overflow: auto;
  }
  .presenting .protocols .scroller {
    display: block;
    font-size: min(0.7em, 1vw);
  }
  .presenting .bit-row {
    font-size: 0.7em;
    flex: none;
  }
  .presenting .panel > header .title,
  .presenting .adversary-view .toolbar,
  .presenting .protocols .toolbar {
    display: flex;
  }
  .blank::after {
    content: "";
    position: fixed;
    inset: 0;
    z-index: 100;
    background: #000;
  }
  @media (max-aspect-ratio: 1) {
    .presenting {
      grid-template-columns: minmax(0, 1fr);
      overflow: auto;
    }
    .presenting > .lesson,
    .presenting > .stage {
      grid-area: auto;
      width: auto;
    }
    .presenting .columns {
      grid-template-columns: minmax(0, 1fr) !important;
    }
    .presenting .panels.boolean-panels[data-count] {
      grid-template-columns: repeat(auto-fit, minmax(min(100%, 18em), 1fr)) !important;
      grid-auto-rows: auto;
    }
    .presenting .boolean-panels .bars {
      flex: none;
      aspect-ratio: 360 / 176;
    }
    .presenting .plane-view .panels {
      container-type: inline-size;
    }
    .presenting .plane-view .panel {
      width: 100%;
    }
    .presenting :is(.plane-view, .boolean-view, .adversary-view) .columns {
      height: auto;
    }
    .presenting .timeline {
      flex-wrap: wrap;
    }
    .presenting .protocols .scroller {
      font-size: 0.75em;
    }
  }
`;
