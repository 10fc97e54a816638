// Views of learners side by side: what their states and Python's answers have in common.

/** A learner as a state names it. */
export interface PanelChoice {
  learner: string;
  options: Record<string, any>;
}

/** A state with panels; what else it holds is the view's own. */
export interface PanelsState {
  panels: PanelChoice[];
  [name: string]: any;
}

/** A learner that can be chosen, as Python lists it. */
export interface LearnerEntry {
  short: string;
  options: any[];
  [name: string]: any;
}

/** A run as Python answers it: a trace for each panel, each with its marks step by step. */
export interface Trace {
  panels: any[];
  [name: string]: any;
}
