import type { Labels, MetricName } from './metric-table.ts';

/** Records values: a counter adds the value, a gauge takes it, a histogram observes it. */
export interface Recorder {
  record<Name extends MetricName>(metric: Name, value: number, labels: Labels<Name>): void;
}

/** Sends the recorded metrics to a file or a collector. */
export interface Exporter extends Recorder {
  /** Name for log lines: `the metrics file run.prom`. Holds no secret. */
  readonly name: string;
  /** Throws when the metrics could not be delivered. */
  send(): Promise<void>;
  /** Closes sockets. */
  close(): Promise<void>;
}
