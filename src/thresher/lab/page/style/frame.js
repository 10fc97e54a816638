// The bar, the stage, columns, notices.
import { css } from "../dom.js";

export const FRAME = css`
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
  .brand span {
    font-weight: 400;
    color: var(--quiet);
    margin-left: 0.35em;
  }
  .headline {
    font-size: 1.35em;
    line-height: 1.3;
    font-weight: 600;
    letter-spacing: -0.01em;
    margin: 0 0 0.7em;
    text-wrap: balance;
  }
  .lesson:not([hidden]) ~ .stage .headline,
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
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
  .columns {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(17rem, 29rem);
    gap: 1.8em;
    align-items: start;
  }
  .stage[aria-busy="true"] {
    cursor: progress;
  }
  .busy:not(:empty) {
    position: fixed;
    z-index: 35;
    left: 50%;
    top: 0.8em;
    translate: -50%;
    background: var(--ink);
    color: var(--paper);
    border-radius: 2em;
    padding: 0.3em 1.1em;
    font-weight: 600;
  }
  .presenting > .busy:not(:empty) {
    top: auto;
    bottom: 0.8em;
    left: auto;
    right: 1em;
    translate: none;
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
  @container (max-width: 60rem) {
    .lab:not(.presenting) .columns.columns.columns.columns {
      grid-template-columns: minmax(0, 1fr);
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
`;
