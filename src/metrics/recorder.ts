import type { Labels, MetricName } from './metric-table.ts';

/** Takes what is measured. Counters grow by the value, gauges become it, histograms collect it. */
export interface Recorder {
  record<Name extends MetricName>(metric: Name, value: number, labels: Labels<Name>): void;
}

/** Brings what was recorded to where it is wanted. */
export interface Exporter extends Recorder {
  /** For people: `the metrics file run.prom`. Holds no secret. */
  readonly name: string;
  /** Throws when it could not be brought there. */
  send(): Promise<void>;
  /** Gives back what is held open. */
  close(): Promise<void>;
}
