// On a small screen.
import { css } from "../dom.js";

export const PHONE = css`
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
      padding-block: 0.5em;
    }
    .bar nav {
      order: 9;
      flex: 1 0 100%;
      flex-wrap: nowrap;
      overflow-x: auto;
      scrollbar-width: none;
    }
    .bar .brand {
      font-size: 1.05em;
      margin-right: 0;
    }
    .bar .brand span {
      display: none;
    }
    .headline {
      font-size: 1.15em;
    }
    .bar > button,
    .bar > .menu > summary {
      padding-inline: 0.4em;
      font-size: 0.82em;
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
    .proof-body {
      grid-template-columns: minmax(0, 1fr);
    }
    .timeline .speed {
      display: none;
    }
    .timeline .track {
      order: 9;
      flex-basis: 100%;
    }
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
