// What Python reports about runs; null where a log does not have it.

/** A run in the list. */
export interface RunSummary {
  id: string;
  run: string;
  mark: string;
  file: string;
  name: string;
  kind: string;
  learner: string;
  settings: string;
  command: string;
  data: string[];
  before: string;
  started: number;
  state: string;
  silent: number;
  message: string;
  size: number;
  examples: number | null;
  average: number | null;
  recent: number | null;
  held_out: number | null;
  measure: string;
  seconds: number | null;
  features: number | null;
  memory_bytes: number | null;
  /** Of a stream: what waits to be learned, and for how long. */
  lag_events: number | null;
  lag_bytes: number | null;
  lag_seconds: number | null;
  bytes_read: number | null;
  total_bytes: number | null;
  passes: number;
  pass: number | null;
  examples_before: number;
  runners: string[];
}

/** A report in a log. */
export interface LogPoint {
  examples: number;
  seconds: number | null;
  average: number | null;
  recent: number | null;
  held_out: number | null;
  errors: (number | null)[];
}

/** A moment at which the error of a run had risen. */
export interface DriftMark {
  example: number;
  action: string;
  before: number | null;
  at: number | null;
}

/** A log as far as it is read. */
export interface RunLog {
  from: number;
  mark: string;
  points: LogPoint[];
  weights: any;
  standings: any[] | null;
  drift: DriftMark[];
  ended: boolean;
  damaged: number;
}
