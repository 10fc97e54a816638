// The strip of a lesson.
import { css } from "../page/dom.js";

export const LESSON_STYLE = css`
  .lesson {
    background: var(--soft);
    padding: 0.9em 1.6em 1em;
    border-bottom: 1px solid var(--line);
    display: grid;
    gap: 0.6em;
  }
  .lesson h2 {
    margin: 0;
    color: var(--ink);
    font-size: 1.1em;
  }
  .lesson-text,
  .reveal {
    max-width: 62em;
    font-size: 1.12em;
    text-wrap: pretty;
  }
  @container (min-width: 70rem) {
    .lab:not(.presenting) > .lesson {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1.25fr);
      gap: 0.6em 2.5em;
    }
    .lab:not(.presenting) > .lesson > :is(header, .classroom) {
      grid-column: 1 / 3;
    }
  }
  .question {
    display: grid;
    gap: 0.5em;
  }
  .question:empty {
    display: none;
  }
  .choice.right {
    border-color: var(--plus);
    box-shadow: inset 0 0 0 1px var(--plus);
    color: var(--ink);
  }
  .choice.chosen:not(.right) {
    text-decoration: line-through;
  }
  .choice.chosen {
    font-weight: 600;
  }
  .choice:disabled {
    opacity: 1;
  }
  .reveal {
    min-height: 1.6em;
  }
  .reveal-room {
    display: grid;
  }
  .reveal-room > * {
    grid-area: 1 / 1;
  }
  .reveal-later {
    visibility: hidden;
    max-width: 62em;
    font-size: 1.12em;
  }
`;
