// Buttons, fields, segments, menus.
import { css } from "../dom.js";

export const CONTROLS = css`
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
  button[aria-pressed="true"]:where(:not(.primary)) {
    background: var(--soft);
    border-color: var(--control);
    font-weight: 600;
  }
  select {
    max-width: 100%;
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
  /* A browser draws it in pixels, whatever the size of the text. */
  input[type="range"] {
    zoom: var(--drawn, 1);
  }
  @media (min-width: 2400px) and (min-height: 1300px) {
    .lab {
      --drawn: 1.4;
    }
  }
  @media (min-width: 3600px) and (min-height: 2000px) {
    .lab {
      --drawn: 2;
    }
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
  .add {
    border-style: dashed;
    color: var(--quiet);
  }
`;
