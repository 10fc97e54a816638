// What a view is and what it is given: the lab knows its views only by these.

import type { Ask } from "./asking.js";
import type { FigureParts } from "./figure.js";
import type { Timeline } from "./timeline.js";

/** The lab as a view sees it. */
export interface Place {
  /** Asks Python, such as `ask("plane.run", setup)`; open questions are stopped when the view goes. */
  ask: Ask;

  /** Keeps a state: in the address of the page, in shared links, in the `state` of a widget. */
  save(state: object): void;

  /** Reports an error. */
  complain(text: string): void;

  /** Reports what has been done. */
  tell(text: string): void;

  /** What the tab of the browser shows; "" for the usual. */
  title(text: string): void;

  /** Whether it is presented to a class, large and without controls. */
  presenting(): boolean;

  /** Why what is computed cannot be changed (the page has no server); "" if it can. */
  fixed: string;

  /** Whether a question is open whose answer must not be seen yet. */
  veiled(): boolean;

  /** To be called when the state is drawn. */
  ready(): void;
}

/** A view. Its state may come from a link, so it may be anything. */
export interface View {
  /** Everything it draws. */
  readonly el: HTMLElement;

  /** What it shows: a view made with this state shows the same. */
  readonly state: object;

  /** Changes a part of the state: a lesson reveals what it has asked about. */
  set(patch: object): void;

  /** Plays the run, or the one that is on its way, from a step to another (null: its end), in some seconds; if it shows runs. */
  play?(from: number, to: number | null): void;

  /** Hides what would answer an open question, all that is to come too; or shows it. */
  veil(on: boolean): void;

  /** A key pressed in the lab: steps in time, …; returns whether it was used. */
  key(event: KeyboardEvent): boolean;

  /** Takes the last change back. */
  undo?(): void;

  /** What it shows of a run at this moment, as one picture; null if it shows none now. */
  figure?(): FigureParts | null;

  /** The moments of the run. */
  readonly timeline?: Timeline;

  /** Items of the menu Export besides: what it says, and what it does. */
  exports(): [text: string, run: () => unknown][];

  /** What it shows as lines of Python that give the same numbers, if there are any. */
  python(): PythonCode | null;

  /** It is removed from the page: ends what it has begun. */
  destroy(): void;
}

export interface PythonCode {
  /** A name for the file. */
  file: string;

  code(): Promise<string>;
}

/** What the table of views (views.js) has for each. */
export interface ViewKind {
  /** On its tab. */
  title: string;

  /** It begins with `state`, as far as that is valid. */
  View: new (place: Place, state: any) => View;

  /** Rules of CSS for it. */
  style: string;
}
