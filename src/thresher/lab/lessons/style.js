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
  .lesson > header {
    flex-wrap: nowrap;
    align-items: start;
  }
  .lesson .leave {
    flex: none;
  }
  .lesson-next {
    text-wrap: balance;
  }
  .reply {
    display: block;
    margin-bottom: 0.35em;
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
  /* Where there is room, beside the view: its picture has the whole height. */
  @container (min-width: 75rem) {
    .lab:not(.presenting) > .lesson:not([hidden]) {
      float: left;
      width: 22rem;
      margin: 1.3em 0 1.3em 1.6em;
      max-height: calc(100vh - 2.6em);
      overflow: auto;
      position: sticky;
      top: 1.3em;
      display: flex;
      flex-direction: column;
      border: 0;
      border-radius: 0.7em;
      padding-inline: 1.1em;
    }
    .lab:not(.presenting) > .lesson:not([hidden]) ~ .stage {
      margin-left: 23.5rem;
    }
    .lab:not(.presenting) > .lesson > header {
      display: contents;
    }
    .lab:not(.presenting) > .lesson h2 {
      padding-right: 1.5em;
    }
    .lab:not(.presenting) > .lesson .leave {
      position: absolute;
      top: 0.6em;
      right: 0.5em;
    }
    .lab:not(.presenting) > .lesson:not([hidden]) ~ .stage > .view {
      --above: 24rem;
    }
    .lesson:not([hidden]) ~ .stage .rules {
      display: none;
    }
    .lab:not(.presenting)
      > .lesson:not([hidden])
      ~ .stage
      .view:is([data-panels]:not([data-panels="1"]), .adversary-view)
      .columns {
      grid-template-columns: minmax(0, 1fr) 24rem;
    }
    .fixed > .bar {
      clear: both;
    }
  }
  @container (min-width: 75rem) and (max-width: 100rem) {
    .lab:not(.presenting)
      > .lesson:not([hidden])
      ~ .stage
      .view:is([data-panels="2"]:not(.boolean-view), .growth-view)
      .columns {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  /* On a phone: the picture soon after the question. */
  @container (max-width: 40rem) {
    .lesson {
      padding-inline: 0.9em;
    }
    .lesson:not([hidden]) ~ .stage .view > :is(.toolbar, .rules) {
      display: none;
    }
    .lesson:not([hidden]) ~ .stage .landscape-view > .toolbar {
      display: flex;
    }
    .lesson:not([hidden]) ~ .stage .landscape-view > .toolbar > :not(.eta),
    .lesson .reveal-later {
      display: none;
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
