// One typeface, one blue and one orange, room to breathe; light and dark from the same names.
import { css } from "./dom.js";

export const STYLE = css`
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
    --size: 15px;
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
  button,
  select,
  input,
  summary {
    font: inherit;
    color: inherit;
  }
  button,
  select,
  input[type="number"],
  input[type="text"],
  .menu > summary {
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 0.5em;
    padding: 0.42em 0.8em;
    min-height: 2.4em;
    cursor: pointer;
  }
  select,
  input[type="number"],
  input[type="text"] {
    border-color: var(--control);
  }
  input[type="number"] {
    width: 5.2em;
  }
  input[type="number"],
  input[type="text"] {
    cursor: text;
    padding: 0.3em 0.5em;
  }
  button:hover:not(:disabled),
  .menu > summary:hover {
    border-color: var(--control);
  }
  button:disabled {
    color: color-mix(in srgb, var(--quiet) 60%, transparent);
    cursor: default;
  }
  button.primary {
    background: var(--ink);
    color: var(--paper);
    border-color: var(--ink);
    font-weight: 600;
  }
  button.primary:disabled {
    opacity: 0.45;
  }
  button.quiet,
  .menu > summary.quiet {
    border-color: transparent;
    background: transparent;
    padding: 0.3em 0.5em;
    min-height: 0;
  }
  button[aria-pressed="true"] {
    background: var(--soft);
    border-color: var(--control);
    font-weight: 600;
  }
  :focus-visible {
    outline: 3px solid var(--ring);
    outline-offset: 2px;
  }
  .bar {
    display: flex;
    align-items: center;
    gap: 0.5em;
    padding: 0.7em 1.6em;
    border-bottom: 1px solid var(--line);
    flex-wrap: wrap;
  }
  .brand {
    font-size: 1.25em;
    margin-right: 0.6em;
  }
  .bar nav {
    display: flex;
    flex-wrap: wrap;
  }
  .bar nav button {
    border: 0;
    background: none;
    color: var(--quiet);
    padding: 0.42em 0.6em;
  }
  .bar nav button[aria-current="page"] {
    color: var(--ink);
    font-weight: 600;
    box-shadow: inset 0 -2px var(--plus);
    border-radius: 0;
  }
  .spring {
    flex: 1;
  }
  .stage {
    padding: 1.3em 1.6em 2em;
    max-width: 118rem;
    margin: 0 auto;
  }
  .stage:focus {
    outline: none;
  }
  .away {
    background: var(--minus);
    color: light-dark(#fff, #12161f);
    padding: 0.6em 1.6em;
    font-weight: 600;
  }
  .toolbar {
    display: flex;
    flex-wrap: wrap;
    gap: 0.6em;
    align-items: center;
    margin-bottom: 0.9em;
  }
  .field {
    display: inline-flex;
    align-items: center;
    gap: 0.45em;
    color: var(--quiet);
  }
  .field input,
  .field select {
    color: var(--ink);
  }
  .check {
    cursor: pointer;
  }
  .check input {
    width: 1.1em;
    height: 1.1em;
    accent-color: var(--plus);
  }
  .segments {
    display: inline-flex;
    flex-wrap: wrap;
  }
  .segments button {
    border-radius: 0;
    margin-left: -1px;
  }
  .segments button:first-child {
    border-radius: 0.5em 0 0 0.5em;
    margin-left: 0;
  }
  .segments button:last-child {
    border-radius: 0 0.5em 0.5em 0;
  }
  .segments .plus[aria-pressed="true"] {
    background: light-dark(#1f6feb, #2a5cad);
    color: #fff;
    border-color: transparent;
  }
  .segments .minus[aria-pressed="true"] {
    background: light-dark(#c2410c, #a8481c);
    color: #fff;
    border-color: transparent;
  }
  .segments.small button {
    min-height: 2em;
    padding: 0.2em 0.7em;
  }
  .menu {
    position: relative;
  }
  .menu > summary {
    list-style: none;
    display: inline-flex;
    align-items: center;
  }
  .menu > summary::after {
    content: "▾";
    margin-left: 0.4em;
    color: var(--quiet);
  }
  .menu > summary.quiet::after {
    content: "";
    margin: 0;
  }
  .menu > summary::-webkit-details-marker {
    display: none;
  }
  .sheet {
    position: absolute;
    z-index: 20;
    top: calc(100% + 4px);
    left: 0;
    width: max-content;
    min-width: min(15em, 50cqi);
    max-width: min(24em, 50cqi);
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 0.7em;
    padding: 0.9em;
    display: grid;
    gap: 0.55em;
    box-shadow: 0 8px 30px #0003;
  }
  .sheet .field {
    justify-content: space-between;
  }
  .sheet .check {
    justify-content: flex-start;
  }
  .leftward > .sheet {
    left: auto;
    right: 0;
  }
  .sheet .item {
    text-align: left;
    border-color: transparent;
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
  .columns {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(17rem, 29rem);
    gap: 1.8em;
    align-items: start;
  }
  .panels {
    display: grid;
    gap: 1em;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
    align-items: start;
    position: relative;
  }
  .panels[data-count="1"] {
    grid-template-columns: minmax(0, min(40rem, max(22rem, 100vh - 23rem)));
  }
  .panels[data-count="2"] {
    grid-template-columns: repeat(2, minmax(0, max(20rem, 100vh - 23rem)));
  }
  .panels:not([data-count="1"], [data-count="2"]) {
    grid-template-columns: repeat(auto-fill, minmax(0, max(16rem, 50vh - 10.5rem)));
  }
  .panel {
    min-width: 0;
  }
  .panel > header {
    display: flex;
    align-items: center;
    gap: 0.4em;
    margin-bottom: 0.4em;
  }
  .panel > header > select {
    flex: 1 1 9em;
    min-width: 7.5em;
    font-weight: 600;
    border-color: transparent;
    padding-left: 0.2em;
    text-overflow: ellipsis;
  }
  .panel > header > select:hover {
    border-color: var(--control);
  }
  .panel .foot {
    color: var(--quiet);
    min-height: 1.5em;
    margin-top: 0.3em;
    font-variant-numeric: tabular-nums;
  }
  .panel .foot.failed {
    color: var(--minus);
  }
  .apart {
    color: var(--quiet);
    font-weight: 400;
  }
  .panel > header > .apart {
    flex: 0 4 auto;
    min-width: 0;
    white-space: nowrap;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .figures .apart {
    display: block;
    font-size: 0.9em;
  }
  .apart:empty {
    display: none;
  }
  .stage[aria-busy="true"] {
    cursor: progress;
  }
  .add {
    border-style: dashed;
    color: var(--quiet);
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
  .plane {
    touch-action: none;
    cursor: crosshair;
    user-select: none;
    border-radius: 0.7em;
  }
  .side.positive {
    fill: var(--plus-side);
  }
  .side.negative {
    fill: var(--minus-side);
  }
  .side.unknown {
    fill: var(--soft);
  }
  .boundary {
    stroke: var(--ink);
    stroke-width: 2.4;
    fill: none;
  }
  .point circle {
    stroke: var(--paper);
    stroke-width: 1.5;
  }
  .point path {
    stroke: #fff;
    stroke-width: 2.2;
    fill: none;
  }
  .point {
    cursor: grab;
  }
  .point.plus circle {
    fill: light-dark(#1f6feb, #2f6fd8);
  }
  .point.minus circle {
    fill: light-dark(#c2410c, #c4531f);
  }
  .ring {
    fill: none;
    stroke: var(--ring);
    stroke-width: 4;
    pointer-events: none;
  }
  .ring.wrong {
    stroke-dasharray: none;
  }
  .ring.right {
    opacity: 0.75;
    stroke-width: 3;
  }
  .ring.next {
    stroke-dasharray: 5 4;
  }
  .timeline {
    display: flex;
    align-items: center;
    gap: 0.5em;
    margin: 0.4em 0;
    padding: 1.2em 0 0.6em;
    flex-wrap: wrap;
    position: sticky;
    bottom: 0;
    background: var(--paper);
    z-index: 5;
  }
  .timeline .track {
    position: relative;
    flex: 1 1 7em;
    padding-top: 1.1em;
  }
  .timeline .track input {
    width: 100%;
    margin: 0;
    position: relative;
    accent-color: var(--ink);
  }
  .ticks {
    position: absolute;
    inset: 0 8px auto 8px;
    width: calc(100% - 16px);
    height: 1.1em;
  }
  .tick {
    stroke: currentColor;
    stroke-width: 1.6;
    vector-effect: non-scaling-stroke;
    fill: none;
  }
  .speed {
    display: inline-flex;
    align-items: center;
    gap: 0.4em;
    color: var(--quiet);
  }
  .pace {
    width: 6em;
    accent-color: var(--quiet);
  }
  .time {
    font-variant-numeric: tabular-nums;
    min-width: 6.5em;
    text-align: right;
    color: var(--quiet);
  }
  .play {
    min-width: 6.4em;
  }
  .telling {
    background: var(--soft);
    border-radius: 0.7em;
    padding: 0.9em 1.1em;
    display: grid;
    gap: 0.6em;
    min-height: 7.4em;
    align-content: start;
  }
  .telling .row {
    color: var(--quiet);
  }
  .words {
    font-size: 1.08em;
  }
  .maths,
  .python {
    margin: 0;
    font:
      0.95em/1.5 ui-monospace,
      "SF Mono",
      Menlo,
      Consolas,
      monospace;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
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
  .toasts {
    position: fixed;
    right: 1.2em;
    bottom: 1.2em;
    display: grid;
    gap: 0.6em;
    z-index: 40;
    max-width: min(34em, 92vw);
  }
  .toast {
    background: var(--ink);
    color: var(--paper);
    border-radius: 0.6em;
    padding: 0.7em 1em;
    display: flex;
    gap: 0.8em;
    align-items: start;
    box-shadow: 0 6px 24px #0004;
  }
  .toast.bad {
    border-left: 6px solid var(--minus);
  }
  .presenting {
    --size: min(28px, 5.6vw);
    overflow: auto;
    min-height: 100vh;
  }
  .presenting .bar > :not(.brand):not(.present):not(nav):not(.spring),
  .presenting .toolbar,
  .presenting .speed,
  .presenting .add,
  .presenting .panel > header button,
  .presenting .panel .menu,
  .presenting .scroller,
  .presenting .note:empty {
    display: none;
  }
  .presenting .bar {
    padding-block: 0.25em;
  }
  .presenting .bar nav button:not([aria-current="page"]) {
    display: none;
  }
  .presenting .boundary {
    stroke-width: 4;
  }
  .presenting .chart .line {
    stroke-width: 4;
  }
  .presenting .tick-label,
  .presenting .level-label {
    font-size: 17px;
  }
  .presenting :is(.plane-view, .adversary-view) .side-column :is(.tick-label, .level-label) {
    font-size: 22px;
  }
  .presenting .facts dd {
    font-size: 1.2em;
  }
  .presenting button,
  .presenting select {
    padding: 0.2em 0.6em;
    min-height: 1.9em;
  }
  @container (max-width: 60rem) {
    .columns {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  @container (max-width: 40rem) {
    .panels[data-count] {
      grid-template-columns: minmax(0, 1fr);
    }
    .bar,
    .stage {
      padding-inline: 0.9em;
    }
    .bar {
      gap: 0.3em;
    }
    .bar > button,
    .bar > .menu > summary {
      padding-inline: 0.55em;
    }
    .menu {
      position: static;
    }
    .menu > .sheet {
      top: auto;
      left: 0.9em;
      right: 0.9em;
      width: auto;
      max-width: none;
    }
    .panel .menu > .sheet {
      left: 0;
      right: 0;
    }
    .figures {
      font-size: 0.9em;
    }
    .figures:not(.compared) :is(td, thead th) {
      padding-left: 0;
    }
    .standings tbody th,
    .compared tbody th {
      width: 100%;
      max-width: 0;
      min-width: 8.5em;
    }
    .timeline .speed {
      display: none;
    }
    .timeline .track {
      order: 9;
      flex-basis: 100%;
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    .toast {
      animation: rise 0.18s ease-out;
    }
    @keyframes rise {
      from {
        opacity: 0;
        transform: translateY(6px);
      }
    }
  }
  /* bars.js */
  .bit-row {
    display: flex;
    align-items: center;
    gap: 0.8em;
    margin-bottom: 0.3em;
    align-items: start;
  }
  .cells {
    flex: 1;
    min-width: 0;
    display: flex;
    flex-wrap: wrap;
    gap: 2px;
  }
  .bits-name {
    color: var(--quiet);
    min-width: 6.2em;
    font-variant-numeric: tabular-nums;
  }
  .cell {
    flex: 1 1 1.25em;
    max-width: 1.8em;
    display: grid;
    justify-items: center;
    border-radius: 0.3em;
    font:
      600 0.85em/1.6 Inter,
      system-ui,
      sans-serif;
    color: var(--quiet);
    background: var(--soft);
    margin-bottom: 1.4em;
    position: relative;
  }
  .cell.on {
    background: var(--ink);
    color: var(--paper);
  }
  .cell.relevant {
    box-shadow: 0 0 0 2px var(--plus);
  }
  .cell small {
    position: absolute;
    top: 100%;
    color: var(--quiet);
    font-weight: 400;
    white-space: nowrap;
  }
  .strip {
    fill: var(--soft);
    stroke: var(--line);
  }
  .strip-on {
    fill: var(--ink);
  }
  .label-chip {
    border: 1px solid var(--line);
    border-radius: 1em;
    padding: 0.1em 0.8em;
    min-width: 6.4em;
    text-align: center;
    white-space: nowrap;
    font-weight: 600;
  }
  .label-chip.plus {
    background: light-dark(#1f6feb, #2a5cad);
    color: #fff;
    border-color: transparent;
  }
  .label-chip.minus {
    background: light-dark(#c2410c, #a8481c);
    color: #fff;
    border-color: transparent;
  }
  .panels.boolean-panels[data-count] {
    gap: 1.1em 1.6em;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 18em), 1fr));
  }
  .panels.boolean-panels[data-count="4"] {
    grid-template-columns: repeat(2, minmax(0, 1fr));
  }
  .boolean-panels > .panel > header {
    min-height: 2.1em;
  }
  .presenting .panels.boolean-panels[data-count] {
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 15em), 1fr));
  }
  .toolbar.inner {
    margin: 0;
    display: contents;
  }
  .toolbar.inner[hidden] {
    display: none;
  }
  .presenting .panel > header .title,
  .presenting .adversary-view .toolbar,
  .presenting .protocols .toolbar {
    display: flex;
  }
  .panel .title {
    font-weight: 600;
    padding: 0.2em 0.3em;
  }
  .panel .title[aria-pressed="true"] {
    background: var(--soft);
    box-shadow: inset 0 -2px var(--plus);
    border-radius: 0.3em 0.3em 0 0;
  }
  .bars {
    border: 1px solid var(--line);
    border-radius: 0.7em;
    background: var(--card);
  }
  .bars .tick-label {
    font-size: 13px;
  }
  .bars .theta-label {
    font-size: 13px;
  }
  .presenting .bars .tick-label {
    font-size: 15px;
  }
  .bars .grid {
    stroke: var(--line);
  }
  .bars .axis {
    stroke: var(--control);
  }
  .bars .theta {
    stroke: var(--w);
    stroke-width: 1.8;
    stroke-dasharray: 7 5;
  }
  .theta-label {
    fill: var(--w);
    font-weight: 600;
  }
  .bars .tick-label {
    paint-order: stroke;
    stroke: var(--card);
    stroke-width: 3px;
  }
  .bar {
    fill: color-mix(in srgb, var(--quiet) 38%, var(--card));
  }
  .bar.on {
    fill: var(--quiet);
  }
  .bar.plus {
    fill: color-mix(in srgb, var(--plus) 55%, var(--card));
  }
  .bar.plus.on {
    fill: var(--plus);
  }
  .bar.minus {
    fill: color-mix(in srgb, var(--minus) 55%, var(--card));
  }
  .bar.minus.on {
    fill: var(--minus);
  }
  .target-mark.plus {
    fill: var(--plus);
  }
  .target-mark.minus {
    fill: var(--minus);
  }
  .promoted,
  .demoted {
    font:
      700 11px Inter,
      system-ui,
      sans-serif;
  }
  .promoted {
    fill: var(--plus);
  }
  .demoted {
    fill: var(--minus);
  }
  .stair {
    fill: none;
    stroke: var(--ink);
    stroke-width: 2.4;
  }
  .mistaken {
    fill: var(--minus);
    stroke: var(--card);
  }
  .vote-one {
    fill: var(--plus);
  }
  .vote-zero {
    fill: var(--minus);
  }
  .left-name {
    font:
      600 13px Inter,
      system-ui,
      sans-serif;
    fill: var(--ink);
    paint-order: stroke;
    stroke: var(--card);
    stroke-width: 3px;
  }
  .boolean-panels .foot {
    min-height: 1.45em;
  }
  @container (max-width: 40rem) {
    .panels.boolean-panels[data-count] {
      grid-template-columns: minmax(0, 1fr);
    }
    .cell {
      flex-basis: 1.7em;
    }
    .bit-row {
      flex-wrap: wrap;
    }
    .bit-row .cells {
      order: 3;
      flex-basis: 100%;
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    .bar {
      transition:
        y 0.22s ease-out,
        height 0.22s ease-out,
        fill 0.15s;
    }
    .promoted {
      animation: lift 0.3s ease-out;
    }
    .demoted {
      animation: sink 0.3s ease-out;
    }
    @keyframes lift {
      from {
        opacity: 0;
        transform: translateY(12px);
      }
    }
    @keyframes sink {
      from {
        opacity: 0;
        transform: translateY(-10px);
      }
    }
  }
  /* Room for the longest text of a step, so that nothing below it moves. */
  .words {
    min-height: 3em;
  }
  .presenting .words {
    min-height: 4.4em;
  }
  @container (max-width: 40rem) {
    .words {
      min-height: 8.8em;
    }
    .panel > .foot:not(.failed) {
      white-space: nowrap;
      overflow: hidden;
      text-overflow: ellipsis;
    }
  }
`;
