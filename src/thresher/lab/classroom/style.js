// The class beside a lesson.
import { css } from "../page/dom.js";

export const CLASSROOM_STYLE = css`
  .classroom {
    display: flex;
    flex-wrap: wrap;
    gap: 1em;
    align-items: center;
  }
  .qr {
    width: 7.5em;
    height: 7.5em;
    flex: none;
    border-radius: 0.4em;
  }
  .qr-paper {
    fill: #fff;
  }
  .qr-ink {
    fill: #000;
    shape-rendering: crispEdges;
  }
  .class-side {
    display: grid;
    gap: 0.4em;
    min-width: 0;
  }
  .join {
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  .class-count {
    font-size: 1.3em;
    font-variant-numeric: tabular-nums;
  }
  .results {
    color: var(--ink);
  }
  .choice[data-votes] {
    background: linear-gradient(
      to right,
      color-mix(in srgb, var(--plus) 22%, transparent) calc(100% * var(--share)),
      transparent 0
    );
  }
  .choice[data-votes]:disabled {
    color: var(--ink);
  }
  .choice[data-votes]::after {
    content: " · " attr(data-votes);
    font-weight: 700;
  }
  .presenting .lesson > .classroom {
    order: 8;
    margin-top: auto;
    flex-wrap: nowrap;
    gap: 0.8em;
  }
  .presenting .lesson:has(.classroom) {
    font-size: 0.84em;
  }
  .presenting .question.answered ~ .classroom .class-side {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.2em 1em;
  }
  .lesson:has(.classroom) .reveal-later {
    display: none;
  }
  .presenting .question.answered ~ .classroom :is(.qr, .join-at) {
    display: none;
  }
  .presenting .qr {
    width: 20vh;
    height: 20vh;
  }
  .presenting .lesson:has(.classroom) .lesson-turn {
    margin-top: 0;
  }
  .presenting .question.answered .choice[data-votes] {
    display: revert;
  }
`;
